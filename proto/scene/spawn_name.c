/*
 * spawn_name.c: the names of the bodies and joints that a spawn makes.
 *
 * They begin with the name of the spawn.  A spawn without a name gets the first free number of its
 * prefab.  That depends on the bodies that are there.  So names are given when the change is read,
 * and again when it is applied (scene_spawns_name).
 */
#include "proto/scene/spawn.h"

#include "engine/base/assert.h"
#include "proto/scene/inside.h"
#include "proto/scene/spawn_inside.h"
#include "proto/scene_live.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATH_SIZE 64

/* Replaces a text by a copy of `text`.  False without memory, and then nothing has changed. */
static bool
set_text(char **field, const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    if (copy == NULL) {
        return false;
    }
    memcpy(copy, text, size);
    if (*field != NULL && (const char *)*field != protobuf_c_empty_string) {
        free(*field);
    }
    *field = copy;
    return true;
}

/* "STEM" of a group of one, else "STEM.NAME", where NAME may be the word and the index. */
bool
spawn_name_part(char **field, const char *stem, size_t count, const char *word, size_t index)
{
    size_t size = strlen(stem) + strlen(*field) + WIRE_NAME_SIZE_MAX;
    char *name = malloc(size);
    if (name == NULL) {
        return false;
    }
    if (count == 1) {
        snprintf(name, size, "%s", stem);
    } else if ((*field)[0] != '\0') {
        snprintf(name, size, "%s.%s", stem, *field);
    } else {
        snprintf(name, size, "%s.%s%zu", stem, word, index);
    }
    bool done = set_text(field, name);
    free(name);
    return done;
}

/* Whether this is the name of the prefab's body, which may be "body" and its index. */
static bool
is_body_named(const Cairn__V1__Prefab *prefab, size_t index, const char *name)
{
    char made[PATH_SIZE];
    const char *given = prefab->bodies[index]->name;
    snprintf(made, sizeof(made), "body%zu", index);
    return strcmp(given[0] != '\0' ? given : made, name) == 0;
}

/* A joint's ends get the new names of the bodies that they name. */
bool
spawn_name_ends(
    const Cairn__V1__Prefab *prefab, Cairn__V1__Body *const *bodies, Cairn__V1__Joint *joint)
{
    char **ends[2];
    scene_joint_ends(joint, ends);
    for (int side = 0; side < 2; side++) {
        size_t i = 0;
        if (ends[side] == NULL || (*ends[side])[0] == '\0') {
            continue;
        }
        while (i < prefab->n_bodies && !is_body_named(prefab, i, *ends[side])) {
            i++;
        }
        CN_ASSERT(i < prefab->n_bodies); /* scene_check_prefabs has found it */
        if (!set_text(ends[side], bodies[i]->name)) {
            return false;
        }
    }
    return true;
}

/* Replaces the first `old_size` bytes of a text by the stem. */
static bool
replace_stem(char **field, size_t old_size, const char *stem)
{
    size_t size = strlen(stem) + strlen(*field) + 1;
    char *name = malloc(size);
    if (name == NULL) {
        return false;
    }
    CN_ASSERT(strlen(*field) >= old_size);
    snprintf(name, size, "%s%s", stem, *field + old_size);
    bool done = set_text(field, name);
    free(name);
    return done;
}

static bool
rename_spawn(struct scene_spawn *spawn, Cairn__V1__Body **bodies, Cairn__V1__Joint **joints,
    const char *stem)
{
    size_t old_size = strlen(spawn->stem);
    bool done = true;
    for (size_t i = 0; i < spawn->body_count; i++) {
        done = done && replace_stem(&bodies[spawn->body_first + i]->name, old_size, stem);
    }
    for (size_t i = 0; i < spawn->joint_count; i++) {
        Cairn__V1__Joint *joint = joints[spawn->joint_first + i];
        char **ends[2];
        scene_joint_ends(joint, ends);
        done = done && replace_stem(&joint->name, old_size, stem);
        for (int side = 0; side < 2; side++) {
            bool has_end = ends[side] != NULL && (*ends[side])[0] != '\0';
            done = done && (!has_end || replace_stem(ends[side], old_size, stem));
        }
    }
    snprintf(spawn->stem, sizeof(spawn->stem), "%s", stem);
    return done;
}

/* The names that are taken, sorted. */
struct taken {
    const char **body, **joint;
    size_t body_count, joint_count;
};

static int
compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool
is_taken(const char **names, size_t count, const char *name)
{
    return bsearch(&name, names, count, sizeof(*names), compare_texts) != NULL;
}

static bool
is_in(const char *const *texts, size_t count, const char *text)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(texts[i], text) == 0) {
            return true;
        }
    }
    return false;
}

/* Whether bodies and joints of a spawn could be called so. */
static bool
stem_is_free(const struct scene_spawn *spawn, Cairn__V1__Body *const *bodies,
    Cairn__V1__Joint *const *joints, const struct taken *taken, const char *stem)
{
    char name[2 * SCENE_STEM_SIZE + WIRE_NAME_SIZE_MAX];
    size_t old_size = strlen(spawn->stem);
    for (size_t i = 0; i < spawn->body_count; i++) {
        const char *own = bodies[spawn->body_first + i]->name;
        snprintf(name, sizeof(name), "%s%.*s", stem, WIRE_NAME_SIZE_MAX, own + old_size);
        if (is_taken(taken->body, taken->body_count, name)) {
            return false;
        }
    }
    for (size_t i = 0; i < spawn->joint_count; i++) {
        const char *own = joints[spawn->joint_first + i]->name;
        snprintf(name, sizeof(name), "%s%.*s", stem, WIRE_NAME_SIZE_MAX, own + old_size);
        if (is_taken(taken->joint, taken->joint_count, name)) {
            return false;
        }
    }
    return true;
}

/* Whether an earlier spawn of this change has got the stem. */
static bool
stem_is_used(const struct scene_spawns *spawns, size_t before, const char *stem)
{
    for (size_t i = 0; i < before; i++) {
        if (strcmp(spawns->spawn[i].stem, stem) == 0) {
            return true;
        }
    }
    return false;
}

/* The number from which on the prefab of spawns->spawn[index] may have free ones. */
static unsigned
first_number(const struct scene_spawns *spawns, size_t index)
{
    for (size_t i = index; i-- > 0;) {
        if (spawns->spawn[i].is_numbered &&
            strcmp(spawns->spawn[i].prefab, spawns->spawn[index].prefab) == 0) {
            return spawns->spawn[i].number + 1;
        }
    }
    return 1;
}

static void
collect_shown(struct taken *taken, const struct wire_scene *shown, char *const *gone_bodies,
    size_t gone_body_count, char *const *gone_joints, size_t gone_joint_count)
{
    const Cairn__V1__Scene *scene = wire_scene_message(shown);
    for (size_t i = 0; i < scene->n_bodies; i++) {
        const char *name = wire_scene_body_name(shown, (int)i);
        if (!scene->bodies[i]->absent &&
            !is_in((const char *const *)gone_bodies, gone_body_count, name)) {
            taken->body[taken->body_count++] = name;
        }
    }
    for (size_t i = 0; i < scene->n_joints; i++) {
        const char *name = wire_scene_joint_name(shown, (int)i);
        if (scene->joints[i]->joint_case != CAIRN__V1__JOINT__JOINT__NOT_SET &&
            !is_in((const char *const *)gone_joints, gone_joint_count, name)) {
            taken->joint[taken->joint_count++] = name;
        }
    }
}

/* Adds the names that the change itself gives. */
static void
collect_given(struct taken *taken, const struct scene_spawns *spawns,
    Cairn__V1__Body *const *bodies, Cairn__V1__Joint *const *joints)
{
    for (size_t i = 0; i < spawns->own_bodies; i++) {
        taken->body[taken->body_count++] = bodies[i]->name;
    }
    for (size_t i = 0; i < spawns->own_joints; i++) {
        taken->joint[taken->joint_count++] = joints[i]->name;
    }
    for (size_t k = 0; k < spawns->count; k++) {
        const struct scene_spawn *spawn = &spawns->spawn[k];
        for (size_t i = 0; !spawn->is_numbered && i < spawn->body_count; i++) {
            taken->body[taken->body_count++] = bodies[spawn->body_first + i]->name;
        }
        for (size_t i = 0; !spawn->is_numbered && i < spawn->joint_count; i++) {
            taken->joint[taken->joint_count++] = joints[spawn->joint_first + i]->name;
        }
    }
}

enum cn_status
scene_spawns_name(struct scene_spawns *spawns, const struct Cairn__V1__Change *change,
    Cairn__V1__Body **bodies, size_t body_count, Cairn__V1__Joint **joints, size_t joint_count,
    const struct wire_scene *shown, struct cn_defect *defect)
{
    if (spawns->numbered_count == 0) {
        return CN_OK;
    }
    const Cairn__V1__Scene *scene = wire_scene_message(shown);
    size_t most = scene->n_bodies + scene->n_joints + body_count + joint_count;
    struct taken taken = {.body = malloc((most + 1) * sizeof(char *))};
    if (taken.body == NULL) {
        return cn_defect_set(defect, CN_MEMORY, "", "no memory for a change");
    }
    taken.joint = taken.body + scene->n_bodies + body_count;
    collect_shown(&taken, shown, change->remove, change->n_remove, change->remove_joints,
        change->n_remove_joints);
    collect_given(&taken, spawns, bodies, joints);
    CN_ASSERT(taken.body_count + taken.joint_count <= most);
    qsort(taken.body, taken.body_count, sizeof(*taken.body), compare_texts);
    qsort(taken.joint, taken.joint_count, sizeof(*taken.joint), compare_texts);
    bool done = true;
    for (size_t k = 0; k < spawns->count && done; k++) {
        struct scene_spawn *spawn = &spawns->spawn[k];
        char stem[SCENE_STEM_SIZE];
        if (!spawn->is_numbered) {
            continue;
        }
        spawn->number = first_number(spawns, k);
        for (;; spawn->number++) { /* bounded by the number of names that are taken */
            snprintf(stem, sizeof(stem), "%s%u", spawn->prefab, spawn->number);
            if (stem_is_free(spawn, bodies, joints, &taken, stem) &&
                !stem_is_used(spawns, k, stem)) {
                break;
            }
        }
        done = rename_spawn(spawn, bodies, joints, stem);
    }
    free(taken.body);
    return done ? CN_OK : cn_defect_set(defect, CN_MEMORY, "", "no memory for a change");
}
