/*
 * bench_island.c: what a tick costs in one island of many contacts with friction, settled and while
 * a ball goes through it, in the plane and in space.
 *
 *     bench_island [STEPPER SOLVER [CONTACTS [SECONDS]]]
 *
 * Without a method each wall has the one that `cairn validate` names (engine/world/advice.h).
 * Walls of 250 to 2,000 contacts (tests/support/world/island.h), friction 0.5, ticks of 1/60 s, two
 * simulated seconds from the start, the first tick included, one thread, CPU time.
 */
#define _POSIX_C_SOURCE 200809L
#include "tests/support/world/island.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TICKS 120
#define SIZE_COUNT 4

static struct scene scene;

static double
now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return 1e3 * (double)time.tv_sec + 1e-6 * (double)time.tv_nsec;
}

struct line {
    int contacts;
    double mean_ms, worst_ms, residual;
    int worst_tick, ticks, unsolved;
    double creep; /* m */
};

static double
creep_of(const struct cn_world *world, const struct island *island)
{
    double most = 0.0;
    for (int i = 0; i < island->brick_count; i++) {
        struct cn_body_view view = scene_view(world, island->first_brick + i);
        cn_vec3 way = cn_vec3_sub(view.position, scene.body[island->first_brick + i].position);
        double length = cn_vec3_length(way);
        most = length > most ? length : most;
    }
    return most;
}

static struct line
measure(bool is_spatial, int contacts, bool ball, const char *stepper, const char *solver,
    double seconds)
{
    struct island island = island_build(&scene, is_spatial, contacts, 0.5);
    if (ball) {
        island_shoot(&scene, &island, 10.0);
    }
    struct cn_settings *settings = &scene.def.settings;
    struct cn_advice advice =
        cn_advice_find(settings, island.contact_count, true, cn_advice_moves(&scene.def));
    snprintf(settings->stepper, CN_NAME_SIZE, "%s", stepper != NULL ? stepper : advice.stepper);
    snprintf(settings->solver, CN_NAME_SIZE, "%s", solver != NULL ? solver : advice.solver);
    struct cn_world *world = scene_create(&scene);
    struct line line = {.contacts = island.contact_count};
    double sum = 0.0;
    for (int i = 0; i < TICKS && sum < 1e3 * seconds; i++) {
        double start = now_ms();
        scene_tick(world);
        double spent = now_ms() - start;
        sum += spent;
        if (spent > line.worst_ms) {
            line.worst_ms = spent;
            line.worst_tick = i;
        }
        line.ticks++;
        struct cn_solve_summary note = cn_world_solve_summary(world);
        line.residual = fmax(line.residual, note.residual);
        line.unsolved += note.outcome != CN_SOLVE_CONVERGED;
    }
    line.mean_ms = sum / line.ticks;
    line.creep = creep_of(world, &island);
    cn_world_destroy(world);
    return line;
}

int
main(int argc, char **argv)
{
    static const int sizes[SIZE_COUNT] = {250, 500, 1000, 2000};
    const char *stepper = argc > 2 ? argv[1] : NULL, *solver = argc > 2 ? argv[2] : NULL;
    int only = argc > 3 ? atoi(argv[3]) : 0;
    double seconds = argc > 4 ? atof(argv[4]) : 20.0;
    for (int s = 0; s < 4; s++) {
        bool is_spatial = s / 2 == 1, ball = s % 2 == 1;
        double first = 0.0, first_count = 0.0;
        for (int k = 0; k < SIZE_COUNT; k++) {
            if (only != 0 && k > 0) {
                continue;
            }
            struct line line =
                measure(is_spatial, only != 0 ? only : sizes[k], ball, stepper, solver, seconds);
            printf("%-6s %-8s %-5s %-8s %5d contacts  mean %8.3f  worst %8.3f ms (tick %d of %d)"
                   "  ratio %5.1f  residual %8.1e  unsolved %d  moved %.1e",
                is_spatial ? "space" : "plane", ball ? "ball" : "settled",
                scene.def.settings.stepper, scene.def.settings.solver, line.contacts,
                line.mean_ms, line.worst_ms, line.worst_tick, line.ticks,
                line.worst_ms / line.mean_ms, line.residual, line.unsolved, line.creep);
            if (first > 0.0) {
                printf("  n^%.2f", log(line.mean_ms / first) / log(line.contacts / first_count));
            }
            printf("\n");
            fflush(stdout);
            first = first > 0.0 ? first : line.mean_ms;
            first_count = first_count > 0.0 ? first_count : line.contacts;
        }
    }
    return 0;
}
