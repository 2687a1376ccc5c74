/*
 * test_logic_codec.c: messages of members and of a logic as bytes: what the daemon reads of them,
 * and refuses; what a client reads of its answers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "engine/model/event.h"
#include "proto/peer.h"

#include <cairn/v1/wire.pb-c.h>
#include <stdlib.h>
#include <string.h>

static uint8_t bytes[1 << 18];
static struct wire_error error;

static enum wire_decode_result
decode_say(const Cairn__V1__Say *say, struct wire_client_message *out)
{
    Cairn__V1__ClientMessage message = CAIRN__V1__CLIENT_MESSAGE__INIT;
    Cairn__V1__Say copy = *say;
    message.message_case = CAIRN__V1__CLIENT_MESSAGE__MESSAGE_SAY;
    message.say = &copy;
    memset(&error, 0, sizeof(error));
    return wire_client_decode(
        bytes, cairn__v1__client_message__pack(&message, bytes), out, &error);
}

static Cairn__V1__Say
good_say(void)
{
    Cairn__V1__Say say = CAIRN__V1__SAY__INIT;
    say.request = 7;
    say.channel = (char *)(uintptr_t)"game";
    say.to_case = CAIRN__V1__SAY__TO_ALL;
    say.all = true;
    say.content_case = CAIRN__V1__SAY__CONTENT_TEXT;
    say.text = (char *)(uintptr_t)"hi";
    return say;
}

static void
refuse_say(const Cairn__V1__Say *say, const char *code, const char *path)
{
    struct wire_client_message out;
    assert_int_equal(decode_say(say, &out), WIRE_DECODE_REFUSED);
    assert_string_equal(error.code, code);
    assert_string_equal(error.path, path);
    assert_int_equal(out.kind, WIRE_CLIENT_SAY); /* its answer needs these */
    assert_int_equal(out.say.request, 7);
}

static void
test_says(void **state)
{
    (void)state;
    static uint8_t large[WIRE_SAY_SIZE_MAX + 1];
    struct wire_client_message out;
    Cairn__V1__Say say = good_say();
    assert_int_equal(decode_say(&say, &out), WIRE_DECODE_OK);
    assert_int_equal(out.say.take->to, WIRE_SAY_ALL);
    assert_string_equal(out.say.take->channel, "game");
    assert_true(out.say.take->is_text && out.say.take->size == 2);
    assert_string_equal(out.say.take->content, "hi");
    wire_client_message_finish(&out);
    say.content_case = CAIRN__V1__SAY__CONTENT_BYTES;
    say.bytes.data = large;
    say.bytes.len = WIRE_SAY_SIZE_MAX;
    say.to_case = CAIRN__V1__SAY__TO_SESSION;
    say.session = UINT64_MAX;
    assert_int_equal(decode_say(&say, &out), WIRE_DECODE_OK);
    assert_true(!out.say.take->is_text && out.say.take->size == WIRE_SAY_SIZE_MAX);
    assert_true(out.say.take->session == UINT64_MAX);
    wire_client_message_finish(&out);
    say.bytes.len++;
    refuse_say(&say, "SIZE", "say.bytes");
    say = good_say();
    say.channel = (char *)(uintptr_t)"";
    refuse_say(&say, "NAME", "say.channel");
    say.channel = (char *)(uintptr_t)"a channel of more than 31 bytes!!";
    refuse_say(&say, "NAME", "say.channel");
    say = good_say();
    say.all = false;
    refuse_say(&say, "FIELD", "say.all");
    say.to_case = CAIRN__V1__SAY__TO_LOGIC;
    say.logic = false;
    refuse_say(&say, "FIELD", "say.logic");
    say.to_case = CAIRN__V1__SAY__TO__NOT_SET;
    refuse_say(&say, "FIELD", "say.to");
    say = good_say();
    say.content_case = CAIRN__V1__SAY__CONTENT__NOT_SET;
    refuse_say(&say, "FIELD", "say.content");
}

static enum wire_decode_result
decode_start(const Cairn__V1__LogicStart *start, struct wire_client_message *out)
{
    Cairn__V1__ClientMessage message = CAIRN__V1__CLIENT_MESSAGE__INIT;
    Cairn__V1__LogicStart copy = *start;
    message.message_case = CAIRN__V1__CLIENT_MESSAGE__MESSAGE_LOGIC;
    message.logic = &copy;
    return wire_client_decode(
        bytes, cairn__v1__client_message__pack(&message, bytes), out, &error);
}

static void
test_starts(void **state)
{
    (void)state;
    struct wire_client_message out;
    Cairn__V1__LogicStart start = CAIRN__V1__LOGIC_START__INIT;
    assert_int_equal(decode_start(&start, &out), WIRE_DECODE_OK);
    assert_int_equal(out.logic.every, 1); /* absent */
    assert_int_equal(out.logic.deadline_us, WIRE_LOGIC_DEADLINE_US_MAX);
    start.every = WIRE_LOGIC_EVERY_MAX;
    start.deadline_us = 1;
    start.mode = CAIRN__V1__LOGIC_START__MODE__AHEAD;
    start.events = start.take = true;
    assert_int_equal(decode_start(&start, &out), WIRE_DECODE_OK);
    assert_true(out.logic.events && out.logic.take && !out.logic.frames);
    assert_int_equal(out.logic.mode, WIRE_LOGIC_AHEAD);
    assert_int_equal(out.logic.every, WIRE_LOGIC_EVERY_MAX);
    start.deadline_us = WIRE_LOGIC_DEADLINE_US_MAX + 1;
    start.request = 5;
    assert_int_equal(decode_start(&start, &out), WIRE_DECODE_REFUSED);
    assert_string_equal(error.path, "logic.deadlineUs");
    assert_int_equal(out.logic.request, 5);
    start.deadline_us = 0;
    start.every = WIRE_LOGIC_EVERY_MAX + 1;
    assert_int_equal(decode_start(&start, &out), WIRE_DECODE_REFUSED);
    assert_string_equal(error.path, "logic.every");
}

/* The most effects and messages that an answer may have, each with a body: they fit into memory. */
static void
test_answers(void **state)
{
    (void)state;
    static Cairn__V1__Effect effects[WIRE_LOGIC_EFFECTS_MAX + 1],
        *effect_pointers[WIRE_LOGIC_EFFECTS_MAX + 1];
    static Cairn__V1__Say says[WIRE_LOGIC_SAYS_MAX + 1], *say_pointers[WIRE_LOGIC_SAYS_MAX + 1];
    Cairn__V1__Body body = CAIRN__V1__BODY__INIT, *bodies[1] = {&body};
    Cairn__V1__Change change = CAIRN__V1__CHANGE__INIT;
    Cairn__V1__LogicDone done = CAIRN__V1__LOGIC_DONE__INIT;
    Cairn__V1__ClientMessage message = CAIRN__V1__CLIENT_MESSAGE__INIT;
    struct wire_client_message out;
    change.n_bodies = 1;
    change.bodies = bodies;
    for (int i = 0; i <= WIRE_LOGIC_EFFECTS_MAX; i++) {
        cairn__v1__effect__init(&effects[i]);
        effects[i].effect_case = CAIRN__V1__EFFECT__EFFECT_CHANGE;
        effects[i].change = &change;
        effect_pointers[i] = &effects[i];
    }
    for (int i = 0; i <= WIRE_LOGIC_SAYS_MAX; i++) {
        says[i] = good_say();
        say_pointers[i] = &says[i];
    }
    done.number = 41;
    done.at_tick = 5;
    done.n_effects = WIRE_LOGIC_EFFECTS_MAX;
    done.effects = effect_pointers;
    done.n_messages = WIRE_LOGIC_SAYS_MAX;
    done.messages = say_pointers;
    message.message_case = CAIRN__V1__CLIENT_MESSAGE__MESSAGE_LOGIC_DONE;
    message.logic_done = &done;
    size_t size = cairn__v1__client_message__pack(&message, bytes);
    assert_int_equal(wire_client_decode(bytes, size, &out, &error), WIRE_DECODE_OK);
    assert_int_equal(out.logic_done_take->number, 41);
    assert_int_equal(out.logic_done_take->at_tick, 5);
    assert_int_equal(out.logic_done_take->effect_count, WIRE_LOGIC_EFFECTS_MAX);
    assert_int_equal(out.logic_done_take->say_count, WIRE_LOGIC_SAYS_MAX);
    assert_true(out.logic_done_take->effects[3].change.scene_size > 0);
    wire_client_message_finish(&out);
    const struct {
        size_t effects, says;
        const char *code, *path;
        Cairn__V1__Effect__EffectCase effect;
        Cairn__V1__Say__ToCase to;
    } bad[] = {
        {WIRE_LOGIC_EFFECTS_MAX + 1, 1, "LIMIT", "logicDone.effects",
            CAIRN__V1__EFFECT__EFFECT_CHANGE, CAIRN__V1__SAY__TO_ALL},
        {1, WIRE_LOGIC_SAYS_MAX + 1, "LIMIT", "logicDone.messages",
            CAIRN__V1__EFFECT__EFFECT_CHANGE, CAIRN__V1__SAY__TO_ALL},
        {3, 1, "FIELD", "logicDone.effects[2].effect", CAIRN__V1__EFFECT__EFFECT__NOT_SET,
            CAIRN__V1__SAY__TO_ALL},
        {3, 3, "FIELD", "logicDone.messages[2].logic", CAIRN__V1__EFFECT__EFFECT_CHANGE,
            CAIRN__V1__SAY__TO_LOGIC},
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        done.n_effects = bad[i].effects;
        done.n_messages = bad[i].says;
        effects[2].effect_case = bad[i].effect;
        says[2].to_case = bad[i].to;
        size = cairn__v1__client_message__pack(&message, bytes);
        assert_int_equal(wire_client_decode(bytes, size, &out, &error), WIRE_DECODE_REFUSED);
        assert_string_equal(error.code, bad[i].code);
        assert_string_equal(error.path, bad[i].path);
        assert_int_equal(out.kind, WIRE_CLIENT_LOGIC_DONE);
    }
}

/* Our own encoders are read by the daemon's decoder. */
static void
test_own(void **state)
{
    (void)state;
    struct wire_say *say = wire_say_create("c", false, "\1\2", 2);
    struct wire_effect effects[2] = {{.kind = WIRE_EFFECT_RESET},
        {.kind = WIRE_EFFECT_SETTINGS,
            .settings = {.has_gravity = true, .gravity = {1.0, 2.0, 3.0}}}};
    const struct wire_logic_done done = {.number = 3, .at_tick = 9, .effects = effects,
        .effect_count = 2, .says = &say, .say_count = 1};
    struct wire_client_message out;
    say->to = WIRE_SAY_SESSION;
    say->session = 12;
    size_t size = wire_encode_logic_done(&done, bytes, sizeof(bytes));
    assert_int_equal(wire_client_decode(bytes, size, &out, &error), WIRE_DECODE_OK);
    const struct wire_logic_done *read = out.logic_done_take;
    assert_true(read->number == 3 && read->at_tick == 9 && read->effect_count == 2);
    assert_int_equal(read->effects[0].kind, WIRE_EFFECT_RESET);
    assert_true(read->effects[1].settings.gravity.z == 3.0);
    assert_true(read->says[0]->session == 12 && read->says[0]->content[1] == 2);
    wire_client_message_finish(&out);
    effects[0].kind = WIRE_EFFECT_CHANGE; /* has no plain values */
    assert_int_equal(wire_encode_logic_done(&done, bytes, sizeof(bytes)), 0);
    free(say);
}

/* A LogicTick: events of one tick are one frame. */
static void
test_ticks(void **state)
{
    (void)state;
    const struct cn_event event = {.kind = CN_EVENT_IMPACT, .body_a = 1, .body_b = 2};
    const struct wire_logic_event events[3] = {{4, &event}, {4, &event}, {5, &event}};
    const struct wire_logic_member members[1] = {{.session = 7, .left = true, .name = ""}};
    const struct wire_said said[1] = {{.tick = 6, .session = 7, .channel = "c",
        .content = (const uint8_t *)"x", .size = 1, .is_text = true}};
    const struct wire_logic_tick tick = {.number = 8, .tick = 5, .answered = 7, .generation = 2,
        .events = events, .event_count = 3, .members = members, .member_count = 1,
        .messages = said, .message_count = 1, .late_count = 3, .dropped = 4};
    size_t size = wire_encode_logic_tick(&tick, bytes, sizeof(bytes));
    assert_int_equal(wire_encode_logic_tick(&tick, NULL, 0), size);
    Cairn__V1__ServerMessage *read = cairn__v1__server_message__unpack(NULL, size, bytes);
    assert_non_null(read);
    assert_int_equal(read->logic_tick->n_events, 2);
    assert_int_equal(read->logic_tick->events[0]->n_events, 2);
    assert_int_equal(read->logic_tick->events[1]->tick, 5);
    assert_string_equal(read->logic_tick->messages[0]->text, "x");
    assert_string_equal(read->logic_tick->hash, "");
    cairn__v1__server_message__free_unpacked(read, NULL);
    struct wire_server_message heard;
    assert_true(wire_server_decode(bytes, size, &heard, &error));
    assert_int_equal(heard.kind, WIRE_SERVER_LOGIC_TICK);
    assert_true(heard.logic_tick.number == 8 && heard.logic_tick.answered == 7);
    assert_true(heard.logic_tick.event_count == 3 && heard.logic_tick.member_count == 1);
    assert_true(heard.logic_tick.message_count == 1 && heard.logic_tick.dropped == 4);
    wire_server_message_finish(&heard);
    size = wire_encode_said(&said[0], bytes, sizeof(bytes));
    assert_true(wire_server_decode(bytes, size, &heard, &error));
    assert_string_equal(heard.said->channel, "c");
    assert_string_equal(heard.said->content, "x");
    wire_server_message_finish(&heard);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_says),
        cmocka_unit_test(test_starts),
        cmocka_unit_test(test_answers),
        cmocka_unit_test(test_own),
        cmocka_unit_test(test_ticks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
