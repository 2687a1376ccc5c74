/* test_field.c: reading a distance field, against fields that are written here by hand. */
#include "engine/mesh/field.h"
#include "tests/support/mesh/hand_field.h"
#include "tests/support/near.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

/* A sphere of radius 1 about the origin. */
static double
sphere(cn_vec3 p)
{
    return cn_vec3_length(p) - 1.0;
}

/* A half space; a trilinear field shows it exactly. */
static double
slope(cn_vec3 p)
{
    return (2.0 * p.x - 3.0 * p.y + 6.0 * p.z) / 7.0 - 0.25;
}

/* A field that is linear in the box is read exactly, whatever its kind. */
static void
test_linear(void **state)
{
    (void)state;
    uint32_t random = 1;
    for (int kind = 0; kind < 3; kind++) {
        struct cn_field field = kind == 0 ? uniform(slope) : sparse(slope, kind == 1 ? 0 : 0xa6);
        for (int i = 0; i < 3000; i++) {
            cn_vec3 p, normal;
            p.x = random_between(&random, -2.0, 2.0);
            p.y = random_between(&random, -2.0, 2.0);
            p.z = i % 7 == 0 ? 2.0 : i % 7 == 1 ? 0.0 : random_between(&random, -2.0, 2.0);
            assert_near(cn_field_distance(&field, p), slope(p), 1e-6);
            assert_near(cn_field_sample(&field, p, &normal), slope(p), 1e-6);
            assert_near(normal.x, 2.0 / 7.0, 3e-6);
            assert_near(normal.y, -3.0 / 7.0, 3e-6);
            assert_near(normal.z, 6.0 / 7.0, 3e-6);
            if (fabs(slope(p)) > 1e-6) {
                assert_int_equal(cn_field_is_inside(&field, p), slope(p) < 0.0);
            }
        }
    }
}

/* Distance to a sphere, in the box and far from it. */
static void
test_sphere(void **state)
{
    (void)state;
    struct cn_field field = uniform(sphere);
    uint32_t random = 2;
    for (int i = 0; i < 5000; i++) {
        cn_vec3 p, normal;
        p.x = random_between(&random, -9.0, 9.0);
        p.y = random_between(&random, -9.0, 9.0);
        p.z = random_between(&random, -9.0, 9.0);
        if (i % 2 != 0) {
            p = cn_vec3_scale(p, 0.2);
        }
        double phi = cn_field_sample(&field, p, &normal), r = cn_vec3_length(p);
        /* The error of linear interpolation of a curve; far out, the error of its slope too. */
        double off = SPACING * SPACING / 4.0 / fmin(r, 2.0);
        assert_near(phi, sphere(p), r < 0.25 ? SPACING : r < 2.0 ? 1.1 * off : 2.0 * off);
        assert_true(phi == cn_field_distance(&field, p));
        if (r > 0.7) {
            assert_true(cn_vec3_dot(normal, p) > 0.985 * r);
        }
        assert_near(cn_vec3_length(normal), 1.0, 1e-12);
        assert_true(cn_field_bound(&field, p) <= fabs(sphere(p)));
        assert_true(r < 9.0 || cn_field_bound(&field, p) > 0.7 * sphere(p));
        assert_int_equal(cn_field_is_inside(&field, p), phi < 0.0);
    }
}

/* If the gradient is 0, the normal is still a unit vector. */
static void
test_no_gradient(void **state)
{
    (void)state;
    struct cn_field field = uniform(sphere);
    cn_vec3 normal;
    assert_near(cn_field_distance(&field, cn_vec3_make(0.0, 0.0, 0.0)), -1.0, 0.0);
    for (int i = 0; i < NODES * NODES * NODES; i++) {
        value[i] = 1.0f;
    }
    assert_near(cn_field_sample(&field, cn_vec3_make(0.1, 0.2, 0.3), &normal), 1.0, 0.0);
    assert_true(normal.x == 0.0 && normal.y == 0.0 && normal.z == 1.0);
    assert_true(isfinite(cn_field_sample(&field, cn_vec3_make(5.0, 0.2, 0.3), &normal)));
    assert_near(cn_vec3_length(normal), 1.0, 1e-12);
}

static void
test_size(void **state)
{
    (void)state;
    struct cn_field field = uniform(sphere);
    assert_int_equal(cn_field_size(&field), 17 * 17 * 17 * 4 + 16 * 16 * 16);
    field = sparse(sphere, 0xfe);
    assert_int_equal(cn_field_size(&field), 27 * 4 + 8 * 4 + 729 * 4);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_linear),
        cmocka_unit_test(test_sphere),
        cmocka_unit_test(test_no_gradient),
        cmocka_unit_test(test_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
