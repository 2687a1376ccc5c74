#include "clients/c/link.h"

#define US_PER_MS 1000.0

void
cnc_link_init(struct cnc_link *link, uint64_t seed)
{
    link->rng = (struct cn_rng){.state = seed};
    cn_rng_next(&link->rng);
    link->out_us = 0;
}

uint64_t
cnc_link_pass(struct cnc_link *link, const struct cnc_link_quality *quality, uint64_t now_us,
    bool *is_stalled)
{
    double delay_ms = quality->latency_ms;
    *is_stalled = quality->loss > 0.0 && cn_rng_uniform(&link->rng, 0.0, 1.0) < quality->loss;
    if (quality->jitter_ms > 0.0) {
        delay_ms += cn_rng_uniform(&link->rng, 0.0, quality->jitter_ms);
    }
    if (*is_stalled) {
        delay_ms += CNC_RETRANSMIT_MS + 2.0 * quality->latency_ms;
    }
    uint64_t out_us = now_us + (uint64_t)(delay_ms * US_PER_MS + 0.5);
    link->out_us = out_us > link->out_us ? out_us : link->out_us;
    return link->out_us;
}
