#include "server/admin/check.h"

#include "engine/base/assert.h"
#include "prove/write.h"
#include "server/base/limits.h"

#include <stdlib.h>

struct check {
    uv_work_t work;
    struct sv_admin *admin;
    uint32_t token;
    struct sv_scene *scene;
    char *text; /* the certificate; NULL: refused, or no memory */
    bool is_refused;
    struct wire_error error;
};

/* On the pool's thread: touches the check alone. */
static void
find_proof(uv_work_t *work)
{
    struct check *check = work->data;
    const struct pv_choice choice = {.side_contacts = true, .friction = true};
    struct pv_answer answer;
    struct cn_defect defect;
    const struct cn_world_def *def = wire_scene_world_def(check->scene->scene);
    if (pv_answer_init(&answer, def, &choice, &defect) != CN_OK) {
        check->is_refused = true;
        wire_error_from_defect(&check->error, &defect);
        return;
    }
    if (answer.verdict == PV_UNKNOWN) {
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

static void
answer_check(uv_work_t *work, int status)
{
    struct check *check = work->data;
    struct sv_http_response response;
    CN_ASSERT(status == 0);
    check->admin->waiting_count--;
    check->admin->check_count--;
    if (check->is_refused) {
        sv_http_refuse(&response, &check->error);
    } else {
        sv_http_respond(&response, 200, "application/json; charset=utf-8", check->text);
    }
    check->admin->reply(check->admin->reply_context, check->token, &response);
    sv_scene_unref(check->scene);
    free(check);
}

bool
sv_check_begin(struct sv_admin *admin, uint32_t token, struct sv_scene *scene_take,
    struct wire_error *error)
{
    if (wire_scene_world_def(scene_take->scene)->body_count > SV_CHECK_BODIES_MAX) {
        wire_error_set(error, "LIMIT", "bodies", "are more than %d; `cairn check` takes them",
            SV_CHECK_BODIES_MAX);
        sv_scene_unref(scene_take);
        return false;
    }
    if (admin->check_count >= SV_CHECKS_MAX) {
        wire_error_set(error, "BUSY", "", "%d scenes are being checked already", SV_CHECKS_MAX);
        sv_scene_unref(scene_take);
        return false;
    }
    struct check *check = calloc(1, sizeof(*check));
    if (check == NULL) {
        wire_error_set(error, "MEMORY", "", "no memory");
        sv_scene_unref(scene_take);
        return false;
    }
    *check = (struct check){
        .work = {.data = check}, .admin = admin, .token = token, .scene = scene_take};
    admin->waiting_count++;
    admin->check_count++;
    int status = uv_queue_work(admin->loop, &check->work, find_proof, answer_check);
    CN_ASSERT(status == 0);
    return true;
}
