/*
 * event.h: what the files of the stepper `event` share.  See event.c for the method.
 */
#ifndef ENGINE_STEP_EVENT_H
#define ENGINE_STEP_EVENT_H

#include "engine/collide/broadphase.h"
#include "engine/constraint/contact_rows.h"
#include "engine/constraint/force.h"
#include "engine/constraint/joint.h"
#include "engine/problem/contact_problem.h"
#include "engine/step/answer.h"
#include "engine/step/memory.h"
#include "engine/step/stepper.h"

/* Stages of the Runge-Kutta step, the one at its end included. */
#define STAGE_COUNT 5

/* A hit time is found when the gap is this near, in parts of the smallest length. */
#define HIT_FRACTION 1e-9

/*
 * A new contact is hit where its gap is 0; one that touched already, this far below its start, in
 * parts of the smallest length.  Any farther, and bodies that bounce lower than the tolerance would
 * gain at every bounce what they fall, and never come to rest.
 */
#define LEVEL_FRACTION (2.0 * HIT_FRACTION)

/* The smallest step, in parts of a tick. */
#define STEP_FRACTION_MIN 1e-6

/* The right-hand side of the equations of motion for one body. */
struct cn_rate {
    cn_vec3 velocity, angular_velocity;
    cn_vec3 acceleration, angular_acceleration;
    cn_quat orientation; /* spatial: dq/dt [1/s] */
};

/* A limit of a joint that nothing holds is hit when its gap is below this. */
struct cn_joint_stop {
    uint64_t id;
    double level; /* m or rad */
};

/*
 * How a contact that touches holds across its normal.  It slides, or rests; where it rests, the
 * solver decides whether friction suffices.
 */
struct cn_grip {
    double sliding, resting; /* coefficients; 0: no friction, no tangent rows */
    cn_vec3 slip;            /* unit, the direction of sliding at the start; zero: it rests */
    double slip_level;       /* the speed along slip below which sliding has ended [m/s] */
    bool pinned;             /* what it does has been decided twice, and stays */
    bool pressed;            /* bears force at the end of the step */
    bool sticks;             /* rests, and friction has room to spare */
};

/* What a row of the present problem is of. */
struct cn_row_source {
    int32_t contact; /* index into contact[]; -1: a joint's */
    int32_t part;    /* of a contact: 0 along its normal, 1 and 2 across */
    uint64_t joint;  /* id of a joint's row */
};

/* The scratch of one piece. Sizes: bodies, shapes, contact_max, row_max, or joint_max. */
struct cn_event_scratch {
    struct cn_model *model;
    const struct cn_solver *solver;
    struct cn_arena solver_scratch; /* copied for every solve, so each starts at its beginning */
    int64_t *work;
    int64_t work_before; /* *work at the start of the piece */
    bool minimum_norm; /* of the forces that hold, find the least */
    bool looks;        /* no part of a tick: solves are not told of */
    int tangent_count; /* rows across a contact with friction: 0, 1 or 2 */
    int row_max;       /* contact_max (1 + tangent_count) + joint_max */
    int joint_max;     /* rows that joints may have */
    struct cn_solve_note note; /* of the last solve */
    bool lacks_forces;         /* some stage of the present step found none */
    double power[STAGE_COUNT]; /* what is given to bodies at each stage [W] */
    bool gains;                /* the step to trial[] gains energy */
    double given;              /* the work that is given to bodies in it [J] */
    double lost;               /* energy that the piece has lost so far [J] */

    /* bodies */
    cn_pose *pose;
    struct cn_wrench *wrench;
    struct cn_mass_inverse *mass;
    struct cn_twist *free;     /* accelerations without contact forces */
    struct cn_twist *response; /* inv(M) J' f of the last solve */
    struct cn_twist *moving;   /* velocities; 0 of bodies that nothing moves */
    struct cn_rate *stage[STAGE_COUNT];
    struct cn_motion *start, *trial;
    struct cn_motion *end;    /* of the whole step, while the time of a hit is looked for */
    struct cn_rate *end_rate; /* there */
    double *travel; /* how far a point of the body may go before the pairs are stale [m] */

    /* shapes */
    cn_aabb *box;

    /* pairs that may touch during the piece */
    struct cn_pair *pair;
    double *pair_base; /* the pair's clearance at the start, where that is not positive [m] */
    int pair_count;

    /* contacts that touch at the start */
    struct cn_contact *contact;
    struct cn_grip *grip;
    double *level; /* the gap below which the contact counts as hit again [m] */
    double *edge;  /* the overhang beyond which a held contact has slid off its face [m] */
    double *impulse; /* of the impacts at this instant [N s] */
    bool *held;    /* held by a row: the solver answers for it, the search passes it over */
    bool *rising;  /* parts slower than the resting velocity: the piece ends where it turns back */
    int contact_count;

    /* rows that joints have at the motion of the last refresh, in the order of their ids */
    struct cn_joint_row *joint;
    struct cn_joint_force *joint_force; /* of an instant */
    struct cn_joint_stop *stop; /* joint_max: of NORMAL rows that nothing holds */
    int joint_count, stop_count;

    /*
     * Rows of the present problem.  Contacts come first, each normal row with its tangent rows
     * behind it, then the rows of joints.
     */
    struct cn_row_source *source;
    struct cn_row *row;
    cn_vec3 *across; /* of TANGENT rows: the direction, world */
    double *b, *f, *lower, *upper, *mu, *slip;
    double *f_other; /* of the second of two solves */
    unsigned char *tag;
    int row_count;

    /* what cn_event_instant shows */
    double *contact_rate, *contact_force;
    cn_vec3 *contact_friction;
    struct cn_acceleration *acceleration;
};

/*
 * event.c: whether with `ahead` more operations the tick spends more than it may on what touches
 * and is hit.  Then its rest is one problem of velocities.
 */
bool cn_event_is_spent(const struct cn_event_scratch *scratch, int64_t ahead);

/* event.c: what one solve may take of that; 0: no limit but its own. */
int64_t cn_event_solve_work(const struct cn_event_scratch *scratch);

/* event_scratch.c */
void cn_event_layout(
    struct cn_arena *scratch, const struct cn_model *model, const struct cn_solver *solver);
void cn_event_scratch_init(struct cn_event_scratch *scratch, struct cn_step_context *context);

/* event_search.c: which contacts touch, and when the next one does */

/*
 * Finds the pairs that may touch while a piece of at most `duration` lasts, and the contacts that
 * touch now.  Returns the longest duration, at most `duration`, in which nothing can pass through
 * anything, or `duration` where the tick's rest is not searched; -1 with *room_needed set when
 * contact_max is too small.
 */
double cn_event_search(struct cn_event_scratch *scratch, double duration, int *room_needed);

/* Whether trial[] stayed within the travel that the search allowed for. */
bool cn_event_within_travel(const struct cn_event_scratch *scratch);

/*
 * The smallest (gap - level) over all contacts and joints' limits at `motion` that no row holds, or
 * way to the end of the face of one that a row does, or to the end of sliding or resting of one
 * with friction: negative when something was hit, slid off, stopped or slipped [m].  At most a
 * tenth of the smallest length: what is farther is not looked at.  Bases are 0 after a search.
 */
double cn_event_clearance(struct cn_event_scratch *scratch, const struct cn_motion *motion);

/*
 * The same at start[], which it makes the base: a pair whose clearance is not positive there counts
 * as hit only when it gets worse, so the result is positive.
 */
double cn_event_clearance_base(struct cn_event_scratch *scratch);

/* event_rows.c: the rows of a problem */

/* Poses and inverse masses at `motion`. */
void cn_event_place(struct cn_event_scratch *scratch, const struct cn_motion *motion);

/*
 * Appends the row of contact i, placed at `motion`, and, where `across` and it has friction, the
 * rows across it, with force 0; b is the caller's.  Returns the index of the first.
 */
int cn_event_append_contact(struct cn_event_scratch *scratch, const struct cn_motion *motion, int i,
    bool across);

/* Appends a joint's row with force 0; b is the caller's. Returns its index. */
int cn_event_append_joint(struct cn_event_scratch *scratch, const struct cn_joint_row *joint);

/* Evaluates joint[] at `motion`, whose poses are placed. */
void cn_event_find_joints(struct cn_event_scratch *scratch, const struct cn_motion *motion);

/* Brings what joints remember of their places up to the model's motion. */
void cn_event_follow_joints(struct cn_event_scratch *scratch);

/* Moves the rows that there are to `motion`, whose poses are placed, and fills slip[]. */
void cn_event_move_rows(struct cn_event_scratch *scratch, const struct cn_motion *motion);

/* The rate of row k at `motion`: of the gap, across the contact, or of the joint's row [m/s]. */
double cn_event_row_rate(
    const struct cn_event_scratch *scratch, const struct cn_motion *motion, int k);

/* Tangent rows behind row k, the normal row of a contact: 0, 1 or 2. */
int cn_event_tangents_behind(const struct cn_event_scratch *scratch, int k);

/* What row k is in joint[]; NULL for a contact's, and where the joint has no direction. */
const struct cn_joint_row *cn_event_joint_of(const struct cn_event_scratch *scratch, int k);

/* The way left to the nearest limit in stop[] at `motion`, whose poses are placed. */
double cn_event_stop_clearance(
    struct cn_event_scratch *scratch, const struct cn_motion *motion);

/*
 * Chooses the rows that hold: contacts and limits that touch and do not part, joints, motors.
 * Decides which contacts slide.  Warm starts their f.
 */
void cn_event_choose_rows(struct cn_event_scratch *scratch);

/* Remembers the forces of the chosen rows as the next warm start. */
void cn_event_keep_forces(struct cn_event_scratch *scratch);

/* event_rates.c: the right-hand side */

/* States the problem of the forces at `motion` for the chosen rows. */
void cn_event_state(struct cn_event_scratch *scratch, const struct cn_motion *motion);

/* Fills stage[number] at `motion` with contact forces that hold the chosen rows, and its power. */
void cn_event_rates(
    struct cn_event_scratch *scratch, const struct cn_motion *motion, int number);

/* Shows contacts, forces and the accelerations in stage[0] as the present instant. */
void cn_event_instant(struct cn_event_scratch *scratch, struct cn_instant *instant);

/* Solves the problem in row[], b[], tag[] for f[] and response[]; updates note and work. */
void cn_event_solve(struct cn_event_scratch *scratch);

/*
 * The same of a problem of impulses with friction, which has a solution: where the solver says
 * otherwise, others are asked.
 */
void cn_event_solve_impulses(struct cn_event_scratch *scratch);

/* The same of a correction of drift, whose b are scaled to 1: to fewer digits, for less work. */
void cn_event_solve_drift(struct cn_event_scratch *scratch);

/* Fills the note's residual and response[] by f[]. */
void cn_event_judge(struct cn_event_scratch *scratch);

/* Whether the last solve's forces are none, by the judge, whatever its outcome. */
bool cn_event_has_no_forces(const struct cn_event_scratch *scratch);

/* response[] = inv(M) J' f */
void cn_event_respond(struct cn_event_scratch *scratch, const double *f);

/* Where the last solve found no solution: says so of the bodies that it parts the least. */
void cn_event_note_squeezed(struct cn_event_scratch *scratch);

/* An event about the bodies of row k. */
void cn_event_note_at(const struct cn_event_scratch *scratch, int k, enum cn_event_kind kind,
    double value);

/* Adds response[] to the bodies' velocities: the solve was one for impulses. */
void cn_event_push(struct cn_event_scratch *scratch);

/* The speed across a contact's normal at `motion`, along its tangent rows k and after [m/s]. */
cn_vec3 cn_event_slip_velocity(
    const struct cn_event_scratch *scratch, const struct cn_motion *motion, int k);

/* event_friction.c */

/* Fills slip[] of the tangent rows: directions of sliding turn with the bodies. */
void cn_event_turn_slip(struct cn_event_scratch *scratch, const struct cn_motion *motion);

/*
 * Rates at start[]: contacts at rest that friction does not hold begin to slide, and the rates are
 * found again.  With may_jam: where no forces exist, velocities jump by an impulse, rows are chosen
 * anew, and start[] is what is then.  False where there are no forces then either, or no impulse.
 * Without it f[] and the rates are of that impulse as a force that lasts a tick.
 */
bool cn_event_rates_at_start(struct cn_event_scratch *scratch, bool may_jam);

/* The way left to the end of sliding or resting of chosen contacts at `motion`, times 1 s [m]. */
double cn_event_slip_clearance(
    struct cn_event_scratch *scratch, const struct cn_motion *motion);

/* event_impact.c: restitution */

/* Parts every touching pair that approaches, by the world's collision handling. */
void cn_event_impacts(struct cn_event_scratch *scratch);

/* Lists the impulses of the last solve, f[], with those of the tick: no approach, so no impact. */
void cn_event_tell_impulses(struct cn_event_scratch *scratch);

/* event_restitution.c */

/*
 * cn_event_solve for the impulses of an impact: bodies do not gain energy by friction and
 * restitution together, and where the solver finds no impulses with friction, there is none.
 */
void cn_event_solve_impact(struct cn_event_scratch *scratch);

/*
 * Takes back as much of f[] and response[], the impulses of the last solve, as gains kinetic energy
 * for bodies whose rows run at rate[row_count]: f rate + f A f / 2 <= 0.  A solution gains none.
 */
void cn_event_take_gain(struct cn_event_scratch *scratch, const double *rate);

/* event_energy.c: no step gains energy by its contacts and joints */

/*
 * The power of given forces on the bodies at `motion`, and of f[] as far as kinematic bodies and
 * motors do it [W]; of the last solve.
 */
double cn_event_power_given(struct cn_event_scratch *scratch, const struct cn_motion *motion);

/* Whether from start[] to trial[] bodies gain more than `work` [J] and the error of a step. */
bool cn_event_step_gains(struct cn_event_scratch *scratch, double work);

/* The kinetic energy of the bodies that move [J]. */
double cn_event_kinetic(const struct cn_model *model, const struct cn_motion *motion);

/* What corrections may lift in a piece of `duration` beyond what it has lost [J]. */
double cn_event_lift_allowed(const struct cn_event_scratch *scratch, double duration);

/*
 * The same of a coarse piece, which led from `start` to the model's motion in `duration`: moves
 * bodies back by that part of their corrections that gains energy.
 */
void cn_event_limit_coarse_lift(struct cn_model *model, struct cn_arena scratch,
    const struct cn_motion *start, double duration);
void cn_event_coarse_layout(struct cn_arena *scratch, const struct cn_model *model);

/* event_drift.c: what integration leaves over */

/* Takes errors of rate and gap out of the held rows, at the smallest motion. */
void cn_event_correct_drift(struct cn_event_scratch *scratch, double duration);

/* event_integrate.c: one step of the equations of motion */

/*
 * trial[] = one Runge-Kutta step of h from start[]; stage[0] holds k1.  Sets lacks_forces and gains
 * of this step.
 */
void cn_event_runge_kutta(struct cn_event_scratch *scratch, double h);

/* trial[] = start[] `time` later, on the cubic through start[] and, h later, end[]. */
void cn_event_interpolate(struct cn_event_scratch *scratch, double h, double time);

/*
 * Takes a step of at most `h` whose error is within bounds. Returns its length; 0 when bodies were
 * quarantined instead; -1 when what the tick may take is spent before one is found, or the smallest
 * gains energy.  Every try is shorter than the last, and the smallest is else taken as it is.
 */
double cn_event_controlled_step(struct cn_event_scratch *scratch, double h);

#endif
