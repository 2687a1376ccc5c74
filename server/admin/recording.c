#include "server/admin/recording.h"

#include "engine/base/assert.h"
#include "server/base/limits.h"
#include "server/past/recordings.h"

#include <stdlib.h>
#include <string.h>

struct recording_task {
    struct sv_job job; /* the first member: the job's address is the task's */
    struct sv_admin *admin;
    struct sv_asker asker;
    char id[WIRE_NAME_SIZE];
    struct sv_store *store; /* NULL: an import */
    uint64_t number;
    struct sv_buffer *recording;
    struct sv_import import;
    char *bytes; /* the imported recording */
    struct sv_seed *seed;
    struct wire_error error;
};

/* Runs on a thread of the pool. */
static void
run_task(struct sv_job *job)
{
    struct recording_task *task = (struct recording_task *)job;
    CN_ASSERT(task->recording == NULL && task->seed == NULL);
    if (atomic_load(&task->admin->host->is_stopping)) {
        wire_error_set(&task->error, "STOPPING", "", "the daemon is stopping");
    } else if (task->store != NULL) {
        task->recording = sv_recordings_export(
            task->store, task->number, task->id, SV_RECORDING_SIZE_MAX, &task->error);
    } else {
        task->seed = sv_recordings_import(&task->import, &task->error);
    }
}

/* Gives the seed to a worker, which answers.  False with the error filled. */
static bool
grow_world(struct recording_task *task)
{
    struct sv_host *host = task->admin->host;
    if (task->seed == NULL) {
        return false;
    }
    if (atomic_load(&host->is_stopping)) {
        wire_error_set(&task->error, "STOPPING", "", "the daemon is stopping");
        return false;
    }
    const struct sv_growth how = {
        .scene_take = sv_scene_ref(task->seed->scene), .seed_take = task->seed};
    task->seed = NULL;
    return sv_host_grow_world(host, task->id, &how, &task->asker, &task->error);
}

static void
finish_task(struct sv_job *job)
{
    struct recording_task *task = (struct recording_task *)job;
    struct sv_admin *admin = task->admin;
    struct sv_http_response response = {.status = 200, .type = SV_RECORDING_TYPE};
    CN_ASSERT(admin->recording_count > 0 && admin->waiting_count > 0);
    admin->recording_count--;
    if (task->store != NULL || !grow_world(task)) {
        admin->waiting_count--;
        if (task->recording != NULL) {
            response.body = task->recording;
        } else {
            sv_http_refuse(&response, &task->error);
        }
        sv_admin_reply(admin, &task->asker, &response);
    }
    sv_seed_destroy(task->seed);
    free(task->bytes);
    free(task);
}

static struct recording_task *
make_task(struct sv_admin *admin, const struct sv_asker *asker, const char *id,
    struct wire_error *error)
{
    if (admin->recording_count >= SV_RECORDINGS_MAX ||
        admin->waiting_count >= SV_REQUESTS_MAX) {
        wire_error_set(
            error, "BUSY", "", "%d recordings are at work already", admin->recording_count);
        return NULL;
    }
    CN_ASSERT(admin->recording_count >= 0 && admin->waiting_count >= 0);
    struct recording_task *task = calloc(1, sizeof(*task));
    if (task == NULL) {
        wire_error_set(error, "MEMORY", "", "no memory");
        return NULL;
    }
    task->job = (struct sv_job){.work = run_task, .done = finish_task};
    task->admin = admin;
    task->asker = *asker;
    memcpy(task->id, id, sizeof(task->id));
    return task;
}

/* Starts the task and takes it. */
static bool
start_task(struct recording_task *task, struct wire_error *error)
{
    struct sv_admin *admin = task->admin;
    const struct sv_pool *pool = &admin->host->pool;
    if (!pool->start(pool->context, &task->job)) {
        free(task->bytes);
        free(task);
        wire_error_set(error, "MEMORY", "", "no memory");
        return false;
    }
    admin->waiting_count++;
    admin->recording_count++;
    return true;
}

bool
sv_recording_begin(struct sv_admin *admin, const struct sv_asker *asker,
    const struct sv_host_world *world, struct wire_error *error)
{
    const struct sv_worker *worker = admin->host->workers[world->worker];
    if (worker->env.store == NULL || !worker->env.has_past || world->mailbox.number == 0 ||
        world->status.durability == WIRE_DURABILITY_NONE) {
        wire_error_set(error, "STATE", "", "the past of %s is not stored", world->mailbox.id);
        return false;
    }
    struct recording_task *task = make_task(admin, asker, world->mailbox.id, error);
    if (task == NULL) {
        return false;
    }
    task->store = worker->env.store;
    task->number = world->mailbox.number;
    return start_task(task, error);
}

bool
sv_recording_import(struct sv_admin *admin, const struct sv_http_request *request,
    const struct sv_asker *asker, const char *id, struct wire_error *error)
{
    const struct sv_host *host = admin->host;
    const struct sv_worker *worker = host->workers[0];
    if (sv_host_has(host, id)) {
        wire_error_set(error, "TAKEN", "id", "is the id of another world");
        return false;
    }
    struct recording_task *task = make_task(admin, asker, id, error);
    if (task == NULL) {
        return false;
    }
    task->bytes = malloc(request->body_size + 1);
    if (task->bytes == NULL) {
        free(task);
        wire_error_set(error, "MEMORY", "", "no memory");
        return false;
    }
    memcpy(task->bytes, request->body, request->body_size);
    task->import = (struct sv_import){.bytes = task->bytes,
        .size = request->body_size,
        .clock = worker->env.clock,
        .duration_max_ns = SV_IMPORT_DURATION_NS,
        .is_stopping = &host->is_stopping,
        .metrics = worker->env.metrics,
        .simd = worker->env.simd,
        .meshes = host->meshes};
    return start_task(task, error);
}
