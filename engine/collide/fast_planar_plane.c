/*
 * fast_planar_plane.c: half planes, whose heights are taken in double: what lies on a plane may be
 * far from the plane's origin.
 */
#include "engine/collide/fast_planar_pair.h"

/* Apart from where it is copied: there compilers would clear with string instructions. */
const struct cn_manifold2 cn_manifold2_none = {0};

/* The two lowest of neighbouring vertices, in their order around the core; heights above middle. */
struct lowest {
    int count, vertex[2];
    float height[2];
    struct cn_fvec2 arm[2]; /* from the middle, world axes */
};

static struct lowest
find_lowest(const struct cn_fast_shape2 *b, struct cn_fvec2 axis, struct cn_fvec2 normal)
{
    struct cn_fvec2 down = cn_fvec2_turn_back(axis, normal);
    float height[CN_FAST_VERTICES_MAX];
    int n = b->vertex_count, best = 0;
    for (int i = 0; i < n; i++) {
        height[i] = down.x * b->vertex_x[i] + down.y * b->vertex_y[i];
        best = height[i] < height[best] ? i : best;
    }
    int after = best + 1 < n ? best + 1 : 0, before = best > 0 ? best - 1 : n - 1;
    int first = best, second = after;
    if (height[before] < height[after]) {
        first = before;
        second = best;
    }
    struct lowest lowest = {.count = n > 1 ? 2 : 1, .vertex = {first, second}};
    for (int k = 0; k < lowest.count; k++) {
        int i = lowest.vertex[k];
        lowest.height[k] = height[i];
        lowest.arm[k] = cn_fvec2_turn(axis, (struct cn_fvec2){b->vertex_x[i], b->vertex_y[i]});
    }
    return lowest;
}

void
cn_fast_pair2_plane(const struct cn_fast_placed2 *a, const struct cn_fast_placed2 *b, float margin,
    struct cn_manifold2 *manifold)
{
    double c = (double)a->axis_x, s = (double)a->axis_y;
    cn_vec2 local = a->piece->shape->plane_normal;
    cn_vec2 n = {c * local.x - s * local.y, s * local.x + c * local.y};
    cn_vec2 between = {b->x - a->x, b->y - a->y};
    struct cn_fvec2 normal = {(float)n.x, (float)n.y};
    struct cn_fvec2 arm = {b->arm_x, b->arm_y}, axis = {b->axis_x, b->axis_y};
    float base = (float)(cn_vec2_dot(n, between) - a->piece->shape->plane_offset) - b->radius;
    struct lowest lowest = find_lowest(b->piece, axis, normal);

    manifold->normal_x = normal.x;
    manifold->normal_y = normal.y;
    for (int k = 0; k < lowest.count; k++) {
        float separation = base + lowest.height[k];
        if (!(separation <= margin)) {
            continue;
        }
        float back = -(b->radius + 0.5f * separation);
        struct cn_fvec2 p = cn_fvec2_add_scaled(lowest.arm[k], back, normal);
        manifold->point[manifold->point_count++] = (struct cn_point2){
            .anchor_ax = (float)(between.x + (double)p.x),
            .anchor_ay = (float)(between.y + (double)p.y),
            .anchor_bx = arm.x + p.x,
            .anchor_by = arm.y + p.y,
            .separation = separation,
            .feature = 1U + (uint32_t)lowest.vertex[k],
        };
    }
}
