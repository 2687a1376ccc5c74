/*
 * test_attributes.c: attributes from a scene to clients: Joined, AttributeFrames of views,
 * controls, resets, sessions that leave, and clients that skip ticks.
 */
#include "proto/peer.h"
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

static const char scene_text[] =
    "name: points\n"
    "world: {stepper: time, solver: impulse, sleep: false}\n"
    "attributes: [{name: score, integer: 0}, {name: level, text: one}]\n"
    "bodies:\n"
    "- {name: floor, type: STATIC, shapes: [{box: {size: {x: 90, y: 1}}}],\n"
    "   attributes: [{name: kind, text: ground}]}\n"
    "- {name: near, mass: 1, position: {y: 1.5}, shapes: [{box: {size: {x: 1, y: 1}}}],\n"
    "   attributes: [{name: hp, number: 1.5}]}\n"
    "- {name: far, mass: 1, position: {x: 30, y: 1.5}, shapes: [{box: {size: {x: 1, y: 1}}}],\n"
    "   attributes: [{name: hp, number: 2.5}]}\n";

#define ROWS_MAX 64

/* A client, with the attributes that its frames give it. */
struct client {
    int connection;
    uint64_t session;
    struct cn_attribute rows[ROWS_MAX];
    int row_count, frame_count, full_count;
    int change_count; /* in its last frame */
    uint32_t done;
    char refused[WIRE_CODE_SIZE], refused_path[128];
    int joined_count; /* attributes in its last Joined */
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
    static uint8_t bytes[65536];
    size_t size = wire_client_encode(message, bytes, sizeof(bytes));
    assert_in_range(size, 1, sizeof(bytes));
    sv_sim_send(&sim.transport, client->connection, bytes, size);
}

static void
come(struct client *client, const struct wire_interest *interest)
{
    struct wire_client_message hello = {.kind = WIRE_CLIENT_HELLO};
    struct wire_client_message join = {.kind = WIRE_CLIENT_JOIN, .join_world = "points"};
    struct wire_client_message subscribe = {
        .kind = WIRE_CLIENT_SUBSCRIBE, .subscribe = {.attributes = true}};
    memset(client, 0, sizeof(*client));
    client->connection = sv_sim_connect(&sim.transport);
    hello.hello.version = WIRE_VERSION;
    say(client, &hello);
    say(client, &join);
    if (interest != NULL) {
        subscribe.subscribe.interest = *interest;
    }
    say(client, &subscribe);
}

static void
change_row(struct client *client, const struct cn_attribute *change)
{
    int at = 0;
    while (at < client->row_count && cn_attribute_compare(&client->rows[at], change) != 0) {
        at++;
    }
    if (change->value.kind == CN_VALUE_NONE) {
        if (at < client->row_count) {
            client->rows[at] = client->rows[--client->row_count];
        }
        return;
    }
    assert_true(at < ROWS_MAX);
    client->row_count += at == client->row_count ? 1 : 0;
    client->rows[at] = *change;
}

static void
hear_message(struct client *client, const uint8_t *bytes, size_t size)
{
    struct wire_server_message heard;
    struct wire_error error;
    if (!wire_server_decode(bytes, size, &heard, &error)) {
        fail_msg("%s: %s %s", error.code, error.path, error.text);
    }
    if (heard.kind == WIRE_SERVER_WELCOME) {
        client->session = heard.welcome.session;
    } else if (heard.kind == WIRE_SERVER_JOINED) {
        client->joined_count = heard.joined->attribute_count;
    } else if (heard.kind == WIRE_SERVER_ATTRIBUTES) {
        client->frame_count++;
        client->full_count += heard.attributes.full ? 1 : 0;
        client->row_count = heard.attributes.full ? 0 : client->row_count;
        client->change_count = heard.attributes.count;
        for (int i = 0; i < heard.attributes.count; i++) {
            change_row(client, &heard.attributes.changes[i]);
        }
    } else if (heard.kind == WIRE_SERVER_DONE) {
        client->done = heard.done.request;
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
    while (sv_sim_take(&sim.transport, client->connection, &message)) {
        hear_message(client, message.bytes, message.size);
        free(message.bytes);
    }
}

static void
run_ms(int duration_ms, struct client *clients, int count)
{
    for (int i = 0; i < duration_ms; i++) {
        server_sim_step(&sim);
    }
    for (int i = 0; i < count; i++) {
        hear(&clients[i]);
    }
}

static struct cn_attribute
attribute_of(struct cn_owner owner, const char *name, struct cn_value value)
{
    struct cn_attribute attribute = {.owner = owner, .value = value};
    memcpy(attribute.name, name, strlen(name));
    return attribute;
}

static void
set_all(struct client *client, uint32_t request, struct cn_attribute *attributes, int count)
{
    struct wire_client_message message = {.kind = WIRE_CLIENT_CONTROL,
        .control = {.request = request, .kind = WIRE_CONTROL_ATTRIBUTES,
            .attributes = {attributes, count}}};
    say(client, &message);
}

static void
set(struct client *client, struct cn_owner owner, const char *name, struct cn_value value)
{
    struct cn_attribute attribute = attribute_of(owner, name, value);
    set_all(client, 7, &attribute, 1);
}

#define WORLD ((struct cn_owner){CN_OWNER_WORLD, 0})
#define BODY(slot) ((struct cn_owner){CN_OWNER_BODY, (slot)})
#define SESSION(id) ((struct cn_owner){CN_OWNER_SESSION, (id)})

static const struct cn_value *
value_of(const struct client *client, struct cn_owner owner, const char *name)
{
    for (int i = 0; i < client->row_count; i++) {
        if (cn_owner_compare(client->rows[i].owner, owner) == 0 &&
            strcmp(client->rows[i].name, name) == 0) {
            return &client->rows[i].value;
        }
    }
    return NULL;
}

/* The client knows all attributes of the world, as they are. */
static void
assert_knows_all(const struct client *client)
{
    const struct cn_attribute *rows;
    int count = cn_world_attributes(world_of_sim()->engine, &rows), shown = 0;
    for (int i = 0; i < count; i++) {
        if (!cn_attribute_is_hidden(&rows[i])) {
            const struct cn_value *value = value_of(client, rows[i].owner, rows[i].name);
            assert_non_null(value);
            assert_true(cn_value_is_same(value, &rows[i].value));
            shown++;
        }
    }
    assert_int_equal(client->row_count, shown);
}

static void
test_frames(void **state)
{
    (void)state;
    struct client clients[2];
    server_sim_init(&sim, scene_text);
    come(&clients[0], NULL);
    come(&clients[1], NULL);
    run_ms(200, clients, 2);
    assert_int_equal(clients[0].joined_count, 5);
    assert_int_equal(clients[0].frame_count, 1); /* nothing has changed since */
    assert_int_equal(clients[0].full_count, 1);
    assert_knows_all(&clients[0]);

    /* Values of every kind reach both, each with one frame that has the change alone. */
    struct cn_value raw = {.kind = CN_VALUE_BYTES, .size = 2, .bytes = {0, 0xff}};
    const struct cn_value values[] = {cn_value_integer(-7), cn_value_number(0.25),
        cn_value_text("gr\xc3\xbcn"), cn_value_flag(false), raw, {.kind = CN_VALUE_NONE}};
    for (int i = 0; i < 6; i++) {
        int frames = clients[1].frame_count;
        set(&clients[0], WORLD, "score", values[i]);
        run_ms(60, clients, 2);
        assert_int_equal(clients[0].done, 7);
        assert_int_equal(clients[1].frame_count, frames + 1);
        assert_int_equal(clients[1].change_count, 1);
        assert_int_equal(clients[1].full_count, 1);
        assert_knows_all(&clients[0]);
        assert_knows_all(&clients[1]);
    }
    assert_null(value_of(&clients[1], WORLD, "score"));

    /* A session's own, which goes with it. */
    set(&clients[0], SESSION(clients[0].session), "team", cn_value_text("red"));
    run_ms(60, clients, 2);
    assert_non_null(value_of(&clients[1], SESSION(clients[0].session), "team"));
    sv_sim_disconnect(&sim.transport, clients[0].connection);
    run_ms(100, &clients[1], 1);
    assert_null(value_of(&clients[1], SESSION(clients[0].session), "team"));
    assert_knows_all(&clients[1]);
    server_sim_finish(&sim);
}

/* Of several changes all are made, or none, and the refusal names the first that is wrong. */
static void
test_all_or_none(void **state)
{
    (void)state;
    struct client client;
    server_sim_init(&sim, scene_text);
    come(&client, NULL);
    run_ms(100, &client, 1);
    uint64_t hash = cn_world_hash(world_of_sim()->engine);
    struct cn_attribute some[] = {
        attribute_of(WORLD, "score", cn_value_integer(1)),
        attribute_of(WORLD, "level", (struct cn_value){0}),
        attribute_of(BODY(9), "hp", cn_value_integer(1)),
    };
    struct wire_client_message pause = {.kind = WIRE_CLIENT_CONTROL,
        .control = {.request = 3, .kind = WIRE_CONTROL_PAUSE}};
    say(&client, &pause);
    run_ms(50, &client, 1);
    hash = cn_world_hash(world_of_sim()->engine);
    set_all(&client, 8, some, 3);
    run_ms(50, &client, 1);
    assert_string_equal(client.refused, "REFERENCE");
    assert_string_equal(client.refused_path, "control.attributes.changes[2].body");
    assert_int_equal(cn_world_hash(world_of_sim()->engine), hash);

    some[2] = attribute_of(SESSION(client.session + 5), "team", cn_value_integer(1));
    set_all(&client, 8, some, 3);
    run_ms(50, &client, 1);
    assert_string_equal(client.refused_path, "control.attributes.changes[2].session");
    assert_int_equal(cn_world_hash(world_of_sim()->engine), hash);

    some[2] = attribute_of(WORLD, ".rule", cn_value_integer(1));
    set_all(&client, 8, some, 3);
    run_ms(50, &client, 1);
    assert_string_equal(client.refused_path, "control.attributes.changes[2].attribute.name");
    assert_int_equal(cn_world_hash(world_of_sim()->engine), hash);

    set_all(&client, 9, some, 2);
    run_ms(50, &client, 1);
    assert_int_equal(client.done, 9);
    assert_knows_all(&client);
    assert_null(value_of(&client, WORLD, "level"));
    server_sim_finish(&sim);
}

/* A view has the bodies of its part, and the floor, which no snapshot has. */
static void
test_views(void **state)
{
    (void)state;
    struct client clients[2];
    const struct wire_interest here = {
        .is_part = true, .around = WIRE_AROUND_BODY, .body = 1, .reach = {.x = 5.0, .y = 5.0}};
    server_sim_init(&sim, scene_text);
    come(&clients[0], &here);
    come(&clients[1], NULL);
    run_ms(100, clients, 2);
    assert_int_equal(clients[0].row_count, 4);
    assert_non_null(value_of(&clients[0], BODY(0), "kind"));
    assert_non_null(value_of(&clients[0], BODY(1), "hp"));
    assert_null(value_of(&clients[0], BODY(2), "hp"));

    /* Changes beyond the view are not sent. */
    int frames = clients[0].frame_count;
    set(&clients[1], BODY(2), "hp", cn_value_number(3.5));
    run_ms(60, clients, 2);
    assert_int_equal(clients[0].frame_count, frames);
    assert_knows_all(&clients[1]);

    /* A body that enters brings its attributes; one that leaves takes them along. */
    struct cn_command place = {.kind = CN_COMMAND_PLACE_BODY,
        .place_body = {.body = 2, .position = {3.0, 1.5, 0.0}}};
    assert_int_equal(cn_world_command_apply(world_of_sim()->engine, &place, NULL), CN_OK);
    run_ms(60, clients, 2);
    assert_non_null(value_of(&clients[0], BODY(2), "hp"));
    assert_true(value_of(&clients[0], BODY(2), "hp")->number == 3.5);
    place.place_body.position.x = 40.0;
    assert_int_equal(cn_world_command_apply(world_of_sim()->engine, &place, NULL), CN_OK);
    run_ms(60, clients, 2);
    assert_null(value_of(&clients[0], BODY(2), "hp"));
    server_sim_finish(&sim);
}

/* A client that was stalled gets one frame with the sum of what it missed. */
static void
test_stalled(void **state)
{
    (void)state;
    struct client clients[2];
    server_sim_init(&sim, scene_text);
    come(&clients[0], NULL);
    come(&clients[1], NULL);
    run_ms(100, clients, 2);
    sv_sim_block(&sim.transport, clients[1].connection, true);
    for (int i = 0; i < 10; i++) {
        set(&clients[0], WORLD, "score", cn_value_integer(i));
        set(&clients[0], WORLD, i % 2 == 0 ? "even" : "odd", cn_value_integer(i));
        run_ms(40, &clients[0], 1);
    }
    set(&clients[0], WORLD, "level", (struct cn_value){0});
    run_ms(40, &clients[0], 1);
    hear(&clients[1]);
    int frames = clients[1].frame_count;
    sv_sim_block(&sim.transport, clients[1].connection, false);
    run_ms(100, clients, 2);
    assert_int_equal(clients[1].frame_count, frames + 1);
    assert_int_equal(clients[1].change_count, 4);
    assert_int_equal(clients[1].full_count, 1);
    assert_knows_all(&clients[1]);
    server_sim_finish(&sim);
}

/* A reset begins again, and a change of bodies brings their attributes. */
static void
test_reset(void **state)
{
    (void)state;
    struct client client;
    server_sim_init(&sim, scene_text);
    come(&client, NULL);
    run_ms(100, &client, 1);
    set(&client, WORLD, "score", cn_value_integer(12));
    set(&client, WORLD, "more", cn_value_integer(12));
    set(&client, SESSION(client.session), "team", cn_value_integer(12));
    run_ms(100, &client, 1);
    struct wire_client_message reset = {.kind = WIRE_CLIENT_CONTROL,
        .control = {.request = 4, .kind = WIRE_CONTROL_RESET}};
    say(&client, &reset);
    run_ms(100, &client, 1);
    assert_int_equal(client.full_count, 2);
    assert_int_equal(client.row_count, 5);
    assert_int_equal(value_of(&client, WORLD, "score")->integer, 0);
    assert_knows_all(&client);
    server_sim_finish(&sim);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frames),
        cmocka_unit_test(test_all_or_none),
        cmocka_unit_test(test_views),
        cmocka_unit_test(test_stalled),
        cmocka_unit_test(test_reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
