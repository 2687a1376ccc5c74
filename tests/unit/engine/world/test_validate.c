/*
 * test_validate.c: each way to spoil a good definition is refused with its field and status; the
 * limits themselves are accepted.
 */
#include "engine/world/world_def.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <string.h>
/* cmocka wants the first four. */
#include <cmocka.h>

/* A good definition whose every part can be spoilt. */
struct parts {
    struct cn_world_def def;
    struct cn_material_def material;
    struct cn_body_def bodies[2];
    struct cn_shape_def shapes[2];
    struct cn_spring_def spring;
    struct cn_thruster_def thruster;
    struct cn_constant_force_def constant;
};

static void
parts_init(struct parts *p)
{
    memset(p, 0, sizeof(*p));
    cn_world_def_init(&p->def);
    cn_material_def_init(&p->material);
    cn_body_def_init(&p->bodies[0]);
    cn_body_def_init(&p->bodies[1]);
    p->shapes[0] = (struct cn_shape_def){.kind = CN_SHAPE_CIRCLE, .circle = {.radius = 1.0}};
    p->shapes[1] = (struct cn_shape_def){.kind = CN_SHAPE_PLANE, .plane = {{0.0, 1.0, 0.0}, 0.0}};
    p->bodies[0].shapes = &p->shapes[0];
    p->bodies[0].shape_count = 1;
    p->bodies[1].shapes = &p->shapes[1];
    p->bodies[1].shape_count = 1;
    p->bodies[1].type = CN_STATIC;
    p->spring = (struct cn_spring_def){.body_a = -1, .body_b = 0, .stiffness = 1.0};
    p->thruster = (struct cn_thruster_def){.body = 0, .force = {1.0, 0.0, 0.0}};
    p->def.materials = &p->material;
    p->def.material_count = 1;
    p->def.bodies = p->bodies;
    p->def.body_count = 2;
    p->def.springs = &p->spring;
    p->def.spring_count = 1;
    p->def.thrusters = &p->thruster;
    p->def.thruster_count = 1;
    p->constant = (struct cn_constant_force_def){.body = 0, .force = {1.0, 0.0, 0.0}};
    p->def.constant_forces = &p->constant;
    p->def.constant_force_count = 1;
}

static void
test_good(void **state)
{
    (void)state;
    struct parts p;
    struct cn_defect defect;
    parts_init(&p);
    assert_int_equal(cn_world_def_check(&p.def, &defect), CN_OK);
    p.def.tick_rate = CN_TICK_RATE_MAX;
    p.def.settings.time_rate = CN_TIME_RATE_MIN;
    p.material.restitution = 1.0;
    p.bodies[0].mass = CN_MASS_MIN;
    p.bodies[0].position.x = -CN_COORDINATE_MAX;
    p.bodies[0].velocity.y = CN_SPEED_MAX;
    p.bodies[0].angular_velocity.z = -CN_SPIN_MAX;
    p.bodies[0].position.z = 1e300; /* a planar world ignores it */
    p.spring.stiffness = CN_STIFFNESS_MAX;
    p.thruster.force.x = -CN_FORCE_MAX;
    assert_int_equal(cn_world_def_check(&p.def, &defect), CN_OK);
    p.def = (struct cn_world_def){0};
    cn_world_def_init(&p.def);
    assert_int_equal(cn_world_def_check(&p.def, NULL), CN_OK);
}

/* Spoils one field of a good definition and looks at the refusal. */
#define REFUSED(spoil, expected_status, expected_path)                                             \
    do {                                                                                           \
        struct parts p;                                                                            \
        struct cn_defect defect = {0};                                                             \
        parts_init(&p);                                                                            \
        spoil;                                                                                     \
        assert_int_equal(cn_world_def_check(&p.def, &defect), expected_status);                    \
        assert_string_equal(defect.path, expected_path);                                           \
        assert_int_equal(defect.status, expected_status);                                          \
        assert_true(defect.text[0] != '\0');                                                       \
        assert_int_equal(cn_world_def_check(&p.def, NULL), expected_status);                       \
    } while (0)

static void
test_settings(void **state)
{
    (void)state;
    const double nan_value = (double)NAN;
    REFUSED(p.def.settings.dimension = (enum cn_dimension)7, CN_RANGE, "world.dimension");
    REFUSED(p.def.settings.gravity.y = nan_value, CN_FINITE, "world.gravity.y");
    REFUSED(p.def.settings.gravity.z = HUGE_VAL, CN_FINITE, "world.gravity.z");
    REFUSED(p.def.settings.gravity.x = 1001.0, CN_RANGE, "world.gravity.x");
    REFUSED(p.def.tick_rate = 0.0, CN_RANGE, "world.tickRate");
    REFUSED(p.def.tick_rate = nan_value, CN_FINITE, "world.tickRate");
    REFUSED(p.def.settings.time_rate = 0.0, CN_RANGE, "world.timeRate");
    REFUSED(p.def.settings.resting_velocity = -0.1, CN_RANGE, "world.restingVelocity");
    REFUSED(p.def.settings.resting_velocity = nan_value, CN_FINITE, "world.restingVelocity");
    REFUSED(p.def.settings.collision = (enum cn_collision_handling)3, CN_RANGE, "world.collision");
    REFUSED(p.def.settings.combine_friction = (enum cn_combine)4, CN_RANGE,
        "world.combineFriction");
    REFUSED(p.def.settings.combine_restitution = (enum cn_combine)-1, CN_RANGE,
        "world.combineRestitution");
    REFUSED(p.def.settings.damping_linear = -1.0, CN_RANGE, "damping.linear");
    REFUSED(p.def.settings.damping_angular = nan_value, CN_FINITE, "damping.angular");
    REFUSED(strcpy(p.def.settings.stepper, "evnt"), CN_UNKNOWN, "world.stepper");
    REFUSED(p.def.settings.solver[0] = '\0', CN_UNKNOWN, "world.solver");
    REFUSED(memset(p.def.settings.solver, 'x', CN_NAME_SIZE), CN_LIMIT, "world.solver");
    REFUSED(memset(p.def.settings.stepper, 'x', CN_NAME_SIZE), CN_LIMIT, "world.stepper");
}

static void
test_materials_and_counts(void **state)
{
    (void)state;
    REFUSED(p.material.restitution = 1.5, CN_RANGE, "materials[0].restitution");
    REFUSED(p.material.friction = -0.1, CN_RANGE, "materials[0].friction");
    REFUSED(p.material.static_friction = 0.1;
            memcpy(p.def.settings.solver, "gauss", sizeof("gauss")), CN_PAIR, "world.solver");
    REFUSED(p.material.friction = 0.1, CN_RANGE, "materials[0].staticFriction");
    REFUSED(p.material.rolling_friction = (double)NAN, CN_FINITE, "materials[0].rollingFriction");
    REFUSED(p.material.spinning_friction = 11.0, CN_RANGE, "materials[0].spinningFriction");
    REFUSED(p.def.body_count = CN_BODIES_MAX + 1, CN_LIMIT, "bodies");
    REFUSED(p.def.body_count = -1, CN_LIMIT, "bodies");
    REFUSED(p.def.material_count = CN_MATERIALS_MAX + 1, CN_LIMIT, "materials");
    REFUSED(p.def.spring_count = CN_FORCES_MAX + 1, CN_LIMIT, "springs");
    REFUSED(p.def.thruster_count = CN_FORCES_MAX + 1, CN_LIMIT, "thrusters");
    REFUSED(p.def.constant_force_count = CN_FORCES_MAX + 1, CN_LIMIT, "constants");
}

/* The sum over bodies is bounded, too: 1025 compounds of 1024 shapes are too many, 1024 are not. */
static void
test_sum_of_shapes(void **state)
{
    (void)state;
    struct parts p;
    struct cn_defect defect;
    enum { COUNT = CN_SHAPES_MAX / CN_SHAPES_PER_BODY_MAX + 1 };
    static struct cn_shape_def shapes[CN_SHAPES_PER_BODY_MAX];
    static struct cn_body_def bodies[COUNT];
    parts_init(&p);
    for (int k = 0; k < CN_SHAPES_PER_BODY_MAX; k++) {
        shapes[k] = p.shapes[0];
    }
    for (int i = 0; i < COUNT; i++) {
        bodies[i] = p.bodies[0];
        bodies[i].shapes = shapes;
        bodies[i].shape_count = CN_SHAPES_PER_BODY_MAX;
    }
    p.def.bodies = bodies;
    p.def.body_count = COUNT;
    assert_int_equal(cn_world_def_check(&p.def, &defect), CN_LIMIT);
    assert_string_equal(defect.path, "bodies");
    p.def.body_count = COUNT - 1;
    assert_int_equal(cn_world_def_check(&p.def, &defect), CN_OK);
}

static void
test_bodies(void **state)
{
    (void)state;
    REFUSED(p.bodies[0].type = (enum cn_body_type)3, CN_RANGE, "bodies[0].type");
    REFUSED(p.bodies[0].position.x = 8001.0, CN_RANGE, "bodies[0].position.x");
    REFUSED(p.bodies[0].angle = 2e6, CN_RANGE, "bodies[0].angle");
    REFUSED(p.bodies[0].velocity.x = 501.0, CN_RANGE, "bodies[0].velocity.x");
    REFUSED(p.bodies[0].angular_velocity.z = 501.0, CN_RANGE, "bodies[0].angularVelocity.z");
    REFUSED(p.bodies[0].angular_velocity.x = (double)NAN, CN_FINITE,
        "bodies[0].angularVelocity.x");
    REFUSED(p.bodies[0].mass = 1e7, CN_RANGE, "bodies[0].mass");
    REFUSED(p.bodies[0].mass = -1.0, CN_RANGE, "bodies[0].mass");
    REFUSED(p.bodies[0].inertia = 1e-13, CN_RANGE, "bodies[0].inertia");
    REFUSED(p.bodies[0].shape_count = 0, CN_MASS, "bodies[0].shapes");
    REFUSED(p.bodies[0].shape_count = CN_SHAPES_PER_BODY_MAX + 1, CN_LIMIT, "bodies[0].shapes");
    REFUSED(p.bodies[1].type = CN_DYNAMIC, CN_MASS, "bodies[1].shapes[0].plane");
    REFUSED(p.bodies[1].type = CN_KINEMATIC; p.bodies[1].angular_velocity.z = 0.1, CN_RANGE,
        "bodies[1].shapes[0].plane");
    REFUSED(p.bodies[1].velocity.x = 1.0, CN_RANGE, "bodies[1].velocity");
    REFUSED(p.shapes[0].circle.radius = 0.0, CN_RANGE, "bodies[0].shapes[0].circle.radius");
    REFUSED(p.shapes[0].material = 1, CN_REFERENCE, "bodies[0].shapes[0].material");
    REFUSED(p.shapes[0].material = -1, CN_REFERENCE, "bodies[0].shapes[0].material");
    /* A disc of 1000 m radius and 1 kg/m^2 weighs 3.1e6 kg. */
    REFUSED((p.shapes[0].circle.radius = 1000.0, p.shapes[0].density = 1.0), CN_RANGE,
        "bodies[0].shapes");
}

static void
test_forces(void **state)
{
    (void)state;
    REFUSED(p.spring.body_a = -2, CN_REFERENCE, "springs[0].bodyA");
    REFUSED(p.spring.body_b = 2, CN_REFERENCE, "springs[0].bodyB");
    REFUSED(p.spring.body_b = -1, CN_REFERENCE, "springs[0].bodyB");
    REFUSED(p.spring.body_a = 0, CN_REFERENCE, "springs[0].bodyB");
    REFUSED(p.spring.body_b = 1, CN_REFERENCE, "springs[0].bodyB");
    REFUSED(p.spring.stiffness = -1.0, CN_RANGE, "springs[0].stiffness");
    REFUSED(p.spring.damping = 1e6, CN_RANGE, "springs[0].damping");
    REFUSED(p.spring.rest_length = (double)NAN, CN_FINITE, "springs[0].restLength");
    REFUSED(p.spring.anchor_a.x = 8001.0, CN_RANGE, "springs[0].anchorA.x");
    REFUSED(p.spring.anchor_b.y = 2001.0, CN_RANGE, "springs[0].anchorB.y");
    REFUSED(p.thruster.body = 2, CN_REFERENCE, "thrusters[0].body");
    REFUSED(p.thruster.body = 1, CN_REFERENCE, "thrusters[0].body");
    REFUSED(p.thruster.at.x = (double)NAN, CN_FINITE, "thrusters[0].at.x");
    REFUSED(p.thruster.force.y = 2e6, CN_RANGE, "thrusters[0].force.y");
    REFUSED(p.constant.body = 2, CN_REFERENCE, "constants[0].body");
    REFUSED(p.constant.body = 1, CN_REFERENCE, "constants[0].body");
    REFUSED(p.constant.frame = (enum cn_frame)2, CN_RANGE, "constants[0].frame");
    REFUSED(p.constant.has_at = true; p.constant.at.y = 2001.0, CN_RANGE, "constants[0].at.y");
    REFUSED(p.constant.force.x = (double)NAN, CN_FINITE, "constants[0].force.x");
    REFUSED(p.constant.force.y = -2e6, CN_RANGE, "constants[0].force.y");
    REFUSED(p.constant.torque.z = 2e6, CN_RANGE, "constants[0].torque.z");
    REFUSED(p.constant.torque.x = 1.0, CN_DIMENSION, "constants[0].torque.x");
}

/* A body of a spatial world, spoilt. */
#define REFUSED_IN_SPACE(spoil, expected_status, expected_path)                                    \
    REFUSED(p.def.settings.dimension = CN_SPATIAL; p.def.body_count = 1;                           \
            p.def.thruster_count = p.def.spring_count = 0; p.bodies[0].shape_count = 0;            \
            p.bodies[0].mass = 1.0;                                                                \
            p.bodies[0].inertia_tensor = cn_mat33_diagonal(1.0, 2.0, 2.5);                         \
            assert_int_equal(cn_world_def_check(&p.def, &defect), CN_OK); /* so far it is good */  \
            spoil, expected_status, expected_path)

static void
test_space(void **state)
{
    (void)state;
    REFUSED_IN_SPACE(p.def.settings.gravity.z = 1001.0, CN_RANGE, "world.gravity.z");
    REFUSED_IN_SPACE(p.bodies[0].has_center = true; p.bodies[0].center_of_mass.z = 2001.0,
        CN_RANGE, "bodies[0].centerOfMass.z");
    REFUSED_IN_SPACE(p.bodies[0].position.z = 8001.0, CN_RANGE, "bodies[0].position.z");
    REFUSED_IN_SPACE(p.bodies[0].velocity.z = -501.0, CN_RANGE, "bodies[0].velocity.z");
    REFUSED_IN_SPACE(
        p.bodies[0].angular_velocity.x = 501.0, CN_RANGE, "bodies[0].angularVelocity.x");
    REFUSED_IN_SPACE(p.bodies[0].orientation.w = 0.1, CN_RANGE, "bodies[0].orientation");
    REFUSED_IN_SPACE(p.bodies[0].orientation.x = (double)NAN, CN_FINITE, "bodies[0].orientation");
    REFUSED_IN_SPACE(p.bodies[0].inertia = 1.0, CN_DIMENSION, "bodies[0].inertia");
    REFUSED_IN_SPACE(p.bodies[0].mass = 0.0, CN_MASS, "bodies[0].shapes");
    REFUSED_IN_SPACE(p.bodies[0].inertia_tensor = (cn_mat33){0}, CN_MASS, "bodies[0].shapes");
    REFUSED_IN_SPACE(p.bodies[0].inertia_tensor.cx.y = 0.1, CN_MASS, "bodies[0].inertiaTensor");
    REFUSED_IN_SPACE(p.bodies[0].inertia_tensor.cz.z = 3.1, CN_MASS, "bodies[0].inertiaTensor");
    REFUSED_IN_SPACE(p.bodies[0].inertia_tensor.cx.x = 0.0, CN_MASS, "bodies[0].inertiaTensor");
    REFUSED_IN_SPACE(p.bodies[0].inertia_tensor.cx.x = -1.0, CN_MASS, "bodies[0].inertiaTensor");
    REFUSED_IN_SPACE(
        p.bodies[0].inertia_tensor.cy.y = (double)NAN, CN_FINITE, "bodies[0].inertiaTensor");
    REFUSED_IN_SPACE(p.bodies[0].inertia_tensor.cx.y = p.bodies[0].inertia_tensor.cy.x = 1.5,
        CN_MASS, "bodies[0].inertiaTensor"); /* not positive definite: 1.5^2 > 1 x 2 */
    REFUSED(p.bodies[0].inertia_tensor = cn_mat33_diagonal(1.0, 1.0, 1.0), CN_DIMENSION,
        "bodies[0].inertiaTensor");
    struct parts p;
    parts_init(&p);
    p.def.settings.dimension = CN_SPATIAL;
    p.def.body_count = 1;
    p.def.spring_count = p.def.thruster_count = 0;
    p.bodies[0].shape_count = 0;
    p.bodies[0].mass = 1.0;
    p.bodies[0].inertia_tensor = cn_mat33_diagonal(1.0, 2.0, 3.0); /* a plate: 1 + 2 = 3 */
    assert_int_equal(cn_world_def_check(&p.def, NULL), CN_OK);
    p.bodies[0].inertia_tensor = cn_mat33_diagonal(1e-8, 1.0, 1.0); /* a needle */
    assert_int_equal(cn_world_def_check(&p.def, NULL), CN_OK);
}

/* A disc of radius 1 and density 2 weighs 2 pi and turns like m r^2 / 2. */
static void
test_weights(void **state)
{
    (void)state;
    struct parts p;
    parts_init(&p);
    struct cn_mass_properties weight = cn_body_def_weigh(&p.bodies[0], CN_PLANAR);
    assert_true(weight.mass == 1.0);
    assert_true(fabs(weight.inertia.cz.z - 0.5) < 1e-15);
    p.shapes[0].density = 2.0;
    weight = cn_body_def_weigh(&p.bodies[0], CN_PLANAR);
    assert_true(fabs(weight.mass - 6.283185307179586) < 1e-14);
    assert_true(fabs(weight.inertia.cz.z - 3.141592653589793) < 1e-14);
    p.bodies[0].mass = 3.0; /* goes before the density */
    weight = cn_body_def_weigh(&p.bodies[0], CN_PLANAR);
    assert_true(weight.mass == 3.0);
    assert_true(fabs(weight.inertia.cz.z - 1.5) < 1e-15);
    p.bodies[0].inertia = 7.0; /* goes before the shapes */
    weight = cn_body_def_weigh(&p.bodies[0], CN_PLANAR);
    assert_true(weight.mass == 3.0 && weight.inertia.cz.z == 7.0);
    p.bodies[0].shape_count = 0;
    weight = cn_body_def_weigh(&p.bodies[0], CN_PLANAR);
    assert_true(weight.mass == 3.0 && weight.inertia.cz.z == 7.0 && weight.center.x == 0.0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good),
        cmocka_unit_test(test_settings),
        cmocka_unit_test(test_materials_and_counts),
        cmocka_unit_test(test_sum_of_shapes),
        cmocka_unit_test(test_bodies),
        cmocka_unit_test(test_forces),
        cmocka_unit_test(test_space),
        cmocka_unit_test(test_weights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
