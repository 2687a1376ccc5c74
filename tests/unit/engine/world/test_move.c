/*
 * test_move.c: kinematic bodies that move to a pose, with every stepper and solver: they are exact
 * at the end and at a constant velocity before, carry what lies on them, and survive an image.
 */
#include "engine/state/portable.h"
#include "engine/world/world_inside.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/support/near.h"
#include "tests/support/world/methods.h"

static int
platform(double x, double y)
{
    int body = scene_box(&scene, x, y, 8.0, 1.0);
    scene.body[body].type = CN_KINEMATIC;
    return body;
}

static struct cn_command
move_to(int body, double x, double y, double angle, uint32_t ticks)
{
    struct cn_command command = {.kind = CN_COMMAND_MOVE_BODY};
    command.move_body = (struct cn_move_body){.body = body, .position = {x, y, 0.0},
        .angle = spatial ? 0.0 : angle,
        .orientation = spatial ? cn_quat_about_z(angle) : cn_quat_identity(),
        .ticks = ticks};
    return command;
}

static bool
has_friction(void)
{
    return strcmp(solver->name, "gauss") != 0 && strcmp(solver->name, "baraff89") != 0;
}

/* From (0, 5) to (3.1, 9.7) in 60 ticks, which are 1 s: at (3.1, 4.7) m/s, then it stands there. */
static void
law_arrives(void)
{
    begin(10.0);
    int body = platform(0.0, 5.0);
    struct cn_world *world = scene_create(&scene);
    struct cn_command command = move_to(body, 3.1, 9.7, 1.5, 60);
    scene_command(world, &command);
    for (int tick = 1; tick <= 60; tick++) {
        scene_tick(world);
        struct cn_body_view view = scene_view(world, body);
        double part = tick / 60.0;
        assert_near(view.position.x, 3.1 * part, 1e-6);
        assert_near(view.position.y, 5.0 + 4.7 * part, 1e-6);
        assert_near(view.velocity.x, tick < 60 ? 3.1 : 0.0, 1e-6);
        assert_near(view.velocity.y, tick < 60 ? 4.7 : 0.0, 1e-6);
        assert_near(view.angular_velocity.z, tick < 60 ? 1.5 : 0.0, 1e-5);
        if (!spatial) {
            assert_near(view.angle, 1.5 * part, 1e-5);
        }
    }
    scene_ticks(world, 10);
    struct cn_body_view view = scene_view(world, body);
    assert_true(view.position.x == 3.1 && view.position.y == 9.7);
    assert_true(view.angle == (spatial ? 0.0 : 1.5));
    cn_quat there = cn_quat_about_z(1.5);
    assert_near(view.orientation.w, there.w, 1e-15);
    assert_near(view.orientation.z, there.z, 1e-15);
    assert_int_equal(world->model.move_count, 0);
    for (int i = 1; i <= 20; i++) { /* velocity times duration is rounded */
        command = move_to(body, 0.1 * i, 5.0 + 0.3 * i, 1.5, 7);
        scene_command(world, &command);
        scene_ticks(world, 7);
        view = scene_view(world, body);
        assert_true(view.position.x == 0.1 * i && view.position.y == 5.0 + 0.3 * i);
    }
    cn_world_destroy(world);
}

static void
test_arrives(void **state)
{
    (void)state;
    for_each(law_arrives);
}

/*
 * A box on a platform at 1.5 m/s slides back for 0.3 s, because friction of 0.5 accelerates it by
 * 5 m/s^2.  Then it moves with the platform, and stops 0.225 m behind its place.
 */
static void
law_carries(void)
{
    if (!has_friction()) {
        return;
    }
    begin(10.0);
    scene_friction(&scene, 0, 0.5);
    int body = platform(0.0, 0.0), box = scene_box(&scene, 0.0, 1.0, 1.0, 1.0);
    scene.body[box].mass = 2.0;
    struct cn_world *world = scene_create(&scene);
    scene_ticks(world, 30);
    struct cn_command command = move_to(body, 3.0, 0.0, 0.0, 120);
    scene_command(world, &command);
    scene_ticks(world, 60);
    struct cn_body_view view = scene_view(world, box);
    assert_near(view.velocity.x, 1.5, 2e-2);
    assert_near(view.position.x, 1.5 - 0.225, 3e-2);
    assert_near(view.position.y, 1.0, 2e-2);
    cn_world_destroy(world);
}

static void
test_carries(void **state)
{
    (void)state;
    for_each(law_carries);
}

/* A box that sleeps on a platform wakes when the platform moves, and goes up with it. */
static void
test_wakes(void **state)
{
    (void)state;
    for (int d = 0; d < 2; d++) {
        spatial = d == 1;
        stepper = cn_stepper_find("time");
        solver = cn_solver_find("impulse");
        begin(10.0);
        int body = platform(0.0, 0.0), box = scene_box(&scene, 0.0, 1.0, 1.0, 1.0);
        struct cn_world *world = scene_create(&scene);
        scene_ticks(world, 120);
        assert_true(scene_view(world, box).island >= 0);
        struct cn_command command = move_to(body, 0.0, 2.0, 0.0, 120);
        scene_command(world, &command);
        scene_ticks(world, 60);
        assert_near(scene_view(world, box).velocity.y, 1.0, 1e-2);
        assert_near(scene_view(world, box).position.y, 2.0, 1e-2);
        cn_world_destroy(world);
    }
}

/* The whole turn is the shorter one: 270 degrees in one sense are 90 in the other. */
static void
test_shorter_way(void **state)
{
    (void)state;
    spatial = true;
    stepper = cn_stepper_find("time");
    solver = cn_solver_find("impulse");
    begin(0.0);
    int body = platform(0.0, 0.0);
    struct cn_world *world = scene_create(&scene);
    struct cn_command command = move_to(body, 0.0, 0.0, 1.5 * 3.14159265358979, 60);
    scene_command(world, &command);
    scene_tick(world);
    assert_near(scene_view(world, body).angular_velocity.z, -0.5 * 3.14159265358979, 1e-5);
    cn_world_destroy(world);
}

/* The centre of mass moves on a straight line; the frame is exact at the end. */
static void
test_off_center(void **state)
{
    (void)state;
    spatial = false;
    stepper = cn_stepper_find("time");
    solver = cn_solver_find("impulse");
    begin(0.0);
    int body = platform(0.0, 0.0);
    scene.body[body].has_center = true;
    scene.body[body].center_of_mass = cn_vec3_make(2.0, 0.0, 0.0);
    struct cn_world *world = scene_create(&scene);
    struct cn_command command = move_to(body, 0.0, 0.0, 3.14159265358979, 60);
    scene_command(world, &command);
    scene_ticks(world, 30);
    assert_near(scene_view(world, body).center.x, 0.0, 1e-6);
    assert_near(scene_view(world, body).center.y, 0.0, 1e-6);
    scene_ticks(world, 30);
    assert_near(scene_view(world, body).position.x, 0.0, 1e-12);
    assert_near(scene_view(world, body).center.x, -2.0, 1e-12);
    cn_world_destroy(world);
}

/* Each of these commands ends a move, and the end of a session does not. */
static void
test_ends(void **state)
{
    (void)state;
    spatial = false;
    stepper = cn_stepper_find("time");
    solver = cn_solver_find("impulse");
    for (int what = 0; what < 6; what++) {
        begin(0.0);
        int body = platform(0.0, 0.0);
        (void)platform(20.0, 0.0);
        struct cn_world *world = scene_create(&scene);
        struct cn_command move = move_to(body, 6.0, 0.0, 0.0, 60), other = {0};
        scene_command(world, &move);
        scene_ticks(world, 10);
        switch (what) {
        case 0:
            other = (struct cn_command){
                .kind = CN_COMMAND_SET_VELOCITY, .set_velocity = {.body = body}};
            break;
        case 1:
            other = (struct cn_command){.kind = CN_COMMAND_PLACE_BODY,
                .place_body = {.body = body, .position = {-4.0, 0.0, 0.0}}};
            break;
        case 2:
            other = (struct cn_command){.kind = CN_COMMAND_SET_BODY_TYPE,
                .set_body_type = {.body = body, .type = CN_STATIC}};
            break;
        case 3:
            other = (struct cn_command){.kind = CN_COMMAND_REMOVE_BODY, .remove_body = {body, 0}};
            break;
        case 4: /* another move replaces it */
            other = move_to(body, 1.0, 0.0, 0.0, 10);
            break;
        default:
            other = (struct cn_command){.kind = CN_COMMAND_RELEASE_SOURCE};
        }
        scene_command(world, &other);
        assert_int_equal(world->model.move_count, what < 4 ? 0 : 1);
        scene_ticks(world, 10);
        if (what != 3) {
            const double x[] = {1.0, -4.0, 1.0, 0.0, 1.0, 2.0};
            assert_near(scene_view(world, body).position.x, x[what], 1e-6);
        }
        cn_world_destroy(world);
    }
}

/* A world that is restored in the middle of a move has the bits of the original. */
static void
law_restores(void)
{
    begin(10.0);
    int body = platform(0.0, 0.0), second = platform(20.0, 0.0);
    (void)scene_box(&scene, 0.0, 1.0, 1.0, 1.0);
    struct cn_world *world = scene_create(&scene), *copy = scene_create(&scene);
    uint64_t before = cn_world_hash(world);
    size_t size_before = cn_world_image_size(world);
    struct cn_command first = move_to(second, 22.0, 1.0, 0.5, 20);
    struct cn_command command = move_to(body, 3.0, 1.0, 0.25, 40);
    scene_command(world, &first);
    scene_command(world, &command);
    assert_true(cn_world_hash(world) != before);
    assert_int_equal(cn_world_image_size(world), size_before + 8 + 2 * 76);
    scene_ticks(world, 10);
    scene_restore(copy, world);
    struct cn_world *later = scene_create(&scene);
    size_t size = cn_world_portable_size(world);
    void *bytes = malloc(size);
    assert_non_null(bytes);
    assert_int_equal(cn_world_portable_write(world, bytes, size), size);
    assert_int_equal(cn_world_portable_read(later, bytes, size, NULL), CN_OK);
    free(bytes);
    for (int tick = 10; tick < 45; tick++) {
        assert_true(cn_world_hash(copy) == cn_world_hash(world));
        scene_tick(world);
        scene_tick(copy);
        scene_tick(later);
    }
    assert_true(scene_view(later, body).position.x == 3.0);
    assert_true(scene_view(copy, body).position.x == 3.0);
    assert_int_equal(world->model.move_count, 0);
    scene_command(copy, &command);
    scene_restore(copy, world); /* an image without moves ends those that are under way */
    assert_int_equal(copy->model.move_count, 0);
    cn_world_destroy(world);
    cn_world_destroy(copy);
    cn_world_destroy(later);
}

static void
test_restores(void **state)
{
    (void)state;
    for_each(law_restores);
}

/* A faster world: the ticks that are left decide, not the time. */
static void
test_time_rate(void **state)
{
    (void)state;
    spatial = false;
    stepper = cn_stepper_find("event");
    solver = cn_solver_find("baraff94");
    begin(0.0);
    int body = platform(0.0, 0.0);
    struct cn_world *world = scene_create(&scene);
    struct cn_command command = move_to(body, 6.0, 0.0, 0.0, 60);
    struct cn_command rate = {.kind = CN_COMMAND_SET_TIME_RATE, .set_time_rate = {2.0}};
    scene_command(world, &command);
    scene_ticks(world, 30);
    scene_command(world, &rate);
    scene_tick(world);
    assert_near(scene_view(world, body).velocity.x, 3.0, 1e-9);
    assert_near(scene_view(world, body).position.x, 3.1, 1e-9);
    scene_ticks(world, 29);
    assert_true(scene_view(world, body).position.x == 6.0);
    cn_world_destroy(world);
}

static void
refuse(struct cn_world *world, struct cn_command command, enum cn_status status, const char *path)
{
    struct cn_defect defect = {0};
    uint64_t hash = cn_world_hash(world);
    assert_int_equal(cn_world_command_apply(world, &command, &defect), status);
    assert_string_equal(defect.path, path);
    assert_true(cn_world_hash(world) == hash);
}

static void
test_refusals(void **state)
{
    (void)state;
    spatial = false;
    stepper = cn_stepper_find("time");
    solver = cn_solver_find("impulse");
    begin(0.0);
    int body = platform(0.0, 0.0), box = scene_box(&scene, 0.0, 4.0, 1.0, 1.0);
    int locked = scene_box(&scene, 20.0, 0.0, 1.0, 1.0);
    int plane = scene_plane(&scene, 0.0, 1.0, -9.0);
    scene.body[locked].locks = CN_LOCK_LINEAR_X;
    scene.body[plane].type = CN_KINEMATIC;
    struct cn_world *world = scene_create(&scene);
    struct cn_command type = {.kind = CN_COMMAND_SET_BODY_TYPE,
        .set_body_type = {.body = locked, .type = CN_KINEMATIC}};
    scene_command(world, &type);
    refuse(world, move_to(box, 0.0, 0.0, 0.0, 5), CN_REFERENCE, "body");
    refuse(world, move_to(locked, 0.0, 0.0, 0.0, 5), CN_REFERENCE, "body");
    refuse(world, move_to(99, 0.0, 0.0, 0.0, 5), CN_REFERENCE, "body");
    refuse(world, move_to(body, 0.0, 0.0, 0.0, 0), CN_RANGE, "ticks");
    refuse(world, move_to(body, 0.0, 0.0, 0.0, CN_MOVE_TICKS_MAX + 1), CN_RANGE, "ticks");
    refuse(world, move_to(body, (double)NAN, 0.0, 0.0, 5), CN_FINITE, "position");
    refuse(world, move_to(body, CN_SPEED_MAX / 59.0, 0.0, 0.0, 1), CN_RANGE, "position");
    refuse(world, move_to(body, 0.0, 0.0, 2.0 * CN_ANGLE_MAX, 5), CN_RANGE, "angle");
    refuse(world, move_to(body, 0.0, 0.0, CN_SPIN_MAX / 59.0, 1), CN_RANGE, "angle");
    refuse(world, move_to(plane, 0.0, 1.0, 0.1, 5), CN_RANGE, "angle");
    struct cn_command lift = move_to(plane, 0.0, 1.0, 0.0, 5);
    scene_command(world, &lift);
    scene_ticks(world, 5);
    assert_true(scene_view(world, plane).position.y == 1.0);
    cn_world_destroy(world);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arrives),
        cmocka_unit_test(test_carries),
        cmocka_unit_test(test_wakes),
        cmocka_unit_test(test_shorter_way),
        cmocka_unit_test(test_off_center),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_restores),
        cmocka_unit_test(test_time_rate),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
