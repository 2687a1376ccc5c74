#include "server/base/random.h"
#include "engine/base/assert.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

static bool
fill_real(void *context, uint8_t *bytes, size_t size)
{
    (void)context;
    ssize_t got;
    do {
        got = getrandom(bytes, size, 0); /* up to 256 bytes are never cut */
    } while (got < 0 && errno == EINTR);
    if (got == (ssize_t)size) {
        return true;
    }
    memset(bytes, 0, size);
    return false;
}

/* Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014, figure 17. */
static bool
fill_simulated(void *context, uint8_t *bytes, size_t size)
{
    uint64_t *state = context;
    for (size_t i = 0; i < size; i++) {
        uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
        z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
        bytes[i] = (uint8_t)(z ^ (z >> 31));
    }
    return true;
}

struct sv_random
sv_random_real(void)
{
    return (struct sv_random){.fill = fill_real};
}

struct sv_random
sv_random_simulated(uint64_t *state)
{
    return (struct sv_random){.fill = fill_simulated, .context = state};
}

uint32_t
sv_random_retry_ms(const struct sv_random *random, uint32_t least_ms)
{
    CN_ASSERT(least_ms < UINT32_MAX / 3);
    uint8_t bytes[4];
    (void)sv_random_fill(random, bytes, sizeof(bytes));
    uint32_t chance = (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 |
        (uint32_t)bytes[2] << 8 | bytes[3];
    return least_ms + chance % (2 * least_ms + 1);
}
