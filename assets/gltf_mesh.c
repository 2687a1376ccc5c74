#include "assets/gltf_inside.h"

#include <string.h>

#define BYTE 5121 /* componentType; all are unsigned except FLOAT */
#define SHORT 5123
#define INT 5125
#define FLOAT 5126
#define TRIANGLES 4 /* mode */

/* Elements of an accessor: the first one, the distance between them, and their number. */
struct column {
    const uint8_t *first;
    size_t stride, count;
    int component;
};

static size_t
component_size(int component)
{
    return component == BYTE ? 1 : component == SHORT ? 2 : 4;
}

static enum cn_status
refuse(struct gltf *gltf, enum cn_status status, const char *path, const char *what)
{
    return cn_defect_set(gltf->defect, status, path, "%s", what);
}

/*
 * Finds the elements of accessor i, with `numbers` components each; all of them are in the buffer.
 */
static enum cn_status
open_column(struct gltf *gltf, int i, const char *type, size_t numbers, const char *path,
    struct column *column)
{
    const json_t *list = json_object_get(gltf->root, "accessors");
    const json_t *views = json_object_get(gltf->root, "bufferViews");
    const json_t *accessor = i < 0 ? NULL : json_array_get(list, (size_t)i);
    const char *has = json_string_value(json_object_get(accessor, "type"));
    int view_index = gltf_index(json_object_get(accessor, "bufferView"));
    const json_t *view = view_index < 0 ? NULL : json_array_get(views, (size_t)view_index);
    size_t skip, view_skip, view_size, buffer_size;
    const uint8_t *bytes;
    if (accessor == NULL || has == NULL || strcmp(has, type) != 0) {
        return cn_defect_set(
            gltf->defect, CN_REFERENCE, path, "is no accessor of the type %s", type);
    }
    if (view == NULL || json_object_get(accessor, "sparse") != NULL) {
        return refuse(gltf, CN_REFERENCE, path, "is an accessor without a bufferView, or sparse");
    }
    column->component = gltf_index(json_object_get(accessor, "componentType"));
    size_t element = numbers * component_size(column->component);
    if (!gltf_size(accessor, "count", 0, &column->count) || column->count == 0 ||
        !gltf_size(accessor, "byteOffset", 0, &skip) ||
        !gltf_size(view, "byteOffset", 0, &view_skip) ||
        !gltf_size(view, "byteLength", 0, &view_size) ||
        !gltf_size(view, "byteStride", element, &column->stride) || column->stride < element) {
        return refuse(gltf, CN_RANGE, path,
            "has a count, byteOffset, byteLength or byteStride that is missing or too large");
    }
    CN_CHECK(gltf_buffer(gltf, gltf_index(json_object_get(view, "buffer")), &bytes, &buffer_size));
    /* None of these numbers is above 2^24, so their products fit. */
    if (view_skip + view_size > buffer_size ||
        skip + (column->count - 1) * column->stride + element > view_size) {
        return cn_defect_set(gltf->defect, CN_RANGE, path,
            "is of %zu elements, which are more than its bufferView or buffer has",
            column->count);
    }
    column->first = bytes + view_skip + skip;
    return CN_OK;
}

static uint32_t
integer_at(const struct column *column, size_t i)
{
    const uint8_t *at = column->first + i * column->stride;
    uint32_t value = 0;
    for (size_t k = component_size(column->component); k > 0; k--) {
        value = value << 8 | at[k - 1];
    }
    return value;
}

static double
float_at(const uint8_t *at)
{
    uint32_t bits = (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
                    (uint32_t)at[3] << 24;
    float value;
    memcpy(&value, &bits, sizeof(value));
    return (double)value;
}

static enum cn_status
add_vertices(struct gltf *gltf, const struct column *place_of, const struct gltf_place *place,
    const char *path)
{
    for (size_t i = 0; i < place_of->count; i++) {
        const uint8_t *at = place_of->first + i * place_of->stride;
        cn_vec3 v = {float_at(at), float_at(at + 4), float_at(at + 8)};
        v = cn_vec3_add(place->at, cn_mat33_apply(&place->linear, v));
        if (!cn_vec3_is_finite(v)) {
            return cn_defect_set(
                gltf->defect, CN_FINITE, path, "has a vertex %zu that is not finite", i);
        }
        CN_CHECK(as_surface_vertex(gltf->surface, v, path, gltf->defect));
    }
    return CN_OK;
}

static enum cn_status
add_triangles(struct gltf *gltf, const struct column *index, size_t vertices, int32_t base,
    bool mirrored, const char *path)
{
    size_t count = index != NULL ? index->count : vertices;
    if (count % 3 != 0) {
        return cn_defect_set(
            gltf->defect, CN_SYNTAX, path, "has %zu corners; triangles have three", count);
    }
    for (size_t i = 0; i < count; i += 3) {
        int32_t corner[3];
        for (size_t k = 0; k < 3; k++) {
            uint32_t v = index != NULL ? integer_at(index, i + k) : (uint32_t)(i + k);
            if (v >= vertices) {
                return cn_defect_set(gltf->defect, CN_REFERENCE, path,
                    "names vertex %u; there are %zu", (unsigned)v, vertices);
            }
            corner[k] = base + (int32_t)v;
        }
        CN_CHECK(as_surface_triangle(gltf->surface, corner[0], corner[mirrored ? 2 : 1],
            corner[mirrored ? 1 : 2], path, gltf->defect));
    }
    return CN_OK;
}

static enum cn_status
add_primitive(struct gltf *gltf, const json_t *primitive, const struct gltf_place *place,
    const char *path)
{
    const json_t *mode = json_object_get(primitive, "mode");
    const json_t *indices = json_object_get(primitive, "indices");
    const json_t *places = json_object_get(json_object_get(primitive, "attributes"), "POSITION");
    struct column vertex, index;
    if (mode != NULL && gltf_index(mode) != TRIANGLES) {
        return refuse(gltf, CN_UNKNOWN, path, "has a mode that is not 4: a surface has triangles");
    }
    CN_CHECK(open_column(gltf, gltf_index(places), "VEC3", 3, path, &vertex));
    if (vertex.component != FLOAT) {
        return refuse(gltf, CN_UNKNOWN, path, "has a POSITION that is not of floats (5126)");
    }
    if (indices != NULL) {
        CN_CHECK(open_column(gltf, gltf_index(indices), "SCALAR", 1, path, &index));
        if (index.component != BYTE && index.component != SHORT && index.component != INT) {
            return refuse(gltf, CN_UNKNOWN, path,
                "has indices that are not of unsigned numbers (5121, 5123 or 5125)");
        }
    }
    int32_t base = (int32_t)gltf->surface->vertex_count;
    CN_CHECK(add_vertices(gltf, &vertex, place, path));
    return add_triangles(gltf, indices != NULL ? &index : NULL, vertex.count, base,
        cn_mat33_determinant(&place->linear) < 0.0, path);
}

enum cn_status
gltf_add_mesh(struct gltf *gltf, int i, const struct gltf_place *place, const char *from)
{
    const json_t *list = json_object_get(gltf->root, "meshes");
    const json_t *mesh = i < 0 ? NULL : json_array_get(list, (size_t)i);
    const json_t *primitives = json_object_get(mesh, "primitives");
    if (json_array_size(primitives) == 0) {
        return cn_defect_set(gltf->defect, CN_REFERENCE, from,
            "names a mesh that is not there, or has no primitives; there are %zu",
            json_array_size(list));
    }
    for (size_t k = 0; k < json_array_size(primitives); k++) {
        char path[64];
        snprintf(path, sizeof(path), "meshes[%d].primitives[%zu]", i, k);
        CN_CHECK(add_primitive(gltf, json_array_get(primitives, k), place, path));
    }
    return CN_OK;
}
