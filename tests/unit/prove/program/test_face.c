/*
 * test_face.c: linear programs of forces are solved exactly by way of the face of their optima, and
 * as the exact simplex solves them.
 *
 * The programs are drawn by chance: some bodies, columns of small integers that act on one or two
 * of them (ties and redundant rows), and masses over six orders.
 */
#include "engine/base/rng.h"
#include "prove/limits.h"
#include "prove/program/face.h"
#include "prove/program/simplex.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define BODIES_MAX 5
#define DOF 3
#define ROWS_MAX (BODIES_MAX * DOF)
#define COLUMNS_MAX 24
#define COUNT 3000

struct pv_factor *__real_pv_factor_create(
    const struct pv_column *const *column, int size, uint64_t *work);
struct pv_factor *__wrap_pv_factor_create(
    const struct pv_column *const *column, int size, uint64_t *work);

static int factors_left = -1; /* factors that are still given; -1: all */

struct pv_factor *
__wrap_pv_factor_create(const struct pv_column *const *column, int size, uint64_t *work)
{
    if (factors_left == 0) {
        return NULL;
    }
    factors_left -= factors_left > 0;
    return __real_pv_factor_create(column, size, work);
}

struct drawn {
    struct pv_program program;
    struct pv_column column[COLUMNS_MAX + 2];
};

static int
pick(struct cn_rng *rng, int low, int high)
{
    return low + (int)(cn_rng_next(rng) % (uint64_t)(high - low + 1));
}

/* Adds the margin's columns: the sum of some of the other columns, and its negative. */
static void
add_margin(struct drawn *d, struct cn_rng *rng, int count)
{
    mpq_t *sum = pv_numbers(ROWS_MAX);
    for (int j = 0; j < count; j++) {
        bool bears = pick(rng, 0, 3) > 0;
        for (int k = 0; bears && k < d->column[j].count; k++) {
            mpq_t *row = &sum[d->column[j].row[k]];
            mpq_add(*row, *row, d->column[j].value[k]);
        }
    }
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < d->program.rows; i++) {
            pv_column_add(&d->column[count + side], i, sum[i]);
            mpq_neg(sum[i], sum[i]);
        }
        mpq_set_si(d->program.c[count + side], side == 0 ? 1 : -1, 1);
    }
    pv_numbers_free(sum, ROWS_MAX);
}

static void
draw(struct drawn *d, uint64_t seed)
{
    struct cn_rng rng = {.state = seed * UINT64_C(0x9E3779B97F4A7C15) + 5};
    int bodies = pick(&rng, 1, BODIES_MAX), count = pick(&rng, 1, COLUMNS_MAX);
    mpq_t value;
    mpq_init(value);
    d->program = (struct pv_program){.rows = DOF * bodies, .columns = count + 2, .dof = DOF};
    d->program.column = d->column;
    d->program.b = pv_numbers(ROWS_MAX);
    d->program.c = pv_numbers(COLUMNS_MAX + 2);
    for (int j = 0; j < count + 2; j++) {
        pv_column_init(&d->column[j], ROWS_MAX);
    }
    for (int j = 0; j < count; j++) {
        int a = pick(&rng, 0, bodies - 1), b = pick(&rng, 0, bodies - 1);
        int force[DOF] = {pick(&rng, -1, 1), pick(&rng, -1, 3), pick(&rng, -4, 4)};
        for (int k = 0; k < DOF; k++) {
            mpq_set_si(value, force[k], 1);
            pv_column_add(&d->column[j], DOF * a + k, value);
        }
        for (int k = 0; k < DOF && a != b; k++) {
            mpq_set_si(value, k < 2 ? -force[k] : pick(&rng, -4, 4), 1);
            pv_column_add(&d->column[j], DOF * b + k, value);
        }
    }
    for (int i = 0; i < bodies; i++) { /* weights, by a force upwards */
        static const int mass[] = {1, 1, 2, 1000, 1000000};
        mpq_set_si(d->program.b[DOF * i + 1], mass[pick(&rng, 0, seed % 3 == 0 ? 4 : 2)], 1);
    }
    add_margin(d, &rng, count);
    mpq_clear(value);
}

static void
drawn_finish(struct drawn *d)
{
    for (int j = 0; j < d->program.columns; j++) {
        pv_column_finish(&d->column[j], ROWS_MAX);
    }
    pv_numbers_free(d->program.b, ROWS_MAX);
    pv_numbers_free(d->program.c, COLUMNS_MAX + 2);
}

/* A x = scale b, x >= 0. */
static void
forces_hold(const struct drawn *d, mpq_t *x, unsigned long scale)
{
    mpq_t *rest = pv_numbers(ROWS_MAX);
    mpq_t factor;
    mpq_init(factor);
    mpq_set_ui(factor, scale, 1);
    for (int i = 0; i < d->program.rows; i++) {
        mpq_mul(rest[i], factor, d->program.b[i]);
    }
    for (int j = 0; j < d->program.columns; j++) {
        assert_true(mpq_sgn(x[j]) >= 0);
        for (int k = 0; k < d->column[j].count; k++) {
            pv_sub_product(rest[d->column[j].row[k]], d->column[j].value[k], x[j]);
        }
    }
    for (int i = 0; i < d->program.rows; i++) {
        assert_int_equal(mpq_sgn(rest[i]), 0);
    }
    mpq_clear(factor);
    pv_numbers_free(rest, ROWS_MAX);
}

/* y A >= c, or >= 0. */
static void
motion_opens(const struct drawn *d, mpq_t *y, bool with_costs)
{
    mpq_t rate;
    mpq_init(rate);
    uint64_t work = 0;
    for (int j = 0; j < d->program.columns; j++) {
        pv_dot_column(rate, &d->column[j], y, &work);
        if (with_costs) {
            mpq_sub(rate, rate, d->program.c[j]);
        }
        assert_true(mpq_sgn(rate) >= 0);
    }
    mpq_clear(rate);
}

/* out = y b */
static void
power(const struct drawn *d, mpq_t out, mpq_t *y)
{
    mpq_set_ui(out, 0, 1);
    for (int i = 0; i < d->program.rows; i++) {
        pv_add_product(out, d->program.b[i], y[i]);
    }
}

static void
is_proof(const struct drawn *d, enum pv_outcome outcome, struct pv_solution *s)
{
    mpq_t value, gain;
    mpq_inits(value, gain, NULL);
    int t = d->program.columns - 2;
    power(d, value, s->y);
    switch (outcome) {
    case PV_OPTIMAL:
        forces_hold(d, s->x, 1);
        motion_opens(d, s->y, true);
        mpq_sub(gain, s->x[t], s->x[t + 1]);
        assert_true(mpq_equal(gain, value));
        break;
    case PV_INFEASIBLE:
        motion_opens(d, s->y, false);
        assert_true(mpq_sgn(value) < 0);
        break;
    case PV_UNBOUNDED:
        forces_hold(d, s->x, 1);
        forces_hold(d, s->ray, 0);
        assert_true(mpq_cmp(s->ray[t], s->ray[t + 1]) > 0);
        break;
    case PV_UNDECIDED: fail_msg("undecided");
    }
    mpq_clears(value, gain, NULL);
}

static void
test_drawn(void **state)
{
    (void)state;
    int outcomes[4] = {0}, undecided = 0;
    mpq_t first, second;
    mpq_inits(first, second, NULL);
    for (uint64_t seed = 0; seed < COUNT; seed++) {
        static struct drawn d;
        struct pv_solution face, simplex;
        draw(&d, seed);
        pv_solution_init(&face, &d.program);
        pv_solution_init(&simplex, &d.program);
        enum pv_outcome outcome = pv_face_solve(&d.program, &face);
        enum pv_outcome other = pv_simplex_solve(&d.program, &simplex);
        if (outcome == PV_UNDECIDED) { /* then the simplex is what answers */
            undecided++;
            outcome = pv_program_solve(&d.program, PV_TABLE_MAX, &face);
        }
        if (outcome != other) {
            fail_msg("seed %llu: %d by the face, %d by the simplex", (unsigned long long)seed,
                (int)outcome, (int)other);
        }
        is_proof(&d, outcome, &face);
        is_proof(&d, other, &simplex);
        power(&d, first, face.y);
        power(&d, second, simplex.y);
        assert_true(outcome != PV_OPTIMAL || mpq_equal(first, second));
        outcomes[outcome]++;
        pv_solution_finish(&face, &d.program);
        pv_solution_finish(&simplex, &d.program);
        drawn_finish(&d);
    }
    mpq_clears(first, second, NULL);
    assert_true(undecided <= COUNT / 100);
    assert_true(outcomes[PV_OPTIMAL] > COUNT / 20 && outcomes[PV_INFEASIBLE] > COUNT / 20 &&
                outcomes[PV_UNBOUNDED] > COUNT / 20);
}

/*
 * From its n-th factor on the simplex gets none, as if the work had grown beyond its limit.  Then
 * it is undecided, or has found the answer before.
 */
static void
test_no_factor(void **state)
{
    (void)state;
    int given_up = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        static struct drawn d;
        draw(&d, seed);
        for (int n = 0; n < 12; n++) {
            struct pv_solution solution;
            pv_solution_init(&solution, &d.program);
            factors_left = n;
            enum pv_outcome outcome = pv_simplex_solve(&d.program, &solution);
            factors_left = -1;
            given_up += outcome == PV_UNDECIDED;
            if (outcome != PV_UNDECIDED) {
                is_proof(&d, outcome, &solution);
            }
            pv_solution_finish(&solution, &d.program);
        }
        drawn_finish(&d);
    }
    assert_true(given_up > 210); /* without any factor: 200 */
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_drawn), cmocka_unit_test(test_no_factor)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
