/*
 * sampling_near.h: which samples of two meshes may be near each other's surface.
 *
 * Filters before the lookups of sampling.h, in floats by lanes: samples that lie further than a
 * limit from the other's surface are left out, nearly all of them; none that is nearer is.  Lanes
 * give the same bits on all instruction sets, and so do the filters.
 */
#ifndef ENGINE_COLLIDE_SAMPLING_NEAR_H
#define ENGINE_COLLIDE_SAMPLING_NEAR_H

#include "engine/collide/fast_spatial_mesh.h"
#include "engine/math/pose.h"

#define CN_CHOICES_MAX 384 /* of one pair; of more the deepest are kept */

/* Takes a sample of the first mesh, or of the second. */
typedef void cn_sampling_take(void *context, bool second, int sample);

/* Two meshes; a pose is that of a mesh's frame in the other's. */
struct cn_sampling_query {
    const struct cn_fast_mesh_kernel *kernel;
    const struct cn_mesh *mesh[2];
    cn_pose pose[2];  /* now: of the first in the second's frame, and the other way round */
    cn_pose ahead[2]; /* the same, later */
    double limit;     /* now [m] */
    double near;      /* now or later [m] */
    double spacing;   /* of what is chosen [m] */
};

/* Whether the meshes' boxes are further apart than the limit now, so that nothing is near. */
bool cn_sampling_is_clear(const struct cn_sampling_query *query);

/* Calls `take` for samples of the first mesh, patch by patch, then for those of the second. */
void cn_sampling_near(
    const struct cn_sampling_query *query, cn_sampling_take *take, void *context);

struct cn_choice {
    bool second;
    int32_t sample;
};

/*
 * Chooses of the samples that are within the limit now, and near now or ahead, those that are
 * deepest ahead: none is within the spacing of one that is deeper there and has a like normal.
 * Returns how many, in the order of cn_sampling_near.
 */
int cn_sampling_choose(
    const struct cn_sampling_query *query, struct cn_choice choice[CN_CHOICES_MAX]);

#endif
