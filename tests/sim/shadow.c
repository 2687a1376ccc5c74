/* Replays each world from the journal alone, and compares it with the original. */
#include "tests/sim/sim.h"

#include "engine/state/image.h"
#include "server/host/worker.h"
#include "server/world/act/world_entries.h"
#include "server/world/act/world_life.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static uint64_t
still_clock(void *context)
{
    (void)context;
    return 1;
}

static int64_t
no_date(void *context)
{
    (void)context;
    return 0;
}

static void
make_shadow(struct sim *sim, struct sim_world *world)
{
    struct wire_error error;
    static struct sv_log log;
    static struct sv_metrics metrics;
    struct sv_clock clock = {still_clock, no_date, NULL};
    bool is_good = sv_worker_init(&world->worker, clock, &log, &metrics, true);
    CN_ASSERT(is_good);
    snprintf(world->mailbox.id, sizeof(world->mailbox.id), "w%d", world->index);
    world->shadow = sv_world_create(
        &world->worker.env, &world->mailbox, sim_scene(&sim->plan, world->index), &error);
    CN_ASSERT(world->shadow != NULL);
    world->shadow->persist.is_replaying = true;
}

/* If the live world was seen at this tick, its hash has to be the shadow's. */
static void
compare_shadow(struct sim *sim, struct sim_world *world, uint64_t epoch, enum sim_oracle oracle)
{
    struct sv_world *shadow = world->shadow;
    uint64_t tick = cn_world_tick(shadow->engine);
    const struct sim_sample *sample =
        sim_sample(sim, world->number, epoch, shadow->generation, tick);
    if (sample == NULL || !sample->has_hash) {
        return;
    }
    uint64_t hash = cn_world_hash(shadow->engine);
    if (hash != sample->state_hash) {
        sim_fail(sim, oracle,
            "w%d, epoch %" PRIu64 ", tick %" PRIu64 ": %016" PRIx64 " lived, %016" PRIx64
            " comes out",
            world->index, epoch, tick, sample->state_hash, hash);
    }
}

static void
step_shadow(struct sim *sim, struct sim_world *world, uint64_t epoch, enum sim_oracle oracle)
{
    (void)cn_world_step(world->shadow->engine, CN_WORK_UNLIMITED);
    compare_shadow(sim, world, epoch, oracle);
}

void
sim_shadow_record(struct sim *sim, struct sim_world *world, const struct sv_record *record)
{
    size_t at = 0;
    if (world->shadow == NULL) {
        make_shadow(sim, world);
    }
    struct sv_world *shadow = world->shadow;
    if (record->tick < cn_world_tick(shadow->engine)) {
        sim_fail(sim, SIM_REPLAY_EQUAL, "record %" PRIu64 " goes back to tick %" PRIu64,
            record->number, record->tick);
    }
    while (cn_world_tick(shadow->engine) < record->tick) {
        step_shadow(sim, world, record->epoch, SIM_REPLAY_EQUAL);
    }
    if ((record->flags & SV_RECORD_HASH) != 0 &&
        cn_world_hash(shadow->engine) != record->state_hash) {
        sim_fail(sim, SIM_REPLAY_EQUAL, "w%d: the mark of record %" PRIu64 " at tick %" PRIu64
            " is another", world->index, record->number, record->tick);
    }
    while (at < record->entries_size) {
        struct dd_entry entry;
        struct sv_matter matter = {0};
        struct wire_error error;
        if (!dd_entry_read(record->entries, record->entries_size, &at, &entry)) {
            sim_fail(sim, SIM_REPLAY_EQUAL, "record %" PRIu64 " can not be read",
                record->number);
        }
        if (!sv_world_apply(shadow, &entry, &matter, &error)) {
            sim_fail(sim, SIM_REPLAY_EQUAL, "record %" PRIu64 ", %s: %s", record->number,
                dd_entry_name(entry.kind), error.text);
        }
    }
}

/*
 * After a crash: clients saw ticks beyond the last record, during which no input was applied.
 * Stepping the shadow on has to give the same states.
 */
void
sim_shadow_extend(struct sim *sim, struct sim_world *world)
{
    struct sv_world *shadow = world->shadow;
    uint64_t epoch = world->shown_epoch;
    bool is_promised = world->durability == WIRE_DURABILITY_TICK;
    if (!is_promised || epoch == 0 || epoch == sim->server.epoch) {
        return;
    }
    if (shadow == NULL) {
        make_shadow(sim, world);
        shadow = world->shadow;
    }
    world->shown_epoch = 0;
    if (world->shown_generation > shadow->generation) {
        sim_fail(sim, SIM_OUTPUT_COMMIT,
            "w%d: generation %" PRIu32 " was shown, and is %" PRIu32 " again", world->index,
            world->shown_generation, shadow->generation);
    }
    if (world->shown_generation < shadow->generation ||
        world->shown_tick <= cn_world_tick(shadow->engine)) {
        return;
    }
    struct cn_defect defect;
    size_t size = cn_world_image_size(shadow->engine);
    void *image = malloc(size);
    CN_ASSERT(image != NULL);
    cn_world_image_write(shadow->engine, image, size);
    while (cn_world_tick(shadow->engine) < world->shown_tick) {
        step_shadow(sim, world, epoch, SIM_OUTPUT_COMMIT);
    }
    enum cn_status status = cn_world_image_read(shadow->engine, image, size, &defect);
    CN_ASSERT(status == CN_OK);
    free(image);
}
