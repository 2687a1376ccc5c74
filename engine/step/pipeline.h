/*
 * pipeline.h: the production solver's step: thousands of bodies, soft contacts, substeps.
 *
 * A tick, in order:
 *
 *     pairs      shapes that may have come near (collide/proximity.h) join the pairs; what a body
 *                that is awake touches wakes
 *     begin      solver bodies of all that moves; forces
 *     collide    the manifolds of every awake pair: those that persist follow their bodies
 *                (collide/fast_base.h), the others come from the quick narrowphase (collide/fast.h)
 *     gather     events, the list of contacts, their colours (solve/color.h)
 *     prepare, solve, store     the substeps of solve/impulse.h
 *     calm       slow bodies that rest on contacts that persist lose speed (pipeline_calm.c)
 *     finish     poses in double, continuous collision, boxes
 *     doze       islands at rest fall asleep (step/sleep.h)
 *
 * What persists from tick to tick stands in the model, and here in pair[] and manifold[front]: the
 * pairs that touched, ascending by (shape_a, shape_b), with the features, hints and impulses of
 * their manifolds, and the bases of those that persist.  Pairs of bodies that sleep are in the
 * slumber (step/slumber.h) instead, without bases: the narrowphase finds them when they wake.
 * All else is derived: after an image is read it is built anew, and no result may tell the
 * difference.  So contacts are always treated in the order of their pairs, and a pair that does not
 * touch has no influence at all.
 *
 * Rooms: arrays by body and shape, by pair, and of contacts that sleep are three parts, each in a
 * block of its own, which the world replaces by a larger one between two pieces of a tick
 * (CN_ADVANCE_ROOM).  What one tick needs comes from the scratch of the call.
 *
 * Nothing in a tick looks at what rests: the pipeline follows what was made, removed, changed or
 * woken by the model's lists (model/life.h), and looks at everything only when these are lost.
 *
 * Source: see solve/impulse.h.
 */
#ifndef ENGINE_STEP_PIPELINE_H
#define ENGINE_STEP_PIPELINE_H

#include "engine/base/arena.h"
#include "engine/base/profile.h"
#include "engine/base/task.h"
#include "engine/collide/fast_planar.h"
#include "engine/collide/fast_spatial.h"
#include "engine/collide/fast_spatial_mesh.h"
#include "engine/collide/proximity.h"
#include "engine/model/model.h"
#include "engine/solve/impulse.h"
#include "engine/step/sleep.h"
#include "engine/step/slumber.h"

/* Two shapes that may touch: 20 bytes. */
struct cn_touch {
    int32_t a, b;      /* shapes, a < b */
    int32_t manifold;  /* of the last tick, in manifold[front]; -1: they did not touch */
    uint32_t flags;
    uint32_t axis; /* space: of shapes apart, the hint which axis parts them; decides nothing */
};

/* Slower approaches have no restitution where the scene does not say [m/s]. */
#define CN_PIPELINE_RESTING_VELOCITY 1.0

#define CN_TOUCH_SENSOR 1U /* one is a sensor: they are told, not solved */
#define CN_TOUCH_GONE 2U   /* apart, and their boxes too: leaves at the next merge */
#define CN_TOUCH_NOW 4U    /* they touch in this tick */
#define CN_TOUCH_HALF 8U   /* one shape is awake, the other's body sleeps */
#define CN_TOUCH_ENDED 16U /* its end was told of between ticks; it may begin again */
#define CN_TOUCH_HITS 32U  /* one wants to be told of hits */
#define CN_TOUCH_KEPT 64U  /* the manifold of this tick is that of the last one (fast_base.h) */

/* Of shapes in pieces (outlines, chains): from bit 16 on which two, 8 bits of B, 8 of A. */
#define CN_TOUCH_PIECES 0x8000U
#define CN_TOUCH_PIECES_SHIFT 16
#define CN_TOUCH_PIECE_A(flags) ((int)((flags) >> 24 & 0xffU))
#define CN_TOUCH_PIECE_B(flags) ((int)((flags) >> 16 & 0xffU))

/* How much there is room for. */
struct cn_pipeline_room {
    int body_max, shape_max, joint_max;
    int piece_max; /* shape_max, and the pieces of shapes that have several */
    size_t hull_size; /* bytes of float hulls */
    int pair_max;
    int sleep_max; /* contacts of which nobody is awake */
};

/* The blocks that room is laid out in. */
enum cn_pipeline_part { CN_PIPELINE_PAIRS, CN_PIPELINE_SLUMBER, CN_PIPELINE_BODIES };
#define CN_PIPELINE_PARTS 3

/* Slots side by side. */
struct cn_span {
    int32_t first, count;
};

/* What a tick reads of a shape, beside its geometry: many in a line of the cache. */
struct cn_shape_brief {
    int32_t material;
    float width, reach; /* of the shape [m] */
};

/* The bodies of a joint, -1 for none. */
struct cn_joint_ends {
    int32_t body_a, body_b;
};

struct cn_pipeline {
    struct cn_model *model;
    const struct cn_pipeline_ops *ops; /* of the plane or of space */
    bool stale;  /* what is derived has to be built anew, */
    bool forget; /* pairs that do not touch are to be found again, too */
    uint64_t version; /* of the model's structure, as of which all is known */
    struct cn_pipeline_room room;

    /* Persistent. */
    struct cn_touch *pair; /* ascending; those with a manifold are the contact cache */
    int pair_count, gone_count; /* of them, those that leave at the next merge */
    /*
     * cn_manifold2 or 3: [front] of the last tick, the other of this one.  Of a small world that is
     * always [0], and [1] lies in the scratch of the tick.
     */
    void *manifold[2];
    int front;
    int front_count; /* manifolds in [front], those included that lost their pair */
    struct cn_slumber slumber; /* contacts of which nobody is awake */

    /* Derived. */
    struct cn_proximity *proximity;
    struct cn_touch *pair_spare; /* the merge's target; NULL: it lies in the scratch of the tick */
    struct cn_pair *wide;           /* pairs of shapes in pieces whose boxes overlap, ascending */
    struct cn_fast_mesh_clear *clear; /* of each of them, where there are meshes; else NULL */
    int wide_count;
    int32_t *piece_first, *piece_count; /* of each shape: its pieces in shape[] and placed[]; of
                                         * a mesh: manifolds that it may have with another */
    cn_aabb *way; /* of each shape, where there are meshes: what it goes through in this tick */
    void *shape;                    /* cn_fast_shape2 or 3, of each piece */
    struct cn_fast_placed2 *placed; /* in the plane: of each piece */
    int32_t *shape_body;            /* of each shape; -1: there is none */
    struct cn_shape_brief *brief;   /* of each shape */
    struct cn_span *shapes_of;      /* of each body */
    struct cn_joint_ends *joint_ends; /* of each joint, as of which pairs are known */
    unsigned char *hull;            /* what spatial shapes borrow */
    size_t hull_used;
    void *place;                    /* cn_place2 or 3, of each body */
    int32_t *solver_body;           /* of each body: see CN_IMPULSE_FIXED */
    int32_t *awake;                 /* bodies that move, ascending: solver body k is awake[k] */
    int awake_count;
    int moved_count; /* behind those, up to here, in any order: what fell asleep at the end of the
                      * last tick, or was held; they had moved in it, too */
    struct cn_sleep sleep;
    int half_count;         /* pairs that are CN_TOUCH_HALF, or were */
    int32_t *back;          /* bodies whose contacts come back out of the slumber, */
    int back_count;         /* -1: unknown, there are too many */
    uint64_t rest_version;  /* of the model, as of which it is known who sleeps */

    /* Of the last tick, for people. */
    int touching_count, color_count, overflow_count;
    int sample_count; /* points of meshes and of what was near them that were looked up */

    /* Of the last tick: by them room is asked for before meshes are met, not after. */
    int mesh_count;     /* manifolds of meshes */
    size_t beyond_size; /* of the scratch, taken after meshes were met */
    int repeat_count;   /* how often meshes were met in vain, since what came after had no room */

    /* Set with CN_ADVANCE_ROOM: what is wanted; 0, false: there is enough. */
    int pair_needed;
    int sleep_needed;
    bool body_needed; /* of bodies, shapes and joints: as the model wants */
    size_t scratch_needed;
};

/* What a step is given beside the pipeline; the bits depend on none of it. */
struct cn_pipeline_tools {
    const struct cn_impulse_kernel *kernel; /* NULL: the best that this processor runs */
    struct cn_crew *crew;                   /* NULL: the caller alone */
    struct cn_profile *profile;             /* NULL: nobody measures */
};

/* The room that a model needs at the least; none for pairs and contacts that sleep. */
struct cn_pipeline_room cn_pipeline_room_of(const struct cn_model *model);

/* Sets an empty pipeline up, stale and without any room; the world adds memory. */
void cn_pipeline_init(struct cn_pipeline *pipeline, struct cn_model *model);

/* The room of one part from `from`, into `to`; and whether it is the same. */
void cn_pipeline_room_set(struct cn_pipeline_room *to, const struct cn_pipeline_room *from,
    enum cn_pipeline_part part);
bool cn_pipeline_room_is(const struct cn_pipeline_room *a, const struct cn_pipeline_room *b,
    enum cn_pipeline_part part);

/* Lays out the arrays of a part for pipeline->room, on any arena. */
void cn_pipeline_layout(
    struct cn_pipeline *pipeline, enum cn_pipeline_part part, struct cn_arena *arena);

/*
 * Copies a part from a pipeline of less room, if it has any, into one just laid out, which is
 * otherwise the same.  Bodies are stale then, the other parts are as they were.
 */
void cn_pipeline_take_over(struct cn_pipeline *pipeline, const struct cn_pipeline *before,
    enum cn_pipeline_part part);

/* Advances by a tick. False: nothing changed that counts, and what is wanted is set. */
bool cn_pipeline_step(struct cn_pipeline *pipeline, const struct cn_pipeline_tools *tools,
    struct cn_arena scratch, int64_t *work);

/*
 * Wakes what sleeps and touches a body, which is about to go, to be placed elsewhere or to change.
 * Bodies that move by impulses do so by their islands; this is for those that do not.
 */
void cn_pipeline_disturb(struct cn_pipeline *pipeline, int body);

/*
 * Contacts that end because a body goes or becomes another, or a joint parts it from `other` (-1:
 * all of its): those whose end is to be told, in any order, some of several pieces.  How many; with
 * `key` they are named and marked, and then told of by their shapes.  `spare` is scratch
 * for as many.
 */
int cn_pipeline_take_ends(struct cn_pipeline *pipeline, int body, int other, uint64_t *key);
void cn_pipeline_tell_ends(
    struct cn_pipeline *pipeline, uint64_t *key, uint64_t *spare, int count);

/* CN_TOUCH_SENSOR and CN_TOUCH_HITS of two shapes. */
uint32_t cn_pipeline_kind(const struct cn_model *model, int32_t shape_a, int32_t shape_b);

/* Overlap that is left alone [m], and the distance within which contacts are made. */
double cn_pipeline_slop(const struct cn_model *model);
double cn_pipeline_margin(const struct cn_model *model);

#endif
