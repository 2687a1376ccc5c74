#include "engine/solve/friction/newton_path.h"

#include "engine/base/assert.h"
#include "engine/base/fiber.h"
#include "engine/linalg/dot.h"
#include "engine/math/scalar.h"

#include <math.h>
#include <string.h>

#define CLOSE 0.03 /* of e: an F that is no larger counts as zero */
#define LENGTH_FIRST 0.5
#define LENGTH_MAX 20.0
#define BEGIN_STEPS 60
#define HALVINGS 10
#define CORRECTIONS 6
#define CORRECTIONS_FEW 2 /* after so many the next step is longer */
#define CORRECTIONS_MANY 4 /* and after so many it is shorter */
#define LENGTHEN 1.6
#define SHORTEN 0.7
#define SHORTEN_FAILED 0.4
#define T_CHANGE_MAX 2.0
#define REGULAR 1e-9 /* as the least of solver newton */
#define DIFFERENCE 1e-2 /* of e, for the derivative by e */

void
cn_newton_path_take(struct cn_newton_path *path, struct cn_arena *scratch, int n_max)
{
    CN_ASSERT(n_max >= 0);
    double **vector[] = {&path->f, &path->tangent, &path->start, &path->a, &path->F, &path->by_t,
        &path->x, &path->y};
    for (size_t i = 0; i < sizeof(vector) / sizeof(vector[0]); i++) {
        *vector[i] = CN_ARENA_TAKE(scratch, double, (size_t)n_max);
    }
}

static double
largest(const double *F, int n)
{
    double size = 0.0;
    for (int i = 0; i < n; i++) {
        size = cn_max(size, fabs(F[i]));
    }
    return size;
}

/* <x, y - z> of changes of f, as accelerations E f in units of width.  z may be NULL. */
static double
product(const struct cn_newton_system *system, double width, const double *x, const double *y,
    const double *z)
{
    double sum = 0.0;
    for (int i = 0; i < system->n; i++) {
        double unit = width * system->root[i] * system->root[i]; /* root = 1 / sqrt(E) */
        sum += x[i] / unit * ((z == NULL ? y[i] : y[i] - z[i]) / unit);
    }
    cn_work_spend(4 * (int64_t)system->n);
    return sum;
}

/* Writes a and F at f.  Returns the largest part of F. */
static double
evaluate(struct cn_newton_path *path, struct cn_newton_system *system, double e)
{
    cn_newton_system_rates(system, path->f, path->a);
    double merit = cn_newton_system_map(system, e, path->f, path->a, path->F);
    return isfinite(merit) ? largest(path->F, system->n) : HUGE_VAL;
}

/* Writes x and y at f, where slope = de / dt.  False: the factor does not fit the memory. */
static bool
linearise(struct cn_newton_path *path, struct cn_newton_system *system, double e, double slope)
{
    double h = DIFFERENCE * e;
    path->step_count++;
    if (!cn_newton_system_factor(system, e, path->f, path->a, REGULAR)) {
        return false;
    }
    (void)cn_newton_system_map(system, e + h, path->f, path->a, path->by_t);
    (void)cn_newton_system_map(system, e - h, path->f, path->a, path->x);
    for (int i = 0; i < system->n; i++) {
        path->by_t[i] = slope * (path->by_t[i] - path->x[i]) / (2.0 * h);
    }
    cn_newton_system_solve(system, path->F, path->x);
    cn_newton_system_solve(system, path->by_t, path->y);
    return true;
}

/* Writes the tangent at the point that linearise has treated last. */
static void
turn(struct cn_newton_path *path, const struct cn_newton_system *system)
{
    CN_ASSERT(path->direction == 1 || path->direction == -1);
    double size = sqrt(1.0 + product(system, path->widths * path->e, path->y, path->y, NULL));
    path->tangent_t = path->direction * cn_newton_system_sign(system) / size;
    for (int i = 0; i < system->n; i++) {
        path->tangent[i] = path->tangent_t * path->y[i];
    }
}

/* Moves f by the longest of the steps x, x / 2, x / 4, ... that lessens |F|^2, or by the last. */
static void
search(struct cn_newton_path *path, struct cn_newton_system *system, double e)
{
    size_t size = (size_t)system->n * sizeof(path->f[0]);
    double merit = cn_dot(path->F, path->F, system->n), share = 1.0;
    memcpy(path->start, path->f, size);
    for (int k = 0; k < HALVINGS; k++, share *= 0.5) {
        memcpy(path->f, path->start, size);
        cn_axpy(share, path->x, path->f, system->n);
        (void)evaluate(path, system, e);
        if (cn_dot(path->F, path->F, system->n) < merit * (1.0 - 2e-4 * share)) {
            return;
        }
    }
}

bool
cn_newton_path_begin(struct cn_newton_path *path, struct cn_newton_system *system, const double *f,
    double e, double widths)
{
    memcpy(path->f, f, (size_t)system->n * sizeof(f[0]));
    path->e = e;
    path->widths = widths;
    path->length = LENGTH_FIRST;
    path->step_count = 0;
    for (int i = 0; i < BEGIN_STEPS; i++) {
        double off = evaluate(path, system, e);
        if (!(off < HUGE_VAL) || !linearise(path, system, e, e)) {
            return false;
        }
        if (off <= CLOSE * e) {
            path->direction = -cn_newton_system_sign(system);
            turn(path, system);
            return true;
        }
        search(path, system, e);
    }
    return false;
}

/*
 * Brings the predicted point (f, e(t)) to the path, within the plane at `length` from the start.
 * Returns the number of corrections; -1: they do not converge.
 */
static int
correct(struct cn_newton_path *path, struct cn_newton_system *system, double t, double *e)
{
    double begin = path->e, width = path->widths * begin;
    for (int i = 0; i <= CORRECTIONS; i++) {
        *e = t >= 0.0 ? begin * (1.0 + t) : begin / (1.0 - t);
        double slope = t >= 0.0 ? begin : *e * *e / begin;
        double off = evaluate(path, system, *e);
        if (!(off < HUGE_VAL) || !linearise(path, system, *e, slope)) {
            return -1;
        }
        if (off <= CLOSE * *e) {
            return i;
        }
        double gone = path->tangent_t * t +
            product(system, width, path->tangent, path->f, path->start);
        double by_x = product(system, width, path->tangent, path->x, NULL);
        double by_t = path->tangent_t + product(system, width, path->tangent, path->y, NULL);
        double change = -(gone - path->length + by_x) / by_t;
        double share = fabs(change) > T_CHANGE_MAX ? T_CHANGE_MAX / fabs(change) : 1.0;
        t += share * change;
        for (int k = 0; k < system->n; k++) {
            path->f[k] += share * (path->x[k] + change * path->y[k]);
        }
    }
    return -1;
}

bool
cn_newton_path_advance(struct cn_newton_path *path, struct cn_newton_system *system)
{
    size_t size = (size_t)system->n * sizeof(path->f[0]);
    CN_ASSERT(path->step_count > 0); /* begin has found a point */
    double e = path->e;
    memcpy(path->start, path->f, size);
    cn_axpy(path->length, path->tangent, path->f, system->n);
    int corrections = correct(path, system, path->length * path->tangent_t, &e);
    if (corrections < 0) {
        memcpy(path->f, path->start, size);
        path->length *= SHORTEN_FAILED;
        return false;
    }
    if (corrections <= CORRECTIONS_FEW) {
        path->length = cn_min(path->length * LENGTHEN, LENGTH_MAX);
    } else if (corrections >= CORRECTIONS_MANY) {
        path->length *= SHORTEN;
    }
    path->e = e;
    turn(path, system);
    return true;
}
