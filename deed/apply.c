#include "deed/apply.h"

#include "engine/base/assert.h"

#include <stdio.h>
#include <string.h>

/* ---- settings ---- */

#define SETTING_COMMANDS_MAX 11

static void
add_number(
    struct cn_command *commands, int *count, enum cn_command_kind kind, bool is_set, double value)
{
    if (is_set) {
        commands[(*count)++] = (struct cn_command){.kind = kind, .set_time_rate = {value}};
    }
}

/*
 * The commands that make these settings.  SET_DAMPING and SET_PROPAGATION carry all their numbers,
 * SET_METHOD both names.  SET_METHOD comes first: it alone needs memory, so if there is too little
 * none has been applied.
 */
static int
settings_commands(
    const struct cn_world *engine, const struct wire_settings *settings, struct cn_command *commands)
{
    int count = 0;
    const struct cn_settings *now = cn_world_settings(engine);
    if (settings->stepper[0] != '\0' || settings->solver[0] != '\0') {
        struct cn_command *command = &commands[count++];
        command->kind = CN_COMMAND_SET_METHOD;
        memcpy(command->set_method.stepper, settings->stepper, CN_NAME_SIZE);
        memcpy(command->set_method.solver, settings->solver, CN_NAME_SIZE);
    }
    if (settings->has_gravity) {
        commands[count++] = (struct cn_command){
            .kind = CN_COMMAND_SET_GRAVITY, .set_gravity = {.value = settings->gravity}};
    }
    if (settings->has_damping_linear || settings->has_damping_angular) {
        commands[count++] = (struct cn_command){.kind = CN_COMMAND_SET_DAMPING,
            .set_damping = {
                .linear = settings->has_damping_linear ? settings->damping_linear
                                                       : now->damping_linear,
                .angular = settings->has_damping_angular ? settings->damping_angular
                                                         : now->damping_angular,
            }};
    }
    add_number(commands, &count, CN_COMMAND_SET_RESTITUTION, settings->has_restitution,
        settings->restitution);
    add_number(commands, &count, CN_COMMAND_SET_TIME_RATE, settings->has_time_rate,
        settings->time_rate);
    add_number(commands, &count, CN_COMMAND_SET_COLLISION, settings->has_collision,
        (double)settings->collision);
    add_number(commands, &count, CN_COMMAND_SET_MINIMUM_NORM, settings->has_minimum_norm,
        settings->minimum_norm ? 1.0 : 0.0);
    add_number(commands, &count, CN_COMMAND_SET_SUBSTEPS, settings->has_substeps,
        (double)settings->substeps);
    add_number(
        commands, &count, CN_COMMAND_SET_SLEEP, settings->has_sleep, settings->sleep ? 1.0 : 0.0);
    add_number(commands, &count, CN_COMMAND_SET_RESTING_VELOCITY, settings->has_resting_velocity,
        settings->resting_velocity);
    if (wire_settings_have_propagation(settings)) {
        struct cn_command *command = &commands[count++];
        command->kind = CN_COMMAND_SET_PROPAGATION;
        command->set_propagation.value = now->propagation;
        wire_settings_set_propagation(settings, &command->set_propagation.value);
    }
    return count;
}

bool
dd_settings_apply(
    const struct wire_settings *settings, struct cn_world *engine, struct wire_error *error)
{
    struct cn_command commands[SETTING_COMMANDS_MAX];
    memset(commands, 0, sizeof(commands));
    int count = settings_commands(engine, settings, commands);
    CN_ASSERT(count <= SETTING_COMMANDS_MAX);
    struct cn_defect defect;
    for (int i = 0; i < count; i++) { /* every command is checked before the first is applied */
        if (cn_world_command_check(engine, &commands[i], &defect) != CN_OK) {
            wire_error_from_defect(error, &defect);
            return false;
        }
    }
    for (int i = 0; i < count; i++) {
        if (!dd_command_apply(&commands[i], engine, error)) {
            return false;
        }
    }
    return true;
}

/* ---- deeds ---- */

bool
dd_command_apply(
    const struct cn_command *command, struct cn_world *engine, struct wire_error *error)
{
    struct cn_defect defect;
    if (cn_world_command_apply(engine, command, &defect) != CN_OK) {
        wire_error_from_defect(error, &defect);
        return false;
    }
    return true;
}

int32_t
dd_command_body(const struct cn_command *command)
{
    switch (command->kind) {
    case CN_COMMAND_PLACE_BODY:
        return command->place_body.body;
    case CN_COMMAND_SET_VELOCITY:
        return command->set_velocity.body;
    case CN_COMMAND_SET_BODY_TYPE:
        return command->set_body_type.body;
    case CN_COMMAND_SET_FILTER:
        return command->set_filter.body;
    case CN_COMMAND_SLEEP_BODY:
        return command->sleep_body.body;
    case CN_COMMAND_MOVE_BODY:
        return command->move_body.body;
    default:
        return -1;
    }
}

/* The name on the wire of what a command does to its body; "" where its field is the command's. */
static const char *
action_name(const struct cn_command *command)
{
    switch (command->kind) {
    case CN_COMMAND_PLACE_BODY:
        return "place.";
    case CN_COMMAND_SET_VELOCITY:
        return "velocity.";
    case CN_COMMAND_SET_FILTER:
        return "filter.";
    case CN_COMMAND_MOVE_BODY:
        return "move.";
    default:
        return "";
    }
}

/* The earlier command that sets the type of the body of commands[index]; -1: there is none. */
static int
type_set_before(const struct cn_command *commands, int index)
{
    int32_t body = dd_command_body(&commands[index]);
    for (int i = 0; i < index; i++) {
        if (commands[i].kind == CN_COMMAND_SET_BODY_TYPE &&
            commands[i].set_body_type.body == body) {
            return i;
        }
    }
    return -1;
}

bool
dd_commands_prepare(const struct cn_command *commands, int count, const char *path,
    struct cn_world *engine, struct wire_error *error)
{
    for (int i = 0; i < count; i++) {
        struct cn_defect defect = {0};
        int before = type_set_before(commands, i);
        enum cn_status status = before < 0
            ? cn_world_command_prepare(engine, &commands[i], &defect)
            : cn_defect_set(&defect, CN_REFERENCE, "body",
                  "is %d, whose type command %d sets; that has to be its last command",
                  dd_command_body(&commands[i]), before);
        if (status != CN_OK) {
            bool is_body = strcmp(defect.path, "body") == 0;
            cn_defect_prefix(
                &defect, "%s[%d].%s", path, i, is_body ? "" : action_name(&commands[i]));
            wire_error_from_defect(error, &defect);
            return false;
        }
    }
    return true;
}

bool
dd_attribute_apply(
    const struct cn_attribute *attribute, struct cn_world *engine, struct wire_error *error)
{
    const struct cn_command command = {
        .kind = CN_COMMAND_SET_ATTRIBUTE, .set_attribute = {.attribute = *attribute}};
    return dd_command_apply(&command, engine, error);
}

/* Sets the attribute as it was before: to its value, or removes it. */
static void
undo_attribute(struct cn_world *engine, const struct cn_attribute *before)
{
    struct wire_error ignored;
    bool is_done = dd_attribute_apply(before, engine, &ignored);
    CN_ASSERT(is_done); /* the state before was valid, and there was room for it */
}

bool
dd_attributes_check(const struct cn_attribute *attributes, int count, struct cn_world *engine,
    struct wire_error *error)
{
    struct cn_attribute before[DD_ATTRIBUTES_MAX];
    int done = 0;
    bool is_good = true;
    CN_ASSERT(0 <= count && count <= DD_ATTRIBUTES_MAX);
    for (; done < count && is_good; done += is_good ? 1 : 0) {
        const struct cn_attribute *attribute = &attributes[done];
        const struct cn_attribute *there =
            cn_world_attribute(engine, attribute->owner, attribute->name);
        before[done] = *attribute;
        before[done].value = there != NULL ? there->value : (struct cn_value){0};
        is_good = dd_attribute_apply(attribute, engine, error);
    }
    if (!is_good) {
        char prefix[32];
        snprintf(prefix, sizeof(prefix), "changes[%d].", done);
        wire_error_prefix(error, prefix);
    }
    while (done > 0) {
        undo_attribute(engine, &before[--done]);
    }
    return is_good;
}

bool
dd_is_deed(enum dd_entry_kind kind)
{
    return kind == DD_ENTRY_COMMAND || kind == DD_ENTRY_LEFT || kind == DD_ENTRY_SETTINGS ||
        kind == DD_ENTRY_CHANGE || kind == DD_ENTRY_ATTRIBUTE;
}

bool
dd_apply(const struct dd_entry *entry, struct cn_world *engine, struct wire_error *error)
{
    CN_ASSERT(dd_is_deed(entry->kind) && entry->kind != DD_ENTRY_CHANGE);
    CN_ASSERT(!cn_world_is_mid_tick(engine));
    if (entry->kind == DD_ENTRY_SETTINGS) {
        return dd_settings_apply(&entry->settings, engine, error);
    }
    if (entry->kind == DD_ENTRY_COMMAND) {
        return dd_command_apply(&entry->command, engine, error);
    }
    if (entry->kind == DD_ENTRY_ATTRIBUTE) {
        return dd_attribute_apply(&entry->attribute, engine, error);
    }
    const struct cn_command release = {.kind = CN_COMMAND_RELEASE_SOURCE,
        .release_source = {.source = entry->settled.session}};
    return dd_command_apply(&release, engine, error);
}
