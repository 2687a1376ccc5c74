/*
 * pool.h: a pool of threads, for work that would delay the network thread.
 *
 * A job's `work` runs on a thread of the pool, then its `done` on the network thread.  Between the
 * start and `done` the job belongs to the pool.  Every started job is finished, even while the
 * daemon stops; a job that has become useless returns early from `work`.
 *
 * The real pool is libuv's; the simulated one holds the jobs until a test runs one.
 */
#ifndef SERVER_BASE_POOL_H
#define SERVER_BASE_POOL_H

#include <stdbool.h>

struct uv_loop_s; /* libuv's uv_loop_t */

struct sv_job {
    void (*work)(struct sv_job *job);
    void (*done)(struct sv_job *job); /* may free it */
};

struct sv_pool {
    void *context;
    bool (*start)(void *context, struct sv_job *job); /* false: no memory; the job does not run */
};

/* The loop must exist when the first job is started. */
struct sv_pool sv_pool_uv(struct uv_loop_s *loop);

/*
 * Makes the threads now.  Otherwise libuv makes them at the first job, and ends the process if it
 * cannot; that must not happen while worlds are in use.
 */
bool sv_pool_uv_begin(struct uv_loop_s *loop);

#define SV_POOL_SIM_JOBS_MAX 64

struct sv_pool_sim {
    struct sv_job *jobs[SV_POOL_SIM_JOBS_MAX]; /* the oldest first */
    int count;
};

struct sv_pool sv_pool_sim(struct sv_pool_sim *sim);

/* Runs the oldest job and its `done`.  False: no job is waiting. */
bool sv_pool_sim_run(struct sv_pool_sim *sim);

#endif
