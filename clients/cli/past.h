/*
 * past.h: a world's past for commands: a recording's file, or a world of a data folder that no
 * daemon holds; and the world of it, done again.
 *
 * A folder is opened as a daemon would open it, and locked meanwhile; nothing is changed in it but
 * the count of openings.
 */
#ifndef CLIENTS_CLI_PAST_H
#define CLIENTS_CLI_PAST_H

#include "clients/cli/cli.h"
#include "server/host/worker.h"
#include "server/past/recorder.h"
#include "server/world/act/world_persistence.h"

/* ---- files ---- */

/* All of a file, of standard input for -, as heap memory, also where it fails with a message. */
enum cli_exit cli_read_file(const char *path, unsigned char **bytes, size_t *size);

struct cli_recording {
    const char *name; /* borrowed */
    unsigned char *bytes;
    size_t size;
    struct sv_recording *recording;
};

/* With a message where it can not be read or is no recording; says when it has been cut. */
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
 * All of its worlds, or the one of that name, done again, and compared with what was shown, or
 * NULL; the worst answer is the folder's.
 */
enum cli_exit cli_folder_verify(const char *path, const char *name, const struct cli_shown *shown);

bool cli_is_folder(const char *path);
enum cli_exit cli_folder_open(struct cli_folder *folder, const char *path);
void cli_folder_close(struct cli_folder *folder);

/* One of its worlds; the charter's name is the world's. False with a message: it has none. */
bool cli_folder_world(
    const struct cli_folder *folder, int index, uint64_t *number, struct sv_charter *charter);

/* ---- pasts ---- */

struct cli_past {
    struct sv_past past;
    struct sv_recording *recording; /* NULL: of a folder */
    struct sv_log_reader *reader;       /* NULL: of a file; heap */
    uint64_t last_tick;             /* as far as it is known */
    char name[WIRE_NAME_SIZE];
};

/* All that there is of a world of a folder, with a message where that can not be read. */
enum cli_exit cli_past_of_folder(
    struct cli_past *past, struct cli_folder *folder, uint64_t number, const char *name);
void cli_past_of_file(struct cli_past *past, const struct cli_recording *file);
void cli_past_finish(struct cli_past *past);

/* ---- doing it again ---- */

struct cli_again {
    struct sv_metrics metrics;
    struct sv_worker worker;
    struct sv_mailbox mailbox;
    struct sv_replay replay;
    struct sv_world *world;
};

/* The world as the past begins; with a message otherwise, and finish is still due. */
enum cli_exit cli_again_begin(struct cli_again *again, const struct cli_past *past);
/*
 * Whether the world's failure is that another version of the physics made what is to be done again:
 * says so then.
 */
bool cli_again_is_of_other_physics(
    const struct cli_again *again, const struct cli_past *past);
void cli_again_finish(struct cli_again *again);

/* The name of a body as it is now. */
const char *cli_again_body(const struct cli_again *again, int body);

#endif
