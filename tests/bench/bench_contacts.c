/*
 * bench_contacts.c: CPU time per simulated second against the contacts of one island.
 *
 * usage: bench_contacts [SIMULATED-SECONDS]
 *
 * The scenes are six blocks at rest in a box, and brick walls in running bond with 40 to 240
 * contacts at rest.  Redundant contacts of the walls make the matrix singular.  Then the same walls
 * have a brick half way up with a load that differs in every tick.  The contacts are those that the
 * world reports.  The growth is the exponent n of the best fit t = c k^n over the walls, where k is
 * the number of contacts.  Time is the process's CPU time; this program never fails.
 */
#include "tests/support/world/lab.h"

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

/*
 * Presses on one end of a brick with up to its weight.  The end changes four times a second, and
 * the force changes every tick.  So the set of contacts that bear force changes, and the forces of
 * the last tick do not solve this tick.
 */
static void
press(struct cn_world *world, int brick)
{
    bool is_left = (int)(4.0 * cn_world_time(world)) % 2 == 0;
    double weight = 9.81 * scene_view(world, brick).mass;
    double part = 0.2 + 0.1 * (double)(cn_world_tick(world) % 9); /* differs from tick to tick */
    struct cn_command command = {.kind = CN_COMMAND_HOLD_FORCE};
    command.hold_force.holder.source = 1;
    command.hold_force.body = brick;
    command.hold_force.point = cn_vec3_make(is_left ? -0.45 : 0.45, 0.25, 0.0);
    command.hold_force.force = cn_vec3_make(0.0, -part * weight, 0.0);
    scene_command(world, &command);
}

/* Runs for settle_s, then the best of three times run_s counts. pressed: a brick, or -1. */
static struct result
measure(const char *name, double settle_s, double run_s, int pressed)
{
    struct cn_world *world = scene_create(&scene);
    while (cn_world_time(world) < settle_s) {
        scene_tick(world);
    }
    const struct cn_contact_view *contacts;
    struct result result = {.contact_count = cn_world_contacts(world, &contacts)};
    result.cpu_ms = HUGE_VAL;
    for (int i = 0; i < 3; i++) {
        double begin_s = cn_world_time(world), begin_cpu_s = cpu_s();
        while (cn_world_time(world) < begin_s + run_s) {
            if (pressed >= 0) {
                press(world, pressed);
            }
            scene_tick(world);
        }
        double cpu_ms = 1e3 * (cpu_s() - begin_cpu_s) / (cn_world_time(world) - begin_s);
        result.cpu_ms = fmin(result.cpu_ms, cpu_ms);
    }
    int still = cn_world_contacts(world, &contacts);
    struct cn_solve_summary solve = cn_world_solve_summary(world);
    printf("%-16s %8d %8d %12.3f %12.1e\n", name, result.contact_count, still, result.cpu_ms,
        solve.residual);
    cn_world_destroy(world);
    return result;
}

/* The exponent n of the best fit t = c k^n. */
static double
growth(const struct result *result, int count)
{
    double x = 0.0, y = 0.0, xx = 0.0, xy = 0.0;
    for (int i = 0; i < count; i++) {
        double log_k = log(result[i].contact_count), log_t = log(result[i].cpu_ms);
        x += log_k / count;
        y += log_t / count;
        xx += log_k * log_k / count;
        xy += log_k * log_t / count;
    }
    return (xy - x * y) / (xx - x * x);
}

int
main(int argc, char **argv)
{
    enum { WALL_COUNT = 5 };
    static const int walls[WALL_COUNT] = {40, 80, 120, 160, 240};
    struct result rest[WALL_COUNT], pressed[WALL_COUNT];
    double run_s = argc > 1 ? atof(argv[1]) : 2.0;
    printf("%-16s %8s %8s %12s %12s\n", "scene", "contacts", "at end", "CPU ms/s", "residual");
    lab_init(&scene, LAB_BLOCKS_MAX, 9.81, 0.4);
    measure("six blocks", 30.0, 5.0 * run_s, -1);
    for (int i = 0; i < WALL_COUNT; i++) {
        char name[32];
        wall_init(walls[i]);
        snprintf(name, sizeof(name), "wall %d", walls[i]);
        rest[i] = measure(name, 0.5, run_s, -1);
        snprintf(name, sizeof(name), "pressed wall %d", walls[i]);
        pressed[i] = measure(name, 0.5, run_s, scene.def.body_count / 2);
    }
    printf("growth: contacts^%.2f at rest, contacts^%.2f pressed\n", growth(rest, WALL_COUNT),
        growth(pressed, WALL_COUNT));
    return 0;
}
