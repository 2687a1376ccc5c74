#include "server/host/recover.h"

#include "engine/base/assert.h"
#include "server/host/host.h"
#include "server/host/worker.h"
#include "server/past/world_recover.h"
#include "server/world/act/world_life.h"
#include "server/world/act/world_members.h"
#include "server/world/act/world_persistence.h"
#include "server/world/state/portable.h"
#include "server/world/state/world_sessions.h"
#include "server/world/state/world_status.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Marks a listed world that has nothing to show as failed. */
static void
mark_failed(struct sv_host_world *place, const char *reason)
{
    CN_ASSERT(!place->is_ready);
    place->is_failed = true;
    memcpy(place->status.id, place->mailbox.id, sizeof(place->status.id));
    memcpy(place->status.name, place->mailbox.id, sizeof(place->status.name));
    place->status.state = WIRE_WORLD_FAILED;
    snprintf(place->status.failure, sizeof(place->status.failure), "%s", reason);
}

/*
 * Recovers a world, and tries a second time when that fails.  A defect in the records fails each
 * time, but missing memory or an unreadable file may not.
 */
static struct sv_world *
recover_world(struct sv_worker *worker, struct sv_host_world *place, struct sv_log *log,
    struct wire_error *error)
{
    struct sv_world *world = sv_world_recover(&worker->env, &place->mailbox, error);
    if (world != NULL && sv_portable_is_newer(world->failure)) {
        return world;
    }
    if (world != NULL && world->state != WIRE_WORLD_FAILED) {
        return world;
    }
    sv_log(log, SV_LOG_WARN, "%s: tried once more: %s", place->mailbox.id,
        world != NULL ? world->failure : error->text);
    if (world != NULL) {
        sv_world_destroy(world);
    }
    return sv_world_recover(&worker->env, &place->mailbox, error);
}

/* Makes sessions that their clients may resume members of the world, away. */
static void
bring_sessions_back(struct sv_host *host, struct sv_host_world *place, struct sv_world *world)
{
    const struct sv_host_events *events = &host->events;
    for (int i = 0; i < world->persist.kept_count && events->returned != NULL; i++) {
        const struct dd_kept *kept = &world->persist.kept[i];
        uint64_t seq = sv_world_settled_of(world, kept->session);
        uint32_t seat;
        if (events->returned(events->context, place, kept, seq, &seat)) {
            (void)sv_world_return(world, kept, seat); /* else its held inputs end as an orphan's */
        }
    }
}

static void
tell_upgrade(struct sv_log *log, const struct sv_world *world)
{
    const struct sv_persistence *persist = &world->persist;
    if (persist->upgrade_physics == 0 || world->state == WIRE_WORLD_FAILED) {
        return;
    }
    sv_log(log, SV_LOG_INFO, "%s: upgraded from physics %u to %u at tick %" PRIu64,
        world->mailbox->id, (unsigned)persist->upgrade_physics, (unsigned)cn_physics_version(),
        cn_world_tick(world->engine));
    if (persist->lost_count > 0) {
        sv_log(log, SV_LOG_WARN,
            "%s: this version could not repeat %u of its log entries and left them out",
            world->mailbox->id, (unsigned)persist->lost_count);
    }
}

static void
bring_back(struct sv_host *host, struct sv_host_world *place, struct sv_log *log)
{
    struct sv_worker *worker = host->workers[place->worker];
    struct wire_error error;
    struct sv_world *world = recover_world(worker, place, log, &error);
    bool is_in = world != NULL &&
        (sv_worker_add(worker, world) || sv_worker_add(worker, world)); /* once more */
    if (world != NULL && !is_in) {
        wire_error_set(&error, "MEMORY", "", "no memory");
        sv_world_destroy(world);
        world = NULL;
    }
    if (world == NULL) {
        mark_failed(place, error.text);
        return;
    }
    CN_ASSERT(place->scene == NULL && world->mailbox == &place->mailbox);
    tell_upgrade(log, world);
    place->scene = sv_scene_ref(world->shown);
    place->is_ready = true;
    sv_world_status(world, &place->status);
    place->safe = (struct sv_safe_ticks){
        .tick = place->status.tick, .series = place->status.series};
    uint64_t session = sv_world_session_last(world);
    host->session_last = session > host->session_last ? session : host->session_last;
    bring_sessions_back(host, place, world);
}

static void
quarantine_world(struct sv_host_world *place, const struct sv_store_world *stored)
{
    char reason[CN_DEFECT_TEXT_SIZE];
    snprintf(reason, sizeof(reason),
        "QUARANTINED: tick %" PRIu64 ": the process has died there %d times in a row",
        stored->crash_tick, stored->crash_count);
    mark_failed(place, reason);
}

/* Logs the recovery; a world in which nothing has happened yet is logged at level debug only. */
static void
log_recovery(struct sv_log *log, const struct sv_host_world *place)
{
    bool is_failed = place->status.state == WIRE_WORLD_FAILED;
    enum sv_log_level level = is_failed ? SV_LOG_ERROR
        : place->status.tick > 0        ? SV_LOG_INFO
                                        : SV_LOG_DEBUG;
    sv_log(log, level, "%s: %s at tick %" PRIu64 "%s%s", place->mailbox.id,
        is_failed ? "not run" : "is back", place->status.tick, is_failed ? ": " : "",
        place->status.failure);
}

bool
sv_recover_worlds(struct sv_host *host, struct sv_store *store, struct sv_log *log,
    struct sv_recovered *recovered, struct wire_error *error)
{
    *recovered = (struct sv_recovered){0};
    host->number_next = sv_store_world_next(store);
    for (int i = 0; i < sv_store_world_count(store); i++) {
        struct sv_store_world stored = sv_store_world(store, i);
        struct sv_charter charter;
        if (!sv_charter_read(stored.charter, stored.charter_size, &charter)) {
            snprintf(charter.id, sizeof(charter.id), "world-%" PRIu64, stored.world);
        }
        struct sv_host_world *place = sv_host_add(host, charter.id, stored.world, error);
        if (place == NULL) {
            return false;
        }
        if (stored.crash_count >= SV_CRASHES_MAX) {
            quarantine_world(place, &stored);
        } else {
            bring_back(host, place, log);
        }
        if (sv_portable_is_newer(place->status.failure)) {
            wire_error_set(error, "PHYSICS", "", "%s: %.300s", place->mailbox.id,
                place->status.failure + strlen(SV_PHYSICS_FAILURE));
            return false;
        }
        log_recovery(log, place);
        recovered->world_count++;
        recovered->failed_count += place->status.state == WIRE_WORLD_FAILED ? 1 : 0;
    }
    return true;
}
