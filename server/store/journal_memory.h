/*
 * journal_memory.h: the journal's twin, in memory.
 *
 * What is committed stays in the memory's hands when the journal is closed, and can be opened
 * again; what was only appended is gone.  Tests say which commits fail, how, and how many of the
 * last ones a disk forgets that has lied about its flushes.
 */
#ifndef SERVER_STORE_JOURNAL_MEMORY_H
#define SERVER_STORE_JOURNAL_MEMORY_H

#include "server/store/journal.h"

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

    /* Commit attempts, counted from 1: `fail_count` of them from this one on fail in this way. */
    uint64_t attempt_count, fail_first, fail_count;
    enum sv_fault_kind fail_kind;
};

/* The memory begins as zeros; one journal at a time, a later claim fences an earlier one. */
struct sv_journal
sv_journal_memory_open(struct sv_journal_memory *memory, struct sv_journal_head *head);

/* The process has died: what was appended and not committed is gone. */
void sv_journal_memory_crash(struct sv_journal_memory *memory);

/* The disk has forgotten its last commits, which no honest disk does. */
void sv_journal_memory_forget(struct sv_journal_memory *memory, int commit_count);

void sv_journal_memory_finish(struct sv_journal_memory *memory);

#endif
