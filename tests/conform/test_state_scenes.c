/*
 * test_state_scenes.c: the laws of test_state.c about restored worlds, for worlds with friction,
 * joints and motors, in the plane and in space, and for meshes under `propagation`.
 *
 *   1. a world restored at any tick continues with the bits of one that never stopped
 *   2. the same holds for a world that steps in small pieces and is restored between them
 */
#include "engine/mesh/torus.h"
#include "tests/support/world/scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#define TICKS 60

static struct scene scene;

/* Rough blocks that tumble on each other, and a hinged arm with a limit that strikes them. */
static void
make_plane(void)
{
    scene_init(&scene, 9.81);
    scene_friction(&scene, 0, 0.5);
    scene.material[0].restitution = 0.3;
    scene_floor(&scene);
    for (int i = 0; i < 3; i++) {
        int block = scene_box(&scene, 0.3 * i, 0.4 + 0.6 * i, 0.8, 0.5);
        scene.body[block].angle = 0.2 * i;
        scene.body[block].velocity.x = -0.5 * i;
    }
    int arm = scene_capsule(&scene, -1.5, 1.5, 0.1, 1.0);
    int bob = scene_circle(&scene, -2.6, 1.2, 0.15);
    scene.body[arm].angular_velocity.z = 2.0;
    struct cn_joint_def *hinge =
        scene_joint(&scene, CN_JOINT_HINGE, -1, arm, cn_vec3_make(-1.5, 2.0, 0.0));
    hinge->has_limit = true;
    hinge->lower = -0.4;
    hinge->upper = 1.2;
    scene_rod(&scene, CN_JOINT_ROPE, arm, bob, cn_vec3_make(-1.5, 1.0, 0.0),
        cn_vec3_make(-2.6, 1.2, 0.0));
}

/* The same in space, with a motor, an orientation each, and a spinning ball. */
static void
make_space(void)
{
    scene_init_space(&scene, 9.81);
    scene_friction(&scene, 0, 0.5);
    scene.material[0].restitution = 0.3;
    scene_floor(&scene);
    int box = scene_box(&scene, 0.0, 0.6, 0.8, 0.5);
    scene.body[box].orientation = (cn_quat){0.95, 0.2, 0.1, 0.15};
    scene.body[box].angular_velocity = cn_vec3_make(1.0, 2.0, -1.0);
    int ball = scene_box(&scene, 0.3, 1.3, 0.4, 0.4);
    scene.shape[ball] = (struct cn_shape_def){.kind = CN_SHAPE_SPHERE, .sphere = {.radius = 0.2}};
    scene.body[ball].angular_velocity = cn_vec3_make(0.0, 30.0, 5.0);
    int rotor = scene_rotor(&scene, 0.1, 0.12, 0.15), arm = scene_rotor(&scene, 0.01, 0.02, 0.02);
    scene.body[rotor].position = cn_vec3_make(-3.0, 2.0, 0.0);
    scene.body[arm].position = cn_vec3_make(-2.5, 2.0, 0.3);
    scene.body[arm].velocity.z = 1.0;
    struct cn_joint_def *hinge =
        scene_joint(&scene, CN_JOINT_HINGE, -1, rotor, cn_vec3_make(-3.0, 2.0, 0.0));
    hinge->axis = cn_vec3_make(0.1, 0.2, 1.0);
    hinge->has_motor = true;
    hinge->motor_speed = 4.0;
    hinge->motor_force_max = 1.5;
    scene_joint(&scene, CN_JOINT_BALL, rotor, arm, cn_vec3_make(-2.8, 2.1, 0.2));
}

/* Rings that fall over a post, fast enough that ticks have several steps; the paper's stepper. */
static void
make_rings(struct cn_mesh **ring, int literal)
{
    scene_init_space(&scene, 9.81);
    snprintf(scene.def.settings.stepper, CN_NAME_SIZE, "propagation");
    snprintf(scene.def.settings.solver, CN_NAME_SIZE, "guendelman03");
    scene.def.settings.propagation.literal = literal;
    scene.def.seed = 7;
    scene_friction(&scene, 0, 0.5);
    scene.material[0].restitution = 0.2;
    scene_floor(&scene);
    scene.def.meshes = ring;
    scene.def.mesh_count = 1;
    for (int i = 0; i < 5; i++) {
        int body = scene_box(&scene, 0.1 * i, 0.9 + 0.8 * i, 1.0, 1.0);
        scene.shape[body] = (struct cn_shape_def){
            .kind = CN_SHAPE_MESH, .mesh = {.mesh = ring[0]}, .density = 100.0};
        scene.body[body].orientation = (cn_quat){0.8, 0.6, 0.0, 0.0};
        scene.body[body].velocity.y = -12.0;
        scene.body[body].angular_velocity.z = 2.0 * i;
    }
}

static void
tick(struct cn_world *world)
{
    while (cn_world_step(world, CN_WORK_UNLIMITED) == CN_STEP_MORE) {
    }
}

static void
restore_from_every_tick(void)
{
    struct cn_world *original = scene_create(&scene), *restored = scene_create(&scene);
    for (int t = 0; t < TICKS; t++) {
        scene_restore(restored, original);
        tick(original);
        tick(restored);
        assert_int_equal(cn_world_hash(restored), cn_world_hash(original));
    }
    cn_world_destroy(original);
    cn_world_destroy(restored);
}

static void
restore_between_pieces(void)
{
    struct cn_world *whole = scene_create(&scene), *pieces = scene_create(&scene);
    struct cn_world *restored = scene_create(&scene);
    int more_count = 0;
    for (int t = 0; t < TICKS; t++) {
        tick(whole);
        while (cn_world_step(pieces, 1) == CN_STEP_MORE) {
            if (++more_count % 4 == 0) {
                scene_restore(restored, pieces);
                struct cn_world *swapped = pieces;
                pieces = restored;
                restored = swapped;
            }
        }
        assert_int_equal(cn_world_hash(pieces), cn_world_hash(whole));
    }
    assert_true(more_count > TICKS / 4);
    cn_world_destroy(whole);
    cn_world_destroy(pieces);
    cn_world_destroy(restored);
}

static void
test_plane(void **state)
{
    (void)state;
    make_plane();
    restore_from_every_tick();
    restore_between_pieces();
}

static void
test_space(void **state)
{
    (void)state;
    make_space();
    restore_from_every_tick();
    restore_between_pieces();
}

static void
test_rings(void **state)
{
    enum { MAJOR = 16, MINOR = 10 };
    static cn_vec3 vertex[MAJOR * MINOR];
    static int32_t triangle[2 * MAJOR * MINOR][3];
    const struct cn_torus torus = {0.5, 0.15, MAJOR, MINOR};
    const struct cn_mesh_def def = {.vertex_count = MAJOR * MINOR,
        .triangle_count = 2 * MAJOR * MINOR,
        .vertex = vertex,
        .triangle = (const int32_t(*)[3])triangle};
    struct cn_mesh *ring;
    struct cn_defect defect;
    (void)state;
    cn_torus_make(&torus, vertex, triangle);
    assert_int_equal(cn_mesh_make(&def, &ring, &defect), CN_OK);
    for (int literal = 0; literal < 2; literal++) {
        make_rings(&ring, literal);
        restore_from_every_tick();
        restore_between_pieces();
    }
    cn_mesh_drop(ring);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plane),
        cmocka_unit_test(test_space),
        cmocka_unit_test(test_rings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
