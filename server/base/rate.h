/*
 * rate.h: a token bucket in one number (the generic cell rate algorithm).
 *
 * The number is the theoretical arrival time of the next event if they all came evenly.  No timer,
 * integers only, so the same under the simulated clock.
 * Source: ITU-T I.371 (2004), annex A.1, virtual scheduling.
 */
#ifndef SERVER_BASE_RATE_H
#define SERVER_BASE_RATE_H

#include <stdbool.h>
#include <stdint.h>

struct sv_rate {
    uint64_t arrival_ns; /* 0: all tokens are available */
};

/* The time until a token is available [ns]; 0: one is available. */
static inline uint64_t
sv_rate_wait_ns(
    const struct sv_rate *rate, uint64_t now_ns, uint64_t interval_ns, uint64_t burst)
{
    uint64_t ahead_ns = rate->arrival_ns > now_ns ? rate->arrival_ns - now_ns : 0;
    uint64_t borne_ns = interval_ns * (burst - 1);
    return ahead_ns > borne_ns ? ahead_ns - borne_ns : 0;
}

/* Takes a token even if none is available; the wait for the next one then grows. */
static inline void
sv_rate_charge(struct sv_rate *rate, uint64_t now_ns, uint64_t interval_ns)
{
    rate->arrival_ns = (rate->arrival_ns > now_ns ? rate->arrival_ns : now_ns) + interval_ns;
}

/* Takes one of `burst` tokens; one returns every `interval_ns`.  False if none is available. */
static inline bool
sv_rate_take(struct sv_rate *rate, uint64_t now_ns, uint64_t interval_ns, uint64_t burst)
{
    if (sv_rate_wait_ns(rate, now_ns, interval_ns, burst) > 0) {
        return false;
    }
    sv_rate_charge(rate, now_ns, interval_ns);
    return true;
}

#endif
