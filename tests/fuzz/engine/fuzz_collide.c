/*
 * fuzz_collide.c: any two valid shapes at any poses give contacts that satisfy manifold.h.
 *
 * Bytes become sizes, corners, places and angles on coarse grids.  So coinciding edges, coinciding
 * corners and shapes within shapes are common.  Small offsets from the grids give nearly coinciding
 * ones.  Every input is a valid scene.
 */
#include "engine/base/assert.h"
#include "engine/collide/exact/manifold.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "tests/support/collide/shapes.h"

#define INPUT_SIZE 16
#define TINY 1e-11   /* m: rounding */
#define CORNERS 1e-4 /* m: where sharp corners count as meeting, for the sizes here */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
make_shape(struct test_shape *shape, const uint8_t *data, int kind_count)
{
    double first = (1 + data[1] % 16) / 8.0, second = (1 + data[2] % 16) / 8.0;
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
        test_shape_polygon(shape, first, (1 + data[0] / 64) / 4.0, data[1] * 256U + data[2]);
        break;
    case 4:
        test_shape_regular(shape, first, 3 + data[2] % 62, CN_PI / 8.0 * (data[1] % 16));
        break;
    default:
        test_shape_plane(shape, CN_PI / 8.0 * (data[1] % 16), second - 1.0);
        break;
    }
}

/* A step of a grid, and a small multiple of 1, 1e-3, ... 1e-15 of it. */
static double
grid(uint8_t coarse, uint8_t fine, double step)
{
    static const double scale[] = {0.0, 1e-3, 1e-5, 1e-7, 1e-9, 1e-11, 1e-13, 1e-15};
    return step * ((coarse - 128) % 24 + scale[fine % 8] * (fine / 8 - 16));
}

static void
check(const struct cn_manifold *m, double margin)
{
    CN_ASSERT(!isnan(m->separation));
    CN_ASSERT(0 <= m->contact_count && m->contact_count <= CN_MANIFOLD_CONTACTS_MAX);
    CN_ASSERT(m->separation <= margin + CORNERS || m->contact_count == 0);
    for (int i = 0; i < m->contact_count; i++) {
        const struct cn_contact *c = &m->contact[i];
        CN_ASSERT(isfinite(c->gap) && c->gap <= margin);
        CN_ASSERT(cn_vec3_is_finite(c->point));
        CN_ASSERT(fabs(cn_vec3_length(c->normal) - 1.0) <= 1e-12);
        CN_ASSERT(c->feature <= 0xffffff);
        for (int k = 0; k < i; k++) {
            CN_ASSERT(m->contact[k].feature != c->feature);
        }
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct test_shape a, b;
    if (size != INPUT_SIZE) {
        return -1;
    }
    bool is_star = data[0] >= 192;
    unsigned bits = data[1] * 256U + data[2];
    if (is_star && !test_shape_star(&a, 3 + data[0] % 5, bits, data[15] * 77U)) {
        return -1;
    }
    if (!is_star) {
        make_shape(&a, data, 6);
    }
    make_shape(&b, data + 3, a.shape.kind == CN_SHAPE_PLANE ? 5 : 6);
    cn_pose pose_a = test_pose(3.0, -2.0, grid(data[6], data[7], CN_PI / 8.0));
    cn_pose pose_b = test_pose(3.0 + grid(data[8], data[9], 0.125),
        -2.0 + grid(data[10], data[11], 0.125), grid(data[12], data[13], CN_PI / 8.0));
    double margin = (data[14] % 8) / 16.0;

    struct cn_manifold m, turned;
    cn_collide(&a.shape, &pose_a, &b.shape, &pose_b, margin, &m);
    check(&m, margin);
    if (is_star) {
        cn_collide(&b.shape, &pose_b, &a.shape, &pose_a, margin, &turned);
        check(&turned, margin);
        CN_ASSERT(fabs(turned.separation - m.separation) <= TINY);
        return 0;
    }
    bool sharp = a.shape.radius == 0.0 && b.shape.radius == 0.0;
    bool plane = a.shape.vertex_count == 0 || b.shape.vertex_count == 0;
    CN_ASSERT(m.contact_count > 0 || m.separation > (sharp && !plane ? 0.0 : margin) - TINY);

    /* The exchanged pair is the same pair. */
    cn_collide(&b.shape, &pose_b, &a.shape, &pose_a, margin, &turned);
    check(&turned, margin);
    CN_ASSERT(fabs(turned.separation - m.separation) <= TINY);

    /* A step aside changes the separation by no more than the step. */
    pose_b.position.x += 1e-4 * (data[15] - 128);
    cn_collide(&a.shape, &pose_a, &b.shape, &pose_b, margin, &turned);
    CN_ASSERT(fabs(turned.separation - m.separation) <= 1e-4 * abs(data[15] - 128) + TINY);
    return 0;
}
