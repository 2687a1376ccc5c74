/*
 * session.h: what one client may say next.
 *
 *         Hello            Join               Joined (from the world)
 *   NEW --------> READY --------> JOINING ------------------> JOINED
 *                   ^  <------------------- Leave ---------------'
 *
 * A pure state machine: it is shown every decoded message and says whether the message is admitted,
 * ignored, rejected or the end.  It sends nothing and knows no socket.
 *
 * Inputs are numbered 1, 2, 3, ... within one stay in a world.  A number that was seen is ignored,
 * one that is ahead is rejected and changes nothing; every other rejected input uses its number up,
 * so that one refusal does not stop the stream.
 *
 * What a session may send is its grant's (rights.h), which whoever reads tokens puts in after
 * Hello.  When its token ends a session may, for SV_REAUTH_NS, still say Hello with a new one, and
 * Leave, Ping and Ack; a Hello with a token may also come earlier.
 */
#ifndef SERVER_SESSION_SESSION_H
#define SERVER_SESSION_SESSION_H

#include "proto/codec.h"
#include "server/base/limits.h"
#include "server/base/rate.h"
#include "server/session/resume.h"
#include "server/session/access.h"

enum sv_session_state {
    SV_SESSION_NEW,
    SV_SESSION_READY,
    SV_SESSION_JOINING,
    SV_SESSION_JOINED,
};

struct sv_session {
    uint64_t id;
    enum sv_session_state state;
    char name[WIRE_PERSON_SIZE];
    struct sv_grant grant; /* what it may do: nothing before its Hello has been answered */
    uint64_t opened_ns;
    uint64_t next_seq;
    bool keep; /* its place, when the connection dies */
    uint8_t secret[SV_RESUME_SECRET_SIZE]; /* of its token; zeros: it has none */
    bool contacts, energy, actions; /* subscribed, also across worlds */
    enum wire_mode mode;   /* as well */
    uint32_t rate_hz;      /* as well; 0: as many ticks as arrive in time */
    uint32_t bytes_per_second; /* as well; 0: what it takes */
    struct wire_interest interest; /* as well */
    bool is_said_again;    /* the last Subscribe said what the one before it did */
    uint64_t ack_tick;     /* that it has acknowledged last in this world */
    struct sv_rate rate;   /* of messages */
    struct sv_rate query_rate;
    struct sv_rate refusals;      /* by rate */
    uint64_t strikes_ns[SV_RATE_STRIKES_MAX - 1]; /* when the last ones began; the newest first */
    int strike_count;             /* of them there have been so many, at most all */
    bool is_renewing;             /* the Hello that was admitted last was not the first */
    bool is_end_told;             /* of its token */
    int decode_strikes;
};

enum sv_verdict {
    SV_ADMIT,
    SV_IGNORE,
    SV_REJECT, /* *error says why; the session goes on */
    SV_CLOSE,  /* *error says why, *close_code how */
};

void sv_session_init(struct sv_session *session, uint64_t id, uint64_t now_ns);

/* A message that was decoded; on ADMIT the session is in its new state. See sv_rights_admit. */
enum sv_verdict sv_session_admit(struct sv_session *session,
    struct wire_client_message *message, uint64_t now_ns, struct wire_error *error,
    uint16_t *close_code);

/* A message that decoding refused or could not read; *error is the codec's. */
enum sv_verdict sv_session_refuse(struct sv_session *session, enum wire_decode_result result,
    const struct wire_client_message *message, uint64_t now_ns, uint16_t *close_code);

/* Whether the client has been silent for too long before its Hello. */
bool sv_session_is_overdue(const struct sv_session *session, uint64_t now_ns);

#endif
