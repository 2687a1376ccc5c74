/*
 * event_restitution.c: the impulses of an impact with friction and restitution.
 *
 * Coulomb's law with the velocity after the impact may have several solutions.  In a row of leaning
 * dominoes, a tiny approach has one solution with tiny impulses, and another one with impulses that
 * jam all of them.  If there is a solution in which every sliding contact continues to slide, it is
 * taken: it is the limit of ever smaller impacts.
 *
 * Newton's restitution v+ = -e v- on the normals and Coulomb's law across them are not always
 * compatible: a rod that strikes the ground while its tip slides may gain energy (Kane).  The rule
 * is: of the restitution that materials ask for, bodies keep the largest part for which their
 * kinetic energy does not grow.
 *
 * Let f1 be the impulses with restitution, f0 those without.  f0 never gains: f0 . v+ <= 0 row by
 * row, and the gain is f . v+ - f A f / 2.  On the way from f0 to f1 all is convex: impulses stay
 * within their cones and nothing approaches, so we go as far as
 *
 *     gain(f) = f . v- + f A f / 2 <= 0,    f = f0 + part (f1 - f0)
 *
 * and take the larger root of a quadratic, at most 1.  A solver that stops short of a solution may
 * return an f0 that gains; then the impact is without friction.
 *
 * The impulses that are finally applied may also come from a solver that stopped short.  If they
 * gain energy, all are reduced by one factor until they do not, so they stay within their cones.
 * Contacts that still approach are left to the next round.
 */
#include "engine/step/event/event.h"

#include "engine/base/assert.h"
#include "engine/base/fiber.h"
#include "engine/math/scalar.h"

#include <math.h>
#include <string.h>

/* Operations of a row in the balance of an impact's energy. */
#define WORK_PER_ROW 60

/* Of the judge's scale: impulses with friction that miss by more are not used. */
#define SOLVED_RESIDUAL 1e-2

/* Of the energies that an impact moves: the gain that rounding may cause. */
#define GAIN_FRACTION 1e-12

/*
 * Of the square of a speed: the part along its old direction, from which on the direction is the
 * same.
 */
#define STRAIGHT (1.0 - 1e-6)

static bool
has_disc_rows(const struct cn_event_scratch *s)
{
    for (int k = 0; k < s->row_count; k++) {
        if (cn_row_follows((enum cn_row_tag)s->tag[k])) {
            return true;
        }
    }
    return false;
}

/* Leaves the rows of discs out of the problem. */
static void
drop_discs(struct cn_event_scratch *s)
{
    int kept = 0;
    for (int k = 0; k < s->row_count; k++) {
        if (cn_row_follows((enum cn_row_tag)s->tag[k])) {
            continue;
        }
        s->source[kept] = s->source[k];
        s->row[kept] = s->row[k];
        s->b[kept] = s->b[k];
        s->tag[kept] = s->tag[k];
        s->mu[kept] = s->f[kept] = s->slip[kept] = 0.0;
        kept++;
    }
    s->row_count = kept;
}

/* g . (velocities before); the rows are those of f's problem. */
static double
work_before(const struct cn_event_scratch *s, const double *g)
{
    double sum = 0.0;
    for (int k = 0; k < s->row_count; k++) {
        sum += g[k] * cn_event_row_rate(s, s->model->motion, k);
    }
    return sum;
}

/* g A f; response[] belongs to f. */
static double
work_of_response(const struct cn_event_scratch *s, const double *g)
{
    double sum = 0.0;
    for (int k = 0; k < s->row_count; k++) {
        sum += g[k] * cn_row_rate(&s->row[k], s->response);
    }
    return sum;
}

static bool
gains(const struct cn_event_scratch *s)
{
    double before = work_before(s, s->f), after = 0.5 * work_of_response(s, s->f);
    return before + after > GAIN_FRACTION * (fabs(before) + after);
}

void
cn_event_take_gain(struct cn_event_scratch *s, const double *rate)
{
    double before = 0.0, after = 0.5 * work_of_response(s, s->f);
    for (int k = 0; k < s->row_count; k++) {
        before += s->f[k] * rate[k];
    }
    *s->work += (int64_t)WORK_PER_ROW * s->row_count;
    cn_work_spend((int64_t)WORK_PER_ROW * s->row_count);
    if (before + after <= GAIN_FRACTION * (fabs(before) + after)) {
        return;
    }
    double part = cn_clamp(-before / after, 0.0, 1.0); /* after > 0, or nothing is gained */
    for (int k = 0; k < s->row_count; k++) {
        s->f[k] *= part;
    }
    for (int i = 0; i < s->model->body_count; i++) {
        s->response[i].linear = cn_vec3_scale(s->response[i].linear, part);
        s->response[i].angular = cn_vec3_scale(s->response[i].angular, part);
    }
}

/*
 * f[] is f1 and gains energy: moves it back towards f0.  False if f0 gains too, so that it is not a
 * solution.
 */
static bool
take_back(struct cn_event_scratch *s)
{
    for (int k = 0; k < s->row_count; k++) {
        s->f_other[k] = s->f[k];
        s->f[k] = s->slip[k] = 0.0;
        s->b[k] = cn_event_row_rate(s, s->model->motion, k);
    }
    cn_event_solve_impulses(s);
    if (gains(s)) {
        return false;
    }
    double start = work_before(s, s->f) + 0.5 * work_of_response(s, s->f);
    for (int k = 0; k < s->row_count; k++) {
        s->f_other[k] -= s->f[k]; /* f1 - f0 */
    }
    double slope = work_before(s, s->f_other) + work_of_response(s, s->f_other);
    cn_event_respond(s, s->f_other);
    double square = 0.5 * work_of_response(s, s->f_other);
    double root = slope * slope - 4.0 * square * cn_min(start, 0.0);
    double part = square > 0.0 ? (-slope + sqrt(cn_max(root, 0.0))) / (2.0 * square) : 0.0;
    part = cn_clamp(part, 0.0, 1.0);
    for (int k = 0; k < s->row_count; k++) {
        s->f[k] += part * s->f_other[k];
    }
    cn_event_respond(s, s->f);
    return true;
}

/* Fixes the direction of every disc that slides to the present one; false: none slides. */
static bool
fix_slip(struct cn_event_scratch *s)
{
    double rest = cn_model_velocity_rest(s->model);
    struct cn_disc_rows rows;
    bool any = false;
    for (int k = 0; k < s->row_count; k++) {
        if (!cn_event_find_disc(s, k, &rows)) {
            continue;
        }
        cn_vec3 u = cn_event_slip_velocity(s, s->model->motion, &rows);
        double speed = cn_vec3_length(u);
        for (int t = k; t < k + rows.count && speed * rows.width > rest; t++) {
            s->slip[t] = cn_vec3_dot(u, s->across[t]) / speed;
            any = true;
        }
    }
    return any;
}

/* Whether, under the impulses found, each disc with a fixed direction slides straight ahead. */
static bool
slides_on(const struct cn_event_scratch *s)
{
    struct cn_disc_rows rows;
    for (int k = 0; k < s->row_count; k++) {
        if (!cn_event_find_disc(s, k, &rows)) {
            continue;
        }
        double along = 0.0, square = 0.0, d = 0.0;
        for (int t = k; t < k + rows.count; t++) {
            double after = s->b[t] + cn_row_rate(&s->row[t], s->response);
            along += after * s->slip[t];
            square += after * after;
            d += fabs(s->slip[t]);
        }
        bool straight = along > 0.0 && along * along >= STRAIGHT * square;
        if (d > 0.0 && s->f[rows.normal] > 0.0 && !straight) {
            return false;
        }
    }
    return true;
}

static void
clear(double *values, int count)
{
    memset(values, 0, (size_t)count * sizeof(values[0]));
}

/*
 * Takes the solution in which all sliding contacts continue to slide, if it exists; else any
 * solution.
 */
static void
solve_with_friction(struct cn_event_scratch *s)
{
    if (fix_slip(s)) {
        cn_event_solve(s);
        if (s->note.outcome == CN_SOLVE_CONVERGED && slides_on(s)) {
            return;
        }
        clear(s->slip, s->row_count);
        clear(s->f, s->row_count);
    }
    cn_event_solve_impulses(s);
}

void
cn_event_solve_impact(struct cn_event_scratch *s)
{
    CN_ASSERT(!s->looks);
    if (!has_disc_rows(s)) {
        cn_event_solve(s);
    } else {
        solve_with_friction(s);
        bool solved = s->note.outcome != CN_SOLVE_INFEASIBLE &&
                      s->note.residual <= SOLVED_RESIDUAL;
        if (!solved || (gains(s) && !take_back(s))) {
            drop_discs(s);
            cn_event_solve(s);
        }
    }
    for (int k = 0; k < s->row_count; k++) {
        s->f_other[k] = cn_event_row_rate(s, s->model->motion, k);
    }
    cn_event_take_gain(s, s->f_other);
}
