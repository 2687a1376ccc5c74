/*
 * test_fast_spatial_mesh.c: what the quick narrowphase of meshes keeps of points and impulses.
 */
#include "engine/collide/mesh/fast_spatial_mesh.h"
#include "engine/math/quat.h"
#include "engine/mesh/torus.h"
#include "engine/solve/impulse/impulse.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void
test_normals_survive_packing(void **state)
{
    (void)state;
    static const float some[][3] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1},
        {0, 0, -1}, {0.6F, 0.8F, 0}, {-0.6F, 0, -0.8F}, {0.48F, -0.6F, -0.64F},
        {-0.48F, -0.64F, 0.6F}};
    for (size_t i = 0; i < sizeof(some) / sizeof(some[0]); i++) {
        float n[3];
        cn_fast_mesh_normal_unpack(cn_fast_mesh_normal_pack(some[i]), n);
        for (int k = 0; k < 3; k++) {
            assert_true(fabsf(n[k] - some[i][k]) < 1e-4F);
        }
    }
}

/* ---- impulses ---- */

static uint32_t
feature(int x, int y, int z)
{
    return (uint32_t)x << 10 | (uint32_t)y << 5 | (uint32_t)z;
}

static struct cn_manifold3
old_manifold(const float normal[3])
{
    struct cn_manifold3 m = {.hint = cn_fast_mesh_normal_pack(normal), .point_count = 2};
    m.point[0].feature = feature(10, 10, 10);
    m.point[0].normal_impulse = 3.0F;
    m.point[1].feature = feature(20, 10, 10);
    m.point[1].normal_impulse = 1.0F;
    return m;
}

static const float up[3] = {0, 1, 0}, down[3] = {0, -1, 0}, none[3] = {0, 0, 0};

static void
finish(struct cn_fast_mesh_found *found, const struct cn_manifold3 *old, struct cn_manifold3 now[2])
{
    const struct cn_manifold3 *last[1] = {old};
    struct cn_manifold3 *to[2] = {&now[0], &now[1]};
    cn_fast_mesh_finish(found, none, last, 1, to);
}

/*
 * Two old points are nearest to the same new one, which gets the sum; the other new one gets none.
 */
static void
test_impulses_gather_in_the_nearest_point(void **state)
{
    (void)state;
    struct cn_manifold3 old = old_manifold(up), now[2];
    struct cn_fast_mesh_found found = {.manifold_count = 1};
    old.point[1].feature = feature(11, 11, 10);
    found.manifold[0].point_count = 2;
    memcpy(found.manifold[0].normal, up, sizeof(up));
    found.manifold[0].point[0].feature = feature(11, 10, 10);
    found.manifold[0].point[1].feature = feature(14, 10, 10);
    finish(&found, &old, now);
    assert_true(now[0].point[0].normal_impulse == 4.0F);
    assert_true(now[0].point[1].normal_impulse == 0.0F);
}

/* A manifold becomes two with other normals; friction is shared like the impulses, 3 to 1. */
static void
test_friction_goes_with_impulses(void **state)
{
    (void)state;
    struct cn_manifold3 old = old_manifold(up), now[2];
    struct cn_fast_mesh_found found = {.manifold_count = 2};
    static const float tilted[3] = {0, 0.8F, 0.6F};
    float first[3], second[3], sum[3] = {0, 0, 0};
    cn_tangents3(up, first, second);
    for (int i = 0; i < 2; i++) {
        found.manifold[i].point_count = 1;
        memcpy(found.manifold[i].normal, i == 0 ? up : tilted, sizeof(up));
        found.manifold[i].point[0].feature = feature(i == 0 ? 10 : 20, 10, 10);
    }
    /* 4 N s along x, which is across both normals. */
    old.tangent_impulse[0] = 4.0F * first[0];
    old.tangent_impulse[1] = 4.0F * second[0];
    old.twist_impulse = 2.0F;
    finish(&found, &old, now);
    assert_true(now[0].point[0].normal_impulse == 3.0F);
    assert_true(now[1].point[0].normal_impulse == 1.0F);
    for (int i = 0; i < 2; i++) {
        cn_tangents3(now[i].normal, first, second);
        sum[i] = now[i].tangent_impulse[0] * first[0] + now[i].tangent_impulse[1] * second[0];
    }
    assert_true(fabsf(sum[0] - 3.0F) < 1e-3F);
    assert_true(fabsf(sum[1] - 1.0F) < 1e-3F);
    assert_true(fabsf(now[0].twist_impulse - 1.5F) < 1e-6F);
    assert_true(fabsf(now[1].twist_impulse - 0.5F) < 1e-6F);
}

/* Points elsewhere, or with another normal, get no impulse. */
static void
test_strangers_get_nothing(void **state)
{
    (void)state;
    struct cn_manifold3 old = old_manifold(up), now[2];
    struct cn_fast_mesh_found found = {.manifold_count = 2};
    for (int i = 0; i < 2; i++) {
        found.manifold[i].point_count = 1;
        memcpy(found.manifold[i].normal, i == 0 ? up : down, sizeof(up));
        found.manifold[i].point[0].feature = i == 0 ? feature(15, 15, 10) : feature(10, 10, 10);
    }
    finish(&found, &old, now);
    assert_true(now[0].point[0].normal_impulse == 0.0F);
    assert_true(now[1].point[0].normal_impulse == 0.0F);
}

/* ---- points ---- */

static struct cn_mesh *
make_torus(double radius, double tube_radius)
{
    static cn_vec3 vertex[160];
    static int32_t triangle[320][3];
    struct cn_torus torus = {radius, tube_radius, 16, 10};
    struct cn_mesh *mesh;
    struct cn_defect defect;
    cn_torus_make(&torus, vertex, triangle);
    const struct cn_mesh_def def = {.vertex_count = 160, .triangle_count = 320, .vertex = vertex,
        .triangle = (const int32_t(*)[3])triangle};
    assert_int_equal(cn_mesh_make(&def, &mesh, &defect), CN_OK);
    return mesh;
}

static struct cn_mesh *
make_ring(void)
{
    return make_torus(1.0, 0.3);
}

/* The deepest of the samples of one ring in the other's field, 0 if none is inside. */
static double
deepest(const struct cn_mesh *mesh, const cn_pose *of, const cn_pose *in)
{
    double depth = 0.0;
    for (int i = 0; i < mesh->sample_count; i++) {
        const float *at = mesh->sample[i].at;
        cn_vec3 p = {(double)at[0], (double)at[1], (double)at[2]};
        p = cn_pose_invert(in, cn_pose_apply(of, p));
        depth = fmin(depth, cn_field_distance(&mesh->field, p));
    }
    return depth;
}

/* Tilted rings on each other touch all around, and the deepest point is always kept. */
static void
test_deepest_point_is_kept(void **state)
{
    (void)state;
    struct cn_mesh *mesh = make_ring();
    const cn_pose middle = {{0.0, 0.0, 0.0}, cn_quat_to_mat33((cn_quat){1.0, 0.0, 0.0, 0.0})};
    struct cn_placed_mesh placed = {mesh, middle};
    struct cn_shape shape = {.kind = CN_SHAPE_MESH, .mesh = &placed, .width = 0.56,
        .reach = 1.3};
    struct cn_fast_shape3 fast;
    static const struct cn_fast_mesh_motion still;
    static struct cn_fast_mesh_found found;
    int seen = 0;
    cn_fast_spatial_bake(&shape, NULL, NULL, &fast);
    for (int i = 0; i < 200; i++) {
        cn_quat turn = cn_quat_rotate_by((cn_quat){1, 0, 0, 0},
            cn_vec3_make(0.002 * (i % 20), 0.003 * (i % 7), 0.4 * i));
        cn_pose a = middle, b = middle;
        b.position = cn_vec3_make(0.002 * (i % 50), 0.001 * (i % 30), 0.55 - 0.0003 * (i % 90));
        b.rotation = cn_quat_to_mat33(turn);
        struct cn_place3 place_a = cn_place3_of(&a), place_b = cn_place3_of(&b);
        const struct cn_fast_mesh_pair pair = {&fast, &fast, &place_a, &place_b, &still, &still,
            0.02F, 0.0F, NULL};
        cn_fast_mesh_meet(cn_fast_mesh_kernel_find("plain"), &pair, &found);
        double least = 0.0, depth = fmin(deepest(mesh, &a, &b), deepest(mesh, &b, &a));
        for (int m = 0; m < found.manifold_count; m++) {
            for (int k = 0; k < found.manifold[m].point_count; k++) {
                least = fmin(least, (double)found.manifold[m].point[k].separation);
            }
        }
        seen += depth < -0.01 ? 1 : 0;
        assert_true(least <= depth + 0.0087); /* up to 0.015 of the thickness */
    }
    assert_true(seen > 100);
    cn_mesh_drop(mesh);
}

/* ---- depth ---- */

#define PI 3.14159265358979323846

/* A cube about the origin. */
static struct cn_mesh *
make_cube(double side)
{
    static const int32_t triangle[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4},
        {1, 5, 4}, {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    cn_vec3 vertex[8];
    struct cn_mesh *mesh;
    struct cn_defect defect;
    for (int i = 0; i < 8; i++) {
        vertex[i] = cn_vec3_make(side * ((i & 1) - 0.5), side * ((i >> 1 & 1) - 0.5),
            side * ((i >> 2 & 1) - 0.5));
    }
    const struct cn_mesh_def def = {
        .vertex_count = 8, .triangle_count = 12, .vertex = vertex, .triangle = triangle};
    if (cn_mesh_make(&def, &mesh, &defect) != CN_OK) {
        fail_msg("%s %s", defect.path, defect.text);
    }
    return mesh;
}

struct cubes {
    struct cn_mesh *mesh[2];
    struct cn_placed_mesh placed[2];
    struct cn_shape shape[2];
    struct cn_fast_shape3 fast[2];
};

/* One of 1 m, one of 0.4 m. */
static void
make_cubes(struct cubes *cubes)
{
    const cn_pose middle = {{0.0, 0.0, 0.0}, cn_quat_to_mat33((cn_quat){1.0, 0.0, 0.0, 0.0})};
    for (int i = 0; i < 2; i++) {
        double side = i == 0 ? 1.0 : 0.4;
        cubes->mesh[i] = make_cube(side);
        cubes->placed[i] = (struct cn_placed_mesh){cubes->mesh[i], middle};
        cubes->shape[i] = (struct cn_shape){.kind = CN_SHAPE_MESH,
            .mesh = &cubes->placed[i],
            .width = side,
            .reach = 0.9 * side};
        cn_fast_spatial_bake(&cubes->shape[i], NULL, NULL, &cubes->fast[i]);
    }
}

/* The depth or the gap of the small cube at a place, turned about z; either may come first. */
static float
told_of(const struct cubes *cubes, cn_vec3 at, double turn, float least, bool gap, bool first)
{
    const cn_pose middle = {{0.0, 0.0, 0.0}, cn_quat_to_mat33((cn_quat){1.0, 0.0, 0.0, 0.0})};
    cn_pose pose = {at, cn_mat33_about_z(sin(turn), cos(turn))};
    struct cn_place3 large = cn_place3_of(&middle), small = cn_place3_of(&pose);
    struct cn_fast_mesh_pair pair = {.a = &cubes->fast[first ? 1 : 0],
        .b = &cubes->fast[first ? 0 : 1],
        .place_a = first ? &small : &large,
        .place_b = first ? &large : &small};
    return gap ? cn_fast_mesh_gap(&pair)
               : cn_fast_mesh_depth(cn_fast_mesh_kernel_find("plain"), &pair, least);
}

/* A cube with a depth known by hand in another one, by its corners and by an edge of either. */
static void
test_depth_is_told(void **state)
{
    (void)state;
    struct cubes cubes;
    make_cubes(&cubes);
    for (int first = 0; first < 2; first++) {
        for (int i = 1; i < 8; i++) {
            double deep = 0.02 * i;
            cn_vec3 at = cn_vec3_make(0.7 - deep, 0.1, -0.05);
            assert_true(fabs((double)told_of(&cubes, at, 0.0, 0.001F, false, first) - deep) <
                        0.002);
            /* Turned by 45 degrees, its edge leads; corners are 0.2 sqrt(2) from its middle. */
            at.x = 0.5 + 0.2 * sqrt(2.0) - deep;
            assert_true(fabs((double)told_of(&cubes, at, 0.25 * PI, 0.001F, false, first) -
                             deep) < 0.002);
            /* Points that are not deeper than that are not reported. */
            assert_true(told_of(&cubes, at, 0.25 * PI, (float)deep + 0.01F, false, first) ==
                        (float)deep + 0.01F);
        }
        assert_true(told_of(&cubes, cn_vec3_make(0.71, 0.0, 0.0), 0.0, 0.001F, false, first) ==
                    0.001F);
    }
    cn_mesh_drop(cubes.mesh[0]);
    cn_mesh_drop(cubes.mesh[1]);
}

static void
test_gap_is_told(void **state)
{
    (void)state;
    struct cubes cubes;
    make_cubes(&cubes);
    for (int first = 0; first < 2; first++) {
        for (int axis = 0; axis < 3; axis++) {
            for (int i = -4; i < 10; i++) {
                double apart = 0.1 * i;
                double at[3] = {0.0, 0.0, 0.0};
                at[axis] = i % 2 == 0 ? 0.7 + apart : -0.7 - apart;
                float gap = told_of(
                    &cubes, cn_vec3_make(at[0], at[1], at[2]), 0.0, 0.0F, true, first);
                assert_true(fabs((double)gap - apart) < 1e-5);
            }
        }
        /*
         * Turned by 45 degrees: the gap along the large cube's axis, by the small one's diagonal,
         * is larger.
         */
        float gap = told_of(
            &cubes, cn_vec3_make(1.2, 0.0, 0.0), 0.25 * PI, 0.0F, true, first);
        assert_true(fabs((double)gap - (0.7 - 0.2 * sqrt(2.0))) < 1e-5);
        /*
         * Along the diagonal the small cube's own axis has the largest gap; the large one reaches
         * sqrt(1/2).
         */
        gap = told_of(&cubes, cn_vec3_make(0.9, 0.9, 0.0), 0.25 * PI, 0.0F, true, first);
        assert_true(fabs((double)gap - (0.9 * sqrt(2.0) - 0.2 - sqrt(0.5))) < 1e-5);
    }
    cn_mesh_drop(cubes.mesh[0]);
    cn_mesh_drop(cubes.mesh[1]);
}

/* ---- pairs that are known to be apart ---- */

/* The pose at a tick of a ring that swings near another ring and away, and turns. */
static cn_pose
swinging(int tick, double pace)
{
    double t = pace * tick, s = sin(0.7 * t), c = cos(1.1 * t);
    cn_quat turn = cn_quat_rotate_by((cn_quat){1, 0, 0, 0},
        cn_vec3_make(1.3 + 0.6 * sin(0.31 * t), 0.8 * c, 0.5 * t));
    return (cn_pose){
        {1.6 + 0.9 * s, 0.3 * c, 0.75 + 0.4 * sin(0.43 * t)}, cn_quat_to_mat33(turn)};
}

static struct cn_fast_mesh_motion
motion_to(const cn_pose *from, const cn_pose *to, float duration)
{
    cn_vec3 v = cn_vec3_scale(cn_vec3_sub(to->position, from->position), 1.0 / (double)duration);
    return (struct cn_fast_mesh_motion){.velocity = {(float)v.x, (float)v.y, (float)v.z}};
}

static void
assert_same(const struct cn_fast_mesh_found *x, const struct cn_fast_mesh_found *y)
{
    assert_int_equal(x->manifold_count, y->manifold_count);
    for (int i = 0; i < x->manifold_count; i++) {
        const struct cn_fast_mesh_manifold *m = &x->manifold[i], *n = &y->manifold[i];
        assert_int_equal(m->point_count, n->point_count);
        assert_memory_equal(m->normal, n->normal, sizeof(m->normal));
        assert_memory_equal(
            m->point, n->point, (size_t)m->point_count * sizeof(m->point[0]));
    }
}

/* The manifolds have the same bits with and without notes on the parts that were apart before. */
static void
test_what_is_clear_changes_nothing(void **state)
{
    (void)state;
    struct cn_mesh *mesh = make_ring();
    const cn_pose middle = {{0.0, 0.0, 0.0}, cn_quat_to_mat33((cn_quat){1.0, 0.0, 0.0, 0.0})};
    struct cn_placed_mesh placed = {mesh, middle};
    struct cn_shape shape = {.kind = CN_SHAPE_MESH, .mesh = &placed, .width = 0.56,
        .reach = 1.3};
    struct cn_fast_shape3 fast;
    static const struct cn_fast_mesh_motion still;
    static struct cn_fast_mesh_found with, without;
    static const double pace[] = {0.0004, 0.002, 0.01};
    int touched = 0, passed_over = 0;
    cn_fast_spatial_bake(&shape, NULL, NULL, &fast);
    for (int i = 0; i < 3 * 6000; i++) {
        static struct cn_fast_mesh_clear clear;
        const float duration = 1.0F / 60.0F;
        cn_pose b = swinging(i % 6000, pace[i / 6000]);
        cn_pose next = swinging(i % 6000 + 1, pace[i / 6000]);
        struct cn_place3 place_a = cn_place3_of(&middle), place_b = cn_place3_of(&b);
        struct cn_fast_mesh_motion motion = motion_to(&b, &next, duration);
        struct cn_fast_mesh_pair pair = {&fast, &fast, &place_a, &place_b, &still, &motion,
            0.02F, duration, NULL};
        const struct cn_fast_mesh_kernel *kernel = cn_fast_mesh_kernel_find("plain");
        cn_fast_mesh_meet(kernel, &pair, &without);
        pair.clear = &clear;
        cn_fast_mesh_meet(kernel, &pair, &with);
        assert_same(&with, &without);
        touched += with.manifold_count > 0 ? 1 : 0;
        passed_over += clear.least > 0.0F && clear.age > 0 ? 1 : 0;
    }
    assert_in_range(touched, 2000, 14000);
    assert_true(passed_over > 3000);
    cn_mesh_drop(mesh);
}

/*
 * A thin ring within a large cube, parallel to a face: its tube is deepest on the side away from
 * the face.  Its patches are smaller than the limits, so no shortcut for patches outside may count.
 */
static void
test_depth_within(void **state)
{
    (void)state;
    int sets = 0;
    struct cubes cubes;
    make_cubes(&cubes);
    struct cn_mesh *mesh = make_torus(0.15, 0.03);
    struct cn_placed_mesh placed = {mesh,
        {{0.0, 0.0, 0.0}, cn_quat_to_mat33((cn_quat){1.0, 0.0, 0.0, 0.0})}};
    struct cn_shape ring = {.kind = CN_SHAPE_MESH, .mesh = &placed, .width = 0.06, .reach = 0.2};
    struct cn_fast_shape3 fast;
    cn_fast_spatial_bake(&ring, NULL, NULL, &fast);
    struct cn_place3 middle = cn_place3_of(&placed.pose);
    for (int k = 0; cn_impulse_kernels[k] != NULL; k++) {
        const struct cn_fast_mesh_kernel *kernel =
            cn_fast_mesh_kernel_find(cn_impulse_kernels[k]->name);
        if (kernel == NULL || !cn_impulse_kernel_runs(cn_impulse_kernels[k])) {
            continue;
        }
        sets++;
        for (int i = 1; i < 25; i++) {
            double deep = 0.01 * i + 0.03;
            cn_pose pose = placed.pose;
            pose.position = cn_vec3_make(0.02, -0.01, 0.5 - 0.01 * i);
            struct cn_place3 place = cn_place3_of(&pose);
            struct cn_fast_mesh_pair pair = {.a = i % 2 == 0 ? &fast : &cubes.fast[0],
                .b = i % 2 == 0 ? &cubes.fast[0] : &fast,
                .place_a = i % 2 == 0 ? &place : &middle,
                .place_b = i % 2 == 0 ? &middle : &place};
            for (int limit = 1; limit < 30; limit++) {
                double least = 0.01 * limit, right = deep > least ? deep : least;
                double told = (double)cn_fast_mesh_depth(kernel, &pair, (float)least);
                assert_true(fabs(told - right) < 0.004);
            }
        }
    }
    assert_true(sets >= 1);
    cn_mesh_drop(mesh);
    cn_mesh_drop(cubes.mesh[0]);
    cn_mesh_drop(cubes.mesh[1]);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_normals_survive_packing),
        cmocka_unit_test(test_impulses_gather_in_the_nearest_point),
        cmocka_unit_test(test_friction_goes_with_impulses),
        cmocka_unit_test(test_strangers_get_nothing),
        cmocka_unit_test(test_deepest_point_is_kept),
        cmocka_unit_test(test_depth_is_told),
        cmocka_unit_test(test_gap_is_told),
        cmocka_unit_test(test_what_is_clear_changes_nothing),
        cmocka_unit_test(test_depth_within),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
