#include "engine/state/walk.h"

#include "engine/state/fields.h"

#include <string.h>

/* ---- kinds ---- */

/* Moves the low `size` bytes of *value, little-endian. */
static void
walk_bytes(struct cn_walk *walk, uint64_t *value, size_t size)
{
    bool fits = walk->used + size <= walk->size;
    if (walk->mode == CN_WALK_HASH) {
        cn_hash_u64(&walk->hash, *value);
    } else if (walk->mode == CN_WALK_WRITE && fits) {
        for (size_t i = 0; i < size; i++) {
            walk->write[walk->used + i] = (unsigned char)(*value >> (8 * i));
        }
    } else if (walk->mode == CN_WALK_READ) {
        uint64_t read = 0;
        for (size_t i = 0; i < size && fits; i++) {
            read |= (uint64_t)walk->read[walk->used + i] << (8 * i);
        }
        *value = read;
    }
    walk->used += size;
}

static void
walk_F64(struct cn_walk *walk, double *value)
{
    uint64_t bits;
    memcpy(&bits, value, sizeof(bits));
    walk_bytes(walk, &bits, 8);
    memcpy(value, &bits, sizeof(bits));
}

static void
walk_F32(struct cn_walk *walk, float *value)
{
    uint32_t bits;
    memcpy(&bits, value, sizeof(bits));
    uint64_t wide = bits;
    walk_bytes(walk, &wide, 4);
    bits = (uint32_t)wide;
    memcpy(value, &bits, sizeof(bits));
}

static void
walk_U64(struct cn_walk *walk, uint64_t *value)
{
    walk_bytes(walk, value, 8);
}

static void
walk_U32(struct cn_walk *walk, uint32_t *value)
{
    uint64_t wide = *value;
    walk_bytes(walk, &wide, 4);
    *value = (uint32_t)wide;
}

static void
walk_I32(struct cn_walk *walk, int32_t *value)
{
    uint64_t wide = (uint32_t)*value;
    walk_bytes(walk, &wide, 4);
    *value = (int32_t)(uint32_t)wide;
}

static void
walk_VEC3(struct cn_walk *walk, cn_vec3 *value)
{
    walk_F64(walk, &value->x);
    walk_F64(walk, &value->y);
    walk_F64(walk, &value->z);
}

static void
walk_QUAT(struct cn_walk *walk, cn_quat *value)
{
    walk_F64(walk, &value->w);
    walk_F64(walk, &value->x);
    walk_F64(walk, &value->y);
    walk_F64(walk, &value->z);
}

static void
walk_NAME(struct cn_walk *walk, char (*value)[CN_NAME_SIZE])
{
    for (size_t i = 0; i < CN_NAME_SIZE; i += 8) {
        uint64_t word;
        memcpy(&word, *value + i, sizeof(word));
        walk_bytes(walk, &word, 8);
        memcpy(*value + i, &word, sizeof(word));
    }
}

/* Enumerations and truth values differ in type from member to member, so these are macros. */
#define WALK_SMALL(walk, lvalue, type)                                                             \
    do {                                                                                           \
        uint64_t walk_small = (uint64_t)(lvalue);                                                  \
        walk_bytes((walk), &walk_small, 1);                                                        \
        (lvalue) = (type)walk_small;                                                               \
    } while (0)

/* ---- structs ---- */

#define ENUM_FIELD(member) WALK_SMALL(walk, it->member, __typeof__(it->member))
#define BOOL_FIELD(member) WALK_SMALL(walk, it->member, bool)
#define F64_FIELD(member) walk_F64(walk, &it->member)
#define F32_FIELD(member) walk_F32(walk, &it->member)
#define U64_FIELD(member) walk_U64(walk, &it->member)
#define U32_FIELD(member) walk_U32(walk, &it->member)
#define I32_FIELD(member) walk_I32(walk, &it->member)
#define VEC3_FIELD(member) walk_VEC3(walk, &it->member)
#define QUAT_FIELD(member) walk_QUAT(walk, &it->member)
#define NAME_FIELD(member) walk_NAME(walk, &it->member)
#define FIELD(kind, member) kind##_FIELD(member);

#define WALK_STRUCT(function, type, FIELDS)                                                        \
    static void function(struct cn_walk *walk, type *it)                                           \
    {                                                                                              \
        FIELDS(FIELD)                                                                              \
    }

WALK_STRUCT(walk_settings, struct cn_settings, CN_FIELDS_SETTINGS)
WALK_STRUCT(walk_clock, struct cn_clock, CN_FIELDS_CLOCK)
WALK_STRUCT(walk_material, struct cn_material, CN_FIELDS_MATERIAL)
WALK_STRUCT(walk_motion_planar, struct cn_motion, CN_FIELDS_MOTION_PLANAR)
WALK_STRUCT(walk_motion_spatial, struct cn_motion, CN_FIELDS_MOTION_SPATIAL)
WALK_STRUCT(walk_body, struct cn_body, CN_FIELDS_BODY)
WALK_STRUCT(walk_rest, struct cn_rest, CN_FIELDS_REST)
WALK_STRUCT(walk_joint, struct cn_joint_state, CN_FIELDS_JOINT)
WALK_STRUCT(walk_held, struct cn_held, CN_FIELDS_HELD)
WALK_STRUCT(walk_warm_start, struct cn_warm_start, CN_FIELDS_WARM_START)
WALK_STRUCT(walk_warm_across, struct cn_warm_start, CN_FIELDS_WARM_ACROSS)

/* ---- the world ---- */

/* A count that varies; false when what was read is above max. */
static bool
walk_count(struct cn_walk *walk, int *count, int max)
{
    int32_t value = *count;
    walk_I32(walk, &value);
    if (value < 0 || value > max) {
        return false;
    }
    *count = value;
    return true;
}

/* A count that the definition fixes; false when the image is of another scene. */
static bool
walk_fixed(struct cn_walk *walk, int count)
{
    int32_t value = count;
    walk_I32(walk, &value);
    return value == count;
}

bool
cn_walk_world(struct cn_walk *walk, struct cn_world *world)
{
    struct cn_model *model = &world->model;
    int dimension = (int)model->settings.dimension;
    if (!walk_fixed(walk, dimension) || !walk_fixed(walk, model->body_count) ||
        !walk_fixed(walk, model->shape_count) || !walk_fixed(walk, model->material_count) ||
        !walk_fixed(walk, model->joint_count)) {
        return false;
    }
    walk_settings(walk, &model->settings);
    walk_clock(walk, &model->clock);
    for (int i = 0; i < model->material_count; i++) {
        walk_material(walk, &model->material[i]);
    }
    for (int i = 0; i < model->body_count; i++) {
        walk_body(walk, &model->body[i]);
        if (model->settings.dimension == CN_PLANAR) {
            walk_motion_planar(walk, &model->motion[i]);
        } else {
            walk_motion_spatial(walk, &model->motion[i]);
        }
        walk_rest(walk, &model->rest[i]);
    }
    for (int i = 0; i < model->joint_count; i++) {
        walk_joint(walk, &model->joint_state[i]);
    }
    if (!walk_count(walk, &model->held_count, CN_HELD_MAX)) {
        return false;
    }
    for (int i = 0; i < model->held_count; i++) {
        walk_held(walk, &model->held[i]);
    }
    int warm_count = model->warm_count;
    if (!walk_count(walk, &warm_count, CN_CONTACTS_MAX)) {
        return false;
    }
    if (warm_count > model->contact_max && !cn_world_grow(world, warm_count)) {
        return false;
    }
    model->warm_count = warm_count;
    for (int i = 0; i < model->warm_count; i++) {
        walk_warm_start(walk, &model->warm[i]);
        if (cn_model_has_friction(model)) {
            walk_warm_across(walk, &model->warm[i]);
        }
    }
    return true;
}
