/*
 * test_hyperstatic.c: laws of gauss and newton where forces are not unique.
 *
 * The test first chooses a solution f0, and b = a0 - A f0.  Some problems are random bodies in
 * which each contact occurs 1 to 8 times; others are stacks of boxes on 4 to 8 points each.  Mass
 * ratios go up to 10^6, and b from 10^-6 to 10^6 m/s^2, with and without friction.  A problem is
 * given as an island, and as a dense matrix, which rounding makes indefinite.  The laws are checked
 * here in long double, without the solvers' judge:
 *
 *     1. the conditions hold within 1e-7 of the largest b, also where that is far below the judge's
 *        1 m/s^2
 *     2. |f| <= FORCES_MAX times the smallest known |f|, that of f0 or of any solver
 *     3. if b is scaled by 2^k, the forces are scaled by 2^k
 *     4. forces of zero are not accepted if b pushes bodies into each other
 */
#include "engine/solve/table/matrix_adapter.h"
#include "engine/solve/table/solver_table.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/support/solve/random_problem.h"

#define ROWS 240
#define BODIES 12
#define PROBLEMS 400
#define TOLERANCE 1e-8
#define FORCES_MAX 6.0

struct hyper {
    struct cn_row rows[ROWS];
    struct cn_mass_inverse mass[BODIES];
    double b[ROWS], friction[ROWS], f0[ROWS];
    unsigned char tag[ROWS];
    struct cn_contact_problem problem;
    bool planar;
};

static struct hyper hyper;
static double A[ROWS * ROWS];
static unsigned char *memory;

static double
power_of_ten(struct cn_rng *rng, double most)
{
    return pow(10.0, cn_rng_uniform(rng, -most, most));
}

static void
add_row(struct hyper *h, int below, int above, cn_vec3 along, cn_vec3 arm_below, cn_vec3 arm_above,
    enum cn_row_tag tag)
{
    int i = h->problem.row_count++;
    h->rows[i] = (struct cn_row){.body_a = below, .body_b = above,
        .linear_a = cn_vec3_negate(along), .linear_b = along,
        .angular_a = cn_vec3_negate(cn_vec3_cross(arm_below, along)),
        .angular_b = cn_vec3_cross(arm_above, along)};
    h->tag[i] = (unsigned char)tag;
}

/* A contact at the arms of two bodies, `copies` times; friction adds its tangents. */
static void
add_contact(struct hyper *h, int below, int above, cn_vec3 normal, cn_vec3 arm_below,
    cn_vec3 arm_above, double mu, int copies)
{
    cn_vec3 side = cn_vec3_scale((cn_vec3){normal.y, -normal.x, 0.0},
        1.0 / sqrt(normal.x * normal.x + normal.y * normal.y));
    cn_vec3 other = cn_vec3_cross(normal, side);
    for (int c = 0; c < copies && h->problem.row_count + 3 <= ROWS; c++) {
        h->friction[h->problem.row_count] = mu;
        add_row(h, below, above, normal, arm_below, arm_above, CN_ROW_NORMAL);
        if (mu > 0.0) {
            add_row(h, below, above, side, arm_below, arm_above, CN_ROW_TANGENT);
        }
        if (mu > 0.0 && !h->planar) {
            add_row(h, below, above, other, arm_below, arm_above, CN_ROW_TANGENT);
        }
    }
}

static void
build_jumble(struct hyper *h, struct cn_rng *rng, double mu)
{
    int contacts = 1 + random_below(rng, 10);
    for (int k = 0; k < contacts; k++) {
        int above = random_below(rng, h->problem.body_count);
        cn_vec3 normal = random_vec3(rng, 1.0, h->planar);
        normal.y += 1.5;
        normal = cn_vec3_scale(normal, 1.0 / cn_vec3_length(normal));
        add_contact(h, above - 1, above, normal, random_vec3(rng, 1.0, h->planar),
            random_vec3(rng, 1.0, h->planar), mu, 1 + random_below(rng, 8));
    }
}

static void
build_stack(struct hyper *h, struct cn_rng *rng, double mu)
{
    for (int above = 0; above < h->problem.body_count; above++) {
        int points = 4 + random_below(rng, 5);
        for (int p = 0; p < points; p++) {
            double x = -0.5 + p / (points - 1.0), z = h->planar ? 0.0 : p % 2 - 0.5;
            add_contact(h, above - 1, above, (cn_vec3){0.0, 1.0, 0.0}, (cn_vec3){x, 0.5, z},
                (cn_vec3){x, -0.5, z}, mu, 1);
        }
    }
}

/* f0 and a0 of a solution, forces in the order of the masses' weights; then b = a0 - A f0. */
static void
build(struct hyper *h, uint64_t seed, bool friction)
{
    struct cn_rng rng = {.state = (seed + 1) * UINT64_C(0x9E3779B97F4A7C15)};
    int bodies = 1 + random_below(&rng, BODIES);
    double ratio = (double)random_below(&rng, 4), size = power_of_ten(&rng, 6.0);
    *h = (struct hyper){.planar = random_below(&rng, 2) == 0};
    h->problem = (struct cn_contact_problem){.body_count = bodies, .rows = h->rows,
        .mass = h->mass, .b = h->b, .tag = h->tag, .friction = h->friction};
    for (int k = 0; k < bodies; k++) {
        double inverse = power_of_ten(&rng, ratio); /* a ratio of 10^6 at most */
        h->mass[k] = (struct cn_mass_inverse){.linear = inverse,
            .angular = cn_mat33_diagonal(6.0 * inverse, 5.0 * inverse, 7.0 * inverse)};
    }
    double mu = friction ? cn_rng_uniform(&rng, 0.1, 0.8) : 0.0;
    if (random_below(&rng, 2) == 0) {
        build_jumble(h, &rng, mu);
    } else {
        build_stack(h, &rng, mu);
    }
    int n = h->problem.row_count, place[ROWS];
    double a0[ROWS] = {0};
    for (int i = 0; i < n; i++) {
        place[i] = i;
        bool copy = i > 0 && h->tag[i - 1] == CN_ROW_NORMAL && !friction &&
            memcmp(&h->rows[i], &h->rows[i - 1], sizeof(h->rows[i])) == 0;
        bool parts = random_below(&rng, 5) == 0;
        if (h->tag[i] == CN_ROW_TANGENT) { /* it sticks, or parts with its normal row */
            int normal = h->tag[i - 1] == CN_ROW_NORMAL ? i - 1 : i - 2;
            h->f0[i] = cn_rng_uniform(&rng, -0.6, 0.6) * mu * h->f0[normal];
        } else if (copy) {
            h->f0[i] = h->f0[i - 1];
            a0[i] = a0[i - 1];
        } else {
            h->f0[i] = parts && !friction ? 0.0 : cn_rng_uniform(&rng, 0.5, 1.0);
            a0[i] = h->f0[i] > 0.0 ? 0.0 : 1.0;
        }
    }
    cn_delassus_fill(&h->problem, place, n, A, ROWS);
    double most = 0.0;
    for (int i = 0; i < n; i++) {
        long double sum = 0.0L;
        for (int j = 0; j < n; j++) {
            sum -= (long double)A[i * ROWS + j] * (long double)h->f0[j];
        }
        h->b[i] = (double)sum + a0[i] * A[i * ROWS + i];
        most = fmax(most, fabs(h->b[i]));
    }
    for (int i = 0; i < n; i++) {
        h->b[i] *= size / most;
        h->f0[i] *= size / most;
    }
}

/* Replaces the loads by gravity and random accelerations. */
static void
load_randomly(struct hyper *h, uint64_t seed)
{
    struct cn_rng rng = {.state = (seed + 7) * UINT64_C(0x9E3779B97F4A7C15)};
    struct cn_twist x[BODIES];
    for (int k = 0; k < h->problem.body_count; k++) {
        x[k].linear = random_vec3(&rng, 5.0, h->planar);
        x[k].linear.y -= 10.0;
        x[k].angular = random_vec3(&rng, 5.0, false);
        x[k].angular.x *= h->planar ? 0.0 : 1.0;
        x[k].angular.y *= h->planar ? 0.0 : 1.0;
    }
    for (int i = 0; i < h->problem.row_count; i++) {
        h->b[i] = cn_row_rate(&h->rows[i], x);
    }
}

static double
length_of(const double *f, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += f[i] * f[i];
    }
    return sqrt(sum);
}

/* Law 1, computed without the judge: the largest violation. *b_most: the largest b. */
static double
violation(const struct hyper *h, const double *f, double *b_most)
{
    int n = h->problem.row_count;
    long double a[ROWS];
    double worst = 0.0;
    *b_most = 0.0;
    for (int i = 0; i < n; i++) {
        a[i] = (long double)h->b[i];
        *b_most = fmax(*b_most, fabs(h->b[i]));
        for (int j = 0; j < n; j++) {
            a[i] += (long double)A[i * ROWS + j] * (long double)f[j];
        }
    }
    for (int i = 0; i < n; i++) {
        if (h->tag[i] != CN_ROW_NORMAL) {
            continue;
        }
        double off = fabs(fmin((double)a[i], A[i * ROWS + i] * f[i]));
        double pull = 0.0, slip = 0.0, along = 0.0, D = 0.0;
        for (int t = i + 1; t < n && h->tag[t] == CN_ROW_TANGENT; t++) {
            pull += f[t] * f[t];
            slip += (double)(a[t] * a[t]);
            along += f[t] * (double)a[t];
            D = fmax(D, A[t * ROWS + t]);
        }
        double rim = h->friction[i] * f[i];
        off = fmax(off, D * (sqrt(pull) - rim));
        /* Either it sticks, or it slides against the force at the rim. */
        double slides = fmax(D * fabs(rim - sqrt(pull)), fabs(along + sqrt(pull * slip)) /
            fmax(sqrt(pull), 1e-300));
        off = fmax(off, fmin(sqrt(slip), slides));
        worst = fmax(worst, off);
    }
    return worst / *b_most;
}

static struct cn_solve_report
solve(const char *name, const struct hyper *h, bool dense, bool least, double *f)
{
    struct cn_solve_options options = {.tolerance = TOLERANCE, .iteration_max = 100000,
        .minimum_norm = least};
    struct cn_arena scratch;
    cn_arena_init(&scratch, memory, (size_t)64 << 20);
    memset(f, 0, ROWS * sizeof(f[0]));
    if (!dense) {
        return cn_solver_find(name)->solve(&h->problem, &options, &scratch, f);
    }
    struct cn_matrix_problem matrix = {.n = h->problem.row_count, .stride = ROWS, .A = A,
        .b = h->b, .tag = h->tag, .friction = h->friction};
    return cn_matrix_solve(cn_matrix_solver_find(name), &matrix, &options, &scratch, f);
}

static void
check(const char *name, uint64_t seed, bool friction, bool dense, double *worst, double *longest)
{
    double f[ROWS], least_f[ROWS], scaled[ROWS], b_most;
    int n = hyper.problem.row_count;
    struct cn_solve_report report = solve(name, &hyper, dense, false, f);
    double off = violation(&hyper, f, &b_most), known = length_of(hyper.f0, n);
    if (!(off <= 1e-7)) {
        fail_msg("%s, seed %d, dense %d: off by %g of b = %g, %s, residual %g", name, (int)seed,
            dense, off, b_most, cn_solve_outcome_name(report.outcome), report.residual);
    }
    assert_int_equal(report.outcome, CN_SOLVE_CONVERGED);
    if (!friction) {
        solve(name, &hyper, dense, true, least_f);
        assert_true(violation(&hyper, least_f, &b_most) <= 1e-7);
        known = fmin(known, length_of(least_f, n));
    }
    double part = known > 0.0 ? length_of(f, n) / known : 0.0;
    if (!(part <= FORCES_MAX)) {
        fail_msg("%s, seed %d, dense %d: |f| is %g times the least", name, (int)seed, dense, part);
    }
    assert_true((known == 0.0) == (length_of(f, n) == 0.0));
    *worst = fmax(*worst, off);
    *longest = fmax(*longest, part);
    static const double factors[] = {0x1p-7, 0x1p9};
    for (int k = 0; k < 2; k++) {
        struct hyper other = hyper;
        other.problem.b = other.b;
        for (int i = 0; i < n; i++) {
            other.b[i] *= factors[k];
        }
        solve(name, &other, dense, !friction, scaled);
        const double *same = friction ? f : least_f;
        for (int i = 0; i < n; i++) {
            double difference = fabs(scaled[i] / factors[k] - same[i]);
            if (!friction && !(difference <= 1e-5 * known)) {
                fail_msg("%s, seed %d, dense %d: scaled by %g, row %d differs by %g of %g", name,
                    (int)seed, dense, factors[k], i, difference, known);
            }
        }
        assert_true(violation(&other, scaled, &b_most) <= 1e-7);
        if (!(length_of(scaled, n) <= FORCES_MAX * known * factors[k])) {
            fail_msg("%s, seed %d, dense %d: scaled by %g, |f| is %g times the least, off %g", name,
                (int)seed, dense, factors[k], length_of(scaled, n) / (known * factors[k]),
                violation(&other, scaled, &b_most));
        }
    }
}

static void
check_all(const char *name, bool friction)
{
    double worst[2] = {0.0, 0.0}, longest[2] = {0.0, 0.0};
    for (uint64_t seed = 0; seed < PROBLEMS; seed++) {
        build(&hyper, seed, friction);
        for (int dense = 0; dense < 2; dense++) {
            check(name, seed, friction, dense == 1, &worst[dense], &longest[dense]);
        }
    }
    printf("  %-7s friction %d: island off %.1e, |f| / least %.2f; matrix off %.1e, %.2f\n", name,
        friction, worst[0], longest[0], worst[1], longest[1]);
}

static void
test_gauss(void **state)
{
    (void)state;
    check_all("gauss", false);
}

static void
test_newton(void **state)
{
    (void)state;
    check_all("newton", false);
}

static void
test_newton_friction(void **state)
{
    (void)state;
    check_all("newton", true);
}

/*
 * Random loads on 105 to 192 rows, of which some contacts have to slide: the paths of these
 * problems turn back.
 */
static void
test_newton_folds(void **state)
{
    (void)state;
    static const uint64_t seeds[] = {54, 284, 660, 745, 866, 1159};
    for (size_t k = 0; k < sizeof(seeds) / sizeof(seeds[0]); k++) {
        double f[ROWS], b_most;
        build(&hyper, seeds[k], true);
        load_randomly(&hyper, seeds[k]);
        struct cn_solve_report report = solve("newton", &hyper, false, false, f);
        assert_int_equal(report.outcome, CN_SOLVE_CONVERGED);
        assert_null(report.stand_in);
        assert_true(violation(&hyper, f, &b_most) <= 1e-7);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gauss),
        cmocka_unit_test(test_newton),
        cmocka_unit_test(test_newton_friction),
        cmocka_unit_test(test_newton_folds),
    };
    memory = aligned_alloc(64, (size_t)64 << 20);
    int failed = memory == NULL ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
    free(memory);
    return failed;
}
