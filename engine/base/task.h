/*
 * task.h: work that may be spread over workers.
 *
 * The engine has no threads of its own.  A caller that has threads passes a crew; without one
 * everything runs on the calling thread.  A range of items is cut into pieces that any worker may
 * take in any order.  So a task writes only the data of its own items, and that data may not depend
 * on the worker.
 *
 * Threads: run() returns when every piece is done; the caller then sees what the pieces wrote.
 */
#ifndef ENGINE_BASE_TASK_H
#define ENGINE_BASE_TASK_H

#include <stddef.h>

#define CN_WORKERS_MAX 64

/* Processes the items first, ..., end - 1; worker is 0, ..., worker_count - 1. */
typedef void cn_task(void *context, int first, int end, int worker);

struct cn_crew {
    int worker_count; /* includes the calling thread; 1 .. CN_WORKERS_MAX */
    /* Processes count items in pieces of `grain` (the last may be smaller; grain >= 1). */
    void (*run)(struct cn_crew *crew, cn_task *task, void *context, int count, int grain);
};

/*
 * Runs a task over `count` items; only on the caller's thread where crew is NULL or one piece is
 * enough.
 */
static inline void
cn_task_run(struct cn_crew *crew, cn_task *task, void *context, int count, int grain)
{
    if (crew == NULL || crew->worker_count <= 1 || count <= grain) {
        if (count > 0) {
            task(context, 0, count, 0);
        }
        return;
    }
    crew->run(crew, task, context, count, grain);
}

static inline int
cn_crew_size(const struct cn_crew *crew)
{
    return crew == NULL ? 1 : crew->worker_count;
}

#endif
