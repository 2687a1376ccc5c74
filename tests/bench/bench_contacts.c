/*
 * bench_contacts.c: CPU time per simulated second against the contacts of one island.
 *
 * usage: bench_contacts [SIMULATED-SECONDS]
 *
 * Six blocks that have settled in a box, and brick walls in running bond of 40 to 240 contacts at
 * rest, whose redundant contacts make the matrix singular.  Contacts are counted from what the
 * world shows.  The growth is the exponent n that fits t = c k^n best over the walls, k the number
 * of contacts.  Time is the process's CPU time; nothing here passes or fails.
 */
#include "tests/support/lab.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define WALL_BASE 4 /* bricks of the lowest row */

static struct scene scene;

static double
cpu_s(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

/*
 * Rows of 4 bricks, and of half a brick, 3 bricks and half a brick, by turns.  A row of bricks on
 * the floor has 8 contacts, every row on another 16, and a last, short row 4 for each of its
 * bricks.
 */
static void
wall_init(int contact_count)
{
    const double width = 0.95, half_width = 0.45, height = 0.5;
    int rest = contact_count - 2 * WALL_BASE;
    scene_init(&scene, 9.81);
    scene_floor(&scene);
    for (int row = 0; row == 0 || rest > 0; row++) {
        double y = (row + 0.5) * height;
        int count = row % 2 == 0 ? WALL_BASE : WALL_BASE - 1;
        bool is_last = row > 0 && rest < 4 * WALL_BASE;
        for (int k = 0; k < count && !(is_last && k >= rest / 4); k++) {
            scene_box(&scene, k - 0.5 * (count - 1), y, width, height);
        }
        if (row % 2 == 1 && !is_last) {
            scene_box(&scene, -0.5 * WALL_BASE + 0.25, y, half_width, height);
            scene_box(&scene, 0.5 * WALL_BASE - 0.25, y, half_width, height);
        }
        rest -= row == 0 ? 0 : 4 * WALL_BASE;
    }
}

struct result {
    int contact_count;
    double cpu_ms; /* per simulated second */
};

static struct result
measure(const char *name, double settle_s, double run_s)
{
    struct cn_world *world = scene_create(&scene);
    while (cn_world_time(world) < settle_s) {
        scene_tick(world);
    }
    const struct cn_contact_view *contacts;
    struct result result = {.contact_count = cn_world_contacts(world, &contacts)};
    double begin_s = cn_world_time(world), begin_cpu_s = cpu_s();
    while (cn_world_time(world) < begin_s + run_s) {
        scene_tick(world);
    }
    result.cpu_ms = 1e3 * (cpu_s() - begin_cpu_s) / (cn_world_time(world) - begin_s);
    struct cn_solve_summary solve = cn_world_solve_summary(world);
    printf("%-14s %8d %8d %12.3f %12.1e\n", name, result.contact_count, solve.row_count,
        result.cpu_ms, solve.residual);
    cn_world_destroy(world);
    return result;
}

int
main(int argc, char **argv)
{
    static const int walls[] = {40, 80, 120, 160, 240};
    double run_s = argc > 1 ? atof(argv[1]) : 2.0;
    double x = 0.0, y = 0.0, xx = 0.0, xy = 0.0;
    int n = (int)(sizeof(walls) / sizeof(walls[0]));
    printf("%-14s %8s %8s %12s %12s\n", "scene", "contacts", "rows", "CPU ms/s", "residual");
    lab_init(&scene, LAB_BLOCKS_MAX, 9.81, 0.4);
    measure("six blocks", 30.0, 5.0 * run_s);
    for (int i = 0; i < n; i++) {
        char name[32];
        snprintf(name, sizeof(name), "wall %d", walls[i]);
        wall_init(walls[i]);
        struct result result = measure(name, 0.5, run_s);
        double log_k = log(result.contact_count), log_t = log(result.cpu_ms);
        x += log_k / n;
        y += log_t / n;
        xx += log_k * log_k / n;
        xy += log_k * log_t / n;
    }
    printf("growth over the walls: contacts^%.2f\n", (xy - x * y) / (xx - x * x));
    return 0;
}
