/*
 * test_notes.c: notes come back as they were put, all of one put or none, and damage is found.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "server/store/format/note.h"
#include "server/store/store_inside.h"
#include "tests/support/server/store_folder.h"

#include <sqlite3.h>

struct rig {
    struct store_folder folder;
    struct sv_disk_real disk;
    struct sv_store *store;
    uint64_t now_ns;
    char seen[512]; /* "number=bytes;" of each visited note */
};

static void
open_rig(struct rig *rig)
{
    struct sv_fault fault;
    struct sv_store_config config = store_folder_config(&rig->folder, &rig->disk);
    config.clock = sv_clock_simulated(&rig->now_ns);
    rig->store = sv_store_open(&config, &fault);
    if (rig->store == NULL) {
        fail_msg("%s", fault.text);
    }
}

static bool
see(void *context, const struct sv_note *note)
{
    struct rig *rig = context;
    size_t used = strlen(rig->seen);
    snprintf(rig->seen + used, sizeof(rig->seen) - used, "%u=%.*s;", (unsigned)note->number,
        (int)note->size, (const char *)note->bytes);
    return true;
}

static const char *
seen(struct rig *rig, uint32_t shelf)
{
    struct sv_fault fault;
    rig->seen[0] = '\0';
    if (!sv_store_notes(rig->store, shelf, see, rig, &fault)) {
        fail_msg("%s", fault.text);
    }
    return rig->seen;
}

static uint64_t
put(struct rig *rig, uint32_t shelf, uint64_t number, const char *text)
{
    const struct sv_note note = {.shelf = shelf,
        .number = number,
        .bytes = text,
        .size = text != NULL ? strlen(text) : 0};
    uint64_t ticket = sv_lane_put_notes(sv_store_lane(rig->store, 0), &note, 1);
    assert_true(ticket > 0);
    return ticket;
}

static void
commit(struct rig *rig)
{
    rig->now_ns += SV_STORE_PERIOD_NS;
    (void)sv_store_run_journal(rig->store);
}

/* A process that dies loses what is not committed, and nothing else. */
static void
reopen(struct rig *rig)
{
    sv_store_abandon(rig->store);
    open_rig(rig);
}

static void
test_kept(void **state)
{
    (void)state;
    struct rig rig = {0};
    store_folder_make(&rig.folder);
    open_rig(&rig);
    uint64_t ticket = put(&rig, 2, 7, "seven");
    put(&rig, 2, 3, "three");
    put(&rig, 3, 7, "other shelf");
    put(&rig, 2, 9, "");
    assert_true(sv_lane_durable(sv_store_lane(rig.store, 0)) < ticket);
    commit(&rig);
    assert_true(sv_lane_durable(sv_store_lane(rig.store, 0)) >= ticket);
    put(&rig, 2, 4, "lost");
    reopen(&rig);
    assert_string_equal(seen(&rig, 2), "3=three;7=seven;9=;");
    assert_string_equal(seen(&rig, 3), "7=other shelf;");
    assert_string_equal(seen(&rig, 1), "");
    assert_string_equal(seen(&rig, 4), "");
    put(&rig, 2, 7, "again");
    put(&rig, 2, 3, NULL);
    put(&rig, 2, 100, NULL);
    commit(&rig);
    reopen(&rig);
    assert_string_equal(seen(&rig, 2), "7=again;9=;");
    struct sv_fault fault;
    assert_true(sv_store_close(rig.store, &fault));
    open_rig(&rig);
    assert_string_equal(seen(&rig, 2), "7=again;9=;");
    sv_store_abandon(rig.store);
    store_folder_remove(&rig.folder);
}

/* Notes of one put are in one commit, also when the lane has little room. */
static void
test_together(void **state)
{
    (void)state;
    struct rig rig = {0};
    char large[2000];
    memset(large, 'x', sizeof(large));
    store_folder_make(&rig.folder);
    open_rig(&rig);
    const struct sv_note notes[] = {{.shelf = 2, .number = 1, .bytes = "room", .size = 4},
        {.shelf = 3, .number = 1, .bytes = large, .size = sizeof(large)},
        {.shelf = 3, .number = 2, .bytes = "b", .size = 1}};
    assert_true(sv_lane_put_notes(sv_store_lane(rig.store, 0), notes, 3) > 0);
    reopen(&rig);
    assert_string_equal(seen(&rig, 2), "");
    assert_string_equal(seen(&rig, 3), "");
    assert_true(sv_lane_put_notes(sv_store_lane(rig.store, 0), notes, 3) > 0);
    commit(&rig);
    reopen(&rig);
    assert_string_equal(seen(&rig, 2), "1=room;");
    assert_int_equal(strlen(seen(&rig, 3)), sizeof(rig.seen) - 1); /* cut by the test's buffer */
    sv_store_abandon(rig.store);
    store_folder_remove(&rig.folder);
}

/* On a full disk notes wait, and removals are taken: they make room. */
static void
test_full(void **state)
{
    (void)state;
    struct rig rig = {0};
    store_folder_make(&rig.folder);
    open_rig(&rig);
    const struct sv_note made = {.shelf = 2, .number = 1, .bytes = "a", .size = 1};
    const struct sv_note gone[] = {{.shelf = 2, .number = 1}, {.shelf = 3, .number = 1}};
    const struct sv_note mixed[] = {gone[0], made};
    struct sv_lane *lane = sv_store_lane(rig.store, 0);
    atomic_store(&rig.store->gate.state, SV_STORE_READ_ONLY);
    assert_int_equal(sv_lane_put_notes(lane, &made, 1), 0);
    assert_int_equal(sv_lane_put_notes(lane, mixed, 2), 0);
    assert_true(sv_lane_put_notes(lane, gone, 2) > 0);
    atomic_store(&rig.store->gate.state, SV_STORE_FAILED);
    assert_int_equal(sv_lane_put_notes(lane, gone, 2), 0);
    sv_store_abandon(rig.store);
    store_folder_remove(&rig.folder);
}

static bool
ignore(void *context, const struct sv_note *note)
{
    (void)note;
    return ++*(int *)context > 0;
}

static void
run_sql(const struct rig *rig, const char *sql)
{
    char path[512];
    sqlite3 *connection;
    snprintf(path, sizeof(path), "%s/journal.db", rig->folder.path);
    assert_int_equal(sqlite3_open(path, &connection), SQLITE_OK);
    assert_int_equal(sqlite3_exec(connection, sql, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(connection), SQLITE_OK);
}

/* A changed row, and one that was moved to another number, are faults that name the note. */
static void
test_damage(void **state)
{
    (void)state;
    static const char *const wrongs[] = {
        "UPDATE notes SET bytes = bytes || x'00' WHERE number = 5",
        "UPDATE notes SET number = 5 WHERE number = 6",
        "UPDATE notes SET bytes = x'00' WHERE number = 5",
        "UPDATE notes SET shelf = 2, number = 5 WHERE shelf = 3"};
    for (size_t i = 0; i < sizeof(wrongs) / sizeof(wrongs[0]); i++) {
        struct rig rig = {0};
        struct sv_fault fault;
        int count = 0;
        store_folder_make(&rig.folder);
        open_rig(&rig);
        put(&rig, 2, 4, "four");
        put(&rig, i == 1 ? 2 : i == 3 ? 3 : 2, i == 1 ? 6 : 5, "five");
        commit(&rig);
        assert_true(sv_store_close(rig.store, &fault));
        run_sql(&rig, wrongs[i]);
        open_rig(&rig);
        assert_false(sv_store_notes(rig.store, 2, ignore, &count, &fault));
        assert_int_equal(fault.kind, SV_FAULT_CRC);
        assert_non_null(strstr(fault.text, "note 5 of shelf 2 is damaged"));
        assert_int_equal(count, 1);
        sv_store_abandon(rig.store);
        store_folder_remove(&rig.folder);
    }
}

/* A folder from before notes gets their table, and one of this version keeps its rows. */
static void
test_older_folder(void **state)
{
    (void)state;
    struct rig rig = {0};
    struct sv_fault fault;
    store_folder_make(&rig.folder);
    open_rig(&rig);
    assert_true(sv_store_close(rig.store, &fault));
    run_sql(&rig, "DROP TABLE notes");
    open_rig(&rig);
    assert_string_equal(seen(&rig, 2), "");
    put(&rig, 2, 1, "one");
    commit(&rig);
    reopen(&rig);
    assert_string_equal(seen(&rig, 2), "1=one;");
    sv_store_abandon(rig.store);
    store_folder_remove(&rig.folder);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kept),
        cmocka_unit_test(test_together), cmocka_unit_test(test_full),
        cmocka_unit_test(test_damage), cmocka_unit_test(test_older_folder)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
