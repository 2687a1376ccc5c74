/*
 * dot.h: inner products with a fixed order of summation.
 *
 * Four accumulators keep the pipeline full although the compiler may not reorder sums.  They make
 * the bits of the sum the same for every compiler and SIMD width.
 */
#ifndef ENGINE_LINALG_DOT_H
#define ENGINE_LINALG_DOT_H

static inline double
cn_dot(const double *x, const double *y, int n)
{
    double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        s0 += x[i] * y[i];
        s1 += x[i + 1] * y[i + 1];
        s2 += x[i + 2] * y[i + 2];
        s3 += x[i + 3] * y[i + 3];
    }
    for (; i < n; i++) {
        s0 += x[i] * y[i];
    }
    return (s0 + s2) + (s1 + s3);
}

/* y += s x */
static inline void
cn_axpy(double s, const double *restrict x, double *restrict y, int n)
{
    for (int i = 0; i < n; i++) {
        y[i] += s * x[i];
    }
}

#endif
