/*
 * Damage to a store's files on a real disk: a log that is bad in its middle is refused, one with a
 * torn tail is not; every other damage is named, and nothing is ever removed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "server/store/journal/sentry.h"
#include "server/store/store.h"
#include "tests/support/server/store_folder.h"

#include <time.h>

#define COMMITS 12
#define FRAME_SIZE (24 + 4096)

/* A store of a process that died, with its commits in the log only; returns the log's size. */
static long
make(struct store_folder *folder, bool is_merged, int commits)
{
    struct sv_disk_real disk;
    struct sv_fault fault;
    store_folder_make(folder);
    struct sv_store_config config = store_folder_config(folder, &disk);
    config.spacing_ns = 1;
    struct sv_store *store = sv_store_open(&config, &fault);
    assert_non_null(store);
    struct sv_lane *lane = sv_store_lane(store, 0);
    struct sv_trail trail = sv_store_trail(store, 1, 9);
    assert_true(store_put_charter(lane, 1, "a charter"));
    if (is_merged) {
        sv_store_run_keeper(store);
    }
    for (int i = 0; i < commits; i++) {
        char entries[2000];
        memset(entries, 'a' + i, sizeof(entries));
        assert_true(sv_lane_append(lane, &trail, 1, 0, 0, entries, sizeof(entries)) != 0);
        sv_lane_flush(lane);
        sv_store_run_journal(store);
    }
    if (is_merged) {
        assert_true(sv_store_close(store, &fault));
    } else {
        sv_store_abandon(store);
    }
    return store_file_size(folder, "journal.db-wal");
}

/* Opens the store and reads world 1: returns the fault's kind, and the number of its records. */
static enum sv_fault_kind
look(const struct store_folder *folder, int *count, char *text)
{
    struct sv_disk_real disk;
    struct sv_fault fault;
    struct sv_store_config config = store_folder_config(folder, &disk);
    struct sv_store *store = sv_store_open(&config, &fault);
    const struct sv_checkpoint *checkpoint;
    *count = 0;
    if (store != NULL && sv_store_world_count(store) > 0) {
        struct sv_record record;
        struct sv_recovery *recovery = sv_recovery_begin(store, 1, &checkpoint, &fault);
        assert_non_null(recovery);
        while (sv_recovery_next(recovery, &record, &fault) == SV_RECOVERY_RECORD) {
            (*count)++;
        }
        sv_recovery_end(recovery);
    }
    sv_store_abandon(store);
    strcpy(text, fault.text);
    return fault.kind;
}

static void
test_whole_and_torn_logs(void **state)
{
    struct store_folder folder;
    char text[SV_FAULT_TEXT_SIZE], path[1024];
    int count;
    (void)state;
    long size = make(&folder, false, COMMITS);
    assert_true(size > 32 + COMMITS * FRAME_SIZE);
    assert_int_equal(look(&folder, &count, text), SV_FAULT_NONE);
    assert_int_equal(count, COMMITS);
    store_folder_remove(&folder);
    for (long cut = 1; cut <= 2 * FRAME_SIZE; cut += 777) { /* the last commit has 2 or 3 frames */
        assert_int_equal(make(&folder, false, COMMITS), size);
        snprintf(path, sizeof(path), "%s/journal.db-wal", folder.path);
        assert_int_equal(truncate(path, size - cut), 0);
        assert_int_equal(look(&folder, &count, text), SV_FAULT_NONE);
        assert_int_equal(count, COMMITS - 1);
        store_folder_remove(&folder);
    }
}

/* Another commit of many pages, then the process dies; returns the log's size. */
static long
add_large(const struct store_folder *folder)
{
    struct sv_disk_real disk;
    struct sv_fault fault;
    struct sv_store_config config = store_folder_config(folder, &disk);
    unsigned char content[SV_CONTENT_SIZE], *bytes = calloc(1, 32768);
    config.spacing_ns = 1;
    struct sv_store *store = sv_store_open(&config, &fault);
    assert_non_null(store);
    assert_non_null(bytes);
    struct sv_lane *lane = sv_store_lane(store, 0);
    sv_content_hash(content, bytes, 32768);
    assert_true(sv_lane_put_scene(lane, 1, SV_USE_ALWAYS, content, bytes, 32768) != 0);
    sv_lane_flush(lane);
    sv_store_run_journal(store);
    sv_store_abandon(store);
    return store_file_size(folder, "journal.db-wal");
}

/*
 * The power is cut while a commit of many frames is flushed.  It is cut again while the next start
 * writes its first commit over the same place.  The rest after that is not a later commit.
 */
static void
test_torn_twice(void **state)
{
    struct store_folder folder;
    char text[SV_FAULT_TEXT_SIZE];
    int count;
    (void)state;
    make(&folder, false, COMMITS);
    assert_int_equal(look(&folder, &count, text), SV_FAULT_NONE);
    long before = store_file_size(&folder, "journal.db-wal");
    long size = add_large(&folder); /* first one frame, and many after it */
    assert_true(size > before + 8 * FRAME_SIZE);
    long torn = before + FRAME_SIZE;
    store_flip(&folder, "journal.db-wal", torn + 24 + 100, 3);
    assert_int_equal(look(&folder, &count, text), SV_FAULT_NONE);
    assert_int_equal(count, COMMITS);
    long now = store_file_size(&folder, "journal.db-wal");
    assert_true(now >= 32 + FRAME_SIZE);
    store_flip(&folder, "journal.db-wal", (now < size ? now - FRAME_SIZE : torn) + 24 + 100, 3);
    enum sv_fault_kind kind = look(&folder, &count, text);
    if (kind != SV_FAULT_NONE) {
        print_message("%s\n", text);
    }
    assert_int_equal(kind, SV_FAULT_NONE);
    assert_int_equal(count, COMMITS);
    store_folder_remove(&folder);
}

/* A flipped bit before the last commit is refused; SQLite alone would silently drop commits. */
static void
test_damaged_logs(void **state)
{
    char text[SV_FAULT_TEXT_SIZE], named[64];
    int count;
    (void)state;
    struct store_folder folder;
    long size = make(&folder, false, COMMITS), frames = (size - 32) / FRAME_SIZE;
    store_folder_remove(&folder);
    for (long at = 5, step = 0; at < size - 7 * FRAME_SIZE; at += 4700 + step, step = 1 - step) {
        make(&folder, false, COMMITS);
        store_flip(&folder, "journal.db-wal", at, (int)(at % 8));
        assert_int_equal(look(&folder, &count, text), SV_FAULT_WAL_DAMAGED);
        assert_int_equal(count, 0);
        assert_int_equal(sv_fault_exit_code(SV_FAULT_WAL_DAMAGED), 3);
        snprintf(named, sizeof(named), "frame %ld of %ld is damaged",
            at < 32 ? 1 : 1 + (at - 32) / FRAME_SIZE, frames);
        assert_non_null(strstr(text, named));
        assert_int_equal(store_file_size(&folder, "journal.db-wal"), size);
        assert_int_equal(store_file_size(&folder, "damaged-journal.db-wal"), size);
        /* A second opening refuses it, too. */
        assert_int_equal(look(&folder, &count, text), SV_FAULT_WAL_DAMAGED);
        store_folder_remove(&folder);
    }
}

/* A log without its end looks complete, but the watermark knows of later commits. */
static void
test_short_journals(void **state)
{
    struct store_folder folder;
    struct sv_disk_real disk;
    struct sv_fault fault;
    char text[SV_FAULT_TEXT_SIZE], path[1024];
    int count;
    (void)state;
    make(&folder, false, COMMITS);
    struct sv_store_config config = store_folder_config(&folder, &disk);
    struct sv_store *store = sv_store_open(&config, &fault);
    assert_non_null(store);
    sv_store_run_keeper(store); /* the mark, and a merge */
    sv_store_abandon(store);
    assert_int_equal(look(&folder, &count, text), SV_FAULT_NONE);
    snprintf(path, sizeof(path), "%s/journal.db", folder.path);
    char aside[1100];
    snprintf(aside, sizeof(aside), "%s.aside", path);
    assert_int_equal(rename(path, aside), 0);
    assert_int_equal(look(&folder, &count, text), SV_FAULT_JOURNAL_SHORT);
    assert_non_null(strstr(text, "journal.db is gone"));
    assert_int_equal(rename(aside, path), 0);
    store_folder_remove(&folder);

    make(&folder, true, COMMITS); /* closed in order: everything is merged, and marked */
    snprintf(path, sizeof(path), "%s/watermark", folder.path);
    snprintf(aside, sizeof(aside), "%s.aside", path);
    assert_int_equal(rename(path, aside), 0);
    struct store_folder other;
    make(
        &other, false, COMMITS - 2); /* another journal with fewer commits, and this one's mark */
    char target[1100];
    snprintf(target, sizeof(target), "%s/watermark", other.path);
    assert_int_equal(rename(aside, target), 0);
    assert_int_equal(look(&other, &count, text), SV_FAULT_JOURNAL_SHORT);
    assert_non_null(strstr(text, "watermark has seen commit 12"));
    store_folder_remove(&other);
    store_folder_remove(&folder);
}

/* Whether this byte is in a record's entries, which are runs of one letter. */
static bool
is_entry(const struct store_folder *folder, long at)
{
    char path[1024];
    unsigned char bytes[3] = {0};
    snprintf(path, sizeof(path), "%s/journal.db", folder->path);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    bool is_read = at > 0 && fseek(file, at - 1, SEEK_SET) == 0 && fread(bytes, 3, 1, file) == 1;
    fclose(file);
    return is_read && bytes[0] == bytes[1] && bytes[1] == bytes[2] && bytes[1] >= 'a' &&
           bytes[1] < 'a' + COMMITS;
}

/*
 * A flipped bit in the database, whose pages have no checksums.  In a record it is refused.
 * Elsewhere it may be in free space, or in a page that is not needed; then all data must be
 * readable.
 */
static void
test_damaged_database(void **state)
{
    struct store_folder folder;
    char text[SV_FAULT_TEXT_SIZE];
    int count, entries = 0;
    (void)state;
    make(&folder, true, COMMITS);
    long size = store_file_size(&folder, "journal.db");
    for (long at = 0; at < size; at += 997) {
        bool is_kept = is_entry(&folder, at);
        store_flip(&folder, "journal.db", at, (int)(at % 7));
        enum sv_fault_kind kind = look(&folder, &count, text);
        if (kind == SV_FAULT_NONE) {
            assert_int_equal(count, COMMITS);
        } else {
            entries += is_kept ? 1 : 0;
            assert_true(kind == SV_FAULT_CRC || kind == SV_FAULT_CHAIN || kind == SV_FAULT_SCHEMA ||
                        kind == SV_FAULT_JOURNAL_SHORT);
            assert_non_null(strstr(text, "journal"));
            assert_int_equal(store_file_size(&folder, "journal.db"), size);
        }
        store_folder_remove(&folder);
        make(&folder, true, COMMITS);
    }
    assert_in_range(entries, 23, 26); /* every 997th of 24,000 */
    store_folder_remove(&folder);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_and_torn_logs),
        cmocka_unit_test(test_torn_twice),
        cmocka_unit_test(test_damaged_logs),
        cmocka_unit_test(test_short_journals),
        cmocka_unit_test(test_damaged_database),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
