/*
 * world_letters.c: what members ask of their world, between two ticks.
 */
#include "server/host/world.h"

#include "engine/base/assert.h"
#include "server/base/limits.h"
#include "server/base/mutant.h"
#include "server/host/worker.h"
#include "server/snapshot/budget.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- waiting ---- */

static bool
fit_letters(struct sv_world *world, int capacity)
{
    struct sv_letter *letters = realloc(world->letters, (size_t)capacity * sizeof(*letters));
    if (letters == NULL) {
        return false;
    }
    world->letters = letters;
    world->letter_capacity = capacity;
    return true;
}

static bool
make_room(struct sv_world *world)
{
    return world->letter_count < world->letter_capacity ||
        fit_letters(world, world->letter_capacity + world->letter_capacity / 2 + 8);
}

/*
 * When none waits: room for one of each member and some more, from their coming on.  What lies
 * beyond was for letters that came while nothing could act; every world has such times, each its
 * own worst one, and together they would hold the sum of these for ever.
 */
static void
settle_room(struct sv_world *world, int acted_count)
{
    int usual = (world->member_count / 16 + 2) * 16;
    bool is_small = world->letter_capacity < usual;
    bool is_large = world->letter_capacity > usual && world->letter_capacity > 4 * acted_count;
    if (world->letter_count == 0 && (is_small || is_large)) {
        (void)fit_letters(world, usual); /* else as it is */
    }
}

static void
refuse_letter(struct sv_world *world, struct sv_letter *letter)
{
    struct wire_error error;
    bool is_query = letter->kind == SV_LETTER_QUERY;
    wire_error_set(&error, "BUSY", "", "more than %d %s wait in this world",
        is_query ? SV_QUERIES_MAX : SV_INPUTS_MAX, is_query ? "queries" : "inputs");
    error.retry_ms = SV_BUSY_RETRY_MS;
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
    sv_world_views_leave(world, member);
    sv_budget_destroy(member->budget);
    memmove(member, member + 1, (size_t)(world->member_count - place - 1) * sizeof(*member));
    world->member_count--;
}

/* What somebody who has come, or is back, is told; and others of it. */
static void
greet(struct sv_world *world, const struct sv_asker *asker)
{
    world->is_dirty = true;
    sv_world_say_joined(world, asker);
    if (sv_world_has_leases(world)) {
        sv_world_say_leases(world, asker);
    }
    world->is_presence_due = true;
}

static void
join(struct sv_world *world, const struct sv_letter *letter)
{
    struct sv_member *member = add_member(world, letter->asker.seat);
    struct wire_error error;
    if (member == NULL) {
        wire_error_set(&error, "MEMORY", "", "no memory");
        sv_world_answer(world, SV_REPORT_REFUSED, &letter->asker, 0, &error);
        return;
    }
    if (!sv_world_views_enter(world, member, NULL, &error)) {
        remove_member(world, member);
        sv_world_answer(world, SV_REPORT_REFUSED, &letter->asker, 0, &error);
        return;
    }
    member->session = letter->asker.session;
    memcpy(member->name, letter->join.name, sizeof(member->name));
    member->role = letter->join.role;
    member->since_ns = sv_clock_now_ns(&world->worker->clock);
    struct sv_deed joined = {.kind = SV_DEED_JOINED, .settled = {.session = member->session}};
    (void)sv_world_do(world, &joined, NULL, &error); /* without memory nobody is kept out */
    greet(world, &letter->asker);
}

static void
leave(struct sv_world *world, const struct sv_asker *asker)
{
    struct sv_member *member = find_member(world, asker);
    if (member == NULL) {
        return;
    }
    struct sv_deed left = {.kind = SV_DEED_LEFT, .settled = {.session = asker->session}};
    struct wire_error ignored;
    bool is_done = sv_world_do(world, &left, NULL, &ignored);
    CN_ASSERT(is_done);
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
    member->scope = NULL; /* kept has them */
    member->budget = NULL;
    remove_member(world, member);
    member = add_member(world, letter->asker.seat);
    CN_ASSERT(member != NULL); /* there is room for as many as before */
    kept.seat = letter->asker.seat;
    kept.is_away = false;
    if (kept.budget != NULL) {
        sv_budget_restart(kept.budget);
    }
    sv_input_buffer_reseat(&world->early, kept.session, kept.seat);
    kept.since_ns = sv_clock_now_ns(&world->worker->clock);
    *member = kept;
    greet(world, &letter->asker);
}

static void
subscribe(struct sv_world *world, const struct sv_letter *letter)
{
    struct sv_member *member = find_member(world, &letter->asker);
    struct wire_error error;
    if (member == NULL) {
        return;
    }
    if (!sv_world_views_enter(world, member, letter->subscribe.interest_take, &error) ||
        !sv_world_views_limit(world, member, letter->subscribe.bytes_per_second,
            letter->subscribe.rate_hz, letter->subscribe.epoch, &error)) {
        sv_world_answer(world, SV_REPORT_REFUSED, &letter->asker, 0, &error);
        return;
    }
    member->contacts = letter->subscribe.contacts;
    member->energy = letter->subscribe.energy;
    member->actions = letter->subscribe.actions;
    member->mode = letter->subscribe.mode;
    world->is_dirty = true;
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

static void
settle(struct sv_world *world, const struct sv_letter *letter)
{
    struct sv_deed deed = {.kind = SV_DEED_SETTLED,
        .settled = {.session = letter->asker.session, .seq = letter->input.seq}};
    struct wire_error ignored;
    sv_world_do(world, &deed, NULL, &ignored);
}

/* The path of what the engine refuses, which knows commands and not messages. */
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

/* Refused or not, the input is settled: its number counts as applied. */
static void
apply_input(struct sv_world *world, struct sv_letter *letter)
{
    struct sv_member *member = find_member(world, &letter->asker);
    if (member == NULL) {
        return; /* it has left since */
    }
    struct cn_command command = sv_input_command(&letter->input);
    struct cn_holder *holder = holder_of(&command);
    if (holder != NULL) {
        uint64_t ticks = letter->input.hold_ticks;
        holder->source = member->session;
        holder->until_tick = ticks > 0 ? cn_world_tick(world->engine) + ticks : 0;
    } else {
        command.release.source = member->session;
    }
    if (!CN_MUTANT(DEEDS_SWAPPED)) {
        settle(world, letter);
    }
    SV_COUNT(world->worker->metrics, inputs, 1);
    struct wire_error error;
    bool is_let = sv_world_may_push(world, member->session, &command, &error) &&
        sv_world_cap(world, &command, &error);
    struct sv_deed deed = {.kind = SV_DEED_COMMAND, .command = command};
    bool is_done = is_let && sv_world_do(world, &deed, NULL, &error);
    if (is_let && !is_done) {
        name_input(command.kind, &error);
    }
    if (!is_done) {
        sv_world_answer(world, SV_REPORT_REJECTED, &letter->asker, letter->input.seq, &error);
    }
    if (CN_MUTANT(DEEDS_SWAPPED)) {
        settle(world, letter);
    }
}

/* What the world knows of how the session's inputs come. */
static void
note_arrival(struct sv_world *world, struct sv_member *member, const struct sv_input *input)
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
        wire_error_set(&error, "BUSY", "input.atTick", "more than %d early inputs wait",
            SV_EARLY_SESSION_MAX);
        error.retry_ms = SV_BUSY_RETRY_MS;
    } else {
        wire_error_set(&error, "TICK", "input.atTick",
            "is %" PRIu64 "; this is tick %" PRIu64 ", and %d before or %d after are accepted",
            letter->input.at_tick, cn_world_tick(world->engine), SV_LATE_TICKS_MAX,
            SV_EARLY_TICKS_MAX);
    }
    if (sv_input_buffer_last(&world->early, member->session) == 0) {
        settle(world, letter);
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
    } else if (CN_MUTANT(EARLY_SETTLED)) {
        settle(world, letter);
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
    case SV_LETTER_SEEK:
        sv_world_seek(world, letter);
        break;
    case SV_LETTER_RENEW:
        sv_world_renew(world);
        break;
    case SV_LETTER_CREATE:
    case SV_LETTER_REMOVE:
        CN_ASSERT(!"the worker's own");
    }
    sv_letter_finish(letter);
}

/* Nothing can be kept: the world can be watched, and not changed. */
static bool
is_closed(const struct sv_world *world)
{
    return world->keep.lane != NULL && sv_worker_is_read_only(world->worker);
}

/* What would change a world that can not be changed is refused; who leaves waits. */
static bool
is_refused(const struct sv_letter *letter)
{
    return letter->kind == SV_LETTER_INPUT || letter->kind == SV_LETTER_ORDER ||
        letter->kind == SV_LETTER_LEASE;
}

static void
refuse_change(struct sv_world *world, struct sv_letter *letter)
{
    struct wire_error error;
    bool is_input = letter->kind == SV_LETTER_INPUT;
    if (world->state == WIRE_WORLD_FAILED) {
        wire_error_set(&error, "STATE", "", "the world is not run: %.200s", world->failure);
    } else if (world->playing != NULL) {
        wire_error_set(&error, "STATE", "",
            "the world is a REPLAY of %s, which nobody changes; fork it for that", world->origin);
    } else {
        wire_error_set(&error, "READONLY", "",
            "the daemon's disk is full: this world can be watched and not changed");
    }
    sv_world_answer(world, is_input ? SV_REPORT_REJECTED : SV_REPORT_REFUSED, &letter->asker,
        is_input ? letter->input.seq : 0, &error);
    sv_letter_finish(letter);
}

void
sv_world_refuse_changes(struct sv_world *world)
{
    int kept = 0;
    if (!is_closed(world)) {
        return;
    }
    world->keep.is_direct = true;
    for (int i = 0; i < world->letter_count; i++) {
        struct sv_letter *letter = &world->letters[i];
        if (!is_refused(letter) || !sv_worker_has_room(world->worker)) {
            world->letters[kept++] = *letter;
            continue;
        }
        world->input_count -= letter->kind == SV_LETTER_INPUT ? 1 : 0;
        refuse_change(world, letter);
    }
    world->letter_count = kept;
    world->keep.is_direct = false;
}

/* Whether the next letter may act: its answer has room, and its deeds have. */
static bool
may_act(struct sv_world *world)
{
    return sv_worker_has_room(world->worker) && sv_world_has_deed_room(world);
}

/* Acts on letters in their order; returns how many of them are kept, now the first ones. */
static int
act_on_letters(struct sv_world *world)
{
    int kept = 0, done = 0;
    bool closed = is_closed(world);
    bool changes = !closed && world->state != WIRE_WORLD_FAILED && world->playing == NULL;
    for (; done < world->letter_count && may_act(world); done++) {
        struct sv_letter *letter = &world->letters[done];
        if (closed && letter->kind == SV_LETTER_LEAVE) {
            world->letters[kept++] = *letter;
            continue;
        }
        world->input_count -= letter->kind == SV_LETTER_INPUT ? 1 : 0;
        world->query_count -= letter->kind == SV_LETTER_QUERY ? 1 : 0;
        if (changes || !is_refused(letter)) {
            act_on(world, letter);
        } else {
            refuse_change(world, letter);
        }
    }
    memmove(world->letters + kept, world->letters + done,
        (size_t)(world->letter_count - done) * sizeof(world->letters[0]));
    return kept + world->letter_count - done;
}

void
sv_world_act(struct sv_world *world)
{
    struct sv_letter early;
    while (!is_closed(world) && may_act(world) &&
        sv_input_buffer_take(&world->early, cn_world_tick(world->engine), &early)) {
        apply_input(world, &early);
    }
    if (world->letter_count > 0) {
        int count = world->letter_count;
        order_inputs(world);
        world->letter_count = act_on_letters(world);
        settle_room(world, count);
    }
}
