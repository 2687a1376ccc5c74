/*
 * pair_point_outline.c: circle against capsule, box or polygon.
 *
 * Outside, the nearest feature of the core decides: an edge gives a face contact, a vertex a
 * contact of two points.  Inside, the nearest face pushes the circle out.
 */
#include "engine/collide/exact/outline.h"
#include "engine/collide/exact/pair.h"

void
cn_pair_point_outline(const struct cn_pair_input *in, struct cn_manifold *manifold)
{
    CN_ASSERT(in->a->vertex_count == 1 && in->b->vertex_count >= 2);
    struct cn_outline center, outline;
    cn_outline_load(&center, in->a, in->pose_a, in->pose_a->position);
    cn_outline_load(&outline, in->b, in->pose_b, in->pose_a->position);
    cn_vec2 point = center.vertex[0];

    double side[CN_POLYGON_VERTICES_MAX];
    for (int i = 0; i < outline.count; i++) {
        side[i] = cn_vec2_dot(outline.normal[i], cn_vec2_sub(point, outline.vertex[i]));
    }
    int face = cn_outline_pick_face(outline.normal, side, outline.count, in->tie);
    CN_ASSERT(face >= 0);
    if (side[face] > 0.0 || outline.count == 2) {
        struct cn_nearest_feature nearest = cn_outline_nearest(&outline, point, in->tie);
        manifold->separation = nearest.distance - in->radius;
        if (nearest.vertex >= 0 && nearest.distance > in->tie) {
            cn_pair_add_points(in, manifold, 0, nearest.vertex);
            return;
        }
        /* Of a segment's two sides take the one that faces the point. */
        face = outline.count == 2 ? face : nearest.edge;
        CN_ASSERT(face < outline.count);
    } else {
        manifold->separation = side[face] - in->radius;
    }
    cn_pair_add_face_b(in, manifold, 0, face);
}
