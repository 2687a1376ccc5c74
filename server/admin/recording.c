#include "server/admin/recording.h"

#include "server/base/limits.h"
#include "server/host/reel.h"

#include <stdlib.h>
#include <string.h>

struct reel {
    struct sv_job job; /* the first, so that it is found by its job */
    struct sv_admin *admin;
    uint32_t token;
    char id[WIRE_NAME_SIZE];
    struct sv_store *store; /* NULL: an import */
    uint64_t number;
    struct sv_buffer *recording;
    struct sv_import import;
    char *bytes; /* of an import */
    struct sv_seed *seed;
    struct wire_error error;
};

/* On the pool's thread. */
static void
work(struct sv_job *job)
{
    struct reel *reel = (struct reel *)job;
    if (atomic_load(&reel->admin->host->is_stopping)) {
        wire_error_set(&reel->error, "STOPPING", "", "the daemon is stopping");
    } else if (reel->store != NULL) {
        reel->recording = sv_reel_record(
            reel->store, reel->number, reel->id, SV_RECORDING_SIZE_MAX, &reel->error);
    } else {
        reel->seed = sv_reel_import(&reel->import, &reel->error);
    }
}

/* Hands the seed to a worker, which answers; false with the error filled. */
static bool
grow(struct reel *reel)
{
    struct sv_host *host = reel->admin->host;
    const struct sv_asker asker = {.request = reel->token};
    if (reel->seed == NULL) {
        return false;
    }
    if (atomic_load(&host->is_stopping)) {
        wire_error_set(&reel->error, "STOPPING", "", "the daemon is stopping");
        return false;
    }
    const struct sv_growth how = {
        .scene_take = sv_scene_ref(reel->seed->scene), .seed_take = reel->seed};
    reel->seed = NULL;
    return sv_host_grow_world(host, reel->id, &how, &asker, &reel->error);
}

static void
done(struct sv_job *job)
{
    struct reel *reel = (struct reel *)job;
    struct sv_admin *admin = reel->admin;
    struct sv_http_response response = {.status = 200, .type = SV_RECORDING_TYPE};
    admin->recording_count--;
    if (reel->store != NULL || !grow(reel)) {
        admin->waiting_count--;
        if (reel->recording != NULL) {
            response.body = reel->recording;
        } else {
            sv_http_refuse(&response, &reel->error);
        }
        admin->reply(admin->reply_context, reel->token, &response);
    }
    sv_seed_destroy(reel->seed);
    free(reel->bytes);
    free(reel);
}

static struct reel *
make(struct sv_admin *admin, const struct sv_http_request *request, const char *id,
    struct wire_error *error)
{
    if (admin->recording_count >= SV_RECORDINGS_MAX ||
        admin->waiting_count >= SV_REQUESTS_MAX) {
        wire_error_set(
            error, "BUSY", "", "%d recordings are at work already", admin->recording_count);
        return NULL;
    }
    struct reel *reel = calloc(1, sizeof(*reel));
    if (reel == NULL) {
        wire_error_set(error, "MEMORY", "", "no memory");
        return NULL;
    }
    reel->job = (struct sv_job){.work = work, .done = done};
    reel->admin = admin;
    reel->token = request->token;
    memcpy(reel->id, id, sizeof(reel->id));
    return reel;
}

/* Takes the reel. */
static bool
start(struct reel *reel, struct wire_error *error)
{
    struct sv_admin *admin = reel->admin;
    const struct sv_pool *pool = &admin->host->pool;
    if (!pool->start(pool->context, &reel->job)) {
        free(reel->bytes);
        free(reel);
        wire_error_set(error, "MEMORY", "", "no memory");
        return false;
    }
    admin->waiting_count++;
    admin->recording_count++;
    return true;
}

bool
sv_recording_begin(struct sv_admin *admin, const struct sv_http_request *request,
    const struct sv_host_world *world, struct wire_error *error)
{
    const struct sv_worker *worker = admin->host->workers[world->worker];
    if (worker->store == NULL || !worker->has_past || world->post.number == 0 ||
        world->status.durability == WIRE_DURABILITY_NONE) {
        wire_error_set(error, "STATE", "", "nothing is kept of the past of %s", world->post.id);
        return false;
    }
    struct reel *reel = make(admin, request, world->post.id, error);
    if (reel == NULL) {
        return false;
    }
    reel->store = worker->store;
    reel->number = world->post.number;
    return start(reel, error);
}

bool
sv_recording_import(struct sv_admin *admin, const struct sv_http_request *request,
    const char *id, struct wire_error *error)
{
    const struct sv_host *host = admin->host;
    const struct sv_worker *worker = host->workers[0];
    if (sv_host_has(host, id)) {
        wire_error_set(error, "TAKEN", "id", "is the id of another world");
        return false;
    }
    struct reel *reel = make(admin, request, id, error);
    if (reel == NULL) {
        return false;
    }
    reel->bytes = malloc(request->body_size + 1);
    if (reel->bytes == NULL) {
        free(reel);
        wire_error_set(error, "MEMORY", "", "no memory");
        return false;
    }
    memcpy(reel->bytes, request->body, request->body_size);
    reel->import = (struct sv_import){.bytes = reel->bytes,
        .size = request->body_size,
        .clock = worker->clock,
        .duration_max_ns = SV_IMPORT_DURATION_NS,
        .is_stopping = &host->is_stopping,
        .metrics = worker->metrics,
        .simd = worker->simd,
        .meshes = host->meshes};
    return start(reel, error);
}
