/*
 * contact_graph.h: which body rests on which, and the levels in which bodies are swept upwards.
 *
 * An edge from body a to body b means that b rests on a.  Bodies that rest on each other in a ring
 * are in one strongly connected component.  Components are ordered, and a component's level is one
 * above the highest level of those that it rests on.  Fixed bodies have level 0; a body that rests
 * on nothing has level 1.
 *
 * Components come from two depth-first searches, along the edges and against them, without
 * recursion (Kosaraju and Sharir).  Time and memory are linear in bodies and edges.
 *
 * Source: Guendelman, Bridson and Fedkiw 2003, section 8.1.
 */
#ifndef ENGINE_STEP_PROPAGATION_CONTACT_GRAPH_H
#define ENGINE_STEP_PROPAGATION_CONTACT_GRAPH_H

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
    int32_t *component; /* of each body; a component's number is below those resting on it */
    int level_count;    /* levels above 0 */
    /* Scratch: edges by their lower body and by their upper body, and the searches' data. */
    int32_t *up_first, *up, *down_first, *down;
    int32_t *stack, *next, *finished, *component_level;
};

/* Lays out the arrays; edge_count is then 0. */
void cn_contact_graph_layout(
    struct cn_contact_graph *graph, struct cn_arena *arena, int body_max, int edge_max);

/* Finds component[] and level[] from edge[].  No edge leads to a fixed body. */
void cn_contact_graph_sort(struct cn_contact_graph *graph, int body_count, const bool *fixed);

#endif
