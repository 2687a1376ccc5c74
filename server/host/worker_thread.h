/*
 * worker_thread.h: a worker on a thread of its own.
 *
 * Between two calls of sv_worker_run it sleeps until the time that the worker asked for, to better
 * than a tenth of a millisecond, or until it is woken.
 */
#ifndef SERVER_HOST_WORKER_THREAD_H
#define SERVER_HOST_WORKER_THREAD_H

#include "server/host/worker.h"

#include <pthread.h>
#include <stdatomic.h>

struct sv_worker_thread {
    struct sv_worker worker;
    pthread_t thread;
    int wake_fd; /* an eventfd */
    atomic_bool is_stopping;

    /* Called on the worker's thread when there is something to fetch. */
    void (*news)(void *context);
    void *news_context;
};

/* The worker is initialised; false, with the reason in errno, when there is no thread. */
bool sv_worker_thread_start(
    struct sv_worker_thread *thread, void (*news)(void *context), void *news_context);

/* From any thread. */
void sv_worker_thread_wake(struct sv_worker_thread *thread);

/* Waits until the thread has ended; its worker can then be finished. */
void sv_worker_thread_stop(struct sv_worker_thread *thread);

#endif
