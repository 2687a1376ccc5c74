#define _POSIX_C_SOURCE 200809L /* clock_gettime */
/* bench.c: `cairn bench`: how long steps take. */
#include "clients/cli/bench/bench.h"
#include "clients/cli/cli.h"
#include "clients/cli/progress.h"
#include "crew/crew.h"

#include "engine/base/name.h"

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
    const struct cli_call *call;
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
    if (bench->call->bench_minutes > 0) {
        return (int)bench->call->bench_minutes * STEPS_PER_MINUTE;
    }
    return bench->call->bench_steps > 0 ? (int)bench->call->bench_steps : scene->step_count;
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

static bool
make_world(struct bench *bench, struct bench_result *result, struct bench_build *build,
    struct cn_world **world)
{
    struct cn_defect defect;
    const struct cn_world_tools tools = {
        .simd = bench->call->bench_simd,
        .crew = bench->crew,
        .profile = &bench->watch.profile,
    };
    bench_init(build, result->scene->dimension);
    set_name(build->def.settings.stepper, result->stepper);
    set_name(build->def.settings.solver, result->solver);
    build->def.settings.sleep = result->scene->sleeps || bench->call->bench_sleep;
    build->def.settings.substeps = SUBSTEPS;
    build->def.settings.propagation.literal = bench->call->bench_literal;
    build->count = (int)bench->call->bench_count;
    build->triangles = (int)bench->call->bench_triangles;
    result->scene->build(build);
    if (bench->call->bench_substeps > 0) {
        build->def.settings.substeps = (int)bench->call->bench_substeps;
    }
    result->substep_count = build->def.settings.substeps;
    bench_close(build);
    double start = clock_ms(CLOCK_MONOTONIC);
    if (cn_world_create(&build->def, &defect, world) != CN_OK) {
        bench_finish(build);
        cli_complain("%s: %s%s%s", result->scene->name, defect.path,
            defect.path[0] != '\0' ? ": " : "", defect.text);
        return false;
    }
    result->create_ms = clock_ms(CLOCK_MONOTONIC) - start;
    if (cn_world_use(*world, &tools, &defect) != CN_OK) {
        cn_world_destroy(*world);
        bench_finish(build);
        cli_complain("--simd %s", defect.text);
        return false;
    }
    return true;
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
    const struct cli_call *call = bench->call;
    static struct bench_result result;
    result = (struct bench_result){
        .scene = scene,
        .stepper = call->bench_stepper != NULL ? call->bench_stepper : "time",
        .solver = call->bench_solver != NULL ? call->bench_solver : "impulse",
        .step_count = step_count_of(bench, scene),
        .run_count = (int)call->bench_runs,
        .worker_count = (int)call->bench_workers,
        .simd = call->bench_simd != NULL ? call->bench_simd : "best",
        .mean_ms = HUGE_VAL,
    };
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
        if (!make_world(bench, &result, &build, &world)) {
            free(step_ms);
            return CLI_COULD_NOT;
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
is_chosen(const struct cli_call *call, const struct bench_scene *scene)
{
    for (int i = 0; i < call->operand_count; i++) {
        if (is_meant(call->operands[i], scene)) {
            return true;
        }
    }
    return call->operand_count == 0;
}

/* Every operand means a scene. */
static enum cli_exit
check_operands(const struct cli_call *call)
{
    for (int i = 0; i < call->operand_count; i++) {
        bool found = false;
        struct cn_nearest nearest;
        cn_nearest_init(&nearest, call->operands[i]);
        for (int k = 0; k < bench_scene_count; k++) {
            found = found || is_meant(call->operands[i], &bench_scenes[k]);
            cn_nearest_offer(&nearest, bench_scenes[k].name);
        }
        if (!found) {
            cli_complain("there is no scene %s to measure%s (see cairn bench --list)",
                cn_quote(call->operands[i]).text, cn_nearest_hint(&nearest).text);
            return CLI_BAD;
        }
    }
    return CLI_DONE;
}

static enum cli_exit
check_options(struct bench *bench)
{
    const struct cli_call *call = bench->call;
    const char *format = call->bench_format != NULL ? call->bench_format : "table";
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
    if (call->bench_runs == 0 || call->bench_runs > 1000 || call->bench_steps > 1000000 ||
        call->bench_minutes > MINUTES_MAX) {
        cli_complain("--runs is from 1 to 1000, --steps at most 1000000, --minutes at most %d",
            MINUTES_MAX);
        return CLI_BAD;
    }
    if (call->bench_workers == 0 || call->bench_workers > CN_WORKERS_MAX ||
        call->bench_substeps > CN_SUBSTEPS_MAX) {
        cli_complain("--workers is from 1 to %d, --substeps at most %d", CN_WORKERS_MAX,
            CN_SUBSTEPS_MAX);
        return CLI_BAD;
    }
    bool varies = call->bench_count > 0 || call->bench_triangles > 0;
    if (call->bench_count > BENCH_COUNT_MAX || call->bench_triangles > BENCH_TRIANGLES_MAX ||
        (call->bench_triangles > 0 && call->bench_triangles < BENCH_TRIANGLES_MIN) ||
        (varies && (call->operand_count != 1 || strcmp(call->operands[0], "rings") != 0))) {
        cli_complain("--count (up to %d) and --triangles (from %d to %d) are of rings alone",
            BENCH_COUNT_MAX, BENCH_TRIANGLES_MIN, BENCH_TRIANGLES_MAX);
        return CLI_BAD;
    }
    return check_operands(call);
}

static enum cli_exit
run_scenes(struct bench *bench)
{
    enum cli_exit result = CLI_DONE;
    for (int i = 0; i < bench_scene_count; i++) {
        if (is_chosen(bench->call, &bench_scenes[i])) {
            enum cli_exit outcome = run_scene(bench, &bench_scenes[i]);
            result = outcome != CLI_DONE ? outcome : result;
        }
    }
    return result;
}

enum cli_exit
cli_bench(const struct cli_call *call)
{
    struct bench bench = {.call = call};
    enum cli_exit result = check_options(&bench);
    uint64_t total = 0;
    if (result != CLI_DONE) {
        return result;
    }
    for (int i = 0; i < bench_scene_count; i++) {
        const struct bench_scene *scene = &bench_scenes[i];
        if (is_chosen(call, scene)) {
            total += call->bench_runs * (uint64_t)step_count_of(&bench, scene);
            if (call->bench_list) {
                printf("%-8s %-16s %5d steps  %s\n",
                    scene->dimension == CN_PLANAR ? "planar" : "spatial", scene->name,
                    scene->step_count, scene->text);
            }
        }
    }
    if (call->bench_list) {
        return CLI_DONE;
    }
    bench.watch.profile.mark = stopwatch_mark;
    if (call->bench_workers > 1) {
        bench.crew = crew_create((int)call->bench_workers);
        if (bench.crew == NULL) {
            cli_complain("can not start %d threads", (int)call->bench_workers);
            return CLI_COULD_NOT;
        }
    }
    cli_progress_init(&bench.progress, total);
    result = run_scenes(&bench);
    crew_destroy(bench.crew);
    return result;
}
