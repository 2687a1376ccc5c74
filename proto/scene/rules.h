/*
 * rules.h: what the files of a scene's rules share (rules.c reads them).
 */
#ifndef PROTO_SCENE_RULES_H
#define PROTO_SCENE_RULES_H

#include "proto/rules.h"
#include "proto/scene/inside.h"

/* The subjects that a rule has when it acts, besides names and tags. */
struct scene_rule_setting {
    const struct wire_scene *scene;
    bool has_it, has_other, has_session;
};

/* rules_name.c: names.  A defect's path is `path`. */
const Cairn__V1__Prefab *scene_rule_prefab(const struct wire_scene *scene, const char *name);
CN_MUST_USE enum cn_status scene_rule_refuse(
    struct cn_defect *defect, const char *path, const char *text, const char *why);
CN_MUST_USE enum cn_status scene_rule_subject(const struct scene_rule_setting *setting,
    const char *path, const char *text, struct wire_subject *subject, struct cn_defect *defect);

/* The same for a subject that has to be bodies. */
CN_MUST_USE enum cn_status scene_rule_body(const struct scene_rule_setting *setting,
    const char *path, const char *text, struct wire_subject *subject, struct cn_defect *defect);
CN_MUST_USE enum cn_status scene_rule_attribute(const char *path, const char *text,
    char name[CN_ATTRIBUTE_NAME_SIZE], struct cn_defect *defect);

/* Numbers. */
CN_MUST_USE enum cn_status scene_rule_finite(
    const char *path, double value, struct cn_defect *defect);
CN_MUST_USE enum cn_status scene_rule_vector(const struct wire_scene *scene, const char *path,
    const Cairn__V1__Vec3 *message, double most, cn_vec3 *value, struct cn_defect *defect);

/* A duration in ticks, rounded, at least 1. */
CN_MUST_USE enum cn_status scene_rule_ticks(const struct wire_scene *scene, const char *path,
    double seconds, uint64_t *ticks, struct cn_defect *defect);

/* The fields that place and copy have in common; `from` is not touched. */
struct scene_rule_put {
    const Cairn__V1__Vec3 *at, *velocity;
    double angle;
    const Cairn__V1__Quat *orientation;
};
CN_MUST_USE enum cn_status scene_rule_read_put(const struct wire_scene *scene,
    const struct scene_rule_put *message, struct wire_put *put, struct cn_defect *defect);

/* Puts "NAME." before the path of a status that is not OK, and returns it. */
enum cn_status scene_rule_within(enum cn_status status, const char *name, struct cn_defect *defect);

/* rules_effect.c: reads and checks what a rule does. */
CN_MUST_USE enum cn_status scene_rule_effect(const struct scene_rule_setting *setting,
    const Cairn__V1__RuleEffect *message, struct wire_rule_effect *effect,
    struct cn_defect *defect);

#endif
