/*
 * Patches: connected parts of the surface of similar size whose normals vary little.
 *
 * Seeds are the triangles farthest from all seeds before.  The patches grow from them together, one
 * triangle at a time, always where it costs least; then each starts again from its middle triangle
 * (Lloyd's method).  A triangle with middle c and normal n costs, for a patch of middle C and mean
 * normal N,
 *
 *     |c - C|^2 / rho^2 + 2 w (1 - n . N),   pi rho^2 = area / patches
 *
 * so that a turn by 60 degrees costs as much as a distance of sqrt(w) radii.
 *
 * Source: Cohen-Steiner, Alliez and Desbrun, Variational Shape Approximation, 2004, sections 3.3
 * and 3.4, with a term for the distance.
 */
#include "engine/base/assert.h"
#include "engine/mesh/mesh_build.h"

#include <stdlib.h>
#include <string.h>

#define ROUNDS 5
#define BENT 0.5 /* w */
#define PER_SQUARE 1.5 /* patches per area of a square of the thickness */
#define PATCH_SAMPLES 24 /* largest average, while there are names for patches */

struct seed {
    cn_vec3 middle, normal;
    int32_t triangle;
};

struct wish {
    double cost;
    int32_t triangle, patch;
};

struct growth {
    const struct cn_mesh *mesh;
    cn_vec3 *middle;
    double *area, *best;
    int32_t *patch; /* of each triangle; -1: none yet */
    struct wish *heap;
    int heap_count, count;
    double per_square; /* 1 / rho^2 */
    struct seed seed[CN_MESH_PATCHES_MAX];
};

static double
cost_of(const struct growth *growth, int t, const struct seed *seed)
{
    cn_vec3 way = cn_vec3_sub(growth->middle[t], seed->middle);
    double turn = 1.0 - cn_vec3_dot(growth->mesh->triangle_normal[t], seed->normal);
    return cn_vec3_dot(way, way) * growth->per_square + 2.0 * BENT * turn;
}

static bool
is_sooner(const struct wish *a, const struct wish *b)
{
    if (a->cost != b->cost) {
        return a->cost < b->cost;
    }
    return a->triangle != b->triangle ? a->triangle < b->triangle : a->patch < b->patch;
}

static void
push_wish(struct growth *growth, struct wish wish)
{
    CN_ASSERT(growth->heap_count <= 3 * growth->mesh->triangle_count + CN_MESH_PATCHES_MAX);
    CN_ASSERT(0 <= wish.patch && wish.patch < CN_MESH_PATCHES_MAX);
    int at = growth->heap_count++;
    while (at > 0 && is_sooner(&wish, &growth->heap[(at - 1) / 2])) {
        growth->heap[at] = growth->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    growth->heap[at] = wish;
}

static struct wish
pop_wish(struct growth *growth)
{
    CN_ASSERT(growth->heap_count > 0);
    struct wish first = growth->heap[0], last = growth->heap[--growth->heap_count];
    int at = 0;
    for (;;) {
        int child = 2 * at + 1;
        if (child >= growth->heap_count) {
            break;
        }
        if (child + 1 < growth->heap_count &&
            is_sooner(&growth->heap[child + 1], &growth->heap[child])) {
            child++;
        }
        if (!is_sooner(&growth->heap[child], &last)) {
            break;
        }
        growth->heap[at] = growth->heap[child];
        at = child;
    }
    growth->heap[at] = last;
    return first;
}

static void
set_seed(struct growth *growth, int patch, int t)
{
    growth->seed[patch] =
        (struct seed){growth->middle[t], growth->mesh->triangle_normal[t], t};
}

/* The triangle with the highest cost for the best of the seeds so far. */
static int
furthest_triangle(struct growth *growth, int patch)
{
    int most = 0;
    for (int t = 0; t < growth->mesh->triangle_count; t++) {
        double cost = cost_of(growth, t, &growth->seed[patch]);
        growth->best[t] = patch == 0 ? cost : fmin(growth->best[t], cost);
        most = growth->best[t] > growth->best[most] ? t : most;
    }
    return most;
}

static void
sow_seeds(struct growth *growth)
{
    set_seed(growth, 0, 0);
    set_seed(growth, 0, furthest_triangle(growth, 0));
    for (int i = 1; i < growth->count; i++) {
        set_seed(growth, i, furthest_triangle(growth, i - 1));
    }
}

/*
 * Continues the growth where triangles are connected with no seed.  Such a triangle becomes a seed
 * of its own while there are names; later it joins the patch of least cost.
 */
static void
grow_rest(struct growth *growth)
{
    for (int t = 0; t < growth->mesh->triangle_count && growth->heap_count == 0; t++) {
        if (growth->patch[t] >= 0) {
            continue;
        }
        if (growth->count < CN_MESH_PATCHES_MAX) {
            set_seed(growth, growth->count, t);
            push_wish(growth, (struct wish){0.0, t, growth->count++});
            return;
        }
        int best = 0;
        for (int i = 1; i < growth->count; i++) {
            double cost = cost_of(growth, t, &growth->seed[i]);
            best = cost < cost_of(growth, t, &growth->seed[best]) ? i : best;
        }
        push_wish(growth, (struct wish){0.0, t, best});
    }
}

static void
grow_patches(struct growth *growth)
{
    const struct cn_mesh *mesh = growth->mesh;
    memset(growth->patch, 0xff, (size_t)mesh->triangle_count * sizeof(*growth->patch));
    growth->heap_count = 0;
    for (int i = 0; i < growth->count; i++) {
        push_wish(growth, (struct wish){0.0, growth->seed[i].triangle, i});
    }
    while (growth->heap_count > 0) {
        struct wish wish = pop_wish(growth);
        if (growth->patch[wish.triangle] < 0) {
            growth->patch[wish.triangle] = wish.patch;
            for (int k = 0; k < 3; k++) {
                const struct cn_mesh_edge *edge =
                    &mesh->edge[mesh->triangle_edge[wish.triangle][k]];
                int other = edge->left == wish.triangle ? edge->right : edge->left;
                if (growth->patch[other] < 0) {
                    double cost = cost_of(growth, other, &growth->seed[wish.patch]);
                    push_wish(growth, (struct wish){cost, other, wish.patch});
                }
            }
        }
        if (growth->heap_count == 0) {
            grow_rest(growth);
        }
    }
}

/*
 * Moves each seed to the middle of its patch: sets its mean point and normal, and the triangle
 * nearest to them.
 */
static void
move_seeds(struct growth *growth)
{
    double area[CN_MESH_PATCHES_MAX] = {0}, best[CN_MESH_PATCHES_MAX];
    struct seed *seed = growth->seed;
    for (int i = 0; i < growth->count; i++) {
        seed[i] = (struct seed){.triangle = seed[i].triangle};
        best[i] = HUGE_VAL;
    }
    for (int t = 0; t < growth->mesh->triangle_count; t++) {
        int i = growth->patch[t];
        CN_ASSERT(0 <= i && i < growth->count);
        area[i] += growth->area[t];
        seed[i].middle = cn_vec3_add_scaled(seed[i].middle, growth->area[t], growth->middle[t]);
        seed[i].normal = cn_vec3_add_scaled(
            seed[i].normal, growth->area[t], growth->mesh->triangle_normal[t]);
    }
    for (int i = 0; i < growth->count; i++) {
        double length = cn_vec3_length(seed[i].normal);
        if (area[i] > 0.0 && length > 0.0) {
            seed[i].middle = cn_vec3_scale(seed[i].middle, 1.0 / area[i]);
            seed[i].normal = cn_vec3_scale(seed[i].normal, 1.0 / length);
        } else {
            set_seed(growth, i, seed[i].triangle);
        }
    }
    for (int t = 0; t < growth->mesh->triangle_count; t++) {
        int i = growth->patch[t];
        double cost = cost_of(growth, t, &seed[i]);
        if (cost < best[i]) {
            best[i] = cost;
            seed[i].triangle = t;
        }
    }
}

static void
make_patches(struct growth *growth, int samples)
{
    const struct cn_mesh *mesh = growth->mesh;
    double area = 0.0;
    for (int t = 0; t < mesh->triangle_count; t++) {
        const int32_t *v = mesh->triangle[t];
        cn_vec3 a = mesh->vertex[v[0]], b = mesh->vertex[v[1]], c = mesh->vertex[v[2]];
        growth->middle[t] = cn_vec3_scale(cn_vec3_add(cn_vec3_add(a, b), c), 1.0 / 3.0);
        growth->area[t] =
            0.5 * cn_vec3_length(cn_vec3_cross(cn_vec3_sub(b, a), cn_vec3_sub(c, a)));
        area += growth->area[t];
    }
    double squares = area / (mesh->thickness * mesh->thickness);
    double wanted = fmax(PER_SQUARE * squares, (double)samples / PATCH_SAMPLES);
    wanted = fmin(fmin(ceil(wanted), CN_MESH_PATCHES_MAX), (double)mesh->triangle_count);
    CN_ASSERT(area > 0.0 && mesh->thickness > 0.0 && wanted >= 1.0);
    growth->count = (int)wanted;
    growth->per_square = 3.14159265358979 * wanted / area;
    sow_seeds(growth);
    for (int round = 0; round < ROUNDS; round++) {
        grow_patches(growth);
        move_seeds(growth);
    }
    grow_patches(growth);
}

enum cn_status
cn_mesh_divide(struct cn_mesh_build *build, int samples, int32_t *patch, int *count)
{
    const struct cn_mesh *mesh = build->mesh;
    size_t triangles = (size_t)mesh->triangle_count;
    struct growth *growth = calloc(1, sizeof(*growth));
    enum cn_status status = CN_OK;
    if (growth == NULL) {
        return cn_mesh_no_memory(build);
    }
    growth->mesh = mesh;
    growth->patch = patch;
    growth->middle = malloc(triangles * sizeof(*growth->middle));
    growth->area = malloc(triangles * sizeof(*growth->area));
    growth->best = malloc(triangles * sizeof(*growth->best));
    /* A triangle is entered once for each of its edges, and once as a seed. */
    growth->heap = malloc((3 * triangles + CN_MESH_PATCHES_MAX + 1) * sizeof(*growth->heap));
    if (growth->middle == NULL || growth->area == NULL || growth->best == NULL ||
        growth->heap == NULL) {
        status = cn_mesh_no_memory(build);
    } else {
        make_patches(growth, samples);
        *count = growth->count;
        CN_ASSERT(0 < *count && *count <= CN_MESH_PATCHES_MAX);
    }
    free(growth->middle);
    free(growth->area);
    free(growth->best);
    free(growth->heap);
    free(growth);
    return status;
}
