/*
 * attribute.h: attributes between messages and values.
 *
 * Names that begin with '.' belong to the rules of a scene: messages from outside may not have
 * them, and they are not sent.
 */
#ifndef PROTO_ATTRIBUTE_H
#define PROTO_ATTRIBUTE_H

#include "engine/base/defect.h"
#include "engine/model/attribute.h"

#include <cairn/v1/scene.pb-c.h>

/*
 * Fills name and value; the owner stays.  A message without a value gives the kind NONE.  Refuses
 * what no attribute may be, with paths below the message, and names that begin with '.'.
 */
CN_MUST_USE enum cn_status wire_attribute_read(
    const Cairn__V1__Attribute *message, struct cn_attribute *attribute, struct cn_defect *defect);

/*
 * A message that borrows name and value from the attribute.  `text` has room for a text with its
 * terminator.
 */
#define WIRE_ATTRIBUTE_TEXT_SIZE (CN_ATTRIBUTE_VALUE_MAX + 1)
void wire_attribute_build(const struct cn_attribute *attribute,
    char text[WIRE_ATTRIBUTE_TEXT_SIZE], Cairn__V1__Attribute *message);

#endif
