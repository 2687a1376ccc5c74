#include "prove/program/interior.h"

#include "engine/base/assert.h"
#include "prove/exact/memory.h"
#include "prove/exact/watch.h"

#include <math.h>
#include <string.h>

#define STEPS_MAX 120
#define GOAL 1e-13       /* final mu over first mu, if every x and z is clear; */
#define LAST_GOAL 1e-20  /* else this, because small forces become clear late */
#define CLEAR 1e7        /* x_j and z_j are clear if the larger is this many times the smaller */
#define GOOD 1e-1        /* largest residual and mu of a usable end; face.h checks it exactly */
#define BACK_OFF 0.9995  /* part of the way to 0 that a step may go */
#define SHORTEST 1e-7    /* a shorter step means that the method has stalled */

struct residual {
    double *p; /* rows: b tau - A x - a t */
    double *d; /* count: -A'u - z */
    double t, g;
};

struct state {
    struct pv_interior *lp;
    struct pv_cholesky *factor;
    int rows;
    double *u; /* -y */
    double tau, kappa, mu;
    struct residual r;
    double *weight;           /* x / z */
    double ratio;             /* (a, b) over (a, a) in the product of inverse(S) */
    double *across;           /* b - ratio a; using b itself would cancel digits if S is small */
    double *along_a, *along_across; /* inverse(S) a, inverse(S) across */
    double *dx, *dz, *du, *complement;
    double dt, dtau, dkappa;
};

static double
dot(const double *u, const double *v, int count)
{
    double sum = 0.0;
    for (int i = 0; i < count; i++) {
        sum += u[i] * v[i];
    }
    return sum;
}

static double
rate_of(const struct pv_interior *lp, int j, const double *u)
{
    const struct pv_arm *arm = &lp->arm[j];
    double sum = 0.0;
    for (int side = 0; side < 2 && arm->body[side] >= 0; side++) {
        sum += dot(arm->part[side], &u[lp->dof * arm->body[side]], lp->dof);
    }
    return sum;
}

/* out += scale A x */
static void
add_forces(const struct pv_interior *lp, double *out, double scale, const double *x)
{
    for (int j = 0; j < lp->count; j++) {
        const struct pv_arm *arm = &lp->arm[j];
        for (int side = 0; side < 2 && arm->body[side] >= 0; side++) {
            for (int k = 0; k < lp->dof; k++) {
                out[lp->dof * arm->body[side] + k] += scale * x[j] * arm->part[side][k];
            }
        }
    }
}

static void
find_residual(struct state *s)
{
    const struct pv_interior *lp = s->lp;
    for (int i = 0; i < s->rows; i++) {
        s->r.p[i] = lp->b[i] * s->tau - lp->a[i] * lp->t;
    }
    add_forces(lp, s->r.p, -1.0, lp->x);
    s->mu = s->tau * s->kappa;
    for (int j = 0; j < lp->count; j++) {
        s->r.d[j] = -rate_of(lp, j, s->u) - lp->z[j];
        s->mu += lp->x[j] * lp->z[j];
    }
    s->mu /= lp->count + 1;
    s->r.t = -dot(lp->a, s->u, s->rows) - lp->c * s->tau;
    s->r.g = s->kappa - dot(lp->b, s->u, s->rows) - lp->c * lp->t;
}

/*
 * Finds the direction that removes the part `eta` of the residuals, and that changes x z by
 * `complement` and tau kappa by `last`, to first order.
 */
static void
find_direction(struct state *s, double eta, double last)
{
    const struct pv_interior *lp = s->lp;
    int n = lp->count;
    for (int j = 0; j < n; j++) {
        s->dx[j] = s->complement[j] / lp->z[j] - s->weight[j] * eta * s->r.d[j];
    }
    for (int i = 0; i < s->rows; i++) {
        s->du[i] = eta * s->r.p[i];
    }
    add_forces(lp, s->du, -1.0, s->dx);
    pv_cholesky_solve(s->factor, s->du);
    double m00 = -dot(lp->a, s->along_a, s->rows);
    double m01 = dot(lp->a, s->along_across, s->rows) + lp->c;
    double m10 = lp->c - dot(s->across, s->along_a, s->rows);
    double m11 = dot(s->across, s->along_across, s->rows) + s->kappa / s->tau;
    double r0 = eta * s->r.t - dot(lp->a, s->du, s->rows);
    double r1 = eta * (s->r.g - s->ratio * s->r.t) - dot(s->across, s->du, s->rows) +
                last / s->tau;
    if (m00 == 0.0 && lp->c == 0.0) { /* t occurs nowhere: any pivot will do */
        m00 = -1.0;
    }
    double determinant = m00 * m11 - m01 * m10;
    double shifted = (r0 * m11 - m01 * r1) / determinant;
    s->dtau = (m00 * r1 - m10 * r0) / determinant;
    s->dt = shifted + s->ratio * s->dtau;
    s->dkappa = (last - s->kappa * s->dtau) / s->tau;
    for (int i = 0; i < s->rows; i++) {
        s->du[i] += s->along_across[i] * s->dtau - s->along_a[i] * shifted;
    }
    for (int j = 0; j < n; j++) {
        s->dz[j] = eta * s->r.d[j] - rate_of(lp, j, s->du);
        s->dx[j] = s->complement[j] / lp->z[j] - s->weight[j] * s->dz[j];
    }
}

/* The longest step along the direction before a variable reaches 0, at most 1. */
static double
way_to_wall(const struct state *s)
{
    double way = 1.0;
    for (int j = 0; j < s->lp->count; j++) {
        way = s->dx[j] < 0.0 ? fmin(way, -s->lp->x[j] / s->dx[j]) : way;
        way = s->dz[j] < 0.0 ? fmin(way, -s->lp->z[j] / s->dz[j]) : way;
    }
    way = s->dtau < 0.0 ? fmin(way, -s->tau / s->dtau) : way;
    return s->dkappa < 0.0 ? fmin(way, -s->kappa / s->dkappa) : way;
}

static double
mu_after(const struct state *s, double way)
{
    double sum = (s->tau + way * s->dtau) * (s->kappa + way * s->dkappa);
    for (int j = 0; j < s->lp->count; j++) {
        sum += (s->lp->x[j] + way * s->dx[j]) * (s->lp->z[j] + way * s->dz[j]);
    }
    return sum / (s->lp->count + 1);
}

/* Takes a predictor and a corrector step; returns the step's length, 0 if it stalled. */
static double
predict_and_correct(struct state *s)
{
    struct pv_interior *lp = s->lp;
    int n = lp->count;
    for (int j = 0; j < n; j++) {
        s->weight[j] = lp->x[j] / lp->z[j];
        s->complement[j] = -lp->x[j] * lp->z[j];
    }
    pv_cholesky_factor(s->factor, s->weight);
    memcpy(s->along_a, lp->a, (size_t)s->rows * sizeof(*s->along_a));
    pv_cholesky_solve(s->factor, s->along_a);
    double size = dot(lp->a, s->along_a, s->rows);
    s->ratio = size > 0.0 ? dot(lp->b, s->along_a, s->rows) / size : 0.0;
    for (int i = 0; i < s->rows; i++) {
        s->across[i] = lp->b[i] - s->ratio * lp->a[i];
        s->along_across[i] = s->across[i];
    }
    pv_cholesky_solve(s->factor, s->along_across);
    find_direction(s, 1.0, -s->tau * s->kappa);
    double way = way_to_wall(s), left = mu_after(s, way) / s->mu;
    double center = fmin(fmax(left * left * left, 1e-6), 0.9);
    for (int j = 0; j < n; j++) {
        s->complement[j] = center * s->mu - lp->x[j] * lp->z[j] - s->dx[j] * s->dz[j];
    }
    double last = center * s->mu - s->tau * s->kappa - s->dtau * s->dkappa;
    find_direction(s, 1.0 - center, last);
    way = fmin(1.0, BACK_OFF * way_to_wall(s));
    if (!(way > SHORTEST) || !isfinite(mu_after(s, way))) {
        return 0.0;
    }
    for (int j = 0; j < n; j++) {
        lp->x[j] += way * s->dx[j];
        lp->z[j] += way * s->dz[j];
    }
    for (int i = 0; i < s->rows; i++) {
        s->u[i] += way * s->du[i];
    }
    lp->t += way * s->dt;
    s->tau += way * s->dtau;
    s->kappa += way * s->dkappa;
    return way;
}

static double
norm(const double *v, int count)
{
    double most = 0.0;
    for (int i = 0; i < count; i++) {
        most = fmax(most, fabs(v[i]));
    }
    return most;
}

/* Whether for every j it is clear which of x_j and z_j is above 0. */
static bool
is_clear(const struct state *s)
{
    for (int j = 0; j < s->lp->count; j++) {
        double ratio = s->lp->x[j] / s->lp->z[j];
        if (ratio < CLEAR && ratio > 1.0 / CLEAR) {
            return false;
        }
    }
    return true;
}

static bool
is_done(const struct state *s, double first)
{
    double scale = fmax(s->tau, s->kappa), part = s->mu / (first * scale * scale);
    return part <= LAST_GOAL || (part <= GOAL && is_clear(s));
}

static enum pv_interior_end
read_end(struct state *s)
{
    struct pv_interior *lp = s->lp;
    double gone = fmax(norm(s->r.p, s->rows), norm(s->r.d, lp->count));
    gone = fmax(gone, fmax(fabs(s->r.t), fabs(s->r.g)));
    double scale = fmax(s->tau, s->kappa);
    if (!(gone <= GOOD * scale && s->mu <= GOOD * scale * scale)) {
        return PV_INTERIOR_STALLED;
    }
    double size = s->tau >= s->kappa ? s->tau : 1.0;
    for (int j = 0; j < lp->count; j++) {
        lp->x[j] /= size;
        lp->z[j] /= size;
        lp->holds[j] = lp->x[j] > lp->z[j];
    }
    for (int i = 0; i < s->rows; i++) {
        lp->y[i] = -s->u[i] / size;
    }
    lp->t /= size;
    if (s->tau >= s->kappa) {
        return PV_INTERIOR_OPTIMAL;
    }
    return dot(lp->b, lp->y, s->rows) < -lp->c * lp->t ? PV_INTERIOR_INFEASIBLE
                                                         : PV_INTERIOR_UNBOUNDED;
}

static void
state_init(struct state *s, struct pv_interior *lp)
{
    size_t n = (size_t)lp->count, rows = (size_t)(lp->bodies * lp->dof);
    *s = (struct state){.lp = lp, .rows = lp->bodies * lp->dof, .tau = 1.0, .kappa = 1.0};
    s->factor = pv_cholesky_create(lp->arm, lp->count, lp->bodies, lp->dof);
    double **by_row[] = {&s->u, &s->r.p, &s->along_a, &s->along_across, &s->du, &s->across};
    double **by_column[] = {&s->r.d, &s->weight, &s->dx, &s->dz, &s->complement};
    for (int k = 0; k < 6; k++) {
        *by_row[k] = pv_alloc(rows, sizeof(double));
    }
    for (int k = 0; k < 5; k++) {
        *by_column[k] = pv_alloc(n, sizeof(double));
    }
    for (int j = 0; j < lp->count; j++) {
        lp->x[j] = 1.0;
        lp->z[j] = 1.0;
    }
    lp->t = 0.0;
}

static void
state_finish(struct state *s)
{
    double *all[] = {s->u, s->r.p, s->along_a, s->along_across, s->du, s->across, s->r.d, s->weight,
        s->dx, s->dz, s->complement};
    for (size_t k = 0; k < sizeof(all) / sizeof(all[0]); k++) {
        pv_free(all[k]);
    }
    pv_cholesky_destroy(s->factor);
}

enum pv_interior_end
pv_interior_solve(struct pv_interior *lp)
{
    struct state s;
    pv_phase("looking for forces");
    state_init(&s, lp);
    find_residual(&s);
    double first = s.mu;
    for (lp->steps = 0; lp->steps < STEPS_MAX; lp->steps++) {
        if (is_done(&s, first) || predict_and_correct(&s) == 0.0) {
            break;
        }
        find_residual(&s);
        pv_part(fmin(1.0, log(s.mu / first) / log(GOAL)));
    }
    enum pv_interior_end end = read_end(&s);
    state_finish(&s);
    return end;
}

void
pv_interior_init(struct pv_interior *p, int count, int bodies, int dof)
{
    CN_ASSERT(count >= 0 && bodies >= 0 && dof <= PV_DOF_MAX);
    size_t n = (size_t)count, rows = (size_t)(bodies * dof);
    *p = (struct pv_interior){.count = count, .bodies = bodies, .dof = dof};
    p->arm = pv_alloc(n, sizeof(*p->arm));
    p->a = pv_alloc(rows, sizeof(*p->a));
    p->b = pv_alloc(rows, sizeof(*p->b));
    p->x = pv_alloc(n, sizeof(*p->x));
    p->z = pv_alloc(n, sizeof(*p->z));
    p->y = pv_alloc(rows, sizeof(*p->y));
    p->holds = pv_alloc(n, sizeof(*p->holds));
}

void
pv_interior_finish(struct pv_interior *p)
{
    pv_free(p->arm);
    pv_free(p->a);
    pv_free(p->b);
    pv_free(p->x);
    pv_free(p->z);
    pv_free(p->y);
    pv_free(p->holds);
}
