/*
 * sparse_lu.h: P A = L U of a sparse matrix of square blocks, front by front.
 *
 *     A    blocks of `size` x `size` for every node and, both ways, for every edge of a graph
 *     P    a permutation within each front: the largest entry of a column becomes its pivot
 *
 * The multifrontal method: in the order of sparse_order.h each front gathers the rows and columns
 * of its nodes, of their edges and of what its children left, in one dense matrix; eliminates its
 * nodes there; keeps the rows and columns eliminated; and leaves the rest to its parent.  All work
 * is done on dense rows.  Pivots are searched within a front only, so the structure is known before
 * any number is: that suits matrices that are definite but for a part, such as I + J'XJ.
 *
 * Memory: the values of the caller's blocks, and one pool of `entry_max` numbers for the factor,
 * the front at hand and what waits for a parent.  cn_sparse_lu_analyse tells whether it fits.
 *
 * Source: Liu, "The multifrontal method for sparse matrix solution: theory and practice", SIAM
 * Review 34, 1992; Golub and Van Loan, Matrix Computations, 4th edition, section 3.2.
 */
#ifndef ENGINE_LINALG_SPARSE_LU_H
#define ENGINE_LINALG_SPARSE_LU_H

#include "engine/linalg/sparse_order.h"

#define CN_SPARSE_BLOCK_MAX 6

struct cn_sparse_lu {
    struct cn_sparse_order order;
    int size; /* of a block, 1 to CN_SPARSE_BLOCK_MAX */
    size_t entry_max;
    double *value;     /* blocks of the nodes, then two for each edge; row major */
    double *entry;
    size_t *front_at;  /* node_max: where a front begins in entry[] */
    int *pivot;        /* node_max x size: row that went to this place, within the front */
    int *waiting;      /* node_max: fronts whose remainder waits for a parent */
    int *place;        /* node_max: of a node within the front at hand */
    double *local;     /* (node_max + 1) x size: a front's part of a right side */
    int64_t work;      /* multiply-adds since the last analyse */
};

/* Room for nodes and edges as cn_sparse_order_take has it, of blocks up to size_max. */
void cn_sparse_lu_take(struct cn_sparse_lu *lu, struct cn_arena *arena, int node_max, int pair_max,
    int size_max, size_t structure_max, size_t entry_max);

/*
 * Orders the graph that the caller has made in lu->order, and sets all blocks to zero; false: it
 * needs more room than there is.
 */
bool cn_sparse_lu_analyse(struct cn_sparse_lu *lu, int size);

void cn_sparse_lu_clear(struct cn_sparse_lu *lu);

/* The block of a node, and that of rows i and columns j of an edge i, j; row major. */
double *cn_sparse_lu_node(const struct cn_sparse_lu *lu, int i);
double *cn_sparse_lu_edge(const struct cn_sparse_lu *lu, int edge, int i, int j);

/*
 * Factors the blocks, which stay as they are.  A pivot below pivot_min in size is replaced by it;
 * returns how many were.
 */
int cn_sparse_lu_factor(struct cn_sparse_lu *lu, double pivot_min);

/* x := inv(A) x; x by node, size entries each. */
void cn_sparse_lu_solve(struct cn_sparse_lu *lu, double *x);

#endif
