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
    cn_event_push(s);
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
    for (int i = 0; i < model->body_count; i++) {
        struct cn_motion *motion = &model->motion[i];
        motion->position = cn_vec3_add(motion->position, s->response[i].linear);
        if (model->settings.dimension == CN_PLANAR) {
            motion->angle += s->response[i].angular.z;
            motion->orientation = cn_quat_about_z(motion->angle);
        } else {
            motion->orientation =
                cn_quat_turn_by(motion->orientation, s->response[i].angular);
        }
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
