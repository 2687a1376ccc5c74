/* field_looks.h: the functions that look up many points in a field, one for each kind of lanes. */
#ifndef TESTS_SUPPORT_FIELD_LOOK_FIELD_LOOKS_H
#define TESTS_SUPPORT_FIELD_LOOK_FIELD_LOOKS_H

#include "engine/mesh/field.h"

/*
 * point[] has all x, then all y, then all z; out[] all phi, then all slopes' x and so on.  Both lie
 * at multiples of 64 bytes, and count is one of 16.
 */
struct field_looker {
    int lanes;
    void (*look)(const struct cn_field *field, int count, const float *point, float *out);
};

extern const struct field_looker field_look_single, field_look_plain, field_look_sse2,
    field_look_avx2, field_look_avx512, field_look_neon;

struct field_look_kind {
    const char *name;
    const struct field_looker *with;
    bool runs; /* on this processor */
};

#if defined(CN_SIMD_X86)
#define FIELD_LOOKS                                                                                \
    {                                                                                              \
        {"single", &field_look_single, true}, {"plain", &field_look_plain, true},                  \
            {"sse2", &field_look_sse2, true},                                                      \
            {"avx2", &field_look_avx2, __builtin_cpu_supports("avx2") != 0},                       \
            {"avx512", &field_look_avx512, __builtin_cpu_supports("avx512f") != 0},                \
    }
#elif defined(CN_SIMD_ARM)
#define FIELD_LOOKS                                                                                \
    {                                                                                              \
        {"single", &field_look_single, true}, {"plain", &field_look_plain, true},                  \
            {"neon", &field_look_neon, true},                                                      \
    }
#else
#define FIELD_LOOKS                                                                                \
    {                                                                                              \
        {"single", &field_look_single, true}, {"plain", &field_look_plain, true},                  \
    }
#endif

#endif
