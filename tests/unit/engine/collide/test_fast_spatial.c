/* test_fast_spatial.c: quick manifolds of space whose answers are known by hand. */
#include "engine/collide/fast/fast_spatial_pair.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/support/collide/fast_solids.h"

#define MARGIN 0.02

static const cn_vec3 Y = {0.0, 1.0, 0.0}, Z = {0.0, 0.0, 1.0};

static cn_pose
at(double x, double y, double z)
{
    return test_solid_pose((cn_vec3){x, y, z}, Y, 0.0);
}

static void
make_box(struct fast_solid *solid, double x, double y, double z)
{
    test_solid_box(&solid->exact, x, y, z);
    fast_solid_bake(solid);
}

static void
make_sphere(struct fast_solid *solid, double radius)
{
    test_solid_sphere(&solid->exact, radius);
    fast_solid_bake(solid);
}

static void
make_capsule(struct fast_solid *solid, double radius, double length)
{
    test_solid_capsule(&solid->exact, radius, length);
    fast_solid_bake(solid);
}

static void
make_plane(struct fast_solid *solid, double offset)
{
    test_solid_plane(&solid->exact, Y, offset);
    fast_solid_bake(solid);
}

static void
collide(const struct fast_solid *a, cn_pose pose_a, const struct fast_solid *b, cn_pose pose_b,
    struct cn_manifold3 *m)
{
    fast_solid_collide(a, &pose_a, b, &pose_b, MARGIN, NULL, m);
    assert_true(fast_is_sound(m, &pose_a, &pose_b, MARGIN));
}

static void
assert_normal(const struct cn_manifold3 *m, double x, double y, double z)
{
    assert_near((double)m->normal[0], x, 1e-6);
    assert_near((double)m->normal[1], y, 1e-6);
    assert_near((double)m->normal[2], z, 1e-6);
}

/* Of all points. */
static void
assert_separation(const struct cn_manifold3 *m, double separation)
{
    for (int i = 0; i < m->point_count; i++) {
        assert_near((double)m->point[i].separation, separation, 1e-6);
    }
}

static bool
has_point(const struct cn_manifold3 *m, double x, double y, double z)
{
    for (int i = 0; i < m->point_count; i++) {
        const float *a = m->point[i].anchor_a;
        if (fabs((double)a[0] - x) + fabs((double)a[1] - y) + fabs((double)a[2] - z) < 1e-5) {
            return true;
        }
    }
    return false;
}

static void
test_spheres(void **state)
{
    (void)state;
    static struct fast_solid big, small;
    struct cn_manifold3 m;
    make_sphere(&big, 0.5);
    make_sphere(&small, 0.25);
    collide(&big, at(1000.0, 0, 0), &small, at(1000.0, 0.74, 0), &m);
    assert_int_equal(m.point_count, 1);
    assert_normal(&m, 0, 1, 0);
    assert_separation(&m, -0.01);
    assert_true(has_point(&m, 0, 0.495, 0));
    collide(&big, at(0, 0, 0), &small, at(0.769, 0, 0), &m);
    assert_int_equal(m.point_count, 1);
    collide(&big, at(0, 0, 0), &small, at(0.771, 0, 0), &m);
    assert_int_equal(m.point_count, 0);
    collide(&big, at(0, 0, 0), &small, at(0, 0, 0), &m);
    assert_int_equal(m.point_count, 1);
    assert_separation(&m, -0.75);
}

static void
test_capsules(void **state)
{
    (void)state;
    static struct fast_solid capsule, sphere;
    struct cn_manifold3 m;
    make_capsule(&capsule, 0.1, 1.0); /* along y */
    make_sphere(&sphere, 0.1);
    collide(&capsule, at(0, 0, 0), &sphere, at(0.2, 0.3, 0), &m);
    assert_normal(&m, 1, 0, 0);
    assert_separation(&m, 0.0);
    assert_true(has_point(&m, 0.1, 0.3, 0));
    /* Side by side, B higher by 0.4: they overlap from -0.1 to 0.5. */
    collide(&capsule, at(0, 0, 0), &capsule, at(0.19, 0.4, 0), &m);
    assert_int_equal(m.point_count, 2);
    assert_normal(&m, 1, 0, 0);
    assert_separation(&m, -0.01);
    assert_true(has_point(&m, 0.095, -0.1, 0) && has_point(&m, 0.095, 0.5, 0));
    /* Crossed. */
    cn_pose across = test_solid_pose((cn_vec3){0, 0, 0.21}, (cn_vec3){0, 0, 1}, 0.5 * CN_PI);
    collide(&capsule, at(0, 0, 0), &capsule, across, &m);
    assert_int_equal(m.point_count, 1);
    assert_normal(&m, 0, 0, 1);
    assert_separation(&m, 0.01);
    assert_true(has_point(&m, 0, 0, 0.105));
    /* They cross at their middles, so they part along the product of their axes. */
    across.position.z = 0.0;
    collide(&capsule, at(0, 0, 0), &capsule, across, &m);
    assert_int_equal(m.point_count, 1);
    assert_near(fabs((double)m.normal[2]), 1.0, 1e-6);
    assert_separation(&m, -0.2);
}

static void
test_sphere_on_box(void **state)
{
    (void)state;
    static struct fast_solid box, sphere;
    struct cn_manifold3 m;
    make_box(&box, 2.0, 1.0, 2.0);
    make_sphere(&sphere, 0.5);
    collide(&box, at(0, 0, 0), &sphere, at(0.3, 0.99, 0.2), &m);
    assert_normal(&m, 0, 1, 0);
    assert_separation(&m, -0.01);
    assert_true(has_point(&m, 0.3, 0.495, 0.2));
    /* Above an edge, along (0.6, 0.8). */
    collide(&box, at(0, 0, 0), &sphere, at(1.0 + 0.3, 0.5 + 0.4, 0), &m);
    assert_normal(&m, 0.6, 0.8, 0);
    assert_separation(&m, 0.0);
    /* Its centre within: out by the top, which is nearest. */
    collide(&sphere, at(0.1, 0.4, 0), &box, at(0, 0, 0), &m);
    assert_normal(&m, 0, -1, 0);
    assert_separation(&m, -0.6);
}

static void
test_capsule_on_box(void **state)
{
    (void)state;
    static struct fast_solid box, capsule;
    struct cn_manifold3 m;
    make_box(&box, 2.0, 1.0, 2.0);
    make_capsule(&capsule, 0.1, 1.0);
    cn_pose lying = test_solid_pose((cn_vec3){0.8, 0.59, 0.3}, Z, 0.5 * CN_PI);
    collide(&box, at(0, 0, 0), &capsule, lying, &m);
    assert_int_equal(m.point_count, 2);
    assert_normal(&m, 0, 1, 0);
    assert_separation(&m, -0.01);
    assert_true(has_point(&m, 0.3, 0.495, 0.3));
    /* The other end is beyond the box: cut at its border, up to the tie. */
    assert_near((double)fmaxf(m.point[0].anchor_a[0], m.point[1].anchor_a[0]), 1.0, 0.006);
    /* Standing. */
    collide(&box, at(0, 0, 0), &capsule, at(0.2, 1.1, 0), &m);
    assert_int_equal(m.point_count, 1);
    assert_normal(&m, 0, 1, 0);
    assert_separation(&m, 0.0);
    /* Across the upper edge at x = 1, leaning against it at 45 degrees. */
    cn_pose leaning = test_solid_pose((cn_vec3){1.0 + 0.05, 0.5 + 0.05, 0}, Z, 0.25 * CN_PI);
    collide(&box, at(0, 0, 0), &capsule, leaning, &m);
    assert_int_equal(m.point_count, 1);
    assert_normal(&m, sqrt(0.5), sqrt(0.5), 0);
    assert_separation(&m, 0.05 * sqrt(2.0) - 0.1);
    /* Its axis goes through the top face, so it parts upwards, and its deepest end counts. */
    collide(&capsule, at(0.2, 0.9, 0), &box, at(0, 0, 0), &m);
    assert_normal(&m, 0, -1, 0);
    assert_near(fast_deepest(&m), -0.2, 1e-6);
}

static void
test_half_space(void **state)
{
    (void)state;
    static struct fast_solid plane, box, sphere, capsule;
    struct cn_manifold3 m;
    make_plane(&plane, 2.0);
    make_box(&box, 1.0, 1.0, 1.0);
    make_sphere(&sphere, 0.5);
    make_capsule(&capsule, 0.1, 1.0);
    /* At 3 km along the plane the height is still exact to a micrometre. */
    collide(&plane, at(0, 0, 0), &box, at(3000.3, 2.499, -2000.7), &m);
    assert_int_equal(m.point_count, 4);
    assert_normal(&m, 0, 1, 0);
    assert_separation(&m, -0.001);
    collide(&sphere, at(3000.3, 2.499, -2000.7), &plane, at(0, 0, 0), &m);
    assert_int_equal(m.point_count, 1);
    assert_normal(&m, 0, -1, 0);
    assert_separation(&m, -0.001);
    assert_true(has_point(&m, 0, -0.4995, 0));
    collide(&plane, at(0, 0, 0), &capsule,
        test_solid_pose((cn_vec3){0, 2.11, 0}, Z, 0.5 * CN_PI), &m);
    assert_int_equal(m.point_count, 2);
    assert_separation(&m, 0.01);
    collide(&plane, at(0, 0, 0), &box, at(0, 2.521, 0), &m);
    assert_int_equal(m.point_count, 0);
    /* Seven corners below the surface: the deepest, and three that are far apart. */
    cn_pose tipped = test_solid_pose((cn_vec3){0, 1.5, 0}, (cn_vec3){1, 0, -1}, 0.9);
    collide(&plane, at(0, 0, 0), &box, tipped, &m);
    assert_int_equal(m.point_count, 4);
    assert_near(fast_deepest(&m), -0.5 - 0.5 * (sqrt(2.0) * 0.7833269096 + 0.6216099683), 1e-6);
}

/* Half of B's face lies on A's: four points at the ends of the common strip. */
static void
test_box_on_box(void **state)
{
    (void)state;
    static struct fast_solid box;
    struct cn_manifold3 m;
    make_box(&box, 1.0, 1.0, 1.0);
    collide(&box, at(0, 0, 0), &box, at(0.5, 0.99, 0), &m);
    assert_int_equal(m.point_count, 4);
    assert_normal(&m, 0, 1, 0);
    assert_separation(&m, -0.01);
    assert_true(has_point(&m, 0, 0.495, 0.5) && has_point(&m, 0, 0.495, -0.5));
    assert_true(has_point(&m, 0.5, 0.495, 0.5) && has_point(&m, 0.5, 0.495, -0.5));
    /* Turned by 45 degrees the common face is an octagon: four of its corners, well apart. */
    collide(&box, at(0, 0, 0), &box, test_solid_pose((cn_vec3){0, 1.01, 0}, Y, 0.25 * CN_PI), &m);
    assert_int_equal(m.point_count, 4);
    assert_separation(&m, 0.01);
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < i; k++) {
            const float *p = m.point[i].anchor_a, *q = m.point[k].anchor_a;
            double x = (double)p[0] - (double)q[0], z = (double)p[2] - (double)q[2];
            assert_true(sqrt(x * x + z * z) > 0.4);
        }
    }
    /* A small one in the middle of a large one keeps its own corners. */
    static struct fast_solid floor;
    make_box(&floor, 100.0, 1.0, 100.0);
    collide(&floor, at(0, 0, 0), &box, at(40.0, 1.005, -3.0), &m);
    assert_int_equal(m.point_count, 4);
    assert_separation(&m, 0.005);
    assert_true(has_point(&m, 40.5, 0.5025, -3.5));
    collide(&box, at(40.0, 1.021, -3.0), &floor, at(0, 0, 0), &m);
    assert_int_equal(m.point_count, 0);
}

static void
test_box_edges(void **state)
{
    (void)state;
    static struct fast_solid box;
    struct cn_manifold3 m;
    make_box(&box, 1.0, 1.0, 1.0);
    /* A stands on an edge along x, B above it on an edge along z. */
    double up = sqrt(0.5);
    cn_pose below = test_solid_pose((cn_vec3){0, 0, 0}, (cn_vec3){1, 0, 0}, 0.25 * CN_PI);
    cn_pose above = test_solid_pose((cn_vec3){0.2, 2.0 * up - 0.01, 0.3}, Z, 0.25 * CN_PI);
    collide(&box, below, &box, above, &m);
    assert_int_equal(m.point_count, 1);
    assert_normal(&m, 0, 1, 0);
    assert_separation(&m, -0.01);
    assert_true(has_point(&m, 0.2, up - 0.005, 0));
    /* A corner above a face. */
    cn_pose corner = test_solid_pose((cn_vec3){0.1, 0.5 + 0.5 * sqrt(3.0) - 0.01, 0.1},
        (cn_vec3){1, 0, -1}, acos(sqrt(1.0 / 3.0)));
    collide(&box, at(0, 0, 0), &box, corner, &m);
    assert_true(m.point_count >= 1);
    assert_normal(&m, 0, 1, 0);
    assert_near(fast_deepest(&m), -0.01, 1e-6);
}

/* A cube given by its corners is a box. */
static void
test_cube_as_hull(void **state)
{
    (void)state;
    static struct fast_solid cube, box;
    make_box(&box, 1.0, 1.0, 1.0);
    for (int i = 0; i < 8; i++) {
        cube.exact.point[i] =
            (cn_vec3){i & 1 ? 0.5 : -0.5, i & 2 ? 0.5 : -0.5, i & 4 ? 0.5 : -0.5};
    }
    assert_true(test_solid_hull(&cube.exact, 8));
    fast_solid_bake(&cube);
    const struct fast_solid *pair[3][2] = {{&cube, &cube}, {&cube, &box}, {&box, &cube}};
    for (int i = 0; i < 3; i++) {
        struct cn_manifold3 m;
        collide(pair[i][0], at(0, 0, 0), pair[i][1], at(0.5, 0.99, 0), &m);
        assert_int_equal(m.point_count, 4);
        assert_normal(&m, 0, 1, 0);
        assert_separation(&m, -0.01);
        assert_true(has_point(&m, 0, 0.495, 0.5) && has_point(&m, 0, 0.495, -0.5));
        assert_true(has_point(&m, 0.5, 0.495, 0.5) && has_point(&m, 0.5, 0.495, -0.5));
        /* Edge upon edge. */
        double up = sqrt(0.5);
        cn_pose below = test_solid_pose((cn_vec3){0, 0, 0}, (cn_vec3){1, 0, 0}, 0.25 * CN_PI);
        cn_pose above = test_solid_pose((cn_vec3){0.2, 2.0 * up - 0.01, 0.3}, Z, 0.25 * CN_PI);
        collide(pair[i][0], below, pair[i][1], above, &m);
        assert_int_equal(m.point_count, 1);
        assert_normal(&m, 0, 1, 0);
        assert_separation(&m, -0.01);
        assert_true(has_point(&m, 0.2, up - 0.005, 0));
    }
}

/* A tetrahedron on a floor of any kind has its three lower corners as points. */
static void
test_tetrahedron(void **state)
{
    (void)state;
    static struct fast_solid tetrahedron, floor, plane, sphere, capsule;
    struct cn_manifold3 m;
    tetrahedron.exact.point[0] = (cn_vec3){0.0, 0.0, 0.0};
    tetrahedron.exact.point[1] = (cn_vec3){1.0, 0.0, 0.0};
    tetrahedron.exact.point[2] = (cn_vec3){0.0, 0.0, 1.0};
    tetrahedron.exact.point[3] = (cn_vec3){0.0, 1.0, 0.0};
    assert_true(test_solid_hull(&tetrahedron.exact, 4));
    fast_solid_bake(&tetrahedron);
    make_box(&floor, 10.0, 1.0, 10.0);
    make_plane(&plane, 0.5);
    /* The centre of mass is a quarter above. */
    for (int i = 0; i < 2; i++) {
        collide(i == 0 ? &floor : &plane, at(0, 0, 0), &tetrahedron, at(0.25, 0.755, 0.25), &m);
        assert_int_equal(m.point_count, 3);
        assert_normal(&m, 0, 1, 0);
        assert_separation(&m, 0.005);
        assert_true(has_point(&m, 0, 0.5025, 0) && has_point(&m, 1, 0.5025, 0) &&
                    has_point(&m, 0, 0.5025, 1));
    }
    /* The slope's normal is (1, 1, 1) / sqrt(3), and (1, 1, 1) / 3 is on it. */
    double third = sqrt(1.0 / 3.0);
    make_sphere(&sphere, 0.2);
    cn_vec3 above = cn_vec3_scale((cn_vec3){1, 1, 1}, 1.0 / 3.0 + 0.19 * third);
    collide(&tetrahedron, at(0.25, 0.25, 0.25), &sphere, at(above.x, above.y, above.z), &m);
    assert_int_equal(m.point_count, 1);
    assert_normal(&m, third, third, third);
    assert_separation(&m, -0.01);
    /* A capsule lies on the slope along (1, -1, 0). */
    make_capsule(&capsule, 0.2, 0.2);
    cn_pose lying = test_solid_pose(above, Z, -0.75 * CN_PI);
    collide(&tetrahedron, at(0.25, 0.25, 0.25), &capsule, lying, &m);
    assert_int_equal(m.point_count, 2);
    assert_normal(&m, third, third, third);
    assert_separation(&m, -0.01);
    /* Outside of the edge from (1, 0, 0) to (0, 0, 0): the normal is between down and back. */
    collide(&tetrahedron, at(0.25, 0.25, 0.25), &sphere, at(0.4, -0.12, -0.16), &m);
    assert_int_equal(m.point_count, 1);
    assert_normal(&m, 0, -0.6, -0.8);
    assert_separation(&m, 0.0);
    /* Its centre within, nearest to the bottom. */
    collide(&tetrahedron, at(0.25, 0.25, 0.25), &sphere, at(0.3, 0.05, 0.3), &m);
    assert_normal(&m, 0, -1, 0);
    assert_separation(&m, -0.25);
}

/* Two equal shapes can share one float hull. */
static void
test_alike(void **state)
{
    (void)state;
    static struct fast_solid one, two, other;
    struct fast_solid *all[3] = {&one, &two, &other};
    for (int k = 0; k < 3; k++) {
        test_solid_prism(&all[k]->exact, 6, 0.5, k < 2 ? 1.0 : 1.001);
        fast_solid_bake(all[k]);
    }
    assert_true(cn_fast_spatial_is_alike(&one.exact.shape, &two.exact.shape));
    assert_false(cn_fast_spatial_is_alike(&one.exact.shape, &other.exact.shape));
    struct cn_manifold3 own, shared;
    cn_pose above = test_solid_pose((cn_vec3){0.3, 0.999, 0.1}, Y, 0.1);
    collide(&one, at(0, 0, 0), &two, above, &own);
    cn_fast_spatial_bake(&two.exact.shape, one.fast.hull, NULL, &two.fast);
    collide(&one, at(0, 0, 0), &two, above, &shared);
    assert_int_equal(own.point_count, 4);
    assert_int_equal(shared.point_count, 4);
    assert_memory_equal(own.point, shared.point, sizeof own.point);
}

/* A pair that is apart keeps its separating axis, but that does not change later results. */
static void
test_apart(void **state)
{
    (void)state;
    static struct fast_solid prism;
    test_solid_prism(&prism.exact, 6, 0.5, 1.0);
    fast_solid_bake(&prism);
    struct cn_manifold3 first, next, fresh;
    cn_pose a = at(0, 0, 0), b = at(0.1, 1.05, 0.2);
    fast_solid_collide(&prism, &a, &prism, &b, MARGIN, NULL, &first);
    assert_int_equal(first.point_count, 0);
    assert_true(first.hint != 0);
    fast_solid_collide(&prism, &a, &prism, &b, MARGIN, &first, &next);
    assert_int_equal(next.point_count, 0);
    assert_int_equal(next.hint, first.hint);
    b.position.y = 0.99;
    fast_solid_collide(&prism, &a, &prism, &b, MARGIN, &first, &next);
    fast_solid_collide(&prism, &a, &prism, &b, MARGIN, NULL, &fresh);
    assert_int_equal(next.point_count, 4);
    assert_int_equal(next.hint, fresh.hint);
    assert_memory_equal(next.point, fresh.point, sizeof next.point);
}

static void
test_tangents(void **state)
{
    (void)state;
    struct cn_rng rng = {7};
    for (int i = 0; i < 1000; i++) {
        cn_vec3 v = test_random_vector(&rng, 1.0);
        v = i < 6 ? (cn_vec3){i == 0, i == 1 ? -1.0 : i == 2, i > 2 ? -1.0 : 0.0} : v;
        v = cn_vec3_scale(v, 1.0 / cn_vec3_length(v));
        float n[3] = {(float)v.x, (float)v.y, (float)v.z}, s[3], t[3];
        cn_tangents3(n, s, t);
        float products[5] = {0.0F};
        for (int k = 0; k < 3; k++) {
            products[0] += s[k] * s[k];
            products[1] += t[k] * t[k];
            products[2] += s[k] * t[k];
            products[3] += s[k] * n[k];
            products[4] += t[k] * n[k];
        }
        for (int k = 0; k < 5; k++) {
            assert_near((double)products[k], k < 2 ? 1.0 : 0.0, 1e-6);
        }
    }
}

/* Impulses go to points with equal features, and friction stays if any point stays. */
static void
test_carry_over(void **state)
{
    (void)state;
    static struct fast_solid box;
    struct cn_manifold3 first, next;
    make_box(&box, 1.0, 1.0, 1.0);
    cn_pose below = at(0, 0, 0), above = at(0.5, 1.0, 0);
    collide(&box, below, &box, above, &first);
    for (int i = 0; i < 4; i++) {
        first.point[i].normal_impulse = 1.0F + (float)i;
        first.point[i].total_impulse = 11.0F + (float)i;
    }
    first.tangent_impulse[0] = 0.5F;
    first.rolling_impulse[1] = 0.75F;
    first.twist_impulse = 0.25F;
    above.position.x += 0.01;
    fast_solid_collide(&box, &below, &box, &above, MARGIN, &first, &next);
    assert_int_equal(next.point_count, 4);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(next.point[i].feature, first.point[i].feature);
        assert_near((double)next.point[i].normal_impulse, 1.0 + i, 0.0);
        assert_near((double)next.point[i].total_impulse, 11.0 + i, 0.0);
    }
    assert_near((double)next.tangent_impulse[0], 0.5, 0.0);
    assert_near((double)next.rolling_impulse[1], 0.75, 0.0);
    assert_near((double)next.twist_impulse, 0.25, 0.0);
    above.position.x = -0.5;
    first.point_count = 1;
    first.point[0].feature = 0x1234;
    fast_solid_collide(&box, &below, &box, &above, MARGIN, &first, &next);
    assert_near((double)next.tangent_impulse[0], 0.0, 0.0);
    assert_near((double)next.point[0].normal_impulse, 0.0, 0.0);
}

/* Its core has one vertex, and the vertices after it belong to another shape. */
static void
test_capsule_without_length(void **state)
{
    (void)state;
    const cn_vec3 vertex[] = {{0.5, 1.0, 2.0}, {9.0, 9.0, 9.0}};
    struct cn_shape shape = {.kind = CN_SHAPE_CAPSULE,
        .dimension = CN_SPATIAL,
        .radius = 0.25,
        .width = 0.5,
        .core = {.vertex = vertex, .vertex_count = 1}};
    struct cn_fast_shape3 fast;
    cn_fast_spatial_bake(&shape, NULL, NULL, &fast);
    assert_int_equal(fast.form, CN_FAST3_SPHERE);
    assert_memory_equal(fast.half, fast.center, sizeof(fast.half));
    shape.core.vertex_count = 2;
    cn_fast_spatial_bake(&shape, NULL, NULL, &fast);
    assert_int_equal(fast.form, CN_FAST3_CAPSULE);
}

/* Twice the area of the convex hull of a few points, by the widest fan about the first. */
static double
spanned(const float *x, const float *y, const int *pick, int count)
{
    double most = 0.0;
    static const int fans[3][4] = {{0, 1, 2, 3}, {0, 2, 1, 3}, {0, 1, 3, 2}};
    for (int f = 0; f < 3; f++) {
        double area = 0.0;
        for (int i = 0; i < count; i++) {
            int a = pick[fans[f][i] % count], b = pick[fans[f][(i + 1) % count] % count];
            area += (double)x[a] * (double)y[b] - (double)x[b] * (double)y[a];
        }
        most = fmax(most, fabs(area));
    }
    return most;
}

/* Of many points at one depth the four kept ones span at least half of the area of any four. */
static void
test_reduce_spans(void **state)
{
    (void)state;
    struct cn_rng rng = {.state = 41};
    int kept_count[5] = {0};
    for (int trial = 0; trial < 3000; trial++) {
        float x[9], y[9], separation[9] = {0.0F};
        int count = 5 + (int)(cn_rng_next(&rng) % 5), pick[4], four[4];
        bool bow = trial % 3 == 0; /* all on one side of the longest way through them */
        for (int i = 0; i < count; i++) {
            double angle = cn_rng_uniform(&rng, 0.0, bow ? CN_PI : 2.0 * CN_PI), s, c;
            double r = bow ? 1.0 : cn_rng_uniform(&rng, 0.0, 1.0);
            cn_sin_cos(angle, &s, &c);
            x[i] = (float)(r * c);
            y[i] = (float)(r * s);
        }
        double most = 0.0;
        for (four[0] = 0; four[0] < count; four[0]++) {
            for (four[1] = 0; four[1] < four[0]; four[1]++) {
                for (four[2] = 0; four[2] < four[1]; four[2]++) {
                    for (four[3] = 0; four[3] < four[2]; four[3]++) {
                        most = fmax(most, spanned(x, y, four, 4));
                    }
                }
            }
        }
        int kept = cn_fast_reduce(x, y, separation, count, 1e-4F, pick);
        assert_in_range(kept, 1, 4);
        kept_count[kept]++;
        for (int i = 0; i < kept; i++) {
            for (int k = 0; k < i; k++) {
                assert_true(pick[i] != pick[k]);
            }
        }
        if (most > 0.05) {
            assert_in_range(kept, 3, 4);
            assert_true(spanned(x, y, pick, kept) >= 0.5 * most);
        }
    }
    assert_true(kept_count[4] > 2500);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_capsule_without_length),
        cmocka_unit_test(test_spheres),
        cmocka_unit_test(test_capsules),
        cmocka_unit_test(test_sphere_on_box),
        cmocka_unit_test(test_capsule_on_box),
        cmocka_unit_test(test_half_space),
        cmocka_unit_test(test_box_on_box),
        cmocka_unit_test(test_box_edges),
        cmocka_unit_test(test_cube_as_hull),
        cmocka_unit_test(test_tetrahedron),
        cmocka_unit_test(test_alike),
        cmocka_unit_test(test_apart),
        cmocka_unit_test(test_tangents),
        cmocka_unit_test(test_carry_over),
        cmocka_unit_test(test_reduce_spans),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
