/*
 * pipeline_state.h: the data of a pipeline, and its functions between ticks.
 *
 * Persistent data is in the model, and here in pair[] and manifold[front]: the pairs that touched,
 * ascending by (shape_a, shape_b), with the features, hints and impulses of their manifolds, and
 * the bases of those that persist.  Pairs of sleeping bodies are in a table of their own instead
 * (step/pipeline/asleep.h), without bases: the narrowphase finds them when they wake.  All other
 * data is derived.  After an image is read it is built again, and no result may depend on that.  So
 * contacts are always treated in the order of their pairs, and a pair that does not touch has no
 * influence.
 *
 * Rooms: there are three parts, which are arrays by body and shape, arrays by pair, and contacts
 * that sleep.  Each part is in a block of its own.  The world replaces it by a larger one between
 * two pieces of a tick (CN_ADVANCE_ROOM).  The data of one tick is in the scratch of the call.
 *
 * Between ticks:
 *
 *     1. pair[] and wide[] ascend by their shapes and pieces.  Both fit into room.pair_max.
 *     2. A pair's manifold is below front_count, and that is at most room.pair_max.
 *     3. awake[] ascends.  Solver body k is awake[k]; the other bodies are CN_IMPULSE_FIXED.
 *     4. asleep has the capacity room.sleep_max.
 *     5. No room lacks: what is needed is set only with CN_ADVANCE_ROOM.
 *
 * A tick does not visit bodies at rest.  The pipeline follows the model's lists of bodies that were
 * made, removed, changed or woken (model/life.h), and visits all bodies only when these are lost.
 */
#ifndef ENGINE_STEP_PIPELINE_PIPELINE_STATE_H
#define ENGINE_STEP_PIPELINE_PIPELINE_STATE_H

#include "engine/base/arena.h"
#include "engine/collide/fast/fast_planar.h"
#include "engine/collide/fast/fast_spatial.h"
#include "engine/collide/mesh/fast_spatial_mesh.h"
#include "engine/collide/query/proximity.h"
#include "engine/model/model.h"
#include "engine/step/pipeline/asleep.h"
#include "engine/step/pipeline/sleep.h"

struct cn_pipeline_ops; /* pipeline_inside.h */

/* Two shapes that may touch: 20 bytes. */
struct cn_touch {
    int32_t a, b;      /* shapes, a < b */
    int32_t manifold;  /* of the last tick, in manifold[front]; -1: they did not touch */
    uint32_t flags;
    uint32_t axis; /* space: for shapes apart, a hint of their separating axis; changes no result */
};

/* Slower approaches have no restitution, unless the scene says otherwise [m/s]. */
#define CN_PIPELINE_RESTING_VELOCITY 1.0

#define CN_TOUCH_SENSOR 1U /* one is a sensor: reported, not solved */
#define CN_TOUCH_GONE 2U   /* apart, and their boxes too: the next merge removes it */
#define CN_TOUCH_NOW 4U    /* they touch in this tick */
#define CN_TOUCH_HALF 8U   /* one shape is awake, the other's body sleeps */
#define CN_TOUCH_ENDED 16U /* its end was reported between ticks; it may begin again */
#define CN_TOUCH_HITS 32U  /* one of the two reports hits */
#define CN_TOUCH_KEPT 64U  /* the manifold of this tick is that of the last one (fast_base.h) */
#define CN_TOUCH_STAYS 128U /* one of the two reports that they still touch */
#define CN_TOUCH_FORCES 256U /* one of the two reports forces */
#define CN_TOUCH_ONE_WAY 512U /* one of the two is one-way */

/* The flags that cn_pipeline_kind gives. */
#define CN_TOUCH_KINDS                                                                             \
    (CN_TOUCH_SENSOR | CN_TOUCH_HITS | CN_TOUCH_STAYS | CN_TOUCH_FORCES | CN_TOUCH_ONE_WAY)

/*
 * For shapes in pieces (outlines, chains): the two pieces, 8 bits for B's from bit 16 on, then 8
 * for A's.
 */
#define CN_TOUCH_PIECES 0x8000U
#define CN_TOUCH_PIECES_SHIFT 16
#define CN_TOUCH_PIECE_A(flags) ((int)((flags) >> 24 & 0xffU))
#define CN_TOUCH_PIECE_B(flags) ((int)((flags) >> 16 & 0xffU))

/* The capacities of a pipeline. */
struct cn_pipeline_room {
    int body_max, shape_max, joint_max;
    int piece_max; /* shape_max, and the pieces of shapes that have several */
    size_t hull_size; /* bytes of float hulls */
    int pair_max;
    int sleep_max; /* contacts between sleeping bodies */
};

/* The parts of the memory; each has a block of its own. */
enum cn_pipeline_part { CN_PIPELINE_PAIRS, CN_PIPELINE_ASLEEP, CN_PIPELINE_BODIES };
#define CN_PIPELINE_PARTS 3

/* Slots side by side. */
struct cn_span {
    int32_t first, count;
};

/* The data of a shape that a tick reads besides its geometry; several fit into a cache line. */
struct cn_shape_hot {
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
    bool stale;  /* derived data must be built again, */
    bool forget; /* and pairs that do not touch must be found again */
    uint64_t version; /* of the model's structure, up to which changes are known */
    struct cn_pipeline_room room;

    /* Persistent. */
    struct cn_touch *pair; /* ascending; pairs with a manifold are the contact cache */
    int pair_count, gone_count; /* gone_count: pairs that the next merge removes */
    /*
     * cn_manifold2 or 3: [front] of the last tick, the other one of this tick.  In a small world
     * front is always 0, and [1] is in the scratch of the tick.
     */
    void *manifold[2];
    int front;
    int front_count; /* manifolds in [front], with those that lost their pair */
    struct cn_asleep asleep; /* contacts between sleeping bodies */

    /* Derived. */
    struct cn_proximity *proximity;
    struct cn_touch *pair_spare; /* target of the merge; NULL: it is in the scratch of the tick */
    struct cn_pair *wide;           /* pairs of shapes in pieces whose boxes overlap, ascending */
    struct cn_fast_mesh_clear *clear; /* of each of them, if there are meshes; else NULL */
    int wide_count;
    int32_t *piece_first, *piece_count; /* of each shape: its pieces in shape[] and placed[]; of
                                         * a mesh: manifolds that it may have with another */
    cn_aabb *way; /* of each shape, if there are meshes: the box of its motion in this tick */
    void *shape;                    /* cn_fast_shape2 or 3, of each piece */
    struct cn_fast_placed2 *placed; /* in the plane: of each piece */
    int32_t *shape_body;            /* of each shape; -1: no shape */
    struct cn_shape_hot *hot;     /* of each shape */
    struct cn_span *shapes_of;      /* of each body */
    struct cn_joint_ends *joint_ends; /* of each joint, when pairs were last updated */
    unsigned char *hull;            /* memory that spatial shapes borrow */
    size_t hull_used;
    void *place;                    /* cn_place2 or 3, of each body */
    int32_t *solver_body;           /* of each body: see CN_IMPULSE_FIXED */
    int32_t *awake;                 /* bodies that move, ascending: solver body k is awake[k] */
    int awake_count;
    int moved_count; /* entries of awake[], with those behind in any order: bodies that fell asleep
                      * or were quarantined at the end of the last tick; they moved in it, too */
    struct cn_sleep sleep;
    int half_count;         /* pairs that are CN_TOUCH_HALF, or were */
    int32_t *back;          /* bodies whose sleeping contacts come back, */
    int back_count;         /* -1: too many to list */
    uint64_t rest_version;  /* of the model, up to which sleep is known */

    int whole_ticks; /* ticks since the contacts were last tried to be cut into batches */

    /* Counts of the last tick, for display. */
    int touching_count, color_count, overflow_count;
    int force_count; /* pairs that touch and are CN_TOUCH_FORCES */
    int sample_count; /* points that were looked up, of meshes and of shapes near them */

    /* Of the last tick.  From these, room is requested before meshes are collided, not after. */
    int mesh_count;     /* manifolds of meshes */
    size_t beyond_size; /* of the scratch, taken after meshes were collided */
    int repeat_count;   /* how often meshes were collided again, because a later step had no room */

    /* Set with CN_ADVANCE_ROOM: the room that is needed; 0, false: there is enough. */
    int pair_needed;
    int sleep_needed;
    bool body_needed; /* for bodies, shapes and joints: as much as the model has */
    size_t scratch_needed;
};

/* The key of a pair of pieces: ascending pairs have ascending keys. */
static inline uint64_t
cn_touch_key(const struct cn_touch *pair)
{
    return cn_asleep_key_of(pair->a, pair->b, pair->flags >> CN_TOUCH_PIECES_SHIFT);
}

/* Whether the begin of a pair's contact was reported. */
static inline bool
cn_pipeline_is_begun(const struct cn_touch *pair)
{
    return pair->manifold >= 0 && (pair->flags & CN_TOUCH_ENDED) == 0;
}

/* pipeline_memory.c */

/* The overlap that is not corrected [m], and the distance within which contacts are made. */
double cn_pipeline_slop(const struct cn_model *model);
double cn_pipeline_margin(const struct cn_model *model);

/*
 * Copies the room of one part from `from` to `to`; whether the room of one part is the same in
 * both.
 */
void cn_pipeline_room_set(struct cn_pipeline_room *to, const struct cn_pipeline_room *from,
    enum cn_pipeline_part part);
bool cn_pipeline_room_is(const struct cn_pipeline_room *a, const struct cn_pipeline_room *b,
    enum cn_pipeline_part part);

/* Lays out the arrays of a part for pipeline->room, on any arena. */
void cn_pipeline_layout(
    struct cn_pipeline *pipeline, enum cn_pipeline_part part, struct cn_arena *arena);

/*
 * Copies a part from a pipeline with less room, if it has the part, into one that was just laid out
 * and is otherwise the same.  Then the derived data of bodies is stale; other parts are unchanged.
 */
void cn_pipeline_take_over(struct cn_pipeline *pipeline, const struct cn_pipeline *before,
    enum cn_pipeline_part part);

/* pipeline_touch.c */

/* CN_TOUCH_KINDS of two shapes. */
uint32_t cn_pipeline_kind(const struct cn_model *model, int32_t shape_a, int32_t shape_b);

/* pipeline_sleep.c */

/*
 * Wakes the sleeping bodies that touch a body, which will be removed, placed elsewhere or changed.
 * A body that impulses move wakes others through its island; this is for other bodies.
 */
void cn_pipeline_disturb(struct cn_pipeline *pipeline, int body);

/* pipeline_events.c */

/*
 * Contacts that end because a body is removed or changed, or because a joint separates it from
 * `other` (-1: all of its contacts).  cn_pipeline_take_ends returns the number of those whose ends
 * must be reported, in any order, some of several pieces.  With `key` it stores their names and
 * marks them; cn_pipeline_tell_ends then reports them by shapes.  `spare` is scratch for as many.
 */
int cn_pipeline_take_ends(struct cn_pipeline *pipeline, int body, int other, uint64_t *key);
void cn_pipeline_tell_ends(
    struct cn_pipeline *pipeline, uint64_t *key, uint64_t *spare, int count);

#endif
