#include "engine/solve/matrix/friction_map.h"

#include "engine/base/assert.h"
#include "engine/math/scalar.h"

#include <math.h>
#include <string.h>

#define BISECTIONS 90

static double
length_2(double x, double y)
{
    return sqrt(x * x + y * y);
}

/* max(x, 0), smoothed over a width of e; *slope returns its derivative. */
static double
smooth_positive(double x, double e, double *slope)
{
    double root = sqrt(x * x + 4.0 * e * e);
    if (root == 0.0) {
        *slope = 0.0;
        return 0.0;
    }
    *slope = 0.5 * (1.0 + x / root);
    return x >= 0.0 ? 0.5 * (x + root) : 2.0 * e * e / (root - x);
}

struct projection {
    double keep;     /* P(p) = keep p */
    double by_p[2];  /* d keep / dp */
    double by_rim;
};

/* Projection on the disc of radius rim, smoothed. */
static struct projection
project_on_disc(const double p[2], double rim, double e)
{
    struct projection P = {.keep = 1.0};
    double length = sqrt(p[0] * p[0] + p[1] * p[1] + e * e), slope;
    double excess = smooth_positive(length - rim, e, &slope);
    double size = rim + excess; /* max(length, rim) */
    if (!(size > 0.0)) {
        return P;
    }
    P.keep = rim / size;
    /* d size = slope dlength + (1 - slope) drim */
    P.by_rim = (1.0 - P.keep * (1.0 - slope)) / size;
    for (int i = 0; i < 2; i++) {
        P.by_p[i] = length > 0.0 ? -P.keep / size * slope * p[i] / length : 0.0;
    }
    return P;
}

/* F_T, and its derivatives where by_f is given. */
static void
map_tangents(const struct cn_friction_group *group, double e, const double *f, const double *a,
    double *F, double *by_f, double *by_a)
{
    double D = group->tangent_effect, mu = group->friction, E = group->effect;
    int count = group->count;
    double p[2] = {D * f[1] - a[1], count > 2 ? D * f[2] - a[2] : 0.0}, slope;
    double rim = D * mu * smooth_positive(f[0] - a[0] / E, e / E, &slope);
    struct projection P = project_on_disc(p, rim, e);
    for (int i = 1; i < count; i++) {
        F[i] = P.keep == 1.0 ? a[i] : D * f[i] - P.keep * p[i - 1];
        if (by_f == NULL) {
            continue;
        }
        double by_rim = p[i - 1] * P.by_rim * D * mu * slope;
        by_f[3 * i] = -by_rim;
        by_a[3 * i] = by_rim / E;
        for (int j = 1; j < count; j++) {
            double by_p = (i == j ? P.keep : 0.0) + p[i - 1] * P.by_p[j - 1];
            by_f[3 * i + j] = (i == j ? D : 0.0) - by_p * D;
            by_a[3 * i + j] = by_p;
        }
    }
}

static void
map_slipping(const struct cn_friction_group *group, const double *f, double *F, double *by_f)
{
    double D = group->tangent_effect, mu = group->friction;
    for (int i = 1; i < group->count; i++) {
        double d = group->slip[i - 1];
        F[i] = D * (f[i] + mu * cn_max(f[0], 0.0) * d);
        if (by_f != NULL) {
            by_f[3 * i + i] = D;
            by_f[3 * i] = f[0] > 0.0 ? D * mu * d : 0.0;
        }
    }
}

/*
 * F of a BOUNDED row: a minus the pull below the lower limit, plus the push above the upper limit.
 */
static double
map_bounded(const struct cn_friction_group *group, double e, double f, double a, double *by_f,
    double *by_a)
{
    double E = group->effect, pull = E * f - a, slope_low = 0.0, slope_high = 0.0, F = a;
    if (isfinite(group->lower)) {
        F -= smooth_positive(E * group->lower - pull, e, &slope_low);
    }
    if (isfinite(group->upper)) {
        F += smooth_positive(pull - E * group->upper, e, &slope_high);
    }
    *by_f = slope_low + slope_high;
    *by_a = 1.0 - *by_f;
    return F;
}

/* F of the first row, and its derivatives by E f and a. */
static double
map_first(const struct cn_friction_group *group, double e, double f, double a, double *by_f,
    double *by_a)
{
    double E = group->effect, pull = E * f - a, low, high = 0.0;
    if (group->tag == CN_ROW_BILATERAL) {
        *by_f = 0.0;
        *by_a = 1.0;
        return a;
    }
    if (group->tag == CN_ROW_BOUNDED) {
        return map_bounded(group, e, f, a, by_f, by_a);
    }
    high = smooth_positive(pull, e, &low); /* min(a, E f) = E f - max(E f - a, 0) */
    *by_f = 1.0 - low;
    *by_a = low;
    return e == 0.0 && pull >= 0.0 ? a : E * f - high;
}

void
cn_friction_map(const struct cn_friction_group *group, double e, const double *f, const double *a,
    double *F)
{
    double by_f, by_a;
    F[0] = map_first(group, e, f[0], a[0], &by_f, &by_a);
    if (group->count > 1 && group->slips) {
        map_slipping(group, f, F, NULL);
    } else if (group->count > 1) {
        map_tangents(group, e, f, a, F, NULL, NULL);
    }
}

bool
cn_friction_derive(const struct cn_friction_group *group, double e, const double *f,
    const double *a, double by_f[9], double by_a[9])
{
    CN_ASSERT(1 <= group->count && group->count <= 3);
    double F[3];
    memset(by_f, 0, 9 * sizeof(by_f[0]));
    memset(by_a, 0, 9 * sizeof(by_a[0]));
    map_first(group, e, f[0], a[0], by_f, by_a);
    by_f[0] *= group->effect;
    if (group->count > 1 && group->slips) {
        map_slipping(group, f, F, by_f);
    } else if (group->count > 1) {
        map_tangents(group, e, f, a, F, by_f, by_a);
    }
    for (int i = 0; i < 9; i++) {
        if (by_a[i] != 0.0) {
            return true;
        }
    }
    return false;
}

/* The tangent system with the normal force eliminated: (S + k I) f_T = -r. */
struct tangent_system {
    double S[4], r[2];
    double normal[3]; /* f_N = normal[0] + normal[1] f_1 + normal[2] f_2 */
    bool two;
};

static struct tangent_system
eliminate_normal(const double W[9], const double *q, bool two)
{
    struct tangent_system s = {.two = two};
    double inverse = 1.0 / W[0];
    s.normal[0] = -q[0] * inverse;
    s.normal[1] = -W[1] * inverse;
    s.normal[2] = two ? -W[2] * inverse : 0.0;
    s.r[0] = q[1] + W[3] * s.normal[0];
    s.S[0] = W[4] + W[3] * s.normal[1];
    if (two) {
        s.r[1] = q[2] + W[6] * s.normal[0];
        s.S[1] = W[5] + W[3] * s.normal[2];
        s.S[2] = W[7] + W[6] * s.normal[1];
        s.S[3] = W[8] + W[6] * s.normal[2];
    }
    return s;
}

/* Writes f for one k; false where the matrix is singular. */
static bool
force_at(const struct tangent_system *s, double k, double *f)
{
    double f1, f2 = 0.0;
    if (s->two) {
        double p = s->S[0] + k, q = s->S[3] + k, det = p * q - s->S[1] * s->S[2];
        if (!(det > 1e-14 * fabs(p * q))) {
            return false;
        }
        f1 = (-s->r[0] * q + s->r[1] * s->S[1]) / det;
        f2 = (-s->r[1] * p + s->r[0] * s->S[2]) / det;
        f[2] = f2;
    } else {
        if (!(s->S[0] + k > 0.0)) {
            return false;
        }
        f1 = -s->r[0] / (s->S[0] + k);
    }
    f[1] = f1;
    f[0] = s->normal[0] + s->normal[1] * f1 + s->normal[2] * f2;
    return true;
}

static bool
in_cone(double mu, const double *f, bool two)
{
    return length_2(f[1], two ? f[2] : 0.0) <= mu * f[0];
}

/* k is searched as D t / (1 - t), t from 0 to 1. */
static void
slide_contact(const struct cn_friction_group *group, const struct tangent_system *s, double *f)
{
    double low = 0.0, high = 1.0, mu = group->friction;
    double best[3] = {cn_max(s->normal[0], 0.0), 0.0, 0.0};
    for (int i = 0; i < BISECTIONS && high - low > 1e-17 * high; i++) {
        double t = 0.5 * (low + high), trial[3] = {0.0, 0.0, 0.0};
        if (t <= low || t >= high) {
            break;
        }
        if (force_at(s, group->tangent_effect * t / (1.0 - t), trial) &&
            in_cone(mu, trial, s->two)) {
            high = t;
            memcpy(best, trial, sizeof(best));
        } else {
            low = t;
        }
    }
    memcpy(f, best, (size_t)group->count * sizeof(f[0]));
}

static void
solve_slipping(const struct cn_friction_group *group, const double W[9], const double *q, double *f)
{
    double w = W[0] - group->friction * (W[1] * group->slip[0] + W[2] * group->slip[1]);
    f[0] = q[0] >= 0.0 ? 0.0 : w > 0.0 ? -q[0] / w : f[0];
    for (int i = 1; i < group->count; i++) {
        f[i] = -group->friction * f[0] * group->slip[i - 1];
    }
}

void
cn_friction_solve(const struct cn_friction_group *group, const double W[9], const double *q,
    double *f)
{
    CN_ASSERT(1 <= group->count && group->count <= 3);
    CN_ASSERT(group->count == 1 || group->tag == CN_ROW_NORMAL);
    bool two = group->count > 2;
    if (!(W[0] > 0.0)) {
        return;
    }
    if (group->count == 1) {
        f[0] = -q[0] / W[0];
        if (group->tag != CN_ROW_BILATERAL) {
            bool bounded = group->tag == CN_ROW_BOUNDED;
            f[0] = cn_max(f[0], bounded ? group->lower : 0.0);
            f[0] = bounded ? cn_min(f[0], group->upper) : f[0];
        }
        return;
    }
    if (group->slips) {
        solve_slipping(group, W, q, f);
        return;
    }
    if (q[0] >= 0.0) {
        memset(f, 0, (size_t)group->count * sizeof(f[0]));
        return;
    }
    struct tangent_system s = eliminate_normal(W, q, two);
    double stick[3];
    if (force_at(&s, 0.0, stick) && in_cone(group->friction, stick, two)) {
        memcpy(f, stick, (size_t)group->count * sizeof(f[0]));
        return;
    }
    slide_contact(group, &s, f);
}

