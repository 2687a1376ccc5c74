/*
 * run_record.h: a run of `cairn run` as a recording: its scene, the method that was asked for, and
 * hashes.
 */
#ifndef CLIENTS_CLI_RECORDING_RUN_RECORD_H
#define CLIENTS_CLI_RECORDING_RUN_RECORD_H

#include "clients/cli/cli.h"
#include "proto/scene.h"
#include "server/store/format/recording.h"

/* All zero: nothing is recorded. */
struct cli_run_record {
    const char *path;
    FILE *out;
    bool every_tick;
    struct sv_recorder recorder;
};

/* With path NULL nothing is recorded.  A failure prints a message. */
enum cli_exit cli_run_record_begin(struct cli_run_record *record, const char *path,
    bool every_tick, const struct wire_scene *scene, const struct cn_settings *settings,
    const struct cn_world *world);

/* Call it after each tick.  False with a message. */
bool cli_run_record_tick(
    struct cli_run_record *record, const struct cn_world *world, bool is_last);

/* Checks that all of it was written.  A failed run leaves no file. */
enum cli_exit cli_run_record_end(struct cli_run_record *record, bool is_good);

#endif
