/*
 * pair_half_space.c: a half space against anything with a core: contacts of the core's vertices.
 */
#include "engine/collide/exact/core.h"
#include "engine/collide/exact/pair.h"
#include "engine/collide/exact/region.h"
#include "engine/math/scalar.h"

void
cn_pair_half_space(const struct cn_pair_input *in, struct cn_manifold *manifold)
{
    CN_ASSERT(in->a->core.face_count == 1);
    CN_ASSERT(in->b->core.vertex_count == in->b->vertex_count);
    CN_ASSERT(0 < in->b->vertex_count && in->b->vertex_count <= CN_HULL_VERTICES_MAX);
    int near[CN_HULL_VERTICES_MAX], kept[CN_HULL_VERTICES_MAX], count = 0;
    cn_vec3 place[CN_HULL_VERTICES_MAX];
    double gap[CN_HULL_VERTICES_MAX];
    cn_vec3 normal = cn_pose_turn(in->pose_a, in->a->core.face[0].normal);
    cn_vec3 shift = cn_vec3_sub(in->pose_b->position, in->pose_a->position);
    for (int i = 0; i < in->b->vertex_count; i++) {
        place[count] = cn_vec3_add(cn_pose_turn(in->pose_b, in->b->core.vertex[i]), shift);
        gap[count] = cn_vec3_dot(normal, place[count]) - in->a->core.face[0].offset - in->radius;
        manifold->separation = cn_min(manifold->separation, gap[count]);
        near[count] = i;
        count += gap[count] <= in->margin;
    }
    bool fits = count <= CN_MANIFOLD_CONTACTS_MAX;
    int kept_count =
        fits ? count : cn_region_reduce(place, gap, count, CN_MANIFOLD_CONTACTS_MAX, normal, kept);
    for (int i = 0; i < kept_count; i++) {
        int vertex = near[fits ? i : kept[i]];
        cn_pair_keep(in, manifold, cn_pair_on_face(in, true, 0, vertex));
    }
}
