#include "assets/surface.h"

#include "engine/base/assert.h"

#include <stdlib.h>

void
as_surface_finish(struct as_surface *surface)
{
    free(surface->vertex);
    free(surface->triangle);
    as_surface_init(surface);
}

static enum cn_status
no_memory(const char *path, struct cn_defect *defect)
{
    return cn_defect_set(defect, CN_MEMORY, path, "is more than there is memory for");
}

enum cn_status
as_surface_vertex(
    struct as_surface *surface, cn_vec3 at, const char *path, struct cn_defect *defect)
{
    if (surface->vertex_count == CN_MESH_VERTICES_MAX) {
        return cn_defect_set(defect, CN_LIMIT, path,
            "is one vertex too many; a mesh has at most %d", CN_MESH_VERTICES_MAX);
    }
    if (surface->vertex_count == surface->vertex_capacity) {
        int capacity = surface->vertex_capacity == 0 ? 256 : 2 * surface->vertex_capacity;
        cn_vec3 *vertex = realloc(surface->vertex, (size_t)capacity * sizeof(*vertex));
        if (vertex == NULL) {
            return no_memory(path, defect);
        }
        surface->vertex = vertex;
        surface->vertex_capacity = capacity;
    }
    CN_ASSERT(surface->vertex_count < surface->vertex_capacity);
    surface->vertex[surface->vertex_count++] = at;
    return CN_OK;
}

enum cn_status
as_surface_triangle(struct as_surface *surface, int32_t a, int32_t b, int32_t c, const char *path,
    struct cn_defect *defect)
{
    if (surface->triangle_count == CN_MESH_TRIANGLES_MAX) {
        return cn_defect_set(defect, CN_LIMIT, path,
            "is one triangle too many; a mesh has at most %d", CN_MESH_TRIANGLES_MAX);
    }
    if (surface->triangle_count == surface->triangle_capacity) {
        int capacity = surface->triangle_capacity == 0 ? 256 : 2 * surface->triangle_capacity;
        int32_t(*triangle)[3] =
            realloc(surface->triangle, (size_t)capacity * sizeof(*triangle));
        if (triangle == NULL) {
            return no_memory(path, defect);
        }
        surface->triangle = triangle;
        surface->triangle_capacity = capacity;
    }
    CN_ASSERT(surface->triangle_count < surface->triangle_capacity);
    int32_t *made = surface->triangle[surface->triangle_count++];
    made[0] = a;
    made[1] = b;
    made[2] = c;
    return CN_OK;
}
