/*
 * Samples.
 *
 * Two surfaces first meet with a vertex in a face, or with two edges that cross, and these are
 * always convex.  So a vertex whose edges are all flat or hollow, and a hollow edge, have no
 * samples.
 *
 * Consider an edge that crosses another at depth d, and whose faces fall away from it by half its
 * outer angle theta.  Its length inside is at least 2 d / sin(theta / 2).  So samples at most this
 * far apart
 *
 *     2 NOTICE thickness / sin(theta / 2),   theta its own outer angle
 *
 * find every crossing deeper than NOTICE thicknesses, if not on this edge, then on the other edge:
 * the one with the sharper angle.  Long sharp edges of thin bodies could need any number of
 * samples.  Where this would give more than EDGE_SHARE samples on edges, all are put farther apart.
 * Edges of coarse bodies are searched between samples when bodies meet (mesh_low.h).
 */
#include "engine/base/assert.h"
#include "engine/math/trig.h"
#include "engine/mesh/mesh_build.h"
#include "engine/mesh/mesh_low.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#define NOTICE 0.05
#define FLAT 1e-4        /* rad: edges that turn less are flat */
#define EDGE_MIN 4096    /* samples on edges that are always allowed */
#define EDGE_SHARE 2     /* and this many more for each vertex */
#define EDGE_POINTS 256  /* for one edge */

struct spread {
    struct cn_mesh *mesh;
    struct cn_mesh_edge *edge;
    int32_t *points;   /* of each edge */
    uint8_t *is_sharp; /* of each vertex: an edge of it is convex */
    int32_t *patch;    /* of each triangle */
    uint8_t *vertex_done, *edge_done;
    int patch_count;
};

/* The outer angle of an edge [rad]: positive where it is convex. */
static double
outer_angle(const struct cn_mesh *mesh, const struct cn_mesh_edge *edge)
{
    cn_vec3 along = cn_vec3_sub(mesh->vertex[edge->head], mesh->vertex[edge->tail]);
    cn_vec3 left = mesh->triangle_normal[edge->left], right = mesh->triangle_normal[edge->right];
    cn_vec3 across = cn_vec3_cross(left, right);
    double angle = cn_atan2(cn_vec3_length(across), cn_vec3_dot(left, right));
    return cn_vec3_dot(across, along) >= 0.0 ? angle : -angle;
}

/*
 * Fills points[]; returns the number on all edges.  Points of an edge are `spacing` apart across
 * its half outer angle, so flatter edges get fewer points.
 */
static int
count_points(struct spread *spread, double spacing)
{
    const struct cn_mesh *mesh = spread->mesh;
    double all = 0.0;
    for (int e = 0; e < mesh->edge_count; e++) {
        const struct cn_mesh_edge *edge = &mesh->edge[e];
        double angle = outer_angle(mesh, edge), sine, cosine;
        spread->points[e] = 0;
        if (!(angle > FLAT)) {
            continue;
        }
        spread->is_sharp[edge->tail] = 1;
        spread->is_sharp[edge->head] = 1;
        cn_sin_cos(0.5 * angle, &sine, &cosine);
        double length =
            cn_vec3_length(cn_vec3_sub(mesh->vertex[edge->head], mesh->vertex[edge->tail]));
        double pieces = ceil(length * sine / spacing);
        spread->points[e] = (int)fmin(fmax(pieces - 1.0, 0.0), EDGE_POINTS);
        all += spread->points[e];
    }
    return (int)all;
}

static int
choose_points(struct spread *spread)
{
    struct cn_mesh *mesh = spread->mesh;
    int most = EDGE_SHARE * mesh->vertex_count, points;
    most = most < EDGE_MIN ? EDGE_MIN : most;
    mesh->sample_spacing = 2.0 * NOTICE * mesh->thickness;
    CN_ASSERT(mesh->sample_spacing > 0.0);
    while ((points = count_points(spread, mesh->sample_spacing)) > most) {
        mesh->sample_spacing *= 1.2;
    }
    for (int v = 0; v < mesh->vertex_count; v++) {
        points += spread->is_sharp[v];
    }
    return points;
}

static void
add_sample(struct cn_mesh *mesh, struct cn_mesh_sample *sample, cn_vec3 at, int feature)
{
    sample[mesh->sample_count++] =
        (struct cn_mesh_sample){{(float)at.x, (float)at.y, (float)at.z}, feature};
}

static void
add_samples(struct spread *spread, int triangle, struct cn_mesh_sample *sample)
{
    struct cn_mesh *mesh = spread->mesh;
    for (int k = 0; k < 3; k++) {
        int v = mesh->triangle[triangle][k], e = mesh->triangle_edge[triangle][k];
        if (spread->is_sharp[v] != 0 && spread->vertex_done[v] == 0) {
            spread->vertex_done[v] = 1;
            add_sample(mesh, sample, mesh->vertex[v], v);
        }
        if (spread->edge_done[e] != 0) {
            continue;
        }
        spread->edge_done[e] = 1;
        spread->edge[e].sample_first = mesh->sample_count;
        spread->edge[e].sample_count = spread->points[e];
        cn_vec3 tail = mesh->vertex[mesh->edge[e].tail];
        cn_vec3 along = cn_vec3_sub(mesh->vertex[mesh->edge[e].head], tail);
        for (int i = 1; i <= spread->points[e]; i++) {
            double part = (double)i / (spread->points[e] + 1);
            add_sample(mesh, sample, cn_vec3_add_scaled(tail, part, along), -1 - e);
        }
    }
}

struct ball {
    cn_vec3 center;
    double radius;
};

/* The point farthest from the ball's centre; sets the ball's radius. */
static cn_vec3
furthest_point(const struct cn_mesh *mesh, const int32_t *triangle, int count, struct ball *ball)
{
    cn_vec3 most = ball->center;
    ball->radius = 0.0;
    for (int i = 0; i < 3 * count; i++) {
        cn_vec3 v = mesh->vertex[mesh->triangle[triangle[i / 3]][i % 3]];
        double distance = cn_vec3_length(cn_vec3_sub(v, ball->center));
        if (distance > ball->radius) {
            ball->radius = distance;
            most = v;
        }
    }
    return most;
}

/*
 * Starting at the middle of the box, the centre moves towards the farthest point, by decreasing
 * steps (Badoiu and Clarkson 2003); the smallest ball found is used.
 */
static struct ball
enclose_triangles(const struct spread *spread, const int32_t *triangle, int count)
{
    cn_aabb box = cn_aabb_empty();
    for (int i = 0; i < 3 * count; i++) {
        cn_vec3 v = spread->mesh->vertex[spread->mesh->triangle[triangle[i / 3]][i % 3]];
        cn_vec3 *low = &box.low, *high = &box.high;
        *low = (cn_vec3){fmin(low->x, v.x), fmin(low->y, v.y), fmin(low->z, v.z)};
        *high = (cn_vec3){fmax(high->x, v.x), fmax(high->y, v.y), fmax(high->z, v.z)};
    }
    struct ball ball = {cn_vec3_scale(cn_vec3_add(box.low, box.high), 0.5), 0.0};
    struct ball best = {ball.center, HUGE_VAL};
    for (int round = 1; round <= 32; round++) {
        cn_vec3 most = furthest_point(spread->mesh, triangle, count, &ball);
        best = ball.radius < best.radius ? ball : best;
        ball.center = cn_vec3_add_scaled(
            ball.center, 1.0 / (round + 1), cn_vec3_sub(most, ball.center));
    }
    return best;
}

static void
describe_patch(
    const struct spread *spread, const int32_t *triangle, int count, struct cn_mesh_patch *patch)
{
    CN_ASSERT(count > 0);
    const struct cn_mesh *mesh = spread->mesh;
    struct ball ball = enclose_triangles(spread, triangle, count);
    cn_vec3 normal = {0.0, 0.0, 0.0};
    for (int i = 0; i < count; i++) {
        const int32_t *t = mesh->triangle[triangle[i]];
        cn_vec3 a = mesh->vertex[t[0]], b = mesh->vertex[t[1]], c = mesh->vertex[t[2]];
        normal = cn_vec3_add(normal, cn_vec3_cross(cn_vec3_sub(b, a), cn_vec3_sub(c, a)));
    }
    double length = cn_vec3_length(normal);
    normal = length > 0.0 ? cn_vec3_scale(normal, 1.0 / length) : (cn_vec3){0.0, 0.0, 1.0};
    patch->center[0] = (float)ball.center.x;
    patch->center[1] = (float)ball.center.y;
    patch->center[2] = (float)ball.center.z;
    /* A little larger, because rounding may move the centre and the samples. */
    double far = fabs(ball.center.x) + fabs(ball.center.y) + fabs(ball.center.z) + ball.radius;
    patch->radius = nextafterf((float)(ball.radius + far * (double)FLT_EPSILON), FLT_MAX);
    CN_ASSERT(patch->radius > 0.0F && isfinite(patch->radius));
    patch->normal[0] = (float)normal.x;
    patch->normal[1] = (float)normal.y;
    patch->normal[2] = (float)normal.z;
    patch->triangle_count = count;
}

/* Sorts the triangles by patch; start[i] is the first of patch i. */
static void
sort_triangles(const struct spread *spread, int32_t *start, int32_t *triangle)
{
    int32_t next[CN_MESH_PATCHES_MAX];
    memset(start, 0, (CN_MESH_PATCHES_MAX + 1) * sizeof(*start));
    for (int t = 0; t < spread->mesh->triangle_count; t++) {
        CN_ASSERT(0 <= spread->patch[t] && spread->patch[t] < spread->patch_count);
        start[spread->patch[t] + 1]++;
    }
    for (int i = 0; i < CN_MESH_PATCHES_MAX; i++) {
        start[i + 1] += start[i];
        next[i] = start[i];
    }
    for (int t = 0; t < spread->mesh->triangle_count; t++) {
        triangle[next[spread->patch[t]]++] = t;
    }
    CN_ASSERT(start[CN_MESH_PATCHES_MAX] == spread->mesh->triangle_count);
}

/* Patches without a sample, of hollow parts, are left out: they need no lookups. */
static void
fill_samples(struct spread *spread, int32_t *triangle, struct cn_mesh_sample *sample,
    struct cn_mesh_patch *patch)
{
    struct cn_mesh *mesh = spread->mesh;
    int32_t start[CN_MESH_PATCHES_MAX + 1];
    sort_triangles(spread, start, triangle);
    mesh->sample_count = 0;
    mesh->patch_count = 0;
    for (int i = 0; i < spread->patch_count; i++) {
        int first = mesh->sample_count;
        for (int k = start[i]; k < start[i + 1]; k++) {
            add_samples(spread, triangle[k], sample);
        }
        if (mesh->sample_count > first) {
            struct cn_mesh_patch *made = &patch[mesh->patch_count++];
            describe_patch(spread, triangle + start[i], start[i + 1] - start[i], made);
            made->sample_first = first;
            made->sample_count = mesh->sample_count - first;
        }
    }
    mesh->patch = patch;
    mesh->sample = sample;
    for (int e = 0; e < mesh->edge_count; e++) {
        const struct cn_mesh_edge *edge = &mesh->edge[e];
        if (cn_mesh_is_crease(mesh, e)) {
            cn_vec3 along = cn_vec3_sub(mesh->vertex[edge->head], mesh->vertex[edge->tail]);
            double apart = cn_vec3_length(along) / (edge->sample_count + 1);
            mesh->crease_spacing = fmax(mesh->crease_spacing, apart);
        }
    }
}

static enum cn_status
spread_samples(struct cn_mesh_build *build, struct spread *spread, int32_t *triangle)
{
    const struct cn_mesh *mesh = spread->mesh;
    int samples = choose_points(spread);
    struct cn_mesh_sample *sample = cn_mesh_take(build, samples + CN_MESH_SPARE, sizeof(*sample));
    struct cn_mesh_patch *patch =
        cn_mesh_take(build, CN_MESH_PATCHES_MAX + CN_MESH_SPARE, sizeof(*patch));
    if (sample == NULL || patch == NULL) {
        return cn_mesh_no_memory(build);
    }
    CN_CHECK(cn_mesh_divide(build, samples, spread->patch, &spread->patch_count));
    fill_samples(spread, triangle, sample, patch);
    CN_ASSERT(mesh->sample_count == samples && mesh->patch_count <= spread->patch_count);
    return CN_OK;
}

enum cn_status
cn_mesh_spread(struct cn_mesh_build *build)
{
    struct cn_mesh *mesh = build->mesh;
    size_t vertices = (size_t)mesh->vertex_count, triangles = (size_t)mesh->triangle_count;
    size_t edges = (size_t)mesh->edge_count;
    struct spread spread = {.mesh = mesh,
        .edge = build->edge,
        .points = malloc(edges * sizeof(*spread.points)),
        .patch = malloc(triangles * sizeof(*spread.patch)),
        .is_sharp = calloc(vertices, 1),
        .vertex_done = calloc(vertices, 1),
        .edge_done = calloc(edges, 1)};
    int32_t *triangle = malloc(triangles * sizeof(*triangle));
    enum cn_status status = CN_OK;
    if (spread.points == NULL || spread.patch == NULL || spread.is_sharp == NULL ||
        spread.vertex_done == NULL || spread.edge_done == NULL || triangle == NULL) {
        status = cn_mesh_no_memory(build);
    } else {
        status = spread_samples(build, &spread, triangle);
    }
    free(spread.points);
    free(spread.patch);
    free(spread.is_sharp);
    free(spread.vertex_done);
    free(spread.edge_done);
    free(triangle);
    return status;
}
