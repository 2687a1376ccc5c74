/*
 * fast_planar_polygon.c: capsules, boxes and polygons against each other, in A's frame.
 *
 *     side of an edge    the least distance of the other core's vertices from the edge's line,
 *                        along its outward normal
 *     reference edge     of all edges the one with the largest side: where that is negative the
 *                        cores overlap, and it is the shortest way out
 *     incident edge      of the other core the one that faces the reference most
 *
 * The points are the two ends of the interval along the reference edge that the incident edge
 * covers, each between the incident edge and the reference line.  There is only one point if the
 * cores are apart and a corner of the reference is nearer to the incident edge than these two.  It
 * is between that corner and the nearest point of the edge.
 *
 * The hint: bit 15: it is set; bit 14: the reference is B's; 6 bits for the reference and 6 for the
 * incident edge.
 *
 * Only real edges of a BORDER are references or incident edges.  If the other core gives the
 * normal, the BORDER's corner must have that normal in its sector, because other normals are not
 * the outline's.
 *
 * Sides are computed four edges at a time; lanes beyond the last edge repeat the first one.
 */
#include "engine/base/assert.h"
#include "engine/collide/fast/fast_planar_pair.h"

#include <stdbool.h>
#include <string.h>

#if defined(CN_SIMD_X86)
#define CN_WIDE_SSE2
#elif defined(CN_SIMD_ARM)
#define CN_WIDE_NEON
#else
#define CN_WIDE_PLAIN
#endif
#include "engine/math/wide.h"

#define LANES CN_WIDE_LANES
_Static_assert(CN_FAST_VERTICES_MAX % LANES == 0, "cores are whole lanes");

#define HINT_KNOWN 0x8000U
#define HINT_OF_B 0x4000U

/* Like wide_load and wide_store, at any address of a float. */
static inline cn_wide
load(const float *p)
{
    cn_wide a;
    memcpy(&a, p, sizeof(a));
    return a;
}

static inline void
store(float *p, cn_wide a)
{
    memcpy(p, &a, sizeof(a));
}

/* A core in the frame of A's piece. */
struct core {
    int count;
    float radius;
    const float *vertex_x, *vertex_y, *normal_x, *normal_y, *offset;
    const struct cn_fast_shape2 *border; /* NULL: all edges are real */
    struct cn_fvec2 turn;                /* rotation of the piece's own frame */
};

static inline struct core
core_of(const struct cn_fast_shape2 *piece, struct cn_fvec2 turn, struct cn_fast_room2 *room)
{
    struct cn_fast_core2 own = cn_fast_core2_of(piece, room);
    return (struct core){own.count, piece->radius, own.vertex_x, own.vertex_y, own.normal_x,
        own.normal_y, own.offset, piece->form == CN_FAST2_BORDER ? piece : NULL, turn};
}

/* Rotates and moves a core to A's frame; `room` may be the memory that holds it. */
static inline void
move(struct core *core, struct cn_fvec2 place, struct cn_fast_room2 *room)
{
    cn_wide c = wide_splat(core->turn.x), s = wide_splat(core->turn.y);
    cn_wide x = wide_splat(place.x), y = wide_splat(place.y);
    for (int i = 0; i < core->count; i += LANES) {
        cn_wide vx = load(core->vertex_x + i), vy = load(core->vertex_y + i);
        cn_wide nx = load(core->normal_x + i), ny = load(core->normal_y + i);
        cn_wide mx = c * nx - s * ny, my = s * nx + c * ny;
        store(room->offset + i, load(core->offset + i) + (mx * x + my * y));
        store(room->vertex_x + i, x + (c * vx - s * vy));
        store(room->vertex_y + i, y + (s * vx + c * vy));
        store(room->normal_x + i, mx);
        store(room->normal_y + i, my);
    }
    core->vertex_x = room->vertex_x;
    core->vertex_y = room->vertex_y;
    core->normal_x = room->normal_x;
    core->normal_y = room->normal_y;
    core->offset = room->offset;
}

/* Whether a corner of a core may touch along a normal out of it, in A's frame. */
static inline bool
admits(const struct core *core, int vertex, struct cn_fvec2 normal)
{
    return core->border == NULL || cn_fast_border2_admits(core->border, vertex,
                                       cn_fvec2_turn_back(core->turn, normal),
                                       CN_FAST2_SECTOR_SLACK);
}

/* Computes the sides of all edges of `owner`; returns the first of the largest. */
static inline int
find_sides(const struct core *owner, const struct core *other, float *side)
{
    for (int i = 0; i < owner->count; i += LANES) {
        cn_wide nx = load(owner->normal_x + i), ny = load(owner->normal_y + i);
        cn_wide least =
            nx * wide_splat(other->vertex_x[0]) + ny * wide_splat(other->vertex_y[0]);
        for (int j = 1; j < other->count; j++) {
            least = wide_min(
                least, nx * wide_splat(other->vertex_x[j]) + ny * wide_splat(other->vertex_y[j]));
        }
        store(side + i, least - load(owner->offset + i));
    }
    int best = 0;
    for (int i = 1; i < owner->count; i++) {
        best = side[i] > side[best] ? i : best;
    }
    return best;
}

static inline struct cn_fvec2
vertex_of(const struct core *core, int i)
{
    return (struct cn_fvec2){core->vertex_x[i], core->vertex_y[i]};
}

static inline struct cn_fvec2
normal_of(const struct core *core, int i)
{
    return (struct cn_fvec2){core->normal_x[i], core->normal_y[i]};
}

static inline int
next_of(const struct core *core, int i)
{
    return i + 1 < core->count ? i + 1 : 0;
}

/* The edge that faces a direction most, or `last` if it is as good; last < 0: unknown. */
static inline int
find_incident(const struct core *core, struct cn_fvec2 normal, int last)
{
    float facing[CN_POLYGON_VERTICES_MAX];
    cn_wide x = wide_splat(normal.x), y = wide_splat(normal.y);
    for (int i = 0; i < core->count; i += LANES) {
        store(
            facing + i, x * load(core->normal_x + i) + y * load(core->normal_y + i));
    }
    int best = 0;
    for (int i = 1; i < core->count; i++) {
        best = facing[i] < facing[best] ? i : best;
    }
    if (last >= 0 && last < core->count && facing[last] <= facing[best] + CN_FAST2_FACING_TIE) {
        return last;
    }
    return best;
}

/* The reference edge, and the edge that faces it. */
struct facing {
    const struct cn_fast_placed2 *a, *b;
    struct cn_fvec2 place; /* of B's middle, in A's frame */
    const struct core *owner, *other;
    bool of_b; /* the owner of the reference is B */
    int reference, incident;
    float side, margin, tie;
    float floor; /* of distances: no point is nearer, because the cores are farther apart */
    struct cn_manifold2 *manifold;
};

/* Writes the manifold's normal; `normal` is in A's frame, from the owner to the other. */
static inline void
put_normal(const struct facing *f, struct cn_fvec2 normal)
{
    struct cn_fvec2 n = cn_fvec2_turn((struct cn_fvec2){f->a->axis_x, f->a->axis_y}, normal);
    f->manifold->normal_x = f->of_b ? -n.x : n.x;
    f->manifold->normal_y = f->of_b ? -n.y : n.y;
}

static inline void
put_point(const struct facing *f, struct cn_fvec2 place, float separation, int of_owner,
    int of_other)
{
    struct cn_fvec2 axis = {f->a->axis_x, f->a->axis_y};
    struct cn_fvec2 from_a = cn_fvec2_turn(axis, place);
    struct cn_fvec2 from_b = cn_fvec2_turn(axis, cn_fvec2_sub(place, f->place));
    int of_a = f->of_b ? of_other : of_owner, of_b = f->of_b ? of_owner : of_other;
    CN_ASSERT(f->manifold->point_count < CN_POINTS_PLANAR_MAX);
    struct cn_point2 *point = &f->manifold->point[f->manifold->point_count++];
    point->anchor_ax = f->a->arm_x + from_a.x;
    point->anchor_ay = f->a->arm_y + from_a.y;
    point->anchor_bx = f->b->arm_x + from_b.x;
    point->anchor_by = f->b->arm_y + from_b.y;
    point->separation = separation;
    point->feature = 1U + ((uint32_t)of_a << 8 | (uint32_t)of_b);
}

/* An end of the interval: a position on the incident edge, and the corners there. */
struct end {
    struct cn_fvec2 place;
    float distance; /* from the reference line, between the cores */
    int of_owner, of_other;
};

static inline void
keep(const struct facing *f, const struct end *end, struct cn_fvec2 normal)
{
    float separation = end->distance - (f->owner->radius + f->other->radius);
    if (separation <= f->margin && end->distance >= f->floor) {
        float back = 0.5f * (f->owner->radius - f->other->radius - end->distance);
        put_point(f, cn_fvec2_add_scaled(end->place, back, normal), separation, end->of_owner,
            end->of_other);
    }
}

/*
 * Tests a corner of the reference edge against the incident edge: its inside or its corners.  True
 * if their distance is less than `nearest`.
 */
static bool
meet_corner(const struct facing *f, int corner, float nearest)
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
        if (!(distance > f->tie)) {
            return false; /* no reliable direction */
        }
        float scale = 1.0f / distance;
        normal = (struct cn_fvec2){scale * apart.x, scale * apart.y};
        if (!admits(f->other, vertex, (struct cn_fvec2){-normal.x, -normal.y})) {
            return false;
        }
    } else {
        normal = normal_of(f->other, i21);
        normal = (struct cn_fvec2){-normal.x, -normal.y};
        distance = cn_fvec2_dot(apart, normal);
    }
    if (!(distance + f->tie < nearest) || !admits(f->owner, corner, normal)) {
        return false;
    }
    float separation = distance - (f->owner->radius + f->other->radius);
    if (separation <= f->margin) {
        float out = f->owner->radius + 0.5f * separation;
        put_normal(f, normal);
        put_point(f, cn_fvec2_add_scaled(from, out, normal), separation, corner, vertex);
    }
    return true;
}

/* Clips the incident edge to the reference edge, or finds a corner that is nearer. */
static void
meet(const struct facing *f)
{
    int i11 = f->reference, i12 = next_of(f->owner, i11);
    int i21 = f->incident, i22 = next_of(f->other, i21);
    struct cn_fvec2 normal = normal_of(f->owner, i11), along = {-normal.y, normal.x};
    struct cn_fvec2 v11 = vertex_of(f->owner, i11), v12 = vertex_of(f->owner, i12);
    struct cn_fvec2 v21 = vertex_of(f->other, i21), v22 = vertex_of(f->other, i22);

    /* Edges that face each other run in opposite directions. */
    struct cn_fvec2 high = cn_fvec2_sub(v21, v11), low = cn_fvec2_sub(v22, v11);
    float length = cn_fvec2_dot(cn_fvec2_sub(v12, v11), along);
    float high_along = cn_fvec2_dot(high, along), low_along = cn_fvec2_dot(low, along);
    float high_distance = cn_fvec2_dot(high, normal), low_distance = cn_fvec2_dot(low, normal);
    struct end end[2] = {{v22, low_distance, i11, i22}, {v21, high_distance, i12, i21}};
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

    /* The nearest vertex of the incident edge, where it is beyond the reference's ends. */
    bool is_low = low_distance < high_distance;
    float foot = is_low ? low_along : high_along;
    if (f->side > (covers ? f->tie : -f->tie) && (foot < 0.0f || foot > length)) {
        float nearest = covers ? cn_fmin(end[0].distance, end[1].distance) : HUGE_VALF;
        if (meet_corner(f, foot < 0.0f ? i11 : i12, nearest)) {
            return;
        }
    }
    put_normal(f, normal);
    if (covers) {
        keep(f, &end[0], normal);
        keep(f, &end[1], normal);
    } else if (f->owner->border == NULL && f->other->border == NULL) {
        keep(f, &end[is_low ? 0 : 1], normal); /* a deep overlap beside both edges */
    }
}

/* Takes the edges of the last tick if they are as good as the best. */
static inline void
recall(struct facing *f, uint32_t hint, const struct core *core_a, const struct core *core_b,
    const float *side_a, const float *side_b)
{
    bool of_b = (hint & HINT_OF_B) != 0;
    int edge = (int)(hint >> 6 & 63), last = -1;
    if ((hint & HINT_KNOWN) != 0 && edge < (of_b ? core_b : core_a)->count) {
        float side = (of_b ? side_b : side_a)[edge];
        if (side >= f->side - f->tie) {
            f->of_b = of_b;
            f->reference = edge;
            f->side = side;
            last = (int)(hint & 63);
        }
    }
    f->owner = f->of_b ? core_b : core_a;
    f->other = f->of_b ? core_a : core_b;
    f->incident = find_incident(f->other, normal_of(f->owner, f->reference), last);
}

static int
support_of(const struct core *core, struct cn_fvec2 normal)
{
    int best = 0;
    float least = HUGE_VALF;
    for (int i = 0; i < core->count; i++) {
        float along = cn_fvec2_dot(normal, vertex_of(core, i));
        best = along < least ? i : best;
        least = cn_fmin(least, along);
    }
    return best;
}

/* How far a core is above the line through a corner of another one. */
static float
side_above(const struct core *core, struct cn_fvec2 corner, struct cn_fvec2 normal)
{
    float along = cn_fvec2_dot(normal, vertex_of(core, support_of(core, normal)));
    return along - cn_fvec2_dot(normal, corner);
}

/* Whether the outline's next edge at a corner is a shorter way out than `side`. */
static bool
is_neighbours(const struct core *owner, int corner, struct cn_fvec2 neighbour,
    const struct core *other, float side)
{
    return (owner->border->sectors >> corner & 1) != 0 &&
           (owner->border->ends >> corner & 1) == 0 &&
           side_above(other, vertex_of(owner, corner), cn_fvec2_turn(owner->turn, neighbour)) >
               side;
}

/* Whether the other core has crossed this real edge of a BORDER, or is above it. */
static bool
owns(const struct core *owner, int edge, const struct core *other, float side, float tie)
{
    const struct cn_fast_shape2 *border = owner->border;
    if (border == NULL || side > 0.0f) {
        return true;
    }
    struct cn_fvec2 normal = normal_of(owner, edge), back = {-normal.x, -normal.y};
    float radius = other->radius;
    int next = next_of(owner, edge);
    if (!border->one_sided && other->border == NULL &&
        side_above(other, vertex_of(owner, edge), back) > radius) {
        return false; /* all of it is inside: for a piece of a larger shape that says nothing */
    }
    return !is_neighbours(owner, edge, cn_fast_border2_first(border, edge), other, side + tie) &&
           !is_neighbours(owner, next, cn_fast_border2_last(border, next), other, side + tie);
}

/*
 * Like recall, if one core is a BORDER: chooses the real edge with the largest side whose normal
 * the other core has too.  False: not found.
 */
static bool
choose(struct facing *f, uint32_t hint, const struct core *core_a, const struct core *core_b,
    const float *side_a, const float *side_b)
{
    float best = -HUGE_VALF;
    f->floor = f->side > 0.0f ? f->side - f->tie : -HUGE_VALF; /* of any edge until now */
    for (int turn = 0; turn < 2; turn++) {
        const struct core *owner = turn == 0 ? core_a : core_b;
        const struct core *other = turn == 0 ? core_b : core_a;
        uint32_t edges = HINT_KNOWN | (turn == 0 ? 0U : HINT_OF_B);
        for (int i = 0; i < owner->count; i++) {
            float side = (turn == 0 ? side_a : side_b)[i];
            float worth = side + ((hint >> 6) == (edges >> 6 | (uint32_t)i) ? f->tie : 0.0f);
            if (worth <= best || (owner->border != NULL && !(owner->border->borders >> i & 1))) {
                continue;
            }
            if (!owns(owner, i, other, side, f->tie)) {
                continue;
            }
            struct cn_fvec2 normal = normal_of(owner, i);
            int support = support_of(other, normal), incident = -1;
            if (other->border == NULL) {
                incident = find_incident(other, normal, -1);
            } else if (admits(other, support, (struct cn_fvec2){-normal.x, -normal.y}) &&
                       (owner->border != NULL ||
                           side_above(owner, vertex_of(other, support), normal) <=
                               owner->radius)) {
                incident = cn_fast_border2_incident(
                    other->border, other->normal_x, other->normal_y, support, normal);
            }
            if (incident >= 0) {
                best = worth;
                f->of_b = turn == 1;
                f->owner = owner;
                f->other = other;
                f->reference = i;
                f->incident = incident;
                f->side = side;
            }
        }
    }
    return best > -HUGE_VALF;
}

/* Whether the middle of the other core is behind the wall. */
static inline bool
is_behind(const struct core *wall, struct cn_fvec2 middle)
{
    return wall->border != NULL && wall->border->one_sided &&
           cn_fvec2_dot(normal_of(wall, 0), middle) < wall->offset[0];
}

void
cn_fast_pair2_polygons(const struct cn_fast_placed2 *a, const struct cn_fast_placed2 *b,
    float margin, struct cn_manifold2 *manifold)
{
    struct cn_fvec2 axis_a = {a->axis_x, a->axis_y}, axis_b = {b->axis_x, b->axis_y};
    struct cn_fvec2 between = {(float)(b->x - a->x), (float)(b->y - a->y)};
    struct cn_fvec2 place = cn_fvec2_turn_back(axis_a, between), origin = {0.0f, 0.0f};
    struct cn_fast_room2 room_a, room_b;
    struct core core_a = core_of(a->piece, (struct cn_fvec2){1.0f, 0.0f}, &room_a);
    struct core core_b = core_of(b->piece, cn_fvec2_turn_back(axis_a, axis_b), &room_b);
    CN_ASSERT(core_a.count >= 2 && core_b.count >= 2); /* both have edges */
    move(&core_b, place, &room_b);
    float side_a[CN_POLYGON_VERTICES_MAX], side_b[CN_POLYGON_VERTICES_MAX];
    float reach = a->radius + b->radius + margin;
    int edge_a = find_sides(&core_a, &core_b, side_a);
    if (!(side_a[edge_a] <= reach)) {
        return;
    }
    int edge_b = find_sides(&core_b, &core_a, side_b);
    if (!(side_b[edge_b] <= reach)) {
        return;
    }
    bool of_b = side_b[edge_b] > side_a[edge_a];
    struct facing f = {
        .a = a,
        .b = b,
        .place = place,
        .of_b = of_b,
        .reference = of_b ? edge_b : edge_a,
        .side = of_b ? side_b[edge_b] : side_a[edge_a],
        .margin = margin,
        .tie = CN_FAST2_TIE * margin,
        .floor = -HUGE_VALF,
        .manifold = manifold,
    };
    if (core_a.border == NULL && core_b.border == NULL) {
        recall(&f, manifold->hint, &core_a, &core_b, side_a, side_b);
    } else if (is_behind(&core_a, place) || is_behind(&core_b, origin) ||
               !choose(&f, manifold->hint, &core_a, &core_b, side_a, side_b)) {
        return;
    }
    CN_ASSERT(f.reference < f.owner->count && f.incident < f.other->count);
    meet(&f);
    manifold->hint = HINT_KNOWN | (f.of_b ? HINT_OF_B : 0U) | (uint32_t)f.reference << 6 |
                     (uint32_t)f.incident;
}

void
cn_fast_meet_polygons(const struct cn_fast_task2 *task, float margin)
{
    cn_manifold2_clear(task->now, task->last);
    cn_fast_pair2_polygons(task->a, task->b, margin, task->now);
    cn_manifold2_carry(task->last, task->now);
}
