/* vec2.h: vectors of the plane, for the planar narrowphase. */
#ifndef ENGINE_MATH_VEC2_H
#define ENGINE_MATH_VEC2_H

#include <math.h>

typedef struct {
    double x, y;
} cn_vec2;

static inline cn_vec2
cn_vec2_make(double x, double y)
{
    return (cn_vec2){x, y};
}

static inline cn_vec2
cn_vec2_add(cn_vec2 a, cn_vec2 b)
{
    return (cn_vec2){a.x + b.x, a.y + b.y};
}

static inline cn_vec2
cn_vec2_sub(cn_vec2 a, cn_vec2 b)
{
    return (cn_vec2){a.x - b.x, a.y - b.y};
}

static inline cn_vec2
cn_vec2_scale(cn_vec2 a, double s)
{
    return (cn_vec2){a.x * s, a.y * s};
}

/* a + s b */
static inline cn_vec2
cn_vec2_add_scaled(cn_vec2 a, double s, cn_vec2 b)
{
    return (cn_vec2){a.x + s * b.x, a.y + s * b.y};
}

static inline double
cn_vec2_dot(cn_vec2 a, cn_vec2 b)
{
    return a.x * b.x + a.y * b.y;
}

/* The z component of the cross product. */
static inline double
cn_vec2_cross(cn_vec2 a, cn_vec2 b)
{
    return a.x * b.y - a.y * b.x;
}

static inline double
cn_vec2_length(cn_vec2 a)
{
    return sqrt(a.x * a.x + a.y * a.y);
}

/*
 * a rotated a quarter turn clockwise: the outward normal of an edge of a counter-clockwise outline.
 */
static inline cn_vec2
cn_vec2_right(cn_vec2 a)
{
    return (cn_vec2){a.y, -a.x};
}

#endif
