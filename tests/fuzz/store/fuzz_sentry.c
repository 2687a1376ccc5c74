/*
 * fuzz_sentry.c: write-ahead logs from any bytes, and by construction.
 *
 * A log has several commits of some frames.  A log that is cut anywhere does not count as damaged.
 * The same holds if sectors of its last commit were not written, and still have those of an earlier
 * generation.  If a bit is changed in a commit before the last two, the log counts as damaged, and
 * the report names the frame.
 */
#include "engine/base/assert.h"
#include "server/store/journal/sentry.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define PAGE 4096
#define FRAME (24 + PAGE)
#define FRAMES_MAX 24

struct log {
    unsigned char bytes[32 + FRAMES_MAX * FRAME];
    size_t size;
    int frame_count, commit_count;
    int first[FRAMES_MAX + 1]; /* frame of each commit, and the end */
};

static bool
read_log(void *context, uint64_t offset, unsigned char *bytes, size_t size, size_t *got)
{
    const struct log *log = context;
    *got = offset < log->size ? log->size - (size_t)offset : 0;
    *got = *got < size ? *got : size;
    if (*got > 0) {
        memcpy(bytes, log->bytes + offset, *got);
    }
    return true;
}

static struct sv_sentry_report
walk(struct log *log)
{
    struct sv_sentry_report report;
    CN_ASSERT(sv_sentry_walk(read_log, log, &report));
    return report;
}

static void
put_big(unsigned char *bytes, uint32_t value)
{
    for (int i = 0; i < 4; i++) {
        bytes[i] = (unsigned char)(value >> (24 - 8 * i));
    }
}

/* Little-endian words, as SQLite writes them on this machine; the format's own words. */
static void
add_up(uint32_t sum[2], const unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i += 8) {
        uint32_t x = 0, y = 0;
        for (int k = 3; k >= 0; k--) {
            x = x << 8 | bytes[i + (size_t)k];
            y = y << 8 | bytes[i + 4 + (size_t)k];
        }
        sum[0] += x + sum[1];
        sum[1] += y + sum[0];
    }
}

static void
construct(struct log *log, const uint8_t *data, size_t size, uint32_t salt)
{
    uint32_t sum[2] = {0, 0};
    memset(log, 0, sizeof(*log));
    put_big(log->bytes, 0x377f0682u);
    put_big(log->bytes + 4, 3007000);
    put_big(log->bytes + 8, PAGE);
    put_big(log->bytes + 16, salt);
    put_big(log->bytes + 20, ~salt);
    add_up(sum, log->bytes, 24);
    put_big(log->bytes + 24, sum[0]);
    put_big(log->bytes + 28, sum[1]);
    for (size_t i = 0; i < size && log->frame_count < FRAMES_MAX; i++) {
        unsigned char *frame = log->bytes + 32 + (size_t)log->frame_count * FRAME;
        bool is_commit = data[i] % 3 == 0;
        put_big(frame, 1 + data[i] % 16u);
        put_big(frame + 4, is_commit ? 7 + data[i] : 0);
        put_big(frame + 8, salt);
        put_big(frame + 12, ~salt);
        for (int k = 0; k < PAGE; k++) {
            frame[24 + k] = (unsigned char)(data[i] + k * (int)(i + 1));
        }
        add_up(sum, frame, 8);
        add_up(sum, frame + 24, PAGE);
        put_big(frame + 16, sum[0]);
        put_big(frame + 20, sum[1]);
        log->frame_count++;
        if (is_commit) {
            log->first[++log->commit_count] = log->frame_count;
        }
    }
    log->size = 32 + (size_t)log->frame_count * FRAME;
}

static void
flip(struct log *log, size_t place)
{
    struct sv_sentry_report report;
    int commits = log->commit_count - 2;
    if (commits < 1) {
        return;
    }
    size_t bits = 8 * (32 + (size_t)log->first[commits] * FRAME);
    size_t bit = place % bits;
    log->bytes[bit / 8] ^= (unsigned char)(1u << (bit % 8));
    report = walk(log);
    if (bit / 8 < 32) {
        CN_ASSERT(report.verdict == SV_SENTRY_DAMAGED || log->frame_count < 5);
    } else {
        CN_ASSERT(report.verdict == SV_SENTRY_DAMAGED);
        CN_ASSERT(report.frame_good == (bit / 8 - 32) / FRAME);
    }
    log->bytes[bit / 8] ^= (unsigned char)(1u << (bit % 8));
}

/* The last commit is being written over an older log, and the power is cut. */
static void
tear(struct log *log, const struct log *older, const uint8_t *data, size_t size)
{
    size_t begin = 32 + (size_t)log->first[log->commit_count] * FRAME;
    if (log->commit_count > 0) {
        begin = 32 + (size_t)log->first[log->commit_count - 1] * FRAME;
    }
    for (size_t at = begin; at < log->size;) {
        size_t next = (at / 512 + 1) * 512;
        next = next < log->size ? next : log->size;
        if (data[(at / 512) % size] & 1) {
            memcpy(log->bytes + at, older->bytes + at, next - at);
        }
        at = next;
    }
    CN_ASSERT(walk(log).verdict != SV_SENTRY_DAMAGED);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct log log, older;
    if (size < 5) {
        return 0;
    }
    log.size = size < sizeof(log.bytes) ? size : sizeof(log.bytes);
    memcpy(log.bytes, data, log.size);
    walk(&log);
    size_t place = (size_t)data[0] << 16 | (size_t)data[1] << 8 | data[2];
    construct(&log, data + 3, size - 3, 0x01020304);
    construct(&older, data + 4, size - 4, 0x01020303);
    struct sv_sentry_report report = walk(&log);
    CN_ASSERT(report.frame_good == (uint64_t)log.frame_count);
    CN_ASSERT(report.frame_committed == (uint64_t)log.first[log.commit_count]);
    flip(&log, place);
    size_t whole = log.size;
    log.size = place % (whole + 1);
    CN_ASSERT(walk(&log).verdict != SV_SENTRY_DAMAGED);
    log.size = whole;
    tear(&log, &older, data, size);
    return 0;
}
