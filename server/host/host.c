#include "server/host/host.h"

#include "assets/library.h"
#include "engine/base/assert.h"
#include "server/base/limits.h"
#include "server/host/held.h"
#include "server/host/load.h"
#include "server/host/round.h"
#include "server/host/worker.h"
#include "server/snapshot/publication.h"
#include "server/store/store.h"
#include "server/world/data/env.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void
sv_host_init(struct sv_host *host, struct sv_worker **workers, int worker_count, int worlds_max)
{
    CN_ASSERT(worker_count >= 0 && worker_count <= SV_WORKERS_MAX);
    memset(host, 0, sizeof(*host));
    host->workers = workers;
    host->worker_count = worker_count;
    host->worlds_max = worlds_max;
    host->memory.max = SIZE_MAX;
    host->meshes = as_library_create(AS_LIBRARY_SIZE);
}

/* Takes the report that has waited longest. */
static struct sv_report
take_first(struct sv_waiting *waiting)
{
    CN_ASSERT(waiting->count > 0 && waiting->count - 1 <= waiting->later_capacity);
    struct sv_report report = waiting->first;
    waiting->count--;
    if (waiting->count > 0) {
        waiting->first = waiting->later[0];
        memmove(waiting->later, waiting->later + 1,
            (size_t)(waiting->count - 1) * sizeof(waiting->later[0]));
    }
    return report;
}

void
sv_host_finish(struct sv_host *host)
{
    CN_ASSERT(host->bake_count == 0 && host->dig_count == 0);
    for (int i = 0; i < host->worker_count; i++) {
        struct sv_waiting *waiting = &host->waiting[i];
        while (waiting->count > 0) {
            struct sv_report report = take_first(waiting);
            sv_report_finish(&report);
        }
        free(waiting->later);
        waiting->later = NULL;
    }
    while (host->world_count > 0) {
        sv_host_forget(host, host->worlds[host->world_count - 1]);
    }
    for (int i = 0; i < host->bundled_count; i++) {
        sv_scene_unref(host->bundled[i]);
    }
    sv_round_finish_all(host);
    free(host->worlds);
    as_library_destroy(host->meshes);
    host->meshes = NULL;
    host->worlds = NULL;
    host->bundled_count = 0;
}

/* ---- scenes ---- */

static struct sv_scene *
find_bundled(const struct sv_host *host, const char *name)
{
    for (int i = 0; i < host->bundled_count; i++) {
        if (strcmp(wire_scene_name(host->bundled[i]->scene), name) == 0) {
            return host->bundled[i];
        }
    }
    return NULL;
}

bool
sv_host_bundle(struct sv_host *host, struct sv_scene *scene_take)
{
    if (host->bundled_count == SV_BUNDLED_MAX ||
        find_bundled(host, wire_scene_name(scene_take->scene)) != NULL) {
        sv_scene_unref(scene_take);
        return false;
    }
    CN_ASSERT(host->bundled_count < SV_BUNDLED_MAX);
    host->bundled[host->bundled_count++] = scene_take;
    return true;
}

struct sv_scene *
sv_host_scene(struct sv_host *host, const struct wire_source *source, struct wire_error *error)
{
    if (source->kind == WIRE_SOURCE_NAME) {
        struct sv_scene *scene = find_bundled(host, source->name);
        if (scene == NULL) {
            wire_error_set(error, "SCENE", "sceneName",
                "is not a bundled scene; GET /v1/scenes lists them");
            return NULL;
        }
        return sv_scene_ref(scene);
    }
    CN_ASSERT(source->kind == WIRE_SOURCE_SCENE);
    struct wire_text_error wrong;
    const struct wire_mesh_tools tools = {.library = host->meshes};
    struct wire_scene *scene = wire_scene_unpack_with(
        source->scene_bytes, source->scene_size, &tools, &wrong);
    if (scene == NULL) {
        wire_error_from_defect(error, &wrong.defect);
        return NULL;
    }
    struct sv_scene *shared = sv_scene_create(scene);
    if (shared == NULL) {
        wire_error_set(error, "MEMORY", "scene", "no memory");
    }
    return shared;
}

struct wire_change *
sv_host_change(const struct sv_host_world *world, const struct wire_source *source,
    struct wire_error *error)
{
    struct cn_defect defect = {.status = CN_MEMORY};
    struct wire_change *change = wire_change_unpack(
        source->scene_bytes, source->scene_size, world->scene->scene, &defect);
    if (change == NULL) {
        wire_error_from_defect(error, &defect);
    }
    return change;
}

/* ---- worlds ---- */

/* "stack", or "stack-2", "stack-3", ... when it is taken; a scene without a name is "world". */
static void
choose_id(const struct sv_host *host, const char *name, char id[WIRE_NAME_SIZE])
{
    const char *base = wire_name_is_id(name) ? name : "world";
    snprintf(id, WIRE_NAME_SIZE, "%s", base);
    for (int n = 2; sv_host_has(host, id); n++) {
        snprintf(id, WIRE_NAME_SIZE, "%.50s-%d", base, n);
    }
}

/* The worker for a new world; -1: all of them are overloaded. */
static int
choose_worker(const struct sv_host *host)
{
    for (int i = 0; i < host->worker_count; i++) {
        int worker = (int)((host->created_count + (unsigned)i) % (unsigned)host->worker_count);
        const struct sv_worker *candidate = host->workers[worker];
        if (host->load_max_permille == 0 ||
            sv_load_permille(&candidate->load, sv_clock_now_ns(&candidate->env.clock)) <=
                host->load_max_permille) {
            return worker;
        }
    }
    return -1;
}

/* Destroys the data that a CREATE message would have owned. */
static void
drop_growth(const struct sv_growth *how)
{
    sv_scene_unref(how->scene_take);
    sv_seed_destroy(how->seed_take);
}

bool
sv_host_grow_world(struct sv_host *host, const char *id, const struct sv_growth *how,
    const struct sv_asker *asker, struct wire_error *error)
{
    char chosen[WIRE_NAME_SIZE];
    if (id[0] == '\0') {
        choose_id(host, wire_scene_name(how->scene_take->scene), chosen);
    } else if (sv_host_has(host, id)) {
        wire_error_set(error, "TAKEN", "id", "is the id of another world");
        drop_growth(how);
        return false;
    } else {
        snprintf(chosen, sizeof(chosen), "%s", id);
    }
    int worker = choose_worker(host);
    if (worker < 0) {
        sv_host_refuse_load(host, "the existing worlds take all the computing time", error);
        if (host->metrics != NULL) {
            SV_COUNT(host->metrics, worlds_refused, 1);
        }
    }
    uint64_t number = how->is_replay ? 0 : host->number_next;
    host->number_next += number > 0 ? 1 : 0;
    struct sv_host_world *world =
        worker >= 0 ? sv_host_add(host, chosen, number, error) : NULL;
    if (world == NULL) {
        drop_growth(how);
        return false;
    }
    world->worker = worker;
    world->made = how->is_replay ? SV_MADE_REPLAY : SV_MADE_WORLD;
    world->maker = *asker;
    world->room = how->room;
    struct sv_message message = {
        .kind = SV_MESSAGE_CREATE, .asker = *asker, .create = *how};
    if (!sv_host_send(host, world, &message, error)) {
        sv_host_forget(host, world);
        return false;
    }
    return true;
}

bool
sv_host_create_world(struct sv_host *host, const char *id, struct sv_scene *scene_take,
    const struct sv_asker *asker, struct wire_error *error)
{
    const struct sv_growth how = {.scene_take = scene_take};
    return sv_host_grow_world(host, id, &how, asker, error);
}

/* ---- reports and publications from workers ---- */

/*
 * A publication that waited for the disk may be older than an answer that came after it.  In that
 * case the newer status stays.
 */
static void
note_status(struct sv_host_world *world, const struct wire_status *status)
{
    if (status->moment >= world->status.moment) {
        world->status = *status;
    }
}

static void
tell_report(struct sv_host *host, struct sv_host_world *world, struct sv_report *report)
{
    if (report->kind == SV_REPORT_CREATED) {
        world->is_ready = true;
    } else if (report->kind == SV_REPORT_STAYS) {
        world->is_ready = !world->is_failed;
        world->is_removing = false;
        report->kind = SV_REPORT_REFUSED;
    }
    host->events.reported(host->events.context, world, report);
}

static void
handle_report(struct sv_host *host, struct sv_report *report)
{
    CN_ASSERT(report->mailbox != NULL);
    struct sv_host_world *world =
        (struct sv_host_world *)(void *)((char *)report->mailbox -
            offsetof(struct sv_host_world, mailbox));
    struct sv_outcome *outcome = report->outcome_take;
    if (outcome != NULL && outcome->scene != NULL) {
        sv_scene_unref(world->scene);
        world->scene = sv_scene_ref(outcome->scene);
    }
    if (outcome != NULL && outcome->status.id[0] != '\0') {
        note_status(world, &outcome->status);
    }
    if (world->round == NULL || !sv_round_hears(host, world, report)) {
        tell_report(host, world, report);
    }
    if (report->kind == SV_REPORT_REMOVED) {
        sv_host_forget(host, world);
    }
    sv_report_finish(report);
}

static void
show_publication(struct sv_host *host, struct sv_host_world *world)
{
    CN_ASSERT(world->fresh != NULL);
    sv_publication_destroy(world->publication);
    world->publication = world->fresh;
    world->fresh = NULL;
    note_status(world, &world->publication->status);
    uint64_t tick = world->publication->status.tick;
    CN_ASSERT(world->publication->durability != WIRE_DURABILITY_TICK ||
              world->publication->ticket <= world->durable);
    world->shown[tick % SV_SHOWN_COUNT] =
        (struct sv_shown){.tick = tick, .time_ns = world->publication->time_ns};
    world->is_untold = world->publication->durability == WIRE_DURABILITY_SECOND &&
        world->publication->ticket > world->durable;
    sv_held_note_shown(world, world->publication);
    host->events.published(host->events.context, world);
}

/* The durable ticket of the worker's lane; UINT64_MAX without a lane. */
static uint64_t
durable_of(const struct sv_worker *worker)
{
    return worker->env.lane != NULL ? sv_lane_durable(worker->env.lane) : UINT64_MAX;
}

static bool
is_world_waiting(const struct sv_waiting *waiting, const struct sv_report *report)
{
    bool is_waiting = waiting->count > 0 && waiting->first.mailbox == report->mailbox;
    for (int i = 1; i < waiting->count && !is_waiting; i++) {
        is_waiting = waiting->later[i - 1].mailbox == report->mailbox;
    }
    return is_waiting;
}

/* Whether there is room for one more waiting report. */
static bool
has_place(struct sv_waiting *waiting)
{
    if (waiting->count <= waiting->later_capacity) {
        return true;
    }
    int capacity = 2 * waiting->later_capacity + 16;
    struct sv_report *larger = capacity <= SV_MAIL_MAX
        ? realloc(waiting->later, (size_t)capacity * sizeof(*larger))
        : NULL;
    if (larger == NULL) {
        return false;
    }
    waiting->later = larger;
    waiting->later_capacity = capacity;
    return true;
}

/*
 * Reports of one worker come in the order of their tickets, so the first one that waits holds back
 * the others.  On a full disk that may take hours.  Then refusals, which depend on nothing, pass
 * it, and so do reports of worlds all of whose records are durable.
 */
static void
handle_reports(struct sv_host *host, int worker, uint64_t durable)
{
    struct sv_waiting *waiting = &host->waiting[worker];
    struct sv_report report;
    while (waiting->count > 0 && waiting->first.ticket <= durable) {
        report = take_first(waiting);
        handle_report(host, &report);
    }
    while (waiting->count == 0 ||
        (sv_env_is_read_only(&host->workers[worker]->env) && has_place(waiting))) {
        if (!sv_ring_pop(&host->workers[worker]->reports, &report)) {
            return;
        }
        bool is_due = report.ticket <= durable &&
            (report.ticket == 0 || !is_world_waiting(waiting, &report));
        if (is_due) {
            handle_report(host, &report);
        } else if (waiting->count++ == 0) {
            waiting->first = report;
        } else {
            CN_ASSERT(waiting->count - 2 < waiting->later_capacity);
            waiting->later[waiting->count - 2] = report;
        }
    }
}

void
sv_host_poll(struct sv_host *host)
{
    uint64_t durable[SV_WORKERS_MAX];
    /*
     * Publications are fetched before reports and handed on after them, so that every member that a
     * publication names has been reported as joined.  The durable tickets are read in between, so
     * that the reports of a publication that is shown have all been let through.
     */
    for (int i = 0; i < host->world_count; i++) {
        sv_held_fetch(host->worlds[i]);
    }
    for (int i = 0; i < host->worker_count; i++) {
        durable[i] = durable_of(host->workers[i]);
    }
    for (int i = 0; i < host->world_count; i++) {
        sv_held_release(host->worlds[i], durable[host->worlds[i]->worker]);
    }
    for (int i = 0; i < host->worker_count; i++) {
        handle_reports(host, i, durable[i]);
    }
    for (int i = 0; i < host->world_count; i++) {
        if (host->worlds[i]->fresh != NULL) {
            show_publication(host, host->worlds[i]);
        }
    }
}

/* Tells the members of a world that publishes nothing new that their inputs are now durable. */
static void
tell_durable(struct sv_host *host, struct sv_host_world *world, uint64_t now_ns)
{
    const struct sv_publication *publication = world->publication;
    if (world->is_untold && publication->ticket <= world->durable &&
        now_ns >= publication->time_ns + SV_DURABLE_TOLD_NS) {
        world->is_untold = false;
        host->events.durable(host->events.context, world);
    }
}

/*
 * Has idle worlds renew their records: otherwise the store must keep the other worlds' records as
 * long as theirs.
 */
static void
renew_stale(struct sv_host *host)
{
    struct sv_store *store = host->worker_count > 0 ? host->workers[0]->env.store : NULL;
    uint64_t numbers[SV_STORE_STALE_MAX];
    int count = store != NULL ? sv_store_stale(store, numbers) : 0;
    for (int i = 0; i < host->world_count && count > 0; i++) {
        struct sv_host_world *world = host->worlds[i];
        struct sv_message message = {.kind = SV_MESSAGE_RENEW};
        struct wire_error ignored; /* when the ring is full the store asks again */
        bool is_named = false;
        for (int k = 0; k < count; k++) {
            is_named = is_named || numbers[k] == world->mailbox.number;
        }
        if (is_named && world->is_ready) {
            (void)sv_host_send(host, world, &message, &ignored);
        }
    }
}

void
sv_host_tend(struct sv_host *host, uint64_t now_ns)
{
    for (int i = 0; i < host->world_count; i++) {
        struct sv_host_world *world = host->worlds[i];
        uint64_t since_ns = world->held_count > 0 ? world->held[0]->time_ns : now_ns;
        bool is_stalled = now_ns >= since_ns + SV_STALL_TOLD_NS;
        world->status.stalled_ms =
            is_stalled ? (uint32_t)((now_ns - since_ns) / SV_NS_PER_MS) : 0;
        tell_durable(host, world, now_ns);
    }
    sv_round_tend(host);
    renew_stale(host);
}
