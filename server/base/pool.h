/*
 * pool.h: work that would hold up the network thread, on threads of a pool.
 *
 * A job's `work` runs on some thread of the pool, then its `done` on the network thread.  Between
 * the start and `done` the job belongs to the pool: nobody else touches it.  Every job that was
 * started is done, also while the daemon stops: whoever has nothing to do any more returns early
 * from `work`.
 *
 * The real pool is libuv's; its twin for tests keeps the jobs until it is told to run one.
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
    bool (*start)(void *context, struct sv_job *job); /* false: no memory, nothing will run */
};

/* The loop has to be there when the first job is started. */
struct sv_pool sv_pool_uv(struct uv_loop_s *loop);

/*
 * Makes the threads now: libuv makes all of them at the first job, and ends the process where it
 * can not, which should not be when people are at work.
 */
bool sv_pool_uv_begin(struct uv_loop_s *loop);

#define SV_POOL_SIM_JOBS_MAX 64

struct sv_pool_sim {
    struct sv_job *jobs[SV_POOL_SIM_JOBS_MAX]; /* the oldest first */
    int count;
};

struct sv_pool sv_pool_sim(struct sv_pool_sim *sim);

/* Runs the oldest job and what is done after it; false: there is none. */
bool sv_pool_sim_run(struct sv_pool_sim *sim);

#endif
