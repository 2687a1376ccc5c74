/*
 * The journal's thread: collects the lanes, commits, and reports.
 */
#include "engine/base/assert.h"
#include "engine/base/little_endian.h"
#include "server/store/store.h"
#include "server/store/store_inside.h"

#include <stdlib.h>
#include <string.h>

#define RECORDS_KEPT ((size_t)64 * 1024) /* four times the bytes of a commit of 50 worlds */

void
sv_batch_finish(struct sv_batch *batch)
{
    for (int i = 0; i < batch->item_count; i++) {
        sv_article_destroy(batch->items[i].kind, &batch->items[i].article);
    }
    sv_task_destroy(batch->manifest);
    free(batch->checkpoints);
    free(batch->records);
    free(batch->items);
    *batch = (struct sv_batch){0};
}

static bool
make_room(struct sv_batch *batch, size_t size)
{
    if (batch->size + size > batch->capacity) {
        size_t wanted = 2 * (batch->size + size);
        size_t capacity = wanted > RECORDS_KEPT ? wanted : RECORDS_KEPT;
        unsigned char *larger = realloc(batch->records, capacity);
        if (larger == NULL) {
            return false;
        }
        batch->records = larger;
        batch->capacity = capacity;
    }
    if (batch->item_count == batch->item_capacity) {
        int capacity = 2 * batch->item_capacity + 16;
        void *larger = realloc(batch->items, (size_t)capacity * sizeof(*batch->items));
        if (larger == NULL) {
            return false;
        }
        batch->items = larger;
        batch->item_capacity = capacity;
    }
    CN_ASSERT(batch->size + size <= batch->capacity && batch->item_count < batch->item_capacity);
    return true;
}

/* Takes the items of a lane, as far as there is memory; a later commit takes the rest. */
static void
take_lane(struct sv_batch *batch, struct sv_lane *lane, uint64_t *upto)
{
    uint64_t at = atomic_load_explicit(&lane->taken, memory_order_relaxed);
    uint64_t end = atomic_load_explicit(&lane->put, memory_order_acquire);
    CN_ASSERT(at <= end && end - at <= lane->capacity); /* lane_inside.h, invariant 2 */
    while (at < end && batch->size < SV_STORE_BATCH_SIZE) {
        enum sv_item_kind kind;
        size_t size;
        uint64_t next = sv_lane_item(lane, at, &kind, &size);
        CN_ASSERT(next > at && next <= end);
        if (!make_room(batch, size)) {
            break;
        }
        if (kind == SV_ITEM_RECORD) {
            sv_lane_copy(lane, at, batch->records + batch->size, size);
            batch->size += size;
            batch->record_count++;
        } else {
            CN_ASSERT(size == sizeof(struct sv_article));
            batch->items[batch->item_count].kind = kind;
            batch->items[batch->item_count].lane = lane;
            sv_lane_copy(
                lane, at, &batch->items[batch->item_count].article, sizeof(struct sv_article));
            batch->item_count++;
        }
        at = next;
    }
    *upto = at;
    atomic_store_explicit(&lane->taken, at, memory_order_release);
}

/* One manifest for each commit, so that the entries that it replaces are known before. */
static void
fill_batch(struct sv_store *store, struct sv_batch *batch)
{
    CN_ASSERT(!batch->is_held);
    for (int i = 0; i < store->config.lane_count; i++) {
        take_lane(batch, &store->lanes[i], &batch->upto[i]);
    }
    if (batch->manifest == NULL) {
        batch->manifest = sv_store_take(store, &store->to_journal);
    }
}

static bool
append_charter(struct sv_store *store, const struct sv_article *article, struct sv_fault *fault)
{
    struct sv_journal *journal = &store->journal;
    struct sv_row row = {.kind = SV_ROW_CHARTER,
        .world = article->world,
        .bytes = article->thing,
        .size = (size_t)article->size};
    if (!journal->append(journal->context, &row, fault)) {
        return false;
    }
    const struct sv_world_entry *entry = sv_worlds_find(&store->worlds, article->world);
    bool is_good = true;
    if (article->thing == NULL && entry != NULL) {
        const struct sv_row use = {
            .kind = SV_ROW_USE, .world = article->world, .number = SV_USE_ALWAYS};
        row.kind = SV_ROW_CRASH;
        is_good = journal->append(journal->context, &row, fault) &&
                  journal->append(journal->context, &use, fault);
        row.kind = SV_ROW_CHECKPOINT;
        for (int i = 0; i < entry->manifest_count && is_good; i++) {
            row.number = entry->manifest[i].trail.number;
            is_good = journal->append(journal->context, &row, fault);
        }
    }
    return is_good;
}

/* Whether the batch ends this world. */
static bool
is_ended(const struct sv_batch *batch, uint64_t world)
{
    for (int i = 0; i < batch->item_count; i++) {
        if (batch->items[i].kind == SV_ITEM_CHARTER &&
            batch->items[i].article.world == world && batch->items[i].article.thing == NULL) {
            return true;
        }
    }
    return false;
}

/* The checkpoint's scene stays until the next checkpoint is the world's oldest. */
static bool
append_use(struct sv_store *store, const struct sv_task *task, struct sv_fault *fault)
{
    static const unsigned char none[SV_CONTENT_SIZE];
    const struct sv_row row = {.kind = SV_ROW_USE,
        .world = task->manifest.trail.world,
        .number = task->manifest.trail.number + 1,
        .content = task->content,
        .bytes = none};
    return memcmp(task->content, none, SV_CONTENT_SIZE) == 0 ||
           store->journal.append(store->journal.context, &row, fault);
}

/* Adds the row of a new checkpoint, and removes those that it replaces. */
static bool
append_manifest(struct sv_store *store, const struct sv_task *task, struct sv_fault *fault)
{
    const struct sv_manifest *manifest = &task->manifest;
    struct sv_journal *journal = &store->journal;
    struct sv_batch *batch = &store->batch;
    unsigned char bytes[SV_MANIFEST_SIZE];
    const struct sv_world_entry *entry = sv_worlds_find(&store->worlds, manifest->trail.world);
    struct sv_row row = {.kind = SV_ROW_CHECKPOINT,
        .world = manifest->trail.world,
        .number = manifest->trail.number,
        .bytes = bytes,
        .size = sizeof(bytes)};
    sv_manifest_encode(bytes, manifest);
    free(batch->checkpoints);
    batch->checkpoints = NULL;
    if (entry == NULL || is_ended(batch, entry->world)) {
        return true;
    }
    const struct sv_retention_limits limits = {.history_ms = store->config.past_ms,
        .size_max = store->config.past_size,
        .first_commit = store->head.first_commit,
        .record_bytes = entry->record_bytes};
    batch->checkpoints = sv_worlds_with(entry, manifest, &batch->checkpoint_count);
    if (batch->checkpoints == NULL) {
        return sv_fault_set(fault, SV_FAULT_MEMORY, "the table of worlds");
    }
    batch->retained_count = sv_store_drop_damaged(store, batch->checkpoints,
        sv_retention_thin(batch->checkpoints, batch->checkpoint_count, &limits));
    CN_ASSERT(1 <= batch->retained_count && batch->retained_count <= batch->checkpoint_count);
    bool is_good = journal->append(journal->context, &row, fault) &&
                   append_use(store, task, fault);
    row.bytes = NULL;
    for (int i = batch->retained_count; i < batch->checkpoint_count && is_good; i++) {
        row.number = batch->checkpoints[i].trail.number;
        is_good = journal->append(journal->context, &row, fault);
    }
    return is_good;
}

/*
 * With each commit, in turn, removes scenes of one world that are used only before its oldest
 * checkpoint.
 */
static bool
append_unused(struct sv_store *store, struct sv_fault *fault)
{
    store->unused_at = store->unused_at < store->worlds.count ? store->unused_at : 0;
    if (store->worlds.count == 0) {
        return true;
    }
    CN_ASSERT(0 <= store->unused_at && store->unused_at < store->worlds.count);
    const struct sv_world_entry *entry = &store->worlds.entries[store->unused_at++];
    if (entry->manifest_count == 0) {
        return true;
    }
    const struct sv_row row = {.kind = SV_ROW_USE,
        .world = entry->world,
        .number = entry->manifest[0].trail.number};
    return store->journal.append(store->journal.context, &row, fault);
}

/*
 * For a journal that is too large and can not be pruned: finds the worlds with commits in its older
 * half.
 */
static void
look_for_stale(struct sv_store *store)
{
    const struct sv_journal_head *head = &store->head;
    uint64_t now_ns = sv_clock_now_ns(&store->config.clock);
    if (now_ns - store->stale_ns < SV_STORE_PERIOD_NS) {
        return;
    }
    store->stale_ns = now_ns;
    pthread_mutex_lock(&store->mutex);
    store->stale_count = sv_worlds_stale(&store->worlds,
        head->first_commit + (head->commit - head->first_commit) / 2, store->stale,
        SV_STORE_STALE_MAX);
    pthread_mutex_unlock(&store->mutex);
}

/* Data that no past needs is removed early; the past itself only where the journal is too large. */
static bool
append_pruning(struct sv_store *store, struct sv_fault *fault)
{
    struct sv_journal *journal = &store->journal;
    uint64_t used = atomic_load_explicit(&store->used_size, memory_order_relaxed);
    uint64_t history = store->config.history_size;
    if (used <= history / SV_STORE_PRUNE_SHARE) {
        return true;
    }
    if (!append_unused(store, fault)) {
        return false;
    }
    uint64_t floor = used <= history ? sv_worlds_past_floor(&store->worlds)
                                     : sv_worlds_floor(&store->worlds);
    floor = floor < store->head.commit ? floor : store->head.commit;
    if (store->head.first_commit < floor) {
        return journal->prune(journal->context, floor, SV_STORE_PRUNE_COUNT, fault);
    }
    if (used > history) {
        look_for_stale(store);
    }
    return true;
}

/* Whether the batch has any row; checkpoints are passed on without one. */
static bool
has_rows(const struct sv_batch *batch)
{
    bool has = batch->size > 0 || batch->manifest != NULL;
    for (int i = 0; i < batch->item_count && !has; i++) {
        has = batch->items[i].kind != SV_ITEM_CHECKPOINT;
    }
    return has;
}

static bool
append_notes(struct sv_store *store, const struct sv_article *article, struct sv_fault *fault)
{
    bool is_good = true;
    for (size_t at = 0; at < article->size && is_good;) {
        const struct sv_note_row note = sv_notes_next(article->thing, article->size, &at);
        const struct sv_row row = {.kind = SV_ROW_NOTE,
            .world = note.shelf,
            .number = note.number,
            .bytes = note.row,
            .size = note.size};
        is_good = store->journal.append(store->journal.context, &row, fault);
    }
    return is_good;
}

static bool
append_scene(struct sv_store *store, const struct sv_article *article, struct sv_fault *fault)
{
    const struct sv_row scene = {.kind = SV_ROW_SCENE,
        .world = article->world,
        .number = article->number,
        .content = article->content,
        .bytes = article->thing,
        .size = (size_t)article->size};
    return store->journal.append(store->journal.context, &scene, fault);
}

static bool
append_item(struct sv_store *store, enum sv_item_kind kind, const struct sv_article *article,
    struct sv_fault *fault)
{
    switch (kind) {
    case SV_ITEM_SCENE:
        return append_scene(store, article, fault);
    case SV_ITEM_CHARTER:
        return append_charter(store, article, fault);
    case SV_ITEM_NOTES:
        return append_notes(store, article, fault);
    case SV_ITEM_RECORD:
    case SV_ITEM_CHECKPOINT:
        break;
    }
    return true;
}

static bool
write_batch(struct sv_store *store, struct sv_fault *fault)
{
    struct sv_journal *journal = &store->journal;
    struct sv_batch *batch = &store->batch;
    if (!has_rows(batch)) {
        return true;
    }
    for (int i = 0; i < batch->item_count; i++) {
        if (!append_item(store, batch->items[i].kind, &batch->items[i].article, fault)) {
            return false;
        }
    }
    const struct sv_row records = {
        .kind = SV_ROW_RECORDS, .bytes = batch->records, .size = batch->size};
    return (batch->manifest == NULL || append_manifest(store, batch->manifest, fault)) &&
           append_pruning(store, fault) &&
           (batch->size == 0 || journal->append(journal->context, &records, fault)) &&
           journal->commit(journal->context, &store->head, fault);
}

static void
remove_file(struct sv_store *store, const struct sv_manifest *manifest)
{
    struct sv_task *task = calloc(1, sizeof(*task));
    if (task != NULL) { /* without memory the file stays, which is harmless */
        task->kind = SV_TASK_REMOVE;
        task->manifest = *manifest;
        sv_store_give(store, &store->to_keeper, task);
    }
}

static bool
apply_charter(struct sv_store *store, const struct sv_article *article)
{
    struct sv_world_entry *entry = sv_worlds_find(&store->worlds, article->world);
    if (article->thing == NULL) {
        for (int i = 0; entry != NULL && i < entry->manifest_count; i++) {
            remove_file(store, &entry->manifest[i]);
        }
    }
    pthread_mutex_lock(&store->mutex);
    if (article->thing == NULL) {
        sv_worlds_remove(&store->worlds, article->world);
        entry = NULL;
    } else {
        entry = sv_worlds_make(&store->worlds, article->world);
    }
    bool is_known = article->thing == NULL ||
                    (entry != NULL &&
                        sv_worlds_charter(entry, article->thing, (size_t)article->size));
    pthread_mutex_unlock(&store->mutex);
    return is_known;
}

/* A scene belongs to the past, too, and counts when the past is too large. */
static void
apply_scene(struct sv_store *store, const struct sv_article *article)
{
    struct sv_world_entry *entry = sv_worlds_find(&store->worlds, article->world);
    if (entry != NULL) {
        entry->record_bytes += article->size;
    }
}

static void
apply_records(struct sv_store *store)
{
    const struct sv_batch *batch = &store->batch;
    for (size_t at = 0; at < batch->size; at += cn_get_u32(batch->records + at + 4)) {
        /* as a lane wrote it */
        CN_ASSERT(cn_get_u32(batch->records + at + 4) >= SV_RECORD_HEADER_SIZE);
        CN_ASSERT(batch->size - at >= cn_get_u32(batch->records + at + 4));
        struct sv_world_entry *entry =
            sv_worlds_find(&store->worlds, cn_get_u64(batch->records + at + 16));
        if (entry != NULL) {
            sv_worlds_saw(entry, cn_get_u64(batch->records + at + 32), store->head.commit,
                cn_get_u32(batch->records + at + 4));
        }
    }
}

static void
apply_manifest(struct sv_store *store, const struct sv_manifest *manifest)
{
    struct sv_batch *batch = &store->batch;
    struct sv_world_entry *entry = sv_worlds_find(&store->worlds, manifest->trail.world);
    if (entry == NULL || batch->checkpoints == NULL) {
        remove_file(store, manifest);
        return;
    }
    CN_ASSERT(batch->checkpoints[batch->retained_count - 1].trail.number == manifest->trail.number);
    for (int i = batch->retained_count; i < batch->checkpoint_count; i++) {
        remove_file(store, &batch->checkpoints[i]);
        sv_store_forget_damaged(store, &batch->checkpoints[i]);
    }
    pthread_mutex_lock(&store->mutex);
    sv_worlds_checkpoints(entry, batch->checkpoints, batch->retained_count);
    pthread_mutex_unlock(&store->mutex);
    batch->checkpoints = NULL;
}

/* Hands a checkpoint to the keeper; everything before it is durable. */
static bool
hand_over(struct sv_store *store, struct sv_checkpoint *checkpoint_take, struct sv_lane *lane)
{
    CN_ASSERT(checkpoint_take != NULL && sv_lane_checkpoints_busy(lane) > 0);
    struct sv_task *task = calloc(1, sizeof(*task));
    if (task == NULL) {
        sv_checkpoint_destroy(checkpoint_take);
        atomic_fetch_sub(&lane->checkpoints_busy, 1);
        atomic_fetch_add(&store->checkpoints_failed, 1);
        return false;
    }
    task->kind = SV_TASK_WRITE;
    task->lane = lane;
    task->checkpoint = checkpoint_take;
    task->manifest.commit = store->head.commit;
    memcpy(task->content, checkpoint_take->content, sizeof(task->content));
    const struct sv_world_entry *entry =
        sv_worlds_find(&store->worlds, checkpoint_take->trail.world);
    task->manifest.record_bytes = entry != NULL ? entry->record_bytes : 0;
    sv_store_give(store, &store->to_keeper, task);
    return true;
}

/* Applies the commit to the table of worlds; false when there was no memory for it. */
static bool
apply_batch(struct sv_store *store)
{
    struct sv_batch *batch = &store->batch;
    bool is_known = true;
    bool has_task = false;
    for (int i = 0; i < batch->item_count; i++) {
        struct sv_article *article = &batch->items[i].article;
        if (batch->items[i].kind == SV_ITEM_CHECKPOINT) {
            has_task = hand_over(store, article->thing, batch->items[i].lane) || has_task;
            article->thing = NULL;
        } else if (batch->items[i].kind == SV_ITEM_SCENE) {
            apply_scene(store, article);
        } else if (batch->items[i].kind == SV_ITEM_CHARTER) {
            has_task = has_task || article->thing == NULL;
            is_known = apply_charter(store, article) && is_known;
        }
    }
    apply_records(store);
    if (batch->manifest != NULL) {
        has_task = true;
        apply_manifest(store, &batch->manifest->manifest);
    }
    if (has_task) {
        sv_store_wake_keeper(store);
    }
    return is_known;
}

static void
tell_durable(struct sv_store *store)
{
    for (int i = 0; i < store->config.lane_count; i++) {
        struct sv_lane *lane = &store->lanes[i];
        CN_ASSERT(sv_lane_durable(lane) <= store->batch.upto[i]); /* tickets only become durable */
        atomic_store_explicit(&lane->durable, store->batch.upto[i], memory_order_release);
    }
    if (store->config.wake != NULL) {
        store->config.wake(store->config.wake_context);
    }
}

/* Frees the memory beyond RECORDS_KEPT, which was needed after a time without writing. */
static void
clear_batch(struct sv_batch *batch)
{
    CN_ASSERT(batch->manifest == NULL); /* nothing that is owned is forgotten */
    if (batch->capacity > RECORDS_KEPT) {
        unsigned char *smaller = realloc(batch->records, RECORDS_KEPT);
        batch->records = smaller != NULL ? smaller : batch->records;
        batch->capacity = smaller != NULL ? RECORDS_KEPT : batch->capacity;
    }
    batch->item_count = 0;
    batch->size = 0;
    batch->record_count = 0;
    batch->is_held = false;
}

/* All of the batch is durable: reports tickets first, then the consequences. */
static void
finish_commit(struct sv_store *store)
{
    CN_ASSERT(store->head.commit >= store->durable_head.commit);
    struct sv_batch *batch = &store->batch;
    pthread_mutex_lock(&store->mutex);
    store->durable_head = store->head;
    pthread_mutex_unlock(&store->mutex);
    tell_durable(store);
    bool is_known = apply_batch(store);
    atomic_fetch_add_explicit(&store->records, batch->record_count, memory_order_relaxed);
    atomic_fetch_add_explicit(&store->record_bytes, batch->size, memory_order_relaxed);
    for (int i = 0; i < batch->item_count; i++) {
        sv_article_destroy(batch->items[i].kind, &batch->items[i].article);
    }
    sv_task_destroy(batch->manifest);
    batch->manifest = NULL;
    clear_batch(batch);
    if (!is_known) { /* the journal would be pruned wrongly from here on */
        struct sv_fault fault;
        sv_fault_set(&fault, SV_FAULT_MEMORY, "the table of worlds");
        sv_store_enter(store, SV_STORE_FAILED, &fault);
    }
}

static void
measure_commit(struct sv_store *store, uint64_t began_ns)
{
    uint64_t took_ns = sv_clock_now_ns(&store->config.clock) - began_ns;
    atomic_store_explicit(&store->commit_began_ns, 0, memory_order_relaxed);
    atomic_store_explicit(&store->commit_ns_last, took_ns, memory_order_relaxed);
    atomic_fetch_add_explicit(&store->commit_ns_sum, took_ns, memory_order_relaxed);
    atomic_fetch_add_explicit(&store->commits, 1, memory_order_relaxed);
    if (store->config.metrics != NULL) {
        SV_OBSERVE(store->config.metrics, commit_ns, took_ns);
    }
}

bool
sv_store_commit_now(struct sv_store *store)
{
    struct sv_batch *batch = &store->batch;
    struct sv_fault fault;
    if (!batch->is_held) {
        fill_batch(store, batch);
    }
    bool has_tickets = batch->item_count > 0 || batch->size > 0 || batch->manifest != NULL;
    if (!has_tickets || atomic_load(&store->gate.state) == SV_STORE_FAILED) {
        return false;
    }
    uint64_t now_ns = sv_clock_now_ns(&store->config.clock);
    batch->tried_ns = now_ns;
    atomic_store_explicit(&store->commit_began_ns, now_ns, memory_order_relaxed);
    bool is_durable = write_batch(store, &fault);
    if (!is_durable && fault.kind == SV_FAULT_FULL) {
        sv_store_enter(store, SV_STORE_READ_ONLY, &fault);
        sv_store_give_up_reserve(store);
        is_durable = write_batch(store, &fault);
    }
    measure_commit(store, now_ns);
    if (is_durable) {
        finish_commit(store);
    } else if (fault.kind == SV_FAULT_FULL) {
        batch->is_held = true;
    } else {
        sv_store_enter(store, SV_STORE_FAILED, &fault);
    }
    return is_durable;
}

uint64_t
sv_store_run_journal(struct sv_store *store)
{
    uint64_t now_ns = sv_clock_now_ns(&store->config.clock);
    bool is_wanted = atomic_load(&store->is_wanted) && !store->batch.is_held;
    uint64_t wait_ns = is_wanted ? store->config.spacing_ns : SV_STORE_PERIOD_NS;
    if (atomic_load(&store->gate.state) == SV_STORE_FAILED) {
        return UINT64_MAX;
    }
    if (now_ns - store->began_ns < wait_ns) {
        return store->began_ns + wait_ns;
    }
    if (atomic_exchange(&store->is_merge_wanted, false)) {
        struct sv_fault fault;
        if (!store->journal.merge(store->journal.context, &fault)) {
            sv_store_enter(
                store, fault.kind == SV_FAULT_FULL ? SV_STORE_READ_ONLY : SV_STORE_FAILED, &fault);
        }
    }
    store->began_ns = now_ns;
    atomic_store(&store->is_wanted, false);
    sv_store_commit_now(store);
    return store->began_ns + SV_STORE_PERIOD_NS;
}
