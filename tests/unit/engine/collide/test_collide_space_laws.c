/*
 * test_collide_space_laws.c: what holds for any two shapes of space, against the oracle of
 * tests/support/collide/solid_oracle.h and against the same pair seen otherwise.
 */
#include "engine/base/hash.h"
#include "engine/collide/exact/core.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/support/collide/solid_oracle.h"
#include "tests/support/near.h"

#define TRIALS 1500
#define TINY 1e-9

static void
make_solid(struct test_solid *solid, struct cn_rng *rng)
{
    double size = cn_rng_uniform(rng, 0.3, 1.5);
    switch ((int)cn_rng_uniform(rng, 0.0, 5.0)) {
    case 0:
        test_solid_sphere(solid, 0.5 * size);
        return;
    case 1:
        test_solid_capsule(solid, 0.2 * size, size);
        return;
    case 2: {
        double y = cn_rng_uniform(rng, 0.3, 1.5), z = cn_rng_uniform(rng, 0.3, 1.5);
        test_solid_box(solid, size, y, z);
        return;
    }
    case 3:
        test_solid_prism(solid, 3 + (int)cn_rng_uniform(rng, 0.0, 8.0), 0.5 * size, size);
        return;
    default:
        do {
            for (int i = 0; i < 12; i++) {
                solid->point[i] = test_random_vector(rng, size);
            }
        } while (!test_solid_hull(solid, 12));
    }
}

static cn_pose
random_pose(struct cn_rng *rng, double size)
{
    cn_vec3 position = test_random_vector(rng, size), axis = test_random_vector(rng, 1.0);
    return test_solid_pose(position, axis, cn_rng_uniform(rng, -3.0, 3.0));
}

/* Two shapes near each other, more often touching than far apart. */
struct scene {
    struct test_solid a, b;
    cn_pose pose_a, pose_b;
};

static void
make_scene(struct scene *s, struct cn_rng *rng)
{
    make_solid(&s->a, rng);
    make_solid(&s->b, rng);
    s->pose_a = random_pose(rng, 0.2);
    s->pose_b = random_pose(rng, 1.0);
    struct cn_manifold m;
    for (int i = 0; i < 3 && cn_rng_uniform(rng, 0.0, 1.0) < 0.8; i++) {
        /* Moves them together or apart, along the line of their centres. */
        cn_collide(&s->a.shape, &s->pose_a, &s->b.shape, &s->pose_b, 0.0, &m);
        cn_vec3 way = cn_vec3_sub(s->pose_b.position, s->pose_a.position);
        double off = m.separation + cn_rng_uniform(rng, -0.02, 0.02);
        s->pose_b.position =
            cn_vec3_add_scaled(s->pose_b.position, -off / fmax(cn_vec3_length(way), 0.1), way);
    }
}

static void
collide(const struct scene *s, double margin, struct cn_manifold *m)
{
    cn_collide(&s->a.shape, &s->pose_a, &s->b.shape, &s->pose_b, margin, m);
}

static double
radii(const struct scene *s)
{
    return s->a.shape.radius + s->b.shape.radius;
}

static bool
are_sharp(const struct scene *s)
{
    return radii(s) == 0.0;
}

/* Separation against the oracle: the sign always, the value where it is exact. */
static void
test_separation(void **state)
{
    (void)state;
    static struct scene s;
    struct cn_rng rng = {.state = 3};
    int apart = 0, overlapping = 0, exact = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        make_scene(&s, &rng);
        struct cn_manifold m;
        collide(&s, 0.05, &m);
        double distance = oracle_distance(&s.a.shape, &s.pose_a, &s.b.shape, &s.pose_b);
        if (distance == 0.0) {
            overlapping++;
            assert_true(m.separation <= -radii(&s) + TINY);
            assert_true(m.contact_count > 0);
            continue;
        }
        apart++;
        assert_true(m.separation <= distance - radii(&s) + TINY);
        assert_true(m.separation > -radii(&s) - TINY);
        if (!are_sharp(&s)) {
            assert_near(m.separation, distance - radii(&s), TINY);
        } else {
            assert_true(m.separation >= 0.3 * distance - TINY); /* the worst angles of corners */
        }
        exact += fabs(m.separation - (distance - radii(&s))) <= TINY;
    }
    print_message("  %d apart, %d overlapping, %d exact\n", apart, overlapping, exact);
    assert_true(apart > TRIALS / 4 && overlapping > TRIALS / 20);
}

/*
 * No contact's gap is below the distance of the cores.  If the nearest features make a contact, its
 * gap equals the distance.
 */
static void
test_gaps(void **state)
{
    (void)state;
    static struct scene s;
    struct cn_rng rng = {.state = 4};
    int contacts = 0, nearest = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        make_scene(&s, &rng);
        struct cn_manifold m;
        collide(&s, 0.05, &m);
        double distance = oracle_distance(&s.a.shape, &s.pose_a, &s.b.shape, &s.pose_b);
        double least = HUGE_VAL;
        for (int i = 0; i < m.contact_count; i++) {
            struct cn_contact *c = &m.contact[i];
            assert_true(c->gap <= 0.05);
            assert_near(cn_vec3_length(c->normal), 1.0, 1e-12);
            assert_true(c->feature <= 0xffffff);
            for (int k = 0; k < i; k++) {
                assert_true(c->feature != m.contact[k].feature);
            }
            if (distance > 0.0) {
                assert_true(c->gap >= distance - radii(&s) - TINY);
            }
            least = fmin(least, c->gap);
            struct cn_contact placed = *c; /* placing again gives the same bits */
            cn_contact_place(&placed, &s.pose_a, &s.pose_b);
            assert_true(placed.gap == c->gap && placed.overhang == c->overhang);
        }
        bool exact = fabs(m.separation - (distance - radii(&s))) <= TINY;
        if (distance > 0.0 && exact && m.separation < 0.05 - TINY) {
            assert_near(least, distance - radii(&s), TINY);
            nearest++;
        }
        contacts += m.contact_count;
    }
    print_message("  %d contacts, %d nearest\n", contacts, nearest);
    assert_true(contacts > TRIALS && nearest > TRIALS / 10);
}

static bool
has_contact_at(const struct cn_manifold *m, cn_vec3 point, cn_vec3 normal, double gap)
{
    for (int i = 0; i < m->contact_count; i++) {
        const struct cn_contact *c = &m->contact[i];
        if (cn_vec3_length(cn_vec3_sub(c->point, point)) < 1e-7 && fabs(c->gap - gap) < TINY &&
            cn_vec3_length(cn_vec3_sub(c->normal, normal)) < 1e-7) {
            return true;
        }
    }
    return false;
}

/* The exchanged pair is the same pair. */
static void
test_exchange(void **state)
{
    (void)state;
    static struct scene s;
    struct cn_rng rng = {.state = 5};
    for (int trial = 0; trial < TRIALS; trial++) {
        make_scene(&s, &rng);
        struct cn_manifold m, turned;
        collide(&s, 0.05, &m);
        cn_collide(&s.b.shape, &s.pose_b, &s.a.shape, &s.pose_a, 0.05, &turned);
        assert_near(turned.separation, m.separation, TINY);
        assert_int_equal(turned.contact_count, m.contact_count);
        for (int i = 0; i < m.contact_count; i++) {
            const struct cn_contact *c = &m.contact[i];
            assert_true(has_contact_at(&turned, c->point, cn_vec3_negate(c->normal), c->gap));
        }
    }
}

static cn_pose
compose(const cn_pose *outer, const cn_pose *inner)
{
    return (cn_pose){cn_pose_apply(outer, inner->position),
        cn_mat33_multiply(&outer->rotation, &inner->rotation)};
}

/* If both shapes move together, the contacts move with them and are otherwise unchanged. */
static void
test_rigid_motion(void **state)
{
    (void)state;
    static struct scene s;
    struct cn_rng rng = {.state = 6};
    for (int trial = 0; trial < TRIALS; trial++) {
        make_scene(&s, &rng);
        struct cn_manifold m, moved;
        collide(&s, 0.05, &m);
        cn_pose motion = random_pose(&rng, 100.0);
        cn_pose pose_a = compose(&motion, &s.pose_a), pose_b = compose(&motion, &s.pose_b);
        cn_collide(&s.a.shape, &pose_a, &s.b.shape, &pose_b, 0.05, &moved);
        assert_near(moved.separation, m.separation, TINY);
        assert_int_equal(moved.contact_count, m.contact_count);
        for (int i = 0; i < m.contact_count; i++) {
            const struct cn_contact *c = &m.contact[i];
            assert_int_equal(moved.contact[i].feature, c->feature);
            assert_true(has_contact_at(&moved, cn_pose_apply(&motion, c->point),
                cn_pose_turn(&motion, c->normal), c->gap));
        }
    }
}

/* Along the normal a step by the overlap parts the two. */
static void
test_way_out(void **state)
{
    (void)state;
    static struct scene s;
    struct cn_rng rng = {.state = 7};
    int tried = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        make_scene(&s, &rng);
        struct cn_manifold m, after;
        collide(&s, 0.0, &m);
        if (m.separation >= 0.0) {
            continue;
        }
        assert_true(m.contact_count > 0);
        double part = -HUGE_VAL;
        for (int i = 0; i < m.contact_count; i++) {
            cn_pose pose_b = s.pose_b;
            double step = -m.separation + 1e-8;
            pose_b.position = cn_vec3_add_scaled(pose_b.position, step, m.contact[i].normal);
            cn_collide(&s.a.shape, &s.pose_a, &s.b.shape, &pose_b, 0.0, &after);
            part = fmax(part, after.separation);
        }
        tried++;
        if (are_sharp(&s) && m.separation > -0.01) {
            assert_true(part >= -1e-3 * fabs(m.separation));
        }
    }
    assert_true(tried > TRIALS / 5);
}

/* A small step changes the separation by at most the step; a tiny step keeps the features. */
static void
test_continuity(void **state)
{
    (void)state;
    static struct scene s;
    struct cn_rng rng = {.state = 8};
    int same = 0, compared = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        make_scene(&s, &rng);
        struct cn_manifold m, moved;
        collide(&s, 0.05, &m);
        cn_vec3 step = test_random_vector(&rng, trial % 2 == 0 ? 1e-3 : 1e-10);
        s.pose_b.position = cn_vec3_add(s.pose_b.position, step);
        collide(&s, 0.05, &moved);
        assert_true(fabs(moved.separation - m.separation) <= cn_vec3_length(step) + 1e-12);
        if (trial % 2 == 1) {
            bool equal = m.contact_count == moved.contact_count;
            for (int i = 0; equal && i < m.contact_count; i++) {
                equal = m.contact[i].feature == moved.contact[i].feature;
            }
            compared++;
            same += equal;
        }
    }
    assert_true(same >= compared - 2);
}

/* Boxes on a coarse grid, turned by quarters and eighths: ties of all kinds. */
static void
test_degenerate_grid(void **state)
{
    (void)state;
    static struct scene s;
    struct cn_rng rng = {.state = 9};
    int touching = 0;
    for (int trial = 0; trial < 4000; trial++) {
        for (int i = 0; i < 2; i++) {
            struct test_solid *solid = i == 0 ? &s.a : &s.b;
            double size[3];
            for (int k = 0; k < 3; k++) {
                size[k] = 0.5 * (1.0 + floor(cn_rng_uniform(&rng, 0.0, 4.0)));
            }
            test_solid_box(solid, size[0], size[1], size[2]);
            cn_vec3 p = test_random_vector(&rng, 8.0);
            p = cn_vec3_make(0.25 * floor(p.x), 0.25 * floor(p.y), 0.25 * floor(p.z));
            cn_vec3 axis = {0.0, 0.0, 0.0};
            *(trial % 3 == 0 ? &axis.x : trial % 3 == 1 ? &axis.y : &axis.z) = 1.0;
            double turn = CN_PI / 4.0 * floor(cn_rng_uniform(&rng, 0.0, 8.0));
            *(i == 0 ? &s.pose_a : &s.pose_b) = test_solid_pose(p, axis, turn);
        }
        struct cn_manifold m, turned;
        collide(&s, 1e-5, &m);
        double distance = oracle_distance(&s.a.shape, &s.pose_a, &s.b.shape, &s.pose_b);
        cn_collide(&s.b.shape, &s.pose_b, &s.a.shape, &s.pose_a, 1e-5, &turned);
        assert_near(m.separation, turned.separation, 1e-12);
        assert_int_equal(m.contact_count > 0, turned.contact_count > 0);
        if (distance > 1e-3) {
            assert_int_equal(m.contact_count, 0);
            assert_true(m.separation > 0.0);
        } else if (distance <= 1e-12) {
            assert_true(m.contact_count > 0);
            assert_true(m.separation <= 1e-12);
            touching += m.separation >= -1e-12;
        }
    }
    print_message("  %d touch\n", touching);
    assert_true(touching > 100);
}

/* The deepest vertex below a face of either core, against all vertices one by one. */
static void
test_deepest_vertex(void **state)
{
    (void)state;
    static struct scene s;
    static struct cn_core core[2];
    struct cn_rng rng = {.state = 37 * 0x9e3779b97f4a7c15ULL};
    int count = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        make_scene(&s, &rng);
        cn_core_load(&core[0], &s.a.shape, &s.pose_a, s.pose_a.position);
        cn_core_load(&core[1], &s.b.shape, &s.pose_b, s.pose_a.position);
        for (int owner = 0; owner < 2; owner++) {
            const struct cn_core *other = &core[1 - owner];
            for (int f = 0; f < core[owner].face_count; f++) {
                struct cn_axis axis = {
                    .kind = owner == 0 ? CN_AXIS_FACE_A : CN_AXIS_FACE_B, .face = f};
                int deepest = cn_core_deepest(&core[0], &core[1], &axis);
                assert_in_range(deepest, 0, other->vertex_count - 1);
                cn_vec3 n = core[owner].normal[f];
                for (int i = 0; i < other->vertex_count; i++) {
                    cn_vec3 up = cn_vec3_sub(other->vertex[i], other->vertex[deepest]);
                    assert_true(cn_vec3_dot(n, up) >= -1e-12);
                }
                count++;
            }
        }
    }
    assert_true(count > TRIALS);
}

/* The same bits from every compiler. */
static void
test_bits(void **state)
{
    (void)state;
    static struct scene s;
    struct cn_rng rng = {.state = 10};
    struct cn_hash hash;
    cn_hash_init(&hash);
    for (int trial = 0; trial < 300; trial++) {
        make_scene(&s, &rng);
        struct cn_manifold m;
        collide(&s, 0.05, &m);
        cn_hash_double(&hash, m.separation);
        for (int i = 0; i < m.contact_count; i++) {
            cn_hash_u64(&hash, m.contact[i].feature);
            cn_hash_double(&hash, m.contact[i].gap);
            cn_hash_double(&hash, m.contact[i].point.z);
        }
    }
    printf("  hash %016" PRIx64 "\n", hash.state);
    assert_true(hash.state == UINT64_C(0x79faa9ef3e97df24));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_separation),
        cmocka_unit_test(test_gaps),
        cmocka_unit_test(test_exchange),
        cmocka_unit_test(test_rigid_motion),
        cmocka_unit_test(test_way_out),
        cmocka_unit_test(test_continuity),
        cmocka_unit_test(test_degenerate_grid),
        cmocka_unit_test(test_deepest_vertex),
        cmocka_unit_test(test_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
