/*
 * impulse_joint_inside.h: shared by the files of the solver's joints only.
 *
 * A joint of the general form is solved alone, by rows.  Its kind decides which rows hold and which
 * coordinate is free, at the present places of the bodies (struct cn_soft_row2, 3).  One function
 * solves the rows of all kinds.  Frequent forms have kernels of their own.
 */
#ifndef ENGINE_SOLVE_JOINTS_IMPULSE_JOINT_INSIDE_H
#define ENGINE_SOLVE_JOINTS_IMPULSE_JOINT_INSIDE_H

#include "engine/constraint/joint.h"
#include "engine/solve/joints/impulse_joint_job.h"

#include <math.h>

#define CN_SOFT_HOLD_MAX 6 /* rows that hold */

/*
 * A point at an arm r moves on a circle.  In a substep of h at w it moves by -r (h w)^2 / 2 more
 * than by h w x r.  Returns the factor of r, which is bounded for large turns.
 */
static inline float
cn_soft_lag(float h, float w_square)
{
    float square = h * h * w_square;
    return -0.5f * (square < 1.0f ? square : 1.0f);
}

/*
 * A row that holds, for solving several joints at once: J and inv(M) J' by end (planar: x, y,
 * turn), and the rate that is missing.
 */
struct cn_soft_line {
    double row[2][6], give[2][6];
    double lack;
};

/* A row of two bodies in the plane: rate = n . (vB - vA) + a wA + b wB. */
struct cn_soft_row2 {
    float x, y; /* n */
    float a, b;
    float gap;
    float lag; /* change of the gap in a substep beyond h times its rate */
};

/* The free coordinate: the data of its limits, motor and spring. */
struct cn_soft_free {
    bool has_lower, has_upper, has_motor, has_spring;
    float lower, upper;
    float speed, impulse_max;      /* of the motor, times its level; for a substep [N s] */
    float spring_push, spring_drag; /* h k and w of impulse_joint.h */
    float rest;
    float stretch; /* q - rest at the start of the substep */
};

/* The free coordinate of a joint for a substep of h; K is its effective inverse mass. */
struct cn_soft_free cn_soft_free_make(const struct cn_model *model, int joint, float h, float K);

/* A single joint in the plane.  All data are those of the tick's start unless stated otherwise. */
struct cn_soft_joint2 {
    int32_t index;          /* in the model; -1: none */
    int32_t name_a, name_b; /* solver bodies */
    float mass_a, mass_b, inertia_a, inertia_b; /* inverse */
    float arm_a[2], arm_b[2];                   /* from the centres of mass to the anchors */
    float apart[2];                             /* pB - pA */
    float axis[2];                              /* SLIDER: of A */
    float angle;                                /* of B against A, minus that of the definition */
    double point[2], parameter;                 /* TRACK: pB, and the parameter near its foot */
    struct cn_soft_free free;
    bool thin; /* see impulse_joint_thin.c */
    float impulse[CN_JOINT_PARTS], total[CN_JOINT_PARTS]; /* of this substep; of the tick */
    /* changes of vA, wA, vB, wB by the impulses, along the rows of the pass with bias */
    float given[6];
};

/* An end of a joint at the start of the tick. */
struct cn_soft_end2 {
    int32_t name;
    float mass, inertia; /* inverse */
    float arm[2];
    double point[2]; /* world */
};

struct cn_soft_end2 cn_soft_end2_make(
    const struct cn_impulse_joint_job *job, int body, const cn_vec3 *anchor);

void cn_soft_prepare2(const struct cn_impulse_joint_job *job, int index, struct cn_soft_joint2 *j);
void cn_soft_warm_start2(const struct cn_impulse_joint_job *job, struct cn_soft_joint2 *j);
void cn_soft_solve2(
    const struct cn_impulse_joint_job *job, struct cn_soft_joint2 *j, bool use_bias);

/*
 * The same in three parts: before the rows that hold; these rows (returns their number); after
 * them.
 */
void cn_soft_begin2(
    const struct cn_impulse_joint_job *job, struct cn_soft_joint2 *j, bool use_bias);
int cn_soft_lines2(const struct cn_impulse_joint_job *job, const struct cn_soft_joint2 *j,
    bool use_bias, struct cn_soft_line *lines);
void cn_soft_end2(
    const struct cn_impulse_joint_job *job, struct cn_soft_joint2 *j, bool use_bias);

/* ---- in space ---- */

typedef struct {
    float x, y, z;
} cn_soft_vec;

typedef struct {
    cn_soft_vec cx, cy, cz; /* columns */
} cn_soft_mat;

static inline cn_soft_vec
cn_soft_vec_make(float x, float y, float z)
{
    return (cn_soft_vec){x, y, z};
}

static inline cn_soft_vec
cn_soft_vec_of(const float *v)
{
    return (cn_soft_vec){v[0], v[1], v[2]};
}

static inline cn_soft_vec
cn_soft_vec_from(cn_vec3 v)
{
    return (cn_soft_vec){(float)v.x, (float)v.y, (float)v.z};
}

static inline cn_soft_vec
cn_soft_add(cn_soft_vec a, cn_soft_vec b)
{
    return (cn_soft_vec){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline cn_soft_vec
cn_soft_sub(cn_soft_vec a, cn_soft_vec b)
{
    return (cn_soft_vec){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline cn_soft_vec
cn_soft_scale(cn_soft_vec a, float s)
{
    return (cn_soft_vec){a.x * s, a.y * s, a.z * s};
}

static inline cn_soft_vec
cn_soft_add_scaled(cn_soft_vec a, float s, cn_soft_vec b)
{
    return (cn_soft_vec){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static inline float
cn_soft_dot(cn_soft_vec a, cn_soft_vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline cn_soft_vec
cn_soft_cross(cn_soft_vec a, cn_soft_vec b)
{
    return (cn_soft_vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline cn_soft_vec
cn_soft_mat_apply(const cn_soft_mat *m, cn_soft_vec v)
{
    cn_soft_vec sum = cn_soft_scale(m->cx, v.x);
    sum = cn_soft_add_scaled(sum, v.y, m->cy);
    return cn_soft_add_scaled(sum, v.z, m->cz);
}

/* Transpose of m, times v. */
static inline cn_soft_vec
cn_soft_mat_apply_back(const cn_soft_mat *m, cn_soft_vec v)
{
    return (cn_soft_vec){
        cn_soft_dot(m->cx, v), cn_soft_dot(m->cy, v), cn_soft_dot(m->cz, v)};
}

/* The matrix of a unit quaternion (x, y, z, w). */
static inline cn_soft_mat
cn_soft_mat_of_quat(float x, float y, float z, float w)
{
    float xx = x * x, yy = y * y, zz = z * z, xy = x * y, xz = x * z, yz = y * z;
    float wx = w * x, wy = w * y, wz = w * z;
    return (cn_soft_mat){
        {1.0f - 2.0f * (yy + zz), 2.0f * (xy + wz), 2.0f * (xz - wy)},
        {2.0f * (xy - wz), 1.0f - 2.0f * (xx + zz), 2.0f * (yz + wx)},
        {2.0f * (xz + wy), 2.0f * (yz - wx), 1.0f - 2.0f * (xx + yy)},
    };
}

/* A symmetric matrix (xx yy zz xy yz zx) times v. */
static inline cn_soft_vec
cn_soft_inertia_apply(const float *m, cn_soft_vec v)
{
    return (cn_soft_vec){
        m[0] * v.x + m[3] * v.y + m[5] * v.z,
        m[3] * v.x + m[1] * v.y + m[4] * v.z,
        m[5] * v.x + m[4] * v.y + m[2] * v.z,
    };
}

/* A row in space: rate = n . (vB - vA) + a . wA + b . wB. */
struct cn_soft_row3 {
    cn_soft_vec n, a, b;
    float gap, lag;
};

/* The twist of a ball at the start of a tick. */
struct cn_soft_twist {
    double angle; /* in the turn nearest to the last tick's */
    float cosine, sine;
};

/*
 * The limits, spring and friction of a ball's turn.  Their impulses are the joint's parts; that of
 * the spring has no part, because it follows from the turn.
 */
struct cn_soft_turn {
    bool acts; /* any of these */
    bool has_lower, has_upper, has_cone, has_spring;
    float lower, upper;             /* of the twist */
    float cone;
    float impulse_max;              /* of each component of the friction, for a substep */
    float spring_push, spring_drag; /* as in struct cn_soft_free */
    struct cn_soft_twist twist;
    cn_soft_vec stretch; /* rotation vector at the start of the substep, world */
    cn_soft_vec spring;  /* impulse, world */
};

/*
 * The turn of a ball at the start of a tick, from the frames there; trace is that of the sum of
 * both inverse inertias.  Updates the joint's place.
 */
struct cn_soft_turn cn_soft_turn_make(const struct cn_impulse_joint_job *job, int joint,
    const cn_soft_mat *frame_a, const cn_soft_mat *frame_b, float trace);

struct cn_soft_twist cn_soft_twist_make(
    const cn_soft_mat *frame_a, const cn_soft_mat *frame_b, double before);

/* The rotation vector from one frame to another. */
cn_soft_vec cn_soft_rotation(const cn_soft_mat *frame_a, const cn_soft_mat *frame_b);

cn_soft_mat cn_soft_mat_multiply(const cn_soft_mat *turn, const cn_soft_mat *m);

struct cn_soft_joint3 {
    int32_t index;
    int32_t name_a, name_b;
    float mass_a, mass_b;                 /* inverse */
    float inertia_a[6], inertia_b[6];     /* inverse, world axes */
    cn_soft_vec arm_a, arm_b, apart;      /* as in the plane */
    cn_soft_mat frame_a, frame_b;         /* world */
    float angle;                          /* HINGE: its coordinate */
    /* HINGE: directions between which its turn in this tick is measured, fixed in A, A and B */
    cn_soft_vec angle_x, angle_y, angle_b;
    double point[3], parameter;           /* TRACK */
    cn_soft_vec pull, pull_total;         /* TRACK: impulse of the rows that hold, world */
    struct cn_soft_free free;
    struct cn_soft_turn turn; /* BALL */
    bool thin; /* see impulse_joint_thin.c */
    float impulse[CN_JOINT_PARTS], total[CN_JOINT_PARTS];
    /* changes of vA, wA, vB, wB by the impulses, along the rows of the pass with bias */
    cn_soft_vec given[4];
};

struct cn_soft_end3 {
    int32_t name;
    float mass, inertia[6]; /* inverse */
    cn_soft_vec arm;
    cn_vec3 point;
    cn_soft_mat turn; /* orientation of the body */
};

void cn_soft_end3_make(const struct cn_impulse_joint_job *job, int body, const cn_vec3 *anchor,
    struct cn_soft_end3 *end);

/*
 * The angle of a hinge at the start of a tick, and the direction from which its turn is measured.
 */
struct cn_soft_angle {
    double angle; /* in the turn nearest to the last tick's angle */
    cn_soft_vec x; /* fixed in A, along B's y */
};

struct cn_soft_angle cn_soft_angle_make(
    const cn_soft_mat *frame_a, cn_soft_vec y_b, double before);

void cn_soft_prepare3(const struct cn_impulse_joint_job *job, int index, struct cn_soft_joint3 *j);
void cn_soft_warm_start3(const struct cn_impulse_joint_job *job, struct cn_soft_joint3 *j);
void cn_soft_solve3(
    const struct cn_impulse_joint_job *job, struct cn_soft_joint3 *j, bool use_bias);
void cn_soft_begin3(
    const struct cn_impulse_joint_job *job, struct cn_soft_joint3 *j, bool use_bias);
int cn_soft_lines3(const struct cn_impulse_joint_job *job, const struct cn_soft_joint3 *j,
    bool use_bias, struct cn_soft_line *lines);
void cn_soft_end3(
    const struct cn_impulse_joint_job *job, struct cn_soft_joint3 *j, bool use_bias);
void cn_soft_store3(const struct cn_impulse_joint_job *job, struct cn_soft_joint3 *j);

/* ---- both dimensions ---- */

enum cn_soft_pass {
    CN_SOFT_PREPARE,
    CN_SOFT_WARM_START,
    CN_SOFT_SOLVE,
    CN_SOFT_RELAX,
    CN_SOFT_COOL,
    CN_SOFT_STORE
};

/*
 * Runs a pass over one joint, or over a chain.  cn_soft_chain_size is the size of a chain's data.
 */
void cn_soft_run2(const struct cn_impulse_joint_job *job, enum cn_soft_pass pass, int32_t index,
    struct cn_soft_joint2 *j);
void cn_soft_run3(const struct cn_impulse_joint_job *job, enum cn_soft_pass pass, int32_t index,
    struct cn_soft_joint3 *j);
size_t cn_soft_chain_size(const struct cn_impulse_joint_chains *chains, int index, bool planar);
void cn_soft_chain_run(const struct cn_impulse_joint_job *job, enum cn_soft_pass pass, int index,
    unsigned char *data);

/*
 * Solves K x = r in place for x, K symmetric and positive semidefinite, given by its lower half.  A
 * row that depends on those before it, or has no mass, is left out: x = 0.
 */
void cn_soft_block_solve(int n, float K[CN_SOFT_HOLD_MAX][CN_SOFT_HOLD_MAX], float *x);

/*
 * One pass over the free coordinate of effective inverse mass K, given its rate.  Returns the
 * change of the impulse along the row.  Each part uses the rate that the parts before it have left.
 */
float cn_soft_free_solve(struct cn_soft_free *free, const struct cn_impulse_tick *tick,
    const struct cn_impulse_soft *soft, bool use_bias, float gap, float rate, float K,
    float *impulse);

/*
 * Solves a limit at the distance `way`, which changes at `rate`.  Returns the change of its
 * impulse.
 */
float cn_soft_limit_solve(const struct cn_impulse_tick *tick, const struct cn_impulse_soft *soft,
    bool use_bias, float way, float rate, float K, float *impulse);

/* The sum of the impulses along the free coordinate. */
static inline float
cn_soft_free_sum(const struct cn_soft_free *free, const float *impulse)
{
    float sum = impulse[CN_JOINT_PART_LOWER] - impulse[CN_JOINT_PART_UPPER] +
                impulse[CN_JOINT_PART_MOTOR];
    return free->has_spring ? sum + impulse[CN_JOINT_PART_SPRING] : sum;
}

static inline bool
cn_soft_free_acts(const struct cn_soft_free *free)
{
    return free->has_lower || free->has_upper || free->has_motor || free->has_spring;
}

/* ---- thin joints: impulse_joint_thin.c ---- */

/* The rows that hold, as one block: K, what they lack as x, and the softness of the pass. */
struct cn_soft_block {
    int count;
    float K[CN_SOFT_HOLD_MAX][CN_SOFT_HOLD_MAX], x[CN_SOFT_HOLD_MAX]; /* K: up to the diagonal */
    float mass_scale, impulse_scale;
};

bool cn_soft_is_thin(const struct cn_model *model, int joint);

/*
 * The amount that a chain adds to a diagonal of a thin joint's rows: a part of it, or of some
 * inverse masses where that is less, because most of the diagonal is a turn.
 */
float cn_soft_thin_give(float mass, float diagonal);

/*
 * The answer of the rows that hold to a unit impulse whose effects on them are given: the impulses,
 * which are opposite to it; returns their effect.
 */
float cn_soft_thin_answer(const struct cn_soft_block *block, const float *effect, float *impulse);

/* The impulses that the rows lack now; held: those that they have. */
void cn_soft_thin_lack(const struct cn_soft_block *block, const float *held, float *impulse);

/* The rest of K when the rows take off so much. */
float cn_soft_thin_rest(float K, float taken);

/* Changes K and rate of a free coordinate, whose effects on the rows are given, by their answer. */
void cn_soft_thin_free(const struct cn_soft_block *block, const float *effect, const float *held,
    float *K, float *rate);

/* Warm start of a joint: the impulses in a substep by the last tick's forces. */
void cn_soft_recall(const struct cn_impulse_joint_job *job, int index, float *impulse);

/* Stores the mean forces of the tick. */
void cn_soft_store(const struct cn_impulse_joint_job *job, int index, const float *total);

#endif
