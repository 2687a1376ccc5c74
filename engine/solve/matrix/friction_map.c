#include "engine/solve/matrix/friction_map.h"

#include "engine/base/assert.h"
#include "engine/math/scalar.h"

#include <math.h>
#include <string.h>

static double
effect_of(const struct cn_matrix_problem *problem, int i)
{
    double diagonal = fabs(cn_matrix_diagonal(problem, i));
    return diagonal > 0.0 ? diagonal : 1.0; /* as in the judge */
}

/* Reads the disc whose first row is row i of the problem, and row `first` of its group. */
static struct cn_friction_disc
read_disc(const struct cn_matrix_problem *problem, int i, int first)
{
    enum cn_row_tag tag = cn_matrix_tag(problem, i);
    struct cn_friction_disc disc = {.first = first};
    disc.friction = cn_friction_limit(problem->tag, problem->friction, i);
    while (disc.count < 2 && i + disc.count < problem->n &&
           cn_matrix_tag(problem, i + disc.count) == tag) {
        int row = i + disc.count;
        disc.effect = cn_max(disc.effect, effect_of(problem, row));
        disc.slip[disc.count] = problem->slip == NULL ? 0.0 : problem->slip[row];
        disc.slips = disc.slips || disc.slip[disc.count] != 0.0;
        disc.count++;
    }
    return disc;
}

struct cn_friction_group
cn_friction_group_read(const struct cn_matrix_problem *problem, int i, int row, double unit)
{
    enum cn_row_tag tag = cn_matrix_tag(problem, i);
    struct cn_friction_group group = {.row = row, .count = 1, .tag = tag};
    CN_ASSERT(!cn_row_follows(tag));
    CN_ASSERT(tag != CN_ROW_BOUNDED || (problem->lower != NULL && problem->upper != NULL));
    group.effect = effect_of(problem, i);
    group.lower = tag == CN_ROW_BOUNDED ? problem->lower[i] / unit : 0.0;
    group.upper = tag == CN_ROW_BOUNDED ? problem->upper[i] / unit : 0.0;
    while (i + group.count < problem->n &&
           cn_row_follows(cn_matrix_tag(problem, i + group.count))) {
        CN_ASSERT(tag == CN_ROW_NORMAL && problem->friction != NULL);
        CN_ASSERT(group.disc_count < CN_FRICTION_DISCS_MAX);
        struct cn_friction_disc *disc = &group.disc[group.disc_count++];
        *disc = read_disc(problem, i + group.count, group.count);
        group.count += disc->count;
    }
    CN_ASSERT(group.count <= CN_ROWS_PER_CONTACT);
    return group;
}

void
cn_friction_shorten(const struct cn_friction_group *group, double *f)
{
    for (int m = 0; m < group->disc_count; m++) {
        const struct cn_friction_disc *disc = &group->disc[m];
        double *at = f + disc->first, second = disc->count > 1 ? at[1] : 0.0;
        double rim = disc->friction * f[0], length = sqrt(at[0] * at[0] + second * second);
        double keep = length > rim ? rim / length : 1.0;
        for (int k = 0; k < disc->count; k++) {
            at[k] *= keep;
        }
    }
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

/* F of a disc's rows, and its derivatives where by_f is given. */
static void
map_disc(const struct cn_friction_group *group, const struct cn_friction_disc *disc, double e,
    const double *f, const double *a, double *F, double *by_f, double *by_a)
{
    double D = disc->effect, mu = disc->friction, E = group->effect, slope;
    int n = group->count, first = disc->first, end = first + disc->count;
    double p[2] = {D * f[first] - a[first],
        disc->count > 1 ? D * f[first + 1] - a[first + 1] : 0.0};
    double rim = D * mu * smooth_positive(f[0] - a[0] / E, e / E, &slope);
    struct projection P = project_on_disc(p, rim, e);
    for (int i = first; i < end; i++) {
        F[i] = P.keep == 1.0 ? a[i] : D * f[i] - P.keep * p[i - first];
        if (by_f == NULL) {
            continue;
        }
        double by_rim = p[i - first] * P.by_rim * D * mu * slope;
        by_f[n * i] = -by_rim;
        by_a[n * i] = by_rim / E;
        for (int j = first; j < end; j++) {
            double by_p = (i == j ? P.keep : 0.0) + p[i - first] * P.by_p[j - first];
            by_f[n * i + j] = (i == j ? D : 0.0) - by_p * D;
            by_a[n * i + j] = by_p;
        }
    }
}

static void
map_slipping(const struct cn_friction_group *group, const struct cn_friction_disc *disc,
    const double *f, double *F, double *by_f)
{
    double D = disc->effect, mu = disc->friction;
    for (int k = 0; k < disc->count; k++) {
        double d = disc->slip[k];
        int i = disc->first + k, n = group->count;
        F[i] = D * (f[i] + mu * cn_max(f[0], 0.0) * d);
        if (by_f != NULL) {
            by_f[n * i + i] = D;
            by_f[n * i] = f[0] > 0.0 ? D * mu * d : 0.0;
        }
    }
}

static void
map_discs(const struct cn_friction_group *group, double e, const double *f, const double *a,
    double *F, double *by_f, double *by_a)
{
    CN_ASSERT(group->disc_count <= CN_FRICTION_DISCS_MAX);
    for (int k = 0; k < group->disc_count; k++) {
        const struct cn_friction_disc *disc = &group->disc[k];
        if (disc->slips) {
            map_slipping(group, disc, f, F, by_f);
        } else {
            map_disc(group, disc, e, f, a, F, by_f, by_a);
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
    map_discs(group, e, f, a, F, NULL, NULL);
}

bool
cn_friction_derive(const struct cn_friction_group *group, double e, const double *f,
    const double *a, double *by_f, double *by_a)
{
    CN_ASSERT(1 <= group->count && group->count <= CN_ROWS_PER_CONTACT);
    double F[CN_ROWS_PER_CONTACT];
    int size = group->count * group->count;
    memset(by_f, 0, (size_t)size * sizeof(by_f[0]));
    memset(by_a, 0, (size_t)size * sizeof(by_a[0]));
    map_first(group, e, f[0], a[0], by_f, by_a);
    by_f[0] *= group->effect;
    map_discs(group, e, f, a, F, by_f, by_a);
    for (int i = 0; i < size; i++) {
        if (by_a[i] != 0.0) {
            return true;
        }
    }
    return false;
}
