#include "engine/linalg/sparse_lu.h"

#include "engine/base/assert.h"
#include "engine/base/fiber.h"
#include "engine/linalg/dot.h"

#include <math.h>
#include <string.h>

/* A front: its nodes and its structure, with sizes in matrix rows. */
struct front {
    int first, last;      /* nodes: sequence[first .. last - 1] */
    int pivots, height;   /* rows that are eliminated; all rows */
    const int *structure; /* nodes of the remaining rows */
    int structure_count;
    /*
     * Before factoring height x height.  After it `pivots` rows of `height` entries, then the other
     * rows with `pivots` entries each.
     */
    double *at;
};

void
cn_sparse_lu_take(struct cn_sparse_lu *lu, struct cn_arena *arena, int node_max, int pair_max,
    int size_max, size_t structure_max, size_t entry_max)
{
    size_t n = (size_t)node_max, size = (size_t)size_max;
    CN_ASSERT(1 <= size_max && size_max <= CN_SPARSE_BLOCK_MAX);
    *lu = (struct cn_sparse_lu){.entry_max = entry_max};
    cn_sparse_order_take(&lu->order, arena, node_max, pair_max, structure_max);
    lu->value = CN_ARENA_TAKE(arena, double, (n + 2 * (size_t)pair_max) * size * size);
    lu->entry = CN_ARENA_TAKE(arena, double, entry_max);
    lu->front_at = CN_ARENA_TAKE(arena, size_t, n);
    lu->pivot = CN_ARENA_TAKE(arena, int, n *size);
    lu->waiting = CN_ARENA_TAKE(arena, int, n);
    lu->place = CN_ARENA_TAKE(arena, int, n);
    lu->local = CN_ARENA_TAKE(arena, double, (n + 1) * size);
}

static struct front
front_of(const struct cn_sparse_lu *lu, int k)
{
    const struct cn_sparse_order *order = &lu->order;
    struct front front = {.first = order->front_start[k], .last = order->front_start[k + 1]};
    int last = order->sequence[front.last - 1];
    front.structure = order->structure + order->column[last];
    front.structure_count = order->count[last];
    front.pivots = (front.last - front.first) * lu->size;
    front.height = front.pivots + front.structure_count * lu->size;
    front.at = lu->entry + lu->front_at[k];
    return front;
}

static size_t
square_of(int count)
{
    return (size_t)count * (size_t)count;
}

/* Whether the remainder of front `k` waits for the front with these nodes. */
static bool
waits_for(const struct cn_sparse_lu *lu, int k, const struct front *front)
{
    const struct cn_sparse_order *order = &lu->order;
    int parent = order->parent[order->sequence[order->front_start[k + 1] - 1]];
    return parent >= 0 && order->position[parent] < front->last;
}

/* Entries that the remainder of front k takes while it waits. */
static size_t
remainder_size(const struct cn_sparse_lu *lu, int k)
{
    struct front front = front_of(lu, k);
    return square_of(front.height - front.pivots);
}

/*
 * Assigns each front its place in the pool.  False: the fronts and the waiting remainders need more
 * than entry_max.
 */
static bool
lay_out(struct cn_sparse_lu *lu)
{
    size_t used = 0, stacked = 0;
    int depth = 0;
    for (int k = 0; k < lu->order.front_count; k++) {
        lu->front_at[k] = used;
        struct front front = front_of(lu, k);
        size_t whole = square_of(front.height), rest = remainder_size(lu, k);
        if (used + whole + stacked > lu->entry_max) {
            return false;
        }
        while (depth > 0 && waits_for(lu, lu->waiting[depth - 1], &front)) {
            stacked -= remainder_size(lu, lu->waiting[--depth]);
        }
        if (front.structure_count > 0) {
            lu->waiting[depth++] = k;
            stacked += rest;
        }
        if (used + whole + stacked > lu->entry_max) {
            return false;
        }
        used += whole - rest;
        cn_work_spend(20);
    }
    return true;
}

bool
cn_sparse_lu_analyse(struct cn_sparse_lu *lu, int size)
{
    lu->size = size;
    lu->work = 0;
    if (!cn_sparse_order_find(&lu->order) || !lay_out(lu)) {
        return false;
    }
    cn_sparse_lu_clear(lu);
    return true;
}

void
cn_sparse_lu_clear(struct cn_sparse_lu *lu)
{
    size_t blocks = (size_t)lu->order.node_count + 2 * (size_t)lu->order.edge_count;
    size_t count = blocks * square_of(lu->size);
    memset(lu->value, 0, count * sizeof(lu->value[0]));
    cn_work_spend((int64_t)count / 4);
}

double *
cn_sparse_lu_node(const struct cn_sparse_lu *lu, int i)
{
    return lu->value + (size_t)i * square_of(lu->size);
}

double *
cn_sparse_lu_edge(const struct cn_sparse_lu *lu, int edge, int i, int j)
{
    size_t block = (size_t)lu->order.node_count + 2 * (size_t)edge + (i < j ? 0 : 1);
    return lu->value + block * square_of(lu->size);
}

/* Adds a block to the front at block row p and block column q. */
static void
add_block(const struct cn_sparse_lu *lu, const struct front *front, const double *block, int p,
    int q)
{
    int size = lu->size;
    double *out = front->at + (size_t)(p * size) * (size_t)front->height + q * size;
    for (int r = 0; r < size; r++, out += front->height, block += size) {
        for (int c = 0; c < size; c++) {
            out[c] += block[c];
        }
    }
}

/* Adds the blocks of the front's nodes, and of their edges to nodes that are not eliminated yet. */
static void
gather_blocks(struct cn_sparse_lu *lu, const struct front *front)
{
    const struct cn_sparse_order *order = &lu->order;
    for (int p = front->first; p < front->last; p++) {
        int i = order->sequence[p];
        add_block(lu, front, cn_sparse_lu_node(lu, i), p - front->first, p - front->first);
        for (int k = order->start[i]; k < order->start[i + 1]; k++) {
            int j = order->neighbour[k], edge = order->edge[k];
            if (order->position[j] > p) {
                int q = lu->place[j];
                add_block(lu, front, cn_sparse_lu_edge(lu, edge, i, j), p - front->first, q);
                add_block(lu, front, cn_sparse_lu_edge(lu, edge, j, i), q, p - front->first);
            }
        }
        cn_work_spend((int64_t)(1 + 2 * (order->start[i + 1] - order->start[i])) *
            (int64_t)square_of(lu->size));
    }
}

/* Adds a child's remainder: the rows and columns of its structure. */
static void
gather_remainder(const struct cn_sparse_lu *lu, const struct front *front,
    const struct front *child, const double *rest)
{
    int size = lu->size, count = child->structure_count;
    for (int a = 0; a < count; a++) {
        int row = lu->place[child->structure[a]] * size;
        for (int r = 0; r < size; r++) {
            double *out = front->at + (size_t)(row + r) * (size_t)front->height;
            for (int b = 0; b < count; b++, rest += size) {
                double *to = out + lu->place[child->structure[b]] * size;
                for (int c = 0; c < size; c++) {
                    to[c] += rest[c];
                }
            }
        }
        cn_work_spend((int64_t)count * (int64_t)square_of(size));
    }
}

#define PANEL 4

/*
 * Eliminates columns j .. j + wide - 1: finds their pivots, and the multipliers of all rows below.
 */
static int
factor_panel(const struct front *front, int j, int wide, double pivot_min, int *pivot)
{
    int height = front->height, replaced = 0;
    for (int c = j; c < j + wide; c++) {
        int best = c;
        double *at = front->at + (size_t)c * (size_t)height;
        for (int i = c + 1; i < front->pivots; i++) {
            const double *row = front->at + (size_t)i * (size_t)height;
            best = fabs(row[c]) > fabs(front->at[(size_t)best * (size_t)height + (size_t)c])
                       ? i
                       : best;
        }
        pivot[c] = best;
        double *other = front->at + (size_t)best * (size_t)height;
        for (int k = 0; k < height && best != c; k++) {
            double held = at[k];
            at[k] = other[k];
            other[k] = held;
        }
        if (!(fabs(at[c]) >= pivot_min)) {
            at[c] = at[c] < 0.0 ? -pivot_min : pivot_min;
            replaced++;
        }
        double inverse = 1.0 / at[c];
        for (int i = c + 1; i < height; i++) {
            double *row = front->at + (size_t)i * (size_t)height;
            row[c] *= inverse;
            for (int k = c + 1; k < j + wide; k++) {
                row[k] -= row[c] * at[k];
            }
        }
    }
    return replaced;
}

/* row[k] -= l_0 u_0[k] + l_1 u_1[k] + ..., where u_p are the rows of a panel. */
static void
subtract_rows(double *restrict row, const double *l, const double *restrict u, int height,
    int wide, int first, int last)
{
    const double *u0 = u, *u1 = u + height, *u2 = u1 + height, *u3 = u2 + height;
    if (wide == PANEL) {
        double l0 = l[0], l1 = l[1], l2 = l[2], l3 = l[3];
        for (int k = first; k < last; k++) {
            row[k] -= (l0 * u0[k] + l1 * u1[k]) + (l2 * u2[k] + l3 * u3[k]);
        }
        return;
    }
    for (int p = 0; p < wide; p++, u += height) {
        double l0 = l[p];
        for (int k = first; k < last; k++) {
            row[k] -= l0 * u[k];
        }
    }
}

/* Eliminates the front's own rows.  Returns the number of replaced pivots. */
static int
eliminate_front(struct cn_sparse_lu *lu, const struct front *front, double pivot_min, int *pivot)
{
    int height = front->height, replaced = 0;
    for (int j = 0; j < front->pivots; j += PANEL) {
        int wide = front->pivots - j < PANEL ? front->pivots - j : PANEL, behind = j + wide;
        double *u = front->at + (size_t)j * (size_t)height;
        replaced += factor_panel(front, j, wide, pivot_min, pivot);
        for (int p = 1; p < wide; p++) { /* the panel's own rows */
            double *row = u + (size_t)p * (size_t)height;
            for (int q = 0; q < p; q++) {
                cn_axpy(-row[j + q], u + (size_t)q * (size_t)height + behind, row + behind,
                    height - behind);
            }
        }
        for (int i = behind; i < height; i++) {
            double *row = front->at + (size_t)i * (size_t)height;
            subtract_rows(row, row + j, u, height, wide, behind, height);
        }
        int64_t done = (int64_t)wide * (height - j) * (height - j);
        lu->work += done;
        cn_work_spend(done / 2 + 20);
    }
    return replaced;
}

/* Copies the remainder to `rest`, and closes the gap behind each row's multipliers. */
static void
compact_front(const struct front *front, double *rest)
{
    size_t height = (size_t)front->height, pivots = (size_t)front->pivots;
    for (size_t i = pivots; i < height; i++) {
        memcpy(rest + (i - pivots) * (height - pivots), front->at + i * height + pivots,
            (height - pivots) * sizeof(rest[0]));
    }
    double *out = front->at + pivots * height;
    for (size_t i = pivots; i < height; i++, out += pivots) {
        memmove(out, front->at + i * height, pivots * sizeof(out[0]));
    }
    cn_work_spend((int64_t)(height * height) / 2);
}

int
cn_sparse_lu_factor(struct cn_sparse_lu *lu, double pivot_min)
{
    const struct cn_sparse_order *order = &lu->order;
    double *stack = lu->entry + lu->entry_max; /* waiting remainders; grows downwards */
    int depth = 0, replaced = 0;
    for (int k = 0; k < order->front_count; k++) {
        struct front front = front_of(lu, k);
        for (int p = front.first; p < front.last; p++) {
            lu->place[order->sequence[p]] = p - front.first;
        }
        for (int s = 0; s < front.structure_count; s++) {
            lu->place[front.structure[s]] = front.last - front.first + s;
        }
        memset(front.at, 0, square_of(front.height) * sizeof(front.at[0]));
        gather_blocks(lu, &front);
        while (depth > 0 && waits_for(lu, lu->waiting[depth - 1], &front)) {
            struct front child = front_of(lu, lu->waiting[--depth]);
            gather_remainder(lu, &front, &child, stack);
            stack += square_of(child.height - child.pivots);
        }
        int *pivot = lu->pivot + front.first * lu->size;
        replaced += eliminate_front(lu, &front, pivot_min, pivot);
        if (front.structure_count > 0) {
            lu->waiting[depth++] = k;
            stack -= square_of(front.height - front.pivots);
            compact_front(&front, stack);
        }
    }
    return replaced;
}

/* Copies a front's part of x to local[], or back if `out` is true. */
static void
exchange_local(const struct cn_sparse_lu *lu, const struct front *front, double *x, bool out)
{
    size_t bytes = (size_t)lu->size * sizeof(x[0]);
    double *local = lu->local;
    for (int p = front->first; p < front->last; p++, local += lu->size) {
        double *at = x + (size_t)lu->order.sequence[p] * (size_t)lu->size;
        memcpy(out ? at : local, out ? local : at, bytes);
    }
    for (int s = 0; s < front->structure_count; s++, local += lu->size) {
        double *at = x + (size_t)front->structure[s] * (size_t)lu->size;
        memcpy(out ? at : local, out ? local : at, bytes);
    }
}

static void
solve_down(const struct cn_sparse_lu *lu, const struct front *front)
{
    double *x = lu->local;
    const int *pivot = lu->pivot + front->first * lu->size;
    for (int j = 0; j < front->pivots; j++) {
        double held = x[j];
        x[j] = x[pivot[j]];
        x[pivot[j]] = held;
    }
    for (int i = 1; i < front->pivots; i++) {
        x[i] -= cn_dot(front->at + (size_t)i * (size_t)front->height, x, i);
    }
    const double *row = front->at + (size_t)front->pivots * (size_t)front->height;
    for (int i = front->pivots; i < front->height; i++, row += front->pivots) {
        x[i] -= cn_dot(row, x, front->pivots);
    }
}

static void
solve_up(const struct cn_sparse_lu *lu, const struct front *front)
{
    double *x = lu->local;
    for (int i = front->pivots - 1; i >= 0; i--) {
        const double *row = front->at + (size_t)i * (size_t)front->height;
        x[i] = (x[i] - cn_dot(row + i + 1, x + i + 1, front->height - i - 1)) / row[i];
    }
}

void
cn_sparse_lu_solve(struct cn_sparse_lu *lu, double *x)
{
    for (int k = 0; k < lu->order.front_count; k++) {
        struct front front = front_of(lu, k);
        exchange_local(lu, &front, x, false);
        solve_down(lu, &front);
        exchange_local(lu, &front, x, true);
        cn_work_spend((int64_t)front.pivots * front.height + 20);
        lu->work += (int64_t)front.pivots * front.height;
    }
    for (int k = lu->order.front_count - 1; k >= 0; k--) {
        struct front front = front_of(lu, k);
        exchange_local(lu, &front, x, false);
        solve_up(lu, &front);
        exchange_local(lu, &front, x, true);
        cn_work_spend((int64_t)front.pivots * front.height + 20);
        lu->work += (int64_t)front.pivots * front.height;
    }
}

int
cn_sparse_lu_sign(const struct cn_sparse_lu *lu)
{
    int sign = 1;
    for (int k = 0; k < lu->order.front_count; k++) {
        struct front front = front_of(lu, k);
        const int *pivot = lu->pivot + front.first * lu->size;
        for (int j = 0; j < front.pivots; j++) {
            size_t diagonal = (size_t)j * (size_t)front.height + (size_t)j;
            sign = pivot[j] == j ? sign : -sign;
            sign = front.at[diagonal] < 0.0 ? -sign : sign;
        }
        cn_work_spend(2 * (int64_t)front.pivots + 20);
    }
    return sign;
}
