/*
 * mesh.c: reads the meshes of a scene and finds the mesh that a shape names.
 *
 * A mesh from a file, an OBJ text or a torus is afterwards inline in the message, so that a
 * receiver of the scene needs no other data.
 */
#include "proto/scene/inside.h"

#include "assets/library.h"
#include "assets/load.h"
#include "assets/obj.h"
#include "engine/base/assert.h"
#include "engine/base/name.h"
#include "engine/mesh/torus.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- sources ---- */

static enum cn_status
refuse_memory(struct cn_defect *defect)
{
    return cn_defect_set(defect, CN_MEMORY, "", "no memory for a mesh");
}

static enum cn_status
check_whole(struct cn_defect *defect, const char *path, size_t count, size_t most)
{
    if (count % 3 != 0) {
        return cn_defect_set(
            defect, CN_SYNTAX, path, "has %zu numbers, which is no multiple of 3", count);
    }
    if (count / 3 > most) {
        return cn_defect_set(defect, CN_LIMIT, path, "are %zu; at most %zu are accepted",
            count / 3, most);
    }
    return CN_OK;
}

static bool
make_room(struct as_surface *surface, size_t vertices, size_t triangles)
{
    CN_ASSERT(vertices <= INT32_MAX && triangles <= INT32_MAX);
    surface->vertex_count = (int)vertices;
    surface->triangle_count = (int)triangles;
    surface->vertex = calloc(vertices + 1, sizeof(*surface->vertex));
    surface->triangle = calloc(triangles + 1, sizeof(*surface->triangle));
    return surface->vertex != NULL && surface->triangle != NULL;
}

static enum cn_status
read_inline(const Cairn__V1__Mesh *mesh, struct as_surface *surface, struct cn_defect *defect)
{
    enum cn_status status =
        check_whole(defect, "vertices", mesh->n_vertices, CN_MESH_VERTICES_MAX);
    if (status == CN_OK) {
        status = check_whole(defect, "triangles", mesh->n_triangles, CN_MESH_TRIANGLES_MAX);
    }
    if (status != CN_OK) {
        return status;
    }
    if (!make_room(surface, mesh->n_vertices / 3, mesh->n_triangles / 3)) {
        return refuse_memory(defect);
    }
    for (int i = 0; i < surface->vertex_count; i++) {
        const double *v = &mesh->vertices[3 * i];
        surface->vertex[i] = cn_vec3_make(v[0], v[1], v[2]);
    }
    for (size_t k = 0; k < mesh->n_triangles; k++) {
        uint32_t vertex = mesh->triangles[k];
        surface->triangle[k / 3][k % 3] = vertex < INT32_MAX ? (int32_t)vertex : INT32_MAX;
    }
    return CN_OK;
}

static enum cn_status
check_torus(const Cairn__V1__Mesh__Torus *torus, struct cn_defect *defect)
{
    const struct {
        const char *path;
        double value, low, high;
    } members[] = {
        {"torus.radius", torus->radius, CN_SIZE_MIN, CN_SIZE_MAX},
        {"torus.tubeRadius", torus->tube_radius, CN_SIZE_MIN, torus->radius},
        {"torus.majorCount", torus->major_count, CN_TORUS_COUNT_MIN, CN_TORUS_COUNT_MAX},
        {"torus.minorCount", torus->minor_count, CN_TORUS_COUNT_MIN, CN_TORUS_COUNT_MAX},
    };
    for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
        double value = members[i].value;
        if (!(value >= members[i].low && value <= members[i].high)) {
            return cn_defect_set(defect, isfinite(value) ? CN_RANGE : CN_FINITE, members[i].path,
                "is %.9g; it is from %.9g to %.9g%s", value, members[i].low, members[i].high,
                i < 2 ? " m" : "");
        }
    }
    return CN_OK;
}

static enum cn_status
read_torus(
    const Cairn__V1__Mesh__Torus *torus, struct as_surface *surface, struct cn_defect *defect)
{
    enum cn_status status = check_torus(torus, defect);
    if (status != CN_OK) {
        return status;
    }
    size_t count = (size_t)torus->major_count * torus->minor_count;
    if (!make_room(surface, count, 2 * count)) {
        return refuse_memory(defect);
    }
    const struct cn_torus form = {torus->radius, torus->tube_radius, (int)torus->major_count,
        (int)torus->minor_count};
    cn_torus_make(&form, surface->vertex, surface->triangle);
    return CN_OK;
}

/* The error has the source's name, then the position in the file. */
static enum cn_status
name_source(enum cn_status status, const char *source, struct cn_defect *defect)
{
    if (status != CN_OK && strcmp(defect->path, source) != 0) {
        bool is_inside = defect->path[0] != '\0';
        cn_defect_prefix(defect, "%s%s", source, is_inside ? ": " : "");
    }
    return status;
}

/* Checks that exactly one source is given. */
static enum cn_status
read_source(const Cairn__V1__Mesh *mesh, const struct wire_mesh_tools *tools,
    struct as_surface *surface, struct cn_defect *defect)
{
    bool of_file = mesh->file[0] != '\0', of_obj = mesh->obj[0] != '\0';
    bool is_inline = mesh->n_vertices + mesh->n_triangles > 0, of_torus = mesh->torus != NULL;
    if (of_file + of_obj + is_inline + of_torus != 1) {
        return cn_defect_set(defect, CN_SYNTAX, "",
            "has %d sources; one of vertices with triangles, obj, file and torus is accepted",
            of_file + of_obj + is_inline + of_torus);
    }
    if (is_inline) {
        return read_inline(mesh, surface, defect);
    }
    if (of_torus) {
        return read_torus(mesh->torus, surface, defect);
    }
    if (of_obj) {
        return name_source(
            as_obj_read(mesh->obj, strlen(mesh->obj), surface, defect), "obj", defect);
    }
    if (tools == NULL || tools->folder == NULL) {
        return cn_defect_set(defect, CN_SYNTAX, "file",
            "is not read here: the scene comes from no file; vertices, obj and torus are");
    }
    return name_source(
        as_surface_load(tools->folder, mesh->file, surface, defect), "file", defect);
}

/* ---- into the message ---- */

/* An empty text of a message is static and must not be freed. */
static void
is_empty(char *text)
{
    if (text[0] != '\0') {
        text[0] = '\0';
    }
}

static bool
put_inline(Cairn__V1__Mesh *mesh, const struct as_surface *surface)
{
    size_t vertices = 3 * (size_t)surface->vertex_count;
    size_t triangles = 3 * (size_t)surface->triangle_count;
    double *vertex = malloc((vertices + 1) * sizeof(*vertex));
    uint32_t *triangle = malloc((triangles + 1) * sizeof(*triangle));
    if (vertex == NULL || triangle == NULL) {
        free(vertex);
        free(triangle);
        return false;
    }
    for (int i = 0; i < surface->vertex_count; i++) {
        vertex[3 * i] = surface->vertex[i].x;
        vertex[3 * i + 1] = surface->vertex[i].y;
        vertex[3 * i + 2] = surface->vertex[i].z;
    }
    for (size_t k = 0; k < triangles; k++) {
        triangle[k] = (uint32_t)surface->triangle[k / 3][k % 3];
    }
    free(mesh->vertices);
    free(mesh->triangles);
    mesh->vertices = vertex;
    mesh->triangles = triangle;
    mesh->n_vertices = vertices;
    mesh->n_triangles = triangles;
    if (mesh->torus != NULL) {
        protobuf_c_message_free_unpacked(&mesh->torus->base, NULL);
        mesh->torus = NULL;
    }
    is_empty(mesh->obj);
    is_empty(mesh->file);
    return true;
}

/* ---- all meshes ---- */

struct limits {
    int meshes, triangles;
    unsigned resolution;
};

static struct limits
limits_of(const struct wire_mesh_tools *tools)
{
    bool of_file = tools != NULL && (tools->folder != NULL || tools->is_own);
    return of_file ? (struct limits){WIRE_MESHES_MAX, WIRE_MESH_TRIANGLES_MAX,
                         WIRE_MESH_RESOLUTION_MAX}
                   : (struct limits){WIRE_MESHES_REMOTE_MAX, WIRE_MESH_TRIANGLES_REMOTE_MAX,
                         WIRE_MESH_RESOLUTION_REMOTE_MAX};
}

static enum cn_status
make_mesh(struct wire_scene *scene, Cairn__V1__Mesh *message, const struct wire_mesh_tools *tools,
    struct cn_defect *defect)
{
    struct limits most = limits_of(tools);
    if (message->resolution > most.resolution) {
        return cn_defect_set(defect, CN_RANGE, "resolution", "is %u; at most %u is accepted",
            message->resolution, most.resolution);
    }
    struct as_surface surface;
    as_surface_init(&surface);
    enum cn_status status = read_source(message, tools, &surface, defect);
    int triangles = surface.triangle_count;
    for (int i = 0; i < scene->mesh_count; i++) {
        triangles += scene->meshes[i]->triangle_count;
    }
    if (status == CN_OK && triangles > most.triangles) {
        status = cn_defect_set(defect, CN_LIMIT, "triangles",
            "bring the scene to %d; at most %d are accepted", triangles, most.triangles);
    }
    if (status == CN_OK && !put_inline(message, &surface)) {
        status = refuse_memory(defect);
    }
    if (status == CN_OK) {
        struct cn_mesh_def def = as_surface_def(&surface);
        def.scale = message->scale;
        def.resolution = (int)message->resolution;
        def.resolution_max = WIRE_MESH_RESOLUTION_REMOTE_MAX; /* the same limit for every origin */
        def.sparse = message->sparse;
        def.sharp = message->sharp;
        struct cn_mesh **mesh = &scene->meshes[scene->mesh_count];
        CN_ASSERT((size_t)scene->mesh_count < scene->message->n_meshes);
        status = tools != NULL && tools->library != NULL
                     ? as_library_make(tools->library, &def, mesh, defect)
                     : cn_mesh_make(&def, mesh, defect);
        scene->mesh_count += status == CN_OK ? 1 : 0;
    }
    as_surface_finish(&surface);
    return status;
}

static enum cn_status
check_mesh_name(const Cairn__V1__Scene *message, size_t index, struct cn_defect *defect)
{
    CN_ASSERT(index < message->n_meshes);
    const char *name = message->meshes[index]->name;
    if (name[0] == '\0') {
        return cn_defect_set(defect, CN_SYNTAX, "name", "is empty; shapes name their mesh");
    }
    for (size_t i = 0; i < index; i++) {
        if (strcmp(message->meshes[i]->name, name) == 0) {
            return cn_defect_set(defect, CN_DUPLICATE, "name",
                "is %s, the name of meshes[%zu] already", cn_quote(name).text, i);
        }
    }
    return CN_OK;
}

enum cn_status
scene_make_meshes(
    struct wire_scene *scene, const struct wire_mesh_tools *tools, struct cn_defect *defect)
{
    CN_ASSERT(scene->mesh_count == 0 && scene->meshes == NULL);
    const Cairn__V1__Scene *message = scene->message;
    size_t count = message->n_meshes;
    struct limits most = limits_of(tools);
    scene->mesh_names = message;
    if (count == 0) {
        return CN_OK;
    }
    if (count > (size_t)most.meshes) {
        return cn_defect_set(defect, CN_LIMIT, "meshes",
            "has %zu entries; at most %d are accepted", count, most.meshes);
    }
    scene->meshes = calloc(count, sizeof(*scene->meshes));
    if (scene->meshes == NULL) {
        return refuse_memory(defect);
    }
    for (size_t i = 0; i < count; i++) {
        enum cn_status status = check_mesh_name(message, i, defect);
        if (status == CN_OK) {
            status = make_mesh(scene, message->meshes[i], tools, defect);
        }
        if (status != CN_OK) {
            bool is_inside = defect->path[0] != '\0';
            cn_defect_prefix(defect, "meshes[%zu]%s", i, is_inside ? "." : "");
            return status;
        }
    }
    return CN_OK;
}

bool
scene_take_meshes(struct wire_scene *scene, const struct wire_scene *from)
{
    CN_ASSERT(scene->mesh_count == 0 && scene->meshes == NULL);
    scene->mesh_names = scene->message->n_meshes > 0 ? scene->message : from->mesh_names;
    if (from->mesh_count == 0) {
        return true;
    }
    scene->meshes = calloc((size_t)from->mesh_count, sizeof(*scene->meshes));
    if (scene->meshes == NULL) {
        return false;
    }
    for (; scene->mesh_count < from->mesh_count; scene->mesh_count++) {
        scene->meshes[scene->mesh_count] = cn_mesh_keep(from->meshes[scene->mesh_count]);
    }
    return true;
}

void
scene_drop_meshes(struct wire_scene *scene)
{
    for (int i = 0; i < scene->mesh_count; i++) {
        cn_mesh_drop(scene->meshes[i]);
    }
    free(scene->meshes);
}

enum cn_status
scene_find_mesh(const struct wire_scene *scene, const Cairn__V1__Shape *shape,
    struct cn_shape_def *def, struct cn_defect *defect)
{
    const char *names[WIRE_MESHES_MAX];
    CN_ASSERT(scene->mesh_count <= WIRE_MESHES_MAX);
    for (int i = 0; i < scene->mesh_count; i++) {
        names[i] = scene->mesh_names->meshes[i]->name;
        if (strcmp(names[i], shape->mesh->name) == 0) {
            def->mesh.index = i;
            def->mesh.mesh = scene->meshes[i];
            return CN_OK;
        }
    }
    return scene_refuse_name(
        defect, "mesh.name", shape->mesh->name, "mesh", names, (size_t)scene->mesh_count);
}
