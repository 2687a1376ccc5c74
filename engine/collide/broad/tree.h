/*
 * tree.h: a tree of boxes, eight to a node, over shapes in the order of a space-filling curve.
 *
 * Shapes stand in slots along the curve.  Eight neighbouring slots make a block, eight blocks make
 * a block of the level above, and so on up to a single one, the root.  So the tree has no pointers:
 * the parent of block b of a level is block b / 8 of the next level, and b's box there is number b
 * % 8.
 *
 *     level 2                    [ . . ]
 *     level 1        [ . . . . . . . . ]    [ . . ]
 *     level 0   [8 shapes] [8 shapes] ...  [8 shapes] [3 shapes]
 *
 * A shape that moves changes its box and those above it; the order stays.  The tree is ordered
 * again (some twenty nanoseconds a shape) when many shapes have moved or new ones were added.
 * Marks lead from the root to the leaves whose boxes are new, so that work on them costs nothing
 * elsewhere.
 *
 * Order: by size class (a box much wider than usual would spoil the blocks of small ones), then by
 * the centre's position along Hilbert's curve.  Runs of equal codes are ordered again within their
 * own bounds, so a body that flew far away does not spoil the order of the others.
 *
 * Source: V. Havran, R. Herzog, H.-P. Seidel, On the Fast Construction of Spatial Hierarchies for
 * Ray Tracing (2006), and C. Lauterbach et al., Fast BVH Construction on GPUs (2009), section 4,
 * for order along a curve; A. Guttman's R-tree (1984), packed.
 *
 * Invariants:
 *
 *     1  level 0 has a block for each eight slots, each level an eighth of the one below, rounded
 *        up, and the last level one block; the levels follow each other in box[] and mark[]
 *     2  a block with a mark is marked in the block above it
 *     3  marked[] lists blocks of every level if it lists one, as many as there are blocks at most
 *     4  a slot without a shape has an empty box, which overlaps nothing
 *
 * Ownership: all memory is the caller's; nothing here allocates.
 */
#ifndef ENGINE_COLLIDE_BROAD_TREE_H
#define ENGINE_COLLIDE_BROAD_TREE_H

#include "engine/collide/broad/broadphase.h"
#include "engine/math/box.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CN_TREE_LEVELS_MAX 11 /* 8^11 > 2^31 */

struct cn_tree {
    struct cn_box8 *box;  /* by block, the lowest level first */
    uint8_t *mark;        /* by block: bit i: a box below child i is new */
    int32_t *shape;       /* by slot; -1: a hole */
    int leaf_count;       /* slots, including holes */
    int level_count;      /* 0: no blocks */
    int level_first[CN_TREE_LEVELS_MAX]; /* block */
    int level_size[CN_TREE_LEVELS_MAX];  /* blocks */
    struct cn_box bound;  /* around all blocks */
    int32_t *marked; /* when listed: blocks with marks, the highest level first, each ascending */
    int marked_end[CN_TREE_LEVELS_MAX + 1]; /* level k: from marked_end[k + 1] */
};

/* The largest number of blocks of a tree with shape_max shapes. */
int cn_tree_block_max(int shape_max);

/*
 * Builds the tree from the shapes item[0 .. count - 1] (their low 32 bits; the high ones are
 * ignored), whose boxes are at box + stride * shape bytes.  item and spare, of count each, are
 * scratch.  No marks are left.
 */
void cn_tree_build(struct cn_tree *tree, const struct cn_box *box, size_t stride, uint64_t *item,
    uint64_t *spare, int count);

/*
 * Sorts items by `bits` of their bits, from bit `low` on; equal ones keep their order.  spare is
 * scratch of the same length.
 */
void cn_tree_sort(uint64_t *item, uint64_t *spare, int count, int low, int bits);

/* Changes the box in a slot and marks it. */
void cn_tree_place(struct cn_tree *tree, int slot, const struct cn_box *box);

/* Marks a slot. */
void cn_tree_mark(struct cn_tree *tree, int slot);

/* Lists the blocks that have marks. */
void cn_tree_list(struct cn_tree *tree);

/* Updates the boxes above the listed marks. */
void cn_tree_refit(struct cn_tree *tree);

/* Clears the listed marks. */
void cn_tree_unmark(struct cn_tree *tree);

/* The box of the tree around the block of a slot, as of the last refit. */
struct cn_box cn_tree_around(const struct cn_tree *tree, int slot);

/* Takes a batch of pairs of shapes, at most CN_TREE_BATCH. */
typedef void cn_tree_take(void *context, const struct cn_pair *pairs, int count);
#define CN_TREE_BATCH 256

/*
 * Gives all pairs of shapes whose boxes overlap and of which one is marked, once each; a, b in any
 * order.
 */
void cn_tree_meet_self(const struct cn_tree *tree, cn_tree_take *take, void *context);
void cn_tree_meet_other(
    const struct cn_tree *a, const struct cn_tree *b, cn_tree_take *take, void *context);

/*
 * Calls visit for every shape whose box overlaps `box`, until it returns false; then returns false.
 */
typedef bool cn_tree_visit(void *context, int shape);
bool cn_tree_query(
    const struct cn_tree *tree, const struct cn_box *box, cn_tree_visit *visit, void *context);

/* A segment from + t along, 0 <= t <= fraction, with a radius around it [m]. */
struct cn_ray {
    cn_vec3 from, along;
    double radius;
};

/* Where the segment enters the box, or 2 where it does not up to `fraction` <= 1. */
double cn_ray_enter(const struct cn_ray *ray, const struct cn_box *box, double fraction);

/*
 * Calls visit for shapes whose boxes the segment meets, the nearer blocks first; visit returns the
 * new fraction, 0 ends it.  Returns the last fraction.
 */
typedef double cn_tree_visit_ray(void *context, int shape, double fraction);
double cn_tree_cast(const struct cn_tree *tree, const struct cn_ray *ray, double fraction,
    cn_tree_visit_ray *visit, void *context);

#endif
