/*
 * The winding number is the solid angle of the surface, seen from a point, divided by 4 pi: 1
 * inside, 0 outside; where closed parts pass through each other, the number of parts that contain
 * the point.  A triangle's angle by van Oosterom and Strackee, IEEE Transactions on Biomedical
 * Engineering 30 (1983).
 */
#include "engine/base/assert.h"
#include "engine/math/scalar.h"
#include "engine/math/trig.h"
#include "engine/mesh/field_grid.h"

#include <stdlib.h>

#define SLACK 1.001 /* of a cell: allows for the rounding of floats */

/* Regions of nodes that no surface separates. */
struct regions {
    struct cn_field_grid *grid;
    double reach; /* [m] */
    uint8_t *seen;
    uint32_t *node; /* of the region; neighbours of those after `done` are unvisited */
    size_t count, done;
};

static bool
same_side(const struct cn_field_grid *grid, size_t a, size_t b, double reach)
{
    return fabs((double)grid->value[a]) + fabs((double)grid->value[b]) > reach;
}

static bool
signs_differ(const struct cn_field_grid *grid, size_t a, size_t b, double reach)
{
    return (grid->value[a] < 0.0F) != (grid->value[b] < 0.0F) && same_side(grid, a, b, reach);
}

static bool
is_consistent(const struct cn_field_grid *grid, double reach)
{
    const int *count = grid->field->count;
    for (int z = 0; z < count[2]; z++) {
        for (int y = 0; y < count[1]; y++) {
            size_t i = cn_field_grid_index(grid, 0, y, z);
            for (int x = 0; x < count[0]; x++, i++) {
                if ((x + 1 < count[0] && signs_differ(grid, i, i + 1, reach)) ||
                    (y + 1 < count[1] && signs_differ(grid, i, i + grid->row, reach)) ||
                    (z + 1 < count[2] && signs_differ(grid, i, i + grid->layer, reach))) {
                    return false;
                }
            }
        }
    }
    return true;
}

/* The solid angle of a triangle, seen from the origin. */
static double
solid_angle(cn_vec3 a, cn_vec3 b, cn_vec3 c)
{
    double x = cn_vec3_length(a), y = cn_vec3_length(b), z = cn_vec3_length(c);
    double volume = cn_vec3_dot(a, cn_vec3_cross(b, c));
    double scale = x * y * z + cn_vec3_dot(a, b) * z + cn_vec3_dot(b, c) * x +
                   cn_vec3_dot(c, a) * y;
    return 2.0 * cn_atan2(volume, scale);
}

static bool
is_within(const struct cn_mesh *mesh, cn_vec3 p)
{
    double sum = 0.0;
    for (int i = 0; i < mesh->triangle_count; i++) {
        const int32_t *v = mesh->triangle[i];
        sum += solid_angle(cn_vec3_sub(mesh->vertex[v[0]], p), cn_vec3_sub(mesh->vertex[v[1]], p),
            cn_vec3_sub(mesh->vertex[v[2]], p));
    }
    return sum > 2.0 * CN_PI;
}

static void
reach_out(struct regions *regions, size_t from, size_t to)
{
    if (regions->seen[to] == 0 && same_side(regions->grid, from, to, regions->reach)) {
        regions->seen[to] = 1;
        regions->node[regions->count++] = (uint32_t)to;
    }
}

static void
grow_region(struct regions *regions, size_t first)
{
    const struct cn_field_grid *grid = regions->grid;
    const int *count = grid->field->count;
    CN_ASSERT(regions->seen[first] == 0);
    regions->seen[first] = 1;
    regions->node[0] = (uint32_t)first;
    regions->count = 1;
    for (regions->done = 0; regions->done < regions->count; regions->done++) {
        size_t i = regions->node[regions->done];
        size_t x = i % grid->row, y = i % grid->layer / grid->row, z = i / grid->layer;
        const size_t at[3] = {x, y, z}, step[3] = {1, grid->row, grid->layer};
        for (int k = 0; k < 3; k++) {
            if (at[k] > 0) {
                reach_out(regions, i, i - step[k]);
            }
            if (at[k] + 1 < (size_t)count[k]) {
                reach_out(regions, i, i + step[k]);
            }
        }
    }
}

/* Gives all nodes of a region the side that the winding number of its deepest node gives. */
static void
decide_sides(const struct regions *regions)
{
    CN_ASSERT(regions->count > 0 && regions->done == regions->count);
    const struct cn_field_grid *grid = regions->grid;
    const struct cn_field *field = grid->field;
    size_t deepest = regions->node[0];
    bool mixed = false;
    for (size_t i = 1; i < regions->count; i++) {
        size_t node = regions->node[i];
        mixed = mixed || (grid->value[node] < 0.0F) != (grid->value[deepest] < 0.0F);
        if (fabsf(grid->value[node]) > fabsf(grid->value[deepest])) {
            deepest = node;
        }
    }
    if (!mixed) {
        return;
    }
    cn_vec3 at = cn_vec3_make((double)(deepest % grid->row),
        (double)(deepest % grid->layer / grid->row), (double)(deepest / grid->layer));
    bool within =
        is_within(grid->mesh, cn_vec3_add_scaled(field->origin, field->spacing, at));
    for (size_t i = 0; i < regions->count; i++) {
        float away = fabsf(grid->value[regions->node[i]]);
        grid->value[regions->node[i]] = within ? -away : away;
    }
}

enum cn_status
cn_field_grid_sign(struct cn_field_grid *grid, struct cn_defect *defect)
{
    CN_ASSERT(grid->value != NULL && grid->field->spacing > 0.0);
    struct regions regions = {.grid = grid, .reach = SLACK * grid->field->spacing};
    if (is_consistent(grid, regions.reach)) {
        return CN_OK;
    }
    size_t nodes = grid->layer * (size_t)grid->field->count[2];
    regions.seen = calloc(nodes, 1);
    regions.node = malloc(nodes * sizeof(*regions.node));
    bool has_memory = regions.seen != NULL && regions.node != NULL;
    size_t reached = 0;
    for (size_t i = 0; has_memory && i < nodes; i++) {
        if (regions.seen[i] == 0) {
            grow_region(&regions, i);
            decide_sides(&regions);
            reached += regions.count;
        }
    }
    CN_ASSERT(!has_memory || reached == nodes); /* every node is in exactly one region */
    free(regions.seen);
    free(regions.node);
    return has_memory ? CN_OK
                      : cn_defect_set(defect, CN_MEMORY, "triangles",
                            "need more memory than there is for their distance field");
}
