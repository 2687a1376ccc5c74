/*
 * tower.h: brick towers of the truth set: bricks in rows, without friction, at rest, g = 1 down.
 *
 * Rows are listed from bottom to top.  Contacts are at both end points of every overlap of a brick
 * with a brick or the ground below it.  If a corner is on a corner, there is one contact.  Bricks
 * of one row whose faces coincide have side contacts, at the lower and the upper corner, with a
 * horizontal normal.
 */
#ifndef TESTS_TRUTH_TOWER_H
#define TESTS_TRUTH_TOWER_H

#include "engine/cairn.h"
#include "engine/solve/solver.h"
#include "tests/truth/json.h"

#define TOWER_BRICKS_MAX 112
#define TOWER_ROWS_MAX 32

/* Coordinates are rationals rounded to doubles; nearer ones count as equal [m]. */
#define TOWER_COINCIDE 1e-12

struct tower {
    double width, height, mass, inertia, gravity;
    bool is_table; /* the ground is solid at x <= 0 only */
    int row_count;
    int row_begin[TOWER_ROWS_MAX + 1]; /* first brick of each row */
    double x[TOWER_BRICKS_MAX];        /* of the centres, row by row */
    double y[TOWER_BRICKS_MAX];
    int count;
};

/* Accelerations of the bricks: level, upward, and of the angle. */
struct tower_motion {
    double a[TOWER_BRICKS_MAX][3];
    int count;
};

/* From an entry of "towers". */
void tower_read(struct tower *tower, const json_t *data);

/* A single column, each brick `offset` beyond the one below. */
void tower_column(struct tower *tower, int count, double offset, double width, double height);

/* An inverted triangle: rows of 1, 2, .. row_count bricks that touch, centred. */
void tower_triangle(struct tower *tower, int row_count, double width, double height);

/* A diamond: rows of 1, 2, .. size, .. 2, 1 bricks that touch, centred. */
void tower_diamond(struct tower *tower, int size, double width, double height);

/* Expected accelerations: an array of triples, or an array of rows of triples. */
void tower_motion_read(struct tower_motion *motion, const json_t *rows);

/* The other brick of the row that touches brick `i` on its right; -1: none. */
int tower_right_neighbour(const struct tower *tower, int i);

/*
 * The interval, maybe a point, in which brick `i` rests on brick `below` (-1: the ground); false if
 * none.
 */
bool tower_overlap(const struct tower *tower, int i, int below, double *left, double *right);

/* The row that brick `i` is in. */
int tower_row(const struct tower *tower, int i);

/* Solves the same problem, without side contacts, by the given solver. */
struct cn_solve_report tower_try_solver(const struct tower *tower, const struct cn_solver *solver);

/* The motion of the overbalanced column of a case; *stack receives the column. */
void truth_run_overbalanced_motion(struct tower *stack, const json_t *data);

/* Exact, from the geometry alone. */
void tower_solve_problem(
    const struct tower *tower, bool with_side_contacts, struct tower_motion *motion);

/* The definition of tower_world, valid until the next call of either. */
const struct cn_world_def *tower_define(const struct tower *tower, double gap);

/*
 * A world of boxes: brick i is body i, the ground comes last.  Bricks of a row that touch get a gap
 * of `gap` between them; 0 leaves them touching.  The caller destroys it.
 */
struct cn_world *tower_world(const struct tower *tower, double gap);

/* The same with another stepper and rate of ticks [Hz]. */
struct cn_world *tower_world_stepped(
    const struct tower *tower, double gap, const char *stepper, double tick_rate);

/* Whether four bricks meet at a point; such corners touch even with gaps between the bricks. */
bool tower_has_crossing(const struct tower *tower);

/* The accelerations of this world before its first tick. */
void tower_solve_world(const struct tower *tower, double gap, struct tower_motion *motion);

/* The gap tolerance of that world [m]. */
double tower_gap_tolerance(const struct tower *tower);

#endif
