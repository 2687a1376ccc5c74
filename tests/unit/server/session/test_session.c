/*
 * test_session.c: who may say what, in which order, how often.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "server/base/limits.h"
#include "server/session/session.h"

#include <string.h>

static struct wire_error error;
static uint16_t close_code;

static enum sv_verdict
say(struct sv_session *session, struct wire_client_message message, uint64_t now_ns)
{
    memset(&error, 0, sizeof(error));
    close_code = 0;
    return sv_session_admit(session, &message, now_ns, &error, &close_code);
}

#define MESSAGE(what) ((struct wire_client_message){.kind = WIRE_CLIENT_##what})
#define INPUT(number)                                                                              \
    ((struct wire_client_message){.kind = WIRE_CLIENT_INPUT, .input = {.seq = (number)}})
#define CONTROL(what)                                                                              \
    ((struct wire_client_message){                                                                 \
        .kind = WIRE_CLIENT_CONTROL, .control = {.kind = WIRE_CONTROL_##what}})

static struct wire_client_message
hello(uint32_t version)
{
    return (struct wire_client_message){
        .kind = WIRE_CLIENT_HELLO, .hello = {.version = version, .name = "ann"}};
}

/* A session that has said Hello, and one that is in a world. */
static void
make_ready(struct sv_session *session)
{
    sv_session_init(session, 1, 0);
    assert_int_equal(say(session, hello(1), 0), SV_ADMIT);
    const struct sv_grant open = sv_grant_open();
    assert_true(sv_session_set_grant(session, &open));
}

static void
make_joined(struct sv_session *session)
{
    make_ready(session);
    assert_int_equal(say(session, MESSAGE(JOIN), 0), SV_ADMIT);
    session->state = SV_SESSION_JOINED;
}

static void
test_hello_comes_first(void **state)
{
    (void)state;
    struct sv_session session;
    sv_session_init(&session, 1, 0);
    assert_int_equal(say(&session, MESSAGE(PING), 0), SV_CLOSE);
    assert_int_equal(close_code, 1002);
    sv_session_init(&session, 1, 0);
    assert_int_equal(say(&session, hello(2), 0), SV_CLOSE);
    assert_string_equal(error.code, "VERSION");
    make_ready(&session);
    assert_string_equal(session.name, "ann");
    assert_int_equal(say(&session, hello(1), 0), SV_REJECT);
    assert_string_equal(error.code, "STATE");
}

static void
test_hello_has_a_deadline(void **state)
{
    (void)state;
    struct sv_session session;
    sv_session_init(&session, 1, 100);
    assert_false(sv_session_is_overdue(&session, 100 + SV_HELLO_DURATION_NS));
    assert_true(sv_session_is_overdue(&session, 101 + SV_HELLO_DURATION_NS));
    make_ready(&session);
    assert_false(sv_session_is_overdue(&session, 1000 * SV_HELLO_DURATION_NS));
}

/* Messages that need a world are rejected before a Join; others are admitted. */
static void
test_states(void **state)
{
    (void)state;
    struct sv_session session;
    make_ready(&session);
    assert_int_equal(say(&session, MESSAGE(LEAVE), 0), SV_REJECT);
    assert_int_equal(say(&session, INPUT(1), 0), SV_REJECT);
    assert_int_equal(say(&session, CONTROL(PAUSE), 0), SV_REJECT);
    assert_int_equal(say(&session, CONTROL(LIST), 0), SV_ADMIT);
    assert_int_equal(say(&session, CONTROL(CREATE), 0), SV_ADMIT);
    assert_int_equal(say(&session, MESSAGE(PING), 0), SV_ADMIT);
    make_joined(&session);
    assert_int_equal(say(&session, CONTROL(PAUSE), 0), SV_ADMIT);
    assert_int_equal(say(&session, MESSAGE(LEAVE), 0), SV_ADMIT);
    assert_int_equal(session.state, SV_SESSION_READY);
}

static void
test_sequence(void **state)
{
    (void)state;
    struct sv_session session;
    make_joined(&session);
    assert_int_equal(say(&session, INPUT(1), 0), SV_ADMIT);
    assert_int_equal(say(&session, INPUT(1), 0), SV_IGNORE);
    assert_int_equal(say(&session, INPUT(3), 0), SV_REJECT);
    assert_string_equal(error.code, "SEQ");
    assert_string_equal(error.text, "is 3; the next is 2");
    assert_int_equal(say(&session, INPUT(0), 0), SV_REJECT);
    assert_int_equal(say(&session, INPUT(UINT64_MAX), 0), SV_REJECT);
    assert_int_equal(say(&session, INPUT(2), 0), SV_ADMIT);
    assert_int_equal(say(&session, MESSAGE(JOIN), 0), SV_ADMIT);
    session.state = SV_SESSION_JOINED;
    assert_int_equal(say(&session, INPUT(1), 0), SV_ADMIT); /* a new stay */
}

/* An input with refused values uses up its own number, and no other one. */
static void
test_refused_input_uses_its_number(void **state)
{
    (void)state;
    struct sv_session session;
    make_joined(&session);
    struct wire_client_message message = INPUT(1);
    assert_int_equal(
        sv_session_refuse(&session, WIRE_DECODE_REFUSED, &message, 0, &close_code), SV_REJECT);
    assert_int_equal(session.next_seq, 2);
    message = INPUT(9);
    assert_int_equal(
        sv_session_refuse(&session, WIRE_DECODE_REFUSED, &message, 0, &close_code), SV_REJECT);
    assert_int_equal(session.next_seq, 2);
}

/* Three undecodable messages are refused, the fourth closes the session. */
static void
test_bad_bytes(void **state)
{
    (void)state;
    struct sv_session session;
    struct wire_client_message nothing = MESSAGE(NONE);
    make_joined(&session);
    for (int i = 0; i < SV_DECODE_STRIKES_MAX; i++) {
        assert_int_equal(
            sv_session_refuse(&session, WIRE_DECODE_BAD, &nothing, 0, &close_code), SV_REJECT);
    }
    assert_int_equal(
        sv_session_refuse(&session, WIRE_DECODE_BAD, &nothing, 0, &close_code), SV_CLOSE);
    assert_int_equal(close_code, 1007);
}

/*
 * After a burst inputs are refused and use up their numbers, then the session is closed.  After a
 * second of silence inputs are admitted again.
 */
static void
test_rate(void **state)
{
    (void)state;
    struct sv_session session;
    sv_session_init(&session, 1, 0);
    session.state = SV_SESSION_JOINED;
    const struct sv_grant open = sv_grant_open();
    assert_true(sv_session_set_grant(&session, &open));
    for (uint64_t i = 1; i <= SV_MESSAGE_BURST; i++) {
        assert_int_equal(say(&session, INPUT(i), 0), SV_ADMIT);
    }
    assert_int_equal(say(&session, INPUT(SV_MESSAGE_BURST + 1), 0), SV_REJECT);
    assert_string_equal(error.code, "RATE");
    assert_int_equal(session.next_seq, SV_MESSAGE_BURST + 2);
    assert_int_equal(say(&session, INPUT(SV_MESSAGE_BURST + 2), SV_NS_PER_S), SV_ADMIT);
    enum sv_verdict last = SV_ADMIT;
    for (int i = 0; i < 2 * SV_MESSAGE_BURST && last != SV_CLOSE; i++) {
        last = say(&session, MESSAGE(PING), SV_NS_PER_S);
    }
    assert_int_equal(last, SV_CLOSE);
    assert_int_equal(close_code, 1008);
}

/* A second with refusals is a strike; the third strike within ten seconds closes the session. */
static enum sv_verdict
flood(struct sv_session *session, uint64_t at_ns)
{
    enum sv_verdict last = SV_ADMIT;
    for (int i = 0; i <= SV_MESSAGE_BURST && last == SV_ADMIT; i++) {
        last = say(session, MESSAGE(PING), at_ns);
    }
    return last;
}

static void
test_strikes(void **state)
{
    (void)state;
    const uint64_t s = SV_NS_PER_S;
    struct sv_session session;
    make_ready(&session);
    assert_int_equal(flood(&session, 10 * s), SV_REJECT);
    assert_int_equal(error.retry_ms, 1000 / SV_MESSAGE_RATE + 1);
    for (int i = 0; i < 100; i++) { /* all of the same second */
        assert_int_equal(say(&session, MESSAGE(PING), 10 * s), SV_REJECT);
    }
    assert_int_equal(flood(&session, 14 * s), SV_REJECT);
    assert_int_equal(flood(&session, 20 * s), SV_CLOSE);
    assert_int_equal(close_code, 1008);
    make_ready(&session);
    assert_int_equal(flood(&session, 10 * s), SV_REJECT);
    assert_int_equal(flood(&session, 14 * s), SV_REJECT);
    assert_int_equal(flood(&session, 21 * s), SV_REJECT); /* the first is more than ten ago */
    assert_int_equal(flood(&session, 24 * s), SV_CLOSE);
}

/* Queries need a world, a number and a low rate; refused queries do not close the session. */
static void
test_queries(void **state)
{
    (void)state;
    struct sv_session session;
    struct wire_client_message query = MESSAGE(QUERY);
    query.query.request = 5;
    make_ready(&session);
    assert_int_equal(say(&session, query, 0), SV_REJECT);
    assert_string_equal(error.code, "STATE");
    make_joined(&session);
    query.query.request = 0;
    assert_int_equal(say(&session, query, 0), SV_REJECT);
    assert_string_equal(error.path, "query.request");
    query.query.request = 5;
    for (int i = 0; i < SV_QUERY_BURST; i++) {
        assert_int_equal(say(&session, query, 0), SV_ADMIT);
    }
    assert_int_equal(say(&session, query, 0), SV_REJECT);
    assert_string_equal(error.code, "RATE");
    assert_int_equal(say(&session, INPUT(1), 0), SV_ADMIT);
    assert_int_equal(say(&session, query, SV_NS_PER_S), SV_ADMIT);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hello_comes_first),
        cmocka_unit_test(test_hello_has_a_deadline),
        cmocka_unit_test(test_states),
        cmocka_unit_test(test_sequence),
        cmocka_unit_test(test_refused_input_uses_its_number),
        cmocka_unit_test(test_bad_bytes),
        cmocka_unit_test(test_rate),
        cmocka_unit_test(test_strikes),
        cmocka_unit_test(test_queries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
