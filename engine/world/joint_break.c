/*
 * joint_break.c: joints that bore more than they can are removed when a tick is done.
 *
 * What counts is what cn_joint_look shows: the force on B at the joint, and the torque beside it,
 * of the tick's last solve (of the solver impulse: on average over the tick).  All joints that bore
 * too much go at once, in order.  Without memory to keep what the scene had, a joint breaks later.
 */
#include "engine/world/command_inside.h"
#include "engine/world/world_inside.h"

#include "engine/constraint/joint.h"
#include "engine/world/make.h"

/* Whether the joint bore more than it can in this tick. */
static bool
is_broken(const struct cn_model *model, cn_pose *pose, int index)
{
    const struct cn_joint *joint = &model->joint[index];
    const int32_t ends[] = {joint->body_a, joint->body_b};
    for (int k = 0; k < 2; k++) {
        if (ends[k] >= 0) {
            pose[ends[k]] = cn_motion_pose(&model->motion[ends[k]], model->settings.dimension);
        }
    }
    struct cn_joint_look look;
    cn_joint_look(model, model->motion, pose, index, &look);
    double force = cn_vec3_length(look.force), torque = cn_vec3_length(look.torque);
    return (joint->break_force > 0.0 && force > joint->break_force) ||
           (joint->break_torque > 0.0 && torque > joint->break_torque);
}

void
cn_world_break_joints(struct cn_world *world)
{
    struct cn_model *model = &world->model;
    if (world->breakable_version != model->structure_version + 1) {
        world->breakable_version = model->structure_version + 1;
        world->breakable_end = 0;
        for (int i = 0; i < model->joint_count; i++) {
            const struct cn_joint *joint = &model->joint[i];
            if (joint->break_force > 0.0 || joint->break_torque > 0.0) {
                world->breakable_end = i + 1;
            }
        }
    }
    cn_pose *pose = world->breakable_end > 0 ? cn_view_poses(world) : NULL;
    for (int i = 0; i < world->breakable_end && pose != NULL; i++) {
        const struct cn_joint *joint = &model->joint[i];
        bool may_break = joint->break_force > 0.0 || joint->break_torque > 0.0;
        if (may_break && is_broken(model, pose, i) && cn_make_keep_joint(world, i)) {
            cn_world_change_room(world, 1);
            cn_model_event(model, CN_EVENT_JOINT_BROKEN, joint->body_a, joint->body_b, i);
            cn_command_joint_goes(world, i);
        }
    }
}
