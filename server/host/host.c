#include "server/host/host.h"

#include "assets/library.h"
#include "engine/base/assert.h"
#include "server/base/limits.h"
#include "server/snapshot/publication.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void
sv_host_init(struct sv_host *host, struct sv_worker **workers, int worker_count, int worlds_max)
{
    memset(host, 0, sizeof(*host));
    host->workers = workers;
    host->worker_count = worker_count;
    host->worlds_max = worlds_max;
    host->meshes = as_library_create(AS_LIBRARY_SIZE);
}

static void
destroy_world(struct sv_host_world *world)
{
    sv_publication_destroy(atomic_exchange(&world->post.newest, NULL));
    sv_publication_destroy(world->publication);
    sv_publication_destroy(world->fresh);
    sv_scene_unref(world->scene);
    free(world);
}

void
sv_host_finish(struct sv_host *host)
{
    CN_ASSERT(host->bake_count == 0);
    for (int i = 0; i < host->world_count; i++) {
        destroy_world(host->worlds[i]);
    }
    for (int i = 0; i < host->bundled_count; i++) {
        sv_scene_unref(host->bundled[i]);
    }
    free(host->worlds);
    as_library_destroy(host->meshes);
    host->meshes = NULL;
    host->worlds = NULL;
    host->world_count = host->bundled_count = 0;
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

static struct sv_host_world *
find_any(const struct sv_host *host, const char *id)
{
    for (int i = 0; i < host->world_count; i++) {
        if (strcmp(host->worlds[i]->post.id, id) == 0) {
            return host->worlds[i];
        }
    }
    return NULL;
}

struct sv_host_world *
sv_host_find(const struct sv_host *host, const char *id)
{
    struct sv_host_world *world = find_any(host, id);
    return world != NULL && world->is_ready ? world : NULL;
}

/* "stack", or "stack-2", "stack-3", ... when it is taken; a scene without a name is "world". */
static void
choose_id(const struct sv_host *host, const char *name, char id[WIRE_NAME_SIZE])
{
    const char *base = wire_name_is_id(name) ? name : "world";
    snprintf(id, WIRE_NAME_SIZE, "%s", base);
    for (int n = 2; find_any(host, id) != NULL; n++) {
        snprintf(id, WIRE_NAME_SIZE, "%.50s-%d", base, n);
    }
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
    atomic_init(&world->post.newest, NULL);
    host->worlds[host->world_count++] = world;
    return world;
}

static void
forget_world(struct sv_host *host, struct sv_host_world *world)
{
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

bool
sv_host_send(struct sv_host *host, struct sv_host_world *world, struct sv_letter *letter,
    struct wire_error *error)
{
    letter->post = &world->post;
    if (!sv_ring_push(&host->workers[world->worker]->letters, letter)) {
        wire_error_set(error, "BUSY", "", "%d letters wait for this world's worker", SV_MAIL_MAX);
        sv_letter_finish(letter);
        return false;
    }
    host->wake(host->wake_context, world->worker);
    return true;
}

bool
sv_host_create_world(struct sv_host *host, const char *id, struct sv_scene *scene_take,
    const struct sv_asker *asker, struct wire_error *error)
{
    char chosen[WIRE_NAME_SIZE];
    if (id[0] == '\0') {
        choose_id(host, wire_scene_name(scene_take->scene), chosen);
    } else if (find_any(host, id) != NULL) {
        wire_error_set(error, "TAKEN", "id", "is the id of another world");
        sv_scene_unref(scene_take);
        return false;
    } else {
        snprintf(chosen, sizeof(chosen), "%s", id);
    }
    struct sv_host_world *world = add_world(host, error);
    if (world == NULL) {
        sv_scene_unref(scene_take);
        return false;
    }
    memcpy(world->post.id, chosen, sizeof(chosen));
    world->worker = (int)(host->created_count++ % (unsigned)host->worker_count);
    world->serial = host->created_count;
    struct sv_letter letter = {
        .kind = SV_LETTER_CREATE, .asker = *asker, .scene_take = scene_take};
    if (!sv_host_send(host, world, &letter, error)) {
        forget_world(host, world);
        return false;
    }
    return true;
}

bool
sv_host_remove_world(struct sv_host *host, struct sv_host_world *world,
    const struct sv_asker *asker, struct wire_error *error)
{
    struct sv_letter letter = {.kind = SV_LETTER_REMOVE, .asker = *asker};
    if (!sv_host_send(host, world, &letter, error)) {
        return false;
    }
    world->is_ready = false;
    world->is_removing = true;
    return true;
}

/* ---- what comes back ---- */

static void
handle_report(struct sv_host *host, struct sv_report *report)
{
    struct sv_host_world *world =
        (struct sv_host_world *)(void *)((char *)report->post -
            offsetof(struct sv_host_world, post));
    struct sv_outcome *outcome = report->outcome_take;
    if (outcome != NULL && outcome->scene != NULL) {
        sv_scene_unref(world->scene);
        world->scene = sv_scene_ref(outcome->scene);
    }
    if (outcome != NULL && outcome->status.id[0] != '\0') {
        world->status = outcome->status;
    }
    if (report->kind == SV_REPORT_CREATED) {
        world->is_ready = outcome != NULL;
    }
    host->events.reported(host->events.context, world, report);
    if (report->kind == SV_REPORT_REMOVED) {
        forget_world(host, world);
    }
    sv_report_finish(report);
}

uint64_t
sv_host_shown_ns(const struct sv_host_world *world, uint64_t tick)
{
    const struct sv_shown *shown = &world->shown[tick % SV_SHOWN_COUNT];
    return shown->tick == tick ? shown->time_ns : 0;
}

static void
show(struct sv_host *host, struct sv_host_world *world)
{
    sv_publication_destroy(world->publication);
    world->publication = world->fresh;
    world->fresh = NULL;
    world->status = world->publication->status;
    uint64_t tick = world->status.tick;
    world->shown[tick % SV_SHOWN_COUNT] =
        (struct sv_shown){.tick = tick, .time_ns = world->publication->time_ns};
    host->events.published(host->events.context, world);
}

void
sv_host_poll(struct sv_host *host)
{
    /*
     * Publications are fetched before reports and handed on after them: a member that a
     * publication knows has then always been reported as joined.
     */
    for (int i = 0; i < host->world_count; i++) {
        struct sv_post *post = &host->worlds[i]->post;
        /* Most worlds have nothing new, and looking is cheaper than exchanging. */
        bool is_new = atomic_load_explicit(&post->newest, memory_order_relaxed) != NULL;
        host->worlds[i]->fresh = is_new
            ? atomic_exchange_explicit(&post->newest, NULL, memory_order_acq_rel)
            : NULL;
    }
    for (int i = 0; i < host->worker_count; i++) {
        struct sv_report report;
        while (sv_ring_pop(&host->workers[i]->reports, &report)) {
            handle_report(host, &report);
        }
    }
    for (int i = 0; i < host->world_count; i++) {
        if (host->worlds[i]->fresh != NULL) {
            show(host, host->worlds[i]);
        }
    }
}
