/*
 * spawn.c: prefabs of a scene, and the bodies and joints that a change makes of them.
 *
 * A prefab is a group of bodies and joints in a frame of its own.  A spawn puts a copy of it at a
 * pose.  The copies are added to the bodies and joints of the change, and are checked, made and
 * shown like these.
 */
#include "proto/scene/spawn.h"

#include "engine/base/assert.h"
#include "engine/base/name.h"
#include "engine/math/quat.h"
#include "proto/scene/inside.h"
#include "proto/scene/spawn_inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEM_UNKNOWN "?" /* stands before a spawn's names until it has a name */

static bool
is_planar(const Cairn__V1__Scene *scene)
{
    return scene->world == NULL || scene->world->dimension == CAIRN__V1__WORLD__DIMENSION__PLANAR;
}

static const Cairn__V1__Prefab *
find_prefab(const Cairn__V1__Scene *scene, const char *name)
{
    for (size_t i = 0; i < scene->n_prefabs; i++) {
        if (strcmp(scene->prefabs[i]->name, name) == 0) {
            return scene->prefabs[i];
        }
    }
    return NULL;
}

static enum cn_status
refuse_prefab(const Cairn__V1__Scene *scene, const char *name, struct cn_defect *defect)
{
    struct cn_nearest nearest;
    if (name[0] == '\0') {
        return cn_defect_set(defect, CN_REFERENCE, "prefab", "is missing; it names a prefab");
    }
    cn_nearest_init(&nearest, name);
    for (size_t i = 0; i < scene->n_prefabs; i++) {
        cn_nearest_offer(&nearest, scene->prefabs[i]->name);
    }
    return cn_defect_set(defect, CN_REFERENCE, "prefab",
        "is %s; no prefab of the scene has that name%s", cn_quote(name).text,
        cn_nearest_hint(&nearest).text);
}

/* Adds the copies to the change; there is room for them. */
static bool
add_copies(Cairn__V1__Change *change, const Cairn__V1__Spawn *spawn,
    const Cairn__V1__Prefab *prefab, const struct spawn_frame *frame, const char *stem)
{
    bool done = true;
    size_t first = change->n_bodies;
    for (size_t i = 0; i < prefab->n_bodies && done; i++) {
        Cairn__V1__Body *body = (Cairn__V1__Body *)scene_copy_message(&prefab->bodies[i]->base);
        if (body == NULL) {
            return false;
        }
        change->bodies[change->n_bodies++] = body;
        done = spawn_put_body(frame, spawn, body) &&
               spawn_name_part(&body->name, stem, prefab->n_bodies, "body", i);
    }
    for (size_t i = 0; i < prefab->n_joints && done; i++) {
        Cairn__V1__Joint *joint = (Cairn__V1__Joint *)scene_copy_message(&prefab->joints[i]->base);
        if (joint == NULL) {
            return false;
        }
        change->joints[change->n_joints++] = joint;
        done = spawn_put_joint(frame, joint) &&
               spawn_name_ends(prefab, change->bodies + first, joint) &&
               spawn_name_part(&joint->name, stem, prefab->n_joints, "joint", i);
    }
    return done;
}

static enum cn_status
expand_one(struct scene_spawns *spawns, Cairn__V1__Change *change, size_t index,
    const Cairn__V1__Scene *into, struct cn_defect *defect)
{
    const Cairn__V1__Spawn *from = change->spawns[index];
    const Cairn__V1__Prefab *prefab = find_prefab(into, from->prefab);
    struct scene_spawn *spawn = &spawns->spawn[index];
    struct spawn_frame frame;
    CN_ASSERT(prefab != NULL); /* it was counted */
    if (strlen(from->name) > WIRE_NAME_SIZE_MAX) {
        return cn_defect_set(defect, CN_LIMIT, "name", "has %zu bytes; at most %d are accepted",
            strlen(from->name), WIRE_NAME_SIZE_MAX);
    }
    enum cn_status status = spawn_read_frame(from, is_planar(into), &frame, defect);
    if (status != CN_OK) {
        return status;
    }
    *spawn = (struct scene_spawn){
        .body_first = change->n_bodies,
        .body_count = prefab->n_bodies,
        .joint_first = change->n_joints,
        .joint_count = prefab->n_joints,
        .is_numbered = from->name[0] == '\0',
        .origin = frame.pose.position,
        .spin = spawn_vector(from->angular_velocity),
    };
    const char *stem = spawn->is_numbered ? STEM_UNKNOWN : from->name;
    snprintf(spawn->stem, sizeof(spawn->stem), "%s", stem);
    snprintf(spawn->prefab, sizeof(spawn->prefab), "%s", prefab->name);
    spawns->numbered_count += spawn->is_numbered ? 1 : 0;
    return add_copies(change, from, prefab, &frame, stem)
               ? CN_OK
               : cn_defect_set(defect, CN_MEMORY, "", "no memory for a change");
}

/* Counts what all spawns make, so that no message can ask for more than a world holds. */
static enum cn_status
count_spawns(const Cairn__V1__Change *change, const Cairn__V1__Scene *into, size_t *bodies,
    size_t *joints, struct cn_defect *defect)
{
    *bodies = change->n_bodies;
    *joints = change->n_joints;
    for (size_t i = 0; i < change->n_spawns; i++) {
        const Cairn__V1__Prefab *prefab = find_prefab(into, change->spawns[i]->prefab);
        enum cn_status status = CN_OK;
        if (prefab == NULL) {
            status = refuse_prefab(into, change->spawns[i]->prefab, defect);
        } else {
            *bodies += prefab->n_bodies;
            *joints += prefab->n_joints;
        }
        if (*bodies > WIRE_BODIES_MAX || *joints > WIRE_JOINTS_MAX) {
            status = cn_defect_set(defect, CN_LIMIT, "",
                "takes the change to %zu bodies and %zu joints; %d and %d are accepted", *bodies,
                *joints, WIRE_BODIES_MAX, WIRE_JOINTS_MAX);
        }
        if (status != CN_OK) {
            bool is_inside = defect->path[0] != '\0';
            cn_defect_prefix(defect, "spawns[%zu]%s", i, is_inside ? "." : "");
            return status;
        }
    }
    return CN_OK;
}

/* Enlarges an array of messages. */
static bool
make_room(void *array, size_t count)
{
    void ***place = array;
    void **longer = realloc(*place, (count + 1) * sizeof(*longer));
    if (longer == NULL) {
        return false;
    }
    *place = longer;
    return true;
}

struct scene_spawns *
scene_spawns_expand(
    struct Cairn__V1__Change *change, const struct wire_scene *into, struct cn_defect *defect)
{
    size_t bodies, joints;
    const Cairn__V1__Scene *scene = wire_scene_message(into);
    if (count_spawns(change, scene, &bodies, &joints, defect) != CN_OK) {
        return NULL;
    }
    size_t size = change->n_spawns * sizeof(struct scene_spawn);
    struct scene_spawns *spawns = calloc(1, sizeof(*spawns) + size);
    if (spawns == NULL || !make_room(&change->bodies, bodies) ||
        !make_room(&change->joints, joints)) {
        free(spawns);
        (void)cn_defect_set(defect, CN_MEMORY, "", "no memory for a change");
        return NULL;
    }
    spawns->count = change->n_spawns;
    spawns->own_bodies = change->n_bodies;
    spawns->own_joints = change->n_joints;
    for (size_t i = 0; i < change->n_spawns; i++) {
        if (expand_one(spawns, change, i, scene, defect) != CN_OK) {
            bool is_inside = defect->path[0] != '\0';
            cn_defect_prefix(defect, "spawns[%zu]%s", i, is_inside ? "." : "");
            free(spawns);
            return NULL;
        }
    }
    CN_ASSERT(change->n_bodies == bodies && change->n_joints == joints);
    if (scene_spawns_name(spawns, change, change->bodies, bodies, change->joints, joints, into,
            defect) != CN_OK) {
        free(spawns);
        return NULL;
    }
    return spawns;
}

bool
scene_spawns_turn(const struct scene_spawns *spawns, struct wire_scene *part)
{
    bool planar = is_planar(part->message);
    for (size_t k = 0; k < spawns->count; k++) {
        const struct scene_spawn *spawn = &spawns->spawn[k];
        cn_vec3 spin = planar ? cn_vec3_make(0.0, 0.0, spawn->spin.z) : spawn->spin;
        if (cn_vec3_dot(spin, spin) == 0.0) {
            continue;
        }
        for (size_t i = spawn->body_first; i < spawn->body_first + spawn->body_count; i++) {
            struct cn_body_def *def = &part->bodies[i];
            cn_vec3 center = def->center_of_mass;
            if (def->type == CN_STATIC) {
                continue;
            }
            if (def->type == CN_DYNAMIC) {
                center = cn_body_def_weigh(def, part->def.settings.dimension).center;
            }
            cn_quat turn =
                planar ? cn_quat_about_z(def->angle) : cn_quat_normalize(def->orientation);
            cn_mat33 rotation = cn_quat_to_mat33(turn);
            cn_vec3 arm = cn_vec3_sub(
                cn_vec3_add(def->position, cn_mat33_apply(&rotation, center)), spawn->origin);
            def->velocity = cn_vec3_add(def->velocity, cn_vec3_cross(spin, arm));
            if (!spawn_set_vector(&part->message->bodies[i]->velocity, def->velocity)) {
                return false;
            }
        }
    }
    return true;
}

void
scene_spawns_locate(const struct scene_spawns *spawns, struct cn_defect *defect)
{
    size_t index;
    int used = 0;
    bool is_body = sscanf(defect->path, "bodies[%zu]%n", &index, &used) == 1 && used > 0;
    bool is_joint =
        !is_body && sscanf(defect->path, "joints[%zu]%n", &index, &used) == 1 && used > 0;
    for (size_t k = 0; (is_body || is_joint) && k < spawns->count; k++) {
        const struct scene_spawn *spawn = &spawns->spawn[k];
        size_t first = is_body ? spawn->body_first : spawn->joint_first;
        size_t count = is_body ? spawn->body_count : spawn->joint_count;
        if (index >= first && index < first + count) {
            char rest[CN_DEFECT_PATH_SIZE];
            snprintf(rest, sizeof(rest), "%s", defect->path + used);
            defect->path[0] = '\0';
            cn_defect_prefix(defect, "spawns[%zu].%s[%zu]%.60s", k, is_body ? "bodies" : "joints",
                index - first, rest);
            return;
        }
    }
}
