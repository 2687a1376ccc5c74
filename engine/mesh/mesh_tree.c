/*
 * The tree of boxes, and its searches.
 *
 * Nodes are split by the surface area heuristic, among sixteen planes across the longest axis.
 * Where all centres coincide, or the tree grows deep, they are split in the middle of the order.
 */
#include "engine/base/assert.h"
#include "engine/mesh/mesh_build.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#define LEAF 4    /* triangles */
#define BINS 16
#define DEEP 32   /* deeper nodes are halved, so that no tree is deeper than STACK */
#define STACK 64

struct box {
    double low[3], high[3];
};

static struct box
no_box(void)
{
    return (struct box){{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
}

static void
join_box(struct box *box, const struct box *other)
{
    for (int k = 0; k < 3; k++) {
        box->low[k] = fmin(box->low[k], other->low[k]);
        box->high[k] = fmax(box->high[k], other->high[k]);
    }
}

static double
half_area(const struct box *box)
{
    double x = box->high[0] - box->low[0], y = box->high[1] - box->low[1];
    double z = box->high[2] - box->low[2];
    return x * y + y * z + z * x;
}

static void
read_vec3(cn_vec3 v, double out[3])
{
    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
}

struct work {
    struct cn_mesh_node *node;
    int32_t *triangle, *spare;
    struct box *box; /* of each triangle */
    int node_count;
};

static double
middle_of(const struct work *work, int t, int axis)
{
    return 0.5 * (work->box[t].low[axis] + work->box[t].high[axis]);
}

/* A triangle's bin, by its centre. */
static int
bin_of(double at, double low, double scale)
{
    int bin = (int)((at - low) * scale);
    return bin < 0 ? 0 : bin >= BINS ? BINS - 1 : bin;
}

/* The last bin of the left side in the best division; -1: all triangles are in one bin. */
static int
best_bin(const struct work *work, int first, int count, int axis, double low, double scale)
{
    struct box bin[BINS], right[BINS], left = no_box();
    int number[BINS] = {0}, best = -1, before = 0, behind[BINS];
    double least = HUGE_VAL;
    for (int b = 0; b < BINS; b++) {
        bin[b] = no_box();
    }
    for (int i = first; i < first + count; i++) {
        int t = work->triangle[i], b = bin_of(middle_of(work, t, axis), low, scale);
        join_box(&bin[b], &work->box[t]);
        number[b]++;
    }
    right[BINS - 1] = bin[BINS - 1];
    behind[BINS - 1] = number[BINS - 1];
    for (int b = BINS - 2; b >= 0; b--) {
        right[b] = right[b + 1];
        join_box(&right[b], &bin[b]);
        behind[b] = behind[b + 1] + number[b];
    }
    for (int b = 0; b < BINS - 1; b++) {
        join_box(&left, &bin[b]);
        before += number[b];
        if (before == 0 || behind[b + 1] == 0) {
            continue;
        }
        double cost = before * half_area(&left) + behind[b + 1] * half_area(&right[b + 1]);
        if (cost < least) {
            least = cost;
            best = b;
        }
    }
    return best;
}

/* Divides the triangles of a node; returns the number on the left. */
static int
divide_triangles(struct work *work, int first, int count, int depth)
{
    double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    int axis = 0;
    for (int i = first; i < first + count; i++) {
        for (int k = 0; k < 3; k++) {
            double at = middle_of(work, work->triangle[i], k);
            low[k] = fmin(low[k], at);
            high[k] = fmax(high[k], at);
        }
    }
    for (int k = 1; k < 3; k++) {
        axis = high[k] - low[k] > high[axis] - low[axis] ? k : axis;
    }
    double scale = BINS / (high[axis] - low[axis]);
    if (depth >= DEEP || !(scale < DBL_MAX)) {
        return count / 2;
    }
    int best = best_bin(work, first, count, axis, low[axis], scale);
    if (best < 0) {
        return count / 2;
    }
    int left = first, right = 0;
    for (int i = first; i < first + count; i++) {
        int t = work->triangle[i];
        if (bin_of(middle_of(work, t, axis), low[axis], scale) <= best) {
            work->triangle[left++] = t;
        } else {
            work->spare[right++] = t;
        }
    }
    memcpy(work->triangle + left, work->spare, (size_t)right * sizeof(*work->spare));
    return left - first;
}

static void
fit_node(const struct work *work, struct cn_mesh_node *node, int first, int count)
{
    struct box box = no_box();
    for (int i = first; i < first + count; i++) {
        join_box(&box, &work->box[work->triangle[i]]);
    }
    for (int k = 0; k < 3; k++) {
        node->low[k] = (float)box.low[k];
        if ((double)node->low[k] > box.low[k]) {
            node->low[k] = nextafterf(node->low[k], -FLT_MAX);
        }
        node->high[k] = (float)box.high[k];
        if ((double)node->high[k] < box.high[k]) {
            node->high[k] = nextafterf(node->high[k], FLT_MAX);
        }
    }
}

/* A part of the tree that is still to be built. */
struct open {
    int first, count, depth, parent; /* parent: of a right child; -1: a left child, or the root */
};

static void
grow_tree(struct work *work, int triangle_count)
{
    CN_ASSERT(triangle_count > 0 && work->node_count == 0);
    struct open stack[STACK];
    int top = 0, leaved = 0; /* triangles of the leaves */
    stack[top++] = (struct open){0, triangle_count, 0, -1};
    while (top > 0) {
        struct open open = stack[--top];
        int at = work->node_count++;
        struct cn_mesh_node *node = &work->node[at];
        fit_node(work, node, open.first, open.count);
        if (open.parent >= 0) {
            work->node[open.parent].right = at;
        }
        if (open.count <= LEAF) {
            node->right = -1 - open.first;
            node->count = open.count;
            leaved += open.count;
            continue;
        }
        int left = divide_triangles(work, open.first, open.count, open.depth);
        CN_ASSERT(0 < left && left < open.count);
        CN_ASSERT(top + 2 <= STACK - 1 && open.depth < STACK - 2); /* invariant 4 */
        stack[top++] =
            (struct open){open.first + left, open.count - left, open.depth + 1, at};
        stack[top++] = (struct open){open.first, left, open.depth + 1, -1};
    }
    CN_ASSERT(leaved == triangle_count); /* invariant 3 */
}

enum cn_status
cn_mesh_tree(struct cn_mesh_build *build)
{
    struct cn_mesh *mesh = build->mesh;
    int count = mesh->triangle_count;
    struct work work = {.node = cn_mesh_take(build, 2 * count, sizeof(*work.node)),
        .triangle = cn_mesh_take(build, count, sizeof(*work.triangle)),
        .spare = malloc((size_t)count * sizeof(*work.spare)),
        .box = malloc((size_t)count * sizeof(*work.box))};
    enum cn_status status = CN_OK;
    if (work.node == NULL || work.triangle == NULL || work.spare == NULL || work.box == NULL) {
        status = cn_mesh_no_memory(build);
    } else {
        for (int i = 0; i < count; i++) {
            work.triangle[i] = i;
            work.box[i] = no_box();
            for (int k = 0; k < 3; k++) {
                struct box corner;
                read_vec3(mesh->vertex[mesh->triangle[i][k]], corner.low);
                read_vec3(mesh->vertex[mesh->triangle[i][k]], corner.high);
                join_box(&work.box[i], &corner);
            }
        }
        grow_tree(&work, count);
        CN_ASSERT(work.node_count < 2 * count);
        mesh->node = work.node;
        mesh->node_count = work.node_count;
        mesh->tree_triangle = work.triangle;
    }
    free(work.spare);
    free(work.box);
    return status;
}
