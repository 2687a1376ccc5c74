#include "prove/program/simplex.h"

#include "engine/base/assert.h"
#include "prove/limits.h"
#include "prove/program/face.h"
#include "prove/exact/watch.h"

/* Pivots a row by the largest violation, before Bland's rule takes over. */
#define GREEDY_PER_ROW 4

struct state {
    const struct pv_program *p;
    struct pv_solution *out;
    int *basis;      /* columns, or columns + r: the unit column of row r, times sign[r] */
    int *sign;       /* of each unit column, by row */
    bool *is_basic;  /* by column */
    mpq_t *x;        /* values of the basis */
    mpq_t *y;        /* rows */
    mpq_t *d;        /* a column in terms of the basis, or a row of the inverse */
    struct pv_factor *factor;
    struct pv_column *unit;
    int pivots;
    bool from_nothing; /* the guess was given up, and the basis began with unit columns */
};

enum verdict { PIVOTED, FINISHED, STUCK };

static bool
is_unit(const struct state *s, int id)
{
    return id >= s->p->columns;
}

static const struct pv_column *
column_of(const struct state *s, int id)
{
    if (!is_unit(s, id)) {
        return &s->p->column[id];
    }
    int row = id - s->p->columns;
    CN_ASSERT(row < s->p->rows);
    mpq_set_si(s->unit[row].value[0], s->sign[row], 1);
    return &s->unit[row];
}

static bool
factor_basis(struct state *s)
{
    int m = s->p->rows;
    const struct pv_column **column = pv_alloc((size_t)m, sizeof(*column));
    for (int i = 0; i < m; i++) {
        column[i] = column_of(s, s->basis[i]);
    }
    pv_factor_destroy(s->factor);
    s->factor = pv_factor_create(column, m, &s->out->work);
    pv_free(column);
    return s->factor != NULL;
}

/* Solves for x of the basis. */
static void
solve_basis(struct state *s)
{
    CN_ASSERT(s->factor != NULL);
    for (int i = 0; i < s->p->rows; i++) {
        mpq_set(s->x[i], s->p->b[i]);
    }
    pv_factor_solve(s->factor, s->x, &s->out->work);
}

/* Turns the signs of unit columns so that their x is not negative.  False: too much work. */
static bool
turn_units(struct state *s)
{
    bool turned = false;
    for (int i = 0; i < s->p->rows; i++) {
        if (is_unit(s, s->basis[i]) && mpq_sgn(s->x[i]) < 0) {
            s->sign[s->basis[i] - s->p->columns] *= -1;
            turned = true;
        }
    }
    if (turned) {
        if (!factor_basis(s)) {
            return false;
        }
        solve_basis(s);
    }
    return true;
}

/* Solves for y from the costs of the basis: the program's, or in phase 1 -1 for unit columns. */
static void
price_rows(struct state *s, bool phase_one)
{
    for (int i = 0; i < s->p->rows; i++) {
        int id = s->basis[i];
        if (is_unit(s, id)) {
            mpq_set_si(s->y[i], phase_one ? -1 : 0, 1);
        } else if (phase_one) {
            mpq_set_ui(s->y[i], 0, 1);
        } else {
            mpq_set(s->y[i], s->p->c[id]);
        }
    }
    pv_factor_solve_transposed(s->factor, s->y, &s->out->work);
}

/* out = c - y A of a column.  Above 0: the program gains if the variable grows. */
static void
reduced_cost(struct state *s, mpq_t out, int column, bool phase_one)
{
    pv_dot_column(out, &s->p->column[column], s->y, &s->out->work);
    mpq_neg(out, out);
    if (!phase_one) {
        mpq_add(out, out, s->p->c[column]);
    }
}

/* The column that enters; -1: no column improves the program. */
static int
find_entering(struct state *s, bool phase_one)
{
    bool greedy = s->pivots < GREEDY_PER_ROW * s->p->rows;
    mpq_t cost, most;
    mpq_inits(cost, most, NULL);
    int best = -1;
    for (int j = 0; j < s->p->columns && (greedy || best < 0); j++) {
        if (!s->is_basic[j]) {
            reduced_cost(s, cost, j, phase_one);
            if (mpq_cmp(cost, most) > 0) {
                mpq_set(most, cost);
                best = j;
            }
        }
    }
    mpq_clears(cost, most, NULL);
    return best;
}

static void
exchange_column(struct state *s, int row, int entering)
{
    CN_ASSERT(!is_unit(s, entering) && !s->is_basic[entering]);
    if (!is_unit(s, s->basis[row])) {
        s->is_basic[s->basis[row]] = false;
    }
    s->basis[row] = entering;
    s->is_basic[entering] = true;
    s->pivots++;
}

/*
 * The row that leaves when the entering variable grows by d; -1: none.  Ties go to the least index.
 * In phase 2 a unit column leaves first if d would change it from 0.
 */
static int
find_leaving(struct state *s, bool phase_one)
{
    mpq_t ratio, least;
    mpq_inits(ratio, least, NULL);
    int best = -1;
    for (int i = 0; i < s->p->rows; i++) {
        bool idle = !phase_one && is_unit(s, s->basis[i]); /* its value is 0 and must stay 0 */
        if (idle && mpq_sgn(s->d[i]) != 0) {
            best = i;
            break;
        }
        if (mpq_sgn(s->d[i]) <= 0) {
            continue;
        }
        mpq_div(ratio, s->x[i], s->d[i]);
        int order = best < 0 ? -1 : mpq_cmp(ratio, least);
        if (order < 0 || (order == 0 && s->basis[i] < s->basis[best])) {
            mpq_set(least, ratio);
            best = i;
        }
    }
    mpq_clears(ratio, least, NULL);
    return best;
}

static void
expand_column(struct state *s, int column)
{
    for (int i = 0; i < s->p->rows; i++) {
        mpq_set_ui(s->d[i], 0, 1);
    }
    const struct pv_column *a = &s->p->column[column];
    for (int k = 0; k < a->count; k++) {
        mpq_set(s->d[a->row[k]], a->value[k]);
    }
    pv_factor_solve(s->factor, s->d, &s->out->work);
}

static void
put_x(struct state *s)
{
    for (int i = 0; i < s->p->rows; i++) {
        if (!is_unit(s, s->basis[i])) {
            mpq_set(s->out->x[s->basis[i]], s->x[i]);
        }
    }
}

static void
put_y(struct state *s, mpq_t *y, bool negate)
{
    for (int i = 0; i < s->p->rows; i++) {
        mpq_set(s->out->y[i], y[i]);
        if (negate) {
            mpq_neg(s->out->y[i], s->out->y[i]);
        }
    }
}

static enum verdict
primal_pivot(struct state *s, bool phase_one, enum pv_outcome *outcome)
{
    price_rows(s, phase_one);
    int entering = find_entering(s, phase_one);
    if (entering < 0) {
        *outcome = phase_one ? PV_INFEASIBLE : PV_OPTIMAL;
        put_y(s, s->y, false);
        if (!phase_one) {
            put_x(s);
        }
        return FINISHED;
    }
    expand_column(s, entering);
    int leaving = find_leaving(s, phase_one);
    if (leaving < 0) {
        CN_ASSERT(!phase_one); /* phase 1 is bounded by 0 */
        *outcome = PV_UNBOUNDED;
        put_x(s);
        mpq_set_ui(s->out->ray[entering], 1, 1);
        for (int i = 0; i < s->p->rows; i++) {
            if (!is_unit(s, s->basis[i])) {
                mpq_neg(s->out->ray[s->basis[i]], s->d[i]);
            }
        }
        return FINISHED;
    }
    exchange_column(s, leaving, entering);
    return PIVOTED;
}

/* The column that replaces row `leaving`; -1: none; -2: the basis is not dual feasible. */
static int
find_dual_entering(struct state *s, bool from_above)
{
    mpq_t cost, alpha, least;
    mpq_inits(cost, alpha, least, NULL);
    int best = -1;
    for (int j = 0; j < s->p->columns; j++) {
        if (s->is_basic[j]) {
            continue;
        }
        reduced_cost(s, cost, j, false);
        if (mpq_sgn(cost) > 0) {
            best = -2;
            break;
        }
        pv_dot_column(alpha, &s->p->column[j], s->d, &s->out->work);
        if (mpq_sgn(alpha) * (from_above ? -1 : 1) < 0) {
            mpq_abs(alpha, alpha);
            mpq_neg(cost, cost);
            mpq_div(cost, cost, alpha);
            if (best < 0 || mpq_cmp(cost, least) < 0) {
                mpq_set(least, cost);
                best = j;
            }
        }
    }
    mpq_clears(cost, alpha, least, NULL);
    return best;
}

/* Pivots on row `leaving`, whose variable is below 0, or is a unit column that is not 0. */
static enum verdict
dual_pivot(struct state *s, int leaving, enum pv_outcome *outcome)
{
    price_rows(s, false);
    for (int i = 0; i < s->p->rows; i++) {
        mpq_set_ui(s->d[i], i == leaving ? 1 : 0, 1);
    }
    pv_factor_solve_transposed(s->factor, s->d, &s->out->work);
    bool from_above = mpq_sgn(s->x[leaving]) > 0;
    int entering = find_dual_entering(s, from_above);
    if (entering == -2) {
        return STUCK;
    }
    if (entering < 0) {
        *outcome = PV_INFEASIBLE;
        put_y(s, s->d, from_above);
        return FINISHED;
    }
    exchange_column(s, leaving, entering);
    return PIVOTED;
}

static void
start_from_nothing(struct state *s)
{
    s->from_nothing = true;
    s->pivots = 0;
    for (int j = 0; j < s->p->columns; j++) {
        s->is_basic[j] = false;
    }
    for (int i = 0; i < s->p->rows; i++) {
        s->basis[i] = s->p->columns + i;
        s->sign[i] = mpq_sgn(s->p->b[i]) < 0 ? -1 : 1;
    }
}

static enum verdict
pivot_once(struct state *s, enum pv_outcome *outcome)
{
    if (!factor_basis(s)) {
        return STUCK;
    }
    solve_basis(s);
    if (!turn_units(s)) {
        return STUCK;
    }
    bool holds_units = false;
    int below = -1;
    for (int i = 0; i < s->p->rows; i++) {
        bool unit = is_unit(s, s->basis[i]);
        holds_units = holds_units || (unit && mpq_sgn(s->x[i]) != 0);
        below = mpq_sgn(s->x[i]) < 0 && (below < 0 || s->basis[i] < s->basis[below]) ? i : below;
    }
    if (below >= 0) {
        return dual_pivot(s, below, outcome);
    }
    return primal_pivot(s, holds_units, outcome);
}

static enum pv_outcome
pivot_to_end(struct state *s)
{
    enum pv_outcome outcome = PV_UNDECIDED;
    while (s->out->work <= PV_SIMPLEX_WORK_MAX) {
        switch (pivot_once(s, &outcome)) {
        case PIVOTED: s->out->exact_pivots++; break;
        case FINISHED: return outcome;
        case STUCK:
            if (s->from_nothing) {
                return PV_UNDECIDED;
            }
            start_from_nothing(s);
            break;
        }
    }
    return PV_UNDECIDED;
}

static void
state_init(struct state *s, const struct pv_program *p, struct pv_solution *solution)
{
    size_t m = (size_t)p->rows;
    *s = (struct state){.p = p, .out = solution};
    s->basis = pv_alloc(m, sizeof(*s->basis));
    s->sign = pv_alloc(m, sizeof(*s->sign));
    s->is_basic = pv_alloc((size_t)p->columns, sizeof(*s->is_basic));
    s->x = pv_numbers(m);
    s->y = pv_numbers(m);
    s->d = pv_numbers(m);
    s->unit = pv_alloc(m, sizeof(*s->unit));
    mpq_t one;
    mpq_init(one);
    mpq_set_ui(one, 1, 1);
    for (int i = 0; i < p->rows; i++) {
        s->sign[i] = 1;
        pv_column_init(&s->unit[i], 1);
        pv_column_add(&s->unit[i], i, one);
    }
    mpq_clear(one);
}

static void
state_finish(struct state *s)
{
    for (int i = 0; i < s->p->rows; i++) {
        pv_column_finish(&s->unit[i], 1);
    }
    pv_free(s->unit);
    pv_free(s->basis);
    pv_free(s->sign);
    pv_free(s->is_basic);
    pv_numbers_free(s->x, (size_t)s->p->rows);
    pv_numbers_free(s->y, (size_t)s->p->rows);
    pv_numbers_free(s->d, (size_t)s->p->rows);
    pv_factor_destroy(s->factor);
}

enum pv_outcome
pv_program_solve(const struct pv_program *p, uint64_t table_max, struct pv_solution *solution)
{
    enum pv_outcome found = pv_face_solve(p, solution);
    if (found != PV_UNDECIDED) {
        solution->by_face = true;
        return found;
    }
    if ((uint64_t)(p->rows + 2) * (uint64_t)(p->columns + 1) > table_max) {
        return PV_UNDECIDED;
    }
    pv_solution_finish(solution, p);
    pv_solution_init(solution, p);
    return pv_simplex_solve(p, solution);
}

enum pv_outcome
pv_simplex_solve(const struct pv_program *p, struct pv_solution *solution)
{
    pv_phase("trying an exact simplex");
    struct state s;
    state_init(&s, p, solution);
    if (pv_guess_basis(p, s.basis)) {
        for (int i = 0; i < p->rows; i++) {
            if (!is_unit(&s, s.basis[i])) {
                s.is_basic[s.basis[i]] = true;
            }
        }
    } else {
        start_from_nothing(&s);
    }
    enum pv_outcome outcome = pivot_to_end(&s);
    state_finish(&s);
    return outcome;
}
