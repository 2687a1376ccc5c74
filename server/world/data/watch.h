/*
 * watch.h: detects worlds that explode: bodies that gain speed without a cause.
 *
 *     K   kinetic energy of the centres of mass of bodies that are DYNAMIC [J]
 *     U   potential energy of springs, joints, drags and gravity [J]
 *     M   the mass of those bodies [kg]
 *     F   = M v^2 / 2, v = SV_WATCH_SPEED plus twice the gain by gravity in the window [J]
 *
 * The world has exploded when in SV_WATCH_TICKS ticks, or fewer between two changes from outside,
 *
 *     K' > 10 (K + F) + 2 max(0, U - U').
 *
 * A motion that conserves energy never does that, and pushing overlapping bodies apart, restitution
 * and rounding stay below F.  Stored energy may become motion.  It is counted twice, because
 * between two steps a stiff spring may show only half of its energy.  With springs, motors, or
 * bodies and surfaces that move by themselves, v is SV_WATCH_SPEED_DRIVEN: their effect within an
 * eighth of a second is not known, but they do not make the whole mass of a world three times as
 * fast as that.  While an input is held it is a cause for any speed, and there is no verdict.  The
 * watch looks at the world as a whole, so it does not see a pebble that flies away from a mountain.
 *
 * Source: the bound of ten is the project's catalogue of faults; Departures: a window of several
 * ticks instead of one, because an energy that doubles in each tick is an explosion; F, so that
 * a world at rest may begin to move.
 *
 * Threads: its world's.
 */
#ifndef SERVER_WORLD_DATA_WATCH_H
#define SERVER_WORLD_DATA_WATCH_H

#include "engine/cairn.h"

#include <stdbool.h>
#include <stdint.h>

#define SV_WATCH_TICKS 8
#define SV_WATCH_GROWTH 10.0
#define SV_WATCH_SPEED 5.0         /* m/s */
#define SV_WATCH_SPEED_DRIVEN 50.0 /* m/s */

/* All zero: no window is open. */
struct sv_watch {
    bool is_open, was_pushed; /* an input acted when the window was opened */
    uint64_t tick;
    struct cn_world_motion motion;
    double potential; /* where something stores energy; else 0 */
    bool has_exploded;     /* and the world has not reacted yet */
    uint32_t frozen_count; /* bodies that were frozen since the last load or reset */
};

/* Before a tick: opens a window if none is open. */
void sv_watch_begin(struct sv_watch *watch, const struct cn_world *world);

/* After a tick, or before a change from outside (is_last): closes the window when it is time. */
void sv_watch_look(struct sv_watch *watch, const struct cn_world *world, bool is_last);

#endif
