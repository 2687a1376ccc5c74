/*
 * net_rig.h: the daemon's network side in one process: sockets, gateway, HTTP routes, host and a
 * worker on the simulated clock.
 *
 * A client is one end of a socket pair; the listener takes the other end as if it had accepted it.
 * A handshake that comes whole is accepted without libwebsockets (lws_plain.h), one in pieces by
 * it.  Sockets and their loop are made once.  Everything behind them (worlds, sessions, counters)
 * is made for each input, so that a finding can be repeated from its input alone.
 *
 * The target advances the clock in steps.  libwebsockets' own clock, which closes connections that
 * are silent for many seconds, is real and never expires in a run.
 */
#ifndef TESTS_FUZZ_NET_NET_RIG_H
#define TESTS_FUZZ_NET_NET_RIG_H

#include "engine/base/assert.h"
#include "proto/limits.h"
#include "server/admin/admin.h"
#include "server/base/limits.h"
#include "server/net/gateway.h"
#include "server/net/lws/lws_server.h"

#include <linux/sockios.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define RIG_CLIENTS_MAX 4
#define RIG_HOST "cairn.test" /* without the port, which the kernel chooses */

struct rig {
    uint64_t now_ns, random;
    uv_loop_t loop;
    struct sv_log log;
    struct sv_metrics metrics;
    struct sv_worker worker;
    struct sv_worker *workers[1];
    struct sv_host host;
    struct sv_gateway gateway;
    struct sv_page page;
    struct sv_admin admin;
    struct sv_pool_sim pool;
    struct sv_lws lws;
    struct sv_listener *listener;
    struct sv_scene *scenes[2];
};

/*
 * Two boxes without gravity, one of them with a thruster, and a floor that they do not touch.  A
 * tick is cheap, so the time is spent on the network code.
 */
static const char rig_pair[] =
    "name: pair\n"
    "world: {stepper: time, solver: impulse, gravity: {y: 0}, tickRate: 30}\n"
    "bodies:\n"
    "  - {name: floor, type: STATIC, position: {y: -0.5},\n"
    "     shapes: [{box: {size: {x: 40, y: 1, z: 1}}}]}\n"
    "  - {name: left, mass: 2, position: {x: -2, y: 2.5},\n"
    "     shapes: [{box: {size: {x: 1, y: 1, z: 1}}}]}\n"
    "  - {name: right, mass: 2, position: {x: 2, y: 1.5},\n"
    "     shapes: [{box: {size: {x: 1, y: 1, z: 1}}}]}\n"
    "forces:\n"
    "  - thruster: {body: left, force: {y: 30}, key: e, name: up}\n";

/* In space, with the production solver. */
static const char rig_drop[] =
    "name: drop\n"
    "world: {stepper: time, solver: impulse}\n"
    "bodies:\n"
    "  - {name: ground, type: STATIC, shapes: [{box: {size: {x: 20, y: 20, z: 1}}}]}\n"
    "  - {name: ball, mass: 1, position: {z: 3}, shapes: [{sphere: {radius: 0.5}}]}\n"
    "  - {name: cube, mass: 1, position: {x: 0.2, z: 5},\n"
    "     shapes: [{box: {size: {x: 1, y: 1, z: 1}}}]}\n";

static inline void
rig_no_wake(void *context, int worker)
{
    (void)context;
    (void)worker;
}

static inline void
rig_drop_line(void *context, const char *line, size_t size)
{
    (void)context;
    for (size_t i = 0; i + 1 < size; i++) {
        CN_ASSERT((unsigned char)line[i] >= ' '); /* one line without control characters */
    }
}

static inline void
rig_reply(void *context, uint32_t token, const struct sv_http_response *response_take)
{
    struct rig *rig = context;
    sv_lws_reply(&rig->lws, token, response_take);
}

static inline struct sv_scene *
rig_scene(const char *text)
{
    struct wire_text_error error;
    struct wire_scene *scene = wire_scene_parse(text, strlen(text), &error);
    CN_ASSERT(scene != NULL);
    return sv_scene_create(scene);
}

/* Once in each process. */
static inline void
rig_init(struct rig *rig)
{
    char error[SV_TLS_ERROR_SIZE];
    struct sv_clock clock = sv_clock_simulated(&rig->now_ns);
    rig->now_ns = SV_NS_PER_S;
    sv_log_init(&rig->log, SV_LOG_DEBUG, clock);
    rig->log.write = rig_drop_line;
    rig->workers[0] = &rig->worker;
    uv_loop_init(&rig->loop);
    rig->scenes[0] = rig_scene(rig_pair);
    rig->scenes[1] = rig_scene(rig_drop);
    CN_ASSERT(sv_page_load(&rig->page, NULL, &rig->log, NULL) == SV_DISK_OK);
    struct sv_lws_options options = {
        .receive_rate = SV_RECEIVE_RATE,
        .loop = &rig->loop,
        .clock = clock,
        .log = &rig->log,
        .metrics = &rig->metrics,
        .events = sv_gateway_events(&rig->gateway),
        .handler = {.context = &rig->admin, .handle = sv_admin_handle},
        .connections_max = RIG_CLIENTS_MAX,
        .guard = sv_guard_limits_make(64, 64, 1000, 64, false),
    };
    CN_ASSERT(sv_lws_init(&rig->lws, &options));
    CN_ASSERT(sv_lws_listen(&rig->lws, "127.0.0.1", 0, SV_DOOR_WHOLE, error) > 0);
    sv_hosts_add_host(&rig->lws.hosts, RIG_HOST);
    rig->listener = rig->lws.listeners[0];
}

/* Runs all work that is due on the loop, in the world and on the pool. */
static inline void
rig_turn(struct rig *rig)
{
    uv_run(&rig->loop, UV_RUN_NOWAIT);
    sv_pool_sim_run(&rig->pool);
    while (sv_worker_run(&rig->worker) <= rig->now_ns) {
    }
    sv_gateway_poll(&rig->gateway);
}

static inline void
rig_wait(struct rig *rig, unsigned duration_ms)
{
    rig->now_ns += duration_ms * SV_NS_PER_MS;
    sv_gateway_tend(&rig->gateway);
    rig_turn(rig);
}

/* Starts a rig with a world "pair" without clients. */
static inline void
rig_begin(struct rig *rig)
{
    struct sv_clock clock = sv_clock_simulated(&rig->now_ns);
    struct sv_asker nobody = {0};
    struct wire_error error;
    memset(&rig->metrics, 0, sizeof(rig->metrics));
    rig->random = 0;
    rig->lws.token_count = 0;
    sv_log_init(&rig->log, SV_LOG_DEBUG, clock);
    rig->log.write = rig_drop_line;
    CN_ASSERT(sv_worker_init(&rig->worker, clock, &rig->log, &rig->metrics, false));
    sv_host_init(&rig->host, rig->workers, 1, 4);
    rig->host.wake = rig_no_wake;
    rig->host.pool = sv_pool_sim(&rig->pool);
    CN_ASSERT(sv_gateway_init(&rig->gateway, &rig->host, clock, &rig->log, &rig->metrics, "rig",
        RIG_CLIENTS_MAX));
    rig->gateway.transport = sv_lws_transport(&rig->lws);
    rig->gateway.random = sv_random_simulated(&rig->random);
    rig->gateway.http_reported = sv_admin_reported;
    rig->gateway.http_context = &rig->admin;
    rig->admin = (struct sv_admin){.host = &rig->host,
        .page = &rig->page,
        .metrics = &rig->metrics,
        .is_ready = true,
        .reply = rig_reply,
        .reply_context = rig};
    for (int i = 0; i < 2; i++) {
        CN_ASSERT(sv_host_bundle(&rig->host, sv_scene_ref(rig->scenes[i])));
    }
    CN_ASSERT(sv_host_create_world(
        &rig->host, "", sv_scene_ref(rig->scenes[0]), &nobody, &error));
    rig_turn(rig);
    CN_ASSERT(sv_host_find(&rig->host, "pair") != NULL);
}

/* All clients have gone, and nothing of them may be left. */
static inline void
rig_end(struct rig *rig)
{
    for (int i = 0; rig->lws.connection_count > 0; i++) {
        CN_ASSERT(i < 400); /* a turn reads 256 bytes of each */
        rig_turn(rig);
    }
    while (sv_pool_sim_run(&rig->pool)) {
    }
    CN_ASSERT(rig->lws.waiting == NULL && rig->lws.sockets == NULL && rig->lws.kills == NULL);
    rig_wait(rig, SV_GRACE_NS / SV_NS_PER_MS + 1);
    rig_wait(rig, 1);
    CN_ASSERT(rig->gateway.free_count == rig->gateway.seat_count);
    CN_ASSERT(rig->metrics.clients == 0 && rig->metrics.clients_away == 0);
    CN_ASSERT(rig->metrics.connections == 0);
    CN_ASSERT(rig->admin.waiting_count == 0 && rig->admin.check_count == 0);
    for (int i = 0; i < rig->host.world_count; i++) {
        CN_ASSERT(rig->host.worlds[i]->status.client_count == 0);
    }
    sv_worker_finish(&rig->worker);
    sv_gateway_finish(&rig->gateway);
    sv_host_finish(&rig->host);
}

/* A new client's end, or -1 where the server has no room for it. */
static inline int
rig_connect(struct rig *rig)
{
    int ends[2];
    CN_ASSERT(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) == 0);
    const struct sockaddr from = {.sa_family = AF_UNIX};
    int count = rig->lws.connection_count;
    sv_lws_take(rig->listener, ends[1], &from);
    if (rig->lws.connection_count == count) {
        close(ends[0]);
        return -1;
    }
    return ends[0];
}

/* Runs until the server has read all bytes sent to it, or does not read any more. */
static inline void
rig_drain(struct rig *rig, int fd)
{
    for (int i = 0, unread = 1; i < 64 && unread > 0; i++) {
        rig_turn(rig);
        if (ioctl(fd, SIOCOUTQ, &unread) != 0) {
            return;
        }
    }
    rig_turn(rig);
}

#endif
