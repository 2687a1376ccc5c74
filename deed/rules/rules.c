#include "deed/rules/inside.h"

#include "deed/apply.h"
#include "engine/base/assert.h"
#include "engine/base/little_endian.h"

#include <stdlib.h>
#include <string.h>

static const struct cn_owner world_owner = {CN_OWNER_WORLD, 0};

#define STATE_BITS 9 /* the first byte of the bits of rules in .rules */

_Static_assert(DD_RULES_STATE_SIZE >= STATE_BITS + WIRE_RULES_MAX / 8, "a bit for each rule");
_Static_assert(DD_RULES_STATE_SIZE <= CN_ATTRIBUTE_VALUE_MAX, "it fits into an attribute");

/* ---- what rules remember ---- */

/* A scene with rules has the attribute from the start, and nobody else can change it. */
static void
read_state(const struct cn_world *engine, unsigned char state[DD_RULES_STATE_SIZE])
{
    const struct cn_attribute *attribute = cn_world_attribute(engine, world_owner, ".rules");
    memset(state, 0, DD_RULES_STATE_SIZE);
    if (attribute != NULL && attribute->value.size == DD_RULES_STATE_SIZE) {
        memcpy(state, attribute->value.bytes, DD_RULES_STATE_SIZE);
    }
}

static bool
write_state(struct run *run)
{
    unsigned char before[DD_RULES_STATE_SIZE];
    struct wire_error error;
    struct cn_attribute attribute = {.owner = world_owner,
        .name = ".rules",
        .value = {.kind = CN_VALUE_BYTES, .size = DD_RULES_STATE_SIZE}};
    read_state(run->engine, before);
    memcpy(attribute.value.bytes, run->rules->state, DD_RULES_STATE_SIZE);
    return memcmp(before, run->rules->state, DD_RULES_STATE_SIZE) == 0 ||
        dd_attribute_apply(&attribute, run->engine, &error);
}

static bool
has_ended(const struct run *run)
{
    return run->rules->state[0] != 0;
}

/* Whether a counter's condition has become true; remembers whether it holds. */
static bool
becomes_true(struct run *run, const struct wire_condition *condition)
{
    unsigned char *byte = &run->rules->state[STATE_BITS + run->rule / 8];
    unsigned char bit = (unsigned char)(1u << (run->rule % 8));
    bool held = (*byte & bit) != 0;
    bool holds = dd_rules_holds(run, condition);
    *byte = (unsigned char)(holds ? *byte | bit : *byte & ~bit);
    return holds && !held;
}

/* ---- whether a rule acts ---- */

static bool
is_due(const struct wire_rule *rule, uint64_t tick)
{
    if (rule->every_ticks == 0 || tick < rule->after_tick) {
        return tick == rule->after_tick;
    }
    return (tick - rule->after_tick) % rule->every_ticks == 0;
}

/* Whether the two bodies fit; fills the bodies that the rule is about. */
static bool
fits_pair(struct run *run, const struct wire_subject *it, const struct wire_subject *other,
    struct dd_rules_body first, struct dd_rules_body second)
{
    run->it = first;
    run->other = second;
    return dd_rules_body_fits(run, first, it) && dd_rules_body_fits(run, second, other);
}

static bool
fits_contact(struct run *run, const struct wire_rule *rule, const struct dd_rules_match *match)
{
    const struct dd_rules_body a = {match->a, match->a_generation};
    const struct dd_rules_body b = {match->b, match->b_generation};
    static const enum dd_rules_happening waits_for[] = {
        [WIRE_LEAST_NOTHING] = DD_RULES_CONTACT_BEGIN,
        [WIRE_LEAST_SPEED] = DD_RULES_CONTACT_HIT,
        [WIRE_LEAST_FORCE] = DD_RULES_CONTACT_FORCE,
    };
    if (match->what != waits_for[rule->least] ||
        (rule->least != WIRE_LEAST_NOTHING && match->value < rule->least_value)) {
        return false;
    }
    return fits_pair(run, &rule->a, &rule->b, a, b) || fits_pair(run, &rule->a, &rule->b, b, a);
}

static bool
fits_sensor(struct run *run, const struct wire_rule *rule, const struct dd_rules_match *match)
{
    const struct dd_rules_body sensor = {match->a, match->a_generation};
    const struct dd_rules_body visitor = {match->b, match->b_generation};
    return match->what == (rule->leave ? DD_RULES_SENSOR_END : DD_RULES_SENSOR_BEGIN) &&
        fits_pair(run, &rule->b, &rule->a, visitor, sensor);
}

/* Whether the match is what the rule waits for; fills what the rule then knows. */
static bool
fits(struct run *run, const struct wire_rule *rule, const struct dd_rules_match *match)
{
    run->it = run->other = (struct dd_rules_body){.slot = -1};
    run->session = match->session;
    switch (rule->when) {
    case WIRE_WHEN_SENSOR:
        return fits_sensor(run, rule, match);
    case WIRE_WHEN_CONTACT:
        return fits_contact(run, rule, match);
    case WIRE_WHEN_TIMER:
        return match->what == DD_RULES_TICK && is_due(rule, run->tick);
    case WIRE_WHEN_COUNTER:
        return match->what == DD_RULES_TICK && becomes_true(run, &rule->counter);
    case WIRE_WHEN_JOIN:
        return match->what == DD_RULES_JOINED;
    case WIRE_WHEN_LEAVE:
        return match->what == DD_RULES_LEFT;
    }
    CN_ASSERT(!"no kind of rule");
    return false;
}

static bool
conditions_hold(const struct run *run, const struct wire_rule *rule)
{
    for (int i = 0; i < rule->condition_count; i++) {
        if (!dd_rules_holds(run, &rule->conditions[i])) {
            return false;
        }
    }
    return true;
}

/* ---- acting ---- */

static bool
is_change(const struct wire_rule_effect *effect)
{
    return effect->kind == WIRE_RULE_SPAWN || effect->kind == WIRE_RULE_REMOVE;
}

/* Whether the tick has room for one more effect; counts it, or what is left out. */
static bool
take_room(struct dd_rules *rules, bool change)
{
    if (rules->action_count >= DD_RULES_ACTIONS_MAX ||
        (change && rules->change_count >= DD_RULES_CHANGES_MAX)) {
        rules->left_out_count++;
        return false;
    }
    rules->action_count++;
    rules->change_count += change ? 1 : 0;
    return true;
}

/* Notes what an effect has come to.  False: the step is to be called again, or given up. */
static bool
settle_effect(struct run *run, enum dd_rules_done done, bool change)
{
    struct dd_rules *rules = run->rules;
    if (done == DD_RULES_MEMORY) { /* it is tried again */
        rules->action_count--;
        rules->change_count -= change ? 1 : 0;
        return false;
    }
    if (done == DD_RULES_REFUSED) {
        dd_rules_tell(run, CN_EVENT_RULE_REFUSED, run->rule);
    }
    rules->is_lost = done == DD_RULES_LOST;
    return !rules->is_lost;
}

/* Whether the effect is on bodies, each of them a target. */
static bool
is_on_bodies(const struct wire_rule_effect *effect)
{
    enum wire_subject_kind of = effect->body.kind;
    bool sets = effect->kind == WIRE_RULE_SET || effect->kind == WIRE_RULE_COUNT;
    return effect->kind == WIRE_RULE_REMOVE || effect->kind == WIRE_RULE_PLACE ||
        effect->kind == WIRE_RULE_PUSH ||
        (sets && of != WIRE_SUBJECT_NONE && of != WIRE_SUBJECT_SESSION);
}

/* Does an effect to the one target that it has, or to each body of its subject. */
static bool
do_effect(struct run *run, const struct wire_rule_effect *effect)
{
    struct dd_rules *rules = run->rules;
    bool on_bodies = is_on_bodies(effect);
    bool change = is_change(effect);
    int slot = on_bodies ? dd_rules_next_body(run, &effect->body, rules->target) : -1;
    if (on_bodies && slot < 0 && rules->target == 0 && effect->body.kind != WIRE_SUBJECT_TAG) {
        dd_rules_tell(run, CN_EVENT_RULE_REFUSED, run->rule); /* the body is not there */
    }
    while (!on_bodies || slot >= 0) { /* bounded: slots ascend */
        if (take_room(rules, change) &&
            !settle_effect(run, dd_rules_act(run, effect, slot), change)) {
            return false;
        }
        rules->target = slot + 1;
        if (!on_bodies) {
            break;
        }
        slot = effect->body.kind == WIRE_SUBJECT_TAG
            ? dd_rules_next_body(run, &effect->body, rules->target)
            : -1;
    }
    rules->target = 0;
    return true;
}

/* Goes on with the effects of the rule that acts. */
static bool
do_effects(struct run *run, const struct wire_rule *rule)
{
    struct dd_rules *rules = run->rules;
    for (; rules->effect < rule->effect_count && !has_ended(run); rules->effect++) {
        if (!do_effect(run, &rule->effects[rules->effect])) {
            return false;
        }
    }
    rules->effect = 0;
    return true;
}

static bool
run_rule(struct run *run, const struct wire_rule *rule)
{
    struct dd_rules *rules = run->rules;
    for (; rules->match < rules->match_count && !has_ended(run); rules->match++) {
        const struct dd_rules_match *match = &rules->matches[rules->match];
        bool goes_on = rules->is_acting;
        if (goes_on) { /* memory was missing: what the rule knows is found again */
            run->it = rules->it;
            run->other = rules->other;
            run->session = match->session;
        } else if (!fits(run, rule, match) || !conditions_hold(run, rule)) {
            continue;
        }
        rules->is_acting = true;
        rules->it = run->it;
        rules->other = run->other;
        if (!do_effects(run, rule)) {
            return false;
        }
        rules->is_acting = false;
    }
    rules->match = 0;
    return true;
}

static bool
run_rules(struct run *run)
{
    struct dd_rules *rules = run->rules;
    for (; rules->rule < run->table->rule_count && !has_ended(run); rules->rule++) {
        run->rule = rules->rule;
        if (!run_rule(run, &run->table->rules[rules->rule])) {
            return false;
        }
    }
    return true;
}

/* ---- spawners ---- */

static int
count_made(const struct cn_world *engine, int spawner)
{
    const struct cn_attribute *attributes;
    int count = cn_world_attributes(engine, &attributes), made = 0;
    for (int i = 0; i < count; i++) {
        made += attributes[i].owner.kind == CN_OWNER_BODY &&
                strcmp(attributes[i].name, ".by") == 0 && attributes[i].value.integer == spawner
            ? 1
            : 0;
    }
    return made;
}

static bool
run_spawners(struct run *run)
{
    struct dd_rules *rules = run->rules;
    run->it = run->other = (struct dd_rules_body){.slot = -1};
    for (; rules->spawner < run->table->spawner_count; rules->spawner++) {
        const struct wire_spawner *spawner = &run->table->spawners[rules->spawner];
        run->rule = -1 - rules->spawner;
        if ((run->tick - 1) % spawner->every_ticks != 0 ||
            count_made(run->engine, rules->spawner) >= spawner->max || !take_room(rules, true)) {
            continue;
        }
        enum dd_rules_done done =
            dd_rules_spawn(run, spawner->prefab, "", &spawner->put, rules->spawner);
        if (!settle_effect(run, done, true)) {
            return false;
        }
    }
    return true;
}

/* ---- a tick ---- */

/* Sessions that have joined are known from now on, and those that have left are not. */
static bool
settle_notes(struct run *run)
{
    struct dd_rules *rules = run->rules;
    bool is_done = true;
    for (int i = 0; i < rules->match_count && is_done; i++) {
        const struct dd_rules_match *match = &rules->matches[i];
        bool is_left = match->what == DD_RULES_LEFT;
        if (is_left || match->what == DD_RULES_JOINED) {
            struct wire_error error;
            struct cn_attribute note = {.owner = {CN_OWNER_SESSION, match->session}};
            memcpy(note.name, is_left ? ".left" : ".joined", is_left ? 6 : 8);
            note.value = is_left ? note.value : cn_value_flag(false);
            is_done = dd_attribute_apply(&note, run->engine, &error);
        }
    }
    return is_done;
}

/* Begins the rules of a tick that the engine has done, unless they have begun. */
static bool
begin_rules(struct run *run)
{
    struct dd_rules *rules = run->rules;
    rules->is_pending = true;
    if (rules->is_collected) {
        return true;
    }
    if (!dd_rules_collect(run)) {
        return false;
    }
    read_state(run->engine, rules->state);
    rules->is_collected = true;
    rules->is_acting = false;
    rules->spawner = rules->rule = rules->match = rules->effect = rules->target = 0;
    rules->action_count = rules->change_count = 0;
    rules->left_out_count = rules->match_dropped;
    return true;
}

static void
end_rules(struct run *run)
{
    struct dd_rules *rules = run->rules;
    run->it = run->other = (struct dd_rules_body){.slot = -1};
    if (rules->left_out_count > 0) {
        dd_rules_tell(run, CN_EVENT_RULE_LIMIT, rules->left_out_count);
    }
    cn_world_events_close(run->engine);
    rules->is_pending = rules->is_collected = false;
}

enum cn_step_result
dd_rules_step(struct dd_rules *rules, struct cn_world *engine, const struct dd_rules_host *host,
    int64_t work)
{
    struct run run = {.rules = rules, .engine = engine, .host = host,
        .table = wire_scene_rules(host->scene)};
    if (!rules->is_pending) {
        enum cn_step_result result = cn_world_step(engine, work);
        if (result != CN_STEP_DONE || run.table == NULL) {
            return result;
        }
    }
    CN_ASSERT(run.table != NULL && !cn_world_is_mid_tick(engine));
    run.tick = cn_world_tick(engine);
    if (rules->is_lost || !begin_rules(&run)) {
        return CN_STEP_MEMORY;
    }
    bool is_done = has_ended(&run) || (run_spawners(&run) && run_rules(&run));
    if (!is_done || !settle_notes(&run) || !write_state(&run)) {
        return CN_STEP_MEMORY;
    }
    end_rules(&run);
    return CN_STEP_DONE;
}

void
dd_rules_finish(struct dd_rules *rules)
{
    free(rules->matches);
    *rules = (struct dd_rules){0};
}

/* ---- beside the ticks ---- */

bool
dd_rules_note(const struct wire_scene *scene, enum dd_entry_kind kind, uint64_t session,
    struct dd_entry *entry)
{
    CN_ASSERT(kind == DD_ENTRY_JOINED || kind == DD_ENTRY_LEFT);
    bool is_left = kind == DD_ENTRY_LEFT;
    *entry = (struct dd_entry){.kind = DD_ENTRY_ATTRIBUTE,
        .attribute = {
            .owner = {CN_OWNER_SESSION, session}, .value = cn_value_flag(true)}};
    memcpy(entry->attribute.name, is_left ? ".left" : ".joined", is_left ? 6 : 8);
    return wire_scene_has_rule(scene, WIRE_WHEN_LEAVE) ||
        (!is_left && wire_scene_has_rule(scene, WIRE_WHEN_JOIN));
}

bool
dd_rules_want_reset(const struct wire_scene *scene, const struct cn_world *engine)
{
    unsigned char state[DD_RULES_STATE_SIZE];
    if (wire_scene_rules(scene) == NULL) {
        return false;
    }
    read_state(engine, state);
    uint64_t tick = cn_get_u64(state + 1);
    return state[0] != 0 && tick > 0 && cn_world_tick(engine) >= tick;
}
