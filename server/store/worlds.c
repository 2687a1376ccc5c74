#include "server/store/worlds.h"
#include "engine/base/assert.h"

#include <stdlib.h>
#include <string.h>

#define LIST_STEP 16 /* checkpoints */

static void
release_world(struct sv_world_entry *entry)
{
    free(entry->charter);
    free(entry->commits);
    free(entry->manifest);
}

void
sv_worlds_finish(struct sv_worlds *worlds)
{
    for (int i = 0; i < worlds->count; i++) {
        release_world(&worlds->entries[i]);
    }
    free(worlds->entries);
    *worlds = (struct sv_worlds){0};
}

/* The index of the world, or where it would be inserted. */
static int
place_of_world(const struct sv_worlds *worlds, uint64_t world)
{
    int low = 0, high = worlds->count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (worlds->entries[middle].world < world) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    CN_ASSERT(0 <= low && low <= worlds->count);
    return low;
}

struct sv_world_entry *
sv_worlds_find(struct sv_worlds *worlds, uint64_t world)
{
    int at = place_of_world(worlds, world);
    return at < worlds->count && worlds->entries[at].world == world ? &worlds->entries[at] : NULL;
}

struct sv_world_entry *
sv_worlds_make(struct sv_worlds *worlds, uint64_t world)
{
    int at = place_of_world(worlds, world);
    if (at < worlds->count && worlds->entries[at].world == world) {
        return &worlds->entries[at];
    }
    if (worlds->count == worlds->capacity) {
        int capacity = 2 * worlds->capacity + 16;
        struct sv_world_entry *larger =
            realloc(worlds->entries, (size_t)capacity * sizeof(*larger));
        if (larger == NULL) {
            return NULL;
        }
        worlds->entries = larger;
        worlds->capacity = capacity;
    }
    CN_ASSERT(worlds->count < worlds->capacity);
    CN_ASSERT(at == 0 || worlds->entries[at - 1].world < world); /* in ascending order */
    memmove(worlds->entries + at + 1, worlds->entries + at,
        (size_t)(worlds->count - at) * sizeof(*worlds->entries));
    worlds->count++;
    worlds->entries[at] = (struct sv_world_entry){.world = world};
    return &worlds->entries[at];
}

void
sv_worlds_remove(struct sv_worlds *worlds, uint64_t world)
{
    struct sv_world_entry *entry = sv_worlds_find(worlds, world);
    if (entry != NULL) {
        int at = (int)(entry - worlds->entries);
        release_world(entry);
        worlds->count--;
        memmove(entry, entry + 1, (size_t)(worlds->count - at) * sizeof(*entry));
    }
}

bool
sv_worlds_charter(struct sv_world_entry *entry, const unsigned char *charter, size_t charter_size)
{
    unsigned char *copy = malloc(charter_size + 1);
    if (copy == NULL) {
        return false;
    }
    if (charter_size > 0) {
        memcpy(copy, charter, charter_size);
    }
    free(entry->charter);
    entry->charter = copy;
    entry->charter_size = charter_size;
    return true;
}

void
sv_worlds_saw(struct sv_world_entry *entry, uint64_t number, uint64_t commit, size_t size)
{
    entry->last_number = number;
    entry->record_bytes += size;
    if (entry->first_commit == 0) {
        entry->first_commit = commit;
    }
}

bool
sv_worlds_index(struct sv_world_entry *entry, uint64_t commit)
{
    if (entry->commit_count > 0 && entry->commits[entry->commit_count - 1] == commit) {
        return true;
    }
    if (entry->commit_count == entry->commit_capacity) {
        int capacity = 2 * entry->commit_capacity + 64;
        uint64_t *larger = realloc(entry->commits, (size_t)capacity * sizeof(*larger));
        if (larger == NULL) {
            return false;
        }
        entry->commits = larger;
        entry->commit_capacity = capacity;
    }
    CN_ASSERT(entry->commit_count < entry->commit_capacity);
    entry->commits[entry->commit_count++] = commit;
    return true;
}

struct sv_manifest *
sv_worlds_with(
    const struct sv_world_entry *entry, const struct sv_manifest *manifest, int *count)
{
    int kept = entry->manifest_count;
    /*
     * In steps: otherwise the lists of many worlds, growing in turn, could never reuse each other's
     * memory.
     */
    size_t room = (size_t)(kept / LIST_STEP + 1) * LIST_STEP;
    struct sv_manifest *list = malloc(room * sizeof(*list));
    if (list == NULL) {
        return NULL;
    }
    if (kept > 0) {
        memcpy(list, entry->manifest, (size_t)kept * sizeof(*list));
        kept -= list[kept - 1].trail.number == manifest->trail.number ? 1 : 0;
    }
    CN_ASSERT(0 <= kept && (size_t)kept < room);
    list[kept] = *manifest;
    *count = kept + 1;
    return list;
}

void
sv_worlds_checkpoints(struct sv_world_entry *entry, struct sv_manifest *list_take, int count)
{
    CN_ASSERT(list_take != NULL && count >= 1);
    free(entry->manifest);
    entry->manifest = list_take;
    entry->manifest_count = count;
    if (count >= 2) {
        const struct sv_manifest *older = &list_take[count - 2];
        entry->first_commit = entry->last_number > older->trail.number ? older->commit : 0;
    }
}

uint64_t
sv_worlds_floor(const struct sv_worlds *worlds)
{
    uint64_t floor = UINT64_MAX;
    for (int i = 0; i < worlds->count; i++) {
        const struct sv_world_entry *entry = &worlds->entries[i];
        if (entry->charter != NULL && entry->first_commit != 0 && entry->first_commit < floor) {
            floor = entry->first_commit;
        }
    }
    return floor;
}

int
sv_worlds_stale(const struct sv_worlds *worlds, uint64_t below, uint64_t *numbers, int most)
{
    int count = 0;
    for (int i = 0; i < worlds->count && count < most; i++) {
        const struct sv_world_entry *entry = &worlds->entries[i];
        if (entry->charter != NULL && entry->first_commit != 0 && entry->first_commit < below) {
            numbers[count++] = entry->world;
        }
    }
    return count;
}

uint64_t
sv_worlds_past_floor(const struct sv_worlds *worlds)
{
    uint64_t floor = sv_worlds_floor(worlds);
    for (int i = 0; i < worlds->count; i++) {
        const struct sv_world_entry *entry = &worlds->entries[i];
        if (entry->charter != NULL && entry->manifest_count > 0 &&
            entry->manifest[0].commit < floor) {
            floor = entry->manifest[0].commit;
        }
    }
    return floor;
}
