/* fast_spatial.h: the quick narrowphase of space; fast.h says what a manifold is. */
#ifndef ENGINE_COLLIDE_FAST_FAST_SPATIAL_H
#define ENGINE_COLLIDE_FAST_FAST_SPATIAL_H

#include "engine/collide/fast/fast.h"

#include <stdbool.h>
#include <stddef.h>

enum cn_fast_form3 {
    CN_FAST3_SPHERE,
    CN_FAST3_CAPSULE,
    CN_FAST3_BOX,        /* centre, axes and half extents: needs no topology */
    CN_FAST3_HULL,
    CN_FAST3_HALF_SPACE,
    CN_FAST3_MESH,       /* its frame is axis and center: see fast_spatial_mesh.h */
    CN_FAST3_OTHER,      /* through cn_collide */
};

/* A shape in float, 128 bytes.  The members that the narrowphase reads first come first. */
struct cn_fast_shape3 {
    uint8_t form;     /* enum cn_fast_form3 */
    uint8_t is_plain; /* a box whose axes are those of the body */
    float radius;
    float width;     /* smallest extent [m]; scales tolerances */
    float offset;    /* of a half space */
    float center[4]; /* of sphere and box; of a capsule its first end */
    float half[4];   /* of a box; of a capsule its second end */
    const struct cn_fast_hull *hull; /* of a HULL: float corners, faces, edges; borrowed */
    const struct cn_shape *shape;    /* borrowed; read only of OTHER */
    float axis[3][4]; /* of a box; axis[0] is the normal of a half space */
    float spare[4];
};

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

/* Two directions across a unit normal, which depend only on the normal. */
void cn_tangents3(const float normal[3], float first[3], float second[3]);

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
