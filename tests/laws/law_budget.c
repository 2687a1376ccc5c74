/*
 * law_budget.c: the work of a tick is limited by its size, and every failure is reported.
 *
 * A tick may take laws_budget() operations, counted by the engine.  Time is not judged, because it
 * depends on the machine.  A loop that counts no work is found only if it does not end.
 *
 * The law `told`: numbers are finite.  If bodies overlap, or if a solver did not find forces, an
 * event reports it.
 *
 * A look at the forces states the first problem of the next tick.  If the look did not solve it,
 * that tick has an event: one that names the reason, or UNSOLVED with at least the look's residual.
 * With `event` a tick may begin with an impact.  So the event of the tick before the look counts
 * too, and the look before the first tick is not judged.
 *
 * If forces are zero while touching bodies accelerate into each other, there must be an event.
 */
#include "tests/laws/laws.h"

#include "engine/math/scalar.h"

#include <math.h>
#include <string.h>

#define SLICE 1e6 /* the count is by slices */

/* The depth that bodies which begin apart may reach, as a part of the smallest width. */
#define DEPTH_EXACT 1e-3
#define DEPTH_STEP 0.1

void
laws_budget_check(struct laws_run *run)
{
    if (run->tick == 0) {
        return;
    }
    int contacts = run->before.contact_count > run->after.contact_count
        ? run->before.contact_count : run->after.contact_count;
    double budget = (double)laws_budget(contacts, run->after.body_count);
    laws_check(run, LAWS_budget, (double)run->work - SLICE, budget,
        "%.3g operations of %d contacts, %.3g s", (double)run->work, contacts, run->cpu);
}

static void
check_finite(struct laws_run *run)
{
    for (int i = 0; i < run->after.body_count; i++) {
        const struct cn_body_view *body = &run->after.body[i];
        bool finite = cn_vec3_is_finite(body->center) && cn_vec3_is_finite(body->velocity) &&
                      cn_vec3_is_finite(body->angular_velocity) &&
                      cn_vec3_is_finite(body->acceleration);
        laws_check(run, LAWS_told, finite ? 0.0 : 1.0, 0.5, "body %d has no finite motion", i);
        laws_check(run, LAWS_told, body->quarantined ? 1.0 : 0.0, 0.5, "body %d ran away", i);
    }
    for (int i = 0; i < run->after.contact_count; i++) {
        const struct cn_contact_view *contact = &run->after.contact[i];
        bool finite = isfinite(contact->force) && isfinite(contact->impulse) &&
                      cn_vec3_is_finite(contact->friction);
        laws_check(run, LAWS_told, finite ? 0.0 : 1.0, 0.5, "contact %d has no finite force", i);
    }
}

/*
 * A step uses the bodies' orientations at its start.  The depth that it neglects by this is
 * h w (h v + h w r) of the fastest body.  Contacts of the production solver are springs: they give
 * way by a part of the depth that bodies gain in a step.
 */
static double
bent(const struct laws_run *run)
{
    double w = 0.0, v = 0.0;
    for (int i = 0; i < run->before.body_count; i++) {
        const struct cn_body_view *old = &run->before.body[i], *now = &run->after.body[i];
        w = cn_max(w, cn_max(cn_vec3_length(old->angular_velocity),
                          cn_vec3_length(now->angular_velocity)));
        v = cn_max(v, cn_max(cn_vec3_length(old->velocity), cn_vec3_length(now->velocity)));
    }
    double h = run->h;
    double bend = 2.0 * h * w * h * (v + w * run->scene->length);
    return run->method.solver->kind == CN_SOLVER_BODIES ? bend + 0.5 * h * v : bend;
}

static void
check_apart(struct laws_run *run, const struct laws_measure *measure)
{
    bool exact = laws_is_exact(&run->method);
    double depth = 0.0;
    int at = 0;
    for (int i = 0; i < run->after.touching_count; i++) {
        if (-run->after.contact[i].gap > depth) {
            depth = -run->after.contact[i].gap;
            at = i;
        }
    }
    if (run->after.touching_count == 0 || laws_has_event(run, CN_EVENT_OVERLAP) ||
        laws_has_event(run, CN_EVENT_SQUEEZED)) {
        return;
    }
    double bound = (exact ? DEPTH_EXACT : DEPTH_STEP) * measure->width;
    bound += exact ? 0.0 : bent(run);
    laws_check(run, LAWS_told, depth, bound, "bodies %d and %d overlap",
        run->after.contact[at].body_a, run->after.contact[at].body_b);
}

static bool
says_something(const struct laws_run *run)
{
    static const enum cn_event_kind kinds[] = {CN_EVENT_SQUEEZED, CN_EVENT_JAM,
        CN_EVENT_IMPACT_LIMIT, CN_EVENT_CONTACT_LIMIT, CN_EVENT_QUARANTINE, CN_EVENT_ZENO,
        CN_EVENT_STEP_MIN};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (laws_has_event(run, kinds[i])) {
            return true;
        }
    }
    return false;
}

/*
 * If touching bodies accelerate into each other, contacts must have forces, or there is an event.
 */
static void
check_forces_found(struct laws_run *run, const struct laws_measure *measure)
{
    double force = 0.0, into = 0.0;
    for (int i = 0; i < run->after.touching_count; i++) {
        const struct cn_contact_view *contact = &run->after.contact[i];
        cn_vec3 gain = {0.0, 0.0, 0.0};
        for (int side = 0; side < 2; side++) {
            const struct cn_body_view *body =
                &run->after.body[side == 0 ? contact->body_a : contact->body_b];
            cn_vec3 arm = cn_vec3_sub(contact->point, body->center);
            cn_vec3 turn = cn_vec3_cross(body->angular_acceleration, arm);
            gain = cn_vec3_add_scaled(
                gain, side == 0 ? -1.0 : 1.0, cn_vec3_add(body->acceleration, turn));
        }
        bool touches = contact->gap <= 0.1 * measure->gap && fabs(contact->velocity) <= 1e-6;
        force += contact->force;
        into = touches ? cn_max(into, -cn_vec3_dot(gain, contact->normal)) : into;
    }
    double g = cn_vec3_length(run->scene->def.settings.gravity);
    if (force == 0.0) {
        laws_check(run, LAWS_told, into, 0.05 * g + 1e-6,
            "no forces at all, and bodies that touch accelerate into each other");
    }
}

/* The residual that a tick's event UNSOLVED reports; 0 without such an event. */
static double
residual_told(const struct laws_run *run)
{
    for (int i = 0; i < run->event_count; i++) {
        if (run->event[i].kind == CN_EVENT_UNSOLVED) {
            return run->event[i].value;
        }
    }
    return 0.0;
}

/* If the look before the tick could not solve its problem, the tick must report the residual. */
static void
check_answer(struct laws_run *run)
{
    const struct cn_solve_summary *summary = &run->before.summary;
    double told = residual_told(run);
    bool exact = laws_is_exact(&run->method);
    if (exact) {
        told = cn_max(told, run->told_before);
    }
    if (run->tick > (exact ? 1 : 0) && summary->outcome != CN_SOLVE_CONVERGED) {
        laws_check(run, LAWS_told, summary->residual - told, 1e-4,
            "%s of %d rows, residual %g, and the tick tells of %g",
            cn_solve_outcome_name(summary->outcome), summary->row_count, summary->residual, told);
    }
}

void
laws_told(struct laws_run *run)
{
    struct laws_measure measure = laws_measure(run);
    check_finite(run);
    check_apart(run, &measure);
    if (run->method.solver->kind != CN_SOLVER_PROBLEM) {
        return;
    }
    bool says = says_something(run);
    if (!says) {
        check_forces_found(run, &measure);
        check_answer(run);
    }
    run->told_before = says ? HUGE_VAL : residual_told(run);
}
