/*
 * fuzz_fast_planar.c: any two planar shapes at any poses give manifolds that satisfy fast.h.
 *
 * Bytes become shapes, places and angles on coarse grids with small offsets, so that edges and
 * corners that nearly coincide are common.  Every input is a valid pair: the shapes have passed the
 * checks of a scene.
 */
#include "engine/base/assert.h"
#include "engine/collide/fast/fast_planar_cut.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/collide/flat.h"

#define INPUT_SIZE 18
#define ROUNDING 2e-5 /* m, of shapes to 2.5 m */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool
make_shape(struct test_shape *shape, const uint8_t *data, int kind_count)
{
    double first = (1 + data[1] % 16) / 8.0, second = (1 + data[2] % 16) / 8.0;
    unsigned bits = data[1] * 256U + data[2];
    switch (data[0] % kind_count) {
    case 0:
        test_shape_circle(shape, 0.5 * first);
        break;
    case 1:
        test_shape_capsule(shape, 0.5 * first, data[2] % 4 == 0 ? 0.0 : second);
        break;
    case 2:
        test_shape_box(shape, first, second);
        break;
    case 3:
        test_shape_polygon(shape, first, (1 + data[0] / 64) / 4.0, bits);
        break;
    case 4:
        test_shape_regular(shape, first, 3 + data[2] % 62, CN_PI / 8.0 * (data[1] % 16));
        break;
    case 5:
        return test_shape_star(shape, 3 + data[0] / 8 % 5, bits, data[2] * 77U);
    default:
        test_shape_plane(shape, CN_PI / 8.0 * (data[1] % 16), second - 1.0);
        break;
    }
    return true;
}

/* A step of a grid, and a small multiple of 1, 1e-2, ... 1e-7 of it. */
static double
grid(uint8_t coarse, uint8_t fine, double step)
{
    static const double scale[] = {0.0, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 0.0};
    return step * ((coarse - 128) % 24 + scale[fine % 8] * (fine / 8 - 16));
}

static void
check(const struct cn_manifold2 *m, const struct flat_body *a, const struct flat_body *b,
    float margin)
{
    CN_ASSERT(0 <= m->point_count && m->point_count <= CN_POINTS_PLANAR_MAX);
    CN_ASSERT(m->hint <= 0xffff);
    if (m->point_count == 0) {
        return;
    }
    double nx = (double)m->normal_x, ny = (double)m->normal_y;
    CN_ASSERT(fabs(nx * nx + ny * ny - 1.0) <= 1e-6);
    for (int k = 0; k < m->point_count; k++) {
        const struct cn_point2 *p = &m->point[k];
        CN_ASSERT(isfinite(p->separation) && p->separation <= margin);
        double dx = (double)p->anchor_ax - (double)p->anchor_bx;
        double dy = (double)p->anchor_ay - (double)p->anchor_by;
        CN_ASSERT(fabs(dx - (b->place.x - a->place.x)) <= ROUNDING);
        CN_ASSERT(fabs(dy - (b->place.y - a->place.y)) <= ROUNDING);
        CN_ASSERT(p->feature <= 0xffff);
    }
    CN_ASSERT(m->point_count < 2 || m->point[0].feature != m->point[1].feature);
}

/* Every instruction set gives the same bits. */
static void
check_kernels(const struct cn_fast_placed2 *a, const struct cn_fast_placed2 *b, float margin,
    const struct cn_manifold2 *last, const struct cn_manifold2 *one)
{
    static const char *const names[] = {"plain", "sse2", "avx2"};
    for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
        const struct cn_fast_kernel2 *kernel = cn_fast_planar_kernel(names[k]);
        if (kernel != NULL && cn_fast_planar_runs(kernel)) {
            struct cn_manifold2 again;
            struct cn_fast_task2 task = {a, b, last, &again};
            cn_fast_planar_meet_many(kernel, &task, 1, margin);
            /* The pipeline sets the fields from `persists` on (collide/fast/fast.h). */
            CN_ASSERT(memcmp(&again, one, offsetof(struct cn_manifold2, persists)) == 0);
        }
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct flat_body a, b, turned; /* turned: B a little later */
    static struct cn_fast_shape2 piece_a[CN_CUT_VERTICES_MAX], piece_b[CN_CUT_VERTICES_MAX];
    if (size != INPUT_SIZE || !make_shape(&a.shape, data, 7) ||
        !make_shape(&b.shape, data + 3, a.shape.shape.kind == CN_SHAPE_PLANE ? 6 : 7)) {
        return -1;
    }
    double far = data[16] % 2 == 0 ? 0.0 : 1e6;
    flat_put(&a, far, -far, grid(data[6], data[7], CN_PI / 8.0));
    flat_put(&b, far + grid(data[8], data[9], 0.125), -far + grid(data[10], data[11], 0.125),
        grid(data[12], data[13], CN_PI / 8.0));
    turned.shape.shape = b.shape.shape;
    flat_put(&turned, b.place.x, b.place.y + 1e-4 * (data[15] - 128),
        grid(data[12], data[13], CN_PI / 8.0) + 1e-4 * (data[17] - 128));
    float margin = (float)(data[14] % 8) / 32.0f;
    cn_fast_planar_bake_pieces(&a.shape.shape, piece_a);
    cn_fast_planar_bake_pieces(&b.shape.shape, piece_b);
    int count_a = cn_fast_planar_count(&a.shape.shape);
    int count_b = cn_fast_planar_count(&b.shape.shape);
    for (int i = 0; i < count_a; i++) {
        for (int k = 0; k < count_b; k++) {
            struct cn_fast_placed2 at_a, at_b;
            struct cn_manifold2 m, again;
            cn_fast_planar_place(&piece_a[i], &a.place, &at_a);
            cn_fast_planar_place(&piece_b[k], &b.place, &at_b);
            cn_fast_planar_meet(&at_a, &at_b, margin, NULL, &m);
            check(&m, &a, &b, margin);
            check_kernels(&at_a, &at_b, margin, NULL, &m);

            cn_fast_planar_place(&piece_b[k], &turned.place, &at_b);
            cn_fast_planar_meet(&at_a, &at_b, margin, &m, &again);
            check(&again, &a, &turned, margin);
            check_kernels(&at_a, &at_b, margin, &m, &again);
        }
    }
    return 0;
}
