/*
 * impulse_planar.h: the source of the planar contact kernels, over wide.h; see impulse.h.
 *
 * A contact is written in the frame of its normal n and tangent t = (n_y, -n_x).  With r = r_t t +
 * r_n n, the Jacobian of the normal row is (-n, -r_t; n, r_t).  That of the tangent row is (-t,
 * r_n; t, -r_n).  So both rows need only the two numbers of an anchor, and the same holds for the
 * separation
 *
 *     s = s0 + n . (d_b - d_a) + [(cos - 1) r_n + sin r_t]_b - [...]_a
 *
 * The anchors of A and B name one place, so r_b = r_a + D with the same D for both points.  (D is 0
 * where one side never moves: then its anchor does not matter, and no large numbers are
 * subtracted.)  So with w = w_b - w_a a point's speeds are
 *
 *     v_n = [n . (v_b - v_a) + D_t w_b] + r_t w,    v_t = [t . (v_b - v_a) - D_n w_b] - r_n w
 *
 * Two rows of one kind are solved in their own coordinates: the first impulse changes the second
 * row's speed by K_12 = J_1 inv(M) J_2', and the bodies get the sum.
 *
 * Positions move only between a solve and the relax that follows it.  So relax stores the gaps for
 * the next solve, and solve reads only velocities.
 *
 * The members of a block are in the order of use: first those that solve reads, then those that
 * relax reads in addition, then the rare ones.
 */
#ifndef ENGINE_SOLVE_IMPULSE_IMPULSE_PLANAR_H
#define ENGINE_SOLVE_IMPULSE_IMPULSE_PLANAR_H

#include "engine/solve/impulse/impulse_lanes.h"

struct planar_point {
    float mass[LANES]; /* effective mass of the normal row [kg]; 0: no such point */
    float rt[LANES];
    float gap[LANES]; /* of the last relax, or of the manifold */
    float impulse[LANES];
};

struct planar_rub {
    float rn[LANES];
    float separation[LANES]; /* at the start of the tick */
    float mass[LANES]; /* of the tangent row */
    float impulse[LANES];
    float total[LANES]; /* of the normal row, summed over the substeps so far */
};

struct planar_block {
    _Alignas(64) int32_t a[LANES]; /* see lanes_offset */
    int32_t b[LANES];
    float nx[LANES], ny[LANES];
    float ma[LANES], mb[LANES], ia[LANES], ib[LANES]; /* inverse masses and inertias */
    float dt[LANES], dn[LANES];                       /* D */
    float normal_coupling[LANES]; /* K_12 of the normal rows, and of the tangent rows */
    struct planar_point point[2];
    float tangent_coupling[LANES];
    struct planar_rub rub[2];
    float friction[LANES];
    uint32_t flags;
    _Alignas(4 * LANES) float surface[LANES];
    float restitution[LANES];
    float approach[2][LANES]; /* normal velocity at the start of the tick */
    float rolling[LANES], rolling_impulse[LANES];
    int32_t manifold[LANES];
};

struct planar_body {
    cn_wide vx, vy, w, spare;
    cn_wide dx, dy, cosine, sine;
};

static const _Alignas(32) struct cn_impulse_body2 planar_ground = {.cosine = 1.0f};

/* The two sides of a block, and its data for them. */
struct planar_pair {
    const struct planar_block *block;
    unsigned fixed_a, fixed_b; /* lanes whose body is not written */
    struct planar_body a, b;
    cn_wide nx, ny, ma, mb, ia, ib, dt, dn;
};

/* Reads one row, the velocity; or two, with the pose, whose cosine is stored minus 1. */
LANES_INLINE void
planar_read(const void *body, const int32_t *offset, unsigned fixed, int rows,
    struct planar_body *b)
{
    cn_wide row[2][4];
    lanes_rows_many(body, offset, fixed, &planar_ground, rows, row);
    b->vx = row[0][0];
    b->vy = row[0][1];
    b->w = row[0][2];
    b->spare = row[0][3];
    if (rows > 1) {
        b->dx = row[1][0];
        b->dy = row[1][1];
        b->cosine = row[1][2] - wide_splat(1.0f);
        b->sine = row[1][3];
    }
}

LANES_INLINE void
planar_write(void *body, const int32_t *offset, unsigned fixed, const struct planar_body *b)
{
    cn_wide v[4] = {b->vx, b->vy, b->w, b->spare};
    lanes_rows_store(body, offset, fixed, 0, v);
}

LANES_INLINE void
planar_begin(const struct cn_impulse_job *job, const struct planar_block *c, int rows,
    struct planar_pair *p)
{
    p->block = c;
    p->fixed_a = wide_bits(wide_negative(c->a));
    p->fixed_b = wide_bits(wide_negative(c->b));
    planar_read(job->body, c->a, p->fixed_a, rows, &p->a);
    planar_read(job->body, c->b, p->fixed_b, rows, &p->b);
    p->nx = wide_load(c->nx);
    p->ny = wide_load(c->ny);
    p->ma = wide_load(c->ma);
    p->mb = wide_load(c->mb);
    p->ia = wide_load(c->ia);
    p->ib = wide_load(c->ib);
    p->dt = wide_load(c->dt);
    p->dn = wide_load(c->dn);
}

/*
 * Applies the sum of impulses along n and t to the bodies' velocities.  Their spins are up to date.
 */
LANES_INLINE void
planar_end(
    const struct cn_impulse_job *job, struct planar_pair *p, cn_wide along_n, cn_wide along_t)
{
    cn_wide x = p->nx * along_n + p->ny * along_t;
    cn_wide y = p->ny * along_n - p->nx * along_t;
    p->a.vx = p->a.vx - p->ma * x;
    p->a.vy = p->a.vy - p->ma * y;
    p->b.vx = p->b.vx + p->mb * x;
    p->b.vy = p->b.vy + p->mb * y;
    planar_write(job->body, p->block->a, p->fixed_a, &p->a);
    planar_write(job->body, p->block->b, p->fixed_b, &p->b);
}

/* The rows of one kind of a block, of one or two points. */
struct planar_rows {
    int count;
    cn_wide rt[2], rn[2];
    cn_wide gap[2], speed[2];
};

LANES_INLINE int
planar_point_count(const struct planar_block *c)
{
    return lanes_any(wide_load(c->point[1].mass)) ? 2 : 1;
}

/* `count` is a constant where speed matters, so that rows stay in registers. */
LANES_INLINE void
planar_rows_begin(const struct planar_block *c, int count, struct planar_rows *rows)
{
    rows->count = count;
    LANES_UNROLL
    for (int i = 0; i < rows->count; i++) {
        rows->rt[i] = wide_load(c->point[i].rt);
        rows->rn[i] = wide_load(c->rub[i].rn);
    }
}

LANES_INLINE void
planar_rows_speed(const struct planar_pair *p, struct planar_rows *rows)
{
    cn_wide speed = ((p->b.vx - p->a.vx) * p->nx + (p->b.vy - p->a.vy) * p->ny) + p->dt * p->b.w;
    cn_wide w = p->b.w - p->a.w;
    LANES_UNROLL
    for (int i = 0; i < rows->count; i++) {
        rows->speed[i] = speed + rows->rt[i] * w;
    }
}

/* Finds the present gaps of the points, for relax and for the next solve. */
LANES_INLINE void
planar_rows_gap(const struct planar_pair *p, struct planar_block *c, struct planar_rows *rows)
{
    cn_wide gap = ((p->b.dx - p->a.dx) * p->nx + (p->b.dy - p->a.dy) * p->ny) +
                  (p->b.cosine * p->dn + p->b.sine * p->dt);
    cn_wide cosine = p->b.cosine - p->a.cosine, sine = p->b.sine - p->a.sine;
    LANES_UNROLL
    for (int i = 0; i < rows->count; i++) {
        rows->gap[i] = (wide_load(c->rub[i].separation) + gap) +
                       (cosine * rows->rn[i] + sine * rows->rt[i]);
        wide_store(c->point[i].gap, rows->gap[i]);
    }
}

/* Changes the spins by impulses along n at the points.  Returns the sum of the impulses. */
LANES_INLINE cn_wide
planar_spin_normal(struct planar_pair *p, const struct planar_rows *rows, const cn_wide *impulse)
{
    cn_wide sum = impulse[0], about_a = rows->rt[0] * impulse[0];
    if (rows->count > 1) {
        sum = sum + impulse[1];
        about_a = about_a + rows->rt[1] * impulse[1];
    }
    p->a.w = p->a.w - p->ia * about_a;
    p->b.w = p->b.w + p->ib * (about_a + p->dt * sum);
    return sum;
}

LANES_INLINE cn_wide
planar_spin_tangent(struct planar_pair *p, const struct planar_rows *rows, const cn_wide *impulse)
{
    cn_wide sum = impulse[0], about_a = rows->rn[0] * impulse[0];
    if (rows->count > 1) {
        sum = sum + impulse[1];
        about_a = about_a + rows->rn[1] * impulse[1];
    }
    p->a.w = p->a.w + p->ia * about_a;
    p->b.w = p->b.w - p->ib * (about_a + p->dn * sum);
    return sum;
}

static void
planar_warm_start(const struct cn_impulse_job *job, int first, int end)
{
    lanes_check_blocks(job, first, end);
    const struct planar_block *blocks = job->block;
    for (int k = first; k < end; k++) {
        const struct planar_block *c = &blocks[k];
        struct planar_pair p;
        struct planar_rows rows;
        planar_begin(job, c, 1, &p);
        planar_rows_begin(c, 2, &rows);
        cn_wide normal[2] = {wide_load(c->point[0].impulse), wide_load(c->point[1].impulse)};
        cn_wide tangent[2] = {wide_load(c->rub[0].impulse), wide_load(c->rub[1].impulse)};
        cn_wide along_n = planar_spin_normal(&p, &rows, normal);
        cn_wide along_t = planar_spin_tangent(&p, &rows, tangent);
        if (c->flags & LANES_ROLLING) {
            cn_wide rolling = wide_load(c->rolling_impulse);
            p.a.w = p.a.w - p.ia * rolling;
            p.b.w = p.b.w + p.ib * rolling;
        }
        planar_end(job, &p, along_n, along_t);
    }
}

LANES_INLINE cn_wide_mask
planar_damped(
    const struct cn_impulse_tick *tick, const struct planar_block *c, cn_wide ma, cn_wide mb)
{
    cn_wide gap = wide_min(wide_load(c->rub[0].separation), wide_load(c->rub[1].separation));
    return lanes_damped(tick, gap, ma, mb);
}

LANES_INLINE void
planar_solve_block(const struct cn_impulse_job *job, struct planar_block *c, int count)
{
    struct planar_pair p;
    struct planar_rows rows;
    cn_wide change[2];
    planar_begin(job, c, 1, &p);
    planar_rows_begin(c, count, &rows);
    planar_rows_speed(&p, &rows);
    struct lanes_soft soft = lanes_soft_of(job->tick, c->a, c->b);
    if (c->flags & LANES_DAMPED) {
        lanes_soft_damped(&soft, job->tick, planar_damped(job->tick, c, p.ma, p.mb));
    }
    LANES_UNROLL
    for (int i = 0; i < count; i++) {
        struct planar_point *point = &c->point[i];
        cn_wide old = wide_load(point->impulse);
        struct lanes_row row =
            lanes_soft_row(&soft, wide_load(point->gap), wide_load(point->mass), old);
        cn_wide now = lanes_row_solve(&row, rows.speed[i]);
        wide_store(point->impulse, now);
        change[i] = now - old;
        if (i + 1 < count) {
            rows.speed[1] = rows.speed[1] + wide_load(c->normal_coupling) * change[0];
        }
    }
    planar_end(job, &p, planar_spin_normal(&p, &rows, change), wide_zero());
}

static void
planar_solve(const struct cn_impulse_job *job, int first, int end)
{
    lanes_check_blocks(job, first, end);
    struct planar_block *blocks = job->block;
    for (int k = first; k < end; k++) {
        struct planar_block *c = &blocks[k];
        lanes_prefetch(&blocks[k + 1], offsetof(struct planar_block, tangent_coupling));
        if (planar_point_count(c) > 1) {
            planar_solve_block(job, c, 2);
        } else {
            planar_solve_block(job, c, 1);
        }
    }
}

/* Solves the normal rows without push.  Returns the sum of their changes. */
LANES_INLINE cn_wide
planar_relax_normal(
    struct planar_pair *p, struct planar_block *c, struct planar_rows *rows, cn_wide inverse_h)
{
    cn_wide change[2];
    LANES_UNROLL
    for (int i = 0; i < rows->count; i++) {
        struct planar_point *point = &c->point[i];
        cn_wide old = wide_load(point->impulse);
        struct lanes_row row =
            lanes_stiff_row(inverse_h, rows->gap[i], wide_load(point->mass), old);
        cn_wide now = lanes_row_solve(&row, rows->speed[i]);
        wide_store(point->impulse, now);
        wide_store(c->rub[i].total, wide_load(c->rub[i].total) + now);
        change[i] = now - old;
        if (i + 1 < rows->count) {
            rows->speed[1] = rows->speed[1] + wide_load(c->normal_coupling) * change[0];
        }
    }
    return planar_spin_normal(p, rows, change);
}

LANES_INLINE void
planar_roll(struct planar_pair *p, struct planar_block *c)
{
    cn_wide normal = wide_load(c->point[0].impulse) + wide_load(c->point[1].impulse);
    cn_wide rolling = wide_load(c->rolling), old = wide_load(c->rolling_impulse);
    cn_wide limit = rolling * normal, mass = lanes_inverse(p->ia + p->ib);
    cn_wide now = wide_clamp(old - mass * (p->b.w - p->a.w), -limit, limit);
    now = wide_keep(wide_greater(rolling, wide_zero()), now);
    wide_store(c->rolling_impulse, now);
    p->a.w = p->a.w - p->ia * (now - old);
    p->b.w = p->b.w + p->ib * (now - old);
}

/* Solves the tangent rows.  Returns the sum of their changes. */
LANES_INLINE cn_wide
planar_rub_points(
    struct planar_pair *p, struct planar_block *c, struct planar_rows *rows)
{
    cn_wide change[2], w = p->b.w - p->a.w;
    cn_wide speed = ((p->b.vx - p->a.vx) * p->ny - (p->b.vy - p->a.vy) * p->nx) - p->dn * p->b.w;
    if (c->flags & LANES_SURFACE) {
        speed = speed - wide_load(c->surface);
    }
    LANES_UNROLL
    for (int i = 0; i < rows->count; i++) {
        rows->speed[i] = speed - rows->rn[i] * w;
    }
    LANES_UNROLL
    for (int i = 0; i < rows->count; i++) {
        cn_wide old = wide_load(c->rub[i].impulse);
        cn_wide limit = wide_load(c->friction) * wide_load(c->point[i].impulse);
        cn_wide now = wide_clamp(old - wide_load(c->rub[i].mass) * rows->speed[i], -limit, limit);
        wide_store(c->rub[i].impulse, now);
        change[i] = now - old;
        if (i + 1 < rows->count) {
            rows->speed[1] = rows->speed[1] + wide_load(c->tangent_coupling) * change[0];
        }
    }
    return planar_spin_tangent(p, rows, change);
}

LANES_INLINE void
planar_relax_block(
    const struct cn_impulse_job *job, struct planar_block *c, int count, cn_wide inverse_h)
{
    struct planar_pair p;
    struct planar_rows rows;
    planar_begin(job, c, 2, &p);
    planar_rows_begin(c, count, &rows);
    planar_rows_speed(&p, &rows);
    planar_rows_gap(&p, c, &rows);
    cn_wide along_n = planar_relax_normal(&p, c, &rows, inverse_h);
    if (c->flags & LANES_ROLLING) {
        planar_roll(&p, c);
    }
    cn_wide along_t = planar_rub_points(&p, c, &rows);
    planar_end(job, &p, along_n, along_t);
}

static void
planar_relax(const struct cn_impulse_job *job, int first, int end)
{
    lanes_check_blocks(job, first, end);
    struct planar_block *blocks = job->block;
    cn_wide inverse_h = wide_splat(job->tick->inverse_h);
    for (int k = first; k < end; k++) {
        struct planar_block *c = &blocks[k];
        lanes_prefetch(&blocks[k + 1], offsetof(struct planar_block, surface));
        if (planar_point_count(c) > 1) {
            planar_relax_block(job, c, 2, inverse_h);
        } else {
            planar_relax_block(job, c, 1, inverse_h);
        }
    }
}

/* Forgets the impulses, so that the next substep starts from none. */
static void
planar_cool(const struct cn_impulse_job *job, int first, int end)
{
    lanes_check_blocks(job, first, end);
    struct planar_block *blocks = job->block;
    for (int k = first; k < end; k++) {
        for (int i = 0; i < 2; i++) {
            wide_store(blocks[k].point[i].impulse, wide_zero());
            wide_store(blocks[k].rub[i].impulse, wide_zero());
        }
        wide_store(blocks[k].rolling_impulse, wide_zero());
    }
}

/*
 * A point that approached fast enough and was pushed separates at the restitution times its
 * approach.
 */
static void
planar_restitution(const struct cn_impulse_job *job, int first, int end)
{
    lanes_check_blocks(job, first, end);
    struct planar_block *blocks = job->block;
    cn_wide threshold = wide_splat(job->tick->restitution_speed);
    for (int k = first; k < end; k++) {
        struct planar_block *c = &blocks[k];
        if (!(c->flags & LANES_RESTITUTION)) {
            continue;
        }
        struct planar_pair p;
        struct planar_rows rows;
        cn_wide change[2], e = wide_load(c->restitution);
        planar_begin(job, c, 1, &p);
        planar_rows_begin(c, 2, &rows);
        planar_rows_speed(&p, &rows);
        LANES_UNROLL
        for (int i = 0; i < rows.count; i++) {
            struct planar_point *point = &c->point[i];
            cn_wide old = wide_load(point->impulse), total = wide_load(c->rub[i].total);
            cn_wide approach = wide_load(c->approach[i]);
            cn_wide_mask bounces = lanes_bounces(threshold, approach, total, e);
            cn_wide wanted = rows.speed[i] + e * approach;
            cn_wide now = wide_max(old - wide_load(point->mass) * wanted, wide_zero());
            now = wide_select(bounces, now, old);
            change[i] = now - old;
            wide_store(c->rub[i].total, total + change[i]);
            if (i + 1 < rows.count) {
                rows.speed[1] = rows.speed[1] + wide_load(c->normal_coupling) * change[0];
            }
        }
        planar_end(job, &p, planar_spin_normal(&p, &rows, change), wide_zero());
    }
}

#endif
