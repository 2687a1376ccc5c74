/*
 * row.h: one scalar constraint on the velocities of at most two bodies.
 */
#ifndef ENGINE_CONSTRAINT_ROW_H
#define ENGINE_CONSTRAINT_ROW_H

#include "engine/math/vec3.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The condition that a row puts on its force f and its acceleration (or velocity) a;
 * problem/contact_problem.h states each condition.  The rows of a contact follow each other, and
 * only the first is always there:
 *
 *     normal     1
 *     tangent    1 in the plane, 2 in space, with orthonormal directions
 *     rolling    as many, about axes across the normal
 *     spinning   1 in space, about the normal
 */
enum cn_row_tag {
    CN_ROW_NORMAL,    /* pushes, and only where the gap does not open: contacts, limits, taut
                         ropes */
    CN_ROW_BILATERAL, /* holds with any force: joints */
    CN_ROW_BOUNDED,   /* holds as long as its force is within two limits: motors */
    CN_ROW_TANGENT,   /* friction, limited by the force of the normal row before it */
    CN_ROW_ROLLING,   /* a moment against rolling, limited in the same way */
    CN_ROW_SPINNING,  /* a moment against spinning about the normal, limited in the same way */
};

/* The rows of a contact: at most this many. */
#define CN_ROWS_PER_CONTACT 6

/* Whether a row with this tag belongs to the contact of the row before it. */
static inline bool
cn_row_follows(enum cn_row_tag tag)
{
    return tag >= CN_ROW_TANGENT;
}

/* One scalar constraint: its rate is  ja . (vA, wA) + jb . (vB, wB). */
struct cn_row {
    int32_t body_a, body_b; /* index into mass[]; -1: a body that can not move */
    cn_vec3 linear_a, angular_a;
    cn_vec3 linear_b, angular_b;
};

#endif
