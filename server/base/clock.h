/*
 * clock.h: the only source of time in the daemon.
 *
 * All code that waits or measures gets a struct sv_clock; the simulated clock stands still until a
 * test moves it.  It is monotonic: changes of the wall clock have no effect, except on the dates of
 * tokens and certificates.
 */
#ifndef SERVER_BASE_CLOCK_H
#define SERVER_BASE_CLOCK_H

#include <stdint.h>

struct sv_clock {
    uint64_t (*now_ns)(void *context);
    int64_t (*wall_ms)(void *context);
    void *context;
};

static inline uint64_t
sv_clock_now_ns(const struct sv_clock *clock)
{
    return clock->now_ns(clock->context);
}

/* Unix seconds, by the wall clock: to compare with dates from outside. */
static inline int64_t
sv_clock_wall_s(const struct sv_clock *clock)
{
    return clock->wall_ms(clock->context) / 1000;
}

/* Unix milliseconds, by the wall clock: for the dates of log lines. */
static inline int64_t
sv_clock_wall_ms(const struct sv_clock *clock)
{
    return clock->wall_ms(clock->context);
}

/* CLOCK_MONOTONIC, CLOCK_REALTIME. */
struct sv_clock sv_clock_real(void);

/* The simulated wall clock when *now_ns is 0. */
#define SV_CLOCK_SIMULATED_S INT64_C(1800000000)

/* The simulated clock: shows *now_ns, which its owner sets. */
struct sv_clock sv_clock_simulated(uint64_t *now_ns);

#endif
