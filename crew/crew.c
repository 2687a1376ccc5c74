/*
 * crew.c: threads claim pieces of work from one atomic word.
 *
 * The high half of the word is the number of the job, the low half the next piece.  A thread
 * claims a piece by exchanging the word for the next one.  This fails if the job has changed
 * meanwhile.  So a thread that wakes late finds nothing to do, and nobody waits for it.
 *
 * The fields of the job are read before the claim.  If the claim succeeds, they have not changed
 * since then, for two reasons.  A new job is set up only when all pieces of the last one are done.
 * And the word has no pieces while the job is set up, so no thread can claim a piece of the new
 * job by the word of the last one.
 */
#include "crew/crew.h"

#include "engine/base/assert.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define NO_PIECE UINT32_MAX
#define LOOKS_BEFORE_SLEEP 20000 /* some tens of microseconds */

struct crew {
    struct cn_crew face; /* first: the callers' view */
    int thread_count;
    pthread_t thread[CN_WORKERS_MAX];

    _Alignas(64) _Atomic uint64_t word; /* job << 32 | next piece */
    _Alignas(64) _Atomic int done;      /* pieces of the job */

    _Alignas(64) cn_task *_Atomic task;
    void *_Atomic context;
    _Atomic int count, grain, pieces;

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

/* Does pieces of the present job until all are taken. */
static void
work(struct crew *crew, int worker)
{
    uint64_t word = atomic_load_explicit(&crew->word, memory_order_acquire);
    for (;;) { /* bounded by the pieces of the job */
        cn_task *task = atomic_load_explicit(&crew->task, memory_order_relaxed);
        void *context = atomic_load_explicit(&crew->context, memory_order_relaxed);
        int count = atomic_load_explicit(&crew->count, memory_order_relaxed);
        int grain = atomic_load_explicit(&crew->grain, memory_order_relaxed);
        int pieces = atomic_load_explicit(&crew->pieces, memory_order_relaxed);
        uint32_t piece = (uint32_t)word;
        if (piece >= (uint32_t)pieces) {
            return;
        }
        uint64_t job = word >> 32;
        if (!atomic_compare_exchange_weak_explicit(&crew->word, &word, word + 1,
                memory_order_acq_rel, memory_order_acquire)) {
            if (word >> 32 != job) {
                return;
            }
            continue;
        }
        int first = (int)piece * grain;
        task(context, first, first + grain < count ? first + grain : count, worker);
        atomic_fetch_add_explicit(&crew->done, 1, memory_order_release);
        word = atomic_load_explicit(&crew->word, memory_order_acquire);
        if (word >> 32 != job) {
            return;
        }
    }
}

static uint64_t
job_of(struct crew *crew)
{
    return atomic_load_explicit(&crew->word, memory_order_acquire) >> 32;
}

/* Waits for a job other than `last`; false when the crew is to stop. */
static bool
wait_for_job(struct crew *crew, uint64_t last)
{
    for (int i = 0; i < LOOKS_BEFORE_SLEEP; i++) {
        if (job_of(crew) != last) {
            return true;
        }
        look_away();
    }
    pthread_mutex_lock(&crew->mutex);
    atomic_fetch_add(&crew->sleepers, 1);
    while (job_of(crew) == last && !atomic_load(&crew->stop)) {
        pthread_cond_wait(&crew->wake, &crew->mutex);
    }
    atomic_fetch_sub(&crew->sleepers, 1);
    pthread_mutex_unlock(&crew->mutex);
    return !atomic_load(&crew->stop);
}

static void *
run_member(void *argument)
{
    struct member member = *(struct member *)argument;
    free(argument);
    uint64_t last = 0;
    while (wait_for_job(member.crew, last)) {
        last = job_of(member.crew);
        work(member.crew, member.worker);
    }
    return NULL;
}

static void
wake_sleepers(struct crew *crew)
{
    if (atomic_load(&crew->sleepers) > 0) {
        pthread_mutex_lock(&crew->mutex);
        pthread_cond_broadcast(&crew->wake);
        pthread_mutex_unlock(&crew->mutex);
    }
}

static void
run(struct cn_crew *face, cn_task *task, void *context, int count, int grain)
{
    struct crew *crew = (struct crew *)face;
    CN_ASSERT(count > 0 && grain > 0);
    int pieces = (count - 1) / grain + 1;
    uint64_t job = job_of(crew); /* wraps at the word's end; only the change matters */
    atomic_store(&crew->word, (job + 1) << 32 | NO_PIECE);
    atomic_store_explicit(&crew->task, task, memory_order_relaxed);
    atomic_store_explicit(&crew->context, context, memory_order_relaxed);
    atomic_store_explicit(&crew->count, count, memory_order_relaxed);
    atomic_store_explicit(&crew->grain, grain, memory_order_relaxed);
    atomic_store_explicit(&crew->pieces, pieces, memory_order_relaxed);
    atomic_store_explicit(&crew->done, 0, memory_order_relaxed);
    atomic_store(&crew->word, (job + 2) << 32);
    wake_sleepers(crew);
    work(crew, 0);
    while (atomic_load_explicit(&crew->done, memory_order_acquire) < pieces) {
        look_away();
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
    *crew = (struct crew){.face = {.worker_count = 1, .run = run}};
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
        crew->face.worker_count++;
    }
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
