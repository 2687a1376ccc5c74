/*
 * tree.h: a tree of boxes, eight to a node, over shapes in the order of a space-filling curve.
 *
 * Shapes stand in slots along the curve; eight neighbouring slots make a block, eight blocks one
 * block of the level above, and so on to a single one, the root.  So the tree has no pointers: the
 * parent of block b of a level is block b / 8 of the next, and b's box there is number b % 8.
 *
 *     level 2                    [ . . ]
 *     level 1        [ . . . . . . . . ]    [ . . ]
 *     level 0   [8 shapes] [8 shapes] ...  [8 shapes] [3 shapes]
 *
 * A shape that moves changes its box and those above it; the order stays, and is made anew (some
 * twenty nanoseconds a shape) when many have moved or new ones have come.  Marks lead from the root
 * to the leaves whose boxes are new, so that work on them costs nothing elsewhere.
 *
 * Order: by size class (a box much wider than is usual would spoil the blocks of small ones), then
 * by the place of the centre along Hilbert's curve.  Runs of one place are ordered anew within
 * their own bounds, so a body that flew far away does not cost the others their order.
 *
 * Source: V. Havran, R. Herzog, H.-P. Seidel, On the Fast Construction of Spatial Hierarchies for
 * Ray Tracing (2006), and C. Lauterbach et al., Fast BVH Construction on GPUs (2009), section 4,
 * for order along a curve; A. Guttman's R-tree (1984), packed.
 *
 * Ownership: all memory is the caller's; nothing here allocates.
 */
#ifndef ENGINE_COLLIDE_TREE_H
#define ENGINE_COLLIDE_TREE_H

#include "engine/collide/broadphase.h"
#include "engine/math/box.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CN_TREE_LEVELS_MAX 11 /* 8^11 > 2^31 */

struct cn_tree {
    struct cn_box8 *box;  /* by block, the lowest level first */
    uint8_t *mark;        /* by block: bit i: something below child i is new */
    int32_t *shape;       /* by slot; -1: a hole */
    int leaf_count;       /* slots, holes among them */
    int level_count;      /* 0: no blocks */
    int level_first[CN_TREE_LEVELS_MAX]; /* block */
    int level_size[CN_TREE_LEVELS_MAX];  /* blocks */
    struct cn_box bound;  /* around all blocks */
    int32_t *marked; /* when listed: blocks with marks, the highest level first, each ascending */
    int marked_end[CN_TREE_LEVELS_MAX + 1]; /* level k: from marked_end[k + 1] */
};

/* Blocks, at most, of a tree of so many shapes. */
int cn_tree_block_max(int shape_max);

/*
 * Makes the tree anew from the shapes item[0 .. count - 1] (their low 32 bits; the high ones are
 * ignored), whose boxes stand at box + stride * shape bytes.  item and spare, of count each, are
 * scratch.  No marks are left.
 */
void cn_tree_build(struct cn_tree *tree, const struct cn_box *box, size_t stride, uint64_t *item,
    uint64_t *spare, int count);

/*
 * Sorts items by `bits` of their bits, from bit `low` on; equal ones keep their order.  spare is
 * scratch for as many.
 */
void cn_tree_sort(uint64_t *item, uint64_t *spare, int count, int low, int bits);

/* Changes the box in a slot and marks it. */
void cn_tree_place(struct cn_tree *tree, int slot, const struct cn_box *box);

/* Marks a slot. */
void cn_tree_mark(struct cn_tree *tree, int slot);

/* Lists the blocks that have marks. */
void cn_tree_list(struct cn_tree *tree);

/* Brings the boxes above the marks that are listed up to date. */
void cn_tree_refit(struct cn_tree *tree);

/* Takes away the marks that are listed. */
void cn_tree_unmark(struct cn_tree *tree);

/* The box that the tree has around the block of a slot: as of the last refit. */
struct cn_box cn_tree_around(const struct cn_tree *tree, int slot);

/* Takes a batch of pairs of shapes, at most CN_TREE_BATCH. */
typedef void cn_tree_take(void *context, const struct cn_pair *pairs, int count);
#define CN_TREE_BATCH 256

/* Gives all pairs of shapes whose boxes meet and of which one is marked, once each; a, b in any
 * order. */
void cn_tree_meet_self(const struct cn_tree *tree, cn_tree_take *take, void *context);
void cn_tree_meet_other(
    const struct cn_tree *a, const struct cn_tree *b, cn_tree_take *take, void *context);

/* Calls visit for every shape whose box meets `box`, until it answers false; false then. */
typedef bool cn_tree_visit(void *context, int shape);
bool cn_tree_query(
    const struct cn_tree *tree, const struct cn_box *box, cn_tree_visit *visit, void *context);

/* A segment from + t along, 0 <= t <= fraction, with a radius around it [m]. */
struct cn_ray {
    cn_vec3 from, along;
    double radius;
};

/* Where the segment meets the box first, or 2 where it does not up to `fraction` <= 1. */
double cn_ray_enter(const struct cn_ray *ray, const struct cn_box *box, double fraction);

/*
 * Calls visit for shapes whose boxes the segment meets, the nearer blocks first; visit answers the
 * new fraction, 0 ends it.  Returns the last fraction.
 */
typedef double cn_tree_visit_ray(void *context, int shape, double fraction);
double cn_tree_cast(const struct cn_tree *tree, const struct cn_ray *ray, double fraction,
    cn_tree_visit_ray *visit, void *context);

#endif
