/*
 * room_record.c: a room as the bytes of its note.
 *
 *    1 byte each     version; state; reason; flags
 *    8 bytes each    number; created_s; event_sequence; Unix time of its end, or 0
 *    texts           id; name; subject; template.  A text has a byte of length before it.
 *    48 bytes        salt and hash, if it has a password
 *    properties      a byte of count.  For each one: type; listed; name; value
 *    places          4 bytes of count.  For each one: state; was_joined; serial; subject
 *
 * Damage of the disk is found before (format/note.h), but a reader takes any bytes.
 */
#include "server/room/room.h"

#include "engine/base/assert.h"
#include "engine/base/little_endian.h"
#include "server/base/limits.h"

#include <stdlib.h>
#include <string.h>

#define RECORD_VERSION 1
#define FLAG_PRIVATE 1
#define FLAG_LOCKED 2
#define FLAG_PASSWORD 4
#define FLAG_STARTED 8
#define FLAG_UNTOLD 16
#define FLAGS 31

_Static_assert(4 + 4 * 8 + 4 * 65 + 48 + 1 + 16 * (2 + 33 + 65) + 4 < 4096, "the head fits");

/* ---- writing ---- */

struct writer {
    unsigned char *bytes;
    size_t size, capacity;
};

static void
put_bytes(struct writer *out, const void *bytes, size_t size)
{
    CN_ASSERT(size <= out->capacity - out->size);
    memcpy(out->bytes + out->size, bytes, size);
    out->size += size;
}

static void
put_u8(struct writer *out, unsigned value)
{
    unsigned char byte = (unsigned char)value;
    CN_ASSERT(value < 256);
    put_bytes(out, &byte, 1);
}

static void
put_u32(struct writer *out, uint32_t value)
{
    unsigned char bytes[4];
    cn_put_u32(bytes, value);
    put_bytes(out, bytes, sizeof(bytes));
}

static void
put_u64(struct writer *out, uint64_t value)
{
    unsigned char bytes[8];
    cn_put_u64(bytes, value);
    put_bytes(out, bytes, sizeof(bytes));
}

static void
put_text(struct writer *out, const char *text)
{
    put_u8(out, (unsigned)strlen(text));
    put_bytes(out, text, strlen(text));
}

static void
put_property(struct writer *out, const struct wire_room_property *property)
{
    uint64_t bits = 0;
    put_u8(out, (unsigned)property->type);
    put_u8(out, property->is_listed);
    put_text(out, property->name);
    switch (property->type) {
    case WIRE_ROOM_TEXT:
        put_text(out, property->text);
        return;
    case WIRE_ROOM_INTEGER:
        bits = (uint64_t)property->integer;
        break;
    case WIRE_ROOM_NUMBER:
        memcpy(&bits, &property->number, sizeof(bits));
        break;
    case WIRE_ROOM_FLAG:
        bits = property->flag;
        break;
    }
    put_u64(out, bits);
}

static void
put_head(struct writer *out, const struct sv_room *room, int64_t wall_s, uint64_t now_ns)
{
    uint64_t left_s =
        room->ends_ns > now_ns ? (room->ends_ns - now_ns + SV_NS_PER_S - 1) / SV_NS_PER_S : 0;
    put_u8(out, RECORD_VERSION);
    put_u8(out, (unsigned)room->state);
    put_u8(out, (unsigned)room->reason);
    put_u8(out,
        (room->is_private ? FLAG_PRIVATE : 0U) | (room->is_locked ? FLAG_LOCKED : 0U) |
            (room->has_password ? FLAG_PASSWORD : 0U) | (room->is_started ? FLAG_STARTED : 0U) |
            (room->is_untold ? FLAG_UNTOLD : 0U));
    put_u64(out, room->number);
    put_u64(out, room->created_s);
    put_u64(out, room->event_sequence);
    put_u64(out, room->ends_ns > 0 ? (uint64_t)wall_s + left_s : 0);
    put_text(out, room->id);
    put_text(out, room->name);
    put_text(out, room->subject);
    put_text(out, room->template_name);
    if (room->has_password) {
        put_bytes(out, room->salt, sizeof(room->salt));
        put_bytes(out, room->hash, sizeof(room->hash));
    }
    put_u8(out, (unsigned)room->properties.count);
    for (int i = 0; i < room->properties.count; i++) {
        put_property(out, &room->properties.list[i]);
    }
}

size_t
sv_room_pack(const struct sv_room *room, int64_t wall_s, uint64_t now_ns,
    unsigned char bytes[SV_ROOM_RECORD_SIZE_MAX])
{
    struct writer out = {.bytes = bytes, .capacity = SV_ROOM_RECORD_SIZE_MAX};
    put_head(&out, room, wall_s, now_ns);
    put_u32(&out, room->place_count);
    for (uint32_t i = 0; i < room->place_count; i++) {
        const struct sv_place *place = &room->places[i];
        put_u8(&out, (unsigned)place->state);
        put_u8(&out, place->was_joined);
        put_u32(&out, place->serial);
        put_text(&out, place->state != SV_PLACE_FREE ? place->subject : "");
    }
    return out.size;
}

/* ---- reading ---- */

struct reader {
    const unsigned char *bytes;
    size_t size, at;
    bool is_bad; /* further reads give zeros */
};

static void
get_bytes(struct reader *in, void *bytes, size_t size)
{
    in->is_bad = in->is_bad || size > in->size - in->at;
    if (in->is_bad) {
        memset(bytes, 0, size);
        return;
    }
    memcpy(bytes, in->bytes + in->at, size);
    in->at += size;
}

/* A byte of at most `most`. */
static unsigned
get_u8(struct reader *in, unsigned most)
{
    unsigned char byte;
    get_bytes(in, &byte, 1);
    in->is_bad = in->is_bad || byte > most;
    return in->is_bad ? 0 : byte;
}

static uint32_t
get_u32(struct reader *in)
{
    unsigned char bytes[4];
    get_bytes(in, bytes, sizeof(bytes));
    return cn_get_u32(bytes);
}

static uint64_t
get_u64(struct reader *in)
{
    unsigned char bytes[8];
    get_bytes(in, bytes, sizeof(bytes));
    return cn_get_u64(bytes);
}

static void
get_text(struct reader *in, char *text, size_t size)
{
    CN_ASSERT(size > 0 && size <= 256);
    unsigned length = get_u8(in, (unsigned)size - 1);
    get_bytes(in, text, length);
    text[length] = '\0';
    in->is_bad = in->is_bad || strlen(text) != length;
}

static void
get_property(struct reader *in, struct wire_room_property *property)
{
    property->type = (enum wire_room_type)get_u8(in, WIRE_ROOM_FLAG);
    property->is_listed = get_u8(in, 1) != 0;
    get_text(in, property->name, sizeof(property->name));
    if (property->type == WIRE_ROOM_TEXT) {
        get_text(in, property->text, sizeof(property->text));
        return;
    }
    uint64_t bits = get_u64(in);
    if (property->type == WIRE_ROOM_INTEGER) {
        property->integer = (int64_t)bits;
    } else if (property->type == WIRE_ROOM_NUMBER) {
        memcpy(&property->number, &bits, sizeof(bits));
    } else {
        property->flag = bits != 0;
    }
}

static void
get_places(struct reader *in, struct sv_room *room, uint64_t now_ns)
{
    for (uint32_t i = 0; i < room->place_count; i++) {
        struct sv_place *place = &room->places[i];
        enum sv_place_state state = (enum sv_place_state)get_u8(in, SV_PLACE_TAKEN);
        place->was_joined = get_u8(in, 1) != 0;
        place->serial = get_u32(in);
        place->since_ns = now_ns;
        get_text(in, place->subject, sizeof(place->subject));
        sv_room_set_place(room, i, state == SV_PLACE_FREE ? SV_PLACE_FREE : SV_PLACE_HELD);
    }
}

static void
get_head(struct reader *in, struct sv_room *room, int64_t wall_s, uint64_t now_ns)
{
    in->is_bad = get_u8(in, 255) != RECORD_VERSION;
    room->state = (enum sv_room_state)get_u8(in, SV_ROOM_ENDING);
    room->reason = (enum sv_room_reason)get_u8(in, SV_ROOM_REASON_COUNT - 1);
    unsigned flags = get_u8(in, FLAGS);
    room->is_private = (flags & FLAG_PRIVATE) != 0;
    room->is_locked = (flags & FLAG_LOCKED) != 0;
    room->has_password = (flags & FLAG_PASSWORD) != 0;
    room->is_started = (flags & FLAG_STARTED) != 0;
    room->is_untold = (flags & FLAG_UNTOLD) != 0;
    room->number = get_u64(in);
    room->created_s = get_u64(in);
    room->event_sequence = get_u64(in);
    uint64_t end_s = get_u64(in);
    uint64_t left_s =
        wall_s > 0 && end_s > (uint64_t)wall_s ? end_s - (uint64_t)wall_s : 0;
    left_s = left_s < WIRE_ROOM_LIFETIME_S_MAX ? left_s : WIRE_ROOM_LIFETIME_S_MAX;
    room->ends_ns = end_s > 0 ? now_ns + left_s * SV_NS_PER_S + 1 : 0;
    room->empty_ns = now_ns;
    get_text(in, room->id, sizeof(room->id));
    get_text(in, room->name, sizeof(room->name));
    get_text(in, room->subject, sizeof(room->subject));
    get_text(in, room->template_name, sizeof(room->template_name));
    if (room->has_password) {
        get_bytes(in, room->salt, sizeof(room->salt));
        get_bytes(in, room->hash, sizeof(room->hash));
    }
    room->properties.count = (int)get_u8(in, WIRE_ROOM_PROPERTIES_MAX);
    for (int i = 0; i < room->properties.count; i++) {
        get_property(in, &room->properties.list[i]);
    }
    in->is_bad = in->is_bad || !wire_name_is_id(room->id);
}

struct sv_room *
sv_room_unpack(const unsigned char *bytes, size_t size, int64_t wall_s, uint64_t now_ns)
{
    struct reader in = {.bytes = bytes, .size = size};
    struct sv_room head = {0};
    get_head(&in, &head, wall_s, now_ns);
    uint32_t count = get_u32(&in);
    if (in.is_bad || count == 0 || count > WIRE_ROOM_SEATS_MAX) {
        return NULL;
    }
    struct sv_room *room = sv_room_create(count);
    if (room == NULL) {
        return NULL;
    }
    head.places = room->places;
    head.place_count = count;
    *room = head;
    get_places(&in, room, now_ns);
    if (in.is_bad || in.at != size) {
        sv_room_destroy(room);
        return NULL;
    }
    return room;
}
