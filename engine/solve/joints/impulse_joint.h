/*
 * impulse_joint.h: joints in the production solver: soft constraints, solved substep by substep.
 *
 * Every kind of joint is supported, with its limits, motor and spring.  The rows, signs and
 * coordinates are those of engine/constraint/joint.h.  Each pass uses a joint's arms, axes and gaps
 * at the present places of its bodies, so a fast spinner does not stretch it.
 *
 *     rows that hold   one block of at most 6: with K = J inv(M) J', C the gaps, v the rates,
 *                          dl = -mass_scale inv(K) (v + bias_rate C + e / h) - impulse_scale l
 *                      in the pass with bias; in relax dl = -inv(K) v.  e is the change of C in a
 *                      substep beyond h v, to second order.  It exists because points turn about
 *                      centres that move straight; with it a fast spinner stays on its pivot
 *     limit            l >= 0: while the distance C to the limit is above 0, v + C / h >= 0; else
 *                      as above
 *     motor            v - speed = 0 with |l| <= h motor_force_max; friction of a hinge: v = 0
 *     spring           l = -h (k e + (c + t h k) v), e = q - rest at the start of the substep and v
 *                      the rate at its end, so
 *                          dl = -(l + h k e + w v) / (1 + w K),   w = h (c + t h k)
 *                      with t = s / (1 + s), s = h^2 k K: nearly explicit (and without damping of
 *                      its own) where the substep resolves the spring, implicit where it does not,
 *                      and stable everywhere, because s (1 - 2 t) < 4
 *
 *     turn of a ball   spring, friction, twist, cone, in this order (impulse_joint_turn.c); the
 *                      spring as above with K a matrix, in t its trace
 *
 * The rows that hold are solved last, so their errors are the smallest.
 *
 * Forces: store() writes the mean force of each part over the tick to cn_joint_state.force, with
 * the meaning of cn_joint_rows.  The force of the spring goes to the part after the rows that hold
 * (CN_JOINT_PART_SPRING); no joint with a free coordinate has so many rows.  The next tick starts
 * from these forces.  A ball's spring has no part: the next tick starts from its torque at rest.
 *
 * Warm start: within a tick bodies carry the impulses of a substep into the next (struct
 * cn_impulse_carry2), so warm_start is called in the first substep only.  But when an arm turns,
 * the same impulse makes another torque.  relax knows both arms and adds the difference to carry;
 * without that a spinner would lose its spin.
 *
 * Order: joints that share no moving body (one colour) may be solved in any order and at once, with
 * the same bits.  cn_impulse_joint_plan sorts the joints of a colour by forms, so that lanes do the
 * same work.
 *
 * Bodies that are small beside their arms: impulse_joint_thin.c.
 *
 * Source: sequential impulses and soft constraints as in impulse.h; for the spring, Catto, Soft
 * Constraints, GDC 2011.
 */
#ifndef ENGINE_SOLVE_JOINTS_IMPULSE_JOINT_H
#define ENGINE_SOLVE_JOINTS_IMPULSE_JOINT_H

#include "engine/base/arena.h"
#include "engine/solve/joints/impulse_joint_job.h"

/*
 * The softness for which joints are tuned, at a substep of h.  The frequency is a quarter of the
 * substep's rate.  That is as stiff as one pass in a substep can hold chains; at half the rate they
 * burst.  The damping is twice critical.  So more substeps make joints stiffer.
 */
struct cn_impulse_soft cn_impulse_joint_soft(float h);

/* Finds the forms of listed joints; form[] has room for all joints of the model. */
void cn_impulse_joint_forms_find(struct cn_impulse_joint_forms *forms,
    const struct cn_model *model, const int32_t *list, int count);

/*
 * Takes the memory for an empty plan of at most joint_max joints with these forms in at most
 * color_max colours.  The plan works beside the contacts of a kernel.  cn_impulse_kernel_single
 * keeps the order of joints, for those without a colour.  NULL is the reference: every joint is
 * solved alone.  The plan borrows forms->form.
 */
void cn_impulse_joint_plan_layout(struct cn_impulse_joint_plan *plan, struct cn_arena *arena,
    const struct cn_model *model, const struct cn_impulse_joint_forms *forms, int joint_max,
    int color_max, const struct cn_impulse_kernel *kernel);

/*
 * The same for chains: the plan then contains all of them, each as one block.  All blocks may be
 * solved at once.
 */
void cn_impulse_joint_plan_chains(struct cn_impulse_joint_plan *plan, struct cn_arena *arena,
    const struct cn_model *model, const struct cn_impulse_joint_chains *chains);

/* Adds a colour, without the entries -1.  Its blocks are appended to the plan's. */
void cn_impulse_joint_plan_add(struct cn_impulse_joint_plan *plan, const struct cn_model *model,
    const int32_t *joint, int joint_count);

/*
 * The stages work on blocks first, ..., end - 1 of the plan (one colour, or part of it).  prepare
 * reads the warm start from model->joint_state, and updates .place there for hinges in space and
 * for tracks; bodies have not moved yet.  Solve without bias is relax, and ends a substep.  cool
 * forgets the impulses of a substep, so that the next one starts from none.  store writes the
 * forces.
 */
void cn_impulse_joint_prepare(const struct cn_impulse_joint_job *job, int first, int end);
void cn_impulse_joint_warm_start(const struct cn_impulse_joint_job *job, int first, int end);
void cn_impulse_joint_solve(
    const struct cn_impulse_joint_job *job, int first, int end, bool use_bias);
void cn_impulse_joint_cool(const struct cn_impulse_joint_job *job, int first, int end);
void cn_impulse_joint_store(const struct cn_impulse_joint_job *job, int first, int end);

#endif
