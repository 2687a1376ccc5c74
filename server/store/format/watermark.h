/*
 * watermark.h: a file with the last commit that was certainly durable.
 *
 * Two slots of 512 bytes, written in turn, so that one that is torn leaves the other:
 *
 *      0   8  magic, the bytes "CRNMARK1"
 *      8   8  sequence: one more each time; the higher good one counts
 *     16   8  number of the last durable commit
 *     24   8  epoch
 *     32   4  that commit's chain
 *     36   4  1: closed in order
 *     40      zeros
 *    508   4  CRC32C of all that
 *
 * A journal that does not reach that number, or has another chain there, has lost acknowledged
 * commits. The file is written once a second and at a close, so it may lag behind.
 */
#ifndef SERVER_STORE_FORMAT_WATERMARK_H
#define SERVER_STORE_FORMAT_WATERMARK_H

#include "server/base/disk.h"
#include "server/store/format/fault.h"

#include <stdbool.h>
#include <stdint.h>

#define SV_WATERMARK_SLOT_SIZE 512
#define SV_WATERMARK_SIZE (2 * SV_WATERMARK_SLOT_SIZE)

struct sv_watermark {
    uint64_t sequence; /* 0: no watermark yet */
    uint64_t commit, epoch;
    uint32_t chain;
    bool is_closed;
};

void
sv_watermark_encode(unsigned char slot[SV_WATERMARK_SLOT_SIZE], const struct sv_watermark *mark);
bool
sv_watermark_decode(const unsigned char slot[SV_WATERMARK_SLOT_SIZE], struct sv_watermark *mark);

/* A missing file gives sequence 0; one with two bad slots is a fault. */
bool sv_watermark_read(const struct sv_disk *disk, const char *folder, struct sv_watermark *mark,
    struct sv_fault *fault);

/* True: the watermark is durable, and the sequence has grown by one. */
bool sv_watermark_write(const struct sv_disk *disk, const char *folder, struct sv_watermark *mark,
    struct sv_fault *fault);

#endif
