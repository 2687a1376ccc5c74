/* fast.c: planar manifolds without points, and their impulses; tangents of a normal. */
#include "engine/collide/fast/fast.h"

#include "engine/base/assert.h"

#include <math.h>

/*
 * Defined in another file than the code that copies it: there compilers would clear with string
 * instructions.
 */
const struct cn_manifold2 cn_manifold2_none = {0};

void
cn_manifold2_carry(const struct cn_manifold2 *last, struct cn_manifold2 *manifold)
{
    if (last == NULL || last->point_count == 0 || manifold->point_count == 0) {
        return;
    }
    CN_ASSERT(0 < manifold->point_count && manifold->point_count <= CN_POINTS_PLANAR_MAX);
    CN_ASSERT(0 < last->point_count && last->point_count <= CN_POINTS_PLANAR_MAX);
    manifold->rolling_impulse = last->rolling_impulse;
    for (int i = 0; i < manifold->point_count; i++) {
        struct cn_point2 *p = &manifold->point[i];
        for (int k = 0; k < last->point_count; k++) {
            if (last->point[k].feature == p->feature) {
                p->normal_impulse = last->point[k].normal_impulse;
                p->tangent_impulse = last->point[k].tangent_impulse;
            }
        }
    }
}

void
cn_tangents3(const float normal[3], float first[3], float second[3])
{
    float x = normal[0], y = normal[1], z = normal[2];
    if (fabsf(x) < 0.57F) {
        float s = 1.0F / sqrtf(y * y + z * z);
        first[0] = 0.0F;
        first[1] = z * s;
        first[2] = -y * s;
    } else {
        float s = 1.0F / sqrtf(x * x + y * y);
        first[0] = y * s;
        first[1] = -x * s;
        first[2] = 0.0F;
    }
    second[0] = y * first[2] - z * first[1];
    second[1] = z * first[0] - x * first[2];
    second[2] = x * first[1] - y * first[0];
}
