/* space.c: reads the bodies of a scene in space, by the rules of docs/certificates.md. */
#include "engine/base/assert.h"
#include "verify/solid.h"

/*
 * A cuboid of half sizes h: second moments m h h / 3 along its axes; the inertia is their trace
 * minus these.
 */
static void
weigh_cuboid(struct q_pool *pool, struct vf_sums *sums, const struct vf_frame *own, const q *half,
    double density)
{
    q mass = q_of_double(pool, density > 0.0 ? density : 1.0);
    sums->by_density = sums->by_density || density > 0.0;
    for (int k = 0; k < 3; k++) {
        mass = q_mul(pool, mass, q_add(pool, half[k], half[k]));
    }
    q third = q_mul(pool, mass, q_ratio(pool, 1, 3));
    for (int k = 0; k < 3; k++) {
        q moment = q_mul(pool, third, q_mul(pool, half[k], half[k]));
        vf_add_diagonal(pool, sums->tensor, moment);
        vf_add_square(pool, sums->tensor, q_neg(pool, moment), own->axis[k]);
    }
    vf_add_arm(pool, sums->tensor, mass, own->origin);
    sums->mass = q_add(pool, sums->mass, mass);
    sums->first = vf_add(pool, sums->first, vf_times(pool, mass, own->origin));
}

static void
read_plane(struct q_pool *pool, struct vf_shape *shape, const struct cn_shape_def *def,
    const struct vf_frame *own, const struct vf_frame *body)
{
    struct vf_vec n = vf_vector(pool, def->plane.normal);
    q scale = q_div(pool, q_int(pool, 1), q_root(pool, vf_dot(pool, n, n)));
    n = vf_frame_turn(pool, own, vf_times(pool, scale, n));
    q offset = q_mul(pool, scale, q_of_double(pool, def->plane.offset));
    offset = q_add(pool, offset, vf_dot(pool, n, own->origin));
    shape->normal[0] = vf_frame_turn(pool, body, n);
    shape->offset = q_add(pool, offset, vf_dot(pool, shape->normal[0], body->origin));
}

/* Reads a ball: volume 4/3 pi r^3, inertia 2/5 m r^2 about every axis. */
static void
read_ball(struct q_pool *pool, struct vf_shape *shape, const struct cn_shape_def *def,
    double radius, const struct vf_frame *own, const struct vf_frame *body, struct vf_sums *sums)
{
    q r = q_of_double(pool, radius), rr = q_mul(pool, r, r);
    q mass = q_of_double(pool, def->density > 0.0 ? def->density : 1.0);
    mass = q_mul(pool, mass, q_ratio(pool, 4 * 245850922l, 3 * 78256779ul));
    mass = q_mul(pool, mass, q_mul(pool, r, rr));
    shape->kind = CN_SHAPE_SPHERE;
    shape->n = 1;
    shape->is_disc = true;
    shape->radius = r;
    shape->extent = q_add(pool, r, r);
    shape->center = shape->corner[0] = vf_frame_place(pool, body, own->origin);
    sums->by_density = sums->by_density || def->density > 0.0;
    vf_add_diagonal(pool, sums->tensor, q_mul(pool, q_ratio(pool, 2, 5), q_mul(pool, mass, rr)));
    vf_add_arm(pool, sums->tensor, mass, own->origin);
    sums->mass = q_add(pool, sums->mass, mass);
    sums->first = vf_add(pool, sums->first, vf_times(pool, mass, own->origin));
}

/* Reads a cuboid: a centre, three axes of unit length and three half sizes. */
static void
read_cuboid(struct q_pool *pool, struct vf_shape *shape, const struct cn_shape_def *def,
    const struct vf_frame *own, const struct vf_frame *body, struct vf_sums *sums)
{
    struct vf_vec size = vf_vector(pool, def->box.size);
    shape->n = 8;
    shape->extent = q_max(size.x, q_max(size.y, size.z));
    shape->center = vf_frame_place(pool, body, own->origin);
    for (int k = 0; k < 3; k++) {
        shape->half[k] = q_div(pool, vf_part(size, k), q_int(pool, 2));
        shape->axis[k] = vf_frame_turn(pool, body, own->axis[k]);
    }
    for (int i = 0; i < 8; i++) { /* bit k of i: the side along axis k */
        shape->corner[i] = shape->center;
        for (int k = 0; k < 3; k++) {
            q reach = (i >> k & 1) != 0 ? shape->half[k] : q_neg(pool, shape->half[k]);
            shape->corner[i] =
                vf_add(pool, shape->corner[i], vf_times(pool, reach, shape->axis[k]));
        }
    }
    weigh_cuboid(pool, sums, own, shape->half, def->density);
    vf_solid_of_cuboid(pool, shape);
}

static void
read_shape(struct vf_scene *scene, int body_index, const struct cn_shape_def *def,
    const struct vf_frame *body, struct vf_sums *sums)
{
    struct q_pool *pool = &scene->pool;
    struct vf_shape *shape = &scene->shape[scene->shape_count++];
    *shape = (struct vf_shape){.kind = def->kind, .body = body_index, .material = def->material};
    shape->filter = def->has_filter ? def->filter : CN_FILTER_DEFAULT;
    shape->corner = vf_alloc(CN_HULL_POINTS_MAX, sizeof(*shape->corner));
    shape->normal = vf_alloc(1, sizeof(*shape->normal));
    shape->extent = shape->radius = q_int(pool, 0);
    struct vf_frame own = vf_frame_of(pool, def->position, def->orientation);
    switch (def->kind) {
    case CN_SHAPE_PLANE: read_plane(pool, shape, def, &own, body); break;
    case CN_SHAPE_SPHERE:
        read_ball(pool, shape, def, def->sphere.radius, &own, body, sums);
        break;
    case CN_SHAPE_CAPSULE:
        if (def->capsule.length == 0.0) {
            read_ball(pool, shape, def, def->capsule.radius, &own, body, sums);
        } else {
            vf_capsule_read(pool, shape, def, &own, body, sums);
        }
        break;
    case CN_SHAPE_HULL: vf_hull_read(pool, shape, def, &own, body, sums); break;
    default: read_cuboid(pool, shape, def, &own, body, sums); break;
    }
}

static bool
read_tensor(struct q_pool *pool, q *tensor, const cn_mat33 *m)
{
    const cn_vec3 column[3] = {m->cx, m->cy, m->cz};
    bool given = false;
    for (int c = 0; c < 3; c++) {
        struct vf_vec v = vf_vector(pool, column[c]);
        for (int r = 0; r < 3; r++) {
            tensor[3 * r + c] = vf_part(v, r);
            given = given || mpq_sgn(vf_part(v, r)) != 0;
        }
    }
    return given;
}

/* out = a tensor in the body's axes, turned to the world's axes. */
static void
turn_tensor(struct q_pool *pool, q *out, const q *tensor, const struct vf_frame *frame)
{
    for (int k = 0; k < 9; k++) {
        out[k] = q_int(pool, 0);
    }
    for (int k = 0; k < 9; k++) { /* sum over tensor entries: t_ij axis_i axis_j' */
        struct vf_vec a = frame->axis[k / 3], b = frame->axis[k % 3];
        for (int e = 0; e < 9; e++) {
            q product = q_mul(pool, q_mul(pool, vf_part(a, e / 3), vf_part(b, e % 3)), tensor[k]);
            out[e] = q_add(pool, out[e], product);
        }
    }
}

/* A direction or a point in a body's frame, transformed to the world. */
struct vf_vec
vf_space_place(struct q_pool *pool, const struct cn_body_def *def, cn_vec3 v, bool is_point)
{
    struct vf_frame frame = vf_frame_of(pool, def->position, def->orientation);
    struct vf_vec own = vf_vector(pool, v);
    return is_point ? vf_frame_place(pool, &frame, own) : vf_frame_turn(pool, &frame, own);
}

void
vf_space_body(struct vf_scene *scene, int index, const struct cn_body_def *def)
{
    CN_ASSERT(0 <= index && index < scene->body_count);
    struct q_pool *pool = &scene->pool;
    struct vf_body *body = &scene->body[index];
    q zero = q_int(pool, 0);
    struct vf_sums sums = {.mass = zero, .rounded = zero, .first = {zero, zero, zero}};
    for (int k = 0; k < 9; k++) {
        sums.tensor[k] = zero;
        body->tensor[k] = zero;
    }
    struct vf_frame frame = vf_frame_of(pool, def->position, def->orientation);
    for (int k = 0; k < def->shape_count; k++) {
        if (!def->shapes[k].sensor) {
            read_shape(scene, index, &def->shapes[k], &frame, &sums);
        }
    }
    body->is_fixed = def->type != CN_DYNAMIC;
    body->mass = body->inertia = zero;
    bool has_volume = mpq_sgn(sums.mass) > 0;
    struct vf_vec center = {zero, zero, zero};
    if (has_volume) {
        center = vf_times(pool, q_div(pool, q_int(pool, 1), sums.mass), sums.first);
        vf_add_arm(pool, sums.tensor, q_neg(pool, sums.mass), center);
    }
    if (def->has_center) {
        center = (struct vf_vec){q_of_double(pool, def->center_of_mass.x),
            q_of_double(pool, def->center_of_mass.y), q_of_double(pool, def->center_of_mass.z)};
    }
    body->center = vf_frame_place(pool, &frame, center);
    sums.rounded = sums.mass;
    if (sums.has_hull) {
        struct vf_vec c = body->center;
        body->center = (struct vf_vec){
            q_round(pool, c.x, 64), q_round(pool, c.y, 64), q_round(pool, c.z, 64)};
        sums.rounded = q_round(pool, sums.mass, 64);
    }
    if (body->is_fixed) {
        return;
    }
    body->mass = def->mass > 0.0   ? q_of_double(pool, def->mass)
                 : sums.by_density ? sums.rounded
                                   : q_int(pool, 1);
    if (!read_tensor(pool, body->tensor, &def->inertia_tensor)) {
        for (int k = 0; k < 9 && has_volume; k++) {
            q scaled = q_mul(pool, sums.tensor[k], body->mass);
            body->tensor[k] = q_div(pool, scaled, sums.mass);
        }
    }
    q own[9];
    for (int k = 0; k < 9; k++) {
        own[k] = body->tensor[k];
    }
    turn_tensor(pool, body->tensor, own, &frame);
}

static bool
is_general(const struct vf_shape *shape)
{
    return shape->kind == CN_SHAPE_HULL || shape->kind == CN_SHAPE_CAPSULE;
}

static bool
is_round(const struct vf_shape *shape)
{
    return shape->n == 1 || shape->n == 2;
}

const char *
vf_space_meet(struct vf_scene *scene, const struct cn_world_def *def, const struct vf_shape *a,
    const struct vf_shape *b, bool side_contacts, bool friction)
{
    struct q_pool *pool = &scene->pool;
    size_t mark = q_mark(pool);
    q extent = a->n == 0 ? b->extent : b->n == 0 ? a->extent : q_min(a->extent, b->extent);
    q near = q_mul(pool, extent, q_ratio(pool, 1, 1000000));
    struct vf_found found = {.count = 0};
    bool general = is_general(a) || is_general(b), flat = !is_round(a) && !is_round(b);
    if (a->n == 0) {
        vf_half_space_meet(pool, a, b, near, &found);
    } else if (b->n == 0) {
        vf_half_space_meet(pool, b, a, near, &found);
        found.normal = vf_times(pool, q_int(pool, -1), found.normal);
    } else if (general && flat) {
        vf_solid_meet(scene, a, b, near, &found);
    } else if (general) {
        vf_capsule_meet(scene, a, b, near, &found);
    } else if (a->is_disc || b->is_disc) {
        vf_ball_meet(scene, a, b, near, &found);
    } else {
        vf_cuboid_meet(scene, a, b, near, &found);
    }
    if (general && flat) { /* a force on what is round must not turn it */
        vf_found_round(pool, &found, a->n != 0 && b->n != 0);
    }
    CN_ASSERT(0 <= found.count && found.count <= VF_POINTS_MAX && a->body != b->body);
    int before = scene->contact_count;
    const char *why = vf_scene_keep(scene, def, a, b, &found, side_contacts, friction);
    if (scene->contact_count == before) {
        q_release(pool, mark);
    }
    return why;
}
