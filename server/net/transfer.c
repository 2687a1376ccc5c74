#include "server/net/transfer.h"

#include "engine/base/assert.h"
#include "proto/chunk.h"
#include "server/base/frame.h"
#include "server/base/limits.h"

#include <stdlib.h>

#define CLOSE_TRY_AGAIN 1013

/* The Joined has been sent: the messages that were held for it follow. */
static void
finish_transfer(struct sv_seat *seat)
{
    seat->is_joined = true;
    seat->session.state = SV_SESSION_JOINED;
    sv_seat_forget_shown(seat);
    struct sv_transfer *transfer = seat->transfer;
    CN_ASSERT(transfer == NULL || transfer->sent == transfer->size);
    for (int i = 0; transfer != NULL && i < transfer->held_count; i++) {
        sv_seat_send(seat, sv_buffer_ref(transfer->held[i]));
    }
    sv_transfer_drop(seat);
}

void
sv_transfer_drop(struct sv_seat *seat)
{
    struct sv_transfer *transfer = seat->transfer;
    if (transfer == NULL) {
        return;
    }
    CN_ASSERT(transfer->seat == seat);
    CN_ASSERT((transfer->previous != NULL ? transfer->previous->next : seat->gateway->transfers) ==
              transfer);
    if (transfer->previous != NULL) {
        transfer->previous->next = transfer->next;
    } else {
        seat->gateway->transfers = transfer->next;
    }
    if (transfer->next != NULL) {
        transfer->next->previous = transfer->previous;
    }
    for (int i = 0; i < transfer->held_count; i++) {
        sv_buffer_unref(transfer->held[i]);
    }
    free(transfer->held);
    sv_buffer_unref(transfer->message);
    free(transfer);
    seat->transfer = NULL;
}

static bool
begin_transfer(struct sv_seat *seat, struct sv_buffer *joined, size_t header_size)
{
    CN_ASSERT(seat->transfer == NULL && joined->size > header_size);
    struct sv_gateway *gateway = seat->gateway;
    struct sv_transfer *transfer = calloc(1, sizeof(*transfer));
    if (transfer == NULL) {
        return false;
    }
    *transfer = (struct sv_transfer){.seat = seat,
        .next = gateway->transfers,
        .message = sv_buffer_ref(joined),
        .header_size = header_size,
        .size = joined->size - header_size,
        .hash = WIRE_CHUNK_HASH_BASIS};
    if (gateway->transfers != NULL) {
        gateway->transfers->previous = transfer;
    }
    gateway->transfers = transfer;
    seat->transfer = transfer;
    seat->is_joined = false;
    seat->transfer_count++;
    return true;
}

bool
sv_transfer_join(struct sv_seat *seat, struct sv_buffer *joined)
{
    size_t header_size = sv_frame_header_size_of(joined->bytes);
    sv_transfer_drop(seat);
    if (joined->size - header_size <= SV_MESSAGE_WHOLE_SIZE_MAX) {
        sv_seat_send(seat, sv_buffer_ref(joined));
        finish_transfer(seat);
        return true;
    }
    if (begin_transfer(seat, joined, header_size)) {
        return sv_transfer_go_on(seat->transfer);
    }
    sv_seat_close(seat, CLOSE_TRY_AGAIN, "no memory");
    return false;
}

static bool
hold_message(struct sv_transfer *transfer, struct sv_buffer *message)
{
    if (transfer->held_size + message->size > SV_QUEUE_SIZE_MAX) {
        return false;
    }
    if (transfer->held_count == transfer->held_capacity) {
        int capacity = transfer->held_capacity * 2 + 8;
        struct sv_buffer **held =
            realloc(transfer->held, (size_t)capacity * sizeof(struct sv_buffer *));
        if (held == NULL) {
            return false;
        }
        transfer->held = held;
        transfer->held_capacity = capacity;
    }
    CN_ASSERT(transfer->held_count < transfer->held_capacity);
    transfer->held[transfer->held_count++] = message;
    transfer->held_size += message->size;
    return true;
}

void
sv_transfer_say(struct sv_seat *seat, struct sv_buffer *message_take)
{
    if (seat->transfer == NULL) {
        sv_seat_send(seat, message_take);
    } else if (!hold_message(seat->transfer, message_take)) {
        sv_buffer_unref(message_take);
        sv_seat_close(seat, CLOSE_TRY_AGAIN, "too far behind");
    }
}

/* False: the transport accepts no more now. */
static bool
send_part(struct sv_transfer *transfer)
{
    CN_ASSERT(transfer->sent < transfer->size && transfer->size <= UINT32_MAX);
    struct sv_seat *seat = transfer->seat;
    struct sv_gateway *gateway = seat->gateway;
    size_t left = transfer->size - transfer->sent;
    struct wire_chunk chunk = {.id = seat->transfer_count,
        .size = (uint32_t)transfer->size,
        .offset = (uint32_t)transfer->sent,
        .part = transfer->message->bytes + transfer->header_size + transfer->sent,
        .part_size = left < SV_CHUNK_SIZE ? left : SV_CHUNK_SIZE};
    uint32_t hash = wire_chunk_hash(transfer->hash, chunk.part, chunk.part_size);
    chunk.hash = chunk.part_size == left ? hash : 0;
    uint8_t head[WIRE_CHUNK_HEAD_SIZE_MAX], frame[SV_FRAME_HEADER_SIZE_MAX];
    size_t head_size = wire_encode_chunk_head(&chunk, head);
    struct sv_span spans[] = {
        {frame, sv_frame_header_write(frame, head_size + chunk.part_size)},
        {head, head_size},
        {chunk.part, chunk.part_size},
    };
    if (!gateway->transport.send(gateway->transport.context, seat->connection, spans, 3)) {
        seat->is_busy = true;
        return false;
    }
    SV_COUNT(gateway->metrics, messages_out, 1);
    SV_COUNT(gateway->metrics, bytes_out, spans[0].size + spans[1].size + spans[2].size);
    transfer->sent += chunk.part_size;
    transfer->hash = hash;
    return true;
}

bool
sv_transfer_go_on(struct sv_transfer *transfer)
{
    struct sv_seat *seat = transfer->seat;
    CN_ASSERT(seat->transfer == transfer && !seat->is_joined);
    uint64_t now_ns = sv_clock_now_ns(&seat->gateway->clock);
    /* Credit for time without a request is given, but only up to a limit. */
    uint64_t since_ns = now_ns > SV_CHUNK_BURST_NS ? now_ns - SV_CHUNK_BURST_NS : 0;
    if (transfer->due_ns < since_ns) {
        transfer->due_ns = transfer->sent == 0 ? now_ns : since_ns;
    }
    while (transfer->due_ns <= now_ns && !seat->is_busy && !seat->is_closing &&
        seat->queue_count == 0 && send_part(transfer)) {
        transfer->due_ns += SV_CHUNK_SIZE * SV_NS_PER_S / SV_CHUNK_BYTES_PER_S;
        if (transfer->sent == transfer->size) {
            finish_transfer(seat);
            return true;
        }
    }
    return false;
}
