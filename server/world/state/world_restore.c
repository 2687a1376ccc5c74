/* world_restore.c: puts a world to the state of a checkpoint (sections.h). */
#include "server/world/state/world_restore.h"

#include "engine/base/little_endian.h"
#include "engine/state/image.h"
#include "proto/scene_live.h"
#include "deed/entry.h"
#include "server/world/data/sections.h"
#include "server/world/data/world.h"
#include "server/world/state/portable.h"
#include "server/world/state/world_news.h"
#include "server/world/state/world_sessions.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool
sv_world_diverged(struct sv_world *world, const char *format, ...)
{
    char text[CN_DEFECT_TEXT_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    snprintf(world->failure, sizeof(world->failure), "DIVERGED: tick %" PRIu64 ": %.*s",
        cn_world_tick(world->engine), (int)sizeof(world->failure) - 64, text);
    return false;
}

/* The host's section of a checkpoint. */
struct host_part {
    uint32_t generation, series;
    enum wire_world_state state;
    unsigned char content[SV_CONTENT_SIZE];
    struct wire_settings changed;
    const unsigned char *settled; /* pairs of u64 */
    uint32_t settled_count;
};

static bool
read_host(const unsigned char *bytes, size_t size, struct host_part *part)
{
    size_t at = 13 + SV_CONTENT_SIZE;
    if (size < at || cn_get_u32(bytes) != SV_HOST_PART_VERSION || bytes[12] > WIRE_WORLD_PAUSED) {
        return false;
    }
    part->generation = cn_get_u32(bytes + 4);
    part->series = cn_get_u32(bytes + 8);
    part->state = (enum wire_world_state)bytes[12];
    memcpy(part->content, bytes + 13, SV_CONTENT_SIZE);
    if (!dd_settings_read(bytes, size, &at, &part->changed) || size - at < 4) {
        return false;
    }
    part->settled_count = cn_get_u32(bytes + at);
    part->settled = bytes + at + 4;
    return (size - at - 4) % 16 == 0 && (size - at - 4) / 16 == part->settled_count;
}

static bool
restore_shown(struct sv_world *world, const struct sv_checkpoint *checkpoint)
{
    size_t size;
    const unsigned char *bytes = sv_checkpoint_find(checkpoint, SV_SECTION_SHOWN, &size);
    if (bytes == NULL) {
        return true;
    }
    struct wire_scene *shown = wire_scene_show(bytes, size, world->scene->scene);
    struct sv_scene *shared = shown != NULL ? sv_scene_create(shown) : NULL;
    if (shared == NULL) {
        return sv_world_diverged(world, "the checkpoint's scene can not be read");
    }
    shared->origin = world->scene->origin;
    sv_scene_unref(world->shown);
    world->shown = shared;
    return true;
}

static bool
find_host(const struct sv_checkpoint *checkpoint, struct host_part *part)
{
    size_t size;
    const unsigned char *bytes = sv_checkpoint_find(checkpoint, SV_SECTION_HOST, &size);
    return bytes != NULL && read_host(bytes, size, part);
}

bool
sv_host_part_content(const struct sv_checkpoint *checkpoint, unsigned char content[SV_CONTENT_SIZE])
{
    struct host_part part;
    if (!find_host(checkpoint, &part)) {
        return false;
    }
    memcpy(content, part.content, SV_CONTENT_SIZE);
    return true;
}

/* The world's age and origin; a checkpoint of an older version has neither. */
static bool
restore_past(struct sv_world *world, const struct sv_checkpoint *checkpoint)
{
    size_t size;
    const unsigned char *bytes = sv_checkpoint_find(checkpoint, SV_SECTION_PAST, &size);
    if (bytes == NULL) {
        return true;
    }
    if (size != SV_PAST_PART_SIZE || cn_get_u32(bytes) != SV_HOST_PART_VERSION ||
        memchr(bytes + 28, '\0', WIRE_NAME_SIZE) == NULL) {
        return sv_world_diverged(world, "the checkpoint's origin can not be read");
    }
    world->persist.age_us = cn_get_u64(bytes + 4);
    world->persist.aged_ns = cn_get_u64(bytes + 12);
    world->origin_tick = cn_get_u64(bytes + 20);
    memcpy(world->origin, bytes + 28, WIRE_NAME_SIZE);
    return true;
}

/* The section of sessions; a checkpoint of an older release has none. */
static bool
restore_sessions(struct sv_world *world, const struct sv_checkpoint *checkpoint)
{
    size_t size;
    const unsigned char *bytes = sv_checkpoint_find(checkpoint, SV_SECTION_SESSIONS, &size);
    if (bytes == NULL) {
        return true;
    }
    if (!sv_world_read_sessions(world, bytes, size)) {
        return sv_world_diverged(world, "the checkpoint's sessions can not be read");
    }
    return true;
}

/* The section of the logic; a world without one has none. */
static bool
restore_logic(struct sv_world *world, const struct sv_checkpoint *checkpoint)
{
    size_t size;
    const unsigned char *bytes = sv_checkpoint_find(checkpoint, SV_SECTION_LOGIC, &size);
    sv_world_drop_logic(world);
    if (bytes == NULL) {
        return true;
    }
    world->logic = sv_logic_read(bytes, size);
    if (world->logic == NULL) {
        return sv_world_diverged(world, "the checkpoint's news for the logic can not be read");
    }
    return true;
}

/* Restores the engine's section. */
static bool
restore_image(struct sv_world *world, const struct sv_checkpoint *checkpoint)
{
    struct cn_defect defect;
    size_t size;
    const unsigned char *image = sv_checkpoint_find(checkpoint, SV_SECTION_IMAGE, &size);
    if (image == NULL) {
        return sv_world_diverged(world, "the checkpoint's image: is missing");
    }
    uint32_t physics = cn_image_physics(image, size);
    if (physics != 0 && physics != cn_physics_version()) {
        return sv_portable_restore(world, checkpoint);
    }
    enum cn_status status = cn_world_image_read(world->engine, image, size, &defect);
    if (status == CN_MEMORY) {
        snprintf(world->failure, sizeof(world->failure), "MEMORY: the checkpoint's image");
        return false;
    }
    if (status != CN_OK) {
        return sv_world_diverged(world, "the checkpoint's image: %.200s", defect.text);
    }
    if (cn_world_hash(world->engine) != checkpoint->state_hash) {
        return sv_world_diverged(world, "the checkpoint's hash is not that of its image");
    }
    return true;
}

bool
sv_world_restore(struct sv_world *world, const struct sv_checkpoint *checkpoint)
{
    struct host_part part;
    if (!find_host(checkpoint, &part)) {
        return sv_world_diverged(world, "the checkpoint is of another version");
    }
    if (!restore_image(world, checkpoint)) {
        return false;
    }
    world->generation = part.generation;
    world->series = part.series;
    world->state = part.state;
    world->changed = part.changed;
    for (uint32_t i = 0; i < part.settled_count; i++) {
        const unsigned char *pair = part.settled + (size_t)16 * i;
        struct wire_error error;
        sv_world_note_change(world);
        if (!sv_world_settle(world, cn_get_u64(pair), cn_get_u64(pair + 8), &error)) {
            snprintf(world->failure, sizeof(world->failure), "MEMORY: %.100s", error.text);
            return false;
        }
    }
    return restore_past(world, checkpoint) && restore_sessions(world, checkpoint) &&
        restore_logic(world, checkpoint) && restore_shown(world, checkpoint);
}
