/*
 * bench.h: what a benchmark gives, and how it is told.
 */
#ifndef CLIENTS_CLI_BENCH_H
#define CLIENTS_CLI_BENCH_H

#include "clients/cli/bench_scene.h"

#include "engine/base/profile.h"

#include <stdio.h>

/* How a stack stands after its run. */
struct bench_stand {
    double penetration; /* deepest contact [m] */
    double sag;         /* how far the centres of the top row have sunk, on average [m] */
    double drift;       /* farthest way of a box along the ground [m] */
    double tilt;        /* largest angle between a box's upright axis and the vertical [rad] */
};

/* What became of bodies with meshes: bench_depth.c. Figures of any tick, but for depths, which are
 * looked at in every tenth tick, and in all of the last second. */
struct bench_depths {
    double any;      /* how deep one was in another, or in what stands still, at any time [m], */
    double end;      /* in the last second, whatever falls, */
    double settled;  /* and of those that rest, at any time */
    int resting;     /* those that rest in the end */
    int lost;        /* those that fell through the ground or flew away, times ticks */
    double speed;    /* of the fastest at the end [m/s] */
    int manifolds;   /* most in a tick */
    int64_t samples; /* points that were looked up, of all ticks */
    int calm[BENCH_WATCHED_MAX]; /* ticks for which it has been slow */
};

/* What became of rings at any tick: bench_rings.c. */
struct bench_rings {
    int linked;  /* pairs, at most */
    int through; /* rings through a pole */
    uint32_t around[BENCH_WATCHED_MAX]; /* of each ring, the poles that it is around */
};

struct bench_result {
    const struct bench_scene *scene;
    const char *stepper, *solver, *simd; /* simd: the asked one, or "best" */
    int step_count, run_count, worker_count, substep_count;
    /* Of a step; step 0, in which all is new, is left out.  The mean is of the quickest run; the
     * others are over steps, of each step's quickest run. */
    double mean_ms, median_ms, min_ms, p99_ms;
    double create_ms;
    double cpu_ms; /* of all threads, a step of the quickest run */
    double phase_ms[CN_PHASE_COUNT]; /* a step of the quickest run; where a solver tells them */
    int body_count, shape_count, joint_count;
    struct cn_world_counts counts; /* after the last step */
    int contact_count;             /* points that touch then */
    size_t image_size;             /* bytes */
    uint64_t hash;     /* of the state after the last step */
    bool is_finite;
    struct bench_stand stand; /* where scene->measured */
    struct bench_depths depths; /* where bench_has_meshes */
    struct bench_rings rings;   /* where bench_has_rings */
};

/* Reads how the boxes (bodies 1 and up) of a stack stand, against where `build` put them. */
struct bench_stand bench_stand_measure(
    const struct cn_world *world, const struct bench_build *build);

/* Both look at a world after a step, and sum up; the first step begins anew. */
void bench_depths_watch(struct bench_depths *depths, const struct cn_world *world,
    const struct bench_build *build, int step, int step_count);
void bench_rings_watch(struct bench_rings *rings, const struct cn_world *world, int step);

/* Writes a result; `first` of its kind, the header too. */
enum bench_format { BENCH_TABLE, BENCH_JSON, BENCH_CSV };
void bench_print(FILE *out, enum bench_format format, const struct bench_result *result,
    bool first);

#endif
