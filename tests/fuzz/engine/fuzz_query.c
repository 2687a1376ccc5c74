/*
 * fuzz_query.c: distances, rays, casts and times of impact of any two valid shapes satisfy their
 * headers.  They are checked with samples along the way, the exact narrowphase and their own
 * proofs.
 *
 * Bytes become sizes, corners, places and rotations on coarse grids.  So touching and coinciding
 * features are common.  Small offsets from the grids give nearly coinciding ones.
 */
#include "engine/base/assert.h"
#include "engine/collide/query/cast.h"
#include "engine/collide/query/gjk.h"
#include "engine/collide/query/toi.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "tests/support/collide/shapes.h"
#include "tests/support/collide/solids.h"

#define INPUT_SIZE 32
#define SAMPLES 64
#define TINY 1e-9
#define NEAR 1e-7 /* of a fraction, and m: a graze this close may count as a hit or as a miss */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A step of a grid, and a small multiple of 1, 1e-3, ... 1e-15 of it. */
static double
grid(uint8_t coarse, uint8_t fine, double step)
{
    static const double scale[] = {0.0, 1e-3, 1e-5, 1e-7, 1e-9, 1e-11, 1e-13, 1e-15};
    return step * ((coarse - 128) % 24 + scale[fine % 8] * (fine / 8 - 16));
}

/* Of the kinds 0 .. kind_count - 1; those from 4 on are not convex cores. */
static void
make_flat(struct test_shape *shape, const uint8_t *data, int kind_count)
{
    double first = (1 + data[1] % 16) / 8.0, second = (1 + data[2] % 16) / 8.0;
    switch (data[0] % kind_count) {
    case 0:
        test_shape_circle(shape, 0.5 * first);
        return;
    case 1:
        test_shape_capsule(shape, 0.5 * first, second);
        return;
    case 2:
        test_shape_box(shape, first, 0.1 * second);
        return;
    case 3:
        test_shape_polygon(shape, first, 0.5, data[1] * 256U + data[2]);
        return;
    case 4:
        test_shape_plane(shape, CN_PI / 8.0 * (data[1] % 16), second - 1.0);
        return;
    default:
        if (!test_shape_star(shape, 3 + data[3] % 5, data[1] * 256U + data[2], data[3] * 77U)) {
            test_shape_box(shape, first, second);
        }
    }
}

static void
make_solid(struct test_solid *solid, const uint8_t *data, int kind_count)
{
    double first = (1 + data[1] % 16) / 8.0, second = (1 + data[2] % 16) / 8.0;
    switch (data[0] % kind_count) {
    case 0:
        test_solid_sphere(solid, 0.5 * first);
        return;
    case 1:
        test_solid_capsule(solid, 0.5 * first, second);
        return;
    case 2:
        test_solid_box(solid, first, 0.1 * second, (1 + data[3] % 16) / 8.0);
        return;
    case 3:
        test_solid_prism(solid, 3 + data[3] % 30, first, second);
        return;
    default:
        test_solid_plane(solid, (cn_vec3){0.0, 1.0, 0.0}, second - 1.0);
    }
}

struct pair {
    bool planar;
    const struct cn_shape *a;
    struct cn_convex b;
    const struct cn_shape *shape_b;
    cn_pose pose_a;
    struct cn_sweep sweep; /* of b */
};

static cn_vec3
place_of(const uint8_t *data, bool planar)
{
    return (cn_vec3){grid(data[0], data[1], 0.125), grid(data[2], data[3], 0.125),
        planar ? 0.0 : grid(data[4], data[5], 0.125)};
}

static void
make_pair(const uint8_t *data, struct pair *p)
{
    static struct test_shape flat_a, flat_b;
    static struct test_solid solid_a, solid_b;
    static const cn_vec3 axes[] = {
        {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0}, {0, 1, -1}, {1, 1, 1}, {3, 4, 0}, {1, 2, 3}};
    p->planar = data[0] & 1;
    cn_vec3 z = {0.0, 0.0, 1.0}, origin = {30.0, -20.0, 0.0};
    if (p->planar) {
        make_flat(&flat_a, data + 1, 6);
        make_flat(&flat_b, data + 5, 4);
    } else {
        make_solid(&solid_a, data + 1, 5);
        make_solid(&solid_b, data + 5, 4);
    }
    p->a = p->planar ? &flat_a.shape : &solid_a.shape;
    p->shape_b = p->planar ? &flat_b.shape : &solid_b.shape;
    bool convex = cn_convex_of(p->shape_b, &p->b);
    CN_ASSERT(convex);
    p->pose_a = test_solid_pose(
        origin, p->planar ? z : axes[data[0] / 2 % 8], grid(data[9], data[10], CN_PI / 8.0));
    cn_vec3 from = cn_vec3_add(origin, place_of(data + 11, p->planar));
    cn_vec3 to = cn_vec3_add(origin, place_of(data + 17, p->planar));
    double first = grid(data[23], data[24], CN_PI / 8.0);
    double turn = grid(data[25], data[26], CN_PI / 8.0);
    if (p->planar) {
        p->sweep = cn_sweep_planar(from, first, to, first + turn);
        return;
    }
    cn_quat start = cn_quat_rotate_by(cn_quat_identity(), cn_vec3_scale(axes[data[27] % 8], first));
    cn_quat end = cn_quat_rotate_by(start, cn_vec3_scale(axes[data[27] / 8 % 8], 0.3 * turn));
    p->sweep = cn_sweep_spatial(from, start, to, end);
}

static double
extreme(const struct cn_convex *core, const cn_pose *pose, cn_vec3 n)
{
    int index;
    cn_vec3 local = cn_convex_support(core, cn_pose_turn_back(pose, n), &index);
    return cn_vec3_dot(cn_pose_apply(pose, local), n);
}

/* The distance is proven from both sides, and its sign is that of the separating axes. */
static void
check_distance(const struct pair *p, const cn_pose *pose_b)
{
    struct cn_convex a;
    if (!cn_convex_of(p->a, &a)) {
        return;
    }
    const cn_pose own = {{0.0, 0.0, 0.0}, cn_mat33_diagonal(1.0, 1.0, 1.0)};
    cn_pose relative = cn_pose_relative(&p->pose_a, pose_b);
    struct cn_gjk d;
    cn_gjk(&a, &p->b, &relative, NULL, &d);
    CN_ASSERT(!d.is_cut_off);
    cn_vec3 between = cn_vec3_sub(d.point_b, d.point_a);
    CN_ASSERT(fabs(cn_vec3_length(between) - d.distance) <= TINY);
    if (d.distance > 0.0) {
        double low = -extreme(&p->b, &relative, cn_vec3_negate(d.normal));
        CN_ASSERT(fabs(low - extreme(&a, &own, d.normal) - d.distance) <= TINY);
    }
    struct cn_manifold m;
    cn_collide(p->a, &p->pose_a, p->shape_b, pose_b, 0.0, &m);
    double gap = d.distance - a.radius - p->b.radius;
    bool near = fabs(m.separation) <= NEAR || fabs(gap) <= NEAR;
    CN_ASSERT(near || (m.separation > 0.0) == (gap > 0.0));
}

static bool
overlaps_at(const struct pair *p, const struct cn_convex *core, const cn_pose *start,
    cn_vec3 along, double t, double grow)
{
    cn_pose pose = *start;
    struct cn_convex grown = *core;
    grown.radius += grow;
    pose.position = cn_vec3_add_scaled(pose.position, t, along);
    return cn_overlap(p->a, &p->pose_a, &grown, &pose);
}

/* A thinner core overlaps nowhere before the hit; at the hit a thicker one does. */
static void
check_cast(const struct pair *p, const struct cn_convex *core, const cn_pose *start, bool met,
    const struct cn_cast_hit *hit)
{
    double length = cn_vec3_length(p->sweep.along), end = met ? hit->fraction : 1.0;
    struct cn_convex thin = *core;
    thin.radius = core->radius > NEAR ? core->radius - NEAR : core->radius;
    CN_ASSERT(!met || (hit->fraction >= 0.0 && hit->fraction <= 1.0));
    for (int i = 0; i <= SAMPLES && thin.radius > 0.0; i++) {
        double t = (double)i / SAMPLES;
        CN_ASSERT((t - end) * length > -NEAR ||
                  !overlaps_at(p, &thin, start, p->sweep.along, t, 0.0));
    }
    if (met) {
        CN_ASSERT(overlaps_at(p, core, start, p->sweep.along, hit->fraction, NEAR));
        CN_ASSERT(hit->is_inside == (cn_vec3_dot(hit->normal, hit->normal) == 0.0));
        CN_ASSERT(hit->is_inside || fabs(cn_vec3_length(hit->normal) - 1.0) <= TINY);
        CN_ASSERT(hit->is_inside || cn_vec3_dot(hit->normal, p->sweep.along) <= TINY);
    }
}

static void
check_casts(const struct pair *p, const cn_pose *start)
{
    struct cn_cast_hit hit;
    bool met = cn_cast_shape(p->a, &p->pose_a, &p->b, start, p->sweep.along, 1.0, &hit);
    check_cast(p, &p->b, start, met, &hit);
    const cn_vec2 flat = {0.0, 0.0};
    const cn_vec3 solid = {0.0, 0.0, 0.0};
    struct cn_convex point = {.vertex_count = 1, .flat = p->planar ? &flat : NULL,
        .solid = p->planar ? NULL : &solid};
    met = cn_cast_ray(p->a, &p->pose_a, start->position, p->sweep.along, 1.0, &hit);
    check_cast(p, &point, start, met, &hit);
}

/* No sample before the impact is nearer than the target. */
static void
check_impact(const struct pair *p, const struct cn_sweep *still, int index, double target)
{
    struct cn_part part;
    if (!cn_part_get(p->a, index, false, &part) || part.kind == CN_PART_HOLLOW) {
        return;
    }
    struct cn_toi_input in = {&part, still, &p->b, &p->sweep, target, 0.25 * target, 1.0};
    struct cn_toi toi = cn_toi_find(&in);
    cn_vec3 normal;
    if (toi.outcome == CN_TOI_TOUCHING) {
        CN_ASSERT(toi.gap <= 1.25 * target + TINY);
        return;
    }
    double end = toi.outcome == CN_TOI_APART ? 1.0 : toi.fraction;
    for (int i = 0; i <= SAMPLES; i++) {
        CN_ASSERT(cn_toi_gap(&in, end * i / SAMPLES, &normal) >= target - TINY);
    }
    if (toi.outcome == CN_TOI_HIT) {
        CN_ASSERT(cn_toi_gap(&in, toi.fraction, &normal) <= 1.25 * target + TINY);
    }
    CN_ASSERT(toi.outcome != CN_TOI_CUT_OFF);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct pair p;
    if (size != INPUT_SIZE) {
        return -1;
    }
    make_pair(data, &p);
    cn_pose start = cn_sweep_pose(&p.sweep, 0.0);
    check_distance(&p, &start);
    check_casts(&p, &start);
    cn_quat no_turn = cn_quat_identity();
    cn_vec3 at = p.pose_a.position;
    struct cn_sweep still = p.planar ? cn_sweep_planar(at, 0.0, at, 0.0)
                                     : cn_sweep_spatial(at, no_turn, at, no_turn);
    check_impact(&p, &still, data[28] % cn_part_count(p.a), data[29] % 2 == 0 ? 1e-2 : 1e-4);
    return 0;
}
