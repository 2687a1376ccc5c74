/*
 * fuzz_fast_spatial.c: the fast spatial narrowphase gives valid manifolds for any two valid shapes
 * at any poses, with any data from the last tick.  It agrees with the exact one, except for ties.
 *
 * Bytes become sizes from centimetres to 400 metres, corners on a lattice, places and rotations on
 * coarse grids.  So coinciding faces, edges and corners are common.  There are also small offsets
 * from the grids.  Hint and features of the last tick are any bits, because they come from images.
 */
#include "engine/base/assert.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "tests/support/collide/fast_solids.h"

#define INPUT_SIZE 40
#define TIE 0.005   /* of the smaller width, as in fast_spatial_pair.h */
#define ROUNDING 2e-6 /* of the size of the scene */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
make_hull(struct test_solid *solid, const uint8_t *data, double scale)
{
    uint32_t mask = (uint32_t)data[0] | (uint32_t)data[1] << 8 | (uint32_t)data[2] << 16;
    int count = 0;
    for (int i = 0; i < 24; i++) {
        if (mask >> i & 1) {
            solid->point[count++] = cn_vec3_scale(
                cn_vec3_make(0.5 * (i % 3), 0.5 * (i / 3 % 3), 0.5 * (i / 9) + 0.25 * (i % 2)),
                scale);
        }
    }
    if (!test_solid_hull(solid, count)) {
        test_solid_box(solid, scale, scale, scale);
    }
}

static void
make_solid(struct fast_solid *solid, const uint8_t *data, int kind_count, double scale)
{
    double size[3];
    for (int i = 0; i < 3; i++) {
        size[i] = scale * (1 + data[1 + i] % 8) / 4.0;
    }
    switch (data[0] % kind_count) {
    case 0:
        test_solid_sphere(&solid->exact, 0.5 * size[0]);
        break;
    case 1:
        test_solid_capsule(&solid->exact, 0.5 * size[0], data[2] % 8 == 0 ? 0.0 : size[1]);
        break;
    case 2:
        test_solid_box(&solid->exact, size[0], size[1], size[2]);
        break;
    case 3:
        make_hull(&solid->exact, data + 1, scale);
        break;
    case 4:
        test_solid_prism(
            &solid->exact, data[1] < 250 ? 3 + data[1] % 6 : 32, size[1], size[2]);
        break;
    default:
        test_solid_plane(&solid->exact, (cn_vec3){0.0, 1.0, 0.0}, size[1] - scale);
        break;
    }
    fast_solid_bake(solid);
}

/* A step of a grid, and a small multiple of 1, 1e-2, ... 1e-7 of it. */
static double
grid(uint8_t coarse, uint8_t fine, double step)
{
    static const double scale[] = {0.0, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 0.0};
    return step * ((coarse - 128) % 24 + scale[fine % 8] * (fine / 8 - 16));
}

static cn_pose
make_pose(const uint8_t *data, cn_vec3 origin, double scale)
{
    double step = 0.125 * scale;
    cn_vec3 place = cn_vec3_make(
        grid(data[0], data[1], step), grid(data[2], data[3], step), grid(data[4], data[5], step));
    static const cn_vec3 axes[] = {
        {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0}, {0, 1, -1}, {1, 1, 1}, {3, 4, 0}, {1, 2, 3}};
    return test_solid_pose(
        cn_vec3_add(origin, place), axes[data[6] % 8], grid(data[7], data[8], CN_PI / 8.0));
}

/* A manifold of the last tick, of any bits where images have any. */
static struct cn_manifold3
make_last(const uint8_t *data)
{
    struct cn_manifold3 last;
    memset(&last, 0, sizeof last);
    last.point_count = data[0] % 5;
    last.hint = (uint32_t)data[1] << 24 | (uint32_t)data[2] << 16 | (uint32_t)data[3] << 8 |
                (uint32_t)data[4];
    for (int i = 0; i < last.point_count; i++) {
        last.point[i].feature = (uint32_t)data[5 + i] << 8 | (uint32_t)(data[6 + i] | 0xfe);
        last.point[i].normal_impulse = (float)i;
    }
    return last;
}

/* Up to rounding and ties; `fresh` was made without a last tick. */
static void
compare(const struct cn_manifold *exact, const struct cn_manifold3 *fresh, double margin,
    double tie, double rounding)
{
    double deepest = fast_deepest(fresh);
    if (exact->separation > margin + rounding) {
        CN_ASSERT(fresh->point_count == 0);
    }
    if (exact->separation < -rounding) {
        CN_ASSERT(fresh->point_count > 0);
        CN_ASSERT(deepest >= exact->separation - tie - rounding);
        CN_ASSERT(deepest <= exact->separation + 4.0 * tie + rounding);
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct fast_solid a, b;
    static struct cn_manifold exact;
    static const double scales[] = {1.0, 0.05, 0.1, 1.0, 10.0, 200.0};
    if (size != INPUT_SIZE) {
        return -1;
    }
    memset(&a, 0, sizeof a);
    memset(&b, 0, sizeof b);
    double scale = scales[data[26] % 6];
    make_solid(&a, data, 6, scale);
    make_solid(&b, data + 4, a.exact.shape.kind == CN_SHAPE_PLANE ? 5 : 6, scale);
    cn_pose pose_a = make_pose(data + 8, (cn_vec3){300.0, -200.0, 100.0}, scale);
    cn_pose pose_b = make_pose(data + 17, pose_a.position, scale);
    double margin = scale * (data[27] % 8) / 64.0;

    struct cn_manifold3 fresh, m, turned;
    cn_collide(&a.exact.shape, &pose_a, &b.exact.shape, &pose_b, margin, &exact);
    fast_solid_collide(&a, &pose_a, &b, &pose_b, margin, NULL, &fresh);
    fast_solid_collide(&b, &pose_b, &a, &pose_a, margin, NULL, &turned);
    double margin_up = margin * (1.0 + 1e-6);
    CN_ASSERT(fast_is_sound(&fresh, &pose_a, &pose_b, margin_up));
    CN_ASSERT(fast_is_sound(&turned, &pose_b, &pose_a, margin_up));
    double width = cn_min(a.exact.shape.width, b.exact.shape.width);

    double rounding = ROUNDING * (8.0 * scale + 0.1);
    compare(&exact, &fresh, margin, TIE * cn_min(width, 1e4), rounding);
    compare(&exact, &turned, margin, TIE * cn_min(width, 1e4), rounding);

    struct cn_manifold3 last = make_last(data + 28);
    fast_solid_collide(&a, &pose_a, &b, &pose_b, margin, &last, &m);
    CN_ASSERT(fast_is_sound(&m, &pose_a, &pose_b, margin_up));
    if (last.point_count == 0) {
        /* The pair did not touch in the last tick, so its hint must not change the result. */
        CN_ASSERT(m.point_count == fresh.point_count);
        CN_ASSERT(memcmp(m.point, fresh.point, sizeof m.point[0] * (size_t)m.point_count) == 0);
    }
    return 0;
}
