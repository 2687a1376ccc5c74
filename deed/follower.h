/*
 * follower.h: an engine that follows a world of a daemon by its image and its deeds.
 *
 *     begin: scene and image --> step, apply, step, ... --> the bits of the daemon at every tick
 *
 * The caller steps it by dd_follower_step (deed/rules/follow.h), which also runs the rules of the
 * scene.  It applies deeds when the engine is at their tick.
 *
 * Ownership: all zero is a follower without a world; finish.
 * Threads: one at a time.
 */
#ifndef DEED_FOLLOWER_H
#define DEED_FOLLOWER_H

#include "deed/change.h"
#include "engine/cairn.h"
#include "proto/scene.h"
#include "proto/wire.h"

struct dd_follower {
    struct cn_world *engine;  /* NULL: it has no image */
    struct wire_scene *scene; /* of which the engine was made */
    struct wire_scene *shown; /* as it is now; may be `scene` */
    uint32_t generation;      /* grows with every change */
};

/* A Joined with an image (proto/WIRE.md, "Deeds"); all bytes are borrowed. */
struct dd_image {
    const uint8_t *scene, *shown, *image; /* packed Scenes; `shown` may be NULL: it is `scene` */
    size_t scene_size, shown_size, image_size;
    uint64_t tick, hash;
    uint32_t generation;
};

void dd_follower_finish(struct dd_follower *follower);

/*
 * Begins at an image, after what it followed before.  False with *error filled: it has no world.
 */
bool dd_follower_begin(
    struct dd_follower *follower, const struct dd_image *image, struct wire_error *error);

/*
 * Applies deeds that follow each other in memory, between two ticks.  False with *error filled:
 * the bytes are not deeds, or one of them acts otherwise than in the daemon; the follower has no
 * world any more.
 */
bool dd_follower_apply(struct dd_follower *follower, const unsigned char *bytes, size_t size,
    struct wire_error *error);

/* A change that was made: `shown` follows it, and a generation begins.  False without memory. */
bool dd_follower_show(struct dd_follower *follower, const struct wire_change *change,
    const struct dd_slots *slots, struct wire_error *error);

#endif
