#include "proto/scene_live.h"

#include "engine/base/assert.h"
#include "engine/base/name.h"
#include "proto/scene/inside.h"
#include "proto/scene/spawn.h"
#include "proto/text/check.h"

#include "cairn/v1/world.pb-c.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_ROOM 48 /* "body1048575" */

/* ---- a change ---- */

/* Makes a scene for the same world, which takes the bodies and joints of the message. */
static Cairn__V1__Scene *
make_part(Cairn__V1__Change *change, const Cairn__V1__Scene *into)
{
    Cairn__V1__Scene *part = scene_part_begin(into);
    if (part == NULL) {
        return NULL;
    }
    part->bodies = change->bodies;
    part->n_bodies = change->n_bodies;
    part->joints = change->joints;
    part->n_joints = change->n_joints;
    change->bodies = NULL;
    change->joints = NULL;
    change->n_bodies = change->n_joints = 0;
    return part;
}

static enum cn_status
fill_change(struct wire_change *change, const struct wire_scene *into, struct cn_defect *defect)
{
    Cairn__V1__Change *message = change->message;
    enum cn_status status = wire_message_check(&message->base, defect);
    if (status != CN_OK) {
        return status;
    }
    if (message->n_bodies + message->n_joints + message->n_remove + message->n_remove_joints +
            message->n_spawns ==
        0) {
        return cn_defect_set(
            defect, CN_SYNTAX, "", "is empty; bodies, spawns, remove or removeJoints");
    }
    if (message->n_spawns > 0) {
        change->spawns = scene_spawns_expand(message, into, defect);
        if (change->spawns == NULL) {
            return defect->status;
        }
    }
    if (message->n_bodies == 0) {
        return message->n_joints == 0
                   ? CN_OK
                   : cn_defect_set(defect, CN_REFERENCE, "joints",
                         "are between bodies of the same change, and it makes none");
    }
    Cairn__V1__Scene *part = make_part(message, wire_scene_message(into));
    if (part == NULL) {
        return cn_defect_set(defect, CN_MEMORY, "", "no memory for a change");
    }
    struct wire_text_error error;
    change->part = wire_scene_adopt_into(part, into, &error);
    if (change->part == NULL) {
        *defect = error.defect;
        wire_change_locate(change, defect);
        return defect->status;
    }
    return change->spawns == NULL || scene_spawns_turn(change->spawns, change->part)
               ? CN_OK
               : cn_defect_set(defect, CN_MEMORY, "", "no memory for a change");
}

void
wire_change_locate(const struct wire_change *change, struct cn_defect *defect)
{
    if (change->spawns != NULL) {
        scene_spawns_locate(change->spawns, defect);
    }
}

struct wire_change *
wire_change_unpack(
    const uint8_t *bytes, size_t size, const struct wire_scene *into, struct cn_defect *defect)
{
    struct wire_change *change = calloc(1, sizeof(*change));
    if (change == NULL) {
        (void)cn_defect_set(defect, CN_MEMORY, "", "no memory for a change");
        return NULL;
    }
    change->bytes = malloc(size + 1);
    if (change->bytes == NULL) {
        (void)cn_defect_set(defect, CN_MEMORY, "", "no memory for a change");
        free(change);
        return NULL;
    }
    if (size > 0) {
        memcpy(change->bytes, bytes, size);
    }
    change->size = size;
    change->message = (Cairn__V1__Change *)scene_unpack(
        &cairn__v1__change__descriptor, bytes, size, "a change", defect);
    if (change->message == NULL) {
        wire_change_destroy(change);
        return NULL;
    }
    if (fill_change(change, into, defect) != CN_OK) {
        wire_change_destroy(change);
        return NULL;
    }
    return change;
}

void
wire_change_destroy(struct wire_change *change)
{
    if (change != NULL) {
        wire_scene_destroy(change->part);
        free(change->spawns);
        free(change->bytes);
        if (change->message != NULL) {
            cairn__v1__change__free_unpacked(change->message, NULL);
        }
        free(change);
    }
}

/* ---- names ---- */

static bool
is_named(const char *given, const char *word, size_t index, const char *name)
{
    char made[NAME_ROOM];
    snprintf(made, sizeof(made), "%s%zu", word, index);
    return strcmp(given[0] != '\0' ? given : made, name) == 0;
}

static int
find_body(const Cairn__V1__Scene *scene, const char *name)
{
    for (size_t i = 0; i < scene->n_bodies; i++) {
        const Cairn__V1__Body *body = scene->bodies[i];
        if (!body->absent && is_named(body->name, "body", i, name)) {
            return (int)i;
        }
    }
    return -1;
}

static int
find_joint(const Cairn__V1__Scene *scene, const char *name)
{
    for (size_t i = 0; i < scene->n_joints; i++) {
        const Cairn__V1__Joint *joint = scene->joints[i];
        if (joint->joint_case != CAIRN__V1__JOINT__JOINT__NOT_SET &&
            is_named(joint->name, "joint", i, name)) {
            return (int)i;
        }
    }
    return -1;
}

static enum cn_status
refuse_missing(struct cn_defect *defect, const char *list, size_t index, const char *name)
{
    char path[NAME_ROOM];
    snprintf(path, sizeof(path), "%s[%zu]", list, index);
    return cn_defect_set(
        defect, CN_REFERENCE, path, "is %s, and nothing there has that name", cn_quote(name).text);
}

void
wire_change_gone_counts(const struct wire_change *change, int *bodies, int *joints)
{
    *bodies = (int)change->message->n_remove;
    *joints = (int)change->message->n_remove_joints;
}

/* Refuses new names that a remaining body or joint already has. */
static enum cn_status
check_new_names(const struct wire_change *change, const Cairn__V1__Scene *scene, const int *gone,
    struct cn_defect *defect)
{
    const Cairn__V1__Scene *part = change->part != NULL ? wire_scene_message(change->part) : NULL;
    for (size_t i = 0; part != NULL && i < part->n_bodies; i++) {
        const char *name = part->bodies[i]->name;
        int there = name[0] != '\0' ? find_body(scene, name) : -1;
        bool goes = there < 0;
        for (size_t k = 0; k < change->message->n_remove; k++) {
            goes = goes || gone[k] == there;
        }
        if (!goes) {
            char path[NAME_ROOM];
            snprintf(path, sizeof(path), "bodies[%zu].name", i);
            return cn_defect_set(defect, CN_DUPLICATE, path, "is %s, the name of a body already",
                cn_quote(name).text);
        }
    }
    return CN_OK;
}

enum cn_status
wire_change_resolve(struct wire_change *change, const struct wire_scene *shown,
    int *gone_bodies, int *gone_joints, struct cn_defect *defect)
{
    const Cairn__V1__Change *message = change->message;
    const Cairn__V1__Scene *scene = wire_scene_message(shown);
    for (size_t i = 0; i < message->n_remove; i++) {
        gone_bodies[i] = find_body(scene, message->remove[i]);
        bool twice = false;
        for (size_t k = 0; k < i; k++) {
            twice = twice || gone_bodies[k] == gone_bodies[i];
        }
        if (gone_bodies[i] < 0 || twice) {
            return refuse_missing(defect, "remove", i, message->remove[i]);
        }
    }
    for (size_t i = 0; i < message->n_remove_joints; i++) {
        gone_joints[i] = find_joint(scene, message->remove_joints[i]);
        if (gone_joints[i] < 0) {
            return refuse_missing(defect, "removeJoints", i, message->remove_joints[i]);
        }
    }
    if (change->spawns != NULL && change->spawns->numbered_count > 0) {
        struct wire_scene *part = change->part;
        enum cn_status status = scene_spawns_name(change->spawns, message, part->message->bodies,
            part->message->n_bodies, part->message->joints, part->message->n_joints, shown, defect);
        if (status == CN_OK) {
            status = scene_name_all(part, defect);
        }
        if (status != CN_OK) {
            return status;
        }
    }
    return check_new_names(change, scene, gone_bodies, defect);
}

/* ---- the scene after a change ---- */

static Cairn__V1__Body *
absent_body(void)
{
    Cairn__V1__Body *body = malloc(sizeof(*body));
    if (body != NULL) {
        cairn__v1__body__init(body);
        body->type = CAIRN__V1__BODY__TYPE__STATIC;
        body->absent = true;
    }
    return body;
}

static Cairn__V1__Joint *
absent_joint(void)
{
    Cairn__V1__Joint *joint = malloc(sizeof(*joint));
    if (joint != NULL) {
        cairn__v1__joint__init(joint);
    }
    return joint;
}

/* A body without its own name is named after its slot, which differs in the world. */
static bool
rename_ends(Cairn__V1__Joint *joint, const struct wire_scene *part, const int *body_slots)
{
    char **ends[2];
    scene_joint_ends(joint, ends);
    for (int side = 0; side < 2; side++) {
        if (ends[side] == NULL || (*ends[side])[0] == '\0') {
            continue;
        }
        int place = wire_scene_body_find(part, *ends[side]);
        CN_ASSERT(place >= 0); /* the part has been read: its joints name its bodies */
        if (wire_scene_message(part)->bodies[place]->name[0] != '\0') {
            continue;
        }
        char *name = malloc(NAME_ROOM);
        if (name == NULL) {
            return false;
        }
        snprintf(name, NAME_ROOM, "body%d", body_slots[place]);
        free(*ends[side]);
        *ends[side] = name;
    }
    return true;
}

/* Enlarges the array to `count`; the new elements are empty. */
static bool
lengthen_array(void *array, size_t *length, size_t count)
{
    void ***place = array;
    if (count <= *length) {
        return true;
    }
    void **longer = realloc(*place, count * sizeof(*longer));
    if (longer == NULL) {
        return false;
    }
    *place = longer;
    memset(longer + *length, 0, (count - *length) * sizeof(*longer));
    *length = count;
    CN_ASSERT(*place != NULL);
    return true;
}

static bool
follow_bodies(Cairn__V1__Scene *scene, const struct cn_world *world, const struct wire_scene *part,
    const int *slots)
{
    int count = cn_world_body_count(world);
    if (!lengthen_array(&scene->bodies, &scene->n_bodies, (size_t)count)) {
        return false;
    }
    size_t made = part != NULL ? wire_scene_message(part)->n_bodies : 0;
    for (size_t k = 0; k < made; k++) {
        CN_ASSERT(slots[k] >= 0 && slots[k] < count);
        Cairn__V1__Body **place = &scene->bodies[slots[k]];
        if (*place != NULL) {
            cairn__v1__body__free_unpacked(*place, NULL);
        }
        *place = (Cairn__V1__Body *)scene_copy_message(&wire_scene_message(part)->bodies[k]->base);
    }
    for (int i = 0; i < count; i++) {
        struct cn_body_view view;
        cn_world_body_state(world, i, &view);
        if (view.absent && scene->bodies[i] != NULL && !scene->bodies[i]->absent) {
            cairn__v1__body__free_unpacked(scene->bodies[i], NULL);
            scene->bodies[i] = NULL;
        }
        scene->bodies[i] = scene->bodies[i] != NULL ? scene->bodies[i] : absent_body();
        if (scene->bodies[i] == NULL) {
            return false;
        }
    }
    return true;
}

static bool
follow_joints(Cairn__V1__Scene *scene, const struct cn_world *world, const struct wire_scene *part,
    const int *body_slots, const int *slots)
{
    int count = cn_world_joint_count(world);
    if (!lengthen_array(&scene->joints, &scene->n_joints, (size_t)count)) {
        return false;
    }
    size_t made = part != NULL ? wire_scene_message(part)->n_joints : 0;
    for (size_t k = 0; k < made; k++) {
        CN_ASSERT(slots[k] >= 0 && slots[k] < count);
        Cairn__V1__Joint **place = &scene->joints[slots[k]];
        if (*place != NULL) {
            cairn__v1__joint__free_unpacked(*place, NULL);
        }
        *place = (Cairn__V1__Joint *)scene_copy_message(&wire_scene_message(part)->joints[k]->base);
        if (*place == NULL || !rename_ends(*place, part, body_slots)) {
            return false;
        }
    }
    for (int i = 0; i < count; i++) {
        struct cn_joint_view view;
        cn_world_joint_state(world, i, &view);
        if (view.absent && scene->joints[i] != NULL) {
            cairn__v1__joint__free_unpacked(scene->joints[i], NULL);
            scene->joints[i] = NULL;
        }
        scene->joints[i] = scene->joints[i] != NULL ? scene->joints[i] : absent_joint();
        if (scene->joints[i] == NULL) {
            return false;
        }
    }
    return true;
}

/* Removes the springs and constant forces of removed bodies; a thruster loses its body's name. */
static void
follow_forces(Cairn__V1__Scene *scene)
{
    size_t kept = 0;
    for (size_t i = 0; i < scene->n_forces; i++) {
        Cairn__V1__Force *force = scene->forces[i];
        bool stays = true;
        if (force->force_case == CAIRN__V1__FORCE__FORCE_SPRING) {
            const Cairn__V1__Force__Spring *spring = force->spring;
            stays = find_body(scene, spring->body_b) >= 0 &&
                    (spring->body_a[0] == '\0' || find_body(scene, spring->body_a) >= 0);
        } else if (force->force_case == CAIRN__V1__FORCE__FORCE_THRUSTER &&
                   force->thruster->body[0] != '\0' &&
                   find_body(scene, force->thruster->body) < 0) {
            force->thruster->body[0] = '\0'; /* keeps the indices of actuators */
        } else if (force->force_case == CAIRN__V1__FORCE__FORCE_CONSTANT) {
            stays = find_body(scene, force->constant->body) >= 0;
        }
        if (stays) {
            scene->forces[kept++] = force;
        } else {
            cairn__v1__force__free_unpacked(force, NULL);
        }
    }
    CN_ASSERT(kept <= scene->n_forces);
    scene->n_forces = kept;
}

/* The code that frees the message must not see empty elements of an array. */
static void
close_gaps(Cairn__V1__Scene *scene)
{
    size_t kept = 0;
    for (size_t i = 0; i < scene->n_bodies; i++) {
        if (scene->bodies[i] != NULL) {
            scene->bodies[kept++] = scene->bodies[i];
        }
    }
    scene->n_bodies = kept;
    kept = 0;
    for (size_t i = 0; i < scene->n_joints; i++) {
        if (scene->joints[i] != NULL) {
            scene->joints[kept++] = scene->joints[i];
        }
    }
    CN_ASSERT(kept <= scene->n_joints);
    scene->n_joints = kept;
}

struct wire_scene *
wire_scene_follow(const struct wire_scene *shown, const struct cn_world *world,
    const struct wire_change *change, const int *body_slots, const int *joint_slots)
{
    struct wire_scene *scene = calloc(1, sizeof(*scene));
    if (scene == NULL) {
        return NULL;
    }
    scene->message = (Cairn__V1__Scene *)scene_copy_message(&wire_scene_message(shown)->base);
    if (scene->message == NULL) {
        free(scene);
        return NULL;
    }
    if (!scene_take_meshes(scene, shown) ||
        !follow_bodies(scene->message, world, change->part, body_slots) ||
        !follow_joints(scene->message, world, change->part, body_slots, joint_slots)) {
        close_gaps(scene->message);
        wire_scene_destroy(scene);
        return NULL;
    }
    CN_ASSERT(scene->message->n_bodies >= (size_t)cn_world_body_count(world));
    follow_forces(scene->message);
    if (!scene_name_slots(scene)) {
        wire_scene_destroy(scene);
        return NULL;
    }
    return scene;
}

struct wire_scene *
wire_scene_show(const uint8_t *bytes, size_t size, const struct wire_scene *from)
{
    struct wire_scene *scene = calloc(1, sizeof(*scene));
    if (scene == NULL) {
        return NULL;
    }
    scene->message = cairn__v1__scene__unpack(NULL, size, bytes);
    if (scene->message == NULL) {
        free(scene);
        return NULL;
    }
    const Cairn__V1__Scene *message = scene->message;
    bool has_meshes = message->n_meshes == 0 || message->n_meshes == (size_t)from->mesh_count;
    if (!has_meshes || !scene_take_meshes(scene, from) || !scene_check_shapes(scene) ||
        !scene_name_slots(scene)) {
        wire_scene_destroy(scene);
        return NULL;
    }
    return scene;
}

uint8_t *
wire_scene_pack(const struct wire_scene *scene, size_t *size)
{
    const ProtobufCMessage *message = &wire_scene_message(scene)->base;
    *size = protobuf_c_message_get_packed_size(message);
    uint8_t *bytes = malloc(*size + 1);
    if (bytes != NULL) {
        protobuf_c_message_pack(message, bytes);
    }
    return bytes;
}
