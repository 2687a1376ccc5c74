/*
 * fuzz_world.c: no scene and no commands make a step hang, crash, give non-finite numbers, or pull
 * bodies into each other.  A work budget of one unit gives the same bits as no budget.
 *
 * Every input is a valid scene.  Bytes become shapes, sizes, poses, velocities and settings on
 * coarse grids, so that flush faces, coincident corners and overlaps at the start are common.
 * Joints hold some bodies against walls, limits, motors and each other.
 */
#include "engine/base/assert.h"
#include "engine/cairn.h"
#include "engine/math/scalar.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define BODIES_MAX 8
#define BYTES_PER_BODY 8
#define TICKS 24

/* An input ends where its ticks have had so many pieces: they may be milliseconds each. */
#define PIECES_MAX 2500

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct cn_body_def body[BODIES_MAX + 3];
static struct cn_shape_def shape[BODIES_MAX + 3];
static const cn_vec3 triangle[3] = {{-0.5, -0.5, 0.0}, {0.5, -0.5, 0.0}, {0.0, 0.5, 0.0}};

static void
make_wall(int i, enum cn_body_type type, double x, double y, double width, double height)
{
    cn_body_def_init(&body[i]);
    shape[i] = (struct cn_shape_def){.kind = CN_SHAPE_BOX};
    shape[i].box.size = cn_vec3_make(width, height, 1.0);
    body[i].type = type;
    body[i].position = cn_vec3_make(x, y, 0.0);
    body[i].shapes = &shape[i];
    body[i].shape_count = 1;
}

static void
make_body(int i, const uint8_t *byte)
{
    cn_body_def_init(&body[i]);
    shape[i] = (struct cn_shape_def){.kind = (enum cn_shape_kind)(byte[0] % 4)};
    double size = 0.25 * (1 + byte[1] % 4), other = 0.25 * (1 + byte[1] / 4 % 4);
    switch (shape[i].kind) {
    case CN_SHAPE_CIRCLE:
        shape[i].circle.radius = 0.5 * size;
        break;
    case CN_SHAPE_CAPSULE:
        shape[i].capsule.radius = 0.25 * size;
        shape[i].capsule.length = other - 0.25;
        break;
    case CN_SHAPE_BOX:
        shape[i].box.size = cn_vec3_make(size, other, 1.0);
        break;
    default:
        shape[i].kind = CN_SHAPE_POLYGON;
        shape[i].polygon.vertices = triangle;
        shape[i].polygon.vertex_count = 3;
    }
    static const double masses[4] = {0.01, 0.3, 1.0, 200.0};
    body[i].mass = masses[byte[0] / 4 % 4];
    body[i].position = cn_vec3_make(-3.0 + 0.125 * (byte[2] % 48), 0.125 * (byte[3] % 48), 0.0);
    body[i].angle = byte[4] < 128 ? 0.25 * CN_PI * (byte[4] % 8) : 0.1 * (byte[4] % 64);
    body[i].velocity = cn_vec3_make(0.5 * (byte[5] % 17 - 8), 0.5 * (byte[6] % 17 - 8), 0.0);
    body[i].angular_velocity.z = byte[7] % 9 - 4;
    body[i].shapes = &shape[i];
    body[i].shape_count = 1;
}

/* Between body i and one before it, or the world, where the two stand. */
static int
make_joints(struct cn_joint_def *joint, const uint8_t *data, int bodies)
{
    int count = 0;
    for (int i = 0; i < bodies && data[5] % 4 == 3; i++) {
        const uint8_t *byte = data + 8 + i * BYTES_PER_BODY;
        unsigned kind = (byte[0] >> 4) % 8;
        if (kind >= CN_JOINT_TRACK) {
            continue;
        }
        struct cn_joint_def *made = &joint[count++];
        cn_joint_def_init(made, (enum cn_joint_kind)kind);
        made->body_b = 3 + i;
        made->body_a = i > 0 && byte[1] >= 64 ? 3 + byte[1] % i : -1;
        made->anchor_b = body[3 + i].position;
        made->anchor_a = made->body_a >= 0 ? body[made->body_a].position : cn_vec3_make(0, 6, 0);
        if (cn_vec3_length(cn_vec3_sub(made->anchor_b, made->anchor_a)) < 0.125) {
            made->anchor_a.x += 0.125;
        }
        bool axial = kind == CN_JOINT_HINGE || kind == CN_JOINT_SLIDER;
        made->has_limit = axial && (byte[6] & 1) != 0;
        made->lower = -0.25 * (byte[6] % 8);
        made->upper = 0.25 * (byte[7] % 4);
        made->has_motor = axial && (byte[7] & 4) != 0;
        made->motor_speed = 0.5 * (byte[5] % 9 - 4);
        made->motor_force_max = byte[7] & 8 ? 5.0 : HUGE_VAL;
        made->has_spring = axial && (byte[6] & 2) != 0;
        made->stiffness = byte[3];
        made->collide = (byte[4] & 1) != 0;
    }
    return count;
}

static void
command(struct cn_world *world, int t, int bodies, const uint8_t *byte)
{
    struct cn_command drag = {.kind = CN_COMMAND_HOLD_DRAG};
    drag.hold_drag = (struct cn_hold_drag){.holder = {.source = byte[t % 8]},
        .body = 3 + byte[(t + 1) % 8] % bodies,
        .point = {0.125, 0.0, 0.0},
        .target = {0.1 * (byte[(t + 2) % 8] - 128), 2.0, 0.0},
        .stiffness = byte[(t + 3) % 8] * 4.0,
        .damping = byte[(t + 4) % 8] / 16.0};
    CN_ASSERT(cn_world_command_apply(world, &drag, NULL) == CN_OK);
}

static void
check(const struct cn_world *world, bool overlapped)
{
    for (int i = 0; i < cn_world_body_count(world); i++) {
        struct cn_body_view view;
        cn_world_body_view(world, i, &view);
        CN_ASSERT(cn_vec3_is_finite(view.position) && cn_vec3_is_finite(view.velocity));
        CN_ASSERT(isfinite(view.angle) && cn_vec3_is_finite(view.acceleration));
        CN_ASSERT(!view.quarantined);
    }
    for (int i = 0; i < cn_world_joint_count(world); i++) {
        struct cn_joint_view view;
        cn_world_joint_view(world, i, &view);
        CN_ASSERT(cn_vec3_is_finite(view.force) && cn_vec3_is_finite(view.torque));
        CN_ASSERT(isfinite(view.gap) && isfinite(view.rate) && isfinite(view.motor));
    }
    const struct cn_contact_view *contact;
    const struct cn_event *event;
    bool excused = overlapped;
    for (int i = cn_world_events(world, &event) - 1; i >= 0; i--) {
        excused = excused || event[i].kind == CN_EVENT_IMPACT_LIMIT ||
                  event[i].kind == CN_EVENT_SQUEEZED || event[i].kind == CN_EVENT_ZENO;
    }
    for (int i = cn_world_contacts(world, &contact) - 1; i >= 0; i--) {
        CN_ASSERT(isfinite(contact[i].force) && contact[i].force >= 0.0);
        CN_ASSERT(excused || contact[i].gap >= -50.0 * cn_world_gap_tolerance(world));
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 8 + BYTES_PER_BODY) {
        return -1;
    }
    int bodies = (int)((size - 8) / BYTES_PER_BODY);
    bodies = bodies > BODIES_MAX ? BODIES_MAX : bodies;
    make_wall(0, CN_STATIC, 0.0, -0.5, 12.0, 1.0);
    make_wall(1, CN_STATIC, -4.5, 4.0, 1.0, 10.0);
    bool closing = data[0] % 8 == 7;
    make_wall(2, closing ? CN_KINEMATIC : CN_STATIC, 4.5, 4.0, 1.0, 10.0);
    body[2].velocity.x = closing ? -1.0 : 0.0;
    for (int i = 0; i < bodies; i++) {
        make_body(3 + i, data + 8 + i * BYTES_PER_BODY);
    }
    struct cn_world_def def;
    struct cn_material_def material;
    cn_world_def_init(&def);
    cn_material_def_init(&material);
    material.restitution = data[1] % 5 / 4.0;
    def.settings.collision = (enum cn_collision_handling)(data[2] % CN_COLLISION_COUNT);
    def.settings.damping_linear = data[3] % 2;
    def.materials = &material;
    def.material_count = 1;
    def.bodies = body;
    def.body_count = 3 + bodies;
    struct cn_joint_def joint[BODIES_MAX];
    def.joints = joint;
    def.joint_count = make_joints(joint, data, bodies);

    struct cn_world *whole, *pieces;
    struct cn_defect defect = {0};
    if (cn_world_create(&def, &defect, &whole) != CN_OK) {
        fprintf(stderr, "%s %s\n", defect.path, defect.text);
        abort();
    }
    CN_ASSERT(cn_world_create(&def, NULL, &pieces) == CN_OK);
    bool overlapped = closing;
    for (int t = 0, pieces_count = 0; t < TICKS && pieces_count < PIECES_MAX; t++) {
        if (data[4] % 2 == 1) {
            command(whole, t, bodies, data);
            command(pieces, t, bodies, data);
        }
        CN_ASSERT(cn_world_step(whole, CN_WORK_UNLIMITED) == CN_STEP_DONE);
        while (cn_world_step(pieces, 1) == CN_STEP_MORE) {
            pieces_count++;
        }
        const struct cn_event *event;
        for (int i = cn_world_events(whole, &event) - 1; i >= 0; i--) {
            overlapped = overlapped || event[i].kind == CN_EVENT_OVERLAP;
        }
        check(whole, overlapped);
        CN_ASSERT(cn_world_hash(whole) == cn_world_hash(pieces));
    }
    cn_world_destroy(whole);
    cn_world_destroy(pieces);
    return 0;
}
