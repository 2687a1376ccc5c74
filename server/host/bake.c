#include "server/host/bake.h"

#include "engine/base/assert.h"
#include "server/base/limits.h"
#include "server/host/host.h"

#include <stddef.h>
#include <stdlib.h>

struct sv_bake {
    struct sv_job job; /* first, so that a job's address is its bake's */
    struct sv_host *host;
    struct sv_bake *next;
    struct sv_asker asker;
    unsigned world; /* the serial of the world to load into; 0: make a new world */
    struct wire_source source;
    struct sv_scene *scene; /* NULL: the scene was refused */
    struct wire_error error;
};

/* ---- once the scene is there ---- */

static bool
send_load(struct sv_host *host, struct sv_host_world *world, struct sv_scene *scene_take,
    const struct sv_asker *asker, struct wire_error *error)
{
    CN_ASSERT(scene_take != NULL && world->serial != 0);
    struct sv_order *order_take = calloc(1, sizeof(*order_take));
    if (order_take == NULL) {
        sv_scene_unref(scene_take);
        wire_error_set(error, "MEMORY", "", "no memory");
        return false;
    }
    order_take->kind = WIRE_CONTROL_LOAD;
    order_take->scene = scene_take;
    struct sv_message message = {
        .kind = SV_MESSAGE_ORDER, .asker = *asker, .order_take = order_take};
    return sv_host_send(host, world, &message, error);
}

/* ---- on the pool ---- */

static void
read_scene(struct sv_job *job)
{
    struct sv_bake *bake = (struct sv_bake *)job;
    if (!atomic_load(&bake->host->is_stopping)) {
        bake->scene = sv_host_scene(bake->host, &bake->source, &bake->error);
    }
}

static void
forget_bake(struct sv_bake *bake)
{
    struct sv_bake **at = &bake->host->bakes;
    while (*at != bake) {
        CN_ASSERT(*at != NULL); /* every bake is on the list */
        at = &(*at)->next;
    }
    *at = bake->next;
    CN_ASSERT(bake->host->bake_count > 0);
    bake->host->bake_count--;
    wire_source_finish(&bake->source);
    free(bake);
}

static struct sv_host_world *
find_serial(const struct sv_host *host, unsigned serial)
{
    for (int i = 0; i < host->world_count; i++) {
        if (host->worlds[i]->serial == serial && host->worlds[i]->is_ready) {
            return host->worlds[i];
        }
    }
    return NULL;
}

/* Passes the bake's scene on and gives it away.  False with the bake's error filled. */
static bool
hand_on(struct sv_bake *bake)
{
    struct sv_host *host = bake->host;
    struct sv_scene *scene = bake->scene;
    if (atomic_load(&host->is_stopping)) {
        wire_error_set(&bake->error, "STOPPING", "", "the daemon is stopping");
        sv_scene_unref(scene);
        return false;
    }
    if (scene == NULL) {
        return false;
    }
    if (bake->world == 0) {
        return sv_host_create_world(host, bake->source.id, scene, &bake->asker, &bake->error);
    }
    struct sv_host_world *world = find_serial(host, bake->world);
    if (world == NULL) {
        wire_error_set(&bake->error, "WORLD", "", "the world was removed");
        sv_scene_unref(scene);
        return false;
    }
    return send_load(host, world, scene, &bake->asker, &bake->error);
}

static void
finish_bake(struct sv_job *job)
{
    struct sv_bake *bake = (struct sv_bake *)job;
    struct sv_host *host = bake->host;
    if (!hand_on(bake)) {
        struct sv_outcome outcome = {.error = bake->error};
        struct sv_report report = {
            .kind = SV_REPORT_REFUSED, .asker = bake->asker, .outcome_take = &outcome};
        host->events.reported(host->events.context, NULL, &report);
    }
    forget_bake(bake);
}

/* ---- beginning ---- */

static bool
is_slow(const struct sv_host *host, const struct wire_source *source)
{
    return host->pool.start != NULL && source->kind == WIRE_SOURCE_SCENE &&
        (source->scene_size > SV_SCENE_AT_ONCE_SIZE ||
            wire_scene_bytes_have_meshes(source->scene_bytes, source->scene_size));
}

int
sv_bake_count(const struct sv_host *host, const struct sv_asker *asker, enum sv_principal principal)
{
    int count = 0;
    for (const struct sv_bake *bake = host->bakes; bake != NULL; bake = bake->next) {
        count += bake->world == 0 && sv_asker_is(&bake->asker, asker, principal) ? 1 : 0;
    }
    return count;
}

static bool
has_room(const struct sv_host *host, const struct sv_asker *asker, struct wire_error *error)
{
    int own_count = 0;
    for (const struct sv_bake *bake = host->bakes; bake != NULL; bake = bake->next) {
        own_count += bake->asker.session == asker->session;
    }
    if (asker->session != 0 && own_count >= SV_BAKES_SESSION_MAX) {
        wire_error_set(error, "BUSY", "", "a scene of this session is being read already");
        return false;
    }
    if (host->bake_count >= SV_BAKES_MAX) {
        wire_error_set(error, "BUSY", "", "%d scenes are being read already", SV_BAKES_MAX);
        return false;
    }
    return true;
}

static bool
begin_bake(struct sv_host *host, unsigned world, struct wire_source *source,
    const struct sv_asker *asker, struct wire_error *error)
{
    if (!has_room(host, asker, error)) {
        return false;
    }
    CN_ASSERT(host->bake_count < SV_BAKES_MAX && source->kind == WIRE_SOURCE_SCENE);
    struct sv_bake *bake = malloc(sizeof(*bake));
    if (bake == NULL) {
        wire_error_set(error, "MEMORY", "", "no memory");
        return false;
    }
    *bake = (struct sv_bake){.job = {.work = read_scene, .done = finish_bake},
        .host = host,
        .next = host->bakes,
        .asker = *asker,
        .world = world,
        .source = *source};
    source->scene_bytes = NULL;
    host->bakes = bake;
    host->bake_count++;
    if (!host->pool.start(host->pool.context, &bake->job)) {
        forget_bake(bake);
        wire_error_set(error, "MEMORY", "", "no memory");
        return false;
    }
    return true;
}

bool
sv_bake_create(struct sv_host *host, struct wire_source *source, const struct sv_asker *asker,
    struct wire_error *error)
{
    if (is_slow(host, source)) {
        return begin_bake(host, 0, source, asker, error);
    }
    struct sv_scene *scene = sv_host_scene(host, source, error);
    return scene != NULL && sv_host_create_world(host, source->id, scene, asker, error);
}

bool
sv_bake_load(struct sv_host *host, struct sv_host_world *world, struct wire_source *source,
    const struct sv_asker *asker, struct wire_error *error)
{
    if (is_slow(host, source)) {
        return begin_bake(host, world->serial, source, asker, error);
    }
    struct sv_scene *scene = sv_host_scene(host, source, error);
    return scene != NULL && send_load(host, world, scene, asker, error);
}
