#include "server/host/held.h"

#include "engine/base/assert.h"
#include "server/snapshot/publication.h"

#include <string.h>

void
sv_held_fetch(struct sv_host_world *world)
{
    struct sv_mailbox *mailbox = &world->mailbox;
    /* Most worlds have nothing new, and a load is cheaper than an exchange. */
    if (atomic_load_explicit(&mailbox->newest, memory_order_relaxed) == NULL) {
        return;
    }
    struct sv_publication *publication =
        atomic_exchange_explicit(&mailbox->newest, NULL, memory_order_acq_rel);
    if (publication == NULL) {
        return;
    }
    if (world->held_count == SV_HELD_MAX) {
        sv_publication_destroy(world->held[--world->held_count]);
    }
    CN_ASSERT(world->held_count >= 0 && world->held_count < SV_HELD_MAX);
    world->held[world->held_count++] = publication;
}

static void
settle_safe_ticks(struct sv_host_world *world)
{
    struct sv_safe_ticks *safe = &world->safe;
    CN_ASSERT(safe->count >= 0 && safe->count <= SV_SAFE_TICKS_MAX);
    int done = 0;
    while (done < safe->count && safe->next[done].ticket <= world->durable) {
        safe->tick = safe->next[done].tick;
        safe->series = safe->next[done++].series;
    }
    safe->count -= done;
    memmove(safe->next, safe->next + done, (size_t)safe->count * sizeof(safe->next[0]));
}

void
sv_held_note_shown(struct sv_host_world *world, const struct sv_publication *publication)
{
    struct sv_safe_ticks *safe = &world->safe;
    const struct wire_status *status = &publication->status;
    settle_safe_ticks(world);
    if (publication->durability != WIRE_DURABILITY_SECOND || publication->is_uncovered) {
        return;
    }
    bool is_same = safe->count > 0 &&
        (safe->next[safe->count - 1].ticket == publication->ticket ||
            safe->count == SV_SAFE_TICKS_MAX);
    safe->count += is_same ? 0 : 1;
    CN_ASSERT(safe->count >= 1 && safe->count <= SV_SAFE_TICKS_MAX);
    safe->next[safe->count - 1].ticket = publication->ticket;
    safe->next[safe->count - 1].tick = status->tick;
    safe->next[safe->count - 1].series = status->series;
    settle_safe_ticks(world);
}

uint64_t
sv_held_durable_tick(struct sv_host_world *world, const struct sv_publication *publication)
{
    const struct wire_status *status = &publication->status;
    if (publication->durability != WIRE_DURABILITY_SECOND) {
        return publication->durability == WIRE_DURABILITY_TICK ? status->tick : 0;
    }
    settle_safe_ticks(world);
    bool is_of_series = world->safe.series == status->series;
    return is_of_series && world->safe.tick <= status->tick ? world->safe.tick : 0;
}

static bool
may_be_shown(const struct sv_publication *publication, uint64_t durable)
{
    return publication->durability != WIRE_DURABILITY_TICK || publication->ticket <= durable;
}

void
sv_held_release(struct sv_host_world *world, uint64_t durable)
{
    CN_ASSERT(durable >= world->durable); /* tickets only become durable */
    int count = 0;
    world->durable = durable;
    while (count < world->held_count && may_be_shown(world->held[count], durable)) {
        sv_publication_destroy(world->fresh);
        world->fresh = world->held[count++];
    }
    world->held_count -= count;
    memmove(world->held, world->held + count,
        (size_t)world->held_count * sizeof(world->held[0]));
}
