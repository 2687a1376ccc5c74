/* world_messages.c: carries out the messages of a world's members, between two ticks. */
#include "server/world/act/world_messages.h"

#include "engine/base/assert.h"
#include "server/base/limits.h"
#include "server/world/act/world_caps.h"
#include "server/world/act/world_entries.h"
#include "server/world/act/world_full.h"
#include "server/world/act/world_lease.h"
#include "server/world/act/world_logic.h"
#include "server/world/act/world_members.h"
#include "server/world/act/world_orders.h"
#include "server/world/act/world_query.h"
#include "server/world/data/env.h"
#include "server/world/data/input_buffer.h"
#include "server/world/state/world_deeds.h"
#include "server/world/state/world_lease_rules.h"
#include "server/world/state/world_member_table.h"
#include "server/world/state/world_record.h"
#include "server/world/state/world_say.h"
#include "server/world/state/world_steps.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- waiting ---- */

static bool
fit_messages(struct sv_world *world, int capacity)
{
    CN_ASSERT(capacity >= world->message_count);
    struct sv_message *messages = realloc(world->messages, (size_t)capacity * sizeof(*messages));
    if (messages == NULL) {
        return false;
    }
    world->messages = messages;
    world->message_capacity = capacity;
    return true;
}

static bool
make_room(struct sv_world *world)
{
    return world->message_count < world->message_capacity ||
        fit_messages(world, world->message_capacity + world->message_capacity / 2 + 8);
}

/*
 * Shrinks the room for waiting messages to one per member and a few more.  Larger room was needed
 * for messages that came while none could act.  Every world has such times, and without this all
 * worlds together would keep the sum of their largest needs.
 */
static void
settle_room(struct sv_world *world, int acted_count)
{
    int usual = (world->member_count / 16 + 2) * 16;
    bool is_small = world->message_capacity < usual;
    bool is_large = world->message_capacity > usual && world->message_capacity > 4 * acted_count;
    if (world->message_count == 0 && (is_small || is_large)) {
        (void)fit_messages(world, usual); /* else it stays as it is */
    }
}

static void
refuse_message(struct sv_world *world, struct sv_message *message)
{
    struct wire_error error;
    bool is_query = message->kind == SV_MESSAGE_QUERY;
    wire_error_set(&error, "BUSY", "", "more than %d %s wait in this world",
        is_query ? SV_QUERIES_MAX : SV_INPUTS_MAX, is_query ? "queries" : "inputs");
    error.retry_ms = SV_BUSY_RETRY_MS;
    if (message->kind == SV_MESSAGE_INPUT) {
        sv_world_answer(world, SV_REPORT_REJECTED, &message->asker, message->input.seq, &error);
    } else {
        sv_world_answer(world, SV_REPORT_REFUSED, &message->asker, 0, &error);
    }
    sv_message_finish(message);
}

void
sv_world_receive(struct sv_world *world, struct sv_message *message)
{
    bool is_input = message->kind == SV_MESSAGE_INPUT, is_query = message->kind == SV_MESSAGE_QUERY;
    if ((is_input && world->input_count >= SV_INPUTS_MAX) ||
        (is_query && world->query_count >= SV_QUERIES_MAX) || !make_room(world)) {
        refuse_message(world, message);
        return;
    }
    CN_ASSERT(world->message_count < world->message_capacity);
    world->messages[world->message_count++] = *message;
    world->input_count += is_input ? 1 : 0;
    world->query_count += is_query ? 1 : 0;
}

/* ---- inputs ---- */

static void
settle_input(struct sv_world *world, const struct sv_message *message)
{
    struct dd_entry entry = {.kind = DD_ENTRY_SETTLED,
        .settled = {.session = message->asker.session, .seq = message->input.seq}};
    struct wire_error ignored;
    sv_world_do(world, &entry, NULL, &ignored);
}

/* Names the field of the input that the engine refuses: the engine knows commands, not messages. */
static void
name_input(enum cn_command_kind kind, struct wire_error *error)
{
    const char *prefix = kind == CN_COMMAND_HOLD_FORCE ? "input.force."
        : kind == CN_COMMAND_HOLD_TORQUE               ? "input.torque."
        : kind == CN_COMMAND_HOLD_DRAG                 ? "input.drag."
        : kind == CN_COMMAND_HOLD_ACTUATOR             ? "input.actuator."
                                                       : "input.";
    bool is_of_input = strcmp(error->path, "slot") == 0;
    wire_error_prefix(error, is_of_input ? "input." : prefix);
}

/* Applies the input.  Refused or not, it is settled: its number counts as applied. */
static void
apply_input(struct sv_world *world, struct sv_message *message)
{
    struct sv_member *member = sv_world_member_of(world, &message->asker);
    if (member == NULL) {
        return; /* the session has left since */
    }
    struct cn_command command = sv_input_command(&message->input);
    cn_command_set_source(&command, member->session, cn_world_tick(world->engine),
        message->input.hold_ticks);
    settle_input(world, message);
    SV_COUNT(world->env->metrics, inputs, 1);
    struct wire_error error;
    bool is_let = sv_world_may_push(world, member->session, &command, &error) &&
        sv_world_cap(world, &command, &error);
    struct dd_entry entry = {.kind = DD_ENTRY_COMMAND, .command = command};
    bool is_done = is_let && sv_world_do(world, &entry, NULL, &error);
    if (is_let && !is_done) {
        name_input(command.kind, &error);
    }
    if (!is_done) {
        sv_world_answer(world, SV_REPORT_REJECTED, &message->asker, message->input.seq, &error);
    }
}

/* Notes whether the session's inputs come early or late. */
static void
note_arrival(struct sv_world *world, struct sv_member *member, const struct sv_input *input)
{
    uint64_t tick = cn_world_tick(world->engine), at = input->at_tick;
    uint64_t meant = at > 0 ? at : input->client_tick;
    if (meant > 0) {
        SV_OBSERVE(world->env->metrics, input_lateness, tick > meant ? tick - meant : 0);
    }
    if (at == 0) {
        return;
    }
    bool is_first = member->early_count == 0 && member->late_count == 0 && member->margin == 0;
    int32_t margin = 16 * ((int32_t)at - (int32_t)tick);
    member->margin = is_first ? margin : member->margin + (margin - member->margin) / 8;
    member->early_count += at > tick ? 1 : 0;
    member->late_count += at < tick ? 1 : 0;
}

/*
 * Refuses an input because of its tick.  Its number counts as applied unless earlier ones still
 * wait.
 */
static void
refuse_tick(struct sv_world *world, struct sv_member *member, const struct sv_message *message,
    bool is_full)
{
    struct wire_error error;
    if (is_full) {
        wire_error_set(&error, "BUSY", "input.atTick", "more than %d early inputs wait",
            SV_EARLY_SESSION_MAX);
        error.retry_ms = SV_BUSY_RETRY_MS;
    } else {
        wire_error_set(&error, "TICK", "input.atTick",
            "is %" PRIu64 "; this is tick %" PRIu64 ", and %d before or %d after are accepted",
            message->input.at_tick, cn_world_tick(world->engine), SV_LATE_TICKS_MAX,
            SV_EARLY_TICKS_MAX);
    }
    if (sv_input_buffer_last(&world->early, member->session) == 0) {
        settle_input(world, message);
    }
    sv_world_answer(world, SV_REPORT_REJECTED, &message->asker, message->input.seq, &error);
}

/* Lets an input act now, or has it wait for its tick and for earlier inputs of its session. */
static void
take_input(struct sv_world *world, struct sv_message *message)
{
    struct sv_member *member = sv_world_member_of(world, &message->asker);
    if (member == NULL) {
        return;
    }
    uint64_t tick = cn_world_tick(world->engine), at = message->input.at_tick;
    bool is_near = at == 0 || (at <= tick ? tick - at <= SV_LATE_TICKS_MAX
                                          : at - tick <= SV_EARLY_TICKS_MAX);
    if (!is_near) {
        refuse_tick(world, member, message, false);
        return;
    }
    note_arrival(world, member, &message->input);
    uint64_t last = sv_input_buffer_last(&world->early, member->session);
    at = at > last ? at : last;
    if (at <= tick) {
        apply_input(world, message);
    } else if (!sv_input_buffer_put(&world->early, at, message)) {
        refuse_tick(world, member, message, true);
    }
}

static int
compare_inputs(const void *a, const void *b)
{
    const struct sv_message *left = a, *right = b;
    if (left->asker.session != right->asker.session) {
        return left->asker.session < right->asker.session ? -1 : 1;
    }
    return left->input.seq < right->input.seq ? -1 : left->input.seq > right->input.seq;
}

/* Orders inputs that came together, with nothing else between them, by (session, sequence). */
static void
order_inputs(struct sv_world *world)
{
    int first = 0;
    for (int i = 0; i <= world->message_count; i++) {
        if (i == world->message_count || world->messages[i].kind != SV_MESSAGE_INPUT) {
            if (i - first > 1) {
                qsort(&world->messages[first], (size_t)(i - first), sizeof(world->messages[0]),
                    compare_inputs);
            }
            first = i + 1;
        }
    }
}

/* ---- acting ---- */

static void
act_on(struct sv_world *world, struct sv_message *message)
{
    switch (message->kind) {
    case SV_MESSAGE_JOIN:
        sv_world_join(world, message);
        break;
    case SV_MESSAGE_LEAVE:
        sv_world_leave(world, message);
        break;
    case SV_MESSAGE_AWAY:
        sv_world_go_away(world, &message->asker);
        break;
    case SV_MESSAGE_RESUME:
        sv_world_resume(world, message);
        break;
    case SV_MESSAGE_SUBSCRIBE:
        sv_world_subscribe(world, message);
        break;
    case SV_MESSAGE_INPUT:
        take_input(world, message);
        break;
    case SV_MESSAGE_ORDER:
        sv_world_obey(world, &message->asker, message->order_take);
        break;
    case SV_MESSAGE_QUERY:
        sv_world_ask(world, &message->asker, message->query_take);
        break;
    case SV_MESSAGE_LEASE:
        if (sv_world_member_of(world, &message->asker) != NULL) {
            sv_world_lease(world, &message->asker, &message->lease);
        }
        break;
    case SV_MESSAGE_DESYNC:
        sv_world_note_desync(world, &message->asker, &message->desync);
        break;
    case SV_MESSAGE_SAY:
        sv_world_hear_say(world, &message->asker, message->say_take);
        break;
    case SV_MESSAGE_LOGIC:
        sv_world_start_logic(world, &message->asker, &message->logic);
        break;
    case SV_MESSAGE_LOGIC_DONE:
        sv_world_hear_logic(world, &message->asker, &message->logic_done_take);
        break;
    case SV_MESSAGE_SEEK:
        if (world->playing != NULL) {
            world->player->seek(world, message);
        }
        break;
    case SV_MESSAGE_RENEW:
        sv_world_renew(world);
        break;
    case SV_MESSAGE_CREATE:
    case SV_MESSAGE_REMOVE:
        CN_ASSERT(!"the worker's own");
    }
    sv_message_finish(message);
}

/* Whether the next message may act: there is room for its answer and for its log entries. */
static bool
may_act(struct sv_world *world)
{
    return sv_env_has_room(world->env) &&
        (sv_world_is_closed(world) ? sv_world_ready_outbox(world) : sv_world_has_entry_room(world));
}

/* Handles a message while nothing can be stored.  True: the message waits. */
static bool
act_unkept(struct sv_world *world, struct sv_message *message)
{
    if (message->kind == SV_MESSAGE_LEAVE && sv_world_leave_unkept(world, message)) {
        return true;
    }
    if (sv_world_keeps_waiting(world, message)) {
        return true;
    }
    if (sv_world_refuses(world, message)) {
        sv_world_refuse_message(world, message);
    } else if (message->kind != SV_MESSAGE_LEAVE) {
        act_on(world, message);
    }
    return false;
}

/* Lets messages act in their order; returns how many still wait, which are now the first ones. */
static int
act_on_messages(struct sv_world *world)
{
    int kept = 0, done = 0;
    bool closed = sv_world_is_closed(world);
    bool changes = !closed && world->state != WIRE_WORLD_FAILED && world->playing == NULL;
    for (; done < world->message_count && may_act(world); done++) {
        struct sv_message *message = &world->messages[done];
        enum sv_message_kind kind = message->kind;
        if (kind == SV_MESSAGE_LOGIC_DONE &&
            !sv_world_has_answer_room(world, message->logic_done_take)) {
            break;
        }
        if (closed && act_unkept(world, message)) {
            world->messages[kept++] = *message;
            continue;
        }
        world->input_count -= kind == SV_MESSAGE_INPUT ? 1 : 0;
        world->query_count -= kind == SV_MESSAGE_QUERY ? 1 : 0;
        if (closed) {
            continue;
        }
        if (changes || !sv_message_is_change(message)) {
            act_on(world, message);
        } else {
            sv_world_refuse_message(world, message);
        }
    }
    CN_ASSERT(kept <= done && done <= world->message_count);
    CN_ASSERT(world->input_count >= 0 && world->query_count >= 0);
    memmove(world->messages + kept, world->messages + done,
        (size_t)(world->message_count - done) * sizeof(world->messages[0]));
    return kept + world->message_count - done;
}

void
sv_world_act(struct sv_world *world)
{
    CN_ASSERT(!cn_world_is_mid_tick(world->engine));
    struct sv_message early;
    while (!sv_world_is_closed(world) && may_act(world) &&
        sv_input_buffer_take(&world->early, cn_world_tick(world->engine), &early)) {
        apply_input(world, &early);
    }
    if (!sv_world_is_closed(world)) {
        sv_world_act_on_early_answers(world);
    }
    if (world->message_count > 0) {
        int count = world->message_count;
        order_inputs(world);
        world->message_count = act_on_messages(world);
        settle_room(world, count);
    }
    if (!sv_world_is_closed(world) && sv_world_has_entry_room(world)) {
        sv_world_record_late_joins(world);
    }
}
