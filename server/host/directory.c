#include "server/host/directory.h"

#include "engine/base/assert.h"
#include "server/base/limits.h"
#include "server/snapshot/publication.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the list ---- */

static struct sv_host_world *
find_any(const struct sv_host *host, const char *id)
{
    for (int i = 0; i < host->world_count; i++) {
        if (strcmp(host->worlds[i]->mailbox.id, id) == 0) {
            return host->worlds[i];
        }
    }
    return NULL;
}

bool
sv_host_has(const struct sv_host *host, const char *id)
{
    return find_any(host, id) != NULL;
}

struct sv_host_world *
sv_host_find(const struct sv_host *host, const char *id)
{
    struct sv_host_world *world = find_any(host, id);
    return world != NULL && world->is_ready ? world : NULL;
}

bool
sv_host_is_listed(const struct sv_host_world *world)
{
    return world->is_ready || (world->is_failed && !world->is_removing);
}

struct sv_host_world *
sv_host_find_listed(const struct sv_host *host, const char *id)
{
    struct sv_host_world *world = find_any(host, id);
    return world != NULL && sv_host_is_listed(world) ? world : NULL;
}

static struct sv_host_world *
add_world(struct sv_host *host, struct wire_error *error)
{
    if (host->world_count >= host->worlds_max) {
        wire_error_set(error, "FULL", "", "%d worlds exist, which is the limit",
            host->worlds_max);
        return NULL;
    }
    if (host->world_count == host->world_capacity) {
        int capacity = host->world_capacity * 2 + 16;
        struct sv_host_world **worlds =
            realloc(host->worlds, (size_t)capacity * sizeof(struct sv_host_world *));
        if (worlds == NULL) {
            wire_error_set(error, "MEMORY", "", "no memory");
            return NULL;
        }
        host->worlds = worlds;
        host->world_capacity = capacity;
    }
    struct sv_host_world *world = calloc(1, sizeof(*world));
    if (world == NULL) {
        wire_error_set(error, "MEMORY", "", "no memory");
        return NULL;
    }
    atomic_init(&world->mailbox.newest, NULL);
    CN_ASSERT(host->world_count < host->world_capacity);
    host->worlds[host->world_count++] = world;
    return world;
}

struct sv_host_world *
sv_host_add(struct sv_host *host, const char *id, uint64_t number, struct wire_error *error)
{
    CN_ASSERT(host->worker_count > 0);
    struct sv_host_world *world = add_world(host, error);
    if (world != NULL) {
        snprintf(world->mailbox.id, sizeof(world->mailbox.id), "%s", id);
        world->mailbox.number = number;
        world->worker = (int)(host->created_count++ % (unsigned)host->worker_count);
        world->serial = host->created_count;
    }
    return world;
}

static void
destroy_world(struct sv_host_world *world)
{
    CN_ASSERT(world->said_count <= SV_SAID_MAX && world->held_count <= SV_HELD_MAX);
    sv_publication_destroy(atomic_exchange(&world->mailbox.newest, NULL));
    sv_publication_destroy(world->publication);
    sv_publication_destroy(world->fresh);
    for (int i = 0; i < world->said_count; i++) {
        sv_buffer_unref(world->said[i]);
    }
    for (int i = 0; i < world->held_count; i++) {
        sv_publication_destroy(world->held[i]);
    }
    sv_scene_unref(world->scene);
    free(world);
}

void
sv_host_forget(struct sv_host *host, struct sv_host_world *world)
{
    CN_ASSERT(host->world_count > 0 && world->seats == NULL); /* its members have left */
    for (int i = 0; i < host->world_count; i++) {
        if (host->worlds[i] == world) {
            memmove(&host->worlds[i], &host->worlds[i + 1],
                (size_t)(host->world_count - i - 1) * sizeof(struct sv_host_world *));
            host->world_count--;
            break;
        }
    }
    destroy_world(world);
}

/* ---- a world ---- */

bool
sv_host_send(struct sv_host *host, struct sv_host_world *world, struct sv_message *message,
    struct wire_error *error)
{
    CN_ASSERT(world->worker >= 0 && world->worker < host->worker_count);
    message->mailbox = &world->mailbox;
    if (!sv_ring_push(&host->workers[world->worker]->messages, message)) {
        wire_error_set(error, "BUSY", "", "%d messages wait for this world's worker", SV_MAIL_MAX);
        error->retry_ms = SV_BUSY_RETRY_MS;
        sv_message_finish(message);
        return false;
    }
    host->wake(host->wake_context, world->worker);
    return true;
}

bool
sv_host_remove_world(struct sv_host *host, struct sv_host_world *world,
    const struct sv_asker *asker, struct wire_error *error)
{
    CN_ASSERT(!world->is_removing);
    struct sv_message message = {.kind = SV_MESSAGE_REMOVE, .asker = *asker};
    if (!sv_host_send(host, world, &message, error)) {
        return false;
    }
    world->is_ready = false;
    world->is_removing = true;
    return true;
}

void
sv_host_refuse_load(const struct sv_host *host, const char *text, struct wire_error *error)
{
    wire_error_set(error, "CAPACITY", "", "%s", text);
    error->retry_ms = SV_RETRY_MS;
    if (host->random.fill != NULL) {
        error->retry_ms = sv_random_retry_ms(&host->random, SV_RETRY_MS);
    }
}

bool
sv_host_is_overrun(const struct sv_host_world *world)
{
    return world->seats != NULL && world->publication != NULL && world->publication->is_overrun;
}

uint64_t
sv_host_shown_ns(const struct sv_host_world *world, uint64_t tick)
{
    const struct sv_shown *shown = &world->shown[tick % SV_SHOWN_COUNT];
    return shown->tick == tick ? shown->time_ns : 0;
}
