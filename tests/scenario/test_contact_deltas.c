/*
 * test_contact_deltas.c: clients that are sent contacts as differences have those of their view, in
 * a world that is pushed, paused, changed and reset: at several rates, with stalls, of a part of
 * the world, and with a budget.
 */
#include "engine/base/rng.h"
#include "proto/chunk.h"
#include "proto/peer.h"
#include "server/snapshot/scope.h"
#include "server/world/data/world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
/* cmocka wants the four of them. */
#include <cmocka.h>

#include "tests/support/server/server_sim.h" /* which wants cmocka */

#define MESSAGE_SIZE_MAX ((size_t)1024 * 1024)

struct client {
    int connection;
    bool is_blocked, is_partial, has_budget;
    struct wire_contact_decoder decoder;
    struct wire_chunks chunks;
    uint64_t seq, header_tick, delta_tick;
    bool has_header; /* in the last step */
    int delta_count, frame_count, event_count, header_count, key_count, checked_count;
    size_t tick_bytes;
    char refused[WIRE_CODE_SIZE], refused_path[128];
};

static struct server_sim sim;

static struct sv_world *
world_of_sim(void)
{
    return sim.host.worlds[0]->mailbox.world;
}

static void
say(const struct client *client, const struct wire_client_message *message)
{
    uint8_t bytes[1024];
    size_t size = wire_client_encode(message, bytes, sizeof(bytes));
    assert_in_range(size, 1, sizeof(bytes));
    sv_sim_send(&sim.transport, client->connection, bytes, size);
}

static struct wire_client_message
subscription(enum wire_mode mode, uint32_t contact_rate_hz)
{
    struct wire_client_message message = {.kind = WIRE_CLIENT_SUBSCRIBE};
    message.subscribe.contacts = true;
    message.subscribe.mode = mode;
    message.subscribe.contact_rate_hz = contact_rate_hz;
    return message;
}

static void
come(struct client *client, const struct wire_client_message *subscribe)
{
    struct wire_client_message hello = {.kind = WIRE_CLIENT_HELLO};
    struct wire_client_message join = {.kind = WIRE_CLIENT_JOIN};
    snprintf(join.join_world, sizeof(join.join_world), "heap");
    memset(client, 0, sizeof(*client));
    client->connection = sv_sim_connect(&sim.transport);
    client->is_partial = subscribe->subscribe.interest.is_part;
    client->has_budget = subscribe->subscribe.bytes_per_second > 0;
    hello.hello.version = WIRE_VERSION;
    say(client, &hello);
    say(client, subscribe);
    say(client, &join);
}

static void
go(struct client *client)
{
    sv_sim_disconnect(&sim.transport, client->connection);
    wire_contact_decoder_clear(&client->decoder);
    wire_chunks_finish(&client->chunks);
}

static bool
has_key(const struct wire_contacts *contacts, const struct wire_contact *key)
{
    for (int i = 0; i < contacts->count; i++) {
        if (wire_contact_compare(&contacts->contacts[i], key) == 0) {
            return true;
        }
    }
    return false;
}

static void
hear_delta(struct client *client, const uint8_t *bytes, size_t size)
{
    const struct wire_contacts *contacts = NULL;
    assert_int_equal(
        wire_decode_contact_delta(&client->decoder, bytes, size, &contacts), WIRE_DELTA_OK);
    client->delta_count++;
    client->delta_tick = contacts->tick;
    client->tick_bytes += size;
    const struct sv_world *world = world_of_sim();
    if (client->has_budget && world->contacts->generation == contacts->generation &&
        world->contacts->tick == contacts->tick) {
        for (int i = 0; i < contacts->count; i++) {
            assert_true(has_key(world->contacts, &contacts->contacts[i])); /* else it is stale */
        }
    }
}

static void
hear_message(struct client *client, const uint8_t *bytes, size_t size)
{
    struct wire_server_message heard;
    struct wire_error error;
    enum wire_server_kind kind = wire_server_kind(bytes, size);
    if (kind == WIRE_SERVER_CONTACT_DELTA) {
        hear_delta(client, bytes, size);
        return;
    }
    client->frame_count += kind == WIRE_SERVER_CONTACTS;
    client->event_count += kind == WIRE_SERVER_EVENTS;
    client->tick_bytes += kind == WIRE_SERVER_DELTA || kind == WIRE_SERVER_TICK ? size : 0;
    assert_true(wire_server_decode(bytes, size, &heard, &error));
    if (heard.kind == WIRE_SERVER_JOINED) {
        wire_heard_begin_contacts(heard.joined, &client->decoder);
    } else if (heard.kind == WIRE_SERVER_TICK) {
        client->header_count++;
        client->header_tick = heard.tick.tick;
        client->has_header = true;
    } else if (heard.kind == WIRE_SERVER_REJECTED) {
        memcpy(client->refused, heard.rejected.error.code, sizeof(client->refused));
        snprintf(client->refused_path, sizeof(client->refused_path), "%s",
            heard.rejected.error.path);
    }
    wire_server_message_finish(&heard);
}

static void
hear(struct client *client)
{
    struct sv_sim_message message;
    client->has_header = false;
    while (sv_sim_take(&sim.transport, client->connection, &message)) {
        const uint8_t *bytes = message.bytes;
        size_t size = message.size;
        enum wire_chunks_result result = WIRE_CHUNKS_WHOLE;
        if (wire_is_chunk(bytes, size)) {
            result = wire_chunks_take(&client->chunks, bytes, size, MESSAGE_SIZE_MAX);
            bytes = client->chunks.bytes;
            size = client->chunks.size;
        }
        if (result == WIRE_CHUNKS_WHOLE) {
            hear_message(client, bytes, size);
        }
        free(message.bytes);
    }
}

/* The contacts of the client's view; NULL: none were taken. */
static const struct wire_contacts *
view_of(const struct client *client)
{
    const struct sv_world *world = world_of_sim();
    for (int i = 0; i < world->scope_count; i++) {
        if (world->scopes[i]->interest.is_part == client->is_partial) {
            return world->scopes[i]->contacts_last;
        }
    }
    return NULL;
}

/*
 * A client that was sent the tick of the last contacts has exactly them, if its rate had that tick
 * (is_every: it has all).
 */
static void
check_shown(struct client *client, bool is_every)
{
    const struct sv_world *world = world_of_sim();
    const struct wire_contacts *view = view_of(client), *shown = client->decoder.kept[0];
    bool is_fresh = view != NULL && client->has_header &&
        client->header_tick == world->contacts_tick && view->generation == world->generation;
    if (!is_fresh || shown == NULL || (!is_every && shown->tick != view->tick)) {
        return;
    }
    assert_true(shown->number == view->number);
    assert_int_equal(shown->count, view->count);
    assert_memory_equal(shown->contacts, view->contacts,
        (size_t)view->count * sizeof(view->contacts[0]));
    assert_true(wire_contact_reports_are_equal(&shown->report, &view->report));
    client->checked_count++;
}

static void
run(struct client *clients, int count, int duration_ms)
{
    for (int i = 0; i < duration_ms; i++) {
        server_sim_step(&sim);
        for (int k = 0; k < count; k++) {
            hear(&clients[k]);
            if (!clients[k].has_budget) {
                check_shown(&clients[k], k == 0);
            }
        }
    }
}

static void
control(const struct client *client, enum wire_control_kind kind)
{
    struct wire_client_message message = {.kind = WIRE_CLIENT_CONTROL};
    message.control.kind = kind;
    message.control.request = 1;
    message.control.step_ticks = 3;
    say(client, &message);
}

static void
push(struct client *client, struct cn_rng *rng)
{
    struct wire_client_message message = {.kind = WIRE_CLIENT_INPUT};
    struct cn_command *command = &message.input.command;
    message.input.seq = ++client->seq;
    message.input.hold_ticks = (uint32_t)(cn_rng_next(rng) % 30);
    command->kind = CN_COMMAND_HOLD_FORCE;
    command->hold_force = (struct cn_hold_force){.holder = {.slot = 0},
        .body = 1 + (int32_t)(cn_rng_next(rng) % 10),
        .frame = CN_FRAME_WORLD,
        .force = cn_vec3_make((double)(cn_rng_next(rng) % 40) - 20.0, 12.0, 0.0)};
    say(client, &message);
}

static const char *
scene_text(void)
{
    static char text[4096];
    int size = snprintf(text, sizeof(text),
        "name: heap\nworld: {stepper: time, solver: impulse}\n"
        "materials: [{name: wood, friction: 0.5}]\nbodies:\n"
        "- {type: STATIC, position: {y: -0.5}, "
        "shapes: [{box: {size: {x: 60, y: 1}}, material: wood}]}\n");
    for (int row = 0; row < 4; row++) {
        for (int i = 0; i < 4 - row; i++) {
            size += snprintf(text + size, sizeof(text) - (size_t)size,
                "- {position: {x: %g, y: %g}, mass: 1,\n"
                "   shapes: [{box: {size: {x: 0.5, y: 0.5}}, material: wood}]}\n",
                0.55 * i + 0.28 * row, 0.25 + 0.5 * row);
        }
    }
    assert_in_range(size, 1, sizeof(text) - 1);
    return text;
}

/* ---- scenarios ---- */

/* A world at rest: each client gets one keyframe and then nothing more. */
static void
test_rest(void **state)
{
    (void)state;
    struct client clients[2];
    struct wire_client_message every = subscription(WIRE_MODE_DELTA, 60);
    struct wire_client_message some = subscription(WIRE_MODE_QUANTISED, 20);
    server_sim_init(&sim, scene_text());
    come(&clients[0], &every);
    run(clients, 1, 6000);
    int count = clients[0].delta_count;
    assert_in_range(count, 1, 300);
    run(clients, 1, 2000);
    assert_int_equal(clients[0].delta_count, count);
    come(&clients[1], &some);
    run(clients, 2, 2000);
    assert_int_equal(clients[0].delta_count, count);
    assert_int_equal(clients[1].delta_count, 1);
    assert_int_equal(clients[0].frame_count + clients[1].frame_count, 0);
    assert_true(clients[1].decoder.kept[0]->count >= 16);
    go(&clients[0]);
    go(&clients[1]);
    server_sim_finish(&sim);
}

/* While all is moving, contacts come at their own rate; RAW gets whole frames at it. */
static void
test_rates(void **state)
{
    (void)state;
    struct client clients[4];
    struct cn_rng rng = {.state = 5};
    struct wire_client_message every = subscription(WIRE_MODE_DELTA, 60);
    struct wire_client_message some = subscription(WIRE_MODE_QUANTISED, 20);
    struct wire_client_message half = subscription(WIRE_MODE_DELTA, 20);
    struct wire_client_message raw = subscription(WIRE_MODE_RAW, 20);
    half.subscribe.rate_hz = 30;
    server_sim_init(&sim, scene_text());
    come(&clients[0], &every);
    come(&clients[1], &some);
    come(&clients[2], &half);
    come(&clients[3], &raw);
    run(clients, 4, 200);
    for (int k = 0; k < 4; k++) {
        clients[k].delta_count = clients[k].header_count = clients[k].frame_count = 0;
    }
    for (int i = 0; i < 50; i++) {
        push(&clients[0], &rng);
        run(clients, 4, 100);
    }
    assert_in_range(clients[0].header_count, 290, 320);
    assert_in_range(clients[0].delta_count, 280, clients[0].header_count);
    assert_in_range(clients[1].delta_count, 90, 101);
    assert_in_range(clients[2].delta_count, 90, 101);
    assert_in_range(clients[3].frame_count, 90, 101);
    assert_int_equal(clients[3].delta_count, 0);
    assert_true(clients[0].checked_count > 250 && clients[1].checked_count > 80);
    for (int k = 0; k < 4; k++) {
        go(&clients[k]);
    }
    server_sim_finish(&sim);
}

/*
 * Clients that stall, join again, and see a part of the world, while it is pushed, paused, stepped
 * and reset.
 */
static void
test_disturbed(void **state)
{
    (void)state;
    struct client clients[4];
    struct cn_rng rng = {.state = 11};
    struct wire_client_message every = subscription(WIRE_MODE_DELTA, 60);
    struct wire_client_message some = subscription(WIRE_MODE_DELTA, 30);
    struct wire_client_message part = subscription(WIRE_MODE_DELTA, 60);
    part.subscribe.interest = (struct wire_interest){
        .is_part = true, .around = WIRE_AROUND_POINT, .reach = {1.0, 1.0, 0.0}};
    server_sim_init(&sim, scene_text());
    come(&clients[0], &every);
    come(&clients[1], &some);
    come(&clients[2], &part);
    for (int i = 0; i < 600; i++) {
        unsigned event = (unsigned)(cn_rng_next(&rng) % 64);
        unsigned who = 1 + event % 2;
        if (event < 30) {
            push(&clients[0], &rng);
        } else if (event < 40) {
            clients[who].is_blocked = !clients[who].is_blocked;
            sv_sim_block(&sim.transport, clients[who].connection, clients[who].is_blocked);
        } else if (event == 40) {
            control(&clients[0], WIRE_CONTROL_RESET);
        } else if (event < 44) {
            control(&clients[0], WIRE_CONTROL_PAUSE);
        } else if (event < 47) {
            control(&clients[0], WIRE_CONTROL_STEP);
        } else if (event < 60) {
            control(&clients[0], WIRE_CONTROL_RESUME);
        } else if (event == 60) {
            say(&clients[0], &every); /* said again: the next one is a keyframe */
        }
        run(clients, 3, 40);
    }
    for (int k = 0; k < 3; k++) {
        assert_true(clients[k].delta_count > 50 && clients[k].checked_count > 20);
        go(&clients[k]);
    }
    server_sim_finish(&sim);
}

/*
 * With a budget contacts come with the bodies, never stale, and all of them once the world stands
 * still.
 */
static void
test_budget(void **state)
{
    (void)state;
    struct client clients[2];
    struct cn_rng rng = {.state = 3};
    struct wire_client_message every = subscription(WIRE_MODE_DELTA, 60);
    struct wire_client_message poor = subscription(WIRE_MODE_DELTA, 60);
    poor.subscribe.bytes_per_second = 3000;
    server_sim_init(&sim, scene_text());
    come(&clients[0], &every);
    come(&clients[1], &poor);
    run(clients, 2, 100);
    clients[1].tick_bytes = 0;
    for (int i = 0; i < 100; i++) {
        push(&clients[0], &rng);
        run(clients, 2, 100);
    }
    assert_true(clients[1].delta_count > 20);
    assert_in_range(clients[1].tick_bytes, 15000, 3000 * 10 + 750);
    assert_int_equal(clients[1].event_count, 0);
    control(&clients[0], WIRE_CONTROL_PAUSE);
    run(clients, 2, 3000);
    const struct wire_contacts *all = world_of_sim()->contacts;
    const struct wire_contacts *shown = clients[1].decoder.kept[0];
    assert_true(all->count > 10 && shown->count == all->count);
    assert_memory_equal(
        shown->contacts, all->contacts, (size_t)all->count * sizeof(all->contacts[0]));
    go(&clients[0]);
    go(&clients[1]);
    server_sim_finish(&sim);
}

/* A Subscribe whose rate of contacts is not possible changes nothing. */
static void
test_refused(void **state)
{
    (void)state;
    struct client client;
    struct wire_client_message bad = subscription(WIRE_MODE_DELTA, 10001);
    server_sim_init(&sim, scene_text());
    come(&client, &bad);
    run(&client, 1, 100);
    assert_string_equal(client.refused, "RANGE");
    assert_string_equal(client.refused_path, "subscribe.contactRate");
    bad = subscription(WIRE_MODE_DELTA, 20);
    bad.subscribe.contacts = false;
    say(&client, &bad);
    run(&client, 1, 100);
    assert_string_equal(client.refused, "FIELD");
    assert_string_equal(client.refused_path, "subscribe.contactRate");
    bad = subscription(WIRE_MODE_DELTA, 0);
    bad.subscribe.bytes_per_second = 5000;
    say(&client, &bad);
    run(&client, 1, 100);
    assert_string_equal(client.refused_path, "subscribe.bytesPerSecond");
    assert_int_equal(client.delta_count + client.frame_count, 0);
    go(&client);
    server_sim_finish(&sim);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rest),
        cmocka_unit_test(test_rates),
        cmocka_unit_test(test_disturbed),
        cmocka_unit_test(test_budget),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
