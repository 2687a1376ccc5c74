#include "prove/program/cholesky.h"

#include "engine/base/assert.h"
#include "prove/exact/memory.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#define WORD 64
/* A pivot below this part of its diagonal is a rounding error. */
#define PIVOT_MIN 1e-13
/* Its replacement: this part of its diagonal or of the mean of all diagonals, the larger one. */
#define PIVOT_SMALL 1e-6
#define REFINEMENTS 2

struct pv_cholesky {
    const struct pv_arm *arm;
    const double *weight;
    int count, bodies, dof, square; /* square: dof * dof */
    int *place;                     /* of a body in the order of elimination */
    int *begin, *below;             /* of a place: the later places that share a block with it */
    double *diagonal, *block;       /* dof x dof each; block[k] belongs to below[k] */
    double *size;                   /* the diagonal's entries before elimination */
    double mean;                    /* of size */
    double *right, *rest;           /* rows */
};

/* The graph of bodies that share blocks; the neighbours of a body are a set of bits. */
struct graph {
    int bodies, words;
    uint64_t *bits;
    int *degree;
    bool *is_gone;
};

static uint64_t *
row_of(const struct graph *g, int body)
{
    return g->bits + (size_t)body * (size_t)g->words;
}

static bool
has_bit(const uint64_t *row, int body)
{
    return (row[body / WORD] >> (body % WORD) & 1) != 0;
}

static void
add_bit(uint64_t *row, int body)
{
    row[body / WORD] |= UINT64_C(1) << (body % WORD);
}

static int
count_bits(const struct graph *g, int body)
{
    int count = 0;
    for (int k = 0; k < g->words; k++) {
        count += __builtin_popcountll(row_of(g, body)[k]);
    }
    return count;
}

/* Removes the body of least degree; its neighbours become neighbours of each other. */
static int
eliminate_next(struct graph *g)
{
    int best = -1;
    for (int i = 0; i < g->bodies; i++) {
        if (!g->is_gone[i] && (best < 0 || g->degree[i] < g->degree[best])) {
            best = i;
        }
    }
    CN_ASSERT(best >= 0); /* the caller eliminates each body once */
    const uint64_t *row = row_of(g, best);
    g->is_gone[best] = true;
    for (int i = 0; i < g->bodies; i++) {
        if (!has_bit(row, i)) {
            continue;
        }
        uint64_t *other = row_of(g, i);
        for (int k = 0; k < g->words; k++) {
            other[k] |= row[k];
        }
        other[i / WORD] &= ~(UINT64_C(1) << (i % WORD));
        other[best / WORD] &= ~(UINT64_C(1) << (best % WORD));
        g->degree[i] = count_bits(g, i);
    }
    return best;
}

static void
order_below(int *below, int count)
{
    for (int i = 1; i < count; i++) {
        int value = below[i], k = i;
        for (; k > 0 && below[k - 1] > value; k--) {
            below[k] = below[k - 1];
        }
        below[k] = value;
    }
}

static void
find_order(struct pv_cholesky *c)
{
    struct graph g = {.bodies = c->bodies, .words = (c->bodies + WORD - 1) / WORD};
    g.bits = pv_alloc((size_t)c->bodies * (size_t)g.words, sizeof(*g.bits));
    g.degree = pv_alloc((size_t)c->bodies, sizeof(*g.degree));
    g.is_gone = pv_alloc((size_t)c->bodies, sizeof(*g.is_gone));
    for (int j = 0; j < c->count; j++) {
        CN_ASSERT(c->arm[j].body[0] < c->bodies && c->arm[j].body[1] < c->bodies);
        CN_ASSERT(c->arm[j].body[0] >= 0 || c->arm[j].body[1] < 0); /* the first comes first */
        if (c->arm[j].body[1] >= 0) {
            add_bit(row_of(&g, c->arm[j].body[0]), c->arm[j].body[1]);
            add_bit(row_of(&g, c->arm[j].body[1]), c->arm[j].body[0]);
        }
    }
    for (int i = 0; i < c->bodies; i++) {
        g.degree[i] = count_bits(&g, i);
    }
    int *body = pv_alloc((size_t)c->bodies, sizeof(*body));
    for (int p = 0; p < c->bodies; p++) {
        body[p] = eliminate_next(&g);
        c->place[body[p]] = p;
        c->begin[p + 1] = c->begin[p] + g.degree[body[p]];
    }
    c->below = pv_alloc((size_t)c->begin[c->bodies], sizeof(*c->below));
    for (int p = 0; p < c->bodies; p++) {
        int at = c->begin[p];
        for (int i = 0; i < c->bodies; i++) {
            if (has_bit(row_of(&g, body[p]), i)) {
                c->below[at++] = c->place[i];
            }
        }
        CN_ASSERT(at == c->begin[p + 1]); /* as many as were counted at the elimination */
        order_below(&c->below[c->begin[p]], at - c->begin[p]);
    }
    pv_free(body);
    pv_free(g.bits);
    pv_free(g.degree);
    pv_free(g.is_gone);
}

struct pv_cholesky *
pv_cholesky_create(const struct pv_arm *arm, int count, int bodies, int dof)
{
    CN_ASSERT(dof == 3 || dof == PV_DOF_MAX); /* the two for which subtract_product has code */
    struct pv_cholesky *c = pv_alloc(1, sizeof(*c));
    size_t rows = (size_t)bodies * (size_t)dof;
    *c = (struct pv_cholesky){
        .arm = arm, .count = count, .bodies = bodies, .dof = dof, .square = dof * dof};
    c->place = pv_alloc((size_t)bodies, sizeof(*c->place));
    c->begin = pv_alloc((size_t)bodies + 1, sizeof(*c->begin));
    find_order(c);
    c->diagonal = pv_alloc((size_t)(bodies * c->square), sizeof(*c->diagonal));
    c->block = pv_alloc((size_t)c->begin[bodies] * (size_t)c->square, sizeof(*c->block));
    c->size = pv_alloc(rows, sizeof(*c->size));
    c->right = pv_alloc(rows, sizeof(*c->right));
    c->rest = pv_alloc(rows, sizeof(*c->rest));
    return c;
}

void
pv_cholesky_destroy(struct pv_cholesky *c)
{
    pv_free(c->place);
    pv_free(c->begin);
    pv_free(c->below);
    pv_free(c->diagonal);
    pv_free(c->block);
    pv_free(c->size);
    pv_free(c->right);
    pv_free(c->rest);
    pv_free(c);
}

/* The block of a place and a later place. */
static double *
block_at(const struct pv_cholesky *c, int place, int later)
{
    int low = c->begin[place], high = c->begin[place + 1] - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (c->below[middle] < later) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    CN_ASSERT(c->below[low] == later);
    return c->block + (size_t)low * (size_t)c->square;
}

/* out += weight u v' */
static void
add_outer(double *out, double weight, const double *u, const double *v, int dof)
{
    for (int r = 0; r < dof; r++) {
        for (int k = 0; k < dof; k++) {
            out[dof * r + k] += weight * u[r] * v[k];
        }
    }
}

static void
assemble_matrix(struct pv_cholesky *c)
{
    int dof = c->dof;
    memset(c->diagonal, 0, (size_t)(c->bodies * c->square) * sizeof(*c->diagonal));
    memset(c->block, 0,
        (size_t)c->begin[c->bodies] * (size_t)c->square * sizeof(*c->block));
    for (int j = 0; j < c->count; j++) {
        const struct pv_arm *arm = &c->arm[j];
        for (int side = 0; side < 2 && arm->body[side] >= 0; side++) {
            int place = c->place[arm->body[side]];
            add_outer(c->diagonal + (size_t)(place * c->square), c->weight[j], arm->part[side],
                arm->part[side], dof);
        }
        if (arm->body[1] >= 0) {
            int p = c->place[arm->body[0]], q = c->place[arm->body[1]];
            int first = p < q ? 0 : 1;
            add_outer(block_at(c, p < q ? p : q, p < q ? q : p), c->weight[j],
                arm->part[1 - first], arm->part[first], dof);
        }
    }
    c->mean = 0.0;
    for (int p = 0; p < c->bodies; p++) {
        for (int k = 0; k < dof; k++) {
            c->size[dof * p + k] = c->diagonal[(size_t)(p * c->square) + (size_t)((dof + 1) * k)];
            c->mean += c->size[dof * p + k] / (c->bodies * dof);
        }
    }
}

static void
factor_diagonal(double *a, const double *size, double mean, int dof)
{
    for (int k = 0; k < dof; k++) {
        double pivot = a[dof * k + k];
        for (int j = 0; j < k; j++) {
            pivot -= a[dof * k + j] * a[dof * k + j];
        }
        bool is_there = pivot > PIVOT_MIN * size[k] && pivot > 0.0;
        double root = sqrt(is_there ? pivot : PIVOT_SMALL * fmax(mean, size[k]));
        a[dof * k + k] = root;
        for (int i = k + 1; i < dof; i++) {
            double sum = a[dof * i + k];
            for (int j = 0; j < k; j++) {
                sum -= a[dof * i + j] * a[dof * k + j];
            }
            a[dof * i + k] = sum / root;
        }
    }
}

/* Rows of b become rows of b inverse(L'). */
static void
divide_block(double *b, const double *l, int dof)
{
    for (int r = 0; r < dof; r++) {
        for (int k = 0; k < dof; k++) {
            double sum = b[dof * r + k];
            for (int j = 0; j < k; j++) {
                sum -= b[dof * r + j] * l[dof * k + j];
            }
            b[dof * r + k] = sum / l[dof * k + k];
        }
    }
}

static inline void
subtract_sized(double *out, const double *u, const double *v, int dof)
{
    double turned[PV_DOF_MAX * PV_DOF_MAX];
    for (int r = 0; r < dof; r++) {
        for (int k = 0; k < dof; k++) {
            turned[dof * k + r] = v[dof * r + k];
        }
    }
    for (int r = 0; r < dof; r++) {
        for (int k = 0; k < dof; k++) {
            double factor = u[dof * r + k];
            for (int j = 0; j < dof; j++) {
                out[dof * r + j] -= factor * turned[dof * k + j];
            }
        }
    }
}

/* out -= u v' */
static void
subtract_product(double *out, const double *u, const double *v, int dof)
{
    if (dof == 3) {
        subtract_sized(out, u, v, 3);
    } else {
        subtract_sized(out, u, v, 6);
    }
}

static void
eliminate_place(struct pv_cholesky *c, int p)
{
    size_t square = (size_t)c->square;
    double *diagonal = c->diagonal + (size_t)p * square;
    factor_diagonal(diagonal, &c->size[c->dof * p], c->mean, c->dof);
    for (int k = c->begin[p]; k < c->begin[p + 1]; k++) {
        divide_block(c->block + (size_t)k * square, diagonal, c->dof);
    }
    for (int k = c->begin[p]; k < c->begin[p + 1]; k++) {
        int q = c->below[k], at = c->begin[q];
        const double *u = c->block + (size_t)k * square;
        subtract_product(c->diagonal + (size_t)q * square, u, u, c->dof);
        for (int i = k + 1; i < c->begin[p + 1]; i++) {
            while (c->below[at] != c->below[i]) {
                at++;
            }
            CN_ASSERT(at < c->begin[q + 1]); /* neighbours of an eliminated body share a block */
            subtract_product(c->block + (size_t)at * square, c->block + (size_t)i * square, u,
                c->dof);
        }
    }
}

void
pv_cholesky_factor(struct pv_cholesky *c, const double *d)
{
    c->weight = d;
    assemble_matrix(c);
    for (int p = 0; p < c->bodies; p++) {
        eliminate_place(c, p);
    }
}

/* Solves with the factor once; x is indexed by places. */
static void
solve_places(const struct pv_cholesky *c, double *x)
{
    int dof = c->dof;
    size_t square = (size_t)c->square;
    for (int p = 0; p < c->bodies; p++) {
        const double *l = c->diagonal + (size_t)p * square;
        double *own = &x[dof * p];
        for (int k = 0; k < dof; k++) {
            for (int j = 0; j < k; j++) {
                own[k] -= l[dof * k + j] * own[j];
            }
            own[k] /= l[dof * k + k];
        }
        for (int i = c->begin[p]; i < c->begin[p + 1]; i++) {
            const double *b = c->block + (size_t)i * square;
            for (int k = 0; k < c->square; k++) {
                x[dof * c->below[i] + k / dof] -= b[k] * own[k % dof];
            }
        }
    }
    for (int p = c->bodies - 1; p >= 0; p--) {
        const double *l = c->diagonal + (size_t)p * square;
        double *own = &x[dof * p];
        for (int i = c->begin[p]; i < c->begin[p + 1]; i++) {
            const double *b = c->block + (size_t)i * square;
            for (int k = 0; k < c->square; k++) {
                own[k % dof] -= b[k] * x[dof * c->below[i] + k / dof];
            }
        }
        for (int k = dof - 1; k >= 0; k--) {
            for (int j = k + 1; j < dof; j++) {
                own[k] -= l[dof * j + k] * own[j];
            }
            own[k] /= l[dof * k + k];
        }
    }
}

/* rest = right - S x */
static void
find_rest(struct pv_cholesky *c, const double *x)
{
    int dof = c->dof;
    memcpy(c->rest, c->right, (size_t)(c->bodies * dof) * sizeof(*c->rest));
    for (int j = 0; j < c->count; j++) {
        const struct pv_arm *arm = &c->arm[j];
        double rate = 0.0;
        for (int side = 0; side < 2 && arm->body[side] >= 0; side++) {
            for (int k = 0; k < dof; k++) {
                rate += arm->part[side][k] * x[dof * arm->body[side] + k];
            }
        }
        rate *= c->weight[j];
        for (int side = 0; side < 2 && arm->body[side] >= 0; side++) {
            for (int k = 0; k < dof; k++) {
                c->rest[dof * arm->body[side] + k] -= arm->part[side][k] * rate;
            }
        }
    }
}

void
pv_cholesky_solve(struct pv_cholesky *c, double *x)
{
    int dof = c->dof, rows = c->bodies * dof;
    double *by_place = pv_alloc((size_t)rows, sizeof(*by_place));
    memcpy(c->right, x, (size_t)rows * sizeof(*x));
    memcpy(c->rest, x, (size_t)rows * sizeof(*x));
    memset(x, 0, (size_t)rows * sizeof(*x));
    for (int turn = 0; turn <= REFINEMENTS; turn++) {
        for (int i = 0; i < rows; i++) {
            by_place[dof * c->place[i / dof] + i % dof] = c->rest[i];
        }
        solve_places(c, by_place);
        for (int i = 0; i < rows; i++) {
            x[i] += by_place[dof * c->place[i / dof] + i % dof];
        }
        if (turn < REFINEMENTS) {
            find_rest(c, x);
        }
    }
    pv_free(by_place);
}
