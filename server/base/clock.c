#include "server/base/clock.h"

#include "engine/base/assert.h"
#include "server/base/limits.h"

#include <time.h>

static uint64_t
now_real(void *context)
{
    (void)context;
    struct timespec now;
    int result = clock_gettime(CLOCK_MONOTONIC, &now);
    CN_ASSERT(result == 0);
    return (uint64_t)now.tv_sec * SV_NS_PER_S + (uint64_t)now.tv_nsec;
}

static int64_t
wall_real(void *context)
{
    (void)context;
    struct timespec now;
    int result = clock_gettime(CLOCK_REALTIME, &now);
    CN_ASSERT(result == 0);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static uint64_t
now_simulated(void *context)
{
    return *(const uint64_t *)context;
}

static int64_t
wall_simulated(void *context)
{
    return SV_CLOCK_SIMULATED_S * 1000 + (int64_t)(now_simulated(context) / SV_NS_PER_MS);
}

struct sv_clock
sv_clock_real(void)
{
    return (struct sv_clock){.now_ns = now_real, .wall_ms = wall_real};
}

struct sv_clock
sv_clock_simulated(uint64_t *now_ns)
{
    return (struct sv_clock){
        .now_ns = now_simulated, .wall_ms = wall_simulated, .context = now_ns};
}
