/*
 * hilbert.h: the position of a cell along Hilbert's curve.
 *
 * The curve visits every cell of a square or cube of 2^bits cells a side and always steps to a
 * neighbour.  So cells near each other along the curve are near each other in space. (Morton's
 * order, which only interleaves the bits, jumps: blocks of eight consecutive cells had 1.8 times as
 * many neighbouring blocks.)
 *
 * There is a table for each orientation of the curve.  For each quarter or eighth of the square or
 * cube it gives the number along the curve, and the orientation of the curve inside.
 *
 * Source: C. H. Hamilton, Compact Hilbert Indices, Dalhousie University CS-2006-07, section 2: the
 * tables are its transforms (e, d), numbered as they are met.
 */
#ifndef ENGINE_MATH_HILBERT_H
#define ENGINE_MATH_HILBERT_H

#include <stdint.h>

extern const uint8_t cn_hilbert_plane[4][4];  /* orientation inside << 2 | number */
extern const uint8_t cn_hilbert_space[12][8]; /* orientation inside << 3 | number */

/* bits <= 16 */
static inline uint32_t
cn_hilbert2(uint32_t x, uint32_t y, int bits)
{
    uint32_t along = 0, turned = 0;
    for (int bit = bits - 1; bit >= 0; bit--) {
        uint32_t entry = cn_hilbert_plane[turned][(x >> bit & 1U) | (y >> bit & 1U) << 1];
        along = along << 2 | (entry & 3U);
        turned = entry >> 2;
    }
    return along;
}

/* bits <= 10 */
static inline uint32_t
cn_hilbert3(uint32_t x, uint32_t y, uint32_t z, int bits)
{
    uint32_t along = 0, turned = 0;
    for (int bit = bits - 1; bit >= 0; bit--) {
        uint32_t eighth = (x >> bit & 1U) | (y >> bit & 1U) << 1 | (z >> bit & 1U) << 2;
        uint32_t entry = cn_hilbert_space[turned][eighth];
        along = along << 3 | (entry & 7U);
        turned = entry >> 3;
    }
    return along;
}

#endif
