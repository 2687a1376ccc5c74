/*
 * journal_memory.h: the journal's twin, in memory.
 *
 * Committed rows survive closing the journal, and can be opened again; rows that were only appended
 * are lost.  Tests choose which commits fail, and how, and how many of the last commits are lost by
 * a disk that lied about its flushes.
 */
#ifndef SERVER_STORE_JOURNAL_JOURNAL_MEMORY_H
#define SERVER_STORE_JOURNAL_JOURNAL_MEMORY_H

#include "server/store/journal/journal.h"

struct sv_memory_row {
    struct sv_row row; /* points into `bytes` */
    unsigned char content[32];
    unsigned char *bytes;
};

struct sv_memory_rows {
    struct sv_memory_row *rows;
    int count, capacity;
};

struct sv_journal_memory {
    struct sv_memory_rows kept[SV_ROW_KIND_COUNT], pending;
    struct sv_journal_head head;

    /*
     * Commit attempts are counted from 1; from this one on `fail_count` of them fail with this
     * fault.
     */
    uint64_t attempt_count, fail_first, fail_count;
    enum sv_fault_kind fail_kind;
};

/*
 * The memory begins as zeros.  One journal uses it at a time; a later claim fences an earlier one.
 */
struct sv_journal
sv_journal_memory_open(struct sv_journal_memory *memory, struct sv_journal_head *head);

/* Acts as if the process had died: rows that were not committed are lost. */
void sv_journal_memory_crash(struct sv_journal_memory *memory);

/* Loses the last commits, which an honest disk never does. */
void sv_journal_memory_forget(struct sv_journal_memory *memory, int commit_count);

void sv_journal_memory_finish(struct sv_journal_memory *memory);

#endif
