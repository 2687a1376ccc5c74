/*
 * event.h: what the files of the stepper `event` share.  See event.c for the method.
 */
#ifndef ENGINE_STEP_EVENT_H
#define ENGINE_STEP_EVENT_H

#include "engine/collide/broadphase.h"
#include "engine/constraint/contact_rows.h"
#include "engine/constraint/force.h"
#include "engine/problem/contact_problem.h"
#include "engine/step/stepper.h"

/* Stages of the Runge-Kutta step, the one at its end included. */
#define STAGE_COUNT 5

/* A hit time is found when the gap is this near, in parts of the smallest length. */
#define HIT_FRACTION 1e-9

/* The right-hand side of the equations of motion for one body. */
struct cn_rate {
    cn_vec3 velocity, angular_velocity;
    cn_vec3 acceleration, angular_acceleration;
    cn_quat orientation; /* spatial: dq/dt [1/s] */
};

/* The scratch of one piece. Sizes: bodies, shapes, or contact_max. */
struct cn_event_scratch {
    struct cn_model *model;
    const struct cn_solver *solver;
    struct cn_arena solver_scratch; /* copied for every solve, so each starts at its beginning */
    int64_t *work;
    bool minimum_norm; /* of the forces that hold, find the least */
    struct cn_solve_note note; /* of the last solve */

    /* bodies */
    cn_pose *pose;
    struct cn_wrench *wrench;
    struct cn_mass_inverse *mass;
    struct cn_twist *free;     /* accelerations without contact forces */
    struct cn_twist *response; /* inv(M) J' f of the last solve */
    struct cn_rate *stage[STAGE_COUNT];
    struct cn_motion *start, *trial;
    double *travel; /* how far a point of the body may go before the pairs are stale [m] */

    /* shapes */
    cn_aabb *box;

    /* pairs that may touch during the piece */
    struct cn_pair *pair;
    double *pair_base; /* the pair's clearance at the start, where that is not positive [m] */
    int pair_count;

    /* contacts that touch at the start; the first row_count of `order` are held by rows */
    struct cn_contact *contact;
    double *level; /* the gap below which the contact counts as hit again [m] */
    double *edge;  /* the overhang beyond which a held contact has slid off its face [m] */
    double *impulse; /* of the impacts at this instant [N s] */
    bool *held;    /* held by a row: the solver answers for it, the search passes it over */
    int contact_count;

    /* rows of the present problem, one for each chosen contact */
    int *row_contact; /* index into contact[] */
    struct cn_row *row;
    double *b, *f;
    unsigned char *tag;
    int row_count;

    /* what cn_event_instant shows */
    double *contact_rate, *contact_force;
    struct cn_acceleration *acceleration;
};

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
 * The smallest (gap - level) over all contacts at `motion` that no row holds, or way to the end of
 * the face of one that a row does: negative when something was hit or slid off [m].  At most a
 * tenth of the smallest length: what is farther is not looked at.  Bases are 0 after a search.
 */
double cn_event_clearance(struct cn_event_scratch *scratch, const struct cn_motion *motion);

/*
 * The same at start[], which it makes the base: a pair whose clearance is not positive there counts
 * as hit only when it gets worse, so the result is positive.
 */
double cn_event_clearance_base(struct cn_event_scratch *scratch);

/* event_rates.c: the right-hand side */

/* Poses and inverse masses at `motion`. */
void cn_event_place(struct cn_event_scratch *scratch, const struct cn_motion *motion);

/* Chooses the contacts that rows hold: those that touch and do not part. Warm starts their f. */
void cn_event_choose_rows(struct cn_event_scratch *scratch);

/* Fills rate[] at `motion` with contact forces that hold the chosen rows. */
void cn_event_rates(struct cn_event_scratch *scratch, const struct cn_motion *motion,
    struct cn_rate *rate);

/* Shows contacts, forces and the accelerations in stage[0] as the present instant. */
void cn_event_instant(struct cn_event_scratch *scratch, struct cn_instant *instant);

/* Remembers the forces of the chosen rows as the next warm start. */
void cn_event_keep_forces(struct cn_event_scratch *scratch);

/* Solves the problem in row[], b[], tag[] for f[] and response[]; updates note and work. */
void cn_event_solve(struct cn_event_scratch *scratch);

/* Where the last solve found no solution: says so of the bodies that it parts the least. */
void cn_event_note_squeezed(struct cn_event_scratch *scratch);

/* Adds response[] to the bodies' velocities: the solve was one for impulses. */
void cn_event_push(struct cn_event_scratch *scratch);

/* event_impact.c: restitution */

/* Parts every touching pair that approaches, by the world's collision handling. */
void cn_event_impacts(struct cn_event_scratch *scratch);

/* event_drift.c: what integration leaves over */

/* Takes approach velocity and penetration out of the held contacts, at the smallest motion. */
void cn_event_correct_drift(struct cn_event_scratch *scratch, double duration);

#endif
