/*
 * world.h: a world: made from a definition, changed by commands, stepped tick by tick, and read.
 *
 * Ownership: arrays that functions return belong to the world and are valid until the next call
 * that steps, commands, reads an image into, or destroys it.
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
    CN_STEP_MORE, /* the budget ran out: call again; the result has the same bits */
    CN_STEP_MEMORY, /* there is no memory to continue.  The tick is not done, but nothing of it is
                       lost: call again when there may be memory; the result has the same bits.  If
                       no piece is done, the world is not in mid tick: commands may make it smaller,
                       or its method cheaper */
};

/*
 * Advances by one tick, spending about `work` units (about 1 ns each, counted, not measured).  A
 * tick may be stopped anywhere, also in the middle of a solve.  Until it is done, only the number
 * and the time of the tick are cheap to read; reading anything else first finishes the piece that
 * was begun.
 */
enum cn_step_result cn_world_step(struct cn_world *world, int64_t work);

/*
 * Computes what readers of contacts, contact forces or accelerations need, as far as `work` allows.
 * Once it returns DONE, reading is cheap until the world changes.  Without this call the first read
 * does all of it at once.  The state of the world does not change.
 */
enum cn_step_result cn_world_look(struct cn_world *world, int64_t work);

/* Whether such reads are cheap now: cn_world_look has returned DONE, or is not needed. */
bool cn_world_is_looked_at(const struct cn_world *world);

struct cn_account; /* engine/base/account.h */
struct cn_fiber;

/* Working memory of ticks, empty between them; it grows when ticks need more. */
struct cn_scratch {
    void *memory;
    size_t size;
    struct cn_fiber *idle; /* stacks for steps that run in slices */
};
void cn_scratch_finish(struct cn_scratch *scratch);

/* Frees memory beyond `size` bytes; later ticks allocate it again if they need it. */
void cn_scratch_shrink(struct cn_scratch *scratch, size_t size);

/* The tools that a world works with; they do not change the bits. */
struct cn_world_tools {
    const char *simd;           /* instruction set of the production solver; NULL: the best
                                   available */
    struct cn_crew *crew;       /* NULL: only the caller's thread; borrowed until another is
                                   given */
    struct cn_profile *profile; /* NULL: no profile; borrowed */
    struct cn_scratch *scratch; /* shared by the worlds of one thread; NULL: its own.  Borrowed */
    size_t memory_max; /* bytes that the world may use here; 0: only its own memory_max applies */
    struct cn_account *account; /* of the memory of all worlds; NULL: no account.  Borrowed */
};

/* CN_UNKNOWN when `simd` is not an instruction set of this processor; the text names those. */
CN_MUST_USE enum cn_status cn_simd_check(const char *simd, struct cn_defect *defect);

/*
 * Sets the world's tools.  Refuses an unknown instruction set, as cn_simd_check does.  Refuses with
 * CN_MEMORY if the world needs more memory than it may have.
 */
CN_MUST_USE enum cn_status cn_world_use(
    struct cn_world *world, const struct cn_world_tools *tools, struct cn_defect *defect);

/* Counts of the last tick of a world whose solver is of the kind BODIES; else zeros. */
struct cn_world_counts {
    int awake_count;    /* bodies that moved */
    int pair_count;     /* of shapes that were near */
    int touching_count; /* of these, pairs that touched */
    int color_count, overflow_count;
    int sample_count;   /* points of meshes that were looked up, with their neighbours */
    int repeat_count;   /* mesh pairs tested again since the world was made, because their
                           contacts found no room */
    size_t size;        /* bytes of the whole world */
};
struct cn_world_counts cn_world_count(const struct cn_world *world);

/* Whether a tick is begun and not done.  Commands must wait until it is done. */
bool cn_world_is_mid_tick(const struct cn_world *world);

/* ---- the past ---- */

/*
 * Remembers the poses of bodies after each of the last `ticks` ticks, up to CN_REWIND_TICKS_MAX,
 * from now on.  Queries may then name one of these ticks (query.h).  The default of 0 remembers no
 * tick.  The history is not state: it is in no image and no hash, and changes no later bit.
 */
CN_MUST_USE enum cn_status cn_world_remember(
    struct cn_world *world, int ticks, struct cn_defect *defect);

/*
 * The ticks that a query may name: from `first` to the present one.  If `first` is above the
 * present one, no tick may be named.
 */
struct cn_world_past {
    uint64_t first;
    size_t size; /* bytes of the history */
};
struct cn_world_past cn_world_past(const struct cn_world *world);

/* ---- commands ---- */

/* Refuses a command that can not be applied; names field, value and limit.  Changes nothing. */
CN_MUST_USE enum cn_status cn_world_command_check(const struct cn_world *world,
    const struct cn_command *command, struct cn_defect *defect);

/*
 * Checks a command that makes and removes nothing, and gets the memory that it needs, so that
 * applying it can not fail while the body's type stays.  Lets several commands be applied as one.
 */
CN_MUST_USE enum cn_status cn_world_command_prepare(
    struct cn_world *world, const struct cn_command *command, struct cn_defect *defect);

/* Applies a command between ticks. Checks it first; refused commands change nothing. */
CN_MUST_USE enum cn_status cn_world_command_apply(struct cn_world *world,
    const struct cn_command *command, struct cn_defect *defect);

/*
 * These make and remove in one call each, for callers that do so often.  *body and *joint are set
 * to the slots taken; these pointers may be NULL.  cn_world_body_slot tells the body's slot in
 * advance.
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

/*
 * Completes an input that a session sent.  An input that is held belongs to `source` and ends
 * `hold_ticks` after `tick` (0: when it is released).  A release concerns an input of the same
 * source.
 */
void cn_command_set_source(
    struct cn_command *command, uint64_t source, uint64_t tick, uint64_t hold_ticks);

const char *cn_command_name(enum cn_command_kind kind);
const char *cn_command_text(enum cn_command_kind kind);

/* ---- reading ---- */

uint64_t cn_world_tick(const struct cn_world *world); /* ticks done since creation */
double cn_world_time(const struct cn_world *world);   /* simulated seconds since creation */
double cn_world_tick_rate(const struct cn_world *world);
const struct cn_settings *cn_world_settings(const struct cn_world *world);
double cn_world_restitution(const struct cn_world *world);

/* The speed below which impacts have no restitution: the scene's, else the stepper's own [m/s]. */
double cn_world_resting_velocity(const struct cn_world *world); /* of material 0 */

/*
 * The penetration that a contact may show, and the distance within which it counts as touching [m].
 */
double cn_world_gap_tolerance(const struct cn_world *world);

struct cn_body_view {
    enum cn_body_type type;
    double mass;              /* kg; of a body that can not move: as given, or 0 */
    double inertia;           /* planar, about the centre of mass [kg m^2] */
    cn_mat33 inertia_tensor;  /* about the centre of mass, body axes; planar: zz alone [kg m^2] */
    cn_vec3 position;         /* of the body's frame [m] */
    double angle;             /* planar [rad], not wrapped; spatial: 0 */
    cn_quat orientation;      /* of unit length */
    cn_vec3 center;           /* of mass, world [m] */
    cn_vec3 velocity;         /* of the centre of mass [m/s] */
    cn_vec3 angular_velocity; /* rad/s */
    bool has_acceleration;    /* false: unknown, since the solver works on bodies; then zeros */
    cn_vec3 acceleration;     /* of the centre of mass, with contact forces [m/s^2] */
    cn_vec3 angular_acceleration;
    bool quarantined; /* it ran away (CN_MOTION_MAX), and is held fixed until it is placed */
    bool absent;      /* the slot has no body */
    uint32_t generation; /* of the slot: the number of earlier bodies in it */
    int32_t island;   /* in which it sleeps; -1: awake */
};

/* Slots of bodies, absent ones included. */
int cn_world_body_count(const struct cn_world *world);

/* The number of bodies: the slots without the absent ones. */
int cn_world_present_count(const struct cn_world *world);
void cn_world_body_view(const struct cn_world *world, int body, struct cn_body_view *view);

/* The same without accelerations, which may be expensive to find. */
void cn_world_body_state(const struct cn_world *world, int body, struct cn_body_view *view);

/* Only the pose of a body: it is read for every body after every tick. */
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
    double velocity; /* of the gap, > 0 separating [m/s] */
    double force;    /* along the normal [N], at the present instant */
    cn_vec3 friction; /* N */
    cn_vec3 moment;  /* against rolling and spinning, on B [N m]; solvers of problems only */
    double impulse;  /* of the impacts of the last tick [N s] */
};

/* Contacts that touch now (gap at most the tolerance) or had an impact in the last tick. */
int cn_world_contacts(const struct cn_world *world, const struct cn_contact_view **contacts);

struct cn_joint_view {
    enum cn_joint_kind kind;
    int32_t body_a, body_b;   /* -1: the world */
    cn_vec3 point_a, point_b; /* anchors, world; of a track the foot on its curve [m] */
    cn_vec3 force;            /* on B at point_b [N] */
    cn_vec3 torque;           /* on B beside that force, a motor's too [N m] */
    double gap;               /* largest error of the rows that hold [m or rad] */
    bool has_coordinate;      /* one coordinate is free: an axis, a length or a track */
    double coordinate;        /* from the start [rad or m]; of rods, ropes the length; track: 0 */
    double rate;              /* rad/s or m/s */
    double motor;             /* its motor's torque or force [N m or N] */
    bool absent;              /* the slot has no joint */
    uint32_t generation;
};

/*
 * The length of cn_world_contacts, without finding the contacts where that would be expensive.  If
 * a command put moving bodies to sleep, they count as touching as before, until the contacts are
 * read.
 */
int cn_world_contact_count(const struct cn_world *world);

/* Slots of joints, absent ones included. */
int cn_world_joint_count(const struct cn_world *world);
void cn_world_joint_view(const struct cn_world *world, int joint, struct cn_joint_view *view);

/*
 * cn_world_joint_view gives forces at the present instant, like those of contacts.  With a
 * production solver or the stepper `propagation` it gives those of the last tick.
 * cn_world_joint_state gives the forces of the last tick's last solve, and solves nothing.
 */
void cn_world_joint_state(const struct cn_world *world, int joint, struct cn_joint_view *view);

/* Held inputs, ascending by (source, slot). */
int cn_world_held(const struct cn_world *world, const struct cn_held **held);

/*
 * Attributes, ascending (engine/model/attribute.h); one of them, NULL if it does not exist.  The
 * version grows when they change; it is no state.
 */
int cn_world_attributes(const struct cn_world *world, const struct cn_attribute **attributes);
const struct cn_attribute *cn_world_attribute(
    const struct cn_world *world, struct cn_owner owner, const char *name);
uint64_t cn_world_attribute_version(const struct cn_world *world);

/* Whether the actuator exists; the body of the thruster, or -1 for a joint's motor. */
bool cn_world_has_actuator(const struct cn_world *world, int actuator);
int cn_world_actuator_body(const struct cn_world *world, int actuator);

struct cn_energy {
    double kinetic;   /* J */
    double potential; /* J: gravity (0 at y = 0), springs, held drags, constant forces with the
                       * world's axes (0 at the origin) */
    double total;
};
struct cn_energy cn_world_energy(const struct cn_world *world);

/* The data that a check for motion without cause needs, without a view; of DYNAMIC bodies. */
struct cn_world_motion {
    double kinetic; /* of their centres of mass [J] */
    double mass;    /* kg */
    int fastest;    /* the body with the most kinetic energy; -1: none moves */
    bool has_store; /* springs, joints or mutual gravity may turn into motion */
    bool has_drive; /* motors, constant forces, driven bodies or surfaces may add energy */
};
struct cn_world_motion cn_world_motion(const struct cn_world *world);

/*
 * Marks with 1 `body` and the DYNAMIC bodies connected to it by contacts, joints and springs;
 * `mark` and `parent` have an entry for each body.  Returns their number.
 */
int cn_world_connected(
    const struct cn_world *world, int body, unsigned char *mark, int32_t *parent);

/* The outcome of the last solve: the one whose forces cn_world_contacts shows. */
struct cn_solve_summary {
    enum cn_solve_outcome outcome;
    bool is_judged;  /* false: the solver works on bodies, no residual is measured, and it is 0 */
    double residual; /* scaled (problem/contact_problem.h); that of the worst island */
    int iteration_count;
    int row_count;
    struct cn_heuristic_counts heuristic; /* zero except for a solver that predicts */
};
struct cn_solve_summary cn_world_solve_summary(const struct cn_world *world);

/* The events of the last tick, in order. */
int cn_world_events(const struct cn_world *world, const struct cn_event **events);

/* The number of events of the last tick that found no room. */
int cn_world_events_dropped(const struct cn_world *world);

/*
 * Those of the last tick itself, without events of commands before it: an engine that was restored
 * between the two has the same.
 */
int cn_world_events_own(const struct cn_world *world, const struct cn_event **events);

/*
 * Rules act after a tick and before its events are shown: adds an event of theirs, and adds all
 * events since the tick's end to those of the tick.
 */
void cn_world_events_note(struct cn_world *world, const struct cn_event *event);
void cn_world_events_close(struct cn_world *world);

#endif
