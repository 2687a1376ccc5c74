/*
 * test_rules.c: rules of a scene in a daemon with a store: after a crash the world has the bits
 * that it had, and sessions that the crash has cut off leave.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "tests/support/server/durable_client.h"

#include <stdio.h>

#define GAME_MS 900
#define REACH_MS 6000 /* a recovery goes on to the last tick that might have been shown */
#define MOMENTS_MAX 4096

static const char scene_text[] =
    "name: pair\n"
    "world: {stepper: time, solver: impulse}\n"
    "bodies:\n"
    "- {name: floor, type: STATIC, position: {y: -0.5}, shapes: [{box: {size: {x: 40, y: 1}}}]}\n"
    "- {name: right, mass: 1, position: {x: 1, y: 0.5}, shapes: [{circle: {radius: 0.5}}]}\n"
    "- {name: gate, type: STATIC, position: {x: 9, y: 1}, shapes: [{box: {size: {x: 1, y: 4}},\n"
    "   sensor: true}]}\n"
    "prefabs:\n"
    "- {name: dot, bodies: [{mass: 1, tags: [dot], shapes: [{circle: {radius: 0.1}}]}]}\n"
    "spawns: [{prefab: dot, at: {x: 7, y: 1}, velocity: {x: 5}, every: 0.15, max: 3}]\n"
    "rules:\n"
    "- {name: eat, sensor: {sensor: gate, visitor: '#dot'}, do: [{count: {attribute: eaten}},\n"
    "   {remove: {body: $it}}]}\n"
    "- {name: come, join: {}, do: [{count: {attribute: joined}},\n"
    "   {set: {of: $session, attribute: team, text: red}}]}\n"
    "- {name: go, leave: {}, do: [{count: {attribute: left}}]}\n";

static const char end_text[] =
    "- {name: end, timer: {after: 1}, do: [{endRound: {result: over, resetAfter: 0.1}}]}\n";

/* The hash after a tick of a generation. */
struct moment {
    uint32_t generation;
    uint64_t tick, hash;
};

static struct moment moments[MOMENTS_MAX];
static int moment_count;

static struct moment *
find(uint32_t generation, uint64_t tick)
{
    for (int i = 0; i < moment_count; i++) {
        if (moments[i].generation == generation && moments[i].tick == tick) {
            return &moments[i];
        }
    }
    return NULL;
}

static void
remember(const struct sv_world *world)
{
    struct moment *moment = find(world->generation, cn_world_tick(world->engine));
    if (moment == NULL) {
        assert_true(moment_count < MOMENTS_MAX);
        moment = &moments[moment_count++];
    }
    *moment = (struct moment){
        world->generation, cn_world_tick(world->engine), cn_world_hash(world->engine)};
}

static void
play(struct durable_sim *sim, struct client *client, int duration_ms, bool is_first)
{
    int connection = -1;
    for (int ms = 0; ms < duration_ms; ms++) {
        if (ms == 20) {
            connection = server_enter(&sim->server, (char[]){"ann"});
        }
        durable_sim_step(sim, ms < 40 || ms % 7 == 0);
        if (connection >= 0) {
            server_read(&sim->server, connection, see, client);
        }
        if (is_first && sim->server.worker.world_count > 0) {
            remember(durable_sim_world(sim));
        }
    }
}

static int64_t
integer_of(struct durable_sim *sim, const char *name)
{
    const struct cn_owner world = {CN_OWNER_WORLD, 0};
    const struct cn_attribute *attribute =
        cn_world_attribute(durable_sim_world(sim)->engine, world, name);
    return attribute != NULL ? attribute->value.integer : 0;
}

/* The world came back at a tick that it had, with the same bits. */
static void
check_back(struct durable_sim *sim, const struct client *client)
{
    const struct sv_world *world = durable_sim_world(sim);
    const struct moment *moment = find(world->generation, cn_world_tick(world->engine));
    assert_string_equal(world->failure, "");
    assert_true(world->generation >= client->generation);
    assert_non_null(moment);
    assert_true(moment->hash == cn_world_hash(world->engine));
}

static void
test_crashes(void **state)
{
    (void)state;
    struct durable_sim sim;
    struct client client = {0};
    memset(&sim, 0, sizeof(sim));
    moment_count = 0;
    durable_sim_boot(&sim, scene_text);
    play(&sim, &client, REACH_MS, true);
    assert_true(integer_of(&sim, "eaten") > 10);
    assert_int_equal(integer_of(&sim, "joined"), 1);
    assert_true(client.generation > 20); /* bodies came and went */
    durable_sim_crash(&sim, 1);
    durable_sim_finish(&sim);
    for (int ms = 120; ms < GAME_MS; ms += 31) {
        struct client other = {0};
        memset(&sim, 0, sizeof(sim));
        durable_sim_boot(&sim, scene_text);
        play(&sim, &other, ms, false);
        durable_sim_crash(&sim, (uint64_t)ms);
        durable_sim_boot(&sim, scene_text);
        assert_int_equal(sim.recovered.world_count, 1);
        check_back(&sim, &other);
        durable_sim_crash(&sim, 2);
        durable_sim_finish(&sim);
    }
}

/* A round that ends resets the world, by a log entry. */
static void
test_end(void **state)
{
    (void)state;
    char text[sizeof(scene_text) + sizeof(end_text)];
    struct durable_sim sim;
    struct client client = {0};
    memset(&sim, 0, sizeof(sim));
    snprintf(text, sizeof(text), "%s%s", scene_text, end_text);
    durable_sim_boot(&sim, text);
    play(&sim, &client, 900, false);
    uint32_t series = durable_sim_world(&sim)->series;
    durable_sim_run(&sim, 600);
    assert_true(durable_sim_world(&sim)->series > series);
    assert_true(cn_world_tick(durable_sim_world(&sim)->engine) < 40);
    assert_int_equal(integer_of(&sim, "joined"), 1); /* its member joins the new round */
    series = durable_sim_world(&sim)->series;
    durable_sim_close(&sim);
    durable_sim_boot(&sim, text);
    assert_string_equal(durable_sim_world(&sim)->failure, "");
    assert_int_equal(durable_sim_world(&sim)->series, series);
    durable_sim_crash(&sim, 1);
    durable_sim_finish(&sim);
}

/* A session that was there before a crash, and is not after it, leaves. */
static void
test_cut_off(void **state)
{
    (void)state;
    struct durable_sim sim;
    struct client client = {0}, second = {0};
    memset(&sim, 0, sizeof(sim));
    durable_sim_boot(&sim, scene_text);
    play(&sim, &client, 300, false);
    assert_int_equal(integer_of(&sim, "joined"), 1);
    durable_sim_crash(&sim, 3);
    durable_sim_boot(&sim, scene_text);
    assert_int_equal(integer_of(&sim, "left"), 0);
    play(&sim, &second, 200, false);
    assert_int_equal(integer_of(&sim, "joined"), 2);
    assert_int_equal(integer_of(&sim, "left"), 1);
    durable_sim_crash(&sim, 4);
    durable_sim_finish(&sim);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_crashes),
        cmocka_unit_test(test_end),
        cmocka_unit_test(test_cut_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
