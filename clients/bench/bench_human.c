/*
 * bench_human.c: ragdolls, as they rain in the field's benchmarks.
 *
 * Departures: a knee and an elbow of theirs begin a little beyond their limits; here the limits
 * begin where the joint does.  A foot is a polygon without rounding, as large as theirs with it.
 * In space the length of their friction torque is bounded, here each component is.  Their spring is
 * as stiff about each axis as the inertias there demand, here it has the mean stiffness.
 */
#include "clients/bench/bench_scene.h"

#include "engine/math/trig.h"

#define PI 3.14159265358979323846

/* ---- the plane ---- */

/* A bone, upright, as heights above the ground [m]; angles are parts of pi, from the start. */
struct bone {
    int parent;
    double place, low, high, radius; /* of its frame; of its capsule, from there */
    double pivot, lower, upper, rest;
    double friction; /* part of the torque that all have */
    double damping;
};

#define BONES 11
#define SHIN_LEFT 4
#define SHIN_RIGHT 6

static const struct bone bones[BONES] = {
    {-1, 0.95, -0.02, 0.02, 0.095, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0},       /* hip */
    {0, 1.2, -0.135, 0.135, 0.09, 1.0, -0.25, 0.0, 0.0, 0.5, 0.0},      /* torso */
    {1, 1.475, -0.038, 0.039, 0.075, 1.4, -0.3, 0.1, 0.0, 0.25, 0.1},   /* head */
    {0, 0.775, -0.125, 0.125, 0.06, 0.9, -0.05, 0.4, 0.0, 1.0, 0.0},    /* thigh */
    {3, 0.475, -0.155, 0.125, 0.045, 0.625, -0.48, 0.0, 0.0, 0.5, 0.0}, /* shin */
    {0, 0.775, -0.125, 0.125, 0.06, 0.9, -0.05, 0.4, 0.0, 1.0, 0.0},
    {5, 0.475, -0.155, 0.125, 0.045, 0.625, -0.48, 0.0, 0.0, 0.5, 0.0},
    {1, 1.225, -0.125, 0.125, 0.035, 1.35, -0.1, 0.8, 0.0, 0.5, 0.0},  /* upper arm */
    {7, 0.975, -0.125, 0.125, 0.03, 1.1, 0.0, 0.5, 0.25, 0.1, 0.1},    /* forearm */
    {1, 1.225, -0.125, 0.125, 0.035, 1.35, -0.1, 0.8, 0.0, 0.5, 0.0},
    {9, 0.975, -0.125, 0.125, 0.03, 1.1, 0.0, 0.5, 0.25, 0.1, 0.1},
};

/* Those of one group do not touch each other; feet touch the ground alone. */
static void
add_foot(struct bench_build *build, struct cn_filter filter)
{
    static const cn_vec3 corner[4] = {
        {-0.045, -0.2, 0.0}, {0.125, -0.2, 0.0}, {0.125, -0.147, 0.0}, {-0.045, -0.1227, 0.0}};
    int material = build->shape_material;
    build->shape_material = material + 1;
    filter.mask = 1;
    build->filter = filter;
    bench_convex(build, bench_points(build, corner, 4), 4);
    build->shape_material = material;
}

void
bench_human_planar(struct bench_build *build, double x, double y, int group)
{
    const double torque = 0.05, hertz = 5.0, damping_ratio = 0.5;
    struct cn_filter filter = {.category = 2, .mask = 3, .group = -group};
    int first = build->body.count;
    for (int i = 0; i < BONES; i++) {
        const struct bone *bone = &bones[i];
        int body = bench_body(build, CN_DYNAMIC, cn_vec3_make(x, y + bone->place, 0.0));
        bench_body_def(build, body)->damping_linear = bone->damping;
        build->filter = filter;
        bench_capsule(build, cn_vec3_make(0.0, bone->low, 0.0),
            cn_vec3_make(0.0, bone->high, 0.0), bone->radius);
        if (i == SHIN_LEFT || i == SHIN_RIGHT) {
            add_foot(build, filter);
        }
    }
    for (int i = 1; i < BONES; i++) {
        const struct bone *bone = &bones[i];
        struct cn_joint_def *joint = bench_joint(build, CN_JOINT_HINGE, first + bone->parent,
            first + i, cn_vec3_make(x, y + bone->pivot, 0.0));
        joint->has_limit = joint->has_motor = true;
        joint->lower = bone->lower * PI;
        joint->upper = bone->upper * PI;
        joint->motor_force_max = bone->friction * torque;
        joint->rest = bone->rest * PI;
        bench_hinge_spring(build, joint, hertz, damping_ratio);
    }
    build->filter = CN_FILTER_DEFAULT;
}

/* ---- space ---- */

/* A pose as it is written down: place, then x, y, z and w of the turn. */
struct frame {
    double x, y, z, qx, qy, qz, qw;
};

struct limb {
    int parent;
    bool hinge;  /* else a ball */
    bool apart;  /* of the group that does not touch itself */
    struct frame place, frame_a, frame_b;
    double from[3], to[3], radius; /* of the capsule, in the limb's frame */
    double lower, upper;           /* of a hinge, or the twist of a ball [degrees] */
    double cone;                   /* of a ball [degrees] */
    double friction;               /* part of the torque that all have */
};

#define LIMBS 14
#define NONE {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0}

static const struct limb limbs[LIMBS] = {
    /* pelvis, three of the spine, neck, head */
    {-1, false, false, {0.0, 0.932087, -0.051708, 0.739169, 0.0, 0.0, 0.673520}, NONE, NONE,
        {0.07, 0.0, -0.08}, {-0.07, 0.0, -0.08}, 0.13, 0.0, 0.0, 0.0, 1.0},
    {0, false, true, {0.0, 1.113505, -0.03481, 0.739973, 0.0, 0.0, 0.672637},
        {0.0, 0.0, -0.182204, -0.999999, 0.0, 0.0, 0.001194},
        {0.0, 0.0, -0.007736, -1.0, 0.0, 0.0, 0.0}, {0.06, 0.0, -0.052264},
        {-0.06, 0.0, -0.052264}, 0.12, -15.0, 15.0, 25.0, 1.0},
    {1, false, false, {0.0, 1.194336, -0.027087, 0.703611, 0.0, 0.0, 0.710586},
        {0.0, 0.0, -0.088935, -0.998619, 0.0, 0.0, -0.05254},
        {0.0, 0.0, -0.008199, -1.0, 0.0, 0.0, 0.0}, {0.08, -0.015133, -0.091801},
        {-0.08, -0.015133, -0.091801}, 0.10, -15.0, 15.0, 25.0, 1.0},
    {2, false, false, {0.0, 1.31043, -0.028232, 0.669856, 0.0, 0.0, 0.742491},
        {0.0, 0.0, -0.124298, -0.998921, 0.0, 0.0, -0.046434},
        {0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0}, {0.11, -0.039753, -0.13},
        {-0.11, -0.039753, -0.13}, 0.145, -10.0, 10.0, 15.0, 1.0},
    {3, false, false, {0.0, 1.575582, -0.055837, 0.879922, 0.0, 0.0, 0.475118},
        {0.0, -0.000259, -0.266585, -0.942192, 0.0, 0.0, 0.335074},
        {0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0}, {0.0, 0.0, -0.02}, {0.0, -0.005, -0.08}, 0.07, -15.0,
        15.0, 45.0, 0.8},
    {4, false, false, {0.0, 1.653348, -0.003241, 0.750288, 0.0, 0.0, 0.661111},
        {0.0, 0.001321, -0.093873, -0.974301, 0.0, 0.0, -0.225251},
        {0.0, 0.001268, -0.005104, -1.0, 0.0, 0.0, 0.0}, {0.0, 0.016892, -0.05869},
        {0.0, -0.003629, -0.115072}, 0.0975, -15.0, 15.0, 15.0, 0.4},
    /* thigh and calf, left and right */
    {0, false, true, {0.090416, 0.986104, -0.035090, -0.703287, -0.070715, 0.053866, 0.705327},
        {0.05, 0.011537, -0.055325, -0.714896, -0.022305, -0.698361, -0.02679},
        {0.0, 0.0, 0.0, -0.002064, 0.758987, 0.017046, 0.65088}, {0.023719, 0.006008, -0.039068},
        {-0.064492, -0.004664, -0.424718}, 0.09, -60.0, 40.0, 10.0, 1.0},
    {6, true, false, {0.101198, 0.527027, -0.037374, -0.653328, -0.066860, 0.058582, 0.751838},
        {-0.069989, 0.000253, -0.453844, -0.000677, 0.760087, 0.105674, 0.641171},
        {0.0, 0.0, 0.0, -0.044589, 0.765540, 0.053368, 0.639619}, {0.001778, 0.0, 0.009841},
        {-0.078577, 0.014707, -0.41816}, 0.075, -5.0, 45.0, 0.0, 1.0},
    {0, false, true, {-0.090416, 0.986104, -0.03509, -0.703287, 0.070715, -0.053865, 0.705326},
        {-0.05, 0.011537, -0.055326, -0.039089, -0.714094, 0.043177, 0.697623},
        {0.0, 0.0, 0.0, 0.758805, -0.019886, -0.651012, -0.001759},
        {-0.023719, 0.006008, -0.039068}, {0.064492, -0.004664, -0.424718}, 0.09, -30.0, 60.0,
        10.0, 1.0},
    {8, true, false, {-0.101198, 0.527027, -0.037373, -0.653327, 0.06686, -0.058582, 0.751839},
        {0.069988, 0.000253, -0.453844, 0.760086, -0.000675, -0.641171, -0.105676},
        {0.0, 0.0, 0.0, 0.765540, -0.044589, -0.639619, -0.053368}, {-0.001820, 0.0, 0.010071},
        {0.077883, 0.014825, -0.418047}, 0.075, -45.0, 5.0, 0.0, 1.0},
    /* upper arm and forearm, left and right */
    {3, false, false, {0.20378, 1.484275, -0.115897, 0.143082, 0.695980, -0.690130, 0.13733},
        {0.20378, -0.069369, -0.181921, -0.278486, 0.4456, -0.097014, 0.845266},
        {0.0, 0.0, 0.0, -0.201396, -0.001586, 0.90185, 0.382234}, {0.0, 0.0, 0.0},
        {-0.091118, 0.037775, 0.229719}, 0.075, -5.0, 5.0, 60.0, 1.0},
    {10, true, false, {0.305614, 1.242908, -0.117599, 0.165048, 0.563437, -0.802002, 0.109959},
        {-0.095482, 0.039584, 0.240723, 0.512487, -0.180629, 0.839474, 0.003742},
        {0.0, 0.0, 0.0, 0.503803, -0.029831, 0.858168, 0.094017}, {0.0, 0.0, 0.0},
        {-0.142406, 0.039392, 0.261092}, 0.05, -5.0, 60.0, 0.0, 1.0},
    {3, false, false, {-0.20378, 1.484276, -0.115899, 0.143083, -0.695978, 0.690132, 0.137329},
        {-0.203779, -0.069371, -0.181922, -0.253621, -0.414842, 0.106962, 0.867261},
        {0.0, 0.0, 0.0, -0.201397, 0.001587, -0.90185, 0.382233}, {0.0, 0.0, 0.0},
        {0.091118, 0.037775, 0.229718}, 0.075, -5.0, 5.0, 60.0, 1.0},
    {12, true, false, {-0.305614, 1.242907, -0.117599, 0.165048, -0.563437, 0.802002, 0.109959},
        {0.095484, 0.039585, 0.240723, -0.180627, 0.512487, -0.003744, -0.839474},
        {0.0, 0.0, 0.0, -0.029831, 0.503803, -0.094017, -0.858169}, {0.0, 0.0, 0.0},
        {0.142406, 0.039392, 0.261092}, 0.05, -60.0, 5.0, 0.0, 1.0},
};

#define FRICTION 5.0 /* N m */
#define HERTZ 1.0
#define DAMPING_RATIO 0.7

static cn_quat
turn_of(const struct frame *frame)
{
    return cn_quat_normalize((cn_quat){frame->qw, frame->qx, frame->qy, frame->qz});
}

static cn_vec3
place_of(const struct frame *frame)
{
    return cn_vec3_make(frame->x, frame->y, frame->z);
}

/* A hinge turns about z of its frames; its angle at the start is of B's frame against A's. */
static void
add_hinge(struct bench_build *build, const struct limb *limb, struct cn_joint_def *joint)
{
    const double degree = PI / 180.0;
    cn_quat a = cn_quat_multiply(turn_of(&limbs[limb->parent].place), turn_of(&limb->frame_a));
    cn_quat b = cn_quat_multiply(turn_of(&limb->place), turn_of(&limb->frame_b));
    cn_quat between = cn_quat_multiply(cn_quat_conjugate(a), b);
    double start = 2.0 * cn_atan2(between.z, between.w);
    start += start > PI ? -2.0 * PI : start < -PI ? 2.0 * PI : 0.0;
    joint->axis = cn_quat_to_mat33(b).cz;
    joint->has_limit = true;
    joint->lower = limb->lower * degree - start;
    joint->upper = limb->upper * degree - start;
    joint->lower = joint->lower < 0.0 ? joint->lower : 0.0;
    joint->upper = joint->upper > 0.0 ? joint->upper : 0.0;
    joint->friction = limb->friction * FRICTION;
    joint->rest = -start;
    bench_hinge_spring(build, joint, HERTZ, DAMPING_RATIO);
}

/* The axes of cone and twist are z of the two frames; the twist at the start is 0 in all. */
static void
add_ball(struct bench_build *build, const struct limb *limb, struct cn_joint_def *joint)
{
    const double degree = PI / 180.0;
    cn_quat a = cn_quat_multiply(turn_of(&limbs[limb->parent].place), turn_of(&limb->frame_a));
    cn_quat b = cn_quat_multiply(turn_of(&limb->place), turn_of(&limb->frame_b));
    joint->cone_axis = cn_quat_to_mat33(a).cz;
    joint->axis = cn_quat_to_mat33(b).cz;
    joint->has_cone = joint->has_limit = true;
    joint->cone = limb->cone * degree;
    joint->lower = limb->lower * degree;
    joint->upper = limb->upper * degree;
    joint->friction = limb->friction * FRICTION;
    bench_ball_spring(build, joint, HERTZ, DAMPING_RATIO);
}

void
bench_human_spatial(struct bench_build *build, cn_vec3 at, int group)
{
    int first = build->body.count;
    for (int i = 0; i < LIMBS; i++) {
        const struct limb *limb = &limbs[i];
        int body = bench_body(build, CN_DYNAMIC, cn_vec3_add(at, place_of(&limb->place)));
        bench_body_def(build, body)->orientation = turn_of(&limb->place);
        build->filter.group = limb->apart ? -group : 0;
        bench_capsule(build, cn_vec3_make(limb->from[0], limb->from[1], limb->from[2]),
            cn_vec3_make(limb->to[0], limb->to[1], limb->to[2]), limb->radius);
    }
    for (int i = 1; i < LIMBS; i++) {
        const struct limb *limb = &limbs[i];
        cn_mat33 turn = cn_quat_to_mat33(turn_of(&limb->place));
        cn_vec3 anchor = cn_vec3_add(cn_vec3_add(at, place_of(&limb->place)),
            cn_mat33_apply(&turn, place_of(&limb->frame_b)));
        struct cn_joint_def *joint =
            bench_joint(build, limb->hinge ? CN_JOINT_HINGE : CN_JOINT_BALL,
                first + limb->parent, first + i, anchor);
        if (limb->hinge) {
            add_hinge(build, limb, joint);
        } else {
            add_ball(build, limb, joint);
        }
    }
    build->filter = CN_FILTER_DEFAULT;
}
