#include "server/net/lws/lws_frames.h"

#include "engine/base/assert.h"
#include "server/net/lws/lws_end.h"
#include "server/net/lws/lws_read.h"
#include "server/net/lws/lws_socket.h"
#include "server/net/lws/lws_stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define CONTROL_SIZE_MAX 125
#define CLOSE_WAIT_NS (5 * SV_NS_PER_S) /* until bytes before the last Close are sent */

enum { OPCODE_CLOSE = 8, OPCODE_PING = 9, OPCODE_PONG = 10 };

/* The payload of a control frame that comes in pieces. */
struct sv_control {
    size_t size;
    uint8_t bytes[CONTROL_SIZE_MAX];
};

/* A control frame to be sent. */
struct answer {
    size_t size; /* 0: none */
    uint8_t bytes[2 + CONTROL_SIZE_MAX];
};

static void
fill_answer(struct answer *answer, unsigned opcode, const uint8_t *payload, size_t size)
{
    CN_ASSERT(size <= CONTROL_SIZE_MAX);
    answer->bytes[0] = (uint8_t)(0x80 | opcode);
    answer->bytes[1] = (uint8_t)size;
    if (size > 0) {
        memcpy(answer->bytes + 2, payload, size);
    }
    answer->size = size + 2;
}

/* Sends the pong, unless another one waits already: a peer that does not read gets one. */
static bool
send_pong(struct sv_connection *connection, struct answer *pong)
{
    bool is_due = pong->size > 0 && !connection->is_closing && !connection->is_pong_kept;
    bool is_good = !is_due || sv_stream_put(connection, pong->bytes, pong->size);
    connection->is_pong_kept |= is_due && connection->rest != NULL;
    pong->size = 0;
    return is_good;
}

/* Answers the peer's Close, if it is not itself an answer, and ends the connection. */
static void
end_by_close(struct sv_connection *connection, const uint8_t *payload, size_t size)
{
    struct answer close = {0};
    bool is_ours = connection->close_code != 0;
    connection->is_closing = true;
    connection->intake.stage = SV_INTAKE_NOTHING;
    if (!connection->is_close_sent && is_ours) {
        close.size = sv_lws_print_close(
            connection->close_code, sv_lws_close_reason(connection), close.bytes);
    } else if (!connection->is_close_sent) {
        fill_answer(&close, OPCODE_CLOSE, payload, size);
    }
    connection->is_close_sent = true;
    bool is_good = close.size == 0 || sv_stream_put(connection, close.bytes, close.size);
    if (!is_good || connection->rest == NULL) {
        sv_end_now(connection);
        return;
    }
    connection->is_ending = true;
    connection->deadline_ns =
        sv_clock_now_ns(&connection->server->options.clock) + CLOSE_WAIT_NS;
    sv_stream_check_at(connection, connection->deadline_ns);
}

/* Adds the piece to the payload that came before it.  False without memory. */
static bool
keep_control(struct sv_connection *connection, const uint8_t *bytes, size_t size)
{
    if (connection->control == NULL) {
        connection->control = calloc(1, sizeof(*connection->control));
    }
    struct sv_control *control = connection->control;
    if (control == NULL) {
        return false;
    }
    CN_ASSERT(size <= sizeof(control->bytes) - control->size);
    memcpy(control->bytes + control->size, bytes, size);
    control->size += size;
    return true;
}

/* False: the connection has ended. */
static bool
take_control(struct sv_connection *connection, const struct sv_frame_piece *piece,
    const uint8_t *bytes, struct answer *pong)
{
    size_t size = piece->size;
    bool is_cut = !piece->is_end || connection->control != NULL;
    if (is_cut && !keep_control(connection, bytes, size)) {
        sv_end_now(connection);
        return false;
    }
    if (!piece->is_end) {
        return true;
    }
    struct sv_control *control = connection->control;
    if (control != NULL) {
        bytes = control->bytes;
        size = control->size;
    }
    bool is_alive = true;
    if (piece->opcode == OPCODE_PING) {
        sv_lws_read_ping(connection);
        fill_answer(pong, OPCODE_PONG, bytes, size);
    } else if (piece->opcode == OPCODE_CLOSE) {
        is_alive = false;
        connection->control = NULL;
        if (send_pong(connection, pong)) {
            end_by_close(connection, bytes, size);
        } else {
            sv_end_now(connection);
        }
        free(control);
        return is_alive;
    }
    connection->control = NULL;
    free(control);
    return is_alive;
}

static bool
take_piece(struct sv_connection *connection, const struct sv_frame_piece *piece, uint8_t *bytes,
    struct answer *pong)
{
    sv_frames_unmask(&connection->intake.frames, piece, bytes);
    bytes += piece->at;
    if (piece->opcode >= OPCODE_CLOSE) {
        return take_control(connection, piece, bytes, pong);
    }
    sv_lws_take_bytes(connection, bytes, piece->size, piece->is_end, piece->is_final);
    return true;
}

/* Takes the frames of one read.  False: the connection has ended. */
static bool
take_bytes(struct sv_connection *connection, uint8_t *bytes, size_t size, struct answer *pong)
{
    struct sv_frames *frames = &connection->intake.frames;
    struct sv_frame_piece piece;
    size_t at = 0, used = 0;
    while (sv_frames_next(frames, bytes + at, size - at, &used, &piece)) {
        if (!take_piece(connection, &piece, bytes + at, pong)) {
            return false;
        }
        at += used;
    }
    return true;
}

void
sv_frames_read(struct sv_connection *connection)
{
    struct sv_lws *server = connection->server;
    struct answer pong;
    ssize_t got = recvfrom(
        connection->fd, server->bytes, SV_LWS_READ_SIZE_MAX, MSG_DONTWAIT, NULL, NULL);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
        return;
    }
    if (got <= 0) {
        sv_end_now(connection);
        return;
    }
    if (connection->intake.stage != SV_INTAKE_FRAMES) {
        return; /* the bytes after a refusal or a Close are dropped */
    }
    pong.size = 0;
    connection->heard_ns = sv_clock_now_ns(&server->options.clock);
    if (!take_bytes(connection, server->bytes, (size_t)got, &pong)) {
        return;
    }
    if (!send_pong(connection, &pong)) {
        sv_end_now(connection);
        return;
    }
    sv_lws_read_note(connection);
    if (connection->is_closing && !connection->is_close_sent) {
        sv_lws_kill(connection);
    }
}
