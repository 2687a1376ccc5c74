/*
 * test_twins.c: session, host and world on the simulated clock, transport and disk, one thread.
 *
 * Two clients join a world.  One of them drags a block, reads nothing for a while, and leaves.  All
 * data that they receive goes into a hash.  A second run must give the same hash.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "proto/quant.h"
#include "tests/support/server/twin_server.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEFT_COLUMN 0 /* of a snapshot: the floor is not in it */
#define LEFT_SLOT 1

/* The last values that a client has received. */
struct client {
    struct server *server;
    int connection;
    uint64_t tick, applied_seq, seq;
    double left_x;
    char state_hash[17]; /* the last in a snapshot */
    uint64_t hash_tick, status_tick;
    int hash_count;
    char status_hash[17];
    int person_count, snapshot_count, joined_count, energy_count;
    uint32_t generation;
    char rejected[16];
};

/* ---- a client ---- */

static void
client_send(struct client *client, Cairn__V1__ClientMessage *message)
{
    server_take(client->server, client->connection, message);
}

static void
see_hash(struct client *client, const Cairn__V1__Snapshot *snapshot)
{
    if (snapshot->state_hash[0] == '\0') {
        assert_true(snapshot->tick % SV_HASH_TICKS != 0);
        return;
    }
    assert_int_equal(strlen(snapshot->state_hash), 16);
    memcpy(client->state_hash, snapshot->state_hash, sizeof(client->state_hash));
    client->hash_tick = snapshot->tick;
    client->hash_count++;
}

static void
see(void *user, const Cairn__V1__ServerMessage *message)
{
    struct client *client = user;
    switch (message->message_case) {
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_JOINED:
        client->joined_count++;
        client->generation = message->joined->generation;
        break;
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_TICK:
        client->tick = message->tick->tick;
        client->applied_seq = message->tick->applied_seq;
        break;
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_SNAPSHOT:
        assert_int_equal(message->snapshot->tick, client->tick);
        assert_int_equal(message->snapshot->generation, client->generation);
        client->snapshot_count++;
        client->left_x = message->snapshot->x[LEFT_COLUMN] * WIRE_POSITION_SCALE;
        see_hash(client, message->snapshot);
        break;
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_STATUS:
        client->status_tick = message->status->tick;
        assert_int_equal(strlen(message->status->hash), 16);
        memcpy(client->status_hash, message->status->hash, sizeof(client->status_hash));
        break;
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_ENERGY:
        client->energy_count++;
        break;
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_PRESENCE:
        client->person_count = (int)message->presence->n_people;
        break;
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_REJECTED:
        snprintf(client->rejected, sizeof(client->rejected), "%s",
            message->rejected->error->code);
        break;
    default:
        break;
    }
}

/* Reads all that has come. */
static void
client_read(struct client *client)
{
    server_read(client->server, client->connection, see, client);
}

static void
client_join(struct client *client, struct server *server, char *name)
{
    memset(client, 0, sizeof(*client));
    client->server = server;
    client->connection = server_enter(server, name);
    server_run(server, 20);
    client_read(client);
    assert_int_equal(client->joined_count, 1);
}

static void
client_drag(struct client *client, double target_x)
{
    server_take_drag(
        client->server, client->connection, ++client->seq, LEFT_SLOT, target_x);
}

static void
client_control(struct client *client, Cairn__V1__Control *control)
{
    control->request = 7;
    CLIENT_MESSAGE(message, CONTROL, control, control);
    client_send(client, &message);
}

/* ---- the scenario ---- */

/* Two seconds of dragging: the block is at the target, and both see it. */
static void
drag_and_see(struct client *ann, struct client *bob)
{
    client_drag(ann, -5.0);
    server_run(ann->server, 2000);
    client_read(ann);
    client_read(bob);
    assert_int_equal(ann->applied_seq, 1);
    assert_int_equal(bob->applied_seq, 0);
    assert_true(fabs(ann->left_x + 5.0) < 0.1);
    assert_true(ann->left_x == bob->left_x);
    assert_true(ann->tick > SV_HASH_TICKS);
    assert_int_equal(ann->hash_tick, ann->tick - ann->tick % SV_HASH_TICKS);
    assert_int_equal(bob->hash_tick, ann->hash_tick);
    assert_string_equal(ann->state_hash, bob->state_hash);
    assert_true(bob->energy_count > 100);
}

/* Bob reads nothing for a second; then he gets only the newest tick, not sixty. */
static void
fall_behind(struct client *ann, struct client *bob)
{
    struct server *server = ann->server;
    uint64_t skipped = atomic_load(&server->metrics.frames_skipped);
    sv_sim_block(&server->transport, bob->connection, true);
    server_run(server, 1000);
    client_read(ann);
    client_read(bob);
    uint64_t tick_before = bob->tick;
    int snapshots_before = bob->snapshot_count;
    sv_sim_block(&server->transport, bob->connection, false);
    client_read(bob);
    assert_int_equal(bob->snapshot_count, snapshots_before + 1);
    assert_true(bob->tick >= tick_before + 58);
    assert_int_equal(bob->tick, ann->tick);
    assert_true(atomic_load(&server->metrics.frames_skipped) > skipped + 50);
}

/* Both clients have the exact hash of the last tick that they saw, as the world's status has. */
static void
expect_hash_now(const struct client *ann, const struct client *bob)
{
    const struct wire_status *status = &ann->server->host.worlds[0]->status;
    char hash[17];
    snprintf(hash, sizeof(hash), "%016" PRIx64, status->hash);
    assert_int_equal(status->tick, ann->tick);
    assert_string_equal(ann->state_hash, hash);
    assert_string_equal(bob->state_hash, hash);
    assert_int_equal(ann->hash_tick, ann->tick);
    assert_int_equal(bob->hash_tick, ann->tick);
}

/* Each snapshot of a paused or single-stepped world has its hash; a running world's rarely has. */
static void
pause_and_step(struct client *ann, struct client *bob)
{
    Cairn__V1__Control control = CAIRN__V1__CONTROL__INIT;
    Cairn__V1__Control__Pause pause = CAIRN__V1__CONTROL__PAUSE__INIT;
    control.action_case = CAIRN__V1__CONTROL__ACTION_PAUSE;
    control.pause = &pause;
    client_control(ann, &control);
    server_run(ann->server, 100);
    client_read(ann);
    client_read(bob);
    expect_hash_now(ann, bob);
    assert_int_equal(ann->status_tick, ann->tick);
    assert_string_equal(ann->status_hash, ann->state_hash);
    uint64_t paused_tick = ann->tick;
    Cairn__V1__Control__Step step = CAIRN__V1__CONTROL__STEP__INIT;
    step.ticks = 1;
    control.action_case = CAIRN__V1__CONTROL__ACTION_STEP;
    control.step = &step;
    client_control(ann, &control);
    server_run(ann->server, 100);
    client_read(ann);
    client_read(bob);
    assert_int_equal(ann->tick, paused_tick + 1);
    expect_hash_now(ann, bob);
    Cairn__V1__Control__Resume resume = CAIRN__V1__CONTROL__RESUME__INIT;
    control.action_case = CAIRN__V1__CONTROL__ACTION_RESUME;
    control.resume = &resume;
    client_control(ann, &control);
    int count_before = ann->hash_count, snapshots_before = ann->snapshot_count;
    server_run(ann->server, 3000);
    client_read(ann);
    client_read(bob);
    assert_true(ann->snapshot_count > snapshots_before + 170);
    assert_in_range(ann->hash_count - count_before, 2, 4);
    assert_int_equal(ann->hash_tick, ann->tick - ann->tick % SV_HASH_TICKS);
}

/* A reset starts a new generation for both; an input with too high a number is refused. */
static void
reset_and_refuse(struct client *ann, struct client *bob)
{
    Cairn__V1__Control control = CAIRN__V1__CONTROL__INIT;
    Cairn__V1__Control__Reset reset = CAIRN__V1__CONTROL__RESET__INIT;
    control.action_case = CAIRN__V1__CONTROL__ACTION_RESET;
    control.reset = &reset;
    client_control(ann, &control);
    ann->seq = 41;
    client_drag(ann, 0.0);
    server_run(ann->server, 100);
    client_read(ann);
    client_read(bob);
    assert_int_equal(ann->generation, 2);
    assert_int_equal(bob->generation, 2);
    assert_string_equal(ann->rejected, "SEQ");
    assert_true(fabs(bob->left_x + 2.0) < 0.01); /* the drag has ended with the reset */
    ann->seq = 1;
}

/* A client that leaves ends its drag; when the last client leaves, the world stops ticking. */
static void
leave(struct client *ann, struct client *bob)
{
    struct server *server = ann->server;
    client_drag(ann, -5.0);
    server_run(server, 1000);
    sv_sim_disconnect(&server->transport, ann->connection);
    server_run(server, 300);
    client_read(bob);
    assert_int_equal(bob->person_count, 1);
    sv_sim_disconnect(&server->transport, bob->connection);
    server_run(server, 100);
    uint64_t ticks = atomic_load(&server->metrics.ticks);
    server_run(server, 1000);
    assert_int_equal(atomic_load(&server->metrics.ticks), ticks);
}

static uint64_t
play(void)
{
    static struct server server;
    struct client ann, bob;
    server_init(&server);
    client_join(&ann, &server, (char[]){"ann"});
    client_join(&bob, &server, (char[]){"bob"});
    server_run(&server, SV_PRESENCE_PERIOD_NS / SV_NS_PER_MS);
    client_read(&ann);
    assert_int_equal(ann.person_count, 2);
    Cairn__V1__Subscribe subscribe = CAIRN__V1__SUBSCRIBE__INIT;
    subscribe.energy = subscribe.contacts = 1;
    CLIENT_MESSAGE(message, SUBSCRIBE, subscribe, &subscribe);
    client_send(&bob, &message);
    drag_and_see(&ann, &bob);
    fall_behind(&ann, &bob);
    pause_and_step(&ann, &bob);
    reset_and_refuse(&ann, &bob);
    leave(&ann, &bob);
    uint64_t hash = server.hash.state;
    server_finish(&server);
    return hash;
}

static void
test_twice_the_same(void **state)
{
    (void)state;
    uint64_t first = play();
    assert_int_equal(play(), first);
}

/* A folder that another process has locked is refused, with the id of that process. */
static void
test_lock(void **state)
{
    (void)state;
    struct sv_disk_sim disk_state = {.holder = 1234};
    struct sv_disk disk = sv_disk_simulated(&disk_state);
    long holder = 0;
    assert_int_equal(disk.lock(disk.context, "data", &holder), SV_DISK_BUSY);
    assert_int_equal(holder, 1234);
}

/* A client that says nothing is closed after five seconds, and not before. */
static void
test_silent_client(void **state)
{
    (void)state;
    static struct server server;
    server_init(&server);
    int client = sv_sim_connect(&server.transport);
    server_run(&server, 4900);
    assert_int_equal(sv_sim_close_code(&server.transport, client), 0);
    server_run(&server, 200);
    assert_int_equal(sv_sim_close_code(&server.transport, client), 1008);
    server_finish(&server);
}

/* A stop closes all connections with 1001 and accepts no new ones. */
static void
test_stop(void **state)
{
    (void)state;
    static struct server server;
    struct client ann;
    server_init(&server);
    client_join(&ann, &server, (char[]){"ann"});
    sv_gateway_stop(&server.gateway);
    assert_int_equal(sv_sim_close_code(&server.transport, ann.connection), 1001);
    assert_int_equal(sv_sim_connect(&server.transport), -1);
    server_finish(&server);
}

/* Each world has its index in the list, and each phase of the clock has the count of its worlds. */
static void
assert_places(const struct sv_worker *worker)
{
    int phases[SV_PHASES] = {0};
    for (int i = 0; i < worker->world_count; i++) {
        assert_int_equal(worker->worlds[i]->place, i);
        phases[worker->worlds[i]->phase]++;
    }
    for (int i = 0; i < SV_PHASES; i++) {
        assert_int_equal(worker->phase_count[i], phases[i]);
    }
}

static bool
make_world(struct server *server, const char *id, const char *text)
{
    struct wire_text_error wrong;
    struct wire_error error;
    struct sv_asker nobody = {0};
    struct sv_scene *scene =
        sv_scene_create(wire_scene_parse(text, strlen(text), &wrong));
    assert_non_null(scene);
    return sv_host_create_world(&server->host, id, scene, &nobody, &error);
}

/*
 * Worlds are made and removed in any order, and the worker's list stays correct.  A scene with
 * bodies deep in each other is refused.
 */
static void
test_worlds_come_and_go(void **state)
{
    static const char deep[] = "name: deep\n"
                               "bodies:\n"
                               "  - {name: a, mass: 1, position: {y: 5},\n"
                               "     shapes: [{box: {size: {x: 1, y: 1, z: 1}}}]}\n"
                               "  - {name: b, mass: 1, position: {y: 5.1},\n"
                               "     shapes: [{box: {size: {x: 1, y: 1, z: 1}}}]}\n";
    (void)state;
    static struct server server;
    struct wire_error error;
    struct sv_asker nobody = {0};
    server_init(&server);
    for (int round = 0; round < 12; round++) {
        char id[32];
        while (server.host.world_count < 4) { /* as many as there may be */
            snprintf(id, sizeof(id), "w-%d-%d", round, server.host.world_count);
            assert_true(make_world(&server, id, twin_scene_text));
            server_run(&server, 20);
            assert_places(&server.worker);
        }
        assert_int_equal(server.worker.world_count, 4);
        struct sv_host_world *gone = server.host.worlds[round % 4];
        assert_true(sv_host_remove_world(&server.host, gone, &nobody, &error));
        server_run(&server, 20);
        assert_int_equal(server.worker.world_count, 3);
        assert_int_equal(server.host.world_count, 3);
        assert_places(&server.worker);
        (void)make_world(&server, "deep", deep);
        server_run(&server, 20);
        assert_int_equal(server.worker.world_count, 3);
        assert_int_equal(server.host.world_count, 3);
    }
    server_finish(&server);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_twice_the_same),
        cmocka_unit_test(test_lock),
        cmocka_unit_test(test_silent_client),
        cmocka_unit_test(test_stop),
        cmocka_unit_test(test_worlds_come_and_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
