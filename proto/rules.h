/*
 * rules.h: the rules of a scene as plain values, checked when the scene was read.
 *
 * deed/rules runs them.  All texts are borrowed from the scene's message; bodies that a rule names
 * are looked up when it acts, because bodies come and go.
 */
#ifndef PROTO_RULES_H
#define PROTO_RULES_H

#include "engine/base/defect.h"
#include "engine/math/quat.h"
#include "engine/math/vec3.h"
#include "engine/model/attribute.h"

#include <stdbool.h>
#include <stdint.h>

struct wire_change;
struct wire_scene;

/* Which body, or whose attribute. */
enum wire_subject_kind {
    WIRE_SUBJECT_NONE,    /* no text: any body; the world; the origin */
    WIRE_SUBJECT_NAME,    /* the body of that name */
    WIRE_SUBJECT_TAG,     /* all bodies with the tag */
    WIRE_SUBJECT_IT,      /* the body that the rule is about */
    WIRE_SUBJECT_OTHER,   /* the body that it met */
    WIRE_SUBJECT_SESSION, /* the session that joined */
};

struct wire_subject {
    enum wire_subject_kind kind;
    const char *text; /* NAME, TAG: without '#' */
};

enum wire_when {
    WIRE_WHEN_SENSOR,
    WIRE_WHEN_CONTACT,
    WIRE_WHEN_TIMER,
    WIRE_WHEN_COUNTER,
    WIRE_WHEN_JOIN,
    WIRE_WHEN_LEAVE,
};

enum wire_is { WIRE_IS_ABOVE, WIRE_IS_BELOW, WIRE_IS_EQUAL, WIRE_IS_MORE_THAN };

struct wire_condition {
    struct wire_subject of;
    char attribute[CN_ATTRIBUTE_NAME_SIZE];
    enum wire_is is;
    double value;
    char than[CN_ATTRIBUTE_NAME_SIZE]; /* MORE_THAN: another attribute of the same owner */
};

enum wire_least { WIRE_LEAST_NOTHING, WIRE_LEAST_SPEED, WIRE_LEAST_FORCE };

enum wire_rule_effect_kind {
    WIRE_RULE_SPAWN,
    WIRE_RULE_REMOVE,
    WIRE_RULE_PLACE,
    WIRE_RULE_PUSH,
    WIRE_RULE_SET,
    WIRE_RULE_COUNT,
    WIRE_RULE_SAY,
    WIRE_RULE_END_ROUND,
};

/* Where a copy or a body is put. */
struct wire_put {
    struct wire_subject from; /* `at` is from the place of this body; NONE: from the origin */
    cn_vec3 at, velocity;     /* m, m/s */
    double angle;             /* planar [rad] */
    cn_quat orientation;      /* spatial */
};

struct wire_rule_effect {
    enum wire_rule_effect_kind kind;
    struct wire_subject body;   /* REMOVE, PLACE, PUSH; SET, COUNT: the owner */
    struct wire_put put;        /* SPAWN, PLACE */
    bool is_speed;              /* PUSH */
    cn_vec3 push;               /* PUSH [N s; m/s] */
    bool is_sum;                /* SET: `add` is added to the number */
    double add;
    int64_t by;                 /* COUNT */
    struct cn_attribute attribute; /* SET, COUNT: the name; SET, END_ROUND: the value, or NONE */
    uint64_t reset_ticks;       /* END_ROUND; 0: no reset */
    const char *prefab, *name;  /* SPAWN */
};

struct wire_rule {
    const char *name;
    enum wire_when when;
    struct wire_subject a, b; /* SENSOR: sensor and visitor; CONTACT: a and b */
    bool leave;               /* SENSOR */
    enum wire_least least;    /* CONTACT */
    double least_value;       /* m/s or N */
    uint64_t after_tick, every_ticks; /* TIMER; 0: only once */
    struct wire_condition counter;    /* COUNTER */
    const struct wire_condition *conditions;
    int condition_count;
    const struct wire_rule_effect *effects;
    int effect_count;
};

struct wire_spawner {
    const char *prefab;
    struct wire_put put;
    uint64_t every_ticks;
    int max;
};

struct wire_rules {
    const struct wire_rule *rules;
    int rule_count;
    const struct wire_spawner *spawners;
    int spawner_count;
};

/* NULL: the scene has neither rules nor spawners. */
const struct wire_rules *wire_scene_rules(const struct wire_scene *scene);

/* Whether the scene has a rule of that kind. */
bool wire_scene_has_rule(const struct wire_scene *scene, enum wire_when when);

/*
 * Changes that rules make of a scene as it is now: a copy of a prefab at an absolute place, and a
 * body less.  NULL with *defect filled.  An empty `name` is the prefab's and a number.
 */
struct wire_change *wire_rule_spawn(const struct wire_scene *shown, const char *prefab,
    const char *name, const struct wire_put *put, struct cn_defect *defect);
struct wire_change *wire_rule_remove(
    const struct wire_scene *shown, int body, struct cn_defect *defect);

#endif
