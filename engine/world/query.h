/*
 * query.h: rays, shapes cast along a line, and shapes tested for overlaps with a world.
 *
 * A query changes nothing and may be made whenever the world may be read.  While a tick is begun
 * and not done it sees the bodies at their present poses.  collide/query/cast.h states what a ray
 * or a shape hits, and the answer where it starts inside, grazes or has no length.
 *
 *     RAY       from position + t along, 0 <= t <= 1
 *     CAST      a convex shape at position and angle or orientation, along the same path
 *     OVERLAP   a convex shape at position: all shapes that it overlaps or touches
 *
 * Hits come in ascending order of (fraction, shape), the first hit_max of them, one for each shape
 * of a body.  They do not depend on the method of the search.
 *
 * A query sees shapes that its filter passes, as if it were a shape itself.  It sees sensors only
 * if it asks for them, and skips the shapes of the body that it names.
 *
 * A query may name a past tick that the world remembers (cn_world_remember).  The answer is that of
 * the world at the end of that tick, with the same bits as the same query had then, before any
 * later command.  Even where it names the last tick it does not see commands since; slots are those
 * of then.
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
    cn_vec3 position;    /* start position, of the shape's frame [m] */
    double angle;        /* planar, of the shape's frame [rad] */
    cn_quat orientation; /* spatial; all zeros: no rotation */
    cn_vec3 along;       /* of RAY and CAST: from the start to the end of the path [m] */
    const struct cn_shape_def *shape; /* of CAST and OVERLAP: convex; its material is ignored */
    struct cn_filter filter;
    int32_t ignored_body; /* -1: none */
    bool sensors;         /* whether it sees sensors */
    bool skip_inside;     /* RAY, CAST: ignore shapes that it starts in */
    int32_t hit_max;      /* 1: only the first hit */
    bool has_tick;        /* query the past: */
    uint64_t tick;        /* the world at the end of this tick */
};

struct cn_query_hit {
    int32_t body, shape_index; /* the shape's index among those of its body */
    int32_t shape;             /* and of the world */
    double fraction;           /* of the path; 0 for OVERLAP */
    cn_vec3 point, normal;     /* normal: unit, out of the hit shape; zeros: starts inside,
                                  OVERLAP */
    bool is_inside;
};

/*
 * A query that sees everything except sensors and finds the first hit; the caller fills in the
 * rest.
 */
struct cn_query cn_query_make(enum cn_query_kind kind);

/* Refuses an invalid query; names field, value and limit. */
CN_MUST_USE enum cn_status cn_world_query_check(
    const struct cn_world *world, const struct cn_query *query, struct cn_defect *defect);

/*
 * Names the tick that was present age_ms milliseconds ago, by the world's tick rate, rounded to the
 * nearest.  Refuses ages above `age_max_ms`, and ticks before 0 (field `ageMs`).
 */
CN_MUST_USE enum cn_status cn_query_age(const struct cn_world *world, struct cn_query *query,
    uint32_t age_ms, uint32_t age_max_ms, struct cn_defect *defect);

/* Answers a query; `hits` has room for query->hit_max, *hit_count is set to their number. */
CN_MUST_USE enum cn_status cn_world_query(const struct cn_world *world,
    const struct cn_query *query, struct cn_query_hit *hits, int *hit_count,
    struct cn_defect *defect);

/*
 * The same on a model, for a query that has passed the check.  `proximity` has the present boxes of
 * all its shapes; NULL: every shape is tested.  Returns the number of hits.
 */
struct cn_proximity;
int cn_query_answer(const struct cn_model *model, const struct cn_proximity *proximity,
    const struct cn_query *query, struct cn_query_hit *hits);

/* The first hit of a ray or of a shape; false: there is no hit, or the query is not valid. */
bool cn_world_cast_ray(
    const struct cn_world *world, cn_vec3 from, cn_vec3 along, struct cn_query_hit *hit);
bool cn_world_cast_shape(const struct cn_world *world, const struct cn_shape_def *shape,
    cn_vec3 position, cn_vec3 along, struct cn_query_hit *hit);

/* The shapes that a shape overlaps, up to hit_max; 0 also where the query is not valid. */
int cn_world_overlap(const struct cn_world *world, const struct cn_shape_def *shape,
    cn_vec3 position, struct cn_query_hit *hits, int hit_max);

#endif
