/*
 * impulse.h: the production solver's inner part: soft contact constraints, substep by substep.
 *
 * A tick of length T is cut into n substeps of h = T / n.  Contacts are found once a tick; in every
 * substep, for all bodies and then for the contacts colour by colour:
 *
 *     integrate_velocities   v = keep (v + h inv(M) F); what impulses gave before, again (carry)
 *     warm_start             the impulses of the last substep act again; with carry first one only
 *     solve                  one pass of sequential impulses, normal rows only, with soft bias:
 *                            s = separation0 + n . (d_b + q_b r_b - d_a - q_a r_a) - ... now;
 *                            where s > 0 the rate s / h, else the soft push
 *     integrate_positions    deltas d, q of this tick move on
 *     relax                  the same rows without bias, and friction, rolling, spinning
 *
 * and at the end restitution (where the approach was faster than the threshold), and store, which
 * writes the impulses back into the manifolds.  Bodies have not moved when contacts are prepared,
 * and between a relax and the next solve they do not: so a solve may use the gaps that the relax
 * before it found.
 *
 * Soft constraint of frequency f [Hz] and damping ratio z at substep h, with w = 2 pi f:
 *     a1 = 2 z + h w,  a2 = h w a1,  a3 = 1 / (1 + a2)
 *     bias_rate = w / a1,  mass_scale = a2 a3,  impulse_scale = a3
 *
 * Deltas, not places, stand in the solver's bodies: float is enough wherever in the world they are.
 * Contacts of one colour share no body that moves, so a kernel may do as many at once as it has
 * lanes, and workers may share a colour: the bits are the same for any of them.
 *
 * Source: sequential impulses, Catto, GDC 2006 and 2009; soft constraints, Catto, GDC 2011; small
 * steps, Macklin et al., Small Steps in Physics Simulation, SCA 2019; colours, Chen et al. 2007.
 *
 * A kernel is a row of a table: the same source compiled for one instruction set.
 */
#ifndef ENGINE_SOLVE_IMPULSE_H
#define ENGINE_SOLVE_IMPULSE_H

#include "engine/collide/fast.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A body that moves, planar: 32 bytes, at a multiple of 32. */
struct cn_impulse_body2 {
    float vx, vy, w;
    float spare;
    float dx, dy;       /* how far it has moved in this tick [m] */
    float cosine, sine; /* of how far it has turned in this tick */
};

/* The same in space: 64 bytes, at a multiple of 64. */
struct cn_impulse_body3 {
    float v[3], w[3], d[3];
    float q[4]; /* x y z w: turn of this tick, of unit length, w >= 0 */
    float spare[3];
};

struct cn_impulse_mass2 {
    float inverse_mass, inverse_inertia; /* zeros: kinematic */
};

struct cn_impulse_mass3 {
    float inverse_mass;
    float inverse_inertia[6]; /* xx yy zz xy yz zx, world axes at the start of the tick */
    float spare;
};

/* What drives a body in each substep; bits of locks as in struct cn_body. */
struct cn_impulse_drive2 {
    float ax, ay, aw;                /* by all forces [m/s^2, rad/s^2] */
    float keep_linear, keep_angular; /* damping: velocities are multiplied by these */
    uint32_t locks;
    float spare[2];
};

struct cn_impulse_drive3 {
    float a[3], aw[3];
    float keep_linear, keep_angular;
    float inertia[6]; /* world axes at the start of the tick; zeros: no gyroscopic torque */
    uint32_t locks;
    float spare;
};

/*
 * How a contact or joint names its solver bodies: index >= 0 moves by impulses; CN_IMPULSE_FIXED
 * does not move at all; a kinematic body, which is read and never written (so it may stand in many
 * contacts of one colour), is cn_impulse_kinematic(index).  Colours count those >= 0 alone.
 */
#define CN_IMPULSE_FIXED (-1)

static inline int32_t
cn_impulse_kinematic(int32_t index)
{
    return -2 - index;
}

/* The index of the body to be read, of a kinematic name too; CN_IMPULSE_FIXED has none. */
static inline int32_t
cn_impulse_index(int32_t name)
{
    return name >= 0 ? name : -2 - name;
}

/* One manifold to be solved. */
struct cn_impulse_contact {
    int32_t body_a, body_b; /* solver bodies: see CN_IMPULSE_FIXED. Both that: an empty lane */
    int32_t manifold;       /* index; of an empty lane -1 */
    float friction, restitution;
    float rolling, spinning; /* friction of rolling [m] and about the normal [m]; mostly 0 */
    float surface[3];        /* velocity of B's surface against A's, world axes [m/s]; planar:
                              * surface[0] along the tangent (normal_y, -normal_x) */
    int32_t firm;            /* 1: as soft as tick->firm says, else 0; in space alone */
};

struct cn_impulse_soft {
    float bias_rate, mass_scale, impulse_scale;
};

/*
 * The velocity that a body has after integrate_velocities before any impulse of the substep: what
 * is above it is what the impulses of the substep gave.  As anchors and normals stand for a whole
 * tick, warm starting contacts again is giving each body that difference again, and needs no pass
 * over the contacts: integrate_velocities does it.  With carry, which is v when the tick begins,
 * warm_start is called in the first substep alone.  Where something else warm starts by itself, as
 * joints do, carry is NULL, and warm_start is called in every substep.
 */
struct cn_impulse_carry2 {
    float vx, vy, w, spare;
};

struct cn_impulse_carry3 {
    float v[3], w[3], spare[2];
};

/* What is the same for all in one tick. */
struct cn_impulse_tick {
    float h, inverse_h; /* substep [s] */
    int substep_count;
    struct cn_impulse_soft contact;       /* between bodies that move */
    struct cn_impulse_soft uneven;        /* where one of these is four times the other's mass */
    struct cn_impulse_soft contact_fixed; /* where one does not, or is kinematic: stiffer */
    struct cn_impulse_soft firm, firm_fixed; /* the same of contacts that are firm */
    float push_speed;                     /* soft push at most [m/s] */
    float slop;                           /* overlap that is left alone [m] */
    float restitution_speed;              /* slower approaches do not bounce [m/s] */
    float linear_speed_max;               /* m/s: faster is cut to this (integrate_positions) */
    float margin; /* speculative distance: a point further away counts little in the middle where
                   * spatial friction acts [m]; 0: all count the same */
};

/* A body turns by at most this in a substep; faster is cut to it [rad]. */
#define CN_IMPULSE_TURN_MAX 1.5707964f

/* cn_impulse_soft of a frequency [Hz], damping ratio and substep [s]; stiff where hertz is 0. */
struct cn_impulse_soft cn_impulse_soft_make(float hertz, float damping_ratio, float h);

/* What the stages work on. Arrays are of the 2 or 3 kind by the dimension. */
struct cn_impulse_job {
    const struct cn_impulse_tick *tick;
    void *body;
    void *carry; /* velocities of body when the tick begins; NULL: none */
    const void *mass;
    const void *drive;
    int body_count;
    struct cn_impulse_contact *contact; /* padded with empty lanes: a colour begins at a block */
    void *manifold;                     /* all manifolds; contact->manifold is the index */
    void *block; /* the kernel's own: block k is contacts k lanes .. k lanes + lanes - 1 */
};

/* Works on blocks (or bodies) first, ..., end - 1. */
typedef void cn_impulse_stage(const struct cn_impulse_job *job, int first, int end);

struct cn_impulse_stages {
    size_t block_size;                      /* bytes, a multiple of 64 */
    cn_impulse_stage *integrate_velocities; /* bodies */
    cn_impulse_stage *integrate_positions;  /* bodies */
    cn_impulse_stage *prepare;              /* blocks, as all below */
    cn_impulse_stage *warm_start;
    cn_impulse_stage *solve;
    cn_impulse_stage *relax;
    cn_impulse_stage *restitution;
    cn_impulse_stage *store;
};

struct cn_impulse_kernel {
    const char *name; /* "plain", "sse2", "avx2", "avx512", "neon" */
    int lanes;
    struct cn_impulse_stages planar, spatial;
};

/* The best kernel this processor runs; or the named one, NULL if it is unknown or can not run. */
const struct cn_impulse_kernel *cn_impulse_kernel_best(void);
const struct cn_impulse_kernel *cn_impulse_kernel_find(const char *name);

/* One lane: for what no colour has room for, one contact after the other. */
extern const struct cn_impulse_kernel cn_impulse_kernel_single;

/* The kernels built in, best last; NULL-terminated. Some may not run on this processor. */
extern const struct cn_impulse_kernel *const cn_impulse_kernels[];
bool cn_impulse_kernel_runs(const struct cn_impulse_kernel *kernel);

#endif
