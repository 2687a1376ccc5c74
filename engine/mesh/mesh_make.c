/*
 * mesh_make.c: checks a definition, makes its mesh stage by stage (mesh_build.h), and counts the
 * references to it.
 */
#include "engine/base/assert.h"
#include "engine/base/hash.h"
#include "engine/base/limits.h"
#include "engine/mesh/field_bake.h"
#include "engine/mesh/mesh_build.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>

/* A mesh, and the data that only its owner uses. */
struct owned {
    struct cn_mesh mesh; /* first: a pointer to one is also a pointer to the other */
    atomic_int references;
    void *kept[CN_MESH_KEPT_MAX];
    int kept_count;
    void *field_memory;
};

uint64_t
cn_mesh_hash(const struct cn_mesh_def *def)
{
    struct cn_hash hash;
    cn_hash_init(&hash);
    cn_hash_u64(&hash, (uint64_t)(uint32_t)def->vertex_count << 32 | (uint32_t)def->triangle_count);
    cn_hash_double(&hash, def->scale == 0.0 ? 1.0 : def->scale);
    cn_hash_u64(&hash, (uint64_t)(uint32_t)(def->resolution == 0 ? def->resolution_max : 0));
    cn_hash_u64(&hash, (uint64_t)(uint32_t)def->resolution << 2 | (def->sparse ? 2U : 0U) |
                           (def->sharp ? 1U : 0U));
    for (int i = 0; i < def->vertex_count; i++) {
        cn_hash_double(&hash, def->vertex[i].x);
        cn_hash_double(&hash, def->vertex[i].y);
        cn_hash_double(&hash, def->vertex[i].z);
    }
    for (int i = 0; i < def->triangle_count; i++) {
        const int32_t *at = def->triangle[i];
        cn_hash_u64(&hash, (uint64_t)(uint32_t)at[0] << 32 | (uint32_t)at[1]);
        cn_hash_u64(&hash, (uint32_t)at[2]);
    }
    return hash.state;
}

static enum cn_status
check_options(const struct cn_mesh_def *def, struct cn_defect *defect)
{
    if (!isfinite(def->scale) || def->scale < 0.0) {
        return cn_defect_set(
            defect, CN_RANGE, "scale", "is %g; a scale is above 0 and finite", def->scale);
    }
    if (def->resolution_max != 0 && def->resolution_max < CN_MESH_RESOLUTION_MIN) {
        return cn_defect_set(defect, CN_RANGE, "resolutionMax", "is %d; at least %d is accepted",
            def->resolution_max, CN_MESH_RESOLUTION_MIN);
    }
    if (def->resolution != 0 && (def->resolution < CN_MESH_RESOLUTION_MIN ||
                                    def->resolution > CN_MESH_RESOLUTION_MAX)) {
        return cn_defect_set(defect, CN_RANGE, "resolution",
            "is %d; the cells of a distance field along its longest extent are %d to %d, or 0",
            def->resolution, CN_MESH_RESOLUTION_MIN, CN_MESH_RESOLUTION_MAX);
    }
    return CN_OK;
}

/* The number of cells along the longest extent at which the thickness has eight cells. */
static int
choose_resolution(const struct cn_mesh *mesh)
{
    cn_vec3 extent = cn_vec3_sub(mesh->bounds.high, mesh->bounds.low);
    double longest = fmax(extent.x, fmax(extent.y, extent.z));
    double wanted = ceil(8.0 * longest / mesh->thickness);
    wanted = fmax(wanted, (double)CN_MESH_RESOLUTION);
    return (int)fmin(wanted, (double)CN_MESH_RESOLUTION_MAX);
}

static enum cn_status
bake_mesh(struct cn_mesh_build *build, void **field_memory)
{
    struct cn_mesh *mesh = build->mesh;
    int resolution = build->def->resolution;
    if (resolution == 0) {
        resolution = choose_resolution(mesh);
        int most = build->def->resolution_max;
        resolution = most > 0 && resolution > most ? most : resolution;
    }
    CN_ASSERT(CN_MESH_RESOLUTION_MIN <= resolution && resolution <= CN_MESH_RESOLUTION_MAX);
    CN_CHECK(cn_field_bake(
        mesh, resolution, mesh->sparse, &mesh->field, field_memory, build->defect));
    mesh->thickness = fmax(mesh->thickness, -2.0 * (double)mesh->field.deepest);
    return CN_OK;
}

static enum cn_status
make_mesh(struct cn_mesh_build *build, void **field_memory)
{
    CN_CHECK(check_options(build->def, build->defect));
    CN_CHECK(cn_mesh_mend(build));
    CN_CHECK(cn_mesh_close(build));
    CN_CHECK(cn_mesh_flip(build));
    CN_CHECK(cn_mesh_shape(build));
    CN_CHECK(cn_mesh_tree(build));
    CN_CHECK(cn_mesh_cross(build));
    CN_CHECK(cn_mesh_weigh(build));
    build->mesh->thickness = cn_mesh_thickness(build->mesh);
    if (build->mesh->thickness < 0.0) {
        return cn_defect_set(
            build->defect, CN_MEMORY, "triangles", "are too many for the memory");
    }
    if (!(build->mesh->thickness > 0.0)) {
        return cn_defect_set(build->defect, CN_GEOMETRY, "triangles",
            "enclose nothing: no point within is away from the surface");
    }
    CN_CHECK(bake_mesh(build, field_memory));
    return cn_mesh_spread(build);
}

/* The invariants of mesh.h that a new mesh has; every later reader relies on them. */
static void
assert_made(const struct cn_mesh *mesh)
{
    CN_ASSERT(4 <= mesh->vertex_count && mesh->vertex_count <= CN_MESH_VERTICES_MAX);
    CN_ASSERT(4 <= mesh->triangle_count && mesh->triangle_count <= CN_MESH_TRIANGLES_MAX);
    CN_ASSERT(2 * mesh->edge_count == 3 * mesh->triangle_count); /* 1 */
    CN_ASSERT(0 < mesh->node_count && mesh->node_count < 2 * mesh->triangle_count);
    CN_ASSERT(0 <= mesh->patch_count && mesh->patch_count <= CN_MESH_PATCHES_MAX);
    CN_ASSERT(mesh->patch_count <= mesh->sample_count); /* 2 */
    CN_ASSERT(mesh->volume.volume > 0.0 && isfinite(mesh->volume.volume));
    CN_ASSERT(mesh->thickness > 0.0 && mesh->sample_spacing > 0.0 && mesh->crease_spacing >= 0.0);
}

enum cn_status
cn_mesh_make(const struct cn_mesh_def *def, struct cn_mesh **mesh, struct cn_defect *defect)
{
    struct owned *owned = calloc(1, sizeof(*owned));
    if (owned == NULL) {
        return cn_defect_set(defect, CN_MEMORY, "triangles", "are too many for the memory");
    }
    owned->mesh.sharp = def->sharp;
    owned->mesh.sparse = def->sparse;
    struct cn_mesh_build build = {.def = def, .defect = defect, .mesh = &owned->mesh};
    atomic_init(&owned->references, 1);
    enum cn_status status = make_mesh(&build, &owned->field_memory);
    for (int i = 0; i < build.kept_count; i++) {
        owned->kept[i] = build.kept[i];
    }
    owned->kept_count = build.kept_count;
    if (status != CN_OK) {
        cn_mesh_drop(&owned->mesh);
        return status;
    }
    assert_made(&owned->mesh);
    owned->mesh.hash = cn_mesh_hash(def);
    owned->mesh.size = sizeof(*owned) + build.size + cn_field_size(&owned->mesh.field);
    *mesh = &owned->mesh;
    return CN_OK;
}

struct cn_mesh *
cn_mesh_keep(struct cn_mesh *mesh)
{
    struct owned *owned = (struct owned *)mesh;
    int before = atomic_fetch_add_explicit(&owned->references, 1, memory_order_relaxed);
    CN_ASSERT(before > 0 && before < INT_MAX); /* mesh.h, invariant 3 */
    return mesh;
}

void
cn_mesh_drop(struct cn_mesh *mesh)
{
    if (mesh == NULL) {
        return;
    }
    struct owned *owned = (struct owned *)mesh;
    int before = atomic_fetch_sub_explicit(&owned->references, 1, memory_order_acq_rel);
    CN_ASSERT(before > 0); /* mesh.h, invariant 3 */
    if (before > 1) {
        return;
    }
    for (int i = 0; i < owned->kept_count; i++) {
        free(owned->kept[i]);
    }
    free(owned->field_memory);
    free(owned);
}
