/*
 * watch.h: looks whether a world's bodies move faster without a cause.
 *
 *     K   kinetic energy of the centres of mass of bodies that are DYNAMIC [J]
 *     U   potential energy of springs, joints, drags and gravity [J]
 *     M   the mass of those bodies [kg]
 *     F   = M v^2 / 2, v = SV_WATCH_SPEED plus twice what gravity gives in the window [J]
 *
 * The world has exploded when in SV_WATCH_TICKS ticks, or fewer between two changes from outside,
 *
 *     K' > 10 (K + F) + 2 max(0, U - U').
 *
 * Nothing that conserves energy does that, and pushing overlapping bodies apart, restitution and
 * rounding stay below F.  What was stored may become motion, twice as much as there was, since a
 * stiff spring between two steps may have half as much too little.  Where something stores energy
 * or drives (motors, bodies and surfaces that move by themselves) v is
 * SV_WATCH_SPEED_DRIVEN: what that may do in an eighth of a second is not known, and it does not
 * make all of a world's mass three times as fast as that.
 * While an input is held there is a cause, however fast things become, and no verdict.
 * Looking at the world as a whole, the watch does not see a pebble that flies away from a mountain.
 *
 * Source: the bound of ten is the project's catalogue of faults; Departures: a window of several
 * ticks instead of one, since what doubles in each explodes, too; F, so that a world at rest may
 * begin to move.
 *
 * Threads: its world's.
 */
#ifndef SERVER_HOST_WATCH_H
#define SERVER_HOST_WATCH_H

#include "engine/cairn.h"

#include <stdbool.h>
#include <stdint.h>

#define SV_WATCH_TICKS 8
#define SV_WATCH_GROWTH 10.0
#define SV_WATCH_SPEED 5.0         /* m/s */
#define SV_WATCH_SPEED_DRIVEN 50.0 /* m/s */

/* All zero: no window is open. */
struct sv_watch {
    bool is_open, was_pushed; /* by an input, when the window was opened */
    uint64_t tick;
    struct cn_world_motion motion;
    double potential; /* where something stores energy; else 0 */
    bool has_exploded;     /* and nothing has been done about it yet */
    uint32_t frozen_count; /* bodies that were frozen since the scene was loaded or reset */
};

/* Before a tick: opens a window where none is. */
void sv_watch_begin(struct sv_watch *watch, const struct cn_world *world);

/* After a tick, or before a change from outside (is_last): closes it when it is time. */
void sv_watch_look(struct sv_watch *watch, const struct cn_world *world, bool is_last);

#endif
