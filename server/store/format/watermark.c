#include "server/store/format/watermark.h"

#include "engine/base/little_endian.h"
#include "server/store/format/crc32c.h"
#include "server/store/format/record.h"

#include <stdio.h>
#include <string.h>

#define MAGIC "CRNMARK1"
#define CRC_AT 508
#define PATH_SIZE 4096

void
sv_watermark_encode(unsigned char slot[SV_WATERMARK_SLOT_SIZE], const struct sv_watermark *mark)
{
    memset(slot, 0, SV_WATERMARK_SLOT_SIZE);
    memcpy(slot, MAGIC, 8);
    cn_put_u64(slot + 8, mark->sequence);
    cn_put_u64(slot + 16, mark->commit);
    cn_put_u64(slot + 24, mark->epoch);
    cn_put_u32(slot + 32, mark->chain);
    cn_put_u32(slot + 36, mark->is_closed ? 1 : 0);
    cn_put_u32(slot + CRC_AT, sv_crc32c(0, slot, CRC_AT));
}

bool
sv_watermark_decode(const unsigned char slot[SV_WATERMARK_SLOT_SIZE], struct sv_watermark *mark)
{
    if (memcmp(slot, MAGIC, 8) != 0 || cn_get_u32(slot + CRC_AT) != sv_crc32c(0, slot, CRC_AT)) {
        return false;
    }
    mark->sequence = cn_get_u64(slot + 8);
    mark->commit = cn_get_u64(slot + 16);
    mark->epoch = cn_get_u64(slot + 24);
    mark->chain = cn_get_u32(slot + 32);
    mark->is_closed = cn_get_u32(slot + 36) == 1;
    return mark->sequence != 0 && cn_get_u32(slot + 36) <= 1;
}

static bool
path_of(char path[PATH_SIZE], const char *folder, struct sv_fault *fault)
{
    return (size_t)snprintf(path, PATH_SIZE, "%s/watermark", folder) < PATH_SIZE ||
           sv_fault_set(fault, SV_FAULT_MISSING, "the folder's name is too long");
}

/* The first mark goes into the second slot: while the first is empty, that write may have been cut.
 */
static bool
is_first_cut(const unsigned char *bytes)
{
    for (int i = 0; i < SV_WATERMARK_SLOT_SIZE; i++) {
        if (bytes[i] != 0) {
            return false;
        }
    }
    return true;
}

bool
sv_watermark_read(const struct sv_disk *disk, const char *folder, struct sv_watermark *mark,
    struct sv_fault *fault)
{
    char path[PATH_SIZE];
    unsigned char bytes[SV_WATERMARK_SIZE] = {0};
    int file;
    size_t got;
    *mark = (struct sv_watermark){0};
    if (!path_of(path, folder, fault)) {
        return false;
    }
    enum sv_disk_result result = disk->open(disk->context, path, SV_DISK_READ, &file);
    if (result == SV_DISK_MISSING) {
        return true;
    }
    if (result == SV_DISK_OK) {
        result = disk->read_at(disk->context, file, 0, bytes, sizeof(bytes), &got);
        disk->close(disk->context, file);
    }
    if (result != SV_DISK_OK) {
        return sv_fault_set_disk(fault, result, path);
    }
    struct sv_watermark slot[2] = {{0}};
    bool is_good[2];
    for (int i = 0; i < 2; i++) {
        is_good[i] = sv_watermark_decode(bytes + i * SV_WATERMARK_SLOT_SIZE, &slot[i]);
    }
    if (is_good[0] || is_good[1]) {
        bool second = is_good[1] && (!is_good[0] || slot[1].sequence > slot[0].sequence);
        *mark = slot[second ? 1 : 0];
        return true;
    }
    return is_first_cut(bytes) ||
           sv_fault_set(fault, SV_FAULT_CRC,
               "%s: neither of its two slots is good; remove the file to go on without it", path);
}

bool
sv_watermark_write(const struct sv_disk *disk, const char *folder, struct sv_watermark *mark,
    struct sv_fault *fault)
{
    char path[PATH_SIZE];
    unsigned char bytes[SV_WATERMARK_SLOT_SIZE];
    struct sv_watermark next = *mark;
    int file;
    next.sequence++;
    if (!path_of(path, folder, fault)) {
        return false;
    }
    sv_watermark_encode(bytes, &next);
    enum sv_disk_result result = disk->open(disk->context, path, SV_DISK_WRITE, &file);
    if (result == SV_DISK_OK) {
        result = disk->write_at(disk->context, file, (next.sequence % 2) * SV_WATERMARK_SLOT_SIZE,
            bytes, sizeof(bytes));
        if (result == SV_DISK_OK) {
            result = disk->datasync(disk->context, file);
        }
        disk->close(disk->context, file);
    }
    if (result == SV_DISK_OK && mark->sequence == 0) {
        result = disk->sync_folder(disk->context, folder);
    }
    if (result != SV_DISK_OK) {
        return sv_fault_set_disk(fault, result, path);
    }
    *mark = next;
    return true;
}
