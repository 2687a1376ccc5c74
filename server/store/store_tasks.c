/*
 * store_tasks.c: the data that the threads of the store pass to each other, and their wake.
 */
#include "server/store/store_inside.h"

#include "engine/base/assert.h"
#include "server/base/wake.h"

#include <stdlib.h>

static void
wake_thread(struct sv_store_thread *thread)
{
    if (thread->wake_fd >= 0) {
        sv_wake(thread->wake_fd);
    }
}

void
sv_store_want(struct sv_store *store)
{
    if (!atomic_exchange(&store->is_wanted, true)) {
        wake_thread(&store->journal_thread);
    }
}

void
sv_store_wake_keeper(struct sv_store *store)
{
    wake_thread(&store->keeper_thread);
}

void
sv_store_give(struct sv_store *store, struct sv_tasks *tasks, struct sv_task *task)
{
    pthread_mutex_lock(&store->mutex);
    task->next = NULL;
    CN_ASSERT((tasks->first == NULL) == (tasks->last == NULL));
    if (tasks->last != NULL) {
        tasks->last->next = task;
    } else {
        tasks->first = task;
    }
    tasks->last = task;
    pthread_mutex_unlock(&store->mutex);
}

struct sv_task *
sv_store_take(struct sv_store *store, struct sv_tasks *tasks)
{
    pthread_mutex_lock(&store->mutex);
    struct sv_task *task = tasks->first;
    CN_ASSERT((tasks->first == NULL) == (tasks->last == NULL));
    if (task != NULL) {
        tasks->first = task->next;
        tasks->last = tasks->first != NULL ? tasks->last : NULL;
    }
    pthread_mutex_unlock(&store->mutex);
    return task;
}

void
sv_task_destroy(struct sv_task *task)
{
    if (task != NULL) {
        sv_checkpoint_destroy(task->checkpoint);
        free(task);
    }
}

/* The text of a state's fault is written once, before other threads see the state. */
void
sv_store_enter(struct sv_store *store, enum sv_store_state state, const struct sv_fault *fault)
{
    CN_ASSERT(state != SV_STORE_STALLED && (fault != NULL) == (state != SV_STORE_WRITING));
    pthread_mutex_lock(&store->mutex);
    int before = atomic_load(&store->gate.state);
    bool is_news = before != (int)state && before != SV_STORE_FAILED;
    if (is_news) {
        if (fault != NULL && store->fault[state].kind == SV_FAULT_NONE) {
            store->fault[state] = *fault;
        }
        atomic_store(&store->state_ns, sv_clock_now_ns(&store->config.clock));
        atomic_store(&store->gate.state, (int)state);
    }
    pthread_mutex_unlock(&store->mutex);
    if (is_news && store->config.log != NULL) {
        sv_log(store->config.log, fault != NULL ? SV_LOG_ERROR : SV_LOG_INFO, "store: %s",
            fault != NULL ? fault->text : "there is room again; inputs are taken");
    }
    if (is_news && store->config.wake != NULL) {
        store->config.wake(store->config.wake_context);
    }
}
