/*
 * pair_plane.c: a half plane against anything with a core.
 *
 * The vertices within the margin touch; if there are more than CN_MANIFOLD_PLANAR_MAX, the deepest.
 * In the plane at most two vertices of a convex core can rest on a half plane, so no contact that
 * carries is lost.
 */
#include "engine/collide/exact/outline.h"
#include "engine/collide/exact/pair.h"
#include "engine/math/scalar.h"

void
cn_pair_plane(const struct cn_pair_input *in, struct cn_manifold *manifold)
{
    CN_ASSERT(in->a->vertex_count == 0 && in->b->vertex_count > 0);
    struct cn_outline core;
    cn_outline_load(&core, in->b, in->pose_b, in->pose_a->position);
    cn_vec2 n = in->a->plane_normal;
    cn_vec3 normal = cn_pose_turn(in->pose_a, (cn_vec3){n.x, n.y, 0.0});

    int deepest[CN_MANIFOLD_PLANAR_MAX], count = 0;
    double gap[CN_POLYGON_VERTICES_MAX];
    for (int i = 0; i < core.count; i++) {
        double along = core.vertex[i].x * normal.x + core.vertex[i].y * normal.y;
        gap[i] = along - in->a->plane_offset - in->radius;
        manifold->separation = cn_min(manifold->separation, gap[i]);

        /*
         * Insertion into the sorted list of the deepest so far; the first of equal ones stays
         * first.
         */
        int place = count;
        while (place > 0 && gap[deepest[place - 1]] > gap[i]) {
            place--;
        }
        if (place == CN_MANIFOLD_PLANAR_MAX) {
            continue;
        }
        count = count < CN_MANIFOLD_PLANAR_MAX ? count + 1 : count;
        for (int k = count - 1; k > place; k--) {
            deepest[k] = deepest[k - 1];
        }
        deepest[place] = i;
    }
    CN_ASSERT(count <= core.count);
    /* In the order of the vertices, which does not change while the shape rocks. */
    for (int i = 0; i < core.count; i++) {
        for (int k = 0; k < count; k++) {
            if (deepest[k] == i) {
                cn_pair_add_plane(in, manifold, i);
            }
        }
    }
}
