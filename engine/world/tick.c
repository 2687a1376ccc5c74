/*
 * tick.c: steps a world: begins a tick, runs its pieces, makes room where they need it, ends it.
 */
#include "engine/base/assert.h"
#include "engine/model/life.h"
#include "engine/model/move_table.h"
#include "engine/world/history.h"
#include "engine/world/world_inside.h"

static void
drop_expired(struct cn_model *model)
{
    int kept = 0;
    for (int i = 0; i < model->held_count; i++) {
        uint64_t until = model->held[i].holder.until_tick;
        if (until != 0 && until <= model->clock.tick) {
            cn_model_event(model, CN_EVENT_EXPIRED, -1, -1, model->held[i].holder.slot);
            continue;
        }
        model->held[kept] = model->held[i];
        kept++;
    }
    model->held_count = kept;
    CN_ASSERT(0 <= kept && kept <= model->held_max);
}

static void
begin_tick(struct cn_world *world)
{
    struct cn_model *model = &world->model;
    CN_ASSERT(!model->clock.mid_tick);
    cn_world_event_room(world);
    cn_world_shrink(world);
    if (world->production == NULL) {
        cn_world_set_ceiling(world);
    }
    int kept = model->event_count - model->event_shown; /* events of commands since the last tick */
    CN_ASSERT(0 <= kept && 0 <= model->event_shown && model->event_count <= model->event_max);
    int dropped = kept > CN_EVENTS_KEPT_MAX ? kept - CN_EVENTS_KEPT_MAX : 0;
    kept -= dropped;
    for (int i = 0; i < kept; i++) {
        model->event[i] = model->event[model->event_shown + i];
    }
    model->event_count = model->event_kept = kept;
    model->event_dropped = dropped;
    model->impulse_count = 0;
    model->clock.elapsed = 0.0;
    model->clock.impacts = 0;
    model->clock.pieces = 0;
    model->clock.inelastic = false;
    model->clock.unsearched = false;
    model->clock.coarse = false;
    model->clock.spent = 0;
    model->clock.mid_tick = true;
    drop_expired(model);
    cn_model_aim_moves(model);
}

/*
 * Undoes the begin of a tick of which no piece is done, so that commands may be applied first.
 * Expired inputs stay expired, and their events stay with those of commands since the last tick.
 */
static void
take_back_begin(struct cn_model *model)
{
    if (model->clock.pieces == 0 && model->clock.elapsed == 0.0) {
        model->clock.mid_tick = false;
        model->event_shown = 0;
    }
}

static void
end_tick(struct cn_model *model)
{
    CN_ASSERT(model->clock.mid_tick && model->clock.rate_tick <= model->clock.tick);
    model->clock.tick++;
    double ticks = (double)(model->clock.tick - model->clock.rate_tick);
    model->clock.time = model->clock.rate_time + ticks * cn_model_tick_duration(model);
    model->clock.elapsed = 0.0;
    model->clock.mid_tick = false;
    model->event_shown = model->event_count;
    cn_model_end_moves(model);
    cn_model_settle(model);
}

static struct cn_arena
scratch_of(const struct cn_world *world)
{
    struct cn_arena scratch = world->scratch;
    if (world->production != NULL) {
        const struct cn_scratch *memory = cn_world_scratch(world);
        scratch = (struct cn_arena){.memory = memory->memory, .size = memory->size};
    }
    return scratch;
}

static bool
make_room(struct cn_world *world, int needed)
{
    return world->production == NULL ? cn_world_make_room(world, needed)
                                     : cn_production_make_room(world);
}

/* Whether all pieces of the tick are done, and closing the tick is left. */
static bool
is_closing(const struct cn_model *model)
{
    return model->clock.mid_tick && model->clock.elapsed >= cn_model_tick_duration(model);
}

/* Closes the tick after its last piece. */
static enum cn_step_result
close_tick(struct cn_world *world)
{
    struct cn_model *model = &world->model;
    model->clock.elapsed = cn_model_tick_duration(model);
    if (!cn_world_break_joints(world)) {
        return CN_STEP_MEMORY;
    }
    /* A pipeline finds the pairs of its sensors itself. */
    if (world->production == NULL && !cn_world_sense(world)) {
        return CN_STEP_MEMORY;
    }
    end_tick(model);
    cn_history_tick(world);
    return CN_STEP_DONE;
}

enum cn_step_result
cn_world_step(struct cn_world *world, int64_t work)
{
    struct cn_model *model = &world->model;
    struct cn_slice *slice = &world->slice;
    world->view->is_current = false;
    if (slice->kind == CN_SLICE_LOOK) {
        cn_slice_give_up(world); /* a view that was stopped reads data that is about to change */
    }
    CN_ASSERT(slice->kind == CN_SLICE_NONE || model->clock.mid_tick);
    if (work < CN_WORK_UNLIMITED && !cn_slice_ready(world)) {
        return CN_STEP_MEMORY;
    }
    if (!model->clock.mid_tick) {
        begin_tick(world);
        if (!cn_world_pass(world)) {
            take_back_begin(model);
            return CN_STEP_MEMORY;
        }
    }
    if (slice->kind == CN_SLICE_NONE && is_closing(model)) {
        return close_tick(world);
    }
    if (world->production != NULL && !cn_production_begin(world)) {
        take_back_begin(model);
        return CN_STEP_MEMORY;
    }
    for (;;) { /* bounded: the stepper limits the pieces of a tick, the ceiling the growth */
        if (slice->kind == CN_SLICE_NONE) {
            slice->context = (struct cn_step_context){.model = model, .solver = world->solver,
                .scratch = scratch_of(world)};
            if (world->production != NULL) {
                slice->context.pipeline = &world->production->pipeline;
                slice->context.tools = &world->tools;
            }
        }
        if (!cn_slice_advance(world, work)) {
            return CN_STEP_MORE;
        }
        switch (slice->advance) {
        case CN_ADVANCE_ROOM:
            if (!make_room(world, slice->context.room_needed)) {
                take_back_begin(model);
                return CN_STEP_MEMORY;
            }
            break;
        case CN_ADVANCE_TICK:
            return close_tick(world);
        case CN_ADVANCE_PIECE:
            return CN_STEP_MORE;
        }
    }
}

bool
cn_world_is_mid_tick(const struct cn_world *world)
{
    return world->model.clock.mid_tick;
}
