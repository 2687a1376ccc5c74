/*
 * test_mesh_depth.c: limits the overlap of meshes, at any tick, under the production solver.
 *
 * The rule (engine/step/pipeline/pipeline_deep.c) is for pairs with at least one mesh.  After a
 * tick no point is deeper in the other body than the larger of two limits: 6 % of the smaller
 * width, and the depth before plus one hundredth.  Depths are computed here from every corner and
 * every triangle, not from the field.  A coarse field has an error of some millimetres; FIELD is
 * the tolerance for it.
 *
 *   1. rings that are thrown on a heap, turning, in 2, 4 and 8 substeps
 *   2. a ring that falls behind another one, as fast, when that one is stopped
 *   3. a turning ring that is thrown at another: momentum is also conserved
 *   4. rings that begin deep in each other never get deeper, and separate
 *   5. a kinematic body moves as prescribed, even if a body is between it and the floor
 *   6. a body without contacts is never stopped
 *   7. a ring that is thrown at a thin wall: no corner of it gets behind the wall
 *   8. the bits of 1. are the same for every instruction set, any number of workers, and a world
 *      restored from an image
 */
#include "tests/support/world/hash_run.h"
#include "tests/support/world/scene.h"

#include "engine/mesh/torus.h"
#include "engine/solve/impulse/impulse.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#define MAJOR 0.5 /* of a ring [m] */
#define MINOR 0.15
#define LIMIT 0.06  /* of a width */
#define FIELD 0.008 /* m */
#define RINGS 30

static struct scene scene;
static struct cn_mesh *mesh;

static int
set_up(void **state)
{
    static cn_vec3 vertex[160];
    static int32_t triangle[320][3];
    struct cn_torus torus = {MAJOR, MINOR, 16, 10};
    struct cn_defect defect;
    (void)state;
    cn_torus_make(&torus, vertex, triangle);
    const struct cn_mesh_def def = {.vertex_count = 160, .triangle_count = 320, .vertex = vertex,
        .triangle = (const int32_t(*)[3])triangle};
    return cn_mesh_make(&def, &mesh, &defect) == CN_OK ? 0 : 1;
}

static int
tear_down(void **state)
{
    (void)state;
    cn_mesh_drop(mesh);
    return 0;
}

static void
begin(double gravity, int substeps)
{
    scene_init_space(&scene, gravity);
    snprintf(scene.def.settings.stepper, CN_NAME_SIZE, "time");
    snprintf(scene.def.settings.solver, CN_NAME_SIZE, "impulse");
    scene.def.settings.substeps = substeps;
    scene.def.settings.sleep = false;
    scene_friction(&scene, 0, 0.3);
    scene.def.meshes = &mesh;
    scene.def.mesh_count = 1;
}

/* As made its axis is z. */
static int
add_ring(double x, double y, double z)
{
    int body = scene_circle(&scene, x, y, 0.1);
    scene.body[body].position.z = z;
    scene.shape[body] =
        (struct cn_shape_def){.kind = CN_SHAPE_MESH, .mesh = {0, mesh}, .density = 1000.0};
    return body;
}

/* ---- depths, by the triangles ---- */

/* How deep corners of ring i are in ring k. */
static double
depth_of(const struct cn_world *world, int i, int k)
{
    struct cn_body_view a = scene_view(world, i), b = scene_view(world, k);
    cn_vec3 away = cn_vec3_sub(a.position, b.position);
    double deepest = 0.0, far = 2.0 * (MAJOR + MINOR);
    if (cn_vec3_dot(away, away) > far * far) {
        return 0.0;
    }
    cn_mat33 turn_a = cn_quat_to_mat33(a.orientation);
    cn_mat33 back_b = cn_quat_to_mat33(cn_quat_conjugate(b.orientation));
    for (int v = 0; v < mesh->vertex_count; v++) {
        cn_vec3 p = cn_vec3_add(cn_mat33_apply(&turn_a, mesh->vertex[v]), away);
        cn_vec3 q = cn_mat33_apply(&back_b, p);
        double radius = sqrt(q.x * q.x + q.y * q.y) - MAJOR;
        if (radius * radius + q.z * q.z < MINOR * MINOR) { /* else outside of the torus */
            deepest = fmax(deepest, -cn_mesh_distance(mesh, q));
        }
    }
    return deepest;
}

static double
depth_in_floor(const struct cn_world *world, int i)
{
    struct cn_body_view view = scene_view(world, i);
    cn_mat33 turn = cn_quat_to_mat33(view.orientation);
    double deepest = 0.0;
    for (int v = 0; v < mesh->vertex_count; v++) {
        deepest = fmax(deepest,
            -view.position.y - cn_mat33_apply(&turn, mesh->vertex[v]).y);
    }
    return deepest;
}

/* Of bodies first and up, all rings. */
static double
deepest(const struct cn_world *world, int first, bool has_floor)
{
    double depth = 0.0;
    int count = cn_world_body_count(world);
    for (int i = first; i < count; i++) {
        depth = has_floor ? fmax(depth, depth_in_floor(world, i)) : depth;
        for (int k = first; k < count; k++) {
            depth = k != i ? fmax(depth, depth_of(world, i, k)) : depth;
        }
    }
    return depth;
}

/* The least depth that counts [m]. */
static double
limit(void)
{
    return LIMIT * mesh->thickness;
}

/* ---- laws ---- */

/* Rings that are thrown on each other, turning; the body of the floor. */
static int
make_heap(int substeps)
{
    begin(9.81, substeps);
    int floor = scene_floor(&scene);
    for (int i = 0; i < RINGS; i++) {
        int body = add_ring(0.3 * (i % 3) - 0.3, 1.5 + 1.35 * i, 0.25 * (i % 4) - 0.4);
        scene.body[body].orientation = cn_quat_rotate_by((cn_quat){1.0, 0.0, 0.0, 0.0},
            cn_vec3_make(1.3 * i, 0.7 * i, 0.4 * i));
        scene.body[body].velocity.y = -18.0;
        scene.body[body].angular_velocity =
            cn_vec3_make(7.0 - i % 15, 5.0 * (i % 3) - 5.0, 3.0);
    }
    return floor;
}

static void
test_heap_is_never_deep(void **state)
{
    (void)state;
    static const int substeps[] = {2, 4, 8};
    for (int s = 0; s < 3; s++) {
        int floor = make_heap(substeps[s]);
        struct cn_world *world = scene_create(&scene);
        for (int tick = 0; tick < 150; tick++) {
            scene_tick(world);
            double depth = deepest(world, floor + 1, true);
            if (!(depth <= limit() + FIELD)) {
                fail_msg("%d substeps, tick %d: %g mm", substeps[s], tick, 1e3 * depth);
            }
        }
        cn_world_destroy(world);
    }
}

#define TICKS 120

static void
test_same_bits(void **state)
{
    (void)state;
    static uint64_t reference[TICKS], hash[TICKS];
    make_heap(4);
    hash_run(&scene, "plain", 1, TICKS, reference);
    for (int k = 0; cn_impulse_kernels[k] != NULL; k++) {
        if (cn_impulse_kernel_runs(cn_impulse_kernels[k])) {
            hash_run(&scene, cn_impulse_kernels[k]->name, 1 + k % 3, TICKS, hash);
            assert_memory_equal(hash, reference, sizeof(hash));
        }
    }
    struct cn_world *world = scene_create(&scene), *other = scene_create(&scene);
    for (int tick = 0; tick < TICKS; tick++) {
        if (tick % 20 == 10) {
            scene_restore(other, world);
            struct cn_world *kept = world;
            world = other;
            other = kept;
        }
        scene_tick(world);
        assert_true(cn_world_hash(world) == reference[tick]);
    }
    cn_world_destroy(world);
    cn_world_destroy(other);
}

static void
test_what_falls_behind_stops(void **state)
{
    (void)state;
    for (int i = 0; i < 12; i++) {
        begin(0.0, 4);
        int floor = scene_floor(&scene);
        for (int k = 0; k < 3; k++) { /* flat, hardly apart, and as fast as each other */
            int body = add_ring(0.01 * k, 0.3 + 0.031 * i + k * (2.0 * MINOR + 0.02), 0.0);
            scene.body[body].orientation = (cn_quat){sqrt(0.5), sqrt(0.5), 0.0, 0.0};
            scene.body[body].velocity.y = -15.0;
        }
        struct cn_world *world = scene_create(&scene);
        for (int tick = 0; tick < 20; tick++) {
            scene_tick(world);
            double depth = deepest(world, floor + 1, true);
            if (!(depth <= limit() + FIELD)) {
                fail_msg("from %d, tick %d: %g mm", i, tick, 1e3 * depth);
            }
        }
        for (int k = 1; k < 4; k++) { /* all were stopped by the one below */
            assert_true(scene_view(world, floor + k).velocity.y > -1.0);
        }
        cn_world_destroy(world);
    }
}

static void
test_thrown_at_another(void **state)
{
    (void)state;
    static const double speed[] = {5.0, 20.0, 60.0};
    for (int n = 0; n < 60; n++) {
        begin(0.0, 4);
        int a = add_ring(0.0, 0.0, 0.0), b = add_ring(-2.0 - 0.07 * n, 0.02 * (n % 30) - 0.3, 0.1);
        scene.body[b].velocity.x = speed[n % 3];
        scene.body[b].angular_velocity = cn_vec3_make(2.0 * (n % 10), 8.0 - n % 17, 5.0);
        struct cn_world *world = scene_create(&scene);
        double mass = scene_view(world, a).mass;
        for (int tick = 0; tick < 60; tick++) {
            scene_tick(world);
            struct cn_body_view of_a = scene_view(world, a), of_b = scene_view(world, b);
            cn_vec3 sum = cn_vec3_scale(cn_vec3_add(of_a.velocity, of_b.velocity), mass);
            double depth = deepest(world, 0, false);
            if (!(depth <= limit() + FIELD)) {
                fail_msg("throw %d, tick %d: %g mm", n, tick, 1e3 * depth);
            }
            double whole = mass * speed[n % 3];
            assert_true(cn_vec3_length(cn_vec3_sub(sum, cn_vec3_make(whole, 0.0, 0.0))) <
                        1e-4 * whole);
        }
        assert_true(scene_view(world, b).velocity.x < 0.99 * speed[n % 3]); /* it was met */
        cn_world_destroy(world);
    }
}

/* How far corners of a ring came in x, in any tick, when it is thrown at a wall in x = 0. */
static double
farthest_through(double thickness, double speed, int i)
{
    begin(0.0, 4);
    int wall = scene_circle(&scene, 0.0, 0.0, 0.1);
    scene.shape[wall] = (struct cn_shape_def){
        .kind = CN_SHAPE_BOX, .box.size = {thickness, 12.0, 12.0}, .density = 1000.0};
    scene.body[wall].type = CN_STATIC;
    int ring = add_ring(-7.0 - 0.317 * i, 0.05, 0.03 * i - 0.3);
    scene.body[ring].velocity.x = speed;
    scene.body[ring].angular_velocity = cn_vec3_make(0.5 * i, 3.0 * (i % 5), 7.0 * (i % 3));
    scene.body[ring].orientation = cn_quat_rotate_by(
        (cn_quat){1.0, 0.0, 0.0, 0.0}, cn_vec3_make(0.3 * i, 0.7 * i, 0.2 * i));
    struct cn_world *world = scene_create(&scene);
    double most = -HUGE_VAL;
    for (int tick = 0; tick < 40; tick++) {
        scene_tick(world);
        struct cn_body_view view = scene_view(world, ring);
        cn_mat33 turn = cn_quat_to_mat33(view.orientation);
        for (int v = 0; v < mesh->vertex_count; v++) {
            most = fmax(most, view.position.x + cn_mat33_apply(&turn, mesh->vertex[v]).x);
        }
    }
    cn_world_destroy(world);
    return most;
}

static void
test_thin_walls_hold(void **state)
{
    (void)state;
    static const double thickness[] = {0.02, 0.04, 0.07}, speed[] = {50.0, 100.0, 200.0, 300.0};
    for (int k = 0; k < 3; k++) {
        for (int n = 0; n < 4; n++) {
            for (int i = 0; i < 18; i++) {
                double most = farthest_through(thickness[k], speed[n], i);
                if (!(most < 0.5 * thickness[k])) {
                    fail_msg("%g m, %g m/s, throw %d: to %g", thickness[k], speed[n], i, most);
                }
            }
        }
    }
}

static void
test_what_begins_deep_parts(void **state)
{
    (void)state;
    for (int n = 0; n < 10; n++) {
        begin(0.0, 4);
        add_ring(0.0, 0.0, 0.0);
        int b = add_ring(0.05 * n, 0.02, 2.0 * MINOR - 0.08 - 0.005 * n);
        scene.body[b].velocity.z = -2.0; /* it even wants to go deeper */
        struct cn_world *world = scene_create(&scene);
        double last = deepest(world, 0, false);
        assert_true(last > 2.0 * limit());
        for (int tick = 0; tick < 120; tick++) {
            scene_tick(world);
            double depth = deepest(world, 0, false);
            if (!(depth <= fmax(limit(), last) + FIELD)) {
                fail_msg("%d, tick %d: %g after %g mm", n, tick, 1e3 * depth, 1e3 * last);
            }
            last = depth;
        }
        assert_true(last <= limit() + FIELD);
        cn_world_destroy(world);
    }
}

static void
test_kinematic_goes_its_way(void **state)
{
    (void)state;
    begin(9.81, 4);
    scene_floor(&scene);
    int under = add_ring(0.0, MINOR, 0.0), press = add_ring(0.0, 1.2, 0.0);
    cn_quat flat = {sqrt(0.5), sqrt(0.5), 0.0, 0.0};
    scene.body[under].orientation = scene.body[press].orientation = flat;
    scene.body[press].type = CN_KINEMATIC;
    scene.body[press].velocity.y = -1.0;
    struct cn_world *world = scene_create(&scene);
    for (int tick = 0; tick < 60; tick++) { /* down to the middle of the one below */
        scene_tick(world);
        double meant = 1.2 - (tick + 1) / 60.0;
        assert_true(fabs(scene_view(world, press).position.y - meant) < 1e-9);
        assert_true(cn_vec3_is_finite(scene_view(world, under).position));
    }
    cn_world_destroy(world);
}

static void
test_free_ways_are_whole(void **state)
{
    (void)state;
    begin(0.0, 4);
    for (int i = 0; i < 8; i++) { /* side by side, as near as 3 cm, and some turning in place */
        int body = add_ring(0.0, 0.0, i * (2.0 * MINOR + 0.03));
        scene.body[body].velocity = cn_vec3_make(20.0, 0.0, 0.0);
        scene.body[body].angular_velocity = cn_vec3_make(0.0, 0.0, 3.0 * i);
    }
    struct cn_world *world = scene_create(&scene);
    scene_ticks(world, 30);
    for (int i = 0; i < 8; i++) {
        assert_true(fabs(scene_view(world, i).position.x - 10.0) < 1e-4);
    }
    cn_world_destroy(world);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_heap_is_never_deep),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_what_falls_behind_stops),
        cmocka_unit_test(test_thrown_at_another),
        cmocka_unit_test(test_thin_walls_hold),
        cmocka_unit_test(test_what_begins_deep_parts),
        cmocka_unit_test(test_kinematic_goes_its_way),
        cmocka_unit_test(test_free_ways_are_whole),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
