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
