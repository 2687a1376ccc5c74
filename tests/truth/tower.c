#include "tests/truth/tower.h"

#include "tests/truth/check.h"
#include "tests/truth/problem.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static void
tower_add(struct tower *tower, double x)
{
    assert_true(tower->count < TOWER_BRICKS_MAX);
    tower->x[tower->count] = x;
    tower->y[tower->count] = (tower->row_count + 0.5) * tower->height;
    tower->count++;
}

static void
tower_end_row(struct tower *tower)
{
    assert_true(tower->row_count < TOWER_ROWS_MAX);
    tower->row_count++;
    tower->row_begin[tower->row_count] = tower->count;
}

void
tower_read(struct tower *tower, const json_t *data)
{
    memset(tower, 0, sizeof(*tower));
    const json_t *brick = truth_member(data, "brick");
    tower->width = truth_member_number(brick, "w");
    tower->height = truth_member_number(brick, "h");
    tower->mass = truth_member_number(brick, "m");
    tower->gravity = truth_member_number(data, "g");
    bool is_corners = strstr(truth_string(brick, "inertia"), "corner masses") != NULL;
    double square = tower->width * tower->width + tower->height * tower->height;
    tower->inertia = tower->mass * square / (is_corners ? 4.0 : 12.0);
    tower->is_table = strstr(truth_string(data, "ground"), "table") != NULL;

    size_t index;
    json_t *row;
    json_array_foreach(truth_member(data, "rows_center_x"), index, row)
    {
        double x[TOWER_BRICKS_MAX];
        int count = truth_numbers(row, x, TOWER_BRICKS_MAX);
        for (int i = 0; i < count; i++) {
            tower_add(tower, x[i]);
        }
        tower_end_row(tower);
    }
    assert_int_equal(tower->count, (int)truth_member_number(data, "n"));
}

/* No bricks yet, of unit mass under unit gravity, on the ground. */
static void
tower_init(struct tower *tower, double width, double height)
{
    memset(tower, 0, sizeof(*tower));
    tower->width = width;
    tower->height = height;
    tower->mass = 1.0;
    tower->gravity = 1.0;
    tower->inertia = (width * width + height * height) / 12.0;
}

void
tower_column(struct tower *tower, int count, double offset, double width, double height)
{
    tower_init(tower, width, height);
    for (int i = 0; i < count; i++) {
        tower_add(tower, i * offset);
        tower_end_row(tower);
    }
}

void
tower_triangle(struct tower *tower, int row_count, double width, double height)
{
    tower_init(tower, width, height);
    for (int row = 0; row < row_count; row++) {
        for (int i = 0; i <= row; i++) {
            tower_add(tower, (i - 0.5 * row) * width);
        }
        tower_end_row(tower);
    }
}

void
tower_diamond(struct tower *tower, int size, double width, double height)
{
    tower_init(tower, width, height);
    for (int row = 0; row < 2 * size - 1; row++) {
        int count = row < size ? row + 1 : 2 * size - 1 - row;
        for (int i = 0; i < count; i++) {
            tower_add(tower, (i - 0.5 * (count - 1)) * width);
        }
        tower_end_row(tower);
    }
}

void
tower_motion_read(struct tower_motion *motion, const json_t *rows)
{
    size_t i, k;
    json_t *row, *triple;
    motion->count = 0;
    json_array_foreach(rows, i, row)
    {
        if (!json_is_array(json_array_get(row, 0))) {
            assert_int_equal(truth_numbers(row, motion->a[motion->count++], 3), 3);
            continue;
        }
        json_array_foreach(row, k, triple)
        {
            assert_true(motion->count < TOWER_BRICKS_MAX);
            assert_int_equal(truth_numbers(triple, motion->a[motion->count++], 3), 3);
        }
    }
}

int
tower_row(const struct tower *tower, int i)
{
    int row = 0;
    while (tower->row_begin[row + 1] <= i) {
        row++;
    }
    return row;
}

int
tower_right_neighbour(const struct tower *tower, int i)
{
    int row = tower_row(tower, i);
    for (int k = tower->row_begin[row]; k < tower->row_begin[row + 1]; k++) {
        if (fabs(tower->x[k] - tower->x[i] - tower->width) <= TOWER_COINCIDE) {
            return k;
        }
    }
    return -1;
}

bool
tower_overlap(const struct tower *tower, int i, int below, double *left, double *right)
{
    double half = 0.5 * tower->width;
    *left = tower->x[i] - half;
    *right = tower->x[i] + half;
    if (below >= 0) {
        *left = fmax(*left, tower->x[below] - half);
        *right = fmin(*right, tower->x[below] + half);
    } else if (tower->is_table) {
        *right = fmin(*right, 0.0);
    }
    return *right - *left >= -TOWER_COINCIDE;
}

static struct truth_problem problem;

static void
add_pair(int a, int b, double x0, double y0, double x1, double y1, cn_vec3 normal)
{
    truth_problem_contact(&problem, a, b, cn_vec3_make(x0, y0, 0.0), normal, CN_ROW_NORMAL);
    truth_problem_contact(&problem, a, b, cn_vec3_make(x1, y1, 0.0), normal, CN_ROW_NORMAL);
}

static void
add_supports(const struct tower *tower, int i)
{
    int row = tower_row(tower, i);
    double bottom = row * tower->height, left, right;
    int begin = row == 0 ? -1 : tower->row_begin[row - 1];
    int end = row == 0 ? 0 : tower->row_begin[row];
    for (int below = begin; below < end; below++) {
        if (tower_overlap(tower, i, below, &left, &right)) {
            cn_vec3 up = {0.0, 1.0, 0.0};
            if (right - left > TOWER_COINCIDE) {
                add_pair(below, i, left, bottom, right, bottom, up);
            } else { /* corner on corner */
                truth_problem_contact(
                    &problem, below, i, cn_vec3_make(left, bottom, 0.0), up, CN_ROW_NORMAL);
            }
        }
    }
}

static void
build_problem(const struct tower *tower, bool with_side_contacts)
{
    truth_problem_init(&problem);
    for (int i = 0; i < tower->count; i++) {
        cn_vec3 center = cn_vec3_make(tower->x[i], tower->y[i], 0.0);
        int brick = truth_problem_body(&problem, tower->mass, tower->inertia, center);
        truth_problem_load(
            &problem, brick, cn_vec3_make(0.0, -tower->mass * tower->gravity, 0.0), center);
    }
    for (int i = 0; i < tower->count; i++) {
        add_supports(tower, i);
        int right = tower_right_neighbour(tower, i);
        if (with_side_contacts && right >= 0) {
            double x = tower->x[i] + 0.5 * tower->width, half = 0.5 * tower->height;
            add_pair(i, right, x, tower->y[i] - half, x, tower->y[i] + half,
                cn_vec3_make(1.0, 0.0, 0.0));
        }
    }
}

struct cn_solve_report
tower_try_solver(const struct tower *tower, const struct cn_solver *solver)
{
    build_problem(tower, false);
    return truth_problem_try(&problem, solver, false);
}

void
tower_solve_problem(const struct tower *tower, bool with_side_contacts, struct tower_motion *motion)
{
    build_problem(tower, with_side_contacts);
    truth_problem_solve_all(&problem, false);
    motion->count = tower->count;
    for (int i = 0; i < tower->count; i++) {
        cn_vec3 linear, angular;
        truth_problem_motion(&problem, i, &linear, &angular);
        motion->a[i][0] = linear.x;
        motion->a[i][1] = linear.y;
        motion->a[i][2] = angular.z;
    }
}
