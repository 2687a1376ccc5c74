/* material.c: the coefficients of a contact, by the materials of its two shapes. */
#include "engine/base/assert.h"
#include "engine/math/scalar.h"
#include "engine/model/model.h"

/* ---- pairs with values of their own ---- */

static int32_t
lower_of(const struct cn_material_pair *pair)
{
    return pair->a < pair->b ? pair->a : pair->b;
}

static int32_t
higher_of(const struct cn_material_pair *pair)
{
    return pair->a < pair->b ? pair->b : pair->a;
}

int
cn_material_pair_compare(const struct cn_material_pair *x, const struct cn_material_pair *y)
{
    int32_t lower_x = lower_of(x), lower_y = lower_of(y);
    if (lower_x != lower_y) {
        return lower_x < lower_y ? -1 : 1;
    }
    int32_t higher_x = higher_of(x), higher_y = higher_of(y);
    return (higher_x > higher_y) - (higher_x < higher_y);
}

const struct cn_material_pair *
cn_model_find_pair(const struct cn_model *model, int shape_a, int shape_b)
{
    const struct cn_material_pair wanted = {
        .a = model->shape[shape_a].material, .b = model->shape[shape_b].material};
    int first = 0, end = model->material_pair_count;
    while (first < end) {
        int middle = first + (end - first) / 2;
        const struct cn_material_pair *pair = &model->material_pair[middle];
        int order = cn_material_pair_compare(pair, &wanted);
        if (order == 0) {
            return pair;
        }
        if (order < 0) {
            first = middle + 1;
        } else {
            end = middle;
        }
    }
    return NULL;
}

void
cn_material_pair_moments(
    const struct cn_material_pair *pair, double *rolling, double *spinning)
{
    if (pair != NULL && (pair->has & CN_PAIR_ROLLING) != 0) {
        *rolling = pair->rolling_friction;
    }
    if (pair != NULL && (pair->has & CN_PAIR_SPINNING) != 0) {
        *spinning = pair->spinning_friction;
    }
}

/* ---- contacts ---- */

static double
combine_values(enum cn_combine rule, double a, double b)
{
    switch (rule) {
    case CN_COMBINE_MIN:
        return a < b ? a : b;
    case CN_COMBINE_MAX:
        return a > b ? a : b;
    case CN_COMBINE_AVERAGE:
        return 0.5 * (a + b);
    case CN_COMBINE_MULTIPLY:
        return a * b;
    }
    CN_ASSERT(false);
}

double
cn_model_restitution(const struct cn_model *model, int shape_a, int shape_b)
{
    int a = model->shape[shape_a].material;
    int b = model->shape[shape_b].material;
    CN_ASSERT(0 <= a && a < model->material_count && 0 <= b && b < model->material_count);
    const struct cn_material_pair *pair = cn_model_pair(model, shape_a, shape_b);
    if (pair != NULL && (pair->has & CN_PAIR_RESTITUTION) != 0) {
        return pair->restitution;
    }
    return combine_values(model->settings.combine_restitution, model->material[a].restitution,
        model->material[b].restitution);
}

void
cn_model_friction(
    const struct cn_model *model, int shape_a, int shape_b, double *sliding, double *resting)
{
    const struct cn_material *a = &model->material[model->shape[shape_a].material];
    const struct cn_material *b = &model->material[model->shape[shape_b].material];
    enum cn_combine rule = model->settings.combine_friction;
    const struct cn_material_pair *pair = cn_model_pair(model, shape_a, shape_b);
    if (pair != NULL && (pair->has & CN_PAIR_FRICTION) != 0) {
        *sliding = pair->friction;
        *resting = pair->static_friction;
        return;
    }
    *sliding = combine_values(rule, a->friction, b->friction);
    *resting = combine_values(rule, a->static_friction, b->static_friction);
}

void
cn_model_moments(
    const struct cn_model *model, int shape_a, int shape_b, double *rolling, double *spinning)
{
    const struct cn_material *a = &model->material[model->shape[shape_a].material];
    const struct cn_material *b = &model->material[model->shape[shape_b].material];
    bool spatial = model->settings.dimension == CN_SPATIAL;
    *rolling = cn_max(a->rolling_friction, b->rolling_friction);
    *spinning = spatial ? cn_max(a->spinning_friction, b->spinning_friction) : 0.0;
    cn_material_pair_moments(cn_model_pair(model, shape_a, shape_b), rolling, spinning);
    *spinning = spatial ? *spinning : 0.0;
}

bool
cn_model_has_moments(const struct cn_model *model)
{
    bool spatial = model->settings.dimension == CN_SPATIAL;
    for (int i = 0; i < model->material_count; i++) {
        const struct cn_material *material = &model->material[i];
        if (material->rolling_friction > 0.0 || (spatial && material->spinning_friction > 0.0)) {
            return true;
        }
    }
    for (int i = 0; i < model->material_pair_count; i++) {
        double rolling = 0.0, spinning = 0.0;
        cn_material_pair_moments(&model->material_pair[i], &rolling, &spinning);
        if (rolling > 0.0 || (spatial && spinning > 0.0)) {
            return true;
        }
    }
    return false;
}

bool
cn_model_has_restitution(const struct cn_model *model)
{
    for (int i = 0; i < model->material_count; i++) {
        if (model->material[i].restitution > 0.0) {
            return true;
        }
    }
    for (int i = 0; i < model->material_pair_count; i++) {
        const struct cn_material_pair *pair = &model->material_pair[i];
        if ((pair->has & CN_PAIR_RESTITUTION) != 0 && pair->restitution > 0.0) {
            return true;
        }
    }
    return false;
}

bool
cn_model_has_surface(const struct cn_model *model)
{
    for (int i = 0; i < model->material_count; i++) {
        cn_vec3 v = model->material[i].surface_velocity;
        if (cn_vec3_dot(v, v) > 0.0) {
            return true;
        }
    }
    for (int i = 0; i < model->material_pair_count; i++) {
        const struct cn_material_pair *pair = &model->material_pair[i];
        cn_vec3 v = pair->surface_velocity;
        if ((pair->has & CN_PAIR_SURFACE) != 0 && cn_vec3_dot(v, v) > 0.0) {
            return true;
        }
    }
    return false;
}

bool
cn_model_has_friction(const struct cn_model *model)
{
    for (int i = 0; i < model->material_count; i++) {
        if (model->material[i].static_friction > 0.0) {
            return true;
        }
    }
    for (int i = 0; i < model->material_pair_count; i++) {
        const struct cn_material_pair *pair = &model->material_pair[i];
        if ((pair->has & CN_PAIR_FRICTION) != 0 && pair->static_friction > 0.0) {
            return true;
        }
    }
    return false;
}
