/*
 * test_access.c: what tokens give, and what each role may send.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "server/base/limits.h"
#include "server/session/rights.h"
#include "server/session/session.h"

#include <string.h>

static struct ac_private_key *key;
static struct ac_keys *keys;
static uint64_t now_ns;
static struct wire_error error;

/* A token of a role for worlds of a pattern, good for an hour. */
static const char *
token(enum ac_role role, const char *world, struct ac_limits limits)
{
    static char text[AC_TOKEN_SIZE_MAX + 1];
    struct ac_claims claims = {.subject = "ann", .id = "t1", .role = role, .limits = limits,
        .expires_s = SV_CLOCK_SIMULATED_S + (int64_t)(now_ns / SV_NS_PER_S) + 3600};
    strcpy(claims.world, world);
    assert_true(ac_token_mint(key, &claims, text));
    return text;
}

static struct sv_access
access_by(const struct ac_keys *with)
{
    return (struct sv_access){.keys = with, .clock = sv_clock_simulated(&now_ns)};
}

static bool
grant_of(const char *text, enum ac_role asked, struct sv_grant *grant)
{
    struct sv_access access = access_by(keys);
    memset(&error, 0, sizeof(error));
    return sv_access_grant(&access, text, asked, grant, &error);
}

static const struct ac_limits no_limits;

static void
test_open(void **state)
{
    (void)state;
    struct sv_access access = access_by(NULL);
    struct sv_grant grant;
    assert_true(sv_access_grant(&access, NULL, AC_ROLE_NONE, &grant, &error));
    assert_int_equal(grant.role, AC_ROLE_OPERATOR);
    assert_true(sv_grant_has_world(&grant, "anything", "", &error));
    assert_int_equal(sv_grant_left_s(&grant, UINT64_MAX), 0);
    assert_false(sv_grant_is_over(&grant, UINT64_MAX));
    /* A client may ask for a lower role. */
    assert_true(sv_access_grant(&access, "what", AC_ROLE_OBSERVER, &grant, &error));
    assert_int_equal(grant.role, AC_ROLE_OBSERVER);
}

static void
test_tokens(void **state)
{
    (void)state;
    struct sv_grant grant;
    now_ns = 5 * SV_NS_PER_S;
    assert_true(grant_of(token(AC_ROLE_PLAYER, "lab-*", no_limits), AC_ROLE_NONE, &grant));
    assert_int_equal(grant.role, AC_ROLE_PLAYER);
    assert_string_equal(grant.id, "t1");
    struct ac_limits some = {.force = 7.0, .torque = 8.0, .messages = 9};
    struct sv_grant limited;
    assert_true(grant_of(token(AC_ROLE_PLAYER, "lab-*", some), AC_ROLE_NONE, &limited));
    assert_true(limited.limits.force == 7.0 && limited.limits.torque == 8.0);
    assert_int_equal(limited.limits.messages, 9);
    assert_int_equal(sv_grant_left_s(&grant, now_ns), 3600);
    assert_int_equal(sv_grant_left_s(&grant, now_ns + 1), 3600);
    assert_int_equal(sv_grant_left_s(&grant, now_ns + SV_NS_PER_S), 3599);
    assert_false(sv_grant_is_over(&grant, now_ns + 3600 * SV_NS_PER_S - 1));
    assert_true(sv_grant_is_over(&grant, now_ns + 3600 * SV_NS_PER_S));
    assert_true(sv_grant_has_world(&grant, "lab-1", "", &error));
    assert_false(sv_grant_has_world(&grant, "other", "", &error));
    assert_string_equal(error.code, "RIGHTS");
    static const char *const none[] = {NULL, "", "x", "a.b.c"};
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
        assert_false(grant_of(none[i], AC_ROLE_NONE, &grant));
        assert_string_equal(error.code, "TOKEN");
        assert_int_equal(grant.role, AC_ROLE_NONE);
    }
    const char *text = token(AC_ROLE_PLAYER, "*", no_limits);
    now_ns += 3600 * SV_NS_PER_S;
    assert_false(grant_of(text, AC_ROLE_NONE, &grant));
    assert_string_equal(error.code, "EXPIRED");
    now_ns = 0;
}

/* A client gets the role that it asks for, up to that of its token. */
static void
test_asked(void **state)
{
    (void)state;
    static const enum ac_role order[] = {
        AC_ROLE_OBSERVER, AC_ROLE_PLAYER, AC_ROLE_INSTRUCTOR, AC_ROLE_OPERATOR};
    struct sv_grant grant;
    for (int has = 0; has < 4; has++) {
        for (int asked = 0; asked < 4; asked++) {
            bool is_let = grant_of(token(order[has], "*", no_limits), order[asked], &grant);
            assert_int_equal(is_let, asked <= has);
            assert_int_equal(grant.role, is_let ? order[asked] : AC_ROLE_NONE);
            assert_true(is_let || strcmp(error.code, "RIGHTS") == 0);
        }
    }
}

/* ---- the table ---- */

#define CONTROL(what)                                                                              \
    {                                                                                              \
        .kind = WIRE_CLIENT_CONTROL, .control = {.kind = WIRE_CONTROL_##what}                      \
    }

/* The roles that may send each message: o observer, p player, i instructor, O operator. */
static const struct {
    struct wire_client_message message;
    const char *who;
} table[] = {
    {{.kind = WIRE_CLIENT_JOIN}, "opiO"},
    {{.kind = WIRE_CLIENT_LEAVE}, "opiO"},
    {{.kind = WIRE_CLIENT_SUBSCRIBE}, "opiO"},
    {{.kind = WIRE_CLIENT_PING}, "opiO"},
    {{.kind = WIRE_CLIENT_QUERY}, "opiO"},
    {{.kind = WIRE_CLIENT_ACK}, "opiO"},
    {{.kind = WIRE_CLIENT_INPUT}, "piO"},
    {CONTROL(LIST), "opiO"},
    {CONTROL(SETTINGS), "iO"},
    {CONTROL(PAUSE), "iO"},
    {CONTROL(RESUME), "iO"},
    {CONTROL(STEP), "iO"},
    {CONTROL(RESET), "iO"},
    {CONTROL(CHANGE), "iO"},
    {CONTROL(LOAD), "O"},
    {CONTROL(CREATE), "O"},
    {CONTROL(REMOVE), "O"},
    {{.kind = WIRE_CLIENT_NONE}, "O"},
};

static void
test_table(void **state)
{
    (void)state;
    static const struct {
        char letter;
        enum ac_role role;
    } roles[] = {{'o', AC_ROLE_OBSERVER}, {'p', AC_ROLE_PLAYER}, {'i', AC_ROLE_INSTRUCTOR},
        {'O', AC_ROLE_OPERATOR}, {'-', AC_ROLE_NONE}};
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        for (size_t k = 0; k < sizeof(roles) / sizeof(roles[0]); k++) {
            struct sv_grant grant = {.role = roles[k].role, .world = "*"};
            struct wire_client_message message = table[i].message;
            bool may = strchr(table[i].who, roles[k].letter) != NULL;
            memset(&error, 0, sizeof(error));
            assert_int_equal(sv_rights_admit(&grant, &message, NULL, &error), may);
            assert_true(may || strcmp(error.code, "RIGHTS") == 0);
        }
    }
}

static bool
may(const char *pattern, struct wire_client_message message)
{
    struct sv_grant grant = {.role = AC_ROLE_OPERATOR};
    strcpy(grant.world, pattern);
    return sv_rights_admit(&grant, &message, NULL, &error);
}

/* A client may join, make and remove only worlds that its token names. */
static void
test_worlds(void **state)
{
    (void)state;
    struct wire_client_message join = {.kind = WIRE_CLIENT_JOIN, .join_world = "lab-1"};
    struct wire_client_message create = CONTROL(CREATE), remove = CONTROL(REMOVE);
    strcpy(create.control.source.id, "lab-1");
    strcpy(remove.control.world, "lab-1");
    assert_true(may("lab-*", join) && may("lab-*", create) && may("lab-*", remove));
    assert_false(may("lab-2", join) || may("lab-2", create) || may("lab-2", remove));
    assert_string_equal(error.path, "control.remove");
    create.control.source.id[0] = '\0'; /* its id is not known yet */
    assert_false(may("lab-*", create));
    assert_true(may("*", create));
}

/* A replay counts as the world that it shows; a fork, or a world of the same name, does not. */
static void
test_replays(void **state)
{
    (void)state;
    struct sv_grant grant = {.role = AC_ROLE_OPERATOR, .world = "one"};
    struct sv_host_world world = {.origin = 7};
    strcpy(world.mailbox.id, "one-replay");
    strcpy(world.status.origin, "one");
    assert_string_equal(sv_replay_of(&world), "one");
    assert_true(sv_grant_covers_world(&grant, &world));
    struct wire_client_message join = {.kind = WIRE_CLIENT_JOIN, .join_world = "one-replay"};
    struct wire_client_message remove = CONTROL(REMOVE), create = CONTROL(CREATE);
    strcpy(remove.control.world, "one-replay");
    strcpy(create.control.source.id, "one-replay");
    assert_true(sv_rights_admit(&grant, &join, "one", &error));
    assert_true(sv_rights_admit(&grant, &remove, "one", &error));
    assert_false(sv_rights_admit(&grant, &join, "two", &error));
    assert_false(sv_rights_admit(&grant, &join, NULL, &error));
    assert_string_equal(error.code, "RIGHTS");
    assert_false(sv_rights_admit(&grant, &create, "one", &error));
    strcpy(world.status.origin, "two");
    assert_false(sv_grant_covers_world(&grant, &world));
    strcpy(world.status.origin, "one");
    world.origin = 0; /* a fork */
    assert_null(sv_replay_of(&world));
    assert_false(sv_grant_covers_world(&grant, &world));
    struct wire_fork fork = {.replay = true};
    assert_true(sv_rights_fork_name(&grant, &fork, "one", &error));
    strcpy(fork.id, "other");
    assert_false(sv_rights_fork(&grant, &fork, &error));
    fork = (struct wire_fork){0};
    assert_false(sv_rights_fork_name(&grant, &fork, "one", &error));
}

static bool
pushes(struct cn_command command, struct ac_limits limits)
{
    struct sv_grant grant = {.role = AC_ROLE_PLAYER, .world = "*", .limits = limits};
    struct wire_client_message message = {.kind = WIRE_CLIENT_INPUT};
    message.input.command = command;
    memset(&error, 0, sizeof(error));
    bool is_let = sv_rights_admit(&grant, &message, NULL, &error);
    if (command.kind == CN_COMMAND_HOLD_DRAG) {
        assert_true(message.input.command.hold_drag.force_max == limits.force);
    }
    return is_let;
}

static void
test_caps(void **state)
{
    (void)state;
    struct ac_limits limits = {.force = 5, .torque = 2};
    struct cn_command force = {
        .kind = CN_COMMAND_HOLD_FORCE, .hold_force = {.force = {3, -4, 0}}};
    struct cn_command torque = {
        .kind = CN_COMMAND_HOLD_TORQUE, .hold_torque = {.torque = {0, 0, -2}}};
    struct cn_command drag = {.kind = CN_COMMAND_HOLD_DRAG};
    struct cn_command actuator = {.kind = CN_COMMAND_HOLD_ACTUATOR, .hold_actuator = {.level = 1}};
    assert_true(pushes(force, limits) && pushes(torque, limits) && pushes(drag, limits) &&
        pushes(actuator, limits));
    force.hold_force.force.z = 0.01;
    assert_false(pushes(force, limits));
    assert_string_equal(error.code, "RANGE");
    assert_string_equal(error.path, "input.force.force");
    torque.hold_torque.torque.x = 0.1;
    assert_false(pushes(torque, limits));
    assert_string_equal(error.path, "input.torque.torque");
    assert_true(pushes(force, no_limits) && pushes(torque, no_limits));
}

/* ---- in a session ---- */

static enum sv_verdict
say(struct sv_session *session, struct wire_client_message message, uint64_t at_ns)
{
    uint16_t close_code = 0;
    memset(&error, 0, sizeof(error));
    enum sv_verdict verdict = sv_session_admit(session, &message, at_ns, &error, &close_code);
    assert_int_equal(close_code, verdict == SV_CLOSE ? 1008 : 0);
    return verdict;
}

static struct sv_session
joined_as(enum ac_role role)
{
    struct sv_session session;
    sv_session_init(&session, 1, 0);
    session.state = SV_SESSION_JOINED;
    const struct sv_grant grant = {.role = role, .world = "*"};
    assert_true(sv_session_set_grant(&session, &grant));
    return session;
}

static void
change_grant(struct sv_session *session, uint64_t expires_ns, const char *world, unsigned messages)
{
    struct sv_grant grant = *session->grant;
    grant.expires_ns = expires_ns;
    strcpy(grant.world, world);
    grant.limits.messages = messages;
    assert_true(sv_session_set_grant(session, &grant));
    assert_true(session->owns_grant);
}

static void
test_session_ends_with_its_token(void **state)
{
    (void)state;
    struct sv_session session = joined_as(AC_ROLE_PLAYER);
    change_grant(&session, 100, "*", 0);
    struct wire_client_message ping = {.kind = WIRE_CLIENT_PING};
    struct wire_client_message input = {.kind = WIRE_CLIENT_INPUT, .input = {.seq = 1}};
    struct wire_client_message hello = {.kind = WIRE_CLIENT_HELLO, .hello = {.version = 1}};
    assert_int_equal(say(&session, input, 99), SV_ADMIT);
    /* For a while a client may send a new token, but no message that needs a valid one. */
    input.input.seq = 2;
    assert_int_equal(say(&session, input, 100), SV_REJECT);
    assert_string_equal(error.code, "EXPIRED");
    assert_int_equal(session.next_seq, 3);
    assert_int_equal(say(&session, ping, 100), SV_ADMIT);
    assert_int_equal(say(&session, hello, 100), SV_REJECT); /* it has no token */
    assert_string_equal(error.code, "STATE");
    hello.hello.token = (char[]){"new"};
    assert_int_equal(say(&session, hello, 99 + SV_REAUTH_NS), SV_ADMIT);
    assert_true(session.is_renewing);
    assert_int_equal(session.state, SV_SESSION_JOINED);
    assert_int_equal(say(&session, hello, 100 + SV_REAUTH_NS), SV_CLOSE);
    assert_string_equal(error.code, "EXPIRED");
    sv_session_finish(&session);
}

static bool
renews(struct sv_grant *grant, const char *subject, enum ac_role role, const char *world)
{
    char text[AC_TOKEN_SIZE_MAX + 1];
    struct ac_claims claims = {.id = "t2", .role = role, .world = "lab-*",
        .expires_s = SV_CLOCK_SIMULATED_S + 7200};
    struct sv_access access = access_by(keys);
    strcpy(claims.subject, subject);
    assert_true(ac_token_mint(key, &claims, text));
    memset(&error, 0, sizeof(error));
    struct sv_host_world joined = {0};
    strcpy(joined.mailbox.id, world);
    return sv_access_renew(&access, text, world[0] != '\0' ? &joined : NULL, grant, &error);
}

/* A new token must be for the same person, role and world; else the old grant stays. */
static void
test_renewal(void **state)
{
    (void)state;
    now_ns = 0;
    struct sv_grant grant, before;
    struct sv_access access = access_by(keys);
    assert_true(grant_of(token(AC_ROLE_INSTRUCTOR, "*", no_limits), AC_ROLE_PLAYER, &grant));
    assert_true(renews(&grant, "ann", AC_ROLE_INSTRUCTOR, "lab-1"));
    assert_int_equal(grant.expires_ns, 7200 * SV_NS_PER_S);
    assert_int_equal(grant.role, AC_ROLE_PLAYER);
    assert_string_equal(grant.world, "lab-*");
    before = grant;
    assert_false(renews(&grant, "ann", AC_ROLE_OBSERVER, "lab-1"));
    assert_string_equal(error.code, "RIGHTS");
    assert_false(renews(&grant, "eve", AC_ROLE_PLAYER, ""));
    assert_string_equal(error.text, "the new token is somebody else's");
    assert_false(renews(&grant, "ann", AC_ROLE_PLAYER, "elsewhere"));
    assert_string_equal(error.text, "the new token is not for this world");
    assert_false(sv_access_renew(&access, "x", NULL, &grant, &error));
    assert_string_equal(error.code, "TOKEN");
    assert_memory_equal(&grant, &before, sizeof(grant));
    assert_true(renews(&grant, "ann", AC_ROLE_PLAYER, ""));
}

/* The daemon verifies a burst of tokens; it gives the other clients different times for a retry. */
static void
test_many_tokens_at_once(void **state)
{
    (void)state;
    now_ns = 0;
    uint64_t chance = 3;
    struct sv_access access = access_by(keys);
    access.random = sv_random_simulated(&chance);
    struct sv_grant grant;
    for (int i = 0; i < SV_VERIFY_BURST; i++) {
        assert_false(sv_access_grant(&access, "x", AC_ROLE_NONE, &grant, &error));
        assert_string_equal(error.code, "TOKEN");
    }
    uint32_t first_ms = 0, other_count = 0;
    for (int i = 0; i < 100; i++) {
        assert_false(sv_access_grant(&access, "x", AC_ROLE_NONE, &grant, &error));
        assert_string_equal(error.code, "CAPACITY");
        assert_in_range(error.retry_ms, SV_RETRY_MS, 3 * SV_RETRY_MS);
        first_ms = i == 0 ? error.retry_ms : first_ms;
        other_count += error.retry_ms != first_ms ? 1 : 0;
    }
    assert_true(other_count > 90);
    now_ns = SV_NS_PER_S / SV_VERIFY_RATE;
    assert_false(sv_access_grant(&access, "x", AC_ROLE_NONE, &grant, &error));
    assert_string_equal(error.code, "TOKEN");
    assert_false(sv_access_grant(&access, "x", AC_ROLE_NONE, &grant, &error));
    assert_string_equal(error.code, "CAPACITY"); /* one more, and only one */
    now_ns = 0;
}

/* An input that the role may not send is refused, changes nothing, and uses its number up. */
static void
test_refused_input_uses_its_number(void **state)
{
    (void)state;
    struct sv_session session = joined_as(AC_ROLE_OBSERVER);
    struct wire_client_message input = {.kind = WIRE_CLIENT_INPUT, .input = {.seq = 1}};
    assert_int_equal(say(&session, input, 0), SV_REJECT);
    assert_string_equal(error.code, "RIGHTS");
    assert_int_equal(session.next_seq, 2);
    struct wire_client_message join = {.kind = WIRE_CLIENT_JOIN, .join_world = "other"};
    change_grant(&session, 0, "mine", 0);
    assert_int_equal(say(&session, join, 0), SV_REJECT);
    assert_int_equal(session.state, SV_SESSION_JOINED);
    sv_session_finish(&session);
}

static void
test_session_keeps_the_tokens_rate(void **state)
{
    (void)state;
    struct sv_session session = joined_as(AC_ROLE_OBSERVER);
    struct wire_client_message ping = {.kind = WIRE_CLIENT_PING};
    change_grant(&session, 0, "*", 10);
    for (int i = 0; i < 20; i++) {
        assert_int_equal(say(&session, ping, 0), SV_ADMIT);
    }
    assert_int_equal(say(&session, ping, 0), SV_REJECT);
    assert_string_equal(error.code, "RATE");
    assert_int_equal(say(&session, ping, SV_NS_PER_S / 10), SV_ADMIT);
    assert_int_equal(say(&session, ping, SV_NS_PER_S / 10), SV_REJECT);
    /* The rate of the daemon, which can be set, bounds that of a token. */
    sv_session_finish(&session);
    session = joined_as(AC_ROLE_OBSERVER);
    session.message_rate = 1000;
    assert_int_equal(sv_session_message_rate(&session), 1000);
    for (int i = 0; i < 2000; i++) {
        assert_int_equal(say(&session, ping, 0), SV_ADMIT);
    }
    assert_int_equal(say(&session, ping, 0), SV_REJECT);
    assert_string_equal(error.text, "more than 1000 messages a second");
    assert_int_equal(error.retry_ms, 2);
    sv_session_finish(&session);
    session = joined_as(AC_ROLE_OBSERVER);
    change_grant(&session, 0, "*", 100 * SV_MESSAGE_RATE);
    for (int i = 0; i < SV_MESSAGE_BURST; i++) {
        assert_int_equal(say(&session, ping, 0), SV_ADMIT);
    }
    assert_int_equal(say(&session, ping, 0), SV_REJECT);
    sv_session_finish(&session);
}

static int
set_up(void **state)
{
    (void)state;
    char text[AC_ERROR_SIZE];
    struct ac_public_key public_key;
    key = ac_private_key_create();
    keys = ac_keys_create();
    if (key == NULL || keys == NULL) {
        return 1;
    }
    memcpy(public_key.kid, key->kid, sizeof(public_key.kid));
    memcpy(public_key.public_key, key->public_key, sizeof(public_key.public_key));
    return ac_keys_add(keys, &public_key, text) ? 0 : 1;
}

static int
tear_down(void **state)
{
    (void)state;
    ac_private_key_destroy(key);
    ac_keys_destroy(keys);
    return 0;
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_open),
        cmocka_unit_test(test_tokens),
        cmocka_unit_test(test_asked),
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_worlds),
        cmocka_unit_test(test_replays),
        cmocka_unit_test(test_caps),
        cmocka_unit_test(test_session_ends_with_its_token),
        cmocka_unit_test(test_renewal),
        cmocka_unit_test(test_many_tokens_at_once),
        cmocka_unit_test(test_refused_input_uses_its_number),
        cmocka_unit_test(test_session_keeps_the_tokens_rate),
    };
    return ac_init() ? cmocka_run_group_tests(tests, set_up, tear_down) : 1;
}
