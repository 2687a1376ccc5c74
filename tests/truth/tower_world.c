#include "tests/support/scene.h"
#include "tests/truth/tower.h"

#include <math.h>

static struct scene scene;

/* The table is a box whose edge is at x = 0; a tower on it reaches at most this far inwards [m]. */
#define TABLE_WIDTH 64.0

struct cn_world *
tower_world(const struct tower *tower, double gap)
{
    scene_init(&scene, tower->gravity);
    for (int i = 0; i < tower->count; i++) {
        /* Only faces that touch are moved: all others stay where the case puts them. */
        double left = tower->x[i] - 0.5 * tower->width, right = left + tower->width;
        for (int k = 0; k < tower->count; k++) {
            if (tower_right_neighbour(tower, k) == i) {
                left += 0.5 * gap;
            }
        }
        if (tower_right_neighbour(tower, i) >= 0) {
            right -= 0.5 * gap;
        }
        int brick = scene_box(&scene, tower->x[i], tower->y[i], tower->width, tower->height);
        scene.body[brick].mass = tower->mass;
        scene.body[brick].inertia = tower->inertia;
        if (gap > 0.0) {
            scene.body[brick].position.x = 0.5 * (left + right);
            scene.shape[brick].box.size.x = right - left;
        }
    }
    if (tower->is_table) {
        int table = scene_box(&scene, -0.5 * TABLE_WIDTH, -0.5, TABLE_WIDTH, 1.0);
        scene.body[table].type = CN_STATIC;
    } else {
        scene_floor(&scene);
    }
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
