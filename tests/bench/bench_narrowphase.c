/*
 * bench_narrowphase.c: CPU time of one pair in the plane, quick and exact, by kinds.
 *
 * usage: bench_narrowphase [ROUNDS [KERNEL [KIND]]]
 *
 * 1024 pairs of each kind: resting (turned by up to a milliradian, 0.5 mm in), tumbling (any angle,
 * near each other, most of them touch) and apart (boxes overlap, shapes do not).  Each round reads
 * the manifolds of the last, as a world does.  The figures are the least of the rounds, in ns; the
 * last column is the share of pairs that touch.  Nothing here passes or fails.
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include "engine/collide/fast/fast_planar.h"

#include "engine/base/rng.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/support/collide/flat.h"

#define PAIR_COUNT 1024
#define MARGIN 0.02f

static struct flat_body body[2 * PAIR_COUNT]; /* input of the exact narrowphase */
static struct cn_fast_shape2 piece[2 * PAIR_COUNT];
static struct cn_fast_placed2 placed[2 * PAIR_COUNT];
static struct cn_manifold2 manifold[2][PAIR_COUNT];
static struct cn_fast_task2 task[2][PAIR_COUNT];
static const struct cn_fast_kernel2 *kernel;

enum placing { RESTING, TUMBLING, APART, PLACING_COUNT };
static const char *const placing_name[] = {"resting", "tumbling", "apart"};

struct kind {
    const char *name;
    void (*make_a)(struct test_shape *shape);
    void (*make_b)(struct test_shape *shape);
    double height_a, height_b; /* of the upper and lower side from the middle */
};

static void
make_disc(struct test_shape *shape)
{
    test_shape_circle(shape, 0.5);
}

static void
make_capsule(struct test_shape *shape)
{
    test_shape_capsule(shape, 0.25, 1.0);
}

static void
make_box(struct test_shape *shape)
{
    test_shape_box(shape, 1.0, 1.0);
}

static void
make_hexagon(struct test_shape *shape)
{
    test_shape_regular(shape, 0.5, 6, 0.0);
}

static void
make_octagon(struct test_shape *shape)
{
    test_shape_regular(shape, 0.5, 8, CN_PI / 8.0);
}

static void
make_plane(struct test_shape *shape)
{
    test_shape_plane(shape, 0.5 * CN_PI, 0.0);
}

static const struct kind kinds[] = {
    {"disc, disc", make_disc, make_disc, 0.5, 0.5},
    {"capsule, disc", make_capsule, make_disc, 0.75, 0.5},
    {"box, disc", make_box, make_disc, 0.5, 0.5},
    {"hexagon, disc", make_hexagon, make_disc, 0.433, 0.5},
    {"capsule, capsule", make_capsule, make_capsule, 0.75, 0.75},
    {"box, capsule", make_box, make_capsule, 0.5, 0.75},
    {"box, box", make_box, make_box, 0.5, 0.5},
    {"box, hexagon", make_box, make_hexagon, 0.5, 0.433},
    {"octagon, octagon", make_octagon, make_octagon, 0.4619, 0.4619},
    {"plane, box", make_plane, make_box, 0.0, 0.5},
    {"plane, octagon", make_plane, make_octagon, 0.0, 0.4619},
};

static void
place(const struct kind *kind, enum placing placing)
{
    struct cn_rng rng = {7};
    for (int i = 0; i < PAIR_COUNT; i++) {
        struct flat_body *a = &body[2 * i], *b = a + 1;
        kind->make_a(&a->shape);
        kind->make_b(&b->shape);
        double x = cn_rng_uniform(&rng, -50.0, 50.0), y = cn_rng_uniform(&rng, 0.0, 50.0);
        double first = cn_rng_uniform(&rng, -1.0, 1.0), second = cn_rng_uniform(&rng, -1.0, 1.0);
        double third = cn_rng_uniform(&rng, -1.0, 1.0);
        bool is_plane = kind->make_a == make_plane;
        double height = kind->height_a + kind->height_b;
        if (placing == RESTING) {
            flat_put(a, x, y, is_plane ? 0.0 : 1e-3 * first);
            flat_put(b, x + 0.4 * third, y + height - 5e-4, 1e-3 * second);
        } else {
            height = is_plane ? kind->height_b : 0.9 * height;
            double r = placing == APART ? 1.5 * height + 0.1 : height;
            flat_put(a, x, y, is_plane ? 0.0 : 3.0 * first);
            flat_put(b, x + 0.1 * third, y + r, 3.0 * second);
        }
        for (int k = 0; k < 2; k++) {
            task[k][i] = (struct cn_fast_task2){
                &placed[2 * i], &placed[2 * i + 1], &manifold[k][i], &manifold[1 - k][i]};
            piece[2 * i + k] = body[2 * i + k].fast;
            cn_fast_planar_place(&piece[2 * i + k], &body[2 * i + k].place, &placed[2 * i + k]);
        }
    }
}

static double
now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static int
collide_quick(int round)
{
    int touching = 0;
    cn_fast_planar_meet_many(kernel, task[round % 2], PAIR_COUNT, MARGIN);
    for (int i = 0; i < PAIR_COUNT; i++) {
        touching += manifold[1 - round % 2][i].point_count > 0 ? 1 : 0;
    }
    return touching;
}

static int
collide_exact(int round)
{
    (void)round;
    int touching = 0;
    static struct cn_manifold exact;
    for (int i = 0; i < PAIR_COUNT; i++) {
        const struct flat_body *a = &body[2 * i], *b = a + 1;
        exact.contact_count = 0;
        cn_collide(&a->shape.shape, &a->pose, &b->shape.shape, &b->pose, (double)MARGIN, &exact);
        touching += exact.contact_count > 0 ? 1 : 0;
    }
    return touching;
}

static double
least_ns(int (*collide)(int round), int round_count, int *touching)
{
    double least = 1e30;
    for (int round = 0; round < round_count; round++) {
        double start = now_ns();
        *touching = collide(round);
        least = fmin(least, now_ns() - start);
    }
    return least / PAIR_COUNT;
}

int
main(int argc, char **argv)
{
    int round_count = argc > 1 ? atoi(argv[1]) : 200;
    kernel = cn_fast_planar_kernel(argc > 2 ? argv[2] : "plain");
    if (kernel == NULL) {
        fprintf(stderr, "bench_narrowphase: no such kernel here\n");
        return 1;
    }
    printf("%-18s %-9s %8s %8s %8s\n", "pair", "", "quick", "exact", "touch");
    for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
        for (int placing = 0; placing < PLACING_COUNT; placing++) {
            if (argc > 3 && strcmp(argv[3], kinds[k].name) != 0) {
                continue;
            }
            int touching = 0, unused;
            place(&kinds[k], (enum placing)placing);
            double quick = least_ns(collide_quick, round_count, &touching);
            double exact = least_ns(collide_exact, round_count / 10 + 1, &unused);
            printf("%-18s %-9s %8.1f %8.1f %7.0f%%\n", kinds[k].name, placing_name[placing], quick,
                exact, 100.0 * touching / PAIR_COUNT);
        }
    }
    return 0;
}
