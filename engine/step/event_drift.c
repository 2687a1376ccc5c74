/*
 * event_drift.c: what integration leaves over, taken out where it arises.
 *
 * Contact forces hold the second derivative of a held gap at zero; its value and its rate drift by
 * the integration error.  After a step both are corrected by the smallest change in the metric of
 * the masses that satisfies the inequalities: the same complementarity problem at velocity and at
 * position level (truth: Gauss' principle; Moreau's projection).
 *
 *     velocity   rates of held gaps >= 0
 *     position   held gaps >= 1/16 of the tolerance
 *
 * Contacts so ride at a small positive gap, inside the tolerance, and bodies that slide over the
 * seam between two others do not catch on it.  A gap deeper than the tolerance (bodies that overlap
 * when the world begins) is opened at no more than PUSH_RATE lengths a second, without velocity.
 */
#include "engine/step/event.h"

#include "engine/math/scalar.h"

#include <math.h>

#define RIDE_FRACTION 0.0625 /* of the tolerance: the least gap of a held contact */
#define LEFT_FRACTION 1e-6   /* of the tolerances: what is not worth a correction */
#define PUSH_RATE 2.0        /* smallest lengths a second */

/* Poses and rows of the held contacts at the model's motion. */
static void
place_rows(struct cn_event_scratch *s)
{
    struct cn_model *model = s->model;
    cn_event_place(s, model->motion);
    for (int k = 0; k < s->row_count; k++) {
        struct cn_contact *contact = &s->contact[s->row_contact[k]];
        cn_contact_place(contact, &s->pose[contact->body_a], &s->pose[contact->body_b]);
        cn_contact_row(model, model->motion, s->pose, contact, &s->row[k]);
        s->tag[k] = CN_ROW_NORMAL;
    }
}

static void
correct_velocities(struct cn_event_scratch *s)
{
    struct cn_model *model = s->model;
    double rate_min = 0.0;
    for (int k = 0; k < s->row_count; k++) {
        s->b[k] = cn_contact_rate(model->motion, &s->contact[s->row_contact[k]], &s->row[k]);
        s->f[k] = 0.0;
        rate_min = cn_min(rate_min, s->b[k]);
    }
    if (rate_min >= -LEFT_FRACTION * model->velocity_tolerance) {
        return;
    }
    cn_event_solve(s);
    for (int k = 0; k < s->row_count; k++) {
        const struct cn_row *row = &s->row[k];
        for (int side = 0; side < 2; side++) {
            int body = side == 0 ? row->body_a : row->body_b;
            if (body < 0) {
                continue;
            }
            struct cn_motion *motion = &model->motion[body];
            cn_vec3 linear = side == 0 ? row->linear_a : row->linear_b;
            cn_vec3 angular = side == 0 ? row->angular_a : row->angular_b;
            motion->velocity =
                cn_vec3_add_scaled(motion->velocity, s->mass[body].linear * s->f[k], linear);
            motion->angular_velocity = cn_vec3_add_scaled(motion->angular_velocity, s->f[k],
                cn_mat33_apply(&s->mass[body].angular, angular));
        }
    }
}

static void
shift_body(struct cn_event_scratch *s, int body, double f, cn_vec3 linear, cn_vec3 angular)
{
    if (body < 0) {
        return;
    }
    struct cn_motion *motion = &s->model->motion[body];
    motion->position =
        cn_vec3_add_scaled(motion->position, s->mass[body].linear * f, linear);
    cn_vec3 turn = cn_vec3_scale(cn_mat33_apply(&s->mass[body].angular, angular), f);
    motion->angle += turn.z;
    motion->orientation = cn_quat_about_z(motion->angle);
}

static void
correct_positions(struct cn_event_scratch *s, double duration)
{
    struct cn_model *model = s->model;
    double tolerance = model->gap_tolerance, lack_max = 0.0;
    double push = PUSH_RATE * model->length_min * duration;
    for (int k = 0; k < s->row_count; k++) {
        double lack = RIDE_FRACTION * tolerance - s->contact[s->row_contact[k]].gap;
        s->b[k] = -(lack > tolerance ? cn_min(lack, push) : lack);
        s->f[k] = 0.0;
        lack_max = cn_max(lack_max, lack);
    }
    if (lack_max <= LEFT_FRACTION * tolerance) {
        return;
    }
    cn_event_solve(s);
    for (int k = 0; k < s->row_count; k++) {
        const struct cn_row *row = &s->row[k];
        shift_body(s, row->body_a, s->f[k], row->linear_a, row->angular_a);
        shift_body(s, row->body_b, s->f[k], row->linear_b, row->angular_b);
    }
}

void
cn_event_correct_drift(struct cn_event_scratch *s, double duration)
{
    if (s->row_count == 0) {
        return;
    }
    place_rows(s);
    correct_velocities(s);
    correct_positions(s, duration);
}
