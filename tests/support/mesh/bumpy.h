/* bumpy.h: a closed surface of any number of triangles: a ball with bumps, nonconvex. */
#ifndef TESTS_SUPPORT_MESH_BUMPY_H
#define TESTS_SUPPORT_MESH_BUMPY_H

#include "engine/math/scalar.h"
#include "engine/math/vec3.h"

#include <math.h>
#include <stdint.h>

/* Vertices and triangles of `around` meridians and `rows` parallels between the poles. */
#define BUMPY_VERTICES(around, rows) ((around) * (rows) + 2)
#define BUMPY_TRIANGLES(around, rows) (2 * (around) * (rows))

static inline double
bumpy_radius(double a, double b, double bumps)
{
    return 1.0 + bumps * sin(5.0 * a) * sin(b) * sin(b) * cos(4.0 * b);
}

static inline cn_vec3
bumpy_vertex(int i, int around, int rows, double bumps)
{
    int row = i / around;
    double a = 2.0 * CN_PI * (i % around) / around, b = CN_PI * (row + 1) / (rows + 1);
    double r = bumpy_radius(a, b, bumps);
    return cn_vec3_make(r * sin(b) * cos(a), r * sin(b) * sin(a), r * cos(b));
}

static inline void
bumpy_make(int around, int rows, double bumps, cn_vec3 *vertex, int32_t (*triangle)[3])
{
    int north = around * rows, south = north + 1, count = 0;
    for (int i = 0; i < around * rows; i++) {
        vertex[i] = bumpy_vertex(i, around, rows, bumps);
    }
    vertex[north] = cn_vec3_make(0.0, 0.0, bumpy_radius(0.0, 0.0, bumps));
    vertex[south] = cn_vec3_make(0.0, 0.0, -bumpy_radius(0.0, CN_PI, bumps));
    for (int k = 0; k < around; k++) {
        int next = (k + 1) % around, last = around * (rows - 1);
        const int32_t caps[2][3] = {{north, k, next}, {south, last + next, last + k}};
        for (int j = 0; j < 3; j++) {
            triangle[count][j] = caps[0][j];
            triangle[count + 1][j] = caps[1][j];
        }
        count += 2;
    }
    for (int row = 0; row + 1 < rows; row++) {
        for (int k = 0; k < around; k++) {
            int a = around * row + k, b = around * row + (k + 1) % around;
            const int32_t quad[2][3] = {{a, a + around, b + around}, {a, b + around, b}};
            for (int j = 0; j < 3; j++) {
                triangle[count][j] = quad[0][j];
                triangle[count + 1][j] = quad[1][j];
            }
            count += 2;
        }
    }
}

#endif
