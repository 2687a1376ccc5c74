#include "engine/linalg/sparse_order.h"

#include "engine/base/assert.h"
#include "engine/base/fiber.h"

#include <string.h>

/* A front may store one zero block for each ZEROS_SHARE blocks that may be nonzero. */
#define ZEROS_SHARE 8

void
cn_sparse_order_take(struct cn_sparse_order *order, struct cn_arena *arena, int node_max,
    int pair_max, size_t structure_max)
{
    CN_ASSERT(node_max >= 0 && pair_max >= 0);
    size_t n = (size_t)node_max, pairs = (size_t)pair_max;
    *order = (struct cn_sparse_order){.node_max = node_max, .pair_max = pair_max,
        .structure_max = structure_max};
    order->pair = CN_ARENA_TAKE(arena, int, 2 * pairs);
    order->pair_edge = CN_ARENA_TAKE(arena, int, pairs);
    order->start = CN_ARENA_TAKE(arena, int, n + 2);
    order->neighbour = CN_ARENA_TAKE(arena, int, 2 * pairs);
    order->edge = CN_ARENA_TAKE(arena, int, 2 * pairs);
    order->list = CN_ARENA_TAKE(arena, int, 2 * pairs);
    order->structure = CN_ARENA_TAKE(arena, int, structure_max);
    order->column = CN_ARENA_TAKE(arena, size_t, n);
    int **vector[] = {&order->sequence, &order->position, &order->parent, &order->count,
        &order->front_start, &order->length, &order->clique_count, &order->degree, &order->head,
        &order->next, &order->previous, &order->outside, &order->mark};
    for (size_t i = 0; i < sizeof(vector) / sizeof(vector[0]); i++) {
        *vector[i] = CN_ARENA_TAKE(arena, int, n + 1);
    }
}

void
cn_sparse_order_begin(struct cn_sparse_order *order, int node_count)
{
    CN_ASSERT(0 <= node_count && node_count <= order->node_max);
    order->node_count = node_count;
    order->pair_count = 0;
    order->edge_count = 0;
}

void
cn_sparse_order_connect(struct cn_sparse_order *order, int i, int j)
{
    CN_ASSERT(order->pair_count < order->pair_max && i != j);
    CN_ASSERT(0 <= i && i < order->node_count && 0 <= j && j < order->node_count);
    order->pair[2 * order->pair_count] = i;
    order->pair[2 * order->pair_count + 1] = j;
    order->pair_count++;
}

/* Sorts the pairs by node: neighbour[] and edge[] hold the other node and the pair. */
static void
sort_pairs(struct cn_sparse_order *order)
{
    int n = order->node_count, *start = order->start;
    memset(start, 0, ((size_t)n + 2) * sizeof(start[0]));
    for (int k = 0; k < 2 * order->pair_count; k++) {
        start[order->pair[k] + 2]++;
    }
    for (int i = 0; i < n; i++) {
        start[i + 2] += start[i + 1];
    }
    for (int k = 0; k < 2 * order->pair_count; k++) {
        int at = start[order->pair[k] + 1]++;
        order->neighbour[at] = order->pair[k ^ 1];
        order->edge[at] = k / 2;
    }
    CN_ASSERT(start[n] == 2 * order->pair_count); /* every list is full */
    cn_work_spend(10 * (int64_t)order->pair_count);
}

/*
 * Numbers the edges, one for each pair of nodes, and removes repetitions from the lists.  An edge
 * gets its number in the list of its smaller node; the list of the larger node reads it.
 */
static void
number_edges(struct cn_sparse_order *order)
{
    int n = order->node_count, used = 0;
    for (int i = 0; i < n; i++) {
        order->mark[i] = -1;
    }
    for (int i = 0; i < n; i++) {
        int begin = order->start[i], end = order->start[i + 1], kept = used;
        for (int k = begin; k < end; k++) {
            int j = order->neighbour[k], pair = order->edge[k];
            bool seen = order->mark[j] >= kept;
            if (i < j) {
                order->pair_edge[pair] =
                    seen ? order->edge[order->mark[j]] : order->edge_count++;
            }
            if (!seen) {
                order->mark[j] = used;
                order->neighbour[used] = j;
                order->edge[used] = order->pair_edge[pair];
                used++;
            }
        }
        order->start[i] = kept;
    }
    order->start[n] = used;
    CN_ASSERT(used == 2 * order->edge_count && order->edge_count <= order->pair_count);
    cn_work_spend(10 * (int64_t)order->pair_count);
}

static void
insert_degree(struct cn_sparse_order *order, int i)
{
    int degree = order->degree[i], next = order->head[degree];
    order->next[i] = next;
    order->previous[i] = -1;
    order->head[degree] = i;
    if (next >= 0) {
        order->previous[next] = i;
    }
}

static void
remove_degree(struct cn_sparse_order *order, int i)
{
    int next = order->next[i], previous = order->previous[i];
    if (next >= 0) {
        order->previous[next] = previous;
    }
    if (previous >= 0) {
        order->next[previous] = next;
    } else {
        order->head[order->degree[i]] = next;
    }
}

static void
begin_degrees(struct cn_sparse_order *order)
{
    int n = order->node_count;
    memcpy(order->list, order->neighbour, (size_t)order->start[n] * sizeof(order->list[0]));
    for (int i = 0; i <= n; i++) {
        order->head[i] = -1;
    }
    for (int i = n - 1; i >= 0; i--) {
        order->length[i] = order->start[i + 1] - order->start[i];
        order->degree[i] = order->length[i];
        order->clique_count[i] = 0;
        order->count[i] = -1; /* not eliminated yet */
        order->parent[i] = -1;
        order->mark[i] = 0;
        order->outside[i] = 0;
        insert_degree(order, i);
    }
    order->used = 0;
    order->stamp = 0;
    order->base = 0;
}

static bool
add_to_structure(struct cn_sparse_order *order, int i)
{
    if (order->mark[i] == order->stamp) {
        return true;
    }
    if (order->used >= order->structure_max) {
        return false;
    }
    order->mark[i] = order->stamp;
    order->structure[order->used++] = i;
    return true;
}

/*
 * Marks a clique that lies within another one by parent 0.  count[] stays, because the factor needs
 * it.
 */
static void
absorb_clique(struct cn_sparse_order *order, int clique)
{
    order->parent[clique] = 0;
}

static bool
is_absorbed(const struct cn_sparse_order *order, int clique)
{
    return order->parent[clique] == 0;
}

/* Writes the structure of node p, which is eliminated.  False: structure_max does not suffice. */
static bool
eliminate_node(struct cn_sparse_order *order, int p)
{
    const int *list = order->list + order->start[p];
    order->stamp++;
    order->mark[p] = order->stamp;
    order->column[p] = order->used;
    for (int k = 0; k < order->clique_count[p]; k++) {
        int clique = list[k];
        const int *member = order->structure + order->column[clique];
        for (int m = 0; m < order->count[clique]; m++) {
            if (!add_to_structure(order, member[m])) {
                return false;
            }
        }
        cn_work_count(&order->pending, 2 * (int64_t)order->count[clique]);
        absorb_clique(order, clique);
    }
    for (int k = order->clique_count[p]; k < order->length[p]; k++) {
        if (!add_to_structure(order, list[k])) {
            return false;
        }
    }
    order->count[p] = (int)(order->used - order->column[p]);
    CN_ASSERT(0 <= order->count[p] && order->count[p] < order->node_count);
    return true;
}

/*
 * Sets outside[c] - base to the number of members of clique c that p's structure does not contain.
 */
static void
count_outside(struct cn_sparse_order *order, int p)
{
    const int *member = order->structure + order->column[p];
    order->base += order->node_count + 1;
    if (order->base > (1 << 30)) { /* start again before it overflows */
        memset(order->outside, 0, (size_t)order->node_count * sizeof(order->outside[0]));
        order->base = order->node_count + 1;
    }
    for (int m = 0; m < order->count[p]; m++) {
        int i = member[m];
        const int *list = order->list + order->start[i];
        for (int k = 0; k < order->clique_count[i]; k++) {
            int clique = list[k];
            if (is_absorbed(order, clique)) {
                continue;
            }
            if (order->outside[clique] < order->base) {
                order->outside[clique] = order->base + order->count[clique];
            }
            order->outside[clique]--;
        }
        cn_work_count(&order->pending, 4 * (int64_t)order->clique_count[i]);
    }
}

/*
 * Removes from the list of member i the nodes and cliques that p's clique covers, adds p's clique,
 * and computes the degree of i again.
 */
static void
update_member(struct cn_sparse_order *order, int p, int i, int live_count)
{
    int *list = order->list + order->start[i];
    int cliques = 0, old = order->clique_count[i], others = 0;
    int64_t degree = order->count[p] - 1;
    for (int k = 0; k < old; k++) {
        int clique = list[k];
        int outside = order->outside[clique] - order->base;
        if (is_absorbed(order, clique)) {
            continue;
        }
        if (outside == 0) {
            absorb_clique(order, clique);
            continue;
        }
        list[cliques++] = clique;
        degree += outside;
    }
    for (int k = old; k < order->length[i]; k++) {
        if (order->mark[list[k]] != order->stamp) {
            list[old + others++] = list[k];
        }
    }
    cn_work_count(&order->pending, 4 * (int64_t)order->length[i] + 10);
    if (cliques < old) {
        memmove(list + cliques + 1, list + old, (size_t)others * sizeof(list[0]));
    } else {
        CN_ASSERT(old + others < order->length[i]); /* p was one of the others */
        list[old + others] = list[old];
    }
    list[cliques] = p;
    order->clique_count[i] = cliques + 1;
    order->length[i] = cliques + 1 + others;
    degree += others;
    int64_t sum = (int64_t)order->degree[i] + order->count[p] - 1;
    degree = degree < sum ? degree : sum;
    degree = degree < live_count - 1 ? degree : live_count - 1;
    remove_degree(order, i);
    order->degree[i] = degree > 0 ? (int)degree : 0;
    insert_degree(order, i);
}

/* Fills position[] with the order of elimination.  False: structure_max does not suffice. */
static bool
eliminate_all(struct cn_sparse_order *order)
{
    int n = order->node_count, least = 0;
    begin_degrees(order);
    for (int k = 0; k < n; k++) {
        while (order->head[least] < 0) {
            least++;
            CN_ASSERT(least <= n); /* a node is left, so a list is not empty */
        }
        int p = order->head[least];
        CN_ASSERT(order->count[p] < 0); /* not eliminated yet */
        remove_degree(order, p);
        order->position[p] = k;
        if (!eliminate_node(order, p)) {
            return false;
        }
        count_outside(order, p);
        const int *member = order->structure + order->column[p];
        for (int m = 0; m < order->count[p]; m++) {
            update_member(order, p, member[m], n - k - 1);
            int degree = order->degree[member[m]];
            least = degree < least ? degree : least;
        }
    }
    return true;
}

/* Finds the parents, and a sequence in which all descendants of a node come directly before it. */
static void
find_sequence(struct cn_sparse_order *order)
{
    int n = order->node_count, *child = order->head, *sibling = order->next;
    int *stack = order->previous, depth = 0, placed = 0;
    for (int i = 0; i < n; i++) {
        const int *member = order->structure + order->column[i];
        int parent = -1;
        for (int m = 0; m < order->count[i]; m++) {
            bool sooner = parent < 0 || order->position[member[m]] < order->position[parent];
            parent = sooner ? member[m] : parent;
        }
        order->parent[i] = parent;
        child[i] = -1;
        cn_work_count(&order->pending, 2 * (int64_t)order->count[i] + 10);
    }
    for (int i = 0; i < n; i++) { /* the widest child heads the list: last in the sequence */
        int parent = order->parent[i];
        if (parent < 0) {
            stack[depth++] = i;
            continue;
        }
        int first = child[parent];
        if (first < 0 || order->count[i] > order->count[first]) {
            sibling[i] = first;
            child[parent] = i;
        } else {
            sibling[i] = sibling[first];
            sibling[first] = i;
        }
    }
    /*
     * Visits parents first and the widest child directly after its parent.  The sequence is filled
     * from its end, so children come before their parent.
     */
    while (depth > 0) {
        int i = stack[--depth];
        order->sequence[n - 1 - placed++] = i;
        int first = child[i];
        for (int c = first >= 0 ? sibling[first] : -1; c >= 0; c = sibling[c]) {
            stack[depth++] = c;
        }
        if (first >= 0) {
            stack[depth++] = first;
        }
    }
    CN_ASSERT(placed == n);
    for (int k = 0; k < n; k++) {
        order->position[order->sequence[k]] = k;
    }
}

static void
find_fronts(struct cn_sparse_order *order)
{
    int n = order->node_count, zeros = 0;
    order->front_count = 0;
    for (int k = 0; k < n; k++) {
        int node = order->sequence[k];
        int begin = k == 0 ? 0 : order->front_start[order->front_count - 1];
        int wide = k - begin + 1 + order->count[node];
        bool joins = k > 0 && order->parent[order->sequence[k - 1]] == node;
        if (joins) {
            int missing = order->count[node] + 1 - order->count[order->sequence[k - 1]];
            zeros += missing * (k - begin);
            joins = (int64_t)zeros * ZEROS_SHARE <= (int64_t)wide * (k - begin + 1);
        }
        if (!joins) {
            order->front_start[order->front_count++] = k;
            zeros = 0;
        }
    }
    order->front_start[order->front_count] = n;
    CN_ASSERT(order->front_count <= n && (n == 0 || order->front_count > 0));
    cn_work_spend(10 * (int64_t)n);
}

bool
cn_sparse_order_find(struct cn_sparse_order *order)
{
    sort_pairs(order);
    number_edges(order);
    if (!eliminate_all(order)) {
        return false;
    }
    find_sequence(order);
    find_fronts(order);
    cn_work_spend(order->pending);
    order->pending = 0;
    return true;
}
