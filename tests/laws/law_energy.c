/*
 * law_energy.c: energy grows only by work.
 *
 * E is the kinetic energy plus that of gravity, summed here from masses, places and speeds.  In
 * these scenes only contacts and joints do work, and they may only remove energy.  Tolerances are
 * relative to a scale: the kinetic energy plus the weight times the size of a body.  So the height
 * from which E is counted does not matter.
 *
 *     exact       E' <= E + 1e-9 of the scale + what the correction of drift may lift: the weight
 *                 times the gap that counts as touching, of ticks that had contacts
 *
 *     time        v' = v + h M^-1 (F + J'f) and x' = x + h v' + c, with c the correction of
 *                 positions.  With w = h M^-1 J'f,
 *                     E(v', x + h v') - E = f h . J v' - |v' - v|^2 / 2          (norm of M)
 *                 and f . J v' <= 0 for contacts without restitution and joints, so E does not grow
 *                 but by c, which is told by x' - x - h v'.  Restitution makes J v' = -e J v: the
 *                 part of f that stops the approach gains nothing, but the part that bears the
 *                 weight for h seconds works with it: e |J v| h times the weight.  In space I is
 *                 taken where the body was before the step, since the step keeps the angular
 *                 momentum while it turns.
 *
 *     position    the same, but J v' = -gap / h for contacts that overlapped: the push outwards,
 *                 at most PUSH widths a second, does f h times that work; the second order of the
 *                 turn does f h times h w^2 r
 *
 *     others      single precision, and contacts are springs: 1 % of the scale, and the energy that
 *                 pushes overlaps out
 *
 * If a tick of `time` has several pieces, the allowance for corrections holds for each piece.
 */
#include "tests/laws/laws.h"

#include "engine/math/scalar.h"

#include <math.h>
#include <string.h>

#define PUSH 0.25 /* of `position`: widths a second */

static double
turning(const struct cn_body_view *body, cn_quat orientation, cn_vec3 momentum)
{
    cn_mat33 turn = cn_quat_to_mat33(orientation);
    cn_vec3 l = cn_mat33_apply_back(&turn, momentum);
    cn_mat33 inertia = body->inertia_tensor;
    if (inertia.cx.x == 0.0) { /* of the plane: zz alone */
        return 0.5 * l.z * l.z / inertia.cz.z;
    }
    cn_mat33 inverse = cn_mat33_invert_symmetric(&inertia);
    return 0.5 * cn_vec3_dot(l, cn_mat33_apply(&inverse, l));
}

static cn_vec3
spin_of(const struct cn_body_view *body)
{
    cn_mat33 turn = cn_quat_to_mat33(body->orientation);
    cn_vec3 w = cn_mat33_apply_back(&turn, body->angular_velocity);
    return cn_mat33_apply(&turn, cn_mat33_apply(&body->inertia_tensor, w));
}

/* With `from`, bodies are placed where the velocities carry them from `from` in h seconds. */
static struct cn_energy
energy_of(const struct laws_run *run, const struct laws_moment *moment,
    const struct laws_moment *from)
{
    struct cn_energy energy = {0};
    cn_vec3 g = run->scene->def.settings.gravity;
    for (int i = 0; i < moment->body_count; i++) {
        const struct cn_body_view *body = &moment->body[i];
        if (!laws_moves(run, i)) {
            continue;
        }
        cn_vec3 place = body->center;
        cn_quat orientation = body->orientation;
        if (from != NULL) {
            place = cn_vec3_add_scaled(from->body[i].center, run->h, body->velocity);
            orientation = from->body[i].orientation;
        }
        energy.kinetic += 0.5 * body->mass * cn_vec3_dot(body->velocity, body->velocity) +
                          turning(body, orientation, spin_of(body));
        energy.potential -= body->mass * cn_vec3_dot(g, place);
    }
    energy.total = energy.kinetic + energy.potential;
    return energy;
}

struct cn_energy
laws_energy_of(const struct laws_run *run, const struct laws_moment *moment)
{
    return energy_of(run, moment, NULL);
}

static double
weight(const struct laws_run *run)
{
    double sum = 0.0;
    for (int i = 0; i < run->after.body_count; i++) {
        sum += laws_moves(run, i) ? run->after.body[i].mass : 0.0;
    }
    return sum * cn_vec3_length(run->scene->def.settings.gravity);
}

/* The work of the forces that bear the weight, at contacts that bounce in a step of `time` [J]. */
static double
bounced(const struct laws_run *run, double W)
{
    double approach = 0.0;
    for (int i = 0; i < run->before.touching_count; i++) {
        approach = cn_max(approach, -run->before.contact[i].velocity);
    }
    return run->scene->restitution_max * approach * run->h * W;
}

/* The work that the pushes of `position` may do in a tick [J]. */
static double
pushed(const struct laws_run *run, const struct laws_measure *measure)
{
    double sum = 0.0;
    for (int i = 0; i < run->before.touching_count; i++) {
        const struct cn_contact_view *contact = &run->before.contact[i];
        const struct cn_body_view *a = &run->before.body[contact->body_a];
        const struct cn_body_view *b = &run->before.body[contact->body_b];
        double w = cn_vec3_length(a->angular_velocity) + cn_vec3_length(b->angular_velocity);
        cn_vec3 drift = cn_vec3_sub(b->velocity, a->velocity);
        double reach = cn_vec3_length(cn_vec3_sub(contact->point, a->center));
        double other = cn_vec3_length(cn_vec3_sub(contact->point, b->center));
        reach = cn_min(cn_max(reach, other), 4.0 * run->scene->length);
        double turn = run->h * w * (w * reach + cn_vec3_length(drift));
        double depth = cn_max(-contact->gap, 0.0);
        double speed = cn_min(depth / run->h, PUSH * measure->width) + 2.0 * turn;
        sum += contact->force * run->h * speed;
    }
    return sum;
}

void
laws_energy(struct laws_run *run)
{
    if (run->tick == 0) {
        return;
    }
    struct laws_measure measure = laws_measure(run);
    bool exact = laws_is_exact(&run->method), march = laws_is_march(&run->method);
    bool one = march && measure.pieces == 1;
    struct cn_energy from = energy_of(run, &run->before, NULL);
    struct cn_energy to = energy_of(run, &run->after, one ? &run->before : NULL);
    double W = weight(run), L = run->scene->length;
    double scale = from.kinetic + to.kinetic + W * L;
    double allowed = 1e-9 * scale;
    const char *stepper = run->method.stepper->name;
    if (exact) {
        allowed += run->before.contact_count > 0 ? W * measure.gap : 0.0;
    } else if (march && strcmp(stepper, "position") == 0) {
        allowed += pushed(run, &measure);
    } else if (march && !one) {
        allowed += bounced(run, W);
        allowed += measure.pieces * W * (measure.gap + 6.0 * measure.width * run->h);
    } else if (march) {
        allowed += bounced(run, W);
    } else {
        allowed += 0.01 * scale + W * 3.0 * run->h;
    }
    const struct cn_solve_summary *summary = &run->before.summary;
    if (summary->heuristic.fallback_count > 0 || run->after.summary.heuristic.fallback_count > 0) {
        return; /* a heuristic solver that falls back reports it, and may add energy */
    }
    laws_check(run, LAWS_energy, to.total - from.total, allowed,
        "E from %.9g to %.9g J (kinetic %.4g to %.4g)", from.total, to.total, from.kinetic,
        to.kinetic);
}
