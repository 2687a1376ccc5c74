#include "engine/solve/matrix/friction_slide.h"

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

/* The tangent system with the normal force eliminated: (S + k I) f_T = -r. */
struct tangent_system {
    double S[4], r[2];
    double normal[3]; /* f_N = normal[0] + normal[1] f_1 + normal[2] f_2 */
    bool two;
};

static struct tangent_system
eliminate_normal(const double *W, const double *q, bool two)
{
    struct tangent_system s = {.two = two};
    double inverse = 1.0 / W[0];
    int n = two ? 3 : 2;
    s.normal[0] = -q[0] * inverse;
    s.normal[1] = -W[1] * inverse;
    s.normal[2] = two ? -W[2] * inverse : 0.0;
    s.r[0] = q[1] + W[n] * s.normal[0];
    s.S[0] = W[n + 1] + W[n] * s.normal[1];
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
    double low = 0.0, high = 1.0, mu = group->disc[0].friction, D = group->disc[0].effect;
    double best[3] = {cn_max(s->normal[0], 0.0), 0.0, 0.0};
    for (int i = 0; i < BISECTIONS && high - low > 1e-17 * high; i++) {
        double t = 0.5 * (low + high), trial[3] = {0.0, 0.0, 0.0};
        if (t <= low || t >= high) {
            break;
        }
        if (force_at(s, D * t / (1.0 - t), trial) &&
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
solve_slipping(const struct cn_friction_group *group, const double *W, const double *q, double *f)
{
    const struct cn_friction_disc *disc = &group->disc[0];
    double second = disc->count > 1 ? W[2] * disc->slip[1] : 0.0;
    double w = W[0] - disc->friction * (W[1] * disc->slip[0] + second);
    f[0] = q[0] >= 0.0 ? 0.0 : w > 0.0 ? -q[0] / w : f[0];
    for (int i = 1; i < group->count; i++) {
        f[i] = -disc->friction * f[0] * disc->slip[i - 1];
    }
}

void
cn_friction_slide(const struct cn_friction_group *group, const double *W, const double *q,
    double *f)
{
    CN_ASSERT(group->disc_count == 1 && (group->count == 2 || group->count == 3));
    if (group->disc[0].slips) {
        solve_slipping(group, W, q, f);
        return;
    }
    if (q[0] >= 0.0) {
        memset(f, 0, (size_t)group->count * sizeof(f[0]));
        return;
    }
    bool two = group->count > 2;
    struct tangent_system s = eliminate_normal(W, q, two);
    double stick[3];
    if (force_at(&s, 0.0, stick) && in_cone(group->disc[0].friction, stick, two)) {
        memcpy(f, stick, (size_t)group->count * sizeof(f[0]));
        return;
    }
    slide_contact(group, &s, f);
}
