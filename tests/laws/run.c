/* run.c: runs one scene with one method, and takes the world's reports after each tick. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "tests/laws/laws.h"

#include "engine/base/assert.h"
#include "engine/solve/table/solver_table.h"
#include "engine/world/world_inside.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A tick is done in slices of so many operations, so that one that does not end can be left. */
#define SLICE 1000000

/* Times its budget: then a tick is given up. */
#define PATIENCE 3

/*
 * Operations of a tick.  A thousand contacts in real time at 60 Hz are 17 ms a tick; the worst is
 * 20 times that, and it grows as n^1.5.  The first term is what any tick may take.
 */
#define BUDGET_ANY 2e7
#define BUDGET_THOUSAND (20.0 * 1.7e7)

int64_t
laws_budget(int contact_count, int body_count)
{
    double n = 1e-3 * (contact_count > body_count ? contact_count : body_count);
    return (int64_t)(BUDGET_ANY + BUDGET_THOUSAND * n * sqrt(n));
}

int
laws_methods(struct laws_method methods[LAWS_METHODS_MAX])
{
    int count = 0;
    for (int i = 0; i < cn_stepper_count; i++) {
        for (int k = 0; k < cn_solver_count; k++) {
            if (cn_stepper_fits(cn_steppers[i], cn_solvers[k])) {
                CN_ASSERT(count < LAWS_METHODS_MAX);
                methods[count++] = (struct laws_method){cn_steppers[i], cn_solvers[k]};
            }
        }
    }
    return count;
}

bool
laws_is_exact(const struct laws_method *method)
{
    return strcmp(method->stepper->name, "event") == 0;
}

bool
laws_is_march(const struct laws_method *method)
{
    return method->solver->kind == CN_SOLVER_PROBLEM && !laws_is_exact(method);
}

/* ---- moments ---- */

/* The contact had an impact in the tick and has parted since; its present gap was not computed. */
static bool
is_past(const struct cn_contact_view *contact, double gap)
{
    return contact->impulse > 0.0 && contact->force == 0.0 && contact->velocity == 0.0 &&
           contact->gap == gap;
}

static void
moment_read(struct laws_moment *moment, const struct cn_world *world)
{
    const struct cn_contact_view *contacts;
    moment->contact_count = cn_world_contacts(world, &contacts);
    if (moment->contact_count > moment->contact_max) {
        moment->contact_max = 2 * moment->contact_count;
        free(moment->contact);
        moment->contact =
            malloc((size_t)moment->contact_max * sizeof(moment->contact[0]));
        CN_ASSERT(moment->contact != NULL);
    }
    if (moment->contact_count > 0) {
        memcpy(moment->contact, contacts,
            (size_t)moment->contact_count * sizeof(moment->contact[0]));
    }
    moment->touching_count = moment->contact_count;
    double gap = cn_world_gap_tolerance(world);
    while (moment->touching_count > 0 &&
           is_past(&moment->contact[moment->touching_count - 1], gap)) {
        moment->touching_count--;
    }
    for (int i = 0; i < moment->body_count; i++) {
        cn_world_body_view(world, i, &moment->body[i]);
    }
    for (int i = 0; i < moment->joint_count; i++) {
        cn_world_joint_view(world, i, &moment->joint[i]);
    }
    moment->energy = cn_world_energy(world);
    moment->summary = cn_world_solve_summary(world);
    moment->time = cn_world_time(world);
}

static void
moment_init(struct laws_moment *moment, int bodies, int joints)
{
    moment->body_count = bodies;
    moment->joint_count = joints;
    moment->body = calloc((size_t)bodies + 1, sizeof(moment->body[0]));
    moment->joint = calloc((size_t)joints + 1, sizeof(moment->joint[0]));
    CN_ASSERT(moment->body != NULL && moment->joint != NULL);
}

static void
moment_finish(struct laws_moment *moment)
{
    free(moment->body);
    free(moment->joint);
    free(moment->contact);
}

/* ---- runs ---- */

static struct cn_world *
make_world(const struct laws_scene *scene, struct laws_method method, struct cn_defect *defect)
{
    struct cn_world_def def = scene->def;
    struct cn_world *world = NULL;
    snprintf(def.settings.stepper, sizeof(def.settings.stepper), "%s", method.stepper->name);
    snprintf(def.settings.solver, sizeof(def.settings.solver), "%s", method.solver->name);
    if (cn_world_create(&def, defect, &world) != CN_OK) {
        return NULL;
    }
    if (cn_world_deep_check(world, defect) != CN_OK) {
        cn_world_destroy(world);
        return NULL;
    }
    return world;
}

static void
find_groups(struct laws_run *run)
{
    const struct cn_world_def *def = &run->scene->def;
    for (int i = 0; i < def->body_count; i++) {
        run->group[i] = def->bodies[i].type == CN_DYNAMIC ? i : -1;
    }
    for (bool more = true; more;) { /* each round lowers a group's number */
        more = false;
        for (int k = 0; k < def->joint_count; k++) {
            int a = def->joints[k].body_a, b = def->joints[k].body_b;
            int low_a = a < 0 ? -1 : run->group[a], low_b = run->group[b];
            int low = low_a < low_b ? low_a : low_b;
            more = more || low_a != low_b;
            run->group[b] = low;
            if (a >= 0) {
                run->group[a] = low;
            }
        }
    }
}

static double
cpu_now(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/*
 * Does a tick, or a look at its forces, in slices; false if it goes far beyond the tick's budget.
 */
static bool
go_on(struct laws_run *run, int contacts,
    enum cn_step_result (*slice)(struct cn_world *world, int64_t work))
{
    int64_t most = PATIENCE * laws_budget(contacts, run->scene->def.body_count);
    double begun = cpu_now();
    run->work = 0;
    enum cn_step_result result = CN_STEP_MORE;
    while (result != CN_STEP_DONE && run->work < most) {
        result = slice(run->world, SLICE);
        run->work += SLICE;
    }
    run->cpu = cpu_now() - begun;
    return result == CN_STEP_DONE;
}

/*
 * Looks at the world and reads its state.  The work of a look does not count as the tick's work,
 * but has the same bound.
 */
static bool
look(struct laws_run *run, int contacts)
{
    int64_t work = run->work;
    double cpu = run->cpu;
    if (!go_on(run, contacts, cn_world_look)) {
        return false;
    }
    run->work = work;
    run->cpu = cpu;
    moment_read(&run->after, run->world);
    return true;
}

enum laws_run_state
laws_run_begin(struct laws_run *run, const struct laws_scene *scene, struct laws_method method,
    struct laws_sink *sink)
{
    *run = (struct laws_run){.scene = scene, .method = method, .sink = sink};
    struct cn_defect defect;
    run->world = make_world(scene, method, &defect);
    if (run->world == NULL) {
        if (sink->verbose) {
            printf("  refused: %s: %s\n", defect.path, defect.text);
        }
        return LAWS_RUN_REFUSED;
    }
    int bodies = scene->def.body_count;
    run->h = scene->def.settings.time_rate / scene->def.tick_rate;
    run->group = calloc((size_t)bodies, sizeof(run->group[0]));
    CN_ASSERT(run->group != NULL);
    find_groups(run);
    moment_init(&run->before, bodies, scene->def.joint_count);
    moment_init(&run->after, bodies, scene->def.joint_count);
    return look(run, 2 * bodies) ? LAWS_RUN_ON : LAWS_RUN_SPENT;
}

enum laws_run_state
laws_run_tick(struct laws_run *run)
{
    struct laws_moment moment = run->before;
    run->before = run->after;
    run->after = moment;
    run->tick++;
    if (!go_on(run, run->before.contact_count, cn_world_step) ||
        !look(run, run->before.contact_count)) {
        return LAWS_RUN_SPENT;
    }
    run->event_count = cn_world_events(run->world, &run->event);
    return LAWS_RUN_ON;
}

void
laws_run_end(struct laws_run *run)
{
    moment_finish(&run->before);
    moment_finish(&run->after);
    free(run->group);
    cn_world_destroy(run->world);
}

bool
laws_run_through(
    struct laws_run *run, const struct laws_scene *scene, struct laws_method method, int ticks)
{
    static struct laws_sink none;
    if (laws_run_begin(run, scene, method, &none) != LAWS_RUN_ON) {
        return false;
    }
    bool done = true;
    for (int i = 0; i < ticks && done; i++) {
        run->tick++;
        done = go_on(run, run->after.contact_count, cn_world_step);
    }
    return done && look(run, run->after.contact_count);
}

struct laws_measure
laws_measure(const struct laws_run *run)
{
    const struct cn_model *model = &run->world->model;
    return (struct laws_measure){
        .gap = model->gap_tolerance,
        .still = model->velocity_tolerance,
        .rest = cn_model_velocity_rest(model),
        .width = model->length_min,
        .pieces = (int)model->clock.pieces,
    };
}

bool
laws_has_event(const struct laws_run *run, enum cn_event_kind kind)
{
    for (int i = 0; i < run->event_count; i++) {
        if (run->event[i].kind == kind) {
            return true;
        }
    }
    return false;
}

bool
laws_moves(const struct laws_run *run, int body)
{
    return body >= 0 && run->scene->def.bodies[body].type == CN_DYNAMIC &&
           !run->after.body[body].quarantined;
}

/* ---- findings ---- */

#define X(name, text) #name,
static const char *const law_names[] = {LAWS_LAW_TABLE(X)};
#undef X
#define X(name, text) text,
static const char *const law_texts[] = {LAWS_LAW_TABLE(X)};
#undef X

const char *
laws_law_name(enum laws_law law)
{
    return law_names[law];
}

const char *
laws_law_text(enum laws_law law)
{
    return law_texts[law];
}

static void __attribute__((format(printf, 6, 0)))
note(struct laws_sink *sink, int tick, enum laws_law law, double figure, double bound,
    const char *format, va_list list)
{
    sink->check_count[law]++;
    if (figure <= bound) {
        return;
    }
    struct laws_finding *finding = &sink->finding[law];
    double worse = isfinite(figure) ? figure / bound : HUGE_VAL;
    double worst = isfinite(finding->figure) ? finding->figure / finding->bound : HUGE_VAL;
    if (sink->broken[law] && !(worse > worst)) {
        return;
    }
    sink->broken[law] = true;
    finding->law = law;
    finding->tick = tick;
    finding->figure = figure;
    finding->bound = bound;
    (void)vsnprintf(finding->text, sizeof(finding->text), format, list);
    if (sink->verbose) {
        printf("  tick %d: %s: %g > %g: %s\n", tick, laws_law_name(law), figure, bound,
            finding->text);
    }
}

void
laws_check_at(struct laws_sink *sink, int tick, enum laws_law law, double figure, double bound,
    const char *format, ...)
{
    va_list list;
    va_start(list, format);
    note(sink, tick, law, figure, bound, format, list);
    va_end(list);
}

void
laws_check(struct laws_run *run, enum laws_law law, double figure, double bound,
    const char *format, ...)
{
    va_list list;
    va_start(list, format);
    note(run->sink, run->tick, law, figure, bound, format, list);
    va_end(list);
}
