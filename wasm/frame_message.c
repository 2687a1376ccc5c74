/* frame_message.c: the descriptor of frame_message.h; its fields are those of ServerMessage. */
#include "wasm/frame_message.h"

#include <stddef.h>

#define FIELD(member, NUMBER, message)                                                             \
    {                                                                                              \
        .name = #member, .id = CAIRN__V1__SERVER_MESSAGE__MESSAGE_##NUMBER,                        \
        .label = PROTOBUF_C_LABEL_NONE, .type = PROTOBUF_C_TYPE_MESSAGE,                           \
        .quantifier_offset = offsetof(Cairn__V1__ServerMessage, message_case),                     \
        .offset = offsetof(Cairn__V1__ServerMessage, member),                                      \
        .descriptor = &cairn__v1__##message##__descriptor, .flags = PROTOBUF_C_FIELD_FLAG_ONEOF,   \
    }

static const ProtobufCFieldDescriptor fields[] = {
    FIELD(contacts, CONTACTS, contact_frame),
    FIELD(energy, ENERGY, energy_frame),
    FIELD(events, EVENTS, event_frame),
    FIELD(actions, ACTIONS, action_frame),
#ifndef WASM_WITHOUT_QUERIES
    FIELD(query_result, QUERY_RESULT, query_result),
#endif
};

#define FIELD_COUNT (sizeof(fields) / sizeof(fields[0]))

const ProtobufCMessageDescriptor wa_frame_message = {
    .magic = PROTOBUF_C__MESSAGE_DESCRIPTOR_MAGIC,
    .name = "cairn.v1.ServerMessage",
    .sizeof_message = sizeof(Cairn__V1__ServerMessage),
    .n_fields = FIELD_COUNT,
    .fields = fields,
};
