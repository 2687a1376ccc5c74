/*
 * watch.c: `cairn watch`: the connection, and the data that is kept of its messages.
 */
#include "clients/cli/watch.h"

#include "clients/cli/cli.h"
#include "engine/base/assert.h"

#include <inttypes.h>
#include <stdarg.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DRAW_MS 250
#define LINE_MS 1000
#define PING_MS 500
#define CONTACT_RATE 20 /* a second: more than it prints */

static uint64_t
now_us(void)
{
    return uv_hrtime() / 1000;
}

/* ---- the end ---- */

static void
stop_watch(struct watch *watch)
{
    if (watch->is_stopping) {
        return;
    }
    watch->is_stopping = true;
    uv_close((uv_handle_t *)&watch->draw, NULL);
    uv_close((uv_handle_t *)&watch->ping, NULL);
    for (int i = 0; i < 2; i++) {
        uv_close((uv_handle_t *)&watch->signals[i], NULL);
    }
    if (watch->has_keys) {
        uv_close((uv_handle_t *)&watch->keys, NULL);
        tcsetattr(STDIN_FILENO, TCSANOW, &watch->terminal);
    }
    cnc_client_stop(watch->client);
}

__attribute__((format(printf, 3, 4))) static void
fail(struct watch *watch, enum cli_exit result, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(watch->failure, sizeof(watch->failure), format, arguments);
    va_end(arguments);
    watch->result = result;
    stop_watch(watch);
}

static void
on_signal(uv_signal_t *signal, int number)
{
    (void)number;
    stop_watch(signal->data);
}

/* The key q ends the watch. */
static void
on_key(uv_poll_t *poll, int status, int events)
{
    char key;
    if (status == 0 && (events & UV_READABLE) != 0 && read(STDIN_FILENO, &key, 1) == 1 &&
        (key == 'q' || key == 'Q')) {
        stop_watch(poll->data);
    }
}

/* ---- hearing ---- */

static void
on_opened(void *user)
{
    struct watch *watch = user;
    cnc_say_hello(watch->connection, "watch", CLI_CLIENT_NAME, watch->remote.token);
}

static void
heard_tick(struct watch *watch, const struct wire_tick_header *tick)
{
    int64_t ours_us;
    if (watch->tick != 0 && tick->tick > watch->tick) {
        watch->now.skipped += tick->tick - watch->tick - 1;
    }
    watch->tick = tick->tick;
    if (cnc_offset_ours(&watch->offset, tick->server_time_us, &ours_us)) {
        int64_t delay_us = (int64_t)now_us() - ours_us;
        watch->delay_ms = delay_us > 0 ? (double)delay_us * 1e-3 : 0.0;
    }
}

/* A world that is not stored in a folder cannot be compared later, so it is not recorded. */
static void
hear_shown_joined(struct watch *watch, const struct wire_heard_joined *joined)
{
    const struct wire_status *status = &joined->status;
    if (watch->stay.out == NULL) {
        return;
    }
    if (status->durability == WIRE_DURABILITY_NONE || status->state == WIRE_WORLD_REPLAY) {
        fail(watch, CLI_NO, "--shown: %s is %s and is not stored: there is nothing to compare with",
            watch->world,
            status->state == WIRE_WORLD_REPLAY ? "a replay" : "of durability NEVER");
        return;
    }
    cli_shown_join(&watch->stay, joined);
}

/* A difference asks for an image; what cannot be followed ends the watch. */
static void
note_follow(struct watch *watch, enum cli_follow result, uint64_t tick, uint64_t hash)
{
    const struct wire_error *error = &watch->follower.error;
    if (result == CLI_FOLLOW_DIFFERS) {
        const struct wire_client_message desync = {
            .kind = WIRE_CLIENT_DESYNC, .desync = {.tick = tick, .hash = hash}};
        cnc_say(watch->connection, &desync);
    } else if (result == CLI_FOLLOW_FAILED) {
        fail(watch, CLI_COULD_NOT, "this engine cannot follow the world: %s %s", error->path,
            error->text);
    }
}

static void
hear_deeds(struct watch *watch, const struct wire_heard_deeds *deeds)
{
    uint64_t hash;
    enum cli_follow result = cli_follower_deeds(&watch->follower, deeds, &watch->stay, &hash);
    note_follow(watch, result, deeds->tick, hash);
}

/* Without memory the attributes that are shown would be wrong. */
static void
note_attributes(struct watch *watch, bool is_kept)
{
    if (!is_kept) {
        fail(watch, CLI_COULD_NOT, "no memory for the attributes of the world");
    }
}

static void
hear_message(struct watch *watch, const struct wire_server_message *message)
{
    const struct wire_error *error = &message->rejected.error;
    switch (message->kind) {
    case WIRE_SERVER_WELCOME:
        cnc_say(watch->connection, &watch->subscribe);
        cnc_say_join(watch->connection, watch->world);
        break;
    case WIRE_SERVER_JOINED:
        watch->is_joined = true;
        watch->status = message->joined->status;
        watch->is_spatial = message->joined->is_spatial;
        wire_heard_begin_decoder(message->joined, &watch->decoder);
        wire_heard_begin_contacts(message->joined, &watch->contact_decoder);
        watch->has_contacts = watch->has_energy = false;
        watch->tick = 0;
        hear_shown_joined(watch, message->joined);
        note_attributes(watch, cli_attributes_join(&watch->attributes, message->joined));
        note_follow(watch, cli_follower_join(&watch->follower, message->joined), 0, 0);
        break;
    case WIRE_SERVER_DEEDS:
        hear_deeds(watch, &message->deeds);
        break;
    case WIRE_SERVER_STATUS:
        watch->status = *message->status;
        break;
    case WIRE_SERVER_TICK:
        heard_tick(watch, &message->tick);
        cli_shown_hear_tick(&watch->stay, &message->tick);
        break;
    case WIRE_SERVER_SNAPSHOT:
        watch->status.time = message->snapshot.time;
        watch->moving_count = message->snapshot.count;
        watch->asleep_count = message->snapshot.asleep_count;
        watch->mismatched += message->snapshot.is_whole ? 0 : 1;
        cli_shown_hear_snapshot(&watch->stay, &message->snapshot);
        break;
    case WIRE_SERVER_CONTACTS:
        watch->has_contacts = true;
        watch->contacts = message->contacts;
        break;
    case WIRE_SERVER_ENERGY:
        watch->has_energy = true;
        watch->kinetic = message->energy.kinetic;
        watch->potential = message->energy.potential;
        watch->total = message->energy.total;
        break;
    case WIRE_SERVER_ATTRIBUTES:
        note_attributes(
            watch, cli_attributes_follow(&watch->attributes, &message->attributes));
        break;
    case WIRE_SERVER_PONG:
        cnc_offset_add(&watch->offset, message->pong.client_time_us, message->pong.server_time_us,
            now_us());
        watch->round_trip_ms = (double)(now_us() - message->pong.client_time_us) * 1e-3;
        break;
    case WIRE_SERVER_REJECTED:
        if (strcmp(error->code, "WORLD") == 0 && !watch->is_joined) {
            fail(watch, CLI_NO, "the daemon at %s has no world %.64s; cairn worlds lists them",
                watch->server, watch->world);
        } else {
            fail(watch, CLI_NO, "%s%s%s (%s)", error->path, error->path[0] != '\0' ? " " : "",
                error->text, error->code);
        }
        break;
    default:
        break;
    }
}

static void
heard_delta(struct watch *watch, const uint8_t *bytes, size_t size)
{
    const struct wire_state *state;
    if (wire_decode_delta(&watch->decoder, bytes, size, &state) == WIRE_DELTA_OK) {
        watch->status.time = state->time;
        watch->moving_count = (size_t)state->count;
        watch->asleep_count = (size_t)state->asleep_count;
        cli_shown_hear_state(&watch->stay, state);
    } else {
        watch->mismatched++;
    }
}

static void
heard_contact_delta(struct watch *watch, const uint8_t *bytes, size_t size)
{
    const struct wire_contacts *contacts;
    if (wire_decode_contact_delta(&watch->contact_decoder, bytes, size, &contacts) ==
        WIRE_DELTA_OK) {
        watch->has_contacts = true;
        watch->contacts = wire_heard_contacts(contacts);
    } else {
        watch->mismatched++;
    }
}

/* A snapshot as text; only its size is used. */
static void
on_text(void *user, const char *text, size_t size)
{
    struct watch *watch = user;
    (void)text;
    watch->now.bytes[WIRE_SERVER_NONE] += size;
    watch->now.messages[WIRE_SERVER_NONE]++;
}

static void
on_message(void *user, const uint8_t *bytes, size_t size)
{
    struct watch *watch = user;
    struct wire_server_message message;
    struct wire_error error;
    enum wire_server_kind kind = wire_server_kind(bytes, size);
    if (watch->is_stopping) {
        return;
    }
    CN_ASSERT((unsigned)kind < WIRE_SERVER_KINDS_MAX); /* an unknown kind is WIRE_SERVER_NONE */
    watch->now.bytes[kind] += size;
    watch->now.messages[kind]++;
    wire_server_field_sizes(bytes, size, watch->now.field_bytes[kind]);
    if (kind == WIRE_SERVER_DELTA) {
        heard_delta(watch, bytes, size);
        return;
    }
    if (kind == WIRE_SERVER_CONTACT_DELTA) {
        heard_contact_delta(watch, bytes, size);
        return;
    }
    if (!wire_server_decode(bytes, size, &message, &error)) {
        fail(watch, CLI_COULD_NOT, "what the daemon says is not understood: %s %s", error.path,
            error.text);
        return;
    }
    hear_message(watch, &message);
    wire_server_message_finish(&message);
}

static void
on_ended(void *user, const struct cnc_end *end)
{
    struct watch *watch = user;
    watch->connection = NULL;
    if (end->kind == CNC_END_REFUSED) {
        fail(watch, CLI_COULD_NOT, "%s", end->reason);
    } else {
        fail(watch, CLI_COULD_NOT, "the daemon closed with %d%s%s", end->code,
            end->reason[0] != '\0' ? ": " : "", end->reason);
    }
}

/* ---- showing ---- */

static void
remember_value(struct watch *watch, enum watch_history history, double value)
{
    CN_ASSERT((unsigned)history < WATCH_HISTORY_COUNT);
    watch->history[history][watch->history_count % WATCH_HISTORY] = value;
}

static void
end_period(struct watch *watch)
{
    uint64_t time_us = now_us();
    watch->now.duration_us = time_us - watch->drawn_us;
    watch->drawn_us = time_us;
    watch->periods[watch->period_count++ % WATCH_PERIODS] = watch->now;
    memset(&watch->now, 0, sizeof(watch->now));
    remember_value(watch, WATCH_HISTORY_rate, watch_rate(watch, WIRE_SERVER_TICK));
    remember_value(watch, WATCH_HISTORY_bytes, watch_bytes_rate(watch));
    remember_value(watch, WATCH_HISTORY_step, watch->status.tick_duration_us * 1e-3);
    remember_value(watch, WATCH_HISTORY_kinetic, watch->kinetic);
    watch->history_count++;
}

static void
on_draw(uv_timer_t *timer)
{
    struct watch *watch = timer->data;
    if (watch->is_joined) {
        end_period(watch);
        if (watch->format == WATCH_SCREEN) {
            watch_draw(watch, stdout);
        } else if (watch->format == WATCH_JSON) {
            watch_print_json(watch, stdout);
        } else {
            watch_print_line(watch, stdout);
        }
        fflush(stdout);
    }
    bool is_over = watch->until_us != 0 && now_us() >= watch->until_us;
    if (ferror(stdout) || watch->shown.error != 0 || is_over) {
        stop_watch(watch);
    }
}

static void
on_ping(uv_timer_t *timer)
{
    struct watch *watch = timer->data;
    if (watch->connection != NULL && watch->is_joined) {
        cnc_say_ping(watch->connection, now_us());
    }
}

/* ---- the run ---- */

static void
begin_keys(struct watch *watch)
{
    if (watch->format != WATCH_SCREEN || isatty(STDIN_FILENO) != 1 ||
        tcgetattr(STDIN_FILENO, &watch->terminal) != 0 ||
        uv_poll_init(&watch->loop, &watch->keys, STDIN_FILENO) != 0) {
        return;
    }
    struct termios raw = watch->terminal;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    tcsetattr(STDIN_FILENO, TCSANOW, &raw);
    watch->keys.data = watch;
    watch->has_keys = true;
    uv_poll_start(&watch->keys, UV_READABLE, on_key);
}

static enum cli_exit
begin_watch(struct watch *watch)
{
    const struct cli_remote *remote = &watch->remote;
    static const int numbers[2] = {SIGINT, SIGTERM};
    const struct cnc_events events = {
        .opened = on_opened, .message = on_message, .text = on_text, .ended = on_ended};
    uint64_t period_ms = watch->format == WATCH_SCREEN ? DRAW_MS : LINE_MS;
    uv_loop_init(&watch->loop);
    watch->client = cnc_client_create(&watch->loop, &remote->address, remote->ca_file, &events,
        watch->failure, sizeof(watch->failure));
    watch->connection = watch->client != NULL ? cnc_connect(watch->client, watch) : NULL;
    if (watch->connection == NULL) {
        cli_complain("%s", watch->client == NULL ? watch->failure : "no memory");
        return CLI_COULD_NOT;
    }
    uv_timer_init(&watch->loop, &watch->draw);
    uv_timer_init(&watch->loop, &watch->ping);
    watch->draw.data = watch->ping.data = watch;
    uv_timer_start(&watch->draw, on_draw, period_ms, period_ms);
    uv_timer_start(&watch->ping, on_ping, PING_MS / 5, PING_MS);
    for (int i = 0; i < 2; i++) {
        uv_signal_init(&watch->loop, &watch->signals[i]);
        watch->signals[i].data = watch;
        uv_signal_start(&watch->signals[i], on_signal, numbers[i]);
    }
    begin_keys(watch);
    return CLI_DONE;
}

static enum cli_exit
run_watch(struct watch *watch)
{
    watch->drawn_us = now_us();
    watch->round_trip_ms = watch->delay_ms = -1.0;
    enum cli_exit result = begin_watch(watch);
    if (result == CLI_DONE) {
        if (watch->format == WATCH_SCREEN) {
            watch_begin_screen(stdout);
        }
        uv_run(&watch->loop, UV_RUN_DEFAULT);
        if (watch->format == WATCH_SCREEN) {
            watch_end_screen(stdout);
        }
        if (watch->failure[0] != '\0') {
            cli_complain("%s", watch->failure);
        }
        result = watch->result;
        uv_run(&watch->loop, UV_RUN_DEFAULT);
    }
    cnc_client_destroy(watch->client);
    wire_ring_clear(&watch->decoder.ring);
    wire_contact_decoder_clear(&watch->contact_decoder);
    cli_follower_finish(&watch->follower);
    uv_loop_close(&watch->loop);
    return result;
}

static bool
read_format(struct watch *watch, const char *format)
{
    if (format == NULL) {
        watch->format = isatty(STDOUT_FILENO) == 1 ? WATCH_SCREEN : WATCH_LINES;
    } else if (strcmp(format, "lines") == 0) {
        watch->format = WATCH_LINES;
    } else if (strcmp(format, "json") == 0) {
        watch->format = WATCH_JSON;
    } else if (strcmp(format, "screen") == 0) {
        watch->format = WATCH_SCREEN;
    } else {
        cli_complain("--format is %.32s; screen, lines and json are accepted", format);
        return false;
    }
    return true;
}

/* A hash covers all shown bodies, so a part of a world cannot be compared with the world. */
static enum cli_exit
begin_shown(struct watch *watch, const struct cli_call *call)
{
    enum cli_exit result = CLI_DONE;
    if (call->watch_shown != NULL) {
        result = cli_shown_check_subscribe(&watch->subscribe);
    }
    if (call->watch_shown != NULL && result == CLI_DONE) {
        result = cli_shown_create(&watch->shown, call->watch_shown);
        watch->stay.out = result == CLI_DONE ? &watch->shown : NULL;
    }
    return result;
}

static enum cli_exit
end_shown(struct watch *watch, enum cli_exit result)
{
    cli_shown_leave(&watch->stay);
    enum cli_exit closed = cli_shown_close(&watch->shown);
    return closed > result ? closed : result;
}

enum cli_exit
cli_watch(const struct cli_call *call)
{
    struct watch *watch = calloc(1, sizeof(*watch));
    if (watch == NULL) {
        cli_complain("no memory");
        return CLI_COULD_NOT;
    }
    watch->world = call->operands[0];
    enum cli_exit result = cli_remote_init(
        &watch->remote, call->watch_server, call->watch_ca, call->watch_token);
    if (result == CLI_DONE && !read_format(watch, call->watch_format)) {
        result = CLI_BAD;
    }
    if (result == CLI_DONE) {
        result = cli_remote_mode(call->watch_mode, &watch->subscribe.subscribe.mode);
    }
    if (result == CLI_DONE) {
        watch->subscribe.kind = WIRE_CLIENT_SUBSCRIBE;
        bool is_deeds = watch->subscribe.subscribe.mode == WIRE_MODE_DEEDS;
        watch->subscribe.subscribe.contacts = watch->subscribe.subscribe.energy = !is_deeds;
        watch->subscribe.subscribe.attributes = !is_deeds;
        bool is_exact = watch->subscribe.subscribe.mode == WIRE_MODE_RAW ||
            watch->subscribe.subscribe.mode == WIRE_MODE_JSON;
        watch->subscribe.subscribe.contact_rate_hz = is_deeds || is_exact ? 0 : CONTACT_RATE;
        watch->subscribe.subscribe.physics = is_deeds ? cn_physics_version() : 0;
        result = cli_remote_interest(
            call->watch_area, call->watch_tag, call->watch_budget, &watch->subscribe);
    }
    if (result == CLI_DONE && strlen(watch->world) >= WIRE_NAME_SIZE) {
        cli_complain("no world is called so; cairn worlds lists them");
        result = CLI_BAD;
    }
    if (result == CLI_DONE) {
        result = begin_shown(watch, call);
    }
    if (result == CLI_DONE) {
        cnc_address_print(&watch->remote.address, watch->server, sizeof(watch->server));
        uint64_t duration_us = (uint64_t)(call->watch_duration * 1e6);
        watch->until_us = duration_us > 0 ? now_us() + duration_us : 0;
        result = run_watch(watch);
    }
    result = end_shown(watch, result);
    cli_attributes_finish(&watch->attributes);
    free(watch);
    return result;
}
