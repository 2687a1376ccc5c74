/*
 * test_spawn.c: prefabs and spawns: poses, names, velocities, refusals.
 *
 * A spawned prefab has the bits of the same bodies and joints written out.
 */
#include "deed/change.h"
#include "engine/math/trig.h"
#include "proto/limits.h"
#include "proto/scene_live.h"
#include "proto/text.h"

#include "cairn/v1/scene.pb-c.h"
#include "cairn/v1/world.pb-c.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka wants the first four. */
#include <cmocka.h>

#include "tests/support/near.h"

#define TEXT_SIZE 4096

/* A car of 3 bodies and 2 hinges, a ball, and a bar whose centre of mass is not its origin. */
static const char planar[] =
    "world: {stepper: time, solver: impulse}\n"
    "bodies:\n"
    "  - {name: floor, type: STATIC, position: {y: -3}, shapes: [{box: {size: {x: 90, y: 1}}}]}\n"
    "  - {name: crate2, mass: 1, position: {x: 30}, shapes: [{circle: {radius: 0.25}}]}\n"
    "prefabs:\n"
    "  - name: car\n"
    "    bodies:\n"
    "      - {name: hull, mass: 2, position: {y: 0.5}, velocity: {x: 1},\n"
    "         shapes: [{box: {size: {x: 2, y: 0.5}}}]}\n"
    "      - {name: rear, mass: 1, position: {x: -0.75}, shapes: [{circle: {radius: 0.25}}]}\n"
    "      - {mass: 1, position: {x: 0.75}, shapes: [{circle: {radius: 0.25}}]}\n"
    "    joints:\n"
    "      - {name: axle, hinge: {bodyA: hull, bodyB: rear, anchor: {x: -0.75}}}\n"
    "      - {slider: {bodyA: hull, bodyB: body2, anchor: {x: 0.75}}}\n"
    "  - {name: crate, bodies: [{mass: 1, shapes: [{circle: {radius: 0.25}}]}]}\n"
    "  - {name: bar, bodies: [{mass: 1, position: {x: 1},\n"
    "      shapes: [{circle: {radius: 0.25}, position: {x: 2}}]}]}\n";

static struct wire_scene *
parse(const char *text)
{
    struct wire_text_error error;
    struct wire_scene *scene = wire_scene_parse(text, strlen(text), &error);
    if (scene == NULL) {
        char shown[WIRE_TEXT_ERROR_SIZE];
        fail_msg("%s", wire_text_error_print(&error, "scene", shown, sizeof(shown)));
    }
    return scene;
}

/* The bytes of a Change; the caller frees them. */
static uint8_t *
pack_change(const char *text, size_t *size)
{
    struct wire_text_error error;
    ProtobufCMessage *message =
        wire_text_parse(&cairn__v1__change__descriptor, text, strlen(text), &error);
    if (message == NULL) {
        char shown[WIRE_TEXT_ERROR_SIZE];
        fail_msg("%s", wire_text_error_print(&error, "change", shown, sizeof(shown)));
    }
    *size = protobuf_c_message_get_packed_size(message);
    uint8_t *bytes = malloc(*size + 1);
    assert_non_null(bytes);
    protobuf_c_message_pack(message, bytes);
    wire_text_free(message);
    return bytes;
}

/* A world whose scene follows its changes. */
struct world {
    struct wire_scene *scene, *shown;
    struct cn_world *engine;
};

static struct world
begin(const char *text)
{
    struct world world = {.scene = parse(text)};
    world.shown = world.scene;
    assert_int_equal(
        cn_world_create(wire_scene_world_def(world.scene), NULL, &world.engine), CN_OK);
    return world;
}

static void
finish(struct world *world)
{
    cn_world_destroy(world->engine);
    if (world->shown != world->scene) {
        wire_scene_destroy(world->shown);
    }
    wire_scene_destroy(world->scene);
}

/* Does the change; false with *error filled. */
static bool
try_change(struct world *world, const char *text, struct wire_error *error)
{
    size_t size;
    uint8_t *bytes = pack_change(text, &size);
    struct cn_defect defect;
    struct dd_slots slots;
    bool is_touched, is_done = false;
    struct wire_change *change = wire_change_unpack(bytes, size, world->scene, &defect);
    free(bytes);
    if (change == NULL) {
        wire_error_from_defect(error, &defect);
        return false;
    }
    if (dd_change_apply(change, world->shown, world->engine, &slots, &is_touched, error)) {
        struct wire_scene *shown =
            wire_scene_follow(world->shown, world->engine, change, slots.body, slots.joint);
        assert_non_null(shown);
        if (world->shown != world->scene) {
            wire_scene_destroy(world->shown);
        }
        world->shown = shown;
        dd_slots_finish(&slots);
        is_done = true;
    }
    wire_change_destroy(change);
    return is_done;
}

static void
change(struct world *world, const char *text)
{
    struct wire_error error;
    if (!try_change(world, text, &error)) {
        fail_msg("%s: %s %s", error.code, error.path, error.text);
    }
}

static void
refuse(const char *scene, const char *text, const char *code, const char *path)
{
    struct world world = begin(scene);
    struct wire_error error;
    assert_false(try_change(&world, text, &error));
    assert_string_equal(error.code, code);
    assert_string_equal(error.path, path);
    finish(&world);
}

static int
body_of(const struct world *world, const char *name)
{
    const Cairn__V1__Scene *message = wire_scene_message(world->shown);
    for (size_t i = 0; i < message->n_bodies; i++) {
        if (!message->bodies[i]->absent &&
            strcmp(wire_scene_body_name(world->shown, (int)i), name) == 0) {
            return (int)i;
        }
    }
    return -1;
}

static struct cn_body_view
view_of(const struct world *world, const char *name)
{
    struct cn_body_view view;
    int body = body_of(world, name);
    assert_in_range(body, 0, 100);
    cn_world_body_state(world->engine, body, &view);
    return view;
}

/* The car at (3, 1), turned by an angle and moving, equals its parts written out, to the bit. */
static void
test_equals_written_out(void **state)
{
    (void)state;
    const double angle = 0.5;
    double s, c;
    char text[TEXT_SIZE];
    cn_sin_cos(angle, &s, &c);
    struct world spawned = begin(planar), written = begin(planar);
    change(&spawned, "spawns: [{prefab: car, name: red, position: {x: 3, y: 1}, angle: 0.5,\n"
                     "  velocity: {x: 0.25, y: 0.125}}]");
    int size = snprintf(text, sizeof(text),
        "bodies:\n"
        "  - {name: red.hull, mass: 2, position: {x: %.17g, y: %.17g}, angle: 0.5,\n"
        "     velocity: {x: %.17g, y: %.17g}, shapes: [{box: {size: {x: 2, y: 0.5}}}]}\n"
        "  - {name: red.rear, mass: 1, position: {x: %.17g, y: %.17g}, angle: 0.5,\n"
        "     velocity: {x: 0.25, y: 0.125}, shapes: [{circle: {radius: 0.25}}]}\n"
        "  - {name: red.body2, mass: 1, position: {x: %.17g, y: %.17g}, angle: 0.5,\n"
        "     velocity: {x: 0.25, y: 0.125}, shapes: [{circle: {radius: 0.25}}]}\n"
        "joints:\n"
        "  - {name: red.axle, hinge: {bodyA: red.hull, bodyB: red.rear,\n"
        "     anchor: {x: %.17g, y: %.17g}}}\n"
        "  - {name: red.joint1, slider: {bodyA: red.hull, bodyB: red.body2,\n"
        "     anchor: {x: %.17g, y: %.17g}, axis: {x: %.17g, y: %.17g}}}\n",
        3.0 - 0.5 * s, 1.0 + 0.5 * c, 0.25 + c, 0.125 + s, 3.0 - 0.75 * c, 1.0 - 0.75 * s,
        3.0 + 0.75 * c, 1.0 + 0.75 * s, 3.0 - 0.75 * c, 1.0 - 0.75 * s, 3.0 + 0.75 * c,
        1.0 + 0.75 * s, c, s);
    assert_in_range(size, 1, TEXT_SIZE - 1);
    change(&written, text);
    for (int tick = 0; tick < 100; tick++) {
        assert_true(cn_world_hash(spawned.engine) == cn_world_hash(written.engine));
        assert_int_equal(cn_world_step(spawned.engine, CN_WORK_UNLIMITED), CN_STEP_DONE);
        assert_int_equal(cn_world_step(written.engine, CN_WORK_UNLIMITED), CN_STEP_DONE);
    }
    for (int i = 2; i < 5; i++) {
        assert_string_equal(
            wire_scene_body_name(spawned.shown, i), wire_scene_body_name(written.shown, i));
    }
    assert_string_equal(wire_scene_joint_name(spawned.shown, 0), "red.axle");
    assert_string_equal(wire_scene_joint_name(spawned.shown, 1), "red.joint1");
    finish(&spawned);
    finish(&written);
}

/* Whoever has no name gets the first free number of its prefab. */
static void
test_names(void **state)
{
    (void)state;
    struct world world = begin(planar);
    change(&world, "spawns: [{prefab: crate, position: {x: 1}},\n"
                   "  {prefab: crate, position: {x: 2}}, {prefab: car, position: {x: 5}},\n"
                   "  {prefab: crate, name: last, position: {x: 9}}]");
    assert_near(view_of(&world, "crate1").position.x, 1.0, 0.0);
    assert_near(view_of(&world, "crate3").position.x, 2.0, 0.0); /* 2 was taken by the scene */
    assert_near(view_of(&world, "car1.rear").position.x, 4.25, 0.0);
    assert_near(view_of(&world, "last").position.x, 9.0, 0.0);
    change(&world, "{remove: [crate1, crate2], spawns: [{prefab: crate, position: {x: 4}},\n"
                   "  {prefab: crate, position: {x: 6}}, {prefab: car, position: {x: 7}}]}");
    assert_near(view_of(&world, "crate1").position.x, 4.0, 0.0);
    assert_near(view_of(&world, "crate2").position.x, 6.0, 0.0);
    assert_near(view_of(&world, "car2.hull").position.x, 7.0, 0.0);
    assert_int_equal(body_of(&world, "crate4"), -1);
    change(&world, "{removeJoints: [car1.axle], spawns: [{prefab: crate}]}");
    assert_in_range(body_of(&world, "crate4"), 0, 100);
    finish(&world);
}

/* A spawn that turns moves as one body: v = v0 + w x r at each centre of mass. */
static void
test_turning(void **state)
{
    (void)state;
    struct world world = begin(planar);
    change(&world, "spawns: [{prefab: bar, name: bar, position: {x: 10}, velocity: {y: 1},\n"
                   "  angularVelocity: {z: 2}}]");
    struct cn_body_view bar = view_of(&world, "bar");
    assert_near(bar.center.x, 13.0, 1e-12); /* 3 m from the origin of the prefab */
    assert_near(bar.velocity.x, 0.0, 1e-12);
    assert_near(bar.velocity.y, 7.0, 1e-12);
    assert_near(bar.angular_velocity.z, 2.0, 0.0);
    finish(&world);
}

/* In space: a third of a turn about (1, 1, 1) takes x to y, y to z, z to x. */
static void
test_space(void **state)
{
    (void)state;
    struct world world = begin(
        "world: {dimension: SPATIAL, stepper: time, solver: impulse}\n"
        "bodies: [{type: STATIC, position: {y: -9}, shapes: [{sphere: {radius: 1}}]}]\n"
        "prefabs:\n"
        "  - name: pair\n"
        "    bodies:\n"
        "      - {name: a, mass: 1, position: {x: 1}, shapes: [{sphere: {radius: 0.25}}]}\n"
        "      - {name: b, mass: 1, position: {x: 2}, shapes: [{sphere: {radius: 0.25}}]}\n"
        "    joints:\n"
        "      - {hinge: {bodyA: a, bodyB: b, anchor: {x: 1.5}}}\n");
    change(&world, "spawns: [{prefab: pair, position: {z: 4},\n"
                   "  orientation: {w: 1, x: 1, y: 1, z: 1}, angularVelocity: {x: 3}}]");
    struct cn_body_view b = view_of(&world, "pair1.b");
    assert_near(b.position.x, 0.0, 1e-12);
    assert_near(b.position.y, 2.0, 1e-12);
    assert_near(b.position.z, 4.0, 1e-12);
    assert_near(b.orientation.w, 0.5, 1e-12);
    assert_near(b.velocity.z, 6.0, 1e-12); /* (3, 0, 0) x (0, 2, 0) */
    const Cairn__V1__Joint *joint = wire_scene_message(world.shown)->joints[0];
    assert_string_equal(joint->name, "pair1");
    assert_string_equal(joint->hinge->body_b, "pair1.b");
    assert_near(joint->hinge->axis->x, 1.0, 1e-12); /* z before */
    assert_near(joint->hinge->anchor->y, 1.5, 1e-12);
    finish(&world);
}

static void
test_refusals(void **state)
{
    (void)state;
    refuse(planar, "spawns: [{prefab: crate}, {prefab: kar}]", "REFERENCE", "spawns[1].prefab");
    refuse(planar, "spawns: [{}]", "REFERENCE", "spawns[0].prefab");
    refuse(planar, "spawns: [{prefab: crate, orientation: {w: 1}}]", "DIMENSION",
        "spawns[0].orientation");
    refuse(planar, "spawns: [{prefab: car, position: {x: 2e9}}]", "RANGE",
        "spawns[0].bodies[0].position.x");
    refuse(planar, "spawns: [{prefab: crate, name: floor}]", "DUPLICATE",
        "spawns[0].bodies[0].name");
    refuse(planar, "spawns: [{prefab: crate, angle: 2e6}]", "RANGE", "spawns[0].angle");
    refuse("world: {dimension: SPATIAL}\n"
           "bodies: [{type: STATIC, shapes: [{sphere: {radius: 1}}]}]\n"
           "prefabs: [{name: a, bodies: [{mass: 1, shapes: [{sphere: {radius: 1}}]}]}]",
        "spawns: [{prefab: a, orientation: {w: 0.1}}]", "RANGE", "spawns[0].orientation");
}

/* A prefab is checked with its scene. */
static void
refuse_scene(const char *prefabs, const char *path)
{
    char text[TEXT_SIZE];
    struct wire_text_error error;
    int size = snprintf(text, sizeof(text), "bodies: [{type: STATIC}]\nprefabs: %s\n", prefabs);
    assert_in_range(size, 1, TEXT_SIZE - 1);
    assert_null(wire_scene_parse(text, (size_t)size, &error));
    assert_string_equal(error.defect.path, path);
}

static void
test_bad_prefabs(void **state)
{
    (void)state;
#define BALL "shapes: [{circle: {radius: 1}}]"
    refuse_scene("[{bodies: [{mass: 1, " BALL "}]}]", "prefabs[0].name");
    refuse_scene("[{name: a}]", "prefabs[0].bodies");
    refuse_scene("[{name: a, bodies: [{mass: -1, " BALL "}]}]", "prefabs[0].bodies[0].mass");
    refuse_scene("[{name: a, bodies: [{mass: 1, " BALL "}]}, {name: a, bodies: [{mass: 1, " BALL
                 "}]}]",
        "prefabs[1].name");
    refuse_scene("[{name: a, bodies: [{mass: 1, shapes: [{circle: {radius: 1}, material: ice}]}]}]",
        "prefabs[0].bodies[0].shapes[0].material");
    refuse_scene("[{name: a, bodies: [{mass: 1, " BALL "}], joints: [{ball: {bodyB: other}}]}]",
        "prefabs[0].joints[0].ball.bodyB");
#undef BALL
}

/* No message makes more than a world holds. */
static void
test_many(void **state)
{
    (void)state;
    static char text[400000];
    int size = snprintf(text, sizeof(text), "spawns:\n");
    for (int i = 0; i < WIRE_BODIES_MAX + 1; i++) {
        size += snprintf(text + size, sizeof(text) - (size_t)size, "- {prefab: crate}\n");
    }
    refuse(planar, text, "LIMIT", "spawns[10000]");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equals_written_out),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_turning),
        cmocka_unit_test(test_space),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_bad_prefabs),
        cmocka_unit_test(test_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
