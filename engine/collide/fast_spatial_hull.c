#include "engine/collide/fast_spatial_hull.h"

static int
by_four(int count)
{
    return (count + 3) / 4 * 4;
}

static size_t
align_up(size_t size)
{
    return (size + 15) / 16 * 16;
}

/* Where in the store each array begins; the last is the whole size. */
struct layout {
    size_t vertex, plane, edge, face_first, corner_vertex, corner_edge, size;
};

static struct layout
layout_of(const struct cn_polytope *core)
{
    struct layout l;
    l.vertex = align_up(sizeof(struct cn_fast_hull));
    l.plane = l.vertex + 3 * sizeof(float) * (size_t)by_four(core->vertex_count);
    l.edge = l.plane + 4 * sizeof(float) * (size_t)by_four(core->face_count);
    l.face_first = l.edge + sizeof(struct cn_edge) * (size_t)core->edge_count;
    l.corner_vertex = l.face_first + sizeof(uint16_t) * (size_t)(core->face_count + 1);
    l.corner_edge = l.corner_vertex + (size_t)core->corner_count;
    l.size = align_up(l.corner_edge + (size_t)core->corner_count);
    return l;
}

size_t
cn_fast_hull_room(const struct cn_polytope *core)
{
    return layout_of(core).size;
}

static void
bake_numbers(const struct cn_polytope *core, float *vertex, float *plane)
{
    int vertices = by_four(core->vertex_count), faces = by_four(core->face_count);
    for (int i = 0; i < vertices; i++) {
        cn_vec3 v = core->vertex[i < core->vertex_count ? i : 0];
        vertex[i] = (float)v.x;
        vertex[vertices + i] = (float)v.y;
        vertex[2 * vertices + i] = (float)v.z;
    }
    for (int i = 0; i < faces; i++) {
        const struct cn_face *face = &core->face[i < core->face_count ? i : 0];
        plane[i] = (float)face->normal.x;
        plane[faces + i] = (float)face->normal.y;
        plane[2 * faces + i] = (float)face->normal.z;
        plane[3 * faces + i] = (float)face->offset;
    }
}

const struct cn_fast_hull *
cn_fast_hull_bake(const struct cn_polytope *core, void *store)
{
    struct layout l = layout_of(core);
    unsigned char *base = store;
    struct cn_fast_hull *hull = store;
    float *vertex = (void *)(base + l.vertex), *plane = (void *)(base + l.plane);
    struct cn_edge *edge = (void *)(base + l.edge);
    uint16_t *first = (void *)(base + l.face_first);
    uint8_t *corner_vertex = base + l.corner_vertex, *corner_edge = base + l.corner_edge;
    bake_numbers(core, vertex, plane);
    memcpy(edge, core->edge, sizeof *edge * (size_t)core->edge_count);
    for (int i = 0; i < core->face_count; i++) {
        first[i] = (uint16_t)core->face[i].corner_first;
    }
    first[core->face_count] = (uint16_t)core->corner_count;
    for (int i = 0; i < core->corner_count; i++) {
        corner_vertex[i] = core->corner[i].vertex;
        corner_edge[i] = core->corner[i].edge;
    }
    *hull = (struct cn_fast_hull){core->vertex_count, core->face_count, core->edge_count,
        by_four(core->vertex_count), by_four(core->face_count), vertex, plane, edge, first,
        corner_vertex, corner_edge};
    return hull;
}

/*
 * Corners and edges of a box are named as in fast_spatial_box.h.  Faces 2 i and 2 i + 1 are at the
 * lower and upper end of axis i; edges run up their axis.
 */
static const struct cn_edge box_edge[12] = {
    {0, 1, 2, 4}, {2, 3, 4, 3}, {4, 5, 5, 2}, {6, 7, 3, 5},
    {0, 2, 4, 0}, {4, 6, 0, 5}, {1, 3, 1, 4}, {5, 7, 5, 1},
    {0, 4, 0, 2}, {1, 5, 2, 1}, {2, 6, 3, 0}, {3, 7, 1, 3}};
static const uint16_t box_first[7] = {0, 4, 8, 12, 16, 20, 24};
static const uint8_t box_vertex[24] = {
    0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4, 2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6};
static const uint8_t box_corner_edge[24] = {
    8, 5, 10, 4, 6, 11, 7, 9, 0, 9, 2, 8, 10, 3, 11, 1, 4, 1, 6, 0, 2, 7, 3, 5};

void
cn_fast_hull_of_box(const float half[4], struct cn_fast_cuboid *cuboid, struct cn_fast_hull *hull)
{
    static const struct cn_fast_cuboid unit = {
        .vertex = {-1, 1, -1, 1, -1, 1, -1, 1, -1, -1, 1, 1, -1, -1, 1, 1, -1, -1, -1, -1, 1, 1, 1,
            1},
        .plane = {-1, 1, 0, 0, 0, 0, -1, -1, 0, 0, -1, 1, 0, 0, 0, 0, 0, 0, 0, 0, -1, 1, 0, 0}};
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 8; k++) {
            cuboid->vertex[8 * i + k] = half[i] * unit.vertex[8 * i + k];
            cuboid->plane[8 * i + k] = unit.plane[8 * i + k];
        }
    }
    for (int k = 0; k < 8; k++) {
        cuboid->plane[24 + k] = half[k < 6 ? k / 2 : 0];
    }
    *hull = (struct cn_fast_hull){.vertex_count = 8,
        .face_count = 6,
        .edge_count = 12,
        .vertex_room = 8,
        .face_room = 8,
        .vertex = cuboid->vertex,
        .plane = cuboid->plane,
        .edge = box_edge,
        .face_first = box_first,
        .corner_vertex = box_vertex,
        .corner_edge = box_corner_edge};
}

/* Products of four vectors, by rows, with one. */
static cn_four
products(const float *row, int room, cn_four v)
{
    return cn_four_load(row) * cn_four_order(v, 0, 0, 0, 0) +
           cn_four_load(row + room) * cn_four_order(v, 1, 1, 1, 1) +
           cn_four_load(row + 2 * room) * cn_four_order(v, 2, 2, 2, 2);
}

void
cn_fast_hull_sides(const struct cn_fast_hull *hull, cn_four point, float *side)
{
    for (int i = 0; i < hull->face_room; i += 4) {
        const float *row = hull->plane + i;
        cn_four offset = cn_four_load(row + 3 * hull->face_room);
        cn_four_store(side + i, products(row, hull->face_room, point) - offset);
    }
}

/* Of four lanes' least values and where they were found: the least, the first of equals. */
static int
least_lane(cn_four value, cn_four_mask index, float *least)
{
    int best = index[0];
    *least = value[0];
    for (int i = 1; i < 4; i++) {
        if (value[i] < *least || (value[i] == *least && index[i] < best)) {
            *least = value[i];
            best = index[i];
        }
    }
    return best;
}

static int
least_product(const float *row, int room, cn_four direction, float *product)
{
    const cn_four_mask four = {4, 4, 4, 4};
    cn_four best = products(row, room, direction);
    cn_four_mask at = {0, 1, 2, 3}, best_at = at;
    for (int i = 4; i < room; i += 4) {
        cn_four value = products(row + i, room, direction);
        at += four;
        cn_four_mask less = value < best;
        best_at = (less & at) | (~less & best_at);
        best = cn_four_min(value, best);
    }
    return least_lane(best, best_at, product);
}

int
cn_fast_hull_lowest(const struct cn_fast_hull *hull, cn_four direction, float *product)
{
    return least_product(hull->vertex, hull->vertex_room, direction, product);
}

void
cn_fast_hull_heights(const struct cn_fast_hull *hull, cn_four direction, float *height)
{
    for (int i = 0; i < hull->vertex_room; i += 4) {
        cn_four_store(height + i, products(hull->vertex + i, hull->vertex_room, direction));
    }
}

int
cn_fast_hull_facing(const struct cn_fast_hull *hull, cn_four direction)
{
    float product;
    return least_product(hull->plane, hull->face_room, direction, &product);
}

int
cn_fast_largest(const float *value, int count)
{
    const cn_four_mask four = {4, 4, 4, 4};
    cn_four best = -cn_four_load(value);
    cn_four_mask at = {0, 1, 2, 3}, best_at = at;
    for (int i = 4; i < count; i += 4) {
        cn_four next = -cn_four_load(value + i);
        at += four;
        cn_four_mask less = next < best;
        best_at = (less & at) | (~less & best_at);
        best = cn_four_min(next, best);
    }
    float least;
    return least_lane(best, best_at, &least);
}

void
cn_fast_solid_load(struct cn_fast_solid *solid, const struct cn_fast_shape3 *shape,
    const struct cn_place3 *place, cn_four between)
{
    if (shape->form == CN_FAST3_BOX) {
        solid->frame = cn_fast_box_frame(shape, place, between);
        cn_fast_hull_of_box(shape->half, &solid->cuboid, &solid->of_box);
        solid->hull = &solid->of_box;
    } else {
        solid->frame = cn_fast_body_frame(place, between);
        solid->hull = shape->hull;
    }
}
