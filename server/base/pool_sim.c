#include "engine/base/assert.h"
#include "server/base/pool.h"

#include <string.h>

static bool
start_job(void *context, struct sv_job *job)
{
    struct sv_pool_sim *sim = context;
    if (sim->count == SV_POOL_SIM_JOBS_MAX) {
        return false;
    }
    CN_ASSERT(sim->count >= 0 && sim->count < SV_POOL_SIM_JOBS_MAX);
    sim->jobs[sim->count++] = job;
    return true;
}

struct sv_pool
sv_pool_sim(struct sv_pool_sim *sim)
{
    *sim = (struct sv_pool_sim){.count = 0};
    return (struct sv_pool){.context = sim, .start = start_job};
}

bool
sv_pool_sim_run(struct sv_pool_sim *sim)
{
    if (sim->count == 0) {
        return false;
    }
    struct sv_job *job = sim->jobs[0];
    sim->count--;
    memmove(sim->jobs, sim->jobs + 1, (size_t)sim->count * sizeof(struct sv_job *));
    job->work(job);
    job->done(job);
    return true;
}
