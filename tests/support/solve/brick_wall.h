/*
 * brick_wall.h: running-bond walls and towers as contact problems, for tests and benchmarks.
 *
 * Bricks are 1 m x 1/4 m of 1 kg on a floor at y = 0, in rows of alternating offset.  Contacts are
 * at both endpoints of every overlap interval, so about half of them are redundant.  The problem is
 * planar and at rest under gravity; loads can press on single bricks.
 */
#ifndef TESTS_SUPPORT_SOLVE_BRICK_WALL_H
#define TESTS_SUPPORT_SOLVE_BRICK_WALL_H

#include "engine/base/rng.h"
#include "engine/problem/contact_problem.h"

#include <stdlib.h>
#include <string.h>

#define BRICK_HEIGHT 0.25
#define BRICK_GRAVITY 9.81

struct brick_wall {
    int row_max, body_max;
    struct cn_row *rows;
    struct cn_mass_inverse *mass;
    double *centre_x, *centre_y;
    double *b;
    unsigned char *tag;
    struct cn_contact_problem problem;
};

static inline void
brick_wall_init(struct brick_wall *wall, int row_max, int body_max)
{
    size_t rows = (size_t)row_max, bodies = (size_t)body_max;
    *wall = (struct brick_wall){.row_max = row_max, .body_max = body_max};
    wall->rows = malloc(rows * sizeof(wall->rows[0]));
    wall->mass = malloc(bodies * sizeof(wall->mass[0]));
    wall->centre_x = malloc(bodies * sizeof(double));
    wall->centre_y = malloc(bodies * sizeof(double));
    wall->b = malloc(rows * sizeof(double));
    wall->tag = malloc(rows);
    wall->problem = (struct cn_contact_problem){.rows = wall->rows, .mass = wall->mass,
        .b = wall->b, .tag = wall->tag};
}

static inline void
brick_wall_finish(struct brick_wall *wall)
{
    free(wall->rows);
    free(wall->mass);
    free(wall->centre_x);
    free(wall->centre_y);
    free(wall->b);
    free(wall->tag);
}

static inline void
brick_add(struct brick_wall *wall, double x, double y)
{
    int body = wall->problem.body_count++;
    if (body >= wall->body_max) {
        abort();
    }
    wall->centre_x[body] = x;
    wall->centre_y[body] = y;
    wall->mass[body] = (struct cn_mass_inverse){.linear = 1.0};
    wall->mass[body].angular.cz.z = 12.0 / (1.0 + BRICK_HEIGHT * BRICK_HEIGHT);
}

/* The lower body may be -1, the floor. The normal points up, from lower to upper. */
static inline void
brick_touch(struct brick_wall *wall, int lower, int upper, double x, double y)
{
    int i = wall->problem.row_count++;
    if (i >= wall->row_max) {
        abort();
    }
    struct cn_row *row = &wall->rows[i];
    *row = (struct cn_row){.body_a = lower, .body_b = upper};
    row->linear_a.y = -1.0;
    row->linear_b.y = 1.0;
    row->angular_a.z = lower < 0 ? 0.0 : -(x - wall->centre_x[lower]);
    row->angular_b.z = x - wall->centre_x[upper];
    (void)y;
    wall->tag[i] = CN_ROW_NORMAL;
}

/* Both ends of the overlap of the bricks, if they overlap. */
static inline void
brick_lay(struct brick_wall *wall, int lower, int upper)
{
    double left = fmax(wall->centre_x[lower], wall->centre_x[upper]) - 0.5;
    double right = fmin(wall->centre_x[lower], wall->centre_x[upper]) + 0.5;
    if (right - left > 1e-9) {
        double y = wall->centre_y[lower] + 0.5 * BRICK_HEIGHT;
        brick_touch(wall, lower, upper, left, y);
        brick_touch(wall, lower, upper, right, y);
    }
}

/* b = J x of the free accelerations x: gravity and the loads [N] on the bricks, at offset u [m]. */
static inline void
brick_wall_load(struct brick_wall *wall, const double *load, const double *offset)
{
    for (int i = 0; i < wall->problem.row_count; i++) {
        const struct cn_row *row = &wall->rows[i];
        int body[2] = {row->body_a, row->body_b};
        double sign[2] = {-1.0, 1.0}, turn[2] = {row->angular_a.z, row->angular_b.z};
        wall->b[i] = 0.0;
        for (int side = 0; side < 2; side++) {
            if (body[side] >= 0) {
                const struct cn_mass_inverse *mass = &wall->mass[body[side]];
                double down = load == NULL ? 0.0 : load[body[side]];
                double u = offset == NULL ? 0.0 : offset[body[side]];
                wall->b[i] -= sign[side] * (BRICK_GRAVITY + mass->linear * down);
                wall->b[i] -= turn[side] * mass->angular.cz.z * u * down;
            }
        }
    }
}

/*
 * A wall of `width` bricks in even rows and one fewer in odd rows (or as many, shifted, when
 * width is 1), `height` rows, odd rows shifted by `bond`.
 */
static inline void
brick_wall_build(struct brick_wall *wall, int width, int height, double bond)
{
    wall->problem.row_count = 0;
    wall->problem.body_count = 0;
    int below_start = 0, below_end = 0;
    for (int row = 0; row < height; row++) {
        int start = wall->problem.body_count;
        int count = row % 2 == 1 && width > 1 ? width - 1 : width;
        for (int k = 0; k < count; k++) {
            double x = k + (row % 2 == 1 ? bond : 0.0);
            brick_add(wall, x, (row + 0.5) * BRICK_HEIGHT);
            int upper = start + k;
            if (row == 0) {
                brick_touch(wall, -1, upper, x - 0.5, 0.0);
                brick_touch(wall, -1, upper, x + 0.5, 0.0);
            }
            for (int lower = below_start; lower < below_end; lower++) {
                brick_lay(wall, lower, upper);
            }
        }
        below_start = start;
        below_end = wall->problem.body_count;
    }
    brick_wall_load(wall, NULL, NULL);
}

#endif
