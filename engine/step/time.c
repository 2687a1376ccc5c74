/*
 * time.c: the stepper `time`: one complementarity problem at velocity level a piece of a tick.
 *
 * With a solver of the kind BODIES it is the production pipeline (step/pipeline.h).  With others:
 *
 *     contact, limit, rope   j >= 0 complementary to  J u + c >= 0  with
 *         c = e v-      where it is met within the piece, faster than bodies pick up in two
 *         c = gap / h   where gap > 0: it may close, no more
 *         c = 0         where gap <= 0
 *     joint that holds       J u = 0
 *
 * A problem sees each contact as the half space that it is at the start of the piece, and what is
 * far off or turns fast is then something else: a ball that flies past a box would hit the box's
 * plane, and a half space far away turns a body by a long arm.  So bodies that are near each other
 * move within a piece by the gap between them, or by a part of the smaller one's width.  Where
 * nothing is fast a tick is one piece.
 *
 * What is left of positions after a piece (overlap, joints that turning has stretched) is taken
 * out by the smallest motion in the metric of the masses, without velocity, so that it brings no
 * energy in.
 *
 * Departures from Anitescu and Potra: restitution by Newton's rule in the same problem instead of a
 * second phase, and the position problem in place of constraint stabilisation by velocities.
 */
#include "engine/step/march.h"
#include "engine/step/pipeline.h"

#include "engine/math/scalar.h"
#include "engine/step/stepper_table.h"

#include <math.h>

#define RIDE_FRACTION 0.0625 /* of the gap tolerance: the least gap of what was pushed apart */
#define LEFT_FRACTION 0.01   /* of the gap tolerance: what is not worth a correction */
#define PUSH_RATE 2.0        /* smallest lengths a second, where bodies overlap beyond tolerance */
#define ROUNDS_MAX 3         /* of the position problem: it is linear, turning is not */
#define MOVE_FRACTION 0.25   /* of the smaller width: what bodies that touch may slide in a piece */
#define PIECES_MAX 32        /* of a tick */

/* Slower approaches have no restitution: what the forces add in two ticks [m/s]. */
static double
speed_rest(const struct cn_march *m)
{
    return cn_max(cn_model_velocity_rest(m->model),
        2.0 * cn_model_tick_duration(m->model) * cn_vec3_length(m->model->settings.gravity));
}

static double
contact_offset(struct cn_march *m, int i)
{
    const struct cn_contact *contact = &m->contact[i];
    double gap = contact->gap, rate = m->rate[i];
    m->hit[i] = rate < -speed_rest(m) && gap + m->h * rate <= m->model->gap_tolerance;
    if (m->hit[i]) {
        double e = cn_model_restitution(m->model, contact->shape_a, contact->shape_b);
        if (e > 0.0) {
            return e * rate;
        }
    }
    return cn_max(gap, 0.0) / m->h;
}

static double
joint_offset(const struct cn_march *m, const struct cn_joint_row *joint)
{
    return joint->tag == CN_ROW_NORMAL ? cn_max(joint->gap, 0.0) / m->h : 0.0;
}

/* Where forces alone take a point of a body [m/s]. */
static cn_vec3
speed_at(const struct cn_march *m, int body, cn_vec3 point)
{
    const struct cn_motion *motion = &m->model->motion[body];
    cn_vec3 spin = cn_vec3_add(motion->angular_velocity, m->gain[body].angular);
    cn_vec3 velocity = cn_vec3_add(motion->velocity, m->gain[body].linear);
    cn_vec3 arm = cn_vec3_sub(point, motion->position);
    return cn_vec3_add(velocity, cn_vec3_cross(spin, arm));
}

/* How long the bodies of a contact may go on before it is another one [s]. */
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

/* The pieces that the rest of the tick takes, by the contacts found. */
static int
pieces_of(const struct cn_march *m)
{
    int begun = (int)m->model->clock.pieces;
    int most = begun < PIECES_MAX ? PIECES_MAX - begun : 1;
    double least = HUGE_VAL;
    for (int i = 0; i < m->contact_count; i++) {
        least = cn_min(least, time_of(m, &m->contact[i]));
    }
    if (least >= m->h) {
        return 1;
    }
    return least * most <= m->h ? most : (int)ceil(m->h / least);
}

static const struct cn_march_rule time_rule = {contact_offset, joint_offset, pieces_of};

/* States the position problem at the model's motion. True when something is worth a solve. */
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

static void
correct_positions(struct cn_march *m)
{
    struct cn_model *model = m->model;
    for (int round = 0; round < ROUNDS_MAX && state_positions(m); round++) {
        cn_march_solve(m);
        for (int i = 0; i < model->body_count; i++) {
            struct cn_motion *motion = &model->motion[i];
            motion->position = cn_vec3_add(motion->position, m->response[i].linear);
            if (model->settings.dimension == CN_PLANAR) {
                motion->angle += m->response[i].angular.z;
                motion->orientation = cn_quat_about_z(motion->angle);
            } else {
                motion->orientation =
                    cn_quat_rotate_by(motion->orientation, m->response[i].angular);
            }
        }
    }
}

static enum cn_advance
time_advance(struct cn_step_context *context)
{
    struct cn_march march, *m = &march;
    if (context->pipeline != NULL) {
        bool done = cn_pipeline_step(
            context->pipeline, context->tools, context->scratch, &context->work);
        return done ? CN_ADVANCE_TICK : CN_ADVANCE_ROOM;
    }
    cn_march_init(m, context);
    if (!cn_march_search(m, &time_rule, &context->room_needed)) {
        return CN_ADVANCE_ROOM;
    }
    cn_march_rows(m, &time_rule);
    cn_march_solve(m);
    cn_march_keep(m);
    cn_march_move(m);
    correct_positions(m);
    cn_march_place(m);
    cn_joint_follow(m->model, m->pose);
    return m->piece_count == 1 ? CN_ADVANCE_TICK : CN_ADVANCE_PIECE;
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
};
