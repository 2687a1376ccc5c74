/* quat.h: unit quaternions (w, x, y, z), orientation of a body frame in the world. */
#ifndef ENGINE_MATH_QUAT_H
#define ENGINE_MATH_QUAT_H

#include "engine/math/mat33.h"
#include "engine/math/trig.h"

typedef struct {
    double w, x, y, z;
} cn_quat;

static inline cn_quat
cn_quat_identity(void)
{
    return (cn_quat){1.0, 0.0, 0.0, 0.0};
}

/* Rotation by `angle` [rad] about z. */
static inline cn_quat
cn_quat_about_z(double angle)
{
    cn_quat q = {0.0, 0.0, 0.0, 0.0};
    cn_sin_cos(0.5 * angle, &q.z, &q.w);
    return q;
}

/* The rotation b followed by the rotation a. */
static inline cn_quat
cn_quat_multiply(cn_quat a, cn_quat b)
{
    return (cn_quat){
        a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
        a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
        a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
        a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
    };
}

/* The inverse rotation. */
static inline cn_quat
cn_quat_conjugate(cn_quat q)
{
    return (cn_quat){q.w, -q.x, -q.y, -q.z};
}

static inline cn_quat
cn_quat_add_scaled(cn_quat a, double s, cn_quat b)
{
    return (cn_quat){a.w + s * b.w, a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static inline double
cn_quat_length(cn_quat q)
{
    return sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
}

/* q scaled to unit length; q is not zero. */
static inline cn_quat
cn_quat_normalize(cn_quat q)
{
    double s = 1.0 / cn_quat_length(q);
    return (cn_quat){q.w * s, q.x * s, q.y * s, q.z * s};
}

/* dq/dt = (0, w) q / 2 of a body that turns at w [rad/s, world]. */
static inline cn_quat
cn_quat_rate(cn_quat q, cn_vec3 w)
{
    return cn_quat_multiply((cn_quat){0.0, 0.5 * w.x, 0.5 * w.y, 0.5 * w.z}, q);
}

/* q rotated further by a small vector [rad, world]; the error is of third order. */
static inline cn_quat
cn_quat_turn_by(cn_quat q, cn_vec3 angle)
{
    return cn_quat_normalize(cn_quat_add_scaled(q, 1.0, cn_quat_rate(q, angle)));
}

/* q rotated further by a vector [rad, world] of any size. */
static inline cn_quat
cn_quat_rotate_by(cn_quat q, cn_vec3 angle)
{
    double size = cn_vec3_length(angle), sine, cosine;
    if (size < 1e-6) {
        return cn_quat_turn_by(q, angle);
    }
    cn_sin_cos(0.5 * size, &sine, &cosine);
    double s = sine / size;
    cn_quat turn = {cosine, s * angle.x, s * angle.y, s * angle.z};
    return cn_quat_normalize(cn_quat_multiply(turn, q));
}

static inline cn_mat33
cn_quat_to_mat33(cn_quat q)
{
    double xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
    double xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
    double wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
    return (cn_mat33){
        {1.0 - 2.0 * (yy + zz), 2.0 * (xy + wz), 2.0 * (xz - wy)},
        {2.0 * (xy - wz), 1.0 - 2.0 * (xx + zz), 2.0 * (yz + wx)},
        {2.0 * (xz + wy), 2.0 * (yz - wx), 1.0 - 2.0 * (xx + yy)},
    };
}

#endif
