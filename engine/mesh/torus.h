/*
 * torus.h: the vertices and triangles of a ring.
 *
 * The axis is z.  Vertex i * minor_count + j is at
 *
 *     ((R + r cos b) cos a, (R + r cos b) sin a, r sin b),
 *     a = 2 pi i / major_count,  b = 2 pi j / minor_count
 *
 * Triangles run counter-clockwise from outside.  Each quadrangle is split along the same diagonal.
 */
#ifndef ENGINE_MESH_TORUS_H
#define ENGINE_MESH_TORUS_H

#include "engine/math/vec3.h"

#include <stdint.h>

#define CN_TORUS_COUNT_MIN 3
#define CN_TORUS_COUNT_MAX 256

struct cn_torus {
    double major, minor; /* radii R > r > 0 [m] */
    int major_count, minor_count;
};

/* Fills major_count * minor_count vertices, and twice as many triangles. */
void cn_torus_make(const struct cn_torus *torus, cn_vec3 *vertex, int32_t (*triangle)[3]);

#endif
