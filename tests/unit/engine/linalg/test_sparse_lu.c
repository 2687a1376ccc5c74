/*
 * test_sparse_lu.c: the sparse factor solves what a dense product says, its order keeps the factor
 * of a grid small, and a factor that does not fit is refused.
 */
#include "engine/base/rng.h"
#include "engine/linalg/sparse_lu.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define NODES 24
#define PAIRS 60
#define ROWS (NODES * CN_SPARSE_BLOCK_MAX)

static _Alignas(64) unsigned char memory[8 << 20];
static double A[ROWS][ROWS];

static void
take(struct cn_sparse_lu *lu, int nodes, int pairs, size_t structure, size_t entries)
{
    struct cn_arena arena;
    memset(memory, 0xff, sizeof(memory));
    cn_arena_init(&arena, memory, sizeof(memory));
    cn_sparse_lu_take(lu, &arena, nodes, pairs, CN_SPARSE_BLOCK_MAX, structure, entries);
}

/* Adds random numbers to a block, and to its place in the dense A. */
static void
add_random(struct cn_rng *rng, double *block, int size, int i, int j, double diagonal)
{
    for (int r = 0; r < size; r++) {
        for (int c = 0; c < size; c++) {
            double value = cn_rng_uniform(rng, -1.0, 1.0) + (r == c ? diagonal : 0.0);
            block[r * size + c] += value;
            A[i * size + r][j * size + c] += value;
        }
    }
}

static int
below(struct cn_rng *rng, int count)
{
    return (int)(cn_rng_next(rng) % (uint64_t)count);
}

/* A random graph with random blocks, pairs named more than once among them; returns the rows. */
static int
build(struct cn_sparse_lu *lu, uint64_t seed, double diagonal)
{
    struct cn_rng rng = {.state = (seed + 1) * UINT64_C(0x9E3779B97F4A7C15)};
    int nodes = 1 + below(&rng, NODES), size = 1 + below(&rng, CN_SPARSE_BLOCK_MAX);
    int pairs = nodes > 1 ? below(&rng, PAIRS) : 0, pair[PAIRS][2];
    cn_sparse_order_begin(&lu->order, nodes);
    for (int k = 0; k < pairs; k++) {
        pair[k][0] = below(&rng, nodes);
        pair[k][1] = (pair[k][0] + 1 + below(&rng, nodes - 1)) % nodes;
        cn_sparse_order_connect(&lu->order, pair[k][0], pair[k][1]);
    }
    assert_true(cn_sparse_lu_analyse(lu, size));
    memset(A, 0, sizeof(A));
    for (int i = 0; i < nodes; i++) {
        add_random(&rng, cn_sparse_lu_node(lu, i), size, i, i, diagonal);
    }
    for (int k = 0; k < pairs; k++) {
        int i = pair[k][0], j = pair[k][1], edge = lu->order.pair_edge[k];
        add_random(&rng, cn_sparse_lu_edge(lu, edge, i, j), size, i, j, 0.0);
        add_random(&rng, cn_sparse_lu_edge(lu, edge, j, i), size, j, i, 0.0);
    }
    return nodes * size;
}

/* For the y that the solver found, A y = A x up to rounding, for every graph: backward stable. */
static void
test_solves(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 1000; seed++) {
        struct cn_sparse_lu lu;
        take(&lu, NODES, PAIRS, 1000, 40000);
        int n = build(&lu, seed, 40.0);
        double x[ROWS], y[ROWS];
        struct cn_rng rng = {.state = seed + 5};
        for (int i = 0; i < n; i++) {
            x[i] = cn_rng_uniform(&rng, -1.0, 1.0);
        }
        for (int pass = 0; pass < 2; pass++) { /* a factor leaves the blocks as they are */
            assert_int_equal(cn_sparse_lu_factor(&lu, 1e-12), 0);
        }
        for (int i = 0; i < n; i++) {
            y[i] = 0.0;
            for (int j = 0; j < n; j++) {
                y[i] += A[i][j] * x[j];
            }
        }
        cn_sparse_lu_solve(&lu, y);
        for (int i = 0; i < n; i++) {
            assert_true(fabs(y[i] - x[i]) <= 1e-12);
        }
    }
}

/* Pivots are searched within a block: a zero diagonal in it does no harm. */
static void
test_pivots(void **state)
{
    (void)state;
    struct cn_sparse_lu lu;
    take(&lu, NODES, PAIRS, 100, 10000);
    cn_sparse_order_begin(&lu.order, 2);
    cn_sparse_order_connect(&lu.order, 1, 0);
    assert_true(cn_sparse_lu_analyse(&lu, 2));
    for (int i = 0; i < 2; i++) {
        double *block = cn_sparse_lu_node(&lu, i);
        block[1] = 2.0;
        block[2] = 4.0;
    }
    double x[4] = {2.0, 4.0, 6.0, 8.0};
    assert_int_equal(cn_sparse_lu_factor(&lu, 1e-12), 0);
    cn_sparse_lu_solve(&lu, x);
    assert_true(x[0] == 1.0 && x[1] == 1.0 && x[2] == 2.0 && x[3] == 3.0);

    cn_sparse_lu_clear(&lu); /* nothing at all: every pivot is replaced */
    assert_int_equal(cn_sparse_lu_factor(&lu, 1e-3), 4);
}

/* The sign of det(A), by elimination in the dense A, which it uses up. */
static int
sign_of(int n)
{
    int sign = 1;
    for (int c = 0; c < n; c++) {
        int best = c;
        for (int i = c + 1; i < n; i++) {
            best = fabs(A[i][c]) > fabs(A[best][c]) ? i : best;
        }
        for (int k = 0; k < n && best != c; k++) {
            double held = A[c][k];
            A[c][k] = A[best][k];
            A[best][k] = held;
        }
        sign = best == c ? sign : -sign;
        sign = A[c][c] < 0.0 ? -sign : sign;
        for (int i = c + 1; i < n; i++) {
            double factor = A[i][c] / A[c][c];
            for (int k = c; k < n; k++) {
                A[i][k] -= factor * A[c][k];
            }
        }
    }
    return sign;
}

/* The sign of the determinant is that of a dense elimination, and both signs occur. */
static void
test_sign(void **state)
{
    (void)state;
    int negative = 0;
    for (uint64_t seed = 0; seed < 300; seed++) {
        struct cn_sparse_lu lu;
        take(&lu, NODES, PAIRS, 1000, 40000);
        int n = build(&lu, seed, seed % 2 == 0 ? -40.0 : 1.0);
        assert_int_equal(cn_sparse_lu_factor(&lu, 1e-12), 0);
        int sign = sign_of(n);
        assert_int_equal(cn_sparse_lu_sign(&lu), sign);
        negative += sign < 0 ? 1 : 0;
    }
    assert_in_range(negative, 50, 250);
}

/* The entries of the factor of a grid of side x side nodes, in blocks. */
static size_t
grid_fill(struct cn_sparse_lu *lu, int side)
{
    cn_sparse_order_begin(&lu->order, side * side);
    for (int i = 0; i < side * side; i++) {
        if (i % side + 1 < side) {
            cn_sparse_order_connect(&lu->order, i, i + 1);
        }
        if (i + side < side * side) {
            cn_sparse_order_connect(&lu->order, i + side, i);
        }
    }
    assert_true(cn_sparse_order_find(&lu->order));
    size_t fill = 0;
    for (int i = 0; i < side * side; i++) {
        int node = lu->order.sequence[i];
        assert_int_equal(lu->order.position[node], i);
        fill += (size_t)lu->order.count[node];
        for (int k = 0; k < lu->order.count[node]; k++) { /* the structure comes later */
            assert_true(lu->order.position[lu->order.structure[lu->order.column[node] +
                            (size_t)k]] > i);
        }
    }
    return fill;
}

/*
 * In the order of its rows a grid of 30 x 30 leaves 30 entries a column, 27,000 in all; nested
 * dissection about (31 / 4) n log2(30) / 2 = 17,000.  Minimum degree is known to do better here.
 */
static void
test_fill(void **state)
{
    (void)state;
    struct cn_sparse_lu lu;
    take(&lu, 900, 1800, 40000, 10);
    assert_in_range(grid_fill(&lu, 30), 900, 13000);
    assert_in_range(grid_fill(&lu, 10), 100, 700);

    /* A star: the hub goes last, and nothing fills in. */
    cn_sparse_order_begin(&lu.order, 500);
    for (int i = 0; i < 500; i++) {
        if (i != 123) {
            cn_sparse_order_connect(&lu.order, 123, i);
        }
    }
    assert_true(cn_sparse_order_find(&lu.order));
    assert_int_equal(lu.order.used, 499);
}

static void
test_refuses(void **state)
{
    (void)state;
    struct cn_sparse_lu lu;
    int fits = 0;
    for (size_t entries = 0; entries < 12000; entries += 500) {
        take(&lu, NODES, PAIRS, 1000, entries);
        cn_sparse_order_begin(&lu.order, 20);
        for (int i = 0; i < 19; i++) {
            cn_sparse_order_connect(&lu.order, i, i + 1);
        }
        bool good = cn_sparse_lu_analyse(&lu, 6);
        assert_true(good || fits == 0); /* more room never fits less */
        fits += good ? 1 : 0;
        if (good) {
            assert_int_equal(cn_sparse_lu_factor(&lu, 1.0), 120);
        }
    }
    assert_in_range(fits, 5, 22);
    take(&lu, NODES, PAIRS, 10, 40000);
    cn_sparse_order_begin(&lu.order, 20);
    for (int i = 0; i < 19; i++) {
        cn_sparse_order_connect(&lu.order, i, i + 1);
    }
    assert_false(cn_sparse_lu_analyse(&lu, 3));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_solves),
        cmocka_unit_test(test_pivots),
        cmocka_unit_test(test_sign),
        cmocka_unit_test(test_fill),
        cmocka_unit_test(test_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
