/*
 * joint.h: the definition of joints; engine/constraint/joint.h states their equations.
 *
 * A joint's two frames coincide when the world begins.  The axis of a hinge or slider is
 * frame_a.cx; frame_a.cy and frame_a.cz are perpendicular to it.  Body -1 is the world.
 *
 * A ball in space has the axis of its cone in frame_a.cx and its twist axis in frame_b.cx.  These
 * two may begin apart; then the least rotation that takes the one to the other takes frame_a to
 * frame_b.
 */
#ifndef ENGINE_MODEL_JOINT_H
#define ENGINE_MODEL_JOINT_H

#include "engine/math/mat33.h"

#include <stdbool.h>
#include <stdint.h>

/* X(name, NAME, text): every kind of joint, in the order that enum cn_joint_kind gives them. */
#define CN_JOINT_TABLE(X)                                                                          \
    X(ball, BALL, "one point of both bodies stays together; a cone and a twist may be limited")    \
    X(hinge, HINGE, "a point and an axis stay together: one turn is free")                         \
    X(slider, SLIDER, "bodies shift along an axis and do not turn against each other")             \
    X(fixed, FIXED, "nothing moves against each other")                                            \
    X(distance, DISTANCE, "a massless rod between two points, or one of varying length")           \
    X(rope, ROPE, "two points are at most a length apart")                                         \
    X(track, TRACK, "a point of a body stays on a curve")

#define X(name, NAME, text) CN_JOINT_##NAME,
enum cn_joint_kind { CN_JOINT_TABLE(X) };
#undef X
#define CN_JOINT_KIND_COUNT 7

/* The members that a tick reads of every joint come first. */
struct cn_joint {
    enum cn_joint_kind kind;
    int32_t body_a, body_b;
    bool has_limit, has_motor, has_spring;
    bool has_cone;              /* BALL */
    cn_vec3 anchor_a, anchor_b; /* frames of the centres of mass; world for body -1 [m] */
    double friction;            /* BALL, HINGE: largest torque of each friction row [N m] */
    bool collide;               /* the two bodies may also touch */
    bool absent;                /* the joint was removed or broke: no rows, no spring */
    cn_mat33 frame_a, frame_b;  /* orthonormal columns, in the same frames */
    double angle;               /* planar: angle of B less angle of A at the start [rad] */
    double length;              /* DISTANCE, ROPE [m] */
    int32_t curve;              /* TRACK */
    int32_t actuator;           /* its level scales the motor's speed; -1 without a motor */
    double lower, upper;        /* of the free coordinate [m or rad] */
    double restitution;         /* of its limits, and of a rope that becomes taut; 0 to 1 */
    double motor_speed;         /* m/s or rad/s */
    double motor_force_max;     /* N or N m; may be infinite */
    double stiffness, damping;  /* along the free coordinate: N/m, N s/m; N m/rad, N m s/rad */
    double rest;                /* m or rad */
    double cone;                /* BALL: largest angle between its two axes [rad] */
    double break_force;         /* N: above it the joint breaks; 0: never */
    double break_torque;        /* N m: the same */
    uint32_t generation;        /* of the slot: grows when its joint is removed */
};

/*
 * The rows that a joint can have at once: 6 that hold, 2 limits, 1 motor; a BALL has 3 that hold, 3
 * of friction, 2 limits of its twist, 1 of its cone.
 */
#define CN_JOINT_PARTS 9

/* The state of a joint that persists from tick to tick. */
struct cn_joint_state {
    double place; /* in space, HINGE: angle, BALL with a twist limit: twist [rad], not wrapped;
                     TRACK: parameter of the foot */
    double force[CN_JOINT_PARTS]; /* of the last solve, the warm start of the next [N or N m] */
};

#endif
