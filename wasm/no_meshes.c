/*
 * no_meshes.c: stands for proto/scene/mesh.c in a module without meshes, which has refused a scene
 * with meshes before (small_scene.c).
 */
#include "proto/scene/inside.h"

#include "engine/base/assert.h"

enum cn_status
scene_make_meshes(
    struct wire_scene *scene, const struct wire_mesh_tools *tools, struct cn_defect *defect)
{
    (void)tools;
    (void)defect;
    CN_ASSERT(scene->message->n_meshes == 0);
    return CN_OK;
}

void
scene_drop_meshes(struct wire_scene *scene)
{
    (void)scene;
}

enum cn_status
scene_find_mesh(const struct wire_scene *scene, const Cairn__V1__Shape *shape,
    struct cn_shape_def *def, struct cn_defect *defect)
{
    (void)scene;
    (void)shape;
    (void)def;
    return cn_defect_set(defect, CN_REFERENCE, "mesh", "is named; this module has no meshes");
}
