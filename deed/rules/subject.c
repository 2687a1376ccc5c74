/* subject.c: the bodies, owners and numbers that a rule names. */
#include "deed/rules/inside.h"

#include "engine/base/assert.h"

#include <string.h>

const struct wire_scene *
dd_rules_shown(const struct run *run)
{
    return run->host->shown(run->host->context);
}

bool
dd_rules_body_is(const struct run *run, struct dd_rules_body body)
{
    struct cn_body_view view;
    if (body.slot < 0 || body.slot >= cn_world_body_count(run->engine)) {
        return false;
    }
    cn_world_body_state(run->engine, body.slot, &view);
    return !view.absent && view.generation == body.generation;
}

static bool
is_named(const struct run *run, int slot, const char *name)
{
    struct cn_body_view view;
    if (strcmp(wire_scene_body_name(dd_rules_shown(run), slot), name) != 0) {
        return false;
    }
    cn_world_body_state(run->engine, slot, &view);
    return !view.absent;
}

/* Most bodies that rules name are in the scene from the start, in the same slot. */
static int
find_body(const struct run *run, const char *name)
{
    int count = cn_world_body_count(run->engine);
    int usual = wire_scene_body_find(run->host->scene, name);
    if (usual >= 0 && usual < count && is_named(run, usual, name)) {
        return usual;
    }
    for (int i = 0; i < count; i++) {
        if (is_named(run, i, name)) {
            return i;
        }
    }
    return -1;
}

bool
dd_rules_body_fits(
    const struct run *run, struct dd_rules_body body, const struct wire_subject *subject)
{
    if (!dd_rules_body_is(run, body)) {
        return false;
    }
    switch (subject->kind) {
    case WIRE_SUBJECT_NAME:
        return is_named(run, body.slot, subject->text);
    case WIRE_SUBJECT_TAG:
        return wire_scene_body_has_tag(dd_rules_shown(run), body.slot, subject->text);
    default:
        return subject->kind == WIRE_SUBJECT_NONE;
    }
}

static int
next_tagged(const struct run *run, const char *tag, int from)
{
    int count = cn_world_body_count(run->engine);
    for (int i = from; i < count; i++) {
        struct cn_body_view view;
        if (wire_scene_body_has_tag(dd_rules_shown(run), i, tag)) {
            cn_world_body_state(run->engine, i, &view);
            if (!view.absent) {
                return i;
            }
        }
    }
    return -1;
}

int
dd_rules_next_body(const struct run *run, const struct wire_subject *subject, int from)
{
    int slot = -1;
    switch (subject->kind) {
    case WIRE_SUBJECT_NAME:
        slot = find_body(run, subject->text);
        break;
    case WIRE_SUBJECT_TAG:
        return next_tagged(run, subject->text, from);
    case WIRE_SUBJECT_IT:
        slot = dd_rules_body_is(run, run->it) ? run->it.slot : -1;
        break;
    case WIRE_SUBJECT_OTHER:
        slot = dd_rules_body_is(run, run->other) ? run->other.slot : -1;
        break;
    case WIRE_SUBJECT_NONE:
    case WIRE_SUBJECT_SESSION:
        break;
    }
    return slot >= from ? slot : -1;
}

bool
dd_rules_owner(const struct run *run, const struct wire_subject *subject, struct cn_owner *owner)
{
    if (subject->kind == WIRE_SUBJECT_NONE) {
        *owner = (struct cn_owner){CN_OWNER_WORLD, 0};
        return true;
    }
    if (subject->kind == WIRE_SUBJECT_SESSION) {
        *owner = (struct cn_owner){CN_OWNER_SESSION, run->session};
        return run->session != 0;
    }
    int slot = dd_rules_next_body(run, subject, 0);
    if (slot < 0) {
        return false;
    }
    *owner = (struct cn_owner){CN_OWNER_BODY, (uint64_t)slot};
    return true;
}

double
dd_rules_number(const struct run *run, struct cn_owner owner, const char *name)
{
    const struct cn_attribute *attribute = cn_world_attribute(run->engine, owner, name);
    if (attribute == NULL) {
        return 0.0;
    }
    switch (attribute->value.kind) {
    case CN_VALUE_FLAG:
        return attribute->value.flag ? 1.0 : 0.0;
    case CN_VALUE_INTEGER:
        return (double)attribute->value.integer;
    case CN_VALUE_NUMBER:
        return attribute->value.number;
    default:
        return 0.0;
    }
}

bool
dd_rules_holds(const struct run *run, const struct wire_condition *condition)
{
    struct cn_owner owner;
    bool is_there = dd_rules_owner(run, &condition->of, &owner);
    double number = is_there ? dd_rules_number(run, owner, condition->attribute) : 0.0;
    switch (condition->is) {
    case WIRE_IS_ABOVE:
        return number > condition->value;
    case WIRE_IS_BELOW:
        return number < condition->value;
    case WIRE_IS_EQUAL:
        return number == condition->value;
    case WIRE_IS_MORE_THAN:
        return number > (is_there ? dd_rules_number(run, owner, condition->than) : 0.0);
    }
    CN_ASSERT(!"no kind of comparison");
    return false;
}
