/*
 * event_friction.c: which contacts begin to slide, and what happens where no force exists.
 *
 * A contact whose speed is below the velocity tolerance rests.  The solver is asked for a force
 * within the cone of the resting coefficient that keeps it at rest.  If it answers with a force on
 * the cone's surface and an acceleration, sliding begins along that acceleration.  From this
 * instant on the coefficient is that of sliding, and where that is another one the forces are found
 * again.  At this instant the direction is no condition: the law of rest, with the coefficient of
 * sliding, gives forces against the accelerations of all contacts that begin to slide together.  A
 * contact that begins to slide within a step is found by its speed, above twice the tolerance, and
 * the step ends there.
 *
 * Moments against rolling and spinning have the same law: a ball rests, or it rolls on and its
 * moment is at the limit.  Their limit is one length, and a rate of turning counts as that of two
 * points which are the pair's smaller width apart.
 *
 * Where sliding friction leaves no forces at all (Painleve), velocities jump without a collision:
 * the same rows are solved at velocity level, pressed for JAM_FRACTION of a tick, where a solution
 * always exists.  An event (JAM) reports it, and the contacts report the impulses.  A view of such
 * an instant shows that impulse as forces that last a tick, and marks them as not a solution.
 *
 * Source: Baraff 1994, section 5 (static and dynamic friction; 5.3: no solution, and impulses).
 * Departure: he lets a contact's coefficient of sliding act from the next step on.
 */
#include "engine/step/event/event.h"

#include "engine/base/assert.h"
#include "engine/math/scalar.h"

#include <math.h>
#include <string.h>

/*
 * The slip level of a contact that began to slide at this instant, in parts of the tolerance.  Its
 * acceleration gives the direction of sliding, so its speed in that direction may be below 0.
 */
#define ONSET_LEVEL (-0.5)

/* Accelerations in parts of the judge's scale: above it a contact is not held. */
#define HELD_FRACTION 1e-8

/* Times that forces at one instant are found again for contacts that begin to slide. */
#define ONSET_ROUNDS_MAX 16

/*
 * The free acceleration presses a jammed contact for JAM_FRACTION of a tick, and at least to
 * JAM_PRESS of the present speeds.  To a smaller press a solver would answer with almost no
 * impulse.
 */
#define JAM_FRACTION 1e-4
#define JAM_PRESS 1e-5

/* If that gives no solution, other presses are tried, each larger by this factor. */
#define JAM_TRIALS 2
#define JAM_MORE 10.0

/* Of the press: impulses that miss the conditions by this much are not a solution. */
#define JAM_MISSED 1e-2

/* ---- the onset of sliding ---- */

/* The acceleration of a disc, after a solve. */
static cn_vec3
acceleration_across(const struct cn_event_scratch *s, const struct cn_disc_rows *rows)
{
    cn_vec3 sum = {0.0, 0.0, 0.0};
    for (int t = rows->first; t < rows->first + rows->count; t++) {
        double a = s->b[t] + cn_row_rate(&s->row[t], s->response);
        sum = cn_vec3_add_scaled(sum, a, s->across[t]);
    }
    return sum;
}

/* Whether the disc began to slide at this instant. */
static bool
is_onset(const struct cn_hold *hold)
{
    return cn_event_slides(hold) && hold->slip_level != 0.0;
}

/*
 * Lets discs slide whose limit does not hold them, along their accelerations; true: the forces must
 * be found again.
 */
static bool
begin_to_slide(struct cn_event_scratch *s)
{
    double least = HELD_FRACTION * cn_residual_scale(s->b, s->row_count);
    bool changed = false;
    struct cn_disc_rows rows;
    for (int k = 0; k < s->row_count; k++) {
        if (!cn_event_find_disc(s, k, &rows)) {
            continue;
        }
        struct cn_hold *hold = rows.hold;
        cn_vec3 a = acceleration_across(s, &rows);
        double length = cn_vec3_length(a);
        if (hold->pinned || (cn_event_slides(hold) && !is_onset(hold))) {
            continue;
        }
        if (length > least) {
            bool begins = !is_onset(hold) && hold->sliding != hold->resting;
            changed = changed || (begins && s->f[rows.normal] > 0.0);
            hold->slip = cn_vec3_scale(a, 1.0 / length);
            double speed = cn_vec3_dot(cn_event_slip_velocity(s, s->start, &rows), hold->slip);
            double tolerance = s->model->velocity_tolerance / rows.width;
            hold->slip_level = cn_min(speed, 0.0) + ONSET_LEVEL * tolerance;
        } else if (is_onset(hold)) {
            hold->slip = (cn_vec3){0.0, 0.0, 0.0}; /* it is held, because other discs slide */
            hold->pinned = true;
            changed = changed || hold->sliding != hold->resting;
        }
    }
    return changed;
}

static void
rates_with_onset(struct cn_event_scratch *s)
{
    s->at_onset = true;
    cn_event_rates(s, s->start, 0);
    for (int round = 0; cn_event_has_discs(s) && round < ONSET_ROUNDS_MAX; round++) {
        /* With an error as large as a slip, forces do not show which contacts slip. */
        bool unsolved = s->note.residual > HELD_FRACTION;
        if (s->note.outcome == CN_SOLVE_INFEASIBLE || unsolved || !begin_to_slide(s)) {
            break;
        }
        cn_event_rates(s, s->start, 0);
    }
    s->at_onset = false;
}

/* ---- no forces ---- */

/* How long the free accelerations press the contacts of a jam, to a speed of `press` [s]. */
static double
press_duration(const struct cn_event_scratch *s, double press)
{
    double pressing = 0.0, speed = 1.0;
    for (int k = 0; k < s->row_count; k++) {
        if (s->tag[k] == CN_ROW_NORMAL) {
            pressing = cn_max(pressing, -s->b[k]);
        }
        speed = cn_max(speed, fabs(cn_event_row_rate(s, s->start, k)));
    }
    double duration = JAM_FRACTION * cn_model_tick_duration(s->model);
    bool light = pressing > 0.0 && pressing * duration < press * speed;
    return light ? press * speed / pressing : duration;
}

/* Solves the problem of impulses of a jam under this press; false when no solution is found. */
static bool
find_jam_under(struct cn_event_scratch *s, double press)
{
    double duration = press_duration(s, press);
    for (int k = 0; k < s->row_count; k++) {
        s->f_other[k] = cn_event_row_rate(s, s->start, k);
        s->b[k] = s->f_other[k] + duration * s->b[k];
        s->f[k] = s->slip[k] = 0.0;
        if (s->tag[k] == CN_ROW_BOUNDED) {
            s->lower[k] *= duration;
            s->upper[k] *= duration;
        }
    }
    cn_event_solve_impulses(s);
    return s->note.residual <= JAM_MISSED * press;
}

/*
 * Makes an impulse problem of the present rows, with everything at rest across, and solves it.
 * False if no solution is found.
 */
static bool
find_jam(struct cn_event_scratch *s)
{
    double press = JAM_PRESS;
    bool found = find_jam_under(s, press);
    for (int again = 0; !found && again < JAM_TRIALS && !cn_event_is_spent(s, 0); again++) {
        cn_event_state(s, s->start);
        press *= JAM_MORE;
        found = find_jam_under(s, press);
    }
    if (found) {
        cn_event_take_gain(s, s->f_other);
    }
    return found;
}

/* Lets velocities jump; false if no impulse does it. */
static bool
jam(struct cn_event_scratch *s)
{
    if (!find_jam(s)) {
        return false;
    }
    double sum = 0.0;
    int hardest = 0;
    for (int k = 0; k < s->row_count; k++) {
        bool normal = s->tag[k] == CN_ROW_NORMAL;
        sum += normal ? s->f[k] : 0.0;
        hardest = normal && s->f[k] > s->f[hardest] ? k : hardest;
    }
    cn_event_push(s);
    cn_event_tell_impulses(s);
    cn_event_note_at(s, hardest, CN_EVENT_JAM, sum);
    return true;
}

/* Shows the impulse of a jam as forces that last a tick, for views. */
static void
show_jam(struct cn_event_scratch *s)
{
    CN_ASSERT(s->looks && s->row_count > 0);
    double duration = cn_model_tick_duration(s->model);
    (void)find_jam(s); /* the best that was found, and its error */
    for (int k = 0; k < s->row_count; k++) {
        s->f[k] /= duration;
    }
    cn_event_state(s, s->start);
    cn_event_judge(s);
    s->note.outcome = CN_SOLVE_INFEASIBLE;
    for (int i = 0; i < s->model->body_count; i++) {
        s->stage[0][i].acceleration = cn_vec3_add(s->free[i].linear, s->response[i].linear);
        s->stage[0][i].angular_acceleration =
            cn_vec3_add(s->free[i].angular, s->response[i].angular);
    }
}

bool
cn_event_rates_at_start(struct cn_event_scratch *s, bool may_jam)
{
    rates_with_onset(s);
    if (!cn_event_has_no_forces(s)) {
        return true;
    }
    if (!may_jam) {
        show_jam(s);
        return false;
    }
    bool given_up = s->note.outcome == CN_SOLVE_ITERATIONS_MAX && cn_event_is_spent(s, 0);
    if (given_up || !jam(s)) {
        return false;
    }
    CN_ASSERT(!s->looks);
    struct cn_model *model = s->model;
    memcpy(s->start, model->motion, (size_t)model->body_count * sizeof(s->start[0]));
    cn_event_choose_rows(s);
    rates_with_onset(s);
    return !cn_event_has_no_forces(s);
}
