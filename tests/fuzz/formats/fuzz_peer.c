/*
 * fuzz_peer.c: no message from a daemon crashes a client, and every accepted message is usable.
 *
 * The first byte chooses: plain bytes; a message made field by field, which must be accepted; or
 * the same with bytes changed or cut off.  A scan of the bytes finds the kind, and how many bytes
 * each field takes.  It must agree with the decoder.
 */
#include "engine/base/assert.h"
#include "proto/peer.h"
#include "tests/fuzz/take.h"

#include <cairn/v1/wire.pb-c.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define COLUMN_MAX 8
#define PACKED_SIZE_MAX 8192

static void
check_status(const struct wire_status *status)
{
    CN_ASSERT(memchr(status->id, 0, sizeof(status->id)) != NULL);
    CN_ASSERT(memchr(status->name, 0, sizeof(status->name)) != NULL);
    CN_ASSERT(isfinite(status->time) && isfinite(status->tick_rate));
}

static void
check_taken(const struct wire_server_message *message)
{
    switch (message->kind) {
    case WIRE_SERVER_JOINED:
        CN_ASSERT(message->joined != NULL);
        check_status(&message->joined->status);
        CN_ASSERT(isfinite(message->joined->position_scale));
        for (size_t i = 0; i < message->joined->body_count; i++) {
            CN_ASSERT(isfinite(message->joined->bodies[i].mass));
        }
        break;
    case WIRE_SERVER_STATUS:
        check_status(message->status);
        break;
    case WIRE_SERVER_WORLDS:
        for (size_t i = 0; i < message->worlds.count; i++) {
            check_status(&message->worlds.statuses[i]);
        }
        break;
    case WIRE_SERVER_REJECTED:
        CN_ASSERT(memchr(message->rejected.error.code, 0, sizeof(message->rejected.error.code)) !=
            NULL);
        break;
    case WIRE_SERVER_ENERGY:
        CN_ASSERT(isfinite(message->energy.total));
        break;
    default:
        CN_ASSERT(message->kind != WIRE_SERVER_NONE);
    }
}

/* Whether the bytes are taken. */
static bool
decode(const uint8_t *bytes, size_t size)
{
    struct wire_server_message message;
    struct wire_error error;
    uint64_t sizes[WIRE_FIELDS_MAX] = {0}, sum = 0;
    enum wire_server_kind kind = wire_server_kind(bytes, size);
    wire_server_field_sizes(bytes, size, sizes);
    for (int i = 0; i < WIRE_FIELDS_MAX; i++) {
        sum += sizes[i];
    }
    CN_ASSERT(sum <= size);
    if (!wire_server_decode(bytes, size, &message, &error)) {
        CN_ASSERT(error.code[0] != '\0' && error.text[0] != '\0');
        return false;
    }
    CN_ASSERT(wire_server_kind_name(message.kind) != NULL);
    CN_ASSERT(kind == message.kind || kind == WIRE_SERVER_NONE || size > 2);
    check_taken(&message);
    wire_server_message_finish(&message);
    return true;
}

/* ---- made by their fields ---- */

struct made {
    Cairn__V1__ServerMessage message;
    Cairn__V1__Welcome welcome;
    Cairn__V1__TickHeader tick;
    Cairn__V1__Snapshot snapshot;
    Cairn__V1__EnergyFrame energy;
    Cairn__V1__Pong pong;
    Cairn__V1__ControlDone done;
    Cairn__V1__Rejected rejected;
    Cairn__V1__Error error;
    Cairn__V1__WorldStatus status;
    Cairn__V1__Joined joined;
    Cairn__V1__Scene scene;
    Cairn__V1__Body body, *bodies[1];
    Cairn__V1__LeaseState leases;
    Cairn__V1__Changed changed;
    uint32_t slots[COLUMN_MAX];
    int32_t x[COLUMN_MAX], y[COLUMN_MAX], angle[COLUMN_MAX];
    char text[33];
};

/* Finite, since a client refuses others. */
static double
take_finite(struct take *in)
{
    double value = take_double(in);
    return isfinite(value) ? value : 0.0;
}

static void
make_snapshot(struct take *in, struct made *made)
{
    Cairn__V1__Snapshot *snapshot = &made->snapshot;
    cairn__v1__snapshot__init(snapshot);
    size_t count = take_byte(in) % (COLUMN_MAX + 1);
    for (size_t i = 0; i < count; i++) {
        made->slots[i] = (uint32_t)(2 * i);
        made->x[i] = (int32_t)take_number(in);
        made->y[i] = -(int32_t)(take_number(in) & 0x7fffffff);
        made->angle[i] = (int32_t)take_number(in);
    }
    snapshot->tick = take_u32(in);
    snapshot->time = take_finite(in);
    snapshot->n_body = snapshot->n_x = snapshot->n_y = snapshot->n_angle = count;
    snapshot->body = made->slots;
    snapshot->x = made->x;
    snapshot->y = made->y;
    snapshot->angle = made->angle;
    made->message.message_case = CAIRN__V1__SERVER_MESSAGE__MESSAGE_SNAPSHOT;
    made->message.snapshot = snapshot;
}

static void
make_joined(struct take *in, struct made *made)
{
    cairn__v1__joined__init(&made->joined);
    cairn__v1__scene__init(&made->scene);
    cairn__v1__body__init(&made->body);
    cairn__v1__world_status__init(&made->status);
    made->bodies[0] = &made->body;
    made->body.name = made->text;
    made->body.mass = fabs(take_finite(in));
    made->scene.n_bodies = take_byte(in) % 2;
    made->scene.bodies = made->bodies;
    made->joined.world = made->text;
    made->joined.scene = &made->scene;
    made->joined.status = &made->status;
    made->joined.position_scale = 0.001;
    made->joined.angle_scale = 0.001;
    made->joined.turn_scale = 0.001;
    made->message.message_case = CAIRN__V1__SERVER_MESSAGE__MESSAGE_JOINED;
    made->message.joined = &made->joined;
}

static void
make_small(struct take *in, struct made *made, unsigned kind)
{
    switch (kind) {
    case 0:
        cairn__v1__welcome__init(&made->welcome);
        made->welcome.version = 1;
        made->welcome.session = take_u32(in);
        made->welcome.server = made->text;
        made->message.message_case = CAIRN__V1__SERVER_MESSAGE__MESSAGE_WELCOME;
        made->message.welcome = &made->welcome;
        break;
    case 1:
        cairn__v1__tick_header__init(&made->tick);
        made->tick.tick = take_u32(in);
        made->tick.applied_seq = take_number(in);
        made->message.message_case = CAIRN__V1__SERVER_MESSAGE__MESSAGE_TICK;
        made->message.tick = &made->tick;
        break;
    case 2:
        cairn__v1__energy_frame__init(&made->energy);
        made->energy.kinetic = take_finite(in);
        made->energy.total = take_finite(in);
        made->message.message_case = CAIRN__V1__SERVER_MESSAGE__MESSAGE_ENERGY;
        made->message.energy = &made->energy;
        break;
    case 3:
        cairn__v1__pong__init(&made->pong);
        made->pong.margin = (int32_t)take_u32(in);
        made->message.message_case = CAIRN__V1__SERVER_MESSAGE__MESSAGE_PONG;
        made->message.pong = &made->pong;
        break;
    case 4:
        cairn__v1__control_done__init(&made->done);
        made->done.request = take_number(in);
        made->done.world = made->text;
        made->message.message_case = CAIRN__V1__SERVER_MESSAGE__MESSAGE_CONTROL_DONE;
        made->message.control_done = &made->done;
        break;
    case 5:
        cairn__v1__rejected__init(&made->rejected);
        cairn__v1__error__init(&made->error);
        made->error.code = made->text;
        made->error.text = made->text;
        made->rejected.error = &made->error;
        made->message.message_case = CAIRN__V1__SERVER_MESSAGE__MESSAGE_REJECTED;
        made->message.rejected = &made->rejected;
        break;
    case 6:
        cairn__v1__world_status__init(&made->status);
        made->status.id = made->text;
        made->status.tick_rate = 60.0;
        made->message.message_case = CAIRN__V1__SERVER_MESSAGE__MESSAGE_STATUS;
        made->message.status = &made->status;
        break;
    case 7:
        cairn__v1__changed__init(&made->changed);
        made->changed.generation = take_number(in);
        made->message.message_case = CAIRN__V1__SERVER_MESSAGE__MESSAGE_CHANGED;
        made->message.changed = &made->changed;
        break;
    default:
        cairn__v1__lease_state__init(&made->leases);
        made->leases.tick = take_u32(in);
        made->message.message_case = CAIRN__V1__SERVER_MESSAGE__MESSAGE_LEASES;
        made->message.leases = &made->leases;
    }
}

static size_t
make(struct take *in, uint8_t *out)
{
    struct made made;
    cairn__v1__server_message__init(&made.message);
    size_t length = take_byte(in) % (sizeof(made.text) - 1);
    for (size_t i = 0; i < length; i++) {
        made.text[i] = (char)('a' + take_byte(in) % 26);
    }
    made.text[length] = '\0';
    unsigned kind = take_byte(in) % 11;
    if (kind == 9) {
        make_snapshot(in, &made);
    } else if (kind == 10) {
        make_joined(in, &made);
    } else {
        make_small(in, &made, kind);
    }
    CN_ASSERT(cairn__v1__server_message__get_packed_size(&made.message) <= PACKED_SIZE_MAX);
    return cairn__v1__server_message__pack(&made.message, out);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t bytes[PACKED_SIZE_MAX];
    struct take in = {data, data + size};
    unsigned how = take_byte(&in);
    if (how % 3 == 0) {
        decode(in.at, (size_t)(in.end - in.at));
        return 0;
    }
    size_t packed = make(&in, bytes);
    if (how % 3 == 1) {
        bool is_taken = decode(bytes, packed);
        CN_ASSERT(is_taken);
        return 0;
    }
    while (!take_is_empty(&in) && packed > 0) {
        size_t at = take_byte(&in) % packed;
        if (take_byte(&in) < 32) {
            packed = at;
        } else {
            bytes[at] = (uint8_t)take_byte(&in);
        }
    }
    /* A copy that ends where the message does, so that a byte read beyond is seen. */
    uint8_t *exact = malloc(packed + (packed == 0));
    CN_ASSERT(exact != NULL);
    memcpy(exact, bytes, packed);
    decode(exact, packed);
    free(exact);
    return 0;
}
