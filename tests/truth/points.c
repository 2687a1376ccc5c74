#include "tests/truth/points.h"

#include "engine/solve/table/matrix_adapter.h"
#include "engine/solve/table/solver_table.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define ROWS_MAX (BARS_MAX + SIDES_MAX)

static double J[ROWS_MAX][2 * POINTS_MAX];
static double A[ROWS_MAX * ROWS_MAX], b[ROWS_MAX], f[ROWS_MAX];
static unsigned char tag[ROWS_MAX];

void
points_init(struct points *points, cn_vec2 gravity)
{
    memset(points, 0, sizeof(*points));
    points->gravity = gravity;
}

int
points_add(struct points *points, double mass, cn_vec2 p)
{
    assert_true(points->count < POINTS_MAX);
    points->mass[points->count] = mass;
    points->p[points->count] = p;
    return points->count++;
}

void
points_bar(struct points *points, int i, int j)
{
    assert_true(points->bar_count < BARS_MAX);
    double length = cn_vec2_length(cn_vec2_sub(points->p[i], points->p[j]));
    points->bar[points->bar_count++] = (struct points_bar){i, j, length};
}

static cn_vec2
left(cn_vec2 v)
{
    return cn_vec2_make(-v.y, v.x);
}

void
points_side(struct points *points, int i, int j, int k)
{
    assert_true(points->side_count < SIDES_MAX);
    points->side[points->side_count++] = (struct points_side){i, j, k, 0.0};
}

/* The place of p_k's foot on the edge: p_k = alpha p_j + (1 - alpha) p_i. */
static double
alpha_of(const struct points *points, const struct points_side *side)
{
    cn_vec2 edge = cn_vec2_sub(points->p[side->j], points->p[side->i]);
    cn_vec2 arm = cn_vec2_sub(points->p[side->k], points->p[side->i]);
    return cn_vec2_dot(arm, edge) / cn_vec2_dot(edge, edge);
}

static void
put(int row, int point, double s, cn_vec2 v)
{
    J[row][2 * point] += s * v.x;
    J[row][2 * point + 1] += s * v.y;
}

/* A(v_i, v_j, v_k): of degree 2, for its first row is of ones. */
static double
determinant(cn_vec2 i, cn_vec2 j, cn_vec2 k)
{
    return cn_vec2_cross(cn_vec2_sub(j, i), cn_vec2_sub(k, i));
}

static int
row_count(const struct points *points)
{
    return points->bar_count + points->side_count;
}

/* J at the present points; bars first. */
static void
fill_rows(struct points *points)
{
    memset(J, 0, sizeof(J));
    for (int r = 0; r < points->bar_count; r++) {
        const struct points_bar *bar = &points->bar[r];
        cn_vec2 d = cn_vec2_sub(points->p[bar->i], points->p[bar->j]);
        put(r, bar->i, 1.0, d);
        put(r, bar->j, -1.0, d);
        tag[r] = CN_ROW_BILATERAL;
    }
    for (int s = 0; s < points->side_count; s++) {
        struct points_side *side = &points->side[s];
        int r = points->bar_count + s;
        cn_vec2 n = left(cn_vec2_sub(points->p[side->j], points->p[side->i]));
        side->alpha = alpha_of(points, side);
        put(r, side->k, 1.0, n);
        put(r, side->j, -side->alpha, n);
        put(r, side->i, side->alpha - 1.0, n);
        tag[r] = CN_ROW_NORMAL;
    }
}

static double
inverse(const struct points *points, int coordinate)
{
    double mass = points->mass[coordinate / 2];
    return isfinite(mass) ? 1.0 / mass : 0.0;
}

/* A = J inv(M) J', and 1 / M more on the diagonal of a bar that gives way. */
static void
fill_matrix(const struct points *points)
{
    int n = row_count(points);
    for (int r = 0; r < n; r++) {
        for (int s = 0; s <= r; s++) {
            double sum = 0.0;
            for (int c = 0; c < 2 * points->count; c++) {
                sum += J[r][c] * inverse(points, c) * J[s][c];
            }
            A[r * n + s] = A[s * n + r] = sum;
        }
    }
    for (int r = 0; r < points->bar_count && points->penalty > 0.0; r++) {
        A[r * n + r] += 1.0 / points->penalty;
    }
}

/* x += inv(M) J' f, f of the problem whose b is filled in. */
static void
solve(const struct points *points, cn_vec2 *x)
{
    int n = row_count(points);
    fill_matrix(points);
    const struct cn_matrix_solver *solver = cn_matrix_solver_find("baraff94");
    struct cn_matrix_problem problem = {.n = n, .stride = n, .A = A, .b = b, .tag = tag};
    struct cn_solve_options options = {.tolerance = 1e-12, .iteration_max = 20 * n + 100};
    struct cn_arena arena;
    cn_arena_init_measure(&arena);
    cn_matrix_solve_layout(solver, &arena, n);
    size_t size = (arena.used + 63) / 64 * 64;
    void *memory = aligned_alloc(64, size);
    assert_non_null(memory);
    cn_arena_init(&arena, memory, size);
    memset(f, 0, sizeof(f));
    struct cn_solve_report report = cn_matrix_solve(solver, &problem, &options, &arena, f);
    free(memory);
    assert_true(report.residual <= 1e-9);
    for (int c = 0; c < 2 * points->count; c++) {
        double sum = 0.0;
        for (int r = 0; r < n; r++) {
            sum += J[r][c] * f[r];
        }
        *(c % 2 == 0 ? &x[c / 2].x : &x[c / 2].y) += inverse(points, c) * sum;
    }
}

/* J x of one row. */
static double
row_times(const struct points *points, int row, const cn_vec2 *x)
{
    double sum = 0.0;
    for (int i = 0; i < points->count; i++) {
        sum += J[row][2 * i] * x[i].x + J[row][2 * i + 1] * x[i].y;
    }
    return sum;
}

void
points_accelerate(struct points *points)
{
    fill_rows(points);
    for (int i = 0; i < points->count; i++) {
        bool moves = isfinite(points->mass[i]);
        points->a[i] = moves ? points->gravity : cn_vec2_make(0.0, 0.0);
    }
    for (int r = 0; r < points->bar_count; r++) {
        cn_vec2 w =
            cn_vec2_sub(points->v[points->bar[r].i], points->v[points->bar[r].j]);
        b[r] = row_times(points, r, points->a) + cn_vec2_dot(w, w);
    }
    for (int s = 0; s < points->side_count; s++) {
        const struct points_side *side = &points->side[s];
        int r = points->bar_count + s;
        b[r] = row_times(points, r, points->a) +
               2.0 * determinant(points->v[side->i], points->v[side->j], points->v[side->k]);
    }
    solve(points, points->a);
}

/* The right side of a bar's row for the displacement. */
static double
length_asked(const struct points *points, int bar)
{
    int i = points->bar[bar].i, j = points->bar[bar].j;
    cn_vec2 d = cn_vec2_sub(points->p[i], points->p[j]);
    double length = cn_vec2_length(d);
    return length * points->bar[bar].length - length * length;
}

void
points_step(struct points *points, double dt)
{
    cn_vec2 step[POINTS_MAX];
    fill_rows(points);
    for (int i = 0; i < points->count; i++) {
        bool moves = isfinite(points->mass[i]);
        step[i] = cn_vec2_scale(points->v[i], dt);
        step[i] = cn_vec2_add_scaled(step[i], moves ? dt * dt : 0.0, points->gravity);
    }
    for (int r = 0; r < points->bar_count; r++) {
        b[r] = row_times(points, r, step) - length_asked(points, r);
    }
    for (int s = 0; s < points->side_count; s++) {
        const struct points_side *side = &points->side[s];
        int r = points->bar_count + s;
        double now = row_times(points, r, points->p);
        b[r] = row_times(points, r, step) + now +
               2.0 * dt * dt *
                   determinant(points->v[side->i], points->v[side->j], points->v[side->k]);
    }
    solve(points, step);
    for (int i = 0; i < points->count; i++) {
        points->p[i] = cn_vec2_add(points->p[i], step[i]);
        points->v[i] = cn_vec2_scale(step[i], 1.0 / dt);
    }
}
