#include "prove/program/face.h"

#include "engine/base/assert.h"
#include "prove/exact/lift.h"
#include "prove/limits.h"
#include "prove/program/interior.h"

#include <math.h>
#include <string.h>

/* Bits to which values are rounded, by turn: few at first, for short fractions, then more. */
static const int BITS[] = {24, 40, 40, 40, 40, 40};
#define TURNS (sizeof(BITS) / sizeof(BITS[0]))

struct face {
    const struct pv_program *p;
    struct pv_solution *out;
    struct pv_interior lp;
    double *row_scale, *column_scale; /* A' = row A column, b' = row b / weight */
    double margin_scale, weight;      /* a' = row a / margin_scale */
    bool *holds;
    int count;   /* columns without the two of the margin */
};

static const struct pv_column *
margin_of(const struct face *f)
{
    return &f->p->column[f->count];
}

/* The mean lever arm.  Moments are divided by it, so that they have the size of forces. */
static double
usual_arm(const struct face *f)
{
    double sum = 0.0;
    int count = 0, dof = f->p->dof, linear = dof == 3 ? 2 : 3;
    for (int j = 0; j < f->count; j++) {
        const struct pv_column *column = &f->p->column[j];
        for (int k = 0; k < column->count; k++) {
            if (column->row[k] % dof >= linear) {
                sum += fabs(pv_double(column->value[k]));
                count++;
            }
        }
    }
    return sum > 0.0 ? sum / count : 1.0;
}

static void
fill_column(struct face *f, int j)
{
    const struct pv_column *column = &f->p->column[j];
    struct pv_arm *arm = &f->lp.arm[j];
    double square = 0.0;
    arm->body[0] = arm->body[1] = -1;
    for (int k = 0; k < column->count; k++) {
        int body = column->row[k] / f->p->dof;
        int side = arm->body[0] < 0 || arm->body[0] == body ? 0 : 1;
        double value = pv_double(column->value[k]) * f->row_scale[column->row[k]];
        CN_ASSERT(arm->body[side] < 0 || arm->body[side] == body); /* at most two blocks */
        arm->body[side] = body;
        arm->part[side][column->row[k] % f->p->dof] = value;
        square += value * value;
    }
    f->column_scale[j] = square > 0.0 ? 1.0 / sqrt(square) : 1.0;
    for (int k = 0; k < 2 * PV_DOF_MAX; k++) {
        arm->part[k / PV_DOF_MAX][k % PV_DOF_MAX] *= f->column_scale[j];
    }
    if (arm->body[0] < 0) { /* an empty column: it acts on no body, so use body 0 with zeros */
        arm->body[0] = 0;
    }
}

static void
fill_program(struct face *f)
{
    const struct pv_program *p = f->p;
    double arm = usual_arm(f);
    int linear = p->dof == 3 ? 2 : 3;
    for (int i = 0; i < p->rows; i++) {
        f->row_scale[i] = i % p->dof < linear ? 1.0 : 1.0 / arm;
    }
    for (int j = 0; j < f->count; j++) {
        fill_column(f, j);
    }
    const struct pv_column *margin = margin_of(f);
    f->margin_scale = f->weight = 0.0;
    for (int k = 0; k < margin->count; k++) {
        double value = pv_double(margin->value[k]) * f->row_scale[margin->row[k]];
        f->lp.a[margin->row[k]] = value;
        f->margin_scale = fmax(f->margin_scale, fabs(value));
    }
    for (int i = 0; i < p->rows; i++) {
        f->lp.b[i] = pv_double(p->b[i]) * f->row_scale[i];
        f->weight = fmax(f->weight, fabs(f->lp.b[i]));
    }
    f->margin_scale = f->margin_scale > 0.0 ? f->margin_scale : 1.0;
    f->weight = f->weight > 0.0 ? f->weight : 1.0;
    for (int i = 0; i < p->rows; i++) {
        f->lp.a[i] /= f->margin_scale;
        f->lp.b[i] /= f->weight;
    }
}

/* Finds y near lp.y: y A_j = 0 where holds[j]; is_optimal: y a = 1; else y a = 0 and y b = -1. */
static bool
find_y(struct face *f, bool is_optimal, int bits)
{
    const struct pv_program *p = f->p;
    int m = p->rows, rows = 0;
    struct pv_column *column = pv_alloc((size_t)m, sizeof(*column));
    const struct pv_column **list = pv_alloc((size_t)m, sizeof(*list));
    int *room = pv_alloc((size_t)m, sizeof(*room));
    double *near = pv_alloc((size_t)m, sizeof(*near)), size = 0.0;
    for (int j = 0; j <= f->count; j++) {
        for (int k = 0; k < p->column[j].count; k++) {
            room[p->column[j].row[k]] += j == f->count || f->holds[j];
        }
    }
    for (int i = 0; i < m; i++) {
        pv_column_init(&column[i], room[i] + 1);
        list[i] = &column[i];
        near[i] = f->lp.y[i] * f->row_scale[i];
        size -= near[i] * pv_double(p->b[i]);
    }
    for (int j = 0; j <= f->count; j++) {
        bool is_row = j == f->count || f->holds[j];
        for (int k = 0; is_row && k < p->column[j].count; k++) {
            pv_column_add(&column[p->column[j].row[k]], rows, p->column[j].value[k]);
        }
        rows += is_row;
    }
    CN_ASSERT(rows > 0); /* the margin's row is the last */
    mpq_t *right = pv_numbers((size_t)rows + 1);
    if (is_optimal) {
        mpq_set_ui(right[rows - 1], 1, 1);
        size = f->margin_scale;
    } else {
        for (int i = 0; i < m; i++) {
            pv_column_add(&column[i], rows, p->b[i]);
        }
        mpq_set_si(right[rows++], -1, 1);
    }
    for (int i = 0; i < m; i++) {
        near[i] /= size;
    }
    bool good = pv_lift_solve(list, m, rows, right, near, bits, NULL, f->out->y, &f->out->work,
        PV_FACE_WORK_MAX);
    pv_numbers_free(right, (size_t)(is_optimal ? rows + 1 : rows));
    for (int i = 0; i < m; i++) {
        pv_column_finish(&column[i], room[i] + 1);
    }
    pv_free(column);
    pv_free(list);
    pv_free(room);
    pv_free(near);
    return good;
}

/* After the first turn restores `holds`: an error of few bits does not prove the guess wrong. */
static void
forget_first(struct face *f, size_t turn)
{
    if (turn == 0) {
        memcpy(f->holds, f->lp.holds, (size_t)f->count * sizeof(bool));
    }
}

/* Whether y A >= 0.  Columns where it is below 0 are added to `holds`. */
static bool
y_is_good(struct face *f)
{
    bool good = true;
    mpq_t sum;
    mpq_init(sum);
    for (int j = 0; j < f->count; j++) {
        if (!f->holds[j]) {
            pv_dot_column(sum, &f->p->column[j], f->out->y, &f->out->work);
            if (mpq_sgn(sum) < 0) {
                f->holds[j] = true;
                good = false;
            }
        }
    }
    mpq_clear(sum);
    return good;
}

/* Finds x near `scale` times lp.x: A x = right with columns in `holds`.  False unless x >= 0. */
static bool
find_x(struct face *f, mpq_t *right, double scale, int bits, mpq_t *x, bool *is_solved)
{
    int n = 0;
    size_t room = (size_t)f->count;
    const struct pv_column **list = pv_alloc(room, sizeof(*list));
    int *id = pv_alloc(room, sizeof(*id));
    double *near = pv_alloc(room, sizeof(*near));
    for (int j = 0; j < f->count; j++) {
        mpq_set_ui(x[j], 0, 1);
        if (f->holds[j]) {
            id[n] = j;
            list[n] = &f->p->column[j];
            near[n++] = f->lp.x[j] * f->column_scale[j] * scale;
        }
    }
    CN_ASSERT(n <= f->count);
    mpq_t *v = pv_numbers((size_t)n);
    *is_solved =
        pv_lift_solve(list, n, f->p->rows, right, near, bits, NULL, v, &f->out->work,
            PV_FACE_WORK_MAX);
    bool good = *is_solved;
    for (int k = 0; k < n && *is_solved; k++) {
        mpq_set(x[id[k]], v[k]);
        if (mpq_sgn(v[k]) < 0) {
            f->holds[id[k]] = false;
            good = false;
        }
    }
    pv_numbers_free(v, (size_t)n);
    pv_free(list);
    pv_free(id);
    pv_free(near);
    return good;
}

/* Sets x of the margin's two columns so that their difference is t. */
static void
put_margin(const struct face *f, mpq_t *x, const mpq_t t)
{
    mpq_set_ui(x[f->count], 0, 1);
    mpq_set_ui(x[f->count + 1], 0, 1);
    if (mpq_sgn(t) >= 0) {
        mpq_set(x[f->count], t);
    } else {
        mpq_neg(x[f->count + 1], t);
    }
}

/* Returns `weight` b - t a. */
static mpq_t *
right_of(const struct face *f, int weight, const mpq_t t)
{
    mpq_t *right = pv_numbers((size_t)f->p->rows);
    const struct pv_column *margin = margin_of(f);
    for (int i = 0; i < f->p->rows && weight != 0; i++) {
        mpq_set(right[i], f->p->b[i]);
    }
    for (int k = 0; k < margin->count; k++) {
        pv_sub_product(right[margin->row[k]], margin->value[k], t);
    }
    return right;
}

static bool
find_optimum(struct face *f)
{
    mpq_t t;
    mpq_init(t);
    bool found = false;
    for (size_t turn = 0; turn < TURNS && !found; turn++) {
        bool is_solved = false;
        if (!find_y(f, true, BITS[turn])) {
            break;
        }
        if (!y_is_good(f)) {
            forget_first(f, turn);
            continue;
        }
        mpq_set_ui(t, 0, 1);
        for (int i = 0; i < f->p->rows; i++) {
            pv_add_product(t, f->p->b[i], f->out->y[i]);
        }
        mpq_t *right = right_of(f, 1, t);
        for (size_t k = 0; k < 2 && !found; k++) {
            bool *before = pv_alloc((size_t)f->count, sizeof(*before));
            memcpy(before, f->holds, (size_t)f->count * sizeof(bool));
            found = find_x(f, right, f->weight, BITS[k], f->out->x, &is_solved);
            if (k == 0) {
                memcpy(f->holds, before, (size_t)f->count * sizeof(bool));
            }
            pv_free(before);
            if (!is_solved) {
                break;
            }
        }
        pv_numbers_free(right, (size_t)f->p->rows);
        if (!is_solved) {
            break;
        }
    }
    if (found) {
        put_margin(f, f->out->x, t);
    }
    mpq_clear(t);
    return found;
}

static bool
find_contradiction(struct face *f)
{
    for (size_t turn = 0; turn < TURNS; turn++) {
        if (!find_y(f, false, BITS[turn])) {
            return false;
        }
        if (y_is_good(f)) {
            return true;
        }
        forget_first(f, turn);
    }
    return false;
}

/* Finds forces with this t that balance `weight` times b. */
static bool
find_forces(struct face *f, int weight, const mpq_t t, double scale, mpq_t *x)
{
    mpq_t *right = right_of(f, weight, t);
    bool found = false, is_solved = true;
    for (size_t turn = 0; turn < TURNS && !found && is_solved; turn++) {
        found = find_x(f, right, scale, BITS[turn], x, &is_solved);
        forget_first(f, turn);
    }
    pv_numbers_free(right, (size_t)f->p->rows);
    if (found) {
        put_margin(f, x, t);
    }
    return found;
}

/* Finds a ray, and forces that hold, whatever their t. */
static enum pv_outcome
find_ray(struct face *f)
{
    mpq_t t;
    mpq_init(t);
    mpq_set_ui(t, 1, 1);
    double scale = f->margin_scale / f->lp.t;
    enum pv_outcome outcome = PV_UNDECIDED;
    if (find_forces(f, 0, t, scale, f->out->ray)) {
        f->lp.c = 0.0;
        enum pv_interior_end end = pv_interior_solve(&f->lp);
        memcpy(f->holds, f->lp.holds, (size_t)f->count * sizeof(bool));
        if (end == PV_INTERIOR_OPTIMAL) {
            double size = f->lp.t * f->weight / f->margin_scale;
            mpq_set_d(t, nearbyint(ldexp(size, 20)));
            mpq_div_2exp(t, t, 20);
            outcome =
                find_forces(f, 1, t, f->weight, f->out->x) ? PV_UNBOUNDED : PV_UNDECIDED;
        } else if (end == PV_INTERIOR_INFEASIBLE) {
            outcome = find_contradiction(f) ? PV_INFEASIBLE : PV_UNDECIDED;
        }
    }
    mpq_clear(t);
    return outcome;
}

static enum pv_outcome
solve_face(struct face *f)
{
    enum pv_interior_end end = pv_interior_solve(&f->lp);
    memcpy(f->holds, f->lp.holds, (size_t)f->count * sizeof(bool));
    switch (end) {
    case PV_INTERIOR_OPTIMAL: return find_optimum(f) ? PV_OPTIMAL : PV_UNDECIDED;
    case PV_INTERIOR_INFEASIBLE: return find_contradiction(f) ? PV_INFEASIBLE : PV_UNDECIDED;
    case PV_INTERIOR_UNBOUNDED: return find_ray(f);
    case PV_INTERIOR_STALLED: break;
    }
    return PV_UNDECIDED;
}

enum pv_outcome
pv_face_solve(const struct pv_program *program, struct pv_solution *solution)
{
    int count = program->columns - 2;
    if (count <= 0 || program->rows == 0) {
        return PV_UNDECIDED;
    }
    CN_ASSERT(program->rows % program->dof == 0);
    struct face f = {.p = program, .out = solution, .count = count};
    f.row_scale = pv_alloc((size_t)program->rows, sizeof(*f.row_scale));
    f.column_scale = pv_alloc((size_t)count, sizeof(*f.column_scale));
    f.holds = pv_alloc((size_t)count, sizeof(*f.holds));
    pv_interior_init(&f.lp, count, program->rows / program->dof, program->dof);
    f.lp.c = 1.0;
    fill_program(&f);
    enum pv_outcome outcome = solve_face(&f);
    pv_interior_finish(&f.lp);
    pv_free(f.row_scale);
    pv_free(f.column_scale);
    pv_free(f.holds);
    return outcome;
}
