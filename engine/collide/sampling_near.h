/*
 * sampling_near.h: which samples of two meshes may be near each other's surface.
 *
 * A filter before the lookups of sampling.h: samples that lie further than `limit` from the other's
 * surface are left out, nearly all of them; none that is nearer is.
 */
#ifndef ENGINE_COLLIDE_SAMPLING_NEAR_H
#define ENGINE_COLLIDE_SAMPLING_NEAR_H

#include "engine/collide/fast_spatial_mesh.h"
#include "engine/math/pose.h"

/* Takes a sample of the first mesh, or of the second. */
typedef void cn_sampling_take(void *context, bool second, int sample);

/*
 * Calls `take` for samples of the first mesh, patch by patch, then for those of the second.  A
 * pose is that of a mesh's frame in the other's.
 */
void cn_sampling_near(const struct cn_fast_mesh_kernel *kernel, const struct cn_mesh *first,
    const cn_pose *first_pose, const struct cn_mesh *second, const cn_pose *second_pose,
    double limit, cn_sampling_take *take, void *context);

#endif
