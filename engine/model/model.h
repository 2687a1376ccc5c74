/*
 * model.h: the data of a world, which every floor above reads and writes.
 *
 * State that persists from tick to tick (motions, settings, held inputs, warm starts, clocks) is
 * listed again in engine/state/fields.h, which defines image and hash.  Results of the last tick
 * (events, impulses) are output.  Data derived within a step is in the stepper's scratch memory.
 *
 * Bodies, shapes and joints stand in columns of slots.  New ones take the lowest free slots (the
 * shapes of a body stand side by side).  Removal leaves an absent slot, and the slot's generation
 * grows.  A slot is an identity: nothing moves to another slot.  Counts are of slots, absent ones
 * included.  engine/model/life.h says how a stepper that keeps data by slot learns of changes.
 *
 * Invariants: 1. Slots below a column's count are within its capacity; an absent slot holds a body
 * without mass.  2. The bodies of a sleeping island are one ring, which begins at the lowest of
 * them.  3. A joint's end is in the list of its body, once, and neighbours in a list name each
 * other.  4. asleep_count, sensor_count, one_way_count and joint_live are the numbers of what they
 * count.  5. A DYNAMIC body has a mass above 0.
 *
 * Ownership: the model owns no memory.  engine/world lays it out in blocks (cn_model_layout_*), and
 * replaces the columns by larger ones between ticks.
 */
#ifndef ENGINE_MODEL_MODEL_H
#define ENGINE_MODEL_MODEL_H

#include "engine/base/arena.h"
#include "engine/base/limits.h"
#include "engine/base/slots.h"
#include "engine/curve/curve.h"
#include "engine/math/pose.h"
#include "engine/math/quat.h"
#include "engine/model/attribute.h"
#include "engine/model/event.h"
#include "engine/model/held.h"
#include "engine/model/joint.h"
#include "engine/model/move.h"
#include "engine/shape/shape.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CN_NAME_SIZE 32 /* of a solver or stepper, terminating zero included */

enum cn_body_type { CN_DYNAMIC, CN_STATIC, CN_KINEMATIC };

/*
 * Directions of the world in which a body does not move, and body axes about which it does not
 * turn; in the plane only X, Y and ANGULAR_Z apply.
 */
enum cn_lock {
    CN_LOCK_LINEAR_X = 1,
    CN_LOCK_LINEAR_Y = 2,
    CN_LOCK_LINEAR_Z = 4,
    CN_LOCK_ANGULAR_X = 8,
    CN_LOCK_ANGULAR_Y = 16,
    CN_LOCK_ANGULAR_Z = 32,
};
#define CN_LOCK_LINEAR 7
#define CN_LOCK_ANGULAR 56
#define CN_LOCK_ALL 63

/*
 * How touching bodies that approach are separated (Baraff 1989, section 8).
 *     SIMULTANEOUS  all at once: v+ >= -e v-, complementary to the impulses
 *     SERIAL        one contact after the other, the fastest approach first, until none approaches
 *     HYBRID        one pair of shapes after the other, both its contacts at once
 */
enum cn_collision_handling { CN_COLLISION_SIMULTANEOUS, CN_COLLISION_SERIAL, CN_COLLISION_HYBRID };
#define CN_COLLISION_COUNT 3

/* How the coefficients of two materials combine for a contact. */
enum cn_combine { CN_COMBINE_MIN, CN_COMBINE_MAX, CN_COMBINE_AVERAGE, CN_COMBINE_MULTIPLY };

/*
 * Parameters of the stepper `propagation` (step/propagation/propagation.h): member, its name in
 * scenes, least, most, default, meaning.  The stepper `position` (step/march/position.c) also reads
 * `literal`.
 */
#define CN_PROPAGATION_TABLE(X)                                                                    \
    X(collision_iterations, "collisionIterations", 0, 1000, 5, "of the collision phase")           \
    X(contact_iterations, "contactIterations", 0, 1000, 10, "of the contact phase")                \
    X(contact_sweeps, "contactSweeps", 1, 1000, 4, "over a level in each of those")                \
    X(shock_passes, "shockPasses", 0, 1000, 1, "of shock propagation")                             \
    X(literal, "literal", 0, 1, 0, "1: exactly as the paper says, without the guards")             \
    X(shuffle, "shuffle", 0, 1000000, 0, "for the order that pairs are shuffled into")

struct cn_propagation_settings {
#define X(member, name, least, most, usual, text) int32_t member;
    CN_PROPAGATION_TABLE(X)
#undef X
};

/* Settings that may change while a world runs. */
struct cn_settings {
    enum cn_dimension dimension; /* fixed at creation */
    cn_vec3 gravity;             /* m/s^2 */
    double damping_linear;       /* N s/m:  force = -damping velocity */
    double damping_angular;      /* N m s:  torque = -damping angular velocity */
    double gravitation;          /* G of mutual gravity [N m^2/kg^2]; 0: off */
    double time_rate;            /* a tick lasts time_rate / tick_rate simulated seconds */
    enum cn_collision_handling collision;
    enum cn_combine combine_restitution;
    enum cn_combine combine_friction;
    bool minimum_norm; /* report, of all contact forces that solve the problem, those of least
                          sum of squares */
    int32_t substeps;  /* of a tick, where the solver is of the kind BODIES */
    bool sleep;        /* islands at rest are not simulated, where the solver is of that kind */
    struct cn_propagation_settings propagation;
    bool has_resting_velocity; /* false: the stepper's own is used */
    double resting_velocity;   /* slower approaches have no restitution [m/s] */
    char stepper[CN_NAME_SIZE];
    char solver[CN_NAME_SIZE];
};

struct cn_material {
    double friction, static_friction, restitution, rolling_friction, spinning_friction;
    cn_vec3 surface_velocity; /* of the surface against its body, body axes [m/s]; planar: x is the
                               * speed along the tangent */
};

/* Which values a pair of materials has of its own. */
enum cn_pair_value {
    CN_PAIR_FRICTION = 1,
    CN_PAIR_STATIC_FRICTION = 2, /* only with CN_PAIR_FRICTION */
    CN_PAIR_RESTITUTION = 4,
    CN_PAIR_ROLLING = 8,
    CN_PAIR_SPINNING = 16,
    CN_PAIR_SURFACE = 32, /* only if the two materials differ */
    CN_PAIR_IGNORE = 64,  /* shapes of the two do not touch; alone */
};

/*
 * Two materials whose contacts have values of their own, instead of those that are combined.  The
 * definition fixes them.  surface_velocity is that of a's surface, in place of both materials'.
 */
struct cn_material_pair {
    int32_t a, b;
    uint32_t has; /* enum cn_pair_value */
    double friction, static_friction, restitution, rolling_friction, spinning_friction;
    cn_vec3 surface_velocity; /* as in struct cn_material */
};

/*
 * A one-way shape and another one that is near it, a < b.  Passes: they do not touch until they
 * have parted (engine/step/one_way.h).
 */
struct cn_passage {
    int32_t a, b;
    bool passes;
};

/* The position and velocity of a body: the state that the equations of motion integrate. */
struct cn_motion {
    cn_vec3 position;         /* of the centre of mass [m] */
    cn_quat orientation;      /* of unit length; planar: follows from angle */
    double angle;             /* planar [rad], not wrapped; spatial: 0 */
    cn_vec3 velocity;         /* of the centre of mass [m/s] */
    cn_vec3 angular_velocity; /* rad/s */
};

/*
 * Data of a body that does not change in a step.  A slot without a body is absent: STATIC, at rest,
 * without mass and without shapes, so that loops over bodies need no test for it.  The second
 * cache line has all data that every tick reads.  Of inertia_inverse that line has cz.z, the only
 * number that planar worlds read.
 */
struct cn_body {
    _Alignas(64) cn_mat33 inertia_inverse; /* zeros: can not be turned */
    double mass_inverse;      /* 0: can not be moved */
    double gravity_scale;     /* factor of the world's gravity for this body */
    double damping_linear;    /* 1/s: decay rate of its velocity, added to the world's damping */
    double damping_angular;   /* 1/s: the same for its angular velocity */
    double reach; /* largest distance of a shape's point from the centre of mass [m]; without
                     shapes the radius of gyration */
    enum cn_body_type type;
    int shape_first, shape_count;
    bool quarantined;         /* fixed because it ran away (CN_MOTION_MAX) */
    bool absent;
    bool bullet;              /* does not pass through moving bodies either */
    uint8_t locks;            /* enum cn_lock */

    bool fresh;               /* made or changed since the last tick: stored contacts are old */
    bool sleepless;           /* its island does not sleep */
    uint32_t generation;      /* of the slot: grows when its body is removed */
    double mass;              /* kg */
    cn_mat33 inertia;         /* about the centre of mass, body axes [kg m^2] */
    cn_vec3 center;           /* of mass, in the body's frame [m] */
};
_Static_assert(offsetof(struct cn_body, fresh) == 128, "two lines of the cache");

/* A spring; anchors are in the frames of the centres of mass, or in the world for body_a = -1. */
struct cn_spring {
    int32_t body_a, body_b;
    cn_vec3 anchor_a, anchor_b;
    double stiffness, damping, rest_length;
    bool absent; /* one of its bodies was removed */
};

struct cn_thruster {
    int32_t body;
    cn_vec3 at;    /* frame of the centre of mass [m] */
    cn_vec3 force; /* body axes [N] */
    bool absent;   /* its body was removed */
};

/* A force and a torque from the scene that always act on a body. */
struct cn_constant_force {
    int32_t body;
    enum cn_frame frame; /* the axes of force and torque */
    cn_vec3 at;          /* frame of the centre of mass [m] */
    cn_vec3 force;       /* N */
    cn_vec3 torque;      /* N m */
    bool absent;         /* its body was removed */
};

/* The force of a contact at the last solve, the start of the next solve.  Sorted by id. */
struct cn_warm_start {
    uint64_t id;
    double force;     /* N */
    double across[2]; /* of friction, along the tangent rows [N]; planar: one */
};

/* The impulse of a contact in the last tick.  Sorted by id. */
struct cn_impulse {
    uint64_t id;
    int32_t body_a, body_b;
    cn_vec3 point, normal;
    double impulse; /* N s */
};

/* The simulated time of a world. */
struct cn_clock {
    uint64_t tick;       /* ticks done since creation */
    double time;         /* simulated, at the start of the tick [s] */
    uint64_t rate_tick;  /* the tick at which the present time rate began, */
    double rate_time;    /* and the time at that tick: time is not summed up tick by tick */
    double elapsed;      /* of the present tick [s]; 0 between ticks */
    double step_next;    /* the step that the error control would try next [s] */
    bool mid_tick;       /* the tick has begun and is not done */
    bool inelastic;      /* no restitution for the rest of this tick (event ZENO) */
    bool unsearched;     /* no search for impacts for the rest of this tick (IMPACT_LIMIT) */
    bool coarse;         /* `event` does the rest of this tick as `time` does (IMPACT_LIMIT) */
    uint32_t impacts;    /* instants of this tick with impacts */
    uint32_t pieces;     /* begun in this tick before the present one; 1 when `coarse` begins */
    uint64_t spent;      /* work of this tick's pieces, where the stepper limits it */
};

/* One end of a joint in its body's list: the next and previous ends, -1 beyond the list's ends. */
struct cn_joint_link {
    int32_t next, prev;
};

/* The joints of a body: their ends, as 2 joint + side (0: body_a, 1: body_b). */
struct cn_joint_list {
    int32_t first, count;
};

/* A change of a slot; see life.h. */
enum cn_change_kind { CN_CHANGE_BODY, CN_CHANGE_JOINT };

struct cn_change {
    enum cn_change_kind kind;
    int32_t slot;
    uint32_t generation; /* after the change */
    bool made, removed;  /* both false: moved, or its kind or filter changed */
};

/* The sleep state of a body, where the solver lets islands sleep. */
struct cn_rest {
    float still_time; /* how long it has been slow [s] */
    int32_t island;   /* -1: awake; else the lowest index of the bodies that sleep together */
    int32_t next;     /* derived, of a sleeping body: the next body of the island's ring */
};

/* The outcome of the last solve of a tick. */
struct cn_solve_note {
    int32_t outcome; /* enum cn_solve_outcome */
    double residual;
    int32_t iteration_count;
    int32_t row_count;
    /* Numbers of islands by branch, of a solver that predicts (cn_heuristic_counts); else zero. */
    int32_t guess_count, prediction_count, fallback_count;
    double fallback_power; /* [N m/s^2] */
};

struct cn_model {
    struct cn_settings settings;
    double tick_rate; /* Hz */
    uint64_t seed;

    /* Columns of slots. */
    int body_count, shape_count, joint_count;
    int body_max, shape_max, joint_max; /* capacity of the columns */
    struct cn_body *body;
    struct cn_shape *shape;
    struct cn_joint *joint;
    struct cn_slots body_slots, shape_slots, joint_slots; /* which slots are taken */
    struct cn_joint_list *joints_of; /* of each body */
    struct cn_joint_link *joint_link; /* 2 joint + side */
    uint64_t structure_version;      /* grows with every change, see life.h */
    uint64_t rest_version;           /* grows when rest[] changes between steps */
    struct cn_change *change;
    int change_count, change_max;
    int32_t *fresh;  /* bodies made fresh since the last tick; some may be listed twice */
    int fresh_count; /* -1: too many to list */
    int32_t *woken;  /* bodies that woke since a stepper read this list; some may be listed twice */
    int woken_count; /* -1: too many to list */
    int asleep_count; /* sleeping bodies in rest[] */
    int sensor_count; /* shapes that are sensors */
    int one_way_count; /* shapes that are one-way */
    int joint_live;  /* joints that are not absent */
    int joint_spare; /* joints that may yet be made: 0 except while memory is measured */

    /* Fixed by the definition. */
    int material_count, spring_count, thruster_count, curve_count, knot_count;
    int constant_force_count, mesh_count;
    int motor_count; /* of joints; actuators are the thrusters, then the motors, then those of
                        joints made later: thruster_count + motor_count + their slot */
    int32_t *motor_joint;              /* motor_count */
    struct cn_shape_room shape_room;   /* sizes of what shapes borrow; equal shapes share it */
    struct cn_shape_store shape_store; /* where that memory begins */
    struct cn_material *material;
    int material_pair_count;
    struct cn_material_pair *material_pair; /* ascending by the lower, then the higher material */
    struct cn_spring *spring;
    struct cn_thruster *thruster;
    struct cn_constant_force *constant_force;
    struct cn_curve *curve;     /* of tracks */
    struct cn_curve_knot *knot; /* of all curves */
    struct cn_mesh **mesh;      /* each referenced while the world exists */
    double length_min;         /* smallest width of a shape that moves, or could [m] */
    double gap_tolerance;      /* m: contacts touch within it; the largest accepted penetration */
    double velocity_tolerance; /* m/s: slower counts as at rest */

    /* Persistent. */
    struct cn_motion *motion;
    struct cn_rest *rest;
    struct cn_joint_state *joint_state;
    struct cn_held *held;
    int held_count, held_max;
    struct cn_attribute *attribute;
    int attribute_count, attribute_max;
    uint64_t attribute_version; /* derived: grows when attribute[] changes */
    struct cn_move *move; /* ascending by body */
    int move_count, move_max;
    struct cn_passage *passage; /* ascending by a, then b; 2 passage_max entries */
    int passage_count, passage_max;
    uint64_t *within; /* shapes within sensors (engine/step/sensor.h); 2 within_max entries */
    int within_count, within_max;
    struct cn_clock clock;
    struct cn_warm_start *warm;
    int warm_count;

    /* Output of the last tick. */
    struct cn_event *event;
    int event_count, event_dropped;
    int event_shown; /* events of the last tick; those after them were caused by later commands and
                        belong to the next tick */
    int event_kept;  /* the first events of the tick: those of commands before it */
    int event_max;   /* capacity of event[] */
    struct cn_impulse *impulse;
    int impulse_count;

    /* A hint that does not change results: the broadphase's last order of shapes. */
    int32_t *shape_order;

    /*
     * Capacity of warm[], impulse[] and the stepper's scratch; grows between pieces, never shrinks.
     */
    int contact_max;
    int contact_ceiling; /* limit of that growth: CN_CONTACTS_MAX or less; results depend on it */
};

/* Lays out the arrays whose size the definition fixes (counts are set), on any arena. */
void cn_model_layout(struct cn_model *model, struct cn_arena *arena);

/* Lays out the arrays of baked shapes. */
void cn_model_layout_store(
    const struct cn_shape_room *room, struct cn_shape_store *store, struct cn_arena *arena);

/* Lays out the columns, for body_max, shape_max and joint_max slots. */
void cn_model_layout_columns(struct cn_model *model, struct cn_arena *arena);

/* Lays out the arrays that hold contact_max entries. */
void cn_model_layout_contacts(struct cn_model *model, struct cn_arena *arena);

/*
 * Appends an event to those of this tick.  Beyond event_max, events are only counted.  For kinds
 * that may flood a tick the limit is lower by CN_EVENTS_RESERVED.
 */
void cn_model_event(
    struct cn_model *model, enum cn_event_kind kind, int body_a, int body_b, double value);

/* Whether every number of a motion is within CN_MOTION_MAX. */
bool cn_motion_is_bounded(const struct cn_motion *motion);

/* Holds a body fixed: nothing moves it until a command places it. */
void cn_model_quarantine(struct cn_model *model, int body);

/* Ends the quarantine, when the body is placed or an earlier state is restored. */
void cn_model_release(struct cn_model *model, int body);

/* Whether a joint keeps two bodies from colliding with each other. */
bool cn_model_joined(const struct cn_model *model, int body_a, int body_b);

/*
 * The level of a joint's motor, a factor of its speed: the sum of its held inputs, limited to -1 to
 * 1.  A motor without a held input runs at 1, as in the scene.
 */
double cn_model_motor_level(const struct cn_model *model, int joint);

/* Whether the actuator exists; the joint of its motor, or -1 for a thruster. */
bool cn_model_has_actuator(const struct cn_model *model, int actuator);
int cn_model_actuator_joint(const struct cn_model *model, int actuator);

/* The coefficient of a contact of two shapes, combined by the world's rule. */
double cn_model_restitution(const struct cn_model *model, int shape_a, int shape_b);

/* The same for friction: `sliding` for contacts that slide, `resting` (no less) for others. */
void cn_model_friction(
    const struct cn_model *model, int shape_a, int shape_b, double *sliding, double *resting);

/* The values of their own that two shapes' materials have; NULL: none. */
const struct cn_material_pair *cn_model_find_pair(
    const struct cn_model *model, int shape_a, int shape_b);

static inline const struct cn_material_pair *
cn_model_pair(const struct cn_model *model, int shape_a, int shape_b)
{
    return model->material_pair_count > 0 ? cn_model_find_pair(model, shape_a, shape_b) : NULL;
}

/* Whether the materials of two shapes are a pair that does not touch. */
static inline bool
cn_model_ignores(const struct cn_model *model, int shape_a, int shape_b)
{
    const struct cn_material_pair *pair = cn_model_pair(model, shape_a, shape_b);
    return pair != NULL && (pair->has & CN_PAIR_IGNORE) != 0;
}

/* passage.c: the passage of two shapes, in any order; NULL: they have no passage. */
const struct cn_passage *cn_model_passage(
    const struct cn_model *model, int shape_a, int shape_b);

/* Whether one of two shapes passes through the other one, which is one-way. */
static inline bool
cn_model_passes(const struct cn_model *model, int shape_a, int shape_b)
{
    if (model->passage_count == 0) {
        return false;
    }
    const struct cn_passage *passage = cn_model_passage(model, shape_a, shape_b);
    return passage != NULL && passage->passes;
}

/* Forgets the passages of a body's shapes. */
void cn_model_drop_passages(struct cn_model *model, int body);

/* Replaces rolling and spinning friction by those of the pair, if it has them; NULL: no pair. */
void cn_material_pair_moments(
    const struct cn_material_pair *pair, double *rolling, double *spinning);

/* Compares pairs by the lower, then the higher material: below 0, 0 or above 0. */
int cn_material_pair_compare(const struct cn_material_pair *x, const struct cn_material_pair *y);

/* Whether any two bodies may have friction. */
bool cn_model_has_friction(const struct cn_model *model);

/*
 * The lengths [m] that limit the moments of a contact of two shapes against rolling and spinning:
 * the larger of the two materials'.  In the plane nothing spins about a normal.
 */
void cn_model_moments(
    const struct cn_model *model, int shape_a, int shape_b, double *rolling, double *spinning);

/* Whether any contact may have such moments. */
bool cn_model_has_moments(const struct cn_model *model);

/* Whether any contact may have restitution. */
bool cn_model_has_restitution(const struct cn_model *model);

/* Whether the surface of a material moves against its body. */
bool cn_model_has_surface(const struct cn_model *model);

/*
 * The speed [m/s] below which impacts have no restitution, and below which bodies that separate
 * count as at rest.  Under gravity a body of this speed rises 1/2 000 000 of the smallest length, a
 * twentieth of the gap tolerance.
 */
double cn_model_velocity_rest(const struct cn_model *model);

/*
 * The speed below which an approach has no restitution: the scene's, else `standard`, the stepper's
 * [m/s].
 */
static inline double
cn_model_resting_velocity(const struct cn_model *model, double standard)
{
    return model->settings.has_resting_velocity ? model->settings.resting_velocity : standard;
}

/* The duration of a tick in simulated time [s]. */
static inline double
cn_model_tick_duration(const struct cn_model *model)
{
    return model->settings.time_rate / model->tick_rate;
}

/* v, without z in a planar world. */
static inline cn_vec3
cn_model_flat(const struct cn_model *model, cn_vec3 v)
{
    return (cn_vec3){v.x, v.y, model->settings.dimension == CN_PLANAR ? 0.0 : v.z};
}

/* The pose of the frame of the centre of mass. */
static inline cn_pose
cn_motion_pose(const struct cn_motion *motion, enum cn_dimension dimension)
{
    if (dimension == CN_PLANAR) {
        double sine, cosine;
        cn_sin_cos(motion->angle, &sine, &cosine);
        return (cn_pose){motion->position, cn_mat33_about_z(sine, cosine)};
    }
    return (cn_pose){motion->position, cn_quat_to_mat33(motion->orientation)};
}

#endif
