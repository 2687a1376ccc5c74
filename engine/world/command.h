/*
 * command.h: every change of a world between two ticks, as values.
 *
 * A command is checked (cn_world_command_check), journalled, and applied before the next step.  Two
 * worlds that got the same commands at the same ticks have the same bits.  A held input acts from
 * the tick at which it is applied until `until_tick` (exclusive), until it is released, or until
 * the same (source, slot) replaces it.
 */
#ifndef ENGINE_WORLD_COMMAND_H
#define ENGINE_WORLD_COMMAND_H

#include "engine/base/defect.h"
#include "engine/model/model.h"
#include "engine/world/world_def.h"

/* Enumerator, payload type, payload member, name, description. */
#define CN_COMMAND_TABLE(X)                                                                        \
    X(HOLD_FORCE, struct cn_hold_force, hold_force, "hold a force on a body")                      \
    X(HOLD_TORQUE, struct cn_hold_torque, hold_torque, "hold a torque on a body")                  \
    X(HOLD_DRAG, struct cn_hold_drag, hold_drag, "hold a spring from a body to a point")           \
    X(HOLD_ACTUATOR, struct cn_hold_actuator, hold_actuator, "hold a thruster at a level")         \
    X(RELEASE, struct cn_release, release, "let one held input go")                                \
    X(RELEASE_SOURCE, struct cn_release_source, release_source, "let go all that a source holds")  \
    X(SET_GRAVITY, struct cn_set_vector, set_gravity, "set gravity [m/s^2]")                       \
    X(SET_RESTITUTION, struct cn_set_number, set_restitution, "set every material's restitution")  \
    X(SET_DAMPING, struct cn_set_damping, set_damping, "set damping [N s/m, N m s]")               \
    X(SET_TIME_RATE, struct cn_set_number, set_time_rate, "set simulated seconds per second")      \
    X(SET_COLLISION, struct cn_set_number, set_collision, "set the way impacts are resolved")      \
    X(SET_MINIMUM_NORM, struct cn_set_number, set_minimum_norm, "show the least contact forces")   \
    X(SET_SUBSTEPS, struct cn_set_number, set_substeps, "set the substeps of a tick")              \
    X(SET_PROPAGATION, struct cn_set_propagation, set_propagation, "set the paper's iterations")   \
    X(SET_SLEEP, struct cn_set_number, set_sleep, "let islands at rest sleep, or wake all")        \
    X(SET_SOLVER, struct cn_set_name, set_solver, "change the solver")                             \
    X(SET_STEPPER, struct cn_set_name, set_stepper, "change the stepper")                          \
    X(SET_METHOD, struct cn_set_method, set_method, "change stepper and solver at once")           \
    X(PLACE_BODY, struct cn_place_body, place_body, "put a body at a pose, with a velocity")       \
    X(SET_VELOCITY, struct cn_set_velocity, set_velocity, "set a body's velocities")               \
    X(SET_BODY_TYPE, struct cn_set_body_type, set_body_type, "make a body of another type")        \
    X(SET_FILTER, struct cn_set_filter, set_filter, "set what a body's shapes may meet")           \
    X(SLEEP_BODY, struct cn_sleep_body, sleep_body, "put a body to sleep, or wake it")             \
    X(MAKE_BODY, struct cn_make_body, make_body, "make a body")                                    \
    X(REMOVE_BODY, struct cn_remove, remove_body, "remove a body and what holds on to it")         \
    X(MAKE_JOINT, struct cn_make_joint, make_joint, "make a joint")                                \
    X(REMOVE_JOINT, struct cn_remove, remove_joint, "remove a joint")                              \
    X(SET_RESTING_VELOCITY, struct cn_set_number, set_resting_velocity,                            \
        "set the speed below which impacts have no restitution [m/s]")                             \
    X(SET_ATTRIBUTE, struct cn_set_attribute, set_attribute, "set an attribute, or remove it")     \
    X(MOVE_BODY, struct cn_move_body, move_body, "move a kinematic body to a pose")

struct cn_release {
    uint64_t source;
    uint32_t slot;
};

struct cn_release_source {
    uint64_t source;
};

struct cn_set_vector {
    cn_vec3 value;
};

struct cn_set_number {
    double value; /* SET_COLLISION: enum cn_collision_handling; SET_MINIMUM_NORM,
                   * SET_SLEEP: 0 or 1 */
};

/* All parameters of the stepper `propagation`. */
struct cn_set_propagation {
    struct cn_propagation_settings value;
};

struct cn_set_damping {
    double linear;  /* N s/m */
    double angular; /* N m s */
};

struct cn_set_name {
    char name[CN_NAME_SIZE];
};

/* An empty name leaves that method unchanged.  The check judges the resulting pair of names. */
struct cn_set_method {
    char stepper[CN_NAME_SIZE], solver[CN_NAME_SIZE];
};

/* Places a body, and ends its quarantine. */
struct cn_place_body {
    int32_t body;
    cn_vec3 position; /* of the body's frame [m] */
    double angle;     /* planar [rad] */
    cn_quat orientation; /* spatial; is normalised */
    cn_vec3 velocity;
    cn_vec3 angular_velocity;
};

/* For a dynamic or kinematic body.  Velocities along and about locked axes become 0. */
struct cn_set_velocity {
    int32_t body;
    cn_vec3 velocity;         /* of the centre of mass [m/s] */
    cn_vec3 angular_velocity; /* rad/s */
};

/*
 * Moves a KINEMATIC body without locks to a pose, which it has after `ticks` ticks; then it stands.
 * Its centre of mass moves on a straight line.  A later MOVE_BODY, PLACE_BODY or SET_VELOCITY of
 * the body, and another type, end the move (engine/model/move.h).
 */
struct cn_move_body {
    int32_t body;
    cn_vec3 position;    /* of the body's frame [m] */
    double angle;        /* planar [rad]; it turns by the difference to its angle now */
    cn_quat orientation; /* spatial; it turns the shorter way; is normalised */
    uint32_t ticks;      /* 1 to CN_MOVE_TICKS_MAX */
};

/* A body that was not made DYNAMIC has no inertia and can not become DYNAMIC. */
struct cn_set_body_type {
    int32_t body;
    enum cn_body_type type;
};

struct cn_set_filter {
    int32_t body;
    int32_t shape; /* index among the body's shapes; -1: all */
    struct cn_filter filter;
};

struct cn_sleep_body {
    int32_t body;
    bool asleep;
};

/*
 * The body takes the lowest free slot (see cn_world_body_slot); its shapes take the first free run
 * of slots.  The definition's arrays are borrowed for the call.
 */
struct cn_make_body {
    struct cn_body_def def;
};

/* Anchors and axis are in world coordinates, for the bodies' present positions. */
struct cn_make_joint {
    struct cn_joint_def def;
};

/* The slot must have this generation, so that an outdated id removes nothing. */
struct cn_remove {
    int32_t slot;
    uint32_t generation;
};

/* Kind NONE removes the attribute; removing one that is not there is no error. */
struct cn_set_attribute {
    struct cn_attribute attribute;
};

#define X(NAME, type, member, text) CN_COMMAND_##NAME,
enum cn_command_kind { CN_COMMAND_TABLE(X) CN_COMMAND_KIND_COUNT };
#undef X

struct cn_command {
    enum cn_command_kind kind;
    union {
#define X(NAME, type, member, text) type member;
        CN_COMMAND_TABLE(X)
#undef X
    };
};

#endif
