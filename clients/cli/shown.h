/*
 * shown.h: what clients were shown, as a text file: written while they see it, compared afterwards.
 *
 * Lines that begin with # are comments; every other is a state of a whole world that was shown:
 *
 *     WORLD GENERATION TICK VIEWHASH [TURNS]
 *     lab 1 372 0a1b2c3d
 *     tower 1 15 99aabbcc w40x2w1
 *
 * VIEWHASH is the view's hash (WIRE.md), 8 hex digits.  TURNS is there in space: which component of
 * each body's rotation was left out, in the order of the bodies, as runs of a letter of wxyz and a
 * count.  The daemon may choose it by what it showed before (quant.h), and the hash depends on it.
 *
 * Only what no crash may take back is written: with durability TICK every state, with SECOND one
 * after TickHeader.durableTick has passed it.
 *
 * A line is written whole by one call, so that it is in the file when its writer is killed.
 */
#ifndef CLIENTS_CLI_SHOWN_H
#define CLIENTS_CLI_SHOWN_H

#include "clients/cli/cli.h"
#include "proto/peer.h"

#include <stddef.h>

struct sv_world;

#define CLI_SHOWN_HEADER "# cairn shown 1: WORLD GENERATION TICK VIEWHASH [TURNS]"
#define CLI_SHOWN_ERROR_SIZE 256

/* ---- shown.c, shown_file.c: the text ---- */

enum cli_shown_found {
    CLI_SHOWN_NOT_FOUND, /* the world has not been at this tick */
    CLI_SHOWN_DIFFERS,
    CLI_SHOWN_SAME,
};

struct cli_shown_line {
    const char *world, *turns; /* borrowed from the text; turns NULL: none */
    uint32_t generation, view_hash;
    uint64_t tick, number; /* of the line in its file */
    enum cli_shown_found found;
    uint32_t found_hash; /* of the world done again, the first time; DIFFERS alone */
};

/*
 * Takes a line without its end apart, by zeros in it; false with `error` saying which word is wrong
 * and what is accepted.
 */
bool cli_shown_parse(
    char *text, struct cli_shown_line *line, char error[CLI_SHOWN_ERROR_SIZE]);

/* The components of exactly `count` bodies; false: TURNS are of more or fewer. */
bool cli_shown_read_turns(const char *turns, uint32_t *largest, size_t count);

/* The line with its end as heap memory; NULL without.  `largest` NULL: a world of the plane. */
char *cli_shown_print(const char *world, uint32_t generation, uint64_t tick, uint32_t view_hash,
    const uint32_t *largest, size_t count);

struct cli_shown {
    const char *name; /* of the file, borrowed */
    char *text;
    struct cli_shown_line *lines; /* by world, generation, tick */
    size_t count;
};

/* CLI_DONE; else with a message, and finish is still due. */
enum cli_exit cli_shown_open(struct cli_shown *shown, const char *path);
void cli_shown_finish(struct cli_shown *shown);

/* ---- shown_write.c: while it is shown ---- */

struct cli_shown_out {
    FILE *file;
    const char *name; /* borrowed */
    int error;        /* errno of the first line that could not be written; 0: none */
};

/* Whether what is subscribed to can be compared: all of a world, with its hash.  Else a message. */
enum cli_exit cli_shown_check_subscribe(const struct wire_client_message *subscribe);

/* Lines are added to a file that has some; with a message otherwise. */
enum cli_exit cli_shown_create(struct cli_shown_out *out, const char *path);

/* CLI_DONE, or with a message when not everything has been written.  Takes one that is not open. */
enum cli_exit cli_shown_close(struct cli_shown_out *out);

/* One client's stay in a world.  Zero-initialise it; all of these do nothing without `out`. */
struct cli_shown_stay {
    struct cli_shown_out *out;
    char world[WIRE_NAME_SIZE];
    enum wire_durability durability;
    uint64_t durable_tick;
    struct cli_shown_wait {
        uint64_t tick;
        char *text;
    } *waits; /* until they are durable, in the order of their ticks */
    size_t wait_count, wait_capacity;
};

void cli_shown_join(struct cli_shown_stay *stay, const struct wire_heard_joined *joined);
void cli_shown_hear_tick(struct cli_shown_stay *stay, const struct wire_tick_header *tick);
void cli_shown_hear_snapshot(
    struct cli_shown_stay *stay, const struct wire_heard_snapshot *snapshot);
void cli_shown_hear_state(struct cli_shown_stay *stay, const struct wire_state *state);

/* What was not durable is not written. */
void cli_shown_leave(struct cli_shown_stay *stay);

/* ---- shown_check.c: afterwards ---- */

/* The lines of one world. */
struct cli_shown_check {
    const struct cli_shown *shown;
    struct cli_shown_line *lines; /* borrowed */
    size_t count;
    uint32_t first_generation; /* at which the past begins ... */
    uint64_t first_tick;
    bool is_cut; /* it begins with a checkpoint: earlier log entries have been pruned */
    bool is_starved;
};

void cli_shown_check_begin(struct cli_shown_check *check, const struct cli_shown *shown,
    const char *name, const struct sv_world *world, bool is_cut);

/*
 * The world is at a tick: compares the lines of it.  A tick may be looked at more than once, as
 * what is done at it may be shown at it; a line is the same if one of these is.
 */
void cli_shown_check_look(struct cli_shown_check *check, const struct sv_world *world);

/* Says how many were compared, and what is not as it was shown: CLI_NO then. */
enum cli_exit cli_shown_check_report(
    const struct cli_shown_check *check, const char *name, const struct sv_world *world);

/* The worlds of the file that `has_world` says there are none of: CLI_NO with a line for each. */
enum cli_exit cli_shown_check_worlds(const struct cli_shown *shown,
    bool (*has_world)(void *context, const char *name), void *context);

#endif
