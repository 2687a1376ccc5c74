#include "server/host/world.h"

#include "server/base/limits.h"
#include "server/base/mutant.h"
#include "server/host/worker.h"
#include "server/snapshot/publication.h"
#include "server/snapshot/scope.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct cn_world *
sv_world_engine(
    struct sv_worker *worker, const struct sv_scene *scene, struct wire_error *error)
{
    struct cn_defect defect = {.status = CN_MEMORY};
    struct cn_world *engine = NULL;
    struct cn_world_tools tools = {.simd = worker->simd, .scratch = &worker->scratch};
    if (cn_world_create(wire_scene_world_def(scene->scene), &defect, &engine) != CN_OK ||
        cn_world_use(engine, &tools, &defect) != CN_OK ||
        cn_world_remember(engine, wire_scene_rewind_ticks(scene->scene), &defect) != CN_OK) {
        wire_error_from_defect(error, &defect);
        cn_world_destroy(engine);
        return NULL;
    }
    return engine;
}

bool
sv_world_is_apart(const struct cn_world *engine, struct wire_error *error)
{
    struct cn_defect defect;
    bool is_apart = cn_world_deep_check(engine, &defect) == CN_OK;
    if (!is_apart) {
        wire_error_from_defect(error, &defect);
    }
    return is_apart;
}

bool
sv_world_scene_is_apart(
    struct sv_worker *worker, const struct sv_scene *scene, struct wire_error *error)
{
    struct cn_world *engine = sv_world_engine(worker, scene, error);
    bool is_apart = engine != NULL && sv_world_is_apart(engine, error);
    cn_world_destroy(engine);
    return is_apart;
}

struct sv_world *
sv_world_create(struct sv_worker *worker, struct sv_post *post, struct sv_scene *scene_take,
    struct wire_error *error)
{
    struct sv_world *world = calloc(1, sizeof(*world));
    if (world == NULL) {
        wire_error_set(error, "MEMORY", "", "no memory");
        sv_scene_unref(scene_take);
        return NULL;
    }
    world->worker = worker;
    world->post = post;
    world->scene = scene_take;
    world->shown = sv_scene_ref(scene_take);
    world->generation = 1;
    world->series = 1;
    world->state = WIRE_WORLD_RUNNING;
    world->is_dirty = true;
    world->budget_ns = UINT64_MAX;
    world->real_time_factor = 1.0;
    if (!sv_world_views_init(world)) {
        wire_error_set(error, "MEMORY", "", "no memory");
        sv_world_destroy(world);
        return NULL;
    }
    world->engine = sv_world_engine(worker, scene_take, error);
    if (world->engine == NULL) {
        sv_world_destroy(world);
        return NULL;
    }
    return world;
}

void
sv_world_destroy(struct sv_world *world)
{
    if (world == NULL) {
        return;
    }
    for (int i = 0; i < world->letter_count; i++) {
        sv_letter_finish(&world->letters[i]);
    }
    free(world->letters);
    for (int i = 0; i < world->member_count; i++) {
        sv_budget_destroy(world->members[i].budget);
    }
    free(world->members);
    sv_leases_finish(&world->leases);
    sv_caps_finish(&world->caps);
    sv_input_buffer_finish(&world->early);
    sv_keeping_finish(&world->keep);
    sv_world_play_finish(world);
    sv_world_views_finish(world);
    sv_buffer_unref(world->resting);
    sv_events_finish(&world->events);
    cn_world_destroy(world->engine);
    sv_scene_unref(world->scene);
    sv_scene_unref(world->shown);
    free(world);
}

/* ---- what others see ---- */

static int
compare_u64(const void *a, const void *b)
{
    uint64_t left, right;
    memcpy(&left, a, sizeof(left));
    memcpy(&right, b, sizeof(right));
    return left < right ? -1 : left > right;
}

static double
tick_duration_us(const struct sv_world *world)
{
    uint64_t sorted[SV_DURATIONS_COUNT];
    unsigned count =
        world->duration_count < SV_DURATIONS_COUNT ? world->duration_count : SV_DURATIONS_COUNT;
    if (count == 0) {
        return 0.0;
    }
    memcpy(sorted, world->durations_ns, count * sizeof(sorted[0]));
    qsort(sorted, count, sizeof(sorted[0]), compare_u64);
    return (double)sorted[count / 2] / (double)SV_NS_PER_US;
}

static void
fill_settings(const struct sv_world *world, struct wire_settings *out)
{
    const struct cn_settings *settings = cn_world_settings(world->engine);
    out->has_gravity = out->has_restitution = out->has_damping_linear = true;
    out->has_damping_angular = out->has_time_rate = out->has_collision = true;
    out->has_minimum_norm = true;
    out->minimum_norm = settings->minimum_norm;
    out->has_substeps = out->has_sleep = true;
    out->substeps = (uint32_t)settings->substeps;
    out->sleep = settings->sleep;
#define X(member, name, least, most, usual, text) out->has_propagation.member = true;
    CN_PROPAGATION_TABLE(X)
#undef X
    out->propagation = settings->propagation;
    out->gravity = settings->gravity;
    out->restitution = cn_world_restitution(world->engine);
    out->damping_linear = settings->damping_linear;
    out->damping_angular = settings->damping_angular;
    out->time_rate = settings->time_rate;
    out->collision = settings->collision;
    memcpy(out->solver, settings->solver, sizeof(out->solver));
    memcpy(out->stepper, settings->stepper, sizeof(out->stepper));
}

/* All but the hash, which who publishes knows already. */
static void
fill_status(const struct sv_world *world, struct wire_status *status)
{
    memset(status, 0, sizeof(*status));
    memcpy(status->id, world->post->id, sizeof(status->id));
    wire_status_name(status, world->scene->scene);
    status->state = world->state;
    status->durability =
        world->keep.lane != NULL ? world->keep.durability : WIRE_DURABILITY_NONE;
    memcpy(status->failure, world->failure, sizeof(status->failure));
    status->idle = world->state == WIRE_WORLD_RUNNING && !sv_world_is_running(world);
    status->tick = cn_world_tick(world->engine);
    status->time = cn_world_time(world->engine);
    status->tick_rate = cn_world_tick_rate(world->engine);
    status->body_count = (uint32_t)cn_world_present_count(world->engine);
    status->contact_count = (uint32_t)cn_world_contact_count(world->engine);
    status->client_count = (uint32_t)world->member_count;
    fill_settings(world, &status->settings);
    status->real_time_factor = world->real_time_factor;
    status->frozen_count = world->watch.frozen_count;
    status->tick_duration_us = tick_duration_us(world);
    status->generation = world->generation;
    status->series = world->series;
    status->moment = world->moment;
    memcpy(status->origin, world->origin, sizeof(status->origin));
    status->origin_tick = world->origin_tick;
    if (world->playing != NULL) {
        status->state = WIRE_WORLD_REPLAY;
        status->idle = world->member_count == 0;
        status->speed = sv_world_play_speed(world);
        status->end_tick = sv_world_play_end(world);
    }
}

void
sv_world_status(const struct sv_world *world, struct wire_status *status)
{
    fill_status(world, status);
    status->hash = cn_world_hash(world->engine);
}

static void
fill_members(const struct sv_world *world, struct sv_publication *publication)
{
    for (int i = 0; i < world->member_count; i++) {
        const struct sv_member *member = &world->members[i];
        publication->members[i] = (struct sv_publication_member){
            .session = member->session,
            .seat = member->seat,
            .applied_seq = member->applied_seq,
            .early_count = member->early_count,
            .late_count = member->late_count,
            .margin = member->margin,
            .view = (uint32_t)member->scope->index,
            .mode = (uint8_t)member->mode,
            .contacts = member->contacts,
            .energy = member->energy,
            .actions = member->actions,
            .has_budget = member->budget != NULL,
        };
    }
}

/*
 * Hands it to the network thread, in the place of one that was not fetched.  The thread is only
 * woken for what somebody waits for; it looks by itself often enough for what is a status alone.
 */
static void
post(struct sv_world *world, struct sv_publication *publication)
{
    for (int i = 0; i < publication->view_count; i++) {
        publication->views[i].is_published = true;
    }
    struct sv_publication *older =
        atomic_exchange_explicit(&world->post->newest, publication, memory_order_acq_rel);
    sv_publication_destroy(older);
    world->worker->has_news |=
        world->member_count > 0 || world->is_dirty || !sv_world_is_running(world);
}

/*
 * A world that runs before the eyes of others tells its exact hash now and then, at ticks that all
 * clients know; one that stands still, goes in single steps or is seldom shown tells it always, and
 * so does every status that is made to be sent.
 */
static bool
is_hash_told(const struct sv_world *world)
{
    return cn_world_tick(world->engine) % SV_HASH_TICKS == 0 || world->member_count == 0 ||
        world->state != WIRE_WORLD_RUNNING || !sv_world_is_running(world);
}

/* Without memory nothing is shown for a tick; the world itself is not touched. */
static void
publish(struct sv_world *world, uint64_t now_ns)
{
    const struct wire_precision precision = wire_scene_precision(world->shown->scene);
    struct wire_state *state = wire_state_take(
        world->engine, world->generation, &precision, world->scopes[0]->shown_last[0]);
    if (state == NULL) {
        return;
    }
    state->series = world->series;
    state->state_hash = is_hash_told(world) ? cn_world_hash(world->engine) : 0;
    uint64_t hash = state->state_hash;
    struct sv_publication *publication = sv_world_views_show(world, state, now_ns);
    if (publication == NULL) {
        return;
    }
    publication->is_overrun = world->lost_ns != 0 &&
        now_ns - world->lost_ns < SV_OVERRUN_GAP_NS &&
        now_ns - world->overrun_ns >= SV_OVERRUN_NS;
    fill_status(world, &publication->status);
    publication->durability = publication->status.durability;
    publication->ticket = CN_MUTANT(TICKET_ZERO) ? 0 : world->keep.ticket;
    publication->status.hash = hash;
    fill_members(world, publication);
    sv_world_views_ration(world, publication);
    sv_world_views_showed(world, publication);
    post(world, publication);
    world->published_ns = now_ns;
    world->is_dirty = false;
}

/* A world that nobody watches is shown now and then: showing it costs more than many a tick. */
static bool
is_to_be_shown(const struct sv_world *world, uint64_t now_ns)
{
    if (world->playing != NULL && sv_world_is_running(world)) { /* as many as at speed 1 */
        uint64_t stride = (uint64_t)sv_world_play_speed(world);
        return stride <= 1 || cn_world_tick(world->engine) % stride == 0;
    }
    return world->member_count > 0 || world->is_dirty || !sv_world_is_running(world) ||
           now_ns - world->published_ns >= SV_UNWATCHED_NS;
}

/* ---- running ---- */

static bool
is_stepping(const struct sv_world *world)
{
    return cn_world_tick(world->engine) < world->step_until_tick;
}

bool
sv_world_is_running(const struct sv_world *world)
{
    bool is_wanted = world->member_count > 0 || world->worker->keep_running;
    if (world->playing != NULL) {
        return world->member_count > 0 && sv_world_play_speed(world) > 0.0 &&
            cn_world_tick(world->engine) < sv_world_play_end(world);
    }
    return (world->state == WIRE_WORLD_RUNNING && is_wanted) || is_stepping(world) ||
        cn_world_is_mid_tick(world->engine);
}

static uint64_t
period_ns(const struct sv_world *world)
{
    double speed = world->playing != NULL ? sv_world_play_speed(world) : 1.0;
    return (uint64_t)((double)SV_NS_PER_S / (speed * cn_world_tick_rate(world->engine)) + 0.5);
}

void
sv_world_grow_older(struct sv_world *world, uint64_t stepped_ns)
{
    world->keep.age_us += period_ns(world) / SV_NS_PER_US;
    world->keep.aged_ns += stepped_ns;
}

static void
measure_rate(struct sv_world *world, uint64_t now_ns)
{
    world->window_tick_count++;
    uint64_t elapsed_ns = now_ns - world->window_start_ns;
    if (elapsed_ns >= SV_NS_PER_S) {
        world->real_time_factor =
            (double)(world->window_tick_count * world->period_ns) / (double)elapsed_ns;
        world->window_start_ns = now_ns;
        world->window_tick_count = 0;
    }
}

/*
 * The clock begins at the world's next instant of the grid.  Periods are counted from the origin of
 * the monotonic clock, so worlds of one rate meet wherever they begin.  A replay begins at once:
 * its periods may be long, and somebody waits.
 */
static void
start_clock(struct sv_world *world, uint64_t now_ns)
{
    uint64_t period = period_ns(world);
    uint64_t offset_ns = period * (uint64_t)world->phase / SV_PHASES;
    uint64_t since_ns = (now_ns + period - offset_ns) % period;
    bool is_now = since_ns == 0 || world->playing != NULL;
    world->next_tick_ns = is_now ? now_ns : now_ns + period - since_ns;
    world->period_ns = period;
    world->window_start_ns = now_ns;
    world->window_tick_count = 0;
}

/* Whole periods that could not be computed in time are lost to the world's clock: it is slower. */
static void
lose_ticks(struct sv_world *world, uint64_t now_ns, uint64_t spent_ns)
{
    uint64_t count = (now_ns - world->next_tick_ns) / world->period_ns;
    SV_COUNT(world->worker->metrics, ticks_late, count);
    world->next_tick_ns += count * world->period_ns;
    bool is_in_row =
        world->lost_ns != 0 && now_ns - world->lost_ns < SV_OVERRUN_GAP_NS + spent_ns;
    world->overrun_ns = is_in_row ? world->overrun_ns : now_ns;
    world->lost_ns = now_ns;
}

void
sv_world_remember(struct sv_world *world, uint64_t now_ns, bool is_looked_at)
{
    if (is_looked_at || world->looked_ns == 0) {
        world->looked_ns = now_ns;
    }
    bool is_wanted = now_ns - world->looked_ns < SV_REMEMBER_NS;
    int ticks = is_wanted ? wire_scene_rewind_ticks(world->scene->scene) : 0;
    bool has_past = cn_world_past(world->engine).size > 0;
    if (has_past != (ticks > 0)) {
        struct cn_defect ignored; /* without memory there is no past, and queries say so */
        (void)!cn_world_remember(world->engine, ticks, &ignored);
    }
}

/* The tick is done: when is the next one, and what do others learn. */
static void
finish_tick(struct sv_world *world, uint64_t now_ns)
{
    struct sv_metrics *metrics = world->worker->metrics;
    world->durations_ns[world->duration_count++ % SV_DURATIONS_COUNT] = world->spent_ns;
    SV_COUNT(metrics, ticks, 1);
    SV_OBSERVE(metrics, tick_ns, world->spent_ns);
    if (now_ns >= world->next_tick_ns) { /* single steps need not wait until they are due */
        SV_OBSERVE(metrics, tick_delay_ns, now_ns - world->next_tick_ns);
    }
    const uint64_t spent_ns = world->spent_ns;
    world->spent_ns = 0;
    world->moment++;
    sv_watch_look(&world->watch, world->engine, false);
    sv_world_grow_older(world, spent_ns);
    measure_rate(world, now_ns);
    uint64_t period = world->period_ns;
    world->next_tick_ns += period;
    if (world->next_tick_ns + SV_CATCH_UP_TICKS_MAX * period < now_ns) {
        lose_ticks(world, now_ns, spent_ns);
    }
    sv_world_mark(world);
    sv_world_commit(world);
    sv_world_remember(world, now_ns, world->member_count > 0);
    if (is_to_be_shown(world, now_ns)) {
        publish(world, now_ns);
    }
}

/* A tick for which there is no memory waits for it, and with it all that is asked of the world. */
static void
note_memory(struct sv_world *world, bool is_starved)
{
    if (is_starved) {
        SV_COUNT(world->worker->metrics, ticks_starved, 1);
    }
    if (is_starved != world->is_starved) {
        sv_log(world->worker->log, is_starved ? SV_LOG_WARN : SV_LOG_INFO,
            "%s: tick %" PRIu64 " %s", world->post->id,
            cn_world_tick(world->engine) + (is_starved ? 1 : 0),
            is_starved ? "waits: there is no memory for it" : "has found memory and is done");
    }
    world->is_starved = is_starved;
}

/* One slice of the tick that is due or begun. */
static void
advance(struct sv_world *world)
{
    const struct sv_clock *clock = &world->worker->clock;
    uint64_t start_ns = sv_clock_now_ns(clock);
    sv_world_step_begins(world, cn_world_tick(world->engine) + 1);
    enum cn_step_result result = CN_STEP_DONE;
    if (world->playing == NULL) {
        sv_watch_begin(&world->watch, world->engine);
        result = cn_world_step(world->engine, SV_SLICE_WORK);
    } else if (!sv_world_play_tick(world, &result)) {
        world->is_dirty = true; /* what follows can not be shown: it stands still */
        return;
    }
    uint64_t end_ns = sv_clock_now_ns(clock);
    sv_world_step_ends(world);
    world->spent_ns += end_ns - start_ns;
    world->keep.stepped_ns += end_ns - start_ns;
    note_memory(world, result == CN_STEP_MEMORY);
    if (result == CN_STEP_DONE) {
        finish_tick(world, end_ns);
        sv_world_answer_steps(world);
    }
}

/* Leases and presences are said when they have changed, and not too often. */
static uint64_t
say_who_is_here(struct sv_world *world, uint64_t now_ns)
{
    uint64_t leases_ns = world->leases_ns + SV_LEASES_PERIOD_NS;
    if (world->is_lease_due && now_ns >= leases_ns && sv_worker_has_room(world->worker)) {
        world->is_lease_due = false;
        world->leases_ns = now_ns;
        sv_world_say_leases(world, NULL);
    }
    uint64_t presence_ns = world->presence_ns + SV_PRESENCE_PERIOD_NS;
    if (world->is_presence_due && now_ns >= presence_ns && sv_worker_has_room(world->worker)) {
        world->is_presence_due = false;
        world->presence_ns = now_ns;
        sv_world_say_presence(world);
    }
    uint64_t lease_wanted_ns = world->is_lease_due ? leases_ns : UINT64_MAX;
    uint64_t presence_wanted_ns = world->is_presence_due ? presence_ns : UINT64_MAX;
    return lease_wanted_ns < presence_wanted_ns ? lease_wanted_ns : presence_wanted_ns;
}

/* Statuses and presences; returns when the next of them is due. */
static uint64_t
say_what_is_due(struct sv_world *world, uint64_t now_ns)
{
    bool is_second = world->member_count > 0 && now_ns - world->status_ns >= SV_NS_PER_S &&
        sv_world_is_running(world);
    if ((world->is_status_due || is_second) && sv_worker_has_room(world->worker)) {
        world->is_status_due = false;
        world->status_ns = now_ns;
        sv_world_say_status(world);
    }
    if (world->is_reload_due && sv_worker_has_room(world->worker)) {
        sv_world_say_reloaded(world);
    }
    uint64_t wanted_ns = say_who_is_here(world, now_ns);
    bool is_left = world->is_status_due || world->is_reload_due; /* there was no room for it */
    return is_left ? now_ns : wanted_ns;
}

/* Letters act, when what they do can be kept. */
static void
act(struct sv_world *world)
{
    if (!sv_world_commit(world)) {
        sv_world_refuse_changes(world);
        return;
    }
    if (world->keep.lane == NULL || !sv_worker_is_read_only(world->worker)) {
        sv_world_leases_expire(world);
        sv_world_watch_act(world);
    }
    sv_world_act(world);
    sv_world_answer_steps(world);
}

/* What stands still shows at once what was done to it. */
static uint64_t
rest(struct sv_world *world, uint64_t now_ns)
{
    world->next_tick_ns = 0;
    bool is_kept = sv_world_commit(world);
    if ((world->is_dirty || now_ns >= world->budget_ns) && is_kept) {
        publish(world, now_ns);
    }
    uint64_t wanted_ns = say_what_is_due(world, now_ns);
    wanted_ns = wanted_ns < world->budget_ns ? wanted_ns : world->budget_ns;
    is_kept = is_kept && sv_world_commit(world);
    sv_world_checkpoint(world, now_ns, false);
    if (!is_kept || (world->letter_count > 0 && world->keep.lane != NULL)) {
        return now_ns + SV_STALL_PERIOD_NS;
    }
    if (world->letter_count > 0) {
        return now_ns;
    }
    uint64_t checkpoint_ns = sv_world_checkpoint_ns(world, now_ns);
    wanted_ns = checkpoint_ns < wanted_ns ? checkpoint_ns : wanted_ns;
    return wanted_ns > now_ns ? wanted_ns : now_ns + SV_STALL_PERIOD_NS; /* no room for reports */
}

void
sv_world_prepare(struct sv_world *world, uint64_t now_ns)
{
    if (cn_world_is_mid_tick(world->engine)) {
        return;
    }
    act(world);
    if (sv_world_is_running(world) && now_ns >= world->next_tick_ns) {
        (void)sv_world_commit(world); /* it is asked again before the step */
    }
}

uint64_t
sv_world_run(struct sv_world *world, uint64_t now_ns)
{
    if (!sv_world_is_running(world)) {
        return rest(world, now_ns);
    }
    if (world->next_tick_ns == 0) {
        start_clock(world, now_ns);
    }
    if (!world->keep.has_checkpoint || world->keep.is_checkpoint_due) {
        sv_world_checkpoint(world, now_ns, false); /* the past begins before the first tick */
    }
    if (cn_world_is_mid_tick(world->engine) ||
        ((is_stepping(world) || now_ns >= world->next_tick_ns) && sv_world_may_step(world))) {
        advance(world);
    }
    uint64_t wanted_ns = say_what_is_due(world, now_ns);
    if (world->keep.outbox_count > 0 && !cn_world_is_mid_tick(world->engine)) {
        sv_world_commit(world);
    }
    sv_world_checkpoint(world, now_ns, false);
    bool is_hurried = cn_world_is_mid_tick(world->engine) || is_stepping(world);
    if (world->keep.is_stalled || world->is_starved) {
        return now_ns + SV_STALL_PERIOD_NS;
    }
    if (is_hurried) {
        return now_ns;
    }
    bool is_later = wanted_ns <= now_ns || wanted_ns > world->next_tick_ns;
    return is_later ? world->next_tick_ns : wanted_ns;
}
