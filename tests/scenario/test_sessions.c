/*
 * test_sessions.c: sessions whose connection dies, with the daemon in memory.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "proto/quant.h"
#include "tests/support/twin_server.h"

#include <math.h>
#include <stdio.h>

#define LEFT 1
#define GRACE_MS (SV_GRACE_NS / SV_NS_PER_MS)

struct client {
    struct server *server;
    int connection;
    bool keep;
    uint64_t session, next_seq, seq, applied_seq;
    bool is_resumed;
    uint8_t token[WIRE_RESUME_SIZE];
    bool has_token;
    uint32_t grace_s;
    int joined_count, snapshot_count, person_count, away_count, held_count;
    uint64_t holder, away_session;
    double left_x;
    char rejected[16], given[WIRE_NAME_SIZE];
};

static void
see_presence(struct client *client, const Cairn__V1__Presence *presence)
{
    client->person_count = (int)presence->n_people;
    client->away_count = 0;
    for (size_t i = 0; i < presence->n_people; i++) {
        if (presence->people[i]->away) {
            client->away_count++;
            client->away_session = presence->people[i]->session;
        }
        assert_int_equal(presence->people[i]->role, CAIRN__V1__HELLO__ROLE__OPERATOR);
        assert_true(presence->people[i]->since_us >= 1000000);
    }
}

static void
see_welcome(struct client *client, const Cairn__V1__Welcome *welcome)
{
    client->session = welcome->session;
    client->is_resumed = welcome->resumed;
    client->next_seq = welcome->next_seq;
    client->grace_s = welcome->grace_s;
    client->has_token = welcome->resume.len == WIRE_RESUME_SIZE;
    if (client->has_token) {
        memcpy(client->token, welcome->resume.data, WIRE_RESUME_SIZE);
    }
}

static void
see(void *user, const Cairn__V1__ServerMessage *message)
{
    struct client *client = user;
    switch (message->message_case) {
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_WELCOME:
        see_welcome(client, message->welcome);
        break;
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_JOINED:
        client->joined_count++;
        break;
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_TICK:
        client->applied_seq = message->tick->applied_seq;
        break;
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_SNAPSHOT:
        assert_true(client->joined_count > 0);
        client->snapshot_count++;
        client->left_x = message->snapshot->x[0] * WIRE_POSITION_SCALE;
        break;
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_PRESENCE:
        see_presence(client, message->presence);
        break;
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_LEASES:
        client->held_count = (int)message->leases->n_held;
        client->holder = client->held_count > 0 ? message->leases->held[0]->session : 0;
        break;
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_FORKED:
        assert_int_equal(message->forked->request, 0);
        snprintf(client->given, sizeof(client->given), "%s", message->forked->world);
        break;
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_REJECTED:
        snprintf(client->rejected, sizeof(client->rejected), "%s",
            message->rejected->error->code);
        break;
    default:
        break;
    }
}

static void
client_read(struct client *client)
{
    server_read(client->server, client->connection, see, client);
}

static void
client_send(struct client *client, Cairn__V1__ClientMessage *message)
{
    server_take(client->server, client->connection, message);
}

static void
say_hello(struct client *client, const uint8_t *token)
{
    client->connection = sv_sim_connect(&client->server->transport);
    assert_true(client->connection >= 0);
    client->joined_count = client->snapshot_count = 0;
    client->is_resumed = false;
    Cairn__V1__Hello hello = CAIRN__V1__HELLO__INIT;
    uint8_t copy[WIRE_RESUME_SIZE];
    hello.version = WIRE_VERSION;
    hello.name = (char[]){"ann"};
    hello.keep = client->keep;
    if (token != NULL) {
        memcpy(copy, token, sizeof(copy));
        hello.resume.data = copy;
        hello.resume.len = sizeof(copy);
    }
    CLIENT_MESSAGE(message, HELLO, hello, &hello);
    client_send(client, &message);
}

static void
say_join(struct client *client)
{
    server_take_join(client->server, client->connection);
    client->seq = 0;
}

static void
acquire(struct client *client)
{
    Cairn__V1__Lease__Acquire part = CAIRN__V1__LEASE__ACQUIRE__INIT;
    Cairn__V1__Lease lease = CAIRN__V1__LEASE__INIT;
    lease.request = 1;
    lease.target_case = CAIRN__V1__LEASE__TARGET_BODY;
    lease.body = LEFT;
    lease.action_case = CAIRN__V1__LEASE__ACTION_ACQUIRE;
    lease.acquire = &part;
    CLIENT_MESSAGE(message, LEASE, lease, &lease);
    client_send(client, &message);
}

static void
drag(struct client *client, double x)
{
    server_take_drag(client->server, client->connection, ++client->seq, LEFT, x);
}

static void
enter(struct client *client, struct server *server, bool keep)
{
    memset(client, 0, sizeof(*client));
    client->server = server;
    client->keep = keep;
    say_hello(client, NULL);
    say_join(client);
    server_run(server, 20);
    client_read(client);
    assert_int_equal(client->joined_count, 1);
    assert_int_equal(client->has_token, keep);
}

static void
die(struct client *client)
{
    sv_sim_disconnect(&client->server->transport, client->connection);
}

static void
wait_ms(struct client *a, struct client *b, uint64_t duration_ms)
{
    while (duration_ms > 0) { /* the twin keeps a thousand messages for a client */
        uint64_t part_ms = duration_ms < 2000 ? duration_ms : 2000;
        server_run(a->server, part_ms);
        client_read(a);
        if (b != NULL) {
            client_read(b);
        }
        duration_ms -= part_ms;
    }
}

static void
test_goes_on(void **state)
{
    (void)state;
    static struct server server;
    struct client ann, bob;
    server_init(&server);
    enter(&ann, &server, true);
    enter(&bob, &server, false);
    assert_int_equal(ann.grace_s, 30);
    uint64_t session = ann.session;
    acquire(&ann);
    drag(&ann, -5.0);
    server_run(&server, 20);
    die(&ann);
    wait_ms(&bob, NULL, 2000);
    /* What she held goes on, and others see her as away. */
    assert_true(fabs(bob.left_x + 5.0) < 0.1);
    assert_int_equal(bob.person_count, 2);
    assert_int_equal(bob.away_count, 1);
    assert_int_equal(bob.away_session, session);
    assert_int_equal(bob.holder, session);
    uint8_t used[WIRE_RESUME_SIZE];
    memcpy(used, ann.token, sizeof(used));
    say_hello(&ann, used);
    wait_ms(&ann, &bob, 500);
    assert_true(ann.is_resumed);
    assert_int_equal(ann.session, session);
    assert_int_equal(ann.next_seq, 2);
    assert_int_equal(ann.joined_count, 1);
    assert_true(ann.snapshot_count > 20);
    assert_int_equal(ann.applied_seq, 1);
    assert_int_equal(ann.holder, session);
    assert_int_equal(bob.person_count, 2);
    assert_int_equal(bob.away_count, 0);
    drag(&ann, -3.0);
    wait_ms(&ann, &bob, 2000);
    assert_int_equal(ann.applied_seq, 2);
    assert_string_equal(ann.rejected, "");
    assert_true(fabs(bob.left_x + 3.0) < 0.1);
    /* A token serves once. */
    die(&ann);
    say_hello(&ann, used);
    wait_ms(&ann, &bob, 100);
    assert_false(ann.is_resumed);
    assert_true(ann.session != session);
    server_finish(&server);
}

/* A world that grows from the one that there is, for that session. */
static void
give_world(struct server *server, char *id, uint64_t session, uint32_t seat)
{
    struct wire_error error;
    const struct sv_asker asker = {.session = session, .seat = seat};
    struct sv_world *first = server->worker.worlds[0];
    struct sv_growth how = {.scene_take = sv_scene_ref(first->scene)};
    how.seed_take = sv_world_seed(first, "pair", &error);
    assert_non_null(how.seed_take);
    assert_true(sv_host_grow_world(&server->host, id, &how, &asker, &error));
}

/* Who gets a world while its connection is dead hears of it when it is back, once. */
static void
test_given_while_away(void **state)
{
    (void)state;
    static struct server server;
    struct client ann;
    server_init(&server);
    enter(&ann, &server, true);
    give_world(&server, "first", ann.session, 0);
    wait_ms(&ann, NULL, 20);
    assert_string_equal(ann.given, "first");
    uint64_t session = ann.session;
    die(&ann);
    server_run(&server, 20);
    give_world(&server, "second", session, 0);
    server_run(&server, 20);
    say_hello(&ann, ann.token);
    wait_ms(&ann, NULL, 100);
    assert_true(ann.is_resumed);
    assert_int_equal(ann.joined_count, 1);
    assert_string_equal(ann.given, "second");
    ann.given[0] = '\0';
    die(&ann);
    server_run(&server, 20);
    say_hello(&ann, ann.token);
    wait_ms(&ann, NULL, 100);
    assert_true(ann.is_resumed);
    assert_string_equal(ann.given, "");
    give_world(&server, "third", session, 7); /* it had another seat when it was asked for */
    wait_ms(&ann, NULL, 20);
    assert_string_equal(ann.given, "third");
    server_finish(&server);
}

static void
test_too_late(void **state)
{
    (void)state;
    static struct server server;
    struct client ann, bob;
    server_init(&server);
    enter(&ann, &server, true);
    enter(&bob, &server, false);
    acquire(&ann);
    drag(&ann, -5.0);
    server_run(&server, 20);
    client_read(&ann);
    die(&ann);
    wait_ms(&bob, NULL, GRACE_MS - 1000);
    assert_int_equal(bob.held_count, 1);
    wait_ms(&bob, NULL, 2000);
    assert_int_equal(bob.held_count, 0);
    assert_int_equal(bob.person_count, 1);
    say_hello(&ann, ann.token);
    wait_ms(&ann, &bob, 100);
    assert_false(ann.is_resumed);
    assert_int_equal(ann.joined_count, 0);
    server_finish(&server);
}

/* A token that is wrong in any byte makes a new session, and the old one waits on. */
static void
test_wrong(void **state)
{
    (void)state;
    static struct server server;
    struct client ann, eve;
    server_init(&server);
    enter(&ann, &server, true);
    die(&ann);
    for (int i = 0; i < WIRE_RESUME_SIZE; i++) {
        uint8_t token[WIRE_RESUME_SIZE];
        memcpy(token, ann.token, sizeof(token));
        token[i] ^= 0x41;
        memset(&eve, 0, sizeof(eve));
        eve.server = &server;
        say_hello(&eve, token);
        server_run(&server, 10);
        client_read(&eve);
        assert_false(eve.is_resumed);
        assert_true(eve.session != ann.session);
        die(&eve);
    }
    say_hello(&ann, ann.token);
    server_run(&server, 20);
    client_read(&ann);
    assert_true(ann.is_resumed);
    server_finish(&server);
}

/* Who has left, or has not asked for it, or was thrown out, is not kept. */
static void
test_not_kept(void **state)
{
    (void)state;
    static struct server server;
    struct client ann, bob;
    server_init(&server);
    enter(&bob, &server, false);
    enter(&ann, &server, true);
    Cairn__V1__Leave leave = CAIRN__V1__LEAVE__INIT;
    CLIENT_MESSAGE(message, LEAVE, leave, &leave);
    client_send(&ann, &message);
    server_run(&server, 20);
    die(&ann);
    wait_ms(&bob, NULL, 500);
    assert_int_equal(bob.person_count, 1);
    say_hello(&ann, ann.token);
    server_run(&server, 20);
    client_read(&ann);
    assert_false(ann.is_resumed);
    die(&bob);
    enter(&bob, &server, true);
    const uint8_t nonsense[] = {0xff, 0xff, 0xff};
    for (int i = 0; i < 5; i++) {
        sv_sim_send(&server.transport, bob.connection, nonsense, sizeof(nonsense));
    }
    assert_int_equal(sv_sim_close_code(&server.transport, bob.connection), 1007);
    die(&bob);
    say_hello(&bob, bob.token);
    server_run(&server, 20);
    client_read(&bob);
    assert_false(bob.is_resumed);
    server_finish(&server);
}

/* The client knows of the loss before the daemon does: the old connection is closed. */
static void
test_old_one_still_open(void **state)
{
    (void)state;
    static struct server server;
    struct client ann;
    server_init(&server);
    enter(&ann, &server, true);
    drag(&ann, -5.0);
    int before = ann.connection;
    uint64_t session = ann.session;
    say_hello(&ann, ann.token);
    server_run(&server, 100);
    client_read(&ann);
    assert_true(ann.is_resumed);
    assert_int_equal(ann.session, session);
    assert_int_equal(ann.next_seq, 2);
    assert_int_equal(sv_sim_close_code(&server.transport, before), 1008);
    sv_sim_disconnect(&server.transport, before);
    wait_ms(&ann, NULL, 2000);
    assert_int_equal(ann.person_count, 1);
    assert_true(fabs(ann.left_x + 5.0) < 0.1);
    server_finish(&server);
}

/* Who is away gives its seat up when others need it, the oldest first. */
static void
test_seats(void **state)
{
    (void)state;
    static struct server server;
    struct client people[10];
    server_init(&server); /* eight seats */
    for (int i = 0; i < 8; i++) {
        enter(&people[i], &server, true);
        die(&people[i]);
    }
    enter(&people[8], &server, true);
    enter(&people[9], &server, true);
    wait_ms(&people[8], &people[9], 500);
    assert_int_equal(people[9].person_count, 8);
    die(&people[8]);
    die(&people[9]);
    say_hello(&people[1], people[1].token);
    server_run(&server, 20);
    client_read(&people[1]);
    assert_false(people[1].is_resumed);
    die(&people[1]);
    say_hello(&people[7], people[7].token);
    server_run(&server, 20);
    client_read(&people[7]);
    assert_true(people[7].is_resumed);
    server_finish(&server);
}

/* ---- a connection that dies anywhere ---- */

#define STEPS 7 /* Hello, Join, Lease, and four drags */

static void
do_step(struct client *client, int step)
{
    switch (step) {
    case 0:
        say_hello(client, NULL);
        break;
    case 1:
        say_join(client);
        break;
    case 2:
        acquire(client);
        break;
    default:
        drag(client, step == STEPS - 1 ? -4.0 : 1.0);
    }
}

/* Back by token, or anew: which step is to be done next. */
static int
come_back(struct client *client, bool has_token)
{
    say_hello(client, has_token ? client->token : NULL);
    server_run(client->server, 40);
    client_read(client);
    if (!client->is_resumed) {
        return 1;
    }
    assert_int_equal(client->joined_count, 1);
    client->seq = client->next_seq - 1;
    return client->next_seq > 1 ? 2 + (int)client->next_seq : 2;
}

/*
 * The connection dies after `cut` messages and so many milliseconds, and again right after it has
 * come back; in the end the inputs have all been applied once, in order, and nobody else is there.
 */
static void
cut_after(int cut, uint64_t linger_ms, bool reads)
{
    static struct server server;
    struct client ann;
    server_init(&server);
    memset(&ann, 0, sizeof(ann));
    ann.server = &server;
    ann.keep = true;
    for (int step = 0; step < cut; step++) {
        do_step(&ann, step);
        server_run(&server, step == 1 ? 20 : 3);
        if (reads || step == 0) {
            client_read(&ann);
        }
    }
    server_run(&server, linger_ms);
    die(&ann);
    server_run(&server, 100);
    bool was_joined = cut >= 2;
    int step = come_back(&ann, ann.has_token);
    assert_int_equal(ann.is_resumed, was_joined);
    die(&ann);
    server_run(&server, 1);
    step = come_back(&ann, true);
    assert_int_equal(ann.is_resumed, was_joined);
    for (; step < STEPS; step++) {
        do_step(&ann, step);
        server_run(&server, 20);
    }
    wait_ms(&ann, NULL, 3000);
    assert_string_equal(ann.rejected, "");
    assert_int_equal(ann.applied_seq, STEPS - 3);
    assert_true(fabs(ann.left_x + 4.0) < 0.1);
    assert_int_equal(ann.held_count, 1);
    assert_int_equal(ann.holder, ann.session);
    assert_int_equal(ann.person_count, 1);
    server_finish(&server);
}

static void
test_cut_anywhere(void **state)
{
    (void)state;
    static const uint64_t lingers_ms[] = {0, 1, 17, 250};
    for (int cut = 1; cut <= STEPS; cut++) {
        for (int i = 0; i < 4; i++) {
            cut_after(cut, lingers_ms[i], false);
            cut_after(cut, lingers_ms[i], true);
        }
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_goes_on),
        cmocka_unit_test(test_given_while_away),
        cmocka_unit_test(test_too_late),
        cmocka_unit_test(test_wrong),
        cmocka_unit_test(test_not_kept),
        cmocka_unit_test(test_old_one_still_open),
        cmocka_unit_test(test_seats),
        cmocka_unit_test(test_cut_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
