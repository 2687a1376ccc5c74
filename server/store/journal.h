/*
 * journal.h: the seam between the store and what keeps its rows: append, commit, scan, prune.
 *
 * Rows are appended to a commit that is being made; commit makes all of them durable, or none.
 * Commits are numbered from 1 without a gap, and each holds the check of the one before: a commit's
 * chain is CRC32C(number u64, chain of the one before u32, epoch u64, records).
 *
 * Implementations: SQLite (journal_sqlite.c) and a twin in memory (journal_memory.c).
 * Threads: append, commit and prune belong to one thread, upkeep to any one other.  SQLite's scan
 * is for any, by a reader of its own; the twin's for the one that runs everything.
 */
#ifndef SERVER_STORE_JOURNAL_H
#define SERVER_STORE_JOURNAL_H

#include "server/store/fault.h"

#include <stddef.h>
#include <stdint.h>

/* Enumerator, what `world`, `number` and `bytes` of the row are. */
#define SV_ROW_TABLE(X)                                                                            \
    X(RECORDS)    /* -, commit, records one after the other: one such row a commit, the last */    \
    X(SCENE)      /* as USE, a scene; its name is `content` */                                     \
    X(USE)        /* world, a record's number, -: see below */                                     \
    X(CHARTER)    /* world, -, what the host wants to know of it */                                \
    X(CHECKPOINT) /* world, its trail's number, see manifest.h */                                  \
    X(CRASH)      /* world, tick, u32: how many times the process has died there in a row */

#define X(NAME) SV_ROW_##NAME,
enum sv_row_kind { SV_ROW_TABLE(X) SV_ROW_KIND_COUNT };
#undef X

/*
 * A scene is kept as long as somebody uses it: a world whose way back, or past, may begin before
 * the record of that number.  Removing the use of a number removes the world's of lower ones, too,
 * and the scenes that nobody uses then.
 */
#define SV_USE_ALWAYS ((uint64_t)INT64_MAX)

struct sv_row {
    enum sv_row_kind kind;
    uint64_t world, number;
    const unsigned char *content; /* of a scene, a use: 32 bytes */
    const unsigned char *bytes;   /* NULL: the row is removed */
    size_t size;
    uint64_t epoch; /* of RECORDS */
    uint32_t chain; /* of RECORDS, when scanned */
};

/* Where the journal stands. */
struct sv_journal_head {
    uint64_t commit; /* the last one's number; 0: none */
    uint32_t chain;
    uint64_t epoch;        /* how many times it has been opened to be written */
    uint64_t first_commit; /* the oldest that is still there */
    uint64_t world_last;   /* the highest number that a charter has had */
};

struct sv_journal_size {
    uint64_t waiting; /* bytes of the log that are not merged into the database */
    uint64_t used;    /* bytes of the database that hold something */
};

/* False stops the scan. */
typedef bool (*sv_row_visit)(void *context, const struct sv_row *row);

struct sv_journal {
    /* Adds a row to the commit; what it points to is borrowed for the call. */
    bool (*append)(void *context, const struct sv_row *row, struct sv_fault *fault);

    /*
     * Makes a commit of what was appended; *head is where the journal stands then.  On FULL nothing
     * of it is kept, and everything may be appended again; after any other fault the journal is to
     * be closed.  A journal that another has claimed since refuses with BUSY.
     */
    bool (*commit)(void *context, struct sv_journal_head *head, struct sv_fault *fault);

    /* Begins a new epoch, durably: from now on nobody else's commits are taken. */
    bool (*claim)(void *context, struct sv_journal_head *head, struct sv_fault *fault);

    /*
     * Shows rows of one kind in ascending order; RECORDS from commit `from`, a scene by its content
     * only, of the others all whose world is at least `from`.
     */
    bool (*scan)(void *context, enum sv_row_kind kind, uint64_t from, const unsigned char *content,
        sv_row_visit visit, void *visit_context, struct sv_fault *fault);

    /* Removes up to `count_max` of the oldest commits with numbers below `below`, durably or not.
     */
    bool (*prune)(void *context, uint64_t below, int count_max, struct sv_fault *fault);

    /* Merges what it can without stopping writers, on the keeper's thread. */
    bool (*upkeep)(void *context, struct sv_journal_size *size, struct sv_fault *fault);

    /* The merge that stops writers, on the journal's thread: when too much waits. */
    bool (*merge)(void *context, struct sv_fault *fault);

    void (*close)(void *context);
    void *context;
};

/* The chain of a commit, see above. */
uint32_t sv_journal_chain(
    uint64_t number, uint32_t before, uint64_t epoch, const void *records, size_t size);

struct sv_journal_sqlite_config {
    const char *folder; /* borrowed during open; the files are journal.db and its -wal, -shm */
    const char *vfs;    /* of SQLite; NULL: the system's */
};

/*
 * Opens or makes the database, of which the sentry thinks well.  Nothing is written to one that is
 * there before it is claimed.
 */
bool
sv_journal_sqlite_open(struct sv_journal *journal, const struct sv_journal_sqlite_config *config,
    struct sv_journal_head *head, struct sv_fault *fault);

#endif
