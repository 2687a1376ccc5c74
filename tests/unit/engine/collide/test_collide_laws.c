/*
 * test_collide_laws.c: laws for the contacts of any two shapes at any poses.
 *
 * The oracle below does not use faces and supports.  The distance of two cores is the least over
 * all pairs of their segments.  The depth of an overlap is the least over many directions.
 */
#include "engine/collide/exact/manifold.h"

#include "engine/base/hash.h"
#include "engine/base/rng.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "tests/support/collide/shapes.h"
#include "tests/support/near.h"

#define ROUND_COUNT 2000
#define DIRECTION_COUNT 720
#define MARGIN 0.3

struct scene {
    struct test_shape a, b;
    cn_pose pose_a, pose_b;
    double angle_a, angle_b;
};

static struct scene scene;

static void
random_shape(struct cn_rng *rng, struct test_shape *shape, bool allow_plane)
{
    double size = cn_rng_uniform(rng, 0.3, 2.0), other = cn_rng_uniform(rng, 0.3, 2.0);
    switch (cn_rng_next(rng) % (allow_plane ? 6 : 5)) {
    case 0:
        test_shape_circle(shape, 0.5 * size);
        break;
    case 1:
        test_shape_capsule(shape, 0.25 * size, other);
        break;
    case 2:
        test_shape_box(shape, size, other);
        break;
    case 3:
        other = cn_rng_uniform(rng, 0.3, 1.0);
        test_shape_polygon(shape, size, other, cn_rng_next(rng));
        break;
    case 4:
        test_shape_regular(shape, size, 3 + (int)(cn_rng_next(rng) % 62), other);
        break;
    default:
        test_shape_plane(shape, other, 0.1 * size);
        break;
    }
}

static void
random_scene(struct cn_rng *rng, bool allow_plane)
{
    random_shape(rng, &scene.a, allow_plane);
    random_shape(rng, &scene.b, allow_plane && scene.a.shape.kind != CN_SHAPE_PLANE);
    double reach = cn_max(scene.a.shape.reach, 0.5) + cn_max(scene.b.shape.reach, 0.5);
    scene.angle_a = cn_rng_uniform(rng, -4.0, 4.0);
    scene.angle_b = cn_rng_uniform(rng, -4.0, 4.0);
    double x = cn_rng_uniform(rng, -20.0, 20.0), y = cn_rng_uniform(rng, -20.0, 20.0);
    scene.pose_a = test_pose(x, y, scene.angle_a);
    /* One draw a statement: the order in which arguments are evaluated is the compiler's. */
    double dx = reach * cn_rng_uniform(rng, -0.9, 0.9);
    double dy = reach * cn_rng_uniform(rng, -0.9, 0.9);
    scene.pose_b = test_pose(x + dx, y + dy, scene.angle_b);
}

static struct cn_manifold
collide(double margin)
{
    struct cn_manifold manifold;
    memset(&manifold, 0, sizeof(manifold));
    cn_collide(&scene.a.shape, &scene.pose_a, &scene.b.shape, &scene.pose_b, margin, &manifold);
    return manifold;
}

/* The oracle. */

static cn_vec2
world(const struct cn_shape *shape, const cn_pose *pose, int index)
{
    cn_vec2 v = shape->vertex[index % shape->vertex_count];
    cn_vec3 at = cn_pose_apply(pose, (cn_vec3){v.x, v.y, 0.0});
    return cn_vec2_make(at.x, at.y);
}

static double
point_to_segment(cn_vec2 p, cn_vec2 a, cn_vec2 b)
{
    cn_vec2 along = cn_vec2_sub(b, a);
    double length2 = cn_vec2_dot(along, along);
    double t = length2 > 0.0 ? cn_vec2_dot(cn_vec2_sub(p, a), along) / length2 : 0.0;
    cn_vec2 foot = cn_vec2_add_scaled(a, cn_clamp(t, 0.0, 1.0), along);
    return cn_vec2_length(cn_vec2_sub(p, foot));
}

static double
side_of(cn_vec2 a, cn_vec2 b, cn_vec2 p)
{
    return cn_vec2_cross(cn_vec2_sub(b, a), cn_vec2_sub(p, a));
}

static bool
segments_cross(cn_vec2 a, cn_vec2 b, cn_vec2 c, cn_vec2 d)
{
    return side_of(a, b, c) * side_of(a, b, d) < 0.0 && side_of(c, d, a) * side_of(c, d, b) < 0.0;
}

static double
point_to_core(cn_vec2 p, const struct cn_shape *shape, const cn_pose *pose)
{
    double least = HUGE_VAL;
    for (int i = 0; i < shape->vertex_count; i++) {
        least = fmin(least, point_to_segment(p, world(shape, pose, i), world(shape, pose, i + 1)));
    }
    return least;
}

static bool
point_in_core(cn_vec2 p, const struct cn_shape *shape, const cn_pose *pose)
{
    for (int i = 0; i < shape->vertex_count; i++) {
        if (side_of(world(shape, pose, i), world(shape, pose, i + 1), p) <= 0.0) {
            return false;
        }
    }
    return shape->vertex_count > 2;
}

/* Of the cores; 0 where they overlap. */
static double
core_distance(void)
{
    const struct cn_shape *a = &scene.a.shape, *b = &scene.b.shape;
    double least = HUGE_VAL;
    for (int i = 0; i < a->vertex_count; i++) {
        cn_vec2 p = world(a, &scene.pose_a, i), p_next = world(a, &scene.pose_a, i + 1);
        for (int j = 0; j < b->vertex_count; j++) {
            cn_vec2 q = world(b, &scene.pose_b, j), q_next = world(b, &scene.pose_b, j + 1);
            if (segments_cross(p, p_next, q, q_next)) {
                return 0.0;
            }
            least = fmin(least, point_to_segment(p, q, q_next));
            least = fmin(least, point_to_segment(q, p, p_next));
        }
    }
    bool inside = point_in_core(world(a, &scene.pose_a, 0), b, &scene.pose_b) ||
                  point_in_core(world(b, &scene.pose_b, 0), a, &scene.pose_a);
    return inside ? 0.0 : least;
}

/* The least way out of an overlap of the cores, from above; within the step of directions. */
static double
core_depth(void)
{
    double least = HUGE_VAL;
    for (int k = 0; k < DIRECTION_COUNT; k++) {
        double angle = 2.0 * CN_PI * k / DIRECTION_COUNT;
        cn_vec2 n = {cos(angle), sin(angle)};
        double high = -HUGE_VAL, low = HUGE_VAL;
        for (int i = 0; i < scene.a.shape.vertex_count; i++) {
            high = fmax(high, cn_vec2_dot(n, world(&scene.a.shape, &scene.pose_a, i)));
        }
        for (int j = 0; j < scene.b.shape.vertex_count; j++) {
            low = fmin(low, cn_vec2_dot(n, world(&scene.b.shape, &scene.pose_b, j)));
        }
        least = fmin(least, high - low);
    }
    return least;
}

static double
plane_side(const struct cn_shape *plane, const cn_pose *pose, cn_vec2 p)
{
    cn_vec3 local = cn_pose_invert(pose, (cn_vec3){p.x, p.y, 0.0});
    return plane->plane_normal.x * local.x + plane->plane_normal.y * local.y - plane->plane_offset;
}

/* The laws. */

static void
assert_well_formed(const struct cn_manifold *m)
{
    assert_true(isfinite(m->separation));
    assert_in_range(m->contact_count, 0, CN_MANIFOLD_CONTACTS_MAX);
    for (int i = 0; i < m->contact_count; i++) {
        const struct cn_contact *c = &m->contact[i];
        assert_true(c->gap <= MARGIN);
        assert_near(cn_vec3_length(c->normal), 1.0, 1e-14);
        assert_true(cn_vec3_is_finite(c->point));
        assert_true(c->point.z == 0.0 && c->normal.z == 0.0);
        assert_true(c->radius == scene.a.shape.radius + scene.b.shape.radius);
        assert_true(c->feature <= 0xffffff);
        for (int k = 0; k < i; k++) {
            assert_true(m->contact[k].feature != c->feature);
        }
        /* At the poses of its search, a placed contact is the same to the last bit. */
        struct cn_contact again = *c;
        cn_contact_place(&again, &scene.pose_a, &scene.pose_b);
        assert_memory_equal(&again.point, &c->point, sizeof(c->point));
        assert_memory_equal(&again.normal, &c->normal, sizeof(c->normal));
        assert_true(again.gap == c->gap);
    }
}

static bool
is_vertex_of(const struct cn_shape *shape, cn_vec3 anchor)
{
    bool found = false;
    for (int i = 0; i < shape->vertex_count; i++) {
        found |= shape->vertex[i].x == anchor.x && shape->vertex[i].y == anchor.y;
    }
    return found;
}

/* The gap of every contact is the distance of its vertex from the other shape, found otherwise. */
static void
assert_gaps_true(const struct cn_manifold *m)
{
    for (int i = 0; i < m->contact_count; i++) {
        const struct cn_contact *c = &m->contact[i];
        bool of_b = c->kind != CN_CONTACT_FACE_B; /* the vertex is B's */
        const struct cn_shape *shape = of_b ? &scene.b.shape : &scene.a.shape;
        const struct cn_shape *owner = of_b ? &scene.a.shape : &scene.b.shape;
        const cn_pose *pose = of_b ? &scene.pose_b : &scene.pose_a;
        const cn_pose *owner_pose = of_b ? &scene.pose_a : &scene.pose_b;
        cn_vec3 anchor = of_b ? c->anchor_b : c->anchor_a;
        assert_true(is_vertex_of(shape, anchor));
        cn_vec3 at = cn_pose_apply(pose, anchor);
        cn_vec2 p = {at.x, at.y};
        if (owner->kind == CN_SHAPE_PLANE) {
            assert_near(c->gap, plane_side(owner, owner_pose, p) - c->radius, 1e-12);
        } else if (c->gap + c->radius > 0.0) {
            assert_near(c->gap, point_to_core(p, owner, owner_pose) - c->radius, 1e-12);
        }
    }
}

static void
test_against_oracle(void **state)
{
    (void)state;
    struct cn_rng rng = {.state = 6};
    int apart_count = 0, overlap_count = 0, contact_count = 0;
    for (int round = 0; round < ROUND_COUNT; round++) {
        random_scene(&rng, false);
        double radius = scene.a.shape.radius + scene.b.shape.radius;
        struct cn_manifold m = collide(MARGIN);
        assert_well_formed(&m);
        assert_gaps_true(&m);
        contact_count += m.contact_count;
        double least = HUGE_VAL;
        for (int i = 0; i < m.contact_count; i++) {
            least = fmin(least, m.contact[i].gap);
        }

        double distance = core_distance();
        if (distance > 0.0) {
            apart_count++;
            assert_near(m.separation, distance - radius, 1e-12);
            if (m.contact_count > 0) {
                assert_near(least, m.separation, 1e-12);
            }
            assert_true(m.contact_count > 0 || m.separation > MARGIN || radius == 0.0);
        } else {
            overlap_count++;
            double depth = core_depth();
            double step =
                CN_PI / DIRECTION_COUNT * (2.0 * scene.a.shape.reach + 2.0 * scene.b.shape.reach);
            assert_true(m.separation <= -radius);
            assert_true(m.separation + radius >= -depth - 1e-12);
            assert_true(m.separation + radius <= -depth + step);
            assert_true(m.contact_count > 0);
        }
    }
    printf("  %d apart, %d overlapping, %d contacts\n", apart_count, overlap_count, contact_count);
    assert_true(apart_count > ROUND_COUNT / 4 && overlap_count > ROUND_COUNT / 4);
}

static void
test_planes_against_oracle(void **state)
{
    (void)state;
    struct cn_rng rng = {.state = 7};
    for (int round = 0; round < ROUND_COUNT; round++) {
        random_scene(&rng, false);
        struct test_shape *planar = round % 2 == 0 ? &scene.a : &scene.b;
        const struct cn_shape *plane = &planar->shape;
        test_shape_plane(planar, cn_rng_uniform(&rng, -3.0, 3.0), 0.3);
        const struct cn_shape *solid = round % 2 == 0 ? &scene.b.shape : &scene.a.shape;
        const cn_pose *plane_pose = round % 2 == 0 ? &scene.pose_a : &scene.pose_b;
        const cn_pose *solid_pose = round % 2 == 0 ? &scene.pose_b : &scene.pose_a;
        struct cn_manifold m = collide(MARGIN);
        assert_well_formed(&m);
        assert_gaps_true(&m);
        double least = HUGE_VAL;
        int near_count = 0;
        for (int i = 0; i < solid->vertex_count; i++) {
            double gap = plane_side(plane, plane_pose, world(solid, solid_pose, i)) - solid->radius;
            least = fmin(least, gap);
            near_count += gap <= MARGIN;
        }
        assert_near(m.separation, least, 1e-12);
        assert_int_equal(m.contact_count, near_count < 4 ? near_count : 4);
    }
}

/* Every contact of one has its like in the other; the normal turned around when `sign` is -1. */
static void
assert_same_contacts(const struct cn_manifold *one, const struct cn_manifold *other, double sign)
{
    assert_near(one->separation, other->separation, 1e-12);
    assert_int_equal(one->contact_count, other->contact_count);
    for (int i = 0; i < one->contact_count; i++) {
        const struct cn_contact *c = &one->contact[i];
        bool found = false;
        for (int k = 0; k < other->contact_count; k++) {
            const struct cn_contact *d = &other->contact[k];
            cn_vec3 turned = cn_vec3_scale(d->normal, sign);
            found |= cn_vec3_length(cn_vec3_sub(c->point, d->point)) < 1e-12 &&
                     cn_vec3_length(cn_vec3_sub(c->normal, turned)) < 1e-12 &&
                     fabs(c->gap - d->gap) < 1e-12;
        }
        assert_true(found);
    }
}

static void
test_exchange(void **state)
{
    (void)state;
    struct cn_rng rng = {.state = 8};
    for (int round = 0; round < ROUND_COUNT; round++) {
        random_scene(&rng, true);
        struct cn_manifold m = collide(MARGIN), turned;
        cn_collide(&scene.b.shape, &scene.pose_b, &scene.a.shape, &scene.pose_a, MARGIN, &turned);
        assert_same_contacts(&m, &turned, -1.0);
        for (int i = 0; i < m.contact_count; i++) {
            assert_near(turned.contact[i].radius_a, scene.b.shape.radius, 1e-15);
        }
    }
}

static void
test_rigid_motion(void **state)
{
    (void)state;
    struct cn_rng rng = {.state = 9};
    for (int round = 0; round < ROUND_COUNT; round++) {
        random_scene(&rng, true);
        struct cn_manifold m = collide(MARGIN);
        double angle = cn_rng_uniform(&rng, -3.0, 3.0);
        cn_pose motion =
            test_pose(cn_rng_uniform(&rng, -30.0, 30.0), cn_rng_uniform(&rng, -30.0, 30.0), angle);
        cn_vec3 at_a = cn_pose_apply(&motion, scene.pose_a.position);
        cn_vec3 at_b = cn_pose_apply(&motion, scene.pose_b.position);
        scene.pose_a = test_pose(at_a.x, at_a.y, scene.angle_a + angle);
        scene.pose_b = test_pose(at_b.x, at_b.y, scene.angle_b + angle);
        struct cn_manifold moved = collide(MARGIN);
        for (int i = 0; i < m.contact_count; i++) {
            m.contact[i].point = cn_pose_apply(&motion, m.contact[i].point);
            m.contact[i].normal = cn_pose_turn(&motion, m.contact[i].normal);
        }
        assert_same_contacts(&m, &moved, 1.0);
        for (int i = 0; i < m.contact_count; i++) {
            assert_int_equal(m.contact[i].feature, moved.contact[i].feature);
        }
    }
}

/* The same outline seen in a mirror at x = 0. */
static void
mirror_shape(struct test_shape *shape)
{
    struct test_shape old = *shape;
    int n = old.shape.vertex_count;
    for (int i = 0; i < n; i++) {
        cn_vec2 v = old.vertex[n - 1 - i], normal = old.normal[(2 * n - 2 - i) % n];
        shape->vertex[i] = cn_vec2_make(-v.x, v.y);
        shape->normal[i] = cn_vec2_make(-normal.x, normal.y);
    }
    shape->shape.plane_normal.x = -shape->shape.plane_normal.x;
}

static void
assert_mirrored(struct cn_manifold *m, const struct cn_manifold *mirrored)
{
    for (int i = 0; i < m->contact_count; i++) {
        m->contact[i].point.x = -m->contact[i].point.x;
        m->contact[i].normal.x = -m->contact[i].normal.x;
    }
    assert_same_contacts(m, mirrored, 1.0);
}

static void
mirror_poses(void)
{
    scene.pose_a = test_pose(-scene.pose_a.position.x, scene.pose_a.position.y, -scene.angle_a);
    scene.pose_b = test_pose(-scene.pose_b.position.x, scene.pose_b.position.y, -scene.angle_b);
}

static void
test_mirror(void **state)
{
    (void)state;
    struct cn_rng rng = {.state = 10};
    for (int round = 0; round < ROUND_COUNT; round++) {
        random_scene(&rng, true);
        struct cn_manifold m = collide(MARGIN);
        mirror_shape(&scene.a);
        mirror_shape(&scene.b);
        mirror_poses();
        struct cn_manifold mirrored = collide(MARGIN);
        assert_mirrored(&m, &mirrored);
    }
    /* Upright boxes on a grid: all the ties of piles and walls. */
    for (int k = 0; k < 9 * 9; k++) {
        double dx = (k % 9 - 4) * 0.5, dy = (k / 9 - 4) * 0.25;
        if (dx == 0.0) {
            continue; /* its own mirror image: two ways out are the same */
        }
        test_shape_box(&scene.a, 2.0, 1.0);
        test_shape_box(&scene.b, 2.0, 1.0);
        scene.angle_a = scene.angle_b = 0.0;
        scene.pose_a = test_pose(1.0, 0.0, 0.0);
        scene.pose_b = test_pose(1.0 + dx, dy, 0.0);
        struct cn_manifold m = collide(1e-6);
        mirror_poses();
        struct cn_manifold mirrored = collide(1e-6);
        assert_mirrored(&m, &mirrored);
    }
}

/* Separation changes no faster than the shapes move: it is continuous, whatever the features do. */
static void
test_continuity(void **state)
{
    (void)state;
    struct cn_rng rng = {.state = 11};
    const double step = 1e-3;
    for (int round = 0; round < 60; round++) {
        random_scene(&rng, true);
        double direction = cn_rng_uniform(&rng, -3.0, 3.0);
        double spin = round % 2 == 0 ? 0.0 : cn_rng_uniform(&rng, -1.0, 1.0);
        double x = scene.pose_b.position.x, y = scene.pose_b.position.y, before = 0.0;
        double bound = step * (1.0 + fabs(spin) * scene.b.shape.reach) + 1e-12;
        if (scene.b.shape.kind == CN_SHAPE_PLANE) {
            spin = 0.0; /* its far parts move without bound */
        }
        for (int k = 0; k < 3000; k++) {
            scene.pose_b = test_pose(x + k * step * cos(direction), y + k * step * sin(direction),
                scene.angle_b + spin * k * step);
            struct cn_manifold m = collide(MARGIN);
            assert_true(k == 0 || fabs(m.separation - before) <= bound);
            before = m.separation;
        }
    }
}

/* On a coarse grid of places and angles, where edges coincide and corners meet. */
static void
test_degenerate_grid(void **state)
{
    (void)state;
    struct cn_rng rng = {.state = 12};
    for (int round = 0; round < 2 * ROUND_COUNT; round++) {
        test_shape_box(&scene.a, 1.0 + (double)(cn_rng_next(&rng) % 2), 1.0);
        if (round % 3 == 0) {
            test_shape_capsule(&scene.b, 0.25, 1.0);
        } else if (round % 3 == 1) {
            test_shape_box(&scene.b, 1.0, 1.0);
        } else {
            test_shape_regular(&scene.b, 1.0, 4, 0.0);
        }
        scene.angle_a = CN_PI / 4.0 * (cn_rng_next(&rng) % 8);
        scene.angle_b = CN_PI / 4.0 * (cn_rng_next(&rng) % 8);
        scene.pose_a = test_pose(0, 0, scene.angle_a);
        double x = 0.25 * ((double)(cn_rng_next(&rng) % 17) - 8.0);
        double y = 0.25 * ((double)(cn_rng_next(&rng) % 17) - 8.0);
        scene.pose_b = test_pose(x, y, scene.angle_b);
        struct cn_manifold m = collide(MARGIN);
        assert_well_formed(&m);
        double distance = core_distance(), radius = scene.b.shape.radius;
        if (distance > 1e-12) {
            assert_near(m.separation, distance - radius, 1e-12);
            assert_gaps_true(&m);
        } else {
            double reach = scene.a.shape.reach + scene.b.shape.reach;
            assert_true(m.contact_count > 0);
            assert_near(
                m.separation + radius, -core_depth(), 2.0 * CN_PI / DIRECTION_COUNT * reach);
        }
    }
}

/* Same bits on every compiler and at every level of optimisation: the number was made once. */
static void
test_bits(void **state)
{
    (void)state;
    struct cn_rng rng = {.state = 13};
    struct cn_hash hash;
    cn_hash_init(&hash);
    for (int round = 0; round < ROUND_COUNT; round++) {
        random_scene(&rng, true);
        struct cn_manifold m = collide(MARGIN);
        cn_hash_double(&hash, m.separation);
        for (int i = 0; i < m.contact_count; i++) {
            const struct cn_contact *c = &m.contact[i];
            cn_hash_u64(&hash, c->feature);
            cn_hash_double(&hash, c->gap);
            cn_hash_double(&hash, c->normal.x);
            cn_hash_double(&hash, c->normal.y);
            cn_hash_double(&hash, c->point.x);
            cn_hash_double(&hash, c->point.y);
        }
    }
    printf("  hash %016" PRIx64 "\n", hash.state);
    assert_true(hash.state == UINT64_C(0x46ca8c30749cbe93));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_oracle),
        cmocka_unit_test(test_planes_against_oracle),
        cmocka_unit_test(test_exchange),
        cmocka_unit_test(test_rigid_motion),
        cmocka_unit_test(test_mirror),
        cmocka_unit_test(test_continuity),
        cmocka_unit_test(test_degenerate_grid),
        cmocka_unit_test(test_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
