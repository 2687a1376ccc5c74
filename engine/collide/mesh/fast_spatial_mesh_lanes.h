/*
 * fast_spatial_mesh_lanes.h: points in a mesh's field, one point in each lane.
 *
 * This is the text of one kernel.  It is compiled for every instruction set (math/wide.h) and gives
 * the same bits on all of them.
 */
#ifndef ENGINE_COLLIDE_MESH_FAST_SPATIAL_MESH_LANES_H
#define ENGINE_COLLIDE_MESH_FAST_SPATIAL_MESH_LANES_H

#include "engine/collide/mesh/fast_spatial_mesh_look.h"
#include "engine/mesh/field_float.h"

_Static_assert(CN_WIDE_LANES <= CN_MESH_LANES_MAX, "arrays have room behind them");

struct wide_turn {
    cn_wide axis[3][3], origin[3];
};

static inline struct wide_turn
wide_turn_of(const struct cn_mesh_turn *turn)
{
    struct wide_turn wide;
    WIDE_UNROLL
    for (int i = 0; i < 3; i++) {
        wide.origin[i] = wide_splat(turn->origin[i]);
        WIDE_UNROLL
        for (int k = 0; k < 3; k++) {
            wide.axis[i][k] = wide_splat(turn->axis[i][k]);
        }
    }
    return wide;
}

WIDE_INLINE void
wide_turn_apply(const struct wide_turn *turn, const cn_wide row[4], cn_wide point[3])
{
    WIDE_UNROLL
    for (int k = 0; k < 3; k++) {
        point[k] = ((turn->origin[k] + row[0] * turn->axis[0][k]) + row[1] * turn->axis[1][k]) +
                   row[2] * turn->axis[2][k];
    }
}

static void
look(const struct cn_field *field, const struct cn_mesh_turn *turn, const void *base,
    const int32_t *offset, int count, struct cn_mesh_looks *looks)
{
    struct field_reader reader;
    struct wide_turn wide = wide_turn_of(turn);
    field_reader_make(&reader, field);
    for (int i = 0; i < count; i += CN_WIDE_LANES) {
        cn_wide row[4], point[3], phi, slope[3];
        wide_rows_at(base, offset + i, row);
        wide_turn_apply(&wide, row, point);
        field_reader_look(&reader, point, &phi, slope);
        wide_store(looks->phi + i, phi);
        wide_store(looks->slope[0] + i, slope[0]);
        wide_store(looks->slope[1] + i, slope[1]);
        wide_store(looks->slope[2] + i, slope[2]);
    }
}

/*
 * Outside the grid's box, the distance from the surface is at least the distance from the box.  It
 * is also at least phi at the box's nearest point less the distance to that point.  The error of
 * phi is at most half a cell's diagonal.
 */
static void
reach(const struct cn_field *field, const struct cn_mesh_turn *turn, const void *base,
    const int32_t *offset, int count, float limit, struct cn_mesh_looks *looks)
{
    struct field_reader reader;
    struct wide_turn wide = wide_turn_of(turn);
    field_reader_make(&reader, field);
    const unsigned all = (1U << CN_WIDE_LANES) - 1U;
    cn_wide high[3], error = wide_splat((float)(field->spacing * (field->value ? 0.87 : 7.0)));
    WIDE_UNROLL
    for (int k = 0; k < 3; k++) {
        high[k] = reader.origin[k] + reader.last_node[k] * reader.spacing;
    }
    for (int i = 0; i < count; i += CN_WIDE_LANES) {
        cn_wide row[4], point[3], phi, slope[3], square = wide_zero();
        wide_rows_at(base, offset + i, row);
        wide_turn_apply(&wide, row, point);
        WIDE_UNROLL
        for (int k = 0; k < 3; k++) {
            cn_wide out = point[k] - wide_clamp(point[k], reader.origin[k], high[k]);
            square = square + out * out;
        }
        cn_wide way = wide_sqrt(square);
        wide_store(looks->slope[0] + i, point[0]);
        wide_store(looks->slope[1] + i, point[1]);
        wide_store(looks->slope[2] + i, point[2]);
        wide_store(looks->phi + i, way - row[3]);
        cn_wide_mask is_out = wide_greater(way, wide_zero());
        cn_wide_mask is_far = wide_greater(way - row[3], wide_splat(limit));
        if (wide_bits(wide_and(is_out, is_far)) == all) {
            continue; /* with a limit below 0, points inside the box may still be near */
        }
        field_reader_look(&reader, point, &phi, slope);
        cn_wide size = (phi - (way + way)) - error; /* negative inside: that is always near */
        size = wide_select(is_out, wide_max(size, way), size);
        wide_store(looks->phi + i, size - row[3]);
    }
}

#endif
