/*
 * law_approach.c: an impact requires an approach, and after it the bodies part by the restitution.
 *
 * Suppose that all contacts at the end of a tick existed before it, and that none approached faster
 * than the resting velocity.  Then there is no impact: the reported impulses must be smaller than
 * that velocity times the mass.  Ticks in which contacts appear, vanish or part are not judged.
 *
 * A contact with an impact that is the only contact of its two bodies leaves at v+ = -e v-.  With
 * both friction and restitution a smaller v+ is allowed, down to 0, since bodies may not gain
 * energy.  The ticks last 10 us, so that forces change v+ by no more than h times the force.
 */
#include "tests/laws/laws.h"

#include "engine/math/scalar.h"

#include <math.h>

static bool
nothing_moves(const struct laws_run *run)
{
    const struct laws_moment *a = &run->before, *b = &run->after;
    double rest = laws_measure(run).rest;
    if (a->touching_count != b->touching_count || b->touching_count != b->contact_count ||
        run->scene->def.joint_count > 0) {
        return false;
    }
    for (int i = 0; i < b->touching_count; i++) {
        if (a->contact[i].id != b->contact[i].id || fabs(a->contact[i].velocity) > rest) {
            return false;
        }
    }
    for (int i = 0; i < a->body_count; i++) {
        const struct cn_body_view *body = &a->body[i];
        double speed = cn_vec3_length(body->velocity) +
                       cn_vec3_length(body->angular_velocity) * run->scene->length;
        double gains = cn_vec3_length(body->acceleration) +
                       cn_vec3_length(body->angular_acceleration) * run->scene->length;
        if (laws_moves(run, i) && speed + gains * run->h > rest) {
            return false;
        }
    }
    return true;
}

static double
mass_of(const struct laws_run *run)
{
    double mass = 0.0;
    for (int i = 0; i < run->after.body_count; i++) {
        mass += laws_moves(run, i) ? run->after.body[i].mass : 0.0;
    }
    return mass;
}

/* How many contacts of a moment these two bodies have with anything, gaps within `reach`. */
static int
contacts_of(const struct laws_moment *moment, const struct laws_run *run, int a, int b)
{
    int count = 0;
    for (int i = 0; i < moment->touching_count; i++) {
        const struct cn_contact_view *contact = &moment->contact[i];
        bool ours = contact->body_a == a || contact->body_a == b || contact->body_b == a ||
                    contact->body_b == b;
        bool moves = (laws_moves(run, a) && (contact->body_a == a || contact->body_b == a)) ||
                     (laws_moves(run, b) && (contact->body_a == b || contact->body_b == b));
        count += ours && moves;
    }
    return count;
}

static double
restitution_of(const struct laws_run *run, int a, int b)
{
    const struct laws_scene *scene = run->scene;
    double e_a = scene->material[scene->shape[a].material].restitution;
    double e_b = scene->material[scene->shape[b].material].restitution;
    return cn_min(e_a, e_b);
}

static const struct cn_contact_view *
find(const struct laws_moment *moment, uint64_t id)
{
    for (int i = 0; i < moment->touching_count; i++) {
        if (moment->contact[i].id == id) {
            return &moment->contact[i];
        }
    }
    return NULL;
}

/* The speed at which the place of a contact parts, at the end of the tick. */
static double
parting(const struct laws_run *run, const struct cn_contact_view *contact)
{
    cn_vec3 v[2];
    for (int side = 0; side < 2; side++) {
        const struct cn_body_view *body =
            &run->after.body[side == 0 ? contact->body_a : contact->body_b];
        cn_vec3 arm = cn_vec3_sub(contact->point, body->center);
        v[side] = cn_vec3_add(body->velocity, cn_vec3_cross(body->angular_velocity, arm));
    }
    return cn_vec3_dot(contact->normal, cn_vec3_sub(v[1], v[0]));
}

static void
check_alone(struct laws_run *run, const struct cn_contact_view *hit)
{
    const struct cn_contact_view *old = find(&run->before, hit->id);
    int a = hit->body_a, b = hit->body_b;
    if (old == NULL || run->scene->def.joint_count > 0 ||
        contacts_of(&run->before, run, a, b) != 1 || contacts_of(&run->after, run, a, b) != 1) {
        return;
    }
    double rest = laws_measure(run).rest, speed = -old->velocity;
    double wanted = restitution_of(run, a, b) * speed;
    double v = parting(run, hit);
    double g = cn_vec3_length(run->scene->def.settings.gravity);
    double spin = cn_vec3_length(run->after.body[a].angular_velocity) +
                  cn_vec3_length(run->after.body[b].angular_velocity);
    double slack = 1e-6 * speed + rest +
                   10.0 * run->h * (g + spin * (spin * run->scene->length + speed));
    laws_check(run, LAWS_approach, v - wanted, slack,
        "bodies %d and %d part at %g m/s, from an approach of %g", a, b, v, speed);
    bool free = run->scene->friction_max == 0.0;
    laws_check(run, LAWS_approach, (free ? wanted : 0.0) - v, slack,
        "bodies %d and %d part at %g m/s only, from an approach of %g", a, b, v, speed);
}

void
laws_approach(struct laws_run *run)
{
    if (run->tick == 0 || run->method.solver->kind != CN_SOLVER_PROBLEM) {
        return;
    }
    double sum = 0.0;
    for (int i = 0; i < run->after.contact_count; i++) {
        const struct cn_contact_view *contact = &run->after.contact[i];
        sum += contact->impulse;
        if (contact->impulse > 0.0 && laws_is_exact(&run->method) && run->h < 1e-4) {
            check_alone(run, contact);
        }
    }
    if (nothing_moves(run)) {
        laws_check(run, LAWS_approach, sum, 4.0 * mass_of(run) * laws_measure(run).rest,
            "%g N s told where nothing approaches", sum);
    }
}
