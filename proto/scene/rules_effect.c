/* rules_effect.c: reads and checks what a rule does. */
#include "proto/scene/rules.h"

#include <string.h>

static enum cn_status
read_spawn(const struct scene_rule_setting *setting,
    const Cairn__V1__RuleEffect__Spawn *message, struct wire_rule_effect *effect,
    struct cn_defect *defect)
{
    const struct scene_rule_put put = {.at = message->at, .angle = message->angle,
        .velocity = message->velocity, .orientation = message->orientation};
    effect->kind = WIRE_RULE_SPAWN;
    effect->prefab = message->prefab;
    effect->name = message->name;
    if (scene_rule_prefab(setting->scene, message->prefab) == NULL) {
        return scene_rule_refuse(defect, "prefab", message->prefab, "the scene has no such prefab");
    }
    if (strlen(message->name) > WIRE_PREFAB_NAME_SIZE_MAX) {
        return cn_defect_set(defect, CN_LIMIT, "name", "has %zu bytes; at most %d are accepted",
            strlen(message->name), WIRE_PREFAB_NAME_SIZE_MAX);
    }
    CN_CHECK(scene_rule_subject(setting, "from", message->from, &effect->put.from, defect));
    return scene_rule_read_put(setting->scene, &put, &effect->put, defect);
}

static enum cn_status
read_place(const struct scene_rule_setting *setting,
    const Cairn__V1__RuleEffect__Place *message, struct wire_rule_effect *effect,
    struct cn_defect *defect)
{
    const struct scene_rule_put put = {.at = message->at, .angle = message->angle,
        .velocity = message->velocity, .orientation = message->orientation};
    effect->kind = WIRE_RULE_PLACE;
    CN_CHECK(scene_rule_body(setting, "body", message->body, &effect->body, defect));
    CN_CHECK(scene_rule_subject(setting, "from", message->from, &effect->put.from, defect));
    return scene_rule_read_put(setting->scene, &put, &effect->put, defect);
}

static enum cn_status
read_push(const struct scene_rule_setting *setting, const Cairn__V1__RuleEffect__Push *message,
    struct wire_rule_effect *effect, struct cn_defect *defect)
{
    effect->kind = WIRE_RULE_PUSH;
    CN_CHECK(scene_rule_body(setting, "body", message->body, &effect->body, defect));
    if (message->by_case == CAIRN__V1__RULE_EFFECT__PUSH__BY__NOT_SET) {
        return cn_defect_set(
            defect, CN_SYNTAX, "", "has no push; one of impulse and speed is accepted");
    }
    effect->is_speed = message->by_case == CAIRN__V1__RULE_EFFECT__PUSH__BY_SPEED;
    return effect->is_speed ? scene_rule_vector(setting->scene, "speed", message->speed,
                                  CN_SPEED_MAX, &effect->push, defect)
                            : scene_rule_vector(setting->scene, "impulse", message->impulse,
                                  CN_FORCE_MAX, &effect->push, defect);
}

static enum cn_status
read_set(const struct scene_rule_setting *setting, const Cairn__V1__RuleEffect__Set *message,
    struct wire_rule_effect *effect, struct cn_defect *defect)
{
    struct cn_value *value = &effect->attribute.value;
    effect->kind = WIRE_RULE_SET;
    CN_CHECK(scene_rule_subject(setting, "of", message->of, &effect->body, defect));
    CN_CHECK(
        scene_rule_attribute("attribute", message->attribute, effect->attribute.name, defect));
    switch (message->to_case) {
    case CAIRN__V1__RULE_EFFECT__SET__TO_FLAG:
        *value = cn_value_flag(message->flag);
        break;
    case CAIRN__V1__RULE_EFFECT__SET__TO_INTEGER:
        *value = cn_value_integer(message->integer);
        break;
    case CAIRN__V1__RULE_EFFECT__SET__TO_NUMBER:
        *value = cn_value_number(message->number);
        break;
    case CAIRN__V1__RULE_EFFECT__SET__TO_TEXT:
        if (strlen(message->text) > CN_ATTRIBUTE_VALUE_MAX) {
            return cn_defect_set(defect, CN_LIMIT, "text",
                "has %zu bytes; at most %d are accepted", strlen(message->text),
                CN_ATTRIBUTE_VALUE_MAX);
        }
        *value = cn_value_text(message->text);
        break;
    case CAIRN__V1__RULE_EFFECT__SET__TO_ADD:
        effect->is_sum = true;
        effect->add = message->add;
        return scene_rule_finite("add", message->add, defect);
    case CAIRN__V1__RULE_EFFECT__SET__TO_REMOVED:
        break;
    default:
        return cn_defect_set(defect, CN_SYNTAX, "",
            "has no value; one of flag, integer, number, text, add and removed is accepted");
    }
    return cn_attribute_check(&effect->attribute, defect);
}

static enum cn_status
read_count(const struct scene_rule_setting *setting, const Cairn__V1__RuleEffect__Count *message,
    struct wire_rule_effect *effect, struct cn_defect *defect)
{
    effect->kind = WIRE_RULE_COUNT;
    effect->by = message->by != 0 ? message->by : 1;
    CN_CHECK(scene_rule_subject(setting, "of", message->of, &effect->body, defect));
    return scene_rule_attribute("attribute", message->attribute, effect->attribute.name, defect);
}

static enum cn_status
read_say(const Cairn__V1__RuleEffect__Say *message, struct wire_rule_effect *effect,
    struct cn_defect *defect)
{
    size_t size = strlen(message->text);
    effect->kind = WIRE_RULE_SAY;
    if (size == 0 || size > CN_ATTRIBUTE_VALUE_MAX) {
        return cn_defect_set(defect, CN_LIMIT, "text", "has %zu bytes; from 1 to %d are accepted",
            size, CN_ATTRIBUTE_VALUE_MAX);
    }
    return CN_OK;
}

static enum cn_status
read_end(const struct wire_scene *scene, const Cairn__V1__RuleEffect__EndRound *message,
    struct wire_rule_effect *effect, struct cn_defect *defect)
{
    effect->kind = WIRE_RULE_END_ROUND;
    if (strlen(message->result) > CN_ATTRIBUTE_VALUE_MAX) {
        return cn_defect_set(defect, CN_LIMIT, "result", "has %zu bytes; at most %d are accepted",
            strlen(message->result), CN_ATTRIBUTE_VALUE_MAX);
    }
    memcpy(effect->attribute.name, "result", sizeof("result"));
    effect->attribute.value = cn_value_text(message->result);
    if (message->reset_after != 0.0) {
        CN_CHECK(scene_rule_ticks(
            scene, "resetAfter", message->reset_after, &effect->reset_ticks, defect));
    }
    return cn_attribute_check(&effect->attribute, defect);
}

static enum cn_status
read_effect(const struct scene_rule_setting *setting, const Cairn__V1__RuleEffect *message,
    struct wire_rule_effect *effect, const char **name, struct cn_defect *defect)
{
    switch (message->effect_case) {
    case CAIRN__V1__RULE_EFFECT__EFFECT_SPAWN:
        *name = "spawn";
        return read_spawn(setting, message->spawn, effect, defect);
    case CAIRN__V1__RULE_EFFECT__EFFECT_REMOVE:
        *name = "remove";
        effect->kind = WIRE_RULE_REMOVE;
        return scene_rule_body(setting, "body", message->remove->body, &effect->body, defect);
    case CAIRN__V1__RULE_EFFECT__EFFECT_PLACE:
        *name = "place";
        return read_place(setting, message->place, effect, defect);
    case CAIRN__V1__RULE_EFFECT__EFFECT_PUSH:
        *name = "push";
        return read_push(setting, message->push, effect, defect);
    case CAIRN__V1__RULE_EFFECT__EFFECT_SET:
        *name = "set";
        return read_set(setting, message->set, effect, defect);
    case CAIRN__V1__RULE_EFFECT__EFFECT_COUNT:
        *name = "count";
        return read_count(setting, message->count, effect, defect);
    case CAIRN__V1__RULE_EFFECT__EFFECT_SAY:
        *name = "say";
        return read_say(message->say, effect, defect);
    case CAIRN__V1__RULE_EFFECT__EFFECT_END_ROUND:
        *name = "endRound";
        return read_end(setting->scene, message->end_round, effect, defect);
    default:
        *name = "";
        return cn_defect_set(defect, CN_SYNTAX, "",
            "is empty; one of spawn, remove, place, push, set, count, say and endRound is "
            "accepted");
    }
}

enum cn_status
scene_rule_effect(const struct scene_rule_setting *setting, const Cairn__V1__RuleEffect *message,
    struct wire_rule_effect *effect, struct cn_defect *defect)
{
    const char *name;
    enum cn_status status = read_effect(setting, message, effect, &name, defect);
    return name[0] != '\0' ? scene_rule_within(status, name, defect) : status;
}
