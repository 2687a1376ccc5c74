#include "engine/solve/matrix/friction_pivot.h"

#include "engine/base/assert.h"
#include "engine/base/fiber.h"
#include "engine/linalg/dot.h"
#include "engine/math/scalar.h"

#include <math.h>
#include <string.h>

/*
 * A pivot below this fraction of the row's A_ii (or of its inverse) means that rows are dependent.
 */
#define PIVOT_FRACTION_MIN 1e-11
/* A walk longer than this multiple of the problem's own size is a ray. */
#define WALK_MAX 1e12
/* An unsatisfied row proves something when its violation exceeds this part of the judge's s. */
#define RAY_FRACTION_MIN 1e-7
/* Steps whose lengths differ by less than this fraction end at the same point. */
#define TIE_MAX 1e-13
/* A component of the direction below this fraction of the largest effect counts as rounding. */
#define DIRECTION_FRACTION_MIN 1e-12
/* Corrections of held rows by A itself, after each drive and at the end. */
#define SETTLES_MAX 4

void
cn_friction_pivot_take(struct cn_friction_pivot *p, struct cn_arena *scratch, int row_max)
{
    CN_ASSERT(row_max >= 0);
    size_t n = (size_t)row_max;
    *p = (struct cn_friction_pivot){0};
    p->D = CN_ARENA_TAKE(scratch, double, n * n);
    p->f = CN_ARENA_TAKE(scratch, double, n);
    p->a = CN_ARENA_TAKE(scratch, double, n);
    p->df = CN_ARENA_TAKE(scratch, double, n);
    p->da = CN_ARENA_TAKE(scratch, double, n);
    p->diagonal = CN_ARENA_TAKE(scratch, double, n);
    p->fold = CN_ARENA_TAKE(scratch, double, n);
    p->held = CN_ARENA_TAKE(scratch, bool, n);
    p->given_up = CN_ARENA_TAKE(scratch, bool, n);
}

static double *
row_at(const struct cn_friction_pivot *p, int i)
{
    return p->D + (size_t)i * (size_t)p->n;
}

static bool
is_tangent(const struct cn_friction_pivot *p, int i)
{
    return p->frame->normal[i] >= 0;
}

static enum cn_row_tag
tag_of(const struct cn_friction_pivot *p, int i)
{
    return cn_matrix_tag(p->frame->problem, i);
}

/*
 * Whether row i is a tangent that pivoting may move: its contact has friction and does not slide
 * yet.
 */
static bool
is_static(const struct cn_friction_pivot *p, int i)
{
    return is_tangent(p, i) && cn_friction_frame_mu(p->frame, i) > 0.0 &&
        !cn_friction_frame_slides(p->frame, i);
}

/* Exchanges the dependent variable of row i with its free variable. */
static void
exchange_row(struct cn_friction_pivot *p, int i)
{
    int n = p->n;
    double *pivot_row = row_at(p, i), inverse = 1.0 / pivot_row[i];
    for (int j = 0; j < n; j++) {
        pivot_row[j] *= -inverse;
    }
    pivot_row[i] = inverse;
    for (int r = 0; r < n; r++) {
        double *row = row_at(p, r), factor = row[i];
        if (r != i && factor != 0.0) {
            row[i] = 0.0;
            cn_axpy(factor, pivot_row, row, n);
            p->work += n;
            cn_work_spend(n);
        }
    }
}

/*
 * Changes k of tangent i, which is not held: v_i = f_i - k f_N.  Where f_N is dependent, its row
 * has f_N = ... + D_Ni (v_i' + change f_N), which is solved for f_N.  False when that has no
 * solution.
 */
static bool
refold_tangent(struct cn_friction_pivot *p, int i, double k)
{
    CN_ASSERT(is_tangent(p, i) && !p->held[i]); /* invariant 1 */
    int n = p->n, normal = p->frame->normal[i];
    double change = k - p->fold[i];
    if (change == 0.0) {
        return true;
    }
    if (!p->held[normal]) {
        for (int r = 0; r < n; r++) {
            row_at(p, r)[normal] += change * row_at(p, r)[i];
        }
        cn_work_spend(4 * n);
    } else {
        double *normal_row = row_at(p, normal), left = 1.0 - change * normal_row[i];
        if (!(fabs(left) > PIVOT_FRACTION_MIN)) {
            return false;
        }
        for (int j = 0; j < n; j++) {
            normal_row[j] /= left;
        }
        for (int r = 0; r < n; r++) {
            double factor = change * row_at(p, r)[i];
            if (r != normal && factor != 0.0) {
                cn_axpy(factor, normal_row, row_at(p, r), n);
                p->work += n;
                cn_work_spend(n);
            }
        }
    }
    p->fold[i] = k;
    return true;
}

/* Adds row i, which is not held, to the held rows.  False when it depends on them. */
static bool
hold_row(struct cn_friction_pivot *p, int i)
{
    CN_ASSERT(0 <= i && i < p->n && !p->held[i]); /* invariant 1 */
    double least = PIVOT_FRACTION_MIN * fabs(p->diagonal[i]);
    if (!(fabs(row_at(p, i)[i]) > least) || least == 0.0) {
        return false;
    }
    exchange_row(p, i);
    p->held[i] = true;
    if (is_tangent(p, i) && p->fold[i] != 0.0) { /* f_i - k f_N depends; f_i is wanted */
        int normal = p->frame->normal[i];
        if (p->held[normal]) {
            cn_axpy(p->fold[i], row_at(p, normal), row_at(p, i), p->n);
        } else {
            row_at(p, i)[normal] += p->fold[i];
        }
        p->fold[i] = 0.0;
    }
    return true;
}

/* Releases a held row; a tangent to k f_N. False when the pivot vanishes. */
static bool
release_row(struct cn_friction_pivot *p, int i, double k)
{
    CN_ASSERT(0 <= i && i < p->n && p->held[i]);       /* invariant 1 */
    CN_ASSERT(!is_tangent(p, i) || p->fold[i] == 0.0); /* invariant 2 */
    double *row = row_at(p, i);
    if (is_tangent(p, i) && k != 0.0) {
        int normal = p->frame->normal[i];
        if (p->held[normal]) {
            cn_axpy(-k, row_at(p, normal), row, p->n);
        } else {
            row[normal] -= k;
        }
    }
    if (!(fabs(row[i]) * fabs(p->diagonal[i]) > PIVOT_FRACTION_MIN)) {
        return false;
    }
    exchange_row(p, i);
    p->held[i] = false;
    p->fold[i] = k;
    return true;
}

/* Sets forces at the rim from the normal forces. */
static void
follow_normals(struct cn_friction_pivot *p, int driven)
{
    for (int i = 0; i < p->n; i++) {
        if (is_tangent(p, i) && !p->held[i] && i != driven) {
            p->f[i] = p->fold[i] * p->f[p->frame->normal[i]];
        }
    }
}

static double
held_error(const struct cn_friction_pivot *p)
{
    double error = 0.0;
    for (int i = 0; i < p->n; i++) {
        error = p->held[i] ? cn_max(error, fabs(p->a[i])) : error;
    }
    return error;
}

/* Updates a = A f + b, and corrects a of held rows to zero within `target`. */
static void
settle_held(struct cn_friction_pivot *p, double target)
{
    double before = HUGE_VAL;
    for (int turn = 0;; turn++) {
        follow_normals(p, -1);
        cn_friction_frame_rates(p->frame, p->f, p->a);
        p->work += cn_matrix_rates_work(p->frame->problem);
        double error = held_error(p);
        if (error <= target || turn == SETTLES_MAX || !(error < before)) {
            return;
        }
        before = error;
        for (int i = 0; i < p->n; i++) {
            if (p->held[i]) {
                const double *row = row_at(p, i);
                double change = 0.0;
                for (int j = 0; j < p->n; j++) {
                    change -= p->held[j] ? row[j] * p->a[j] : 0.0;
                }
                cn_work_spend(2 * p->n);
                p->df[i] = change;
            }
        }
        for (int i = 0; i < p->n; i++) {
            p->f[i] += p->held[i] ? p->df[i] : 0.0;
        }
        p->work += (int64_t)p->n * p->n;
    }
}

/* ---- one walk ---- */

/* How forces and accelerations change while v_d changes in the direction of `sign`. */
static void
find_direction(struct cn_friction_pivot *p, int d, double sign)
{
    for (int i = 0; i < p->n; i++) {
        double rate = sign * row_at(p, i)[d];
        p->df[i] = p->held[i] ? rate : 0.0;
        p->da[i] = p->held[i] ? 0.0 : rate;
    }
    p->df[d] = sign;
    for (int i = 0; i < p->n; i++) {
        if (is_tangent(p, i) && !p->held[i]) {
            double along = p->fold[i] * p->df[p->frame->normal[i]];
            p->df[i] = i == d ? sign + along : along;
        }
    }
}

struct stop {
    int row; /* -1: no stop */
    double step;
    double k; /* of a tangent: the rim that it reaches, as a factor of f_N */
};

/*
 * Offers the stop at which row i's force reaches a bound that is `room` away, at `rate`; a rate
 * below `noise` counts as zero.
 */
static void
offer_stop(struct stop *stop, int row, double room, double rate, double noise, double k)
{
    if (!(rate < -noise)) {
        return;
    }
    double step = cn_max(room, 0.0) / -rate;
    if (step < stop->step * (1.0 - TIE_MAX)) {
        *stop = (struct stop){.row = row, .step = step, .k = k};
    }
}

/* The first of these: a held force reaches its bound, or the driven tangent its rim. */
static struct stop
first_stop(const struct cn_friction_pivot *p, int d)
{
    struct stop stop = {.row = -1, .step = HUGE_VAL};
    double largest = 0.0;
    for (int i = 0; i < p->n; i++) {
        largest = cn_max(largest, fabs(p->df[i]) * sqrt(fabs(p->diagonal[i])));
    }
    for (int i = 0; i < p->n; i++) {
        double noise = DIRECTION_FRACTION_MIN * largest / sqrt(fabs(p->diagonal[i]));
        bool moves = p->held[i] || i == d;
        if (moves && is_tangent(p, i)) {
            double mu = cn_friction_frame_mu(p->frame, i);
            int normal = p->frame->normal[i];
            double rim = mu * p->f[normal], rim_rate = mu * p->df[normal];
            offer_stop(&stop, i, rim - p->f[i], rim_rate - p->df[i], noise, mu);
            offer_stop(&stop, i, rim + p->f[i], rim_rate + p->df[i], noise, -mu);
        } else if (p->held[i] && tag_of(p, i) == CN_ROW_NORMAL) {
            offer_stop(&stop, i, p->f[i], p->df[i], noise, 0.0);
        }
    }
    return stop;
}

/* Releases the normal i, after its tangents. */
static bool
release_normal(struct cn_friction_pivot *p, int i)
{
    CN_ASSERT(tag_of(p, i) == CN_ROW_NORMAL);
    for (int t = i + 1; t < p->n && p->frame->normal[t] == i; t++) {
        if (p->held[t] && !release_row(p, t, 0.0)) {
            return false;
        }
        if (is_static(p, t) && !refold_tangent(p, t, 0.0)) {
            return false;
        }
    }
    p->f[i] = 0.0;
    return release_row(p, i, 0.0);
}

enum drive_end { DRIVE_DONE, DRIVE_RAY, DRIVE_SPOILED, DRIVE_PIVOTS_MAX };

/* Drives row d until a_d is zero or, for a tangent, its force is at the rim. */
static enum drive_end
drive_row(struct cn_friction_pivot *p, int d, int pivot_max)
{
    CN_ASSERT(0 <= d && d < p->n && !p->held[d] && !p->given_up[d]); /* invariants 1 and 3 */
    bool tangent = is_tangent(p, d);
    double sign = tangent && p->a[d] > 0.0 ? -1.0 : 1.0;
    while (p->pivot_count < pivot_max) {
        p->pivot_count++;
        find_direction(p, d, sign);
        cn_work_spend(40 * (int64_t)p->n);
        double least = PIVOT_FRACTION_MIN * fabs(p->diagonal[d]);
        struct stop stop = first_stop(p, d);
        bool arrives = sign * p->da[d] > least;
        double own = arrives ? cn_max(-sign * p->a[d], 0.0) / (sign * p->da[d]) : HUGE_VAL;
        double step = cn_min(own, stop.step);
        if (!(step * fabs(p->diagonal[d]) <= WALK_MAX * p->accel_scale)) {
            return DRIVE_RAY;
        }
        cn_axpy(step, p->df, p->f, p->n);
        cn_axpy(step, p->da, p->a, p->n);
        if (own <= stop.step) {
            return hold_row(p, d) ? DRIVE_DONE : DRIVE_SPOILED;
        }
        if (stop.row < 0) {
            return DRIVE_RAY; /* the length is not a number */
        }
        if (stop.row == d) {
            return refold_tangent(p, d, stop.k) ? DRIVE_DONE : DRIVE_SPOILED;
        }
        CN_ASSERT(p->held[stop.row]); /* all forces but those of d and of held rows have no stop */
        bool released = is_tangent(p, stop.row) ? release_row(p, stop.row, stop.k)
                                                : release_normal(p, stop.row);
        if (!released) {
            return DRIVE_SPOILED;
        }
        if (tangent && !p->held[p->frame->normal[d]]) {
            p->f[d] = 0.0; /* its own contact parts: nothing is left to drive */
            return DRIVE_DONE;
        }
    }
    return DRIVE_PIVOTS_MAX;
}

/* ---- all of them ---- */

/* How far a tangent of a pushing contact violates Coulomb's law; 0 where it obeys. */
static double
tangent_violation(const struct cn_friction_pivot *p, int i)
{
    int normal = p->frame->normal[i];
    if (!is_static(p, i) || p->held[i] || !p->held[normal] || p->given_up[i] ||
        !(p->f[normal] > 0.0)) {
        return 0.0;
    }
    bool obeys = (p->fold[i] > 0.0 && p->a[i] <= 0.0) || (p->fold[i] < 0.0 && p->a[i] >= 0.0);
    return obeys || fabs(p->a[i]) <= p->accel_tolerance ? 0.0 : fabs(p->a[i]);
}

/*
 * The row to drive next: tangents of contacts that push first, then the worst normal; -1: no row.
 */
static int
next_row(const struct cn_friction_pivot *p)
{
    int worst = -1;
    double score_worst = 0.0;
    cn_work_spend(20 * (int64_t)p->n);
    for (int i = 0; i < p->n; i++) {
        if (is_tangent(p, i)) {
            double violation = tangent_violation(p, i);
            double score = violation * violation / fabs(p->diagonal[i]);
            if (score > score_worst) {
                worst = i;
                score_worst = score;
            }
        }
    }
    if (worst >= 0) {
        return worst;
    }
    for (int i = 0; i < p->n; i++) {
        bool driven = tag_of(p, i) == CN_ROW_NORMAL && !p->held[i] && !p->given_up[i];
        if (driven && p->a[i] < -p->accel_tolerance) {
            double score = p->a[i] * p->a[i] / fabs(p->diagonal[i]);
            if (score > score_worst) {
                worst = i;
                score_worst = score;
            }
        }
    }
    return worst;
}

/* Starts with only bilateral rows held, slides folded in, and f = 0 elsewhere. */
static void
start_cold(struct cn_friction_pivot *p)
{
    int n = p->n;
    for (int i = 0; i < n; i++) {
        cn_friction_frame_row(p->frame, i, row_at(p, i));
        p->diagonal[i] = row_at(p, i)[i];
        p->held[i] = false;
        p->fold[i] = 0.0;
        p->f[i] = 0.0;
    }
    for (int i = 0; i < n; i++) {
        if (is_tangent(p, i) && cn_friction_frame_slides(p->frame, i)) {
            double mu = cn_friction_frame_mu(p->frame, i);
            (void)refold_tangent(p, i, -mu * cn_friction_frame_slip(p->frame, i));
        }
    }
    for (;;) { /* bounded: every turn holds one more */
        int best = -1;
        double best_share = PIVOT_FRACTION_MIN;
        cn_work_spend(8 * (int64_t)n);
        for (int i = 0; i < n; i++) {
            double share = fabs(row_at(p, i)[i]) / fabs(p->diagonal[i]);
            if (tag_of(p, i) == CN_ROW_BILATERAL && !p->held[i] && share > best_share) {
                best = i;
                best_share = share;
            }
        }
        if (best < 0 || !hold_row(p, best)) {
            return;
        }
    }
}

/* Whether every held force is within its bounds. */
static bool
is_admissible(const struct cn_friction_pivot *p)
{
    for (int i = 0; i < p->n; i++) {
        double effect = fabs(p->diagonal[i]);
        if (p->held[i] && tag_of(p, i) == CN_ROW_NORMAL &&
            effect * p->f[i] < -p->accel_tolerance) {
            return false;
        }
        if (p->held[i] && is_tangent(p, i)) {
            double rim = cn_friction_frame_mu(p->frame, i) * p->f[p->frame->normal[i]];
            if (effect * (fabs(p->f[i]) - rim) > p->accel_tolerance) {
                return false;
            }
        }
    }
    return true;
}

/*
 * Holds the rows that were held last time, judged by the forces; false when this is not admissible
 * as a start.
 */
static bool
start_warm(struct cn_friction_pivot *p, const double *f)
{
    bool any = false;
    for (int i = 0; i < p->n; i++) {
        if (tag_of(p, i) == CN_ROW_NORMAL && f[i] > 0.0) {
            any = hold_row(p, i) || any;
        } else if (is_static(p, i) && p->held[p->frame->normal[i]]) {
            double mu = cn_friction_frame_mu(p->frame, i);
            double rim = mu * f[p->frame->normal[i]];
            if (fabs(f[i]) < (1.0 - 1e-9) * rim) {
                (void)hold_row(p, i);
            } else if (!refold_tangent(p, i, f[i] > 0.0 ? mu : -mu)) {
                return false;
            }
        }
    }
    settle_held(p, 0.5 * p->accel_tolerance);
    return any && is_admissible(p) && held_error(p) <= p->accel_tolerance;
}

/* Whether bilateral rows depend on others and contradict them. */
static bool
is_contradicted(const struct cn_friction_pivot *p)
{
    for (int i = 0; i < p->n; i++) {
        if (tag_of(p, i) == CN_ROW_BILATERAL && !p->held[i] &&
            fabs(p->a[i]) > RAY_FRACTION_MIN * p->accel_scale) {
            return true;
        }
    }
    return false;
}

static enum cn_friction_end
run_drives(struct cn_friction_pivot *p, int pivot_max)
{
    bool ray = false;
    for (;;) { /* bounded: every turn spends a pivot or is the last */
        settle_held(p, 0.5 * p->accel_tolerance);
        int d = next_row(p);
        if (d < 0) {
            bool spoiled = held_error(p) > 2.0 * p->accel_tolerance || !is_admissible(p);
            return is_contradicted(p) ? CN_FRICTION_CONTRADICTED
                   : ray              ? CN_FRICTION_RAY
                   : spoiled          ? CN_FRICTION_SPOILED
                                      : CN_FRICTION_DONE;
        }
        switch (drive_row(p, d, pivot_max)) {
        case DRIVE_DONE:
            break;
        case DRIVE_RAY: /* starts again without it */
            ray = true;
            CN_ASSERT(!p->held[d]); /* invariant 3 */
            p->given_up[d] = true;
            start_cold(p);
            break;
        case DRIVE_SPOILED:
            return CN_FRICTION_SPOILED;
        case DRIVE_PIVOTS_MAX:
            return CN_FRICTION_PIVOTS_MAX;
        }
    }
}

enum cn_friction_end
cn_friction_pivot_solve(struct cn_friction_pivot *p, const struct cn_friction_frame *frame,
    double accel_tolerance, int pivot_max, double *f)
{
    p->n = frame->problem->n;
    p->frame = frame;
    p->accel_tolerance = accel_tolerance;
    p->accel_scale = cn_residual_scale(frame->problem->b, p->n);
    for (int i = 0; i < p->n; i++) {
        p->given_up[i] = false;
    }
    start_cold(p);
    if (!start_warm(p, f)) {
        start_cold(p);
    }
    enum cn_friction_end end = run_drives(p, pivot_max);
    follow_normals(p, -1);
    memcpy(f, p->f, (size_t)p->n * sizeof(f[0]));
    return end;
}
