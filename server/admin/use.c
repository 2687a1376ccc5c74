/*
 * use.c: charges HTTP requests to the quotas of their senders, and answers them later.
 *
 * Requests by the Unix socket come from the daemon's own user and are not charged.
 */
#include "engine/base/assert.h"
#include "server/admin/admin.h"
#include "server/base/limits.h"

bool
sv_call_refuse(struct sv_call *call, const struct wire_error *error)
{
    sv_http_refuse(call->response, error);
    return true;
}

bool
sv_call_respond(struct sv_call *call, char *text_take)
{
    sv_http_respond(call->response, 200, "application/json; charset=utf-8", text_take);
    return true;
}

struct sv_asker
sv_call_asker(const struct sv_call *call)
{
    CN_ASSERT(call->request->token != 0); /* else the answer would find nobody */
    return (struct sv_asker){.request = call->request->token, .owner = call->owner};
}

static bool
is_bound(const struct sv_call *call)
{
    return call->admin->quotas != NULL && call->request->door != SV_DOOR_UNIX;
}

bool
sv_call_take_quota(struct sv_call *call, struct wire_error *error)
{
    struct sv_quotas *quotas = call->admin->quotas;
    const struct sv_http_request *request = call->request;
    if (!is_bound(call)) {
        return true;
    }
    call->owner = sv_quotas_owner(quotas, &call->grant, request->from);
    const struct sv_asker asker = sv_call_asker(call);
    return sv_quotas_take(quotas, AC_QUOTA_REQUESTS, &call->grant, &asker, 1, error) &&
        sv_quotas_take(
            quotas, AC_QUOTA_RECEIVED, &call->grant, &asker, request->body_size, error) &&
        sv_quotas_take(quotas, AC_QUOTA_SENT, &call->grant, &asker, 0, error);
}

void
sv_call_charge_sent(const struct sv_call *call)
{
    const struct sv_asker asker = sv_call_asker(call);
    if (is_bound(call) && call->response->body != NULL) {
        sv_quotas_charge(
            call->admin->quotas, AC_QUOTA_SENT, &asker, call->response->body->size);
    }
}

void
sv_refuse_quota(struct sv_http_response *response, const struct wire_error *error)
{
    sv_http_refuse(response, error);
    response->status = error->retry_ms > 0 ? 429 : 409;
}

bool
sv_call_may_make(struct sv_call *call, enum sv_made made)
{
    struct wire_error error;
    const struct sv_asker asker = sv_call_asker(call);
    const struct sv_admin *admin = call->admin;
    bool may = !is_bound(call) ||
        sv_quotas_allow_made(admin->quotas, admin->host, made, &call->grant, &asker, 1, &error);
    if (!may) {
        sv_refuse_quota(call->response, &error);
    }
    return may;
}

bool
sv_call_may_check(struct sv_call *call)
{
    struct wire_error error;
    const struct sv_asker asker = sv_call_asker(call);
    const struct sv_admin *admin = call->admin;
    CN_ASSERT(admin->check_count >= 0 && admin->check_count <= SV_CHECKS_MAX);
    int used[SV_PRINCIPAL_COUNT] = {0};
    for (int k = 0; k < SV_PRINCIPAL_COUNT; k++) {
        used[k] = sv_asker_id(&asker, (enum sv_principal)k) != 0 ? 0 : -1;
        for (int i = 0; i < admin->check_count; i++) {
            used[k] += sv_asker_is(&admin->checkers[i], &asker, (enum sv_principal)k) ? 1 : 0;
        }
    }
    bool may = !is_bound(call) ||
        sv_quotas_allow(admin->quotas, AC_QUOTA_CHECKS, &call->grant, used, 1, &error);
    if (!may) {
        sv_refuse_quota(call->response, &error);
    }
    return may;
}

/* ---- waiting ---- */

bool
sv_call_may_wait(struct sv_call *call, struct wire_error *error)
{
    if (call->admin->waiting_count >= SV_REQUESTS_MAX) {
        wire_error_set(error, "BUSY", "", "%d requests wait already", SV_REQUESTS_MAX);
        return false;
    }
    call->admin->waiting_count++;
    return true;
}

bool
sv_call_stop_waiting(struct sv_call *call, const struct wire_error *error)
{
    CN_ASSERT(call->admin->waiting_count > 0);
    call->admin->waiting_count--;
    return sv_call_refuse(call, error);
}

/* ---- answers ---- */

const char *
sv_call_code(const struct sv_http_response *response)
{
    return response->code[0] != '\0' ? response->code : response->status < 400 ? "ok" : "MEMORY";
}

void
sv_admin_reply(struct sv_admin *admin, const struct sv_asker *asker,
    const struct sv_http_response *response_take)
{
    CN_ASSERT(asker->session == 0 && asker->request != 0);
    if (admin->audit != NULL) {
        sv_audit_answer(admin->audit, 0, asker->request, sv_call_code(response_take));
    }
    if (admin->quotas != NULL && response_take->body != NULL) {
        sv_quotas_charge(admin->quotas, AC_QUOTA_SENT, asker, response_take->body->size);
    }
    admin->reply(admin->reply_context, asker->request, response_take);
}
