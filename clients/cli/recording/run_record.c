#include "clients/cli/recording/run_record.h"

#include "engine/base/name.h"
#include "proto/scene_live.h"
#include "server/base/limits.h"
#include "server/past/recorder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool
put_file(void *context, const void *bytes, size_t size)
{
    return fwrite(bytes, 1, size, context) == size;
}

static bool
put_scene(struct cli_run_record *record, const struct wire_scene *scene)
{
    struct sv_recording_start start = {
        .physics = cn_physics_version(), .has_bodies = record->every_tick};
    size_t size;
    unsigned char *bytes = wire_scene_pack(scene, &size);
    if (bytes == NULL) {
        return false;
    }
    snprintf(start.name, sizeof(start.name), "%s", wire_scene_name(scene));
    sv_content_hash(start.content, bytes, size);
    bool is_good = sv_recorder_begin(&record->recorder, &start) &&
        sv_recorder_scene(&record->recorder, start.content, bytes, size);
    free(bytes);
    return is_good;
}

/* Records the options that differ from the scene, as a command with the same effect. */
static bool
put_method(struct cli_run_record *record, const struct cn_settings *settings,
    const struct cn_settings *own)
{
    struct dd_entry entry = {
        .kind = DD_ENTRY_COMMAND, .command = {.kind = CN_COMMAND_SET_METHOD}};
    struct dd_entries entries = {0};
    if (memcmp(settings->stepper, own->stepper, sizeof(own->stepper)) == 0 &&
        memcmp(settings->solver, own->solver, sizeof(own->solver)) == 0) {
        return true;
    }
    memcpy(entry.command.set_method.stepper, settings->stepper, CN_NAME_SIZE);
    memcpy(entry.command.set_method.solver, settings->solver, CN_NAME_SIZE);
    bool is_good = dd_entries_add(&entries, &entry) &&
        sv_recorder_record(&record->recorder, 0, 0, 0, entries.bytes, entries.size);
    dd_entries_finish(&entries);
    return is_good;
}

static bool
can_not_write(const struct cli_run_record *record)
{
    cli_complain("can not write %s: %s", cn_quote(record->path).text, strerror(errno));
    return false;
}

enum cli_exit
cli_run_record_begin(struct cli_run_record *record, const char *path, bool every_tick,
    const struct wire_scene *scene, const struct cn_settings *settings,
    const struct cn_world *world)
{
    if (path == NULL) {
        return CLI_DONE;
    }
    record->path = path;
    record->every_tick = every_tick;
    record->out = fopen(path, "wb");
    if (record->out == NULL) {
        cli_complain("can not open %s: %s", cn_quote(path).text, strerror(errno));
        return CLI_COULD_NOT;
    }
    record->recorder = (struct sv_recorder){.put = put_file, .context = record->out};
    bool is_good = put_scene(record, scene) &&
        put_method(record, settings, &wire_scene_world_def(scene)->settings) &&
        sv_recorder_mark_world(&record->recorder, world, every_tick);
    return is_good || can_not_write(record) ? CLI_DONE : CLI_COULD_NOT;
}

bool
cli_run_record_tick(struct cli_run_record *record, const struct cn_world *world, bool is_last)
{
    bool is_due = record->every_tick || is_last || cn_world_tick(world) % SV_HASH_TICKS == 0;
    return record->out == NULL || !is_due ||
           sv_recorder_mark_world(&record->recorder, world, record->every_tick) ||
           can_not_write(record);
}

enum cli_exit
cli_run_record_end(struct cli_run_record *record, bool is_good)
{
    if (record->out == NULL) {
        return CLI_DONE;
    }
    bool is_written = is_good && sv_recorder_end(&record->recorder);
    is_written = fclose(record->out) == 0 && is_written;
    if (is_good && !is_written) {
        can_not_write(record);
    }
    if (!is_written) {
        remove(record->path);
    }
    return is_written ? CLI_DONE : CLI_COULD_NOT;
}
