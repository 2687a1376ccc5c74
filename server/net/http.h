/*
 * http.h: requests and responses, apart from the library that reads and writes them.
 *
 * Before a handler sees a request, its Host and Origin are accepted, its path is at most
 * SV_PATH_SIZE long and its body within SV_BODY_SIZE_MAX.
 */
#ifndef SERVER_NET_HTTP_H
#define SERVER_NET_HTTP_H

#include "proto/wire.h"
#include "server/base/buffer.h"

#include <stdbool.h>

#define SV_PATH_SIZE 512
#define SV_HEADER_SIZE 128
#define SV_QUERY_SIZE 512

enum sv_http_method {
    SV_HTTP_GET,
    SV_HTTP_HEAD,
    SV_HTTP_POST,
    SV_HTTP_PATCH,
    SV_HTTP_DELETE,
    SV_HTTP_OTHER,
};

/*
 * The kind of listener by which a request came.  Where clients can connect from other machines, the
 * routes for admins have a listener of their own.
 */
enum sv_door {
    SV_DOOR_WHOLE,  /* loopback: everything */
    SV_DOOR_PUBLIC, /* everything except the routes for admins */
    SV_DOOR_ADMIN,  /* loopback: only routes, no page, no WebSockets */
    SV_DOOR_UNIX,   /* the same, on a socket that only the daemon's own user can open */
};

struct sv_http_request {
    enum sv_http_method method;
    enum sv_door door;
    const char *from;          /* the peer's address as text; NULL: not known */
    const char *bearer;        /* the token of the Authorization header; "" when absent */
    const char *path;          /* without the query */
    const char *query;         /* "a=1&b=2"; "" or NULL when absent, "&" when too long */
    const char *content_type;  /* "" when absent */
    const char *if_none_match; /* "" when absent */
    const char *accept_encoding; /* "" when absent; NULL means the same */
    const char *body;
    size_t body_size;
    uint32_t token; /* names the request in a later reply; never 0 */
};

struct sv_http_response {
    int status;
    char code[16];           /* the error code of a refusal, else "" */
    const char *type;        /* static text */
    struct sv_buffer *body;  /* owned reference, or NULL */
    char etag[32];           /* with quotes; or "" */
    const char *allow;       /* with 405: the methods; static text, or NULL */
    bool wants_token;        /* with 401: send the header that asks for one */
    bool is_expired;         /* with 401: the token was valid before */
    unsigned retry_s;        /* with 429, 503: when to try again; 0: unknown */
    bool is_page;            /* part of the web page: browsers may cache and revalidate it */
    bool is_packed;          /* the body is packed by gzip */
};

struct sv_http_handler {
    void *context;

    /* True: *response is filled. False: a reply with the request's token follows. */
    bool (*handle)(void *context, const struct sv_http_request *request,
        struct sv_http_response *response);
};

/*
 * Copies the next argument of a query, "name=value", and moves *query behind it.  False at the end,
 * and before an argument that is empty or too long.
 */
bool sv_http_argument(const char **query, char name[SV_HEADER_SIZE], char value[SV_HEADER_SIZE]);

/* Fills the response with a text from malloc, which it takes; NULL makes it a 500. */
void sv_http_respond(
    struct sv_http_response *response, int status, const char *type, char *text_take);

/* Fills the response with an Error as JSON and the status that belongs to its code. */
void sv_http_refuse(struct sv_http_response *response, const struct wire_error *error);

#endif
