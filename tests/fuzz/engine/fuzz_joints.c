/*
 * fuzz_joints.c: with any joints, limits, motors and springs, the production solver's joints keep
 * finite numbers, and all kernels give the same bits.
 *
 * A tree of joints can always be satisfied, and no body of it runs away.  But two immovable bodies
 * may move apart and pull forever on a body that is jointed to both.  A body that runs away then is
 * stopped, as a world does.
 *
 * Every input is a valid model with eight bytes for each body.  Each body is jointed to an earlier
 * one or to the world, at a point between them.
 */
#include "engine/base/assert.h"
#include "tests/support/solve/soft_joints.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#define BODIES_MAX 24
#define BYTES 8
#define TICKS 12

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const cn_mat33 axes[] = {{{0.0, 0.0, 1.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}},
    {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}},
    {{0.6, 0.8, 0.0}, {-0.8, 0.6, 0.0}, {0.0, 0.0, 1.0}},
    {{0.0, 0.0, -1.0}, {1.0, 0.0, 0.0}, {0.0, -1.0, 0.0}}};

static void
add_free(struct cn_joint *joint, const uint8_t *byte)
{
    bool turns = joint->kind == CN_JOINT_HINGE, slides = joint->kind == CN_JOINT_SLIDER;
    if ((turns || slides) && byte[5] & 1) {
        joint->has_limit = true;
        joint->lower = -0.01 * (byte[6] % 64);
        joint->upper = byte[6] & 64 ? HUGE_VAL : 0.01 * (byte[6] / 2);
    }
    if ((turns || slides || joint->kind == CN_JOINT_TRACK) && byte[5] & 2) {
        joint->has_motor = true;
        joint->motor_speed = 0.1 * (byte[7] - 128);
        joint->motor_force_max = byte[5] & 4 ? HUGE_VAL : 0.5 * byte[6];
    }
    if ((turns || slides) && byte[5] & 8) {
        joint->has_spring = true;
        joint->stiffness = byte[7] * (double)byte[7] * (byte[5] & 16 ? 100.0 : 0.01);
        joint->damping = 0.1 * (byte[6] % 16);
    }
    if (joint->kind == CN_JOINT_ROPE || (joint->kind == CN_JOINT_DISTANCE && byte[5] & 1)) {
        joint->has_limit = true;
        joint->lower = joint->kind == CN_JOINT_ROPE ? -HUGE_VAL : 0.5 * joint->length;
        joint->upper = joint->length;
    }
}

/* The turn of a ball in space, and friction. */
static void
add_turn(struct cn_joint *joint, bool planar, const uint8_t *byte)
{
    bool ball = joint->kind == CN_JOINT_BALL && !planar;
    if ((ball || (joint->kind == CN_JOINT_HINGE && !joint->has_motor)) && byte[5] & 32) {
        joint->friction = 0.5 * byte[6];
    }
    if (!ball) {
        return;
    }
    joint->has_cone = (byte[5] & 3) != 0;
    joint->cone = 0.001 + 0.01 * byte[6];
    joint->has_limit = (byte[5] & 3) == 3;
    joint->lower = -0.01 * (byte[7] % 64);
    joint->upper = byte[5] & 4 ? HUGE_VAL : 0.01 * (byte[7] / 2);
    joint->has_spring = (byte[5] & 8) != 0;
    joint->stiffness = byte[7] * (double)byte[7] * (byte[5] & 16 ? 100.0 : 0.01);
    joint->damping = 0.1 * (byte[6] % 16);
}

static void
add(struct jointed *all, const uint8_t *byte)
{
    bool planar = all->model.settings.dimension == CN_PLANAR;
    int i = all->model.body_count;
    double z = planar ? 0.0 : 0.05 * (byte[1] % 32);
    cn_vec3 at = {0.05 * (byte[0] % 64), 0.05 * (byte[0] / 4), z};
    double mass = byte[1] & 128 ? 0.01 * (1 + byte[2]) : 4.0 * (1 + byte[2]);
    int b = jointed_body(all, at, mass, mass * (byte[1] & 64 ? 1e-3 : 0.2));
    if (byte[3] % 8 == 7) {
        all->body[b].mass_inverse = 0.0;
        all->body[b].inertia_inverse = cn_mat33_diagonal(0.0, 0.0, 0.0);
    }
    all->motion[b].velocity = cn_vec3_make(0.1 * (byte[4] % 16), -0.1 * (byte[4] / 16), 0.0);
    all->motion[b].angular_velocity.z = 0.2 * (byte[3] - 128);
    enum cn_joint_kind kind = (enum cn_joint_kind)(byte[3] % CN_JOINT_KIND_COUNT);
    int a = i == 0 || byte[4] % 8 == 7 ? -1 : i - 1 - byte[4] % (i < 3 ? i : 3);
    cn_vec3 from = a >= 0 ? all->motion[a].position : cn_vec3_make(at.x - 0.5, at.y + 0.5, at.z);
    cn_vec3 middle = cn_vec3_scale(cn_vec3_add(from, at), 0.5);
    bool ends = kind == CN_JOINT_DISTANCE || kind == CN_JOINT_ROPE;
    const cn_mat33 *frame = &axes[planar && kind == CN_JOINT_HINGE ? byte[7] % 2 * 3 : byte[7] % 3];
    if (kind == CN_JOINT_TRACK) {
        a = -1;
        middle = at;
        all->curve[0] = (struct cn_curve){.kind = CN_CURVE_LINE,
            .origin = at,
            .direction = cn_vec3_make(0.6, 0.8, 0.0)};
        all->model.curve_count = 1;
    }
    struct cn_joint *joint =
        jointed_joint(all, kind, a, b, ends ? from : middle, ends ? at : middle, frame);
    joint->length = joint->length > 1e-3 ? joint->length : 1e-3;
    add_free(joint, byte);
    add_turn(joint, planar, byte);
}

static void
make(struct jointed *all, const uint8_t *data, size_t size)
{
    jointed_init(all, data[0] & 1 ? CN_SPATIAL : CN_PLANAR);
    for (size_t at = 1; at + BYTES <= size && all->model.body_count < BODIES_MAX; at += BYTES) {
        add(all, data + at);
    }
}

/* Does the same as steppers do with bodies in quarantine (pipeline_finish.c). */
static void
hold(struct jointed *all, int body, const struct cn_motion *before)
{
    struct cn_model *model = &all->model;
    model->motion[body] = *before;
    model->motion[body].velocity = model->motion[body].angular_velocity = (cn_vec3){0.0, 0.0, 0.0};
    cn_model_quarantine(model, body);
    for (int i = 0; i < model->joint_count; i++) {
        if (model->joint[i].body_a == body || model->joint[i].body_b == body) {
            memset(model->joint_state[i].force, 0, sizeof(model->joint_state[i].force));
        }
    }
}

static void
tick(const struct soft_run *run)
{
    struct cn_motion before[JOINTS_BODY_MAX];
    struct jointed *all = run->all;
    bool torn = false;
    for (int i = 0; i < all->model.body_count; i++) {
        before[i] = all->motion[i];
        torn = torn || all->body[i].mass_inverse == 0.0;
    }
    soft_tick(run);
    for (int i = 0; i < all->model.body_count; i++) {
        if (!cn_motion_is_bounded(&all->motion[i])) {
            CN_ASSERT(torn);
            hold(all, i, &before[i]);
        }
    }
    for (int i = 0; i < all->model.joint_count; i++) {
        for (int part = 0; part < CN_JOINT_PARTS; part++) {
            CN_ASSERT(isfinite(all->state[i].force[part]));
        }
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct jointed first, other;
    if (size < 1 + BYTES) {
        return 0;
    }
    const struct cn_impulse_kernel *const kernels[] = {
        &cn_impulse_kernel_single, cn_impulse_kernel_best(), cn_impulse_kernel_find("plain")};
    for (int k = 0; k < 3; k++) {
        struct jointed *all = k == 0 ? &first : &other;
        make(all, data, size);
        struct soft_run run = soft_run_make(all, 1 + data[0] / 2 % 8);
        run.kernel = kernels[k];
        for (int t = 0; t < TICKS; t++) {
            tick(&run);
        }
        for (int i = 0; i < all->model.body_count; i++) {
            CN_ASSERT(memcmp(&first.motion[i], &all->motion[i], sizeof(first.motion[i])) == 0);
        }
        for (int i = 0; i < all->model.joint_count; i++) {
            CN_ASSERT(memcmp(&first.state[i], &all->state[i], sizeof(first.state[i])) == 0);
        }
    }
    return 0;
}
