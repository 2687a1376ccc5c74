/*
 * structure.h: the columns of a world: how they grow, and how reading an image replaces them by
 * columns with other slots.
 */
#ifndef ENGINE_WORLD_STRUCTURE_H
#define ENGINE_WORLD_STRUCTURE_H

#include "engine/world/make.h"

/* Lays out the columns' arrays by the model's body_max, shape_max and joint_max. */
void cn_structure_layout(struct cn_world *world, struct cn_arena *arena);

/* Allocates the columns of a new world; false without memory. */
CN_MUST_USE bool cn_structure_create(struct cn_world *world);

/* Frees the columns, and the blocks of bodies made later. */
void cn_structure_destroy(struct cn_world *world);

/* Columns that have been set aside. */
struct cn_structure {
    void *columns; /* NULL: none are set aside */
    int body_count, shape_count, joint_count;
    int body_max, shape_max, joint_max;
    int body_low, shape_low, joint_low, joint_live, sensor_count, one_way_count;
    double length_min;
};

/*
 * Sets the present columns aside and puts others in their place, with the slots of the scene as the
 * world was made from and room for the given counts.  Motions must still be filled in, and joints
 * linked.  Without memory returns false and changes nothing.
 */
CN_MUST_USE bool cn_structure_begin(
    struct cn_world *world, int bodies, int shapes, int joints, struct cn_structure *aside);

/* Ends the exchange: links the joints and frees the columns set aside, or puts those back. */
void cn_structure_link(struct cn_world *world);
void cn_structure_done(struct cn_world *world, struct cn_structure *aside);
void cn_structure_back(struct cn_world *world, struct cn_structure *aside);

#endif
