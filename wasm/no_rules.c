/*
 * no_rules.c: stands for rules.c, proto/scene/rules.c and deed/rules in a module without rules,
 * which has refused a scene with rules before (small_scene.c).
 */
#include "wasm/inside.h"

#include "engine/base/assert.h"
#include "proto/scene/inside.h"

enum cn_status
scene_count_rules(
    const Cairn__V1__Scene *message, struct scene_counts *count, struct cn_defect *defect)
{
    (void)defect;
    CN_ASSERT(message->n_rules + message->n_spawns == 0);
    count->rules = count->spawners = 0;
    return CN_OK;
}

enum cn_status
scene_fill_rules(struct wire_scene *scene, struct cn_defect *defect)
{
    (void)defect;
    CN_ASSERT(scene->message->n_rules + scene->message->n_spawns == 0);
    return CN_OK;
}

bool
wa_step(struct cairn *cairn)
{
    return cn_world_step(cairn->world, CN_WORK_UNLIMITED) == CN_STEP_DONE;
}

bool
wa_go_back(struct cairn *cairn)
{
    (void)cairn;
    return true;
}

/* Without rules nothing asks for the names of bodies. */
bool
wa_show(struct cairn *cairn, const uint8_t *bytes, size_t size)
{
    (void)cairn;
    (void)bytes;
    (void)size;
    return true;
}

void
wa_forget_scenes(struct cairn *cairn)
{
    (void)cairn;
}
