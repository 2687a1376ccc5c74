/*
 * fast_planar_polygon.c: capsules, boxes and polygons against each other.
 *
 *     side of an edge    the least distance of the other core's vertices from the edge's line,
 *                        along its outward normal
 *     reference edge     of all edges the one with the largest side: no larger one means that the
 *                        cores overlap where it is negative, and are apart where it is positive
 *     incident edge      of the other core the one that faces the reference most
 *
 * The points are the two ends of the interval along the reference edge that the incident edge
 * covers, each between the incident edge and the reference line.  Where the cores are apart and
 * two corners are nearer to each other than these, there is one point, between the corners.
 *
 * The hint: bit 15: there is one; bit 14: the reference is B's; 6 bits each of reference, incident.
 */
#include "engine/collide/fast_planar_pair.h"

#include <stdbool.h>

#define HINT_KNOWN 0x8000U
#define HINT_OF_B 0x4000U
/* The incident edge stays while it faces the reference as well as the best, up to this cosine. */
#define FACING_TIE 0.02f

/* A core in the frame of A's piece. */
struct core {
    int count;
    const float *vertex_x, *vertex_y, *normal_x, *normal_y, *offset;
};

/* The vertices and edges of B's piece turned and moved to A's frame. */
struct moved {
    float vertex_x[CN_FAST_VERTICES_MAX], vertex_y[CN_FAST_VERTICES_MAX];
    float normal_x[CN_FAST_VERTICES_MAX], normal_y[CN_FAST_VERTICES_MAX];
    float offset[CN_FAST_VERTICES_MAX];
};

static void
move(const struct cn_fast_shape2 *b, const struct cn_fast_pose2 *pose, struct moved *moved)
{
    float c = pose->turn_b.x, s = pose->turn_b.y, x = pose->place_b.x, y = pose->place_b.y;
    for (int i = 0; i < b->vertex_count; i++) {
        moved->vertex_x[i] = x + (c * b->vertex_x[i] - s * b->vertex_y[i]);
        moved->vertex_y[i] = y + (s * b->vertex_x[i] + c * b->vertex_y[i]);
        float nx = c * b->normal_x[i] - s * b->normal_y[i];
        float ny = s * b->normal_x[i] + c * b->normal_y[i];
        moved->normal_x[i] = nx;
        moved->normal_y[i] = ny;
        moved->offset[i] = b->offset[i] + (nx * x + ny * y);
    }
}

/* The sides of all edges of `owner`; the first of the largest. */
static int
find_sides(const struct core *owner, const struct core *other, float *side)
{
    int best = 0;
    for (int i = 0; i < owner->count; i++) {
        float nx = owner->normal_x[i], ny = owner->normal_y[i];
        float least = nx * other->vertex_x[0] + ny * other->vertex_y[0];
        for (int j = 1; j < other->count; j++) {
            least = cn_fmin(least, nx * other->vertex_x[j] + ny * other->vertex_y[j]);
        }
        side[i] = least - owner->offset[i];
        best = side[i] > side[best] ? i : best;
    }
    return best;
}

static struct cn_fvec2
vertex_of(const struct core *core, int i)
{
    return (struct cn_fvec2){core->vertex_x[i], core->vertex_y[i]};
}

static int
next_of(const struct core *core, int i)
{
    return i + 1 < core->count ? i + 1 : 0;
}

/* The edge that faces a direction most, or `last` where that is as good; last < 0: none. */
static int
find_incident(const struct core *core, struct cn_fvec2 normal, int last)
{
    float facing[CN_FAST_VERTICES_MAX];
    int best = 0;
    for (int i = 0; i < core->count; i++) {
        facing[i] = normal.x * core->normal_x[i] + normal.y * core->normal_y[i];
        best = facing[i] < facing[best] ? i : best;
    }
    if (last >= 0 && last < core->count && facing[last] <= facing[best] + FACING_TIE) {
        return last;
    }
    return best;
}

/* The reference edge with what faces it. */
struct facing {
    const struct core *owner, *other;
    bool of_b;
    int reference, incident;
    float side;
};

/* An end of the interval: a place on the incident edge, and the corners that are there. */
struct end {
    struct cn_fvec2 place;
    float distance; /* from the reference line, between the cores */
    int of_owner, of_other;
};

static uint32_t
feature_of(const struct facing *f, int of_owner, int of_other)
{
    int a = f->of_b ? of_other : of_owner, b = f->of_b ? of_owner : of_other;
    return 1U + ((uint32_t)a << 8 | (uint32_t)b);
}

/* Radii of the owner of the reference and of the other. */
struct radii {
    float owner, other;
};

static void
keep(const struct facing *f, struct radii radii, const struct end *end, struct cn_fvec2 normal,
    float margin, struct cn_fast_found2 *found)
{
    float separation = end->distance - (radii.owner + radii.other);
    if (!(separation <= margin)) {
        return;
    }
    int k = found->count++;
    float back = 0.5f * (radii.owner - radii.other - end->distance);
    found->point[k] = cn_fvec2_add_scaled(end->place, back, normal);
    found->separation[k] = separation;
    found->feature[k] = feature_of(f, end->of_owner, end->of_other);
}

/* One point, of a corner of the reference and what is `distance` from it along a normal. */
static void
keep_corner(const struct facing *f, struct radii radii, struct cn_fvec2 corner,
    struct cn_fvec2 normal, float distance, uint32_t feature, struct cn_fast_found2 *found)
{
    float separation = distance - (radii.owner + radii.other);
    found->count = 1;
    found->point[0] = cn_fvec2_add_scaled(corner, radii.owner + 0.5f * separation, normal);
    found->separation[0] = separation;
    found->feature[0] = feature;
    found->normal = f->of_b ? (struct cn_fvec2){-normal.x, -normal.y} : normal;
}

/*
 * A corner of the reference edge against the incident edge, a corner of it or its inner; true where
 * that is nearer than `nearest`.
 */
static bool
meet_corner(const struct facing *f, struct radii radii, int corner, float nearest,
    const struct cn_fast_pose2 *pose, struct cn_fast_found2 *found)
{
    int i21 = f->incident, i22 = next_of(f->other, i21), vertex = i21;
    struct cn_fvec2 from = vertex_of(f->owner, corner);
    struct cn_fvec2 v21 = vertex_of(f->other, i21), v22 = vertex_of(f->other, i22);
    struct cn_fvec2 along = cn_fvec2_sub(v22, v21), apart = cn_fvec2_sub(v21, from);
    struct cn_fvec2 normal;
    float distance;
    bool beyond = cn_fvec2_dot(apart, along) >= 0.0f;
    if (!beyond && cn_fvec2_dot(cn_fvec2_sub(v22, from), along) < 0.0f) {
        beyond = true;
        vertex = i22;
        apart = cn_fvec2_sub(v22, from);
    }
    if (beyond) {
        distance = sqrtf(cn_fvec2_dot(apart, apart));
        if (!(distance > pose->tie)) {
            return false; /* no direction to rely on */
        }
        float scale = 1.0f / distance;
        normal = (struct cn_fvec2){scale * apart.x, scale * apart.y};
    } else {
        normal = (struct cn_fvec2){-f->other->normal_x[i21], -f->other->normal_y[i21]};
        distance = cn_fvec2_dot(apart, normal);
    }
    if (!(distance + pose->tie < nearest)) {
        return false;
    }
    if (distance - (radii.owner + radii.other) <= pose->margin) {
        keep_corner(f, radii, from, normal, distance, feature_of(f, corner, vertex), found);
    }
    return true;
}

/* Clips the incident edge to the reference edge, or finds two corners. */
static void
meet(const struct facing *f, struct radii radii, const struct cn_fast_pose2 *pose,
    struct cn_fast_found2 *found)
{
    int i11 = f->reference, i12 = next_of(f->owner, i11);
    int i21 = f->incident, i22 = next_of(f->other, i21);
    struct cn_fvec2 normal = {f->owner->normal_x[i11], f->owner->normal_y[i11]};
    struct cn_fvec2 along = {-normal.y, normal.x};
    struct cn_fvec2 v11 = vertex_of(f->owner, i11), v12 = vertex_of(f->owner, i12);
    struct cn_fvec2 v21 = vertex_of(f->other, i21), v22 = vertex_of(f->other, i22);

    /* Edges that face each other run in opposite directions. */
    struct cn_fvec2 high = cn_fvec2_sub(v21, v11), low = cn_fvec2_sub(v22, v11);
    float length = cn_fvec2_dot(cn_fvec2_sub(v12, v11), along);
    float high_along = cn_fvec2_dot(high, along), low_along = cn_fvec2_dot(low, along);
    float high_distance = cn_fvec2_dot(high, normal), low_distance = cn_fvec2_dot(low, normal);
    struct end end[2] = {
        {v22, low_distance, i11, i22},
        {v21, high_distance, i12, i21},
    };
    bool covers = high_along >= 0.0f && low_along <= length;
    float span = high_along - low_along;
    if (covers && low_along < 0.0f && span > 0.0f) {
        float t = -low_along / span;
        end[0].place = cn_fvec2_add_scaled(v22, t, cn_fvec2_sub(v21, v22));
        end[0].distance = low_distance + t * (high_distance - low_distance);
    }
    if (covers && high_along > length && span > 0.0f) {
        float t = (high_along - length) / span;
        end[1].place = cn_fvec2_add_scaled(v21, t, cn_fvec2_sub(v22, v21));
        end[1].distance = high_distance + t * (low_distance - high_distance);
    }

    bool is_low = low_distance < high_distance;
    float foot = is_low ? low_along : high_along;
    if (f->side > (covers ? pose->tie : -pose->tie) && (foot < 0.0f || foot > length)) {
        float nearest = covers ? cn_fmin(end[0].distance, end[1].distance) : HUGE_VALF;
        if (meet_corner(f, radii, foot < 0.0f ? i11 : i12, nearest, pose, found)) {
            return;
        }
    }
    if (covers) {
        keep(f, radii, &end[0], normal, pose->margin, found);
        keep(f, radii, &end[1], normal, pose->margin, found);
    } else {
        /* A deep overlap beside both edges. */
        keep(f, radii, &end[is_low ? 0 : 1], normal, pose->margin, found);
    }
    found->normal = f->of_b ? (struct cn_fvec2){-normal.x, -normal.y} : normal;
}

void
cn_fast_pair2_polygons(const struct cn_fast_placed2 *a, const struct cn_fast_placed2 *b,
    const struct cn_fast_pose2 *pose, uint32_t *hint, struct cn_fast_found2 *found)
{
    struct moved moved;
    move(b->piece, pose, &moved);
    const struct cn_fast_shape2 *of_a = a->piece;
    const struct core core_a = {a->vertex_count, of_a->vertex_x, of_a->vertex_y, of_a->normal_x,
        of_a->normal_y, of_a->offset};
    const struct core core_b = {b->vertex_count, moved.vertex_x, moved.vertex_y, moved.normal_x,
        moved.normal_y, moved.offset};
    float side_a[CN_FAST_VERTICES_MAX], side_b[CN_FAST_VERTICES_MAX];
    float reach = a->radius + b->radius + pose->margin;
    int edge_a = find_sides(&core_a, &core_b, side_a);
    if (!(side_a[edge_a] <= reach)) {
        return;
    }
    int edge_b = find_sides(&core_b, &core_a, side_b);
    if (!(side_b[edge_b] <= reach)) {
        return;
    }
    float best = cn_fmax(side_a[edge_a], side_b[edge_b]);
    bool of_b = side_b[edge_b] > side_a[edge_a];
    int incident = -1;
    if ((*hint & HINT_KNOWN) != 0) {
        bool was_b = (*hint & HINT_OF_B) != 0;
        int edge = (int)(*hint >> 6 & 63), count = was_b ? core_b.count : core_a.count;
        if (edge < count && (was_b ? side_b : side_a)[edge] >= best - pose->tie) {
            of_b = was_b;
            edge_a = was_b ? edge_a : edge;
            edge_b = was_b ? edge : edge_b;
            incident = (int)(*hint & 63);
        }
    }
    struct facing f = {of_b ? &core_b : &core_a, of_b ? &core_a : &core_b, of_b,
        of_b ? edge_b : edge_a, 0, of_b ? side_b[edge_b] : side_a[edge_a]};
    struct cn_fvec2 normal = {f.owner->normal_x[f.reference], f.owner->normal_y[f.reference]};
    f.incident = find_incident(f.other, normal, incident);
    struct radii radii = {of_b ? b->radius : a->radius, of_b ? a->radius : b->radius};
    meet(&f, radii, pose, found);
    *hint = HINT_KNOWN | (of_b ? HINT_OF_B : 0U) | (uint32_t)f.reference << 6 |
            (uint32_t)f.incident;
}
