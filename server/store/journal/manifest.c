#include "engine/base/little_endian.h"
#include "server/store/journal/manifest.h"

void
sv_manifest_encode(unsigned char bytes[SV_MANIFEST_SIZE], const struct sv_manifest *manifest)
{
    cn_put_u64(bytes, manifest->trail.epoch);
    cn_put_u64(bytes + 8, manifest->tick);
    cn_put_u64(bytes + 16, manifest->commit);
    cn_put_u64(bytes + 24, manifest->file_size);
    cn_put_u32(bytes + 32, manifest->trail.chain);
    cn_put_u32(bytes + 36, manifest->trail.physics);
    cn_put_u64(bytes + 40, manifest->age_ms);
    cn_put_u64(bytes + 48, manifest->stepped_ms);
    cn_put_u64(bytes + 56, manifest->record_bytes);
}

bool
sv_manifest_decode(const struct sv_row *row, struct sv_manifest *manifest)
{
    if (row->size != SV_MANIFEST_SIZE && row->size != SV_MANIFEST_SIZE_OLD) {
        return false;
    }
    *manifest = (struct sv_manifest){.trail = {.world = row->world,
                                         .epoch = cn_get_u64(row->bytes),
                                         .number = row->number,
                                         .chain = cn_get_u32(row->bytes + 32),
                                         .physics = cn_get_u32(row->bytes + 36)},
        .tick = cn_get_u64(row->bytes + 8),
        .commit = cn_get_u64(row->bytes + 16),
        .file_size = cn_get_u64(row->bytes + 24)};
    if (row->size == SV_MANIFEST_SIZE) {
        manifest->age_ms = cn_get_u64(row->bytes + 40);
        manifest->stepped_ms = cn_get_u64(row->bytes + 48);
        manifest->record_bytes = cn_get_u64(row->bytes + 56);
    }
    return true;
}
