/*
 * A store on the disk's twin, SQLite and all: each call that changes something fails in turn, the
 * power is cut at each, and what was durable is there again.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "server/store/store.h"
#include "tests/support/server/disk_vfs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FOLDER "data"
#define ROUNDS 6
#define WORLDS 2

static uint64_t now_ns;

/* The results that a run has seen, on which it may rely after a crash. */
struct seen {
    uint64_t appended[WORLDS + 1], durable[WORLDS + 1]; /* records of each world */
    bool has_charter;
    enum sv_store_state state;
};

static struct sv_store_config
config_of(struct sv_disk_sim *sim)
{
    return (struct sv_store_config){.folder = FOLDER,
        .lane_count = 1,
        .lane_size = 32 * 1024,
        .free_min = 1,
        .reserve_size = 4096,
        .clock = sv_clock_simulated(&now_ns),
        .disk = sv_disk_simulated(sim),
        .vfs = DISK_VFS_NAME};
}

static uint64_t
append(struct sv_lane *lane, struct sv_trail *trail)
{
    unsigned char entries[600];
    memset(entries, (int)(trail->number + trail->world), sizeof(entries));
    return sv_lane_append(lane, trail, trail->number, 0, 0, entries, sizeof(entries));
}

static void
hand_checkpoint(struct sv_lane *lane, const struct sv_trail *trail)
{
    struct sv_checkpoint *checkpoint = sv_checkpoint_create(*trail, trail->number, 5);
    unsigned char *image = calloc(1, 3000);
    assert_non_null(checkpoint);
    assert_non_null(image);
    memset(image, (int)trail->number, 3000);
    sv_checkpoint_add(checkpoint, 1, image, 3000);
    if (sv_lane_checkpoint(lane, checkpoint) == 0) {
        sv_checkpoint_destroy(checkpoint);
    }
}

/* Does the work of both threads, a second later. */
static void
work(struct sv_store *store, struct sv_lane *lane)
{
    now_ns += UINT64_C(1100000000);
    sv_lane_flush(lane);
    sv_store_run_journal(store);
    for (int i = 0; i < 4; i++) {
        sv_store_run_keeper(store);
    }
}

static void
note(struct sv_lane *lane, const uint64_t ticket[WORLDS + 1], const struct sv_trail *trail,
    struct seen *seen)
{
    for (int i = 1; i <= WORLDS; i++) {
        seen->appended[i] = trail[i].number;
        if (ticket[i] != 0 && sv_lane_durable(lane) >= ticket[i]) {
            seen->durable[i] = trail[i].number;
        }
    }
}

/* Some rounds of a daemon's life; false if the store could not be opened. */
static bool
live(struct sv_disk_sim *sim, struct seen *seen, bool is_closed)
{
    struct sv_fault fault;
    struct sv_trail trail[WORLDS + 1];
    const struct sv_store_config config = config_of(sim);
    struct sv_store *store = sv_store_open(&config, &fault);
    memset(seen, 0, sizeof(*seen));
    if (store == NULL) {
        disk_vfs_reset();
        return false;
    }
    struct sv_lane *lane = sv_store_lane(store, 0);
    for (int i = 1; i <= WORLDS; i++) {
        unsigned char *charter = (unsigned char *)strdup("a charter");
        trail[i] = sv_store_trail(store, (uint64_t)i, 1);
        if (sv_lane_put_charter(lane, (uint64_t)i, charter, 9) == 0) {
            free(charter);
        }
    }
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t ticket[WORLDS + 1] = {0};
        for (int i = 1; i <= WORLDS; i++) {
            uint64_t latest = append(lane, &trail[i]);
            ticket[i] = latest;
            latest = append(lane, &trail[i]);
            ticket[i] = latest != 0 ? latest : ticket[i];
        }
        if (round % 2 == 1) {
            hand_checkpoint(lane, &trail[1]);
        }
        work(store, lane);
        note(lane, ticket, trail, seen);
    }
    seen->state = sv_store_look(store, NULL);
    if (is_closed) {
        bool is_good = sv_store_close(store, &fault);
        seen->state = is_good ? SV_STORE_WRITING : SV_STORE_FAILED;
    } else {
        sv_store_abandon(store);
    }
    disk_vfs_reset();
    return true;
}

/* The number of a world's records; each must equal the appended one. */
static uint64_t
count_records(struct sv_store *store, uint64_t world)
{
    struct sv_fault fault;
    const struct sv_checkpoint *checkpoint;
    struct sv_record record;
    enum sv_recovery_step step;
    struct sv_recovery *recovery = sv_recovery_begin(store, world, &checkpoint, &fault);
    if (recovery == NULL) {
        fail_msg("%s", fault.text);
    }
    while ((step = sv_recovery_next(recovery, &record, &fault)) == SV_RECOVERY_RECORD) {
        assert_int_equal(record.entries_size, 600);
        assert_int_equal(record.entries[599], (unsigned char)(record.number - 1 + world));
    }
    if (step == SV_RECOVERY_FAULT) {
        fail_msg("%s", fault.text);
    }
    uint64_t count = sv_recovery_trail(recovery).number;
    sv_recovery_end(recovery);
    return count;
}

/* After any faults the store opens, and has all that was durable. */
static void
check(struct sv_disk_sim *sim, const struct seen *seen)
{
    struct sv_fault fault;
    const struct sv_store_config config = config_of(sim);
    struct sv_store *store = sv_store_open(&config, &fault);
    if (store == NULL) {
        fail_msg("%s", fault.text);
    }
    for (uint64_t world = 1; world <= WORLDS; world++) {
        bool is_known = sv_store_world_count(store) == WORLDS;
        uint64_t count = is_known ? count_records(store, world) : 0;
        if (count < seen->durable[world] || count > seen->appended[world]) {
            fail_msg("call %d: world %d has %d records; %d were durable, %d appended",
                (int)sim->call_count, (int)world, (int)count, (int)seen->durable[world],
                (int)seen->appended[world]);
        }
    }
    assert_true(sv_store_close(store, &fault));
    disk_vfs_reset();
}

static uint64_t
calls_of_a_life(void)
{
    struct sv_disk_sim sim = {0};
    struct seen seen;
    disk_vfs_use(&sim);
    assert_true(live(&sim, &seen, true));
    assert_int_equal(seen.state, SV_STORE_WRITING);
    assert_int_equal(seen.durable[1], 2 * ROUNDS);
    assert_int_equal(seen.durable[2], 2 * ROUNDS);
    check(&sim, &seen);
    uint64_t count = sim.call_count;
    sv_disk_sim_finish(&sim);
    return count;
}

/* The device fails from the k-th call on, once or for ever; then the power is cut. */
static void
every_call(enum sv_disk_result result, uint64_t fail_count)
{
    uint64_t count = calls_of_a_life();
    uint64_t durable = 0;
    assert_true(count > 100);
    for (uint64_t call = 1; call <= count; call++) {
        struct sv_disk_sim sim = {
            .fail_first = call, .fail_count = fail_count, .fail_result = result};
        struct seen seen;
        disk_vfs_use(&sim);
        live(&sim, &seen, call % 2 == 0);
        durable += seen.durable[1];
        sim.fail_first = 0;
        sv_disk_sim_crash(&sim, call);
        check(&sim, &seen);
        sv_disk_sim_finish(&sim);
    }
    assert_true(durable > count); /* most lives have got somewhere */
}

static void
test_device_fails_once(void **state)
{
    (void)state;
    every_call(SV_DISK_FAILED, 1);
}

static void
test_device_fails_for_good(void **state)
{
    (void)state;
    every_call(SV_DISK_FAILED, UINT64_MAX);
}

static void
test_disk_is_full_once(void **state)
{
    (void)state;
    every_call(SV_DISK_FULL, 1);
}

static void
test_disk_is_full_for_good(void **state)
{
    (void)state;
    every_call(SV_DISK_FULL, UINT64_MAX);
}

/* The power is cut again and again at different places, also during recovery. */
static void
test_power_cuts(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct sv_disk_sim sim = {0};
        struct seen seen, last = {0};
        disk_vfs_use(&sim);
        live(&sim, &last, false);
        sv_disk_sim_crash(&sim, seed);
        for (uint64_t again = 0; again < 3; again++) { /* an opening is cut */
            struct sv_fault fault;
            const struct sv_store_config config = config_of(&sim);
            sim.fail_first = sim.call_count + 1 + (seed * 7 + again * 3) % 12;
            sim.fail_count = UINT64_MAX;
            sim.fail_result = SV_DISK_FAILED;
            sv_store_abandon(sv_store_open(&config, &fault));
            disk_vfs_reset();
            sv_disk_sim_crash(&sim, seed * 1000 + again);
        }
        sim.fail_first = 0;
        seen = last;
        check(&sim, &seen);
        sv_disk_sim_finish(&sim);
    }
}

/*
 * Without room the reserve makes appended records durable, and new items are refused.  With room
 * again they are accepted.
 */
static void
test_full_and_again(void **state)
{
    struct sv_disk_sim sim = {0};
    struct sv_fault fault;
    size_t size;
    (void)state;
    disk_vfs_use(&sim);
    struct sv_store_config config = config_of(&sim);
    config.free_min = 1000;
    struct sv_store *store = sv_store_open(&config, &fault);
    assert_non_null(store);
    assert_non_null(sv_disk_sim_bytes(&sim, FOLDER "/reserve", &size));
    struct sv_lane *lane = sv_store_lane(store, 0);
    struct sv_trail trail = sv_store_trail(store, 1, 1);
    assert_true(sv_lane_put_charter(lane, 1, (unsigned char *)strdup("c"), 1) != 0);
    work(store, lane);
    sim.free_size = 100;
    uint64_t ticket = append(lane, &trail);
    sim.fail_first = sim.call_count + 1;
    sim.fail_count = 1;
    sim.fail_result = SV_DISK_FULL;
    work(store, lane);
    assert_int_equal(sv_store_look(store, NULL), SV_STORE_READ_ONLY);
    assert_int_equal(sv_store_fault(store)->kind, SV_FAULT_FULL);
    assert_null(sv_disk_sim_bytes(&sim, FOLDER "/reserve", &size));
    assert_int_equal(sv_lane_durable(lane), ticket);
    assert_true(sv_store_is_low(store));
    assert_int_equal(sv_lane_append(lane, &trail, trail.number, 5, SV_RECORD_HASH, NULL, 0), 0);
    assert_int_equal(sv_lane_put_charter(lane, 2, (unsigned char *)(char[]){"c"}, 1), 0);
    ticket = append(lane, &trail); /* a tick that was done already fits in the reserve */
    assert_true(ticket != 0);
    work(store, lane);
    assert_int_equal(sv_lane_durable(lane), ticket);
    assert_int_equal(sv_store_look(store, NULL), SV_STORE_READ_ONLY);
    hand_checkpoint(lane, &trail);
    work(store, lane);
    work(store, lane);
    assert_int_equal(sv_store_figures(store).checkpoints, 1);
    sim.free_size = 1000 + 4096;
    work(store, lane);
    assert_int_equal(sv_store_look(store, NULL), SV_STORE_WRITING);
    assert_false(sv_store_is_low(store));
    assert_non_null(sv_disk_sim_bytes(&sim, FOLDER "/reserve", &size));
    ticket = append(lane, &trail);
    assert_true(ticket != 0);
    work(store, lane);
    assert_int_equal(sv_lane_durable(lane), ticket);
    assert_true(sv_store_close(store, &fault));
    disk_vfs_reset();
    sv_disk_sim_finish(&sim);
}

/* On a full disk the commit waits while the store runs; it is made when the disk has room. */
static void
test_full_for_long(void **state)
{
    struct sv_disk_sim sim = {0};
    struct sv_fault fault;
    (void)state;
    disk_vfs_use(&sim);
    struct sv_store_config config = config_of(&sim);
    config.free_min = 1000;
    struct sv_store *store = sv_store_open(&config, &fault);
    assert_non_null(store);
    struct sv_lane *lane = sv_store_lane(store, 0);
    struct sv_trail trail = sv_store_trail(store, 1, 1);
    assert_true(sv_lane_put_charter(lane, 1, (unsigned char *)strdup("c"), 1) != 0);
    work(store, lane);
    uint64_t before = sv_lane_durable(lane), ticket = append(lane, &trail);
    sim.free_size = 100;
    sim.fail_first = sim.call_count + 1;
    sim.fail_count = UINT64_MAX;
    sim.fail_result = SV_DISK_FULL;
    for (int i = 0; i < 5; i++) {
        work(store, lane);
        assert_int_equal(sv_store_look(store, NULL), SV_STORE_READ_ONLY);
        assert_int_equal(sv_store_fault(store)->kind, SV_FAULT_FULL);
        assert_int_equal(sv_lane_durable(lane), before);
    }
    sim.fail_first = 0;
    work(store, lane);
    assert_int_equal(sv_lane_durable(lane), ticket);
    sim.free_size = 1000 + 4096;
    work(store, lane);
    assert_int_equal(sv_store_look(store, NULL), SV_STORE_WRITING);
    ticket = append(lane, &trail);
    assert_true(ticket != 0);
    work(store, lane);
    assert_int_equal(sv_lane_durable(lane), ticket);
    assert_int_equal(sv_store_figures(store).records, 2); /* each of them once */
    assert_true(sv_store_close(store, &fault));
    disk_vfs_reset();
    sv_disk_sim_finish(&sim);
}

/* A small disk of a few MiB has a reserve, too, and is written again when it has room. */
static void
test_small_disk(void **state)
{
    struct sv_disk_sim sim = {.free_size = 16 << 20};
    struct sv_fault fault;
    size_t size = 0;
    (void)state;
    disk_vfs_use(&sim);
    struct sv_store_config config = config_of(&sim);
    config.reserve_size = SV_STORE_RESERVE_SIZE;
    config.free_min = 0;
    struct sv_store *store = sv_store_open(&config, &fault);
    assert_non_null(store);
    assert_non_null(sv_disk_sim_bytes(&sim, FOLDER "/reserve", &size));
    assert_int_equal(size, 4 << 20);
    struct sv_lane *lane = sv_store_lane(store, 0);
    struct sv_trail trail = sv_store_trail(store, 1, 1);
    assert_true(sv_lane_put_charter(lane, 1, (unsigned char *)strdup("c"), 1) != 0);
    work(store, lane);
    sim.free_size = 4096;
    uint64_t ticket = append(lane, &trail);
    sim.fail_first = sim.call_count + 1;
    sim.fail_count = 1;
    sim.fail_result = SV_DISK_FULL;
    work(store, lane);
    assert_int_equal(sv_store_look(store, NULL), SV_STORE_READ_ONLY);
    assert_int_equal(sv_lane_durable(lane), ticket);
    sim.free_size = 7 << 20;
    work(store, lane);
    assert_int_equal(sv_store_look(store, NULL), SV_STORE_READ_ONLY);
    sim.free_size = 8 << 20;
    work(store, lane);
    assert_int_equal(sv_store_look(store, NULL), SV_STORE_WRITING);
    assert_true(sv_store_close(store, &fault));
    disk_vfs_reset();
    sv_disk_sim_finish(&sim);
}

/* A flush that failed is never tried again. */
static void
test_failed_flush(void **state)
{
    struct sv_disk_sim sim = {0};
    struct sv_fault fault;
    (void)state;
    disk_vfs_use(&sim);
    const struct sv_store_config config = config_of(&sim);
    struct sv_store *store = sv_store_open(&config, &fault);
    assert_non_null(store);
    struct sv_lane *lane = sv_store_lane(store, 0);
    struct sv_trail trail = sv_store_trail(store, 1, 1);
    work(store, lane);
    append(lane, &trail);
    sim.fail_first = sim.call_count + 1;
    sim.fail_count = 1;
    sim.fail_result = SV_DISK_FAILED;
    work(store, lane);
    assert_int_equal(sv_store_look(store, NULL), SV_STORE_FAILED);
    assert_int_equal(sv_store_fault(store)->kind, SV_FAULT_IO);
    assert_int_equal(sv_fault_exit_code(sv_store_fault(store)->kind), 74);
    uint64_t calls = sim.call_count;
    work(store, lane);
    work(store, lane);
    assert_int_equal(sim.call_count, calls);
    assert_int_equal(sv_lane_durable(lane), 0);
    assert_int_equal(append(lane, &trail), 0);
    assert_false(sv_store_close(store, &fault));
    assert_int_equal(sim.call_count, calls);
    assert_int_equal(fault.kind, SV_FAULT_IO);
    disk_vfs_reset();
    sv_disk_sim_finish(&sim);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_device_fails_once),
        cmocka_unit_test(test_device_fails_for_good),
        cmocka_unit_test(test_disk_is_full_once),
        cmocka_unit_test(test_disk_is_full_for_good),
        cmocka_unit_test(test_power_cuts),
        cmocka_unit_test(test_full_and_again),
        cmocka_unit_test(test_full_for_long),
        cmocka_unit_test(test_small_disk),
        cmocka_unit_test(test_failed_flush),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
