/*
 * offset.h: estimates the offset between the daemon's clock and ours.
 *
 * Of the last pings the one with the shortest round trip is the most precise: its answer was made
 * between sending and receiving, so their middle is wrong by at most half the round trip.
 *
 *     offset = server - (sent + received) / 2
 *
 * **Source:** the clock filter of RFC 5905, section 10, without its statistics.
 */
#ifndef CLIENTS_C_OFFSET_H
#define CLIENTS_C_OFFSET_H

#include <stdbool.h>
#include <stdint.h>

#define CNC_OFFSET_SAMPLES 16

struct cnc_offset {
    struct {
        uint64_t round_trip_us;
        int64_t offset_us;
    } samples[CNC_OFFSET_SAMPLES];
    unsigned count; /* samples so far */
};

/* Zero-initialise it first.  All times in microseconds; sent_us and received_us by our clock. */
void cnc_offset_add(
    struct cnc_offset *offset, uint64_t sent_us, uint64_t server_us, uint64_t received_us);

/* Converts a time of the daemon's clock to ours; false before the first sample. */
bool cnc_offset_ours(const struct cnc_offset *offset, uint64_t server_us, int64_t *ours_us);

#endif
