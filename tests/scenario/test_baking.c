/*
 * test_baking.c: scenes that are slow to read, with the daemon in memory; the simulated pool
 * decides when each is read.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "proto/codec_json.h"
#include "server/host/bake.h"
#include "tests/support/server/twin_server.h"

#include <stdio.h>

#define RINGS(id, minor)                                                                           \
    "{\"id\": \"" id "\", \"scene\": {\"name\": \"rings\", \"world\": {\"dimension\": "            \
    "\"SPATIAL\", \"stepper\": \"time\", \"solver\": \"impulse\"}, \"meshes\": [{\"name\": "       \
    "\"ring\", \"torus\": {\"radius\": 1, \"tubeRadius\": 0.3, \"majorCount\": 12, "               \
    "\"minorCount\": " minor "}, \"resolution\": 12}], \"bodies\": [{\"shapes\": [{\"mesh\": "     \
    "{\"name\": \"ring\"}}]}]}}"
#define LIGHT                                                                                      \
    "{\"id\": \"light\", \"scene\": {\"name\": \"light\", \"bodies\": [{\"shapes\": "              \
    "[{\"circle\": {\"radius\": 1}}]}]}}"

struct client {
    struct server *server;
    int connection, done_count, joined_count, pong_count, rejected_count;
    uint32_t done, rejected;
    char world[WIRE_NAME_SIZE], code[16];
};

static void
see(struct client *client, const Cairn__V1__ServerMessage *message)
{
    switch (message->message_case) {
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_CONTROL_DONE:
        client->done_count++;
        client->done = message->control_done->request;
        snprintf(client->world, sizeof(client->world), "%s", message->control_done->world);
        break;
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_JOINED:
        client->joined_count++;
        break;
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_PONG:
        client->pong_count++;
        break;
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_REJECTED:
        client->rejected_count++;
        client->rejected = message->rejected->request;
        snprintf(client->code, sizeof(client->code), "%s", message->rejected->error->code);
        break;
    default:
        break;
    }
}

static void
run(struct client *client)
{
    struct sv_sim_message message;
    server_run(client->server, 20);
    while (sv_sim_take(&client->server->transport, client->connection, &message)) {
        Cairn__V1__ServerMessage *unpacked =
            cairn__v1__server_message__unpack(NULL, message.size, message.bytes);
        assert_non_null(unpacked);
        see(client, unpacked);
        cairn__v1__server_message__free_unpacked(unpacked, NULL);
        free(message.bytes);
    }
}

static void
enter(struct client *client, struct server *server)
{
    *client = (struct client){.server = server};
    client->connection = sv_sim_connect(&server->transport);
    assert_true(client->connection >= 0);
    Cairn__V1__Hello hello = CAIRN__V1__HELLO__INIT;
    hello.version = WIRE_VERSION;
    CLIENT_MESSAGE(first, HELLO, hello, &hello);
    server_take(server, client->connection, &first);
    Cairn__V1__Join to = CAIRN__V1__JOIN__INIT;
    to.world = (char[]){"pair"};
    CLIENT_MESSAGE(second, JOIN, join, &to);
    server_take(server, client->connection, &second);
    run(client);
    assert_int_equal(client->joined_count, 1);
}

static void
read_source(const char *text, struct wire_source *source)
{
    struct wire_error error;
    assert_true(wire_create_parse(text, strlen(text), source, &error));
    assert_int_equal(source->kind, WIRE_SOURCE_SCENE);
}

/* A Control that creates a world of the text, or loads its scene into the joined one. */
static void
ask(struct client *client, uint32_t request, const char *text, bool is_load)
{
    struct wire_source source;
    read_source(text, &source);
    Cairn__V1__Scene *scene =
        cairn__v1__scene__unpack(NULL, source.scene_size, source.scene_bytes);
    assert_non_null(scene);
    Cairn__V1__LoadScene load = CAIRN__V1__LOAD_SCENE__INIT;
    load.source_case = CAIRN__V1__LOAD_SCENE__SOURCE_SCENE;
    load.scene = scene;
    Cairn__V1__CreateWorld create = CAIRN__V1__CREATE_WORLD__INIT;
    create.id = source.id;
    create.source_case = CAIRN__V1__CREATE_WORLD__SOURCE_SCENE;
    create.scene = scene;
    Cairn__V1__Control control = CAIRN__V1__CONTROL__INIT;
    control.request = request;
    if (is_load) {
        control.action_case = CAIRN__V1__CONTROL__ACTION_LOAD;
        control.load = &load;
    } else {
        control.action_case = CAIRN__V1__CONTROL__ACTION_CREATE;
        control.create = &create;
    }
    CLIENT_MESSAGE(message, CONTROL, control, &control);
    server_take(client->server, client->connection, &message);
    cairn__v1__scene__free_unpacked(scene, NULL);
    wire_source_finish(&source);
}

static void
ping(struct client *client)
{
    Cairn__V1__Ping part = CAIRN__V1__PING__INIT;
    part.client_time_us = 1;
    CLIENT_MESSAGE(message, PING, ping, &part);
    server_take(client->server, client->connection, &message);
}

static void
begin(struct server *server, struct sv_pool_sim *pool)
{
    server_init(server);
    server->host.pool = sv_pool_sim(pool);
}

/* The answer comes after the scene was read; the daemon answers other messages in the meantime. */
static void
test_create(void **state)
{
    (void)state;
    static struct server server;
    struct sv_pool_sim pool;
    struct client ann;
    begin(&server, &pool);
    enter(&ann, &server);
    ask(&ann, 1, RINGS("rings", "8"), false);
    ping(&ann);
    ask(&ann, 2, LIGHT, false);
    run(&ann);
    assert_int_equal(pool.count, 1);
    assert_int_equal(ann.pong_count, 1);
    assert_int_equal(ann.done_count, 1);
    assert_int_equal(ann.done, 2);
    assert_string_equal(ann.world, "light");
    assert_null(sv_host_find(&server.host, "rings"));
    assert_true(sv_pool_sim_run(&pool));
    run(&ann);
    assert_int_equal(ann.done_count, 2);
    assert_int_equal(ann.done, 1);
    assert_string_equal(ann.world, "rings");
    assert_non_null(sv_host_find(&server.host, "rings"));
    assert_int_equal(server.host.bake_count, 0);
    server_finish(&server);
}

/*
 * The asker leaves while her world is being made.  The world is made all the same, and the client
 * that has her seat now receives no answer.
 */
static void
test_asker_leaves(void **state)
{
    (void)state;
    static struct server server;
    struct sv_pool_sim pool;
    struct client ann, bob;
    begin(&server, &pool);
    enter(&ann, &server);
    ask(&ann, 1, RINGS("rings", "8"), false);
    sv_sim_disconnect(&server.transport, ann.connection);
    server_run(&server, 20);
    enter(&bob, &server);
    assert_int_equal(server.gateway.seat_count, 1); /* bob has ann's seat */
    assert_true(sv_pool_sim_run(&pool));
    run(&bob);
    assert_non_null(sv_host_find(&server.host, "rings"));
    assert_int_equal(bob.done_count + bob.rejected_count, 0);
    server_finish(&server);
}

static void
test_walls(void **state)
{
    (void)state;
    static struct server server;
    struct sv_pool_sim pool;
    struct client ann, bob;
    struct wire_source source;
    struct wire_error error;
    begin(&server, &pool);
    enter(&ann, &server);
    enter(&bob, &server);
    ask(&ann, 1, RINGS("a", "8"), false);
    ask(&ann, 2, RINGS("b", "8"), false);
    run(&ann);
    assert_int_equal(ann.rejected, 2);
    assert_string_equal(ann.code, "BUSY");
    for (int i = 1; i < SV_BAKES_MAX; i++) { /* HTTP has no session */
        struct sv_asker asker = {0};
        read_source(RINGS("a", "8"), &source);
        assert_true(sv_bake_create(&server.host, &source, &asker, &error));
        assert_null(source.scene_bytes);
    }
    ask(&bob, 3, RINGS("c", "8"), false);
    run(&bob);
    assert_int_equal(bob.rejected, 3);
    assert_string_equal(bob.code, "BUSY");
    assert_int_equal(pool.count, SV_BAKES_MAX);
    while (sv_pool_sim_run(&pool)) {
    }
    run(&ann);
    assert_int_equal(ann.done, 1);
    assert_int_equal(server.host.world_count, 2); /* the other orders found the id taken */
    ask(&ann, 4, RINGS("d", "8"), false);
    assert_true(sv_pool_sim_run(&pool));
    run(&ann);
    assert_int_equal(ann.done, 4);
    server_finish(&server);
}

static void
test_load(void **state)
{
    (void)state;
    static struct server server;
    struct sv_pool_sim pool;
    struct client ann;
    struct wire_error error;
    struct sv_asker nobody = {0};
    begin(&server, &pool);
    enter(&ann, &server);
    ask(&ann, 1, RINGS("", "8"), true);
    assert_true(sv_pool_sim_run(&pool));
    run(&ann);
    assert_int_equal(ann.done, 1);
    assert_int_equal(ann.joined_count, 2); /* the world as it is now */
    assert_string_equal(
        wire_scene_name(sv_host_find(&server.host, "pair")->scene->scene), "rings");
    /* The refusal of a wrong scene has the request's number, and the world continues. */
    ask(&ann, 2, RINGS("", "1"), true);
    assert_true(sv_pool_sim_run(&pool));
    run(&ann);
    assert_int_equal(ann.rejected, 2);
    assert_non_null(sv_host_find(&server.host, "pair"));
    /*
     * The world is removed while its next scene is read.  The scene does not replace that of a new
     * world with the same id.
     */
    ask(&ann, 3, RINGS("", "8"), true);
    assert_true(sv_host_remove_world(
        &server.host, sv_host_find(&server.host, "pair"), &nobody, &error));
    run(&ann);
    create_world(&server);
    run(&ann);
    assert_non_null(sv_host_find(&server.host, "pair"));
    assert_true(sv_pool_sim_run(&pool));
    run(&ann);
    assert_int_equal(ann.rejected, 3);
    assert_string_equal(ann.code, "WORLD");
    assert_string_equal(
        wire_scene_name(sv_host_find(&server.host, "pair")->scene->scene), "pair");
    server_finish(&server);
}

static void
test_stopping(void **state)
{
    (void)state;
    static struct server server;
    struct sv_pool_sim pool;
    struct client ann;
    begin(&server, &pool);
    enter(&ann, &server);
    ask(&ann, 1, RINGS("rings", "8"), false);
    atomic_store(&server.host.is_stopping, true);
    assert_true(sv_pool_sim_run(&pool));
    run(&ann);
    assert_int_equal(ann.rejected, 1);
    assert_string_equal(ann.code, "STOPPING");
    assert_int_equal(server.host.world_count, 1);
    assert_int_equal(server.host.bake_count, 0);
    server_finish(&server);
}

/*
 * Scenes are slow to read if they are large or have meshes.  If a scene's bytes are cut, meshes are
 * found from some length on, and not before it.
 */
static void
test_what_is_slow(void **state)
{
    (void)state;
    static struct server server;
    struct sv_pool_sim pool;
    struct wire_source source;
    struct wire_error error;
    struct sv_asker asker = {0};
    static char text[2 * SV_SCENE_AT_ONCE_SIZE];
    begin(&server, &pool);
    int length = snprintf(text, sizeof(text), "{\"scene\": {\"description\": \"");
    memset(text + length, 'x', SV_SCENE_AT_ONCE_SIZE);
    snprintf(text + length + SV_SCENE_AT_ONCE_SIZE, 4, "\"}}");
    read_source(text, &source);
    assert_false(wire_scene_bytes_have_meshes(source.scene_bytes, source.scene_size));
    assert_true(sv_bake_create(&server.host, &source, &asker, &error));
    assert_int_equal(pool.count, 1);
    assert_true(sv_pool_sim_run(&pool));

    read_source(LIGHT, &source);
    assert_false(wire_scene_bytes_have_meshes(source.scene_bytes, source.scene_size));
    assert_true(sv_bake_create(&server.host, &source, &asker, &error));
    assert_int_equal(pool.count, 0);
    wire_source_finish(&source);

    read_source(RINGS("", "8"), &source);
    bool had = false;
    for (size_t size = 0; size <= source.scene_size; size++) {
        uint8_t *cut = malloc(size + 1); /* no larger, so that a sanitizer sees reads beyond it */
        assert_non_null(cut);
        memcpy(cut + 1, source.scene_bytes, size);
        bool has = wire_scene_bytes_have_meshes(cut + 1, size);
        assert_true(has || !had);
        had = has;
        free(cut);
    }
    assert_true(had);
    wire_source_finish(&source);
    server_run(&server, 20);
    server_finish(&server);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_create),
        cmocka_unit_test(test_asker_leaves),
        cmocka_unit_test(test_walls),
        cmocka_unit_test(test_load),
        cmocka_unit_test(test_stopping),
        cmocka_unit_test(test_what_is_slow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
