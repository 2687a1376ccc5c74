/*
 * walk.h: one walk over every persistent field, for measuring, writing, reading and hashing.
 */
#ifndef ENGINE_STATE_WALK_H
#define ENGINE_STATE_WALK_H

#include "engine/base/hash.h"
#include "engine/world/structure.h"
#include "engine/world/world_inside.h"

enum cn_walk_mode {
    CN_WALK_MEASURE,
    CN_WALK_WRITE,
    CN_WALK_READ,
    CN_WALK_HASH,
    CN_WALK_SAME, /* compares with read[] */
};

#define CN_WALK_STAGE 4096

struct cn_walk {
    enum cn_walk_mode mode;
    unsigned char *write;      /* WRITE: size bytes */
    const unsigned char *read; /* READ, SAME: size bytes */
    size_t size;
    size_t used;         /* bytes so far; may exceed size, but nothing beyond size is touched */
    struct cn_hash hash; /* HASH */
    bool differs;        /* SAME */
    struct cn_structure aside; /* READ: columns that were replaced; the caller frees them */
    size_t staged;       /* bytes collected on the stage, to be hashed together */
    unsigned char stage[CN_WALK_STAGE];
};

/*
 * Walks the world's persistent fields.  READ changes the world field by field and returns false as
 * soon as a count can not be right; the caller then restores the world.
 */
bool cn_walk_world(struct cn_walk *walk, struct cn_world *world);

/*
 * structure_walk.c: the slots, and the bodies and joints made after the scene.  Where they differ
 * READ replaces the world's columns and sets the old ones aside in walk->aside, also when it fails.
 */
bool cn_walk_structure(struct cn_walk *walk, struct cn_world *world);

/*
 * image.c: copies another world's fields, through an image.  `from` is only walked, so it may be a
 * world that has only its fields.
 */
enum cn_status cn_image_copy(
    struct cn_world *world, struct cn_world *from, struct cn_defect *defect);

/* section_walk.c: the parts of the state that most worlds lack, behind all others. */
bool cn_walk_sections(struct cn_walk *walk, struct cn_world *world);

/* cache_walk.c: the contact cache. */
bool cn_walk_cache(struct cn_walk *walk, struct cn_world *world);

#endif
