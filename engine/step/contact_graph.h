/*
 * contact_graph.h: which body rests on which, and from that levels to sweep up by.
 *
 * An edge from body a to body b says that b rests on a.  Bodies that rest on each other in a ring
 * are of one strongly connected component; between components there is an order, and a component's
 * level is one above the highest of those that it rests on.  What is fixed is level 0; what rests
 * on nothing is level 1.
 *
 * Components come from two depth-first searches, along the edges and against them, without
 * recursion (Kosaraju and Sharir).  Time and memory are linear in bodies and edges.
 *
 * Source: Guendelman, Bridson and Fedkiw 2003, section 8.1.
 */
#ifndef ENGINE_STEP_CONTACT_GRAPH_H
#define ENGINE_STEP_CONTACT_GRAPH_H

#include "engine/base/arena.h"

#include <stdbool.h>
#include <stdint.h>

struct cn_graph_edge {
    int32_t below, above;
};

struct cn_contact_graph {
    int body_max, edge_max; /* room */
    struct cn_graph_edge *edge;
    int edge_count;
    int32_t *level;     /* of each body */
    int32_t *component; /* of each body: its number; a component has a lower one than those that
                         * rest on it */
    int level_count;    /* levels above 0 */
    /* Scratch: edges by their lower body and by their upper one, and what the searches keep. */
    int32_t *up_first, *up, *down_first, *down;
    int32_t *stack, *next, *finished, *component_level;
};

/* Lays the arrays out; edge_count is 0 then. */
void cn_contact_graph_layout(
    struct cn_contact_graph *graph, struct cn_arena *arena, int body_max, int edge_max);

/* Finds component[] and level[] from edge[].  No edge leads to a body that is fixed. */
void cn_contact_graph_sort(struct cn_contact_graph *graph, int body_count, const bool *fixed);

#endif
