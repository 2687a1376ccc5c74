/*
 * methods.h: checks one law with every stepper and matching solver, in the plane and in space.
 *
 * It is for tests in one file: scene, stepper, solver and spatial are the present case of the law.
 */
#ifndef TESTS_SUPPORT_WORLD_METHODS_H
#define TESTS_SUPPORT_WORLD_METHODS_H

#include "engine/solve/table/solver_table.h"
#include "tests/support/world/scene.h"

#include <stdio.h>
#include <string.h>

static struct scene scene;
static const struct cn_stepper *stepper;
static const struct cn_solver *solver;
static bool spatial;
static struct cn_constant_force_def force[4];

static inline void
begin(double gravity)
{
    if (spatial) {
        scene_init_space(&scene, gravity);
    } else {
        scene_init(&scene, gravity);
    }
    snprintf(scene.def.settings.stepper, CN_NAME_SIZE, "%s", stepper->name);
    snprintf(scene.def.settings.solver, CN_NAME_SIZE, "%s", solver->name);
    memset(force, 0, sizeof(force));
    scene.def.constant_forces = force;
}

/* Every stepper with every solver that fits, in each dimension. */
static inline void
for_each(void (*law)(void))
{
    for (int i = 0; i < cn_stepper_count; i++) {
        for (int k = 0; k < cn_solver_count; k++) {
            stepper = cn_steppers[i];
            solver = cn_solvers[k];
            for (int d = 0; d < 2 && cn_stepper_fits(stepper, solver); d++) {
                spatial = d == 1;
                if (spatial ? stepper->spatial : stepper->planar) {
                    print_message("%s %s %d\n", stepper->name, solver->name, d);
                    law();
                }
            }
        }
    }
}

/* A box of sides 1 and 2 (and 1 in space), mass 2 kg; its inertia about z is 5/6 kg m^2. */
static inline int
block(double x, double y)
{
    int body = scene_box(&scene, x, y, 1.0, 2.0);
    scene.body[body].mass = 2.0;
    return body;
}

#define BLOCK_INERTIA (2.0 * (1.0 + 4.0) / 12.0)

static inline double
relative(void)
{
    return solver->kind == CN_SOLVER_BODIES ? 1e-5 : 1e-9; /* it works in float */
}

/* The stepper position resolves every impact without it. */
static inline bool
has_restitution(void)
{
    return strcmp(stepper->name, "position") != 0;
}

#endif
