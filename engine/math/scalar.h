/* scalar.h: small functions of real numbers. */
#ifndef ENGINE_MATH_SCALAR_H
#define ENGINE_MATH_SCALAR_H

#define CN_PI 3.14159265358979323846

static inline double
cn_min(double a, double b)
{
    return a < b ? a : b;
}

static inline double
cn_max(double a, double b)
{
    return a > b ? a : b;
}

static inline double
cn_clamp(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

#endif
