/*
 * fast_spatial_mesh_solid.c: a mesh against a shape that is not a mesh.
 *
 * Samples of the mesh are looked up in the distance of a half space, or of the faces of a box or
 * hull.  Corners and points along edges of these, and cores of round shapes, are looked up in the
 * mesh's field.  A round shape may touch in several places at once, like a ball in a groove.  So
 * the search starts at a few points of the ball's surface.  Each of them moves along the surface to
 * where the ball's normal is opposite to the slope of the distance.
 */
#include "engine/collide/mesh/fast_spatial_mesh_solid.h"

#include "engine/base/assert.h"
#include "engine/collide/mesh/fast_spatial_mesh_edges.h"

#define CORE_POINTS 9  /* of a capsule, at most */
#define EDGE_POINTS (CN_MESH_EDGE_ROWS - 2) /* of an edge, at most */
#define ROUNDS 2       /* of the search on a ball's surface */

/* ---- half spaces, boxes, hulls: samples of the mesh ---- */

struct solid {
    bool is_half_space;
    struct cn_fast_half_space plane; /* relative to the mesh's body, as A */
    struct cn_fast_solid hull;
};

/* The distance of a point from the solid by its faces, and the slope of that. */
static float
distance_of(const struct solid *solid, cn_four point, cn_four *slope)
{
    if (solid->is_half_space) {
        *slope = solid->plane.normal;
        return cn_four_dot3(solid->plane.normal, point) + solid->plane.height;
    }
    const struct cn_fast_hull *hull = solid->hull.hull;
    float side[CN_FAST_FACES_ROOM];
    cn_fast_hull_sides(hull, cn_fast_invert(&solid->hull.frame, point), side);
    int face = cn_fast_largest(side, hull->face_count);
    CN_ASSERT(face < hull->face_count); /* copies of the first that fill the row up never win */
    *slope = cn_fast_turn(&solid->hull.frame, cn_fast_hull_normal(hull, face));
    return side[face];
}

/* The same for the search along edges, in world axes. */
static double
solid_distance(void *context, cn_vec3 p, cn_vec3 *slope)
{
    cn_four n;
    float phi = distance_of(context, cn_four_set3((float)p.x, (float)p.y, (float)p.z), &n);
    *slope = (cn_vec3){(double)n[0], (double)n[1], (double)n[2]};
    return (double)phi;
}

/* Looks up at most CN_MESH_BATCH samples. */
static void
samples_of(struct cn_mesh_gather *g, const struct cn_mesh_side *side, struct solid *solid,
    int first, int count)
{
    CN_ASSERT(0 < count && count <= CN_MESH_BATCH && first + count <= side->mesh->sample_count);
    const struct cn_mesh_sample *sample = side->mesh->sample;
    struct cn_mesh_looks looks;
    int32_t offset[CN_MESH_BATCH];
    bool skip[CN_MESH_BATCH] = {false};
    for (int i = 0; i < count; i++) {
        const float *at = sample[first + i].at;
        cn_four slope, point = cn_fast_apply(&side->frame, cn_four_set3(at[0], at[1], at[2]));
        offset[i] = (first + i) * (int)sizeof(*sample);
        looks.phi[i] = distance_of(solid, point, &slope);
        looks.slope[0][i] = slope[0];
        looks.slope[1][i] = slope[1];
        looks.slope[2][i] = slope[2];
    }
    if (!solid->is_half_space && side->mesh->crease_spacing > 0.0) {
        struct cn_mesh_turn turn = cn_mesh_turn_between(&side->frame, &cn_mesh_world);
        const struct cn_mesh_creases creases = {
            .gather = g,
            .mesh = side->mesh,
            .turn = &turn,
            .low_frame = &cn_mesh_world,
            .offset = offset,
            .count = count,
            .distance = solid_distance,
            .context = solid,
            .in_b = side->is_a,
        };
        cn_mesh_look_along(&creases, &looks, skip);
    }
    for (int i = 0; i < count; i++) {
        if (looks.phi[i] <= g->reach && !skip[i]) {
            const float *at = sample[first + i].at;
            cn_mesh_offer(g, cn_fast_apply(&side->frame, cn_four_set3(at[0], at[1], at[2])),
                looks.phi[i],
                cn_four_set3(looks.slope[0][i], looks.slope[1][i], looks.slope[2][i]),
                side->is_a);
        }
    }
}

static void
samples_against(
    struct cn_mesh_gather *g, const struct cn_mesh_side *side, struct solid *solid)
{
    const struct cn_mesh *mesh = side->mesh;
    for (int i = 0; i < mesh->patch_count; i++) {
        const struct cn_mesh_patch *patch = &mesh->patch[i];
        cn_four slope;
        cn_four center = cn_fast_apply(&side->frame,
            cn_four_set3(patch->center[0], patch->center[1], patch->center[2]));
        if (distance_of(solid, center, &slope) - patch->radius > g->reach) {
            continue;
        }
        g->sample_count += patch->sample_count;
        for (int k = 0; k < patch->sample_count; k += CN_MESH_BATCH) {
            int left = patch->sample_count - k;
            samples_of(g, side, solid, patch->sample_first + k,
                left < CN_MESH_BATCH ? left : CN_MESH_BATCH);
        }
    }
}

/* ---- rows of points in the mesh's field ---- */

struct rows {
    struct cn_mesh_gather *gather;
    const struct cn_mesh_side *side;
    int count;
    float row[CN_MESH_BATCH][4];
};

static void
flush(struct rows *rows)
{
    if (rows->count > 0) {
        const float(*row)[4] = (const float(*)[4])rows->row;
        struct cn_mesh_looks looks;
        cn_mesh_look_rows(rows->gather, rows->side, row, rows->count, &looks);
        cn_mesh_offer_rows(
            rows->gather, rows->side, row, rows->count, 0, &looks, NULL);
        rows->count = 0;
    }
}

static void
add_row(struct rows *rows, cn_four point, float radius)
{
    if (rows->count == CN_MESH_BATCH) {
        flush(rows);
    }
    CN_ASSERT(rows->count < CN_MESH_BATCH);
    point[3] = radius;
    cn_four_store(rows->row[rows->count++], point);
}

/* Adds corners, then points along edges that are as close together as the mesh's own. */
static void
add_hull(struct rows *rows, const struct cn_fast_solid *solid)
{
    const struct cn_fast_hull *hull = solid->hull;
    float spacing = (float)rows->side->mesh->sample_spacing;
    for (int i = 0; i < hull->vertex_count; i++) {
        add_row(rows, cn_fast_apply(&solid->frame, cn_fast_hull_vertex(hull, i)), 0.0F);
    }
    flush(rows);
    for (int i = 0; i < hull->edge_count; i++) {
        float row[CN_MESH_EDGE_ROWS][4];
        cn_four from = cn_fast_hull_vertex(hull, hull->edge[i].tail);
        cn_four along = cn_fast_hull_vertex(hull, hull->edge[i].head) - from;
        float parts = sqrtf(cn_four_dot3(along, along)) / spacing;
        int count = parts > (float)EDGE_POINTS ? EDGE_POINTS : (int)parts;
        for (int k = 0; k <= count + 1; k++) {
            cn_four at = from + cn_four_splat((float)k / (float)(count + 1)) * along;
            at = cn_fast_apply(&solid->frame, at);
            at[3] = 0.0F;
            cn_four_store(row[k], at);
        }
        cn_mesh_against_edge(rows->gather, rows->side, (const float(*)[4])row, count + 2);
    }
}

/* Adds points of a ball's surface that may touch, searched from several of its points. */
static void
add_ball(struct rows *rows, cn_four center, float radius)
{
    struct cn_mesh_gather *g = rows->gather;
    cn_four slope;
    add_row(rows, center, radius);
    float phi = cn_mesh_look_one(rows->side, center, &slope);
    if (!(phi - radius <= g->reach)) {
        return;
    }
    for (int i = 0; i < 8; i++) {
        const float s = 0.57735F * radius;
        cn_four point = center + cn_four_set3(i & 1 ? s : -s, i & 2 ? s : -s, i & 4 ? s : -s);
        for (int k = 0; k < ROUNDS; k++) {
            (void)cn_mesh_look_one(rows->side, point, &slope);
            float size = sqrtf(cn_four_dot3(slope, slope));
            if (size > 0.0F) {
                point = center -
                        cn_fast_turn(&rows->side->frame, cn_four_splat(radius / size) * slope);
            }
        }
        add_row(rows, point, 0.0F);
    }
}

static void
add_capsule(struct rows *rows, const struct cn_fast_frame *frame,
    const struct cn_fast_shape3 *shape)
{
    cn_four first = cn_fast_apply(frame, cn_four_load(shape->center));
    cn_four along = cn_fast_apply(frame, cn_four_load(shape->half)) - first;
    float length = sqrtf(cn_four_dot3(along, along));
    float parts = 1.0F + length / (shape->radius > 0.0F ? shape->radius : length);
    int count = parts > (float)(CORE_POINTS - 1) ? CORE_POINTS - 1 : (int)parts;
    for (int k = 0; k <= count; k++) {
        cn_four at = first + cn_four_splat((float)k / (float)count) * along;
        add_row(rows, at, shape->radius);
    }
}

void
cn_mesh_against_solid(struct cn_mesh_gather *g, const struct cn_mesh_side *side)
{
    const struct cn_fast_mesh_pair *pair = g->pair;
    const struct cn_fast_shape3 *shape = side->is_a ? pair->b : pair->a;
    const struct cn_place3 *place = side->is_a ? pair->place_b : pair->place_a;
    CN_ASSERT(shape->form != CN_FAST3_MESH && shape->form != CN_FAST3_OTHER);
    cn_four between = side->is_a ? g->between : cn_four_splat(0.0F);
    struct cn_fast_frame frame = cn_fast_body_frame(place, between);
    struct solid solid;
    struct rows rows;
    rows.gather = g;
    rows.side = side;
    rows.count = 0;
    switch (shape->form) {
    case CN_FAST3_HALF_SPACE: {
        const struct cn_fast_pair as_pair = {
            .a = side->is_a ? pair->a : pair->b,
            .b = shape,
            .place_a = side->is_a ? pair->place_a : pair->place_b,
            .place_b = place,
            .between = side->is_a ? g->between : -g->between,
        };
        solid.is_half_space = true;
        solid.plane = cn_fast_half_space_of(&as_pair);
        if (!side->is_a) {
            solid.plane.height -= cn_four_dot3(solid.plane.normal, g->between);
        }
        samples_against(g, side, &solid);
        return;
    }
    case CN_FAST3_SPHERE:
        add_ball(&rows, cn_fast_apply(&frame, cn_four_load(shape->center)), shape->radius);
        break;
    case CN_FAST3_CAPSULE:
        add_capsule(&rows, &frame, shape);
        break;
    default:
        solid.is_half_space = false;
        cn_fast_solid_load(&solid.hull, shape, place, between);
        samples_against(g, side, &solid);
        add_hull(&rows, &solid.hull);
        break;
    }
    flush(&rows);
}
