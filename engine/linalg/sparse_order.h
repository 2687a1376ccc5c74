/*
 * sparse_order.h: an order of elimination that keeps the factor of a sparse matrix small, and the
 * structure of that factor.
 *
 * The matrix consists of blocks.  It has a diagonal block for every node of a graph, and two blocks
 * (i, j) and (j, i) for every edge.  Eliminating a node joins all its neighbours by edges; the
 * order decides how many edges that makes.
 *
 *     structure   of a node: its neighbours at the moment of its elimination.  They are eliminated
 *                 later, and are the block rows (and columns) of the node's column (and row) of the
 *                 factor
 *     parent      the node of the structure that is eliminated first: the elimination tree
 *     front       consecutive nodes of the sequence whose columns have nearly the same structure;
 *                 they are eliminated together (sparse_lu.h)
 *
 * The order is approximate minimum degree: the next node to be eliminated is the one with the
 * fewest neighbours, by an upper bound that costs little.  An eliminated node represents the clique
 * of its structure (a quotient graph), so the memory is that of the graph and of the structures.
 * Equal degrees are decided by the node's number and by history, never by an address.
 *
 * Source: Amestoy, Davis and Duff, "An approximate minimum degree ordering algorithm", SIAM J.
 * Matrix Anal. Appl. 17, 1996.  Fronts: Liu, "The multifrontal method for sparse matrix solution",
 * SIAM Review 34, 1992.  Departures: nodes with equal neighbours are not merged, since a node is a
 * block of 3 or 6 unknowns already.
 */
#ifndef ENGINE_LINALG_SPARSE_ORDER_H
#define ENGINE_LINALG_SPARSE_ORDER_H

#include "engine/base/arena.h"

#include <stdbool.h>
#include <stdint.h>

struct cn_sparse_order {
    int node_max, pair_max;
    size_t structure_max;
    int node_count, pair_count, edge_count;
    int *pair;       /* 2 pair_max: the two nodes of each call of connect */
    int *pair_edge;  /* pair_max: the edge of each call */
    int *start;      /* node_max + 1: where a node's neighbours begin */
    int *neighbour;  /* 2 pair_max */
    int *edge;       /* 2 pair_max: the edge to each neighbour */

    int *sequence;   /* node_max: nodes in order of elimination, children before parents */
    int *position;   /* node_max: its inverse */
    int *parent;     /* node_max: -1 for a root */
    int *structure;  /* structure_max */
    size_t *column;  /* node_max: where a node's structure begins in structure[] */
    int *count;      /* node_max: the size of a node's structure */
    int front_count;
    int *front_start; /* node_max + 1: where a front's nodes begin in sequence[] */

    /* Working memory. */
    /* 2 pair_max: the cliques of a node that is not eliminated, then its other neighbours */
    int *list;
    int *length, *clique_count, *degree, *head, *next, *previous, *outside, *mark;
    size_t used;     /* entries of structure[] */
    int stamp, base;
    int64_t pending; /* work that is not counted yet */
};

/* Takes the memory for so many nodes, calls of connect and entries of structure[]. */
void cn_sparse_order_take(struct cn_sparse_order *order, struct cn_arena *arena, int node_max,
    int pair_max, size_t structure_max);

/* Begins a graph without edges. */
void cn_sparse_order_begin(struct cn_sparse_order *order, int node_count);

/* Adds an edge between two different nodes.  The same edge may be added several times. */
void cn_sparse_order_connect(struct cn_sparse_order *order, int i, int j);

/* Finds the order, the structures and the fronts.  False: structure_max does not suffice. */
bool cn_sparse_order_find(struct cn_sparse_order *order);

#endif
