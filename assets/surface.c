#include "assets/surface.h"

#include "assets/folder.h"
#include "assets/gltf.h"
#include "assets/obj.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

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
    int32_t *made = surface->triangle[surface->triangle_count++];
    made[0] = a;
    made[1] = b;
    made[2] = c;
    return CN_OK;
}

static bool
ends_with(const char *name, const char *end)
{
    size_t length = strlen(name), tail = strlen(end);
    return length > tail && strcasecmp(name + length - tail, end) == 0;
}

enum cn_status
as_surface_load(const struct as_folder *folder, const char *name, struct as_surface *surface,
    struct cn_defect *defect)
{
    as_surface_init(surface);
    bool is_obj = ends_with(name, ".obj");
    if (!is_obj && !ends_with(name, ".gltf") && !ends_with(name, ".glb")) {
        return cn_defect_set(defect, CN_UNKNOWN, name,
            "is of no kind that is read; a mesh is a file .obj, .gltf or .glb");
    }
    char *bytes = NULL;
    size_t size = 0;
    CN_CHECK(as_folder_read(folder, name, AS_FILE_SIZE_MAX, &bytes, &size, defect));
    enum cn_status status = is_obj ? as_obj_read(bytes, size, surface, defect)
                                   : as_gltf_read(bytes, size, folder, surface, defect);
    free(bytes);
    if (status != CN_OK) {
        cn_defect_prefix(defect, "%.90s: ", name);
    }
    return status;
}
