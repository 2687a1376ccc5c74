/*
 * march.h: shared by the steppers `time` and `position`: one contact problem a piece of a tick.
 *
 * Both move a world by h seconds at once, whatever bodies meet on the way: by a whole tick, or with
 * `time` by a part of it where bodies near each other are fast.  With v the velocities at its start
 * and u those by which the bodies move,
 *
 *     u = v + h inv(M) F + inv(M) J' j        positions move by h u
 *
 * the impulses j [N s] along the rows solve the problem of problem/contact_problem.h at velocity
 * level.  Its b is the rows' rates at j = 0, plus an offset in which the two steppers differ:
 *
 *     row                     time                          position
 *     contact, limit, rope    gap / h, or 0 below 0;        gap / h + h bias
 *                             e v- where it is hit
 *     joint that holds        0                             gap / h, see joint_pull
 *     motor, friction, moment 0                             0
 *
 * Every pair that may meet within the tick has rows, so the time at which it meets is not needed.
 * In space a body keeps its angular momentum while it rotates, not its angular velocity.
 *
 * The files are in layers, and a file calls only those of lower layers:
 *
 *     time, position                          the steppers
 *     march_view                              the forces of an instant
 *     march_scratch                           memory
 *     march_energy                            impulses from which no island gains energy
 *     march_rows                              the problem and its solution
 *     march                                   contacts, work, motion
 *
 * Accuracy: of first order in h, where the stepper `event` is exact.
 *
 * Source: Stewart and Trinkle, Int. J. Numer. Meth. Engng. 39, 1996; Anitescu and Potra, Nonlinear
 * Dynamics 14, 1997 (one complementarity problem a step); for `position` see position.c.
 */
#ifndef ENGINE_STEP_MARCH_MARCH_H
#define ENGINE_STEP_MARCH_MARCH_H

#include "engine/collide/broad/broadphase.h"
#include "engine/constraint/contact_rows.h"
#include "engine/constraint/force.h"
#include "engine/constraint/joint.h"
#include "engine/step/answer.h"
#include "engine/step/memory.h"
#include "engine/step/stepper.h"

/* The scratch of one tick. Sizes: bodies, shapes, contacts, or rows. */
struct cn_march {
    struct cn_model *model;
    const struct cn_solver *solver;
    struct cn_arena solver_scratch; /* copied for every solve, so each starts at its beginning */
    struct cn_arena energy_scratch;
    int64_t *work;
    int64_t work_before;        /* *work at the start of the piece */
    struct cn_solve_note note; /* of the last solve */
    double h;                  /* duration of the piece [s] */
    bool looks;                /* for a view, not in a tick: solves are not reported */
    bool pulls;                /* the rule corrects lengths by velocities */
    double corrected;          /* the farthest that corrections moved a point in the piece [m] */
    int piece_count;           /* pieces in the rest of the tick; 1: this is the last */
    int contact_rows;          /* rows that one contact may have: 1 to 6 */
    int joint_max;             /* rows that joints may have */
    int row_max;               /* contact_rows contact_max + joint_max */

    /* bodies */
    cn_pose *pose;
    struct cn_wrench *wrench;
    struct cn_mass_inverse *mass;
    struct cn_twist *gain;     /* h inv(M) F: what forces add to the velocities */
    struct cn_twist *response; /* inv(M) J' j of the last solve */
    struct cn_acceleration *acceleration;

    cn_aabb *box; /* shapes */

    struct cn_pair *pair;
    int pair_count;
    struct cn_contact *contact;
    double *rate;       /* of each gap at the start [m/s] */
    bool *hit;          /* it is met at speed within the tick */
    int *contact_row;   /* its normal row; its other rows follow */
    double *force;      /* the result of cn_march_instant [N] */
    cn_vec3 *tangent;   /* two directions of each contact */
    cn_vec3 *friction_force;
    cn_vec3 *moment; /* of an instant, on B [N m]; NULL: no contact can have one */
    int contact_count;
    struct cn_joint_row *joint; /* joint row k is row k of the problem */
    struct cn_joint_force *joint_force; /* of an instant */
    int joint_count;

    struct cn_row *row;
    unsigned char *tag;
    double *b, *f, *lower, *upper, *friction;
    double *start;   /* the row's rate at the start of the piece, without what forces add [m/s] */
    double *plastic; /* b without restitution, and without lengths that are corrected */
    struct cn_twist *unkept; /* velocities that move bodies, and end with the piece */
    int row_count;
};

/* The rules by which a stepper sets its rows up. */
struct cn_march_rule {
    /* Returns the offset of a contact's rate: see the table above.  May set hit[contact]. */
    double (*contact_offset)(struct cn_march *march, int contact);
    double (*joint_offset)(const struct cn_march *march, const struct cn_joint_row *joint);

    /*
     * The same with restitution; returns `offset` for a contact without restitution.  NULL: no
     * contact has restitution.
     */
    double (*contact_bounce)(const struct cn_march *march, int contact, double offset);
    double (*joint_bounce)(const struct cn_march *march, const struct cn_joint_row *joint,
        double offset);

    /*
     * Returns the offset of a joint's rate that also corrects its length.  The correction is kept
     * as a velocity as far as energy does not grow; beyond that it is only a displacement.  NULL:
     * lengths are not corrected.
     */
    double (*joint_pull)(const struct cn_march *march, const struct cn_joint_row *joint,
        double offset);

    /* Returns the number of pieces for the rest of the tick, h, by its contacts; NULL: one. */
    int (*pieces)(const struct cn_march *march);
};

/* march.c */
/*
 * Sets h and piece_count, finds the contacts that may be met within the piece, and places the
 * bodies at its start.  False, with *room_needed set, when contact_max is too small.
 */
bool cn_march_search(
    struct cn_march *march, const struct cn_march_rule *rule, int *room_needed);

/*
 * Moves the bodies by h u, gives them the velocities u, and quarantines runaway bodies.  Then it
 * moves bodies by the part of corrections that is not kept as velocity.
 */
void cn_march_move(struct cn_march *march);

/*
 * The work that one solve may take now, and whether that of the tick is spent.  A tick has
 *
 *     TICK_WORK_BASE + min(TICK_WORK_SMALL n^2, TICK_WORK_GROWTH n^1.5)     of n rows
 *
 * operations.  The coarse rest of a tick of `event` has COARSE_WORK_BASE and half of the other
 * term, less the work that the tick took in excess before.  A solve may take SOLVE_PART of the
 * remaining work, but always a least amount.  A solve of CN_SOLVE_LARGE_ROWS rows may take the work
 * that answer.h grants.  Once seven eighths are spent, the rest of the tick is one piece, or a few
 * pieces if joints turn.  The solver sweeps solves it, and nothing is solved twice in it.
 */
int64_t cn_march_solve_work(const struct cn_march *march);
bool cn_march_is_spent(const struct cn_march *march);

/* Adds the piece's work to that of the tick. */
void cn_march_count_work(struct cn_march *march);

/* Poses and inverse masses at the model's motion. */
void cn_march_place(struct cn_march *march);

/*
 * Reports the bodies that overlap at the end of the tick by more than 5 % of the smaller's width.
 * It searches for contacts again if some impulses of the tick were not found, if bodies turn fast
 * or overlap, or if corrections moved bodies far.  In the first case the width is that of the
 * smallest body.
 */
void cn_march_tell_overlaps(struct cn_march *march);

/* march_rows.c */

/* The number of tangent rows behind the normal row k. */
int cn_march_tangents_behind(const struct cn_march *march, int k);

/* States the problem of the tick, with a warm start from the last one. */
void cn_march_rows(struct cn_march *march, const struct cn_march_rule *rule);

/* The problem of row[], b[] and tag[], which it borrows. */
struct cn_contact_problem cn_march_problem(const struct cn_march *march);

/* Solves row[], b[], tag[] for f[] and response[]. */
void cn_march_solve(struct cn_march *march);

/* Stores the forces, and reports impacts and closing walls. */
void cn_march_keep(struct cn_march *march);

/* march_energy.c */

/* Solves like cn_march_solve, for impulses from which no island gains energy. */
void cn_march_impulses(struct cn_march *march);

/* Lays out its own scratch, besides that of the solves. */
void cn_march_energy_layout(struct cn_arena *scratch, int row_count, int body_count);

/* march_scratch.c */
void cn_march_layout(
    struct cn_arena *scratch, const struct cn_model *model, const struct cn_solver *solver);
void cn_march_init(struct cn_march *march, struct cn_step_context *context);

/* march_view.c */

/* The forces that the next tick would apply, as the present ones. */
void cn_march_instant(struct cn_march *march, struct cn_instant *instant);

/* The function `evaluate` of both steppers. */
enum cn_advance cn_march_evaluate(
    struct cn_step_context *context, const struct cn_march_rule *rule, struct cn_instant *instant);

/*
 * time.c: one piece of the rest of the tick, done as `time` does it with a solver of problems.  It
 * is for a stepper that has used up its work for the tick.  The context's scratch is laid out
 * again.
 */
enum cn_advance cn_march_time_piece(struct cn_step_context *context);

#endif
