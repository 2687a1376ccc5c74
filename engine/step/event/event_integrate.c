/* event_integrate.c: one step of the equations of motion, under error control; see event.c. */
#include "engine/step/event/event.h"

#include "engine/base/assert.h"
#include "engine/base/fiber.h"
#include "engine/math/scalar.h"

#include <math.h>

#define STEP_TRIALS_MAX 40

/* Operations for the position of one body on the cubic, for the budget. */
#define WORK_PER_BLEND 60

/* Error of one step: position in parts of the smallest length, velocity in lengths a second. */
#define POSITION_ERROR_MAX 1e-7
#define VELOCITY_ERROR_MAX 1e-6

/* Of these, where joints hold, because their errors are corrected without regard to energy. */
#define ERROR_JOINTED 0.1

/*
 * motion = base + h rate.  The orientation of a planar body follows its angle when it is needed.  A
 * spatial one is brought back to unit length at every stage: q' = w q / (2 |q|) is as smooth a
 * field as w q / 2, and the same where |q| = 1, so the order of the method stays.
 */
static void
move(const struct cn_model *model, const struct cn_motion *base, double h,
    const struct cn_rate *rate, struct cn_motion *motion)
{
    for (int i = 0; i < model->body_count; i++) {
        motion[i].position = cn_vec3_add_scaled(base[i].position, h, rate[i].velocity);
        motion[i].angle = base[i].angle + h * rate[i].angular_velocity.z;
        motion[i].orientation = base[i].orientation;
        if (model->settings.dimension == CN_SPATIAL) {
            motion[i].orientation = cn_quat_normalize(
                cn_quat_add_scaled(base[i].orientation, h, rate[i].orientation));
        }
        motion[i].velocity = cn_vec3_add_scaled(base[i].velocity, h, rate[i].acceleration);
        motion[i].angular_velocity =
            cn_vec3_add_scaled(base[i].angular_velocity, h, rate[i].angular_acceleration);
    }
}

static cn_vec3
weigh(cn_vec3 k1, cn_vec3 k2, cn_vec3 k3, cn_vec3 k4)
{
    cn_vec3 middle = cn_vec3_scale(cn_vec3_add(k2, k3), 2.0);
    return cn_vec3_scale(cn_vec3_add(cn_vec3_add(k1, k4), middle), 1.0 / 6.0);
}

static cn_quat
weigh_turns(cn_quat k1, cn_quat k2, cn_quat k3, cn_quat k4)
{
    cn_quat sum = cn_quat_add_scaled(k1, 2.0, k2);
    sum = cn_quat_add_scaled(cn_quat_add_scaled(sum, 2.0, k3), 1.0, k4);
    return cn_quat_add_scaled((cn_quat){0.0, 0.0, 0.0, 0.0}, 1.0 / 6.0, sum);
}

void
cn_event_runge_kutta(struct cn_event_scratch *s, double h)
{
    const struct cn_model *model = s->model;
    struct cn_rate **k = s->stage;
    s->lacks_forces = false;
    move(model, s->start, 0.5 * h, k[0], s->trial);
    cn_event_rates(s, s->trial, 1);
    move(model, s->start, 0.5 * h, k[1], s->trial);
    cn_event_rates(s, s->trial, 2);
    move(model, s->start, h, k[2], s->trial);
    cn_event_rates(s, s->trial, 3);
    for (int i = 0; i < model->body_count; i++) {
        struct cn_rate *sum = &k[4][i];
        sum->velocity =
            weigh(k[0][i].velocity, k[1][i].velocity, k[2][i].velocity, k[3][i].velocity);
        sum->angular_velocity = weigh(k[0][i].angular_velocity, k[1][i].angular_velocity,
            k[2][i].angular_velocity, k[3][i].angular_velocity);
        sum->acceleration = weigh(
            k[0][i].acceleration, k[1][i].acceleration, k[2][i].acceleration, k[3][i].acceleration);
        sum->angular_acceleration =
            weigh(k[0][i].angular_acceleration, k[1][i].angular_acceleration,
                k[2][i].angular_acceleration, k[3][i].angular_acceleration);
        sum->orientation = weigh_turns(k[0][i].orientation, k[1][i].orientation,
            k[2][i].orientation, k[3][i].orientation);
    }
    move(model, s->start, h, k[4], s->trial);
    const double *p = s->power;
    s->gains = cn_event_step_gains(s, h * (p[0] + 2.0 * (p[1] + p[2]) + p[3]) / 6.0);
}

/* Hermite's weights of a value and h times its rate at both ends. */
struct weights {
    double y0, k0, y1, k1;
};

static cn_vec3
blend(const struct weights *w, cn_vec3 y0, cn_vec3 k0, cn_vec3 y1, cn_vec3 k1)
{
    cn_vec3 sum = cn_vec3_add_scaled(cn_vec3_scale(y0, w->y0), w->k0, k0);
    return cn_vec3_add_scaled(cn_vec3_add_scaled(sum, w->y1, y1), w->k1, k1);
}

void
cn_event_interpolate(struct cn_event_scratch *s, double h, double time)
{
    double t = time / h, u = 1.0 - t;
    struct weights w = {(1.0 + 2.0 * t) * u * u, h * t * u * u, t * t * (3.0 - 2.0 * t),
        -h * t * t * u};
    bool spatial = s->model->settings.dimension == CN_SPATIAL;
    for (int i = 0; i < s->model->body_count; i++) {
        const struct cn_motion *a = &s->start[i], *b = &s->end[i];
        const struct cn_rate *ka = &s->stage[0][i], *kb = &s->end_rate[i];
        struct cn_motion *motion = &s->trial[i];
        motion->position = blend(&w, a->position, ka->velocity, b->position, kb->velocity);
        motion->angle = w.y0 * a->angle + w.k0 * ka->angular_velocity.z + w.y1 * b->angle +
                        w.k1 * kb->angular_velocity.z;
        motion->orientation = a->orientation;
        if (spatial) {
            cn_quat q = {0.0, 0.0, 0.0, 0.0};
            q = cn_quat_add_scaled(q, w.y0, a->orientation);
            q = cn_quat_add_scaled(q, w.k0, ka->orientation);
            q = cn_quat_add_scaled(q, w.y1, b->orientation);
            motion->orientation =
                cn_quat_normalize(cn_quat_add_scaled(q, w.k1, kb->orientation));
        }
        motion->velocity =
            blend(&w, a->velocity, ka->acceleration, b->velocity, kb->acceleration);
        motion->angular_velocity = blend(&w, a->angular_velocity, ka->angular_acceleration,
            b->angular_velocity, kb->angular_acceleration);
    }
    cn_work_spend((int64_t)WORK_PER_BLEND * s->model->body_count);
    *s->work += (int64_t)WORK_PER_BLEND * s->model->body_count;
}

/* The difference of two stages' rates of turning [rad/s]. */
static double
turning_apart(
    const struct cn_model *model, const struct cn_rate *k4, const struct cn_rate *k5)
{
    if (model->settings.dimension == CN_PLANAR) {
        return cn_vec3_length(cn_vec3_sub(k4->angular_velocity, k5->angular_velocity));
    }
    return 2.0 * cn_quat_length(cn_quat_add_scaled(k4->orientation, -1.0, k5->orientation));
}

/*
 * The estimated error of the step of h to trial[], in parts of the allowed error; NaN counts as an
 * error.
 */
static double
step_error(struct cn_event_scratch *s, double h)
{
    const struct cn_model *model = s->model;
    cn_event_rates(s, s->trial, 4);
    double position_max = POSITION_ERROR_MAX * model->length_min;
    double velocity_max = VELOCITY_ERROR_MAX * model->length_min;
    if (s->joint_max > 0) {
        position_max *= ERROR_JOINTED;
        velocity_max *= ERROR_JOINTED;
    }
    double worst = 0.0;
    for (int i = 0; i < model->body_count; i++) {
        const struct cn_rate *k4 = &s->stage[3][i], *k5 = &s->stage[4][i];
        double reach = model->body[i].reach;
        double x = cn_vec3_length(cn_vec3_sub(k4->velocity, k5->velocity)) +
                   reach * turning_apart(model, k4, k5);
        double v = cn_vec3_length(cn_vec3_sub(k4->acceleration, k5->acceleration)) +
                   reach * cn_vec3_length(
                               cn_vec3_sub(k4->angular_acceleration, k5->angular_acceleration));
        double error = 0.1 * h * cn_max(x / position_max, v / velocity_max);
        if (!(error <= worst)) {
            worst = error;
        }
    }
    return isfinite(worst) ? worst : HUGE_VAL;
}

/* Puts back and holds every body whose trial has run away.  True if there was such a body. */
static bool
quarantine(struct cn_event_scratch *s)
{
    struct cn_model *model = s->model;
    bool found = false;
    for (int i = 0; i < model->body_count; i++) {
        if (cn_motion_is_bounded(&s->trial[i])) {
            continue;
        }
        CN_ASSERT(!model->body[i].quarantined); /* these rest, so every round holds another body */
        struct cn_motion *motion = &model->motion[i];
        motion->velocity = motion->angular_velocity = (cn_vec3){0.0, 0.0, 0.0};
        cn_model_quarantine(model, i);
        cn_model_event(model, CN_EVENT_QUARANTINE, i, -1, 0.0);
        found = true;
    }
    return found;
}

double
cn_event_controlled_step(struct cn_event_scratch *s, double h)
{
    struct cn_model *model = s->model;
    double h_min = cn_min(h, STEP_FRACTION_MIN * cn_model_tick_duration(model));
    for (int trial = 0; trial < STEP_TRIALS_MAX; trial++) {
        bool last = h <= h_min || trial == STEP_TRIALS_MAX - 1;
        if (trial > 0 && cn_event_is_spent(s, 0)) {
            return -1.0;
        }
        cn_event_runge_kutta(s, h);
        double error = step_error(s, h);
        if (s->lacks_forces) { /* the last try uses the rates of its start */
            error = HUGE_VAL;
            if (last) {
                move(model, s->start, h, s->stage[0], s->trial);
                s->gains = cn_event_step_gains(s, h * s->power[0]);
            }
        }
        error = s->gains ? HUGE_VAL : error;
        bool within = cn_event_within_travel(s);
        bool good = error <= 1.0 && within;
        if ((good || last) && quarantine(s)) {
            return 0.0;
        }
        if (last && s->gains) {
            return -1.0;
        }
        if (good) {
            double grow = error > 0.0 ? 0.9 / sqrt(sqrt(error)) : 4.0;
            double next = h * cn_clamp(grow, 0.5, 4.0);
            bool cut_short = trial == 0 && h < model->clock.step_next;
            model->clock.step_next = cut_short ? cn_max(next, model->clock.step_next) : next;
            return h;
        }
        if (last) {
            cn_model_event(model, CN_EVENT_STEP_MIN, -1, -1, error);
            model->clock.step_next = 2.0 * h;
            return h;
        }
        double shrink = error > 1.0 ? 0.9 / sqrt(sqrt(error)) : 0.5;
        h = cn_max(h_min, h * cn_clamp(shrink, 0.1, 0.7));
    }
    CN_ASSERT(false); /* the loop always returns */
}
