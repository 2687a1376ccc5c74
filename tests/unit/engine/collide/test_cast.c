/*
 * test_cast.c: rays, shape casts and overlaps: answers by hand, then any shapes against samples.
 */
#include "engine/collide/query/cast.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/support/collide/shapes.h"
#include "tests/support/collide/solids.h"
#include "tests/support/near.h"

#define MISS (-1.0)
#define NONE {0.0, 0.0, 0.0}

static cn_pose
unturned(double x, double y, double z)
{
    return (cn_pose){{x, y, z}, cn_mat33_diagonal(1.0, 1.0, 1.0)};
}

struct ray_case {
    cn_vec3 from, along;
    double fraction; /* MISS: none */
    cn_vec3 normal;  /* zeros: starts inside */
};

static void
check_rays(const struct cn_shape *shape, const cn_pose *pose, const struct ray_case *cases,
    size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct cn_cast_hit hit;
        const struct ray_case *c = &cases[i];
        bool met = cn_cast_ray(shape, pose, c->from, c->along, 1.0, &hit);
        if (met != (c->fraction != MISS)) {
            fail_msg("ray %zu: %s", i, met ? "met" : "missed");
        }
        if (met) {
            assert_near(hit.fraction, c->fraction, 1e-14);
            assert_near(hit.normal.x, c->normal.x, 1e-14);
            assert_near(hit.normal.y, c->normal.y, 1e-14);
            assert_near(hit.normal.z, c->normal.z, 1e-14);
            assert_int_equal(hit.is_inside, cn_vec3_length(c->normal) == 0.0);
            assert_near(hit.point.x, c->from.x + c->fraction * c->along.x, 1e-13);
        }
    }
}
#define CHECK_RAYS(what, pose, cases)                                                              \
    check_rays(&(what).shape, &(pose), cases, sizeof(cases) / sizeof((cases)[0]))

static void
test_rays_circle(void **state)
{
    (void)state;
    struct test_shape circle;
    test_shape_circle(&circle, 1.0);
    cn_pose pose = unturned(5.0, 0.0, 0.0);
    const struct ray_case cases[] = {
        {{0.0, 0.0, 0.0}, {8.0, 0.0, 0.0}, 0.5, {-1.0, 0.0, 0.0}},
        {{0.0, 0.0, 0.0}, {3.9, 0.0, 0.0}, MISS, NONE},           /* ends before it */
        {{0.0, 0.0, 0.0}, {-8.0, 0.0, 0.0}, MISS, NONE},          /* the other way */
        {{0.0, 1.0, 0.0}, {10.0, 0.0, 0.0}, 0.5, {0.0, 1.0, 0.0}}, /* grazes */
        {{0.0, 1.0 + 1e-9, 0.0}, {10.0, 0.0, 0.0}, MISS, NONE},
        {{5.2, 0.1, 0.0}, {10.0, 0.0, 0.0}, 0.0, NONE},           /* starts inside */
        {{4.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, 0.0, {-1.0, 0.0, 0.0}}, /* from its surface, inwards */
        {{4.0, 0.0, 0.0}, {-1.0, 0.0, 0.0}, MISS, NONE},          /* and outwards */
        {{4.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, MISS, NONE},           /* and along it */
        {{4.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, 0.0, NONE},            /* no length, on the surface */
        {{3.9, 0.0, 0.0}, {0.0, 0.0, 0.0}, MISS, NONE},
    };
    CHECK_RAYS(circle, pose, cases);
}

static void
test_rays_box(void **state)
{
    (void)state;
    struct test_shape box;
    test_shape_box(&box, 2.0, 2.0);
    cn_pose pose = unturned(5.0, 0.0, 0.0);
    const struct ray_case cases[] = {
        {{0.0, 0.5, 0.0}, {8.0, 0.0, 0.0}, 0.5, {-1.0, 0.0, 0.0}},
        {{5.0, 5.0, 0.0}, {0.0, -8.0, 0.0}, 0.5, {0.0, 1.0, 0.0}},
        {{0.0, 1.0, 0.0}, {8.0, 0.0, 0.0}, 0.5, {-1.0, 0.0, 0.0}}, /* along the upper side */
        {{0.0, 1.0 + 1e-12, 0.0}, {8.0, 0.0, 0.0}, MISS, NONE},
        {{2.0, 3.0, 0.0}, {4.0, -4.0, 0.0}, 0.5, {0.0, 1.0, 0.0}},     /* through the corner */
        {{2.0, -2.0, 0.0}, {4.0, 4.0, 0.0}, 0.5, {-1.0, 0.0, 0.0}},
        {{3.0, 0.0, 0.0}, {2.0, 2.0, 0.0}, 0.5, {-1.0, 0.0, 0.0}},    /* grazes the corner */
        {{4.5, 0.5, 0.0}, {1.0, 1.0, 0.0}, 0.0, NONE},
        {{4.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, 0.0, {-1.0, 0.0, 0.0}},
        {{4.0, 0.0, 0.0}, {-1.0, 0.0, 0.0}, MISS, NONE},
        {{4.0, 0.0, 0.0}, {0.0, 5.0, 0.0}, MISS, NONE},
        {{4.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, 0.0, NONE},
        {{3.9, 0.0, 0.0}, {0.0, 0.0, 0.0}, MISS, NONE},
    };
    CHECK_RAYS(box, pose, cases);
}

static void
test_rays_capsule_and_plane(void **state)
{
    (void)state;
    struct test_shape capsule, plane;
    test_shape_capsule(&capsule, 0.5, 2.0); /* along y */
    cn_pose pose = unturned(5.0, 0.0, 0.0);
    const struct ray_case cases[] = {
        {{0.0, 0.0, 0.0}, {9.0, 0.0, 0.0}, 0.5, {-1.0, 0.0, 0.0}},
        {{0.0, 1.3, 0.0}, {5.0, 0.0, 0.0}, 0.92, {-0.8, 0.6, 0.0}},
        {{5.0, 5.0, 0.0}, {0.0, -7.0, 0.0}, 0.5, {0.0, 1.0, 0.0}},
        {{5.5, 5.0, 0.0}, {0.0, -8.0, 0.0}, 0.5, {1.0, 0.0, 0.0}}, /* along its side */
        {{5.0, 1.2, 0.0}, {0.0, -8.0, 0.0}, 0.0, NONE},
        {{0.0, 1.6, 0.0}, {9.0, 0.0, 0.0}, MISS, NONE},
    };
    CHECK_RAYS(capsule, pose, cases);
    test_shape_plane(&plane, CN_PI / 2.0, 1.0);
    const struct ray_case on_plane[] = {
        {{3.0, 5.0, 0.0}, {4.0, -8.0, 0.0}, 0.5, {0.0, 1.0, 0.0}},
        {{3.0, 0.5, 0.0}, {0.0, 8.0, 0.0}, 0.0, NONE},
        {{3.0, 5.0, 0.0}, {4.0, 0.0, 0.0}, MISS, NONE},
        {{3.0, 5.0, 0.0}, {4.0, -1.0, 0.0}, MISS, NONE},
    };
    cn_pose own = unturned(0.0, 0.0, 0.0);
    CHECK_RAYS(plane, own, on_plane);
}

static void
test_rays_chain(void **state)
{
    (void)state;
    /*
     * A floor from right to left, so that its upper side is outside: flat, then a hollow half
     * circle of radius 1 about (-2, 0), then flat.
     */
    struct test_shape chain;
    chain.corner[0] = (cn_vec3){3.0, 0.0, 0.0};
    chain.corner[1] = (cn_vec3){-1.0, 0.0, -1.0};
    chain.corner[2] = (cn_vec3){-3.0, 0.0, 0.0};
    chain.corner[3] = (cn_vec3){-5.0, 0.0, 0.0};
    struct cn_shape_def def = {.kind = CN_SHAPE_CHAIN};
    def.boundary.points = chain.corner;
    def.boundary.point_count = 4;
    test_shape_bake(&chain, &def);
    cn_pose own = unturned(0.0, 0.0, 0.0);
    const struct ray_case cases[] = {
        {{1.0, 4.0, 0.0}, {0.0, -8.0, 0.0}, 0.5, {0.0, 1.0, 0.0}},
        {{1.0, -4.0, 0.0}, {0.0, 8.0, 0.0}, MISS, NONE}, /* from behind */
        {{-2.0, 4.0, 0.0}, {0.0, -10.0, 0.0}, 0.5, {0.0, 1.0, 0.0}},
        {{-2.6, 4.0, 0.0}, {0.0, -6.0, 0.0}, 0.8, {0.6, 0.8, 0.0}},
        {{-2.0, -4.0, 0.0}, {0.0, 8.0, 0.0}, MISS, NONE},
        {{-1.0, 4.0, 0.0}, {0.0, -8.0, 0.0}, 0.5, {0.0, 1.0, 0.0}}, /* where the two join */
        {{4.0, 4.0, 0.0}, {0.0, -8.0, 0.0}, MISS, NONE},             /* beyond its end */
    };
    CHECK_RAYS(chain, own, cases);

    /* A ball and a box that fall onto it, into the hollow, and rise from below. */
    struct test_shape ball, box;
    test_shape_circle(&ball, 0.5);
    test_shape_box(&box, 1.2, 0.2);
    const struct {
        const struct test_shape *moving;
        double x, y, down, fraction, normal_y;
    } casts[] = {
        {&ball, 1.0, 4.5, -8.0, 0.5, 1.0},
        {&ball, -2.0, 3.5, -8.0, 0.5, 1.0},
        {&box, 1.0, 4.1, -8.0, 0.5, 1.0},
        {&box, -2.0, 4.1, -8.0, 0.6, 0.8}, /* its corners stop 0.8 below the centre */
        {&ball, 1.0, -4.0, 8.0, MISS, 0.0},
        {&ball, -2.0, -4.0, 8.0, MISS, 0.0},
    };
    for (size_t i = 0; i < sizeof(casts) / sizeof(casts[0]); i++) {
        struct cn_convex moving;
        struct cn_cast_hit hit;
        cn_convex_of(&casts[i].moving->shape, &moving);
        cn_pose pose = unturned(casts[i].x, casts[i].y, 0.0);
        bool met = cn_cast_shape(&chain.shape, &own, &moving, &pose,
            (cn_vec3){0.0, casts[i].down, 0.0}, 1.0, &hit);
        assert_int_equal(met, casts[i].fraction != MISS);
        if (met) {
            assert_near(hit.fraction, casts[i].fraction, 1e-9);
            assert_near(hit.normal.y, casts[i].normal_y, 1e-9);
        }
    }
}

static void
test_rays_in_space(void **state)
{
    (void)state;
    struct test_solid box, rod, plane;
    test_solid_box(&box, 2.0, 2.0, 2.0);
    test_solid_capsule(&rod, 0.5, 2.0);
    test_solid_plane(&plane, (cn_vec3){0.0, 1.0, 0.0}, 0.0);
    cn_pose pose = unturned(0.0, 0.0, 5.0);
    const struct ray_case on_box[] = {
        {{0.3, 0.4, 0.0}, {0.0, 0.0, 8.0}, 0.5, {0.0, 0.0, -1.0}},
        {{0.3, 1.0, 0.0}, {0.0, 0.0, 8.0}, 0.5, {0.0, 0.0, -1.0}}, /* in the plane of a face */
        {{0.3, 1.1, 0.0}, {0.0, 0.0, 8.0}, MISS, NONE},
        {{0.3, 0.4, 5.0}, {0.0, 0.0, 8.0}, 0.0, NONE},
    };
    CHECK_RAYS(box, pose, on_box);
    const struct ray_case on_rod[] = {
        {{0.3, 0.0, 0.0}, {0.0, 0.0, 5.0}, 0.92, {0.6, 0.0, -0.8}},
        {{0.0, 1.3, 0.0}, {0.0, 0.0, 5.0}, 0.92, {0.0, 0.6, -0.8}},
        {{0.6, 0.0, 0.0}, {0.0, 0.0, 9.0}, MISS, NONE},
    };
    CHECK_RAYS(rod, pose, on_rod);
    cn_pose own = unturned(0.0, 0.0, 0.0);
    const struct ray_case on_plane[] = {
        {{1.0, 4.0, 2.0}, {1.0, -8.0, 2.0}, 0.5, {0.0, 1.0, 0.0}},
        {{1.0, 4.0, 2.0}, {1.0, 8.0, 2.0}, MISS, NONE},
        {{1.0, -1.0, 2.0}, {1.0, 8.0, 2.0}, 0.0, NONE},
    };
    CHECK_RAYS(plane, own, on_plane);
}

static void
test_shape_casts(void **state)
{
    (void)state;
    struct test_shape box, ball;
    test_shape_box(&box, 2.0, 2.0);
    test_shape_circle(&ball, 0.5);
    cn_pose pose = unturned(0.0, 0.0, 0.0);
    struct cn_convex moving;
    const struct {
        const struct test_shape *moving;
        double x, y, angle;
        cn_vec3 along;
        double fraction;
        cn_vec3 normal;
    } cases[] = {
        {&ball, -5.5, 0.3, 0.0, {8.0, 0.0, 0.0}, 0.5, {-1.0, 0.0, 0.0}},
        {&ball, -5.3, 1.4, 0.0, {8.0, 0.0, 0.0}, 0.5, {-0.6, 0.8, 0.0}}, /* over the corner */
        {&ball, -5.5, 1.6, 0.0, {8.0, 0.0, 0.0}, MISS, NONE},
        {&box, -6.0, 0.7, 0.0, {8.0, 0.0, 0.0}, 0.5, {-1.0, 0.0, 0.0}},
        {&box, -6.0, 3.0, 0.0, {8.0, 0.0, 0.0}, MISS, NONE},
        {&box, -2.0, 0.7, 0.0, {8.0, 0.0, 0.0}, 0.0, {-1.0, 0.0, 0.0}}, /* touches, goes in */
        {&box, -2.0, 0.7, 0.0, {-8.0, 0.0, 0.0}, MISS, NONE},            /* touches, parts */
        {&box, -2.0, 0.7, 0.0, {0.0, 8.0, 0.0}, MISS, NONE},             /* touches, slides */
        {&box, -1.0, 0.7, 0.0, {-8.0, 0.0, 0.0}, 0.0, NONE},             /* overlaps */
        {&box, -2.0, 0.7, 0.0, {0.0, 0.0, 0.0}, 0.0, NONE},
        {&box, -2.1, 0.7, 0.0, {0.0, 0.0, 0.0}, MISS, NONE},
        {&box, -1.0 - 5.41421356237309505, 0.0, CN_PI / 4.0, {8.0, 0.0, 0.0}, 0.5,
            {-1.0, 0.0, 0.0}}, /* corner on a side */
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        cn_convex_of(&cases[i].moving->shape, &moving);
        cn_pose start = test_pose(cases[i].x, cases[i].y, cases[i].angle);
        struct cn_cast_hit hit;
        bool met =
            cn_cast_shape(&box.shape, &pose, &moving, &start, cases[i].along, 1.0, &hit);
        if (met != (cases[i].fraction != MISS)) {
            fail_msg("cast %zu: %s", i, met ? "met" : "missed");
        }
        if (met) {
            assert_near(hit.fraction, cases[i].fraction, 1e-9);
            assert_near(hit.normal.x, cases[i].normal.x, 1e-9);
            assert_near(hit.normal.y, cases[i].normal.y, 1e-9);
        }
    }
}

static void
test_touching_cubes(void **state)
{
    (void)state;
    struct test_solid cube, plane;
    struct cn_convex moving;
    struct cn_cast_hit hit;
    test_solid_box(&cube, 1.0, 1.0, 1.0);
    test_solid_plane(&plane, (cn_vec3){0.0, 1.0, 0.0}, 0.5);
    cn_convex_of(&cube.shape, &moving);
    cn_pose low = unturned(3.0, 0.0, 1.0), high = unturned(3.2, 1.0, 1.1);
    const struct cn_shape *floors[] = {&cube.shape, &plane.shape};
    for (int i = 0; i < 2; i++) {
        cn_pose floor = i == 0 ? low : unturned(0.0, 0.0, 0.0);
        assert_true(cn_overlap(floors[i], &floor, &moving, &high));
        assert_true(cn_cast_shape(
            floors[i], &floor, &moving, &high, (cn_vec3){0.0, -1.0, 0.0}, 1.0, &hit));
        assert_false(hit.is_inside);
        assert_near(hit.normal.y, 1.0, 1e-14);
        assert_near(hit.fraction, 0.0, 1e-14);
        assert_false(cn_cast_shape(
            floors[i], &floor, &moving, &high, (cn_vec3){1.0, 0.0, 0.0}, 1.0, &hit));
        cn_pose sunk = high;
        sunk.position.y -= 1e-3;
        assert_true(cn_cast_shape(
            floors[i], &floor, &moving, &sunk, (cn_vec3){0.0, 1.0, 0.0}, 1.0, &hit));
        assert_true(hit.is_inside);
        sunk.position.y += 2e-3;
        assert_false(cn_overlap(floors[i], &floor, &moving, &sunk));
    }
}

/* ---- any shapes, against samples along the way ---- */

#define SAMPLES 300

static void
make_flat(struct test_shape *shape, struct cn_rng *rng)
{
    unsigned bits = cn_rng_next(rng), more = cn_rng_next(rng);
    double size = cn_rng_uniform(rng, 0.3, 1.5);
    switch (bits % 6) {
    case 0:
        test_shape_circle(shape, 0.5 * size);
        return;
    case 1:
        test_shape_capsule(shape, 0.3 * size, size);
        return;
    case 2:
        test_shape_box(shape, size, cn_rng_uniform(rng, 0.05, 1.0));
        return;
    case 3:
        test_shape_polygon(shape, size, 0.5, bits >> 8);
        return;
    default:
        while (!test_shape_star(shape, 3 + (int)(bits % 5), bits >> 4, more)) {
            bits = cn_rng_next(rng);
            more = cn_rng_next(rng);
        }
    }
}

static void
make_solid(struct test_solid *solid, struct cn_rng *rng)
{
    double size = cn_rng_uniform(rng, 0.3, 1.5);
    switch (cn_rng_next(rng) % 4) {
    case 0:
        test_solid_sphere(solid, 0.5 * size);
        return;
    case 1:
        test_solid_capsule(solid, 0.3 * size, size);
        return;
    case 2:
        test_solid_box(solid, size, cn_rng_uniform(rng, 0.05, 1.0), 0.7);
        return;
    default:
        test_solid_prism(solid, 3 + (int)(cn_rng_next(rng) % 9), 0.5 * size, size);
        return;
    }
}

struct sampled {
    const struct cn_shape *shape;
    cn_pose pose;
    const struct cn_convex *moving;
    cn_pose start;
    cn_vec3 along;
};

static bool
overlaps_at(const struct sampled *s, double t, double grow)
{
    cn_pose pose = s->start;
    struct cn_convex moving = *s->moving;
    pose.position = cn_vec3_add_scaled(pose.position, t, s->along);
    moving.radius += grow;
    return cn_overlap(s->shape, &s->pose, &moving, &pose);
}

/*
 * The shapes do not overlap before the hit.  At the hit they overlap or are at most 1e-8 apart.
 * On a miss they never overlap.
 */
static void
check_samples(const struct sampled *s, bool met, const struct cn_cast_hit *hit, int *hits)
{
    double end = met ? hit->fraction : 1.0;
    for (int i = 0; i <= SAMPLES; i++) {
        double t = (double)i / SAMPLES;
        if (t < end - 1e-7 && overlaps_at(s, t, 0.0)) {
            fail_msg("overlaps at %.9f, %s at %.9f", t, met ? "met" : "missed", end);
        }
    }
    if (met) {
        assert_true(overlaps_at(s, hit->fraction, 1e-8));
        *hits += 1;
        if (!hit->is_inside) {
            assert_near(cn_vec3_length(hit->normal), 1.0, 1e-12);
            assert_true(cn_vec3_dot(hit->normal, s->along) <= 1e-9);
        }
    }
}

static void
random_way(struct cn_rng *rng, bool planar, struct sampled *s)
{
    cn_vec3 to = test_random_vector(rng, 1.0), axis = test_random_vector(rng, 1.0);
    double angle = cn_rng_uniform(rng, -3.0, 3.0);
    s->start.position = test_random_vector(rng, 3.0);
    if (planar) {
        to.z = s->start.position.z = 0.0;
        axis = (cn_vec3){0.0, 0.0, 1.0};
    }
    s->start = test_solid_pose(s->start.position, axis, angle);
    s->along = cn_vec3_scale(cn_vec3_sub(to, s->start.position), cn_rng_uniform(rng, 0.5, 2.0));
    s->pose = test_solid_pose((cn_vec3){0.1, 0.2, 0.0}, axis, 2.0 * angle);
}

static void
test_any_flat(void **state)
{
    (void)state;
    struct cn_rng rng = {11};
    static struct test_shape shape, other;
    int hits = 0;
    for (int trial = 0; trial < 1500; trial++) {
        struct sampled s = {.shape = &shape.shape};
        struct cn_convex moving;
        struct cn_cast_hit hit;
        make_flat(&shape, &rng);
        random_way(&rng, true, &s);
        bool ray = trial % 3 == 0;
        do {
            make_flat(&other, &rng);
        } while (!cn_convex_of(&other.shape, &moving));
        const cn_vec2 dot = {0.0, 0.0};
        moving = ray ? (struct cn_convex){.vertex_count = 1, .flat = &dot} : moving;
        s.moving = &moving;
        bool met = ray ? cn_cast_ray(s.shape, &s.pose, s.start.position, s.along, 1.0, &hit)
                       : cn_cast_shape(
                             s.shape, &s.pose, &moving, &s.start, s.along, 1.0, &hit);
        check_samples(&s, met, &hit, &hits);
    }
    assert_in_range(hits, 500, 1450);
}

static void
test_any_solid(void **state)
{
    (void)state;
    struct cn_rng rng = {12};
    static struct test_solid shape, other;
    int hits = 0;
    for (int trial = 0; trial < 1000; trial++) {
        struct sampled s = {.shape = &shape.shape};
        struct cn_convex moving;
        struct cn_cast_hit hit;
        make_solid(&shape, &rng);
        make_solid(&other, &rng);
        random_way(&rng, false, &s);
        cn_convex_of(&other.shape, &moving);
        bool ray = trial % 3 == 0;
        const cn_vec3 dot = {0.0, 0.0, 0.0};
        moving = ray ? (struct cn_convex){.vertex_count = 1, .solid = &dot} : moving;
        s.moving = &moving;
        bool met = ray ? cn_cast_ray(s.shape, &s.pose, s.start.position, s.along, 1.0, &hit)
                       : cn_cast_shape(
                             s.shape, &s.pose, &moving, &s.start, s.along, 1.0, &hit);
        check_samples(&s, met, &hit, &hits);
    }
    assert_in_range(hits, 300, 950);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rays_circle),
        cmocka_unit_test(test_rays_box),
        cmocka_unit_test(test_rays_capsule_and_plane),
        cmocka_unit_test(test_rays_chain),
        cmocka_unit_test(test_rays_in_space),
        cmocka_unit_test(test_shape_casts),
        cmocka_unit_test(test_touching_cubes),
        cmocka_unit_test(test_any_flat),
        cmocka_unit_test(test_any_solid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
