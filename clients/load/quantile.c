#include "clients/load/quantile.h"

#include "engine/base/assert.h"

#include <math.h>

#define SUB_BITS 6
#define SUB_COUNT (1u << SUB_BITS)

/* The highest bit of the value gives the octave; the six bits below it give the place in it. */
static unsigned
bucket_of(uint64_t value)
{
    if (value < SUB_COUNT) {
        return (unsigned)value;
    }
    unsigned shift = 0;
    while (value >> shift >= 2 * SUB_COUNT) {
        shift++;
    }
    return (shift + 1) * SUB_COUNT + (unsigned)(value >> shift) - SUB_COUNT;
}

static uint64_t
bucket_end(unsigned bucket)
{
    if (bucket < SUB_COUNT) {
        return bucket;
    }
    unsigned shift = bucket / SUB_COUNT - 1;
    return ((uint64_t)(bucket % SUB_COUNT + SUB_COUNT + 1) << shift) - 1;
}

void
load_quantile_add(struct load_quantile *quantile, uint64_t value)
{
    value = value > UINT32_MAX ? UINT32_MAX : value;
    unsigned bucket = bucket_of(value);
    CN_ASSERT(bucket < LOAD_QUANTILE_BUCKETS);
    quantile->counts[bucket]++;
    quantile->least = quantile->count == 0 || value < quantile->least ? value : quantile->least;
    quantile->most = value > quantile->most ? value : quantile->most;
    quantile->count++;
    quantile->sum += value;
}

uint64_t
load_quantile_at(const struct load_quantile *quantile, double q)
{
    uint64_t rank = (uint64_t)ceil(q * (double)quantile->count), below = 0;
    rank = rank > 0 ? rank : 1;
    for (unsigned i = 0; i < LOAD_QUANTILE_BUCKETS; i++) {
        below += quantile->counts[i];
        if (below >= rank) {
            uint64_t value = bucket_end(i);
            return value < quantile->most ? value : quantile->most;
        }
    }
    return quantile->most;
}

double
load_quantile_mean(const struct load_quantile *quantile)
{
    return quantile->count > 0 ? (double)quantile->sum / (double)quantile->count : 0.0;
}
