/* logic_peer.c: the side of the clients: messages of members, and the exchange with a logic. */
#include "proto/codec/logic.h"

#include "engine/base/assert.h"
#include "proto/codec/attribute.h"
#include "proto/codec/borrow.h"
#include "proto/codec/world.h"

#include <stdlib.h>
#include <string.h>

/* ---- sent ---- */

static void
fill_say(Cairn__V1__Say *out, const struct wire_say *say)
{
    cairn__v1__say__init(out);
    out->request = say->request;
    out->channel = codec_borrow(say->channel);
    switch (say->to) {
    case WIRE_SAY_ALL:
        out->to_case = CAIRN__V1__SAY__TO_ALL;
        out->all = true;
        break;
    case WIRE_SAY_SESSION:
        out->to_case = CAIRN__V1__SAY__TO_SESSION;
        out->session = say->session;
        break;
    case WIRE_SAY_LOGIC:
        out->to_case = CAIRN__V1__SAY__TO_LOGIC;
        out->logic = true;
        break;
    }
    if (say->is_text) {
        out->content_case = CAIRN__V1__SAY__CONTENT_TEXT;
        out->text = codec_borrow(say->content);
    } else {
        out->content_case = CAIRN__V1__SAY__CONTENT_BYTES;
        out->bytes.data = codec_borrow(say->content);
        out->bytes.len = say->size;
    }
}

size_t
wire_encode_say(const struct wire_say *say, uint8_t *out, size_t out_size)
{
    Cairn__V1__Say body;
    Cairn__V1__ClientMessage message = CAIRN__V1__CLIENT_MESSAGE__INIT;
    fill_say(&body, say);
    message.message_case = CAIRN__V1__CLIENT_MESSAGE__MESSAGE_SAY;
    message.say = &body;
    return codec_pack(&message.base, out, out_size);
}

size_t
wire_encode_logic_start(const struct wire_logic_start *start, uint8_t *out, size_t out_size)
{
    Cairn__V1__LogicStart body = CAIRN__V1__LOGIC_START__INIT;
    Cairn__V1__ClientMessage message = CAIRN__V1__CLIENT_MESSAGE__INIT;
    body.request = start->request;
    body.mode = (Cairn__V1__LogicStart__Mode)start->mode;
    body.every = start->every;
    body.deadline_us = start->deadline_us;
    body.events = start->events;
    body.frames = start->frames;
    body.take = start->take;
    message.message_case = CAIRN__V1__CLIENT_MESSAGE__MESSAGE_LOGIC;
    message.logic = &body;
    return codec_pack(&message.base, out, out_size);
}

/* An effect with room for its parts. */
struct effect_parts {
    Cairn__V1__Effect effect;
    Cairn__V1__Effect__Reset reset;
    Cairn__V1__Settings settings;
    Cairn__V1__Vec3 gravity;
};

/* Takes the message of an attribute, if the effect sets one, from *attributes. */
static bool
fill_effect(struct effect_parts *out, const struct wire_effect *in,
    Cairn__V1__AttributeChange ***attributes)
{
    cairn__v1__effect__init(&out->effect);
    cairn__v1__settings__init(&out->settings);
    if (in->kind == WIRE_EFFECT_RESET) {
        cairn__v1__effect__reset__init(&out->reset);
        out->effect.effect_case = CAIRN__V1__EFFECT__EFFECT_RESET;
        out->effect.reset = &out->reset;
    } else if (in->kind == WIRE_EFFECT_SETTINGS) {
        cairn__v1__vec3__init(&out->gravity);
        out->gravity.x = in->settings.gravity.x;
        out->gravity.y = in->settings.gravity.y;
        out->gravity.z = in->settings.gravity.z;
        out->settings.gravity = in->settings.has_gravity ? &out->gravity : NULL;
        out->effect.effect_case = CAIRN__V1__EFFECT__EFFECT_SETTINGS;
        out->effect.settings = &out->settings;
    } else if (in->kind == WIRE_EFFECT_ATTRIBUTE) {
        out->effect.effect_case = CAIRN__V1__EFFECT__EFFECT_ATTRIBUTE;
        out->effect.attribute = *(*attributes)++;
    }
    return in->kind == WIRE_EFFECT_ATTRIBUTE || in->kind == WIRE_EFFECT_SETTINGS ||
        in->kind == WIRE_EFFECT_RESET;
}

/* The messages of all attributes that effects set, in one block.  False without memory. */
static bool
build_attributes(const struct wire_logic_done *done, struct codec_attributes *out)
{
    struct wire_attribute_change rows[WIRE_LOGIC_EFFECTS_MAX];
    int count = 0;
    for (int i = 0; i < done->effect_count; i++) {
        if (done->effects[i].kind == WIRE_EFFECT_ATTRIBUTE) {
            const struct cn_attribute *attribute = &done->effects[i].attribute;
            rows[count++] = (struct wire_attribute_change){
                attribute, attribute->value.kind == CN_VALUE_NONE};
        }
    }
    return codec_attributes_build(rows, count, out);
}

size_t
wire_encode_logic_done(const struct wire_logic_done *done, uint8_t *out, size_t out_size)
{
    Cairn__V1__LogicDone body = CAIRN__V1__LOGIC_DONE__INIT;
    Cairn__V1__ClientMessage message = CAIRN__V1__CLIENT_MESSAGE__INIT;
    struct effect_parts parts[WIRE_LOGIC_EFFECTS_MAX];
    Cairn__V1__Effect *effects[WIRE_LOGIC_EFFECTS_MAX];
    Cairn__V1__Say says[WIRE_LOGIC_SAYS_MAX];
    Cairn__V1__Say *say_pointers[WIRE_LOGIC_SAYS_MAX];
    struct codec_attributes attributes;
    CN_ASSERT(done->effect_count <= WIRE_LOGIC_EFFECTS_MAX);
    CN_ASSERT(done->say_count <= WIRE_LOGIC_SAYS_MAX);
    if (!build_attributes(done, &attributes)) {
        return 0;
    }
    Cairn__V1__AttributeChange **next = attributes.changes;
    bool is_plain = true;
    for (int i = 0; i < done->effect_count; i++) {
        effects[i] = &parts[i].effect;
        is_plain = fill_effect(&parts[i], &done->effects[i], &next) && is_plain;
    }
    for (int i = 0; i < done->say_count; i++) {
        say_pointers[i] = &says[i];
        fill_say(&says[i], done->says[i]);
    }
    body.number = done->number;
    body.at_tick = done->at_tick;
    body.generation = done->generation;
    body.effects = effects;
    body.n_effects = (size_t)done->effect_count;
    body.messages = say_pointers;
    body.n_messages = (size_t)done->say_count;
    message.message_case = CAIRN__V1__CLIENT_MESSAGE__MESSAGE_LOGIC_DONE;
    message.logic_done = &body;
    size_t size = is_plain ? codec_pack(&message.base, out, out_size) : 0;
    free(attributes.block);
    return size;
}

/* ---- received ---- */

struct wire_heard_said *
codec_said_hear(const Cairn__V1__Said *in, struct wire_error *error)
{
    bool is_text = in->content_case == CAIRN__V1__SAID__CONTENT_TEXT;
    size_t size = is_text ? strlen(in->text)
        : in->content_case == CAIRN__V1__SAID__CONTENT_BYTES ? in->bytes.len
                                                            : 0;
    struct wire_heard_said *out = calloc(1, sizeof(*out) + size + 1);
    if (out == NULL) {
        wire_error_set(error, "MEMORY", "", "no memory");
        return NULL;
    }
    out->tick = in->tick;
    out->session = in->session;
    out->is_text = is_text;
    out->is_direct = in->direct;
    out->size = size;
    if (size > 0) {
        memcpy(out->content, is_text ? (const void *)in->text : in->bytes.data, size);
    }
    if (!codec_name_read(
            out->channel, sizeof(out->channel), in->channel, "said.channel", error)) {
        free(out);
        return NULL;
    }
    return out;
}

void
codec_logic_tick_hear(const Cairn__V1__LogicTick *in, struct wire_heard_logic_tick *out)
{
    *out = (struct wire_heard_logic_tick){.number = in->number,
        .tick = in->tick,
        .answered = in->answered,
        .generation = in->generation,
        .late_count = in->late_count,
        .dropped = in->dropped,
        .first = in->first,
        .member_count = in->n_members,
        .message_count = in->n_messages,
        .refused_count = in->n_refused,
        .people_count = in->n_people,
        .attribute_count = in->n_attributes};
    for (size_t i = 0; i < in->n_events; i++) {
        out->event_count += in->events[i]->n_events;
    }
}
