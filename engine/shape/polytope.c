#include "engine/shape/polytope.h"

#include "engine/base/assert.h"
#include "engine/math/scalar.h"

int
cn_hull_corner_count(const struct cn_hull *hull)
{
    CN_ASSERT(0 <= hull->face_count && hull->face_count <= CN_HULL_FACES_MAX);
    int count = 0;
    for (int i = 0; i < hull->face_count; i++) {
        count += hull->face_size[i];
    }
    return count;
}

/* Newell: the area vector of a loop; exact for a flat loop, an average for a nearly flat one. */
static cn_vec3
normal_of(const struct cn_hull *hull, const uint8_t *loop, int count)
{
    cn_vec3 sum = {0.0, 0.0, 0.0}, origin = hull->vertex[loop[0]];
    for (int i = 1; i + 1 < count; i++) {
        cn_vec3 p = cn_vec3_sub(hull->vertex[loop[i]], origin);
        cn_vec3 q = cn_vec3_sub(hull->vertex[loop[i + 1]], origin);
        sum = cn_vec3_add(sum, cn_vec3_cross(p, q));
    }
    double length = cn_vec3_length(sum);
    CN_ASSERT(length > 0.0);
    return cn_vec3_scale(sum, 1.0 / length);
}

/* The edge between two vertices, added if it is new; sets the face on its left or right. */
static uint8_t
edge_of(struct cn_edge *edge, int *edge_count, uint8_t from, uint8_t to, uint8_t face)
{
    for (int i = 0; i < *edge_count; i++) {
        if (edge[i].tail == to && edge[i].head == from) {
            edge[i].right = face;
            return (uint8_t)i;
        }
    }
    CN_ASSERT(*edge_count < CN_HULL_EDGES_MAX);
    edge[*edge_count] = (struct cn_edge){from, to, face, face};
    return (uint8_t)(*edge_count)++;
}

static void
make_face(const struct cn_hull *hull, int index, const uint8_t *loop, struct cn_polytope *polytope,
    struct cn_polytope_store *store)
{
    int count = hull->face_size[index];
    CN_ASSERT(count >= 3 && polytope->corner_count + count <= 2 * CN_HULL_EDGES_MAX);
    cn_vec3 normal = normal_of(hull, loop, count);
    store->face[index] = (struct cn_face){
        .normal = normal, .corner_first = polytope->corner_count, .corner_count = count};
    for (int k = 0; k < count; k++) {
        uint8_t from = loop[k], to = loop[k + 1 < count ? k + 1 : 0];
        cn_vec3 along = cn_vec3_sub(hull->vertex[to], hull->vertex[from]);
        cn_vec3 side = cn_vec3_cross(along, normal);
        store->corner[polytope->corner_count++] = (struct cn_corner){
            .side = cn_vec3_scale(side, 1.0 / cn_vec3_length(side)),
            .vertex = from,
            .edge = edge_of(store->edge, &polytope->edge_count, from, to, (uint8_t)index),
        };
    }
}

/* Offsets are computed from the stored vertices, so that rounding puts no vertex outside. */
static void
place_polytope(
    const cn_pose *placement, struct cn_polytope_store *store, struct cn_polytope *polytope)
{
    for (int i = 0; i < polytope->vertex_count; i++) {
        store->vertex[i] = cn_pose_apply(placement, store->vertex[i]);
    }
    for (int i = 0; i < polytope->face_count; i++) {
        struct cn_face *face = &store->face[i];
        face->normal = cn_pose_turn(placement, face->normal);
        face->offset = -HUGE_VAL;
        for (int k = 0; k < face->corner_count; k++) {
            struct cn_corner *corner = &store->corner[face->corner_first + k];
            cn_vec3 v = store->vertex[corner->vertex];
            corner->side = cn_pose_turn(placement, corner->side);
            corner->side_offset = cn_vec3_dot(corner->side, v);
            face->offset = cn_max(face->offset, cn_vec3_dot(face->normal, v));
        }
    }
}

void
cn_polytope_make(const struct cn_hull *hull, const cn_pose *placement,
    struct cn_polytope_store *store, struct cn_polytope *polytope)
{
    CN_ASSERT(1 <= hull->vertex_count && hull->vertex_count <= CN_HULL_VERTICES_MAX);
    *polytope = (struct cn_polytope){.vertex_count = hull->vertex_count,
        .face_count = hull->face_count,
        .vertex = store->vertex,
        .edge = store->edge,
        .face = store->face,
        .corner = store->corner};
    for (int i = 0; i < hull->vertex_count; i++) {
        store->vertex[i] = hull->vertex[i];
    }
    const uint8_t *loop = hull->loop;
    for (int i = 0; i < hull->face_count; i++) {
        make_face(hull, i, loop, polytope, store);
        loop += hull->face_size[i];
    }
    if (hull->face_count == 0 && hull->vertex_count == 2) {
        store->edge[polytope->edge_count++] = (struct cn_edge){.tail = 0, .head = 1};
    }
    CN_ASSERT(polytope->corner_count == cn_hull_corner_count(hull));
    place_polytope(placement, store, polytope);
    store->vertex += polytope->vertex_count;
    store->edge += polytope->edge_count;
    store->face += polytope->face_count;
    store->corner += polytope->corner_count;
}

double
cn_polytope_thickness(const struct cn_polytope *polytope)
{
    double least = HUGE_VAL;
    for (int i = 0; i < polytope->face_count; i++) {
        const struct cn_face *face = &polytope->face[i];
        double deepest = 0.0;
        for (int k = 0; k < polytope->vertex_count; k++) {
            double depth = face->offset - cn_vec3_dot(face->normal, polytope->vertex[k]);
            deepest = cn_max(deepest, depth);
        }
        least = cn_min(least, deepest);
    }
    return least;
}

double
cn_polytope_beyond(const struct cn_polytope *polytope, int face, cn_vec3 point)
{
    CN_ASSERT(0 <= face && face < polytope->face_count);
    const struct cn_face *f = &polytope->face[face];
    double beyond = -HUGE_VAL;
    for (int k = 0; k < f->corner_count; k++) {
        const struct cn_corner *corner = &polytope->corner[f->corner_first + k];
        beyond = cn_max(beyond, cn_vec3_dot(corner->side, point) - corner->side_offset);
    }
    return beyond;
}
