#include "server/store/journal/journal_memory.h"

#include "engine/base/assert.h"

#include <stdlib.h>
#include <string.h>

static void
release_rows(struct sv_memory_rows *rows, int first)
{
    CN_ASSERT(first >= 0);
    for (int i = first; i < rows->count; i++) {
        free(rows->rows[i].bytes);
    }
    rows->count = rows->count < first ? rows->count : first;
}

/* Each row points to its own bytes, so rows may move. */
static struct sv_memory_row *
add_row(struct sv_memory_rows *rows, const struct sv_row *row)
{
    if (rows->count == rows->capacity) {
        int capacity = 2 * rows->capacity + 16;
        struct sv_memory_row *larger = realloc(rows->rows, (size_t)capacity * sizeof(*larger));
        if (larger == NULL) {
            return NULL;
        }
        rows->rows = larger;
        rows->capacity = capacity;
    }
    CN_ASSERT(rows->count < rows->capacity);
    struct sv_memory_row *copy = &rows->rows[rows->count];
    *copy = (struct sv_memory_row){.row = *row};
    copy->row.bytes = NULL;
    if (row->content != NULL) {
        memcpy(copy->content, row->content, sizeof(copy->content));
    }
    if (row->bytes != NULL) {
        copy->bytes = malloc(row->size + 1);
        if (copy->bytes == NULL) {
            return NULL;
        }
        if (row->size > 0) {
            memcpy(copy->bytes, row->bytes, row->size);
        }
    }
    rows->count++;
    return copy;
}

static bool
append_row(void *context, const struct sv_row *row, struct sv_fault *fault)
{
    struct sv_journal_memory *memory = context;
    if (add_row(&memory->pending, row) == NULL) {
        release_rows(&memory->pending, 0);
        return sv_fault_set(fault, SV_FAULT_MEMORY, "the journal");
    }
    return true;
}

/* < 0, 0, > 0 as a comes before b; records by number, scenes by content, others by world. */
static int
compare_rows(const struct sv_memory_row *a, const struct sv_memory_row *b)
{
    enum sv_row_kind kind = a->row.kind;
    if (kind == SV_ROW_SCENE) {
        return memcmp(a->content, b->content, sizeof(a->content));
    }
    if (a->row.world != b->row.world) {
        return a->row.world < b->row.world ? -1 : 1;
    }
    bool has_number = kind == SV_ROW_RECORDS || kind == SV_ROW_CHECKPOINT ||
        kind == SV_ROW_USE || kind == SV_ROW_NOTE;
    if (has_number && a->row.number != b->row.number) {
        return a->row.number < b->row.number ? -1 : 1;
    }
    return kind == SV_ROW_USE ? memcmp(a->content, b->content, sizeof(a->content)) : 0;
}

static void
remove_at(struct sv_memory_rows *rows, int at)
{
    CN_ASSERT(0 <= at && at < rows->count);
    free(rows->rows[at].bytes);
    rows->count--;
    memmove(rows->rows + at, rows->rows + at + 1, (size_t)(rows->count - at) * sizeof(*rows->rows));
}

static bool
is_used(const struct sv_journal_memory *memory, const unsigned char content[32])
{
    const struct sv_memory_rows *uses = &memory->kept[SV_ROW_USE];
    for (int i = 0; i < uses->count; i++) {
        if (memcmp(uses->rows[i].content, content, sizeof(uses->rows[i].content)) == 0) {
            return true;
        }
    }
    return false;
}

/* Ends the world's uses up to this number, and removes scenes that no other world uses. */
static void
end_uses(struct sv_journal_memory *memory, uint64_t world, uint64_t number)
{
    struct sv_memory_rows *uses = &memory->kept[SV_ROW_USE];
    struct sv_memory_rows *scenes = &memory->kept[SV_ROW_SCENE];
    for (int i = uses->count - 1; i >= 0; i--) {
        if (uses->rows[i].row.world == world && uses->rows[i].row.number <= number) {
            remove_at(uses, i);
        }
    }
    for (int i = scenes->count - 1; i >= 0; i--) {
        if (!is_used(memory, scenes->rows[i].content)) {
            remove_at(scenes, i);
        }
    }
}

static bool settle_row(struct sv_journal_memory *memory, const struct sv_memory_row *row);

/* The use in a scene's row becomes a separate row. */
static bool
settle_use(struct sv_journal_memory *memory, const struct sv_memory_row *scene)
{
    struct sv_memory_row use = *scene;
    use.row.kind = SV_ROW_USE;
    use.row.size = 0;
    use.bytes = malloc(1);
    if (use.bytes == NULL || !settle_row(memory, &use)) {
        free(use.bytes);
        return false;
    }
    return true;
}

/* Puts a row in its place, with its bytes. */
static bool
settle_row(struct sv_journal_memory *memory, const struct sv_memory_row *row)
{
    struct sv_memory_rows *rows = &memory->kept[row->row.kind];
    int at = rows->count;
    if (row->row.kind == SV_ROW_USE && row->bytes == NULL) {
        end_uses(memory, row->row.world, row->row.number);
        return true;
    }
    if (row->row.kind == SV_ROW_SCENE && !settle_use(memory, row)) {
        return false;
    }
    while (at > 0 && compare_rows(&rows->rows[at - 1], row) > 0) {
        at--;
    }
    CN_ASSERT(at == 0 || compare_rows(&rows->rows[at - 1], row) <= 0); /* rows ascend */
    if (at > 0 && compare_rows(&rows->rows[at - 1], row) == 0) {
        remove_at(rows, --at);
    }
    if (row->bytes == NULL && row->row.kind != SV_ROW_RECORDS) {
        return true;
    }
    struct sv_row nothing = row->row;
    nothing.content = NULL;
    if (add_row(rows, &nothing) == NULL) {
        return false;
    }
    memmove(
        rows->rows + at + 1, rows->rows + at, (size_t)(rows->count - 1 - at) * sizeof(*rows->rows));
    rows->rows[at] = *row;
    if (row->row.kind == SV_ROW_CHARTER && row->row.world > memory->head.world_last) {
        memory->head.world_last = row->row.world;
    }
    return true;
}

static bool
refuse_call(struct sv_journal_memory *memory, struct sv_fault *fault)
{
    uint64_t attempt = ++memory->attempt_count;
    if (memory->fail_first != 0 && attempt >= memory->fail_first &&
        attempt - memory->fail_first < memory->fail_count) {
        release_rows(&memory->pending, 0);
        sv_fault_set(fault, memory->fail_kind, "the journal in memory fails as it was told");
        return true;
    }
    return false;
}

static bool
commit_rows(void *context, struct sv_journal_head *head, struct sv_fault *fault)
{
    struct sv_journal_memory *memory = context;
    struct sv_memory_rows *pending = &memory->pending;
    struct sv_journal_head next = memory->head;
    if (refuse_call(memory, fault)) {
        return false;
    }
    if (pending->count == 0 || pending->rows[pending->count - 1].row.kind != SV_ROW_RECORDS) {
        const struct sv_row none = {.kind = SV_ROW_RECORDS, .bytes = (const unsigned char *)""};
        if (add_row(pending, &none) == NULL) {
            return sv_fault_set(fault, SV_FAULT_MEMORY, "the journal");
        }
    }
    struct sv_memory_row *records = &pending->rows[pending->count - 1];
    next.commit++;
    next.chain = sv_journal_chain(
        next.commit, memory->head.chain, next.epoch, records->bytes, records->row.size);
    records->row.number = next.commit;
    records->row.epoch = next.epoch;
    records->row.chain = next.chain;
    for (int i = 0; i < pending->count; i++) {
        if (!settle_row(memory, &pending->rows[i])) {
            return sv_fault_set(fault, SV_FAULT_MEMORY, "the journal");
        }
    }
    pending->count = 0;
    next.first_commit = memory->kept[SV_ROW_RECORDS].rows[0].row.number;
    next.world_last = memory->head.world_last;
    *head = memory->head = next;
    return true;
}

static bool
claim_journal(void *context, struct sv_journal_head *head, struct sv_fault *fault)
{
    struct sv_journal_memory *memory = context;
    (void)fault;
    memory->head.epoch++;
    *head = memory->head;
    return true;
}

static bool
scan_rows(void *context, enum sv_row_kind kind, uint64_t from, const unsigned char *content,
    sv_row_visit visit, void *visit_context, struct sv_fault *fault)
{
    struct sv_journal_memory *memory = context;
    (void)fault;
    for (int i = 0; i < memory->kept[kind].count; i++) {
        const struct sv_memory_row *kept = &memory->kept[kind].rows[i];
        struct sv_row row = kept->row;
        row.bytes = kept->bytes;
        row.content = kept->content;
        bool is_asked = kind == SV_ROW_SCENE
                            ? memcmp(kept->content, content, sizeof(kept->content)) == 0
                            : (kind == SV_ROW_RECORDS ? row.number : row.world) >= from;
        if (is_asked && !visit(visit_context, &row)) {
            break;
        }
    }
    return true;
}

static bool
prune_rows(void *context, uint64_t below, int count_max, struct sv_fault *fault)
{
    struct sv_journal_memory *memory = context;
    struct sv_memory_rows *rows = &memory->kept[SV_ROW_RECORDS];
    (void)fault;
    for (int i = 0; i < count_max && rows->count > 1 && rows->rows[0].row.number < below; i++) {
        remove_at(rows, 0);
        memory->head.first_commit = rows->rows[0].row.number;
    }
    return true;
}

static bool
upkeep_journal(void *context, struct sv_journal_size *size, struct sv_fault *fault)
{
    const struct sv_journal_memory *memory = context;
    (void)fault;
    *size = (struct sv_journal_size){0};
    for (int i = 0; i < memory->kept[SV_ROW_RECORDS].count; i++) {
        size->used += memory->kept[SV_ROW_RECORDS].rows[i].row.size;
    }
    for (int i = 0; i < memory->kept[SV_ROW_SCENE].count; i++) {
        size->used += memory->kept[SV_ROW_SCENE].rows[i].row.size;
    }
    return true;
}

static bool
merge_journal(void *context, struct sv_fault *fault)
{
    (void)context;
    (void)fault;
    return true;
}

static void
close_journal(void *context)
{
    sv_journal_memory_crash(context);
}

struct sv_journal
sv_journal_memory_open(struct sv_journal_memory *memory, struct sv_journal_head *head)
{
    *head = memory->head;
    return (struct sv_journal){.append = append_row,
        .commit = commit_rows,
        .claim = claim_journal,
        .scan = scan_rows,
        .prune = prune_rows,
        .upkeep = upkeep_journal,
        .merge = merge_journal,
        .close = close_journal,
        .context = memory};
}

void
sv_journal_memory_crash(struct sv_journal_memory *memory)
{
    release_rows(&memory->pending, 0);
}

void
sv_journal_memory_forget(struct sv_journal_memory *memory, int commit_count)
{
    struct sv_memory_rows *rows = &memory->kept[SV_ROW_RECORDS];
    int left = rows->count > commit_count ? rows->count - commit_count : 0;
    release_rows(rows, left);
    memory->head.commit = left > 0 ? rows->rows[left - 1].row.number : 0;
    memory->head.chain = left > 0 ? rows->rows[left - 1].row.chain : 0;
    memory->head.first_commit = left > 0 ? rows->rows[0].row.number : 0;
}

void
sv_journal_memory_finish(struct sv_journal_memory *memory)
{
    for (int i = 0; i < SV_ROW_KIND_COUNT; i++) {
        release_rows(&memory->kept[i], 0);
        free(memory->kept[i].rows);
    }
    release_rows(&memory->pending, 0);
    free(memory->pending.rows);
    memset(memory, 0, sizeof(*memory));
}
