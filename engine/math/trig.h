/*
 * trig.h: sine, cosine and arc tangent with the same bits on every machine.
 *
 * The C library's functions differ between builds, so a step never calls them.  Errors against the
 * exact value are below 2 ulp for |x| <= 1e6; tests/unit/engine/math/test_trig.c states them.
 */
#ifndef ENGINE_MATH_TRIG_H
#define ENGINE_MATH_TRIG_H

/* x in rad, finite.  Beyond |x| = 1e6 accuracy falls slowly; results stay within [-1, 1]. */
void cn_sin_cos(double x, double *sine, double *cosine);

/* The sines and cosines of `count` angles, |x| <= 1e6, to within 1e-7, but faster. */
void cn_sin_cos_quick(const double *angle, int count, float *sine, float *cosine);

/* The angle of (x, y) in (-pi, pi]; 0 for (0, 0). */
double cn_atan2(double y, double x);

#endif
