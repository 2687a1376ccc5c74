/*
 * continuous.h: prevents bodies that move far in a tick from passing through obstacles.
 *
 * After the substeps, every fast body is swept from its pose at the start of the tick to its pose
 * at the end, and stopped at the first obstacle.  It keeps its velocity, less the energy that
 * gravity gave it on the rest of the path.  The next tick finds the contact and handles it like any
 * other.  A body is fast when it moves, rotation included, by more than a part of its smallest
 * width.  A slower body can not pass an obstacle with its middle within a tick.
 *
 *     any dynamic body     is tested against static shapes
 *     a bullet             also against shapes of kinematic and dynamic bodies
 *
 * The core of a shape is swept: the shape made smaller by `shrink` on every side.  A core that
 * comes within `target` of an obstacle stops.  Then the search goes back to where the whole shape
 * touches the same obstacle, and the body is stopped there.  If it touched at the start already, it
 * is stopped where the core is.  With the slop s of the contact solver,
 *
 *     shrink = min(4 s, width / 4)       target = shrink / 4
 *
 * So a body that slides over the seams of a floor and is less than three slops deep meets nothing.
 * The sides of the next stones may be in its way.  It can not pass an obstacle that it does meet,
 * because its core never does.  A core that starts nearer than the target keeps nine tenths of
 * its gap, so that a body pushed into a wall tick after tick does not get through.  A core that
 * starts in an overlap ignores the shape that it overlaps.  One-sided walls are ignored from
 * behind.  Moving outlines and chains have no core: they are swept whole, edge by edge.
 *
 * A bullet meets a moving body on that body's path before static shapes would stop it; after that
 * the body is at rest.  So every result depends only on the poses before and after, not on the
 * result of another bullet, and therefore not on order or workers.  Of three bullets that meet in
 * one tick one may be stopped by a bullet that is no longer there.
 *
 * Determinism: candidates come from boxes, and more of them change nothing.  Of equal fractions the
 * first shapes are reported.
 *
 * Source: the scheme (static first, bullets, a smaller core) is that of Box2D.  Departure: times of
 * impact and cores (collide/query/toi.h).
 */
#ifndef ENGINE_STEP_PIPELINE_CONTINUOUS_H
#define ENGINE_STEP_PIPELINE_CONTINUOUS_H

#include "engine/base/task.h"
#include "engine/collide/query/proximity.h"
#include "engine/collide/query/sweep.h"
#include "engine/model/model.h"

#include <stdint.h>

/* Part of the smallest width of a body's shapes: a body that moves less in a tick is slow. */
#define CN_CONTINUOUS_FAST 0.25

/* The pose of a body when the tick began. */
struct cn_start {
    cn_vec3 position; /* of the centre of mass [m] */
    double angle;     /* planar */
    cn_quat orientation; /* in space */
};

struct cn_stop {
    int32_t mover;        /* index into moving[] and start[] */
    double fraction;      /* of the path; 1: no obstacle */
    double fraction_static; /* the same against static shapes only */
    int32_t shape, other; /* the shape of the body and the shape that it met; -1: none */
    int32_t cut_off_count; /* searches that ended early (CN_TOI_CUT_OFF) */
};

struct cn_continuous {
    const struct cn_model *model; /* motion[] holds the poses after the tick */
    const int32_t *moving;        /* bodies that moved in this tick, ascending */
    const struct cn_start *start; /* of those that are tested; if one is a bullet, of all */
    int moving_count;
    const struct cn_proximity *proximity; /* boxes contain the poses of the start or of the end;
                                             static ones are fixed; NULL: all shapes are tested */
    double slop;
};

/* Whether body moving[mover] is dynamic and fast. */
bool cn_continuous_is_fast(const struct cn_continuous *c, int mover);

/*
 * Fills the results of stop[0 .. count - 1]; their movers are given, fast and ascending.  Writes
 * nothing else.
 */
void cn_continuous_find(
    const struct cn_continuous *c, struct cn_stop *stop, int count, struct cn_crew *crew);

/* The motion of a stopped body: the pose at its fraction, and its unchanged velocities. */
struct cn_motion cn_continuous_motion(const struct cn_continuous *c, const struct cn_stop *stop);

#endif
