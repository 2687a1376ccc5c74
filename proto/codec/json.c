#include "proto/codec_json.h"

#include "engine/base/assert.h"
#include "proto/codec/borrow.h"
#include "proto/codec/check.h"
#include "proto/codec/world.h"
#include "proto/scene.h"
#include "proto/text.h"

#include <cairn/v1/wire.pb-c.h>
#include <stdlib.h>
#include <string.h>

char *
wire_status_print(const struct wire_status *status)
{
    struct codec_status_message body;
    codec_status_build(&body, status);
    return wire_text_print(&body.message.base, true, true);
}

char *
wire_worlds_print(const struct wire_status *const *worlds, size_t count, const char *next)
{
    struct codec_status_message *bodies = calloc(count + 1, sizeof(*bodies));
    Cairn__V1__WorldStatus **pointers = calloc(count + 1, sizeof(*pointers));
    char *text = NULL;
    if (bodies != NULL && pointers != NULL) {
        for (size_t i = 0; i < count; i++) {
            codec_status_build(&bodies[i], worlds[i]);
            pointers[i] = &bodies[i].message;
        }
        Cairn__V1__WorldList list = CAIRN__V1__WORLD_LIST__INIT;
        list.n_worlds = count;
        list.worlds = pointers;
        list.next = codec_borrow(next);
        text = wire_text_print(&list.base, true, true);
    }
    free(bodies);
    free(pointers);
    return text;
}

char *
wire_error_print(const struct wire_error *error)
{
    struct codec_error_message body;
    codec_error_build(&body, error);
    return wire_text_print(&body.message.base, true, true);
}

char *
wire_server_message_print(const uint8_t *bytes, size_t size)
{
    Cairn__V1__ServerMessage *message = cairn__v1__server_message__unpack(NULL, size, bytes);
    char *text = message != NULL ? wire_text_print(&message->base, false, false) : NULL;
    if (message != NULL) {
        cairn__v1__server_message__free_unpacked(message, NULL);
    }
    return text;
}

/* Generators of different versions spell the struct's tag in different ways. */
static const Cairn__V1__Scene *
scene_message(const struct wire_scene *scene)
{
    return (const Cairn__V1__Scene *)(const void *)wire_scene_message(scene);
}

char *
wire_scene_print(const struct wire_scene *scene)
{
    return wire_text_print(&scene_message(scene)->base, true, false);
}

char *
wire_scenes_print(const struct wire_scene *const *scenes, size_t count)
{
    Cairn__V1__SceneSummary *bodies = calloc(count + 1, sizeof(*bodies));
    Cairn__V1__SceneSummary **pointers = calloc(count + 1, sizeof(*pointers));
    char *text = NULL;
    if (bodies != NULL && pointers != NULL) {
        for (size_t i = 0; i < count; i++) {
            const Cairn__V1__Scene *message = scene_message(scenes[i]);
            cairn__v1__scene_summary__init(&bodies[i]);
            bodies[i].name = codec_borrow(wire_scene_name(scenes[i]));
            bodies[i].title = message->title;
            bodies[i].description = message->description;
            bodies[i].body_count = (uint32_t)message->n_bodies;
            pointers[i] = &bodies[i];
        }
        Cairn__V1__SceneList list = CAIRN__V1__SCENE_LIST__INIT;
        list.n_scenes = count;
        list.scenes = pointers;
        text = wire_text_print(&list.base, true, true);
    }
    free(bodies);
    free(pointers);
    return text;
}

char *
wire_items_print(const struct wire_item *items, size_t count)
{
    Cairn__V1__ItemList__Item *bodies = calloc(count + 1, sizeof(*bodies));
    Cairn__V1__ItemList__Item **pointers = calloc(count + 1, sizeof(*pointers));
    char *text = NULL;
    if (bodies != NULL && pointers != NULL) {
        for (size_t i = 0; i < count; i++) {
            cairn__v1__item_list__item__init(&bodies[i]);
            bodies[i].name = codec_borrow(items[i].name);
            bodies[i].text = codec_borrow(items[i].text);
            bodies[i].fits = codec_borrow(items[i].fits);
            bodies[i].n_fits = items[i].fit_count;
            pointers[i] = &bodies[i];
        }
        Cairn__V1__ItemList list = CAIRN__V1__ITEM_LIST__INIT;
        list.n_items = count;
        list.items = pointers;
        text = wire_text_print(&list.base, true, true);
    }
    free(bodies);
    free(pointers);
    return text;
}

ProtobufCMessage *
codec_json_parse(const ProtobufCMessageDescriptor *descriptor, const char *text, size_t size,
    struct wire_error *error)
{
    struct wire_text_error wrong;
    ProtobufCMessage *message = size > 0 ? wire_text_parse(descriptor, text, size, &wrong)
                                         : wire_text_parse(descriptor, "{}", 2, &wrong);
    if (message == NULL) {
        wire_error_from_defect(error, &wrong.defect);
        error->line = wrong.line;
        return NULL;
    }
    if (!codec_check_values(message, "", error)) {
        wire_text_free(message);
        return NULL;
    }
    CN_ASSERT(message->descriptor == descriptor);
    return message;
}

bool
wire_settings_parse(
    const char *text, size_t size, struct wire_settings *settings, struct wire_error *error)
{
    ProtobufCMessage *message =
        codec_json_parse(&cairn__v1__settings__descriptor, text, size, error);
    if (message == NULL) {
        return false;
    }
    bool is_good = codec_settings_read((const Cairn__V1__Settings *)message, settings, error);
    wire_text_free(message);
    return is_good;
}

bool
wire_create_parse(
    const char *text, size_t size, struct wire_source *source, struct wire_error *error)
{
    memset(source, 0, sizeof(*source));
    ProtobufCMessage *message =
        codec_json_parse(&cairn__v1__create_world__descriptor, text, size, error);
    if (message == NULL) {
        return false;
    }
    bool is_good = codec_create_read((const Cairn__V1__CreateWorld *)message, source, error);
    wire_text_free(message);
    return is_good;
}

bool
wire_load_parse(
    const char *text, size_t size, struct wire_source *source, struct wire_error *error)
{
    memset(source, 0, sizeof(*source));
    ProtobufCMessage *message =
        codec_json_parse(&cairn__v1__load_scene__descriptor, text, size, error);
    if (message == NULL) {
        return false;
    }
    bool is_good = codec_load_read((const Cairn__V1__LoadScene *)message, source, error);
    wire_text_free(message);
    return is_good;
}

bool
wire_change_parse(
    const char *text, size_t size, struct wire_source *source, struct wire_error *error)
{
    memset(source, 0, sizeof(*source));
    ProtobufCMessage *message =
        codec_json_parse(&cairn__v1__change__descriptor, text, size, error);
    if (message == NULL) {
        return false;
    }
    bool is_good = codec_change_read((const Cairn__V1__Change *)message, source, error);
    wire_text_free(message);
    return is_good;
}

bool
wire_step_parse(const char *text, size_t size, uint32_t *ticks, struct wire_error *error)
{
    ProtobufCMessage *message =
        codec_json_parse(&cairn__v1__control__step__descriptor, text, size, error);
    if (message == NULL) {
        return false;
    }
    *ticks = ((const Cairn__V1__Control__Step *)message)->ticks;
    wire_text_free(message);
    return true;
}

bool
wire_fork_parse(const char *text, size_t size, struct wire_fork *fork, struct wire_error *error)
{
    memset(fork, 0, sizeof(*fork));
    ProtobufCMessage *message =
        codec_json_parse(&cairn__v1__fork_world__descriptor, text, size, error);
    if (message == NULL) {
        return false;
    }
    const Cairn__V1__ForkWorld *in = (const Cairn__V1__ForkWorld *)message;
    fork->has_tick = in->tick_set_case == CAIRN__V1__FORK_WORLD__TICK_SET_TICK;
    fork->tick = fork->has_tick ? in->tick : 0;
    fork->paused = in->paused;
    fork->replay = in->replay;
    fork->speed = in->speed_set_case == CAIRN__V1__FORK_WORLD__SPEED_SET_SPEED ? in->speed : 1.0;
    bool is_good = codec_name_read(fork->id, sizeof(fork->id), in->id, "id", error) &&
        codec_fork_check(fork, "", error);
    wire_text_free(message);
    return is_good;
}

static bool
make_marks(const struct wire_timeline *timeline, Cairn__V1__Timeline *message)
{
    Cairn__V1__Timeline__Mark *bodies = calloc(timeline->mark_count + 1, sizeof(*bodies));
    message->marks = calloc(timeline->mark_count + 1, sizeof(*message->marks));
    if (bodies == NULL || message->marks == NULL) {
        free(bodies);
        return false;
    }
    CN_ASSERT(message->n_marks == 0);
    message->n_marks = timeline->mark_count;
    message->marks[0] = bodies; /* the pointer that is freed; set even if there are no bodies */
    for (size_t i = 0; i < timeline->mark_count; i++) {
        cairn__v1__timeline__mark__init(&bodies[i]);
        bodies[i].tick = timeline->marks[i].tick;
        bodies[i].kind = codec_borrow(timeline->marks[i].kind);
        bodies[i].session = timeline->marks[i].session;
        bodies[i].physics = timeline->marks[i].physics;
        message->marks[i] = &bodies[i];
    }
    return true;
}

static bool
make_spans(const struct wire_timeline *timeline, Cairn__V1__Timeline *message)
{
    Cairn__V1__Timeline__Span *bodies = calloc(timeline->span_count + 1, sizeof(*bodies));
    message->inputs = calloc(timeline->span_count + 1, sizeof(*message->inputs));
    if (bodies == NULL || message->inputs == NULL) {
        free(bodies);
        return false;
    }
    CN_ASSERT(message->n_inputs == 0);
    message->n_inputs = timeline->span_count;
    message->inputs[0] = bodies;
    for (size_t i = 0; i < timeline->span_count; i++) {
        cairn__v1__timeline__span__init(&bodies[i]);
        bodies[i].first_tick = timeline->spans[i].first_tick;
        bodies[i].last_tick = timeline->spans[i].last_tick;
        bodies[i].count = timeline->spans[i].count;
        message->inputs[i] = &bodies[i];
    }
    return true;
}

char *
wire_timeline_print(const struct wire_timeline *timeline)
{
    Cairn__V1__Timeline message = CAIRN__V1__TIMELINE__INIT;
    char *text = NULL;
    message.first_tick = timeline->first_tick;
    message.tick = timeline->tick;
    message.tick_rate = timeline->tick_rate;
    message.checkpoints = timeline->checkpoints;
    message.n_checkpoints = timeline->checkpoint_count;
    if (make_marks(timeline, &message) && make_spans(timeline, &message)) {
        text = wire_text_print(&message.base, true, true);
    }
    if (message.marks != NULL) {
        free(message.marks[0]);
    }
    if (message.inputs != NULL) {
        free(message.inputs[0]);
    }
    free(message.marks);
    free(message.inputs);
    return text;
}
