/*
 * walk.h: one walk over every persistent field, for measuring, writing, reading and hashing.
 */
#ifndef ENGINE_STATE_WALK_H
#define ENGINE_STATE_WALK_H

#include "engine/base/hash.h"
#include "engine/world/world_inside.h"

enum cn_walk_mode {
    CN_WALK_MEASURE,
    CN_WALK_WRITE,
    CN_WALK_READ,
    CN_WALK_HASH,
    CN_WALK_SAME, /* compares with what stands in read[] */
};

#define CN_WALK_STAGE 4096

struct cn_walk {
    enum cn_walk_mode mode;
    unsigned char *write;      /* WRITE: size bytes */
    const unsigned char *read; /* READ, SAME: size bytes */
    size_t size;
    size_t used;         /* bytes so far; may pass size, what lies beyond is not touched */
    struct cn_hash hash; /* HASH */
    bool differs;        /* SAME */
    struct cn_structure aside; /* READ: columns that were replaced, for the caller to end */
    size_t staged;       /* bytes on the stage, to be hashed together */
    unsigned char stage[CN_WALK_STAGE];
};

/*
 * Walks the world's persistent fields. READ changes the world field by field and returns false as
 * soon as a count can not be right; the caller then puts the world back.
 */
bool cn_walk_world(struct cn_walk *walk, struct cn_world *world);

/*
 * structure_walk.c: which slots there are and what was made in them.  READ puts other columns into
 * the world where they differ, and sets the old ones aside in walk->aside, also when it fails.
 */
bool cn_walk_structure(struct cn_walk *walk, struct cn_world *world);

/* cache_walk.c: the contact cache. */
bool cn_walk_cache(struct cn_walk *walk, struct cn_world *world);

#endif
