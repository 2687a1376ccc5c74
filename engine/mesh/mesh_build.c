#include "engine/mesh/mesh_build.h"

#include "engine/base/assert.h"

#include <stdio.h>
#include <stdlib.h>

void *
cn_mesh_take(struct cn_mesh_build *build, int count, size_t size)
{
    CN_ASSERT(build->kept_count < CN_MESH_KEPT_MAX);
    CN_ASSERT(0 <= count && size > 0);
    size_t number = count > 0 ? (size_t)count : 1;
    void *memory = calloc(number, size);
    if (memory != NULL) {
        build->kept[build->kept_count++] = memory;
        build->size += number * size;
    }
    return memory;
}

enum cn_status
cn_mesh_no_memory(struct cn_mesh_build *build)
{
    return cn_defect_set(build->defect, CN_MEMORY, "triangles", "are too many for the memory");
}

const char *
cn_mesh_path(char *buffer, const char *array, int index)
{
    CN_ASSERT(index >= 0);
    snprintf(buffer, CN_DEFECT_PATH_SIZE, "%s[%d]", array, index);
    return buffer;
}
