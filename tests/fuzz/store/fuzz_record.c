/*
 * fuzz_record.c: records from any bytes, and by construction.
 *
 * Any bytes: a record that can be read is written again with the same bytes.  By construction: a
 * sequence of valid records of one world is read back the same.  If one bit is changed, reading
 * ends at that record or earlier.
 */
#include "engine/base/assert.h"
#include "server/store/format/record.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define RECORDS_MAX 8

static void
read_bytes(const uint8_t *data, size_t size)
{
    struct sv_record record;
    unsigned char header[SV_RECORD_HEADER_SIZE];
    size_t length;
    if (sv_record_read(data, size, &record, &length) == SV_RECORD_GOOD) {
        CN_ASSERT(length <= size && record.entries + record.entries_size == data + length);
        CN_ASSERT(sv_record_write_header(header, &record) == record.crc);
        CN_ASSERT(memcmp(header, data, sizeof(header)) == 0);
    }
}

/* Writes up to RECORDS_MAX records, each with some of the data; returns their size. */
static size_t
construct(const uint8_t *data, size_t size, unsigned char *out, int *count)
{
    struct sv_trail trail = {.world = 1 + data[0] % 3u, .epoch = 1, .physics = data[1]};
    size_t at = 0, used = 2;
    for (*count = 0; *count < RECORDS_MAX && used < size; (*count)++) {
        size_t part = data[used] % 64u;
        part = part < size - used ? part : size - used;
        struct sv_record record = {.world = trail.world,
            .epoch = trail.epoch + data[used] / 200u,
            .number = trail.number + 1,
            .tick = used,
            .chain = trail.chain,
            .physics = trail.physics,
            .flags = (uint32_t)data[used] << 16,
            .entries = data + used,
            .entries_size = part};
        record.crc = sv_record_write_header(out + at, &record);
        memcpy(out + at + SV_RECORD_HEADER_SIZE, record.entries, part);
        CN_ASSERT(sv_trail_follow(&trail, &record));
        at += SV_RECORD_HEADER_SIZE + part;
        used += part + 1;
    }
    return at;
}

/* How many records in a row are good and follow each other. */
static int
follow(const unsigned char *bytes, size_t size, uint64_t world)
{
    struct sv_trail trail = {.world = world};
    struct sv_record record;
    size_t length;
    int count = 0;
    for (size_t at = 0; at < size; at += length, count++) {
        if (sv_record_read(bytes + at, size - at, &record, &length) != SV_RECORD_GOOD ||
            !sv_trail_follow(&trail, &record)) {
            break;
        }
    }
    return count;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static unsigned char bytes[RECORDS_MAX * (SV_RECORD_HEADER_SIZE + 64)];
    int count;
    read_bytes(data, size);
    if (size < 6) {
        return 0;
    }
    size_t written = construct(data + 3, size - 3, bytes, &count);
    uint64_t world = 1 + data[3] % 3u;
    CN_ASSERT(follow(bytes, written, world) == count);
    if (written > 0) {
        size_t bit = ((size_t)data[0] << 16 | (size_t)data[1] << 8 | data[2]) % (8 * written);
        bytes[bit / 8] ^= (unsigned char)(1u << (bit % 8));
        CN_ASSERT(follow(bytes, written, world) < count);
    }
    return 0;
}
