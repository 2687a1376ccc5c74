/*
 * event_slip.c: the directions in which contacts slide.
 *
 * A contact slides along d while its speed along d lasts; friction is then -mu f_N d with the
 * coefficient of sliding.  In space d turns with the velocity across the contact, at every stage of
 * a step.  The end of sliding is an instant that the stepper finds, like a hit.  The same holds for
 * the discs of moments, of bodies that roll and spin: d is the axis about which they turn.
 */
#include "engine/step/event/event.h"

#include "engine/math/scalar.h"

#include <math.h>

/* Contacts end their rest at this speed, in parts of the tolerance. */
#define REST_LEFT 2.0

/* Of the tolerance: below it a velocity has no direction of its own. */
#define DIRECTION_MIN 1e-2

/* The present direction of sliding; it may turn, but not by more than a quarter turn in a step. */
static cn_vec3
present_slip(const struct cn_event_scratch *s, const struct cn_motion *motion,
    const struct cn_disc_rows *rows)
{
    cn_vec3 slip = rows->hold->slip;
    if (rows->count == 1) {
        bool backwards = cn_vec3_dot(slip, s->across[rows->first]) < 0.0;
        return cn_vec3_scale(s->across[rows->first], backwards ? -1.0 : 1.0);
    }
    cn_vec3 u = cn_event_slip_velocity(s, motion, rows);
    double speed = cn_vec3_length(u);
    if (speed * rows->width > DIRECTION_MIN * s->model->velocity_tolerance) {
        return cn_vec3_scale(u, (cn_vec3_dot(u, slip) < 0.0 ? -1.0 : 1.0) / speed);
    }
    cn_vec3 n = s->contact[s->source[rows->normal].contact].normal;
    cn_vec3 laid = cn_vec3_add_scaled(slip, -cn_vec3_dot(slip, n), n);
    return cn_vec3_scale(laid, 1.0 / cn_vec3_length(laid));
}

void
cn_event_turn_slip(struct cn_event_scratch *s, const struct cn_motion *motion)
{
    struct cn_disc_rows rows;
    for (int k = 0; k < s->row_count; k++) {
        if (!cn_event_find_disc(s, k, &rows)) {
            continue;
        }
        const struct cn_hold *hold = rows.hold;
        bool sliding = cn_event_slides(hold);
        s->mu[cn_disc_limit_row(&rows)] = sliding ? hold->sliding : hold->resting;
        bool begins = sliding && s->at_onset && hold->slip_level != 0.0;
        cn_vec3 slip = begins    ? (cn_vec3){0.0, 0.0, 0.0}
                       : sliding ? present_slip(s, motion, &rows)
                                 : hold->slip;
        for (int t = k; t < k + rows.count; t++) {
            s->slip[t] = cn_vec3_dot(slip, s->across[t]);
        }
    }
}

double
cn_event_slip_clearance(struct cn_event_scratch *s, const struct cn_motion *motion)
{
    double clearance = HUGE_VAL, tolerance = s->model->velocity_tolerance;
    if (!cn_event_has_discs(s)) {
        return clearance;
    }
    cn_event_move_rows(s, motion);
    struct cn_disc_rows rows;
    for (int k = 0; k < s->row_count; k++) {
        if (!cn_event_find_disc(s, k, &rows)) {
            continue;
        }
        const struct cn_hold *hold = rows.hold;
        cn_vec3 u = cn_event_slip_velocity(s, motion, &rows);
        double way = cn_event_slides(hold)
                         ? rows.width * (cn_vec3_dot(u, hold->slip) - hold->slip_level)
                         : REST_LEFT * tolerance - rows.width * cn_vec3_length(u);
        clearance = cn_min(clearance, way);
    }
    return clearance;
}
