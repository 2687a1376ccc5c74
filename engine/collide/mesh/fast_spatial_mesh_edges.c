/*
 * fast_spatial_mesh_edges.c: the deepest points of edges (mesh/mesh_low.h): of a mesh's creases in
 * another mesh and in a hull, and of a hull's edges in a mesh.
 *
 * The distances at points along an edge show between which of them a low may be.  If a low is
 * found, the points beside it are skipped, because each of them shows only one of the two faces.
 */
#include "engine/collide/mesh/fast_spatial_mesh_edges.h"

#include "engine/base/assert.h"

#include <string.h>

#define FALLS 0.1F        /* as in mesh_low.c */
#define RIDGE_SQUARE 0.9F

static cn_vec3
to_vec3(cn_four v)
{
    return (cn_vec3){(double)v[0], (double)v[1], (double)v[2]};
}

static cn_four
from_vec3(cn_vec3 v)
{
    return cn_four_set3((float)v.x, (float)v.y, (float)v.z);
}

/* ---- creases of a mesh among points that were looked up ---- */

/* Skips point `at` of an edge, if it is entry i or one beside that. */
static void
skip_end(const struct cn_mesh_creases *creases, int i, int edge, int at, bool *skip)
{
    const struct cn_mesh_edge *e = &creases->mesh->edge[edge];
    if (at < 0 || at >= e->sample_count) {
        return; /* a vertex */
    }
    CN_ASSERT(0 <= i && i < creases->count);
    for (int k = i > 0 ? i - 1 : 0; k <= i + 1 && k < creases->count; k++) {
        if (creases->offset[k] == (e->sample_first + at) * (int)sizeof(struct cn_mesh_sample)) {
            skip[k] = true;
        }
    }
}

static void
offer_low(const struct cn_mesh_creases *creases, struct cn_low *low)
{
    const struct cn_fast_frame *frame = creases->low_frame;
    cn_mesh_offer(creases->gather, cn_fast_apply(frame, from_vec3(low->at)), (float)low->gap,
        cn_fast_turn(frame, from_vec3(low->normal)), creases->in_b);
}

/* A point of the mesh in the frame of the distance. */
static cn_vec3
there(const struct cn_mesh_turn *turn, cn_vec3 p)
{
    float at[3], x = (float)p.x, y = (float)p.y, z = (float)p.z;
    for (int k = 0; k < 3; k++) {
        at[k] = turn->origin[k] + x * turn->axis[0][k] + y * turn->axis[1][k] +
                z * turn->axis[2][k];
    }
    return (cn_vec3){(double)at[0], (double)at[1], (double)at[2]};
}

/* A slope of the distance, turned into the mesh's frame. */
static cn_vec3
slope_here(const struct cn_mesh_turn *turn, const struct cn_mesh_looks *looks, int i)
{
    double part[3];
    for (int k = 0; k < 3; k++) {
        part[k] = (double)(looks->slope[0][i] * turn->axis[k][0] +
                           looks->slope[1][i] * turn->axis[k][1] +
                           looks->slope[2][i] * turn->axis[k][2]);
    }
    return (cn_vec3){part[0], part[1], part[2]};
}

void
cn_mesh_look_along(const struct cn_mesh_creases *creases, const struct cn_mesh_looks *looks,
    bool *skip)
{
    const struct cn_mesh *mesh = creases->mesh;
    float most = creases->gather->reach + (float)mesh->crease_spacing;
    CN_ASSERT(0 <= creases->count && creases->count <= CN_MESH_BATCH); /* look.h, invariant 1 */
    int32_t edge = -1, last = -1;
    memset(skip, 0, (size_t)creases->count * sizeof(*skip));
    for (int i = 0; i < creases->count; i++) {
        struct cn_mesh_part part[2];
        int sample = creases->offset[i] / (int)sizeof(struct cn_mesh_sample), count = 0;
        if (looks->phi[i] <= most) {
            count = cn_mesh_parts(mesh, sample, slope_here(creases->turn, looks, i), part);
        }
        for (int k = 0; k < count; k++) {
            struct cn_low low;
            if (part[k].edge == edge && part[k].part == last) {
                continue; /* its other end has been looked at */
            }
            CN_ASSERT(0 <= part[k].edge && part[k].edge < mesh->edge_count);
            edge = part[k].edge;
            last = part[k].part;
            if (cn_low_find(creases->distance, creases->context,
                    there(creases->turn, part[k].from), there(creases->turn, part[k].to),
                    (double)creases->gather->reach, &low)) {
                skip_end(creases, i, edge, last - 1, skip);
                skip_end(creases, i, edge, last, skip);
                offer_low(creases, &low);
            }
        }
    }
}

/* ---- edges of a hull ---- */

void
cn_mesh_against_edge(struct cn_mesh_gather *g, const struct cn_mesh_side *side,
    const float (*row)[4], int count)
{
    CN_ASSERT(2 <= count && count <= CN_MESH_EDGE_ROWS); /* both ends are rows */
    struct cn_mesh_looks looks;
    bool skip[CN_MESH_EDGE_ROWS] = {false};
    cn_mesh_look_rows(g, side, row, count, &looks);
    cn_four d = cn_four_set3(row[count - 1][0], row[count - 1][1], row[count - 1][2]) -
                cn_four_set3(row[0][0], row[0][1], row[0][2]);
    float length = sqrtf(cn_four_dot3(d, d)), apart = length / (float)(count - 1);
    cn_four along = cn_fast_turn_back(&side->frame, d / cn_four_splat(length));
    float rise[CN_MESH_EDGE_ROWS];
    bool ridge[CN_MESH_EDGE_ROWS];
    for (int i = 0; i < count; i++) {
        cn_four slope = cn_four_set3(looks.slope[0][i], looks.slope[1][i], looks.slope[2][i]);
        rise[i] = cn_four_dot3(slope, along);
        ridge[i] = cn_four_dot3(slope, slope) < RIDGE_SQUARE;
    }
    for (int i = 0; i + 1 < count; i++) {
        struct cn_low low;
        bool falls = ridge[i] || rise[i] < -FALLS, rises = ridge[i + 1] || rise[i + 1] > FALLS;
        if (!falls || !rises || looks.phi[i] > g->reach + apart) {
            continue;
        }
        cn_vec3 from = to_vec3(cn_fast_invert(&side->frame,
            cn_four_set3(row[i][0], row[i][1], row[i][2])));
        cn_vec3 to = to_vec3(cn_fast_invert(&side->frame,
            cn_four_set3(row[i + 1][0], row[i + 1][1], row[i + 1][2])));
        if (cn_mesh_low_find(side->mesh, from, to, (double)g->reach, &low)) {
            skip[i] = skip[i + 1] = true;
            cn_mesh_offer(g, cn_fast_apply(&side->frame, from_vec3(low.at)), (float)low.gap,
                cn_fast_turn(&side->frame, from_vec3(low.normal)), !side->is_a);
        }
    }
    cn_mesh_offer_rows(g, side, row + 1, count - 2, 1, &looks, skip + 1);
}
