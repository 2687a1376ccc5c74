#include "engine/curve/curve.h"

#include "engine/base/assert.h"
#include "engine/base/limits.h"
#include "engine/math/scalar.h"
#include "engine/math/trig.h"

#include <math.h>

#define NEWTON_MAX 40
#define SEARCH_PARTS 8 /* starting points of the search in each piece of a spline */
#define SPEED_MIN 1e-9 /* of |c'|: below it a spline has no direction */

int
cn_curve_knot_count(int point_count, bool closed)
{
    return closed ? point_count + 1 : point_count;
}

/* ---- the spline's second derivatives ---- */

/* d of row i: 6 ((P_{i+1} - P_i) / h_i - (P_i - P_{i-1}) / h_{i-1}) */
static cn_vec3
bend_at(const struct cn_curve_knot *before, const struct cn_curve_knot *here,
    const struct cn_curve_knot *after, double h_before, double h_after)
{
    cn_vec3 ahead = cn_vec3_scale(cn_vec3_sub(after->point, here->point), 1.0 / h_after);
    cn_vec3 behind = cn_vec3_scale(cn_vec3_sub(here->point, before->point), 1.0 / h_before);
    return cn_vec3_scale(cn_vec3_sub(ahead, behind), 6.0);
}

/* h_{i-1} M_{i-1} + 2 (h_{i-1} + h_i) M_i + h_i M_{i+1} = d_i, M = 0 at both ends: Thomas. */
static void
solve_natural(struct cn_curve_knot *knot, int count)
{
    double upper[CN_CURVE_POINTS_MAX + 1];
    knot[0].second = knot[count - 1].second = cn_vec3_make(0.0, 0.0, 0.0);
    upper[0] = 0.0;
    for (int i = 1; i < count - 1; i++) {
        double h0 = knot[i].parameter - knot[i - 1].parameter;
        double h1 = knot[i + 1].parameter - knot[i].parameter;
        double pivot = 2.0 * (h0 + h1) - h0 * upper[i - 1];
        cn_vec3 d = bend_at(&knot[i - 1], &knot[i], &knot[i + 1], h0, h1);
        upper[i] = h1 / pivot;
        knot[i].second =
            cn_vec3_scale(cn_vec3_add_scaled(d, -h0, knot[i - 1].second), 1.0 / pivot);
    }
    for (int i = count - 2; i > 0; i--) {
        knot[i].second = cn_vec3_add_scaled(knot[i].second, -upper[i], knot[i + 1].second);
    }
}

/*
 * The same for the n knots of a closed spline, where i + 1 and i - 1 wrap around.  The corner
 * entries are a rank-one change of a tridiagonal matrix, T + u v' with u = (g, 0 .. 0, h), v = (1,
 * 0 .. 0, h / g), h the last length and g = -diagonal_0: Sherman and Morrison.
 */
static void
solve_periodic(struct cn_curve_knot *knot, int n)
{
    double upper[CN_CURVE_POINTS_MAX + 1], response[CN_CURVE_POINTS_MAX + 1];
    double last = knot[n].parameter - knot[n - 1].parameter;
    double first = knot[1].parameter - knot[0].parameter;
    double gamma = -2.0 * (last + first);
    for (int i = 0; i < n; i++) {
        double h0 = i > 0 ? knot[i].parameter - knot[i - 1].parameter : last;
        double h1 = knot[i + 1].parameter - knot[i].parameter;
        double diagonal = 2.0 * (h0 + h1);
        cn_vec3 d = bend_at(&knot[i > 0 ? i - 1 : n - 1], &knot[i], &knot[i + 1], h0, h1);
        double r = 0.0;
        if (i == 0) {
            diagonal -= gamma;
            r = gamma;
        } else if (i == n - 1) {
            diagonal -= last * last / gamma;
            r = last;
        }
        if (i > 0) {
            diagonal -= h0 * upper[i - 1];
            d = cn_vec3_add_scaled(d, -h0, knot[i - 1].second);
            r -= h0 * response[i - 1];
        }
        upper[i] = h1 / diagonal;
        knot[i].second = cn_vec3_scale(d, 1.0 / diagonal);
        response[i] = r / diagonal;
    }
    for (int i = n - 2; i >= 0; i--) {
        knot[i].second = cn_vec3_add_scaled(knot[i].second, -upper[i], knot[i + 1].second);
        response[i] -= upper[i] * response[i + 1];
    }
    double ratio = last / gamma;
    double share = 1.0 / (1.0 + response[0] + ratio * response[n - 1]);
    cn_vec3 around = cn_vec3_scale(
        cn_vec3_add_scaled(knot[0].second, ratio, knot[n - 1].second), share);
    for (int i = 0; i < n; i++) {
        knot[i].second = cn_vec3_add_scaled(knot[i].second, -response[i], around);
    }
    knot[n].second = knot[0].second;
}

void
cn_curve_spline(
    const cn_vec3 *points, int point_count, bool closed, struct cn_curve_knot *knot)
{
    CN_ASSERT(point_count >= (closed ? 3 : 2) && point_count <= CN_CURVE_POINTS_MAX);
    int count = cn_curve_knot_count(point_count, closed);
    for (int i = 0; i < count; i++) {
        knot[i].point = points[i < point_count ? i : 0];
        double step =
            i > 0 ? cn_vec3_length(cn_vec3_sub(knot[i].point, knot[i - 1].point)) : 0.0;
        CN_ASSERT(i == 0 || step > 0.0);
        knot[i].parameter = i > 0 ? knot[i - 1].parameter + step : 0.0;
    }
    if (closed) {
        solve_periodic(knot, point_count);
    } else {
        solve_natural(knot, count);
    }
}

/* ---- points ---- */

double
cn_curve_wrap(const struct cn_curve *curve, double parameter)
{
    if (curve->kind != CN_CURVE_SPLINE || !curve->closed) {
        return parameter;
    }
    double length = curve->knot[curve->knot_count - 1].parameter;
    double wrapped = parameter - length * floor(parameter / length);
    return wrapped >= 0.0 && wrapped < length ? wrapped : 0.0;
}

static struct cn_curve_point
piece_at(const struct cn_curve_knot *low, const struct cn_curve_knot *high, double s)
{
    double h = high->parameter - low->parameter;
    double B = (s - low->parameter) / h, A = 1.0 - B;
    double a = (A * A * A - A) * h * h / 6.0, b = (B * B * B - B) * h * h / 6.0;
    double da = -(3.0 * A * A - 1.0) * h / 6.0, db = (3.0 * B * B - 1.0) * h / 6.0;
    struct cn_curve_point at;
    at.point = cn_vec3_add_scaled(cn_vec3_scale(low->point, A), B, high->point);
    at.point = cn_vec3_add_scaled(at.point, a, low->second);
    at.point = cn_vec3_add_scaled(at.point, b, high->second);
    at.first = cn_vec3_scale(cn_vec3_sub(high->point, low->point), 1.0 / h);
    at.first = cn_vec3_add_scaled(at.first, da, low->second);
    at.first = cn_vec3_add_scaled(at.first, db, high->second);
    at.second = cn_vec3_add_scaled(cn_vec3_scale(low->second, A), B, high->second);
    return at;
}

static struct cn_curve_point
spline_at(const struct cn_curve *curve, double parameter)
{
    const struct cn_curve_knot *knot = curve->knot;
    double s = cn_curve_wrap(curve, parameter);
    double length = knot[curve->knot_count - 1].parameter;
    if (!curve->closed && !(s >= 0.0 && s <= length)) {
        int low = s < 0.0 ? 0 : curve->knot_count - 2;
        double end = s < 0.0 ? 0.0 : length;
        struct cn_curve_point at = piece_at(&knot[low], &knot[low + 1], end);
        at.point = cn_vec3_add_scaled(at.point, s - end, at.first);
        at.second = cn_vec3_make(0.0, 0.0, 0.0);
        return at;
    }
    int low = 0, high = curve->knot_count - 1;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (knot[middle].parameter <= s) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return piece_at(&knot[low], &knot[high], s);
}

struct cn_curve_point
cn_curve_at(const struct cn_curve *curve, double parameter)
{
    const cn_vec3 zero = {0.0, 0.0, 0.0};
    switch (curve->kind) {
    case CN_CURVE_SPLINE:
        return spline_at(curve, parameter);
    case CN_CURVE_CIRCLE: {
        double sine, cosine, r = curve->radius;
        cn_sin_cos(parameter, &sine, &cosine);
        cn_vec3 out = cn_vec3_make(r * cosine, r * sine, 0.0);
        return (struct cn_curve_point){cn_vec3_add(curve->origin, out),
            cn_vec3_make(-out.y, out.x, 0.0), cn_vec3_negate(out)};
    }
    case CN_CURVE_LINE:
        return (struct cn_curve_point){
            cn_vec3_add_scaled(curve->origin, parameter, curve->direction), curve->direction, zero};
    }
    CN_ASSERT(false);
}

/* ---- the nearest point ---- */

static struct cn_curve_foot
foot_at(const struct cn_curve *curve, double parameter)
{
    struct cn_curve_point at = cn_curve_at(curve, parameter);
    double speed = cn_vec3_length(at.first);
    struct cn_curve_foot foot = {.parameter = parameter, .point = at.point};
    if (!(speed > SPEED_MIN)) {
        foot.tangent = cn_vec3_make(1.0, 0.0, 0.0);
        return foot;
    }
    foot.tangent = cn_vec3_scale(at.first, 1.0 / speed);
    cn_vec3 across = cn_vec3_add_scaled(
        at.second, -cn_vec3_dot(at.second, foot.tangent), foot.tangent);
    foot.curvature = cn_vec3_scale(across, 1.0 / (speed * speed));
    return foot;
}

/*
 * g(s) = (c - p) . c' = 0 by Newton's method.  Where g' = |c'|^2 + (c - p) . c'' is not clearly
 * positive (p is near the centre of curvature) the step is that of a straight curve.  No step is
 * longer than a quarter of the curve's mean piece, so that the search stays near its start.
 */
static double
spline_nearest(const struct cn_curve *curve, cn_vec3 point, double start)
{
    double length = curve->knot[curve->knot_count - 1].parameter;
    double step_max = 0.25 * length / (curve->knot_count - 1);
    double s = start;
    for (int k = 0; k < NEWTON_MAX; k++) {
        struct cn_curve_point at = cn_curve_at(curve, s);
        cn_vec3 away = cn_vec3_sub(at.point, point);
        double square = cn_vec3_dot(at.first, at.first);
        double slope = square + cn_vec3_dot(away, at.second);
        double divisor = slope > 0.1 * square ? slope : square;
        if (!(divisor > SPEED_MIN * SPEED_MIN)) {
            break;
        }
        double step =
            cn_clamp(-cn_vec3_dot(away, at.first) / divisor, -step_max, step_max);
        s += step;
        if (fabs(step) <= 1e-15 * length) {
            break;
        }
    }
    return s;
}

struct cn_curve_foot
cn_curve_foot_near(const struct cn_curve *curve, cn_vec3 point, double start)
{
    cn_vec3 from = cn_vec3_sub(point, curve->origin);
    switch (curve->kind) {
    case CN_CURVE_SPLINE:
        return foot_at(curve, spline_nearest(curve, point, start));
    case CN_CURVE_CIRCLE: {
        double angle = cn_atan2(from.y, from.x);
        return foot_at(
            curve, angle + 2.0 * CN_PI * floor((start - angle) / (2.0 * CN_PI) + 0.5));
    }
    case CN_CURVE_LINE:
        return foot_at(curve, cn_vec3_dot(from, curve->direction));
    }
    CN_ASSERT(false);
}

struct cn_curve_foot
cn_curve_foot_search(const struct cn_curve *curve, cn_vec3 point)
{
    if (curve->kind != CN_CURVE_SPLINE) {
        return cn_curve_foot_near(curve, point, 0.0);
    }
    double best = 0.0, nearest = HUGE_VAL;
    int last = curve->knot_count - 1;
    for (int i = 0; i <= last * SEARCH_PARTS; i++) {
        int k = i / SEARCH_PARTS < last ? i / SEARCH_PARTS : last - 1;
        double h = curve->knot[k + 1].parameter - curve->knot[k].parameter;
        double s = curve->knot[k].parameter + h * (i - k * SEARCH_PARTS) / SEARCH_PARTS;
        struct cn_curve_foot foot = cn_curve_foot_near(curve, point, s);
        double distance = cn_vec3_length(cn_vec3_sub(foot.point, point));
        if (distance < nearest) {
            nearest = distance;
            best = foot.parameter;
        }
    }
    return foot_at(curve, cn_curve_wrap(curve, best));
}
