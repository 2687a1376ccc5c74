/*
 * impulse_joint.h: joints in the production solver: soft constraints, solved substep by substep.
 *
 * Every kind of joint (ball, hinge, slider, fixed, distance, rope, track), its limits, motor and
 * spring.  Joints are coloured as contacts are, and solved before them in every pass; softness,
 * substeps and stages are those of impulse.h.
 */
#ifndef ENGINE_SOLVE_IMPULSE_JOINT_H
#define ENGINE_SOLVE_IMPULSE_JOINT_H

#include "engine/base/arena.h"
#include "engine/model/model.h"
#include "engine/solve/impulse.h"

/* What the joints' stages read of the world; arrays by body, but the solver's. */
struct cn_impulse_joint_job {
    const struct cn_impulse_tick *tick;
    struct cn_model *model;
    const int32_t *solver_body; /* name of each body: CN_IMPULSE_FIXED, kinematic, or its index */
    const void *place;          /* struct cn_place2 or 3 of each body at the start of the tick */
    void *body;                 /* cn_impulse_body2 or 3 */
    const void *mass;           /* cn_impulse_mass2 or 3 */
    struct cn_impulse_soft soft;
    const int32_t *joint;       /* the joints to be solved, colour after colour, */
    int joint_count;
    void *block;                /* the kernel's own, cn_impulse_joint_block_size bytes */
};

/* Bytes of blocks for so many joints with so many colours. */
size_t cn_impulse_joint_block_size(const struct cn_model *model, int joint_count, int color_count);

/*
 * Stages on joints first, ..., end - 1 of joint[] (one colour, or part of it).  prepare reads the
 * warm start from model->joint_state, store writes the forces there.
 */
void cn_impulse_joint_prepare(const struct cn_impulse_joint_job *job, int first, int end);
void cn_impulse_joint_warm_start(const struct cn_impulse_joint_job *job, int first, int end);
void cn_impulse_joint_solve(
    const struct cn_impulse_joint_job *job, int first, int end, bool use_bias);
void cn_impulse_joint_store(const struct cn_impulse_joint_job *job, int first, int end);

#endif
