/*
 * frames.c: the frames of a tick as the daemon sends them: contacts, events, energy and actions.
 *
 * A client that runs the engine makes them itself, instead of receiving them in every tick.
 */
#include "wasm/inside.h"

#include "proto/snapshot_codec.h"

#include <stdlib.h>

enum wants { WANT_CONTACTS = 1, WANT_ENERGY = 2, WANT_ACTIONS = 4 };

typedef size_t encoder(const struct cn_world *world, uint8_t *out, size_t out_size);

/* Appends a ServerMessage; without memory it is left out. */
static void
add_frame(struct cairn *cairn, encoder *encode)
{
    size_t size = encode(cairn->world, NULL, 0);
    if (cairn->frames_room - cairn->frames_size < size) {
        size_t room = 2 * cairn->frames_room + size;
        uint8_t *frames = realloc(cairn->frames, room);
        if (frames == NULL) {
            return;
        }
        cairn->frames = frames;
        cairn->frames_room = room;
    }
    cairn->frames_size += encode(cairn->world, cairn->frames + cairn->frames_size, size);
}

/*
 * Makes frames of the present tick: the sum of 1 for contacts and events, 2 for energy, 4 for
 * actions.  cairn_frames_bytes() then has ServerMessages one after another, which read as one.
 * Returns their size.
 */
EXPORT(cairn_frames) size_t
cairn_frames(struct cairn *cairn, unsigned wants)
{
    cairn->frames_size = 0;
    if ((wants & WANT_CONTACTS) != 0) {
        (void)cn_world_look(cairn->world, CN_WORK_UNLIMITED);
        add_frame(cairn, wire_encode_contacts);
        add_frame(cairn, wire_encode_events);
    }
    if ((wants & WANT_ENERGY) != 0) {
        add_frame(cairn, wire_encode_energy);
    }
    if ((wants & WANT_ACTIONS) != 0) {
        add_frame(cairn, wire_encode_actions);
    }
    return cairn->frames_size;
}

EXPORT(cairn_frames_bytes) const uint8_t *
cairn_frames_bytes(const struct cairn *cairn)
{
    return cairn->frames;
}
