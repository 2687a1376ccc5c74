/*
 * world_deeds.h: images and deeds for members in mode DEEDS.
 *
 * Such a member runs the engine itself.  It has an image of the world at some tick, and from then
 * on it is sent every deed (deed/apply.h) with the tick on whose state it acts.  So it has the bits
 * of the daemon at every tick (proto/WIRE.md, "Deeds").
 *
 *     image at T0 --> Deeds {T0, ...} --> Deeds {T1, ...} --> ...        while nothing else changes
 *                 \-> a new generation, a lost deed, a Desync --> the next image
 *
 * 1. Images and deeds are reports, which come in order and are never left out.  An image contains
 *    all deeds before it, and no deed after it.
 * 2. A reset, a load and a very large change of bodies are no deeds: each member gets a new image.
 *    The same holds if deeds were lost because memory or room for a report was missing.
 * 3. A member is sent at most one image in SV_IMAGE_NS.
 *
 * Threads: the worker of its world.
 */
#ifndef SERVER_WORLD_STATE_WORLD_DEEDS_H
#define SERVER_WORLD_STATE_WORLD_DEEDS_H

#include "server/world/data/world.h"

/*
 * Notes an entry that has acted on the present tick, if it is a deed and a member follows them.
 * `generation` is the world's before the entry: a change begins the next one.
 */
void sv_world_note_deed(
    struct sv_world *world, const struct dd_entry *entry, uint32_t generation);

/* Sends the deeds that were noted since the last call. */
void sv_world_say_deeds(struct sv_world *world);

/* A tick is done: at some ticks the members get the tick and the hash. */
void sv_world_say_deeds_tick(struct sv_world *world);

/* Every member in mode DEEDS needs a new image. */
void sv_world_renew_images(struct sv_world *world);

/* Sends images that are due, between two ticks; returns when the next one is due. */
uint64_t sv_world_say_images(struct sv_world *world, uint64_t now_ns);

/* The member has subscribed to mode DEEDS, or leaves: counts it, by 1 or -1. */
void sv_world_count_deeds(struct sv_world *world, const struct sv_member *member, int by);

/* Whether a member wants a publication of the present tick. */
bool sv_world_wants_frames(const struct sv_world *world);

/* The engine of a member has another hash: this is logged, and it gets an image. */
void sv_world_note_desync(
    struct sv_world *world, const struct sv_asker *asker, const struct wire_desync *desync);

#endif
