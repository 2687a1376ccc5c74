/*
 * sentry.h: checks a write-ahead log before SQLite opens it.
 *
 * SQLite uses the frames up to the first bad checksum and silently drops the rest, because a torn
 * tail looks like that.  But a bad frame before a later commit of the same log is not a torn tail:
 * it is damage to committed data.
 *
 * A log is 32 bytes of header and frames of 24 bytes and a page (sqlite.org/fileformat2, "WAL file
 * format").  A frame belongs to the log when its salts are the header's; its checksum continues
 * that of the frame before.  Behind a bad frame a later one is good when its checksum continues the
 * one that the frame before it contains.  It counts when it is a commit other than the one that the
 * bad frame is part of: the last commit may be torn anywhere: it was never acknowledged.
 *
 * Leftover frames of an earlier generation have other salts.  Damage within the last commit cannot
 * be distinguished from a torn tail here; the watermark detects it if the commit is older than a
 * second.
 */
#ifndef SERVER_STORE_JOURNAL_SENTRY_H
#define SERVER_STORE_JOURNAL_SENTRY_H

#include "server/base/disk.h"
#include "server/store/format/fault.h"

#include <stdint.h>

enum sv_sentry_verdict {
    SV_SENTRY_EMPTY, /* no log, or none with a valid header: nothing was committed through it */
    SV_SENTRY_WHOLE, /* every frame up to the end, or to those of an earlier generation, is good */
    SV_SENTRY_TORN,  /* the tail is not a commit: never acknowledged, SQLite drops it */
    SV_SENTRY_DAMAGED, /* a frame is bad and a later commit is good */
};

struct sv_sentry_report {
    enum sv_sentry_verdict verdict;
    uint32_t page_size;
    uint64_t frame_count;     /* whole frames in the file */
    uint64_t frame_good;      /* good ones from the beginning */
    uint64_t frame_committed; /* of these, up to the last commit */
    uint64_t frame_ours;      /* the last frame with this log's salts, good or not */
    uint64_t frame_later;     /* DAMAGED: the later commit, counted from 1 */
};

/*
 * Reads through a function, so that the file need not be in memory.  False: it could not be read.
 */
typedef bool (*sv_sentry_read)(
    void *context, uint64_t offset, unsigned char *bytes, size_t size, size_t *got);
bool sv_sentry_walk(sv_sentry_read read, void *context, struct sv_sentry_report *report);

/* Such a function for an open file: its context is a struct sv_sentry_file. */
struct sv_sentry_file {
    const struct sv_disk *disk;
    int file;
};
bool sv_sentry_read_file(
    void *context, uint64_t offset, unsigned char *bytes, size_t size, size_t *got);

/*
 * Looks at journal.db-wal in the folder.  On damage the files are copied to "damaged-EPOCH-N"
 * beside them, the fault names the frame, and nothing is removed.
 */
bool sv_sentry_check(const struct sv_disk *disk, const char *folder,
    struct sv_sentry_report *report, struct sv_fault *fault);

#endif
