/*
 * store_scrub.c: the keeper slowly verifies all stored data, from time to time.
 *
 * Damage is named in the log and counted, and repaired where possible.  A world with a damaged
 * checkpoint is asked for a fresh one, and then the damaged one is removed.  After a damaged commit
 * every world is asked for two, so that no recovery needs that commit.
 */
#include "engine/base/assert.h"
#include "server/store/store.h"
#include "server/store/store_inside.h"

#include <stdio.h>

#define RENEW_ROUNDS 2 /* recovery begins at the checkpoint before the newest */
#define RENEW_WAIT_NS (UINT64_C(5) * 1000 * 1000 * 1000)

static void
log_text(struct sv_store *store, enum sv_log_level level, const char *text)
{
    if (store->config.log != NULL) {
        sv_log(store->config.log, level, "store: %s", text);
    }
}

/* ---- damaged checkpoints ---- */

static int
find_damaged(const struct sv_store *store, uint64_t world, uint64_t number)
{
    CN_ASSERT(0 <= store->scrubbing.damaged_count &&
              store->scrubbing.damaged_count <= SV_STORE_DAMAGED_MAX);
    int i = 0;
    while (i < store->scrubbing.damaged_count &&
        (store->scrubbing.damaged[i].world != world ||
            store->scrubbing.damaged[i].number != number)) {
        i++;
    }
    return i;
}

static void
note_damaged(struct sv_store *store, uint64_t world, uint64_t number)
{
    struct sv_scrubbing *scrubbing = &store->scrubbing;
    pthread_mutex_lock(&store->mutex);
    int i = find_damaged(store, world, number);
    if (i < SV_STORE_DAMAGED_MAX) { /* further ones are found again by the next pass */
        scrubbing->damaged[i].world = world;
        scrubbing->damaged[i].number = number;
        scrubbing->damaged[i].is_asked = false;
        scrubbing->damaged_count += i == scrubbing->damaged_count ? 1 : 0;
    }
    pthread_mutex_unlock(&store->mutex);
}

int
sv_store_drop_damaged(struct sv_store *store, struct sv_manifest *list, int kept)
{
    pthread_mutex_lock(&store->mutex);
    for (int i = kept - 2; i >= 0; i--) {
        struct sv_manifest manifest = list[i];
        if (find_damaged(store, manifest.trail.world, manifest.trail.number) <
            store->scrubbing.damaged_count) {
            for (int k = i; k < kept - 1; k++) {
                list[k] = list[k + 1];
            }
            list[--kept] = manifest;
        }
    }
    pthread_mutex_unlock(&store->mutex);
    CN_ASSERT(kept >= 1); /* the newest stays */
    return kept;
}

void
sv_store_forget_damaged(struct sv_store *store, const struct sv_manifest *manifest)
{
    struct sv_scrubbing *scrubbing = &store->scrubbing;
    char text[128];
    pthread_mutex_lock(&store->mutex);
    int i = find_damaged(store, manifest->trail.world, manifest->trail.number);
    bool is_found = i < scrubbing->damaged_count;
    if (is_found) {
        scrubbing->damaged[i] = scrubbing->damaged[--scrubbing->damaged_count];
    }
    pthread_mutex_unlock(&store->mutex);
    if (is_found) {
        atomic_fetch_add(&store->scrub_mended, 1);
        snprintf(text, sizeof(text),
            "a fresh checkpoint of world %llu has replaced the damaged one, %llu",
            (unsigned long long)manifest->trail.world,
            (unsigned long long)manifest->trail.number);
        log_text(store, SV_LOG_INFO, text);
    }
}

/* ---- worlds that need a new checkpoint ---- */

/* Adds a world to the list; under the mutex. */
static int
add_world(uint64_t *worlds, int count, uint64_t world)
{
    for (int i = 0; i < count; i++) {
        if (worlds[i] == world) {
            return count;
        }
    }
    CN_ASSERT(count < SV_STORE_STALE_MAX);
    worlds[count] = world;
    return count + 1;
}

int
sv_store_add_renewals(struct sv_store *store, uint64_t *worlds, int count, uint64_t now_ns)
{
    CN_ASSERT(0 <= count && count <= SV_STORE_STALE_MAX);
    struct sv_scrubbing *scrubbing = &store->scrubbing;
    for (int i = 0; i < scrubbing->damaged_count && count < SV_STORE_STALE_MAX; i++) {
        if (!scrubbing->damaged[i].is_asked) {
            scrubbing->damaged[i].is_asked = true;
            count = add_world(worlds, count, scrubbing->damaged[i].world);
        }
    }
    bool is_due = scrubbing->round_count > 0 && now_ns >= scrubbing->round_ns;
    for (int i = 0; is_due && i < store->worlds.count && count < SV_STORE_STALE_MAX; i++) {
        uint64_t world = store->worlds.entries[i].world;
        if (world > scrubbing->round_world) {
            count = add_world(worlds, count, world);
            scrubbing->round_world = world;
        }
    }
    if (is_due && count < SV_STORE_STALE_MAX) { /* all of them have been reported */
        scrubbing->round_world = 0;
        scrubbing->round_count--;
        scrubbing->round_ns = now_ns + RENEW_WAIT_NS;
    }
    return count;
}

static void
renew_all(struct sv_store *store)
{
    pthread_mutex_lock(&store->mutex);
    store->scrubbing.round_count = RENEW_ROUNDS;
    store->scrubbing.round_world = 0;
    store->scrubbing.round_ns = 0;
    pthread_mutex_unlock(&store->mutex);
}

/* ---- reading ---- */

static void
note_find(void *context, const struct sv_find *find)
{
    struct sv_store *store = context;
    char text[SV_FAULT_TEXT_SIZE + 128];
    const char *what = "it stays so until the world is removed";
    atomic_fetch_add(&store->scrub_finds, 1);
    if (find->kind == SV_FIND_CHECKPOINT) {
        note_damaged(store, find->world, find->number);
        what = "a fresh checkpoint is taken";
    } else if (find->kind == SV_FIND_COMMIT || find->kind == SV_FIND_JOURNAL) {
        renew_all(store);
        what = "fresh checkpoints are taken, so that no world needs it";
    }
    snprintf(text, sizeof(text), "damaged: %s; %s", find->fault->text, what);
    log_text(store, SV_LOG_ERROR, text);
}

static void
begin_pass(struct sv_store *store, uint64_t now_ns)
{
    struct sv_scrubbing *scrubbing = &store->scrubbing;
    CN_ASSERT(!scrubbing->is_reading);
    struct sv_fault fault;
    scrubbing->scrub = (struct sv_scrub){.disk = &store->config.disk,
        .folder = store->config.folder,
        .journal = &store->journal,
        .tell = note_find,
        .context = store};
    scrubbing->is_reading = sv_scrub_begin(&scrubbing->scrub, &fault);
    if (!scrubbing->is_reading) {
        log_text(store, SV_LOG_WARN, fault.text);
        scrubbing->next_ns = now_ns + store->config.scrub_ms * 1000000;
    }
}

static void
end_pass(struct sv_store *store, uint64_t now_ns)
{
    struct sv_scrubbing *scrubbing = &store->scrubbing;
    CN_ASSERT(scrubbing->is_reading && scrubbing->scrub.phase == SV_SCRUB_IDLE);
    char text[128];
    snprintf(text, sizeof(text), "%.1f MB that are stored have been read: %llu are damaged",
        1e-6 * (double)scrubbing->scrub.done_bytes,
        (unsigned long long)scrubbing->scrub.find_count);
    log_text(store, scrubbing->scrub.find_count > 0 ? SV_LOG_ERROR : SV_LOG_INFO, text);
    atomic_store(&store->scrub_damaged, scrubbing->scrub.find_count);
    atomic_fetch_add(&store->scrub_passes, 1);
    sv_scrub_end(&scrubbing->scrub);
    scrubbing->is_reading = false;
    scrubbing->next_ns = now_ns + store->config.scrub_ms * 1000000;
}

uint64_t
sv_store_scrub(struct sv_store *store, uint64_t now_ns)
{
    struct sv_scrubbing *scrubbing = &store->scrubbing;
    uint64_t period_ns = store->config.scrub_ms * 1000000;
    if (period_ns == 0) {
        return UINT64_MAX;
    }
    if (scrubbing->next_ns == 0) {
        scrubbing->next_ns =
            now_ns + (period_ns < SV_STORE_SCRUB_FIRST_NS ? period_ns : SV_STORE_SCRUB_FIRST_NS);
    }
    if (now_ns < scrubbing->next_ns) {
        return scrubbing->next_ns;
    }
    if (!scrubbing->is_reading) {
        begin_pass(store, now_ns);
    }
    uint64_t before = scrubbing->scrub.done_bytes;
    if (scrubbing->is_reading && !sv_scrub_step(&scrubbing->scrub, SV_STORE_SCRUB_SLICE)) {
        end_pass(store, now_ns);
    } else if (scrubbing->is_reading) {
        scrubbing->next_ns = now_ns + SV_STORE_SCRUB_SLICE_NS;
    }
    uint64_t after = scrubbing->scrub.done_bytes;
    atomic_fetch_add(&store->scrub_bytes, after > before ? after - before : 0);
    return scrubbing->next_ns;
}
