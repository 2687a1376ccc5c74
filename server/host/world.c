#include "server/host/world.h"

#include "server/base/limits.h"
#include "server/host/worker.h"
#include "server/snapshot/publication.h"

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
        cn_world_use(engine, &tools, &defect) != CN_OK) {
        wire_error_from_defect(error, &defect);
        cn_world_destroy(engine);
        return NULL;
    }
    return engine;
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
    world->real_time_factor = 1.0;
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
    free(world->members);
    sv_leases_finish(&world->leases);
    sv_input_buffer_finish(&world->early);
    wire_state_unref(world->shown_last[0]);
    wire_state_unref(world->shown_last[1]);
    sv_buffer_unref(world->resting);
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
    status->idle = world->state == WIRE_WORLD_RUNNING && !sv_world_is_running(world);
    status->tick = cn_world_tick(world->engine);
    status->time = cn_world_time(world->engine);
    status->tick_rate = cn_world_tick_rate(world->engine);
    status->body_count = (uint32_t)cn_world_body_count(world->engine);
    status->contact_count = (uint32_t)cn_world_contact_count(world->engine);
    status->client_count = (uint32_t)world->member_count;
    fill_settings(world, &status->settings);
    status->real_time_factor = world->real_time_factor;
    status->tick_duration_us = tick_duration_us(world);
    status->generation = world->generation;
}

void
sv_world_status(const struct sv_world *world, struct wire_status *status)
{
    fill_status(world, status);
    status->hash = cn_world_hash(world->engine);
}

static void
fill_wants(const struct sv_world *world, struct sv_wants *wants)
{
    *wants = (struct sv_wants){0};
    for (int i = 0; i < world->member_count; i++) {
        const struct sv_member *member = &world->members[i];
        wants->mode[member->mode] = true;
        wants->contacts = wants->contacts || member->contacts;
        wants->energy = wants->energy || member->energy;
    }
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
            .mode = member->mode,
            .contacts = member->contacts,
            .energy = member->energy,
        };
    }
}

/* The contacts of a world in which everybody sleeps stay as they are until somebody acts on it. */
static void
forget_resting(struct sv_world *world, const struct wire_state *state, bool contacts)
{
    if (world->is_dirty || state->asleep_count < state->count || !contacts) {
        sv_buffer_unref(world->resting);
        world->resting = NULL;
    }
}

/* Hands it to the network thread, in the place of one that was not fetched. */
static void
post(struct sv_world *world, struct sv_publication *publication)
{
    publication->view.is_published = true;
    struct sv_publication *older =
        atomic_exchange_explicit(&world->post->newest, publication, memory_order_acq_rel);
    sv_publication_destroy(older);
    world->worker->has_news = true;
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
    struct sv_wants wants;
    const struct wire_precision precision = wire_scene_precision(world->shown->scene);
    struct wire_state *state =
        wire_state_take(world->engine, world->generation, &precision, world->shown_last[0]);
    if (state == NULL) {
        return;
    }
    state->series = world->series;
    state->state_hash = is_hash_told(world) ? cn_world_hash(world->engine) : 0;
    fill_wants(world, &wants);
    forget_resting(world, state, wants.contacts);
    struct sv_publication *publication = sv_publication_create(world->engine, state,
        world->shown_last, &wants, world->resting, &world->worker->tools, world->member_count);
    if (publication == NULL) {
        wire_state_unref(state);
        return;
    }
    wire_state_unref(world->shown_last[1]);
    world->shown_last[1] = world->shown_last[0];
    world->shown_last[0] = state;
    if (wants.contacts && world->resting == NULL && state->asleep_count == state->count) {
        world->resting = sv_buffer_ref(publication->contacts);
    }
    publication->time_ns = now_ns;
    fill_status(world, &publication->status);
    publication->status.hash = state->state_hash;
    fill_members(world, publication);
    post(world, publication);
    world->published_ns = now_ns;
    world->is_dirty = false;
}

/* A world that nobody watches is shown now and then: showing it costs more than many a tick. */
static bool
is_to_be_shown(const struct sv_world *world, uint64_t now_ns)
{
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
    return (world->state == WIRE_WORLD_RUNNING && is_wanted) || is_stepping(world) ||
        cn_world_is_mid_tick(world->engine);
}

static uint64_t
period_ns(const struct sv_world *world)
{
    return (uint64_t)((double)SV_NS_PER_S / cn_world_tick_rate(world->engine) + 0.5);
}

static void
measure_rate(struct sv_world *world, uint64_t now_ns)
{
    world->window_tick_count++;
    uint64_t elapsed_ns = now_ns - world->window_start_ns;
    if (elapsed_ns >= SV_NS_PER_S) {
        world->real_time_factor =
            (double)(world->window_tick_count * period_ns(world)) / (double)elapsed_ns;
        world->window_start_ns = now_ns;
        world->window_tick_count = 0;
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
    world->spent_ns = 0;
    measure_rate(world, now_ns);
    uint64_t period = period_ns(world);
    world->next_tick_ns += period;
    if (world->next_tick_ns + SV_CATCH_UP_TICKS_MAX * period < now_ns) {
        SV_COUNT(metrics, ticks_late, (now_ns - world->next_tick_ns) / period);
        world->next_tick_ns = now_ns;
    }
    if (is_to_be_shown(world, now_ns)) {
        publish(world, now_ns);
    }
}

/* One slice of the tick that is due or begun. */
static void
advance(struct sv_world *world)
{
    const struct sv_clock *clock = &world->worker->clock;
    uint64_t start_ns = sv_clock_now_ns(clock);
    enum cn_step_result result = cn_world_step(world->engine, SV_SLICE_WORK);
    uint64_t end_ns = sv_clock_now_ns(clock);
    world->spent_ns += end_ns - start_ns;
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
    return say_who_is_here(world, now_ns);
}

uint64_t
sv_world_run(struct sv_world *world, uint64_t now_ns)
{
    if (!cn_world_is_mid_tick(world->engine)) {
        sv_world_leases_expire(world);
        sv_world_act(world);
        sv_world_answer_steps(world);
    }
    if (!sv_world_is_running(world)) {
        world->next_tick_ns = 0;
        if (world->is_dirty) {
            publish(world, now_ns);
        }
        uint64_t wanted_ns = say_what_is_due(world, now_ns);
        return world->letter_count > 0 ? now_ns : wanted_ns;
    }
    if (world->next_tick_ns == 0) {
        world->next_tick_ns = now_ns;
        world->window_start_ns = now_ns;
        world->window_tick_count = 0;
    }
    if (cn_world_is_mid_tick(world->engine) || is_stepping(world) ||
        now_ns >= world->next_tick_ns) {
        advance(world);
    }
    say_what_is_due(world, now_ns);
    bool is_hurried = cn_world_is_mid_tick(world->engine) || is_stepping(world);
    return is_hurried ? now_ns : world->next_tick_ns;
}
