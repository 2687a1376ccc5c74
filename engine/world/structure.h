/*
 * structure.h: the columns of a world: how they grow, and how another set of slots is put in their
 * place when an image is read.
 */
#ifndef ENGINE_WORLD_STRUCTURE_H
#define ENGINE_WORLD_STRUCTURE_H

#include "engine/world/make.h"

/* The columns' arrays on an arena, by the model's body_max, shape_max and joint_max. */
void cn_structure_layout(struct cn_world *world, struct cn_arena *arena);

/* Allocates the columns of a new world; false without memory. */
CN_MUST_USE bool cn_structure_create(struct cn_world *world);

/* Frees the columns, and what was made. */
void cn_structure_destroy(struct cn_world *world);

/* Columns that are set aside. */
struct cn_structure {
    void *columns; /* NULL: none are */
    int body_count, shape_count, joint_count;
    int body_max, shape_max, joint_max;
    int body_low, shape_low, joint_low, joint_live, sensor_count;
    double length_min;
};

/*
 * Sets the present columns aside and puts others in their place, with the slots of the scene as the
 * world was made from and room for so many; their motions are yet to be filled in, and joints to be
 * linked.  False without memory, and nothing has changed.
 */
CN_MUST_USE bool cn_structure_begin(
    struct cn_world *world, int bodies, int shapes, int joints, struct cn_structure *aside);

/* Ends it: links the joints, and frees what was set aside; or puts that back. */
void cn_structure_link(struct cn_world *world);
void cn_structure_done(struct cn_world *world, struct cn_structure *aside);
void cn_structure_back(struct cn_world *world, struct cn_structure *aside);

#endif
