/*
 * meet.c: where two shapes touch, directly from the definitions of docs/certificates.md: every
 * face is tested against every corner.
 */
#include "engine/base/assert.h"
#include "verify/scene.h"
#include "verify/solid.h"

#include <stdlib.h>

/* The part of another shape that lies on a face, as an interval of [0, 1] along it. */
struct cover {
    bool parts;   /* all of the other shape is outside of the face, within the tolerance */
    bool is_far;  /* all of it is outside by more than the tolerance */
    bool touches; /* a part of it is within the tolerance, and on the face */
    bool opposed, at_end; /* two corners lie on the face; the part is an end of the face */
    q height; /* of the nearest corner */
    q from, to, length;
};

struct pair {
    struct vf_scene *scene;
    struct q_pool *pool;
    const struct vf_shape *a, *b;
    q near, along; /* tolerances across and along a face [m] */
};

static struct vf_vec
edge_of(const struct pair *p, const struct vf_shape *shape, int i)
{
    CN_ASSERT(0 <= i && i < shape->n);
    return vf_sub(p->pool, shape->corner[(i + 1) % shape->n], shape->corner[i]);
}

static q
height_over(const struct pair *p, const struct vf_shape *shape, int i, struct vf_vec at)
{
    return vf_dot(p->pool, shape->normal[i], vf_sub(p->pool, at, shape->corner[i]));
}

static q
station_on(const struct pair *p, const struct vf_shape *shape, int i, struct vf_vec at)
{
    struct vf_vec edge = edge_of(p, shape, i);
    q run = vf_dot(p->pool, edge, vf_sub(p->pool, at, shape->corner[i]));
    return q_div(p->pool, run, vf_dot(p->pool, edge, edge));
}

static struct vf_vec
point_at(const struct pair *p, const struct vf_shape *shape, int i, q station)
{
    return vf_add(
        p->pool, shape->corner[i], vf_times(p->pool, station, edge_of(p, shape, i)));
}

/* Cuts [from, to] down to the face's own [0, 1]. */
static void
cut_to_face(const struct pair *p, struct cover *c, q length)
{
    q zero = q_int(p->pool, 0), one = q_int(p->pool, 1);
    q slack = q_div(p->pool, p->along, length);
    c->touches =
        !q_less(c->to, q_neg(p->pool, slack)) && !q_less(q_add(p->pool, one, slack), c->from);
    c->from = q_min(one, q_max(zero, c->from));
    c->to = q_min(one, q_max(zero, c->to));
    if (!q_less(slack, q_sub(p->pool, c->to, c->from))) {
        c->to = c->from;
        q rest = q_sub(p->pool, one, c->from);
        c->at_end = !q_less(slack, c->from) || !q_less(slack, rest);
    }
    c->length = q_mul(p->pool, q_sub(p->pool, c->to, c->from), length);
}

static struct cover
cover_of(const struct pair *p, const struct vf_shape *face, int i, const struct vf_shape *other)
{
    struct cover c = {.parts = false};
    int count = 0;
    for (int k = 0; k < other->n; k++) {
        q h = height_over(p, face, i, other->corner[k]);
        c.height = c.height == NULL ? h : q_min(c.height, h);
        if (!q_less(p->near, h)) {
            q s = station_on(p, face, i, other->corner[k]);
            c.from = count == 0 ? s : q_min(c.from, s);
            c.to = count == 0 ? s : q_max(c.to, s);
            count++;
        }
    }
    CN_ASSERT(count <= other->n);
    c.opposed = count >= 2;
    c.parts = !q_less(c.height, q_neg(p->pool, p->near));
    c.is_far = q_less(p->near, c.height);
    if (c.parts && !c.is_far) {
        cut_to_face(p, &c, face->length[i]);
    }
    return c;
}

static q
steepness_of(const struct pair *p, struct vf_vec normal)
{
    return q_abs(p->pool, vf_dot(p->pool, normal, p->scene->gravity));
}

/* Whether face `c` comes before the best so far, by the four rules for polygons. */
static bool
is_better(const struct pair *p, const struct cover *c, struct vf_vec normal,
    const struct cover *best, struct vf_vec best_normal)
{
    bool is_long = mpq_sgn(c->length) > 0;
    if (!is_long && c->at_end && !c->opposed) {
        return false; /* corner on corner without opposed faces: uses the mean, not a face */
    }
    if (best == NULL) {
        return true;
    }
    bool best_long = mpq_sgn(best->length) > 0;
    if (is_long || best_long) {
        return q_less(best->length, c->length);
    }
    if (!c->at_end || !best->at_end) {
        return !c->at_end && best->at_end;
    }
    return q_less(steepness_of(p, best_normal), steepness_of(p, normal));
}

static void
take_normal(const struct pair *p, struct vf_found *found, const struct vf_shape *owner, int i)
{
    found->normal = owner->normal[i];
    if (owner == p->b) {
        found->normal = vf_times(p->pool, q_int(p->pool, -1), found->normal);
    }
}

static void
meet_outlines(const struct pair *p, struct vf_found *found)
{
    const struct vf_shape *shapes[2] = {p->a, p->b}, *owner = NULL;
    struct cover best;
    struct vf_vec mean = {q_int(p->pool, 0), q_int(p->pool, 0), NULL}, corner = mean, first = mean;
    bool parted = false, any = false;
    q shallowest = NULL;
    int best_edge = 0;
    for (int side = 0; side < 2; side++) {
        const struct vf_shape *face = shapes[side], *other = shapes[1 - side];
        for (int i = 0; i < face->n; i++) {
            struct cover c = cover_of(p, face, i, other);
            parted = parted || c.parts;
            if (c.is_far) {
                found->count = 0;
                return;
            }
            if (!parted && (shallowest == NULL || q_less(shallowest, c.height))) {
                shallowest = c.height;
                take_normal(p, found, face, i);
            }
            if (!c.touches) {
                continue;
            }
            q sign = q_int(p->pool, side == 0 ? 1 : -1);
            struct vf_vec outward = vf_times(p->pool, sign, face->normal[i]);
            if (!any) {
                corner = point_at(p, face, i, c.from);
                first = outward;
            }
            any = true;
            mean = vf_add(p->pool, mean, outward);
            if (is_better(p, &c, face->normal[i], owner != NULL ? &best : NULL,
                    owner != NULL ? owner->normal[best_edge] : face->normal[i])) {
                best = c;
                owner = face;
                best_edge = i;
            }
        }
    }
    found->overlaps = !parted;
    if (!parted || !any) {
        return;
    }
    if (owner == NULL) {
        bool cancels = mpq_sgn(mean.x) == 0 && mpq_sgn(mean.y) == 0;
        mean = cancels ? first : mean;
        q size = q_root(p->pool, vf_dot(p->pool, mean, mean));
        found->normal = (struct vf_vec){
            q_div(p->pool, mean.x, size), q_div(p->pool, mean.y, size), NULL};
        found->point[0] = corner;
        found->count = 1;
        return;
    }
    take_normal(p, found, owner, best_edge);
    found->point[0] = point_at(p, owner, best_edge, best.from);
    found->point[1] = point_at(p, owner, best_edge, best.to);
    found->count = mpq_sgn(best.length) > 0 ? 2 : 1;
}

/* -1: overlap, 0: touching, 1: apart. */
static int
side_of(const struct pair *p, q gap)
{
    if (q_less(p->near, gap)) {
        return 1;
    }
    return q_less(gap, q_neg(p->pool, p->near)) ? -1 : 0;
}

/* Two discs, or a corner (a disc of radius 0) and a disc. */
static void
meet_centers(const struct pair *p, struct vf_found *found, struct vf_vec from, q from_radius,
    struct vf_vec to, q to_radius)
{
    struct vf_vec d = vf_sub(p->pool, to, from);
    q distance = q_root(p->pool, vf_dot(p->pool, d, d));
    int side = side_of(
        p, q_sub(p->pool, q_sub(p->pool, distance, from_radius), to_radius));
    found->overlaps = side < 0;
    found->normal = d;
    if (side != 0) {
        return;
    }
    found->normal = vf_times(p->pool, q_div(p->pool, q_int(p->pool, 1), distance), d);
    found->point[0] = vf_add(p->pool, from, vf_times(p->pool, from_radius, found->normal));
    found->count = 1;
}

/* An outline and a disc; the normal points from the outline to the disc. */
static void
meet_disc(const struct pair *p, struct vf_found *found, const struct vf_shape *outline,
    const struct vf_shape *disc)
{
    q best = NULL;
    int edge = 0;
    for (int i = 0; i < outline->n; i++) {
        q h = height_over(p, outline, i, disc->corner[0]);
        if (best == NULL || q_less(best, h)) {
            best = h;
            edge = i;
        }
    }
    q station = station_on(p, outline, edge, disc->corner[0]);
    if (mpq_sgn(station) < 0 || mpq_cmp_ui(station, 1, 1) > 0) {
        int corner = mpq_sgn(station) < 0 ? edge : (edge + 1) % outline->n;
        meet_centers(p, found, outline->corner[corner], q_int(p->pool, 0), disc->corner[0],
            disc->radius);
        return;
    }
    int side = side_of(p, q_sub(p->pool, best, disc->radius));
    found->overlaps = side < 0;
    found->normal = outline->normal[edge];
    found->point[0] = point_at(p, outline, edge, station);
    found->count = side == 0 ? 1 : 0;
}

/* A half plane and a shape that stands on it; the normal points out of the half plane. */
static void
meet_half_plane(const struct pair *p, struct vf_found *found, const struct vf_shape *plane,
    const struct vf_shape *other)
{
    struct vf_vec n = plane->normal[0];
    q lowest = NULL, end[2] = {NULL, NULL};
    int count = 0;
    for (int k = 0; k < other->n; k++) {
        q h = q_sub(p->pool, vf_dot(p->pool, n, other->corner[k]), plane->offset);
        q gap = q_sub(p->pool, h, other->radius);
        lowest = lowest == NULL ? gap : q_min(lowest, gap);
        if (side_of(p, gap) != 0) {
            continue;
        }
        q s = vf_cross(p->pool, n, other->corner[k]);
        struct vf_vec foot =
            vf_sub(p->pool, other->corner[k], vf_times(p->pool, h, n));
        if (count == 0 || q_less(s, end[0])) {
            end[0] = s;
            found->point[0] = foot;
        }
        if (count == 0 || q_less(end[1], s)) {
            end[1] = s;
            found->point[1] = foot;
        }
        count++;
    }
    int side = side_of(p, lowest);
    found->overlaps = side < 0;
    found->normal = n;
    found->count = side != 0 ? 0 : count > 2 ? 2 : count;
}

/* The row of materialPairs for two materials; NULL: they have no row. */
static const struct cn_material_pair *
pair_of(const struct cn_world_def *def, int a, int b)
{
    const struct cn_material_pair *found = NULL;
    for (int i = 0; found == NULL && i < def->material_pair_count; i++) {
        const struct cn_material_pair *row = &def->material_pairs[i];
        bool same = (row->a == a && row->b == b) || (row->a == b && row->b == a);
        found = same ? row : NULL;
    }
    return found;
}

bool
vf_scene_ignores(const struct cn_world_def *def, const struct vf_shape *a, const struct vf_shape *b)
{
    const struct cn_material_pair *pair = pair_of(def, a->material, b->material);
    return pair != NULL && (pair->has & CN_PAIR_IGNORE) != 0;
}

static q
friction_of(struct q_pool *pool, const struct cn_world_def *def, int a, int b)
{
    const struct cn_material_pair *pair = pair_of(def, a, b);
    if (pair != NULL && (pair->has & CN_PAIR_STATIC_FRICTION) != 0) {
        return q_of_double(pool, pair->static_friction);
    }
    if (pair != NULL && (pair->has & CN_PAIR_FRICTION) != 0) {
        return q_of_double(pool, pair->friction);
    }
    if (def->material_count == 0) {
        return q_int(pool, 0);
    }
    q x = q_of_double(pool, def->materials[a].static_friction);
    q y = q_of_double(pool, def->materials[b].static_friction);
    switch (def->settings.combine_friction) {
    case CN_COMBINE_MIN: return q_min(x, y);
    case CN_COMBINE_MAX: return q_max(x, y);
    case CN_COMBINE_AVERAGE: return q_div(pool, q_add(pool, x, y), q_int(pool, 2));
    default: return q_mul(pool, x, y);
    }
}

/* Whether a touching material does more than resist sliding; certificates do not support that. */
static bool
is_strange(const struct cn_world_def *def, int material)
{
    if (def->material_count == 0) {
        return false;
    }
    const struct cn_material_def *of = &def->materials[material];
    const cn_vec3 v = of->surface_velocity;
    return of->rolling_friction != 0.0 || of->spinning_friction != 0.0 || v.x != 0.0 ||
           v.y != 0.0 || v.z != 0.0;
}

/* The same of a pair with values of its own. */
static bool
is_strange_pair(const struct cn_material_pair *pair)
{
    if (pair == NULL) {
        return false;
    }
    const cn_vec3 v = pair->surface_velocity;
    bool runs = (pair->has & CN_PAIR_SURFACE) != 0 && (v.x != 0.0 || v.y != 0.0 || v.z != 0.0);
    return runs || ((pair->has & CN_PAIR_ROLLING) != 0 && pair->rolling_friction != 0.0) ||
           ((pair->has & CN_PAIR_SPINNING) != 0 && pair->spinning_friction != 0.0);
}

/* |normal . gravity| <= 10^-9 |gravity| */
static bool
is_side(struct vf_scene *scene, struct vf_vec normal)
{
    q steep = vf_dot(&scene->pool, normal, scene->gravity);
    q g = vf_dot(&scene->pool, scene->gravity, scene->gravity);
    q wall = q_mul(&scene->pool, g, q_ratio(&scene->pool, 1, 1000000000000000000));
    return !q_less(wall, q_mul(&scene->pool, steep, steep));
}

static struct vf_contact *
fresh_contact(struct vf_scene *scene)
{
    if (scene->contact_count == scene->contact_room) {
        scene->contact_room = 2 * scene->contact_room + 16;
        struct vf_contact *more = vf_alloc((size_t)scene->contact_room, sizeof(*scene->contact));
        for (int k = 0; k < scene->contact_count; k++) {
            more[k] = scene->contact[k];
        }
        free(scene->contact);
        scene->contact = more;
    }
    return &scene->contact[scene->contact_count++];
}

const char *
vf_scene_keep(struct vf_scene *scene, const struct cn_world_def *def, const struct vf_shape *a,
    const struct vf_shape *b, const struct vf_found *found, bool side_contacts, bool friction)
{
    bool says = found->count > 0 || found->overlaps;
    bool is_level = says && is_side(scene, found->normal);
    if (found->overlaps && (side_contacts || !is_level)) {
        return "bodies of the scene overlap";
    }
    scene->sides_left_out = scene->sides_left_out || (is_level && !side_contacts);
    if (found->count == 0 || (is_level && !side_contacts)) {
        return NULL;
    }
    if (friction && (is_strange(def, a->material) || is_strange(def, b->material) ||
                        is_strange_pair(pair_of(def, a->material, b->material)))) {
        return "the scene has rolling or spinning friction, or surfaces that run, where it touches";
    }
    q mu = friction_of(&scene->pool, def, a->material, b->material);
    scene->friction_left_out = scene->friction_left_out || (!friction && mpq_sgn(mu) > 0);
    for (int i = 0; i < found->count; i++) {
        *fresh_contact(scene) = (struct vf_contact){
            .a = a->body,
            .b = b->body,
            .point = found->point[i],
            .normal = found->normal,
            .friction = friction ? mu : q_int(&scene->pool, 0),
            .bears = !is_level,
        };
    }
    return NULL;
}

const char *
vf_scene_meet(struct vf_scene *scene, const struct cn_world_def *def, const struct vf_shape *a,
    const struct vf_shape *b, bool side_contacts, bool friction)
{
    size_t mark = q_mark(&scene->pool);
    struct pair p = {.scene = scene, .pool = &scene->pool, .a = a, .b = b};
    q extent = a->n == 0 ? b->extent : b->n == 0 ? a->extent : q_min(a->extent, b->extent);
    p.near = q_mul(p.pool, extent, q_ratio(p.pool, 1, 1000000));
    p.along = q_mul(p.pool, extent, q_ratio(p.pool, 1, 1000000000000));
    struct vf_found found = {.count = 0};
    bool flip = b->n == 0 || (a->is_disc && b->n >= 3);
    const struct vf_shape *first = flip ? b : a, *second = flip ? a : b;
    bool has_capsule = a->n == 2 || b->n == 2;
    if (first->n == 0) {
        meet_half_plane(&p, &found, first, second);
    } else if (has_capsule) {
        flip = false;
        vf_capsule_meet(scene, a, b, p.near, &found);
    } else if (first->is_disc) {
        meet_centers(
            &p, &found, first->corner[0], first->radius, second->corner[0], second->radius);
    } else if (second->is_disc) {
        meet_disc(&p, &found, first, second);
    } else {
        flip = false;
        meet_outlines(&p, &found);
    }
    if ((found.count > 0 || found.overlaps) && flip) {
        found.normal = vf_times(p.pool, q_int(p.pool, -1), found.normal);
    }
    int before = scene->contact_count;
    const char *why = vf_scene_keep(scene, def, a, b, &found, side_contacts, friction);
    if (scene->contact_count == before) {
        q_release(&scene->pool, mark);
    }
    return why;
}
