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
            } else {
                CN_ASSERT(child < tree->leaf_count && tree->shape[child] >= 0); /* invariant 4 */
                if (!visit(context, tree->shape[child])) {
                    return false;
                }
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

/*
 * A rate, a difference and their product round to float, each by at most 2^-24 of it.  So these
 * rates give an entry that is never late and an exit that is never early.
 */
#define RATE_SLACK 0x1p-22
#define RATE_MAX 1e30   /* instead of 1 / 0: a box that the start is not beside is never left */
#define SLACK_MIN 1e-12 /* m: times RATE_MAX it is far beyond the end of every ray */

static struct cn_box_ray
box_ray_of(const struct cn_ray *ray)
{
    const double from[3] = {ray->from.x, ray->from.y, ray->from.z};
    const double along[3] = {ray->along.x, ray->along.y, ray->along.z};
    struct cn_box_ray lanes;
    for (int k = 0; k < 3; k++) {
        double slack = ray->radius + ROUNDING * (fabs(from[k]) + fabs(along[k])) + SLACK_MIN;
        float above = cn_box_above(from[k] + slack), below = cn_box_below(from[k] - slack);
        bool backwards = along[k] < 0.0;
        double rate = fabs(along[k]) * RATE_MAX > 1.0 ? 1.0 / fabs(along[k]) : RATE_MAX;
        rate = backwards ? -rate : rate;
        lanes.backwards[k] = backwards;
        lanes.near[k] = backwards ? below : above;
        lanes.far[k] = backwards ? above : below;
        lanes.rate_near[k] = (float)(rate * (1.0 - RATE_SLACK));
        lanes.rate_far[k] = (float)(rate * (1.0 + RATE_SLACK));
    }
    return lanes;
}

/* Lists the boxes that are met, nearest first.  Returns how many. */
static int
sort_met(uint32_t met, const float *enter, int sorted[8])
{
    int count = 0;
    for (int i = 0; met != 0; met >>= 1, i++) {
        if ((met & 1u) == 0) {
            continue;
        }
        int place = count++;
        for (; place > 0 && enter[sorted[place - 1]] > enter[i]; place--) {
            sorted[place] = sorted[place - 1];
        }
        sorted[place] = i;
    }
    return count;
}

double
cn_tree_cast(const struct cn_tree *tree, const struct cn_ray *ray, double fraction,
    cn_tree_visit_ray *visit, void *context)
{
    struct {
        float enter;
        int level, block;
    } stack[STACK_MAX + 8];
    int waiting = 1;
    if (tree->level_count == 0) {
        return fraction;
    }
    struct cn_box_ray lanes = box_ray_of(ray);
    stack[0].enter = 0.0F;
    stack[0].level = tree->level_count - 1;
    stack[0].block = 0;
    while (waiting > 0 && fraction > 0.0) {
        waiting--;
        if ((double)stack[waiting].enter > fraction) {
            continue;
        }
        int level = stack[waiting].level, block = stack[waiting].block, sorted[8];
        CN_ASSERT(0 <= block && block < tree->level_size[level]);
        const struct cn_box8 *boxes = &tree->box[tree->level_first[level] + block];
        float enter[8];
        uint32_t met = cn_box8_enter(boxes, &lanes, cn_box_above(fraction), enter);
        int count = sort_met(met, enter, sorted);
        CN_ASSERT(level == 0 || waiting + count <= STACK_MAX + 8);
        for (int k = 0; k < count && level == 0; k++) {
            if ((double)enter[sorted[k]] <= fraction) {
                fraction = visit(context, tree->shape[8 * block + sorted[k]], fraction);
            }
        }
        for (int k = count - 1; k >= 0 && level > 0; k--) { /* the nearest on top */
            stack[waiting].enter = enter[sorted[k]];
            stack[waiting].level = level - 1;
            stack[waiting++].block = 8 * block + sorted[k];
        }
    }
    return fraction;
}
