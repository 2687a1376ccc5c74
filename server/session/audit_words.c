/*
 * audit_words.c: describes the order in a session's message in words.
 */
#include "engine/base/assert.h"
#include "server/session/audit.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void
add_words(struct sv_audit_words *words, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Adds a word; text that does not fit is cut. */
static void
add_words(struct sv_audit_words *words, const char *format, ...)
{
    size_t used = strlen(words->arguments), room = sizeof(words->arguments) - used;
    CN_ASSERT(used < sizeof(words->arguments));
    va_list arguments;
    if (used > 0 && room > 1) {
        words->arguments[used++] = ' ';
        words->arguments[used] = '\0';
        room--;
    }
    va_start(arguments, format);
    vsnprintf(words->arguments + used, room, format, arguments);
    va_end(arguments);
}

static void
describe_source(const struct wire_source *source, struct sv_audit_words *words)
{
    if (source->kind == WIRE_SOURCE_NAME) {
        add_words(words, "scene=%s", source->name);
    } else {
        add_words(words, "bytes=%zu", source->scene_size);
    }
}

static void
describe_settings(const struct wire_settings *settings, struct sv_audit_words *words)
{
    if (settings->solver[0] != '\0') {
        add_words(words, "solver=%s", settings->solver);
    }
    if (settings->stepper[0] != '\0') {
        add_words(words, "stepper=%s", settings->stepper);
    }
    if (settings->has_gravity) {
        add_words(words, "gravity=%g,%g,%g", settings->gravity.x, settings->gravity.y,
            settings->gravity.z);
    }
    if (settings->has_time_rate) {
        add_words(words, "timeRate=%g", settings->time_rate);
    }
    if (settings->has_substeps) {
        add_words(words, "substeps=%" PRIu32, settings->substeps);
    }
    if (settings->has_restitution) {
        add_words(words, "restitution=%g", settings->restitution);
    }
    if (settings->has_damping_linear || settings->has_damping_angular) {
        add_words(words, "damping=%g,%g", settings->damping_linear, settings->damping_angular);
    }
}

static void
describe_control(const struct wire_control *control, struct sv_audit_words *words)
{
    static const char *const ops[] = {
        [WIRE_CONTROL_SETTINGS] = "settings",
        [WIRE_CONTROL_PAUSE] = "pause",
        [WIRE_CONTROL_RESUME] = "resume",
        [WIRE_CONTROL_STEP] = "step",
        [WIRE_CONTROL_RESET] = "reset",
        [WIRE_CONTROL_LOAD] = "load",
        [WIRE_CONTROL_CREATE] = "create",
        [WIRE_CONTROL_REMOVE] = "remove",
        [WIRE_CONTROL_CHANGE] = "change",
        [WIRE_CONTROL_BODIES] = "bodies",
        [WIRE_CONTROL_ATTRIBUTES] = "attributes",
        [WIRE_CONTROL_LIST] = NULL,
    };
    CN_ASSERT((size_t)control->kind < sizeof(ops) / sizeof(ops[0])); /* the decoder's own kinds */
    words->op = ops[control->kind];
    switch (control->kind) {
    case WIRE_CONTROL_SETTINGS:
        describe_settings(&control->settings, words);
        break;
    case WIRE_CONTROL_STEP:
        add_words(words, "ticks=%" PRIu32, control->step_ticks);
        break;
    case WIRE_CONTROL_BODIES:
        add_words(words, "commands=%d", control->bodies.count);
        break;
    case WIRE_CONTROL_CREATE:
        words->world = control->source.id;
        describe_source(&control->source, words);
        break;
    case WIRE_CONTROL_LOAD:
    case WIRE_CONTROL_CHANGE:
        describe_source(&control->source, words);
        break;
    case WIRE_CONTROL_ATTRIBUTES:
        add_words(words, "count=%d", control->attributes.count);
        break;
    case WIRE_CONTROL_REMOVE:
        words->world = control->world;
        break;
    default:
        break;
    }
}

static void
describe_lease(const struct wire_lease *lease, struct sv_audit_words *words)
{
    bool is_order = lease->action == WIRE_LEASE_OVERRIDE ||
        lease->action == WIRE_LEASE_REVOKE || lease->action == WIRE_LEASE_CAP;
    if (!is_order) {
        return;
    }
    words->op = lease->action == WIRE_LEASE_CAP ? "cap"
        : lease->action == WIRE_LEASE_REVOKE    ? "revoke"
                                                : "override";
    add_words(words, "%s=%" PRId32, lease->is_actuator ? "actuator" : "body", lease->index);
    if (lease->action == WIRE_LEASE_CAP && lease->caps.has_force) {
        add_words(words, "force=%g", lease->caps.force);
    }
    if (lease->action == WIRE_LEASE_CAP && lease->caps.has_torque) {
        add_words(words, "torque=%g", lease->caps.torque);
    }
}

static void
describe_fork(const struct wire_fork *fork, struct sv_audit_words *words)
{
    words->op = fork->replay ? "replay" : "fork";
    words->world = fork->world[0] != '\0' ? fork->world : NULL;
    if (fork->id[0] != '\0') {
        add_words(words, "id=%s", fork->id);
    }
    if (fork->has_tick) {
        add_words(words, "tick=%" PRIu64, fork->tick);
    }
    if (fork->each) {
        add_words(words, "each");
    }
    if (fork->paused) {
        add_words(words, "paused");
    }
}

static void
describe_seek(const struct wire_seek *seek, struct sv_audit_words *words)
{
    words->op = "seek";
    if (seek->has_tick) {
        add_words(words, "tick=%" PRIu64, seek->tick);
    }
    if (seek->has_speed) {
        add_words(words, "speed=%g", seek->speed);
    }
}

void
sv_audit_describe(
    const struct wire_client_message *message, bool is_whole, struct sv_audit_words *words)
{
    memset(words, 0, sizeof(*words));
    switch (message->kind) {
    case WIRE_CLIENT_CONTROL:
        words->op = "control";
        if (is_whole) {
            describe_control(&message->control, words);
        }
        break;
    case WIRE_CLIENT_LEASE:
        words->op = is_whole ? NULL : "lease";
        if (is_whole) {
            describe_lease(&message->lease, words);
        }
        break;
    case WIRE_CLIENT_FORK:
        words->op = "fork";
        if (is_whole) {
            describe_fork(&message->fork, words);
        }
        break;
    case WIRE_CLIENT_SEEK:
        words->op = "seek";
        if (is_whole) {
            describe_seek(&message->seek, words);
        }
        break;
    default:
        break;
    }
}
