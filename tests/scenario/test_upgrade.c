/*
 * test_upgrade.c: worlds continue under another version of the physics.
 *
 * The test sets the physics version of the program, so that one build writes data of several
 * versions.  All these versions have the same physics, so poses can be compared; real versions do
 * not guarantee this.
 *
 *   1. after a normal stop a world continues from its poses, velocities, state and tick, in a new
 *      series, with a mark; earlier ticks cannot be sought, with an error that names the version;
 *      later ticks are exact again
 *   2. after a crash, inputs since the checkpoint are repeated with approximate results
 *   3. a crash right after an upgrade does not upgrade twice
 *   4. the folder of a newer version is refused and not changed
 *   5. a world that cannot be carried over is FAILED with the reason, and stays usable for its own
 *      version
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "tests/support/server/durable_client.h"

#include "engine/state/image.h"
#include "server/past/recorder.h"
#include "server/past/seek.h"
#include "server/store/history.h"
#include "server/world/act/world_life.h"
#include "server/world/act/world_persistence.h"
#include "server/world/state/portable.h"

#include <math.h>
#include <stdio.h>

static uint32_t physics = 10;
static bool is_portable = true;  /* checkpoints have the portable form */
static int refused_count;        /* commands that are refused, from now on */

uint32_t __wrap_cn_physics_version(void);
bool __real_sv_portable_add(const struct sv_world *world, struct sv_checkpoint *checkpoint);
bool __wrap_sv_portable_add(const struct sv_world *world, struct sv_checkpoint *checkpoint);
enum cn_status __real_cn_world_command_apply(
    struct cn_world *world, const struct cn_command *command, struct cn_defect *defect);
enum cn_status __wrap_cn_world_command_apply(
    struct cn_world *world, const struct cn_command *command, struct cn_defect *defect);

uint32_t
__wrap_cn_physics_version(void)
{
    return physics;
}

bool
__wrap_sv_portable_add(const struct sv_world *world, struct sv_checkpoint *checkpoint)
{
    return !is_portable || __real_sv_portable_add(world, checkpoint);
}

enum cn_status
__wrap_cn_world_command_apply(
    struct cn_world *world, const struct cn_command *command, struct cn_defect *defect)
{
    if (refused_count > 0 && command->kind == CN_COMMAND_HOLD_DRAG) {
        refused_count--;
        return cn_defect_set(defect, CN_RANGE, "drag", "is refused by this version");
    }
    return __real_cn_world_command_apply(world, command, defect);
}

struct run {
    struct durable_sim sim;
    struct client client;
    int connection;
};

#define BODIES 3

/* The state of a world that a user sees. */
struct sight {
    uint64_t tick, hash;
    uint32_t generation, series;
    enum wire_world_state state;
    struct {
        cn_vec3 position, velocity;
        double angle, spin;
    } body[BODIES];
};

static struct sight
look(struct run *run)
{
    const struct sv_world *world = durable_sim_world(&run->sim);
    struct sight sight = {.tick = cn_world_tick(world->engine),
        .hash = cn_world_hash(world->engine),
        .generation = world->generation,
        .series = world->series,
        .state = world->state};
    assert_int_equal(cn_world_body_count(world->engine), BODIES);
    for (int i = 0; i < BODIES; i++) {
        struct cn_body_view view;
        cn_world_body_view(world->engine, i, &view);
        sight.body[i].position = view.position;
        sight.body[i].velocity = view.velocity;
        sight.body[i].angle = view.angle;
        sight.body[i].spin = view.angular_velocity.z;
    }
    return sight;
}

static double
distance(const struct sight *a, const struct sight *b)
{
    double most = 0.0;
    for (int i = 0; i < BODIES; i++) {
        cn_vec3 way = cn_vec3_sub(a->body[i].position, b->body[i].position);
        cn_vec3 change = cn_vec3_sub(a->body[i].velocity, b->body[i].velocity);
        most = fmax(most, fmax(cn_vec3_length(way), cn_vec3_length(change)));
    }
    return most;
}

static void
step(struct run *run, int duration_ms)
{
    for (int i = 0; i < duration_ms; i++) {
        durable_sim_step(&run->sim, true);
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
    assert_true(sv_host_send(
        &run->sim.server.host, sv_host_find(&run->sim.server.host, "pair"), &message, &error));
}

/* A client joins and pushes for a second, with a checkpoint in the middle of it. */
static void
live(struct run *run)
{
    memset(run, 0, sizeof(*run));
    physics = 10;
    is_portable = true;
    refused_count = 0;
    run->sim.past_ms = 600000;
    run->connection = -1;
    durable_sim_boot(&run->sim, twin_scene_text);
    step(run, 20);
    run->connection = server_enter(&run->sim.server, (char[]){"ann"});
    step(run, 20);
    for (int i = 0; i < 60; i++) {
        server_take_drag(
            &run->sim.server, run->connection, ++run->client.seq, i % 2 == 0 ? 1 : 2, i % 3 - 1.0);
        step(run, 17);
        if (i == 20) {
            durable_sim_world(&run->sim)->persist.is_checkpoint_due = true;
        }
    }
    run->connection = -1;
    assert_true(run->client.applied_seq > 50 && look(run).tick > 50);
}

static void
boot(struct run *run, uint32_t version)
{
    physics = version;
    run->connection = -1;
    memset(&run->client, 0, sizeof(run->client));
    durable_sim_boot(&run->sim, twin_scene_text);
    assert_int_equal(run->sim.recovered.world_count, 1);
}

static struct sv_seek
seek_of(struct run *run, uint64_t tick)
{
    const struct sv_host_world *world = sv_host_find(&run->sim.server.host, "pair");
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
assert_not_sought(struct run *run, uint64_t tick, const char *text)
{
    struct wire_error error;
    struct sv_seek seek = seek_of(run, tick);
    assert_null(sv_seek_seed(&seek, &error));
    assert_string_equal(error.code, "TICK");
    if (strstr(error.text, text) == NULL) {
        fail_msg("\"%s\" does not say \"%s\"", error.text, text);
    }
}

static uint64_t
hash_sought(struct run *run, uint64_t tick)
{
    struct wire_error error;
    struct sv_seek seek = seek_of(run, tick);
    struct sv_seed *seed = sv_seek_seed(&seek, &error);
    if (seed == NULL) {
        fail_msg("tick %d: %s", (int)tick, error.text);
    }
    assert_int_equal(seed->tick, tick);
    uint64_t hash = seed->hash;
    sv_seed_destroy(seed);
    return hash;
}

static char *
timeline(struct run *run)
{
    struct wire_error error;
    struct sv_seek seek = seek_of(run, 0);
    char *text = sv_seek_timeline(&seek, &error);
    assert_non_null(text);
    return text;
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

static void
assert_mark(struct run *run, uint64_t tick, uint32_t from)
{
    char wanted[128];
    char *text = timeline(run);
    assert_int_equal(count_of(text, "\"kind\": \"upgrade\""), 1);
    snprintf(wanted, sizeof(wanted), "\"physics\": %u", (unsigned)from);
    assert_non_null(strstr(text, wanted));
    snprintf(wanted, sizeof(wanted), "\"firstTick\": \"%d\"", (int)tick);
    if (strstr(text, wanted) == NULL) {
        fail_msg("%s is not in %s", wanted, text);
    }
    free(text);
}

/*
 * Replays and compares the whole stored past, and returns its first tick and the count of hashes.
 */
static void
assert_remembered(struct run *run, uint64_t first_tick)
{
    struct sv_log_reader reader;
    struct sv_fault fault;
    struct sv_charter charter;
    struct sv_replay replay;
    struct wire_error error;
    struct sv_worker worker;
    struct sv_metrics metrics = {0};
    struct sv_mailbox mailbox = {.number = 1};
    bool is_good = false;
    uint64_t number = sv_host_find(&run->sim.server.host, "pair")->mailbox.number;
    assert_true(sv_charter_of(run->sim.store, number, &charter));
    if (!sv_log_reader_init(&reader, run->sim.store, number, charter.content, &fault)) {
        fail_msg("%s", fault.text);
    }
    assert_int_equal(reader.old_physics, 10);
    assert_true(sv_worker_init(&worker, run->sim.server.worker.env.clock, NULL, &metrics, true));
    struct sv_world *world =
        sv_replay_begin(&replay, &worker.env, &mailbox, &reader.past, &is_good, &error);
    assert_non_null(world);
    if (!is_good) {
        fail_msg("%s", world->failure);
    }
    assert_int_equal(cn_world_tick(world->engine), first_tick);
    if (!sv_replay_all(&replay)) {
        fail_msg("%s", world->failure);
    }
    sv_world_destroy(world);
    sv_log_reader_finish(&reader);
    sv_worker_finish(&worker);
}

/* ---- 1 ---- */

static void
test_an_end_in_order(void **state)
{
    struct run run;
    (void)state;
    live(&run);
    durable_sim_close(&run.sim);
    boot(&run, 10); /* without clients: no input can end */
    struct sight before = look(&run);
    durable_sim_close(&run.sim);

    boot(&run, 11);
    assert_int_equal(run.sim.recovered.failed_count, 0);
    struct sight after = look(&run);
    assert_int_equal(after.tick, before.tick);
    assert_int_equal(after.state, WIRE_WORLD_RUNNING);
    assert_int_equal(after.generation, before.generation + 1);
    assert_int_equal(after.series, after.generation);
    assert_memory_equal(after.body, before.body, sizeof(after.body));
    step(&run, 40); /* and the checkpoint is written */
    assert_mark(&run, before.tick, 10);
    assert_not_sought(&run, before.tick - 1, "is of physics 10: this release has physics 11");
    assert_int_equal(hash_sought(&run, before.tick), after.hash);

    run.connection = server_enter(&run.sim.server, (char[]){"bea"});
    step(&run, 20);
    for (int i = 0; i < 60; i++) {
        server_take_drag(&run.sim.server, run.connection, ++run.client.seq, 1, 3.0);
        step(&run, 17);
    }
    assert_true(run.client.applied_seq > 50);
    struct sight later = look(&run);
    assert_true(later.body[1].position.x > after.body[1].position.x + 0.1);
    assert_remembered(&run, before.tick);
    run.connection = -1;
    step(&run, 100);
    durable_sim_close(&run.sim);
    boot(&run, 11); /* and now to the bit */
    assert_int_equal(run.sim.recovered.failed_count, 0);
    assert_int_equal(look(&run).generation, after.generation);
    assert_mark(&run, before.tick, 10);
    durable_sim_close(&run.sim);
    durable_sim_finish(&run.sim);
}

static void
test_a_paused_world(void **state)
{
    struct run run;
    (void)state;
    live(&run);
    order(&run, (struct sv_order){.kind = WIRE_CONTROL_SETTINGS,
        .settings = {.has_gravity = true, .gravity = {0.5, -4.0, 0.0}}});
    order(&run, (struct sv_order){.kind = WIRE_CONTROL_PAUSE});
    step(&run, 100);
    struct sight before = look(&run);
    assert_int_equal(before.state, WIRE_WORLD_PAUSED);
    durable_sim_close(&run.sim);
    boot(&run, 11);
    step(&run, 200);
    struct sight after = look(&run);
    assert_int_equal(after.state, WIRE_WORLD_PAUSED);
    assert_int_equal(after.tick, before.tick);
    assert_memory_equal(after.body, before.body, sizeof(after.body));
    const struct sv_world *world = durable_sim_world(&run.sim);
    assert_true(cn_world_settings(world->engine)->gravity.x == 0.5);
    assert_true(world->changed.has_gravity); /* what a reset keeps */
    durable_sim_close(&run.sim);
    durable_sim_finish(&run.sim);
}

/* ---- 2 ---- */

/* Both versions compute the same here, but the new one begins without the forces of contacts. */
static void
test_a_death_before_the_upgrade(void **state)
{
    struct run run;
    (void)state;
    live(&run);
    durable_sim_kill(&run.sim);
    boot(&run, 10);
    struct sight exact = look(&run);
    assert_true(exact.tick > 50);
    durable_sim_kill(&run.sim); /* nothing of this life is on the disk */
    boot(&run, 11);
    assert_int_equal(run.sim.recovered.failed_count, 0);
    struct sight rough = look(&run);
    assert_int_equal(rough.tick, exact.tick);
    assert_int_equal(rough.generation, exact.generation + 1);
    assert_true(distance(&rough, &exact) < 1e-6);
    assert_true(fabs(exact.body[1].position.x + 2.0) > 0.05); /* the push had an effect */
    step(&run, 40);
    assert_mark(&run, exact.tick, 10);
    assert_not_sought(&run, exact.tick - 1, "is of physics 10");
    assert_int_equal(durable_sim_world(&run.sim)->persist.lost_count, 0);
    durable_sim_close(&run.sim);
    durable_sim_finish(&run.sim);
}

/* Commands that the new version refuses are skipped and counted. */
static void
test_what_is_refused_is_left_out(void **state)
{
    struct run run;
    (void)state;
    live(&run);
    durable_sim_kill(&run.sim);
    refused_count = 3;
    boot(&run, 11);
    assert_int_equal(refused_count, 0);
    assert_int_equal(run.sim.recovered.failed_count, 0);
    assert_int_equal(durable_sim_world(&run.sim)->persist.lost_count, 3);
    step(&run, 40);
    durable_sim_close(&run.sim);
    boot(&run, 11);
    assert_int_equal(run.sim.recovered.failed_count, 0);
    durable_sim_close(&run.sim);
    durable_sim_finish(&run.sim);
}

/* ---- 3 ---- */

static void
test_a_death_after_the_upgrade(void **state)
{
    struct run run;
    (void)state;
    live(&run);
    durable_sim_kill(&run.sim);
    boot(&run, 11);
    struct sight first = look(&run);
    /* The UPGRADE is durable, and no checkpoint yet. */
    while (sv_worker_run(&run.sim.server.worker) <= run.sim.server.now_ns) {
    }
    for (int i = 0; i < 40; i++) {
        run.sim.server.now_ns += SV_NS_PER_MS;
        (void)sv_store_run_journal(run.sim.store);
    }
    durable_sim_kill(&run.sim);
    boot(&run, 11); /* to the last durable tick */
    assert_int_equal(run.sim.recovered.failed_count, 0);
    struct sight second = look(&run);
    assert_int_equal(second.generation, first.generation);
    assert_true(second.tick >= first.tick);
    durable_sim_kill(&run.sim);
    boot(&run, 11);
    struct sight third = look(&run);
    assert_int_equal(third.tick, second.tick);
    assert_int_equal(third.hash, second.hash);
    durable_sim_kill(&run.sim);
    boot(&run, 12); /* two versions later, with entries of both */
    assert_int_equal(run.sim.recovered.failed_count, 0);
    struct sight fourth = look(&run);
    assert_int_equal(fourth.generation, first.generation + 1);
    assert_int_equal(fourth.tick, third.tick);
    assert_true(distance(&fourth, &third) < 1e-6);
    durable_sim_close(&run.sim);
    durable_sim_finish(&run.sim);
}

/* ---- 4 ---- */

static void
test_a_newer_folder_is_refused(void **state)
{
    struct run run;
    struct wire_error error;
    (void)state;
    for (int is_killed = 0; is_killed < 2; is_killed++) {
        live(&run);
        if (is_killed) {
            durable_sim_kill(&run.sim);
        } else {
            durable_sim_close(&run.sim);
        }
        boot(&run, 10);
        struct sight before = look(&run);
        durable_sim_kill(&run.sim);
        physics = 9;
        assert_false(durable_sim_recover(&run.sim, &error));
        assert_string_equal(error.code, "PHYSICS");
        assert_non_null(strstr(error.text, "pair: it is newer: "));
        assert_non_null(strstr(error.text, "is of physics 10, and this release has physics 9"));
        durable_sim_kill(&run.sim);
        boot(&run, 10);
        assert_int_equal(run.sim.recovered.failed_count, 0);
        assert_int_equal(look(&run).hash, before.hash);
        assert_int_equal(look(&run).generation, before.generation);
        durable_sim_close(&run.sim);
        durable_sim_finish(&run.sim);
    }
}

/* ---- 5 ---- */

static void
test_what_can_not_be_carried_over(void **state)
{
    struct run run;
    (void)state;
    live(&run);
    is_portable = false; /* as a release had it that knew no portable form */
    durable_sim_close(&run.sim);
    boot(&run, 11);
    assert_int_equal(run.sim.recovered.failed_count, 1);
    const struct sv_host_world *place = sv_host_find(&run.sim.server.host, "pair");
    assert_int_equal(place->status.state, WIRE_WORLD_FAILED);
    assert_non_null(strstr(place->status.failure, "PHYSICS: "));
    assert_non_null(strstr(place->status.failure, "physics 10 and has no portable form"));
    durable_sim_close(&run.sim);
    boot(&run, 10);
    assert_int_equal(run.sim.recovered.failed_count, 0);
    assert_int_equal(look(&run).state, WIRE_WORLD_RUNNING);
    durable_sim_close(&run.sim);
    durable_sim_finish(&run.sim);
}

/* A comparison of ticks refuses the records of another version. */
static void
test_nothing_is_compared_across(void **state)
{
    struct run run;
    struct sv_log_reader reader;
    struct sv_fault fault;
    struct sv_charter charter;
    struct sv_replay replay;
    struct wire_error error;
    struct sv_metrics metrics = {0};
    struct sv_worker worker;
    struct sv_mailbox mailbox = {.number = 1};
    bool is_good = true;
    (void)state;
    live(&run);
    uint64_t number = sv_host_find(&run.sim.server.host, "pair")->mailbox.number;
    assert_true(sv_charter_of(run.sim.store, number, &charter));
    physics = 11;
    assert_true(sv_worker_init(&worker, run.sim.server.worker.env.clock, NULL, &metrics, true));
    for (int whole = 0; whole < 2; whole++) {
        assert_true(sv_log_reader_init(
            &reader, run.sim.store, number, whole ? charter.content : NULL, &fault));
        struct sv_world *world =
            sv_replay_begin(&replay, &worker.env, &mailbox, &reader.past, &is_good, &error);
        assert_non_null(world);
        assert_int_equal(is_good, whole); /* it begins with its scene */
        if (whole) {
            assert_false(sv_replay_all(&replay));
        }
        if (strncmp(world->failure, "PHYSICS: ", 9) != 0 ||
            strstr(world->failure, "is of physics 10, and this release has physics 11") == NULL) {
            fail_msg("%s", world->failure);
        }
        sv_world_destroy(world);
        sv_log_reader_finish(&reader);
    }
    sv_worker_finish(&worker);
    physics = 10;
    durable_sim_close(&run.sim);
    durable_sim_finish(&run.sim);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_end_in_order),
        cmocka_unit_test(test_a_paused_world),
        cmocka_unit_test(test_a_death_before_the_upgrade),
        cmocka_unit_test(test_what_is_refused_is_left_out),
        cmocka_unit_test(test_a_death_after_the_upgrade),
        cmocka_unit_test(test_a_newer_folder_is_refused),
        cmocka_unit_test(test_what_can_not_be_carried_over),
        cmocka_unit_test(test_nothing_is_compared_across),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
