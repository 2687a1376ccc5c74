/*
 * oracle_siconos.c: the wall given to Siconos/Numerics, as a linear complementarity problem to its
 * lexicographic Lemke and as a contact problem in space to its nonsmooth Gauss-Seidel.
 *
 * Lemke gets A as a dense matrix, which is the only one it takes.  Gauss-Seidel gets A in blocks of
 * 3 x 3, those that are not zero; a contact's friction is 0, and its tangent rows, which then bear
 * no force, are rows of the identity.  Making the matrices is not timed.
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include "tests/bench/oracle.h"

#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <LinearComplementarityProblem.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <SolverOptions.h>
#include <SparseBlockMatrix.h>
#include <lcp_cst.h>

#define TOLERANCE 1e-8
#define SWEEPS_MAX 20000

static void *
allocate(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (memory == NULL) {
        abort();
    }
    return memory;
}

/* ---- Lemke ---- */

struct lemke {
    int n;
    double *A, *work;
    double *z, *w;
};

static void *
lemke_begin(const struct brick_wall *wall)
{
    size_t n = (size_t)wall->problem.row_count;
    struct lemke *lemke = allocate(1, sizeof(*lemke));
    lemke->n = (int)n;
    lemke->A = allocate(n * n, sizeof(double));
    lemke->work = allocate(n * n, sizeof(double));
    lemke->z = allocate(n, sizeof(double));
    lemke->w = allocate(n, sizeof(double));
    for (size_t i = 0; i < n; i++) { /* symmetric: by rows or by columns is the same */
        for (size_t j = 0; j < n; j++) {
            lemke->A[i * n + j] = cn_delassus_entry(&wall->problem, (int)i, (int)j);
        }
    }
    return lemke;
}

static double
lemke_solve(
    void *context, const struct brick_wall *wall, const struct wall_load *load, double *f)
{
    (void)load;
    struct lemke *lemke = context;
    size_t n = (size_t)lemke->n;
    memcpy(lemke->work, lemke->A, n * n * sizeof(double));
    NumericsMatrix *M = NM_create_from_data(NM_DENSE, lemke->n, lemke->n, lemke->work);
    LinearComplementarityProblem problem = {.size = lemke->n, .M = M, .q = wall->b};
    SolverOptions *options = solver_options_create(SICONOS_LCP_LEMKE);
    options->iparam[SICONOS_IPARAM_MAX_ITER] = 50 * lemke->n;
    options->dparam[SICONOS_DPARAM_TOL] = TOLERANCE;
    memset(lemke->z, 0, n * sizeof(double));
    memset(lemke->w, 0, n * sizeof(double));
    double start_s = wall_now_s();
    (void)linearComplementarity_driver(&problem, lemke->z, lemke->w, options);
    double spent_s = wall_now_s() - start_s;
    memcpy(f, lemke->z, n * sizeof(double));
    solver_options_delete(options);
    free(options);
    free(M); /* but not the matrix, which is ours */
    return spent_s;
}

static void
lemke_end(void *context)
{
    struct lemke *lemke = context;
    free(lemke->A);
    free(lemke->work);
    free(lemke->z);
    free(lemke->w);
    free(lemke);
}

const struct oracle oracle_lemke = {
    .name = "Siconos lexicolemke",
    .begin = lemke_begin,
    .solve = lemke_solve,
    .end = lemke_end,
};

/* ---- Gauss-Seidel ---- */

struct nsgs {
    unsigned n;
    NumericsMatrix *M;
    SparseBlockStructuredMatrix *blocks;
    double *q, *mu, *reaction, *velocity;
};

static bool
are_coupled(const struct brick_wall *wall, unsigned i, unsigned j)
{
    return i == j || cn_delassus_entry(&wall->problem, (int)i, (int)j) != 0.0;
}

static void *
nsgs_begin(const struct brick_wall *wall)
{
    unsigned n = (unsigned)wall->problem.row_count, count = 0;
    struct nsgs *nsgs = allocate(1, sizeof(*nsgs));
    nsgs->n = n;
    for (unsigned i = 0; i < n * n; i++) {
        count += are_coupled(wall, i / n, i % n);
    }
    SparseBlockStructuredMatrix *blocks = nsgs->blocks = SBM_new();
    blocks->nbblocks = count;
    blocks->blocknumber0 = blocks->blocknumber1 = n;
    blocks->block = allocate(count, sizeof(double *));
    blocks->blocksize0 = allocate(n, sizeof(unsigned));
    blocks->blocksize1 = blocks->blocksize0;
    blocks->filled1 = n + 1;
    blocks->filled2 = count;
    blocks->index1_data = allocate(n + 1, sizeof(size_t));
    blocks->index2_data = allocate(count, sizeof(size_t));
    double *entries = allocate(9 * (size_t)count, sizeof(double));
    unsigned next = 0;
    for (unsigned i = 0; i < n; i++) {
        blocks->blocksize0[i] = 3 * (i + 1);
        blocks->index1_data[i] = next;
        for (unsigned j = 0; j < n; j++) {
            if (are_coupled(wall, i, j)) {
                double *block = entries + 9 * (size_t)next;
                block[0] = cn_delassus_entry(&wall->problem, (int)i, (int)j);
                block[4] = block[8] = i == j ? 1.0 : 0.0;
                blocks->block[next] = block;
                blocks->index2_data[next++] = j;
            }
        }
    }
    blocks->index1_data[n] = next;
    nsgs->M = NM_new();
    nsgs->M->storageType = NM_SPARSE_BLOCK;
    nsgs->M->size0 = nsgs->M->size1 = (int)(3 * n);
    nsgs->M->matrix1 = blocks;
    nsgs->q = allocate(3 * (size_t)n, sizeof(double));
    nsgs->mu = allocate(n, sizeof(double));
    nsgs->reaction = allocate(3 * (size_t)n, sizeof(double));
    nsgs->velocity = allocate(3 * (size_t)n, sizeof(double));
    return nsgs;
}

/* Warm: begins with its last forces. */
static double
nsgs_solve(
    void *context, const struct brick_wall *wall, const struct wall_load *load, double *f)
{
    (void)load;
    struct nsgs *nsgs = context;
    for (unsigned i = 0; i < nsgs->n; i++) {
        nsgs->q[3 * i] = wall->b[i];
    }
    FrictionContactProblem problem = {.dimension = 3, .numberOfContacts = (int)nsgs->n,
        .M = nsgs->M, .q = nsgs->q, .mu = nsgs->mu};
    SolverOptions *options = solver_options_create(SICONOS_FRICTION_3D_NSGS);
    options->iparam[SICONOS_IPARAM_MAX_ITER] = SWEEPS_MAX;
    options->dparam[SICONOS_DPARAM_TOL] = TOLERANCE;
    double start_s = wall_now_s();
    (void)fc3d_driver(&problem, nsgs->reaction, nsgs->velocity, options);
    double spent_s = wall_now_s() - start_s;
    for (unsigned i = 0; i < nsgs->n; i++) {
        f[i] = nsgs->reaction[3 * i];
    }
    solver_options_delete(options);
    free(options);
    return spent_s;
}

/* Other memory that Siconos allocates for the matrix is freed only when the process ends. */
static void
nsgs_end(void *context)
{
    struct nsgs *nsgs = context;
    free(nsgs->blocks->block[0]);
    free(nsgs->blocks->block);
    free(nsgs->blocks->blocksize0);
    free(nsgs->blocks->index1_data);
    free(nsgs->blocks->index2_data);
    free(nsgs->q);
    free(nsgs->mu);
    free(nsgs->reaction);
    free(nsgs->velocity);
    free(nsgs);
}

const struct oracle oracle_nsgs = {
    .name = "Siconos NSGS",
    .begin = nsgs_begin,
    .solve = nsgs_solve,
    .end = nsgs_end,
};
