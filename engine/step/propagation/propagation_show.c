/*
 * propagation_show.c: stores and reports the results of a step, and shows them at an instant.
 *
 * The forces that contacts had in the last step (impulse / h) are stored with their names, like the
 * warm starts of other steppers; here no step begins with them.  An instant shows them at the
 * contacts that touch, with the accelerations that they and the forces cause; nothing is solved.
 */
#include "engine/step/propagation/propagation.h"

#include "engine/base/assert.h"
#include "engine/constraint/contact_rows.h"
#include "engine/math/scalar.h"
#include "engine/step/memory.h"
#include "engine/step/pairs.h"

#include <math.h>

#define RESIDUAL_MAX 1e-6 /* of an instant: above it, forces do not hold the contacts */

/* ---- remembering and telling ---- */

static void
tell_pair(struct cn_model *model, uint64_t id, enum cn_event_kind kind)
{
    const struct cn_shape *a = &model->shape[id >> 44], *b = &model->shape[id >> 24 & 0xfffffU];
    if ((a->contact_events || b->contact_events) && a->body >= 0 && b->body >= 0) {
        cn_model_event(model, kind, a->body, b->body, 0.0);
    }
}

static void
tell_stay(struct cn_model *model, uint64_t id)
{
    const struct cn_shape *a = &model->shape[id >> 44], *b = &model->shape[id >> 24 & 0xfffffU];
    if ((a->stay_events || b->stay_events) && a->body >= 0 && b->body >= 0) {
        cn_model_event(model, CN_EVENT_CONTACT_STAY, a->body, b->body, 0.0);
    }
}

/* The first entry of another pair of shapes behind `place`. */
static int
next_pair(const struct cn_warm_start *list, int count, int place)
{
    uint64_t pair = list[place].id >> 24;
    while (place < count && list[place].id >> 24 == pair) {
        place++;
    }
    return place;
}

/* Reports which contacts began and ended; both lists are ascending. */
static void
tell_changes(struct cn_model *model, const struct cn_warm_start *now, int now_count)
{
    int was = 0, is = 0;
    while (was < model->warm_count || is < now_count) {
        uint64_t before = was < model->warm_count ? model->warm[was].id >> 24 : UINT64_MAX;
        uint64_t after = is < now_count ? now[is].id >> 24 : UINT64_MAX;
        if (before < after) {
            tell_pair(model, before << 24, CN_EVENT_CONTACT_END);
        } else if (after < before) {
            tell_pair(model, after << 24, CN_EVENT_CONTACT_BEGIN);
        } else if (model->clock.pieces == 0) { /* once in a tick */
            tell_stay(model, after << 24);
        }
        was = before <= after ? next_pair(model->warm, model->warm_count, was) : was;
        is = after <= before ? next_pair(now, now_count, is) : is;
    }
}

void
cn_propagation_tell_ends(struct cn_model *model, int body)
{
    for (int at = 0; at < model->warm_count; at = next_pair(model->warm, model->warm_count, at)) {
        uint64_t id = model->warm[at].id;
        if (model->shape[id >> 44].body == body ||
            model->shape[id >> 24 & 0xfffffU].body == body) {
            tell_pair(model, id, CN_EVENT_CONTACT_END);
        }
    }
}

static bool
any_is_told(const struct cn_model *model)
{
    for (int i = 0; i < model->shape_count; i++) {
        if (model->shape[i].contact_events || model->shape[i].stay_events) {
            return true;
        }
    }
    return false;
}

/*
 * The force of an impulse.  An impulse that is not finite, like the motion of its runaway bodies,
 * gives 0.
 */
static double
force_from(const struct cn_propagation *p, double impulse)
{
    double force = impulse / p->h;
    return isfinite(force) ? force : 0.0;
}

/* The force of a contact in this step, by its normal and tangent directions. */
static struct cn_warm_start
force_of(const struct cn_propagation *p, const struct cn_spot *spot)
{
    const struct cn_contact *contact = &p->contact[spot->contact];
    struct cn_warm_start entry = {.id = cn_contact_id(contact)};
    struct cn_row rows[2];
    cn_vec3 directions[2];
    entry.force = force_from(p, cn_max(cn_vec3_dot(spot->impulse, spot->now.normal), 0.0));
    if (p->meeting[spot->pair].resting <= 0.0 && p->meeting[spot->pair].sliding <= 0.0) {
        return entry; /* forces across are rounding, and images of such worlds do not store them */
    }
    int count = cn_contact_tangent_rows(
        p->model, p->model->motion, p->pose, contact, rows, directions);
    for (int t = 0; t < count; t++) {
        entry.across[t] = force_from(p, cn_vec3_dot(spot->impulse, directions[t]));
    }
    return entry;
}

static bool
spot_touches(const struct cn_propagation *p, const struct cn_spot *spot)
{
    return spot->now.gap <= p->model->gap_tolerance ||
           cn_vec3_dot(spot->impulse, spot->impulse) > 0.0;
}

/* Inserts a force at its place in the list.  Forces come nearly in order, so most are appended. */
static void
keep_force(struct cn_propagation *p, struct cn_warm_start entry, int place)
{
    CN_ASSERT(place < p->model->contact_max);
    for (; place > 0 && p->kept[place - 1].id > entry.id; place--) {
        p->kept[place] = p->kept[place - 1];
    }
    p->kept[place] = entry;
}

static void
keep_forces(struct cn_propagation *p)
{
    struct cn_model *model = p->model;
    int kept_count = 0;
    for (int i = 0; i < p->pair_count; i++) {
        const struct cn_meeting *pair = &p->meeting[i];
        for (int k = pair->spot_first; k < pair->spot_first + pair->spot_count; k++) {
            if (spot_touches(p, &p->spot[k])) {
                keep_force(p, force_of(p, &p->spot[k]), kept_count++);
            }
        }
    }
    if (any_is_told(model)) {
        tell_changes(model, p->kept, kept_count);
    }
    cn_memory_forget(model);
    for (int k = 0; k < kept_count; k++) {
        cn_memory_keep(model, p->kept[k]);
    }
    for (int k = 0; k < p->joint_count; k++) {
        *cn_joint_force(model, p->joint[k].id) = force_from(p, p->joint_impulse[k]);
    }
}

static void
tell_hits(struct cn_propagation *p)
{
    struct cn_model *model = p->model;
    for (int i = 0; i < p->pair_count; i++) {
        const struct cn_meeting *pair = &p->meeting[i];
        double speed = 0.0;
        for (int k = pair->spot_first; k < pair->spot_first + pair->spot_count; k++) {
            const struct cn_spot *spot = &p->spot[k];
            speed = cn_max(speed, spot->hit_speed);
            if (spot->hit > 0.0 && spot->hit_speed > cn_model_velocity_rest(model)) {
                model->clock.impacts++;
                cn_memory_add_impulse(model, &p->contact[spot->contact], spot->hit);
                cn_model_event(model, CN_EVENT_IMPACT, pair->body_a, pair->body_b, spot->hit);
            }
        }
        double least =
            cn_shape_hit_min(&model->shape[pair->shape_a], &model->shape[pair->shape_b]);
        if (speed > least) {
            cn_model_event(model, CN_EVENT_CONTACT_HIT, pair->body_a, pair->body_b, speed);
        }
    }
}

void
cn_propagation_keep(struct cn_propagation *p)
{
    tell_hits(p);
    keep_forces(p);
}

/* ---- an instant ---- */

static void
add_force(struct cn_propagation *p, const struct cn_meeting *pair, const struct cn_spot *spot,
    cn_vec3 force)
{
    cn_wrench_add(&p->wrench[pair->body_a], spot->now.arm_a, cn_vec3_negate(force));
    cn_wrench_add(&p->wrench[pair->body_b], spot->now.arm_b, force);
}

/* Keeps the candidates that touch, with the forces of the last step. */
static void
show_contacts(struct cn_propagation *p)
{
    int shown = 0;
    for (int k = 0; k < p->spot_count; k++) {
        const struct cn_spot *spot = &p->spot[k];
        const struct cn_meeting *pair = &p->meeting[spot->pair];
        struct cn_warm_start warm = cn_memory_warm(p->model, cn_contact_id(&p->contact[k]));
        if (spot->now.gap > p->model->gap_tolerance) {
            continue;
        }
        struct cn_row rows[2];
        cn_vec3 directions[2], friction = {0.0, 0.0, 0.0};
        int count = cn_contact_tangent_rows(
            p->model, p->model->motion, p->pose, &p->contact[k], rows, directions);
        for (int t = 0; t < count; t++) {
            friction = cn_vec3_add_scaled(friction, warm.across[t], directions[t]);
        }
        add_force(p, pair, spot, cn_vec3_add_scaled(friction, warm.force, spot->now.normal));
        cn_vec3 u = cn_propagation_velocity(p, pair, &spot->now);
        p->rate[shown] = cn_vec3_dot(u, spot->now.normal);
        p->force[shown] = warm.force;
        p->friction[shown] = friction;
        p->spot[shown] = *spot;
        p->contact[shown++] = p->contact[k];
    }
    p->spot_count = shown;
}

static void
add_joints(struct cn_propagation *p)
{
    for (int k = 0; k < p->joint_count; k++) {
        const struct cn_row *row = &p->joint[k].row;
        double f = *cn_joint_force(p->model, p->joint[k].id);
        if (row->body_a >= 0) {
            struct cn_wrench *w = &p->wrench[row->body_a];
            w->force = cn_vec3_add_scaled(w->force, f, row->linear_a);
            w->torque = cn_vec3_add_scaled(w->torque, f, row->angular_a);
        }
        if (row->body_b >= 0) {
            struct cn_wrench *w = &p->wrench[row->body_b];
            w->force = cn_vec3_add_scaled(w->force, f, row->linear_b);
            w->torque = cn_vec3_add_scaled(w->torque, f, row->angular_b);
        }
    }
}

static void
accelerate_bodies(struct cn_propagation *p)
{
    for (int i = 0; i < p->model->body_count; i++) {
        const struct cn_mass_inverse *mass = &p->mover[i].mass;
        p->acceleration[i] = (struct cn_acceleration){0};
        if (!p->fixed[i]) {
            p->acceleration[i].linear = cn_vec3_scale(p->wrench[i].force, mass->linear);
            p->acceleration[i].angular = cn_mat33_apply(&mass->angular, p->wrench[i].torque);
        }
    }
}

/*
 * How fast carrying contacts would approach after a tick of these accelerations, in parts of
 * gravity's.
 */
static double
residual_of(const struct cn_propagation *p)
{
    double h = cn_model_tick_duration(p->model), worst = 0.0;
    for (int k = 0; k < p->spot_count; k++) {
        const struct cn_spot *spot = &p->spot[k];
        const struct cn_meeting *pair = &p->meeting[spot->pair];
        const struct cn_acceleration *a = &p->acceleration[pair->body_a];
        const struct cn_acceleration *b = &p->acceleration[pair->body_b];
        cn_vec3 of_a = cn_vec3_add(a->linear, cn_vec3_cross(a->angular, spot->now.arm_a));
        cn_vec3 of_b = cn_vec3_add(b->linear, cn_vec3_cross(b->angular, spot->now.arm_b));
        double rate = cn_vec3_dot(spot->now.normal, cn_vec3_sub(of_b, of_a));
        worst = cn_max(worst, -(p->rate[k] / h + rate));
    }
    return worst / cn_max(1.0, cn_vec3_length(p->model->settings.gravity));
}

enum cn_advance
cn_propagation_evaluate(struct cn_step_context *context, struct cn_instant *instant)
{
    struct cn_model *model = context->model;
    struct cn_propagation step, *p = &step;
    int event_count = model->event_count, event_dropped = model->event_dropped;
    cn_propagation_init(p, context); /* h is 0: nothing is ahead */
    cn_propagation_place(p);
    bool found = cn_propagation_find(p, &context->room_needed);
    model->event_count = event_count; /* contacts that the search left out were reported already */
    model->event_dropped = event_dropped;
    if (!found) {
        return CN_ADVANCE_ROOM;
    }
    cn_propagation_joints(p);
    show_contacts(p);
    add_joints(p);
    accelerate_bodies(p);
    double residual = residual_of(p);
    *instant = (struct cn_instant){
        .contact_count = p->spot_count,
        .contact = p->contact,
        .rate = p->rate,
        .force = p->force,
        .friction = p->friction,
        .acceleration = p->acceleration,
        .note = {.outcome = residual <= RESIDUAL_MAX ? CN_SOLVE_CONVERGED : CN_SOLVE_INEXACT,
            .residual = residual,
            .iteration_count = model->settings.propagation.contact_iterations,
            .row_count = p->spot_count},
    };
    return CN_ADVANCE_TICK;
}
