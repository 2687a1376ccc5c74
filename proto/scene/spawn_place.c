/*
 * spawn_place.c: puts the copies of a prefab's bodies and joints where a spawn says.
 *
 * A spawn has a frame: a position and a turn.  Points, velocities, axes and anchors of the copies
 * are turned and moved by it.
 */
#include "proto/scene/spawn_inside.h"

#include "engine/base/limits.h"

#include <math.h>
#include <stdlib.h>

cn_vec3
spawn_vector(const Cairn__V1__Vec3 *value)
{
    return value != NULL ? (cn_vec3){value->x, value->y, value->z} : (cn_vec3){0.0, 0.0, 0.0};
}

bool
spawn_set_vector(Cairn__V1__Vec3 **field, cn_vec3 value)
{
    if (*field == NULL) {
        *field = malloc(sizeof(**field));
        if (*field == NULL) {
            return false;
        }
        cairn__v1__vec3__init(*field);
    }
    (*field)->x = value.x;
    (*field)->y = value.y;
    (*field)->z = value.z;
    return true;
}

static bool
set_quaternion(Cairn__V1__Quat **field, cn_quat value)
{
    if (*field == NULL) {
        *field = malloc(sizeof(**field));
        if (*field == NULL) {
            return false;
        }
        cairn__v1__quat__init(*field);
    }
    (*field)->w = value.w;
    (*field)->x = value.x;
    (*field)->y = value.y;
    (*field)->z = value.z;
    return true;
}

enum cn_status
spawn_read_frame(
    const Cairn__V1__Spawn *spawn, bool planar, struct spawn_frame *frame, struct cn_defect *defect)
{
    const Cairn__V1__Quat *q = spawn->orientation;
    *frame =
        (struct spawn_frame){.turn = cn_quat_identity(), .angle = spawn->angle, .planar = planar};
    frame->pose.position = spawn_vector(spawn->position);
    if (planar && q != NULL) {
        return cn_defect_set(defect, CN_DIMENSION, "orientation",
            "is of SPATIAL worlds; in a PLANAR one a spawn has an angle");
    }
    if (!planar && spawn->angle != 0.0) {
        return cn_defect_set(defect, CN_DIMENSION, "angle",
            "is of PLANAR worlds; in a SPATIAL one a spawn has an orientation");
    }
    if (!(fabs(spawn->angle) <= CN_ANGLE_MAX)) {
        return cn_defect_set(defect, CN_RANGE, "angle", "is %g; from %g to %g rad is accepted",
            spawn->angle, -CN_ANGLE_MAX, CN_ANGLE_MAX);
    }
    if (q != NULL) {
        frame->turn = (cn_quat){q->w, q->x, q->y, q->z};
        double length = cn_quat_length(frame->turn);
        if (!(length >= 0.5 && length <= 2.0)) {
            return cn_defect_set(defect, CN_RANGE, "orientation",
                "has length %g; about 1 is accepted, from 0.5 to 2", length);
        }
        frame->turn = cn_quat_normalize(frame->turn);
    }
    frame->is_turned = planar ? frame->angle != 0.0 : q != NULL;
    double sine, cosine;
    cn_sin_cos(spawn->angle, &sine, &cosine);
    frame->pose.rotation = planar ? cn_mat33_about_z(sine, cosine) : cn_quat_to_mat33(frame->turn);
    return CN_OK;
}

/* In the plane z is not touched, so that a z that the scene's check refuses is still refused. */
static cn_vec3
turn_vector(const struct spawn_frame *frame, cn_vec3 vector)
{
    return frame->is_turned ? cn_pose_turn(&frame->pose, vector) : vector;
}

static cn_vec3
put_point(const struct spawn_frame *frame, cn_vec3 point)
{
    return cn_vec3_add(frame->pose.position, turn_vector(frame, point));
}

bool
spawn_put_body(
    const struct spawn_frame *frame, const Cairn__V1__Spawn *spawn, Cairn__V1__Body *body)
{
    bool moves = body->type != CAIRN__V1__BODY__TYPE__STATIC;
    cn_vec3 position = put_point(frame, spawn_vector(body->position));
    cn_vec3 velocity = cn_vec3_add(
        spawn_vector(spawn->velocity), turn_vector(frame, spawn_vector(body->velocity)));
    cn_vec3 spin = cn_vec3_add(spawn_vector(spawn->angular_velocity),
        turn_vector(frame, spawn_vector(body->angular_velocity)));
    bool done = spawn_set_vector(&body->position, position) &&
                (!moves || (spawn_set_vector(&body->velocity, velocity) &&
                               spawn_set_vector(&body->angular_velocity, spin)));
    if (frame->planar) {
        body->angle += frame->angle;
    } else if (frame->is_turned) {
        const Cairn__V1__Quat *q = body->orientation;
        cn_quat own = q != NULL ? (cn_quat){q->w, q->x, q->y, q->z} : cn_quat_identity();
        done = done && set_quaternion(&body->orientation, cn_quat_multiply(frame->turn, own));
    }
    return done;
}

/* Turns an axis; one that is absent is `usual`. */
static bool
put_axis(const struct spawn_frame *frame, Cairn__V1__Vec3 **axis, cn_vec3 usual)
{
    cn_vec3 own = *axis != NULL ? spawn_vector(*axis) : usual;
    return !frame->is_turned || spawn_set_vector(axis, turn_vector(frame, own));
}

static bool
put_anchor(const struct spawn_frame *frame, Cairn__V1__Vec3 **anchor)
{
    return spawn_set_vector(anchor, put_point(frame, spawn_vector(*anchor)));
}

bool
spawn_put_joint(const struct spawn_frame *frame, Cairn__V1__Joint *joint)
{
    const cn_vec3 x = {1.0, 0.0, 0.0}, z = {0.0, 0.0, 1.0};
    switch (joint->joint_case) {
    case CAIRN__V1__JOINT__JOINT_BALL: {
        Cairn__V1__Joint__Ball *ball = joint->ball;
        return put_anchor(frame, &ball->anchor) &&
               (frame->planar || put_axis(frame, &ball->axis, z)) &&
               (ball->cone_axis == NULL || put_axis(frame, &ball->cone_axis, z));
    }
    case CAIRN__V1__JOINT__JOINT_HINGE: /* in the plane z stays z */
        return put_anchor(frame, &joint->hinge->anchor) &&
               (frame->planar || put_axis(frame, &joint->hinge->axis, z));
    case CAIRN__V1__JOINT__JOINT_SLIDER:
        return put_anchor(frame, &joint->slider->anchor) &&
               put_axis(frame, &joint->slider->axis, x);
    case CAIRN__V1__JOINT__JOINT_FIXED:
        return put_anchor(frame, &joint->fixed->anchor);
    case CAIRN__V1__JOINT__JOINT_DISTANCE:
        return put_anchor(frame, &joint->distance->anchor_a) &&
               put_anchor(frame, &joint->distance->anchor_b);
    case CAIRN__V1__JOINT__JOINT_ROPE:
        return put_anchor(frame, &joint->rope->anchor_a) &&
               put_anchor(frame, &joint->rope->anchor_b);
    case CAIRN__V1__JOINT__JOINT_TRACK:
        return put_anchor(frame, &joint->track->anchor);
    default:
        return true; /* the check of the change refuses it */
    }
}
