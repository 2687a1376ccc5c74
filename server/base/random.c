#include "server/base/random.h"

#include <string.h>
#include <sys/random.h>

static bool
fill_real(void *context, uint8_t *bytes, size_t size)
{
    (void)context;
    if (getrandom(bytes, size, 0) == (ssize_t)size) { /* up to 256 bytes come whole */
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
