/* collect.c: what happened in a tick that rules may wait for. */
#include "deed/rules/inside.h"

#include "engine/base/assert.h"

#include <stdlib.h>
#include <string.h>

static bool
is_wanted(enum cn_event_kind kind, enum dd_rules_happening *what)
{
    switch (kind) {
    case CN_EVENT_SENSOR_BEGIN:
        *what = DD_RULES_SENSOR_BEGIN;
        return true;
    case CN_EVENT_SENSOR_END:
        *what = DD_RULES_SENSOR_END;
        return true;
    case CN_EVENT_CONTACT_BEGIN:
        *what = DD_RULES_CONTACT_BEGIN;
        return true;
    case CN_EVENT_CONTACT_HIT:
        *what = DD_RULES_CONTACT_HIT;
        return true;
    case CN_EVENT_CONTACT_FORCE:
        *what = DD_RULES_CONTACT_FORCE;
        return true;
    default:
        return false;
    }
}

static uint32_t
generation_of(const struct cn_world *engine, int32_t body)
{
    struct cn_body_view view = {0};
    if (body >= 0) {
        cn_world_body_state(engine, body, &view);
    }
    return view.generation;
}

static bool
is_note(const struct cn_attribute *attribute, enum dd_rules_happening *what)
{
    bool is_left = strcmp(attribute->name, ".left") == 0;
    *what = is_left ? DD_RULES_LEFT : DD_RULES_JOINED;
    return attribute->owner.kind == CN_OWNER_SESSION && attribute->value.flag &&
        (is_left || strcmp(attribute->name, ".joined") == 0);
}

static bool
make_room(struct dd_rules *rules, int count)
{
    if (count <= rules->match_capacity) {
        return true;
    }
    int capacity = count + count / 2 + 8;
    struct dd_rules_match *matches =
        realloc(rules->matches, (size_t)capacity * sizeof(*matches));
    if (matches == NULL) {
        return false;
    }
    rules->matches = matches;
    rules->match_capacity = capacity;
    return true;
}

static void
add_sessions(struct run *run)
{
    struct dd_rules *rules = run->rules;
    const struct cn_attribute *attributes;
    int count = cn_world_attributes(run->engine, &attributes);
    for (int i = 0; i < count; i++) {
        enum dd_rules_happening what;
        if (is_note(&attributes[i], &what)) {
            CN_ASSERT(rules->match_count < rules->match_capacity);
            rules->matches[rules->match_count++] = (struct dd_rules_match){
                .what = what, .a = -1, .b = -1, .session = attributes[i].owner.id};
        }
    }
}

static void
add_events(struct run *run, const struct cn_event *events, int count)
{
    struct dd_rules *rules = run->rules;
    for (int i = 0; i < count; i++) {
        enum dd_rules_happening what;
        if (!is_wanted(events[i].kind, &what)) {
            continue;
        }
        CN_ASSERT(rules->match_count < rules->match_capacity);
        rules->matches[rules->match_count++] = (struct dd_rules_match){.what = what,
            .a = events[i].body_a,
            .b = events[i].body_b,
            .a_generation = generation_of(run->engine, events[i].body_a),
            .b_generation = generation_of(run->engine, events[i].body_b),
            .value = events[i].value};
    }
}

static int
count_notes(const struct run *run)
{
    const struct cn_attribute *attributes;
    int count = cn_world_attributes(run->engine, &attributes);
    int notes = 0;
    for (int i = 0; i < count; i++) {
        enum dd_rules_happening what;
        notes += is_note(&attributes[i], &what) ? 1 : 0;
    }
    return notes;
}

/* The events that every engine has kept which repeats this tick (CN_EVENTS_RULES). */
static int
count_events(struct dd_rules *rules, const struct cn_world *engine, const struct cn_event **events)
{
    int count = cn_world_events_own(engine, events);
    rules->match_dropped = count > DD_RULES_MATCHES_MAX ? 1 : 0;
    return count < DD_RULES_MATCHES_MAX ? count : DD_RULES_MATCHES_MAX;
}

bool
dd_rules_collect(struct run *run)
{
    struct dd_rules *rules = run->rules;
    const struct cn_event *events;
    int event_count = count_events(rules, run->engine, &events);
    if (!make_room(rules, event_count + count_notes(run) + 1)) {
        return false;
    }
    rules->match_count = 0;
    rules->matches[rules->match_count++] =
        (struct dd_rules_match){.what = DD_RULES_TICK, .a = -1, .b = -1};
    add_sessions(run);
    add_events(run, events, event_count);
    return true;
}
