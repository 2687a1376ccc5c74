/*
 * fast_planar_plane.c: half planes.  Heights are computed in double, because a body on a plane may
 * be far from the plane's origin.
 */
#include "engine/base/assert.h"
#include "engine/collide/fast/fast_planar_pair.h"

/* The lowest vertices, two neighbours at most, in their order around the core. */
struct lowest {
    int count, vertex[2];
    float height[2];        /* above the middle */
    struct cn_fvec2 arm[2]; /* from the middle, world axes */
};

/*
 * Picks the lowest vertex and its lower neighbour; for a BORDER, the neighbour on the edge that
 * faces down.
 */
static int
pick(const struct cn_fast_shape2 *piece, const struct cn_fast_core2 *core, struct cn_fvec2 up,
    const float *height, int vertex[2])
{
    struct cn_fvec2 down = {-up.x, -up.y};
    bool is_border = piece->form == CN_FAST2_BORDER;
    CN_ASSERT(core->count > 0);
    int n = core->count, best = -1;
    for (int i = 0; i < n; i++) {
        bool lower = best < 0 || height[i] < height[best];
        if (lower && (!is_border ||
                         cn_fast_border2_admits(piece, i, down, CN_FAST2_SECTOR_SLACK))) {
            best = i;
        }
    }
    if (best < 0 || n == 1) {
        vertex[0] = best;
        return best < 0 ? 0 : 1;
    }
    int after = best + 1 < n ? best + 1 : 0, before = best > 0 ? best - 1 : n - 1;
    bool is_before = height[before] < height[after];
    if (is_border) {
        is_before =
            cn_fast_border2_incident(piece, core->normal_x, core->normal_y, best, up) == before;
    }
    vertex[0] = is_before ? before : best;
    vertex[1] = is_before ? best : after;
    return 2;
}

static struct lowest
find_lowest(const struct cn_fast_shape2 *piece, struct cn_fvec2 axis, struct cn_fvec2 normal)
{
    struct cn_fast_room2 room;
    struct cn_fast_core2 core = cn_fast_core2_of(piece, &room);
    struct cn_fvec2 up = cn_fvec2_turn_back(axis, normal);
    float height[CN_POLYGON_VERTICES_MAX];
    for (int i = 0; i < core.count; i++) {
        height[i] = up.x * core.vertex_x[i] + up.y * core.vertex_y[i];
    }
    struct lowest lowest;
    lowest.count = pick(piece, &core, up, height, lowest.vertex);
    for (int k = 0; k < lowest.count; k++) {
        int i = lowest.vertex[k];
        CN_ASSERT(0 <= i && i < core.count);
        lowest.height[k] = height[i];
        lowest.arm[k] = cn_fvec2_turn(axis, (struct cn_fvec2){core.vertex_x[i], core.vertex_y[i]});
    }
    return lowest;
}

void
cn_fast_pair2_plane(const struct cn_fast_placed2 *a, const struct cn_fast_placed2 *b, float margin,
    struct cn_manifold2 *manifold)
{
    CN_ASSERT(a->form == CN_FAST2_PLANE && b->form != CN_FAST2_PLANE);
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
