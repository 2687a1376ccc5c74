/*
 * table.c: the table of commands: names, checks, and their application between two ticks.
 */
#include "engine/world/command/inside.h"

#include "engine/base/assert.h"
#include "engine/world/make.h"

static const char *const names[] = {
#define X(NAME, type, member, text) #member,
    CN_COMMAND_TABLE(X)
#undef X
};

static const char *const texts[] = {
#define X(NAME, type, member, text) text,
    CN_COMMAND_TABLE(X)
#undef X
};

static struct cn_holder *
holder_of(struct cn_command *command)
{
    switch (command->kind) {
    case CN_COMMAND_HOLD_FORCE:
        return &command->hold_force.holder;
    case CN_COMMAND_HOLD_TORQUE:
        return &command->hold_torque.holder;
    case CN_COMMAND_HOLD_DRAG:
        return &command->hold_drag.holder;
    case CN_COMMAND_HOLD_ACTUATOR:
        return &command->hold_actuator.holder;
    default:
        return NULL;
    }
}

void
cn_command_set_source(
    struct cn_command *command, uint64_t source, uint64_t tick, uint64_t hold_ticks)
{
    struct cn_holder *holder = holder_of(command);
    if (holder != NULL) {
        holder->source = source;
        holder->until_tick = hold_ticks > 0 ? tick + hold_ticks : 0;
    } else {
        CN_ASSERT(command->kind == CN_COMMAND_RELEASE);
        command->release.source = source;
    }
}

const char *
cn_command_name(enum cn_command_kind kind)
{
    CN_ASSERT(kind < CN_COMMAND_KIND_COUNT);
    return names[kind];
}

const char *
cn_command_text(enum cn_command_kind kind)
{
    CN_ASSERT(kind < CN_COMMAND_KIND_COUNT);
    return texts[kind];
}

enum cn_status
cn_world_command_check(
    const struct cn_world *world, const struct cn_command *command, struct cn_defect *defect)
{
    CN_ASSERT(!world->model.clock.mid_tick);
    switch (command->kind) {
#define X(NAME, type, member, text)                                                                \
    case CN_COMMAND_##NAME:                                                                        \
        return cn_check_##member(world, &command->member, defect);
        CN_COMMAND_TABLE(X)
#undef X
    case CN_COMMAND_KIND_COUNT:
        break;
    }
    return cn_defect_set(
        defect, CN_UNKNOWN, "kind", "is %d, which is no command", (int)command->kind);
}

enum cn_status
cn_world_command_prepare(
    struct cn_world *world, const struct cn_command *command, struct cn_defect *defect)
{
    CN_ASSERT(command->kind != CN_COMMAND_MAKE_BODY && command->kind != CN_COMMAND_MAKE_JOINT);
    CN_ASSERT(command->kind != CN_COMMAND_REMOVE_BODY &&
              command->kind != CN_COMMAND_REMOVE_JOINT);
    CN_CHECK(cn_world_command_check(world, command, defect));
    enum cn_status status = cn_command_ready(world, command, defect);
    world->ending_count = 0; /* the contacts that it ends are counted again when it is applied */
    return status;
}

enum cn_status
cn_world_command_apply(
    struct cn_world *world, const struct cn_command *command, struct cn_defect *defect)
{
    CN_CHECK(cn_world_command_check(world, command, defect));
    CN_CHECK(cn_command_ready(world, command, defect));
    struct cn_settings before = world->model.settings;
    cn_slice_give_up(world); /* a stopped view reads data that is about to change */
    switch (command->kind) {
#define X(NAME, type, member, text)                                                                \
    case CN_COMMAND_##NAME:                                                                        \
        cn_apply_##member(world, &command->member);                                                \
        break;
        CN_COMMAND_TABLE(X)
#undef X
    case CN_COMMAND_KIND_COUNT:
        CN_ASSERT(false);
    }
    world->view->is_current = false;
    bool rebound = command->kind == CN_COMMAND_SET_SOLVER ||
                   command->kind == CN_COMMAND_SET_STEPPER ||
                   command->kind == CN_COMMAND_SET_METHOD;
    if (rebound && !cn_world_refit(world)) {
        world->model.settings = before; /* the memory still fits the old stepper and solver */
        cn_world_bind(world);
        return cn_defect_set(defect, CN_MEMORY, "solver", "no memory for its scratch");
    }
    return CN_OK;
}

/* ---- in one call ---- */

int
cn_world_body_slot(const struct cn_world *world)
{
    return cn_make_body_slot(world);
}

static enum cn_status
apply_and_tell(struct cn_world *world, const struct cn_command *command, int slot,
    struct cn_defect *defect, int *told)
{
    enum cn_status status = cn_world_command_apply(world, command, defect);
    if (status == CN_OK && told != NULL) {
        *told = slot;
    }
    return status;
}

enum cn_status
cn_world_make_body(struct cn_world *world, const struct cn_body_def *def,
    struct cn_defect *defect, int *body)
{
    struct cn_command command = {.kind = CN_COMMAND_MAKE_BODY, .make_body = {*def}};
    return apply_and_tell(world, &command, cn_make_body_slot(world), defect, body);
}

enum cn_status
cn_world_make_joint(struct cn_world *world, const struct cn_joint_def *def,
    struct cn_defect *defect, int *joint)
{
    struct cn_command command = {.kind = CN_COMMAND_MAKE_JOINT, .make_joint = {*def}};
    return apply_and_tell(world, &command, cn_make_joint_slot(world), defect, joint);
}

/*
 * Removes the body of the slot by its present generation; 0, which the check refuses, where the
 * slot does not exist.
 */
enum cn_status
cn_world_remove_body(struct cn_world *world, int body, struct cn_defect *defect)
{
    bool is_slot = body >= 0 && body < world->model.body_count;
    struct cn_command command = {.kind = CN_COMMAND_REMOVE_BODY,
        .remove_body = {body, is_slot ? world->model.body[body].generation : 0}};
    return cn_world_command_apply(world, &command, defect);
}

enum cn_status
cn_world_remove_joint(struct cn_world *world, int joint, struct cn_defect *defect)
{
    bool is_slot = joint >= 0 && joint < world->model.joint_count;
    struct cn_command command = {.kind = CN_COMMAND_REMOVE_JOINT,
        .remove_joint = {joint, is_slot ? world->model.joint[joint].generation : 0}};
    return cn_world_command_apply(world, &command, defect);
}
