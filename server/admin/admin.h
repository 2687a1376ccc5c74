/*
 * admin.h: the HTTP interface: worlds, scenes, lists, health, metrics and the page.
 *
 * One table of routes (routes.c).  Requests that only read are answered from the network thread's
 * data. A request that changes a world goes to its worker as a message and is answered when the
 * report comes back.
 *
 * Where the daemon has keys, a request that shows worlds or changes something carries a token
 * ("Authorization: Bearer ..."), whose role and worlds apply as in a session.  The Unix socket
 * needs none: access is controlled by the permissions of its file.
 */
#ifndef SERVER_ADMIN_ADMIN_H
#define SERVER_ADMIN_ADMIN_H

#include "server/admin/page.h"
#include "server/base/metrics.h"
#include "server/host/host.h"
#include "server/net/http.h"
#include "server/net/quota.h"
#include "server/session/audit.h"
#include "server/session/access.h"

struct sv_admin {
    struct sv_host *host;
    const struct sv_page *page;
    struct sv_metrics *metrics;
    struct sv_access *access; /* checks tokens; NULL: the daemon is open */
    struct sv_audit *audit;   /* NULL: no audit */
    struct sv_quotas *quotas; /* NULL: no quotas */
    struct sv_rooms *rooms;   /* NULL: no rooms */
    bool is_ready, is_stopping;
    int waiting_count; /* requests that wait for a worker, a scene or a proof */
    int check_count;   /* those that wait for a proof from the host's pool */
    struct sv_asker checkers[SV_CHECKS_MAX]; /* the askers of these proofs */
    int recording_count; /* requests that wait for a recording */

    /* Answers a request later; takes the body. */
    void (*reply)(void *context, uint32_t token, const struct sv_http_response *response_take);
    void *reply_context;
};

/* The function of a struct sv_http_handler; context is the struct sv_admin. */
bool sv_admin_handle(
    void *context, const struct sv_http_request *request, struct sv_http_response *response);

/* Handles a report for session 0; the function http_reported of struct sv_gateway. */
void sv_admin_reported(
    void *context, struct sv_host_world *world, const struct sv_report *report);

/* The answer of GET /readyz: whether worlds can be made and changed; `text` is a line about it. */
bool sv_readiness(const struct sv_admin *admin, char *text, size_t size);

/* Refuses by a quota: 429 for a rate, else 409, because something must be removed first. */
void sv_refuse_quota(struct sv_http_response *response, const struct wire_error *error);

/* ---- the table, for its test ---- */

struct sv_call {
    struct sv_admin *admin;
    const struct sv_http_request *request;
    struct sv_http_response *response;
    struct sv_grant grant;     /* the rights of its sender */
    struct sv_owner owner;     /* the owner to whose quotas it counts */
    char name[WIRE_NAME_SIZE]; /* the segment at {name} in the path */
    char body[WIRE_NAME_SIZE]; /* the segment at {body} */
};

struct sv_route {
    enum sv_http_method method;
    const char *path; /* "{name}" and "{body}" are one segment each */
    const char *text; /* description for people */
    enum ac_role least; /* the lowest role; NONE: everybody, also without a token */
    bool is_admin;      /* not available at SV_DOOR_PUBLIC */
    bool (*handle)(struct sv_call *call); /* true: answered; false: the reply follows */
    const char *type; /* type of the request's body; NULL: JSON */
    const char *order; /* name in the audit; NULL: the request only reads */
};
/* The order whose arguments may have a password; the audit leaves them out. */
#define SV_ORDER_SEAT "seat"

extern const struct sv_route sv_routes[];
extern const int sv_route_count;

/* ---- use.c ---- */

/* Counts a request that is answered later.  False if too many wait. */
bool sv_call_may_wait(struct sv_call *call, struct wire_error *error);

/* The request is refused after all; returns true. */
bool sv_call_stop_waiting(struct sv_call *call, const struct wire_error *error);

/* Answers the call with an Error, or with JSON (taken; NULL: no memory); return true. */
bool sv_call_refuse(struct sv_call *call, const struct wire_error *error);
bool sv_call_respond(struct sv_call *call, char *text_take);

/* The asker of a call, for messages and for the reply. */
struct sv_asker sv_call_asker(const struct sv_call *call);

/* Takes a request from its sender's quotas.  False with *error filled: the quota is used up. */
bool sv_call_take_quota(struct sv_call *call, struct wire_error *error);

/* Charges the bytes of the filled response to the sender's quotas. */
void sv_call_charge_sent(const struct sv_call *call);

/* Whether the quotas allow to make, or to check, one more.  False: the call is answered. */
bool sv_call_may_make(struct sv_call *call, enum sv_made made);
bool sv_call_may_check(struct sv_call *call);

/* The code of an answer in the audit: "ok", or that of its error. */
const char *sv_call_code(const struct sv_http_response *response);

/* Answers a request later, and its order in the audit; takes the body. */
void sv_admin_reply(struct sv_admin *admin, const struct sv_asker *asker,
    const struct sv_http_response *response_take);

/* Whether `path` matches the form; fills `name` and `body`. */
bool sv_route_matches(const char *form, const char *path, char name[WIRE_NAME_SIZE],
    char body[WIRE_NAME_SIZE]);

#endif
