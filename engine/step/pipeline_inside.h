/*
 * pipeline_inside.h: what the files of the pipeline share: one tick, and what differs between the
 * plane and space.
 */
#ifndef ENGINE_STEP_PIPELINE_INSIDE_H
#define ENGINE_STEP_PIPELINE_INSIDE_H

#include "engine/constraint/force.h"
#include "engine/solve/color.h"
#include "engine/solve/impulse_joint.h"
#include "engine/solve/impulse_joint_chain.h"
#include "engine/step/pipeline.h"

#define CN_PIPELINE_JOINT_GRAIN 16 /* blocks of joints that one worker takes at once */

struct cn_pipeline_drag;   /* pipeline_drags.c */
struct cn_pipeline_spring; /* pipeline_springs.c */
struct cn_start; /* continuous.h */
struct cn_stop;

/* One tick of a pipeline; arrays lie in the scratch. */
struct cn_pipeline_tick {
    struct cn_pipeline *p;
    cn_pose *bounce_pose; /* NULL: no joint has restitution */
    const struct cn_impulse_kernel *kernel;
    struct cn_crew *crew;
    struct cn_profile *profile;
    struct cn_arena scratch;
    size_t scratch_needed; /* where it was too small */

    double duration;               /* of the tick [s] */
    float margin;                  /* within which contacts are made [m] */
    struct cn_impulse_tick tick;
    struct cn_wrench *wrench;      /* of each body, of held forces and torques; NULL: none */
    struct cn_pipeline_spring *spring; /* that pull at a body that moves */
    int spring_count;
    struct cn_pipeline_drag *drag; /* likewise */
    int drag_count;
    struct cn_motion *attracted;   /* of each body, where all attract all; NULL: they do not */
    struct cn_wrench *attraction;
    void *body, *carry, *mass, *drive; /* of the solver's bodies */
    bool *runaway;                 /* of each: its numbers are none */
    bool *hasty;                   /* of each: it may be fast */
    uint8_t *calm;                 /* of each: pipeline_calm.c */
    struct cn_start *start;        /* of each, where some body is fast */
    struct cn_stop *stop;

    struct cn_pipeline_meshes *meshes; /* what was found of them; NULL: there are none */
    struct cn_pipeline_deep *deep;     /* likewise; pipeline_deep.c */
    int look_count;                    /* of it, at pairs */
    size_t met_used;                   /* of the scratch when they had been met; 0: they were not */
    struct cn_impulse_contact *contact; /* that touch, in the order of their pairs */
    int contact_count;
    struct cn_coloring coloring;        /* of job's contacts, which are the same by colours */
    struct cn_impulse_job job;          /* of those in colours */
    struct cn_impulse_job rest;         /* of those in none: one after the other */
    int rest_count;

    struct cn_coloring joint_coloring;
    struct cn_impulse_joint_plan joint_plan, joint_rest_plan;
    struct cn_impulse_joint_job joint, joint_rest; /* in colours, and one after the other */
    struct cn_impulse_joint_chains chains;
    struct cn_impulse_joint_plan chain_plan;
    struct cn_impulse_joint_job chain; /* each chain at once */
    int joint_first[CN_COLORS_MAX + 1];            /* the first block of each colour */
};

/* What is different in the plane and in space. */
struct cn_pipeline_ops {
    size_t shape_size, placed_size, place_size, manifold_size; /* bytes of one */
    size_t body_size, carry_size, mass_size, drive_size;

    int (*pieces)(const struct cn_shape *shape); /* how many it has, >= 1 */
    size_t (*hull_room)(const struct cn_shape *shape);
    void (*bake)(struct cn_pipeline *p, int shape);
    void (*place)(struct cn_pipeline *p, int body);              /* place[body] from its motion */
    /* Bounds of a shape whose body is placed, grown by a margin. */
    cn_aabb (*bounds)(const struct cn_pipeline *p, int shape, double margin);
    /* Whether a moving shape is seen to be within its fat box; NULL: ask by its bounds. */
    bool (*stays)(const struct cn_pipeline *p, int shape, double margin);
    void (*begin)(struct cn_pipeline_tick *t, int solver_body);  /* body, mass, drive */
    void (*collide)(struct cn_pipeline_tick *t, int first, int end); /* pairs */
    /* Motion and place after the tick; sets runaway: numbers that are none, nothing was changed. */
    void (*finish)(struct cn_pipeline_tick *t, int first, int end);
    bool (*is_hasty)(struct cn_pipeline_tick *t, int solver_body); /* it may be fast */
    void (*start)(struct cn_pipeline_tick *t, int solver_body);    /* start[] from motion, back */
    void (*forget)(struct cn_pipeline *p, int manifold); /* its impulses, of this tick */
    /* After the substeps: of the fastest point [m/s]; multiplies velocities. */
    double (*speed)(const struct cn_pipeline_tick *t, int solver_body);
    void (*slow)(struct cn_pipeline_tick *t, int solver_body, float keep);
    /* Whether a manifold bears a load, and friction is below so many times that. */
    bool (*sticks)(const struct cn_pipeline_tick *t, int manifold, float friction);
    const struct cn_impulse_stages *(*stages)(const struct cn_impulse_kernel *kernel);
};

extern const struct cn_pipeline_ops cn_pipeline_planar, cn_pipeline_spatial;

/* Whether the scratch has room for so much; else scratch_needed is set. */
bool cn_pipeline_has(struct cn_pipeline_tick *t, size_t size);

/* Takes from the scratch of the tick; NULL, and scratch_needed is set, when it is too small. */
void *cn_pipeline_take(struct cn_pipeline_tick *t, size_t size);
#define CN_PIPELINE_TAKE(t, type, count)                                                           \
    ((type *)cn_pipeline_take((t), (size_t)(count) * sizeof(type)))

/* pipeline_pairs.c; those that may lack scratch or room answer false then. */
bool cn_pipeline_may_touch(const void *model, int32_t shape_a, int32_t shape_b);
bool cn_pipeline_find_pairs(struct cn_pipeline_tick *t);
void cn_pipeline_collide(struct cn_pipeline_tick *t);
bool cn_pipeline_gather(struct cn_pipeline_tick *t);
/* Events of what began and ended; from then on the manifolds of this tick are those in front. */
void cn_pipeline_turn(struct cn_pipeline_tick *t);

/* Whether those who are told know that a pair touches. */
static inline bool
cn_pipeline_is_begun(const struct cn_touch *pair)
{
    return pair->manifold >= 0 && (pair->flags & CN_TOUCH_ENDED) == 0;
}

/* Tells that contacts end which a body has no more, since it is held. */
void cn_pipeline_tell_held(struct cn_pipeline *p, int body);

/* pipeline_derive.c: brings what is derived up to date with the model. False: room is lacking. */
bool cn_pipeline_derive(struct cn_pipeline *p);

/* pipeline_sleep.c */
bool cn_pipeline_moves(const struct cn_model *model, int body); /* when it is awake */

/*
 * Lists who is awake, and lets pairs of which nobody is rest: from all bodies; or after what is in
 * model->woken, and those that sleep now or do not move.
 */
void cn_pipeline_list_all(struct cn_pipeline *p);
void cn_pipeline_list(struct cn_pipeline *p);

bool cn_pipeline_rests(const struct cn_pipeline *p, int32_t shape_a, int32_t shape_b);
uint32_t cn_pipeline_half_asleep(const struct cn_pipeline *p, int32_t shape_a, int32_t shape_b);

/*
 * Keys of contacts that sleep though one of their bodies has woken, some twice, in any order; how
 * many.  A find brings back those that are near: these were before the body was placed elsewhere.
 */
int cn_pipeline_left_behind(const struct cn_pipeline *p, uint64_t *key);

/* Gives a pair the contact that it had when it fell asleep, in manifold[front], if it had one. */
void cn_pipeline_bring_back(struct cn_pipeline *p, struct cn_touch *pair);

/* Wakes what is held or touched; true: pairs are to be found again, and then this. */
bool cn_pipeline_wake(struct cn_pipeline_tick *t);

/* Lets fall asleep what is still. */
void cn_pipeline_doze(struct cn_pipeline_tick *t);

/* pipeline_pieces.c: takes pairs of shapes in pieces out of what was found; how many are left. */
int cn_pipeline_set_aside(struct cn_pipeline *p, struct cn_pair *found, int count);
void cn_pipeline_put_wide(struct cn_pipeline *p, int to, int from); /* with what is known of it */
/*
 * Pairs of pieces that are near, ascending, named; how many, which may be above max; -1 where
 * scratch or room is too small.
 */
int cn_pipeline_expand(struct cn_pipeline_tick *t, int max, struct cn_touch *to);
void cn_pipeline_name_pieces(struct cn_pipeline *p);

/* pipeline_meshes.c: the way of a shape in the tick, as far as one can see when it begins. */
cn_aabb cn_pipeline_way(const struct cn_pipeline *p, int shape, double margin);
/* Looks at wide[] in space; false: scratch or room is too small, or would be for what follows. */
bool cn_pipeline_meet_meshes(struct cn_pipeline_tick *t);
/* What was found of pair i of wide[]. */
const struct cn_fast_mesh_found *cn_pipeline_mesh_found(const struct cn_pipeline_tick *t, int i);
/* As cn_pipeline_expand, of what was found. */
int cn_pipeline_name_meshes(struct cn_pipeline_tick *t, int max, struct cn_touch *to);
/* Collides the pair, and with it those behind it that are of the same two shapes; how many. */
int cn_pipeline_collide_mesh(struct cn_pipeline_tick *t, int first);

static inline uint64_t
cn_touch_key(const struct cn_touch *pair)
{
    return cn_slumber_key_of(pair->a, pair->b, pair->flags >> CN_TOUCH_PIECES_SHIFT);
}

/* pipeline_solve.c */
void cn_pipeline_set_tick(struct cn_pipeline_tick *t);
bool cn_pipeline_begin(struct cn_pipeline_tick *t);
bool cn_pipeline_color_pairs(struct cn_pipeline_tick *t, const struct cn_color_pair *pair,
    int count, int32_t *order, struct cn_coloring *coloring);
bool cn_pipeline_color(struct cn_pipeline_tick *t);
void cn_pipeline_solve(struct cn_pipeline_tick *t);

/* pipeline_calm.c: the first answers false without scratch */
bool cn_pipeline_begin_calm(struct cn_pipeline_tick *t);
void cn_pipeline_calm(struct cn_pipeline_tick *t);

/* pipeline_springs.c: those of the scene. One sweep, whether it is worth another. */
bool cn_pipeline_begin_springs(struct cn_pipeline_tick *t); /* false: no scratch */
void cn_pipeline_aim_springs(struct cn_pipeline_tick *t);
bool cn_pipeline_pull_springs(struct cn_pipeline_tick *t, bool back);

/* pipeline_drags.c: these, drags and gravitation, once a substep, before joints and contacts. */
bool cn_pipeline_begin_drags(struct cn_pipeline_tick *t);      /* false: no scratch */
bool cn_pipeline_begin_attraction(struct cn_pipeline_tick *t); /* likewise */
void cn_pipeline_pull(struct cn_pipeline_tick *t);

/* pipeline_bounce.c; the first answers false without scratch */
bool cn_pipeline_ready_bounces(struct cn_pipeline_tick *t);
void cn_pipeline_bounce_joints(struct cn_pipeline_tick *t);

/* pipeline_joints.c */
bool cn_pipeline_begin_joints(struct cn_pipeline_tick *t);
void cn_pipeline_prepare_joints(struct cn_pipeline_tick *t);
void cn_pipeline_warm_joints(struct cn_pipeline_tick *t);
void cn_pipeline_solve_joints(struct cn_pipeline_tick *t, bool use_bias);
void cn_pipeline_store_joints(struct cn_pipeline_tick *t);

/* pipeline_continuous.c */
bool cn_pipeline_begin_continuous(struct cn_pipeline_tick *t);
void cn_pipeline_continuous(struct cn_pipeline_tick *t);

/* pipeline_deep.c: stops bodies before meshes get deep in each other, on their ways from start[] */
bool cn_pipeline_begin_deep(struct cn_pipeline_tick *t); /* false: no scratch */
int cn_pipeline_stop_deep(struct cn_pipeline_tick *t);   /* how many looks at pairs it took */

/* pipeline_finish.c */
void cn_pipeline_put(struct cn_pipeline *p, int body); /* the boxes of its shapes */
void cn_pipeline_finish(struct cn_pipeline_tick *t);

#endif
