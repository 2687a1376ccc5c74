/*
 * random_joints.h: random jointed models.
 *
 * Each body is jointed to the one before it or to the world.  Joints are of any kind, with limits,
 * motors and springs.  A few more joints close loops.
 */
#ifndef TESTS_SUPPORT_SOLVE_RANDOM_JOINTS_H
#define TESTS_SUPPORT_SOLVE_RANDOM_JOINTS_H

#include "engine/base/rng.h"
#include "tests/support/solve/joints.h"

static inline bool
random_chance(struct cn_rng *rng, double part)
{
    return cn_rng_uniform(rng, 0.0, 1.0) < part;
}

static inline cn_mat33
random_frame(struct cn_rng *rng, bool planar, enum cn_joint_kind kind)
{
    double angle = cn_rng_uniform(rng, -3.0, 3.0), sine, cosine;
    cn_sin_cos(angle, &sine, &cosine);
    if (planar && kind == CN_JOINT_HINGE) {
        double z = random_chance(rng, 0.3) ? -1.0 : 1.0;
        return (cn_mat33){{0.0, 0.0, z}, {1.0, 0.0, 0.0}, {0.0, z, 0.0}};
    }
    cn_mat33 turn = {{cosine, sine, 0.0}, {-sine, cosine, 0.0}, {0.0, 0.0, 1.0}};
    if (planar) {
        return turn;
    }
    cn_quat q = cn_quat_normalize((cn_quat){1.0, cn_rng_uniform(rng, -1.0, 1.0),
        cn_rng_uniform(rng, -1.0, 1.0), cn_rng_uniform(rng, -1.0, 1.0)});
    cn_mat33 lean = cn_quat_to_mat33(q);
    return cn_mat33_multiply(&lean, &turn);
}

static inline void
random_free(struct cn_rng *rng, struct cn_joint *joint)
{
    bool turns = joint->kind == CN_JOINT_HINGE, slides = joint->kind == CN_JOINT_SLIDER;
    if ((turns || slides) && random_chance(rng, 0.4)) {
        joint->has_limit = true;
        joint->lower = cn_rng_uniform(rng, -1.0, 0.0);
        joint->upper = random_chance(rng, 0.2) ? HUGE_VAL : cn_rng_uniform(rng, 0.0, 1.0);
    }
    if ((turns || slides || joint->kind == CN_JOINT_TRACK) && random_chance(rng, 0.4)) {
        joint->has_motor = true;
        joint->motor_speed = cn_rng_uniform(rng, -3.0, 3.0);
        joint->motor_force_max =
            random_chance(rng, 0.2) ? HUGE_VAL : cn_rng_uniform(rng, 0.0, 20.0);
    }
    if ((turns || slides) && random_chance(rng, 0.4)) {
        joint->has_spring = true;
        joint->stiffness = cn_rng_uniform(rng, 0.0, 100.0);
        joint->damping = cn_rng_uniform(rng, 0.0, 5.0);
        joint->rest = cn_rng_uniform(rng, -0.5, 0.5);
    }
    if (joint->kind == CN_JOINT_ROPE || (joint->kind == CN_JOINT_DISTANCE &&
                                            random_chance(rng, 0.4))) {
        joint->has_limit = true;
        joint->lower = joint->kind == CN_JOINT_ROPE ? -HUGE_VAL : 0.8 * joint->length;
        joint->upper = 1.1 * joint->length;
    }
}

/* The turn of a ball in space may be limited, sprung and rubbed, that of a hinge rubbed. */
static inline void
random_turn(struct cn_rng *rng, bool planar, struct cn_joint *joint)
{
    if (joint->kind == CN_JOINT_HINGE && !joint->has_motor && random_chance(rng, 0.4)) {
        joint->friction = cn_rng_uniform(rng, 0.0, 5.0);
    }
    if (joint->kind != CN_JOINT_BALL || planar || random_chance(rng, 0.3)) {
        return;
    }
    joint->has_cone = random_chance(rng, 0.5);
    joint->cone = cn_rng_uniform(rng, 0.2, 1.5);
    joint->has_limit = joint->has_cone && random_chance(rng, 0.5);
    joint->lower = cn_rng_uniform(rng, -1.0, 0.0);
    joint->upper = random_chance(rng, 0.2) ? HUGE_VAL : cn_rng_uniform(rng, 0.0, 1.0);
    joint->has_spring = random_chance(rng, 0.5);
    joint->stiffness = cn_rng_uniform(rng, 0.0, 100.0);
    joint->damping = cn_rng_uniform(rng, 0.0, 5.0);
    joint->friction = random_chance(rng, 0.5) ? cn_rng_uniform(rng, 0.0, 5.0) : 0.0;
}

static inline void
random_tie(struct cn_rng *rng, struct jointed *all, int a, int b, enum cn_joint_kind kind)
{
    bool planar = all->model.settings.dimension == CN_PLANAR;
    cn_vec3 from = all->motion[b].position, to = from;
    if (a >= 0) {
        to = all->motion[a].position;
    }
    cn_vec3 middle = cn_vec3_scale(cn_vec3_add(from, to), 0.5);
    bool has_ends = kind == CN_JOINT_DISTANCE || kind == CN_JOINT_ROPE;
    cn_mat33 frame = random_frame(rng, planar, kind);
    cn_vec3 anchor_a = middle, anchor_b = middle;
    if (has_ends) {
        anchor_a = a >= 0 ? to : cn_vec3_add(from, cn_vec3_make(0.3, 0.9, 0.0));
        anchor_b = from;
    }
    struct cn_joint *joint = jointed_joint(all, kind, a, b, anchor_a, anchor_b, &frame);
    random_free(rng, joint);
}

/* A track passes through the body's place at its start. */
static inline void
random_track(struct cn_rng *rng, struct jointed *all, int b)
{
    cn_mat33 frame = cn_mat33_diagonal(1.0, 1.0, 1.0);
    cn_vec3 at = all->motion[b].position;
    int curve = all->model.curve_count++;
    all->curve[curve] = (struct cn_curve){.kind = CN_CURVE_CIRCLE,
        .radius = 2.0,
        .origin = cn_vec3_sub(at, cn_vec3_make(2.0, 0.0, 0.0))};
    struct cn_joint *joint = jointed_joint(all, CN_JOINT_TRACK, -1, b, at, at, &frame);
    joint->curve = curve;
    random_free(rng, joint);
}

static inline void
random_jointed(struct jointed *all, enum cn_dimension dimension, uint64_t seed, int bodies)
{
    struct cn_rng rng = {seed * UINT64_C(0x9e3779b97f4a7c15) + 1};
    (void)cn_rng_next(&rng);
    bool planar = dimension == CN_PLANAR;
    jointed_init(all, dimension);
    for (int i = 0; i < bodies; i++) {
        double heavy = random_chance(&rng, 0.1) ? 50.0 : 1.0;
        double mass = heavy * cn_rng_uniform(&rng, 0.5, 2.0);
        cn_vec3 at = {1.1 * i, cn_rng_uniform(&rng, -0.3, 0.3),
            planar ? 0.0 : cn_rng_uniform(&rng, -0.3, 0.3)};
        int b = jointed_body(all, at, mass, 0.2 * mass);
        if (random_chance(&rng, 0.1)) {
            all->body[b].mass_inverse = 0.0;
            all->body[b].inertia_inverse = cn_mat33_diagonal(0.0, 0.0, 0.0);
        } else {
            all->motion[b].velocity =
                cn_vec3_make(cn_rng_uniform(&rng, -1.0, 1.0), cn_rng_uniform(&rng, -1.0, 1.0), 0.0);
            all->motion[b].angular_velocity.z = cn_rng_uniform(&rng, -2.0, 2.0);
        }
        enum cn_joint_kind kind = (enum cn_joint_kind)(cn_rng_next(&rng) % CN_JOINT_TRACK);
        int a = random_chance(&rng, 0.2) ? -1 : b - 1;
        if (random_chance(&rng, 0.1) && all->model.curve_count < 2) {
            random_track(&rng, all, b);
        } else {
            random_tie(&rng, all, a, b, kind);
        }
        if (b > 3 && random_chance(&rng, 0.15)) {
            random_tie(&rng, all, b - 3, b, CN_JOINT_DISTANCE);
        }
    }
    for (int i = 0; i < all->model.joint_count; i++) {
        random_turn(&rng, planar, &all->joint[i]);
    }
}

#endif
