/*
 * hilbert.h: where a cell stands along Hilbert's curve.
 *
 * The curve goes through every cell of a square or cube of 2^bits cells a side, each time into a
 * neighbour, so that cells near each other along the curve are near each other in space.  (Morton's
 * order, which only mixes the bits, jumps: blocks of eight neighbours of it had 1.8 times as many
 * neighbouring blocks.)
 *
 * A table says for each orientation of the curve, and each quarter or eighth of the square or cube,
 * which number it has and how the curve is turned within.
 *
 * Source: C. H. Hamilton, Compact Hilbert Indices, Dalhousie University CS-2006-07, section 2: the
 * tables are its transforms (e, d), numbered as they are met.
 */
#ifndef ENGINE_MATH_HILBERT_H
#define ENGINE_MATH_HILBERT_H

#include <stdint.h>

extern const uint8_t cn_hilbert_plane[4][4];  /* orientation within << 2 | number */
extern const uint8_t cn_hilbert_space[12][8]; /* orientation within << 3 | number */

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
