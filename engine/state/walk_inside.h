/* walk_inside.h: how each kind of field (fields.h) travels, for the files that walk. */
#ifndef ENGINE_STATE_WALK_INSIDE_H
#define ENGINE_STATE_WALK_INSIDE_H

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

/* Enumerations and truth values differ in type from member to member, so these are macros. */
#define WALK_SMALL(walk, lvalue, type)                                                             \
    do {                                                                                           \
        uint64_t walk_small = (uint64_t)(lvalue);                                                  \
        walk_bytes((walk), &walk_small, 1);                                                        \
        (lvalue) = (type)walk_small;                                                               \
    } while (0)

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

/* A count that varies; false when what was read is above max. */
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
