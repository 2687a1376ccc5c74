/*
 * event_friction.c: which contacts slide, which rest, and what happens where no force exists.
 *
 * A contact slides along d while its speed along d lasts; friction is then -mu f_N d with the
 * coefficient of sliding.  In space d turns with the velocity across the contact, at every stage of
 * a step.  The end of sliding is an instant that the stepper finds, like a hit.
 *
 * A contact whose speed is below the velocity tolerance rests.  The solver is asked for a force
 * within the cone of the resting coefficient that leaves it so.  Where it answers with a force on
 * the rim and an acceleration, sliding begins along that acceleration: the coefficient is then that
 * of sliding, from the first instant on, and the forces are found again.  A contact that begins to
 * slide within a step is told by its speed, above twice the tolerance, and the step ends there.
 *
 * Where sliding friction leaves no forces at all (Painleve), velocities jump without a collision:
 * the same rows are solved at velocity level, over JAM_FRACTION of a tick, where a solution always
 * exists; with an event (JAM).
 *
 * Source: Baraff 1994, section 5 (static and dynamic friction; 5.3: no solution, and impulses).
 * Departure: he lets a contact's coefficient of sliding act from the next step on.
 */
#include "engine/step/event.h"

#include "engine/base/assert.h"
#include "engine/math/scalar.h"

#include <math.h>
#include <string.h>

/* Contacts at rest leave it at this speed, in parts of the tolerance. */
#define REST_LEFT 2.0

/* Of the tolerance: a contact that began to slide at this instant may be this slow. */
#define ONSET_LEVEL (-0.5)

/* Of the tolerance: below it a velocity has no direction of its own. */
#define DIRECTION_MIN 1e-2

/* Accelerations in parts of the judge's scale: above it a contact is not held. */
#define HELD_FRACTION 1e-8

/* Times that forces at one instant are found again for contacts that begin to slide. */
#define ONSET_ROUNDS_MAX 16

/* Parts of a tick over which the free acceleration presses a jammed contact. */
#define JAM_FRACTION 1e-4

static bool
slides(const struct cn_grip *grip)
{
    return cn_vec3_dot(grip->slip, grip->slip) > 0.0;
}

static struct cn_grip *
grip_of(const struct cn_event_scratch *s, int k)
{
    return &s->grip[s->source[k].contact];
}

cn_vec3
cn_event_slip_velocity(const struct cn_event_scratch *s, const struct cn_motion *motion, int k)
{
    cn_vec3 sum = {0.0, 0.0, 0.0};
    for (int t = k + 1; t <= k + cn_event_tangents_behind(s, k); t++) {
        sum = cn_vec3_add_scaled(sum, cn_event_row_rate(s, motion, t), s->across[t]);
    }
    return sum;
}

void
cn_event_choose_slip(struct cn_event_scratch *s)
{
    for (int k = 0; k < s->row_count; k++) {
        if (cn_event_tangents_behind(s, k) == 0) {
            continue;
        }
        struct cn_grip *grip = grip_of(s, k);
        cn_vec3 u = cn_event_slip_velocity(s, s->model->motion, k);
        double speed = cn_vec3_length(u);
        bool fast = speed > s->model->velocity_tolerance;
        grip->slip = fast ? cn_vec3_scale(u, 1.0 / speed) : (cn_vec3){0.0, 0.0, 0.0};
        grip->slip_level = 0.0;
        grip->pinned = false;
    }
}

/* The present direction of sliding; it may turn, but not by more than a quarter turn in a step. */
static cn_vec3
present_slip(const struct cn_event_scratch *s, const struct cn_motion *motion, int k)
{
    cn_vec3 slip = grip_of(s, k)->slip;
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
        const struct cn_grip *grip = grip_of(s, k);
        bool sliding = slides(grip);
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
        const struct cn_grip *grip = grip_of(s, k);
        cn_vec3 u = cn_event_slip_velocity(s, motion, k);
        double way = slides(grip) ? cn_vec3_dot(u, grip->slip) - grip->slip_level
                                  : REST_LEFT * tolerance - cn_vec3_length(u);
        clearance = cn_min(clearance, way);
    }
    return clearance;
}

/* ---- the onset of sliding ---- */

/* The acceleration across contact k's normal, after a solve. */
static cn_vec3
acceleration_across(const struct cn_event_scratch *s, int k)
{
    cn_vec3 sum = {0.0, 0.0, 0.0};
    for (int t = k + 1; t <= k + cn_event_tangents_behind(s, k); t++) {
        double a = s->b[t] + cn_row_rate(&s->row[t], s->response);
        sum = cn_vec3_add_scaled(sum, a, s->across[t]);
    }
    return sum;
}

/* Lets contacts slide that friction does not hold; true when the forces are to be found again. */
static bool
begin_to_slide(struct cn_event_scratch *s)
{
    double least = HELD_FRACTION * cn_residual_scale(s->b, s->row_count);
    bool changed = false;
    for (int k = 0; k < s->row_count; k++) {
        if (cn_event_tangents_behind(s, k) == 0) {
            continue;
        }
        struct cn_grip *grip = grip_of(s, k);
        cn_vec3 a = acceleration_across(s, k);
        double length = cn_vec3_length(a);
        if (grip->pinned || (slides(grip) && grip->slip_level == 0.0)) {
            continue;
        }
        if (!slides(grip) && length > least) {
            grip->slip = cn_vec3_scale(a, 1.0 / length);
            grip->slip_level = ONSET_LEVEL * s->model->velocity_tolerance;
            changed = changed || s->f[k] > 0.0;
        } else if (slides(grip) && cn_vec3_dot(a, grip->slip) < -least) {
            grip->slip = (cn_vec3){0.0, 0.0, 0.0}; /* the others' sliding holds it after all */
            grip->pinned = true;
            changed = true;
        }
    }
    return changed;
}

static void
rates_with_onset(struct cn_event_scratch *s)
{
    cn_event_rates(s, s->start, s->stage[0]);
    for (int round = 0; s->tangent_count > 0 && round < ONSET_ROUNDS_MAX; round++) {
        if (s->note.outcome == CN_SOLVE_INFEASIBLE || !begin_to_slide(s)) {
            return;
        }
        cn_event_rates(s, s->start, s->stage[0]);
    }
}

/* ---- no forces ---- */

/*
 * Makes an impulse problem of the rows that there are, with everything at rest across, and applies
 * its solution.  False when that has none either, or none that changes anything.
 */
static bool
jam(struct cn_event_scratch *s)
{
    struct cn_model *model = s->model;
    double duration = JAM_FRACTION * cn_model_tick_duration(model), sum = 0.0;
    int hardest = 0;
    for (int k = 0; k < s->row_count; k++) {
        s->b[k] = cn_event_row_rate(s, s->start, k) + duration * s->b[k];
        s->f[k] = s->slip[k] = 0.0;
        if (s->tag[k] == CN_ROW_BOUNDED) {
            s->lower[k] *= duration;
            s->upper[k] *= duration;
        }
    }
    cn_event_solve(s);
    if (s->note.outcome == CN_SOLVE_INFEASIBLE) {
        return false;
    }
    for (int k = 0; k < s->row_count; k++) {
        bool normal = s->tag[k] == CN_ROW_NORMAL;
        sum += normal ? s->f[k] : 0.0;
        hardest = normal && s->f[k] > s->f[hardest] ? k : hardest;
    }
    cn_event_push(s);
    cn_event_note_at(s, hardest, CN_EVENT_JAM, sum);
    return true;
}

void
cn_event_rates_at_start(struct cn_event_scratch *s, bool may_jam)
{
    rates_with_onset(s);
    if (s->tangent_count == 0 || s->note.outcome != CN_SOLVE_INFEASIBLE || !may_jam || !jam(s)) {
        return;
    }
    struct cn_model *model = s->model;
    memcpy(s->start, model->motion, (size_t)model->body_count * sizeof(s->start[0]));
    cn_event_choose_rows(s);
    rates_with_onset(s);
}
