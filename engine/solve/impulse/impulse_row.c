/* impulse_row.c: the solver's row of the table; impulse.h describes it. */
#include "engine/solve/solver_table.h"

#include <stddef.h>

const struct cn_solver cn_solver_impulse = {
    .kind = CN_SOLVER_BODIES,
    .name = "impulse",
    .cite = "Catto, GDC 2006, 2009 and 2011; Macklin et al., SCA 2019",
    .text = "sequential impulses with soft contacts and substeps: thousands of bodies (stepper "
            "time)",
    .friction = true,
    .meshes = true,
    .heuristic = true,
    .layout = NULL,
    .solve = NULL,
};
