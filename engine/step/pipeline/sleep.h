/*
 * sleep.h: islands of bodies at rest, and the causes that wake them.
 *
 * A body is still while its fastest point is slower than a threshold.  Bodies that move and touch,
 * or that a joint connects, are in one island; bodies that impulses can not move belong to
 * none.  An island falls asleep when each of its bodies has been still for CN_SLEEP_TIME: its
 * bodies stop and are left out of the following ticks.  It wakes as a whole when one of its bodies
 * is touched by a body that is awake, jointed to one, held by an input, or changed by a
 * command.  It also wakes when a body beside it is moved, changed or removed, and when gravity
 * changes or sleep is switched off.
 *
 *     threshold   the lesser of CN_SLEEP_SPEED and g CN_SLEEP_TIME / 4, with gravity g, so that
 *                 no body falls asleep at the top of its flight
 *     restless    a body that has not been still for long enough, may not sleep, is held by an
 *                 input, or touched by a kinematic body that moves: its island stays awake
 *
 * A kinematic body sleeps alone, once its velocity has been zero for as long.  Springs and mutual
 * gravity act at a distance and never end: bodies with either are restless.
 *
 * The only persistent data is model->rest, whose rings the model links (engine/model/life.h);
 * everything here is scratch.  Islands are searched only when some body could sleep, and only among
 * such bodies: an island with a restless body needs no search.
 *
 * Source: union-find by lower index, with path halving (Tarjan and van Leeuwen 1984).
 */
#ifndef ENGINE_STEP_PIPELINE_SLEEP_H
#define ENGINE_STEP_PIPELINE_SLEEP_H

#include "engine/base/arena.h"
#include "engine/model/model.h"

#include <stdbool.h>
#include <stdint.h>

#define CN_SLEEP_SPEED 0.05 /* m/s */
#define CN_SLEEP_TIME 0.5F  /* s */

#define CN_SLEEP_RESTLESS 1U /* keeps its island awake */
#define CN_SLEEP_MOVES 2U    /* kinematic, with a velocity */

/* Scratch, indexed by position in the list of awake bodies. */
struct cn_sleep {
    int body_max;    /* room */
    int32_t *parent; /* at most its own position */
    uint8_t *state; /* CN_SLEEP_ bits; those of a root are its island's */
};

/* Lays it out on any arena. */
void cn_sleep_make(struct cn_sleep *sleep, struct cn_arena *arena, int body_max);

static inline bool
cn_sleep_asleep(const struct cn_model *model, int body)
{
    return model->rest[body].island >= 0;
}

/* Whether the velocities are zero. */
static inline bool
cn_sleep_stands(const struct cn_motion *motion)
{
    const cn_vec3 v = motion->velocity, w = motion->angular_velocity;
    return v.x == 0.0 && v.y == 0.0 && v.z == 0.0 && w.x == 0.0 && w.y == 0.0 && w.z == 0.0;
}

/* The speed below which a body is still [m/s]. */
double cn_sleep_threshold(const struct cn_model *model);

/* After a tick of `duration` [s], updates how long an awake body has been still. */
void cn_sleep_watch(struct cn_model *model, int body, double threshold, double duration);

/* Wakes bodies that are held by an input. */
void cn_sleep_wake_held(struct cn_model *model);

/*
 * Begins the search for islands among the awake bodies; false when none could sleep.  Then call
 * cn_sleep_join with every touching pair (not of sensors), in any order, and cn_sleep_end.
 */
bool cn_sleep_begin(
    struct cn_sleep *sleep, const struct cn_model *model, const int32_t *awake, int awake_count);

/*
 * Joins two bodies, given by their positions in the list; -1: can not move; -2 - position:
 * kinematic, as solver bodies are named.
 */
void cn_sleep_join(struct cn_sleep *sleep, int32_t name_a, int32_t name_b);

/*
 * Puts the islands that may sleep to sleep, with events; returns the number of their bodies.  These
 * are stopped and marked in model->rest; the caller removes them from its list of awake bodies.
 */
int cn_sleep_end(
    struct cn_sleep *sleep, struct cn_model *model, const int32_t *awake, int awake_count);

#endif
