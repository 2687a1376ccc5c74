/*
 * impulse_joint_spatial.h: the present places of the ends of a joint in space, and its rows there.
 */
#ifndef ENGINE_SOLVE_JOINTS_IMPULSE_JOINT_SPATIAL_H
#define ENGINE_SOLVE_JOINTS_IMPULSE_JOINT_SPATIAL_H

#include "engine/solve/joints/impulse_joint_inside.h"

/* An end of a joint at the present place of its body. */
struct cn_soft_place3 {
    cn_soft_vec v, w, d; /* velocities, and the motion of the centre of mass in this tick */
    cn_soft_mat turn; /* in this tick */
    cn_soft_vec arm;
};

struct cn_soft_at3 {
    struct cn_soft_place3 a, b;
    cn_soft_vec apart; /* pB - pA */
    cn_soft_vec lag;   /* its change in a substep beyond h times its rate */
};

struct cn_soft_at3 cn_soft_find_ends3(
    const struct cn_impulse_joint_job *job, const struct cn_soft_joint3 *j);

/* inv(I) v of a body that has turned, with its inertia. */
static inline cn_soft_vec
cn_soft_give(const struct cn_soft_place3 *end, const float *inertia, cn_soft_vec v)
{
    cn_soft_vec back = cn_soft_mat_apply_back(&end->turn, v);
    return cn_soft_mat_apply(&end->turn, cn_soft_inertia_apply(inertia, back));
}

/* Finds the rows that hold, or those of a track.  Returns their number. */
int cn_soft_find_hold3(const struct cn_impulse_joint_job *job, const struct cn_soft_joint3 *j,
    const struct cn_soft_at3 *at, struct cn_soft_row3 *rows);
int cn_soft_hold_track3(const struct cn_impulse_joint_job *job, const struct cn_soft_joint3 *j,
    const struct cn_soft_at3 *at, struct cn_soft_row3 *rows);

/* Finds the row of the free coordinate, for a joint that has one. */
struct cn_soft_row3 cn_soft_find_coordinate3(const struct cn_impulse_joint_job *job,
    const struct cn_soft_joint3 *j, const struct cn_soft_at3 *at);

/* The answer of the rows that hold to the turn of a thin ball (impulse_joint_thin.c). */
struct cn_soft_yield {
    cn_soft_vec K[3]; /* columns: what they take off K */
    cn_soft_vec w;    /* the change of the relative spin by what they lack now */
};

/*
 * The turn of a ball: the start of a tick; a pass over it; the application of its impulses.  Of a
 * thin ball, a pass needs the yield; of others it is NULL.
 */
void cn_soft_turn_prepare(
    const struct cn_impulse_joint_job *job, struct cn_soft_joint3 *j, float trace);
void cn_soft_turn_solve(const struct cn_impulse_joint_job *job, struct cn_soft_joint3 *j,
    bool use_bias, const struct cn_soft_yield *yield, struct cn_soft_at3 *at);
void cn_soft_turn_push(const struct cn_soft_joint3 *j, struct cn_soft_at3 *at);

#endif
