/* joint_make.c: makes the joints and curves of a model from a checked definition. */
#include "engine/world/world_inside.h"

#include "engine/constraint/joint.h"
#include "engine/model/life.h"

#include <math.h>

void
cn_world_count_joints(struct cn_model *model, const struct cn_world_def *def)
{
    model->joint_count = def->joint_count;
    model->curve_count = def->curve_count;
    for (int i = 0; i < def->joint_count; i++) {
        model->motor_count += def->joints[i].has_motor;
    }
    for (int i = 0; i < def->curve_count; i++) {
        const struct cn_curve_def *curve = &def->curves[i];
        if (curve->kind == CN_CURVE_SPLINE) {
            model->knot_count += cn_curve_knot_count(curve->point_count, curve->closed);
        }
    }
}

static cn_vec3
flattened(bool planar, cn_vec3 v)
{
    return planar ? cn_vec3_make(v.x, v.y, 0.0) : v;
}

int
cn_curve_def_make(const struct cn_curve_def *from, bool planar, struct cn_curve *curve,
    struct cn_curve_knot *knot)
{
    *curve = (struct cn_curve){.kind = from->kind, .closed = from->closed};
    if (from->kind == CN_CURVE_CIRCLE) {
        curve->origin = flattened(planar, from->center);
        curve->radius = from->radius;
        return 0;
    }
    if (from->kind == CN_CURVE_LINE) {
        curve->origin = flattened(planar, from->from);
        cn_vec3 way = flattened(planar, cn_vec3_sub(from->to, from->from));
        curve->direction = cn_vec3_scale(way, 1.0 / cn_vec3_length(way));
        return 0;
    }
    cn_vec3 point[CN_CURVE_POINTS_MAX];
    for (int k = 0; k < from->point_count; k++) {
        point[k] = flattened(planar, from->points[k]);
    }
    cn_curve_spline(point, from->point_count, from->closed, knot);
    curve->knot = knot;
    curve->knot_count = cn_curve_knot_count(from->point_count, from->closed);
    return curve->knot_count;
}

/*
 * A frame whose first column is along the axis.  The other two columns are across it; in the plane
 * the left one comes first.
 */
static cn_mat33
frame_along(bool planar, cn_vec3 axis)
{
    double length = cn_vec3_length(axis);
    if (!(length > 0.0)) {
        return cn_mat33_diagonal(1.0, 1.0, 1.0);
    }
    cn_mat33 frame = {.cx = cn_vec3_scale(axis, 1.0 / length)};
    if (planar && frame.cx.z == 0.0) {
        frame.cy = cn_vec3_make(-frame.cx.y, frame.cx.x, 0.0);
    } else {
        double x = fabs(frame.cx.x), y = fabs(frame.cx.y), z = fabs(frame.cx.z);
        cn_vec3 helper = {x <= y && x <= z, y < x && y <= z, z < x && z < y};
        frame.cy = cn_vec3_cross(helper, frame.cx);
        frame.cy = cn_vec3_scale(frame.cy, 1.0 / cn_vec3_length(frame.cy));
    }
    frame.cz = cn_vec3_cross(frame.cx, frame.cy);
    return frame;
}

/* An anchor and a frame in the world, transformed to the frame of the body at its start. */
static void
attach_end(const struct cn_model *model, int body, cn_vec3 anchor, const cn_mat33 *frame,
    cn_vec3 *anchor_out, cn_mat33 *frame_out)
{
    *anchor_out = cn_model_flat(model, anchor);
    *frame_out = *frame;
    if (body < 0) {
        return;
    }
    cn_pose pose = cn_motion_pose(&model->motion[body], model->settings.dimension);
    *anchor_out = cn_pose_invert(&pose, *anchor_out);
    frame_out->cx = cn_pose_turn_back(&pose, frame->cx);
    frame_out->cy = cn_pose_turn_back(&pose, frame->cy);
    frame_out->cz = cn_pose_turn_back(&pose, frame->cz);
}

/*
 * A frame, turned by the least rotation that takes its first column to the direction `to`:
 *
 *     v + k x v + k x (k x v) / (1 + cx . to),  k = cx x to
 */
static cn_mat33
frame_turned(const cn_mat33 *frame, cn_vec3 to)
{
    double length = cn_vec3_length(to);
    if (!(length > 0.0)) {
        return *frame;
    }
    to = cn_vec3_scale(to, 1.0 / length);
    cn_vec3 k = cn_vec3_cross(frame->cx, to);
    double scale = 1.0 / (1.0 + cn_vec3_dot(frame->cx, to));
    cn_vec3 column[3] = {frame->cx, frame->cy, frame->cz};
    for (int i = 0; i < 3; i++) {
        cn_vec3 once = cn_vec3_cross(k, column[i]);
        column[i] = cn_vec3_add_scaled(
            cn_vec3_add(column[i], once), scale, cn_vec3_cross(k, once));
    }
    return (cn_mat33){column[0], column[1], column[2]};
}

/* Whether anything acts on the turn of a ball; then its frames have a meaning. */
static bool
ball_turns(const struct cn_joint_def *from)
{
    return from->has_limit || from->has_cone || from->has_spring || from->friction > 0.0;
}

void
cn_joint_make(const struct cn_model *model, const struct cn_joint_def *from,
    struct cn_joint *joint, struct cn_joint_state *state)
{
    bool planar = model->settings.dimension == CN_PLANAR;
    cn_vec3 axis = from->axis;
    if (planar && from->kind == CN_JOINT_SLIDER) {
        axis.z = 0.0;
    }
    bool is_ball = from->kind == CN_JOINT_BALL;
    if (is_ball && !ball_turns(from)) {
        axis = cn_vec3_make(0.0, 0.0, 0.0);
    }
    cn_mat33 frame = frame_along(planar, axis), frame_a = frame;
    if (is_ball && ball_turns(from)) {
        frame_a = frame_turned(&frame, from->cone_axis);
    }
    bool has_ends = from->kind == CN_JOINT_DISTANCE || from->kind == CN_JOINT_ROPE;
    cn_vec3 anchor_a = has_ends ? from->anchor_a : from->anchor_b;
    cn_vec3 apart = cn_model_flat(model, cn_vec3_sub(from->anchor_b, anchor_a));
    *joint = (struct cn_joint){
        .kind = from->kind,
        .body_a = from->body_a,
        .body_b = from->body_b,
        .length = from->length > 0.0 ? from->length : cn_vec3_length(apart),
        .curve = from->curve,
        .actuator = -1,
        .has_limit = from->has_limit,
        .has_motor = from->has_motor,
        .has_spring = from->has_spring,
        .collide = from->collide,
        .lower = from->lower,
        .upper = from->upper,
        .restitution = from->restitution,
        .motor_speed = from->motor_speed,
        .motor_force_max = from->motor_force_max,
        .stiffness = from->stiffness,
        .damping = from->damping,
        .rest = from->rest,
        .has_cone = from->has_cone,
        .cone = from->cone,
        .friction = from->friction,
        .break_force = from->break_force,
        .break_torque = from->break_torque,
    };
    if (from->kind == CN_JOINT_ROPE) {
        joint->has_limit = true;
        joint->lower = -HUGE_VAL;
        joint->upper = joint->length;
    }
    attach_end(model, joint->body_a, anchor_a, &frame_a, &joint->anchor_a, &joint->frame_a);
    attach_end(model, joint->body_b, from->anchor_b, &frame, &joint->anchor_b, &joint->frame_b);
    joint->angle = model->motion[joint->body_b].angle -
                   (joint->body_a >= 0 ? model->motion[joint->body_a].angle : 0.0);
    *state = (struct cn_joint_state){0};
    if (joint->kind == CN_JOINT_TRACK) {
        const struct cn_curve *curve = &model->curve[joint->curve];
        state->place =
            cn_curve_foot_search(curve, cn_model_flat(model, from->anchor_b)).parameter;
    }
}

void
cn_world_make_joints(struct cn_model *model, const struct cn_world_def *def)
{
    int actuator = model->thruster_count;
    struct cn_curve_knot *knot = model->knot;
    for (int i = 0; i < def->curve_count; i++) {
        bool planar = model->settings.dimension == CN_PLANAR;
        knot += cn_curve_def_make(&def->curves[i], planar, &model->curve[i], knot);
    }
    for (int i = 0; i < def->joint_count; i++) {
        cn_joint_make(model, &def->joints[i], &model->joint[i], &model->joint_state[i]);
        if (model->joint[i].has_motor) {
            model->motor_joint[actuator - model->thruster_count] = i;
            model->joint[i].actuator = actuator++;
        }
        cn_model_link_joint(model, i);
    }
}
