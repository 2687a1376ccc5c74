/*
 * fuzz_collide_space.c: any two valid spatial shapes at any poses give contacts that satisfy
 * manifold.h, with the separation that a search over all features gives.
 *
 * Bytes become sizes, corners on a lattice, places and rotations on coarse grids.  So coinciding
 * faces, edges and corners are common.  Small offsets from the grids give nearly coinciding ones.
 * Every input is a valid scene; points without a hull become a box.
 */
#include "engine/base/assert.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "tests/support/collide/solid_oracle.h"

#define INPUT_SIZE 32
#define ORACLE_MAX 1000 /* pairs of edges */
#define TINY 1e-9
/* Edges of a sine below 1e-6 make no axis: what their faces say instead may be off by that. */
#define NEARLY_PARALLEL 1e-5

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
make_hull(struct test_solid *solid, const uint8_t *data)
{
    uint32_t mask = (uint32_t)data[0] | (uint32_t)data[1] << 8 | (uint32_t)data[2] << 16;
    int count = 0;
    for (int i = 0; i < 24; i++) {
        if (mask >> i & 1) {
            solid->point[count++] =
                cn_vec3_make(0.5 * (i % 3), 0.5 * (i / 3 % 3), 0.5 * (i / 9) + 0.25 * (i % 2));
        }
    }
    if (!test_solid_hull(solid, count)) {
        test_solid_box(solid, 1.0, 1.0, 1.0);
    }
}

static void
make_solid(struct test_solid *solid, const uint8_t *data, int kind_count)
{
    double size[3];
    for (int i = 0; i < 3; i++) {
        size[i] = (1 + data[1 + i] % 8) / 4.0;
    }
    switch (data[0] % kind_count) {
    case 0:
        test_solid_sphere(solid, 0.5 * size[0]);
        break;
    case 1:
        test_solid_capsule(solid, 0.5 * size[0], data[2] % 8 == 0 ? 0.0 : size[1]);
        break;
    case 2:
        test_solid_box(solid, size[0], size[1], size[2]);
        break;
    case 3:
        make_hull(solid, data + 1);
        break;
    case 4:
        test_solid_prism(solid, data[1] < 250 ? 3 + data[1] % 6 : 32, size[1], size[2]);
        break;
    default:
        test_solid_plane(solid, (cn_vec3){0.0, 1.0, 0.0}, size[1] - 1.0);
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

static cn_pose
make_pose(const uint8_t *data, cn_vec3 origin)
{
    cn_vec3 place = cn_vec3_make(grid(data[0], data[1], 0.125), grid(data[2], data[3], 0.125),
        grid(data[4], data[5], 0.125));
    static const cn_vec3 axes[] = {
        {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0}, {0, 1, -1}, {1, 1, 1}, {3, 4, 0}, {1, 2, 3}};
    return test_solid_pose(
        cn_vec3_add(origin, place), axes[data[6] % 8], grid(data[7], data[8], CN_PI / 8.0));
}

static void
check(const struct cn_manifold *m, double margin)
{
    CN_ASSERT(!isnan(m->separation));
    CN_ASSERT(0 <= m->contact_count && m->contact_count <= CN_MANIFOLD_CONTACTS_MAX);
    for (int i = 0; i < m->contact_count; i++) {
        const struct cn_contact *c = &m->contact[i];
        CN_ASSERT(isfinite(c->gap) && c->gap <= margin);
        CN_ASSERT(cn_vec3_is_finite(c->point));
        CN_ASSERT(fabs(cn_vec3_length(c->normal) - 1.0) <= 1e-12);
        CN_ASSERT(c->feature <= 0xffffff && !isnan(c->overhang));
        for (int k = 0; k < i; k++) {
            CN_ASSERT(m->contact[k].feature != c->feature);
        }
    }
}

static void
check_separation(const struct test_solid *a, const cn_pose *pose_a, const struct test_solid *b,
    const cn_pose *pose_b, const struct cn_manifold *m)
{
    double radius = a->shape.radius + b->shape.radius;
    double distance = oracle_distance(&a->shape, pose_a, &b->shape, pose_b);
    CN_ASSERT(m->separation <= distance - radius + TINY);
    if (distance > NEARLY_PARALLEL) {
        CN_ASSERT(m->separation > -radius - TINY);
    }
    if (radius > 0.0 && distance > TINY) {
        CN_ASSERT(m->separation >= distance - radius - NEARLY_PARALLEL);
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct test_solid a, b;
    if (size != INPUT_SIZE) {
        return -1;
    }
    make_solid(&a, data, 6);
    make_solid(&b, data + 4, a.shape.kind == CN_SHAPE_PLANE ? 5 : 6);
    cn_pose pose_a = make_pose(data + 8, (cn_vec3){300.0, -200.0, 100.0});
    cn_pose pose_b = make_pose(data + 17, pose_a.position);
    double margin = (data[26] % 8) / 16.0;

    struct cn_manifold m, turned;
    cn_collide(&a.shape, &pose_a, &b.shape, &pose_b, margin, &m);
    check(&m, margin);
    bool sharp = a.shape.radius == 0.0 && b.shape.radius == 0.0;
    bool plane = a.shape.vertex_count == 0 || b.shape.vertex_count == 0;
    CN_ASSERT(m.contact_count > 0 || m.separation > (sharp && !plane ? 0.0 : margin) - TINY);
    if (!plane && a.shape.core.edge_count * b.shape.core.edge_count <= ORACLE_MAX) {
        check_separation(&a, &pose_a, &b, &pose_b, &m);
    }

    /* The exchanged pair is the same pair. */
    cn_collide(&b.shape, &pose_b, &a.shape, &pose_a, margin, &turned);
    check(&turned, margin);
    CN_ASSERT(fabs(turned.separation - m.separation) <= TINY);

    /* A step aside changes the separation by no more than the step. */
    double step = 1e-4 * (data[27] - 128);
    *(data[28] % 3 == 0     ? &pose_b.position.x
        : data[28] % 3 == 1 ? &pose_b.position.y
                            : &pose_b.position.z) += step;
    cn_collide(&a.shape, &pose_a, &b.shape, &pose_b, margin, &turned);
    CN_ASSERT(fabs(turned.separation - m.separation) <= fabs(step) + NEARLY_PARALLEL);
    return 0;
}
