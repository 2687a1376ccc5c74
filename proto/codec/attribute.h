/*
 * attribute.h: changes of attributes between messages and values.
 */
#ifndef PROTO_CODEC_ATTRIBUTE_H
#define PROTO_CODEC_ATTRIBUTE_H

#include "proto/codec.h"

#include <cairn/v1/wire.pb-c.h>

/* Reads a control's changes; the memory is on the heap.  False with *error filled. */
bool codec_attributes_read(const Cairn__V1__SetAttributes *message, struct wire_control *control,
    struct wire_error *error);

/* Reads one change; an error's path begins at the change. */
bool codec_attribute_read(const Cairn__V1__AttributeChange *message,
    struct cn_attribute *attribute, struct wire_error *error);

/* Messages of changes, in one block on the heap; they borrow from the attributes. */
struct codec_attributes {
    Cairn__V1__AttributeChange **changes;
    size_t count;
    void *block; /* heap */
};

/* False without memory.  Free the block afterwards. */
bool codec_attributes_build(const struct wire_attribute_change *changes, int count,
    struct codec_attributes *out);

#endif
