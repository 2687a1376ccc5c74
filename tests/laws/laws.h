/*
 * laws.h: random scenes, and the laws that every stepper and solver has to obey on them.
 *
 * A scene is determined by a seed of 64 bits.  Every pair of stepper and solver that accepts its
 * definition runs it, and the world's reports are checked against the laws of mechanics.  No answer
 * is known in advance.  docs/laws.md describes the scenes and how to replay a seed.
 *
 *     scene      scene.c and the family files: bodies, joints and settings from a seed
 *     method     a stepper with a solver that it can work with
 *     moment     the reports of a world between two ticks
 *     run        one scene with one method, tick by tick
 *     law        a file law_*.c: checks each tick of a run, or makes its own runs
 *     finding    a violation of a law in a run; only the worst for each law and run
 */
#ifndef TESTS_LAWS_LAWS_H
#define TESTS_LAWS_LAWS_H

#include "engine/base/rng.h"
#include "engine/cairn.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define LAWS_BODIES_MAX 1400
#define LAWS_JOINTS_MAX 128
#define LAWS_MATERIALS_MAX 4
#define LAWS_CORNERS_MAX 8 /* of a polygon or hull */
#define LAWS_METHODS_MAX 64

/* ---- scenes ---- */

struct laws_scene {
    uint64_t seed;
    const char *family;
    int index;          /* of the family in its table */
    int ticks;
    double length;      /* the scale of its bodies [m] */
    double friction_max, restitution_max;
    bool alike;         /* one material: restitution is the same everywhere */
    struct cn_rng rng;  /* while it is made */
    struct cn_world_def def; /* its arrays are those below */
    struct cn_material_def material[LAWS_MATERIALS_MAX];
    struct cn_body_def body[LAWS_BODIES_MAX];
    struct cn_shape_def shape[LAWS_BODIES_MAX]; /* of the body of the same index */
    cn_vec3 corner[LAWS_BODIES_MAX][LAWS_CORNERS_MAX];
    struct cn_joint_def joint[LAWS_JOINTS_MAX];
};

/* A family: a name and what makes one of its scenes, of about so many bodies. */
struct laws_family {
    const char *name;
    const char *text;
    void (*make)(struct laws_scene *scene, int size);
};

extern const struct laws_family laws_families[];
extern const int laws_family_count;

/* The scene of a seed. */
void laws_scene_make(struct laws_scene *scene, uint64_t seed);

/* A copy, whose definition points into itself. */
void laws_scene_copy(struct laws_scene *to, const struct laws_scene *from);

/* The mirror image in the plane x = 0, and the scene turned about z by an angle [rad]. */
void laws_scene_mirror(struct laws_scene *scene);
void laws_scene_turn(struct laws_scene *scene, double angle);

/* Moves bodies that are free by up to `shift` [m] and changes their speeds by `shift` a second. */
void laws_scene_disturb(struct laws_scene *scene, double shift, uint64_t seed);

/* Removes body `body` and its joints; false if it can not be removed. */
bool laws_scene_drop(struct laws_scene *scene, int body);

/* As a scene file. */
void laws_scene_print(
    const struct laws_scene *scene, const char *stepper, const char *solver, FILE *out);

/* scene_build.c: what families build with.  Each returns the body's index. */
double laws_uniform(struct laws_scene *scene, double low, double high);
bool laws_chance(struct laws_scene *scene, double share);
int laws_choose(struct laws_scene *scene, int count);       /* 0 .. count - 1 */
double laws_spread(struct laws_scene *scene, int low, int high); /* 10^low .. 10^high, by size */
bool laws_is_planar(const struct laws_scene *scene);
int laws_box(struct laws_scene *scene, double x, double y, cn_vec3 size);
int laws_ball(struct laws_scene *scene, double x, double y, double radius);
int laws_capsule(struct laws_scene *scene, double x, double y, double radius, double length);
/* A convex polygon, counter-clockwise; in space a prism of this depth. */
int laws_prism(
    struct laws_scene *scene, double x, double y, const cn_vec3 *corner, int count, double depth);
void laws_fix(struct laws_scene *scene, int body);
void laws_tilt(struct laws_scene *scene, int body, double angle); /* about z */
void laws_turn_any(struct laws_scene *scene, int body);           /* in any way */
int laws_ground(struct laws_scene *scene, double width);          /* its top is y = 0 */
struct cn_joint_def *laws_joint(
    struct laws_scene *scene, enum cn_joint_kind kind, int a, int b, cn_vec3 anchor);

/* ---- methods ---- */

struct laws_method {
    const struct cn_stepper *stepper;
    const struct cn_solver *solver;
};

/* All pairs that fit, in the order of the tables; how many. */
int laws_methods(struct laws_method methods[LAWS_METHODS_MAX]);

/* The method is exact in time: its forces hold at an instant, not over a step. */
bool laws_is_exact(const struct laws_method *method);
/* The method states one problem in a step, and its forces act for the whole step. */
bool laws_is_march(const struct laws_method *method);

/* ---- runs ---- */

struct laws_moment {
    double time;
    struct cn_energy energy;
    struct cn_solve_summary summary;
    struct cn_body_view *body;
    int body_count;
    struct cn_contact_view *contact; /* those that touch come first, behind them those that only */
    int contact_count, contact_max;  /* had an impact in the tick */
    int touching_count;
    struct cn_joint_view *joint;
    int joint_count;
};

struct laws_run {
    const struct laws_scene *scene;
    struct laws_method method;
    struct cn_world *world;
    double h;           /* a tick [s] */
    int tick;           /* the last one done; 0: no tick yet */
    struct laws_moment before, after; /* of that tick; at tick 0 only `after` counts */
    const struct cn_event *event;     /* of that tick */
    int event_count;
    int64_t work;                     /* that it took, ns of the engine's count */
    double cpu;                       /* s */
    double told_before;               /* the residual that the tick before told; law_budget.c */
    int *group; /* of each body: the lowest index that joints connect it to; -1: the world */
    struct laws_sink *sink;
};

enum laws_run_state {
    LAWS_RUN_ON,      /* the tick is done */
    LAWS_RUN_REFUSED, /* the method does not claim the scene */
    LAWS_RUN_SPENT,   /* a tick, or a look, went far beyond its budget and was given up */
};

enum laws_run_state laws_run_begin(struct laws_run *run, const struct laws_scene *scene,
    struct laws_method method, struct laws_sink *sink);
enum laws_run_state laws_run_tick(struct laws_run *run);
void laws_run_end(struct laws_run *run);

/* Only steps, without looking; false: it could not, or went beyond its budget. */
bool laws_run_through(struct laws_run *run, const struct laws_scene *scene,
    struct laws_method method, int ticks);

/* The work that a tick of such a world may take [operations]. */
int64_t laws_budget(int contact_count, int body_count);

/* The tolerances of this world; the number of pieces of the last tick. */
struct laws_measure {
    double gap;   /* tolerance [m] */
    double still; /* a slower body counts as resting [m/s] */
    double rest;  /* a slower impact has no restitution [m/s] */
    double width; /* the smallest of a body that moves [m] */
    int pieces;
};
struct laws_measure laws_measure(const struct laws_run *run);

bool laws_has_event(const struct laws_run *run, enum cn_event_kind kind);
bool laws_moves(const struct laws_run *run, int body); /* it exists and has a mass */

/* ---- laws ---- */

#define LAWS_LAW_TABLE(X)                                                                          \
    X(momentum, "momentum changes by the impulses and forces told")                                \
    X(instant, "mass times acceleration is the sum of the forces told")                            \
    X(approach, "there is no impact without an approach, and it parts by the restitution")         \
    X(energy, "energy does not grow but by what is done")                                          \
    X(forces, "forces told push, stay within Coulomb's cone, and solve the problem")               \
    X(reference, "a hundredth of the step leads to the same state")                                \
    X(image, "a mirrored or turned scene does the same, mirrored or turned")                       \
    X(budget, "no tick takes more than its size suggests")                                         \
    X(told, "numbers are finite, bodies stay apart, and nothing is given up in silence")           \
    X(crash, "a run ends")

#define X(name, text) LAWS_##name,
enum laws_law { LAWS_LAW_TABLE(X) LAWS_LAW_COUNT };
#undef X
const char *laws_law_name(enum laws_law law);
const char *laws_law_text(enum laws_law law);

/* The energy of the moving bodies by the test's own sums [J]: kinetic, and of gravity. */
struct cn_energy laws_energy_of(const struct laws_run *run, const struct laws_moment *moment);

/* Each of these checks the tick that a run has just done, or its start (tick 0). */
void laws_momentum(struct laws_run *run);
void laws_instant(struct laws_run *run);
void laws_approach(struct laws_run *run);
void laws_energy(struct laws_run *run);
void laws_forces(struct laws_run *run);
void laws_budget_check(struct laws_run *run);
void laws_told(struct laws_run *run);

/* Each of these makes its own runs. */
void laws_reference(
    const struct laws_scene *scene, struct laws_method method, struct laws_sink *sink);
void laws_image(
    const struct laws_scene *scene, struct laws_method method, struct laws_sink *sink);

/* ---- findings ---- */

struct laws_finding {
    uint64_t seed;
    int family, method;
    enum laws_law law;
    int tick;
    double figure, bound; /* what was measured, and what it may be */
    char text[136];
};

/* The findings of all laws on one scene with one method: the worst one of each law. */
struct laws_sink {
    bool broken[LAWS_LAW_COUNT];
    struct laws_finding finding[LAWS_LAW_COUNT];
    int64_t check_count[LAWS_LAW_COUNT];
    bool verbose;
};

/* Compares a figure with its bound; NaN is beyond every bound. */
void laws_check(struct laws_run *run, enum laws_law law, double figure, double bound,
    const char *format, ...) __attribute__((format(printf, 5, 6)));
void laws_check_at(struct laws_sink *sink, int tick, enum laws_law law, double figure, double bound,
    const char *format, ...) __attribute__((format(printf, 6, 7)));

/* All laws on one scene with one method; false: the method does not claim it. */
bool laws_hold(const struct laws_scene *scene, struct laws_method method, struct laws_sink *sink);

/* ---- known.c: laws that the engine does not keep yet ---- */

struct laws_known {
    const char *family, *stepper, *solver; /* "*": any */
    enum laws_law law;
    int count; /* at most so many of the thousand scenes of the test */
    const char *reason;
};
extern const struct laws_known laws_known[];
extern const int laws_known_count;

#endif
