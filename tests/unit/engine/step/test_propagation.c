/*
 * test_propagation.c: the stepper `propagation`: stacks, joints, meshes among all kinds of shapes.
 */
#include "engine/mesh/torus.h"
#include "engine/state/image.h"
#include "engine/step/propagation/propagation.h"
#include "engine/world/world_inside.h"
#include "tests/support/near.h"
#include "tests/support/world/scene.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct scene scene;
static struct cn_mesh *cube, *ring;

static void
begin(bool space)
{
    if (space) {
        scene_init_space(&scene, 10.0);
    } else {
        scene_init(&scene, 10.0);
    }
    snprintf(scene.def.settings.stepper, CN_NAME_SIZE, "propagation");
    snprintf(scene.def.settings.solver, CN_NAME_SIZE, "guendelman03");
    scene_friction(&scene, 0, 0.5);
}

static int
set_up(void **state)
{
    (void)state;
    static const cn_vec3 corner[8] = {{-0.5, -0.5, -0.5}, {0.5, -0.5, -0.5}, {-0.5, 0.5, -0.5},
        {0.5, 0.5, -0.5}, {-0.5, -0.5, 0.5}, {0.5, -0.5, 0.5}, {-0.5, 0.5, 0.5}, {0.5, 0.5, 0.5}};
    static const int32_t side[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4},
        {1, 5, 4}, {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    struct cn_mesh_def def = {.vertex_count = 8, .triangle_count = 12, .vertex = corner,
        .triangle = side, .sharp = true};
    struct cn_defect defect;
    assert_int_equal(cn_mesh_make(&def, &cube, &defect), CN_OK);
    static cn_vec3 vertex[24 * 12];
    static int32_t triangle[2 * 24 * 12][3];
    const struct cn_torus torus = {1.0, 0.3, 24, 12};
    cn_torus_make(&torus, vertex, triangle);
    def = (struct cn_mesh_def){.vertex_count = 24 * 12, .triangle_count = 2 * 24 * 12,
        .vertex = vertex, .triangle = (const int32_t(*)[3])triangle};
    assert_int_equal(cn_mesh_make(&def, &ring, &defect), CN_OK);
    return 0;
}

static int
tear_down(void **state)
{
    (void)state;
    cn_mesh_drop(cube);
    cn_mesh_drop(ring);
    return 0;
}

/* A body whose shape is mesh number `index` of cube and ring. */
static int
add_mesh(int index, double x, double y)
{
    static struct cn_mesh *meshes[2];
    meshes[0] = cube;
    meshes[1] = ring;
    scene.def.meshes = meshes;
    scene.def.mesh_count = 2;
    int body = scene_box(&scene, x, y, 1.0, 1.0);
    scene.shape[body].kind = CN_SHAPE_MESH;
    scene.shape[body].mesh.index = index;
    scene.shape[body].mesh.mesh = meshes[index];
    scene.shape[body].density = 1.0;
    return body;
}

static void
test_stack(void **state)
{
    (void)state;
    for (int space = 0; space < 2; space++) {
        begin(space);
        scene.material[0].restitution = 1.0;
        scene_floor(&scene);
        for (int i = 0; i < 20; i++) {
            int box = scene_box(&scene, 0.0, 0.5 + i, 1.0, 1.0);
            scene.shape[box].box.size.z = 1.0;
            scene.body[box].mass = 1.0;
        }
        struct cn_world *world = scene_create(&scene);
        for (int t = 0; t < 60; t++) {
            scene_tick(world);
            for (int i = 1; i <= 20; i++) { /* exactly, after the first shock */
                struct cn_body_view view = scene_view(world, i);
                assert_true(cn_vec3_length(view.velocity) == 0.0);
                assert_true(cn_vec3_length(view.angular_velocity) == 0.0);
                assert_true(view.position.y == 0.5 + (i - 1));
            }
        }
        assert_true(fabs(scene_contacts(world, 19, 20).force - 10.0) < 0.01);
        cn_world_destroy(world);
    }
}

/* All kinds of joints hold a hanging body where it is. */
static void
test_joints(void **state)
{
    (void)state;
    for (int kind = 0; kind < CN_JOINT_KIND_COUNT; kind++) {
        if (kind == CN_JOINT_TRACK || kind == CN_JOINT_DISTANCE || kind == CN_JOINT_ROPE) {
            continue;
        }
        begin(true);
        int body = scene_box(&scene, 0.5, 0.0, 1.0, 0.2);
        scene.shape[body].box.size.z = 0.2;
        scene.body[body].mass = 2.0;
        (void)scene_joint(
            &scene, (enum cn_joint_kind)kind, -1, body, cn_vec3_make(0.0, 0.0, 0.0));
        struct cn_world *world = scene_create(&scene);
        double energy = cn_world_energy(world).total;
        for (int t = 0; t < 60; t++) {
            scene_tick(world);
            struct cn_joint_view view;
            cn_world_joint_view(world, 0, &view);
            assert_true(view.gap < 1e-3);
            assert_true(cn_world_energy(world).total < energy + 0.2);
        }
        cn_world_destroy(world);
    }
}

/* Lets a body fall on the other bodies of the scene; returns its height at rest. */
static double
height_at_rest(int body)
{
    struct cn_world *world = scene_create(&scene);
    scene_ticks(world, 150);
    struct cn_body_view view = scene_view(world, body);
    assert_true(cn_vec3_length(view.velocity) < 1e-3);
    cn_world_destroy(world);
    return view.position.y;
}

static void
test_mesh_on_others(void **state)
{
    (void)state;
    for (int under = 0; under < 4; under++) {
        begin(true);
        if (under == 0) {
            scene_floor(&scene);
        } else if (under == 3) {
            scene.body[add_mesh(0, 0.0, -0.5)].type = CN_STATIC;
        } else {
            int box = scene_box(&scene, 0.0, -0.5, 3.0, 1.0);
            scene.body[box].type = CN_STATIC;
            scene.shape[box].box.size.z = 3.0;
        }
        int body = add_mesh(0, 0.2, 0.7); /* coincident edges have no unique normal */
        scene.body[body].position.z = 0.15;
        assert_true(fabs(height_at_rest(body) - 0.5) < 0.005);
    }
    begin(true);
    scene_floor(&scene);
    int body = add_mesh(1, 0.0, 0.6); /* the ring's axis is z; it is laid down */
    scene.body[body].orientation = (cn_quat){sqrt(0.5), sqrt(0.5), 0.0, 0.0};
    assert_true(fabs(height_at_rest(body) - 0.3) < 0.02);
}

static void
test_others_on_mesh(void **state)
{
    static const cn_vec3 corner[4] = {
        {-0.2, -0.1, -0.2}, {0.2, -0.1, -0.2}, {0.0, -0.1, 0.3}, {0.0, 0.4, 0.0}};
    (void)state;
    for (int over = 0; over < 4; over++) {
        begin(true);
        scene.body[add_mesh(0, 0.0, -0.5)].type = CN_STATIC;
        int body = scene_box(&scene, 0.05, 0.4, 0.4, 0.4);
        double expected = 0.2;
        scene.shape[body].box.size.z = 0.4;
        if (over == 1) {
            scene.shape[body].kind = CN_SHAPE_SPHERE;
            scene.shape[body].sphere.radius = 0.2;
            scene.body[body].position.x = 0.0;
        } else if (over == 2) {
            scene.shape[body].kind = CN_SHAPE_CAPSULE;
            scene.shape[body].capsule.radius = 0.2;
            scene.shape[body].capsule.length = 0.4;
            scene.body[body].orientation = (cn_quat){sqrt(0.5), sqrt(0.5), 0.0, 0.0};
            scene.body[body].position.x = 0.0;
        } else if (over == 3) {
            scene.shape[body].kind = CN_SHAPE_HULL;
            scene.shape[body].hull.vertices = corner;
            scene.shape[body].hull.vertex_count = 4;
            expected = 0.1;
        }
        scene.shape[body].density = 1.0;
        assert_true(fabs(height_at_rest(body) - expected) < 0.005);
    }
}

/* Two links of a chain: the lower one hangs in the upper one and stays there. */
static void
test_links(void **state)
{
    (void)state;
    begin(true);
    scene.body[add_mesh(1, 0.0, 0.0)].type = CN_STATIC;
    int lower = add_mesh(1, 0.0, -1.2);
    scene.body[lower].orientation = (cn_quat){sqrt(0.5), 0.0, sqrt(0.5), 0.0};
    struct cn_world *world = scene_create(&scene);
    for (int t = 0; t < 240; t++) {
        scene_tick(world);
        assert_true(scene_depth(world) < 0.03);
        assert_true(scene_view(world, lower).position.y > -1.5); /* 1.4: tube on tube */
    }
    assert_true(cn_world_energy(world).kinetic < 1e-2);
    cn_world_destroy(world);
}

/* The world can read its own image. */
static void
check_image(struct cn_world *world)
{
    uint64_t hash = cn_world_hash(world);
    size_t size = cn_world_image_size(world);
    void *image = malloc(size);
    assert_non_null(image);
    assert_int_equal(cn_world_image_write(world, image, size), size);
    assert_int_equal(cn_world_image_read(world, image, size, NULL), CN_OK);
    assert_int_equal(cn_world_hash(world), hash);
    free(image);
}

/* Impulses of a joint and of a contact that are not finite are dropped; finite ones are kept. */
static void
test_runaway(void **state)
{
    static const double impulses[] = {0.5, HUGE_VAL, -HUGE_VAL, (double)NAN};
    (void)state;
    for (int k = 0; k < 8; k++) {
        begin(true);
        scene_floor(&scene);
        int box = scene_box(&scene, 0.0, 0.5, 1.0, 1.0);
        scene_joint(&scene, CN_JOINT_BALL, -1, box, cn_vec3_make(0.0, 1.0, 0.0));
        struct cn_world *world = scene_create(&scene);
        struct cn_joint_row row = {.id = 0};
        double along = impulses[k % 4];
        cn_vec3 push = {k < 4 ? 0.0 : along, along, 0.0};
        struct cn_contact contact = {
            .shape_b = 1, .body_b = box, .normal = cn_vec3_make(0.0, 1.0, 0.0)};
        struct cn_spot spot = {.impulse = push, .now.normal = contact.normal};
        struct cn_meeting meeting = {.shape_b = 1, .body_b = box, .spot_count = 1, .sliding = 0.5};
        struct cn_warm_start kept;
        struct cn_propagation p = {.model = &world->model, .h = 0.25, .joint = &row,
            .joint_impulse = &along, .joint_count = 1, .contact = &contact, .spot = &spot,
            .spot_count = 1, .meeting = &meeting, .pair_count = 1, .kept = &kept};
        cn_propagation_keep(&p);
        assert_true(world->model.joint_state[0].force[0] == (k % 4 == 0 ? 2.0 : 0.0));
        assert_int_equal(world->model.warm_count, 1);
        assert_true(world->model.warm[0].force == (k % 4 == 0 ? 2.0 : 0.0));
        check_image(world);
        cn_world_destroy(world);
    }
}

/* A phase that moves two bodies of 1 and 10,000 kg from 1 and 0 m/s to 1/2 m/s each. */
struct phase {
    struct cn_propagation p;
    struct cn_mover mover[3];
    cn_pose pose[3];
    uint64_t changed[3];
    bool fixed[3];
    struct cn_meeting meeting;
    struct cn_spot spot;
    struct cn_tie tie;
    struct cn_joint_row joint;
    double joint_impulse, joint_offset;
    struct cn_twist velocity[3];
    int32_t island[3];
    struct cn_island_gain sum[3];
    cn_vec3 impulse, couple;
    double joint_before;
    int64_t work;
};

static void
end_phase(struct phase *a, struct cn_world *world)
{
    struct cn_propagation *p = &a->p;
    *p = (struct cn_propagation){.model = &world->model, .work = &a->work,
        .planar = true, .mover = a->mover, .pose = a->pose, .changed = a->changed,
        .fixed = a->fixed, .meeting = &a->meeting, .pair_count = 1, .spot = &a->spot,
        .spot_count = 1, .joint = &a->joint, .joint_impulse = &a->joint_impulse,
        .joint_offset = &a->joint_offset, .tie = &a->tie, .tie_count = p->tie_count,
        .joint_count = p->tie_count,
        .energy = {a->velocity, &a->impulse, &a->couple, &a->joint_before, a->island, a->sum}};
    a->meeting = (struct cn_meeting){.body_a = 0, .body_b = 1, .spot_count = 1};
    a->spot = (struct cn_spot){.pair = 0};
    a->mover[0].velocity.linear = cn_vec3_make(0.0, 1.0, 0.0);
    a->mover[1].velocity.linear = cn_vec3_make(0.0, 0.0, 0.0);
    a->mover[2].velocity.linear = cn_vec3_make(3.0, 0.0, 0.0);
    cn_propagation_energy_begin(p);
    a->mover[0].velocity.linear.y = 0.5;
    a->mover[1].velocity.linear.y = 0.5;
    a->mover[2].velocity.linear.x = 2.0;
    a->spot.impulse = cn_vec3_make(0.0, 5000.0, 0.0);
    a->joint_impulse = 8.0;
    cn_propagation_energy_end(p);
}

static void
test_no_phase_adds_energy(void **state)
{
    (void)state;
    begin(false);
    const double mass[3] = {1.0, 1e4, 1.0};
    for (int i = 0; i < 3; i++) {
        scene.body[scene_box(&scene, 2.0 * i, 5.0, 1.0, 1.0)].mass = mass[i];
    }
    struct cn_joint_def *hinge =
        scene_joint(&scene, CN_JOINT_HINGE, 0, 1, cn_vec3_make(1.0, 5.0, 0.0));
    hinge->has_motor = true;
    struct cn_world *world = scene_create(&scene);
    struct phase a = {0};
    /* (v + s d)^2 of both is as before: -s / 2 + s^2 (1 + 10^4) / 8 = 0. */
    double part = 4.0 / (1.0 + 1e4);
    end_phase(&a, world);
    assert_near(a.mover[0].velocity.linear.y, 1.0 - 0.5 * part, 1e-15);
    assert_near(a.mover[1].velocity.linear.y, 0.5 * part, 1e-15);
    assert_near(a.spot.impulse.y, 5000.0 * part, 1e-11);
    assert_true(a.mover[2].velocity.linear.x == 2.0); /* another island, which lost some */
    assert_true(a.changed[0] == a.p.clock && a.changed[1] == a.p.clock && a.changed[2] == 0);

    /* A joint between them gets the same part of its impulse, added to the one it had. */
    a = (struct phase){.joint_impulse = 3.0, .p.tie_count = 1};
    a.tie = (struct cn_tie){.body_a = 0, .body_b = 1, .count = 1, .hold_count = 1};
    a.joint = (struct cn_joint_row){.row = {.body_a = 0, .body_b = 1},
        .tag = CN_ROW_BILATERAL,
        .id = cn_joint_id(0, CN_JOINT_PART_MOTOR)};
    end_phase(&a, world);
    assert_near(a.mover[1].velocity.linear.y, 0.5 * part, 1e-15);
    assert_near(a.joint_impulse, 3.0 + 5.0 * part, 1e-14);

    /* A motor does work, so no impulse is taken back. */
    a.p.tie_count = 1;
    a.joint.tag = CN_ROW_BOUNDED;
    end_phase(&a, world);
    assert_true(a.mover[1].velocity.linear.y == 0.5 && a.spot.impulse.y == 5000.0);

    /* Friction has a bound like a motor, but does no work. */
    a.p.tie_count = 1;
    world->model.joint[0].has_motor = false;
    end_phase(&a, world);
    assert_near(a.mover[1].velocity.linear.y, 0.5 * part, 1e-15);
    world->model.joint[0].has_motor = true;

    /* A kinematic body does work, too. */
    a = (struct phase){.fixed = {true, false, false}};
    end_phase(&a, world);
    assert_true(a.mover[1].velocity.linear.y == 0.5);
    cn_world_destroy(world);
}

/*
 * A light box is between a ground and a box 246,000 times heavier, with others on top.  In the norm
 * of M no velocity grows in a tick by more than gravity adds.
 */
static void
test_light_below_heavy(void **state)
{
    (void)state;
    static const struct {
        cn_vec3 at, size;
        double mass;
    } boxes[] = {{{0.24, 0.169, -0.135}, {0.81, 0.338, 0.443}, 0.0386},
        {{0.026, 0.5896, 0.088}, {1.25, 0.501, 0.905}, 9507.0},
        {{-0.158, 1.1537, -0.137}, {0.70, 0.627, 0.76}, 0.0098},
        {{-0.364, 1.627, 0.015}, {1.345, 0.318, 0.56}, 544.0},
        {{-0.564, 2.008, -0.062}, {0.983, 0.444, 0.542}, 1631.0}};
    begin(true);
    scene_floor(&scene);
    scene_friction(&scene, 0, 0.0);
    for (size_t i = 0; i < sizeof(boxes) / sizeof(boxes[0]); i++) {
        int body = scene_box(&scene, boxes[i].at.x, boxes[i].at.y, 1.0, 1.0);
        scene.shape[body].box.size = boxes[i].size;
        scene.body[body].position.z = boxes[i].at.z;
        scene.body[body].mass = boxes[i].mass;
    }
    struct cn_world *world = scene_create(&scene);
    double total = 0.0, speed = 0.0;
    for (size_t i = 0; i < sizeof(boxes) / sizeof(boxes[0]); i++) {
        total += boxes[i].mass;
    }
    for (int t = 0; t < 60; t++) {
        scene_tick(world);
        double after = sqrt(2.0 * cn_world_energy(world).kinetic);
        assert_true(after <= speed + 10.0 / 60.0 * sqrt(total) + 1e-9);
        speed = after;
    }
    cn_world_destroy(world);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_stack),
    cmocka_unit_test(test_joints),
    cmocka_unit_test(test_mesh_on_others),
    cmocka_unit_test(test_others_on_mesh),
    cmocka_unit_test(test_links),
    cmocka_unit_test(test_runaway),
    cmocka_unit_test(test_no_phase_adds_energy),
    cmocka_unit_test(test_light_below_heavy),
};

int
main(void)
{
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
