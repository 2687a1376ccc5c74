/*
 * pipeline_boxes.c: the boxes of shapes in the trees.
 *
 * If there are meshes, boxes contain the ways of shapes in the tick, because contacts of meshes are
 * made before bodies arrive.
 */
#include "engine/step/pipeline/pipeline_inside.h"

#include "engine/base/assert.h"
#include "engine/math/scalar.h"

/*
 * A shape's box is larger than the shape by this part of its width, at most FAT_MAX [m].  Finding
 * pairs costs less than testing a pair that is apart, so boxes are small and do not grow with
 * speed.  8,100 bodies in a washer have 42,000 pairs.  With a quarter of the width and two ticks'
 * travel they had 450,000.
 */
#define FAT_FRACTION 0.05
#define FAT_MAX 0.1

#define ROUNDING 1e-6 /* of float sums, in parts of the reach of a shape */

/* The box of a shape's motion in the tick, as foreseen at its beginning. */
static cn_aabb
way_of(const struct cn_pipeline *p, int shape, double margin)
{
    const struct cn_model *model = p->model;
    const struct cn_motion *motion = &model->motion[model->shape[shape].body];
    double duration = cn_model_tick_duration(model);
    double turn = duration * cn_vec3_length(motion->angular_velocity) * model->shape[shape].reach;
    cn_vec3 way = cn_vec3_scale(motion->velocity, duration);
    cn_aabb box = p->ops->bounds(p, shape, margin + turn);
    box.low.x += cn_min(way.x, 0.0);
    box.low.y += cn_min(way.y, 0.0);
    box.low.z += cn_min(way.z, 0.0);
    box.high.x += cn_max(way.x, 0.0);
    box.high.y += cn_max(way.y, 0.0);
    box.high.z += cn_max(way.z, 0.0);
    return box;
}

/* The margin of a shape's box: contacts are made within it. */
static double
margin_of(const struct cn_pipeline *p, int shape)
{
    return cn_pipeline_margin(p->model) + ROUNDING * (double)p->hot[shape].reach;
}

/* Whether a shape that moves is within its box. */
static bool
is_within(const struct cn_pipeline *p, int shape)
{
    double margin = margin_of(p, shape);
    if (p->ops->stays != NULL && p->ops->stays(p, shape, margin)) {
        return true;
    }
    cn_aabb box = p->ops->bounds(p, shape, margin);
    return cn_proximity_is_within(p->proximity, shape, &box);
}

bool
cn_pipeline_is_within(const struct cn_pipeline *p, int index)
{
    const struct cn_body *body = &p->model->body[index];
    bool within = p->way == NULL;
    for (int k = 0; k < body->shape_count && within; k++) {
        within = is_within(p, body->shape_first + k);
    }
    return within;
}

void
cn_pipeline_put(struct cn_pipeline *p, int index)
{
    const struct cn_model *model = p->model;
    const struct cn_body *body = &model->body[index];
    CN_ASSERT(index >= 0 && index < p->room.body_max);
    CN_ASSERT(body->shape_first + body->shape_count <= p->room.shape_max);
    bool fixed = !cn_pipeline_moves(model, index);
    for (int k = 0; k < body->shape_count; k++) {
        int shape = body->shape_first + k;
        double width = (double)p->hot[shape].width;
        double grow = margin_of(p, shape);
        if (p->way == NULL && !fixed && p->ops->stays != NULL && p->ops->stays(p, shape, grow)) {
            continue;
        }
        cn_aabb box = p->way != NULL ? way_of(p, shape, grow)
                                     : p->ops->bounds(p, shape, grow);
        if (p->way != NULL) {
            p->way[shape] = box;
        }
        double extra = fixed ? 0.0 : cn_min(FAT_MAX, FAT_FRACTION * width);
        cn_proximity_put(p->proximity, shape, &box, extra, fixed);
    }
}
