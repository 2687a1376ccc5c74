/*
 * load.h: `cairn-load`: runs bots on a daemon and measures its answers.
 *
 * There is one thread, one loop, and one connection for each bot.  A bot says Hello, joins its
 * world, acts by its script and pings.  A simulated slow line in each direction is between the bot
 * and its connection (clients/c/link.h).
 *
 * **The measures**, all taken at the bot's end of the line:
 *
 *     round trip   Ping to Pong
 *     snapshot     from the publishing of a tick, told in TickHeader by the daemon's clock, to its
 *                  arrival; the clocks are matched by clients/c/offset.h
 *     jitter       |time between two arrivals - time between their publishings|
 *     input        from saying an input to the first tick whose appliedSeq contains it
 *     busy         from an input that is refused as BUSY to the first tick with a newer one
 *     join         from the first packet to Joined
 *     own lag      how late this program's own timer of 10 ms rings: where it is as large as the
 *                  others, they are figures of this program, not of the daemon
 *
 * BUSY is not an error: a daemon under load asks for a later retry, and it is counted apart.  A bot
 * that receives it waits as WIRE.md, "Inputs", asks: it sends no input for LOAD_QUIET_US, or for
 * `retryMs` if that is longer.  The time doubles with every BUSY up to LOAD_QUIET_US_MAX, and is
 * shortened at random to no less than three quarters.  Inputs of its script are held back
 * meanwhile.
 *
 * The figures are of the time after the ramp, when no more bots are added; only joins and errors
 * are counted from the start.
 */
#ifndef CLIENTS_LOAD_LOAD_H
#define CLIENTS_LOAD_LOAD_H

#include "clients/base/follower.h"
#include "clients/base/remote.h"
#include "clients/base/shown.h"
#include "clients/c/link.h"
#include "clients/c/offset.h"
#include "clients/c/say.h"
#include "clients/load/load_options.h"
#include "clients/load/load_script.h"
#include "clients/load/quantile.h"

#include <stdio.h>

/* Bots of one process.  More are refused. */
#define LOAD_BOTS_MAX 20000

/*
 * Inputs of a bot that wait for their answer; the oldest beyond this are dropped and count as late.
 */
#define LOAD_INPUTS_MAX 128

/* Kinds of errors with their own count; others count as "other". */
#define LOAD_ERRORS_MAX 16

struct load_error {
    char text[CNC_REASON_SIZE];
    uint64_t count;
};

struct load_memory {
    uint64_t first_kb, settled_kb, last_kb, most_kb;
    double settled_s; /* when settled_kb was measured; < 0: not yet */
};

struct load_stats {
    struct load_quantile round_trip_us, snapshot_us, jitter_us, input_us, busy_us, join_us, lag_us;
    uint64_t bytes[WIRE_SERVER_KINDS_MAX], messages[WIRE_SERVER_KINDS_MAX];
    uint64_t bytes_said, messages_said;
    uint64_t ticks, ticks_skipped;
    uint64_t inputs_said, inputs_applied, inputs_late, inputs_rejected, inputs_dropped;
    uint64_t inputs_busy, inputs_held_back, busy_other; /* BUSY for inputs; for other messages */
    uint64_t checked, mismatched; /* snapshots whose hash was computed; and differed */
    uint64_t stalls;
    struct load_error errors[LOAD_ERRORS_MAX + 1];
    unsigned error_count; /* number of kinds */
    uint64_t errors_total;
    struct load_memory memory;
};

struct load_world {
    char name[WIRE_NAME_SIZE];
    struct wire_heard_joined *joined; /* the newest generation; NULL: no bot has joined yet */
};

struct load_bot;

struct load {
    struct cli_remote remote;
    unsigned bot_count;
    double ramp_s, duration_s, settle_s;
    uint64_t ping_us, late_us, seed;
    double verify; /* share of bots that check every snapshot */
    struct cnc_link_quality quality;
    bool is_slow; /* the line delays or loses messages */
    struct wire_client_message subscribe;
    uint64_t ack_every; /* ticks between Acks; 0: never */
    struct load_shares shares;
    uint64_t memory_pid; /* 0: none */
    struct cli_shown_out shown;

    struct load_world *worlds;
    size_t world_count;
    struct load_bot **bots;
    unsigned begun_count, joined_count, joined_ever, ended_count;

    uv_loop_t loop;
    uv_timer_t pulse;
    uv_signal_t signals[2];
    struct cnc_client *client;
    uint64_t start_us, measure_us, end_us; /* measure_us 0: not yet */
    uint64_t pulse_us, second_us, close_us, seen_bytes;
    bool is_measuring, is_interrupted, is_closing, is_stopped, has_progress;
    struct load_stats stats;
};

/* Runs bots as the options say, and prints the report. */
enum cli_exit load_run(const struct load_options *options);

uint64_t load_now_us(void);

/* Counts an error by its text. */
__attribute__((format(printf, 2, 3))) void load_error(struct load *load, const char *format, ...);

/* ---- load_bot.c ---- */

/* NULL without memory. */
struct load_bot *load_bot_begin(struct load *load, unsigned index);

/* Leaves the world and closes; the bot is no longer measured. */
void load_bot_close(struct load_bot *bot);

/* Call it when the client is stopped.  Run the loop until it is empty before destroying the bot. */
void load_bot_stop(struct load_bot *bot);
void load_bot_destroy(struct load_bot *bot);

extern const struct cnc_events load_bot_events;

/* ---- load_report.c ---- */

/* The measured time in seconds. */
double load_measured_s(const struct load *load);

void load_print_table(const struct load *load, FILE *out);
void load_print_json(const struct load *load, FILE *out);

#endif
