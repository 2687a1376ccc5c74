/*
 * fuzz_mesh.c: surfaces that are valid by construction, and then corrupted in one place.
 *
 * The surface is a ring, a box, or two boxes, one inside the other or beside it.  It has any
 * proportions that the grid can resolve.  It is subdivided, and its triangles are rotated and its
 * vertices doubled at random.  It must give a closed mesh with the known volume, samples on the
 * surface and distances with the right sign.  Without one triangle it is refused.  Last, vertices
 * are moved to random places: then no memory outside is read, and a refusal has a text.
 */
#include "engine/base/assert.h"
#include "engine/mesh/mesh.h"
#include "tests/support/mesh/meshes.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct bytes {
    const uint8_t *at, *end;
};

static unsigned
next(struct bytes *bytes)
{
    return bytes->at < bytes->end ? *bytes->at++ : 0U;
}

/* From low to high. */
static double
between(struct bytes *bytes, double low, double high)
{
    return low + (high - low) * next(bytes) / 255.0;
}

static struct raw_mesh raw;

/* Fills raw; the volume that it encloses. */
static double
build(struct bytes *bytes)
{
    double x = between(bytes, 1.0, 2.0), y = between(bytes, 0.7, 2.0), z = between(bytes, 0.7, 2.0);
    unsigned kind = next(bytes) % 4;
    memset(&raw, 0, sizeof(raw));
    if (kind == 0) {
        int n = 4 + (int)(next(bytes) % 13), m = 4 + (int)(next(bytes) % 9);
        double minor = x * between(bytes, 0.3, 0.45);
        raw_torus(&raw, x, minor, n, m);
        return cn_mesh_volume(raw.vertex, (const int32_t(*)[3])raw.triangle, raw.triangle_count)
            .volume;
    }
    raw_box(&raw, (cn_vec3){0, 0, 0}, (cn_vec3){x, y, z});
    if (kind == 1) {
        return x * y * z;
    }
    if (kind == 2) {
        raw_box(&raw, (cn_vec3){0.25 * x, 0.25 * y, 0.25 * z},
            (cn_vec3){0.75 * x, 0.75 * y, 0.75 * z});
        return 0.875 * x * y * z;
    }
    raw_box(&raw, (cn_vec3){2.0 * x, 0, 0}, (cn_vec3){3.0 * x, y, z});
    return 2.0 * x * y * z;
}

/* Parts a triangle in three at its middle, which changes nothing of the solid. */
static void
part(int t)
{
    int32_t *v = raw.triangle[t];
    int middle = raw.vertex_count, a = v[0], b = v[1], c = v[2];
    cn_vec3 ab = cn_vec3_sub(raw.vertex[b], raw.vertex[a]);
    cn_vec3 ac = cn_vec3_sub(raw.vertex[c], raw.vertex[a]);
    if (cn_vec3_length(cn_vec3_cross(ab, ac)) < 1e-4) {
        return; /* it is thin enough */
    }
    raw.vertex_count++;
    cn_vec3 sum = cn_vec3_add(cn_vec3_add(raw.vertex[a], raw.vertex[b]), raw.vertex[c]);
    raw.vertex[middle] = cn_vec3_scale(sum, 1.0 / 3.0);
    const int32_t parts[3][3] = {{a, b, middle}, {b, c, middle}, {c, a, middle}};
    memcpy(v, parts[0], sizeof(parts[0]));
    memcpy(raw.triangle[raw.triangle_count], parts[1], 2 * sizeof(parts[1]));
    raw.triangle_count += 2;
}

static void
shuffle(struct bytes *bytes)
{
    unsigned changes = next(bytes) % 32;
    for (unsigned i = 0; i < changes; i++) {
        int t = (int)(next(bytes) | (next(bytes) & 1U) << 8) % raw.triangle_count;
        int32_t *v = raw.triangle[t];
        unsigned what = next(bytes) % 3;
        if (what == 0) {
            part(t);
        } else if (what == 1) {
            int32_t old = v[0];
            v[0] = v[1];
            v[1] = old;
        } else {
            raw.vertex[raw.vertex_count] = raw.vertex[v[0]];
            v[0] = raw.vertex_count++;
        }
    }
}

static void
check(const struct cn_mesh *mesh, double volume)
{
    CN_ASSERT(fabs(mesh->volume.volume - volume) <= 1e-9 * volume);
    CN_ASSERT(2 * mesh->edge_count == 3 * mesh->triangle_count);
    CN_ASSERT(mesh->thickness > 0.0 && mesh->patch_count <= CN_MESH_PATCHES_MAX);
    for (int i = 0; i < mesh->sample_count; i++) {
        const float *at = mesh->sample[i].at;
        cn_vec3 p = {(double)at[0], (double)at[1], (double)at[2]};
        CN_ASSERT(fabs(cn_mesh_distance(mesh, p)) < 1e-5);
    }
    /* A hair within and without every triangle's middle. */
    for (int i = 0; i < mesh->triangle_count; i++) {
        const int32_t *t = mesh->triangle[i];
        cn_vec3 p = cn_vec3_add(mesh->vertex[t[0]], mesh->vertex[t[1]]);
        p = cn_vec3_scale(cn_vec3_add(p, mesh->vertex[t[2]]), 1.0 / 3.0);
        cn_vec3 n = mesh->triangle_normal[i];
        CN_ASSERT(cn_mesh_distance(mesh, cn_vec3_add_scaled(p, 1e-6, n)) > 0.0);
        CN_ASSERT(cn_mesh_distance(mesh, cn_vec3_add_scaled(p, -1e-6, n)) < 0.0);
    }
}

static enum cn_status
make(double volume)
{
    struct cn_mesh_def def = raw_def(&raw);
    struct cn_mesh *mesh = NULL;
    struct cn_defect defect = {0};
    def.resolution = 24; /* the thinnest of these have three cells */
    enum cn_status status = cn_mesh_make(&def, &mesh, &defect);
    CN_ASSERT(status == CN_OK || (defect.path[0] != '\0' && defect.text[0] != '\0'));
    if (status == CN_OK && volume > 0.0) {
        check(mesh, volume);
    }
    cn_mesh_drop(mesh);
    return status;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes bytes = {data, data + size};
    double volume = build(&bytes);
    shuffle(&bytes);
    CN_ASSERT(make(volume) == CN_OK);
    int last = --raw.triangle_count;
    CN_ASSERT(make(0.0) == CN_GEOMETRY);
    raw.triangle_count = last + 1;
    unsigned moves = next(&bytes) % 8;
    for (unsigned i = 0; i < moves; i++) {
        int v = (int)next(&bytes) % raw.vertex_count;
        raw.vertex[v] = (cn_vec3){
            between(&bytes, -3, 3), between(&bytes, -3, 3), between(&bytes, -3, 3)};
    }
    (void)make(0.0);
    return 0;
}
