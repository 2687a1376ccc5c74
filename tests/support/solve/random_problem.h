/*
 * random_problem.h: contact problems that have a solution by construction, from a seed.
 *
 * Bodies have random masses (over a range of 10^4) and inertias.  Rows connect random pairs of
 * bodies, or a body and the ground, in space or in the plane.  Some rows are copies of earlier
 * ones. b = -J x for random accelerations x, so that x itself satisfies every condition.  With more
 * rows than degrees of freedom A is singular.
 */
#ifndef TESTS_SUPPORT_SOLVE_RANDOM_PROBLEM_H
#define TESTS_SUPPORT_SOLVE_RANDOM_PROBLEM_H

#include "engine/base/rng.h"
#include "engine/problem/contact_problem.h"

#include <stdbool.h>

#define RANDOM_ROWS_MAX 64
#define RANDOM_BODIES_MAX 16

struct random_problem {
    struct cn_row rows[RANDOM_ROWS_MAX];
    struct cn_mass_inverse mass[RANDOM_BODIES_MAX];
    double b[RANDOM_ROWS_MAX];
    unsigned char tag[RANDOM_ROWS_MAX];
    struct cn_contact_problem problem;
};

static inline cn_vec3
random_vec3(struct cn_rng *rng, double size, bool planar)
{
    cn_vec3 v; /* one statement each: the order of an initialiser's parts is the compiler's */
    v.x = cn_rng_uniform(rng, -size, size);
    v.y = cn_rng_uniform(rng, -size, size);
    v.z = planar ? 0.0 : cn_rng_uniform(rng, -size, size);
    return v;
}

static inline int
random_below(struct cn_rng *rng, int bound)
{
    return (int)(cn_rng_next(rng) % (uint32_t)bound);
}

/* One of `near_few` bodies around the first, or the ground; chains make islands of some width. */
static inline void
random_row(struct random_problem *random, struct cn_rng *rng, int i, bool planar)
{
    int bodies = random->problem.body_count;
    struct cn_row *row = &random->rows[i];
    if (i > 0 && random_below(rng, 4) == 0) {
        *row = random->rows[random_below(rng, i)]; /* a redundant one */
        return;
    }
    int body_a = random_below(rng, bodies + 1) - 1;
    int body_b = random_below(rng, bodies);
    body_a = body_a == body_b ? -1 : body_a;
    cn_vec3 normal = random_vec3(rng, 1.0, planar);
    normal.y += 1.5;
    normal = cn_vec3_scale(normal, 1.0 / cn_vec3_length(normal));
    cn_vec3 arm_a = random_vec3(rng, 1.0, planar);
    cn_vec3 arm_b = random_vec3(rng, 1.0, planar);
    *row = (struct cn_row){.body_a = body_a, .body_b = body_b};
    row->linear_a = cn_vec3_negate(normal);
    row->angular_a = cn_vec3_negate(cn_vec3_cross(arm_a, normal));
    row->linear_b = normal;
    row->angular_b = cn_vec3_cross(arm_b, normal);
}

static inline double
random_mass(struct cn_rng *rng)
{
    static const double size[] = {0.01, 0.3, 1.0, 1.0, 3.0, 100.0};
    double mass = size[random_below(rng, 6)];
    return mass * cn_rng_uniform(rng, 0.5, 2.0);
}

static inline void
random_problem_build(struct random_problem *random, uint64_t seed, bool bilateral, bool redundant)
{
    struct cn_rng rng = {.state = seed * UINT64_C(0x9E3779B97F4A7C15) + 1};
    cn_rng_next(&rng);
    bool planar = random_below(&rng, 2) == 0;
    int bodies = 1 + random_below(&rng, RANDOM_BODIES_MAX);
    int freedom = (planar ? 3 : 6) * bodies;
    int rows_max = redundant ? RANDOM_ROWS_MAX : (freedom < 24 ? freedom : 24);
    random->problem = (struct cn_contact_problem){.row_count = 1 + random_below(&rng, rows_max),
        .body_count = bodies, .rows = random->rows, .mass = random->mass, .b = random->b,
        .tag = random->tag};
    struct cn_twist x[RANDOM_BODIES_MAX];
    for (int k = 0; k < bodies; k++) {
        double mass_inverse = random_mass(&rng);
        random->mass[k].linear = mass_inverse;
        cn_vec3 shape = random_vec3(&rng, 4.0, false);
        random->mass[k].angular = cn_mat33_diagonal(mass_inverse * (5.0 + shape.x),
            mass_inverse * (5.0 + shape.y), mass_inverse * (5.0 + shape.z));
        x[k].linear = random_vec3(&rng, 10.0, planar);
        x[k].angular = random_vec3(&rng, 5.0, false);
    }
    for (int i = 0; i < random->problem.row_count; i++) {
        random_row(random, &rng, i, planar);
        random->b[i] = -cn_row_rate(&random->rows[i], x);
        bool joint = bilateral && random_below(&rng, 5) == 0;
        random->tag[i] = joint ? CN_ROW_BILATERAL : CN_ROW_NORMAL;
    }
}

#endif
