/*
 * impulse_spatial_prepare.h: from manifolds to blocks of lanes and back, spatial.
 */
#ifndef ENGINE_SOLVE_IMPULSE_SPATIAL_PREPARE_H
#define ENGINE_SOLVE_IMPULSE_SPATIAL_PREPARE_H

#include "engine/solve/impulse_spatial.h"

/* A point that is far away, and no other is near, still has a middle. */
#define SPATIAL_WEIGHT_MIN 1e-10f

static const struct cn_manifold3 spatial_no_manifold;
static const struct cn_impulse_mass3 spatial_no_mass;

/* What is read contact by contact. */
struct spatial_lane {
    int32_t here[SPATIAL_POINTS][LANES]; /* -1: it has that point */
    _Alignas(64) float surface[3][LANES];
    const float *rub[LANES]; /* friction, restitution, rolling, spinning */
    const float *mass_a[LANES], *mass_b[LANES];
    const struct cn_manifold3 *manifold[LANES];
};

LANES_INLINE void
spatial_read_lanes(const struct cn_impulse_job *job, const struct cn_impulse_contact *contact,
    struct spatial_block *c, struct spatial_lane *lane)
{
    const struct cn_manifold3 *manifolds = job->manifold;
    const struct cn_impulse_mass3 *mass = job->mass;
    for (int k = 0; k < LANES; k++) {
        const struct cn_impulse_contact *from = &contact[k];
        const struct cn_manifold3 *m =
            from->manifold < 0 ? &spatial_no_manifold : &manifolds[from->manifold];
        c->a[k] = lanes_offset(from->body_a, sizeof(struct cn_impulse_body3));
        c->b[k] = lanes_offset(from->body_b, sizeof(struct cn_impulse_body3));
        c->manifold[k] = from->manifold;
        lane->mass_a[k] =
            from->body_a < 0 ? &spatial_no_mass.inverse_mass : &mass[from->body_a].inverse_mass;
        lane->mass_b[k] =
            from->body_b < 0 ? &spatial_no_mass.inverse_mass : &mass[from->body_b].inverse_mass;
        lane->rub[k] = &from->friction;
        lane->manifold[k] = m;
        for (int i = 0; i < SPATIAL_POINTS; i++) {
            lane->here[i][k] = -(m->point_count > i);
        }
        for (int i = 0; i < 3; i++) {
            lane->surface[i][k] = from->surface[i];
        }
    }
}

/* Rows from `at` bytes behind the beginnings. */
LANES_INLINE void
spatial_rows_from(const float *const *begin, size_t at, cn_wide out[4])
{
    const float *row[LANES];
    for (int k = 0; k < LANES; k++) {
        row[k] = begin[k] + at / sizeof(float);
    }
    wide_rows(row, out);
}

LANES_INLINE void
spatial_manifold_rows(const struct spatial_lane *lane, size_t at, cn_wide out[4])
{
    const float *row[LANES];
    for (int k = 0; k < LANES; k++) {
        row[k] = (const float *)(const void *)((const char *)lane->manifold[k] + at);
    }
    wide_rows(row, out);
}

/* What is made of the points on the way. */
struct spatial_work {
    struct wide_frame frame;
    cn_wide_mask static_a, static_b;
    cn_wide ma, mb, d[3];
    cn_wide ja[6], jb[6];
    int count; /* points that some lane has */
    cn_wide_mask here[SPATIAL_POINTS];
    cn_wide r[SPATIAL_POINTS][3], weight[SPATIAL_POINTS], separation[SPATIAL_POINTS];
    cn_wide impulse[SPATIAL_POINTS];
};

/* Inverse mass, and inverse inertia in the frame. */
LANES_INLINE cn_wide
spatial_make_mass(const struct wide_frame *f, const float *const *mass,
    struct spatial_inertia *to, cn_wide j[6])
{
    cn_wide low[4], high[4];
    spatial_rows_from(mass, 0, low);
    spatial_rows_from(mass, 16, high);
    cn_wide world[6] = {low[1], low[2], low[3], high[0], high[1], high[2]};
    wide3 i1 = lanes_apply3(world, f->t1), i2 = lanes_apply3(world, f->t2);
    wide3 in = lanes_apply3(world, f->n);
    j[0] = wide3_dot(f->t1, i1);
    j[1] = wide3_dot(f->t2, i2);
    j[2] = wide3_dot(f->n, in);
    j[3] = wide3_dot(f->t1, i2);
    j[4] = wide3_dot(f->t2, in);
    j[5] = wide3_dot(f->t1, in);
    wide_store(to->m11, j[0]);
    wide_store(to->m22, j[1]);
    wide_store(to->mnn, j[2]);
    wide_store(to->m12, j[3]);
    wide_store(to->m2n, j[4]);
    wide_store(to->m1n, j[5]);
    return low[0];
}

#define SPATIAL_POINT(i, member) \
    (offsetof(struct cn_manifold3, point) + (i) * sizeof(struct cn_point3) + \
        offsetof(struct cn_point3, member))

LANES_INLINE void
spatial_read_point(
    struct spatial_work *work, const struct spatial_lane *lane, int i, cn_wide inverse_margin)
{
    cn_wide low[4], high[4], a[3], b[3];
    spatial_manifold_rows(lane, SPATIAL_POINT((size_t)i, anchor_a), low);
    spatial_manifold_rows(lane, SPATIAL_POINT((size_t)i, anchor_b[1]), high);
    wide_frame_in(&work->frame, (wide3){low[0], low[1], low[2]}, a);
    wide_frame_in(&work->frame, (wide3){low[3], high[0], high[1]}, b);
    cn_wide_mask here = wide_negative(lane->here[i]);
    for (int k = 0; k < 3; k++) {
        work->r[i][k] = wide_keep(here, wide_select(work->static_a, b[k], a[k]));
        if (i == 0) {
            cn_wide_mask one = wide_or(work->static_a, work->static_b);
            work->d[k] = wide_select(one, wide_zero(), b[k] - a[k]);
        }
    }
    cn_wide weight = wide_splat(2.0f) - high[2] * inverse_margin;
    weight = wide_clamp(weight, wide_splat(SPATIAL_WEIGHT_MIN), wide_splat(1.0f));
    work->here[i] = here;
    work->weight[i] = wide_keep(here, weight);
    work->separation[i] = wide_keep(here, high[2]);
    work->impulse[i] = wide_keep(here, high[3]);
}

/* (r x n) J of both sides: what row i does to the spins. */
LANES_INLINE void
spatial_arm(const cn_wide j[6], cn_wide r1, cn_wide r2, cn_wide out[2])
{
    out[0] = j[0] * r2 - j[3] * r1;
    out[1] = j[3] * r2 - j[1] * r1;
}

LANES_INLINE cn_wide
spatial_product(const struct spatial_work *work, int i, int j)
{
    cn_wide a[2], b[2], m = work->ma + work->mb;
    cn_wide i1 = work->r[i][0], i2 = work->r[i][1], j1 = work->r[j][0], j2 = work->r[j][1];
    cn_wide bi1 = i1 + work->d[0], bi2 = i2 + work->d[1];
    cn_wide bj1 = j1 + work->d[0], bj2 = j2 + work->d[1];
    spatial_arm(work->ja, i1, i2, a);
    spatial_arm(work->jb, bi1, bi2, b);
    return m + ((a[0] * j2 - a[1] * j1) + (b[0] * bj2 - b[1] * bj1));
}

LANES_INLINE void
spatial_make_points(struct spatial_block *c, const struct spatial_work *work)
{
    for (int i = 0; i < SPATIAL_POINTS; i++) {
        struct spatial_point *point = &c->point[i];
        bool any = i < work->count;
        cn_wide none = wide_zero();
        wide_store(point->r1, any ? work->r[i][0] : none);
        wide_store(point->r2, any ? work->r[i][1] : none);
        wide_store(point->rn, any ? work->r[i][2] : none);
        wide_store(point->separation, any ? work->separation[i] : none);
        wide_store(point->impulse, any ? work->impulse[i] : none);
        wide_store(point->mass,
            any ? wide_keep(work->here[i], lanes_inverse(spatial_product(work, i, i))) : none);
        wide_store(c->total[i], none);
        for (int j = i + 1; j < SPATIAL_POINTS; j++) {
            wide_store(c->k[spatial_k(i, j)],
                j < work->count ? wide_keep(work->here[j], spatial_product(work, i, j)) : none);
        }
    }
}

/* (x, -y) [xx xy; xy yy] (x, -y)' */
LANES_INLINE cn_wide
spatial_square_of(cn_wide xx, cn_wide yy, cn_wide xy, cn_wide x, cn_wide y)
{
    return (xx * x - xy * y) * x - (xy * x - yy * y) * y;
}

/* The middle of the points, and what friction there has against it. */
LANES_INLINE void
spatial_make_middle(
    struct spatial_block *c, const struct spatial_work *work, cn_wide friction, cn_wide spinning)
{
    cn_wide all = wide_zero(), m[3] = {all, all, all}, b[3];
    for (int i = 0; i < work->count; i++) {
        all = all + work->weight[i];
        for (int k = 0; k < 3; k++) {
            m[k] = m[k] + work->weight[i] * work->r[i][k];
        }
    }
    cn_wide scale = lanes_inverse(all);
    for (int k = 0; k < 3; k++) {
        m[k] = m[k] * scale;
        b[k] = m[k] + work->d[k];
    }
    wide_store(c->c1, m[0]);
    wide_store(c->c2, m[1]);
    wide_store(c->cn, m[2]);
    for (int i = 0; i < SPATIAL_POINTS; i++) {
        cn_wide limit = wide_zero();
        if (i < work->count) {
            cn_wide x = work->r[i][0] - m[0], y = work->r[i][1] - m[1], z = work->r[i][2] - m[2];
            cn_wide lever = wide_sqrt((x * x + y * y) + z * z);
            limit = wide_keep(work->here[i], friction * lever + spinning);
        }
        wide_store(c->twist_limit[i], limit);
    }
    /* Rows along t1: r x t1 = (0, rn, -r2); along t2: r x t2 = (-rn, 0, r1). */
    const cn_wide *ja = work->ja, *jb = work->jb;
    cn_wide mass = work->ma + work->mb;
    cn_wide k11 = spatial_square_of(ja[1], ja[2], ja[4], m[2], m[1]) +
                  spatial_square_of(jb[1], jb[2], jb[4], b[2], b[1]) + mass;
    cn_wide k22 = spatial_square_of(ja[0], ja[2], ja[5], m[2], m[0]) +
                  spatial_square_of(jb[0], jb[2], jb[5], b[2], b[0]) + mass;
    cn_wide k12 = ((ja[4] * m[2] - ja[2] * m[1]) * m[0] - (ja[3] * m[2] - ja[5] * m[1]) * m[2]) +
                  ((jb[4] * b[2] - jb[2] * b[1]) * b[0] - (jb[3] * b[2] - jb[5] * b[1]) * b[2]);
    cn_wide inverse = lanes_inverse(k11 * k22 - k12 * k12);
    wide_store(c->rub_mass[0], k22 * inverse);
    wide_store(c->rub_mass[1], wide_zero() - k12 * inverse);
    wide_store(c->rub_mass[2], k11 * inverse);
    wide_store(c->twist_mass, lanes_inverse(ja[2] + jb[2]));
}

/* Restitution wants to know how fast the points came together before anything was done. */
LANES_INLINE void
spatial_approach(const struct cn_impulse_job *job, struct spatial_block *c)
{
    struct spatial_pair p;
    struct spatial_rows rows;
    spatial_begin(job, c, &p);
    spatial_rows_begin(c, &p, SPATIAL_POINTS, &rows);
    for (int i = 0; i < SPATIAL_POINTS; i++) {
        wide_store(c->approach[i], rows.speed[i]);
    }
}

/* Friction, rolling and the belt's speed; rubbing impulses from the manifold's rows. */
LANES_INLINE void
spatial_make_rub(struct spatial_block *c, const struct spatial_lane *lane,
    const struct spatial_work *work, const cn_wide *head, const cn_wide *middle)
{
    cn_wide rub[4], tail[4], turn[3], surface[3];
    wide_rows(lane->rub, rub);
    spatial_manifold_rows(lane, offsetof(struct cn_manifold3, rolling_impulse[1]), tail);
    spatial_make_middle(c, work, rub[0], rub[3]);
    cn_wide_mask rolls = wide_greater(rub[2], wide_zero());
    wide_frame_in(&work->frame, (wide3){middle[2], tail[0], tail[1]}, turn);
    wide3 belt = {wide_load(lane->surface[0]), wide_load(lane->surface[1]),
        wide_load(lane->surface[2])};
    wide_frame_in(&work->frame, belt, surface);
    wide_store(c->friction, rub[0]);
    wide_store(c->restitution, rub[1]);
    wide_store(c->rolling, rub[2]);
    for (int k = 0; k < 3; k++) {
        wide_store(c->rolling_impulse[k], wide_keep(rolls, turn[k]));
    }
    wide_store(c->rub_impulse[0], head[3]);
    wide_store(c->rub_impulse[1], middle[0]);
    wide_store(c->twist_impulse, middle[1]);
    wide_store(c->surface[0], surface[0]);
    wide_store(c->surface[1], surface[1]);
    c->flags = (lanes_any(rub[1]) ? LANES_RESTITUTION : 0) | (lanes_any(rub[2]) ? LANES_ROLLING : 0)
        | (lanes_any(surface[0]) || lanes_any(surface[1]) ? LANES_SURFACE : 0);
}

LANES_INLINE void
spatial_make(const struct cn_impulse_job *job, struct spatial_block *c,
    const struct spatial_lane *lane, cn_wide inverse_margin)
{
    struct spatial_work work;
    cn_wide head[4], middle[4];
    spatial_manifold_rows(lane, 0, head);
    spatial_manifold_rows(lane, offsetof(struct cn_manifold3, tangent_impulse[1]), middle);
    cn_wide_mask here = wide_negative(lane->here[0]);
    wide3 up = {wide_zero(), wide_zero(), wide_splat(1.0f)};
    work.frame = wide_frame_make(wide3_select(here, (wide3){head[0], head[1], head[2]}, up));
    work.static_a = lanes_static(c->a);
    work.static_b = lanes_static(c->b);
    work.ma = spatial_make_mass(&work.frame, lane->mass_a, &c->ja, work.ja);
    work.mb = spatial_make_mass(&work.frame, lane->mass_b, &c->jb, work.jb);
    work.count = 0;
    while (work.count < SPATIAL_POINTS &&
           wide_bits(wide_negative(lane->here[work.count])) != 0) {
        spatial_read_point(&work, lane, work.count, inverse_margin);
        work.count++;
    }
    if (work.count == 0) {
        memset(work.d, 0, sizeof(work.d));
    }
    const wide3 *n = &work.frame.n, *t1 = &work.frame.t1;
    wide_store(c->n[0], n->x);
    wide_store(c->n[1], n->y);
    wide_store(c->n[2], n->z);
    wide_store(c->t1[0], t1->x);
    wide_store(c->t1[1], t1->y);
    wide_store(c->t1[2], t1->z);
    wide_store(c->ma, work.ma);
    wide_store(c->mb, work.mb);
    wide_store(c->d1, work.d[0]);
    wide_store(c->d2, work.d[1]);
    wide_store(c->dn, work.d[2]);
    spatial_make_points(c, &work);
    spatial_make_rub(c, lane, &work, head, middle);
    if (c->flags & LANES_RESTITUTION) {
        spatial_approach(job, c);
    }
}

static void
spatial_prepare(const struct cn_impulse_job *job, int first, int end)
{
    struct spatial_block *blocks = job->block;
    float margin = job->tick->margin;
    cn_wide inverse_margin = wide_splat(margin > 0.0f ? 1.0f / margin : 0.0f);
    for (int k = first; k < end; k++) {
        struct spatial_lane lane;
        spatial_read_lanes(job, &job->contact[k * LANES], &blocks[k], &lane);
        spatial_make(job, &blocks[k], &lane, inverse_margin);
    }
}

static void
spatial_store(const struct cn_impulse_job *job, int first, int end)
{
    struct cn_manifold3 *manifolds = job->manifold;
    const struct spatial_block *blocks = job->block;
    for (int k = first; k < end; k++) {
        const struct spatial_block *c = &blocks[k];
        struct wide_frame frame = wide_frame_load(c->n, c->t1);
        cn_wide turn[3] = {wide_load(c->rolling_impulse[0]), wide_load(c->rolling_impulse[1]),
            wide_load(c->rolling_impulse[2])};
        wide3 rolling = wide_frame_out(&frame, turn);
        cn_wide middle[4] = {wide_load(c->rub_impulse[0]), wide_load(c->rub_impulse[1]),
            wide_load(c->twist_impulse), rolling.x};
        _Alignas(64) float y[LANES], z[LANES], nowhere[4];
        float *row[LANES];
        wide_store(y, rolling.y);
        wide_store(z, rolling.z);
        for (int lane = 0; lane < LANES; lane++) {
            int32_t m = c->manifold[lane];
            row[lane] = m < 0 ? nowhere : manifolds[m].tangent_impulse;
        }
        wide_rows_store(row, middle);
        for (int lane = 0; lane < LANES; lane++) {
            if (c->manifold[lane] < 0) {
                continue;
            }
            struct cn_manifold3 *m = &manifolds[c->manifold[lane]];
            m->rolling_impulse[1] = y[lane];
            m->rolling_impulse[2] = z[lane];
            for (int i = 0; i < m->point_count; i++) {
                m->point[i].normal_impulse = c->point[i].impulse[lane];
                m->point[i].total_impulse = c->total[i][lane];
            }
        }
    }
}

#endif
