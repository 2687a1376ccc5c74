/*
 * fast_spatial_mesh_carry.c: gives the impulses of the last tick to the points of this one.
 *
 * Where bodies that are not convex touch, points and manifolds come and go while the load stays.
 * So every old point gives its impulse to the new point that is nearest in position and normal.  A
 * new point may get several impulses, and friction goes where the impulses of its manifold go.  An
 * impulse is lost only if there is no such point.  If impulses were lost with their points, as
 * happens to a tenth of them in a heap of rings, the bodies above would sink a little in every
 * tick.
 *
 * Of the last tick's geometry only features and normals persist; the normal is the manifold's hint.
 */
#include "engine/base/assert.h"
#include "engine/collide/mesh/fast_spatial_mesh.h"

#include <string.h>

#define NEAR_SQUARE 18    /* of features, in steps: a farther point is another one */
#define TURN_COST 10.0F   /* steps squared that 1 - cosine of two normals counts for */
#define ALIKE_COSINE 0.7F /* of normals: the least for which a point may get an impulse */
#define GRID 32767.0F     /* a packed normal has 16 bits along each of two axes */

int
cn_fast_mesh_apart(uint32_t feature, uint32_t other)
{
    int sum = 0;
    for (int shift = 0; shift <= 10; shift += 5) {
        int difference = (int)(feature >> shift & 31U) - (int)(other >> shift & 31U);
        sum += difference * difference;
    }
    return sum;
}

/* ---- normals in 32 bits ---- */

/* From the octahedron's lower half to the corners of the square, and back. */
static void
fold(float *x, float *y)
{
    float u = (1.0F - fabsf(*y)) * (*x < 0.0F ? -1.0F : 1.0F);
    *y = (1.0F - fabsf(*x)) * (*y < 0.0F ? -1.0F : 1.0F);
    *x = u;
}

uint32_t
cn_fast_mesh_normal_pack(const float normal[3])
{
    float size = fabsf(normal[0]) + fabsf(normal[1]) + fabsf(normal[2]);
    float x = normal[0] / size, y = normal[1] / size;
    if (normal[2] < 0.0F) {
        fold(&x, &y);
    }
    return (uint32_t)((x + 1.0F) * GRID + 0.5F) << 16 | (uint32_t)((y + 1.0F) * GRID + 0.5F);
}

void
cn_fast_mesh_normal_unpack(uint32_t packed, float normal[3])
{
    float x = (float)(packed >> 16) / GRID - 1.0F;
    float y = (float)(packed & 0xffffU) / GRID - 1.0F;
    float z = 1.0F - fabsf(x) - fabsf(y);
    if (z < 0.0F) {
        fold(&x, &y);
    }
    float size = sqrtf(x * x + y * y + z * z);
    normal[0] = x / size;
    normal[1] = y / size;
    normal[2] = z / size;
}

/* ---- impulses ---- */

static float
dot(const float a[3], const float b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* The manifolds of a tick. */
struct present {
    struct cn_manifold3 *const *manifold;
    int count;
};

/*
 * The new point nearest to an old one with that normal.  Returns its manifold; -1: not found.
 */
static int
find_heir(const struct present *now, const float normal[3], uint32_t feature, int *point)
{
    int heir = -1;
    float least = HUGE_VALF;
    for (int i = 0; i < now->count; i++) {
        const struct cn_manifold3 *m = now->manifold[i];
        float cosine = dot(normal, m->normal);
        if (cosine < ALIKE_COSINE) {
            continue;
        }
        for (int k = 0; k < m->point_count; k++) {
            int apart = cn_fast_mesh_apart(feature, m->point[k].feature);
            float cost = (float)apart + TURN_COST * (1.0F - cosine);
            if (apart <= NEAR_SQUARE && cost < least) {
                least = cost;
                heir = i;
                *point = k;
            }
        }
    }
    return heir;
}

/* Gives a part of an old manifold's friction to a new one, as much as of its impulses. */
static void
carry_friction(
    const struct cn_manifold3 *old, const float normal[3], float part, struct cn_manifold3 *to)
{
    float first[3], second[3], force[3];
    cn_tangents3(normal, first, second);
    for (int axis = 0; axis < 3; axis++) {
        force[axis] = part * (old->tangent_impulse[0] * first[axis] +
                                 old->tangent_impulse[1] * second[axis]);
        to->rolling_impulse[axis] += part * old->rolling_impulse[axis];
    }
    cn_tangents3(to->normal, first, second);
    to->tangent_impulse[0] += dot(force, first);
    to->tangent_impulse[1] += dot(force, second);
    to->twist_impulse += part * old->twist_impulse;
}

static void
carry_over(const struct cn_manifold3 *old, const struct present *now)
{
    CN_ASSERT(now->count <= CN_FAST_MESH_MANIFOLDS_MAX);
    CN_ASSERT(old->point_count <= CN_POINTS_SPATIAL_MAX); /* fast.h, invariant 1 */
    float normal[3], share[CN_FAST_MESH_MANIFOLDS_MAX] = {0.0F}, all = 0.0F;
    cn_fast_mesh_normal_unpack(old->hint, normal);
    for (int k = 0; k < old->point_count; k++) {
        const struct cn_point3 *point = &old->point[k];
        int to = 0, heir = -1;
        if (point->normal_impulse > 0.0F) {
            heir = find_heir(now, normal, point->feature, &to);
            all += point->normal_impulse;
        }
        CN_ASSERT(heir < now->count);
        if (heir >= 0) {
            now->manifold[heir]->point[to].normal_impulse += point->normal_impulse;
            now->manifold[heir]->point[to].total_impulse += point->total_impulse;
            share[heir] += point->normal_impulse;
        }
    }
    for (int i = 0; i < now->count; i++) {
        if (share[i] > 0.0F) {
            carry_friction(old, normal, share[i] / all, now->manifold[i]);
        }
    }
}

void
cn_fast_mesh_finish(const struct cn_fast_mesh_found *found, const float between[3],
    const struct cn_manifold3 *const *last, int last_count, struct cn_manifold3 *const *now)
{
    CN_ASSERT(0 <= found->manifold_count);
    CN_ASSERT(found->manifold_count <= CN_FAST_MESH_MANIFOLDS_MAX);
    const struct present present = {now, found->manifold_count};
    for (int i = 0; i < found->manifold_count; i++) {
        const struct cn_fast_mesh_manifold *from = &found->manifold[i];
        CN_ASSERT(0 <= from->point_count && from->point_count <= CN_POINTS_SPATIAL_MAX);
        struct cn_manifold3 *to = now[i];
        memset(to, 0, offsetof(struct cn_manifold3, point));
        memcpy(to->normal, from->normal, sizeof(to->normal));
        to->point_count = from->point_count;
        to->hint = cn_fast_mesh_normal_pack(from->normal);
        for (int k = 0; k < from->point_count; k++) {
            struct cn_point3 *point = &to->point[k];
            for (int axis = 0; axis < 3; axis++) {
                point->anchor_a[axis] = from->point[k].place[axis];
                point->anchor_b[axis] = from->point[k].place[axis] - between[axis];
            }
            point->separation = from->point[k].separation;
            point->normal_impulse = point->total_impulse = 0.0F;
            CN_ASSERT(from->point[k].feature <= 0xffffU); /* fast.h, invariant 2 */
            point->feature = from->point[k].feature;
        }
    }
    for (int i = 0; i < last_count; i++) {
        carry_over(last[i], &present);
    }
}
