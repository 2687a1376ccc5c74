/* fields.c: the tables of the fields of log entries, and how each type of field is stored. */
#include "deed/fields.h"
#include "engine/base/assert.h"

#include <string.h>

/* ---- tables ---- */

/* An ENUM is below its limit, a BOOL is 0 or 1; TEXT and BYTES have `limit` bytes. */
enum field_type { END, U64, U32, F64, VEC3, QUAT, ENUM, BOOL, NAME, TEXT, BYTES };

struct dd_field {
    enum field_type type;
    unsigned limit; /* of an ENUM, or bytes */
    size_t offset;
};

#define FIELD(type, of, member) {type, 0, offsetof(of, member)}
#define CHOICE(count, of, member) {ENUM, count, offsetof(of, member)}
#define SIZED(type, of, member) {type, sizeof(((of *)0)->member), offsetof(of, member)}
#define HOLDER(of) FIELD(U64, of, holder.source), FIELD(U32, of, holder.slot), \
    FIELD(U64, of, holder.until_tick)
#define LAST {END, 0, 0}

_Static_assert(sizeof(enum cn_frame) == sizeof(unsigned), "an ENUM is read as an unsigned");
_Static_assert(sizeof(enum cn_body_type) == sizeof(unsigned), "and so is this");
_Static_assert(sizeof(enum cn_collision_handling) == sizeof(unsigned), "and this");
_Static_assert(sizeof(enum cn_value_kind) == sizeof(unsigned), "and this");
_Static_assert(CN_ATTRIBUTE_NAME_SIZE == CN_NAME_SIZE, "a NAME");
_Static_assert(sizeof(cn_vec3) == 24 && sizeof(cn_quat) == 32, "doubles and nothing else");

static const struct dd_field hold_force[] = {HOLDER(struct cn_hold_force),
    FIELD(U32, struct cn_hold_force, body),
    CHOICE(CN_FRAME_BODY + 1, struct cn_hold_force, frame),
    FIELD(VEC3, struct cn_hold_force, point), FIELD(VEC3, struct cn_hold_force, force), LAST};
static const struct dd_field hold_torque[] = {HOLDER(struct cn_hold_torque),
    FIELD(U32, struct cn_hold_torque, body), FIELD(VEC3, struct cn_hold_torque, torque), LAST};
static const struct dd_field hold_drag[] = {HOLDER(struct cn_hold_drag),
    FIELD(U32, struct cn_hold_drag, body), FIELD(VEC3, struct cn_hold_drag, point),
    FIELD(VEC3, struct cn_hold_drag, target), FIELD(F64, struct cn_hold_drag, stiffness),
    FIELD(F64, struct cn_hold_drag, damping), FIELD(F64, struct cn_hold_drag, force_max), LAST};
static const struct dd_field hold_actuator[] = {HOLDER(struct cn_hold_actuator),
    FIELD(U32, struct cn_hold_actuator, actuator), FIELD(F64, struct cn_hold_actuator, level),
    LAST};
static const struct dd_field release[] = {
    FIELD(U64, struct cn_release, source), FIELD(U32, struct cn_release, slot), LAST};
static const struct dd_field release_source[] = {
    FIELD(U64, struct cn_release_source, source), LAST};
static const struct dd_field set_vector[] = {FIELD(VEC3, struct cn_set_vector, value), LAST};
static const struct dd_field set_number[] = {FIELD(F64, struct cn_set_number, value), LAST};
static const struct dd_field set_damping[] = {FIELD(F64, struct cn_set_damping, linear),
    FIELD(F64, struct cn_set_damping, angular), LAST};
static const struct dd_field set_propagation[] = {
#define X(member, name, least, most, usual, text)                                                  \
    FIELD(U32, struct cn_set_propagation, value.member),
    CN_PROPAGATION_TABLE(X)
#undef X
    LAST};
static const struct dd_field set_name[] = {FIELD(NAME, struct cn_set_name, name), LAST};
static const struct dd_field set_method[] = {FIELD(NAME, struct cn_set_method, stepper),
    FIELD(NAME, struct cn_set_method, solver), LAST};
static const struct dd_field place_body[] = {FIELD(U32, struct cn_place_body, body),
    FIELD(VEC3, struct cn_place_body, position), FIELD(F64, struct cn_place_body, angle),
    FIELD(QUAT, struct cn_place_body, orientation), FIELD(VEC3, struct cn_place_body, velocity),
    FIELD(VEC3, struct cn_place_body, angular_velocity), LAST};
static const struct dd_field set_velocity[] = {FIELD(U32, struct cn_set_velocity, body),
    FIELD(VEC3, struct cn_set_velocity, velocity),
    FIELD(VEC3, struct cn_set_velocity, angular_velocity), LAST};
static const struct dd_field set_body_type[] = {FIELD(U32, struct cn_set_body_type, body),
    CHOICE(CN_KINEMATIC + 1, struct cn_set_body_type, type), LAST};
static const struct dd_field set_filter[] = {FIELD(U32, struct cn_set_filter, body),
    FIELD(U32, struct cn_set_filter, shape), FIELD(U64, struct cn_set_filter, filter.category),
    FIELD(U64, struct cn_set_filter, filter.mask), FIELD(U32, struct cn_set_filter, filter.group),
    LAST};
static const struct dd_field sleep_body[] = {FIELD(U32, struct cn_sleep_body, body),
    FIELD(BOOL, struct cn_sleep_body, asleep), LAST};
static const struct dd_field move_body[] = {FIELD(U32, struct cn_move_body, body),
    FIELD(VEC3, struct cn_move_body, position), FIELD(F64, struct cn_move_body, angle),
    FIELD(QUAT, struct cn_move_body, orientation), FIELD(U32, struct cn_move_body, ticks), LAST};
static const struct dd_field remove_slot[] = {
    FIELD(U32, struct cn_remove, slot), FIELD(U32, struct cn_remove, generation), LAST};

static const struct dd_field *const commands[CN_COMMAND_KIND_COUNT] = {
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
    [CN_COMMAND_SET_RESTING_VELOCITY] = set_number,
    [CN_COMMAND_MOVE_BODY] = move_body,
};

static const struct dd_field settings_fields[] = {
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

static const struct dd_field settled[] = {FIELD(U64, struct dd_entry, settled.session),
    FIELD(U64, struct dd_entry, settled.seq), LAST};
static const struct dd_field left[] = {FIELD(U64, struct dd_entry, settled.session), LAST};
static const struct dd_field world_state[] = {
    CHOICE(WIRE_WORLD_PAUSED + 1, struct dd_entry, state), LAST};
static const struct dd_field reach[] = {FIELD(U64, struct dd_entry, reach_tick), LAST};
static const struct dd_field upgrade[] = {FIELD(U32, struct dd_entry, upgrade.physics),
    FIELD(U32, struct dd_entry, upgrade.lost_count), LAST};
static const struct dd_field lease[] = {
    CHOICE(DD_LEASE_CHANGE_COUNT, struct dd_entry, lease.what),
    CHOICE(DD_LEASE_ACTUATOR + 1, struct dd_entry, lease.target.kind),
    FIELD(U32, struct dd_entry, lease.target.index), FIELD(U64, struct dd_entry, lease.session),
    FIELD(U32, struct dd_entry, lease.ticks), FIELD(BOOL, struct dd_entry, lease.queue), LAST};
static const struct dd_field cap[] = {FIELD(U32, struct dd_entry, cap.body),
    FIELD(BOOL, struct dd_entry, cap.caps.has_force),
    FIELD(BOOL, struct dd_entry, cap.caps.has_torque), FIELD(F64, struct dd_entry, cap.caps.force),
    FIELD(F64, struct dd_entry, cap.caps.torque), LAST};
static const struct dd_field kept_session[] = {FIELD(U64, struct dd_entry, kept.session),
    FIELD(U32, struct dd_entry, kept.serial), FIELD(U32, struct dd_entry, kept.role),
    SIZED(BYTES, struct dd_entry, kept.key), SIZED(TEXT, struct dd_entry, kept.name),
    SIZED(TEXT, struct dd_entry, kept.subject), LAST};

static const struct dd_field attribute[] = {
    CHOICE(CN_OWNER_SESSION + 1, struct dd_entry, attribute.owner.kind),
    FIELD(U64, struct dd_entry, attribute.owner.id),
    FIELD(NAME, struct dd_entry, attribute.name),
    CHOICE(CN_VALUE_BYTES + 1, struct dd_entry, attribute.value.kind), LAST};

static const struct dd_field said[] = {FIELD(U64, struct dd_entry, said.session),
    FIELD(BOOL, struct dd_entry, said.is_text), SIZED(TEXT, struct dd_entry, said.channel), LAST};
static const struct dd_field logic[] = {
    CHOICE(DD_LOGIC_STEP_COUNT, struct dd_entry, logic.step),
    FIELD(BOOL, struct dd_entry, logic.events), FIELD(U64, struct dd_entry, logic.number),
    FIELD(U64, struct dd_entry, logic.until), LAST};

static const struct dd_field *const plain[DD_ENTRY_KIND_COUNT] = {
    [DD_ENTRY_SETTLED] = settled,
    [DD_ENTRY_LEFT] = left,
    [DD_ENTRY_JOINED] = left,
    [DD_ENTRY_STATE] = world_state,
    [DD_ENTRY_REACH] = reach,
    [DD_ENTRY_UPGRADE] = upgrade,
    [DD_ENTRY_LEASE] = lease,
    [DD_ENTRY_CAP] = cap,
    [DD_ENTRY_KEPT] = kept_session,
    [DD_ENTRY_ATTRIBUTE] = attribute, /* its head */
    [DD_ENTRY_SAID] = said, /* and its content */
    [DD_ENTRY_LOGIC] = logic,
};

const struct dd_field *
dd_settings_fields(void)
{
    return settings_fields;
}

const struct dd_field *
dd_command_fields(unsigned kind)
{
    return kind < CN_COMMAND_KIND_COUNT ? commands[kind] : NULL;
}

const struct dd_field *
dd_entry_fields(enum dd_entry_kind kind)
{
    CN_ASSERT(kind < DD_ENTRY_KIND_COUNT && plain[kind] != NULL);
    return plain[kind];
}

/* ---- numbers ---- */

/* How many numbers a field consists of; their size is number_size(). */
static size_t
number_count(enum field_type type)
{
    return type == VEC3 ? 3 : type == QUAT ? 4 : 1;
}

static size_t
size_of(const struct dd_field *field)
{
    switch (field->type) {
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
    case TEXT:
    case BYTES:
        return field->limit;
    default:
        return 1;
    }
}

static void
put_number(unsigned char *bytes, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        bytes[i] = (unsigned char)(value >> (8 * i));
    }
}

static uint64_t
get_number(const unsigned char *bytes, size_t size)
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
        put_number(bytes + 8 * i, value, 8);
    }
}

static void
get_eights(const unsigned char *bytes, unsigned char *member, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t value = get_number(bytes + 8 * i, 8);
        memcpy(member + 8 * i, &value, sizeof(value));
    }
}

/* Writes zeros behind the terminator, so that equal names have equal bytes. */
static void
put_text(unsigned char *bytes, const unsigned char *member, size_t size)
{
    size_t length = strnlen((const char *)member, size - 1);
    memset(bytes, 0, size);
    memcpy(bytes, member, length);
}

static bool
get_text(const unsigned char *bytes, unsigned char *member, size_t size)
{
    size_t length = strnlen((const char *)bytes, size);
    for (size_t i = length; i < size; i++) {
        if (bytes[i] != 0) {
            return false;
        }
    }
    memcpy(member, bytes, size);
    return length < size;
}

static void
put_field(const struct dd_field *field, unsigned char *bytes, const unsigned char *member)
{
    uint32_t number;
    switch (field->type) {
    case ENUM:
    case U32:
        memcpy(&number, member, sizeof(number));
        put_number(bytes, number, size_of(field));
        break;
    case BOOL:
        bytes[0] = member[0];
        break;
    case NAME:
    case TEXT:
        put_text(bytes, member, size_of(field));
        break;
    case BYTES:
        memcpy(bytes, member, size_of(field));
        break;
    default:
        CN_ASSERT(size_of(field) == 8 * number_count(field->type));
        put_eights(bytes, member, number_count(field->type));
    }
}

static bool
get_field(const struct dd_field *field, const unsigned char *bytes, unsigned char *member)
{
    uint32_t number;
    switch (field->type) {
    case ENUM:
    case U32:
        number = (uint32_t)get_number(bytes, size_of(field));
        memcpy(member, &number, sizeof(number));
        return field->type != ENUM || number < field->limit;
    case BOOL:
        member[0] = bytes[0];
        return bytes[0] <= 1;
    case NAME:
    case TEXT:
        return get_text(bytes, member, size_of(field));
    case BYTES:
        memcpy(member, bytes, size_of(field));
        return true;
    default:
        CN_ASSERT(size_of(field) == 8 * number_count(field->type));
        get_eights(bytes, member, number_count(field->type));
        return true;
    }
}

/* ---- all fields ---- */

size_t
dd_fields_size(const struct dd_field *fields)
{
    size_t size = 0;
    for (; fields->type != END; fields++) {
        size += size_of(fields);
    }
    return size;
}

void
dd_fields_put(const struct dd_field *fields, unsigned char *bytes, const void *of)
{
    for (; fields->type != END; fields++) {
        put_field(fields, bytes, (const unsigned char *)of + fields->offset);
        bytes += size_of(fields);
    }
}

bool
dd_fields_get(const struct dd_field *fields, const unsigned char *bytes, void *of)
{
    bool is_good = true;
    for (; fields->type != END && is_good; fields++) {
        is_good = get_field(fields, bytes, (unsigned char *)of + fields->offset);
        bytes += size_of(fields);
    }
    return is_good;
}
