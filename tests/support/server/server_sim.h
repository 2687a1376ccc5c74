/*
 * server_sim.h: host, worker and gateway on one thread, with a simulated clock and transport.
 */
#ifndef TESTS_SUPPORT_SERVER_SERVER_SIM_H
#define TESTS_SUPPORT_SERVER_SERVER_SIM_H

#include "server/base/limits.h"
#include "server/net/gateway.h"
#include "server/net/transport_sim.h"
#include "tests/support/live_blocks.h"

#include <string.h>

struct server_sim {
    uint64_t now_ns;
    struct sv_log log;
    struct sv_metrics metrics;
    struct sv_worker worker;
    struct sv_worker *workers[1];
    struct sv_host host;
    struct sv_gateway gateway;
    struct sv_sim_transport transport;
    long blocks; /* of the heap that were in use before */
};

static inline void
server_sim_no_wake(void *context, int worker)
{
    (void)context;
    (void)worker;
}

static inline void
server_sim_drop_line(void *context, const char *line, size_t size)
{
    (void)context;
    (void)line;
    (void)size;
}

/* Everything that is due in the next millisecond. */
static inline void
server_sim_step(struct server_sim *sim)
{
    while (sv_worker_run(&sim->worker) <= sim->now_ns) {
    }
    sv_gateway_poll(&sim->gateway);
    sv_gateway_tend(&sim->gateway);
    sim->now_ns += SV_NS_PER_MS;
}

/* With a world of this scene; needs cmocka. */
static inline void
server_sim_init(struct server_sim *sim, const char *scene_text)
{
    struct wire_text_error wrong;
    struct wire_error error;
    struct sv_asker nobody = {0};
    memset(sim, 0, sizeof(*sim));
    sim->blocks = live_blocks();
    sim->now_ns = SV_NS_PER_S;
    struct sv_clock clock = sv_clock_simulated(&sim->now_ns);
    sv_log_init(&sim->log, SV_LOG_DEBUG, clock);
    sim->log.write = server_sim_drop_line;
    assert_true(sv_worker_init(&sim->worker, clock, &sim->log, &sim->metrics, false));
    sim->workers[0] = &sim->worker;
    sv_host_init(&sim->host, sim->workers, 1, 4);
    sim->host.wake = server_sim_no_wake;
    assert_true(sv_gateway_init(&sim->gateway, &sim->host, clock, &sim->log, &sim->metrics,
        "sim", SV_SIM_CONNECTIONS_MAX));
    struct sv_transport_events events = sv_gateway_events(&sim->gateway);
    sv_sim_transport_init(&sim->transport, &events);
    sim->gateway.transport = sv_sim_transport(&sim->transport);
    struct wire_scene *parsed = wire_scene_parse(scene_text, strlen(scene_text), &wrong);
    assert_non_null(parsed);
    struct sv_scene *scene = sv_scene_create(parsed);
    assert_true(sv_host_create_world(&sim->host, "", scene, &nobody, &error));
    server_sim_step(sim);
}

static inline void
server_sim_finish(struct server_sim *sim)
{
    sv_sim_transport_finish(&sim->transport);
    sv_worker_finish(&sim->worker);
    sv_gateway_finish(&sim->gateway);
    sv_host_finish(&sim->host);
    assert_int_equal(live_blocks(), sim->blocks); /* all that it took is given back */
}

#endif
