/*
 * make.h: makes and removes bodies and joints, from the definition and while a world runs.
 *
 * A body made while a world runs has a memory block of its own.  The block holds a copy of the
 * definition, from which an image makes the body again, and the arrays of its baked shapes.  The
 * columns grow by half when they are full.  So the cost of making and removing depends only on the
 * thing itself.
 *
 * When a slot of the scene is removed or changed, its original is saved (struct cn_origin): an
 * earlier image is restored from it.
 */
#ifndef ENGINE_WORLD_MAKE_H
#define ENGINE_WORLD_MAKE_H

#include "engine/world/world_def.h"

struct cn_world;

/* How a body's slot relates to the scene that the world was made from. */
enum cn_body_source {
    CN_SOURCE_SCENE,   /* unchanged from the scene */
    CN_SOURCE_CHANGED, /* from the scene, but of another type or with other filters */
    CN_SOURCE_MADE,    /* made later */
    CN_SOURCE_NONE,    /* absent */
};

/* A body made while the world runs; one block, which begins with this. */
struct cn_made {
    struct cn_body_def def;      /* its arrays are in the block; poses and velocities are zero */
    struct cn_shape_def *shapes; /* def.shapes, writable */
    struct cn_shape_store room; /* where the baked shapes' arrays begin */
    uint64_t hash;              /* of the definition; 0: not computed */
};

/* The original of a slot of the scene. */
struct cn_origin {
    struct cn_body body;
    struct cn_shape shape[]; /* body.shape_count */
};

/* ---- from the definition ---- */

/* The counts that the definition fixes, and those of the columns. */
void cn_make_count(struct cn_model *model, const struct cn_world_def *def);

/* Fills arrays that have been laid out and cleared. */
void cn_make_all(struct cn_world *world, const struct cn_world_def *def);

/* ---- while it runs ---- */

/* Makes room for so many slots; without memory returns false and changes nothing. */
CN_MUST_USE bool cn_make_room(struct cn_world *world, int bodies, int shapes, int joints);

/* A copy of the definition with room for its baked shapes; NULL without memory. */
struct cn_made *cn_made_create(const struct cn_body_def *def, enum cn_dimension dimension);

/*
 * Puts a body into a free slot and its shapes into free slots from shape_first on; there is room.
 * The world takes `made`.  The motion comes from `def`, of which made->def is a copy.
 */
void cn_make_body_at(struct cn_world *world, struct cn_made *made_take,
    const struct cn_body_def *def, int slot, int shape_first);

/*
 * The slots that the next body, the shapes of a body with shape_count, and the next joint will get.
 */
int cn_make_body_slot(const struct cn_world *world);
int cn_make_shape_slot(const struct cn_world *world, int shape_count);
int cn_make_joint_slot(const struct cn_world *world);

/* Empties a slot; joints, springs and held inputs of the body have been removed before. */
void cn_make_body_gone(struct cn_world *world, int slot);

/* Puts a joint into a free slot, or empties one. */
void cn_make_joint_at(struct cn_world *world, const struct cn_joint *joint, int slot);
void cn_make_joint_gone(struct cn_world *world, int slot);

/*
 * Saves the original of a slot of the scene, before its first change.  False without memory.
 */
CN_MUST_USE bool cn_make_keep_body(struct cn_world *world, int slot);
CN_MUST_USE bool cn_make_keep_joint(struct cn_world *world, int slot);

/* Changes a body's type; a body that becomes DYNAMIC must have an inertia. */
void cn_make_type(struct cn_world *world, int slot, enum cn_body_type type);

/* Sets the tolerances, which follow from the smallest length of movable bodies. */
void cn_make_tolerances(struct cn_model *model);

#endif
