/*
 * law_momentum.c: momentum changes by the reported impulses and forces, and mass times acceleration
 * is their sum.
 *
 * Forces of joints cancel in the sum over both bodies.  So bodies that joints connect form one
 * group, and groups that are jointed to the world are left out.  p is the linear momentum of a
 * group, and l its angular momentum about the origin.  F and T are the sums of the reported contact
 * forces and of gravity.  J is the sum of the reported impulses:
 *
 *     at an instant     sum of m a = F,  sum of (c x m a + d(I w)/dt) = T
 *     a march's step    p' = p + h F,    l' = l + h T            F and T told before the step; l'
 *                                                                 with the places before it
 *     the exact one     p' = p + J + integral of F               over the tick; where nothing
 *                                                                 changes F is between the two told
 *     others            p' = p + h F where F is gravity alone    of all bodies, where none is fixed
 *
 * The error of the integral is at most h times the largest possible force.  So ticks of 10 us show
 * a missing impulse of 1e-5 of the weight times one second.
 */
#include "tests/laws/laws.h"

#include "engine/math/scalar.h"

#include <math.h>

/* A group's linear and angular momentum, impulse or force, and the sizes of the summands. */
struct sum {
    cn_vec3 linear, angular;
    double linear_size, angular_size;
};

static void
add(struct sum *sum, cn_vec3 point, cn_vec3 force)
{
    sum->linear = cn_vec3_add(sum->linear, force);
    sum->angular = cn_vec3_add(sum->angular, cn_vec3_cross(point, force));
    sum->linear_size += cn_vec3_length(force);
    sum->angular_size += cn_vec3_length(point) * cn_vec3_length(force);
}

static void
add_turn(struct sum *sum, cn_vec3 torque)
{
    sum->angular = cn_vec3_add(sum->angular, torque);
    sum->angular_size += cn_vec3_length(torque);
}

/* I w, in world axes. */
static cn_vec3
spin_of(const struct cn_body_view *body, cn_vec3 w)
{
    cn_mat33 turn = cn_quat_to_mat33(body->orientation);
    return cn_mat33_apply(
        &turn, cn_mat33_apply(&body->inertia_tensor, cn_mat33_apply_back(&turn, w)));
}

/* The contact forces and gravity on one group. */
static struct sum
forces_on(const struct laws_run *run, const struct laws_moment *moment, int group)
{
    struct sum sum = {0};
    for (int i = 0; i < moment->touching_count; i++) {
        const struct cn_contact_view *contact = &moment->contact[i];
        cn_vec3 force = cn_vec3_add_scaled(contact->friction, contact->force, contact->normal);
        if (contact->body_b >= 0 && run->group[contact->body_b] == group) {
            add(&sum, contact->point, force);
        }
        if (contact->body_a >= 0 && run->group[contact->body_a] == group) {
            add(&sum, contact->point, cn_vec3_negate(force));
        }
    }
    for (int i = 0; i < moment->body_count; i++) {
        if (run->group[i] == group) {
            const struct cn_body_view *body = &moment->body[i];
            add(&sum, body->center,
                cn_vec3_scale(run->scene->def.settings.gravity, body->mass));
        }
    }
    return sum;
}

/* The reported impulses of the tick on one group. */
static struct sum
impulses_on(const struct laws_run *run, int group, double *rub)
{
    const struct laws_moment *moment = &run->after;
    struct sum sum = {0};
    *rub = 0.0;
    for (int i = 0; i < moment->contact_count; i++) {
        const struct cn_contact_view *contact = &moment->contact[i];
        bool on_a = run->group[contact->body_a] == group;
        bool on_b = run->group[contact->body_b] == group;
        cn_vec3 push = cn_vec3_scale(contact->normal, contact->impulse);
        if (on_b) {
            add(&sum, contact->point, push);
        }
        if (on_a) {
            add(&sum, contact->point, cn_vec3_negate(push));
        }
        if (on_a != on_b) {
            *rub += run->scene->friction_max * contact->impulse;
        }
    }
    return sum;
}

/* The momentum of one group about the origin, with the bodies at their places in `place`. */
static struct sum
momentum_of(const struct laws_run *run, const struct laws_moment *moment,
    const struct laws_moment *place, int group)
{
    struct sum sum = {0};
    for (int i = 0; i < moment->body_count; i++) {
        if (run->group[i] == group) {
            const struct cn_body_view *body = &moment->body[i];
            add(&sum, place->body[i].center, cn_vec3_scale(body->velocity, body->mass));
            add_turn(&sum, spin_of(body, body->angular_velocity));
        }
    }
    return sum;
}

/* d(momentum)/dt by the reported accelerations. */
static struct sum
inertia_of(const struct laws_run *run, const struct laws_moment *moment, int group)
{
    struct sum sum = {0};
    for (int i = 0; i < moment->body_count; i++) {
        if (run->group[i] != group) {
            continue;
        }
        const struct cn_body_view *body = &moment->body[i];
        add(&sum, body->center, cn_vec3_scale(body->acceleration, body->mass));
        add_turn(&sum, spin_of(body, body->angular_acceleration));
        if (laws_is_exact(&run->method)) {
            cn_vec3 w = body->angular_velocity;
            add_turn(&sum, cn_vec3_cross(w, spin_of(body, w)));
            sum.angular_size += cn_vec3_length(w) * cn_vec3_length(spin_of(body, w));
        }
    }
    return sum;
}

static bool
is_group(const struct laws_run *run, int i)
{
    return run->group[i] == i && laws_moves(run, i);
}

void
laws_instant(struct laws_run *run)
{
    const struct laws_moment *now = &run->after;
    for (int i = 0; i < now->body_count; i++) {
        if (!is_group(run, i) || !now->body[i].has_acceleration) {
            continue;
        }
        struct sum forces = forces_on(run, now, i), inertia = inertia_of(run, now, i);
        double size = forces.linear_size + inertia.linear_size;
        double off = cn_vec3_length(cn_vec3_sub(forces.linear, inertia.linear));
        laws_check(run, LAWS_instant, off, 1e-9 * size + 1e-12,
            "body %d: m a differs from the forces told [N]", i);
        size = forces.angular_size + inertia.angular_size;
        off = cn_vec3_length(cn_vec3_sub(forces.angular, inertia.angular));
        laws_check(run, LAWS_instant, off, 1e-9 * size + 1e-12,
            "body %d: I alpha differs from the torques told [N m]", i);
    }
}

/* Compares a group's change of momentum over the tick with the impulses that the world reports. */
static void
hold(struct laws_run *run, int group, const struct sum *to, const struct sum *from,
    const struct sum *told, double linear, double angular)
{
    cn_vec3 change = cn_vec3_sub(to->linear, from->linear);
    double off = cn_vec3_length(cn_vec3_sub(change, told->linear));
    double size = to->linear_size + from->linear_size + told->linear_size;
    laws_check(run, LAWS_momentum, off, linear + 1e-9 * size + 1e-14,
        "body %d: %g N s changed, %g told", group, cn_vec3_length(change),
        cn_vec3_length(told->linear));
    change = cn_vec3_sub(to->angular, from->angular);
    off = cn_vec3_length(cn_vec3_sub(change, told->angular));
    size = to->angular_size + from->angular_size + told->angular_size;
    laws_check(run, LAWS_momentum, off, angular + 1e-9 * size + 1e-14,
        "body %d: turned by %g N m s, %g told", group, cn_vec3_length(change),
        cn_vec3_length(told->angular));
}

static struct sum
scaled(struct sum sum, double by)
{
    sum.linear = cn_vec3_scale(sum.linear, by);
    sum.angular = cn_vec3_scale(sum.angular, by);
    sum.linear_size *= by;
    sum.angular_size *= by;
    return sum;
}

static void
check_march(struct laws_run *run)
{
    for (int i = 0; i < run->after.body_count; i++) {
        if (is_group(run, i)) {
            struct sum told = scaled(forces_on(run, &run->before, i), run->h);
            struct sum to = momentum_of(run, &run->after, &run->before, i);
            struct sum from = momentum_of(run, &run->before, &run->before, i);
            hold(run, i, &to, &from, &told, 0.0, 0.0);
        }
    }
}

/* Whether no contacts came or went and no bodies hit each other within the tick. */
static bool
is_smooth(const struct laws_run *run)
{
    const struct laws_moment *a = &run->before, *b = &run->after;
    if (a->touching_count != b->touching_count) {
        return false;
    }
    if (b->touching_count != b->contact_count) {
        return false;
    }
    for (int i = 0; i < b->touching_count; i++) {
        if (a->contact[i].id != b->contact[i].id || b->contact[i].impulse > 0.0) {
            return false;
        }
    }
    return true;
}

/* A bound of the forces of contacts, gravity and turning in this world [N]. */
static double
force_size(const struct laws_run *run)
{
    double size = 0.0;
    for (int i = 0; i < run->after.body_count; i++) {
        const struct cn_body_view *body = &run->after.body[i];
        if (laws_moves(run, i)) {
            double w = cn_vec3_length(body->angular_velocity);
            double v = cn_vec3_length(body->velocity);
            double L = run->scene->length;
            size += body->mass * (cn_vec3_length(run->scene->def.settings.gravity) +
                                     w * w * L + v * v / L);
        }
    }
    for (int i = 0; i < run->before.contact_count; i++) {
        size += fabs(run->before.contact[i].force);
    }
    for (int i = 0; i < run->after.contact_count; i++) {
        size += fabs(run->after.contact[i].force);
    }
    return size * (1.0 + run->scene->friction_max);
}

static void
check_exact(struct laws_run *run)
{
    bool smooth = is_smooth(run);
    double size = force_size(run), arm = 2.0 * run->scene->length;
    for (int i = 0; i < run->after.body_count; i++) {
        if (!is_group(run, i)) {
            continue;
        }
        double rub;
        struct sum told = impulses_on(run, i, &rub);
        struct sum early = scaled(forces_on(run, &run->before, i), 0.5 * run->h);
        struct sum late = scaled(forces_on(run, &run->after, i), 0.5 * run->h);
        double change = cn_vec3_length(cn_vec3_sub(late.linear, early.linear));
        double twist = cn_vec3_length(cn_vec3_sub(late.angular, early.angular));
        double loose = run->h * size * (smooth ? 0.05 : 3.0);
        const struct sum *parts[] = {&early, &late};
        for (int k = 0; k < 2; k++) {
            told.linear = cn_vec3_add(told.linear, parts[k]->linear);
            told.angular = cn_vec3_add(told.angular, parts[k]->angular);
            told.linear_size += parts[k]->linear_size;
            told.angular_size += parts[k]->angular_size;
        }
        double reach = cn_vec3_length(run->after.body[i].center) + arm;
        struct sum to = momentum_of(run, &run->after, &run->after, i);
        struct sum from = momentum_of(run, &run->before, &run->before, i);
        hold(run, i, &to, &from, &told, change + loose + rub,
            twist + (loose + rub) * reach);
    }
}

/* The momentum of all bodies together, if nothing is tied to the world. */
static void
check_whole(struct laws_run *run)
{
    struct sum to = {0}, from = {0}, told = {0};
    double mass = 0.0, fast = 0.0;
    for (int i = 0; i < run->after.body_count; i++) {
        if (run->group[i] < 0 || !laws_moves(run, i)) {
            return;
        }
        const struct cn_body_view *now = &run->after.body[i], *old = &run->before.body[i];
        add(&to, now->center, cn_vec3_scale(now->velocity, now->mass));
        add(&from, old->center, cn_vec3_scale(old->velocity, old->mass));
        mass += now->mass;
        fast = cn_max(fast, cn_vec3_length(old->velocity));
    }
    told.linear = cn_vec3_scale(run->scene->def.settings.gravity, mass * run->h);
    double size = to.linear_size + from.linear_size + mass * fast;
    cn_vec3 change = cn_vec3_sub(to.linear, from.linear);
    double off = cn_vec3_length(cn_vec3_sub(change, told.linear));
    laws_check(run, LAWS_momentum, off, 1e-5 * size,
        "all bodies: %g N s changed, %g told", cn_vec3_length(change),
        cn_vec3_length(told.linear));
}

void
laws_momentum(struct laws_run *run)
{
    if (run->tick == 0) {
        return;
    }
    if (laws_is_exact(&run->method)) {
        check_exact(run);
    } else if (!laws_is_march(&run->method)) {
        check_whole(run);
    } else if (laws_measure(run).pieces == 1) {
        check_march(run);
    }
}
