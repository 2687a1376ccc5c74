/*
 * clock.h: the only source of time in the daemon.
 *
 * Everything that waits or measures is given a struct sv_clock; its simulated twin stands still
 * until a test moves it.  Monotonic: a change of the wall clock is never seen, except where a token
 * or a certificate is dated.
 */
#ifndef SERVER_BASE_CLOCK_H
#define SERVER_BASE_CLOCK_H

#include <stdint.h>

struct sv_clock {
    uint64_t (*now_ns)(void *context);
    int64_t (*wall_s)(void *context);
    void *context;
};

static inline uint64_t
sv_clock_now_ns(const struct sv_clock *clock)
{
    return clock->now_ns(clock->context);
}

/* Unix seconds, by the wall clock: for dates that others have written. */
static inline int64_t
sv_clock_wall_s(const struct sv_clock *clock)
{
    return clock->wall_s(clock->context);
}

/* CLOCK_MONOTONIC, CLOCK_REALTIME. */
struct sv_clock sv_clock_real(void);

/* The wall clock of the twin when *now_ns is 0. */
#define SV_CLOCK_SIMULATED_S INT64_C(1800000000)

/* The twin: shows *now_ns, which its owner sets. */
struct sv_clock sv_clock_simulated(uint64_t *now_ns);

#endif
