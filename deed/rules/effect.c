/* effect.c: what rules do to bodies and attributes. */
#include "deed/rules/inside.h"

#include "deed/apply.h"
#include "engine/base/assert.h"
#include "engine/base/little_endian.h"
#include "engine/math/quat.h"

#include <math.h>
#include <string.h>

void
dd_rules_tell(struct run *run, enum cn_event_kind kind, double value)
{
    const struct cn_event event = {
        .kind = kind, .body_a = run->it.slot, .body_b = run->other.slot, .value = value};
    cn_world_events_note(run->engine, &event);
}

static enum dd_rules_done
refused(const struct wire_error *error)
{
    return strcmp(error->code, "MEMORY") == 0 ? DD_RULES_MEMORY : DD_RULES_REFUSED;
}

/* ---- bodies come and go ---- */

static bool
makes_one_body(const struct wire_change *change)
{
    const struct cn_world_def *def = wire_scene_world_def(change->part);
    return def->body_count == 1 && def->joint_count == 0 && def->attribute_count == 0;
}

/* Makes the change and shows it.  *first: the slot of the first body that it made. */
static enum dd_rules_done
change_bodies(struct run *run, struct wire_change *change_take, const struct cn_defect *defect,
    int *first)
{
    struct wire_error error;
    struct dd_slots slots;
    bool is_touched;
    *first = -1;
    if (change_take == NULL) {
        return defect->status == CN_MEMORY ? DD_RULES_MEMORY : DD_RULES_REFUSED;
    }
    if (!dd_change_apply(
            change_take, dd_rules_shown(run), run->engine, &slots, &is_touched, &error)) {
        /* Slots that were taken and given back have new generations; a replay would not. */
        bool may_retry = !is_touched || makes_one_body(change_take);
        enum dd_rules_done done = refused(&error);
        wire_change_destroy(change_take);
        return done == DD_RULES_MEMORY && !may_retry ? DD_RULES_LOST : done;
    }
    *first = slots.body_count > 0 ? slots.body[0] : -1;
    bool is_shown = run->host->show(run->host->context, change_take, &slots);
    dd_slots_finish(&slots);
    wire_change_destroy(change_take);
    return is_shown ? DD_RULES_DONE : DD_RULES_LOST;
}

static enum dd_rules_done
remove_body(struct run *run, int slot)
{
    struct cn_defect defect = {.status = CN_OK};
    int none;
    return change_bodies(
        run, wire_rule_remove(dd_rules_shown(run), slot, &defect), &defect, &none);
}

/* The place in the world.  False: the body that it is from is not there. */
static bool
put_from(const struct run *run, const struct wire_put *put, struct wire_put *absolute)
{
    *absolute = *put;
    if (put->from.kind == WIRE_SUBJECT_NONE) {
        return true;
    }
    struct cn_body_view view;
    int slot = dd_rules_next_body(run, &put->from, 0);
    if (slot < 0) {
        return false;
    }
    cn_world_body_state(run->engine, slot, &view);
    absolute->at = cn_vec3_add(view.position, put->at);
    return true;
}

static enum dd_rules_done
set_attribute(struct run *run, const struct cn_attribute *attribute)
{
    struct wire_error error;
    return dd_attribute_apply(attribute, run->engine, &error) ? DD_RULES_DONE : refused(&error);
}

enum dd_rules_done
dd_rules_spawn(struct run *run, const char *prefab, const char *name, const struct wire_put *put,
    int spawner)
{
    struct cn_defect defect = {.status = CN_OK};
    struct wire_put absolute;
    int first;
    if (!put_from(run, put, &absolute)) {
        return DD_RULES_REFUSED;
    }
    enum dd_rules_done done = change_bodies(run,
        wire_rule_spawn(dd_rules_shown(run), prefab, name, &absolute, &defect), &defect, &first);
    if (done != DD_RULES_DONE || spawner < 0) {
        return done;
    }
    CN_ASSERT(first >= 0); /* a prefab has a body */
    const struct cn_attribute by = {.owner = {CN_OWNER_BODY, (uint64_t)first},
        .name = ".by",
        .value = cn_value_integer(spawner)};
    if (set_attribute(run, &by) == DD_RULES_DONE) {
        return DD_RULES_DONE;
    }
    done = remove_body(run, first); /* it would not be counted */
    return done == DD_RULES_DONE ? DD_RULES_REFUSED : DD_RULES_LOST;
}

/* ---- commands ---- */

static enum dd_rules_done
command(struct run *run, const struct cn_command *command)
{
    struct wire_error error;
    return dd_command_apply(command, run->engine, &error) ? DD_RULES_DONE : refused(&error);
}

static enum dd_rules_done
place_body(struct run *run, const struct wire_put *put, int slot)
{
    struct wire_put absolute;
    if (!put_from(run, put, &absolute)) {
        return DD_RULES_REFUSED;
    }
    const struct cn_command place = {.kind = CN_COMMAND_PLACE_BODY,
        .place_body = {.body = slot,
            .position = absolute.at,
            .angle = absolute.angle,
            .orientation = absolute.orientation,
            .velocity = absolute.velocity}};
    return command(run, &place);
}

static enum dd_rules_done
push_body(struct run *run, const struct wire_rule_effect *effect, int slot)
{
    struct cn_body_view view;
    cn_world_body_state(run->engine, slot, &view);
    if (view.type != CN_DYNAMIC || !(view.mass > 0.0)) {
        return DD_RULES_REFUSED;
    }
    double factor = effect->is_speed ? 1.0 : 1.0 / view.mass;
    const struct cn_command push = {.kind = CN_COMMAND_SET_VELOCITY,
        .set_velocity = {.body = slot,
            .velocity = cn_vec3_add(view.velocity, cn_vec3_scale(effect->push, factor)),
            .angular_velocity = view.angular_velocity}};
    return command(run, &push);
}

/* ---- attributes ---- */

/* The integer after `by` is added; it stops at the largest and the smallest one. */
static int64_t
add_integer(int64_t value, int64_t by)
{
    if (by > 0 && value > INT64_MAX - by) {
        return INT64_MAX;
    }
    if (by < 0 && value < INT64_MIN - by) {
        return INT64_MIN;
    }
    return value + by;
}

static void
count_attribute(
    const struct run *run, const struct wire_rule_effect *effect, struct cn_attribute *attribute)
{
    const struct cn_attribute *there =
        cn_world_attribute(run->engine, attribute->owner, attribute->name);
    bool is_number = there != NULL && there->value.kind == CN_VALUE_NUMBER;
    bool is_integer = there != NULL && there->value.kind == CN_VALUE_INTEGER;
    attribute->value = is_number
        ? cn_value_number(there->value.number + (double)effect->by)
        : cn_value_integer(add_integer(is_integer ? there->value.integer : 0, effect->by));
}

static enum dd_rules_done
set_owner(struct run *run, const struct wire_rule_effect *effect, struct cn_owner owner)
{
    struct cn_attribute attribute = effect->attribute;
    attribute.owner = owner;
    if (effect->kind == WIRE_RULE_COUNT) {
        count_attribute(run, effect, &attribute);
    } else if (effect->is_sum) {
        double sum = dd_rules_number(run, owner, attribute.name) + effect->add;
        if (!isfinite(sum)) {
            return DD_RULES_REFUSED;
        }
        attribute.value = cn_value_number(sum);
    }
    return set_attribute(run, &attribute);
}

static enum dd_rules_done
set_subject(struct run *run, const struct wire_rule_effect *effect, int slot)
{
    struct cn_owner owner = {CN_OWNER_BODY, (uint64_t)slot};
    if (slot < 0 && !dd_rules_owner(run, &effect->body, &owner)) {
        return DD_RULES_REFUSED;
    }
    return set_owner(run, effect, owner);
}

static enum dd_rules_done
end_round(struct run *run, const struct wire_rule_effect *effect)
{
    const struct cn_owner world = {CN_OWNER_WORLD, 0};
    enum dd_rules_done done = set_owner(run, effect, world);
    if (done != DD_RULES_MEMORY) {
        run->rules->state[0] = 1;
        cn_put_u64(
            run->rules->state + 1, effect->reset_ticks > 0 ? run->tick + effect->reset_ticks : 0);
    }
    return done;
}

enum dd_rules_done
dd_rules_act(struct run *run, const struct wire_rule_effect *effect, int target)
{
    switch (effect->kind) {
    case WIRE_RULE_SPAWN:
        return dd_rules_spawn(run, effect->prefab, effect->name, &effect->put, -1);
    case WIRE_RULE_REMOVE:
        return remove_body(run, target);
    case WIRE_RULE_PLACE:
        return place_body(run, &effect->put, target);
    case WIRE_RULE_PUSH:
        return push_body(run, effect, target);
    case WIRE_RULE_SET:
    case WIRE_RULE_COUNT:
        return set_subject(run, effect, target);
    case WIRE_RULE_SAY:
        dd_rules_tell(run, CN_EVENT_RULE_MESSAGE,
            (double)run->rule * WIRE_RULE_EFFECTS_MAX + (double)run->rules->effect);
        return DD_RULES_DONE;
    case WIRE_RULE_END_ROUND:
        return end_round(run, effect);
    }
    CN_ASSERT(!"no kind of effect");
    return DD_RULES_REFUSED;
}
