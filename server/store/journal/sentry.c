#include "server/store/journal/sentry.h"
#include "engine/base/assert.h"


#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEADER_SIZE 32
#define FRAME_HEADER_SIZE 24
#define PAGE_SIZE_MAX 65536
#define PATH_SIZE 4096

static uint32_t
read_big_endian(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/*
 * The checksum of the format: pairs of words, s0 += x[i] + s1, s1 += x[i + 1] + s0.  The magic
 * number says whether the words are big-endian.
 */
static void
add_up(uint32_t sum[2], const unsigned char *bytes, size_t size, bool is_big)
{
    CN_ASSERT(size % 8 == 0); /* pairs of words */
    uint32_t s0 = sum[0], s1 = sum[1];
    for (size_t i = 0; i < size; i += 8) {
        const unsigned char *a = bytes + i, *b = bytes + i + 4;
        uint32_t x = is_big
                         ? read_big_endian(a)
                         : (uint32_t)a[3] << 24 | (uint32_t)a[2] << 16 | (uint32_t)a[1] << 8 | a[0];
        uint32_t y = is_big
                         ? read_big_endian(b)
                         : (uint32_t)b[3] << 24 | (uint32_t)b[2] << 16 | (uint32_t)b[1] << 8 | b[0];
        s0 += x + s1;
        s1 += y + s0;
    }
    sum[0] = s0;
    sum[1] = s1;
}

struct walk {
    unsigned char header[HEADER_SIZE];
    uint32_t sum[2];  /* of the good frames so far */
    uint32_t said[2]; /* the checksum in the frame before */
    unsigned char salts[8];
    bool is_big;
    bool has_bad;   /* a frame, or the header, was bad */
    bool has_ended; /* the commit of the bad frame has ended too */
    unsigned char frame[FRAME_HEADER_SIZE + PAGE_SIZE_MAX];
};

/*
 * If the header's checksum is bad, SQLite ignores the whole log.  The header is written alone, in
 * one sector, before the frames of its generation.  So the frames after it are checked like frames
 * after a bad frame, with the header's plausible values.
 */
static void
read_header(struct walk *walk, struct sv_sentry_report *report)
{
    uint32_t magic = read_big_endian(walk->header);
    bool has_magic = (magic & ~1u) == 0x377f0682u;
    walk->is_big = has_magic && (magic & 1) != 0;
    report->page_size = read_big_endian(walk->header + 8);
    bool is_size = report->page_size >= 512 && report->page_size <= PAGE_SIZE_MAX &&
                   (report->page_size & (report->page_size - 1)) == 0;
    add_up(walk->sum, walk->header, 24, walk->is_big);
    memcpy(walk->said, walk->sum, sizeof(walk->sum));
    memcpy(walk->salts, walk->header + 16, 8);
    walk->has_bad = !has_magic || !is_size || read_big_endian(walk->header + 4) != 3007000 ||
                    walk->sum[0] != read_big_endian(walk->header + 24) ||
                    walk->sum[1] != read_big_endian(walk->header + 28);
    if (walk->has_bad) {
        const uint16_t one = 1;
        walk->is_big = *(const unsigned char *)&one == 0; /* the order of this machine */
        report->page_size = 4096;                         /* the size that we use */
        walk->has_ended = true;
        report->verdict = SV_SENTRY_EMPTY;
    }
}

static bool
is_sum_right(const struct walk *walk, const uint32_t before[2], uint32_t page_size)
{
    uint32_t sum[2] = {before[0], before[1]};
    add_up(sum, walk->frame, 8, walk->is_big);
    add_up(sum, walk->frame + FRAME_HEADER_SIZE, page_size, walk->is_big);
    return sum[0] == read_big_endian(walk->frame + 16) &&
           sum[1] == read_big_endian(walk->frame + 20);
}

/*
 * For SQLite the log ends at the first bad frame.  Frames of a commit are written only after the
 * commit before is durable.  So a good frame after the commit with the bad frame proves damage: a
 * torn write cannot leave it.
 */
static void
look_at_frame(struct walk *walk, struct sv_sentry_report *report, uint64_t index)
{
    bool is_ours = memcmp(walk->frame + 8, walk->salts, 8) == 0;
    bool is_commit = read_big_endian(walk->frame + 4) != 0;
    bool is_good = is_ours && read_big_endian(walk->frame) != 0 &&
                   is_sum_right(walk, walk->has_bad ? walk->said : walk->sum, report->page_size);
    if (!walk->has_bad && is_good) {
        report->frame_good = index;
        report->frame_committed = is_commit ? index : report->frame_committed;
        walk->sum[0] = read_big_endian(walk->frame + 16);
        walk->sum[1] = read_big_endian(walk->frame + 20);
    } else if (!walk->has_bad) {
        walk->has_bad = true;
        report->verdict = is_ours ? SV_SENTRY_TORN : report->verdict;
    } else if (is_good && is_commit && walk->has_ended && report->frame_later == 0) {
        report->frame_later = index;
        report->verdict = SV_SENTRY_DAMAGED;
    }
    report->frame_ours = is_ours ? index : report->frame_ours;
    walk->has_ended = walk->has_ended || (walk->has_bad && is_ours && is_commit);
    walk->said[0] = read_big_endian(walk->frame + 16);
    walk->said[1] = read_big_endian(walk->frame + 20);
}

static bool
walk_frames(struct walk *walk, sv_sentry_read read, void *context, struct sv_sentry_report *report)
{
    CN_ASSERT(report->page_size >= 512 && report->page_size <= PAGE_SIZE_MAX); /* see read_header */
    size_t frame_size = FRAME_HEADER_SIZE + report->page_size, got;
    for (uint64_t i = 0;; i++) {
        if (!read(context, HEADER_SIZE + i * frame_size, walk->frame, frame_size, &got)) {
            return false;
        }
        if (got < frame_size) {
            return true;
        }
        report->frame_count = i + 1;
        if (i == 0 && walk->has_bad) { /* without a header the first frame gives the salts */
            memcpy(walk->salts, walk->frame + 8, 8);
        }
        look_at_frame(walk, report, i + 1);
    }
}

bool
sv_sentry_walk(sv_sentry_read read, void *context, struct sv_sentry_report *report)
{
    size_t got;
    struct walk *walk = calloc(1, sizeof(*walk));
    *report = (struct sv_sentry_report){.verdict = SV_SENTRY_EMPTY};
    bool is_read = walk != NULL && read(context, 0, walk->header, HEADER_SIZE, &got);
    if (is_read && got == HEADER_SIZE) {
        report->verdict = SV_SENTRY_WHOLE;
        read_header(walk, report);
        is_read = walk_frames(walk, read, context, report);
        if (report->verdict == SV_SENTRY_WHOLE && report->frame_committed < report->frame_good) {
            report->verdict = SV_SENTRY_TORN;
        }
    }
    free(walk);
    return is_read;
}

bool
sv_sentry_read_file(void *context, uint64_t offset, unsigned char *bytes, size_t size, size_t *got)
{
    const struct sv_sentry_file *source = context;
    return source->disk->read_at(source->disk->context, source->file, offset, bytes, size, got) ==
           SV_DISK_OK;
}

/* Copies a file in its folder, durably; a missing file needs no copy. */
static bool
copy_file(const struct sv_disk *disk, const char *from, const char *to)
{
    unsigned char bytes[65536];
    int source, target;
    enum sv_disk_result result = disk->open(disk->context, from, SV_DISK_READ, &source);
    if (result != SV_DISK_OK) {
        return result == SV_DISK_MISSING;
    }
    result = disk->open(disk->context, to, SV_DISK_REPLACE, &target);
    if (result == SV_DISK_OK) {
        size_t got = sizeof(bytes);
        for (uint64_t at = 0; got == sizeof(bytes) && result == SV_DISK_OK; at += got) {
            result = disk->read_at(disk->context, source, at, bytes, sizeof(bytes), &got);
            if (result == SV_DISK_OK && got > 0) {
                result = disk->write_at(disk->context, target, at, bytes, got);
            }
        }
        if (result == SV_DISK_OK) {
            result = disk->datasync(disk->context, target);
        }
        disk->close(disk->context, target);
    }
    disk->close(disk->context, source);
    return result == SV_DISK_OK;
}

/* The first start that finds a damage makes the copies; later starts find the copies. */
static bool
keep_copies(const struct sv_disk *disk, const char *folder)
{
    static const char *const names[] = {"journal.db", "journal.db-wal", "journal.db-shm"};
    char from[PATH_SIZE], to[PATH_SIZE];
    bool is_kept = true;
    for (int i = 0; i < 3 && is_kept; i++) {
        int file;
        snprintf(from, sizeof(from), "%s/%s", folder, names[i]);
        snprintf(to, sizeof(to), "%s/damaged-%s", folder, names[i]);
        if (disk->open(disk->context, to, SV_DISK_READ, &file) == SV_DISK_OK) {
            disk->close(disk->context, file);
        } else {
            is_kept = copy_file(disk, from, to);
        }
    }
    return is_kept;
}

bool
sv_sentry_check(const struct sv_disk *disk, const char *folder, struct sv_sentry_report *report,
    struct sv_fault *fault)
{
    char path[PATH_SIZE];
    struct sv_sentry_file source = {.disk = disk};
    *report = (struct sv_sentry_report){.verdict = SV_SENTRY_EMPTY};
    if ((size_t)snprintf(path, sizeof(path), "%s/damaged-journal.db-wal", folder) >= sizeof(path)) {
        return sv_fault_set(fault, SV_FAULT_MISSING, "the folder's name is too long");
    }
    snprintf(path, sizeof(path), "%s/journal.db-wal", folder);
    enum sv_disk_result result = disk->open(disk->context, path, SV_DISK_READ, &source.file);
    if (result == SV_DISK_MISSING) {
        return true;
    }
    bool is_read = result == SV_DISK_OK && sv_sentry_walk(sv_sentry_read_file, &source, report);
    if (result == SV_DISK_OK) {
        disk->close(disk->context, source.file);
    }
    if (result != SV_DISK_OK) {
        return sv_fault_set_disk(fault, result, path);
    }
    if (!is_read) {
        return sv_fault_set(fault, SV_FAULT_IO, "%s: it can not be read", path);
    }
    if (report->verdict != SV_SENTRY_DAMAGED) {
        return true;
    }
    bool is_kept = keep_copies(disk, folder);
    return sv_fault_set(fault, SV_FAULT_WAL_DAMAGED,
        "%s: frame %" PRIu64 " of %" PRIu64 " is damaged, and frame %" PRIu64
        " is a later commit; nothing is changed, and copies %s as damaged-journal.db*",
        path, report->frame_good + 1, report->frame_count, report->frame_later,
        is_kept ? "are kept" : "could not be kept");
}
