/*
 * test_durable.c: a world survives the end of the process: all acknowledged data is there, to the
 * bit.
 *
 * One script runs in a process that does not end, and in processes that end at each of its steps.
 * In it a client pushes while the world gets settings, is changed, paused, reset and loaded.  The
 * past of each recovered world is compared, tick by tick, with that of the first process, up to the
 * last tick that the client was shown.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "tests/support/server/durable_client.h"

#include "engine/state/image.h"
#include "server/past/replay.h"
#include "server/world/act/world_life.h"
#include "server/world/act/world_persistence.h"

#define SCRIPT_MS 620
#define WARM_UP_MS 40 /* after it the client is in the world */
#define MOMENTS_MAX 256
#define BODIES_MAX 8

/* A world at a tick of one of its generations. */
struct moment {
    uint32_t generation;
    uint64_t tick;
    int body_count;
    struct {
        cn_vec3 position, velocity, angular_velocity;
        double angle;
    } body[BODIES_MAX];
    struct wire_settings changed;
};

static struct moment moments[MOMENTS_MAX];
static int moment_count;

/* ---- the states that a client sees ---- */

static void
look(const struct sv_world *world, struct moment *moment)
{
    memset(moment, 0, sizeof(*moment));
    moment->generation = world->generation;
    moment->tick = cn_world_tick(world->engine);
    moment->body_count = cn_world_body_count(world->engine);
    moment->changed = world->changed;
    assert_true(moment->body_count <= BODIES_MAX);
    for (int i = 0; i < moment->body_count; i++) {
        struct cn_body_view view;
        cn_world_body_view(world->engine, i, &view);
        moment->body[i].position = view.position;
        moment->body[i].velocity = view.velocity;
        moment->body[i].angular_velocity = view.angular_velocity;
        moment->body[i].angle = view.angle;
    }
}

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
    struct moment now;
    look(world, &now);
    struct moment *moment = find(now.generation, now.tick);
    if (moment == NULL) {
        assert_true(moment_count < MOMENTS_MAX);
        moment = &moments[moment_count++];
    }
    *moment = now;
}

/* ---- the script ---- */

static const char other_scene[] =
    "name: other\n"
    "bodies:\n"
    "  - {name: floor, type: STATIC, position: {y: -0.5},\n"
    "     shapes: [{box: {size: {x: 40, y: 1, z: 1}}}]}\n"
    "  - {name: left, mass: 2, position: {x: -1, y: 0.5},\n"
    "     shapes: [{circle: {radius: 0.5}}]}\n";

static void
send_order(struct server *server, struct sv_order order)
{
    struct wire_error error;
    struct sv_host_world *world = server->host.worlds[0];
    struct sv_order *order_take = malloc(sizeof(*order_take));
    assert_non_null(order_take);
    *order_take = order;
    order_take->origin = world->scene->origin;
    struct sv_message message = {.kind = SV_MESSAGE_ORDER, .order_take = order_take};
    assert_true(sv_host_send(&server->host, world, &message, &error));
}

/* Removes the right body, and makes a small one. */
static struct wire_change *
make_change(const struct server *server)
{
    struct cn_defect defect;
    uint8_t bytes[512];
    Cairn__V1__Vec3 at = CAIRN__V1__VEC3__INIT;
    Cairn__V1__Shape__Circle circle = CAIRN__V1__SHAPE__CIRCLE__INIT;
    Cairn__V1__Shape shape = CAIRN__V1__SHAPE__INIT;
    Cairn__V1__Body body = CAIRN__V1__BODY__INIT;
    Cairn__V1__Change change = CAIRN__V1__CHANGE__INIT;
    at.x = 3.0;
    at.y = 2.0;
    circle.radius = 0.25;
    shape.shape_case = CAIRN__V1__SHAPE__SHAPE_CIRCLE;
    shape.circle = &circle;
    body.name = (char[]){"small"};
    body.mass = 1.0;
    body.position = &at;
    body.shapes = (Cairn__V1__Shape *[]){&shape};
    body.n_shapes = 1;
    change.bodies = (Cairn__V1__Body *[]){&body};
    change.n_bodies = 1;
    change.remove = (char *[]){(char[]){"right"}};
    change.n_remove = 1;
    assert_true(cairn__v1__change__get_packed_size(&change) <= sizeof(bytes));
    size_t size = cairn__v1__change__pack(&change, bytes);
    struct wire_change *made =
        wire_change_unpack(bytes, size, server->host.worlds[0]->scene->scene, &defect);
    assert_non_null(made);
    return made;
}

static void
order_at(struct server *server, int ms)
{
    struct wire_text_error wrong;
    switch (ms) {
    case 90:
        send_order(server, (struct sv_order){.kind = WIRE_CONTROL_SETTINGS,
            .settings = {.has_gravity = true, .gravity = {0.5, -4.0, 0.0}}});
        break;
    case 150:
        send_order(server, (struct sv_order){
            .kind = WIRE_CONTROL_CHANGE, .change = make_change(server)});
        break;
    case 200: {
        struct cn_command *command = calloc(2, sizeof(*command));
        assert_non_null(command);
        command[0] = (struct cn_command){.kind = CN_COMMAND_SET_FILTER,
            .set_filter = {.body = 1, .shape = -1, .filter = {1, 0, 0}}}; /* it falls */
        command[1] =
            (struct cn_command){.kind = CN_COMMAND_SLEEP_BODY, .sleep_body = {.body = 1}};
        send_order(server, (struct sv_order){
            .kind = WIRE_CONTROL_BODIES, .bodies = {.command = command, .count = 2}});
        break;
    }
    case 240:
        send_order(server, (struct sv_order){.kind = WIRE_CONTROL_PAUSE});
        break;
    case 270:
        send_order(server, (struct sv_order){.kind = WIRE_CONTROL_RESUME});
        break;
    case 340:
        send_order(server, (struct sv_order){.kind = WIRE_CONTROL_RESET});
        break;
    case 450: {
        struct wire_scene *scene =
            wire_scene_parse(other_scene, sizeof(other_scene) - 1, &wrong);
        assert_non_null(scene);
        send_order(server, (struct sv_order){
            .kind = WIRE_CONTROL_LOAD, .scene = sv_scene_create(scene)});
        break;
    }
    default:
        break;
    }
}

/* Plays the first `duration_ms`; the disk gets its turn every `disk_ms`. */
static void
play(struct durable_sim *sim, struct client *client, int duration_ms, int disk_ms, bool is_first)
{
    int connection = -1;
    for (int ms = 0; ms < duration_ms; ms++) {
        if (ms == WARM_UP_MS / 2) {
            connection = server_enter(&sim->server, (char[]){"ann"});
        }
        if (ms >= WARM_UP_MS && ms % 11 == 0) {
            server_take_drag(&sim->server, connection, ++client->seq, 1, ms % 3 - 1.0);
        }
        if (ms >= WARM_UP_MS) {
            order_at(&sim->server, ms);
        }
        durable_sim_step(sim, ms < WARM_UP_MS || ms % disk_ms == 0);
        if (connection >= 0) {
            server_read(&sim->server, connection, see, client);
        }
        if (is_first && sim->server.worker.world_count > 0) {
            remember(durable_sim_world(sim));
        }
    }
}

/* ---- lives ---- */

/* Whether the client was shown this tick of the world, or a later one. */
static bool
was_shown(const struct client *client, const struct sv_world *world)
{
    return world->generation < client->generation ||
        (world->generation == client->generation &&
            cn_world_tick(world->engine) <= client->tick);
}

/* A shown tick of the past has the same bodies as in the life without a crash. */
static void
check_moment(const struct sv_world *world, const struct client *client)
{
    struct moment now;
    look(world, &now);
    const struct moment *then = find(now.generation, now.tick);
    if (then != NULL && was_shown(client, world)) {
        assert_memory_equal(then->body, now.body, sizeof(now.body));
        assert_int_equal(then->body_count, now.body_count);
    }
}

/* Does everything again that is stored, and compares each tick. */
static void
check_past(struct durable_sim *sim, const struct client *client)
{
    const struct sv_checkpoint *checkpoint;
    struct sv_fault fault;
    struct wire_error error;
    struct sv_worker worker;
    struct sv_replay replay;
    struct sv_charter charter;
    struct sv_mailbox mailbox = {.id = "pair", .number = 1};
    bool is_good;
    durable_sim_open(sim);
    if (sv_store_world_count(sim->store) > 0) {
        assert_true(sv_worker_init(&worker, sv_clock_simulated(&sim->server.now_ns), NULL,
            &sim->server.metrics, true));
        assert_true(sv_charter_of(sim->store, 1, &charter));
        struct sv_way way = {.store = sim->store,
            .recovery = sv_recovery_begin(sim->store, 1, &checkpoint, &fault)};
        assert_non_null(way.recovery);
        struct sv_past past = sv_way_past(&way, checkpoint, charter.content);
        struct sv_world *world =
            sv_replay_begin(&replay, &worker.env, &mailbox, &past, &is_good, &error);
        assert_non_null(world);
        assert_true(is_good);
        enum sv_replay_step step = SV_REPLAY_TICK;
        while (step == SV_REPLAY_TICK || step == SV_REPLAY_RECORD) {
            check_moment(world, client);
            step = sv_replay_next(&replay);
        }
        assert_int_equal(step, SV_REPLAY_END);
        while (cn_world_tick(world->engine) < world->persist.reach_tick) {
            assert_true(sv_replay_step(world));
            check_moment(world, client);
        }
        sv_world_destroy(world);
        sv_recovery_end(way.recovery);
        sv_worker_finish(&worker);
    }
    sv_store_abandon(sim->store);
    sim->disk.is_locked = false;
}

/* The world is at the last tick that was shown to the client, or later. */
static void
check_back(struct durable_sim *sim, const struct client *client)
{
    struct sv_world *world = durable_sim_world(sim);
    assert_string_equal(world->failure, "");
    assert_int_equal(sim->recovered.failed_count, 0);
    if (world->generation == client->generation) {
        assert_true(cn_world_tick(world->engine) >= client->tick);
    }
    assert_true(world->generation >= client->generation);
}

/* One life that ends after `duration_ms`, and a second that ends soon after. */
static void
live_and_die(int duration_ms, int disk_ms)
{
    struct durable_sim sim;
    struct client client = {0}, second = {0};
    memset(&sim, 0, sizeof(sim));
    durable_sim_boot(&sim, twin_scene_text);
    play(&sim, &client, duration_ms, disk_ms, false);
    assert_true(client.durable_seq <= client.applied_seq);
    durable_sim_crash(&sim, (uint64_t)duration_ms);
    uint64_t seq = client.session != 0 ? stored_seq(&sim, client.session) : 0;
    assert_true(seq >= client.durable_seq);
    assert_true(seq <= client.seq);
    check_past(&sim, &client);
    durable_sim_boot(&sim, twin_scene_text);
    if (sim.recovered.world_count > 0) {
        check_back(&sim, &client);
    }
    assert_true(sim.recovered.world_count > 0 || client.tick == 0);
    play(&sim, &second, 40 + duration_ms % 90, 2, false);
    assert_string_equal(durable_sim_world(&sim)->failure, "");
    durable_sim_crash(&sim, (uint64_t)duration_ms + 1);
    durable_sim_boot(&sim, twin_scene_text);
    if (sim.recovered.world_count > 0) {
        assert_string_equal(durable_sim_world(&sim)->failure, "");
    }
    durable_sim_crash(&sim, 7);
    durable_sim_finish(&sim);
}

static void
test_every_step(void **state)
{
    (void)state;
    struct durable_sim sim;
    struct client client = {0};
    memset(&sim, 0, sizeof(sim));
    durable_sim_boot(&sim, twin_scene_text);
    play(&sim, &client, SCRIPT_MS, 1, true);
    assert_true(client.seq > 40);
    assert_true(client.durable_seq > 40);
    assert_int_equal(client.rejected_count, 0);
    assert_int_equal(durable_sim_world(&sim)->generation, 4);
    assert_int_equal(cn_world_body_count(durable_sim_world(&sim)->engine), 2);
    uint64_t tick = cn_world_tick(durable_sim_world(&sim)->engine);
    durable_sim_close(&sim);
    durable_sim_boot(&sim, twin_scene_text);
    assert_true(cn_world_tick(durable_sim_world(&sim)->engine) == tick);
    durable_sim_crash(&sim, 1);
    durable_sim_finish(&sim);
    for (int ms = 1; ms < SCRIPT_MS; ms++) {
        live_and_die(ms, 1 + ms * 5 % 23);
    }
}

/* ---- waiting for the disk ---- */

/*
 * The disk stalls.  The world runs SV_AHEAD_TICKS_MAX ticks ahead, no client sees these ticks, and
 * the world then waits.  It continues when the disk does.
 */
static void
test_stall(void **state)
{
    (void)state;
    struct durable_sim sim;
    struct client client = {0};
    memset(&sim, 0, sizeof(sim));
    durable_sim_boot(&sim, twin_scene_text);
    durable_sim_run(&sim, 20);
    int connection = server_enter(&sim.server, (char[]){"ann"});
    durable_sim_run(&sim, 100);
    server_read(&sim.server, connection, see, &client);
    struct sv_world *world = durable_sim_world(&sim);
    uint64_t tick = cn_world_tick(world->engine);
    for (int ms = 0; ms < 1000; ms++) {
        if (ms % 16 == 0) {
            server_take_drag(&sim.server, connection, ++client.seq, 1, 0.0);
        }
        durable_sim_step(&sim, false);
    }
    server_read(&sim.server, connection, see, &client);
    assert_true(cn_world_tick(world->engine) <= tick + SV_AHEAD_TICKS_MAX + 1);
    assert_true(cn_world_tick(world->engine) >= tick + SV_AHEAD_TICKS_MAX);
    assert_true(world->persist.is_stalled);
    assert_true(client.tick <= tick + 1);
    assert_int_equal(client.durable_seq, 0);
    durable_sim_run(&sim, 200);
    server_read(&sim.server, connection, see, &client);
    assert_false(world->persist.is_stalled);
    assert_true(client.tick > tick + 10);
    assert_int_equal(client.durable_seq, client.seq);
    durable_sim_close(&sim);
    durable_sim_finish(&sim);
}

/* An order is answered when it is durable, and not before. */
static void
test_answer_waits(void **state)
{
    (void)state;
    struct durable_sim sim;
    struct client client = {0};
    memset(&sim, 0, sizeof(sim));
    durable_sim_boot(&sim, twin_scene_text);
    durable_sim_run(&sim, 20);
    int connection = server_enter(&sim.server, (char[]){"ann"});
    durable_sim_run(&sim, 100);
    server_take_control(&sim.server, connection, CAIRN__V1__CONTROL__ACTION_PAUSE);
    for (int ms = 0; ms < 50; ms++) {
        durable_sim_step(&sim, false);
    }
    server_read(&sim.server, connection, see, &client);
    assert_int_equal(durable_sim_world(&sim)->state, WIRE_WORLD_PAUSED);
    assert_int_equal(client.done_count, 0);
    durable_sim_run(&sim, 10);
    server_read(&sim.server, connection, see, &client);
    assert_int_equal(client.done_count, 1);
    durable_sim_crash(&sim, 3);
    durable_sim_boot(&sim, twin_scene_text);
    assert_int_equal(durable_sim_world(&sim)->state, WIRE_WORLD_PAUSED);
    durable_sim_close(&sim);
    durable_sim_finish(&sim);
}

/*
 * Durability SECOND acknowledges later, but correctly; NONE never acknowledges and stores nothing.
 */
static void
test_durabilities(void **state)
{
    (void)state;
    for (int durability = WIRE_DURABILITY_SECOND; durability <= WIRE_DURABILITY_NONE;
        durability++) {
        struct durable_sim sim;
        struct client client = {0};
        memset(&sim, 0, sizeof(sim));
        sim.durability = (enum wire_durability)durability;
        durable_sim_boot(&sim, twin_scene_text);
        durable_sim_run(&sim, 20);
        int connection = server_enter(&sim.server, (char[]){"ann"});
        durable_sim_run(&sim, 60);
        uint64_t behind = 0;
        for (int ms = 0; ms < 3000; ms++) {
            if (ms % 16 == 0) {
                server_take_drag(&sim.server, connection, ++client.seq, 1, 0.0);
            }
            durable_sim_step(&sim, true);
            server_read(&sim.server, connection, see, &client);
            assert_true(client.durable_seq <= client.applied_seq);
            uint64_t now = client.applied_seq - client.durable_seq;
            behind = now > behind ? now : behind;
        }
        bool is_kept = durability == WIRE_DURABILITY_SECOND;
        assert_int_equal(client.durable_seq > 100, is_kept);
        assert_true(behind > 30);
        durable_sim_crash(&sim, 5);
        if (is_kept) {
            assert_true(stored_seq(&sim, client.session) >= client.durable_seq);
        }
        durable_sim_boot(&sim, twin_scene_text);
        assert_int_equal(sim.recovered.world_count, is_kept ? 1 : 0);
        durable_sim_crash(&sim, 5);
        durable_sim_finish(&sim);
    }
}

/* Pauses the world, and waits until the earlier inputs are durable. */
static void
stand_still(struct durable_sim *sim, int connection, struct client *client)
{
    server_take_control(&sim->server, connection, CAIRN__V1__CONTROL__ACTION_PAUSE);
    durable_sim_run(sim, 3300); /* not a multiple of the store's second */
    server_read(&sim->server, connection, see, client);
    assert_int_equal(durable_sim_world(sim)->state, WIRE_WORLD_PAUSED);
}

/* A paused world reports once, without another tick, that its last inputs are durable. */
static void
test_still(void **state)
{
    (void)state;
    for (int is_busy = 0; is_busy < 2; is_busy++) {
        struct durable_sim sim;
        struct client client = {0};
        memset(&sim, 0, sizeof(sim));
        sim.durability = WIRE_DURABILITY_SECOND;
        durable_sim_boot(&sim, twin_scene_text);
        durable_sim_run(&sim, 20);
        int connection = server_enter(&sim.server, (char[]){"ann"});
        durable_sim_run(&sim, 60);
        stand_still(&sim, connection, &client);
        server_take_drag(&sim.server, connection, ++client.seq, 1, 0.0);
        durable_sim_run(&sim, 5);
        server_read(&sim.server, connection, see, &client);
        assert_int_equal(client.applied_seq, 1);
        assert_int_equal(client.durable_seq, 0);
        uint64_t tick = client.tick;
        sv_sim_block(&sim.server.transport, connection, is_busy);
        durable_sim_run(&sim, 2000);
        sv_sim_block(&sim.server.transport, connection, false);
        durable_sim_run(&sim, 10);
        server_read(&sim.server, connection, see, &client);
        assert_int_equal(client.durable_seq, 1);
        assert_int_equal(client.tick, tick);
        int heard = client.tick_count;
        durable_sim_run(&sim, 3000);
        server_read(&sim.server, connection, see, &client);
        assert_int_equal(client.tick_count, heard);
        durable_sim_crash(&sim, 5);
        durable_sim_finish(&sim);
    }
}

/* A removed world does not come back. */
static void
test_removed(void **state)
{
    (void)state;
    struct durable_sim sim;
    struct wire_error error;
    struct sv_asker nobody = {0};
    memset(&sim, 0, sizeof(sim));
    durable_sim_boot(&sim, twin_scene_text);
    durable_sim_run(&sim, 200);
    assert_true(sv_host_remove_world(
        &sim.server.host, sim.server.host.worlds[0], &nobody, &error));
    durable_sim_step(&sim, false);
    assert_int_equal(sim.server.host.world_count, 1); /* not acknowledged yet */
    durable_sim_run(&sim, 20);
    assert_int_equal(sim.server.host.world_count, 0);
    durable_sim_crash(&sim, 2);
    durable_sim_boot(&sim, twin_scene_text);
    assert_int_equal(sim.recovered.world_count, 0);
    durable_sim_close(&sim);
    durable_sim_finish(&sim);
}

/*
 * When the gateway takes the answer to an order, it also takes the publication from before the
 * answer.  So the next client that asks sees the world in the state of the answer.
 */
static void
test_who_asks_next(void **state)
{
    (void)state;
    struct durable_sim sim;
    struct wire_error error;
    memset(&sim, 0, sizeof(sim));
    durable_sim_boot(&sim, twin_scene_text);
    durable_sim_run(&sim, 100);
    struct sv_host_world *world = sv_host_find(&sim.server.host, "pair");
    assert_int_equal(world->status.state, WIRE_WORLD_RUNNING);
    for (int i = 0; i < 2000 && atomic_load(&world->mailbox.newest) == NULL; i++) {
        while (sv_worker_run(&sim.server.worker) <= sim.server.now_ns) {
        }
        sim.server.now_ns += SV_NS_PER_MS;
    }
    struct sv_publication *before = atomic_exchange(&world->mailbox.newest, NULL); /* not fetched */
    assert_non_null(before);
    struct sv_order *order = calloc(1, sizeof(*order));
    assert_non_null(order);
    order->kind = WIRE_CONTROL_PAUSE;
    struct sv_message message = {.kind = SV_MESSAGE_ORDER, .order_take = order};
    assert_true(sv_host_send(&sim.server.host, world, &message, &error));
    (void)sv_worker_run(&sim.server.worker);
    (void)sv_store_run_journal(sim.store);
    struct sv_publication *after = atomic_exchange(&world->mailbox.newest, before);
    assert_non_null(after);
    sv_gateway_poll(&sim.server.gateway);
    assert_int_equal(world->status.state, WIRE_WORLD_PAUSED);
    assert_null(atomic_exchange(&world->mailbox.newest, after));
    sv_gateway_poll(&sim.server.gateway);
    assert_int_equal(world->status.state, WIRE_WORLD_PAUSED);
    durable_sim_close(&sim);
    durable_sim_finish(&sim);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answer_waits),
        cmocka_unit_test(test_stall),
        cmocka_unit_test(test_durabilities),
        cmocka_unit_test(test_still),
        cmocka_unit_test(test_removed),
        cmocka_unit_test(test_who_asks_next),
        cmocka_unit_test(test_every_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
