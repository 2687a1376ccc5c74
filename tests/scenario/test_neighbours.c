/*
 * test_neighbours.c: worlds with far too much work share a worker with a world of little work.
 * Each gets its slice in turn, so the light world runs and is answered, and the others share the
 * rest.  Work is counted, not timed: a slice of a heavy world takes a fixed time on the simulated
 * clock.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "tests/support/server/twin_server.h"

#include <stdio.h>

#define SLICES 400 /* of a heavy tick: 0.8 s */
#define SLICE_NS (2 * SV_NS_PER_MS)
#define LIGHT_NS (SV_NS_PER_MS / 20)
#define HEAVY_MAX 20

/* ---- work ---- */

struct heavy {
    const struct cn_world *engine;
    int left; /* slices of the tick that has begun */
};

static struct heavy heavy[HEAVY_MAX];
static int heavy_count;
static bool is_whole; /* a heavy tick runs without slices */
static uint64_t *now_ns;

static struct heavy *
find_heavy(const struct cn_world *engine)
{
    for (int i = 0; i < heavy_count; i++) {
        if (heavy[i].engine == engine) {
            return &heavy[i];
        }
    }
    return NULL;
}

/* Linked with -Wl,--wrap. */
enum cn_step_result __real_cn_world_step(struct cn_world *world, int64_t work);
enum cn_step_result __wrap_cn_world_step(struct cn_world *world, int64_t work);
bool __real_cn_world_is_mid_tick(const struct cn_world *world);
bool __wrap_cn_world_is_mid_tick(const struct cn_world *world);

enum cn_step_result
__wrap_cn_world_step(struct cn_world *world, int64_t work)
{
    struct heavy *own = find_heavy(world);
    *now_ns += own == NULL ? LIGHT_NS : is_whole ? SLICES * SLICE_NS : SLICE_NS;
    if (own != NULL && !is_whole) {
        own->left = own->left > 0 ? own->left - 1 : SLICES - 1;
        if (own->left > 0) {
            return CN_STEP_MORE;
        }
    }
    return __real_cn_world_step(world, work);
}

bool
__wrap_cn_world_is_mid_tick(const struct cn_world *world)
{
    const struct heavy *own = find_heavy(world);
    return (own != NULL && own->left > 0) || __real_cn_world_is_mid_tick(world);
}

/* ---- worlds ---- */

static int connection; /* of the client in the light world */

static void
hear(void *user, const Cairn__V1__ServerMessage *message)
{
    uint64_t *ticks = user;
    *ticks += message->message_case == CAIRN__V1__SERVER_MESSAGE__MESSAGE_TICK ? 1 : 0;
}

static void
begin(struct server *server, int count)
{
    struct wire_error error;
    struct sv_asker nobody = {0};
    heavy_count = 0;
    memset(heavy, 0, sizeof(heavy));
    now_ns = &server->now_ns;
    server_init(server);
    server->worker.env.keep_running = true;
    server->host.worlds_max = HEAVY_MAX + 1;
    for (int i = 0; i < count; i++) {
        char id[WIRE_NAME_SIZE];
        snprintf(id, sizeof(id), "heavy-%d", i);
        assert_true(sv_host_create_world(
            &server->host, id, sv_scene_ref(server->host.worlds[0]->scene), &nobody, &error));
    }
    connection = server_enter(server, (char[]){"ann"});
    server_run(server, 20);
    assert_int_equal(server->worker.world_count, count + 1);
    for (int i = 0; i < count; i++) {
        heavy[i].engine = server->worker.worlds[1 + i]->engine;
    }
    heavy_count = count;
}

/*
 * Rates in Hz: of the light world's ticks, of its ticks that the client receives, of the slowest
 * and of the fastest heavy world.  And the longest time that a message waits.
 */
struct outcome {
    double light, shown, least, most;
    uint64_t wait_ns;
};

static struct outcome
run_for(struct server *server, int seconds)
{
    struct outcome outcome = {.least = 1e9};
    uint64_t first[HEAVY_MAX + 1], start_ns = server->now_ns, shown = 0;
    for (int i = 0; i <= heavy_count; i++) {
        first[i] = cn_world_tick(server->worker.worlds[i]->engine);
    }
    while (server->now_ns - start_ns < (uint64_t)seconds * SV_NS_PER_S) {
        uint64_t began_ns = server->now_ns;
        uint64_t wanted_ns = sv_worker_run(&server->worker);
        uint64_t took_ns = server->now_ns - began_ns;
        outcome.wait_ns = took_ns > outcome.wait_ns ? took_ns : outcome.wait_ns;
        sv_gateway_poll(&server->gateway);
        server_read(server, connection, hear, &shown);
        server->now_ns = wanted_ns > server->now_ns ? wanted_ns : server->now_ns;
    }
    for (int i = 0; i <= heavy_count; i++) {
        uint64_t ticks = cn_world_tick(server->worker.worlds[i]->engine) - first[i];
        double rate = (double)ticks * 1e9 / (double)(server->now_ns - start_ns);
        if (i == 0) {
            outcome.light = rate;
        } else {
            outcome.least = rate < outcome.least ? rate : outcome.least;
            outcome.most = rate > outcome.most ? rate : outcome.most;
        }
    }
    outcome.shown = (double)shown * 1e9 / (double)(server->now_ns - start_ns);
    print_message("%d heavy worlds, %s: light %.1f Hz, heavy %.3f to %.3f, messages wait %.1f ms\n",
        heavy_count, is_whole ? "whole ticks" : "slices", outcome.light, outcome.least,
        outcome.most, (double)outcome.wait_ns * 1e-6);
    return outcome;
}

static struct outcome
try_with(int count, bool whole)
{
    static struct server server;
    begin(&server, count);
    is_whole = whole;
    struct outcome outcome = run_for(&server, 60);
    server_finish(&server);
    heavy_count = 0;
    return outcome;
}

static void
test_light_goes_on(void **state)
{
    (void)state;
    for (int count = 1; count <= 6; count += 5) {
        struct outcome outcome = try_with(count, false);
        assert_true(outcome.light > 59.0 && outcome.shown > 59.0);
        assert_true(outcome.wait_ns <= SV_BATCH_NS + SLICE_NS + 2 * LIGHT_NS);
        assert_true(outcome.most - outcome.least <= 2.0 / 60); /* one tick of a minute each */
        assert_true(outcome.least > 0.8 / (SLICES * (double)SLICE_NS * 1e-9) / count);
    }
}

/*
 * More worlds than the worker has time for get equal shares of turns; the light one gets no less.
 */
static void
test_share_is_fair(void **state)
{
    (void)state;
    struct outcome outcome = try_with(HEAVY_MAX, false);
    double turns = 1e9 / (HEAVY_MAX * (double)SLICE_NS + LIGHT_NS);
    assert_true(outcome.light > 0.95 * turns);
    assert_true(outcome.wait_ns <= SV_BATCH_NS + SLICE_NS + 2 * LIGHT_NS);
    assert_true(outcome.most - outcome.least <= 2.0 / 60);
}

/* Shows that the load is heavy: without slices the light world stops for seconds. */
static void
test_load_is_one(void **state)
{
    (void)state;
    struct outcome outcome = try_with(6, true);
    assert_true(outcome.light < 10.0);
    assert_true(outcome.wait_ns >= SLICES * SLICE_NS);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_light_goes_on),
        cmocka_unit_test(test_share_is_fair),
        cmocka_unit_test(test_load_is_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
