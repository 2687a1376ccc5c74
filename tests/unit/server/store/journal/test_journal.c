/*
 * The journal in SQLite beside its twin in memory: the same rows go into both, and after each
 * commit both stand at the same place and show the same rows.  Now and then the disk is full, at
 * any of its calls; then nothing of the commit is kept, and the same rows go in again.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "server/store/journal/journal_memory.h"
#include "tests/support/server/disk_vfs.h"

#include <stdlib.h>
#include <string.h>

#define FOLDER "data"
#define COMMITS 1500
#define ROWS_MAX 8
#define SHOWN_MAX 4096
#define WORLDS 5
#define CONTENTS 12

struct made_row {
    struct sv_row row;
    unsigned char content[32], bytes[600];
    bool is_prune;
    uint64_t below;
    int count_max;
};

struct rig {
    struct sv_disk_sim disk;
    struct sv_journal_memory memory;
    struct sv_journal sqlite, twin;
    struct sv_journal_head sqlite_head, twin_head;
    struct made_row rows[ROWS_MAX];
    int row_count;
    uint64_t random;
    int full, pruned;
    bool is_ending;
};

static uint64_t
draw(struct rig *rig, uint64_t end)
{
    rig->random = rig->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (rig->random >> 33) % end;
}

static void
assert_head(const struct rig *rig)
{
    const struct sv_journal_head *a = &rig->sqlite_head, *b = &rig->twin_head;
    assert_int_equal(a->commit, b->commit);
    assert_int_equal(a->chain, b->chain);
    assert_int_equal(a->epoch, b->epoch);
    assert_int_equal(a->first_commit, b->first_commit);
}

/* The rows that a scan shows, as bytes. */
struct shown {
    unsigned char *bytes;
    size_t size;
    int count, most;
};

static bool
show(void *context, const struct sv_row *row)
{
    struct shown *shown = context;
    uint64_t numbers[3] = {row->world, row->number, row->size};
    if (row->kind == SV_ROW_RECORDS) {
        numbers[0] = (uint64_t)row->chain << 32 | row->epoch;
    } else if (row->kind == SV_ROW_SCENE) {
        numbers[0] = numbers[1] = 0; /* found by its content alone */
    } else if (row->kind == SV_ROW_CHARTER) {
        numbers[1] = 0;
    }
    shown->bytes = realloc(shown->bytes, shown->size + sizeof(numbers) + row->size);
    assert_non_null(shown->bytes);
    memcpy(shown->bytes + shown->size, numbers, sizeof(numbers));
    memcpy(shown->bytes + shown->size + sizeof(numbers), row->bytes, row->size);
    shown->size += sizeof(numbers) + row->size;
    return ++shown->count < shown->most;
}

static void
assert_scan(struct rig *rig, enum sv_row_kind kind, uint64_t from, const unsigned char *content)
{
    struct sv_fault fault;
    struct shown a = {.most = 1 + (int)draw(rig, SHOWN_MAX)}, b = {.most = a.most};
    assert_true(
        rig->sqlite.scan(rig->sqlite.context, kind, from, content, show, &a, &fault));
    assert_true(rig->twin.scan(rig->twin.context, kind, from, content, show, &b, &fault));
    assert_int_equal(a.count, b.count);
    assert_int_equal(a.size, b.size);
    assert_memory_equal(a.bytes, b.bytes, a.size);
    free(a.bytes);
    free(b.bytes);
}

/* The last record of each world that uses a scene; it covers uses by earlier records. */
struct uses {
    uint64_t number[WORLDS + 1][CONTENTS];
};

static bool
note_use(void *context, const struct sv_row *row)
{
    struct uses *uses = context;
    const unsigned char *content = row->content != NULL ? row->content : row->bytes;
    assert_in_range(row->world, 1, WORLDS);
    assert_in_range(content[0], 0, CONTENTS - 1);
    uint64_t *number = &uses->number[row->world][content[0]];
    *number = row->number > *number ? row->number : *number;
    return true;
}

static void
assert_uses(struct rig *rig)
{
    struct sv_fault fault;
    struct uses a = {0}, b = {0};
    assert_true(
        rig->sqlite.scan(rig->sqlite.context, SV_ROW_USE, 0, NULL, note_use, &a, &fault));
    assert_true(rig->twin.scan(rig->twin.context, SV_ROW_USE, 0, NULL, note_use, &b, &fault));
    assert_memory_equal(&a, &b, sizeof(a));
}

static void
assert_same(struct rig *rig)
{
    assert_head(rig);
    assert_uses(rig);
    for (int kind = 0; kind < SV_ROW_KIND_COUNT; kind++) {
        if (kind == SV_ROW_SCENE) {
            for (unsigned char i = 0; i < CONTENTS; i++) {
                unsigned char content[32];
                memset(content, i, sizeof(content));
                assert_scan(rig, SV_ROW_SCENE, 0, content);
            }
        } else if (kind != SV_ROW_USE) {
            uint64_t last = kind == SV_ROW_RECORDS ? rig->twin_head.commit : WORLDS + 1;
            assert_scan(rig, (enum sv_row_kind)kind, draw(rig, last + 2), NULL);
            assert_scan(rig, (enum sv_row_kind)kind, 0, NULL);
        }
    }
}

static void
draw_row(struct rig *rig, struct made_row *made)
{
    *made = (struct made_row){
        .row = {.kind = (enum sv_row_kind)(1 + draw(rig, SV_ROW_KIND_COUNT - 1))}};
    struct sv_row *row = &made->row;
    size_t size = 1 + draw(rig, sizeof(made->bytes) - 1);
    row->world = 1 + draw(rig, WORLDS);
    row->number = row->kind == SV_ROW_SCENE || row->kind == SV_ROW_USE
                      ? 1 + draw(rig, 9) : 1 + draw(rig, 50);
    bool is_removal = draw(rig, 3) == 0 && row->kind != SV_ROW_SCENE;
    memset(made->content, (int)draw(rig, CONTENTS), sizeof(made->content));
    memset(made->bytes, (int)draw(rig, 256), size);
    if (row->kind == SV_ROW_SCENE) { /* content is the hash of the bytes */
        size = 1 + 40u * made->content[0];
        memset(made->bytes, made->content[0], size);
    }
    if (row->kind == SV_ROW_CHARTER || (row->kind == SV_ROW_CRASH && is_removal)) {
        row->number = 0;
    }
    row->content = made->content;
    row->bytes = is_removal ? NULL : made->bytes;
    row->size = is_removal ? 0 : size;
}

static void
draw_commit(struct rig *rig)
{
    rig->row_count = (int)draw(rig, ROWS_MAX - 1);
    for (int i = 0; i < rig->row_count; i++) {
        draw_row(rig, &rig->rows[i]);
    }
    if (rig->is_ending) { /* all worlds have charters: the others' scenes are removed next time */
        rig->row_count = WORLDS;
        for (int i = 0; i < WORLDS; i++) {
            draw_row(rig, &rig->rows[i]);
            rig->rows[i].row.kind = SV_ROW_CHARTER;
            rig->rows[i].row.world = (uint64_t)i + 1;
            rig->rows[i].row.number = 0;
            rig->rows[i].row.bytes = rig->rows[i].bytes;
            rig->rows[i].row.size = 5;
        }
    } else if (draw(rig, 2) == 0) {
        struct made_row *prune = &rig->rows[rig->row_count++];
        uint64_t commit = rig->twin_head.commit;
        *prune = (struct made_row){.is_prune = true, .count_max = 1 + (int)draw(rig, 4)};
        prune->below = commit > 30 ? commit - draw(rig, 30) : 0;
    }
}

/* Writes the rows and commits.  Returns false with FULL, or all of it is durable. */
static bool
write_commit(struct rig *rig, struct sv_journal *journal, struct sv_journal_head *head,
    const unsigned char *records, size_t size, struct sv_fault *fault)
{
    for (int i = 0; i < rig->row_count; i++) {
        const struct made_row *made = &rig->rows[i];
        bool is_done = made->is_prune
                           ? journal->prune(journal->context, made->below, made->count_max, fault)
                           : journal->append(journal->context, &made->row, fault);
        if (!is_done) {
            return false;
        }
    }
    const struct sv_row row = {.kind = SV_ROW_RECORDS, .bytes = records, .size = size};
    return (size == 0 || journal->append(journal->context, &row, fault)) &&
           journal->commit(journal->context, head, fault);
}

static void
open_sqlite(struct rig *rig)
{
    struct sv_fault fault;
    const struct sv_journal_sqlite_config config = {.folder = FOLDER, .vfs = DISK_VFS_NAME};
    if (!sv_journal_sqlite_open(&rig->sqlite, &config, &rig->sqlite_head, &fault) ||
        !rig->sqlite.claim(rig->sqlite.context, &rig->sqlite_head, &fault)) {
        fail_msg("%s", fault.text);
    }
    assert_true(rig->twin.claim(rig->twin.context, &rig->twin_head, &fault));
}

/* Commits on a disk that may be full at a random call, then on one that has room. */
static void
commit_both(struct rig *rig)
{
    unsigned char records[2000];
    size_t size = draw(rig, 3) == 0 ? 0 : 1 + draw(rig, sizeof(records) - 1);
    struct sv_fault fault = {0};
    struct sv_journal_head before = rig->sqlite_head;
    memset(records, (int)draw(rig, 256), sizeof(records));
    draw_commit(rig);
    rig->disk.fail_first = 0;
    if (draw(rig, 3) == 0) {
        rig->disk.fail_first = rig->disk.call_count + 1 + draw(rig, 6);
        rig->disk.fail_count = UINT64_MAX;
        rig->disk.fail_result = SV_DISK_FULL;
    }
    bool is_done =
        write_commit(rig, &rig->sqlite, &rig->sqlite_head, records, size, &fault);
    rig->disk.fail_first = 0;
    if (!is_done) {
        assert_int_equal(fault.kind, SV_FAULT_FULL);
        assert_memory_equal(&before, &rig->sqlite_head, sizeof(before));
        rig->full++;
        assert_same(rig);
        is_done = write_commit(rig, &rig->sqlite, &rig->sqlite_head, records, size, &fault);
    }
    assert_true(is_done);
    assert_true(write_commit(rig, &rig->twin, &rig->twin_head, records, size, &fault));
    rig->pruned += rig->twin_head.first_commit != before.first_commit ? 1 : 0;
}

static void
test_twins(void **state)
{
    struct rig *rig = calloc(1, sizeof(*rig));
    assert_non_null(rig);
    (void)state;
    rig->random = 3;
    disk_vfs_use(&rig->disk);
    rig->twin = sv_journal_memory_open(&rig->memory, &rig->twin_head);
    open_sqlite(rig);
    for (int i = 0; i < COMMITS; i++) {
        rig->is_ending = draw(rig, 60) == 0;
        commit_both(rig);
        if (draw(rig, 4) == 0) {
            assert_same(rig);
        }
        assert_head(rig);
        if (rig->is_ending) {
            struct sv_fault fault;
            struct sv_journal_size size;
            assert_true(rig->sqlite.upkeep(rig->sqlite.context, &size, &fault));
            assert_true(rig->sqlite.merge(rig->sqlite.context, &fault));
            rig->sqlite.close(rig->sqlite.context);
            open_sqlite(rig);
            assert_int_equal(rig->sqlite_head.world_last, rig->twin_head.world_last);
        }
    }
    print_message("%d times full, %d commits that pruned\n", rig->full, rig->pruned);
    assert_true(rig->full > 100 && rig->pruned > 100);
    rig->sqlite.close(rig->sqlite.context);
    sv_journal_memory_finish(&rig->memory);
    disk_vfs_reset();
    sv_disk_sim_finish(&rig->disk);
    free(rig);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_twins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
