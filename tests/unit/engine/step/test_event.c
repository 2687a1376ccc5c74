/*
 * test_event.c: motions whose answer is known by hand, and the stepper's bounds.
 */
#include "tests/support/world/blocks.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/support/near.h"

static struct blocks blocks;

/* A box of 1 m over the floor, whose top is y = 0, as body 3 of the world of blocks. */
static struct cn_world *
box_world(double y, double velocity_y, double restitution)
{
    blocks_init(&blocks, 1, restitution);
    blocks.body[3].position = cn_vec3_make(0.0, y, 0.0);
    blocks.body[3].velocity = cn_vec3_make(0.0, velocity_y, 0.0);
    blocks.body[3].angle = 0.0;
    blocks.body[3].mass = 2.0;
    struct cn_world *world = NULL;
    assert_int_equal(cn_world_create(&blocks.def, NULL, &world), CN_OK);
    return world;
}

static void
tick(struct cn_world *world)
{
    while (cn_world_step(world, CN_WORK_UNLIMITED) == CN_STEP_MORE) {
    }
}

static const struct cn_event *
find_event(const struct cn_world *world, enum cn_event_kind kind)
{
    const struct cn_event *events;
    int count = cn_world_events(world, &events);
    for (int i = 0; i < count; i++) {
        if (events[i].kind == kind) {
            return &events[i];
        }
    }
    return NULL;
}

/* A box that stands on the floor: each corner carries half its weight, nothing moves. */
static void
test_rest(void **state)
{
    (void)state;
    struct cn_world *world = box_world(0.5, 0.0, 0.5);
    for (int t = 0; t < 120; t++) {
        const struct cn_contact_view *contact;
        assert_int_equal(cn_world_contacts(world, &contact), 2);
        for (int i = 0; i < 2; i++) {
            assert_near(contact[i].force, 0.5 * 2.0 * 9.81, 1e-9);
            assert_near(fabs(contact[i].point.x), 0.5, 1e-6);
            assert_near(contact[i].normal.y, 1.0, 1e-9); /* floor is body 0: up, to the box */
            assert_true(contact[i].gap >= -cn_world_gap_tolerance(world));
        }
        struct cn_body_view view;
        cn_world_body_view(world, 3, &view);
        assert_near(view.acceleration.y, 0.0, 1e-9);
        assert_near(view.position.y, 0.5, cn_world_gap_tolerance(world));
        tick(world);
        assert_int_equal(cn_world_events(world, &(const struct cn_event *){NULL}), 0);
    }
    cn_world_destroy(world);
}

/* Dropped from h: hits at sqrt(2 h / g) with speed sqrt(2 g h), leaves with e times that. */
static void
test_first_impact(void **state)
{
    (void)state;
    double h = 0.7, e = 0.5, mass = 2.0;
    struct cn_world *world = box_world(0.5 + h, 0.0, e);
    const struct cn_event *impact = NULL;
    for (int t = 0; t < 60 && impact == NULL; t++) {
        tick(world);
        impact = find_event(world, CN_EVENT_IMPACT);
    }
    assert_non_null(impact);
    assert_near(impact->time, sqrt(2.0 * h / 9.81), 1e-8);
    assert_near(impact->value, (1.0 + e) * mass * sqrt(2.0 * 9.81 * h), 1e-6);
    cn_world_destroy(world);
}

/* The bounces of e < 1 add up to a finite time; after it the box rests. */
static void
test_comes_to_rest(void **state)
{
    (void)state;
    double h = 1.0, e = 0.5;
    struct cn_world *world = box_world(0.5 + h, 0.0, e);
    double rest_time = sqrt(2.0 * h / 9.81) * (1.0 + e) / (1.0 - e);
    while (cn_world_time(world) < rest_time + 0.05) {
        tick(world);
    }
    struct cn_body_view view;
    cn_world_body_view(world, 3, &view);
    assert_near(view.velocity.y, 0.0, 1e-7);
    assert_near(view.angular_velocity.z, 0.0, 1e-7);
    assert_near(view.position.y, 0.5, 2e-5);
    const struct cn_contact_view *contact;
    assert_int_equal(cn_world_contacts(world, &contact), 2);
    assert_near(contact[0].force + contact[1].force, 2.0 * 9.81, 1e-6);
    cn_world_destroy(world);
}

/* Free flight: the parabola, and the angle w t, to rounding. */
static void
test_flight(void **state)
{
    (void)state;
    blocks_init(&blocks, 1, 0.5);
    blocks.body[3].position = cn_vec3_make(0.0, 4.0, 0.0);
    blocks.body[3].velocity = cn_vec3_make(1.0, 2.0, 0.0);
    blocks.body[3].angular_velocity = cn_vec3_make(0.0, 0.0, 3.0);
    blocks.body[3].angle = 0.1;
    struct cn_world *world = NULL;
    assert_int_equal(cn_world_create(&blocks.def, NULL, &world), CN_OK);
    for (int t = 0; t < 30; t++) {
        tick(world);
    }
    struct cn_body_view view;
    cn_world_body_view(world, 3, &view);
    assert_near(cn_world_time(world), 0.5, 1e-12);
    assert_near(view.position.x, 0.5, 1e-12);
    assert_near(view.position.y, 4.0 + 2.0 * 0.5 - 0.5 * 9.81 * 0.25, 1e-12);
    assert_near(view.angle, 0.1 + 1.5, 1e-12);
    cn_world_destroy(world);
}

/* A mass on a spring to the ceiling: amplitude and phase of the cosine, error controlled. */
static void
test_oscillator(void **state)
{
    (void)state;
    blocks_init(&blocks, 1, 0.5);
    blocks.def.settings.gravity = cn_vec3_make(0.0, 0.0, 0.0);
    blocks.body[3].position = cn_vec3_make(1.0, 4.0, 0.0);
    blocks.body[3].velocity = cn_vec3_make(0.0, 0.0, 0.0);
    blocks.body[3].angle = 0.0;
    blocks.body[3].mass = 1.0;
    struct cn_spring_def spring = {
        .body_a = -1, .body_b = 3, .anchor_a = {0.0, 4.0, 0.0}, .stiffness = 400.0};
    blocks.def.springs = &spring;
    blocks.def.spring_count = 1;
    struct cn_world *world = NULL;
    assert_int_equal(cn_world_create(&blocks.def, NULL, &world), CN_OK);
    for (int t = 0; t < 120; t++) {
        tick(world);
        struct cn_body_view view;
        cn_world_body_view(world, 3, &view);
        assert_near(view.position.x, cos(20.0 * cn_world_time(world)), 2e-5);
    }
    assert_near(cn_world_energy(world).total, 0.5 * 400.0, 0.5 * 400.0 * 1e-5);
    cn_world_destroy(world);
}

/*
 * A block slides off a table's end at x = 1.  No contact is beyond the end.  The forces balance its
 * weight and its moment until its centre is over the end.  The right force is m g (x - left) / (1 -
 * left).
 */
static void
test_slides_off_an_end(void **state)
{
    (void)state;
    blocks_init(&blocks, 1, 0.0);
    blocks.shape[0].box.size.x = 2.0;
    blocks.body[3].position = cn_vec3_make(0.35, 0.5, 0.0);
    blocks.body[3].velocity = cn_vec3_make(0.7, 0.0, 0.0);
    blocks.body[3].angle = 0.0;
    blocks.body[3].mass = 1.0;
    struct cn_world *world = NULL;
    assert_int_equal(cn_world_create(&blocks.def, NULL, &world), CN_OK);
    int over_count = 0;
    for (int t = 0; t < 54; t++) {
        struct cn_body_view view;
        cn_world_body_view(world, 3, &view);
        double left = view.position.x - 0.5, right = fmin(view.position.x + 0.5, 1.0);
        over_count += view.position.x + 0.5 > 1.0;
        const struct cn_contact_view *contact;
        assert_int_equal(cn_world_contacts(world, &contact), 2);
        for (int i = 0; i < 2; i++) {
            assert_true(contact[i].point.x <= 1.0 + 2e-6);
            bool is_right = contact[i].point.x > view.position.x;
            double lever = is_right ? view.position.x - left : right - view.position.x;
            assert_near(contact[i].force, 9.81 * lever / (right - left), 1e-4);
        }
        assert_near(view.velocity.x, 0.7, 1e-9);
        assert_near(view.angle, 0.0, 2e-5);
        tick(world);
    }
    assert_true(over_count > 30);
    cn_world_destroy(world);
}

/*
 * A comb with three teeth has six contacts.  Many shares balance; the ones of least norm are equal.
 */
static void
test_minimum_norm(void **state)
{
    (void)state;
    blocks_init(&blocks, 1, 0.0);
    struct cn_shape_def teeth[3];
    for (int i = 0; i < 3; i++) {
        teeth[i] = (struct cn_shape_def){.kind = CN_SHAPE_BOX};
        teeth[i].box.size = cn_vec3_make(1.0, 1.0, 1.0);
        teeth[i].position.x = 2.0 * (i - 1);
    }
    blocks.body[3].shapes = teeth;
    blocks.body[3].shape_count = 3;
    blocks.body[3].mass = 6.0;
    blocks.body[3].position = cn_vec3_make(0.0, 0.5, 0.0);
    blocks.body[3].velocity = cn_vec3_make(0.0, 0.0, 0.0);
    blocks.body[3].angle = 0.0;
    for (int least = 0; least < 2; least++) {
        blocks.def.settings.minimum_norm = least == 1;
        struct cn_world *world = NULL;
        assert_int_equal(cn_world_create(&blocks.def, NULL, &world), CN_OK);
        const struct cn_contact_view *contact;
        assert_int_equal(cn_world_contacts(world, &contact), 6);
        double sum = 0.0;
        for (int i = 0; i < 6; i++) {
            sum += contact[i].force;
            if (least == 1) {
                assert_near(contact[i].force, 9.81, 1e-9);
            }
        }
        assert_near(sum, 6.0 * 9.81, 1e-9);
        cn_world_destroy(world);
    }
}

/* Two walls close on a box, and no force can stop them.  An event says so; the world continues. */
static void
test_closing_walls(void **state)
{
    (void)state;
    blocks_init(&blocks, 1, 0.0);
    for (int i = 1; i < 3; i++) {
        blocks.body[i].type = CN_KINEMATIC;
        blocks.body[i].velocity = cn_vec3_make(i == 1 ? 2.0 : -2.0, 0.0, 0.0);
    }
    blocks.body[3].position = cn_vec3_make(0.0, 0.5, 0.0);
    blocks.body[3].velocity = cn_vec3_make(0.0, 0.0, 0.0);
    blocks.body[3].angle = 0.0;
    struct cn_world *world = NULL;
    assert_int_equal(cn_world_create(&blocks.def, NULL, &world), CN_OK);
    bool squeezed = false;
    for (int t = 0; t < 130; t++) {
        tick(world);
        squeezed = squeezed || find_event(world, CN_EVENT_SQUEEZED) != NULL;
        struct cn_body_view view;
        cn_world_body_view(world, 3, &view);
        assert_true(isfinite(view.position.x) && fabs(view.velocity.x) < 100.0);
    }
    assert_true(squeezed);
    cn_world_destroy(world);
}

/* Bodies that overlap when the world begins part slowly, and an event names the depth. */
static void
test_deep_overlap(void **state)
{
    (void)state;
    blocks_init(&blocks, 2, 0.5);
    for (int i = 3; i < 5; i++) {
        blocks.body[i].position = cn_vec3_make(0.0, i == 3 ? 0.5 : 1.3, 0.0);
        blocks.body[i].velocity = cn_vec3_make(0.0, 0.0, 0.0);
        blocks.body[i].angle = 0.0;
    }
    struct cn_world *world = NULL;
    assert_int_equal(cn_world_create(&blocks.def, NULL, &world), CN_OK);
    double energy = cn_world_energy(world).total;
    tick(world);
    const struct cn_event *overlap = find_event(world, CN_EVENT_OVERLAP);
    assert_non_null(overlap);
    assert_near(overlap->value, 0.4, 1e-2); /* 0.5 + 0.5 + 0.7 - 1.3 */
    for (int t = 0; t < 300; t++) {
        tick(world);
    }
    assert_null(find_event(world, CN_EVENT_OVERLAP));
    struct cn_body_view view;
    cn_world_body_view(world, 4, &view);
    assert_true(isfinite(view.position.y) && fabs(view.position.x) < 4.0);
    double lift = 1.5 * 9.81 * 0.5; /* the energy to lift the upper block out */
    assert_true(cn_world_energy(world).total <= energy + 1.5 * lift);
    cn_world_destroy(world);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rest),
        cmocka_unit_test(test_first_impact),
        cmocka_unit_test(test_comes_to_rest),
        cmocka_unit_test(test_flight),
        cmocka_unit_test(test_oscillator),
        cmocka_unit_test(test_slides_off_an_end),
        cmocka_unit_test(test_minimum_norm),
        cmocka_unit_test(test_closing_walls),
        cmocka_unit_test(test_deep_overlap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
