/*
 * twin_server.h: a daemon in memory for tests: worker, host and gateway on one thread, with a
 * simulated clock, transport and disk, and one world named "pair".
 */
#ifndef TESTS_SUPPORT_SERVER_TWIN_SERVER_H
#define TESTS_SUPPORT_SERVER_TWIN_SERVER_H

#include "engine/base/hash.h"
#include "server/base/disk.h"
#include "server/base/limits.h"
#include "server/net/gateway.h"
#include "server/net/transport_sim.h"
#include "tests/support/live_blocks.h"

#include <cairn/v1/wire.pb-c.h>
#include <stdlib.h>
#include <string.h>

static const char twin_scene_text[] =
    "name: pair\n"
    "bodies:\n"
    "  - {name: floor, type: STATIC, position: {y: -0.5},\n"
    "     shapes: [{box: {size: {x: 40, y: 1, z: 1}}}]}\n"
    "  - {name: left, mass: 2, position: {x: -2, y: 0.5},\n"
    "     shapes: [{box: {size: {x: 1, y: 1, z: 1}}}]}\n"
    "  - {name: right, mass: 2, position: {x: 2, y: 0.5},\n"
    "     shapes: [{box: {size: {x: 1, y: 1, z: 1}}}]}\n";

#define TWIN_SCENE_SIZE_MAX ((size_t)1024 * 1024)

struct server {
    uint64_t now_ns, random;
    struct sv_log log;
    struct sv_metrics metrics;
    struct sv_disk_sim disk_state;
    struct sv_disk disk;
    struct sv_worker worker;
    struct sv_worker *workers[1];
    struct sv_host host;
    struct sv_gateway gateway;
    struct sv_sim_transport transport;
    struct cn_hash hash; /* of every message to every client */
    long blocks;         /* of the heap that were in use before */
};

static inline void
no_wake(void *context, int worker)
{
    (void)context;
    (void)worker;
}

static inline void
drop_line(void *context, const char *line, size_t size)
{
    (void)context;
    (void)line;
    (void)size;
}

/* Creates the world from a scene file on the simulated disk, as the daemon does on the real one. */
static inline void
create_world(struct server *server)
{
    char *text;
    size_t size;
    struct wire_text_error wrong;
    struct wire_error error;
    struct sv_asker nobody = {0};
    assert_int_equal(server->disk.read(server->disk.context, "pair.yaml", TWIN_SCENE_SIZE_MAX,
                         &text, &size),
        SV_DISK_OK);
    struct sv_scene *scene = sv_scene_create(wire_scene_parse(text, size, &wrong));
    free(text);
    assert_non_null(scene);
    assert_true(sv_host_create_world(&server->host, "", scene, &nobody, &error));
}

static inline void
server_finish(struct server *server)
{
    sv_sim_transport_finish(&server->transport);
    sv_worker_finish(&server->worker);
    sv_gateway_finish(&server->gateway);
    sv_host_finish(&server->host);
    server->disk.unlock(server->disk.context);
    assert_int_equal(live_blocks(), server->blocks); /* all that it took is given back */
}

/* Everything that is due until then, in steps of a millisecond. */
static inline void
server_run(struct server *server, uint64_t duration_ms)
{
    for (uint64_t i = 0; i < duration_ms; i++) {
        while (sv_worker_run(&server->worker) <= server->now_ns) {
        }
        sv_gateway_poll(&server->gateway);
        sv_gateway_tend(&server->gateway);
        server->now_ns += SV_NS_PER_MS;
    }
}

static inline void
server_init_with(struct server *server, const char *scene_text)
{
    long holder;
    memset(server, 0, sizeof(*server));
    server->blocks = live_blocks();
    server->now_ns = SV_NS_PER_S;
    struct sv_clock clock = sv_clock_simulated(&server->now_ns);
    sv_log_init(&server->log, SV_LOG_DEBUG, clock);
    server->log.write = drop_line;
    server->disk_state.files[0].path = "pair.yaml";
    server->disk_state.files[0].text = scene_text;
    server->disk_state.file_count = 1;
    server->disk = sv_disk_simulated(&server->disk_state);
    assert_int_equal(server->disk.lock(server->disk.context, "data", &holder), SV_DISK_OK);
    assert_true(sv_worker_init(&server->worker, clock, &server->log, &server->metrics, false));
    server->workers[0] = &server->worker;
    sv_host_init(&server->host, server->workers, 1, 4);
    server->host.wake = no_wake;
    assert_true(sv_gateway_init(&server->gateway, &server->host, clock, &server->log,
        &server->metrics, "twins", 8));
    struct sv_transport_events events = sv_gateway_events(&server->gateway);
    sv_sim_transport_init(&server->transport, &events);
    server->gateway.transport = sv_sim_transport(&server->transport);
    server->gateway.random = sv_random_simulated(&server->random);
    cn_hash_init(&server->hash);
    create_world(server);
    server_run(server, 1);
}

static inline void
server_init(struct server *server)
{
    server_init_with(server, twin_scene_text);
}

/* Packs and sends a message over that connection. */
static inline void
server_take(struct server *server, int connection, Cairn__V1__ClientMessage *message)
{
    uint8_t bytes[1024];
    assert_true(cairn__v1__client_message__get_packed_size(message) <= sizeof(bytes));
    size_t size = cairn__v1__client_message__pack(message, bytes);
    sv_sim_send(&server->transport, connection, bytes, size);
}

/* Calls `see` with each message that has come over that connection, oldest first, and frees it. */
typedef void twin_see(void *client, const Cairn__V1__ServerMessage *message);
static inline void
server_read(struct server *server, int connection, twin_see *see, void *client)
{
    struct sv_sim_message message;
    while (sv_sim_take(&server->transport, connection, &message)) {
        Cairn__V1__ServerMessage *unpacked =
            cairn__v1__server_message__unpack(NULL, message.size, message.bytes);
        assert_non_null(unpacked);
        cn_hash_u64(&server->hash, (uint64_t)connection);
        cn_hash_bytes(&server->hash, message.bytes, message.size);
        see(client, unpacked);
        cairn__v1__server_message__free_unpacked(unpacked, NULL);
        free(message.bytes);
    }
}

#define CLIENT_MESSAGE(variable, NAME, member, part)                                               \
    Cairn__V1__ClientMessage variable = CAIRN__V1__CLIENT_MESSAGE__INIT;                           \
    variable.message_case = CAIRN__V1__CLIENT_MESSAGE__MESSAGE_##NAME;                             \
    variable.member = (part)

static inline void
server_take_join(struct server *server, int connection)
{
    Cairn__V1__Join part = CAIRN__V1__JOIN__INIT;
    part.world = (char[]){"pair"};
    CLIENT_MESSAGE(message, JOIN, join, &part);
    server_take(server, connection, &message);
}

/* Pause, or reset: request 1. */
static inline void
server_take_control(
    struct server *server, int connection, Cairn__V1__Control__ActionCase action)
{
    Cairn__V1__Control__Pause pause = CAIRN__V1__CONTROL__PAUSE__INIT;
    Cairn__V1__Control__Reset reset = CAIRN__V1__CONTROL__RESET__INIT;
    Cairn__V1__Control control = CAIRN__V1__CONTROL__INIT;
    control.request = 1;
    control.action_case = action;
    if (action == CAIRN__V1__CONTROL__ACTION_PAUSE) {
        control.pause = &pause;
    } else {
        assert_int_equal(action, CAIRN__V1__CONTROL__ACTION_RESET);
        control.reset = &reset;
    }
    CLIENT_MESSAGE(message, CONTROL, control, &control);
    server_take(server, connection, &message);
}

/* Makes a new connection, which has sent its hello and its join. */
static inline int
server_enter(struct server *server, char *name)
{
    int connection = sv_sim_connect(&server->transport);
    Cairn__V1__Hello hello = CAIRN__V1__HELLO__INIT;
    hello.version = WIRE_VERSION;
    hello.name = name;
    CLIENT_MESSAGE(message, HELLO, hello, &hello);
    server_take(server, connection, &message);
    server_take_join(server, connection);
    return connection;
}

/* An input: a soft drag of the body towards (x, 0.5). */
static inline void
server_take_drag(struct server *server, int connection, uint64_t seq, uint32_t body, double x)
{
    Cairn__V1__Vec3 target = CAIRN__V1__VEC3__INIT;
    target.x = x;
    target.y = 0.5;
    Cairn__V1__Input__Drag part = CAIRN__V1__INPUT__DRAG__INIT;
    part.body = body;
    part.target = &target;
    part.stiffness = 50.0;
    part.damping = 20.0;
    Cairn__V1__Input input = CAIRN__V1__INPUT__INIT;
    input.seq = seq;
    input.action_case = CAIRN__V1__INPUT__ACTION_DRAG;
    input.drag = &part;
    CLIENT_MESSAGE(message, INPUT, input, &input);
    server_take(server, connection, &message);
}

#endif
