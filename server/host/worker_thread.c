#include "server/host/worker_thread.h"

#include "server/base/limits.h"
#include "server/base/wake.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

static void
sleep_until(struct sv_worker_thread *thread, uint64_t wanted_ns)
{
    uint64_t now_ns = sv_clock_now_ns(&thread->worker.env.clock);
    if (wanted_ns <= now_ns) {
        return; /* the next run handles it, whatever the eventfd says */
    }
    struct pollfd poll_fd = {.fd = thread->wake_fd, .events = POLLIN};
    struct timespec timeout = {0};
    if (wanted_ns != UINT64_MAX) {
        timeout.tv_sec = (time_t)((wanted_ns - now_ns) / SV_NS_PER_S);
        timeout.tv_nsec = (long)((wanted_ns - now_ns) % SV_NS_PER_S);
    }
    int ready = ppoll(&poll_fd, 1, wanted_ns == UINT64_MAX ? NULL : &timeout, NULL);
    if (ready > 0) {
        uint64_t count;
        ssize_t size = read(thread->wake_fd, &count, sizeof(count));
        (void)size; /* nothing to read: an earlier read was faster */
    }
}

static void *
run_worker(void *context)
{
    struct sv_worker_thread *thread = context;
    while (!atomic_load(&thread->is_stopping)) {
        uint64_t wanted_ns = sv_worker_run(&thread->worker);
        if (thread->worker.env.has_news) {
            thread->worker.env.has_news = false;
            thread->news(thread->news_context);
        }
        sleep_until(thread, wanted_ns);
    }
    return NULL;
}

/* Signals are handled by the network thread. */
bool
sv_worker_thread_start(
    struct sv_worker_thread *thread, void (*news)(void *context), void *news_context)
{
    sigset_t all, before;
    thread->news = news;
    thread->news_context = news_context;
    atomic_init(&thread->is_stopping, false);
    thread->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (thread->wake_fd < 0) {
        return false;
    }
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&thread->thread, NULL, run_worker, thread);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error != 0) {
        close(thread->wake_fd);
        errno = error;
        return false;
    }
    (void)pthread_setname_np(thread->thread, "worker"); /* for ps and debuggers */
    return true;
}

void
sv_worker_thread_wake(struct sv_worker_thread *thread)
{
    sv_wake(thread->wake_fd);
}

void
sv_worker_thread_stop(struct sv_worker_thread *thread)
{
    atomic_store(&thread->is_stopping, true);
    sv_worker_thread_wake(thread);
    pthread_join(thread->thread, NULL);
    close(thread->wake_fd);
}
