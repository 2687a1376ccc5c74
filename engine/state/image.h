/*
 * image.h: a world's persistent state as a hash and as bytes.
 */
#ifndef ENGINE_STATE_IMAGE_H
#define ENGINE_STATE_IMAGE_H

#include "engine/world/world.h"

/*
 * A hash of 64 bits over every persistent field.  It is part of the interface and changes only with
 * the physics.
 */
uint64_t cn_world_hash(const struct cn_world *world);

/* The version of the physics; results of different versions may differ. */
uint32_t cn_physics_version(void);

/*
 * An image holds every persistent field (engine/state/fields.h), one by one, little-endian, with a
 * checksum.  It is read into a world made from the same definition; the world then continues with
 * the same bits as if it had never been written.  Events and impulses of a tick are output, not
 * state.  An image that is refused leaves the world unchanged.
 */
size_t cn_world_image_size(const struct cn_world *world);
size_t cn_world_image_write(const struct cn_world *world, void *buffer, size_t size);
CN_MUST_USE enum cn_status cn_world_image_read(
    struct cn_world *world, const void *image, size_t size, struct cn_defect *defect);

/* The version of the physics that wrote an image; 0: the data does not begin like an image. */
uint32_t cn_image_physics(const void *image, size_t size);

#endif
