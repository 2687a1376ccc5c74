/*
 * no_joints.c: stands for proto/scene/joint.c in a module without joints, which has refused a scene
 * with joints before (small_scene.c).
 */
#include "proto/scene/inside.h"

#include "engine/base/assert.h"

enum cn_status
scene_count_joints(
    const Cairn__V1__Scene *message, struct scene_counts *count, struct cn_defect *defect)
{
    (void)defect;
    CN_ASSERT(message->n_joints == 0 && message->n_curves == 0);
    count->joints = 0;
    count->curves = 0;
    return CN_OK;
}

enum cn_status
scene_fill_joints(struct wire_scene *scene, struct cn_defect *defect)
{
    (void)defect;
    CN_ASSERT(scene->message->n_joints == 0 && scene->message->n_curves == 0);
    return CN_OK;
}
