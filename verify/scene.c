#include "verify/scene.h"

#include "engine/base/assert.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SHAPES_MAX 4096 /* pairs are tested one by one */

/* A frame: where its origin is, and its x axis. */
struct frame {
    struct vf_vec origin, axis;
};

static struct frame
frame_of(struct q_pool *pool, cn_vec3 position, double angle)
{
    q w, z;
    q_of_turn(pool, q_of_double(pool, angle), &w, &z);
    q ww = q_mul(pool, w, w), zz = q_mul(pool, z, z), size = q_add(pool, ww, zz);
    q wz = q_mul(pool, w, z);
    return (struct frame){
        {q_of_double(pool, position.x), q_of_double(pool, position.y), NULL},
        {q_div(pool, q_sub(pool, ww, zz), size), q_div(pool, q_add(pool, wz, wz), size), NULL},
    };
}

static struct vf_vec
turn_by_frame(struct q_pool *pool, const struct frame *frame, struct vf_vec v)
{
    struct vf_vec side = {q_neg(pool, frame->axis.y), frame->axis.x, NULL};
    return vf_add(pool, vf_times(pool, v.x, frame->axis), vf_times(pool, v.y, side));
}

static struct vf_vec
place_by_frame(struct q_pool *pool, const struct frame *frame, struct vf_vec v)
{
    return vf_add(pool, frame->origin, turn_by_frame(pool, frame, v));
}

/* Corner i in the shape's own frame. */
static struct vf_vec
own_corner(struct q_pool *pool, const struct cn_shape_def *def, int i)
{
    if (def->kind == CN_SHAPE_POLYGON) {
        return (struct vf_vec){q_of_double(pool, def->polygon.vertices[i].x),
            q_of_double(pool, def->polygon.vertices[i].y), NULL};
    }
    if (def->kind == CN_SHAPE_CAPSULE) {
        q half = q_mul(pool, q_ratio(pool, i == 0 ? -1 : 1, 2),
            q_of_double(pool, def->capsule.length));
        return (struct vf_vec){q_int(pool, 0), half, NULL};
    }
    if (def->kind != CN_SHAPE_BOX) {
        return (struct vf_vec){q_int(pool, 0), q_int(pool, 0), NULL};
    }
    q right = q_ratio(pool, i == 1 || i == 2 ? 1 : -1, 2), up = q_ratio(pool, i >= 2 ? 1 : -1, 2);
    return (struct vf_vec){q_mul(pool, right, q_of_double(pool, def->box.size.x)),
        q_mul(pool, up, q_of_double(pool, def->box.size.y)), NULL};
}

static q
extent_of(struct q_pool *pool, const struct vf_shape *shape)
{
    if (shape->n == 0) {
        return q_int(pool, 0);
    }
    struct vf_vec low = shape->corner[0], high = low;
    for (int i = 1; i < shape->n; i++) {
        low.x = q_min(low.x, shape->corner[i].x);
        low.y = q_min(low.y, shape->corner[i].y);
        high.x = q_max(high.x, shape->corner[i].x);
        high.y = q_max(high.y, shape->corner[i].y);
    }
    struct vf_vec size = vf_sub(pool, high, low);
    return q_add(pool, q_max(size.x, size.y), q_add(pool, shape->radius, shape->radius));
}

/* Sums over a body's shapes, in its frame: mass, mass times position, moment about the origin. */
struct sums {
    q mass, moment;
    struct vf_vec first;
    bool by_density;
};

/*
 * Adds a capsule: a rectangle, and two half discs whose centroids are 4 r / (3 pi) beyond its ends.
 */
static void
weigh_capsule(struct q_pool *pool, struct sums *sums, const struct vf_shape *shape, q spread)
{
    struct vf_vec way = vf_sub(pool, shape->corner[1], shape->corner[0]);
    struct vf_vec center = vf_times(
        pool, q_ratio(pool, 1, 2), vf_add(pool, shape->corner[0], shape->corner[1]));
    q r = shape->radius, rr = q_mul(pool, r, r), ll = vf_dot(pool, way, way), l = q_root(pool, ll);
    q discs = q_mul(pool, q_mul(pool, spread, q_ratio(pool, 245850922, 78256779)), rr);
    q plate = q_mul(pool, q_mul(pool, spread, q_mul(pool, r, l)), q_int(pool, 2));
    q own = q_mul(pool, q_add(pool, q_mul(pool, rr, q_int(pool, 2)), ll), q_ratio(pool, 1, 4));
    q moment = q_mul(pool, discs, own);
    own = q_add(pool, q_mul(pool, ll, q_ratio(pool, 1, 12)), rr); /* rr / 3, 2 rr / 3 */
    moment = q_add(pool, moment, q_mul(pool, plate, own));
    q mass = q_add(pool, discs, plate);
    moment = q_add(pool, moment, q_mul(pool, mass, vf_dot(pool, center, center)));
    sums->mass = q_add(pool, sums->mass, mass);
    sums->first = vf_add(pool, sums->first, vf_times(pool, mass, center));
    sums->moment = q_add(pool, sums->moment, moment);
}

/* Adds a shape to the sums: an outline by triangles between the origin and each edge. */
static void
weigh_shape(struct q_pool *pool, struct sums *sums, const struct vf_shape *shape, double density)
{
    q spread = q_of_double(pool, density > 0.0 ? density : 1.0);
    sums->by_density = sums->by_density || density > 0.0;
    if (shape->is_disc) {
        q pi = q_ratio(pool, 245850922, 78256779), rr = q_mul(pool, shape->radius, shape->radius);
        q mass = q_mul(pool, spread, q_mul(pool, pi, rr));
        q own = q_mul(pool, rr, q_ratio(pool, 1, 2));
        q arm = q_add(pool, own, vf_dot(pool, shape->corner[0], shape->corner[0]));
        sums->mass = q_add(pool, sums->mass, mass);
        sums->first = vf_add(pool, sums->first, vf_times(pool, mass, shape->corner[0]));
        sums->moment = q_add(pool, sums->moment, q_mul(pool, mass, arm));
        return;
    }
    if (shape->n == 2) {
        weigh_capsule(pool, sums, shape, spread);
        return;
    }
    for (int i = 0; i < shape->n; i++) {
        struct vf_vec a = shape->corner[i], b = shape->corner[(i + 1) % shape->n];
        q mass = q_mul(pool, q_mul(pool, spread, vf_cross(pool, a, b)), q_ratio(pool, 1, 2));
        struct vf_vec middle = vf_times(pool, q_ratio(pool, 1, 3), vf_add(pool, a, b));
        q arm = q_add(pool, vf_dot(pool, a, a), vf_dot(pool, b, vf_add(pool, a, b)));
        sums->mass = q_add(pool, sums->mass, mass);
        sums->first = vf_add(pool, sums->first, vf_times(pool, mass, middle));
        sums->moment = q_add(
            pool, sums->moment, q_mul(pool, mass, q_mul(pool, arm, q_ratio(pool, 1, 6))));
    }
}

static void
read_plane(struct vf_scene *scene, struct vf_shape *shape, const struct cn_shape_def *def,
    const struct frame *own, const struct frame *body)
{
    struct q_pool *pool = &scene->pool;
    struct vf_vec n = {
        q_of_double(pool, def->plane.normal.x), q_of_double(pool, def->plane.normal.y), NULL};
    q size = q_root(pool, vf_dot(pool, n, n));
    CN_ASSERT(mpq_sgn(size) > 0); /* a checked normal is unit */
    n = (struct vf_vec){q_div(pool, n.x, size), q_div(pool, n.y, size), NULL};
    q offset = q_div(pool, q_of_double(pool, def->plane.offset), size);
    n = turn_by_frame(pool, own, n);
    offset = q_add(pool, offset, vf_dot(pool, n, own->origin));
    n = turn_by_frame(pool, body, n);
    shape->normal[0] = n;
    shape->offset = q_add(pool, offset, vf_dot(pool, n, body->origin));
}

static void
read_shape(struct vf_scene *scene, int body_index, const struct cn_shape_def *def,
    const struct frame *body, struct sums *sums)
{
    struct q_pool *pool = &scene->pool;
    struct vf_shape *shape = &scene->shape[scene->shape_count++];
    *shape = (struct vf_shape){
        .kind = def->kind, .body = body_index, .material = def->material, .n = 1};
    shape->filter = def->has_filter ? def->filter : CN_FILTER_DEFAULT;
    shape->radius = shape->offset = q_int(pool, 0);
    switch (def->kind) {
    case CN_SHAPE_PLANE: shape->n = 0; break;
    case CN_SHAPE_BOX: shape->n = 4; break;
    case CN_SHAPE_POLYGON: shape->n = def->polygon.vertex_count; break;
    case CN_SHAPE_SPHERE: shape->radius = q_of_double(pool, def->sphere.radius); break;
    case CN_SHAPE_CAPSULE:
        shape->n = def->capsule.length > 0.0 ? 2 : 1;
        shape->radius = q_of_double(pool, def->capsule.radius);
        break;
    default: shape->radius = q_of_double(pool, def->circle.radius); break;
    }
    CN_ASSERT(0 <= shape->n && shape->n <= CN_POLYGON_VERTICES_MAX);
    shape->is_disc = shape->n == 1;
    shape->corner = vf_alloc((size_t)shape->n + 1, sizeof(*shape->corner));
    shape->normal = vf_alloc((size_t)shape->n + 1, sizeof(*shape->normal));
    shape->length = vf_alloc((size_t)shape->n + 1, sizeof(*shape->length));
    struct frame own = frame_of(pool, def->position, def->angle);
    for (int i = 0; i < shape->n; i++) {
        shape->corner[i] = own_corner(pool, def, i);
    }
    shape->extent = extent_of(pool, shape);
    if (shape->n == 0) {
        read_plane(scene, shape, def, &own, body);
        return;
    }
    for (int i = 0; i < shape->n; i++) {
        shape->corner[i] = place_by_frame(pool, &own, shape->corner[i]);
    }
    weigh_shape(pool, sums, shape, def->density);
    for (int i = 0; i < shape->n; i++) {
        shape->corner[i] = place_by_frame(pool, body, shape->corner[i]);
    }
    for (int i = 0; i < shape->n && shape->n > 2; i++) {
        struct vf_vec edge = vf_sub(pool, shape->corner[(i + 1) % shape->n], shape->corner[i]);
        shape->length[i] = q_root(pool, vf_dot(pool, edge, edge));
        shape->normal[i] = (struct vf_vec){q_div(pool, edge.y, shape->length[i]),
            q_neg(pool, q_div(pool, edge.x, shape->length[i])), NULL};
    }
}

static void
read_body(struct vf_scene *scene, int index, const struct cn_body_def *def)
{
    struct q_pool *pool = &scene->pool;
    struct vf_body *body = &scene->body[index];
    q zero = q_int(pool, 0);
    struct sums sums = {zero, zero, {zero, zero, NULL}, false};
    struct frame frame = frame_of(pool, def->position, def->angle);
    for (int k = 0; k < def->shape_count; k++) {
        if (!def->shapes[k].sensor) {
            read_shape(scene, index, &def->shapes[k], &frame, &sums);
        }
    }
    struct vf_vec center = {zero, zero, NULL};
    q moment = zero;
    bool has_area = mpq_sgn(sums.mass) > 0;
    if (has_area) {
        center = vf_times(pool, q_div(pool, q_int(pool, 1), sums.mass), sums.first);
        moment = q_sub(pool, sums.moment, vf_dot(pool, center, sums.first));
    }
    *body = (struct vf_body){.is_fixed = def->type != CN_DYNAMIC, .mass = zero, .inertia = zero};
    if (def->has_center) {
        center.x = q_of_double(pool, def->center_of_mass.x);
        center.y = q_of_double(pool, def->center_of_mass.y);
    }
    body->center = place_by_frame(pool, &frame, center);
    if (body->is_fixed) {
        return;
    }
    body->mass = def->mass > 0.0   ? q_of_double(pool, def->mass)
                 : sums.by_density ? sums.mass
                                   : q_int(pool, 1);
    if (def->inertia > 0.0) {
        body->inertia = q_of_double(pool, def->inertia);
    } else if (has_area) {
        body->inertia = q_div(pool, q_mul(pool, moment, body->mass), sums.mass);
    }
}

/* The reason why a certificate cannot be about this world; NULL: it can. */
static const char *
find_refusal(const struct cn_world_def *def, size_t *shape_count)
{
    bool spatial = def->settings.dimension == CN_SPATIAL;
    if (def->spring_count > 0 || def->joint_count > 0 || def->settings.gravitation != 0.0) {
        return "the scene has springs, joints or a gravitation";
    }
    for (int i = 0; i < def->body_count; i++) {
        const struct cn_body_def *body = &def->bodies[i];
        const double rate[6] = {body->velocity.x, body->velocity.y, body->velocity.z,
            body->angular_velocity.x, body->angular_velocity.y, body->angular_velocity.z};
        for (int k = 0; k < 6; k++) {
            if (body->type == CN_KINEMATIC && rate[k] != 0.0) {
                return "a kinematic body of the scene moves";
            }
        }
        if (body->type == CN_DYNAMIC && body->locks != 0) {
            return "a body of the scene has locked axes";
        }
        for (int k = 0; k < def->bodies[i].shape_count; k++) {
            enum cn_shape_kind kind = def->bodies[i].shapes[k].kind;
            bool is_flat = kind == CN_SHAPE_POLYGON || kind == CN_SHAPE_CIRCLE;
            bool is_known = kind == CN_SHAPE_BOX || kind == CN_SHAPE_PLANE ||
                            kind == CN_SHAPE_SPHERE || kind == CN_SHAPE_CAPSULE ||
                            (spatial ? kind == CN_SHAPE_HULL : is_flat);
            if (def->bodies[i].shapes[k].one_way) {
                return "the scene has a one-way shape";
            }
            if (!def->bodies[i].shapes[k].sensor && !is_known) {
                return "the scene has a shape that certificates do not cover";
            }
        }
        *shape_count += (size_t)def->bodies[i].shape_count;
    }
    return *shape_count > SHAPES_MAX ? "the scene has too many shapes" : NULL;
}

static double
size_of(q x)
{
    return x == NULL ? 0.0 : fabs(mpq_get_d(x));
}

/* Fills bounds in doubles.  They only exclude pairs that are apart by at least 10^-5 of a size. */
static void
fill_bounds(struct vf_shape *shape)
{
    for (int k = 0; k < 3; k++) {
        shape->low[k] = shape->n > 0 ? HUGE_VAL : -HUGE_VAL;
        shape->high[k] = -shape->low[k];
    }
    for (int i = 0; i < shape->n; i++) {
        q part[3] = {shape->corner[i].x, shape->corner[i].y, shape->corner[i].z};
        double reach = size_of(shape->radius) + 1e-5 * size_of(shape->extent);
        for (int k = 0; k < 3; k++) {
            double x = part[k] != NULL ? mpq_get_d(part[k]) : 0.0;
            double margin = reach + 1e-12 * fabs(x);
            shape->low[k] = fmin(shape->low[k], x - margin);
            shape->high[k] = fmax(shape->high[k], x + margin);
        }
    }
}

static bool
are_far(const struct vf_shape *a, const struct vf_shape *b)
{
    bool far = false;
    for (int k = 0; k < 3; k++) {
        far = far || a->low[k] > b->high[k] || b->low[k] > a->high[k];
    }
    return far;
}

/* A vector from the body's frame to the world's; also shifted where it is a point. */
static struct vf_vec
in_world(struct vf_scene *scene, const struct cn_body_def *def, cn_vec3 v, bool is_point)
{
    struct q_pool *pool = &scene->pool;
    if (scene->is_spatial) {
        return vf_space_place(pool, def, v, is_point);
    }
    struct frame frame = frame_of(pool, def->position, def->angle);
    struct vf_vec own = {q_of_double(pool, v.x), q_of_double(pool, v.y), NULL};
    return is_point ? place_by_frame(pool, &frame, own) : turn_by_frame(pool, &frame, own);
}

static struct vf_vec
as_given(struct vf_scene *scene, cn_vec3 v)
{
    struct q_pool *pool = &scene->pool;
    return (struct vf_vec){q_of_double(pool, v.x), q_of_double(pool, v.y),
        scene->is_spatial ? q_of_double(pool, v.z) : NULL};
}

/* Sets the load of a body, and adds it to the scene's weight.  g: the size of gravity. */
static void
load_body(struct vf_scene *scene, const struct cn_world_def *def, int index, q g)
{
    CN_ASSERT(0 <= index && index < scene->body_count && scene->body_count == def->body_count);
    struct q_pool *pool = &scene->pool;
    struct vf_body *body = &scene->body[index];
    q zero = q_int(pool, 0);
    q pulled = q_mul(pool, body->mass, q_of_double(pool, def->bodies[index].gravity_scale));
    body->force = vf_times(pool, pulled, scene->gravity);
    body->moment = (struct vf_vec){zero, zero, zero};
    scene->weight = q_add(pool, scene->weight, q_mul(pool, q_abs(pool, pulled), g));
    for (int i = 0; i < def->constant_force_count; i++) {
        const struct cn_constant_force_def *of = &def->constant_forces[i];
        if (of->body != index || body->is_fixed) {
            continue;
        }
        bool by_body = of->frame == CN_FRAME_BODY;
        const struct cn_body_def *own = &def->bodies[index];
        struct vf_vec force =
            by_body ? in_world(scene, own, of->force, false) : as_given(scene, of->force);
        struct vf_vec torque = {zero, zero, q_of_double(pool, of->torque.z)};
        if (scene->is_spatial) {
            torque = by_body ? in_world(scene, own, of->torque, false)
                             : as_given(scene, of->torque);
        }
        body->force = vf_add(pool, body->force, force);
        body->moment = vf_add(pool, body->moment, torque);
        if (of->has_at) {
            struct vf_vec arm =
                vf_sub(pool, in_world(scene, own, of->at, true), body->center);
            body->moment = vf_add(pool, body->moment, vf_moment(pool, arm, force));
        }
        q size = q_root(pool, vf_dot(pool, force, force));
        scene->weight = q_add(pool, scene->weight, size);
    }
}

static const char *
read_all(struct vf_scene *scene, const struct cn_world_def *def, bool side_contacts, bool friction,
    const struct vf_watch *watch)
{
    struct q_pool *pool = &scene->pool;
    scene->gravity = (struct vf_vec){q_of_double(pool, def->settings.gravity.x),
        q_of_double(pool, def->settings.gravity.y),
        scene->is_spatial ? q_of_double(pool, def->settings.gravity.z) : NULL};
    q g = q_root(pool, vf_dot(pool, scene->gravity, scene->gravity));
    scene->weight = q_int(pool, 0);
    for (int i = 0; i < def->body_count; i++) {
        vf_tell(watch, "reading shapes", i, def->body_count);
        if (scene->is_spatial) {
            vf_space_body(scene, i, &def->bodies[i]);
        } else {
            read_body(scene, i, &def->bodies[i]);
        }
        load_body(scene, def, i, g);
    }
    if (mpq_sgn(g) == 0) {
        return "the scene has no gravity";
    }
    for (int i = 0; i < scene->shape_count; i++) {
        fill_bounds(&scene->shape[i]);
    }
    for (int i = 0; i < scene->shape_count; i++) {
        vf_tell(watch, "finding contacts", i, scene->shape_count);
        for (int j = i + 1; j < scene->shape_count; j++) {
            const struct vf_shape *a = &scene->shape[i], *b = &scene->shape[j];
            bool both_fixed = scene->body[a->body].is_fixed && scene->body[b->body].is_fixed;
            bool may = cn_filter_passes(&a->filter, &b->filter) && !vf_scene_ignores(def, a, b);
            if (a->body != b->body && !both_fixed && may && !are_far(a, b)) {
                const char *why =
                    scene->is_spatial
                        ? vf_space_meet(scene, def, a, b, side_contacts, friction)
                        : vf_scene_meet(scene, def, a, b, side_contacts, friction);
                if (why != NULL) {
                    return why;
                }
            }
        }
    }
    return NULL;
}

const char *
vf_scene_read(
    struct vf_scene *scene, const struct cn_world_def *def, bool side_contacts, bool friction,
    const struct vf_watch *watch)
{
    size_t shape_count = 0;
    *scene = (struct vf_scene){0};
    const char *why = find_refusal(def, &shape_count);
    if (why != NULL) {
        return why;
    }
    scene->is_spatial = def->settings.dimension == CN_SPATIAL;
    scene->body_count = def->body_count;
    scene->body = vf_alloc((size_t)def->body_count, sizeof(*scene->body));
    scene->shape = vf_alloc(shape_count, sizeof(*scene->shape));
    why = read_all(scene, def, side_contacts, friction, watch);
    if (why != NULL) {
        vf_scene_finish(scene);
    }
    return why;
}

void
vf_scene_finish(struct vf_scene *scene)
{
    for (int i = 0; i < scene->shape_count; i++) {
        free(scene->shape[i].corner);
        free(scene->shape[i].normal);
        free(scene->shape[i].length);
        free(scene->shape[i].face);
        free(scene->shape[i].edge);
    }
    free(scene->shape);
    free(scene->body);
    free(scene->contact);
    q_pool_finish(&scene->pool);
    *scene = (struct vf_scene){0};
}
