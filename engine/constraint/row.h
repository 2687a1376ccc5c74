/*
 * row.h: one scalar constraint on the velocities of at most two bodies.
 */
#ifndef ENGINE_CONSTRAINT_ROW_H
#define ENGINE_CONSTRAINT_ROW_H

#include "engine/math/vec3.h"

#include <stdint.h>

/*
 * The condition that a row puts on its force f and its acceleration (or velocity) a;
 * problem/contact_problem.h states each condition.  The tangent rows of a contact are directly
 * after its normal row: one in the plane, two in space, with orthonormal directions.
 */
enum cn_row_tag {
    CN_ROW_NORMAL,    /* pushes, and only where the gap does not open: contacts, limits, taut
                         ropes */
    CN_ROW_BILATERAL, /* holds with any force: joints */
    CN_ROW_BOUNDED,   /* holds as long as its force is within two limits: motors */
    CN_ROW_TANGENT,   /* friction, limited by the force of the normal row before it */
};

/* One scalar constraint: its rate is  ja . (vA, wA) + jb . (vB, wB). */
struct cn_row {
    int32_t body_a, body_b; /* index into mass[]; -1: a body that can not move */
    cn_vec3 linear_a, angular_a;
    cn_vec3 linear_b, angular_b;
};

#endif
