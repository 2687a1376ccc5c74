#include "tests/support/world/scene.h"
#include "tests/truth/tower.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static struct scene scene;

/* The table is a box whose edge is at x = 0; a tower on it reaches at most this far inwards [m]. */
#define TABLE_WIDTH 64.0

/*
 * Whether a face of brick `i` at x stands corner on corner with a brick of the row below or above:
 * such a face must stay where it is, or the contact is gone.
 */
static bool
is_pinned(const struct tower *tower, int i, bool is_right)
{
    double half = is_right ? 0.5 * tower->width : -0.5 * tower->width;
    int row = tower_row(tower, i);
    for (int k = 0; k < tower->count; k++) {
        bool is_near = abs(tower_row(tower, k) - row) == 1;
        if (is_near && fabs(tower->x[k] - half - (tower->x[i] + half)) <= TOWER_COINCIDE) {
            return true;
        }
    }
    return row == 0 && tower->is_table && fabs(tower->x[i] + half) <= TOWER_COINCIDE;
}

bool
tower_has_crossing(const struct tower *tower)
{
    for (int i = 0; i < tower->count; i++) {
        int right = tower_right_neighbour(tower, i);
        if (right >= 0 && is_pinned(tower, i, true) && is_pinned(tower, right, false)) {
            return true;
        }
    }
    return false;
}

/* Opens the gap between brick i and its right neighbour k: half by each where both may be moved. */
static void
open_gap(const struct tower *tower, int i, int k, double gap)
{
    bool left_pinned = is_pinned(tower, i, true), right_pinned = is_pinned(tower, k, false);
    double left_part = left_pinned == right_pinned ? 0.5 : left_pinned ? 0.0 : 1.0;
    double left_gap = left_part * gap, right_gap = gap - left_gap;
    scene.body[i].position.x -= 0.5 * left_gap;
    scene.shape[i].box.size.x -= left_gap;
    scene.body[k].position.x += 0.5 * right_gap;
    scene.shape[k].box.size.x -= right_gap;
}

const struct cn_world_def *
tower_define(const struct tower *tower, double gap)
{
    scene_init(&scene, tower->gravity);
    for (int i = 0; i < tower->count; i++) {
        int brick = scene_box(&scene, tower->x[i], tower->y[i], tower->width, tower->height);
        scene.body[brick].mass = tower->mass;
        scene.body[brick].inertia = tower->inertia;
    }
    for (int i = 0; i < tower->count && gap > 0.0; i++) {
        int right = tower_right_neighbour(tower, i);
        if (right >= 0) {
            open_gap(tower, i, right, gap);
        }
    }
    if (tower->is_table) {
        int table = scene_box(&scene, -0.5 * TABLE_WIDTH, -0.5, TABLE_WIDTH, 1.0);
        scene.body[table].type = CN_STATIC;
    } else {
        scene_floor(&scene);
    }
    return &scene.def;
}

struct cn_world *
tower_world(const struct tower *tower, double gap)
{
    tower_define(tower, gap);
    return scene_create(&scene);
}

struct cn_world *
tower_world_stepped(const struct tower *tower, double gap, const char *stepper, double tick_rate)
{
    tower_define(tower, gap);
    scene.def.tick_rate = tick_rate;
    snprintf(scene.def.settings.stepper, CN_NAME_SIZE, "%s", stepper);
    return scene_create(&scene);
}

void
tower_solve_world(const struct tower *tower, double gap, struct tower_motion *motion)
{
    struct cn_world *world = tower_world(tower, gap);
    motion->count = tower->count;
    for (int i = 0; i < tower->count; i++) {
        struct cn_body_view view = scene_view(world, i);
        motion->a[i][0] = view.acceleration.x;
        motion->a[i][1] = view.acceleration.y;
        motion->a[i][2] = view.angular_acceleration.z;
    }
    cn_world_destroy(world);
}

double
tower_gap_tolerance(const struct tower *tower)
{
    struct cn_world *world = tower_world(tower, 0.0);
    double tolerance = cn_world_gap_tolerance(world);
    cn_world_destroy(world);
    return tolerance;
}
