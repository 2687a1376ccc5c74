#include "engine/problem/delassus.h"

#include "engine/base/assert.h"
#include "engine/base/fiber.h"

#include <math.h>
#include <string.h>

/*
 * A_ii below this fraction of the largest value that the row's lever arm allows is rounding noise.
 */
#define VOID_FRACTION_MAX 1e-13

/* cn_work_spend is called once for this many rows. */
#define ROWS_TOGETHER 256

void
cn_delassus_take(struct cn_delassus *A, struct cn_arena *arena, int row_max, int body_max)
{
    CN_ASSERT(row_max >= 0 && body_max >= 0);
    size_t rows = (size_t)row_max, bodies = (size_t)body_max;
    *A = (struct cn_delassus){0};
    A->body = CN_ARENA_TAKE(arena, int, 2 * rows);
    A->J = CN_ARENA_TAKE(arena, double, 12 * rows);
    A->T = CN_ARENA_TAKE(arena, double, 12 * rows);
    A->half_start = CN_ARENA_TAKE(arena, int, bodies + 2);
    A->half = CN_ARENA_TAKE(arena, int, 2 * rows);
    A->mass = CN_ARENA_TAKE(arena, struct cn_mass_inverse, bodies);
    A->x = CN_ARENA_TAKE(arena, double, 6 * bodies);
    A->body_number = CN_ARENA_TAKE(arena, int, bodies);
}

void
cn_delassus_reset(struct cn_delassus *A, int body_count)
{
    for (int body = 0; body < body_count; body++) {
        A->body_number[body] = -1;
    }
}

static bool
half_is_planar(cn_vec3 linear, cn_vec3 angular)
{
    return linear.z == 0.0 && angular.x == 0.0 && angular.y == 0.0;
}

/* Numbers the movable bodies in order of appearance, and finds the degrees of freedom. */
static void
number_bodies(struct cn_delassus *A, const struct cn_contact_problem *problem, const int *row)
{
    bool planar = true;
    A->body_count = 0;
    for (int i = 0; i < A->row_count; i++) {
        const struct cn_row *r = &problem->rows[row[i]];
        int body[2] = {r->body_a, r->body_b};
        for (int side = 0; side < 2; side++) {
            int number = -1;
            if (cn_problem_body_moves(problem, body[side])) {
                if (A->body_number[body[side]] < 0) {
                    A->body_number[body[side]] = A->body_count;
                    A->half_start[A->body_count + 1] = 0;
                    A->mass[A->body_count] = problem->mass[body[side]];
                    A->body_count++;
                }
                number = A->body_number[body[side]];
                A->half_start[number + 1]++;
            }
            A->body[2 * i + side] = number;
        }
        cn_work_turn(i, A->row_count, ROWS_TOGETHER, 40);
        planar = planar && half_is_planar(r->linear_a, r->angular_a) &&
            half_is_planar(r->linear_b, r->angular_b);
    }
    CN_ASSERT(A->body_count <= problem->body_count);
    A->dof = planar ? 3 : 6;
    for (int i = 0; i < A->row_count; i++) { /* back to -1 for the next island */
        const struct cn_row *r = &problem->rows[row[i]];
        if (r->body_a >= 0) {
            A->body_number[r->body_a] = -1;
        }
        if (r->body_b >= 0) {
            A->body_number[r->body_b] = -1;
        }
        cn_work_turn(i, A->row_count, ROWS_TOGETHER, 10);
    }
}

/*
 * On entry half_start holds counts, shifted by one.  Fills the lists and turns the counts into
 * starts.
 */
static void
list_halves(struct cn_delassus *A)
{
    int sum = 0;
    for (int body = 0; body < A->body_count; body++) {
        int count = A->half_start[body + 1];
        A->half_start[body + 1] = sum;
        sum += count;
    }
    A->half_start[0] = 0;
    for (int h = 0; h < 2 * A->row_count; h++) {
        if (A->body[h] >= 0) {
            A->half[A->half_start[A->body[h] + 1]++] = h;
        }
        cn_work_turn(h, 2 * A->row_count, ROWS_TOGETHER, 8);
    }
    CN_ASSERT(A->half_start[A->body_count] == sum); /* the lists are full */
}

static void
pack_half(double *J, double *T, int dof, cn_vec3 linear, cn_vec3 angular,
    const struct cn_mass_inverse *mass)
{
    cn_vec3 turned = cn_mat33_apply(&mass->angular, angular);
    if (dof == 3) {
        J[0] = linear.x;
        J[1] = linear.y;
        J[2] = angular.z;
        T[0] = mass->linear * linear.x;
        T[1] = mass->linear * linear.y;
        T[2] = turned.z;
        return;
    }
    J[0] = linear.x;
    J[1] = linear.y;
    J[2] = linear.z;
    J[3] = angular.x;
    J[4] = angular.y;
    J[5] = angular.z;
    T[0] = mass->linear * linear.x;
    T[1] = mass->linear * linear.y;
    T[2] = mass->linear * linear.z;
    T[3] = turned.x;
    T[4] = turned.y;
    T[5] = turned.z;
}

static double
turn_most(cn_vec3 angular, const struct cn_mass_inverse *mass)
{
    const cn_mat33 *I = &mass->angular;
    return (I->cx.x + I->cy.y + I->cz.z) * cn_vec3_dot(angular, angular);
}

/*
 * Makes a row exactly zero if it only turns bodies about locked axes, and so moves nothing.  No
 * solver could distinguish the rounding noise of such a row from a direction with a large effective
 * mass.
 */
static void
clear_void(struct cn_delassus *A, const struct cn_contact_problem *problem, const struct cn_row *r,
    int i)
{
    double shift = cn_vec3_dot(r->linear_a, r->linear_a) + cn_vec3_dot(r->linear_b, r->linear_b);
    if (A->dof == 3 || shift > 0.0) {
        return;
    }
    double most = 0.0;
    most += A->body[2 * i] >= 0 ? turn_most(r->angular_a, &problem->mass[r->body_a]) : 0.0;
    most += A->body[2 * i + 1] >= 0 ? turn_most(r->angular_b, &problem->mass[r->body_b]) : 0.0;
    if (fabs(cn_delassus_diagonal(A, i)) <= VOID_FRACTION_MAX * most) {
        memset(A->J + (size_t)12 * (size_t)i, 0, 12 * sizeof(A->J[0]));
        memset(A->T + (size_t)12 * (size_t)i, 0, 12 * sizeof(A->T[0]));
    }
}

void
cn_delassus_pack(struct cn_delassus *A, const struct cn_contact_problem *problem, const int *row,
    int row_count)
{
    CN_ASSERT(0 <= row_count && row_count <= problem->row_count);
    A->row_count = row_count;
    number_bodies(A, problem, row);
    list_halves(A);
    for (int i = 0; i < row_count; i++) {
        const struct cn_row *r = &problem->rows[row[i]];
        size_t at = (size_t)(2 * i) * (size_t)A->dof;
        if (A->body[2 * i] >= 0) {
            pack_half(A->J + at, A->T + at, A->dof, r->linear_a, r->angular_a,
                &problem->mass[r->body_a]);
        }
        at += (size_t)A->dof;
        if (A->body[2 * i + 1] >= 0) {
            pack_half(A->J + at, A->T + at, A->dof, r->linear_b, r->angular_b,
                &problem->mass[r->body_b]);
        }
        clear_void(A, problem, r, i);
        cn_work_turn(i, A->row_count, ROWS_TOGETHER, 100);
    }
}

/* J_h . T_k for two half rows of one body; inlined with a constant dof. */
static inline double
half_product(const double *J, const double *T, int dof)
{
    double sum = J[0] * T[0] + J[1] * T[1] + J[2] * T[2];
    if (dof == 6) {
        sum += J[3] * T[3] + J[4] * T[4] + J[5] * T[5];
    }
    return sum;
}

double
cn_delassus_diagonal(const struct cn_delassus *A, int i)
{
    size_t dof = (size_t)A->dof, h = 2 * (size_t)i;
    const double *J = A->J + h * dof, *T = A->T + h * dof;
    double sum = 0.0;
    if (A->body[h] >= 0) {
        sum += half_product(J, T, A->dof);
    }
    if (A->body[h + 1] >= 0) {
        sum += half_product(J + dof, T + dof, A->dof);
    }
    if (A->body[h] >= 0 && A->body[h] == A->body[h + 1]) {
        sum += half_product(J, T + dof, A->dof) + half_product(J + dof, T, A->dof);
    }
    return sum;
}

static inline void
multiply_halves(const struct cn_delassus *A, const double *f, double *y, int dof)
{
    memset(A->x, 0, (size_t)A->body_count * (size_t)dof * sizeof(A->x[0]));
    for (int h = 0; h < 2 * A->row_count; h++) {
        double f_h = f[h / 2];
        if (A->body[h] >= 0 && f_h != 0.0) {
            double *x = A->x + A->body[h] * dof;
            const double *T = A->T + h * dof;
            for (int k = 0; k < dof; k++) {
                x[k] += f_h * T[k];
            }
        }
        cn_work_turn(h, 2 * A->row_count, ROWS_TOGETHER, 2 + dof);
    }
    for (int i = 0; i < A->row_count; i++) {
        int a = A->body[2 * i], b = A->body[2 * i + 1];
        const double *J = A->J + 2 * i * dof;
        double sum = 0.0;
        if (a >= 0) {
            sum += half_product(J, A->x + a * dof, dof);
        }
        if (b >= 0) {
            sum += half_product(J + dof, A->x + b * dof, dof);
        }
        y[i] = sum;
        cn_work_turn(i, A->row_count, ROWS_TOGETHER, 2 + 2 * dof);
    }
}

void
cn_delassus_multiply(const struct cn_delassus *A, const double *f, double *y)
{
    CN_ASSERT((A->row_count == 0 || y != f) && (A->dof == 3 || A->dof == 6));
    if (A->dof == 3) {
        multiply_halves(A, f, y, 3);
    } else {
        multiply_halves(A, f, y, 6);
    }
}

int
cn_delassus_column(const struct cn_delassus *A, int i, const int *place, int count, double *out)
{
    int first = count, visits = 0;
    for (int h = 2 * i; h < 2 * i + 2; h++) {
        int body = A->body[h];
        if (body < 0) {
            continue;
        }
        visits += A->half_start[body + 1] - A->half_start[body];
        for (int k = A->half_start[body]; k < A->half_start[body + 1]; k++) {
            int p = place[A->half[k] / 2];
            first = p >= 0 && p < first ? p : first;
        }
    }
    memset(out + first, 0, (size_t)(count - first) * sizeof(out[0]));
    int dof = A->dof;
    cn_work_spend((int64_t)visits * (4 + dof) + (count - first) / 4);
    for (int h = 2 * i; h < 2 * i + 2; h++) {
        int body = A->body[h];
        if (body < 0) {
            continue;
        }
        for (int k = A->half_start[body]; k < A->half_start[body + 1]; k++) {
            int other = A->half[k];
            int p = place[other / 2];
            if (p >= 0) {
                out[p] += half_product(A->J + h * dof, A->T + other * dof, dof);
            }
        }
    }
    return first;
}
