/*
 * contact_delta.h: encodes contacts as their difference to earlier ones, and decodes them.
 *
 * WIRE.md, "Contact deltas", specifies the bytes.  Contacts that stay as they were take no bytes,
 * also when their bodies move: a point is relative to its body (contacts.h).  A message without
 * differences is not sent at all.
 *
 * The decoder needs no protobuf library, no engine and no floating point.
 */
#ifndef PROTO_CONTACT_DELTA_H
#define PROTO_CONTACT_DELTA_H

#include "proto/contacts.h"
#include "proto/delta.h"

/* A client keeps the last contacts that it was sent, this many; a baseline is one of them. */
#define WIRE_CONTACTS_KEPT 16

/* A message, and scratch that is reused for the next one.  Zero-initialise; one thread's. */
struct wire_contact_encoder {
    uint8_t *bytes; /* until the next call */
    size_t size;
    size_t capacity;
    int32_t *was;
    size_t was_capacity;
};

void wire_contact_encoder_finish(struct wire_contact_encoder *encoder);

/*
 * Encodes ServerMessage {contactDelta}: `now` against `base`; without a base, or with one of
 * another series, a keyframe.  False without memory.
 */
bool wire_encode_contact_delta(struct wire_contact_encoder *encoder,
    const struct wire_contacts *now, const struct wire_contacts *base);

/* Zero-initialise.  Joined sets its facts, and every Joined clears it. */
struct wire_contact_decoder {
    bool is_spatial;
    double position_scale; /* m */
    struct wire_contacts *kept[WIRE_CONTACTS_KEPT]; /* newest first; NULL: none */
};

void wire_contact_decoder_clear(struct wire_contact_decoder *decoder);

/*
 * Reads a packed ServerMessage.  On OK *contacts, borrowed from the decoder, are those of the
 * message; else nothing has changed.
 */
enum wire_delta_result wire_decode_contact_delta(struct wire_contact_decoder *decoder,
    const uint8_t *bytes, size_t size, const struct wire_contacts **contacts);

/* ---- values ---- */

/* Where a body is; planar: the orientation is about z. */
struct wire_contact_place {
    double position[3];
    double orientation[4]; /* w, x, y, z */
};

/* A contact or a load with numbers in SI. */
struct wire_contact_values {
    double point[3];  /* in the frame of the world */
    double normal[3]; /* of unit length; of a load zeros */
    double gap;
    double force;       /* along the normal, on B */
    double friction[3]; /* across it; of a load the whole force */
    double torque[3];
    double impulse;
};

/* `place` is that of the body wire_contact_anchor. */
void wire_contact_evaluate(const struct wire_contacts *contacts,
    const struct wire_contact *contact, const struct wire_contact_place *place,
    struct wire_contact_values *values);

#endif
