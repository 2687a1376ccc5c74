/* fast_spatial.h: the quick narrowphase of space; fast.h says what a manifold is. */
#ifndef ENGINE_COLLIDE_FAST_FAST_SPATIAL_H
#define ENGINE_COLLIDE_FAST_FAST_SPATIAL_H

#include "engine/collide/fast/fast_spatial_shape.h"

#include <stdbool.h>
#include <stddef.h>

/* Bytes that baking takes from the store for this shape; 0 for most forms. */
size_t cn_fast_spatial_room(const struct cn_shape *shape);

/* Whether two shapes are hulls with the same numbers, so that they can share one float hull. */
bool cn_fast_spatial_is_alike(const struct cn_shape *a, const struct cn_shape *b);

/*
 * Bakes a shape.  A hull is borrowed from `alike`, the hull of an equal shape.  If `alike`
 * is NULL, the hull is written to `store`, which has the room and lives as long as *fast.
 */
void cn_fast_spatial_bake(const struct cn_shape *shape, const struct cn_fast_hull *alike,
    void *store, struct cn_fast_shape3 *fast);

/* A body's position and rotation, from the pose of its centre of mass. */
static inline struct cn_place3
cn_place3_of(const cn_pose *pose)
{
    const cn_mat33 *R = &pose->rotation;
    return (struct cn_place3){
        .x = pose->position.x,
        .y = pose->position.y,
        .z = pose->position.z,
        .turn = {(float)R->cx.x, (float)R->cx.y, (float)R->cx.z, (float)R->cy.x, (float)R->cy.y,
            (float)R->cy.z, (float)R->cz.x, (float)R->cz.y, (float)R->cz.z},
    };
}

/*
 * Like cn_fast_planar_collide.  Friction impulses are copied if those of any point are.
 *
 * A pair that is apart gets a hint too.  It says which axis to try first; the result is the same
 * without it, so it is not persistent.  If `last` has no points, only its hint is read.  Points
 * beyond point_count in *manifold are not written.
 */
void cn_fast_spatial_collide(const struct cn_fast_shape3 *a, const struct cn_place3 *place_a,
    const struct cn_fast_shape3 *b, const struct cn_place3 *place_b, float margin,
    const struct cn_manifold3 *last, struct cn_manifold3 *manifold);

#endif
