/*
 * Scenes and seeds in the journal stay as long as some world may need them, and no longer: a folder
 * is as large as what it keeps, however often worlds are loaded and forked.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "server/store/store_inside.h"
#include "tests/support/server/store_folder.h"

#include <sqlite3.h>

#define SCENE_SIZE ((size_t)64 * 1024)
#define HISTORY_SIZE ((uint64_t)1024 * 1024)
#define LOADS 120 /* so many scenes are 7.5 MiB */

struct rig {
    struct store_folder folder;
    struct sv_disk_real disk;
    struct sv_store *store;
    uint64_t now_ns;
};

static void
open_rig(struct rig *rig)
{
    struct sv_fault fault;
    struct sv_store_config config = store_folder_config(&rig->folder, &rig->disk);
    config.history_size = HISTORY_SIZE;
    config.clock = sv_clock_simulated(&rig->now_ns);
    rig->store = sv_store_open(&config, &fault);
    if (rig->store == NULL) {
        fail_msg("%s", fault.text);
    }
}

static void
close_rig(struct rig *rig)
{
    struct sv_fault fault;
    assert_true(sv_store_close(rig->store, &fault));
}

/* Some seconds, in which everything is committed, and checkpoints are written and named. */
static void
run(struct rig *rig)
{
    for (int i = 0; i < 8; i++) {
        rig->now_ns += SV_STORE_PERIOD_NS;
        sv_store_run_journal(rig->store);
        while (sv_store_keep_one(rig->store)) {
        }
        sv_store_run_keeper(rig->store);
    }
    assert_int_equal(sv_store_look(rig->store, NULL), SV_STORE_WRITING);
}

/* Stores scene n, whose bytes are unique; returns its ticket. */
static uint64_t
put(struct rig *rig, uint64_t world, uint64_t number, int n, unsigned char content[SV_CONTENT_SIZE])
{
    unsigned char *bytes = malloc(SCENE_SIZE);
    assert_non_null(bytes);
    memset(bytes, n, SCENE_SIZE);
    memcpy(bytes, &n, sizeof(n));
    sv_content_hash(content, bytes, SCENE_SIZE);
    return sv_lane_put_scene(
        sv_store_lane(rig->store, 0), world, number, content, bytes, SCENE_SIZE);
}

static bool
has(struct rig *rig, const unsigned char content[SV_CONTENT_SIZE])
{
    struct sv_fault fault;
    unsigned char *bytes;
    size_t size;
    if (!sv_store_scene(rig->store, content, &bytes, &size, &fault)) {
        assert_int_equal(fault.kind, SV_FAULT_MISSING);
        return false;
    }
    free(bytes);
    return true;
}

/* Appends a record, and a checkpoint of it that uses that scene. */
static void
go_on(struct rig *rig, struct sv_trail *trail, const unsigned char content[SV_CONTENT_SIZE])
{
    struct sv_lane *lane = sv_store_lane(rig->store, 0);
    assert_true(sv_lane_append(lane, trail, 10 * (trail->number + 1), 0, 0, "entries", 5) != 0);
    struct sv_checkpoint *made = sv_checkpoint_create(*trail, 10 * trail->number, 77);
    assert_non_null(made);
    sv_checkpoint_add(made, 1, (unsigned char *)strdup("image"), 5);
    memcpy(made->content, content, SV_CONTENT_SIZE);
    assert_true(sv_lane_checkpoint(lane, made) != 0);
    run(rig);
}

/*
 * A world loads new scenes again and again, and is forked from seeds that are not used afterwards.
 */
static void
test_bounded(void **state)
{
    struct rig rig = {.now_ns = 1};
    unsigned char first[SV_CONTENT_SIZE], loaded[SV_CONTENT_SIZE], seed[SV_CONTENT_SIZE];
    uint64_t largest = 0;
    (void)state;
    store_folder_make(&rig.folder);
    open_rig(&rig);
    struct sv_trail trail = sv_store_trail(rig.store, 1, 9);
    assert_true(put(&rig, 1, SV_USE_ALWAYS, 1000, first) != 0);
    assert_true(store_put_charter(sv_store_lane(rig.store, 0), 1, "one"));
    for (int n = 0; n < LOADS; n++) {
        assert_true(put(&rig, 1, trail.number + 1, n, n % 2 == 0 ? loaded : seed) != 0);
        go_on(&rig, &trail, loaded);
        assert_true(has(&rig, loaded));
        assert_true(has(&rig, first));
        uint64_t used = atomic_load(&rig.store->used_size);
        largest = used > largest ? used : largest;
        if (n == LOADS / 2) { /* uses are read again */
            close_rig(&rig);
            open_rig(&rig);
            trail.epoch = rig.store->gate.epoch;
        }
    }
    print_message("journal: %d KiB used at most, file %ld KiB, after %d KiB of scenes\n",
        (int)(largest / 1024), store_file_size(&rig.folder, "journal.db") / 1024,
        (int)(LOADS * SCENE_SIZE / 1024));
    assert_true(largest < HISTORY_SIZE);
    close_rig(&rig);
    assert_true(store_file_size(&rig.folder, "journal.db") < 2 * (long)HISTORY_SIZE);
    store_folder_remove(&rig.folder);
}

/*
 * A scene that several worlds use is removed with the last of them.  A scene of a world without a
 * charter is removed, too.
 */
static void
test_shared(void **state)
{
    struct rig rig = {.now_ns = 1};
    unsigned char shared[SV_CONTENT_SIZE], other[SV_CONTENT_SIZE], nobodys[SV_CONTENT_SIZE];
    (void)state;
    store_folder_make(&rig.folder);
    open_rig(&rig);
    struct sv_lane *lane = sv_store_lane(rig.store, 0);
    assert_true(put(&rig, 1, SV_USE_ALWAYS, 1, shared) != 0);
    assert_true(put(&rig, 2, SV_USE_ALWAYS, 1, shared) != 0);
    assert_true(put(&rig, 2, 7, 2, other) != 0);
    assert_true(put(&rig, 3, SV_USE_ALWAYS, 3, nobodys) != 0);
    assert_true(store_put_charter(lane, 1, "one"));
    assert_true(store_put_charter(lane, 2, "two"));
    run(&rig);
    assert_true(has(&rig, shared) && has(&rig, other) && has(&rig, nobodys));
    close_rig(&rig);
    open_rig(&rig);
    assert_true(has(&rig, shared) && has(&rig, other) && !has(&rig, nobodys));
    lane = sv_store_lane(rig.store, 0);
    assert_true(sv_lane_put_charter(lane, 2, NULL, 0) != 0);
    run(&rig);
    assert_true(has(&rig, shared) && !has(&rig, other));
    assert_true(sv_lane_put_charter(lane, 1, NULL, 0) != 0);
    run(&rig);
    assert_false(has(&rig, shared));
    close_rig(&rig);
    store_folder_remove(&rig.folder);
}

/* A stored scene that was altered is reported as a fault and never returned. */
static void
test_altered(void **state)
{
    struct rig rig = {.now_ns = 1};
    unsigned char content[SV_CONTENT_SIZE], *bytes;
    struct sv_fault fault;
    char path[512];
    sqlite3 *database;
    size_t size;
    (void)state;
    store_folder_make(&rig.folder);
    open_rig(&rig);
    assert_true(put(&rig, 1, SV_USE_ALWAYS, 1, content) != 0);
    assert_true(store_put_charter(sv_store_lane(rig.store, 0), 1, "one"));
    close_rig(&rig);
    snprintf(path, sizeof(path), "%s/journal.db", rig.folder.path);
    assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
    assert_int_equal(sqlite3_exec(database,
                         "UPDATE scenes SET bytes = CAST('other' AS BLOB)", NULL, NULL, NULL),
        SQLITE_OK);
    assert_int_equal(sqlite3_close(database), SQLITE_OK);
    open_rig(&rig);
    assert_false(sv_store_scene(rig.store, content, &bytes, &size, &fault));
    assert_int_equal(fault.kind, SV_FAULT_CRC);
    close_rig(&rig);
    store_folder_remove(&rig.folder);
}

static void
forget_uses(const struct store_folder *folder)
{
    char path[512];
    sqlite3 *database;
    snprintf(path, sizeof(path), "%s/journal.db", folder->path);
    assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(database, "DROP TABLE uses", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(database), SQLITE_OK);
}

/* A folder of a version without uses: the users of its scenes are not known, so they are kept. */
static void
test_old_folder(void **state)
{
    struct rig rig = {.now_ns = 1};
    unsigned char old[SV_CONTENT_SIZE], newer[SV_CONTENT_SIZE];
    (void)state;
    store_folder_make(&rig.folder);
    open_rig(&rig);
    assert_true(put(&rig, 1, 1, 1, old) != 0);
    assert_true(store_put_charter(sv_store_lane(rig.store, 0), 1, "one"));
    run(&rig);
    close_rig(&rig);
    forget_uses(&rig.folder);
    open_rig(&rig);
    assert_true(put(&rig, 2, 1, 1, old) != 0);
    assert_true(put(&rig, 2, 1, 2, newer) != 0);
    assert_true(store_put_charter(sv_store_lane(rig.store, 0), 2, "two"));
    run(&rig);
    assert_true(has(&rig, old) && has(&rig, newer));
    assert_true(sv_lane_put_charter(sv_store_lane(rig.store, 0), 2, NULL, 0) != 0);
    run(&rig);
    assert_true(has(&rig, old) && !has(&rig, newer));
    close_rig(&rig);
    store_folder_remove(&rig.folder);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bounded),
        cmocka_unit_test(test_shared),
        cmocka_unit_test(test_altered),
        cmocka_unit_test(test_old_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
