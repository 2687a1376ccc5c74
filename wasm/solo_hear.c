/* solo_hear.c: what the client of a world without a daemon asks for. */
#include "wasm/solo_inside.h"

#include "deed/apply.h"
#include "deed/change.h"
#include "deed/settings.h"
#include "engine/base/assert.h"
#include "proto/codec_query.h"

#include <string.h>

static void
hear_input(struct solo *solo, const struct wire_input *input)
{
    struct cn_command command = input->command;
    struct wire_error error;
    if (!solo->is_joined || input->seq != solo->next_seq) {
        wire_error_set(&error, solo->is_joined ? "SEQ" : "STATE", "input.seq",
            "is not the next one, or no world is joined");
        solo_refuse(solo, 0, input->seq, &error);
        return;
    }
    solo->next_seq++;
    solo->applied_seq = input->seq;
    cn_command_set_source(
        &command, SESSION, cn_world_tick(solo->engine), input->hold_ticks);
    if (!dd_command_apply(&command, solo->engine, &error)) {
        wire_error_prefix(&error, "input.");
        solo_refuse(solo, 0, input->seq, &error);
    }
    solo->is_dirty = true;
}

static bool
load_scene(struct solo *solo, const struct wire_source *source, struct wire_error *error)
{
    if (source->kind != WIRE_SOURCE_SCENE) {
        wire_error_set(error, "SCENE", "load.name", "there is no daemon with bundled scenes");
        return false;
    }
    struct wire_scene *scene = solo_read_scene(source->scene_bytes, source->scene_size, error);
    struct cn_world *engine = scene != NULL ? solo_make_engine(scene, error) : NULL;
    if (engine == NULL) {
        wire_scene_destroy(scene);
        return false;
    }
    memset(&solo->changed, 0, sizeof(solo->changed));
    solo_begin_world(solo, scene, engine);
    solo_note_session(solo, DD_ENTRY_JOINED);
    solo_say_joined(solo);
    return true;
}

static bool
change_world(struct solo *solo, const struct wire_source *source, struct wire_error *error)
{
    struct cn_defect defect;
    struct dd_slots slots;
    bool is_touched;
    struct wire_change *change =
        wire_change_unpack(source->scene_bytes, source->scene_size, solo->shown, &defect);
    if (change == NULL) {
        wire_error_from_defect(error, &defect);
        return false;
    }
    bool is_done =
        dd_change_apply(change, solo->shown, solo->engine, &slots, &is_touched, error);
    if (is_done) {
        is_done = solo_show(solo, change, &slots, error);
        dd_slots_finish(&slots);
    }
    wire_change_destroy(change);
    return is_done;
}

static bool
command_bodies(
    struct solo *solo, const struct wire_body_commands *bodies, struct wire_error *error)
{
    if (bodies->generation != 0 && bodies->generation != solo->generation) {
        wire_error_set(error, "STALE", "bodies.generation", "is %u; the world has generation %u",
            bodies->generation, solo->generation);
        return false;
    }
    if (!dd_commands_prepare(
            bodies->command, bodies->count, "bodies.commands", solo->engine, error)) {
        return false;
    }
    for (int i = 0; i < bodies->count; i++) {
        bool is_done = dd_command_apply(&bodies->command[i], solo->engine, error);
        CN_ASSERT(is_done); /* it was checked, and has its memory */
    }
    return true;
}

static bool
step_world(struct solo *solo, const struct wire_control *control, struct wire_error *error)
{
    if (solo->run_state != WIRE_WORLD_PAUSED) {
        wire_error_set(error, "STATE", "step", "the world is not paused; pause it first");
        return false;
    }
    if (control->step_ticks > STEPS_MAX) {
        wire_error_set(error, "RANGE", "step.ticks", "is %u; at most %d are accepted",
            control->step_ticks, STEPS_MAX);
        return false;
    }
    solo->step_until_tick = cn_world_tick(solo->engine) +
        (control->step_ticks > 0 ? control->step_ticks : 1);
    solo->step_request = control->request;
    return true;
}

/* All or none. */
static bool
set_attributes(struct solo *solo, const struct wire_control *control, struct wire_error *error)
{
    const struct cn_attribute *attributes = control->attributes.take;
    for (int i = 0; i < control->attributes.count; i++) {
        const struct cn_owner *owner = &attributes[i].owner;
        if (owner->kind == CN_OWNER_SESSION && owner->id != SESSION) {
            wire_error_set(error, "REFERENCE", "control.attributes.changes",
                "name a session that is not in this world");
            return false;
        }
    }
    if (!dd_attributes_check(attributes, control->attributes.count, solo->engine, error)) {
        wire_error_prefix(error, "control.attributes.");
        return false;
    }
    bool is_done = true;
    for (int i = 0; i < control->attributes.count && is_done; i++) {
        is_done = dd_attribute_apply(&attributes[i], solo->engine, error);
    }
    return is_done;
}

/* True: the order is done, or its answer comes later. */
static bool
obey(struct solo *solo, const struct wire_control *control, struct wire_error *error)
{
    switch (control->kind) {
    case WIRE_CONTROL_SETTINGS:
        if (!dd_settings_apply(&control->settings, solo->engine, error)) {
            return false;
        }
        dd_settings_remember(&solo->changed, &control->settings);
        return true;
    case WIRE_CONTROL_PAUSE:
        solo->run_state = WIRE_WORLD_PAUSED;
        return true;
    case WIRE_CONTROL_RESUME:
        solo->run_state = WIRE_WORLD_RUNNING;
        solo->step_until_tick = 0;
        return true;
    case WIRE_CONTROL_STEP:
        return step_world(solo, control, error);
    case WIRE_CONTROL_RESET:
        return solo_reset(solo, error);
    case WIRE_CONTROL_LOAD:
        return load_scene(solo, &control->source, error);
    case WIRE_CONTROL_CHANGE:
        return change_world(solo, &control->source, error);
    case WIRE_CONTROL_BODIES:
        return command_bodies(solo, &control->bodies, error);
    case WIRE_CONTROL_ATTRIBUTES:
        return set_attributes(solo, control, error);
    case WIRE_CONTROL_LIST:
        solo_say_worlds(solo);
        return true;
    case WIRE_CONTROL_CREATE:
    case WIRE_CONTROL_REMOVE:
        break;
    }
    wire_error_set(error, "STATE", "control", "wants a daemon; this page runs one world alone");
    return false;
}

static void
hear_control(struct solo *solo, const struct wire_control *control)
{
    struct wire_error error;
    bool is_done = obey(solo, control, &error);
    if (!is_done) {
        solo_refuse(solo, control->request, 0, &error);
    } else if (control->kind != WIRE_CONTROL_STEP) {
        solo_say_done(solo, control->request);
    }
    solo->is_status_due = true;
    solo->is_dirty = true;
}

static void
hear_query(struct solo *solo, const struct wire_query *query)
{
    struct cn_query_hit hits[CN_QUERY_HITS_MAX];
    struct cn_query asked = query->query;
    struct cn_defect defect;
    int count = 0;
    if ((query->has_age &&
            cn_query_age(solo->engine, &asked, query->age_ms, wire_scene_rewind_ms(solo->scene),
                &defect) != CN_OK) ||
        cn_world_query(solo->engine, &asked, hits, &count, &defect) != CN_OK) {
        struct wire_error error;
        cn_defect_prefix(&defect, "query.");
        wire_error_from_defect(&error, &defect);
        solo_refuse(solo, query->request, 0, &error);
        return;
    }
    const struct wire_query_result result = {.request = query->request,
        .tick = asked.has_tick ? asked.tick : cn_world_tick(solo->engine),
        .generation = solo->generation, .hits = hits, .hit_count = (size_t)count};
    solo_say_result(solo, &result);
}

static void
hear_join(struct solo *solo)
{
    solo->is_joined = true;
    solo_note_session(solo, DD_ENTRY_JOINED);
    solo->next_seq = 1;
    solo->applied_seq = 0;
    solo_say_joined(solo);
    solo_say_presence(solo);
    solo->is_status_due = true;
}

/* The client leaves the world: what it holds ends. */
static void
hear_leave(struct solo *solo)
{
    const struct dd_entry left = {.kind = DD_ENTRY_LEFT, .settled = {.session = SESSION}};
    struct wire_error ignored;
    (void)dd_apply(&left, solo->engine, &ignored);
    solo_note_session(solo, DD_ENTRY_LEFT);
    solo->is_joined = false;
}

static void
hear_subscribe(struct solo *solo, const struct wire_client_message *message)
{
    struct wire_error error;
    if (message->subscribe.mode == WIRE_MODE_DEEDS) {
        wire_error_set(&error, "STATE", "subscribe.mode",
            "is DEEDS; the engine of this world is in the page already");
        solo_refuse(solo, 0, 0, &error);
        return;
    }
    solo->contacts = message->subscribe.contacts;
    solo->energy = message->subscribe.energy;
    solo->actions = message->subscribe.actions;
    solo->attributes = message->subscribe.attributes;
    solo->is_attribute_due = solo->attributes;
    solo->is_dirty = true;
}

static void
hear_other(struct solo *solo, const struct wire_client_message *message)
{
    struct wire_error error;
    uint32_t request = message->kind == WIRE_CLIENT_LEASE ? message->lease.request
        : message->kind == WIRE_CLIENT_FORK              ? message->fork.request
        : message->kind == WIRE_CLIENT_SAY               ? message->say.request
        : message->kind == WIRE_CLIENT_LOGIC             ? message->logic.request
                                                         : message->seek.request;
    bool is_past = message->kind == WIRE_CLIENT_FORK || message->kind == WIRE_CLIENT_SEEK;
    if (message->kind == WIRE_CLIENT_LEASE) { /* nobody else is here */
        solo_say_done(solo, request);
        return;
    }
    wire_error_set(&error, "STATE", "", "%s",
        is_past ? "wants a daemon that stores the past of its worlds"
                : "wants a daemon: nobody else is in this world");
    solo_refuse(solo, request, 0, &error);
}

static void
hear_lobby(struct solo *solo)
{
    struct wire_error error;
    wire_error_set(&error, "STATE", "lobby", "wants a daemon with rooms");
    solo_refuse(solo, 0, 0, &error);
}

static void
act_on(struct solo *solo, const struct wire_client_message *message)
{
    switch (message->kind) {
    case WIRE_CLIENT_HELLO:
        solo_say_welcome(solo);
        break;
    case WIRE_CLIENT_JOIN:
        hear_join(solo);
        break;
    case WIRE_CLIENT_LEAVE:
        hear_leave(solo);
        break;
    case WIRE_CLIENT_INPUT:
        hear_input(solo, &message->input);
        break;
    case WIRE_CLIENT_SUBSCRIBE:
        hear_subscribe(solo, message);
        break;
    case WIRE_CLIENT_CONTROL:
        hear_control(solo, &message->control);
        break;
    case WIRE_CLIENT_PING:
        solo_say_pong(solo, message->ping_client_time_us);
        break;
    case WIRE_CLIENT_QUERY:
        hear_query(solo, message->query.take);
        break;
    case WIRE_CLIENT_LEASE:
    case WIRE_CLIENT_FORK:
    case WIRE_CLIENT_SEEK:
    case WIRE_CLIENT_SAY:
    case WIRE_CLIENT_LOGIC:
        hear_other(solo, message);
        break;
    case WIRE_CLIENT_LOBBY:
        hear_lobby(solo);
        break;
    case WIRE_CLIENT_LOGIC_DONE:
    case WIRE_CLIENT_ACK:
    case WIRE_CLIENT_DESYNC:
    case WIRE_CLIENT_NONE:
        break;
    }
}

/* The number of a request or an input that could not be decoded. */
static void
refuse_decoded(struct solo *solo, const struct wire_client_message *message,
    const struct wire_error *error)
{
    bool is_input = message->kind == WIRE_CLIENT_INPUT;
    if (is_input && message->input.seq == solo->next_seq) {
        solo->next_seq++;
        solo->applied_seq = message->input.seq;
    }
    uint32_t request = message->kind == WIRE_CLIENT_CONTROL ? message->control.request
        : message->kind == WIRE_CLIENT_QUERY               ? message->query.request
        : message->kind == WIRE_CLIENT_LEASE               ? message->lease.request
        : message->kind == WIRE_CLIENT_SAY                 ? message->say.request
        : message->kind == WIRE_CLIENT_LOGIC               ? message->logic.request
                                                           : 0;
    solo_refuse(solo, request, is_input ? message->input.seq : 0, error);
}

EXPORT(cairn_solo_hear) void
cairn_solo_hear(struct solo *solo, const uint8_t *bytes, size_t size, double now_us)
{
    struct wire_client_message message;
    struct wire_error error;
    solo->now_us = now_us > solo->now_us ? now_us : solo->now_us;
    if (wire_client_decode(bytes, size, &message, &error) == WIRE_DECODE_OK) {
        act_on(solo, &message);
    } else {
        refuse_decoded(solo, &message, &error);
    }
    wire_client_message_finish(&message);
}
