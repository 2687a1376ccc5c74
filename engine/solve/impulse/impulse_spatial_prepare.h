/* impulse_spatial_prepare.h: fills blocks of lanes from spatial manifolds, and writes them back. */
#ifndef ENGINE_SOLVE_IMPULSE_IMPULSE_SPATIAL_PREPARE_H
#define ENGINE_SOLVE_IMPULSE_IMPULSE_SPATIAL_PREPARE_H

#include "engine/solve/impulse/impulse_spatial.h"

/* The least weight of a point, so that points which are all far away still have a middle. */
#define SPATIAL_WEIGHT_MIN 1e-10f

/* Offsets of manifolds and masses in bytes.  Lanes without one read the first and ignore it. */
struct spatial_lane {
    struct lanes_names names;
    _Alignas(64) int32_t manifold[LANES];
    _Alignas(64) int32_t mass_a[LANES];
    _Alignas(64) int32_t mass_b[LANES];
    const struct cn_impulse_contact *contact;
};

LANES_INLINE void
spatial_read_lanes(
    const struct cn_impulse_contact *contact, struct spatial_block *c, struct spatial_lane *lane)
{
    const struct lanes_names *names = &lane->names;
    lane->contact = contact;
    lanes_read_names(contact, &lane->names);
    lanes_offsets(names->a, sizeof(struct cn_impulse_body3), c->a);
    lanes_offsets(names->b, sizeof(struct cn_impulse_body3), c->b);
    lanes_manifold_offsets(names->manifold, sizeof(struct cn_manifold3), lane->manifold);
    lanes_mass_offsets(names->a, sizeof(struct cn_impulse_mass3), lane->mass_a);
    lanes_mass_offsets(names->b, sizeof(struct cn_impulse_mass3), lane->mass_b);
    lanes_store_bits(c->manifold, names->bits[2]);
    for (int k = 0; k < LANES; k++) {
        c->firm[k] = -contact[k].firm;
    }
}

/* Intermediate data of the points. */
struct spatial_work {
    struct wide_frame frame;
    cn_wide_mask static_a, static_b; /* the side is fixed */
    const cn_wide *names;            /* rows of a contact: body_a, body_b, manifold, friction */
    cn_wide count_bits;              /* point_count */
    cn_wide ma, mb, d[3];
    cn_wide ja[6], jb[6];
    int count; /* points that at least one lane has */
    cn_wide_mask here[SPATIAL_POINTS];
    cn_wide r[SPATIAL_POINTS][3], weight[SPATIAL_POINTS], separation[SPATIAL_POINTS];
    cn_wide impulse[SPATIAL_POINTS];
};

/* Inverse mass, and inverse inertia in the frame; zeros where impulses do not move the body. */
LANES_INLINE cn_wide
spatial_make_mass(const struct wide_frame *f, const void *mass, const int32_t *offset,
    cn_wide name, struct spatial_inertia *to, cn_wide j[6])
{
    cn_wide row[2][4], world[6];
    wide_rows_many(mass, offset, 2, row);
    cn_wide_mask moves = wide_above(name, -1);
    LANES_UNROLL
    for (int k = 0; k < 6; k++) {
        world[k] = wide_keep(moves, row[(k + 1) / 4][(k + 1) % 4]);
    }
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
    return wide_keep(moves, row[0][0]);
}

#define SPATIAL_POINT(i, member) \
    (offsetof(struct cn_manifold3, point) + (i) * sizeof(struct cn_point3) + \
        offsetof(struct cn_point3, member))

LANES_INLINE void
spatial_read_point(struct spatial_work *work, const struct cn_manifold3 *manifold,
    const struct spatial_lane *lane, int i, cn_wide inverse_margin)
{
    cn_wide row[2][4], a[3], b[3];
    wide_rows_many((const char *)manifold + SPATIAL_POINT((size_t)i, anchor_a), lane->manifold, 2,
        row);
    wide_frame_in(&work->frame, (wide3){row[0][0], row[0][1], row[0][2]}, a);
    wide_frame_in(&work->frame, (wide3){row[0][3], row[1][0], row[1][1]}, b);
    cn_wide_mask here = wide_and(wide_above(work->count_bits, i), wide_above(work->names[2], -1));
    for (int k = 0; k < 3; k++) {
        work->r[i][k] = wide_keep(here, wide_select(work->static_a, b[k], a[k]));
        if (i == 0) {
            cn_wide_mask one = wide_or(work->static_a, work->static_b);
            work->d[k] = wide_select(one, wide_zero(), b[k] - a[k]);
        }
    }
    cn_wide weight = wide_splat(2.0f) - row[1][2] * inverse_margin;
    weight = wide_clamp(weight, wide_splat(SPATIAL_WEIGHT_MIN), wide_splat(1.0f));
    work->here[i] = here;
    work->weight[i] = wide_keep(here, weight);
    work->separation[i] = wide_keep(here, row[1][2]);
    work->impulse[i] = wide_keep(here, row[1][3]);
}

/* A point's r x n on one side, and J times it. */
struct spatial_arm {
    cn_wide r1, r2, j1, j2;
};

LANES_INLINE struct spatial_arm
spatial_arm_make(const cn_wide j[6], cn_wide r1, cn_wide r2)
{
    return (struct spatial_arm){r1, r2, j[0] * r2 - j[3] * r1, j[3] * r2 - j[1] * r1};
}

LANES_INLINE cn_wide
spatial_arm_product(const struct spatial_arm *a, const struct spatial_arm *b)
{
    return a->j1 * b->r2 - a->j2 * b->r1;
}

/* Makes the normal rows of `count` points; `count` is a constant. */
LANES_INLINE void
spatial_make_rows(struct spatial_block *c, const struct spatial_work *work, int count)
{
    struct spatial_arm a[SPATIAL_POINTS], b[SPATIAL_POINTS];
    cn_wide m = work->ma + work->mb;
    LANES_UNROLL
    for (int i = 0; i < count; i++) {
        cn_wide r1 = work->r[i][0], r2 = work->r[i][1];
        a[i] = spatial_arm_make(work->ja, r1, r2);
        b[i] = spatial_arm_make(work->jb, r1 + work->d[0], r2 + work->d[1]);
        cn_wide k = m + (spatial_arm_product(&a[i], &a[i]) + spatial_arm_product(&b[i], &b[i]));
        wide_store(c->point[i].mass, wide_keep(work->here[i], lanes_inverse(k)));
    }
    LANES_UNROLL
    for (int i = 0; i < count; i++) {
        LANES_UNROLL
        for (int j = i + 1; j < count; j++) {
            cn_wide k =
                m + (spatial_arm_product(&a[i], &a[j]) + spatial_arm_product(&b[i], &b[j]));
            wide_store(c->k[spatial_k(i, j)], wide_keep(work->here[j], k));
        }
    }
}

LANES_INLINE void
spatial_make_points(struct spatial_block *c, const struct spatial_work *work)
{
    cn_wide none = wide_zero();
    for (int i = 0; i < work->count; i++) {
        struct spatial_point *point = &c->point[i];
        wide_store(point->r1, work->r[i][0]);
        wide_store(point->r2, work->r[i][1]);
        wide_store(point->gap, work->separation[i]);
        wide_store(point->impulse, work->impulse[i]);
        wide_store(c->rn[i], work->r[i][2]);
        wide_store(c->separation[i], work->separation[i]);
        wide_store(c->total[i], none);
    }
    for (int i = work->count; i < SPATIAL_POINTS; i++) {
        struct spatial_point *point = &c->point[i];
        wide_store(point->r1, none);
        wide_store(point->r2, none);
        wide_store(point->mass, none);
        wide_store(point->gap, none);
        wide_store(point->impulse, none);
        wide_store(c->rn[i], none);
        wide_store(c->separation[i], none);
        wide_store(c->total[i], none);
    }
    if (work->count == SPATIAL_POINTS) {
        spatial_make_rows(c, work, SPATIAL_POINTS);
        return;
    }
    for (int i = 0; i < 6; i++) {
        wide_store(c->k[i], none);
    }
    if (work->count == 3) {
        spatial_make_rows(c, work, 3);
    } else if (work->count == 2) {
        spatial_make_rows(c, work, 2);
    } else if (work->count == 1) {
        spatial_make_rows(c, work, 1);
    }
}

/* (x, -y) [xx xy; xy yy] (x, -y)' */
LANES_INLINE cn_wide
spatial_square_of(cn_wide xx, cn_wide yy, cn_wide xy, cn_wide x, cn_wide y)
{
    return (xx * x - xy * y) * x - (xy * x - yy * y) * y;
}

/* Finds the middle of the points, and the effective masses and limits of friction there. */
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

/* Stores how fast the points approach before anything is solved, because restitution needs it. */
LANES_INLINE void
spatial_approach(const struct cn_impulse_job *job, struct spatial_block *c)
{
    struct spatial_pair p;
    struct spatial_rows rows;
    spatial_begin(job, c, 2, &p);
    spatial_rows_begin(c, &p, SPATIAL_POINTS, &rows);
    for (int i = 0; i < SPATIAL_POINTS; i++) {
        wide_store(c->approach[i], rows.speed[i]);
    }
}

/*
 * Sets friction, rolling and the belt's speed, and reads the friction impulses from the manifold's
 * head.
 */
LANES_INLINE void
spatial_make_rub(const struct cn_impulse_tick *tick, struct spatial_block *c,
    const struct cn_impulse_contact *contact, const struct spatial_work *work,
    cn_wide head[3][4])
{
    cn_wide rub[4], belt[4], turn[3], surface[3];
    cn_wide_mask here = wide_above(work->names[2], -1);
    wide_rows_at(&contact->friction, lanes_step44, rub);
    wide_rows_at(&contact->spinning, lanes_step44, belt);
    spatial_make_middle(c, work, rub[0], rub[3]);
    cn_wide_mask rolls = wide_and(here, wide_greater(rub[2], wide_zero()));
    wide_frame_in(&work->frame, (wide3){head[1][2], head[1][3], head[2][0]}, turn);
    wide_frame_in(&work->frame, (wide3){belt[1], belt[2], belt[3]}, surface);
    wide_store(c->friction, rub[0]);
    wide_store(c->restitution, rub[1]);
    wide_store(c->rolling, rub[2]);
    for (int k = 0; k < 3; k++) {
        wide_store(c->rolling_impulse[k], wide_keep(rolls, turn[k]));
    }
    wide_store(c->rub_impulse[0], wide_keep(here, head[0][3]));
    wide_store(c->rub_impulse[1], wide_keep(here, head[1][0]));
    wide_store(c->twist_impulse, wide_keep(here, head[1][1]));
    wide_store(c->surface[0], surface[0]);
    wide_store(c->surface[1], surface[1]);
    bool firm = false;
    for (int k = 0; k < LANES; k++) {
        firm = firm || c->firm[k] != 0;
    }
    c->flags = (firm ? LANES_FIRM : 0) |
               (wide_bits(spatial_damped(tick, c)) != 0 ? LANES_DAMPED : 0) |
               (lanes_any(rub[1]) ? LANES_RESTITUTION : 0) |
               (lanes_any(rub[2]) ? LANES_ROLLING : 0) |
               (lanes_any(surface[0]) || lanes_any(surface[1]) ? LANES_SURFACE : 0);
}

LANES_INLINE void
spatial_make_frame(struct spatial_block *c, const struct cn_impulse_job *job,
    const struct spatial_lane *lane, struct spatial_work *work)
{
    const wide3 *n = &work->frame.n, *t1 = &work->frame.t1;
    work->static_a = wide_is(work->names[0], CN_IMPULSE_FIXED);
    work->static_b = wide_is(work->names[1], CN_IMPULSE_FIXED);
    work->ma = spatial_make_mass(
        &work->frame, job->mass, lane->mass_a, work->names[0], &c->ja, work->ja);
    work->mb = spatial_make_mass(
        &work->frame, job->mass, lane->mass_b, work->names[1], &c->jb, work->jb);
    wide_store(c->n[0], n->x);
    wide_store(c->n[1], n->y);
    wide_store(c->n[2], n->z);
    wide_store(c->t1[0], t1->x);
    wide_store(c->t1[1], t1->y);
    wide_store(c->t1[2], t1->z);
    wide_store(c->ma, work->ma);
    wide_store(c->mb, work->mb);
}

LANES_INLINE void
spatial_make(const struct cn_impulse_job *job, struct spatial_block *c,
    const struct spatial_lane *lane, cn_wide inverse_margin)
{
    struct spatial_work work;
    cn_wide head[3][4];
    wide_rows_many(job->manifold, lane->manifold, 3, head);
    work.names = lane->names.bits;
    work.count_bits = head[2][1];
    wide3 up = {wide_zero(), wide_zero(), wide_splat(1.0f)};
    work.frame = wide_frame_make(wide3_select(wide_above(work.count_bits, 0),
        (wide3){head[0][0], head[0][1], head[0][2]}, up));
    spatial_make_frame(c, job, lane, &work);
    work.count = 0;
    work.d[0] = work.d[1] = work.d[2] = wide_zero();
    do {
        spatial_read_point(&work, job->manifold, lane, work.count, inverse_margin);
        work.count++;
    } while (work.count < SPATIAL_POINTS &&
             wide_bits(wide_and(wide_above(work.names[2], -1),
                 wide_above(work.count_bits, work.count))) != 0);
    wide_store(c->d1, work.d[0]);
    wide_store(c->d2, work.d[1]);
    wide_store(c->dn, work.d[2]);
    spatial_make_points(c, &work);
    spatial_make_rub(job->tick, c, lane->contact, &work, head);
    if (c->flags & LANES_RESTITUTION) {
        spatial_approach(job, c);
    }
}

static void
spatial_prepare(const struct cn_impulse_job *job, int first, int end)
{
    lanes_check_blocks(job, first, end);
    struct spatial_block *blocks = job->block;
    float margin = job->tick->margin;
    cn_wide inverse_margin = wide_splat(margin > 0.0f ? 1.0f / margin : 0.0f);
    for (int k = first; k < end; k++) {
        struct spatial_lane lane;
        if (k + 1 < end) {
            lanes_prefetch_manifolds(
                &job->contact[(k + 1) * LANES], job->manifold, sizeof(struct cn_manifold3));
        }
        spatial_read_lanes(&job->contact[k * LANES], &blocks[k], &lane);
        spatial_make(job, &blocks[k], &lane, inverse_margin);
    }
}

static void
spatial_store(const struct cn_impulse_job *job, int first, int end)
{
    lanes_check_blocks(job, first, end);
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
