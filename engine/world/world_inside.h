/*
 * world_inside.h: the inside of a world, for the files of this floor and of engine/state.
 *
 * Memory: `fixed` holds what the definition sizes; `columns` the slots of bodies, shapes and
 * joints, replaced by larger ones between ticks; `room` holds what contacts size (warm starts,
 * impulses, the stepper's scratch, the contacts that cn_world_contacts shows) and is replaced by a
 * larger one between two pieces of a tick when a search finds more.  Held inputs, events and
 * changes have blocks of their own, which grow between ticks.
 */
#ifndef ENGINE_WORLD_WORLD_INSIDE_H
#define ENGINE_WORLD_WORLD_INSIDE_H

#include "engine/world/history.h"
#include "engine/world/structure.h"
#include "engine/step/pipeline.h"
#include "engine/world/world.h"

struct cn_world {
    struct cn_model model;
    const struct cn_stepper *stepper;
    const struct cn_solver *solver;
    void *fixed;
    void *columns;
    struct cn_made **made;       /* of each body: what was made since, or NULL; in the columns */
    unsigned char *source;       /* enum cn_body_source of each body, in the columns */
    unsigned char *joint_source; /* of each joint: SCENE, MADE or NONE */
    struct cn_origin **origin;   /* of each body of the scene, NULL while it is as it was */
    struct cn_joint **joint_origin;
    int scene_body_count, scene_shape_count, scene_joint_count;
    double scene_length_min;
    struct cn_made *ready; /* of the command that is being applied */
    uint64_t *ending;      /* of that command, too: contacts that it ends; NULL: none */
    bool joint_gone;       /* since the scratch was measured: the next may have more rows */
    size_t fixed_size;
    void *room;
    size_t room_size;
    struct cn_arena scratch; /* the part of `room` behind the model's arrays and the view */
    struct cn_view *view;
    uint64_t breakable_version; /* 1 + the structure's, when what can break was sought; 0: never */
    int breakable_end;          /* joints that can break have lower slots */
    struct cn_production *production; /* NULL but where the solver is of the kind BODIES */
    struct cn_pipeline_tools tools;
    struct cn_history *history;       /* NULL: no past is remembered */
    struct cn_scratch *scratch_lent; /* for a production's ticks; NULL: its own */
};

/*
 * A pipeline and its memory.  `block` holds its arrays, part by part, `scratch` what one tick
 * needs; each is replaced by a larger one between two pieces of a tick.
 */
struct cn_production {
    struct cn_pipeline pipeline;
    void *block[CN_PIPELINE_PARTS];
    size_t block_size[CN_PIPELINE_PARTS];
    struct cn_scratch scratch; /* where none is lent */
};

/* The one that is lent, or the production's own. */
struct cn_scratch *cn_world_scratch(const struct cn_world *world);


/* production.c: makes it exist where the settings' solver wants it. False: no memory. */
bool cn_world_fit_production(struct cn_world *world);
void cn_production_destroy(struct cn_production *production);

/* Room for at least so many pairs; what persists is kept. False: no memory. */
bool cn_production_grow(struct cn_production *production, int pair_max);

/* Wakes what sleeps against a body that is about to go, to be placed elsewhere or to change. */
void cn_world_disturb(struct cn_world *world, int body);

/*
 * Tells that contacts end which a body has with another one (-1: with all), since it is about to
 * go, to change, or to be parted from that one.  The room is got first; false: no memory.
 */
CN_MUST_USE bool cn_world_ready_ends(struct cn_world *world, int body, int other);
void cn_world_tell_ends(struct cn_world *world, int body, int other);

/* Scratch to begin with. False: no memory. */
CN_MUST_USE bool cn_production_begin(struct cn_world *world);

/* What the pipeline says that it needs. False: no memory. */
CN_MUST_USE bool cn_production_make_room(struct cn_world *world);

/* What reading functions compute on demand; reading does not change the world. */
struct cn_view {
    bool is_current;
    struct cn_world *world;
    struct cn_solve_summary summary;
    cn_pose *pose;                        /* body_max */
    struct cn_acceleration *acceleration; /* body_max */
    struct cn_contact_view *contact;      /* 2 contact_max: those that touch, and past impacts */
    int contact_count;
    void *own; /* with a production: what holds the three, of own_size bytes */
    size_t own_size;
    struct cn_slumber_view *slumber; /* with one that was looked at while something slept */
};

/* Zeros at a multiple of 64 bytes; NULL without memory. */
void *cn_world_allocate(size_t size);

/* Room for so many held inputs; false without memory. */
CN_MUST_USE bool cn_world_hold_room(struct cn_world *world, int count);

/*
 * sense.c: what is within sensors, after a tick; and room for so many pairs of that.  Both are
 * false without memory, and have changed nothing then.
 */
CN_MUST_USE bool cn_world_sense(struct cn_world *world);
CN_MUST_USE bool cn_world_within_room(struct cn_world *world, int count);

/* Room for so many more changes, as far as there is memory. */
void cn_world_change_room(struct cn_world *world, int count);

/* Makes room for `contact_max` contacts, keeping warm starts and impulses. False: no memory. */
bool cn_world_grow(struct cn_world *world, int contact_max);

/* More room, up to the ceiling: by half, or just enough where that fails. False: no memory. */
CN_MUST_USE bool cn_world_make_room(struct cn_world *world, int needed);

/*
 * joint_break.c: joints that bore too much in the tick that ends are removed.  False: no memory,
 * and none was.
 */
CN_MUST_USE bool cn_world_break_joints(struct cn_world *world);

/* The view's arrays in `room`. */
void cn_view_layout(struct cn_view *view, struct cn_arena *arena, const struct cn_model *model);

/* view_production.c: the same for a world with a production; without memory nothing is shown. */

/* Room for the poses of all bodies, of a view that is not current; NULL without memory. */
cn_pose *cn_view_poses(struct cn_world *world);

/* One pair's contacts, forces from its impulses; how many.  `pair` needs no manifold. */
int cn_view_show2(struct cn_contact_view *to, const struct cn_model *model,
    const struct cn_touch *pair, const struct cn_manifold2 *manifold);
int cn_view_show3(struct cn_contact_view *to, const struct cn_model *model,
    const struct cn_touch *pair, const struct cn_manifold3 *manifold);

/*
 * view_slumber.c: the contacts of which nobody is awake, ascending; how many, -1: no memory.  They
 * are found when somebody looks, and again when what is kept of them has changed.
 */
int cn_view_slumber(
    struct cn_view *view, const struct cn_world *world, const struct cn_contact_view **contacts);

/* The same for one pair of a pipeline that is stale, as after an image: it has no geometry yet. */
int cn_view_find_again(struct cn_view *view, const struct cn_pipeline *p,
    const struct cn_touch *pair, struct cn_contact_view *to);

int cn_view_count_slumber(const struct cn_world *world);
size_t cn_view_slumber_size(const struct cn_view *view); /* bytes */
void cn_view_forget_slumber(struct cn_view *view);

int cn_view_count_production(const struct cn_world *world);
void cn_view_update_production(struct cn_view *view, const struct cn_world *world);

/* Computes contacts and accelerations at the present state, when they are not current. */
void cn_view_update(const struct cn_world *world);

/* Refuses a name that is in no table: with those that are, and the one that may be meant. */
CN_MUST_USE enum cn_status cn_world_refuse_name(struct cn_defect *defect, const char *path,
    const char *name, const char *const *names, int count);
CN_MUST_USE enum cn_status cn_world_refuse_stepper(
    struct cn_defect *defect, const char *path, const char *name);
CN_MUST_USE enum cn_status cn_world_refuse_solver(
    struct cn_defect *defect, const char *path, const char *name);

/* validate.c: one body, of a world with these settings and so many materials. */
CN_MUST_USE enum cn_status cn_body_def_check(
    const struct cn_world_def *def, const struct cn_body_def *body, struct cn_defect *defect);

/*
 * joint_check.c: one joint or curve; paths begin with its kind.  The bodies and curves of a world
 * that runs are the model's, not the definition's.
 */
CN_MUST_USE enum cn_status cn_joint_def_check(const struct cn_world_def *def,
    const struct cn_model *model, const struct cn_joint_def *joint, struct cn_defect *defect);

/* joint_make.c: sizes and arrays of joints and curves; bodies are made first. */
void cn_world_count_joints(struct cn_model *model, const struct cn_world_def *def);
void cn_world_make_joints(struct cn_model *model, const struct cn_world_def *def);

/* A joint between bodies where they are now; it has no slot and no actuator yet. */
void cn_joint_make(const struct cn_model *model, const struct cn_joint_def *from,
    struct cn_joint *joint, struct cn_joint_state *state);

/* A curve from its definition; a spline fills and borrows knot[]. Returns how many it took. */
int cn_curve_def_make(const struct cn_curve_def *from, bool planar, struct cn_curve *curve,
    struct cn_curve_knot *knot);

/* Refuses a solver without friction in a world with it: names those that have it. */
CN_MUST_USE enum cn_status cn_world_refuse_frictionless(
    struct cn_defect *defect, const char *path, const char *name);

/* Refuses a mesh that is in the way of the solver of that name: names those that know meshes. */
CN_MUST_USE enum cn_status cn_world_check_meshes(
    const char *name, const char *path, struct cn_defect *defect);

/* Refuses locks along axes for a solver that has none. */
CN_MUST_USE enum cn_status cn_world_refuse_locks(
    struct cn_defect *defect, const char *path, const char *name);

/* Looks up stepper and solver by the settings' names, which are in the tables. */
void cn_world_bind(struct cn_world *world);

/* Lays the scratch out for the present stepper and solver. False: no memory. */
bool cn_world_refit(struct cn_world *world);

/* Whether the scratch will do for the stepper, the solver and the materials as they are. */
bool cn_world_fits(const struct cn_world *world);

#endif
