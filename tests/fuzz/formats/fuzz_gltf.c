/*
 * fuzz_gltf.c: no bytes make the glTF reader crash, hang or leak.  Accepted surfaces name existing
 * vertices; a refusal has a text.
 */
#include "assets/gltf.h"
#include "engine/base/assert.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct as_surface surface;
    struct cn_defect defect = {0};
    enum cn_status status = as_gltf_read(data, size, NULL, &surface, &defect);
    CN_ASSERT(status == CN_OK || (defect.path[0] != '\0' && defect.text[0] != '\0'));
    CN_ASSERT(status != CN_OK || surface.triangle_count > 0);
    for (int i = 0; i < surface.triangle_count; i++) {
        for (int k = 0; k < 3; k++) {
            CN_ASSERT(surface.triangle[i][k] >= 0);
            CN_ASSERT(surface.triangle[i][k] < surface.vertex_count);
        }
    }
    for (int i = 0; i < surface.vertex_count; i++) {
        CN_ASSERT(cn_vec3_is_finite(surface.vertex[i]));
    }
    as_surface_finish(&surface);
    return 0;
}
