/*
 * test_early.c: inputs that name the tick that they act on, with the daemon in memory.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "server/world/act/world_messages.h"
#include "tests/support/server/twin_server.h"

#include <stdio.h>

#define LEFT 1
#define HASH_TICK (2 * SV_HASH_TICKS) /* after all that is asked for here */

struct client {
    struct server *server;
    int connection;
    uint64_t seq, tick, applied_seq;
    uint64_t applied_at[128]; /* the first tick whose state has that input */
    char rejected[16], hash[17];
    uint64_t rejected_seq;
    uint32_t early_count, late_count;
    int32_t margin;
};

static void
see(void *user, const Cairn__V1__ServerMessage *message)
{
    struct client *client = user;
    switch (message->message_case) {
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_TICK:
        client->tick = message->tick->tick;
        for (uint64_t i = client->applied_seq + 1; i <= message->tick->applied_seq; i++) {
            client->applied_at[i] = client->tick;
        }
        client->applied_seq = message->tick->applied_seq;
        break;
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_SNAPSHOT:
        if (message->snapshot->tick == HASH_TICK) {
            snprintf(client->hash, sizeof(client->hash), "%s", message->snapshot->state_hash);
        }
        break;
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_REJECTED:
        snprintf(client->rejected, sizeof(client->rejected), "%s",
            message->rejected->error->code);
        client->rejected_seq = message->rejected->seq;
        break;
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_PONG:
        client->early_count = message->pong->early_count;
        client->late_count = message->pong->late_count;
        client->margin = message->pong->margin;
        break;
    default:
        break;
    }
}

static void
client_run(struct client *client, uint64_t duration_ms)
{
    server_run(client->server, duration_ms);
    server_read(client->server, client->connection, see, client);
}

static void
client_send(struct client *client, Cairn__V1__ClientMessage *message)
{
    server_take(client->server, client->connection, message);
}

static void
enter(struct client *client, struct server *server)
{
    memset(client, 0, sizeof(*client));
    client->server = server;
    client->connection = server_enter(server, (char[]){"ann"});
    client_run(client, 100);
    assert_true(client->tick > 3);
}

/* A push to the left from that tick on; 0: at once. */
static void
push(struct client *client, uint64_t at_tick)
{
    Cairn__V1__Vec3 force = CAIRN__V1__VEC3__INIT;
    force.x = -3.0;
    Cairn__V1__Input__Force part = CAIRN__V1__INPUT__FORCE__INIT;
    part.body = LEFT;
    part.frame = CAIRN__V1__INPUT__FRAME__WORLD;
    part.force = &force;
    Cairn__V1__Input input = CAIRN__V1__INPUT__INIT;
    input.seq = ++client->seq;
    input.slot = (uint32_t)client->seq;
    input.at_tick = at_tick;
    input.hold_ticks = 10;
    input.action_case = CAIRN__V1__INPUT__ACTION_FORCE;
    input.force = &part;
    client->rejected[0] = '\0';
    CLIENT_MESSAGE(message, INPUT, input, &input);
    client_send(client, &message);
}

static void
ping(struct client *client)
{
    Cairn__V1__Ping part = CAIRN__V1__PING__INIT;
    CLIENT_MESSAGE(message, PING, ping, &part);
    client_send(client, &message);
    client_run(client, 20);
}

static void
test_at_its_tick(void **state)
{
    (void)state;
    static struct server server;
    struct client ann;
    server_init(&server);
    enter(&ann, &server);
    uint64_t from = ann.tick;
    push(&ann, from + 30);
    push(&ann, 0); /* waits for the one before it */
    client_run(&ann, 200);
    assert_int_equal(ann.applied_seq, 0);
    push(&ann, from + 20); /* as well */
    client_run(&ann, 1000);
    for (int seq = 1; seq <= 3; seq++) {
        assert_int_equal(ann.applied_at[seq], from + 31);
    }
    push(&ann, ann.tick - 5); /* late: at once */
    uint64_t sent = ann.tick;
    client_run(&ann, 100);
    assert_in_range(ann.applied_at[4], sent + 1, sent + 2);
    assert_string_equal(ann.rejected, "");
    ping(&ann);
    assert_int_equal(ann.early_count, 2);
    assert_int_equal(ann.late_count, 1);
    assert_true(ann.margin > 0);
    server_finish(&server);
}

static void
test_too_far(void **state)
{
    (void)state;
    static struct server server;
    struct client ann;
    server_init(&server);
    enter(&ann, &server);
    push(&ann, ann.tick + SV_EARLY_TICKS_MAX + 10);
    client_run(&ann, 40);
    assert_string_equal(ann.rejected, "TICK");
    assert_int_equal(ann.applied_seq, 1);
    client_run(&ann, 3000);
    push(&ann, 1);
    client_run(&ann, 40);
    assert_string_equal(ann.rejected, "TICK");
    assert_int_equal(ann.rejected_seq, 2);
    /* A session may have SV_EARLY_SESSION_MAX early inputs waiting; the next one is refused. */
    ann.seq = 0;
    Cairn__V1__Join to = CAIRN__V1__JOIN__INIT;
    to.world = (char[]){"pair"};
    CLIENT_MESSAGE(again, JOIN, join, &to);
    client_send(&ann, &again);
    ann.applied_seq = 0;
    client_run(&ann, 100);
    for (int i = 0; i <= SV_EARLY_SESSION_MAX; i++) {
        push(&ann, ann.tick + 60);
    }
    server_run(&server, 40);
    struct sv_world *world = server.worker.worlds[0];
    assert_int_equal(world->early.count, SV_EARLY_SESSION_MAX);
    /* When the client leaves, its waiting inputs are dropped. */
    sv_sim_disconnect(&server.transport, ann.connection);
    server_run(&server, 40);
    assert_int_equal(world->early.count, 0);
    server_finish(&server);
}

/* An input may come at any time before its tick: the world's bits are the same. */
static void
play(uint64_t wait_ms, char *hash)
{
    static struct server server;
    struct client ann;
    server_init(&server);
    enter(&ann, &server);
    client_run(&ann, wait_ms);
    assert_true(ann.tick < 60);
    push(&ann, 60);
    client_run(&ann, 2300 - wait_ms);
    assert_int_equal(ann.applied_at[1], 61);
    memcpy(hash, ann.hash, sizeof(ann.hash));
    assert_int_equal(strlen(hash), 16);
    server_finish(&server);
}

static void
test_same_bits(void **state)
{
    (void)state;
    char first[17], other[17];
    play(0, first);
    static const uint64_t waits_ms[] = {1, 16, 17, 230, 700};
    for (int i = 0; i < 5; i++) {
        play(waits_ms[i], other);
        assert_string_equal(other, first);
    }
}

/* The first and the last tick for which an input is accepted, and one tick beyond each of them. */
static void
test_to_the_tick(void **state)
{
    static const struct {
        int64_t away;
        bool is_accepted;
    } cases[] = {{-SV_LATE_TICKS_MAX, true}, {-SV_LATE_TICKS_MAX - 1, false}, {-1, true},
        {0, true}, {SV_EARLY_TICKS_MAX, true}, {SV_EARLY_TICKS_MAX + 1, false}};
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        static struct server server;
        struct client ann;
        server_init(&server);
        enter(&ann, &server);
        client_run(&ann, 3000);
        uint64_t now = cn_world_tick(server.worker.worlds[0]->engine);
        assert_true(now > SV_LATE_TICKS_MAX);
        while (cn_world_tick(server.worker.worlds[0]->engine) == now) {
            client_run(&ann, 1);
        }
        push(&ann, (uint64_t)((int64_t)now + 1 + cases[i].away));
        client_run(&ann, 40);
        assert_string_equal(ann.rejected, cases[i].is_accepted ? "" : "TICK");
        client_run(&ann, 3000);
        assert_int_equal(ann.applied_seq, 1); /* accepted or not, its number is used up */
        server_finish(&server);
    }
}

/* Reads all of the worker's reports. Returns how many of them refuse a request as BUSY. */
static int
count_busy(struct sv_worker *worker)
{
    struct sv_report report;
    int count = 0;
    while (sv_ring_pop(&worker->reports, &report)) {
        count += report.outcome_take != NULL &&
            strcmp(report.outcome_take->error.code, "BUSY") == 0;
        sv_report_finish(&report);
    }
    return count;
}

/* Inputs that wait together act in the order of their numbers, not in the order of their coming. */
static void
test_by_their_numbers(void **state)
{
    (void)state;
    static struct server server;
    struct client ann;
    server_init(&server);
    enter(&ann, &server);
    struct sv_world *world = server.worker.worlds[0];
    const struct sv_member *member = &world->members[0];
    for (uint64_t seq = 8; seq >= 1; seq--) { /* the last one is the first to come */
        struct wire_input input = {.seq = seq,
            .command = {.kind = CN_COMMAND_HOLD_FORCE,
                .hold_force = {.body = LEFT, .force = {.x = (double)seq}}}};
        struct sv_message message = {.kind = SV_MESSAGE_INPUT, .mailbox = world->mailbox,
            .asker = {.session = member->session, .seat = member->seat},
            .input = sv_input_pack(&input)};
        sv_world_receive(world, &message);
    }
    server_run(&server, 40);
    const struct cn_held *held;
    assert_int_equal(cn_world_held(world->engine, &held), 1); /* they have one slot */
    assert_true(held[0].vector.x == 8.0); /* and the last number has it */
    server_finish(&server);
}

/*
 * A world queues a fixed number of inputs and of queries for its next tick and refuses more. After
 * the tick there is room again.
 */
static void
test_most_that_wait(void **state)
{
    static const struct {
        enum sv_message_kind kind;
        int most;
    } cases[] = {{SV_MESSAGE_INPUT, SV_INPUTS_MAX}, {SV_MESSAGE_QUERY, SV_QUERIES_MAX}};
    (void)state;
    for (int i = 0; i < 2; i++) {
        static struct server server;
        struct client ann;
        server_init(&server);
        enter(&ann, &server);
        struct sv_world *world = server.worker.worlds[0];
        assert_int_equal(count_busy(&server.worker), 0);
        for (int round = 0; round < 2; round++) {
            for (int k = 0; k < cases[i].most + 3; k++) {
                struct sv_message message = {.kind = cases[i].kind, .mailbox = world->mailbox};
                if (message.kind == SV_MESSAGE_QUERY) {
                    message.query_take = calloc(1, sizeof(*message.query_take));
                }
                message.asker = (struct sv_asker){.session = 999}; /* it has left */
                sv_world_receive(world, &message);
                assert_int_equal(count_busy(&server.worker), k < cases[i].most ? 0 : 1);
            }
            assert_int_equal(world->message_count, cases[i].most);
            server_run(&server, 100);
            assert_int_equal(world->message_count, 0);
        }
        server_finish(&server);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_at_its_tick),
        cmocka_unit_test(test_too_far),
        cmocka_unit_test(test_to_the_tick),
        cmocka_unit_test(test_by_their_numbers),
        cmocka_unit_test(test_most_that_wait),
        cmocka_unit_test(test_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
