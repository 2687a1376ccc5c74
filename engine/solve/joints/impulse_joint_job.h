/*
 * impulse_joint_job.h: the data that the stages of the solver's joints work on: the blocks in which
 * joints are solved, and the bodies.  impulse_joint.h is the manual.
 *
 * Invariants: 1. block_count <= block_max and data_size <= data_max.  2. The joints of a block fill
 * its lanes from the first on; the lanes behind them hold -1.  3. A plan of chains has no kernel
 * and no forms.
 */
#ifndef ENGINE_SOLVE_JOINTS_IMPULSE_JOINT_JOB_H
#define ENGINE_SOLVE_JOINTS_IMPULSE_JOINT_JOB_H

#include "engine/model/model.h"
#include "engine/solve/impulse/impulse.h"

/* The part in which the spring of a hinge or slider stores its force. */
#define CN_JOINT_PART_SPRING 5

/* The turn of a ball, see impulse_joint_turn.c. */
#define CN_SOFT_SINE_MIN 1e-6f  /* rad: below it a swing has no direction */
#define CN_SOFT_TWIST_MIN 1e-4f /* of 1 + u . v: below it a twist is not defined */

struct cn_joint_kernel;         /* impulse_joint_wide.h */
struct cn_impulse_joint_chains; /* impulse_joint_chain.h */

#define CN_JOINT_FORM_COUNT 4 /* see enum cn_joint_form in impulse_joint_wide.h */

/* The forms of joints: a block has joints of one form, so that lanes do the same work. */
struct cn_impulse_joint_forms {
    unsigned char *form;            /* of each joint of the model that was looked at */
    int count[CN_JOINT_FORM_COUNT]; /* of these */
};

/* A group of joints, as many as the kernel has lanes, of one form. */
struct cn_impulse_joint_block {
    int32_t form;    /* the kernel's own */
    uint32_t offset; /* of its data, in units of 64 bytes */
};

/* The blocks in which joints are solved: colours one after the other, padded with -1. */
struct cn_impulse_joint_plan {
    const struct cn_joint_kernel *kernel;
    const struct cn_impulse_joint_chains *chains; /* block k is chain k; NULL: colours */
    int lanes;
    int block_count, block_max;
    int32_t *joint;      /* joint[k lanes ...] of block k */
    const unsigned char *form; /* of each joint of the model; NULL: all are general */
    struct cn_impulse_joint_block *block;
    unsigned char *data;
    size_t data_size; /* used, in units of 64 bytes */
    size_t data_max;
};

/*
 * The data of the world that the joints' stages use; arrays are by body, the solver's by solver
 * body.
 */
struct cn_impulse_joint_job {
    const struct cn_impulse_tick *tick;
    struct cn_model *model;
    const int32_t *solver_body; /* name of each body: see CN_IMPULSE_FIXED */
    const void *place;          /* struct cn_place2 or 3 of each body at the start of the tick */
    void *body;                 /* cn_impulse_body2 or 3 */
    void *carry;                /* cn_impulse_carry2 or 3; NULL: warm_start in every substep */
    const void *mass;           /* cn_impulse_mass2 or 3 */
    struct cn_impulse_soft soft;
    const struct cn_impulse_joint_plan *plan;
};

#endif
