#include "assets/gltf.h"

#include "assets/gltf_inside.h"
#include "engine/math/mat33.h"

#include <string.h>

#define GLB_MAGIC 0x46546c67U /* "glTF" */
#define GLB_JSON 0x4e4f534aU
#define GLB_BIN 0x004e4942U

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

/* A node that waits to be visited: its index, and its parent's transform. */
struct visit {
    int node, depth;
    struct gltf_place above;
};

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
    gltf->visited[visit.node] = 1;
    gltf->waiting[gltf->waiting_count++] = visit;
    return CN_OK;
}

static enum cn_status
visit_node(struct gltf *gltf, const struct visit *visit)
{
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
        CN_CHECK(gltf_add_mesh(gltf, gltf_index(mesh), &place, path));
    }
    const json_t *children = json_object_get(node, "children");
    for (size_t i = json_array_size(children); i > 0; i--) {
        int child = gltf_index(json_array_get(children, i - 1));
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
        int scene = which == NULL ? 0 : gltf_index(which);
        const json_t *roots = json_object_get(
            scene < 0 ? NULL : json_array_get(scenes, (size_t)scene), "nodes");
        for (size_t i = json_array_size(roots); i > 0; i--) {
            int root = gltf_index(json_array_get(roots, i - 1));
            CN_CHECK(push(gltf, (struct visit){root, 1, as_is}));
        }
        return CN_OK;
    }
    for (size_t i = 0; i < gltf->node_count; i++) {
        const json_t *children = json_object_get(json_array_get(nodes, i), "children");
        for (size_t k = 0; k < json_array_size(children); k++) {
            int child = gltf_index(json_array_get(children, k));
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
        return gltf_no_memory(gltf);
    }
    for (size_t i = 0; gltf->node_count == 0 && i < json_array_size(meshes); i++) {
        CN_CHECK(gltf_add_mesh(gltf, (int)i, &as_is, "meshes"));
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
    CN_CHECK(gltf_parse(gltf));
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
    gltf_finish(&gltf);
    return status;
}
