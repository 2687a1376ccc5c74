/*
 * make.h: bodies and joints are made and removed, from the definition and while a world runs.
 *
 * What is made while a world runs brings its memory along: a block of its own holds a copy of the
 * definition, from which an image makes the body again, and what the baked shapes borrow.  The
 * columns grow by half when they are full.  So making and removing cost what the thing itself is.
 *
 * Slots of the original scene that were removed or changed keep what they were (struct cn_origin):
 * an image of before is put back from it.
 */
#ifndef ENGINE_WORLD_MAKE_H
#define ENGINE_WORLD_MAKE_H

#include "engine/world/world_def.h"

struct cn_world;

/* How a body's slot stands to the scene that the world was made from. */
enum cn_body_source {
    CN_SOURCE_SCENE,   /* as the scene has it */
    CN_SOURCE_CHANGED, /* of the scene, of another type or with other filters */
    CN_SOURCE_MADE,    /* made since */
    CN_SOURCE_NONE,    /* absent */
};

/* A body made while the world runs; one block, this first. */
struct cn_made {
    struct cn_body_def def;      /* its arrays are in the block; poses and velocities are zero */
    struct cn_shape_def *shapes; /* def.shapes, to be written */
    struct cn_shape_store room; /* where the baked shapes' arrays begin */
    uint64_t hash;              /* of the definition; 0: not known */
};

/* What a slot of the original scene was. */
struct cn_origin {
    struct cn_body body;
    struct cn_shape shape[]; /* body.shape_count */
};

/* ---- of the definition ---- */

/* Counts that the definition fixes, and those of the columns. */
void cn_make_count(struct cn_model *model, const struct cn_world_def *def);

/* Fills what has been laid out and cleared. */
void cn_make_all(struct cn_world *world, const struct cn_world_def *def);

/* ---- while it runs ---- */

/* Room for so many slots; false without memory, and nothing has changed. */
CN_MUST_USE bool cn_make_room(struct cn_world *world, int bodies, int shapes, int joints);

/* A copy of the definition with room for what is baked from it; NULL without memory. */
struct cn_made *cn_made_create(const struct cn_body_def *def, enum cn_dimension dimension);

/*
 * Puts a body into a free slot and its shapes into free ones from shape_first on; there is room.
 * The world takes `made`.  Motion follows from `def`, which made->def is a copy of.
 */
void cn_make_body_at(struct cn_world *world, struct cn_made *made_take,
    const struct cn_body_def *def, int slot, int shape_first);

/* Where the next body goes, and the shapes of one that has so many; where the next joint goes. */
int cn_make_body_slot(const struct cn_world *world);
int cn_make_shape_slot(const struct cn_world *world, int shape_count);
int cn_make_joint_slot(const struct cn_world *world);

/* Empties a slot; what holds on to the body (joints, springs, held inputs) has gone before. */
void cn_make_body_gone(struct cn_world *world, int slot);

/* Puts a joint into a free slot, or empties one. */
void cn_make_joint_at(struct cn_world *world, const struct cn_joint *joint, int slot);
void cn_make_joint_gone(struct cn_world *world, int slot);

/*
 * Keeps what a slot of the scene is, before it changes for the first time.  False without memory.
 */
CN_MUST_USE bool cn_make_keep_body(struct cn_world *world, int slot);
CN_MUST_USE bool cn_make_keep_joint(struct cn_world *world, int slot);

/* Makes a body of another type; one that becomes DYNAMIC has an inertia. */
void cn_make_type(struct cn_world *world, int slot, enum cn_body_type type);

/* What follows from the smallest length of what can move. */
void cn_make_tolerances(struct cn_model *model);

#endif
