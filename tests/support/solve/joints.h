/*
 * joints.h: makes a model of a few bodies and joints, for tests without a world.
 *
 * Bodies have mass and inertia 1 unless a test says otherwise; the arrays are the test's.
 */
#ifndef TESTS_SUPPORT_SOLVE_JOINTS_H
#define TESTS_SUPPORT_SOLVE_JOINTS_H

#include "engine/constraint/joint.h"

#define JOINTS_BODY_MAX 40
#define JOINTS_JOINT_MAX 48
#define JOINTS_ROW_MAX (JOINTS_JOINT_MAX * CN_JOINT_PARTS)

struct jointed {
    struct cn_model model;
    struct cn_body body[JOINTS_BODY_MAX];
    struct cn_motion motion[JOINTS_BODY_MAX];
    struct cn_joint joint[JOINTS_JOINT_MAX];
    struct cn_joint_state state[JOINTS_JOINT_MAX];
    struct cn_curve curve[2];
    struct cn_held held[4];
};

static inline void
jointed_init(struct jointed *all, enum cn_dimension dimension)
{
    *all = (struct jointed){0};
    all->model.settings.dimension = dimension;
    all->model.settings.time_rate = 1.0;
    all->model.tick_rate = 60.0;
    all->model.body = all->body;
    all->model.motion = all->motion;
    all->model.joint = all->joint;
    all->model.joint_state = all->state;
    all->model.curve = all->curve;
    all->model.held = all->held;
}

static inline int
jointed_body(struct jointed *all, cn_vec3 position, double mass, double inertia)
{
    int i = all->model.body_count++;
    all->body[i] = (struct cn_body){.type = CN_DYNAMIC,
        .mass = mass,
        .mass_inverse = 1.0 / mass,
        .inertia = cn_mat33_diagonal(inertia, inertia, inertia),
        .inertia_inverse = cn_mat33_diagonal(1.0 / inertia, 1.0 / inertia, 1.0 / inertia)};
    all->motion[i] =
        (struct cn_motion){.position = position, .orientation = cn_quat_identity()};
    return i;
}

/* Anchors and axis are of the world, at the present motion. */
static inline struct cn_joint *
jointed_joint(struct jointed *all, enum cn_joint_kind kind, int a, int b, cn_vec3 anchor_a,
    cn_vec3 anchor_b, const cn_mat33 *frame)
{
    struct cn_joint *joint = &all->joint[all->model.joint_count++];
    *joint = (struct cn_joint){.kind = kind, .body_a = a, .body_b = b, .actuator = -1};
    const int ends[] = {a, b};
    const cn_vec3 anchors[] = {anchor_a, anchor_b};
    cn_vec3 *out[] = {&joint->anchor_a, &joint->anchor_b};
    cn_mat33 *frames[] = {&joint->frame_a, &joint->frame_b};
    for (int k = 0; k < 2; k++) {
        *out[k] = anchors[k];
        *frames[k] = *frame;
        if (ends[k] >= 0) {
            cn_pose pose =
                cn_motion_pose(&all->motion[ends[k]], all->model.settings.dimension);
            *out[k] = cn_pose_invert(&pose, anchors[k]);
            frames[k]->cx = cn_pose_turn_back(&pose, frame->cx);
            frames[k]->cy = cn_pose_turn_back(&pose, frame->cy);
            frames[k]->cz = cn_pose_turn_back(&pose, frame->cz);
        }
    }
    joint->angle = all->motion[b].angle - (a >= 0 ? all->motion[a].angle : 0.0);
    joint->length = cn_vec3_length(cn_vec3_sub(anchor_b, anchor_a));
    return joint;
}

static inline int
jointed_rows(const struct jointed *all, const struct cn_motion *motion, struct cn_joint_row *rows)
{
    cn_pose pose[JOINTS_BODY_MAX];
    for (int i = 0; i < all->model.body_count; i++) {
        pose[i] = cn_motion_pose(&motion[i], all->model.settings.dimension);
    }
    return cn_joint_rows(&all->model, motion, pose, rows);
}

#endif
