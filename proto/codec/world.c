#include "proto/codec/world.h"

#include "engine/base/assert.h"
#include "proto/codec/check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* protobuf-c declares texts as char *, but only reads them when it packs. */
static char *
text_borrow(const char *text)
{
    union {
        const char *in;
        char *out;
    } cast = {.in = text};
    return cast.out;
}

static void
propagation_build(Cairn__V1__Propagation *message, const struct wire_settings *settings)
{
    const struct cn_propagation_settings *from = &settings->propagation;
    cairn__v1__propagation__init(message);
    if (settings->has_propagation.collision_iterations) {
        message->collision_iterations_set_case =
            CAIRN__V1__PROPAGATION__COLLISION_ITERATIONS_SET_COLLISION_ITERATIONS;
        message->collision_iterations = (uint32_t)from->collision_iterations;
    }
    if (settings->has_propagation.contact_iterations) {
        message->contact_iterations_set_case =
            CAIRN__V1__PROPAGATION__CONTACT_ITERATIONS_SET_CONTACT_ITERATIONS;
        message->contact_iterations = (uint32_t)from->contact_iterations;
    }
    if (settings->has_propagation.contact_sweeps) {
        message->contact_sweeps_set_case =
            CAIRN__V1__PROPAGATION__CONTACT_SWEEPS_SET_CONTACT_SWEEPS;
        message->contact_sweeps = (uint32_t)from->contact_sweeps;
    }
    if (settings->has_propagation.shock_passes) {
        message->shock_passes_set_case = CAIRN__V1__PROPAGATION__SHOCK_PASSES_SET_SHOCK_PASSES;
        message->shock_passes = (uint32_t)from->shock_passes;
    }
    if (settings->has_propagation.literal) {
        message->literal_set_case = CAIRN__V1__PROPAGATION__LITERAL_SET_LITERAL;
        message->literal = from->literal == 1;
    }
    if (settings->has_propagation.shuffle) {
        message->shuffle_set_case = CAIRN__V1__PROPAGATION__SHUFFLE_SET_SHUFFLE;
        message->shuffle = (uint32_t)from->shuffle;
    }
}

static void
build_settings(struct codec_settings_message *out, const struct wire_settings *settings)
{
    cairn__v1__settings__init(&out->message);
    cairn__v1__vec3__init(&out->gravity);
    Cairn__V1__Settings *message = &out->message;
    if (settings->has_gravity) {
        out->gravity.x = settings->gravity.x;
        out->gravity.y = settings->gravity.y;
        out->gravity.z = settings->gravity.z;
        message->gravity = &out->gravity;
    }
    if (settings->has_restitution) {
        message->restitution_set_case = CAIRN__V1__SETTINGS__RESTITUTION_SET_RESTITUTION;
        message->restitution = settings->restitution;
    }
    if (settings->has_damping_linear) {
        message->linear_damping_set_case = CAIRN__V1__SETTINGS__LINEAR_DAMPING_SET_LINEAR_DAMPING;
        message->linear_damping = settings->damping_linear;
    }
    if (settings->has_damping_angular) {
        message->angular_damping_set_case =
            CAIRN__V1__SETTINGS__ANGULAR_DAMPING_SET_ANGULAR_DAMPING;
        message->angular_damping = settings->damping_angular;
    }
    if (settings->has_time_rate) {
        message->time_rate_set_case = CAIRN__V1__SETTINGS__TIME_RATE_SET_TIME_RATE;
        message->time_rate = settings->time_rate;
    }
    if (settings->has_collision) {
        message->collision_set_case = CAIRN__V1__SETTINGS__COLLISION_SET_COLLISION;
        message->collision = (Cairn__V1__World__Collision)settings->collision;
    }
    if (settings->has_minimum_norm) {
        message->minimum_norm_set_case = CAIRN__V1__SETTINGS__MINIMUM_NORM_SET_MINIMUM_NORM;
        message->minimum_norm = settings->minimum_norm;
    }
    if (settings->has_substeps) {
        message->substeps_set_case = CAIRN__V1__SETTINGS__SUBSTEPS_SET_SUBSTEPS;
        message->substeps = settings->substeps;
    }
    if (settings->has_sleep) {
        message->sleep_set_case = CAIRN__V1__SETTINGS__SLEEP_SET_SLEEP;
        message->sleep = settings->sleep;
    }
    if (settings->has_resting_velocity) {
        message->resting_velocity_set_case =
            CAIRN__V1__SETTINGS__RESTING_VELOCITY_SET_RESTING_VELOCITY;
        message->resting_velocity = settings->resting_velocity;
    }
    if (wire_settings_have_propagation(settings)) {
        propagation_build(&out->propagation, settings);
        message->propagation = &out->propagation;
    }
    message->solver = text_borrow(settings->solver);
    message->stepper = text_borrow(settings->stepper);
}

void
codec_status_build(struct codec_status_message *out, const struct wire_status *status)
{
    Cairn__V1__WorldStatus *message = &out->message;
    cairn__v1__world_status__init(message);
    build_settings(&out->settings, &status->settings);
    out->hash[0] = '\0';
    if (status->hash != 0) {
        (void)codec_hash_text(out->hash, status->hash);
    }
    message->id = text_borrow(status->id);
    message->name = text_borrow(status->name);
    message->title = text_borrow(status->title);
    message->state = (Cairn__V1__WorldStatus__State)status->state;
    message->idle = status->idle;
    message->tick = status->tick;
    message->time = status->time;
    message->tick_rate = status->tick_rate;
    message->body_count = status->body_count;
    message->contact_count = status->contact_count;
    message->client_count = status->client_count;
    message->hash = out->hash;
    message->settings = &out->settings.message;
    message->real_time_factor = status->real_time_factor;
    message->frozen_count = status->frozen_count;
    message->tick_duration_us = status->tick_duration_us;
    message->failure = text_borrow(status->failure);
    message->generation = status->generation;
    message->durability = (Cairn__V1__World__Durability)(status->durability + 1);
    message->stalled_ms = status->stalled_ms;
    message->origin = text_borrow(status->origin);
    message->origin_tick = status->origin_tick;
    message->speed = status->speed;
    message->end_tick = status->end_tick;
}

void
codec_error_build(struct codec_error_message *out, const struct wire_error *error)
{
    cairn__v1__error__init(&out->message);
    out->message.code = text_borrow(error->code);
    out->message.path = text_borrow(error->path);
    out->message.text = text_borrow(error->text);
    out->message.line = error->line;
    out->message.retry_ms = error->retry_ms;
}

cn_vec3
codec_vec3(const Cairn__V1__Vec3 *vector)
{
    return vector != NULL ? cn_vec3_make(vector->x, vector->y, vector->z)
                          : cn_vec3_make(0.0, 0.0, 0.0);
}

bool
codec_name_read(
    char *out, size_t out_size, const char *text, const char *path, struct wire_error *error)
{
    CN_ASSERT(out_size > 0);
    if (!codec_text_is_clean(text, out_size - 1)) {
        wire_error_set(error, "NAME", path,
            "is not accepted; a name has at most %zu bytes of UTF-8", out_size - 1);
        return false;
    }
    snprintf(out, out_size, "%s", text);
    return true;
}

/* The engine checks the ranges. */
static int32_t
clip_count(uint32_t count)
{
    return count < INT32_MAX ? (int32_t)count : INT32_MAX;
}

static void
propagation_read(const Cairn__V1__Propagation *message, struct wire_settings *settings)
{
    struct cn_propagation_settings *to = &settings->propagation;
    settings->has_propagation.collision_iterations = message->collision_iterations_set_case != 0;
    settings->has_propagation.contact_iterations = message->contact_iterations_set_case != 0;
    settings->has_propagation.contact_sweeps = message->contact_sweeps_set_case != 0;
    settings->has_propagation.shock_passes = message->shock_passes_set_case != 0;
    settings->has_propagation.literal = message->literal_set_case != 0;
    settings->has_propagation.shuffle = message->shuffle_set_case != 0;
    to->collision_iterations = clip_count(message->collision_iterations);
    to->contact_iterations = clip_count(message->contact_iterations);
    to->contact_sweeps = clip_count(message->contact_sweeps);
    to->shock_passes = clip_count(message->shock_passes);
    to->literal = message->literal ? 1 : 0;
    to->shuffle = clip_count(message->shuffle);
}

bool
codec_settings_read(const Cairn__V1__Settings *message, struct wire_settings *settings,
    struct wire_error *error)
{
    memset(settings, 0, sizeof(*settings));
    settings->has_gravity = message->gravity != NULL;
    settings->gravity = codec_vec3(message->gravity);
    if (message->restitution_set_case == CAIRN__V1__SETTINGS__RESTITUTION_SET_RESTITUTION) {
        settings->has_restitution = true;
        settings->restitution = message->restitution;
    }
    if (message->linear_damping_set_case ==
        CAIRN__V1__SETTINGS__LINEAR_DAMPING_SET_LINEAR_DAMPING) {
        settings->has_damping_linear = true;
        settings->damping_linear = message->linear_damping;
    }
    if (message->angular_damping_set_case ==
        CAIRN__V1__SETTINGS__ANGULAR_DAMPING_SET_ANGULAR_DAMPING) {
        settings->has_damping_angular = true;
        settings->damping_angular = message->angular_damping;
    }
    if (message->time_rate_set_case == CAIRN__V1__SETTINGS__TIME_RATE_SET_TIME_RATE) {
        settings->has_time_rate = true;
        settings->time_rate = message->time_rate;
    }
    if (message->collision_set_case == CAIRN__V1__SETTINGS__COLLISION_SET_COLLISION) {
        settings->has_collision = true;
        settings->collision = (enum cn_collision_handling)message->collision;
    }
    if (message->minimum_norm_set_case ==
        CAIRN__V1__SETTINGS__MINIMUM_NORM_SET_MINIMUM_NORM) {
        settings->has_minimum_norm = true;
        settings->minimum_norm = message->minimum_norm;
    }
    settings->has_substeps =
        message->substeps_set_case == CAIRN__V1__SETTINGS__SUBSTEPS_SET_SUBSTEPS;
    settings->substeps = settings->has_substeps ? message->substeps : 0;
    settings->has_sleep = message->sleep_set_case == CAIRN__V1__SETTINGS__SLEEP_SET_SLEEP;
    settings->sleep = settings->has_sleep && message->sleep;
    settings->has_resting_velocity = message->resting_velocity_set_case != 0;
    settings->resting_velocity = settings->has_resting_velocity ? message->resting_velocity : 0.0;
    if (message->propagation != NULL) {
        propagation_read(message->propagation, settings);
    }
    return codec_name_read(settings->solver, sizeof(settings->solver), message->solver, "solver",
               error) &&
        codec_name_read(
            settings->stepper, sizeof(settings->stepper), message->stepper, "stepper", error);
}

/* A packed copy, because the scene outlives the arena that it was unpacked into. */
static bool
scene_read(Cairn__V1__Scene *scene, struct wire_source *source, struct wire_error *error)
{
    source->scene_size = cairn__v1__scene__get_packed_size(scene);
    source->scene_bytes = malloc(source->scene_size + 1);
    if (source->scene_bytes == NULL) {
        wire_error_set(error, "MEMORY", "scene", "no memory");
        return false;
    }
    source->scene_size = cairn__v1__scene__pack(scene, source->scene_bytes);
    source->kind = WIRE_SOURCE_SCENE;
    return true;
}

bool
codec_change_read(
    const Cairn__V1__Change *message, struct wire_source *source, struct wire_error *error)
{
    source->scene_size = cairn__v1__change__get_packed_size(message);
    source->scene_bytes = malloc(source->scene_size + 1);
    if (source->scene_bytes == NULL) {
        wire_error_set(error, "MEMORY", "change", "no memory");
        return false;
    }
    source->scene_size = cairn__v1__change__pack(message, source->scene_bytes);
    source->kind = WIRE_SOURCE_CHANGE;
    return true;
}

static bool
scene_name_read(const char *name, struct wire_source *source, struct wire_error *error)
{
    source->kind = WIRE_SOURCE_NAME;
    return codec_name_read(source->name, sizeof(source->name), name, "sceneName", error);
}

static bool
refuse_no_source(struct wire_error *error)
{
    wire_error_set(error, "FIELD", "scene", "is missing; scene or sceneName is needed");
    return false;
}

bool
codec_create_read(
    const Cairn__V1__CreateWorld *message, struct wire_source *source, struct wire_error *error)
{
    memset(source, 0, sizeof(*source));
    if (!codec_name_read(source->id, sizeof(source->id), message->id, "id", error)) {
        return false;
    }
    if (source->id[0] != '\0' && !wire_name_is_id(source->id)) {
        wire_error_set(error, "NAME", "id",
            "is not accepted; an id has letters, digits, '-', '_', '.', and starts without '.'");
        return false;
    }
    switch (message->source_case) {
    case CAIRN__V1__CREATE_WORLD__SOURCE_SCENE:
        return scene_read(message->scene, source, error);
    case CAIRN__V1__CREATE_WORLD__SOURCE_SCENE_NAME:
        return scene_name_read(message->scene_name, source, error);
    default:
        return refuse_no_source(error);
    }
}

bool
codec_load_read(
    const Cairn__V1__LoadScene *message, struct wire_source *source, struct wire_error *error)
{
    memset(source, 0, sizeof(*source));
    switch (message->source_case) {
    case CAIRN__V1__LOAD_SCENE__SOURCE_SCENE:
        return scene_read(message->scene, source, error);
    case CAIRN__V1__LOAD_SCENE__SOURCE_SCENE_NAME:
        return scene_name_read(message->scene_name, source, error);
    default:
        return refuse_no_source(error);
    }
}

bool
codec_speed_check(double speed, const char *path, struct wire_error *error)
{
    if (speed >= 0.0 && speed <= WIRE_SPEED_MAX) {
        return true;
    }
    wire_error_set(error, "RANGE", path, "is %g; accepted is 0 to %g", speed, WIRE_SPEED_MAX);
    return false;
}

bool
codec_fork_check(const struct wire_fork *fork, const char *prefix, struct wire_error *error)
{
    char path[CN_DEFECT_PATH_SIZE];
    CN_ASSERT(strlen(prefix) + sizeof("speed") <= sizeof(path));
    if (fork->each && fork->replay) {
        snprintf(path, sizeof(path), "%seach", prefix);
        wire_error_set(error, "FIELD", path, "goes with worlds of their own, not with a replay");
        return false;
    }
    if (fork->id[0] != '\0' && !wire_name_is_id(fork->id)) {
        snprintf(path, sizeof(path), "%sid", prefix);
        wire_error_set(error, "NAME", path,
            "is no id: 1 to 63 letters, digits, '-', '_' and '.', not '.' first");
        return false;
    }
    snprintf(path, sizeof(path), "%sspeed", prefix);
    return codec_speed_check(fork->speed, path, error);
}
