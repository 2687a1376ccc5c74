#include "engine/solve/matrix/friction_contact.h"

#include "engine/base/assert.h"
#include "engine/math/scalar.h"
#include "engine/solve/matrix/friction_slide.h"

#include <math.h>
#include <string.h>

#define ROWS CN_ROWS_PER_CONTACT
#define STEPS_MAX 20
#define HALVINGS_MAX 8
#define ROUNDS_MAX 60
#define PROJECTIONS 4
/* F of this size, relative to the accelerations that it is a difference of, is rounding. */
#define ROUNDING 1e-14
#define ROUNDING_MAX 1e-12
#define WIDE 1.0 /* the first e, relative to q */
#define SHRINK 0.2
#define PIVOT_MIN 1e-13

/* a = W f + q */
static void
rates(const struct cn_friction_group *group, const double *W, const double *q, const double *f,
    double *a)
{
    int n = group->count;
    for (int i = 0; i < n; i++) {
        a[i] = q[i];
        for (int j = 0; j < n; j++) {
            a[i] += W[n * i + j] * f[j];
        }
    }
}

/* F at f, smoothed by e; returns its largest part, relative to the accelerations in it. */
static double
evaluate(const struct cn_friction_group *group, const double *W, const double *q, double e,
    const double *f, double *a, double *F)
{
    double size = 0.0, off = 0.0;
    rates(group, W, q, f, a);
    cn_friction_map(group, e, f, a, F);
    for (int i = 0; i < group->count; i++) {
        size = cn_max(size, cn_max(fabs(q[i]), fabs(cn_friction_effect(group, i) * f[i])));
        off = cn_max(off, fabs(F[i]));
    }
    return size > 0.0 ? off / size : off;
}

/* Solves J d = -F by elimination with the largest pivots.  False: J is singular. */
static bool
solve_linear(int n, double *J, const double *F, double *d)
{
    for (int i = 0; i < n; i++) {
        d[i] = -F[i];
    }
    double most = 0.0;
    for (int c = 0; c < n; c++) {
        int best = c;
        for (int i = c + 1; i < n; i++) {
            best = fabs(J[n * i + c]) > fabs(J[n * best + c]) ? i : best;
        }
        most = cn_max(most, fabs(J[n * best + c]));
        if (!(fabs(J[n * best + c]) > PIVOT_MIN * most)) {
            return false;
        }
        for (int k = 0; k < n && best != c; k++) {
            double held = J[n * c + k];
            J[n * c + k] = J[n * best + k];
            J[n * best + k] = held;
        }
        double held = d[c];
        d[c] = d[best];
        d[best] = held;
        for (int i = c + 1; i < n; i++) {
            double factor = J[n * i + c] / J[n * c + c];
            for (int k = c; k < n; k++) {
                J[n * i + k] -= factor * J[n * c + k];
            }
            d[i] -= factor * d[c];
        }
    }
    for (int c = n - 1; c >= 0; c--) {
        for (int k = c + 1; k < n; k++) {
            d[c] -= J[n * c + k] * d[k];
        }
        d[c] /= J[n * c + c];
    }
    return true;
}

static double
square(int n, const double *F)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += F[i] * F[i];
    }
    return sum;
}

/* The Newton step d at f.  False: J is singular there. */
static bool
find_step(const struct cn_friction_group *group, const double *W, double e, const double *f,
    const double *a, const double *F, double *d)
{
    double by_f[ROWS * ROWS], by_a[ROWS * ROWS];
    int n = group->count;
    (void)cn_friction_derive(group, e, f, a, by_f, by_a);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            for (int k = 0; k < n; k++) {
                by_f[n * i + j] += by_a[n * i + k] * W[n * k + j];
            }
        }
    }
    return solve_linear(n, by_f, F, d);
}

/*
 * Takes a Newton step from f, whose a and F are given, or the longest half, quarter ... of it that
 * lessens |F|.  False, with f unchanged: none of them does.
 */
static bool
take_step(const struct cn_friction_group *group, const double *W, const double *q, double e,
    double *f, double *a, double *F)
{
    double d[ROWS], trial[ROWS], share = 1.0;
    int n = group->count;
    double merit = square(n, F);
    if (!find_step(group, W, e, f, a, F, d)) {
        return false;
    }
    for (int k = 0; k < HALVINGS_MAX; k++, share *= 0.5) {
        for (int i = 0; i < n; i++) {
            trial[i] = f[i] + share * d[i];
        }
        (void)evaluate(group, W, q, e, trial, a, F);
        if (square(n, F) < merit) {
            memcpy(f, trial, (size_t)n * sizeof(f[0]));
            return true;
        }
    }
    return false;
}

/* Improves f by Newton's method.  Returns whether F is zero up to rounding then. */
static bool
follow(const struct cn_friction_group *group, const double *W, const double *q, double *f)
{
    double a[ROWS], F[ROWS];
    for (int step = 0; step < STEPS_MAX; step++) {
        if (evaluate(group, W, q, 0.0, f, a, F) <= ROUNDING) {
            return true;
        }
        if (!take_step(group, W, q, 0.0, f, a, F)) {
            return evaluate(group, W, q, 0.0, f, a, F) <= ROUNDING_MAX;
        }
    }
    return false;
}

/* The same along the path of the smoothed equations, from a wide e to none. */
static bool
descend(const struct cn_friction_group *group, const double *W, const double *q, double *f)
{
    double a[ROWS], F[ROWS], size = 0.0;
    memset(f, 0, (size_t)group->count * sizeof(f[0]));
    for (int i = 0; i < group->count; i++) {
        size = cn_max(size, fabs(q[i]));
    }
    for (double e = WIDE * size; e > ROUNDING * size; e *= SHRINK) {
        for (int step = 0; step < STEPS_MAX; step++) {
            (void)evaluate(group, W, q, e, f, a, F);
            if (square(group->count, F) <= e * e || !take_step(group, W, q, e, f, a, F)) {
                break;
            }
        }
    }
    return follow(group, W, q, f);
}

/* Solves one disc, with the other forces held, by projection. */
static void
project_disc(const struct cn_friction_group *group, const struct cn_friction_disc *disc,
    const double *W, const double *q, double *f)
{
    double rim = disc->friction * f[0], *at = f + disc->first;
    for (int k = 0; k < disc->count && disc->slips; k++) {
        at[k] = -rim * disc->slip[k];
    }
    for (int round = 0; round < PROJECTIONS && !disc->slips; round++) {
        double a[ROWS];
        rates(group, W, q, f, a);
        for (int k = 0; k < disc->count; k++) {
            at[k] -= a[disc->first + k] / disc->effect;
        }
        double second = disc->count > 1 ? at[1] : 0.0;
        double length = sqrt(at[0] * at[0] + second * second);
        for (int k = 0; k < disc->count && length > rim; k++) {
            at[k] *= rim / length;
        }
    }
}

/* Improves f by rounds over the parts of the contact. */
static void
alternate(const struct cn_friction_group *group, const double *W, const double *q, double *f)
{
    struct cn_friction_group part = *group;
    int n = group->count, count = 1 + group->disc[0].count;
    part.count = count;
    part.disc_count = 1;
    for (int round = 0; round < ROUNDS_MAX; round++) {
        double V[9], p[3], a[ROWS], F[ROWS];
        for (int i = 0; i < count; i++) {
            p[i] = q[i];
            for (int j = 0; j < n; j++) {
                if (j < count) {
                    V[count * i + j] = W[n * i + j];
                } else {
                    p[i] += W[n * i + j] * f[j];
                }
            }
        }
        if (V[0] > 0.0) {
            cn_friction_slide(&part, V, p, f);
        }
        for (int k = 1; k < group->disc_count; k++) {
            project_disc(group, &group->disc[k], W, q, f);
        }
        if (evaluate(group, W, q, 0.0, f, a, F) <= ROUNDING) {
            return;
        }
    }
}

static void
solve_discs(const struct cn_friction_group *group, const double *W, const double *q, double *f)
{
    int n = group->count;
    size_t size = (size_t)n * sizeof(f[0]);
    CN_ASSERT(group->disc_count > 1 && n <= ROWS);
    if (q[0] >= 0.0) {
        memset(f, 0, size);
        return;
    }
    double trial[ROWS], J[ROWS * ROWS];
    memcpy(trial, f, size);
    bool solved = f[0] > 0.0 && follow(group, W, q, trial);
    if (!solved) {
        memcpy(J, W, (size_t)(n * n) * sizeof(J[0]));
        solved = solve_linear(n, J, q, trial) && follow(group, W, q, trial);
    }
    solved = solved || descend(group, W, q, trial);
    if (solved) {
        trial[0] = cn_max(trial[0], 0.0);
        cn_friction_shorten(group, trial);
        memcpy(f, trial, size);
        return;
    }
    alternate(group, W, q, f);
}

static void
solve_single(const struct cn_friction_group *group, const double *W, const double *q, double *f)
{
    f[0] = -q[0] / W[0];
    if (group->tag != CN_ROW_BILATERAL) {
        bool bounded = group->tag == CN_ROW_BOUNDED;
        f[0] = cn_max(f[0], bounded ? group->lower : 0.0);
        f[0] = bounded ? cn_min(f[0], group->upper) : f[0];
    }
}

void
cn_friction_solve(const struct cn_friction_group *group, const double *W, const double *q,
    double *f)
{
    CN_ASSERT(1 <= group->count && group->count <= CN_ROWS_PER_CONTACT);
    CN_ASSERT((group->count == 1) == (group->disc_count == 0));
    CN_ASSERT(group->count == 1 || group->tag == CN_ROW_NORMAL);
    if (!(W[0] > 0.0)) {
        return;
    }
    if (group->disc_count == 0) {
        solve_single(group, W, q, f);
    } else if (group->disc_count == 1) {
        cn_friction_slide(group, W, q, f);
    } else {
        solve_discs(group, W, q, f);
    }
}
