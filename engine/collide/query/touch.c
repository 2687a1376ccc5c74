#include "engine/collide/query/touch.h"

#include "engine/base/assert.h"
#include "engine/collide/exact/core.h"

struct best {
    double side;
    cn_vec3 axis;
};

static void
try_axis(const struct cn_convex *a, const struct cn_convex *b, const cn_pose *b_in_a, cn_vec2 n,
    struct best *best)
{
    int index;
    cn_vec3 axis = {n.x, n.y, 0.0}, back = {-n.x, -n.y, 0.0};
    double high = cn_vec3_dot(axis, cn_convex_support(a, axis, &index));
    cn_vec3 low = cn_convex_support(b, cn_pose_turn_back(b_in_a, back), &index);
    double side = cn_vec3_dot(axis, cn_pose_apply(b_in_a, low)) - high;
    if (side > best->side) {
        *best = (struct best){side, axis};
    }
}

/* Tries both normals of every edge, and for a core of two points the direction along it. */
static void
try_edges(const struct cn_convex *owner, const cn_pose *pose, const struct cn_convex *a,
    const struct cn_convex *b, const cn_pose *b_in_a, struct best *best)
{
    CN_ASSERT(owner == a || owner == b);
    int n = owner->vertex_count;
    for (int i = 0; i < n; i++) {
        cn_vec3 p = cn_pose_turn(pose, cn_convex_vertex(owner, i));
        cn_vec3 q = cn_pose_turn(pose, cn_convex_vertex(owner, i + 1 < n ? i + 1 : 0));
        cn_vec2 along = {q.x - p.x, q.y - p.y};
        double length = cn_vec2_length(along);
        if (length == 0.0) {
            continue;
        }
        along = cn_vec2_scale(along, 1.0 / length);
        cn_vec2 right = cn_vec2_right(along);
        try_axis(a, b, b_in_a, right, best);
        try_axis(a, b, b_in_a, cn_vec2_scale(right, -1.0), best);
        if (n == 2) {
            try_axis(a, b, b_in_a, along, best);
        }
    }
}

static struct best
best_of_polytopes(const struct cn_convex *a, const struct cn_convex *b, const cn_pose *b_in_a)
{
    const cn_pose own = {{0.0, 0.0, 0.0}, cn_mat33_diagonal(1.0, 1.0, 1.0)};
    struct cn_shape shape_a = {.core = *a->polytope}, shape_b = {.core = *b->polytope};
    struct cn_core core_a, core_b;
    struct cn_axis face;
    const struct cn_axis_ties ties = {0.0, 0.0, 0.0};
    cn_core_load(&core_a, &shape_a, &own, own.position);
    cn_core_load(&core_b, &shape_b, b_in_a, own.position);
    struct cn_axis axis = cn_core_best_axis(&core_a, &core_b, &ties, &face);
    return (struct best){axis.side, axis.normal};
}

double
cn_touch_axis(
    const struct cn_convex *a, const struct cn_convex *b, const cn_pose *b_in_a, cn_vec3 *axis)
{
    const cn_pose own = {{0.0, 0.0, 0.0}, cn_mat33_diagonal(1.0, 1.0, 1.0)};
    CN_ASSERT((a->flat != NULL) == (b->flat != NULL)); /* of one dimension */
    struct best best = {-HUGE_VAL, {0.0, 0.0, 0.0}};
    if (a->flat != NULL) {
        try_edges(a, &own, a, b, b_in_a, &best);
        try_edges(b, b_in_a, a, b, b_in_a, &best);
    } else if (a->polytope != NULL && b->polytope != NULL) {
        best = best_of_polytopes(a, b, b_in_a);
    }
    *axis = best.axis;
    return best.side;
}
