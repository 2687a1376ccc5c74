/* copy.c: copies of messages and of parts of a scene, and the names in joints. */
#include "proto/scene/inside.h"

#include "engine/base/assert.h"

#include <stdlib.h>

ProtobufCMessage *
scene_copy_message(const ProtobufCMessage *message)
{
    if (message == NULL) {
        return NULL;
    }
    size_t size = protobuf_c_message_get_packed_size(message);
    uint8_t *bytes = malloc(size + 1);
    if (bytes == NULL) {
        return NULL;
    }
    protobuf_c_message_pack(message, bytes);
    ProtobufCMessage *copy = protobuf_c_message_unpack(message->descriptor, NULL, size, bytes);
    free(bytes);
    return copy;
}

bool
scene_copy_all(ProtobufCMessage *const *from, size_t count, void *out, size_t *out_count)
{
    ProtobufCMessage **copies = calloc(count + 1, sizeof(*copies));
    ProtobufCMessage ***target = out;
    *target = copies;
    *out_count = 0;
    for (size_t i = 0; copies != NULL && i < count; i++) {
        copies[i] = scene_copy_message(from[i]);
        if (copies[i] == NULL) {
            return false;
        }
        ++*out_count;
        CN_ASSERT(*out_count == i + 1);
    }
    return copies != NULL;
}

Cairn__V1__Scene *
scene_part_begin(const Cairn__V1__Scene *into)
{
    Cairn__V1__Scene *part = calloc(1, sizeof(*part));
    if (part == NULL) {
        return NULL;
    }
    cairn__v1__scene__init(part);
    part->world = (Cairn__V1__World *)scene_copy_message((const ProtobufCMessage *)into->world);
    bool copied = part->world != NULL || into->world == NULL;
    copied = copied && scene_copy_all((ProtobufCMessage *const *)into->materials,
                           into->n_materials, &part->materials, &part->n_materials);
    copied = copied && scene_copy_all((ProtobufCMessage *const *)into->curves, into->n_curves,
                           &part->curves, &part->n_curves);
    if (!copied) {
        cairn__v1__scene__free_unpacked(part, NULL);
        return NULL;
    }
    CN_ASSERT(part->n_bodies == 0 && part->n_joints == 0);
    return part;
}

void
scene_joint_ends(Cairn__V1__Joint *joint, char **ends[2])
{
#define ENDS(NAME, member)                                                                         \
    case CAIRN__V1__JOINT__JOINT_##NAME:                                                           \
        ends[0] = &joint->member->body_a;                                                          \
        ends[1] = &joint->member->body_b;                                                          \
        break;
    ends[0] = ends[1] = NULL;
    switch (joint->joint_case) {
        ENDS(BALL, ball)
        ENDS(HINGE, hinge)
        ENDS(SLIDER, slider)
        ENDS(FIXED, fixed)
        ENDS(DISTANCE, distance)
        ENDS(ROPE, rope)
    case CAIRN__V1__JOINT__JOINT_TRACK:
        ends[1] = &joint->track->body;
        break;
    default:
        break;
    }
#undef ENDS
}
