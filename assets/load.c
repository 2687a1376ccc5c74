#include "assets/load.h"

#include "engine/base/assert.h"
#include "assets/folder.h"
#include "assets/gltf.h"
#include "assets/obj.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

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
    CN_ASSERT(status != CN_OK || surface->triangle_count > 0);
    free(bytes);
    if (status != CN_OK) {
        cn_defect_prefix(defect, "%.90s: ", name);
    }
    return status;
}
