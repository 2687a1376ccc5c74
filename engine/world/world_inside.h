/*
 * world_inside.h: the internals of a world, for the files of this floor and of engine/state.
 *
 * Memory: `fixed` holds arrays whose size the definition fixes.  `columns` holds the slots of
 * bodies, shapes and joints, and is replaced by a larger block between ticks.  `room` holds arrays
 * sized by contacts: warm starts, impulses, the stepper's scratch, the contacts that
 * cn_world_contacts shows.  It is replaced by a larger block between two pieces of a tick when a
 * search finds more contacts.  Held inputs, events and changes have blocks of their own, which grow
 * between ticks.
 */
#ifndef ENGINE_WORLD_WORLD_INSIDE_H
#define ENGINE_WORLD_WORLD_INSIDE_H

#include "engine/base/account.h"
#include "engine/base/fiber.h"
#include "engine/step/pipeline/pipeline.h"
#include "engine/world/world.h"

/*
 * Work of a world that runs in slices (slice.c): a piece of a tick, or a look for its contacts'
 * forces.  While a piece is stopped half way, a part of the persistent state has advanced and a
 * part has not: only the number and the time of the tick may be read then.
 */
enum cn_slice_kind { CN_SLICE_NONE, CN_SLICE_PIECE, CN_SLICE_LOOK };

struct cn_slice {
    enum cn_slice_kind kind;  /* of the stopped work */
    struct cn_fiber *fiber;   /* on which the work is stopped; NULL: nothing is stopped */
    struct cn_fiber *idle;    /* spare fiber of a world without lent scratch */
    struct cn_step_context context;
    struct cn_instant instant; /* of a look */
    enum cn_advance advance;   /* the result of the piece */
    int64_t work;              /* work in all, after which pieces end the step */
};

/* The inputs of the ceiling of contacts; all of them persist. */
struct cn_ceiling_key {
    const struct cn_solver *solver;
    const struct cn_stepper *stepper;
    int body_count, shape_count, joint_count; /* slots */
};

struct cn_world {
    struct cn_model model;
    const struct cn_stepper *stepper;
    const struct cn_solver *solver;
    void *fixed;
    void *columns;
    struct cn_made **made;       /* for each body: its block if it was made later, else NULL; in
                                    the columns */
    unsigned char *source;       /* enum cn_body_source of each body, in the columns */
    unsigned char *joint_source; /* of each joint: SCENE, MADE or NONE */
    struct cn_origin **origin;   /* for each body of the scene, NULL while it is unchanged */
    struct cn_joint **joint_origin;
    int scene_body_count, scene_shape_count, scene_joint_count;
    double scene_length_min;
    struct cn_made *ready; /* block of the command that is being applied */
    uint64_t *ending;      /* room for twice ending_max keys of contacts that a command ends */
    int ending_max, ending_count; /* of the command that is being applied: 0: it ends none */
    bool joint_gone;       /* since the scratch was measured: the next joint may have more rows */
    size_t fixed_size;
    void *room;
    size_t room_size;
    struct cn_arena scratch; /* the part of `room` after the model's arrays and the view */
    struct cn_view *view;
    uint64_t breakable_version; /* 1 + the structure's at the last search for breakable joints;
                                   0: never */
    int breakable_end;          /* joints that can break have lower slots */
    struct cn_production *production; /* NULL unless the solver is of the kind BODIES */
    struct cn_pipeline_tools tools;
    struct cn_history *history;       /* NULL: no history is kept */
    struct cn_scratch *scratch_lent; /* for a production's ticks; NULL: its own */
    struct cn_slice slice;
    size_t memory_max;          /* of the definition; 0: CN_WORLD_MEMORY */
    struct cn_account account;  /* of the world; behind it that of all worlds */
    struct cn_ceiling_key ceiling_key;
    int room_body_count;        /* bodies present when the room was made */
};

/*
 * A pipeline and its memory.  `block` holds its arrays, part by part; `scratch` holds the working
 * memory of one tick.  Each is replaced by a larger one between two pieces of a tick.
 */
struct cn_production {
    struct cn_pipeline pipeline;
    void *block[CN_PIPELINE_PARTS];
    size_t block_size[CN_PIPELINE_PARTS];
    struct cn_scratch scratch; /* used where none is lent */
    struct cn_world *world;    /* the owner */
};

/* The lent scratch, or the production's own. */
struct cn_scratch *cn_world_scratch(const struct cn_world *world);


/* production.c: creates it where the solver of the settings needs it.  False: no memory. */
bool cn_world_fit_production(struct cn_world *world);
void cn_production_destroy(struct cn_production *production);

/* Makes room for at least pair_max pairs; persistent data is kept.  False: no memory. */
bool cn_production_grow(struct cn_production *production, int pair_max);

/*
 * Wakes bodies that sleep in contact with a body that will be removed, placed elsewhere or changed.
 */
void cn_world_disturb(struct cn_world *world, int body);

/*
 * For a body that will be removed, changed, or separated from `other` (-1: from all others):
 * cn_world_ready_ends allocates memory (false: no memory), and cn_world_tell_ends reports the
 * ends of the contacts.
 */
CN_MUST_USE bool cn_world_ready_ends(struct cn_world *world, int body, int other);
void cn_world_tell_ends(struct cn_world *world, int body, int other);

/* Makes the scratch for the start.  False: no memory. */
CN_MUST_USE bool cn_production_begin(struct cn_world *world);

/* Allocates the memory that the pipeline asks for.  False: no memory. */
CN_MUST_USE bool cn_production_make_room(struct cn_world *world);

/* The results of reading functions, computed on demand; reading does not change the world. */
struct cn_view {
    bool is_current;
    struct cn_world *world;
    struct cn_solve_summary summary;
    cn_pose *pose;                        /* body_max */
    struct cn_acceleration *acceleration; /* body_max */
    double *joint_force; /* CN_JOINT_PARTS for each of joint_max, at the present state [N or N m] */
    int joint_max;
    bool has_joint_force; /* else joints show the forces of the last step */
    struct cn_contact_view *contact;      /* 2 contact_max: touching ones, and past impacts */
    int contact_count;
    void *own; /* with a production: the block of these three arrays, of own_size bytes */
    size_t own_size;
    struct cn_asleep_view *asleep; /* with a production whose sleeping contacts were read */
};

/* blocks.c: zeroed memory at a multiple of 64 bytes; NULL without memory. */
void *cn_world_allocate(size_t size);

/* Counts a block that changes its size in the account.  False: the account is spent. */
CN_MUST_USE bool cn_world_take_memory(struct cn_world *world, size_t from, size_t to);

/* Makes room for `count` held inputs; false without memory. */
CN_MUST_USE bool cn_world_hold_room(struct cn_world *world, int count);

/* Makes room for `count` attributes; false without memory. */
CN_MUST_USE bool cn_world_attribute_room(struct cn_world *world, int count);

/* The same for moves of bodies. */
CN_MUST_USE bool cn_world_move_room(struct cn_world *world, int count);

/*
 * sense.c: finds the shapes within sensors after a tick, and makes room for `count` such pairs.
 * Both return false without memory, and have then changed nothing.
 */
CN_MUST_USE bool cn_world_sense(struct cn_world *world);
CN_MUST_USE bool cn_world_within_room(struct cn_world *world, int count);

/*
 * sense.c: judges which shapes pass through one-way shapes in the tick that begins, and makes room
 * for `count` such pairs.  False: no memory.
 */
CN_MUST_USE bool cn_world_pass(struct cn_world *world);
CN_MUST_USE bool cn_world_passage_room(struct cn_world *world, int count);

/*
 * Makes room for `count` more changes, as far as there is memory; without it the older changes are
 * forgotten sooner.
 */
void cn_world_change_room(struct cn_world *world, int count);

/* When the last tick's events did not fit, doubles the room for this one. */
void cn_world_event_room(struct cn_world *world);

/* Makes room for `contact_max` contacts, keeping warm starts and impulses. False: no memory. */
bool cn_world_grow(struct cn_world *world, int contact_max);

/*
 * Makes more room, up to the ceiling: half more, or just enough where that fails.  False: no
 * memory.
 */
CN_MUST_USE bool cn_world_make_room(struct cn_world *world, int needed);

/*
 * joint_break.c: removes joints that were overloaded in the ending tick.  False: no memory, and
 * none was removed.
 */
CN_MUST_USE bool cn_world_break_joints(struct cn_world *world);

/* view_production.c: the same for a world with a production; without memory nothing is shown. */

/* Memory for the poses of all bodies, of a view that is not current; NULL without memory. */
cn_pose *cn_view_poses(struct cn_world *world);

/*
 * Shows one pair's contacts, with forces from its impulses; returns their number.  `pair` needs no
 * manifold.
 */
int cn_view_show2(struct cn_contact_view *to, const struct cn_model *model,
    const struct cn_touch *pair, const struct cn_manifold2 *manifold);
int cn_view_show3(struct cn_contact_view *to, const struct cn_model *model,
    const struct cn_touch *pair, const struct cn_manifold3 *manifold);

/*
 * view_asleep.c: the contacts of sleeping bodies, ascending; returns their number, or -1 without
 * memory.  They are found when they are read, and again when the stored data has changed.
 */
int cn_view_asleep(
    struct cn_view *view, const struct cn_world *world, const struct cn_contact_view **contacts);

/*
 * The same for one pair of an outdated pipeline, as after an image was read: the pair has no
 * geometry yet.
 */
int cn_view_find_again(struct cn_view *view, const struct cn_pipeline *p,
    const struct cn_touch *pair, struct cn_contact_view *to);

int cn_view_count_asleep(const struct cn_world *world);
size_t cn_view_asleep_size(const struct cn_view *view); /* bytes */
void cn_view_forget_asleep(struct cn_view *view);

int cn_view_count_production(const struct cn_world *world);
void cn_view_update_production(struct cn_view *view, const struct cn_world *world);

/* memory.c: sets the ceiling of contacts by the world's memory and its present method. */
void cn_world_set_ceiling(struct cn_world *world);

/* Refuses a method that needs more memory than the world may have; changes nothing. */
CN_MUST_USE enum cn_status cn_world_check_method(const struct cn_world *world,
    const struct cn_stepper *stepper, const struct cn_solver *solver, const char *path,
    struct cn_defect *defect);

/* Between ticks: frees memory that removed bodies had. */
void cn_world_shrink(struct cn_world *world);

/* slice.c: runs pieces of a tick until one needs memory; false: `work` was spent before that. */
CN_MUST_USE bool cn_slice_advance(struct cn_world *world, int64_t work);

/* Finds the contacts' forces at the present state, in slice.instant; false: `work` is spent. */
CN_MUST_USE bool cn_slice_look(struct cn_world *world, int64_t work);

/* Gets a stack for slices if the world lacks one; false without memory. */
CN_MUST_USE bool cn_slice_ready(struct cn_world *world);

/* Finishes a stopped piece, however long that takes, before other data is read. */
void cn_slice_finish_piece(const struct cn_world *world);

/* Abandons stopped work: the world is about to be destroyed or replaced. */
void cn_slice_give_up(struct cn_world *world);

/* Refuses a name that is in no table; the text lists the names and the one that may be meant. */
CN_MUST_USE enum cn_status cn_world_refuse_name(struct cn_defect *defect, const char *path,
    const char *name, const char *const *names, int count);
CN_MUST_USE enum cn_status cn_world_refuse_stepper(
    struct cn_defect *defect, const char *path, const char *name);
CN_MUST_USE enum cn_status cn_world_refuse_solver(
    struct cn_defect *defect, const char *path, const char *name);

/* check/validate.c: checks one body, of a world with these settings and materials. */
CN_MUST_USE enum cn_status cn_body_def_check(
    const struct cn_world_def *def, const struct cn_body_def *body, struct cn_defect *defect);

/*
 * check/joint_check.c: checks one joint or curve; paths begin with its kind.  Where the world runs,
 * its bodies and curves are the model's, not the definition's.
 */
CN_MUST_USE enum cn_status cn_joint_def_check(const struct cn_world_def *def,
    const struct cn_model *model, const struct cn_joint_def *joint, struct cn_defect *defect);

/* joint_make.c: counts and fills the arrays of joints and curves; bodies are made first. */
void cn_world_count_joints(struct cn_model *model, const struct cn_world_def *def);
void cn_world_make_joints(struct cn_model *model, const struct cn_world_def *def);

/* A joint between the present positions of its bodies; it has no slot and no actuator yet. */
void cn_joint_make(const struct cn_model *model, const struct cn_joint_def *from,
    struct cn_joint *joint, struct cn_joint_state *state);

/* A curve from its definition; a spline fills and borrows knot[].  Returns the number of knots. */
int cn_curve_def_make(const struct cn_curve_def *from, bool planar, struct cn_curve *curve,
    struct cn_curve_knot *knot);

/*
 * Refuses a solver without friction in a world with friction; the text names solvers that have it.
 */
CN_MUST_USE enum cn_status cn_world_refuse_frictionless(
    struct cn_defect *defect, const char *path, const char *name);

/*
 * Refuses a solver without moments against rolling in a world with rolling or spinning friction.
 * The text begins with `what` and names the solvers that have them.
 */
CN_MUST_USE enum cn_status cn_world_check_moments(const struct cn_solver *solver,
    const char *path, const char *what, struct cn_defect *defect);

/* Refuses a mesh that the named solver does not support; the text names solvers that do. */
CN_MUST_USE enum cn_status cn_world_check_meshes(
    const char *name, const char *path, struct cn_defect *defect);

/* Refuses locks for a solver that does not support them. */
CN_MUST_USE enum cn_status cn_world_refuse_locks(
    struct cn_defect *defect, const char *path, const char *name);

/* Looks up stepper and solver by the names of the settings, which are in the tables. */
void cn_world_bind(struct cn_world *world);

/* Lays the scratch out for the present stepper and solver. False: no memory. */
bool cn_world_refit(struct cn_world *world);

/* Whether the scratch suffices for the present stepper, solver and materials. */
bool cn_world_fits(const struct cn_world *world);

#endif
