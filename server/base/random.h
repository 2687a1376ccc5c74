/*
 * random.h: the only source of random bytes in the daemon; they cannot be guessed.
 *
 * Code that needs secrets gets a struct sv_random; its simulated twin gives the same bytes each
 * time.
 */
#ifndef SERVER_BASE_RANDOM_H
#define SERVER_BASE_RANDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sv_random {
    bool (*fill)(void *context, uint8_t *bytes, size_t size);
    void *context;
};

/* False when there is no chance to be had; the bytes are zeros then. */
static inline bool
sv_random_fill(const struct sv_random *random, uint8_t *bytes, size_t size)
{
    return random->fill(random->context, bytes, size);
}

/*
 * When somebody who is turned away shall try again [ms]: from `least_ms` to three times that, by
 * chance, so that those who were turned away together do not come back together.
 */
uint32_t sv_random_retry_ms(const struct sv_random *random, uint32_t least_ms);

/* The system's. */
struct sv_random sv_random_real(void);

/* The twin: goes on from *state, which its owner sets. */
struct sv_random sv_random_simulated(uint64_t *state);

#endif
