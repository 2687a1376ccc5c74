/* shown_check.c: compares shown states with a world that replays its past. */
#include "clients/cli/recording/shown_check.h"

#include "clients/cli/recording/past.h"
#include "engine/base/assert.h"
#include "proto/scene.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static size_t
count_of_world(const struct cli_shown *shown, size_t first)
{
    size_t end = first;
    while (end < shown->count && strcmp(shown->lines[end].world, shown->lines[first].world) == 0) {
        end++;
    }
    return end - first;
}

void
cli_shown_check_begin(struct cli_shown_check *check, const struct cli_shown *shown,
    const char *name, const struct sv_world *world, bool is_cut)
{
    *check = (struct cli_shown_check){.shown = shown,
        .first_generation = world->generation,
        .first_tick = cn_world_tick(world->engine),
        .is_cut = is_cut};
    size_t at = 0;
    while (at < shown->count && strcmp(shown->lines[at].world, name) != 0) {
        at++;
    }
    if (at < shown->count) {
        check->lines = shown->lines + at;
        check->count = count_of_world(shown, at);
        CN_ASSERT(check->count > 0 && check->count <= shown->count - at);
    }
}

static bool
is_before(const struct cli_shown_line *line, uint32_t generation, uint64_t tick)
{
    return line->generation < generation || (line->generation == generation && line->tick < tick);
}

/* The first line that is not before this tick. */
static size_t
find_tick(const struct cli_shown_check *check, uint32_t generation, uint64_t tick)
{
    size_t low = 0, high = check->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (is_before(&check->lines[middle], generation, tick)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* ---- hashes ---- */

/* Takes the state with the left-out components of TURNS, if the daemon may have chosen them. */
static struct wire_state *
take_turned(const struct sv_world *world, const struct wire_precision *precision,
    struct wire_state *plain, const char *turns)
{
    bool is_told = turns != NULL && plain->is_spatial &&
        cli_shown_read_turns(turns, plain->turn_largest, (size_t)plain->count);
    return is_told ? wire_state_take(world->engine, world->generation, precision, plain)
                   : wire_state_ref(plain);
}

static bool
hash_view(const struct sv_world *world, const char *turns, uint32_t *hash)
{
    const struct wire_precision precision = wire_scene_precision(world->shown->scene);
    struct wire_state *plain =
        wire_state_take(world->engine, world->generation, &precision, NULL);
    struct wire_state *state =
        plain != NULL ? take_turned(world, &precision, plain, turns) : NULL;
    bool is_good = state != NULL;
    if (is_good) {
        *hash = state->view_hash;
    }
    wire_state_unref(state);
    wire_state_unref(plain);
    return is_good;
}

/* Whether two lines have the same TURNS.  Many do, and then the hash is computed once. */
static bool
has_same_turns(const struct cli_shown_line *a, const struct cli_shown_line *b)
{
    return a->turns == NULL || b->turns == NULL ? a->turns == b->turns
                                                : strcmp(a->turns, b->turns) == 0;
}

static void
compare_line(struct cli_shown_line *line, uint32_t hash)
{
    if (line->view_hash == hash) {
        line->found = CLI_SHOWN_SAME;
    } else if (line->found == CLI_SHOWN_NOT_FOUND) {
        line->found = CLI_SHOWN_DIFFERS;
        line->found_hash = hash;
    }
}

void
cli_shown_check_look(struct cli_shown_check *check, const struct sv_world *world)
{
    uint64_t tick = cn_world_tick(world->engine);
    size_t first = find_tick(check, world->generation, tick);
    uint32_t hash = 0;
    for (size_t at = first; at < check->count; at++) {
        struct cli_shown_line *line = &check->lines[at];
        if (line->generation != world->generation || line->tick != tick) {
            return;
        }
        bool is_again = at > first && has_same_turns(line, line - 1);
        if (!is_again && !hash_view(world, line->turns, &hash)) {
            check->is_starved = true;
            return;
        }
        compare_line(line, hash);
    }
}

/* ---- the report ---- */

/*
 * Whether the line is from before the stored past.  If the past begins with a checkpoint, a line of
 * its tick may be from before the changes at that tick.  So a difference there proves nothing.
 */
static bool
is_not_kept(const struct cli_shown_check *check, const struct cli_shown_line *line)
{
    if (!check->is_cut) {
        return false;
    }
    return is_before(line, check->first_generation, check->first_tick) ||
        (line->found == CLI_SHOWN_DIFFERS && line->generation == check->first_generation &&
            line->tick == check->first_tick);
}

static void
print_bad(const struct cli_shown_check *check, const struct cli_shown_line *line, const char *name,
    const struct sv_world *world)
{
    if (line->found == CLI_SHOWN_DIFFERS) {
        printf("%s: differs at tick %" PRIu64 " of generation %" PRIu32 ": the view's hash is "
               "%08" PRIx32 " and %08" PRIx32 " was shown (%s:%" PRIu64 ")\n",
            name, line->tick, line->generation, line->found_hash, line->view_hash,
            check->shown->name, line->number);
        return;
    }
    printf("%s: tick %" PRIu64 " of generation %" PRIu32 " was shown and is not there (%s:%" PRIu64
           "); the world ends at tick %" PRIu64 " of generation %" PRIu32 "\n",
        name, line->tick, line->generation, check->shown->name, line->number,
        cn_world_tick(world->engine), world->generation);
}

enum cli_exit
cli_shown_check_report(
    const struct cli_shown_check *check, const char *name, const struct sv_world *world)
{
    const struct cli_shown_line *bad[CLI_SHOWN_SAME + 1] = {NULL};
    size_t counts[CLI_SHOWN_SAME + 1] = {0}, gone = 0;
    if (check->is_starved) {
        cli_complain("%s: no memory to compare what was shown", name);
        return CLI_COULD_NOT;
    }
    for (size_t i = 0; i < check->count; i++) {
        const struct cli_shown_line *line = &check->lines[i];
        if (is_not_kept(check, line)) {
            gone++;
        } else {
            bad[line->found] = bad[line->found] == NULL ? line : bad[line->found];
            counts[line->found]++;
        }
    }
    CN_ASSERT(gone + counts[CLI_SHOWN_SAME] + counts[CLI_SHOWN_DIFFERS] +
            counts[CLI_SHOWN_NOT_FOUND] == check->count);
    printf("%s: shown: %zu compared, %zu the same", name,
        counts[CLI_SHOWN_SAME] + counts[CLI_SHOWN_DIFFERS], counts[CLI_SHOWN_SAME]);
    if (gone > 0) {
        printf("; %zu not kept, the past begins at tick %" PRIu64 " of generation %" PRIu32, gone,
            check->first_tick, check->first_generation);
    }
    if (counts[CLI_SHOWN_NOT_FOUND] > 0) {
        printf("; %zu not there", counts[CLI_SHOWN_NOT_FOUND]);
    }
    putchar('\n');
    for (int found = CLI_SHOWN_DIFFERS; found >= CLI_SHOWN_NOT_FOUND; found--) {
        if (bad[found] != NULL) {
            print_bad(check, bad[found], name, world);
        }
    }
    bool is_good = counts[CLI_SHOWN_SAME] + gone == check->count;
    return is_good ? CLI_DONE : CLI_NO;
}

enum cli_exit
cli_shown_check_worlds(const struct cli_shown *shown,
    bool (*has_world)(void *context, const char *name), void *context)
{
    enum cli_exit result = CLI_DONE;
    for (size_t at = 0, count; at < shown->count; at += count) {
        const struct cli_shown_line *line = &shown->lines[at];
        count = count_of_world(shown, at);
        if (!has_world(context, line->world)) {
            printf("%s: was shown %zu times (%s:%" PRIu64 ") and the folder has no such world\n",
                line->world, count, shown->name, line->number);
            result = CLI_NO;
        }
    }
    return result;
}
