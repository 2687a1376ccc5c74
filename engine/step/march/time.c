/*
 * time.c: the stepper `time`: one complementarity problem at velocity level for each piece of a
 * tick.
 *
 * With a solver of the kind BODIES it is the production pipeline (step/pipeline/pipeline.h).  With
 * others:
 *
 *     contact, limit, rope   j >= 0 complementary to  J u + c >= 0  with
 *         c = e v-      where it closes within the piece, faster than the resting velocity
 *         c = gap / h   where gap > 0: it may close, but not more
 *         c = 0         where gap <= 0
 *     joint that holds       J u = 0
 *
 * A problem treats each contact as a half space, fixed at the start of the piece.  This is wrong
 * for contacts that are far away or rotate fast: a ball that flies past a box would hit the plane
 * of the box's face, and a half space far away turns a body by a long lever arm.  So within a piece
 * bodies that are near each other move at most by the gap between them, or by a part of the smaller
 * one's width.  Where nothing is fast a tick is one piece.
 *
 * Position errors after a piece (overlap, joints stretched by rotation) are removed by the smallest
 * motion in the metric of the masses, without velocity, so that no energy is added.
 *
 * Departures from Anitescu and Potra: restitution by Newton's rule in the same problem instead of a
 * second phase, and the position problem instead of constraint stabilisation by velocities.
 */
#include "engine/step/advance.h"
#include "engine/step/march/march.h"
#include "engine/step/pipeline/pipeline.h"

#include "engine/math/scalar.h"
#include "engine/step/stepper_table.h"

#include <math.h>

#define RIDE_FRACTION 0.0625 /* of the gap tolerance: the least gap after a push apart */
#define LEFT_FRACTION 0.01   /* of the gap tolerance: a smaller error is not corrected */
#define PUSH_RATE 2.0        /* smallest lengths per second, beyond the gap tolerance */
#define ROUNDS_MAX 3         /* of the position problem: it is linear, rotation is not */
#define MOVE_FRACTION 0.25   /* of the smaller width: largest slide in a piece, if touching */
#define TURN_MAX 0.02         /* of jointed bodies in a coarse piece [rad] */
#define PIECES_MAX 32        /* of a tick */

/*
 * How far a correction may move bodies, as in event_drift.c: per tolerance, and per deep overlap.
 */
#define MOVE_BASE 16.0
#define MOVE_DEEP 4.0

/* Slower approaches have no restitution: the speed that forces add in two ticks [m/s]. */
static double
time_resting_velocity(const struct cn_model *model, const struct cn_solver *solver)
{
    if (solver->kind == CN_SOLVER_BODIES) {
        return cn_model_resting_velocity(model, CN_PIPELINE_RESTING_VELOCITY);
    }
    double two_ticks =
        2.0 * cn_model_tick_duration(model) * cn_vec3_length(model->settings.gravity);
    return cn_model_resting_velocity(model, cn_max(cn_model_velocity_rest(model), two_ticks));
}

static double
contact_offset(struct cn_march *m, int i)
{
    const struct cn_contact *contact = &m->contact[i];
    double gap = contact->gap, rate = m->rate[i];
    m->hit[i] = rate < -time_resting_velocity(m->model, m->solver) &&
                gap + m->h * rate <= m->model->gap_tolerance;
    return cn_max(gap, 0.0) / m->h;
}

static double
contact_bounce(const struct cn_march *m, int i, double offset)
{
    const struct cn_contact *contact = &m->contact[i];
    if (!m->hit[i] || m->model->clock.inelastic) {
        return offset;
    }
    double e = cn_model_restitution(m->model, contact->shape_a, contact->shape_b);
    return e > 0.0 ? e * m->rate[i] : offset;
}

static double
joint_offset(const struct cn_march *m, const struct cn_joint_row *joint)
{
    return joint->tag == CN_ROW_NORMAL ? cn_max(joint->gap, 0.0) / m->h : 0.0;
}

static double
joint_bounce(const struct cn_march *m, const struct cn_joint_row *joint, double offset)
{
    if (joint->tag != CN_ROW_NORMAL) {
        return offset;
    }
    bool is_met = joint->rate < -time_resting_velocity(m->model, m->solver) &&
                  joint->gap + m->h * joint->rate <= m->model->gap_tolerance;
    return is_met && joint->restitution > 0.0 ? joint->restitution * joint->rate : offset;
}

/* The velocity that a body's point reaches without contact forces [m/s]. */
static cn_vec3
speed_at(const struct cn_march *m, int body, cn_vec3 point)
{
    const struct cn_motion *motion = &m->model->motion[body];
    cn_vec3 spin = cn_vec3_add(motion->angular_velocity, m->gain[body].angular);
    cn_vec3 velocity = cn_vec3_add(motion->velocity, m->gain[body].linear);
    cn_vec3 arm = cn_vec3_sub(point, motion->position);
    return cn_vec3_add(velocity, cn_vec3_cross(spin, arm));
}

/* How long the bodies of a contact may move before the contact changes to another one [s]. */
static double
time_of(const struct cn_march *m, const struct cn_contact *contact)
{
    const struct cn_model *model = m->model;
    double width =
        cn_min(model->shape[contact->shape_a].width, model->shape[contact->shape_b].width);
    cn_vec3 v = cn_vec3_sub(speed_at(m, contact->body_b, contact->point),
        speed_at(m, contact->body_a, contact->point));
    return cn_max(contact->gap, MOVE_FRACTION * width) / cn_vec3_length(v);
}

/*
 * How long bodies may turn before their joints are torn so far that putting them back lifts much:
 * in the coarse rest of a tick of `event`, which may gain no energy [s].
 */
static double
time_to_turn(const struct cn_march *m)
{
    double fastest = 0.0;
    if (!m->model->clock.coarse || cn_joint_row_count_max(m->model) == 0) {
        return HUGE_VAL;
    }
    for (int i = 0; i < m->model->body_count; i++) {
        fastest = cn_max(fastest, cn_vec3_length(m->model->motion[i].angular_velocity));
    }
    return fastest > 0.0 ? TURN_MAX / fastest : HUGE_VAL;
}

/* The number of pieces that the rest of the tick takes, by the contacts found. */
static int
pieces_of(const struct cn_march *m)
{
    int begun = (int)m->model->clock.pieces;
    int most = begun < PIECES_MAX ? PIECES_MAX - begun : 1;
    double least = time_to_turn(m);
    for (int i = 0; i < m->contact_count && !cn_march_is_spent(m); i++) {
        least = cn_min(least, time_of(m, &m->contact[i]));
    }
    if (least >= m->h) {
        return 1;
    }
    return least * most <= m->h ? most : (int)ceil(m->h / least);
}

static const struct cn_march_rule time_rule = {.contact_offset = contact_offset,
    .joint_offset = joint_offset,
    .contact_bounce = contact_bounce,
    .joint_bounce = joint_bounce,
    .pieces = pieces_of};

/*
 * States the position problem at the model's motion.  True when an error is large enough to be
 * solved.
 */
static bool
state_positions(struct cn_march *m)
{
    double tolerance = m->model->gap_tolerance, lack_max = 0.0;
    double push = PUSH_RATE * m->model->length_min * m->h;
    cn_march_place(m);
    m->row_count = 0;
    m->joint_count = cn_joint_rows(m->model, m->model->motion, m->pose, m->joint);
    for (int i = 0; i < m->joint_count; i++) {
        const struct cn_joint_row *joint = &m->joint[i];
        if (joint->tag == CN_ROW_BOUNDED) {
            continue;
        }
        bool holds = joint->tag == CN_ROW_BILATERAL;
        lack_max = cn_max(lack_max, holds ? fabs(joint->gap) : -joint->gap);
        m->row[m->row_count] = joint->row;
        m->tag[m->row_count] = (unsigned char)joint->tag;
        m->b[m->row_count++] = joint->gap;
    }
    for (int i = 0; i < m->contact_count; i++) {
        struct cn_contact *contact = &m->contact[i];
        cn_contact_place(contact, &m->pose[contact->body_a], &m->pose[contact->body_b]);
        cn_contact_row(m->model, m->model->motion, m->pose, contact, &m->row[m->row_count]);
        double lack = RIDE_FRACTION * tolerance - contact->gap;
        lack_max = cn_max(lack_max, -contact->gap);
        m->tag[m->row_count] = CN_ROW_NORMAL;
        m->b[m->row_count++] = -(lack > tolerance ? cn_min(lack, push) : lack);
    }
    for (int k = 0; k < m->row_count; k++) {
        m->f[k] = 0.0;
    }
    return lack_max > LEFT_FRACTION * tolerance;
}

/*
 * Limits the moves: bodies wedged between each other could close a gap only by a long move, so it
 * stays.
 */
static void
shorten_moves(struct cn_march *m)
{
    double largest = 0.0, move = 0.0;
    for (int k = 0; k < m->row_count; k++) {
        largest = cn_max(largest, fabs(m->b[k]));
    }
    for (int i = 0; i < m->model->body_count; i++) {
        const struct cn_twist *by = &m->response[i];
        move = cn_max(move, cn_vec3_length(by->linear) +
                                m->model->body[i].reach * cn_vec3_length(by->angular));
    }
    double small = cn_min(largest, m->model->gap_tolerance);
    double most = (MOVE_BASE + m->row_count) * small + MOVE_DEEP * largest;
    double part = move > most ? most / move : 1.0;
    m->corrected = cn_max(m->corrected, part * move);
    for (int i = 0; i < m->model->body_count && part < 1.0; i++) {
        m->response[i].linear = cn_vec3_scale(m->response[i].linear, part);
        m->response[i].angular = cn_vec3_scale(m->response[i].angular, part);
    }
}

static void
correct_positions(struct cn_march *m)
{
    struct cn_model *model = m->model;
    for (int round = 0; round < ROUNDS_MAX && state_positions(m); round++) {
        cn_march_solve(m);
        shorten_moves(m);
        for (int i = 0; i < model->body_count; i++) {
            cn_advance_shift(model, i, &m->response[i]);
        }
        if (cn_march_is_spent(m)) {
            return;
        }
    }
}

enum cn_advance
cn_march_time_piece(struct cn_step_context *context)
{
    struct cn_march march, *m = &march;
    cn_march_init(m, context);
    if (!cn_march_search(m, &time_rule, &context->room_needed)) {
        return CN_ADVANCE_ROOM;
    }
    cn_march_rows(m, &time_rule);
    cn_march_impulses(m);
    cn_march_keep(m);
    cn_march_move(m);
    correct_positions(m);
    cn_march_place(m);
    if (m->piece_count == 1) {
        cn_march_tell_overlaps(m);
    }
    cn_joint_follow(m->model, m->pose);
    cn_march_count_work(m);
    return m->piece_count == 1 ? CN_ADVANCE_TICK : CN_ADVANCE_PIECE;
}

static enum cn_advance
time_advance(struct cn_step_context *context)
{
    if (context->pipeline != NULL) {
        bool done = cn_pipeline_step(
            context->pipeline, context->tools, context->scratch, &context->work);
        return done ? CN_ADVANCE_TICK : CN_ADVANCE_ROOM;
    }
    return cn_march_time_piece(context);
}

static enum cn_advance
time_evaluate(struct cn_step_context *context, struct cn_instant *instant)
{
    return cn_march_evaluate(context, &time_rule, instant);
}

const struct cn_stepper cn_stepper_time = {
    .name = "time",
    .cite = "Stewart and Trinkle 1996; Anitescu and Potra 1997",
    .text = "one complementarity problem a tick at velocity level: robust, of first order",
    .planar = true,
    .spatial = true,
    .solver_kinds = CN_STEPS(CN_SOLVER_PROBLEM) | CN_STEPS(CN_SOLVER_BODIES),
    .layout = cn_march_layout,
    .advance = time_advance,
    .evaluate = time_evaluate,
    .resting_velocity = time_resting_velocity,
};
