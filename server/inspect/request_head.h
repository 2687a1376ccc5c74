/*
 * request_head.h: checks that all readers understand the head of an HTTP/1.1 request in the same
 * way.
 *
 * A head is the request line, the header lines and the empty line behind them.  It is checked
 * before the library sees any of it.  A head that a proxy in front and this daemon could take for
 * two different requests is refused.  Bytes that are not HTTP get an answer.
 *
 * Refused are, besides what RFC 9112 forbids: lines that end with LF alone, folded lines, a blank
 * before a colon, any Transfer-Encoding, a second Host, Content-Length, Content-Type,
 * Authorization, Origin, Sec-WebSocket-Key or -Version, a request target that is not a path, and a
 * POST, PUT or PATCH without a Content-Length.
 *
 * Every byte is scanned once, however the head is cut into pieces: sv_head_scan continues at the
 * first incomplete line.
 *
 * Source: RFC 9112 (HTTP/1.1), RFC 9110 (fields), RFC 6455, 4.1 and 4.2.1 (the handshake).
 */
#ifndef SERVER_INSPECT_REQUEST_HEAD_H
#define SERVER_INSPECT_REQUEST_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sv_head_verdict {
    SV_HEAD_MORE, /* the empty line has not come */
    SV_HEAD_GOOD,
    SV_HEAD_BAD,
};

/* Zero-initialised before the first byte. */
struct sv_head {
    size_t scanned;       /* bytes of whole lines; of a good head all of it */
    size_t searched;      /* bytes in which no further line end is */
    unsigned field_count; /* header lines and arguments of the query */
    bool wants_length;    /* a method whose body would have a meaning */
    bool is_get, is_head;
    bool is_10;           /* HTTP/1.0 */
    bool is_upgrade;      /* it asks for a WebSocket; what follows are frames */
    bool is_connection_upgrade, is_version_13;
    unsigned seen;        /* the fields that may stand once, as bits */
    uint64_t body_size;   /* of the Content-Length; 0: none */
    /* Of a bad head: the answer's status, and why, in static text. */
    int status;
    const char *reason;
};

/* `bytes` begin with the head and grow from call to call. */
enum sv_head_verdict sv_head_scan(struct sv_head *head, const char *bytes, size_t size);

/*
 * Of a good head: the value of the next field of that name (lower case) from *at on, which begins
 * as 0; NULL when there is none.  Blanks around it are left out.
 */
const char *sv_head_field(const struct sv_head *head, const char *bytes, const char *name,
    size_t *at, size_t *value_size);

#endif
