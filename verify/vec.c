#include "verify/vec.h"

#include "engine/base/assert.h"

q
vf_dot(struct q_pool *pool, struct vf_vec a, struct vf_vec b)
{
    CN_ASSERT(a.z == NULL || b.z != NULL); /* vec.h, invariant 1 */
    q plane = q_add(pool, q_mul(pool, a.x, b.x), q_mul(pool, a.y, b.y));
    return a.z == NULL ? plane : q_add(pool, plane, q_mul(pool, a.z, b.z));
}

q
vf_cross(struct q_pool *pool, struct vf_vec a, struct vf_vec b)
{
    return q_sub(pool, q_mul(pool, a.x, b.y), q_mul(pool, a.y, b.x));
}

struct vf_vec
vf_turned(struct q_pool *pool, struct vf_vec a, struct vf_vec b)
{
    CN_ASSERT(a.z != NULL);
    if (b.z == NULL) {
        return (struct vf_vec){q_neg(pool, q_mul(pool, a.z, b.y)), q_mul(pool, a.z, b.x), NULL};
    }
    return (struct vf_vec){q_sub(pool, q_mul(pool, a.y, b.z), q_mul(pool, a.z, b.y)),
        q_sub(pool, q_mul(pool, a.z, b.x), q_mul(pool, a.x, b.z)), vf_cross(pool, a, b)};
}

struct vf_vec
vf_moment(struct q_pool *pool, struct vf_vec at, struct vf_vec force)
{
    if (at.z == NULL) {
        return (struct vf_vec){q_int(pool, 0), q_int(pool, 0), vf_cross(pool, at, force)};
    }
    return vf_turned(pool, at, force);
}

struct vf_vec
vf_sub(struct q_pool *pool, struct vf_vec a, struct vf_vec b)
{
    CN_ASSERT(a.z == NULL || b.z != NULL); /* vec.h, invariant 1 */
    return (struct vf_vec){q_sub(pool, a.x, b.x), q_sub(pool, a.y, b.y),
        a.z == NULL ? NULL : q_sub(pool, a.z, b.z)};
}

struct vf_vec
vf_add(struct q_pool *pool, struct vf_vec a, struct vf_vec b)
{
    CN_ASSERT(a.z == NULL || b.z != NULL); /* vec.h, invariant 1 */
    return (struct vf_vec){q_add(pool, a.x, b.x), q_add(pool, a.y, b.y),
        a.z == NULL ? NULL : q_add(pool, a.z, b.z)};
}

struct vf_vec
vf_times(struct q_pool *pool, q s, struct vf_vec a)
{
    return (struct vf_vec){
        q_mul(pool, s, a.x), q_mul(pool, s, a.y), a.z == NULL ? NULL : q_mul(pool, s, a.z)};
}
