/*
 * test_watch.c: if bodies explode, the world continues without them, and no other body is frozen.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "proto/quant.h"
#include "server/world/data/watch.h"
#include "tests/support/server/twin_server.h"

#include <math.h>
#include <stdio.h>

/*
 * Two bodies without shapes attract each other.  At 20 mm the attraction is too strong for the
 * ticks: in one tick they reach 1 km/s.  A weak spring makes them one island.
 */
static const char exploding[] =
    "name: pair\n"
    "world: {stepper: time, solver: impulse, sleep: false}\n"
    "bodies:\n"
    "  - {name: floor, type: STATIC, position: {y: -0.5},\n"
    "     shapes: [{box: {size: {x: 60, y: 1}}}]}\n"
    "  - {name: calm, mass: 1, position: {x: -8, y: 0.5},\n"
    "     shapes: [{box: {size: {x: 1, y: 1}}}]}\n"
    "  - {name: one, mass: 1, position: {x: 4, y: 3},\n"
    "     inertia: 1}\n"
    "  - {name: other, mass: 1, position: {x: 4.02, y: 3},\n"
    "     inertia: 1}\n"
    "forces:\n"
    "  - {gravitation: {constant: 20}}\n"
    "  - {spring: {bodyA: one, bodyB: other, stiffness: 1}}\n";

enum { CALM, ONE, OTHER, BODIES };

struct client {
    struct server *server;
    int connection;
    uint64_t tick, seq;
    double x[BODIES], y[BODIES];
    uint32_t frozen_count, done_request;
    int state;
};

static void
see(void *user, const Cairn__V1__ServerMessage *message)
{
    struct client *client = user;
    switch (message->message_case) {
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_SNAPSHOT:
        assert_int_equal(message->snapshot->n_x, BODIES);
        client->tick = message->snapshot->tick;
        for (int i = 0; i < BODIES; i++) {
            client->x[i] = message->snapshot->x[i] * WIRE_POSITION_SCALE;
            client->y[i] = message->snapshot->y[i] * WIRE_POSITION_SCALE;
        }
        break;
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_STATUS:
        client->frozen_count = message->status->frozen_count;
        client->state = (int)message->status->state;
        break;
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_CONTROL_DONE:
        client->done_request = message->control_done->request;
        break;
    default:
        break;
    }
}

static void
run(struct client *client, uint64_t duration_ms)
{
    server_run(client->server, duration_ms);
    server_read(client->server, client->connection, see, client);
}

static uint64_t
count_of(const _Atomic uint64_t *metric)
{
    return atomic_load(metric);
}

static void
test_island_is_frozen(void **state)
{
    (void)state;
    static struct server server;
    struct client ann = {.server = &server};
    server_init_with(&server, exploding);
    ann.connection = server_enter(&server, (char[]){"ann"});
    run(&ann, 400);
    /* Both ends of the spring are frozen at once, and the world continues. */
    assert_int_equal(ann.frozen_count, 2);
    assert_int_equal(ann.state, 0);
    assert_int_equal(count_of(&server.metrics.explosions), 1);
    assert_int_equal(count_of(&server.metrics.bodies_frozen), 2);
    struct client before = ann;
    run(&ann, 1000);
    assert_true(ann.tick > before.tick + 50);
    for (int i = ONE; i <= OTHER; i++) {
        assert_true(ann.x[i] == before.x[i] && ann.y[i] == before.y[i]);
    }
    assert_int_equal(count_of(&server.metrics.explosions), 1);
    /* Other bodies can be pushed as before the explosion. */
    server_take_drag(&server, ann.connection, ++ann.seq, 1, -4.0);
    run(&ann, 2000);
    assert_true(ann.x[CALM] > -5.0);
    /* A reset gives everything back, and it explodes again. */
    Cairn__V1__Control__Reset part = CAIRN__V1__CONTROL__RESET__INIT;
    Cairn__V1__Control control = CAIRN__V1__CONTROL__INIT;
    control.request = 1;
    control.action_case = CAIRN__V1__CONTROL__ACTION_RESET;
    control.reset = &part;
    CLIENT_MESSAGE(message, CONTROL, control, &control);
    server_take(&server, ann.connection, &message);
    run(&ann, 30);
    assert_int_equal(ann.done_request, 1);
    run(&ann, 400);
    assert_int_equal(ann.frozen_count, 2);
    assert_int_equal(count_of(&server.metrics.explosions), 2);
    server_finish(&server);
}

/* ---- scenes that do not explode ---- */

static struct cn_world *
load(const char *name)
{
    char path[512];
    snprintf(path, sizeof(path), SCENE_DIR "/%s.yaml", name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    static char text[1 << 18];
    size_t size = fread(text, 1, sizeof(text), file);
    fclose(file);
    struct wire_text_error wrong;
    struct wire_scene *scene = wire_scene_parse(text, size, &wrong);
    assert_non_null(scene);
    struct cn_defect defect;
    struct cn_world *world;
    assert_int_equal(cn_world_create(wire_scene_world_def(scene), &defect, &world), CN_OK);
    wire_scene_destroy(scene);
    return world;
}

static bool
explodes(struct cn_world *world, int tick_count)
{
    struct sv_watch watch = {0};
    for (int tick = 0; tick < tick_count && !watch.has_exploded; tick++) {
        sv_watch_begin(&watch, world);
        while (cn_world_step(world, INT64_MAX) != CN_STEP_DONE) {
        }
        sv_watch_look(&watch, world, false);
    }
    cn_world_destroy(world);
    return watch.has_exploded;
}

static void
test_scenes_do_not(void **state)
{
    (void)state;
    static const char *const names[] = {"contact-6", "pyramid", "chain", "double-pendulum",
        "newtons-cradle", "billiards-row", "see-saw", "drum", "mars-moon", "roller-coaster",
        "spinning-top", "dzhanibekov-nut", "machines-in-space", "rope", "balls-into-a-box",
        "brick-wall", "dominoes", "rocket", "bridge", "heap-in-space"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (explodes(load(names[i]), 200)) {
            fail_msg("%s is taken for an explosion", names[i]);
        }
    }
}

/* A ball on a spring of 2 kN/m, stretched by a metre: 1 kJ becomes motion within a tick or two. */
static void
test_stored_energy_is_a_cause(void **state)
{
    (void)state;
    static const char text[] =
        "name: sling\n"
        "world: {gravity: {}}\n"
        "bodies:\n"
        "  - {name: ball, mass: 0.5, position: {x: 1}, shapes: [{circle: {radius: 0.1}}]}\n"
        "forces:\n"
        "  - {spring: {bodyB: ball, stiffness: 2000}}\n";
    struct wire_text_error wrong;
    struct wire_scene *scene = wire_scene_parse(text, sizeof(text) - 1, &wrong);
    assert_non_null(scene);
    struct cn_defect defect;
    struct cn_world *world;
    assert_int_equal(cn_world_create(wire_scene_world_def(scene), &defect, &world), CN_OK);
    wire_scene_destroy(scene);
    assert_false(explodes(world, 120));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_island_is_frozen),
        cmocka_unit_test(test_scenes_do_not),
        cmocka_unit_test(test_stored_energy_is_a_cause),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
