/* impulse_planar_prepare.h: fills blocks of lanes from planar manifolds, and writes them back. */
#ifndef ENGINE_SOLVE_IMPULSE_IMPULSE_PLANAR_PREPARE_H
#define ENGINE_SOLVE_IMPULSE_IMPULSE_PLANAR_PREPARE_H

#include "engine/solve/impulse/impulse_planar.h"

/* Offsets of manifolds and masses in bytes.  Lanes without one read the first and ignore it. */
struct planar_lane {
    struct lanes_names names;
    _Alignas(64) int32_t manifold[LANES];
    _Alignas(64) int32_t mass_a[LANES];
    _Alignas(64) int32_t mass_b[LANES];
    const struct cn_impulse_contact *contact;
};

LANES_INLINE void
planar_read_lanes(
    const struct cn_impulse_contact *contact, struct planar_block *c, struct planar_lane *lane)
{
    const struct lanes_names *names = &lane->names;
    lane->contact = contact;
    lanes_read_names(contact, &lane->names);
    lanes_offsets(names->a, sizeof(struct cn_impulse_body2), c->a);
    lanes_offsets(names->b, sizeof(struct cn_impulse_body2), c->b);
    lanes_manifold_offsets(names->manifold, sizeof(struct cn_manifold2), lane->manifold);
    lanes_mass_offsets(names->a, sizeof(struct cn_impulse_mass2), lane->mass_a);
    lanes_mass_offsets(names->b, sizeof(struct cn_impulse_mass2), lane->mass_b);
    lanes_store_bits(c->manifold, names->bits[2]);
}

/* Stores how fast the points approach before anything is solved, because restitution needs it. */
LANES_INLINE void
planar_approach(const struct cn_impulse_job *job, struct planar_block *c)
{
    struct planar_pair p;
    struct planar_rows rows;
    planar_begin(job, c, 1, &p);
    planar_rows_begin(c, 2, &rows);
    planar_rows_speed(&p, &rows);
    wide_store(c->approach[0], rows.speed[0]);
    wide_store(c->approach[1], rows.speed[1]);
}

struct planar_frame {
    cn_wide nx, ny, ma, mb, ia, ib, dt, dn;
    cn_wide_mask static_a, static_b;
};

/* Anchors of a point in the frame: r_t and r_n of A, or of B where A never moves. */
LANES_INLINE void
planar_anchors(const struct planar_frame *f, const cn_wide anchor[4], cn_wide r[2], cn_wide d[2])
{
    cn_wide at = anchor[0] * f->ny - anchor[1] * f->nx, an = anchor[0] * f->nx + anchor[1] * f->ny;
    cn_wide bt = anchor[2] * f->ny - anchor[3] * f->nx, bn = anchor[2] * f->nx + anchor[3] * f->ny;
    r[0] = wide_select(f->static_a, bt, at);
    r[1] = wide_select(f->static_a, bn, an);
    cn_wide_mask one = wide_or(f->static_a, f->static_b);
    d[0] = wide_select(one, wide_zero(), bt - at);
    d[1] = wide_select(one, wide_zero(), bn - an);
}

LANES_INLINE void
planar_make_point(const struct planar_frame *f, struct planar_block *c, int i, const cn_wide r[2],
    const cn_wide state[4], cn_wide_mask here)
{
    struct planar_point *point = &c->point[i];
    cn_wide bt = r[0] + f->dt, bn = r[1] + f->dn, m = f->ma + f->mb;
    cn_wide normal = m + (f->ia * (r[0] * r[0]) + f->ib * (bt * bt));
    cn_wide tangent = m + (f->ia * (r[1] * r[1]) + f->ib * (bn * bn));
    wide_store(point->rt, wide_keep(here, r[0]));
    wide_store(point->mass, wide_keep(here, lanes_inverse(normal)));
    wide_store(point->gap, wide_keep(here, state[0]));
    wide_store(point->impulse, wide_keep(here, state[1]));
    wide_store(c->rub[i].rn, wide_keep(here, r[1]));
    wide_store(c->rub[i].separation, wide_keep(here, state[0]));
    wide_store(c->rub[i].mass, wide_keep(here, lanes_inverse(tangent)));
    wide_store(c->rub[i].impulse, wide_keep(here, state[2]));
    wide_store(c->rub[i].total, wide_zero());
}

/* K_12 of two rows of one kind, by r_t of the normal rows, or r_n of the tangent rows. */
LANES_INLINE cn_wide
planar_coupling(const struct planar_frame *f, const float *first, const float *second, cn_wide d)
{
    cn_wide r0 = wide_load(first), r1 = wide_load(second);
    return (f->ma + f->mb) + (f->ia * (r0 * r1) + f->ib * ((r0 + d) * (r1 + d)));
}

#define PLANAR_POINT(i, member) \
    (offsetof(struct cn_manifold2, point) + (i) * sizeof(struct cn_point2) + \
        offsetof(struct cn_point2, member))

/* Mask of the lanes that have a manifold with more than i points. */
LANES_INLINE cn_wide_mask
planar_has_point(const cn_wide names[4], const cn_wide head[4], int i)
{
    return wide_and(wide_above(names[2], -1), wide_above(head[3], i));
}

LANES_INLINE void
planar_make_points(struct planar_block *c, const struct cn_manifold2 *manifold,
    const int32_t *offset, struct planar_frame *f, const cn_wide_mask here[2])
{
    LANES_UNROLL
    for (int i = 0; i < 2; i++) {
        cn_wide row[2][4], r[2], d[2];
        wide_rows_many((const char *)manifold + PLANAR_POINT((size_t)i, anchor_ax), offset, 2, row);
        planar_anchors(f, row[0], r, d);
        if (i == 0) {
            f->dt = wide_keep(here[0], d[0]);
            f->dn = wide_keep(here[0], d[1]);
            wide_store(c->dt, f->dt);
            wide_store(c->dn, f->dn);
        }
        planar_make_point(f, c, i, r, row[1], here[i]);
    }
    wide_store(c->normal_coupling, planar_coupling(f, c->point[0].rt, c->point[1].rt, f->dt));
    wide_store(c->tangent_coupling, planar_coupling(f, c->rub[0].rn, c->rub[1].rn, f->dn));
}

LANES_INLINE void
planar_make(const struct cn_impulse_job *job, struct planar_block *c,
    const struct planar_lane *lane)
{
    cn_wide head[4], rub[4], belt[4], mass[4];
    const cn_wide *names = lane->names.bits;
    wide_rows_at(job->manifold, lane->manifold, head);
    wide_pairs(job->mass, lane->mass_a, job->mass, lane->mass_b, mass);
    wide_rows_at(&lane->contact->friction, lanes_step44, rub);
    wide_rows_at(&lane->contact->spinning, lanes_step44, belt);
    const cn_wide_mask here[2] = {
        planar_has_point(names, head, 0), planar_has_point(names, head, 1)};
    cn_wide_mask moves_a = wide_above(names[0], -1), moves_b = wide_above(names[1], -1);
    struct planar_frame f = {.nx = head[0], .ny = head[1],
        .ma = wide_keep(moves_a, mass[0]), .ia = wide_keep(moves_a, mass[1]),
        .mb = wide_keep(moves_b, mass[2]), .ib = wide_keep(moves_b, mass[3]),
        .static_a = wide_is(names[0], CN_IMPULSE_FIXED),
        .static_b = wide_is(names[1], CN_IMPULSE_FIXED)};
    wide_store(c->nx, f.nx);
    wide_store(c->ny, f.ny);
    wide_store(c->ma, f.ma);
    wide_store(c->mb, f.mb);
    wide_store(c->ia, f.ia);
    wide_store(c->ib, f.ib);
    planar_make_points(c, job->manifold, lane->manifold, &f, here);
    cn_wide_mask rolls = wide_and(here[0], wide_greater(rub[2], wide_zero()));
    wide_store(c->friction, rub[0]);
    wide_store(c->restitution, rub[1]);
    wide_store(c->rolling, rub[2]);
    wide_store(c->rolling_impulse, wide_keep(rolls, head[2]));
    wide_store(c->surface, belt[1]);
    c->flags = (lanes_any(rub[1]) ? LANES_RESTITUTION : 0) |
               (lanes_any(rub[2]) ? LANES_ROLLING : 0) | (lanes_any(belt[1]) ? LANES_SURFACE : 0) |
               (wide_bits(planar_damped(job->tick, c, f.ma, f.mb)) != 0 ? LANES_DAMPED : 0);
    if (c->flags & LANES_RESTITUTION) {
        planar_approach(job, c);
    }
}

static void
planar_prepare(const struct cn_impulse_job *job, int first, int end)
{
    lanes_check_blocks(job, first, end);
    struct planar_block *blocks = job->block;
    for (int k = first; k < end; k++) {
        struct planar_lane lane;
        if (k + 1 < end) {
            lanes_prefetch_manifolds(
                &job->contact[(k + 1) * LANES], job->manifold, sizeof(struct cn_manifold2));
        }
        planar_read_lanes(&job->contact[k * LANES], &blocks[k], &lane);
        planar_make(job, &blocks[k], &lane);
    }
}

/*
 * Writes the impulses back.  A row is written whole, so it contains the manifold's own separation.
 */
static void
planar_store(const struct cn_impulse_job *job, int first, int end)
{
    lanes_check_blocks(job, first, end);
    struct cn_manifold2 *manifolds = job->manifold;
    struct planar_block *blocks = job->block;
    for (int k = first; k < end; k++) {
        const struct planar_block *c = &blocks[k];
        for (int i = 0; i < 2; i++) {
            cn_wide state[4] = {wide_load(c->rub[i].separation), wide_load(c->point[i].impulse),
                wide_load(c->rub[i].impulse), wide_load(c->rub[i].total)};
            _Alignas(16) float nowhere[4];
            float *row[LANES];
            for (int lane = 0; lane < LANES; lane++) {
                int32_t m = c->manifold[lane];
                row[lane] = m < 0 ? nowhere : &manifolds[m].point[i].separation;
            }
            wide_rows_store(row, state);
        }
        for (int lane = 0; lane < LANES; lane++) {
            if (c->manifold[lane] >= 0) {
                manifolds[c->manifold[lane]].rolling_impulse = c->rolling_impulse[lane];
            }
        }
    }
}

#endif
