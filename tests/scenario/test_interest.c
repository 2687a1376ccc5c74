/*
 * test_interest.c: members that see parts of a world, within a number of bytes, from Subscribe to
 * the decoded data; the server runs on the simulated clock and transport.
 */
#include "proto/peer.h"
#include "server/snapshot/publication.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
/* cmocka wants the four of them. */
#include <cmocka.h>

#include "tests/support/server/server_sim.h" /* which wants cmocka */

#define METRE 4096 /* quanta */

/* Slot 1 drives by at 4 m/s; 2 is a flag that everybody sees; 3 and 4 have tags; 5 is far away. */
static const char small_text[] =
    "name: interest\n"
    "world: {gravity: {y: 0}}\n"
    "bodies:\n"
    "- {type: STATIC, position: {y: -50}, shapes: [{box: {size: {x: 4, y: 1}}}]}\n"
    "- {type: KINEMATIC, position: {x: -4}, velocity: {x: 4},\n"
    "   shapes: [{circle: {radius: 0.2}}]}\n"
    "- {alwaysRelevant: true, position: {x: 90}, shapes: [{circle: {radius: 0.2}}]}\n"
    "- {tags: [lamp, red], position: {x: 91}, shapes: [{circle: {radius: 0.2}}]}\n"
    "- {tags: [lamp], position: {x: 92}, shapes: [{circle: {radius: 0.2}}]}\n"
    "- {position: {x: 93}, shapes: [{circle: {radius: 0.2}}]}\n";

#define CLIENTS_MAX 4

/* The bytes that the transport last got for a connection; a tick's last span is shared. */
struct handed {
    const uint8_t *shown;
    uint64_t tick_size; /* of all ticks together */
    int tick_count;
};

struct client {
    int connection;
    struct wire_decoder decoder;
    const struct wire_state *seen; /* NULL: nothing yet */
    int delta_count, keyframe_count, status_count;
    char refused[WIRE_CODE_SIZE]; /* the code of the last Rejected */
};

static struct stage {
    struct server_sim sim;
    struct sv_transport below;
    struct sv_connection *connections[CLIENTS_MAX]; /* in the order of their first ticks */
    struct handed handed[CLIENTS_MAX];
    int handed_count;
} stage;

static bool
watch_send(void *context, struct sv_connection *connection, const struct sv_span *spans, int count)
{
    bool is_sent = stage.below.send(context, connection, spans, count);
    int i = 0;
    while (i < stage.handed_count && stage.connections[i] != connection) {
        i++;
    }
    if (is_sent && count > 1) {
        if (i == stage.handed_count) {
            assert_true(i < CLIENTS_MAX);
            stage.connections[stage.handed_count++] = connection;
        }
        /* Messages of the world to all members may come before header and state. */
        stage.handed[i].shown = spans[count - 1].bytes;
        stage.handed[i].tick_size += spans[count - 2].size + spans[count - 1].size;
        stage.handed[i].tick_count++;
        assert_in_range(count, 2, 2 + SV_SAID_MAX);
    }
    return is_sent;
}

static void
stage_init(const char *text)
{
    memset(&stage, 0, sizeof(stage));
    server_sim_init(&stage.sim, text);
    stage.below = stage.sim.gateway.transport;
    stage.sim.gateway.transport.send = watch_send;
}

/* ---- clients ---- */

static void
say(const struct client *client, const struct wire_client_message *message)
{
    uint8_t bytes[1024];
    size_t size = wire_client_encode(message, bytes, sizeof(bytes));
    assert_in_range(size, 1, sizeof(bytes));
    sv_sim_send(&stage.sim.transport, client->connection, bytes, size);
}

static void
subscribe(
    const struct client *client, const struct wire_interest *interest, uint32_t bytes_per_second)
{
    struct wire_client_message message = {.kind = WIRE_CLIENT_SUBSCRIBE};
    message.subscribe.mode = WIRE_MODE_DELTA;
    message.subscribe.bytes_per_second = bytes_per_second;
    if (interest != NULL) {
        message.subscribe.interest = *interest;
    }
    say(client, &message);
}

static void
come(struct client *client, const struct wire_interest *interest, uint32_t bytes_per_second)
{
    struct wire_client_message hello = {.kind = WIRE_CLIENT_HELLO};
    struct wire_client_message join = {
        .kind = WIRE_CLIENT_JOIN, .join_world = "interest"};
    memset(client, 0, sizeof(*client));
    client->decoder.precision = wire_precision_default();
    client->connection = sv_sim_connect(&stage.sim.transport);
    hello.hello.version = WIRE_VERSION;
    say(client, &hello);
    subscribe(client, interest, bytes_per_second);
    say(client, &join);
}

static void
hear(struct client *client)
{
    struct sv_sim_message message;
    while (sv_sim_take(&stage.sim.transport, client->connection, &message)) {
        struct wire_server_message heard;
        struct wire_error error;
        const struct wire_state *state;
        enum wire_delta_result result =
            wire_decode_delta(&client->decoder, message.bytes, message.size, &state);
        if (result == WIRE_DELTA_OK) {
            client->seen = state;
            client->delta_count++;
        } else {
            assert_int_equal(result, WIRE_DELTA_OTHER);
            assert_true(wire_server_decode(message.bytes, message.size, &heard, &error));
            if (heard.kind == WIRE_SERVER_REJECTED) {
                memcpy(client->refused, heard.rejected.error.code, sizeof(client->refused));
            } else if (heard.kind == WIRE_SERVER_JOINED) {
                wire_heard_begin_decoder(heard.joined, &client->decoder);
                client->seen = NULL;
            }
            client->status_count += heard.kind == WIRE_SERVER_STATUS;
            wire_server_message_finish(&heard);
        }
        free(message.bytes);
    }
}

static void
run(struct client *clients, int count, int duration_ms)
{
    for (int i = 0; i < duration_ms; i++) {
        server_sim_step(&stage.sim);
        for (int k = 0; k < count; k++) {
            hear(&clients[k]);
        }
    }
}

static void
go(struct client *client)
{
    sv_sim_disconnect(&stage.sim.transport, client->connection);
    wire_ring_clear(&client->decoder.ring);
}

static void
stage_finish(struct client *clients, int count)
{
    for (int i = 0; i < count; i++) {
        go(&clients[i]);
    }
    server_sim_finish(&stage.sim);
}

static void
assert_slots(const struct client *client, const char *slots)
{
    char seen[16] = "";
    assert_non_null(client->seen);
    assert_in_range(client->seen->count, 0, 9);
    for (int i = 0; i < client->seen->count; i++) {
        seen[i] = (char)('0' + client->seen->body[i]);
    }
    assert_string_equal(seen, slots);
}

static struct wire_interest
tagged(const char *one, const char *other)
{
    struct wire_interest interest = {.is_part = true};
    assert_true(wire_interest_tag(&interest, one));
    assert_true(other == NULL || wire_interest_tag(&interest, other));
    return interest;
}

/* ---- scenarios ---- */

/* Clients with equal interests, in any order of tags, share a view and its bytes; others do not. */
static void
test_equal_views_share(void **state)
{
    (void)state;
    struct client clients[3];
    struct wire_interest one = tagged("red", "door"), same = tagged("door", "red");
    struct wire_interest other = tagged("lamp", NULL);
    stage_init(small_text);
    come(&clients[0], &one, 0);
    come(&clients[1], &same, 0);
    come(&clients[2], &other, 0);
    run(clients, 3, 200);
    const struct sv_publication *publication = stage.sim.host.worlds[0]->publication;
    assert_int_equal(publication->view_count, 3); /* with that of the whole world */
    for (int i = 0; i < 40; i++) {
        run(clients, 3, 17);
        assert_ptr_equal(stage.handed[0].shown, stage.handed[1].shown);
        assert_ptr_not_equal(stage.handed[0].shown, stage.handed[2].shown);
    }
    assert_slots(&clients[0], "23");
    assert_slots(&clients[1], "23");
    assert_slots(&clients[2], "234");
    go(&clients[2]);
    run(clients, 2, 100);
    assert_int_equal(stage.sim.host.worlds[0]->publication->view_count, 2);
    subscribe(&clients[1], NULL, 0);
    run(clients, 2, 100);
    assert_slots(&clients[1], "12345");
    stage_finish(clients, 2);
}

/* A body that drives through an area of 2 m to each side is seen from -2 m until beyond 2.2 m. */
static void
test_enter_and_leave(void **state)
{
    (void)state;
    struct client client;
    const struct wire_interest area = {
        .is_part = true, .around = WIRE_AROUND_POINT, .reach = {.x = 2.0, .y = 2.0}};
    int entered = 0, left = 0;
    bool was_in = false;
    stage_init(small_text);
    come(&client, &area, 0);
    run(&client, 1, 100);
    for (int i = 0; i < 2200; i++) {
        run(&client, 1, 1);
        const struct wire_state *whole = stage.sim.host.worlds[0]->publication->views[0].state;
        int32_t x = whole->x[0];
        assert_int_equal(client.seen->tick, whole->tick);
        bool is_in = client.seen->body[0] == 1;
        entered += is_in && !was_in ? 1 : 0;
        left += was_in && !is_in ? 1 : 0;
        if (is_in) {
            assert_int_equal(client.seen->x[0], x);
            assert_in_range(x + 3 * METRE, METRE, 3 * METRE + 2 * METRE + 2 * METRE / 10);
        } else {
            assert_true(x < -2 * METRE || x > 2 * METRE + 2 * METRE / 10);
        }
        was_in = is_in;
    }
    assert_int_equal(entered, 1);
    assert_int_equal(left, 1);
    stage_finish(&client, 1);
}

/* ---- budgets ---- */

/* Two hundred bodies that fly about. */
static const char *
crowd_text(void)
{
    static char text[32768];
    int size = snprintf(text, sizeof(text), "name: interest\nworld: {gravity: {y: 0}}\nbodies:\n");
    for (int i = 0; i < 200; i++) {
        size += snprintf(text + size, sizeof(text) - (size_t)size,
            "- {type: KINEMATIC, position: {x: %d, y: %d}, velocity: {x: %d.%d, y: -%d.3},"
            " angularVelocity: {z: %d}, shapes: [{circle: {radius: 0.1}}]}\n",
            i % 20, i / 20, i % 3, i % 7, i % 5, i % 4 - 2);
    }
    assert_in_range(size, 1, sizeof(text) - 1);
    return text;
}

/*
 * A client whose budget is too small for the world, beside one without a budget.  However the
 * socket behaves, the client never gets more bytes than its budget, and it decodes correct states.
 * When the world is paused, the client gets the whole state.
 */
static void
test_budget(void **state)
{
    (void)state;
    enum { RATE = 4000 };
    struct client clients[2];
    struct wire_client_message pause = {.kind = WIRE_CLIENT_CONTROL};
    stage_init(crowd_text());
    uint64_t start_ns = stage.sim.now_ns;
    come(&clients[0], NULL, RATE);
    run(clients, 1, 200);
    assert_int_equal(stage.handed_count, 1);
    come(&clients[1], NULL, 0);
    for (int i = 0; i < 400; i++) {
        sv_sim_block(&stage.sim.transport, clients[0].connection, i % 40 > 34);
        run(clients, 2, 10);
        uint64_t earned = RATE * (stage.sim.now_ns - start_ns) / SV_NS_PER_S;
        assert_true(stage.handed[0].tick_size <= earned);
    }
    uint64_t earned = RATE * (stage.sim.now_ns - start_ns) / SV_NS_PER_S;
    assert_true(stage.handed[0].tick_size >= earned * 85 / 100); /* some were lost on the way */
    assert_int_equal(clients[0].seen->count, 200);
    sv_sim_block(&stage.sim.transport, clients[0].connection, false);
    pause.control.kind = WIRE_CONTROL_PAUSE;
    pause.control.request = 1;
    say(&clients[1], &pause);
    run(clients, 2, 3000);
    const struct wire_state *whole = stage.sim.host.worlds[0]->publication->views[0].state;
    assert_int_equal(clients[0].seen->tick, whole->tick);
    assert_int_equal(clients[0].seen->view_hash, whole->view_hash);
    earned = RATE * (stage.sim.now_ns - start_ns) / SV_NS_PER_S;
    assert_true(stage.handed[0].tick_size <= earned);
    stage_finish(clients, 2);
}

/* A client whose budget suffices gets the same shared bytes as a client without a budget. */
static void
test_rich_budget_shares(void **state)
{
    (void)state;
    struct client clients[2];
    stage_init(small_text);
    come(&clients[0], NULL, 50000);
    come(&clients[1], NULL, 0);
    run(clients, 2, 500);
    for (int i = 0; i < 40; i++) {
        run(clients, 2, 17);
        assert_ptr_equal(stage.handed[0].shown, stage.handed[1].shown);
    }
    stage_finish(clients, 2);
}

/*
 * A Subscribe equal to the last one asks for everything again.  The next message then needs no
 * earlier state.
 */
static void
test_said_again(void **state)
{
    (void)state;
    struct client client;
    const struct wire_interest area = {
        .is_part = true, .around = WIRE_AROUND_POINT, .reach = {.x = 8.0, .y = 0.0}};
    stage_init(crowd_text());
    come(&client, &area, 5000);
    for (int i = 0; i < 30; i++) {
        run(&client, 1, 97);
        wire_ring_clear(&client.decoder.ring); /* it has lost everything */
        client.seen = NULL;
        subscribe(&client, &area, 5000);
    }
    run(&client, 1, 500);
    assert_non_null(client.seen);
    assert_in_range(client.seen->count, 20, 200);
    stage_finish(&client, 1);
}

/*
 * The world's status, once a second, travels in the write of a tick.  It reaches a client that gets
 * every tick, one that gets few because of its budget, and one that was blocked.
 */
static void
test_said_with_ticks(void **state)
{
    (void)state;
    struct client all[3], *usual = &all[0], *poor = &all[1], *blocked = &all[2];
    stage_init(small_text);
    come(usual, NULL, 0);
    run(all, 1, 500);
    int writes = stage.sim.transport.write_count, ticks = stage.handed[0].tick_count;
    int said = usual->status_count;
    run(all, 1, 5000);
    assert_int_equal(usual->status_count, said + 5);
    assert_int_equal(
        stage.sim.transport.write_count - writes, stage.handed[0].tick_count - ticks);
    come(poor, NULL, 100);
    come(blocked, NULL, 0);
    run(all, 3, 500);
    for (int i = 0; i < 3; i++) {
        all[i].status_count = 0;
    }
    sv_sim_block(&stage.sim.transport, blocked->connection, true);
    run(all, 3, 5000);
    assert_int_equal(blocked->status_count, 0);
    sv_sim_block(&stage.sim.transport, blocked->connection, false);
    hear(blocked);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(all[i].status_count, 5);
    }
    stage_finish(all, 3);
}

/* After a refused Subscribe the client's old subscription continues. */
static void
test_refusal(void **state)
{
    (void)state;
    struct client client;
    struct wire_interest wrong = {
        .is_part = true, .around = WIRE_AROUND_POINT, .reach = {.x = -1.0}};
    stage_init(small_text);
    come(&client, NULL, 0);
    run(&client, 1, 100);
    subscribe(&client, &wrong, 0);
    run(&client, 1, 100);
    assert_string_equal(client.refused, "RANGE");
    assert_slots(&client, "12345");
    subscribe(&client, NULL, 17);
    run(&client, 1, 100);
    assert_slots(&client, "12345");
    assert_int_equal(sv_sim_close_code(&stage.sim.transport, client.connection), 0);
    stage_finish(&client, 1);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal_views_share),
        cmocka_unit_test(test_enter_and_leave),
        cmocka_unit_test(test_budget),
        cmocka_unit_test(test_rich_budget_shares),
        cmocka_unit_test(test_said_again),
        cmocka_unit_test(test_said_with_ticks),
        cmocka_unit_test(test_refusal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
