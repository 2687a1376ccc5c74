/*
 * session.h: the messages that one client may send next.
 *
 *         Hello            Join               Joined (from the world)
 *   NEW --------> READY --------> JOINING ------------------> JOINED
 *                   ^  <------------------- Leave ---------------'
 *
 * A pure state machine: it is shown every decoded message and says whether the message is admitted,
 * ignored, rejected or the end.  It sends nothing and knows no socket.
 *
 * Memory: a daemon has thousands of sessions, so data that few of them need is allocated when it is
 * needed: the part of the world that a session watches, and the grant of a token.
 *
 * Inputs are numbered 1, 2, 3, ... from each Join on.  A number that was seen before is ignored.  A
 * number that skips one is rejected and changes nothing.  Any other rejected input uses its number
 * up, so that one refusal does not stop the stream.
 *
 * The grant (rights.h) names the messages that a session may send; hello.h sets it after Hello.
 * When its token ends, a session may for SV_REAUTH_NS still send Hello with a new token, and Leave,
 * Ping and Ack.  A Hello with a new token may also come earlier.
 */
#ifndef SERVER_SESSION_SESSION_H
#define SERVER_SESSION_SESSION_H

#include "proto/codec.h"
#include "server/base/limits.h"
#include "server/base/rate.h"
#include "server/base/role_rates.h"
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
    const struct sv_grant *grant; /* its rights; none before its Hello was answered */
    bool owns_grant;       /* else it shares one that never ends */
    uint64_t opened_ns;
    uint64_t next_seq;
    bool keep; /* the session stays when its connection dies */
    uint8_t resume_key[DD_KEPT_KEY_SIZE]; /* for its resume tokens; zeros: it has none */
    uint32_t resume_serial; /* of the last token sent */
    bool is_restored; /* from before a restart of the daemon, which may have sent later tokens */
    /* The subscription, which also holds in the next worlds. */
    bool contacts, energy, actions, attributes;
    enum wire_mode mode;
    uint32_t physics; /* mode DEEDS: of the client's engine */
    uint32_t rate_hz;      /* 0: as many ticks as it can take */
    uint32_t contact_rate_hz; /* 0: a ContactFrame with every tick */
    uint32_t bytes_per_second; /* 0: no limit */
    struct wire_interest *interest; /* its own; NULL: the whole world */
    bool is_said_again;    /* the last Subscribe was equal to the one before */
    bool is_contact_new;   /* it asks for contacts in another way than the one before */
    uint64_t ack_tick;     /* the last tick that it acknowledged in this world */
    unsigned message_rate; /* messages a second that the daemon accepts of one session */
    struct sv_rate rate;   /* of messages */
    struct sv_rate query_rate;
    struct sv_rate say_rate;
    struct sv_rate refusals;      /* refusals for exceeding the rate */
    uint64_t strikes_ns[SV_RATE_STRIKES_MAX - 1]; /* when the last strikes began; newest first */
    int strike_count;             /* strikes so far, at most the size of strikes_ns */
    const char *replay_of;        /* from sv_replay_of; set before each sv_session_admit */
    unsigned say_most;            /* messages a second to others that the daemon accepts */
    const struct sv_role_rates *role_rates; /* NULL: every role has the same */
    bool may_observers_say;       /* the daemon lets observers send messages to members */
    bool is_renewing;             /* the last admitted Hello was not the first */
    bool is_end_told;             /* it was informed that its token has expired */
    int decode_strikes;
};

enum sv_verdict {
    SV_ADMIT,
    SV_IGNORE,
    SV_REJECT, /* the message is refused with *error; the session continues */
    SV_CLOSE,  /* the session is closed with *error and *close_code */
};

/* Its message_rate is SV_MESSAGE_RATE until the caller sets another one. */
void sv_session_init(struct sv_session *session, uint64_t id, uint64_t now_ns);

void sv_session_finish(struct sv_session *session);

/* Copies the grant; false without memory: it keeps the grant that it had. */
bool sv_session_set_grant(struct sv_session *session, const struct sv_grant *grant);

/*
 * Messages a second that it may send: the smaller of the token's number and that of its role, which
 * is message_rate unless role_rates has another.
 */
unsigned sv_session_message_rate(const struct sv_session *session);

/* Handles a decoded message; on ADMIT the session is in its new state.  See sv_rights_admit. */
enum sv_verdict sv_session_admit(struct sv_session *session,
    struct wire_client_message *message, uint64_t now_ns, struct wire_error *error,
    uint16_t *close_code);

/* Handles a message that the codec refused or could not read; *error is from the codec. */
enum sv_verdict sv_session_refuse(struct sv_session *session, enum wire_decode_result result,
    const struct wire_client_message *message, uint64_t now_ns, uint16_t *close_code);

/* Whether the client has not sent its Hello in time. */
bool sv_session_is_overdue(const struct sv_session *session, uint64_t now_ns);

#endif
