/*
 * shown.h: a text file of the states that clients were shown, for a comparison afterwards.
 *
 * Lines that begin with # are comments; every other is a state of a whole world that was shown:
 *
 *     WORLD GENERATION TICK VIEWHASH [TURNS]
 *     lab 1 372 0a1b2c3d
 *     tower 1 15 99aabbcc w40x2w1
 *
 * VIEWHASH is the view's hash (WIRE.md), 8 hex digits.  TURNS is only for worlds in space.  It
 * names the left-out component of each body's rotation, in the order of the bodies, as runs of a
 * letter of wxyz and a count.  The daemon's choice may depend on earlier ticks (quant.h), and the
 * hash depends on the choice.
 *
 * Only states that no crash may take back are written: with durability TICK every state, with
 * SECOND one after TickHeader.durableTick has passed it.
 *
 * A line is written whole by one call, so that it is in the file when its writer is killed.
 */
#ifndef CLIENTS_BASE_SHOWN_H
#define CLIENTS_BASE_SHOWN_H

#include "clients/base/exit.h"
#include "proto/peer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define CLI_SHOWN_HEADER "# cairn shown 1: WORLD GENERATION TICK VIEWHASH [TURNS]"
#define CLI_SHOWN_ERROR_SIZE 256

/* ---- shown.c: the text ---- */

enum cli_shown_found {
    CLI_SHOWN_NOT_FOUND, /* the world never was at this tick */
    CLI_SHOWN_DIFFERS,
    CLI_SHOWN_SAME,
};

struct cli_shown_line {
    const char *world, *turns; /* borrowed from the text; turns may be NULL */
    uint32_t generation, view_hash;
    uint64_t tick, number; /* number: of the line in its file */
    enum cli_shown_found found;
    uint32_t found_hash; /* DIFFERS: the hash of the replayed world, the first time */
};

/*
 * Splits a line without its line break by writing NULs into it.  False with `error` filled: it
 * names the wrong word and the accepted ones.
 */
bool cli_shown_parse(
    char *text, struct cli_shown_line *line, char error[CLI_SHOWN_ERROR_SIZE]);

/* Reads the components of `count` bodies.  False if TURNS has more or fewer bodies. */
bool cli_shown_read_turns(const char *turns, uint32_t *largest, size_t count);

/* Prints a line with its line break, heap; NULL without memory.  `largest` NULL: a planar world. */
char *cli_shown_print(const char *world, uint32_t generation, uint64_t tick, uint32_t view_hash,
    const uint32_t *largest, size_t count);

/* ---- shown_write.c: recording shown ticks ---- */

struct cli_shown_out {
    FILE *file;
    const char *name; /* borrowed */
    int error;        /* errno of the first line that could not be written; 0: none */
};

/* Checks that a subscription can be compared: a whole world with its hash.  Else a message. */
enum cli_exit cli_shown_check_subscribe(const struct wire_client_message *subscribe);

/* Opens a file to which lines are appended.  A failure prints a message. */
enum cli_exit cli_shown_create(struct cli_shown_out *out, const char *path);

/* CLI_DONE, or an error with a message if a write failed.  Accepts a file that is not open. */
enum cli_exit cli_shown_close(struct cli_shown_out *out);

/* One client's stay in a world.  Zero-initialise it.  Without `out` its functions do nothing. */
struct cli_shown_stay {
    struct cli_shown_out *out;
    char world[WIRE_NAME_SIZE];
    enum wire_durability durability;
    uint64_t durable_tick;
    struct cli_shown_wait {
        uint64_t tick;
        char *text;
    } *waits; /* ticks that are not durable yet, in their order */
    size_t wait_count, wait_capacity;
};

void cli_shown_join(struct cli_shown_stay *stay, const struct wire_heard_joined *joined);
void cli_shown_hear_tick(struct cli_shown_stay *stay, const struct wire_tick_header *tick);
void cli_shown_hear_snapshot(
    struct cli_shown_stay *stay, const struct wire_heard_snapshot *snapshot);
void cli_shown_hear_state(struct cli_shown_stay *stay, const struct wire_state *state);

/* Ends the stay.  Ticks that are not durable are not written. */
void cli_shown_leave(struct cli_shown_stay *stay);

#endif
