/*
 * impulse_planar.h: the text of the planar contact kernels, over wide.h; see impulse.h.
 *
 * All of a contact is written in the frame of its normal n and tangent t = (n_y, -n_x).  With
 * r = r_t t + r_n n, the Jacobian of the normal row is (-n, -r_t; n, r_t) and of the tangent row
 * (-t, r_n; t, -r_n): the two numbers of an anchor are all that both rows need, and the separation
 *
 *     s = s0 + n . (d_b - d_a) + [(cos - 1) r_n + sin r_t]_b - [...]_a
 *
 * needs no more.  Both points of a manifold share their frame, so within a manifold only the
 * relative velocity (v_n, v_t, w_a, w_b) is followed; the bodies get the sum in the end.  As the
 * anchors of A and B name one place, r_b = r_a + D with the same D for both points.  Where one side
 * never moves, its anchor does not matter, and D is 0: no large numbers are subtracted.
 *
 * A block is laid out in the order of use: what solve reads comes first, then what relax also
 * reads, then what is rare.
 */
#ifndef ENGINE_SOLVE_IMPULSE_PLANAR_H
#define ENGINE_SOLVE_IMPULSE_PLANAR_H

#include "engine/solve/impulse_lanes.h"

struct planar_point {
    float mass[LANES]; /* effective mass of the normal row [kg]; 0: no such point */
    float rt[LANES], rn[LANES];
    float separation[LANES];
    float impulse[LANES];
};

struct planar_rub {
    float mass[LANES]; /* of the tangent row */
    float impulse[LANES];
    float total[LANES]; /* of the normal row, of all substeps so far */
};

struct planar_block {
    _Alignas(64) int32_t a[LANES]; /* see lanes_offset */
    int32_t b[LANES];
    float nx[LANES], ny[LANES];
    float ma[LANES], mb[LANES], ia[LANES], ib[LANES]; /* inverse masses and inertias */
    float dt[LANES], dn[LANES];                       /* D */
    struct planar_point point[2];
    struct planar_rub rub[2];
    float friction[LANES];
    uint32_t flags;
    _Alignas(4 * LANES) float surface[LANES];
    float restitution[LANES];
    float approach[2][LANES]; /* normal velocity when the tick began */
    float rolling[LANES], rolling_impulse[LANES];
    int32_t manifold[LANES];
};

struct planar_body {
    cn_wide vx, vy, w, spare;
    cn_wide dx, dy, cosine, sine;
};

static const _Alignas(32) struct cn_impulse_body2 planar_ground = {.cosine = 1.0f};

/* What a block knows of its two sides. */
struct planar_pair {
    const struct planar_block *block;
    unsigned fixed_a, fixed_b; /* lanes whose body is not written */
    struct planar_body a, b;
    cn_wide nx, ny, ma, mb, ia, ib, dt, dn;
};

static inline void
planar_read_velocity(const void *body, const int32_t *offset, unsigned fixed, struct planar_body *b)
{
    cn_wide v[4];
    lanes_rows(body, offset, fixed, &planar_ground, 0, v);
    b->vx = v[0];
    b->vy = v[1];
    b->w = v[2];
    b->spare = v[3];
}

static inline void
planar_read_pose(const void *body, const int32_t *offset, unsigned fixed, struct planar_body *b)
{
    cn_wide d[4];
    lanes_rows(body, offset, fixed, &planar_ground, 16, d);
    b->dx = d[0];
    b->dy = d[1];
    b->cosine = d[2] - wide_splat(1.0f);
    b->sine = d[3];
}

static inline void
planar_write(void *body, const int32_t *offset, unsigned fixed, const struct planar_body *b)
{
    cn_wide v[4] = {b->vx, b->vy, b->w, b->spare};
    lanes_rows_store(body, offset, fixed, 0, v);
}

static inline void
planar_begin(const struct cn_impulse_job *job, const struct planar_block *c, struct planar_pair *p)
{
    p->block = c;
    p->fixed_a = wide_bits(wide_negative(c->a));
    p->fixed_b = wide_bits(wide_negative(c->b));
    planar_read_velocity(job->body, c->a, p->fixed_a, &p->a);
    planar_read_velocity(job->body, c->b, p->fixed_b, &p->b);
    p->nx = wide_load(c->nx);
    p->ny = wide_load(c->ny);
    p->ma = wide_load(c->ma);
    p->mb = wide_load(c->mb);
    p->ia = wide_load(c->ia);
    p->ib = wide_load(c->ib);
    p->dt = wide_load(c->dt);
    p->dn = wide_load(c->dn);
}

/* The sum of impulses along n and t goes to the bodies; their spins have been kept up to date. */
static inline void
planar_end(const struct cn_impulse_job *job, struct planar_pair *p, cn_wide along_n,
    cn_wide along_t)
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

/* Relative velocities along n and t, without what spins add. */
static inline cn_wide
planar_speed_normal(const struct planar_pair *p)
{
    return (p->b.vx - p->a.vx) * p->nx + (p->b.vy - p->a.vy) * p->ny;
}

static inline cn_wide
planar_speed_tangent(const struct planar_pair *p)
{
    return (p->b.vx - p->a.vx) * p->ny - (p->b.vy - p->a.vy) * p->nx;
}

/* How far the bodies have gone apart along n since the tick began, without what turns add. */
static inline cn_wide
planar_parted(const struct cn_impulse_job *job, struct planar_pair *p)
{
    planar_read_pose(job->body, p->block->a, p->fixed_a, &p->a);
    planar_read_pose(job->body, p->block->b, p->fixed_b, &p->b);
    return (p->b.dx - p->a.dx) * p->nx + (p->b.dy - p->a.dy) * p->ny;
}

static inline cn_wide
planar_separation(
    const struct planar_pair *p, cn_wide parted, cn_wide s0, cn_wide rt, cn_wide rn)
{
    cn_wide turned_b = p->b.cosine * (rn + p->dn) + p->b.sine * (rt + p->dt);
    cn_wide turned_a = p->a.cosine * rn + p->a.sine * rt;
    return (s0 + parted) + (turned_b - turned_a);
}

/* Changes the spins by an impulse along n at a point; the caller keeps the sum. */
static inline void
planar_spin_normal(struct planar_pair *p, cn_wide rt, cn_wide impulse)
{
    p->a.w = p->a.w - p->ia * (rt * impulse);
    p->b.w = p->b.w + p->ib * ((rt + p->dt) * impulse);
}

static inline void
planar_spin_tangent(struct planar_pair *p, cn_wide rn, cn_wide impulse)
{
    p->a.w = p->a.w + p->ia * (rn * impulse);
    p->b.w = p->b.w - p->ib * ((rn + p->dn) * impulse);
}

static inline int
planar_point_count(const struct planar_block *c)
{
    return wide_bits(wide_greater(wide_load(c->point[1].mass), wide_zero())) != 0 ? 2 : 1;
}

static void
planar_warm_start(const struct cn_impulse_job *job, int first, int end)
{
    const struct planar_block *blocks = job->block;
    for (int k = first; k < end; k++) {
        const struct planar_block *c = &blocks[k];
        struct planar_pair p;
        planar_begin(job, c, &p);
        cn_wide along_n = wide_zero(), along_t = wide_zero();
        for (int i = 0; i < 2; i++) {
            cn_wide rt = wide_load(c->point[i].rt), rn = wide_load(c->point[i].rn);
            cn_wide normal = wide_load(c->point[i].impulse);
            cn_wide tangent = wide_load(c->rub[i].impulse);
            planar_spin_normal(&p, rt, normal);
            planar_spin_tangent(&p, rn, tangent);
            along_n = along_n + normal;
            along_t = along_t + tangent;
        }
        if (c->flags & LANES_ROLLING) {
            cn_wide rolling = wide_load(c->rolling_impulse);
            p.a.w = p.a.w - p.ia * rolling;
            p.b.w = p.b.w + p.ib * rolling;
        }
        planar_end(job, &p, along_n, along_t);
    }
}

/* The soft row of one point: returns the change of its impulse. */
static inline cn_wide
planar_solve_point(struct planar_pair *p, struct planar_point *point, const struct lanes_soft *soft,
    cn_wide parted, cn_wide speed)
{
    cn_wide rt = wide_load(point->rt), rn = wide_load(point->rn);
    cn_wide old = wide_load(point->impulse);
    cn_wide s = planar_separation(p, parted, wide_load(point->separation), rt, rn);
    cn_wide vn = speed + (p->b.w * (rt + p->dt) - p->a.w * rt);
    cn_wide change = lanes_soft_change(soft, s, vn, wide_load(point->mass), old);
    wide_store(point->impulse, old + change);
    planar_spin_normal(p, rt, change);
    return change;
}

static void
planar_solve(const struct cn_impulse_job *job, int first, int end)
{
    struct planar_block *blocks = job->block;
    for (int k = first; k < end; k++) {
        struct planar_block *c = &blocks[k];
        lanes_prefetch(&blocks[k + 1], offsetof(struct planar_block, rub));
        struct planar_pair p;
        planar_begin(job, c, &p);
        struct lanes_soft soft = lanes_soft_of(job->tick, c->a, c->b);
        cn_wide parted = planar_parted(job, &p), speed = planar_speed_normal(&p);
        cn_wide sum = planar_solve_point(&p, &c->point[0], &soft, parted, speed);
        if (planar_point_count(c) > 1) {
            speed = speed + (p.ma + p.mb) * sum;
            sum = sum + planar_solve_point(&p, &c->point[1], &soft, parted, speed);
        }
        planar_end(job, &p, sum, wide_zero());
    }
}

/* The stiff row of one point. */
static inline cn_wide
planar_relax_point(struct planar_pair *p, struct planar_block *c, int i, cn_wide inverse_h,
    cn_wide parted, cn_wide speed)
{
    struct planar_point *point = &c->point[i];
    cn_wide rt = wide_load(point->rt), rn = wide_load(point->rn);
    cn_wide old = wide_load(point->impulse);
    cn_wide s = planar_separation(p, parted, wide_load(point->separation), rt, rn);
    cn_wide vn = speed + (p->b.w * (rt + p->dt) - p->a.w * rt);
    cn_wide wanted = vn + wide_max(s, wide_zero()) * inverse_h;
    cn_wide now = wide_max(old - wide_load(point->mass) * wanted, wide_zero());
    cn_wide change = now - old;
    wide_store(point->impulse, now);
    wide_store(c->rub[i].total, wide_load(c->rub[i].total) + now);
    planar_spin_normal(p, rt, change);
    return change;
}

static inline void
planar_roll(struct planar_pair *p, struct planar_block *c)
{
    cn_wide normal = wide_load(c->point[0].impulse) + wide_load(c->point[1].impulse);
    cn_wide limit = wide_load(c->rolling) * normal, old = wide_load(c->rolling_impulse);
    cn_wide mass = lanes_inverse(p->ia + p->ib);
    cn_wide now = wide_clamp(old - mass * (p->b.w - p->a.w), -limit, limit);
    now = wide_keep(wide_greater(wide_load(c->rolling), wide_zero()), now);
    wide_store(c->rolling_impulse, now);
    p->a.w = p->a.w - p->ia * (now - old);
    p->b.w = p->b.w + p->ib * (now - old);
}

static inline cn_wide
planar_rub_point(struct planar_pair *p, struct planar_block *c, int i, cn_wide speed)
{
    cn_wide rn = wide_load(c->point[i].rn), old = wide_load(c->rub[i].impulse);
    cn_wide vt = speed - (p->b.w * (rn + p->dn) - p->a.w * rn);
    cn_wide limit = wide_load(c->friction) * wide_load(c->point[i].impulse);
    cn_wide now = wide_clamp(old - wide_load(c->rub[i].mass) * vt, -limit, limit);
    wide_store(c->rub[i].impulse, now);
    planar_spin_tangent(p, rn, now - old);
    return now - old;
}

static void
planar_relax(const struct cn_impulse_job *job, int first, int end)
{
    struct planar_block *blocks = job->block;
    cn_wide inverse_h = wide_splat(job->tick->inverse_h);
    for (int k = first; k < end; k++) {
        struct planar_block *c = &blocks[k];
        lanes_prefetch(&blocks[k + 1], offsetof(struct planar_block, surface));
        struct planar_pair p;
        planar_begin(job, c, &p);
        cn_wide parted = planar_parted(job, &p), speed = planar_speed_normal(&p);
        cn_wide mass = p.ma + p.mb;
        int count = planar_point_count(c);
        cn_wide along_n = planar_relax_point(&p, c, 0, inverse_h, parted, speed);
        if (count > 1) {
            speed = speed + mass * along_n;
            along_n = along_n + planar_relax_point(&p, c, 1, inverse_h, parted, speed);
        }
        if (c->flags & LANES_ROLLING) {
            planar_roll(&p, c);
        }
        speed = planar_speed_tangent(&p);
        if (c->flags & LANES_SURFACE) {
            speed = speed - wide_load(c->surface);
        }
        cn_wide along_t = planar_rub_point(&p, c, 0, speed);
        if (count > 1) {
            speed = speed + mass * along_t;
            along_t = along_t + planar_rub_point(&p, c, 1, speed);
        }
        planar_end(job, &p, along_n, along_t);
    }
}

/* A point that came in fast enough and was pushed goes out by the restitution. */
static inline cn_wide
planar_bounce_point(struct planar_pair *p, struct planar_block *c, int i, cn_wide threshold,
    cn_wide speed)
{
    struct planar_point *point = &c->point[i];
    cn_wide rt = wide_load(point->rt), old = wide_load(point->impulse);
    cn_wide approach = wide_load(c->approach[i]), total = wide_load(c->rub[i].total);
    cn_wide e = wide_load(c->restitution);
    cn_wide vn = speed + (p->b.w * (rt + p->dt) - p->a.w * rt);
    cn_wide_mask bounces = wide_and(wide_greater(-threshold, approach),
        wide_and(wide_greater(total, wide_zero()), wide_greater(e, wide_zero())));
    cn_wide now = wide_max(old - wide_load(point->mass) * (vn + e * approach), wide_zero());
    cn_wide change = wide_keep(bounces, now - old);
    wide_store(point->impulse, wide_select(bounces, now, old));
    wide_store(c->rub[i].total, total + change);
    planar_spin_normal(p, rt, change);
    return change;
}

static void
planar_restitution(const struct cn_impulse_job *job, int first, int end)
{
    struct planar_block *blocks = job->block;
    cn_wide threshold = wide_splat(job->tick->restitution_speed);
    for (int k = first; k < end; k++) {
        struct planar_block *c = &blocks[k];
        if (!(c->flags & LANES_RESTITUTION)) {
            continue;
        }
        struct planar_pair p;
        planar_begin(job, c, &p);
        cn_wide speed = planar_speed_normal(&p);
        cn_wide sum = planar_bounce_point(&p, c, 0, threshold, speed);
        speed = speed + (p.ma + p.mb) * sum;
        sum = sum + planar_bounce_point(&p, c, 1, threshold, speed);
        planar_end(job, &p, sum, wide_zero());
    }
}

#endif
