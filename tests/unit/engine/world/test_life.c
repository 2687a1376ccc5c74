/*
 * test_life.c: slots of bodies, shapes and joints; what goes with a body; what is refused; and what
 * each field of a body does with the exact steppers.
 */
#include "engine/model/life.h"
#include "engine/world/world_inside.h"
#include "tests/support/world/scene.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/support/near.h"

static struct scene scene;

static struct cn_body_def
box_at(double x, double y, const struct cn_shape_def *shapes, int count)
{
    struct cn_body_def def;
    cn_body_def_init(&def);
    def.position = cn_vec3_make(x, y, 0.0);
    def.shapes = shapes;
    def.shape_count = count;
    return def;
}

static const struct cn_shape_def two_boxes[2] = {
    {.kind = CN_SHAPE_BOX, .box = {{1.0, 1.0, 1.0}}},
    {.kind = CN_SHAPE_BOX, .position = {1.0, 0.0, 0.0}, .box = {{1.0, 1.0, 1.0}}},
};

static int
make(struct cn_world *world, double x, int shape_count)
{
    struct cn_body_def def = box_at(x, 5.0, two_boxes, shape_count);
    struct cn_defect defect = {0};
    int slot = -1;
    if (cn_world_make_body(world, &def, &defect, &slot) != CN_OK) {
        fail_msg("%s %s", defect.path, defect.text);
    }
    return slot;
}

static void
assert_refused(struct cn_world *world, const struct cn_command *command, enum cn_status status,
    const char *path, const char *says)
{
    struct cn_defect defect = {0};
    uint64_t before = cn_world_hash(world);
    assert_int_equal(cn_world_command_apply(world, command, &defect), status);
    assert_string_equal(defect.path, path);
    if (strstr(defect.text, says) == NULL) {
        fail_msg("\"%s\" does not say \"%s\"", defect.text, says);
    }
    assert_int_equal(cn_world_hash(world), before);
}

/* A body takes the lowest free slot; its shapes take the first free run that is long enough. */
static void
test_slots(void **unused)
{
    (void)unused;
    scene_init(&scene, 9.81);
    scene_floor(&scene);
    struct cn_world *world = scene_create(&scene);
    const struct cn_model *model = &world->model;
    for (int i = 1; i <= 5; i++) { /* shapes 1-2, 3-4, 5-6, 7-8, 9-10 */
        assert_int_equal(make(world, 3.0 * i, 2), i);
        assert_int_equal(model->body[i].shape_first, 2 * i - 1);
    }
    assert_int_equal(cn_world_remove_body(world, 2, NULL), CN_OK);
    assert_int_equal(cn_world_remove_body(world, 4, NULL), CN_OK);
    assert_int_equal(cn_world_body_count(world), 6);
    assert_int_equal(cn_world_present_count(world), 4);
    assert_int_equal(make(world, 6.0, 1), 2); /* shape 3 */
    assert_int_equal(model->body[2].shape_first, 3);
    assert_int_equal(model->body[2].generation, 1);
    assert_int_equal(make(world, 12.0, 2), 4); /* 4 is one alone: 7-8 */
    assert_int_equal(model->body[4].shape_first, 7);
    assert_int_equal(make(world, 18.0, 1), 6); /* shape 4 */
    assert_int_equal(model->body[6].shape_first, 4);
    assert_int_equal(make(world, 21.0, 2), 7); /* at the end */
    assert_int_equal(model->body[7].shape_first, 11);
    assert_int_equal(model->shape_count, 13);
    assert_int_equal(model->shape[4].body, 6);
    scene_ticks(world, 3);
    assert_int_equal(cn_world_remove_body(world, 0, NULL), CN_OK); /* the floor, too */
    scene_ticks(world, 3);
    assert_int_equal(cn_world_present_count(world), 7);
    assert_int_equal(make(world, 30.0, 1), 0);
    assert_int_equal(cn_world_present_count(world), cn_world_body_count(world));
    cn_world_destroy(world);
}

static uint64_t
hash_with(const struct cn_shape_def *shape)
{
    scene_init(&scene, 9.81);
    scene_floor(&scene);
    struct cn_world *world = scene_create(&scene);
    struct cn_body_def def = box_at(2.0, 5.0, shape, 1);
    def.mass = 3.0; /* given, so that it does not depend on the size */
    int slot = -1;
    assert_int_equal(cn_world_make_body(world, &def, NULL, &slot), CN_OK);
    uint64_t hash = cn_world_hash(world);
    cn_world_destroy(world);
    return hash;
}

/* The hash covers the definition of a body that was made while the world ran. */
static void
test_hash(void **unused)
{
    (void)unused;
    struct cn_shape_def shape = two_boxes[0];
    uint64_t plain = hash_with(&two_boxes[0]);
    shape.filter = (struct cn_filter){.category = 2, .mask = 1};
    assert_int_not_equal(hash_with(&shape), plain);
    shape = two_boxes[0];
    shape.box.size.x = 1.0 + 0x1p-52; /* one bit */
    assert_int_not_equal(hash_with(&shape), plain);
}

/* Slots that are taken and freed at random agree with a plain list of the taken slots. */
static void
test_slots_at_random(void **unused)
{
    (void)unused;
    enum { SLOTS = 500 };
    uint64_t word[8] = {0};
    struct cn_slots slots = {.word = word, .max = SLOTS};
    bool taken[SLOTS] = {false};
    uint32_t x = 1;
    for (int k = 0; k < 4000; k++) {
        x = x * 1664525u + 1013904223u;
        int count = 1 + (int)(x >> 28) % 5;
        if (k % 3 != 2) {
            int first = 0, run = 0;
            for (int i = 0; i < SLOTS && run < count; i++) {
                run = taken[i] ? 0 : run + 1;
                first = i + 1 - run;
            }
            first = run == 0 ? SLOTS : first;
            int found = cn_slots_find(&slots, count);
            assert_int_equal(found, first);
            if (found + count <= SLOTS) {
                cn_slots_take(&slots, found, count);
                memset(&taken[found], 1, (size_t)count);
            }
        } else {
            int first = (int)(x >> 8) % SLOTS;
            for (int i = first; i < first + 40 && i < SLOTS; i++) {
                if (taken[i]) {
                    cn_slots_give(&slots, i, 1);
                    taken[i] = false;
                }
            }
        }
        int sum = 0;
        for (int i = 0; i < SLOTS; i++) {
            sum += taken[i] ? 1 : 0;
        }
        assert_int_equal(cn_slots_count(&slots), sum);
    }
}

/* A removed body removes its joints, springs, thrusters and held inputs. */
static void
test_what_goes_along(void **unused)
{
    (void)unused;
    scene_init(&scene, 0.0);
    for (int i = 0; i < 4; i++) {
        scene_box(&scene, 2.0 * i, 0.0, 1.0, 1.0);
    }
    for (int i = 1; i < 4; i++) {
        scene_joint(&scene, CN_JOINT_HINGE, i - 1, i, cn_vec3_make(2.0 * i - 1.0, 0.0, 0.0));
    }
    scene.joint[2].has_motor = true;
    scene.joint[2].motor_speed = 1.0;
    struct cn_spring_def spring = {.body_a = 0, .body_b = 2, .stiffness = 10.0, .rest_length = 4.0};
    struct cn_thruster_def thrusters[2] = {
        {.body = 0, .force = {1.0, 0.0, 0.0}}, {.body = 2, .force = {1.0, 0.0, 0.0}}};
    scene.def.springs = &spring;
    scene.def.spring_count = 1;
    scene.def.thrusters = thrusters;
    scene.def.thruster_count = 2;
    struct cn_world *world = scene_create(&scene);
    scene_hold_force(world, 2, cn_vec3_make(4.0, 0.0, 0.0), cn_vec3_make(0.0, 1.0, 0.0));
    for (int32_t actuator = 0; actuator < 3; actuator++) {
        struct cn_command level = {.kind = CN_COMMAND_HOLD_ACTUATOR};
        level.hold_actuator.holder.source = 5;
        level.hold_actuator.holder.slot = (uint32_t)actuator;
        level.hold_actuator.actuator = actuator;
        level.hold_actuator.level = 0.5;
        scene_command(world, &level);
    }
    assert_int_equal(world->model.held_count, 4);
    assert_true(cn_model_joined(&world->model, 2, 3));
    assert_int_equal(cn_world_remove_body(world, 2, NULL), CN_OK);
    assert_int_equal(world->model.held_count, 1); /* the thruster of body 0 */
    assert_int_equal(world->model.joint_live, 1);
    assert_true(world->model.spring[0].absent);
    assert_true(world->model.thruster[1].absent && !world->model.thruster[0].absent);
    assert_false(cn_model_joined(&world->model, 2, 3));
    struct cn_command level = {.kind = CN_COMMAND_HOLD_ACTUATOR};
    for (int32_t actuator = 1; actuator < 3; actuator++) {
        level.hold_actuator.actuator = actuator;
        assert_refused(world, &level, CN_REFERENCE, "actuator", "not this one");
    }
    scene_ticks(world, 3);
    assert_int_equal(scene_view(world, 3).velocity.x, 0); /* no joint holds it */
    struct cn_joint_view joint;
    cn_world_joint_view(world, 1, &joint);
    assert_true(joint.absent && joint.generation == 1);

    /* A motor that is made later has its own actuator. */
    struct cn_joint_def def;
    cn_joint_def_init(&def, CN_JOINT_HINGE);
    def.body_b = 3;
    def.anchor_b = cn_vec3_make(6.0, 0.0, 0.0);
    def.has_motor = true;
    int slot = -1;
    assert_int_equal(cn_world_make_joint(world, &def, NULL, &slot), CN_OK);
    assert_int_equal(slot, 1);
    level.hold_actuator.actuator = world->model.joint[1].actuator;
    scene_command(world, &level);
    assert_int_equal(level.hold_actuator.actuator, 2 + 1 + 1);
    cn_world_destroy(world);
}

static void
test_refusals(void **unused)
{
    (void)unused;
    scene_init(&scene, 9.81);
    scene_floor(&scene);
    scene_box(&scene, 0.0, 2.0, 1.0, 1.0);
    struct cn_world *world = scene_create(&scene);
    struct cn_command command = {.kind = CN_COMMAND_MAKE_BODY};
    command.make_body.def = box_at(0.0, 0.0, two_boxes, 2);
    command.make_body.def.mass = -1.0;
    assert_refused(world, &command, CN_RANGE, "mass", "0.001");
    command.make_body.def.mass = 0.0;
    command.make_body.def.shape_count = 0;
    assert_refused(world, &command, CN_MASS, "shapes", "DYNAMIC");
    struct cn_shape_def flat = two_boxes[0];
    flat.box.size.y = 0.0;
    command.make_body.def = box_at(0.0, 0.0, &flat, 1);
    assert_refused(world, &command, CN_RANGE, "shapes[0].box.size.y", "0.001");

    command.make_body.def = box_at(0.0, 0.0, two_boxes, 2);
    command.make_body.def.locks = CN_LOCK_LINEAR_X;
    assert_refused(world, &command, CN_PAIR, "locks", "impulse");
    command.make_body.def.locks = CN_LOCK_ANGULAR_Z;
    command.make_body.def.angular_velocity.z = 1.0;
    assert_refused(world, &command, CN_RANGE, "angularVelocity", "locked");

    command = (struct cn_command){.kind = CN_COMMAND_REMOVE_BODY, .remove_body = {7, 0}};
    assert_refused(world, &command, CN_REFERENCE, "body", "bodies 0 to 1");
    command.remove_body = (struct cn_remove){1, 3};
    assert_refused(world, &command, CN_REFERENCE, "body", "generation 3");
    assert_int_equal(cn_world_remove_body(world, 1, NULL), CN_OK);
    command.remove_body = (struct cn_remove){1, 1};
    assert_refused(world, &command, CN_REFERENCE, "body", "removed");

    struct cn_command force = {.kind = CN_COMMAND_HOLD_FORCE, .hold_force = {.body = 1}};
    assert_refused(world, &force, CN_REFERENCE, "body", "removed");
    struct cn_command place = {.kind = CN_COMMAND_PLACE_BODY, .place_body = {.body = 1}};
    assert_refused(world, &place, CN_REFERENCE, "body", "removed");
    int slot = make(world, 0.0, 1);
    struct cn_command type = {.kind = CN_COMMAND_SET_BODY_TYPE};
    type.set_body_type.body = 0;
    type.set_body_type.type = CN_KINEMATIC; /* planes may be kinematic */
    assert_int_equal(cn_world_command_check(world, &type, NULL), CN_OK);
    type.set_body_type.type = CN_DYNAMIC;
    assert_refused(world, &type, CN_MASS, "type", "inertia");
    struct cn_command filter = {.kind = CN_COMMAND_SET_FILTER};
    filter.set_filter.body = slot;
    filter.set_filter.shape = 1;
    assert_refused(world, &filter, CN_REFERENCE, "shape", "0 to 0");

    struct cn_command joint = {.kind = CN_COMMAND_MAKE_JOINT};
    cn_joint_def_init(&joint.make_joint.def, CN_JOINT_BALL);
    joint.make_joint.def.body_b = 9;
    assert_refused(world, &joint, CN_REFERENCE, "ball.bodyB", "2 bodies");
    joint.make_joint.def.body_b = 0;
    assert_refused(world, &joint, CN_REFERENCE, "ball.bodyB", "DYNAMIC");
    cn_world_destroy(world);
}

/*
 * Scenes that an exact solver can not solve are refused when the world is made, and when a command
 * chooses an exact solver.
 */
static void
test_exact_refuses(void **unused)
{
    (void)unused;
    struct cn_defect defect;
    struct cn_world *world = NULL;
    scene_init(&scene, 9.81);
    int box = scene_box(&scene, 0.0, 2.0, 1.0, 1.0);
    scene.material[1].surface_velocity.x = 2.0;
    assert_int_equal(cn_world_create(&scene.def, &defect, &world), CN_PAIR);
    assert_string_equal(defect.path, "materials[1].surfaceVelocity");
    scene.material[1].surface_velocity.x = 0.0;
    scene.body[box].locks = CN_LOCK_LINEAR_Y;
    assert_int_equal(cn_world_create(&scene.def, &defect, &world), CN_PAIR);
    assert_string_equal(defect.path, "bodies[0].locks");
    strcpy(scene.def.settings.stepper, "time");
    strcpy(scene.def.settings.solver, "impulse");
    world = scene_create(&scene);
    struct cn_command solver = {.kind = CN_COMMAND_SET_SOLVER, .set_solver = {"baraff94"}};
    assert_refused(world, &solver, CN_PAIR, "solver", "impulse");
    scene_ticks(world, 30);
    assert_near(scene_view(world, box).position.y, 2.0, 1e-6); /* it does not fall */
    cn_world_destroy(world);
}

/* ---- events and changes ---- */

static void
test_events_and_changes(void **unused)
{
    (void)unused;
    scene_init(&scene, 9.81);
    scene_floor(&scene);
    scene_box(&scene, 0.0, 2.0, 1.0, 1.0);
    struct cn_world *world = scene_create(&scene);
    const struct cn_change *change;
    uint64_t seen = world->model.structure_version;
    int slot = make(world, 4.0, 1);
    assert_int_equal(cn_world_remove_body(world, 1, NULL), CN_OK);
    assert_int_equal(scene_events(world, CN_EVENT_BODY_MADE, NULL), 0); /* of the next tick */
    scene_tick(world);
    struct cn_event event;
    assert_int_equal(scene_events(world, CN_EVENT_BODY_MADE, &event), 1);
    assert_int_equal(event.body_a, slot);
    assert_int_equal(scene_events(world, CN_EVENT_BODY_REMOVED, &event), 1);
    assert_int_equal(event.body_a, 1);
    scene_tick(world);
    assert_int_equal(scene_events(world, CN_EVENT_BODY_MADE, NULL), 0);
    assert_int_equal(cn_model_changes(&world->model, seen, &change), 2);
    assert_true(change[0].made && change[0].slot == slot && !change[0].removed);
    assert_true(change[1].removed && change[1].slot == 1 && change[1].generation == 1);
    for (int k = 0; k < CN_CHANGES_MAX; k++) {
        int made = make(world, 8.0, 1);
        assert_int_equal(cn_world_remove_body(world, made, NULL), CN_OK);
    }
    assert_int_equal(cn_model_changes(&world->model, seen, &change), -1);
    seen = world->model.structure_version;
    make(world, 8.0, 1);
    assert_int_equal(cn_model_changes(&world->model, seen, &change), 1);
    cn_world_destroy(world);
}

/* ---- fields of bodies ---- */

/* The velocity g t with the body's own share of gravity, and one that decays as exp(-d t). */
static void
test_gravity_scale_and_damping(void **unused)
{
    (void)unused;
    scene_init(&scene, 10.0);
    int half = scene_box(&scene, 0.0, 50.0, 1.0, 1.0);
    scene.body[half].gravity_scale = 0.5;
    int none = scene_box(&scene, 5.0, 50.0, 1.0, 1.0);
    scene.body[none].gravity_scale = 0.0;
    scene.body[none].damping_linear = 0.7;
    scene.body[none].damping_angular = 1.3;
    scene.body[none].velocity.x = 2.0;
    scene.body[none].angular_velocity.z = 3.0;
    struct cn_world *world = scene_create(&scene);
    double energy = cn_world_energy(world).potential;
    assert_near(energy, 10.0 * 50.0 * 0.5 * scene_view(world, half).mass, 1e-9);
    scene_ticks(world, 60);
    assert_near(scene_view(world, half).velocity.y, -5.0, 1e-9);
    assert_near(scene_view(world, none).velocity.y, 0.0, 0.0);
    assert_near(scene_view(world, none).velocity.x, 2.0 * exp(-0.7), 1e-6);
    assert_near(scene_view(world, none).angular_velocity.z, 3.0 * exp(-1.3), 1e-6);
    cn_world_destroy(world);
}

/* A box that can not turn lands on its corner and stands on it. */
static void
test_angular_locks(void **unused)
{
    (void)unused;
    scene_init(&scene, 10.0);
    scene_floor(&scene);
    int box = scene_box(&scene, 0.0, 1.0, 1.0, 1.0);
    scene.body[box].angle = 0.5;
    scene.body[box].locks = CN_LOCK_ANGULAR_Z;
    struct cn_world *world = scene_create(&scene);
    scene_ticks(world, 120);
    struct cn_body_view view = scene_view(world, box);
    assert_near(view.angle, 0.5, 0.0);
    assert_near(view.position.y, 0.5 * (cos(0.5) + sin(0.5)), 1e-4);
    cn_world_destroy(world);

    /* In space: only its own y axis is free, so a torque along the diagonal turns it about y. */
    scene_init_space(&scene, 0.0);
    int rotor = scene_rotor(&scene, 2.0, 3.0, 4.0);
    scene.body[rotor].locks = CN_LOCK_ANGULAR_X | CN_LOCK_ANGULAR_Z;
    world = scene_create(&scene);
    struct cn_command torque = {.kind = CN_COMMAND_HOLD_TORQUE};
    torque.hold_torque.torque = cn_vec3_make(6.0, 6.0, 6.0);
    scene_command(world, &torque);
    scene_ticks(world, 60);
    view = scene_view(world, rotor);
    assert_near(view.angular_velocity.y, 2.0, 1e-9);
    assert_near(view.angular_velocity.x, 0.0, 0.0);
    assert_near(view.angular_velocity.z, 0.0, 0.0);
    cn_world_destroy(world);
}

/*
 * Equal groups below 0 never meet, equal groups above 0 always do; else categories and masks
 * decide.
 */
static void
test_filters(void **unused)
{
    (void)unused;
    static const struct {
        struct cn_filter a, b;
        bool meets;
    } cases[] = {
        {{1, UINT64_MAX, 0}, {1, UINT64_MAX, 0}, true},
        {{1, UINT64_MAX, -2}, {1, UINT64_MAX, -2}, false},
        {{1, 0, 2}, {1, 0, 2}, true},
        {{1, UINT64_MAX, -2}, {1, UINT64_MAX, -3}, true},
        {{1, 2, 0}, {2, 2, 0}, false},
        {{1, 2, 0}, {2, 1, 0}, true},
        {{UINT64_C(1) << 63, 1, 0}, {1, UINT64_C(1) << 63, 0}, true},
        {{0, UINT64_MAX, 0}, {1, UINT64_MAX, 0}, false},
    };
    for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
        scene_init(&scene, 10.0);
        scene_floor(&scene);
        int box = scene_box(&scene, 0.0, 0.6, 1.0, 1.0);
        scene.shape[0].has_filter = scene.shape[box].has_filter = true;
        scene.shape[0].filter = cases[k].a;
        scene.shape[box].filter = cases[k].b;
        struct cn_world *world = scene_create(&scene);
        scene_ticks(world, 60);
        assert_int_equal(scene_view(world, box).position.y > 0.4, cases[k].meets);
        struct cn_command pass = {.kind = CN_COMMAND_SET_FILTER};
        pass.set_filter.body = box;
        pass.set_filter.shape = -1;
        pass.set_filter.filter = (struct cn_filter){1, 0, 0};
        scene_command(world, &pass);
        scene_ticks(world, 60);
        bool by_group = cases[k].a.group > 0 && cases[k].a.group == cases[k].b.group;
        assert_true(by_group || scene_view(world, box).position.y < -1.0);
        cn_world_destroy(world);
    }
}

/* A body that is made static in the air stays there; made dynamic again, it falls. */
static void
test_types(void **unused)
{
    (void)unused;
    scene_init(&scene, 10.0);
    int box = scene_box(&scene, 0.0, 50.0, 1.0, 1.0);
    struct cn_world *world = scene_create(&scene);
    scene_ticks(world, 30);
    struct cn_command type = {.kind = CN_COMMAND_SET_BODY_TYPE};
    type.set_body_type.body = box;
    type.set_body_type.type = CN_STATIC;
    scene_command(world, &type);
    double y = scene_view(world, box).position.y;
    scene_ticks(world, 30);
    assert_near(scene_view(world, box).position.y, y, 0.0);
    assert_near(scene_view(world, box).velocity.y, 0.0, 0.0);
    type.set_body_type.type = CN_DYNAMIC;
    scene_command(world, &type);
    scene_ticks(world, 60);
    assert_near(scene_view(world, box).velocity.y, -10.0, 1e-9);
    type.set_body_type.type = CN_KINEMATIC;
    scene_command(world, &type);
    scene_ticks(world, 60);
    assert_near(scene_view(world, box).velocity.y, -10.0, 1e-9);
    cn_world_destroy(world);
}

/* ---- sensors ---- */

/*
 * A ball of radius 0.5 falls freely through a gate from y = 4 to 6, at the height 10 - 5 t^2.  It
 * enters when its lower end is at 6, and leaves when its upper end is at 4.
 */
static void
test_sensor(void **unused)
{
    (void)unused;
    scene_init(&scene, 10.0);
    scene_floor(&scene);
    int gate = scene_box(&scene, 0.0, 5.0, 4.0, 2.0);
    scene.body[gate].type = CN_STATIC;
    scene.shape[gate].sensor = true;
    int ball = scene_circle(&scene, 0.0, 10.0, 0.5);
    struct cn_world *world = scene_create(&scene);
    int begun = -1, ended = -1;
    for (int t = 1; t <= 80; t++) {
        size_t size = cn_world_image_size(world);
        void *image = malloc(size);
        assert_int_equal(cn_world_image_write(world, image, size), size);
        struct cn_world *other = scene_create(&scene);
        assert_int_equal(cn_world_image_read(other, image, size, NULL), CN_OK);
        free(image);
        cn_world_destroy(world);
        world = other;
        scene_tick(world);
        struct cn_event event;
        if (scene_events(world, CN_EVENT_SENSOR_BEGIN, &event) > 0) {
            assert_true(begun < 0);
            assert_int_equal(event.body_a, gate);
            assert_int_equal(event.body_b, ball);
            begun = t;
        }
        if (scene_events(world, CN_EVENT_SENSOR_END, &event) > 0) {
            assert_true(ended < 0);
            assert_int_equal(event.body_a, gate);
            assert_int_equal(event.body_b, ball);
            ended = t;
        }
    }
    assert_int_equal(begun, (int)ceil(60.0 * sqrt((10.0 - 6.5) / 5.0)));
    assert_int_equal(ended, (int)ceil(60.0 * sqrt((10.0 - 3.5) / 5.0)));
    cn_world_destroy(world);
}

/*
 * A removed body leaves a sensor.  A body that the filter excludes does not enter it, and neither
 * does another sensor.
 */
static void
test_sensor_of_what(void **unused)
{
    (void)unused;
    scene_init(&scene, 0.0);
    int gate = scene_box(&scene, 0.0, 0.0, 4.0, 4.0);
    scene.body[gate].mass = 1.0;
    scene.body[gate].inertia = 1.0;
    int wall = scene_box(&scene, 1.0, 0.0, 1.0, 1.0);
    scene.body[wall].type = CN_STATIC;
    int other = scene_box(&scene, -1.0, 0.0, 1.0, 1.0);
    int ghost = scene_box(&scene, 0.0, -1.3, 1.0, 1.0);
    scene.body[ghost].mass = scene.body[ghost].inertia = 1.0;
    int stranger = scene_box(&scene, 0.0, 1.0, 1.0, 1.0);
    scene.shape[gate].sensor = scene.shape[ghost].sensor = true;
    scene.shape[stranger].has_filter = true;
    scene.shape[stranger].filter = (struct cn_filter){2, 4, 0};
    struct cn_world *world = scene_create(&scene);
    scene_tick(world);
    struct cn_event event;
    assert_int_equal(scene_events(world, CN_EVENT_SENSOR_BEGIN, &event), 2);
    assert_int_equal(event.body_a, gate);
    assert_int_equal(event.body_b, wall);
    scene_tick(world);
    assert_int_equal(scene_events(world, CN_EVENT_SENSOR_BEGIN, NULL), 0);
    assert_int_equal(cn_world_remove_body(world, other, NULL), CN_OK);
    scene_tick(world);
    assert_int_equal(scene_events(world, CN_EVENT_SENSOR_END, &event), 1);
    assert_int_equal(event.body_b, other);
    assert_int_equal(cn_world_remove_body(world, gate, NULL), CN_OK);
    assert_int_equal(world->model.within_count, 0);
    assert_int_equal(world->model.sensor_count, 1);
    cn_world_destroy(world);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slots),
        cmocka_unit_test(test_hash),
        cmocka_unit_test(test_slots_at_random),
        cmocka_unit_test(test_what_goes_along),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_exact_refuses),
        cmocka_unit_test(test_events_and_changes),
        cmocka_unit_test(test_gravity_scale_and_damping),
        cmocka_unit_test(test_angular_locks),
        cmocka_unit_test(test_filters),
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_sensor),
        cmocka_unit_test(test_sensor_of_what),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
