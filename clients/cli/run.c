/* run.c: `cairn run`. */
#include "clients/base/progress.h"
#include "clients/cli/csv.h"
#include "clients/cli/recording/run_record.h"
#include "clients/cli/sample.h"
#include "clients/cli/scene_file.h"

#include "crew/crew.h"
#include "deed/rules/follow.h"
#include "engine/base/name.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* Work between two readings of the clock: some hundredths of a second. */
#define WORK_PIECE 20000000

struct run {
    const struct cli_call *call;
    const struct wire_scene *scene;
    struct cn_world *world;
    struct dd_follower followed; /* borrows both; `shown` is the scene as it is now */
    struct dd_rules rules;
    struct cn_crew *crew;
    FILE *out;
    bool is_csv, is_joints; /* CSV of bodies, or of joints; neither: JSON */
    struct wire_json json;
    struct cli_events events;
    struct cli_progress progress;
    struct cli_run_record record;
};

static bool
write_sample(struct run *run)
{
    if (run->is_csv) {
        cli_csv_sample(run->out, run->followed.shown, run->world);
    } else if (run->is_joints) {
        cli_csv_joints(run->out, run->followed.shown, run->world);
    } else {
        wire_json_clear(&run->json);
        cli_sample_json(&run->json, run->followed.shown, run->world, &run->events);
        if (run->json.failed) {
            cli_complain("no memory for a sample");
            return false;
        }
        fwrite(run->json.data, 1, run->json.size, run->out);
        fputc('\n', run->out);
    }
    run->events.count = 0;
    run->events.dropped_count = 0;
    if (ferror(run->out)) {
        cli_complain("can not write: %s", strerror(errno));
        return false;
    }
    return true;
}

static bool
run_ticks(struct run *run)
{
    uint64_t ticks = run->call->ticks;
    if (run->is_csv) {
        cli_csv_sample_header(run->out, run->world);
    } else if (run->is_joints) {
        cli_csv_joint_header(run->out, run->world);
    }
    if (!write_sample(run)) {
        return false;
    }
    for (uint64_t tick = 1; tick <= ticks; tick++) {
        enum cn_step_result result;
        while ((result = dd_follower_step(&run->followed, &run->rules, WORK_PIECE)) ==
            CN_STEP_MORE) {
            cli_progress_show(&run->progress, tick - 1);
        }
        if (result == CN_STEP_MEMORY) {
            cli_complain("no memory for tick %" PRIu64, tick);
            return false;
        }
        cli_progress_show(&run->progress, tick);
        if (!cli_run_record_tick(&run->record, run->world, tick == ticks)) {
            return false;
        }
        if (!cli_events_add(&run->events, run->world)) {
            return false;
        }
        if ((tick % run->call->sample_every == 0 || tick == ticks) && !write_sample(run)) {
            return false;
        }
    }
    return true;
}

/* Runs and writes to a file or standard output; checks that all of it was written. */
static enum cli_exit
run_into(struct run *run)
{
    const char *path = run->call->out;
    bool is_file = path != NULL && strcmp(path, "-") != 0;
    run->out = is_file ? fopen(path, "w") : stdout;
    if (run->out == NULL) {
        cli_complain("can not open %s: %s", cn_quote(path).text, strerror(errno));
        return CLI_COULD_NOT;
    }
    cli_progress_init(&run->progress, run->call->ticks);
    bool done = run_ticks(run);
    cli_progress_finish(&run->progress);
    if (is_file && fclose(run->out) != 0 && done) {
        cli_complain("can not write %s: %s", cn_quote(path).text, strerror(errno));
        done = false;
    }
    return done ? CLI_DONE : CLI_COULD_NOT;
}

static enum cli_exit
set_name(char name[CN_NAME_SIZE], const char *option, const char *value)
{
    if (value == NULL) {
        return CLI_DONE;
    }
    if (strlen(value) >= CN_NAME_SIZE) {
        cli_complain("--%s: is %s; names have at most %d bytes", option, cn_quote(value).text,
            CN_NAME_SIZE - 1);
        return CLI_BAD;
    }
    memset(name, 0, CN_NAME_SIZE);
    memcpy(name, value, strlen(value));
    return CLI_DONE;
}

/* Makes the world.  The scene was checked before, so only the options can be wrong. */
static enum cli_exit
make_world(struct run *run)
{
    struct cn_world_def def = *wire_scene_world_def(run->scene);
    struct cn_defect defect;
    enum cli_exit result = set_name(def.settings.stepper, "stepper", run->call->stepper);
    if (result == CLI_DONE) {
        result = set_name(def.settings.solver, "solver", run->call->solver);
    }
    if (result != CLI_DONE) {
        return result;
    }
    struct cn_world_tools tools = {.simd = run->call->simd, .crew = run->crew};
    enum cn_status status = cn_world_create(&def, &defect, &run->world);
    if (status == CN_OK && cn_world_use(run->world, &tools, &defect) == CN_OK) {
        return cli_run_record_begin(&run->record, run->call->run_record,
            run->call->run_every_tick, run->scene, &def.settings, run->world);
    }
    if (status == CN_OK) {
        cli_complain("--%s %s", defect.path, defect.text);
        return CLI_BAD;
    }
    bool of_option = strncmp(defect.path, "world.", 6) == 0;
    cli_complain("%s%s%s%s", of_option ? "--" : "", of_option ? defect.path + 6 : defect.path,
        defect.path[0] != '\0' ? ": " : "", defect.text);
    return status == CN_MEMORY ? CLI_COULD_NOT : CLI_BAD;
}

/* The follower steps the world.  It owns only the scene as it is now. */
static void
begin_rules(struct run *run, struct wire_scene *scene)
{
    run->followed =
        (struct dd_follower){.engine = run->world, .scene = scene, .shown = scene};
}

static void
finish_rules(struct run *run, struct wire_scene *scene)
{
    dd_rules_finish(&run->rules);
    if (run->followed.shown != scene) {
        wire_scene_destroy(run->followed.shown);
    }
}

static enum cli_exit
check_options(const struct cli_call *call, struct run *run)
{
    const char *format = call->format != NULL ? call->format : "json";
    run->is_csv = strcmp(format, "csv") == 0;
    run->is_joints = strcmp(format, "csv-joints") == 0;
    if (!run->is_csv && !run->is_joints && strcmp(format, "json") != 0) {
        cli_complain(
            "--format is %s; json, csv or csv-joints is accepted", cn_quote(format).text);
        return CLI_BAD;
    }
    if (call->workers < 1 || call->workers > CN_WORKERS_MAX) {
        cli_complain("--workers is %llu; 1 to %d is accepted", (unsigned long long)call->workers,
            CN_WORKERS_MAX);
        return CLI_BAD;
    }
    if (call->sample_every == 0) {
        cli_complain("--sample-every is 0; 1 or more is accepted");
        return CLI_BAD;
    }
    return CLI_DONE;
}

enum cli_exit
cli_run(const struct cli_call *call)
{
    struct run run = {.call = call};
    enum cli_exit result = check_options(call, &run);
    if (result != CLI_DONE) {
        return result;
    }
    struct wire_scene *scene = cli_scene_read(call->operands[0], &result);
    if (scene == NULL) {
        return result;
    }
    run.scene = scene;
    wire_json_init(&run.json, false);
    run.crew = call->workers > 1 ? crew_create((int)call->workers) : NULL;
    if (call->workers > 1 && run.crew == NULL) {
        cli_complain("no memory for %llu threads", (unsigned long long)call->workers);
        result = CLI_COULD_NOT;
    }
    if (result == CLI_DONE) {
        result = make_world(&run);
    }
    if (result == CLI_DONE) {
        begin_rules(&run, scene);
        result = run_into(&run);
        finish_rules(&run, scene);
    }
    enum cli_exit recorded = cli_run_record_end(&run.record, result == CLI_DONE);
    result = result == CLI_DONE ? recorded : result;
    cn_world_destroy(run.world);
    crew_destroy(run.crew);
    cli_events_finish(&run.events);
    wire_json_finish(&run.json);
    wire_scene_destroy(scene);
    return result;
}
