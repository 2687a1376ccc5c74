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

void
cn_fast_pair2_circles(const struct cn_fast_placed2 *a, const struct cn_fast_placed2 *b,
    const struct cn_fast_pose2 *pose, uint32_t *hint, struct cn_fast_found2 *found)
{
    (void)hint;
    struct cn_fvec2 d = pose->place_b;
    float radius = a->radius + b->radius, reach = radius + pose->margin;
    float square = cn_fvec2_dot(d, d);
    if (!(square <= reach * reach)) {
        return;
    }
    float distance = sqrtf(square);
    struct cn_fvec2 normal = {0.0f, 1.0f};
    if (distance > NEAR * radius) {
        float scale = 1.0f / distance;
        normal = (struct cn_fvec2){scale * d.x, scale * d.y};
    }
    cn_fast_found2_point(found, a, b, (struct cn_fvec2){0.0f, 0.0f}, normal, distance);
}

void
cn_fast_pair2_capsule_circle(const struct cn_fast_placed2 *a, const struct cn_fast_placed2 *b,
    const struct cn_fast_pose2 *pose, uint32_t *hint, struct cn_fast_found2 *found)
{
    (void)hint;
    struct cn_fvec2 c = pose->place_b;
    struct cn_fvec2 nearest = {cn_fmax(-a->half_x, cn_fmin(c.x, a->half_x)), 0.0f};
    struct cn_fvec2 d = cn_fvec2_sub(c, nearest);
    float radius = a->radius + b->radius, reach = radius + pose->margin;
    float square = cn_fvec2_dot(d, d);
    if (!(square <= reach * reach)) {
        return;
    }
    float distance = sqrtf(square);
    struct cn_fvec2 normal = {0.0f, 1.0f};
    if (distance > NEAR * radius) {
        float scale = 1.0f / distance;
        normal = (struct cn_fvec2){scale * d.x, scale * d.y};
    }
    cn_fast_found2_point(found, a, b, nearest, normal, distance);
}

void
cn_fast_pair2_box_circle(const struct cn_fast_placed2 *a, const struct cn_fast_placed2 *b,
    const struct cn_fast_pose2 *pose, uint32_t *hint, struct cn_fast_found2 *found)
{
    (void)hint;
    struct cn_fvec2 c = pose->place_b;
    float radius = a->radius + b->radius, reach = radius + pose->margin;
    struct cn_fvec2 nearest = {cn_fmax(-a->half_x, cn_fmin(c.x, a->half_x)),
        cn_fmax(-a->half_y, cn_fmin(c.y, a->half_y))};
    struct cn_fvec2 d = cn_fvec2_sub(c, nearest);
    float square = cn_fvec2_dot(d, d);
    if (!(square <= reach * reach)) {
        return;
    }
    float distance = sqrtf(square);
    if (distance > NEAR * radius) {
        float scale = 1.0f / distance;
        struct cn_fvec2 normal = {scale * d.x, scale * d.y};
        cn_fast_found2_point(found, a, b, nearest, normal, distance);
        return;
    }
    /* Within, or on an edge. */
    float side_x = fabsf(c.x) - a->half_x, side_y = fabsf(c.y) - a->half_y;
    if (side_x > side_y) {
        struct cn_fvec2 normal = {c.x < 0.0f ? -1.0f : 1.0f, 0.0f};
        nearest.x = normal.x * a->half_x;
        cn_fast_found2_point(found, a, b, nearest, normal, side_x);
    } else {
        struct cn_fvec2 normal = {0.0f, c.y < 0.0f ? -1.0f : 1.0f};
        nearest.y = normal.y * a->half_y;
        cn_fast_found2_point(found, a, b, nearest, normal, side_y);
    }
}

void
cn_fast_pair2_polygon_circle(const struct cn_fast_placed2 *a, const struct cn_fast_placed2 *b,
    const struct cn_fast_pose2 *pose, uint32_t *hint, struct cn_fast_found2 *found)
{
    (void)hint;
    struct cn_fvec2 c = pose->place_b;
    float radius = a->radius + b->radius, reach = radius + pose->margin;
    const struct cn_fast_shape2 *core = a->piece;
    int best = 0;
    float side = -HUGE_VALF;
    for (int i = 0; i < core->vertex_count; i++) {
        float s = core->normal_x[i] * c.x + core->normal_y[i] * c.y - core->offset[i];
        if (s > side) {
            side = s;
            best = i;
        }
    }
    if (!(side <= reach)) {
        return;
    }
    int next = best + 1 < core->vertex_count ? best + 1 : 0;
    struct cn_fvec2 normal = {core->normal_x[best], core->normal_y[best]};
    struct cn_fvec2 from = {core->vertex_x[best], core->vertex_y[best]};
    struct cn_fvec2 to = {core->vertex_x[next], core->vertex_y[next]};
    struct cn_fvec2 along = {-normal.y, normal.x};
    float before = cn_fvec2_dot(cn_fvec2_sub(c, from), along);
    float after = cn_fvec2_dot(cn_fvec2_sub(c, to), along);
    if (side > NEAR * radius && (before < 0.0f || after > 0.0f)) {
        struct cn_fvec2 corner = before < 0.0f ? from : to;
        struct cn_fvec2 d = cn_fvec2_sub(c, corner);
        float square = cn_fvec2_dot(d, d);
        if (!(square <= reach * reach)) {
            return;
        }
        float distance = sqrtf(square), scale = 1.0f / distance;
        normal = (struct cn_fvec2){scale * d.x, scale * d.y};
        cn_fast_found2_point(found, a, b, corner, normal, distance);
        return;
    }
    cn_fast_found2_point(found, a, b, cn_fvec2_add_scaled(c, -side, normal), normal, side);
}
