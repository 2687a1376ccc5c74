/*
 * test_problem_laws.c: the dense statement by definition, A = J inv(M) J', against every view of a
 * problem: rates, entries, packed islands, the judge.  Rows are of all kinds, and may hold a body
 * on both sides, or what can not move.
 */
#include "engine/base/rng.h"
#include "engine/problem/delassus.h"
#include "engine/problem/islands.h"
#include "engine/problem/matrix_problem.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/support/near.h"

#define ROWS 24
#define BODIES 7
#define DOFS (6 * BODIES)

static _Alignas(64) unsigned char memory[1 << 17];

struct bench {
    struct cn_contact_problem problem;
    struct cn_row row[ROWS];
    struct cn_mass_inverse mass[BODIES];
    double b[ROWS], friction[ROWS], lower[ROWS], upper[ROWS], f[ROWS];
    unsigned char tag[ROWS];
    double A[ROWS][ROWS], a[ROWS]; /* by definition */
};

static cn_vec3
random_vector(struct cn_rng *rng, bool planar, bool turning)
{
    double x = cn_rng_uniform(rng, -1.0, 1.0), y = cn_rng_uniform(rng, -1.0, 1.0);
    double z = cn_rng_uniform(rng, -1.0, 1.0);
    return planar ? (turning ? cn_vec3_make(0.0, 0.0, z) : cn_vec3_make(x, y, 0.0))
                  : cn_vec3_make(x, y, z);
}

static void
random_row(struct bench *s, struct cn_rng *rng, bool planar, int i, bool same_bodies)
{
    struct cn_row *r = &s->row[i];
    int a = (int)(cn_rng_next(rng) % (BODIES + 2)) - 2, b = (int)(cn_rng_next(rng) % BODIES);
    *r = (struct cn_row){.body_a = same_bodies ? s->row[i - 1].body_a : a < 0 ? -1 : a,
        .body_b = same_bodies ? s->row[i - 1].body_b : b};
    if (r->body_a >= 0) {
        r->linear_a = random_vector(rng, planar, false);
        r->angular_a = random_vector(rng, planar, true);
    }
    r->linear_b = random_vector(rng, planar, false);
    r->angular_b = random_vector(rng, planar, true);
    s->b[i] = cn_rng_uniform(rng, -5.0, 5.0);
    s->f[i] = cn_rng_uniform(rng, -1.0, 4.0);
}

static void
bench_init(struct bench *s, struct cn_rng *rng, bool planar)
{
    memset(s, 0, sizeof(*s));
    for (int k = 0; k < BODIES; k++) {
        if (k % 4 != 3) { /* the others can not move */
            s->mass[k].linear = cn_rng_uniform(rng, 0.2, 2.0);
            s->mass[k].angular = cn_mat33_diagonal(planar ? 0.0 : cn_rng_uniform(rng, 0.2, 2.0),
                planar ? 0.0 : cn_rng_uniform(rng, 0.2, 2.0), cn_rng_uniform(rng, 0.2, 2.0));
        }
    }
    int n = 0;
    while (n + 3 <= ROWS) {
        int kind = (int)(cn_rng_next(rng) % 5), tangents = kind < 3 ? kind : 0;
        random_row(s, rng, planar, n, false);
        s->tag[n] = kind < 3 ? CN_ROW_NORMAL : kind == 3 ? CN_ROW_BILATERAL : CN_ROW_BOUNDED;
        s->lower[n] = -cn_rng_uniform(rng, 0.0, 3.0);
        s->upper[n] = cn_rng_uniform(rng, 0.0, 3.0);
        s->friction[n] = cn_rng_uniform(rng, 0.0, 1.0);
        n++;
        for (int k = 0; k < tangents; k++, n++) {
            random_row(s, rng, planar, n, true);
            s->tag[n] = CN_ROW_TANGENT;
        }
    }
    s->problem = (struct cn_contact_problem){.row_count = n, .body_count = BODIES, .rows = s->row,
        .mass = s->mass, .b = s->b, .tag = s->tag, .friction = s->friction, .lower = s->lower,
        .upper = s->upper};
}

/* J inv(M) J' and A f + b, all rows written out over all degrees of freedom. */
static void
define(struct bench *s)
{
    static double J[ROWS][DOFS], T[ROWS][DOFS];
    memset(J, 0, sizeof(J));
    memset(T, 0, sizeof(T));
    int n = s->problem.row_count;
    for (int i = 0; i < n; i++) {
        const struct cn_row *r = &s->row[i];
        const int body[2] = {r->body_a, r->body_b};
        const cn_vec3 half[2][2] = {
            {r->linear_a, r->angular_a}, {r->linear_b, r->angular_b}};
        for (int side = 0; side < 2; side++) {
            for (int k = 0; body[side] >= 0 && k < 2; k++) {
                double *at = &J[i][6 * body[side] + 3 * k];
                at[0] += half[side][k].x;
                at[1] += half[side][k].y;
                at[2] += half[side][k].z;
            }
        }
        for (int k = 0; k < BODIES; k++) {
            const struct cn_mass_inverse *m = &s->mass[k];
            const double inverse[6] = {m->linear, m->linear, m->linear, m->angular.cx.x,
                m->angular.cy.y, m->angular.cz.z};
            for (int d = 0; d < 6; d++) {
                T[i][6 * k + d] = J[i][6 * k + d] * inverse[d];
            }
        }
    }
    for (int i = 0; i < n; i++) {
        s->a[i] = s->b[i];
        for (int j = 0; j < n; j++) {
            s->A[i][j] = 0.0;
            for (int d = 0; d < DOFS; d++) {
                s->A[i][j] += J[i][d] * T[j][d];
            }
            s->a[i] += s->A[i][j] * s->f[j];
        }
    }
}

/* The judge, as contact_problem.h states it. */
static double
judge(const struct bench *s)
{
    double worst = 0.0, scale = 1.0;
    int n = s->problem.row_count;
    for (int i = 0; i < n; i++) {
        double D = s->A[i][i], f = s->f[i], a = s->a[i], residual = 0.0;
        scale = fmax(scale, fabs(s->b[i]));
        if (s->tag[i] == CN_ROW_NORMAL) {
            residual = fabs(fmin(a, D * f));
        } else if (s->tag[i] == CN_ROW_BILATERAL) {
            residual = fabs(a);
        } else if (s->tag[i] == CN_ROW_BOUNDED) {
            double to = fmin(fmax(D * f - a, D * s->lower[i]), D * s->upper[i]);
            residual = fabs(D * f - to);
        } else if (s->tag[i - 1] != CN_ROW_TANGENT) {
            bool two = i + 1 < n && s->tag[i + 1] == CN_ROW_TANGENT;
            D = two ? fmax(D, s->A[i + 1][i + 1]) : D;
            double rim = D * s->friction[i - 1] * fmax(s->f[i - 1], 0.0);
            double p[2] = {D * f - a, two ? D * s->f[i + 1] - s->a[i + 1] : 0.0};
            double length = hypot(p[0], p[1]), keep = length > rim ? rim / length : 1.0;
            residual =
                hypot(D * f - keep * p[0], two ? D * s->f[i + 1] - keep * p[1] : 0.0);
        }
        worst = fmax(worst, residual);
    }
    return worst / scale;
}

static void
test_rates_and_judge(void **state)
{
    (void)state;
    struct cn_rng rng = {.state = 71};
    for (int trial = 0; trial < 600; trial++) {
        static struct bench s;
        struct cn_twist work[BODIES];
        double a[ROWS];
        bench_init(&s, &rng, trial % 2 == 0);
        for (int i = 0; i < s.problem.row_count && trial % 3 == 0; i++) {
            s.f[i] = cn_rng_next(&rng) % 2 == 0 ? 0.0 : s.f[i];
        }
        for (int i = 0; i < s.problem.row_count && trial % 5 == 0; i++) {
            /* Of what holds, a few forces that pull, or too much, are all that is wrong. */
            s.b[i] *= 1e-3;
            s.f[i] *= 0.3;
        }
        define(&s);
        cn_problem_rates(&s.problem, s.f, work, a);
        for (int i = 0; i < s.problem.row_count; i++) {
            assert_near(a[i], s.a[i], 1e-12);
            for (int j = 0; j < s.problem.row_count; j++) {
                assert_near(cn_delassus_entry(&s.problem, i, j), s.A[i][j], 1e-13);
            }
        }
        assert_near(cn_residual_measure(&s.problem, s.f, work), judge(&s), 1e-12);
        int spoilt = (int)(cn_rng_next(&rng) % (uint32_t)s.problem.row_count);
        s.f[spoilt] = trial % 2 == 0 ? HUGE_VAL : (double)NAN;
        assert_true(cn_residual_measure(&s.problem, s.f, work) == HUGE_VAL);
    }
}

/* One row alone, with a force that is wrong by itself: too much, too little, of the wrong sign. */
static void
test_judge_of_one(void **state)
{
    (void)state;
    struct cn_rng rng = {.state = 72};
    for (int trial = 0; trial < 600; trial++) {
        static struct bench s;
        struct cn_twist work[BODIES];
        bench_init(&s, &rng, false);
        s.problem.row_count = 1;
        s.tag[0] = trial % 3 == 0   ? CN_ROW_NORMAL
                   : trial % 3 == 1 ? CN_ROW_BILATERAL
                                    : CN_ROW_BOUNDED;
        s.row[0].body_b = 0;
        s.f[0] = cn_rng_uniform(&rng, -4.0, 4.0);
        define(&s);
        if (trial % 2 == 0) { /* with this f, the acceleration is zero */
            s.b[0] -= s.a[0];
            define(&s);
        }
        assert_near(cn_residual_measure(&s.problem, s.f, work), judge(&s), 1e-12);
    }
}

/* Islands, packed one after the other, are the parts of A; no two share a body that moves. */
static void
test_packed_islands(void **state)
{
    (void)state;
    struct cn_rng rng = {.state = 73};
    for (int trial = 0; trial < 400; trial++) {
        static struct bench s;
        struct cn_arena arena;
        struct cn_islands islands;
        struct cn_delassus A;
        bench_init(&s, &rng, trial % 2 == 0);
        define(&s);
        memset(memory, 0xff, sizeof(memory));
        cn_arena_init(&arena, memory, sizeof(memory));
        int n = s.problem.row_count;
        cn_islands_take(&islands, &arena, n, BODIES);
        cn_islands_find(&islands, &s.problem);
        cn_delassus_take(&A, &arena, n, BODIES);
        cn_delassus_reset(&A, BODIES);
        int island_of[ROWS], place[ROWS];
        for (int k = 0; k < islands.count; k++) {
            const int *row = islands.row + islands.start[k];
            int count = islands.start[k + 1] - islands.start[k];
            for (int again = 0; again < 2; again++) { /* nothing is left of the first time */
                cn_delassus_pack(&A, &s.problem, row, count);
            }
            double f[ROWS], y[ROWS], column[ROWS];
            for (int i = 0; i < count; i++) {
                island_of[row[i]] = k;
                f[i] = s.f[row[i]];
                place[i] = i;
            }
            cn_delassus_multiply(&A, f, y);
            for (int i = 0; i < count; i++) {
                double sum = 0.0;
                int first = cn_delassus_column(&A, i, place, count, column);
                assert_near(cn_delassus_diagonal(&A, i), s.A[row[i]][row[i]], 1e-12);
                for (int j = 0; j < count; j++) {
                    sum += s.A[row[i]][row[j]] * f[j];
                    assert_near(j < first ? 0.0 : column[j], s.A[row[j]][row[i]], 1e-12);
                }
                assert_near(y[i], sum, 1e-12);
            }
        }
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                assert_true(island_of[i] == island_of[j] || s.A[i][j] == 0.0);
            }
        }
    }
}

/* A chain whose rows come in any order is walked from one of its ends: neighbours are together. */
static void
test_chains_are_narrow(void **state)
{
    (void)state;
    enum { LINKS = 40 };
    struct cn_rng rng = {.state = 74};
    for (int trial = 0; trial < 100; trial++) {
        static struct cn_row row[LINKS];
        static struct cn_mass_inverse mass[LINKS + 1];
        double b[LINKS] = {0.0};
        unsigned char tag[LINKS];
        int order[LINKS], at[LINKS];
        for (int i = 0; i < LINKS; i++) {
            order[i] = i;
            tag[i] = CN_ROW_BILATERAL;
            mass[i].linear = mass[i + 1].linear = 1.0;
        }
        for (int i = LINKS - 1; i > 0; i--) {
            int k = (int)(cn_rng_next(&rng) % (uint32_t)(i + 1)), swap = order[i];
            order[i] = order[k];
            order[k] = swap;
        }
        for (int i = 0; i < LINKS; i++) {
            row[i] = (struct cn_row){.body_a = order[i], .body_b = order[i] + 1};
        }
        struct cn_contact_problem problem = {.row_count = LINKS, .body_count = LINKS + 1,
            .rows = row, .mass = mass, .b = b, .tag = tag};
        struct cn_arena arena;
        struct cn_islands islands;
        cn_arena_init(&arena, memory, sizeof(memory));
        cn_islands_take(&islands, &arena, LINKS, LINKS + 1);
        cn_islands_find(&islands, &problem);
        assert_int_equal(islands.count, 1);
        for (int k = 0; k < LINKS; k++) {
            at[order[islands.row[k]]] = k;
        }
        for (int link = 0; link + 1 < LINKS; link++) {
            assert_int_equal(abs(at[link + 1] - at[link]), 1);
        }
    }
}

/* A matrix is symmetric up to rounding of its diagonal, and not beyond. */
static void
test_symmetry(void **state)
{
    (void)state;
    double A[9] = {4.0, 1.0, 2.0, 1.0, 5.0, 3.0, 2.0, 3.0, 6.0}, b[3] = {0.0};
    unsigned char tag[3] = {CN_ROW_NORMAL, CN_ROW_NORMAL, CN_ROW_NORMAL};
    struct cn_matrix_problem matrix = {.n = 3, .stride = 3, .A = A, .b = b, .tag = tag};
    assert_true(cn_matrix_is_symmetric(&matrix));
    A[5] = nextafter(3.0, 4.0);
    assert_true(cn_matrix_is_symmetric(&matrix));
    for (int i = 0; i < 9; i++) {
        double kept = A[i];
        A[i] += i % 4 == 0 ? 0.0 : 0.01;
        assert_int_equal(cn_matrix_is_symmetric(&matrix), i % 4 == 0);
        A[i] = kept;
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rates_and_judge),
        cmocka_unit_test(test_judge_of_one),
        cmocka_unit_test(test_packed_islands),
        cmocka_unit_test(test_chains_are_narrow),
        cmocka_unit_test(test_symmetry),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
