/*
 * journal.h: the interface of a journal, which stores rows for the store: append, commit, scan,
 * prune.
 *
 * Rows are appended to a commit that is being made; commit makes all of them durable, or none.
 * Commits are numbered from 1 without a gap, and each holds the check of the one before: a commit's
 * chain is CRC32C(number u64, chain of the one before u32, epoch u64, records).
 *
 * Implementations: SQLite (journal_sqlite.c) and a twin in memory (journal_memory.c).
 * Threads: append, commit and prune belong to one thread, upkeep to any one other.  SQLite's scan
 * is for any, by a reader of its own; the twin's for the one that runs everything.
 */
#ifndef SERVER_STORE_JOURNAL_JOURNAL_H
#define SERVER_STORE_JOURNAL_JOURNAL_H

#include "server/store/format/fault.h"

#include <stddef.h>
#include <stdint.h>

/* Enumerator; the meaning of the row's `world`, `number` and `bytes`. */
#define SV_ROW_TABLE(X)                                                                            \
    X(RECORDS)    /* -, commit, records one after the other: one such row a commit, the last */    \
    X(SCENE)      /* as USE, a scene; its name is `content` */                                     \
    X(USE)        /* world, a record's number, -: see below */                                     \
    X(CHARTER)    /* world, -, facts about the world for the host */                               \
    X(CHECKPOINT) /* world, its trail's number, see manifest.h */                                  \
    X(CRASH)      /* world, tick, u32: how many times the process has died there in a row */       \
    X(NOTE)       /* shelf, number, see note.h */

#define X(NAME) SV_ROW_##NAME,
enum sv_row_kind { SV_ROW_TABLE(X) SV_ROW_KIND_COUNT };
#undef X

/*
 * A scene is stored as long as it has a use: a world that may begin its recovery, or its past,
 * before the record of that number.  Removing the use of a number also removes the world's uses of
 * lower numbers, and scenes without any use.
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

/* The state of a journal. */
struct sv_journal_head {
    uint64_t commit; /* the last one's number; 0: none */
    uint32_t chain;
    uint64_t epoch;        /* how many times it has been opened for writing */
    uint64_t first_commit; /* the oldest that has not been pruned */
    uint64_t world_last;   /* the highest world number that a charter has had */
};

struct sv_journal_size {
    uint64_t waiting; /* bytes of the write-ahead log that are not merged into the database */
    uint64_t used;    /* bytes of the database in use */
};

/* False stops the scan. */
typedef bool (*sv_row_visit)(void *context, const struct sv_row *row);

struct sv_journal {
    /* Adds a row to the commit; its pointers are borrowed for the call. */
    bool (*append)(void *context, const struct sv_row *row, struct sv_fault *fault);

    /*
     * Commits the appended rows; *head becomes the journal's new state.  On FULL none of them is
     * stored, and all may be appended again.  After any other fault the journal must be closed.  A
     * journal that another process has claimed since refuses with BUSY.
     */
    bool (*commit)(void *context, struct sv_journal_head *head, struct sv_fault *fault);

    /* Begins a new epoch, durably: from now on commits of earlier owners are refused. */
    bool (*claim)(void *context, struct sv_journal_head *head, struct sv_fault *fault);

    /*
     * Visits the rows of one kind in ascending order: RECORDS from commit `from` on, a scene by its
     * content, of other kinds all rows whose world is at least `from`.
     */
    bool (*scan)(void *context, enum sv_row_kind kind, uint64_t from, const unsigned char *content,
        sv_row_visit visit, void *visit_context, struct sv_fault *fault);

    /*
     * Removes up to `count_max` of the oldest commits with numbers below `below`; this need not be
     * durable.
     */
    bool (*prune)(void *context, uint64_t below, int count_max, struct sv_fault *fault);

    /* Merges what it can without blocking writers, on the keeper's thread. */
    bool (*upkeep)(void *context, struct sv_journal_size *size, struct sv_fault *fault);

    /* The merge that blocks writers, on the journal's thread: when too much waits. */
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
 * Opens or makes the database, after the sentry has checked it.  An existing one is not written
 * before it is claimed.
 */
bool
sv_journal_sqlite_open(struct sv_journal *journal, const struct sv_journal_sqlite_config *config,
    struct sv_journal_head *head, struct sv_fault *fault);

/*
 * Copies the database of a folder, which a daemon may be using, into another, as it is at one
 * commit; reports progress in bytes.  The first folder is not written.
 */
bool sv_journal_sqlite_copy(const char *from, const char *to,
    void (*progress)(void *context, uint64_t bytes), void *context, struct sv_fault *fault);

#endif
