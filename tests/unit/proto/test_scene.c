/*
 * test_scene.c: scenes whose definition is known by hand, and what is refused.
 */
#include "proto/scene.h"

#include "cairn/v1/scene.pb-c.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka wants the first four. */
#include <cmocka.h>

static struct wire_scene *
read_scene(const char *text)
{
    struct wire_text_error error;
    char line[WIRE_TEXT_ERROR_SIZE];
    struct wire_scene *scene = wire_scene_parse(text, strlen(text), &error);
    if (scene == NULL) {
        print_error("%s\n", wire_text_error_print(&error, "text", line, sizeof(line)));
    }
    assert_non_null(scene);
    return scene;
}

static void
assert_refused(const char *text, const char *expected)
{
    struct wire_text_error error;
    char line[WIRE_TEXT_ERROR_SIZE];
    assert_null(wire_scene_parse(text, strlen(text), &error));
    assert_string_equal(wire_text_error_print(&error, "text", line, sizeof(line)), expected);
}

/* The limits, spring and friction of a ball, and their defaults; the friction of a hinge. */
static void
test_turns(void **state)
{
    (void)state;
    struct wire_scene *scene = read_scene(
        "world: {dimension: SPATIAL}\n"
        "bodies:\n"
        "  - {name: a, shapes: [{sphere: {radius: 1}}]}\n"
        "  - {name: b, position: {x: 3}, shapes: [{sphere: {radius: 1}}]}\n"
        "joints:\n"
        "  - ball: {bodyB: b, axis: {x: 2}, coneAxis: {x: 1, y: 1}, coneAngle: 1.5,"
        " twist: {lower: -1, upper: 2, restitution: 0.25}, spring: {stiffness: 4, damping: 5},"
        " friction: 6}\n"
        "  - ball: {bodyA: a, bodyB: b}\n"
        "  - hinge: {bodyB: a, friction: 7}\n");
    const struct cn_joint_def *joint = wire_scene_world_def(scene)->joints;
    assert_true(joint[0].axis.x == 2.0 && joint[0].axis.z == 0.0);
    assert_true(joint[0].cone_axis.x == 1.0 && joint[0].cone_axis.y == 1.0);
    assert_true(joint[0].has_cone && joint[0].cone == 1.5);
    assert_true(joint[0].has_limit && joint[0].lower == -1.0 && joint[0].upper == 2.0);
    assert_true(joint[0].restitution == 0.25 && joint[0].friction == 6.0);
    assert_true(joint[0].has_spring && joint[0].stiffness == 4.0 && joint[0].damping == 5.0);
    assert_true(!joint[1].has_cone && !joint[1].has_limit && !joint[1].has_spring);
    assert_true(joint[1].axis.z == 1.0 && joint[1].friction == 0.0);
    assert_true(joint[2].friction == 7.0 && !joint[2].has_motor);
    wire_scene_destroy(scene);
}

/* Every kind of joint and curve, and the defaults of each. */
static void
test_joints(void **state)
{
    (void)state;
    struct wire_scene *scene = read_scene(
        "bodies: [{name: a, mass: 1, inertia: 1}, {name: b, mass: 1, inertia: 1}]\n"
        "curves:\n"
        "  - {name: ring, circle: {center: {x: 1}, radius: 2}}\n"
        "  - line: {to: {x: 1}}\n"
        "  - spline: {points: [{x: 1}, {x: 2}, {y: 2}], closed: true}\n"
        "joints:\n"
        "  - ball: {bodyA: a, bodyB: b, anchor: {x: 1, y: 2}}\n"
        "  - {collide: true, hinge: {bodyB: b, limit: {lower: -1, upper: 2},"
        " motor: {speed: 3}, spring: {stiffness: 4, damping: 5, rest: 6}}}\n"
        "  - slider: {bodyB: b, axis: {y: 2}, motor: {speed: 1, forceMax: 7}}\n"
        "  - fixed: {bodyA: b, bodyB: a}\n"
        "  - distance: {bodyB: b, anchorA: {y: 5}, limit: {lower: 1, upper: 9}}\n"
        "  - rope: {bodyB: b, anchorA: {y: 5}, length: 6}\n"
        "  - track: {body: a, anchor: {x: 3}, curve: ring}\n"
        "  - track: {body: a, curve: curve1}\n"
        "forces: [{gravitation: {constant: 0.5}}]\n");
    const struct cn_world_def *def = wire_scene_world_def(scene);
    assert_int_equal(def->joint_count, 8);
    const struct cn_joint_def *joint = def->joints;
    assert_int_equal(joint[0].kind, CN_JOINT_BALL);
    assert_true(joint[0].body_a == 0 && joint[0].body_b == 1 && joint[0].anchor_b.y == 2.0);
    assert_true(joint[1].body_a == -1 && joint[1].axis.z == 1.0 && joint[1].collide);
    assert_true(joint[1].has_limit && joint[1].lower == -1.0 && joint[1].upper == 2.0);
    assert_true(joint[1].has_motor && joint[1].motor_speed == 3.0);
    assert_true(joint[1].motor_force_max == HUGE_VAL);
    assert_true(joint[1].has_spring && joint[1].stiffness == 4.0 && joint[1].damping == 5.0 &&
                joint[1].rest == 6.0);
    assert_true(joint[2].axis.y == 2.0 && joint[2].axis.x == 0.0 && !joint[2].has_limit);
    assert_true(joint[2].motor_force_max == 7.0 && !joint[2].collide);
    assert_true(joint[3].body_a == 1 && joint[3].body_b == 0);
    assert_true(joint[4].anchor_a.y == 5.0 && joint[4].length == 0.0 && joint[4].upper == 9.0);
    assert_true(joint[5].length == 6.0 && !joint[5].has_limit);
    assert_true(joint[6].body_a == -1 && joint[6].body_b == 0 && joint[6].curve == 0);
    assert_int_equal(joint[7].curve, 1); /* by its default name */
    assert_int_equal(def->curve_count, 3);
    assert_true(def->curves[0].radius == 2.0 && def->curves[0].center.x == 1.0);
    assert_true(def->curves[1].kind == CN_CURVE_LINE && def->curves[1].to.x == 1.0);
    assert_true(def->curves[2].closed && def->curves[2].point_count == 3);
    assert_true(def->curves[2].points[2].y == 2.0);
    assert_true(def->settings.gravitation == 0.5);
    wire_scene_destroy(scene);
}

/* A spatial body's orientation and mass properties are read, and its inertia is symmetric. */
static void
test_space(void **state)
{
    (void)state;
    struct wire_scene *scene = read_scene(
        "world: {dimension: SPATIAL, gravity: {y: -9, z: 2}}\n"
        "bodies: [{orientation: {w: 0.6, z: 0.8}, mass: 2, velocity: {z: 3}, angularVelocity: {x: "
        "4}, inertiaTensor: {xx: 1, yy: 2, zz: 2.5, xy: 0.1, yz: 0.2, zx: 0.3}}]");
    const struct cn_world_def *def = wire_scene_world_def(scene);
    const struct cn_body_def *body = &def->bodies[0];
    assert_int_equal(def->settings.dimension, CN_SPATIAL);
    assert_true(def->settings.gravity.z == 2.0 && body->velocity.z == 3.0);
    assert_true(body->orientation.w == 0.6 && body->orientation.z == 0.8);
    assert_true(body->angular_velocity.x == 4.0);
    const cn_mat33 *I = &body->inertia_tensor;
    assert_true(I->cx.x == 1.0 && I->cy.y == 2.0 && I->cz.z == 2.5);
    assert_true(I->cx.y == 0.1 && I->cy.x == 0.1 && I->cy.z == 0.2 && I->cz.y == 0.2);
    assert_true(I->cx.z == 0.3 && I->cz.x == 0.3);
    wire_scene_destroy(scene);
}

/* A field that is not set has the default of scene.proto. */
static void
test_defaults(void **state)
{
    (void)state;
    struct wire_scene *scene = read_scene("bodies: [{shapes: [{circle: {radius: 1}}]}, {name: b, "
                                          "type: STATIC}]");
    const struct cn_world_def *def = wire_scene_world_def(scene);
    assert_string_equal(wire_scene_name(scene), "scene");
    assert_true(def->settings.gravity.x == 0.0 && def->settings.gravity.y == -9.81);
    assert_true(def->tick_rate == 60.0 && def->settings.time_rate == 1.0);
    assert_string_equal(def->settings.stepper, "event");
    assert_string_equal(def->settings.solver, "baraff94");
    assert_int_equal(def->settings.combine_restitution, CN_COMBINE_MIN);
    assert_int_equal(def->settings.combine_friction, CN_COMBINE_MAX);
    assert_int_equal(def->settings.collision, CN_COLLISION_SIMULTANEOUS);
    assert_int_equal(def->body_count, 2);
    assert_int_equal(def->bodies[0].type, CN_DYNAMIC);
    assert_true(def->bodies[0].mass == 0.0 && def->bodies[0].shapes[0].density == 0.0);
    assert_int_equal(def->bodies[0].shapes[0].material, 0);
    assert_string_equal(wire_scene_body_name(scene, 0), "body0");
    assert_string_equal(wire_scene_body_name(scene, 1), "b");
    assert_int_equal(wire_scene_body_find(scene, "b"), 1);
    assert_int_equal(wire_scene_body_find(scene, "body1"), -1);
    wire_scene_destroy(scene);
}

static const char full[] =
    "name: all-of-it\n"
    "world: {gravity: {x: 1}, tickRate: 120, timeRate: 0.5, seed: 7, collision: HYBRID,\n"
    "  combineRestitution: MAX, combineFriction: MULTIPLY, stepper: time, solver: newton}\n"
    "materials:\n"
    "  - {name: ice, restitution: 0.25}\n"
    "  - {name: brick, friction: 0.5, staticFriction: 0.6, rollingFriction: 0.1}\n"
    "bodies:\n"
    "  - {name: floor, type: STATIC, shapes: [{plane: {normal: {y: 1}, offset: -2}}]}\n"
    "  - name: b1\n"
    "    mass: 2\n"
    "    inertia: 0.5\n"
    "    position: {x: 1, y: 2}\n"
    "    angle: 0.5\n"
    "    velocity: {x: 3}\n"
    "    angularVelocity: {z: 4}\n"
    "    color: '#a0B1c2'\n"
    "    shapes:\n"
    "      - {box: {size: {x: 1, y: 2, z: 3}}, material: brick}\n"
    "      - {capsule: {radius: 0.25, length: 1}, position: {x: 1, y: 1}, angle: 1}\n"
    "      - polygon: {vertices: [{x: 0}, {x: 1}, {y: 1}]}\n"
    "  - {name: b2, type: KINEMATIC, velocity: {x: 1}, shapes: [{circle: {radius: 1}}]}\n"
    "forces:\n"
    "  - thruster: {body: b1, at: {x: 0.5}, force: {y: 1.5}, key: ArrowUp, name: up}\n"
    "  - spring: {bodyA: b2, bodyB: b1, anchorA: {x: 1}, anchorB: {y: 1}, stiffness: 10,\n"
    "      damping: 1, restLength: 2}\n"
    "  - damping: {linear: 0.1, angular: 0.2}\n"
    "  - spring: {bodyB: b1, anchorA: {x: 9}, stiffness: 3}\n"
    "view: {center: {x: 1}, height: 8}\n";

static void
assert_full(const struct wire_scene *scene)
{
    const struct cn_world_def *def = wire_scene_world_def(scene);
    assert_true(def->settings.gravity.x == 1.0 && def->settings.gravity.y == 0.0);
    assert_true(def->tick_rate == 120.0 && def->settings.time_rate == 0.5 && def->seed == 7);
    assert_int_equal(def->settings.collision, CN_COLLISION_HYBRID);
    assert_int_equal(def->settings.combine_restitution, CN_COMBINE_MAX);
    assert_int_equal(def->settings.combine_friction, CN_COMBINE_MULTIPLY);
    assert_true(def->settings.damping_linear == 0.1 && def->settings.damping_angular == 0.2);
    assert_true(def->materials[0].restitution == 0.25);
    assert_true(def->materials[1].friction == 0.5 && def->materials[1].static_friction == 0.6);
    const struct cn_body_def *b1 = &def->bodies[1];
    assert_true(b1->mass == 2.0 && b1->inertia == 0.5 && b1->angle == 0.5);
    assert_true(b1->position.x == 1.0 && b1->position.y == 2.0 && b1->velocity.x == 3.0);
    assert_true(b1->angular_velocity.z == 4.0);
    assert_int_equal(b1->shape_count, 3);
    assert_int_equal(b1->shapes[0].kind, CN_SHAPE_BOX);
    assert_int_equal(b1->shapes[0].material, 1);
    assert_true(b1->shapes[0].box.size.y == 2.0);
    assert_int_equal(b1->shapes[1].material, 0);
    assert_true(b1->shapes[1].capsule.length == 1.0 && b1->shapes[1].position.y == 1.0);
    assert_true(b1->shapes[1].angle == 1.0);
    assert_int_equal(b1->shapes[2].polygon.vertex_count, 3);
    assert_true(b1->shapes[2].polygon.vertices[2].y == 1.0);
    assert_true(def->bodies[0].shapes[0].plane.offset == -2.0);
    assert_int_equal(def->bodies[2].type, CN_KINEMATIC);
    assert_int_equal(def->thruster_count, 1);
    assert_int_equal(def->thrusters[0].body, 1);
    assert_true(def->thrusters[0].force.y == 1.5 && def->thrusters[0].at.x == 0.5);
    assert_int_equal(def->spring_count, 2);
    assert_int_equal(def->springs[0].body_a, 2);
    assert_int_equal(def->springs[0].body_b, 1);
    assert_true(def->springs[0].rest_length == 2.0 && def->springs[0].damping == 1.0);
    assert_int_equal(def->springs[1].body_a, -1);
    assert_true(def->springs[1].anchor_a.x == 9.0);
}

static void
test_everything(void **state)
{
    (void)state;
    struct wire_scene *scene = read_scene(full);
    assert_full(scene);
    assert_string_equal(wire_scene_message(scene)->bodies[1]->color, "#a0B1c2");
    assert_string_equal(wire_scene_message(scene)->forces[0]->thruster->key, "ArrowUp");
    wire_scene_destroy(scene);
}

/* The same scene from bytes, and from a message that is handed over. */
static void
test_bytes(void **state)
{
    (void)state;
    struct wire_text_error error;
    struct wire_scene *scene = read_scene(full);
    const Cairn__V1__Scene *message = wire_scene_message(scene);
    size_t size = cairn__v1__scene__get_packed_size(message);
    uint8_t *bytes = malloc(size);
    assert_non_null(bytes);
    cairn__v1__scene__pack(message, bytes);
    wire_scene_destroy(scene);
    scene = wire_scene_unpack(bytes, size, &error);
    assert_non_null(scene);
    assert_full(scene);
    wire_scene_destroy(scene);
    assert_null(wire_scene_unpack(bytes, size - 1, &error));
    assert_int_equal(error.defect.status, CN_SYNTAX);
    assert_int_equal(error.line, 0);
    free(bytes);
}

/* Bytes can contain values that text can not. */
static void
test_bad_bytes(void **state)
{
    (void)state;
    static const struct {
        const char *path, *text;
    } expected[] = {
        {"bodies[1].position.y", "is nan; only finite numbers are accepted"},
        {"bodies[1].type", "is 9, which has no name"},
        {"bodies[1].name", "is not UTF-8"},
    };
    struct wire_text_error error;
    for (int i = 0; i < 3; i++) {
        ProtobufCMessage *base =
            wire_text_parse(&cairn__v1__scene__descriptor, full, strlen(full), &error);
        Cairn__V1__Scene *message = (Cairn__V1__Scene *)base;
        assert_non_null(message);
        Cairn__V1__Body *body = message->bodies[1];
        switch (i) {
        case 0:
            body->position->y = (double)NAN;
            break;
        case 1:
            body->type = (Cairn__V1__Body__Type)9;
            break;
        default:
            body->name[0] = (char)0xff;
        }
        assert_null(wire_scene_adopt(message, &error));
        assert_string_equal(error.defect.path, expected[i].path);
        assert_string_equal(error.defect.text, expected[i].text);
    }
}

#define ONE "bodies:\n- name: a\n  shapes: [{circle: {radius: 1}}]\n"

static void
test_refused(void **state)
{
    (void)state;
    assert_refused("name: a/b\n" ONE, "text:1:7: name: is \"a/b\"; a name is at most 63 letters, "
                                      "digits, '-', '_' and '.', not '.' first");
    assert_refused("title: \"a\\nb\"\n" ONE,
        "text:1:8: title: is \"a?b\"; control characters are not accepted");
    assert_refused(ONE "  color: red\n", "text:4:10: bodies[0].color: is \"red\"; a color is "
                                         "\"#rrggbb\"");
    assert_refused(ONE "- name: a\n", "text:4:9: bodies[1].name: is \"a\", the name of bodies[0] "
                                      "already");
    assert_refused("bodies: [{name: body1, mass: 1, inertia: 1}, {mass: 1, inertia: 1}]",
        "text:1:46: bodies[1].name: is \"body1\", the name of bodies[0] already");
    assert_refused(ONE "forces: [{}]\n",
        "text:4:10: forces[0]: is empty; one of damping, spring, thruster, "
        "gravitation and constant is accepted");
    assert_refused(ONE "forces: [{damping: {}}, {damping: {}}]\n",
        "text:4:35: forces[1].damping: is a second one, after forces[0]; a scene has at most one");
    assert_refused(ONE "forces: [{damping: {linear: -1}}]\n",
        "text:4:29: forces[0].damping.linear: is -1; damping is from 0 to 100000 N s/m");
    assert_refused(ONE "forces: [{damping: {}}, {thruster: {force: {x: 1}}}]\n",
        "text:4:36: forces[1].thruster.body: is missing; it names a body");
    assert_refused(ONE "forces: [{damping: {}}, {thruster: {body: a, force: {x: 2e6}}}]\n",
        "text:4:57: forces[1].thruster.force.x: is 2000000; a force is from -1000000 to 1000000 N");
    assert_refused(ONE "forces: [{spring: {bodyA: a, bodyB: a}}]\n",
        "text:4:37: forces[0].spring.bodyB: is the same body as bodyA; a spring joins two");
    assert_refused(ONE "  orientation: {w: 1}\n", "text:4:16: bodies[0].orientation: is of SPATIAL "
                                                  "worlds; in a PLANAR one a body has an angle");
    assert_refused("bodies: [{mass: 1}]", "text:1:10: bodies[0].shapes: are none; a DYNAMIC body "
                                          "has a shape, or both mass and inertia");
    assert_refused("bodies: [{shapes: [{circle: {radius: 1}, density: 1}, {circle: {radius: 1}}]}]",
        "text:1:19: bodies[0].shapes: have a density in 1 of 2 cases; give all shapes of a body "
        "one, or none");
    assert_refused("bodies: [{type: STATIC, velocity: {x: 1}}]",
        "text:1:35: bodies[0].velocity: is given to a STATIC body, which does not move; KINEMATIC "
        "ones move unpushed");
    assert_refused("materials: [{friction: 0.5, staticFriction: 0.4}]\n" ONE,
        "text:1:45: materials[0].staticFriction: is 0.4, below the friction 0.5 of bodies that "
        "slide");
    assert_refused("", "text: bodies: are none; a scene has at least one");
}

/* Packed messages lose -0, so a scene from text must not have it either, to get the same bits. */
static void
test_zeros_have_no_sign(void **state)
{
    (void)state;
    struct wire_scene *scene = read_scene(
        "world: {gravity: {x: -0.0, y: -9.81}}\n"
        "materials: [{name: a, friction: -0.0}]\n"
        "bodies:\n"
        "  - {name: a, mass: 1, inertia: 1, position: {x: -0, y: 2}, angle: -0.0,\n"
        "     velocity: {x: -0.000, y: -0.0}, shapes: [{polygon: {vertices:\n"
        "       [{x: -0.0, y: 0}, {x: 1, y: -0.0}, {x: 0, y: 1}]}, material: a}]}\n");
    const struct cn_world_def *def = wire_scene_world_def(scene);
    assert_false(signbit(def->settings.gravity.x));
    assert_false(signbit(def->bodies[0].position.x));
    assert_false(signbit(def->bodies[0].angle));
    assert_false(signbit(def->bodies[0].velocity.y));
    assert_true(def->settings.gravity.y == -9.81 && def->bodies[0].position.y == 2.0);
    const Cairn__V1__Scene *message = wire_scene_message(scene);
    assert_false(signbit(message->bodies[0]->shapes[0]->polygon->vertices[1]->y));
    assert_false(signbit(message->materials[0]->friction));
    wire_scene_destroy(scene);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_zeros_have_no_sign),
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_space),
        cmocka_unit_test(test_joints),
        cmocka_unit_test(test_turns),
        cmocka_unit_test(test_everything),
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_bad_bytes),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
