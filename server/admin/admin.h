/*
 * admin.h: the HTTP interface: worlds, scenes, lists, health, metrics and the page.
 *
 * One table of routes (routes.c).  Requests that only read are answered from the network thread's
 * data. A request that changes a world goes to its worker as a message and is answered when the
 * report comes back.
 *
 * Where the daemon has keys, a request that shows worlds or changes something carries a token
 * ("Authorization: Bearer ..."), whose role and worlds apply as in a session.  The Unix socket
 * needs none: the permissions of its file decide who can use it.
 */
#ifndef SERVER_ADMIN_ADMIN_H
#define SERVER_ADMIN_ADMIN_H

#include "server/admin/page.h"
#include "server/base/metrics.h"
#include "server/host/host.h"
#include "server/net/http.h"
#include "server/net/quota.h"
#include "server/session/audit.h"
#include "server/session/rights.h"

struct sv_admin {
    struct sv_host *host;
    const struct sv_page *page;
    struct sv_metrics *metrics;
    struct sv_access *access; /* whose tokens are good; NULL: the daemon is open */
    struct sv_audit *audit;   /* NULL: orders are not written down */
    struct sv_quotas *quotas; /* NULL: nothing is bounded */
    bool is_ready, is_stopping;
    int waiting_count; /* requests that wait for a worker, a scene or a proof */
    int check_count;   /* of those, for a proof; found on the host's pool */
    struct sv_asker checkers[SV_CHECKS_MAX]; /* that these are for */
    int recording_count; /* and for a recording */

    /* Answers a request later; takes the body. */
    void (*reply)(void *context, uint32_t token, const struct sv_http_response *response_take);
    void *reply_context;
};

/* For struct sv_http_handler; context is the struct sv_admin. */
bool sv_admin_handle(
    void *context, const struct sv_http_request *request, struct sv_http_response *response);

/* A report of session 0; for struct sv_gateway's http_reported. */
void sv_admin_reported(
    void *context, struct sv_host_world *world, const struct sv_report *report);

/* What GET /readyz says: whether worlds can be made and changed; a line of text in each case. */
bool sv_readiness(const struct sv_admin *admin, char *text, size_t size);

/* Answers the asker's request later, and its order; takes the body. */
void sv_admin_reply(struct sv_admin *admin, const struct sv_asker *asker,
    const struct sv_http_response *response_take);

/* Refuses by a quota: 409 where something has to go first, 429 where it is a rate. */
void sv_refuse_quota(struct sv_http_response *response, const struct wire_error *error);

/* ---- the table, for its test ---- */

struct sv_call {
    struct sv_admin *admin;
    const struct sv_http_request *request;
    struct sv_http_response *response;
    struct sv_grant grant;     /* what its sender may do */
    struct sv_owner owner;     /* for whom that is counted */
    char name[WIRE_NAME_SIZE]; /* what stands at {name} in the path, */
    char body[WIRE_NAME_SIZE]; /* and at {body} */
};

struct sv_route {
    enum sv_http_method method;
    const char *path; /* "{name}" and "{body}" are one segment each */
    const char *text; /* for people */
    enum ac_role least; /* who may ask; NONE: everybody, also without a token */
    bool is_admin;      /* not at SV_DOOR_PUBLIC */
    bool (*handle)(struct sv_call *call); /* true: answered; false: the reply follows */
    const char *type; /* of the body of what is no GET; NULL: JSON */
    const char *order; /* what the audit calls it; NULL: it reads only */
};
extern const struct sv_route sv_routes[];
extern const int sv_route_count;

/* ---- use.c ---- */

/* Who asks, for messages and for the reply. */
struct sv_asker sv_call_asker(const struct sv_call *call);

/* Takes a request from its sender's quotas; false with *error filled: there is none left. */
bool sv_call_take_quota(struct sv_call *call, struct wire_error *error);

/* Its response, which is filled. */
void sv_call_charge_sent(const struct sv_call *call);

/* Whether the quotas let one more be made, or checked; else the request is answered. */
bool sv_call_may_make(struct sv_call *call, enum sv_made made);
bool sv_call_may_check(struct sv_call *call);

/* Whether `path` has the form; fills `name` and `body`. */
bool sv_route_matches(const char *form, const char *path, char name[WIRE_NAME_SIZE],
    char body[WIRE_NAME_SIZE]);

#endif
