/* hold.c: checks all laws on one scene with one method. */
#include "tests/laws/laws.h"

#include <string.h>

/* One scene in SELDOM also runs as an image, and one in SELDOM against a reference. */
#define SELDOM 4
#define REFERENCE_BODIES 7

static void
look(struct laws_run *run)
{
    laws_told(run);
    laws_instant(run);
    laws_forces(run);
    laws_momentum(run);
    laws_approach(run);
    laws_energy(run);
    laws_budget_check(run);
}

static void
spent(struct laws_run *run)
{
    laws_check(run, LAWS_budget, (double)run->work,
        (double)laws_budget(run->before.contact_count, run->scene->def.body_count),
        "given up, with %d contacts, after %.3g s", run->before.contact_count, run->cpu);
}

static int
dynamic_count(const struct laws_scene *scene)
{
    int count = 0;
    for (int i = 0; i < scene->def.body_count; i++) {
        count += scene->def.bodies[i].type == CN_DYNAMIC;
    }
    return count;
}

bool
laws_hold(const struct laws_scene *scene, struct laws_method method, struct laws_sink *sink)
{
    struct laws_run run;
    enum laws_run_state state = laws_run_begin(&run, scene, method, sink);
    if (state == LAWS_RUN_REFUSED) {
        return false;
    }
    if (state == LAWS_RUN_ON) {
        look(&run);
    }
    while (run.tick < scene->ticks && state == LAWS_RUN_ON) {
        state = laws_run_tick(&run);
        if (state == LAWS_RUN_ON) {
            look(&run);
        }
    }
    if (state == LAWS_RUN_SPENT) {
        spent(&run);
    }
    laws_run_end(&run);
    bool small = dynamic_count(scene) < REFERENCE_BODIES && state == LAWS_RUN_ON;
    uint64_t turn = scene->seed % SELDOM;
    bool usual = scene->def.settings.time_rate == 1.0 && scene->def.tick_rate < 100.0;
    if (small && turn == 0) {
        laws_image(scene, method, sink);
    } else if (small && usual && turn == 1 && method.solver->kind == CN_SOLVER_PROBLEM) {
        laws_reference(scene, method, sink);
    }
    return true;
}
