/*
 * slice.c: runs pieces of a tick, and looks for contact forces, in slices.
 *
 * Both run on a fiber (base/fiber.h), so a stepper or a solver may be stopped in any loop that
 * counts its work.  Their memory is the world's own scratch, which nothing else uses meanwhile.  A
 * production (solver kind BODIES) runs without a fiber: it may spread its work over a crew, and the
 * cost of one of its pieces is linear in its size.
 *
 * A fiber comes from the lent scratch, which serves all worlds of a thread, and goes back when
 * nothing is stopped on it.  So there are as many fibers as worlds that are stopped at once.
 *
 * Invariant: 1. A slice has a fiber exactly while its kind is not NONE.
 */
#include "engine/world/world_inside.h"

#include "engine/base/assert.h"

static struct cn_fiber **
idle_of(struct cn_world *world)
{
    return world->scratch_lent != NULL ? &world->scratch_lent->idle : &world->slice.idle;
}

bool
cn_slice_ready(struct cn_world *world)
{
    struct cn_fiber **idle = idle_of(world);
    if (world->production != NULL || world->slice.fiber != NULL || *idle != NULL) {
        return true;
    }
    struct cn_fiber *fiber = cn_fiber_create();
    if (fiber != NULL) {
        cn_fiber_put(idle, fiber);
    }
    return fiber != NULL;
}

static void
run_pieces(void *context)
{
    struct cn_world *world = context;
    struct cn_slice *slice = &world->slice;
    do { /* bounded: the stepper limits the pieces of a tick */
        slice->advance = world->stepper->advance(&slice->context);
    } while (slice->advance == CN_ADVANCE_PIECE && slice->context.work < slice->work);
}

static void
run_look(void *context)
{
    struct cn_world *world = context;
    struct cn_slice *slice = &world->slice;
    slice->advance = world->stepper->evaluate(&slice->context, &slice->instant);
}

/* Begins work of this kind, or continues it; false: it stopped half way. */
static bool
run_slice(struct cn_world *world, enum cn_slice_kind kind, int64_t work)
{
    struct cn_slice *slice = &world->slice;
    cn_fiber_function *function = kind == CN_SLICE_PIECE ? run_pieces : run_look;
    CN_ASSERT(slice->kind == CN_SLICE_NONE || slice->kind == kind);
    CN_ASSERT((slice->kind == CN_SLICE_NONE) == (slice->fiber == NULL)); /* invariant 1 */
    slice->work = work;
    bool is_done = true;
    if (slice->fiber != NULL) {
        is_done = cn_fiber_resume(slice->fiber, work);
    } else if (work == CN_WORK_UNLIMITED || world->production != NULL) {
        function(world);
        return true;
    } else {
        slice->fiber = cn_fiber_get(idle_of(world));
        CN_ASSERT(slice->fiber != NULL); /* cn_slice_ready */
        is_done = cn_fiber_start(slice->fiber, function, world, work);
    }
    slice->kind = is_done ? CN_SLICE_NONE : kind;
    if (is_done) {
        cn_fiber_put(idle_of(world), slice->fiber);
        slice->fiber = NULL;
    }
    CN_ASSERT((slice->kind == CN_SLICE_NONE) == (slice->fiber == NULL)); /* invariant 1 */
    return is_done;
}

bool
cn_slice_advance(struct cn_world *world, int64_t work)
{
    return run_slice(world, CN_SLICE_PIECE, work);
}

bool
cn_slice_look(struct cn_world *world, int64_t work)
{
    return run_slice(world, CN_SLICE_LOOK, work);
}

void
cn_slice_finish_piece(const struct cn_world *world)
{
    struct cn_world *writable = world->view->world;
    struct cn_slice *slice = &writable->slice;
    if (slice->kind != CN_SLICE_PIECE) {
        return;
    }
    CN_ASSERT(slice->fiber != NULL); /* invariant 1 */
    slice->work = 0; /* the slice ends with the piece */
    bool is_done = cn_fiber_resume(slice->fiber, CN_WORK_UNLIMITED);
    CN_ASSERT(is_done);
    cn_fiber_put(idle_of(writable), slice->fiber);
    slice->fiber = NULL;
    slice->kind = CN_SLICE_NONE;
    if (slice->advance == CN_ADVANCE_TICK) { /* only closing the tick is left */
        writable->model.clock.elapsed = cn_model_tick_duration(&writable->model);
    }
}

void
cn_slice_give_up(struct cn_world *world)
{
    struct cn_slice *slice = &world->slice;
    if (slice->fiber != NULL) {
        cn_fiber_put(idle_of(world), slice->fiber);
        slice->fiber = NULL;
    }
    slice->kind = CN_SLICE_NONE;
}
