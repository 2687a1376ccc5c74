/* vec3.h: vectors of space. */
#ifndef ENGINE_MATH_VEC3_H
#define ENGINE_MATH_VEC3_H

#include <math.h>
#include <stdbool.h>

typedef struct {
    double x, y, z;
} cn_vec3;

static inline cn_vec3
cn_vec3_make(double x, double y, double z)
{
    return (cn_vec3){x, y, z};
}

static inline cn_vec3
cn_vec3_add(cn_vec3 a, cn_vec3 b)
{
    return (cn_vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline cn_vec3
cn_vec3_sub(cn_vec3 a, cn_vec3 b)
{
    return (cn_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline cn_vec3
cn_vec3_scale(cn_vec3 a, double s)
{
    return (cn_vec3){a.x * s, a.y * s, a.z * s};
}

/* a + s b */
static inline cn_vec3
cn_vec3_add_scaled(cn_vec3 a, double s, cn_vec3 b)
{
    return (cn_vec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static inline cn_vec3
cn_vec3_negate(cn_vec3 a)
{
    return (cn_vec3){-a.x, -a.y, -a.z};
}

static inline double
cn_vec3_dot(cn_vec3 a, cn_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline cn_vec3
cn_vec3_cross(cn_vec3 a, cn_vec3 b)
{
    return (cn_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline double
cn_vec3_length(cn_vec3 a)
{
    return sqrt(cn_vec3_dot(a, a));
}

static inline bool
cn_vec3_is_finite(cn_vec3 a)
{
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

#endif
