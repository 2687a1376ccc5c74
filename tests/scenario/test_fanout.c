/*
 * test_fanout.c: clients of every mode and speed in one world, on the simulated transport.
 *
 * Every tick that a client is sent must show exactly the state that the world published, whatever
 * the client has missed before.  Each client here decodes only the bytes that it was sent, and
 * every column is compared.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "proto/delta.h"
#include "server/snapshot/publication.h"
#include "tests/support/server/server_sim.h"

#include <cairn/v1/wire.pb-c.h>
#include <math.h>
#include <stdlib.h>

/* Discs that jump for a long time, and one that never moves. */
static const char scene_text[] =
    "name: fanout\n"
    "materials: [{name: rubber, restitution: 0.9}]\n"
    "bodies:\n"
    "  - {type: STATIC, position: {y: -0.5}, shapes: [{box: {size: {x: 40, y: 1}}}]}\n"
    "  - {position: {x: -9, y: 0.5}, shapes: [{box: {size: {x: 1, y: 1}}}]}\n"
    "  - {position: {x: -6, y: 3}, shapes: [{circle: {radius: 0.4}, material: rubber}]}\n"
    "  - {position: {x: -4, y: 4}, shapes: [{circle: {radius: 0.4}, material: rubber}]}\n"
    "  - {position: {x: -2, y: 5}, angularVelocity: {z: 3},\n"
    "     shapes: [{circle: {radius: 0.4}, material: rubber}]}\n"
    "  - {position: {x: 0, y: 6}, shapes: [{circle: {radius: 0.4}, material: rubber}]}\n"
    "  - {position: {x: 2, y: 7}, shapes: [{circle: {radius: 0.4}, material: rubber}]}\n";

#define PUBLISHED_MAX 4096

/* A server, and every state that it has published. */
struct stage {
    struct server_sim sim;
    struct wire_state *published[PUBLISHED_MAX];
    int published_count;
};

struct client {
    struct stage *stage;
    int connection;
    struct wire_decoder decoder;
    uint64_t tick;       /* of the last TickHeader */
    uint32_t rate;       /* the last that it received */
    int tick_count, keyframe_count, delta_count, second_count, snapshot_count;
    int raw_count, text_count;
    bool acks;
    uint64_t ack_delay_ms; /* the delay of its acknowledgements */
    struct {
        uint64_t tick, at_ns;
    } unacked[256];
    unsigned unacked_first, unacked_count;
};

/* ---- the server ---- */

static void
stage_init(struct stage *stage)
{
    memset(stage, 0, sizeof(*stage));
    server_sim_init(&stage->sim, scene_text);
}

static void
stage_finish(struct stage *stage)
{
    for (int i = 0; i < stage->published_count; i++) {
        wire_state_unref(stage->published[i]);
    }
    server_sim_finish(&stage->sim);
}

/* Runs the server for a millisecond and keeps the state that it published. */
static void
stage_step(struct stage *stage)
{
    server_sim_step(&stage->sim);
    struct sv_publication *publication = stage->sim.host.worlds[0]->publication;
    struct wire_state *last =
        stage->published_count > 0 ? stage->published[stage->published_count - 1] : NULL;
    if (publication != NULL && publication->views[0].state != last) {
        assert_true(stage->published_count < PUBLISHED_MAX);
        stage->published[stage->published_count++] = wire_state_ref(publication->views[0].state);
    }
}

/* The newest state published at that tick; a paused world may publish a tick again. */
static const struct wire_state *
find_published(const struct stage *stage, uint64_t tick)
{
    for (int i = stage->published_count - 1; i >= 0; i--) {
        if (stage->published[i]->tick == tick) {
            return stage->published[i];
        }
    }
    fail_msg("a tick that was never published");
    return NULL;
}

/* ---- a client ---- */

static void
client_send(struct client *client, Cairn__V1__ClientMessage *message)
{
    uint8_t bytes[256];
    assert_true(cairn__v1__client_message__get_packed_size(message) <= sizeof(bytes));
    size_t size = cairn__v1__client_message__pack(message, bytes);
    sv_sim_send(&client->stage->sim.transport, client->connection, bytes, size);
}

#define CLIENT_MESSAGE(variable, NAME, member, part)                                               \
    Cairn__V1__ClientMessage variable = CAIRN__V1__CLIENT_MESSAGE__INIT;                           \
    variable.message_case = CAIRN__V1__CLIENT_MESSAGE__MESSAGE_##NAME;                             \
    variable.member = (part)

static void
client_subscribe(struct client *client, enum wire_mode mode, uint32_t rate)
{
    Cairn__V1__Subscribe subscribe = CAIRN__V1__SUBSCRIBE__INIT;
    subscribe.mode = (Cairn__V1__Subscribe__Mode)mode;
    subscribe.rate = rate;
    CLIENT_MESSAGE(message, SUBSCRIBE, subscribe, &subscribe);
    client_send(client, &message);
}

static void
client_join(struct client *client, struct stage *stage, enum wire_mode mode)
{
    memset(client, 0, sizeof(*client));
    client->stage = stage;
    client->decoder.precision = wire_precision_default();
    client->connection = sv_sim_connect(&stage->sim.transport);
    Cairn__V1__Hello hello = CAIRN__V1__HELLO__INIT;
    hello.version = WIRE_VERSION;
    CLIENT_MESSAGE(first, HELLO, hello, &hello);
    client_send(client, &first);
    client_subscribe(client, mode, 0);
    Cairn__V1__Join join = CAIRN__V1__JOIN__INIT;
    join.world = (char[]){"fanout"};
    CLIENT_MESSAGE(second, JOIN, join, &join);
    client_send(client, &second);
}

static void
client_control(struct client *client, Cairn__V1__Control__ActionCase action)
{
    Cairn__V1__Control control = CAIRN__V1__CONTROL__INIT;
    Cairn__V1__Control__Pause pause = CAIRN__V1__CONTROL__PAUSE__INIT;
    Cairn__V1__Control__Resume resume = CAIRN__V1__CONTROL__RESUME__INIT;
    Cairn__V1__Control__Reset reset = CAIRN__V1__CONTROL__RESET__INIT;
    control.request = 1;
    control.action_case = action;
    if (action == CAIRN__V1__CONTROL__ACTION_PAUSE) {
        control.pause = &pause;
    } else if (action == CAIRN__V1__CONTROL__ACTION_RESUME) {
        control.resume = &resume;
    } else {
        control.reset = &reset;
    }
    CLIENT_MESSAGE(message, CONTROL, control, &control);
    client_send(client, &message);
}

static void
check_columns(const struct client *client, size_t count, const int32_t *x, const int32_t *y,
    const int32_t *angle)
{
    const struct wire_state *truth = find_published(client->stage, client->tick);
    assert_int_equal(count, truth->count);
    assert_memory_equal(x, truth->x, count * sizeof(*x));
    assert_memory_equal(y, truth->y, count * sizeof(*y));
    assert_memory_equal(angle, truth->angle, count * sizeof(*angle));
}

static void
see_delta(struct client *client, const Cairn__V1__Delta *delta, const uint8_t *bytes, size_t size)
{
    const struct wire_state *state;
    assert_int_equal(delta->tick, client->tick);
    assert_int_equal(wire_decode_delta(&client->decoder, bytes, size, &state), WIRE_DELTA_OK);
    check_columns(client, (size_t)state->count, state->x, state->y, state->angle);
    client->keyframe_count += delta->first == 0 ? 1 : 0;
    client->delta_count += delta->first != 0 ? 1 : 0;
    client->second_count += delta->second != 0 ? 1 : 0;
}

/*
 * Exact numbers differ from quantised ones by half a quantum at most, plus the rounding of floats.
 */
static void
see_raw(struct client *client, const Cairn__V1__Raw *raw)
{
    const struct wire_state *truth = find_published(client->stage, client->tick);
    assert_int_equal(raw->tick, client->tick);
    assert_int_equal(raw->count, truth->count);
    assert_int_equal(raw->columns.len, raw->count * 4u * (1 + raw->column_count));
    for (uint32_t i = 0; i < raw->count; i++) {
        float x, angle;
        memcpy(&x, raw->columns.data + 4 * (raw->count + i), sizeof(x));
        memcpy(&angle, raw->columns.data + 4 * (3 * raw->count + i), sizeof(angle));
        double x_steps = (double)x / WIRE_POSITION_SCALE - truth->x[i];
        double angle_steps = (double)angle / WIRE_ANGLE_SCALE - truth->angle[i];
        assert_true(fabs(x_steps) <= 0.51 && fabs(angle_steps) <= 0.6);
    }
    client->raw_count++;
}

/* The numbers of a column of a text: "x":[...]. */
static size_t
read_column(const char *text, const char *name, int32_t *out, size_t out_max)
{
    const char *at = strstr(text, name);
    assert_non_null(at);
    at += strlen(name);
    at += strspn(at, " [");
    size_t count = 0;
    while (*at != ']' && count < out_max) {
        char *end;
        out[count++] = (int32_t)strtol(at, &end, 10);
        assert_true(end > at);
        at = *end == ',' ? end + 1 : end;
        at += strspn(at, " ");
    }
    return count;
}

static void
see_text(struct client *client, const char *text)
{
    int32_t x[16], y[16], angle[16];
    size_t count = read_column(text, "\"x\":", x, 16);
    assert_int_equal(read_column(text, "\"y\":", y, 16), count);
    assert_int_equal(read_column(text, "\"angle\":", angle, 16), count);
    check_columns(client, count, x, y, angle);
    client->text_count++;
}

static void
see_tick(struct client *client, const Cairn__V1__TickHeader *header)
{
    client->tick = header->tick;
    client->rate = header->rate != 0 ? header->rate : client->rate;
    client->tick_count++;
    if (client->acks) {
        unsigned place = (client->unacked_first + client->unacked_count++) % 256;
        assert_true(client->unacked_count < 256);
        client->unacked[place].tick = header->tick;
        client->unacked[place].at_ns =
            client->stage->sim.now_ns + client->ack_delay_ms * SV_NS_PER_MS;
    }
}

static void
see(struct client *client, const Cairn__V1__ServerMessage *message, const uint8_t *bytes,
    size_t size)
{
    switch (message->message_case) {
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_JOINED:
        wire_ring_clear(&client->decoder.ring);
        break;
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_TICK:
        see_tick(client, message->tick);
        break;
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_SNAPSHOT:
        assert_int_equal(message->snapshot->tick, client->tick);
        check_columns(client, message->snapshot->n_x, message->snapshot->x,
            message->snapshot->y, message->snapshot->angle);
        client->snapshot_count++;
        break;
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_RAW:
        see_raw(client, message->raw);
        break;
    case CAIRN__V1__SERVER_MESSAGE__MESSAGE_DELTA:
        see_delta(client, message->delta, bytes, size);
        break;
    default:
        break;
    }
}

static void
client_read(struct client *client)
{
    struct server_sim *sim = &client->stage->sim;
    struct sv_sim_message message;
    while (sv_sim_take(&sim->transport, client->connection, &message)) {
        if (message.is_text) {
            see_text(client, (const char *)message.bytes);
            free(message.bytes);
            continue;
        }
        Cairn__V1__ServerMessage *unpacked =
            cairn__v1__server_message__unpack(NULL, message.size, message.bytes);
        assert_non_null(unpacked);
        see(client, unpacked, message.bytes, message.size);
        cairn__v1__server_message__free_unpacked(unpacked, NULL);
        free(message.bytes);
    }
    while (client->unacked_count > 0 &&
        client->unacked[client->unacked_first].at_ns <= sim->now_ns) {
        Cairn__V1__Ack ack = CAIRN__V1__ACK__INIT;
        ack.tick = client->unacked[client->unacked_first].tick;
        client->unacked_first = (client->unacked_first + 1) % 256;
        client->unacked_count--;
        CLIENT_MESSAGE(answer, ACK, ack, &ack);
        client_send(client, &answer);
    }
}

static void
client_finish(struct client *client)
{
    sv_sim_disconnect(&client->stage->sim.transport, client->connection);
    wire_ring_clear(&client->decoder.ring);
}

static void
block(struct client *client, bool is_blocked)
{
    sv_sim_block(&client->stage->sim.transport, client->connection, is_blocked);
}

static void
run(struct stage *stage, struct client **clients, int count, uint64_t duration_ms)
{
    for (uint64_t i = 0; i < duration_ms; i++) {
        stage_step(stage);
        for (int k = 0; k < count; k++) {
            client_read(clients[k]);
        }
    }
}

/* ---- the scenarios ---- */

/*
 * One client always reads, and one reads for an instant every 100 ms.  The third does not read for
 * two seconds, which is longer than baselines are kept.
 */
static void
play_tempers(enum wire_mode mode)
{
    static struct stage stage;
    struct client quick, slow, stalled, *all[3] = {&quick, &slow, &stalled};
    stage_init(&stage);
    for (int i = 0; i < 3; i++) {
        client_join(all[i], &stage, mode);
    }
    run(&stage, all, 3, 500);
    assert_true(stalled.tick_count > 25);
    int stalled_before = stalled.tick_count;
    block(&stalled, true);
    for (int i = 0; i < 20; i++) {
        block(&slow, true);
        run(&stage, all, 3, 99);
        block(&slow, false);
        run(&stage, all, 3, 1);
    }
    assert_int_equal(stalled.tick_count, stalled_before);
    block(&stalled, false);
    client_read(&stalled);
    assert_int_equal(stalled.tick_count, stalled_before + 1);
    assert_true(stalled.tick + 1 >= quick.tick);
    run(&stage, all, 3, 500);
    assert_true(quick.tick_count >= 178);
    assert_in_range(slow.tick_count, 75, 105);
    assert_int_equal(slow.tick, quick.tick);
    assert_int_equal(stalled.tick, quick.tick);
    if (mode == WIRE_MODE_DELTA) {
        assert_int_equal(quick.keyframe_count, 1);
        assert_int_equal(slow.keyframe_count, 1);
        assert_int_equal(stalled.keyframe_count, 2);
        assert_true(quick.second_count >= quick.tick_count - 4);
        assert_true(slow.delta_count == slow.tick_count - 1);
    } else {
        int shown = mode == WIRE_MODE_RAW ? quick.raw_count
            : mode == WIRE_MODE_JSON      ? quick.text_count
                                          : quick.snapshot_count;
        /* The ticks between Join and Subscribe may be Snapshots. */
        assert_true(shown >= quick.tick_count - 2);
        assert_int_equal(quick.delta_count + quick.keyframe_count, 0);
    }
    for (int i = 0; i < 3; i++) {
        client_finish(all[i]);
    }
    stage_finish(&stage);
}

static void
test_tempers(void **state)
{
    (void)state;
    play_tempers(WIRE_MODE_QUANTISED);
    play_tempers(WIRE_MODE_DELTA);
    play_tempers(WIRE_MODE_RAW);
    play_tempers(WIRE_MODE_JSON);
}

/* A client changes its mode every ten ticks; each change to DELTA starts with a keyframe. */
static void
test_switching(void **state)
{
    (void)state;
    static struct stage stage;
    struct client constant, fickle, *all[2] = {&constant, &fickle};
    stage_init(&stage);
    client_join(&constant, &stage, WIRE_MODE_DELTA);
    client_join(&fickle, &stage, WIRE_MODE_QUANTISED);
    run(&stage, all, 2, 200);
    for (int i = 0; i < 12; i++) {
        client_subscribe(&fickle, (enum wire_mode)((i + 1) % WIRE_MODE_COUNT), 0);
        run(&stage, all, 2, 200);
    }
    assert_int_equal(fickle.keyframe_count, 3);
    assert_true(fickle.delta_count > 25 && fickle.snapshot_count > 30);
    assert_true(fickle.raw_count > 30 && fickle.text_count > 30);
    assert_int_equal(constant.keyframe_count, 1);
    assert_int_equal(fickle.tick, constant.tick);
    client_finish(&constant);
    client_finish(&fickle);
    stage_finish(&stage);
}

/* A paused world can be shown again at the same tick; a reset world starts from tick 0 again. */
static void
test_pause_and_reset(void **state)
{
    (void)state;
    static struct stage stage;
    struct client ann, bob, *all[2] = {&ann, &bob};
    stage_init(&stage);
    client_join(&ann, &stage, WIRE_MODE_DELTA);
    client_join(&bob, &stage, WIRE_MODE_DELTA);
    client_subscribe(&bob, WIRE_MODE_DELTA, 20);
    run(&stage, all, 2, 300);
    client_control(&ann, CAIRN__V1__CONTROL__ACTION_PAUSE);
    run(&stage, all, 2, 100);
    assert_int_equal(bob.tick, ann.tick); /* at any rate */
    client_subscribe(&ann, WIRE_MODE_DELTA, 0);
    run(&stage, all, 2, 100);
    block(&bob, true);
    client_subscribe(&ann, WIRE_MODE_DELTA, 0);
    run(&stage, all, 2, 100);
    client_control(&ann, CAIRN__V1__CONTROL__ACTION_RESUME);
    run(&stage, all, 2, 100);
    block(&bob, false);
    run(&stage, all, 2, 300);
    uint64_t tick = ann.tick;
    client_control(&ann, CAIRN__V1__CONTROL__ACTION_RESET);
    run(&stage, all, 2, 100);
    assert_true(ann.tick < tick);
    run(&stage, all, 2, 1500);
    assert_true(bob.tick_count > 30 && bob.tick_count < 70);
    client_finish(&ann);
    client_finish(&bob);
    stage_finish(&stage);
}

/* A rate of 20 is every third tick, the same for both clients, in shared messages. */
static void
test_rates(void **state)
{
    (void)state;
    static struct stage stage;
    struct client full, ann, bob, *all[3] = {&full, &ann, &bob};
    stage_init(&stage);
    for (int i = 0; i < 3; i++) {
        client_join(all[i], &stage, WIRE_MODE_DELTA);
    }
    run(&stage, all, 3, 100);
    assert_int_equal(full.rate, 60);
    client_subscribe(&ann, WIRE_MODE_DELTA, 20);
    run(&stage, all, 3, 115);
    client_subscribe(&bob, WIRE_MODE_DELTA, 20);
    run(&stage, all, 3, 200);
    uint64_t filled = atomic_load(&stage.sim.metrics.deltas_filled);
    int before[3] = {full.tick_count, ann.tick_count, bob.tick_count};
    run(&stage, all, 3, 3000);
    assert_in_range(full.tick_count - before[0], 179, 181);
    assert_in_range(ann.tick_count - before[1], 59, 61);
    assert_in_range(bob.tick_count - before[2], 59, 61);
    assert_int_equal(ann.tick, bob.tick);
    assert_int_equal(ann.rate, 20);
    assert_int_equal(ann.keyframe_count, 1);
    assert_in_range(atomic_load(&stage.sim.metrics.deltas_filled) - filled, 59, 61);
    for (int i = 0; i < 3; i++) {
        client_finish(all[i]);
    }
    stage_finish(&stage);
}

/* A Subscribe equal to the last one asks for a keyframe; a different one needs no keyframe. */
static void
test_lost_baseline(void **state)
{
    (void)state;
    static struct stage stage;
    struct client ann, *all[1] = {&ann};
    stage_init(&stage);
    client_join(&ann, &stage, WIRE_MODE_DELTA);
    run(&stage, all, 1, 200);
    client_subscribe(&ann, WIRE_MODE_DELTA, 30);
    run(&stage, all, 1, 200);
    assert_int_equal(ann.keyframe_count, 1);
    wire_ring_clear(&ann.decoder.ring);
    client_subscribe(&ann, WIRE_MODE_DELTA, 30);
    run(&stage, all, 1, 200);
    assert_int_equal(ann.keyframe_count, 2);
    client_finish(&ann);
    stage_finish(&stage);
}

/* A client whose Acks come late gets fewer ticks, and all again when its Acks are quick. */
static void
test_lag(void **state)
{
    (void)state;
    static struct stage stage;
    struct client quick, far, late, *all[3] = {&quick, &far, &late};
    stage_init(&stage);
    for (int i = 0; i < 3; i++) {
        client_join(all[i], &stage, WIRE_MODE_DELTA);
        all[i]->acks = true;
    }
    quick.ack_delay_ms = late.ack_delay_ms = 20;
    far.ack_delay_ms = 300;
    run(&stage, all, 3, 1000);
    late.ack_delay_ms = 400;
    run(&stage, all, 3, 2000);
    assert_int_equal(late.rate, 20);
    assert_int_equal(atomic_load(&stage.sim.metrics.clients_third_rate), 1);
    late.ack_delay_ms = 20;
    run(&stage, all, 3, 4500);
    assert_int_equal(late.rate, 30);
    run(&stage, all, 3, 3500);
    assert_int_equal(late.rate, 60);
    assert_int_equal(quick.rate, 60);
    assert_int_equal(far.rate, 60);
    assert_int_equal(atomic_load(&stage.sim.metrics.clients_third_rate), 0);
    assert_int_equal(atomic_load(&stage.sim.metrics.clients_half_rate), 0);
    for (int i = 0; i < 3; i++) {
        client_finish(all[i]);
    }
    stage_finish(&stage);
}

/* Written by hand, read by protobuf-c; packed again it is the same bytes. */
static void
test_tick_header(void **state)
{
    (void)state;
    const struct wire_tick_header headers[] = {
        {0},
        {.tick = 1, .rate_hz = 60},
        {.tick = 127, .applied_seq = 128, .durable_seq = 16384, .server_time_us = 1},
        {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT32_MAX},
    };
    for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++) {
        uint8_t bytes[128], packed[128];
        size_t size = wire_encode_tick_header(&headers[i], bytes, sizeof(bytes));
        assert_in_range(size, 2, 72);
        assert_int_equal(wire_encode_tick_header(&headers[i], NULL, 0), size);
        Cairn__V1__ServerMessage *message =
            cairn__v1__server_message__unpack(NULL, size, bytes);
        assert_non_null(message);
        assert_int_equal(message->message_case, CAIRN__V1__SERVER_MESSAGE__MESSAGE_TICK);
        assert_true(message->tick->tick == headers[i].tick);
        assert_true(message->tick->applied_seq == headers[i].applied_seq);
        assert_true(message->tick->durable_seq == headers[i].durable_seq);
        assert_true(message->tick->server_time_us == headers[i].server_time_us);
        assert_true(message->tick->rate == headers[i].rate_hz);
        assert_true(message->tick->durable_tick == headers[i].durable_tick);
        assert_int_equal(cairn__v1__server_message__pack(message, packed), size);
        assert_memory_equal(packed, bytes, size);
        cairn__v1__server_message__free_unpacked(message, NULL);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tick_header),
        cmocka_unit_test(test_tempers),
        cmocka_unit_test(test_switching),
        cmocka_unit_test(test_pause_and_reset),
        cmocka_unit_test(test_rates),
        cmocka_unit_test(test_lost_baseline),
        cmocka_unit_test(test_lag),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
