/*
 * position.c: the stepper `position`: positions alone, projected on linearised constraints.
 *
 * One tick, with d = p(l+1) - p(l) and the last tick's p(l) - p(l-1) = h v kept as the velocity:
 *
 *     a  extrapolate      d~ = h v
 *     b  apply forces     d~ = h v + h^2 inv(M) F
 *     c  minimise  |d - d~|_M  subject to
 *            length       g + J d = 0                    (L''), g = length - the joint's length
 *            sidedness    g + J d + h^2 bias >= 0        (S'),  g = the gap
 *     d  p(l+1) = p(l) + d
 *
 * The minimum's optimality conditions are the contact problem with d = h u and multipliers h j.  It
 * is stated here in that form (march.h), so that any solver may solve it.
 *
 * Bodies are in reduced coordinates (section 8.2): d is the shift of the centre of mass and the
 * turn.  A row's g'' = J a + bias, so bias is what (S') subtracts: for an edge and a vertex,
 * |edge| bias = 2 A(v_i, v_j, v_k).  (L'') has no such term: it measures the length again in every
 * tick, so that what turning adds, (w h)^2 / 2 of the length, does not pile up.
 *
 * Literal mode (settings.propagation.literal) takes the paper's first rule for lengths instead:
 *
 *     length       J d + h^2 bias = 0                (L'), |length| bias = |v_i - v_j|^2
 *
 * One tick of it moves points as a tick by accelerations does (theorem 5.1).  It never measures the
 * length, which drifts: a bar that spins freely at w loses w^2 h / 2 of its length a second.
 *
 * Source: Rote and others, "Simulation of collapsing brick towers by Gauss' principle of least
 * restraint", Fig. 7, (S'), section 8.3 (L''), section 8.5 for which sides count: here the contacts
 * of the narrowphase.
 *
 * Departures.  (S') as printed divides its right side by the time step.  A is a determinant with a
 * row of ones and of degree 2, so there must be no division; else theorem 5.1 fails.  Bodies whose
 * gap the last tick left below 0 are pushed out at no more than PUSH_RATE, not at once, since d is
 * also the next velocity.  A bias that would shift a gap by more than BEND_MAX in a tick is left
 * out: it is the second term of a series in the turn, and would increase the error.
 * Friction, of which the paper has none, acts on d along the tangents.
 *
 * Each tick corrects lengths by (L'').  The correction is kept as a velocity as far as no island
 * gains energy by it (march_energy.c).  The rest only moves the bodies.  Without this, v is the
 * velocity in the middle of the tick.  Its energy differs from the true one by h/2 of the rate at
 * which that changes: a pendulum near its lowest point gained energy.
 *
 * Collisions are plastic whatever the materials say (section 7: as h -> 0 the velocities after one
 * are those of least change in the metric of the masses).
 */
#include "engine/step/march/march.h"

#include "engine/math/scalar.h"
#include "engine/step/stepper_table.h"

#include <math.h>

#define PUSH_RATE 0.25 /* smallest lengths a second */
#define BEND_MAX 0.05  /* smallest lengths */

static double
contact_offset(struct cn_march *m, int i)
{
    const struct cn_contact *contact = &m->contact[i];
    double speed_max = PUSH_RATE * m->model->length_min;
    m->hit[i] = m->rate[i] < -cn_model_velocity_rest(m->model) &&
                contact->gap + m->h * m->rate[i] <= m->model->gap_tolerance;
    double bend = m->h * m->h * cn_contact_bias(m->model->motion, m->pose, contact);
    bend = fabs(bend) <= BEND_MAX * m->model->length_min ? bend : 0.0;
    return cn_max(contact->gap / m->h, -speed_max) + bend / m->h;
}

static double
joint_offset(const struct cn_march *m, const struct cn_joint_row *joint)
{
    bool literal = m->model->settings.propagation.literal == 1;
    switch (joint->tag) {
    case CN_ROW_BILATERAL:
        return literal ? m->h * joint->bias : 0.0;
    case CN_ROW_NORMAL:
        return cn_max(joint->gap, 0.0) / m->h;
    case CN_ROW_BOUNDED:
    case CN_ROW_TANGENT:
    case CN_ROW_ROLLING:
    case CN_ROW_SPINNING:
        break;
    }
    return 0.0;
}

static double
joint_pull(const struct cn_march *m, const struct cn_joint_row *joint, double offset)
{
    bool literal = m->model->settings.propagation.literal == 1;
    switch (joint->tag) {
    case CN_ROW_BILATERAL:
        return literal ? offset : joint->gap / m->h;
    case CN_ROW_NORMAL:
        return joint->gap / m->h + m->h * joint->bias;
    case CN_ROW_BOUNDED:
    case CN_ROW_TANGENT:
    case CN_ROW_ROLLING:
    case CN_ROW_SPINNING:
        break;
    }
    return offset;
}

static const struct cn_march_rule position_rule = {
    .contact_offset = contact_offset, .joint_offset = joint_offset, .joint_pull = joint_pull};

static enum cn_advance
position_advance(struct cn_step_context *context)
{
    struct cn_march march, *m = &march;
    cn_march_init(m, context);
    if (!cn_march_search(m, &position_rule, &context->room_needed)) {
        return CN_ADVANCE_ROOM;
    }
    cn_march_rows(m, &position_rule);
    cn_march_impulses(m);
    cn_march_keep(m);
    cn_march_move(m);
    cn_march_place(m);
    cn_march_tell_overlaps(m);
    cn_joint_follow(m->model, m->pose);
    return CN_ADVANCE_TICK;
}

static enum cn_advance
position_evaluate(struct cn_step_context *context, struct cn_instant *instant)
{
    return cn_march_evaluate(context, &position_rule, instant);
}

const struct cn_stepper cn_stepper_position = {
    .name = "position",
    .cite = "Rote and others, Gauss' principle of least restraint, Fig. 7",
    .text = "positions alone, projected on linearised lengths and sides: plastic, of first order",
    .planar = true,
    .spatial = true,
    .solver_kinds = CN_STEPS(CN_SOLVER_PROBLEM),
    .layout = cn_march_layout,
    .advance = position_advance,
    .evaluate = position_evaluate,
};
