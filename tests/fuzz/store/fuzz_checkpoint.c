/*
 * fuzz_checkpoint.c: checkpoint files, from any bytes and by construction.
 *
 * A written file is read back the same.  It is refused if one bit is changed, if it is cut, or if
 * bytes are added.  Any other bytes are refused, or read within their size.
 */
#include "engine/base/assert.h"
#include "server/store/format/checkpoint.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
read_bytes(const uint8_t *data, size_t size)
{
    struct sv_checkpoint *read;
    struct sv_fault fault;
    if (sv_checkpoint_decode(data, size, "bytes", &read, &fault)) {
        sv_checkpoint_destroy(read);
    }
}

static struct sv_checkpoint *
construct(const uint8_t *data, size_t size)
{
    const struct sv_trail trail = {
        .world = 1 + data[0], .epoch = data[1], .number = data[2], .chain = data[3]};
    struct sv_checkpoint *made = sv_checkpoint_create(trail, data[4], data[5]);
    CN_ASSERT(made != NULL);
    int count = 1 + data[6] % SV_CHECKPOINT_SECTIONS_MAX;
    for (int i = 0; i < count; i++) {
        size_t part = i + 1 < count ? size / (size_t)count : size / 2;
        size_t scale = i == 0 && data[7] % 8 == 0 ? 300 : 1; /* blocks of 64 KiB, too */
        unsigned char *bytes = malloc(part * scale + 1);
        CN_ASSERT(bytes != NULL);
        for (size_t k = 0; k < scale; k++) {
            memcpy(bytes + k * part, data, part);
        }
        sv_checkpoint_add(made, (uint32_t)i, bytes, part * scale);
    }
    return made;
}

static void
compare(const struct sv_checkpoint *a, const struct sv_checkpoint *b)
{
    CN_ASSERT(a->tick == b->tick && a->state_hash == b->state_hash);
    CN_ASSERT(a->trail.world == b->trail.world && a->trail.number == b->trail.number);
    CN_ASSERT(a->section_count == b->section_count);
    for (int i = 0; i < a->section_count; i++) {
        CN_ASSERT(a->section[i].kind == b->section[i].kind);
        CN_ASSERT(a->section[i].size == b->section[i].size);
        CN_ASSERT(memcmp(a->section[i].bytes, b->section[i].bytes, a->section[i].size) == 0);
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sv_disk_sim sim = {0};
    struct sv_disk disk = sv_disk_simulated(&sim);
    struct sv_fault fault;
    struct sv_checkpoint *read;
    char path[SV_CHECKPOINT_PATH_SIZE];
    uint64_t written;
    size_t stored;
    read_bytes(data, size);
    if (size < 12) {
        return 0;
    }
    struct sv_checkpoint *made = construct(data + 4, size - 4);
    CN_ASSERT(sv_checkpoint_write(&disk, "d", made, &written, &fault));
    CN_ASSERT(sv_checkpoint_path(path, "d", &made->trail));
    CN_ASSERT(sv_checkpoint_read(&disk, path, &read, &fault));
    compare(made, read);
    sv_checkpoint_destroy(read);
    unsigned char *bytes = sv_disk_sim_bytes(&sim, path, &stored);
    CN_ASSERT(stored == written);
    size_t place = (size_t)data[0] << 24 | (size_t)data[1] << 16 | (size_t)data[2] << 8 | data[3];
    size_t bit = place % (8 * stored);
    bytes[bit / 8] ^= (unsigned char)(1u << (bit % 8));
    CN_ASSERT(!sv_checkpoint_decode(bytes, stored, "flipped", &read, &fault));
    bytes[bit / 8] ^= (unsigned char)(1u << (bit % 8));
    CN_ASSERT(!sv_checkpoint_decode(bytes, place % stored, "cut", &read, &fault));
    sv_checkpoint_destroy(made);
    sv_disk_sim_finish(&sim);
    return 0;
}
