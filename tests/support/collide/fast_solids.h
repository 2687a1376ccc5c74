/*
 * fast_solids.h: the shapes of solids.h for the fast narrowphase.  Include it after cmocka.h and
 * near.h.
 */
#ifndef TESTS_SUPPORT_COLLIDE_FAST_SOLIDS_H
#define TESTS_SUPPORT_COLLIDE_FAST_SOLIDS_H

#include "engine/collide/fast/fast_spatial.h"
#include "tests/support/collide/solids.h"
#include "tests/support/near.h"

#define FAST_STORE_SIZE 16384 /* bytes: of the largest hull */

/* A solid with its float copy; it must stay where it is. */
struct fast_solid {
    struct test_solid exact;
    struct cn_fast_shape3 fast;
    _Alignas(16) unsigned char store[FAST_STORE_SIZE];
};

static inline void
fast_solid_bake(struct fast_solid *solid)
{
    CN_ASSERT(cn_fast_spatial_room(&solid->exact.shape) <= FAST_STORE_SIZE);
    cn_fast_spatial_bake(&solid->exact.shape, NULL, solid->store, &solid->fast);
}

static inline void
fast_solid_collide(const struct fast_solid *a, const cn_pose *pose_a, const struct fast_solid *b,
    const cn_pose *pose_b, double margin, const struct cn_manifold3 *last, struct cn_manifold3 *m)
{
    struct cn_place3 place_a = cn_place3_of(pose_a), place_b = cn_place3_of(pose_b);
    cn_fast_spatial_collide(
        &a->fast, &place_a, &b->fast, &place_b, (float)margin, last, m);
}

/* The least separation of the points; HUGE_VAL without points. */
static inline double
fast_deepest(const struct cn_manifold3 *m)
{
    double deepest = HUGE_VAL;
    for (int i = 0; i < m->point_count; i++) {
        deepest = cn_min(deepest, (double)m->point[i].separation);
    }
    return deepest;
}

/*
 * Properties of every manifold: its normal has unit length, its features are distinct, and the two
 * anchors of a point are the same place.
 */
static inline bool
fast_is_sound(
    const struct cn_manifold3 *m, const cn_pose *pose_a, const cn_pose *pose_b, double margin)
{
    if (m->point_count < 0 || m->point_count > CN_POINTS_SPATIAL_MAX) {
        return false;
    }
    cn_vec3 between = cn_vec3_sub(pose_b->position, pose_a->position);
    double square = 0.0;
    for (int i = 0; i < 3; i++) {
        square += (double)m->normal[i] * (double)m->normal[i];
    }
    bool sound = m->point_count == 0 || fabs(square - 1.0) < 1e-5;
    for (int k = 0; k < m->point_count; k++) {
        const struct cn_point3 *p = &m->point[k];
        cn_vec3 a = {(double)p->anchor_a[0], (double)p->anchor_a[1], (double)p->anchor_a[2]};
        cn_vec3 b = {(double)p->anchor_b[0], (double)p->anchor_b[1], (double)p->anchor_b[2]};
        cn_vec3 off = cn_vec3_sub(a, cn_vec3_add(b, between));
        double size = 1.0 + cn_vec3_length(a) + cn_vec3_length(b);
        sound = sound && cn_vec3_length(off) <= 1e-6 * size && p->feature <= 0xffff;
        sound = sound && (double)p->separation <= margin && isfinite(p->separation);
        for (int i = 0; i < k; i++) {
            sound = sound && m->point[i].feature != p->feature;
        }
    }
    return sound;
}

#endif
