/*
 * verify.c: `cairn verify`: replays a past and compares every hash.
 *
 * As in recovery, a world of a folder continues after its last log entry up to the tick that it
 * promised (REACH, in server/world/state/world_reach.c).  Clients may have been shown ticks up to
 * that one.
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "clients/base/progress.h"
#include "clients/cli/recording/past.h"
#include "clients/cli/recording/shown_check.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#define NAMES_MAX 8

struct verify {
    const struct cli_past *past;
    struct cli_again again;
    struct cli_progress progress;
    struct cli_shown_check *shown; /* NULL: no shown ticks to compare */
    uint64_t tick_count, hash_count;
    uint64_t last_tick; /* of the last log entry */
    bool has_good;
    uint64_t good_tick; /* of the last hash that agreed */
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

/* Prints the bodies that move differently, if the recording has their states. */
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
    int count = sv_recording_differ(verify->past->recording, world, bodies, NAMES_MAX);
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
    count = sv_body_island(world, bodies[0], island, NAMES_MAX);
    printf("  the island of %s, %d: ", cli_again_body(again, bodies[0]), count);
    print_names(again, island, count);
}

/* Prints the first tick that differs, as exactly as the hashes allow. */
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

static enum cli_exit
say_difference(const struct verify *verify)
{
    print_difference(verify);
    return CLI_NO;
}

/* Compares the body hashes of a record, after the record was applied. */
static bool
has_same_prints(struct verify *verify)
{
    const struct sv_record *record = &verify->again.replay.record;
    if ((record->flags & SV_RECORD_HASH) == 0) {
        return true;
    }
    if (verify->past->recording != NULL && record->entries_size == 0 &&
        sv_recording_differ(verify->past->recording, verify->again.world->engine, NULL, 0) > 0) {
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

static void
look_at_shown(struct verify *verify)
{
    if (verify->shown != NULL) {
        cli_shown_check_look(verify->shown, verify->again.world);
    }
}

/* Sets the last tick that may have been shown; for a file it is unknown, and set to 0. */
static void
settle_reach(struct verify *verify, uint64_t number)
{
    if (verify->past->reader != NULL) {
        sv_log_reader_settle_reach(verify->past->reader, verify->again.world, number);
    } else {
        verify->again.world->persist.reach_tick = 0;
    }
}

static void
count_tick(struct verify *verify)
{
    verify->tick_count++;
    cli_progress_show(&verify->progress, verify->tick_count);
    look_at_shown(verify);
}

static enum cli_exit
say_memory(struct verify *verify)
{
    cli_progress_finish(&verify->progress);
    cli_complain("%s: %s", verify->past->name, verify->again.world->failure);
    return CLI_COULD_NOT;
}

/* Runs from the last log entry to the last tick that may have been shown. */
static enum cli_exit
run_to_reach(struct verify *verify)
{
    struct sv_world *world = verify->again.world;
    verify->last_tick = cn_world_tick(world->engine);
    while (cn_world_tick(world->engine) < world->persist.reach_tick) {
        if (!sv_replay_step(world)) {
            return say_memory(verify);
        }
        count_tick(verify);
    }
    return CLI_DONE;
}

static enum cli_exit
is_same(struct verify *verify)
{
    for (;;) {
        switch (sv_replay_next(&verify->again.replay)) {
        case SV_REPLAY_TICK:
            count_tick(verify);
            break;
        case SV_REPLAY_MORE: /* cannot occur: no slices are requested */
            break;
        case SV_REPLAY_RECORD:
            settle_reach(verify, verify->again.replay.record.number);
            look_at_shown(verify);
            if (!has_same_prints(verify)) {
                return CLI_NO;
            }
            break;
        case SV_REPLAY_END:
            return run_to_reach(verify);
        case SV_REPLAY_FAILED:
            cli_progress_finish(&verify->progress);
            return cli_again_is_of_other_physics(&verify->again, verify->past)
                ? CLI_BAD
                : say_difference(verify);
        case SV_REPLAY_MEMORY:
            return say_memory(verify);
        }
    }
}

static void
print_same(const struct verify *verify, uint64_t first, double elapsed_s)
{
    uint64_t tick = cn_world_tick(verify->again.world->engine);
    printf("%s: the same, tick %" PRIu64 " to %" PRIu64, verify->past->name, first,
        verify->last_tick);
    if (tick > verify->last_tick) {
        printf("; may have been shown up to %" PRIu64, tick);
    }
    printf(": %" PRIu64 " %s", verify->hash_count, verify->hash_count == 1 ? "hash" : "hashes");
    if (verify->tick_count > 0 && elapsed_s > 0.0) {
        printf(", %.0f ticks/s", (double)verify->tick_count / elapsed_s);
    }
    putchar('\n');
}

/* The tick at which the past begins may also have been shown, so it is compared too. */
static void
begin_reach_and_shown(
    struct verify *verify, struct cli_shown_check *check, const struct cli_shown *shown)
{
    const struct cli_past *past = verify->past;
    const struct sv_checkpoint *checkpoint = past->past.checkpoint;
    settle_reach(verify, checkpoint != NULL ? checkpoint->trail.number : 0);
    if (shown != NULL) {
        cli_shown_check_begin(
            check, shown, past->name, verify->again.world, checkpoint != NULL);
        verify->shown = check;
        look_at_shown(verify);
    }
}

static enum cli_exit
verify_past(const struct cli_past *past, const struct cli_shown *shown)
{
    struct verify verify = {.past = past};
    struct cli_shown_check check;
    enum cli_exit result = cli_again_begin(&verify.again, past);
    if (result == CLI_DONE) {
        uint64_t first = cn_world_tick(verify.again.world->engine);
        double start = now_s();
        if (past->reader != NULL && past->reader->old_physics != 0) {
            printf("%s: what was before tick %" PRIu64 " is of physics %u and is not compared\n",
                past->name, first, (unsigned)past->reader->old_physics);
        }
        cli_progress_init(
            &verify.progress, past->last_tick > first ? past->last_tick - first : 0);
        begin_reach_and_shown(&verify, &check, shown);
        result = is_same(&verify);
        cli_progress_finish(&verify.progress);
        if (result == CLI_DONE) {
            print_same(&verify, first, now_s() - start);
        }
        if (result == CLI_DONE && shown != NULL) {
            result = cli_shown_check_report(&check, past->name, verify.again.world);
        }
    }
    cli_again_finish(&verify.again);
    return result;
}

static enum cli_exit
verify_world(struct cli_folder *folder, uint64_t number, const char *name,
    const struct cli_shown *shown)
{
    struct cli_past past;
    enum cli_exit result = cli_past_of_folder(&past, folder, number, name);
    if (result == CLI_DONE) {
        result = verify_past(&past, shown);
    }
    cli_past_finish(&past);
    return result;
}

static bool
has_world(void *context, const char *name)
{
    const struct cli_folder *folder = context;
    bool is_found = false;
    for (int i = 0; i < sv_store_world_count(folder->store) && !is_found; i++) {
        uint64_t number;
        struct sv_charter charter;
        is_found =
            cli_folder_world(folder, i, &number, &charter) && strcmp(name, charter.id) == 0;
    }
    return is_found;
}

enum cli_exit
cli_folder_verify(const char *path, const char *name, const struct cli_shown *shown)
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
            one = verify_world(&folder, number, charter.id, shown);
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
    if (folder.store != NULL && shown != NULL && name == NULL) {
        enum cli_exit one = cli_shown_check_worlds(shown, has_world, &folder);
        result = one > result ? one : result;
    }
    cli_folder_close(&folder);
    return result;
}

static enum cli_exit
verify_folder(const struct cli_call *call)
{
    const char *name = call->operand_count > 1 ? call->operands[1] : NULL;
    struct cli_shown shown;
    if (call->verify_shown == NULL) {
        return cli_folder_verify(call->operands[0], name, NULL);
    }
    enum cli_exit result = cli_shown_open(&shown, call->verify_shown);
    if (result == CLI_DONE) {
        result = cli_folder_verify(call->operands[0], name, &shown);
    }
    cli_shown_finish(&shown);
    return result;
}

enum cli_exit
cli_verify(const struct cli_call *call)
{
    const char *path = call->operands[0];
    if (cli_is_folder(path)) {
        return verify_folder(call);
    }
    if (call->verify_shown != NULL) {
        cli_complain("--shown is compared with a data folder; %s is none", path);
        return CLI_BAD;
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
        result = verify_past(&past, NULL);
        cli_past_finish(&past);
    }
    cli_recording_close(&file);
    return result;
}
