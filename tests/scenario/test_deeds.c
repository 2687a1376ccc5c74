/*
 * test_deeds.c: clients in mode DEEDS have the bits of the world at every tick, whatever others do:
 * pushes, settings, attributes, pauses, resets, changes of bodies, leaves, stalls and lost
 * connections; and whatever the rules of the scene do.
 */
#include "clients/base/follower.h"
#include "engine/base/rng.h"
#include "proto/chunk.h"
#include "server/world/data/world.h"

#include <cairn/v1/wire.pb-c.h>

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
    bool is_stalled;
    struct cli_follower follower;
    struct wire_chunks chunks;
    uint64_t session, seq, applied, last_tick;
    int deeds_count, header_count, body_count, image_count, change_count;
    char refused[WIRE_CODE_SIZE], refused_path[128];
};

static struct server_sim sim;
static const char *rules = ""; /* of the scene */

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

static void
subscribe(const struct client *client, enum wire_mode mode, uint32_t physics)
{
    struct wire_client_message message = {
        .kind = WIRE_CLIENT_SUBSCRIBE, .subscribe = {.mode = mode, .physics = physics}};
    say(client, &message);
}

static void
come(struct client *client, enum wire_mode mode)
{
    struct wire_client_message hello = {.kind = WIRE_CLIENT_HELLO};
    struct wire_client_message join = {.kind = WIRE_CLIENT_JOIN, .join_world = "deeds"};
    memset(client, 0, sizeof(*client));
    client->connection = sv_sim_connect(&sim.transport);
    hello.hello.version = WIRE_VERSION;
    say(client, &hello);
    say(client, &join);
    subscribe(client, mode, mode == WIRE_MODE_DEEDS ? cn_physics_version() : 0);
}

static void
go(struct client *client)
{
    sv_sim_disconnect(&sim.transport, client->connection);
    cli_follower_finish(&client->follower);
    wire_chunks_finish(&client->chunks);
}

static void
hear_deeds(struct client *client, const struct wire_heard_deeds *deeds)
{
    uint64_t hash;
    struct cli_shown_stay nowhere = {0};
    client->deeds_count++;
    assert_true(deeds->tick >= client->last_tick || deeds->generation == 0);
    client->last_tick = deeds->tick;
    assert_int_equal(
        cli_follower_deeds(&client->follower, deeds, &nowhere, &hash), CLI_FOLLOW_GOOD);
}

static void
hear_message(struct client *client, const uint8_t *bytes, size_t size)
{
    struct wire_server_message heard;
    struct wire_error error;
    assert_true(wire_server_decode(bytes, size, &heard, &error));
    if (heard.kind == WIRE_SERVER_WELCOME) {
        client->session = heard.welcome.session;
    } else if (heard.kind == WIRE_SERVER_JOINED) {
        client->last_tick = 0;
        client->image_count += heard.joined->image.bytes != NULL ? 1 : 0;
        assert_int_equal(cli_follower_join(&client->follower, heard.joined), CLI_FOLLOW_GOOD);
    } else if (heard.kind == WIRE_SERVER_DEEDS) {
        hear_deeds(client, &heard.deeds);
    } else if (heard.kind == WIRE_SERVER_TICK) {
        client->header_count++;
        client->applied = heard.tick.applied_seq;
    } else if (heard.kind == WIRE_SERVER_REJECTED) {
        memcpy(client->refused, heard.rejected.error.code, sizeof(client->refused));
        snprintf(client->refused_path, sizeof(client->refused_path), "%s",
            heard.rejected.error.path);
    }
    client->change_count += heard.kind == WIRE_SERVER_CHANGED ? 1 : 0;
    client->body_count += heard.kind == WIRE_SERVER_SNAPSHOT || heard.kind == WIRE_SERVER_DELTA;
    wire_server_message_finish(&heard);
}

static void
hear(struct client *client)
{
    struct sv_sim_message message;
    while (sv_sim_take(&sim.transport, client->connection, &message)) {
        const uint8_t *bytes = message.bytes;
        size_t size = message.size;
        enum wire_chunks_result result = WIRE_CHUNKS_WHOLE;
        if (wire_is_chunk(bytes, size)) {
            result = wire_chunks_take(&client->chunks, bytes, size, MESSAGE_SIZE_MAX);
            assert_true(result == WIRE_CHUNKS_MORE || result == WIRE_CHUNKS_WHOLE);
            bytes = client->chunks.bytes;
            size = client->chunks.size;
        }
        if (result == WIRE_CHUNKS_WHOLE) {
            hear_message(client, bytes, size);
        }
        free(message.bytes);
    }
}

/* Steps the follower to the tick of the world, where it has the same hash. */
static void
assert_equal_worlds(struct client *client)
{
    struct cn_world *here = client->follower.followed.engine, *there = world_of_sim()->engine;
    bool is_behind = client->is_stalled || here == NULL || cn_world_is_mid_tick(there) ||
        client->follower.followed.generation != world_of_sim()->generation;
    if (is_behind) {
        return;
    }
    while (cn_world_tick(here) < cn_world_tick(there)) {
        assert_int_equal(dd_follower_step(&client->follower.followed, &client->follower.rules,
                             CN_WORK_UNLIMITED),
            CN_STEP_DONE);
    }
    assert_int_equal(cn_world_tick(here), cn_world_tick(there));
    assert_true(cn_world_hash(here) == cn_world_hash(there));
}

static void
run(struct client *clients, int count, int duration_ms)
{
    for (int i = 0; i < duration_ms; i++) {
        server_sim_step(&sim);
        for (int k = 0; k < count; k++) {
            if (!clients[k].is_stalled) {
                hear(&clients[k]);
                assert_equal_worlds(&clients[k]);
            }
        }
    }
}

/* ---- what others do ---- */

static void
control(const struct client *client, enum wire_control_kind kind)
{
    struct wire_client_message message = {.kind = WIRE_CLIENT_CONTROL};
    message.control.kind = kind;
    message.control.request = 1;
    message.control.step_ticks = 3;
    say(client, &message);
}

/* A control that our own client programs do not send. */
static void
say_control(const struct client *client, Cairn__V1__Control *control)
{
    uint8_t bytes[1024];
    Cairn__V1__ClientMessage message = CAIRN__V1__CLIENT_MESSAGE__INIT;
    control->request = 1;
    message.message_case = CAIRN__V1__CLIENT_MESSAGE__MESSAGE_CONTROL;
    message.control = control;
    size_t size = cairn__v1__client_message__pack(&message, bytes);
    assert_in_range(size, 1, sizeof(bytes));
    sv_sim_send(&sim.transport, client->connection, bytes, size);
}

static void
set_gravity(const struct client *client, double x)
{
    Cairn__V1__Vec3 gravity = CAIRN__V1__VEC3__INIT;
    Cairn__V1__Settings settings = CAIRN__V1__SETTINGS__INIT;
    Cairn__V1__Control control = CAIRN__V1__CONTROL__INIT;
    gravity.x = x;
    gravity.y = -8.0;
    settings.gravity = &gravity;
    control.action_case = CAIRN__V1__CONTROL__ACTION_SETTINGS;
    control.settings = &settings;
    say_control(client, &control);
}

static void
push(struct client *client, struct cn_rng *rng)
{
    struct wire_client_message message = {.kind = WIRE_CLIENT_INPUT};
    struct cn_command *command = &message.input.command;
    int32_t body = 1 + (int32_t)(cn_rng_next(rng) % 10);
    message.input.seq = ++client->seq;
    message.input.hold_ticks = (uint32_t)(cn_rng_next(rng) % 9);
    command->kind = cn_rng_next(rng) % 4 == 0 ? CN_COMMAND_RELEASE
        : cn_rng_next(rng) % 2 == 0           ? CN_COMMAND_HOLD_FORCE
                                              : CN_COMMAND_HOLD_DRAG;
    struct cn_holder holder = {.slot = (uint32_t)(cn_rng_next(rng) % 3)};
    double x = (double)(cn_rng_next(rng) % 40) - 20.0;
    if (command->kind == CN_COMMAND_HOLD_FORCE) {
        command->hold_force = (struct cn_hold_force){.holder = holder, .body = body,
            .frame = CN_FRAME_WORLD, .force = cn_vec3_make(x, 12.0, 0.0)};
    } else if (command->kind == CN_COMMAND_HOLD_DRAG) {
        command->hold_drag = (struct cn_hold_drag){.holder = holder, .body = body,
            .target = cn_vec3_make(x * 0.1, 3.0, 0.0), .stiffness = 40.0, .damping = 2.0};
    } else {
        command->release.slot = holder.slot;
    }
    say(client, &message);
}

/* A change of bodies: a ball and a copy of a prefab come, or they go. */
static void
change_bodies(const struct client *client, bool comes)
{
    Cairn__V1__Vec3 at = CAIRN__V1__VEC3__INIT;
    Cairn__V1__Shape__Circle circle = CAIRN__V1__SHAPE__CIRCLE__INIT;
    Cairn__V1__Shape shape = CAIRN__V1__SHAPE__INIT;
    Cairn__V1__Body body = CAIRN__V1__BODY__INIT;
    Cairn__V1__Spawn spawn = CAIRN__V1__SPAWN__INIT;
    Cairn__V1__Change change = CAIRN__V1__CHANGE__INIT;
    at.x = 4.0;
    at.y = 1.0;
    circle.radius = 0.25;
    shape.shape_case = CAIRN__V1__SHAPE__SHAPE_CIRCLE;
    shape.circle = &circle;
    body.name = (char[]){"ball"};
    body.mass = 1.0;
    body.position = spawn.position = &at;
    body.shapes = (Cairn__V1__Shape *[]){&shape};
    body.n_shapes = 1;
    spawn.prefab = (char[]){"pair"};
    spawn.angle = 0.7;
    change.bodies = (Cairn__V1__Body *[]){&body};
    change.spawns = (Cairn__V1__Spawn *[]){&spawn};
    change.n_bodies = change.n_spawns = comes ? 1 : 0;
    change.remove = (char *[]){
        (char[]){"ball"}, (char[]){"pair1.body1"}, (char[]){"pair1.body0"}};
    change.n_remove = comes ? 0 : 3;
    Cairn__V1__Control control = CAIRN__V1__CONTROL__INIT;
    control.action_case = CAIRN__V1__CONTROL__ACTION_CHANGE;
    control.change = &change;
    say_control(client, &control);
}

/* Places a body, or does one of the other things that can be done to it. */
static void
command_some_body(const struct client *client, struct cn_rng *rng)
{
    Cairn__V1__Vec3 at = CAIRN__V1__VEC3__INIT;
    Cairn__V1__BodyCommand__Place place = CAIRN__V1__BODY_COMMAND__PLACE__INIT;
    Cairn__V1__BodyCommand__Velocity velocity = CAIRN__V1__BODY_COMMAND__VELOCITY__INIT;
    Cairn__V1__BodyCommand__SetFilter filter = CAIRN__V1__BODY_COMMAND__SET_FILTER__INIT;
    Cairn__V1__BodyCommand first = CAIRN__V1__BODY_COMMAND__INIT, second = first;
    at.x = (double)(cn_rng_next(rng) % 5) - 1.0;
    at.y = 3.0;
    place.position = velocity.velocity = &at;
    first.body = second.body = 1 + (uint32_t)(cn_rng_next(rng) % 10);
    first.action_case = CAIRN__V1__BODY_COMMAND__ACTION_PLACE;
    first.place = &place;
    unsigned what = (unsigned)(cn_rng_next(rng) % 8);
    second.action_case = CAIRN__V1__BODY_COMMAND__ACTION_VELOCITY + what % 4;
    if (what % 4 == 0) {
        second.velocity = &velocity;
    } else if (what % 4 == 1) {
        second.type = what < 4 ? CAIRN__V1__BODY__TYPE__KINEMATIC : CAIRN__V1__BODY__TYPE__DYNAMIC;
    } else if (what % 4 == 2) {
        second.filter = &filter;
    } else {
        second.asleep = what < 4;
    }
    Cairn__V1__BodyCommands bodies = CAIRN__V1__BODY_COMMANDS__INIT;
    Cairn__V1__Control control = CAIRN__V1__CONTROL__INIT;
    bodies.commands = (Cairn__V1__BodyCommand *[]){&first, &second};
    bodies.n_commands = 2;
    control.action_case = CAIRN__V1__CONTROL__ACTION_BODIES;
    control.bodies = &bodies;
    say_control(client, &control);
}

static const char *
scene_text(void)
{
    static char text[4096];
    int size = snprintf(text, sizeof(text),
        "name: deeds\nworld: {stepper: time, solver: impulse}\nbodies:\n"
        "- {type: STATIC, position: {y: -0.5}, shapes: [{box: {size: {x: 30, y: 1}}}]}\n");
    for (int row = 0; row < 4; row++) {
        for (int i = 0; i < 4 - row; i++) {
            size += snprintf(text + size, sizeof(text) - (size_t)size,
                "- {position: {x: %g, y: %g}, mass: 1,\n"
                "   shapes: [{box: {size: {x: 0.5, y: 0.5}}}]}\n",
                0.55 * i + 0.28 * row, 0.25 + 0.5 * row);
        }
    }
    size += snprintf(text + size, sizeof(text) - (size_t)size,
        "prefabs:\n- {name: pair, bodies: [{mass: 1, position: {y: 2},\n"
        "     shapes: [{circle: {radius: 1}}]},\n"
        "    {mass: 1, position: {y: 4}, shapes: [{circle: {radius: 0.5}}]}],\n"
        "   joints: [{hinge: {bodyA: body0, bodyB: body1, anchor: {y: 3}}}]}\n%s",
        rules);
    assert_in_range(size, 1, sizeof(text) - 1);
    return text;
}

/* ---- scenarios ---- */

/* A quiet world costs a few bytes a second: no bodies, a Deeds and a header at some ticks. */
static void
test_quiet(void **state)
{
    (void)state;
    struct client clients[2];
    server_sim_init(&sim, scene_text());
    come(&clients[0], WIRE_MODE_DEEDS);
    run(clients, 1, 200);
    for (int count = 1; count <= 2; count++) { /* alone, and beside one that sees every tick */
        clients[0].deeds_count = clients[0].header_count = 0;
        run(clients, count, 2000);
        /* of 120 ticks 15 are multiples of 8, 4 of 30, and one of both */
        assert_in_range(clients[0].deeds_count, 17, 19);
        assert_in_range(clients[0].header_count, 14, 17);
        if (count == 1) {
            come(&clients[1], WIRE_MODE_DELTA);
        }
    }
    assert_int_equal(clients[0].image_count, 1);
    assert_int_equal(clients[0].body_count, 0);
    assert_in_range(clients[0].follower.equal_count, 8, 10);
    assert_true(clients[1].body_count > 110);
    go(&clients[0]);
    go(&clients[1]);
    server_sim_finish(&sim);
}

/* Sets or removes an attribute of the world, of a body or of the client's session. */
static void
set_attribute(struct client *client, struct cn_rng *rng)
{
    unsigned what = (unsigned)(cn_rng_next(rng) % 30);
    struct cn_attribute attribute = {.name = {(char)('a' + what % 5)}};
    attribute.value = what < 6 ? (struct cn_value){0}
        : what < 18            ? cn_value_integer((int64_t)cn_rng_next(rng))
                               : cn_value_text("some text");
    if (what % 3 == 1) {
        attribute.owner = (struct cn_owner){CN_OWNER_BODY, 1 + what / 3};
    } else if (what % 3 == 2) {
        attribute.owner = (struct cn_owner){CN_OWNER_SESSION, client->session};
    }
    const struct wire_client_message message = {.kind = WIRE_CLIENT_CONTROL,
        .control = {.kind = WIRE_CONTROL_ATTRIBUTES, .attributes = {&attribute, 1}}};
    say(client, &message);
}

/* One of the things that can happen in a world. */
static void
disturb(struct client *others, struct cn_rng *rng, bool *has_ball)
{
    unsigned what = (unsigned)(cn_rng_next(rng) % 256);
    if (what < 200) {
        push(&others[what % 2], rng);
    } else if (what == 200) {
        set_gravity(&others[0], (double)(cn_rng_next(rng) % 3));
    } else if (what == 201) {
        control(&others[0], WIRE_CONTROL_RESET);
        *has_ball = false;
    } else if (what <= 204) {
        control(&others[0], WIRE_CONTROL_PAUSE);
    } else if (what <= 207) {
        control(&others[0], WIRE_CONTROL_STEP);
    } else if (what <= 240) {
        control(&others[0], WIRE_CONTROL_RESUME);
    } else if (what == 241) {
        change_bodies(&others[0], !*has_ball);
        *has_ball = !*has_ball;
    } else if (what >= 243 && what <= 246) {
        command_some_body(&others[0], rng);
    } else if (what > 246) {
        set_attribute(&others[what % 2], rng);
    } else if (what == 242) {
        go(&others[1]);
        come(&others[1], WIRE_MODE_QUANTISED);
    }
}

/* The follower has not heard yet of the last bodies that rules made or removed. */
static bool
is_late(const struct client *client)
{
    return client->follower.followed.generation != world_of_sim()->generation;
}

static void
test_bits_are_equal(void **state)
{
    (void)state;
    uint64_t images = 0, hashes = 0, changes = 0;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        struct client clients[4]; /* two that follow, two that push */
        struct cn_rng rng = {seed * 7919};
        bool has_ball = false;
        server_sim_init(&sim, scene_text());
        for (int i = 0; i < 4; i++) {
            come(&clients[i], i < 2 ? WIRE_MODE_DEEDS : WIRE_MODE_DELTA);
        }
        run(clients, 4, 50);
        for (int i = 0; i < 1000; i++) {
            disturb(&clients[2], &rng, &has_ball);
            clients[1].is_stalled = i % 100 > 80; /* its messages wait, and none is lost */
            sv_sim_block(&sim.transport, clients[1].connection, clients[1].is_stalled);
            run(clients, 4, 1 + (int)(cn_rng_next(&rng) % 30));
        }
        clients[1].is_stalled = false;
        sv_sim_block(&sim.transport, clients[1].connection, false);
        run(clients, 4, 2500);
        for (int i = 0; i < 200 && (is_late(&clients[0]) || is_late(&clients[1])); i++) {
            run(clients, 4, 1);
        }
        for (int i = 0; i < 2; i++) {
            assert_non_null(clients[i].follower.followed.engine);
            assert_int_equal(clients[i].follower.followed.generation, world_of_sim()->generation);
            assert_int_equal(clients[i].follower.differ_count, 0);
            images += clients[i].follower.image_count;
            hashes += clients[i].follower.equal_count;
            changes += (uint64_t)clients[i].change_count;
        }
        assert_int_equal(clients[2].deeds_count + clients[3].deeds_count, 0);
        for (int i = 0; i < 4; i++) {
            go(&clients[i]);
        }
        server_sim_finish(&sim);
    }
    assert_true(images > 40);
    assert_true(changes > 20);
    assert_true(hashes > 300);
}

/* Bodies come, go and are thrown; sessions are counted; a round ends and resets the world. */
static void
test_rules_are_equal(void **state)
{
    rules = "- {name: dot, bodies: [{mass: 1, tags: [dot], shapes: [{circle: {radius: 0.1}}]}]}\n"
            "spawns: [{prefab: dot, at: {x: 6, y: 3}, every: 0.4, max: 5}]\n"
            "rules:\n"
            "- {name: come, join: {}, do: [{spawn: {prefab: dot, at: {x: 7, y: 1}}}]}\n"
            "- {name: go, leave: {}, do: [{count: {attribute: left}}]}\n"
            "- {name: clear, timer: {after: 3, every: 2.5}, do: [{remove: {body: '#dot'}},\n"
            "   {push: {body: body9, speed: {y: 3}}}]}\n"
            "- {name: end, timer: {after: 30}, do: [{endRound: {result: over, resetAfter: 1}}]}\n";
    test_bits_are_equal(state);
    rules = "";
}

static void
test_refusals(void **state)
{
    (void)state;
    struct client client;
    server_sim_init(&sim, scene_text());
    come(&client, WIRE_MODE_DELTA);
    run(&client, 1, 100);
    subscribe(&client, WIRE_MODE_DEEDS, cn_physics_version() + 1);
    run(&client, 1, 100);
    assert_string_equal(client.refused, "VERSION");
    assert_string_equal(client.refused_path, "subscribe.physics");
    subscribe(&client, WIRE_MODE_DEEDS, 0);
    run(&client, 1, 100);
    assert_string_equal(client.refused, "FIELD");
    assert_string_equal(client.refused_path, "subscribe.physics");
    struct wire_client_message part = {.kind = WIRE_CLIENT_SUBSCRIBE,
        .subscribe = {.mode = WIRE_MODE_DEEDS, .physics = cn_physics_version()}};
    part.subscribe.interest.is_part = true;
    assert_true(wire_interest_tag(&part.subscribe.interest, "red"));
    say(&client, &part);
    run(&client, 1, 100);
    assert_string_equal(client.refused, "FIELD");
    assert_string_equal(client.refused_path, "subscribe.interest");
    assert_int_equal(client.image_count, 0);
    client.body_count = 0;
    run(&client, 1, 200);
    assert_true(client.body_count > 5); /* the subscription before is still served */
    go(&client);
    server_sim_finish(&sim);
}

/* A Desync is answered by an image and counted; images come once a second at most. */
static void
test_desync(void **state)
{
    (void)state;
    struct client client;
    server_sim_init(&sim, scene_text());
    come(&client, WIRE_MODE_DEEDS);
    run(&client, 1, 1500);
    const struct wire_client_message desync = {
        .kind = WIRE_CLIENT_DESYNC, .desync = {.tick = 60, .hash = 1}};
    assert_int_equal(client.image_count, 1);
    for (int i = 0; i < 100; i++) {
        say(&client, &desync);
        run(&client, 1, 10);
    }
    assert_in_range(client.image_count, 2, 3);
    assert_int_equal(atomic_load(&sim.metrics.desyncs), 100);
    run(&client, 1, 1500);
    int count = client.image_count;
    assert_in_range(count, 3, 4);
    run(&client, 1, 1500);
    assert_int_equal(client.image_count, count);
    assert_int_equal(atomic_load(&sim.metrics.images), count);
    go(&client);
    server_sim_finish(&sim);
}

/* A client that wants bodies again gets no more deeds, although others do. */
static void
test_back_to_bodies(void **state)
{
    (void)state;
    struct client clients[2];
    server_sim_init(&sim, scene_text());
    come(&clients[0], WIRE_MODE_DEEDS);
    come(&clients[1], WIRE_MODE_DEEDS);
    run(clients, 2, 500);
    subscribe(&clients[0], WIRE_MODE_DELTA, 0);
    run(clients, 2, 100);
    cli_follower_finish(&clients[0].follower);
    clients[0].deeds_count = clients[0].body_count = clients[1].deeds_count = 0;
    run(clients, 2, 500);
    assert_int_equal(clients[0].deeds_count, 0);
    assert_true(clients[0].body_count > 20);
    assert_true(clients[1].deeds_count >= 3);
    go(&clients[0]);
    go(&clients[1]);
    server_sim_finish(&sim);
}

/* The own input is confirmed by the header of the tick that contains it. */
static void
test_own_input(void **state)
{
    (void)state;
    struct client client;
    struct cn_rng rng = {7};
    server_sim_init(&sim, scene_text());
    come(&client, WIRE_MODE_DEEDS);
    run(&client, 1, 100);
    for (int i = 0; i < 20; i++) {
        push(&client, &rng);
        run(&client, 1, 40);
        assert_int_equal(client.applied, client.seq);
    }
    go(&client);
    server_sim_finish(&sim);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quiet),
        cmocka_unit_test(test_bits_are_equal),
        cmocka_unit_test(test_rules_are_equal),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_desync),
        cmocka_unit_test(test_back_to_bodies),
        cmocka_unit_test(test_own_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
