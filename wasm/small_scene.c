/*
 * small_scene.c: reads the scene of a world, in a module that lacks some kinds of bodies.
 *
 * Such a module has not the code of these kinds (wasm/build), and traps where it would be called.
 * So a scene that needs it is refused here, before anything else looks at the scene; a client then
 * loads a larger module.  No deed makes a scene unfit later: those that change bodies or joints are
 * refused (deed.c).
 */
#include "wasm/inside.h"

#include "proto/scene/inside.h"
#include "proto/text.h"

static enum cn_status
refuse(struct cn_defect *defect, const char *path, const char *text)
{
    return cn_defect_set(defect, CN_REFERENCE, path, "%s", text);
}

/* Whether a shape of the body needs the exact narrowphase. */
static bool
has_exact(const Cairn__V1__Body *body)
{
    for (size_t i = 0; i < body->n_shapes; i++) {
        if (body->shapes[i]->sensor || body->shapes[i]->one_way != NULL) {
            return true;
        }
    }
    return false;
}

static enum cn_status
check_bodies(Cairn__V1__Body *const *bodies, size_t count, struct cn_defect *defect)
{
    for (size_t i = 0; i < count; i++) {
        if (has_exact(bodies[i])) {
            return refuse(
                defect, "bodies", "have a sensor or a one-way shape; this module has none");
        }
    }
    return CN_OK;
}

/* A prefab is read like a scene of its own (proto/scene/read.c). */
static enum cn_status
check_prefab(const Cairn__V1__Prefab *prefab, struct cn_defect *defect)
{
#ifdef WASM_WITHOUT_JOINTS
    if (prefab->n_joints > 0) {
        return refuse(defect, "prefabs", "have joints; this module has none");
    }
#endif
    return check_bodies(prefab->bodies, prefab->n_bodies, defect);
}

static enum cn_status
check_needs(const Cairn__V1__Scene *scene, struct cn_defect *defect)
{
    bool is_spatial = scene->world != NULL &&
        scene->world->dimension == CAIRN__V1__WORLD__DIMENSION__SPATIAL;
#ifdef CN_WITHOUT_SPATIAL
    if (is_spatial) {
        return refuse(defect, "world.dimension", "is SPATIAL; this module has planar worlds");
    }
#else
    if (!is_spatial) {
        return refuse(defect, "world.dimension", "is PLANAR; this module has spatial worlds");
    }
#endif
    if (scene->n_meshes > 0) {
        return refuse(defect, "meshes", "are there; this module has none");
    }
    if (scene->n_rules + scene->n_spawns > 0) {
        return refuse(defect, "rules", "or spawns are there; this module has none");
    }
#ifdef WASM_WITHOUT_JOINTS
    if (scene->n_joints > 0 || scene->n_curves > 0) {
        return refuse(defect, scene->n_joints > 0 ? "joints" : "curves",
            "are there; this module has none");
    }
#endif
    enum cn_status status = check_bodies(scene->bodies, scene->n_bodies, defect);
    for (size_t i = 0; i < scene->n_prefabs && status == CN_OK; i++) {
        status = check_prefab(scene->prefabs[i], defect);
    }
    return status;
}

struct wire_scene *
wa_scene_read(const uint8_t *bytes, size_t size, struct wire_text_error *error)
{
    *error = (struct wire_text_error){0};
    ProtobufCMessage *message =
        scene_unpack(&cairn__v1__scene__descriptor, bytes, size, "a scene", &error->defect);
    if (message == NULL) {
        return NULL;
    }
    Cairn__V1__Scene *scene = (Cairn__V1__Scene *)message;
    if (check_needs(scene, &error->defect) != CN_OK) {
        wire_text_free(message);
        return NULL;
    }
    return wire_scene_adopt(scene, error);
}
