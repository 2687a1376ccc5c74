#include "engine/base/assert.h"
#include "engine/base/limits.h"
#include "engine/mesh/mesh_build.h"

#include <stdlib.h>
#include <string.h>

static enum cn_status
check_counts(struct cn_mesh_build *build)
{
    const struct cn_mesh_def *def = build->def;
    if (def->vertex_count < 4 || def->vertex_count > CN_MESH_VERTICES_MAX) {
        return cn_defect_set(build->defect, CN_LIMIT, "vertices",
            "are %d; a mesh has 4 to %d vertices", def->vertex_count, CN_MESH_VERTICES_MAX);
    }
    if (def->triangle_count < 4 || def->triangle_count > CN_MESH_TRIANGLES_MAX) {
        return cn_defect_set(build->defect, CN_LIMIT, "triangles",
            "are %d; a mesh has 4 to %d triangles", def->triangle_count, CN_MESH_TRIANGLES_MAX);
    }
    return CN_OK;
}

static enum cn_status
check_vertices(struct cn_mesh_build *build)
{
    const struct cn_mesh_def *def = build->def;
    double scale = def->scale == 0.0 ? 1.0 : def->scale, longest = 0.0;
    char path[CN_DEFECT_PATH_SIZE];
    cn_aabb box = cn_aabb_empty();
    for (int i = 0; i < def->vertex_count; i++) {
        cn_vec3 v = cn_vec3_scale(def->vertex[i], scale);
        if (!cn_vec3_is_finite(v)) {
            return cn_defect_set(build->defect, CN_FINITE, cn_mesh_path(path, "vertices", i),
                "is (%g, %g, %g) after the scale; its numbers must be finite", v.x, v.y, v.z);
        }
        if (!(fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z))) <= CN_SIZE_MAX)) {
            return cn_defect_set(build->defect, CN_RANGE, cn_mesh_path(path, "vertices", i),
                "is (%g, %g, %g) after the scale; no coordinate is beyond %g m", v.x, v.y, v.z,
                CN_SIZE_MAX);
        }
        /* Adds zero, so that -0 and 0 are the same position. */
        build->vertex[i] = (cn_vec3){v.x + 0.0, v.y + 0.0, v.z + 0.0};
        box.low = (cn_vec3){fmin(box.low.x, v.x), fmin(box.low.y, v.y), fmin(box.low.z, v.z)};
        box.high = (cn_vec3){fmax(box.high.x, v.x), fmax(box.high.y, v.y), fmax(box.high.z, v.z)};
    }
    longest = fmax(box.high.x - box.low.x, fmax(box.high.y - box.low.y, box.high.z - box.low.z));
    if (!(longest >= CN_SIZE_MIN && longest <= CN_SIZE_MAX)) {
        return cn_defect_set(build->defect, CN_RANGE, "vertices",
            "span %g m after the scale; a mesh is %g to %g m long", longest, CN_SIZE_MIN,
            CN_SIZE_MAX);
    }
    return CN_OK;
}

static enum cn_status
check_triangles(struct cn_mesh_build *build)
{
    const struct cn_mesh_def *def = build->def;
    char path[CN_DEFECT_PATH_SIZE];
    for (int i = 0; i < def->triangle_count; i++) {
        for (int k = 0; k < 3; k++) {
            int32_t v = def->triangle[i][k];
            if (v < 0 || v >= def->vertex_count) {
                return cn_defect_set(build->defect, CN_REFERENCE,
                    cn_mesh_path(path, "triangles", i),
                    "names vertex %d; there are %d, counted from 0", (int)v, def->vertex_count);
            }
        }
    }
    return CN_OK;
}

struct place {
    cn_vec3 at;
    int32_t given;
};

static int
compare_places(const void *a, const void *b)
{
    const struct place *p = a, *q = b;
    if (p->at.x != q->at.x) {
        return p->at.x < q->at.x ? -1 : 1;
    }
    if (p->at.y != q->at.y) {
        return p->at.y < q->at.y ? -1 : 1;
    }
    if (p->at.z != q->at.z) {
        return p->at.z < q->at.z ? -1 : 1;
    }
    return p->given < q->given ? -1 : 1;
}

/* same[i] becomes the first vertex at the position of i. */
static enum cn_status
find_equals(struct cn_mesh_build *build, int32_t *same)
{
    int count = build->def->vertex_count;
    struct place *place = malloc((size_t)count * sizeof(*place));
    if (place == NULL) {
        return cn_mesh_no_memory(build);
    }
    for (int i = 0; i < count; i++) {
        place[i] = (struct place){build->vertex[i], i};
    }
    qsort(place, (size_t)count, sizeof(*place), compare_places);
    for (int i = 0; i < count; i++) {
        bool equal = i > 0 && place[i].at.x == place[i - 1].at.x &&
                     place[i].at.y == place[i - 1].at.y && place[i].at.z == place[i - 1].at.z;
        CN_ASSERT(i == 0 || compare_places(&place[i - 1], &place[i]) < 0);
        same[place[i].given] = equal ? same[place[i - 1].given] : place[i].given;
        build->mesh->mending.merged_vertices += equal ? 1 : 0;
    }
    free(place);
    return CN_OK;
}

/* A triangle by its vertices in ascending order. */
struct corners {
    int32_t v[3], number;
};

static int
compare_corners(const void *a, const void *b)
{
    const struct corners *p = a, *q = b;
    for (int k = 0; k < 3; k++) {
        if (p->v[k] != q->v[k]) {
            return p->v[k] < q->v[k] ? -1 : 1;
        }
    }
    return p->number < q->number ? -1 : 1;
}

static void
order_pair(int32_t *a, int32_t *b)
{
    if (*a > *b) {
        int32_t old = *a;
        *a = *b;
        *b = old;
    }
}

/* Drops triangles with two corners at one position, and all except the first of equal triangles. */
static enum cn_status
drop_triangles(struct cn_mesh_build *build)
{
    struct cn_mesh *mesh = build->mesh;
    int count = mesh->triangle_count, left = 0;
    struct corners *corners = malloc((size_t)count * sizeof(*corners));
    if (corners == NULL) {
        return cn_mesh_no_memory(build);
    }
    for (int i = 0; i < count; i++) {
        const int32_t *t = build->triangle[i];
        corners[i] = (struct corners){{t[0], t[1], t[2]}, i};
        order_pair(&corners[i].v[0], &corners[i].v[1]);
        order_pair(&corners[i].v[1], &corners[i].v[2]);
        order_pair(&corners[i].v[0], &corners[i].v[1]);
    }
    qsort(corners, (size_t)count, sizeof(*corners), compare_corners);
    for (int i = 0; i < count; i++) {
        const int32_t *v = corners[i].v;
        if (v[0] == v[1] || v[1] == v[2] ||
            (i > 0 && memcmp(v, corners[i - 1].v, sizeof(corners[i].v)) == 0)) {
            build->triangle_given[corners[i].number] = -1;
        }
    }
    free(corners);
    for (int i = 0; i < count; i++) {
        if (build->triangle_given[i] >= 0) {
            memmove(build->triangle[left], build->triangle[i], sizeof(build->triangle[0]));
            build->triangle_given[left++] = build->triangle_given[i];
        }
    }
    mesh->mending.dropped_triangles += count - left;
    CN_ASSERT(0 <= left && left <= count);
    mesh->triangle_count = left;
    return CN_OK;
}

/* Keeps the vertices that triangles use, in the given order. */
static void
number_vertices(struct cn_mesh_build *build, int32_t *place)
{
    struct cn_mesh *mesh = build->mesh;
    int count = build->def->vertex_count, used = 0;
    memset(place, 0xff, (size_t)count * sizeof(*place));
    for (int i = 0; i < mesh->triangle_count; i++) {
        for (int k = 0; k < 3; k++) {
            place[build->triangle[i][k]] = 0;
        }
    }
    for (int i = 0; i < count; i++) {
        if (place[i] == 0) {
            place[i] = used;
            build->vertex[used] = build->vertex[i];
            build->vertex_given[used++] = i;
        }
    }
    for (int i = 0; i < mesh->triangle_count; i++) {
        for (int k = 0; k < 3; k++) {
            build->triangle[i][k] = place[build->triangle[i][k]];
            CN_ASSERT(0 <= build->triangle[i][k] && build->triangle[i][k] < used); /* invariant 1 */
        }
    }
    mesh->mending.unused_vertices = count - mesh->mending.merged_vertices - used;
    CN_ASSERT(0 < used && used <= count && mesh->mending.unused_vertices >= 0);
    mesh->vertex_count = used;
}

static enum cn_status
merge_vertices(struct cn_mesh_build *build, int32_t *same)
{
    const struct cn_mesh_def *def = build->def;
    CN_CHECK(find_equals(build, same));
    for (int i = 0; i < def->triangle_count; i++) {
        for (int k = 0; k < 3; k++) {
            build->triangle[i][k] = same[def->triangle[i][k]];
        }
        build->triangle_given[i] = i;
    }
    build->mesh->triangle_count = def->triangle_count;
    CN_CHECK(drop_triangles(build));
    if (build->mesh->triangle_count < 4) {
        return cn_defect_set(build->defect, CN_GEOMETRY, "triangles",
            "are %d that have area and are not there twice; a closed surface has at least 4",
            build->mesh->triangle_count);
    }
    number_vertices(build, same);
    return CN_OK;
}

enum cn_status
cn_mesh_mend(struct cn_mesh_build *build)
{
    const struct cn_mesh_def *def = build->def;
    CN_CHECK(check_counts(build));
    build->vertex = cn_mesh_take(build, def->vertex_count, sizeof(*build->vertex));
    build->vertex_given = cn_mesh_take(build, def->vertex_count, sizeof(*build->vertex_given));
    build->triangle = cn_mesh_take(build, def->triangle_count, sizeof(*build->triangle));
    build->triangle_given =
        cn_mesh_take(build, def->triangle_count, sizeof(*build->triangle_given));
    if (build->vertex == NULL || build->vertex_given == NULL || build->triangle == NULL ||
        build->triangle_given == NULL) {
        return cn_mesh_no_memory(build);
    }
    CN_CHECK(check_vertices(build));
    CN_CHECK(check_triangles(build));
    int32_t *same = malloc((size_t)def->vertex_count * sizeof(*same));
    if (same == NULL) {
        return cn_mesh_no_memory(build);
    }
    enum cn_status status = merge_vertices(build, same);
    free(same);
    build->mesh->vertex = build->vertex;
    build->mesh->triangle = (const int32_t(*)[3])build->triangle;
    return status;
}
