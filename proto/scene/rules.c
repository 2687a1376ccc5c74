/* rules.c: reads and checks the rules and spawners of a scene. */
#include "proto/scene/rules.h"

#include "engine/base/assert.h"
#include "engine/base/name.h"

#include <stdio.h>
#include <string.h>

#define PATH_SIZE 64

/* ---- counting ---- */

static enum cn_status
check_most(struct cn_defect *defect, const char *path, size_t count, size_t most)
{
    if (count > most) {
        return cn_defect_set(
            defect, CN_LIMIT, path, "has %zu entries; at most %zu are accepted", count, most);
    }
    return CN_OK;
}

enum cn_status
scene_count_rules(
    const Cairn__V1__Scene *message, struct scene_counts *count, struct cn_defect *defect)
{
    count->rules = message->n_rules;
    count->spawners = message->n_spawns;
    CN_CHECK(check_most(defect, "rules", message->n_rules, WIRE_RULES_MAX));
    CN_CHECK(check_most(defect, "spawns", message->n_spawns, WIRE_SPAWNERS_MAX));
    for (size_t i = 0; i < message->n_rules; i++) {
        char path[PATH_SIZE];
        const Cairn__V1__Rule *rule = message->rules[i];
        snprintf(path, sizeof(path), "rules[%zu].do", i);
        CN_CHECK(check_most(defect, path, rule->n_do_, WIRE_RULE_EFFECTS_MAX));
        snprintf(path, sizeof(path), "rules[%zu].if", i);
        CN_CHECK(check_most(defect, path, rule->n_if_, WIRE_RULE_CONDITIONS_MAX));
        count->rule_effects += rule->n_do_;
        count->rule_conditions += rule->n_if_;
    }
    return CN_OK;
}

/* ---- conditions ---- */

static enum cn_status
read_condition(const struct scene_rule_setting *setting, const Cairn__V1__Rule__Counter *message,
    struct wire_condition *condition, struct cn_defect *defect)
{
    CN_CHECK(scene_rule_subject(setting, "of", message->of, &condition->of, defect));
    if (condition->of.kind == WIRE_SUBJECT_TAG) {
        return scene_rule_refuse(defect, "of", message->of, "one owner is needed, not a tag");
    }
    CN_CHECK(scene_rule_attribute("attribute", message->attribute, condition->attribute, defect));
    switch (message->is_case) {
    case CAIRN__V1__RULE__COUNTER__IS_ABOVE:
        condition->is = WIRE_IS_ABOVE;
        condition->value = message->above;
        return scene_rule_finite("above", message->above, defect);
    case CAIRN__V1__RULE__COUNTER__IS_BELOW:
        condition->is = WIRE_IS_BELOW;
        condition->value = message->below;
        return scene_rule_finite("below", message->below, defect);
    case CAIRN__V1__RULE__COUNTER__IS_EQUAL:
        condition->is = WIRE_IS_EQUAL;
        condition->value = message->equal;
        return scene_rule_finite("equal", message->equal, defect);
    case CAIRN__V1__RULE__COUNTER__IS_MORE_THAN:
        condition->is = WIRE_IS_MORE_THAN;
        return scene_rule_attribute("moreThan", message->more_than, condition->than, defect);
    default:
        return cn_defect_set(defect, CN_SYNTAX, "",
            "compares with nothing; one of above, below, equal and moreThan is accepted");
    }
}

/* ---- triggers ---- */

static bool
has_sensor(const Cairn__V1__Body *body)
{
    for (size_t k = 0; k < body->n_shapes; k++) {
        if (body->shapes[k]->sensor) {
            return true;
        }
    }
    return false;
}

static enum cn_status
read_sensor(const struct scene_rule_setting *setting, const Cairn__V1__Rule__Sensor *message,
    struct wire_rule *rule, struct cn_defect *defect)
{
    rule->when = WIRE_WHEN_SENSOR;
    rule->leave = message->leave;
    CN_CHECK(scene_rule_body(setting, "sensor", message->sensor, &rule->a, defect));
    int body = rule->a.kind == WIRE_SUBJECT_NAME
                   ? wire_scene_body_find(setting->scene, message->sensor)
                   : -1;
    if (body >= 0 && !has_sensor(setting->scene->message->bodies[body])) {
        return scene_rule_refuse(
            defect, "sensor", message->sensor, "none of its shapes is a sensor");
    }
    return scene_rule_subject(setting, "visitor", message->visitor, &rule->b, defect);
}

static enum cn_status
read_contact(const struct scene_rule_setting *setting, const Cairn__V1__Rule__Contact *message,
    struct wire_rule *rule, struct cn_defect *defect)
{
    rule->when = WIRE_WHEN_CONTACT;
    if (message->least_case == CAIRN__V1__RULE__CONTACT__LEAST_SPEED_MIN) {
        rule->least = WIRE_LEAST_SPEED;
        rule->least_value = message->speed_min;
        if (!(rule->least_value >= 0.0 && rule->least_value <= CN_SPEED_MAX)) {
            return cn_defect_set(defect, CN_RANGE, "speedMin",
                "is %g; from 0 to %g m/s is accepted", rule->least_value, CN_SPEED_MAX);
        }
    } else if (message->least_case == CAIRN__V1__RULE__CONTACT__LEAST_FORCE_MIN) {
        rule->least = WIRE_LEAST_FORCE;
        rule->least_value = message->force_min;
        if (!(rule->least_value >= 0.0 && rule->least_value <= CN_FORCE_MAX)) {
            return cn_defect_set(defect, CN_RANGE, "forceMin",
                "is %g; from 0 to %g N is accepted", rule->least_value, CN_FORCE_MAX);
        }
    }
    CN_CHECK(scene_rule_subject(setting, "a", message->a, &rule->a, defect));
    return scene_rule_subject(setting, "b", message->b, &rule->b, defect);
}

static enum cn_status
read_timer(const struct scene_rule_setting *setting, const Cairn__V1__Rule__Timer *message,
    struct wire_rule *rule, struct cn_defect *defect)
{
    rule->when = WIRE_WHEN_TIMER;
    CN_CHECK(
        scene_rule_ticks(setting->scene, "after", message->after, &rule->after_tick, defect));
    return message->every != 0.0
        ? scene_rule_ticks(setting->scene, "every", message->every, &rule->every_ticks, defect)
        : CN_OK;
}

static enum cn_status
read_when(struct scene_rule_setting *setting, const Cairn__V1__Rule *message,
    struct wire_rule *rule, struct cn_defect *defect)
{
    switch (message->when_case) {
    case CAIRN__V1__RULE__WHEN_SENSOR:
        CN_CHECK(scene_rule_within(
            read_sensor(setting, message->sensor, rule, defect), "sensor", defect));
        setting->has_it = setting->has_other = true;
        return CN_OK;
    case CAIRN__V1__RULE__WHEN_CONTACT:
        CN_CHECK(scene_rule_within(
            read_contact(setting, message->contact, rule, defect), "contact", defect));
        setting->has_it = setting->has_other = true;
        return CN_OK;
    case CAIRN__V1__RULE__WHEN_TIMER:
        return scene_rule_within(
            read_timer(setting, message->timer, rule, defect), "timer", defect);
    case CAIRN__V1__RULE__WHEN_COUNTER:
        rule->when = WIRE_WHEN_COUNTER;
        return scene_rule_within(
            read_condition(setting, message->counter, &rule->counter, defect), "counter", defect);
    case CAIRN__V1__RULE__WHEN_JOIN:
        rule->when = WIRE_WHEN_JOIN;
        setting->has_session = true;
        return CN_OK;
    case CAIRN__V1__RULE__WHEN_LEAVE:
        rule->when = WIRE_WHEN_LEAVE;
        return CN_OK;
    default:
        return cn_defect_set(defect, CN_SYNTAX, "",
            "never acts; one of sensor, contact, timer, counter, join and leave is accepted");
    }
}

/* ---- all of them ---- */

static enum cn_status
check_name(const struct wire_scene *scene, size_t index, struct cn_defect *defect)
{
    const char *name = scene->message->rules[index]->name;
    char attribute[CN_ATTRIBUTE_NAME_SIZE];
    CN_CHECK(scene_rule_attribute("name", name, attribute, defect));
    for (size_t i = 0; i < index; i++) {
        if (strcmp(scene->message->rules[i]->name, name) == 0) {
            return cn_defect_set(defect, CN_DUPLICATE, "name", "is %s, like that of rules[%zu]",
                cn_quote(name).text, i);
        }
    }
    return CN_OK;
}

static enum cn_status
read_rule(struct wire_scene *scene, size_t index, struct wire_condition *conditions,
    struct wire_rule_effect *effects, struct cn_defect *defect)
{
    const Cairn__V1__Rule *message = scene->message->rules[index];
    struct wire_rule *rule = &scene->rule_rows[index];
    struct scene_rule_setting setting = {.scene = scene};
    char name[PATH_SIZE];
    CN_CHECK(check_name(scene, index, defect));
    rule->name = message->name;
    CN_CHECK(read_when(&setting, message, rule, defect));
    if (message->n_do_ == 0) {
        return cn_defect_set(defect, CN_SYNTAX, "do", "is empty; a rule has at least one effect");
    }
    for (size_t k = 0; k < message->n_if_; k++) {
        snprintf(name, sizeof(name), "if[%zu]", k);
        CN_CHECK(scene_rule_within(
            read_condition(&setting, message->if_[k], &conditions[k], defect), name, defect));
    }
    for (size_t k = 0; k < message->n_do_; k++) {
        snprintf(name, sizeof(name), "do[%zu]", k);
        CN_CHECK(scene_rule_within(
            scene_rule_effect(&setting, message->do_[k], &effects[k], defect), name, defect));
    }
    rule->conditions = conditions;
    rule->condition_count = (int)message->n_if_;
    rule->effects = effects;
    rule->effect_count = (int)message->n_do_;
    return CN_OK;
}

static enum cn_status
read_spawner(struct wire_scene *scene, size_t index, struct cn_defect *defect)
{
    const Cairn__V1__Spawner *message = scene->message->spawns[index];
    struct wire_spawner *spawner = &scene->spawners[index];
    spawner->prefab = message->prefab;
    const struct scene_rule_put put = {.at = message->at, .angle = message->angle,
        .velocity = message->velocity, .orientation = message->orientation};
    if (scene_rule_prefab(scene, message->prefab) == NULL) {
        return scene_rule_refuse(defect, "prefab", message->prefab, "the scene has no such prefab");
    }
    if (!(message->every > 0.0)) {
        return cn_defect_set(
            defect, CN_RANGE, "every", "is %g; it is above 0 s", message->every);
    }
    if (message->max > WIRE_SPAWNER_BODIES_MAX) {
        return cn_defect_set(defect, CN_LIMIT, "max", "is %u; at most %d are accepted",
            message->max, WIRE_SPAWNER_BODIES_MAX);
    }
    spawner->max = message->max > 0 ? (int)message->max : 1;
    CN_CHECK(scene_rule_read_put(scene, &put, &spawner->put, defect));
    return scene_rule_ticks(scene, "every", message->every, &spawner->every_ticks, defect);
}

enum cn_status
scene_fill_rules(struct wire_scene *scene, struct cn_defect *defect)
{
    struct wire_condition *conditions = scene->rule_conditions;
    struct wire_rule_effect *effects = scene->rule_effects;
    char name[PATH_SIZE];
    for (size_t i = 0; i < scene->count.spawners; i++) {
        snprintf(name, sizeof(name), "spawns[%zu]", i);
        CN_CHECK(scene_rule_within(read_spawner(scene, i, defect), name, defect));
    }
    for (size_t i = 0; i < scene->count.rules; i++) {
        snprintf(name, sizeof(name), "rules[%zu]", i);
        CN_CHECK(scene_rule_within(read_rule(scene, i, conditions, effects, defect), name, defect));
        conditions += scene->message->rules[i]->n_if_;
        effects += scene->message->rules[i]->n_do_;
    }
    CN_ASSERT(conditions == scene->rule_conditions + scene->count.rule_conditions);
    CN_ASSERT(effects == scene->rule_effects + scene->count.rule_effects);
    if (scene->count.rules + scene->count.spawners > 0 && scene->def.event_max < CN_EVENTS_RULES) {
        scene->def.event_max = CN_EVENTS_RULES;
    }
    scene->rules = (struct wire_rules){scene->rule_rows, (int)scene->count.rules,
        scene->spawners, (int)scene->count.spawners};
    return CN_OK;
}

const struct wire_rules *
wire_scene_rules(const struct wire_scene *scene)
{
    bool has_some = scene->rules.rule_count > 0 || scene->rules.spawner_count > 0;
    return has_some ? &scene->rules : NULL;
}

bool
wire_scene_has_rule(const struct wire_scene *scene, enum wire_when when)
{
    for (int i = 0; i < scene->rules.rule_count; i++) {
        if (scene->rules.rules[i].when == when) {
            return true;
        }
    }
    return false;
}
