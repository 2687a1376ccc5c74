#include "prove/gauss.h"

#include "engine/base/assert.h"
#include "engine/linalg/lemke.h"
#include "prove/exact/factor.h"
#include "prove/exact/pivot.h"
#include "prove/limits.h"


#define DOF 6 /* room for a body's numbers; the plane uses three */
#define GUESS_MAX 1024 /* contacts; the table of doubles grows with their square */

/* The rows of J, one a contact, split by its two bodies; and the rows of J inverse(M). */
struct rows {
    const struct pv_arrangement *arrangement;
    int count;
    mpq_t *j[2], *light[2]; /* DOF a contact, for body a and body b; 0 for fixed bodies */
    mpq_t *q;
};

static int
body_of(const struct pv_contact *contact, int side)
{
    return side == 0 ? contact->a : contact->b;
}

static void
fill_side(struct rows *rows, int c, int side)
{
    const struct pv_contact *contact = &rows->arrangement->contact[c];
    const struct pv_body *body = &rows->arrangement->body[body_of(contact, side)];
    if (body->is_fixed) {
        return;
    }
    CN_ASSERT(mpq_sgn(body->mass) > 0);
    mpq_t *j = &rows->j[side][DOF * c], *light = &rows->light[side][DOF * c];
    pv_vec arm;
    pv_vec_init(&arm);
    pv_vec_sub(&arm, &contact->point, &body->center);
    pv_wrench(rows->arrangement, j, &contact->normal, &arm);
    int d = rows->arrangement->dimension;
    for (int k = 0; k < DOF && side == 0; k++) {
        mpq_neg(j[k], j[k]);
    }
    for (int k = 0; k < d; k++) {
        mpq_div(light[k], j[k], body->mass);
        pv_add_product(rows->q[c], light[k], body->force.c[k]);
    }
    if (d == 2) {
        mpq_div(light[2], j[2], body->inertia);
        pv_add_product(rows->q[c], light[2], body->moment.c[2]);
    }
    for (int k = 0; k < 9 && d == 3; k++) {
        pv_add_product(light[3 + k / 3], body->tensor_inverse[k], j[3 + k % 3]);
    }
    for (int k = 0; k < 3 && d == 3; k++) {
        pv_add_product(rows->q[c], light[3 + k], body->moment.c[k]);
    }
    pv_vec_clear(&arm);
}

static void
rows_init(struct rows *rows, const struct pv_arrangement *arrangement)
{
    size_t n = (size_t)arrangement->contact_count;
    rows->arrangement = arrangement;
    rows->count = arrangement->contact_count;
    rows->q = pv_numbers(n);
    for (int side = 0; side < 2; side++) {
        rows->j[side] = pv_numbers(DOF * n);
        rows->light[side] = pv_numbers(DOF * n);
        for (int c = 0; c < rows->count; c++) {
            fill_side(rows, c, side);
        }
    }
}

static void
rows_finish(struct rows *rows)
{
    size_t n = (size_t)rows->count;
    pv_numbers_free(rows->q, n);
    for (int side = 0; side < 2; side++) {
        pv_numbers_free(rows->j[side], DOF * n);
        pv_numbers_free(rows->light[side], DOF * n);
    }
}

/* The entry of A for contacts c and d. */
static void
find_coupling(const struct rows *rows, mpq_t out, int c, int d)
{
    mpq_set_ui(out, 0, 1);
    const struct pv_contact *contact = rows->arrangement->contact;
    for (int s = 0; s < 2; s++) {
        for (int t = 0; t < 2; t++) {
            if (body_of(&contact[c], s) == body_of(&contact[d], t)) {
                for (int k = 0; k < DOF; k++) {
                    pv_add_product(out, rows->j[s][DOF * c + k], rows->light[t][DOF * d + k]);
                }
            }
        }
    }
}

/* Guesses which contacts push, by Lemke's method in doubles.  False: it found no solution. */
static bool
guess_pushing(const struct rows *rows, mpq_t *A, bool *pushes)
{
    int n = rows->count;
    if (n > GUESS_MAX) {
        return false;
    }
    struct cn_arena arena;
    struct cn_lemke lemke;
    cn_arena_init_measure(&arena);
    cn_lemke_take(&lemke, &arena, n);
    void *memory = pv_alloc(1, arena.used + 64);
    void *start = (char *)memory + (64 - (size_t)((uintptr_t)memory % 64)) % 64;
    cn_arena_init(&arena, start, arena.used);
    cn_lemke_take(&lemke, &arena, n);
    cn_lemke_begin(&lemke, n);
    for (int i = 0; i < n; i++) {
        double *row = lemke.D + (size_t)i * (size_t)(n + 2);
        for (int j = 0; j < n; j++) {
            row[j] = pv_double(A[(size_t)i * (size_t)n + (size_t)j]);
        }
        row[n + 1] = pv_double(rows->q[i]);
        lemke.free_row[i] = false;
    }
    double *z = pv_alloc((size_t)n, sizeof(*z));
    bool solved = cn_lemke_solve(&lemke, 50 * n + 100, z) == CN_LEMKE_SOLVED;
    for (int i = 0; i < n; i++) {
        pushes[i] = z[i] > 0.0;
    }
    pv_free(z);
    pv_free(memory);
    return solved;
}

/* Solves for the forces that keep the pushing contacts closed: A_CC f_C = -q_C. */
static bool
push_all(const struct rows *rows, mpq_t *A, const bool *pushes, struct pv_start *start)
{
    int n = rows->count, m = 0;
    int *member = pv_alloc((size_t)n, sizeof(*member));
    for (int i = 0; i < n; i++) {
        if (pushes[i]) {
            member[m++] = i;
        }
    }
    struct pv_column *column = pv_alloc((size_t)m, sizeof(*column));
    const struct pv_column **list = pv_alloc((size_t)m, sizeof(*list));
    mpq_t *f = pv_numbers((size_t)m);
    for (int j = 0; j < m; j++) {
        pv_column_init(&column[j], m);
        for (int i = 0; i < m; i++) {
            pv_column_add(
                &column[j], i, A[(size_t)member[i] * (size_t)n + (size_t)member[j]]);
        }
        list[j] = &column[j];
        mpq_neg(f[j], rows->q[member[j]]);
    }
    struct pv_factor *factor = pv_factor_create(list, m, &start->work);
    if (factor != NULL) {
        pv_factor_solve(factor, f, &start->work);
        for (int j = 0; j < m; j++) {
            mpq_set(start->push[member[j]], f[j]);
        }
    }
    bool solved = factor != NULL;
    pv_factor_destroy(factor);
    for (int j = 0; j < m; j++) {
        pv_column_finish(&column[j], m);
    }
    pv_numbers_free(f, (size_t)m);
    pv_free(column);
    pv_free(list);
    pv_free(member);
    return solved;
}

/* a = acceleration `k` of a body without contacts. */
static void
fall_freely(const struct pv_arrangement *arrangement, const struct pv_body *body, int k, mpq_t a)
{
    int d = arrangement->dimension;
    mpq_set_ui(a, 0, 1);
    if (body->is_fixed) {
        return;
    }
    if (k < d) {
        mpq_div(a, body->force.c[k], body->mass);
    } else if (d == 2) {
        mpq_div(a, body->moment.c[2], body->inertia);
    }
    for (int i = 0; i < 3 && d == 3 && k >= 3; i++) {
        pv_add_product(a, body->tensor_inverse[3 * (k - 3) + i], body->moment.c[i]);
    }
}

/* a = g + inverse(M) J' f and o = J a. */
static void
find_accelerations(const struct rows *rows, struct pv_start *start)
{
    const struct pv_arrangement *arrangement = rows->arrangement;
    CN_ASSERT(start->dof == pv_dof(arrangement) && start->dof <= DOF);
    for (int i = 0; i < arrangement->body_count; i++) {
        for (int k = 0; k < start->dof; k++) {
            fall_freely(
                arrangement, &arrangement->body[i], k, start->acceleration[start->dof * i + k]);
        }
    }
    for (int side = 0; side < 2; side++) {
        for (int c = 0; c < rows->count; c++) {
            int body = body_of(&arrangement->contact[c], side);
            for (int k = 0; k < start->dof; k++) {
                pv_add_product(start->acceleration[start->dof * body + k],
                    rows->light[side][DOF * c + k], start->push[c]);
            }
        }
    }
    for (int c = 0; c < rows->count; c++) {
        mpq_set_ui(start->opening[c], 0, 1);
        for (int side = 0; side < 2; side++) {
            int body = body_of(&arrangement->contact[c], side);
            for (int k = 0; k < start->dof; k++) {
                pv_add_product(start->opening[c], rows->j[side][DOF * c + k],
                    start->acceleration[start->dof * body + k]);
            }
        }
    }
}

static bool
conditions_hold(const struct rows *rows, const struct pv_start *start)
{
    for (int c = 0; c < rows->count; c++) {
        int f = mpq_sgn(start->push[c]), o = mpq_sgn(start->opening[c]);
        if (f < 0 || o < 0 || (f > 0 && o > 0)) {
            return false;
        }
    }
    return true;
}

bool
pv_start_solve(struct pv_start *start, const struct pv_arrangement *arrangement)
{
    CN_ASSERT(!pv_has_friction(arrangement));
    struct rows rows;
    rows_init(&rows, arrangement);
    size_t n = (size_t)rows.count;
    mpq_t *A = pv_numbers(n * n);
    for (int i = 0; i < rows.count; i++) {
        for (int j = 0; j < rows.count; j++) {
            find_coupling(&rows, A[(size_t)i * n + (size_t)j], i, j);
        }
    }
    bool *pushes = pv_alloc(n, sizeof(*pushes));
    bool solved = guess_pushing(&rows, A, pushes) && push_all(&rows, A, pushes, start);
    find_accelerations(&rows, start);
    if (!solved || !conditions_hold(&rows, start)) {
        solved = pv_lemke(rows.count, A, rows.q, start->push, &start->work);
        find_accelerations(&rows, start);
        solved = solved && conditions_hold(&rows, start);
    }
    pv_free(pushes);
    pv_numbers_free(A, n * n);
    rows_finish(&rows);
    return solved;
}

void
pv_start_init(struct pv_start *start, const struct pv_arrangement *arrangement)
{
    *start = (struct pv_start){.dof = pv_dof(arrangement)};
    start->acceleration = pv_numbers((size_t)(start->dof * arrangement->body_count));
    start->push = pv_numbers((size_t)arrangement->contact_count);
    start->opening = pv_numbers((size_t)arrangement->contact_count);
}

void
pv_start_finish(struct pv_start *start, const struct pv_arrangement *arrangement)
{
    if (start->push == NULL) {
        return;
    }
    pv_numbers_free(start->acceleration, (size_t)(start->dof * arrangement->body_count));
    pv_numbers_free(start->push, (size_t)arrangement->contact_count);
    pv_numbers_free(start->opening, (size_t)arrangement->contact_count);
    *start = (struct pv_start){0};
}
