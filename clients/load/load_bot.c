/*
 * load_bot.c: one bot: the messages that it sends and receives, and the times of its actions.
 */
#include "clients/load/load.h"
#include "clients/load/load_line.h"

#include "engine/base/assert.h"

#include <stdlib.h>
#include <string.h>

#define US_PER_MS UINT64_C(1000)
#define REFUSED_US UINT64_MAX
#define SEED_STEP UINT64_C(0x9E3779B97F4A7C15)

enum bot_state { BOT_CONNECTING, BOT_OPEN, BOT_JOINED, BOT_ENDED };

struct load_bot {
    struct load *load;
    struct cnc_connection *connection; /* NULL: ended */
    struct load_world *world;
    unsigned index;
    enum bot_state state;
    bool is_checking; /* it checks every snapshot */
    struct cli_follower follower; /* mode DEEDS, of a bot that checks */
    struct cli_shown_stay stay;
    bool is_held;     /* reading waits until the line has room */
    bool was_joined;
    struct load_script script;
    struct cnc_link in_link, out_link;
    struct load_line in, out;
    struct cnc_offset offset;
    struct wire_decoder decoder; /* of deltas, if it checks snapshots; and of ContactDeltas */
    struct wire_contact_decoder contact_decoder;
    uv_timer_t timer;
    uint64_t timer_us, ping_us, begin_us;
    uint64_t heard_count; /* received ticks */
    uint64_t tick, server_us, arrival_us; /* the newest tick; arrival_us 0: none yet */
    uint64_t seq, applied_seq, said_us[LOAD_INPUTS_MAX]; /* REFUSED_US: the input was refused */
    struct cn_rng rng;
    uint64_t quiet_us, quiet_until_us; /* silence after BUSY; 0: it may send */
    uint64_t busy_us, busy_seq;        /* the first BUSY since an accepted input; its last number */
};

/* ---- saying ---- */

static void
act_as_bot(struct load_bot *bot);

static void
on_timer(uv_timer_t *timer)
{
    struct load_bot *bot = timer->data;
    bot->timer_us = UINT64_MAX;
    act_as_bot(bot);
}

static uint64_t
earlier_of(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Sets the timer to the first due time. */
static void
schedule_bot(struct load_bot *bot, uint64_t now_us)
{
    uint64_t next_us = earlier_of(load_line_next_us(&bot->in), load_line_next_us(&bot->out));
    if (bot->state == BOT_JOINED) {
        next_us = earlier_of(next_us, earlier_of(bot->ping_us, bot->script.next_us));
    }
    if (next_us < bot->timer_us) {
        uint64_t wait_us = next_us > now_us ? next_us - now_us : 0;
        bot->timer_us = next_us;
        uv_timer_start(&bot->timer, on_timer, (wait_us + US_PER_MS - 1) / US_PER_MS, 0);
    }
}

static void
put_bytes(struct load_bot *bot, const uint8_t *bytes, size_t size)
{
    struct load_stats *stats = &bot->load->stats;
    if (bot->connection == NULL || !cnc_send(bot->connection, bytes, size)) {
        stats->inputs_dropped++;
        return;
    }
    stats->bytes_said += size;
    stats->messages_said++;
}

/* Sends a message.  False if the line is full. */
static bool
say_message(struct load_bot *bot, const struct wire_client_message *message, uint64_t now_us)
{
    uint8_t bytes[LOAD_SAID_SIZE_MAX];
    size_t size = wire_client_encode(message, bytes, sizeof(bytes));
    CN_ASSERT(size > 0 && size <= sizeof(bytes));
    if (!bot->load->is_slow) {
        put_bytes(bot, bytes, size);
        return true;
    }
    struct load_item *item = load_line_push(&bot->out);
    if (item == NULL) {
        return false;
    }
    bool is_stalled;
    item->due_us = cnc_link_pass(&bot->out_link, &bot->load->quality, now_us, &is_stalled);
    bot->load->stats.stalls += is_stalled ? 1 : 0;
    item->size = size;
    memcpy(item->bytes, bytes, size);
    return true;
}

static void
say_input(struct load_bot *bot, struct wire_input *input, uint64_t now_us)
{
    if (now_us < bot->quiet_until_us) {
        bot->load->stats.inputs_held_back++;
        return;
    }
    struct wire_client_message message = {.kind = WIRE_CLIENT_INPUT, .input = *input};
    message.input.seq = bot->seq + 1;
    message.input.client_tick = bot->tick;
    if (!say_message(bot, &message, now_us)) {
        bot->load->stats.inputs_dropped++;
        return;
    }
    bot->seq++;
    bot->load->stats.inputs_said++;
    bot->said_us[bot->seq % LOAD_INPUTS_MAX] = now_us;
}

/* ---- hearing ---- */

/* Measures the inputs that this tick contains.  Inputs too old to be remembered count as late. */
static void
note_applied(struct load_bot *bot, uint64_t applied_seq, uint64_t now_us)
{
    struct load_stats *stats = &bot->load->stats;
    uint64_t last = applied_seq < bot->seq ? applied_seq : bot->seq;
    for (uint64_t seq = bot->applied_seq + 1; seq <= last; seq++) {
        uint64_t said_us = bot->said_us[seq % LOAD_INPUTS_MAX];
        if (said_us == REFUSED_US && bot->seq - seq < LOAD_INPUTS_MAX) {
            continue;
        }
        bool is_known = bot->seq - seq < LOAD_INPUTS_MAX && now_us >= said_us;
        stats->inputs_applied++;
        if (is_known) {
            load_quantile_add(&stats->input_us, now_us - said_us);
        }
        stats->inputs_late += !is_known || now_us - said_us > bot->load->late_us ? 1 : 0;
    }
    if (bot->busy_us != 0 && last > bot->busy_seq) {
        load_quantile_add(&stats->busy_us, now_us - bot->busy_us);
        bot->busy_us = bot->quiet_us = 0;
    }
    bot->applied_seq = last > bot->applied_seq ? last : bot->applied_seq;
}

static void
heard_tick(struct load_bot *bot, const struct wire_tick_header *tick, uint64_t now_us)
{
    struct load_stats *stats = &bot->load->stats;
    int64_t ours_us;
    if (bot->state != BOT_JOINED) {
        return;
    }
    stats->ticks++;
    if (cnc_offset_ours(&bot->offset, tick->server_time_us, &ours_us)) {
        int64_t delay_us = (int64_t)now_us - ours_us;
        load_quantile_add(&stats->snapshot_us, delay_us > 0 ? (uint64_t)delay_us : 0);
    }
    if (bot->arrival_us != 0) {
        int64_t between = (int64_t)(now_us - bot->arrival_us);
        int64_t published = (int64_t)(tick->server_time_us - bot->server_us);
        load_quantile_add(&stats->jitter_us, (uint64_t)llabs(between - published));
        stats->ticks_skipped += tick->tick > bot->tick ? tick->tick - bot->tick - 1 : 0;
    }
    bot->tick = tick->tick;
    bot->server_us = tick->server_time_us;
    bot->arrival_us = now_us;
    note_applied(bot, tick->applied_seq, now_us);
    if (bot->load->ack_every > 0 && ++bot->heard_count % bot->load->ack_every == 0) {
        struct wire_client_message ack = {.kind = WIRE_CLIENT_ACK, .ack_tick = tick->tick};
        say_message(bot, &ack, now_us);
    }
}

static void
heard_welcome(struct load_bot *bot, uint64_t now_us)
{
    say_message(bot, &bot->load->subscribe, now_us);
    struct wire_client_message message = {.kind = WIRE_CLIENT_JOIN};
    memcpy(message.join_world, bot->world->name, sizeof(message.join_world));
    say_message(bot, &message, now_us);
}

static void
heard_joined(struct load_bot *bot, uint64_t now_us)
{
    struct load *load = bot->load;
    bot->arrival_us = 0;
    if (bot->state == BOT_JOINED) {
        return; /* the world was reset or loaded */
    }
    bot->state = BOT_JOINED;
    bot->seq = bot->applied_seq = bot->busy_us = bot->busy_seq = bot->quiet_us = 0;
    bot->ping_us = now_us;
    load->joined_count++;
    if (!bot->was_joined) {
        bot->was_joined = true;
        load->joined_ever++;
        load_quantile_add(&load->stats.join_us, now_us - bot->begin_us);
    }
    enum load_model model = load_shares_pick(&load->shares, bot->index);
    load_script_begin(&bot->script, model, load->seed + SEED_STEP * (bot->index + 1), now_us);
}

/* Handles a BUSY.  One that arrives in the silence answers an earlier message, and is ignored. */
static void
heard_busy(struct load_bot *bot, const struct load_heard *heard, uint64_t now_us)
{
    if (bot->busy_us == 0) {
        bot->busy_us = now_us;
    }
    if (heard->rejected.seq > bot->busy_seq) {
        bot->busy_seq = heard->rejected.seq;
    }
    if (now_us >= bot->quiet_until_us) {
        double chance = cn_rng_uniform(&bot->rng, 0.0, 1.0);
        bot->quiet_until_us =
            now_us + load_quiet_us(&bot->quiet_us, heard->rejected.retry_ms, chance);
    }
}

static void
heard_rejected(struct load_bot *bot, const struct load_heard *heard, uint64_t now_us)
{
    struct load *load = bot->load;
    bool is_busy = strcmp(heard->rejected.code, "BUSY") == 0;
    if (heard->rejected.seq != 0) {
        bot->said_us[heard->rejected.seq % LOAD_INPUTS_MAX] = REFUSED_US;
        if (is_busy) {
            load->stats.inputs_busy++;
            heard_busy(bot, heard, now_us);
            return;
        }
        load->stats.inputs_rejected++;
        load_error(load, "an input is rejected: %s", heard->rejected.code);
        return;
    }
    if (is_busy) {
        load->stats.busy_other++;
        return;
    }
    load_error(load, "rejected: %s", heard->rejected.code);
    if (bot->state == BOT_JOINED && strcmp(heard->rejected.code, "WORLD") == 0) {
        CN_ASSERT(load->joined_count > 0);
        bot->state = BOT_OPEN;
        load->joined_count--;
    }
}

static void
hear_messages(struct load_bot *bot, const struct load_heard *heard, uint64_t now_us)
{
    switch (heard->kind) {
    case WIRE_SERVER_WELCOME:
        heard_welcome(bot, now_us);
        break;
    case WIRE_SERVER_JOINED:
        heard_joined(bot, now_us);
        break;
    case WIRE_SERVER_TICK:
        heard_tick(bot, &heard->tick, now_us);
        break;
    case WIRE_SERVER_PONG:
        cnc_offset_add(&bot->offset, heard->pong.sent_us, heard->pong.server_us, now_us);
        load_quantile_add(&bot->load->stats.round_trip_us, now_us - heard->pong.sent_us);
        break;
    case WIRE_SERVER_REJECTED:
        heard_rejected(bot, heard, now_us);
        break;
    default:
        break;
    }
}

/* ---- acting ---- */

static void
act_as_bot(struct load_bot *bot)
{
    struct load *load = bot->load;
    uint64_t now_us = load_now_us();
    struct load_item *item;
    while ((item = load_line_due(&bot->in, now_us)) != NULL) {
        hear_messages(bot, &item->heard, now_us);
        load_line_pop(&bot->in);
    }
    if (bot->is_held && bot->in.count == 0 && bot->connection != NULL) {
        bot->is_held = false;
        cnc_hold(bot->connection, false);
    }
    if (bot->state == BOT_JOINED) {
        struct wire_input input;
        while (load_script_next(&bot->script, bot->world->joined, now_us, &input)) {
            say_input(bot, &input, now_us);
        }
        if (now_us >= bot->ping_us) {
            struct wire_client_message ping = {
                .kind = WIRE_CLIENT_PING, .ping_client_time_us = now_us};
            say_message(bot, &ping, now_us);
            /* The first pings are sent quickly, so that the clock's offset is soon known. */
            bot->ping_us = now_us + (bot->offset.count < 4 ? load->ping_us / 10 : load->ping_us);
        }
    }
    while ((item = load_line_due(&bot->out, now_us)) != NULL) {
        put_bytes(bot, item->bytes, item->size);
        load_line_pop(&bot->out);
    }
    if (bot->connection != NULL) {
        schedule_bot(bot, now_us);
    }
}

/* ---- the connection ---- */

static void
on_opened(void *user)
{
    struct load_bot *bot = user;
    char name[WIRE_PERSON_SIZE];
    snprintf(name, sizeof(name), "bot-%u", bot->index + 1);
    bot->state = BOT_OPEN;
    cnc_say_hello(bot->connection, name, CLI_CLIENT_NAME, bot->load->remote.token);
}

/* The first bot that receives a generation of its world stores its bodies, for all bots. */
static void
keep_joined(struct load_bot *bot, struct wire_server_message *message)
{
    struct load_world *world = bot->world;
    if (world->joined == NULL || world->joined->generation != message->joined->generation) {
        struct wire_heard_joined *before = world->joined;
        world->joined = message->joined;
        message->joined = before;
    }
}

/* Whether a message is decoded; decoding one of no known kind reports the error. */
static bool
is_of_interest(const struct load_bot *bot, enum wire_server_kind kind)
{
    bool is_checked = kind == WIRE_SERVER_SNAPSHOT || kind == WIRE_SERVER_DEEDS;
    return kind == WIRE_SERVER_WELCOME || kind == WIRE_SERVER_JOINED ||
        kind == WIRE_SERVER_TICK || kind == WIRE_SERVER_PONG || kind == WIRE_SERVER_REJECTED ||
        kind == WIRE_SERVER_NONE || (is_checked && bot->is_checking);
}

/* The engine of a bot that checks follows its world; each hash of the daemon is one check. */
static void
note_follow(struct load_bot *bot, enum cli_follow result, uint64_t tick, uint64_t hash)
{
    const struct wire_error *error = &bot->follower.error;
    if (result == CLI_FOLLOW_FAILED) {
        load_error(bot->load, "a bot's engine cannot follow: %s %s", error->path, error->text);
    } else if (result == CLI_FOLLOW_DIFFERS) {
        struct wire_client_message desync = {
            .kind = WIRE_CLIENT_DESYNC, .desync = {.tick = tick, .hash = hash}};
        bot->load->stats.mismatched++;
        say_message(bot, &desync, load_now_us());
    }
}

static void
follow_deeds(struct load_bot *bot, const struct wire_heard_deeds *deeds)
{
    uint64_t hash;
    enum cli_follow result = cli_follower_deeds(&bot->follower, deeds, &bot->stay, &hash);
    bot->load->stats.checked += hash != 0 ? 1 : 0;
    note_follow(bot, result, deeds->tick, hash);
}

/* Converts a message to the facts that the bot needs.  False: it needs none. */
static bool
digest_message(struct load_bot *bot, struct wire_server_message *message, struct load_heard *heard)
{
    struct load_stats *stats = &bot->load->stats;
    heard->kind = message->kind;
    switch (message->kind) {
    case WIRE_SERVER_TICK:
        heard->tick = message->tick;
        cli_shown_hear_tick(&bot->stay, &message->tick);
        return true;
    case WIRE_SERVER_PONG:
        heard->pong.sent_us = message->pong.client_time_us;
        heard->pong.server_us = message->pong.server_time_us;
        return true;
    case WIRE_SERVER_REJECTED:
        heard->rejected.seq = message->rejected.seq;
        heard->rejected.retry_ms = message->rejected.error.retry_ms;
        memcpy(heard->rejected.code, message->rejected.error.code, WIRE_CODE_SIZE);
        return true;
    case WIRE_SERVER_JOINED:
        wire_heard_begin_decoder(message->joined, &bot->decoder);
        wire_heard_begin_contacts(message->joined, &bot->contact_decoder);
        cli_shown_join(&bot->stay, message->joined);
        if (bot->is_checking) {
            note_follow(bot, cli_follower_join(&bot->follower, message->joined), 0, 0);
        }
        keep_joined(bot, message);
        return true;
    case WIRE_SERVER_SNAPSHOT:
        stats->checked++;
        stats->mismatched += message->snapshot.is_whole ? 0 : 1;
        cli_shown_hear_snapshot(&bot->stay, &message->snapshot);
        return false;
    case WIRE_SERVER_DEEDS:
        follow_deeds(bot, &message->deeds);
        return false;
    default:
        return true;
    }
}

static void
enter_line(struct load_bot *bot, const struct load_heard *heard, uint64_t now_us)
{
    bool is_stalled;
    struct load_item *item = load_line_push(&bot->in);
    if (item == NULL) {
        load_error(bot->load, "a bot's line is full");
        return;
    }
    item->due_us = cnc_link_pass(&bot->in_link, &bot->load->quality, now_us, &is_stalled);
    item->heard = *heard;
    bool is_filling = bot->in.count > LOAD_LINE_MAX / 2;
    bot->load->stats.stalls += is_stalled ? 1 : 0;
    if ((is_stalled || is_filling) && !bot->is_held) {
        bot->is_held = true;
        cnc_hold(bot->connection, true);
    }
    schedule_bot(bot, now_us);
}

/* Decodes a Delta or ContactDelta.  A wrong hash or an unknown baseline counts as a mismatch. */
static void
check_delta(struct load_bot *bot, bool is_bodies, const uint8_t *bytes, size_t size)
{
    const struct wire_state *state = NULL;
    const struct wire_contacts *contacts;
    enum wire_delta_result result = is_bodies
        ? wire_decode_delta(&bot->decoder, bytes, size, &state)
        : wire_decode_contact_delta(&bot->contact_decoder, bytes, size, &contacts);
    bot->load->stats.checked++;
    bot->load->stats.mismatched += result == WIRE_DELTA_OK ? 0 : 1;
    if (state != NULL) {
        cli_shown_hear_state(&bot->stay, state);
    }
}

/* A snapshot as text; only its size is used. */
static void
on_text(void *user, const char *text, size_t size)
{
    struct load_bot *bot = user;
    (void)text;
    bot->load->stats.bytes[WIRE_SERVER_NONE] += size;
    bot->load->stats.messages[WIRE_SERVER_NONE]++;
}

static void
on_message(void *user, const uint8_t *bytes, size_t size)
{
    struct load_bot *bot = user;
    struct load *load = bot->load;
    enum wire_server_kind kind = wire_server_kind(bytes, size);
    struct wire_server_message message;
    struct wire_error error;
    struct load_heard heard;
    load->stats.bytes[kind] += size;
    load->stats.messages[kind]++;
    bool is_bodies = kind == WIRE_SERVER_DELTA;
    if ((is_bodies || kind == WIRE_SERVER_CONTACT_DELTA) && bot->is_checking) {
        check_delta(bot, is_bodies, bytes, size);
    }
    if (!is_of_interest(bot, kind)) {
        return;
    }
    if (!wire_server_decode(bytes, size, &message, &error)) {
        load_error(load, "a message is not understood: %s %s %s", error.code, error.path,
            error.text);
        cnc_close(bot->connection);
        return;
    }
    uint64_t now_us = load_now_us();
    if (!digest_message(bot, &message, &heard)) {
        /* it is only counted */
    } else if (load->is_slow) {
        enter_line(bot, &heard, now_us);
    } else {
        hear_messages(bot, &heard, now_us);
        schedule_bot(bot, now_us);
    }
    wire_server_message_finish(&message);
}

static void
on_ended(void *user, const struct cnc_end *end)
{
    struct load_bot *bot = user;
    struct load *load = bot->load;
    CN_ASSERT(bot->state != BOT_ENDED); /* a connection ends once */
    CN_ASSERT(bot->state != BOT_JOINED || load->joined_count > 0);
    bot->connection = NULL;
    load->joined_count -= bot->state == BOT_JOINED ? 1 : 0;
    load->ended_count++;
    bot->state = BOT_ENDED;
    uv_timer_stop(&bot->timer);
    if (end->kind == CNC_END_REFUSED) {
        load_error(load, "%s", end->reason);
    } else if (end->kind == CNC_END_CLOSED) {
        load_error(load, "closed by the daemon with %d%s%s", end->code,
            end->reason[0] != '\0' ? ": " : "", end->reason);
    }
}

const struct cnc_events load_bot_events = {
    .opened = on_opened, .message = on_message, .text = on_text, .ended = on_ended};

struct load_bot *
load_bot_begin(struct load *load, unsigned index)
{
    CN_ASSERT(load->world_count > 0);
    struct load_bot *bot = calloc(1, sizeof(*bot));
    if (bot == NULL) {
        return NULL;
    }
    bot->load = load;
    bot->index = index;
    bot->world = &load->worlds[index % load->world_count];
    bot->begin_us = load_now_us();
    bot->timer_us = UINT64_MAX;
    bot->script.next_us = UINT64_MAX;
    bot->rng.state = load->seed + SEED_STEP * (index + 7);
    /* The first bot of each world checks snapshots, and of the others the requested share. */
    bot->is_checking = load->verify > 0.0 &&
        (index < load->world_count || (index % 1000) * 0.001 < load->verify);
    if (load->shown.file != NULL) {
        bot->is_checking = true;
        bot->stay.out = &load->shown;
    }
    cnc_link_init(&bot->in_link, load->seed + SEED_STEP * (2 * index + 1));
    cnc_link_init(&bot->out_link, load->seed + SEED_STEP * (2 * index + 2));
    uv_timer_init(&load->loop, &bot->timer);
    bot->timer.data = bot;
    bot->connection = cnc_connect(load->client, bot);
    if (bot->connection == NULL) {
        bot->state = BOT_ENDED;
        load->ended_count++;
        load_error(load, "no memory for a connection");
    }
    return bot;
}

void
load_bot_close(struct load_bot *bot)
{
    if (bot->connection != NULL) {
        uv_timer_stop(&bot->timer);
        if (bot->is_held) {
            cnc_hold(bot->connection, false);
        }
        cnc_close(bot->connection);
    }
}

void
load_bot_stop(struct load_bot *bot)
{
    bot->connection = NULL;
    uv_close((uv_handle_t *)&bot->timer, NULL);
}

void
load_bot_destroy(struct load_bot *bot)
{
    load_line_finish(&bot->in);
    load_line_finish(&bot->out);
    wire_ring_clear(&bot->decoder.ring);
    wire_contact_decoder_clear(&bot->contact_decoder);
    cli_shown_leave(&bot->stay);
    cli_follower_finish(&bot->follower);
    free(bot);
}
