#include "prove/program/conic.h"

#include "engine/base/assert.h"
#include "prove/exact/memory.h"
#include "prove/exact/watch.h"

#include <math.h>
#include <string.h>

#define K PV_CONE_MAX
#define STEPS_MAX 150
#define CENTERINGS 6
#define LAST_GAP 1e-13  /* final gap when t is nearly 0, relative to the largest weight */
#define END_GOAL 1e-12  /* final mu over first mu when there is no optimum */
#define ANY_GOAL 1e-6   /* the same when c = 0, so that any holding forces will do */
#define GOOD 1e-1       /* largest residual and mu of a usable end */
#define BACK_OFF 0.99   /* part of the way to the cones' boundary that a step may go */
#define SHORTEST 1e-6   /* a shorter step means that the method has stalled */

/* W = scale (2 w w' - J)^(1/2), J = diag(1, -1, -1).  `middle` is W z, equal to inverse(W) x. */
struct scaling {
    double scale, w[K], middle[K];
};

struct state {
    struct pv_conic *p;
    struct pv_cholesky *factor;
    struct pv_arm *arm; /* the columns of S: K a cone, A_j times the axes of W */
    double *weight;     /* their weights in S */
    struct scaling *scaling;
    int rows;
    double *u; /* -y */
    double tau, kappa, mu;
    double *rp, *rd, rt, rg; /* residuals: primal, dual, of t, of the gap */
    double ratio, *across, *along_a, *along_across; /* as in interior.c */
    double *dx, *dz, *du, *target; /* target: the wanted dx + W^2 dz */
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
side_length(const double *v)
{
    return sqrt(v[1] * v[1] + v[2] * v[2]);
}

/* v J v, computed without cancellation if v is near the cone's boundary. */
static double
cone_square(const double *v)
{
    double side = side_length(v);
    return (v[0] - side) * (v[0] + side);
}

static double
rate_of(const struct pv_conic *p, int column, const double *u)
{
    const struct pv_arm *arm = &p->arm[column];
    double sum = 0.0;
    for (int side = 0; side < 2 && arm->body[side] >= 0; side++) {
        sum += dot(arm->part[side], &u[p->dof * arm->body[side]], p->dof);
    }
    return sum;
}

/* out += scale A x */
static void
add_forces(const struct pv_conic *p, double *out, double scale, const double *x)
{
    for (int j = 0; j < K * p->count; j++) {
        const struct pv_arm *arm = &p->arm[j];
        for (int side = 0; side < 2 && arm->body[side] >= 0 && x[j] != 0.0; side++) {
            for (int k = 0; k < p->dof; k++) {
                out[p->dof * arm->body[side] + k] += scale * x[j] * arm->part[side][k];
            }
        }
    }
}

static void
scale_cone(struct scaling *s, const double *x, const double *z)
{
    double xx = sqrt(cone_square(x)), zz = sqrt(cone_square(z)), sum = 1.0;
    for (int k = 0; k < K; k++) {
        sum += x[k] / xx * (z[k] / zz);
    }
    double half = sqrt(0.5 * sum);
    for (int k = 0; k < K; k++) {
        s->w[k] = (x[k] / xx + (k == 0 ? z[k] : -z[k]) / zz) / (2.0 * half);
    }
    s->w[0] = sqrt(1.0 + s->w[1] * s->w[1] + s->w[2] * s->w[2]);
    s->scale = sqrt(xx / zz);
}

/* out = W v, or inverse(W) v if `inverse`.  out may be v. */
static void
apply_scaling(const struct scaling *s, bool inverse, const double *v, double *out)
{
    double sign = inverse ? -1.0 : 1.0, factor = inverse ? 1.0 / s->scale : s->scale;
    double along = sign * (s->w[1] * v[1] + s->w[2] * v[2]);
    double first = s->w[0] * v[0] + along, share = v[0] + along / (1.0 + s->w[0]);
    out[1] = factor * (v[1] + share * sign * s->w[1]);
    out[2] = factor * (v[2] + share * sign * s->w[2]);
    out[0] = factor * first;
}

/* Sets the columns of S along the axes of W, which keeps large and small weights apart. */
static void
scale_columns(struct state *s, int j)
{
    const struct pv_conic *p = s->p;
    CN_ASSERT(1 <= p->size[j] && p->size[j] <= K);
    const struct scaling *w = &s->scaling[j];
    double side = side_length(w->w), c = 1.0, d = 0.0, far = w->w[0] + side;
    if (side > 0.0) {
        c = w->w[1] / side;
        d = w->w[2] / side;
    }
    const double root = sqrt(0.5), axis[K][K] = {
        {root, root * c, root * d}, {root, -root * c, -root * d}, {0.0, -d, c}};
    const double stretch[K] = {w->scale * far, w->scale / far, w->scale};
    const struct pv_arm *from = &p->arm[K * j];
    for (int k = 0; k < K; k++) {
        struct pv_arm *arm = &s->arm[K * j + k];
        *arm = (struct pv_arm){.body = {from->body[0], from->body[1]}};
        s->weight[K * j + k] = stretch[k] * stretch[k];
        for (int i = 0; i < 2 * PV_DOF_MAX; i++) {
            int at = i / PV_DOF_MAX, part = i % PV_DOF_MAX;
            for (int m = 0; m < p->size[j]; m++) {
                arm->part[at][part] += axis[k][m] * from[m].part[at][part];
            }
        }
    }
    if (p->size[j] == 1) {
        s->weight[K * j] = w->scale * w->scale;
        s->arm[K * j] = from[0];
    }
    for (int k = p->size[j]; k < K; k++) {
        bool is_flat = p->size[j] == 2 && k == 2;
        s->weight[K * j + k] = p->size[j] == 1 || is_flat ? 1e-300 : s->weight[K * j + k];
        memset(s->arm[K * j + k].part, 0, sizeof(s->arm[K * j + k].part));
    }
}

static void
find_residual(struct state *s)
{
    const struct pv_conic *p = s->p;
    for (int i = 0; i < s->rows; i++) {
        s->rp[i] = p->b[i] * s->tau - p->a[i] * p->t;
    }
    add_forces(p, s->rp, -1.0, p->x);
    s->mu = s->tau * s->kappa + dot(p->x, p->z, K * p->count);
    for (int j = 0; j < p->count; j++) {
        for (int k = 0; k < p->size[j]; k++) {
            s->rd[K * j + k] = -rate_of(p, K * j + k, s->u) - p->z[K * j + k];
        }
    }
    s->mu /= p->count + 1;
    s->rt = -dot(p->a, s->u, s->rows) - p->c * s->tau;
    s->rg = s->kappa - dot(p->b, s->u, s->rows) - p->c * p->t;
}

/* out = W W v, for all cones. */
static void
apply_twice(const struct state *s, const double *v, double *out)
{
    for (int j = 0; j < s->p->count; j++) {
        apply_scaling(&s->scaling[j], false, &v[K * j], &out[K * j]);
        apply_scaling(&s->scaling[j], false, &out[K * j], &out[K * j]);
    }
}

/* Finds the direction that removes the part `eta` of the residuals, for `target` and `last`. */
static void
find_direction(struct state *s, double eta, double last, bool tau_stays)
{
    const struct pv_conic *p = s->p;
    int n = K * p->count;
    for (int j = 0; j < n; j++) {
        s->dz[j] = eta * s->rd[j];
    }
    apply_twice(s, s->dz, s->dx);
    for (int j = 0; j < n; j++) {
        s->dx[j] = s->target[j] - s->dx[j];
    }
    for (int i = 0; i < s->rows; i++) {
        s->du[i] = eta * s->rp[i];
    }
    add_forces(p, s->du, -1.0, s->dx);
    pv_cholesky_solve(s->factor, s->du);
    double m00 = -dot(p->a, s->along_a, s->rows);
    double m01 = dot(p->a, s->along_across, s->rows) + p->c;
    double m10 = p->c - dot(s->across, s->along_a, s->rows);
    double m11 = dot(s->across, s->along_across, s->rows) + s->kappa / s->tau;
    double r0 = eta * s->rt - dot(p->a, s->du, s->rows);
    double r1 =
        eta * (s->rg - s->ratio * s->rt) - dot(s->across, s->du, s->rows) + last / s->tau;
    if (m00 == 0.0 && p->c == 0.0) { /* t occurs nowhere: any pivot will do */
        m00 = -1.0;
    }
    double determinant = m00 * m11 - m01 * m10;
    double shifted = (r0 * m11 - m01 * r1) / determinant;
    s->dtau = (m00 * r1 - m10 * r0) / determinant;
    s->dt = shifted + s->ratio * s->dtau;
    s->dkappa = (last - s->kappa * s->dtau) / s->tau;
    if (tau_stays) {
        shifted = r0 / m00;
        s->dtau = s->dkappa = 0.0;
        s->dt = shifted;
    }
    for (int i = 0; i < s->rows; i++) {
        s->du[i] += s->along_across[i] * s->dtau - s->along_a[i] * shifted;
    }
    for (int j = 0; j < p->count; j++) {
        for (int k = 0; k < p->size[j]; k++) {
            s->dz[K * j + k] = eta * s->rd[K * j + k] - rate_of(p, K * j + k, s->du);
        }
    }
    apply_twice(s, s->dz, s->dx);
    for (int j = 0; j < n; j++) {
        s->dx[j] = s->target[j] - s->dx[j];
    }
}

/* The length of the step along d from v to the cone's boundary, at most `way`. */
static double
way_of(const double *v, const double *d, double way)
{
    double a = cone_square(d), b = v[0] * d[0] - v[1] * d[1] - v[2] * d[2], c = cone_square(v);
    double root = b * b - a * c;
    if (d[0] < 0.0) {
        way = fmin(way, -v[0] / d[0]);
    }
    if (!(root >= 0.0)) {
        return way;
    }
    double q = -(b + copysign(sqrt(root), b));
    double first = q / a, second = c / q;
    way = first > 0.0 ? fmin(way, first) : way;
    return second > 0.0 ? fmin(way, second) : way;
}

static double
way_to_wall(const struct state *s)
{
    double way = 1.0 / BACK_OFF;
    for (int j = 0; j < K * s->p->count; j += K) {
        way = way_of(&s->p->x[j], &s->dx[j], way);
        way = way_of(&s->p->z[j], &s->dz[j], way);
    }
    way = s->dtau < 0.0 ? fmin(way, -s->tau / s->dtau) : way;
    return s->dkappa < 0.0 ? fmin(way, -s->kappa / s->dkappa) : way;
}

static double
mu_after(const struct state *s, double way)
{
    double sum = (s->tau + way * s->dtau) * (s->kappa + way * s->dkappa);
    for (int j = 0; j < K * s->p->count; j++) {
        sum += (s->p->x[j] + way * s->dx[j]) * (s->p->z[j] + way * s->dz[j]);
    }
    return sum / (s->p->count + 1);
}

/* out = u o v, the product of the cone's Jordan algebra. */
static void
cone_product(const double *u, const double *v, double *out)
{
    out[0] = dot(u, v, K);
    out[1] = u[0] * v[1] + v[0] * u[1];
    out[2] = u[0] * v[2] + v[0] * u[2];
}

/* target = W (middle \ (center e - middle o middle - second order of the last direction)) */
static void
set_target(struct state *s, int j, double center, bool with_second)
{
    const struct scaling *w = &s->scaling[j];
    const double *m = w->middle;
    double goal[K], second[K] = {0.0}, x[K], z[K];
    cone_product(m, m, goal);
    if (with_second) {
        apply_scaling(w, true, &s->dx[K * j], x);
        apply_scaling(w, false, &s->dz[K * j], z);
        cone_product(x, z, second);
    }
    for (int k = 0; k < K; k++) {
        goal[k] = (k == 0 ? center : 0.0) - goal[k] - second[k];
    }
    x[0] = (m[0] * goal[0] - m[1] * goal[1] - m[2] * goal[2]) / cone_square(m);
    x[1] = (goal[1] - x[0] * m[1]) / m[0];
    x[2] = (goal[2] - x[0] * m[2]) / m[0];
    apply_scaling(w, false, x, &s->target[K * j]);
}

static void
prepare_step(struct state *s)
{
    const struct pv_conic *p = s->p;
    for (int j = 0; j < p->count; j++) {
        scale_cone(&s->scaling[j], &p->x[K * j], &p->z[K * j]);
        apply_scaling(&s->scaling[j], false, &p->z[K * j], s->scaling[j].middle);
        scale_columns(s, j);
    }
    pv_cholesky_factor(s->factor, s->weight);
    memcpy(s->along_a, p->a, (size_t)s->rows * sizeof(*s->along_a));
    pv_cholesky_solve(s->factor, s->along_a);
    double size = dot(p->a, s->along_a, s->rows);
    s->ratio = size > 0.0 ? dot(p->b, s->along_a, s->rows) / size : 0.0;
    for (int i = 0; i < s->rows; i++) {
        s->across[i] = p->b[i] - s->ratio * p->a[i];
        s->along_across[i] = s->across[i];
    }
    pv_cholesky_solve(s->factor, s->along_across);
}

static double
take_step(struct state *s)
{
    struct pv_conic *p = s->p;
    double way = fmin(1.0, BACK_OFF * way_to_wall(s));
    if (!(way > SHORTEST) || !isfinite(mu_after(s, way))) {
        return 0.0;
    }
    for (int j = 0; j < K * p->count; j++) {
        p->x[j] += way * s->dx[j];
        p->z[j] += way * s->dz[j];
    }
    for (int i = 0; i < s->rows; i++) {
        s->u[i] += way * s->du[i];
    }
    p->t += way * s->dt;
    s->tau += way * s->dtau;
    s->kappa += way * s->dkappa;
    return way;
}

/* Takes a predictor and a corrector step; returns the step's length, 0 if it stalled. */
static double
predict_and_correct(struct state *s)
{
    int n = s->p->count;
    prepare_step(s);
    for (int j = 0; j < n; j++) {
        set_target(s, j, 0.0, false);
    }
    find_direction(s, 1.0, -s->tau * s->kappa, false);
    double way = fmin(1.0, way_to_wall(s)), left = mu_after(s, way) / s->mu;
    double center = fmin(fmax(left * left * left, 1e-6), 0.9);
    for (int j = 0; j < n; j++) {
        set_target(s, j, center * s->mu, true);
    }
    double last = center * s->mu - s->tau * s->kappa - s->dtau * s->dkappa;
    find_direction(s, 1.0 - center, last, false);
    return take_step(s);
}

/* Steps towards the central path at the same mu, with residual 0; returns the step's length. */
static double
center_iterate(struct state *s)
{
    prepare_step(s);
    for (int j = 0; j < s->p->count; j++) {
        set_target(s, j, s->mu, false);
    }
    find_direction(s, 1.0, 0.0, true);
    return take_step(s);
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

/* A copy of one side of the iterate: x and t (forces), or z and u (velocities). */
struct kept {
    double *first, *second, t;
};

static void
save_or_restore(const struct state *s, struct kept *x, struct kept *z, bool x_back, bool z_back)
{
    struct pv_conic *p = s->p;
    size_t n = (size_t)(K * p->count) * sizeof(double), rows = (size_t)s->rows * sizeof(double);
    memcpy(x_back ? p->x : x->first, x_back ? x->first : p->x, n);
    memcpy(z_back ? p->z : z->first, z_back ? z->first : p->z, n);
    memcpy(z_back ? s->u : z->second, z_back ? z->second : s->u, rows);
    *(x_back ? &p->t : &x->t) = x_back ? x->t : p->t;
}

/*
 * Steps towards the central path with tau fixed.  Forces and velocities are then independent, so a
 * step is kept for each side separately: only if it reduces that side's residual.
 */
static void
center_sides(struct state *s)
{
    struct pv_conic *p = s->p;
    size_t n = (size_t)(K * p->count);
    struct kept x = {.first = pv_alloc(n, sizeof(double))};
    struct kept z = {pv_alloc(n, sizeof(double)), pv_alloc((size_t)s->rows, sizeof(double)), 0.0};
    bool x_is_better = true, z_is_better = true;
    for (int k = 0; k < CENTERINGS && (x_is_better || z_is_better); k++) {
        double forces = norm(s->rp, s->rows);
        double motion = fmax(norm(s->rd, K * p->count), fabs(s->rt));
        save_or_restore(s, &x, &z, false, false);
        bool went = center_iterate(s) > 0.0;
        find_residual(s);
        x_is_better = went && norm(s->rp, s->rows) < forces;
        z_is_better = went && fmax(norm(s->rd, K * p->count), fabs(s->rt)) < motion;
        save_or_restore(s, &x, &z, !x_is_better, !z_is_better);
        find_residual(s);
    }
    pv_free(x.first);
    pv_free(z.first);
    pv_free(z.second);
}

static bool
is_done(const struct state *s, double first)
{
    double scale = fmax(s->tau, s->kappa), gap = (s->p->count + 1) * s->mu / (scale * scale);
    double left = s->mu / (first * scale * scale);
    if (s->tau < s->kappa || s->p->c == 0.0) {
        return left <= (s->tau < s->kappa ? END_GOAL : ANY_GOAL);
    }
    return gap <= fmax(LAST_GAP, s->p->part * fabs(s->p->t / s->tau));
}

static enum pv_conic_end
read_end(struct state *s)
{
    struct pv_conic *p = s->p;
    double gone = fmax(norm(s->rp, s->rows), norm(s->rd, K * p->count));
    gone = fmax(gone, fmax(fabs(s->rt), fabs(s->rg)));
    double scale = fmax(s->tau, s->kappa);
    if (!(gone <= GOOD * scale && s->mu <= GOOD * scale * scale)) {
        return PV_CONIC_STALLED;
    }
    double size = s->tau >= s->kappa ? s->tau : 1.0;
    for (int j = 0; j < K * p->count; j++) {
        p->x[j] /= size;
        p->z[j] /= size;
    }
    for (int i = 0; i < s->rows; i++) {
        p->y[i] = -s->u[i] / size;
    }
    p->t /= size;
    if (s->tau >= s->kappa) {
        return PV_CONIC_OPTIMAL;
    }
    return dot(p->b, p->y, s->rows) < -p->c * p->t ? PV_CONIC_INFEASIBLE : PV_CONIC_UNBOUNDED;
}

static void
state_init(struct state *s, struct pv_conic *p)
{
    size_t n = (size_t)(K * p->count), rows = (size_t)(p->bodies * p->dof);
    *s = (struct state){.p = p, .rows = p->bodies * p->dof, .tau = 1.0, .kappa = 1.0};
    s->arm = pv_alloc(n, sizeof(*s->arm));
    s->weight = pv_alloc(n, sizeof(*s->weight));
    s->scaling = pv_alloc((size_t)p->count, sizeof(*s->scaling));
    memcpy(s->arm, p->arm, n * sizeof(*s->arm));
    s->factor = pv_cholesky_create(s->arm, K * p->count, p->bodies, p->dof);
    double **by_row[] = {&s->u, &s->rp, &s->along_a, &s->along_across, &s->du, &s->across};
    double **by_column[] = {&s->rd, &s->dx, &s->dz, &s->target};
    for (int k = 0; k < 6; k++) {
        *by_row[k] = pv_alloc(rows, sizeof(double));
    }
    for (int k = 0; k < 4; k++) {
        *by_column[k] = pv_alloc(n, sizeof(double));
    }
    memset(p->x, 0, n * sizeof(*p->x));
    memset(p->z, 0, n * sizeof(*p->z));
    for (int j = 0; j < p->count; j++) {
        p->x[K * j] = p->z[K * j] = 1.0;
    }
    p->t = 0.0;
}

static void
state_finish(struct state *s)
{
    double *all[] = {s->u, s->rp, s->along_a, s->along_across, s->du, s->across, s->rd, s->weight,
        s->dx, s->dz, s->target};
    for (size_t k = 0; k < sizeof(all) / sizeof(all[0]); k++) {
        pv_free(all[k]);
    }
    pv_free(s->arm);
    pv_free(s->scaling);
    pv_cholesky_destroy(s->factor);
}

enum pv_conic_end
pv_conic_solve(struct pv_conic *p)
{
    struct state s;
    pv_phase("looking for forces");
    state_init(&s, p);
    find_residual(&s);
    double first = s.mu;
    for (p->steps = 0; p->steps < STEPS_MAX; p->steps++) {
        if (is_done(&s, first) || predict_and_correct(&s) == 0.0) {
            break;
        }
        find_residual(&s);
        pv_part(fmin(1.0, log(s.mu / first) / log(END_GOAL)));
    }
    if (s.tau >= s.kappa) {
        center_sides(&s);
    }
    enum pv_conic_end end = read_end(&s);
    state_finish(&s);
    return end;
}

void
pv_conic_init(struct pv_conic *p, int count, int bodies, int dof)
{
    CN_ASSERT(count >= 0 && bodies >= 0 && dof <= PV_DOF_MAX);
    size_t n = (size_t)count, rows = (size_t)(bodies * dof);
    *p = (struct pv_conic){.count = count, .bodies = bodies, .dof = dof};
    p->size = pv_alloc(n, sizeof(*p->size));
    p->arm = pv_alloc(K * n, sizeof(*p->arm));
    p->a = pv_alloc(rows, sizeof(*p->a));
    p->b = pv_alloc(rows, sizeof(*p->b));
    p->x = pv_alloc(K * n, sizeof(*p->x));
    p->z = pv_alloc(K * n, sizeof(*p->z));
    p->y = pv_alloc(rows, sizeof(*p->y));
}

void
pv_conic_finish(struct pv_conic *p)
{
    pv_free(p->size);
    pv_free(p->arm);
    pv_free(p->a);
    pv_free(p->b);
    pv_free(p->x);
    pv_free(p->z);
    pv_free(p->y);
}
