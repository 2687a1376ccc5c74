#include "engine/solve/friction/newton_bodies.h"

#include "engine/base/assert.h"
#include "engine/base/fiber.h"
#include "engine/solve/matrix/friction_contact.h"

#include <math.h>
#include <string.h>

/* A smaller pivot of 1 + G'XG is rounding, because that matrix is nearly definite. */
#define PIVOT_MIN 1e-10
/* A direction with less than this part of a body's mobility is locked. */
#define LOCKED_MAX 1e-13
#define REFINEMENTS 1
#define GROUPS_TOGETHER 64
#define WORK_PER_SWEEP 250 /* for one group */
#define WORK_OF_ROLLING 3000 /* more, for a group with several discs (friction_contact.h) */

static size_t
least_of(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Twice the full matrix is always enough: a front, and the remainder of its child. */
static size_t
blocks_for(int n_max, int body_max)
{
    size_t n = (size_t)body_max, rows = (size_t)n_max;
    size_t by_rows = CN_NEWTON_BLOCKS_PER_ROW * (rows + 1);
    return least_of(2 * n * n + n, least_of(by_rows, CN_NEWTON_BLOCKS_PER_BODY * n));
}

void
cn_newton_bodies_take(struct cn_newton_bodies *bodies, struct cn_arena *scratch, int n_max,
    int body_max)
{
    CN_ASSERT(n_max >= 0 && body_max >= 0);
    size_t n = (size_t)n_max, count = (size_t)body_max;
    size_t block = (size_t)CN_SPARSE_BLOCK_MAX * CN_SPARSE_BLOCK_MAX;
    *bodies = (struct cn_newton_bodies){0};
    bodies->G = CN_ARENA_TAKE(scratch, double, 12 * n);
    bodies->W = CN_ARENA_TAKE(scratch, double, CN_ROWS_PER_CONTACT * n);
    bodies->X = CN_ARENA_TAKE(scratch, double, CN_ROWS_PER_CONTACT * n);
    bodies->Z = CN_ARENA_TAKE(scratch, double, CN_ROWS_PER_CONTACT * n);
    bodies->y = CN_ARENA_TAKE(scratch, double, n);
    bodies->rest = CN_ARENA_TAKE(scratch, double, n);
    bodies->w = CN_ARENA_TAKE(scratch, double, CN_SPARSE_BLOCK_MAX * count);
    bodies->root = CN_ARENA_TAKE(scratch, double, 7 * count);
    bodies->edge = CN_ARENA_TAKE(scratch, int, n);
    cn_sparse_lu_take(&bodies->lu, scratch, body_max, n_max, CN_SPARSE_BLOCK_MAX,
        blocks_for(n_max, body_max), blocks_for(n_max, body_max) * block);
}

/*
 * Lower triangular L with L L' = I, for a semidefinite I.  Columns of locked directions are zero.
 */
static void
root_of(const cn_mat33 *I, double L[6])
{
    double most = I->cx.x + I->cy.y + I->cz.z;
    double d = I->cx.x;
    L[0] = d > LOCKED_MAX * most ? sqrt(d) : 0.0;
    L[1] = L[0] > 0.0 ? I->cx.y / L[0] : 0.0;
    L[2] = L[0] > 0.0 ? I->cx.z / L[0] : 0.0;
    d = I->cy.y - L[1] * L[1];
    L[3] = d > LOCKED_MAX * most ? sqrt(d) : 0.0;
    L[4] = L[3] > 0.0 ? (I->cy.z - L[2] * L[1]) / L[3] : 0.0;
    d = I->cz.z - L[2] * L[2] - L[4] * L[4];
    L[5] = d > LOCKED_MAX * most ? sqrt(d) : 0.0;
}

/* A half row of G: S' times that of J. */
static void
weigh_half(const double *root, const double *J, double *G, int dof)
{
    const double *L = root + 1;
    if (dof == 3) {
        G[0] = root[0] * J[0];
        G[1] = root[0] * J[1];
        G[2] = L[5] * J[2];
        return;
    }
    for (int k = 0; k < 3; k++) {
        G[k] = root[0] * J[k];
    }
    G[3] = L[0] * J[3] + L[1] * J[4] + L[2] * J[5];
    G[4] = L[3] * J[4] + L[4] * J[5];
    G[5] = L[5] * J[5];
}

static double
product(const double *x, const double *y, int dof)
{
    double sum = x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
    if (dof == 6) {
        sum += x[3] * y[3] + x[4] * y[4] + x[5] * y[5];
    }
    return sum;
}

/* A_ij of two rows of one group, which touch the same bodies. */
static double
entry(const struct cn_newton_bodies *bodies, int i, int j)
{
    int dof = bodies->dof, a = bodies->body[2 * i], b = bodies->body[2 * i + 1];
    const double *x = bodies->G + 2 * i * dof, *y = bodies->G + 2 * j * dof;
    double sum = 0.0;
    sum += a >= 0 ? product(x, y, dof) : 0.0;
    sum += b >= 0 ? product(x + dof, y + dof, dof) : 0.0;
    if (a >= 0 && a == b) {
        sum += product(x, y + dof, dof) + product(x + dof, y, dof);
    }
    return sum;
}

void
cn_newton_bodies_load(struct cn_newton_system *system, const struct cn_delassus *A)
{
    struct cn_newton_bodies *bodies = &system->bodies;
    int dof = A->dof;
    CN_ASSERT(dof == 3 || dof == CN_SPARSE_BLOCK_MAX);
    CN_ASSERT(0 <= A->body_count && A->body_count <= bodies->lu.order.node_max);
    bodies->dof = dof;
    bodies->body_count = A->body_count;
    bodies->body = A->body;
    bodies->is_analysed = false;
    bodies->is_wide = false;
    for (int k = 0; k < A->body_count; k++) {
        bodies->root[7 * k] = sqrt(A->mass[k].linear);
        root_of(&A->mass[k].angular, bodies->root + 7 * k + 1);
        if (dof == 3) {
            bodies->root[7 * k + 6] = sqrt(A->mass[k].angular.cz.z);
        }
    }
    for (int h = 0; h < 2 * system->n; h++) {
        CN_ASSERT(A->body[h] < A->body_count);
        if (A->body[h] >= 0) {
            weigh_half(bodies->root + 7 * A->body[h], A->J + h * dof, bodies->G + h * dof, dof);
        }
    }
    cn_work_spend(20 * (int64_t)(system->n + A->body_count));
    for (int g = 0; g < system->group_count; g++) {
        const struct cn_friction_group *group = &system->group[g];
        const int *body = A->body + 2 * group->row;
        for (int i = 0; i < group->count; i++) {
            CN_ASSERT(body[2 * i] == body[0] && body[2 * i + 1] == body[1]); /* invariant 4 */
            for (int j = 0; j < group->count; j++) {
                bodies->W[group->block + group->count * i + j] =
                    entry(bodies, group->row + i, group->row + j);
            }
        }
        cn_work_turn(g, system->group_count, GROUPS_TOGETHER, 100);
    }
}

/* w += s G_i' */
static inline void
push(const struct cn_newton_bodies *bodies, int i, double s, double *w)
{
    int dof = bodies->dof;
    for (int h = 2 * i; h < 2 * i + 2 && s != 0.0; h++) {
        if (bodies->body[h] >= 0) {
            double *at = w + bodies->body[h] * dof;
            const double *G = bodies->G + h * dof;
            for (int k = 0; k < dof; k++) {
                at[k] += s * G[k];
            }
        }
    }
}

/* G_i w */
static inline double
rate(const struct cn_newton_bodies *bodies, int i, const double *w)
{
    int dof = bodies->dof, a = bodies->body[2 * i], b = bodies->body[2 * i + 1];
    const double *G = bodies->G + 2 * i * dof;
    double sum = 0.0;
    sum += a >= 0 ? product(G, w + a * dof, dof) : 0.0;
    sum += b >= 0 ? product(G + dof, w + b * dof, dof) : 0.0;
    return sum;
}

/* w = G' f */
static void
gather(struct cn_newton_system *system, const double *f, double *w)
{
    struct cn_newton_bodies *bodies = &system->bodies;
    size_t count = (size_t)bodies->body_count * (size_t)bodies->dof;
    memset(w, 0, count * sizeof(w[0]));
    for (int i = 0; i < system->n; i++) {
        push(bodies, i, f[i], w);
        cn_work_turn(i, system->n, GROUPS_TOGETHER, 12);
    }
    system->work += 12 * (int64_t)system->n;
}

void
cn_newton_bodies_rates(struct cn_newton_system *system, const double *f, double *a)
{
    struct cn_newton_bodies *bodies = &system->bodies;
    gather(system, f, bodies->w);
    for (int i = 0; i < system->n; i++) {
        a[i] = system->b[i] + rate(bodies, i, bodies->w);
        cn_work_turn(i, system->n, GROUPS_TOGETHER, 12);
    }
    system->work += 12 * (int64_t)system->n;
}

/* Makes the graph of the bodies and orders it.  False: the factor does not fit the memory. */
static bool
analyse(struct cn_newton_system *system)
{
    struct cn_newton_bodies *bodies = &system->bodies;
    if (bodies->is_analysed) {
        return !bodies->is_wide;
    }
    struct cn_sparse_order *order = &bodies->lu.order;
    bodies->is_analysed = true;
    cn_sparse_order_begin(order, bodies->body_count);
    for (int g = 0; g < system->group_count; g++) {
        const int *body = bodies->body + 2 * system->group[g].row;
        bodies->edge[g] = -1;
        if (body[0] >= 0 && body[1] >= 0 && body[0] != body[1]) {
            bodies->edge[g] = order->pair_count; /* the pair; its edge is read below */
            cn_sparse_order_connect(order, body[0], body[1]);
        }
    }
    CN_ASSERT(order->pair_count <= system->group_count);
    bodies->is_wide = !cn_sparse_lu_analyse(&bodies->lu, bodies->dof);
    for (int g = 0; g < system->group_count && !bodies->is_wide; g++) {
        bodies->edge[g] = bodies->edge[g] < 0 ? -1 : order->pair_edge[bodies->edge[g]];
    }
    cn_work_spend(20 * (int64_t)system->group_count);
    return !bodies->is_wide;
}

/* Z = inv(C) of `count` rows, by elimination with the largest pivots.  False: C is singular. */
static bool
invert_small(int count, double *C, double *Z)
{
    for (int i = 0; i < count * count; i++) {
        Z[i] = i % (count + 1) == 0 ? 1.0 : 0.0;
    }
    for (int c = 0; c < count; c++) {
        int best = c;
        for (int i = c + 1; i < count; i++) {
            best = fabs(C[count * i + c]) > fabs(C[count * best + c]) ? i : best;
        }
        if (!(fabs(C[count * best + c]) > 0.0)) {
            return false;
        }
        for (int k = 0; k < count && best != c; k++) {
            double held = C[count * c + k], other = Z[count * c + k];
            C[count * c + k] = C[count * best + k];
            Z[count * c + k] = Z[count * best + k];
            C[count * best + k] = held;
            Z[count * best + k] = other;
        }
        double inverse = 1.0 / C[count * c + c];
        for (int i = 0; i < count; i++) {
            double factor = i == c ? 0.0 : C[count * i + c] * inverse;
            for (int k = 0; k < count && i != c; k++) {
                C[count * i + k] -= factor * C[count * c + k];
                Z[count * i + k] -= factor * Z[count * c + k];
            }
        }
    }
    for (int c = 0; c < count; c++) {
        for (int k = 0; k < count; k++) {
            Z[count * c + k] /= C[count * c + c];
        }
    }
    return true;
}

/* The determinant of up to three rows. */
static double
determinant(int count, const double *C)
{
    if (count == 1) {
        return C[0];
    }
    if (count == 2) {
        return C[0] * C[3] - C[1] * C[2];
    }
    CN_ASSERT(count == 3);
    double two = C[0] * C[4] - C[1] * C[3];
    return two * C[8] - (C[0] * C[7] - C[1] * C[6]) * C[5] + (C[3] * C[7] - C[4] * C[6]) * C[2];
}

/* The sign of the determinant of any number of rows, by elimination. */
static int
sign_of(int count, const double *C)
{
    double U[CN_FRICTION_BLOCK_MAX];
    int sign = 1;
    if (count <= 3) {
        return determinant(count, C) < 0.0 ? -1 : 1;
    }
    memcpy(U, C, (size_t)(count * count) * sizeof(U[0]));
    for (int c = 0; c < count; c++) {
        int best = c;
        for (int i = c + 1; i < count; i++) {
            best = fabs(U[count * i + c]) > fabs(U[count * best + c]) ? i : best;
        }
        sign = (best != c) != (U[count * best + c] < 0.0) ? -sign : sign;
        for (int k = c; k < count && best != c; k++) {
            double held = U[count * c + k];
            U[count * c + k] = U[count * best + k];
            U[count * best + k] = held;
        }
        for (int i = c + 1; i < count && U[count * c + c] != 0.0; i++) {
            double factor = U[count * i + c] / U[count * c + c];
            for (int k = c; k < count; k++) {
                U[count * i + k] -= factor * U[count * c + k];
            }
        }
    }
    return sign;
}

/* inv(C) and X of a group; zero for a single row that moves nothing. */
static void
condense(struct cn_newton_system *system, int g, double regular)
{
    const struct cn_friction_group *group = &system->group[g];
    int block = group->block, count = group->count;
    const double *by_f = system->by_f + block, *by_a = system->by_a + block;
    double *X = system->bodies.X + block, *Z = system->bodies.Z + block;
    size_t size = (size_t)(count * count) * sizeof(X[0]);
    CN_ASSERT(1 <= count && count <= CN_ROWS_PER_CONTACT);
    double C[CN_FRICTION_BLOCK_MAX];
    for (int j = 0; j < count; j++) {
        double effect = cn_friction_effect(group, j);
        for (int i = 0; i < count; i++) {
            C[count * i + j] = by_f[count * i + j] + regular * effect * by_a[count * i + j];
        }
    }
    bool still = count == 1 && !(system->bodies.W[block] > 0.0);
    system->bodies.sign *= sign_of(count, C);
    memset(X, 0, size);
    if (still || !invert_small(count, C, Z)) {
        memset(Z, 0, size);
        return;
    }
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < count; j++) {
            for (int k = 0; k < count; k++) {
                X[count * i + j] += Z[count * i + k] * by_a[count * k + j];
            }
        }
    }
}

/* block += P' Q of `count` rows. */
static inline void
add_product(double *block, const double *P, const double *Q, int count, int dof)
{
    for (int r = 0; r < count; r++) {
        for (int i = 0; i < dof; i++) {
            double s = P[r * 2 * dof + i];
            for (int j = 0; j < dof; j++) {
                block[i * dof + j] += s * Q[r * dof + j];
            }
        }
    }
}

/* Adds G' X G of a group to the blocks. */
static inline void
assemble_group(struct cn_newton_system *system, int g, int dof)
{
    struct cn_newton_bodies *bodies = &system->bodies;
    const struct cn_friction_group *group = &system->group[g];
    const double *X = bodies->X + group->block, *G = bodies->G + 2 * group->row * dof;
    const int *body = bodies->body + 2 * group->row;
    int count = group->count;
    for (int t = 0; t < 2; t++) {
        double XG[CN_ROWS_PER_CONTACT * CN_SPARSE_BLOCK_MAX];
        if (body[t] < 0) {
            continue;
        }
        memset(XG, 0, (size_t)(count * dof) * sizeof(XG[0]));
        for (int i = 0; i < count; i++) {
            for (int j = 0; j < count; j++) {
                double s = X[count * i + j];
                const double *row = G + (2 * j + t) * dof;
                for (int k = 0; k < dof; k++) {
                    XG[i * dof + k] += s * row[k];
                }
            }
        }
        for (int s = 0; s < 2; s++) {
            if (body[s] < 0) {
                continue;
            }
            double *block = body[s] == body[t]
                ? cn_sparse_lu_node(&bodies->lu, body[s])
                : cn_sparse_lu_edge(&bodies->lu, bodies->edge[g], body[s], body[t]);
            add_product(block, G + s * dof, XG, count, dof);
        }
    }
}

static void
assemble(struct cn_newton_system *system)
{
    struct cn_newton_bodies *bodies = &system->bodies;
    int dof = bodies->dof;
    CN_ASSERT(bodies->is_analysed && !bodies->is_wide);
    cn_sparse_lu_clear(&bodies->lu);
    for (int k = 0; k < bodies->body_count; k++) {
        double *block = cn_sparse_lu_node(&bodies->lu, k);
        for (int i = 0; i < dof; i++) {
            block[i * dof + i] = 1.0;
        }
    }
    for (int g = 0; g < system->group_count; g++) {
        const double *X = bodies->X + system->group[g].block;
        int size = system->group[g].count * system->group[g].count;
        bool any = false;
        for (int k = 0; k < size; k++) {
            any = any || X[k] != 0.0;
        }
        if (any && dof == 3) {
            assemble_group(system, g, 3);
        } else if (any) {
            assemble_group(system, g, 6);
        }
        cn_work_turn(g, system->group_count, GROUPS_TOGETHER, 400);
    }
}

/* Adds to d the solution of the factored system for the right-hand side -F. */
static void
solve_for(struct cn_newton_system *system, const double *F, double *d)
{
    struct cn_newton_bodies *bodies = &system->bodies;
    for (int g = 0; g < system->group_count; g++) {
        const struct cn_friction_group *group = &system->group[g];
        const double *Z = bodies->Z + group->block, *at = F + group->row;
        for (int k = 0; k < group->count; k++) {
            double sum = 0.0;
            for (int m = 0; m < group->count; m++) {
                sum -= Z[group->count * k + m] * at[m];
            }
            bodies->y[group->row + k] = sum;
        }
    }
    gather(system, bodies->y, bodies->w);
    cn_sparse_lu_solve(&bodies->lu, bodies->w);
    for (int g = 0; g < system->group_count; g++) {
        const struct cn_friction_group *group = &system->group[g];
        double Gw[CN_ROWS_PER_CONTACT];
        int count = group->count;
        for (int k = 0; k < count; k++) {
            Gw[k] = rate(bodies, group->row + k, bodies->w);
        }
        const double *X = bodies->X + group->block;
        for (int k = 0; k < count; k++, X += count) {
            double sum = X[0] * Gw[0];
            for (int m = 1; m < count; m++) {
                sum += X[m] * Gw[m];
            }
            d[group->row + k] += bodies->y[group->row + k] - sum;
        }
        cn_work_turn(g, system->group_count, GROUPS_TOGETHER, 80);
    }
}

/* The residual of the equations at d: F + F_f d + F_a (A + r E) d. */
static void
find_rest(struct cn_newton_system *system, const double *F, const double *d, double *rest)
{
    struct cn_newton_bodies *bodies = &system->bodies;
    double regular = bodies->regular;
    gather(system, d, bodies->w);
    for (int g = 0; g < system->group_count; g++) {
        const struct cn_friction_group *group = &system->group[g];
        const double *by_f = system->by_f + group->block, *by_a = system->by_a + group->block;
        int row = group->row;
        double pull[CN_ROWS_PER_CONTACT];
        for (int k = 0; k < group->count; k++) {
            double effect = cn_friction_effect(group, k);
            pull[k] = rate(bodies, row + k, bodies->w) + regular * effect * d[row + k];
        }
        for (int k = 0; k < group->count; k++) {
            double sum = F[row + k];
            for (int m = 0; m < group->count; m++) {
                int at = group->count * k + m;
                sum += by_f[at] * d[row + m] + by_a[at] * pull[m];
            }
            rest[row + k] = sum;
        }
        cn_work_turn(g, system->group_count, GROUPS_TOGETHER, 80);
    }
}

bool
cn_newton_bodies_factor(struct cn_newton_system *system, double regular)
{
    struct cn_newton_bodies *bodies = &system->bodies;
    if (!analyse(system)) {
        return false;
    }
    bodies->regular = regular;
    bodies->sign = 1;
    for (int g = 0; g < system->group_count; g++) {
        condense(system, g, regular);
        cn_work_turn(g, system->group_count, GROUPS_TOGETHER, 100);
    }
    assemble(system);
    int64_t before = bodies->lu.work;
    (void)cn_sparse_lu_factor(&bodies->lu, PIVOT_MIN);
    system->work += bodies->lu.work - before + 540 * (int64_t)system->group_count;
    return true;
}

int
cn_newton_bodies_sign(const struct cn_newton_system *system)
{
    CN_ASSERT(system->bodies.sign == 1 || system->bodies.sign == -1);
    return system->bodies.sign * cn_sparse_lu_sign(&system->bodies.lu);
}

void
cn_newton_bodies_solve(struct cn_newton_system *system, const double *F, double *d)
{
    struct cn_newton_bodies *bodies = &system->bodies;
    CN_ASSERT(bodies->is_analysed && !bodies->is_wide && d != F);
    int64_t before = bodies->lu.work;
    memset(d, 0, (size_t)system->n * sizeof(d[0]));
    solve_for(system, F, d);
    for (int i = 0; i < REFINEMENTS; i++) {
        find_rest(system, F, d, bodies->rest);
        solve_for(system, bodies->rest, d);
    }
    system->work += bodies->lu.work - before + 160 * (int64_t)system->group_count;
}

void
cn_newton_bodies_sweep(struct cn_newton_system *system, bool backward, double *f)
{
    struct cn_newton_bodies *bodies = &system->bodies;
    gather(system, f, bodies->w);
    for (int k = 0; k < system->group_count; k++) {
        int g = backward ? system->group_count - 1 - k : k;
        const struct cn_friction_group *group = &system->group[g];
        const double *W = bodies->W + group->block;
        int row = group->row, count = group->count;
        double q[CN_ROWS_PER_CONTACT], before[CN_ROWS_PER_CONTACT];
        for (int i = 0; i < count; i++) {
            before[i] = f[row + i];
            q[i] = system->b[row + i] + rate(bodies, row + i, bodies->w);
            for (int j = 0; j < count; j++) {
                q[i] -= W[count * i + j] * f[row + j];
            }
        }
        cn_friction_solve(group, W, q, f + row);
        for (int i = 0; i < count; i++) {
            push(bodies, row + i, f[row + i] - before[i], bodies->w);
        }
        if (group->disc_count > 1) {
            system->work += WORK_OF_ROLLING;
            cn_work_spend(WORK_OF_ROLLING);
        }
        cn_work_turn(k, system->group_count, GROUPS_TOGETHER, WORK_PER_SWEEP);
    }
    system->work += WORK_PER_SWEEP * (int64_t)system->group_count;
}
