/* fast_spatial_half_space.c: shapes with corners against a half space. */
#include "engine/base/assert.h"
#include "engine/collide/fast/fast_spatial_hull.h"

/* Two directions along the plane, and the corners' positions along them. */
struct ground {
    const struct cn_fast_pair *pair;
    struct cn_fast_half_space plane;
    cn_four first, second;
    int count;
    float x[CN_HULL_VERTICES_MAX], y[CN_HULL_VERTICES_MAX], height[CN_HULL_VERTICES_MAX];
    cn_four place[CN_HULL_VERTICES_MAX];
    int corner[CN_HULL_VERTICES_MAX];
};

static void
init(struct ground *g, const struct cn_fast_pair *pair)
{
    g->pair = pair;
    g->plane = cn_fast_half_space_of(pair);
    g->count = 0;
}

static void
add_corner(struct ground *g, cn_four place, int corner)
{
    float height = cn_four_dot3(g->plane.normal, place) + g->plane.height;
    if (height <= g->pair->margin) {
        CN_ASSERT(g->count < CN_HULL_VERTICES_MAX);
        g->place[g->count] = place;
        g->height[g->count] = height;
        g->corner[g->count++] = corner;
    }
}

static int
reduce(struct ground *g, int pick[4])
{
    float normal[3] = {g->plane.normal[0], g->plane.normal[1], g->plane.normal[2]};
    float first[3], second[3];
    cn_tangents3(normal, first, second);
    cn_four u = cn_four_set3(first[0], first[1], first[2]);
    cn_four v = cn_four_set3(second[0], second[1], second[2]);
    for (int i = 0; i < g->count; i++) {
        g->x[i] = cn_four_dot3(u, g->place[i]);
        g->y[i] = cn_four_dot3(v, g->place[i]);
    }
    return cn_fast_reduce(
        g->x, g->y, g->height, g->count, CN_FAST_TIE * g->pair->a->width, pick);
}

static void
finish(struct ground *g)
{
    int pick[4] = {0, 1, 2, 3};
    int count = g->count <= 4 ? g->count : reduce(g, pick);
    CN_ASSERT(count <= CN_POINTS_SPATIAL_MAX);
    if (count == 0) {
        return;
    }
    cn_fast_set_normal(g->pair, -g->plane.normal);
    for (int i = 0; i < count; i++) {
        int k = pick[i];
        cn_fast_add(g->pair, g->place[k] - cn_four_splat(0.5F * g->height[k]) * g->plane.normal,
            g->height[k], cn_fast_feature_corner(true, g->corner[k]));
    }
}

void
cn_fast_box_half_space(const struct cn_fast_pair *pair)
{
    struct ground g; /* large; an initializer would clear all of it */
    init(&g, pair);
    struct cn_fast_frame box =
        cn_fast_box_frame(pair->a, pair->place_a, cn_four_splat(0.0F));
    const float *half = pair->a->half;
    cn_four x = cn_four_splat(half[0]) * box.x, y = cn_four_splat(half[1]) * box.y;
    cn_four z = cn_four_splat(half[2]) * box.z;
    float reach = fabsf(cn_four_dot3(g.plane.normal, x)) + fabsf(cn_four_dot3(g.plane.normal, y)) +
                  fabsf(cn_four_dot3(g.plane.normal, z));
    if (cn_four_dot3(g.plane.normal, box.origin) + g.plane.height - reach > pair->margin) {
        return;
    }
    for (int i = 0; i < 8; i++) {
        cn_four place = box.origin + (i & 1 ? x : -x);
        place = place + (i & 2 ? y : -y);
        add_corner(&g, place + (i & 4 ? z : -z), i);
    }
    finish(&g);
}

void
cn_fast_hull_half_space(const struct cn_fast_pair *pair)
{
    struct ground g; /* large; an initializer would clear all of it */
    init(&g, pair);
    struct cn_fast_frame frame = cn_fast_body_frame(pair->place_a, cn_four_splat(0.0F));
    const struct cn_fast_hull *hull = pair->a->hull;
    cn_four down = cn_fast_turn_back(&frame, g.plane.normal);
    float lowest, height[CN_FAST_VERTICES_ROOM];
    (void)cn_fast_hull_lowest(hull, down, &lowest);
    if (lowest + g.plane.height > pair->margin) {
        return;
    }
    cn_fast_hull_heights(hull, down, height);
    /* Up to rounding; add_corner is exact. */
    float most = pair->margin - g.plane.height + 0.01F * CN_FAST_TIE * pair->a->width;
    for (int i = 0; i < hull->vertex_count; i++) {
        if (height[i] <= most) {
            add_corner(&g, cn_fast_apply(&frame, cn_fast_hull_vertex(hull, i)), i);
        }
    }
    finish(&g);
}
