#include "clients/cli/recording/past.h"

#include "engine/base/name.h"
#include "server/world/act/world_life.h"
#include "server/world/act/world_persistence.h"
#include "server/world/state/portable.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- files ---- */

/* Reads a file of unknown size, because standard input has none. */
static enum cli_exit
read_all(FILE *file, const char *name, unsigned char **bytes, size_t *size)
{
    size_t capacity = 1 << 20;
    for (;;) {
        unsigned char *larger = realloc(*bytes, capacity);
        if (larger == NULL) {
            cli_complain("no memory for %s", cn_quote(name).text);
            return CLI_COULD_NOT;
        }
        *bytes = larger;
        *size += fread(*bytes + *size, 1, capacity - *size, file);
        if (ferror(file)) {
            cli_complain("can not read %s: %s", cn_quote(name).text, strerror(errno));
            return CLI_COULD_NOT;
        }
        if (*size < capacity) {
            return CLI_DONE;
        }
        capacity *= 2;
    }
}

enum cli_exit
cli_read_file(const char *path, unsigned char **bytes, size_t *size)
{
    bool is_input = strcmp(path, "-") == 0;
    FILE *file = is_input ? stdin : fopen(path, "rb");
    *bytes = NULL;
    *size = 0;
    if (file == NULL) {
        cli_complain("can not open %s: %s", cn_quote(path).text, strerror(errno));
        return CLI_COULD_NOT;
    }
    enum cli_exit result = read_all(file, path, bytes, size);
    if (!is_input) {
        fclose(file);
    }
    return result;
}

enum cli_exit
cli_recording_open(struct cli_recording *out, const char *path)
{
    struct sv_fault fault;
    *out = (struct cli_recording){.name = path};
    enum cli_exit result = cli_read_file(path, &out->bytes, &out->size);
    if (result != CLI_DONE) {
        return result;
    }
    out->recording = sv_recording_open(out->bytes, out->size, path, &fault);
    if (out->recording == NULL) {
        cli_complain("%s", fault.text);
        return fault.kind == SV_FAULT_MEMORY ? CLI_COULD_NOT : CLI_BAD;
    }
    const struct sv_recording_facts *facts = sv_recording_facts(out->recording);
    if (facts->is_cut) {
        cli_complain("%s has been cut; it is good up to byte %zu, tick %llu", path,
            facts->good_size, (unsigned long long)facts->last_tick);
    }
    return CLI_DONE;
}

void
cli_recording_close(struct cli_recording *file)
{
    sv_recording_close(file->recording);
    free(file->bytes);
}

/* ---- folders ---- */

bool
cli_is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* Whether the folder is a daemon's.  Opening another folder would make a journal in it. */
static bool
has_journal(const char *path)
{
    char name[4096];
    struct stat status;
    return (size_t)snprintf(name, sizeof(name), "%s/journal.db", path) < sizeof(name) &&
        stat(name, &status) == 0;
}

static enum cli_exit
lock_folder(struct cli_folder *folder)
{
    long holder = 0;
    switch (folder->disk.lock(folder->disk.context, folder->name, &holder)) {
    case SV_DISK_OK:
        return CLI_DONE;
    case SV_DISK_BUSY:
        cli_complain("%s is in use by the daemon with process id %ld; ask it with --server, or "
                     "stop it first",
            folder->name, holder);
        return CLI_COULD_NOT;
    default:
        cli_complain("%s can not be used: %s", folder->name, strerror(errno));
        return CLI_COULD_NOT;
    }
}

enum cli_exit
cli_folder_open(struct cli_folder *folder, const char *path)
{
    struct sv_fault fault;
    *folder = (struct cli_folder){.name = path, .disk_state = {.lock_fd = -1}};
    folder->disk = sv_disk_real(&folder->disk_state);
    sv_log_init(&folder->log, SV_LOG_WARN, sv_clock_real());
    if (!has_journal(path)) {
        cli_complain("%s is no data folder of a daemon: it has no journal.db", path);
        return CLI_BAD;
    }
    enum cli_exit result = lock_folder(folder);
    if (result != CLI_DONE) {
        return result;
    }
    const struct sv_store_config config = {.folder = path,
        .lane_count = 1,
        .history_size = SV_STORE_HISTORY_SIZE,
        .clock = sv_clock_real(),
        .disk = folder->disk,
        .log = &folder->log};
    folder->store = sv_store_open(&config, &fault);
    if (folder->store == NULL) {
        cli_complain("%s: %s", path, fault.text);
        return CLI_COULD_NOT;
    }
    return CLI_DONE;
}

void
cli_folder_close(struct cli_folder *folder)
{
    if (folder->store != NULL) {
        sv_store_abandon(folder->store);
    }
    if (folder->disk_state.lock_fd >= 0) {
        folder->disk.unlock(folder->disk.context);
    }
}

bool
cli_folder_world(
    const struct cli_folder *folder, int index, uint64_t *number, struct sv_charter *charter)
{
    struct sv_store_world stored = sv_store_world(folder->store, index);
    *number = stored.world;
    if (!sv_charter_read(stored.charter, stored.charter_size, charter)) {
        cli_complain("world %llu of %s has a charter of another version",
            (unsigned long long)stored.world, folder->name);
        return false;
    }
    return true;
}

/* ---- pasts ---- */

static void
name_past(struct cli_past *past, const char *name)
{
    snprintf(past->name, sizeof(past->name), "%.*s", WIRE_NAME_SIZE - 1, name);
}

enum cli_exit
cli_past_of_folder(
    struct cli_past *past, struct cli_folder *folder, uint64_t number, const char *name)
{
    struct sv_charter charter;
    struct sv_fault fault;
    uint64_t found = 0;
    *past = (struct cli_past){0};
    name_past(past, name);
    for (int i = 0; i < sv_store_world_count(folder->store) && found != number; i++) {
        if (!cli_folder_world(folder, i, &found, &charter)) {
            return CLI_BAD;
        }
    }
    struct sv_log_reader *reader = malloc(sizeof(*reader));
    if (reader == NULL) {
        cli_complain("no memory");
        return CLI_COULD_NOT;
    }
    if (!sv_log_reader_init(reader, folder->store, number, charter.content, &fault)) {
        cli_complain("%s: %s: %s", folder->name, name, fault.text);
        free(reader);
        return CLI_COULD_NOT;
    }
    past->reader = reader;
    past->past = reader->past;
    past->last_tick = reader->known_tick;
    return CLI_DONE;
}

void
cli_past_of_file(struct cli_past *past, const struct cli_recording *file)
{
    const struct sv_recording_facts *facts = sv_recording_facts(file->recording);
    *past = (struct cli_past){.past = sv_recording_past(file->recording),
        .recording = file->recording,
        .last_tick = facts->last_tick};
    name_past(past, facts->start.name);
    sv_recording_rewind(file->recording);
}

void
cli_past_finish(struct cli_past *past)
{
    if (past->reader != NULL) {
        sv_log_reader_finish(past->reader);
        free(past->reader);
    }
}

/* ---- replaying ---- */

enum cli_exit
cli_again_begin(struct cli_again *again, const struct cli_past *past)
{
    struct wire_error error;
    bool is_good = false;
    memset(again, 0, sizeof(*again));
    if (!sv_worker_init(&again->worker, sv_clock_real(), NULL, &again->metrics, true)) {
        cli_complain("no memory");
        return CLI_COULD_NOT;
    }
    again->mailbox.number = 1;
    again->world = sv_replay_begin(
        &again->replay, &again->worker.env, &again->mailbox, &past->past, &is_good, &error);
    if (again->world == NULL) {
        cli_complain("%s: %s", past->name, error.text);
        return CLI_BAD;
    }
    if (!is_good && cli_again_is_of_other_physics(again, past)) {
        return CLI_BAD;
    }
    if (!is_good) {
        cli_complain("%s: %s", past->name, again->world->failure);
        return CLI_NO;
    }
    return CLI_DONE;
}

bool
cli_again_is_of_other_physics(const struct cli_again *again, const struct cli_past *past)
{
    const char *failure = again->world->failure;
    size_t size = strlen(SV_PHYSICS_FAILURE);
    bool is_other = strncmp(failure, SV_PHYSICS_FAILURE, size) == 0;
    if (is_other) {
        cli_complain("%s: %s", past->name, failure + size);
    }
    return is_other;
}

void
cli_again_finish(struct cli_again *again)
{
    sv_world_destroy(again->world);
    sv_worker_finish(&again->worker);
}

const char *
cli_again_body(const struct cli_again *again, int body)
{
    return wire_scene_body_name(again->world->shown->scene, body);
}
