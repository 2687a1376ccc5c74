/*
 * world_orders.c: controls of a world, and what it says to those who are in it.
 */
#include "server/host/world.h"

#include "server/base/limits.h"
#include "server/base/mutant.h"
#include "server/host/worker.h"
#include "server/snapshot/message.h"

#include <stdlib.h>
#include <string.h>

/* ---- saying ---- */

/*
 * What cannot be said for want of memory is not said; the next status repeats it, and a new scene
 * is said again.
 */
static void
say(struct sv_world *world, enum sv_report_kind kind, const struct sv_asker *asker,
    struct sv_buffer *message_take)
{
    if (world->keep.is_replaying) {
        sv_buffer_unref(message_take);
        return;
    }
    struct sv_report report = {.kind = kind, .post = world->post,
        .generation = world->generation, .message_take = message_take};
    if (asker != NULL) {
        report.asker = *asker;
    }
    if (kind == SV_REPORT_RELOADED) {
        report.outcome_take = calloc(1, sizeof(*report.outcome_take));
        if (report.outcome_take != NULL) {
            sv_world_status(world, &report.outcome_take->status);
            report.outcome_take->scene = sv_scene_ref(world->shown);
        }
        world->is_reload_due = report.outcome_take == NULL || message_take == NULL;
    }
    sv_worker_report(world->worker, &report);
}

void
sv_world_say(
    struct sv_world *world, const struct sv_asker *asker, struct sv_buffer *message_take)
{
    say(world, asker != NULL ? SV_REPORT_ANSWERED : SV_REPORT_SAY, asker, message_take);
}

static size_t
encode_joined(const void *context, uint8_t *out, size_t out_size)
{
    return wire_encode_joined(context, out, out_size);
}

static struct sv_buffer *
frame_joined(const struct sv_world *world)
{
    if (world->keep.is_replaying) {
        return NULL;
    }
    struct wire_status status;
    sv_world_status(world, &status);
    struct wire_joined joined = {
        .world = world->post->id,
        .scene = world->shown->scene,
        .status = &status,
        .gap_tolerance = cn_world_gap_tolerance(world->engine),
    };
    return sv_message_frame(encode_joined, &joined);
}

void
sv_world_say_joined(struct sv_world *world, const struct sv_asker *asker)
{
    say(world, SV_REPORT_JOINED, asker, frame_joined(world));
}

void
sv_world_say_reloaded(struct sv_world *world)
{
    say(world, SV_REPORT_RELOADED, NULL, frame_joined(world));
}

static size_t
encode_changed(const void *context, uint8_t *out, size_t out_size)
{
    return wire_encode_changed(context, out, out_size);
}

void
sv_world_say_changed(struct sv_world *world, struct wire_changed *changed)
{
    if (world->keep.is_replaying) {
        return;
    }
    changed->generation = world->generation;
    changed->now = world->shown->scene;
    struct sv_buffer *message = sv_message_frame(encode_changed, changed);
    say(world, SV_REPORT_RELOADED, NULL, message != NULL ? message : frame_joined(world));
}

static size_t
encode_status(const void *context, uint8_t *out, size_t out_size)
{
    return wire_encode_status(context, out, out_size);
}

void
sv_world_say_status(struct sv_world *world)
{
    struct wire_status status;
    sv_world_status(world, &status);
    say(world, SV_REPORT_SAY, NULL, sv_message_frame(encode_status, &status));
}

static size_t
encode_presence(const void *context, uint8_t *out, size_t out_size)
{
    const struct sv_world *world = context;
    struct wire_person people[SV_PRESENCE_MAX];
    size_t count = 0;
    for (; count < SV_PRESENCE_MAX && count < (size_t)world->member_count; count++) {
        const struct sv_member *member = &world->members[count];
        people[count] = (struct wire_person){
            .session = member->session,
            .role = member->role,
            .away = member->is_away,
            .since_us = member->since_ns / SV_NS_PER_US,
        };
        memcpy(people[count].name, member->name, sizeof(people[count].name));
    }
    return wire_encode_presence(world->post->id, people, count, out, out_size);
}

void
sv_world_say_presence(struct sv_world *world)
{
    say(world, SV_REPORT_SAY, NULL, sv_message_frame(encode_presence, world));
}

void
sv_world_answer(struct sv_world *world, enum sv_report_kind kind, const struct sv_asker *asker,
    uint64_t seq, const struct wire_error *error)
{
    struct sv_report report = {
        .kind = kind, .post = world->post, .asker = *asker, .seq = seq};
    report.outcome_take = calloc(1, sizeof(*report.outcome_take));
    if (report.outcome_take != NULL) {
        if (error != NULL) {
            report.outcome_take->error = *error; /* without the status, whose hash costs */
        } else {
            sv_world_status(world, &report.outcome_take->status);
        }
    }
    sv_worker_report(world->worker, &report);
}

void
sv_world_say_created(
    struct sv_world *world, const struct sv_asker *asker, struct sv_outcome *outcome_take)
{
    struct sv_report report = {.kind = SV_REPORT_CREATED, .post = world->post,
        .asker = *asker, .outcome_take = outcome_take};
    sv_world_status(world, &outcome_take->status);
    outcome_take->scene = sv_scene_ref(world->shown);
    sv_worker_report(world->worker, &report);
}

/* ---- settings ---- */

#define SETTING_COMMANDS_MAX 10

static void
add_number(
    struct cn_command *commands, int *count, enum cn_command_kind kind, bool is_set, double value)
{
    if (is_set) {
        commands[(*count)++] = (struct cn_command){.kind = kind, .set_time_rate = {value}};
    }
}

/* The commands that make these settings; SET_DAMPING and SET_PROPAGATION have all their numbers,
 * SET_METHOD both names. That one comes first: it alone needs memory, so that none was applied
 * when it finds too little. */
static int
settings_commands(
    const struct sv_world *world, const struct wire_settings *settings, struct cn_command *commands)
{
    int count = 0;
    const struct cn_settings *now = cn_world_settings(world->engine);
    if (settings->stepper[0] != '\0' || settings->solver[0] != '\0') {
        struct cn_command *command = &commands[count++];
        command->kind = CN_COMMAND_SET_METHOD;
        memcpy(command->set_method.stepper, settings->stepper, CN_NAME_SIZE);
        memcpy(command->set_method.solver, settings->solver, CN_NAME_SIZE);
    }
    if (settings->has_gravity) {
        commands[count++] = (struct cn_command){
            .kind = CN_COMMAND_SET_GRAVITY, .set_gravity = {.value = settings->gravity}};
    }
    if (settings->has_damping_linear || settings->has_damping_angular) {
        commands[count++] = (struct cn_command){.kind = CN_COMMAND_SET_DAMPING,
            .set_damping = {
                .linear = settings->has_damping_linear ? settings->damping_linear
                                                       : now->damping_linear,
                .angular = settings->has_damping_angular ? settings->damping_angular
                                                         : now->damping_angular,
            }};
    }
    add_number(commands, &count, CN_COMMAND_SET_RESTITUTION, settings->has_restitution,
        settings->restitution);
    add_number(commands, &count, CN_COMMAND_SET_TIME_RATE, settings->has_time_rate,
        settings->time_rate);
    add_number(commands, &count, CN_COMMAND_SET_COLLISION, settings->has_collision,
        (double)settings->collision);
    add_number(commands, &count, CN_COMMAND_SET_MINIMUM_NORM, settings->has_minimum_norm,
        settings->minimum_norm ? 1.0 : 0.0);
    add_number(commands, &count, CN_COMMAND_SET_SUBSTEPS, settings->has_substeps,
        (double)settings->substeps);
    add_number(
        commands, &count, CN_COMMAND_SET_SLEEP, settings->has_sleep, settings->sleep ? 1.0 : 0.0);
    if (wire_settings_have_propagation(settings)) {
        struct cn_command *command = &commands[count++];
        command->kind = CN_COMMAND_SET_PROPAGATION;
        command->set_propagation.value = now->propagation;
        wire_settings_set_propagation(settings, &command->set_propagation.value);
    }
    return count;
}

/* All or nothing: every command is checked before the first is applied. */
static bool
apply_settings(
    struct sv_world *world, const struct wire_settings *settings, struct wire_error *error)
{
    struct cn_command commands[SETTING_COMMANDS_MAX];
    memset(commands, 0, sizeof(commands));
    int count = settings_commands(world, settings, commands);
    struct cn_defect defect;
    for (int i = 0; i < count; i++) {
        if (cn_world_command_check(world->engine, &commands[i], &defect) != CN_OK) {
            wire_error_from_defect(error, &defect);
            return false;
        }
    }
    for (int i = 0; i < count; i++) {
        if (cn_world_command_apply(world->engine, &commands[i], &defect) != CN_OK) {
            wire_error_from_defect(error, &defect);
            return false;
        }
    }
    world->is_dirty = true;
    return true;
}

/* What has been changed since the scene was loaded, so that a reset keeps it. */
static void
remember_settings(struct wire_settings *changed, const struct wire_settings *settings)
{
    if (settings->has_gravity) {
        changed->has_gravity = true;
        changed->gravity = settings->gravity;
    }
    if (settings->has_restitution) {
        changed->has_restitution = true;
        changed->restitution = settings->restitution;
    }
    if (settings->has_damping_linear) {
        changed->has_damping_linear = true;
        changed->damping_linear = settings->damping_linear;
    }
    if (settings->has_damping_angular) {
        changed->has_damping_angular = true;
        changed->damping_angular = settings->damping_angular;
    }
    if (settings->has_time_rate) {
        changed->has_time_rate = true;
        changed->time_rate = settings->time_rate;
    }
    if (settings->has_collision) {
        changed->has_collision = true;
        changed->collision = settings->collision;
    }
    if (settings->has_minimum_norm) {
        changed->has_minimum_norm = true;
        changed->minimum_norm = settings->minimum_norm;
    }
    if (settings->has_substeps) {
        changed->has_substeps = true;
        changed->substeps = settings->substeps;
    }
    if (settings->has_sleep) {
        changed->has_sleep = true;
        changed->sleep = settings->sleep;
    }
    wire_settings_set_propagation(settings, &changed->propagation);
#define X(member, name, least, most, usual, text)                                                  \
    changed->has_propagation.member |= settings->has_propagation.member;
    CN_PROPAGATION_TABLE(X)
#undef X
    if (settings->solver[0] != '\0') {
        memcpy(changed->solver, settings->solver, sizeof(changed->solver));
    }
    if (settings->stepper[0] != '\0') {
        memcpy(changed->stepper, settings->stepper, sizeof(changed->stepper));
    }
}

/* ---- orders ---- */

/* A new engine from the scene; on failure the old one goes on. */
static bool
renew(struct sv_world *world, struct sv_scene *scene, struct wire_error *error)
{
    struct cn_world *engine = sv_world_engine(world->worker, scene, error);
    if (engine == NULL) {
        return false;
    }
    cn_world_destroy(world->engine);
    world->engine = engine;
    world->next_tick_ns = 0; /* its ticks may have another rate */
    sv_scene_ref(scene);
    sv_scene_unref(world->shown);
    world->shown = scene;
    world->generation += CN_MUTANT(SAME_GENERATION) ? 0 : 1;
    world->series = world->generation;
    sv_world_leases_clear(world, scene != world->scene);
    world->watch = (struct sv_watch){0};
    world->early.count = 0;
    world->step_until_tick = 0;
    world->is_dirty = true;
    return true;
}

bool
sv_world_load(struct sv_world *world, struct sv_scene **scene_take, struct wire_error *error)
{
    if (!renew(world, *scene_take, error)) {
        return false;
    }
    sv_scene_unref(world->scene);
    world->scene = *scene_take;
    *scene_take = NULL;
    memset(&world->changed, 0, sizeof(world->changed));
    return true;
}

bool
sv_world_reset(struct sv_world *world, struct wire_error *error)
{
    struct wire_error ignored; /* these settings have been accepted before */
    if (!renew(world, world->scene, error)) {
        return false;
    }
    apply_settings(world, &world->changed, &ignored);
    return true;
}

bool
sv_world_set(
    struct sv_world *world, const struct wire_settings *settings, struct wire_error *error)
{
    if (!apply_settings(world, settings, error)) {
        return false;
    }
    remember_settings(&world->changed, settings);
    return true;
}

static bool
reload(struct sv_world *world, struct sv_deed *deed, struct sv_matter *matter,
    struct wire_error *error)
{
    if (!sv_world_do(world, deed, matter, error)) {
        return false;
    }
    sv_world_say_reloaded(world);
    return true;
}

static bool
load(struct sv_world *world, struct sv_order *order, struct wire_error *error)
{
    struct sv_deed deed = {.kind = SV_DEED_LOAD};
    struct sv_matter matter = {.scene = order->scene};
    order->scene = NULL;
    bool is_done = sv_world_scene_is_apart(world->worker, matter.scene, error) &&
        sv_world_put_scene(world, matter.scene, false, deed.matter.content, error) &&
        reload(world, &deed, &matter, error);
    sv_scene_unref(matter.scene);
    return is_done;
}

/* A change was read as one of the scene that its sender knew. */
static bool
change(struct sv_world *world, const struct sv_order *order, struct wire_error *error)
{
    struct sv_deed deed;
    struct sv_matter matter = {.change = order->change};
    if (order->origin != world->shown->origin) {
        wire_error_set(error, "STATE", "change", "the world has another scene now");
        return false;
    }
    if (!sv_world_put_change(world, order->change, &deed, error) ||
        !sv_world_do(world, &deed, &matter, error)) {
        return false;
    }
    sv_world_leases_sift(world);
    return true;
}

static bool
set_state(struct sv_world *world, enum wire_world_state state, struct wire_error *error)
{
    struct sv_deed deed = {.kind = SV_DEED_STATE, .state = state};
    return sv_world_do(world, &deed, NULL, error);
}

/* The answer waits until the ticks are done. */
static bool
step(struct sv_world *world, const struct sv_asker *asker, uint32_t ticks,
    struct wire_error *error)
{
    if (world->state != WIRE_WORLD_PAUSED) {
        wire_error_set(error, "STATE", "step", "the world is not paused; pause it first");
        return false;
    }
    if (ticks > SV_STEP_TICKS_MAX) {
        wire_error_set(error, "RANGE", "step.ticks", "is %u; at most %d are accepted", ticks,
            SV_STEP_TICKS_MAX);
        return false;
    }
    if (world->step_wait_count == SV_STEP_WAITS_MAX) {
        wire_error_set(error, "BUSY", "step", "%d steps wait already", SV_STEP_WAITS_MAX);
        return false;
    }
    uint64_t tick = cn_world_tick(world->engine);
    uint64_t from = world->step_until_tick > tick ? world->step_until_tick : tick;
    world->step_until_tick = from + (ticks > 0 ? ticks : 1);
    world->step_waits[world->step_wait_count++] =
        (struct sv_step_wait){.asker = *asker, .until_tick = world->step_until_tick};
    return true;
}

void
sv_world_answer_steps(struct sv_world *world)
{
    int kept = 0;
    bool is_over = cn_world_tick(world->engine) >= world->step_until_tick;
    for (int i = 0; i < world->step_wait_count; i++) {
        struct sv_step_wait *wait = &world->step_waits[i];
        bool is_done = is_over || cn_world_tick(world->engine) >= wait->until_tick;
        if (is_done && sv_worker_has_room(world->worker)) {
            sv_world_answer(world, SV_REPORT_DONE, &wait->asker, 0, NULL);
        } else {
            world->step_waits[kept++] = *wait;
        }
    }
    world->step_wait_count = kept;
}

void
sv_world_obey(struct sv_world *world, const struct sv_asker *asker, struct sv_order *order)
{
    struct wire_error error;
    struct sv_deed deed;
    bool is_done = true;
    switch (order->kind) {
    case WIRE_CONTROL_SETTINGS:
        deed = (struct sv_deed){.kind = SV_DEED_SETTINGS, .settings = order->settings};
        is_done = sv_world_do(world, &deed, NULL, &error);
        break;
    case WIRE_CONTROL_PAUSE:
        is_done = set_state(world, WIRE_WORLD_PAUSED, &error);
        break;
    case WIRE_CONTROL_RESUME:
        is_done = set_state(world, WIRE_WORLD_RUNNING, &error);
        world->step_until_tick = 0;
        break;
    case WIRE_CONTROL_STEP:
        is_done = step(world, asker, order->step_ticks, &error);
        break;
    case WIRE_CONTROL_RESET:
        deed = (struct sv_deed){.kind = SV_DEED_RESET};
        is_done = reload(world, &deed, NULL, &error);
        break;
    case WIRE_CONTROL_LOAD:
        is_done = load(world, order, &error);
        break;
    case WIRE_CONTROL_CHANGE:
        is_done = change(world, order, &error);
        break;
    default:
        wire_error_set(&error, "FIELD", "control", "is not an order to a world");
        is_done = false;
    }
    world->is_dirty = world->is_dirty || is_done;
    world->is_status_due = world->is_status_due || is_done;
    if (!is_done) {
        sv_world_answer(world, SV_REPORT_REFUSED, asker, 0, &error);
    } else if (order->kind != WIRE_CONTROL_STEP) {
        sv_world_answer(world, SV_REPORT_DONE, asker, 0, NULL);
    }
}
