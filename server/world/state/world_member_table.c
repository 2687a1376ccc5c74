/* world_member_table.c: the members of a world, in ascending order of seats. */
#include "server/world/state/world_member_table.h"
#include "engine/base/assert.h"

#include <stdlib.h>
#include <string.h>

/* The index of the seat's member, or where it would be inserted. */
static int
find_place(const struct sv_world *world, uint32_t seat)
{
    int low = 0, high = world->member_count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (world->members[middle].seat < seat) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    CN_ASSERT(low >= 0 && low <= world->member_count);
    return low;
}

/* NULL when the session is not in the world: it has left, and its seat may be another's by now. */
struct sv_member *
sv_world_member_of(struct sv_world *world, const struct sv_asker *asker)
{
    /* A seat changes hands by LEAVE and JOIN, so two members of one seat may be side by side. */
    for (int i = find_place(world, asker->seat);
        i < world->member_count && world->members[i].seat == asker->seat; i++) {
        if (world->members[i].session == asker->session) {
            return &world->members[i];
        }
    }
    return NULL;
}

struct sv_member *
sv_world_member(struct sv_world *world, uint64_t session)
{
    for (int i = 0; i < world->member_count; i++) {
        if (world->members[i].session == session) {
            return &world->members[i];
        }
    }
    return NULL;
}

/* Keeps the members in ascending order of seats.  NULL without memory. */
struct sv_member *
sv_world_add_member(struct sv_world *world, uint32_t seat)
{
    if (world->member_count == world->member_capacity) {
        int capacity = world->member_capacity * 2 + 8;
        struct sv_member *members = realloc(world->members, (size_t)capacity * sizeof(*members));
        if (members == NULL) {
            return NULL;
        }
        world->members = members;
        world->member_capacity = capacity;
    }
    int place = find_place(world, seat);
    CN_ASSERT(world->member_count < world->member_capacity);
    CN_ASSERT(place == 0 || world->members[place - 1].seat < seat); /* in ascending order */
    memmove(&world->members[place + 1], &world->members[place],
        (size_t)(world->member_count - place) * sizeof(world->members[0]));
    world->member_count++;
    memset(&world->members[place], 0, sizeof(world->members[place]));
    world->members[place].seat = seat;
    return &world->members[place];
}

const char *
sv_world_member_name(struct sv_world *world, uint64_t session)
{
    const struct sv_member *member = sv_world_member(world, session);
    return member != NULL && member->name[0] != '\0' ? member->name : "a guest";
}
