/* test_field_float.c: many points at once are those one by one, and the same bits for all lanes. */
#include "engine/math/scalar.h"
#include "tests/support/field_look/field_looks.h"
#include "tests/support/mesh/hand_field.h"
#include "tests/support/near.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#define POINTS 5008 /* of every number of lanes a multiple */

static _Alignas(64) float point[3][POINTS], out[4][POINTS];

/* Two balls, each of radius 0.6, that meet. */
static double
balls(cn_vec3 p)
{
    cn_vec3 q = cn_vec3_make(fabs(p.x) - 0.5, p.y, p.z);
    return cn_vec3_length(q) - 0.6;
}

static void
fill_points(double reach)
{
    uint32_t random = 7;
    for (int i = 0; i < POINTS; i++) {
        for (int k = 0; k < 3; k++) {
            point[k][i] = (float)random_between(&random, -reach, reach);
            if (i % 5 == k) {
                point[k][i] = 0.25f * (float)(int)(4.0f * point[k][i]); /* on a border of cells */
            }
        }
    }
}

/* Compares with the exact reading in doubles. */
static void
check(const struct cn_field *field)
{
    for (int i = 0; i < POINTS; i++) {
        cn_vec3 normal;
        cn_vec3 p =
            cn_vec3_make((double)point[0][i], (double)point[1][i], (double)point[2][i]);
        cn_vec3 q = cn_vec3_make(
            cn_clamp(p.x, -2.0, 2.0), cn_clamp(p.y, -2.0, 2.0), cn_clamp(p.z, -2.0, 2.0));
        double apart = cn_vec3_length(cn_vec3_sub(p, q));
        assert_near((double)out[0][i], cn_field_sample(field, q, &normal) + apart, 2e-6);
        assert_true(isfinite(out[1][i]) && isfinite(out[2][i]) && isfinite(out[3][i]));
        /* On a border of cells the slope may be that of either cell. */
        bool between = false;
        for (int k = 0; k < 3; k++) {
            double at = 4.0 * (double)point[k][i];
            between = between || fabs(at - floor(at + 0.5)) < 1e-3;
        }
        cn_vec3 slope = cn_vec3_make((double)out[1][i], (double)out[2][i], (double)out[3][i]);
        double length = cn_vec3_length(slope);
        if (!between && length > 0.01) {
            assert_near(cn_vec3_dot(slope, normal), length, 2e-6);
        }
    }
}

static void
test_lanes(void **state)
{
    (void)state;
    const struct field_look_kind kinds[] = FIELD_LOOKS;
    static float first[4][POINTS];
    for (int kind = 0; kind < 4; kind++) {
        struct cn_field field = kind < 2 ? uniform(balls) : sparse(balls, kind == 2 ? 0 : 0x69);
        fill_points(kind % 2 == 0 ? 2.0 : 7.0);
        for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++) {
            if (!kinds[k].runs) {
                continue;
            }
            memset(out, 0xff, sizeof(out));
            kinds[k].with->look(&field, POINTS, point[0], out[0]);
            if (k == 0) {
                check(&field);
                memcpy(first, out, sizeof(out));
            }
            assert_memory_equal(first, out, sizeof(out));
        }
    }
}

/* A linear field; its slope, in metres a metre, must come out equal in coarse and fine cells. */
static double
ramp(cn_vec3 p)
{
    return 0.6 * p.x - 0.8 * p.z + 0.125;
}

static void
test_slope(void **state)
{
    (void)state;
    struct cn_field field = sparse(ramp, 0x96);
    fill_points(1.9);
    field_look_plain.look(&field, POINTS, point[0], out[0]);
    for (int i = 0; i < POINTS; i++) {
        assert_near((double)out[1][i], 0.6, 3e-6);
        assert_near((double)out[2][i], 0.0, 3e-6);
        assert_near((double)out[3][i], -0.8, 3e-6);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lanes),
        cmocka_unit_test(test_slope),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
