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
 * Candidates.  They are found once a step, by the narrowphase at the present poses with a margin
 * as wide as bodies move; if none of them is met at the predicted poses, by one at those.  A
 * candidate keeps its features, and is placed at both poses: collisions use the geometry of the
 * predicted ones, contacts that of the present ones (sections 6 and 8).  Whether it interferes when
 * velocities have changed since is told by its predicted gap and its rate, to first order, in both
 * phases by one function: what the collision phase does not see, the contact phase does not either,
 * unless an impulse has changed its velocity in between.  That takes the place of finding the
 * points of all pairs anew in every iteration.
 *
 * Within a pair the paper's quick way is gone in the collision phase: the list of points that
 * interfere is made once, the deepest that approaches is struck, what parts leaves the list.
 *
 * Departures, in literal mode off:
 *   - impulses of a contact add up within the contact and shock phases, and may be taken back
 *     (truth E10; solve/guendelman03.h);
 *   - c, the velocity that a contact is slowed to, is found at its first visit of an iteration and
 *     kept while pairs are swept over.  Candidates that are apart may close, to just touching;
 *   - the contact phase starts from the forces of the last step, so that weight that has not come
 *     through in one step does in the next, and forces are right after some;
 *   - a level is swept over until velocities settle (contact_sweeps at most, and longer in the last
 *     iteration and in shocks), in the paper "a number of times".  Pairs whose bodies have not
 *     changed since they had nothing to do are passed over: that changes no result;
 *   - overlap is taken out after the positions, which the paper calls an experiment.
 * In both modes:
 *   - what is about to be met by its speed is an edge of the graph as if it were there;
 *   - a contact is an edge of the graph only if the fall presses it together: shapes that stand
 *     side by side with a gap of rounding do not rest on each other;
 *   - joints: rows of constraint/joint.h.  Those that hold are solved joint by joint, all rows of
 *     one at once, limits and motors row by row, in the same sweeps; bodies that a joint ties are
 *     of one level.  Their error of position is taken out with the overlap;
 *   - in space a body's angular momentum, not its angular velocity, stays while it turns.
 *
 * Order.  Pairs are treated in an order that is shuffled anew in every step, by a generator that
 * starts from the world's seed, the setting `shuffle`, the tick and the piece: nothing of it
 * persists.  What depends on the order shows in what another `shuffle` makes of the same world.
 *
 * Accuracy: of first order in h.  Cost: candidates times iterations and sweeps.
 *
 * Source: Guendelman, Bridson and Fedkiw, Nonconvex Rigid Bodies with Stacking, SIGGRAPH 2003.
 */
#ifndef ENGINE_STEP_PROPAGATION_H
#define ENGINE_STEP_PROPAGATION_H

#include "engine/base/rng.h"
#include "engine/collide/broadphase.h"
#include "engine/collide/sampling.h"
#include "engine/constraint/force.h"
#include "engine/constraint/joint.h"
#include "engine/solve/guendelman03.h"
#include "engine/step/contact_graph.h"
#include "engine/step/stepper.h"

/* A point where two bodies may meet, at one pose of both. */
struct cn_spot_place {
    cn_vec3 normal;       /* from A to B */
    cn_vec3 arm_a, arm_b; /* from the centres of mass */
    double gap;           /* [m]; HUGE_VAL: its face or edge ends before it */
};

/* A candidate.  What visits read most is first. */
struct cn_spot {
    cn_vec3 impulse;           /* on B, of the contact and shock phases [N s] */
    struct cn_spot_place now;
    cn_vec3 left;              /* the velocity that its last impulse left [m/s] */
    double target;             /* c */
    int32_t iteration;         /* in which target was found */
    int32_t pair;
    int32_t contact;           /* its features */
    bool prepared;             /* K is of the level's masses */
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
    bool has_spare;         /* some candidate has more than is soon used up */
    double arm_a, arm_b;    /* the longest of its candidates ahead */
    int32_t seen_iteration; /* in which it was last looked at, */
    uint64_t seen;          /* and what clock was then: see cn_propagation_is_still */
    double restitution, resting, sliding, rolling, spinning;
};

/* A body while the step lasts. */
struct cn_mover {
    struct cn_twist velocity;
    struct cn_twist gain;        /* h inv(M) F */
    struct cn_mass_inverse mass; /* world axes; 0: nothing moves it */
    struct cn_mass_inverse own;  /* the same, whatever the shock phase makes of it */
    double reach;                /* how far any point of it may move [m] */
    bool held;                   /* mass is 0 */
};

/* A joint's rows: row[first .. first + count - 1] of joint[]. */
struct cn_tie {
    int32_t body_a, body_b; /* -1: what nothing moves */
    int32_t first, hold_count, count;
    int32_t level;
};

/* The scratch of one step. */
struct cn_propagation {
    struct cn_model *model;
    int64_t *work;
    double h;           /* of the step [s] */
    bool literal, planar;
    bool gained;        /* the velocities have the step's forces */
    double settled;     /* a change of velocity that is none [m/s] */
    int longer;         /* times contact_sweeps: how long the last iteration and shocks go on */
    double slack;       /* a gap that counts as none [m] */
    double residual;    /* the largest speed that contacts approach at too much [m/s] */
    int sweep_count;
    struct cn_rng rng;
    uint64_t clock; /* counts impulses */

    /* bodies */
    struct cn_mover *mover;
    struct cn_twist *foreseen; /* the velocities that the predicted poses are of, less what forces
                                * have yet to add */
    uint64_t *changed; /* what clock was when its velocity last changed */
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
    double *spare;  /* by candidate: its gap ahead; -HUGE_VAL: look at it */
    int spot_count;

    /* joints */
    struct cn_joint_row *joint;
    double *joint_impulse, *joint_offset;
    double *joint_bounce; /* of limits: the rate that restitution gives them, 0: none */
    struct cn_tie *tie;
    int joint_count, tie_count;

    int32_t *body_order, *body_first; /* bodies by level */
    int32_t *level_first, *tie_order, *tie_first; /* of each level, in sorted[] and tie_order[] */
    struct cn_contact_graph graph;

    /* what an instant shows */
    double *rate, *force;
    cn_vec3 *friction;
    struct cn_warm_start *kept; /* of the step, ascending */
};

/* propagation_find.c */

/* Poses, velocities and forces; h must be set. */
void cn_propagation_place(struct cn_propagation *p);

/* Finds the candidates.  False, with *room_needed set, when contact_max is too small. */
bool cn_propagation_find(struct cn_propagation *p, int *room_needed);

/* Places a candidate's features at poses. */
struct cn_spot_place cn_propagation_at(
    const struct cn_propagation *p, struct cn_contact *contact, const cn_pose *pose);

/* That of B against A, at a place. */
static inline cn_vec3
cn_propagation_between(
    const struct cn_twist *a, const struct cn_twist *b, const struct cn_spot_place *place)
{
    cn_vec3 of_a = cn_vec3_add(a->linear, cn_vec3_cross(a->angular, place->arm_a));
    cn_vec3 of_b = cn_vec3_add(b->linear, cn_vec3_cross(b->angular, place->arm_b));
    return cn_vec3_sub(of_b, of_a);
}

/* B's velocity against A's at a place. */
static inline cn_vec3
cn_propagation_velocity(const struct cn_propagation *p, const struct cn_meeting *pair,
    const struct cn_spot_place *place)
{
    return cn_propagation_between(
        &p->mover[pair->body_a].velocity, &p->mover[pair->body_b].velocity, place);
}

/* By how much a body's velocity is not what was foreseen. */
static inline struct cn_twist
cn_propagation_surprise(const struct cn_propagation *p, int body)
{
    const struct cn_twist *is = &p->mover[body].velocity, *was = &p->foreseen[body];
    return (struct cn_twist){
        cn_vec3_sub(is->linear, was->linear), cn_vec3_sub(is->angular, was->angular)};
}

/* Whether a candidate is met at the end of the step, by the velocities as they are. */
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
 * How much nearer than foreseen any candidates of a pair are at the most: those whose gap ahead is
 * larger are not met, and need not be looked at.
 */
double cn_propagation_nearer(const struct cn_propagation *p, const struct cn_meeting *pair);

/*
 * Whether a pair has nothing to do since it had nothing to do in this iteration before: neither of
 * its bodies has changed its velocity, on which alone it depends.
 */
static inline bool
cn_propagation_is_still(
    const struct cn_propagation *p, const struct cn_meeting *pair, int iteration)
{
    return pair->seen_iteration == iteration && p->changed[pair->body_a] <= pair->seen &&
           p->changed[pair->body_b] <= pair->seen;
}

/* To be called before a pair is looked at. */
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

/* Puts the pairs in an order of chance. */
void cn_propagation_shuffle(struct cn_propagation *p);

/*
 * The phases that give impulses are compiled for what every machine has, and for AVX2, where the
 * same arithmetic takes fewer instructions.
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

/* propagation_levels.c: the contact graph; pairs, their candidates, joints, bodies by levels. */
void cn_propagation_levels(struct cn_propagation *p);

/* propagation_contact.c */
void cn_propagation_contact(struct cn_propagation *p);

/* propagation_part.c */
void cn_propagation_part(struct cn_propagation *p);

/* propagation_joint.c */

/* The rows of all joints at the present poses, and which of them are of one joint. */
void cn_propagation_joints(struct cn_propagation *p);

/* Whether a limit or a rope that has restitution is met in this step. */
bool cn_propagation_ties_struck(const struct cn_propagation *p);

/* Solves one joint's rows.  Returns the largest change of a rate. */
double cn_propagation_tie(struct cn_propagation *p, struct cn_tie *tie);

/* Moves bodies, without velocity, by `part` of what a joint's rows are off. */
void cn_propagation_tie_place(struct cn_propagation *p, struct cn_tie *tie, double part);

/* propagation_show.c */

/* Remembers forces, tells of impacts and of what began or ceased to touch. */
void cn_propagation_keep(struct cn_propagation *p);

/* Tells that what a body touched it no longer does: it is about to go. */
void cn_propagation_tell_ends(struct cn_model *model, int body);

/* evaluate of the stepper. */
enum cn_advance cn_propagation_evaluate(
    struct cn_step_context *context, struct cn_instant *instant);

/* propagation.c */
void cn_propagation_layout(
    struct cn_arena *scratch, const struct cn_model *model, const struct cn_solver *solver);
void cn_propagation_init(struct cn_propagation *p, struct cn_step_context *context);

#endif
