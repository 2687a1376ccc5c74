#include "deed/follower.h"

#include "deed/apply.h"
#include "deed/change.h"
#include "engine/base/assert.h"

void
dd_follower_finish(struct dd_follower *follower)
{
    cn_world_destroy(follower->engine);
    if (follower->shown != follower->scene) {
        wire_scene_destroy(follower->shown);
    }
    wire_scene_destroy(follower->scene);
    *follower = (struct dd_follower){0};
}

/* ---- images ---- */

static bool
refuse_defect(const struct cn_defect *defect, struct wire_error *error)
{
    wire_error_from_defect(error, defect);
    return false;
}

static bool
read_scenes(
    struct dd_follower *follower, const struct dd_image *image, struct wire_error *error)
{
    const struct wire_mesh_tools tools = {.is_own = true};
    struct wire_text_error wrong;
    follower->scene = wire_scene_unpack_with(image->scene, image->scene_size, &tools, &wrong);
    if (follower->scene == NULL) {
        return refuse_defect(&wrong.defect, error);
    }
    follower->shown = image->shown == NULL
        ? follower->scene
        : wire_scene_show(image->shown, image->shown_size, follower->scene);
    if (follower->shown == NULL) {
        wire_error_set(error, "MEMORY", "joined.scene", "no memory, or it is no scene");
        return false;
    }
    return true;
}

static bool
read_image(struct dd_follower *follower, const struct dd_image *image, struct wire_error *error)
{
    struct cn_defect defect;
    const struct cn_world_def *def = wire_scene_world_def(follower->scene);
    if (cn_world_create(def, &defect, &follower->engine) != CN_OK ||
        cn_world_image_read(follower->engine, image->image, image->image_size, &defect) !=
            CN_OK) {
        return refuse_defect(&defect, error);
    }
    if (cn_world_tick(follower->engine) != image->tick ||
        cn_world_hash(follower->engine) != image->hash) {
        wire_error_set(error, "STATE", "joined.image", "is of another tick or hash than it names");
        return false;
    }
    return true;
}

bool
dd_follower_begin(
    struct dd_follower *follower, const struct dd_image *image, struct wire_error *error)
{
    CN_ASSERT(image->scene != NULL && image->image != NULL);
    dd_follower_finish(follower);
    if (!read_scenes(follower, image, error) || !read_image(follower, image, error)) {
        dd_follower_finish(follower);
        return false;
    }
    follower->generation = image->generation;
    return true;
}

/* ---- deeds ---- */

bool
dd_follower_show(struct dd_follower *follower, const struct wire_change *change,
    const struct dd_slots *slots, struct wire_error *error)
{
    struct wire_scene *shown = wire_scene_follow(
        follower->shown, follower->engine, change, slots->body, slots->joint);
    if (shown == NULL) {
        wire_error_set(error, "MEMORY", "", "no memory for the changed scene");
        return false;
    }
    if (follower->shown != follower->scene) {
        wire_scene_destroy(follower->shown);
    }
    follower->shown = shown;
    follower->generation++;
    return true;
}

/* A change that the daemon has made, or tried in vain. */
static bool
follow_change(
    struct dd_follower *follower, const struct dd_entry *entry, struct wire_error *error)
{
    struct cn_defect defect;
    struct dd_slots slots;
    bool is_touched;
    struct wire_change *change = wire_change_unpack(
        entry->matter.bytes, entry->matter.size, follower->shown, &defect);
    if (change == NULL) {
        return refuse_defect(&defect, error);
    }
    bool is_done = dd_change_apply(
        change, follower->shown, follower->engine, &slots, &is_touched, error);
    bool is_good = is_done == entry->matter.is_done;
    if (is_done && is_good) {
        is_good = dd_follower_show(follower, change, &slots, error);
    } else if (is_done) {
        wire_error_set(error, "STATE", "deeds", "has a change that the daemon refused");
    }
    if (is_done) {
        dd_slots_finish(&slots);
    }
    wire_change_destroy(change);
    return is_good;
}

bool
dd_follower_apply(struct dd_follower *follower, const unsigned char *bytes, size_t size,
    struct wire_error *error)
{
    CN_ASSERT(follower->engine != NULL && !cn_world_is_mid_tick(follower->engine));
    size_t at = 0;
    bool is_good = true;
    while (is_good && at < size) {
        struct dd_entry entry;
        size_t begin = at;
        if (!dd_entry_read(bytes, size, &at, &entry) || !dd_is_deed(entry.kind)) {
            wire_error_set(error, "PROTOCOL", "deeds", "has no deed at byte %zu", begin);
            is_good = false;
        } else if (entry.kind == DD_ENTRY_CHANGE) {
            is_good = follow_change(follower, &entry, error);
        } else {
            is_good = dd_apply(&entry, follower->engine, error);
        }
    }
    if (!is_good) {
        dd_follower_finish(follower);
    }
    return is_good;
}
