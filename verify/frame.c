#include "verify/frame.h"

#include "engine/base/assert.h"

struct vf_vec
vf_vector(struct q_pool *pool, cn_vec3 v)
{
    return (struct vf_vec){
        q_of_double(pool, v.x), q_of_double(pool, v.y), q_of_double(pool, v.z)};
}

static struct vf_vec
unit_axis(struct q_pool *pool, int k)
{
    return (struct vf_vec){q_int(pool, k == 0), q_int(pool, k == 1), q_int(pool, k == 2)};
}

/* Axis k turned by the quaternion: v + 2 (w p x v + p x (p x v)) / q.q, p its vector. */
struct vf_frame
vf_frame_of(struct q_pool *pool, cn_vec3 position, cn_quat quat)
{
    struct vf_frame frame = {.origin = vf_vector(pool, position)};
    bool none = quat.w == 0.0 && quat.x == 0.0 && quat.y == 0.0 && quat.z == 0.0;
    q w = q_of_double(pool, none ? 1.0 : quat.w);
    struct vf_vec p = vf_vector(pool, cn_vec3_make(quat.x, quat.y, quat.z));
    q size = q_add(pool, q_mul(pool, w, w), vf_dot(pool, p, p));
    CN_ASSERT(mpq_sgn(size) > 0);
    q two = q_div(pool, q_int(pool, 2), size);
    for (int k = 0; k < 3; k++) {
        struct vf_vec v = unit_axis(pool, k), pv = vf_turned(pool, p, v);
        struct vf_vec bend = vf_add(pool, vf_times(pool, w, pv), vf_turned(pool, p, pv));
        frame.axis[k] = vf_add(pool, v, vf_times(pool, two, bend));
    }
    return frame;
}

struct vf_vec
vf_frame_turn(struct q_pool *pool, const struct vf_frame *f, struct vf_vec v)
{
    return vf_add(pool,
        vf_add(pool, vf_times(pool, v.x, f->axis[0]), vf_times(pool, v.y, f->axis[1])),
        vf_times(pool, v.z, f->axis[2]));
}

struct vf_vec
vf_frame_place(struct q_pool *pool, const struct vf_frame *f, struct vf_vec v)
{
    return vf_add(pool, f->origin, vf_frame_turn(pool, f, v));
}

q
vf_part(struct vf_vec v, int k)
{
    CN_ASSERT(0 <= k && k < 3);
    return k == 0 ? v.x : k == 1 ? v.y : v.z;
}

/* tensor += s a a' */
void
vf_add_square(struct q_pool *pool, q *tensor, q s, struct vf_vec a)
{
    for (int k = 0; k < 9; k++) {
        q product = q_mul(pool, q_mul(pool, vf_part(a, k / 3), vf_part(a, k % 3)), s);
        tensor[k] = q_add(pool, tensor[k], product);
    }
}

void
vf_add_diagonal(struct q_pool *pool, q *tensor, q s)
{
    for (int k = 0; k < 9; k += 4) {
        tensor[k] = q_add(pool, tensor[k], s);
    }
}

/* tensor += m (c.c 1 - c c') */
void
vf_add_arm(struct q_pool *pool, q *tensor, q m, struct vf_vec c)
{
    vf_add_diagonal(pool, tensor, q_mul(pool, m, vf_dot(pool, c, c)));
    vf_add_square(pool, tensor, q_neg(pool, m), c);
}
