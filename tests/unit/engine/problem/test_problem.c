/* test_problem.c: A by rows, the judge, and islands, on problems small enough to write down. */
#include "engine/math/quat.h"
#include "engine/problem/islands.h"
#include "engine/problem/matrix_problem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "tests/support/near.h"
#include "tests/support/solve/brick_wall.h"
#include "tests/support/solve/random_friction.h"

static _Alignas(64) unsigned char memory[1 << 16];

/*
 * A planar block of 3 kg, 2 m wide, inertia 5/4 kg m^2, on two corners 1/2 m below its centre:
 * A_ij = 1/m + x_i x_j / I = 1/3 +- 4/5, that is 17/15 and -7/15.
 */
static struct cn_contact_problem
block(struct cn_row *rows, struct cn_mass_inverse *mass, double *b, unsigned char *tag)
{
    *mass = (struct cn_mass_inverse){.linear = 1.0 / 3.0};
    mass->angular.cz.z = 4.0 / 5.0;
    for (int i = 0; i < 2; i++) {
        rows[i] = (struct cn_row){.body_a = -1, .body_b = 0};
        rows[i].linear_b.y = 1.0;
        rows[i].angular_b.z = i == 0 ? -1.0 : 1.0;
        b[i] = -10.0;
        tag[i] = CN_ROW_NORMAL;
    }
    return (struct cn_contact_problem){.row_count = 2, .body_count = 1, .rows = rows,
        .mass = mass, .b = b, .tag = tag};
}

static void
test_block(void **state)
{
    (void)state;
    struct cn_row rows[2];
    struct cn_mass_inverse mass;
    double b[2], A[4];
    unsigned char tag[2];
    struct cn_contact_problem problem = block(rows, &mass, b, tag);
    const int index[2] = {0, 1};
    cn_delassus_fill(&problem, index, 2, A, 2);
    assert_near(A[0], 17.0 / 15.0, 1e-15);
    assert_near(A[1], -7.0 / 15.0, 1e-15);
    assert_near(A[2], -7.0 / 15.0, 1e-15);
    assert_near(A[3], 17.0 / 15.0, 1e-15);

    double f[2] = {18.0, 24.0}, a[2];
    struct cn_twist work[1];
    cn_problem_rates(&problem, f, work, a);
    assert_near(work[0].linear.y, 14.0, 1e-13);       /* 42 N on 3 kg */
    assert_near(work[0].angular.z, 6.0 * 0.8, 1e-13); /* 6 N m */
    assert_near(a[0], 14.0 - 4.8 - 10.0, 1e-13);
    assert_near(a[1], 14.0 + 4.8 - 10.0, 1e-13);
}

/* The judge, row by row: scaled by max |b| = 10. */
static void
test_judge(void **state)
{
    (void)state;
    struct cn_row rows[2];
    struct cn_mass_inverse mass;
    double b[2];
    unsigned char tag[2];
    struct cn_contact_problem problem = block(rows, &mass, b, tag);
    struct cn_twist work[1];
    double solved[2] = {15.0, 15.0}, none[2] = {0.0, 0.0}, pull[2] = {15.0, -15.0};
    double nan[2] = {15.0, (double)NAN};
    assert_near(cn_residual_measure(&problem, solved, work), 0.0, 1e-15);
    assert_near(cn_residual_measure(&problem, none, work), 1.0, 1e-15); /* both fall with g */
    /* a = (14, -34): min(a, A_ii f) = (14, -34). */
    assert_near(cn_residual_measure(&problem, pull, work), 3.4, 1e-14);
    assert_true(cn_residual_measure(&problem, nan, work) == HUGE_VAL);
    /* Too much force: a = (0.2, 0.2) with f > 0 is as wrong as a = -0.2. */
    double more[2] = {15.3, 15.3};
    assert_near(cn_residual_measure(&problem, more, work), 0.02, 1e-14);
    /* Pulling apart, with a small force left over: its own effect A_ii f counts. */
    b[0] = 10.0;
    b[1] = 10.0;
    double rest[2] = {0.0, 0.15};
    assert_near(cn_residual_measure(&problem, rest, work), 0.017, 1e-14);
    /* A bilateral row may pull, and may not part. */
    tag[0] = CN_ROW_BILATERAL;
    assert_near(cn_residual_measure(&problem, none, work), 1.0, 1e-15);
}

/* A residual that is not a number is the worst, also between rows that hold. */
static void
test_judge_of_no_number(void **state)
{
    (void)state;
    struct cn_row rows[2];
    struct cn_mass_inverse mass;
    double b[2];
    unsigned char tag[2];
    struct cn_contact_problem problem = block(rows, &mass, b, tag);
    struct cn_twist work[1];
    double solved[2] = {15.0, 15.0};
    /* The forces cancel in a, and A_ii f overflows. */
    double lower[2] = {-100.0, -100.0}, upper[2] = {100.0, 100.0};
    problem.lower = lower;
    problem.upper = upper;
    tag[0] = CN_ROW_BOUNDED;
    assert_near(cn_residual_measure(&problem, solved, work), 0.0, 1e-15);
    mass.angular.cz.z = 1e308;
    assert_true(cn_residual_measure(&problem, solved, work) == HUGE_VAL);

    /* A tangent row between two that hold: A_ii f - a overflows. */
    double A[9] = {1.0, 0.0, 0.0, 0.0, 1e308, -1e308, 0.0, 0.0, 1.0};
    double c[3] = {-1.0, -1e308, -1.5}, f[3] = {1.0, 1.5, 1.5}, mu[3] = {0.5}, a[3];
    unsigned char kind[3] = {CN_ROW_NORMAL, CN_ROW_TANGENT, CN_ROW_NORMAL};
    struct cn_matrix_problem matrix = {
        .n = 3, .stride = 3, .A = A, .b = c, .tag = kind, .friction = mu};
    assert_true(cn_matrix_residual(&matrix, f, a) == HUGE_VAL);
}

/* The packed rows of a whole problem say what cn_delassus_entry says, planar and in space. */
static void
test_delassus_packs_the_same(void **state)
{
    (void)state;
    static struct random_problem random;
    for (uint64_t seed = 0; seed < 40; seed++) {
        random_problem_build(&random, seed, false, true);
        const struct cn_contact_problem *problem = &random.problem;
        int n = problem->row_count;
        struct cn_arena arena;
        struct cn_delassus A;
        cn_arena_init(&arena, memory, sizeof(memory));
        cn_delassus_take(&A, &arena, n, problem->body_count);
        cn_delassus_reset(&A, problem->body_count);
        int row[RANDOM_ROWS_MAX], place[RANDOM_ROWS_MAX];
        double column[RANDOM_ROWS_MAX], f[RANDOM_ROWS_MAX], y[RANDOM_ROWS_MAX];
        for (int i = 0; i < n; i++) {
            row[i] = n - 1 - i;
            place[i] = i;
            f[i] = 1.0 + i;
        }
        cn_delassus_pack(&A, problem, row, n);
        cn_delassus_multiply(&A, f, y);
        for (int i = 0; i < n; i++) {
            int first = cn_delassus_column(&A, i, place, n, column);
            double sum = 0.0, size = 0.0;
            for (int j = 0; j < n; j++) {
                double entry = cn_delassus_entry(problem, row[i], row[j]);
                assert_near(j < first ? 0.0 : column[j], entry, 1e-12 * (1.0 + fabs(entry)));
                sum += entry * f[j];
                size += fabs(entry * f[j]);
            }
            assert_near(y[i], sum, 1e-13 * size);
            assert_near(cn_delassus_diagonal(&A, i), column[i], 1e-12 * column[i]);
        }
    }
}

/* Two towers, a row that touches nothing, and a body of no inverse mass between them. */
static void
test_islands(void **state)
{
    (void)state;
    struct brick_wall wall;
    brick_wall_init(&wall, 32, 8);
    brick_wall_build(&wall, 1, 3, 0.0); /* rows 0 .. 5 of bodies 0, 1, 2 */
    brick_add(&wall, 5.0, 0.125);
    brick_add(&wall, 9.0, 0.125);
    brick_touch(&wall, -1, 3, 4.5, 0.0); /* row 6 */
    brick_touch(&wall, -1, 4, 8.5, 0.0); /* row 7 */
    brick_touch(&wall, 4, 3, 7.0, 0.0);  /* row 8: 3 and 4, but 4 can not move */
    brick_touch(&wall, -1, 3, 5.5, 0.0); /* row 9 */
    wall.mass[4] = (struct cn_mass_inverse){0};
    struct cn_arena arena;
    struct cn_islands islands;
    cn_arena_init(&arena, memory, sizeof(memory));
    cn_islands_take(&islands, &arena, 10, 5);
    cn_islands_find(&islands, &wall.problem);
    assert_int_equal(islands.count, 3);
    assert_int_equal(islands.start[0], 0);
    assert_int_equal(islands.start[1], 6);
    assert_int_equal(islands.start[2], 9);
    assert_int_equal(islands.start[3], 10);
    bool seen[10] = {false};
    for (int k = 0; k < 10; k++) {
        assert_false(seen[islands.row[k]]);
        seen[islands.row[k]] = true;
    }
    for (int k = 0; k < 6; k++) {
        assert_true(islands.row[k] < 6);
    }
    assert_int_equal(islands.row[9], 7);
    brick_wall_finish(&wall);
}

/* In the order of an island, rows that couple are no further apart than the wall is wide. */
static void
test_island_order_is_narrow(void **state)
{
    (void)state;
    struct brick_wall wall;
    brick_wall_init(&wall, 2048, 512);
    brick_wall_build(&wall, 3, 100, 0.5);
    int n = wall.problem.row_count;
    struct cn_arena arena;
    struct cn_islands islands;
    cn_arena_init(&arena, memory, sizeof(memory));
    cn_islands_take(&islands, &arena, n, wall.problem.body_count);
    cn_islands_find(&islands, &wall.problem);
    assert_int_equal(islands.count, 1);
    for (int p = 0; p < n; p++) {
        for (int q = 0; q < p; q++) {
            if (cn_delassus_entry(&wall.problem, islands.row[p], islands.row[q]) != 0.0) {
                assert_true(p - q <= 40); /* two layers of bricks */
            }
        }
    }
    brick_wall_finish(&wall);
}

/*
 * Random problems with friction: the forces that they were made from solve them, and each island
 * keeps a contact's rows together.
 */
static void
test_contacts_stay_together(void **state)
{
    (void)state;
    static struct random_friction random;
    int with_tangents = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct random_friction_kind kind = {.friction_max = 1.0, .body_max = RANDOM_BODIES_MAX,
            .contact_max = 20, .slip = seed % 2 == 0};
        random_friction_build(&random, seed, kind);
        const struct cn_contact_problem *problem = &random.problem;
        struct cn_twist work[RANDOM_BODIES_MAX];
        assert_true(cn_residual_measure(problem, random.f, work) <= 1e-12);
        if (seed % 5 == 0) {
            random.base.mass[0] = (struct cn_mass_inverse){0};
        }
        struct cn_arena arena;
        struct cn_islands islands;
        cn_arena_init(&arena, memory, sizeof(memory));
        cn_islands_take(&islands, &arena, problem->row_count, problem->body_count);
        cn_islands_find(&islands, problem);
        bool seen[RANDOM_ROWS_MAX] = {false};
        for (int k = 0, island = 0; k < problem->row_count; k++) {
            int i = islands.row[k];
            assert_false(seen[i]);
            seen[i] = true;
            bool starts = k == islands.start[island];
            island += starts ? 1 : 0;
            if (problem->tag[i] == CN_ROW_TANGENT) {
                assert_false(starts);
                assert_int_equal(islands.row[k - 1], i - 1);
                with_tangents++;
            }
        }
    }
    assert_true(with_tangents > 1000);
}

/* An island's matrix problem is judged as its part of the whole, friction and slip included. */
static void
test_matrix_judges_the_same(void **state)
{
    (void)state;
    static struct random_friction random;
    static double A[RANDOM_ROWS_MAX * RANDOM_ROWS_MAX];
    for (uint64_t seed = 0; seed < 100; seed++) {
        struct random_friction_kind kind = {.friction_max = 1.0, .body_max = 4,
            .contact_max = 20, .slip = seed % 2 == 0};
        random_friction_build(&random, seed, kind);
        const struct cn_contact_problem *problem = &random.problem;
        int n = problem->row_count, index[RANDOM_ROWS_MAX];
        double f[RANDOM_ROWS_MAX], a[RANDOM_ROWS_MAX];
        struct cn_rng rng = {.state = (seed + 1) * UINT64_C(0x9E3779B97F4A7C15)};
        for (int i = 0; i < n; i++) {
            index[i] = i;
            f[i] = random.f[i] + cn_rng_uniform(&rng, -1.0, 1.0);
        }
        cn_delassus_fill(problem, index, n, A, n);
        struct cn_matrix_problem matrix = {.n = n, .stride = n, .A = A, .b = problem->b,
            .tag = problem->tag, .friction = problem->friction, .slip = problem->slip};
        struct cn_twist work[RANDOM_BODIES_MAX];
        double whole = cn_residual_measure(problem, f, work);
        assert_near(cn_matrix_residual(&matrix, f, a), whole, 1e-12 * (1.0 + whole));
        assert_true(whole > 1e-3);
    }
}

/*
 * A body that is locked about its x, however it lies, and rows that turn it about its axes: the one
 * about x is void, exactly; those about y and z have the inverse moments.
 */
static void
test_locked_axis_is_void(void **state)
{
    (void)state;
    struct cn_rng rng = {.state = 3};
    const double inverse[3] = {0.0, 24.0, 192.0 / 13.0};
    for (int k = 0; k < 200; k++) {
        cn_quat turned = {0.0, 0.0, 0.0, 0.0};
        turned.w = cn_rng_uniform(&rng, -1.0, 1.0);
        turned.x = cn_rng_uniform(&rng, -1.0, 1.0);
        turned.y = cn_rng_uniform(&rng, -1.0, 1.0);
        turned.z = k % 2 == 0 ? 0.0 : cn_rng_uniform(&rng, -1.0, 1.0);
        cn_mat33 frame = cn_quat_to_mat33(cn_quat_normalize(turned));
        cn_mat33 body = cn_mat33_diagonal(inverse[0], inverse[1], inverse[2]);
        struct cn_mass_inverse mass = {.linear = 1.0, .angular = cn_mat33_turn(&frame, &body)};
        struct cn_row rows[3];
        double b[3] = {1.0, 1.0, 1.0}, out[3];
        unsigned char tag[3] = {CN_ROW_BILATERAL, CN_ROW_BILATERAL, CN_ROW_BILATERAL};
        const cn_vec3 axis[3] = {frame.cx, frame.cy, frame.cz};
        for (int i = 0; i < 3; i++) {
            rows[i] = (struct cn_row){.body_a = -1, .body_b = 0, .angular_b = axis[i]};
        }
        struct cn_contact_problem problem = {.row_count = 3,
            .body_count = 1,
            .rows = rows,
            .mass = &mass,
            .b = b,
            .tag = tag};
        struct cn_arena arena;
        struct cn_delassus A;
        cn_arena_init(&arena, memory, sizeof(memory));
        cn_delassus_take(&A, &arena, 3, 1);
        cn_delassus_reset(&A, 1);
        const int all[3] = {0, 1, 2};
        cn_delassus_pack(&A, &problem, all, 3);
        assert_true(cn_delassus_diagonal(&A, 0) == 0.0);
        assert_near(cn_delassus_diagonal(&A, 1), inverse[1], 1e-12);
        assert_near(cn_delassus_diagonal(&A, 2), inverse[2], 1e-12);
        (void)cn_delassus_column(&A, 0, all, 3, out);
        for (int i = 0; i < 3; i++) {
            assert_true(out[i] == 0.0);
        }
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_block),
        cmocka_unit_test(test_judge),
        cmocka_unit_test(test_judge_of_no_number),
        cmocka_unit_test(test_delassus_packs_the_same),
        cmocka_unit_test(test_locked_axis_is_void),
        cmocka_unit_test(test_islands),
        cmocka_unit_test(test_island_order_is_narrow),
        cmocka_unit_test(test_contacts_stay_together),
        cmocka_unit_test(test_matrix_judges_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
