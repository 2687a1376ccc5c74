/*
 * scrub.h: reads all stored data and verifies its checks, a piece at a time.
 *
 *     checkpoints   every file that the journal names: its head, and the CRC of each block
 *     commits       every one that is there: that it follows the one before, its chain, its records
 *     scenes        every one that is used: its contents' hash
 *
 * Damage is reported, and reading continues.  Data that a working store removes meanwhile is not
 * reported.  Bytes that the system has cached are read from the device, if it can drop them.
 *
 * Threads: one; the journal's scans are by a reader of its own.
 */
#ifndef SERVER_STORE_CHECK_SCRUB_H
#define SERVER_STORE_CHECK_SCRUB_H

#include "server/base/disk.h"
#include "server/store/format/checkpoint.h"
#include "server/store/format/watermark.h"
#include "server/store/journal/journal.h"
#include "server/store/journal/manifest.h"

enum sv_find_kind {
    SV_FIND_CHECKPOINT, /* of `world`, after its record `number` */
    SV_FIND_COMMIT,     /* `number`; reading continues after it */
    SV_FIND_SCENE,      /* which `world` uses, perhaps with others */
    SV_FIND_JOURNAL,    /* somewhere in the database itself */
};

struct sv_find {
    enum sv_find_kind kind;
    uint64_t world, number;
    const struct sv_fault *fault; /* names the place and the damage */
};

enum sv_scrub_phase {
    SV_SCRUB_IDLE,
    SV_SCRUB_CHECKPOINTS,
    SV_SCRUB_COMMITS,
    SV_SCRUB_SCENES,
};

struct sv_scrub_use {
    uint64_t world;
    unsigned char content[SV_CONTENT_SIZE];
};

struct sv_scrub {
    const struct sv_disk *disk;
    const char *folder;
    const struct sv_journal *journal;
    struct sv_watermark mark; /* a commit that is known from the watermark; commit 0: none */
    void (*tell)(void *context, const struct sv_find *find);
    void *context;

    enum sv_scrub_phase phase;
    uint64_t done_bytes, find_count;
    struct sv_manifest *files; /* heap */
    int file_count, file_at;
    int file;              /* being read, or -1 */
    unsigned char *head;   /* of it, heap */
    const unsigned char *checks; /* of its blocks, in `head` */
    uint64_t head_size, body_size, body_at;
    uint64_t next_commit;  /* the next expected one; 0: any */
    uint64_t read_commit;  /* the last that was read */
    uint32_t chain;        /* of it */
    struct sv_scrub_use *uses; /* heap */
    int use_count, use_capacity, use_at;
};

/* Begins to read; disk, folder, journal, tell and context are set, the rest is zeros. */
CN_MUST_USE bool sv_scrub_begin(struct sv_scrub *scrub, struct sv_fault *fault);

/* Reads at least one piece, up to about this many bytes; false: everything has been read. */
bool sv_scrub_step(struct sv_scrub *scrub, uint64_t budget_bytes);

/* Frees what it holds, whether finished or not. */
void sv_scrub_end(struct sv_scrub *scrub);

#endif
