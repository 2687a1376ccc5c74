/*
 * fuzz_codec.c: no message from a client crashes the codec, and accepted messages are usable.
 *
 * The first byte chooses the use of the other bytes:
 *   - as the bytes of a socket
 *   - as the fields of an Input, so that the later checks are always reached; the codec must accept
 *     it exactly if the fields are acceptable
 *   - as a valid Subscribe, which must be decoded to the same values
 *   - as the poses of a view's bodies, which its snapshot must return within its quanta
 */
#include "engine/base/assert.h"
#include "proto/codec.h"
#include "proto/peer.h"
#include "proto/quant.h"
#include "proto/snapshot_codec.h"

#include <cairn/v1/wire.pb-c.h>
#include <math.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_vec3(cn_vec3 vector)
{
    CN_ASSERT(cn_vec3_is_finite(vector));
}

/*
 * Places and reaches are within their bounds.  Every tag is a terminated string, and the tags
 * ascend, so no two are equal.
 */
static void
check_interest(const struct wire_interest *interest)
{
    CN_ASSERT(interest->tag_count >= 0 && interest->tag_count <= WIRE_INTEREST_TAGS_MAX);
    for (int i = 0; i < interest->tag_count; i++) {
        CN_ASSERT(interest->tags[i][0] != '\0');
        CN_ASSERT(memchr(interest->tags[i], 0, WIRE_TAG_SIZE) != NULL);
        CN_ASSERT(i == 0 || strcmp(interest->tags[i - 1], interest->tags[i]) < 0);
    }
    if (interest->around != WIRE_AROUND_NOTHING) {
        check_vec3(interest->point);
        const double reach[] = {interest->reach.x, interest->reach.y, interest->reach.z};
        for (int i = 0; i < 3; i++) {
            CN_ASSERT(reach[i] >= 0.0 && reach[i] <= WIRE_REACH_MAX);
        }
        CN_ASSERT(reach[0] > 0.0 || reach[1] > 0.0 || reach[2] > 0.0);
    }
}

/* An accepted message has finite numbers, known kinds and terminated strings. */
static void
check_accepted(const struct wire_client_message *message)
{
    CN_ASSERT(message->kind != WIRE_CLIENT_NONE);
    if (message->kind == WIRE_CLIENT_HELLO) {
        CN_ASSERT(memchr(message->hello.name, 0, sizeof(message->hello.name)) != NULL);
        CN_ASSERT(memchr(message->hello.client, 0, sizeof(message->hello.client)) != NULL);
    } else if (message->kind == WIRE_CLIENT_INPUT) {
        const struct cn_command *command = &message->input.command;
        if (command->kind == CN_COMMAND_HOLD_DRAG) {
            check_vec3(command->hold_drag.point);
            check_vec3(command->hold_drag.target);
            CN_ASSERT(isfinite(command->hold_drag.stiffness));
            CN_ASSERT(command->hold_drag.body >= 0);
        } else if (command->kind == CN_COMMAND_HOLD_FORCE) {
            check_vec3(command->hold_force.point);
            check_vec3(command->hold_force.force);
            CN_ASSERT(command->hold_force.body >= 0);
        }
    } else if (message->kind == WIRE_CLIENT_CONTROL) {
        CN_ASSERT(message->control.kind != WIRE_CONTROL_BODIES ||
            (message->control.bodies.count > 0 &&
                message->control.bodies.count <= WIRE_BODY_COMMANDS_MAX));
        CN_ASSERT(message->control.kind <= WIRE_CONTROL_ATTRIBUTES);
        CN_ASSERT(message->control.kind != WIRE_CONTROL_ATTRIBUTES ||
            (message->control.attributes.count >= 1 &&
                message->control.attributes.count <= WIRE_ATTRIBUTE_CHANGES_MAX));
    } else if (message->kind == WIRE_CLIENT_SUBSCRIBE) {
        check_interest(&message->subscribe.interest);
        CN_ASSERT(message->subscribe.mode < WIRE_MODE_COUNT);
        CN_ASSERT(message->subscribe.bytes_per_second == 0 ||
            message->subscribe.bytes_per_second >= WIRE_BUDGET_MIN);
    }
}

static void
decode(const uint8_t *bytes, size_t size)
{
    struct wire_client_message message;
    struct wire_error error;
    if (wire_client_decode(bytes, size, &message, &error) == WIRE_DECODE_OK) {
        check_accepted(&message);
        wire_client_message_finish(&message);
    } else {
        CN_ASSERT(error.code[0] != '\0' && error.text[0] != '\0');
    }
}

static uint8_t
take_byte(const uint8_t **data, size_t *size)
{
    uint8_t byte = *size > 0 ? **data : 0;
    *data += *size > 0 ? 1 : 0;
    *size -= *size > 0 ? 1 : 0;
    return byte;
}

/* A valid interest decodes to the interest that was encoded. */
static void
decode_interest(const uint8_t *data, size_t size)
{
    struct wire_client_message said = {.kind = WIRE_CLIENT_SUBSCRIBE}, heard;
    struct wire_interest *interest = &said.subscribe.interest;
    struct wire_error error;
    uint8_t bytes[1024];
    uint8_t what = take_byte(&data, &size);
    interest->is_part = true;
    interest->around = (enum wire_around)(what % 3);
    if (interest->around != WIRE_AROUND_NOTHING) {
        interest->reach = cn_vec3_make(
            take_byte(&data, &size) * 0.25, take_byte(&data, &size), 1e-3 + what);
        if (interest->around == WIRE_AROUND_POINT) {
            interest->point = cn_vec3_make(take_byte(&data, &size) - 128.0, what, -7.5);
        } else {
            interest->body = take_byte(&data, &size);
        }
    }
    said.subscribe.mode = WIRE_MODE_DELTA;
    said.subscribe.bytes_per_second = (what & 8) != 0 ? WIRE_BUDGET_MIN + what * 1000u : 0;
    while (size > 0) {
        char tag[WIRE_TAG_SIZE] = "";
        int length = 1 + take_byte(&data, &size) % WIRE_TAG_SIZE_MAX;
        for (int i = 0; i < length; i++) {
            tag[i] = (char)('!' + take_byte(&data, &size) % 90);
        }
        if (!wire_interest_tag(interest, tag)) {
            break;
        }
    }
    size_t packed = wire_client_encode(&said, bytes, sizeof(bytes));
    CN_ASSERT(packed > 0 && packed <= sizeof(bytes));
    CN_ASSERT(wire_client_decode(bytes, packed, &heard, &error) == WIRE_DECODE_OK);
    check_accepted(&heard);
    CN_ASSERT(wire_interest_is_equal(&heard.subscribe.interest, interest));
    CN_ASSERT(heard.subscribe.bytes_per_second == said.subscribe.bytes_per_second);
    struct wire_interest once = *interest;
    wire_interest_settle(&once, (what & 16) != 0);
    struct wire_interest twice = once;
    wire_interest_settle(&twice, (what & 16) != 0);
    CN_ASSERT(wire_interest_is_equal(&once, &twice));
}

/* The next number of the input; zeros after its end. */
static double
take_double(const uint8_t **data, size_t *size)
{
    double value = 0.0;
    size_t taken = *size < sizeof(value) ? *size : sizeof(value);
    memcpy(&value, *data, taken);
    *data += taken;
    *size -= taken;
    return value;
}

static void
decode_drag(const uint8_t *data, size_t size)
{
    uint8_t bytes[256];
    Cairn__V1__Vec3 point = CAIRN__V1__VEC3__INIT, target = CAIRN__V1__VEC3__INIT;
    Cairn__V1__Input__Drag drag = CAIRN__V1__INPUT__DRAG__INIT;
    double *numbers[] = {&point.x, &point.y, &point.z, &target.x, &target.y, &target.z,
        &drag.stiffness, &drag.damping};
    bool is_finite = true;
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        *numbers[i] = take_double(&data, &size);
        is_finite = is_finite && isfinite(*numbers[i]);
    }
    drag.body = size > 0 ? data[0] : 0;
    drag.point = &point;
    drag.target = &target;
    Cairn__V1__Input input = CAIRN__V1__INPUT__INIT;
    input.seq = 1;
    input.action_case = CAIRN__V1__INPUT__ACTION_DRAG;
    input.drag = &drag;
    Cairn__V1__ClientMessage message = CAIRN__V1__CLIENT_MESSAGE__INIT;
    message.message_case = CAIRN__V1__CLIENT_MESSAGE__MESSAGE_INPUT;
    message.input = &input;
    struct wire_client_message out;
    struct wire_error error;
    size_t packed = cairn__v1__client_message__pack(&message, bytes);
    enum wire_decode_result result = wire_client_decode(bytes, packed, &out, &error);
    CN_ASSERT(result == (is_finite ? WIRE_DECODE_OK : WIRE_DECODE_REFUSED));
    CN_ASSERT(out.kind == WIRE_CLIENT_INPUT && out.input.seq == 1);
    if (is_finite) {
        check_accepted(&out);
        /* Compares values, because protobuf-c does not send -0.0, like 0.0. */
        CN_ASSERT(out.input.command.hold_drag.target.x == target.x);
    }
}

#define VIEW_BODIES 6

/* A turn comes back as q or -q, near to what was sent. */
static void
check_turn(cn_quat q, const Cairn__V1__Snapshot *snapshot, int k)
{
    CN_ASSERT(snapshot->turn_largest[k] < 4);
    double part[4] = {0.0}, sum = 0.0;
    const int32_t rest[] = {snapshot->turn_a[k], snapshot->turn_b[k], snapshot->turn_c[k]};
    for (uint32_t i = 0, n = 0; i < 4; i++) {
        if (i != snapshot->turn_largest[k]) {
            part[i] = rest[n++] * WIRE_TURN_SCALE;
            sum += part[i] * part[i];
        }
    }
    CN_ASSERT(sum <= 0.75 + 4.0 * WIRE_TURN_SCALE);
    part[snapshot->turn_largest[k]] = sqrt(1.0 - sum);
    double dot = q.w * part[0] + q.x * part[1] + q.y * part[2] + q.z * part[3];
    CN_ASSERT(fabs(dot) > 1.0 - 1e-8);
}

static void
encode_view(const uint8_t *data, size_t size)
{
    uint32_t body[VIEW_BODIES], largest[VIEW_BODIES];
    int32_t x[VIEW_BODIES], y[VIEW_BODIES], z[VIEW_BODIES];
    int32_t a[VIEW_BODIES], b[VIEW_BODIES], c[VIEW_BODIES];
    cn_quat turned[VIEW_BODIES];
    struct wire_state view = {.body = body, .x = x, .y = y, .z = z, .turn_largest = largest,
        .turn_a = a, .turn_b = b, .turn_c = c, .is_spatial = true};
    while (size > 0 && view.count < VIEW_BODIES) {
        int k = view.count++;
        double w = take_double(&data, &size), qx = take_double(&data, &size);
        double qy = take_double(&data, &size), qz = take_double(&data, &size);
        double scale = sqrt(w * w + qx * qx + qy * qy + qz * qz);
        bool is_turn = isfinite(scale) && scale > 1e-100 && scale < 1e100;
        turned[k] = is_turn ? (cn_quat){w / scale, qx / scale, qy / scale, qz / scale}
                            : cn_quat_identity();
        struct wire_turn turn = wire_turn_quantise(turned[k]);
        body[k] = (uint32_t)(2 * k);
        x[k] = wire_quantise(w, WIRE_POSITION_SCALE);
        y[k] = wire_quantise(qx, WIRE_POSITION_SCALE);
        z[k] = wire_quantise(qy, WIRE_POSITION_SCALE);
        largest[k] = turn.largest;
        a[k] = turn.rest[0];
        b[k] = turn.rest[1];
        c[k] = turn.rest[2];
    }
    uint8_t bytes[512];
    size_t packed = wire_encode_snapshot(&view, bytes, sizeof(bytes));
    CN_ASSERT(packed <= sizeof(bytes));
    Cairn__V1__ServerMessage *message = cairn__v1__server_message__unpack(NULL, packed, bytes);
    CN_ASSERT(message != NULL);
    const Cairn__V1__Snapshot *snapshot = message->snapshot;
    CN_ASSERT(snapshot->n_z == (size_t)view.count && snapshot->n_turn_c == snapshot->n_z);
    CN_ASSERT(snapshot->n_angle == 0);
    for (int k = 0; k < view.count; k++) {
        CN_ASSERT(snapshot->x[k] == x[k] && snapshot->z[k] == z[k]);
        check_turn(turned[k], snapshot, k);
    }
    cairn__v1__server_message__free_unpacked(message, NULL);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return -1;
    }
    switch (data[0] % 4) {
    case 0:
        decode(data + 1, size - 1);
        break;
    case 1:
        decode_drag(data + 1, size - 1);
        break;
    case 2:
        decode_interest(data + 1, size - 1);
        break;
    default:
        encode_view(data + 1, size - 1);
        break;
    }
    return 0;
}
