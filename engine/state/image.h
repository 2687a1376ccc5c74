/*
 * image.h: a world's persistent state as a hash and as bytes.
 */
#ifndef ENGINE_STATE_IMAGE_H
#define ENGINE_STATE_IMAGE_H

#include "engine/world/world.h"

/* 64 bits over every persistent field; part of the interface, changes only with the physics. */
uint64_t cn_world_hash(const struct cn_world *world);

/* The physics' version: results of different versions may differ. */
uint32_t cn_physics_version(void);

/*
 * An image holds every persistent field (engine/state/fields.h), one by one, little-endian, with a
 * checksum.  It is read into a world made from the same definition; what follows has the same bits
 * as if the world had never been written.  Events and impulses of a tick are output, not state.
 * An image that is refused leaves the world as it was.
 */
size_t cn_world_image_size(const struct cn_world *world);
size_t cn_world_image_write(const struct cn_world *world, void *buffer, size_t size);
CN_MUST_USE enum cn_status cn_world_image_read(
    struct cn_world *world, const void *image, size_t size, struct cn_defect *defect);

#endif
