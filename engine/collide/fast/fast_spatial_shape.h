/* fast_spatial_shape.h: the float copy of a shape in space; fast_spatial.h bakes it. */
#ifndef ENGINE_COLLIDE_FAST_FAST_SPATIAL_SHAPE_H
#define ENGINE_COLLIDE_FAST_FAST_SPATIAL_SHAPE_H

#include "engine/collide/fast/fast.h"

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

#endif
