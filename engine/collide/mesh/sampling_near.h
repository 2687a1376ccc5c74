/*
 * sampling_near.h: selects the samples of two meshes that may be near each other's surface.
 *
 * This filters before the lookups of sampling.h, in floats by lanes.  Samples farther than a limit
 * from the other's surface are left out, nearly all of them; nearer samples never are.  Lanes, and
 * so the filters, give the same bits on all instruction sets.
 */
#ifndef ENGINE_COLLIDE_MESH_SAMPLING_NEAR_H
#define ENGINE_COLLIDE_MESH_SAMPLING_NEAR_H

#include "engine/collide/mesh/fast_spatial_mesh.h"
#include "engine/math/pose.h"

#define CN_CHOICES_MAX 384 /* of one pair; if there are more the deepest are kept */

/* Takes a sample of the first mesh, or of the second. */
typedef void cn_sampling_take(void *context, bool second, int sample);

/* Two meshes; a pose is that of a mesh's frame in the other's frame. */
struct cn_sampling_query {
    const struct cn_fast_mesh_kernel *kernel;
    const struct cn_mesh *mesh[2];
    cn_pose pose[2];  /* now: of the first in the second's frame, and the reverse */
    cn_pose ahead[2]; /* the same, later */
    double limit;     /* now [m] */
    double near;      /* now or later [m] */
    double spacing;   /* between chosen samples [m] */
};

/* Whether the meshes' boxes are farther apart than the limit now, so that no sample is near. */
bool cn_sampling_is_clear(const struct cn_sampling_query *query);

/* Calls `take` for samples of the first mesh, patch by patch, then for those of the second. */
void cn_sampling_near(
    const struct cn_sampling_query *query, cn_sampling_take *take, void *context);

struct cn_choice {
    bool second;
    int32_t sample;
};

/*
 * Chooses, among the samples within the limit now and near now or ahead, those that are deepest
 * ahead.  No chosen sample is within the spacing of a deeper one with a similar normal.  Returns
 * their number, in the order of cn_sampling_near.
 */
int cn_sampling_choose(
    const struct cn_sampling_query *query, struct cn_choice choice[CN_CHOICES_MAX]);

#endif
