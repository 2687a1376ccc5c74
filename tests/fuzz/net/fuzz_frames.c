/*
 * fuzz_frames.c: frames through libwebsockets to sessions and worlds, over a socket pair.
 *
 * An input is a script of two clients: a handshake, usually a good one, and then valid frames.
 * The script corrupts some of them: opcodes, reserved bits, masks, the form or the value of a
 * length, fragments with control frames between them, and Close codes.  Sockets end in the middle
 * or are not read.  Messages in the frames are valid by construction (messages.h), or bytes.
 *
 * The output of the server is checked against RFC 6455 and against the strict decoder of
 * proto/peer.h: whole unmasked frames, lengths in their shortest form, nothing after a Close,
 * valid close codes, and no more bytes than the script can account for.  When both clients have
 * gone, nothing of them is left (net_rig.h).
 */
#include "proto/peer.h"
#include "tests/fuzz/net/messages.h"
#include "tests/fuzz/net/net_rig.h"

#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CLIENTS 2
#define STEPS_MAX 96 /* of one input */
#define HEARD_SIZE_MAX ((size_t)256 * 1024)

struct client {
    int fd; /* -1: none */
    struct messages_hints hints;
    bool is_upgraded;  /* the server has said 101 */
    bool is_closed;    /* the server has sent a Close */
    bool is_refused;   /* the server has answered by something else than 101 */
    bool is_deaf;      /* it does not read */
    uint8_t heard[HEARD_SIZE_MAX]; /* not yet looked at */
    size_t heard_size;
};

static struct rig rig;
static struct client clients[CLIENTS];

/* ---- messages of the server ---- */

static bool
is_close_code_legal(unsigned code)
{
    return (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014) ||
        (code >= 3000 && code <= 4999);
}

static void
hear_message(struct client *client, const uint8_t *bytes, size_t size)
{
    struct wire_server_message message;
    struct wire_error error;
    bool is_known = wire_server_decode(bytes, size, &message, &error);
    CN_ASSERT(is_known);
    if (message.kind == WIRE_SERVER_TICK) {
        client->hints.tick = message.tick.tick;
    } else if (message.kind == WIRE_SERVER_JOINED) {
        client->hints.next_seq = 1;
    } else if (message.kind == WIRE_SERVER_WELCOME) {
        Cairn__V1__ServerMessage *whole =
            cairn__v1__server_message__unpack(NULL, size, bytes);
        CN_ASSERT(whole != NULL);
        ProtobufCBinaryData resume = whole->welcome->resume;
        if (resume.len > 0 && resume.len <= sizeof(client->hints.resume)) {
            for (int i = 0; i < CLIENTS; i++) {
                memcpy(clients[i].hints.resume, resume.data, resume.len);
                clients[i].hints.resume_size = resume.len;
            }
        }
        cairn__v1__server_message__free_unpacked(whole, NULL);
    }
    wire_server_message_finish(&message);
}

/* One whole frame at the start of `at`: its size, or 0 when some of it has not come. */
static size_t
hear_frame(struct client *client, const uint8_t *at, size_t size)
{
    if (size < 2) {
        return 0;
    }
    unsigned opcode = at[0] & 0x0f;
    uint64_t length = at[1] & 0x7f;
    size_t head = length == 126 ? 4 : length == 127 ? 10 : 2;
    CN_ASSERT((at[0] & 0xf0) == 0x80 && (at[1] & 0x80) == 0);
    CN_ASSERT(opcode == 1 || opcode == 2 || (opcode >= 8 && opcode <= 10));
    if (size < head) {
        return 0;
    }
    if (head > 2) {
        length = 0;
        for (size_t i = 2; i < head; i++) {
            length = length << 8 | at[i];
        }
        CN_ASSERT(length > (head == 4 ? 125 : 0xffff));
    }
    CN_ASSERT(opcode < 8 || length <= 125);
    CN_ASSERT(length <= HEARD_SIZE_MAX - head);
    if (size < head + length) {
        return 0;
    }
    CN_ASSERT(!client->is_closed);
    if (opcode == 2) {
        hear_message(client, at + head, length);
    } else if (opcode == 1) {
        CN_ASSERT(length > 0 && at[head] == '{' && at[head + length - 1] == '}');
    } else if (opcode == 8) {
        client->is_closed = true;
        CN_ASSERT(length == 0 || length >= 2);
        CN_ASSERT(length == 0 || is_close_code_legal((unsigned)at[head] << 8 | at[head + 1]));
    }
    return head + length;
}

/*
 * Reads the answer to the handshake, which ends with an empty line; returns its size, or 0 if it is
 * incomplete.
 */
static size_t
hear_answer(struct client *client, const char *at, size_t size)
{
    const char *end = memmem(at, size, "\r\n\r\n", 4);
    if (end == NULL) {
        return 0;
    }
    CN_ASSERT(size > 12 && memcmp(at, "HTTP/1.", 7) == 0);
    client->is_upgraded = memcmp(at + 9, "101", 3) == 0;
    client->is_refused = !client->is_upgraded;
    CN_ASSERT(client->is_upgraded || at[9] == '2' || at[9] == '4' || at[9] == '5');
    return (size_t)(end - at) + 4;
}

static void
hear(struct client *client)
{
    while (client->fd >= 0 && !client->is_deaf) {
        ssize_t got = recv(client->fd, client->heard + client->heard_size,
            HEARD_SIZE_MAX - client->heard_size, 0);
        if (got <= 0) {
            return;
        }
        client->heard_size += (size_t)got;
        size_t used = 0, one = 1;
        while (!client->is_refused && one > 0) {
            const uint8_t *at = client->heard + used;
            size_t left = client->heard_size - used;
            one = client->is_upgraded ? hear_frame(client, at, left)
                                      : hear_answer(client, (const char *)at, left);
            used += one;
        }
        used = client->is_refused ? client->heard_size : used;
        client->heard_size -= used;
        memmove(client->heard, client->heard + used, client->heard_size);
    }
}

static void
hear_all(void)
{
    for (int i = 0; i < CLIENTS; i++) {
        hear(&clients[i]);
    }
}

/* ---- messages of the clients ---- */

static void
say(struct client *client, const uint8_t *bytes, size_t size)
{
    while (client->fd >= 0 && size > 0) {
        ssize_t sent = send(client->fd, bytes, size, MSG_NOSIGNAL);
        if (sent <= 0) {
            return; /* the server reads no more, or is gone */
        }
        bytes += sent;
        size -= (size_t)sent;
    }
}

static void
settle(struct client *client)
{
    if (client->fd >= 0) {
        rig_drain(&rig, client->fd);
    }
    hear_all();
}

/* A good request for a WebSocket, or one with a line that is left out, repeated or another. */
static void
say_handshake(struct client *client, struct take *in)
{
    static const char *const lines[] = {"GET /v1/ws HTTP/1.1", ("Host: " RIG_HOST),
        "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Protocol: cairn.v1"};
    static const char *const others[] = {"GET /v1/ws?token=x HTTP/1.1", "GET /v1/sw HTTP/1.1",
        "POST /v1/ws HTTP/1.1", "GET /v1/ws HTTP/1.0", "Host: elsewhere", "Upgrade: h2c",
        "Connection: close", "Sec-WebSocket-Version: 8", "Sec-WebSocket-Key: short",
        "Sec-WebSocket-Protocol: other", "Origin: http://elsewhere", ("Origin: http://" RIG_HOST),
        "Sec-WebSocket-Extensions: permessage-deflate", "Content-Length: 5", "X: \xff\x01", ":"};
    char text[1024];
    size_t size = 0;
    unsigned spoil = take_byte(in);
    unsigned at = spoil < 208 ? 255 : spoil % 8, how = spoil < 208 ? 0 : take_byte(in);
    for (unsigned i = 0; i < 7; i++) {
        const char *line = i == at && how % 3 == 0 ? others[how / 3 % 16] : lines[i];
        if (i == at && how % 3 == 1) {
            continue;
        }
        for (unsigned k = 0; k < (i == at && how % 3 == 2 ? 2U : 1U); k++) {
            size += (size_t)snprintf(text + size, sizeof(text) - size, "%s\r\n", line);
        }
    }
    size += (size_t)snprintf(text + size, sizeof(text) - size, "\r\n");
    size_t first = spoil == 255 ? take_byte(in) % size : size;
    say(client, (const uint8_t *)text, first);
    if (first < size) {
        settle(client);
        say(client, (const uint8_t *)text + first, size - first);
    }
    settle(client);
}

/* The way a frame's head is written. */
struct head {
    uint8_t first; /* FIN, reserved bits, opcode */
    bool is_masked;
    unsigned form;     /* 0: the shortest; 1: 16 bits; 2: 64 bits */
    uint64_t announced;
};

/* Masked; without a fuzzer's marks, which take longer than the way through the stack. */
__attribute__((no_sanitize("coverage"))) static void
cover(uint8_t *out, const uint8_t *bytes, size_t size, const uint8_t mask[4])
{
    for (size_t i = 0; i < size; i++) {
        out[i] = bytes[i] ^ mask[i % 4];
    }
}

static void
say_frame(struct client *client, const struct head *head, const uint8_t *bytes, size_t size)
{
    static uint8_t frame[14 + 70 * 1024];
    static const uint8_t mask[4] = {0x12, 0x00, 0xff, 0x7e};
    uint64_t length = head->announced;
    size_t used = 2, width = head->form == 2 || length > 0xffff ? 8
        : head->form == 1 || length > 125                       ? 2
                                                                : 0;
    frame[0] = head->first;
    frame[1] = (uint8_t)((head->is_masked ? 0x80 : 0) | (width == 8 ? 127
            : width == 2                                            ? 126
                                                                    : (unsigned)length));
    for (size_t i = 0; i < width; i++) {
        frame[used++] = (uint8_t)(length >> (8 * (width - 1 - i)));
    }
    if (head->is_masked) {
        memcpy(frame + used, mask, sizeof(mask));
        used += sizeof(mask);
    }
    cover(frame + used, bytes, size, head->is_masked ? mask : (const uint8_t[4]){0});
    say(client, frame, used + size);
}

static void
say_good(struct client *client, uint8_t first, const uint8_t *bytes, size_t size)
{
    struct head head = {.first = first, .is_masked = true, .announced = size};
    say_frame(client, &head, bytes, size);
}

/* The payload of a frame: mostly a valid message. */
static size_t
make_payload(struct client *client, struct take *in, uint8_t *out)
{
    unsigned kind = take_byte(in);
    if (kind < 200) {
        size_t size = messages_make(in, &client->hints, out, MESSAGES_SIZE_MAX);
        if (kind >= 180 && size > 0) { /* one byte of it changed, or its end cut off */
            unsigned at = take_byte(in);
            out[at % size] = (uint8_t)take_byte(in);
            size -= kind % 2 == 0 ? at % size : 0;
        }
        return size;
    }
    size_t size = take_byte(in) % 130;
    for (size_t i = 0; i < size; i++) {
        out[i] = (uint8_t)take_byte(in);
    }
    return size;
}

static void
say_odd_frame(struct client *client, struct take *in)
{
    uint8_t bytes[MESSAGES_SIZE_MAX];
    static const uint64_t lengths[] = {0, 125, 126, 127, 0xffff, 0x10000, SV_MESSAGE_SIZE_MAX,
        SV_MESSAGE_SIZE_MAX + 1, UINT64_C(1) << 32, UINT64_MAX >> 1, UINT64_MAX};
    unsigned how = take_byte(in);
    size_t size = make_payload(client, in, bytes);
    struct head head = {
        .first = (how & 1) != 0 ? (uint8_t)take_byte(in) : 0x82,
        .is_masked = (how & 2) == 0,
        .form = (how & 12) == 4 ? 1 : (how & 12) == 8 ? 2 : 0,
        .announced = (how & 16) != 0 ? lengths[take_byte(in) % 11] : size,
    };
    if (head.announced < size) {
        size = (size_t)head.announced;
    }
    say_frame(client, &head, bytes, size);
}

/* A message in pieces, between which control frames may stand. */
static void
say_fragments(struct client *client, struct take *in)
{
    uint8_t bytes[MESSAGES_SIZE_MAX];
    size_t size = make_payload(client, in, bytes), at = 0;
    unsigned how = take_byte(in), count = 2 + how % 4;
    count = how > 250 ? SV_MESSAGE_FRAGMENTS_MAX + 1 : count;
    for (unsigned i = 0; i < count; i++) {
        size_t piece = i + 1 == count ? size - at : (size - at) / (count - i);
        uint8_t first = (uint8_t)((i == 0 ? 0x02 : 0x00) | (i + 1 == count ? 0x80 : 0));
        say_good(client, first, bytes + at, piece);
        at += piece;
        if ((how & 16) != 0) {
            say_good(client, (how & 32) != 0 ? 0x89 : 0x8a, bytes, size < 125 ? size : 125);
        }
        if ((how & 64) != 0 && i < 4) {
            settle(client);
        }
    }
}

static void
say_close(struct client *client, struct take *in)
{
    static const unsigned codes[] = {1000, 1001, 1002, 1004, 1005, 1006, 1007, 1011, 1015, 999,
        0, 2999, 3000, 4999, 5000, 65535};
    uint8_t bytes[125];
    unsigned how = take_byte(in);
    unsigned code = codes[how % 16];
    size_t size = how < 16 ? 0 : how < 32 ? 1 : 2 + take_byte(in) % 124;
    for (size_t i = 2; i < size; i++) {
        bytes[i] = (uint8_t)take_byte(in);
    }
    bytes[0] = (uint8_t)(code >> 8);
    bytes[1] = (uint8_t)code;
    say_good(client, 0x88, bytes, size);
}

static void
say_large(struct client *client, struct take *in)
{
    static uint8_t zeros[70 * 1024];
    unsigned how = take_byte(in);
    size_t size = SV_MESSAGE_SIZE_MAX - 2 + how % 5;
    say_good(client, how < 128 ? 0x82 : 0x02, zeros, size);
}

static void
leave(struct client *client)
{
    if (client->fd >= 0) {
        close(client->fd);
        client->fd = -1;
    }
}

static void
enter(struct client *client, struct take *in)
{
    leave(client);
    client->is_upgraded = client->is_closed = client->is_refused = client->is_deaf = false;
    client->heard_size = 0;
    client->hints.next_seq = 1;
    client->fd = rig_connect(&rig);
    if (client->fd >= 0) {
        say_handshake(client, in);
    }
}

/* Sends a Hello and a Join, so that the gateway does not refuse the rest of the script at once. */
static void
greet(struct client *client)
{
    static const uint8_t hello[] = {0x0a, 0x04, 0x08, 0x01, 0x38, 0x01};
    static const uint8_t join[] = {0x12, 0x06, 0x0a, 0x04, 'p', 'a', 'i', 'r'};
    say_good(client, 0x82, hello, sizeof(hello));
    say_good(client, 0x82, join, sizeof(join));
    settle(client);
}

static void
act(struct client *client, struct take *in)
{
    uint8_t bytes[MESSAGES_SIZE_MAX];
    switch (take_byte(in) % 16) {
    case 0:
    case 1:
    case 2:
    case 3:
        say_good(client, 0x82, bytes, make_payload(client, in, bytes));
        break;
    case 4:
        say_odd_frame(client, in);
        break;
    case 5:
        say_fragments(client, in);
        break;
    case 6:
        say_good(client, take_byte(in) % 2 == 0 ? 0x89 : 0x8a, bytes,
            make_payload(client, in, bytes) % 126);
        break;
    case 7:
        say_close(client, in);
        break;
    case 8:
        say(client, bytes, make_payload(client, in, bytes));
        break;
    case 9:
        client->is_deaf = !client->is_deaf;
        break;
    case 10:
        say_large(client, in);
        break;
    case 11:
        (void)shutdown(client->fd, take_byte(in) % 2 == 0 ? SHUT_WR : SHUT_RDWR);
        break;
    case 12:
        enter(client, in);
        break;
    case 13:
        leave(client);
        break;
    default:
        rig_wait(&rig, 1 + take_byte(in) % 64);
    }
    settle(client);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct take in = {data, data + size};
    if (rig.listener == NULL) {
        rig_init(&rig);
    }
    rig_begin(&rig);
    for (int i = 0; i < CLIENTS; i++) {
        clients[i].fd = -1;
        clients[i].hints.resume_size = 0;
        clients[i].hints.tick = 0;
    }
    enter(&clients[0], &in);
    if (take_byte(&in) % 4 != 0) {
        greet(&clients[0]);
    }
    for (int i = 0; i < STEPS_MAX && !take_is_empty(&in); i++) {
        unsigned who = take_byte(&in);
        struct client *client = &clients[who < 192 ? 0 : 1];
        if (client->fd < 0) {
            enter(client, &in);
            greet(client);
        }
        act(client, &in);
        CN_ASSERT(rig.metrics.bytes_out < 8 * 1024 * 1024);
    }
    for (int i = 0; i < CLIENTS; i++) {
        leave(&clients[i]);
    }
    rig_end(&rig);
    return 0;
}
