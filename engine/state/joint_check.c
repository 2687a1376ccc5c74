#include "engine/state/joint_check.h"

static bool
is_finite3(cn_vec3 a, cn_vec3 b, cn_vec3 c)
{
    return cn_vec3_is_finite(a) && cn_vec3_is_finite(b) && cn_vec3_is_finite(c);
}

static bool
joint_body_is_valid(const struct cn_model *model, int body, bool may_be_world)
{
    if (body < 0) {
        return may_be_world && body == -1;
    }
    return body < model->body_count && !model->body[body].absent;
}

static bool
is_bounded(double value, double bound)
{
    return value >= -bound && value <= bound;
}

/*
 * A joint has the rows that its kind has room for: friction is of a hinge without a motor or of a
 * ball, and what acts on the turn of a ball is in space.
 */
static bool
turns_are_valid(const struct cn_model *model, const struct cn_joint *joint)
{
    bool friction = joint->friction > 0.0, ball = joint->kind == CN_JOINT_BALL;
    bool turns = joint->has_limit || joint->has_spring || joint->has_cone || friction;
    bool cone = joint->has_cone && joint->cone <= CN_TWIST_CONE_MAX;
    if (ball) {
        return !joint->has_motor && !(turns && model->settings.dimension == CN_PLANAR) &&
               (!joint->has_limit || cone);
    }
    return !friction || (joint->kind == CN_JOINT_HINGE && !joint->has_motor);
}

bool
cn_read_joint_is_valid(const struct cn_model *model, const struct cn_joint *joint)
{
    const cn_mat33 *a = &joint->frame_a, *b = &joint->frame_b;
    bool curve = joint->kind != CN_JOINT_TRACK ||
                 (joint->curve >= 0 && joint->curve < model->curve_count && joint->body_a == -1);
    double all[] = {joint->angle, joint->length, joint->motor_speed, joint->stiffness,
        joint->damping, joint->rest, joint->break_force, joint->break_torque, joint->cone,
        joint->friction};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        if (!is_bounded(all[i], CN_MOTION_MAX)) {
            return false;
        }
    }
    return curve && joint_body_is_valid(model, joint->body_a, true) &&
           joint_body_is_valid(model, joint->body_b, false) && joint->body_a != joint->body_b &&
           cn_vec3_is_finite(joint->anchor_a) && cn_vec3_is_finite(joint->anchor_b) &&
           is_finite3(a->cx, a->cy, a->cz) && is_finite3(b->cx, b->cy, b->cz) &&
           joint->lower <= joint->upper && joint->motor_force_max >= 0.0 &&
           joint->stiffness >= 0.0 && joint->damping >= 0.0 && joint->restitution >= 0.0 &&
           joint->restitution <= 1.0 && joint->friction >= 0.0 &&
           (!joint->has_cone || (joint->kind == CN_JOINT_BALL && joint->cone >= CN_CONE_MIN)) &&
           turns_are_valid(model, joint);
}

bool
cn_read_joints_have_bodies(const struct cn_model *model)
{
    for (int i = 0; i < model->joint_count; i++) {
        const struct cn_joint *joint = &model->joint[i];
        if (!joint->absent && (!joint_body_is_valid(model, joint->body_a, true) ||
                                  !joint_body_is_valid(model, joint->body_b, false))) {
            return false;
        }
    }
    return true;
}
