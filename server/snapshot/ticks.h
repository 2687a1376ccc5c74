/* ticks.h: which ticks of a world belong to a lower rate; the same for all clients of the rate. */
#ifndef SERVER_SNAPSHOT_TICKS_H
#define SERVER_SNAPSHOT_TICKS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* Whether the rate has a tick after `from`, up to `tick`: as in server/net/pace.h. */
static inline bool
sv_rate_has_tick(uint32_t rate_hz, uint64_t from, uint64_t tick, double tick_rate_hz)
{
    if (rate_hz == 0 || rate_hz >= tick_rate_hz || tick < from) {
        return true;
    }
    double part = rate_hz / tick_rate_hz;
    return floor((double)tick * part) > floor((double)from * part);
}

#endif
