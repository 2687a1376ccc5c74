#include "engine/mesh/field_bake.h"

#include <stdlib.h>

static void
label(const struct cn_field *field, const float *value, uint8_t *out)
{
    size_t row = (size_t)field->count[0], plane = row * (size_t)field->count[1];
    for (int z = 0; z + 1 < field->count[2]; z++) {
        for (int y = 0; y + 1 < field->count[1]; y++) {
            for (int x = 0; x + 1 < field->count[0]; x++) {
                const float *at = value + (size_t)x + (size_t)y * row + (size_t)z * plane;
                size_t corner[8] = {0, 1, row, row + 1, plane, plane + 1, plane + row,
                    plane + row + 1};
                int inside = 0;
                for (int k = 0; k < 8; k++) {
                    inside += at[corner[k]] < 0.0F ? 1 : 0;
                }
                *out++ = inside == 0   ? CN_FIELD_OUTSIDE
                         : inside == 8 ? CN_FIELD_INSIDE
                                       : CN_FIELD_BAND;
            }
        }
    }
}

enum cn_status
cn_field_bake(const struct cn_mesh *mesh, int resolution, bool sparse, struct cn_field *field,
    void **memory, struct cn_defect *defect)
{
    (void)sparse; /* asks for less memory; a uniform field answers all the same */
    cn_vec3 low = mesh->bounds.low, extent = cn_vec3_sub(mesh->bounds.high, low);
    double h = fmax(extent.x, fmax(extent.y, extent.z)) / resolution;
    double size[3] = {extent.x, extent.y, extent.z};
    size_t nodes = 1;
    for (int k = 0; k < 3; k++) {
        field->count[k] = (int)ceil(size[k] / h) + 5;
        nodes *= (size_t)field->count[k];
    }
    field->origin = (cn_vec3){low.x - 2.0 * h, low.y - 2.0 * h, low.z - 2.0 * h};
    field->spacing = h;
    field->band = 1e30;
    float *value = malloc(nodes * (sizeof(float) + 1));
    if (value == NULL) {
        return cn_defect_set(defect, CN_MEMORY, "resolution", "is too high for the memory");
    }
    uint8_t *labels = (uint8_t *)(value + nodes);
    *memory = value;
    field->value = value;
    field->label = labels;
    field->deepest = 0.0F;
    size_t n = 0;
    for (int z = 0; z < field->count[2]; z++) {
        for (int y = 0; y < field->count[1]; y++) {
            for (int x = 0; x < field->count[0]; x++) {
                cn_vec3 p = {field->origin.x + h * x, field->origin.y + h * y,
                    field->origin.z + h * z};
                value[n] = (float)cn_mesh_distance(mesh, p);
                field->deepest = fminf(field->deepest, value[n++]);
            }
        }
    }
    label(field, value, labels);
    return CN_OK;
}
