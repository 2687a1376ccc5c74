/*
 * sweep.h: the motion of a body from one pose to another, over a fraction t from 0 to 1.
 *
 * The centre of mass moves straight, x(t) = x0 + t along.  The body rotates at a constant rate
 * about a fixed axis, by `turn` in all; in space the shorter way round.  From t = `stop` on it does
 * not move.
 */
#ifndef ENGINE_COLLIDE_QUERY_SWEEP_H
#define ENGINE_COLLIDE_QUERY_SWEEP_H

#include "engine/math/pose.h"
#include "engine/math/quat.h"

#include <stdbool.h>

struct cn_sweep {
    bool planar;
    cn_vec3 from, along;  /* of the centre of mass [m] */
    double angle;         /* planar, at t = 0 [rad] */
    cn_quat orientation;  /* spatial, at t = 0 */
    cn_vec3 axis;         /* unit; zeros: no rotation */
    double turn;          /* rad, >= 0 */
    double stop;
};

struct cn_sweep cn_sweep_planar(cn_vec3 from, double angle_from, cn_vec3 to, double angle_to);
struct cn_sweep cn_sweep_spatial(
    cn_vec3 from, cn_quat orientation_from, cn_vec3 to, cn_quat orientation_to);

/* The pose at t. */
cn_pose cn_sweep_pose(const struct cn_sweep *sweep, double t);

/* The angle (planar) or orientation at t. */
double cn_sweep_angle(const struct cn_sweep *sweep, double t);
cn_quat cn_sweep_orientation(const struct cn_sweep *sweep, double t);

static inline bool
cn_sweep_is_still(const struct cn_sweep *sweep)
{
    return sweep->turn == 0.0 && cn_vec3_dot(sweep->along, sweep->along) == 0.0;
}

#endif
