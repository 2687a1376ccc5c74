#include "engine/base/assert.h"
#include "engine/constraint/force.h"

#include <stddef.h>

#define X(name) &cn_force_##name,
static const struct cn_force *const forces[] = {CN_FORCE_TABLE(X)};
#undef X

#define FORCE_COUNT (sizeof(forces) / sizeof(forces[0]))

void
cn_force_sum(const struct cn_model *model, const struct cn_motion *motion, const cn_pose *pose,
    struct cn_wrench *wrench)
{
    CN_ASSERT(model->body_count >= 0 && wrench != NULL);
    for (int i = 0; i < model->body_count; i++) {
        wrench[i] = (struct cn_wrench){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    }
    for (size_t k = 0; k < FORCE_COUNT; k++) {
        forces[k]->apply(model, motion, pose, wrench);
    }
}

double
cn_force_potential(
    const struct cn_model *model, const struct cn_motion *motion, const cn_pose *pose)
{
    double sum = 0.0;
    for (size_t k = 0; k < FORCE_COUNT; k++) {
        if (forces[k]->potential != NULL) {
            sum += forces[k]->potential(model, motion, pose);
        }
    }
    return sum;
}
