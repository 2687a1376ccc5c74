/* test_active_set.c: the factor against its matrix while single rows are added and removed. */
#include "engine/base/rng.h"
#include "engine/linalg/active_set.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/support/near.h"

#define N 9

static _Alignas(64) unsigned char memory[1 << 13];
static const int all[N] = {0, 1, 2, 3, 4, 5, 6, 7, 8};

/* Two unknowns of weights 1 and 1/4, rows (1, 0) and (1, 1): everything by hand. */
static void
test_two_unknowns(void **state)
{
    (void)state;
    struct cn_arena arena;
    struct cn_active_set set;
    cn_arena_init(&arena, memory, sizeof(memory));
    cn_active_set_take(&set, &arena, 2);
    cn_active_set_begin(&set, 2);
    cn_active_set_metric(&set, 0, 0, 1.0);
    cn_active_set_metric(&set, 1, 1, 2.0);
    static const double first[] = {1.0}, second[] = {1.0, 1.0};
    struct cn_active_row row = {1, all, first};
    assert_near(cn_active_set_stage(&set, &row), 1.0, 1e-15);
    cn_active_set_commit(&set);
    row = (struct cn_active_row){2, all, second};
    assert_near(cn_active_set_stage(&set, &row), 4.0, 1e-15); /* 1 + 4, less the first row's part */
    double r[2];
    cn_active_set_direction(&set, r);
    assert_near(r[0], 1.0, 1e-15);
    cn_active_set_commit(&set);
    double x[2] = {3.0, 7.0}; /* [1 1; 1 5] x = (3, 7): x = (2, 1) */
    cn_active_set_solve(&set, x);
    assert_near(x[0], 2.0, 1e-14);
    assert_near(x[1], 1.0, 1e-14);
    assert_near(cn_active_set_stage(&set, &row), 0.0, 1e-28); /* it depends on itself */
    cn_active_set_remove(&set, 0);
    x[0] = 10.0;
    cn_active_set_solve(&set, x);
    assert_near(x[0], 2.0, 1e-14);
}

/* (N' inv(G) N) x = y for the active rows, by the sums that it stands for. */
static void
check_solve(struct cn_active_set *set, double rows[][N], const double *weight)
{
    double x[N], y[N];
    for (int p = 0; p < set->count; p++) {
        y[p] = 1.0 + p;
        x[p] = y[p];
    }
    cn_active_set_solve(set, x);
    for (int p = 0; p < set->count; p++) {
        double sum = 0.0;
        for (int q = 0; q < set->count; q++) {
            for (int k = 0; k < N; k++) {
                sum += rows[p][k] * weight[k] * rows[q][k] * x[q];
            }
        }
        assert_near(sum, y[p], 1e-9);
    }
}

static void
test_in_and_out(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct cn_rng rng = {.state = seed};
        struct cn_arena arena;
        struct cn_active_set set;
        cn_arena_init(&arena, memory, sizeof(memory));
        cn_active_set_take(&set, &arena, N);
        cn_active_set_begin(&set, N);
        double weight[N], rows[N][N];
        for (int k = 0; k < N; k++) {
            double root = cn_rng_uniform(&rng, 0.5, 2.0);
            weight[k] = root * root;
            cn_active_set_metric(&set, k, k, root);
        }
        for (int turn = 0; turn < 60; turn++) {
            bool out = set.count == N || (set.count > 0 && cn_rng_next(&rng) % 3 == 0);
            if (out) {
                int gone = (int)(cn_rng_next(&rng) % (uint32_t)set.count);
                cn_active_set_remove(&set, gone);
                for (int p = gone; p < set.count; p++) {
                    for (int k = 0; k < N; k++) {
                        rows[p][k] = rows[p + 1][k];
                    }
                }
            } else {
                double *row = rows[set.count];
                for (int k = 0; k < N; k++) { /* sparse, so that ranges matter */
                    row[k] = cn_rng_next(&rng) % 2 == 0 ? cn_rng_uniform(&rng, -1.0, 1.0) : 0.0;
                }
                row[set.count] += 2.0;
                struct cn_active_row active = {N, all, row};
                if (cn_active_set_stage(&set, &active) > 1e-3) {
                    cn_active_set_commit(&set);
                }
            }
            check_solve(&set, rows, weight);
        }
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_unknowns),
        cmocka_unit_test(test_in_and_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
