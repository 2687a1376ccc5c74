/* material_pair.c: the pairs of materials of a scene, as those of the definition. */
#include "proto/scene/inside.h"

#include "engine/base/assert.h"

/* Sets a value, and its bit, where the message has it. */
#define FILL(NAME, name, bit)                                                                      \
    if (from->name##_set_case == CAIRN__V1__MATERIAL_PAIR__##NAME##_SET_##NAME) {                  \
        pair->has |= (bit);                                                                        \
        pair->name = from->name;                                                                   \
    }

static void
fill_values(const Cairn__V1__MaterialPair *from, struct cn_material_pair *pair)
{
    FILL(FRICTION, friction, CN_PAIR_FRICTION)
    FILL(STATIC_FRICTION, static_friction, CN_PAIR_STATIC_FRICTION)
    FILL(RESTITUTION, restitution, CN_PAIR_RESTITUTION)
    FILL(ROLLING_FRICTION, rolling_friction, CN_PAIR_ROLLING)
    FILL(SPINNING_FRICTION, spinning_friction, CN_PAIR_SPINNING)
    const Cairn__V1__Vec3 *v = from->surface_velocity;
    if (v != NULL) {
        pair->has |= CN_PAIR_SURFACE;
        pair->surface_velocity = (cn_vec3){v->x, v->y, v->z};
    }
    pair->has |= from->ignore ? CN_PAIR_IGNORE : 0;
}

static enum cn_status
find_material(const struct wire_scene *scene, const char *path, const char *name, int32_t *material,
    struct cn_defect *defect)
{
    *material = 0;
    if (name[0] == '\0') {
        return CN_OK;
    }
    *material = scene_name_find(scene->material_order, scene->count.materials, name);
    return *material >= 0 ? CN_OK
                          : scene_refuse_name(defect, path, name, "material",
                                scene->material_names, scene->count.materials);
}

enum cn_status
scene_fill_material_pairs(struct wire_scene *scene, struct cn_defect *defect)
{
    CN_ASSERT(scene->count.material_pairs == scene->message->n_material_pairs);
    scene->def.material_pairs = scene->material_pairs;
    scene->def.material_pair_count = (int)scene->count.material_pairs;
    for (size_t i = 0; i < scene->count.material_pairs; i++) {
        const Cairn__V1__MaterialPair *from = scene->message->material_pairs[i];
        struct cn_material_pair *pair = &scene->material_pairs[i];
        fill_values(from, pair);
        enum cn_status status = find_material(scene, "a", from->a, &pair->a, defect);
        if (status == CN_OK) {
            status = find_material(scene, "b", from->b, &pair->b, defect);
        }
        if (status != CN_OK) {
            cn_defect_prefix(defect, "materialPairs[%zu].", i);
            return status;
        }
    }
    return CN_OK;
}
