/* pair_points.c: circle against circle. */
#include "engine/collide/exact/pair.h"

void
cn_pair_points(const struct cn_pair_input *in, struct cn_manifold *manifold)
{
    CN_ASSERT(in->a->vertex_count == 1 && in->b->vertex_count == 1);
    cn_vec3 a = cn_pose_turn(in->pose_a, (cn_vec3){in->a->vertex[0].x, in->a->vertex[0].y, 0.0});
    cn_vec3 b = cn_pose_turn(in->pose_b, (cn_vec3){in->b->vertex[0].x, in->b->vertex[0].y, 0.0});
    cn_vec3 between = cn_vec3_sub(in->pose_b->position, in->pose_a->position);
    double distance = cn_vec3_length(cn_vec3_add(between, cn_vec3_sub(b, a)));
    manifold->separation = distance - in->radius;
    cn_pair_add_points(in, manifold, 0, 0);
}
