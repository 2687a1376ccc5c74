/* Draws the plan of a run from a seed. */
#include "tests/sim/sim.h"

#include <math.h>
#include <string.h>

uint64_t
sim_random_next(struct sim_random *random)
{
    uint64_t mixed = (random->state += UINT64_C(0x9e3779b97f4a7c15));
    mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94d049bb133111eb);
    return mixed ^ (mixed >> 31);
}

uint64_t
sim_random_below(struct sim_random *random, uint64_t end)
{
    return end > 0 ? sim_random_next(random) % end : 0;
}

bool
sim_random_is(struct sim_random *random, double chance)
{
    return (double)(sim_random_next(random) >> 11) < chance * 9007199254740992.0;
}

double
sim_random_scale(struct sim_random *random, double least, double most)
{
    double part = (double)(sim_random_next(random) >> 11) / 9007199254740992.0;
    return least * pow(most / least, part);
}

const char *
sim_fault_name(enum sim_fault fault)
{
    static const char *const names[] = {
#define X(NAME, name, percent, text) name,
        SIM_FAULT_TABLE(X)
#undef X
    };
    return names[fault];
}

const char *
sim_oracle_name(enum sim_oracle oracle)
{
    static const char *const names[] = {
#define X(NAME, name, text) name,
        SIM_ORACLE_TABLE(X)
#undef X
    };
    return names[oracle];
}

static void
draw_worlds(struct sim_plan *plan, struct sim_random *random)
{
    bool is_large = sim_random_is(random, 0.1);
    plan->world_count = 1 + (int)sim_random_below(random, is_large ? 1 : SIM_WORLDS_MAX);
    for (int i = 0; i < plan->world_count; i++) {
        static const int rates[] = {20, 30, 60};
        plan->body_count[i] = is_large ? 16 + (int)sim_random_below(random, 49)
                                       : 1 + (int)sim_random_below(random, 4);
        plan->rate_hz[i] = rates[sim_random_below(random, 3)];
        plan->durability[i] = sim_random_is(random, 0.8) ? WIRE_DURABILITY_TICK
                                                         : WIRE_DURABILITY_SECOND;
        plan->stepper[i] = is_large || sim_random_is(random, 0.85)
            ? "stepper: time, solver: impulse"
            : "stepper: event";
    }
}

void
sim_plan_draw(struct sim_plan *plan, uint64_t seed, uint64_t duration_ns)
{
    static const int percent[] = {
#define X(NAME, name, percent, text) percent,
        SIM_FAULT_TABLE(X)
#undef X
    };
    struct sim_random random = {seed * UINT64_C(0x9e3779b97f4a7c15) + 17};
    memset(plan, 0, sizeof(*plan));
    plan->seed = seed;
    plan->duration_ns = duration_ns;
    struct sim_random more = {seed * UINT64_C(0x9e3779b97f4a7c15) + 23};
    for (int i = 0; i < SIM_FAULT_COUNT; i++) {
        bool is_later = i >= SIM_CROWD; /* than the seeds that are kept */
        plan->has[i] = sim_random_is(is_later ? &more : &random, percent[i] / 100.0);
    }
    draw_worlds(plan, &random);
    plan->client_count = 1 + (int)sim_random_below(&random, SIM_CLIENTS_MAX);
    for (int i = 0; i < SIM_CLIENTS_MAX; i++) {
        double ms = sim_random_scale(&random, 16.0, 400.0);
        plan->input_period_ns[i] = (uint64_t)(ms * 1e6);
    }
    plan->keep_running = sim_random_is(&random, 0.8);
    plan->checkpoint_period_ns = (uint64_t)(sim_random_scale(&random, 0.3, 20.0) * 1e9);
    plan->delay_ms = sim_random_scale(&random, 1.0, 2000.0);
    plan->clog_rate = sim_random_scale(&random, 0.01, 0.5);
    plan->partition_rate = sim_random_scale(&random, 0.01, 0.2);
    plan->cut_rate = sim_random_scale(&random, 0.01, 0.5);
    plan->eio_chance = sim_random_scale(&random, 1e-5, 1e-3);
    plan->full_rate = sim_random_scale(&random, 0.02, 0.3);
    plan->crash_rate = sim_random_scale(&random, 0.02, 0.5);
    plan->latency_chance = sim_random_scale(&random, 1e-4, 3e-2);
    bool is_tiny = plan->has[SIM_TINY];
    plan->lane_size = is_tiny ? (size_t)(512 * 1024) << sim_random_below(&random, 3) : 0;
    plan->buffer_size = is_tiny ? (size_t)sim_random_scale(&random, 500.0, 20000.0) : 128 * 1024;
    plan->history_size = is_tiny || sim_random_is(&random, 0.3) ? 0 : SV_STORE_HISTORY_SIZE;
    plan->drift = plan->has[SIM_DRIFT] ? (sim_random_is(&random, 0.5) ? 5e-4 : -5e-4) : 0.0;
}

const char *
sim_scene_text(const struct sim_plan *plan, int world)
{
    static char text[16384];
    const char *durability =
        plan->durability[world] == WIRE_DURABILITY_TICK ? "TICK" : "SECOND";
    int used = snprintf(text, sizeof(text),
        "name: w%d\n"
        "world: {%s, tickRate: %d, durability: %s}\n"
        "bodies:\n"
        "  - {name: floor, type: STATIC, position: {y: -0.5},\n"
        "     shapes: [{box: {size: {x: 60, y: 1, z: 1}}}]}\n",
        world, plan->stepper[world], plan->rate_hz[world], durability);
    for (int i = 0; i < plan->body_count[world]; i++) {
        used += snprintf(text + used, sizeof(text) - (size_t)used,
            "  - {name: b%d, mass: 2, position: {x: %d, y: %d.5},\n"
            "     shapes: [{box: {size: {x: 1, y: 1, z: 1}}}]}\n",
            i, 2 * (i % 20) - 20, i / 20);
    }
    return text;
}

struct sv_scene *
sim_scene(const struct sim_plan *plan, int world)
{
    struct wire_text_error wrong;
    const char *text = sim_scene_text(plan, world);
    struct wire_scene *scene = wire_scene_parse(text, strlen(text), &wrong);
    CN_ASSERT(scene != NULL);
    return sv_scene_create(scene);
}
