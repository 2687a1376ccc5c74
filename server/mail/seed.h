/*
 * seed.h: a world at a tick, as bytes from which others are made, and the records after that tick.
 *
 * Made on the pool of a world's past (server/past/seek.h); forks and replays begin with it.
 *
 * Threads: a value that one thread owns at a time.
 */
#ifndef SERVER_MAIL_SEED_H
#define SERVER_MAIL_SEED_H

#include "server/mail/scene.h"

#include <stddef.h>
#include <stdint.h>

#define SV_SEED_CONTENT_SIZE 32

/* Bytes that a record names by their content hash. */
struct sv_seed_part {
    unsigned char content[SV_SEED_CONTENT_SIZE];
    unsigned char *bytes; /* heap */
    size_t size;
};

struct sv_seed {
    struct sv_scene *scene; /* the loaded scene */
    unsigned char *bytes;   /* heap: those of a checkpoint */
    size_t size;
    uint64_t tick, hash; /* of the exact state, before sessions leave it */

    unsigned char *records; /* heap: the records from that tick on, one after the other ... */
    size_t record_size, record_capacity;
    struct sv_seed_part *parts;
    int part_count, part_capacity;
    uint64_t end_tick; /* ... before this one */
};

struct sv_seed *sv_seed_create(void); /* NULL without memory */

/* Copies the seed without its records.  NULL without memory. */
struct sv_seed *sv_seed_copy(const struct sv_seed *seed);

/* Add a record, and bytes that a record names.  False without memory. */
bool sv_seed_add(struct sv_seed *seed, const unsigned char *record, size_t size);
bool sv_seed_add_part(struct sv_seed *seed, const unsigned char content[SV_SEED_CONTENT_SIZE],
    unsigned char *bytes_take, size_t size);
const struct sv_seed_part *sv_seed_find(
    const struct sv_seed *seed, const unsigned char content[SV_SEED_CONTENT_SIZE]);

void sv_seed_destroy(struct sv_seed *seed);

#endif
