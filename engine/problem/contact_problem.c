#include "engine/problem/contact_problem.h"

#include "engine/base/assert.h"
#include "engine/base/fiber.h"
#include "engine/math/scalar.h"

#include <math.h>
#include <stddef.h>

/* cn_work_spend is called once for this many rows. */
#define ROWS_TOGETHER 256
#define WORK_PER_PUSH 20

static bool
vec3_is_zero(cn_vec3 v)
{
    return v.x == 0.0 && v.y == 0.0 && v.z == 0.0;
}

bool
cn_problem_body_moves(const struct cn_contact_problem *problem, int body)
{
    if (body < 0) {
        return false;
    }
    CN_ASSERT(body < problem->body_count);
    const struct cn_mass_inverse *mass = &problem->mass[body];
    return mass->linear != 0.0 || !vec3_is_zero(mass->angular.cx) ||
        !vec3_is_zero(mass->angular.cy) || !vec3_is_zero(mass->angular.cz);
}

double
cn_row_rate(const struct cn_row *row, const struct cn_twist *x)
{
    double rate = 0.0;
    if (row->body_a >= 0) {
        rate += cn_vec3_dot(row->linear_a, x[row->body_a].linear);
        rate += cn_vec3_dot(row->angular_a, x[row->body_a].angular);
    }
    if (row->body_b >= 0) {
        rate += cn_vec3_dot(row->linear_b, x[row->body_b].linear);
        rate += cn_vec3_dot(row->angular_b, x[row->body_b].angular);
    }
    return rate;
}

static void
row_push(const struct cn_row *row, double f, struct cn_twist *wrench)
{
    if (row->body_a >= 0) {
        struct cn_twist *h = &wrench[row->body_a];
        h->linear = cn_vec3_add_scaled(h->linear, f, row->linear_a);
        h->angular = cn_vec3_add_scaled(h->angular, f, row->angular_a);
    }
    if (row->body_b >= 0) {
        struct cn_twist *h = &wrench[row->body_b];
        h->linear = cn_vec3_add_scaled(h->linear, f, row->linear_b);
        h->angular = cn_vec3_add_scaled(h->angular, f, row->angular_b);
    }
}

void
cn_problem_accelerate(const struct cn_contact_problem *problem, const double *f,
    struct cn_twist *x)
{
    for (int body = 0; body < problem->body_count; body++) {
        x[body] = (struct cn_twist){0};
    }
    for (int i = 0; i < problem->row_count; i++) {
        if (f[i] != 0.0) {
            row_push(&problem->rows[i], f[i], x);
        }
        cn_work_turn(i, problem->row_count, ROWS_TOGETHER, WORK_PER_PUSH);
    }
    for (int body = 0; body < problem->body_count; body++) {
        const struct cn_mass_inverse *mass = &problem->mass[body];
        x[body].linear = cn_vec3_scale(x[body].linear, mass->linear);
        x[body].angular = cn_mat33_apply(&mass->angular, x[body].angular);
    }
}

void
cn_problem_rates(const struct cn_contact_problem *problem, const double *f, struct cn_twist *work,
    double *a)
{
    CN_ASSERT(problem->row_count >= 0 && (problem->row_count == 0 || a != f));
    cn_problem_accelerate(problem, f, work);
    for (int i = 0; i < problem->row_count; i++) {
        a[i] = problem->b[i] + cn_row_rate(&problem->rows[i], work);
    }
}

/* One body's part of A_ij, from the halves of rows i and j that touch it. */
static double
entry_share(const struct cn_mass_inverse *mass, cn_vec3 linear_i, cn_vec3 angular_i,
    cn_vec3 linear_j, cn_vec3 angular_j)
{
    return mass->linear * cn_vec3_dot(linear_i, linear_j) +
        cn_vec3_dot(angular_i, cn_mat33_apply(&mass->angular, angular_j));
}

double
cn_delassus_entry(const struct cn_contact_problem *problem, int i, int j)
{
    const struct cn_row *p = &problem->rows[i], *q = &problem->rows[j];
    const struct cn_mass_inverse *mass = problem->mass;
    double sum = 0.0;
    if (p->body_a >= 0 && p->body_a == q->body_a) {
        sum += entry_share(&mass[p->body_a], p->linear_a, p->angular_a, q->linear_a, q->angular_a);
    }
    if (p->body_a >= 0 && p->body_a == q->body_b) {
        sum += entry_share(&mass[p->body_a], p->linear_a, p->angular_a, q->linear_b, q->angular_b);
    }
    if (p->body_b >= 0 && p->body_b == q->body_a) {
        sum += entry_share(&mass[p->body_b], p->linear_b, p->angular_b, q->linear_a, q->angular_a);
    }
    if (p->body_b >= 0 && p->body_b == q->body_b) {
        sum += entry_share(&mass[p->body_b], p->linear_b, p->angular_b, q->linear_b, q->angular_b);
    }
    return sum;
}

void
cn_delassus_fill(const struct cn_contact_problem *problem, const int *index, int count, double *A,
    int stride)
{
    CN_ASSERT(0 <= count && count <= stride);
    for (int p = 0; p < count; p++) {
        for (int q = 0; q <= p; q++) {
            double entry = cn_delassus_entry(problem, index[p], index[q]);
            A[(size_t)p * (size_t)stride + (size_t)q] = entry;
            A[(size_t)q * (size_t)stride + (size_t)p] = entry;
        }
    }
}

double
cn_residual_scale(const double *b, int row_count)
{
    double scale = 1.0;
    for (int i = 0; i < row_count; i++) {
        scale = cn_max(scale, fabs(b[i]));
    }
    return scale;
}

double
cn_residual_row(enum cn_row_tag tag, double a, double diagonal, double f)
{
    return tag == CN_ROW_BILATERAL ? fabs(a) : fabs(cn_min(a, diagonal * f));
}

double
cn_residual_bounded(double a, double diagonal, double f, double lower, double upper)
{
    double pull = diagonal * f - a;
    double held = cn_min(cn_max(pull, diagonal * lower), diagonal * upper);
    return fabs(diagonal * f - held);
}

double
cn_residual_tangent(
    const double *a, double diagonal, const double *f, double rim, const double *slip, int count)
{
    double a2 = count > 1 ? a[1] : 0.0, f2 = count > 1 ? f[1] : 0.0;
    double d1 = slip == NULL ? 0.0 : slip[0], d2 = slip == NULL || count == 1 ? 0.0 : slip[1];
    if (d1 != 0.0 || d2 != 0.0) {
        double off1 = f[0] + rim * d1, off2 = f2 + rim * d2;
        return diagonal * sqrt(off1 * off1 + off2 * off2);
    }
    double pull1 = diagonal * f[0] - a[0], pull2 = diagonal * f2 - a2;
    double length = sqrt(pull1 * pull1 + pull2 * pull2);
    double keep = length > diagonal * rim ? diagonal * rim / length : 1.0;
    double off1 = diagonal * f[0] - keep * pull1, off2 = diagonal * f2 - keep * pull2;
    return sqrt(off1 * off1 + off2 * off2);
}

/* The normal row of the contact that row i belongs to. */
static int
normal_of(const struct cn_contact_problem *problem, int i)
{
    while (cn_row_follows((enum cn_row_tag)problem->tag[i])) {
        i--;
        CN_ASSERT(i >= 0); /* invariant 1 */
    }
    return i;
}

/* Row i's part of the residual; the rows of a disc are measured together, at the first. */
static double
residual_at(const struct cn_contact_problem *problem, const double *f, const struct cn_twist *x,
    int i, double worst)
{
    enum cn_row_tag tag = (enum cn_row_tag)problem->tag[i];
    double a = problem->b[i] + cn_row_rate(&problem->rows[i], x);
    if (!isfinite(a) || !isfinite(f[i])) {
        return HUGE_VAL;
    }
    if (tag == CN_ROW_NORMAL || tag == CN_ROW_BILATERAL) {
        /* A_ii is expensive: |min(a, A_ii f)| can exceed `worst` only where |a| does or f < 0. */
        if (fabs(a) <= worst && f[i] >= 0.0) {
            return 0.0;
        }
        double diagonal = f[i] == 0.0 ? 0.0 : cn_delassus_entry(problem, i, i);
        return cn_residual_row(tag, a, diagonal, f[i]);
    }
    double diagonal = cn_delassus_entry(problem, i, i);
    if (tag == CN_ROW_BOUNDED) {
        CN_ASSERT(problem->lower != NULL && problem->upper != NULL); /* invariant 2 */
        return cn_residual_bounded(a, diagonal, f[i], problem->lower[i], problem->upper[i]);
    }
    CN_ASSERT(i > 0 && problem->friction != NULL); /* invariants 1 and 2 */
    if (problem->tag[i - 1] == tag) {
        return 0.0; /* the second row of a disc: the first measures both */
    }
    bool two = i + 1 < problem->row_count && problem->tag[i + 1] == tag;
    double both[2] = {a, two ? problem->b[i + 1] + cn_row_rate(&problem->rows[i + 1], x) : 0.0};
    diagonal = two ? cn_max(diagonal, cn_delassus_entry(problem, i + 1, i + 1)) : diagonal;
    double press = cn_max(f[normal_of(problem, i)], 0.0);
    double rim = cn_friction_limit(problem->tag, problem->friction, i) * press;
    const double *slip = problem->slip == NULL ? NULL : &problem->slip[i];
    double residual = cn_residual_tangent(both, diagonal, &f[i], rim, slip, two ? 2 : 1);
    return isfinite(residual) ? residual : HUGE_VAL;
}

double
cn_residual_measure(const struct cn_contact_problem *problem, const double *f,
    struct cn_twist *work)
{
    double worst = 0.0;
    cn_problem_accelerate(problem, f, work);
    for (int i = 0; i < problem->row_count; i++) {
        double residual = residual_at(problem, f, work, i, worst);
        if (!isfinite(residual)) {
            return HUGE_VAL; /* of a body that runs away */
        }
        worst = cn_max(worst, residual);
    }
    return worst / cn_residual_scale(problem->b, problem->row_count);
}
