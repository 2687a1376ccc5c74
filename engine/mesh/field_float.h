/*
 * field_float.h: looks up many points at once in a distance field, in floats.
 *
 * For kernels of math/wide.h: a file that includes this first defines the kind of lanes that it
 * wants; all kinds give the same bits.
 *
 *     struct field_reader reader;
 *     field_reader_make(&reader, field);         once for a field
 *     field_reader_look(&reader, at, &phi, slope);   a point a lane
 *
 * A lane reads the eight values at its cell's corners as four pairs of neighbours, in two to four
 * cache lines.  Nothing is stored twice, so the field of a ring of 40 cells (120 kB) stays in a
 * core's own cache.
 *
 * Ranges: any finite point.  Outside the grid's box phi is that of the box's nearest point plus the
 * distance to it.  This is never less than phi on the box's faces, so a point too far for any
 * contact there stays so.  It is no lower bound of the distance (field.h has one).
 */
#ifndef ENGINE_MESH_FIELD_FLOAT_H
#define ENGINE_MESH_FIELD_FLOAT_H

#include "engine/math/wide.h"
#include "engine/mesh/field.h"

struct field_reader {
    const float *node;         /* uniform: all nodes; sparse: coarse ones, then bricks */
    const int32_t *brick_of;   /* NULL for a uniform field */
    const struct cn_field *field;
    cn_wide origin[3];         /* [m] */
    cn_wide last_node[3];      /* [cells] */
    cn_wide last_cell[3];
    cn_wide spacing, per_spacing, rows; /* nodes along y */
    int32_t row, layer;        /* from a node to the next one in y and z [bytes] */
};

/* The cells of the lanes: four pairs of neighbours in x, and the fraction between them, 0 to 1. */
struct field_corner {
    cn_wide near[4], far[4]; /* at the lower and the higher z:
                                (x, y), (x + 1, y), (x, y + 1), (x + 1, y + 1) */
    cn_wide along[3];
    cn_wide shrink; /* 1, or less for a coarse cell: 1 / fine cells along it */
};

WIDE_INLINE void
field_reader_make(struct field_reader *reader, const struct cn_field *field)
{
    const double origin[3] = {field->origin.x, field->origin.y, field->origin.z};
    WIDE_UNROLL
    for (int axis = 0; axis < 3; axis++) {
        reader->origin[axis] = wide_splat((float)origin[axis]);
        reader->last_node[axis] = wide_splat((float)(field->count[axis] - 1));
        reader->last_cell[axis] = wide_splat((float)(field->count[axis] - 2));
    }
    reader->spacing = wide_splat((float)field->spacing);
    reader->per_spacing = wide_splat((float)(1.0 / field->spacing));
    reader->rows = wide_splat((float)field->count[1]);
    reader->field = field;
    reader->node = field->value != NULL ? field->value : field->coarse;
    reader->brick_of = field->value != NULL ? NULL : field->brick_of;
    reader->row = 4 * field->count[0];
    reader->layer = reader->row * field->count[1];
}

/* For bricks and coarse cells. */
WIDE_INLINE void
field_corner_sparse(const struct field_reader *reader, const cn_wide at[3],
    const cn_wide cell[3], struct field_corner *corner)
{
    const struct cn_field *field = reader->field;
    const int *count = field->coarse_count;
    int32_t bricks = (int32_t)((const char *)field->brick - (const char *)field->coarse);
    _Alignas(sizeof(cn_wide)) float base[3][CN_WIDE_LANES], shrink[CN_WIDE_LANES];
    _Alignas(sizeof(cn_wide)) int32_t whole[3][CN_WIDE_LANES];
    int32_t first[4][CN_WIDE_LANES];
    WIDE_UNROLL
    for (int axis = 0; axis < 3; axis++) {
        wide_integers(whole[axis], cell[axis]);
    }
    for (int i = 0; i < CN_WIDE_LANES; i++) {
        int32_t x = whole[0][i], y = whole[1][i], z = whole[2][i];
        int32_t X = x / CN_FIELD_BRICK, Y = y / CN_FIELD_BRICK, Z = z / CN_FIELD_BRICK;
        int32_t brick = reader->brick_of[X + (count[0] - 1) * (Y + (count[1] - 1) * Z)];
        bool fine = brick >= 0;
        int32_t wide = fine ? CN_FIELD_BRICK + 1 : count[0];
        int32_t high = fine ? CN_FIELD_BRICK + 1 : count[1];
        int32_t u = fine ? x % CN_FIELD_BRICK : X, v = fine ? y % CN_FIELD_BRICK : Y;
        int32_t w = fine ? z % CN_FIELD_BRICK : Z;
        first[0][i] = (fine ? bricks + 4 * brick * wide * wide * wide : 0) +
                      4 * (u + wide * (v + high * w));
        first[1][i] = first[0][i] + 4 * wide;
        first[2][i] = first[0][i] + 4 * wide * high;
        first[3][i] = first[2][i] + 4 * wide;
        base[0][i] = (float)(x - x % CN_FIELD_BRICK * !fine);
        base[1][i] = (float)(y - y % CN_FIELD_BRICK * !fine);
        base[2][i] = (float)(z - z % CN_FIELD_BRICK * !fine);
        shrink[i] = fine ? 1.0f : 1.0f / CN_FIELD_BRICK;
    }
    wide_pairs(reader->node, first[0], reader->node, first[1], corner->near);
    wide_pairs(reader->node, first[2], reader->node, first[3], corner->far);
    corner->shrink = wide_load(shrink);
    WIDE_UNROLL
    for (int axis = 0; axis < 3; axis++) {
        corner->along[axis] = (at[axis] - wide_load(base[axis])) * corner->shrink;
    }
}

/* All nodes are stored: rows are counted in floats, which are exact in this range. */
WIDE_INLINE void
field_corner_uniform(const struct field_reader *reader, const cn_wide at[3],
    const cn_wide cell[3], struct field_corner *corner)
{
    _Alignas(sizeof(cn_wide)) int32_t x[CN_WIDE_LANES], row[CN_WIDE_LANES];
    int32_t first[CN_WIDE_LANES];
    const char *near = (const char *)reader->node, *far = near + reader->layer;
    wide_integers(x, cell[0]);
    wide_integers(row, cell[1] + reader->rows * cell[2]);
    WIDE_UNROLL
    for (int i = 0; i < CN_WIDE_LANES; i++) {
        first[i] = 4 * x[i] + reader->row * row[i];
    }
    wide_pairs(near, first, near + reader->row, first, corner->near);
    wide_pairs(far, first, far + reader->row, first, corner->far);
    corner->shrink = wide_splat(1.0f);
    WIDE_UNROLL
    for (int axis = 0; axis < 3; axis++) {
        corner->along[axis] = at[axis] - cell[axis];
    }
}

/* `at` is in cells from the first node, and within the grid. */
WIDE_INLINE void
field_corner_find(
    const struct field_reader *reader, const cn_wide at[3], struct field_corner *corner)
{
    /*
     * The nearest integer to at - 1/2, by adding a number that leaves no bits for a fraction.  Of
     * two equally near integers either is correct: the point is on the border between their cells.
     */
    const cn_wide half = wide_splat(0.5f), room = wide_splat(12582912.0f);
    cn_wide cell[3];
    WIDE_UNROLL
    for (int axis = 0; axis < 3; axis++) {
        cell[axis] = wide_min(((at[axis] - half) + room) - room, reader->last_cell[axis]);
    }
    if (reader->brick_of != NULL) {
        field_corner_sparse(reader, at, cell, corner);
    } else {
        field_corner_uniform(reader, at, cell, corner);
    }
}

/*
 * phi at the points, in the mesh's frame [m], and its gradient there: out of the solid, of length
 * about 1 near the surface, not normalised.
 */
WIDE_INLINE void
field_reader_look(
    const struct field_reader *reader, const cn_wide point[3], cn_wide *phi, cn_wide slope[3])
{
    struct field_corner corner;
    cn_wide at[3], outside = wide_zero();
    WIDE_UNROLL
    for (int axis = 0; axis < 3; axis++) {
        cn_wide free = (point[axis] - reader->origin[axis]) * reader->per_spacing;
        at[axis] = wide_clamp(free, wide_zero(), reader->last_node[axis]);
        outside = outside + (free - at[axis]) * (free - at[axis]);
    }
    field_corner_find(reader, at, &corner);

    const cn_wide *t = corner.along, *near = corner.near, *far = corner.far;
    cn_wide dx[4] = {near[1] - near[0], near[3] - near[2], far[1] - far[0], far[3] - far[2]};
    cn_wide a = near[0] + t[0] * dx[0], b = near[2] + t[0] * dx[1];
    cn_wide c = far[0] + t[0] * dx[2], d = far[2] + t[0] * dx[3];
    cn_wide ba = b - a, dc = d - c;
    cn_wide e = a + t[1] * ba, f = c + t[1] * dc;
    cn_wide dx_near = dx[0] + t[1] * (dx[1] - dx[0]), dx_far = dx[2] + t[1] * (dx[3] - dx[2]);
    cn_wide scale = corner.shrink * reader->per_spacing;
    slope[0] = (dx_near + t[2] * (dx_far - dx_near)) * scale;
    slope[1] = (ba + t[2] * (dc - ba)) * scale;
    slope[2] = (f - e) * scale;
    *phi = (e + t[2] * (f - e)) + wide_sqrt(outside) * reader->spacing;
}

#endif
