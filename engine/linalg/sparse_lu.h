/*
 * sparse_lu.h: P A = L U of a sparse matrix of square blocks, front by front.
 *
 *     A    blocks of `size` x `size` for every node and, both ways, for every edge of a graph
 *     P    a permutation within each front: the largest entry of a column becomes its pivot
 *
 * The multifrontal method visits the fronts in the order of sparse_order.h.  Each front adds up, in
 * one dense matrix, the blocks of its nodes, the blocks of their edges, and the remainders of its
 * children.  It eliminates its nodes there and keeps the eliminated rows and columns.  The
 * remaining rows and columns are its remainder, which waits for the parent front.  All work is done
 * on dense rows.  Pivots are searched within a front only, so the structure is known before the
 * numbers are.  That suits matrices that are definite except in a part, such as I + J'XJ.
 *
 * Memory: the values of the caller's blocks, and one pool of `entry_max` numbers for the factor,
 * the current front and the waiting remainders.  cn_sparse_lu_analyse returns whether they fit.
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
    size_t *front_at;  /* node_max: the place of a front in entry[] */
    /* node_max x size: the row that was swapped into each place, counted within the front */
    int *pivot;
    int *waiting;      /* node_max: fronts whose remainder waits for a parent */
    int *place;        /* node_max: a node's place within the current front */
    /* (node_max + 1) x size: a front's part of a right-hand side */
    double *local;
    int64_t work;      /* multiply-adds since the last analyse */
};

/*
 * Takes the memory for nodes and edges as cn_sparse_order_take does, and for blocks of up to
 * size_max.
 */
void cn_sparse_lu_take(struct cn_sparse_lu *lu, struct cn_arena *arena, int node_max, int pair_max,
    int size_max, size_t structure_max, size_t entry_max);

/*
 * Orders the graph that the caller has made in lu->order, and sets all blocks to zero.  False: the
 * factor needs more memory than was taken.
 */
bool cn_sparse_lu_analyse(struct cn_sparse_lu *lu, int size);

void cn_sparse_lu_clear(struct cn_sparse_lu *lu);

/*
 * The block of a node, and the block with the rows of i and the columns of j of an edge i, j; row
 * major.
 */
double *cn_sparse_lu_node(const struct cn_sparse_lu *lu, int i);
double *cn_sparse_lu_edge(const struct cn_sparse_lu *lu, int edge, int i, int j);

/*
 * Factors the blocks, which it does not change.  Replaces each pivot smaller than pivot_min by
 * pivot_min.  Returns the number of replaced pivots.
 */
int cn_sparse_lu_factor(struct cn_sparse_lu *lu, double pivot_min);

/* x := inv(A) x.  x holds `size` entries for each node. */
void cn_sparse_lu_solve(struct cn_sparse_lu *lu, double *x);

/* The sign of the determinant, 1 or -1, of the matrix that was factored. */
int cn_sparse_lu_sign(const struct cn_sparse_lu *lu);

#endif
