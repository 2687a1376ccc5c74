/*
 * test_prescribed.c: constant forces, centres of mass and other data of a scene, with answers known
 * by hand, with every stepper and solver, in the plane and in space.
 *
 *   1. a constant force F on m gives v = F t / m; a constant torque T on I gives w = T t / I; a
 *      force beside the centre of mass gives both; a force in body axes turns with the body
 *   2. a body that such a force pushes against a wall presses with that force; energy is conserved
 *      if the force has a potential
 *   3. with a given centre of mass a body swings with the period of a pendulum, and tips exactly if
 *      the centre is beyond an edge, wherever its shapes are
 *   4. images and the portable form restore this data
 */
#include "engine/math/scalar.h"
#include "engine/solve/table/solver_table.h"
#include "engine/state/image.h"
#include "engine/state/portable.h"
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

#include "tests/support/near.h"
#include "tests/support/world/methods.h"

/* ---- constant forces ---- */

static void
pushes(void)
{
    begin(0.0);
    int pushed = block(0.0, 0.0), turned = block(10.0, 0.0), both = block(20.0, 0.0);
    scene.def.constant_force_count = 3;
    force[0] = (struct cn_constant_force_def){.body = pushed, .force = {3.0, -1.0, 0.0}};
    force[1] = (struct cn_constant_force_def){.body = turned, .torque = {0.0, 0.0, 0.5}};
    force[2] = (struct cn_constant_force_def){.body = both,
        .frame = CN_FRAME_BODY,
        .has_at = true,
        .at = {0.5, 0.0, 0.0},
        .force = {0.0, 0.25, 0.0}};
    struct cn_world *world = scene_create(&scene);
    scene_ticks(world, 60);
    struct cn_body_view view = scene_view(world, pushed);
    assert_near(view.velocity.x, 1.5, 1.5 * relative());
    assert_near(view.velocity.y, -0.5, relative());
    assert_near(view.angular_velocity.z, 0.0, relative());
    assert_near(view.position.x, 0.75, 0.02); /* the symplectic Euler method is 1.25 cm off */
    view = scene_view(world, turned);
    assert_near(view.angular_velocity.z, 0.5 / BLOCK_INERTIA, relative());
    assert_near(cn_vec3_length(view.velocity), 0.0, relative());
    view = scene_view(world, both);
    double alpha = 0.5 * 0.25 / BLOCK_INERTIA;
    assert_near(view.angular_velocity.z, alpha, 2.0 * relative());
    double x = 0.0, y = 0.0; /* v = F/m integral of (-sin, cos)(alpha t^2 / 2) */
    for (int i = 0; i < 10000; i++) {
        double t = (i + 0.5) / 10000.0, angle = 0.5 * alpha * t * t;
        x -= 0.125 / 10000.0 * sin(angle);
        y += 0.125 / 10000.0 * cos(angle);
    }
    assert_near(view.velocity.x, x, strcmp(stepper->name, "event") == 0 ? 1e-7 : 2e-4);
    assert_near(view.velocity.y, y, strcmp(stepper->name, "event") == 0 ? 1e-7 : 2e-5);
    cn_world_destroy(world);
}

static void
test_pushes(void **state)
{
    (void)state;
    for_each(pushes);
}

/* Pressed upon the floor by 30 N and by its weight of 20 N; a third force holds what would turn. */
static void
presses(void)
{
    begin(10.0);
    scene_floor(&scene);
    int body = block(0.0, 1.0);
    scene.def.constant_force_count = 2;
    force[0] = (struct cn_constant_force_def){
        .body = body, .has_at = true, .at = {0.25, 1.0, 0.0}, .force = {0.0, -30.0, 0.0}};
    force[1] = (struct cn_constant_force_def){.body = body, .torque = {0.0, 0.0, 7.5}};
    struct cn_world *world = scene_create(&scene);
    scene_ticks(world, 90);
    struct scene_contacts on = scene_contacts(world, 0, body);
    assert_near(on.force, 50.0, solver->kind == CN_SOLVER_PROBLEM ? 1e-6 : 0.05);
    assert_near(scene_view(world, body).position.y, 1.0, 2e-3);
    assert_near(scene_view(world, body).angular_velocity.z, 0.0, 1e-4);
    cn_world_destroy(world);
}

static void
test_presses(void **state)
{
    (void)state;
    for_each(presses);
}

/* A body hung at a point of it falls and swings under a force of the world's axes: no energy. */
static void
test_energy(void **state)
{
    (void)state;
    stepper = cn_stepper_find("event");
    solver = cn_solver_find("baraff94");
    for (int d = 0; d < 2; d++) {
        spatial = d == 1;
        begin(0.0);
        int body = block(0.0, 0.0);
        scene_joint(&scene, CN_JOINT_HINGE, -1, body, cn_vec3_make(0.0, 1.0, 0.0));
        scene.def.constant_force_count = 1;
        force[0] = (struct cn_constant_force_def){
            .body = body, .has_at = true, .at = {0.5, -1.0, 0.0}, .force = {5.0, -3.0, 0.0}};
        struct cn_world *world = scene_create(&scene);
        double energy = cn_world_energy(world).total;
        assert_near(energy, -(5.0 * 0.5 + 3.0), 1e-12);
        scene_ticks(world, 300);
        assert_near(cn_world_energy(world).total, energy, 1e-5);
        cn_world_destroy(world);
    }
}

/* ---- a centre of mass ---- */

static double
angle_of(const struct cn_world *world, int body)
{
    struct cn_body_view view = scene_view(world, body);
    return spatial ? 2.0 * view.orientation.z : view.angle; /* of a small one */
}

/* Two times the time between the first two passes of the lowest place, of a small swing [s]. */
static double
measure_period(struct cn_world *world, int body)
{
    double crossing[2], before = angle_of(world, body);
    int found = 0;
    for (int t = 1; t < 600 && found < 2; t++) {
        scene_tick(world);
        double now = angle_of(world, body);
        if (before * now <= 0.0) {
            double from = cn_world_time(world) - 1.0 / 60.0;
            crossing[found++] = from + before / (before - now) / 60.0;
        }
        before = now;
    }
    assert_int_equal(found, 2);
    return 2.0 * (crossing[1] - crossing[0]);
}

/* The centre is d = 0.3 m below the hinge in the middle: T = 2 pi sqrt((I + m d^2)/(m g d)). */
static void
swings(void)
{
    begin(10.0);
    scene.def.settings.sleep = false; /* it moves slowly */
    int body = block(0.0, 0.0);
    struct cn_body_def *def = &scene.body[body];
    def->has_center = true;
    def->center_of_mass = cn_vec3_make(0.0, -0.3, 0.0);
    double small = 0.01;
    def->angle = spatial ? 0.0 : small;
    def->orientation = (cn_quat){cos(small / 2.0), 0.0, 0.0, sin(small / 2.0)};
    scene_joint(&scene, CN_JOINT_HINGE, -1, body, cn_vec3_make(0.0, 0.0, 0.0));
    struct cn_world *world = scene_create(&scene);
    assert_near(scene_view(world, body).position.y, 0.0, 1e-15);
    assert_near(scene_view(world, body).center.y, -0.3 * cos(small), 1e-12);
    double expected = 2.0 * CN_PI * sqrt((BLOCK_INERTIA + 2.0 * 0.09) / (2.0 * 10.0 * 0.3));
    bool exact = strcmp(stepper->name, "event") == 0;
    assert_near(measure_period(world, body), expected, expected * (exact ? 1e-4 : 5e-3));
    assert_near(scene_view(world, body).position.y, 0.0, 2e-3); /* the hinge holds the middle */
    cn_world_destroy(world);
}

static void
test_swings(void **state)
{
    (void)state;
    for_each(swings);
}

/*
 * A box of 1 m lies half on a ledge that ends at x = 0.  Its middle is `middle` beyond the end, its
 * centre of mass at `center`: it stands when that is above the ledge.
 */
static struct cn_world *
lay_on_ledge(double middle, double center, int *body)
{
    begin(10.0);
    int ledge = scene_box(&scene, -1.0, -0.5, 2.0, 1.0);
    scene.body[ledge].type = CN_STATIC;
    *body = scene_box(&scene, middle, 0.25, 1.0, 0.5);
    scene.body[*body].mass = 2.0;
    scene.body[*body].has_center = true;
    scene.body[*body].center_of_mass = cn_vec3_make(center - middle, 0.0, 0.0);
    return scene_create(&scene);
}

static void
tips(void)
{
    int body;
    struct cn_world *world = lay_on_ledge(0.2, -0.05, &body);
    scene_ticks(world, 60);
    assert_near(scene_view(world, body).position.y, 0.25, 2e-3);
    if (solver->kind == CN_SOLVER_PROBLEM) { /* the moments about each end: 20 N at x = -0.05 */
        const struct cn_contact_view *contact;
        int count = cn_world_contacts(world, &contact);
        double moment = 0.0, sum = 0.0;
        for (int i = 0; i < count; i++) {
            sum += contact[i].force;
            moment += contact[i].force * contact[i].point.x;
        }
        assert_near(sum, 20.0, 1e-6);
        assert_near(moment, -1.0, 1e-4);
    }
    cn_world_destroy(world);
    world = lay_on_ledge(-0.2, 0.05, &body); /* most of the box is on the ledge, but it tips */
    scene_ticks(world, 60);
    assert_true(scene_view(world, body).angular_velocity.z < -0.1);
    cn_world_destroy(world);
}

static void
test_tips(void **state)
{
    (void)state;
    for_each(tips);
}

/* A kinematic body turns about the centre of mass that its definition gives. */
static void
test_kinematic_center(void **state)
{
    (void)state;
    stepper = cn_stepper_find("event");
    solver = cn_solver_find("baraff94");
    spatial = false;
    begin(10.0);
    int body = block(0.0, 0.0);
    scene.body[body].type = CN_KINEMATIC;
    scene.body[body].has_center = true;
    scene.body[body].center_of_mass = cn_vec3_make(0.5, 0.0, 0.0);
    scene.body[body].angular_velocity.z = CN_PI;
    struct cn_world *world = scene_create(&scene);
    scene_ticks(world, 60);
    struct cn_body_view view = scene_view(world, body);
    assert_near(view.center.x, 0.5, 1e-12);
    assert_near(view.position.x, 1.0, 1e-9);
    cn_world_destroy(world);
}

/* ---- centres and constant forces in images and portable files ---- */

static struct cn_world *
make_moving(int *made)
{
    begin(10.0);
    scene_floor(&scene);
    scene.def.settings.has_resting_velocity = true;
    scene.def.settings.resting_velocity = 0.25;
    int gone = block(-5.0, 3.0), stays = block(0.0, 3.0);
    scene.def.constant_force_count = 2;
    force[0] = (struct cn_constant_force_def){.body = gone, .force = {1.0, 0.0, 0.0}};
    force[1] = (struct cn_constant_force_def){
        .body = stays, .force = {2.0, 5.0, 0.0}, .torque = {0.0, 0.0, 0.1}};
    struct cn_world *world = scene_create(&scene);
    (void)gone;
    *made = stays;
    return world;
}

static void
change_moving(struct cn_world *world)
{
    struct cn_command remove = {.kind = CN_COMMAND_REMOVE_BODY, .remove_body = {.slot = 1}};
    scene_command(world, &remove);
    struct cn_command make = {.kind = CN_COMMAND_MAKE_BODY};
    make.make_body.def = scene.body[2];
    make.make_body.def.position = cn_vec3_make(4.0, 3.0, 0.0);
    make.make_body.def.has_center = true;
    make.make_body.def.center_of_mass = cn_vec3_make(0.2, -0.4, 0.0);
    scene_command(world, &make);
}

static void
persists(void)
{
    int body;
    struct cn_world *first = make_moving(&body);
    scene_ticks(first, 5);
    change_moving(first);
    scene_ticks(first, 5);
    struct cn_body_view made = scene_view(first, 1); /* in the slot of the one that is gone */
    assert_near(made.velocity.x, 0.0, 1e-6); /* no force of the old one acts on it */
    int unused;
    struct cn_world *second = make_moving(&unused);
    scene_restore(second, first);
    scene_ticks(first, 30);
    scene_ticks(second, 30);
    assert_int_equal(cn_world_hash(first), cn_world_hash(second));

    size_t size = cn_world_portable_size(first);
    void *bytes = malloc(size);
    assert_int_equal(cn_world_portable_write(first, bytes, size), size);
    struct cn_world *third = make_moving(&unused);
    struct cn_defect defect = {0};
    assert_int_equal(cn_world_portable_read(third, bytes, size, &defect), CN_OK);
    free(bytes);
    made = scene_view(first, 1);
    struct cn_body_view again = scene_view(third, 1);
    assert_memory_equal(&made.center, &again.center, sizeof(made.center));
    assert_near(cn_vec3_length(cn_vec3_sub(made.position, again.position)), 0.0, 1e-12);
    cn_world_destroy(first);
    cn_world_destroy(second);
    cn_world_destroy(third);
}

static void
test_persists(void **state)
{
    (void)state;
    for_each(persists);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pushes),
        cmocka_unit_test(test_presses),
        cmocka_unit_test(test_energy),
        cmocka_unit_test(test_swings),
        cmocka_unit_test(test_tips),
        cmocka_unit_test(test_kinematic_center),
        cmocka_unit_test(test_persists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
