/*
 * event.h: shared by the files of the stepper `event`; event.c states the method.
 *
 * The files are in layers, and a file calls only those of lower layers:
 *
 *     event                                   the order of a piece, and the time of a hit
 *     friction, drift, integrate              onset of sliding, corrections, one step
 *     impact, search                          impulses; contacts and clearances
 *     rates, restitution                      accelerations; impulses of one problem
 *     slip, solve, energy                     directions of sliding, the solver, balances
 *     rows, bounds, scratch                   rows of the problem, bounds of a tick, memory
 */
#ifndef ENGINE_STEP_EVENT_EVENT_H
#define ENGINE_STEP_EVENT_EVENT_H

#include "engine/collide/broad/broadphase.h"
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
 * A new contact is hit when its gap is 0.  A contact that touched already is hit when its gap is
 * this far below its value at the start, in parts of the smallest length.  If this were larger,
 * bodies that bounce lower than the tolerance would gain at every bounce the height that they fall,
 * and never come to rest.
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

/* A limit of a joint that no row holds.  It is hit when its gap is below `level`. */
struct cn_joint_stop {
    uint64_t id;
    double level; /* m or rad */
};

/* The discs of a contact (contact_problem.h), in the order of their rows. */
enum cn_disc { CN_DISC_TANGENT, CN_DISC_ROLLING, CN_DISC_SPINNING };
#define CN_DISC_COUNT 3

/*
 * How a disc of a contact that touches holds.  It slides or rests.  If it rests, the solver decides
 * whether its limit suffices.  A disc of moments slides where the bodies roll or spin.
 */
struct cn_hold {
    double sliding, resting; /* coefficients, of moments lengths [m]; 0: there are no rows */
    cn_vec3 slip;            /* unit, the direction of sliding at the start; zero: it rests */
    double slip_level;       /* the rate along slip below which sliding has ended [m/s or rad/s] */
    bool pinned;             /* sliding or resting was decided twice, and stays */
    bool sticks;             /* rests, and its force is below the limit */
};

struct cn_grip {
    struct cn_hold hold[CN_DISC_COUNT];
    double width; /* the smaller one of the pair [m]: turns a rate of turning into a speed */
    bool pressed; /* bears force at the end of the step */
};

/* Rows of a contact that follow each other and have one limit. */
struct cn_disc_rows {
    int normal, first, count; /* row of the contact's normal, first row, 1 or 2 */
    enum cn_disc disc;
    struct cn_hold *hold;
    double width; /* a rate times width is a speed [m/s]: 1 of tangents */
};

/* The source of a row of the present problem. */
struct cn_row_source {
    int32_t contact; /* index into contact[]; -1: a joint's */
    int32_t part;    /* of a contact: 0 normal, 1 and 2 tangents, 3 and 4 rolling, 5 spinning */
    uint64_t joint;  /* id of a joint's row */
};

/* Bodies that the rows of a correction connect. */
struct cn_drift_island {
    int row_count;
    double error;  /* the largest rate that is corrected [m/s] */
    double change; /* the largest change of velocity of any point [m/s] */
};

/* The scratch of one piece. Sizes: bodies, shapes, contact_max, row_max, or joint_max. */
struct cn_event_scratch {
    struct cn_model *model;
    const struct cn_solver *solver;
    struct cn_arena solver_scratch; /* copied for every solve, so each starts at its beginning */
    int64_t *work;
    int64_t work_before; /* *work at the start of the piece */
    bool minimum_norm; /* of the forces that hold, find the least */
    bool looks;        /* for a view, not in a tick: solves are not reported */
    bool at_onset;     /* discs that begin to slide have no direction yet */
    int tangent_count; /* rows across a contact with friction: 0, 1 or 2 */
    int moment_count;  /* rows of moments of a contact that has all: 0, 1 or 3 */
    int row_max;       /* contact_max (1 + tangent_count + moment_count) + joint_max */
    int joint_max;     /* rows that joints may have */
    struct cn_solve_note note; /* of the last solve */
    bool lacks_forces;         /* some stage of the present step found none */
    double power[STAGE_COUNT]; /* power that is given to bodies at each stage [W] */
    bool gains;                /* the step to trial[] gains energy */
    double given;              /* the work that is given to bodies in that step [J] */
    double lost;               /* energy that the piece has lost so far [J] */

    /* bodies */
    cn_pose *pose;
    struct cn_wrench *wrench;
    struct cn_mass_inverse *mass;
    struct cn_twist *free;     /* accelerations without contact forces */
    struct cn_twist *response; /* inv(M) J' f of the last solve */
    int32_t *drift_parent; /* bodies: union_find.h; of the body that stands for an island: */
    struct cn_drift_island *drift; /* see event_drift.c */
    struct cn_twist *moving;   /* velocities; 0 of bodies that nothing moves */
    struct cn_rate *stage[STAGE_COUNT];
    struct cn_motion *start, *trial;
    struct cn_motion *end;    /* of the whole step, while the time of a hit is searched */
    struct cn_rate *end_rate; /* at `end` */
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
    bool *held;    /* held by a row: the solver handles it, the search skips it */
    bool *rising;  /* separates slowly: the piece ends where it turns back */
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
    cn_vec3 *across; /* of rows of discs: the direction or the axis, world */
    double *b, *f, *lower, *upper, *mu, *slip;
    double *f_other; /* of the second of two solves */
    unsigned char *tag;
    int row_count;

    /* the results of cn_event_instant */
    double *contact_rate, *contact_force;
    cn_vec3 *contact_friction;
    cn_vec3 *contact_moment; /* NULL: no contact can have one */
    struct cn_acceleration *acceleration;
};

/* event_scratch.c */
void cn_event_layout(
    struct cn_arena *scratch, const struct cn_model *model, const struct cn_solver *solver);
void cn_event_scratch_init(struct cn_event_scratch *scratch, struct cn_step_context *context);

/* event_bounds.c: the bounds of a tick */

/*
 * Whether the tick, with `ahead` more operations, exceeds its work for contacts and hits.  If so,
 * its rest is one problem of velocities.
 */
bool cn_event_is_spent(const struct cn_event_scratch *scratch, int64_t ahead);

/* The part of that work that one solve may take; 0: only the solver's own limit holds. */
int64_t cn_event_solve_work(const struct cn_event_scratch *scratch);

/*
 * Lets the rest of the tick be done as by the stepper `time`.  `count` is the count that exceeded
 * its bound.
 */
void cn_event_go_coarse(struct cn_event_scratch *scratch, uint32_t count);

/* After the impacts of a piece: sets the flags of the bounds that are reached. */
void cn_event_watch_bounds(struct cn_event_scratch *scratch, bool had_impacts);

/* event_rows.c: the rows of a problem */

/* Poses and inverse masses at `motion`. */
void cn_event_place(struct cn_event_scratch *scratch, const struct cn_motion *motion);

/*
 * Appends the row of contact i, placed at `motion`, and the rows of its discs: of those whose bit
 * 1 << enum cn_disc is in `discs`, and that the contact has.  Forces are 0; the caller sets b.
 * Returns the index of the first row.
 */
#define CN_DISCS_ALL 7U
int cn_event_append_contact(struct cn_event_scratch *scratch, const struct cn_motion *motion, int i,
    unsigned discs);

/* Appends a joint's row with force 0; the caller sets b.  Returns its index. */
int cn_event_append_joint(struct cn_event_scratch *scratch, const struct cn_joint_row *joint);

/* Evaluates joint[] at `motion`, whose poses are placed. */
void cn_event_find_joints(struct cn_event_scratch *scratch, const struct cn_motion *motion);

/* Updates the stored positions of joints to the model's motion. */
void cn_event_follow_joints(struct cn_event_scratch *scratch);

/* Moves the present rows to `motion`, whose poses are placed, and fills slip[]. */
void cn_event_move_rows(struct cn_event_scratch *scratch, const struct cn_motion *motion);

/* The rate of row k at `motion`: of the gap, across the contact, or of the joint's row [m/s]. */
double cn_event_row_rate(
    const struct cn_event_scratch *scratch, const struct cn_motion *motion, int k);

/* Whether row k is the first of a disc; if so, *rows are all rows of the disc. */
bool cn_event_find_disc(
    const struct cn_event_scratch *scratch, int k, struct cn_disc_rows *rows);

/* The row whose mu is the disc's limit (contact_problem.h). */
static inline int
cn_disc_limit_row(const struct cn_disc_rows *rows)
{
    return rows->disc == CN_DISC_TANGENT ? rows->normal : rows->first;
}

/*
 * The entry of joint[] for row k; NULL for a contact's row, and for a joint that has no direction.
 */
const struct cn_joint_row *cn_event_joint_of(const struct cn_event_scratch *scratch, int k);

/* The distance to the nearest limit in stop[] at `motion`, whose poses are placed. */
double cn_event_stop_clearance(
    struct cn_event_scratch *scratch, const struct cn_motion *motion);

/*
 * Chooses the rows that hold: contacts and limits that touch and do not separate, joints, motors.
 * Decides which contacts slide.  Warm-starts their f.
 */
void cn_event_choose_rows(struct cn_event_scratch *scratch);

/* Stores the forces of the chosen rows as the next warm start. */
void cn_event_keep_forces(struct cn_event_scratch *scratch);

/* The rate of a disc at `motion`, as a vector [m/s or rad/s]. */
cn_vec3 cn_event_slip_velocity(const struct cn_event_scratch *scratch,
    const struct cn_motion *motion, const struct cn_disc_rows *rows);

/* event_energy.c: no step gains energy by its contacts and joints */

/*
 * The power of given forces on the bodies at `motion` [W], and the power of f[], of the last solve,
 * that kinematic bodies and motors give.
 */
double cn_event_power_given(struct cn_event_scratch *scratch, const struct cn_motion *motion);

/* Whether from start[] to trial[] bodies gain more than `work` [J] and the error of a step. */
bool cn_event_step_gains(struct cn_event_scratch *scratch, double work);

/* The kinetic energy of the bodies that move [J]. */
double cn_event_kinetic(const struct cn_model *model, const struct cn_motion *motion);

/*
 * The energy by which corrections may lift bodies in a piece of `duration`, besides the energy that
 * it has lost [J].
 */
double cn_event_lift_allowed(const struct cn_event_scratch *scratch, double duration);

/*
 * The limit for a coarse piece, which led from `start` to the model's motion in `duration`: moves
 * bodies back by the part of their corrections that gains energy.
 */
void cn_event_limit_coarse_lift(struct cn_model *model, struct cn_arena scratch,
    const struct cn_motion *start, double duration);
void cn_event_coarse_layout(struct cn_arena *scratch, const struct cn_model *model);

/* event_solve.c: asks the solver, and applies impulses */

/* Solves the problem in row[], b[], tag[] for f[] and response[]; updates note and work. */
void cn_event_solve(struct cn_event_scratch *scratch);

/*
 * The same for a problem of impulses with friction.  It has a solution; so if this solver reports
 * that there is no solution, other solvers are called.
 */
void cn_event_solve_impulses(struct cn_event_scratch *scratch);

/*
 * The same for a correction of drift, whose b are scaled to 1.  It needs fewer digits and less
 * work.
 */
void cn_event_solve_drift(struct cn_event_scratch *scratch);

/* Computes the note's residual and response[] from f[]. */
void cn_event_judge(struct cn_event_scratch *scratch);

/* Whether the judge rejects the last solve's forces, whatever the outcome. */
bool cn_event_has_no_forces(const struct cn_event_scratch *scratch);

/* response[] = inv(M) J' f */
void cn_event_respond(struct cn_event_scratch *scratch, const double *f);

/* If the last solve found no solution, reports the bodies that it separates least. */
void cn_event_note_squeezed(struct cn_event_scratch *scratch);

/* An event about the bodies of row k. */
void cn_event_note_at(const struct cn_event_scratch *scratch, int k, enum cn_event_kind kind,
    double value);

/* Adds response[] to the bodies' velocities, after a solve for impulses. */
void cn_event_push(struct cn_event_scratch *scratch);

/* Whether contacts may have discs at all. */
static inline bool
cn_event_has_discs(const struct cn_event_scratch *s)
{
    return s->tangent_count + s->moment_count > 0;
}

/* event_slip.c: the directions in which contacts slide */

/* Whether a disc slides, and does not rest. */
static inline bool
cn_event_slides(const struct cn_hold *hold)
{
    return cn_vec3_dot(hold->slip, hold->slip) > 0.0;
}

/* Fills mu[] and slip[] of the rows of discs: directions of sliding turn with the bodies. */
void cn_event_turn_slip(struct cn_event_scratch *scratch, const struct cn_motion *motion);

/* The distance to the end of sliding or resting of chosen contacts at `motion`, times 1 s [m]. */
double cn_event_slip_clearance(
    struct cn_event_scratch *scratch, const struct cn_motion *motion);

/* event_restitution.c: the impulses of one problem */

/*
 * Like cn_event_solve, for the impulses of an impact.  Bodies do not gain energy by friction and
 * restitution together.  If the solver finds no impulses with friction, the impact has no friction.
 */
void cn_event_solve_impact(struct cn_event_scratch *scratch);

/*
 * Reduces f[] and response[], the impulses of the last solve, as far as they gain kinetic energy
 * for bodies whose rows run at rate[row_count]: f rate + f A f / 2 <= 0.  A solution gains no
 * energy.
 */
void cn_event_take_gain(struct cn_event_scratch *scratch, const double *rate);

/* event_rates.c: the right-hand side, and views of it */

/* States the problem of the forces at `motion` for the chosen rows. */
void cn_event_state(struct cn_event_scratch *scratch, const struct cn_motion *motion);

/* Fills stage[number] at `motion` with contact forces that hold the chosen rows, and its power. */
void cn_event_rates(
    struct cn_event_scratch *scratch, const struct cn_motion *motion, int number);

/* Shows contacts, forces and the accelerations in stage[0] as the present instant. */
void cn_event_instant(struct cn_event_scratch *scratch, struct cn_instant *instant);

/* event_impact.c: the impulses of approaches */

/* Separates every touching pair that approaches, by the world's collision handling. */
void cn_event_impacts(struct cn_event_scratch *scratch);

/*
 * Adds the impulses of the last solve, f[], to those of the tick.  They are no impact, because
 * nothing approached.
 */
void cn_event_tell_impulses(struct cn_event_scratch *scratch);

/* event_search.c: the contacts that touch, and the time of the next one */

/*
 * Finds the pairs that may touch in a piece of at most `duration`, and the contacts that touch now.
 * Returns the longest duration, up to `duration`, in which nothing can pass through anything.  If
 * the tick's rest is not searched, that is `duration`.  Returns -1, with *room_needed set, if
 * contact_max is too small.
 */
double cn_event_search(struct cn_event_scratch *scratch, double duration, int *room_needed);

/* Whether trial[] stayed within the travel that the search allowed for. */
bool cn_event_within_travel(const struct cn_event_scratch *scratch);

/*
 * The smallest clearance at `motion` [m]; negative if something was hit, slid off, stopped or
 * slipped.  For contacts and joints' limits that no row holds, it is gap - level.  For contacts
 * that a row holds, it is the way to the end of the face.  For contacts with friction, it is the
 * way to the end of sliding or resting.  The result is at most a tenth of the smallest length,
 * because farther contacts are not searched.  Bases are 0 after a search.
 */
double cn_event_clearance(struct cn_event_scratch *scratch, const struct cn_motion *motion);

/*
 * The same at start[], and sets the bases there.  A pair whose clearance is not positive at start[]
 * counts as hit only when it gets worse, so the result is positive.
 */
double cn_event_clearance_base(struct cn_event_scratch *scratch);

/* event_friction.c: the onset of sliding, and jams */

/*
 * Computes the rates at start[].  Contacts at rest that friction does not hold begin to slide, and
 * the rates are computed again.  With may_jam: if no forces exist, velocities jump by an impulse,
 * rows are chosen again, and start[] is the state after it.  Returns false if there are no forces
 * after it either, or no such impulse.  Without may_jam, f[] and the rates are of that impulse as a
 * force that lasts a tick.
 */
bool cn_event_rates_at_start(struct cn_event_scratch *scratch, bool may_jam);

/* event_drift.c: the errors that integration leaves */

/* Corrects errors of rate and gap of the held rows, by the smallest motion. */
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
 * Takes a step of at most `h` whose error is within bounds, and returns its length.  Returns 0 if
 * bodies were quarantined instead.  Returns -1 if the tick's work is spent before a step is found,
 * or if the smallest step gains energy.  Every try is shorter than the one before.  The smallest
 * step is accepted whatever its error.
 */
double cn_event_controlled_step(struct cn_event_scratch *scratch, double h);

#endif
