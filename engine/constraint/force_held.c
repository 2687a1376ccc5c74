/*
 * force_held.c: held inputs of sessions: forces, torques, drags (a spring to a moving point) and
 * thrusters.  The table is sorted by holder, so sums have one order.
 *
 * Under the solver impulse drags pull in every substep, implicitly where they are stiff:
 * engine/step/pipeline/pipeline_drags.c.
 */
#include "engine/base/assert.h"
#include "engine/constraint/force.h"

#include <math.h>

static void
add_force(const struct cn_held *held, const cn_pose *pose, struct cn_wrench *wrench)
{
    cn_vec3 arm = cn_pose_turn(&pose[held->target], held->point);
    cn_vec3 force = held->frame == CN_FRAME_BODY ? cn_pose_turn(&pose[held->target], held->vector)
                                                 : held->vector;
    cn_wrench_add(&wrench[held->target], arm, force);
}

static void
add_drag(const struct cn_held *held, const struct cn_motion *motion, const cn_pose *pose,
    struct cn_wrench *wrench)
{
    const struct cn_motion *body = &motion[held->target];
    cn_vec3 arm = cn_pose_turn(&pose[held->target], held->point);
    cn_vec3 point = cn_vec3_add(body->position, arm);
    cn_vec3 velocity = cn_vec3_add(body->velocity, cn_vec3_cross(body->angular_velocity, arm));
    cn_vec3 force = cn_vec3_scale(cn_vec3_sub(held->vector, point), held->stiffness);
    force = cn_vec3_add_scaled(force, -held->damping, velocity);
    double size = sqrt(cn_vec3_dot(force, force));
    if (held->force_max > 0.0 && size > held->force_max) {
        force = cn_vec3_scale(force, held->force_max / size);
    }
    cn_wrench_add(&wrench[held->target], arm, force);
}

static void
add_actuator(const struct cn_model *model, const struct cn_held *held, const cn_pose *pose,
    struct cn_wrench *wrench)
{
    const struct cn_thruster *thruster = &model->thruster[held->target];
    CN_ASSERT(0 <= thruster->body && thruster->body < model->body_count);
    cn_vec3 arm = cn_pose_turn(&pose[thruster->body], thruster->at);
    cn_vec3 force = cn_pose_turn(&pose[thruster->body], thruster->force);
    cn_wrench_add(&wrench[thruster->body], arm, cn_vec3_scale(force, held->stiffness));
}

void
cn_force_held_steady(
    const struct cn_model *model, const cn_pose *pose, struct cn_wrench *wrench)
{
    for (int k = 0; k < model->held_count; k++) {
        const struct cn_held *held = &model->held[k];
        CN_ASSERT(held->target >= 0);
        CN_ASSERT(held->kind == CN_HELD_ACTUATOR || held->target < model->body_count);
        switch (held->kind) {
        case CN_HELD_FORCE:
            add_force(held, pose, wrench);
            break;
        case CN_HELD_TORQUE:
            wrench[held->target].torque =
                cn_vec3_add(wrench[held->target].torque, held->vector);
            break;
        case CN_HELD_DRAG:
            break;
        case CN_HELD_ACTUATOR:
            if (held->target >= model->thruster_count) {
                break; /* a motor: it has a row of its joint */
            }
            add_actuator(model, held, pose, wrench);
            break;
        }
    }
}

static void
held_apply(const struct cn_model *model, const struct cn_motion *motion, const cn_pose *pose,
    struct cn_wrench *wrench)
{
    cn_force_held_steady(model, pose, wrench);
    for (int k = 0; k < model->held_count; k++) {
        if (model->held[k].kind == CN_HELD_DRAG) {
            add_drag(&model->held[k], motion, pose, wrench);
        }
    }
}

/*
 * The potential of drags; other held inputs have no potential.  Up to the distance s at which the
 * spring reaches its largest force, it is half the stiffness times the square of the distance.
 * Beyond s it grows linearly, with that force.
 */
static double
held_potential(const struct cn_model *model, const struct cn_motion *motion, const cn_pose *pose)
{
    double sum = 0.0;
    for (int k = 0; k < model->held_count; k++) {
        const struct cn_held *held = &model->held[k];
        if (held->kind != CN_HELD_DRAG) {
            continue;
        }
        cn_vec3 arm = cn_pose_turn(&pose[held->target], held->point);
        cn_vec3 point = cn_vec3_add(motion[held->target].position, arm);
        cn_vec3 stretch = cn_vec3_sub(held->vector, point);
        double square = cn_vec3_dot(stretch, stretch), pull_max = held->force_max;
        bool is_capped = pull_max > 0.0 &&
            held->stiffness * held->stiffness * square > pull_max * pull_max;
        sum += is_capped ? pull_max * (sqrt(square) - 0.5 * pull_max / held->stiffness)
                         : 0.5 * held->stiffness * square;
    }
    return sum;
}

const struct cn_force cn_force_held = {
    .name = "held",
    .text = "forces, torques, drags and thrusters that sessions hold",
    .apply = held_apply,
    .potential = held_potential,
};
