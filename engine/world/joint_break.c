/*
 * joint_break.c: removes joints that were overloaded, when a tick is done.
 *
 * The load is what cn_joint_look shows: the force on B at the joint, and the torque besides it, of
 * the tick's last solve (under the solver impulse: the average over the tick).  All overloaded
 * joints are removed at once, in order, and none before there is memory to save the joints of the
 * scene.
 */
#include "engine/world/command/inside.h"
#include "engine/world/world_inside.h"

#include "engine/constraint/joint.h"
#include "engine/world/make.h"

/* Whether the joint was overloaded in this tick. */
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
    cn_joint_look(model, model->motion, pose, index, NULL, &look);
    double force = cn_vec3_length(look.force), torque = cn_vec3_length(look.torque);
    return (joint->break_force > 0.0 && force > joint->break_force) ||
           (joint->break_torque > 0.0 && torque > joint->break_torque);
}

/* Whether the joint can break, and was overloaded. */
static bool
joint_breaks(const struct cn_model *model, cn_pose *pose, int index)
{
    const struct cn_joint *joint = &model->joint[index];
    return (joint->break_force > 0.0 || joint->break_torque > 0.0) &&
           is_broken(model, pose, index);
}

/* Finds the end of the breakable joints, when the structure has changed. */
static void
find_breakable(struct cn_world *world)
{
    const struct cn_model *model = &world->model;
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
}

bool
cn_world_break_joints(struct cn_world *world)
{
    struct cn_model *model = &world->model;
    find_breakable(world);
    if (world->breakable_end == 0) {
        return true;
    }
    cn_pose *pose = cn_view_poses(world);
    if (pose == NULL) {
        return false;
    }
    int end = 0; /* of the joints that break */
    for (int i = 0; i < world->breakable_end; i++) {
        if (joint_breaks(model, pose, i)) {
            if (!cn_make_keep_joint(world, i)) {
                return false;
            }
            end = i + 1;
        }
    }
    for (int i = 0; i < end; i++) {
        const struct cn_joint *joint = &model->joint[i];
        if (joint_breaks(model, pose, i)) {
            cn_world_change_room(world, 1);
            cn_model_event(model, CN_EVENT_JOINT_BROKEN, joint->body_a, joint->body_b, i);
            cn_command_joint_goes(world, i);
        }
    }
    return true;
}
