#include "server/net/hello.h"

#include <inttypes.h>
#include <string.h>

#define CLOSE_POLICY 1008
#define CLOSE_TRY_AGAIN 1013

/* The token was not good. */
static void
refuse_token(struct sv_seat *seat, const struct wire_hello *hello, const struct wire_error *error,
    uint16_t *close_code)
{
    struct sv_gateway *gateway = seat->gateway;
    SV_COUNT(gateway->metrics, tokens_refused, 1);
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
    struct sv_grant *grant = &seat->session.grant;
    const char *world = seat->world != NULL ? seat->world->post.id : "";
    bool is_renewing = seat->session.is_renewing;
    bool is_good = is_renewing
        ? sv_access_renew(&gateway->access, hello->token, world, grant, error)
        : sv_access_grant(
              &gateway->access, hello->token, (enum ac_role)hello->role, grant, error);
    if (!is_good) {
        refuse_token(seat, hello, error, close_code);
        return false;
    }
    seat->session.is_end_told = false;
    if (gateway->access.keys != NULL) {
        sv_log(gateway->log, SV_LOG_INFO, "session %" PRIu64 ": token %s, %s", seat->session.id,
            grant->id, ac_role_name(grant->role));
    }
    note_end(gateway, grant);
    return true;
}
