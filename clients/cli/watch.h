/*
 * watch.h: `cairn watch`: shows one world as a client sees it that subscribes to everything.
 *
 * Counts are kept by period, newest first.  Rates are means over all kept periods, so that numbers
 * on a screen that is drawn four times a second stay readable.
 */
#ifndef CLIENTS_CLI_WATCH_H
#define CLIENTS_CLI_WATCH_H

#include "clients/base/follower.h"
#include "clients/base/remote.h"
#include "clients/base/shown.h"
#include "clients/c/offset.h"
#include "clients/c/say.h"
#include "clients/cli/attributes.h"
#include "proto/delta.h"

#include <stdio.h>
#include <termios.h>

#define WATCH_PERIODS 4
#define WATCH_HISTORY 48 /* columns of a sparkline */

/* The messages of one period. */
struct watch_period {
    uint64_t duration_us;
    uint64_t bytes[WIRE_SERVER_KINDS_MAX], messages[WIRE_SERVER_KINDS_MAX];
    uint64_t field_bytes[WIRE_SERVER_KINDS_MAX][WIRE_FIELDS_MAX];
    uint64_t skipped; /* missing ticks */
};

/* Name, and the unit or text of its sparkline. */
#define WATCH_HISTORY_TABLE(X)                                                                     \
    X(rate, "ticks/s")                                                                             \
    X(bytes, "bytes/s")                                                                            \
    X(step, "step ms")                                                                             \
    X(kinetic, "kinetic J")

enum watch_history {
#define X(name, text) WATCH_HISTORY_##name,
    WATCH_HISTORY_TABLE(X)
#undef X
    WATCH_HISTORY_COUNT
};

enum watch_format { WATCH_SCREEN, WATCH_LINES, WATCH_JSON };

struct watch {
    struct cli_remote remote;
    const char *world;
    struct wire_client_message subscribe;
    struct wire_decoder decoder; /* of deltas */
    struct wire_contact_decoder contact_decoder;
    struct cli_follower follower; /* mode DEEDS */
    struct cli_shown_out shown;
    struct cli_shown_stay stay;
    char server[CNC_HOST_SIZE + 16];
    enum watch_format format;
    uint64_t until_us; /* 0: until it is interrupted */

    uv_loop_t loop;
    uv_timer_t draw, ping;
    uv_signal_t signals[2];
    uv_poll_t keys;
    bool has_keys, is_stopping, is_joined;
    struct termios terminal; /* its earlier settings */
    struct cnc_client *client;
    struct cnc_connection *connection;
    struct cnc_offset offset;
    char failure[512];
    enum cli_exit result;

    struct wire_status status;
    bool is_spatial;
    struct wire_heard_contacts contacts;
    bool has_contacts, has_energy;
    struct cli_attributes attributes; /* those that the daemon has sent */
    double kinetic, potential, total; /* J */
    double round_trip_ms, delay_ms; /* of the newest pong and tick; < 0: none yet */
    uint64_t tick, drawn_us;
    size_t asleep_count, moving_count;
    uint64_t mismatched;
    struct watch_period now, periods[WATCH_PERIODS];
    unsigned period_count;
    double history[WATCH_HISTORY_COUNT][WATCH_HISTORY];
    unsigned history_count;

};

/* ---- watch_print.c ---- */

/* Rates per second, over the stored periods. */
double watch_rate(const struct watch *watch, enum wire_server_kind kind);
double watch_bytes_rate(const struct watch *watch);

void watch_draw(struct watch *watch, FILE *out);
void watch_print_line(const struct watch *watch, FILE *out);
void watch_print_json(const struct watch *watch, FILE *out);

/* Switch to the second screen of the terminal, and back. */
void watch_begin_screen(FILE *out);
void watch_end_screen(FILE *out);

#endif
