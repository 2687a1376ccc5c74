/*
 * event_energy.c: no step gains energy by its contacts and joints.
 *
 * With K the kinetic energy of the bodies that move, a step of h obeys
 *
 *     K(y1) - K(y0) = the work of forces that are given + the work of contacts and joints
 *
 * Contacts and joints do work only if they have a motor or touch a kinematic body.  Row k then has
 * the power f_k (J_k v - rate_k), where J_k v includes dynamic bodies only.  The remaining power
 * f_k rate_k <= 0 is lost.  Work is the integral of power with the weights of the Runge-Kutta step;
 * it is exact for a constant force.
 *
 * If K grows by more, the forces or the step have an error.  The error of the step is bounded: with
 * E = m e^2, where e is the error of velocity that a step may have,
 *
 *     |K(y1 + error) - K(y1)| <= sum 2 sqrt(K E) + E
 *
 * Forces that a solver did not find, at any stage, have no such bound.  A step that gains more is
 * not taken, whatever its length and whatever residual the solver reports.
 *
 * Corrections of positions lift bodies.  They may use the energy that the piece has lost: by
 * impacts, by friction, or because bodies sank.  They may also lift bodies by half of the gap
 * tolerance in a tick.  A correction that needs more is shortened.  Without this limit bodies that
 * wedge each other climb, since a small gap between them takes a long move to close.
 */
#include "engine/step/event/event.h"

#include "engine/base/fiber.h"
#include "engine/math/scalar.h"

#include <math.h>

/* Errors of velocity, in parts of the smallest length a second: ten times a step's own bound. */
#define ERROR_FRACTION 1e-5

/* Of the energies that a step moves: the gain that rounding may cause. */
#define GAIN_FRACTION 1e-9

/*
 * Of the weight times the gap that counts as touching: the energy by which corrections of a tick
 * may lift bodies.
 */
#define LIFT_FRACTION 0.5

/*
 * Operations for a body or a row.  They count for the slice, but not for the work that a tick may
 * take: otherwise a tick near that limit would be done coarsely.
 */
#define WORK_PER_BODY 60
#define WORK_PER_ROW 30

static double
kinetic_energy(const struct cn_model *model, int body, const struct cn_motion *motion)
{
    cn_pose pose = cn_motion_pose(motion, model->settings.dimension);
    cn_vec3 w = cn_pose_turn_back(&pose, motion->angular_velocity);
    const struct cn_body *of = &model->body[body];
    return 0.5 * of->mass * cn_vec3_dot(motion->velocity, motion->velocity) +
           0.5 * cn_vec3_dot(w, cn_mat33_apply(&of->inertia, w));
}

double
cn_event_power_given(struct cn_event_scratch *s, const struct cn_motion *motion)
{
    double power = 0.0;
    for (int i = 0; i < s->model->body_count; i++) {
        s->moving[i] = (struct cn_twist){0};
        if (s->mass[i].linear > 0.0) {
            s->moving[i] = (struct cn_twist){motion[i].velocity, motion[i].angular_velocity};
            power += cn_vec3_dot(s->wrench[i].force, motion[i].velocity) +
                     cn_vec3_dot(s->wrench[i].torque, motion[i].angular_velocity);
        }
    }
    for (int k = 0; k < s->row_count; k++) {
        double moved = cn_row_rate(&s->row[k], s->moving);
        power += s->f[k] * (moved - cn_event_row_rate(s, motion, k));
    }
    cn_work_spend((int64_t)WORK_PER_BODY * s->model->body_count +
                  (int64_t)WORK_PER_ROW * s->row_count);
    return power;
}

double
cn_event_kinetic(const struct cn_model *model, const struct cn_motion *motion)
{
    double sum = 0.0;
    for (int i = 0; i < model->body_count; i++) {
        sum += model->body[i].mass_inverse > 0.0 ? kinetic_energy(model, i, &motion[i]) : 0.0;
    }
    return sum;
}

static double
lift_allowed(const struct cn_model *model, const struct cn_wrench *wrench, double duration)
{
    double weight = 0.0;
    for (int i = 0; i < model->body_count; i++) {
        weight += model->body[i].mass_inverse > 0.0 ? cn_vec3_length(wrench[i].force) : 0.0;
    }
    double part = duration / cn_model_tick_duration(model);
    return LIFT_FRACTION * part * weight * model->gap_tolerance;
}

double
cn_event_lift_allowed(const struct cn_event_scratch *s, double duration)
{
    const struct cn_model *model = s->model;
    return lift_allowed(model, s->wrench, duration);
}

bool
cn_event_step_gains(struct cn_event_scratch *s, double work)
{
    const struct cn_model *model = s->model;
    s->given = work;
    if (s->row_count == 0) {
        return false;
    }
    double error = ERROR_FRACTION * model->length_min;
    double gain = -work, scale = fabs(work), allowed = 0.0;
    for (int i = 0; i < model->body_count; i++) {
        if (s->mass[i].linear == 0.0) {
            continue;
        }
        double before = kinetic_energy(model, i, &s->start[i]);
        double after = kinetic_energy(model, i, &s->trial[i]);
        double E = model->body[i].mass * error * error;
        gain += after - before;
        scale += after + before;
        allowed += 2.0 * sqrt(cn_max(before, after) * E) + E;
    }
    cn_work_spend(2 * (int64_t)WORK_PER_BODY * model->body_count);
    return !(gain <= allowed + GAIN_FRACTION * scale);
}

void
cn_event_coarse_layout(struct cn_arena *scratch, const struct cn_model *model)
{
    size_t bodies = (size_t)model->body_count;
    (void)CN_ARENA_TAKE(scratch, cn_pose, bodies);
    (void)CN_ARENA_TAKE(scratch, struct cn_wrench, bodies);
}

/* The part of body i's move in a piece that its velocity at the end does not explain [m]. */
static cn_vec3
correction_of(
    const struct cn_model *model, const struct cn_motion *start, double duration, int i)
{
    cn_vec3 moved = cn_vec3_sub(model->motion[i].position, start[i].position);
    return cn_vec3_add_scaled(moved, -duration, model->motion[i].velocity);
}

void
cn_event_limit_coarse_lift(struct cn_model *model, struct cn_arena scratch,
    const struct cn_motion *start, double duration)
{
    if (cn_joint_row_count_max(model) > 0) {
        return; /* joints must hold, even if that lifts bodies */
    }
    cn_pose *pose = CN_ARENA_TAKE(&scratch, cn_pose, (size_t)model->body_count);
    struct cn_wrench *wrench =
        CN_ARENA_TAKE(&scratch, struct cn_wrench, (size_t)model->body_count);
    for (int i = 0; i < model->body_count; i++) {
        pose[i] = cn_motion_pose(&start[i], model->settings.dimension);
    }
    cn_force_sum(model, start, pose, wrench);
    double lift = 0.0;
    double gain = cn_event_kinetic(model, model->motion) - cn_event_kinetic(model, start);
    for (int i = 0; i < model->body_count; i++) {
        if (model->body[i].mass_inverse > 0.0) {
            cn_vec3 moved = cn_vec3_sub(model->motion[i].position, start[i].position);
            gain -= cn_vec3_dot(wrench[i].force, moved);
            lift -= cn_vec3_dot(wrench[i].force, correction_of(model, start, duration, i));
        }
    }
    double excess = gain - lift_allowed(model, wrench, duration);
    if (!(excess > 0.0 && lift > 0.0)) {
        return;
    }
    double part = cn_min(excess / lift, 1.0);
    for (int i = 0; i < model->body_count; i++) {
        if (model->body[i].mass_inverse > 0.0) {
            model->motion[i].position = cn_vec3_add_scaled(
                model->motion[i].position, -part, correction_of(model, start, duration, i));
        }
    }
    cn_work_spend(4 * (int64_t)WORK_PER_BODY * model->body_count);
}
