/*
 * held.h: held inputs act until a given tick, until they are released, or until the same holder
 * replaces them.
 *
 * A held input belongs to a source (a session's number) and a slot that the source chooses.  The
 * table is kept sorted by (source, slot), so forces are always added in the same order, whatever
 * order the inputs arrived in.
 */
#ifndef ENGINE_MODEL_HELD_H
#define ENGINE_MODEL_HELD_H

#include "engine/math/vec3.h"

#include <stdint.h>

enum cn_frame { CN_FRAME_WORLD, CN_FRAME_BODY };

/* The owner of a held input, and how long the input acts. */
struct cn_holder {
    uint64_t source;
    uint32_t slot;
    uint64_t until_tick; /* exclusive; 0: until it is released */
};

struct cn_hold_force {
    struct cn_holder holder;
    int32_t body;
    enum cn_frame frame; /* of force; the point is always in the body's frame */
    cn_vec3 point;       /* body frame [m] */
    cn_vec3 force;       /* N */
};

struct cn_hold_torque {
    struct cn_holder holder;
    int32_t body;
    cn_vec3 torque; /* N m, world */
};

/*
 * The force on the body is stiffness (target - p) - damping p', where p is the point's position in
 * the world.  A force above force_max is reduced to force_max and keeps its direction.
 */
struct cn_hold_drag {
    struct cn_holder holder;
    int32_t body;
    cn_vec3 point;    /* body frame [m] */
    cn_vec3 target;   /* world [m] */
    double stiffness; /* N/m */
    double damping;   /* N s/m */
    double force_max; /* N; 0: no limit */
};

struct cn_hold_actuator {
    struct cn_holder holder;
    int32_t actuator; /* index of a thruster, or above these of a joint's motor */
    double level;     /* -1 to 1 */
};

enum cn_held_kind { CN_HELD_FORCE, CN_HELD_TORQUE, CN_HELD_DRAG, CN_HELD_ACTUATOR };

/* One row of the table: the union of the four kinds, in one layout that image and hash can walk. */
struct cn_held {
    struct cn_holder holder;
    enum cn_held_kind kind;
    int32_t target;      /* body, or actuator */
    enum cn_frame frame; /* FORCE */
    cn_vec3 point;       /* FORCE, DRAG: frame of the centre of mass [m] */
    cn_vec3 vector;      /* FORCE [N], TORQUE [N m], DRAG: target, world [m] */
    double stiffness;    /* DRAG [N/m]; ACTUATOR: level */
    double damping;      /* DRAG [N s/m] */
    double force_max;    /* DRAG [N]; 0: no limit */
};

#endif
