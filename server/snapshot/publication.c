#include "server/snapshot/publication.h"

#include "engine/base/assert.h"
#include "proto/snapshot_codec.h"
#include "server/snapshot/framing.h"

#include <stdlib.h>

static size_t
encode_contacts(const void *context, uint8_t *out, size_t out_size)
{
    return wire_encode_contacts(context, out, out_size);
}

static size_t
encode_energy(const void *context, uint8_t *out, size_t out_size)
{
    return wire_encode_energy(context, out, out_size);
}

static size_t
encode_actions(const void *context, uint8_t *out, size_t out_size)
{
    return wire_encode_actions(context, out, out_size);
}

struct sv_publication *
sv_publication_create(int member_count, int view_count)
{
    CN_ASSERT(member_count >= 0 && view_count > 0);
    struct sv_publication *publication =
        calloc(1, sizeof(*publication) + (size_t)member_count * sizeof(publication->members[0]));
    if (publication == NULL) {
        return NULL;
    }
    publication->views = calloc((size_t)view_count, sizeof(publication->views[0]));
    if (publication->views == NULL) {
        free(publication);
        return NULL;
    }
    publication->view_count = view_count;
    publication->member_count = member_count;
    return publication;
}

bool
sv_publication_add_contacts(struct sv_publication *publication,
    const struct cn_world *world, struct sv_buffer *resting)
{
    publication->contacts =
        resting != NULL ? sv_buffer_ref(resting) : sv_frame_message(encode_contacts, world);
    return publication->contacts != NULL;
}

bool
sv_publication_add_energy(struct sv_publication *publication, const struct cn_world *world)
{
    publication->energy = sv_frame_message(encode_energy, world);
    return publication->energy != NULL;
}

bool
sv_publication_add_actions(struct sv_publication *publication, const struct cn_world *world)
{
    const struct cn_held *held;
    if (cn_world_held(world, &held) == 0) {
        return true;
    }
    publication->actions = sv_frame_message(encode_actions, world);
    return publication->actions != NULL;
}

void
sv_publication_destroy(struct sv_publication *publication)
{
    if (publication != NULL) {
        for (int i = 0; i < publication->view_count; i++) {
            sv_view_finish(&publication->views[i]);
        }
        for (int i = 0; publication->has_owns && i < publication->member_count; i++) {
            sv_own_unref(publication->members[i].own);
        }
        free(publication->views);
        sv_buffer_unref(publication->contacts);
        sv_events_finish(&publication->events);
        sv_buffer_unref(publication->energy);
        sv_buffer_unref(publication->actions);
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
    CN_ASSERT(low <= publication->member_count);
    bool is_found =
        low < publication->member_count && publication->members[low].seat == seat;
    return is_found ? &publication->members[low] : NULL;
}
