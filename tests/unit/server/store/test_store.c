/* A store on a real disk: durable records are read back whole and in order, without any others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "server/store/store_inside.h"
#include "tests/support/server/store_folder.h"

#include <stdatomic.h>
#include <sys/wait.h>
#include <sys/stat.h>
#include <time.h>

static struct sv_store *
open_store(const struct store_folder *folder, struct sv_disk_real *disk)
{
    struct sv_fault fault;
    struct sv_store_config config = store_folder_config(folder, disk);
    struct sv_store *store = sv_store_open(&config, &fault);
    if (store == NULL) {
        print_message("%s\n", fault.text);
    }
    assert_non_null(store);
    return store;
}

static void
close_store(struct sv_store *store)
{
    struct sv_fault fault;
    bool is_closed = sv_store_close(store, &fault);
    if (!is_closed) {
        print_message("%s\n", fault.text);
    }
    assert_true(is_closed);
}

static void
wait_durable(struct sv_lane *lane, uint64_t ticket)
{
    const struct timespec pause = {.tv_nsec = 200000};
    sv_lane_flush(lane);
    for (int i = 0; i < 300000 && sv_lane_durable(lane) < ticket; i++) {
        nanosleep(&pause, NULL);
    }
    assert_true(sv_lane_durable(lane) >= ticket);
}

/* Record number n of a world has these entries, at tick 10 n. */
static size_t
entries_of(uint64_t world, uint64_t number, char text[64])
{
    return (size_t)snprintf(text, 64, "world %d record %d", (int)world, (int)number);
}

static uint64_t
append(struct sv_lane *lane, struct sv_trail *trail)
{
    char text[64];
    size_t size = entries_of(trail->world, trail->number + 1, text);
    return sv_lane_append(lane, trail, 10 * (trail->number + 1), 0, 0, text, size);
}

/* Reads a world from its checkpoint, or from the beginning, to `last`; returns its trail. */
static struct sv_trail
recover(struct sv_store *store, uint64_t world, uint64_t first, uint64_t last)
{
    struct sv_fault fault;
    const struct sv_checkpoint *checkpoint;
    struct sv_record record;
    enum sv_recovery_step step;
    uint64_t expected = first;
    struct sv_recovery *recovery = sv_recovery_begin(store, world, &checkpoint, &fault);
    assert_non_null(recovery);
    assert_true((checkpoint != NULL) == (first > 1));
    if (checkpoint != NULL) {
        assert_int_equal(checkpoint->trail.number, first - 1);
    }
    while ((step = sv_recovery_next(recovery, &record, &fault)) == SV_RECOVERY_RECORD) {
        char text[64];
        size_t size = entries_of(world, expected, text);
        assert_int_equal(record.number, expected);
        assert_int_equal(record.tick, 10 * expected);
        assert_int_equal(record.entries_size, size);
        assert_memory_equal(record.entries, text, size);
        expected++;
    }
    assert_int_equal(step, SV_RECOVERY_END);
    assert_int_equal(expected, last + 1);
    struct sv_trail trail = sv_recovery_trail(recovery);
    sv_recovery_end(recovery);
    return trail;
}

static void
test_comes_back(void **state)
{
    struct store_folder folder;
    struct sv_disk_real disk;
    struct sv_fault fault;
    unsigned char content[SV_CONTENT_SIZE], *scene;
    size_t size;
    (void)state;
    store_folder_make(&folder);
    struct sv_store *store = open_store(&folder, &disk);
    assert_int_equal(sv_store_world_count(store), 0);
    assert_int_equal(sv_store_world_next(store), 1);
    assert_true(sv_store_start(store, &fault));
    struct sv_lane *lane = sv_store_lane(store, 0);
    sv_content_hash(content, "a scene", 7);
    assert_true(sv_lane_put_scene(lane, 1, SV_USE_ALWAYS, content,
        (unsigned char *)strdup("a scene"), 7) != 0);
    assert_true(store_put_charter(lane, 1, "first"));
    assert_true(store_put_charter(lane, 2, "second"));
    struct sv_trail one = sv_store_trail(store, 1, 9), two = sv_store_trail(store, 2, 9);
    for (int i = 0; i < 200; i++) {
        uint64_t ticket = append(lane, &one);
        assert_true(ticket != 0);
        if (i % 2 == 0) {
            ticket = append(lane, &two);
        }
        if (i % 10 == 0) {
            wait_durable(lane, ticket);
        }
    }
    assert_int_equal(sv_store_look(store, NULL), SV_STORE_WRITING);
    close_store(store);

    store = open_store(&folder, &disk);
    assert_int_equal(sv_store_world_count(store), 2);
    assert_int_equal(sv_store_world_next(store), 3);
    assert_memory_equal(sv_store_world(store, 1).charter, "second", 6);
    assert_int_equal(sv_store_world(store, 0).charter_size, 5);
    assert_true(sv_store_scene(store, content, &scene, &size, &fault));
    assert_int_equal(size, 7);
    assert_memory_equal(scene, "a scene", 7);
    free(scene);
    content[0] ^= 1;
    assert_false(sv_store_scene(store, content, &scene, &size, &fault));
    assert_int_equal(fault.kind, SV_FAULT_MISSING);
    struct sv_trail trail = recover(store, 1, 1, 200);
    assert_int_equal(trail.number, 200);
    assert_int_equal(trail.chain, one.chain);
    assert_int_equal(trail.epoch, 2);
    recover(store, 2, 1, 100);

    /* The store continues from there, in the next epoch. */
    lane = sv_store_lane(store, 0);
    assert_true(append(lane, &trail) != 0);
    close_store(store);
    store = open_store(&folder, &disk);
    trail = recover(store, 1, 1, 201);
    assert_int_equal(trail.epoch, 3);
    close_store(store);
    store_folder_remove(&folder);
}

static uint64_t
checkpoint_at(struct sv_lane *lane, const struct sv_trail *trail, uint64_t tick)
{
    struct sv_checkpoint *made = sv_checkpoint_create(*trail, tick, 77);
    sv_checkpoint_add(made, 1, (unsigned char *)strdup("image"), 5);
    return sv_lane_checkpoint(lane, made);
}

static uint64_t
checkpoint(struct sv_lane *lane, const struct sv_trail *trail)
{
    return checkpoint_at(lane, trail, 10 * trail->number);
}

/* Runs until the checkpoint is written and its row is committed. */
static void
settle(struct sv_store *store)
{
    for (int i = 0; i < 8; i++) {
        sv_store_run_keeper(store);
        const struct timespec pause = {.tv_nsec = 5000000};
        nanosleep(&pause, NULL);
        sv_lane_flush(sv_store_lane(store, 0));
        sv_store_run_journal(store);
    }
}

static void
test_checkpoints(void **state)
{
    struct store_folder folder;
    struct sv_disk_real disk;
    char name[128];
    (void)state;
    store_folder_make(&folder);
    struct sv_store *store = open_store(&folder, &disk);
    struct sv_lane *lane = sv_store_lane(store, 0);
    struct sv_trail trail = sv_store_trail(store, 1, 9);
    assert_true(store_put_charter(lane, 1, "first"));
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 10; i++) {
            assert_true(append(lane, &trail) != 0);
        }
        assert_true(checkpoint(lane, &trail) != 0);
        assert_int_equal(sv_lane_checkpoints_busy(lane), 1);
        settle(store);
        assert_int_equal(sv_lane_checkpoints_busy(lane), 0);
    }
    for (int i = 0; i < 5; i++) {
        assert_true(append(lane, &trail) != 0);
    }
    assert_int_equal(sv_store_figures(store).checkpoints, 3);
    close_store(store);
    snprintf(name, sizeof(name), "world-1-10.ckpt");
    assert_int_equal(store_file_size(&folder, name), -1); /* two are kept */

    store = open_store(&folder, &disk);
    recover(store, 1, 31, 35);
    sv_store_abandon(store);
    store_flip(&folder, "world-1-30.ckpt", 90, 3); /* the newest is damaged: the one before */
    store = open_store(&folder, &disk);
    recover(store, 1, 21, 35);
    sv_store_abandon(store);
    assert_true(store_file_size(&folder, "world-1-30.ckpt") > 0); /* and nothing is removed */

    /* The end of a world removes its files. */
    store = open_store(&folder, &disk);
    lane = sv_store_lane(store, 0);
    assert_true(sv_lane_put_charter(lane, 1, NULL, 0) != 0);
    close_store(store);
    assert_int_equal(store_file_size(&folder, "world-1-30.ckpt"), -1);
    assert_int_equal(store_file_size(&folder, "world-1-20.ckpt"), -1);
    store = open_store(&folder, &disk);
    assert_int_equal(sv_store_world_count(store), 0);
    assert_int_equal(sv_store_world_next(store), 2); /* its number is not given again */
    close_store(store);
    store_folder_remove(&folder);
}

/* If the newest checkpoint of a world is of record 30, records that end at 25 are a fault. */
static void
test_records_end_before_checkpoint(void **state)
{
    struct store_folder folder;
    struct sv_disk_real disk;
    struct sv_fault fault = {0};
    struct sv_record record;
    const struct sv_checkpoint *found;
    enum sv_recovery_step step;
    (void)state;
    store_folder_make(&folder);
    struct sv_store *store = open_store(&folder, &disk);
    struct sv_lane *lane = sv_store_lane(store, 0);
    struct sv_trail trail = sv_store_trail(store, 1, 9);
    assert_true(store_put_charter(lane, 1, "first"));
    for (int i = 0; i < 25; i++) {
        assert_true(append(lane, &trail) != 0);
        if (i == 9 || i == 19) {
            assert_true(checkpoint(lane, &trail) != 0);
            settle(store);
        }
    }
    close_store(store);
    for (uint64_t newest = 25; newest <= 26; newest++) {
        store = open_store(&folder, &disk);
        struct sv_world_entry *entry = sv_worlds_find(&store->worlds, 1);
        assert_int_equal(entry->manifest[1].trail.number, 20);
        entry->manifest[1].trail.number = newest; /* there is no such file: the one before serves */
        struct sv_recovery *recovery = sv_recovery_begin(store, 1, &found, &fault);
        assert_non_null(recovery);
        assert_int_equal(found->trail.number, 10);
        int count = 0;
        while ((step = sv_recovery_next(recovery, &record, &fault)) == SV_RECOVERY_RECORD) {
            count++;
        }
        assert_int_equal(count, 15);
        assert_int_equal(step, newest == 25 ? SV_RECOVERY_END : SV_RECOVERY_FAULT);
        assert_true(newest == 25 || fault.kind == SV_FAULT_CHAIN);
        sv_recovery_end(recovery);
        sv_store_abandon(store);
    }
    store_folder_remove(&folder);
}

/*
 * The checkpoint after record 20 is of tick 200, 210 or 211, and record 21 is of tick 210.  If the
 * checkpoint's tick is at most 210, it is used.  Else it belongs to a past that was left.
 */
static void
test_past_that_was_left(void **state)
{
    static const struct {
        uint64_t tick, first;
    } cases[] = {{200, 21}, {210, 21}, {211, 11}};
    (void)state;
    for (int k = 0; k < 3; k++) {
        struct store_folder folder;
        struct sv_disk_real disk;
        store_folder_make(&folder);
        struct sv_store *store = open_store(&folder, &disk);
        struct sv_lane *lane = sv_store_lane(store, 0);
        struct sv_trail trail = sv_store_trail(store, 1, 9);
        assert_true(store_put_charter(lane, 1, "first"));
        for (int i = 1; i <= 25; i++) {
            assert_true(append(lane, &trail) != 0);
            if (i % 10 == 0) {
                assert_true(checkpoint_at(lane, &trail, i == 20 ? cases[k].tick : 100) != 0);
                settle(store);
            }
        }
        close_store(store);
        store = open_store(&folder, &disk);
        recover(store, 1, cases[k].first, 25);
        close_store(store);
        store_folder_remove(&folder);
    }
}

/* A full lane refuses an item and changes nothing; a commit makes room again. */
static void
test_full_lane(void **state)
{
    struct store_folder folder;
    struct sv_disk_real disk;
    char entries[1000] = {0};
    (void)state;
    store_folder_make(&folder);
    struct sv_store *store = open_store(&folder, &disk);
    struct sv_lane *lane = sv_store_lane(store, 0);
    struct sv_trail trail = sv_store_trail(store, 1, 9);
    uint64_t number = 0, ticket = 0, before = 0;
    assert_true(store_put_charter(lane, 1, "first"));
    while ((ticket = sv_lane_append(lane, &trail, 1, 0, 0, entries, sizeof(entries))) != 0) {
        assert_true(ticket > before);
        before = ticket;
        number++;
        assert_int_equal(trail.number, number);
    }
    assert_int_equal(trail.number, number);
    assert_in_range(number, 55, 62); /* 1,072 bytes each in 65,536 */
    assert_true(sv_lane_room(lane) < sizeof(entries));
    assert_int_equal(sv_lane_durable(lane), 0);
    settle(store);
    assert_int_equal(sv_lane_durable(lane), before);
    assert_true(sv_lane_append(lane, &trail, 1, 0, 0, entries, sizeof(entries)) != 0);
    close_store(store);
    store_folder_remove(&folder);
}

/* The store that opens later owns the journal; the other one fails before it overwrites it. */
static void
test_two_at_once(void **state)
{
    struct store_folder folder;
    struct sv_disk_real disk, disk_too;
    (void)state;
    store_folder_make(&folder);
    struct sv_store *first = open_store(&folder, &disk);
    struct sv_store *second = open_store(&folder, &disk_too);
    struct sv_trail one = sv_store_trail(first, 1, 9), two = sv_store_trail(second, 1, 9);
    assert_true(store_put_charter(sv_store_lane(second, 0), 1, "the second's"));
    append(sv_store_lane(second, 0), &two);
    settle(second);
    assert_true(store_put_charter(sv_store_lane(first, 0), 1, "the first's"));
    append(sv_store_lane(first, 0), &one);
    settle(first);
    assert_int_equal(sv_store_look(first, NULL), SV_STORE_FAILED);
    assert_int_equal(sv_store_fault(first)->kind, SV_FAULT_BUSY);
    assert_int_equal(sv_lane_durable(sv_store_lane(first, 0)), 0);
    assert_int_equal(append(sv_store_lane(first, 0), &one), 0);
    sv_store_abandon(first);
    close_store(second);
    store_folder_remove(&folder);
}

/* If the process dies in a step, the store names that world and counts deaths at the same tick. */
static void
test_crash_marks(void **state)
{
    static const struct {
        uint64_t tick;
        int count;
    } deaths[] = {{5, 1}, {5, 2}, {6, 1}, {6, 2}, {6, 3}};
    struct store_folder folder;
    struct sv_disk_real disk;
    (void)state;
    store_folder_make(&folder);
    struct sv_store *store = open_store(&folder, &disk);
    assert_true(store_put_charter(sv_store_lane(store, 0), 4, "fourth"));
    close_store(store);
    for (int i = 0; i < 5; i++) {
        pid_t child = fork();
        if (child == 0) {
            store = open_store(&folder, &disk);
            sv_lane_stepping(sv_store_lane(store, 0), 4, deaths[i].tick);
            raise(SIGKILL);
        }
        assert_int_equal(waitpid(child, NULL, 0), child);
        store = open_store(&folder, &disk);
        assert_int_equal(sv_store_world(store, 0).crash_count, deaths[i].count);
        assert_int_equal(sv_store_world(store, 0).crash_tick, deaths[i].tick);
        close_store(store);
    }
    store_folder_remove(&folder);
}

/*
 * A process that may read but not write.  Root may do everything, so it is a child with another
 * user.
 */
static void
test_read_only_folder(void **state)
{
    struct store_folder folder;
    struct sv_disk_real disk;
    int status;
    (void)state;
    store_folder_make(&folder);
    close_store(open_store(&folder, &disk));
    assert_int_equal(chmod(folder.path, 0555), 0);
    pid_t child = fork();
    if (child == 0) {
        struct sv_fault fault;
        struct sv_store_config config = store_folder_config(&folder, &disk);
        bool is_other = getuid() != 0 || setuid(65534) == 0;
        _exit(is_other && sv_store_open(&config, &fault) == NULL &&
                      (fault.kind == SV_FAULT_READ_ONLY || fault.kind == SV_FAULT_IO) &&
                      strstr(fault.text, folder.path) != NULL
                  ? 0
                  : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(chmod(folder.path, 0755), 0);
    close_store(open_store(&folder, &disk));
    store_folder_remove(&folder);
}

static mode_t
mode_of(const struct store_folder *folder, const char *name)
{
    char path[1024];
    struct stat about;
    snprintf(path, sizeof(path), "%s/%s", folder->path, name);
    assert_int_equal(stat(path, &about), 0);
    return about.st_mode & 0777;
}

/* All files, also SQLite's log and shared memory, are private for any umask. */
static void
test_rights(void **state)
{
    static const char *const names[] = {
        "journal.db", "journal.db-wal", "journal.db-shm", "watermark", "stepping"};
    struct store_folder folder;
    struct sv_disk_real disk;
    (void)state;
    mode_t before = umask(0);
    store_folder_make(&folder);
    for (int life = 0; life < 2; life++) {
        struct sv_store *store = open_store(&folder, &disk);
        struct sv_fault fault;
        assert_true(sv_store_start(store, &fault));
        struct sv_lane *lane = sv_store_lane(store, 0);
        struct sv_trail trail = sv_store_trail(store, 1, 9);
        if (life == 0) {
            assert_true(store_put_charter(lane, 1, "first"));
            wait_durable(lane, append(lane, &trail));
        }
        close_store(store);
        store = open_store(&folder, &disk);
        for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
            assert_int_equal(mode_of(&folder, names[i]), 0600);
        }
        close_store(store);
    }
    umask(before);
    store_folder_remove(&folder);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_comes_back),
        cmocka_unit_test(test_checkpoints),
        cmocka_unit_test(test_records_end_before_checkpoint),
        cmocka_unit_test(test_past_that_was_left),
        cmocka_unit_test(test_full_lane),
        cmocka_unit_test(test_two_at_once),
        cmocka_unit_test(test_crash_marks),
        cmocka_unit_test(test_read_only_folder),
        cmocka_unit_test(test_rights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
