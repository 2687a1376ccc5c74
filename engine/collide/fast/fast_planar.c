/* fast_planar.c: which function meets two pieces, and what goes over from the last tick. */
#include "engine/collide/fast/fast_planar.h"

#include "engine/base/assert.h"
#include "engine/collide/fast/fast_planar_pair.h"

#include <stdbool.h>
#include <string.h>

void
cn_fast_planar_place(const struct cn_fast_shape2 *piece, const struct cn_place2 *place,
    struct cn_fast_placed2 *placed)
{
    bool central = piece->center_x == 0.0f && piece->center_y == 0.0f && piece->axis_x == 1.0f &&
                   piece->axis_y == 0.0f;
    struct cn_fvec2 turn = {place->cosine, place->sine}, axis = turn, arm = {0.0f, 0.0f};
    if (!central) {
        axis = cn_fvec2_turn(turn, (struct cn_fvec2){piece->axis_x, piece->axis_y});
        arm = cn_fvec2_turn(turn, (struct cn_fvec2){piece->center_x, piece->center_y});
    }
    *placed = (struct cn_fast_placed2){
        .x = place->x + (double)arm.x,
        .y = place->y + (double)arm.y,
        .axis_x = axis.x,
        .axis_y = axis.y,
        .arm_x = arm.x,
        .arm_y = arm.y,
        .half_x = piece->half_x,
        .half_y = piece->half_y,
        .radius = piece->radius,
        .form = piece->form,
        .vertex_count = piece->vertex_count,
        .central = central,
        .piece = piece,
    };
}

cn_aabb
cn_fast_planar_aabb(const struct cn_fast_placed2 *placed, double margin)
{
    const struct cn_fast_shape2 *piece = placed->piece;
    float ux = placed->axis_x, uy = placed->axis_y;
    float low_x, low_y, high_x, high_y;
    if (placed->form == CN_FAST2_PLANE) {
        cn_pose pose = cn_fast_placed2_pose(placed);
        return cn_shape_aabb(piece->shape, &pose, margin);
    }
    if (placed->form >= CN_FAST2_POLYGON) {
        struct cn_fast_room2 room;
        struct cn_fast_core2 core = cn_fast_core2_of(piece, &room);
        low_x = high_x = ux * core.vertex_x[0] - uy * core.vertex_y[0];
        low_y = high_y = uy * core.vertex_x[0] + ux * core.vertex_y[0];
        for (int i = 1; i < core.count; i++) {
            float x = ux * core.vertex_x[i] - uy * core.vertex_y[i];
            float y = uy * core.vertex_x[i] + ux * core.vertex_y[i];
            low_x = cn_fmin(low_x, x);
            low_y = cn_fmin(low_y, y);
            high_x = cn_fmax(high_x, x);
            high_y = cn_fmax(high_y, y);
        }
    } else {
        high_x = fabsf(ux) * placed->half_x + fabsf(uy) * placed->half_y;
        high_y = fabsf(uy) * placed->half_x + fabsf(ux) * placed->half_y;
        low_x = -high_x;
        low_y = -high_y;
    }
    double radius = (double)placed->radius;
    double grow = margin + radius +
                  CN_FAST2_BOUNDS_SLACK * (radius + (double)(placed->half_x + placed->half_y));
    return (cn_aabb){
        {placed->x + ((double)low_x - grow), placed->y + ((double)low_y - grow), -margin},
        {placed->x + ((double)high_x + grow), placed->y + ((double)high_y + grow), margin},
    };
}

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

static void
carry_over(const struct cn_manifold2 *last, struct cn_manifold2 *manifold)
{
    if (last == NULL || last->point_count == 0 || manifold->point_count == 0) {
        return;
    }
    manifold->rolling_impulse = last->rolling_impulse;
    for (int i = 0; i < manifold->point_count; i++) {
        struct cn_point2 *p = &manifold->point[i];
        for (int k = 0; k < last->point_count; k++) {
            if (last->point[k].feature == p->feature) {
                p->normal_impulse = last->point[k].normal_impulse;
                p->tangent_impulse = last->point[k].tangent_impulse;
            }
        }
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

void
cn_fast_meet_polygons(const struct cn_fast_task2 *task, float margin)
{
    cn_manifold2_clear(task->now, task->last);
    cn_fast_pair2_polygons(task->a, task->b, margin, task->now);
    carry_over(task->last, task->now);
}

static bool
are_boxes(const struct cn_fast_placed2 *a, const struct cn_fast_placed2 *b)
{
    return a->form == CN_FAST2_BOX && b->form == CN_FAST2_BOX;
}

void
cn_fast_planar_meet(const struct cn_fast_placed2 *a, const struct cn_fast_placed2 *b, float margin,
    const struct cn_manifold2 *last, struct cn_manifold2 *manifold)
{
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
    carry_over(last, manifold);
}

#define QUEUE_SIZE 64 /* a multiple of every number of lanes */

void
cn_fast_planar_meet_many(const struct cn_fast_kernel2 *kernel, const struct cn_fast_task2 *tasks,
    int count, float margin)
{
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
