/*
 * store_thread.c: the threads of the store.
 */
#include "server/store/store_inside.h"

#include "engine/base/assert.h"
#include "server/base/wake.h"
#include "server/store/store.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

static void
sleep_until(struct sv_store_thread *thread, uint64_t wanted_ns)
{
    CN_ASSERT(thread->wake_fd >= 0);
    uint64_t now_ns = sv_clock_now_ns(&thread->store->config.clock);
    struct pollfd poll_fd = {.fd = thread->wake_fd, .events = POLLIN};
    struct timespec timeout = {0};
    if (wanted_ns > now_ns && wanted_ns != UINT64_MAX) {
        timeout.tv_sec = (time_t)((wanted_ns - now_ns) / SV_STORE_PERIOD_NS);
        timeout.tv_nsec = (long)((wanted_ns - now_ns) % SV_STORE_PERIOD_NS);
    }
    if (ppoll(&poll_fd, 1, wanted_ns == UINT64_MAX ? NULL : &timeout, NULL) > 0) {
        uint64_t count;
        ssize_t size = read(thread->wake_fd, &count, sizeof(count));
        (void)size; /* already empty: another thread was faster */
    }
}

static void *
run_thread(void *context)
{
    struct sv_store_thread *thread = context;
    while (!atomic_load(&thread->store->is_stopping)) {
        sleep_until(thread, thread->run(thread->store));
    }
    return NULL;
}

/* Only the network thread handles signals. */
static bool
start_thread(struct sv_store *store, struct sv_store_thread *thread, const char *name,
    uint64_t (*work)(struct sv_store *store), struct sv_fault *fault)
{
    CN_ASSERT(thread->wake_fd < 0); /* it does not run yet */
    sigset_t all, before;
    thread->store = store;
    thread->run = work;
    thread->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (thread->wake_fd < 0) {
        return sv_fault_set_disk(fault, sv_disk_result_of(errno), "an eventfd");
    }
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&thread->thread, NULL, run_thread, thread);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error != 0) {
        close(thread->wake_fd);
        thread->wake_fd = -1;
        return sv_fault_set(fault, SV_FAULT_MEMORY, "a thread: %s", strerror(error));
    }
    (void)pthread_setname_np(thread->thread, name); /* for debuggers and ps */
    return true;
}

static void
stop_thread(struct sv_store_thread *thread)
{
    if (thread->wake_fd >= 0) {
        sv_wake(thread->wake_fd);
        pthread_join(thread->thread, NULL);
        close(thread->wake_fd);
        thread->wake_fd = -1;
    }
}

bool
sv_store_start(struct sv_store *store, struct sv_fault *fault)
{
    CN_ASSERT(store->lanes != NULL);
    atomic_store(&store->is_stopping, false);
    if (start_thread(store, &store->journal_thread, "journal", sv_store_run_journal, fault) &&
        start_thread(store, &store->keeper_thread, "keeper", sv_store_run_keeper, fault)) {
        return true;
    }
    sv_store_stop(store);
    return false;
}

void
sv_store_stop(struct sv_store *store)
{
    atomic_store(&store->is_stopping, true);
    stop_thread(&store->journal_thread);
    stop_thread(&store->keeper_thread);
}
