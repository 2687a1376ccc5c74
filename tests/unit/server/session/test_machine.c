/*
 * test_machine.c: the session's state machine and the rights of roles as whole tables: every
 * message in every state, every fork, lease and subscription, against what WIRE.md says of them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "server/base/limits.h"
#include "server/host/fork.h"
#include "server/session/rights.h"
#include "server/session/session.h"

#include <stdio.h>
#include <string.h>

#define STATES 4
#define STATE_OF(c) ((c) == 'N' ? SV_SESSION_NEW : (c) == 'R' ? SV_SESSION_READY                   \
        : (c) == 'G' ? SV_SESSION_JOINING : SV_SESSION_JOINED)
#define CLOSED_BY_PROTOCOL 1002

static struct wire_error error;
static uint16_t close_code;

static struct sv_session
session_in(enum sv_session_state state)
{
    struct sv_session session;
    sv_session_init(&session, 1, 0);
    const struct sv_grant open = sv_grant_open();
    assert_true(sv_session_set_grant(&session, &open));
    session.state = state;
    session.next_seq = 5;
    session.ack_tick = 77;
    return session;
}

static enum sv_verdict
say(struct sv_session *session, struct wire_client_message *message)
{
    memset(&error, 0, sizeof(error));
    close_code = 0;
    return sv_session_admit(session, message, 0, &error, &close_code);
}

/*
 * A message, what comes of it in the states new, ready, joining and joined (Admit, Ignore, Reject,
 * Close), and the state after it (New, Ready, joininG, Joined).
 */
static const struct row {
    const char *name;
    struct wire_client_message message;
    char verdict[STATES + 1], after[STATES + 1];
} rows[] = {
    {"hello", {.kind = WIRE_CLIENT_HELLO, .hello = {.version = WIRE_VERSION}}, "ARRR", "RRGJ"},
    {"join", {.kind = WIRE_CLIENT_JOIN, .join_world = "w"}, "CAAA", "NGGG"},
    {"leave", {.kind = WIRE_CLIENT_LEAVE}, "CRAA", "NRRR"},
    {"input", {.kind = WIRE_CLIENT_INPUT, .input = {.seq = 5}}, "CRRA", "NRGJ"},
    {"seen input", {.kind = WIRE_CLIENT_INPUT, .input = {.seq = 4}}, "CRRI", "NRGJ"},
    {"far input", {.kind = WIRE_CLIENT_INPUT, .input = {.seq = 6}}, "CRRR", "NRGJ"},
    {"input 0", {.kind = WIRE_CLIENT_INPUT, .input = {.seq = 0}}, "CRRR", "NRGJ"},
    {"subscribe", {.kind = WIRE_CLIENT_SUBSCRIBE}, "CAAA", "NRGJ"},
    {"ack", {.kind = WIRE_CLIENT_ACK, .ack_tick = 99}, "CIIA", "NRGJ"},
    {"ping", {.kind = WIRE_CLIENT_PING}, "CAAA", "NRGJ"},
    {"list", {.kind = WIRE_CLIENT_CONTROL, .control = {.kind = WIRE_CONTROL_LIST}},
        "CAAA", "NRGJ"},
    {"create", {.kind = WIRE_CLIENT_CONTROL, .control = {.kind = WIRE_CONTROL_CREATE}},
        "CAAA", "NRGJ"},
    {"remove", {.kind = WIRE_CLIENT_CONTROL, .control = {.kind = WIRE_CONTROL_REMOVE}},
        "CAAA", "NRGJ"},
    {"load", {.kind = WIRE_CLIENT_CONTROL, .control = {.kind = WIRE_CONTROL_LOAD}},
        "CRAA", "NRGJ"},
    {"pause", {.kind = WIRE_CLIENT_CONTROL, .control = {.kind = WIRE_CONTROL_PAUSE}},
        "CRAA", "NRGJ"},
    {"step", {.kind = WIRE_CLIENT_CONTROL, .control = {.kind = WIRE_CONTROL_STEP}},
        "CRAA", "NRGJ"},
    {"settings", {.kind = WIRE_CLIENT_CONTROL, .control = {.kind = WIRE_CONTROL_SETTINGS}},
        "CRAA", "NRGJ"},
    {"lease", {.kind = WIRE_CLIENT_LEASE, .lease = {.request = 1}}, "CRRA", "NRGJ"},
    {"lease 0", {.kind = WIRE_CLIENT_LEASE, .lease = {.request = 0}}, "CRRR", "NRGJ"},
    {"fork of this", {.kind = WIRE_CLIENT_FORK, .fork = {.request = 1}}, "CRAA", "NRGJ"},
    {"fork of one", {.kind = WIRE_CLIENT_FORK, .fork = {.request = 1, .world = "w"}},
        "CAAA", "NRGJ"},
    {"seek", {.kind = WIRE_CLIENT_SEEK}, "CRRA", "NRGJ"},
    {"query", {.kind = WIRE_CLIENT_QUERY, .query = {.request = 1}}, "CRRA", "NRGJ"},
    {"say", {.kind = WIRE_CLIENT_SAY}, "CRRA", "NRGJ"},
    {"logic", {.kind = WIRE_CLIENT_LOGIC}, "CRRA", "NRGJ"},
    {"logic done", {.kind = WIRE_CLIENT_LOGIC_DONE}, "CIIA", "NRGJ"},
    {"query 0", {.kind = WIRE_CLIENT_QUERY, .query = {.request = 0}}, "CRRR", "NRGJ"},
};

static void
test_every_message_in_every_state(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        for (int k = 0; k < STATES; k++) {
            struct sv_session session = session_in(STATE_OF("NRGJ"[k]));
            struct wire_client_message message = rows[i].message;
            enum sv_verdict verdict = say(&session, &message);
            char found = "AIRC"[verdict];
            if (found != rows[i].verdict[k] || session.state != STATE_OF(rows[i].after[k])) {
                fail_msg("%s in state %c: %c and state %d, not %c and %c", rows[i].name,
                    "NRGJ"[k], found, (int)session.state, rows[i].verdict[k], rows[i].after[k]);
            }
            bool is_refused = found == 'R' || found == 'C';
            assert_int_equal(error.code[0] != '\0', is_refused);
            assert_int_equal(close_code, found == 'C' ? CLOSED_BY_PROTOCOL : 0);
        }
    }
}

/* The session's numbers after a Join, an Ack and an Input. */
static void
test_numbers(void **state)
{
    (void)state;
    struct sv_session session = session_in(SV_SESSION_JOINED);
    struct wire_client_message ack = {.kind = WIRE_CLIENT_ACK, .ack_tick = 99};
    struct wire_client_message join = {.kind = WIRE_CLIENT_JOIN, .join_world = "w"};
    struct wire_client_message input = {.kind = WIRE_CLIENT_INPUT, .input = {.seq = 5}};
    say(&session, &ack);
    assert_int_equal(session.ack_tick, 99);
    say(&session, &input);
    assert_int_equal(session.next_seq, 6);
    say(&session, &join);
    assert_int_equal(session.ack_tick, 0); /* another world's ticks */
    assert_int_equal(session.next_seq, 1);
    say(&session, &ack);
    assert_int_equal(session.ack_tick, 0);
}

/*
 * Before Hello an unreadable message closes the session; later it is refused, and too many close
 * it.
 */
static void
test_unreadable(void **state)
{
    (void)state;
    struct wire_client_message message = {.kind = WIRE_CLIENT_INPUT, .input = {.seq = 5}};
    struct sv_session session = session_in(SV_SESSION_NEW);
    close_code = 0;
    assert_int_equal(sv_session_refuse(&session, WIRE_DECODE_REFUSED, &message, 0, &close_code),
        SV_CLOSE);
    assert_int_equal(close_code, CLOSED_BY_PROTOCOL);
    session = session_in(SV_SESSION_JOINED);
    assert_int_equal(sv_session_refuse(&session, WIRE_DECODE_REFUSED, &message, 0, &close_code),
        SV_REJECT);
    assert_int_equal(session.next_seq, 6); /* its number is used up */
    for (int i = 0; i < SV_DECODE_STRIKES_MAX; i++) {
        assert_int_equal(sv_session_refuse(&session, WIRE_DECODE_BAD, &message, 0, &close_code),
            SV_REJECT);
    }
    assert_int_equal(
        sv_session_refuse(&session, WIRE_DECODE_BAD, &message, 0, &close_code), SV_CLOSE);
    assert_int_equal(session.next_seq, 6);
}

/* The session keeps the name and `keep` of a Hello; a Hello of another version closes it. */
static void
test_hello(void **state)
{
    (void)state;
    for (int keep = 0; keep < 2; keep++) {
        struct sv_session session = session_in(SV_SESSION_NEW);
        struct wire_client_message hello = {.kind = WIRE_CLIENT_HELLO,
            .hello = {.version = WIRE_VERSION, .name = "ann", .keep = keep == 1}};
        assert_int_equal(say(&session, &hello), SV_ADMIT);
        assert_int_equal(session.keep, keep);
        assert_string_equal(session.name, "ann");
        session = session_in(SV_SESSION_NEW);
        hello.hello.version = WIRE_VERSION + 1;
        assert_int_equal(say(&session, &hello), SV_CLOSE);
        assert_string_equal(error.code, "VERSION");
        assert_int_equal(close_code, CLOSED_BY_PROTOCOL);
        assert_int_equal(session.state, SV_SESSION_NEW);
    }
}

/* Its token ends after a second. */
static void
end_grant(struct sv_session *session)
{
    struct sv_grant grant = *session->grant;
    grant.expires_ns = SV_NS_PER_S;
    assert_true(sv_session_set_grant(session, &grant));
}

/*
 * For a while after its token's end a client may send Ping, Ack, Leave, or a Hello with a new
 * token.
 */
static void
test_ended_token(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct sv_session session = session_in(SV_SESSION_JOINED);
        struct wire_client_message message = rows[i].message;
        enum wire_client_kind kind = message.kind;
        end_grant(&session);
        bool is_done = kind == WIRE_CLIENT_HELLO || kind == WIRE_CLIENT_LEAVE ||
            kind == WIRE_CLIENT_PING || kind == WIRE_CLIENT_ACK;
        memset(&error, 0, sizeof(error));
        enum sv_verdict verdict =
            sv_session_admit(&session, &message, SV_NS_PER_S, &error, &close_code);
        assert_int_equal(strcmp(error.code, "EXPIRED") == 0 && verdict == SV_REJECT,
            !is_done);
        message = rows[i].message;
        sv_session_finish(&session);
        session = session_in(SV_SESSION_JOINED);
        end_grant(&session);
        verdict = sv_session_admit(
            &session, &message, SV_NS_PER_S + SV_REAUTH_NS, &error, &close_code);
        assert_int_equal(verdict, SV_CLOSE);
        sv_session_finish(&session);
    }
}

/* The session keeps every field of a subscription, and a change of any field makes a new one. */
static void
test_subscriptions(void **state)
{
    enum { FIELDS = 9 };
    (void)state;
    for (int field = 0; field < FIELDS; field++) {
        struct sv_session session = session_in(SV_SESSION_JOINED);
        struct wire_client_message message = {.kind = WIRE_CLIENT_SUBSCRIBE};
        message.subscribe.rate_hz = 20;
        assert_int_equal(say(&session, &message), SV_ADMIT);
        assert_false(session.is_said_again);
        assert_int_equal(say(&session, &message), SV_ADMIT);
        assert_true(session.is_said_again);
        message.subscribe.contacts = field == 1;
        message.subscribe.energy = field == 2;
        message.subscribe.actions = field == 3;
        message.subscribe.mode = field == 4 ? WIRE_MODE_RAW : WIRE_MODE_QUANTISED;
        message.subscribe.rate_hz = field == 5 ? 21 : 20;
        message.subscribe.bytes_per_second = field == 6 ? 1000 : 0;
        message.subscribe.interest.is_part = field >= 7;
        message.subscribe.interest.body = field == 8 ? 1 : 0;
        for (int again = 0; again < 2; again++) {
            assert_int_equal(say(&session, &message), SV_ADMIT);
            assert_int_equal(session.is_said_again, field == 0 || again == 1);
            assert_int_equal(session.contacts, field == 1);
            assert_int_equal(session.energy, field == 2);
            assert_int_equal(session.actions, field == 3);
            assert_int_equal(session.mode, field == 4 ? WIRE_MODE_RAW : WIRE_MODE_QUANTISED);
            assert_int_equal(session.rate_hz, field == 5 ? 21 : 20);
            assert_int_equal(session.bytes_per_second, field == 6 ? 1000 : 0);
            assert_int_equal(session.interest != NULL, field >= 7);
            assert_true(field < 7 || session.interest->body == (field == 8 ? 1 : 0));
        }
        sv_session_finish(&session);
    }
}

/* A burst of queries, then a rate; each refusal has the time for a retry. */
static void
test_rate_of_queries(void **state)
{
    (void)state;
    struct sv_session session = session_in(SV_SESSION_JOINED);
    struct wire_client_message message = {.kind = WIRE_CLIENT_QUERY, .query = {.request = 1}};
    uint64_t now_ns = 0;
    int admitted = 0;
    while (say(&session, &message) == SV_ADMIT) {
        admitted++;
    }
    assert_int_equal(admitted, SV_QUERY_BURST);
    assert_string_equal(error.code, "RATE");
    assert_int_equal(error.retry_ms, 1 + 1000 / SV_QUERY_RATE);
    for (admitted = 0; now_ns < 2 * SV_NS_PER_S; now_ns += 5 * SV_NS_PER_MS) {
        admitted += sv_session_admit(&session, &message, now_ns, &error, &close_code) == SV_ADMIT;
    }
    assert_in_range(admitted, 2 * SV_QUERY_RATE - 1, 2 * SV_QUERY_RATE + 1);
}

/* ---- rights ---- */

static const enum ac_role roles[] = {
    AC_ROLE_NONE, AC_ROLE_OBSERVER, AC_ROLE_PLAYER, AC_ROLE_INSTRUCTOR, AC_ROLE_OPERATOR};

static void
test_leases(void **state)
{
    (void)state;
    assert_int_equal(sv_rights_of_lease(WIRE_LEASE_ACQUIRE), AC_ROLE_PLAYER);
    assert_int_equal(sv_rights_of_lease(WIRE_LEASE_RELEASE), AC_ROLE_PLAYER);
    assert_int_equal(sv_rights_of_lease(WIRE_LEASE_OVERRIDE), AC_ROLE_INSTRUCTOR);
    assert_int_equal(sv_rights_of_lease(WIRE_LEASE_REVOKE), AC_ROLE_INSTRUCTOR);
    assert_int_equal(sv_rights_of_lease(WIRE_LEASE_CAP), AC_ROLE_INSTRUCTOR);
}

/* Each role covers itself and lower ones; no role covers no other role, and is covered by none. */
static void
test_roles(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++) {
        for (int k = 1; k < 5; k++) {
            struct sv_grant grant = {.role = roles[i], .world = "*"};
            memset(&error, 0, sizeof(error));
            assert_int_equal(sv_role_covers(roles[i], roles[k]), i >= k);
            assert_int_equal(sv_grant_covers(&grant, roles[k], &error), i >= k);
            assert_int_equal(strcmp(error.code, "RIGHTS") == 0, i < k);
            if (i < k) {
                assert_non_null(strstr(error.text, ac_role_name(roles[k])));
                assert_non_null(strstr(error.text, i > 0 ? ac_role_name(roles[i]) : "none"));
            }
        }
    }
}

/* The role logic is apart: it sees worlds and is a logic; only operators can be one, too. */
static void
test_logic(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++) {
        assert_int_equal(sv_role_covers(AC_ROLE_LOGIC, roles[i]), roles[i] == AC_ROLE_OBSERVER);
        assert_int_equal(sv_role_covers(roles[i], AC_ROLE_LOGIC), roles[i] == AC_ROLE_OPERATOR);
    }
    assert_true(sv_role_covers(AC_ROLE_LOGIC, AC_ROLE_LOGIC));
    assert_int_equal(sv_rights_of_message(WIRE_CLIENT_LOGIC), AC_ROLE_LOGIC);
    assert_int_equal(sv_rights_of_message(WIRE_CLIENT_LOGIC_DONE), AC_ROLE_LOGIC);
    struct sv_session session = session_in(SV_SESSION_JOINED);
    const struct sv_grant grant = {.role = AC_ROLE_LOGIC, .world = "*"};
    assert_true(sv_session_set_grant(&session, &grant));
    assert_int_equal(sv_session_message_rate(&session), SV_LOGIC_MESSAGE_RATE);
    struct wire_client_message message = {.kind = WIRE_CLIENT_INPUT, .input = {.seq = 5}};
    assert_int_equal(say(&session, &message), SV_REJECT);
    assert_string_equal(error.code, "RIGHTS");
    message = (struct wire_client_message){.kind = WIRE_CLIENT_SAY};
    for (int i = 0; i < 10 * SV_SAY_RATE; i++) { /* its messages have no rate of their own */
        assert_int_equal(say(&session, &message), SV_ADMIT);
    }
    sv_session_finish(&session);
}

/* Rates of single roles hold instead of those of all; a token may allow fewer. */
static void
test_role_rates(void **state)
{
    (void)state;
    struct sv_role_rates rates = {0};
    static const char *const bad[] = {"", "player", "player=", "player=0", "player=100001",
        "player=5/", "player=5/0", "player=5/2001", "player=5/3/2", "player=5x", "player=-5",
        "nobody=5", "=5", "playerplayerplayer=5", "player= 5"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_false(sv_role_rates_add(&rates, bad[i]));
    }
    assert_true(sv_role_rates_add(&rates, "player=1000/7"));
    assert_true(sv_role_rates_add(&rates, "logic=100000/2000"));
    assert_int_equal(rates.messages[AC_ROLE_PLAYER], 1000);
    assert_int_equal(rates.says[AC_ROLE_PLAYER], 7);
    assert_int_equal(rates.messages[AC_ROLE_OBSERVER], 0);
    static const struct {
        enum ac_role role;
        unsigned own, expected;
    } cases[] = {{AC_ROLE_OBSERVER, 0, SV_MESSAGE_RATE}, {AC_ROLE_PLAYER, 0, 1000},
        {AC_ROLE_PLAYER, 20, 20}, {AC_ROLE_PLAYER, 500, 500}, {AC_ROLE_PLAYER, 5000, 1000},
        {AC_ROLE_LOGIC, 0, 100000}, {AC_ROLE_LOGIC, 9, 9}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct sv_session session = session_in(SV_SESSION_JOINED);
        session.role_rates = &rates;
        const struct sv_grant grant = {
            .role = cases[i].role, .world = "*", .limits.messages = cases[i].own};
        assert_true(sv_session_set_grant(&session, &grant));
        assert_int_equal(sv_session_message_rate(&session), cases[i].expected);
        sv_session_finish(&session);
    }
    struct sv_session session = session_in(SV_SESSION_JOINED);
    const struct sv_grant grant = {.role = AC_ROLE_PLAYER, .world = "*"};
    struct wire_client_message message = {.kind = WIRE_CLIENT_SAY};
    session.role_rates = &rates;
    assert_true(sv_session_set_grant(&session, &grant));
    int admitted = 0;
    while (say(&session, &message) == SV_ADMIT) {
        admitted++;
    }
    assert_int_equal(admitted, 14);
    sv_session_finish(&session);
}

/* A burst of messages to others, then a rate; observers send none unless the daemon lets them. */
static void
test_rate_of_says(void **state)
{
    (void)state;
    struct sv_session session = session_in(SV_SESSION_JOINED);
    struct wire_client_message message = {.kind = WIRE_CLIENT_SAY};
    session.say_most = 5;
    int admitted = 0;
    while (say(&session, &message) == SV_ADMIT) {
        admitted++;
    }
    assert_int_equal(admitted, 10);
    assert_string_equal(error.code, "RATE");
    assert_int_equal(error.retry_ms, 201);
    session = session_in(SV_SESSION_JOINED);
    const struct sv_grant grant = {.role = AC_ROLE_OBSERVER, .world = "*"};
    assert_true(sv_session_set_grant(&session, &grant));
    assert_int_equal(say(&session, &message), SV_REJECT);
    assert_string_equal(error.code, "RIGHTS");
    session.may_observers_say = true;
    assert_int_equal(say(&session, &message), SV_ADMIT);
}

/*
 * The roles that may fork a past, and those that may only replay it.  The token must name the world
 * and the new id.
 */
static void
test_forks(void **state)
{
    static const char *const ids[] = {"", "lab-1", "other"};
    (void)state;
    for (int i = 1; i < 5; i++) {
        for (int bits = 0; bits < 18; bits++) {
            struct sv_grant grant = {.role = roles[i], .world = "lab-*"};
            struct wire_fork fork = {.request = 1, .replay = bits % 2 == 1};
            int world = bits / 2 % 3, id = bits / 6;
            snprintf(fork.world, sizeof(fork.world), "%s", ids[world]);
            snprintf(fork.id, sizeof(fork.id), "%s", ids[id]);
            memset(&error, 0, sizeof(error));
            bool may = (fork.replay || roles[i] == AC_ROLE_INSTRUCTOR ||
                           roles[i] == AC_ROLE_OPERATOR) && world != 2 && id != 2;
            assert_int_equal(sv_rights_fork(&grant, &fork, &error), may);
            assert_int_equal(strcmp(error.code, "RIGHTS") == 0, !may);
        }
    }
}

/* A fork without an id must get an id of the token's pattern; a replay may keep its default id. */
static void
test_names_of_forks(void **state)
{
    static const struct {
        const char *pattern, *id;
        bool each, replay, may, may_replay;
    } cases[] = {
        {"*", "", false, false, true, true},
        {"lab*", "", false, false, true, true},
        {"lab", "", false, false, false, true},
        {"other*", "", false, false, false, true},
        {"lab*", "mine", false, false, false, false},
        {"mine", "mine", false, false, true, true},
        {"mine-1", "mine", true, false, false, false},
        {"mine-*", "mine", true, false, true, true},
        {"lab-*", "", true, false, true, true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct sv_grant grant = {.role = AC_ROLE_INSTRUCTOR};
        struct wire_fork fork = {.request = 1, .each = cases[i].each};
        snprintf(grant.world, sizeof(grant.world), "%s", cases[i].pattern);
        snprintf(fork.id, sizeof(fork.id), "%s", cases[i].id);
        memset(&error, 0, sizeof(error));
        assert_int_equal(sv_rights_fork_name(&grant, &fork, "lab", &error), cases[i].may);
        assert_int_equal(strcmp(error.code, "RIGHTS") == 0, !cases[i].may);
        fork.replay = true;
        assert_int_equal(sv_rights_fork_name(&grant, &fork, "lab", &error), cases[i].may_replay);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_message_in_every_state),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_unreadable),
        cmocka_unit_test(test_hello),
        cmocka_unit_test(test_ended_token),
        cmocka_unit_test(test_subscriptions),
        cmocka_unit_test(test_rate_of_queries),
        cmocka_unit_test(test_leases),
        cmocka_unit_test(test_roles),
        cmocka_unit_test(test_logic),
        cmocka_unit_test(test_rate_of_says),
        cmocka_unit_test(test_role_rates),
        cmocka_unit_test(test_forks),
        cmocka_unit_test(test_names_of_forks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
