#include "wasm/solo.h"

#include "deed/apply.h"
#include "deed/change.h"
#include "deed/settings.h"
#include "engine/base/assert.h"
#include "engine/cairn.h"
#include "proto/codec.h"
#include "proto/codec_query.h"
#include "proto/scene.h"
#include "proto/scene_live.h"
#include "proto/snapshot_codec.h"
#include "wasm/inside.h"

#include <stdlib.h>
#include <string.h>


#define SESSION 1 /* of the only client */
#define SERVER_NAME "cairn, in this page"
#define WORLD_ID "here"
#define MESSAGE_SIZE_MAX (16u << 20) /* a scene that the client loads may be large */
#define MESSAGE_RATE 100000
#define STEPS_MAX 10000 /* of a Step */
#define STATUS_US 1e6
#define ROLE_OPERATOR 4

struct message {
    uint8_t *bytes;
    size_t size;
};

struct solo {
    struct wire_scene *scene; /* as it was loaded */
    struct wire_scene *shown; /* as it is now; may be `scene` */
    struct cn_world *engine;
    struct wire_settings changed; /* since it was loaded */
    struct wire_state *state;     /* the last one that was sent */
    uint32_t generation;
    enum wire_world_state run_state;
    bool is_joined, is_dirty, is_status_due;
    bool contacts, energy, actions;
    uint64_t applied_seq, next_seq;
    uint64_t step_until_tick;
    uint32_t step_request; /* the last Step that has not been answered; 0: none */
    double next_tick_us, status_us, now_us; /* next_tick_us 0: the clock does not run */
    double window_us, window_ticks, real_time_factor, tick_us;
    struct message *messages; /* oldest first; the first `taken` have been handed out */
    int message_count, message_capacity, taken;
};

/* ---- messages to the client ---- */

typedef size_t encoder(const void *context, uint8_t *out, size_t out_size);

/* Without memory a message is lost: the client sees the next state. */
static void
say(struct solo *solo, encoder *encode, const void *context)
{
    if (solo->message_count == solo->message_capacity) {
        int capacity = solo->message_capacity * 2 + 16;
        struct message *messages =
            realloc(solo->messages, (size_t)capacity * sizeof(*messages));
        if (messages == NULL) {
            return;
        }
        solo->messages = messages;
        solo->message_capacity = capacity;
    }
    size_t size = encode(context, NULL, 0);
    uint8_t *bytes = size > 0 ? malloc(size) : NULL;
    if (bytes == NULL) {
        return;
    }
    size_t written = encode(context, bytes, size);
    CN_ASSERT(written <= size && solo->message_count < solo->message_capacity);
    solo->messages[solo->message_count++] = (struct message){bytes, written};
}

EXPORT(cairn_solo_next) const uint8_t *
cairn_solo_next(struct solo *solo)
{
    if (solo->taken < solo->message_count) {
        return solo->messages[solo->taken++].bytes;
    }
    for (int i = 0; i < solo->message_count; i++) {
        free(solo->messages[i].bytes);
    }
    solo->message_count = solo->taken = 0;
    return NULL;
}

EXPORT(cairn_solo_next_size) size_t
cairn_solo_next_size(const struct solo *solo)
{
    return solo->taken > 0 ? solo->messages[solo->taken - 1].size : 0;
}

#define ENCODER(name, type)                                                                        \
    static size_t encode_##name(const void *context, uint8_t *out, size_t out_size)                \
    {                                                                                              \
        const type *value = context;                                                               \
        return wire_encode_##name(value, out, out_size);                                           \
    }
ENCODER(welcome, struct wire_welcome)
ENCODER(joined, struct wire_joined)
ENCODER(changed, struct wire_changed)
ENCODER(status, struct wire_status)
ENCODER(tick_header, struct wire_tick_header)
ENCODER(pong, struct wire_pong)
ENCODER(query_result, struct wire_query_result)
ENCODER(snapshot, struct wire_state)
ENCODER(energy, struct cn_world)
ENCODER(actions, struct cn_world)
ENCODER(contacts, struct cn_world)
ENCODER(events, struct cn_world)

static size_t
encode_done(const void *context, uint8_t *out, size_t out_size)
{
    return wire_encode_control_done(*(const uint32_t *)context, WORLD_ID, 0, out, out_size);
}

static size_t
encode_worlds(const void *context, uint8_t *out, size_t out_size)
{
    const struct wire_status *status = context;
    return wire_encode_worlds(&status, 1, out, out_size);
}

static size_t
encode_presence(const void *context, uint8_t *out, size_t out_size)
{
    (void)context;
    const struct wire_person person = {
        .session = SESSION, .name = "you", .role = ROLE_OPERATOR};
    return wire_encode_presence(WORLD_ID, &person, 1, out, out_size);
}

struct refusal {
    uint32_t request;
    uint64_t seq;
    const struct wire_error *error;
};

static size_t
encode_rejected(const void *context, uint8_t *out, size_t out_size)
{
    const struct refusal *refusal = context;
    return wire_encode_rejected(refusal->request, refusal->seq, refusal->error, out, out_size);
}

static void
refuse(struct solo *solo, uint32_t request, uint64_t seq, const struct wire_error *error)
{
    const struct refusal refusal = {request, seq, error};
    say(solo, encode_rejected, &refusal);
}

static void
fill_status(const struct solo *solo, struct wire_status *status)
{
    memset(status, 0, sizeof(*status));
    memcpy(status->id, WORLD_ID, sizeof(WORLD_ID));
    wire_status_name(status, solo->scene);
    status->state = solo->run_state;
    status->tick = cn_world_tick(solo->engine);
    status->time = cn_world_time(solo->engine);
    status->tick_rate = cn_world_tick_rate(solo->engine);
    status->body_count = (uint32_t)cn_world_present_count(solo->engine);
    status->contact_count = cn_world_is_looked_at(solo->engine)
        ? (uint32_t)cn_world_contact_count(solo->engine)
        : 0;
    status->client_count = 1;
    status->hash = cn_world_hash(solo->engine);
    dd_settings_of(solo->engine, &status->settings);
    status->real_time_factor = solo->real_time_factor;
    status->tick_duration_us = solo->tick_us;
    status->durability = WIRE_DURABILITY_NONE;
    status->generation = solo->generation;
}

static void
say_joined(struct solo *solo)
{
    struct wire_status status;
    fill_status(solo, &status);
    const struct wire_joined joined = {.world = WORLD_ID, .scene = solo->shown,
        .status = &status, .gap_tolerance = cn_world_gap_tolerance(solo->engine)};
    say(solo, encode_joined, &joined);
    wire_state_unref(solo->state);
    solo->state = NULL;
    solo->is_dirty = true;
}

static void
say_status(struct solo *solo)
{
    struct wire_status status;
    fill_status(solo, &status);
    say(solo, encode_status, &status);
    solo->is_status_due = false;
    solo->status_us = solo->now_us;
}

/* ---- the world ---- */

EXPORT(cairn_solo_destroy) void
cairn_solo_destroy(struct solo *solo)
{
    if (solo == NULL) {
        return;
    }
    solo->taken = solo->message_count;
    (void)cairn_solo_next(solo);
    cn_world_destroy(solo->engine);
    wire_state_unref(solo->state);
    if (solo->shown != solo->scene) {
        wire_scene_destroy(solo->shown);
    }
    wire_scene_destroy(solo->scene);
    free(solo->messages);
    free(solo);
}

/* An engine of the scene, which queries may ask about its last second; NULL with *error filled. */
static struct cn_world *
make_engine(const struct wire_scene *scene, struct wire_error *error)
{
    struct cn_world *engine = NULL;
    struct cn_defect defect;
    bool is_made = cn_world_create(wire_scene_world_def(scene), &defect, &engine) == CN_OK;
    if (!is_made ||
        cn_world_remember(engine, wire_scene_rewind_ticks(scene), &defect) != CN_OK) {
        wire_error_from_defect(error, &defect);
        cn_world_destroy(engine);
        return NULL;
    }
    return engine;
}

static struct wire_scene *
read_scene(const uint8_t *bytes, size_t size, struct wire_error *error)
{
    const struct wire_mesh_tools tools = {.is_own = true};
    struct wire_text_error wrong;
    struct wire_scene *scene = wire_scene_unpack_with(bytes, size, &tools, &wrong);
    if (scene == NULL) {
        wire_error_from_defect(error, &wrong.defect);
    }
    return scene;
}

/* The world begins again with this engine, and with this scene in place of the one before. */
static void
begin_world(struct solo *solo, struct wire_scene *scene_take, struct cn_world *engine_take)
{
    CN_ASSERT(scene_take != NULL && engine_take != NULL);
    if (solo->shown != solo->scene) {
        wire_scene_destroy(solo->shown);
    }
    if (solo->scene != scene_take) {
        wire_scene_destroy(solo->scene);
    }
    cn_world_destroy(solo->engine);
    solo->engine = engine_take;
    solo->scene = solo->shown = scene_take;
    solo->generation++;
    solo->next_tick_us = 0.0;
    solo->step_until_tick = 0;
    solo->is_status_due = true;
}

EXPORT(cairn_solo_create) struct solo *
cairn_solo_create(const uint8_t *scene, size_t size)
{
    struct wire_error error = {0};
    struct solo *solo = calloc(1, sizeof(*solo));
    struct wire_scene *read = solo != NULL ? read_scene(scene, size, &error) : NULL;
    struct cn_world *engine = read != NULL ? make_engine(read, &error) : NULL;
    if (engine == NULL) {
        wa_note_error(error.path, solo != NULL ? error.text : "no memory");
        wire_scene_destroy(read);
        free(solo);
        return NULL;
    }
    begin_world(solo, read, engine);
    return solo;
}

/* ---- ticks ---- */

static void
say_frames(struct solo *solo)
{
    const struct wire_tick_header header = {.tick = cn_world_tick(solo->engine),
        .applied_seq = solo->applied_seq, .durable_seq = 0,
        .server_time_us = (uint64_t)solo->now_us};
    struct wire_precision precision = wire_scene_precision(solo->shown);
    struct wire_state *state =
        wire_state_take(solo->engine, solo->generation, &precision, solo->state);
    if (state == NULL) {
        return;
    }
    wire_state_unref(solo->state);
    solo->state = state;
    say(solo, encode_tick_header, &header);
    say(solo, encode_snapshot, state);
    if (solo->contacts) {
        (void)cn_world_look(solo->engine, CN_WORK_UNLIMITED);
        say(solo, encode_contacts, solo->engine);
        say(solo, encode_events, solo->engine);
    }
    if (solo->energy) {
        say(solo, encode_energy, solo->engine);
    }
    if (solo->actions) {
        say(solo, encode_actions, solo->engine);
    }
    solo->is_dirty = false;
}

static void
answer_step(struct solo *solo)
{
    if (solo->step_request != 0 && cn_world_tick(solo->engine) >= solo->step_until_tick) {
        say(solo, encode_done, &solo->step_request);
        solo->step_request = 0;
        solo->is_status_due = true;
    }
}

/* One tick; false without memory: it is tried again. */
static bool
step_once(struct solo *solo)
{
    if (cn_world_step(solo->engine, CN_WORK_UNLIMITED) != CN_STEP_DONE) {
        return false;
    }
    solo->is_dirty = true;
    solo->window_ticks++;
    answer_step(solo);
    return true;
}

static double
period_us(const struct solo *solo)
{
    return 1e6 / cn_world_tick_rate(solo->engine);
}

static void
measure_rate(struct solo *solo)
{
    double elapsed_us = solo->now_us - solo->window_us;
    if (elapsed_us >= STATUS_US) {
        solo->real_time_factor = solo->window_ticks * period_us(solo) / elapsed_us;
        solo->window_us = solo->now_us;
        solo->window_ticks = 0.0;
    }
}

/* The ticks of a running world that are due by now. */
static void
step_due(struct solo *solo)
{
    double period = period_us(solo);
    if (solo->next_tick_us == 0.0) {
        solo->next_tick_us = solo->now_us;
        solo->window_us = solo->now_us;
        solo->window_ticks = 0.0;
    }
    double late = (solo->now_us - solo->next_tick_us) / period;
    if (late > SOLO_CATCH_UP) {
        solo->next_tick_us = solo->now_us - SOLO_CATCH_UP * period;
    }
    while (solo->next_tick_us <= solo->now_us && step_once(solo)) {
        solo->next_tick_us += period;
    }
    measure_rate(solo);
}

EXPORT(cairn_solo_run) double
cairn_solo_run(struct solo *solo, double now_us)
{
    solo->now_us = now_us > solo->now_us ? now_us : solo->now_us;
    if (!solo->is_joined) {
        solo->next_tick_us = 0.0;
        return solo->now_us + STATUS_US;
    }
    if (solo->run_state == WIRE_WORLD_RUNNING) {
        step_due(solo);
    } else {
        solo->next_tick_us = 0.0;
        while (cn_world_tick(solo->engine) < solo->step_until_tick && step_once(solo)) {
        }
    }
    if (solo->is_dirty) {
        say_frames(solo);
    }
    if (solo->is_status_due || solo->now_us - solo->status_us >= STATUS_US) {
        say_status(solo);
    }
    return solo->run_state == WIRE_WORLD_RUNNING ? solo->next_tick_us
                                                 : solo->now_us + STATUS_US;
}

/* ---- what the client asks ---- */

static void
hear_input(struct solo *solo, const struct wire_input *input)
{
    struct cn_command command = input->command;
    struct wire_error error;
    if (!solo->is_joined || input->seq != solo->next_seq) {
        wire_error_set(&error, solo->is_joined ? "SEQ" : "STATE", "input.seq",
            "is not the next one, or no world is joined");
        refuse(solo, 0, input->seq, &error);
        return;
    }
    solo->next_seq++;
    solo->applied_seq = input->seq;
    cn_command_set_source(
        &command, SESSION, cn_world_tick(solo->engine), input->hold_ticks);
    if (!dd_command_apply(&command, solo->engine, &error)) {
        wire_error_prefix(&error, "input.");
        refuse(solo, 0, input->seq, &error);
    }
    solo->is_dirty = true;
}

static bool
reset_world(struct solo *solo, struct wire_error *error)
{
    struct cn_world *engine = make_engine(solo->scene, error);
    struct wire_error ignored; /* these settings have been accepted before */
    if (engine == NULL) {
        return false;
    }
    (void)dd_settings_apply(&solo->changed, engine, &ignored);
    begin_world(solo, solo->scene, engine);
    say_joined(solo);
    return true;
}

static bool
load_scene(struct solo *solo, const struct wire_source *source, struct wire_error *error)
{
    if (source->kind != WIRE_SOURCE_SCENE) {
        wire_error_set(error, "SCENE", "load.name", "there is no daemon with bundled scenes");
        return false;
    }
    struct wire_scene *scene = read_scene(source->scene_bytes, source->scene_size, error);
    struct cn_world *engine = scene != NULL ? make_engine(scene, error) : NULL;
    if (engine == NULL) {
        wire_scene_destroy(scene);
        return false;
    }
    memset(&solo->changed, 0, sizeof(solo->changed));
    begin_world(solo, scene, engine);
    say_joined(solo);
    return true;
}

static bool
show_change(struct solo *solo, const struct wire_change *change, const struct dd_slots *slots,
    struct wire_error *error)
{
    struct wire_scene *shown = wire_scene_follow(
        solo->shown, solo->engine, change, slots->body, slots->joint);
    solo->generation++;
    if (shown == NULL) {
        wire_error_set(error, "MEMORY", "", "no memory for the changed scene");
        return false;
    }
    const struct wire_changed changed = {.generation = solo->generation, .before = solo->shown,
        .now = shown, .body_slots = slots->body, .joint_slots = slots->joint,
        .body_count = slots->body_count, .joint_count = slots->joint_count};
    say(solo, encode_changed, &changed);
    if (solo->shown != solo->scene) {
        wire_scene_destroy(solo->shown);
    }
    solo->shown = shown;
    wire_state_unref(solo->state);
    solo->state = NULL;
    solo->is_dirty = true;
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
        is_done = show_change(solo, change, &slots, error);
        dd_slots_finish(&slots);
    }
    wire_change_destroy(change);
    return is_done;
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

/* True: the order is done, or its answer comes later. */
static bool
obey(struct solo *solo, const struct wire_control *control, struct wire_error *error)
{
    struct wire_status status;
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
        return reset_world(solo, error);
    case WIRE_CONTROL_LOAD:
        return load_scene(solo, &control->source, error);
    case WIRE_CONTROL_CHANGE:
        return change_world(solo, &control->source, error);
    case WIRE_CONTROL_LIST:
        fill_status(solo, &status);
        say(solo, encode_worlds, &status);
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
        refuse(solo, control->request, 0, &error);
    } else if (control->kind != WIRE_CONTROL_STEP) {
        say(solo, encode_done, &control->request);
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
        refuse(solo, query->request, 0, &error);
        return;
    }
    const struct wire_query_result result = {.request = query->request,
        .tick = asked.has_tick ? asked.tick : cn_world_tick(solo->engine),
        .generation = solo->generation, .hits = hits, .hit_count = (size_t)count};
    say(solo, encode_query_result, &result);
}

static void
hear_join(struct solo *solo)
{
    solo->is_joined = true;
    solo->next_seq = 1;
    solo->applied_seq = 0;
    say_joined(solo);
    say(solo, encode_presence, NULL);
    solo->is_status_due = true;
}

/* The client leaves the world: what it holds ends. */
static void
hear_leave(struct solo *solo)
{
    const struct dd_entry left = {.kind = DD_ENTRY_LEFT, .settled = {.session = SESSION}};
    struct wire_error ignored;
    (void)dd_apply(&left, solo->engine, &ignored);
    solo->is_joined = false;
}

static void
hear_subscribe(struct solo *solo, const struct wire_client_message *message)
{
    struct wire_error error;
    if (message->subscribe.mode == WIRE_MODE_DEEDS) {
        wire_error_set(&error, "STATE", "subscribe.mode",
            "is DEEDS; the engine of this world is in the page already");
        refuse(solo, 0, 0, &error);
        return;
    }
    solo->contacts = message->subscribe.contacts;
    solo->energy = message->subscribe.energy;
    solo->actions = message->subscribe.actions;
    solo->is_dirty = true;
}

static void
hear_hello(struct solo *solo)
{
    const struct wire_welcome welcome = {.session = SESSION, .server = SERVER_NAME,
        .message_size_max = MESSAGE_SIZE_MAX, .message_rate = MESSAGE_RATE,
        .role = ROLE_OPERATOR};
    say(solo, encode_welcome, &welcome);
}

static void
hear_other(struct solo *solo, const struct wire_client_message *message)
{
    struct wire_error error;
    uint32_t request = message->kind == WIRE_CLIENT_LEASE ? message->lease.request
        : message->kind == WIRE_CLIENT_FORK              ? message->fork.request
                                                         : message->seek.request;
    if (message->kind == WIRE_CLIENT_LEASE) { /* nobody else is here */
        say(solo, encode_done, &request);
        return;
    }
    wire_error_set(&error, "STATE", "", "wants a daemon that stores the past of its worlds");
    refuse(solo, request, 0, &error);
}

static void
act_on(struct solo *solo, const struct wire_client_message *message)
{
    struct wire_pong pong = {.server_time_us = (uint64_t)solo->now_us};
    switch (message->kind) {
    case WIRE_CLIENT_HELLO:
        hear_hello(solo);
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
        pong.client_time_us = message->ping_client_time_us;
        say(solo, encode_pong, &pong);
        break;
    case WIRE_CLIENT_QUERY:
        hear_query(solo, message->query.take);
        break;
    case WIRE_CLIENT_LEASE:
    case WIRE_CLIENT_FORK:
    case WIRE_CLIENT_SEEK:
        hear_other(solo, message);
        break;
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
                                                           : 0;
    refuse(solo, request, is_input ? message->input.seq : 0, error);
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
