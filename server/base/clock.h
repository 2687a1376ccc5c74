/*
 * clock.h: the only source of time in the daemon.
 *
 * Everything that waits or measures is given a struct sv_clock; its simulated twin stands still
 * until a test moves it.  Monotonic: a change of the wall clock is never seen.
 */
#ifndef SERVER_BASE_CLOCK_H
#define SERVER_BASE_CLOCK_H

#include <stdint.h>

struct sv_clock {
    uint64_t (*now_ns)(void *context);
    void *context;
};

static inline uint64_t
sv_clock_now_ns(const struct sv_clock *clock)
{
    return clock->now_ns(clock->context);
}

/* CLOCK_MONOTONIC. */
struct sv_clock sv_clock_real(void);

/* The twin: shows *now_ns, which its owner sets. */
struct sv_clock sv_clock_simulated(uint64_t *now_ns);

#endif
