#include "server/host/worker.h"

#include "engine/base/assert.h"
#include "server/base/limits.h"
#include "server/host/load.h"
#include "server/past/world_replay.h"
#include "server/snapshot/publication.h"
#include "server/store/store.h"
#include "server/world/act/world_life.h"
#include "server/world/act/world_messages.h"
#include "server/world/act/world_persistence.h"
#include "server/world/act/world_run.h"
#include "server/world/data/env.h"
#include "server/world/data/world.h"
#include "server/world/state/world_change.h"
#include "server/world/state/world_engine.h"
#include "server/world/state/world_news.h"
#include "server/world/state/world_record.h"
#include "server/world/state/world_say.h"
#include "server/world/state/world_steps.h"

#include <stdlib.h>
#include <string.h>

#define AHEAD 4 /* how many worlds ahead their memory is prefetched */

static void
send_by_port(void *context, struct sv_report *report)
{
    sv_worker_send(context, report);
}

static bool
has_room_by_port(void *context, unsigned more)
{
    struct sv_worker *worker = context;
    return sv_ring_room(&worker->reports) >= SV_MAIL_RESERVE + worker->env.outbox_count + more;
}

bool
sv_worker_init(struct sv_worker *worker, struct sv_clock clock, struct sv_log *log,
    struct sv_metrics *metrics, bool keep_running)
{
    memset(worker, 0, sizeof(*worker));
    worker->env.clock = clock;
    worker->env.log = log;
    worker->env.metrics = metrics;
    worker->env.tools.metrics = metrics;
    worker->env.keep_running = keep_running;
    worker->env.ports = (struct sv_ports){
        .context = worker, .send = send_by_port, .has_room = has_room_by_port};
    return sv_ring_init(&worker->messages, sizeof(struct sv_message), SV_MAIL_MAX) &&
        sv_ring_init(&worker->reports, sizeof(struct sv_report), SV_MAIL_MAX);
}

void
sv_worker_finish(struct sv_worker *worker)
{
    struct sv_message message;
    struct sv_report report;
    for (int i = 0; i < worker->world_count; i++) {
        sv_world_destroy(worker->worlds[i]);
    }
    while (worker->halves != NULL) {
        struct sv_world *half = worker->halves;
        worker->halves = half->next_half;
        sv_world_destroy(half);
    }
    sv_env_finish(&worker->env);
    free(worker->worlds);
    free(worker->wanted_ns);
    worker->worlds = NULL;
    worker->wanted_ns = NULL;
    worker->world_count = 0;
    while (worker->messages.items != NULL && sv_ring_pop(&worker->messages, &message)) {
        sv_message_finish(&message);
    }
    while (worker->reports.items != NULL && sv_ring_pop(&worker->reports, &report)) {
        sv_report_finish(&report);
    }
    sv_ring_finish(&worker->messages);
    sv_ring_finish(&worker->reports);
}

void
sv_worker_send(struct sv_worker *worker, struct sv_report *report)
{
    bool is_put = sv_ring_push(&worker->reports, report);
    CN_ASSERT(is_put);
    worker->env.has_news = true;
}

bool
sv_worker_has_room(struct sv_worker *worker)
{
    return has_room_by_port(worker, 0);
}

static bool
make_room(struct sv_worker *worker)
{
    if (worker->world_count < worker->world_capacity) {
        return true;
    }
    int capacity = worker->world_capacity * 2 + 8;
    struct sv_world **worlds =
        realloc(worker->worlds, (size_t)capacity * sizeof(struct sv_world *));
    if (worlds == NULL) {
        return false;
    }
    worker->worlds = worlds;
    uint64_t *wanted_ns = realloc(worker->wanted_ns, (size_t)capacity * sizeof(uint64_t));
    if (wanted_ns == NULL) {
        return false;
    }
    worker->wanted_ns = wanted_ns;
    worker->world_capacity = capacity;
    return true;
}

/* The phase that the fewest clocks have. */
static int
choose_phase(struct sv_worker *worker)
{
    int best = 0;
    for (int i = 1; i < SV_PHASES; i++) {
        best = worker->phase_count[i] < worker->phase_count[best] ? i : best;
    }
    CN_ASSERT(worker->phase_count[best] >= 0);
    return best;
}

bool
sv_worker_add(struct sv_worker *worker, struct sv_world *world)
{
    CN_ASSERT(world->mailbox->world == NULL);
    if (!make_room(worker)) {
        return false;
    }
    world->place = worker->world_count++;
    world->phase = choose_phase(worker);
    worker->phase_count[world->phase]++;
    worker->worlds[world->place] = world;
    worker->wanted_ns[world->place] = 0;
    world->mailbox->world = world;
    SV_COUNT(worker->env.metrics, worlds, 1);
    return true;
}

static void
refuse_message(struct sv_worker *worker, const struct sv_message *message,
    const struct wire_error *error, uint64_t ticket)
{
    struct sv_report report = {.kind = SV_REPORT_REFUSED,
        .mailbox = message->mailbox,
        .asker = message->asker,
        .ticket = ticket};
    report.outcome_take = calloc(1, sizeof(*report.outcome_take));
    if (report.outcome_take != NULL) {
        report.outcome_take->error = *error;
    }
    sv_worker_send(worker, &report);
}

/* Destroys a half-made world (NULL: none) and lets the network thread free its mailbox. */
static void
forget_mailbox(struct sv_worker *worker, struct sv_mailbox *mailbox, struct sv_world *world)
{
    struct sv_report report = {.kind = SV_REPORT_REMOVED, .mailbox = mailbox};
    sv_world_destroy(world);
    sv_worker_send(worker, &report);
}

/* Puts the new world to its seed's state, or replays it; a replay is not stored. */
static bool
grow_world(struct sv_world *world, const struct sv_growth *how, struct wire_error *error)
{
    if (how->is_replay) {
        return sv_world_play(world, how->seed_take, how->speed, error);
    }
    return sv_world_persist(world, error) &&
        (how->seed_take == NULL || sv_world_sow(world, how->seed_take, how->is_paused, error));
}

/* Whether no bodies overlap deeply, which is required of new worlds of clients' scenes. */
static bool
is_sound(const struct sv_world *world, const struct sv_growth *how, struct wire_error *error)
{
    return how->seed_take != NULL || how->is_replay || sv_world_is_apart(world->engine, error);
}

/*
 * The last steps that can fail: a world without a place in the table, or without memory to report
 * it, is not kept.
 */
static bool
settle_world(struct sv_worker *worker, struct sv_world *world, const struct sv_outcome *outcome,
    const struct sv_growth *how, struct wire_error *error)
{
    if (outcome == NULL || !make_room(worker)) {
        wire_error_set(error, "MEMORY", "", "no memory");
        return false;
    }
    return is_sound(world, how, error) && grow_world(world, how, error);
}

/*
 * Removes the stored charter of a half-made world, which must not be recovered without its seed.
 * False: the store takes nothing now.  Else *ticket is that of the removal, 0 where nothing was
 * stored.
 */
static bool
take_back(const struct sv_world *world, uint64_t *ticket)
{
    *ticket = 0;
    if (world == NULL || world->persist.lane == NULL) {
        return true;
    }
    *ticket = sv_lane_put_charter(world->persist.lane, world->mailbox->number, NULL, 0);
    sv_lane_flush(world->persist.lane);
    return *ticket != 0;
}

/* Retries for half-made worlds whose charters could not be removed yet. */
static void
take_halves_back(struct sv_worker *worker)
{
    uint64_t ignored;
    while (worker->halves != NULL && sv_worker_has_room(worker) &&
        take_back(worker->halves, &ignored)) {
        struct sv_world *world = worker->halves;
        worker->halves = world->next_half;
        forget_mailbox(worker, world->mailbox, world);
    }
}

/* Tells the asker; frees the mailbox once nothing of the world is left. */
static void
give_up(struct sv_worker *worker, const struct sv_message *message, struct sv_world *world,
    const struct wire_error *error)
{
    uint64_t ticket;
    bool is_gone = take_back(world, &ticket);
    refuse_message(worker, message, error, ticket);
    if (is_gone) {
        forget_mailbox(worker, message->mailbox, world);
    } else {
        CN_ASSERT(world != NULL && world->mailbox->world == NULL);
        world->next_half = worker->halves;
        worker->halves = world;
    }
}

/* Creates a world.  If that fails, the asker gets REFUSED, and the mailbox is freed. */
static void
create_world(struct sv_worker *worker, struct sv_message *message)
{
    CN_ASSERT(message->mailbox->world == NULL);
    struct wire_error error;
    struct sv_growth how = message->create;
    struct sv_outcome *outcome = calloc(1, sizeof(*outcome));
    struct sv_world *world =
        sv_world_create(&worker->env, message->mailbox, how.scene_take, &error);
    bool is_made = world != NULL && settle_world(worker, world, outcome, &how, &error);
    if (is_made) {
        (void)sv_worker_add(worker, world);
        sv_world_say_created(world, &message->asker, outcome);
    } else {
        free(outcome);
        give_up(worker, message, world, &error);
    }
    if (!how.is_replay || !is_made) {
        sv_seed_destroy(how.seed_take);
    }
}

void
sv_worker_bound(struct sv_worker *worker, struct cn_account *whole, unsigned world_mib)
{
    worker->env.memory = whole;
    worker->env.world_memory = (size_t)world_mib << 20;
}

static void
forget_world(struct sv_worker *worker, struct sv_world *world)
{
    CN_ASSERT(worker->worlds[world->place] == world && worker->phase_count[world->phase] > 0);
    worker->world_count--;
    worker->phase_count[world->phase]--;
    for (int i = world->place; i < worker->world_count; i++) {
        worker->worlds[i] = worker->worlds[i + 1];
        worker->worlds[i]->place = i;
        worker->wanted_ns[i] = worker->wanted_ns[i + 1];
    }
    CN_ASSERT(worker->env.outbox_count >= (unsigned)world->persist.outbox_count);
    worker->env.outbox_count -= (unsigned)world->persist.outbox_count;
    world->mailbox->world = NULL;
    sv_world_destroy(world);
    sv_env_give_back(&worker->env);
    SV_UNCOUNT(worker->env.metrics, worlds, 1);
}

/*
 * Removes a world once its end has been appended to the lane.  False: the store takes nothing now.
 */
static bool
remove_world(struct sv_worker *worker, struct sv_mailbox *mailbox, const struct sv_asker *asker)
{
    struct sv_report report = {.kind = SV_REPORT_REMOVED, .mailbox = mailbox, .asker = *asker};
    struct sv_world *world = mailbox->world;
    bool is_stored = mailbox->number != 0 && worker->env.lane != NULL &&
        (world == NULL || world->persist.lane != NULL || world->state == WIRE_WORLD_FAILED);
    if (is_stored) {
        if (world != NULL && !sv_world_commit(world)) {
            return false;
        }
        report.ticket = sv_lane_put_charter(worker->env.lane, mailbox->number, NULL, 0);
        if (report.ticket == 0) {
            return false;
        }
        sv_lane_flush(worker->env.lane);
    }
    if (world != NULL) {
        forget_world(worker, world);
    }
    sv_worker_send(worker, &report);
    return true;
}

/* Reports that a world could not be removed now and stays. */
static void
leave_world(struct sv_worker *worker, struct sv_message *message)
{
    if (remove_world(worker, message->mailbox, &message->asker)) {
        return;
    }
    struct sv_report report = {
        .kind = SV_REPORT_STAYS, .mailbox = message->mailbox, .asker = message->asker};
    report.outcome_take = calloc(1, sizeof(*report.outcome_take));
    if (report.outcome_take != NULL) {
        wire_error_set(&report.outcome_take->error, "BUSY", "",
            "the store cannot take more now; try again");
    }
    sv_worker_send(worker, &report);
}

static void
open_messages(struct sv_worker *worker)
{
    struct sv_message message;
    while (sv_worker_has_room(worker) && sv_ring_pop(&worker->messages, &message)) {
        if (message.kind == SV_MESSAGE_CREATE) {
            create_world(worker, &message);
        } else if (message.kind == SV_MESSAGE_REMOVE) {
            leave_world(worker, &message);
        } else if (message.mailbox->world == NULL) {
            sv_message_finish(&message); /* for a world that could not be made */
        } else {
            struct sv_world *world = message.mailbox->world;
            CN_ASSERT(worker->worlds[world->place] == world);
            worker->wanted_ns[world->place] = 0;
            sv_world_receive(world, &message);
        }
    }
}

/* Makes durable, in one commit, all records that something waits for. */
static void
flush_outbox(struct sv_worker *worker)
{
    if (worker->env.is_flush_due && worker->env.lane != NULL) {
        sv_lane_flush(worker->env.lane);
    }
    worker->env.is_flush_due = false;
}

/* Chooses the indices of the next due worlds in turn; returns how many. */
static int
choose_batch(const struct sv_worker *worker, uint64_t now_ns, int batch[SV_BATCH_WORLDS])
{
    int count = 0;
    for (int k = 0, i = worker->turn; k < worker->world_count && count < SV_BATCH_WORLDS; k++) {
        i = i < worker->world_count ? i : 0;
        if (worker->wanted_ns[i] <= now_ns) {
            batch[count++] = i;
        }
        i++;
    }
    return count;
}

/* Runs a batch until its time is used up; the remaining worlds stay due. */
static void
run_batch(struct sv_worker *worker, const int *batch, int count)
{
    uint64_t now_ns = sv_clock_now_ns(&worker->env.clock);
    const uint64_t end_ns = now_ns + SV_BATCH_NS;
    for (int k = 0; k < count; k++) {
        if (k + AHEAD < count) {
            sv_world_expect(worker->worlds[batch[k + AHEAD]]);
        }
        sv_world_prepare(worker->worlds[batch[k]], now_ns);
    }
    flush_outbox(worker);
    for (int k = 0; k < count && now_ns < end_ns; k++) {
        now_ns = sv_clock_now_ns(&worker->env.clock);
        CN_ASSERT(batch[k] < worker->world_count);
        worker->wanted_ns[batch[k]] = sv_world_run(worker->worlds[batch[k]], now_ns);
        worker->turn = batch[k] + 1;
    }
    flush_outbox(worker);
}

uint64_t
sv_worker_run(struct sv_worker *worker)
{
    int batch[SV_BATCH_WORLDS];
    uint64_t start_ns = sv_clock_now_ns(&worker->env.clock);
    take_halves_back(worker);
    open_messages(worker);
    int count = choose_batch(worker, start_ns, batch);
    run_batch(worker, batch, count);
    uint64_t next_ns = UINT64_MAX;
    for (int i = 0; i < worker->world_count; i++) {
        next_ns = worker->wanted_ns[i] < next_ns ? worker->wanted_ns[i] : next_ns;
    }
    sv_load_add(&worker->load, start_ns, sv_clock_now_ns(&worker->env.clock));
    uint64_t again_ns = start_ns + SV_STALL_PERIOD_NS;
    return worker->halves != NULL && again_ns < next_ns ? again_ns : next_ns;
}

/*
 * Completes a tick that has begun.  A tick that takes too long or finds no memory is abandoned; it
 * is computed again when the world is recovered.
 */
static void
end_tick(struct sv_world *world)
{
    const struct sv_clock *clock = &world->env->clock;
    uint64_t until_ns = sv_clock_now_ns(clock) + SV_SETTLE_NS;
    enum cn_step_result result = CN_STEP_MORE;
    while ((cn_world_is_mid_tick(world->engine) || world->rules.is_pending) &&
        result == CN_STEP_MORE && sv_clock_now_ns(clock) < until_ns) {
        result = sv_world_step(world, SV_SLICE_WORK);
    }
    if (result == CN_STEP_DONE) {
        sv_world_note_events(world);
    }
    if (result == CN_STEP_DONE || world->is_look_due) {
        sv_world_mark(world);
    }
    world->is_look_due = false;
}

void
sv_worker_settle(struct sv_worker *worker)
{
    for (int i = 0; i < worker->world_count; i++) {
        struct sv_world *world = worker->worlds[i];
        end_tick(world);
        (void)sv_world_commit(world);
        sv_world_forget_reach(world); /* no tick after this one has been shown */
        sv_world_checkpoint(world, sv_clock_now_ns(&worker->env.clock), true);
    }
    take_halves_back(worker);
    for (const struct sv_world *half = worker->halves; half != NULL; half = half->next_half) {
        sv_log(worker->env.log, SV_LOG_ERROR,
            "%s: was not made, but will appear with its scene at the next start: remove it then",
            half->mailbox->id);
    }
    flush_outbox(worker);
}
