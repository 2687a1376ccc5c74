/*
 * test_scrub.c: damage at rest is found by name, in every kind of stored data.  Data that the
 * store removes meanwhile is not damage, and a working store repairs what it can.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "tests/support/server/store_folder.h"

#include "server/store/check/scrub.h"
#include "server/store/history.h"
#include "server/store/store_inside.h"

#include <sqlite3.h>

#define RECORDS 40
#define IMAGE_SIZE 200000 /* several blocks */

static uint64_t now_ns;

struct found {
    int count;
    enum sv_find_kind kind;
    uint64_t world, number;
    char text[SV_FAULT_TEXT_SIZE];
};

static void
note(void *context, const struct sv_find *find)
{
    struct found *found = context;
    found->count++;
    found->kind = find->kind;
    found->world = find->world;
    found->number = find->number;
    snprintf(found->text, sizeof(found->text), "%s", find->fault->text);
}

static struct sv_store *
open_store(const struct store_folder *folder, struct sv_disk_real *disk, uint64_t scrub_ms)
{
    struct sv_fault fault;
    struct sv_store_config config = store_folder_config(folder, disk);
    config.clock = sv_clock_simulated(&now_ns);
    config.lane_size = 8 << 20;
    config.history_size = UINT64_MAX;
    config.past_ms = UINT32_MAX;
    config.past_size = UINT64_MAX;
    config.scrub_ms = scrub_ms;
    struct sv_store *store = sv_store_open(&config, &fault);
    if (store == NULL) {
        fail_msg("%s", fault.text);
    }
    return store;
}

static void
commit(struct sv_store *store)
{
    while (sv_store_commit_now(store) || sv_store_keep_one(store)) {
    }
}

static void
add_record(struct sv_store *store, struct sv_trail *trail)
{
    unsigned char entries[500];
    memset(entries, (int)trail->number, sizeof(entries));
    assert_true(sv_lane_append(sv_store_lane(store, 0), trail, trail->number, 0, 0, entries,
                    sizeof(entries)) != 0);
}

static void
add_checkpoint(struct sv_store *store, const struct sv_trail *trail)
{
    struct sv_checkpoint *checkpoint = sv_checkpoint_create(*trail, trail->number, 5);
    unsigned char *image = malloc(IMAGE_SIZE);
    assert_non_null(image);
    memset(image, (int)trail->number, IMAGE_SIZE);
    sv_checkpoint_add(checkpoint, 1, image, IMAGE_SIZE);
    checkpoint->age_ms = trail->number * 1000;
    assert_true(sv_lane_checkpoint(sv_store_lane(store, 0), checkpoint) != 0);
    commit(store);
}

/* Fills a world with a scene and records, and makes a checkpoint after every tenth record. */
static void
fill(struct sv_store *store, struct sv_trail *trail)
{
    unsigned char content[SV_CONTENT_SIZE];
    struct sv_lane *lane = sv_store_lane(store, 0);
    sv_content_hash(content, "a scene", 7);
    assert_true(sv_lane_put_scene(lane, 1, SV_USE_ALWAYS, content,
                    (unsigned char *)strdup("a scene"), 7) != 0);
    assert_true(store_put_charter(lane, 1, "first"));
    *trail = sv_store_trail(store, 1, 9);
    for (int i = 1; i <= RECORDS; i++) {
        add_record(store, trail);
        commit(store);
        if (i % 10 == 0) {
            add_checkpoint(store, trail);
        }
    }
}

/* Scrubs the whole folder, in steps of `step_bytes` bytes. */
static struct found
scrub(struct sv_store *store, uint64_t step_bytes)
{
    struct found found = {0};
    struct sv_fault fault;
    struct sv_scrub scrub = {.disk = &store->config.disk,
        .folder = store->config.folder,
        .journal = &store->journal,
        .tell = note,
        .context = &found};
    assert_true(sv_scrub_begin(&scrub, &fault));
    while (sv_scrub_step(&scrub, step_bytes)) {
    }
    assert_true(scrub.done_bytes > 4 * IMAGE_SIZE + RECORDS * 500);
    assert_int_equal(scrub.find_count, found.count);
    sv_scrub_end(&scrub);
    return found;
}

/* Runs SQL on the folder's journal behind the store's back, to stand for a broken device. */
static void
alter(const struct store_folder *folder, const char *text)
{
    char path[1024], *error = NULL;
    sqlite3 *connection;
    snprintf(path, sizeof(path), "%s/journal.db", folder->path);
    assert_int_equal(sqlite3_open(path, &connection), SQLITE_OK);
    if (sqlite3_exec(connection, text, NULL, NULL, &error) != SQLITE_OK) {
        fail_msg("%s: %s", text, error);
    }
    sqlite3_close(connection);
}

static void
test_nothing_damaged(void **state)
{
    static const uint64_t steps[] = {1, 1000, 1 << 20, 1 << 30};
    struct store_folder folder;
    struct sv_disk_real disk;
    struct sv_trail trail;
    (void)state;
    store_folder_make(&folder);
    struct sv_store *store = open_store(&folder, &disk, 0);
    fill(store, &trail);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(scrub(store, steps[i]).count, 0);
    }
    sv_store_abandon(store);
    store_folder_remove(&folder);
}

/*
 * A scrub finds a flipped bit in each part of a checkpoint's file, a short file and a missing one.
 */
static void
test_checkpoints(void **state)
{
    struct store_folder folder;
    struct sv_disk_real disk;
    struct sv_trail trail;
    char path[1024];
    (void)state;
    store_folder_make(&folder);
    struct sv_store *store = open_store(&folder, &disk, 0);
    fill(store, &trail);
    long size = store_file_size(&folder, "world-1-20.ckpt");
    for (long at = 0; at <= size; at += at < 200 ? 13 : 9973) {
        long offset = at < size - 1 ? at : size - 1;
        store_flip(&folder, "world-1-20.ckpt", offset, (int)(at % 8));
        struct found found = scrub(store, 1 << 20);
        assert_int_equal(found.count, 1);
        assert_int_equal(found.kind, SV_FIND_CHECKPOINT);
        assert_int_equal(found.world, 1);
        assert_int_equal(found.number, 20);
        assert_non_null(strstr(found.text, "world-1-20.ckpt"));
        store_flip(&folder, "world-1-20.ckpt", offset, (int)(at % 8));
    }
    assert_int_equal(scrub(store, 1 << 20).count, 0);
    snprintf(path, sizeof(path), "%s/world-1-30.ckpt", folder.path);
    assert_int_equal(truncate(path, size - 1), 0);
    assert_int_equal(scrub(store, 1 << 20).number, 30);
    assert_int_equal(unlink(path), 0);
    struct found found = scrub(store, 1 << 20);
    assert_int_equal(found.count, 1);
    assert_non_null(strstr(found.text, "E_MISSING"));
    /* The file has one surplus byte and no other damage. */
    snprintf(path, sizeof(path), "%s/world-1-10.ckpt", folder.path);
    assert_int_equal(truncate(path, store_file_size(&folder, "world-1-10.ckpt") + 1), 0);
    found = scrub(store, 1 << 20);
    assert_int_equal(found.count, 2);
    assert_non_null(strstr(found.text, "world-1-30"));
    sv_store_abandon(store);
    store_folder_remove(&folder);
}

static void
test_journal(void **state)
{
    static const struct {
        const char *text;
        enum sv_find_kind kind;
        uint64_t number;
    } cases[] = {
        {"UPDATE commits SET records = zeroblob(length(records)) WHERE number = 7",
            SV_FIND_COMMIT, 7},
        {"UPDATE commits SET chain = chain + 1 WHERE number = 9", SV_FIND_COMMIT, 9},
        {"UPDATE commits SET epoch = epoch + 1 WHERE number = 11", SV_FIND_COMMIT, 11},
        {"DELETE FROM commits WHERE number = 13", SV_FIND_COMMIT, 14},
        {"UPDATE scenes SET bytes = 'a scenf'", SV_FIND_SCENE, 0},
        {"DELETE FROM scenes", SV_FIND_SCENE, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct store_folder folder;
        struct sv_disk_real disk;
        struct sv_trail trail;
        store_folder_make(&folder);
        struct sv_store *store = open_store(&folder, &disk, 0);
        fill(store, &trail);
        alter(&folder, cases[i].text);
        struct found found = scrub(store, 3000);
        assert_true(found.count >= 1 && found.count <= 2); /* maybe the next commit's chain */
        assert_int_equal(found.kind, cases[i].kind);
        assert_in_range(found.number, cases[i].number, cases[i].number + 1);
        sv_store_abandon(store);
        store_folder_remove(&folder);
    }
}

/* A store at work may remove files and commits while a scrub reads them. That is no damage. */
static void
test_let_go_meanwhile(void **state)
{
    struct store_folder folder;
    struct sv_disk_real disk;
    struct sv_trail trail;
    struct found found = {0};
    struct sv_fault fault;
    (void)state;
    store_folder_make(&folder);
    struct sv_store *store = open_store(&folder, &disk, 0);
    fill(store, &trail);
    struct sv_scrub scrub = {.disk = &store->config.disk,
        .folder = store->config.folder,
        .journal = &store->journal,
        .tell = note,
        .context = &found};
    assert_true(sv_scrub_begin(&scrub, &fault));
    assert_true(sv_scrub_step(&scrub, 1000)); /* lists the files and opens the first one */
    assert_true(sv_lane_put_charter(sv_store_lane(store, 0), 1, NULL, 0) != 0);
    commit(store);
    assert_int_equal(store_file_size(&folder, "world-1-40.ckpt"), -1);
    while (scrub.phase == SV_SCRUB_CHECKPOINTS || scrub.read_commit < 5) {
        assert_true(sv_scrub_step(&scrub, 100));
    }
    alter(&folder, "DELETE FROM commits WHERE number < 20");
    while (sv_scrub_step(&scrub, 100)) {
    }
    sv_scrub_end(&scrub);
    assert_int_equal(found.count, 0);
    sv_store_abandon(store);
    store_folder_remove(&folder);
}

static void
run_keeper(struct sv_store *store, int duration_s)
{
    for (int i = 0; i < duration_s * 10; i++) {
        now_ns += 100000000;
        (void)sv_store_run_journal(store);
        (void)sv_store_run_keeper(store);
    }
}

/* Whether the store asks the world for a fresh checkpoint. */
static bool
is_asked(struct sv_store *store, uint64_t world)
{
    uint64_t worlds[SV_STORE_STALE_MAX];
    int count = sv_store_stale(store, worlds);
    for (int i = 0; i < count; i++) {
        if (worlds[i] == world) {
            return true;
        }
    }
    return false;
}

/*
 * In a store at work, the first pass starts soon and the next one after the period. A pass does not
 * exceed its rate.
 */
static void
test_at_work(void **state)
{
    struct store_folder folder;
    struct sv_disk_real disk;
    struct sv_trail trail;
    (void)state;
    now_ns = UINT64_C(1000000000);
    store_folder_make(&folder);
    struct sv_store *store = open_store(&folder, &disk, 600000);
    fill(store, &trail);
    run_keeper(store, 59);
    assert_int_equal(sv_store_figures(store).scrub_bytes, 0);
    run_keeper(store, 5);
    assert_int_equal(sv_store_figures(store).scrub_passes, 1);
    assert_int_equal(sv_store_figures(store).scrub_finds, 0);
    run_keeper(store, 590);
    assert_int_equal(sv_store_figures(store).scrub_passes, 1);
    store_flip(&folder, "world-1-30.ckpt", 70000, 3);
    run_keeper(store, 20);
    struct sv_store_figures figures = sv_store_figures(store);
    assert_int_equal(figures.scrub_passes, 2);
    assert_int_equal(figures.scrub_finds, 1);
    assert_int_equal(figures.scrub_damaged, 1);
    assert_true(is_asked(store, 1));
    assert_false(is_asked(store, 1)); /* asks only once */
    /* The world writes the checkpoint asked for; then only the damaged one is removed. */
    add_record(store, &trail);
    add_checkpoint(store, &trail);
    assert_int_equal(sv_store_figures(store).scrub_mended, 1);
    assert_int_equal(store_file_size(&folder, "world-1-30.ckpt"), -1);
    assert_true(store_file_size(&folder, "world-1-40.ckpt") > 0);
    assert_true(store_file_size(&folder, "world-1-41.ckpt") > 0);
    struct sv_manifest *list;
    assert_int_equal(sv_store_history(store, 1, &list), 4);
    free(list);
    run_keeper(store, 620);
    assert_int_equal(sv_store_figures(store).scrub_passes, 3);
    assert_int_equal(sv_store_figures(store).scrub_damaged, 0);
    sv_store_abandon(store);
    store_folder_remove(&folder);
}

/*
 * A commit is damaged, so a restart would refuse the folder.  The store asks each world for two
 * checkpoints.  After them the folder can be opened and the world recovered.
 */
static void
test_way_around(void **state)
{
    struct store_folder folder;
    struct sv_disk_real disk;
    struct sv_trail trail;
    struct sv_fault fault;
    (void)state;
    now_ns = UINT64_C(1000000000);
    store_folder_make(&folder);
    struct sv_store *store = open_store(&folder, &disk, 600000);
    fill(store, &trail);
    alter(&folder, "UPDATE commits SET records = zeroblob(length(records)) WHERE number ="
                   " (SELECT max(number) - 1 FROM commits)");
    run_keeper(store, 70);
    assert_true(sv_store_figures(store).scrub_finds >= 1);
    for (int i = 0; i < 2; i++) {
        assert_true(is_asked(store, 1));
        assert_false(is_asked(store, 1));
        add_record(store, &trail);
        add_checkpoint(store, &trail);
        run_keeper(store, 6);
    }
    assert_false(is_asked(store, 1));
    assert_true(sv_store_close(store, &fault));
    store = open_store(&folder, &disk, 0);
    const struct sv_checkpoint *checkpoint;
    struct sv_recovery *recovery = sv_recovery_begin(store, 1, &checkpoint, &fault);
    assert_non_null(recovery);
    assert_int_equal(checkpoint->trail.number, trail.number);
    sv_recovery_end(recovery);
    sv_store_abandon(store);
    store_folder_remove(&folder);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_damaged),
        cmocka_unit_test(test_checkpoints),
        cmocka_unit_test(test_journal),
        cmocka_unit_test(test_let_go_meanwhile),
        cmocka_unit_test(test_at_work),
        cmocka_unit_test(test_way_around),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
