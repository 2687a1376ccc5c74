/* meshes.h: small closed surfaces for tests. */
#ifndef TESTS_SUPPORT_MESH_MESHES_H
#define TESTS_SUPPORT_MESH_MESHES_H

#include "engine/mesh/mesh.h"
#include "engine/mesh/torus.h"

#include <stdint.h>
#include <string.h>

/* A definition with arrays of its own. */
struct raw_mesh {
    cn_vec3 vertex[4096];
    int32_t triangle[8192][3];
    int vertex_count, triangle_count;
};

static inline struct cn_mesh_def
raw_def(const struct raw_mesh *raw)
{
    return (struct cn_mesh_def){
        .vertex_count = raw->vertex_count,
        .triangle_count = raw->triangle_count,
        .vertex = raw->vertex,
        .triangle = (const int32_t(*)[3])raw->triangle,
    };
}

/* Adds a quadrangle, counter-clockwise from outside, as two triangles. */
static inline void
raw_quad(struct raw_mesh *raw, int a, int b, int c, int d)
{
    const int32_t corner[2][3] = {{a, b, c}, {a, c, d}};
    memcpy(raw->triangle[raw->triangle_count], corner, sizeof(corner));
    raw->triangle_count += 2;
}

/* Adds a box: corner i is high along x, y, z by the bits 0, 1, 2 of i. */
static inline void
raw_box(struct raw_mesh *raw, cn_vec3 low, cn_vec3 high)
{
    int v = raw->vertex_count;
    for (int i = 0; i < 8; i++) {
        raw->vertex[raw->vertex_count++] = (cn_vec3){(i & 1) != 0 ? high.x : low.x,
            (i & 2) != 0 ? high.y : low.y, (i & 4) != 0 ? high.z : low.z};
    }
    raw_quad(raw, v, v + 2, v + 3, v + 1);
    raw_quad(raw, v + 4, v + 5, v + 7, v + 6);
    raw_quad(raw, v, v + 1, v + 5, v + 4);
    raw_quad(raw, v + 2, v + 6, v + 7, v + 3);
    raw_quad(raw, v, v + 4, v + 6, v + 2);
    raw_quad(raw, v + 1, v + 3, v + 7, v + 5);
}

static inline void
raw_torus(struct raw_mesh *raw, double major, double minor, int major_count, int minor_count)
{
    struct cn_torus torus = {major, minor, major_count, minor_count};
    cn_torus_make(&torus, raw->vertex, raw->triangle);
    raw->vertex_count = major_count * minor_count;
    raw->triangle_count = 2 * major_count * minor_count;
}

/* Pushes an outline of the plane z = 0, counter-clockwise and seen whole from its first point,
 * up to z. */
static inline void
raw_prism(struct raw_mesh *raw, const double (*outline)[2], int count, double z)
{
    for (int i = 0; i < 2 * count; i++) {
        raw->vertex[i] = (cn_vec3){outline[i % count][0], outline[i % count][1], i < count ? 0 : z};
    }
    raw->vertex_count = 2 * count;
    raw->triangle_count = 0;
    for (int i = 0; i < count; i++) {
        int next = (i + 1) % count;
        raw_quad(raw, i, next, count + next, count + i);
    }
    for (int i = 1; i + 1 < count; i++) {
        const int32_t cap[2][3] = {{0, i + 1, i}, {count, count + i, count + i + 1}};
        memcpy(raw->triangle[raw->triangle_count], cap, sizeof(cap));
        raw->triangle_count += 2;
    }
}

/* Truth's L: [0,3] x [0,1] x [0,1] and [0,1] x [1,2] x [0,1]; seen whole from its inner corner. */
static inline void
raw_ell(struct raw_mesh *raw)
{
    static const double outline[6][2] = {{1, 1}, {1, 2}, {0, 2}, {0, 0}, {3, 0}, {3, 1}};
    raw_prism(raw, outline, 6, 1.0);
}

#endif
