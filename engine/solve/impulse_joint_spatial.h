/* impulse_joint_spatial.h: where the ends of a joint in space are by now, and its rows there. */
#ifndef ENGINE_SOLVE_IMPULSE_JOINT_SPATIAL_H
#define ENGINE_SOLVE_IMPULSE_JOINT_SPATIAL_H

#include "engine/solve/impulse_joint_inside.h"

/* An end of a joint where its body is by now. */
struct cn_soft_place3 {
    cn_soft_vec v, w, d; /* velocities, and how far the centre of mass has moved */
    cn_soft_mat turn; /* of this tick */
    cn_soft_vec arm;
};

struct cn_soft_at3 {
    struct cn_soft_place3 a, b;
    cn_soft_vec apart; /* pB - pA, */
    cn_soft_vec lag;   /* and what that changes by in a substep beyond its rate */
};

struct cn_soft_at3 cn_soft_find_ends3(
    const struct cn_impulse_joint_job *job, const struct cn_soft_joint3 *j);

/* The rows that hold, as many as it returns; those of a track. */
int cn_soft_find_hold3(const struct cn_impulse_joint_job *job, const struct cn_soft_joint3 *j,
    const struct cn_soft_at3 *at, struct cn_soft_row3 *rows);
int cn_soft_hold_track3(const struct cn_impulse_joint_job *job, const struct cn_soft_joint3 *j,
    const struct cn_soft_at3 *at, struct cn_soft_row3 *rows);

/* The row of the free coordinate, of a joint that has one. */
struct cn_soft_row3 cn_soft_find_coordinate3(const struct cn_impulse_joint_job *job,
    const struct cn_soft_joint3 *j, const struct cn_soft_at3 *at);

#endif
