#include "server/world/data/cap.h"

#include "engine/base/assert.h"
#include "server/base/limits.h"

#include <stdlib.h>
#include <string.h>

void
sv_caps_finish(struct sv_caps *caps)
{
    free(caps->entries);
    *caps = (struct sv_caps){0};
}

/* The index of the body's entry, or where it would be inserted. */
static int
place_of(const struct sv_caps *caps, int32_t body)
{
    int low = 0, high = caps->count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (caps->entries[middle].body < body) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

const struct wire_caps *
sv_caps_find(const struct sv_caps *caps, int32_t body)
{
    int place = place_of(caps, body);
    bool is_there = place < caps->count && caps->entries[place].body == body;
    return is_there ? &caps->entries[place].caps : NULL;
}

static bool
make_room(struct sv_caps *caps)
{
    if (caps->count < caps->capacity) {
        return true;
    }
    int capacity = caps->capacity > 0 ? 2 * caps->capacity : 16;
    struct wire_capped *entries = caps->count < SV_LEASES_MAX
        ? realloc(caps->entries, (size_t)capacity * sizeof(caps->entries[0]))
        : NULL;
    if (entries == NULL) {
        return false;
    }
    caps->entries = entries;
    caps->capacity = capacity;
    CN_ASSERT(caps->count < caps->capacity);
    return true;
}

bool
sv_caps_set(struct sv_caps *caps, int32_t body, const struct wire_caps *value)
{
    int place = place_of(caps, body);
    CN_ASSERT(place == 0 || caps->entries[place - 1].body < body); /* in ascending order */
    bool is_there = place < caps->count && caps->entries[place].body == body;
    if (wire_caps_is_empty(value)) {
        if (is_there) {
            caps->count--;
            memmove(&caps->entries[place], &caps->entries[place + 1],
                (size_t)(caps->count - place) * sizeof(caps->entries[0]));
        }
        return true;
    }
    if (!is_there) {
        if (!make_room(caps)) {
            return false;
        }
        memmove(&caps->entries[place + 1], &caps->entries[place],
            (size_t)(caps->count - place) * sizeof(caps->entries[0]));
        caps->count++;
    }
    caps->entries[place] = (struct wire_capped){.body = body, .caps = *value};
    return true;
}
