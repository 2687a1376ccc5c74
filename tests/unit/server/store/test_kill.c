/*
 * A process that appends is killed at any instruction, again and again: everything that was
 * reported durable is there.  The child writes each durable number into memory that outlives it.
 *
 * CAIRN_KILL_ROUNDS sets how many times; the default is 200.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "server/store/store.h"
#include "tests/support/server/store_folder.h"

#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

#define WORLDS 3

/* The progress that the child reports; world numbers begin at 1. */
struct told {
    _Atomic uint64_t durable[WORLDS + 1], appended[WORLDS + 1], is_running;
};

static size_t
entries_of(uint64_t world, uint64_t number, unsigned char *entries)
{
    size_t size = (size_t)((number * 37 + world) % 300);
    memset(entries, (int)(number + world), size);
    return size;
}

/* Reads all records of each world; every record must equal the appended one. */
static bool
take_up(struct sv_store *store, struct sv_trail trail[WORLDS + 1])
{
    struct sv_fault fault;
    for (uint64_t world = 1; world <= WORLDS; world++) {
        const struct sv_checkpoint *checkpoint;
        struct sv_record record;
        enum sv_recovery_step step;
        struct sv_recovery *recovery = sv_recovery_begin(store, world, &checkpoint, &fault);
        if (recovery == NULL) {
            print_message("%s\n", fault.text);
            return false;
        }
        while ((step = sv_recovery_next(recovery, &record, &fault)) == SV_RECOVERY_RECORD) {
            unsigned char entries[300];
            size_t size = entries_of(world, record.number, entries);
            if (size != record.entries_size || memcmp(entries, record.entries, size) != 0) {
                print_message("record %d is another\n", (int)record.number);
                return false;
            }
        }
        trail[world] = sv_recovery_trail(recovery);
        sv_recovery_end(recovery);
        if (step != SV_RECOVERY_END) {
            print_message("%s\n", fault.text);
            return false;
        }
    }
    return true;
}

/* A tick later than those of all records: a recovered world continues after them. */
static uint64_t
next_tick(const struct sv_trail trail[WORLDS + 1])
{
    uint64_t most = 0;
    for (uint64_t world = 1; world <= WORLDS; world++) {
        most = trail[world].number > most ? trail[world].number : most;
    }
    return WORLDS * (most + 1);
}

/* Appends records for ever, with a checkpoint now and then. */
static void
work(struct sv_store *store, struct sv_trail trail[WORLDS + 1], struct told *told)
{
    struct sv_lane *lane = sv_store_lane(store, 0);
    uint64_t ticket[WORLDS + 1] = {0}, number[WORLDS + 1] = {0};
    for (uint64_t i = next_tick(trail);; i++) {
        uint64_t world = 1 + i % WORLDS;
        unsigned char entries[300];
        size_t size = entries_of(world, trail[world].number + 1, entries);
        atomic_store(&told->appended[world], trail[world].number + 1);
        uint64_t latest = sv_lane_append(lane, &trail[world], i, 0, 0, entries, size);
        if (ticket[world] == 0) {
            ticket[world] = latest;
            number[world] = latest != 0 ? trail[world].number : 0;
        }
        sv_lane_flush(lane);
        if (i % 200 == 199 && sv_lane_checkpoints_busy(lane) == 0) {
            struct sv_checkpoint *checkpoint = sv_checkpoint_create(trail[world], i, 0);
            sv_checkpoint_add(checkpoint, 1, calloc(1, 10000), 10000);
            if (sv_lane_checkpoint(lane, checkpoint) == 0) {
                sv_checkpoint_destroy(checkpoint);
            }
        }
        for (int each = 1; each <= WORLDS; each++) {
            if (ticket[each] != 0 && sv_lane_durable(lane) >= ticket[each]) {
                atomic_store(&told->durable[each], number[each]);
                ticket[each] = 0;
            }
        }
        atomic_store(&told->is_running, 1);
        if (i % 8 == 7) {
            const struct timespec pause = {.tv_nsec = 50000};
            nanosleep(&pause, NULL);
        }
    }
}

static void
be_child(const struct store_folder *folder, struct told *told)
{
    struct sv_disk_real disk;
    struct sv_fault fault;
    struct sv_trail trail[WORLDS + 1];
    struct sv_store_config config = store_folder_config(folder, &disk);
    config.spacing_ns = 1;
    struct sv_store *store = sv_store_open(&config, &fault);
    if (store == NULL) {
        print_message("%s\n", fault.text);
        _exit(1);
    }
    if (!take_up(store, trail) || !sv_store_start(store, &fault)) {
        _exit(1);
    }
    work(store, trail, told);
}

/* Waits until `wanted` records of world 1 are durable, as the living child reports. */
static void
wait_durable(pid_t child, const struct told *told, uint64_t wanted)
{
    const struct timespec pause = {.tv_nsec = 100000};
    int status;
    for (int i = 0; i < 600000 && atomic_load(&told->durable[1]) < wanted; i++) {
        nanosleep(&pause, NULL);
        assert_int_equal(waitpid(child, &status, WNOHANG), 0);
    }
    assert_true(atomic_load(&told->durable[1]) >= wanted);
}

/* One life, which is killed after a time that differs in each round. */
static void
kill_one(const struct store_folder *folder, struct told *told, int round)
{
    const struct timespec pause = {.tv_nsec = 100000};
    int status;
    atomic_store(&told->is_running, 0);
    pid_t child = fork();
    if (child == 0) {
        be_child(folder, told);
    }
    /* Every fourth child is killed during its start, the others while they work. */
    for (int i = 0; round % 4 != 0 && i < 100000 && atomic_load(&told->is_running) == 0; i++) {
        nanosleep(&pause, NULL);
        assert_int_equal(waitpid(child, &status, WNOHANG), 0);
    }
    if (round % 4 == 1) { /* even on a slow disk */
        wait_durable(child, told, atomic_load(&told->durable[1]) + 8);
    }
    const struct timespec life = {.tv_nsec = (long)(round * 7919 % 97) * 100000};
    nanosleep(&life, NULL);
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
}

static void
test_kill(void **state)
{
    struct store_folder folder;
    struct sv_disk_real disk;
    struct sv_fault fault;
    const char *wanted = getenv("CAIRN_KILL_ROUNDS");
    int rounds = wanted != NULL ? atoi(wanted) : 200;
    (void)state;
    struct told *told =
        mmap(NULL, sizeof(*told), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(told != MAP_FAILED);
    store_folder_make(&folder);
    struct sv_store_config config = store_folder_config(&folder, &disk);
    struct sv_store *store = sv_store_open(&config, &fault);
    for (uint64_t world = 1; world <= WORLDS; world++) {
        assert_true(store_put_charter(sv_store_lane(store, 0), world, "a charter"));
    }
    assert_true(sv_store_close(store, &fault));
    uint64_t records = 0;
    for (int round = 0; round < rounds; round++) {
        struct sv_trail trail[WORLDS + 1];
        kill_one(&folder, told, round);
        store = sv_store_open(&config, &fault);
        if (store == NULL) {
            fail_msg("%s", fault.text);
        }
        assert_true(take_up(store, trail));
        for (uint64_t world = 1; world <= WORLDS; world++) {
            assert_true(trail[world].number >= atomic_load(&told->durable[world]));
            assert_true(trail[world].number <= atomic_load(&told->appended[world]));
        }
        records = trail[1].number;
        sv_store_abandon(store);
    }
    print_message("%d kills, %d durable records\n", rounds, (int)(WORLDS * records));
    assert_true(records > (uint64_t)rounds);
    store_folder_remove(&folder);
    munmap(told, sizeof(*told));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kill)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
