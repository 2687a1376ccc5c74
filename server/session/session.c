#include "server/session/session.h"

#include "engine/base/assert.h"
#include "server/base/limits.h"
#include "server/session/rights.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define CLOSE_PROTOCOL 1002
#define CLOSE_DATA 1007
#define CLOSE_POLICY 1008

void
sv_session_init(struct sv_session *session, uint64_t id, uint64_t now_ns)
{
    memset(session, 0, sizeof(*session));
    session->id = id;
    session->state = SV_SESSION_NEW;
    session->opened_ns = now_ns;
    session->next_seq = 1;
    session->message_rate = SV_MESSAGE_RATE;
    session->say_most = SV_SAY_RATE;
    struct sv_grant none = {.role = AC_ROLE_NONE};
    bool is_set = sv_session_set_grant(session, &none);
    CN_ASSERT(is_set && !session->owns_grant);
}

void
sv_session_finish(struct sv_session *session)
{
    struct sv_grant none = {.role = AC_ROLE_NONE};
    (void)sv_session_set_grant(session, &none);
    free(session->interest);
    session->interest = NULL;
}

/* The same grant for all sessions that have it; NULL: it is not one of those without a token. */
static const struct sv_grant *
find_shared_grant(const struct sv_grant *grant)
{
    static const struct sv_grant none = {.role = AC_ROLE_NONE};
    static const struct sv_grant open[] = {
#define X(NAME, number, name, text) {.role = AC_ROLE_##NAME, .world = "*"},
        AC_ROLE_TABLE(X)
#undef X
    };
    if (sv_grant_is_equal(grant, &none)) {
        return &none;
    }
    for (size_t i = 0; i < sizeof(open) / sizeof(open[0]); i++) {
        if (sv_grant_is_equal(grant, &open[i])) {
            return &open[i];
        }
    }
    return NULL;
}

bool
sv_session_set_grant(struct sv_session *session, const struct sv_grant *grant)
{
    const struct sv_grant *shared = find_shared_grant(grant);
    struct sv_grant *own = shared == NULL ? malloc(sizeof(*own)) : NULL;
    if (shared == NULL && own == NULL) {
        return false;
    }
    if (own != NULL) {
        *own = *grant;
    }
    if (session->owns_grant) {
        free((void *)(uintptr_t)session->grant); /* const for all others */
    }
    session->owns_grant = own != NULL;
    session->grant = own != NULL ? own : shared;
    return true;
}

bool
sv_session_is_overdue(const struct sv_session *session, uint64_t now_ns)
{
    return session->state == SV_SESSION_NEW &&
        now_ns - session->opened_ns > SV_HELLO_DURATION_NS;
}

unsigned
sv_session_message_rate(const struct sv_session *session)
{
    unsigned own = session->grant->limits.messages;
    enum ac_role role = session->grant->role;
    unsigned most = session->role_rates != NULL ? session->role_rates->messages[role] : 0;
    if (role == AC_ROLE_LOGIC && own == 0) {
        return most > 0 ? most : SV_LOGIC_MESSAGE_RATE;
    }
    most = most > 0 ? most : session->message_rate;
    return own > 0 && own < most ? own : most;
}

/* Records a strike, unless one has just begun.  True: it is the strike that closes the session. */
static bool
is_struck_out(struct sv_session *session, uint64_t now_ns)
{
    uint64_t *strikes_ns = session->strikes_ns;
    const int kept = SV_RATE_STRIKES_MAX - 1;
    CN_ASSERT(session->strike_count >= 0 && session->strike_count <= kept);
    if (session->strike_count > 0 && now_ns - strikes_ns[0] < SV_RATE_STRIKE_NS) {
        return false; /* it belongs to the same strike */
    }
    bool is_last =
        session->strike_count == kept && now_ns - strikes_ns[kept - 1] <= SV_RATE_STRIKES_NS;
    memmove(strikes_ns + 1, strikes_ns, (size_t)(kept - 1) * sizeof(strikes_ns[0]));
    strikes_ns[0] = now_ns;
    session->strike_count += session->strike_count < kept ? 1 : 0;
    return is_last;
}

/*
 * Takes a rate token for a message.  If none is available the message is refused, and after several
 * refusals the session is closed.
 */
static enum sv_verdict
check_rate(struct sv_session *session, uint64_t now_ns, uint16_t *close_code)
{
    uint64_t rate = sv_session_message_rate(session);
    CN_ASSERT(rate > 0);
    if (sv_rate_take(&session->rate, now_ns, SV_NS_PER_S / rate, 2 * rate)) {
        return SV_ADMIT;
    }
    bool is_borne = sv_rate_take(&session->refusals, now_ns,
        SV_RATE_STRIKES_NS / SV_RATE_REFUSALS_MAX, SV_RATE_REFUSALS_MAX);
    if (is_borne && !is_struck_out(session, now_ns)) {
        return SV_REJECT;
    }
    *close_code = CLOSE_POLICY;
    return SV_CLOSE;
}

static void
refuse_rate(const struct sv_session *session, uint64_t now_ns, struct wire_error *error)
{
    unsigned rate = sv_session_message_rate(session);
    wire_error_set(error, "RATE", "", "more than %u messages a second", rate);
    uint64_t wait_ns = sv_rate_wait_ns(&session->rate, now_ns, SV_NS_PER_S / rate, 2 * rate);
    error->retry_ms = (uint32_t)(wait_ns / SV_NS_PER_MS) + 1;
}

/* Refuses messages after the access token has expired, except a few kinds. */
static enum sv_verdict
check_end(const struct sv_session *session, const struct wire_client_message *message,
    uint64_t now_ns, struct wire_error *error, uint16_t *close_code)
{
    const struct sv_grant *grant = session->grant;
    if (!sv_grant_is_over(grant, now_ns)) {
        return SV_ADMIT;
    }
    wire_error_set(error, "EXPIRED", "", "the token has expired");
    if (now_ns - grant->expires_ns >= SV_REAUTH_NS) {
        *close_code = CLOSE_POLICY;
        return SV_CLOSE;
    }
    bool is_still_done = message->kind == WIRE_CLIENT_HELLO ||
        message->kind == WIRE_CLIENT_LEAVE || message->kind == WIRE_CLIENT_PING ||
        message->kind == WIRE_CLIENT_ACK;
    return is_still_done ? SV_ADMIT : SV_REJECT;
}

static void
use_number(struct sv_session *session, const struct wire_client_message *message)
{
    if (message->kind == WIRE_CLIENT_INPUT && message->input.seq == session->next_seq) {
        session->next_seq++;
    }
}

static enum sv_verdict
refuse_state(struct wire_error *error, const char *text)
{
    wire_error_set(error, "STATE", "", "%s", text);
    return SV_REJECT;
}

static enum sv_verdict
admit_hello(struct sv_session *session, const struct wire_hello *hello, struct wire_error *error,
    uint16_t *close_code)
{
    if (hello->version != WIRE_VERSION) {
        wire_error_set(error, "VERSION", "hello.version", "is %u; %d is spoken", hello->version,
            WIRE_VERSION);
        *close_code = CLOSE_PROTOCOL;
        return SV_CLOSE;
    }
    session->is_renewing = session->state != SV_SESSION_NEW;
    if (session->is_renewing) { /* only its token is new */
        return hello->token != NULL ? SV_ADMIT : refuse_state(error, "Hello has been said");
    }
    CN_ASSERT(session->state == SV_SESSION_NEW);
    memcpy(session->name, hello->name, sizeof(session->name));
    session->keep = hello->keep;
    session->state = SV_SESSION_READY;
    return SV_ADMIT;
}

static enum sv_verdict
admit_input(
    struct sv_session *session, const struct wire_input *input, struct wire_error *error)
{
    if (session->state != SV_SESSION_JOINED) {
        return refuse_state(error, "an input wants a world; wait for Joined");
    }
    if (input->seq > 0 && input->seq < session->next_seq) {
        return SV_IGNORE;
    }
    if (input->seq != session->next_seq) {
        wire_error_set(error, "SEQ", "input.seq", "is %" PRIu64 "; the next is %" PRIu64,
            input->seq, session->next_seq);
        return SV_REJECT;
    }
    session->next_seq++;
    return SV_ADMIT;
}

static enum sv_verdict
admit_control(
    struct sv_session *session, const struct wire_control *control, struct wire_error *error)
{
    bool wants_world = control->kind != WIRE_CONTROL_LIST &&
        control->kind != WIRE_CONTROL_CREATE && control->kind != WIRE_CONTROL_REMOVE;
    if (wants_world && session->state == SV_SESSION_READY) {
        return refuse_state(error, "this control wants a world; join one first");
    }
    return SV_ADMIT;
}

static enum sv_verdict
admit_lease(
    struct sv_session *session, const struct wire_lease *lease, struct wire_error *error)
{
    if (session->state != SV_SESSION_JOINED) {
        return refuse_state(error, "a lease wants a world; wait for Joined");
    }
    if (lease->request == 0) {
        wire_error_set(error, "FIELD", "lease.request", "is 0; a lease has a number of its own");
        return SV_REJECT;
    }
    return SV_ADMIT;
}

static enum sv_verdict
admit_subscribe(struct sv_session *session, const struct wire_client_message *message,
    struct wire_error *error)
{
    static const struct wire_interest whole;
    const struct wire_interest *wanted = &message->subscribe.interest;
    struct wire_interest *interest = wanted->is_part ? malloc(sizeof(*interest)) : NULL;
    if (wanted->is_part && interest == NULL) {
        wire_error_set(error, "MEMORY", "subscribe.interest", "no memory");
        return SV_REJECT;
    }
    session->is_said_again = session->mode == message->subscribe.mode &&
        session->rate_hz == message->subscribe.rate_hz &&
        session->contact_rate_hz == message->subscribe.contact_rate_hz &&
        session->contacts == message->subscribe.contacts &&
        session->energy == message->subscribe.energy &&
        session->actions == message->subscribe.actions &&
        session->attributes == message->subscribe.attributes &&
        session->physics == message->subscribe.physics &&
        session->bytes_per_second == message->subscribe.bytes_per_second &&
        wire_interest_is_equal(
            session->interest != NULL ? session->interest : &whole, wanted);
    session->is_contact_new = session->contacts != message->subscribe.contacts ||
        session->contact_rate_hz != message->subscribe.contact_rate_hz;
    session->contacts = message->subscribe.contacts;
    session->energy = message->subscribe.energy;
    session->actions = message->subscribe.actions;
    session->attributes = message->subscribe.attributes;
    session->mode = message->subscribe.mode;
    session->physics = message->subscribe.physics;
    session->rate_hz = message->subscribe.rate_hz;
    session->contact_rate_hz = message->subscribe.contact_rate_hz;
    session->bytes_per_second = message->subscribe.bytes_per_second;
    free(session->interest);
    session->interest = interest;
    if (interest != NULL) {
        *interest = *wanted;
    }
    return SV_ADMIT;
}

static enum sv_verdict
admit_query(struct sv_session *session, uint32_t request, uint64_t now_ns,
    struct wire_error *error)
{
    if (session->state != SV_SESSION_JOINED) {
        return refuse_state(error, "a query wants a world; wait for Joined");
    }
    if (request == 0) {
        wire_error_set(error, "FIELD", "query.request", "is 0; a query has a number of its own");
        return SV_REJECT;
    }
    if (!sv_rate_take(
            &session->query_rate, now_ns, SV_NS_PER_S / SV_QUERY_RATE, SV_QUERY_BURST)) {
        wire_error_set(error, "RATE", "query", "more than %d queries a second", SV_QUERY_RATE);
        error->retry_ms = 1 + 1000 / SV_QUERY_RATE;
        return SV_REJECT;
    }
    return SV_ADMIT;
}

static enum sv_verdict
admit_inside(
    const struct sv_session *session, enum wire_client_kind kind, struct wire_error *error)
{
    if (session->state == SV_SESSION_JOINED) {
        return SV_ADMIT;
    }
    return refuse_state(error, kind == WIRE_CLIENT_SEEK
            ? "a seek wants a replay; wait for Joined"
            : "a logic wants a world; wait for Joined");
}

/* Messages to members and to the logic: not of observers, unless the daemon lets them. */
static enum sv_verdict
admit_say(struct sv_session *session, uint64_t now_ns, struct wire_error *error)
{
    if (session->grant->role == AC_ROLE_OBSERVER && !session->may_observers_say) {
        wire_error_set(error, "RIGHTS", "say", "is for the role player and above; this one is "
            "observer, which this daemon does not let");
        return SV_REJECT;
    }
    if (session->state != SV_SESSION_JOINED) {
        return refuse_state(error, "a message wants a world; wait for Joined");
    }
    enum ac_role role = session->grant->role;
    unsigned own = session->role_rates != NULL ? session->role_rates->says[role] : 0;
    unsigned most = own > 0 ? own : session->say_most;
    CN_ASSERT(most > 0);
    if ((role != AC_ROLE_LOGIC || own > 0) &&
        !sv_rate_take(&session->say_rate, now_ns, SV_NS_PER_S / most, 2 * most)) {
        wire_error_set(error, "RATE", "say", "more than %u messages a second", most);
        error->retry_ms = 1 + 1000 / most;
        return SV_REJECT;
    }
    return SV_ADMIT;
}

enum sv_verdict
sv_session_admit(struct sv_session *session, struct wire_client_message *message,
    uint64_t now_ns, struct wire_error *error, uint16_t *close_code)
{
    CN_ASSERT(session->state <= SV_SESSION_JOINED);
    enum sv_verdict rate = check_rate(session, now_ns, close_code);
    if (rate != SV_ADMIT) {
        refuse_rate(session, now_ns, error);
        use_number(session, message);
        return rate;
    }
    if (session->state == SV_SESSION_NEW && message->kind != WIRE_CLIENT_HELLO) {
        refuse_state(error, "the first message is Hello");
        *close_code = CLOSE_PROTOCOL;
        return SV_CLOSE;
    }
    enum sv_verdict end = check_end(session, message, now_ns, error, close_code);
    if (end != SV_ADMIT) {
        use_number(session, message);
        return end;
    }
    if (message->kind != WIRE_CLIENT_HELLO &&
        !sv_rights_admit(session->grant, message, session->replay_of, error)) {
        use_number(session, message);
        return SV_REJECT;
    }
    switch (message->kind) {
    case WIRE_CLIENT_HELLO:
        return admit_hello(session, &message->hello, error, close_code);
    case WIRE_CLIENT_JOIN:
        session->state = SV_SESSION_JOINING;
        session->next_seq = 1;
        session->ack_tick = 0;
        return SV_ADMIT;
    case WIRE_CLIENT_LEAVE:
        if (session->state == SV_SESSION_READY) {
            return refuse_state(error, "no world is joined");
        }
        session->state = SV_SESSION_READY;
        return SV_ADMIT;
    case WIRE_CLIENT_INPUT:
        return admit_input(session, &message->input, error);
    case WIRE_CLIENT_SUBSCRIBE:
        return admit_subscribe(session, message, error);
    case WIRE_CLIENT_ACK:
        if (session->state != SV_SESSION_JOINED) {
            return SV_IGNORE; /* from the world that was left */
        }
        session->ack_tick = message->ack_tick;
        return SV_ADMIT;
    case WIRE_CLIENT_DESYNC:
    case WIRE_CLIENT_LOGIC_DONE: /* else from the world that was left */
        return session->state == SV_SESSION_JOINED ? SV_ADMIT : SV_IGNORE;
    case WIRE_CLIENT_CONTROL:
        return admit_control(session, &message->control, error);
    case WIRE_CLIENT_LEASE:
        return admit_lease(session, &message->lease, error);
    case WIRE_CLIENT_FORK:
        if (message->fork.world[0] == '\0' && session->state == SV_SESSION_READY) {
            return refuse_state(error, "a fork wants a world; name one, or join it");
        }
        return SV_ADMIT;
    case WIRE_CLIENT_SEEK:
    case WIRE_CLIENT_LOGIC:
        return admit_inside(session, message->kind, error);
    case WIRE_CLIENT_QUERY:
        return admit_query(session, message->query.request, now_ns, error);
    case WIRE_CLIENT_SAY:
        return admit_say(session, now_ns, error);
    default:
        return SV_ADMIT;
    }
}

enum sv_verdict
sv_session_refuse(struct sv_session *session, enum wire_decode_result result,
    const struct wire_client_message *message, uint64_t now_ns, uint16_t *close_code)
{
    CN_ASSERT(result != WIRE_DECODE_OK);
    if (session->state == SV_SESSION_NEW) {
        *close_code = CLOSE_PROTOCOL;
        return SV_CLOSE;
    }
    if (result == WIRE_DECODE_REFUSED) {
        use_number(session, message);
        return check_rate(session, now_ns, close_code) == SV_CLOSE ? SV_CLOSE : SV_REJECT;
    }
    if (session->decode_strikes++ >= SV_DECODE_STRIKES_MAX) {
        *close_code = CLOSE_DATA;
        return SV_CLOSE;
    }
    return SV_REJECT;
}
