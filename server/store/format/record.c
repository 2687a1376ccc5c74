#include "server/store/format/record.h"

#include "engine/base/assert.h"
#include "engine/base/little_endian.h"
#include "server/store/format/crc32c.h"

#include <string.h>

#define MAGIC "CRN1"
#define CHECKED_AT 12 /* start of the checked bytes */

uint32_t
sv_record_write_header(unsigned char header[SV_RECORD_HEADER_SIZE], const struct sv_record *record)
{
    CN_ASSERT(record->world != 0 && record->number != 0);
    CN_ASSERT(record->entries_size <= SV_RECORD_ENTRIES_SIZE_MAX);
    memcpy(header, MAGIC, 4);
    cn_put_u32(header + 4, (uint32_t)(SV_RECORD_HEADER_SIZE + record->entries_size));
    cn_put_u32(header + 12, record->chain);
    cn_put_u64(header + 16, record->world);
    cn_put_u64(header + 24, record->epoch);
    cn_put_u64(header + 32, record->number);
    cn_put_u64(header + 40, record->tick);
    cn_put_u64(header + 48, record->state_hash);
    cn_put_u32(header + 56, record->physics);
    cn_put_u32(header + 60, record->flags);
    uint32_t crc = sv_crc32c(0, header + CHECKED_AT, SV_RECORD_HEADER_SIZE - CHECKED_AT);
    if (record->entries_size > 0) {
        crc = sv_crc32c(crc, record->entries, record->entries_size);
    }
    cn_put_u32(header + 8, crc);
    return crc;
}

static void
read_header(const unsigned char *bytes, struct sv_record *record)
{
    record->crc = cn_get_u32(bytes + 8);
    record->chain = cn_get_u32(bytes + 12);
    record->world = cn_get_u64(bytes + 16);
    record->epoch = cn_get_u64(bytes + 24);
    record->number = cn_get_u64(bytes + 32);
    record->tick = cn_get_u64(bytes + 40);
    record->state_hash = cn_get_u64(bytes + 48);
    record->physics = cn_get_u32(bytes + 56);
    record->flags = cn_get_u32(bytes + 60);
}

static bool
is_sound(const struct sv_record *record)
{
    bool has_hash = (record->flags & SV_RECORD_HASH) != 0;
    return record->world != 0 && record->epoch != 0 && record->number != 0 &&
           (record->number != 1 || record->chain == 0) && (has_hash || record->state_hash == 0) &&
           (record->flags & SV_RECORD_FLAGS_STORE & ~(uint32_t)SV_RECORD_HASH) == 0;
}

enum sv_record_verdict
sv_record_read(
    const unsigned char *bytes, size_t bytes_size, struct sv_record *record, size_t *size)
{
    if (bytes_size < SV_RECORD_HEADER_SIZE) {
        return SV_RECORD_SHORT;
    }
    uint32_t length = cn_get_u32(bytes + 4);
    if (memcmp(bytes, MAGIC, 4) != 0 || length < SV_RECORD_HEADER_SIZE ||
        length > SV_RECORD_SIZE_MAX) {
        return SV_RECORD_BAD;
    }
    if (length > bytes_size) {
        return SV_RECORD_SHORT;
    }
    read_header(bytes, record);
    if (sv_crc32c(0, bytes + CHECKED_AT, length - CHECKED_AT) != record->crc || !is_sound(record)) {
        return SV_RECORD_BAD;
    }
    record->entries = bytes + SV_RECORD_HEADER_SIZE;
    record->entries_size = length - SV_RECORD_HEADER_SIZE;
    CN_ASSERT(length <= bytes_size);
    *size = length;
    return SV_RECORD_GOOD;
}

bool
sv_trail_follow(struct sv_trail *trail, const struct sv_record *record)
{
    if (record->world != trail->world || record->number != trail->number + 1 ||
        record->chain != trail->chain || record->epoch < trail->epoch) {
        return false;
    }
    trail->number = record->number;
    trail->chain = record->crc;
    trail->epoch = record->epoch;
    trail->physics = record->physics;
    return true;
}
