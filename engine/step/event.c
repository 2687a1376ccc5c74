/*
 * event.c: the stepper `event`: integrates the equations of motion from impact to impact.
 *
 * One piece of a tick:
 *
 *     1. search   pairs that may touch, contacts that do; a duration in which nothing can pass
 *     2. impacts  touching bodies that approach are parted (event_impact.c)
 *     3. rows     contacts that touch and do not part are held by forces
 *     4. step     classical Runge-Kutta, contact forces solved in every evaluation:
 *
 *                 k1 = f(y0)            k2 = f(y0 + h/2 k1)    k3 = f(y0 + h/2 k2)
 *                 k4 = f(y0 + h k3)     y1 = y0 + h/6 (k1 + 2 k2 + 2 k3 + k4)     k5 = f(y1)
 *
 *                 with the embedded third-order error estimate h/10 (k4 - k5); a step whose
 *                 estimate is above tolerance is taken again, shorter.  In space
 *                 q' = w q / 2 and I w' = torque - w x I w, with I in world axes
 *     5. hit      when something was hit on the way, or a held contact slid off its face, the time
 *                 of the first such event is bracketed by regula falsi (Illinois), each trial a
 *                 Runge-Kutta step from y0, and the piece ends there
 *     6. drift    gap and rate errors of held contacts are corrected (event_drift.c)
 *
 * Source: Baraff 1989: contact forces at acceleration level (sections 4-6), impacts (8), times of
 * collision by bracketing and regula falsi, restarting the integrator at each (3).  Error estimate:
 * Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I, section II.4 (embedded
 * formulas; the fifth stage is the first of the next step).
 *
 * Bounds, so that no scene hangs a world; what is cut short is an event.
 *     impacts in a tick      instants that have some; of joints' stops each.  Above
 *                            IMPACTS_BASE + IMPACTS_PER_BODY n: no restitution for its rest
 *                            (ZENO); above twice that: no search for hits either (IMPACT_LIMIT)
 *     pieces in a tick       above PIECES_MAX: no search for hits (IMPACT_LIMIT)
 *     smallest step          STEP_FRACTION_MIN of a tick: accepted whatever its error (STEP_MIN)
 *     trials of a hit time   HIT_TRIALS_MAX: the bracket's end is taken; the bodies touch there as
 *                            they do within tolerance, so nobody is told
 *
 * Without the search neither hits nor what could pass through something shorten a step, so the rest
 * of the tick takes no more pieces than it has smallest steps.  A body whose state would not be
 * finite, or beyond CN_MOTION_MAX, is put back and held (QUARANTINE).
 */
#include "engine/step/event.h"

#include "engine/base/assert.h"
#include "engine/math/scalar.h"
#include "engine/step/stepper_table.h"

#include <math.h>
#include <string.h>

#define IMPACTS_BASE 64
#define IMPACTS_PER_BODY 16
#define PIECES_MAX 2000
#define HIT_TRIALS_MAX 60

/*
 * trial[] lies beyond a hit, at clearance_high < 0 after h. Leaves trial[] at the hit and returns
 * its time: Illinois' regula falsi, which keeps a bracket and halves the weight of a stale end.
 */
static double
bracket_hit(struct cn_event_scratch *s, double h, double clearance_low, double clearance_high)
{
    const struct cn_model *model = s->model;
    double near = HIT_FRACTION * model->length_min;
    double low = 0.0, high = h, weight_low = clearance_low, weight_high = clearance_high;
    double shortest = STEP_FRACTION_MIN * 1e-3 * cn_model_tick_duration(model);
    double time = h;
    int side = 0;
    for (int trial = 0; trial < HIT_TRIALS_MAX && high - low > shortest; trial++) {
        time = (weight_low * high - weight_high * low) / (weight_low - weight_high);
        double guard = 1e-3 * (high - low); /* far ends are replaced too */
        time = cn_clamp(time, low + guard, high - guard);
        if (trial >= 12 && trial % 3 == 2) {
            time = 0.5 * (low + high); /* a kinked clearance may stall the secant */
        }
        cn_event_runge_kutta(s, time);
        double clearance = cn_event_clearance(s, s->trial);
        if (fabs(clearance) <= near) {
            return time;
        }
        if (clearance > 0.0) {
            low = time;
            weight_low = clearance;
            weight_high = side == 1 ? 0.5 * weight_high : weight_high;
            side = 1;
        } else {
            high = time;
            weight_high = clearance;
            weight_low = side == -1 ? 0.5 * weight_low : weight_low;
            side = -1;
        }
    }
    if (time != high) {
        cn_event_runge_kutta(s, high);
    }
    return high;
}

/*
 * Whether something was hit on the way to trial[], *h later; then trial[] and *h are those of the
 * hit.  Bases only raise the clearance, so they are not looked for where it is positive without.
 */
static bool
find_hit(struct cn_event_scratch *s, double *h)
{
    if (cn_event_clearance(s, s->trial) >= 0.0) {
        return false;
    }
    double clearance_low = cn_event_clearance_base(s);
    double clearance_high = cn_event_clearance(s, s->trial);
    if (clearance_high >= 0.0) {
        return false;
    }
    *h = bracket_hit(s, *h, clearance_low, clearance_high);
    return true;
}

/* Raises the bounds' flags once their counts are reached. */
static void
watch_bounds(struct cn_model *model)
{
    struct cn_clock *clock = &model->clock;
    uint32_t impacts_max = IMPACTS_BASE + IMPACTS_PER_BODY * (uint32_t)model->body_count;
    if (!clock->inelastic && clock->impacts > impacts_max) {
        clock->inelastic = true;
        cn_model_event(model, CN_EVENT_ZENO, -1, -1, clock->impacts);
    }
    bool impacts_spent = clock->impacts > 2 * impacts_max;
    if (!clock->unsearched && (impacts_spent || clock->pieces > PIECES_MAX)) {
        clock->unsearched = true;
        cn_model_event(model, CN_EVENT_IMPACT_LIMIT, -1, -1,
            impacts_spent ? clock->impacts : clock->pieces);
    }
}

/* Says once a tick which bodies overlap deeper than tolerance. */
static void
note_overlaps(struct cn_event_scratch *s)
{
    struct cn_model *model = s->model;
    if (model->clock.pieces != 0) {
        return;
    }
    for (int i = 0; i < s->contact_count;) {
        const struct cn_contact *first = &s->contact[i];
        double gap = first->gap;
        for (; i < s->contact_count && cn_contact_same_pair(&s->contact[i], first); i++) {
            gap = cn_min(gap, s->contact[i].gap);
        }
        if (gap < -2.0 * model->gap_tolerance) {
            cn_model_event(model, CN_EVENT_OVERLAP, first->body_a, first->body_b, -gap);
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

static enum cn_advance
event_advance(struct cn_step_context *context)
{
    struct cn_model *model = context->model;
    struct cn_event_scratch scratch, *s = &scratch;
    cn_event_scratch_init(s, context);
    double tick = cn_model_tick_duration(model);
    double left = tick - model->clock.elapsed;
    double wanted = model->clock.step_next > 0.0 ? model->clock.step_next : tick;
    double h = cn_event_search(s, cn_min(left, wanted), &context->room_needed);
    if (h < 0.0) {
        return CN_ADVANCE_ROOM;
    }
    note_overlaps(s);
    cn_event_impacts(s);
    watch_bounds(model);

    cn_event_choose_rows(s);
    memcpy(s->start, model->motion, (size_t)model->body_count * sizeof(s->start[0]));
    cn_event_rates_at_start(s, true);
    double step_before = cn_max(h, 0.5 * wanted);
    h = cn_event_controlled_step(s, h);
    if (h > 0.0 && !model->clock.unsearched && find_hit(s, &h)) {
        model->clock.step_next = step_before;
    }
    if (h > 0.0) {
        cn_event_keep_forces(s);
        accept(s, h);
        cn_event_correct_drift(s, h);
        cn_event_follow_joints(s);
    }
    model->clock.pieces++;
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
    model->event_count = event_count; /* what the search left out, the tick has told */
    model->event_dropped = event_dropped;
    if (found < 0.0) {
        return CN_ADVANCE_ROOM;
    }
    cn_event_choose_rows(s);
    s->minimum_norm = model->settings.minimum_norm; /* accelerations do not depend on it */
    memcpy(s->start, model->motion, (size_t)model->body_count * sizeof(s->start[0]));
    cn_event_rates_at_start(s, false);
    cn_event_instant(s, instant);
    return CN_ADVANCE_TICK;
}

const struct cn_stepper cn_stepper_event = {
    .name = "event",
    .cite = "Baraff, SIGGRAPH 1989; Runge-Kutta 4(3) from impact to impact",
    .text = "integrates from impact to impact: exact contact forces, for worlds of some hundred "
            "contacts",
    .planar = true,
    .spatial = true,
    .solver_kinds = CN_STEPS(CN_SOLVER_PROBLEM),
    .layout = cn_event_layout,
    .advance = event_advance,
    .evaluate = event_evaluate,
};
