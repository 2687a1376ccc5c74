/*
 * test_production_meshes.c: laws of meshes under the production solver.
 *
 *   1. the bits are the same for every instruction set and any number of workers
 *   2. a world restored at any tick continues with the bits of one that never stopped
 *   3. bodies that fall on level geometry, and rings that fall on a box or a ring, come to rest
 *   4. a chain of links hangs
 *   5. a ring that falls asleep stands still, and wakes when it is hit
 *   6. a mesh that is a sensor reports bodies and does not stop them; filters work for meshes
 *   7. rays, casts and overlaps see the surface, not the box around it
 *   8. fast bodies do not pass through level geometry
 *   9. a mesh that is thrown at up to 300 m/s, 5 m a tick, does not pass through thin walls and
 *      other meshes
 *  10. while a heap grows, memory for its contacts is reserved before they are found
 */
#include "tests/support/world/hash_run.h"
#include "tests/support/world/scene.h"

#include "engine/collide/query/cast.h"
#include "engine/mesh/torus.h"
#include "engine/solve/impulse/impulse.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#define TICKS 150
#define MAJOR 0.5  /* of rings [m] */
#define MINOR 0.15

enum { RING, GROUND, MESHES };

static struct scene scene;
static struct cn_mesh *mesh[MESHES];

static struct cn_mesh *
make(const cn_vec3 *vertex, int vertex_count, int32_t (*triangle)[3], int triangle_count)
{
    struct cn_mesh_def def = {.vertex_count = vertex_count, .triangle_count = triangle_count,
        .vertex = vertex, .triangle = (const int32_t(*)[3])triangle};
    struct cn_mesh *made;
    struct cn_defect defect;
    if (cn_mesh_make(&def, &made, &defect) != CN_OK) {
        fail_msg("%s %s", defect.path, defect.text);
    }
    return made;
}

static struct cn_mesh *
make_ring(void)
{
    static cn_vec3 vertex[160];
    static int32_t triangle[320][3];
    struct cn_torus torus = {MAJOR, MINOR, 16, 10};
    cn_torus_make(&torus, vertex, triangle);
    return make(vertex, 160, triangle, 320);
}

/* A slab of 10 by 10 m whose upper side has hills of 0.2 m, and whose lower side is flat. */
static struct cn_mesh *
make_ground(void)
{
    enum { SIDE = 21, TOP = SIDE * SIDE };
    static cn_vec3 vertex[2 * TOP];
    static int32_t triangle[4 * (SIDE - 1) * SIDE + 4 * (SIDE - 1)][3];
    int count = 0;
    for (int i = 0; i < TOP; i++) {
        double x = 0.5 * (i % SIDE) - 5.0, z = 0.5 * (int)(i / SIDE) - 5.0;
        double y = i % SIDE % 4 == 2 && i / SIDE % 4 == 2 ? 0.2 : 0.0;
        vertex[i] = cn_vec3_make(x, y, z);
        vertex[TOP + i] = cn_vec3_make(x, -1.0, z);
    }
    for (int i = 0; i + 1 < SIDE; i++) {
        for (int k = 0; k + 1 < SIDE; k++) {
            int a = i * SIDE + k, b = a + 1, c = a + SIDE, d = c + 1;
            int32_t top[4][3] = {{a, c, b}, {b, c, d}, {TOP + a, TOP + b, TOP + c},
                {TOP + b, TOP + d, TOP + c}};
            for (int t = 0; t < 4; t++) {
                for (int corner = 0; corner < 3; corner++) {
                    triangle[count][corner] = top[t][corner];
                }
                count++;
            }
        }
        const int32_t side[4][2] = {{i + 1, i}, {SIDE * (SIDE - 1) + i, SIDE * (SIDE - 1) + i + 1},
            {SIDE * i, SIDE * (i + 1)}, {SIDE * (i + 2) - 1, SIDE * (i + 1) - 1}};
        for (int s = 0; s < 4; s++) {
            int p = side[s][0], q = side[s][1];
            int32_t wall[2][3] = {{p, q, TOP + q}, {p, TOP + q, TOP + p}};
            for (int t = 0; t < 2; t++) {
                for (int corner = 0; corner < 3; corner++) {
                    triangle[count][corner] = wall[t][corner];
                }
                count++;
            }
        }
    }
    return make(vertex, 2 * TOP, triangle, count);
}

static int
set_up(void **state)
{
    (void)state;
    mesh[RING] = make_ring();
    mesh[GROUND] = make_ground();
    return 0;
}

static int
tear_down(void **state)
{
    (void)state;
    cn_mesh_drop(mesh[RING]);
    cn_mesh_drop(mesh[GROUND]);
    return 0;
}

static void
begin(void)
{
    scene_init_space(&scene, 9.81);
    snprintf(scene.def.settings.stepper, CN_NAME_SIZE, "time");
    snprintf(scene.def.settings.solver, CN_NAME_SIZE, "impulse");
    scene_friction(&scene, 0, 0.5);
    scene.material[0].rolling_friction = 0.05;
    scene.def.meshes = mesh;
    scene.def.mesh_count = MESHES;
}

static int
add(double x, double y, double z, struct cn_shape_def shape)
{
    int body = scene_circle(&scene, x, y, 0.1);
    scene.body[body].position.z = z;
    shape.density = 1000.0;
    scene.shape[body] = shape;
    return body;
}

static int
add_mesh(double x, double y, double z, int index)
{
    return add(x, y, z,
        (struct cn_shape_def){.kind = CN_SHAPE_MESH, .mesh = {index, mesh[index]}});
}

/* A ring whose axis is up; as made it is along z. */
static int
add_ring(double x, double y, double z)
{
    int body = add_mesh(x, y, z, RING);
    scene.body[body].orientation = (cn_quat){sqrt(0.5), sqrt(0.5), 0.0, 0.0};
    return body;
}

static int
add_ground(void)
{
    int body = add_mesh(0.0, 0.0, 0.0, GROUND);
    scene.body[body].type = CN_STATIC;
    return body;
}

static const cn_vec3 wedge[6] = {{-0.3, -0.2, -0.3}, {0.3, -0.2, -0.3}, {-0.3, -0.2, 0.3},
    {0.3, -0.2, 0.3}, {-0.3, 0.3, 0.0}, {0.3, 0.3, 0.0}};

/* All kinds over the ground, in a heap. */
static void
make_heap(int count)
{
    begin();
    add_ground();
    for (int i = 0; i < count; i++) {
        double x = 0.9 * (i % 3) - 0.9 + 0.01 * i, y = 0.8 + 0.25 * i, z = 0.8 * (i % 2) - 0.4;
        int body;
        switch (i % 5) {
        case 0:
            body = add(x, y, z, (struct cn_shape_def){.kind = CN_SHAPE_BOX,
                                    .box.size = {0.5, 0.4, 0.6}});
            break;
        case 1:
            body = add(x, y, z, (struct cn_shape_def){.kind = CN_SHAPE_SPHERE,
                                    .sphere.radius = 0.3});
            break;
        case 2:
            body = add(x, y, z, (struct cn_shape_def){.kind = CN_SHAPE_CAPSULE,
                                    .capsule = {0.2, 0.5}});
            break;
        case 3:
            body = add(x, y, z, (struct cn_shape_def){.kind = CN_SHAPE_HULL, .hull = {wedge, 6}});
            break;
        default:
            body = add_ring(x, y, z);
            break;
        }
        scene.body[body].angular_velocity = cn_vec3_make(0.3 * (i % 4), 0.2, -0.1 * (i % 7));
    }
}

static void
test_same_bits(void **state)
{
    (void)state;
    static uint64_t reference[TICKS], hash[TICKS];
    make_heap(30);
    hash_run(&scene, "plain", 1, TICKS, reference);
    for (int k = 0; cn_impulse_kernels[k] != NULL; k++) {
        if (!cn_impulse_kernel_runs(cn_impulse_kernels[k])) {
            continue;
        }
        hash_run(&scene, cn_impulse_kernels[k]->name, 1 + k % 3, TICKS, hash);
        for (int tick = 0; tick < TICKS; tick++) {
            if (hash[tick] != reference[tick]) {
                fail_msg("%s: tick %d differs", cn_impulse_kernels[k]->name, tick);
            }
        }
    }
}

static void
test_restored_goes_on(void **state)
{
    (void)state;
    make_heap(20);
    struct cn_world *world = scene_create(&scene), *other = scene_create(&scene);
    for (int tick = 0; tick < TICKS; tick++) {
        struct cn_world *again = scene_create(&scene);
        scene_restore(other, world);
        scene_restore(again, world);
        scene_ticks(other, 3);
        scene_ticks(again, 3);
        if (cn_world_hash(again) != cn_world_hash(other)) {
            fail_msg("tick %d", tick);
        }
        cn_world_destroy(again);
        scene_tick(world);
    }
    cn_world_destroy(other);

    struct cn_world *whole = scene_create(&scene);
    other = scene_create(&scene);
    scene_ticks(whole, TICKS / 3);
    scene_restore(other, whole);
    scene_ticks(whole, TICKS - TICKS / 3);
    scene_ticks(other, TICKS - TICKS / 3);
    assert_int_equal(cn_world_hash(whole), cn_world_hash(world));
    assert_int_equal(cn_world_hash(other), cn_world_hash(world));
    cn_world_destroy(whole);
    cn_world_destroy(other);
    cn_world_destroy(world);
}

/* Bodies within the ground's sides are above it and at rest. */
static void
check_rests(const struct cn_world *world, double speed)
{
    assert_true(scene_depth(world) < 0.02);
    for (int i = 0; i < cn_world_body_count(world); i++) {
        struct cn_body_view body = scene_view(world, i);
        bool within = fabs(body.position.x) < 4.5 && fabs(body.position.z) < 4.5;
        if (body.type != CN_DYNAMIC || !within) {
            continue;
        }
        if (!(body.position.y > 0.05) || !(cn_vec3_length(body.velocity) < speed)) {
            fail_msg("body %d is at %g, %g, %g with %g m/s", i, body.position.x, body.position.y,
                body.position.z, cn_vec3_length(body.velocity));
        }
    }
}

static void
test_room_comes_first(void **state)
{
    (void)state;
    for (int sleeps = 0; sleeps < 2; sleeps++) { /* with sleep a world needs more room */
        make_heap(60);
        scene.def.settings.sleep = sleeps != 0;
        struct cn_world *world = scene_create(&scene);
        scene_ticks(world, TICKS);
        struct cn_world_counts count = cn_world_count(world); /* the scene has room for 120 pairs */
        assert_true((sleeps != 0 || count.pair_count > 150) && count.repeat_count <= 1);
        cn_world_destroy(world);
    }
}

static void
test_heap_rests(void **state)
{
    (void)state;
    make_heap(30);
    scene.def.settings.sleep = false;
    struct cn_world *world = scene_create(&scene);
    scene_ticks(world, 900);
    check_rests(world, 0.1);
    cn_world_destroy(world);
}

/* Half of the height of a ring that lies flat: its tube has ten sides, one of which faces up. */
#define LYING (0.95106 * MINOR)

static void
test_ring_rests(void **state)
{
    (void)state;
    for (int on = 0; on < 3; on++) {
        begin();
        scene.def.settings.sleep = false;
        double top = 0.0;
        if (on == 0) {
            scene_floor(&scene);
        } else {
            int box = add(0.0, -0.5, 0.0, (struct cn_shape_def){.kind = CN_SHAPE_BOX,
                                              .box.size = {4.0, 1.0, 4.0}});
            scene.body[box].type = CN_STATIC;
        }
        if (on == 2) {
            add_ring(0.0, LYING + 0.01, 0.0);
            top = 2.0 * LYING;
        }
        int ring = add_ring(0.0, top + 0.4, 0.0);
        struct cn_world *world = scene_create(&scene);
        scene_ticks(world, 300);
        struct cn_body_view view = scene_view(world, ring);
        if (!(fabs(view.position.y - top - LYING) < 0.005) ||
            !(cn_vec3_length(view.velocity) < 0.01)) {
            fail_msg("on %d: at %g, %g, %g with %g m/s", on, view.position.x, view.position.y,
                view.position.z, cn_vec3_length(view.velocity));
        }
        cn_world_destroy(world);
    }
}

/* The links hang in each other, and the first one is static. */
static void
test_chain_hangs(void **state)
{
    (void)state;
    enum { LINKS = 8 };
    const double pitch = 2.0 * (MAJOR - MINOR) - 0.01;
    begin();
    scene.def.settings.sleep = false;
    for (int i = 0; i < LINKS; i++) {
        int body = add_mesh(0.0, -pitch * i, 0.0, RING);
        scene.body[body].type = i == 0 ? CN_STATIC : CN_DYNAMIC;
        if (i % 2 == 1) {
            scene.body[body].orientation = (cn_quat){sqrt(0.5), 0.0, sqrt(0.5), 0.0};
        }
    }
    struct cn_world *world = scene_create(&scene);
    for (int second = 0; second < 20; second++) {
        scene_ticks(world, 60);
        for (int i = 1; i < LINKS; i++) {
            double apart =
                cn_vec3_length(cn_vec3_sub(scene_view(world, i).position,
                    scene_view(world, i - 1).position));
            if (!(apart < 2.0 * (MAJOR - MINOR) + 0.03)) {
                fail_msg("after %d s links %d and %d are %g apart", second + 1, i - 1, i, apart);
            }
        }
    }
    assert_true(cn_vec3_length(scene_view(world, LINKS - 1).velocity) < 0.1);
    cn_world_destroy(world);
}

static void
test_sleeps_and_wakes(void **state)
{
    (void)state;
    begin();
    scene_floor(&scene);
    int ring = add_ring(0.0, MINOR + 0.01, 0.0);
    int ball = add(MAJOR, 40.0, 0.0,
        (struct cn_shape_def){.kind = CN_SHAPE_SPHERE, .sphere.radius = 0.2});
    struct cn_world *world = scene_create(&scene);
    scene_ticks(world, 120);
    assert_true(scene_view(world, ring).island >= 0);
    int tick = 0;
    while (scene_view(world, ring).island >= 0 && tick < 300) {
        scene_tick(world);
        tick++;
    }
    assert_true(tick < 300);
    assert_true(scene_view(world, ball).position.y < 1.5);
    assert_true(scene_view(world, ring).position.y > 0.05);
    cn_world_destroy(world);
}

static void
test_sensor_and_filter(void **state)
{
    (void)state;
    begin();
    scene_floor(&scene);
    int sensor = add_mesh(0.0, 2.0, 0.0, RING);
    scene.body[sensor].type = CN_STATIC;
    scene.shape[sensor].sensor = true;
    add(MAJOR, 3.0, 0.0, (struct cn_shape_def){.kind = CN_SHAPE_SPHERE, .sphere.radius = 0.1});
    int other = add_mesh(5.0, 2.0, 0.0, RING);
    scene.body[other].type = CN_STATIC;
    scene.shape[other].has_filter = true;
    scene.shape[other].filter = (struct cn_filter){2, 2, 0};
    int passes = add_ring(5.0, 3.5, 0.0);
    struct cn_world *world = scene_create(&scene);
    int began = 0, ended = 0;
    for (int tick = 0; tick < 120; tick++) {
        struct cn_event event;
        scene_tick(world);
        began += scene_events(world, CN_EVENT_SENSOR_BEGIN, &event);
        ended += scene_events(world, CN_EVENT_SENSOR_END, &event);
    }
    assert_true(began > 0);
    assert_int_equal(began, ended);
    assert_true(scene_view(world, passes).position.y < 1.0);
    cn_world_destroy(world);
}

static void
test_casts(void **state)
{
    (void)state;
    const cn_pose here = {{0.0, 0.0, 0.0}, cn_mat33_diagonal(1.0, 1.0, 1.0)};
    struct cn_placed_mesh placed = {mesh[RING], here};
    struct cn_shape ring = {.kind = CN_SHAPE_MESH, .dimension = CN_SPATIAL, .mesh = &placed};
    struct cn_cast_hit hit;
    cn_vec3 down = {0.0, 0.0, -4.0};
    /* Through the hole, and onto the tube, whose upper side is flat at that height. */
    assert_false(cn_cast_ray(&ring, &here, (cn_vec3){0.0, 0.0, 2.0}, down, 1.0, &hit));
    assert_true(cn_cast_ray(&ring, &here, (cn_vec3){MAJOR, 0.0, 2.0}, down, 1.0, &hit));
    assert_true(fabs(4.0 * hit.fraction - (2.0 - 0.95106 * MINOR)) < 1e-4);
    assert_true(hit.normal.z > 0.99 && !hit.is_inside);
    assert_true(cn_cast_ray(&ring, &here, (cn_vec3){MAJOR, 0.0, 0.0}, down, 1.0, &hit));
    assert_true(hit.is_inside);
    const cn_vec3 middle = {0.0, 0.0, 0.0};
    struct cn_convex ball = {.vertex_count = 1, .solid = &middle, .radius = 0.2};
    cn_pose above = here;
    above.position.z = 2.0;
    assert_false(cn_cast_shape(&ring, &here, &ball, &above, down, 1.0, &hit));
    above.position.x = MAJOR;
    assert_true(cn_cast_shape(&ring, &here, &ball, &above, down, 1.0, &hit));
    assert_true(fabs(4.0 * hit.fraction - (1.8 - 0.95106 * MINOR)) < 1e-4);
    above.position.z = 0.0;
    assert_true(cn_overlap(&ring, &here, &ball, &above));
    above.position.x = 0.0;
    assert_false(cn_overlap(&ring, &here, &ball, &above));
}

static void
test_fast_stop(void **state)
{
    (void)state;
    begin();
    add_ground();
    for (int i = 0; i < 20; i++) {
        double x = 0.4 * i - 4.0, z = 0.3 * (i % 5);
        int body = i % 4 == 3
                       ? add_ring(x, 3.0 + i, z)
                       : add(x, 3.0 + i, z,
                             (struct cn_shape_def){.kind = i % 2 ? CN_SHAPE_SPHERE : CN_SHAPE_BOX});
        if (scene.shape[body].kind == CN_SHAPE_BOX) {
            scene.shape[body].box.size = cn_vec3_make(0.2, 0.1, 0.2);
        } else if (scene.shape[body].kind == CN_SHAPE_SPHERE) {
            scene.shape[body].sphere.radius = 0.05;
        }
        scene.body[body].velocity.y = -40.0 - 8.0 * i;
        scene.body[body].angular_velocity = cn_vec3_make(1.0 * i, 3.0, 0.0);
    }
    struct cn_world *world = scene_create(&scene);
    for (int tick = 0; tick < 120; tick++) {
        scene_tick(world);
        for (int i = 1; i < cn_world_body_count(world); i++) {
            struct cn_body_view body = scene_view(world, i);
            bool within = fabs(body.position.x) < 4.9 && fabs(body.position.z) < 4.9;
            if (within && !(body.position.y > -0.1)) {
                fail_msg("tick %d: body %d at %g, %g, %g", tick, i, body.position.x,
                    body.position.y, body.position.z);
            }
        }
    }
    cn_world_destroy(world);
}

/* The bodies at which a ring is thrown, in the plane x = 0. */
enum target { WALL, SLAB, FIXED_RING, FREE_RING, TARGETS };

static void
add_target(enum target target)
{
    int body;
    if (target == WALL) {
        body = add(0.0, 0.0, 0.0,
            (struct cn_shape_def){.kind = CN_SHAPE_BOX, .box.size = {0.05, 10.0, 10.0}});
    } else if (target == SLAB) { /* on edge, with its flat side first */
        body = add_ground();
        scene.body[body].orientation = (cn_quat){sqrt(0.5), 0.0, 0.0, -sqrt(0.5)};
        scene.body[body].position.x = -1.0;
    } else {
        body = add_ring(0.0, 0.0, 0.0);
    }
    scene.body[body].type = target == FREE_RING ? CN_DYNAMIC : CN_STATIC;
}

/* From many distances, so that it is met at any place of a tick's way. */
static void
throw_ring(enum target target, double speed, int i)
{
    begin();
    scene.def.settings.sleep = false;
    scene.def.settings.gravity = cn_vec3_make(0.0, 0.0, 0.0);
    add_target(target);
    int ring = add_ring(-7.0 - 0.317 * i, 0.05, 0.03 * i - 0.3);
    scene.body[ring].velocity.x = speed;
    scene.body[ring].angular_velocity = cn_vec3_make(0.5 * i, 3.0 * (i % 5), 1.0);
    struct cn_world *world = scene_create(&scene);
    struct cn_body_view view = scene_view(world, ring), other = scene_view(world, 0);
    double momentum = view.mass * speed;
    for (int tick = 0; tick < 30; tick++) {
        scene_tick(world);
        view = scene_view(world, ring);
        other = scene_view(world, 0);
        if (target <= SLAB && !(view.position.x < 0.0)) {
            fail_msg("target %d, %g m/s, throw %d: at %g", target, speed, i, view.position.x);
        }
    }
    if (!(fabs(view.velocity.x - speed) > 0.01 * speed)) {
        fail_msg("target %d, %g m/s, throw %d: nothing was met", target, speed, i);
    }
    if (target == FREE_RING) {
        double now = view.mass * view.velocity.x + other.mass * other.velocity.x;
        assert_true(fabs(now - momentum) < 1e-4 * momentum);
    }
    cn_world_destroy(world);
}

static void
test_thrown_rings_hit(void **state)
{
    (void)state;
    static const double speed[] = {100.0, 200.0, 300.0};
    for (int target = 0; target < TARGETS; target++) {
        for (int k = 0; k < 3; k++) {
            for (int i = 0; i < 20; i++) {
                throw_ring((enum target)target, speed[k], i);
            }
        }
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ring_rests),
        cmocka_unit_test(test_chain_hangs),
        cmocka_unit_test(test_heap_rests),
        cmocka_unit_test(test_room_comes_first),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_restored_goes_on),
        cmocka_unit_test(test_sleeps_and_wakes),
        cmocka_unit_test(test_sensor_and_filter),
        cmocka_unit_test(test_casts),
        cmocka_unit_test(test_fast_stop),
        cmocka_unit_test(test_thrown_rings_hit),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
