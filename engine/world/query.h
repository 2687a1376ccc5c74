/*
 * query.h: what is where in a world: rays, shapes sent along a line, and what a shape overlaps.
 *
 * A query changes nothing and may be asked whenever the world may be read; while a tick is begun
 * and not done it sees bodies where they are by then.  What a ray or a shape meets, and what it is
 * answered when it starts inside, grazes or has no length, is written in collide/cast.h.
 *
 *     RAY       from position + t along, 0 <= t <= 1
 *     CAST      a convex shape at position and angle or orientation, along the same way
 *     OVERLAP   a convex shape at position: all that it overlaps or touches
 *
 * Hits come in ascending order of (fraction, shape), the first hit_max of them, once for each shape
 * of a body.  They do not depend on how they were looked for.
 *
 * A query sees shapes that its filter passes, as if it were a shape itself, sensors only if it asks
 * for them, and not those of one body if it names it.
 *
 * A query may name a tick of the past, as far as the world remembers it (cn_world_remember).  It is
 * answered by the world as that tick left it, to the bit as the same query was answered then,
 * before anything was done to the world.  What commands have done since the last tick it does not
 * see, even if it names that one; slots are those of then.
 */
#ifndef ENGINE_WORLD_QUERY_H
#define ENGINE_WORLD_QUERY_H

#include "engine/base/defect.h"
#include "engine/model/model.h"
#include "engine/shape/shape.h"

struct cn_world;

#define CN_QUERY_KIND_TABLE(X)                                                                     \
    X(RAY, ray, "what a ray meets")                                                                \
    X(CAST, cast, "what a convex shape meets that is sent along a line")                           \
    X(OVERLAP, overlap, "what a convex shape overlaps")

#define X(NAME, name, text) CN_QUERY_##NAME,
enum cn_query_kind { CN_QUERY_KIND_TABLE(X) CN_QUERY_KIND_COUNT };
#undef X

struct cn_query {
    enum cn_query_kind kind;
    cn_vec3 position;    /* where it starts, of the shape's frame [m] */
    double angle;        /* planar, of the shape's frame [rad] */
    cn_quat orientation; /* spatial; all zeros: not turned */
    cn_vec3 along;       /* of RAY and CAST: the way to its end [m] */
    const struct cn_shape_def *shape; /* of CAST and OVERLAP: convex; its material is ignored */
    struct cn_filter filter;
    int32_t ignored_body; /* -1: none */
    bool sensors;         /* sees them, too */
    bool skip_inside;     /* RAY, CAST: what it starts in is not there */
    int32_t hit_max;      /* 1: the first hit alone */
    bool has_tick;        /* asks the world as it was: */
    uint64_t tick;        /* as this tick left it */
};

struct cn_query_hit {
    int32_t body, shape_index; /* the shape's place among those of its body */
    int32_t shape;             /* and of the world */
    double fraction;           /* of the way; 0 of OVERLAP */
    cn_vec3 point, normal;     /* normal: unit, out of what is hit; zeros: starts inside, OVERLAP */
    bool is_inside;
};

/* Sees everything but sensors, finds the first hit: fill in the rest. */
struct cn_query cn_query_make(enum cn_query_kind kind);

/* Refuses what can not be asked; names field, value and limit. */
CN_MUST_USE enum cn_status cn_world_query_check(
    const struct cn_world *world, const struct cn_query *query, struct cn_defect *defect);

/*
 * Names the tick that was the present one so many milliseconds ago, by the world's tick rate and up
 * to the nearest.  Refuses what is longer ago than `age_max_ms`, or before tick 0 (field `ageMs`).
 */
CN_MUST_USE enum cn_status cn_query_age(const struct cn_world *world, struct cn_query *query,
    uint32_t age_ms, uint32_t age_max_ms, struct cn_defect *defect);

/* Answers; `hits` has room for query->hit_max, *hit_count says how many there are. */
CN_MUST_USE enum cn_status cn_world_query(const struct cn_world *world,
    const struct cn_query *query, struct cn_query_hit *hits, int *hit_count,
    struct cn_defect *defect);

/*
 * The same on a model, of a query that has passed the check.  `proximity` has the boxes of all its
 * shapes where they are now; NULL: every shape is looked at.  Answers how many hits there are.
 */
struct cn_proximity;
int cn_query_answer(const struct cn_model *model, const struct cn_proximity *proximity,
    const struct cn_query *query, struct cn_query_hit *hits);

/* The first hit of a ray or of a shape; false: there is none, or it can not be asked. */
bool cn_world_cast_ray(
    const struct cn_world *world, cn_vec3 from, cn_vec3 along, struct cn_query_hit *hit);
bool cn_world_cast_shape(const struct cn_world *world, const struct cn_shape_def *shape,
    cn_vec3 position, cn_vec3 along, struct cn_query_hit *hit);

/* What a shape overlaps, up to hit_max; 0 also where it can not be asked. */
int cn_world_overlap(const struct cn_world *world, const struct cn_shape_def *shape,
    cn_vec3 position, struct cn_query_hit *hits, int hit_max);

#endif
