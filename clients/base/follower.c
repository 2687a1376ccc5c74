#include "clients/base/follower.h"

#include "deed/apply.h"
#include "engine/base/assert.h"

static void
drop_world(struct cli_follower *follower)
{
    cn_world_destroy(follower->world);
    wire_scene_destroy(follower->scene);
    follower->world = NULL;
    follower->scene = NULL;
}

void
cli_follower_finish(struct cli_follower *follower)
{
    drop_world(follower);
}

static enum cli_follow
fail_defect(struct cli_follower *follower, const struct cn_defect *defect)
{
    wire_error_from_defect(&follower->error, defect);
    drop_world(follower);
    return CLI_FOLLOW_FAILED;
}

enum cli_follow
cli_follower_join(struct cli_follower *follower, const struct wire_heard_joined *joined)
{
    const struct wire_mesh_tools tools = {.is_own = true};
    struct wire_text_error error;
    struct cn_defect defect;
    if (joined->image.bytes == NULL) {
        return CLI_FOLLOW_GOOD;
    }
    drop_world(follower);
    follower->scene =
        wire_scene_unpack_with(joined->scene.bytes, joined->scene.size, &tools, &error);
    if (follower->scene == NULL) {
        return fail_defect(follower, &error.defect);
    }
    if (cn_world_create(wire_scene_world_def(follower->scene), &defect, &follower->world) !=
            CN_OK ||
        cn_world_image_read(
            follower->world, joined->image.bytes, joined->image.size, &defect) != CN_OK) {
        return fail_defect(follower, &defect);
    }
    if (cn_world_tick(follower->world) != joined->image_tick ||
        cn_world_hash(follower->world) != joined->image_hash) {
        wire_error_set(&follower->error, "STATE", "joined.image", "is of another tick or hash");
        drop_world(follower);
        return CLI_FOLLOW_FAILED;
    }
    follower->generation = joined->generation;
    follower->image_count++;
    return CLI_FOLLOW_GOOD;
}

/* False without memory for a tick. */
static bool
step_to(struct cli_follower *follower, uint64_t tick)
{
    while (cn_world_tick(follower->world) < tick) {
        if (cn_world_step(follower->world, CN_WORK_UNLIMITED) != CN_STEP_DONE) {
            wire_error_set(&follower->error, "MEMORY", "", "no memory for a tick");
            return false;
        }
        follower->tick_count++;
    }
    return true;
}

enum cli_follow
cli_follower_deeds(
    struct cli_follower *follower, const struct wire_heard_deeds *deeds, uint64_t *hash)
{
    *hash = 0;
    if (follower->world == NULL || deeds->generation != follower->generation) {
        return CLI_FOLLOW_GOOD; /* the image of a new generation is on its way */
    }
    if (!step_to(follower, deeds->tick)) {
        drop_world(follower);
        return CLI_FOLLOW_FAILED;
    }
    if (cn_world_tick(follower->world) != deeds->tick) {
        wire_error_set(&follower->error, "STATE", "deeds.tick", "is before the last one's");
        drop_world(follower);
        return CLI_FOLLOW_FAILED;
    }
    if (deeds->has_hash) {
        *hash = cn_world_hash(follower->world);
        bool is_equal = *hash == deeds->hash;
        follower->equal_count += is_equal ? 1 : 0;
        follower->differ_count += is_equal ? 0 : 1;
        if (!is_equal) {
            drop_world(follower);
            return CLI_FOLLOW_DIFFERS;
        }
    }
    follower->deed_bytes += deeds->deeds_size;
    if (!dd_apply_all(deeds->deeds, deeds->deeds_size, follower->world, &follower->error)) {
        drop_world(follower);
        return CLI_FOLLOW_FAILED;
    }
    return CLI_FOLLOW_GOOD;
}
