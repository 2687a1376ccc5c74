/*
 * check.h: checks that hold for every message from outside: finite numbers, valid text, known
 * enumerators.
 *
 * Text is checked while it is parsed.  This is for messages that came as bytes, where protobuf-c
 * only checks the encoding.
 */
#ifndef PROTO_TEXT_CHECK_H
#define PROTO_TEXT_CHECK_H

#include "engine/base/defect.h"

#include <protobuf-c/protobuf-c.h>

/*
 * Refuses numbers that are not finite, strings that are not UTF-8 and enumerators without a name;
 * the defect's path is in JSON names, "bodies[3].position.x".
 */
CN_MUST_USE enum cn_status wire_message_check(
    const ProtobufCMessage *message, struct cn_defect *defect);

/*
 * Replaces each number -0 by 0.  Packing a message leaves both out, so a scene from text would
 * have other bits than the same scene from bytes.
 */
void wire_message_drop_signs_of_zero(ProtobufCMessage *message);

#endif
