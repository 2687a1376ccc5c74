/*
 * world.h: a world: made from a definition, changed by commands, stepped tick by tick, read.
 *
 * Ownership: arrays that functions return belong to the world and hold until the next call that
 * steps, commands, reads an image into, or destroys it.
 */
#ifndef ENGINE_WORLD_WORLD_H
#define ENGINE_WORLD_WORLD_H

#include "engine/base/profile.h"
#include "engine/base/task.h"
#include "engine/solve/solver.h"
#include "engine/step/stepper.h"
#include "engine/world/command.h"
#include "engine/world/world_def.h"

#include <stddef.h>
#include <stdint.h>

struct cn_world;

CN_MUST_USE enum cn_status cn_world_create(
    const struct cn_world_def *def, struct cn_defect *defect, struct cn_world **world);
void cn_world_destroy(struct cn_world *world);

/* ---- stepping ---- */

#define CN_WORK_UNLIMITED INT64_MAX

enum cn_step_result {
    CN_STEP_DONE, /* the tick is complete: tick number and time have moved on */
    CN_STEP_MORE, /* the budget ran out first; call again, the result is the same bits */
    CN_STEP_MEMORY, /* there is no memory to go on.  The tick is not done and nothing of it is
                     * lost: call again when there may be some, the result is the same bits */
};

/* Advances by one tick, spending about `work` units (1 ns or so each, counted, not measured). */
enum cn_step_result cn_world_step(struct cn_world *world, int64_t work);

/* Memory that ticks work in and leave nothing in; it grows as they need. */
struct cn_scratch {
    void *memory;
    size_t size;
};
void cn_scratch_finish(struct cn_scratch *scratch);

/* What a world works with; the bits depend on none of it. */
struct cn_world_tools {
    const char *simd;           /* instruction set of the production solver; NULL: the best */
    struct cn_crew *crew;       /* NULL: the caller alone; borrowed until another is given */
    struct cn_profile *profile; /* NULL: nobody measures; borrowed */
    struct cn_scratch *scratch; /* of worlds that one thread steps; NULL: its own. Borrowed */
};

/* CN_UNKNOWN, naming those that this processor runs, when `simd` is not one of them. */
CN_MUST_USE enum cn_status cn_simd_check(const char *simd, struct cn_defect *defect);

/* Refuses as cn_simd_check does. */
CN_MUST_USE enum cn_status cn_world_use(
    struct cn_world *world, const struct cn_world_tools *tools, struct cn_defect *defect);

/* Of the last tick of a world whose solver is of the kind BODIES; else zeros. */
struct cn_world_counts {
    int awake_count;    /* bodies that moved */
    int pair_count;     /* of shapes that were near */
    int touching_count; /* of them, those that touched */
    int color_count, overflow_count;
    int sample_count;   /* points of meshes and their neighbours that were looked up */
    int repeat_count;   /* how often meshes were met in vain since the world was made: there was no
                         * room for what was found */
    size_t size;        /* bytes of the world, all told */
};
struct cn_world_counts cn_world_count(const struct cn_world *world);

/* Whether a tick is begun and not done. Commands wait until it is done. */
bool cn_world_is_mid_tick(const struct cn_world *world);

/* ---- the past ---- */

/*
 * Remembers where bodies were after each of the last `ticks` ticks, up to CN_REWIND_TICKS_MAX, from
 * now on; then queries may name one of them (query.h).  0, as a world begins: nothing is kept.
 * What is remembered is no state: it is in no image and no hash, and changes no bit of what comes.
 */
CN_MUST_USE enum cn_status cn_world_remember(
    struct cn_world *world, int ticks, struct cn_defect *defect);

/* The ticks that a query may name: from `first` to the present one; none when it is above that. */
struct cn_world_past {
    uint64_t first;
    size_t size; /* bytes that it takes */
};
struct cn_world_past cn_world_past(const struct cn_world *world);

/* ---- commands ---- */

/* Refuses a command that can not be applied; names field, value and limit. Changes nothing. */
CN_MUST_USE enum cn_status cn_world_command_check(const struct cn_world *world,
    const struct cn_command *command, struct cn_defect *defect);

/* Applies a command between ticks. Checks it first; refused commands change nothing. */
CN_MUST_USE enum cn_status cn_world_command_apply(struct cn_world *world,
    const struct cn_command *command, struct cn_defect *defect);

/*
 * The same in one call, for what is made and removed often.  *body and *joint are the slots taken,
 * that of a body also told beforehand by the last; they may be NULL.
 */
CN_MUST_USE enum cn_status cn_world_make_body(struct cn_world *world,
    const struct cn_body_def *def, struct cn_defect *defect, int *body);
CN_MUST_USE enum cn_status cn_world_make_joint(struct cn_world *world,
    const struct cn_joint_def *def, struct cn_defect *defect, int *joint);
CN_MUST_USE enum cn_status cn_world_remove_body(
    struct cn_world *world, int body, struct cn_defect *defect);
CN_MUST_USE enum cn_status cn_world_remove_joint(
    struct cn_world *world, int joint, struct cn_defect *defect);
int cn_world_body_slot(const struct cn_world *world);

const char *cn_command_name(enum cn_command_kind kind);
const char *cn_command_text(enum cn_command_kind kind);

/* ---- reading ---- */

uint64_t cn_world_tick(const struct cn_world *world); /* ticks done since creation */
double cn_world_time(const struct cn_world *world);   /* simulated seconds since creation */
double cn_world_tick_rate(const struct cn_world *world);
const struct cn_settings *cn_world_settings(const struct cn_world *world);
double cn_world_restitution(const struct cn_world *world); /* of material 0 */

/* Penetration that a contact may show, and reach within which it counts as touching [m]. */
double cn_world_gap_tolerance(const struct cn_world *world);

struct cn_body_view {
    enum cn_body_type type;
    double mass;              /* kg; of what can not move: as given, or 0 */
    double inertia;           /* planar, about the centre of mass [kg m^2] */
    cn_mat33 inertia_tensor;  /* about the centre of mass, body axes; planar: zz alone [kg m^2] */
    cn_vec3 position;         /* of the body's frame [m] */
    double angle;             /* planar [rad], not wrapped; spatial: 0 */
    cn_quat orientation;      /* of unit length */
    cn_vec3 center;           /* of mass, world [m] */
    cn_vec3 velocity;         /* of the centre of mass [m/s] */
    cn_vec3 angular_velocity; /* rad/s */
    bool has_acceleration;    /* false: not known, since the solver works on bodies; zeros */
    cn_vec3 acceleration;     /* of the centre of mass, with contact forces [m/s^2] */
    cn_vec3 angular_acceleration;
    bool quarantined; /* had run away (CN_MOTION_MAX), and is held fixed until it is placed */
    bool absent;      /* the slot has no body */
    uint32_t generation; /* of the slot: bodies that had it before */
    int32_t island;   /* it sleeps in; -1: awake */
};

/* Slots of bodies, absent ones included. */
int cn_world_body_count(const struct cn_world *world);

/* Bodies that there are: the slots without the absent ones. */
int cn_world_present_count(const struct cn_world *world);
void cn_world_body_view(const struct cn_world *world, int body, struct cn_body_view *view);

/* Where a body is, alone: what is read of every body after every tick. */
struct cn_body_place {
    cn_vec3 position;    /* of the body's frame [m] */
    double angle;        /* planar [rad], not wrapped */
    cn_quat orientation; /* spatial, of unit length */
    bool is_static, is_asleep;
};

/* The places of bodies [first, first + count). */
void cn_world_body_places(
    const struct cn_world *world, int first, int count, struct cn_body_place *places);

struct cn_contact_view {
    int32_t body_a, body_b;
    uint64_t id;     /* shape pair and features: stable while they stay the same */
    cn_vec3 point;   /* world [m] */
    cn_vec3 normal;  /* unit, from A to B */
    double gap;      /* m */
    double velocity; /* of the gap, > 0 parting [m/s] */
    double force;    /* along the normal [N], at the present instant */
    cn_vec3 friction; /* N */
    double impulse;  /* of the impacts of the last tick [N s] */
};

/* Contacts that touch now (gap at most the tolerance) or had an impact in the last tick. */
int cn_world_contacts(const struct cn_world *world, const struct cn_contact_view **contacts);

struct cn_joint_view {
    enum cn_joint_kind kind;
    int32_t body_a, body_b;   /* -1: the world */
    cn_vec3 point_a, point_b; /* anchors, world; of a track the foot on its curve [m] */
    cn_vec3 force;            /* on B at point_b, at the end of the last tick [N] */
    cn_vec3 torque;           /* on B beside that force, a motor's too [N m] */
    double gap;               /* largest error of what it holds [m or rad] */
    bool has_coordinate;      /* an axis, a length or a way is free */
    double coordinate;        /* from the start [rad or m]; of rods, ropes the length; track: 0 */
    double rate;              /* rad/s or m/s */
    double motor;             /* what its motor does along that [N m or N] */
    bool absent;              /* the slot has no joint */
    uint32_t generation;
};

/*
 * How many cn_world_contacts gives, without finding them where that costs: what a command put to
 * sleep while it moved counts as it touched before, until somebody looks.
 */
int cn_world_contact_count(const struct cn_world *world);

/* Slots of joints, absent ones included. */
int cn_world_joint_count(const struct cn_world *world);
void cn_world_joint_view(const struct cn_world *world, int joint, struct cn_joint_view *view);

/* Inputs that are held, ascending by (source, slot). */
int cn_world_held(const struct cn_world *world, const struct cn_held **held);

/* Whether there is such an actuator, and the body that it is a thruster of; -1: a joint's motor. */
bool cn_world_has_actuator(const struct cn_world *world, int actuator);
int cn_world_actuator_body(const struct cn_world *world, int actuator);

struct cn_energy {
    double kinetic;   /* J */
    double potential; /* J: gravity (0 at y = 0), springs, held drags */
    double total;
};
struct cn_energy cn_world_energy(const struct cn_world *world);

/* What a watch for motion without cause needs, without a view: of the bodies that are DYNAMIC. */
struct cn_world_motion {
    double kinetic; /* of their centres of mass [J] */
    double mass;    /* kg */
    int fastest;    /* the body with the most of it; -1: none moves */
    bool has_store; /* springs, joints or masses that attract may turn into motion */
    bool has_drive; /* so may motors, bodies and surfaces that move by themselves */
};
struct cn_world_motion cn_world_motion(const struct cn_world *world);

/*
 * Marks with 1 the DYNAMIC bodies that `body` is connected to by contacts, joints and springs, and
 * itself; `mark` and `parent` hold a place for each body.  How many.
 */
int cn_world_connected(
    const struct cn_world *world, int body, unsigned char *mark, int32_t *parent);

/* How the last solve went: the one whose forces cn_world_contacts shows. */
struct cn_solve_summary {
    enum cn_solve_outcome outcome;
    bool is_judged;  /* false: the solver works on bodies, no problem was stated; residual is 0 */
    double residual; /* scaled, by the one judge; the worst island */
    int iteration_count;
    int row_count;
    struct cn_heuristic_counts heuristic; /* zero but of a solver that guesses */
};
struct cn_solve_summary cn_world_solve_summary(const struct cn_world *world);

/* What happened in the last tick, in order. */
int cn_world_events(const struct cn_world *world, const struct cn_event **events);

/* Events of the last tick that did not fit the ring. */
int cn_world_events_dropped(const struct cn_world *world);

#endif
