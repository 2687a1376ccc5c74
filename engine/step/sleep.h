/*
 * sleep.h: islands of bodies that rest, and what wakes them.
 *
 * A body is still while its fastest point is slower than a threshold.  Bodies that move and touch,
 * or that a joint ties together, are of one island; what does not move by impulses joins none.  An
 * island falls asleep when each of its bodies has been still for CN_SLEEP_TIME: its bodies stop and
 * are left out of the ticks that follow.  It wakes as a whole, when one of its bodies is touched by
 * a body that is awake, held by an input, or changed by a command.
 *
 *     threshold   CN_SLEEP_SPEED, or where gravity g is weak a quarter of g CN_SLEEP_TIME, so that
 *                 nothing falls asleep at the top of its flight
 *     restless    what is not still for long enough, may not sleep, is held by an input, or touched
 *                 by a kinematic body that moves: its island stays awake
 *
 * A kinematic body sleeps alone, once its velocity has been zero for as long.  Springs and mutual
 * gravity act at a distance and never end: their bodies are restless.
 *
 * What persists is model->rest alone, whose rings the model makes (engine/model/life.h); all here
 * is scratch.
 * Islands are looked for only when some body could sleep, among those bodies only: an island that
 * holds a restless body needs no further look.
 *
 * Source: union-find by lower index, with path halving (Tarjan and van Leeuwen 1984).
 */
#ifndef ENGINE_STEP_SLEEP_H
#define ENGINE_STEP_SLEEP_H

#include "engine/base/arena.h"
#include "engine/model/model.h"

#include <stdbool.h>
#include <stdint.h>

#define CN_SLEEP_SPEED 0.05 /* m/s */
#define CN_SLEEP_TIME 0.5F  /* s */

#define CN_SLEEP_RESTLESS 1U /* keeps its island awake */
#define CN_SLEEP_MOVES 2U    /* kinematic, with a velocity */

/* Scratch, by place in the list of bodies that are awake. */
struct cn_sleep {
    int32_t *parent;
    uint8_t *state; /* CN_SLEEP_ bits; a root's hold for its island */
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

/* Slower than this is still [m/s]. */
double cn_sleep_threshold(const struct cn_model *model);

/* After a tick of `duration` [s], counts how long a body that is awake has been still. */
void cn_sleep_watch(struct cn_model *model, int body, double threshold, double duration);

/* Wakes what is held by an input. */
void cn_sleep_wake_held(struct cn_model *model);

/*
 * Begins to look for islands among the bodies that are awake; false, when none could sleep.  Then
 * cn_sleep_join with every pair that touches (not of sensors), in any order, and cn_sleep_end.
 */
bool cn_sleep_begin(
    struct cn_sleep *sleep, const struct cn_model *model, const int32_t *awake, int awake_count);

/*
 * Two bodies by their places in the list; or -1: does not move; -2 - place: kinematic, as solver
 * bodies are named.
 */
void cn_sleep_join(struct cn_sleep *sleep, int32_t name_a, int32_t name_b);

/*
 * Lets the islands that may fall asleep, with events; the number of their bodies.  They are stopped
 * and have model->rest; the caller takes them out of the list of those that are awake.
 */
int cn_sleep_end(
    struct cn_sleep *sleep, struct cn_model *model, const int32_t *awake, int awake_count);

#endif
