#include "engine/collide/fast/fast_spatial_hull.h"

#include "engine/base/assert.h"

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

/* Where each array begins in the store; the last entry is the whole size. */
struct layout {
    size_t vertex_row, plane_row, vertex, plane;
    size_t edge, face_first, corner_vertex, corner_edge, size;
};

static struct layout
layout_of(const struct cn_polytope *core)
{
    CN_ASSERT(4 <= core->vertex_count && core->vertex_count <= CN_HULL_VERTICES_MAX);
    CN_ASSERT(4 <= core->face_count && core->face_count <= CN_HULL_FACES_MAX);
    size_t vertices = (size_t)core->vertex_count, faces = (size_t)core->face_count;
    struct layout l;
    l.vertex_row = align_up(sizeof(struct cn_fast_hull));
    l.plane_row = l.vertex_row + 3 * sizeof(float) * (size_t)by_four(core->vertex_count);
    l.vertex = l.plane_row + 4 * sizeof(float) * (size_t)by_four(core->face_count);
    l.plane = l.vertex + 4 * sizeof(float) * vertices;
    l.edge = l.plane + 4 * sizeof(float) * faces;
    l.face_first = l.edge + sizeof(struct cn_edge) * (size_t)core->edge_count;
    l.corner_vertex = l.face_first + sizeof(uint16_t) * (faces + 1);
    l.corner_edge = l.corner_vertex + (size_t)core->corner_count;
    l.size = align_up(l.corner_edge + (size_t)core->corner_count);
    return l;
}

size_t
cn_fast_hull_room(const struct cn_polytope *core)
{
    return layout_of(core).size;
}

/* Writes `count` records of four numbers again by rows; the first record fills the rows up. */
static void
make_rows(const float *each, int count, int row_count, float *row)
{
    int room = by_four(count);
    for (int i = 0; i < room; i++) {
        for (int k = 0; k < row_count; k++) {
            row[k * room + i] = each[4 * (i < count ? i : 0) + k];
        }
    }
}

static void
put(float *to, cn_vec3 v, double last)
{
    to[0] = (float)v.x;
    to[1] = (float)v.y;
    to[2] = (float)v.z;
    to[3] = (float)last;
}

const struct cn_fast_hull *
cn_fast_hull_bake(const struct cn_polytope *core, void *store)
{
    struct layout l = layout_of(core);
    unsigned char *base = store;
    struct cn_fast_hull *hull = store;
    float *vertex = (void *)(base + l.vertex), *plane = (void *)(base + l.plane);
    float *vertex_row = (void *)(base + l.vertex_row), *plane_row = (void *)(base + l.plane_row);
    struct cn_edge *edge = (void *)(base + l.edge);
    uint16_t *first = (void *)(base + l.face_first);
    uint8_t *corner_vertex = base + l.corner_vertex, *corner_edge = base + l.corner_edge;
    for (int i = 0; i < core->vertex_count; i++) {
        put(vertex + 4 * i, core->vertex[i], 0.0);
    }
    for (int i = 0; i < core->face_count; i++) {
        CN_ASSERT(core->face[i].corner_count >= 3); /* invariant 2 */
        CN_ASSERT(i == 0 || core->face[i].corner_first > core->face[i - 1].corner_first);
        put(plane + 4 * i, core->face[i].normal, core->face[i].offset);
        first[i] = (uint16_t)core->face[i].corner_first;
    }
    first[core->face_count] = (uint16_t)core->corner_count;
    make_rows(vertex, core->vertex_count, 3, vertex_row);
    make_rows(plane, core->face_count, 4, plane_row);
    CN_ASSERT(core->corner_count == 2 * core->edge_count); /* each edge bounds two faces */
    memcpy(edge, core->edge, sizeof *edge * (size_t)core->edge_count);
    for (int i = 0; i < core->corner_count; i++) {
        corner_vertex[i] = core->corner[i].vertex;
        corner_edge[i] = core->corner[i].edge;
    }
    *hull = (struct cn_fast_hull){core->vertex_count, core->face_count, core->edge_count,
        by_four(core->vertex_count), by_four(core->face_count), vertex_row, plane_row, vertex,
        plane, edge, first, corner_vertex, corner_edge};
    return hull;
}

static bool
same_numbers(const struct cn_polytope *a, const struct cn_polytope *b)
{
    for (int i = 0; i < a->vertex_count; i++) {
        cn_vec3 v = a->vertex[i], w = b->vertex[i];
        if (v.x != w.x || v.y != w.y || v.z != w.z) {
            return false;
        }
    }
    for (int i = 0; i < a->face_count; i++) {
        const struct cn_face *f = &a->face[i], *g = &b->face[i];
        if (f->normal.x != g->normal.x || f->normal.y != g->normal.y ||
            f->normal.z != g->normal.z || f->offset != g->offset ||
            f->corner_first != g->corner_first) {
            return false;
        }
    }
    return true;
}

bool
cn_fast_hull_is_alike(const struct cn_polytope *a, const struct cn_polytope *b)
{
    if (a->vertex_count != b->vertex_count || a->edge_count != b->edge_count ||
        a->face_count != b->face_count || a->corner_count != b->corner_count ||
        !same_numbers(a, b) ||
        memcmp(a->edge, b->edge, sizeof *a->edge * (size_t)a->edge_count) != 0) {
        return false;
    }
    for (int i = 0; i < a->corner_count; i++) {
        if (a->corner[i].vertex != b->corner[i].vertex || a->corner[i].edge != b->corner[i].edge) {
            return false;
        }
    }
    return true;
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
    static const float sign[3][8] = {
        {-1, 1, -1, 1, -1, 1, -1, 1}, {-1, -1, 1, 1, -1, -1, 1, 1}, {-1, -1, -1, -1, 1, 1, 1, 1}};
    static const float normal[3][8] = {
        {-1, 1, 0, 0, 0, 0, -1, -1}, {0, 0, -1, 1, 0, 0, 0, 0}, {0, 0, 0, 0, -1, 1, 0, 0}};
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 8; k++) {
            cuboid->vertex_row[8 * i + k] = half[i] * sign[i][k];
            cuboid->plane_row[8 * i + k] = normal[i][k];
        }
    }
    for (int k = 0; k < 8; k++) {
        cuboid->plane_row[24 + k] = half[k < 6 ? k / 2 : 0];
        cn_four_store(cuboid->vertex + 4 * k,
            cn_four_set3(half[0] * sign[0][k], half[1] * sign[1][k], half[2] * sign[2][k]));
    }
    for (int k = 0; k < 6; k++) {
        cn_four_store(cuboid->plane + 4 * k,
            (cn_four){normal[0][k], normal[1][k], normal[2][k], half[k / 2]});
    }
    *hull = (struct cn_fast_hull){.vertex_count = 8,
        .face_count = 6,
        .edge_count = 12,
        .vertex_room = 8,
        .face_room = 8,
        .vertex_row = cuboid->vertex_row,
        .plane_row = cuboid->plane_row,
        .vertex = cuboid->vertex,
        .plane = cuboid->plane,
        .edge = box_edge,
        .face_first = box_first,
        .corner_vertex = box_vertex,
        .corner_edge = box_corner_edge};
}

/* A direction with each coordinate in all lanes. */
struct spread {
    cn_four x, y, z;
};

static inline struct spread
spread_of(cn_four v)
{
    return (struct spread){cn_four_order(v, 0, 0, 0, 0), cn_four_order(v, 1, 1, 1, 1),
        cn_four_order(v, 2, 2, 2, 2)};
}

/* Products of four vectors, by rows, with one. */
static inline cn_four
products(const float *row, int room, const struct spread *v)
{
    return cn_four_load(row) * v->x + cn_four_load(row + room) * v->y +
           cn_four_load(row + 2 * room) * v->z;
}

void
cn_fast_hull_sides(const struct cn_fast_hull *hull, cn_four point, float *side)
{
    struct spread v = spread_of(point);
    int room = hull->face_room;
    const float *row = hull->plane_row;
    for (int i = 0; i < room; i += 4, row += 4) {
        cn_four_store(side + i, products(row, room, &v) - cn_four_load(row + 3 * room));
    }
}

/* The least value of each lane and its index.  Indices are floats, exact up to 2^24. */
struct least {
    cn_four value, at;
};

/* The index of the least value of all lanes, the first of equal ones. */
static inline int
least_lane(const struct least *least, float *value)
{
    const cn_four none = cn_four_splat(1e6F);
    cn_four a = cn_four_min(least->value, cn_four_order(least->value, 2, 3, 0, 1));
    a = cn_four_min(a, cn_four_order(a, 1, 0, 3, 2));
    cn_four at = cn_four_select(least->value == a, least->at, none);
    at = cn_four_min(at, cn_four_order(at, 2, 3, 0, 1));
    at = cn_four_min(at, cn_four_order(at, 1, 0, 3, 2));
    *value = a[0];
    return at[0] < none[0] ? (int)at[0] : 0; /* for NaNs the first */
}

/* Compares with the next four values. */
static inline void
take_four(struct least *least, cn_four value, cn_four at)
{
    least->at = cn_four_select(value < least->value, at, least->at);
    least->value = cn_four_min(value, least->value);
}

static const cn_four lanes = {0.0F, 1.0F, 2.0F, 3.0F}, four = {4.0F, 4.0F, 4.0F, 4.0F};

static int
least_product(const float *row, int room, cn_four direction, float *product)
{
    struct spread v = spread_of(direction);
    struct least least = {products(row, room, &v), lanes};
    cn_four at = lanes;
    for (int i = 4; i < room; i += 4) {
        at += four;
        take_four(&least, products(row + i, room, &v), at);
    }
    return least_lane(&least, product);
}

int
cn_fast_hull_lowest(const struct cn_fast_hull *hull, cn_four direction, float *product)
{
    return least_product(hull->vertex_row, hull->vertex_room, direction, product);
}

void
cn_fast_hull_heights(const struct cn_fast_hull *hull, cn_four direction, float *height)
{
    struct spread v = spread_of(direction);
    for (int i = 0; i < hull->vertex_room; i += 4) {
        cn_four_store(height + i, products(hull->vertex_row + i, hull->vertex_room, &v));
    }
}

int
cn_fast_hull_facing(const struct cn_fast_hull *hull, cn_four direction)
{
    float product;
    return least_product(hull->plane_row, hull->face_room, direction, &product);
}

int
cn_fast_hull_lower(const struct cn_fast_hull *hull, cn_four point, float *bound, float *largest)
{
    struct spread v = spread_of(point);
    int room = hull->face_room;
    const float *row = hull->plane_row;
    struct least least = {cn_four_splat(HUGE_VALF), lanes};
    cn_four at = lanes;
    for (int i = 0; i < room; i += 4, row += 4) {
        cn_four side = products(row, room, &v) - cn_four_load(row + 3 * room);
        side = cn_four_min(side, cn_four_load(bound + i));
        cn_four_store(bound + i, side);
        take_four(&least, -side, at);
        at += four;
    }
    float value;
    int face = least_lane(&least, &value);
    *largest = -value;
    return face;
}

int
cn_fast_largest(const float *value, int count)
{
    struct least least = {-cn_four_load(value), lanes};
    cn_four at = lanes;
    for (int i = 4; i < count; i += 4) {
        at += four;
        take_four(&least, -cn_four_load(value + i), at);
    }
    float lowest;
    return least_lane(&least, &lowest);
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
        CN_ASSERT(shape->form == CN_FAST3_HULL);
        solid->hull = shape->hull;
    }
}
