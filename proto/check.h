/*
 * check.h: what every message from outside must be: finite, readable, known.
 *
 * Text is checked while it is read; this is for messages that came as bytes, of which protobuf-c
 * checks the form only.
 */
#ifndef PROTO_CHECK_H
#define PROTO_CHECK_H

#include "engine/base/defect.h"

#include <protobuf-c/protobuf-c.h>

/*
 * Refuses numbers that are not finite, strings that are not UTF-8 and enumerators without a name;
 * the defect's path is in JSON names, "bodies[3].position.x".
 */
CN_MUST_USE enum cn_status wire_message_check(
    const ProtobufCMessage *message, struct cn_defect *defect);

#endif
