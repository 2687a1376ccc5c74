/*
 * admin.h: the HTTP interface: worlds, scenes, lists, health, metrics and the page.
 *
 * One table of routes (routes.c).  What reads is answered from what the network thread knows; what
 * changes a world goes to its worker by letter and is answered when the report comes back.
 *
 * Where the daemon has keys, a request that shows worlds or changes something carries a token
 * ("Authorization: Bearer ..."), whose role and worlds hold as in a session.  The Unix socket wants
 * none: its file's permissions have decided.
 */
#ifndef SERVER_ADMIN_ADMIN_H
#define SERVER_ADMIN_ADMIN_H

#include "server/admin/page.h"
#include "server/base/metrics.h"
#include "server/host/host.h"
#include "server/net/http.h"
#include "server/session/rights.h"

struct sv_admin {
    struct sv_host *host;
    const struct sv_page *page;
    struct sv_metrics *metrics;
    struct sv_access *access; /* whose tokens are good; NULL: the daemon is open */
    bool is_ready, is_stopping;
    int waiting_count; /* requests that wait for a worker, a scene or a proof */
    int check_count;   /* of those, for a proof; found on the host's pool */
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

/* ---- the table, for its test ---- */

struct sv_call {
    struct sv_admin *admin;
    const struct sv_http_request *request;
    struct sv_http_response *response;
    struct sv_grant grant;     /* what its sender may do */
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
};
extern const struct sv_route sv_routes[];
extern const int sv_route_count;

/* Whether `path` has the form; fills `name` and `body`. */
bool sv_route_matches(const char *form, const char *path, char name[WIRE_NAME_SIZE],
    char body[WIRE_NAME_SIZE]);

#endif
