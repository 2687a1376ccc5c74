/*
 * fuzz_life.c: a world keeps finite numbers for any order of commands that make, remove, change
 * and hold.  At every tick its image is read into another world of the scene, in which other
 * things were made; that world then has the same bits.
 *
 * Every input is a valid scene and a list of commands of four bytes each, ended by a tick.
 * Commands that name missing bodies or joints are refused and change nothing.
 */
#include "engine/base/assert.h"
#include "engine/cairn.h"
#include "engine/solve/table/solver_table.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define COMMANDS_MAX 32
#define SCENE_BODIES 4

/* An input ends where it has cost a world this much: one tick of a heap may be 170 pieces. */
#define PIECE_WORK 1000000
#define PIECES_MAX 40

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static enum cn_dimension dimension;

static const cn_vec3 triangle[3] = {{-0.5, -0.5, 0.0}, {0.5, -0.5, 0.0}, {0.0, 0.5, 0.0}};
static const cn_vec3 tetrahedron[4] = {
    {-0.5, -0.5, -0.5}, {0.5, -0.5, -0.5}, {0.0, 0.5, -0.5}, {0.0, 0.0, 0.5}};

static void
fill_shape(struct cn_shape_def *shape, unsigned choice)
{
    *shape = (struct cn_shape_def){.kind = CN_SHAPE_BOX};
    shape->box.size = cn_vec3_make(0.5, 0.75, 0.5);
    if (choice % 4 == 1) {
        shape->kind = CN_SHAPE_CAPSULE;
        shape->capsule.radius = 0.25;
        shape->capsule.length = 0.5;
    } else if (choice % 4 == 2 && dimension == CN_PLANAR) {
        shape->kind = CN_SHAPE_POLYGON;
        shape->polygon.vertices = triangle;
        shape->polygon.vertex_count = 3;
    } else if (choice % 4 == 2) {
        shape->kind = CN_SHAPE_HULL;
        shape->hull.vertices = tetrahedron;
        shape->hull.vertex_count = 4;
    } else if (choice % 4 == 3) {
        shape->kind = CN_SHAPE_SPHERE;
        shape->sphere.radius = 0.25;
    }
    shape->position.x = 0.125 * (choice / 4 % 3);
    shape->sensor = choice % 16 == 15;
    shape->has_filter = choice % 8 == 7;
    shape->filter = (struct cn_filter){1, UINT64_MAX, -(int)(choice / 8 % 2)};
}

static void
fill_body(struct cn_body_def *def, struct cn_shape_def shape[3], const uint8_t *byte)
{
    cn_body_def_init(def);
    for (int k = 0; k < 3; k++) {
        fill_shape(&shape[k], (unsigned)(byte[1] + 5 * k));
    }
    def->shapes = shape;
    def->shape_count = byte[2] % 4;
    def->type = byte[2] / 4 % 8 == 7 ? CN_KINEMATIC : byte[2] / 4 % 8 == 6 ? CN_STATIC : CN_DYNAMIC;
    def->position = cn_vec3_make(0.25 * (byte[3] % 16) - 2.0, 0.5 * (byte[3] / 16), 0.0);
    def->mass = 1.0;
    def->inertia = dimension == CN_PLANAR ? 0.1 : 0.0;
    bool solid = false; /* sensors weigh nothing */
    for (int k = 0; k < def->shape_count; k++) {
        solid = solid || !shape[k].sensor;
    }
    if (dimension == CN_SPATIAL && !solid) {
        def->inertia_tensor = cn_mat33_diagonal(0.1, 0.1, 0.1);
    }
    def->gravity_scale = byte[1] % 3 == 0 ? 0.25 : 1.0;
    def->damping_linear = byte[1] % 5 == 0 ? 0.5 : 0.0;
    if (def->type == CN_DYNAMIC && byte[1] % 7 == 0) {
        def->locks = dimension == CN_PLANAR ? CN_LOCK_ANGULAR_Z : CN_LOCK_ANGULAR_X;
    }
}

static void
fill_joint(struct cn_joint_def *def, const struct cn_world *world, const uint8_t *byte)
{
    int count = cn_world_body_count(world);
    struct cn_body_view view;
    cn_joint_def_init(def, (enum cn_joint_kind)(byte[1] % CN_JOINT_TRACK));
    def->body_a = byte[2] % (count + 1) - 1;
    def->body_b = byte[3] % count;
    cn_world_body_view(world, def->body_b, &view);
    def->anchor_b = view.position;
    def->anchor_a = cn_vec3_make(view.position.x, view.position.y + 1.0, 0.0);
    bool axial = def->kind == CN_JOINT_HINGE || def->kind == CN_JOINT_SLIDER;
    def->has_motor = axial && byte[1] >= 128;
    def->motor_speed = 1.0;
    def->motor_force_max = 10.0;
    def->break_force = byte[1] % 16 == 9 ? 5.0 : 0.0;
    def->collide = byte[1] % 32 > 15;
}

static struct cn_holder
holder_of(const uint8_t *byte)
{
    return (struct cn_holder){.source = byte[2], .slot = byte[3]};
}

/* Commands about a body or joint by its number. */
static void
aim(struct cn_command *c, const struct cn_world *world, const uint8_t *byte)
{
    int body = byte[1] % cn_world_body_count(world);
    struct cn_body_view view;
    cn_world_body_view(world, body, &view);
    switch (c->kind) {
    case CN_COMMAND_REMOVE_BODY:
        c->remove_body = (struct cn_remove){body, view.generation};
        break;
    case CN_COMMAND_REMOVE_JOINT:
        c->remove_joint = (struct cn_remove){byte[1] % 16, byte[2] % 2};
        break;
    case CN_COMMAND_SET_BODY_TYPE:
        c->set_body_type = (struct cn_set_body_type){body, (enum cn_body_type)(byte[2] % 3)};
        break;
    case CN_COMMAND_SET_FILTER:
        c->set_filter =
            (struct cn_set_filter){body, byte[2] % 4 - 1, {1, byte[3], byte[3] % 3 - 1}};
        break;
    case CN_COMMAND_SET_VELOCITY:
        c->set_velocity.body = body;
        c->set_velocity.velocity = cn_vec3_make(0.1 * byte[2], 0.1 * byte[3], 0.0);
        break;
    case CN_COMMAND_SLEEP_BODY:
        c->sleep_body = (struct cn_sleep_body){body, byte[2] % 2 == 1};
        break;
    case CN_COMMAND_HOLD_FORCE:
        c->hold_force = (struct cn_hold_force){
            .holder = holder_of(byte), .body = body, .force = {3.0, 1.0, 0.0}};
        break;
    default:
        c->kind = CN_COMMAND_HOLD_ACTUATOR;
        c->hold_actuator = (struct cn_hold_actuator){
            .holder = holder_of(byte), .actuator = byte[1] % 32, .level = 0.5};
        break;
    }
}

static void
command(struct cn_world *world, const uint8_t *byte)
{
    static const enum cn_command_kind kinds[] = {CN_COMMAND_MAKE_BODY, CN_COMMAND_MAKE_BODY,
        CN_COMMAND_MAKE_JOINT, CN_COMMAND_MAKE_JOINT, CN_COMMAND_REMOVE_BODY,
        CN_COMMAND_REMOVE_JOINT, CN_COMMAND_SET_BODY_TYPE, CN_COMMAND_SET_FILTER,
        CN_COMMAND_SET_VELOCITY, CN_COMMAND_SLEEP_BODY, CN_COMMAND_HOLD_FORCE,
        CN_COMMAND_HOLD_ACTUATOR};
    struct cn_shape_def shape[3];
    struct cn_command c = {.kind = kinds[byte[0] / 2 % (sizeof(kinds) / sizeof(kinds[0]))]};
    if (c.kind == CN_COMMAND_MAKE_BODY) {
        fill_body(&c.make_body.def, shape, byte);
    } else if (c.kind == CN_COMMAND_MAKE_JOINT) {
        fill_joint(&c.make_joint.def, world, byte);
    } else {
        aim(&c, world, byte);
    }
    uint64_t before = cn_world_hash(world);
    if (cn_world_command_apply(world, &c, NULL) != CN_OK) {
        CN_ASSERT(cn_world_hash(world) == before);
    }
}

static void
carry_over(const struct cn_world *from, struct cn_world *to)
{
    size_t size = cn_world_image_size(from);
    void *image = malloc(size);
    CN_ASSERT(image != NULL && cn_world_image_write(from, image, size) == size);
    CN_ASSERT(cn_world_image_read(to, image, size, NULL) == CN_OK);
    CN_ASSERT(cn_world_hash(to) == cn_world_hash(from));
    free(image);
}

static void
check(const struct cn_world *world)
{
    for (int i = 0; i < cn_world_body_count(world); i++) {
        struct cn_body_view view;
        cn_world_body_view(world, i, &view);
        CN_ASSERT(cn_vec3_is_finite(view.position) && cn_vec3_is_finite(view.velocity));
    }
    for (int i = 0; i < cn_world_joint_count(world); i++) {
        struct cn_joint_view view;
        cn_world_joint_view(world, i, &view);
        CN_ASSERT(cn_vec3_is_finite(view.force) && cn_vec3_is_finite(view.torque));
    }
}

static struct cn_world *
create(const uint8_t *data)
{
    static struct cn_shape_def shape[SCENE_BODIES][3];
    static struct cn_body_def body[SCENE_BODIES];
    static struct cn_joint_def joint;
    struct cn_world_def def;
    struct cn_world *world;
    cn_world_def_init(&def);
    def.settings.dimension = dimension;
    def.settings.sleep = data[1] % 2 == 0;
    const struct cn_stepper *stepper = cn_steppers[data[2] % cn_stepper_count];
    for (int k = 0; k < cn_solver_count; k++) {
        const struct cn_solver *solver = cn_solvers[(data[3] + k) % cn_solver_count];
        if (cn_stepper_fits(stepper, solver)) {
            snprintf(def.settings.stepper, CN_NAME_SIZE, "%s", stepper->name);
            snprintf(def.settings.solver, CN_NAME_SIZE, "%s", solver->name);
            break;
        }
    }
    shape[0][0] = (struct cn_shape_def){.kind = CN_SHAPE_BOX, .box = {{12.0, 1.0, 12.0}}};
    cn_body_def_init(&body[0]);
    body[0].type = CN_STATIC;
    body[0].position.y = -0.5;
    body[0].shapes = shape[0];
    body[0].shape_count = 1;
    for (int i = 1; i < SCENE_BODIES; i++) {
        fill_body(&body[i], shape[i], data + i);
        body[i].position.x = 1.5 * i - 3.0;
    }
    cn_joint_def_init(&joint, CN_JOINT_HINGE);
    joint.body_b = 1;
    joint.anchor_b = body[1].position;
    joint.has_motor = true;
    def.bodies = body;
    def.body_count = SCENE_BODIES;
    def.joints = &joint;
    def.joint_count = body[1].type == CN_DYNAMIC;
    CN_ASSERT(cn_world_create(&def, NULL, &world) == CN_OK);
    return world;
}

/* A tick; false: it has come to the end of *pieces_left. */
static bool
step(struct cn_world *world, int *pieces_left)
{
    while (*pieces_left > 0) {
        (*pieces_left)--;
        enum cn_step_result result = cn_world_step(world, PIECE_WORK);
        CN_ASSERT(result != CN_STEP_MEMORY);
        if (result == CN_STEP_DONE) {
            return true;
        }
    }
    return false;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 16) {
        return -1;
    }
    dimension = data[0] % 2 == 0 ? CN_PLANAR : CN_SPATIAL;
    int pieces_left = PIECES_MAX;
    struct cn_world *world = create(data), *other = create(data);
    for (size_t k = 0; k < COMMANDS_MAX && 8 + 4 * k + 4 <= size; k++) {
        const uint8_t *byte = data + 8 + 4 * k;
        command(world, byte);
        if (byte[0] % 2 == 0) {
            continue;
        }
        command(other, data + 4 + k % 4);
        carry_over(world, other);
        if (!step(world, &pieces_left)) {
            break;
        }
        CN_ASSERT(cn_world_step(other, CN_WORK_UNLIMITED) == CN_STEP_DONE);
        CN_ASSERT(cn_world_hash(world) == cn_world_hash(other));
        check(world);
    }
    cn_world_destroy(world);
    cn_world_destroy(other);
    return 0;
}
