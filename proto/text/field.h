/*
 * field.h: access to fields of protobuf-c messages by descriptor: name, size, presence, address.
 *
 * protobuf-c stores a message as a struct.  A field descriptor has the offsets of the member and of
 * its quantifier.  The quantifier is the count of a repeated field or the case of a oneof.
 */
#ifndef PROTO_TEXT_FIELD_H
#define PROTO_TEXT_FIELD_H

#include <protobuf-c/protobuf-c.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WIRE_FIELD_NAME_SIZE 64

/* The name in proto3's JSON mapping: tick_rate becomes tickRate. */
struct wire_field_name {
    char text[WIRE_FIELD_NAME_SIZE];
};
struct wire_field_name wire_field_json_name(const ProtobufCFieldDescriptor *field);

/* NULL if no field of the message has that JSON name. */
const ProtobufCFieldDescriptor *wire_field_find(
    const ProtobufCMessageDescriptor *descriptor, const char *json_name);

/* Bytes of one element as protobuf-c stores it. */
size_t wire_field_element_size(const ProtobufCFieldDescriptor *field);

bool wire_field_is_repeated(const ProtobufCFieldDescriptor *field);
bool wire_field_is_oneof(const ProtobufCFieldDescriptor *field);

/* The member: the element of a singular field, the pointer to the array of a repeated one. */
void *wire_field_member(ProtobufCMessage *message, const ProtobufCFieldDescriptor *field);
const void *wire_field_member_const(
    const ProtobufCMessage *message, const ProtobufCFieldDescriptor *field);

/* The count of a repeated field. */
size_t *wire_field_count(ProtobufCMessage *message, const ProtobufCFieldDescriptor *field);
size_t wire_field_count_const(
    const ProtobufCMessage *message, const ProtobufCFieldDescriptor *field);

/* The case of a oneof: the id of the member that is set, or 0. */
uint32_t *wire_field_case(ProtobufCMessage *message, const ProtobufCFieldDescriptor *field);

/*
 * Whether a field is set.  A member of a oneof or a message is set if it is present.  A repeated
 * field is set if it has elements.  Any other field is set if it differs from its default; a double
 * -0.0 does.
 */
bool wire_field_is_set(const ProtobufCMessage *message, const ProtobufCFieldDescriptor *field);

#endif
