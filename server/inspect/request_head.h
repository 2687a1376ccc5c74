/*
 * request_head.h: checks that all readers understand the head of an HTTP/1.1 request in the same
 * way.
 *
 * A head is the request line, the header lines and the empty line behind them.  It is checked
 * before the library sees any of it.  A head that a proxy in front and this daemon could take for
 * two different requests is refused.  Bytes that are not HTTP get an answer.
 *
 * Refused are heads that RFC 9112 forbids, and also heads with one of these:
 *
 *     a line that ends with LF alone, a folded line, a blank before a colon
 *     any Transfer-Encoding
 *     a second Host, Content-Length, Content-Type, Authorization, Origin, Sec-WebSocket-Key
 *     or Sec-WebSocket-Version
 *     a request target that is not a path
 *     a POST, PUT or PATCH without a Content-Length
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
    SV_HEAD_MORE, /* the empty line has not arrived */
    SV_HEAD_GOOD,
    SV_HEAD_BAD,
};

/* Zero-initialised before the first byte. */
struct sv_head {
    size_t scanned;       /* bytes of complete lines; in the end the size of the head */
    size_t searched;      /* bytes that have no further line end */
    unsigned field_count; /* header lines and arguments of the query */
    bool wants_length;    /* the method can have a body */
    bool is_get, is_head;
    bool is_10;           /* HTTP/1.0 */
    bool is_upgrade;      /* it asks for a WebSocket; frames follow */
    bool is_connection_upgrade, is_version_13;
    unsigned seen;        /* bits of the fields that may occur only once and have occurred */
    uint64_t body_size;   /* of the Content-Length; 0: none */
    /* For a bad head: the status of the answer, and the reason, static text. */
    int status;
    const char *reason;
};

/* `bytes` begin with the head; each call has all bytes of the earlier calls. */
enum sv_head_verdict sv_head_scan(struct sv_head *head, const char *bytes, size_t size);

/*
 * Returns the value of the next field with that name (lower case) of a valid head, without blanks
 * around it.  *at begins as 0, and the call advances it.  NULL: no further field.
 */
const char *sv_head_field(const struct sv_head *head, const char *bytes, const char *name,
    size_t *at, size_t *value_size);

#endif
