/* record.c: `cairn record`: a world's past as a file. */
#include "clients/base/progress.h"
#include "clients/cli/ask.h"
#include "clients/cli/recording/past.h"

#include "engine/base/name.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool
put_file(void *context, const void *bytes, size_t size)
{
    return fwrite(bytes, 1, size, context) == size;
}

/* Copies the records without a replay. */
static bool
copy_records(struct sv_past_recorder *recorder, struct sv_fault *fault)
{
    const struct sv_past *past = recorder->past;
    struct sv_record record;
    enum sv_recovery_step step;
    while ((step = past->next(past->context, &record, fault)) == SV_RECOVERY_RECORD) {
        if (!sv_past_recorder_record(recorder, &record, fault)) {
            return false;
        }
    }
    return step == SV_RECOVERY_END;
}

/* Replays the past, and records the hash of every tick. */
static bool
copy_every_tick(
    struct sv_past_recorder *recorder, const struct cli_past *past, struct sv_fault *fault)
{
    struct cli_again again;
    struct cli_progress progress;
    enum sv_replay_step step = SV_REPLAY_END;
    bool is_good = cli_again_begin(&again, past) == CLI_DONE;
    fault->text[0] = '\0';
    cli_progress_init(&progress, past->last_tick);
    if (is_good) {
        is_good = sv_recorder_mark_world(&recorder->file, again.world->engine, true);
    }
    while (is_good && (step = sv_replay_next(&again.replay)) != SV_REPLAY_END) {
        cli_progress_show(&progress, cn_world_tick(again.world->engine));
        if (step == SV_REPLAY_TICK) {
            is_good = sv_recorder_mark_world(&recorder->file, again.world->engine, true);
        } else if (step == SV_REPLAY_FAILED || step == SV_REPLAY_MEMORY) {
            is_good = sv_fault_set(fault, SV_FAULT_CRC, "%s", again.world->failure);
        } else if (again.replay.record.entries_size > 0) {
            is_good = sv_past_recorder_record(recorder, &again.replay.record, fault);
        }
    }
    cli_progress_finish(&progress);
    cli_again_finish(&again);
    return is_good;
}

static enum cli_exit
write_recording(struct cli_past *past, FILE *out, bool every_tick)
{
    struct sv_past_recorder recorder;
    struct sv_fault fault = {.text = ""};
    bool is_good =
        sv_past_recorder_begin(
            &recorder, &past->past, past->name, every_tick, put_file, out, &fault) &&
        (every_tick ? copy_every_tick(&recorder, past, &fault) : copy_records(&recorder, &fault)) &&
        sv_past_recorder_end(&recorder, &fault);
    sv_past_recorder_finish(&recorder);
    if (!is_good && fault.text[0] != '\0') {
        cli_complain("%s: %s", past->name, fault.text);
    }
    return is_good ? CLI_DONE : CLI_COULD_NOT;
}

/* Writes a file; an incomplete one is removed. */
static enum cli_exit
write_file(struct cli_past *past, const char *path, bool every_tick)
{
    FILE *out = fopen(path, "wb");
    if (out == NULL) {
        cli_complain("can not open %s: %s", cn_quote(path).text, strerror(errno));
        return CLI_COULD_NOT;
    }
    enum cli_exit result = write_recording(past, out, every_tick);
    if (fclose(out) != 0 && result == CLI_DONE) {
        cli_complain("can not write %s: %s", cn_quote(path).text, strerror(errno));
        result = CLI_COULD_NOT;
    }
    if (result != CLI_DONE) {
        remove(path);
    }
    return result;
}

static enum cli_exit
record_world(struct cli_folder *folder, const struct cli_call *call, uint64_t number)
{
    struct cli_past past;
    enum cli_exit result = cli_past_of_folder(&past, folder, number, call->operands[0]);
    if (result == CLI_DONE) {
        result = write_file(&past, call->record_out, call->record_every_tick);
    }
    cli_past_finish(&past);
    return result;
}

static enum cli_exit
record_of_folder(struct cli_folder *folder, const struct cli_call *call)
{
    struct sv_charter charter;
    for (int i = 0; i < sv_store_world_count(folder->store); i++) {
        uint64_t number;
        if (!cli_folder_world(folder, i, &number, &charter)) {
            continue;
        }
        if (strcmp(charter.id, call->operands[0]) == 0) {
            return record_world(folder, call, number);
        }
    }
    cli_complain(
        "no world of %s is called %s", folder->name, cn_quote(call->operands[0]).text);
    return CLI_BAD;
}

/* Requests the recording of a running world from the daemon. */
static enum cli_exit
record_of_daemon(const struct cli_call *call)
{
    char path[WIRE_NAME_SIZE + 64];
    struct cli_remote remote;
    unsigned char *bytes = NULL;
    size_t size = 0;
    if (call->record_data != NULL || call->record_every_tick) {
        cli_complain("--data and --every-tick do not go with --server: a folder is read here, and "
                     "a daemon keeps the hash of every 64th tick");
        return CLI_BAD;
    }
    if (!wire_name_is_id(call->operands[0])) {
        cli_complain("%s is no world's id", cn_quote(call->operands[0]).text);
        return CLI_BAD;
    }
    enum cli_exit result =
        cli_remote_init(&remote, call->record_server, NULL, call->record_token);
    if (result == CLI_DONE) {
        snprintf(path, sizeof(path), "/v1/worlds/%s/recording", call->operands[0]);
        const struct cli_request request = {.method = "GET", .path = path};
        result = cli_ask(&remote, &request, &bytes, &size);
    }
    if (result == CLI_DONE) {
        FILE *out = fopen(call->record_out, "wb");
        bool is_written = out != NULL && fwrite(bytes, 1, size, out) == size;
        is_written = out != NULL && fclose(out) == 0 && is_written;
        if (!is_written) {
            cli_complain(
                "can not write %s: %s", cn_quote(call->record_out).text, strerror(errno));
            result = CLI_COULD_NOT;
        }
    }
    free(bytes);
    return result;
}

enum cli_exit
cli_record(const struct cli_call *call)
{
    struct cli_folder folder;
    if (call->record_out == NULL) {
        cli_complain("--out says where to; it must be given");
        return CLI_BAD;
    }
    if (call->record_server != NULL) {
        return record_of_daemon(call);
    }
    const char *path = call->record_data != NULL ? call->record_data : "cairn-data";
    enum cli_exit result = cli_folder_open(&folder, path);
    if (result == CLI_DONE) {
        result = record_of_folder(&folder, call);
    } else if (result == CLI_BAD && call->record_data == NULL) {
        cli_complain("--data names the folder, --server a daemon that runs");
    }
    cli_folder_close(&folder);
    return result;
}
