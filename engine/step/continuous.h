/*
 * continuous.h: bodies that move far in a tick do not pass through what stands in their way.
 *
 * After the substeps, every fast body is swept from where the tick began to where it ended, and
 * stopped at the first thing that it meets.  It keeps its velocity: the next tick finds the contact
 * and treats it as any other.  Fast is what moves, turning included, by more than a part of its
 * smallest width; what does not, can not pass its own middle within a tick.
 *
 *     any dynamic body     meets static shapes
 *     one that is a bullet meets shapes of kinematic and dynamic bodies, too
 *
 * What is swept of a shape is its core: the shape made smaller by `shrink` on every side.  A core
 * that comes within `target` of an obstacle stops; how far back the whole shape touches the same
 * obstacle is then found, and it is stopped there, or, if it touched at the start already, where
 * the core is.  With the slop s of the contact solver,
 *
 *     shrink = min(4 s, width / 4)       target = shrink / 4
 *
 * So a body that slides over the seams of a floor in which it is sunk by less than three slops
 * meets nothing, though the sides of the next stones are in its way; and what it does meet it can
 * not pass, since a core never does.  A core that starts nearer than the target keeps nine tenths
 * of its gap, so that what is pushed into a wall tick after tick does not get through.  One that
 * starts in an overlap ignores what it overlaps; one-sided walls are ignored from behind.
 * Outlines and chains that move have no core: they are swept whole, edge by edge.
 *
 * A bullet meets a moving body where that goes before it would be stopped by static shapes, after
 * which it stands still: every result depends on the poses before and after alone, not on that of
 * another bullet, and so neither on order nor on workers.  Of three bullets that meet in one tick
 * one may be stopped by what is not there any more.
 *
 * Determinism: candidates come from boxes; more of them change nothing.  Of equal fractions the
 * first shapes are named.
 *
 * Source: the scheme (static first, bullets, a smaller core) is that of Box2D; times of impact and
 * cores are our own (collide/toi.h).
 */
#ifndef ENGINE_STEP_CONTINUOUS_H
#define ENGINE_STEP_CONTINUOUS_H

#include "engine/base/task.h"
#include "engine/collide/proximity.h"
#include "engine/collide/sweep.h"
#include "engine/model/model.h"

#include <stdint.h>

/* Of the smallest width of a body's shapes: what moves less in a tick is slow. */
#define CN_CONTINUOUS_FAST 0.25

/* Where a body was when the tick began. */
struct cn_start {
    cn_vec3 position; /* of the centre of mass [m] */
    double angle;     /* planar */
    cn_quat orientation;
};

struct cn_stop {
    int32_t mover;        /* index into moving[] and start[] */
    double fraction;      /* of the way; 1: nothing is met */
    double fraction_static; /* the same if only static shapes were there */
    int32_t shape, other; /* which of its shapes met which; -1 */
    int32_t cut_off_count; /* searches that ended early (CN_TOI_CUT_OFF) */
};

struct cn_continuous {
    const struct cn_model *model; /* motion[] is that after the tick */
    const int32_t *moving;        /* bodies that moved in this tick, ascending; others stand */
    const struct cn_start *start; /* of each of them */
    int moving_count;
    const struct cn_proximity *proximity; /* with boxes that hold the poses of the start, or those
                                           * of the end, static ones among those that are fixed;
                                           * NULL: all shapes are tried */
    double slop;
};

/* Whether body moving[mover] is dynamic and fast. */
bool cn_continuous_is_fast(const struct cn_continuous *c, int mover);

/*
 * Fills the results of stop[0 .. count - 1], whose movers are given, fast and ascending.  Nothing
 * else is written.
 */
void cn_continuous_find(
    const struct cn_continuous *c, struct cn_stop *stop, int count, struct cn_crew *crew);

/* The motion of a stopped body: pose at its fraction, velocities as they are. */
struct cn_motion cn_continuous_motion(const struct cn_continuous *c, const struct cn_stop *stop);

#endif
