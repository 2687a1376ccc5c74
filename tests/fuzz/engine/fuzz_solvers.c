/*
 * fuzz_solvers.c: no problem, even a very redundant one, makes a solver hang, crash, return a
 * negative or non-finite force, or report a convergence that the judge does not confirm.  A problem
 * that has a solution by construction is solved from any warm start, or a heuristic reports that it
 * failed.
 *
 * Every input is a valid problem; missing bytes are zeros.  Arms and normals are on a coarse grid,
 * so that equal, parallel and opposite rows are common.  There are more rows than degrees of
 * freedom.  b is -J x, so x is a solution.  A bit of the first byte allows any b instead, so that
 * many problems have no solution.  Another bit asks for minimum-norm forces, and one makes some
 * rows motors.  Solvers that take a dense matrix also get the problem in this form.
 */
#include "engine/base/assert.h"
#include "engine/solve/table/matrix_adapter.h"
#include "engine/solve/table/solver_table.h"

#include <math.h>
#include <string.h>

#define ROWS 14
#define BODIES 3
#define ROW_BYTES 7
#define A_MAX 200.0 /* 1/kg: 2 (30 + 30 arm^2), and some */
#define SIZE (1 + 6 * BODIES + ROW_BYTES * ROWS)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static _Alignas(64) unsigned char memory[1 << 18];

/* A small integer, quarters of it for arms. */
static double
grid(uint8_t byte)
{
    return (double)((int)(byte % 9) - 4);
}

struct input {
    struct cn_row rows[ROWS];
    struct cn_mass_inverse mass[BODIES];
    double b[ROWS], warm[ROWS];
    double lower[ROWS], upper[ROWS];
    unsigned char tag[ROWS];
    bool solvable, minimum_norm, motors;
};

static void
read_row(struct input *input, const uint8_t *byte, int i, const struct cn_twist *x)
{
    static const double direction[8][2] = {{0, 1}, {0, 1}, {0, 1}, {1, 0}, {-1, 0}, {0, -1},
        {0.6, 0.8}, {-0.8, 0.6}};
    static const double warm[8] = {0.0, 0.0, 1.0, 1e-9, 1e12, -3.0, HUGE_VAL, (double)NAN};
    struct cn_row *row = &input->rows[i];
    cn_vec3 normal = {direction[byte[0] % 8][0], direction[byte[0] % 8][1], 0.0};
    cn_vec3 arm_a = {0.25 * grid(byte[1]), 0.25 * grid(byte[2]), 0.0};
    cn_vec3 arm_b = {0.25 * grid(byte[3]), 0.25 * grid(byte[4]), 0.0};
    *row = (struct cn_row){.body_a = (byte[5] & 3) - 1, .body_b = (byte[5] >> 2) % BODIES};
    row->body_a = row->body_a == row->body_b ? -1 : row->body_a;
    row->linear_a = cn_vec3_negate(normal);
    row->angular_a = cn_vec3_negate(cn_vec3_cross(arm_a, normal));
    row->linear_b = normal;
    row->angular_b = cn_vec3_cross(arm_b, normal);
    input->tag[i] = (byte[5] >> 4) == 0 ? CN_ROW_BILATERAL : CN_ROW_NORMAL;
    if (input->motors && (byte[5] >> 4) == 1) {
        input->tag[i] = CN_ROW_BOUNDED;
    }
    input->lower[i] = byte[3] % 5 == 0 ? -HUGE_VAL : grid(byte[4]);
    input->upper[i] = byte[2] % 5 == 0 ? HUGE_VAL : grid(byte[4]) + 0.5 * (byte[6] % 9);
    input->b[i] = input->solvable ? -cn_row_rate(row, x) : grid(byte[6]);
    input->warm[i] = warm[byte[6] >> 5];
}

static void
read_input(struct input *input, const uint8_t *data)
{
    static const double mass_inverse[4] = {1.0, 1.0, 0.01, 30.0};
    struct cn_twist x[BODIES] = {0};
    input->solvable = (data[0] & 1) == 0;
    input->minimum_norm = (data[0] & 2) != 0;
    input->motors = (data[0] & 8) != 0;
    data++;
    for (int k = 0; k < BODIES; k++, data += 6) {
        x[k].linear = cn_vec3_make(grid(data[0]), grid(data[1]), 0.0);
        x[k].angular = cn_vec3_make(0.0, 0.0, grid(data[2]));
        input->mass[k].linear = mass_inverse[data[3] % 4];
        input->mass[k].angular = cn_mat33_diagonal(1.0, 1.0, mass_inverse[data[4] % 4]);
    }
    for (int i = 0; i < ROWS; i++, data += ROW_BYTES) {
        read_row(input, data, i, x);
    }
}

/*
 * A problem with a solution is solved to the tolerance, or as far as rounding allows where forces
 * far beyond the loads hold each other in balance (wedges).
 */
static void
check(const struct cn_solve_report *report, const struct cn_solve_options *options,
    const struct input *input, const double *f, double residual, bool heuristic)
{
    double force_max = 0.0;
    for (int i = 0; i < ROWS; i++) {
        force_max = fmax(force_max, fabs(f[i]));
        CN_ASSERT(isfinite(f[i]));
        CN_ASSERT(f[i] >= 0.0 || input->tag[i] != CN_ROW_NORMAL);
        if (input->tag[i] == CN_ROW_BOUNDED) {
            CN_ASSERT(input->lower[i] <= f[i] && f[i] <= input->upper[i]);
        }
    }
    CN_ASSERT(report->outcome != CN_SOLVE_CONVERGED || residual <= options->tolerance);
    bool fallback = heuristic && report->heuristic.fallback_count > 0;
    if (input->solvable && fallback) {
        CN_ASSERT(report->outcome == CN_SOLVE_CONVERGED || report->outcome == CN_SOLVE_INEXACT);
    } else if (input->solvable && report->outcome != CN_SOLVE_CONVERGED) {
        CN_ASSERT(report->outcome == CN_SOLVE_INEXACT && residual <= 1e-12 * A_MAX * force_max);
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static struct input input;
    struct cn_twist work[BODIES];
    double f[ROWS];
    uint8_t data[SIZE] = {0};
    if (size > 0) {
        memcpy(data, bytes, size < SIZE ? size : SIZE);
    }
    read_input(&input, data);
    struct cn_contact_problem problem = {.row_count = ROWS, .body_count = BODIES,
        .rows = input.rows, .mass = input.mass, .b = input.b, .tag = input.tag,
        .lower = input.lower, .upper = input.upper};
    struct cn_solve_options options = {.tolerance = 1e-9, .iteration_max = 100000,
        .minimum_norm = input.minimum_norm};
    for (int k = 0; k < cn_problem_solver_count; k++) {
        struct cn_arena scratch;
        cn_arena_init(&scratch, memory, sizeof(memory));
        memcpy(f, input.warm, sizeof(f));
        struct cn_solve_report report = cn_solvers[k]->solve(&problem, &options, &scratch, f);
        check(&report, &options, &input, f, cn_residual_measure(&problem, f, work),
            cn_solvers[k]->heuristic);
    }
    /* The same problem with a dense A. Some inputs change one entry, so A is not symmetric. */
    double A[ROWS * ROWS];
    int index[ROWS];
    for (int i = 0; i < ROWS; i++) {
        index[i] = i;
    }
    cn_delassus_fill(&problem, index, ROWS, A, ROWS);
    if (data[0] & 4) {
        A[data[1] % (ROWS * ROWS)] += 0.5;
        input.solvable = false;
    }
    struct cn_matrix_problem dense = {.n = ROWS, .stride = ROWS, .A = A, .b = input.b,
        .tag = input.tag, .lower = input.lower, .upper = input.upper};
    for (int k = 0; k < cn_problem_solver_count; k++) {
        const struct cn_matrix_solver *solver = cn_matrix_solver_find(cn_solvers[k]->name);
        struct cn_arena scratch;
        cn_arena_init(&scratch, memory, sizeof(memory));
        memcpy(f, input.warm, sizeof(f));
        if (solver != NULL) {
            struct cn_solve_report report =
                cn_matrix_solve(solver, &dense, &options, &scratch, f);
            double a[ROWS];
            check(&report, &options, &input, f, cn_matrix_residual(&dense, f, a),
                cn_solvers[k]->heuristic);
        }
    }
    return 0;
}
