/*
 * impulse_spatial.h: the source of the spatial contact kernels, over wide.h; see impulse.h.
 *
 * A manifold is solved in its frame of tangents and normal (t1, t2, n), t1 x t2 = n.  There the
 * normal row of an anchor r has the angular part r x n = (r2, -r1, 0), of which two numbers are
 * enough.  The anchors of A and B name one place, so r_b = r_a + D with one D for all points (0
 * where one side never moves), and
 *
 *     v_n = [n . (v_b - v_a) + D2 w_b1 - D1 w_b2] + r2 (w_b - w_a)_1 - r1 (w_b - w_a)_2
 *     s   = s0 + [n . (d_b - d_a) + m_b . D] + (m_b - m_a) . r,     m = R' n - n, R a body's turn
 *
 * The four normal rows are solved in their own coordinates: K_ij = J_i inv(M) J_j' is stored, each
 * impulse changes the speeds of later rows, and the bodies get the sum.  Friction acts at one
 * place, the points' middle, along t1 and t2 at once.  Friction about the normal (twist) and
 * rolling friction act on the spins.
 *
 * The middle is a weighted mean.  A point that is further away than the speculative distance has a
 * small weight, so that the middle does not jump when a point comes or goes.
 *
 * Positions move only between a solve and the relax that follows it.  So relax stores the gaps for
 * the next solve, and solve reads only velocities.
 *
 * Source: central friction with twist, as in manifold-based solvers since Bullet; implicit
 * gyroscopic torque, Catto, GDC 2015.
 */
#ifndef ENGINE_SOLVE_IMPULSE_IMPULSE_SPATIAL_H
#define ENGINE_SOLVE_IMPULSE_IMPULSE_SPATIAL_H

#include "engine/solve/impulse/impulse_wide3.h"

#define SPATIAL_POINTS CN_POINTS_SPATIAL_MAX

struct spatial_point {
    float r1[LANES], r2[LANES]; /* from A, in the frame */
    float mass[LANES]; /* effective mass of the normal row [kg]; 0: no such point */
    float gap[LANES]; /* of the last relax, or of the manifold */
    float impulse[LANES];
};

/* J: the inverse inertia in the frame. */
struct spatial_inertia {
    float m11[LANES], m22[LANES], mnn[LANES], m12[LANES], m2n[LANES], m1n[LANES];
};

struct spatial_block {
    _Alignas(64) int32_t a[LANES]; /* see lanes_offset */
    int32_t b[LANES];
    int32_t firm[LANES]; /* negative: firm; only read if the flags contain firm */
    float n[3][LANES], t1[3][LANES];
    float ma[LANES], mb[LANES];
    float d1[LANES], d2[LANES], dn[LANES];
    struct spatial_inertia ja, jb;
    struct spatial_point point[SPATIAL_POINTS];
    float k[6][LANES]; /* K of points 0 1, 0 2, 0 3, 1 2, 1 3, 2 3 */
    /* Read by relax, not by solve. */
    float friction[LANES];
    uint32_t flags;
    _Alignas(4 * LANES) float c1[LANES]; /* the middle, from A */
    float c2[LANES], cn[LANES];
    float rub_mass[3][LANES]; /* inverse of K of the tangent rows: 11, 12, 22 */
    float rub_impulse[2][LANES];
    float twist_mass[LANES], twist_impulse[LANES];
    /* torque that a point's normal force can hold, divided by that force [m] */
    float twist_limit[SPATIAL_POINTS][LANES];
    float rn[SPATIAL_POINTS][LANES];         /* of the points, from A, in the frame */
    float separation[SPATIAL_POINTS][LANES]; /* at the start of the tick */
    float total[SPATIAL_POINTS][LANES];
    /* Rarely used. */
    float surface[2][LANES];
    float restitution[LANES], approach[SPATIAL_POINTS][LANES];
    float rolling[LANES], rolling_impulse[3][LANES]; /* in the frame */
    int32_t manifold[LANES];
};

struct spatial_body {
    wide3 v, w, d, q; /* q: the vector part */
};

static const _Alignas(64) struct cn_impulse_body3 spatial_ground = {.q = {0, 0, 0, 1}};

struct spatial_pair {
    unsigned fixed_a, fixed_b; /* lanes whose body is not written */
    struct spatial_body a, b;
    struct wide_frame frame;
    cn_wide ma, mb, d1, d2, dn;
    cn_wide wa[3], wb[3]; /* spins in the frame, along t1, t2, n */
};

/* Reads two rows, the velocity and part of the place; or three, with all of the place. */
LANES_INLINE void
spatial_read(
    const void *body, const int32_t *offset, unsigned fixed, int rows, struct spatial_body *b)
{
    cn_wide row[3][4];
    lanes_rows_many(body, offset, fixed, &spatial_ground, rows, row);
    b->v = (wide3){row[0][0], row[0][1], row[0][2]};
    b->w = (wide3){row[0][3], row[1][0], row[1][1]};
    b->d.x = row[1][2];
    b->d.y = row[1][3];
    if (rows > 2) {
        b->d.z = row[2][0];
        b->q = (wide3){row[2][1], row[2][2], row[2][3]};
    }
}

LANES_INLINE void
spatial_write(void *body, const int32_t *offset, unsigned fixed, const struct spatial_body *b)
{
    cn_wide row[2][4] = {{b->v.x, b->v.y, b->v.z, b->w.x}, {b->w.y, b->w.z, b->d.x, b->d.y}};
    lanes_rows_store(body, offset, fixed, 0, row[0]);
    lanes_rows_store(body, offset, fixed, 16, row[1]);
}

LANES_INLINE void
spatial_begin(const struct cn_impulse_job *job, const struct spatial_block *c, int rows,
    struct spatial_pair *p)
{
    p->fixed_a = wide_bits(wide_negative(c->a));
    p->fixed_b = wide_bits(wide_negative(c->b));
    spatial_read(job->body, c->a, p->fixed_a, rows, &p->a);
    spatial_read(job->body, c->b, p->fixed_b, rows, &p->b);
    p->frame = wide_frame_load(c->n, c->t1);
    p->ma = wide_load(c->ma);
    p->mb = wide_load(c->mb);
    p->d1 = wide_load(c->d1);
    p->d2 = wide_load(c->d2);
    p->dn = wide_load(c->dn);
    wide_frame_in(&p->frame, p->a.w, p->wa);
    wide_frame_in(&p->frame, p->b.w, p->wb);
}

/* The sum of a pass: impulses along t1, t2, n, and changes of the spins in the frame. */
struct spatial_sum {
    cn_wide along[3], wa[3], wb[3];
};

LANES_INLINE void
spatial_end(const struct cn_impulse_job *job, const struct spatial_block *c,
    struct spatial_pair *p, const struct spatial_sum *sum)
{
    wide3 impulse = wide_frame_out(&p->frame, sum->along);
    wide3 wa = wide_frame_out(&p->frame, sum->wa), wb = wide_frame_out(&p->frame, sum->wb);
    p->a.v = wide3_sub(p->a.v, wide3_scale(p->ma, impulse));
    p->b.v = wide3_add(p->b.v, wide3_scale(p->mb, impulse));
    p->a.w = wide3_add(p->a.w, wa);
    p->b.w = wide3_add(p->b.w, wb);
    spatial_write(job->body, c->a, p->fixed_a, &p->a);
    spatial_write(job->body, c->b, p->fixed_b, &p->b);
}

/* J l, for l = (l1, l2, 0) and for any l. */
LANES_INLINE void
spatial_turn_flat(const struct spatial_inertia *j, cn_wide l1, cn_wide l2, cn_wide out[3])
{
    cn_wide m12 = wide_load(j->m12);
    out[0] = wide_load(j->m11) * l1 + m12 * l2;
    out[1] = m12 * l1 + wide_load(j->m22) * l2;
    out[2] = wide_load(j->m1n) * l1 + wide_load(j->m2n) * l2;
}

LANES_INLINE void
spatial_turn(const struct spatial_inertia *j, const cn_wide l[3], cn_wide out[3])
{
    cn_wide m12 = wide_load(j->m12), m1n = wide_load(j->m1n), m2n = wide_load(j->m2n);
    out[0] = (wide_load(j->m11) * l[0] + m12 * l[1]) + m1n * l[2];
    out[1] = (m12 * l[0] + wide_load(j->m22) * l[1]) + m2n * l[2];
    out[2] = (m1n * l[0] + m2n * l[1]) + wide_load(j->mnn) * l[2];
}

/* The normal rows of a block at the beginning of a pass. */
struct spatial_rows {
    int count;
    cn_wide gap[SPATIAL_POINTS], speed[SPATIAL_POINTS];
};

LANES_INLINE int
spatial_point_count(const struct spatial_block *c)
{
    int count = 1;
    while (count < SPATIAL_POINTS &&
           wide_bits(wide_greater(wide_load(c->point[count].mass), wide_zero())) != 0) {
        count++;
    }
    return count;
}

/* m of a turn, in the frame, where q = (q1, q2, qn, s). */
LANES_INLINE void
spatial_turned(const struct wide_frame *frame, wide3 q, cn_wide m[3])
{
    cn_wide f[3], one = wide_splat(1.0f);
    wide_frame_in(frame, q, f);
    cn_wide flat = f[0] * f[0] + f[1] * f[1];
    cn_wide s = wide_sqrt(wide_max(one - (flat + f[2] * f[2]), wide_zero()));
    m[0] = f[2] * f[0] - s * f[1];
    m[1] = f[2] * f[1] + s * f[0];
    m[2] = wide_zero() - flat;
    for (int k = 0; k < 3; k++) {
        m[k] = m[k] + m[k];
    }
}

/* `count` is a constant where speed matters, so that rows stay in registers. */
LANES_INLINE void
spatial_rows_begin(const struct spatial_block *c, const struct spatial_pair *p, int count,
    struct spatial_rows *rows)
{
    cn_wide speed = wide3_dot(p->frame.n, wide3_sub(p->b.v, p->a.v)) +
                    (p->d2 * p->wb[0] - p->d1 * p->wb[1]);
    cn_wide w1 = p->wb[0] - p->wa[0], w2 = p->wb[1] - p->wa[1];
    rows->count = count;
    LANES_UNROLL
    for (int i = 0; i < rows->count; i++) {
        const struct spatial_point *point = &c->point[i];
        cn_wide r1 = wide_load(point->r1), r2 = wide_load(point->r2);
        rows->speed[i] = speed + (r2 * w1 - r1 * w2);
    }
}

/* Finds the present gaps of the points, for relax and for the next solve. */
LANES_INLINE void
spatial_rows_gap(struct spatial_block *c, const struct spatial_pair *p, struct spatial_rows *rows)
{
    cn_wide ma[3], mb[3], m[3];
    spatial_turned(&p->frame, p->a.q, ma);
    spatial_turned(&p->frame, p->b.q, mb);
    for (int k = 0; k < 3; k++) {
        m[k] = mb[k] - ma[k];
    }
    cn_wide gap = wide3_dot(p->frame.n, wide3_sub(p->b.d, p->a.d)) +
                  ((mb[0] * p->d1 + mb[1] * p->d2) + mb[2] * p->dn);
    LANES_UNROLL
    for (int i = 0; i < rows->count; i++) {
        struct spatial_point *point = &c->point[i];
        cn_wide r1 = wide_load(point->r1), r2 = wide_load(point->r2);
        rows->gap[i] = (wide_load(c->separation[i]) + gap) +
                       ((m[0] * r1 + m[1] * r2) + m[2] * wide_load(c->rn[i]));
        wide_store(point->gap, rows->gap[i]);
    }
}

/* The index of K_ij, i < j. */
LANES_INLINE int
spatial_k(int i, int j)
{
    return i == 0 ? j - 1 : i + j;
}

/* Changes the speeds of later rows after the impulse of row i has changed by `change`. */
LANES_INLINE void
spatial_rows_follow(
    const struct spatial_block *c, struct spatial_rows *rows, int i, cn_wide change)
{
    LANES_UNROLL
    for (int j = i + 1; j < rows->count; j++) {
        rows->speed[j] = rows->speed[j] + wide_load(c->k[spatial_k(i, j)]) * change;
    }
}

/*
 * Finds the changes of the spins by changes of normal impulses; the sum of these goes to
 * sum->along.
 */
LANES_INLINE void
spatial_rows_end(const struct spatial_block *c, const struct spatial_pair *p, int count,
    const cn_wide *change, struct spatial_sum *sum)
{
    cn_wide all = change[0];
    cn_wide l1 = wide_load(c->point[0].r2) * change[0], l2 = wide_load(c->point[0].r1) * change[0];
    LANES_UNROLL
    for (int i = 1; i < count; i++) {
        all = all + change[i];
        l1 = l1 + wide_load(c->point[i].r2) * change[i];
        l2 = l2 + wide_load(c->point[i].r1) * change[i];
    }
    spatial_turn_flat(&c->ja, wide_zero() - l1, l2, sum->wa);
    spatial_turn_flat(&c->jb, l1 + p->d2 * all, wide_zero() - (l2 + p->d1 * all), sum->wb);
    sum->along[0] = wide_zero();
    sum->along[1] = wide_zero();
    sum->along[2] = all;
}

LANES_INLINE cn_wide_mask
spatial_damped(const struct cn_impulse_tick *tick, const struct spatial_block *c)
{
    cn_wide low = wide_min(wide_load(c->separation[0]), wide_load(c->separation[1]));
    cn_wide high = wide_min(wide_load(c->separation[2]), wide_load(c->separation[3]));
    return lanes_damped(tick, wide_min(low, high), wide_load(c->ma), wide_load(c->mb));
}

LANES_INLINE void
spatial_solve_block(const struct cn_impulse_job *job, struct spatial_block *c, int count)
{
    struct spatial_pair p;
    struct spatial_rows rows;
    struct spatial_sum sum;
    cn_wide change[SPATIAL_POINTS];
    spatial_begin(job, c, 2, &p);
    spatial_rows_begin(c, &p, count, &rows);
    struct lanes_soft soft = lanes_soft_of(job->tick, c->a, c->b);
    if (c->flags & LANES_DAMPED) {
        lanes_soft_damped(&soft, job->tick, spatial_damped(job->tick, c));
    }
    if (c->flags & LANES_FIRM) {
        lanes_soft_firm(&soft, job->tick, c->a, c->b, c->firm);
    }
    LANES_UNROLL
    for (int i = 0; i < count; i++) {
        struct spatial_point *point = &c->point[i];
        cn_wide old = wide_load(point->impulse);
        struct lanes_row row =
            lanes_soft_row(&soft, wide_load(point->gap), wide_load(point->mass), old);
        cn_wide now = lanes_row_solve(&row, rows.speed[i]);
        wide_store(point->impulse, now);
        change[i] = now - old;
        spatial_rows_follow(c, &rows, i, change[i]);
    }
    spatial_rows_end(c, &p, count, change, &sum);
    spatial_end(job, c, &p, &sum);
}

/* One, two and four points have code of their own: boxes on boxes have four points, balls one. */
static void
spatial_solve(const struct cn_impulse_job *job, int first, int end)
{
    lanes_check_blocks(job, first, end);
    struct spatial_block *blocks = job->block;
    for (int k = first; k < end; k++) {
        struct spatial_block *c = &blocks[k];
        lanes_prefetch(&blocks[k + 1], offsetof(struct spatial_block, friction));
        int count = spatial_point_count(c);
        if (count > 2) {
            spatial_solve_block(job, c, 4);
        } else if (count == 2) {
            spatial_solve_block(job, c, 2);
        } else {
            spatial_solve_block(job, c, 1);
        }
    }
}

/* Changes the spins by angular impulses in the frame: lb on B, and the opposite of la on A. */
LANES_INLINE void
spatial_spin(const struct spatial_block *c, const cn_wide la[3], const cn_wide lb[3],
    struct spatial_sum *sum)
{
    cn_wide wa[3], wb[3];
    spatial_turn(&c->ja, la, wa);
    spatial_turn(&c->jb, lb, wb);
    for (int k = 0; k < 3; k++) {
        sum->wa[k] = sum->wa[k] - wa[k];
        sum->wb[k] = sum->wb[k] + wb[k];
    }
}

LANES_INLINE void
spatial_both(const struct spatial_block *c, cn_wide both[6])
{
    both[0] = wide_load(c->ja.m11) + wide_load(c->jb.m11);
    both[1] = wide_load(c->ja.m22) + wide_load(c->jb.m22);
    both[2] = wide_load(c->ja.mnn) + wide_load(c->jb.mnn);
    both[3] = wide_load(c->ja.m12) + wide_load(c->jb.m12);
    both[4] = wide_load(c->ja.m2n) + wide_load(c->jb.m2n);
    both[5] = wide_load(c->ja.m1n) + wide_load(c->jb.m1n);
}

/* Rolling friction: at most `rolling` times the normal impulse, in any direction. */
LANES_INLINE void
spatial_roll(struct spatial_block *c, const struct spatial_pair *p, cn_wide normal,
    struct spatial_sum *sum)
{
    cn_wide w[3], old[3], now[3], both[6];
    spatial_both(c, both);
    for (int k = 0; k < 3; k++) {
        old[k] = wide_load(c->rolling_impulse[k]);
        w[k] = (p->wb[k] + sum->wb[k]) - (p->wa[k] + sum->wa[k]);
    }
    wide3 less = lanes_solve3(both, (wide3){w[0], w[1], w[2]});
    now[0] = old[0] - less.x;
    now[1] = old[1] - less.y;
    now[2] = old[2] - less.z;
    cn_wide rolling = wide_load(c->rolling), most = rolling * normal;
    cn_wide square = (now[0] * now[0] + now[1] * now[1]) + now[2] * now[2];
    cn_wide scale = wide_select(
        wide_greater(square, most * most), most / wide_sqrt(square), wide_splat(1.0f));
    cn_wide_mask rolls = wide_greater(rolling, wide_zero());
    for (int k = 0; k < 3; k++) {
        now[k] = wide_keep(rolls, now[k] * scale);
        wide_store(c->rolling_impulse[k], now[k]);
        now[k] = now[k] - old[k];
    }
    spatial_spin(c, now, now, sum);
}

/* Friction about the normal. */
LANES_INLINE void
spatial_twist(struct spatial_block *c, const struct spatial_pair *p, cn_wide limit,
    struct spatial_sum *sum)
{
    cn_wide speed = (p->wb[2] + sum->wb[2]) - (p->wa[2] + sum->wa[2]);
    cn_wide old = wide_load(c->twist_impulse);
    cn_wide now = wide_clamp(old - wide_load(c->twist_mass) * speed, -limit, limit);
    cn_wide change = now - old;
    wide_store(c->twist_impulse, now);
    sum->wa[0] = sum->wa[0] - wide_load(c->ja.m1n) * change;
    sum->wa[1] = sum->wa[1] - wide_load(c->ja.m2n) * change;
    sum->wa[2] = sum->wa[2] - wide_load(c->ja.mnn) * change;
    sum->wb[0] = sum->wb[0] + wide_load(c->jb.m1n) * change;
    sum->wb[1] = sum->wb[1] + wide_load(c->jb.m2n) * change;
    sum->wb[2] = sum->wb[2] + wide_load(c->jb.mnn) * change;
}

/* Applies an impulse (f1, f2) across the normal at the middle. */
LANES_INLINE void
spatial_rub_apply(const struct spatial_block *c, const struct spatial_pair *p, cn_wide f1,
    cn_wide f2, struct spatial_sum *sum)
{
    cn_wide c1 = wide_load(c->c1), c2 = wide_load(c->c2), cn = wide_load(c->cn);
    cn_wide b1 = c1 + p->d1, b2 = c2 + p->d2, bn = cn + p->dn;
    cn_wide la[3] = {wide_zero() - cn * f2, cn * f1, c1 * f2 - c2 * f1};
    cn_wide lb[3] = {wide_zero() - bn * f2, bn * f1, b1 * f2 - b2 * f1};
    spatial_spin(c, la, lb, sum);
    sum->along[0] = sum->along[0] + f1;
    sum->along[1] = sum->along[1] + f2;
}

LANES_INLINE void
spatial_rub(struct spatial_block *c, const struct spatial_pair *p, cn_wide normal,
    struct spatial_sum *sum)
{
    cn_wide c1 = wide_load(c->c1), c2 = wide_load(c->c2), cn = wide_load(c->cn);
    cn_wide b1 = c1 + p->d1, b2 = c2 + p->d2, bn = cn + p->dn;
    cn_wide wa[3], wb[3];
    for (int k = 0; k < 3; k++) {
        wa[k] = p->wa[k] + sum->wa[k];
        wb[k] = p->wb[k] + sum->wb[k];
    }
    wide3 v = wide3_sub(p->b.v, p->a.v);
    cn_wide v1 = wide3_dot(p->frame.t1, v) +
                 ((wb[1] * bn - wb[2] * b2) - (wa[1] * cn - wa[2] * c2));
    cn_wide v2 = wide3_dot(p->frame.t2, v) +
                 ((wb[2] * b1 - wb[0] * bn) - (wa[2] * c1 - wa[0] * cn));
    if (c->flags & LANES_SURFACE) {
        v1 = v1 - wide_load(c->surface[0]);
        v2 = v2 - wide_load(c->surface[1]);
    }
    cn_wide old1 = wide_load(c->rub_impulse[0]), old2 = wide_load(c->rub_impulse[1]);
    cn_wide m12 = wide_load(c->rub_mass[1]);
    cn_wide now1 = old1 - (wide_load(c->rub_mass[0]) * v1 + m12 * v2);
    cn_wide now2 = old2 - (m12 * v1 + wide_load(c->rub_mass[2]) * v2);
    cn_wide most = wide_load(c->friction) * normal;
    cn_wide square = now1 * now1 + now2 * now2;
    cn_wide scale = wide_select(
        wide_greater(square, most * most), most / wide_sqrt(square), wide_splat(1.0f));
    now1 = now1 * scale;
    now2 = now2 * scale;
    wide_store(c->rub_impulse[0], now1);
    wide_store(c->rub_impulse[1], now2);
    spatial_rub_apply(c, p, now1 - old1, now2 - old2, sum);
}

LANES_INLINE void
spatial_relax_block(
    const struct cn_impulse_job *job, struct spatial_block *c, int count, cn_wide inverse_h)
{
    struct spatial_pair p;
    struct spatial_rows rows;
    struct spatial_sum sum;
    cn_wide change[SPATIAL_POINTS], normal = wide_zero(), twist = wide_zero();
    spatial_begin(job, c, 3, &p);
    spatial_rows_begin(c, &p, count, &rows);
    spatial_rows_gap(c, &p, &rows);
    LANES_UNROLL
    for (int i = 0; i < count; i++) {
        struct spatial_point *point = &c->point[i];
        cn_wide old = wide_load(point->impulse);
        struct lanes_row row =
            lanes_stiff_row(inverse_h, rows.gap[i], wide_load(point->mass), old);
        cn_wide now = lanes_row_solve(&row, rows.speed[i]);
        wide_store(point->impulse, now);
        wide_store(c->total[i], wide_load(c->total[i]) + now);
        change[i] = now - old;
        normal = normal + now;
        twist = twist + wide_load(c->twist_limit[i]) * now;
        spatial_rows_follow(c, &rows, i, change[i]);
    }
    spatial_rows_end(c, &p, count, change, &sum);
    if (c->flags & LANES_ROLLING) {
        spatial_roll(c, &p, normal, &sum);
    }
    spatial_twist(c, &p, twist, &sum);
    spatial_rub(c, &p, normal, &sum);
    spatial_end(job, c, &p, &sum);
}

static void
spatial_relax(const struct cn_impulse_job *job, int first, int end)
{
    lanes_check_blocks(job, first, end);
    struct spatial_block *blocks = job->block;
    cn_wide inverse_h = wide_splat(job->tick->inverse_h);
    for (int k = first; k < end; k++) {
        struct spatial_block *c = &blocks[k];
        lanes_prefetch(&blocks[k + 1], offsetof(struct spatial_block, surface));
        int count = spatial_point_count(c);
        if (count > 2) {
            spatial_relax_block(job, c, 4, inverse_h);
        } else if (count == 2) {
            spatial_relax_block(job, c, 2, inverse_h);
        } else {
            spatial_relax_block(job, c, 1, inverse_h);
        }
    }
}

static void
spatial_warm_start(const struct cn_impulse_job *job, int first, int end)
{
    lanes_check_blocks(job, first, end);
    const struct spatial_block *blocks = job->block;
    for (int k = first; k < end; k++) {
        const struct spatial_block *c = &blocks[k];
        struct spatial_pair p;
        struct spatial_sum sum;
        cn_wide impulse[SPATIAL_POINTS], turn[3];
        spatial_begin(job, c, 2, &p);
        for (int i = 0; i < SPATIAL_POINTS; i++) {
            impulse[i] = wide_load(c->point[i].impulse);
        }
        spatial_rows_end(c, &p, SPATIAL_POINTS, impulse, &sum);
        for (int i = 0; i < 3; i++) {
            turn[i] = wide_load(c->rolling_impulse[i]);
        }
        turn[2] = turn[2] + wide_load(c->twist_impulse);
        spatial_spin(c, turn, turn, &sum);
        spatial_rub_apply(
            c, &p, wide_load(c->rub_impulse[0]), wide_load(c->rub_impulse[1]), &sum);
        spatial_end(job, c, &p, &sum);
    }
}

/* Forgets the impulses, so that the next substep starts from none. */
static void
spatial_cool(const struct cn_impulse_job *job, int first, int end)
{
    lanes_check_blocks(job, first, end);
    struct spatial_block *blocks = job->block;
    for (int k = first; k < end; k++) {
        struct spatial_block *c = &blocks[k];
        for (int i = 0; i < SPATIAL_POINTS; i++) {
            wide_store(c->point[i].impulse, wide_zero());
        }
        for (int i = 0; i < 3; i++) {
            wide_store(c->rolling_impulse[i], wide_zero());
        }
        wide_store(c->rub_impulse[0], wide_zero());
        wide_store(c->rub_impulse[1], wide_zero());
        wide_store(c->twist_impulse, wide_zero());
    }
}

/*
 * A point that approached fast enough and was pushed separates at the restitution times its
 * approach.
 */
static void
spatial_restitution(const struct cn_impulse_job *job, int first, int end)
{
    lanes_check_blocks(job, first, end);
    struct spatial_block *blocks = job->block;
    cn_wide threshold = wide_splat(job->tick->restitution_speed);
    for (int k = first; k < end; k++) {
        struct spatial_block *c = &blocks[k];
        if (!(c->flags & LANES_RESTITUTION)) {
            continue;
        }
        struct spatial_pair p;
        struct spatial_rows rows;
        struct spatial_sum sum;
        cn_wide change[SPATIAL_POINTS] = {wide_zero()}, e = wide_load(c->restitution);
        spatial_begin(job, c, 2, &p);
        spatial_rows_begin(c, &p, SPATIAL_POINTS, &rows);
        LANES_UNROLL
        for (int i = 0; i < rows.count; i++) {
            struct spatial_point *point = &c->point[i];
            cn_wide old = wide_load(point->impulse), total = wide_load(c->total[i]);
            cn_wide_mask bounces = lanes_bounces(threshold, wide_load(c->approach[i]), total, e);
            cn_wide wanted = rows.speed[i] + e * wide_load(c->approach[i]);
            cn_wide now = wide_max(old - wide_load(point->mass) * wanted, wide_zero());
            now = wide_select(bounces, now, old);
            change[i] = now - old;
            wide_store(c->total[i], total + change[i]);
            spatial_rows_follow(c, &rows, i, change[i]);
        }
        spatial_rows_end(c, &p, rows.count, change, &sum);
        spatial_end(job, c, &p, &sum);
    }
}

#endif
