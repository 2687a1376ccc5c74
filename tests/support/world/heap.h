/*
 * heap.h: heaps of boxes for tests of work and memory.  The boxes lie at random, so that they
 * collapse for a while.  They have friction if the solver supports it, and a few joints, one of
 * them with a motor.
 */
#ifndef TESTS_SUPPORT_WORLD_HEAP_H
#define TESTS_SUPPORT_WORLD_HEAP_H

#include "engine/base/rng.h"
#include "tests/support/world/scene.h"

#include <stdio.h>

/* `count` boxes on a floor, in the plane or in space. */
static inline void
heap_build(struct scene *scene, const struct cn_stepper *stepper, const struct cn_solver *solver,
    bool is_spatial, int count)
{
    struct cn_rng rng = {.state = UINT64_C(0x9E3779B97F4A7C15)};
    (is_spatial ? scene_init_space : scene_init)(scene, 9.81);
    snprintf(scene->def.settings.stepper, CN_NAME_SIZE, "%s", stepper->name);
    snprintf(scene->def.settings.solver, CN_NAME_SIZE, "%s", solver->name);
    if (solver->friction) {
        scene_friction(scene, 0, 0.5);
    }
    scene_floor(scene);
    int wide = 1, last = -1;
    while (is_spatial ? wide * wide * wide < count : wide * wide < count) {
        wide++;
    }
    for (int i = 0; i < count; i++) {
        int column = i % wide, row = i / wide, depth = is_spatial ? row % wide : 0;
        row = is_spatial ? row / wide : row;
        double jitter = cn_rng_uniform(&rng, -0.02, 0.02);
        int body = scene_box(scene, 1.01 * column + jitter, 0.5 + 1.001 * row, 1.0, 1.0);
        scene->body[body].position.z = 1.01 * depth + cn_rng_uniform(&rng, -0.02, 0.02);
        scene->body[body].position.z = is_spatial ? scene->body[body].position.z : 0.0;
        last = body;
    }
    if (solver->kind == CN_SOLVER_PROBLEM) {
        cn_vec3 at = scene->body[last].position;
        struct cn_joint_def *hinge = scene_joint(scene, CN_JOINT_HINGE, -1, last, at);
        hinge->has_motor = true;
        hinge->motor_speed = 1.0;
        hinge->motor_force_max = 5.0;
    }
}

#endif
