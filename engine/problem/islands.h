/*
 * islands.h: splits the rows of a problem into islands that do not affect each other, and orders
 * each so that factors stay narrow.
 *
 * Two rows couple when both touch one movable body.  An island is a connected component of that
 * relation; a contact that touches no movable body is an island of its own.  Islands come in the
 * order of their first rows.
 *
 * Within an island the rows are in reverse Cuthill-McKee order, taken over the bodies: breadth
 * first from a body at the far end of the island, each body adding its rows, then reversed.  A
 * contact's rows stay together and in the problem's order: normal, tangent, tangent.  Rows that
 * couple are close together, so the envelope of A in this order is about as narrow as the island.
 * The order depends only on the problem's order and couplings, never on numbers: two problems with
 * the same contacts get the same order.
 *
 * Source: George and Liu, Computer Solution of Large Sparse Positive Definite Systems, 1981,
 * section 4.3.
 */
#ifndef ENGINE_PROBLEM_ISLANDS_H
#define ENGINE_PROBLEM_ISLANDS_H

#include "engine/base/arena.h"
#include "engine/problem/contact_problem.h"

struct cn_islands {
    int count;
    int *start; /* count + 1: island k holds row[start[k]] .. row[start[k + 1] - 1] */
    int *row;   /* row_count */

    /* Working memory. */
    int *body_start; /* body_count + 1: the rows of a body */
    int *body_row;   /* 2 row_count */
    int *queue;      /* body_count */
    int *seen_body;  /* body_count: the last pass that reached it */
    int *seen_row;   /* row_count */
};

void cn_islands_take(struct cn_islands *islands, struct cn_arena *arena, int row_count,
    int body_count);

void cn_islands_find(struct cn_islands *islands, const struct cn_contact_problem *problem);

#endif
