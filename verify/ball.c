/*
 * ball.c: where a ball touches a ball or a cuboid, and what touches a half space, by the rules of
 * docs/certificates.md.
 */
#include "engine/base/assert.h"
#include "verify/scene.h"

/* The point of a cuboid nearest to p; a ball's is its centre. */
static struct vf_vec
nearest_to(struct q_pool *pool, const struct vf_shape *shape, struct vf_vec p)
{
    struct vf_vec at = shape->center;
    for (int k = 0; k < 3 && !shape->is_disc; k++) {
        q x = vf_dot(pool, vf_sub(pool, p, shape->center), shape->axis[k]);
        x = q_max(q_neg(pool, shape->half[k]), q_min(x, shape->half[k]));
        at = vf_add(pool, at, vf_times(pool, x, shape->axis[k]));
    }
    return at;
}

void
vf_ball_meet(struct vf_scene *scene, const struct vf_shape *a, const struct vf_shape *b, q near,
    struct vf_found *found)
{
    CN_ASSERT(a->is_disc || b->is_disc);
    struct q_pool *pool = &scene->pool;
    struct vf_vec on_a = nearest_to(pool, a, b->center), on_b = nearest_to(pool, b, a->center);
    struct vf_vec way = vf_sub(pool, on_b, on_a);
    q square = vf_dot(pool, way, way), distance = q_root(pool, square);
    bool is_inside = mpq_sgn(distance) == 0;
    q gap = q_sub(pool, distance, q_add(pool, a->radius, b->radius));
    found->overlaps = q_less(gap, q_neg(pool, near));
    found->count = !found->overlaps && !q_less(near, gap) ? 1 : 0;
    found->normal = is_inside ? scene->gravity
                              : vf_times(pool, q_div(pool, q_int(pool, 1), distance), way);
    bool from_b = a->is_disc && !b->is_disc; /* the point is on the cuboid */
    struct vf_vec rim = vf_times(pool, a->radius, found->normal);
    found->point[0] = from_b ? on_b : vf_add(pool, on_a, rim);
}

void
vf_half_space_meet(struct q_pool *pool, const struct vf_shape *plane, const struct vf_shape *other,
    q near, struct vf_found *found)
{
    CN_ASSERT(plane->n == 0 && 0 < other->n && other->n <= VF_POINTS_MAX);
    struct vf_vec n = plane->normal[0];
    found->normal = n;
    for (int i = 0; i < other->n; i++) {
        q height = q_sub(pool, vf_dot(pool, n, other->corner[i]), plane->offset);
        q h = q_sub(pool, height, other->radius);
        found->overlaps = found->overlaps || q_less(h, q_neg(pool, near));
        if (!q_less(near, h)) {
            found->point[found->count++] =
                vf_sub(pool, other->corner[i], vf_times(pool, height, n));
        }
    }
    found->count = found->overlaps ? 0 : found->count;
}
