/*
 * impulse.h: the production solver's inner part: soft contact constraints, substep by substep.
 *
 * A tick of length T is cut into n substeps of h = T / n.  Contacts are found once a tick.  Every
 * substep runs these stages, for all bodies and then for the contacts colour by colour:
 *
 *     integrate_velocities   v = keep (v + h inv(M) F), and again the impulses of the last substep
 *                            (carry)
 *     warm_start             applies the impulses of the last substep; with carry only in the first
 *                            substep
 *     solve                  one pass of sequential impulses over the normal rows, with soft bias:
 *                            s = s0 + n . ((d_b + q_b r_b - r_b) - (d_a + q_a r_a - r_a)) now;
 *                            where s > 0 the rate s / h, else the soft push
 *     integrate_positions    moves and turns the bodies' deltas d, q of this tick
 *     relax                  the same rows without bias, then friction, rolling and spinning
 *
 * After the last substep come restitution (where the approach was faster than the threshold), and
 * store, which writes the impulses back into the manifolds.  Impulses of restitution are no warm
 * start; they count only in the totals.  Bodies have not moved when contacts
 * are prepared, and they do not move between a relax and the next solve.  So a solve may use the
 * gaps that the relax before it found.
 *
 * Soft constraint of frequency f [Hz] and damping ratio z at substep h, with w = 2 pi f:
 *     a1 = 2 z + h w,  a2 = h w a1,  a3 = 1 / (1 + a2)
 *     bias_rate = w / a1,  mass_scale = a2 a3,  impulse_scale = a3
 *
 * The solver's bodies hold deltas instead of positions, so float is enough anywhere in the world.
 * Contacts of one colour share no moving body.  So a kernel may solve as many at once as it has
 * lanes, and workers may share a colour: the bits are the same for any lanes and workers.
 *
 * Source: sequential impulses, Catto, GDC 2006 and 2009; soft constraints, Catto, GDC 2011; small
 * steps, Macklin et al., Small Steps in Physics Simulation, SCA 2019; colours, Chen et al. 2007.
 *
 * A kernel is a row of a table: the same source compiled for one instruction set.
 */
#ifndef ENGINE_SOLVE_IMPULSE_IMPULSE_H
#define ENGINE_SOLVE_IMPULSE_IMPULSE_H

#include "engine/collide/fast/fast.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A body that moves, planar: 32 bytes, at a multiple of 32. */
struct cn_impulse_body2 {
    float vx, vy, w;
    float spare;
    float dx, dy;       /* how far it has moved in this tick [m] */
    float cosine, sine; /* of its turn in this tick */
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

/* Forces and damping of a body in each substep; bits of locks as in struct cn_body. */
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
 * The names by which a contact or joint refers to solver bodies.  A name >= 0 is the index of a
 * body that impulses move.  CN_IMPULSE_FIXED does not move at all.  cn_impulse_kinematic(index) is
 * a kinematic body: it is read and never written, so it may be in many contacts of one colour.
 * Only names >= 0 count for colours.
 */
#define CN_IMPULSE_FIXED (-1)

static inline int32_t
cn_impulse_kinematic(int32_t index)
{
    return -2 - index;
}

/* The index of the body that a name refers to, kinematic or not; CN_IMPULSE_FIXED has none. */
static inline int32_t
cn_impulse_index(int32_t name)
{
    return name >= 0 ? name : -2 - name;
}

/* One manifold to be solved. */
struct cn_impulse_contact {
    int32_t body_a, body_b; /* solver bodies: see CN_IMPULSE_FIXED; both fixed: an empty lane */
    int32_t manifold;       /* index; -1: an empty lane */
    float friction, restitution;
    float rolling, spinning; /* friction of rolling [m] and about the normal [m]; mostly 0 */
    float surface[3];        /* velocity of A's surface against B's, world axes [m/s]; planar:
                              * surface[0] along the tangent (normal_y, -normal_x) */
    int32_t firm;            /* 1: tick->firm states how soft it is; else 0; only in space */
};

struct cn_impulse_soft {
    float bias_rate, mass_scale, impulse_scale;
};

/*
 * The velocity that a body has after integrate_velocities, without the impulses of the last
 * substep.  So v - carry is the change of velocity by the impulses of a substep.  Anchors and
 * normals stay the same for a whole tick.  So a warm start of the contacts in the next substep
 * gives each body the same change again: integrate_velocities does this without a pass over the
 * contacts.  At the start of the tick carry is v, and warm_start is called in the first substep
 * only.  Without carry (NULL) warm_start is called in every substep.
 */
struct cn_impulse_carry2 {
    float vx, vy, w, spare;
};

struct cn_impulse_carry3 {
    float v[3], w[3], spare[2];
};

/* The parameters of a tick, the same for all bodies and contacts. */
struct cn_impulse_tick {
    float h, inverse_h; /* substep [s] */
    int substep_count;
    struct cn_impulse_soft contact;       /* between bodies that move */
    struct cn_impulse_soft damped; /* where one of these has four times the other's mass, and for
                                    * contacts that are deep at the start of the tick */
    float deep;                    /* overlap of these [m]; 0: none */
    struct cn_impulse_soft contact_fixed; /* where one is fixed or kinematic: stiffer */
    struct cn_impulse_soft firm, firm_fixed; /* the same for firm contacts */
    float push_speed;                     /* the largest soft push [m/s] */
    float slop;                           /* overlap that is not pushed out [m] */
    float restitution_speed;              /* slower approaches do not bounce [m/s] */
    float linear_speed_max;               /* m/s: integrate_positions cuts faster speeds to this */
    /*
     * Speculative distance [m].  A point further away has a small weight in the middle, where
     * spatial friction acts; 0: all points have the same weight.
     */
    float margin;
    float gravity[3]; /* m/s^2 */
    float pushed;     /* energy that pushing out may give to 1 kg in the tick [J] */
};

/* The part of the energies before and after a tick that a body or an island may gain in it. */
#define CN_IMPULSE_GAIN 0.005f

/* The largest turn of a body in a substep [rad]; a faster spin is reduced to it. */
#define CN_IMPULSE_TURN_MAX 1.5707964f

/* cn_impulse_soft of a frequency [Hz], damping ratio and substep [s]; stiff where hertz is 0. */
struct cn_impulse_soft cn_impulse_soft_make(float hertz, float damping_ratio, float h);

/* Mass, largest inertia and kinetic energy of a body at the start of a tick; zeros: kinematic. */
struct cn_impulse_heat {
    float mass, inertia, energy, spare;
};

/* The data that the stages work on.  Arrays are of the kind 2 or 3, by the dimension. */
struct cn_impulse_job {
    const struct cn_impulse_tick *tick;
    void *body;
    void *carry; /* of each body, at the start of the tick its velocity; NULL: none */
    const void *mass;
    const void *drive;
    const struct cn_impulse_heat *heat; /* only for `gained`, as the next */
    float *excess;                      /* of each body [J] */
    int body_count;
    struct cn_impulse_contact *contact; /* padded with empty lanes: a colour begins at a block */
    void *manifold;                     /* all manifolds; contact->manifold is the index */
    void *block; /* the kernel's own: block k is contacts k lanes .. k lanes + lanes - 1 */
};

/* Works on blocks (or bodies) first, ..., end - 1. */
typedef void cn_impulse_stage(const struct cn_impulse_job *job, int first, int end);

/*
 * Sets excess[] of the bodies: the gain of energy in the tick, without the work of gravity, above
 * that which CN_IMPULSE_GAIN and tick->pushed allow.  Whether one is above 0.  This is exact for
 * bodies with one inertia about all axes and the gravity of the tick, and near enough for others to
 * find those that something throws.  `first` is a multiple of 16.
 */
typedef bool cn_impulse_test(const struct cn_impulse_job *job, int first, int end);

struct cn_impulse_stages {
    size_t block_size;                      /* bytes, a multiple of 64 */
    cn_impulse_stage *integrate_velocities; /* bodies */
    cn_impulse_stage *integrate_positions;  /* bodies */
    cn_impulse_stage *prepare;              /* blocks, as all below */
    cn_impulse_stage *warm_start;
    cn_impulse_stage *solve;
    cn_impulse_stage *relax;
    cn_impulse_stage *restitution;
    cn_impulse_stage *cool; /* forgets the impulses of a substep, so that the next has none */
    cn_impulse_stage *store;
    cn_impulse_test *gained; /* bodies */
};

struct cn_impulse_kernel {
    const char *name; /* "plain", "sse2", "avx2", "avx512", "neon" */
    int lanes;
    struct cn_impulse_stages planar, spatial;
};

/* The best kernel this processor runs; or the named one, NULL if it is unknown or can not run. */
const struct cn_impulse_kernel *cn_impulse_kernel_best(void);
const struct cn_impulse_kernel *cn_impulse_kernel_find(const char *name);

/* One lane: for contacts that found no colour, one after the other. */
extern const struct cn_impulse_kernel cn_impulse_kernel_single;

/*
 * One for each instruction set.  The first is always built in, the others where the compiler can
 * make them.
 */
extern const struct cn_impulse_kernel cn_impulse_kernel_plain;
extern const struct cn_impulse_kernel cn_impulse_kernel_sse2;
extern const struct cn_impulse_kernel cn_impulse_kernel_avx2;
extern const struct cn_impulse_kernel cn_impulse_kernel_avx512;
extern const struct cn_impulse_kernel cn_impulse_kernel_neon;

/* The kernels built in, best last; NULL-terminated. Some may not run on this processor. */
extern const struct cn_impulse_kernel *const cn_impulse_kernels[];
bool cn_impulse_kernel_runs(const struct cn_impulse_kernel *kernel);

#endif
