#include "server/host/worker.h"

#include "engine/base/assert.h"
#include "server/base/limits.h"
#include "server/snapshot/publication.h"
#include "server/store/store.h"

#include <stdlib.h>
#include <string.h>

#define AHEAD 4 /* worlds: so long memory is asked before */

bool
sv_worker_init(struct sv_worker *worker, struct sv_clock clock, struct sv_log *log,
    struct sv_metrics *metrics, bool keep_running)
{
    memset(worker, 0, sizeof(*worker));
    worker->clock = clock;
    worker->log = log;
    worker->metrics = metrics;
    worker->tools.metrics = metrics;
    worker->keep_running = keep_running;
    return sv_ring_init(&worker->letters, sizeof(struct sv_letter), SV_MAIL_MAX) &&
        sv_ring_init(&worker->reports, sizeof(struct sv_report), SV_MAIL_MAX);
}

void
sv_worker_finish(struct sv_worker *worker)
{
    struct sv_letter letter;
    struct sv_report report;
    for (int i = 0; i < worker->world_count; i++) {
        sv_world_destroy(worker->worlds[i]);
    }
    while (worker->halves != NULL) {
        struct sv_world *half = worker->halves;
        worker->halves = half->next_half;
        sv_world_destroy(half);
    }
    cn_scratch_finish(&worker->scratch);
    sv_view_tools_finish(&worker->tools);
    sv_weigher_finish(&worker->weigher);
    free(worker->worlds);
    free(worker->wanted_ns);
    worker->worlds = NULL;
    worker->wanted_ns = NULL;
    worker->world_count = 0;
    while (worker->letters.items != NULL && sv_ring_pop(&worker->letters, &letter)) {
        sv_letter_finish(&letter);
    }
    while (worker->reports.items != NULL && sv_ring_pop(&worker->reports, &report)) {
        sv_report_finish(&report);
    }
    sv_ring_finish(&worker->letters);
    sv_ring_finish(&worker->reports);
}

void
sv_worker_report(struct sv_worker *worker, struct sv_report *report)
{
    struct sv_world *world = report->post->world;
    if (world != NULL && world->keep.lane != NULL && !world->keep.is_direct) {
        sv_world_post(world, report);
    } else {
        sv_worker_send(worker, report);
    }
}

void
sv_worker_send(struct sv_worker *worker, struct sv_report *report)
{
    bool is_put = sv_ring_push(&worker->reports, report);
    CN_ASSERT(is_put);
    worker->has_news = true;
}

bool
sv_worker_is_read_only(const struct sv_worker *worker)
{
    return worker->store != NULL && sv_store_look(worker->store, NULL) >= SV_STORE_READ_ONLY;
}

bool
sv_worker_has_room(struct sv_worker *worker)
{
    return sv_ring_room(&worker->reports) >= SV_MAIL_RESERVE + worker->outbox_count;
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
    return best;
}

bool
sv_worker_add(struct sv_worker *worker, struct sv_world *world)
{
    if (!make_room(worker)) {
        return false;
    }
    world->place = worker->world_count++;
    world->phase = choose_phase(worker);
    worker->phase_count[world->phase]++;
    worker->worlds[world->place] = world;
    worker->wanted_ns[world->place] = 0;
    world->post->world = world;
    SV_COUNT(worker->metrics, worlds, 1);
    return true;
}

static void
refuse(struct sv_worker *worker, const struct sv_letter *letter, const struct wire_error *error,
    uint64_t ticket)
{
    struct sv_report report = {.kind = SV_REPORT_REFUSED,
        .post = letter->post,
        .asker = letter->asker,
        .ticket = ticket};
    report.outcome_take = calloc(1, sizeof(*report.outcome_take));
    if (report.outcome_take != NULL) {
        report.outcome_take->error = *error;
    }
    sv_worker_send(worker, &report);
}

/* The post of a world that was not made is forgotten, and what there is of the world. */
static void
forget_post(struct sv_worker *worker, struct sv_post *post, struct sv_world *world)
{
    struct sv_report report = {.kind = SV_REPORT_REMOVED, .post = post};
    sv_world_destroy(world);
    sv_worker_send(worker, &report);
}

/* Begins where the seed is, or plays it; a replay is not kept. */
static bool
grow(struct sv_world *world, const struct sv_growth *how, struct wire_error *error)
{
    if (how->is_replay) {
        return sv_world_play(world, how->seed_take, how->speed, error);
    }
    return sv_world_keep(world, error) &&
        (how->seed_take == NULL || sv_world_sow(world, how->seed_take, how->is_paused, error));
}

/* A new world of somebody's scene has no bodies deep in one another. */
static bool
is_sound(const struct sv_world *world, const struct sv_growth *how, struct wire_error *error)
{
    return how->seed_take != NULL || how->is_replay || sv_world_is_apart(world->engine, error);
}

/* The last that can fail: what there is no place for, or nobody could be told of, is not kept. */
static bool
settle(struct sv_worker *worker, struct sv_world *world, const struct sv_outcome *outcome,
    const struct sv_growth *how, struct wire_error *error)
{
    if (outcome == NULL || !make_room(worker)) {
        wire_error_set(error, "MEMORY", "", "no memory");
        return false;
    }
    return is_sound(world, how, error) && grow(world, how, error);
}

/*
 * A world that has its charter and not its seed is none: it must not come back without.  False: the
 * store takes nothing now; else *ticket is that of its end, 0 where nothing of it is stored.
 */
static bool
take_back(const struct sv_world *world, uint64_t *ticket)
{
    *ticket = 0;
    if (world == NULL || world->keep.lane == NULL) {
        return true;
    }
    *ticket = sv_lane_put_charter(world->keep.lane, world->post->number, NULL, 0);
    sv_lane_flush(world->keep.lane);
    return *ticket != 0;
}

/* Those that could not be taken back yet. */
static void
take_halves_back(struct sv_worker *worker)
{
    uint64_t ignored;
    while (worker->halves != NULL && sv_worker_has_room(worker) &&
        take_back(worker->halves, &ignored)) {
        struct sv_world *world = worker->halves;
        worker->halves = world->next_half;
        forget_post(worker, world->post, world);
    }
}

/* Who asked is told; the post goes once nothing is left of the world. */
static void
give_up(struct sv_worker *worker, const struct sv_letter *letter, struct sv_world *world,
    const struct wire_error *error)
{
    uint64_t ticket;
    bool is_gone = take_back(world, &ticket);
    refuse(worker, letter, error, ticket);
    if (is_gone) {
        forget_post(worker, letter->post, world);
    } else {
        world->next_half = worker->halves;
        worker->halves = world;
    }
}

/* A world that can not be made is reported as refused, and its post as forgotten. */
static void
create_world(struct sv_worker *worker, struct sv_letter *letter)
{
    struct wire_error error;
    struct sv_growth how = letter->create;
    struct sv_outcome *outcome = calloc(1, sizeof(*outcome));
    struct sv_world *world = sv_world_create(worker, letter->post, how.scene_take, &error);
    bool is_made = world != NULL && settle(worker, world, outcome, &how, &error);
    if (is_made) {
        (void)sv_worker_add(worker, world);
        sv_world_say_created(world, &letter->asker, outcome);
    } else {
        free(outcome);
        give_up(worker, letter, world, &error);
    }
    if (!how.is_replay || !is_made) {
        sv_seed_destroy(how.seed_take);
    }
}

static void
forget_world(struct sv_worker *worker, struct sv_world *world)
{
    worker->world_count--;
    worker->phase_count[world->phase]--;
    for (int i = world->place; i < worker->world_count; i++) {
        worker->worlds[i] = worker->worlds[i + 1];
        worker->worlds[i]->place = i;
        worker->wanted_ns[i] = worker->wanted_ns[i + 1];
    }
    worker->outbox_count -= (unsigned)world->keep.outbox_count;
    world->post->world = NULL;
    sv_world_destroy(world);
    SV_UNCOUNT(worker->metrics, worlds, 1);
}

/* The world goes once its end is on the way to the disk; false: the store takes nothing now. */
static bool
remove_world(struct sv_worker *worker, struct sv_post *post, const struct sv_asker *asker)
{
    struct sv_report report = {.kind = SV_REPORT_REMOVED, .post = post, .asker = *asker};
    struct sv_world *world = post->world;
    bool is_stored = post->number != 0 && worker->lane != NULL &&
        (world == NULL || world->keep.lane != NULL || world->state == WIRE_WORLD_FAILED);
    if (is_stored) {
        if (world != NULL && !sv_world_commit(world)) {
            return false;
        }
        report.ticket = sv_lane_put_charter(worker->lane, post->number, NULL, 0);
        if (report.ticket == 0) {
            return false;
        }
        sv_lane_flush(worker->lane);
    }
    if (world != NULL) {
        forget_world(worker, world);
    }
    sv_worker_send(worker, &report);
    return true;
}

/* One that can not be removed now stays. */
static void
leave(struct sv_worker *worker, struct sv_letter *letter)
{
    if (remove_world(worker, letter->post, &letter->asker)) {
        return;
    }
    struct sv_report report = {
        .kind = SV_REPORT_STAYS, .post = letter->post, .asker = letter->asker};
    report.outcome_take = calloc(1, sizeof(*report.outcome_take));
    if (report.outcome_take != NULL) {
        wire_error_set(&report.outcome_take->error, "BUSY", "",
            "the store takes nothing more now; try again");
    }
    sv_worker_send(worker, &report);
}

static void
open_letters(struct sv_worker *worker)
{
    struct sv_letter letter;
    while (sv_worker_has_room(worker) && sv_ring_pop(&worker->letters, &letter)) {
        if (letter.kind == SV_LETTER_CREATE) {
            create_world(worker, &letter);
        } else if (letter.kind == SV_LETTER_REMOVE) {
            leave(worker, &letter);
        } else if (letter.post->world == NULL) {
            sv_letter_finish(&letter); /* of a world that could not be made */
        } else {
            struct sv_world *world = letter.post->world;
            worker->wanted_ns[world->place] = 0;
            sv_world_receive(world, &letter);
        }
    }
}

/* Everything that was appended and is waited for, in one go. */
static void
flush(struct sv_worker *worker)
{
    if (worker->is_flush_due && worker->lane != NULL) {
        sv_lane_flush(worker->lane);
    }
    worker->is_flush_due = false;
}

/* Places of the next worlds in turn that are due; how many. */
static int
choose(const struct sv_worker *worker, uint64_t now_ns, int batch[SV_BATCH_WORLDS])
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

/* Runs a batch, as far as its time goes: what is left of it is due still. */
static void
run_batch(struct sv_worker *worker, const int *batch, int count)
{
    uint64_t now_ns = sv_clock_now_ns(&worker->clock);
    const uint64_t end_ns = now_ns + SV_BATCH_NS;
    for (int k = 0; k < count; k++) {
        if (k + AHEAD < count) {
            sv_world_expect(worker->worlds[batch[k + AHEAD]]);
        }
        sv_world_prepare(worker->worlds[batch[k]], now_ns);
    }
    flush(worker);
    for (int k = 0; k < count && now_ns < end_ns; k++) {
        now_ns = sv_clock_now_ns(&worker->clock);
        worker->wanted_ns[batch[k]] = sv_world_run(worker->worlds[batch[k]], now_ns);
        worker->turn = batch[k] + 1;
    }
    flush(worker);
}

uint64_t
sv_worker_run(struct sv_worker *worker)
{
    int batch[SV_BATCH_WORLDS];
    uint64_t start_ns = sv_clock_now_ns(&worker->clock);
    take_halves_back(worker);
    open_letters(worker);
    int count = choose(worker, start_ns, batch);
    run_batch(worker, batch, count);
    uint64_t next_ns = UINT64_MAX;
    for (int i = 0; i < worker->world_count; i++) {
        next_ns = worker->wanted_ns[i] < next_ns ? worker->wanted_ns[i] : next_ns;
    }
    sv_load_add(&worker->load, start_ns, sv_clock_now_ns(&worker->clock));
    uint64_t again_ns = start_ns + SV_STALL_PERIOD_NS;
    return worker->halves != NULL && again_ns < next_ns ? again_ns : next_ns;
}

void
sv_worker_settle(struct sv_worker *worker)
{
    for (int i = 0; i < worker->world_count; i++) {
        struct sv_world *world = worker->worlds[i];
        if (cn_world_is_mid_tick(world->engine) &&
            cn_world_step(world->engine, CN_WORK_UNLIMITED) == CN_STEP_DONE) {
            sv_world_mark(world);
        } /* without memory the tick is done when the world comes back */
        (void)sv_world_commit(world);
        sv_world_checkpoint(world, sv_clock_now_ns(&worker->clock), true);
    }
    take_halves_back(worker);
    for (const struct sv_world *half = worker->halves; half != NULL; half = half->next_half) {
        sv_log(worker->log, SV_LOG_ERROR,
            "%s: was not made, and comes back as its scene at the next start: remove it then",
            half->post->id);
    }
    flush(worker);
}
