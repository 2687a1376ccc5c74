/*
 * event_slip.c: the directions in which contacts slide.
 *
 * A contact slides along d while its speed along d lasts; friction is then -mu f_N d with the
 * coefficient of sliding.  In space d turns with the velocity across the contact, at every stage of
 * a step.  The end of sliding is an instant that the stepper finds, like a hit.
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
present_slip(const struct cn_event_scratch *s, const struct cn_motion *motion, int k)
{
    cn_vec3 slip = cn_event_grip_of(s, k)->slip;
    if (s->tangent_count == 1) {
        bool backwards = cn_vec3_dot(slip, s->across[k + 1]) < 0.0;
        return cn_vec3_scale(s->across[k + 1], backwards ? -1.0 : 1.0);
    }
    cn_vec3 u = cn_event_slip_velocity(s, motion, k);
    double speed = cn_vec3_length(u);
    if (speed > DIRECTION_MIN * s->model->velocity_tolerance) {
        return cn_vec3_scale(u, (cn_vec3_dot(u, slip) < 0.0 ? -1.0 : 1.0) / speed);
    }
    cn_vec3 n = s->contact[s->source[k].contact].normal;
    cn_vec3 laid = cn_vec3_add_scaled(slip, -cn_vec3_dot(slip, n), n);
    return cn_vec3_scale(laid, 1.0 / cn_vec3_length(laid));
}

void
cn_event_turn_slip(struct cn_event_scratch *s, const struct cn_motion *motion)
{
    for (int k = 0; k < s->row_count; k++) {
        int count = cn_event_tangents_behind(s, k);
        if (count == 0) {
            continue;
        }
        const struct cn_grip *grip = cn_event_grip_of(s, k);
        bool sliding = cn_event_slides(grip);
        s->mu[k] = sliding ? grip->sliding : grip->resting;
        cn_vec3 slip = sliding ? present_slip(s, motion, k) : grip->slip;
        for (int t = k + 1; t <= k + count; t++) {
            s->slip[t] = cn_vec3_dot(slip, s->across[t]);
        }
    }
}

double
cn_event_slip_clearance(struct cn_event_scratch *s, const struct cn_motion *motion)
{
    double clearance = HUGE_VAL, tolerance = s->model->velocity_tolerance;
    if (s->tangent_count == 0) {
        return clearance;
    }
    cn_event_move_rows(s, motion);
    for (int k = 0; k < s->row_count; k++) {
        if (cn_event_tangents_behind(s, k) == 0) {
            continue;
        }
        const struct cn_grip *grip = cn_event_grip_of(s, k);
        cn_vec3 u = cn_event_slip_velocity(s, motion, k);
        double way = cn_event_slides(grip) ? cn_vec3_dot(u, grip->slip) - grip->slip_level
                                  : REST_LEFT * tolerance - cn_vec3_length(u);
        clearance = cn_min(clearance, way);
    }
    return clearance;
}
