/* tree_query.c: the shapes that a box or a segment meets. */
#include "engine/collide/broad/tree.h"

#include "engine/base/assert.h"

#include <math.h>

#define STACK_MAX (8 * CN_TREE_LEVELS_MAX)
#define MISSED 2.0

/* The rounding error of the sums of a slab test, relative to the largest of their terms. */
#define ROUNDING 1e-14

bool
cn_tree_query(
    const struct cn_tree *tree, const struct cn_box *box, cn_tree_visit *visit, void *context)
{
    struct {
        int level, block;
    } stack[STACK_MAX];
    int waiting = 0;
    if (tree->level_count > 0) {
        stack[waiting].level = tree->level_count - 1;
        stack[waiting++].block = 0;
    }
    while (waiting > 0) {
        int level = stack[--waiting].level, block = stack[waiting].block;
        uint32_t met = cn_box8_meet(&tree->box[tree->level_first[level] + block], box);
        for (int child = 8 * block; met != 0; met >>= 1, child++) {
            if ((met & 1u) == 0) {
                continue;
            }
            if (level > 0) {
                CN_ASSERT(waiting < STACK_MAX);
                stack[waiting].level = level - 1;
                stack[waiting++].block = child;
            } else if (!visit(context, tree->shape[child])) {
                return false;
            }
        }
    }
    return true;
}

double
cn_ray_enter(const struct cn_ray *ray, const struct cn_box *box, double fraction)
{
    const double from[3] = {ray->from.x, ray->from.y, ray->from.z};
    const double along[3] = {ray->along.x, ray->along.y, ray->along.z};
    double enter = 0.0, leave = fraction;
    for (int k = 0; k < 3; k++) {
        double slack = ray->radius + ROUNDING * (fabs(from[k]) + fabs(along[k]));
        double low = (double)box->low[k] - slack - from[k];
        double high = (double)box->high[k] + slack - from[k];
        if (along[k] == 0.0) {
            if (low > 0.0 || high < 0.0) {
                return MISSED;
            }
            continue;
        }
        double first = low / along[k], last = high / along[k];
        if (along[k] < 0.0) {
            double swapped = first;
            first = last;
            last = swapped;
        }
        enter = first > enter ? first : enter;
        leave = last < leave ? last : leave;
    }
    return enter <= leave ? enter : MISSED;
}

double
cn_tree_cast(const struct cn_tree *tree, const struct cn_ray *ray, double fraction,
    cn_tree_visit_ray *visit, void *context)
{
    struct entry {
        double enter;
        int level, block;
    } stack[STACK_MAX + 8];
    int waiting = 0;
    if (tree->level_count > 0) {
        stack[waiting++] = (struct entry){0.0, tree->level_count - 1, 0};
    }
    while (waiting > 0 && fraction > 0.0) {
        struct entry top = stack[--waiting];
        if (top.enter > fraction) {
            continue;
        }
        const struct cn_box8 *boxes = &tree->box[tree->level_first[top.level] + top.block];
        int base = waiting;
        for (int i = 0; i < 8 && fraction > 0.0; i++) {
            struct cn_box box = cn_box8_get(boxes, i);
            double enter = cn_ray_enter(ray, &box, fraction);
            if (enter > fraction) {
                continue;
            }
            if (top.level == 0) {
                fraction = visit(context, tree->shape[8 * top.block + i], fraction);
                continue;
            }
            /* The nearest come last, on top of the stack. */
            CN_ASSERT(waiting < STACK_MAX + 8);
            int place = waiting++;
            for (; place > base && stack[place - 1].enter < enter; place--) {
                stack[place] = stack[place - 1];
            }
            stack[place] = (struct entry){enter, top.level - 1, 8 * top.block + i};
        }
    }
    return fraction;
}
