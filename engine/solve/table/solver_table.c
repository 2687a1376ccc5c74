#include "engine/solve/table/solver_table.h"

#include "engine/base/assert.h"
#include "engine/solve/friction/newton.h"
#include "engine/solve/friction/sweeps.h"
#include "engine/solve/matrix/baraff89.h"
#include "engine/solve/matrix/baraff94.h"
#include "engine/solve/matrix/faure96.h"
#include "engine/solve/matrix/gauss.h"
#include "engine/solve/table/matrix_adapter.h"

#include <string.h>

/* ---- matrix solvers ---- */

static const struct cn_matrix_solver *const matrix_solvers[] = {
    &cn_matrix_solver_baraff89,
    &cn_matrix_solver_baraff94,
    &cn_matrix_solver_faure96,
    &cn_matrix_solver_gauss,
    &cn_matrix_solver_newton,
    &cn_matrix_solver_sweeps,
};

const struct cn_matrix_solver *
cn_matrix_solver_find(const char *name)
{
    CN_ASSERT(name != NULL);
    for (size_t i = 0; i < sizeof(matrix_solvers) / sizeof(matrix_solvers[0]); i++) {
        if (strcmp(matrix_solvers[i]->name, name) == 0) {
            return matrix_solvers[i];
        }
    }
    return NULL;
}

/* The functions layout and solve of a contact solver that is made of a matrix solver. */
#define ADAPT(solver)                                                                              \
    static void solver##_layout(struct cn_arena *scratch, int row_count, int body_count)           \
    {                                                                                              \
        cn_matrix_adapter_layout(&cn_matrix_solver_##solver, scratch, row_count, body_count);      \
    }                                                                                              \
    static struct cn_solve_report solver##_solve(const struct cn_contact_problem *problem,         \
        const struct cn_solve_options *options, struct cn_arena *scratch, double *f)               \
    {                                                                                              \
        return cn_matrix_adapter_solve(                                                            \
            &cn_matrix_solver_##solver, problem, options, scratch, f);                             \
    }

ADAPT(baraff89)
ADAPT(baraff94)
ADAPT(faure96)
ADAPT(gauss)
ADAPT(newton)
ADAPT(sweeps)

/* ---- contact solvers ---- */

const struct cn_solver cn_solver_baraff89 = {
    .name = "baraff89",
    .cite = "Baraff, SIGGRAPH 89, sections 5 to 7",
    .text = "linear programming and a guess at what parts: often exact, else it adds energy",
    .heuristic = true,
    .layout = baraff89_layout,
    .solve = baraff89_solve,
};

const struct cn_solver cn_solver_baraff94 = {
    .name = "baraff94",
    .cite = "Baraff, SIGGRAPH 94, sections 4 and 5",
    .text = "exact forces by Dantzig's pivoting, with friction, for some hundred contacts",
    .friction = true,
    .rolling = true,
    .layout = baraff94_layout,
    .solve = baraff94_solve,
};

const struct cn_solver cn_solver_faure96 = {
    .name = "faure96",
    .cite = "Faure, Eurographics 96, figure 3",
    .text = "forces by redistributing inconsistent work; usable after any round, with friction",
    .friction = true,
    .layout = faure96_layout,
    .solve = faure96_solve,
};

const struct cn_solver cn_solver_gauss = {
    .name = "gauss",
    .cite = "Rote et al., Gauss' principle of least restraint, section 3",
    .text = "exact accelerations as the least departure from free motion, an active-set program",
    .layout = gauss_layout,
    .solve = gauss_solve,
};

const struct cn_solver cn_solver_newton = {
    .name = "newton",
    .cite = "Alart and Curnier, CMAME 92 (1991); Qi, Sun and Zhou, Math. Program. 87 (2000)",
    .text = "Coulomb friction to high precision, by a smoothing Newton method",
    .friction = true,
    .rolling = true,
    .layout = newton_layout,
    .solve = newton_solve,
};

const struct cn_solver cn_solver_sweeps = {
    .name = "sweeps",
    .cite = "Moreau and Jean, CMAME 177 (1999); Silcowitz-Hansen, Niebe and Erleben 2010",
    .text = "sweeps over contacts with friction, in linear time: for islands of thousands of rows",
    .friction = true,
    .rolling = true,
    .heuristic = true,
    .work_per_row = CN_SWEEPS_WORK_PER_ROW,
    .layout = sweeps_layout,
    .solve = sweeps_solve,
};

const struct cn_solver cn_solver_impulse = {
    .kind = CN_SOLVER_BODIES,
    .name = "impulse",
    .cite = "Catto, GDC 2006, 2009 and 2011; Macklin et al., SCA 2019",
    .text = "sequential impulses with soft contacts and substeps: thousands of bodies (stepper "
            "time)",
    .friction = true,
    .rolling = true,
    .meshes = true,
    .heuristic = true,
};

const struct cn_solver cn_solver_guendelman03 = {
    .kind = CN_SOLVER_PAIRS,
    .name = "guendelman03",
    .cite = "Guendelman, Bridson and Fedkiw 2003",
    .text = "impulses pair by pair, stick test and friction cone: stacks, shapes of any form",
    .friction = true,
    .rolling = true,
    .meshes = true,
};

#define X(name) &cn_solver_##name,
const struct cn_solver *const cn_solvers[] = {CN_SOLVER_TABLE(X)};
#undef X

const int cn_solver_count = (int)(sizeof(cn_solvers) / sizeof(cn_solvers[0]));

const int cn_problem_solver_count =
    (int)(sizeof(cn_solvers) / sizeof(cn_solvers[0])) - CN_SOLVER_OTHERS;

const struct cn_solver *
cn_solver_find(const char *name)
{
    CN_ASSERT(name != NULL);
    for (int i = 0; i < cn_solver_count; i++) {
        bool states_problem = cn_solvers[i]->kind == CN_SOLVER_PROBLEM;
        CN_ASSERT(states_problem || i >= cn_problem_solver_count); /* they come first */
        CN_ASSERT(states_problem == (cn_solvers[i]->solve != NULL));
        if (strcmp(cn_solvers[i]->name, name) == 0) {
            return cn_solvers[i];
        }
    }
    return NULL;
}
