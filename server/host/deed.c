#include "server/host/deed.h"

#include "engine/base/assert.h"

#include <stdlib.h>
#include <string.h>

/* ---- fields ---- */

/* Enumerator, bytes. An ENUM is below its limit, a BOOL is 0 or 1. */
enum field_type { END, U64, U32, F64, VEC3, QUAT, ENUM, BOOL, NAME };

struct field {
    enum field_type type;
    unsigned limit; /* of an ENUM */
    size_t offset;
};

#define SIZE_LEAST 256 /* of the memory of deeds */
#define FIELD(type, of, member) {type, 0, offsetof(of, member)}
#define CHOICE(count, of, member) {ENUM, count, offsetof(of, member)}
#define HOLDER(of) FIELD(U64, of, holder.source), FIELD(U32, of, holder.slot), \
    FIELD(U64, of, holder.until_tick)
#define LAST {END, 0, 0}

_Static_assert(sizeof(enum cn_frame) == sizeof(unsigned), "an ENUM is read as an unsigned");
_Static_assert(sizeof(enum cn_body_type) == sizeof(unsigned), "and so is this");
_Static_assert(sizeof(enum cn_collision_handling) == sizeof(unsigned), "and this");
_Static_assert(sizeof(cn_vec3) == 24 && sizeof(cn_quat) == 32, "doubles and nothing else");

static const struct field hold_force[] = {HOLDER(struct cn_hold_force),
    FIELD(U32, struct cn_hold_force, body),
    CHOICE(CN_FRAME_BODY + 1, struct cn_hold_force, frame),
    FIELD(VEC3, struct cn_hold_force, point), FIELD(VEC3, struct cn_hold_force, force), LAST};
static const struct field hold_torque[] = {HOLDER(struct cn_hold_torque),
    FIELD(U32, struct cn_hold_torque, body), FIELD(VEC3, struct cn_hold_torque, torque), LAST};
static const struct field hold_drag[] = {HOLDER(struct cn_hold_drag),
    FIELD(U32, struct cn_hold_drag, body), FIELD(VEC3, struct cn_hold_drag, point),
    FIELD(VEC3, struct cn_hold_drag, target), FIELD(F64, struct cn_hold_drag, stiffness),
    FIELD(F64, struct cn_hold_drag, damping), FIELD(F64, struct cn_hold_drag, force_max), LAST};
static const struct field hold_actuator[] = {HOLDER(struct cn_hold_actuator),
    FIELD(U32, struct cn_hold_actuator, actuator), FIELD(F64, struct cn_hold_actuator, level),
    LAST};
static const struct field release[] = {
    FIELD(U64, struct cn_release, source), FIELD(U32, struct cn_release, slot), LAST};
static const struct field release_source[] = {
    FIELD(U64, struct cn_release_source, source), LAST};
static const struct field set_vector[] = {FIELD(VEC3, struct cn_set_vector, value), LAST};
static const struct field set_number[] = {FIELD(F64, struct cn_set_number, value), LAST};
static const struct field set_damping[] = {FIELD(F64, struct cn_set_damping, linear),
    FIELD(F64, struct cn_set_damping, angular), LAST};
static const struct field set_propagation[] = {
#define X(member, name, least, most, usual, text)                                                  \
    FIELD(U32, struct cn_set_propagation, value.member),
    CN_PROPAGATION_TABLE(X)
#undef X
    LAST};
static const struct field set_name[] = {FIELD(NAME, struct cn_set_name, name), LAST};
static const struct field set_method[] = {FIELD(NAME, struct cn_set_method, stepper),
    FIELD(NAME, struct cn_set_method, solver), LAST};
static const struct field place_body[] = {FIELD(U32, struct cn_place_body, body),
    FIELD(VEC3, struct cn_place_body, position), FIELD(F64, struct cn_place_body, angle),
    FIELD(QUAT, struct cn_place_body, orientation), FIELD(VEC3, struct cn_place_body, velocity),
    FIELD(VEC3, struct cn_place_body, angular_velocity), LAST};
static const struct field set_velocity[] = {FIELD(U32, struct cn_set_velocity, body),
    FIELD(VEC3, struct cn_set_velocity, velocity),
    FIELD(VEC3, struct cn_set_velocity, angular_velocity), LAST};
static const struct field set_body_type[] = {FIELD(U32, struct cn_set_body_type, body),
    CHOICE(CN_KINEMATIC + 1, struct cn_set_body_type, type), LAST};
static const struct field set_filter[] = {FIELD(U32, struct cn_set_filter, body),
    FIELD(U32, struct cn_set_filter, shape), FIELD(U64, struct cn_set_filter, filter.category),
    FIELD(U64, struct cn_set_filter, filter.mask), FIELD(U32, struct cn_set_filter, filter.group),
    LAST};
static const struct field sleep_body[] = {FIELD(U32, struct cn_sleep_body, body),
    FIELD(BOOL, struct cn_sleep_body, asleep), LAST};
static const struct field remove_slot[] = {
    FIELD(U32, struct cn_remove, slot), FIELD(U32, struct cn_remove, generation), LAST};

/* NULL: not for the journal. */
static const struct field *const commands[CN_COMMAND_KIND_COUNT] = {
    [CN_COMMAND_HOLD_FORCE] = hold_force,
    [CN_COMMAND_HOLD_TORQUE] = hold_torque,
    [CN_COMMAND_HOLD_DRAG] = hold_drag,
    [CN_COMMAND_HOLD_ACTUATOR] = hold_actuator,
    [CN_COMMAND_RELEASE] = release,
    [CN_COMMAND_RELEASE_SOURCE] = release_source,
    [CN_COMMAND_SET_GRAVITY] = set_vector,
    [CN_COMMAND_SET_RESTITUTION] = set_number,
    [CN_COMMAND_SET_DAMPING] = set_damping,
    [CN_COMMAND_SET_TIME_RATE] = set_number,
    [CN_COMMAND_SET_COLLISION] = set_number,
    [CN_COMMAND_SET_MINIMUM_NORM] = set_number,
    [CN_COMMAND_SET_SUBSTEPS] = set_number,
    [CN_COMMAND_SET_PROPAGATION] = set_propagation,
    [CN_COMMAND_SET_SLEEP] = set_number,
    [CN_COMMAND_SET_SOLVER] = set_name,
    [CN_COMMAND_SET_STEPPER] = set_name,
    [CN_COMMAND_SET_METHOD] = set_method,
    [CN_COMMAND_PLACE_BODY] = place_body,
    [CN_COMMAND_SET_VELOCITY] = set_velocity,
    [CN_COMMAND_SET_BODY_TYPE] = set_body_type,
    [CN_COMMAND_SET_FILTER] = set_filter,
    [CN_COMMAND_SLEEP_BODY] = sleep_body,
    [CN_COMMAND_REMOVE_BODY] = remove_slot,
    [CN_COMMAND_REMOVE_JOINT] = remove_slot,
};

static const struct field settings_fields[] = {
    FIELD(BOOL, struct wire_settings, has_gravity),
    FIELD(BOOL, struct wire_settings, has_restitution),
    FIELD(BOOL, struct wire_settings, has_damping_linear),
    FIELD(BOOL, struct wire_settings, has_damping_angular),
    FIELD(BOOL, struct wire_settings, has_time_rate),
    FIELD(BOOL, struct wire_settings, has_collision),
    FIELD(BOOL, struct wire_settings, has_minimum_norm),
    FIELD(BOOL, struct wire_settings, has_substeps),
    FIELD(BOOL, struct wire_settings, has_sleep),
#define X(member, name, least, most, usual, text)                                                  \
    FIELD(BOOL, struct wire_settings, has_propagation.member),
    CN_PROPAGATION_TABLE(X)
#undef X
    FIELD(VEC3, struct wire_settings, gravity),
    FIELD(F64, struct wire_settings, restitution),
    FIELD(F64, struct wire_settings, damping_linear),
    FIELD(F64, struct wire_settings, damping_angular),
    FIELD(F64, struct wire_settings, time_rate),
    CHOICE(CN_COLLISION_COUNT, struct wire_settings, collision),
    FIELD(BOOL, struct wire_settings, minimum_norm),
    FIELD(U32, struct wire_settings, substeps),
    FIELD(BOOL, struct wire_settings, sleep),
#define X(member, name, least, most, usual, text)                                                  \
    FIELD(U32, struct wire_settings, propagation.member),
    CN_PROPAGATION_TABLE(X)
#undef X
    FIELD(NAME, struct wire_settings, solver),
    FIELD(NAME, struct wire_settings, stepper),
    LAST};

static const struct field settled[] = {FIELD(U64, struct sv_deed, settled.session),
    FIELD(U64, struct sv_deed, settled.seq), LAST};
static const struct field left[] = {FIELD(U64, struct sv_deed, settled.session), LAST};
static const struct field world_state[] = {
    CHOICE(WIRE_WORLD_PAUSED + 1, struct sv_deed, state), LAST};

/* ---- numbers ---- */

/* How many numbers of how many bytes a field has. */
static size_t
number_count(enum field_type type)
{
    return type == VEC3 ? 3 : type == QUAT ? 4 : 1;
}

static size_t
size_of(enum field_type type)
{
    switch (type) {
    case U64:
    case F64:
        return 8;
    case U32:
        return 4;
    case VEC3:
        return 24;
    case QUAT:
        return 32;
    case NAME:
        return CN_NAME_SIZE;
    default:
        return 1;
    }
}

static void
put(unsigned char *bytes, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        bytes[i] = (unsigned char)(value >> (8 * i));
    }
}

static uint64_t
get(const unsigned char *bytes, size_t size)
{
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++) {
        value |= (uint64_t)bytes[i] << (8 * i);
    }
    return value;
}

static void
put_eights(unsigned char *bytes, const unsigned char *member, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t value;
        memcpy(&value, member + 8 * i, sizeof(value));
        put(bytes + 8 * i, value, 8);
    }
}

static void
get_eights(const unsigned char *bytes, unsigned char *member, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t value = get(bytes + 8 * i, 8);
        memcpy(member + 8 * i, &value, sizeof(value));
    }
}

/* Zeros behind the terminator, so that equal names are equal bytes. */
static void
put_name(unsigned char *bytes, const unsigned char *member)
{
    size_t length = strnlen((const char *)member, CN_NAME_SIZE - 1);
    memset(bytes, 0, CN_NAME_SIZE);
    memcpy(bytes, member, length);
}

static bool
get_name(const unsigned char *bytes, unsigned char *member)
{
    size_t length = strnlen((const char *)bytes, CN_NAME_SIZE);
    for (size_t i = length; i < CN_NAME_SIZE; i++) {
        if (bytes[i] != 0) {
            return false;
        }
    }
    memcpy(member, bytes, CN_NAME_SIZE);
    return length < CN_NAME_SIZE;
}

static void
put_field(const struct field *field, unsigned char *bytes, const unsigned char *member)
{
    uint32_t number;
    switch (field->type) {
    case ENUM:
    case U32:
        memcpy(&number, member, sizeof(number));
        put(bytes, number, size_of(field->type));
        break;
    case BOOL:
        bytes[0] = member[0];
        break;
    case NAME:
        put_name(bytes, member);
        break;
    default:
        put_eights(bytes, member, number_count(field->type));
    }
}

static bool
get_field(const struct field *field, const unsigned char *bytes, unsigned char *member)
{
    uint32_t number;
    switch (field->type) {
    case ENUM:
    case U32:
        number = (uint32_t)get(bytes, size_of(field->type));
        memcpy(member, &number, sizeof(number));
        return field->type != ENUM || number < field->limit;
    case BOOL:
        member[0] = bytes[0];
        return bytes[0] <= 1;
    case NAME:
        return get_name(bytes, member);
    default:
        get_eights(bytes, member, number_count(field->type));
        return true;
    }
}

/* ---- writing ---- */

bool
sv_deeds_reserve(struct sv_deeds *deeds, size_t size)
{
    if (deeds->capacity - deeds->size < size) {
        size_t capacity = deeds->capacity + deeds->capacity / 2 + size;
        capacity = capacity > SIZE_LEAST ? capacity : SIZE_LEAST;
        unsigned char *bytes = realloc(deeds->bytes, capacity);
        if (bytes == NULL) {
            return false;
        }
        deeds->bytes = bytes;
        deeds->capacity = capacity;
    }
    return true;
}

/* Room for `size` more bytes, which then count; NULL without memory. */
static unsigned char *
extend(struct sv_deeds *deeds, size_t size)
{
    if (!sv_deeds_reserve(deeds, size)) {
        return NULL;
    }
    deeds->size += size;
    return deeds->bytes + deeds->size - size;
}

void
sv_deeds_clear(struct sv_deeds *deeds, size_t kept)
{
    if (deeds->capacity > kept && deeds->capacity > 4 * deeds->size) {
        sv_deeds_finish(deeds);
    }
    deeds->size = 0;
}

static size_t
fields_size(const struct field *fields)
{
    size_t size = 0;
    for (; fields->type != END; fields++) {
        size += size_of(fields->type);
    }
    return size;
}

/* `head` bytes and the fields; returns where the head begins. */
static unsigned char *
add_fields(struct sv_deeds *deeds, size_t head, const struct field *fields, const void *of)
{
    unsigned char *start = extend(deeds, head + fields_size(fields));
    if (start != NULL) {
        unsigned char *bytes = start + head;
        for (; fields->type != END; fields++) {
            put_field(fields, bytes, (const unsigned char *)of + fields->offset);
            bytes += size_of(fields->type);
        }
    }
    return start;
}

static unsigned char *
add_command(struct sv_deeds *deeds, const struct cn_command *command)
{
    CN_ASSERT(commands[command->kind] != NULL);
    /* Every payload begins where the union does. */
    unsigned char *start =
        add_fields(deeds, 2, commands[command->kind], &command->hold_force);
    if (start != NULL) {
        start[1] = (unsigned char)command->kind;
    }
    return start;
}

static unsigned char *
add_matter(struct sv_deeds *deeds, const struct sv_deed *deed)
{
    bool is_load = deed->kind == SV_DEED_LOAD || deed->kind == SV_DEED_SEED;
    bool is_inline = deed->kind == SV_DEED_CHANGE;
    size_t head = is_load ? 1 : is_inline ? 6 : 2;
    size_t size = is_inline ? deed->matter.size : SV_DEED_CONTENT_SIZE;
    CN_ASSERT(!is_inline || size <= SV_DEED_INLINE_SIZE_MAX);
    unsigned char *start = extend(deeds, head + size);
    if (start == NULL) {
        return NULL;
    }
    if (!is_load) {
        start[1] = deed->matter.is_done ? 1 : 0;
    }
    if (is_inline) {
        put(start + 2, size, 4);
    }
    if (size > 0) {
        memcpy(start + head, is_inline ? deed->matter.bytes : deed->matter.content, size);
    }
    return start;
}

bool
sv_deeds_add(struct sv_deeds *deeds, const struct sv_deed *deed)
{
    unsigned char *start = NULL;
    switch (deed->kind) {
    case SV_DEED_COMMAND:
        start = add_command(deeds, &deed->command);
        break;
    case SV_DEED_SETTLED:
        start = add_fields(deeds, 1, settled, deed);
        break;
    case SV_DEED_LEFT:
    case SV_DEED_JOINED:
        start = add_fields(deeds, 1, left, deed);
        break;
    case SV_DEED_STATE:
        start = add_fields(deeds, 1, world_state, deed);
        break;
    case SV_DEED_SETTINGS:
        start = add_fields(deeds, 1, settings_fields, &deed->settings);
        break;
    case SV_DEED_RESET:
        start = extend(deeds, 1);
        break;
    case SV_DEED_CHANGE:
    case SV_DEED_CHANGE_OF:
    case SV_DEED_LOAD:
    case SV_DEED_SEED:
        start = add_matter(deeds, deed);
        break;
    case SV_DEED_KIND_COUNT:
        CN_ASSERT(!"no kind of deed");
    }
    if (start == NULL) {
        return false;
    }
    start[0] = (unsigned char)deed->kind;
    return true;
}

bool
sv_deeds_add_bytes(struct sv_deeds *deeds, const unsigned char *bytes, size_t size)
{
    unsigned char *start = extend(deeds, size);
    if (start == NULL) {
        return false;
    }
    memcpy(start, bytes, size);
    return true;
}

void
sv_deeds_finish(struct sv_deeds *deeds)
{
    free(deeds->bytes);
    *deeds = (struct sv_deeds){0};
}

bool
sv_settings_add(struct sv_deeds *deeds, const struct wire_settings *settings)
{
    return add_fields(deeds, 0, settings_fields, settings) != NULL;
}

/* ---- reading ---- */

struct reader {
    const unsigned char *bytes;
    size_t size, at;
    bool is_good;
};

/* The next bytes; on their end NULL, and nothing is good any more. */
static const unsigned char *
take(struct reader *reader, size_t size)
{
    if (!reader->is_good || reader->size - reader->at < size) {
        reader->is_good = false;
        return NULL;
    }
    reader->at += size;
    return reader->bytes + reader->at - size;
}

static unsigned
take_byte(struct reader *reader)
{
    const unsigned char *byte = take(reader, 1);
    return byte != NULL ? *byte : 0;
}

static void
take_fields(struct reader *reader, const struct field *fields, void *of)
{
    for (; fields->type != END; fields++) {
        const unsigned char *bytes = take(reader, size_of(fields->type));
        if (bytes == NULL) {
            return;
        }
        reader->is_good = get_field(fields, bytes, (unsigned char *)of + fields->offset);
    }
}

static void
take_command(struct reader *reader, struct cn_command *command)
{
    unsigned kind = take_byte(reader);
    if (kind >= CN_COMMAND_KIND_COUNT || commands[kind] == NULL) {
        reader->is_good = false;
        return;
    }
    command->kind = (enum cn_command_kind)kind;
    take_fields(reader, commands[kind], &command->hold_force);
}

static void
take_done(struct reader *reader, struct sv_deed *deed)
{
    unsigned done = take_byte(reader);
    reader->is_good = reader->is_good && done <= 1;
    deed->matter.is_done = done == 1;
}

static void
take_change(struct reader *reader, struct sv_deed *deed)
{
    take_done(reader, deed);
    const unsigned char *size = take(reader, 4);
    if (size == NULL || get(size, 4) > SV_DEED_INLINE_SIZE_MAX) {
        reader->is_good = false;
        return;
    }
    deed->matter.size = (size_t)get(size, 4);
    deed->matter.bytes = take(reader, deed->matter.size);
}

static void
take_content(struct reader *reader, struct sv_deed *deed)
{
    const unsigned char *content = take(reader, SV_DEED_CONTENT_SIZE);
    if (content != NULL) {
        memcpy(deed->matter.content, content, SV_DEED_CONTENT_SIZE);
    }
}

static void
take_deed(struct reader *reader, struct sv_deed *deed)
{
    switch (deed->kind) {
    case SV_DEED_COMMAND:
        take_command(reader, &deed->command);
        break;
    case SV_DEED_SETTLED:
        take_fields(reader, settled, deed);
        break;
    case SV_DEED_LEFT:
    case SV_DEED_JOINED:
        take_fields(reader, left, deed);
        break;
    case SV_DEED_STATE:
        take_fields(reader, world_state, deed);
        break;
    case SV_DEED_SETTINGS:
        take_fields(reader, settings_fields, &deed->settings);
        break;
    case SV_DEED_RESET:
        break;
    case SV_DEED_CHANGE:
        take_change(reader, deed);
        break;
    case SV_DEED_CHANGE_OF:
        take_done(reader, deed);
        take_content(reader, deed);
        break;
    case SV_DEED_LOAD:
    case SV_DEED_SEED:
        take_content(reader, deed);
        break;
    case SV_DEED_KIND_COUNT:
        reader->is_good = false;
    }
}

bool
sv_deed_read(const unsigned char *bytes, size_t size, size_t *at, struct sv_deed *deed)
{
    struct reader reader = {bytes, size, *at, *at <= size};
    unsigned kind = take_byte(&reader);
    if (!reader.is_good || kind >= SV_DEED_KIND_COUNT) {
        return false;
    }
    memset(deed, 0, sizeof(*deed));
    deed->kind = (enum sv_deed_kind)kind;
    take_deed(&reader, deed);
    if (reader.is_good) {
        *at = reader.at;
    }
    return reader.is_good;
}

bool
sv_settings_read(
    const unsigned char *bytes, size_t size, size_t *at, struct wire_settings *settings)
{
    struct reader reader = {bytes, size, *at, *at <= size};
    memset(settings, 0, sizeof(*settings));
    take_fields(&reader, settings_fields, settings);
    if (reader.is_good) {
        *at = reader.at;
    }
    return reader.is_good;
}

const char *
sv_deed_name(enum sv_deed_kind kind)
{
    static const char *const names[] = {
#define X(NAME, name) name,
        SV_DEED_TABLE(X)
#undef X
    };
    return kind < SV_DEED_KIND_COUNT ? names[kind] : "no deed";
}
