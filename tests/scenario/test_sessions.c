/*
 * test_sessions.c: sessions that lose their connection, with the daemon in memory.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "server/world/act/world_persistence.h"
#include "tests/support/server/session_client.h"

#include <math.h>
#include <stdio.h>

#define GRACE_MS (SV_GRACE_NS / SV_NS_PER_MS)

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
    /* Her lease and her drag stay in force, and other clients see her as away. */
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

/* Makes a world from a seed of the first one, for that session. */
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

/* A client that gets a world while its connection is dead learns of it once, when it is back. */
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
    give_world(&server, "third", session, 7); /* with the number of its earlier seat */
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

/* A token with any wrong byte makes a new session, and the old session still waits. */
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

/* The daemon keeps no session of a client that left, did not ask for it, or was thrown out. */
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

/* The list of sessions that are away is linked well, oldest first, and its length is counted. */
static void
assert_away(struct server *server, const struct client *const *clients, int count)
{
    const struct sv_seat *seat = server->gateway.away_first, *previous = NULL;
    for (int i = 0; i < count; i++) {
        assert_non_null(seat);
        assert_true(seat->is_away && !seat->is_joined);
        assert_int_equal(seat->session.id, clients[i]->session);
        assert_ptr_equal(seat->new_previous, previous);
        previous = seat;
        seat = seat->new_next;
    }
    assert_null(seat);
    assert_ptr_equal(server->gateway.away_last, previous);
    assert_int_equal(atomic_load(&server->metrics.clients_away), count);
}

/* Clients go away and come back in another order; one that keeps no session is removed at once. */
static void
test_some_away(void **state)
{
    (void)state;
    static struct server server;
    static struct client clients[4], other;
    server_init(&server);
    enter(&other, &server, false);
    for (int i = 0; i < 4; i++) {
        enter(&clients[i], &server, true);
    }
    for (int i = 0; i < 4; i++) {
        die(&clients[i]);
    }
    die(&other);
    server_run(&server, 50);
    const struct client *const all[] = {&clients[0], &clients[1], &clients[2], &clients[3]};
    assert_away(&server, all, 4);
    assert_int_equal(server.worker.worlds[0]->member_count, 4);
    static const int order[] = {1, 3, 0, 2};
    for (int i = 0; i < 4; i++) {
        const struct client *left[4];
        int count = 0;
        for (int k = 0; k < 4; k++) {
            bool is_back = false;
            for (int n = 0; n <= i; n++) {
                is_back = is_back || order[n] == k;
            }
            if (!is_back) {
                left[count++] = &clients[k];
            }
        }
        struct client *back = &clients[order[i]];
        say_hello(back, back->token);
        server_run(&server, 50);
        client_read(back);
        assert_true(back->is_resumed);
        assert_away(&server, left, count);
    }
    server_finish(&server);
}

static void
see_first(void *user, const Cairn__V1__ServerMessage *message)
{
    int *first = user;
    *first = *first == 0 ? (int)message->message_case : *first;
}

/* Messages that a blocked connection did not take are not sent to the next connection. */
static void
test_nothing_waits_for_the_return(void **state)
{
    (void)state;
    static struct server server;
    struct client ann, bob;
    int first = 0;
    server_init(&server);
    enter(&ann, &server, true);
    server_run(&server, 100);
    client_read(&ann);
    sv_sim_block(&server.transport, ann.connection, true);
    enter(&bob, &server, false); /* every member gets the list of members */
    drag(&ann, -5.0);
    give_world(&server, "other", ann.session, 0);
    wait_ms(&bob, NULL, 200);
    assert_true(server.gateway.seats[0]->queue_count > 0);
    die(&ann);
    wait_ms(&bob, NULL, 200);
    assert_int_equal(server.gateway.seats[0]->queue_count, 0);
    assert_int_equal(server.gateway.seats[0]->queue_size, 0);
    say_hello(&ann, ann.token);
    server_run(&server, 100);
    server_read(&server, ann.connection, see_first, &first);
    assert_int_equal(first, CAIRN__V1__SERVER_MESSAGE__MESSAGE_WELCOME);
    server_finish(&server);
}

/* The client resumes before the daemon has noticed the loss, and the old connection is closed. */
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

/* A client that is away loses its seat when another needs it, the one longest away first. */
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

/* Says Hello, with the token or without; returns the number of the next step to do. */
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
 * The connection dies `linger_ms` after `cut` messages, and again right after the client is back.
 * In the end all inputs have been applied once and in order, and the world has no other member.
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
        cmocka_unit_test(test_some_away),
        cmocka_unit_test(test_nothing_waits_for_the_return),
        cmocka_unit_test(test_old_one_still_open),
        cmocka_unit_test(test_seats),
        cmocka_unit_test(test_cut_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
