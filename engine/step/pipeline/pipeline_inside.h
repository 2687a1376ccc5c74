/*
 * pipeline_inside.h: shared by the files of the pipeline: one tick, and the functions that differ
 * between the plane and space.
 *
 * The files are in layers, and a file calls only those of lower layers:
 *
 *     pipeline                                the order of a tick
 *     derive, pairs, gather, solve, finish    its parts
 *     again
 *     energy
 *     pieces, deep, continuous, planar, spatial, joints, bounce, drags, calm
 *     meshes, boxes, events, color, springs
 *     touch, sleep, moving, batches
 *     memory
 *
 * Below them are the modules with headers of their own: sleep.h, asleep.h, continuous.h.
 */
#ifndef ENGINE_STEP_PIPELINE_PIPELINE_INSIDE_H
#define ENGINE_STEP_PIPELINE_PIPELINE_INSIDE_H

#include "engine/base/profile.h"
#include "engine/base/task.h"
#include "engine/constraint/force.h"
#include "engine/solve/impulse/color.h"
#include "engine/solve/impulse/impulse.h"
#include "engine/solve/joints/impulse_joint.h"
#include "engine/solve/joints/impulse_joint_chain.h"
#include "engine/step/pipeline/pipeline_state.h"

#define CN_PIPELINE_JOINT_GRAIN 16 /* blocks of joints that one worker takes at once */
#define CN_PIPELINE_PAIR_GRAIN 1024 /* pairs of a piece of the list, whose contacts it gathers */

/* The end of the piece that begins with `start`, in a range of pairs. */
static inline int
cn_pipeline_piece_end(int start, int end)
{
    return end - start > CN_PIPELINE_PAIR_GRAIN ? start + CN_PIPELINE_PAIR_GRAIN : end;
}

struct cn_pipeline_drag;   /* pipeline_drags.c */
struct cn_pipeline_island; /* pipeline_energy.c */
struct cn_pipeline_spring; /* pipeline_springs.c */
struct cn_start; /* continuous.h */
struct cn_stop;

/*
 * Solver bodies that no contact connects with others, and their contacts.  There is one batch of
 * all, or several, which any workers solve in any order (pipeline_batches.c).
 */
struct cn_pipeline_batch {
    int body_first, body_end;
    int first, end; /* contacts, in by_batch[] */
    struct cn_coloring coloring;
    int block_first, block_end; /* of the contacts with a colour */
    int rest_first, rest_end;   /* of those without */
};

/* The data of pipeline_energy.c. */
struct cn_pipeline_energy {
    float *excess;   /* see struct cn_impulse_job */
    double *sum;     /* of excess, by root */
    uint8_t *rose;   /* by BODY_GRAIN bodies: one of them gained energy */
    int32_t *parent; /* by solver body: islands (engine/base/union_find.h) */
    struct cn_pipeline_island *island;
    unsigned char *body; /* the solver's bodies after the first solve */
    struct cn_joint_state *joint;
};

/* One tick of a pipeline; its arrays are in the scratch. */
struct cn_pipeline_tick {
    struct cn_pipeline *p;
    cn_pose *bounce_pose; /* NULL: no joint has restitution */
    const struct cn_impulse_kernel *kernel;
    struct cn_crew *crew;
    struct cn_profile *profile;
    struct cn_arena scratch;
    size_t scratch_needed; /* the size that it needed, if it was too small */

    double duration;               /* of the tick [s] */
    float margin;                  /* contacts are made within it [m] */
    struct cn_impulse_tick tick;
    struct cn_wrench *wrench;      /* of each body, of held forces and torques, or NULL */
    struct cn_pipeline_spring *spring; /* springs that pull at a body that moves */
    int spring_count;
    struct cn_pipeline_drag *drag; /* likewise */
    int drag_count;
    struct cn_motion *attracted;   /* of each body, if mutual gravity acts; else NULL */
    struct cn_wrench *attraction;
    void *body, *carry, *mass, *drive; /* of the solver's bodies */
    bool *runaway;                 /* by solver body: its motion is not valid */
    bool *hasty;                   /* by solver body: it may be fast */
    bool *within;                  /* by solver body: its shapes are within their boxes */
    uint8_t *stand;                /* by solver body: whether it stands (pipeline_calm.c) */
    float *lightness;              /* by solver body: inverse of the mass that it is given */
    uint8_t *grip;                 /* by contact: whether it may be part of a chain */
    struct cn_pipeline_edge *edge; /* contacts between bodies that may stand */
    int edge_count;
    bool calms;                    /* this tick slows bodies that stand */
    bool chains_wait;              /* stand[] is not known yet, but edges can be found */
    struct cn_impulse_heat *heat;  /* by solver body */
    struct cn_pipeline_energy *energy; /* pipeline_energy.c */
    int again_count;               /* contacts of islands that were solved again */
    struct cn_start *start;        /* by solver body, if some body is fast */
    struct cn_stop *stop;

    struct cn_pipeline_meshes *meshes; /* the contacts of meshes; NULL: no meshes */
    struct cn_pipeline_deep *deep;     /* NULL: no meshes; pipeline_deep.c */
    int look_count;                    /* tests of pairs by pipeline_deep.c */
    size_t met_used;                   /* of the scratch after colliding meshes; 0: not yet */
    struct cn_impulse_contact *contact; /* contacts that touch, in the order of their pairs */
    struct cn_color_pair *ends;         /* their bodies once more, for loops that read no more */
    int contact_count;
    bool bounces; /* a contact has restitution */
    bool *turned; /* by piece of the pairs: nothing was to be reported (pipeline_events.c) */
    struct cn_pipeline_batch *batch;    /* ascending by their bodies */
    int batch_count;
    int32_t *by_batch;                  /* contacts, sorted by batches; NULL: one batch */
    struct cn_impulse_job job;          /* of contacts with a colour */
    struct cn_impulse_job rest;         /* of contacts without a colour: one after the other */
    int rest_count;

    struct cn_coloring joint_coloring;
    struct cn_impulse_joint_plan joint_plan, joint_rest_plan;
    struct cn_impulse_joint_job joint, joint_rest; /* in colours, and one after the other */
    struct cn_impulse_joint_chains chains;
    struct cn_impulse_joint_plan chain_plan;
    struct cn_impulse_joint_job chain; /* each chain as a whole */
    int joint_first[CN_COLORS_MAX + 1];            /* the first block of each colour */
};

/* The functions that differ between the plane and space. */
struct cn_pipeline_ops {
    size_t shape_size, placed_size, place_size, manifold_size; /* bytes of one */
    size_t body_size, carry_size, mass_size, drive_size;

    int (*pieces)(const struct cn_shape *shape); /* the number of pieces, >= 1 */
    size_t (*hull_room)(const struct cn_shape *shape);
    void (*bake)(struct cn_pipeline *p, int shape);
    void (*place)(struct cn_pipeline *p, int body);              /* place[body] from its motion */
    /* Bounds of a shape whose body is placed, grown by a margin. */
    cn_aabb (*bounds)(const struct cn_pipeline *p, int shape, double margin);
    /* Whether a moving shape is quickly seen to be within its fat box; NULL: compare its bounds. */
    bool (*stays)(const struct cn_pipeline *p, int shape, double margin);
    void (*begin)(struct cn_pipeline_tick *t, int solver_body);  /* body, mass, drive */
    void (*collide)(struct cn_pipeline_tick *t, int first, int end); /* pairs */
    /*
     * Sets motion and place after the tick.  If a motion is not valid, sets runaway and changes
     * nothing.
     */
    void (*finish)(struct cn_pipeline_tick *t, int first, int end);
    bool (*is_hasty)(struct cn_pipeline_tick *t, int solver_body); /* whether it may be fast */
    void (*start)(struct cn_pipeline_tick *t, int solver_body);    /* start[] from motion, back */
    void (*forget)(struct cn_pipeline *p, int manifold); /* its impulses, of this tick */
    /*
     * After the substeps: the speed of the fastest point [m/s]; multiplies velocities, and in space
     * shortens the way of the tick accordingly.
     */
    double (*speed)(const struct cn_pipeline_tick *t, int solver_body);
    void (*slow)(struct cn_pipeline_tick *t, int solver_body, float keep);
    /*
     * Whether a manifold bears a load, and its friction is below that load times `friction`.  Then
     * sets *lasts: whether it may persist (collide/fast/fast_base.h).
     */
    bool (*sticks)(
        const struct cn_pipeline_tick *t, int manifold, float friction, bool *lasts);
    float (*rise)(const struct cn_pipeline_tick *t, int manifold, cn_vec3 up); /* normal . up */
    bool (*is_uneven)(const struct cn_pipeline_tick *t); /* whether masses differ */
    float (*lightness)(const struct cn_pipeline_tick *t, int solver_body); /* 1 / mass */
    /* Before the substeps: divides mass and inertia by `scale`; weight and forces stay. */
    void (*weigh)(struct cn_pipeline_tick *t, int solver_body, float scale);
    const struct cn_impulse_stages *(*stages)(const struct cn_impulse_kernel *kernel);
};

extern const struct cn_pipeline_ops cn_pipeline_planar, cn_pipeline_spatial;

/* pipeline_memory.c */

/* The room that a model needs at least, by the functions of its dimension. */
struct cn_pipeline_room cn_pipeline_room_for(
    const struct cn_model *model, const struct cn_pipeline_ops *ops);

/* Whether the scratch has room for `size` bytes; if not, sets scratch_needed. */
bool cn_pipeline_has(struct cn_pipeline_tick *t, size_t size);

/* Takes from the scratch of the tick; NULL, and scratch_needed is set, when it is too small. */
void *cn_pipeline_take(struct cn_pipeline_tick *t, size_t size);
#define CN_PIPELINE_TAKE(t, type, count)                                                           \
    ((type *)cn_pipeline_take((t), (size_t)(count) * sizeof(type)))

/*
 * The manifolds of this tick, for the pairs found.  A small world takes them from the scratch, and
 * keeps them at the end of the tick.  Bodies that wake may add pairs after a take.
 */
bool cn_pipeline_take_manifolds(struct cn_pipeline_tick *t); /* false: no scratch */
void cn_pipeline_keep_manifolds(struct cn_pipeline *p);

/* pipeline_touch.c: whether two shapes may touch.  With a sensor, one of the two must move. */
bool cn_pipeline_may_touch(const void *model, int32_t shape_a, int32_t shape_b);

/* pipeline_sleep.c */
bool cn_pipeline_moves(const struct cn_model *model, int body); /* when it is awake */

/*
 * List the awake bodies, and let pairs between sleeping bodies sleep.  The first visits all bodies.
 * The second follows model->woken, and the bodies that now sleep or do not move.
 */
void cn_pipeline_list_all(struct cn_pipeline *p);
void cn_pipeline_list(struct cn_pipeline *p);

bool cn_pipeline_rests(const struct cn_pipeline *p, int32_t shape_a, int32_t shape_b);
uint32_t cn_pipeline_half_asleep(const struct cn_pipeline *p, int32_t shape_a, int32_t shape_b);

/*
 * Keys of sleeping contacts of bodies that woke, some twice, in any order; returns their number.  A
 * find brings back contacts of pairs that are near; these remain because their body was placed
 * elsewhere.
 */
int cn_pipeline_left_behind(const struct cn_pipeline *p, uint64_t *key);

/* Gives a pair the contact that it had when it fell asleep, if it had one, in manifold[front]. */
void cn_pipeline_bring_back(struct cn_pipeline *p, struct cn_touch *pair);

/*
 * Wakes bodies that are held or touched.  True: pairs must be found again, and then this called
 * again.
 */
bool cn_pipeline_wake(struct cn_pipeline_tick *t);

/* Lets still bodies fall asleep. */
void cn_pipeline_doze(struct cn_pipeline_tick *t);

/* pipeline_boxes.c: updates the boxes of a body's shapes. */
void cn_pipeline_put(struct cn_pipeline *p, int body);
/* Whether that would change nothing; false: perhaps.  For bodies that move. */
bool cn_pipeline_is_within(const struct cn_pipeline *p, int body);

/* pipeline_events.c */

/* Reports what began and ended.  From then on the manifolds of this tick are those in front. */
void cn_pipeline_turn(struct cn_pipeline_tick *t);

/* After the solve: reports the pairs whose shapes press on each other with enough force. */
void cn_pipeline_tell_forces(const struct cn_pipeline_tick *t);

/* Reports the ends of a body's contacts, because it is quarantined. */
void cn_pipeline_tell_held(struct cn_pipeline *p, int body);

/* pipeline_meshes.c */

/*
 * Collides wide[] in space.  False: scratch or room is too small, or would be for the next steps.
 */
bool cn_pipeline_meet_meshes(struct cn_pipeline_tick *t);
/* The contacts that were found of pair i of wide[]. */
const struct cn_fast_mesh_found *cn_pipeline_mesh_found(const struct cn_pipeline_tick *t, int i);
/* Like cn_pipeline_expand, for the contacts that were found. */
int cn_pipeline_name_meshes(struct cn_pipeline_tick *t, int max, struct cn_touch *to);
/*
 * Collides the first pair of two shapes, and the pairs behind it that are of the same two; returns
 * their number.
 */
int cn_pipeline_collide_mesh(struct cn_pipeline_tick *t, int first);

/* pipeline_batches.c: makes one batch or more.  False: no scratch. */
bool cn_pipeline_make_batches(struct cn_pipeline_tick *t);

/* pipeline_color.c: false: no scratch */
bool cn_pipeline_color_pairs(struct cn_pipeline_tick *t, const struct cn_color_pair *pair,
    int count, int32_t *order, struct cn_coloring *coloring);
bool cn_pipeline_color(struct cn_pipeline_tick *t);

/* pipeline_springs.c: the scene's springs; a sweep returns whether another one is worth it. */
bool cn_pipeline_begin_springs(struct cn_pipeline_tick *t); /* false: no scratch */
void cn_pipeline_aim_springs(struct cn_pipeline_tick *t);
bool cn_pipeline_pull_springs(struct cn_pipeline_tick *t, bool back);
void cn_pipeline_spring_ends(const struct cn_pipeline_tick *t, int spring, int32_t name[2]);

/*
 * pipeline_pieces.c: moves pairs of shapes in pieces out of those found; returns the number left.
 */
int cn_pipeline_set_aside(struct cn_pipeline *p, struct cn_pair *found, int count);
void cn_pipeline_put_wide(struct cn_pipeline *p, int to, int from); /* with its derived data */
void cn_pipeline_drop_far(struct cn_pipeline *p); /* from wide[]: boxes apart, both at rest */
/*
 * In the plane: lists pairs of pieces that are near, ascending, with names.  Returns their number,
 * which may be above max.
 */
int cn_pipeline_expand(const struct cn_pipeline_tick *t, int max, struct cn_touch *to);
void cn_pipeline_name_pieces(struct cn_pipeline *p);

/* pipeline_deep.c: stops bodies on their ways from start[] before meshes get deep in each other */
bool cn_pipeline_begin_deep(struct cn_pipeline_tick *t); /* false: no scratch */
int cn_pipeline_stop_deep(struct cn_pipeline_tick *t);   /* returns the number of tests of pairs */

/* pipeline_continuous.c */
bool cn_pipeline_begin_continuous(struct cn_pipeline_tick *t);
void cn_pipeline_continuous(struct cn_pipeline_tick *t);

/* pipeline_joints.c */
bool cn_pipeline_begin_joints(struct cn_pipeline_tick *t);
void cn_pipeline_prepare_joints(struct cn_pipeline_tick *t);
void cn_pipeline_warm_joints(struct cn_pipeline_tick *t);
void cn_pipeline_solve_joints(struct cn_pipeline_tick *t, bool use_bias);
void cn_pipeline_cool_joints(struct cn_pipeline_tick *t);
void cn_pipeline_store_joints(struct cn_pipeline_tick *t);

/* pipeline_bounce.c; the first returns false without scratch */
bool cn_pipeline_ready_bounces(struct cn_pipeline_tick *t);
void cn_pipeline_bounce_joints(struct cn_pipeline_tick *t);

/* pipeline_energy.c: islands whose energy grew; false: no scratch */
bool cn_pipeline_begin_energy(struct cn_pipeline_tick *t);
bool cn_pipeline_gained(struct cn_pipeline_tick *t); /* whether some island gained energy */
/* pipeline_again.c: solves these again */
void cn_pipeline_begin_again(struct cn_pipeline_tick *t); /* of these islands alone */
void cn_pipeline_cool(struct cn_pipeline_tick *t);        /* bodies carry no impulses on */
void cn_pipeline_bound_bounces(struct cn_pipeline_tick *t); /* since the last call of cool */
void cn_pipeline_end_again(struct cn_pipeline_tick *t);

/* pipeline_drags.c: springs, drags and gravitation, once a substep, before joints and contacts. */
bool cn_pipeline_begin_drags(struct cn_pipeline_tick *t);      /* false: no scratch */
int32_t cn_pipeline_drag_end(const struct cn_pipeline_tick *t, int drag); /* its body */
bool cn_pipeline_begin_attraction(struct cn_pipeline_tick *t); /* likewise */
void cn_pipeline_pull(struct cn_pipeline_tick *t);

/* pipeline_calm.c: the first returns false without scratch */
bool cn_pipeline_begin_calm(struct cn_pipeline_tick *t);
void cn_pipeline_find_standing(struct cn_pipeline_tick *t); /* before the substeps, */
void cn_pipeline_calm(struct cn_pipeline_tick *t);          /* and after them */
/* Between the two: finds the chains.  One worker does this while others solve. */
void cn_pipeline_chain(struct cn_pipeline_tick *t);

/* pipeline_derive.c: updates the derived data from the model.  False: room is lacking. */
bool cn_pipeline_derive(struct cn_pipeline *p);

/* pipeline_pairs.c; functions that may lack scratch or room return false then. */
bool cn_pipeline_find_pairs(struct cn_pipeline_tick *t);
void cn_pipeline_collide(struct cn_pipeline_tick *t);

/* pipeline_gather.c: lists the contacts.  False: scratch or room is lacking. */
bool cn_pipeline_gather(struct cn_pipeline_tick *t);

/* pipeline_solve.c */
void cn_pipeline_set_tick(struct cn_pipeline_tick *t);
bool cn_pipeline_begin(struct cn_pipeline_tick *t);
void cn_pipeline_solve(struct cn_pipeline_tick *t);

/* pipeline_finish.c */
void cn_pipeline_finish(struct cn_pipeline_tick *t);

#endif
