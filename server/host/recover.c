#include "server/host/recover.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* What is listed of a world of which there is nothing to show. */
static void
fail(struct sv_host_world *place, const char *reason)
{
    place->is_failed = true;
    memcpy(place->status.id, place->post.id, sizeof(place->status.id));
    memcpy(place->status.name, place->post.id, sizeof(place->status.name));
    place->status.state = WIRE_WORLD_FAILED;
    snprintf(place->status.failure, sizeof(place->status.failure), "%s", reason);
}

/*
 * What is wrong with a world's records is wrong each time; memory that was not there, or a file
 * that could not be read, may be there now.  So a world that does not come back is made once more.
 */
static struct sv_world *
recover(struct sv_worker *worker, struct sv_host_world *place, struct sv_log *log,
    struct wire_error *error)
{
    struct sv_world *world = sv_world_recover(worker, &place->post, error);
    if (world != NULL && world->state != WIRE_WORLD_FAILED) {
        return world;
    }
    sv_log(log, SV_LOG_WARN, "%s: tried once more: %s", place->post.id,
        world != NULL ? world->failure : error->text);
    if (world != NULL) {
        sv_world_destroy(world);
    }
    return sv_world_recover(worker, &place->post, error);
}

static void
bring_back(struct sv_host *host, struct sv_host_world *place, struct sv_log *log)
{
    struct sv_worker *worker = host->workers[place->worker];
    struct wire_error error;
    struct sv_world *world = recover(worker, place, log, &error);
    bool is_in = world != NULL &&
        (sv_worker_add(worker, world) || sv_worker_add(worker, world)); /* once more */
    if (world != NULL && !is_in) {
        wire_error_set(&error, "MEMORY", "", "no memory");
        sv_world_destroy(world);
        world = NULL;
    }
    if (world == NULL) {
        fail(place, error.text);
        return;
    }
    place->scene = sv_scene_ref(world->shown);
    place->is_ready = true;
    sv_world_status(world, &place->status);
}

static void
quarantine(struct sv_host_world *place, const struct sv_store_world *stored)
{
    char reason[CN_DEFECT_TEXT_SIZE];
    snprintf(reason, sizeof(reason),
        "QUARANTINED: tick %" PRIu64 ": the process has died there %d times in a row",
        stored->crash_tick, stored->crash_count);
    fail(place, reason);
}

/* Of a world in which nothing has happened yet only those hear who want to hear everything. */
static void
tell(struct sv_log *log, const struct sv_host_world *place)
{
    bool is_failed = place->status.state == WIRE_WORLD_FAILED;
    enum sv_log_level level = is_failed ? SV_LOG_ERROR
        : place->status.tick > 0        ? SV_LOG_INFO
                                        : SV_LOG_DEBUG;
    sv_log(log, level, "%s: %s at tick %" PRIu64 "%s%s", place->post.id,
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
            quarantine(place, &stored);
        } else {
            bring_back(host, place, log);
        }
        tell(log, place);
        recovered->world_count++;
        recovered->failed_count += place->status.state == WIRE_WORLD_FAILED ? 1 : 0;
    }
    return true;
}
