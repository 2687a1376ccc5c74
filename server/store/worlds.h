/*
 * worlds.h: the store's table of worlds: charters, checkpoints, and where their records are.
 *
 * It is in ascending order of numbers and belongs to the journal's thread once that runs.  It says
 * how far back the journal is needed: from the checkpoint before the newest one on, so that a
 * damaged newest checkpoint loses nothing.  A world without records after that one does not need
 * the journal. Older checkpoints are the world's past (retention.h).
 *
 * Threads: as above; and readers of the table, under the store's mutex, which the journal's
 * thread takes where it changes the table or a list of checkpoints.
 */
#ifndef SERVER_STORE_WORLDS_H
#define SERVER_STORE_WORLDS_H

#include "server/store/journal/manifest.h"

struct sv_world_entry {
    uint64_t world;
    unsigned char *charter; /* NULL: the world has ended, and only its records are left */
    size_t charter_size;
    int crash_count;
    uint64_t crash_tick, crash_epoch;
    struct sv_manifest *manifest; /* heap, oldest first */
    int manifest_count;
    uint64_t record_bytes; /* of all its records, by the newest manifest and the journal */
    uint64_t first_commit; /* the first commit with a record of it that may be needed; 0: none */
    uint64_t last_number;  /* of its last record in the journal */
    uint64_t *commits;     /* ascending: commits with records of it, as found when opening */
    int commit_count, commit_capacity;
};

struct sv_worlds {
    struct sv_world_entry *entries;
    int count, capacity;
};

void sv_worlds_finish(struct sv_worlds *worlds);
struct sv_world_entry *sv_worlds_find(struct sv_worlds *worlds, uint64_t world);

/* Finds or makes an entry; NULL without memory. */
struct sv_world_entry *sv_worlds_make(struct sv_worlds *worlds, uint64_t world);
void sv_worlds_remove(struct sv_worlds *worlds, uint64_t world);

/* Copies the charter; false without memory. */
bool
sv_worlds_charter(struct sv_world_entry *entry, const unsigned char *charter, size_t charter_size);

/* Notes that the world has a record of this size in this commit. */
void
sv_worlds_saw(struct sv_world_entry *entry, uint64_t number, uint64_t commit, size_t size);

/* Records the commit for recovery, once.  False without memory. */
bool sv_worlds_index(struct sv_world_entry *entry, uint64_t commit);

/*
 * The list with one more manifest, heap memory; the newest is replaced if it is the same file
 * written again.  NULL without memory.
 */
struct sv_manifest *sv_worlds_with(
    const struct sv_world_entry *entry, const struct sv_manifest *manifest, int *count);

/* Sets the world's checkpoints; takes the list. */
void sv_worlds_checkpoints(
    struct sv_world_entry *entry, struct sv_manifest *list_take, int count);

/* No world's recovery needs commits below this one; UINT64_MAX: none is needed. */
uint64_t sv_worlds_floor(const struct sv_worlds *worlds);

/* The worlds that need commits below this one; returns how many, at most `most`. */
int sv_worlds_stale(
    const struct sv_worlds *worlds, uint64_t below, uint64_t *numbers, int most);

/* The same, including the rebuilding of any tick of a world's past. */
uint64_t sv_worlds_past_floor(const struct sv_worlds *worlds);

#endif
