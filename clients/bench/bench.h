/*
 * bench.h: the results of a benchmark, and how they are printed.
 */
#ifndef CLIENTS_BENCH_BENCH_H
#define CLIENTS_BENCH_BENCH_H

#include "clients/bench/bench_scene.h"

#include "engine/base/profile.h"

#include <stdio.h>

/* How well a stack stands after its run. */
struct bench_stand {
    double penetration; /* deepest contact [m] */
    double sag;         /* how far the centres of the top row have sunk, on average [m] */
    double drift;       /* longest way of a box along the ground [m] */
    double tilt;        /* largest angle between a box's upright axis and the vertical [rad] */
    double energy;      /* kinetic, of all boxes [J] */
    double fell;        /* when a box had first moved by more than 1 m [s]; 0: none has */
    double slept;       /* since when all boxes sleep [s]; 0: some are awake */
};

/*
 * How bodies with meshes did: bench_depth.c.  Figures are of all ticks, but depths are measured in
 * every tenth tick, and in all of the last second.
 */
struct bench_depths {
    double any;      /* the deepest overlap at any time [m], */
    double end;      /* in the last second, falling bodies included, */
    double settled;  /* and of resting bodies, at any time */
    int resting;     /* bodies at rest at the end */
    int lost;        /* bodies that fell through the ground or flew away, summed over ticks */
    double speed;    /* of the fastest at the end [m/s] */
    int manifolds;   /* most in a tick */
    int64_t samples; /* points that were looked up, in all ticks */
    int calm[BENCH_WATCHED_MAX]; /* ticks for which the body has been slow */
};

/* How rings did in any tick: bench_rings.c. */
struct bench_rings {
    int linked;  /* the most linked pairs */
    int through; /* rings through a pole */
    uint32_t around[BENCH_WATCHED_MAX]; /* for each ring, the poles that it is around */
};

struct bench_result {
    const struct bench_scene *scene;
    const char *stepper, *solver, *simd; /* simd: as requested, or "best" */
    int step_count, run_count, worker_count, substep_count;
    /*
     * Times of a step; step 0, in which all is new, is left out.  The mean is of the fastest run;
     * the others are over steps, each with its fastest run.
     */
    double mean_ms, median_ms, min_ms, p99_ms;
    double create_ms;
    double cpu_ms; /* of all threads, per step of the fastest run */
    double phase_ms[CN_PHASE_COUNT]; /* per step of the fastest run; for solvers that report them */
    int body_count, shape_count, joint_count;
    struct cn_world_counts counts; /* after the last step */
    int contact_count;             /* points that touch at the end */
    size_t image_size;             /* bytes */
    uint64_t hash;     /* of the state after the last step */
    bool is_finite;
    struct bench_stand stand; /* where scene->measured */
    struct bench_depths depths; /* where bench_has_meshes */
    struct bench_rings rings;   /* where bench_has_rings */
};

/*
 * Measures how the boxes (bodies 1 and up) of a stack stand, compared with their places in `build`.
 */
struct bench_stand bench_stand_measure(
    const struct cn_world *world, const struct bench_build *build);

/* Notes after a step when a stack fell and since when it sleeps; the first step begins again. */
void bench_stand_watch(struct bench_stand *stand, const struct cn_world *world,
    const struct bench_build *build, int step);

/* Both observe a world after a step and update the sums; the first step resets them. */
void bench_depths_watch(struct bench_depths *depths, const struct cn_world *world,
    const struct bench_build *build, int step, int step_count);
void bench_rings_watch(struct bench_rings *rings, const struct cn_world *world, int step);

/* Prints a result; with `first` of its kind, the header, too. */
enum bench_format { BENCH_TABLE, BENCH_JSON, BENCH_CSV };
void bench_print(FILE *out, enum bench_format format, const struct bench_result *result,
    bool first);

#endif
