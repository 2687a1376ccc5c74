/* fast_planar.c: which function meets two pieces, and what goes over from the last tick. */
#include "engine/collide/fast/fast_planar.h"

#include "engine/base/assert.h"
#include "engine/collide/fast/fast_planar_pair.h"

#include <stdbool.h>
#include <string.h>

static void
mirror(struct cn_manifold2 *manifold)
{
    manifold->normal_x = -manifold->normal_x;
    manifold->normal_y = -manifold->normal_y;
    for (int i = 0; i < manifold->point_count; i++) {
        struct cn_point2 *p = &manifold->point[i];
        float x = p->anchor_ax, y = p->anchor_ay;
        p->anchor_ax = p->anchor_bx;
        p->anchor_ay = p->anchor_by;
        p->anchor_bx = x;
        p->anchor_by = y;
    }
}

/* By A's form, then B's; NULL: the two are exchanged. */
#define POLYGONS                                                                                   \
    [CN_FAST2_CAPSULE] = cn_fast_pair2_polygons, [CN_FAST2_BOX] = cn_fast_pair2_polygons,          \
    [CN_FAST2_POLYGON] = cn_fast_pair2_polygons, [CN_FAST2_LARGE] = cn_fast_pair2_polygons,        \
    [CN_FAST2_BORDER] = cn_fast_pair2_polygons

static cn_fast_pair2 *const pair_table[CN_FAST2_COUNT][CN_FAST2_COUNT] = {
    [CN_FAST2_CIRCLE] = {[CN_FAST2_CIRCLE] = cn_fast_pair2_circles},
    [CN_FAST2_CAPSULE] = {[CN_FAST2_CIRCLE] = cn_fast_pair2_box_circle, POLYGONS},
    [CN_FAST2_BOX] = {[CN_FAST2_CIRCLE] = cn_fast_pair2_box_circle, POLYGONS},
    [CN_FAST2_POLYGON] = {[CN_FAST2_CIRCLE] = cn_fast_pair2_polygon_circle, POLYGONS},
    [CN_FAST2_LARGE] = {[CN_FAST2_CIRCLE] = cn_fast_pair2_polygon_circle, POLYGONS},
    [CN_FAST2_BORDER] = {[CN_FAST2_CIRCLE] = cn_fast_pair2_border_circle, POLYGONS},
    [CN_FAST2_PLANE] =
        {
            [CN_FAST2_CIRCLE] = cn_fast_pair2_plane,
            [CN_FAST2_CAPSULE] = cn_fast_pair2_plane,
            [CN_FAST2_BOX] = cn_fast_pair2_plane,
            [CN_FAST2_POLYGON] = cn_fast_pair2_plane,
            [CN_FAST2_LARGE] = cn_fast_pair2_plane,
            [CN_FAST2_BORDER] = cn_fast_pair2_plane,
        },
};

static bool
are_boxes(const struct cn_fast_placed2 *a, const struct cn_fast_placed2 *b)
{
    return a->form == CN_FAST2_BOX && b->form == CN_FAST2_BOX;
}

void
cn_fast_planar_meet(const struct cn_fast_placed2 *a, const struct cn_fast_placed2 *b, float margin,
    const struct cn_manifold2 *last, struct cn_manifold2 *manifold)
{
    CN_ASSERT(a->form < CN_FAST2_COUNT && b->form < CN_FAST2_COUNT);
    if (are_boxes(a, b)) {
        struct cn_fast_task2 one = {a, b, last, manifold};
        const struct cn_fast_task2 *task = &one;
        cn_fast_kernel2_single.meet_boxes(&task, 1, margin);
        return;
    }
    cn_manifold2_clear(manifold, last);
    cn_fast_pair2 *pair = pair_table[a->form][b->form];
    if (pair != NULL) {
        pair(a, b, margin, manifold);
    } else {
        cn_fast_pair2 *turned = pair_table[b->form][a->form];
        CN_ASSERT(turned != NULL);
        turned(b, a, margin, manifold);
        mirror(manifold);
    }
    CN_ASSERT(manifold->point_count <= CN_POINTS_PLANAR_MAX); /* fast.h, invariant 1 */
    cn_manifold2_carry(last, manifold);
}

#define QUEUE_SIZE 64 /* a multiple of every number of lanes */

void
cn_fast_planar_meet_many(const struct cn_fast_kernel2 *kernel, const struct cn_fast_task2 *tasks,
    int count, float margin)
{
    CN_ASSERT(count >= 0 && cn_fast_planar_runs(kernel));
    const struct cn_fast_task2 *queue[QUEUE_SIZE];
    int waiting = 0;
    for (int i = 0; i < count; i++) {
        const struct cn_fast_task2 *task = &tasks[i];
        if (!are_boxes(task->a, task->b)) {
            cn_fast_planar_meet(task->a, task->b, margin, task->last, task->now);
            continue;
        }
        queue[waiting++] = task;
        if (waiting == QUEUE_SIZE) {
            kernel->meet_boxes(queue, waiting, margin);
            waiting = 0;
        }
    }
    kernel->meet_boxes(queue, waiting, margin);
}

const struct cn_fast_kernel2 *
cn_fast_planar_kernel(const char *name)
{
    static const struct cn_fast_kernel2 *const kernels[] = {
        &cn_fast_kernel2_single,
        &cn_fast_kernel2_plain,
#if defined(CN_SIMD_X86)
        &cn_fast_kernel2_sse2,
        &cn_fast_kernel2_avx2,
        &cn_fast_kernel2_avx512,
#elif defined(CN_SIMD_ARM)
        &cn_fast_kernel2_neon,
#endif
    };
    for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++) {
        if (strcmp(kernels[i]->name, name) == 0) {
            return kernels[i];
        }
    }
    return NULL;
}

bool
cn_fast_planar_runs(const struct cn_fast_kernel2 *kernel)
{
#if defined(CN_SIMD_X86)
    if (kernel == &cn_fast_kernel2_avx2) {
        return __builtin_cpu_supports("avx2") != 0;
    }
    if (kernel == &cn_fast_kernel2_avx512) {
        return __builtin_cpu_supports("avx512f") != 0;
    }
#endif
    (void)kernel;
    return true;
}

void
cn_fast_planar_collide(const struct cn_fast_shape2 *a, const struct cn_place2 *place_a,
    const struct cn_fast_shape2 *b, const struct cn_place2 *place_b, float margin,
    const struct cn_manifold2 *last, struct cn_manifold2 *manifold)
{
    struct cn_fast_placed2 placed_a, placed_b;
    cn_fast_planar_place(a, place_a, &placed_a);
    cn_fast_planar_place(b, place_b, &placed_b);
    cn_fast_planar_meet(&placed_a, &placed_b, margin, last, manifold);
}
