/*
 * gltf.c: the reader of glTF: file and text, buffers, meshes, nodes.
 *
 * jansson reads the text.  The names and values of the text are counted first.  So
 * AS_GLTF_VALUES_MAX limits the memory, however short a value is written.
 *
 * More than 600 lines: all parts work on one reader (struct gltf), which nothing else may know.
 */
#include "assets/gltf.h"

#include "engine/base/assert.h"
#include "assets/folder.h"
#include "engine/math/mat33.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GLB_MAGIC 0x46546c67U /* "glTF" */
#define GLB_JSON 0x4e4f534aU
#define GLB_BIN 0x004e4942U

#define DATA_URI "data:"
#define BASE64 ";base64,"

#define BYTE 5121 /* componentType; all are unsigned except FLOAT */
#define SHORT 5123
#define INT 5125
#define FLOAT 5126
#define TRIANGLES 4 /* mode */

struct gltf_buffer {
    char *memory;         /* freed with the reader; NULL: in the binary chunk, or not read yet */
    const uint8_t *bytes;
    size_t size;
};

/* A node's frame, in the frame of the file. */
struct gltf_place {
    cn_mat33 linear;
    cn_vec3 at;
};

/* A node that waits to be visited: its index, and its parent's transform. */
struct visit {
    int node, depth;
    struct gltf_place above;
};

struct gltf {
    const char *text;
    size_t text_size;
    const uint8_t *binary; /* NULL: none */
    size_t binary_size;
    const struct as_folder *folder;
    struct as_surface *surface;
    struct cn_defect *defect;
    json_t *root;
    struct gltf_buffer buffer[AS_GLTF_BUFFERS_MAX];
    size_t node_count;
    uint8_t *visited, *below; /* for each node: it was reached; it is a child of a node */
    struct visit *waiting;
    int waiting_count;
};

/* ---- text and buffers ---- */

/* Every value except the first of a list or object follows a comma, and every name has a colon. */
static size_t
count_values(const char *text, size_t size)
{
    size_t count = 0;
    for (size_t i = 0; i < size; i++) {
        count += text[i] == ',' || text[i] == ':' || text[i] == '[' || text[i] == '{';
    }
    return count;
}

static enum cn_status
parse_text(struct gltf *gltf)
{
    json_error_t error;
    char path[64];
    size_t values = count_values(gltf->text, gltf->text_size);
    if (values > AS_GLTF_VALUES_MAX) {
        return cn_defect_set(gltf->defect, CN_LIMIT, "text",
            "has about %zu names and values; at most %d are read", values, AS_GLTF_VALUES_MAX);
    }
    gltf->root = json_loadb(gltf->text, gltf->text_size, JSON_REJECT_DUPLICATES, &error);
    if (gltf->root == NULL) {
        snprintf(path, sizeof(path), "line %d, column %d", error.line, error.column);
        return cn_defect_set(gltf->defect, CN_SYNTAX, path, "%s", error.text);
    }
    if (!json_is_object(gltf->root)) {
        return cn_defect_set(gltf->defect, CN_SYNTAX, "line 1", "starts no object {...}");
    }
    return CN_OK;
}

static void
finish(struct gltf *gltf)
{
    for (int i = 0; i < AS_GLTF_BUFFERS_MAX; i++) {
        free(gltf->buffer[i].memory);
    }
    free(gltf->visited);
    free(gltf->below);
    free(gltf->waiting);
    json_decref(gltf->root);
}

static enum cn_status
refuse_memory(struct gltf *gltf)
{
    return cn_defect_set(gltf->defect, CN_MEMORY, "text", "is more than there is memory for");
}

/* Converts a value to an index; -1 if it is not valid, and then no element has that index. */
static int
index_of(const json_t *value)
{
    json_int_t number = json_is_integer(value) ? json_integer_value(value) : -1;
    return number >= 0 && number < AS_FILE_SIZE_MAX ? (int)number : -1;
}

/* Reads a count or an offset; `absent` if the member is missing.  False: not a number of bytes. */
static bool
size_of(const json_t *object, const char *name, size_t absent, size_t *value)
{
    const json_t *number = json_object_get(object, name);
    *value = absent;
    if (number == NULL) {
        return true;
    }
    json_int_t read = json_is_integer(number) ? json_integer_value(number) : -1;
    *value = read >= 0 ? (size_t)read : 0;
    return read >= 0 && read <= AS_FILE_SIZE_MAX;
}

static int
base64_digit(char c)
{
    if (c >= 'A' && c <= 'Z') {
        return c - 'A';
    }
    if (c >= 'a' && c <= 'z') {
        return c - 'a' + 26;
    }
    if (c >= '0' && c <= '9') {
        return c - '0' + 52;
    }
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Padding is optional; the decoded size is at most three quarters of the letters. */
static bool
decode_base64(const char *text, size_t length, char *out, size_t *size)
{
    uint32_t bits = 0;
    size_t count = 0;
    while (length > 0 && text[length - 1] == '=') {
        length--;
    }
    for (size_t i = 0; i < length; i++) {
        int digit = base64_digit(text[i]);
        if (digit < 0) {
            return false;
        }
        bits = bits << 6 | (uint32_t)digit;
        if (i % 4 != 0) {
            out[count++] = (char)(bits >> (6 - 2 * (i % 4)) & 0xff);
        }
    }
    CN_ASSERT(count <= length); /* the room of `out` */
    *size = count;
    return length % 4 != 1;
}

static enum cn_status
read_data(struct gltf *gltf, const char *uri, const char *path, struct gltf_buffer *buffer)
{
    const char *start = strstr(uri, BASE64);
    if (start == NULL) {
        return cn_defect_set(gltf->defect, CN_SYNTAX, path, "is data that is not base64");
    }
    start += strlen(BASE64);
    size_t length = strlen(start);
    buffer->memory = malloc(length + 1);
    if (buffer->memory == NULL) {
        return refuse_memory(gltf);
    }
    if (!decode_base64(start, length, buffer->memory, &buffer->size)) {
        return cn_defect_set(gltf->defect, CN_SYNTAX, path, "is data that is not base64");
    }
    return CN_OK;
}

static enum cn_status
read_buffer(struct gltf *gltf, const json_t *of, const char *path, bool first,
    struct gltf_buffer *buffer)
{
    CN_ASSERT(buffer->memory == NULL && buffer->bytes == NULL); /* a buffer is read once */
    const json_t *uri = json_object_get(of, "uri");
    const char *name = json_string_value(uri);
    if (uri == NULL && first && gltf->binary != NULL) {
        buffer->bytes = gltf->binary;
        buffer->size = gltf->binary_size;
        return CN_OK;
    }
    if (name == NULL) {
        return cn_defect_set(gltf->defect, CN_REFERENCE, path,
            "is missing, and the file has no binary chunk for this buffer");
    }
    if (strncmp(name, DATA_URI, strlen(DATA_URI)) == 0) {
        CN_CHECK(read_data(gltf, name, path, buffer));
    } else if (gltf->folder == NULL) {
        return cn_defect_set(gltf->defect, CN_REFERENCE, path,
            "is \"%.60s\"; files beside this one are not read here, only data: within it", name);
    } else {
        CN_CHECK(as_folder_read(gltf->folder, name, AS_FILE_SIZE_MAX, &buffer->memory,
            &buffer->size, gltf->defect));
    }
    buffer->bytes = (const uint8_t *)buffer->memory;
    return CN_OK;
}

/* The bytes of buffer i; the first call reads them. */
static enum cn_status
open_buffer(struct gltf *gltf, int i, const uint8_t **bytes, size_t *size)
{
    const json_t *list = json_object_get(gltf->root, "buffers");
    char path[48];
    if (i < 0 || (size_t)i >= json_array_size(list) || i >= AS_GLTF_BUFFERS_MAX) {
        return cn_defect_set(gltf->defect, CN_REFERENCE, "buffers",
            "are %zu, of which %d are read; one that is named is not there",
            json_array_size(list), AS_GLTF_BUFFERS_MAX);
    }
    struct gltf_buffer *buffer = &gltf->buffer[i];
    const json_t *of = json_array_get(list, (size_t)i);
    if (buffer->bytes == NULL) {
        size_t length;
        snprintf(path, sizeof(path), "buffers[%d].uri", i);
        CN_CHECK(read_buffer(gltf, of, path, i == 0, buffer));
        if (!size_of(of, "byteLength", 0, &length) || length > buffer->size) {
            snprintf(path, sizeof(path), "buffers[%d].byteLength", i);
            return cn_defect_set(gltf->defect, CN_RANGE, path,
                "is not a number up to %zu, the bytes that are there", buffer->size);
        }
        buffer->size = length;
    }
    *bytes = buffer->bytes;
    *size = buffer->size;
    return CN_OK;
}

/* ---- meshes ---- */

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
    int view_index = index_of(json_object_get(accessor, "bufferView"));
    const json_t *view = view_index < 0 ? NULL : json_array_get(views, (size_t)view_index);
    size_t skip, view_skip, view_size, buffer_size = 0;
    const uint8_t *bytes = NULL;
    if (accessor == NULL || has == NULL || strcmp(has, type) != 0) {
        return cn_defect_set(
            gltf->defect, CN_REFERENCE, path, "is no accessor of the type %s", type);
    }
    if (view == NULL || json_object_get(accessor, "sparse") != NULL) {
        return refuse(gltf, CN_REFERENCE, path, "is an accessor without a bufferView, or sparse");
    }
    column->component = index_of(json_object_get(accessor, "componentType"));
    size_t element = numbers * component_size(column->component);
    if (!size_of(accessor, "count", 0, &column->count) || column->count == 0 ||
        !size_of(accessor, "byteOffset", 0, &skip) ||
        !size_of(view, "byteOffset", 0, &view_skip) ||
        !size_of(view, "byteLength", 0, &view_size) ||
        !size_of(view, "byteStride", element, &column->stride) || column->stride < element) {
        return refuse(gltf, CN_RANGE, path,
            "has a count, byteOffset, byteLength or byteStride that is missing or too large");
    }
    CN_CHECK(open_buffer(gltf, index_of(json_object_get(view, "buffer")), &bytes, &buffer_size));
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
    CN_ASSERT(i < column->count);
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
    if (mode != NULL && index_of(mode) != TRIANGLES) {
        return refuse(gltf, CN_UNKNOWN, path, "has a mode that is not 4: a surface has triangles");
    }
    CN_CHECK(open_column(gltf, index_of(places), "VEC3", 3, path, &vertex));
    if (vertex.component != FLOAT) {
        return refuse(gltf, CN_UNKNOWN, path, "has a POSITION that is not of floats (5126)");
    }
    if (indices != NULL) {
        CN_CHECK(open_column(gltf, index_of(indices), "SCALAR", 1, path, &index));
        if (index.component != BYTE && index.component != SHORT && index.component != INT) {
            return refuse(gltf, CN_UNKNOWN, path,
                "has indices that are not of unsigned numbers (5121, 5123 or 5125)");
        }
    }
    int32_t base = (int32_t)gltf->surface->vertex_count;
    CN_CHECK(add_vertices(gltf, &vertex, place, path));
    CN_ASSERT((size_t)base + vertex.count == (size_t)gltf->surface->vertex_count);
    return add_triangles(gltf, indices != NULL ? &index : NULL, vertex.count, base,
        cn_mat33_determinant(&place->linear) < 0.0, path);
}

/* Adds the triangles of mesh i; `from` is the path of the node that uses it, for errors. */
static enum cn_status
add_mesh(struct gltf *gltf, int i, const struct gltf_place *place, const char *from)
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

/* ---- the file ---- */

static uint32_t
word_at(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
           (uint32_t)bytes[3] << 24;
}

/* Finds the text and the binary chunk of a GLB.  If the file is not a GLB, all of it is text. */
static enum cn_status
part_glb(struct gltf *gltf, const uint8_t *bytes, size_t size)
{
    gltf->text = (const char *)bytes;
    gltf->text_size = size;
    if (size < 12 || word_at(bytes) != GLB_MAGIC) {
        return CN_OK;
    }
    if (word_at(bytes + 4) != 2 || word_at(bytes + 8) != size) {
        return cn_defect_set(gltf->defect, CN_SYNTAX, "header",
            "is of version %u and %u bytes; read is version 2, and there are %zu bytes",
            (unsigned)word_at(bytes + 4), (unsigned)word_at(bytes + 8), size);
    }
    gltf->text = NULL;
    for (size_t at = 12; at < size;) {
        if (size - at < 8 || word_at(bytes + at) > size - at - 8) {
            return cn_defect_set(gltf->defect, CN_SYNTAX, "chunks", "are cut at byte %zu", at);
        }
        uint32_t length = word_at(bytes + at), kind = word_at(bytes + at + 4);
        if (gltf->text == NULL && kind != GLB_JSON) {
            break;
        }
        if (gltf->text == NULL) {
            gltf->text = (const char *)bytes + at + 8;
            gltf->text_size = length;
        } else if (kind == GLB_BIN && gltf->binary == NULL) {
            gltf->binary = bytes + at + 8;
            gltf->binary_size = length;
        }
        at += 8 + (size_t)length;
    }
    if (gltf->text == NULL) {
        return cn_defect_set(gltf->defect, CN_SYNTAX, "chunks", "do not start with one of JSON");
    }
    return CN_OK;
}

static enum cn_status
check_asset(const struct gltf *gltf)
{
    const json_t *asset = json_object_get(gltf->root, "asset");
    const char *version = json_string_value(json_object_get(asset, "version"));
    if (version == NULL || strncmp(version, "2.", 2) != 0) {
        return cn_defect_set(gltf->defect, CN_SYNTAX, "asset.version", "is %.40s; read is 2.0",
            version != NULL ? version : "missing");
    }
    const json_t *required = json_object_get(gltf->root, "extensionsRequired");
    if (json_array_size(required) > 0) {
        const char *name = json_string_value(json_array_get(required, 0));
        return cn_defect_set(gltf->defect, CN_UNKNOWN, "extensionsRequired[0]",
            "is %.80s; no extension is read", name != NULL ? name : "no name");
    }
    return CN_OK;
}

/* ---- nodes ---- */

static enum cn_status
read_numbers(struct gltf *gltf, const json_t *node, const char *name, int count, double *out,
    const char *path)
{
    const json_t *list = json_object_get(node, name);
    if (list == NULL) {
        return CN_OK;
    }
    bool good = json_array_size(list) == (size_t)count;
    for (int i = 0; i < count && good; i++) {
        const json_t *number = json_array_get(list, (size_t)i);
        good = json_is_number(number) && fabs(json_number_value(number)) <= 1e12;
        out[i] = good ? json_number_value(number) : 0.0;
    }
    if (!good) {
        return cn_defect_set(gltf->defect, CN_SYNTAX, path,
            "has a %s that is not %d numbers up to 1e12", name, count);
    }
    return CN_OK;
}

/*
 * A unit quaternion x, y, z, w as a matrix; another is normalised, because it may have been
 * rounded.
 */
static cn_mat33
turn_of(const double q[4])
{
    double s = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    s = s > 0.0 ? 2.0 / s : 0.0;
    double x = q[0], y = q[1], z = q[2], w = q[3];
    return (cn_mat33){
        {1.0 - s * (y * y + z * z), s * (x * y + w * z), s * (x * z - w * y)},
        {s * (x * y - w * z), 1.0 - s * (x * x + z * z), s * (y * z + w * x)},
        {s * (x * z + w * y), s * (y * z - w * x), 1.0 - s * (x * x + y * y)},
    };
}

static enum cn_status
place_of(struct gltf *gltf, const json_t *node, const char *path, struct gltf_place *place)
{
    double m[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    double move[3] = {0, 0, 0}, turn[4] = {0, 0, 0, 1}, scale[3] = {1, 1, 1};
    CN_CHECK(read_numbers(gltf, node, "matrix", 16, m, path));
    CN_CHECK(read_numbers(gltf, node, "translation", 3, move, path));
    CN_CHECK(read_numbers(gltf, node, "rotation", 4, turn, path));
    CN_CHECK(read_numbers(gltf, node, "scale", 3, scale, path));
    if (json_object_get(node, "matrix") != NULL) {
        place->linear = (cn_mat33){{m[0], m[1], m[2]}, {m[4], m[5], m[6]}, {m[8], m[9], m[10]}};
        place->at = (cn_vec3){m[12], m[13], m[14]};
        return CN_OK;
    }
    place->linear = turn_of(turn);
    place->linear.cx = cn_vec3_scale(place->linear.cx, scale[0]);
    place->linear.cy = cn_vec3_scale(place->linear.cy, scale[1]);
    place->linear.cz = cn_vec3_scale(place->linear.cz, scale[2]);
    place->at = (cn_vec3){move[0], move[1], move[2]};
    return CN_OK;
}

static enum cn_status
push(struct gltf *gltf, struct visit visit)
{
    if (visit.depth > AS_GLTF_DEPTH_MAX) {
        return cn_defect_set(gltf->defect, CN_LIMIT, "nodes", "are more than %d deep",
            AS_GLTF_DEPTH_MAX);
    }
    if (visit.node < 0 || (size_t)visit.node >= gltf->node_count) {
        return cn_defect_set(gltf->defect, CN_REFERENCE, "nodes",
            "are %zu; one that is named is not there", gltf->node_count);
    }
    if (gltf->visited[visit.node] != 0) {
        char path[32];
        snprintf(path, sizeof(path), "nodes[%d]", visit.node);
        return cn_defect_set(
            gltf->defect, CN_DUPLICATE, path, "is reached twice; each has one above it at most");
    }
    CN_ASSERT((size_t)gltf->waiting_count < gltf->node_count); /* a node waits once */
    gltf->visited[visit.node] = 1;
    gltf->waiting[gltf->waiting_count++] = visit;
    return CN_OK;
}

static enum cn_status
visit_node(struct gltf *gltf, const struct visit *visit)
{
    CN_ASSERT(gltf->visited[visit->node] != 0 && visit->depth <= AS_GLTF_DEPTH_MAX);
    const json_t *node = json_array_get(json_object_get(gltf->root, "nodes"), (size_t)visit->node);
    struct gltf_place own;
    char path[32];
    snprintf(path, sizeof(path), "nodes[%d]", visit->node);
    CN_CHECK(place_of(gltf, node, path, &own));
    struct gltf_place place = {
        cn_mat33_multiply(&visit->above.linear, &own.linear),
        cn_vec3_add(visit->above.at, cn_mat33_apply(&visit->above.linear, own.at)),
    };
    const json_t *mesh = json_object_get(node, "mesh");
    if (mesh != NULL) {
        CN_CHECK(add_mesh(gltf, index_of(mesh), &place, path));
    }
    const json_t *children = json_object_get(node, "children");
    for (size_t i = json_array_size(children); i > 0; i--) {
        int child = index_of(json_array_get(children, i - 1));
        CN_CHECK(push(gltf, (struct visit){child, visit->depth + 1, place}));
    }
    return CN_OK;
}

static const struct gltf_place as_is = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};

/* The nodes of the scene; in a file without scenes the nodes that have no parent. */
static enum cn_status
push_roots(struct gltf *gltf)
{
    const json_t *scenes = json_object_get(gltf->root, "scenes");
    const json_t *nodes = json_object_get(gltf->root, "nodes");
    if (json_array_size(scenes) > 0) {
        const json_t *which = json_object_get(gltf->root, "scene");
        int scene = which == NULL ? 0 : index_of(which);
        const json_t *roots = json_object_get(
            scene < 0 ? NULL : json_array_get(scenes, (size_t)scene), "nodes");
        for (size_t i = json_array_size(roots); i > 0; i--) {
            int root = index_of(json_array_get(roots, i - 1));
            CN_CHECK(push(gltf, (struct visit){root, 1, as_is}));
        }
        return CN_OK;
    }
    for (size_t i = 0; i < gltf->node_count; i++) {
        const json_t *children = json_object_get(json_array_get(nodes, i), "children");
        for (size_t k = 0; k < json_array_size(children); k++) {
            int child = index_of(json_array_get(children, k));
            if (child >= 0 && (size_t)child < gltf->node_count) {
                gltf->below[child] = 1;
            }
        }
    }
    for (size_t i = gltf->node_count; i > 0; i--) {
        if (gltf->below[i - 1] == 0) {
            CN_CHECK(push(gltf, (struct visit){(int)i - 1, 1, as_is}));
        }
    }
    return CN_OK;
}

static enum cn_status
visit_all(struct gltf *gltf)
{
    const json_t *meshes = json_object_get(gltf->root, "meshes");
    gltf->node_count = json_array_size(json_object_get(gltf->root, "nodes"));
    gltf->visited = calloc(gltf->node_count + 1, 1);
    gltf->below = calloc(gltf->node_count + 1, 1);
    /* Each node waits at most once. */
    gltf->waiting = calloc(gltf->node_count + 1, sizeof(*gltf->waiting));
    if (gltf->visited == NULL || gltf->below == NULL || gltf->waiting == NULL) {
        return refuse_memory(gltf);
    }
    for (size_t i = 0; gltf->node_count == 0 && i < json_array_size(meshes); i++) {
        CN_CHECK(add_mesh(gltf, (int)i, &as_is, "meshes"));
    }
    CN_CHECK(push_roots(gltf));
    while (gltf->waiting_count > 0) {
        struct visit visit = gltf->waiting[--gltf->waiting_count];
        CN_CHECK(visit_node(gltf, &visit));
    }
    if (gltf->surface->triangle_count == 0) {
        return cn_defect_set(
            gltf->defect, CN_SYNTAX, "scenes", "show no mesh: there are no triangles");
    }
    return CN_OK;
}

static enum cn_status
read_all(struct gltf *gltf, const void *bytes, size_t size)
{
    CN_CHECK(part_glb(gltf, bytes, size));
    CN_CHECK(parse_text(gltf));
    CN_CHECK(check_asset(gltf));
    return visit_all(gltf);
}

enum cn_status
as_gltf_read(const void *bytes, size_t size, const struct as_folder *folder,
    struct as_surface *surface, struct cn_defect *defect)
{
    struct gltf gltf = {.folder = folder, .surface = surface, .defect = defect};
    as_surface_init(surface);
    if (size > AS_FILE_SIZE_MAX) {
        return cn_defect_set(defect, CN_LIMIT, "header", "is of %zu bytes; at most %d are read",
            size, AS_FILE_SIZE_MAX);
    }
    enum cn_status status = read_all(&gltf, bytes, size);
    finish(&gltf);
    return status;
}
