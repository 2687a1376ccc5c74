/*
 * impulse_wide3.h: vectors, frames and small systems of lanes, for the spatial kernels.
 */
#ifndef ENGINE_SOLVE_IMPULSE_IMPULSE_WIDE3_H
#define ENGINE_SOLVE_IMPULSE_IMPULSE_WIDE3_H

#include "engine/solve/impulse/impulse_lanes.h"

typedef struct {
    cn_wide x, y, z;
} wide3;

LANES_INLINE wide3
wide3_add(wide3 a, wide3 b)
{
    return (wide3){a.x + b.x, a.y + b.y, a.z + b.z};
}

LANES_INLINE wide3
wide3_sub(wide3 a, wide3 b)
{
    return (wide3){a.x - b.x, a.y - b.y, a.z - b.z};
}

LANES_INLINE wide3
wide3_scale(cn_wide s, wide3 a)
{
    return (wide3){s * a.x, s * a.y, s * a.z};
}

LANES_INLINE cn_wide
wide3_dot(wide3 a, wide3 b)
{
    return (a.x * b.x + a.y * b.y) + a.z * b.z;
}

LANES_INLINE wide3
wide3_cross(wide3 a, wide3 b)
{
    return (wide3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

LANES_INLINE wide3
wide3_select(cn_wide_mask m, wide3 a, wide3 b)
{
    return (wide3){wide_select(m, a.x, b.x), wide_select(m, a.y, b.y), wide_select(m, a.z, b.z)};
}

/* Orthonormal, t1 x t2 = n. */
struct wide_frame {
    wide3 n, t1, t2;
};

LANES_INLINE struct wide_frame
wide_frame_load(const float n[3][LANES], const float t1[3][LANES])
{
    struct wide_frame f = {.n = {wide_load(n[0]), wide_load(n[1]), wide_load(n[2])},
        .t1 = {wide_load(t1[0]), wide_load(t1[1]), wide_load(t1[2])}};
    f.t2 = wide3_cross(f.n, f.t1);
    return f;
}

/* The frame with the tangents of cn_tangents3. */
LANES_INLINE struct wide_frame
wide_frame_make(wide3 n)
{
    cn_wide one = wide_splat(1.0f), zero = wide_zero();
    cn_wide_mask across_x = wide_greater(wide_splat(0.57f), wide_abs(n.x));
    cn_wide s = one / wide_sqrt(wide_select(
                          across_x, n.y * n.y + n.z * n.z, n.x * n.x + n.y * n.y));
    struct wide_frame f = {.n = n};
    f.t1 = wide3_select(across_x, (wide3){zero, n.z * s, zero - n.y * s},
        (wide3){n.y * s, zero - n.x * s, zero});
    f.t2 = wide3_cross(n, f.t1);
    return f;
}

/* Components along t1, t2, n, and back. */
LANES_INLINE void
wide_frame_in(const struct wide_frame *f, wide3 a, cn_wide out[3])
{
    out[0] = wide3_dot(f->t1, a);
    out[1] = wide3_dot(f->t2, a);
    out[2] = wide3_dot(f->n, a);
}

LANES_INLINE wide3
wide_frame_out(const struct wide_frame *f, const cn_wide in[3])
{
    return (wide3){(in[0] * f->t1.x + in[1] * f->t2.x) + in[2] * f->n.x,
        (in[0] * f->t1.y + in[1] * f->t2.y) + in[2] * f->n.y,
        (in[0] * f->t1.z + in[1] * f->t2.z) + in[2] * f->n.z};
}

/* Solves A x = b for a symmetric A = (xx, yy, zz, xy, yz, zx); x is zero where A is singular. */
LANES_INLINE wide3
lanes_solve3(const cn_wide a[6], wide3 b)
{
    cn_wide xx = a[1] * a[2] - a[4] * a[4], xy = a[4] * a[5] - a[3] * a[2];
    cn_wide xz = a[3] * a[4] - a[1] * a[5], yy = a[0] * a[2] - a[5] * a[5];
    cn_wide yz = a[3] * a[5] - a[0] * a[4], zz = a[0] * a[1] - a[3] * a[3];
    cn_wide inverse = lanes_inverse((a[0] * xx + a[3] * xy) + a[5] * xz);
    return (wide3){inverse * ((xx * b.x + xy * b.y) + xz * b.z),
        inverse * ((xy * b.x + yy * b.y) + yz * b.z),
        inverse * ((xz * b.x + yz * b.y) + zz * b.z)};
}

/* Product of a symmetric (xx, yy, zz, xy, yz, zx) with a vector. */
LANES_INLINE wide3
lanes_apply3(const cn_wide a[6], wide3 v)
{
    return (wide3){(a[0] * v.x + a[3] * v.y) + a[5] * v.z, (a[3] * v.x + a[1] * v.y) + a[4] * v.z,
        (a[5] * v.x + a[4] * v.y) + a[2] * v.z};
}

#endif
