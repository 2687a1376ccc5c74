/*
 * shown_check.h: reads a file of what clients were shown, and compares it with a world's past.
 */
#ifndef CLIENTS_CLI_RECORDING_SHOWN_CHECK_H
#define CLIENTS_CLI_RECORDING_SHOWN_CHECK_H

#include "clients/base/shown.h"

struct sv_world;

/* ---- shown_file.c: reading ---- */

struct cli_shown {
    const char *name; /* of the file, borrowed */
    char *text;
    struct cli_shown_line *lines; /* by world, generation, tick */
    size_t count;
};

/* CLI_DONE; else with a message, and finish is still due. */
enum cli_exit cli_shown_open(struct cli_shown *shown, const char *path);
void cli_shown_finish(struct cli_shown *shown);

/* ---- shown_check.c: comparing ---- */

/* The lines of one world. */
struct cli_shown_check {
    const struct cli_shown *shown;
    struct cli_shown_line *lines; /* borrowed */
    size_t count;
    uint32_t first_generation; /* the past begins at this generation ... */
    uint64_t first_tick;
    bool is_cut; /* it begins with a checkpoint: earlier log entries have been pruned */
    bool is_starved;
};

void cli_shown_check_begin(struct cli_shown_check *check, const struct cli_shown *shown,
    const char *name, const struct sv_world *world, bool is_cut);

/*
 * Compares the lines of the world's present tick.  A tick may be compared more than once, because
 * changes at a tick may be shown at that tick.  A line is confirmed if one comparison agrees.
 */
void cli_shown_check_look(struct cli_shown_check *check, const struct sv_world *world);

/* Prints how many lines were compared, and the differences; CLI_NO if there are any. */
enum cli_exit cli_shown_check_report(
    const struct cli_shown_check *check, const char *name, const struct sv_world *world);

/* Prints a line for each world of the file for which `has_world` is false; CLI_NO if any. */
enum cli_exit cli_shown_check_worlds(const struct cli_shown *shown,
    bool (*has_world)(void *context, const char *name), void *context);

#endif
