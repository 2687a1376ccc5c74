#include "server/world/state/portable.h"

#include "engine/base/assert.h"
#include "engine/state/image.h"
#include "engine/state/portable.h"
#include "server/world/data/sections.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool
sv_portable_add(const struct sv_world *world, struct sv_checkpoint *checkpoint)
{
    size_t size = cn_world_portable_size(world->engine);
    unsigned char *bytes = malloc(size);
    if (bytes == NULL) {
        return false;
    }
    size_t written = cn_world_portable_write(world->engine, bytes, size);
    CN_ASSERT(written == size);
    sv_checkpoint_add(checkpoint, SV_SECTION_PORTABLE, bytes, size);
    return true;
}

bool
sv_portable_refused(struct sv_world *world, const char *format, ...)
{
    char text[CN_DEFECT_TEXT_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    snprintf(world->failure, sizeof(world->failure), SV_PHYSICS_FAILURE "tick %" PRIu64 ": %.*s",
        cn_world_tick(world->engine), (int)sizeof(world->failure) - 64, text);
    return false;
}

bool
sv_portable_admit(struct sv_world *world, uint32_t physics, const char *of)
{
    unsigned own = cn_physics_version();
    if (physics > own) {
        snprintf(world->failure, sizeof(world->failure),
            SV_PHYSICS_FAILURE SV_PHYSICS_NEWER
            "%s is of physics %u, and this release has physics %u; use the release that wrote it, "
            "or a later one",
            of, (unsigned)physics, own);
        return false;
    }
    if (!world->persist.is_carrying) {
        snprintf(world->failure, sizeof(world->failure),
            SV_PHYSICS_FAILURE
            "%s is of physics %u, and this release has physics %u: ticks are only the same again "
            "with the version that made them",
            of, (unsigned)physics, own);
        return false;
    }
    return true;
}

bool
sv_portable_is_newer(const char *failure)
{
    static const char start[] = SV_PHYSICS_FAILURE SV_PHYSICS_NEWER;
    return strncmp(failure, start, sizeof(start) - 1) == 0;
}

bool
sv_portable_restore(struct sv_world *world, const struct sv_checkpoint *checkpoint)
{
    struct cn_defect defect;
    size_t size;
    const unsigned char *image = sv_checkpoint_find(checkpoint, SV_SECTION_IMAGE, &size);
    uint32_t physics = image != NULL ? cn_image_physics(image, size) : 0;
    if (!sv_portable_admit(world, physics, "the checkpoint")) {
        return false;
    }
    const unsigned char *form = sv_checkpoint_find(checkpoint, SV_SECTION_PORTABLE, &size);
    if (form == NULL) {
        return sv_portable_refused(world,
            "the checkpoint is of physics %u and has no portable form; the release that wrote it "
            "can read it",
            (unsigned)physics);
    }
    enum cn_status status = cn_world_portable_read(world->engine, form, size, &defect);
    if (status == CN_MEMORY) {
        snprintf(world->failure, sizeof(world->failure), "MEMORY: the checkpoint's portable form");
        return false;
    }
    if (status != CN_OK) {
        return sv_portable_refused(world, "the checkpoint of physics %u: its %s %.200s",
            (unsigned)physics, defect.path, defect.text);
    }
    world->persist.old_physics = physics;
    return true;
}

int
sv_portable_first(const struct sv_manifest *list, int count, uint32_t physics)
{
    int first = count;
    while (first > 0 && list[first - 1].trail.physics == physics) {
        first--;
    }
    return first;
}
