/*
 * audit.h: the audit log: one line per order with its sender, address and result.
 *
 *     audit op=fork answer=ok session=3 sub="ann" jti=t1 role=instructor from=192.0.2.1:50412
 *         world="block" args="tick=5 replay"
 *
 * (one line, single blanks, always these fields in this order).  Orders are, from sessions, all
 * controls but list, leases that override or cap, forks and seeks; from HTTP, the requests whose
 * route has an `order`.  A refused token gets a line, too: op=hello, or op=request.
 *
 *     op       the order; "control", "lease", "fork" or "seek" where it could not be read
 *     answer   "ok" or the code of the refusal (proto/WIRE.md); a seek is ok when it was taken
 *     session  its number; "-" of HTTP
 *     sub, jti of the token, when it is well signed; "" and "-" without
 *     role     what the session or request may do; "-": nothing
 *     from     the peer's address; "unix" of the socket for admins; "-" when it is not known
 *     world    that the order names, else the joined one; "" without one
 *     args     the main ones, of an HTTP body its beginning, cut to SV_AUDIT_ARGUMENTS_SIZE
 *
 * In quotes '"', '\' and all bytes except printable ASCII are written as \xNN, so that no client
 * can forge a line.  No line contains a token, key or resume token.
 *
 * The line is written when the answer is known.  It goes to the log at level info, or to a file of
 * its own, there with the time in front and without "audit".  Beyond a rate lines are left out, and
 * the next one is preceded by "audit left_out=N".
 *
 * Threads: the network thread.
 */
#ifndef SERVER_SESSION_AUDIT_H
#define SERVER_SESSION_AUDIT_H

#include "proto/codec.h"
#include "server/base/log.h"
#include "server/base/metrics.h"
#include "server/base/rate.h"
#include "server/session/grant.h"

struct sv_audit_pending;

struct sv_audit {
    struct sv_log *log;
    struct sv_clock clock;
    struct sv_metrics *metrics;
    const char *path; /* borrowed; NULL: write to the log */
    int file;         /* -1: none */
    bool has_failed;  /* the last write to it failed */
    struct sv_rate rate;
    unsigned left_out;
    uint32_t number;  /* of the last order of a session */
    struct sv_audit_pending *first, *last; /* orders without an answer yet, oldest first */
    int pending_count;
};

/* The facts of an order when it arrives; texts are borrowed for the call. */
struct sv_audit_order {
    const char *op, *world, *arguments, *from;
    size_t arguments_size;
    uint64_t session; /* 0: HTTP */
    const struct sv_grant *grant;
};

void sv_audit_init(struct sv_audit *audit, struct sv_log *log, struct sv_clock clock,
    struct sv_metrics *metrics);
void sv_audit_finish(struct sv_audit *audit);

/*
 * Writes to this file from now on; lines are appended.  A new file is readable by its owner only.
 * The same path again reopens the file, because it may have been moved.  On failure logs the
 * reason, returns false and changes nothing.
 */
bool sv_audit_open(struct sv_audit *audit, const char *path);

/* The number by which a session's order is answered later; never 0. */
uint32_t sv_audit_number(struct sv_audit *audit);

/*
 * Records an order that will be answered with (session, number); for HTTP the number is the
 * request's token.  Above SV_AUDIT_PENDING_MAX the oldest is written with the answer "unknown".
 */
void sv_audit_begin(
    struct sv_audit *audit, const struct sv_audit_order *order, uint32_t number);

/*
 * Writes the order's line with its answer, "ok" or a code.  Does nothing if the order is unknown or
 * was answered before.
 */
void sv_audit_answer(
    struct sv_audit *audit, uint64_t session, uint32_t number, const char *answer);

/* Records and answers an order at once. */
void sv_audit_tell(
    struct sv_audit *audit, const struct sv_audit_order *order, const char *answer);

/* ---- the order in a session's message ---- */

struct sv_audit_words {
    const char *op; /* NULL: the message is not an order */
    const char *world; /* the world that the message names; NULL: the joined one */
    char arguments[160];
};

void sv_audit_describe(const struct wire_client_message *message, bool is_whole,
    struct sv_audit_words *words);

#endif
