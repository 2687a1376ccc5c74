/*
 * row.h: one scalar constraint on the velocities of at most two bodies.
 */
#ifndef ENGINE_CONSTRAINT_ROW_H
#define ENGINE_CONSTRAINT_ROW_H

#include "engine/math/vec3.h"

#include <stdint.h>

enum cn_row_tag { CN_ROW_NORMAL, CN_ROW_BILATERAL };

/* One scalar constraint: its rate is  ja . (vA, wA) + jb . (vB, wB). */
struct cn_row {
    int32_t body_a, body_b; /* index into mass[]; -1: a body that can not move */
    cn_vec3 linear_a, angular_a;
    cn_vec3 linear_b, angular_b;
};

#endif
