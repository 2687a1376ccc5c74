/* Retention of worlds' pasts: the checkpoints that stay, and reading them and the records. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "server/store/history.h"
#include "server/store/retention.h"
#include "tests/support/server/store_folder.h"

#include <time.h>

#define COUNT 12

/* Checkpoints a second apart, with 100 ms of steps, 1000 bytes, and 500 bytes of records each. */
static int
make(struct sv_manifest *list, int count, uint64_t second_ms)
{
    for (int i = 0; i < count; i++) {
        list[i] = (struct sv_manifest){.trail = {.world = 1, .number = (uint64_t)i + 1},
            .tick = 60 * (uint64_t)i,
            .commit = 10 * ((uint64_t)i + 1),
            .file_size = 1000,
            .age_ms = second_ms * (uint64_t)i,
            .stepped_ms = 100 * (uint64_t)i,
            .record_bytes = 500 * (uint64_t)i};
    }
    return count;
}

static const struct sv_retention_limits wide = {
    .history_ms = UINT64_MAX, .size_max = UINT64_MAX, .first_commit = 1};

static void
test_none_is_kept(void **state)
{
    struct sv_manifest list[COUNT];
    struct sv_retention_limits limits = wide;
    (void)state;
    limits.history_ms = 0;
    assert_int_equal(sv_retention_thin(list, make(list, COUNT, 1000), &limits), 2);
    assert_int_equal(list[0].trail.number, COUNT - 1);
    assert_int_equal(list[1].trail.number, COUNT);
    assert_int_equal(list[COUNT - 1].trail.number, 1); /* the checkpoints to remove follow them */
    assert_int_equal(sv_retention_thin(list, make(list, 2, 1000), &limits), 2);
    assert_int_equal(sv_retention_thin(list, make(list, 1, 1000), &limits), 1);
}

/*
 * The oldest kept checkpoint is the newest one from which the oldest wanted tick can be replayed.
 */
static void
test_age(void **state)
{
    struct sv_manifest list[COUNT];
    struct sv_retention_limits limits = wide;
    (void)state;
    limits.history_ms = 4000;
    assert_int_equal(sv_retention_thin(list, make(list, COUNT, 1000), &limits), 5);
    assert_int_equal(list[0].age_ms, 7000); /* now is 11,000 */
    limits.history_ms = 4001;
    assert_int_equal(sv_retention_thin(list, make(list, COUNT, 1000), &limits), 6);
}

static void
test_bytes_and_commits(void **state)
{
    struct sv_manifest list[COUNT];
    struct sv_retention_limits limits = wide;
    (void)state;
    limits.record_bytes = 500 * (COUNT - 1);
    limits.size_max = 4 * 1000 + 3 * 500; /* four files and the records between them */
    assert_int_equal(sv_retention_thin(list, make(list, COUNT, 1000), &limits), 4);
    limits.size_max--;
    assert_int_equal(sv_retention_thin(list, make(list, COUNT, 1000), &limits), 3);
    limits.size_max = 0;
    assert_int_equal(sv_retention_thin(list, make(list, COUNT, 1000), &limits), 2);
    limits = wide;
    limits.first_commit = 60; /* commit 50 is pruned, so older ones are useless */
    assert_int_equal(sv_retention_thin(list, make(list, COUNT, 1000), &limits), COUNT - 5);
    assert_int_equal(list[0].commit, 60);
}

/*
 * Twelve checkpoints 10 s apart: those older than a minute stay 20 s apart, on both sides of a
 * reset.
 */
static void
test_thinning(void **state)
{
    struct sv_manifest list[COUNT];
    (void)state;
    int kept = sv_retention_thin(list, make(list, COUNT, 10000), &wide);
    assert_int_equal(kept, COUNT - 2); /* ages 0, 20, 40, and from 50 on: now is 110 */
    static const uint64_t ages_s[] = {0, 20, 40, 50};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(list[i].age_ms, 1000 * ages_s[i]);
    }
    make(list, COUNT, 10000);
    for (int i = 2; i < COUNT; i++) {
        list[i].tick -= 120; /* from the third on, after a reset */
    }
    kept = sv_retention_thin(list, COUNT, &wide);
    assert_int_equal(list[1].age_ms, 10000);
    assert_int_equal(list[2].age_ms, 20000);
    assert_int_equal(kept, COUNT - 1); /* only 40 is between two of its series */
    make(list, COUNT, 10000);
    for (int i = 0; i < COUNT; i++) {
        list[i].stepped_ms *= 10; /* two of them are 2 s of steps apart, too far */
    }
    assert_int_equal(sv_retention_thin(list, COUNT, &wide), COUNT);
}

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
check_history(struct sv_store *store, const struct sv_manifest *from, uint64_t last)
{
    struct sv_fault fault;
    struct sv_record record;
    enum sv_recovery_step step;
    uint64_t expected = from != NULL ? from->trail.number + 1 : 1;
    struct sv_history *history = sv_history_open(store, 1, from, &fault);
    assert_non_null(history);
    if (from != NULL) {
        const struct sv_checkpoint *checkpoint = sv_history_checkpoint(history, &fault);
        assert_non_null(checkpoint);
        assert_int_equal(checkpoint->tick, from->tick);
    }
    while ((step = sv_history_next(history, &record, &fault)) == SV_RECOVERY_RECORD) {
        assert_int_equal(record.number, expected++);
        assert_int_equal(record.world, 1);
        assert_int_equal(record.entries_size, 6);
    }
    assert_int_equal(step, SV_RECOVERY_END);
    assert_int_equal(expected, last + 1);
    sv_history_close(history);
}

static void
test_read(void **state)
{
    struct store_folder folder;
    struct sv_disk_real disk;
    struct sv_fault fault;
    struct sv_manifest *list;
    (void)state;
    store_folder_make(&folder);
    struct sv_store_config config = store_folder_config(&folder, &disk);
    config.past_ms = 600000;
    config.past_size = 1 << 20;
    struct sv_store *store = sv_store_open(&config, &fault);
    assert_non_null(store);
    struct sv_lane *lane = sv_store_lane(store, 0);
    struct sv_trail one = sv_store_trail(store, 1, 9), two = sv_store_trail(store, 2, 9);
    assert_true(store_put_charter(lane, 1, "first"));
    assert_true(store_put_charter(lane, 2, "second"));
    for (uint64_t i = 0; i < 50; i++) {
        assert_true(sv_lane_append(lane, &one, 10 * i, 0, 0, "entries", 6) != 0);
        assert_true(sv_lane_append(lane, &two, 10 * i, 0, 0, "other", 6) != 0);
        if (i % 10 == 9) {
            struct sv_checkpoint *made = sv_checkpoint_create(one, 10 * i, 77);
            made->age_ms = 1000 * i;
            sv_checkpoint_add(made, 1, (unsigned char *)strdup("image"), 5);
            assert_true(sv_lane_checkpoint(lane, made) != 0);
            settle(store);
        }
    }
    assert_int_equal(sv_store_history(store, 3, &list), 0);
    assert_null(list);
    assert_int_equal(sv_store_history(store, 1, &list), 5);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(list[i].tick, 90 + 100 * i);
        assert_int_equal(list[i].age_ms, 9000 + 10000 * i);
        check_history(store, &list[i], 50);
    }
    assert_true(list[4].record_bytes > list[3].record_bytes);
    check_history(store, NULL, 50);

    /* Reading a checkpoint that was removed is a fault of that read only. */
    struct sv_manifest gone = list[0];
    gone.trail.number++;
    struct sv_history *history = sv_history_open(store, 1, &gone, &fault);
    assert_non_null(history);
    assert_null(sv_history_checkpoint(history, &fault));
    assert_int_equal(fault.kind, SV_FAULT_MISSING);
    sv_history_close(history);
    free(list);
    assert_true(sv_store_close(store, &fault));

    /* All of them exist again; without a past the next checkpoint leaves two. */
    config.past_ms = 0;
    store = sv_store_open(&config, &fault);
    assert_non_null(store);
    assert_int_equal(sv_store_history(store, 1, &list), 5);
    check_history(store, &list[0], 50);
    free(list);
    lane = sv_store_lane(store, 0);
    one.epoch = 2;
    assert_true(sv_lane_append(lane, &one, 500, 0, 0, "entries", 6) != 0);
    struct sv_checkpoint *made = sv_checkpoint_create(one, 500, 77);
    sv_checkpoint_add(made, 1, (unsigned char *)strdup("image"), 5);
    assert_true(sv_lane_checkpoint(lane, made) != 0);
    settle(store);
    assert_int_equal(sv_store_history(store, 1, &list), 2);
    free(list);
    assert_int_equal(store_file_size(&folder, "world-1-10.ckpt"), -1);
    assert_true(store_file_size(&folder, "world-1-50.ckpt") > 0);
    assert_true(sv_store_close(store, &fault));
    store_folder_remove(&folder);
}

/*
 * The checkpoint after record 10 is of tick 100, 110 or 111, and record 11 is of tick 110.  Tick
 * 110 is possible: once the checkpoint could not be read, and the world came to tick 110 again.
 * Only a checkpoint of a later tick belongs to another past and is refused.  The reader can use the
 * one before it.
 */
static void
test_past_that_was_left(void **state)
{
    (void)state;
    for (uint64_t tick = 100; tick <= 111; tick += tick == 100 ? 10 : 1) {
        struct store_folder folder;
        struct sv_disk_real disk;
        struct sv_fault fault;
        struct sv_manifest *list;
        store_folder_make(&folder);
        struct sv_store_config config = store_folder_config(&folder, &disk);
        config.past_ms = 600000;
        config.past_size = 1 << 20;
        struct sv_store *store = sv_store_open(&config, &fault);
        assert_non_null(store);
        struct sv_lane *lane = sv_store_lane(store, 0);
        struct sv_trail one = sv_store_trail(store, 1, 9);
        assert_true(store_put_charter(lane, 1, "first"));
        for (uint64_t i = 1; i <= 15; i++) {
            assert_true(sv_lane_append(lane, &one, 10 * i, 0, 0, "entries", 6) != 0);
            if (i % 5 == 0) {
                struct sv_checkpoint *made =
                    sv_checkpoint_create(one, i == 10 ? tick : 10 * i, 77);
                sv_checkpoint_add(made, 1, (unsigned char *)strdup("image"), 5);
                assert_true(sv_lane_checkpoint(lane, made) != 0);
                settle(store);
            }
        }
        assert_int_equal(sv_store_history(store, 1, &list), 3);
        check_history(store, &list[0], 15);
        if (tick <= 110) {
            check_history(store, &list[1], 15);
        } else {
            struct sv_history *history = sv_history_open(store, 1, &list[1], &fault);
            assert_non_null(history);
            assert_null(sv_history_checkpoint(history, &fault));
            assert_int_equal(fault.kind, SV_FAULT_CHAIN);
            sv_history_close(history);
        }
        check_history(store, &list[2], 15); /* no record follows the newest one */
        free(list);
        assert_true(sv_store_close(store, &fault));
        store_folder_remove(&folder);
    }
}

/*
 * A journal that is not too large is pruned up to the oldest checkpoint of the past, and no
 * further.
 */
static void
test_past_is_not_pruned(void **state)
{
    struct store_folder folder;
    struct sv_disk_real disk;
    struct sv_fault fault;
    struct sv_manifest *list;
    unsigned char content[SV_CONTENT_SIZE], *scene = malloc(100000);
    uint64_t now_ns = 1;
    (void)state;
    assert_non_null(scene);
    memset(scene, 7, 100000);
    sv_content_hash(content, scene, 100000);
    store_folder_make(&folder);
    struct sv_store_config config = store_folder_config(&folder, &disk);
    config.clock = sv_clock_simulated(&now_ns);
    config.history_size = 300000; /* and pruned from a quarter of it on */
    config.past_ms = 600000;
    config.past_size = 1 << 20;
    struct sv_store *store = sv_store_open(&config, &fault);
    assert_non_null(store);
    struct sv_lane *lane = sv_store_lane(store, 0);
    struct sv_trail one = sv_store_trail(store, 1, 9);
    assert_true(sv_lane_put_scene(lane, 1, SV_USE_ALWAYS, content, scene, 100000) != 0);
    assert_true(store_put_charter(lane, 1, "first"));
    for (uint64_t i = 0; i < 60; i++) {
        assert_true(sv_lane_append(lane, &one, 10 * i, 0, 0, "entries", 6) != 0);
        if (i % 10 == 9) {
            struct sv_checkpoint *made = sv_checkpoint_create(one, 10 * i, 77);
            made->age_ms = 1000 * i;
            sv_checkpoint_add(made, 1, (unsigned char *)strdup("image"), 5);
            assert_true(sv_lane_checkpoint(lane, made) != 0);
        }
        for (int k = 0; k < 3; k++) {
            now_ns += 1000000001;
            sv_store_run_journal(store);
            sv_store_run_keeper(store);
        }
    }
    assert_int_equal(sv_store_history(store, 1, &list), 6);
    assert_int_equal(list[0].tick, 90);
    check_history(store, &list[0], 60);
    struct sv_history *history = sv_history_open(store, 1, NULL, &fault);
    struct sv_record record;
    bool is_pruned = history == NULL || /* records before the past are pruned */
        sv_history_next(history, &record, &fault) != SV_RECOVERY_RECORD || record.number > 1;
    assert_true(is_pruned);
    if (history != NULL) {
        sv_history_close(history);
    }
    free(list);
    assert_true(sv_store_close(store, &fault));
    store_folder_remove(&folder);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_none_is_kept),
        cmocka_unit_test(test_age),
        cmocka_unit_test(test_bytes_and_commits),
        cmocka_unit_test(test_thinning),
        cmocka_unit_test(test_read),
        cmocka_unit_test(test_past_that_was_left),
        cmocka_unit_test(test_past_is_not_pruned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
