#include "server/host/held.h"

#include "server/base/mutant.h"
#include "server/snapshot/publication.h"

#include <string.h>

void
sv_held_fetch(struct sv_host_world *world)
{
    struct sv_post *post = &world->post;
    /* Most worlds have nothing new, and looking is cheaper than exchanging. */
    if (atomic_load_explicit(&post->newest, memory_order_relaxed) == NULL) {
        return;
    }
    struct sv_publication *publication =
        atomic_exchange_explicit(&post->newest, NULL, memory_order_acq_rel);
    if (publication == NULL) {
        return;
    }
    if (world->held_count == SV_HELD_MAX) {
        sv_publication_destroy(world->held[--world->held_count]);
    }
    world->held[world->held_count++] = publication;
}

static bool
may_be_shown(const struct sv_publication *publication, uint64_t durable)
{
    return publication->durability != WIRE_DURABILITY_TICK || publication->ticket <= durable;
}

void
sv_held_release(struct sv_host_world *world, uint64_t durable)
{
    int count = 0;
    world->durable = durable;
    while (count < world->held_count &&
        (may_be_shown(world->held[count], durable) || (CN_MUTANT(HELD_EARLY) && count == 0))) {
        sv_publication_destroy(world->fresh);
        world->fresh = world->held[count++];
    }
    world->held_count -= count;
    memmove(world->held, world->held + count,
        (size_t)world->held_count * sizeof(world->held[0]));
}
