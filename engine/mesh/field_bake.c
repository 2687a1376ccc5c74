/*
 * Each visited node is a neighbour of the node before.  The search for its nearest triangle begins
 * with the nearest triangle of the node before, so it rejects most of the tree at once.
 *
 * A grid of few nodes is exact everywhere.  A grid of many nodes, or a sparse one, is exact in the
 * coarse cells (of CN_FIELD_BRICK cells) that come within the band of the surface.  Other coarse
 * cells are exact only at their corners.  Their other nodes are interpolated, also on the faces
 * where the two kinds meet.
 */
#include "engine/mesh/field_bake.h"

#include "engine/base/assert.h"
#include "engine/mesh/field_grid.h"
#include "engine/mesh/mesh_build.h"

#include <stdlib.h>

#define B CN_FIELD_BRICK
#define MARGIN 2            /* cells around the mesh */
#define EXACT_MAX (1 << 21) /* nodes: about two seconds with 10,000 triangles */
#define BAND 8.0            /* cells, of a uniform field with more nodes */
#define BAND_SPARSE 4.0

/*
 * The middle of the grid is the middle of the mesh, so that a symmetric mesh has a symmetric grid.
 * Along the longest extent nodes lie on the mesh's bounds.
 */
static void
place_grid(const struct cn_mesh *mesh, int resolution, bool whole_bricks, struct cn_field *field)
{
    CN_ASSERT(CN_MESH_RESOLUTION_MIN <= resolution && resolution <= CN_MESH_RESOLUTION_MAX);
    cn_vec3 low = mesh->bounds.low, extent = cn_vec3_sub(mesh->bounds.high, low);
    const double size[3] = {extent.x, extent.y, extent.z};
    double half[3], h = fmax(extent.x, fmax(extent.y, extent.z)) / resolution;
    for (int k = 0; k < 3; k++) {
        int cells = (int)ceil(size[k] / h - 1e-9) + 2 * MARGIN;
        if (whole_bricks) {
            cells = (cells + B - 1) / B * B;
        }
        field->count[k] = cells + 1;
        field->coarse_count[k] = cells / B + 1;
        half[k] = 0.5 * (size[k] - h * cells);
        CN_ASSERT(cells > 0 && (!whole_bricks || cells % B == 0)); /* field.h, invariant 2 */
    }
    field->origin = cn_vec3_add(low, cn_vec3_make(half[0], half[1], half[2]));
    field->spacing = h;
    CN_ASSERT(h > 0.0);
}

static size_t
node_count(const struct cn_field *field)
{
    return (size_t)field->count[0] * (size_t)field->count[1] * (size_t)field->count[2];
}

static cn_vec3
node_at(const struct cn_field *field, int x, int y, int z)
{
    return cn_vec3_add_scaled(field->origin, field->spacing, cn_vec3_make(x, y, z));
}

/*
 * Computes exact values of the nodes from low to high, every step-th of them, that have none yet.
 */
static void
measure_nodes(struct cn_field_grid *grid, const int low[3], const int high[3], int step)
{
    int32_t layer = grid->near;
    for (int z = low[2]; z <= high[2]; z += step) {
        int32_t row = layer;
        for (int y = low[1]; y <= high[1]; y += step) {
            int32_t near = row;
            float *value = grid->value + cn_field_grid_index(grid, 0, y, z);
            for (int x = low[0]; x <= high[0]; x += step) {
                if (isnan(value[x])) {
                    cn_vec3 p = node_at(grid->field, x, y, z);
                    value[x] = (float)cn_mesh_distance_from(grid->mesh, p, &near);
                }
                row = x == low[0] ? near : row;
            }
            layer = y == low[1] ? row : layer;
        }
        grid->near = layer;
    }
}

/* Whether the surface comes within the band of the cube, to within a cell. */
static bool
is_near(struct cn_field_grid *grid, cn_vec3 middle, double half)
{
    double away = fabs(cn_mesh_distance_from(grid->mesh, middle, &grid->near));
    if (away <= grid->field->band) {
        return true;
    }
    if (away > grid->field->band + half * sqrt(3.0)) {
        return false;
    }
    if (half < grid->field->spacing) {
        return true;
    }
    for (int k = 0; k < 8; k++) {
        cn_vec3 part = cn_vec3_make((k & 1) != 0 ? 1.0 : -1.0, (k & 2) != 0 ? 1.0 : -1.0,
            (k & 4) != 0 ? 1.0 : -1.0);
        if (is_near(grid, cn_vec3_add_scaled(middle, 0.5 * half, part), 0.5 * half)) {
            return true;
        }
    }
    return false;
}

/*
 * Interpolates the nodes of a coarse cell from its corners.  On a face the neighbour across it
 * computes exactly the same values.
 */
static void
interpolate_cell(struct cn_field_grid *grid, const int low[3])
{
    float corner[8];
    for (int k = 0; k < 8; k++) {
        corner[k] = grid->value[cn_field_grid_index(grid, low[0] + (k & 1) * B,
            low[1] + (k >> 1 & 1) * B, low[2] + (k >> 2) * B)];
    }
    for (int z = 0; z <= B; z++) {
        for (int y = 0; y <= B; y++) {
            float *value =
                grid->value + cn_field_grid_index(grid, low[0], low[1] + y, low[2] + z);
            double u = (double)y / B, v = (double)z / B, end[2];
            for (int k = 0; k < 2; k++) {
                end[k] = (1.0 - v) * ((1.0 - u) * (double)corner[k] + u * (double)corner[k + 2]) +
                         v * ((1.0 - u) * (double)corner[k + 4] + u * (double)corner[k + 6]);
            }
            for (int x = 0; x <= B; x++) {
                double t = (double)x / B;
                value[x] = (float)((1.0 - t) * end[0] + t * end[1]);
            }
        }
    }
}

typedef void visit_coarse(struct cn_field_grid *grid, const int low[3], uint8_t *fine);

static void
for_each_coarse(struct cn_field_grid *grid, uint8_t *fine, visit_coarse *visit)
{
    const int *count = grid->field->coarse_count;
    for (int z = 0; z + 1 < count[2]; z++) {
        for (int y = 0; y + 1 < count[1]; y++) {
            for (int x = 0; x + 1 < count[0]; x++) {
                visit(grid, (const int[3]){B * x, B * y, B * z}, fine++);
            }
        }
    }
}

static void
measure_fine(struct cn_field_grid *grid, const int low[3], uint8_t *fine)
{
    double half = 0.5 * B;
    cn_vec3 middle = cn_vec3_add_scaled(node_at(grid->field, low[0], low[1], low[2]),
        half * grid->field->spacing, cn_vec3_make(1.0, 1.0, 1.0));
    *fine = is_near(grid, middle, half * grid->field->spacing) ? 1 : 0;
    if (*fine != 0) {
        measure_nodes(grid, low, (const int[3]){low[0] + B, low[1] + B, low[2] + B}, 1);
    }
}

static void
interpolate_coarse(struct cn_field_grid *grid, const int low[3], uint8_t *fine)
{
    if (*fine == 0) {
        interpolate_cell(grid, low);
    }
}

/* ---- arrays ---- */

static void
label_cells(const struct cn_field_grid *grid, uint8_t *label)
{
    const int *count = grid->field->count;
    for (int z = 0; z + 1 < count[2]; z++) {
        for (int y = 0; y + 1 < count[1]; y++) {
            for (int x = 0; x + 1 < count[0]; x++) {
                int inside = 0;
                for (int k = 0; k < 8; k++) {
                    size_t node = cn_field_grid_index(
                        grid, x + (k & 1), y + (k >> 1 & 1), z + (k >> 2));
                    inside += grid->value[node] < 0.0F ? 1 : 0;
                }
                *label++ = inside == 0   ? CN_FIELD_OUTSIDE
                           : inside == 8 ? CN_FIELD_INSIDE
                                         : CN_FIELD_BAND;
            }
        }
    }
}

/* Copies the nodes from low on, with the given step. */
static float *
copy_nodes(const struct cn_field_grid *grid, const int low[3], const int count[3], int step,
    float *to)
{
    for (int z = 0; z < count[2]; z++) {
        for (int y = 0; y < count[1]; y++) {
            for (int x = 0; x < count[0]; x++) {
                *to++ = grid->value[cn_field_grid_index(
                    grid, low[0] + x * step, low[1] + y * step, low[2] + z * step)];
            }
        }
    }
    return to;
}

/* Stores coarse nodes, and all nodes of fine cells.  NULL: no memory. */
static void *
compress_field(const struct cn_field_grid *grid, const uint8_t *fine, struct cn_field *field)
{
    static const int whole[3] = {B + 1, B + 1, B + 1}, origin[3] = {0, 0, 0};
    const int *count = field->coarse_count;
    size_t nodes = (size_t)count[0] * (size_t)count[1] * (size_t)count[2], bricks = 0;
    size_t cells = (size_t)(count[0] - 1) * (size_t)(count[1] - 1) * (size_t)(count[2] - 1);
    for (size_t i = 0; i < cells; i++) {
        bricks += fine[i];
    }
    nodes += bricks * (B + 1) * (B + 1) * (B + 1);
    float *memory = malloc(nodes * sizeof(float) + cells * sizeof(int32_t));
    if (memory == NULL) {
        return NULL;
    }
    int32_t *brick_of = (int32_t *)(void *)(memory + nodes);
    float *brick = copy_nodes(grid, origin, count, B, memory);
    field->coarse = memory;
    field->brick = brick;
    field->brick_of = brick_of;
    field->brick_count = (int)bricks;
    int32_t next = 0;
    for (size_t i = 0; i < cells; i++) {
        size_t row = (size_t)(count[0] - 1), layer = row * (size_t)(count[1] - 1);
        int low[3] = {B * (int)(i % row), B * (int)(i % layer / row), B * (int)(i / layer)};
        brick_of[i] = fine[i] != 0 ? next++ : -1;
        if (fine[i] != 0) {
            brick = copy_nodes(grid, low, whole, 1, brick);
        }
    }
    CN_ASSERT(next == field->brick_count && brick == memory + nodes);
    return memory;
}

/* ---- the whole field ---- */

/*
 * Computes the values of all nodes. fine[] says which coarse cells are exact; it is NULL where
 * every node is exact.
 */
static void
fill_nodes(struct cn_field_grid *grid, uint8_t *fine)
{
    const int *count = grid->field->count;
    const int first[3] = {0, 0, 0}, last[3] = {count[0] - 1, count[1] - 1, count[2] - 1};
    size_t nodes = (size_t)count[0] * (size_t)count[1] * (size_t)count[2];
    for (size_t i = 0; i < nodes; i++) {
        grid->value[i] = NAN;
    }
    measure_nodes(grid, first, last, fine != NULL ? B : 1);
    if (fine != NULL) {
        for_each_coarse(grid, fine, measure_fine);
        for_each_coarse(grid, fine, interpolate_coarse);
    }
}

/*
 * Whether the grid shows at least half of the surface: the triangles whose middles have |phi| below
 * a quarter of a cell.  A sheet that passes between nodes is not shown.
 */
static bool
is_shown(const struct cn_mesh *mesh, const struct cn_field *field)
{
    double all = 0.0, shown = 0.0;
    for (int i = 0; i < mesh->triangle_count; i++) {
        const int32_t *v = mesh->triangle[i];
        cn_vec3 a = mesh->vertex[v[0]], b = mesh->vertex[v[1]], c = mesh->vertex[v[2]];
        double area =
            cn_vec3_length(cn_vec3_cross(cn_vec3_sub(b, a), cn_vec3_sub(c, a)));
        cn_vec3 middle = cn_vec3_scale(cn_vec3_add(cn_vec3_add(a, b), c), 1.0 / 3.0);
        all += area;
        shown += fabs(cn_field_distance(field, middle)) < 0.25 * field->spacing ? area : 0.0;
    }
    CN_ASSERT(all > 0.0); /* a weighed mesh has area */
    return (double)field->deepest < 0.0 && shown >= 0.5 * all;
}

static enum cn_status
refuse_memory(struct cn_defect *defect)
{
    return cn_defect_set(
        defect, CN_MEMORY, "triangles", "need more memory than there is for their distance field");
}

/*
 * Stores the values of a complete grid in the field's arrays; *memory is the block that holds them.
 */
static enum cn_status
store_field(struct cn_field_grid *grid, const uint8_t *fine, bool sparse, struct cn_field *field,
    void **memory, struct cn_defect *defect)
{
    if (sparse) {
        *memory = compress_field(grid, fine, field);
        free(grid->value);
        return *memory != NULL ? CN_OK : refuse_memory(defect);
    }
    *memory = grid->value;
    field->value = grid->value;
    uint8_t *label = (uint8_t *)(grid->value + cn_field_grid_index(grid, 0, 0, field->count[2]));
    label_cells(grid, label);
    field->label = label;
    return CN_OK;
}

static float
least_of(const struct cn_field_grid *grid)
{
    float least = 0.0F;
    for (size_t i = cn_field_grid_index(grid, 0, 0, grid->field->count[2]); i-- > 0;) {
        CN_ASSERT(!isnan(grid->value[i])); /* field.h, invariant 3 */
        least = grid->value[i] < least ? grid->value[i] : least;
    }
    return least;
}

/* The square of the largest difference along four parallel edges of a cell. */
static float
rise_square(const float *value, const size_t start[4], size_t along)
{
    float most = 0.0F;
    for (int k = 0; k < 4; k++) {
        float by = fabsf(value[start[k] + along] - value[start[k]]);
        most = by > most ? by : most;
    }
    return most * most;
}

/* Within a cell each component of the gradient is a mean of the differences along four edges. */
static float
steepness_of(const struct cn_field_grid *grid)
{
    const int *count = grid->field->count;
    size_t row = grid->row, layer = grid->layer;
    float most = 0.0F;
    for (int z = 0; z + 1 < count[2]; z++) {
        for (int y = 0; y + 1 < count[1]; y++) {
            const float *value = grid->value + cn_field_grid_index(grid, 0, y, z);
            for (int x = 0; x + 1 < count[0]; x++) {
                float sum =
                    rise_square(value + x, (const size_t[4]){0, row, layer, row + layer}, 1);
                sum += rise_square(value + x, (const size_t[4]){0, 1, layer, 1 + layer}, row);
                sum += rise_square(value + x, (const size_t[4]){0, 1, row, 1 + row}, layer);
                most = sum > most ? sum : most;
            }
        }
    }
    return sqrtf(most) / (float)grid->field->spacing;
}

enum cn_status
cn_field_bake(const struct cn_mesh *mesh, int resolution, bool sparse, struct cn_field *field,
    void **memory, struct cn_defect *defect)
{
    CN_ASSERT(mesh->triangle_count > 0 && mesh->node_count > 0);
    *memory = NULL;
    *field = (struct cn_field){0};
    place_grid(mesh, resolution, false, field);
    bool banded = sparse || node_count(field) > EXACT_MAX;
    place_grid(mesh, resolution, banded, field);
    size_t nodes = node_count(field);
    double *extent = (double[3]){field->count[0], field->count[1], field->count[2]};
    field->band = field->spacing * (sparse   ? BAND_SPARSE
                                    : banded ? BAND
                                             : extent[0] + extent[1] + extent[2]);

    struct cn_field_grid grid = cn_field_grid_over(mesh, field);
    size_t cells = nodes / (B * B * B) + 1; /* at least the number of coarse cells */
    grid.value = malloc(nodes * (sizeof(float) + (sparse ? 0 : 1)));
    uint8_t *fine = banded ? malloc(cells) : NULL;
    enum cn_status status = CN_OK;
    if (grid.value == NULL || (banded && fine == NULL)) {
        status = refuse_memory(defect);
    } else {
        fill_nodes(&grid, fine);
        status = cn_field_grid_sign(&grid, defect);
    }
    if (status != CN_OK) {
        free(grid.value);
        free(fine);
        return status;
    }
    field->deepest = least_of(&grid);
    field->steepness = banded ? HUGE_VALF : steepness_of(&grid);
    CN_ASSERT(field->deepest <= 0.0F && field->steepness > 0.0F);
    status = store_field(&grid, fine, sparse, field, memory, defect);
    free(fine);
    if (status == CN_OK && !is_shown(mesh, field)) {
        return cn_defect_set(defect, CN_GEOMETRY, "triangles",
            "are thinner than the distance field can show: its cells are %g m; more of them, or a "
            "thicker mesh, is needed",
            field->spacing);
    }
    return status;
}
