/*
 * stepper.h: the interface of every stepper.
 *
 * A stepper advances a model by one tick in pieces.  At the end of a piece the whole state is in
 * persistent fields, so a step may stop there and continue later with the same bits.  A stepper
 * owns nothing: its memory is the scratch it is given, laid out by one function that also measures.
 *
 * To add one: write engine/step/<name>.c, name it in stepper_table.h and in engine/step/local.mk.
 */
#ifndef ENGINE_STEP_STEPPER_H
#define ENGINE_STEP_STEPPER_H

#include "engine/collide/exact/manifold.h"
#include "engine/model/model.h"
#include "engine/solve/solver.h"

struct cn_pipeline;
struct cn_pipeline_tools;

enum cn_advance {
    CN_ADVANCE_PIECE, /* a piece is done, the tick is not */
    CN_ADVANCE_TICK,  /* the tick is done */
    CN_ADVANCE_ROOM,  /* nothing was changed: contact_max must grow to at least room_needed, or
                         the pipeline needs the memory that it asks for */
};

/* The data that a call works on. */
struct cn_step_context {
    struct cn_model *model;
    const struct cn_solver *solver;
    struct cn_arena scratch; /* used from its start by every call */
    struct cn_pipeline *pipeline;           /* of a solver of the kind BODIES; else NULL */
    const struct cn_pipeline_tools *tools;
    int64_t work;            /* counts up by the operations spent, about 1 ns each */
    int room_needed;         /* set with CN_ADVANCE_ROOM */
};

/* Accelerations of one body, contact forces included. */
struct cn_acceleration {
    cn_vec3 linear;  /* of the centre of mass [m/s^2] */
    cn_vec3 angular; /* rad/s^2 */
};

/* The force of one row of a joint. */
struct cn_joint_force {
    uint64_t id;  /* cn_joint_id */
    double force; /* N or N m */
};

/* The forces and accelerations at the present state; arrays lie in the scratch. */
struct cn_instant {
    int contact_count;
    const struct cn_contact *contact;           /* that touch */
    const double *rate;                         /* of each gap [m/s] */
    const double *force;                        /* along each normal [N] */
    const cn_vec3 *friction;                    /* tangential, on B [N]; NULL: no friction */
    const cn_vec3 *moment;        /* against rolling and spinning, on B [N m]; NULL: none */
    const struct cn_acceleration *acceleration; /* of each body */
    int joint_count;              /* rows of joints; NULL: forces of the last step */
    const struct cn_joint_force *joint;
    struct cn_solve_note note;
};

#define CN_STEPS(kind) (1U << (kind)) /* the bit of one enum cn_solver_kind in solver_kinds */

struct cn_stepper {
    const char *name; /* stable: appears in scenes, on the wire and in golden file names */
    const char *cite;
    const char *text; /* one line of description */
    bool planar, spatial; /* the dimensions that it supports */
    unsigned solver_kinds; /* solver kinds that it works with: sums of CN_STEPS */

    /* Lays out the scratch for the model's counts and contact_max, the solver's included. */
    void (*layout)(struct cn_arena *scratch, const struct cn_model *model,
        const struct cn_solver *solver);

    enum cn_advance (*advance)(struct cn_step_context *context);

    /* Changes only caches.  Returns CN_ADVANCE_TICK, or CN_ADVANCE_ROOM. */
    enum cn_advance (*evaluate)(struct cn_step_context *context, struct cn_instant *instant);

    /* The speed below which impacts have no restitution now [m/s]; NULL: impacts never have any. */
    double (*resting_velocity)(const struct cn_model *model, const struct cn_solver *solver);

    /* Reports the ends of a body's contacts before the body goes; NULL: nothing to report. */
    void (*tell_ends)(struct cn_model *model, int body);
};

/* NULL when no stepper has that name. */
const struct cn_stepper *cn_stepper_find(const char *name);

/* Whether this stepper can work with this solver. */
bool cn_stepper_fits(const struct cn_stepper *stepper, const struct cn_solver *solver);

/* The table, in order; stepper_count entries. */
extern const struct cn_stepper *const cn_steppers[];
extern const int cn_stepper_count;

#endif
