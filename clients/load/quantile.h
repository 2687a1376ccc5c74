/*
 * quantile.h: how a million times are distributed, in a few kilobytes.
 *
 * Counts in buckets of 1/64 of an octave: a quantile is above the exact one by at most 1/64 of it,
 * and never above the largest value.  Values beyond 2^32 - 1 count as that.
 */
#ifndef CLIENTS_LOAD_QUANTILE_H
#define CLIENTS_LOAD_QUANTILE_H

#include <stdint.h>

#define LOAD_QUANTILE_BUCKETS 1728 /* 64 below 64, then 64 for each of 26 octaves */

struct load_quantile {
    uint64_t counts[LOAD_QUANTILE_BUCKETS];
    uint64_t count, sum, least, most;
};

/* Zero-initialise before its first use. */
void load_quantile_add(struct load_quantile *quantile, uint64_t value);

/* The least value that the share q (0 to 1) of the values does not exceed; 0 without values. */
uint64_t load_quantile_at(const struct load_quantile *quantile, double q);

double load_quantile_mean(const struct load_quantile *quantile);

#endif
