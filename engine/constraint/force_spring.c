/*
 * force_spring.c: springs between two bodies, or a body and a point of the world.
 *
 * With d = pB - pA, l = |d|, u = d / l:
 *
 *     force on B = -( stiffness (l - rest_length) + damping (d' . u) ) u,  the opposite on A
 *
 * A spring of length zero has no direction and no force.  Under the solver impulse it pulls in
 * every substep, implicitly where it is stiff: engine/step/pipeline/pipeline_springs.c.
 */
#include "engine/base/assert.h"
#include "engine/constraint/force.h"

#define LENGTH_MIN 1e-12 /* m */

struct ends {
    cn_vec3 arm_a, arm_b; /* from the centres of mass; zero for an end in the world */
    cn_vec3 direction;    /* u */
    double length, rate;  /* l, d' . u */
};

static bool
spring_ends(const struct cn_spring *spring, const struct cn_motion *motion, const cn_pose *pose,
    struct ends *ends)
{
    cn_vec3 point_a = spring->anchor_a, velocity_a = {0.0, 0.0, 0.0};
    ends->arm_a = velocity_a;
    if (spring->body_a >= 0) {
        const struct cn_motion *a = &motion[spring->body_a];
        ends->arm_a = cn_pose_turn(&pose[spring->body_a], spring->anchor_a);
        point_a = cn_vec3_add(a->position, ends->arm_a);
        velocity_a = cn_vec3_add(a->velocity, cn_vec3_cross(a->angular_velocity, ends->arm_a));
    }
    CN_ASSERT(spring->body_b >= 0);
    const struct cn_motion *b = &motion[spring->body_b];
    ends->arm_b = cn_pose_turn(&pose[spring->body_b], spring->anchor_b);
    cn_vec3 point_b = cn_vec3_add(b->position, ends->arm_b);
    cn_vec3 velocity_b =
        cn_vec3_add(b->velocity, cn_vec3_cross(b->angular_velocity, ends->arm_b));

    cn_vec3 d = cn_vec3_sub(point_b, point_a);
    ends->length = cn_vec3_length(d);
    if (!(ends->length > LENGTH_MIN)) {
        return false;
    }
    ends->direction = cn_vec3_scale(d, 1.0 / ends->length);
    ends->rate = cn_vec3_dot(cn_vec3_sub(velocity_b, velocity_a), ends->direction);
    return true;
}

static void
spring_apply(const struct cn_model *model, const struct cn_motion *motion, const cn_pose *pose,
    struct cn_wrench *wrench)
{
    for (int k = 0; k < model->spring_count; k++) {
        const struct cn_spring *spring = &model->spring[k];
        struct ends ends;
        if (spring->absent || !spring_ends(spring, motion, pose, &ends)) {
            continue;
        }
        CN_ASSERT(spring->body_a < model->body_count && spring->body_b < model->body_count);
        double pull = spring->stiffness * (ends.length - spring->rest_length) +
                      spring->damping * ends.rate;
        cn_vec3 force = cn_vec3_scale(ends.direction, pull);
        if (spring->body_a >= 0) {
            cn_wrench_add(&wrench[spring->body_a], ends.arm_a, force);
        }
        cn_wrench_add(&wrench[spring->body_b], ends.arm_b, cn_vec3_negate(force));
    }
}

static double
spring_potential(
    const struct cn_model *model, const struct cn_motion *motion, const cn_pose *pose)
{
    double sum = 0.0;
    for (int k = 0; k < model->spring_count; k++) {
        const struct cn_spring *spring = &model->spring[k];
        struct ends ends;
        if (spring->absent) {
            continue;
        }
        double length = spring_ends(spring, motion, pose, &ends) ? ends.length : 0.0;
        double stretch = length - spring->rest_length;
        sum += 0.5 * spring->stiffness * stretch * stretch;
    }
    return sum;
}

const struct cn_force cn_force_spring = {
    .name = "spring",
    .text = "springs between bodies, or a body and a point of the world",
    .apply = spring_apply,
    .potential = spring_potential,
};
