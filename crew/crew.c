/*
 * crew.c: every worker has a share of the pieces, and takes pieces of others when its own are done.
 *
 * The shares of a job are consecutive and of one size.  The pieces of consecutive jobs are mostly
 * about the same bodies, so that a worker finds them in its own cache again.
 *
 * A share is one cache line: the job, and in one word the next piece and the end.  Its worker polls
 * that word and takes pieces from the front.  It counts what it has done in another line, which the
 * caller polls.  So a job costs a worker two transfers between caches, if all are in time.
 *
 * A worker that is done looks at the shares of others after a moment, and takes from their backs.
 * A worker that comes late, because the system runs something else, finds its pieces done, and
 * nobody waits for it.
 *
 * A worker reads the job after it has taken a piece.  The job cannot change then: the next one is
 * set up when all pieces are done.
 */
#include "crew/crew.h"

#include "engine/base/assert.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define LOOKS_BEFORE_HELP 64     /* a microsecond or two */
#define LOOKS_BEFORE_SLEEP 20000 /* some hundreds of microseconds */
#define LOOKS_BEFORE_YIELD 1000  /* the worker that is waited for may have no processor */

struct share {
    _Alignas(64) _Atomic uint64_t span; /* next piece << 32 | end */
    cn_task *_Atomic task;
    void *_Atomic context;
    _Atomic int count, grain;
    /* Pieces that the share's worker has done, in all jobs; wraps.  Only that worker writes it. */
    _Alignas(64) _Atomic uint32_t done;
};

struct crew {
    struct cn_crew face; /* first: the callers' view */
    int thread_count;
    pthread_t thread[CN_WORKERS_MAX];

    _Alignas(64) uint32_t asked; /* pieces of all jobs; wraps */
    struct share share[CN_WORKERS_MAX];

    _Alignas(64) _Atomic bool stop;
    _Atomic int sleepers;
    pthread_mutex_t mutex;
    pthread_cond_t wake;
};

struct member {
    struct crew *crew;
    int worker;
};

static inline void
look_away(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

/* Takes the first piece of a share, or the last one.  False: none is left. */
static bool
take_piece(struct share *share, bool first, uint32_t *piece)
{
    uint64_t span = atomic_load_explicit(&share->span, memory_order_acquire);
    for (;;) { /* bounded: the exchange fails only after another worker took a piece */
        uint32_t next = (uint32_t)(span >> 32), end = (uint32_t)span;
        if (next >= end) {
            return false;
        }
        *piece = first ? next : end - 1;
        uint64_t left = first ? span + (UINT64_C(1) << 32) : span - 1;
        if (atomic_compare_exchange_weak_explicit(
                &share->span, &span, left, memory_order_acq_rel, memory_order_acquire)) {
            return true;
        }
    }
}

/* Does pieces of a share until all are taken. */
static void
work(struct crew *crew, struct share *share, int worker)
{
    _Atomic uint32_t *done = &crew->share[worker].done;
    uint32_t piece, before = atomic_load_explicit(done, memory_order_relaxed);
    while (take_piece(share, share == &crew->share[worker], &piece)) {
        cn_task *task = atomic_load_explicit(&share->task, memory_order_relaxed);
        void *context = atomic_load_explicit(&share->context, memory_order_relaxed);
        int count = atomic_load_explicit(&share->count, memory_order_relaxed);
        int grain = atomic_load_explicit(&share->grain, memory_order_relaxed);
        int first = (int)piece * grain;
        CN_ASSERT(first < count);
        task(context, first, count - first > grain ? first + grain : count, worker);
        atomic_store_explicit(done, ++before, memory_order_release);
    }
}

/* Does what is left in the shares of others. */
static void
help(struct crew *crew, int worker)
{
    int workers = crew->face.worker_count;
    for (int i = 1; i < workers; i++) {
        work(crew, &crew->share[(worker + i) % workers], worker);
    }
}

static bool
has_pieces(struct share *share)
{
    uint64_t span = atomic_load(&share->span);
    return (uint32_t)(span >> 32) < (uint32_t)span;
}

static void
sleep_until_pieces(struct crew *crew, struct share *share)
{
    pthread_mutex_lock(&crew->mutex);
    atomic_fetch_add(&crew->sleepers, 1);
    while (!has_pieces(share) && !atomic_load(&crew->stop)) {
        pthread_cond_wait(&crew->wake, &crew->mutex);
    }
    atomic_fetch_sub(&crew->sleepers, 1);
    pthread_mutex_unlock(&crew->mutex);
}

/* Waits for pieces in a worker's share; helps others once.  False: the crew is to stop. */
static bool
wait_for_pieces(struct crew *crew, int worker)
{
    struct share *share = &crew->share[worker];
    for (int i = 0; i < LOOKS_BEFORE_SLEEP; i++) {
        if (has_pieces(share)) {
            return true;
        }
        if (i == LOOKS_BEFORE_HELP) {
            help(crew, worker);
        }
        look_away();
    }
    sleep_until_pieces(crew, share);
    return !atomic_load(&crew->stop);
}

static void *
run_member(void *argument)
{
    struct member member = *(struct member *)argument;
    free(argument);
    while (wait_for_pieces(member.crew, member.worker)) {
        work(member.crew, &member.crew->share[member.worker], member.worker);
    }
    return NULL;
}

static void
wake_sleepers(struct crew *crew)
{
    /* A sleeper counts itself before it looks at its share, so one of the two sees the other. */
    if (atomic_fetch_add(&crew->sleepers, 0) > 0) {
        pthread_mutex_lock(&crew->mutex);
        pthread_cond_broadcast(&crew->wake);
        pthread_mutex_unlock(&crew->mutex);
    }
}

/* Pieces that were asked for and are not done. */
static uint32_t
count_undone(struct crew *crew)
{
    uint32_t undone = crew->asked;
    for (int w = 0; w < crew->face.worker_count; w++) {
        undone -= atomic_load_explicit(&crew->share[w].done, memory_order_acquire);
    }
    return undone;
}

static void
run(struct cn_crew *face, cn_task *task, void *context, int count, int grain)
{
    struct crew *crew = (struct crew *)face;
    CN_ASSERT(count > 0 && grain > 0);
    CN_ASSERT(count_undone(crew) == 0);
    int pieces = (count - 1) / grain + 1, workers = face->worker_count;
    crew->asked += (uint32_t)pieces;
    for (int w = workers - 1; w >= 0; w--) {
        struct share *share = &crew->share[w];
        uint64_t first = (uint64_t)pieces * (uint64_t)w / (uint64_t)workers;
        uint64_t end = (uint64_t)pieces * (uint64_t)(w + 1) / (uint64_t)workers;
        atomic_store_explicit(&share->task, task, memory_order_relaxed);
        atomic_store_explicit(&share->context, context, memory_order_relaxed);
        atomic_store_explicit(&share->count, count, memory_order_relaxed);
        atomic_store_explicit(&share->grain, grain, memory_order_relaxed);
        atomic_store_explicit(&share->span, first << 32 | end, memory_order_release);
    }
    wake_sleepers(crew);
    work(crew, &crew->share[0], 0);
    for (int looks = 1; count_undone(crew) > 0; looks++) { /* until the others are done */
        look_away();
        if (looks == LOOKS_BEFORE_HELP) {
            help(crew, 0);
        }
        if (looks % LOOKS_BEFORE_YIELD == 0) {
            sched_yield();
        }
    }
}

struct cn_crew *
crew_create(int worker_count)
{
    CN_ASSERT(worker_count >= 1 && worker_count <= CN_WORKERS_MAX);
    size_t size = (sizeof(struct crew) + 63) / 64 * 64;
    struct crew *crew = aligned_alloc(64, size);
    if (crew == NULL) {
        return NULL;
    }
    *crew = (struct crew){.face = {.worker_count = worker_count, .run = run}};
    pthread_mutex_init(&crew->mutex, NULL);
    pthread_cond_init(&crew->wake, NULL);
    for (int i = 1; i < worker_count; i++) {
        struct member *member = malloc(sizeof(*member));
        if (member != NULL) {
            *member = (struct member){crew, i};
        }
        if (member == NULL ||
            pthread_create(&crew->thread[crew->thread_count], NULL, run_member, member) != 0) {
            free(member);
            crew_destroy(&crew->face);
            return NULL;
        }
        crew->thread_count++;
    }
    CN_ASSERT(crew->thread_count == worker_count - 1);
    return &crew->face;
}

void
crew_destroy(struct cn_crew *face)
{
    struct crew *crew = (struct crew *)face;
    if (crew == NULL) {
        return;
    }
    pthread_mutex_lock(&crew->mutex);
    atomic_store(&crew->stop, true);
    pthread_cond_broadcast(&crew->wake);
    pthread_mutex_unlock(&crew->mutex);
    for (int i = 0; i < crew->thread_count; i++) {
        pthread_join(crew->thread[i], NULL);
    }
    pthread_cond_destroy(&crew->wake);
    pthread_mutex_destroy(&crew->mutex);
    free(crew);
}
