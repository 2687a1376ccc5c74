#include "server/admin/check.h"

#include "engine/base/assert.h"
#include "prove/write.h"
#include "server/base/limits.h"

#include <stdlib.h>

struct check {
    struct sv_job job; /* the first member: the job's address is the check's */
    struct sv_admin *admin;
    struct sv_asker asker;
    struct wire_source source;
    bool with_start;
    char *text; /* the certificate; NULL: refused, or no memory */
    bool is_refused;
    struct wire_error error;
};

static void
find_proof(struct check *check, const struct cn_world_def *def)
{
    const struct pv_choice choice = {.side_contacts = true, .friction = true};
    struct pv_answer answer;
    struct cn_defect defect;
    if (pv_answer_init(&answer, def, &choice, &defect) != CN_OK) {
        check->is_refused = true;
        wire_error_from_defect(&check->error, &defect);
        return;
    }
    bool is_small = def->body_count <= SV_CHECK_START_BODIES_MAX;
    if (check->with_start && is_small && pv_answer_find_start(&answer, &defect) != CN_OK) {
        answer.has_start = false;
    }
    if (answer.verdict == PV_UNKNOWN && answer.kind != PV_BOUNDS) {
        check->is_refused = true;
        wire_error_set(&check->error, "LIMIT", "", "the exact computation grew beyond its bound");
    } else {
        struct wire_json json;
        wire_json_init(&json, false);
        pv_write(&json, &answer);
        check->text = wire_json_take(&json);
        wire_json_finish(&json);
    }
    pv_answer_finish(&answer);
}

/*
 * Runs on a thread of the pool.  It uses only the check, and data of the host that every thread may
 * use.
 */
static void
check_scene(struct sv_job *job)
{
    struct check *check = (struct check *)job;
    CN_ASSERT(check->text == NULL && !check->is_refused);
    struct sv_scene *scene = sv_host_scene(check->admin->host, &check->source, &check->error);
    if (scene == NULL) {
        check->is_refused = true;
        return;
    }
    const struct cn_world_def *def = wire_scene_world_def(scene->scene);
    if (def->body_count > SV_CHECK_BODIES_MAX) {
        check->is_refused = true;
        wire_error_set(&check->error, "LIMIT", "bodies",
            "are more than %d, the most here; `cairn check` takes more", SV_CHECK_BODIES_MAX);
    } else {
        find_proof(check, def);
    }
    sv_scene_unref(scene);
}

static void
forget_checker(struct sv_admin *admin, uint32_t request)
{
    int i = 0;
    while (admin->checkers[i].request != request) {
        CN_ASSERT(i < admin->check_count); /* every check has its asker on the list */
        i++;
    }
    admin->checkers[i] = admin->checkers[--admin->check_count];
}

static void
answer_check(struct sv_job *job)
{
    struct check *check = (struct check *)job;
    CN_ASSERT(check->admin->waiting_count > 0 && check->admin->check_count > 0);
    struct sv_http_response response;
    check->admin->waiting_count--;
    forget_checker(check->admin, check->asker.request);
    if (check->is_refused) {
        sv_http_refuse(&response, &check->error);
    } else {
        sv_http_respond(&response, 200, "application/json; charset=utf-8", check->text);
    }
    sv_admin_reply(check->admin, &check->asker, &response);
    wire_source_finish(&check->source);
    free(check);
}

bool
sv_check_begin(struct sv_admin *admin, const struct sv_asker *asker,
    struct wire_source *source, bool with_start, struct wire_error *error)
{
    const struct sv_pool *pool = &admin->host->pool;
    if (admin->check_count >= SV_CHECKS_MAX) {
        wire_error_set(error, "BUSY", "", "%d scenes are being checked already", SV_CHECKS_MAX);
        return false;
    }
    struct check *check = calloc(1, sizeof(*check));
    if (check == NULL) {
        wire_error_set(error, "MEMORY", "", "no memory");
        return false;
    }
    *check = (struct check){.job = {.work = check_scene, .done = answer_check},
        .admin = admin,
        .asker = *asker,
        .source = *source,
        .with_start = with_start};
    if (!pool->start(pool->context, &check->job)) {
        free(check); /* the bytes still belong to the caller */
        wire_error_set(error, "MEMORY", "", "no memory");
        return false;
    }
    source->scene_bytes = NULL;
    admin->waiting_count++;
    CN_ASSERT(admin->check_count < SV_CHECKS_MAX);
    admin->checkers[admin->check_count++] = *asker;
    return true;
}
