#include "server/mail/seed.h"

#include "engine/base/assert.h"

#include <stdlib.h>
#include <string.h>

struct sv_seed *
sv_seed_create(void)
{
    return calloc(1, sizeof(struct sv_seed));
}

struct sv_seed *
sv_seed_copy(const struct sv_seed *seed)
{
    CN_ASSERT(seed->scene != NULL && (seed->bytes != NULL || seed->size == 0));
    struct sv_seed *copy = sv_seed_create();
    unsigned char *bytes = malloc(seed->size + 1);
    if (copy == NULL || bytes == NULL) {
        free(copy);
        free(bytes);
        return NULL;
    }
    memcpy(bytes, seed->bytes, seed->size);
    *copy = (struct sv_seed){.scene = sv_scene_ref(seed->scene),
        .bytes = bytes,
        .size = seed->size,
        .tick = seed->tick,
        .hash = seed->hash,
        .end_tick = seed->tick};
    return copy;
}

bool
sv_seed_add(struct sv_seed *seed, const unsigned char *record, size_t size)
{
    if (seed->record_size + size > seed->record_capacity) {
        size_t capacity = 2 * (seed->record_size + size) + 1024;
        unsigned char *larger = realloc(seed->records, capacity);
        if (larger == NULL) {
            return false;
        }
        seed->records = larger;
        seed->record_capacity = capacity;
    }
    memcpy(seed->records + seed->record_size, record, size);
    seed->record_size += size;
    CN_ASSERT(seed->record_size <= seed->record_capacity);
    return true;
}

bool
sv_seed_add_part(struct sv_seed *seed, const unsigned char content[SV_SEED_CONTENT_SIZE],
    unsigned char *bytes_take, size_t size)
{
    if (seed->part_count == seed->part_capacity) {
        int capacity = 2 * seed->part_capacity + 4;
        struct sv_seed_part *larger =
            realloc(seed->parts, (size_t)capacity * sizeof(*larger));
        if (larger == NULL) {
            free(bytes_take);
            return false;
        }
        seed->parts = larger;
        seed->part_capacity = capacity;
    }
    CN_ASSERT(seed->part_count < seed->part_capacity);
    struct sv_seed_part *part = &seed->parts[seed->part_count++];
    *part = (struct sv_seed_part){.bytes = bytes_take, .size = size};
    memcpy(part->content, content, SV_SEED_CONTENT_SIZE);
    return true;
}

const struct sv_seed_part *
sv_seed_find(const struct sv_seed *seed, const unsigned char content[SV_SEED_CONTENT_SIZE])
{
    for (int i = 0; i < seed->part_count; i++) {
        if (memcmp(seed->parts[i].content, content, SV_SEED_CONTENT_SIZE) == 0) {
            return &seed->parts[i];
        }
    }
    return NULL;
}

void
sv_seed_destroy(struct sv_seed *seed)
{
    if (seed == NULL) {
        return;
    }
    for (int i = 0; i < seed->part_count; i++) {
        free(seed->parts[i].bytes);
    }
    free(seed->parts);
    free(seed->records);
    free(seed->bytes);
    sv_scene_unref(seed->scene);
    free(seed);
}
