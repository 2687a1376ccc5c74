/*
 * fast_planar_round.c: discs against everything that has vertices.
 *
 * The nearest point of A's core to the middle of the disc gives the normal; within the core, where
 * nothing is nearest, the edge through which the way out is shortest.  There is never more than one
 * point, so that it needs no name.
 */
#include "engine/collide/fast_planar_pair.h"

/*
 * Core points nearer than this part of the sum of the radii have no direction between them that
 * rounding leaves.
 */
#define NEAR 1e-5f

struct round {
    struct cn_fvec2 between; /* of the middles, world axes */
    float radius, reach;     /* sum of the roundings, and with the margin */
};

static inline struct round
round_of(const struct cn_fast_placed2 *a, const struct cn_fast_placed2 *b, float margin)
{
    float radius = a->radius + b->radius;
    return (struct round){
        {(float)(b->x - a->x), (float)(b->y - a->y)}, radius, radius + margin};
}

/* One point from A's core point `from`, which is seen from A's middle; world axes. */
static inline void
put(const struct cn_fast_placed2 *a, const struct cn_fast_placed2 *b, const struct round *round,
    struct cn_fvec2 from, struct cn_fvec2 normal, float distance, struct cn_manifold2 *manifold)
{
    float separation = distance - round->radius;
    struct cn_fvec2 p = cn_fvec2_add_scaled(from, a->radius + 0.5f * separation, normal);
    struct cn_point2 *point = &manifold->point[0];
    manifold->normal_x = normal.x;
    manifold->normal_y = normal.y;
    manifold->point_count = 1;
    point->anchor_ax = a->arm_x + p.x;
    point->anchor_ay = a->arm_y + p.y;
    point->anchor_bx = b->arm_x + (p.x - round->between.x);
    point->anchor_by = b->arm_y + (p.y - round->between.y);
    point->separation = separation;
}

/* The same, seen with A's axes. */
static inline void
put_turned(const struct cn_fast_placed2 *a, const struct cn_fast_placed2 *b,
    const struct round *round, struct cn_fvec2 from, struct cn_fvec2 normal, float distance,
    struct cn_manifold2 *manifold)
{
    struct cn_fvec2 axis = {a->axis_x, a->axis_y};
    put(a, b, round, cn_fvec2_turn(axis, from), cn_fvec2_turn(axis, normal), distance, manifold);
}

void
cn_fast_pair2_circles(const struct cn_fast_placed2 *a, const struct cn_fast_placed2 *b,
    float margin, struct cn_manifold2 *manifold)
{
    struct round round = round_of(a, b, margin);
    struct cn_fvec2 d = round.between;
    float square = cn_fvec2_dot(d, d);
    if (!(square <= round.reach * round.reach)) {
        return;
    }
    float distance = sqrtf(square);
    struct cn_fvec2 normal = {0.0f, 1.0f};
    if (distance > NEAR * round.radius) {
        float scale = 1.0f / distance;
        normal = (struct cn_fvec2){scale * d.x, scale * d.y};
    }
    put(a, b, &round, (struct cn_fvec2){0.0f, 0.0f}, normal, distance, manifold);
}

/* Capsules, boxes: the middle of the disc against a rectangle, which may be flat. */
void
cn_fast_pair2_box_circle(const struct cn_fast_placed2 *a, const struct cn_fast_placed2 *b,
    float margin, struct cn_manifold2 *manifold)
{
    struct round round = round_of(a, b, margin);
    struct cn_fvec2 c = cn_fvec2_turn_back((struct cn_fvec2){a->axis_x, a->axis_y}, round.between);
    struct cn_fvec2 nearest = {cn_fmax(-a->half_x, cn_fmin(c.x, a->half_x)),
        cn_fmax(-a->half_y, cn_fmin(c.y, a->half_y))};
    struct cn_fvec2 d = cn_fvec2_sub(c, nearest);
    float square = cn_fvec2_dot(d, d);
    if (!(square <= round.reach * round.reach)) {
        return;
    }
    float distance = sqrtf(square);
    struct cn_fvec2 normal;
    if (distance > NEAR * round.radius) {
        float scale = 1.0f / distance;
        normal = (struct cn_fvec2){scale * d.x, scale * d.y};
    } else {
        float side_x = fabsf(c.x) - a->half_x, side_y = fabsf(c.y) - a->half_y;
        if (side_x > side_y) {
            normal = (struct cn_fvec2){c.x < 0.0f ? -1.0f : 1.0f, 0.0f};
            nearest.x = normal.x * a->half_x;
            distance = side_x;
        } else {
            normal = (struct cn_fvec2){0.0f, c.y < 0.0f ? -1.0f : 1.0f};
            nearest.y = normal.y * a->half_y;
            distance = side_y;
        }
    }
    put_turned(a, b, &round, nearest, normal, distance, manifold);
}

void
cn_fast_pair2_polygon_circle(const struct cn_fast_placed2 *a, const struct cn_fast_placed2 *b,
    float margin, struct cn_manifold2 *manifold)
{
    struct round round = round_of(a, b, margin);
    struct cn_fvec2 c = cn_fvec2_turn_back((struct cn_fvec2){a->axis_x, a->axis_y}, round.between);
    const struct cn_fast_shape2 *core = a->piece;
    int best = 0;
    float side = -HUGE_VALF;
    for (int i = 0; i < core->vertex_count; i++) {
        float s = core->normal_x[i] * c.x + core->normal_y[i] * c.y - core->offset[i];
        best = s > side ? i : best;
        side = s > side ? s : side;
    }
    if (!(side <= round.reach)) {
        return;
    }
    int next = best + 1 < core->vertex_count ? best + 1 : 0;
    struct cn_fvec2 normal = {core->normal_x[best], core->normal_y[best]};
    struct cn_fvec2 from = {core->vertex_x[best], core->vertex_y[best]};
    struct cn_fvec2 to = {core->vertex_x[next], core->vertex_y[next]};
    struct cn_fvec2 along = {-normal.y, normal.x};
    float before = cn_fvec2_dot(cn_fvec2_sub(c, from), along);
    float after = cn_fvec2_dot(cn_fvec2_sub(c, to), along);
    if (side > NEAR * round.radius && (before < 0.0f || after > 0.0f)) {
        struct cn_fvec2 corner = before < 0.0f ? from : to;
        struct cn_fvec2 d = cn_fvec2_sub(c, corner);
        float square = cn_fvec2_dot(d, d);
        if (!(square <= round.reach * round.reach)) {
            return;
        }
        float distance = sqrtf(square), scale = 1.0f / distance;
        normal = (struct cn_fvec2){scale * d.x, scale * d.y};
        put_turned(a, b, &round, corner, normal, distance, manifold);
        return;
    }
    from = cn_fvec2_add_scaled(c, -side, normal);
    put_turned(a, b, &round, from, normal, side, manifold);
}
