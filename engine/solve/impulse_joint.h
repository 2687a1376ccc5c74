/*
 * impulse_joint.h: joints in the production solver: soft constraints, solved substep by substep.
 *
 * Every kind of joint, its limits, motor and spring, with the rows, signs and coordinates that
 * engine/constraint/joint.h states.  In each pass a joint's arms, axes and gaps are those of where
 * its bodies are by then, so a fast spinner does not stretch it.
 *
 *     rows that hold   one block of at most 6: with K = J inv(M) J', C the gaps, v the rates,
 *                          dl = -mass_scale inv(K) (v + bias_rate C + e / h) - impulse_scale l
 *                      in the pass with bias; in relax dl = -inv(K) v.  e is what C changes by in a
 *                      substep beyond h v, since points turn about centres that move straight: to
 *                      second order, so a fast spinner stays on its pivot
 *     limit            l >= 0: with way left C > 0 it may be used up, v + C / h >= 0; else as above
 *     motor            v - speed = 0 with |l| <= h motor_force_max
 *     spring           l = -h (k e + (c + t h k) v), e = q - rest at the start of the substep and v
 *                      the rate at its end, so
 *                          dl = -(l + h k e + w v) / (1 + w K),   w = h (c + t h k)
 *                      with t = s / (1 + s), s = h^2 k K: nearly explicit (and without damping of
 *                      its own) where the substep resolves the spring, implicit where it does not,
 *                      and stable everywhere, since s (1 - 2 t) < 4
 *
 * The rows that hold are solved last, so they are the best kept.
 *
 * Forces: store() writes what each part did on average over the tick into cn_joint_state.force, in
 * the meaning of cn_joint_rows; the spring's goes to the part behind the rows that hold
 * (CN_JOINT_PART_SPRING), which no joint with a free coordinate uses.  From there the next tick
 * starts.
 *
 * Warm start: within a tick bodies carry the impulses of a substep into the next (struct
 * cn_impulse_carry2), so warm_start is called in the first alone.  But an arm that turns makes
 * another torque of the same impulse; relax, which sees both arms, adds the difference to what is
 * carried: otherwise a spinner would lose its spin.
 *
 * Order: joints that share no moving body (one colour) may be solved in any order and at once, with
 * the same bits.  cn_impulse_joint_plan sorts a colour by forms, so that lanes do the same work.
 *
 * Source: sequential impulses and soft constraints as in impulse.h; for the spring, Catto, Soft
 * Constraints, GDC 2011.
 */
#ifndef ENGINE_SOLVE_IMPULSE_JOINT_H
#define ENGINE_SOLVE_IMPULSE_JOINT_H

#include "engine/base/arena.h"
#include "engine/model/model.h"
#include "engine/solve/impulse.h"

/* Where the spring of a hinge or slider keeps its force. */
#define CN_JOINT_PART_SPRING 5

struct cn_joint_kernel;         /* impulse_joint_wide.h */
struct cn_impulse_joint_chains; /* impulse_joint_chain.h */

/* A group of joints, as many as the kernel has lanes, of one form. */
struct cn_impulse_joint_block {
    int32_t form;    /* the kernel's own */
    uint32_t offset; /* of its data, in units of 64 bytes */
};

/* In which blocks joints are solved: colours one after the other, padded with -1. */
struct cn_impulse_joint_plan {
    const struct cn_joint_kernel *kernel;
    const struct cn_impulse_joint_chains *chains; /* block k is chain k; NULL: colours */
    int lanes;
    int block_count, block_max;
    int32_t *joint;      /* joint[k lanes ...] of block k */
    unsigned char *form; /* of each joint of the model: the kernel's own */
    struct cn_impulse_joint_block *block;
    unsigned char *data;
    size_t data_size; /* used, in units of 64 bytes */
    size_t data_max;
};

/*
 * The softness that joints are tuned for, at a substep of h: a quarter of the substep's rate, which
 * is as stiff as one pass a substep can hold chains (at half the rate they burst), twice critically
 * damped.  So the more substeps, the stiffer.
 */
struct cn_impulse_soft cn_impulse_joint_soft(float h);

/* What the joints' stages read of the world; arrays by body, but the solver's. */
struct cn_impulse_joint_job {
    const struct cn_impulse_tick *tick;
    struct cn_model *model;
    const int32_t *solver_body; /* name of each body: see CN_IMPULSE_FIXED */
    const void *place;          /* struct cn_place2 or 3 of each body at the start of the tick */
    void *body;                 /* cn_impulse_body2 or 3 */
    void *carry;                /* cn_impulse_carry2 or 3; NULL: every substep warm starts */
    const void *mass;           /* cn_impulse_mass2 or 3 */
    struct cn_impulse_soft soft;
    const struct cn_impulse_joint_plan *plan;
};

/*
 * Takes room for a plan, which is empty then, of at most joint_max joints of the model in at most
 * color_max colours, to go with the contacts of a kernel.  cn_impulse_kernel_single keeps the order
 * of joints, for those that have no colour.  NULL is the reference: every joint by itself.
 */
void cn_impulse_joint_plan_layout(struct cn_impulse_joint_plan *plan, struct cn_arena *arena,
    const struct cn_model *model, int joint_max, int color_max,
    const struct cn_impulse_kernel *kernel);

/* The same for chains, which are all in it then.  Each is a block; they may be solved at once. */
void cn_impulse_joint_plan_chains(struct cn_impulse_joint_plan *plan, struct cn_arena *arena,
    const struct cn_model *model, const struct cn_impulse_joint_chains *chains);

/* Adds a colour (-1 is passed over): its blocks are from block_count on. */
void cn_impulse_joint_plan_add(struct cn_impulse_joint_plan *plan, const struct cn_model *model,
    const int32_t *joint, int joint_count);

/*
 * Stages on blocks first, ..., end - 1 of the plan (one colour, or part of it).  prepare reads the
 * warm start from model->joint_state, and follows hinges in space and tracks (.place there); bodies
 * have not moved yet.  Solve without bias is relax, and ends a substep.  store writes the forces.
 */
void cn_impulse_joint_prepare(const struct cn_impulse_joint_job *job, int first, int end);
void cn_impulse_joint_warm_start(const struct cn_impulse_joint_job *job, int first, int end);
void cn_impulse_joint_solve(
    const struct cn_impulse_joint_job *job, int first, int end, bool use_bias);
void cn_impulse_joint_store(const struct cn_impulse_joint_job *job, int first, int end);

#endif
