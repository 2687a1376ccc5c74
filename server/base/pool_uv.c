#include "server/base/pool.h"

#include "engine/base/assert.h"

#include <stdlib.h>
#include <uv.h>

struct ticket {
    uv_work_t work;
    struct sv_job *job;
};

static void
do_work(uv_work_t *work)
{
    struct ticket *ticket = work->data;
    ticket->job->work(ticket->job);
}

static void
do_done(uv_work_t *work, int status)
{
    struct ticket *ticket = work->data;
    struct sv_job *job = ticket->job;
    CN_ASSERT(status == 0); /* jobs are never cancelled */
    free(ticket);
    job->done(job);
}

static bool
start_job(void *context, struct sv_job *job)
{
    struct ticket *ticket = calloc(1, sizeof(*ticket));
    if (ticket == NULL) {
        return false;
    }
    ticket->work.data = ticket;
    ticket->job = job;
    int status = uv_queue_work(context, &ticket->work, do_work, do_done);
    CN_ASSERT(status == 0);
    return true;
}

static void
do_nothing(uv_work_t *work)
{
    (void)work;
}

bool
sv_pool_uv_begin(struct uv_loop_s *loop)
{
    static uv_work_t work;
    return uv_queue_work(loop, &work, do_nothing, NULL) == 0;
}

struct sv_pool
sv_pool_uv(struct uv_loop_s *loop)
{
    return (struct sv_pool){.context = loop, .start = start_job};
}
