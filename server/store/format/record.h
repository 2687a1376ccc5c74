/*
 * record.h: a record: the log entries of one world between two of its ticks, behind a header.
 *
 * Little-endian, field by field, without padding:
 *
 *      0   4  magic, the bytes "CRN1"
 *      4   4  length of the whole record [B], header and entries
 *      8   4  CRC32C of everything after this field
 *     12   4  chain: the CRC of the world's record before this one; 0 for its first
 *     16   8  world, its number; never 0
 *     24   8  epoch: how many times the store had been opened when it was written
 *     32   8  number: 1 for the world's first record, then one more each
 *     40   8  tick
 *     48   8  state hash at that tick, or 0
 *     56   4  physics version
 *     60   4  flags
 *     64      entries
 *
 * A world's records are a trail: numbers follow each other without a gap, each names the check of
 * the one before, and epochs never go back.  Ticks are the host's business: an order may set them.
 * The entries, and the flags of the upper half, mean nothing here.
 */
#ifndef SERVER_STORE_FORMAT_RECORD_H
#define SERVER_STORE_FORMAT_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SV_RECORD_HEADER_SIZE 64

/* Bytes of entries in one record: the most inputs that can wait for one tick, each of 256 bytes. */
#define SV_RECORD_ENTRIES_SIZE_MAX (1024 * 1024)
#define SV_RECORD_SIZE_MAX (SV_RECORD_HEADER_SIZE + SV_RECORD_ENTRIES_SIZE_MAX)

enum sv_record_flag {
    SV_RECORD_HASH = 1 << 0, /* the state hash is given; without this flag it is 0 */
};
#define SV_RECORD_FLAGS_STORE 0xffffu    /* the store's: a reader refuses unknown ones */
#define SV_RECORD_FLAGS_HOST 0xffff0000u /* stored and returned unchanged */

struct sv_record {
    uint64_t world, epoch, number, tick, state_hash;
    uint32_t crc, chain, physics, flags;
    const unsigned char *entries; /* borrowed */
    size_t entries_size;
};

enum sv_record_verdict {
    SV_RECORD_GOOD,
    SV_RECORD_SHORT, /* the bytes end before the record does */
    SV_RECORD_BAD,   /* not a record: magic, length, check, world, number or flags */
};

/*
 * Writes the header.  The entries follow it in memory or elsewhere, and are read for the CRC.  All
 * members but crc must be set.  Returns the crc, which is the chain of the next record.
 */
uint32_t
sv_record_write_header(unsigned char header[SV_RECORD_HEADER_SIZE], const struct sv_record *record);

/*
 * Reads the record at the beginning of `bytes`, strictly.  On GOOD *size is its length, and its
 * entries point into the bytes.
 */
enum sv_record_verdict sv_record_read(
    const unsigned char *bytes, size_t bytes_size, struct sv_record *record, size_t *size);

/* The result of reading a world's next record. */
enum sv_recovery_step {
    SV_RECOVERY_RECORD, /* *record is the next one, borrowed until the next call */
    SV_RECOVERY_END,    /* there are no more records */
    /* the following records cannot be trusted; the fault names commit and world */
    SV_RECOVERY_FAULT,
};

/* The end of a world's trail, from which its next record is made. */
struct sv_trail {
    uint64_t world, epoch;
    uint64_t number; /* of the last record; 0: no record yet */
    uint32_t chain;  /* its crc */
    uint32_t physics;
};

/* Whether this record is the trail's next one; if so the trail advances, else nothing changes. */
bool sv_trail_follow(struct sv_trail *trail, const struct sv_record *record);

#endif
