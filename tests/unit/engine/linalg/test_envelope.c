/*
 * test_envelope.c: the factor times its transpose is the matrix, while rows are added and removed.
 */
#include "engine/base/rng.h"
#include "engine/linalg/envelope.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "tests/support/near.h"

#define N 24
#define ENTRIES 4000 /* with room for holes */

static _Alignas(64) unsigned char memory[1 << 16];
static double A[N][N]; /* a banded definite matrix, by member */

/* A_ij = sum over k of M_ik M_jk with M banded: definite, zero for |i - j| > 2 width. */
static void
make_matrix(struct cn_rng *rng, int width)
{
    double M[N][N] = {{0.0}};
    for (int i = 0; i < N; i++) {
        for (int k = i - width; k <= i + width; k++) {
            if (k >= 0 && k < N) {
                M[i][k] = cn_rng_uniform(rng, -1.0, 1.0) + (k == i ? 3.0 : 0.0);
            }
        }
    }
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            A[i][j] = 0.0;
            for (int k = 0; k < N; k++) {
                A[i][j] += M[i][k] * M[j][k];
            }
        }
    }
}

static double
append(struct cn_envelope *envelope, const int *member, int i, bool keep)
{
    int count = envelope->count, first = 0;
    while (first < count && A[member[first]][i] == 0.0) {
        first++;
    }
    double *row = cn_envelope_staging(envelope);
    for (int p = first; p < count; p++) {
        row[p] = A[member[p]][i];
    }
    double schur = cn_envelope_stage(envelope, first, A[i][i]);
    if (keep) {
        assert_true(cn_envelope_commit(envelope, schur));
    }
    return schur;
}

/* L L' is A on the members. */
static void
check_product(const struct cn_envelope *envelope, const int *member)
{
    for (int p = 0; p < envelope->count; p++) {
        for (int q = 0; q <= p; q++) {
            double sum = 0.0;
            for (int k = 0; k <= q; k++) {
                double l_p = k < envelope->first[p] ? 0.0 : cn_envelope_row(envelope, p)[k];
                double l_q = k < envelope->first[q] ? 0.0 : cn_envelope_row(envelope, q)[k];
                sum += l_p * l_q;
            }
            assert_near(sum, A[member[p]][member[q]], 1e-11);
        }
    }
}

static void
check_solve(struct cn_envelope *envelope, const int *member)
{
    double x[N], right[N];
    for (int p = 0; p < envelope->count; p++) {
        right[p] = 1.0 + p;
        x[p] = right[p];
    }
    cn_envelope_solve(envelope, x);
    for (int p = 0; p < envelope->count; p++) {
        double sum = 0.0;
        for (int q = 0; q < envelope->count; q++) {
            sum += A[member[p]][member[q]] * x[q];
        }
        assert_near(sum, right[p], 1e-10);
    }
}

/* A 2 x 2 by hand: [[4, 2], [2, 5]] = [[2, 0], [1, 2]] [[2, 1], [0, 2]]. */
static void
test_by_hand(void **state)
{
    (void)state;
    struct cn_arena arena;
    struct cn_envelope envelope;
    cn_arena_init(&arena, memory, sizeof(memory));
    cn_envelope_take(&envelope, &arena, 2, 3);
    cn_envelope_reset(&envelope);
    assert_near(cn_envelope_stage(&envelope, 0, 4.0), 4.0, 0.0);
    assert_true(cn_envelope_commit(&envelope, 4.0));
    cn_envelope_staging(&envelope)[0] = 2.0;
    assert_near(cn_envelope_stage(&envelope, 0, 5.0), 4.0, 0.0);
    double x[2];
    cn_envelope_staged_solve(&envelope, x);
    assert_near(x[0], 0.5, 0.0); /* 4 x = 2 */
    assert_true(cn_envelope_commit(&envelope, 4.0));
    x[0] = 6.0;
    x[1] = 7.0;
    cn_envelope_solve(&envelope, x);
    assert_near(x[0], 1.0, 1e-15);
    assert_near(x[1], 1.0, 1e-15);
    cn_envelope_remove(&envelope, 0);
    assert_near(cn_envelope_row(&envelope, 0)[0], sqrt(5.0), 1e-15);
    cn_envelope_staging(&envelope)[0] = 0.0;
    assert_near(cn_envelope_stage(&envelope, 1, 4.0), 4.0, 0.0);
    assert_false(cn_envelope_commit(&envelope, 4.0)); /* the hole is not used again */
}

/* Random rows are added and removed; after every change L L' is the matrix of the rows inside. */
static void
test_grow_and_shrink(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct cn_rng rng = {.state = (seed + 1) * UINT64_C(0x9E3779B97F4A7C15)};
        struct cn_arena arena;
        struct cn_envelope envelope;
        int member[N], out[N];
        make_matrix(&rng, seed % 2 == 0 ? 2 : N);
        cn_arena_init(&arena, memory, sizeof(memory));
        cn_envelope_take(&envelope, &arena, N, ENTRIES);
        cn_envelope_reset(&envelope);
        for (int i = 0; i < N; i++) {
            out[i] = i;
        }
        for (int turn = 0; turn < 200; turn++) {
            int count = envelope.count;
            bool grow = count == 0 || (count < N && cn_rng_next(&rng) % 5 < 3);
            if (grow) {
                int pick = (int)(cn_rng_next(&rng) % (uint32_t)(N - count));
                int i = out[pick];
                out[pick] = out[N - count - 1];
                append(&envelope, member, i, true);
                member[count] = i;
            } else {
                int p = (int)(cn_rng_next(&rng) % (uint32_t)count);
                out[N - count] = member[p];
                memmove(member + p, member + p + 1, (size_t)(count - 1 - p) * sizeof(int));
                cn_envelope_remove(&envelope, p);
            }
            check_product(&envelope, member);
            check_solve(&envelope, member);
        }
    }
}

/* In its own order a banded matrix keeps its band, and removal does not widen it. */
static void
test_band_stays(void **state)
{
    (void)state;
    struct cn_rng rng = {.state = 5};
    struct cn_arena arena;
    struct cn_envelope envelope;
    int member[N];
    make_matrix(&rng, 1);
    cn_arena_init(&arena, memory, sizeof(memory));
    cn_envelope_take(&envelope, &arena, N, ENTRIES);
    cn_envelope_reset(&envelope);
    for (int i = 0; i < N; i++) {
        append(&envelope, member, i, true);
        member[i] = i;
    }
    cn_envelope_remove(&envelope, 7);
    for (int i = 0; i < N - 1; i++) {
        assert_true(i - envelope.first[i] <= 2);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_grow_and_shrink),
        cmocka_unit_test(test_band_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
