/*
 * trig.c: sine, cosine and arc tangent from additions, products and quotients only.
 *
 * Sine and cosine.  |x| is brought to [-pi/4, pi/4] by subtracting k pi/2, with pi/2 as a sum of
 * four parts (Cody and Waite).  The first three have 33 bits, and k has at most 20 for |x| <= 1e6,
 * so their products with k are exact; every difference keeps its rounding error in a second double.
 * The functions of the remainder are Taylor sums: their first missing term is below 0.05 ulp.
 *
 * Larger |x| is first taken modulo the double nearest to 2 pi, which fmod does exactly.  Whole
 * turns then have an error of 4e-17 of x: less than half the distance between x and the next
 * double.
 *
 * Arc tangent.  With t = y / x in [0, 1] and c the nearest multiple of 1/8,
 *
 *     atan(t) = atan(c) + atan(r),   r = (y - c x) / (x + c y),   |r| <= 1/16
 *
 * where atan(c) is a table of double pairs and atan(r) a Taylor sum.
 */
#include "engine/math/trig.h"

#include <math.h>
#include <stdint.h>

#define QUARTER_TURNS_PER_RAD 0x1.45f306dc9c883p-1 /* 2 / pi */
#define FULL_TURN 0x1.921fb54442d18p+2             /* 2 pi, rounded */
#define X_EXACT_MAX 1e6

/* A value and the rounding error that it carries. */
struct pair {
    double high, low;
};

/* pi/2 = the sum of these, to 161 bits. */
static const double half_pi_part[4] = {
    0x1.921fb54400000p+0,
    0x1.0b4611a600000p-34,
    0x1.3198a2e000000p-69,
    0x1.b839a252049c1p-104,
};

static const struct pair half_pi = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};
static const struct pair whole_pi = {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};

/* atan(k / 8) */
static const struct pair atan_eighths[9] = {
    {0.0, 0.0},
    {0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
    {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
    {0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
    {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
    {0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
    {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
    {0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
    {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55},
};

/* sum - value, with the rounding error (Knuth's two-sum). */
static struct pair
subtract_double(struct pair sum, double value)
{
    double high = sum.high - value;
    double back = high - sum.high;
    double error = (sum.high - (high - back)) - (value + back);
    return (struct pair){high, sum.low + error};
}

/* Sine of r on [-pi/4, pi/4]: r - r^3/3! + ... to r^17. */
static double
sine_near_zero(struct pair r)
{
    double z = r.high * r.high;
    double sum = 1.0 / 355687428096000.0;
    sum = sum * z - 1.0 / 1307674368000.0;
    sum = sum * z + 1.0 / 6227020800.0;
    sum = sum * z - 1.0 / 39916800.0;
    sum = sum * z + 1.0 / 362880.0;
    sum = sum * z - 1.0 / 5040.0;
    sum = sum * z + 1.0 / 120.0;
    sum = sum * z - 1.0 / 6.0;
    double low = r.low * (1.0 - 0.5 * z); /* the low part is multiplied by the cosine */
    return r.high + (sum * z * r.high + low);
}

/* Cosine of r on [-pi/4, pi/4]: 1 - r^2/2! + ... to r^16. */
static double
cosine_near_zero(struct pair r)
{
    double z = r.high * r.high;
    double sum = 1.0 / 20922789888000.0;
    sum = sum * z - 1.0 / 87178291200.0;
    sum = sum * z + 1.0 / 479001600.0;
    sum = sum * z - 1.0 / 3628800.0;
    sum = sum * z + 1.0 / 40320.0;
    sum = sum * z - 1.0 / 720.0;
    sum = sum * z + 1.0 / 24.0;
    /* 1 - z/2 rounds; the lost part is added back with the small terms. */
    double half = 0.5 * z;
    double high = 1.0 - half;
    double low = ((1.0 - high) - half) + (sum * z * z - r.high * r.low);
    return high + low;
}

void
cn_sin_cos(double x, double *sine, double *cosine)
{
    /* Working on |x| makes the sine odd and the cosine even to the last bit. */
    double magnitude = fabs(x);
    if (magnitude > X_EXACT_MAX) {
        magnitude = fmod(magnitude, FULL_TURN);
    }
    double turned = magnitude * QUARTER_TURNS_PER_RAD + 0.5, quadrant = 0.0;
    struct pair r = {magnitude, 0.0};
    if (!(turned < 1.0)) { /* else k is 0, and nothing is subtracted */
        double k = floor(turned);
        for (int i = 0; i < 4; i++) {
            r = subtract_double(r, k * half_pi_part[i]);
        }
        quadrant = k - 4.0 * floor(0.25 * k);
    }
    double s = sine_near_zero(r);
    double c = cosine_near_zero(r);

    double sine_of_magnitude = s;
    *cosine = c;
    if (quadrant == 1.0) {
        sine_of_magnitude = c;
        *cosine = -s;
    } else if (quadrant == 2.0) {
        sine_of_magnitude = -s;
        *cosine = -c;
    } else if (quadrant == 3.0) {
        sine_of_magnitude = -c;
        *cosine = s;
    }
    *sine = x < 0.0 ? -sine_of_magnitude : sine_of_magnitude;
}

/* atan(y / x) for 0 <= y <= x, 0 < x: a high part, and a correction to add to it. */
static struct pair
atan_octant(double y, double x)
{
    int eighths = (int)floor(8.0 * (y / x) + 0.5);
    double c = 0.125 * eighths;
    double r = (y - c * x) / (x + c * y);
    double z = r * r;
    double sum = -1.0 / 15.0;
    sum = sum * z + 1.0 / 13.0;
    sum = sum * z - 1.0 / 11.0;
    sum = sum * z + 1.0 / 9.0;
    sum = sum * z - 1.0 / 7.0;
    sum = sum * z + 1.0 / 5.0;
    sum = sum * z - 1.0 / 3.0;
    double atan_tail = sum * z * r;
    if (eighths == 0) {
        return (struct pair){r, atan_tail};
    }
    return (struct pair){atan_eighths[eighths].high, atan_eighths[eighths].low + (r + atan_tail)};
}

/* whole - part, rounded once. */
static struct pair
subtract_pair(struct pair whole, struct pair part)
{
    struct pair high = subtract_double((struct pair){whole.high, 0.0}, part.high);
    return (struct pair){high.high, (high.low + whole.low) - part.low};
}

double
cn_atan2(double y, double x)
{
    if (!isfinite(x) || !isfinite(y)) {
        return (x - x) + (y - y); /* NaN; the header excludes such inputs */
    }
    double across = fabs(x), up = fabs(y);
    double longest = up > across ? up : across;
    if (longest == 0.0) {
        return 0.0;
    }
    /* Far from 1 the sums and products of atan_octant would overflow or lose bits. */
    double scale = longest > 0x1p+900 ? 0x1p-900 : longest < 0x1p-900 ? 0x1p+900 : 1.0;
    across *= scale;
    up *= scale;

    struct pair angle =
        up <= across ? atan_octant(up, across) : subtract_pair(half_pi, atan_octant(across, up));
    if (x < 0.0) {
        angle = subtract_pair(whole_pi, angle);
    }
    double result = angle.high + angle.low;
    return y < 0.0 ? -result : result;
}

/* Taylor sums on [-pi/4, pi/4]: the first missing terms are 3e-9 and 2e-8. */
void
cn_sin_cos_quick(const double *angle, int count, float *sine, float *cosine)
{
    for (int i = 0; i < count; i++) {
        double x = angle[i], turns = floor(x * QUARTER_TURNS_PER_RAD + 0.5);
        double r = (x - turns * half_pi.high) - turns * half_pi.low;
        double r2 = r * r;
        double rest = 1.0 / 5040.0 - r2 * (1.0 / 362880.0);
        float s = (float)(r * (1.0 - r2 * (1.0 / 6.0 - r2 * (1.0 / 120.0 - r2 * rest))));
        float c =
            (float)(1.0 - r2 * (0.5 - r2 * (1.0 / 24.0 - r2 * (1.0 / 720.0 - r2 / 40320.0))));
        int quarter = (int)((int64_t)turns & 3);
        float along = (quarter & 1) != 0 ? s : c, up = (quarter & 1) != 0 ? c : s;
        cosine[i] = quarter == 1 || quarter == 2 ? -along : along;
        sine[i] = quarter >= 2 ? -up : up;
    }
}
