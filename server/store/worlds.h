/*
 * worlds.h: what the store knows of each world: its charter, checkpoints and where its records are.
 *
 * Ascending by number.  It belongs to the journal's thread once that runs, and tells how far back
 * the journal is needed: from the checkpoint before the newest on, so that one that turns out to be
 * damaged loses nothing; not at all by a world that has no records after that one.  The checkpoints
 * before these two are the world's past (ladder.h).
 *
 * Threads: as above; and readers of what is there, under the store's mutex, which the journal's
 * thread takes where it changes the table or a list of checkpoints.
 */
#ifndef SERVER_STORE_WORLDS_H
#define SERVER_STORE_WORLDS_H

#include "server/store/manifest.h"

struct sv_world_entry {
    uint64_t world;
    unsigned char *charter; /* NULL: it has ended, and only its records are left */
    size_t charter_size;
    int crash_count;
    uint64_t crash_tick, crash_epoch;
    struct sv_manifest *manifest; /* heap, oldest first */
    int manifest_count;
    uint64_t record_bytes; /* that it has had, by the newest manifest and the journal */
    uint64_t first_commit; /* with a record of it that may be needed; 0: none */
    uint64_t last_number;  /* of its last record in the journal */
    uint64_t *commits;     /* ascending: those with records of it, as found when opening */
    int commit_count, commit_capacity;
};

struct sv_worlds {
    struct sv_world_entry *entries;
    int count, capacity;
};

void sv_worlds_finish(struct sv_worlds *worlds);
struct sv_world_entry *sv_worlds_find(struct sv_worlds *worlds, uint64_t world);

/* Finds or makes; NULL when there is no memory. */
struct sv_world_entry *sv_worlds_make(struct sv_worlds *worlds, uint64_t world);
void sv_worlds_remove(struct sv_worlds *worlds, uint64_t world);

/* A copy of the charter; false when there is no memory. */
bool
sv_worlds_charter(struct sv_world_entry *entry, const unsigned char *charter, size_t charter_size);

/* The world has a record of this size in this commit. */
void
sv_worlds_saw(struct sv_world_entry *entry, uint64_t number, uint64_t commit, size_t size);

/* Notes the commit for recovery, once; false when there is no memory. */
bool sv_worlds_index(struct sv_world_entry *entry, uint64_t commit);

/*
 * The list with one more: heap memory, of one more than there are, or as many where the newest is
 * the same file written again.  NULL when there is no memory.
 */
struct sv_manifest *sv_worlds_with(
    const struct sv_world_entry *entry, const struct sv_manifest *manifest, int *count);

/* The checkpoints are these from now on; takes the list. */
void sv_worlds_checkpoints(
    struct sv_world_entry *entry, struct sv_manifest *list_take, int count);

/* The commits below this one are not needed to recover any world; UINT64_MAX: none is. */
uint64_t sv_worlds_floor(const struct sv_worlds *worlds);

/* The worlds for which commits below this one are needed; returns how many, at most `most`. */
int sv_worlds_stale(
    const struct sv_worlds *worlds, uint64_t below, uint64_t *numbers, int most);

/* And not even to make any tick of its past again. */
uint64_t sv_worlds_past_floor(const struct sv_worlds *worlds);

#endif
