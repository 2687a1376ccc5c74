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

/* False if the system has no random numbers; the bytes are then zeros. */
static inline bool
sv_random_fill(const struct sv_random *random, uint8_t *bytes, size_t size)
{
    return random->fill(random->context, bytes, size);
}

/*
 * The time after which a refused client retries [ms]: a random number from `least_ms` to three
 * times that, so that clients that were refused together do not return together.
 */
uint32_t sv_random_retry_ms(const struct sv_random *random, uint32_t least_ms);

/* The system's random numbers. */
struct sv_random sv_random_real(void);

/* Reproducible random numbers for simulations; they continue from *state, which its owner sets. */
struct sv_random sv_random_simulated(uint64_t *state);

#endif
