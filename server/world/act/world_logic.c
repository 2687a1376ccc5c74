#include "server/world/act/world_logic.h"

#include "deed/apply.h"
#include "engine/base/assert.h"
#include "proto/scene_live.h"
#include "server/base/limits.h"
#include "server/snapshot/framing.h"
#include "server/world/act/world_entries.h"
#include "server/world/act/world_orders.h"
#include "server/world/data/env.h"
#include "server/world/state/world_clock.h"
#include "server/world/state/world_deeds.h"
#include "server/world/state/world_member_table.h"
#include "server/world/state/world_news.h"
#include "server/world/state/world_record.h"
#include "server/world/state/world_say.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void
refuse_asker(struct sv_world *world, const struct sv_asker *asker, const struct wire_error *error)
{
    sv_world_answer(world, SV_REPORT_REFUSED, asker, 0, error);
}

/* ---- messages of members ---- */

static size_t
encode_said(const void *context, uint8_t *out, size_t out_size)
{
    return wire_encode_said(context, out, out_size);
}

/* Sends a message to one member, or to all where `to` is NULL. */
static void
say_to(struct sv_world *world, uint64_t sender, const struct wire_say *say,
    const struct sv_member *to)
{
    const struct wire_said said = {.tick = cn_world_tick(world->engine) + 1,
        .session = sender,
        .channel = say->channel,
        .content = say->content,
        .size = say->size,
        .is_text = say->is_text,
        .is_direct = to != NULL};
    const struct sv_asker asker = {
        .session = to != NULL ? to->session : 0, .seat = to != NULL ? to->seat : 0};
    struct sv_buffer *message = sv_frame_message(encode_said, &said);
    if (message != NULL) {
        SV_COUNT(world->env->metrics, said, 1);
        sv_world_say(world, to != NULL ? &asker : NULL, message);
    }
}

/* A message to the logic becomes a log entry: it is acknowledged when that is durable. */
static bool
say_to_logic(struct sv_world *world, uint64_t session, const struct wire_say *say,
    struct wire_error *error)
{
    if (world->logic == NULL) {
        wire_error_set(error, "STATE", "say.logic", "the world has no logic");
        return false;
    }
    if (!sv_logic_has_room(world->logic, say->size)) {
        wire_error_set(error, "BUSY", "say.logic",
            "%d messages or %zu bytes wait for the logic already", SV_LOGIC_SAID_MAX,
            SV_LOGIC_SAID_SIZE_MAX);
        error->retry_ms = SV_BUSY_RETRY_MS;
        return false;
    }
    struct dd_entry entry = {.kind = DD_ENTRY_SAID,
        .said = {.session = session,
            .is_text = say->is_text,
            .bytes = say->content,
            .size = say->size}};
    memcpy(entry.said.channel, say->channel, sizeof(entry.said.channel));
    SV_COUNT(world->env->metrics, said, 1);
    return sv_world_do(world, &entry, NULL, error);
}

void
sv_world_hear_say(
    struct sv_world *world, const struct sv_asker *asker, const struct wire_say *say)
{
    struct wire_error error;
    bool is_good = true;
    if (sv_world_member_of(world, asker) == NULL) {
        return; /* the session has left since */
    }
    if (say->to == WIRE_SAY_LOGIC) {
        is_good = say_to_logic(world, asker->session, say, &error);
    } else if (say->to == WIRE_SAY_ALL) {
        say_to(world, asker->session, say, NULL);
    } else {
        const struct sv_member *to = sv_world_member(world, say->session);
        is_good = to != NULL;
        if (is_good) {
            say_to(world, asker->session, say, to);
        } else {
            wire_error_set(&error, "REFERENCE", "say.session",
                "is %" PRIu64 "; no member of this world is that session", say->session);
        }
    }
    if (!is_good) {
        refuse_asker(world, asker, &error);
    } else if (say->request != 0) {
        sv_world_answer(world, SV_REPORT_DONE, asker, 0, NULL);
    }
}

/* ---- the client that is the logic ---- */

static void
set_quiet(struct sv_world *world, struct sv_member *member, bool is_quiet)
{
    sv_world_count_deeds(world, member, -1);
    member->is_quiet = is_quiet;
    sv_world_count_deeds(world, member, 1);
    world->is_dirty = true;
}

/* If another session is the logic, it gets a CONFLICT and stops, or the new one is refused. */
static bool
make_place(struct sv_world *world, const struct sv_asker *asker, bool is_taking,
    struct wire_error *error)
{
    const struct sv_logic *logic = world->logic;
    if (logic == NULL || !logic->is_on || logic->asker.session == asker->session) {
        return true;
    }
    wire_error_set(error, "CONFLICT", "logic", "session %" PRIu64 " is the logic of this world",
        is_taking ? asker->session : logic->asker.session);
    if (is_taking) {
        struct sv_asker former = {.session = logic->asker.session, .seat = logic->asker.seat};
        sv_world_logic_gone(world, former.session);
        refuse_asker(world, &former, error);
    }
    return is_taking;
}

static bool
write_step(struct sv_world *world, enum dd_logic_step step, bool events, struct wire_error *error)
{
    struct dd_entry entry = {
        .kind = DD_ENTRY_LOGIC, .logic = {.step = step, .events = events}};
    return sv_world_do(world, &entry, NULL, error);
}

static bool
begin_logic(struct sv_world *world, const struct sv_asker *asker, struct sv_member *member,
    const struct wire_logic_start *start, struct wire_error *error)
{
    bool is_same = world->logic != NULL && world->logic->events == start->events;
    if (!is_same && !write_step(world, DD_LOGIC_START, start->events, error)) {
        return false;
    }
    struct sv_logic *logic = world->logic;
    CN_ASSERT(logic != NULL && logic->events == start->events);
    sv_world_logic_gone(world, asker->session);
    sv_logic_restart(logic);
    SV_COUNT(world->env->metrics, logics, 1);
    logic->is_on = logic->is_first = true;
    logic->asker = (struct sv_asker){.session = asker->session, .seat = asker->seat};
    logic->how = *start;
    logic->told_dropped = 0;
    set_quiet(world, member, !start->frames);
    return true;
}

void
sv_world_start_logic(struct sv_world *world, const struct sv_asker *asker,
    const struct wire_logic_start *start)
{
    struct wire_error error;
    struct sv_member *member = sv_world_member_of(world, asker);
    if (member == NULL) {
        return;
    }
    bool is_good = make_place(world, asker, start->take, &error);
    if (is_good && start->mode == WIRE_LOGIC_STOP) {
        is_good = world->logic == NULL || write_step(world, DD_LOGIC_STOP, false, &error);
        set_quiet(world, member, false);
    } else if (is_good) {
        is_good = begin_logic(world, asker, member, start, &error);
    }
    world->is_status_due = true;
    if (!is_good) {
        refuse_asker(world, asker, &error);
    } else if (start->request != 0) {
        sv_world_answer(world, SV_REPORT_DONE, asker, 0, NULL);
    }
}

/* ---- answers ---- */

static void
note_refused(struct sv_logic *logic, uint64_t number, int index, const struct wire_error *error)
{
    if (logic->refused == NULL) {
        logic->refused = calloc(SV_LOGIC_REFUSED_MAX, sizeof(logic->refused[0]));
    }
    if (logic->refused != NULL && logic->refused_count < SV_LOGIC_REFUSED_MAX) {
        logic->refused[logic->refused_count++] = (struct wire_logic_refused){
            .number = number, .index = (uint32_t)index, .error = *error};
    }
}

static bool
change_bodies(struct sv_world *world, const struct wire_source *source, struct wire_error *error)
{
    struct cn_defect defect = {.status = CN_MEMORY};
    struct wire_change *change = wire_change_unpack(
        source->scene_bytes, source->scene_size, world->shown->scene, &defect);
    if (change == NULL) {
        wire_error_from_defect(error, &defect);
        return false;
    }
    bool is_done = sv_world_make_change(world, change, error);
    wire_change_destroy(change);
    return is_done;
}

/* Errors have paths that begin with `path`. */
static bool
command_body(struct sv_world *world, const struct cn_command *command, const char *path,
    struct wire_error *error)
{
    static const char index[] = "[0]";
    struct dd_entry entry = {.kind = DD_ENTRY_COMMAND, .command = *command};
    bool is_good = dd_commands_prepare(command, 1, path, world->engine, error);
    char *at = error->path + strlen(path);
    if (!is_good && strncmp(at, index, sizeof(index) - 1) == 0) { /* it is no list */
        memmove(at, at + sizeof(index) - 1, strlen(at + sizeof(index) - 1) + 1);
    }
    return is_good && sv_world_do(world, &entry, NULL, error);
}

/* The log has the new velocity, so nobody computes it again. */
static bool
push_body(struct sv_world *world, int32_t body, cn_vec3 impulse, struct wire_error *error)
{
    struct cn_body_view view = {.absent = true};
    if (body < cn_world_body_count(world->engine)) {
        cn_world_body_state(world->engine, body, &view);
    }
    if (view.absent || view.type != CN_DYNAMIC) {
        wire_error_set(error, "REFERENCE", "push.body", "is %d, which is no DYNAMIC body", body);
        return false;
    }
    const struct cn_command command = {.kind = CN_COMMAND_SET_VELOCITY,
        .set_velocity = {.body = body,
            .velocity = {view.velocity.x + impulse.x / view.mass,
                view.velocity.y + impulse.y / view.mass, view.velocity.z + impulse.z / view.mass},
            .angular_velocity = view.angular_velocity}};
    return command_body(world, &command, "push", error);
}

static bool
set_attribute(
    struct sv_world *world, const struct cn_attribute *attribute, struct wire_error *error)
{
    static const char list[] = "changes[0].";
    bool is_done = sv_world_set_attributes(world, attribute, 1, error);
    if (!is_done && strncmp(error->path, list, sizeof(list) - 1) == 0) { /* it is no list */
        char *rest = error->path + sizeof(list) - 1;
        memmove(error->path, rest, strlen(rest) + 1);
        wire_error_prefix(error, "attribute.");
    }
    return is_done;
}

/* Whether an effect names a slot. */
static bool
has_slot(const struct wire_effect *effect)
{
    return effect->kind == WIRE_EFFECT_BODY || effect->kind == WIRE_EFFECT_PUSH ||
        (effect->kind == WIRE_EFFECT_ATTRIBUTE && effect->attribute.owner.kind == CN_OWNER_BODY);
}

/* Whether an effect names slots that are others by now. */
static bool
is_stale(const struct sv_world *world, const struct wire_effect *effect, uint32_t generation,
    uint32_t now, struct wire_error *error)
{
    if (!has_slot(effect) || generation == 0 || generation == now) {
        return false;
    }
    wire_error_set(error, "STALE", "generation", "is %u; the world has generation %u", generation,
        world->generation);
    return true;
}

static bool
do_effect(struct sv_world *world, struct wire_effect *effect, struct wire_error *error)
{
    struct dd_entry entry;
    switch (effect->kind) {
    case WIRE_EFFECT_CHANGE:
        return change_bodies(world, &effect->change, error);
    case WIRE_EFFECT_BODY:
        return command_body(world, &effect->body, "body", error);
    case WIRE_EFFECT_ATTRIBUTE:
        return set_attribute(world, &effect->attribute, error);
    case WIRE_EFFECT_PUSH:
        return push_body(world, effect->push.body, effect->push.impulse, error);
    case WIRE_EFFECT_SETTINGS:
        entry = (struct dd_entry){.kind = DD_ENTRY_SETTINGS, .settings = effect->settings};
        return sv_world_do(world, &entry, NULL, error);
    case WIRE_EFFECT_RESET:
        return sv_world_make_reset(world, error);
    }
    CN_ASSERT(!"no kind of effect");
    return false;
}

static void
do_effects(struct sv_world *world, struct wire_logic_done *done)
{
    const uint32_t now = world->generation; /* the answer's own changes do not count */
    for (int i = 0; i < done->effect_count; i++) {
        struct wire_error error;
        struct wire_effect *effect = &done->effects[i];
        if (!is_stale(world, effect, done->generation, now, &error) &&
            do_effect(world, effect, &error)) {
            world->is_dirty = world->is_status_due = true;
            SV_COUNT(world->env->metrics, logic_effects, 1);
        } else {
            note_refused(world->logic, done->number, i, &error);
            SV_COUNT(world->env->metrics, logic_refused, 1);
        }
    }
}

/* A message to a session that has left is dropped. */
static void
send_messages(struct sv_world *world, const struct wire_logic_done *done)
{
    for (int i = 0; i < done->say_count; i++) {
        const struct wire_say *say = done->says[i];
        const struct sv_member *to =
            say->to == WIRE_SAY_SESSION ? sv_world_member(world, say->session) : NULL;
        if (to != NULL || say->to == WIRE_SAY_ALL) {
            say_to(world, 0, say, to);
        }
    }
}

/* Forgets the oldest LogicTick, which is answered; returns the end of its news. */
static uint64_t
take_asked(struct sv_logic *logic, uint64_t number)
{
    CN_ASSERT(logic->asked_count > 0 && logic->asked[0].number == number); /* in order */
    uint64_t until = logic->asked[0].until;
    logic->asked_count--;
    memmove(logic->asked, logic->asked + 1,
        (size_t)logic->asked_count * sizeof(logic->asked[0]));
    return until;
}

/*
 * The answer acts.  Its LOGIC entry comes first; without it nothing is done, and the news are sent
 * again.
 */
static void
act_on_answer(struct sv_world *world, struct wire_logic_done *done)
{
    struct sv_logic *logic = world->logic;
    struct wire_error error;
    uint64_t until = take_asked(logic, done->number);
    struct dd_entry entry = {.kind = DD_ENTRY_LOGIC,
        .logic = {.step = DD_LOGIC_ANSWER, .number = done->number, .until = until}};
    bool is_noted = done->effect_count > 0 || until > logic->first;
    if (is_noted && !sv_world_do(world, &entry, NULL, &error)) {
        sv_logic_rewind(logic);
        refuse_asker(world, &logic->asker, &error);
        return;
    }
    logic->acted = done->number;
    bool knows_all = logic->attribute_version == cn_world_attribute_version(world->engine);
    do_effects(world, done);
    if (knows_all) { /* its own changes are no news: a world at rest would never come to rest */
        logic->attribute_version = cn_world_attribute_version(world->engine);
    }
    CN_ASSERT(world->logic == logic); /* no effect ends the logic */
    send_messages(world, done);
}

bool
sv_world_has_answer_room(struct sv_world *world, const struct wire_logic_done *done)
{
    unsigned more = (unsigned)(done->effect_count + done->say_count) + 1;
    return sv_env_has_room_for(world->env, more) && sv_world_ready_reports(world, (int)more);
}

/*
 * The oldest LogicTick without an answer; NULL: all are answered.  Answers come in order: one that
 * skipped another would take away news that nothing was done about.
 */
static const struct sv_asked *
next_asked(const struct sv_logic *logic)
{
    CN_ASSERT(logic->early_count <= logic->asked_count); /* they answer the oldest ones */
    return logic->early_count < logic->asked_count ? &logic->asked[logic->early_count] : NULL;
}

static bool
check_answer(const struct sv_world *world, const struct sv_asker *asker,
    const struct wire_logic_done *done, struct wire_error *error)
{
    const struct sv_logic *logic = world->logic;
    uint64_t tick = cn_world_tick(world->engine);
    if (logic == NULL || !logic->is_on || logic->asker.session != asker->session) {
        wire_error_set(error, "STATE", "logicDone", "this session is not the logic of the world");
        return false;
    }
    const struct sv_asked *next = next_asked(logic);
    if (next == NULL || next->number != done->number) {
        wire_error_set(error, "SEQ", "logicDone.number",
            "is %" PRIu64 "; the next LogicTick to be answered is %" PRIu64 ", of %d", done->number,
            next != NULL ? next->number : logic->number + 1,
            logic->asked_count - logic->early_count);
        return false;
    }
    if (done->at_tick > tick && done->at_tick - tick > SV_EARLY_TICKS_MAX) {
        wire_error_set(error, "TICK", "logicDone.atTick",
            "is %" PRIu64 "; this is tick %" PRIu64 ", and %d after are accepted", done->at_tick,
            tick, SV_EARLY_TICKS_MAX);
        return false;
    }
    return true;
}

static void
observe_answer(struct sv_world *world, uint64_t number)
{
    const struct sv_logic *logic = world->logic;
    uint64_t now_ns = sv_clock_now_ns(&world->env->clock);
    const struct sv_asked *asked = next_asked(logic);
    CN_ASSERT(asked != NULL && asked->number == number);
    SV_OBSERVE(world->env->metrics, logic_answer_ns, now_ns - asked->asked_ns);
    bool is_waited_for = logic->is_awaited && number == logic->number &&
        world->next_tick_ns != 0 && now_ns > world->next_tick_ns;
    SV_OBSERVE(
        world->env->metrics, logic_wait_ns, is_waited_for ? now_ns - world->next_tick_ns : 0);
}

void
sv_world_hear_logic(
    struct sv_world *world, const struct sv_asker *asker, struct wire_logic_done **done_take)
{
    struct wire_error error;
    struct wire_logic_done *done = *done_take;
    struct sv_logic *logic = world->logic;
    if (sv_world_member_of(world, asker) == NULL) {
        return;
    }
    if (!check_answer(world, asker, done, &error)) {
        refuse_asker(world, asker, &error);
        return;
    }
    observe_answer(world, done->number);
    logic->is_awaited = logic->is_awaited && done->number != logic->number;
    uint64_t tick = cn_world_tick(world->engine), at = done->at_tick;
    logic->late_count += at != 0 && at < tick ? 1 : 0;
    uint64_t last = logic->early_count > 0 ? logic->early[logic->early_count - 1].at_tick : 0;
    at = at > last ? at : last;
    if (at <= tick) {
        act_on_answer(world, done);
        return;
    }
    CN_ASSERT(logic->early_count < SV_LOGIC_ASKED_MAX); /* each is an answer to another one */
    logic->early[logic->early_count++] = (struct sv_early_answer){.at_tick = at, .done = done};
    *done_take = NULL;
}

/* A reset has set the tick back: answers for far ticks act at once. */
static bool
is_early_due(const struct sv_world *world, uint64_t at_tick)
{
    uint64_t tick = cn_world_tick(world->engine);
    return at_tick <= tick || at_tick - tick > SV_EARLY_TICKS_MAX;
}

void
sv_world_act_on_early_answers(struct sv_world *world)
{
    struct sv_logic *logic = world->logic;
    while (logic != NULL && logic->early_count > 0 &&
        is_early_due(world, logic->early[0].at_tick) && sv_world_has_entry_room(world) &&
        sv_world_has_answer_room(world, logic->early[0].done)) {
        struct wire_logic_done *done = logic->early[0].done;
        logic->early_count--;
        memmove(logic->early, logic->early + 1,
            (size_t)logic->early_count * sizeof(logic->early[0]));
        act_on_answer(world, done);
        wire_logic_done_destroy(done);
    }
}

/* ---- waiting ---- */

void
sv_world_tend_logic(struct sv_world *world)
{
    if (sv_world_has_news(world)) {
        sv_world_ask_logic(world);
    }
}

uint64_t
sv_world_logic_until_ns(struct sv_world *world, uint64_t now_ns)
{
    struct sv_logic *logic = world->logic;
    if (logic == NULL || !logic->is_on || !logic->is_awaited || logic->asked_count == 0) {
        return 0;
    }
    uint64_t asked_ns = logic->asked[logic->asked_count - 1].asked_ns;
    bool is_stepping = sv_world_is_stepping(world) || world->next_tick_ns < asked_ns;
    uint64_t due_ns = is_stepping ? asked_ns : world->next_tick_ns;
    uint64_t until_ns = due_ns + logic->how.deadline_us * SV_NS_PER_US;
    if (now_ns < until_ns) {
        return until_ns;
    }
    logic->is_awaited = false;
    logic->late_count++;
    SV_COUNT(world->env->metrics, logic_late, 1);
    SV_OBSERVE(world->env->metrics, logic_wait_ns, now_ns - due_ns);
    return 0;
}
