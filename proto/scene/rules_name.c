/* rules_name.c: names, numbers and attributes in the rules of a scene. */
#include "proto/scene/rules.h"

#include "engine/base/name.h"

#include <math.h>
#include <string.h>

/* ---- names ---- */

static bool
prefab_has_tag(const Cairn__V1__Prefab *prefab, const char *tag)
{
    for (size_t k = 0; k < prefab->n_bodies; k++) {
        for (size_t t = 0; t < prefab->bodies[k]->n_tags; t++) {
            if (strcmp(prefab->bodies[k]->tags[t], tag) == 0) {
                return true;
            }
        }
    }
    return false;
}

static bool
tag_exists(const struct wire_scene *scene, const char *tag)
{
    const Cairn__V1__Scene *message = scene->message;
    for (size_t i = 0; i < message->n_bodies; i++) {
        if (wire_scene_body_has_tag(scene, (int)i, tag)) {
            return true;
        }
    }
    for (size_t i = 0; i < message->n_prefabs; i++) {
        if (prefab_has_tag(message->prefabs[i], tag)) {
            return true;
        }
    }
    return false;
}

const Cairn__V1__Prefab *
scene_rule_prefab(const struct wire_scene *scene, const char *name)
{
    for (size_t i = 0; i < scene->message->n_prefabs; i++) {
        if (strcmp(scene->message->prefabs[i]->name, name) == 0) {
            return scene->message->prefabs[i];
        }
    }
    return NULL;
}

/* Whether an effect makes a body of this name: "NAME", or "NAME.BODY" of a group. */
static bool
is_spawned(const struct wire_scene *scene, const char *name)
{
    for (size_t i = 0; i < scene->message->n_rules; i++) {
        const Cairn__V1__Rule *rule = scene->message->rules[i];
        for (size_t k = 0; k < rule->n_do_; k++) {
            const Cairn__V1__RuleEffect *effect = rule->do_[k];
            if (effect->effect_case != CAIRN__V1__RULE_EFFECT__EFFECT_SPAWN) {
                continue;
            }
            const char *stem = effect->spawn->name;
            size_t size = strlen(stem);
            if (size > 0 && strncmp(stem, name, size) == 0 &&
                (name[size] == '\0' || name[size] == '.')) {
                return true;
            }
        }
    }
    return false;
}

enum cn_status
scene_rule_refuse(struct cn_defect *defect, const char *path, const char *text, const char *why)
{
    return cn_defect_set(defect, CN_REFERENCE, path, "is %s; %s", cn_quote(text).text, why);
}

enum cn_status
scene_rule_subject(const struct scene_rule_setting *setting, const char *path, const char *text,
    struct wire_subject *subject, struct cn_defect *defect)
{
    *subject = (struct wire_subject){.kind = WIRE_SUBJECT_NAME, .text = text};
    if (text[0] == '\0') {
        subject->kind = WIRE_SUBJECT_NONE;
        return CN_OK;
    }
    if (text[0] == '#') {
        *subject = (struct wire_subject){.kind = WIRE_SUBJECT_TAG, .text = text + 1};
        return tag_exists(setting->scene, text + 1)
                   ? CN_OK
                   : scene_rule_refuse(defect, path, text, "no body and no prefab has this tag");
    }
    if (strcmp(text, "$it") == 0) {
        subject->kind = WIRE_SUBJECT_IT;
        return setting->has_it ? CN_OK
                               : scene_rule_refuse(defect, path, text,
                                     "only rules with a sensor or a contact are about a body");
    }
    if (strcmp(text, "$other") == 0) {
        subject->kind = WIRE_SUBJECT_OTHER;
        return setting->has_other ? CN_OK
                                  : scene_rule_refuse(defect, path, text,
                                        "only rules with a sensor or a contact have another body");
    }
    if (strcmp(text, "$session") == 0) {
        subject->kind = WIRE_SUBJECT_SESSION;
        return setting->has_session
                   ? CN_OK
                   : scene_rule_refuse(defect, path, text,
                         "only rules with join have a session");
    }
    if (wire_scene_body_find(setting->scene, text) >= 0 || is_spawned(setting->scene, text)) {
        return CN_OK;
    }
    return scene_refuse_name(defect, path, text, "body", setting->scene->body_names,
        setting->scene->count.bodies);
}

/* A subject that has to name one body. */
enum cn_status
scene_rule_body(const struct scene_rule_setting *setting, const char *path, const char *text,
    struct wire_subject *subject, struct cn_defect *defect)
{
    CN_CHECK(scene_rule_subject(setting, path, text, subject, defect));
    if (subject->kind == WIRE_SUBJECT_NONE || subject->kind == WIRE_SUBJECT_SESSION) {
        return scene_rule_refuse(defect, path, text,
            "a body is needed: a name, \"#TAG\", \"$it\" or \"$other\"");
    }
    return CN_OK;
}

enum cn_status
scene_rule_attribute(const char *path, const char *text, char name[CN_ATTRIBUTE_NAME_SIZE],
    struct cn_defect *defect)
{
    size_t size = strlen(text);
    memset(name, 0, CN_ATTRIBUTE_NAME_SIZE);
    if (size < CN_ATTRIBUTE_NAME_SIZE) {
        memcpy(name, text, size);
    }
    if (!cn_attribute_name_is_good(name) || name[0] == '.') {
        return cn_defect_set(defect, CN_UNKNOWN, path,
            "is %s; a name has 1 to %d letters, digits, '.', '_' and '-', and no '.' first",
            cn_quote(text).text, CN_ATTRIBUTE_NAME_SIZE - 1);
    }
    return CN_OK;
}

/* ---- numbers ---- */

static cn_vec3
vector_of(const Cairn__V1__Vec3 *value)
{
    return value != NULL ? (cn_vec3){value->x, value->y, value->z} : (cn_vec3){0.0, 0.0, 0.0};
}

enum cn_status
scene_rule_finite(const char *path, double value, struct cn_defect *defect)
{
    return isfinite(value) ? CN_OK
                           : cn_defect_set(defect, CN_RANGE, path, "is not a finite number");
}

enum cn_status
scene_rule_vector(const struct wire_scene *scene, const char *path, const Cairn__V1__Vec3 *message,
    double most, cn_vec3 *value, struct cn_defect *defect)
{
    *value = vector_of(message);
    double length = sqrt(value->x * value->x + value->y * value->y + value->z * value->z);
    if (!(length <= most)) {
        return cn_defect_set(
            defect, CN_RANGE, path, "has length %g; at most %g is accepted", length, most);
    }
    if (scene->def.settings.dimension == CN_PLANAR && value->z != 0.0) {
        return cn_defect_set(defect, CN_DIMENSION, path,
            "has z = %g; in a PLANAR world z is 0", value->z);
    }
    return CN_OK;
}

enum cn_status
scene_rule_ticks(const struct wire_scene *scene, const char *path, double seconds,
    uint64_t *ticks, struct cn_defect *defect)
{
    if (!(seconds >= 0.0 && seconds <= WIRE_RULE_DURATION_MAX)) {
        return cn_defect_set(defect, CN_RANGE, path, "is %g; from 0 to %g s is accepted", seconds,
            WIRE_RULE_DURATION_MAX);
    }
    *ticks = (uint64_t)(seconds * scene->def.tick_rate + 0.5);
    *ticks = *ticks < 1 ? 1 : *ticks;
    return CN_OK;
}

enum cn_status
scene_rule_read_put(const struct wire_scene *scene, const struct scene_rule_put *message,
    struct wire_put *put, struct cn_defect *defect)
{
    const Cairn__V1__Quat *q = message->orientation;
    bool planar = scene->def.settings.dimension == CN_PLANAR;
    put->angle = message->angle;
    put->orientation = cn_quat_identity();
    CN_CHECK(scene_rule_vector(scene, "at", message->at, CN_COORDINATE_MAX, &put->at, defect));
    CN_CHECK(scene_rule_vector(
        scene, "velocity", message->velocity, CN_SPEED_MAX, &put->velocity, defect));
    if (planar ? q != NULL : put->angle != 0.0) {
        return cn_defect_set(defect, CN_DIMENSION, planar ? "orientation" : "angle",
            planar ? "is of SPATIAL worlds; in a PLANAR one an angle is given"
                   : "is of PLANAR worlds; in a SPATIAL one an orientation is given");
    }
    if (!(fabs(put->angle) <= CN_ANGLE_MAX)) {
        return cn_defect_set(defect, CN_RANGE, "angle", "is %g; from %g to %g rad is accepted",
            put->angle, -CN_ANGLE_MAX, CN_ANGLE_MAX);
    }
    if (q != NULL) {
        put->orientation = (cn_quat){q->w, q->x, q->y, q->z};
        double length = cn_quat_length(put->orientation);
        if (!(length >= 0.5 && length <= 2.0)) {
            return cn_defect_set(defect, CN_RANGE, "orientation",
                "has length %g; about 1 is accepted, from 0.5 to 2", length);
        }
    }
    return CN_OK;
}

/* Puts "NAME." before the path of a status that is not OK. */
enum cn_status
scene_rule_within(enum cn_status status, const char *name, struct cn_defect *defect)
{
    if (status != CN_OK) {
        bool is_inside = defect->path[0] != '\0' && defect->path[0] != '[';
        cn_defect_prefix(defect, "%s%s", name, is_inside ? "." : "");
    }
    return status;
}

