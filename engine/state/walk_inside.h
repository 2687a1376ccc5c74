/* walk_inside.h: how each kind of field (fields.h) is walked; shared by the files that walk. */
#ifndef ENGINE_STATE_WALK_INSIDE_H
#define ENGINE_STATE_WALK_INSIDE_H

#include "engine/base/assert.h"
#include "engine/state/fields.h"
#include "engine/state/walk.h"

#include <string.h>

/* ---- kinds ---- */

/* Moves the low `size` bytes of *value, little-endian. */
static inline void
walk_bytes(struct cn_walk *walk, uint64_t *value, size_t size)
{
    bool fits = walk->used + size <= walk->size;
    if (walk->mode == CN_WALK_HASH) {
        cn_hash_u64(&walk->hash, *value);
    } else if (walk->mode == CN_WALK_WRITE && fits) {
        for (size_t i = 0; i < size; i++) {
            walk->write[walk->used + i] = (unsigned char)(*value >> (8 * i));
        }
    } else if (walk->mode == CN_WALK_SAME) {
        uint64_t there = 0;
        for (size_t i = 0; i < size && fits; i++) {
            there |= (uint64_t)walk->read[walk->used + i] << (8 * i);
        }
        uint64_t mask = size < 8 ? (UINT64_C(1) << (8 * size)) - 1 : UINT64_MAX;
        walk->differs = walk->differs || !fits || there != (*value & mask);
    } else if (walk->mode == CN_WALK_READ) {
        uint64_t read = 0;
        for (size_t i = 0; i < size && fits; i++) {
            read |= (uint64_t)walk->read[walk->used + i] << (8 * i);
        }
        *value = read;
    }
    walk->used += size;
}

static inline void
walk_F64(struct cn_walk *walk, double *value)
{
    uint64_t bits;
    memcpy(&bits, value, sizeof(bits));
    walk_bytes(walk, &bits, 8);
    memcpy(value, &bits, sizeof(bits));
}

static inline void
walk_F32(struct cn_walk *walk, float *value)
{
    uint32_t bits;
    memcpy(&bits, value, sizeof(bits));
    uint64_t wide = bits;
    walk_bytes(walk, &wide, 4);
    bits = (uint32_t)wide;
    memcpy(value, &bits, sizeof(bits));
}

static inline void
walk_U64(struct cn_walk *walk, uint64_t *value)
{
    walk_bytes(walk, value, 8);
}

static inline void
walk_U32(struct cn_walk *walk, uint32_t *value)
{
    uint64_t wide = *value;
    walk_bytes(walk, &wide, 4);
    *value = (uint32_t)wide;
}

static inline void
walk_I32(struct cn_walk *walk, int32_t *value)
{
    uint64_t wide = (uint32_t)*value;
    walk_bytes(walk, &wide, 4);
    *value = (int32_t)(uint32_t)wide;
}

static inline void
walk_I64(struct cn_walk *walk, int64_t *value)
{
    uint64_t wide = (uint64_t)*value;
    walk_bytes(walk, &wide, 8);
    *value = (int64_t)wide;
}

static inline void
walk_VEC3(struct cn_walk *walk, cn_vec3 *value)
{
    walk_F64(walk, &value->x);
    walk_F64(walk, &value->y);
    walk_F64(walk, &value->z);
}

static inline void
walk_QUAT(struct cn_walk *walk, cn_quat *value)
{
    walk_F64(walk, &value->w);
    walk_F64(walk, &value->x);
    walk_F64(walk, &value->y);
    walk_F64(walk, &value->z);
}

static inline void
walk_NAME(struct cn_walk *walk, char (*value)[CN_NAME_SIZE])
{
    for (size_t i = 0; i < CN_NAME_SIZE; i += 8) {
        uint64_t word;
        memcpy(&word, *value + i, sizeof(word));
        walk_bytes(walk, &word, 8);
        memcpy(*value + i, &word, sizeof(word));
    }
}

/* The types of enumerations and booleans differ from member to member, so these are macros. */
#define WALK_SMALL(walk, lvalue, type)                                                             \
    do {                                                                                           \
        uint64_t walk_small = (uint64_t)(lvalue);                                                  \
        walk_bytes((walk), &walk_small, 1);                                                        \
        (lvalue) = (type)walk_small;                                                               \
    } while (0)

/* The low bytes of an unsigned or non-negative integer. */
#define WALK_INTEGER(walk, lvalue, size)                                                           \
    do {                                                                                           \
        uint64_t walk_integer = (uint64_t)(lvalue);                                                \
        walk_bytes((walk), &walk_integer, (size));                                                 \
        (lvalue) = (__typeof__(lvalue))walk_integer;                                               \
    } while (0)

#define U16_FIELD(member) WALK_INTEGER(walk, it->member, 2)
#define BYTE_FIELD(member) WALK_INTEGER(walk, it->member, 1)
#define ENUM_FIELD(member) WALK_SMALL(walk, it->member, __typeof__(it->member))
#define BOOL_FIELD(member) WALK_SMALL(walk, it->member, bool)
#define F64_FIELD(member) walk_F64(walk, &it->member)
#define F32_FIELD(member) walk_F32(walk, &it->member)
#define U64_FIELD(member) walk_U64(walk, &it->member)
#define U32_FIELD(member) walk_U32(walk, &it->member)
#define I32_FIELD(member) walk_I32(walk, &it->member)
#define I64_FIELD(member) walk_I64(walk, &it->member)
#define VEC3_FIELD(member) walk_VEC3(walk, &it->member)
#define QUAT_FIELD(member) walk_QUAT(walk, &it->member)
#define NAME_FIELD(member) walk_NAME(walk, &it->member)
#define FIELD(kind, member) kind##_FIELD(member);

/*
 * Where a whole struct fits, its fields are moved in a row, little-endian, by loads and stores of
 * known size.  This is faster than the calls above, and worlds are hashed often.
 */
static inline unsigned char *
walk_put(unsigned char *to, uint64_t value, size_t size)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(to, &value, size);
#else
    for (size_t i = 0; i < size; i++) {
        to[i] = (unsigned char)(value >> (8 * i));
    }
#endif
    return to + size;
}

static inline uint64_t
walk_get(const unsigned char *from, size_t size)
{
    uint64_t value = 0;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(&value, from, size);
#else
    for (size_t i = 0; i < size; i++) {
        value |= (uint64_t)from[i] << (8 * i);
    }
#endif
    return value;
}

static inline unsigned char *
put_F64(unsigned char *to, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return walk_put(to, bits, 8);
}

static inline double
get_F64(const unsigned char *from)
{
    uint64_t bits = walk_get(from, 8);
    double value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static inline unsigned char *
put_F32(unsigned char *to, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return walk_put(to, bits, 4);
}

static inline float
get_F32(const unsigned char *from)
{
    uint32_t bits = (uint32_t)walk_get(from, 4);
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static inline unsigned char *
put_VEC3(unsigned char *to, cn_vec3 v)
{
    return put_F64(put_F64(put_F64(to, v.x), v.y), v.z);
}

static inline cn_vec3
get_VEC3(const unsigned char *from)
{
    return (cn_vec3){get_F64(from), get_F64(from + 8), get_F64(from + 16)};
}

static inline unsigned char *
put_QUAT(unsigned char *to, cn_quat q)
{
    return put_F64(put_F64(put_F64(put_F64(to, q.w), q.x), q.y), q.z);
}

static inline cn_quat
get_QUAT(const unsigned char *from)
{
    return (cn_quat){.w = get_F64(from), .x = get_F64(from + 8), .y = get_F64(from + 16),
        .z = get_F64(from + 24)};
}

static inline unsigned char *
put_NAME(unsigned char *to, const char value[CN_NAME_SIZE])
{
    memcpy(to, value, CN_NAME_SIZE);
    return to + CN_NAME_SIZE;
}

/* Bytes of each kind. */
#define U64_SIZE 8
#define U32_SIZE 4
#define I32_SIZE 4
#define I64_SIZE 8
#define U16_SIZE 2
#define BYTE_SIZE 1
#define ENUM_SIZE 1
#define BOOL_SIZE 1
#define F64_SIZE 8
#define F32_SIZE 4
#define VEC3_SIZE 24
#define QUAT_SIZE 32
#define NAME_SIZE CN_NAME_SIZE
#define SIZE_OF(kind, member) +kind##_SIZE

#define U64_PUT(member) walk_put(to, it->member, 8)
#define U32_PUT(member) walk_put(to, it->member, 4)
#define I32_PUT(member) walk_put(to, (uint32_t)it->member, 4)
#define I64_PUT(member) walk_put(to, (uint64_t)it->member, 8)
#define U16_PUT(member) walk_put(to, (uint64_t)it->member, 2)
#define BYTE_PUT(member) walk_put(to, (uint64_t)it->member, 1)
#define ENUM_PUT(member) walk_put(to, (uint64_t)it->member, 1)
#define BOOL_PUT(member) walk_put(to, (uint64_t)it->member, 1)
#define F64_PUT(member) put_F64(to, it->member)
#define F32_PUT(member) put_F32(to, it->member)
#define VEC3_PUT(member) put_VEC3(to, it->member)
#define QUAT_PUT(member) put_QUAT(to, it->member)
#define NAME_PUT(member) put_NAME(to, it->member)
#define PUT(kind, member) to = kind##_PUT(member);

#define GET_INTEGER(member, size) it->member = (__typeof__(it->member))walk_get(from, size)
#define U64_GET(member) GET_INTEGER(member, 8)
#define U32_GET(member) GET_INTEGER(member, 4)
#define I32_GET(member) GET_INTEGER(member, 4)
#define I64_GET(member) GET_INTEGER(member, 8)
#define U16_GET(member) GET_INTEGER(member, 2)
#define BYTE_GET(member) GET_INTEGER(member, 1)
#define ENUM_GET(member) GET_INTEGER(member, 1)
#define BOOL_GET(member) GET_INTEGER(member, 1)
#define F64_GET(member) it->member = get_F64(from)
#define F32_GET(member) it->member = get_F32(from)
#define VEC3_GET(member) it->member = get_VEC3(from)
#define QUAT_GET(member) it->member = get_QUAT(from)
#define NAME_GET(member) memcpy(it->member, from, CN_NAME_SIZE)
#define GET(kind, member)                                                                          \
    kind##_GET(member);                                                                            \
    from += kind##_SIZE;

#define STRUCT_SIZE_MAX 512 /* of one struct's fields */

_Static_assert(STRUCT_SIZE_MAX <= CN_WALK_STAGE, "a struct fits the stage");

static inline void
hash_stage(struct cn_walk *walk)
{
    CN_ASSERT(walk->staged <= CN_WALK_STAGE);
    cn_hash_bytes(&walk->hash, walk->stage, walk->staged);
    walk->staged = 0;
}

/* The next `size` bytes of an image, if they are within it. */
static inline bool
walk_fits(const struct cn_walk *walk, enum cn_walk_mode mode, size_t size)
{
    return walk->mode == mode && walk->used + size <= walk->size;
}

/* The place on the stage to which a struct that is hashed is written. */
static inline unsigned char *
stage_of(struct cn_walk *walk, size_t size)
{
    if (walk->staged + STRUCT_SIZE_MAX > CN_WALK_STAGE) {
        hash_stage(walk);
    }
    unsigned char *stage = walk->stage + walk->staged;
    walk->staged += size;
    return stage;
}

/*
 * Walks several structs in a row, like one after the other, but without updating the walk between
 * them.  Returns the place where they go, `size` bytes at most; NULL: walk them one after the
 * other.
 */
static inline unsigned char *
row_begin(struct cn_walk *walk, size_t size)
{
    if (walk_fits(walk, CN_WALK_WRITE, size)) {
        return walk->write + walk->used;
    }
    bool stays = walk->staged + size + STRUCT_SIZE_MAX <= CN_WALK_STAGE; /* it fits on this stage */
    return walk->mode == CN_WALK_MEASURE || (walk->mode == CN_WALK_HASH && stays)
               ? walk->stage + walk->staged
               : NULL;
}

/* Ends the row at `to`. */
static inline void
row_end(struct cn_walk *walk, const unsigned char *start, const unsigned char *to)
{
    size_t size = (size_t)(to - start);
    walk->used += size;
    CN_ASSERT(walk->mode != CN_WALK_WRITE || walk->used <= walk->size);
    walk->staged += walk->mode == CN_WALK_HASH ? size : 0;
}

/*
 * function##_size is the size of the struct, _put and _get move it; restrict lets stores be merged.
 */
#define WALK_STRUCT(function, type, FIELDS)                                                        \
    enum { function##_size = 0 FIELDS(SIZE_OF) };                                                  \
    _Static_assert(function##_size <= STRUCT_SIZE_MAX, "a struct fits the stage");                 \
    static inline unsigned char *function##_put(                                                   \
        unsigned char *restrict to, const type *restrict it)                                       \
    {                                                                                              \
        FIELDS(PUT)                                                                                \
        return to;                                                                                 \
    }                                                                                              \
    static inline void function##_get(const unsigned char *from, type *it)                         \
    {                                                                                              \
        FIELDS(GET)                                                                                \
        (void)from;                                                                                \
    }                                                                                              \
    static inline void function(struct cn_walk *walk, type *it)                                    \
    {                                                                                              \
        const size_t size = function##_size;                                                       \
        if (walk->mode == CN_WALK_HASH) {                                                          \
            function##_put(stage_of(walk, size), it);                                              \
        } else if (walk_fits(walk, CN_WALK_WRITE, size)) {                                         \
            function##_put(walk->write + walk->used, it);                                          \
        } else if (walk_fits(walk, CN_WALK_READ, size)) {                                          \
            function##_get(walk->read + walk->used, it);                                           \
        } else if (walk->mode != CN_WALK_MEASURE) {                                                \
            FIELDS(FIELD)                                                                          \
            return;                                                                                \
        }                                                                                          \
        walk->used += size;                                                                        \
    }

/* Walks a variable count; false when a count that was read is above max. */
static inline bool
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

#endif
