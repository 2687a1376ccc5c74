#include "server/snapshot/publication.h"

#include "engine/base/assert.h"
#include "server/base/frame.h"

#include <stdlib.h>

struct sv_buffer *
sv_message_frame(sv_encode *encode, const void *context)
{
    size_t size = encode(context, NULL, 0);
    size_t header_size = sv_frame_header_size(size);
    struct sv_buffer *buffer = size > 0 ? sv_buffer_create(header_size + size) : NULL;
    if (buffer != NULL) {
        sv_frame_header_write(buffer->bytes, size);
        size_t written = encode(context, buffer->bytes + header_size, size);
        CN_ASSERT(written == size);
    }
    return buffer;
}

static size_t
encode_snapshot(const void *context, uint8_t *out, size_t out_size)
{
    return wire_encode_snapshot(context, out, out_size);
}

static size_t
encode_contacts(const void *context, uint8_t *out, size_t out_size)
{
    return wire_encode_contacts(context, out, out_size);
}

static size_t
encode_events(const void *context, uint8_t *out, size_t out_size)
{
    return wire_encode_events(context, out, out_size);
}

static size_t
encode_energy(const void *context, uint8_t *out, size_t out_size)
{
    return wire_encode_energy(context, out, out_size);
}

struct sv_publication *
sv_publication_create(const struct cn_world *world, const struct wire_state *state, bool contacts,
    struct sv_buffer *resting, bool energy, int member_count)
{
    struct sv_publication *publication =
        calloc(1, sizeof(*publication) + (size_t)member_count * sizeof(publication->members[0]));
    if (publication == NULL) {
        return NULL;
    }
    publication->member_count = member_count;
    publication->snapshot = sv_message_frame(encode_snapshot, state);
    bool is_whole = publication->snapshot != NULL;
    if (contacts) {
        publication->contacts = resting != NULL ? sv_buffer_ref(resting)
                                                : sv_message_frame(encode_contacts, world);
        const struct cn_event *events;
        if (cn_world_events(world, &events) > 0 || cn_world_events_dropped(world) > 0) {
            publication->events = sv_message_frame(encode_events, world);
        }
        is_whole = is_whole && publication->contacts != NULL;
    }
    if (energy) {
        publication->energy = sv_message_frame(encode_energy, world);
        is_whole = is_whole && publication->energy != NULL;
    }
    if (!is_whole) {
        sv_publication_destroy(publication);
        return NULL;
    }
    return publication;
}

void
sv_publication_destroy(struct sv_publication *publication)
{
    if (publication != NULL) {
        sv_buffer_unref(publication->snapshot);
        sv_buffer_unref(publication->contacts);
        sv_buffer_unref(publication->events);
        sv_buffer_unref(publication->energy);
        free(publication);
    }
}

const struct sv_publication_member *
sv_publication_find(const struct sv_publication *publication, uint32_t seat)
{
    int low = 0, high = publication->member_count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (publication->members[middle].seat < seat) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bool is_found =
        low < publication->member_count && publication->members[low].seat == seat;
    return is_found ? &publication->members[low] : NULL;
}
