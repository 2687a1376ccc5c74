/*
 * propagation.h: the stepper `propagation`: impulses pass from pair to pair.
 *
 * A tick is one step of the paper, or several where bodies are fast:
 *
 *     limit      no body moves further in a step than half of its smallest width (section 4)
 *     find       candidates: points of shapes that may meet within the step
 *     collide    5 iterations: pairs that interfere at the predicted poses x + h (v + h F/m) and
 *                approach at v get impulses with restitution (section 6)
 *     velocity   v += h F/m
 *     contact    10 iterations with e = -0.9, -0.8, ... 0: what interferes at x + h v is slowed
 *                down, level by level of the contact graph (section 8)
 *     shock      once more with e = 0; after each level its bodies are as if of infinite mass
 *     position   x += h v
 *     part       leftover overlap is taken out by motion without velocity (section 11)
 *
 * Since collisions are treated before the velocities get the step's forces, and contacts after,
 * what rests is not taken to bounce: no threshold velocity tells contact from collision (section
 * 5).
 *
 * Candidates.  The narrowphase finds them once a step, at the present poses, with a margin as wide
 * as bodies move.  If no candidate is met at the predicted poses, it searches again there.  A
 * candidate keeps its features, and is placed at both poses: collisions use the geometry of the
 * predicted ones, contacts that of the present ones (sections 6 and 8).  When velocities have
 * changed since, its predicted gap and its rate show to first order whether it interferes.  Both
 * phases use the same function for that.  So the contact phase sees the same candidates as the
 * collision phase, unless an impulse has changed their velocity in between.  This replaces a search
 * for the points of all pairs in every iteration.
 *
 * Within a pair the collision phase uses the paper's quick method.  The list of points that
 * interfere is made once, the deepest point that approaches is struck, and points that separate
 * leave the list.
 *
 * Departures, in literal mode off:
 *   - impulses of a contact add up within the contact and shock phases, and may be taken back
 *     (truth E10; solve/propagation/guendelman03.h);
 *   - c, the velocity that a contact is slowed to, is found at its first visit of an iteration and
 *     kept while pairs are swept over.  Candidates that are apart may close, to just touching;
 *   - the contact phase starts from the forces of the last step, so that a load which does not pass
 *     through in one step does so in the next, and forces are right after some steps;
 *   - a level is swept over until velocities settle (contact_sweeps at most, and longer in the last
 *     iteration and in shocks), in the paper "a number of times".  Pairs whose bodies have not
 *     changed since they had nothing to do are skipped: that changes no result;
 *   - overlap is taken out after the positions, which the paper calls an experiment;
 *   - neither the contact phase nor the shock adds energy (propagation_energy.c).
 * In both modes:
 *   - a contact that is about to be met by its speed is an edge of the graph already;
 *   - a contact is an edge of the graph only if the fall presses it together: shapes that stand
 *     side by side with a gap of rounding do not rest on each other;
 *   - joints: rows of constraint/joint.h.  Those that hold are solved joint by joint, all rows of
 *     one at once, limits and motors row by row, in the same sweeps; bodies that a joint connects
 *     are of one level.  Their error of position is removed with the overlap;
 *   - in space a body keeps its angular momentum while it rotates, not its angular velocity.
 *
 * Order.  Pairs are treated in an order that is shuffled in every step, by a generator that starts
 * from the world's seed, the setting `shuffle`, the tick and the piece: nothing of it persists.
 * Another value of `shuffle` shows how much the results of a world depend on the order.
 *
 * The files are in layers, and a file calls only those of lower layers:
 *
 *     propagation                             the order of a step
 *     levels, collide, contact, part, show    the phases, and what is shown of them
 *     find, joint, scratch                    candidates, rows of joints, memory
 *
 * Accuracy: of first order in h.  Cost: candidates times iterations and sweeps.
 *
 * Source: Guendelman, Bridson and Fedkiw, Nonconvex Rigid Bodies with Stacking, SIGGRAPH 2003.
 */
#ifndef ENGINE_STEP_PROPAGATION_PROPAGATION_H
#define ENGINE_STEP_PROPAGATION_PROPAGATION_H

#include "engine/base/rng.h"
#include "engine/collide/broad/broadphase.h"
#include "engine/collide/mesh/sampling.h"
#include "engine/constraint/force.h"
#include "engine/constraint/joint.h"
#include "engine/solve/propagation/guendelman03.h"
#include "engine/step/propagation/contact_graph.h"
#include "engine/step/stepper.h"

/* A point where two bodies may meet, at one pose of both. */
struct cn_spot_place {
    cn_vec3 normal;       /* from A to B */
    cn_vec3 arm_a, arm_b; /* from the centres of mass */
    double gap;           /* [m]; HUGE_VAL: its face or edge ends before it */
};

/* A candidate.  The members that visits read most come first. */
struct cn_spot {
    cn_vec3 impulse;           /* on B, of the contact and shock phases [N s] */
    struct cn_spot_place now;
    cn_vec3 left;              /* the velocity that its last impulse left [m/s] */
    double target;             /* c */
    int32_t iteration;         /* in which target was computed */
    int32_t pair;
    int32_t contact;           /* index of its features in contact[] */
    bool prepared;             /* K belongs to the level's masses */
    bool listed;               /* in the collision phase */
    cn_mat33 K, K_inverse;     /* at the present pose, for the level's masses */
    double lightness;          /* 1 / rho: the mean response across the normal [1/kg] */
    struct cn_spot_place ahead;
    cn_vec3 couple;            /* on B, as impulse [N m s] */
    double hit;                /* along the normal, of the collision phase [N s] */
    double hit_speed;          /* at which they met [m/s] */
};

/* Two shapes that may meet. */
struct cn_meeting {
    int32_t shape_a, shape_b, body_a, body_b;
    int32_t spot_first, spot_count;
    int32_t level;
    double spare;           /* the least of its candidates */
    bool has_spare;         /* some candidate has a gap that is not used up soon */
    double arm_a, arm_b;    /* the longest of its candidates ahead */
    int32_t seen_iteration; /* the iteration in which it was last examined, */
    uint64_t seen;          /* and the clock at that time: see cn_propagation_is_still */
    double restitution, resting, sliding, rolling, spinning;
};

/* A body while the step lasts. */
struct cn_mover {
    struct cn_twist velocity;
    struct cn_twist gain;        /* h inv(M) F */
    struct cn_mass_inverse mass; /* world axes; 0: nothing moves it */
    struct cn_mass_inverse own;  /* the same, without the shock phase's infinite mass */
    double reach;                /* how far any point of it may move [m] */
    bool held;                   /* mass is 0 */
};

/* A joint's rows: row[first .. first + count - 1] of joint[]. */
struct cn_tie {
    int32_t body_a, body_b; /* -1: a body that nothing moves */
    int32_t first, hold_count, count;
    int32_t level;
};

/* How an island's kinetic energy grows on the way of a phase: part * first + part^2 * second. */
struct cn_island_gain {
    double first, second; /* J */
    double size;          /* of its terms */
    double part;          /* of the way that it goes */
    bool works;           /* a motor or a moving body does work on it */
};

/* Velocities and impulses at the start of a phase, and islands; propagation_energy.c. */
struct cn_propagation_energy {
    struct cn_twist *velocity;  /* bodies */
    cn_vec3 *impulse, *couple;  /* candidates */
    double *joint_impulse;      /* rows of joints */
    int32_t *island;            /* bodies: a body of lower index in the same island, or itself */
    struct cn_island_gain *sum; /* bodies: that of its island, where island[i] is i */
};

/* The scratch of one step. */
struct cn_propagation {
    struct cn_model *model;
    int64_t *work;
    double h;           /* of the step [s] */
    bool literal, planar;
    bool gained;        /* the velocities have the step's forces */
    double settled;     /* a smaller change of velocity counts as 0 [m/s] */
    int longer;         /* the last iteration and shocks may take this many times contact_sweeps */
    double slack;       /* a smaller gap counts as 0 [m] */
    double residual;    /* the largest approach speed of contacts that is not wanted [m/s] */
    int sweep_count;
    struct cn_rng rng;
    uint64_t clock; /* counts impulses */

    /* bodies */
    struct cn_mover *mover;
    struct cn_twist *foreseen; /* the velocities of the predicted poses, without the part that
                                * forces have yet to add */
    uint64_t *changed; /* the clock when its velocity last changed */
    cn_pose *pose, *ahead;
    struct cn_wrench *wrench;
    bool *fixed;
    struct cn_acceleration *acceleration;

    cn_aabb *box; /* shapes */

    /* pairs */
    struct cn_pair *pair;
    struct cn_meeting *meeting;
    int32_t *order, *sorted;
    int pair_count;

    const struct cn_fast_mesh_kernel *kernel;
    bool has_avx2; /* and may use it */
    struct cn_samples *samples; /* of a pair with a mesh */

    /* candidates */
    struct cn_contact *contact;
    struct cn_spot *spot;
    struct cn_spot *spot_other; /* room to sort them */
    double *spare;  /* by candidate: its gap ahead; -HUGE_VAL: it must be examined */
    int spot_count;

    /* joints */
    struct cn_joint_row *joint;
    double *joint_impulse, *joint_offset;
    double *joint_bounce; /* of limits: the rate that restitution gives them, or 0 */
    struct cn_tie *tie;
    int joint_count, tie_count;

    int32_t *body_order, *body_first; /* bodies by level */
    int32_t *level_first, *tie_order, *tie_first; /* of each level, in sorted[] and tie_order[] */
    struct cn_contact_graph graph;
    struct cn_propagation_energy energy;

    /* data for an instant */
    double *rate, *force;
    cn_vec3 *friction;
    struct cn_warm_start *kept; /* of the step, ascending */
};

/* propagation_scratch.c */
void cn_propagation_layout(
    struct cn_arena *scratch, const struct cn_model *model, const struct cn_solver *solver);
void cn_propagation_init(struct cn_propagation *p, struct cn_step_context *context);

/* propagation_find.c */

/* Poses, velocities and forces; h must be set. */
void cn_propagation_place(struct cn_propagation *p);

/* Finds the candidates.  False, with *room_needed set, when contact_max is too small. */
bool cn_propagation_find(struct cn_propagation *p, int *room_needed);

/* Places a candidate's features at poses. */
struct cn_spot_place cn_propagation_at(
    const struct cn_propagation *p, struct cn_contact *contact, const cn_pose *pose);

/* B's velocity against A's at a place, for given velocities. */
static inline cn_vec3
cn_propagation_between(
    const struct cn_twist *a, const struct cn_twist *b, const struct cn_spot_place *place)
{
    cn_vec3 of_a = cn_vec3_add(a->linear, cn_vec3_cross(a->angular, place->arm_a));
    cn_vec3 of_b = cn_vec3_add(b->linear, cn_vec3_cross(b->angular, place->arm_b));
    return cn_vec3_sub(of_b, of_a);
}

/* B's velocity against A's at a place, for the present velocities. */
static inline cn_vec3
cn_propagation_velocity(const struct cn_propagation *p, const struct cn_meeting *pair,
    const struct cn_spot_place *place)
{
    return cn_propagation_between(
        &p->mover[pair->body_a].velocity, &p->mover[pair->body_b].velocity, place);
}

/* The difference between a body's velocity and the foreseen one. */
static inline struct cn_twist
cn_propagation_surprise(const struct cn_propagation *p, int body)
{
    const struct cn_twist *is = &p->mover[body].velocity, *was = &p->foreseen[body];
    return (struct cn_twist){
        cn_vec3_sub(is->linear, was->linear), cn_vec3_sub(is->angular, was->angular)};
}

/* Whether a candidate is met at the end of the step, with the present velocities. */
static inline bool
cn_propagation_meets(
    const struct cn_propagation *p, const struct cn_meeting *pair, const struct cn_spot *spot)
{
    struct cn_twist a = cn_propagation_surprise(p, pair->body_a);
    struct cn_twist b = cn_propagation_surprise(p, pair->body_b);
    cn_vec3 u = cn_propagation_between(&a, &b, &spot->ahead);
    return spot->ahead.gap + p->h * cn_vec3_dot(u, spot->ahead.normal) < 0.0;
}

/*
 * How much nearer than foreseen any candidate of a pair is, at most.  Candidates whose gap ahead is
 * larger are not met, and can be skipped.
 */
double cn_propagation_nearer(const struct cn_propagation *p, const struct cn_meeting *pair);

/*
 * Whether a pair that had nothing to do in this iteration still has nothing to do.  It depends only
 * on the velocities of its bodies, and these have not changed.
 */
static inline bool
cn_propagation_is_still(
    const struct cn_propagation *p, const struct cn_meeting *pair, int iteration)
{
    return pair->seen_iteration == iteration && p->changed[pair->body_a] <= pair->seen &&
           p->changed[pair->body_b] <= pair->seen;
}

/* To be called before a pair is examined. */
static inline void
cn_propagation_see(
    const struct cn_propagation *p, struct cn_meeting *pair, int iteration)
{
    pair->seen_iteration = iteration;
    pair->seen = p->clock;
}

static inline void
cn_propagation_push_body(
    struct cn_propagation *p, int body, cn_vec3 arm, cn_vec3 impulse, cn_vec3 couple)
{
    struct cn_mover *m = &p->mover[body];
    if (m->held) {
        return;
    }
    p->changed[body] = p->clock;
    cn_vec3 turn = cn_vec3_add(cn_vec3_cross(arm, impulse), couple);
    m->velocity.linear = cn_vec3_add_scaled(m->velocity.linear, m->mass.linear, impulse);
    m->velocity.angular =
        cn_vec3_add(m->velocity.angular, cn_mat33_apply(&m->mass.angular, turn));
}

/* Gives both bodies of a pair an impulse, and a couple. */
static inline void
cn_propagation_push(struct cn_propagation *p, const struct cn_meeting *pair,
    const struct cn_spot_place *place, cn_vec3 impulse, cn_vec3 couple)
{
    p->clock++;
    cn_propagation_push_body(p, pair->body_a, place->arm_a, cn_vec3_negate(impulse),
        cn_vec3_negate(couple));
    cn_propagation_push_body(p, pair->body_b, place->arm_b, impulse, couple);
}

/* Puts the pairs in a random order. */
void cn_propagation_shuffle(struct cn_propagation *p);

/*
 * The phases that give impulses are compiled twice: for instructions that every machine has, and
 * for AVX2, where the same arithmetic takes fewer instructions.
 */
#if defined(CN_PROPAGATION_AVX2)
#define CN_PROPAGATION(phase) cn_propagation_##phase##_avx2
#else
#define CN_PROPAGATION(phase) cn_propagation_##phase
#endif
void cn_propagation_collide_avx2(struct cn_propagation *p);
void cn_propagation_contact_avx2(struct cn_propagation *p);
void cn_propagation_part_avx2(struct cn_propagation *p);

/* propagation_collide.c */
void cn_propagation_collide(struct cn_propagation *p);

/*
 * propagation_levels.c: the contact graph; sorts pairs, their candidates, joints and bodies by
 * levels.
 */
void cn_propagation_levels(struct cn_propagation *p);

/* propagation_contact.c */
void cn_propagation_contact(struct cn_propagation *p);

/* propagation_energy.c */
void cn_propagation_energy_take(struct cn_propagation_energy *energy, struct cn_arena *arena,
    int body_count, int spot_max, int row_max);
/* To be called before and after impulses that may not add energy. */
void cn_propagation_energy_begin(struct cn_propagation *p);
void cn_propagation_energy_end(struct cn_propagation *p);

/* propagation_part.c */
void cn_propagation_part(struct cn_propagation *p);

/* propagation_joint.c */

/* Makes the rows of all joints at the present poses, and groups them by joint. */
void cn_propagation_joints(struct cn_propagation *p);

/* Whether a limit or a rope that has restitution is met in this step. */
bool cn_propagation_ties_struck(const struct cn_propagation *p);

/* Solves one joint's rows.  Returns the largest change of a rate. */
double cn_propagation_tie(struct cn_propagation *p, struct cn_tie *tie);

/* Moves bodies, without velocity, by `part` of the errors of a joint's rows. */
void cn_propagation_tie_place(struct cn_propagation *p, struct cn_tie *tie, double part);

/* propagation_show.c */

/* Stores forces, and reports impacts and contacts that began or ended. */
void cn_propagation_keep(struct cn_propagation *p);

/* Reports the ends of all contacts of a body that is about to be removed. */
void cn_propagation_tell_ends(struct cn_model *model, int body);

/* The function `evaluate` of the stepper. */
enum cn_advance cn_propagation_evaluate(
    struct cn_step_context *context, struct cn_instant *instant);

#endif
