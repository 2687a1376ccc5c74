/*
 * event.c: the stepper `event`: integrates the equations of motion from impact to impact.
 *
 * One piece of a tick:
 *
 *     1. search   pairs that may touch, contacts that do; a duration in which nothing can pass
 *     2. impacts  touching bodies that approach are parted (event_impact.c)
 *     3. rows     contacts that touch and do not part are held by forces; one that parts slower
 *                 than the resting velocity rises
 *     4. step     classical Runge-Kutta, contact forces solved in every evaluation:
 *
 *                 k1 = f(y0)            k2 = f(y0 + h/2 k1)    k3 = f(y0 + h/2 k2)
 *                 k4 = f(y0 + h k3)     y1 = y0 + h/6 (k1 + 2 k2 + 2 k3 + k4)     k5 = f(y1)
 *
 *                 with the embedded third-order error estimate h/10 (k4 - k5); a step whose
 *                 estimate is above tolerance is taken again, shorter.  In space
 *                 q' = w q / 2 and I w' = torque - w x I w, with I in world axes
 *     5. hit      when something was hit on the way, a held contact slid off its face, or one that
 *                 rose turns back, the time of the first such event is bracketed by regula falsi
 *                 (Illinois) on the cubic Hermite polynomial through y0, k1, y1 and k5, and by
 *                 Runge-Kutta steps from y0 to the times found there; the piece ends there
 *                 A step that gains energy is not taken (event_energy.c)
 *     6. drift    gap and rate errors of held contacts are corrected (event_drift.c)
 *
 * Source: Baraff 1989: contact forces at acceleration level (sections 4-6), impacts (8), times of
 * collision by bracketing and regula falsi, restarting the integrator at each (3).  Error estimate:
 * Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I, section II.4 (embedded
 * formulas; the fifth stage is the first of the next step).
 *
 * The bounds of a tick, so that no scene hangs a world, are in event_bounds.c.
 *
 * A contact that rises slower than the resting velocity r = 1e-3 sqrt(g L) under gravity turns back
 * r^2 / 2g = 5e-7 L above its start, a twentieth of the tolerance: it touches there, is at rest
 * there, and is held from there on.  Otherwise a block that rocks on two corners would never rest:
 * each corner's plastic impact lifts the other, in a geometric sequence.  This needs no impulse:
 * velocities change only by impacts and forces.
 */
#include "engine/step/event/event.h"
#include "engine/step/march/march.h"

#include "engine/base/assert.h"
#include "engine/math/scalar.h"
#include "engine/step/stepper_table.h"

#include <math.h>
#include <string.h>

#define HIT_TRIALS_MAX 60
#define PATH_TRIALS_MAX 5 /* of these, along the cubic through the step's ends */

/* A piece that only joints make short counts for one in so many parts of its work. */
#define JOINTS_PARTS 8

/*
 * The cost of finding the time of a hit, in steps.  With less work left, the search does not begin.
 */
#define BRACKET_STEPS 3

/*
 * A search for the time at which clearance(time) passes a target: Illinois' regula falsi, which
 * keeps a bracket.
 */
struct bracket {
    double low, high;               /* times [s] */
    double weight_low, weight_high; /* clearances less target there; halved at an end that stays */
    int side, trial;
};

static double
bracket_guess(struct bracket *r)
{
    double time = (r->weight_low * r->high - r->weight_high * r->low) /
                  (r->weight_low - r->weight_high);
    double guard = 1e-3 * (r->high - r->low); /* far ends are replaced too */
    time = cn_clamp(time, r->low + guard, r->high - guard);
    if (r->trial >= 12 && r->trial % 3 == 2) {
        time = 0.5 * (r->low + r->high); /* a kinked clearance may stall the secant */
    }
    r->trial++;
    return time;
}

static void
bracket_narrow(struct bracket *r, double time, double left)
{
    if (left > 0.0) {
        r->low = time;
        r->weight_low = left;
        r->weight_high = r->side == 1 ? 0.5 * r->weight_high : r->weight_high;
        r->side = 1;
    } else {
        r->high = time;
        r->weight_high = left;
        r->weight_low = r->side == -1 ? 0.5 * r->weight_low : r->weight_low;
        r->side = -1;
    }
}

static bool
bracket_goes_on(const struct cn_event_scratch *s, const struct bracket *r)
{
    double shortest = STEP_FRACTION_MIN * 1e-3 * cn_model_tick_duration(s->model);
    return r->trial < HIT_TRIALS_MAX && r->high - r->low > shortest;
}

/* The time at which the path through end[], `h` later, has the clearance `target`. */
static double
find_on_path(struct cn_event_scratch *s, double h, double clearance_low, double clearance_high,
    double target)
{
    double near = 0.25 * HIT_FRACTION * s->model->length_min, time = h;
    struct bracket r = {.high = h, .weight_low = clearance_low - target,
        .weight_high = clearance_high - target};
    while (bracket_goes_on(s, &r)) {
        time = bracket_guess(&r);
        cn_event_interpolate(s, h, time);
        double left = cn_event_clearance(s, s->trial) - target;
        if (fabs(left) <= near) {
            break;
        }
        bracket_narrow(&r, time, left);
    }
    return time;
}

/*
 * trial[] is beyond a hit: its clearance after h is clearance_high < 0.  Leaves trial[] at the hit
 * and returns its time.  A step to a time costs four solves; the cubic through both ends of the
 * step costs none.  So a time is found on the cubic, and a step is taken to it.  The step misses
 * the hit by the error of the cubic, and the next time is found with that correction.  If the cubic
 * does not help, only steps are used.  Returns -1 if the tick's work is spent, or if a step has no
 * forces or gains energy.
 */
static double
bracket_hit(struct cn_event_scratch *s, double h, double clearance_low, double clearance_high)
{
    const struct cn_model *model = s->model;
    double near = HIT_FRACTION * model->length_min, target = 0.0, time = h;
    struct bracket r = {
        .high = h, .weight_low = clearance_low, .weight_high = clearance_high};
    memcpy(s->end, s->trial, (size_t)model->body_count * sizeof(s->end[0]));
    memcpy(s->end_rate, s->stage[4], (size_t)model->body_count * sizeof(s->end_rate[0]));
    while (bracket_goes_on(s, &r)) {
        if (cn_event_is_spent(s, 0)) {
            return -1.0;
        }
        bool guided = r.trial < PATH_TRIALS_MAX && clearance_low > target &&
                      clearance_high < target;
        double guess = bracket_guess(&r);
        time = guided ? find_on_path(s, h, clearance_low, clearance_high, target) : guess;
        time = time > r.low && time < r.high ? time : guess;
        cn_event_runge_kutta(s, time);
        if (s->lacks_forces || s->gains) {
            return -1.0;
        }
        double clearance = cn_event_clearance(s, s->trial);
        if (fabs(clearance) <= near) {
            return time;
        }
        target -= clearance;
        bracket_narrow(&r, time, clearance);
    }
    if (time != r.high) {
        cn_event_runge_kutta(s, r.high);
    }
    return s->lacks_forces || s->gains ? -1.0 : r.high;
}

/* Whether something may have been hit on the way to trial[]: bases only raise the clearance. */
static bool
is_hit(struct cn_event_scratch *s)
{
    return cn_event_clearance(s, s->trial) < 0.0;
}

/*
 * Whether something was hit on the way to trial[], which is *h later.  If so, moves trial[] and *h
 * to the hit.  *h is -1 if the tick's work is spent before the hit is found.
 */
static bool
find_hit(struct cn_event_scratch *s, double *h)
{
    double clearance_low = cn_event_clearance_base(s);
    double clearance_high = cn_event_clearance(s, s->trial);
    if (clearance_high >= 0.0) {
        return false;
    }
    *h = bracket_hit(s, *h, clearance_low, clearance_high);
    return true;
}

/* Reports bodies that overlap deeper than tolerance. */
static void
note_overlaps(struct cn_event_scratch *s)
{
    struct cn_model *model = s->model;
    for (int i = 0; i < s->contact_count;) {
        const struct cn_contact *first = &s->contact[i];
        double gap = first->gap;
        for (; i < s->contact_count && cn_contact_same_pair(&s->contact[i], first); i++) {
            gap = cn_min(gap, s->contact[i].gap);
        }
        if (gap < -2.0 * model->gap_tolerance) {
            cn_answer_tell_overlap(model, first->body_a, first->body_b, -gap);
        }
    }
}

/* Makes trial[] the state, `h` later. */
static void
accept(struct cn_event_scratch *s, double h)
{
    struct cn_model *model = s->model;
    memcpy(model->motion, s->trial, (size_t)model->body_count * sizeof(s->trial[0]));
    for (int i = 0; i < model->body_count; i++) {
        if (model->settings.dimension == CN_PLANAR) {
            model->motion[i].orientation = cn_quat_about_z(model->motion[i].angle);
        }
    }
    model->clock.elapsed += h;
    cn_event_note_squeezed(s);
}

/*
 * A piece of the coarse rest.  Bodies that rotate may overlap at its end, because each of its steps
 * uses the poses before it.
 */
static enum cn_advance
coarse_piece(struct cn_step_context *context)
{
    struct cn_model *model = context->model;
    CN_ASSERT(model->clock.coarse);
    size_t bodies = (size_t)model->body_count;
    double elapsed = model->clock.elapsed;
    struct cn_step_context piece = *context;
    struct cn_motion *start = CN_ARENA_TAKE(&piece.scratch, struct cn_motion, bodies);
    memcpy(start, model->motion, bodies * sizeof(start[0]));
    enum cn_advance advance = cn_march_time_piece(&piece);
    context->work = piece.work;
    context->room_needed = piece.room_needed;
    if (advance != CN_ADVANCE_ROOM) {
        double duration = model->clock.elapsed - elapsed;
        cn_event_limit_coarse_lift(model, piece.scratch, start, duration);
    }
    if (advance != CN_ADVANCE_TICK) {
        return advance;
    }
    struct cn_event_scratch scratch, *s = &scratch;
    cn_event_scratch_init(s, context);
    int event_count = model->event_count, event_dropped = model->event_dropped, room;
    double found = cn_event_search(s, 0.0, &room);
    model->event_count = event_count; /* contacts that the search left out were reported already */
    model->event_dropped = event_dropped;
    if (found >= 0.0) {
        note_overlaps(s);
    }
    return advance;
}

static enum cn_advance
event_advance(struct cn_step_context *context)
{
    struct cn_model *model = context->model;
    struct cn_event_scratch scratch, *s = &scratch;
    if (model->clock.coarse) {
        return coarse_piece(context);
    }
    cn_event_scratch_init(s, context);
    double tick = cn_model_tick_duration(model);
    double left = tick - model->clock.elapsed;
    double wanted = model->clock.step_next > 0.0 ? model->clock.step_next : tick;
    double h = cn_event_search(s, cn_min(left, wanted), &context->room_needed);
    if (h < 0.0) {
        return CN_ADVANCE_ROOM;
    }
    if (model->clock.pieces == 0) {
        note_overlaps(s);
    }
    CN_ASSERT(s->contact_count <= model->contact_max);
    uint32_t impacts_before = model->clock.impacts;
    double kinetic = cn_event_kinetic(model, model->motion);
    cn_event_impacts(s);
    cn_event_watch_bounds(s, model->clock.impacts > impacts_before);
    if (model->clock.coarse) {
        return coarse_piece(context);
    }
    cn_event_choose_rows(s);
    memcpy(s->start, model->motion, (size_t)model->body_count * sizeof(s->start[0]));
    if (!cn_event_rates_at_start(s, true)) {
        /* Forces that are not a solution must not act. */
        cn_event_go_coarse(s, model->clock.pieces);
        return coarse_piece(context);
    }
    double step_before = cn_max(h, 0.5 * wanted);
    bool hit = false;
    int64_t work_step = *s->work;
    h = cn_event_controlled_step(s, h);
    work_step = *s->work - work_step;
    if (h > 0.0 && !model->clock.unsearched && is_hit(s)) {
        if (cn_event_is_spent(s, BRACKET_STEPS * work_step)) {
            cn_event_go_coarse(s, model->clock.pieces);
            return coarse_piece(context);
        }
        hit = find_hit(s, &h);
        model->clock.step_next = hit ? step_before : model->clock.step_next;
    }
    if (h < 0.0) {
        cn_event_go_coarse(s, model->clock.pieces);
        return coarse_piece(context);
    }
    if (h > 0.0) {
        cn_event_keep_forces(s);
        accept(s, h);
        s->lost = kinetic + s->given - cn_event_kinetic(model, model->motion);
        cn_event_correct_drift(s, h);
        cn_event_follow_joints(s);
    }
    model->clock.pieces++;
    bool meets = s->contact_count > 0 || model->clock.impacts > impacts_before || hit;
    uint64_t work = (uint64_t)(*s->work - s->work_before);
    bool free = !meets && s->joint_max == 0;
    model->clock.spent += meets ? work : free ? 0 : work / JOINTS_PARTS;
    return model->clock.elapsed >= tick * (1.0 - 1e-12) ? CN_ADVANCE_TICK : CN_ADVANCE_PIECE;
}

static enum cn_advance
event_evaluate(struct cn_step_context *context, struct cn_instant *instant)
{
    struct cn_model *model = context->model;
    struct cn_event_scratch scratch, *s = &scratch;
    cn_event_scratch_init(s, context);
    int event_count = model->event_count, event_dropped = model->event_dropped;
    double found = cn_event_search(s, 0.0, &context->room_needed);
    model->event_count = event_count; /* contacts that the search left out were reported already */
    model->event_dropped = event_dropped;
    if (found < 0.0) {
        return CN_ADVANCE_ROOM;
    }
    cn_event_choose_rows(s);
    s->looks = true;
    s->minimum_norm = model->settings.minimum_norm; /* accelerations do not depend on it */
    memcpy(s->start, model->motion, (size_t)model->body_count * sizeof(s->start[0]));
    (void)cn_event_rates_at_start(s, false);
    cn_event_instant(s, instant);
    return CN_ADVANCE_TICK;
}

static double
event_resting_velocity(const struct cn_model *model, const struct cn_solver *solver)
{
    (void)solver;
    return cn_model_resting_velocity(model, cn_model_velocity_rest(model));
}

/* Lays out the scratch for this stepper and for march.h, which may do the rest of a tick in it. */
static void
event_layout(
    struct cn_arena *scratch, const struct cn_model *model, const struct cn_solver *solver)
{
    struct cn_arena march = *scratch;
    (void)CN_ARENA_TAKE(&march, struct cn_motion, (size_t)model->body_count);
    struct cn_arena coarse = march;
    cn_event_coarse_layout(&coarse, model);
    cn_march_layout(&march, model, solver);
    cn_event_layout(scratch, model, solver);
    size_t most = march.used > coarse.used ? march.used : coarse.used;
    if (most > scratch->used) {
        (void)cn_arena_take(scratch, most - scratch->used);
    }
}

const struct cn_stepper cn_stepper_event = {
    .name = "event",
    .cite = "Baraff, SIGGRAPH 1989; Runge-Kutta 4(3) from impact to impact",
    .text = "integrates from impact to impact: exact contact forces, for worlds of some hundred "
            "contacts",
    .planar = true,
    .spatial = true,
    .solver_kinds = CN_STEPS(CN_SOLVER_PROBLEM),
    .layout = event_layout,
    .advance = event_advance,
    .evaluate = event_evaluate,
    .resting_velocity = event_resting_velocity,
};
