#include "engine/base/assert.h"
#include "engine/base/fiber.h"
#include "engine/math/scalar.h"
#include "engine/solve/matrix/faure96_inside.h"

#include <math.h>
#include <string.h>

#define REFINEMENTS_MAX 3
#define REFINEMENTS_SPARSE_MAX 8
#define RIDGE 1e-9
/* Rows of K with a remainder above this part of |b| contradict each other. */
#define CONTRADICTION_FRACTION 1e-7
/* The weight of a bilateral row's force in the norm: almost zero, but enough to make it unique. */
#define JOINT_WEIGHT 1e-5

static double
positive_diagonal(double diagonal)
{
    return diagonal > 0.0 ? diagonal : 1.0;
}

static void
add_unknown(struct faure96 *s, struct faure96_contact *contact, int row,
    enum faure96_unknown_kind kind)
{
    CN_ASSERT(s->unknown_count < s->problem->n);
    CN_ASSERT(kind != FAURE96_TURN || contact->tangent_count == 2); /* invariant 2 */
    s->unknown[s->unknown_count] =
        (struct faure96_unknown){.contact = contact, .row = row, .kind = kind};
    s->unknown_count++;
}

/* Whether the friction of a sliding contact is large enough to have a direction. */
static bool
friction_rubs(const struct faure96 *s, const struct faure96_contact *c)
{
    return c->mu * s->f[c->row] * c->tangent_diagonal > s->accel_tolerance;
}

static void
list_unknowns(struct faure96 *s)
{
    s->unknown_count = 0;
    for (int k = 0; k < s->contact_count; k++) {
        struct faure96_contact *c = &s->contact[k];
        switch (c->side) {
        case FAURE96_HOLDS:
            for (int i = 0; i <= c->tangent_count; i++) {
                add_unknown(s, c, c->row + i, FAURE96_ROW);
            }
            break;
        case FAURE96_SLIDES:
            CN_ASSERT(c->tangent_count > 0); /* invariant 2 */
            add_unknown(s, c, c->row, FAURE96_CONE);
            if (c->tangent_count == 2 && !c->slips && friction_rubs(s, c)) {
                add_unknown(s, c, c->row, FAURE96_TURN);
            }
            break;
        case FAURE96_FROZEN:
            add_unknown(s, c, c->row, FAURE96_ROW);
            break;
        case FAURE96_OPEN:
            break;
        }
    }
}

/* One unit of an unknown force in the contact's rows: normal and tangents. */
static void
unit_force(const struct faure96_unknown *x, double part[3])
{
    const struct faure96_contact *c = x->contact;
    part[0] = x->kind == FAURE96_CONE ? 1.0 : 0.0;
    part[1] = x->kind == FAURE96_CONE ? c->mu * c->u[0] : -c->u[1];
    part[2] = x->kind == FAURE96_CONE ? c->mu * c->u[1] : c->u[0];
}

/* The unknown's own acceleration, from those of all rows; its equation makes this zero. */
static double
equation_of(const struct faure96_unknown *x, const double *a)
{
    if (x->kind == FAURE96_TURN) {
        int t = x->contact->row + 1;
        return a[t + 1] * x->contact->u[0] - a[t] * x->contact->u[1];
    }
    return a[x->row];
}

static void
add_force(struct faure96 *s, const struct faure96_unknown *x, double df)
{
    if (x->kind == FAURE96_ROW) {
        s->f[x->row] += df;
        return;
    }
    double part[3];
    unit_force(x, part);
    for (int i = 0; i <= x->contact->tangent_count; i++) {
        s->f[x->contact->row + i] += df * part[i];
    }
}

/* Writes the accelerations of all rows under one unit of an unknown force to column[]. */
static void
unit_rates(struct faure96 *s, const struct faure96_unknown *x)
{
    size_t n = (size_t)s->problem->n;
    if (x->kind == FAURE96_ROW) {
        memcpy(s->column, s->A + (size_t)x->row * n, n * sizeof(double));
        return;
    }
    double part[3];
    unit_force(x, part);
    memset(s->column, 0, n * sizeof(double));
    for (int i = 0; i <= x->contact->tangent_count; i++) {
        const double *A = s->A + (size_t)(x->contact->row + i) * n;
        for (size_t j = 0; j < n && part[i] != 0.0; j++) {
            s->column[j] += part[i] * A[j];
        }
    }
}

/*
 * How a turn of u by one newton of friction along w changes a_T . w, besides that friction's own
 * effect: w turns too, and a_T has the component -k along u.
 */
static double
turn_stiffness(const struct faure96 *s, const struct faure96_contact *c)
{
    const double *a_T = &s->a[c->row + 1];
    double k = -(a_T[0] * c->u[0] + a_T[1] * c->u[1]);
    return cn_max(k, 0.0) / (c->mu * s->f[c->row]);
}

static double
weight_of(const struct faure96_unknown *x)
{
    if (x->kind == FAURE96_CONE) {
        return sqrt(1.0 + x->contact->mu * x->contact->mu);
    }
    return x->contact->bilateral ? JOINT_WEIGHT : 1.0;
}

/* Writes the matrix of the round and factors it. */
static void
factor_dense(struct faure96 *s)
{
    int count = s->unknown_count;
    struct cn_pseudo_inverse *inverse = &s->inverse;
    cn_pseudo_inverse_begin(inverse, count, count);
    for (int q = 0; q < count; q++) {
        const struct faure96_unknown *x = &s->unknown[q];
        unit_rates(s, x);
        double *B = inverse->B + (size_t)q * (size_t)count;
        for (int p = 0; p < count; p++) {
            B[p] = equation_of(&s->unknown[p], s->column);
        }
        cn_work_spend(4 * count + 3 * s->problem->n);
        bool turns = x->kind == FAURE96_TURN;
        B[q] += turns ? turn_stiffness(s, x->contact) : 0.0;
        double size = turns ? x->contact->tangent_diagonal : s->diagonal[x->row];
        inverse->row_scale[q] = 1.0 / sqrt(positive_diagonal(size));
        inverse->column_scale[q] = inverse->row_scale[q];
        inverse->weight[q] = weight_of(x);
    }
    s->work += (int64_t)count * s->problem->n;
    cn_pseudo_inverse_factor(inverse);
}

/*
 * Factors A_KK + RIDGE diag(A_KK), which is definite.  Consider a direction in which A_KK, its
 * diagonal scaled to 1, has the eigenvalue l.  A correction leaves RIDGE / (l + RIDGE) of the error
 * there, and adds nothing to f where l = 0.  So a few corrections give the least change.
 */
static void
factor_sparse(struct faure96 *s)
{
    struct cn_dantzig *z = &s->dantzig;
    cn_dantzig_begin(z, s->problem, s->accel_tolerance, s->f);
    for (int q = 0; q < s->unknown_count; q++) {
        int row = s->unknown[q].row, count = z->factor.count;
        CN_ASSERT(s->unknown[q].kind == FAURE96_ROW && z->place[row] < 0);
        double *column = cn_envelope_staging(&z->factor);
        int first = cn_matrix_column(s->problem, row, z->place, count, column);
        double diagonal = positive_diagonal(s->diagonal[row]) * (1.0 + RIDGE);
        double schur = cn_envelope_stage(&z->factor, first, diagonal);
        if (schur > 0.0 && cn_envelope_commit(&z->factor, schur)) {
            z->place[row] = count;
            z->clamped[count] = row;
        }
    }
}

static void
correct_forces(struct faure96 *s)
{
    int count = s->unknown_count;
    CN_ASSERT(0 <= count && count <= s->problem->n);
    if (s->A == NULL) {
        struct cn_dantzig *z = &s->dantzig;
        CN_ASSERT(z->factor.count <= count);
        for (int p = 0; p < z->factor.count; p++) {
            z->x[p] = -s->a[z->clamped[p]];
        }
        cn_envelope_solve(&z->factor, z->x);
        for (int p = 0; p < z->factor.count; p++) {
            s->f[z->clamped[p]] += z->x[p];
        }
        return;
    }
    for (int q = 0; q < count; q++) {
        s->gap[q] = -equation_of(&s->unknown[q], s->a);
    }
    cn_pseudo_inverse_solve(&s->inverse, s->gap, s->change);
    for (int q = 0; q < count; q++) {
        add_force(s, &s->unknown[q], s->change[q]);
    }
}

/* Puts friction that has turned back onto the cone. */
static void
turn_friction(struct faure96 *s)
{
    for (int k = 0; k < s->contact_count; k++) {
        struct faure96_contact *c = &s->contact[k];
        if (c->side != FAURE96_SLIDES || c->slips || c->tangent_count < 2) {
            continue;
        }
        double *f_T = &s->f[c->row + 1], rim = c->mu * s->f[c->row];
        double length = sqrt(f_T[0] * f_T[0] + f_T[1] * f_T[1]);
        bool points = friction_rubs(s, c) && length > 0.0;
        if (!points) { /* no friction yet: when there is some, it opposes the motion */
            f_T = &s->a[c->row + 1];
            length = -sqrt(f_T[0] * f_T[0] + f_T[1] * f_T[1]);
        }
        bool moves = points || -length > s->accel_tolerance;
        double u[2] = {moves ? f_T[0] / length : c->u[0], moves ? f_T[1] / length : c->u[1]};
        f_T = &s->f[c->row + 1];
        double moved = cn_max(fabs(rim * u[0] - f_T[0]), fabs(rim * u[1] - f_T[1]));
        s->settled = s->settled && moved * c->tangent_diagonal <= s->accel_tolerance;
        for (int i = 0; i < 2; i++) {
            c->u[i] = u[i];
            f_T[i] = rim * u[i];
        }
    }
}

static void
update_rates(struct faure96 *s)
{
    cn_matrix_rates(s->problem, s->f, s->a);
    s->work += cn_matrix_rates_work(s->problem);
}

void
faure96_round_solve(struct faure96 *s)
{
    s->round_count++;
    cn_work_spend(100 * (int64_t)s->problem->n);
    s->settled = true;
    s->contradiction = false;
    update_rates(s);
    list_unknowns(s);
    bool turns = false;
    for (int q = 0; q < s->unknown_count; q++) {
        turns = turns || s->unknown[q].kind == FAURE96_TURN;
    }
    int64_t before = s->inverse.work;
    if (s->A == NULL) {
        factor_sparse(s);
    } else {
        factor_dense(s);
    }
    double previous = HUGE_VAL;
    int pass_max = s->A == NULL ? REFINEMENTS_SPARSE_MAX : REFINEMENTS_MAX;
    for (int pass = 0; pass <= pass_max; pass++) {
        double error = 0.0;
        for (int q = 0; q < s->unknown_count; q++) {
            error = cn_max(error, fabs(equation_of(&s->unknown[q], s->a)));
        }
        bool done = error <= 1e-3 * s->accel_tolerance || !(error < 0.5 * previous);
        if (pass > 0 && (done || turns)) {
            break;
        }
        previous = pass > 0 ? error : HUGE_VAL;
        correct_forces(s);
        update_rates(s);
    }
    turn_friction(s);
    update_rates(s);
    s->error = 0.0;
    for (int q = 0; q < s->unknown_count; q++) {
        s->error = cn_max(s->error, fabs(equation_of(&s->unknown[q], s->a)));
    }
    s->work += s->A == NULL ? s->dantzig.work + s->dantzig.factor.work : s->inverse.work - before;
}

/* Judges the friction of a contact whose normal force is computed and pushes. */
static enum cn_faure96_fault
judge_friction(const struct faure96 *s, const struct faure96_contact *c)
{
    const double *f_T = &s->f[c->row + 1], *a_T = &s->a[c->row + 1];
    bool two = c->tangent_count == 2;
    double rim = c->mu * cn_max(s->f[c->row], 0.0);
    if (c->side == FAURE96_SLIDES) {
        double along = a_T[0] * c->u[0] + (two ? a_T[1] * c->u[1] : 0.0);
        bool drives = !c->slips && friction_rubs(s, c) && along > s->accel_tolerance;
        return drives ? CN_FAURE96_DRIVES : CN_FAURE96_FINE;
    }
    double length = two ? sqrt(f_T[0] * f_T[0] + f_T[1] * f_T[1]) : fabs(f_T[0]);
    bool beyond = (length - rim) * c->tangent_diagonal > s->accel_tolerance;
    return beyond ? CN_FAURE96_BEYOND : CN_FAURE96_FINE;
}

static enum cn_faure96_fault
judge_contact(struct faure96 *s, const struct faure96_contact *c)
{
    double a = s->a[c->row], f = s->f[c->row], limit = CONTRADICTION_FRACTION * s->accel_scale;
    if (c->side == FAURE96_OPEN) {
        return a < -s->accel_tolerance ? CN_FAURE96_SINKS : CN_FAURE96_FINE;
    }
    if (fabs(a) > limit) {
        s->contradiction = true;
        if (!c->bilateral && a > 0.0 && !s->how->literal) {
            return CN_FAURE96_PARTS;
        }
    }
    /* Measured by the effect of removing the force on any row, because it will be removed. */
    double effect = s->root_max * sqrt(positive_diagonal(s->diagonal[c->row]));
    if (!c->bilateral && f * effect < -s->accel_tolerance) {
        return CN_FAURE96_PULLS;
    }
    return c->tangent_count > 0 ? judge_friction(s, c) : CN_FAURE96_FINE;
}

/* Computes the v that makes one contact's values consistent. */
static void
compensate_contact(struct faure96 *s, const struct faure96_contact *c, enum cn_faure96_fault fault)
{
    int i = c->row;
    switch (fault) {
    case CN_FAURE96_FINE:
    case CN_FAURE96_DRIVES:
        break;
    case CN_FAURE96_SINKS:
        s->v_a[i] = -s->a[i];
        break;
    case CN_FAURE96_PULLS:
    case CN_FAURE96_PARTS:
        for (int k = 0; k <= c->tangent_count; k++) {
            s->v_f[i + k] = -s->f[i + k];
        }
        break;
    case CN_FAURE96_BEYOND: {
        const double *f_T = &s->f[i + 1];
        double f_2 = c->tangent_count == 2 ? f_T[1] : 0.0;
        double keep = c->mu * cn_max(s->f[i], 0.0) / sqrt(f_T[0] * f_T[0] + f_2 * f_2);
        for (int k = 0; k < c->tangent_count; k++) {
            s->v_f[i + 1 + k] = (keep - 1.0) * f_T[k];
        }
        break;
    }
    }
}

int
faure96_round_judge(struct faure96 *s)
{
    size_t n = (size_t)s->problem->n;
    memset(s->fault, CN_FAURE96_FINE, n);
    memset(s->v_f, 0, n * sizeof(double));
    memset(s->v_a, 0, n * sizeof(double));
    int count = 0;
    for (int k = 0; k < s->contact_count; k++) {
        const struct faure96_contact *c = &s->contact[k];
        enum cn_faure96_fault fault = judge_contact(s, c);
        s->fault[c->row] = (unsigned char)fault;
        compensate_contact(s, c, fault);
        count += fault != CN_FAURE96_FINE ? 1 : 0;
    }
    return count;
}
