/*
 * bench_narrowphase_space.c: CPU time of one pair in space, by kinds, quick and exact.
 *
 * usage: bench_narrowphase_space [ROUNDS]
 *
 * 500 pairs of each kind: resting (2 mm in, as found along a random direction, or bricks in bond),
 * and apart by 5 cm.  From round to round they tremble by 0.2 mm; each round reads the manifolds of
 * the last, as a world does, or none (cold).  The figures are the least of the rounds, in ns; the
 * last columns are the points of a pair.  Nothing here passes or fails.
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tests/support/collide/fast_solids.h"

#define PAIR_COUNT 500
#define TREMBLE 2e-4
#define MARGIN 0.02

enum kind { SPHERES, CAPSULES, BRICKS, BOXES, HULLS, CAPSULE_BOX, BOX_HULL, KIND_COUNT };
static const char *const names[] = {"sphere, sphere", "capsule, capsule", "brick, brick",
    "box, box", "hull, hull", "capsule, box", "box, hull"};

static struct fast_solid solid[2 * PAIR_COUNT];
static cn_pose pose[2 * PAIR_COUNT];
static cn_vec3 turn[2 * PAIR_COUNT];
static struct cn_manifold3 manifold[2][PAIR_COUNT];

static double
now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* A hull has 20 corners on a ball. */
static void
make(struct fast_solid *s, enum kind kind, bool first, struct cn_rng *rng)
{
    if (kind == SPHERES) {
        test_solid_sphere(&s->exact, 0.5);
    } else if (kind == CAPSULES || (kind == CAPSULE_BOX && first)) {
        test_solid_capsule(&s->exact, 0.2, 0.6);
    } else if (kind == HULLS || (kind == BOX_HULL && !first)) {
        for (int i = 0; i < 20; i++) {
            cn_vec3 v = test_random_vector(rng, 1.0);
            s->exact.point[i] = cn_vec3_scale(v, 0.5 / cn_vec3_length(v));
        }
        (void)test_solid_hull(&s->exact, 20);
    } else {
        test_solid_box(&s->exact, 1.0, 1.0, 1.0);
    }
    fast_solid_bake(s);
}

/* Moves B along a direction until the two are `gap` apart. */
static void
approach(int i, double gap, struct cn_rng *rng)
{
    static struct cn_manifold m;
    cn_vec3 way = test_random_vector(rng, 1.0);
    way = cn_vec3_scale(way, 1.0 / cn_vec3_length(way));
    double near = 0.0, far = 3.0;
    for (int k = 0; k < 40; k++) {
        double middle = 0.5 * (near + far);
        pose[2 * i + 1].position = cn_vec3_add_scaled(pose[2 * i].position, middle, way);
        cn_collide(&solid[2 * i].exact.shape, &pose[2 * i], &solid[2 * i + 1].exact.shape,
            &pose[2 * i + 1], 0.1, &m);
        *(m.separation > gap ? &far : &near) = middle;
    }
}

static void
place(enum kind kind, double gap, struct cn_rng *rng)
{
    for (int i = 0; i < PAIR_COUNT; i++) {
        cn_vec3 origin = test_random_vector(rng, 50.0);
        for (int k = 2 * i; k < 2 * i + 2; k++) {
            make(&solid[k], kind, k % 2 == 0, rng);
            turn[k] = kind == BRICKS ? (cn_vec3){0, 1, 0} : test_random_vector(rng, 1.0);
            double angle = kind == BRICKS ? 0.0 : cn_rng_uniform(rng, -3.0, 3.0);
            pose[k] = test_solid_pose(origin, turn[k], angle);
        }
        if (kind == BRICKS) {
            pose[2 * i + 1].position =
                cn_vec3_add(origin, (cn_vec3){0.5 * (i % 2), 1.0 + gap, 0.0});
        } else {
            approach(i, gap, rng);
        }
    }
}

/* One round of all pairs; returns ns a pair. */
static double
collide(int round, bool warm, bool exact, const struct cn_place3 *places, int *points)
{
    static struct cn_manifold m;
    double start = now();
    *points = 0;
    for (int i = 0; i < PAIR_COUNT; i++) {
        const struct fast_solid *a = &solid[2 * i], *b = a + 1;
        struct cn_manifold3 *to = &manifold[round % 2][i];
        if (exact) {
            cn_collide(
                &a->exact.shape, &pose[2 * i], &b->exact.shape, &pose[2 * i + 1], MARGIN, &m);
            *points += m.contact_count;
        } else {
            cn_fast_spatial_collide(&a->fast, &places[2 * i], &b->fast, &places[2 * i + 1],
                (float)MARGIN, warm ? &manifold[(round + 1) % 2][i] : NULL, to);
            *points += to->point_count;
        }
    }
    return (now() - start) / PAIR_COUNT;
}

static double
measure(int rounds, bool warm, bool exact, double *points, struct cn_rng *rng)
{
    static struct cn_place3 places[2 * PAIR_COUNT];
    double best = HUGE_VAL;
    for (int round = 0; round < rounds; round++) {
        for (int k = 0; k < 2 * PAIR_COUNT; k++) {
            cn_pose moved = pose[k];
            moved.position = cn_vec3_add(moved.position, test_random_vector(rng, TREMBLE));
            places[k] = cn_place3_of(&moved);
        }
        int count;
        best = cn_min(best, collide(round, warm && round > 0, exact, places, &count));
        *points = (double)count / PAIR_COUNT;
    }
    return best;
}

int
main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 20;
    struct cn_rng rng = {3};
    printf("%-18s %8s %8s %8s %8s %8s  points\n", "ns a pair", "resting", "cold", "exact", "apart",
        "cold");
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        double points, exact_points, ns[5], none;
        place((enum kind)kind, -0.002, &rng);
        ns[0] = measure(rounds, true, false, &points, &rng);
        ns[1] = measure(rounds, false, false, &points, &rng);
        ns[2] = measure(3, false, true, &exact_points, &rng);
        place((enum kind)kind, 0.05, &rng);
        ns[3] = measure(rounds, true, false, &none, &rng);
        ns[4] = measure(rounds, false, false, &none, &rng);
        printf("%-18s %8.0f %8.0f %8.0f %8.0f %8.0f  %.2f, %.2f\n", names[kind], ns[0], ns[1],
            ns[2], ns[3], ns[4], points, exact_points);
    }
    return 0;
}
