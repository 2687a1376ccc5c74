/*
 * bench_slices.c: how long the longest slice of a tick is, and how much memory the world takes, for
 * every stepper with every solver on a heap of boxes.
 *
 *     bench_slices [BOXES [SECONDS]]    100 boxes, each pair for at most 2 s
 *
 * A slice is 2,000,000 units of work, as the daemon's are; what is above its 2 ms is what one unit
 * costs, and what is done between two counts of work.
 */
#define _POSIX_C_SOURCE 200809L
#include "engine/solve/table/solver_table.h"
#include "tests/support/world/heap.h"

#include <stdlib.h>
#include <time.h>

#define WORK INT64_C(2000000)

static struct scene scene;

/* The processor time of this thread: other threads' time is no part of a slice. */
static double
now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return 1e3 * (double)time.tv_sec + 1e-6 * (double)time.tv_nsec;
}

static void
measure(const struct cn_stepper *stepper, const struct cn_solver *solver, bool is_spatial,
    int count, double duration_ms)
{
    heap_build(&scene, stepper, solver, is_spatial, count);
    struct cn_world *world = scene_create(&scene);
    double start = now_ms(), longest = 0.0, last = start;
    int slice_count = 0;
    while (last - start < duration_ms && cn_world_tick(world) < 5) {
        (void)cn_world_step(world, WORK);
        double now = now_ms();
        longest = now - last > longest ? now - last : longest;
        last = now;
        slice_count++;
    }
    printf("%-12s %-13s %-6s %8d slices  longest %7.2f ms  %7.1f MiB\n", stepper->name,
        solver->name, is_spatial ? "space" : "plane", slice_count, longest,
        (double)cn_world_count(world).size / 1048576.0);
    fflush(stdout);
    cn_world_destroy(world);
}

int
main(int argc, char **argv)
{
    int count = argc > 1 ? atoi(argv[1]) : 100;
    double duration_ms = 1e3 * (argc > 2 ? atof(argv[2]) : 2.0);
    for (int i = 0; i < cn_stepper_count; i++) {
        for (int k = 0; k < cn_solver_count; k++) {
            for (int s = 0; s < 2; s++) {
                if (cn_stepper_fits(cn_steppers[i], cn_solvers[k])) {
                    measure(cn_steppers[i], cn_solvers[k], s == 1, count, duration_ms);
                }
            }
        }
    }
    return 0;
}
