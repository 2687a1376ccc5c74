/*
 * past.h: a world's past for commands, from a recording's file or from a data folder that no daemon
 * uses; and the world that replays it.
 *
 * A folder is opened as a daemon would open it, and locked meanwhile; only the count of openings
 * is changed in it.
 */
#ifndef CLIENTS_CLI_RECORDING_PAST_H
#define CLIENTS_CLI_RECORDING_PAST_H

#include "clients/cli/cli.h"
#include "server/host/worker.h"
#include "server/past/recorder.h"
#include "server/world/act/world_persistence.h"

/* ---- files ---- */

/*
 * Reads a whole file, or standard input for "-", into heap memory.  The caller frees it, also after
 * a failure, which has printed a message.
 */
enum cli_exit cli_read_file(const char *path, unsigned char **bytes, size_t *size);

struct cli_recording {
    const char *name; /* borrowed */
    unsigned char *bytes;
    size_t size;
    struct sv_recording *recording;
};

/* A failure prints a message: unreadable, or no recording.  Prints a note if the file was cut. */
enum cli_exit cli_recording_open(struct cli_recording *file, const char *path);
void cli_recording_close(struct cli_recording *file);

/* ---- folders ---- */

struct cli_folder {
    const char *name; /* borrowed */
    struct sv_disk_real disk_state;
    struct sv_disk disk;
    struct sv_log log;
    struct sv_store *store;
};

struct cli_shown;

/*
 * Replays all worlds of the folder, or the one with that name, and compares them with the shown
 * ticks, if `shown` is not NULL.  Returns the worst answer.
 */
enum cli_exit cli_folder_verify(const char *path, const char *name, const struct cli_shown *shown);

bool cli_is_folder(const char *path);
enum cli_exit cli_folder_open(struct cli_folder *folder, const char *path);
void cli_folder_close(struct cli_folder *folder);

/* Reads a world's number and charter, which has its name.  False with a message: other version. */
bool cli_folder_world(
    const struct cli_folder *folder, int index, uint64_t *number, struct sv_charter *charter);

/* ---- pasts ---- */

struct cli_past {
    struct sv_past past;
    struct sv_recording *recording; /* NULL: the past is in a folder */
    struct sv_log_reader *reader;       /* heap; NULL: the past is in a file */
    uint64_t last_tick;             /* the last known tick */
    char name[WIRE_NAME_SIZE];
};

/* Opens the whole stored past of a world of a folder.  A failure prints a message. */
enum cli_exit cli_past_of_folder(
    struct cli_past *past, struct cli_folder *folder, uint64_t number, const char *name);
void cli_past_of_file(struct cli_past *past, const struct cli_recording *file);
void cli_past_finish(struct cli_past *past);

/* ---- replaying ---- */

struct cli_again {
    struct sv_metrics metrics;
    struct sv_worker worker;
    struct sv_mailbox mailbox;
    struct sv_replay replay;
    struct sv_world *world;
};

/* Makes the world as it was when the past begins.  After a failure (with a message) also finish. */
enum cli_exit cli_again_begin(struct cli_again *again, const struct cli_past *past);
/*
 * Whether the replay failed because another version of the physics made the past.  If so, prints a
 * message.
 */
bool cli_again_is_of_other_physics(
    const struct cli_again *again, const struct cli_past *past);
void cli_again_finish(struct cli_again *again);

/* The present name of a body. */
const char *cli_again_body(const struct cli_again *again, int body);

#endif
