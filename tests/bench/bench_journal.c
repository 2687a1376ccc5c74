/*
 * bench_journal.c: what durability costs: the delay of a commit beside a bare append and flush in
 * the same run, and processor time of the store's threads with many worlds.
 *
 *     bench_journal [FOLDER [SECONDS]]
 *
 * Delays: at 60 Hz one world appends a record of 32 inputs of 64 bytes.  Three ways alternate, tick
 * by tick, on one disk: write and fdatasync to a file that grows; the journal's own append and
 * commit; and all of the store, from the worker's append to the network thread's being woken.
 */
#include "server/store/store.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define INPUTS 32
#define INPUT_SIZE 64
#define ENTRIES_SIZE (INPUTS * INPUT_SIZE)
#define RATE_HZ 60
#define WORLDS 50
#define SAMPLES_MAX 100000
#define WARM_UP_S 6 /* then the logs have started again, in blocks that they already own */

static const char *folder;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t woken = PTHREAD_COND_INITIALIZER;

static uint64_t
now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void
sleep_until(uint64_t when_ns)
{
    const struct timespec when = {
        .tv_sec = (time_t)(when_ns / 1000000000u), .tv_nsec = (long)(when_ns % 1000000000u)};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, NULL);
}

static double
processor_s(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_utime.tv_sec + 1e-6 * (double)usage.ru_utime.tv_usec +
           (double)usage.ru_stime.tv_sec + 1e-6 * (double)usage.ru_stime.tv_usec;
}

static double
thread_s(void)
{
    struct timespec used;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return (double)used.tv_sec + 1e-9 * (double)used.tv_nsec;
}

static int
compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

struct samples {
    const char *name;
    uint64_t *ns;
    int count;
};

static void
add(struct samples *samples, uint64_t ns)
{
    if (samples->count < SAMPLES_MAX) {
        samples->ns[samples->count++] = ns;
    }
}

/* The share of samples that are at most as long [us]. */
static double
quantile(struct samples *samples, double share)
{
    qsort(samples->ns, (size_t)samples->count, sizeof(*samples->ns), compare);
    int at = (int)(share * (samples->count - 1));
    return 1e-3 * (double)samples->ns[at];
}

static void
must(bool is_good, const struct sv_fault *fault)
{
    if (!is_good) {
        fprintf(stderr, "bench_journal: %s\n", fault != NULL ? fault->text : "a call fails");
        exit(1);
    }
}

static void
wake(void *context)
{
    (void)context;
    pthread_mutex_lock(&mutex);
    pthread_cond_broadcast(&woken);
    pthread_mutex_unlock(&mutex);
}

static void
in_folder(char path[1024], const char *name)
{
    snprintf(path, 1024, "%s/%s", folder, name);
}

static struct sv_store *
open_store(struct sv_disk_real *disk, uint64_t spacing_ns)
{
    char path[1024];
    static char kept[1024];
    struct sv_fault fault;
    in_folder(path, "store");
    mkdir(path, 0700);
    memcpy(kept, path, sizeof(kept));
    const struct sv_store_config config = {.folder = kept,
        .lane_count = 1,
        .spacing_ns = spacing_ns,
        .free_min = 1,
        .history_size = SV_STORE_HISTORY_SIZE,
        .clock = sv_clock_real(),
        .disk = sv_disk_real(disk),
        .wake = wake};
    struct sv_store *store = sv_store_open(&config, &fault);
    must(store != NULL, &fault);
    must(sv_store_start(store, &fault), &fault);
    return store;
}

static uint64_t
bare(int file, const unsigned char *entries)
{
    uint64_t began_ns = now_ns();
    must(write(file, entries, SV_RECORD_HEADER_SIZE + ENTRIES_SIZE) ==
                 SV_RECORD_HEADER_SIZE + ENTRIES_SIZE &&
             fdatasync(file) == 0,
        NULL);
    return now_ns() - began_ns;
}

static uint64_t
by_journal(const struct sv_journal *journal, const unsigned char *entries)
{
    struct sv_fault fault;
    struct sv_journal_head head;
    const struct sv_row row = {
        .kind = SV_ROW_RECORDS, .bytes = entries, .size = SV_RECORD_HEADER_SIZE + ENTRIES_SIZE};
    uint64_t began_ns = now_ns();
    must(journal->append(journal->context, &row, &fault) &&
             journal->commit(journal->context, &head, &fault),
        &fault);
    return now_ns() - began_ns;
}

static uint64_t
by_store(struct sv_lane *lane, struct sv_trail *trail, const unsigned char *entries)
{
    uint64_t began_ns = now_ns();
    uint64_t ticket = sv_lane_append(lane, trail, 1, 0, 0, entries, ENTRIES_SIZE);
    must(ticket != 0, NULL);
    sv_lane_flush(lane);
    pthread_mutex_lock(&mutex);
    while (sv_lane_durable(lane) < ticket) {
        pthread_cond_wait(&woken, &mutex);
    }
    pthread_mutex_unlock(&mutex);
    return now_ns() - began_ns;
}

/* The journal alone has its merges on another thread, as in the store. */
struct merger {
    const struct sv_journal *journal;
    atomic_bool is_done;
};

static void *
merge(void *context)
{
    struct merger *merger = context;
    for (int i = 0; !atomic_load(&merger->is_done); i++) {
        struct sv_fault fault;
        struct sv_journal_size size;
        sleep_until(now_ns() + 100000000u);
        if (i % 40 == 9) {
            must(merger->journal->upkeep(merger->journal->context, &size, &fault), &fault);
        }
    }
    return NULL;
}

static void
measure_delays(int duration_s)
{
    static unsigned char entries[SV_RECORD_HEADER_SIZE + ENTRIES_SIZE];
    struct samples ways[] = {
        {.name = "append and fdatasync"}, {.name = "journal"}, {.name = "store, to the wake"}};
    char path[1024];
    struct sv_disk_real disk;
    struct sv_fault fault;
    struct sv_journal journal;
    struct sv_journal_head head;
    in_folder(path, "journal");
    mkdir(path, 0700);
    const struct sv_journal_sqlite_config config = {.folder = path};
    must(sv_journal_sqlite_open(&journal, &config, &head, &fault), &fault);
    must(journal.claim(journal.context, &head, &fault), &fault);
    struct merger merger = {.journal = &journal};
    pthread_t thread;
    must(pthread_create(&thread, NULL, merge, &merger) == 0, NULL);
    in_folder(path, "bare");
    int file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
    must(file >= 0, NULL);
    struct sv_store *store = open_store(&disk, 0);
    struct sv_lane *lane = sv_store_lane(store, 0);
    struct sv_trail trail = sv_store_trail(store, 1, 1);
    must(sv_lane_put_charter(lane, 1, (unsigned char *)strdup("c"), 1) != 0, NULL);
    for (int i = 0; i < 3; i++) {
        ways[i].ns = malloc(SAMPLES_MAX * sizeof(*ways[i].ns));
        must(ways[i].ns != NULL, NULL);
    }
    for (size_t i = 0; i < sizeof(entries); i++) {
        entries[i] = (unsigned char)(i * 167);
    }
    /* Each way runs at 60 Hz, one after the other, so none waits for another's flush. */
    uint64_t began_ns = now_ns(), slot_ns = 1000000000u / RATE_HZ / 3;
    for (uint64_t slot = 0; slot * slot_ns < (uint64_t)(WARM_UP_S + duration_s) * 1000000000u;
         slot++) {
        sleep_until(began_ns + slot * slot_ns);
        uint64_t took_ns = slot % 3 == 0   ? bare(file, entries)
                           : slot % 3 == 1 ? by_journal(&journal, entries)
                                           : by_store(lane, &trail, entries);
        if (slot >= WARM_UP_S * 3 * RATE_HZ) {
            add(&ways[slot % 3], took_ns);
        }
    }
    printf("Delay of a commit at %d Hz, %d inputs of %d B [us], %d of each\n\n", RATE_HZ, INPUTS,
        INPUT_SIZE, ways[0].count);
    printf("| way | p50 | p90 | p99 | p50 ratio | p99 ratio |\n|---|---|---|---|---|---|\n");
    for (int i = 0; i < 3; i++) {
        printf("| %s | %.0f | %.0f | %.0f | %.2f | %.2f |\n", ways[i].name, quantile(&ways[i], 0.5),
            quantile(&ways[i], 0.9), quantile(&ways[i], 0.99),
            quantile(&ways[i], 0.5) / quantile(&ways[0], 0.5),
            quantile(&ways[i], 0.99) / quantile(&ways[0], 0.99));
    }
    for (int i = 0; i < 3; i++) {
        free(ways[i].ns);
    }
    atomic_store(&merger.is_done, true);
    pthread_join(thread, NULL);
    journal.close(journal.context);
    must(sv_store_close(store, &fault), &fault);
    close(file);
}

/*
 * Measures 50 worlds at 60 Hz, each with its own phase and each tick flushed, without the worker.
 */
static void
measure_processor(int duration_s, uint64_t spacing_ns, size_t entries_size)
{
    static unsigned char entries[ENTRIES_SIZE];
    struct sv_disk_real disk;
    struct sv_fault fault;
    struct sv_store *store = open_store(&disk, spacing_ns);
    struct sv_lane *lane = sv_store_lane(store, 0);
    struct sv_trail trail[WORLDS];
    uint64_t base = sv_store_world_next(store);
    for (int i = 0; i < WORLDS; i++) {
        trail[i] = sv_store_trail(store, base + (uint64_t)i, 1);
        must(sv_lane_put_charter(lane, base + (uint64_t)i, (unsigned char *)strdup("c"), 1) != 0,
            NULL);
    }
    double all_s = processor_s(), mine_s = thread_s();
    uint64_t began_ns = now_ns(), slot_ns = 1000000000u / RATE_HZ / WORLDS;
    int refused = 0;
    for (uint64_t slot = 0; slot * slot_ns < (uint64_t)duration_s * 1000000000u; slot++) {
        sleep_until(began_ns + slot * slot_ns);
        refused +=
            sv_lane_append(lane, &trail[slot % WORLDS], slot, 0, 0, entries, entries_size) == 0;
        sv_lane_flush(lane);
    }
    double took_s = 1e-9 * (double)(now_ns() - began_ns);
    double used_s = processor_s() - all_s - (thread_s() - mine_s);
    struct sv_store_figures figures = sv_store_figures(store);
    printf("| %.0f | %zu | %.0f | %.2f | %.2f | %d |\n", 1e-6 * (double)spacing_ns, entries_size,
        (double)figures.commits / took_s, 100.0 * used_s / took_s,
        1e-6 * (double)figures.record_bytes / took_s, refused);
    must(sv_store_close(store, &fault), &fault);
}

int
main(int argc, char **argv)
{
    static char made[] = "bench-journal-XXXXXX";
    int duration_s = argc > 2 ? atoi(argv[2]) : 20;
    folder = argc > 1 ? argv[1] : mkdtemp(made);
    must(folder != NULL, NULL);
    measure_delays(duration_s);
    printf("\nThreads of the store, %d worlds at %d Hz\n\n", WORLDS, RATE_HZ);
    printf("| spacing [ms] | entries [B] | commits/s | of a core [%%] | MB/s | refused |\n"
           "|---|---|---|---|---|---|\n");
    measure_processor(duration_s, 4000000, 128);
    measure_processor(duration_s, SV_STORE_SPACING_NS, 0);
    measure_processor(duration_s, SV_STORE_SPACING_NS, 128);
    measure_processor(duration_s, SV_STORE_SPACING_NS, ENTRIES_SIZE);
    printf("\nThe files are in %s.\n", folder);
    return 0;
}
