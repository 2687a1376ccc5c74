/* aabb.h: axis-aligned boxes [m]. */
#ifndef ENGINE_MATH_AABB_H
#define ENGINE_MATH_AABB_H

#include "engine/math/vec3.h"

#include <math.h>
#include <stdbool.h>

typedef struct {
    cn_vec3 low, high;
} cn_aabb;

/* A box that overlaps no other, and sorts after all others along every axis. */
static inline cn_aabb
cn_aabb_empty(void)
{
    return (cn_aabb){{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
}

static inline bool
cn_aabb_overlap(const cn_aabb *a, const cn_aabb *b)
{
    return a->low.x <= b->high.x && b->low.x <= a->high.x && a->low.y <= b->high.y &&
           b->low.y <= a->high.y && a->low.z <= b->high.z && b->low.z <= a->high.z;
}

#endif
