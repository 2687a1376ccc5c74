/*
 * impulse_joint_thin.c: joints of bodies that are small beside their arms: a bob at a long rod.
 *
 * A joint's free coordinate (or the turn of a ball) and its rows that hold are blocks of their own.
 * Where an arm r is long beside the body's radius of gyration k, the pass over the rows that hold
 * takes back most of a turn: k^2 / (r^2 + k^2) of it remains.  Then passes over both do not
 * converge.  Friction does not hold, motors do not move, and springs throw bodies.  So where
 * r^2 / k^2 is above some 16, the free coordinate is solved with the answer of the rows that hold:
 *
 *     K  becomes  (1 + THIN_SPARE) K - m c inv(P) c',      v  becomes  v + c l
 *
 * K and v are the free coordinate's effect and rate.  P is the block of the rows that hold, and c
 * is the effect of their impulses on the free coordinate.  They lack the impulses l now; m is their
 * mass_scale.  That eliminates them: when they are solved afterwards, both are.  THIN_SPARE is
 * above the rounding of the difference.
 *
 * The pull F of a long arm turns a small body back, at w^2 = F r / I, faster than substeps follow.
 * So these joints are chains where possible (impulse_joint_chain.h), which increase the inertia.
 * Elsewhere they are solved alone: they have no lanes.
 */
#include "engine/solve/joints/impulse_joint_chain.h"
#include "engine/solve/joints/impulse_joint_inside.h"

#include "engine/base/assert.h"

#include <string.h>

/*
 * The sum of both arms' [r] inv(I) [r]', in parts of the inverse masses, from which on a joint is
 * thin: twice as much in space, where an arm turns the body about two axes.
 */
#define THIN 16.0
#define THIN_SPARE 1e-5f

/* Of the inverse masses: the most that a chain adds softness to. */
#define THIN_GIVE 32.0f

/* The trace of [r] inv(I) [r]'. */
static double
lever(const struct cn_body *body, cn_vec3 r, bool planar)
{
    static const cn_vec3 axis[] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    double sum = 0.0;
    for (int k = 0; k < (planar ? 2 : 3); k++) {
        cn_vec3 turn = cn_vec3_cross(r, axis[k]);
        sum += cn_vec3_dot(turn, cn_mat33_apply(&body->inertia_inverse, turn));
    }
    return sum;
}

/* Whether the joint has impulses besides those of its rows that hold, and may be thin. */
static bool
has_free(const struct cn_model *model, const struct cn_joint *joint)
{
    bool acts = joint->has_limit || joint->has_spring || joint->friction > 0.0;
    if (joint->kind == CN_JOINT_BALL) {
        return model->settings.dimension == CN_SPATIAL && (acts || joint->has_cone);
    }
    return joint->kind == CN_JOINT_HINGE && (acts || joint->has_motor);
}

bool
cn_soft_is_thin(const struct cn_model *model, int index)
{
    CN_ASSERT(0 <= index && index < model->joint_count);
    const struct cn_joint *joint = &model->joint[index];
    if (!has_free(model, joint)) {
        return false;
    }
    bool planar = model->settings.dimension == CN_PLANAR;
    const struct cn_body *b = &model->body[joint->body_b];
    double mass = b->mass_inverse, levers = lever(b, joint->anchor_b, planar);
    if (joint->body_a >= 0) {
        const struct cn_body *a = &model->body[joint->body_a];
        mass += a->mass_inverse;
        levers += lever(a, joint->anchor_a, planar);
    }
    return levers > (planar ? THIN : 2.0 * THIN) * mass;
}

float
cn_soft_thin_give(float mass, float diagonal)
{
    float most = THIN_GIVE * mass;
    return (diagonal < most ? diagonal : most) / (float)CN_CHAIN_STIFFNESS;
}

float
cn_soft_thin_answer(const struct cn_soft_block *block, const float *effect, float *impulse)
{
    struct cn_soft_block copy = *block;
    float taken = 0.0f;
    CN_ASSERT(0 <= block->count && block->count <= CN_SOFT_HOLD_MAX);
    for (int i = 0; i < block->count; i++) {
        copy.x[i] = block->mass_scale * effect[i];
    }
    cn_soft_block_solve(copy.count, copy.K, copy.x);
    for (int i = 0; i < block->count; i++) {
        taken += effect[i] * copy.x[i];
        impulse[i] = copy.x[i];
    }
    return taken;
}

void
cn_soft_thin_lack(const struct cn_soft_block *block, const float *held, float *impulse)
{
    struct cn_soft_block copy = *block;
    cn_soft_block_solve(copy.count, copy.K, copy.x);
    for (int i = 0; i < block->count; i++) {
        impulse[i] = -block->mass_scale * copy.x[i] - block->impulse_scale * held[i];
    }
}

float
cn_soft_thin_rest(float K, float taken)
{
    return (1.0f + THIN_SPARE) * K - taken;
}

void
cn_soft_thin_free(const struct cn_soft_block *block, const float *effect, const float *held,
    float *K, float *rate)
{
    float impulse[CN_SOFT_HOLD_MAX];
    *K = cn_soft_thin_rest(*K, cn_soft_thin_answer(block, effect, impulse));
    cn_soft_thin_lack(block, held, impulse);
    for (int i = 0; i < block->count; i++) {
        *rate += effect[i] * impulse[i];
    }
}
