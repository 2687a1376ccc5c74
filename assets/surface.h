/*
 * surface.h: vertices and triangles as a file has them, before a mesh is made of them.
 *
 * Readers fill a surface.  They check only numbers and counts, because cn_mesh_make checks and
 * repairs the rest.  The path of a defect is the place in the file; its text is the fault and the
 * limit.
 *
 * Ownership: a surface owns its arrays; as_surface_finish frees them, also after a failure.
 */
#ifndef ASSETS_SURFACE_H
#define ASSETS_SURFACE_H

#include "engine/mesh/mesh.h"

#include <stddef.h>
#include <stdint.h>

#define AS_FILE_SIZE_MAX (16 << 20) /* bytes of a file: the largest mesh as OBJ text has 10 MB */
#define AS_POLYGON_MAX 64 /* corners of an OBJ face: triangulation takes the cube of it in steps */

struct as_surface {
    int vertex_count, triangle_count, vertex_capacity, triangle_capacity;
    cn_vec3 *vertex;
    int32_t (*triangle)[3];
};

static inline void
as_surface_init(struct as_surface *surface)
{
    *surface = (struct as_surface){0};
}

void as_surface_finish(struct as_surface *surface);

/* Adds a vertex.  A vertex above the limit of a mesh is refused; the defect has the given path. */
CN_MUST_USE enum cn_status as_surface_vertex(
    struct as_surface *surface, cn_vec3 at, const char *path, struct cn_defect *defect);
CN_MUST_USE enum cn_status as_surface_triangle(struct as_surface *surface, int32_t a, int32_t b,
    int32_t c, const char *path, struct cn_defect *defect);

/* A definition that borrows the surface's arrays. */
static inline struct cn_mesh_def
as_surface_def(const struct as_surface *surface)
{
    return (struct cn_mesh_def){
        .vertex_count = surface->vertex_count,
        .triangle_count = surface->triangle_count,
        .vertex = surface->vertex,
        .triangle = (const int32_t(*)[3])surface->triangle,
    };
}

#endif
