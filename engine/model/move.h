/*
 * move.h: moves of kinematic bodies to a pose, which they reach at a given tick.
 *
 * A move is state.  Before each tick it sets the velocities of its body:
 *
 *     v = (target - position) / T,   w = the shortest rotation to the target / T
 *
 * T is the time of the remaining ticks.  So the body moves at a constant velocity, and rounding
 * does not add up.  In the plane the body turns by the difference of the angles.  When the last
 * tick is done, the pose becomes the target and the velocities 0.
 *
 * The table is sorted by body; a body has one move at most.
 */
#ifndef ENGINE_MODEL_MOVE_H
#define ENGINE_MODEL_MOVE_H

#include "engine/math/quat.h"

#include <stdbool.h>
#include <stdint.h>

struct cn_move {
    int32_t body;
    uint64_t until_tick; /* the tick whose state has the target */
    cn_vec3 position;    /* of the centre of mass [m] */
    double angle;        /* planar [rad] */
    cn_quat orientation; /* spatial, of unit length */
};

#endif
