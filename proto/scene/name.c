/* name.c: checks the texts of a scene and resolves its names. */
#include "proto/scene/inside.h"

#include "engine/base/assert.h"
#include "engine/base/name.h"
#include "proto/json.h"
#include "proto/limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- texts ---- */

static bool
has_controls(const char *s, bool lines_allowed)
{
    for (; *s != '\0'; s++) {
        unsigned char c = (unsigned char)*s;
        bool is_line = c == '\n' && lines_allowed;
        if ((c < 0x20 && !is_line) || c == 0x7f) {
            return true;
        }
    }
    return false;
}

static enum cn_status
check_word(struct cn_defect *defect, const char *path, const char *word, size_t size_max)
{
    size_t size = strlen(word);
    if (size > size_max) {
        return cn_defect_set(
            defect, CN_LIMIT, path, "has %zu bytes; at most %zu are accepted", size, size_max);
    }
    if (has_controls(word, size_max == WIRE_DESCRIPTION_SIZE_MAX)) {
        return cn_defect_set(defect, CN_SYNTAX, path, "is %s; control characters are not accepted",
            cn_quote(word).text);
    }
    return CN_OK;
}

/* The scene's own name becomes a world's id, which is part of a URL. */
static enum cn_status
check_scene_name(struct cn_defect *defect, const char *name)
{
    static const char accepted[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
    if (strlen(name) > WIRE_NAME_SIZE_MAX || name[0] == '.' ||
        strspn(name, accepted) != strlen(name)) {
        return cn_defect_set(defect, CN_SYNTAX, "name",
            "is %s; a name is at most %d letters, digits, '-', '_' and '.', not '.' first",
            cn_quote(name).text, WIRE_NAME_SIZE_MAX);
    }
    return CN_OK;
}

static enum cn_status
check_color(struct cn_defect *defect, const char *color)
{
    bool is_color = strlen(color) == 7 && color[0] == '#' &&
                    strspn(color + 1, "0123456789abcdefABCDEF") == 6;
    if (color[0] != '\0' && !is_color) {
        return cn_defect_set(defect, CN_SYNTAX, "color", "is %s; a color is \"#rrggbb\"",
            cn_quote(color).text);
    }
    return CN_OK;
}

static enum cn_status
check_tags(const Cairn__V1__Body *body, struct cn_defect *defect)
{
    if (body->n_tags > WIRE_BODY_TAGS_MAX) {
        return cn_defect_set(defect, CN_LIMIT, "tags", "are %zu; at most %d are accepted",
            body->n_tags, WIRE_BODY_TAGS_MAX);
    }
    for (size_t i = 0; i < body->n_tags; i++) {
        enum cn_status status = check_word(defect, "", body->tags[i], WIRE_TAG_SIZE_MAX);
        if (status == CN_OK && body->tags[i][0] == '\0') {
            status = cn_defect_set(defect, CN_SYNTAX, "", "is empty; a tag has 1 to %d bytes",
                WIRE_TAG_SIZE_MAX);
        }
        if (status != CN_OK) {
            cn_defect_prefix(defect, "tags[%zu]", i);
            return status;
        }
    }
    return CN_OK;
}

static enum cn_status
check_body_words(const Cairn__V1__Body *body, struct cn_defect *defect)
{
    enum cn_status status = check_word(defect, "name", body->name, WIRE_NAME_SIZE_MAX);
    if (status == CN_OK) {
        status = check_color(defect, body->color);
    }
    return status == CN_OK ? check_tags(body, defect) : status;
}

static enum cn_status
check_force_words(const Cairn__V1__Force *force, struct cn_defect *defect)
{
    if (force->force_case != CAIRN__V1__FORCE__FORCE_THRUSTER) {
        return CN_OK;
    }
    const Cairn__V1__Force__Thruster *thruster = force->thruster;
    enum cn_status status = check_word(defect, "thruster.key", thruster->key, WIRE_KEY_SIZE_MAX);
    return status == CN_OK
               ? check_word(defect, "thruster.name", thruster->name, WIRE_NAME_SIZE_MAX)
               : status;
}

enum cn_status
scene_check_words(const Cairn__V1__Scene *message, struct cn_defect *defect)
{
    enum cn_status status = check_scene_name(defect, message->name);
    if (status == CN_OK) {
        status = check_word(defect, "title", message->title, WIRE_TITLE_SIZE_MAX);
    }
    if (status == CN_OK) {
        status =
            check_word(defect, "description", message->description, WIRE_DESCRIPTION_SIZE_MAX);
    }
    for (size_t i = 0; i < message->n_materials && status == CN_OK; i++) {
        status = check_word(defect, "name", message->materials[i]->name, WIRE_NAME_SIZE_MAX);
        if (status != CN_OK) {
            cn_defect_prefix(defect, "materials[%zu].", i);
        }
    }
    for (size_t i = 0; i < message->n_bodies && status == CN_OK; i++) {
        status = check_body_words(message->bodies[i], defect);
        if (status != CN_OK) {
            cn_defect_prefix(defect, "bodies[%zu].", i);
        }
    }
    for (size_t i = 0; i < message->n_forces && status == CN_OK; i++) {
        status = check_force_words(message->forces[i], defect);
        if (status != CN_OK) {
            cn_defect_prefix(defect, "forces[%zu].", i);
        }
    }
    for (size_t i = 0; i < message->n_joints && status == CN_OK; i++) {
        status = check_word(defect, "name", message->joints[i]->name, WIRE_NAME_SIZE_MAX);
        if (status != CN_OK) {
            cn_defect_prefix(defect, "joints[%zu].", i);
        }
    }
    for (size_t i = 0; i < message->n_meshes && status == CN_OK; i++) {
        status = check_word(defect, "name", message->meshes[i]->name, WIRE_NAME_SIZE_MAX);
        if (status != CN_OK) {
            cn_defect_prefix(defect, "meshes[%zu].", i);
        }
    }
    for (size_t i = 0; i < message->n_curves && status == CN_OK; i++) {
        status = check_word(defect, "name", message->curves[i]->name, WIRE_NAME_SIZE_MAX);
        if (status != CN_OK) {
            cn_defect_prefix(defect, "curves[%zu].", i);
        }
    }
    return status;
}

/* ---- names ---- */

static int
compare_names(const void *a, const void *b)
{
    const struct scene_name *left = a, *right = b;
    int order = strcmp(left->name, right->name);
    return order != 0 ? order : left->index - right->index;
}

static enum cn_status
sort_names(struct scene_name *order, const char *const *names, size_t count, const char *list,
    struct cn_defect *defect)
{
    for (size_t i = 0; i < count; i++) {
        order[i] = (struct scene_name){names[i], (int)i};
        CN_ASSERT(names[i] != NULL);
    }
    if (count > 1) {
        qsort(order, count, sizeof(order[0]), compare_names);
    }
    for (size_t i = 1; i < count; i++) {
        if (strcmp(order[i - 1].name, order[i].name) == 0) {
            char path[64];
            snprintf(path, sizeof(path), "%s[%d].name", list, order[i].index);
            return cn_defect_set(defect, CN_DUPLICATE, path, "is %s, the name of %s[%d] already",
                cn_quote(order[i].name).text, list, order[i - 1].index);
        }
    }
    return CN_OK;
}

/* The given name, or a default from the kind and the index: "body12". */
static const char *
give_name(const char *given, struct scene_default_name *made, const char *word, size_t index)
{
    snprintf(made->text, sizeof(made->text), "%s%zu", word, index);
    return given[0] != '\0' ? given : made->text;
}

enum cn_status
scene_name_all(struct wire_scene *scene, struct cn_defect *defect)
{
    const Cairn__V1__Scene *message = scene->message;
    struct scene_default_name *name = scene->default_names;
    for (size_t i = 0; i < message->n_bodies; i++) {
        scene->body_names[i] = give_name(message->bodies[i]->name, name++, "body", i);
    }
    for (size_t i = 0; i < message->n_materials; i++) {
        scene->material_names[i] = give_name(message->materials[i]->name, name++, "material", i);
    }
    for (size_t i = 0; i < message->n_joints; i++) {
        scene->joint_names[i] = give_name(message->joints[i]->name, name++, "joint", i);
    }
    for (size_t i = 0; i < message->n_curves; i++) {
        scene->curve_names[i] = give_name(message->curves[i]->name, name++, "curve", i);
    }
    CN_ASSERT((size_t)(name - scene->default_names) == message->n_bodies + message->n_materials +
              message->n_joints + message->n_curves);
    enum cn_status status = sort_names(
        scene->body_order, scene->body_names, message->n_bodies, "bodies", defect);
    if (status == CN_OK) {
        status = sort_names(scene->material_order, scene->material_names, message->n_materials,
            "materials", defect);
    }
    if (status == CN_OK) {
        status = sort_names(
            scene->joint_order, scene->joint_names, message->n_joints, "joints", defect);
    }
    return status == CN_OK ? sort_names(scene->curve_order, scene->curve_names, message->n_curves,
                                 "curves", defect)
                           : status;
}

bool
scene_name_slots(struct wire_scene *scene)
{
    CN_ASSERT(scene->block == NULL);
    const Cairn__V1__Scene *message = scene->message;
    size_t count = message->n_bodies + message->n_joints, unnamed_count = 0;
    for (size_t i = 0; i < message->n_bodies; i++) {
        unnamed_count += message->bodies[i]->name[0] == '\0';
    }
    for (size_t i = 0; i < message->n_joints; i++) {
        unnamed_count += message->joints[i]->name[0] == '\0';
    }
    size_t size = count * sizeof(char *) + unnamed_count * sizeof(struct scene_default_name);
    const char **names = malloc(size + 1);
    if (names == NULL) {
        return false;
    }
    struct scene_default_name *made = (struct scene_default_name *)(names + count);
    scene->block = names;
    scene->body_names = names;
    scene->joint_names = names + message->n_bodies;
    for (size_t i = 0; i < message->n_bodies; i++) {
        const char *given = message->bodies[i]->name;
        names[i] = given[0] != '\0' ? given : give_name(given, made++, "body", i);
    }
    for (size_t i = 0; i < message->n_joints; i++) {
        const char *given = message->joints[i]->name;
        scene->joint_names[i] = given[0] != '\0' ? given : give_name(given, made++, "joint", i);
    }
    CN_ASSERT((char *)made == (char *)names + size); /* each name has used its room */
    return true;
}

int
scene_name_find(const struct scene_name *order, size_t count, const char *name)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int side = strcmp(order[middle].name, name);
        if (side == 0) {
            return order[middle].index;
        }
        if (side < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    CN_ASSERT(low <= count);
    return -1;
}

enum cn_status
scene_refuse_name(struct cn_defect *defect, const char *path, const char *name, const char *kind,
    const char *const *names, size_t count)
{
    struct cn_nearest nearest;
    if (name[0] == '\0') {
        return cn_defect_set(defect, CN_REFERENCE, path, "is missing; it names a %s", kind);
    }
    cn_nearest_init(&nearest, name);
    for (size_t i = 0; i < count; i++) {
        cn_nearest_offer(&nearest, names[i]);
    }
    return cn_defect_set(defect, CN_REFERENCE, path, "is %s; no %s has that name%s",
        cn_quote(name).text, kind, cn_nearest_hint(&nearest).text);
}
