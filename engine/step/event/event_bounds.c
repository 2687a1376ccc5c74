/*
 * event_bounds.c: the bounds of a tick, so that no scene hangs a world.
 *
 * An event reports each bound that is met.
 *
 *     impacts in a tick      instants with impacts; each impact of a joint's stop.  Above
 *                            IMPACTS_BASE + IMPACTS_PER_BODY n: no restitution for the rest of it
 *                            (ZENO); above twice that, or at once where nothing has restitution:
 *                            the rest is coarse (IMPACT_LIMIT)
 *     work in a tick         above SPENT_BASE + SPENT_PER_CONTACT n + SPENT_GROWTH n^1.5, or where
 *                            the next hit would cost more: the rest is coarse (IMPACT_LIMIT).  A
 *                            solve may take three fifths of what is left.  A piece that only
 *                            joints make short counts for an eighth, since the coarse rest puts
 *                            joints back without regard to energy; one that only springs make
 *                            short does not count
 *     pieces in a tick       above PIECES_MAX: no search for hits (IMPACT_LIMIT)
 *     smallest step          STEP_FRACTION_MIN of a tick: accepted whatever its error (STEP_MIN)
 *     trials of a hit time   HIT_TRIALS_MAX: the bracket's end is taken; the bodies touch there
 *                            within tolerance, so no event reports it
 *
 * A coarse rest of a tick is done as by the stepper `time` (march.h): it is one problem of
 * velocities, in which nothing passes through anything, and which need not tell impacts apart.  So
 * a heap that a fast ball has hit, where each brick's slide is another's impact, costs only some
 * twenty quiet ticks.
 *
 * Without the search, hits and bodies that could pass through others do not shorten a step.  So the
 * rest of the tick takes at most as many pieces as it has smallest steps.  A body whose state would
 * not be finite, or beyond CN_MOTION_MAX, is put back and held (QUARANTINE).
 */
#include "engine/step/event/event.h"

#include "engine/base/assert.h"

#include <math.h>

#define IMPACTS_BASE 64
#define IMPACTS_PER_BODY 16
#define PIECES_MAX 2000

/*
 * A quiet tick takes some 2,000 operations a contact, and ten times as many with friction.  A piece
 * that ends at a hit costs some three times a quiet piece.
 */
#define SPENT_BASE UINT64_C(7000000)
#define SPENT_PER_CONTACT UINT64_C(20000)
#define SPENT_GROWTH 3e3 /* times n^1.5 */

/* A view may take so many times what a tick may. */
#define LOOK_TIMES 5

/* A solve may take three fifths of the work that is left, and at least this. */
#define SOLVE_LEAST_BASE UINT64_C(250000)
#define SOLVE_LEAST_PER_ROW UINT64_C(2500)

/* The work that the exact part of the tick may take. */
static uint64_t
tick_work(const struct cn_event_scratch *s)
{
    double n = s->contact_count + s->joint_max;
    uint64_t most = SPENT_BASE + SPENT_PER_CONTACT * (uint64_t)s->contact_count +
                    (uint64_t)(SPENT_GROWTH * n * sqrt(n));
    return s->looks ? LOOK_TIMES * most : most; /* a view has no coarse substitute */
}

static uint64_t
tick_spent(const struct cn_event_scratch *s)
{
    uint64_t before = s->looks ? 0 : s->model->clock.spent; /* a view has its own work */
    return before + (uint64_t)(*s->work - s->work_before);
}

bool
cn_event_is_spent(const struct cn_event_scratch *s, int64_t ahead)
{
    return tick_spent(s) + (uint64_t)ahead > tick_work(s);
}

int64_t
cn_event_solve_work(const struct cn_event_scratch *s)
{
    uint64_t most = tick_work(s), spent = tick_spent(s);
    uint64_t left = most > spent ? most - spent : 0;
    uint64_t least = SOLVE_LEAST_BASE + SOLVE_LEAST_PER_ROW * (uint64_t)s->row_count;
    return (int64_t)(left / 5 * 3 > least ? left / 5 * 3 : least);
}

void
cn_event_go_coarse(struct cn_event_scratch *s, uint32_t count)
{
    struct cn_clock *clock = &s->model->clock;
    CN_ASSERT(!clock->coarse && !s->looks);
    uint64_t most = tick_work(s), spent = tick_spent(s);
    cn_model_event(s->model, CN_EVENT_IMPACT_LIMIT, -1, -1, count);
    clock->coarse = true;
    clock->pieces = 1;
    clock->spent = spent > most ? spent - most : 0; /* the coarse rest counts its own */
}

void
cn_event_watch_bounds(struct cn_event_scratch *s, bool had_impacts)
{
    struct cn_model *model = s->model;
    struct cn_clock *clock = &model->clock;
    uint32_t impacts_max = IMPACTS_BASE + IMPACTS_PER_BODY * (uint32_t)model->body_count;
    if (!clock->inelastic && clock->impacts > impacts_max) {
        clock->inelastic = true;
        if (cn_model_has_restitution(model)) { /* else switching it off would change nothing */
            cn_model_event(model, CN_EVENT_ZENO, -1, -1, clock->impacts);
        }
    }
    bool impacts_spent = clock->impacts > 2 * impacts_max ||
                         (clock->inelastic && !cn_model_has_restitution(model));
    int64_t here = had_impacts ? 0 : s->work_before - *s->work; /* a search alone is free */
    if (impacts_spent) {
        cn_event_go_coarse(s, clock->impacts);
    } else if (cn_event_is_spent(s, here)) {
        cn_event_go_coarse(s, clock->pieces);
    } else if (!clock->unsearched && clock->pieces > PIECES_MAX) {
        clock->unsearched = true;
        cn_model_event(model, CN_EVENT_IMPACT_LIMIT, -1, -1, clock->pieces);
    }
}
