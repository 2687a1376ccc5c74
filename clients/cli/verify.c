/* verify.c: `cairn verify`: a past is done again, and every hash compared. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "clients/cli/past.h"
#include "clients/cli/progress.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#define NAMES_MAX 8

struct verify {
    const struct cli_past *past;
    struct cli_again again;
    struct cli_progress progress;
    uint64_t tick_count, hash_count;
    bool has_good;
    uint64_t good_tick; /* of the last hash that was the same */
};

static double
now_s(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void
print_names(const struct cli_again *again, const int *bodies, int count)
{
    for (int i = 0; i < count && i < NAMES_MAX; i++) {
        printf("%s%s", i > 0 ? ", " : "", cli_again_body(again, bodies[i]));
    }
    printf("%s\n", count > NAMES_MAX ? ", ..." : "");
}

/* Which bodies go another way, where the recording says how each went. */
static void
print_bodies(const struct verify *verify)
{
    const struct cli_again *again = &verify->again;
    const struct cn_world *world = again->world->engine;
    int bodies[NAMES_MAX], island[NAMES_MAX];
    size_t print_count;
    if (verify->past->recording == NULL ||
        sv_recording_bodies(verify->past->recording, &print_count) == NULL) {
        return;
    }
    int count = sv_tape_differ(verify->past->recording, world, bodies, NAMES_MAX);
    if (count == 0) {
        printf("  every body is where it was and moves as it did: what differs is beside them "
               "(impulses, inputs that are held, settings)\n");
        return;
    }
    if (bodies[0] >= cn_world_body_count(world)) {
        printf("  there were more bodies: %zu, and now %d\n", print_count,
            cn_world_body_count(world));
        return;
    }
    printf("  bodies that differ, %d: ", count);
    print_names(again, bodies, count);
    count = sv_tape_island(world, bodies[0], island, NAMES_MAX);
    printf("  the island of %s, %d: ", cli_again_body(again, bodies[0]), count);
    print_names(again, island, count);
}

/* The first tick that differs, as exactly as the hashes let it be told. */
static void
print_difference(const struct verify *verify)
{
    const struct sv_world *world = verify->again.world;
    const struct sv_record *record = &verify->again.replay.record;
    uint64_t tick = cn_world_tick(world->engine);
    bool is_hash = !verify->again.replay.has_record && tick == record->tick &&
        (record->flags & SV_RECORD_HASH) != 0 &&
        cn_world_hash(world->engine) != record->state_hash;
    if (!is_hash) {
        printf("%s: differs: %s\n", verify->past->name, world->failure);
        return;
    }
    printf("%s: differs at tick %" PRIu64 ": the state's hash is %016" PRIx64
           " and was %016" PRIx64 "\n",
        verify->past->name, tick, cn_world_hash(world->engine), record->state_hash);
    if (verify->has_good && verify->good_tick + 1 < tick) {
        printf("  tick %" PRIu64 " was the same: the first that differs is one of %" PRIu64
               " to %" PRIu64 "; record every tick to know which\n",
            verify->good_tick, verify->good_tick + 1, tick);
    } else if (verify->has_good && verify->good_tick < tick) {
        printf("  tick %" PRIu64 " was the same\n", verify->good_tick);
    }
    print_bodies(verify);
}

/* After a record: its prints, too, are compared. */
static bool
has_same_prints(struct verify *verify)
{
    const struct sv_record *record = &verify->again.replay.record;
    if ((record->flags & SV_RECORD_HASH) == 0) {
        return true;
    }
    if (verify->past->recording != NULL && record->deeds_size == 0 &&
        sv_tape_differ(verify->past->recording, verify->again.world->engine, NULL, 0) > 0) {
        printf("%s: differs at tick %" PRIu64 ": the state's hash is the same, but not the "
               "bodies' hashes\n",
            verify->past->name, record->tick);
        print_bodies(verify);
        return false;
    }
    verify->hash_count++;
    verify->has_good = true;
    verify->good_tick = record->tick;
    return true;
}

static enum cli_exit
is_same(struct verify *verify)
{
    for (;;) {
        switch (sv_replay_next(&verify->again.replay)) {
        case SV_REPLAY_TICK:
            verify->tick_count++;
            cli_progress_show(&verify->progress, verify->tick_count);
            break;
        case SV_REPLAY_RECORD:
            if (!has_same_prints(verify)) {
                return CLI_NO;
            }
            break;
        case SV_REPLAY_END:
            return CLI_DONE;
        case SV_REPLAY_FAILED:
            cli_progress_finish(&verify->progress);
            print_difference(verify);
            return CLI_NO;
        case SV_REPLAY_MEMORY:
            cli_progress_finish(&verify->progress);
            cli_complain("%s: %s", verify->past->name, verify->again.world->failure);
            return CLI_COULD_NOT;
        }
    }
}

static void
print_same(const struct verify *verify, uint64_t first, double elapsed_s)
{
    printf("%s: the same, tick %" PRIu64 " to %" PRIu64 ": %" PRIu64 " %s", verify->past->name,
        first, cn_world_tick(verify->again.world->engine), verify->hash_count,
        verify->hash_count == 1 ? "hash" : "hashes");
    if (verify->tick_count > 0 && elapsed_s > 0.0) {
        printf(", %.0f ticks/s", (double)verify->tick_count / elapsed_s);
    }
    putchar('\n');
}

static enum cli_exit
verify_past(const struct cli_past *past)
{
    struct verify verify = {.past = past};
    enum cli_exit result = cli_again_begin(&verify.again, past);
    if (result == CLI_DONE) {
        uint64_t first = cn_world_tick(verify.again.world->engine);
        double start = now_s();
        cli_progress_init(
            &verify.progress, past->last_tick > first ? past->last_tick - first : 0);
        result = is_same(&verify);
        cli_progress_finish(&verify.progress);
        if (result == CLI_DONE) {
            print_same(&verify, first, now_s() - start);
        }
    }
    cli_again_finish(&verify.again);
    return result;
}

static enum cli_exit
verify_world(struct cli_folder *folder, uint64_t number, const char *name)
{
    struct cli_past past;
    enum cli_exit result = cli_past_of_folder(&past, folder, number, name);
    if (result == CLI_DONE) {
        result = verify_past(&past);
    }
    cli_past_finish(&past);
    return result;
}

/* All of its worlds, or the one; the worst answer is the folder's. */
static enum cli_exit
verify_folder(const char *path, const char *name)
{
    struct cli_folder folder;
    enum cli_exit result = cli_folder_open(&folder, path);
    bool is_found = name == NULL;
    int count = result == CLI_DONE ? sv_store_world_count(folder.store) : 0;
    for (int i = 0; i < count; i++) {
        uint64_t number;
        struct sv_charter charter;
        enum cli_exit one = CLI_DONE;
        if (!cli_folder_world(&folder, i, &number, &charter)) {
            one = name == NULL ? CLI_BAD : CLI_DONE;
        } else if (name == NULL || strcmp(name, charter.id) == 0) {
            is_found = true;
            one = verify_world(&folder, number, charter.id);
        }
        result = one > result ? one : result;
    }
    if (result == CLI_DONE && count == 0 && name == NULL) {
        printf("%s: holds no worlds\n", path);
    }
    if (result == CLI_DONE && !is_found) {
        cli_complain("no world of %s is called %s", path, name);
        result = CLI_BAD;
    }
    cli_folder_close(&folder);
    return result;
}

enum cli_exit
cli_verify(const struct cli_call *call)
{
    const char *path = call->operands[0];
    if (cli_is_folder(path)) {
        return verify_folder(path, call->operand_count > 1 ? call->operands[1] : NULL);
    }
    if (call->operand_count > 1) {
        cli_complain("a recording is of one world; %s is not a folder", path);
        return CLI_BAD;
    }
    struct cli_recording file;
    enum cli_exit result = cli_recording_open(&file, path);
    if (result == CLI_DONE) {
        struct cli_past past;
        cli_past_of_file(&past, &file);
        result = verify_past(&past);
        cli_past_finish(&past);
    }
    cli_recording_close(&file);
    return result;
}
