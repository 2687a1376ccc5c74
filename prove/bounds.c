#include "prove/bounds.h"

#include "engine/base/assert.h"
#include "prove/exact/lift.h"
#include "prove/forces.h"
#include "prove/forces_tree.h"
#include "prove/limits.h"
#include "prove/search.h"

#include <math.h>
#include <string.h>

#define K PV_CONE_MAX
#define MARGINS 24 /* tries with ever smaller margins */

/* Whether all forces are in their cones, at bearing contacts with this margin. */
static bool
forces_hold(const struct pv_search *s, mpq_t *force, const mpq_t margin, bool only_sides)
{
    CN_ASSERT(s->conic.count == s->r->contact_count);
    mpq_t none;
    mpq_init(none);
    bool good = true;
    for (int c = 0; c < s->conic.count && good; c++) {
        const struct pv_contact *contact = &s->r->contact[c];
        good = (only_sides && contact->bears) ||
               pv_force_is_in_cone(s->r, contact, &force[PV_FORCE_MAX * c],
                   contact->bears ? margin : none);
    }
    mpq_clear(none);
    return good;
}

/* The margin of these forces, in doubles.  *most: the largest normal force. */
static double
margin_of(const struct pv_search *s, mpq_t *force, double *most)
{
    double margin = HUGE_VAL;
    *most = 0.0;
    for (int c = 0; c < s->conic.count; c++) {
        const struct pv_contact *contact = &s->r->contact[c];
        double f[3], n, side, mu = pv_double(contact->friction);
        for (int k = 0; k < 3; k++) {
            f[k] = pv_double(force[PV_FORCE_MAX * c + k]);
        }
        n = f[0];
        side = fabs(f[1]);
        if (pv_force_parts(s->r, contact) == 3) {
            const double *normal = s->axis[c][0];
            n = f[0] * normal[0] + f[1] * normal[1] + f[2] * normal[2];
            double t[3] = {f[0] - n * normal[0], f[1] - n * normal[1], f[2] - n * normal[2]};
            side = sqrt(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]);
        }
        *most = fmax(*most, fabs(n));
        if (contact->bears) {
            margin = fmin(margin, mu > 0.0 ? n - side / mu : n);
        }
    }
    return margin;
}

/* Whether the numbers of the contacts are so long that a general exact solution is far longer. */
static bool
is_long(const struct pv_search *s)
{
    uint64_t words = 0, count = 0;
    for (int j = 0; j < K * s->conic.count; j++) {
        for (int k = 0; k < s->column[j].count; k++) {
            words += pv_words(s->column[j].value[k]);
            count++;
        }
    }
    return words > 2 * count;
}

static bool
find_margin(struct pv_search *s, struct pv_bounds *out)
{
    double t = s->conic.t * s->weight / s->margin_scale, most = 0.0;
    bool by_tree = s->r->dimension == 3 && is_long(s) &&
                   pv_forces_by_tree(s, s->weight, t, out->force);
    if (!by_tree && !pv_forces_find(s, true, NULL, out->margin, s->weight, t, out->force)) {
        return false;
    }
    double margin = margin_of(s, out->force, &most), back = ldexp(fmax(most, 1e-300), -50);
    back = exp2(floor(log2(fmax(back, 1e-9 * fabs(margin)))));
    if (!isfinite(margin)) {
        return false;
    }
    for (int k = 0; k < MARGINS; k++) {
        mpq_set_d(out->margin, floor(margin / back) * back);
        if (forces_hold(s, out->force, out->margin, false)) {
            return true;
        }
        margin -= back;
        back *= k < 2 ? 1.0 : 4.0;
    }
    return false;
}

/* The relative velocity of the two bodies at a contact, for the motion y. */
static void
rate_of(struct pv_search *s, mpq_t *y, int c, pv_vec *rate)
{
    CN_ASSERT(0 <= c && c < s->conic.count);
    pv_vec unit;
    struct pv_column column;
    pv_vec_init(&unit);
    pv_column_init(&column, PV_WRENCH_ROOM);
    for (int k = 0; k < 3; k++) {
        mpq_set_ui(rate->c[k], 0, 1);
        mpq_set_ui(unit.c[k], 1, 1);
        if (s->column_count[c] > 1 && k < s->r->dimension) {
            pv_dot_column(rate->c[k], &s->column[K * c + k], y, &s->work);
        } else if (k < s->r->dimension) {
            column.count = 0;
            pv_wrench_add(s->r, s->balance->row, &column, &s->r->contact[c], &unit);
            pv_dot_column(rate->c[k], &column, y, &s->work);
        }
        mpq_set_ui(unit.c[k], 0, 1);
    }
    pv_column_finish(&column, PV_WRENCH_ROOM);
    pv_vec_clear(&unit);
}

/* Whether y opens every contact as its dual cone requires.  opening: sum at bearing contacts. */
static bool
motion_opens(struct pv_search *s, mpq_t *y, mpq_t opening)
{
    pv_vec rate;
    mpq_t along;
    pv_vec_init(&rate);
    mpq_init(along);
    mpq_set_ui(opening, 0, 1);
    bool good = true;
    for (int c = 0; c < s->conic.count && good; c++) {
        const struct pv_contact *contact = &s->r->contact[c];
        rate_of(s, y, c, &rate);
        good = pv_rate_is_in_cone(contact, &rate);
        if (contact->bears) {
            pv_dot(along, &rate, &contact->normal);
            mpq_add(opening, opening, along);
        }
    }
    pv_vec_clear(&rate);
    mpq_clear(along);
    return good;
}

/*
 * Finds an exact y near `scale` times the doubles' y.  The relative velocity is 0 at contacts
 * marked `is_still`.  no_force: also y b = -1.  is_optimal: also the openings of bearing contacts
 * sum to 1.
 */
static bool
find_motion(struct pv_search *s, struct pv_bounds *out, const bool *is_still, bool no_force,
    bool is_optimal, double scale)
{
    CN_ASSERT(!no_force || !is_optimal);
    int rows = s->balance->rows, count = 0;
    struct pv_column *column = pv_alloc((size_t)rows, sizeof(*column));
    const struct pv_column **list = pv_alloc((size_t)rows, sizeof(*list));
    int *room = pv_alloc((size_t)rows, sizeof(*room));
    double *near = pv_alloc((size_t)rows, sizeof(*near));
    for (int c = 0; c < s->conic.count; c++) {
        for (int k = 0; is_still[c] && k < s->column_count[c]; k++) {
            for (int e = 0; e < s->column[K * c + k].count; e++) {
                room[s->column[K * c + k].row[e]]++;
            }
        }
    }
    for (int i = 0; i < rows; i++) {
        pv_column_init(&column[i], room[i] + 2);
        list[i] = &column[i];
        near[i] = s->conic.y[i] * s->row_scale[i % s->conic.dof] * scale;
    }
    for (int c = 0; c < s->conic.count; c++) {
        for (int k = 0; is_still[c] && k < s->column_count[c]; k++, count++) {
            const struct pv_column *of = &s->column[K * c + k];
            for (int e = 0; e < of->count; e++) {
                pv_column_add(&column[of->row[e]], count, of->value[e]);
            }
        }
    }
    mpq_t *right = pv_numbers((size_t)count + 1);
    if (no_force) {
        for (int i = 0; i < rows; i++) {
            pv_column_add(&column[i], count, s->balance->b[i]);
        }
        mpq_set_si(right[count], -1, 1);
    } else if (is_optimal) {
        bool *all = pv_alloc((size_t)s->conic.count, sizeof(*all));
        for (int c = 0; c < s->conic.count; c++) {
            all[c] = true;
        }
        mpq_t one;
        mpq_init(one);
        mpq_set_si(one, -1, 1);
        mpq_t *sum = pv_forces_right(s, false, all, one);
        for (int i = 0; i < rows; i++) {
            pv_column_add(&column[i], count, sum[i]);
        }
        pv_numbers_free(sum, (size_t)rows);
        mpq_clear(one);
        pv_free(all);
        mpq_set_ui(right[count], 1, 1);
    }
    int equations = count + (no_force || is_optimal ? 1 : 0);
    bool good = pv_lift_solve(list, rows, equations, right, near, PV_FORCE_BITS, NULL, out->y,
        &s->work, s->work_max);
    pv_numbers_free(right, (size_t)count + 1);
    for (int i = 0; i < rows; i++) {
        pv_column_finish(&column[i], room[i] + 2);
    }
    pv_free(column);
    pv_free(list);
    pv_free(room);
    pv_free(near);
    return good;
}

/* out = y b */
static void
power_of(const struct pv_search *s, mpq_t *y, mpq_t out)
{
    mpq_set_ui(out, 0, 1);
    for (int i = 0; i < s->balance->rows; i++) {
        pv_add_product(out, s->balance->b[i], y[i]);
    }
}

static bool
find_bound(struct pv_search *s, struct pv_bounds *out)
{
    mpq_t opening, power;
    mpq_inits(opening, power, NULL);
    for (int i = 0; i < s->balance->rows; i++) {
        mpq_set_d(out->y[i],
            s->conic.y[i] * s->row_scale[i % s->conic.dof] / s->margin_scale);
    }
    bool good = motion_opens(s, out->y, opening) && mpq_sgn(opening) > 0;
    if (!good) {
        bool *is_still = pv_alloc((size_t)s->conic.count, sizeof(*is_still));
        for (int c = 0; c < s->conic.count; c++) {
            is_still[c] = s->part[c] == PV_PRESSES;
        }
        good = find_motion(s, out, is_still, false, false, 1.0 / s->margin_scale) &&
               motion_opens(s, out->y, opening) && mpq_sgn(opening) > 0;
        pv_free(is_still);
    }
    if (good) { /* t <= y b / opening, rounded upwards */
        power_of(s, out->y, power);
        mpq_div(power, power, opening);
        double bound = pv_double(power);
        mpq_set_d(out->bound, bound);
        while (mpq_cmp(out->bound, power) < 0) {
            bound = nextafter(bound, HUGE_VAL);
            mpq_set_d(out->bound, bound);
        }
    }
    mpq_clears(opening, power, NULL);
    return good;
}

/* Finds t* itself.  This is possible only if no contact slides. */
static bool
find_exact(struct pv_search *s, struct pv_bounds *out)
{
    size_t n = (size_t)s->conic.count;
    bool *is_still = pv_alloc(n, sizeof(*is_still)), *parts = pv_alloc(n, sizeof(*parts));
    bool good = true;
    for (int c = 0; c < s->conic.count; c++) {
        is_still[c] = s->part[c] == PV_PRESSES;
        parts[c] = s->part[c] == PV_PARTS;
        good = good && s->part[c] != PV_SLIDES;
    }
    mpq_t t, opening;
    mpq_inits(t, opening, NULL);
    good = good && find_motion(s, out, is_still, false, true, 1.0 / s->margin_scale) &&
           motion_opens(s, out->y, opening);
    if (good) {
        power_of(s, out->y, t);
        double near = s->conic.t * s->weight / s->margin_scale;
        good = pv_forces_find(s, true, parts, t, s->weight, near, out->force) &&
               forces_hold(s, out->force, t, false);
    }
    if (good) {
        mpq_set(out->margin, t);
        mpq_set(out->bound, t);
    }
    mpq_clears(t, opening, NULL);
    pv_free(is_still);
    pv_free(parts);
    return good;
}

static bool
find_contradiction(struct pv_search *s, struct pv_bounds *out)
{
    bool *is_still = pv_alloc((size_t)s->conic.count, sizeof(*is_still));
    double power = 0.0;
    for (int c = 0; c < s->conic.count; c++) {
        is_still[c] = s->r->contact[c].bears || s->part[c] == PV_PRESSES;
    }
    for (int i = 0; i < s->balance->rows; i++) {
        power -= s->conic.y[i] * s->conic.b[i] * s->weight;
    }
    mpq_t opening;
    mpq_init(opening);
    bool good = power > 0.0 && find_motion(s, out, is_still, true, false, 1.0 / power) &&
                motion_opens(s, out->y, opening) && mpq_sgn(opening) == 0;
    mpq_clear(opening);
    pv_free(is_still);
    return good;
}

static double *
copy_of(const double *v, size_t count)
{
    double *copy = pv_alloc(count, sizeof(*copy));
    memcpy(copy, v, count * sizeof(*copy));
    return copy;
}

static double
largest_size(const double *v, size_t count)
{
    double most = 1e-300;
    for (size_t i = 0; i < count; i++) {
        most = fmax(most, fabs(v[i]));
    }
    return most;
}

/*
 * Finds a bound from the doubles' motion plus a small part of a motion that opens every contact
 * that can open.  This helps in two cases: the motion lies on the boundary of a cone; or no forces
 * hold, and the exact motion that proves it has too many digits.
 */
static bool
find_wider_bound(struct pv_search *s, struct pv_bounds *out, bool falls)
{
    static const double part[] = {1e-6, 1e-4, 1e-2, 0.5};
    struct pv_conic *p = &s->conic;
    size_t rows = (size_t)s->balance->rows, forces = (size_t)(K * p->count);
    double *y = copy_of(p->y, rows), *b = copy_of(p->b, rows), *x = copy_of(p->x, forces);
    double t = p->t;
    memset(p->b, 0, rows * sizeof(*b));
    enum pv_conic_end end = pv_conic_solve(p); /* with b = 0: y is in the middle of its cone */
    memcpy(p->b, b, rows * sizeof(*b));
    memcpy(p->x, x, forces * sizeof(*x));
    p->t = t;
    double *open = copy_of(p->y, rows), more = largest_size(y, rows) / largest_size(open, rows);
    bool good = false;
    for (size_t k = 0; k < sizeof(part) / sizeof(part[0]) && !good; k++) {
        for (size_t i = 0; i < rows; i++) {
            p->y[i] = y[i] + part[k] * more * open[i];
        }
        good = end == PV_CONIC_OPTIMAL && find_bound(s, out) &&
               (!falls || mpq_sgn(out->bound) < 0);
    }
    pv_free(y);
    pv_free(b);
    pv_free(x);
    pv_free(open);
    return good;
}

/* Finds forces that hold, whatever their t.  A squeeze, if there is one, has been found before. */
static enum pv_outcome
find_any(struct pv_search *s, struct pv_bounds *out)
{
    mpq_t none;
    mpq_init(none);
    s->conic.c = 0.0;
    enum pv_conic_end end = pv_conic_solve(&s->conic);
    pv_search_tell_parts(s);
    double t = s->conic.t * s->weight / s->margin_scale;
    enum pv_outcome outcome = PV_UNDECIDED;
    if (end == PV_CONIC_OPTIMAL) {
        bool good = pv_forces_find(s, true, NULL, none, s->weight, t, out->force) &&
                    forces_hold(s, out->force, none, true);
        outcome = good ? PV_UNBOUNDED : PV_UNDECIDED;
    } else if (end == PV_CONIC_INFEASIBLE) {
        outcome = find_contradiction(s, out) ? PV_INFEASIBLE : PV_UNDECIDED;
    }
    mpq_clear(none);
    return outcome;
}

/* Finds a ray, twice as strong as needed so that rounding is harmless, and forces that hold. */
static enum pv_outcome
find_ray(struct pv_search *s, struct pv_bounds *out)
{
    mpq_t one;
    mpq_init(one);
    mpq_set_ui(one, 1, 1);
    double scale = 2.0 * s->margin_scale / s->conic.t;
    bool good = s->conic.t > 0.0 &&
                pv_forces_find(s, false, NULL, one, scale, 2.0, out->squeeze) &&
                forces_hold(s, out->squeeze, one, false);
    mpq_clear(one);
    return good ? find_any(s, out) : PV_UNDECIDED;
}

static bool
some_bear(const struct pv_arrangement *r)
{
    for (int c = 0; c < r->contact_count; c++) {
        if (r->contact[c].bears) {
            return true;
        }
    }
    return false;
}

/* Whether the bounds decide the sign of t*. */
static bool
is_told(const struct pv_bounds *out)
{
    return (out->has_margin && mpq_sgn(out->margin) > 0) ||
           (out->has_bound && mpq_sgn(out->bound) < 0);
}

/* Finds bounds from doubles that know the margin to the relative accuracy `part`. */
static enum pv_outcome
try_accuracy(struct pv_search *s, struct pv_bounds *out, double part)
{
    s->conic.part = part;
    s->conic.c = 1.0;
    enum pv_conic_end end = pv_conic_solve(&s->conic);
    pv_search_tell_parts(s);
    if (end == PV_CONIC_INFEASIBLE) {
        if (find_contradiction(s, out)) {
            return PV_INFEASIBLE;
        }
        out->has_bound = find_wider_bound(s, out, true);
        return out->has_bound ? PV_OPTIMAL : PV_UNDECIDED;
    }
    if (end == PV_CONIC_UNBOUNDED) {
        return find_ray(s, out);
    }
    if (end == PV_CONIC_STALLED) {
        return PV_UNDECIDED;
    }
    s->work_max = s->work + PV_BOUNDS_WORK_MAX; /* independent of work on failed margins */
    out->has_bound = find_bound(s, out) || find_wider_bound(s, out, s->conic.t < 0.0);
    s->work_max = s->work + (PV_BOUNDS_WORK_MAX - s->margin_work);
    if (is_told(out)) { /* it falls; the margin only adds a number, so allow little work */
        s->work_max = s->work + PV_FACE_WORK_MAX;
    }
    uint64_t before = s->work;
    out->has_margin = s->margin_work < PV_BOUNDS_WORK_MAX && find_margin(s, out);
    s->margin_work += s->work - before;
    return out->has_margin || out->has_bound ? PV_OPTIMAL : PV_UNDECIDED;
}

/*
 * Tries narrow bounds first.  A point farther inside of the cones can move more before it leaves
 * them, so wider bounds are tried if nothing is proved.  If the sign is still open, t* itself is
 * tried.
 */
static enum pv_outcome
search_bounds(struct pv_search *s, struct pv_bounds *out)
{
    static const double part[] = {1e-6, 1e-3, 0.1};
    enum pv_outcome outcome = PV_UNDECIDED;
    if (!some_bear(s->r)) { /* t does not occur in the equations, so only forces matter */
        return find_any(s, out);
    }
    for (size_t k = 0; k < sizeof(part) / sizeof(part[0]); k++) {
        outcome = try_accuracy(s, out, part[k]);
        bool is_done = outcome == PV_INFEASIBLE || outcome == PV_UNBOUNDED || is_told(out);
        if (is_done || (out->has_margin && out->has_bound)) {
            break;
        }
    }
    if (outcome != PV_OPTIMAL || is_told(out)) {
        return outcome;
    }
    bool has_margin = out->has_margin, has_bound = out->has_bound;
    s->work_max = s->work + PV_FACE_WORK_MAX;
    if (find_exact(s, out)) {
        out->has_margin = out->has_bound = out->is_exact = true;
    } else { /* find_exact has overwritten it: find it again */
        out->has_margin = has_margin && find_margin(s, out);
        out->has_bound = has_bound && find_bound(s, out);
    }
    return out->has_margin || out->has_bound ? PV_OPTIMAL : PV_UNDECIDED;
}

enum pv_outcome
pv_bounds_find(struct pv_bounds *bounds)
{
    struct pv_search s;
    pv_search_init(&s, &bounds->balance);
    enum pv_outcome outcome = search_bounds(&s, bounds);
    CN_ASSERT(outcome != PV_OPTIMAL || bounds->has_margin || bounds->has_bound);
    CN_ASSERT(!bounds->is_exact || (bounds->has_margin && bounds->has_bound));
    bounds->work += s.work;
    pv_search_finish(&s);
    return outcome;
}

void
pv_bounds_init(struct pv_bounds *bounds)
{
    CN_ASSERT(bounds->balance.rows % pv_dof(bounds->balance.arrangement) == 0);
    size_t contacts = (size_t)bounds->balance.arrangement->contact_count;
    mpq_inits(bounds->margin, bounds->bound, NULL);
    bounds->force = pv_numbers(PV_FORCE_MAX * contacts);
    bounds->squeeze = pv_numbers(PV_FORCE_MAX * contacts);
    bounds->y = pv_numbers((size_t)bounds->balance.rows);
}

void
pv_bounds_finish(struct pv_bounds *bounds)
{
    size_t contacts = (size_t)bounds->balance.arrangement->contact_count;
    mpq_clears(bounds->margin, bounds->bound, NULL);
    pv_numbers_free(bounds->force, PV_FORCE_MAX * contacts);
    pv_numbers_free(bounds->squeeze, PV_FORCE_MAX * contacts);
    pv_numbers_free(bounds->y, (size_t)bounds->balance.rows);
}
