/*
 * test_timeline.c: any tick of a world's past can be rebuilt to the bit, forked and played.
 *
 * One world gets pushes, settings and a reset, and also runs undisturbed.  The exact hash of each
 * tick is stored, and compared with rebuilt, forked and replayed ticks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "tests/support/server/durable_client.h"

#include "engine/state/image.h"
#include "server/host/fork.h"
#include "server/past/seek.h"
#include "server/store/history.h"
#include "server/store/lane_inside.h"

#include <stdio.h>

#define TICKS_MAX 600

struct run {
    struct durable_sim sim;
    struct client client;
    int connection;
    uint32_t series;
    uint64_t hash[TICKS_MAX]; /* on the series' arrival at that tick */
    bool has_hash[TICKS_MAX];
};

struct replayer {
    struct client client;
    char forked[WIRE_NAME_SIZE], origin[WIRE_NAME_SIZE], world[WIRE_NAME_SIZE], code[32];
    uint64_t forked_tick, snapshot_tick;
    bool is_replay;
    int forked_count;
};

static void
see_more(void *user, const Cairn__V1__ServerMessage *message)
{
    struct replayer *replayer = user;
    see(&replayer->client, message);
    if (message->message_case == CAIRN__V1__SERVER_MESSAGE__MESSAGE_FORKED) {
        replayer->forked_count++;
        snprintf(replayer->forked, sizeof(replayer->forked), "%s", message->forked->world);
        snprintf(replayer->origin, sizeof(replayer->origin), "%s", message->forked->origin);
        replayer->forked_tick = message->forked->tick;
        replayer->is_replay = message->forked->replay;
    } else if (message->message_case == CAIRN__V1__SERVER_MESSAGE__MESSAGE_JOINED) {
        snprintf(replayer->world, sizeof(replayer->world), "%s", message->joined->world);
    } else if (message->message_case == CAIRN__V1__SERVER_MESSAGE__MESSAGE_SNAPSHOT) {
        replayer->snapshot_tick = message->snapshot->tick;
    } else if (message->message_case == CAIRN__V1__SERVER_MESSAGE__MESSAGE_REJECTED) {
        snprintf(replayer->code, sizeof(replayer->code), "%s", message->rejected->error->code);
    }
}

static struct sv_host_world *
find(struct run *run, const char *id)
{
    struct sv_host_world *world = sv_host_find(&run->sim.server.host, id);
    if (world == NULL) {
        fail_msg("there is no world %s", id);
    }
    return world;
}

static const struct sv_world *
engine_of(struct run *run, const char *id)
{
    return find(run, id)->mailbox.world;
}

static void
step(struct run *run, int duration_ms)
{
    for (int i = 0; i < duration_ms; i++) {
        durable_sim_step(&run->sim, true);
        const struct sv_world *world = run->sim.server.worker.worlds[0];
        uint64_t tick = cn_world_tick(world->engine);
        if (world->series != run->series) {
            run->series = world->series;
            memset(run->has_hash, 0, sizeof(run->has_hash));
        }
        assert_true(tick < TICKS_MAX);
        if (!run->has_hash[tick]) {
            run->has_hash[tick] = true;
            run->hash[tick] = cn_world_hash(world->engine);
        }
        if (run->connection >= 0) {
            server_read(&run->sim.server, run->connection, see, &run->client);
        }
    }
}

static void
order(struct run *run, struct sv_order order)
{
    struct wire_error error;
    struct sv_order *order_take = malloc(sizeof(*order_take));
    assert_non_null(order_take);
    *order_take = order;
    struct sv_message message = {.kind = SV_MESSAGE_ORDER, .order_take = order_take};
    assert_true(
        sv_host_send(&run->sim.server.host, find(run, "pair"), &message, &error));
}

/* One second with inputs and a change of settings; with `is_reset` a second one after a reset. */
static void
live(struct run *run, bool is_reset)
{
    memset(run, 0, sizeof(*run));
    run->sim.past_ms = 600000;
    durable_sim_boot(&run->sim, twin_scene_text);
    run->connection = -1;
    step(run, 20);
    (void)server_enter(&run->sim.server, (char[]){"who watches"});
    run->connection = server_enter(&run->sim.server, (char[]){"ann"});
    step(run, 20);
    for (int round = 0; round < (is_reset ? 2 : 1); round++) {
        for (int i = 0; i < 60; i++) {
            server_take_drag(&run->sim.server, run->connection, ++run->client.seq,
                i % 2 == 0 ? 1 : 2, i % 3 - 1.0);
            step(run, 11);
            if (i == 30) {
                order(run, (struct sv_order){.kind = WIRE_CONTROL_SETTINGS,
                    .settings = {.has_gravity = true, .gravity = {0.5 + round, -4.0, 0.0}}});
            }
            if (i % 20 == 10) { /* simulates 50 ms of step time */
                struct sv_world *world = find(run, "pair")->mailbox.world;
                world->persist.is_checkpoint_due = true;
            }
        }
        if (is_reset && round == 0) {
            order(run, (struct sv_order){.kind = WIRE_CONTROL_RESET});
        }
    }
    sv_sim_disconnect(&run->sim.server.transport, run->connection);
    run->connection = -1;
    step(run, 400);
}

static struct sv_seek
seek_of(struct run *run, uint64_t tick)
{
    const struct sv_host_world *world = find(run, "pair");
    struct sv_seek seek = {.store = run->sim.store,
        .clock = run->sim.server.worker.env.clock,
        .metrics = &run->sim.server.metrics,
        .meshes = run->sim.server.host.meshes,
        .number = world->mailbox.number,
        .series = world->status.series,
        .newest = world->status.tick,
        .is_durable = true,
        .tick = tick,
        .tick_rate = 60.0};
    snprintf(seek.id, sizeof(seek.id), "pair");
    return seek;
}

static void
check_every_tick(bool is_reset)
{
    struct run run;
    struct wire_error error;
    live(&run, is_reset);
    uint64_t newest = find(&run, "pair")->status.tick;
    assert_true(newest > 50);
    for (uint64_t tick = 0; tick <= newest; tick++) {
        struct sv_seek seek = seek_of(&run, tick);
        struct sv_seed *seed = sv_seek_seed(&seek, &error);
        if (seed == NULL) {
            fail_msg("tick %d: %s", (int)tick, error.text);
        }
        assert_int_equal(seed->tick, tick);
        if (run.has_hash[tick] && tick > 0) { /* changes at tick 0 came before it ran */
            assert_int_equal(seed->hash, run.hash[tick]);
        }
        sv_seed_destroy(seed);
    }
    struct sv_seek beyond = seek_of(&run, newest + 100);
    assert_null(sv_seek_seed(&beyond, &error));
    assert_string_equal(error.code, "TICK");
    durable_sim_close(&run.sim);
    durable_sim_finish(&run.sim);
}

static void
test_every_tick(void **state)
{
    (void)state;
    check_every_tick(false);
}

static void
test_after_a_reset(void **state)
{
    (void)state;
    check_every_tick(true);
}

static void
ask_fork(struct run *run, struct wire_fork fork)
{
    struct wire_error error;
    const struct sv_asker nobody = {0};
    if (!sv_fork_begin(
            &run->sim.server.host, find(run, "pair"), &fork, NULL, &nobody, &error)) {
        fail_msg("%s", error.text);
    }
}

/*
 * A fork has the origin's hash at its first tick, continues as the origin did, and outlives the
 * process.
 */
static void
test_forks(void **state)
{
    struct run run;
    (void)state;
    live(&run, false);
    uint64_t newest = find(&run, "pair")->status.tick, tick = newest - 15;
    ask_fork(&run, (struct wire_fork){.has_tick = true, .tick = tick, .paused = true});
    step(&run, 30);
    const struct sv_world *fork = engine_of(&run, "pair-fork");
    assert_int_equal(fork->state, WIRE_WORLD_PAUSED);
    assert_int_equal(cn_world_tick(fork->engine), tick);
    assert_int_equal(cn_world_hash(fork->engine), run.hash[tick]);
    assert_string_equal(find(&run, "pair-fork")->status.origin, "pair");
    assert_int_equal(find(&run, "pair-fork")->status.origin_tick, tick);

    ask_fork(&run,
        (struct wire_fork){.has_tick = true, .tick = tick, .id = "other"});
    step(&run, 30);
    const struct sv_world *other = engine_of(&run, "other");
    while (cn_world_tick(other->engine) < newest) {
        step(&run, 1);
    }
    assert_int_equal(cn_world_tick(other->engine), newest);
    assert_int_equal(cn_world_hash(other->engine), run.hash[newest]);

    durable_sim_crash(&run.sim, 7);
    durable_sim_boot(&run.sim, twin_scene_text);
    assert_int_equal(run.sim.recovered.world_count, 3);
    assert_int_equal(run.sim.recovered.failed_count, 0);
    fork = engine_of(&run, "pair-fork");
    assert_int_equal(cn_world_tick(fork->engine), tick);
    assert_int_equal(cn_world_hash(fork->engine), run.hash[tick]);
    assert_string_equal(find(&run, "pair-fork")->status.origin, "pair");
    assert_int_equal(find(&run, "pair-fork")->status.origin_tick, tick);
    durable_sim_close(&run.sim);
    durable_sim_finish(&run.sim);
}

/*
 * A fork is answered when it is durable.  Whenever the power is cut, an answered fork is complete.
 */
static void
test_cut_off(void **state)
{
    (void)state;
    int there = 0;
    for (int ms = 0; ms < 12; ms++) {
        struct run run;
        live(&run, false);
        uint64_t tick = find(&run, "pair")->status.tick - 15;
        ask_fork(&run, (struct wire_fork){.has_tick = true, .tick = tick, .paused = true});
        bool is_answered = false;
        for (int i = 0; i < ms; i++) {
            durable_sim_step(&run.sim, i % 3 == 2);
            is_answered = sv_host_find(&run.sim.server.host, "pair-fork") != NULL;
        }
        durable_sim_crash(&run.sim, (uint64_t)ms);
        durable_sim_boot(&run.sim, twin_scene_text);
        assert_int_equal(run.sim.recovered.failed_count, 0);
        bool is_there = sv_host_find(&run.sim.server.host, "pair-fork") != NULL;
        assert_true(is_there || !is_answered);
        if (is_there) {
            assert_int_equal(
                cn_world_hash(engine_of(&run, "pair-fork")->engine), run.hash[tick]);
            there++;
        }
        durable_sim_close(&run.sim);
        durable_sim_finish(&run.sim);
    }
    assert_in_range(there, 1, 11);
}

static void
take_fork(struct run *run, int connection, const Cairn__V1__Fork *fork)
{
    Cairn__V1__Fork part = *fork;
    CLIENT_MESSAGE(message, FORK, fork, &part);
    server_take(&run->sim.server, connection, &message);
}

static void
take_join(struct run *run, int connection, char *world)
{
    Cairn__V1__Join part = CAIRN__V1__JOIN__INIT;
    part.world = world;
    CLIENT_MESSAGE(message, JOIN, join, &part);
    server_take(&run->sim.server, connection, &message);
}

static void
take_seek(struct run *run, int connection, int64_t tick, double speed)
{
    Cairn__V1__Seek part = CAIRN__V1__SEEK__INIT;
    part.request = 9;
    if (tick >= 0) {
        part.tick_set_case = CAIRN__V1__SEEK__TICK_SET_TICK;
        part.tick = (uint64_t)tick;
    }
    if (speed >= 0.0) {
        part.speed_set_case = CAIRN__V1__SEEK__SPEED_SET_SPEED;
        part.speed = speed;
    }
    CLIENT_MESSAGE(message, SEEK, seek, &part);
    server_take(&run->sim.server, connection, &message);
}

/* Every tick that the replay shows is the origin's. */
static void
watch(struct run *run, int connection, struct replayer *replayer, int duration_ms)
{
    for (int i = 0; i < duration_ms; i++) {
        step(run, 1);
        server_read(&run->sim.server, connection, see_more, replayer);
        const struct sv_world *world = engine_of(run, "pair-replay");
        uint64_t tick = cn_world_tick(world->engine);
        if (run->has_hash[tick]) {
            assert_int_equal(cn_world_hash(world->engine), run->hash[tick]);
        }
    }
}

static void
test_replays(void **state)
{
    struct run run;
    struct replayer replayer = {0};
    (void)state;
    live(&run, false);
    int connection = server_enter(&run.sim.server, (char[]){"bea"});
    step(&run, 20);
    Cairn__V1__Fork fork = CAIRN__V1__FORK__INIT;
    fork.request = 5;
    fork.replay = true;
    fork.tick_set_case = CAIRN__V1__FORK__TICK_SET_TICK;
    fork.tick = 10;
    take_fork(&run, connection, &fork);
    step(&run, 20);
    server_read(&run.sim.server, connection, see_more, &replayer);
    assert_int_equal(replayer.forked_count, 1);
    assert_string_equal(replayer.forked, "pair-replay");
    assert_string_equal(replayer.origin, "pair");
    assert_int_equal(replayer.forked_tick, 10);
    assert_true(replayer.is_replay);
    assert_int_equal(find(&run, "pair-replay")->status.state, WIRE_WORLD_REPLAY);
    take_join(&run, connection, (char[]){"pair-replay"});
    watch(&run, connection, &replayer, 300);
    assert_string_equal(replayer.world, "pair-replay");
    uint64_t tick = cn_world_tick(engine_of(&run, "pair-replay")->engine);
    assert_in_range(tick, 10 + 14, 10 + 20); /* at its own pace */

    /* Inputs to a replay are refused. */
    server_take_drag(&run.sim.server, connection, 1, 1, 0.5);
    watch(&run, connection, &replayer, 20);
    assert_string_equal(replayer.code, "STATE");

    /* It seeks back, plays faster, and stops. */
    take_seek(&run, connection, 5, 4.0);
    watch(&run, connection, &replayer, 200);
    tick = cn_world_tick(engine_of(&run, "pair-replay")->engine);
    assert_in_range(tick, 5 + 38, 5 + 50);
    take_seek(&run, connection, 33, 0.0);
    watch(&run, connection, &replayer, 50);
    assert_int_equal(cn_world_tick(engine_of(&run, "pair-replay")->engine), 33);
    assert_int_equal(replayer.snapshot_tick, 33);

    /* The replay reads later records while it plays, so it comes near the running origin. */
    take_seek(&run, connection, -1, 4.0);
    watch(&run, connection, &replayer, 1500);
    tick = cn_world_tick(engine_of(&run, "pair-replay")->engine);
    uint64_t newest = find(&run, "pair")->status.tick;
    assert_in_range(tick, newest - 60, newest);

    /* A seek to a tick that does not exist is refused, and the replay stays where it is. */
    memset(replayer.code, 0, sizeof(replayer.code));
    take_seek(&run, connection, 100000, -1.0);
    watch(&run, connection, &replayer, 20);
    assert_string_equal(replayer.code, "TICK");

    /* A replay without clients is removed after a minute, and is not stored. */
    take_join(&run, connection, (char[]){"pair"});
    order(&run, (struct sv_order){.kind = WIRE_CONTROL_PAUSE});
    step(&run, 1000);
    assert_non_null(find(&run, "pair-replay"));
    run.sim.server.now_ns += SV_REPLAY_IDLE_NS;
    step(&run, 400);
    assert_null(sv_host_find(&run.sim.server.host, "pair-replay"));
    durable_sim_close(&run.sim);
    durable_sim_finish(&run.sim);
}

static void
test_the_timeline(void **state)
{
    struct run run;
    struct wire_error error;
    (void)state;
    live(&run, true);
    struct sv_seek seek = seek_of(&run, 0);
    char *text = sv_seek_timeline(&seek, &error);
    assert_non_null(text);
    assert_non_null(strstr(text, "\"kind\": \"reset\""));
    assert_non_null(strstr(text, "\"kind\": \"settings\""));
    assert_non_null(strstr(text, "\"tickRate\": 60"));
    char tick[64];
    snprintf(tick, sizeof(tick), "\"tick\": \"64\"");
    if (strstr(text, tick) == NULL) {
        fail_msg("%s is not in %s", tick, text);
    }
    free(text);
    durable_sim_close(&run.sim);
    durable_sim_finish(&run.sim);
}

static int
count_of(const char *text, const char *part)
{
    int count = 0;
    for (; (text = strstr(text, part)) != NULL; text++) {
        count++;
    }
    return count;
}

/* The timeline has the joins and leaves of sessions, and the ticks with inputs. */
static void
test_people_and_inputs(void **state)
{
    struct run run;
    struct wire_error error;
    (void)state;
    live(&run, false);
    struct sv_seek seek = seek_of(&run, 0);
    char *text = sv_seek_timeline(&seek, &error);
    assert_non_null(text);
    assert_int_equal(count_of(text, "\"kind\": \"join\""), 2);
    assert_int_equal(count_of(text, "\"kind\": \"leave\""), 1);
    assert_int_equal(count_of(text, "\"session\": \"2\""), 2); /* ann has come and gone */
    assert_int_equal(count_of(text, "\"firstTick\""), 2); /* the past's, and of one span */
    assert_int_equal(count_of(text, "\"count\": 60"), 1);
    free(text);
    durable_sim_close(&run.sim);
    durable_sim_finish(&run.sim);
}

/* A fork for each member that is no instructor; without such members the order is refused. */
static void
test_for_each(void **state)
{
    struct run run;
    struct wire_error error;
    struct replayer ann = {0}, bea = {0};
    (void)state;
    live(&run, false);
    run.sim.server.host.worlds_max = 4;
    int first = server_enter(&run.sim.server, (char[]){"ann"});
    int second = server_enter(&run.sim.server, (char[]){"bea"});
    step(&run, 30);
    struct sv_host_world *world = find(&run, "pair");
    struct wire_fork fork = {.each = true, .has_tick = true, .tick = 40};
    struct sv_crowd crowd = {.count = 0};
    const struct sv_asker nobody = {0};
    assert_false(
        sv_fork_begin(&run.sim.server.host, world, &fork, &crowd, &nobody, &error));
    assert_string_equal(error.code, "STATE");
    for (struct sv_seat *seat = world->seats; seat != NULL; seat = seat->world_next) {
        crowd.asker[crowd.count++] = sv_seat_asker(seat, 0);
    }
    assert_int_equal(crowd.count, 3);
    crowd.count = 2;
    assert_true(sv_fork_begin(&run.sim.server.host, world, &fork, &crowd, &nobody, &error));
    step(&run, 30);
    server_read(&run.sim.server, first, see_more, &ann);
    server_read(&run.sim.server, second, see_more, &bea);
    assert_int_equal(ann.forked_count, 1);
    assert_int_equal(bea.forked_count, 1);
    assert_string_not_equal(ann.forked, bea.forked);
    assert_int_equal(strncmp(ann.forked, "pair-", 5), 0);
    assert_int_equal(ann.forked_tick, 40);
    crowd.asker[crowd.count++] = crowd.asker[0];
    assert_false(
        sv_fork_begin(&run.sim.server.host, world, &fork, &crowd, &nobody, &error));
    assert_string_equal(error.code, "FULL");
    durable_sim_close(&run.sim);
    durable_sim_finish(&run.sim);
}

/*
 * A fork for each of three clients, of which the last is refused.  No client gets a fork, and the
 * asker receives an error.  The two finished forks are removed, although the store accepts nothing
 * at first, and no client sees them in the meantime.  A second order gives each client a fork.
 */
static void
test_one_of_them_fails(void **state)
{
    struct run run;
    struct wire_error error;
    struct replayer ann = {0}, bea = {0};
    (void)state;
    live(&run, false);
    struct sv_host *host = &run.sim.server.host;
    host->worlds_max = 8;
    int first = server_enter(&run.sim.server, (char[]){"ann"});
    int second = server_enter(&run.sim.server, (char[]){"bea"});
    step(&run, 30);
    struct wire_fork fork = {.each = true, .has_tick = true, .tick = 40};
    struct sv_crowd crowd;
    crowd.count = 0;
    for (struct sv_seat *seat = find(&run, "pair")->seats; seat != NULL;
         seat = seat->world_next) {
        crowd.asker[crowd.count++] = sv_seat_asker(seat, 0);
    }
    assert_int_equal(crowd.count, 3);
    struct sv_asker teacher = crowd.asker[0];
    teacher.request = 9;
    assert_true(sv_fork_begin(host, find(&run, "pair"), &fork, &crowd, &teacher, &error));
    assert_int_equal(host->world_count, 4);
    struct sv_report lost = {.kind = SV_REPORT_REFUSED, .mailbox = &host->worlds[3]->mailbox};
    struct sv_message messages[3];
    for (int i = 0; i < 3; i++) { /* the last message is lost on its way, and refused instead */
        assert_true(sv_ring_pop(&run.sim.server.worker.messages, &messages[i]));
    }
    assert_true(sv_ring_push(&run.sim.server.worker.messages, &messages[0]));
    assert_true(sv_ring_push(&run.sim.server.worker.messages, &messages[1]));
    sv_message_finish(&messages[2]);
    sv_worker_send(&run.sim.server.worker, &lost);
    lost.kind = SV_REPORT_REMOVED;
    sv_worker_send(&run.sim.server.worker, &lost);
    while (!host->worlds[1]->is_removing) {
        step(&run, 1);
    }
    struct sv_lane *lane = run.sim.server.worker.env.lane;
    size_t capacity = lane->capacity;
    lane->capacity = 0; /* the store takes nothing when their end is asked for */
    (void)sv_worker_run(&run.sim.server.worker);
    lane->capacity = capacity;
    assert_int_equal(run.sim.server.worker.world_count, 3);
    for (int i = 0; i < 40; i++) {
        step(&run, 1);
        assert_null(sv_host_find(host, "pair-1"));
    }
    assert_int_equal(host->world_count, 1);
    assert_int_equal(run.sim.server.worker.world_count, 1);
    server_read(&run.sim.server, first, see_more, &ann);
    server_read(&run.sim.server, second, see_more, &bea);
    assert_int_equal(ann.forked_count + bea.forked_count, 0);
    assert_string_equal(teacher.seat == 2 ? bea.code : ann.code, "MEMORY");
    assert_true(sv_fork_begin(host, find(&run, "pair"), &fork, &crowd, &teacher, &error));
    step(&run, 40);
    server_read(&run.sim.server, first, see_more, &ann);
    server_read(&run.sim.server, second, see_more, &bea);
    assert_int_equal(host->world_count, 4);
    assert_int_equal(ann.forked_count, 1);
    assert_int_equal(bea.forked_count, 1);
    durable_sim_close(&run.sim);
    durable_sim_finish(&run.sim);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_tick),
        cmocka_unit_test(test_after_a_reset),
        cmocka_unit_test(test_forks),
        cmocka_unit_test(test_cut_off),
        cmocka_unit_test(test_replays),
        cmocka_unit_test(test_the_timeline),
        cmocka_unit_test(test_people_and_inputs),
        cmocka_unit_test(test_for_each),
        cmocka_unit_test(test_one_of_them_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
