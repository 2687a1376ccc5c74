/* world_say.c: messages from a world to its members, and answers to sessions. */
#include "server/world/state/world_say.h"

#include "engine/base/assert.h"
#include "server/base/limits.h"
#include "server/snapshot/framing.h"
#include "server/world/state/world_record.h"
#include "server/world/state/world_status.h"

#include <stdlib.h>
#include <string.h>

/*
 * A message that cannot be made without memory is not sent.  The next status repeats its facts, and
 * a new scene is sent again.
 */
static void
say_message(struct sv_world *world, enum sv_report_kind kind, const struct sv_asker *asker,
    struct sv_buffer *message_take)
{
    if (world->persist.is_replaying) {
        sv_buffer_unref(message_take);
        return;
    }
    struct sv_report report = {.kind = kind, .mailbox = world->mailbox,
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
    sv_world_report(world, &report);
}

void
sv_world_say(
    struct sv_world *world, const struct sv_asker *asker, struct sv_buffer *message_take)
{
    say_message(world, asker != NULL ? SV_REPORT_ANSWERED : SV_REPORT_SAY, asker, message_take);
}

static size_t
encode_joined(const void *context, uint8_t *out, size_t out_size)
{
    return wire_encode_joined(context, out, out_size);
}

/* With `image`, which may be NULL, of `image_size` bytes. */
static struct sv_buffer *
frame_joined_with(const struct sv_world *world, const void *image, size_t image_size)
{
    struct wire_status status;
    sv_world_status(world, &status);
    struct wire_joined joined = {
        .world = world->mailbox->id,
        .scene = world->shown->scene,
        .status = &status,
        .gap_tolerance = cn_world_gap_tolerance(world->engine),
        .image = image,
        .image_size = image_size,
        .image_tick = cn_world_tick(world->engine),
        .image_hash = image != NULL ? cn_world_hash(world->engine) : 0,
        .engine_scene = world->scene != world->shown ? world->scene->scene : NULL,
        .physics = cn_physics_version(),
    };
    joined.attribute_count = cn_world_attributes(world->engine, &joined.attributes);
    return sv_frame_message(encode_joined, &joined);
}

static struct sv_buffer *
frame_joined(const struct sv_world *world)
{
    return world->persist.is_replaying ? NULL : frame_joined_with(world, NULL, 0);
}

void
sv_world_say_joined(struct sv_world *world, const struct sv_asker *asker)
{
    say_message(world, SV_REPORT_JOINED, asker, frame_joined(world));
}

bool
sv_world_say_image(struct sv_world *world, const struct sv_asker *asker)
{
    CN_ASSERT(!cn_world_is_mid_tick(world->engine));
    size_t size = cn_world_image_size(world->engine);
    void *image = malloc(size);
    struct sv_buffer *message = NULL;
    if (image != NULL) {
        size_t written = cn_world_image_write(world->engine, image, size);
        CN_ASSERT(written == size);
        message = frame_joined_with(world, image, size);
        free(image);
    }
    if (message != NULL) {
        struct sv_report report = {.kind = SV_REPORT_JOINED, .mailbox = world->mailbox,
            .asker = *asker, .generation = world->generation, .has_image = true,
            .message_take = message};
        sv_world_report(world, &report);
    }
    return message != NULL;
}

void
sv_world_say_reloaded(struct sv_world *world)
{
    say_message(world, SV_REPORT_RELOADED, NULL, frame_joined(world));
}

static size_t
encode_changed(const void *context, uint8_t *out, size_t out_size)
{
    return wire_encode_changed(context, out, out_size);
}

void
sv_world_say_changed(struct sv_world *world, struct wire_changed *changed)
{
    if (world->persist.is_replaying) {
        return;
    }
    changed->generation = world->generation;
    changed->now = world->shown->scene;
    struct sv_buffer *message = sv_frame_message(encode_changed, changed);
    say_message(world, SV_REPORT_RELOADED, NULL, message != NULL ? message : frame_joined(world));
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
    say_message(world, SV_REPORT_SAY, NULL, sv_frame_message(encode_status, &status));
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
    CN_ASSERT(count <= (size_t)world->member_count);
    return wire_encode_presence(world->mailbox->id, people, count, out, out_size);
}

void
sv_world_say_presence(struct sv_world *world)
{
    say_message(world, SV_REPORT_SAY, NULL, sv_frame_message(encode_presence, world));
}

void
sv_world_answer(struct sv_world *world, enum sv_report_kind kind, const struct sv_asker *asker,
    uint64_t seq, const struct wire_error *error)
{
    struct sv_report report = {
        .kind = kind, .mailbox = world->mailbox, .asker = *asker, .seq = seq};
    report.outcome_take = calloc(1, sizeof(*report.outcome_take));
    if (report.outcome_take != NULL) {
        if (error != NULL) {
            report.outcome_take->error = *error; /* no status, because its hash takes time */
        } else {
            sv_world_status(world, &report.outcome_take->status);
        }
    }
    sv_world_report(world, &report);
}

void
sv_world_say_created(
    struct sv_world *world, const struct sv_asker *asker, struct sv_outcome *outcome_take)
{
    CN_ASSERT(outcome_take != NULL && world->mailbox->world == world);
    struct sv_report report = {.kind = SV_REPORT_CREATED, .mailbox = world->mailbox,
        .asker = *asker, .outcome_take = outcome_take};
    sv_world_status(world, &outcome_take->status);
    outcome_take->scene = sv_scene_ref(world->shown);
    sv_world_report(world, &report);
}
