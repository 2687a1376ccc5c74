#include "server/net/hello.h"

#include <inttypes.h>
#include <string.h>

#define CLOSE_POLICY 1008
#define CLOSE_TRY_AGAIN 1013

/* Refuses a token that is not valid. */
static void
refuse_token(struct sv_seat *seat, const struct wire_hello *hello, const struct sv_grant *grant,
    const struct wire_error *error, uint16_t *close_code)
{
    struct sv_gateway *gateway = seat->gateway;
    SV_COUNT(gateway->metrics, tokens_refused, 1);
    if (gateway->audit != NULL) {
        const struct sv_audit_order order = {.op = "hello",
            .arguments = "",
            .from = sv_seat_from(seat),
            .session = seat->session.id,
            .grant = grant};
        sv_audit_tell(gateway->audit, &order, error->code);
    }
    if (strcmp(error->code, "TOKEN") == 0 && hello->token != NULL) {
        gateway->transport.judge(gateway->transport.context, seat->connection, false);
    }
    bool is_retried = strcmp(error->code, "CAPACITY") == 0;
    *close_code = is_retried ? CLOSE_TRY_AGAIN : CLOSE_POLICY;
    sv_log(gateway->log, SV_LOG_INFO, "session %" PRIu64 ": %s: %s", seat->session.id,
        error->code, error->text);
}

static void
note_end(struct sv_gateway *gateway, const struct sv_grant *grant)
{
    if (grant->expires_ns != 0 &&
        (gateway->expires_ns == 0 || grant->expires_ns < gateway->expires_ns)) {
        gateway->expires_ns = grant->expires_ns;
    }
}

bool
sv_hello_let_in(struct sv_seat *seat, const struct wire_hello *hello, struct wire_error *error,
    uint16_t *close_code)
{
    struct sv_gateway *gateway = seat->gateway;
    struct sv_grant granted = *seat->session.grant;
    bool is_renewing = seat->session.is_renewing;
    bool is_good = is_renewing
        ? sv_access_renew(&gateway->access, hello->token, seat->world, &granted, error)
        : sv_access_grant(
              &gateway->access, hello->token, (enum ac_role)hello->role, &granted, error);
    if (is_good && !sv_session_set_grant(&seat->session, &granted)) {
        wire_error_set(error, "CAPACITY", "", "no memory for the rights of the token");
        is_good = false;
    }
    if (!is_good) {
        refuse_token(seat, hello, &granted, error, close_code);
        return false;
    }
    const struct sv_grant *grant = seat->session.grant;
    seat->session.is_end_told = false;
    if (gateway->quotas != NULL) {
        seat->owner = sv_quotas_owner(gateway->quotas, grant, sv_seat_from(seat));
        seat->is_sent_bound = sv_quotas_bound(gateway->quotas, grant, AC_QUOTA_SENT);
        seat->is_received_bound = sv_quotas_bound(gateway->quotas, grant, AC_QUOTA_RECEIVED);
    }
    if (gateway->access.keys != NULL) {
        sv_log(gateway->log, SV_LOG_INFO, "session %" PRIu64 ": token %s, %s", seat->session.id,
            grant->id, ac_role_name(grant->role));
    }
    note_end(gateway, grant);
    return true;
}
