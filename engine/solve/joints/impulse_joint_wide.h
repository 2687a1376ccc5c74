/*
 * impulse_joint_wide.h: kernels for the frequent joints, points and hinges, in lanes.
 *
 *     form    joints                                          rows
 *     POINT   balls that turn freely; in the plane, hinges    point
 *     HINGE   all other hinges                                free coordinate, swing, point
 *     BALL    all other balls (space)                         turn, point
 *
 * A block of n lanes is an array of numbers by field, then lane: field f of lane k is at f n + k.
 * So the work of once a tick (impulse_joint_fill.c) has one source for all kernels.  Only the
 * passes are compiled for each instruction set (impulse_joint_lanes.h).  An empty lane is all zeros
 * and has no bodies: its impulses stay zero.
 *
 * Fields named FIELD3 + 0, 1, 2 are the members of a vector.
 */
#ifndef ENGINE_SOLVE_JOINTS_IMPULSE_JOINT_WIDE_H
#define ENGINE_SOLVE_JOINTS_IMPULSE_JOINT_WIDE_H

#include "engine/solve/joints/impulse_joint_job.h"

/* The bodies, as integers with the meaning of impulse_lanes.h. */
#define CN_WIDE_JOINT_HEAD(X) X(A) X(B)

/* The free coordinate (struct cn_soft_free), and the impulses and totals of its parts. */
#define CN_WIDE_JOINT_FREE(X)                                                                      \
    X(ANGLE) X(LOWER) X(UPPER) X(SPEED) X(MOTOR_MAX) X(PUSH) X(DRAG) X(REST) X(STRETCH)            \
    X(LOWER_IMPULSE) X(UPPER_IMPULSE) X(MOTOR_IMPULSE) X(SPRING_IMPULSE)                           \
    X(LOWER_TOTAL) X(UPPER_TOTAL) X(MOTOR_TOTAL) X(SPRING_TOTAL)

#define X(name) POINT2_##name,
enum {
    CN_WIDE_JOINT_HEAD(X)
    POINT2_MASS_A, POINT2_MASS_B, POINT2_INERTIA_A, POINT2_INERTIA_B,
    POINT2_ARM_A, POINT2_ARM_B = POINT2_ARM_A + 2,
    POINT2_APART = POINT2_ARM_B + 2,
    POINT2_IMPULSE = POINT2_APART + 2,
    POINT2_TOTAL = POINT2_IMPULSE + 2,
    POINT2_SPIN_A = POINT2_TOTAL + 2, /* by the impulses, at the arms of the pass with bias */
    POINT2_SPIN_B,
    POINT2_COUNT
};
#undef X

/* A hinge in the plane: a point, and the sign of its axis along z. */
#define X(name) HINGE2_##name,
enum { HINGE2_SIGN = POINT2_COUNT, CN_WIDE_JOINT_FREE(X) HINGE2_COUNT };
#undef X

#define X(name) POINT3_##name,
enum {
    CN_WIDE_JOINT_HEAD(X)
    POINT3_MASS_A, POINT3_MASS_B,
    POINT3_INERTIA_A, POINT3_INERTIA_B = POINT3_INERTIA_A + 6, /* xx yy zz xy yz zx */
    POINT3_ARM_A = POINT3_INERTIA_B + 6,
    POINT3_ARM_B = POINT3_ARM_A + 3,
    POINT3_APART = POINT3_ARM_B + 3,
    POINT3_IMPULSE = POINT3_APART + 3,
    POINT3_TOTAL = POINT3_IMPULSE + 3,
    POINT3_SPIN_A = POINT3_TOTAL + 3,
    POINT3_SPIN_B = POINT3_SPIN_A + 3,
    POINT3_COUNT = POINT3_SPIN_B + 3
};
#undef X

/*
 * A hinge in space: A's axis, B's two directions across it, and the direction from which its angle
 * is measured.
 */
#define X(name) HINGE3_##name,
enum {
    HINGE3_AXIS_A = POINT3_COUNT,
    HINGE3_Y_B = HINGE3_AXIS_A + 3,
    HINGE3_Z_B = HINGE3_Y_B + 3,
    HINGE3_ANGLE_X = HINGE3_Z_B + 3, /* fixed in A; along Y_B at the tick's start */
    HINGE3_SWING_IMPULSE = HINGE3_ANGLE_X + 3,
    HINGE3_SWING_TOTAL = HINGE3_SWING_IMPULSE + 2,
    HINGE3_FREE_FIRST = HINGE3_SWING_TOTAL + 2 - 1,
    CN_WIDE_JOINT_FREE(X) HINGE3_COUNT
};
#undef X

/*
 * A ball in space whose turn is not free: its frames and struct cn_soft_turn.  The impulses from
 * FRICTION on have their totals in the same order.
 */
enum {
    BALL3_FRAME_A = POINT3_COUNT,
    BALL3_FRAME_B = BALL3_FRAME_A + 9,
    BALL3_TWIST = BALL3_FRAME_B + 9,
    BALL3_TWIST_COSINE,
    BALL3_TWIST_SINE,
    BALL3_LOWER,
    BALL3_UPPER,
    BALL3_CONE,
    BALL3_FRICTION_MAX,
    BALL3_PUSH,
    BALL3_DRAG,
    BALL3_STRETCH,
    BALL3_SPRING_IMPULSE = BALL3_STRETCH + 3,
    BALL3_FRICTION_IMPULSE = BALL3_SPRING_IMPULSE + 3,
    BALL3_LOWER_IMPULSE = BALL3_FRICTION_IMPULSE + 3,
    BALL3_UPPER_IMPULSE,
    BALL3_CONE_IMPULSE,
    BALL3_FRICTION_TOTAL,
    BALL3_COUNT = BALL3_FRICTION_TOTAL + 6
};

/* The value of a limit that does not exist. */
#define CN_WIDE_JOINT_FAR 1e18f

enum cn_joint_form {
    CN_JOINT_FORM_GENERAL,
    CN_JOINT_FORM_POINT,
    CN_JOINT_FORM_HINGE,
    CN_JOINT_FORM_BALL
};
#define CN_JOINT_FORM_CHAIN 4 /* the form of the blocks in a plan of chains */

/* Numbers of a lane; 0 for GENERAL. */
int cn_joint_form_fields(enum cn_joint_form form, enum cn_dimension dimension);

/* Fills a block from its joints, and writes its forces back to them. */
void cn_joint_fill(const struct cn_impulse_joint_job *job, enum cn_joint_form form, int lanes,
    const int32_t *joint, float *block);
void cn_joint_drain(const struct cn_impulse_joint_job *job, enum cn_joint_form form, int lanes,
    const int32_t *joint, const float *block);

/* Forgets the impulses of a block, but not their totals. */
void cn_joint_cool(
    enum cn_dimension dimension, enum cn_joint_form form, int lanes, float *block);

/* A pass over one block. */
typedef void cn_joint_pass(const struct cn_impulse_joint_job *job, float *block);

struct cn_joint_passes {
    cn_joint_pass *warm_start, *solve, *relax;
};

/* The passes of the forms after GENERAL: [0] points, [1] hinges, [2] balls (space only). */
struct cn_joint_kernel {
    const char *name; /* that of the cn_impulse_kernel with which it works */
    int lanes;
    struct cn_joint_passes planar[CN_JOINT_FORM_COUNT - 1], spatial[CN_JOINT_FORM_COUNT - 1];
};

extern const struct cn_joint_kernel cn_joint_kernel_single;
extern const struct cn_joint_kernel cn_joint_kernel_plain;
extern const struct cn_joint_kernel cn_joint_kernel_sse2;
extern const struct cn_joint_kernel cn_joint_kernel_avx2;
extern const struct cn_joint_kernel cn_joint_kernel_avx512;
extern const struct cn_joint_kernel cn_joint_kernel_neon;

#endif
