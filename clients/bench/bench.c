#define _POSIX_C_SOURCE 200809L /* clock_gettime */
/* bench.c: runs scenes and measures how long their steps take. */
#include "clients/bench/bench.h"
#include "clients/base/progress.h"
#include "clients/bench/bench_options.h"
#include "crew/crew.h"

#include "engine/base/assert.h"
#include "engine/base/name.h"
#include "engine/solve/table/solver_table.h"
#include "engine/step/stepper.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define STEPS_PER_MINUTE 3600
#define MINUTES_MAX 240
#define SUBSTEPS 4 /* of a step, where neither scene nor option says otherwise */

static double
clock_ms(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return 1e3 * (double)time.tv_sec + 1e-6 * (double)time.tv_nsec;
}

static int
compare_times(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sums the time between marks. */
struct stopwatch {
    struct cn_profile profile; /* first: the hook is called with its address */
    double mark_ms;
    double sum_ms[CN_PHASE_COUNT];
};

static void
stopwatch_mark(struct cn_profile *profile, enum cn_phase phase)
{
    struct stopwatch *watch = (struct stopwatch *)profile;
    double now = clock_ms(CLOCK_MONOTONIC);
    watch->sum_ms[phase] += now - watch->mark_ms;
    watch->mark_ms = now;
}

/* The state of a benchmark that all its scenes share. */
struct bench {
    const struct bench_options *options;
    struct cn_crew *crew; /* NULL: one worker */
    struct stopwatch watch;
    enum bench_format format;
    struct cli_progress progress;
    uint64_t done; /* steps */
    bool printed;
};

static int
step_count_of(const struct bench *bench, const struct bench_scene *scene)
{
    if (bench->options->minutes > 0) {
        return (int)bench->options->minutes * STEPS_PER_MINUTE;
    }
    return bench->options->steps > 0 ? (int)bench->options->steps : scene->step_count;
}

static bool
is_finite(const struct cn_world *world)
{
    for (int i = 0; i < cn_world_body_count(world); i++) {
        struct cn_body_view view;
        cn_world_body_view(world, i, &view);
        if (!cn_vec3_is_finite(view.position) || !cn_vec3_is_finite(view.velocity)) {
            return false;
        }
    }
    return true;
}

static void
set_name(char name[CN_NAME_SIZE], const char *value)
{
    memset(name, 0, CN_NAME_SIZE);
    strncpy(name, value, CN_NAME_SIZE - 1);
}

/* CLI_DONE; CLI_BAD if an option is wrong for every scene, CLI_COULD_NOT if it is for this one. */
static enum cli_exit
make_world(struct bench *bench, struct bench_result *result, struct bench_build *build,
    struct cn_world **world)
{
    struct cn_defect defect;
    const struct cn_world_tools tools = {
        .simd = bench->options->simd,
        .crew = bench->crew,
        .profile = &bench->watch.profile,
    };
    bench_init(build, result->scene->dimension);
    set_name(build->def.settings.stepper, result->stepper);
    set_name(build->def.settings.solver, result->solver);
    build->def.settings.sleep = result->scene->sleeps || bench->options->sleep;
    build->def.settings.substeps = SUBSTEPS;
    build->def.settings.propagation.literal = bench->options->literal;
    build->count = (int)bench->options->count;
    build->triangles = (int)bench->options->triangles;
    result->scene->build(build);
    if (bench->options->substeps > 0) {
        build->def.settings.substeps = (int)bench->options->substeps;
    }
    result->substep_count = build->def.settings.substeps;
    bench_close(build);
    double start = clock_ms(CLOCK_MONOTONIC);
    if (cn_world_create(&build->def, &defect, world) != CN_OK) {
        bench_finish(build);
        cli_complain("%s: %s%s%s", result->scene->name, defect.path,
            defect.path[0] != '\0' ? ": " : "", defect.text);
        return CLI_COULD_NOT;
    }
    result->create_ms = clock_ms(CLOCK_MONOTONIC) - start;
    if (cn_world_use(*world, &tools, &defect) != CN_OK) {
        cn_world_destroy(*world);
        bench_finish(build);
        cli_complain("--simd %s", defect.text);
        return CLI_BAD;
    }
    return CLI_DONE;
}

/*
 * Runs the scene once; step_ms[k] becomes the least that step k has taken in any run.  False, with
 * a complaint, where there is no memory for a step: what is left out would be measured as quick.
 */
static bool
run_once(struct bench *bench, struct bench_result *result, struct cn_world *world,
    const struct bench_build *build, double *step_ms)
{
    static struct bench_script script;
    memset(&script, 0, sizeof(script));
    double sum = 0.0, cpu = 0.0;
    /* For scenes with meshes on one worker the time is the thread's own, without other programs. */
    bool alone = bench_has_meshes(result->scene) && result->worker_count == 1;
    clockid_t clock = alone ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
    for (int k = 0; k < result->step_count; k++) {
        double start = clock_ms(clock), start_cpu = clock_ms(CLOCK_PROCESS_CPUTIME_ID);
        if (k == 1) {
            memset(bench->watch.sum_ms, 0, sizeof(bench->watch.sum_ms));
        }
        if (result->scene->script != NULL) {
            result->scene->script(&script, world, k);
        }
        bench->watch.mark_ms = clock_ms(CLOCK_MONOTONIC);
        enum cn_step_result did;
        while ((did = cn_world_step(world, CN_WORK_UNLIMITED)) == CN_STEP_MORE) {
        }
        if (did == CN_STEP_MEMORY) {
            cli_progress_finish(&bench->progress);
            cli_complain("%s: no memory for step %d", result->scene->name, k + 1);
            return false;
        }
        double taken = clock_ms(clock) - start;
        cpu += k > 0 ? clock_ms(CLOCK_PROCESS_CPUTIME_ID) - start_cpu : 0.0;
        step_ms[k] = fmin(step_ms[k], taken);
        sum += k > 0 ? taken : 0.0;
        if (bench_has_meshes(result->scene)) {
            bench_depths_watch(&result->depths, world, build, k, result->step_count);
        }
        if (bench_has_rings(result->scene)) {
            bench_rings_watch(&result->rings, world, k);
        }
        if (result->scene->measured) {
            bench_stand_watch(&result->stand, world, build, k);
        }
        cli_progress_show(&bench->progress, ++bench->done);
    }
    int counted = result->step_count > 1 ? result->step_count - 1 : 1;
    if (sum / counted < result->mean_ms) {
        result->mean_ms = sum / counted;
        result->cpu_ms = cpu / counted;
        for (int i = 0; i < CN_PHASE_COUNT; i++) {
            result->phase_ms[i] = bench->watch.sum_ms[i] / counted;
        }
    }
    return true;
}

static void
note_end(struct bench_result *result, const struct cn_world *world,
    const struct bench_build *build)
{
    const struct cn_contact_view *contact;
    result->body_count = cn_world_body_count(world);
    result->shape_count = build->shape.count;
    result->joint_count = cn_world_joint_count(world);
    result->counts = cn_world_count(world);
    result->contact_count = cn_world_contacts(world, &contact);
    result->image_size = cn_world_image_size(world);
    result->hash = cn_world_hash(world);
    result->is_finite = is_finite(world);
    if (result->scene->measured) {
        struct bench_stand end = bench_stand_measure(world, build);
        end.fell = result->stand.fell;
        end.slept = result->stand.slept;
        result->stand = end;
    }
}

static void
note_times(struct bench_result *result, double *step_ms)
{
    int count = result->step_count - 1;
    if (count < 1) {
        return;
    }
    qsort(step_ms + 1, (size_t)count, sizeof(*step_ms), compare_times);
    result->min_ms = step_ms[1];
    result->median_ms = step_ms[1 + count / 2];
    result->p99_ms = step_ms[1 + (int)(0.99 * (count - 1))];
}

static enum cli_exit
run_scene(struct bench *bench, const struct bench_scene *scene)
{
    const struct bench_options *options = bench->options;
    static struct bench_result result;
    result = (struct bench_result){
        .scene = scene,
        .stepper = options->stepper,
        .solver = options->solver,
        .step_count = step_count_of(bench, scene),
        .run_count = (int)options->runs,
        .worker_count = (int)options->workers,
        .simd = options->simd != NULL ? options->simd : "best",
        .mean_ms = HUGE_VAL,
    };
    CN_ASSERT(result.step_count > 0 && result.run_count > 0); /* check_options has refused others */
    double *step_ms = malloc((size_t)result.step_count * sizeof(*step_ms));
    if (step_ms == NULL) {
        cli_complain("no memory for %d steps", result.step_count);
        return CLI_COULD_NOT;
    }
    for (int k = 0; k < result.step_count; k++) {
        step_ms[k] = HUGE_VAL;
    }
    for (int run = 0; run < result.run_count; run++) {
        struct bench_build build;
        struct cn_world *world;
        enum cli_exit made = make_world(bench, &result, &build, &world);
        if (made != CLI_DONE) {
            free(step_ms);
            return made;
        }
        bool ran = run_once(bench, &result, world, &build, step_ms);
        if (ran) {
            note_end(&result, world, &build);
        }
        cn_world_destroy(world);
        bench_finish(&build);
        if (!ran) {
            free(step_ms);
            return CLI_COULD_NOT;
        }
    }
    note_times(&result, step_ms);
    free(step_ms);
    cli_progress_finish(&bench->progress);
    bench_print(stdout, bench->format, &result, !bench->printed);
    bench->printed = true;
    return CLI_DONE;
}

/* "washer", "planar", "planar/washer". */
static bool
is_meant(const char *word, const struct bench_scene *scene)
{
    const char *dimension = scene->dimension == CN_PLANAR ? "planar" : "spatial";
    size_t length = strlen(dimension);
    return strcmp(word, scene->name) == 0 || strcmp(word, dimension) == 0 ||
           (strncmp(word, dimension, length) == 0 && word[length] == '/' &&
               strcmp(word + length + 1, scene->name) == 0);
}

static bool
is_chosen(const struct bench_options *options, const struct bench_scene *scene)
{
    for (int i = 0; i < options->scenes.count; i++) {
        if (is_meant(options->scenes.words[i], scene)) {
            return true;
        }
    }
    return options->scenes.count == 0;
}

/* Every operand means a scene. */
static enum cli_exit
check_operands(const struct bench_options *options)
{
    for (int i = 0; i < options->scenes.count; i++) {
        bool found = false;
        struct cn_nearest nearest;
        cn_nearest_init(&nearest, options->scenes.words[i]);
        for (int k = 0; k < bench_scene_count; k++) {
            found = found || is_meant(options->scenes.words[i], &bench_scenes[k]);
            cn_nearest_offer(&nearest, bench_scenes[k].name);
        }
        if (!found) {
            cli_complain("there is no scene %s to measure%s (see cairn-bench --list)",
                cn_quote(options->scenes.words[i]).text, cn_nearest_hint(&nearest).text);
            return CLI_BAD;
        }
    }
    return CLI_DONE;
}

static enum cli_exit
check_options(struct bench *bench)
{
    const struct bench_options *options = bench->options;
    const char *format = options->format;
    static const char *const names[] = {"table", "json", "csv"};
    int k = 0;
    while (k < 3 && strcmp(format, names[k]) != 0) {
        k++;
    }
    if (k == 3) {
        cli_complain("--format is %s; table, json or csv is accepted", cn_quote(format).text);
        return CLI_BAD;
    }
    bench->format = (enum bench_format)k;
    if (cn_stepper_find(options->stepper) == NULL) {
        cli_complain("--stepper is %s; cairn list steppers prints what is accepted",
            cn_quote(options->stepper).text);
        return CLI_BAD;
    }
    if (cn_solver_find(options->solver) == NULL) {
        cli_complain("--solver is %s; cairn list solvers prints what is accepted",
            cn_quote(options->solver).text);
        return CLI_BAD;
    }
    if (options->runs == 0 || options->runs > 1000 || options->steps > 1000000 ||
        options->minutes > MINUTES_MAX) {
        cli_complain("--runs is from 1 to 1000, --steps at most 1000000, --minutes at most %d",
            MINUTES_MAX);
        return CLI_BAD;
    }
    if (options->workers == 0 || options->workers > CN_WORKERS_MAX ||
        options->substeps > CN_SUBSTEPS_MAX) {
        cli_complain("--workers is from 1 to %d, --substeps at most %d", CN_WORKERS_MAX,
            CN_SUBSTEPS_MAX);
        return CLI_BAD;
    }
    bool is_rings = options->scenes.count == 1 && strcmp(options->scenes.words[0], "rings") == 0;
    bool varies = options->count > 0 || options->triangles > 0;
    if (options->count > BENCH_COUNT_MAX || options->triangles > BENCH_TRIANGLES_MAX ||
        (options->triangles > 0 && options->triangles < BENCH_TRIANGLES_MIN) ||
        (varies && !is_rings)) {
        cli_complain("--count (up to %d) and --triangles (from %d to %d) want one scene: rings",
            BENCH_COUNT_MAX, BENCH_TRIANGLES_MIN, BENCH_TRIANGLES_MAX);
        return CLI_BAD;
    }
    return check_operands(options);
}

static enum cli_exit
run_scenes(struct bench *bench)
{
    enum cli_exit result = CLI_DONE;
    for (int i = 0; i < bench_scene_count && result != CLI_BAD; i++) {
        if (is_chosen(bench->options, &bench_scenes[i])) {
            enum cli_exit outcome = run_scene(bench, &bench_scenes[i]);
            result = outcome != CLI_DONE ? outcome : result;
        }
    }
    return result;
}

enum cli_exit
bench_run(const struct bench_options *options)
{
    struct bench bench = {.options = options};
    enum cli_exit result = check_options(&bench);
    uint64_t total = 0;
    if (result != CLI_DONE) {
        return result;
    }
    for (int i = 0; i < bench_scene_count; i++) {
        const struct bench_scene *scene = &bench_scenes[i];
        if (is_chosen(options, scene)) {
            total += options->runs * (uint64_t)step_count_of(&bench, scene);
            if (options->list) {
                printf("%-8s %-16s %5d steps  %s\n",
                    scene->dimension == CN_PLANAR ? "planar" : "spatial", scene->name,
                    scene->step_count, scene->text);
            }
        }
    }
    if (options->list) {
        return CLI_DONE;
    }
    bench.watch.profile.mark = stopwatch_mark;
    if (options->workers > 1) {
        bench.crew = crew_create((int)options->workers);
        if (bench.crew == NULL) {
            cli_complain("can not start %d threads", (int)options->workers);
            return CLI_COULD_NOT;
        }
    }
    cli_progress_init(&bench.progress, total);
    result = run_scenes(&bench);
    crew_destroy(bench.crew);
    return result;
}
