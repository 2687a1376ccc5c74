/*
 * sim.c: runs seeds of the simulator, one after another.
 *
 * usage: sim [--first S] [--seeds N] [--seed S] [--minutes M] [--seconds T] [--without FAULT]...
 *            [--shrink] [--tell] [--trace]
 *
 * A failing seed prints "FAIL seed=0x... tick=... oracle=...", and --seed repeats it exactly.
 * --minutes is the time after which no further seed begins.  --shrink switches faults of a failing
 * seed off, one by one, while it still fails.
 */
#include "tests/sim/sim.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct wish {
    uint64_t first, count, duration_ns;
    double minutes;
    bool without[SIM_FAULT_COUNT], is_shrinking, is_traced;
};

static uint64_t seed_now;

static void
on_abort(int number)
{
    char text[96];
    int size = snprintf(text, sizeof(text), "FAIL seed=0x%" PRIx64 " tick=0 oracle=asserts\n",
        seed_now);
    ssize_t written = write(1, text, (size_t)size);
    (void)written;
    (void)number;
    _exit(1);
}

/* Runs a seed by its plan, less the unwanted faults. */
static struct sim *
run_seed(const struct wish *wish, uint64_t seed)
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
forget_sim(struct sim *sim)
{
    if (sim->failed == SIM_NONE) {
        sim_finish(sim);
    }
    free(sim);
}

static void
shrink_seed(struct wish *wish, uint64_t seed, enum sim_oracle oracle)
{
    for (int i = 0; i < SIM_FAULT_COUNT; i++) {
        if (wish->without[i]) {
            continue;
        }
        wish->without[i] = true;
        struct sim *sim = run_seed(wish, seed);
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

static bool
parse_wish(int count, char **texts, struct wish *wish)
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
    uint64_t seeds = 0, ticks = 0, crashes = 0, acks = 0, returned = 0, inside = 0, second = 0;
    if (!parse_wish(argument_count, arguments, &wish)) {
        return 2;
    }
    signal(SIGABRT, on_abort);
    double start_s = now_s();
    uint64_t most = wish.count > 0 ? wish.count : wish.minutes > 0.0 ? UINT64_MAX : 1;
    while (seeds < most && (!(wish.minutes > 0.0) || now_s() - start_s < wish.minutes * 60.0)) {
        uint64_t seed = wish.first + seeds++;
        struct sim *sim = run_seed(&wish, seed);
        ticks += sim->count.ticks;
        crashes += sim->count.crashes;
        acks += sim->count.acks;
        returned += sim->count.returned;
        inside += sim->count.inside;
        second += sim->count.refused + sim->count.claims;
        if (wish.is_traced) {
            printf("seed=0x%" PRIx64 " trace=%016" PRIx64 "\n", seed, sim->trace.state);
        }
        if (sim->failed != SIM_NONE) {
            printf("FAIL seed=0x%" PRIx64 " tick=%" PRIu64 " oracle=%s\n%s\n", seed,
                sim->failed_tick, sim_oracle_name(sim->failed), sim->failure);
            if (wish.is_shrinking) {
                shrink_seed(&wish, seed, sim->failed);
            }
            return 1;
        }
        forget_sim(sim);
    }
    double took_s = now_s() - start_s;
    printf("%" PRIu64 " seeds from 0x%" PRIx64 ": %" PRIu64 " ticks, %" PRIu64 " crashes (%" PRIu64
           " within a call of the disk), %" PRIu64 " second daemons, %" PRIu64
           " inputs acknowledged, %" PRIu64 " sessions back after a restart, %.0f seeds a minute\n",
        seeds, wish.first, ticks, crashes, inside, second, acks, returned,
        (double)seeds * 60.0 / took_s);
    return 0;
}
