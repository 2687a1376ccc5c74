/*
 * fast_planar_boxes.h: many pairs of boxes at once, one pair in each lane.
 *
 * This is the text of one kernel.  It is compiled for every instruction set (math/wide.h) and gives
 * the same bits on all of them.
 *
 * u and v are the axes of the two boxes, and h their half extents.  d leads from A's middle to B's.
 * c and s are the cosine and sine of the angle between them.  The sides along the four axes are
 *
 *     A's x   |d . u| - h_ax - (|c| h_bx + |s| h_by)      and so on,
 *
 * and the reference is the largest side, or that of the last tick while it is as good up to the
 * tie.  The frame of the reference has the normal n, from the reference box R to the other one O,
 * and the tangent t.  The incident face is the one whose normal m has the least n.  It faces the
 * reference within 45 degrees (46 where hysteresis keeps it).  So its line is a function of t with
 * a slope of about 1 at most, and clipping needs one division and no branch.
 *
 * Lanes where two corners may be nearest are computed again by cn_fast_pair2_polygons, of which
 * this is a special case.  Names of edges, corners, features and hints are the same.
 */
#ifndef ENGINE_COLLIDE_FAST_FAST_PLANAR_BOXES_H
#define ENGINE_COLLIDE_FAST_FAST_PLANAR_BOXES_H

#include "engine/base/assert.h"
#include "engine/collide/fast/fast_planar_pair.h"
#include "engine/math/wide.h"

#define LANES CN_WIDE_LANES
#define TOUCH 1e-9f /* m */

/* One box of each lane. */
struct boxes {
    cn_wide ux, uy;       /* axis, world */
    cn_wide arm_x, arm_y; /* from the centre of mass, world */
    cn_wide half_x, half_y, radius;
};

static inline void
load_boxes(const struct cn_fast_placed2 *const placed[LANES], struct boxes *boxes)
{
    const float *first[LANES], *second[LANES];
    for (int i = 0; i < LANES; i++) {
        first[i] = &placed[i]->axis_x;
        second[i] = &placed[i]->half_x; /* the fourth is form and count, and is not used */
    }
    cn_wide row[4];
    wide_rows(first, row);
    boxes->ux = row[0];
    boxes->uy = row[1];
    boxes->arm_x = row[2];
    boxes->arm_y = row[3];
    wide_rows(second, row);
    boxes->half_x = row[0];
    boxes->half_y = row[1];
    boxes->radius = row[2];
}

static inline cn_wide
sign_of(cn_wide a)
{
    return wide_select(wide_greater(wide_zero(), a), wide_splat(-1.0f), wide_splat(1.0f));
}

/*
 * The faces of the last tick, which win ties: the reference, as A's x, A's y, B's x, B's y; and a
 * bonus for x faces as incident ones.
 */
struct liked {
    const float *axis[LANES];
    _Alignas(sizeof(cn_wide)) float incident[LANES];
};

static inline void
read_hints(const struct cn_fast_task2 *const task[LANES], struct liked *liked)
{
    static const float axis[5][4] = {{0.0f, 0.0f, 0.0f, 0.0f}, {1.0f, 0.0f, 0.0f, 0.0f},
        {0.0f, 1.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 1.0f, 0.0f}, {0.0f, 0.0f, 0.0f, 1.0f}};
    static const float incident[3] = {0.0f, -CN_FAST2_FACING_TIE, CN_FAST2_FACING_TIE};
    for (int i = 0; i < LANES; i++) {
        uint32_t hint = task[i]->last == NULL ? 0U : task[i]->last->hint;
        uint32_t known = hint >> 15 & 1U; /* faces 0 and 2 are y faces */
        liked->axis[i] = axis[known * (1U + 2U * (hint >> 14 & 1U) + (~hint >> 6 & 1U))];
        liked->incident[i] = incident[known * (1U + (hint & 1U))];
    }
}

/* The reference box R and the other one O in the frame of the reference face. */
struct meeting {
    cn_wide_mask of_b, near, special;
    cn_wide nx, ny;          /* out of R, world */
    cn_wide distance, shift; /* from R's middle to O's, along n and t */
    cn_wide half_n, half_t;  /* of R */
    cn_wide p, q;            /* O's x axis along n and t */
    cn_wide ox, oy;          /* half extents of O */
    cn_wide side;
    cn_wide face;            /* name of the reference face */
};

static inline void
choose(const struct boxes *a, const struct boxes *b, cn_wide dx, cn_wide dy, cn_wide margin,
    const struct liked *liked, struct meeting *m)
{
    cn_wide c = a->ux * b->ux + a->uy * b->uy, s = a->ux * b->uy - a->uy * b->ux;
    cn_wide ax = dx * a->ux + dy * a->uy, ay = a->ux * dy - a->uy * dx;
    cn_wide bx = dx * b->ux + dy * b->uy, by = b->ux * dy - b->uy * dx;
    cn_wide ac = wide_abs(c), as = wide_abs(s);
    cn_wide side[4] = {
        wide_abs(ax) - (a->half_x + (b->half_x * ac + b->half_y * as)),
        wide_abs(ay) - (a->half_y + (b->half_x * as + b->half_y * ac)),
        wide_abs(bx) - (b->half_x + (a->half_x * ac + a->half_y * as)),
        wide_abs(by) - (b->half_y + (a->half_x * as + a->half_y * ac)),
    };
    cn_wide largest = wide_max(wide_max(side[0], side[1]), wide_max(side[2], side[3]));
    /* NaN is not near.  The sides may be wrong by rounding, below TOUCH; the points then decide. */
    cn_wide reach = margin + (a->radius + b->radius);
    m->near = wide_greater(reach + wide_splat(TOUCH), largest);

    cn_wide bonus[4], tie = wide_splat(CN_FAST2_TIE) * margin;
    wide_rows(liked->axis, bonus);
    for (int k = 0; k < 4; k++) {
        bonus[k] = side[k] + tie * bonus[k];
    }
    m->of_b = wide_greater(wide_max(bonus[2], bonus[3]), wide_max(bonus[0], bonus[1]));
    cn_wide over = wide_select(m->of_b, bonus[3] - bonus[2], bonus[1] - bonus[0]);
    cn_wide_mask is_y = wide_greater(over, wide_zero());

    cn_wide side_x = wide_select(m->of_b, side[2], side[0]);
    cn_wide side_y = wide_select(m->of_b, side[3], side[1]);
    m->side = wide_select(is_y, side_y, side_x);
    cn_wide x = wide_select(m->of_b, -bx, ax), y = wide_select(m->of_b, -by, ay);
    cn_wide hx = wide_select(m->of_b, b->half_x, a->half_x);
    cn_wide hy = wide_select(m->of_b, b->half_y, a->half_y);
    m->ox = wide_select(m->of_b, a->half_x, b->half_x);
    m->oy = wide_select(m->of_b, a->half_y, b->half_y);
    s = wide_select(m->of_b, -s, s);

    cn_wide along = wide_select(is_y, y, x), sign = sign_of(along);
    cn_wide ux = wide_select(m->of_b, b->ux, a->ux), uy = wide_select(m->of_b, b->uy, a->uy);
    m->nx = sign * wide_select(is_y, -uy, ux);
    m->ny = sign * wide_select(is_y, ux, uy);
    m->distance = wide_abs(along);
    m->shift = sign * wide_select(is_y, -x, y);
    m->half_n = wide_select(is_y, hy, hx);
    m->half_t = wide_select(is_y, hx, hy);
    m->p = sign * wide_select(is_y, s, c);
    m->q = sign * wide_select(is_y, -c, s);
    m->face = wide_select(is_y, wide_splat(1.0f) + sign, wide_splat(2.0f) - sign);
}

/* The ends of the interval on the incident face. */
struct ends {
    cn_wide low_n, low_t, high_n, high_t;
    cn_wide feature_low, feature_high, hint;
};

static inline cn_wide
next_corner(cn_wide corner)
{
    cn_wide next = corner + wide_splat(1.0f);
    return next - wide_keep(wide_greater(next, wide_splat(3.5f)), wide_splat(4.0f));
}

static inline void
name_ends(const struct meeting *m, cn_wide incident, struct ends *e)
{
    cn_wide one = wide_splat(1.0f), row = wide_splat(256.0f), next = next_corner(m->face);
    cn_wide other = next_corner(incident);
    e->feature_low =
        one + wide_select(m->of_b, row * other + m->face, row * m->face + other);
    e->feature_high =
        one + wide_select(m->of_b, row * incident + next, row * next + incident);
    e->hint = wide_splat(32768.0f) + wide_keep(m->of_b, wide_splat(16384.0f)) +
              (wide_splat(64.0f) * m->face + incident);
}

static inline void
clip(struct meeting *m, cn_wide margin, const struct liked *liked, struct ends *e)
{
    cn_wide ap = wide_abs(m->p), aq = wide_abs(m->q), like = wide_load(liked->incident);
    cn_wide_mask is_x = wide_greater(ap + like, aq);
    cn_wide sign_p = sign_of(m->p), sign_q = sign_of(m->q);
    cn_wide mn = -wide_select(is_x, ap, aq);
    cn_wide mt = wide_select(is_x, -(sign_p * m->q), sign_q * m->p);
    cn_wide out = wide_select(is_x, m->ox, m->oy), half = wide_select(is_x, m->oy, m->ox);
    cn_wide n = m->distance + mn * out, t = m->shift + mt * out;
    cn_wide step_n = mt * half, step_t = mn * half;
    cn_wide high_n = n + step_n, high_t = t - step_t, low_n = n - step_n, low_t = t + step_t;
    cn_wide slope = -(mt / mn);
    e->high_t = wide_min(high_t, m->half_t);
    e->low_t = wide_max(low_t, -m->half_t);
    e->high_n = high_n + slope * (e->high_t - high_t);
    e->low_n = low_n + slope * (e->low_t - low_t);

    /* The lower corner is beyond the reference's ends: corners may be nearest. */
    cn_wide tie = wide_splat(CN_FAST2_TIE) * margin;
    cn_wide foot = wide_select(wide_greater(high_n, low_n), low_t, high_t);
    cn_wide_mask beside = wide_and(
        wide_greater(m->side, tie), wide_greater(wide_abs(foot), m->half_t));
    m->special = wide_or(beside, wide_greater(e->low_t, e->high_t));
    cn_wide two = wide_splat(2.0f), one = wide_splat(1.0f);
    name_ends(m, wide_select(is_x, two + sign_p, one + sign_q), e);
}

/* The results, which are written to memory lane by lane. */
struct written {
    _Alignas(sizeof(cn_wide)) float nx[LANES], ny[LANES], hint[LANES];
    float separation[2][LANES], feature[2][LANES]; /* aligned as the first ones */
    float ax[2][LANES], ay[2][LANES], bx[2][LANES], by[2][LANES];
    unsigned first, second; /* bits by lane: whether the point exists */
};

static inline void
place_point(const struct boxes *a, const struct boxes *b, const struct meeting *m, cn_wide dx,
    cn_wide dy, cn_wide n, cn_wide t, int k, struct written *w)
{
    cn_wide px = m->nx * n - m->ny * t, py = m->ny * n + m->nx * t; /* from R's middle */
    wide_store(w->ax[k], a->arm_x + wide_select(m->of_b, px + dx, px));
    wide_store(w->ay[k], a->arm_y + wide_select(m->of_b, py + dy, py));
    wide_store(w->bx[k], b->arm_x + wide_select(m->of_b, px, px - dx));
    wide_store(w->by[k], b->arm_y + wide_select(m->of_b, py, py - dy));
}

static inline void
write_lanes(const struct boxes *a, const struct boxes *b, const struct meeting *m,
    const struct ends *e, cn_wide dx, cn_wide dy, cn_wide margin, struct written *w)
{
    cn_wide of_r = wide_select(m->of_b, b->radius, a->radius);
    cn_wide of_o = wide_select(m->of_b, a->radius, b->radius);
    cn_wide surface = m->half_n + of_r, half = wide_splat(0.5f);
    cn_wide low_n = e->low_n - of_o, high_n = e->high_n - of_o;
    cn_wide low = low_n - surface, high = high_n - surface;
    cn_wide_mask low_is_out = wide_greater(low, margin), high_is_out = wide_greater(high, margin);
    w->first = ~(wide_bits(wide_and(low_is_out, high_is_out)));
    w->second = ~(wide_bits(wide_or(low_is_out, high_is_out)));
    cn_wide n = half * (wide_select(low_is_out, high_n, low_n) + surface);
    place_point(a, b, m, dx, dy, n, wide_select(low_is_out, e->high_t, e->low_t), 0, w);
    place_point(a, b, m, dx, dy, half * (high_n + surface), e->high_t, 1, w);
    wide_store(w->separation[0], wide_select(low_is_out, high, low));
    wide_store(w->separation[1], high);
    wide_store(w->feature[0], wide_select(low_is_out, e->feature_high, e->feature_low));
    wide_store(w->feature[1], e->feature_high);
    wide_store(w->hint, e->hint);
    wide_store(w->nx, wide_select(m->of_b, -m->nx, m->nx));
    wide_store(w->ny, wide_select(m->of_b, -m->ny, m->ny));
}

static inline void
put_point(const struct written *w, int lane, int k, const struct cn_manifold2 *last,
    struct cn_point2 *point)
{
    uint32_t feature = (uint32_t)w->feature[k][lane];
    const struct cn_point2 *same =
        feature == last->point[0].feature ? &last->point[0] : &last->point[1];
    bool is_known = feature == same->feature;
    point->anchor_ax = w->ax[k][lane];
    point->anchor_ay = w->ay[k][lane];
    point->anchor_bx = w->bx[k][lane];
    point->anchor_by = w->by[k][lane];
    point->separation = w->separation[k][lane];
    point->normal_impulse = is_known ? same->normal_impulse : 0.0f;
    point->tangent_impulse = is_known ? same->tangent_impulse : 0.0f;
    point->total_impulse = 0.0f;
    point->feature = feature;
}

static inline void
put_manifold(const struct written *w, int lane, const struct cn_fast_task2 *task)
{
    const struct cn_manifold2 *last = task->last == NULL ? &cn_manifold2_none : task->last;
    struct cn_manifold2 *now = task->now;
    now->normal_x = w->nx[lane];
    now->normal_y = w->ny[lane];
    now->rolling_impulse = last->point_count > 0 ? last->rolling_impulse : 0.0f;
    now->point_count = 1 + (int)(w->second >> lane & 1U);
    now->hint = (uint32_t)w->hint[lane];
    put_point(w, lane, 0, last, &now->point[0]);
    if (now->point_count == 2) {
        put_point(w, lane, 1, last, &now->point[1]);
    } else {
        now->point[1] = cn_manifold2_none.point[1];
    }
}

static inline void
meet_lanes(const struct cn_fast_task2 *const task[LANES], int count, float margin_of_all)
{
    const struct cn_fast_placed2 *of_a[LANES], *of_b[LANES];
    _Alignas(sizeof(cn_wide)) float between_x[LANES], between_y[LANES];
    for (int i = 0; i < LANES; i++) {
        of_a[i] = task[i]->a;
        of_b[i] = task[i]->b;
        between_x[i] = (float)(of_b[i]->x - of_a[i]->x);
        between_y[i] = (float)(of_b[i]->y - of_a[i]->y);
    }
    struct boxes a, b;
    struct liked liked;
    struct meeting meeting;
    struct ends ends;
    struct written written;
    load_boxes(of_a, &a);
    load_boxes(of_b, &b);
    read_hints(task, &liked);
    cn_wide dx = wide_load(between_x), dy = wide_load(between_y);
    cn_wide margin = wide_splat(margin_of_all);
    choose(&a, &b, dx, dy, margin, &liked, &meeting);
    clip(&meeting, margin, &liked, &ends);
    write_lanes(&a, &b, &meeting, &ends, dx, dy, margin, &written);
    unsigned near = wide_bits(meeting.near), special = wide_bits(meeting.special);
    for (int i = 0; i < count; i++) {
        if (((near & special) >> i & 1U) != 0U) {
            cn_fast_meet_polygons(task[i], margin_of_all);
        } else if (((near & written.first) >> i & 1U) == 0U) {
            cn_manifold2_clear(task[i]->now, task[i]->last);
        } else {
            put_manifold(&written, i, task[i]);
        }
    }
}

static void
meet_boxes(const struct cn_fast_task2 *const *task, int count, float margin)
{
    CN_ASSERT(count >= 0);
    const struct cn_fast_task2 *group[LANES];
    for (int first = 0; first < count; first += LANES) {
        int n = count - first < LANES ? count - first : LANES;
        for (int i = 0; i < LANES; i++) {
            group[i] = task[first + (i < n ? i : n - 1)];
        }
        meet_lanes(group, n, margin);
    }
}

#endif
