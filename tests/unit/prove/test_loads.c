/*
 * test_loads.c: a check counts forces other than gravity as the world does, and refuses features
 * that it does not support, with their names.  Margins are known by hand, and every answer's
 * certificate is verified.
 */
#include "prove/touch.h"
#include "prove/write.h"
#include "tests/support/world/scene.h"
#include "verify/verify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct scene scene;
static struct cn_constant_force_def force;
static struct cn_joint_def joint;
static struct cn_spring_def spring;

/* The verdict, after the certificate has been verified; the margin is p/q. */
static void
expect(enum pv_verdict verdict, long p, unsigned long q)
{
    struct pv_choice choice = {.side_contacts = true, .friction = true, .start = true};
    struct pv_answer answer;
    struct cn_defect defect;
    struct vf_finding finding;
    struct wire_json json;
    assert_int_equal(pv_answer_init(&answer, &scene.def, &choice, &defect), CN_OK);
    assert_int_equal(answer.verdict, verdict);
    assert_int_equal(mpq_cmp_si(answer.margin, p, q), 0);
    assert_int_equal(pv_answer_find_start(&answer, &defect), CN_OK);
    assert_int_equal(answer.has_start, verdict == PV_UNSTABLE && !answer.with_friction);
    wire_json_init(&json, false);
    pv_write(&json, &answer);
    char *text = wire_json_take(&json);
    if (!vf_verify(&scene.def, text, strlen(text), &finding)) {
        fail_msg("%s\n%s", finding.text, text);
    }
    free(text);
    pv_answer_finish(&answer);
}

static void
refuses(const char *path)
{
    struct pv_choice choice = {.side_contacts = true, .friction = true};
    struct pv_answer answer;
    struct cn_defect defect;
    enum cn_status status = pv_answer_init(&answer, &scene.def, &choice, &defect);
    assert_int_equal(status, CN_RANGE);
    assert_string_equal(defect.path, path);
}

/* A box of 1 kg and 1 m on a floor, g = 8 m/s^2. */
static int
make_box(bool spatial)
{
    scene_init(&scene, 8.0);
    scene.def.settings.dimension = spatial ? CN_SPATIAL : CN_PLANAR;
    scene_floor(&scene);
    int box = scene_box(&scene, 0.0, 0.5, 1.0, 1.0);
    scene.shape[box].box.size.z = 1.0;
    scene.body[box].mass = 1.0;
    return box;
}

static void
add_force(int body)
{
    force = (struct cn_constant_force_def){.body = body};
    scene.def.constant_forces = &force;
    scene.def.constant_force_count = 1;
}

static void
test_gravity_scale(void **state)
{
    (void)state;
    for (int spatial = 0; spatial < 2; spatial++) {
        int box = make_box(spatial), ends = spatial ? 4 : 2;
        expect(PV_STABLE, 8, (unsigned long)ends);
        scene.body[box].gravity_scale = 0.25;
        expect(PV_STABLE, 2, (unsigned long)ends);
        scene.body[box].gravity_scale = 0.0; /* nothing pulls, nothing presses */
        expect(PV_CRITICAL, 0, 1);
        scene.body[box].gravity_scale = -1.0; /* upwards: it leaves */
        expect(PV_UNSTABLE, -8, (unsigned long)ends);
    }
}

/*
 * A see-saw of two unequal loads: a plank on an edge block, a light one on its left that gravity
 * pulls four times as much as it pulls the heavier one on its right.
 */
static void
test_scaled_balance(void **state)
{
    (void)state;
    scene_init(&scene, 10.0);
    int block = scene_box(&scene, 0.0, -0.5, 1.0, 1.0);
    scene.body[block].type = CN_STATIC;
    int plank = scene_box(&scene, 0.0, 0.25, 4.0, 0.5);
    int left = scene_box(&scene, -1.5, 0.75, 0.5, 0.5);
    int right = scene_box(&scene, 1.5, 0.75, 0.5, 0.5);
    scene.body[plank].mass = 1.0;
    scene.body[left].mass = 1.0;
    scene.body[right].mass = 4.0;
    scene.body[left].gravity_scale = 4.0; /* 40 N each side: it stands in the middle */
    expect(PV_STABLE, 20, 1);             /* half of 40 N, an end of what lies on the plank */
    scene.body[left].gravity_scale = 1.0; /* turns about the block's right end: 61 > 0.5 50 */
    struct pv_choice choice = {.side_contacts = true, .friction = true};
    struct pv_answer answer;
    struct cn_defect defect;
    assert_int_equal(pv_answer_init(&answer, &scene.def, &choice, &defect), CN_OK);
    assert_int_equal(answer.verdict, PV_UNSTABLE);
    pv_answer_finish(&answer);
}

static void
test_constant_forces(void **state)
{
    (void)state;
    for (int spatial = 0; spatial < 2; spatial++) {
        int box = make_box(spatial);
        unsigned long ends = spatial ? 4 : 2;
        add_force(box);
        force.force.y = -4.0; /* at the centre of mass */
        expect(PV_STABLE, 12, ends);
        force.force.y = 7.0;
        expect(PV_STABLE, 1, ends);
        force.force.y = 9.0;
        expect(PV_UNSTABLE, -1, ends);
        force.force.y = 2.0; /* at the right edge: 1 N m, and the left feet have 4 N, the right 2 */
        force.has_at = true;
        force.at = cn_vec3_make(0.5, 0.0, 0.0);
        expect(PV_STABLE, 2 * 1, spatial ? 2 : 1);
        force = (struct cn_constant_force_def){.body = box, .torque = {0.0, 0.0, 3.0}};
        expect(PV_STABLE, 1, spatial ? 2 : 1); /* 8/2 - 3: 1 N on the left */
        force.torque.z = -5.0;
        expect(PV_UNSTABLE, -1, spatial ? 2 : 1);
    }
}

/* In the frame of a body that is turned by a half turn "up" is down. */
static void
test_force_of_the_body(void **state)
{
    (void)state;
    for (int spatial = 0; spatial < 2; spatial++) {
        int box = make_box(spatial);
        if (spatial) {
            scene.body[box].orientation = (cn_quat){0.0, 0.0, 0.0, 1.0};
        } else {
            scene.def.settings.gravity.y = -8.0;
        }
        add_force(box);
        force.force.y = 4.0;
        force.frame = CN_FRAME_BODY;
        expect(PV_STABLE, spatial ? 12 : 4, spatial ? 4 : 2);
    }
}

/* Of materials without friction a push sideways moves the box; with mu = 1/2 up to 4 N do not. */
static void
test_push(void **state)
{
    (void)state;
    int box = make_box(false);
    add_force(box);
    force.force.x = 3.0;
    force.has_at = true;
    force.at = cn_vec3_make(0.0, -0.5, 0.0); /* at the floor: it does not tip */
    struct pv_choice choice = {.side_contacts = true, .friction = true};
    struct pv_answer answer;
    struct cn_defect defect;
    assert_int_equal(pv_answer_init(&answer, &scene.def, &choice, &defect), CN_OK);
    assert_int_equal(answer.kind, PV_NO_FORCE);
    pv_answer_finish(&answer);
    scene.material[0].static_friction = 0.5;
    expect(PV_STABLE, 1, 1); /* 2 (4 - t) / 2 >= 3 */
    force.force.x = 4.0;
    expect(PV_CRITICAL, 0, 1);
    force.force.x = 5.0;
    expect(PV_UNSTABLE, -1, 1);
}

/* Sensors neither carry nor weigh; filters keep a body from its support. */
static void
test_what_does_not_touch(void **state)
{
    (void)state;
    int box = make_box(false);
    static struct cn_shape_def shapes[2];
    shapes[0] = scene.shape[box];
    shapes[1] = scene.shape[box];
    shapes[1].sensor = true;
    shapes[1].position.x = 5.0; /* as a shape it would tip the body */
    scene.body[box].shapes = shapes;
    scene.body[box].shape_count = 2;
    expect(PV_STABLE, 4, 1);
    shapes[0].has_filter = true;
    shapes[0].filter = (struct cn_filter){2, 2, 0};
    struct pv_choice choice = {.side_contacts = true, .friction = true};
    struct pv_answer answer;
    struct cn_defect defect;
    assert_int_equal(pv_answer_init(&answer, &scene.def, &choice, &defect), CN_OK);
    assert_int_equal(answer.kind, PV_NO_FORCE);
    pv_answer_finish(&answer);
}

static void
test_refused(void **state)
{
    (void)state;
    int box = make_box(false);
    scene.body[box].locks = 1;
    refuses("bodies[1].locks");
    scene.body[box].locks = 0;
    scene.body[0].type = CN_KINEMATIC;
    scene.body[0].velocity.x = 1.0;
    refuses("bodies[0].velocity");
    scene.body[0].velocity.x = 0.0;
    scene.body[0].angular_velocity.z = 1.0;
    refuses("bodies[0].angularVelocity");
    scene.body[0].angular_velocity.z = 0.0;
    expect(PV_STABLE, 4, 1); /* it rests */
    scene.def.settings.gravitation = 1.0;
    refuses("forces");
    scene.def.settings.gravitation = 0.0;
    scene.def.springs = &spring;
    scene.def.spring_count = 1;
    refuses("forces");
    scene.def.spring_count = 0;
    scene.def.joints = &joint;
    scene.def.joint_count = 1;
    refuses("joints");
    scene.def.joint_count = 0;
    scene.material[0].rolling_friction = 0.1;
    refuses("materials[0].rollingFriction");
    scene.material[0].rolling_friction = 0.0;
    scene.material[0].spinning_friction = 0.1;
    refuses("materials[0].spinningFriction");
    scene.material[0].spinning_friction = 0.0;
    scene.material[0].surface_velocity.x = 0.1;
    refuses("materials[0].surfaceVelocity");
}

/*
 * Bodies that touch nothing start with force over mass and torque over inertia; with no shape but a
 * sensor the inertia is that of the definition.  A tensor that no definition may have divides
 * nothing by 0.
 */
static void
test_given_inertia(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        struct pv_choice choice = {.side_contacts = true, .friction = true, .start = true};
        struct pv_answer answer;
        struct cn_defect defect;
        int box = make_box(true);
        add_force(box);
        force.torque = cn_vec3_make(0.0, 3.0, 1.0);
        scene.shape[box].sensor = true;
        scene.body[box].inertia_tensor = cn_mat33_diagonal(1.0, 1.5, k == 0 ? 1.25 : 0.0);
        assert_int_equal(pv_answer_init(&answer, &scene.def, &choice, &defect), CN_OK);
        assert_true(answer.has_start);
        mpq_t *a = &answer.start.acceleration[6 * box];
        assert_int_equal(mpq_cmp_si(a[1], -8, 1), 0);
        assert_int_equal(mpq_cmp_si(a[4], k == 0 ? 2 : 0, 1), 0);
        assert_int_equal(mpq_cmp_si(a[5], k == 0 ? 4 : 0, 5), 0);
        pv_answer_finish(&answer);
        if (k == 0) {
            expect(PV_UNSTABLE, 0, 1);
        }
    }
}

/*
 * The normals of the two faces at a shared corner cancel.  No two shapes of a scene have that, so
 * these are no outlines: two edges, with normals that do not belong to them.
 */
static void
test_normals_cancel(void **state)
{
    (void)state;
    int box = make_box(false), other = scene_box(&scene, 5.0, 0.5, 1.0, 1.0);
    struct pv_choice choice = {.side_contacts = true};
    struct pv_arrangement a;
    struct cn_defect defect;
    struct pv_touch touch;
    double depth;
    assert_int_equal(pv_arrangement_init(&a, &scene.def, &choice, &defect), CN_OK);
    struct pv_shape *shape[2] = {&a.shape[box], &a.shape[other]};
    pv_touch_init(&touch);
    for (int k = 0; k < 2; k++) { /* (0, 0) to (-1, 1), and (0, 0) to (1, 1) */
        shape[k]->vertex_count = 2;
        for (int i = 0; i < 2; i++) {
            mpq_set_si(shape[k]->vertex[i].c[0], i == 0 ? 0 : 2 * k - 1, 1);
            mpq_set_si(shape[k]->vertex[i].c[1], i, 1);
            mpq_set_si(shape[k]->normal[i].c[0], 0, 1);
            mpq_set_si(shape[k]->normal[i].c[1], 1, 1);
        }
    }
    assert_int_equal(pv_touch_plane(&touch, shape[0], shape[1], &a.gravity, &depth), PV_TOUCHES);
    assert_int_equal(touch.count, 1);
    assert_int_equal(mpq_cmp_si(touch.normal.c[1], 1, 1), 0);
    pv_touch_clear(&touch);
    shape[0]->vertex_count = shape[1]->vertex_count = 4;
    pv_arrangement_finish(&a);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gravity_scale),
        cmocka_unit_test(test_scaled_balance),
        cmocka_unit_test(test_constant_forces),
        cmocka_unit_test(test_force_of_the_body),
        cmocka_unit_test(test_push),
        cmocka_unit_test(test_what_does_not_touch),
        cmocka_unit_test(test_given_inertia),
        cmocka_unit_test(test_normals_cancel),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
