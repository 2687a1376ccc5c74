/*
 * frame_message.h: a ServerMessage that can only be a frame or an answer to a query.
 *
 * The descriptor of the whole ServerMessage names those of all messages, which a small module does
 * not need.  Files that pack frames are compiled with this header in front (wasm/build).
 */
#ifndef WASM_FRAME_MESSAGE_H
#define WASM_FRAME_MESSAGE_H

#include <cairn/v1/wire.pb-c.h>

extern const ProtobufCMessageDescriptor wa_frame_message;

#define cairn__v1__server_message__descriptor wa_frame_message
#define cairn__v1__server_message__get_packed_size(message) \
    protobuf_c_message_get_packed_size(&(message)->base)
#define cairn__v1__server_message__pack(message, out) \
    protobuf_c_message_pack(&(message)->base, out)

#endif
