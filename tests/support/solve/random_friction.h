/*
 * random_friction.h: frictional contact problems that have a solution by construction, from a seed.
 *
 * Bodies are as in random_problem.h.  A contact has a normal row and its tangent rows, one in the
 * plane and two in space.  It connects a random pair of bodies, or a body and the ground.  Some
 * contacts are copies of earlier ones, so that A is singular.  Some rows are frictionless or
 * bilateral.  Where the kind says so, contacts also have rolling rows and, in space, a spinning
 * row; each disc of a contact has a state of its own.  A solution is drawn first and b follows from
 * it:
 *
 *     parts    f = 0,  a_N > 0,  a_T anything
 *     sticks   f_N > 0, |f_T| < mu f_N,  a = 0
 *     slides   f_N > 0, f_T = -mu f_N a_T / |a_T|,  a_N = 0
 *     slips    (d != 0)  f_T = -mu f_N d,  a_T anything; f_N and a_N as in any normal row
 *
 *     b = a - A f
 *
 * With friction the solution need not be unique, and a solver may find another.
 */
#ifndef TESTS_SUPPORT_SOLVE_RANDOM_FRICTION_H
#define TESTS_SUPPORT_SOLVE_RANDOM_FRICTION_H

#include "tests/support/solve/random_problem.h"

#include <math.h>
#include <string.h>

struct random_friction {
    struct random_problem base;
    double friction[RANDOM_ROWS_MAX], slip[RANDOM_ROWS_MAX];
    double f[RANDOM_ROWS_MAX], a[RANDOM_ROWS_MAX]; /* the solution that b was made from */
    struct cn_contact_problem problem;
};

struct random_friction_kind {
    double friction_max; /* mu is uniform from 0 to here; some are 0 */
    int body_max;        /* <= RANDOM_BODIES_MAX */
    int contact_max;     /* 3 contact_max <= RANDOM_ROWS_MAX */
    bool slip;           /* some contacts slide already */
    bool rolling;        /* contacts have moments; then 6 contact_max <= RANDOM_ROWS_MAX */
};

static inline void
random_friction_row(struct cn_row *row, cn_vec3 direction, cn_vec3 arm_a, cn_vec3 arm_b)
{
    row->linear_a = cn_vec3_negate(direction);
    row->angular_a = cn_vec3_negate(cn_vec3_cross(arm_a, direction));
    row->linear_b = direction;
    row->angular_b = cn_vec3_cross(arm_b, direction);
}

/* A row of a moment about an axis. */
static inline void
random_friction_turn(struct cn_row *row, cn_vec3 axis)
{
    row->angular_a = cn_vec3_negate(axis);
    row->angular_b = axis;
}

/* The rows of a contact between random bodies; returns their number. */
static inline int
random_friction_contact(struct random_friction *random, struct cn_rng *rng, int at, bool planar,
    bool rolling)
{
    struct cn_row *row = &random->base.rows[at];
    int body_a = random_below(rng, random->problem.body_count + 1) - 1;
    int body_b = random_below(rng, random->problem.body_count);
    cn_vec3 normal = random_vec3(rng, 1.0, planar);
    normal.y += 1.5;
    normal = cn_vec3_scale(normal, 1.0 / cn_vec3_length(normal));
    cn_vec3 arm_a = random_vec3(rng, 1.0, planar), arm_b = random_vec3(rng, 1.0, planar);
    cn_vec3 side = {normal.y, -normal.x, 0.0}; /* never zero: normals do not lie along z */
    side = cn_vec3_scale(side, 1.0 / cn_vec3_length(side));
    cn_vec3 direction[3] = {normal, side, cn_vec3_cross(normal, side)};
    int count = planar ? 2 : 3;
    for (int k = 0; k < count; k++) {
        row[k] = (struct cn_row){.body_a = body_a == body_b ? -1 : body_a, .body_b = body_b};
        random_friction_row(&row[k], direction[k], arm_a, arm_b);
    }
    int first = planar ? 2 : 1; /* the axis of the first moment */
    for (int k = 0; k < count && rolling && (k == 0 || !planar); k++) {
        row[count + k] = (struct cn_row){.body_a = row[0].body_a, .body_b = row[0].body_b};
        random_friction_turn(&row[count + k], direction[(first + k) % 3]);
    }
    return !rolling ? count : planar ? 3 : 6;
}

/* The tags of a contact's rows. */
static inline void
random_friction_tag(unsigned char *tag, int count)
{
    static const unsigned char planar[] = {CN_ROW_NORMAL, CN_ROW_TANGENT, CN_ROW_ROLLING};
    static const unsigned char spatial[] = {CN_ROW_NORMAL, CN_ROW_TANGENT, CN_ROW_TANGENT,
        CN_ROW_ROLLING, CN_ROW_ROLLING, CN_ROW_SPINNING};
    memcpy(tag, count > 3 ? spatial : planar, (size_t)count);
}

static inline void
random_unit(struct cn_rng *rng, bool planar, double *d)
{
    double x = cn_rng_uniform(rng, -1.0, 1.0), y = cn_rng_uniform(rng, -1.0, 1.0);
    x += x < 0.0 ? -0.01 : 0.01;
    double length = planar ? fabs(x) : sqrt(x * x + y * y);
    d[0] = x / length;
    d[1] = planar ? 0.0 : y / length;
}

/* Draws the solution of the contact whose normal row is `at`. */
static inline void
random_friction_solution(struct random_friction *random, struct cn_rng *rng, int at, int tangents,
    bool slip)
{
    double *f = &random->f[at], *a = &random->a[at], d[2];
    double press = cn_rng_uniform(rng, 0.1, 10.0), speed = cn_rng_uniform(rng, 0.1, 10.0);
    double rim = random->friction[at] * press;
    random_unit(rng, tangents == 1, d);
    int state = random_below(rng, 5);
    bool slips = slip && random_below(rng, 3) == 0;
    f[0] = state == 0 ? 0.0 : press;
    a[0] = state == 0 ? speed : 0.0;
    double inside = cn_rng_uniform(rng, 0.0, 0.95);
    for (int k = 0; k < tangents; k++) {
        bool slides = slips || state < 3 || random->friction[at] == 0.0;
        double part = slides ? 1.0 : inside;
        f[1 + k] = state == 0 ? 0.0 : -part * rim * d[k];
        a[1 + k] = slides ? speed * d[k] : 0.0;
        random->slip[at + 1 + k] = slips ? d[k] : 0.0;
    }
}

/* Draws the solution of a disc of `count` rows from row `at`, where the contact presses or not. */
static inline void
random_friction_disc(struct random_friction *random, struct cn_rng *rng, int at, int count,
    double press, bool slip)
{
    double rim = random->friction[at] * press, speed = cn_rng_uniform(rng, 0.1, 10.0), d[2];
    random_unit(rng, count == 1, d);
    bool slips = slip && random_below(rng, 3) == 0;
    bool slides = press == 0.0 || slips || rim == 0.0 || random_below(rng, 2) == 0;
    double part = slides ? 1.0 : cn_rng_uniform(rng, 0.0, 0.95);
    for (int k = 0; k < count; k++) {
        random->f[at + k] = -part * rim * d[k];
        random->a[at + k] = slides ? speed * d[k] : 0.0;
        random->slip[at + k] = slips ? d[k] : 0.0;
    }
}

/* Draws the coefficients and the solution of the moments of a contact with `count` rows. */
static inline void
random_friction_moments(struct random_friction *random, struct cn_rng *rng, int at, int count,
    struct random_friction_kind kind)
{
    int roll = at + (count > 3 ? 3 : 2), rolls = count > 3 ? 2 : 1;
    for (int k = 0; k < 2 && (k == 0 || count > 3); k++) {
        bool rough = random_below(rng, 6) != 0;
        random->friction[roll] = rough ? cn_rng_uniform(rng, 0.0, kind.friction_max) : 0.0;
        random_friction_disc(random, rng, roll, rolls, random->f[at], kind.slip);
        roll += rolls;
        rolls = 1;
    }
}

static inline int
random_friction_add(struct random_friction *random, struct cn_rng *rng, int at, int first,
    bool planar, struct random_friction_kind kind)
{
    unsigned char *tag = &random->base.tag[at];
    int count = random_friction_contact(random, rng, at, planar, kind.rolling);
    if (at > first && random_below(rng, 4) == 0) { /* a redundant one */
        memcpy(&random->base.rows[at], &random->base.rows[first],
            (size_t)count * sizeof(random->base.rows[0]));
    }
    if (kind.rolling) {
        random_friction_tag(tag, count);
    } else {
        memset(tag, CN_ROW_TANGENT, (size_t)count);
        tag[0] = CN_ROW_NORMAL;
    }
    bool rough = random_below(rng, 6) != 0;
    random->friction[at] = rough ? cn_rng_uniform(rng, 0.0, kind.friction_max) : 0.0;
    random_friction_solution(random, rng, at, planar ? 1 : 2, kind.slip);
    if (kind.rolling) {
        random_friction_moments(random, rng, at, count, kind);
    }
    int other = random_below(rng, 8);
    if (other == 0) { /* frictionless */
        count = 1;
    } else if (other == 1) { /* a joint */
        tag[0] = CN_ROW_BILATERAL;
        random->f[at] = cn_rng_uniform(rng, -10.0, 10.0);
        random->a[at] = 0.0;
        count = 1;
    }
    return count;
}

static inline void
random_friction_build(struct random_friction *random, uint64_t seed,
    struct random_friction_kind kind)
{
    struct cn_rng rng = {.state = seed * UINT64_C(0x9E3779B97F4A7C15) + 7};
    cn_rng_next(&rng);
    memset(random, 0, sizeof(*random));
    bool planar = random_below(&rng, 2) == 0;
    random->problem = (struct cn_contact_problem){
        .body_count = 1 + random_below(&rng, kind.body_max), .rows = random->base.rows,
        .mass = random->base.mass, .b = random->base.b, .tag = random->base.tag,
        .friction = random->friction, .slip = kind.slip ? random->slip : NULL};
    for (int k = 0; k < random->problem.body_count; k++) {
        double mass_inverse = random_mass(&rng);
        random->base.mass[k].linear = mass_inverse;
        cn_vec3 shape = random_vec3(&rng, 4.0, false);
        random->base.mass[k].angular = cn_mat33_diagonal(mass_inverse * (5.0 + shape.x),
            mass_inverse * (5.0 + shape.y), mass_inverse * (5.0 + shape.z));
    }
    int contacts = 1 + random_below(&rng, kind.contact_max), rows = 0, first = 0;
    for (int i = 0; i < contacts; i++) {
        int count = random_friction_add(random, &rng, rows, first, planar, kind);
        first = count > 1 ? rows : rows + count; /* the contact that the next one may copy */
        rows += count;
    }
    random->problem.row_count = rows;
    struct cn_twist work[RANDOM_BODIES_MAX];
    double rates[RANDOM_ROWS_MAX]; /* A f, with b still zero */
    cn_problem_rates(&random->problem, random->f, work, rates);
    for (int i = 0; i < rows; i++) {
        random->base.b[i] = random->a[i] - rates[i];
    }
}

#endif
