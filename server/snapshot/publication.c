#include "server/snapshot/publication.h"

#include "proto/snapshot_codec.h"
#include "server/snapshot/message.h"

#include <stdlib.h>

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

/* Contacts and events. */
static bool
add_contacts(struct sv_publication *publication, const struct cn_world *world,
    struct sv_buffer *resting)
{
    const struct cn_event *events;
    publication->contacts =
        resting != NULL ? sv_buffer_ref(resting) : sv_message_frame(encode_contacts, world);
    if (cn_world_events(world, &events) > 0 || cn_world_events_dropped(world) > 0) {
        publication->events = sv_message_frame(encode_events, world);
    }
    return publication->contacts != NULL;
}

struct sv_publication *
sv_publication_create(const struct cn_world *world, struct wire_state *state,
    struct wire_state *const before[2], const struct sv_wants *wants, struct sv_buffer *resting,
    struct sv_view_tools *tools, int member_count)
{
    struct sv_publication *publication =
        calloc(1, sizeof(*publication) + (size_t)member_count * sizeof(publication->members[0]));
    if (publication == NULL) {
        return NULL;
    }
    publication->member_count = member_count;
    sv_view_init(&publication->view, state);
    bool is_whole = true;
    tools->world = world;
    for (int mode = 0; mode < WIRE_MODE_COUNT; mode++) {
        is_whole = is_whole &&
            (!wants->mode[mode] ||
                sv_view_show(&publication->view, tools, (enum wire_mode)mode, before[0],
                    before[1]) != NULL);
    }
    if (wants->contacts) {
        is_whole = is_whole && add_contacts(publication, world, resting);
    }
    if (wants->energy) {
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
        sv_view_finish(&publication->view);
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
