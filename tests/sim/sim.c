/*
 * sim.c: seeds of the simulator, one after the other.
 *
 * usage: sim [--first S] [--seeds N] [--seed S] [--minutes M] [--seconds T] [--without FAULT]...
 *            [--shrink] [--tell] [--trace] [--mutants] [--mutant NAME]
 *            [--caught FILE]
 *
 * A seed that fails is told as "FAIL seed=0x... tick=... oracle=...", and --seed runs it again
 * exactly.  With --minutes no seed begins after so long.  --shrink then switches its faults off one
 * by one, as long as it still fails.
 *
 * In tests/sim/mutants, --mutant plants a mistake (server/base/mutant.h), and --mutants that one or
 * each in turn: the seeds go on until its own oracle has caught it, up to --seeds; first comes the
 * seed that a line of --caught has for it.
 */
#include "tests/sim/sim.h"

#include "server/base/mutant.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <sys/wait.h>
#include <unistd.h>

struct wish {
    uint64_t first, count, duration_ns;
    double minutes;
    const char *caught;
    bool without[SIM_FAULT_COUNT], is_shrinking, is_traced, has_mutants;
};

static uint64_t seed_now;

static void
aborted(int number)
{
    char text[96];
    int size = snprintf(text, sizeof(text), "FAIL seed=0x%" PRIx64 " tick=0 oracle=asserts\n",
        seed_now);
    ssize_t written = write(1, text, (size_t)size);
    (void)written;
    (void)number;
    _exit(1);
}

/* A seed by its plan, less what is not wanted. */
static struct sim *
run(const struct wish *wish, uint64_t seed)
{
    struct sim *sim = calloc(1, sizeof(*sim));
    CN_ASSERT(sim != NULL);
    seed_now = seed;
    sim_plan_draw(&sim->plan, seed, wish->duration_ns);
    for (int i = 0; i < SIM_FAULT_COUNT; i++) {
        sim->plan.has[i] = sim->plan.has[i] && !wish->without[i];
    }
    sim_run(sim);
    return sim;
}

static void
forget(struct sim *sim)
{
    if (sim->failed == SIM_NONE) {
        sim_finish(sim);
    }
    free(sim);
}

static void
shrink(struct wish *wish, uint64_t seed, enum sim_oracle oracle)
{
    for (int i = 0; i < SIM_FAULT_COUNT; i++) {
        if (wish->without[i]) {
            continue;
        }
        wish->without[i] = true;
        struct sim *sim = run(wish, seed);
        wish->without[i] = sim->failed == oracle;
        free(sim);
    }
    printf("needs:");
    struct sim_plan plan;
    sim_plan_draw(&plan, seed, wish->duration_ns);
    for (int i = 0; i < SIM_FAULT_COUNT; i++) {
        if (plan.has[i] && !wish->without[i]) {
            printf(" %s", sim_fault_name((enum sim_fault)i));
        }
    }
    printf("\n");
}

/* ---- mutants ---- */

#ifdef CN_MUTANTS
enum sv_mutant sv_mutant_now;

static const struct {
    const char *name, *oracle, *text;
} mutants[] = {
    {"NONE", "none", ""},
#define X(NAME, oracle, text) {#NAME, oracle, text},
    SV_MUTANT_TABLE(X)
#undef X
};

static bool
plant(const char *name)
{
    for (int i = 0; i < SV_MUTANT_COUNT; i++) {
        if (strcmp(mutants[i].name, name) == 0) {
            sv_mutant_now = (enum sv_mutant)i;
            return true;
        }
    }
    return false;
}

/* A process for each seed, since one that has failed leaves much behind: its oracle's number. */
static int
run_apart(const struct wish *wish, uint64_t seed)
{
    int status = 0;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        signal(SIGABRT, SIG_DFL);
        if (freopen("/dev/null", "w", stderr) == NULL) {
            _exit(SIM_NONE);
        }
        _exit((int)run(wish, seed)->failed);
    }
    if (child < 0 || waitpid(child, &status, 0) != child) {
        return SIM_NONE;
    }
    bool has_aborted = WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
    return has_aborted ? SIM_ASSERTS : WIFEXITED(status) ? WEXITSTATUS(status) : SIM_NONE;
}

/* A seed that is known to catch it, or 0: lines of names and seeds. */
static uint64_t
known_seed(const struct wish *wish, const char *mutant)
{
    char name[64];
    uint64_t seed = 0, found = 0;
    FILE *file = wish->caught != NULL ? fopen(wish->caught, "r") : NULL;
    while (file != NULL && fscanf(file, "%63s %" SCNu64, name, &seed) == 2) {
        found = strcmp(name, mutant) == 0 ? seed : found;
    }
    if (file != NULL) {
        fclose(file);
    }
    return found;
}

static bool
catch_one(const struct wish *wish, int i)
{
    uint64_t seed = known_seed(wish, mutants[i].name), count = 0;
    int others = 0;
    bool is_caught = false;
    sv_mutant_now = (enum sv_mutant)i;
    if (seed != 0) {
        enum sim_oracle found = (enum sim_oracle)run_apart(wish, seed);
        is_caught = strcmp(mutants[i].oracle, sim_oracle_name(found)) == 0;
    }
    while (!is_caught && count < (wish->count > 0 ? wish->count : 1)) {
        seed = wish->first + count++;
        enum sim_oracle found = (enum sim_oracle)run_apart(wish, seed);
        is_caught = strcmp(mutants[i].oracle, sim_oracle_name(found)) == 0;
        others += !is_caught && found != SIM_NONE ? 1 : 0;
    }
    printf("%s %-18s %-13s seed %3" PRIu64 ", %d by others: %s\n", is_caught ? "ok  " : "FAIL",
        mutants[i].name, mutants[i].oracle, seed, others, mutants[i].text);
    fflush(stdout);
    return is_caught;
}

/* Whether every mistake is caught by its oracle. */
static bool
catch_all(struct wish *wish)
{
    int missed = 0;
    const enum sv_mutant only = sv_mutant_now;
    for (int i = 1; i < SV_MUTANT_COUNT; i++) {
        if (only == SV_MUTANT_NONE || only == (enum sv_mutant)i) {
            missed += catch_one(wish, i) ? 0 : 1;
        }
    }
    return missed == 0;
}
#else
static bool
plant(const char *name)
{
    (void)name;
    return false;
}

static bool
catch_all(struct wish *wish)
{
    (void)wish;
    return false;
}
#endif

static bool
parse(int count, char **texts, struct wish *wish)
{
    for (int i = 1; i < count; i++) {
        const char *name = texts[i], *value = i + 1 < count ? texts[i + 1] : "";
        if (strcmp(name, "--shrink") == 0) {
            wish->is_shrinking = true;
            continue;
        } else if (strcmp(name, "--tell") == 0) {
            sim_tell(true);
            continue;
        } else if (strcmp(name, "--trace") == 0) {
            wish->is_traced = true;
            continue;
        } else if (strcmp(name, "--mutants") == 0) {
            wish->has_mutants = true;
            continue;
        } else if (strcmp(name, "--mutant") == 0) {
            if (!plant(value)) {
                return false;
            }
        } else if (strcmp(name, "--caught") == 0) {
            wish->caught = value;
        } else if (strcmp(name, "--first") == 0) {
            wish->first = strtoull(value, NULL, 0);
        } else if (strcmp(name, "--seeds") == 0) {
            wish->count = strtoull(value, NULL, 0);
        } else if (strcmp(name, "--seed") == 0) {
            wish->first = strtoull(value, NULL, 0);
            wish->count = 1;
        } else if (strcmp(name, "--minutes") == 0) {
            wish->minutes = strtod(value, NULL);
        } else if (strcmp(name, "--seconds") == 0) {
            wish->duration_ns = (uint64_t)(strtod(value, NULL) * 1e9);
        } else if (strcmp(name, "--without") == 0) {
            for (int k = 0; k < SIM_FAULT_COUNT; k++) {
                wish->without[k] = wish->without[k] ||
                    strcmp(value, sim_fault_name((enum sim_fault)k)) == 0;
            }
        } else {
            fprintf(stderr, "sim: unknown argument %s\n", name);
            return false;
        }
        i++;
    }
    return wish->duration_ns > SIM_CALM_NS;
}

static double
now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int
main(int argument_count, char **arguments)
{
    struct wish wish = {.first = 1, .duration_ns = 60 * SV_NS_PER_S};
    uint64_t seeds = 0, ticks = 0, crashes = 0, acks = 0, inside = 0, second = 0;
    if (!parse(argument_count, arguments, &wish)) {
        return 2;
    }
    if (wish.has_mutants) {
        return catch_all(&wish) ? 0 : 1;
    }
    signal(SIGABRT, aborted);
    double start_s = now_s();
    uint64_t most = wish.count > 0 ? wish.count : wish.minutes > 0.0 ? UINT64_MAX : 1;
    while (seeds < most && (!(wish.minutes > 0.0) || now_s() - start_s < wish.minutes * 60.0)) {
        uint64_t seed = wish.first + seeds++;
        struct sim *sim = run(&wish, seed);
        ticks += sim->count.ticks;
        crashes += sim->count.crashes;
        acks += sim->count.acks;
        inside += sim->count.inside;
        second += sim->count.refused + sim->count.claims;
        if (wish.is_traced) {
            printf("seed=0x%" PRIx64 " trace=%016" PRIx64 "\n", seed, sim->trace.state);
        }
        if (sim->failed != SIM_NONE) {
            printf("FAIL seed=0x%" PRIx64 " tick=%" PRIu64 " oracle=%s\n%s\n", seed,
                sim->failed_tick, sim_oracle_name(sim->failed), sim->failure);
            if (wish.is_shrinking) {
                shrink(&wish, seed, sim->failed);
            }
            return 1;
        }
        forget(sim);
    }
    double took_s = now_s() - start_s;
    printf("%" PRIu64 " seeds from 0x%" PRIx64 ": %" PRIu64 " ticks, %" PRIu64 " crashes (%" PRIu64
           " within a call of the disk), %" PRIu64 " second daemons, %" PRIu64
           " inputs acknowledged, %.0f seeds a minute\n",
        seeds, wish.first, ticks, crashes, inside, second, acks, (double)seeds * 60.0 / took_s);
    return 0;
}
