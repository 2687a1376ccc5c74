#include "clients/c/offset.h"

void
cnc_offset_add(
    struct cnc_offset *offset, uint64_t sent_us, uint64_t server_us, uint64_t received_us)
{
    unsigned i = offset->count++ % CNC_OFFSET_SAMPLES;
    uint64_t round_trip_us = received_us > sent_us ? received_us - sent_us : 0;
    offset->samples[i].round_trip_us = round_trip_us;
    offset->samples[i].offset_us = (int64_t)(server_us - sent_us - round_trip_us / 2);
}

bool
cnc_offset_ours(const struct cnc_offset *offset, uint64_t server_us, int64_t *ours_us)
{
    unsigned count = offset->count < CNC_OFFSET_SAMPLES ? offset->count : CNC_OFFSET_SAMPLES;
    unsigned best = 0;
    for (unsigned i = 1; i < count; i++) {
        if (offset->samples[i].round_trip_us < offset->samples[best].round_trip_us) {
            best = i;
        }
    }
    *ours_us = count > 0 ? (int64_t)server_us - offset->samples[best].offset_us : 0;
    return count > 0;
}
