/*
 * world_letters.c: what members ask of their world, between two ticks.
 */
#include "server/host/world.h"

#include "engine/base/assert.h"
#include "server/base/limits.h"
#include "server/host/worker.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- waiting ---- */

static bool
make_room(struct sv_world *world)
{
    if (world->letter_count < world->letter_capacity) {
        return true;
    }
    int capacity = world->letter_capacity * 2 + 16;
    struct sv_letter *letters = realloc(world->letters, (size_t)capacity * sizeof(*letters));
    if (letters == NULL) {
        return false;
    }
    world->letters = letters;
    world->letter_capacity = capacity;
    return true;
}

static void
refuse_letter(struct sv_world *world, struct sv_letter *letter)
{
    struct wire_error error;
    bool is_query = letter->kind == SV_LETTER_QUERY;
    wire_error_set(&error, "BUSY", "", "more than %d %s wait in this world",
        is_query ? SV_QUERIES_MAX : SV_INPUTS_MAX, is_query ? "queries" : "inputs");
    if (letter->kind == SV_LETTER_INPUT) {
        sv_world_answer(world, SV_REPORT_REJECTED, &letter->asker, letter->input.seq, &error);
    } else {
        sv_world_answer(world, SV_REPORT_REFUSED, &letter->asker, 0, &error);
    }
    sv_letter_finish(letter);
}

void
sv_world_receive(struct sv_world *world, struct sv_letter *letter)
{
    bool is_input = letter->kind == SV_LETTER_INPUT, is_query = letter->kind == SV_LETTER_QUERY;
    if ((is_input && world->input_count >= SV_INPUTS_MAX) ||
        (is_query && world->query_count >= SV_QUERIES_MAX) || !make_room(world)) {
        refuse_letter(world, letter);
        return;
    }
    world->letters[world->letter_count++] = *letter;
    world->input_count += is_input ? 1 : 0;
    world->query_count += is_query ? 1 : 0;
}

/* ---- members ---- */

/* Where the seat's member is, or would be. */
static int
find_place(const struct sv_world *world, uint32_t seat)
{
    int low = 0, high = world->member_count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (world->members[middle].seat < seat) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* NULL when that session is not in the world: it has left, and another may have its seat. */
static struct sv_member *
find_member(struct sv_world *world, const struct sv_asker *asker)
{
    /* A seat changes hands by LEAVE and JOIN, so that two of one seat stand beside each other. */
    for (int i = find_place(world, asker->seat);
        i < world->member_count && world->members[i].seat == asker->seat; i++) {
        if (world->members[i].session == asker->session) {
            return &world->members[i];
        }
    }
    return NULL;
}

struct sv_member *
sv_world_member(struct sv_world *world, uint64_t session)
{
    for (int i = 0; i < world->member_count; i++) {
        if (world->members[i].session == session) {
            return &world->members[i];
        }
    }
    return NULL;
}

/* Keeps the members in ascending order of seats. NULL when there is no memory. */
static struct sv_member *
add_member(struct sv_world *world, uint32_t seat)
{
    if (world->member_count == world->member_capacity) {
        int capacity = world->member_capacity * 2 + 8;
        struct sv_member *members = realloc(world->members, (size_t)capacity * sizeof(*members));
        if (members == NULL) {
            return NULL;
        }
        world->members = members;
        world->member_capacity = capacity;
    }
    int place = find_place(world, seat);
    memmove(&world->members[place + 1], &world->members[place],
        (size_t)(world->member_count - place) * sizeof(world->members[0]));
    world->member_count++;
    memset(&world->members[place], 0, sizeof(world->members[place]));
    world->members[place].seat = seat;
    return &world->members[place];
}

static void
remove_member(struct sv_world *world, struct sv_member *member)
{
    int place = (int)(member - world->members);
    memmove(member, member + 1, (size_t)(world->member_count - place - 1) * sizeof(*member));
    world->member_count--;
}

/* What somebody who has come, or is back, is told; and others of it. */
static void
greet(struct sv_world *world, const struct sv_asker *asker)
{
    world->is_dirty = true;
    sv_world_say_joined(world, asker);
    if (world->leases.count > 0) {
        sv_world_say_leases(world, asker);
    }
    world->is_presence_due = true;
}

static void
join(struct sv_world *world, const struct sv_letter *letter)
{
    struct sv_member *member = add_member(world, letter->asker.seat);
    if (member == NULL) {
        struct wire_error error;
        wire_error_set(&error, "MEMORY", "", "no memory");
        sv_world_answer(world, SV_REPORT_REFUSED, &letter->asker, 0, &error);
        return;
    }
    member->session = letter->asker.session;
    memcpy(member->name, letter->join.name, sizeof(member->name));
    member->role = letter->join.role;
    member->since_ns = sv_clock_now_ns(&world->worker->clock);
    greet(world, &letter->asker);
}

static void
leave(struct sv_world *world, const struct sv_asker *asker)
{
    struct sv_member *member = find_member(world, asker);
    if (member == NULL) {
        return;
    }
    struct cn_command release = {
        .kind = CN_COMMAND_RELEASE_SOURCE, .release_source = {.source = asker->session}};
    struct cn_defect defect;
    enum cn_status status = cn_world_command_apply(world->engine, &release, &defect);
    CN_ASSERT(status == CN_OK);
    sv_world_leases_leave(world, asker->session);
    sv_input_buffer_drop(&world->early, asker->session);
    remove_member(world, member);
    world->is_dirty = true;
    world->is_presence_due = true;
}

static void
go_away(struct sv_world *world, const struct sv_asker *asker)
{
    struct sv_member *member = find_member(world, asker);
    if (member != NULL) {
        member->is_away = true;
        member->since_ns = sv_clock_now_ns(&world->worker->clock);
        world->is_presence_due = true;
    }
}

/* The session has another seat now; what it holds and has sent stays its own. */
static void
resume(struct sv_world *world, const struct sv_letter *letter)
{
    struct sv_asker before = {.session = letter->asker.session, .seat = letter->resume_seat};
    struct sv_member *member = find_member(world, &before);
    if (member == NULL) {
        struct wire_error error;
        wire_error_set(&error, "STATE", "hello.resume", "this world does not know the session");
        sv_world_answer(world, SV_REPORT_REFUSED, &letter->asker, 0, &error);
        return;
    }
    struct sv_member kept = *member;
    remove_member(world, member);
    member = add_member(world, letter->asker.seat);
    CN_ASSERT(member != NULL); /* there is room for as many as before */
    kept.seat = letter->asker.seat;
    kept.is_away = false;
    sv_input_buffer_reseat(&world->early, kept.session, kept.seat);
    kept.since_ns = sv_clock_now_ns(&world->worker->clock);
    *member = kept;
    greet(world, &letter->asker);
}

static void
subscribe(struct sv_world *world, const struct sv_letter *letter)
{
    struct sv_member *member = find_member(world, &letter->asker);
    if (member != NULL) {
        member->contacts = letter->subscribe.contacts;
        member->energy = letter->subscribe.energy;
        member->mode = letter->subscribe.mode;
        world->is_dirty = true;
    }
}

/* ---- inputs ---- */

static struct cn_holder *
holder_of(struct cn_command *command)
{
    switch (command->kind) {
    case CN_COMMAND_HOLD_FORCE:
        return &command->hold_force.holder;
    case CN_COMMAND_HOLD_TORQUE:
        return &command->hold_torque.holder;
    case CN_COMMAND_HOLD_DRAG:
        return &command->hold_drag.holder;
    case CN_COMMAND_HOLD_ACTUATOR:
        return &command->hold_actuator.holder;
    default:
        return NULL;
    }
}

/* Refused or not, the input is settled: its number counts as applied. */
static void
apply_input(struct sv_world *world, struct sv_letter *letter)
{
    struct sv_member *member = find_member(world, &letter->asker);
    if (member == NULL) {
        return; /* it has left since */
    }
    struct cn_command *command = &letter->input.command;
    struct cn_holder *holder = holder_of(command);
    if (holder != NULL) {
        uint64_t ticks = letter->input.hold_ticks;
        holder->source = member->session;
        holder->until_tick = ticks > 0 ? cn_world_tick(world->engine) + ticks : 0;
    } else {
        command->release.source = member->session;
    }
    member->applied_seq = letter->input.seq;
    world->is_dirty = true;
    SV_COUNT(world->worker->metrics, inputs, 1);
    struct cn_defect defect;
    struct wire_error error;
    bool is_allowed = sv_world_may_push(world, member->session, command, &error);
    if (is_allowed && cn_world_command_apply(world->engine, command, &defect) != CN_OK) {
        wire_error_from_defect(&error, &defect);
        is_allowed = false;
    }
    if (!is_allowed) {
        sv_world_answer(world, SV_REPORT_REJECTED, &letter->asker, letter->input.seq, &error);
    }
}

/* What the world knows of how the session's inputs come. */
static void
note_arrival(struct sv_world *world, struct sv_member *member, const struct wire_input *input)
{
    uint64_t tick = cn_world_tick(world->engine), at = input->at_tick;
    uint64_t meant = at > 0 ? at : input->client_tick;
    if (meant > 0) {
        SV_OBSERVE(world->worker->metrics, input_lateness, tick > meant ? tick - meant : 0);
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

/* Refuses an input for its tick; its number counts as applied unless some before it wait. */
static void
refuse_tick(struct sv_world *world, struct sv_member *member, const struct sv_letter *letter,
    bool is_full)
{
    struct wire_error error;
    if (is_full) {
        wire_error_set(&error, "BUSY", "input.at_tick", "more than %d early inputs wait",
            SV_EARLY_SESSION_MAX);
    } else {
        wire_error_set(&error, "TICK", "input.at_tick",
            "is %" PRIu64 "; this is tick %" PRIu64 ", and %d before or %d after are accepted",
            letter->input.at_tick, cn_world_tick(world->engine), SV_LATE_TICKS_MAX,
            SV_EARLY_TICKS_MAX);
    }
    if (sv_input_buffer_last(&world->early, member->session) == 0) {
        member->applied_seq = letter->input.seq;
    }
    sv_world_answer(world, SV_REPORT_REJECTED, &letter->asker, letter->input.seq, &error);
}

/* An input acts now, or waits for its tick and for those of its session that wait. */
static void
take_input(struct sv_world *world, struct sv_letter *letter)
{
    struct sv_member *member = find_member(world, &letter->asker);
    if (member == NULL) {
        return;
    }
    uint64_t tick = cn_world_tick(world->engine), at = letter->input.at_tick;
    bool is_near = at == 0 || (at <= tick ? tick - at <= SV_LATE_TICKS_MAX
                                          : at - tick <= SV_EARLY_TICKS_MAX);
    if (!is_near) {
        refuse_tick(world, member, letter, false);
        return;
    }
    note_arrival(world, member, &letter->input);
    uint64_t last = sv_input_buffer_last(&world->early, member->session);
    at = at > last ? at : last;
    if (at <= tick) {
        apply_input(world, letter);
    } else if (!sv_input_buffer_put(&world->early, at, letter)) {
        refuse_tick(world, member, letter, true);
    }
}

static int
compare_inputs(const void *a, const void *b)
{
    const struct sv_letter *left = a, *right = b;
    if (left->asker.session != right->asker.session) {
        return left->asker.session < right->asker.session ? -1 : 1;
    }
    return left->input.seq < right->input.seq ? -1 : left->input.seq > right->input.seq;
}

/* Inputs with nothing else between them came together: they act by (session, sequence). */
static void
order_inputs(struct sv_world *world)
{
    int first = 0;
    for (int i = 0; i <= world->letter_count; i++) {
        if (i == world->letter_count || world->letters[i].kind != SV_LETTER_INPUT) {
            if (i - first > 1) {
                qsort(&world->letters[first], (size_t)(i - first), sizeof(world->letters[0]),
                    compare_inputs);
            }
            first = i + 1;
        }
    }
}

/* ---- acting ---- */

static void
act_on(struct sv_world *world, struct sv_letter *letter)
{
    switch (letter->kind) {
    case SV_LETTER_JOIN:
        join(world, letter);
        break;
    case SV_LETTER_LEAVE:
        leave(world, &letter->asker);
        break;
    case SV_LETTER_AWAY:
        go_away(world, &letter->asker);
        break;
    case SV_LETTER_RESUME:
        resume(world, letter);
        break;
    case SV_LETTER_SUBSCRIBE:
        subscribe(world, letter);
        break;
    case SV_LETTER_INPUT:
        take_input(world, letter);
        break;
    case SV_LETTER_ORDER:
        sv_world_obey(world, &letter->asker, letter->order_take);
        break;
    case SV_LETTER_QUERY:
        sv_world_ask(world, &letter->asker, letter->query_take);
        break;
    case SV_LETTER_LEASE:
        if (find_member(world, &letter->asker) != NULL) {
            sv_world_lease(world, &letter->asker, &letter->lease);
        }
        break;
    case SV_LETTER_CREATE:
    case SV_LETTER_REMOVE:
        CN_ASSERT(!"the worker's own");
    }
    sv_letter_finish(letter);
}

void
sv_world_act(struct sv_world *world)
{
    int done = 0;
    struct sv_letter early;
    while (sv_worker_has_room(world->worker) &&
        sv_input_buffer_take(&world->early, cn_world_tick(world->engine), &early)) {
        apply_input(world, &early);
    }
    if (world->letter_count == 0) {
        return;
    }
    order_inputs(world);
    while (done < world->letter_count && sv_worker_has_room(world->worker)) {
        world->input_count -= world->letters[done].kind == SV_LETTER_INPUT ? 1 : 0;
        world->query_count -= world->letters[done].kind == SV_LETTER_QUERY ? 1 : 0;
        act_on(world, &world->letters[done++]);
    }
    memmove(world->letters, world->letters + done,
        (size_t)(world->letter_count - done) * sizeof(world->letters[0]));
    world->letter_count -= done;
}
