#include "engine/step/propagation/contact_graph.h"

#include "engine/base/assert.h"

void
cn_contact_graph_layout(
    struct cn_contact_graph *graph, struct cn_arena *arena, int body_max, int edge_max)
{
    size_t bodies = (size_t)body_max, edges = (size_t)edge_max;
    *graph = (struct cn_contact_graph){.body_max = body_max, .edge_max = edge_max};
    graph->edge = CN_ARENA_TAKE(arena, struct cn_graph_edge, edges);
    graph->level = CN_ARENA_TAKE(arena, int32_t, bodies);
    graph->component = CN_ARENA_TAKE(arena, int32_t, bodies);
    graph->up_first = CN_ARENA_TAKE(arena, int32_t, bodies + 1);
    graph->up = CN_ARENA_TAKE(arena, int32_t, edges);
    graph->down_first = CN_ARENA_TAKE(arena, int32_t, bodies + 1);
    graph->down = CN_ARENA_TAKE(arena, int32_t, edges);
    graph->stack = CN_ARENA_TAKE(arena, int32_t, bodies);
    graph->next = CN_ARENA_TAKE(arena, int32_t, bodies);
    graph->finished = CN_ARENA_TAKE(arena, int32_t, bodies);
    graph->component_level = CN_ARENA_TAKE(arena, int32_t, bodies);
}

/* Lists the edges by one of their ends: to[first[i] .. first[i + 1] - 1] are i's other ends. */
static void
list_edges(
    const struct cn_contact_graph *graph, int body_count, bool upward, int32_t *first, int32_t *to)
{
    for (int i = 0; i <= body_count; i++) {
        first[i] = 0;
    }
    for (int k = 0; k < graph->edge_count; k++) {
        first[(upward ? graph->edge[k].below : graph->edge[k].above) + 1]++;
    }
    for (int i = 0; i < body_count; i++) {
        first[i + 1] += first[i];
    }
    /*
     * Each list is filled from its end, which moves every first[i + 1] down to the start of list i.
     */
    for (int k = graph->edge_count - 1; k >= 0; k--) {
        const struct cn_graph_edge *edge = &graph->edge[k];
        int place = --first[(upward ? edge->below : edge->above) + 1];
        to[place] = upward ? edge->above : edge->below;
    }
    for (int i = 0; i < body_count; i++) {
        first[i] = first[i + 1];
    }
    first[body_count] = graph->edge_count;
}

/* Searches depth first from `root`, and appends bodies to finished[] when they are done. */
static int
finish_from(struct cn_contact_graph *graph, int root, int finished_count)
{
    int depth = 0;
    graph->stack[depth++] = root;
    graph->next[root] = graph->up_first[root];
    while (depth > 0) {
        int body = graph->stack[depth - 1];
        if (graph->next[body] == graph->up_first[body + 1]) {
            graph->finished[finished_count++] = body;
            depth--;
            continue;
        }
        int other = graph->up[graph->next[body]++];
        if (graph->next[other] < 0) {
            CN_ASSERT(depth < graph->body_max);
            graph->next[other] = graph->up_first[other];
            graph->stack[depth++] = other;
        }
    }
    return finished_count;
}

/* Assigns this component to all bodies that lead to `root` and have no component yet. */
static void
collect_component(struct cn_contact_graph *graph, int root, int component)
{
    int depth = 0;
    graph->stack[depth++] = root;
    graph->component[root] = component;
    while (depth > 0) {
        int body = graph->stack[--depth];
        for (int k = graph->down_first[body]; k < graph->down_first[body + 1]; k++) {
            int other = graph->down[k];
            if (graph->component[other] < 0) {
                graph->component[other] = component;
                graph->stack[depth++] = other;
            }
        }
    }
}

static int
find_components(struct cn_contact_graph *graph, int body_count)
{
    int finished_count = 0, component_count = 0;
    for (int i = 0; i < body_count; i++) {
        graph->next[i] = graph->component[i] = -1;
    }
    for (int i = 0; i < body_count; i++) {
        if (graph->next[i] < 0) {
            finished_count = finish_from(graph, i, finished_count);
        }
    }
    CN_ASSERT(finished_count == body_count);
    for (int k = body_count - 1; k >= 0; k--) {
        int body = graph->finished[k];
        if (graph->component[body] < 0) {
            collect_component(graph, body, component_count++);
        }
    }
    return component_count;
}

/* Puts the bodies into finished[] component by component, the lowest first. */
static void
order_by_component(struct cn_contact_graph *graph, int body_count, int component_count)
{
    int32_t *end = graph->next, sum = 0;
    for (int c = 0; c < component_count; c++) {
        end[c] = 0;
    }
    for (int i = 0; i < body_count; i++) {
        end[graph->component[i]]++;
    }
    for (int c = 0; c < component_count; c++) {
        sum += end[c];
        end[c] = sum;
    }
    for (int i = body_count - 1; i >= 0; i--) {
        graph->finished[--end[graph->component[i]]] = i;
    }
}

void
cn_contact_graph_sort(struct cn_contact_graph *graph, int body_count, const bool *fixed)
{
    CN_ASSERT(body_count <= graph->body_max && graph->edge_count <= graph->edge_max);
    list_edges(graph, body_count, true, graph->up_first, graph->up);
    list_edges(graph, body_count, false, graph->down_first, graph->down);
    int component_count = find_components(graph, body_count);
    CN_ASSERT(component_count <= body_count);
    for (int c = 0; c < component_count; c++) {
        graph->component_level[c] = 1;
    }
    for (int i = 0; i < body_count; i++) {
        if (fixed[i]) {
            graph->component_level[graph->component[i]] = 0;
        }
    }
    order_by_component(graph, body_count, component_count);
    for (int k = 0; k < body_count; k++) {
        int body = graph->finished[k], own = graph->component[body];
        for (int e = graph->down_first[body]; e < graph->down_first[body + 1]; e++) {
            int below = graph->component[graph->down[e]];
            int level = graph->component_level[below] + 1;
            if (below != own && graph->component_level[own] < level) {
                graph->component_level[own] = level;
            }
        }
    }
    graph->level_count = 0;
    for (int i = 0; i < body_count; i++) {
        graph->level[i] = graph->component_level[graph->component[i]];
        if (graph->level_count < graph->level[i]) {
            graph->level_count = graph->level[i];
        }
    }
}
