/*
 * test_continuous.c: what a fast body meets, by hand and from everywhere; what it slides over; and
 * that nothing passes a wall, though no solver ever turns it back.
 */
#include "engine/step/pipeline/continuous.h"

#include "engine/base/arena.h"
#include "engine/base/rng.h"
#include "engine/collide/query/toi.h"
#include "engine/math/scalar.h"
#include "engine/world/world_inside.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/support/near.h"
#include "tests/support/world/scene.h"

#define BODIES_MAX 32

/* A world whose bodies the test moves, from start[] to their motions in the model. */
struct stage {
    struct scene scene;
    struct cn_world *world;
    struct cn_model *model;
    int32_t moving[BODIES_MAX];
    struct cn_start start[BODIES_MAX];
    int moving_count;
    struct cn_stop stop[BODIES_MAX];
    int stop_count;
    double slop;
};

static struct stage stage;

static void
open_stage(bool planar)
{
    memset(&stage, 0, sizeof(stage));
    if (planar) {
        scene_init(&stage.scene, 0.0);
    } else {
        scene_init_space(&stage.scene, 0.0);
    }
}

static void
raise_stage(void)
{
    stage.world = scene_create(&stage.scene);
    stage.model = &stage.world->model;
    stage.slop = cn_min(0.005, 0.01 * stage.model->length_min);
}

static int
box(double x, double y, double width, double height)
{
    return scene_box(&stage.scene, x, y, width, height);
}

/* A static box. */
static int
wall(double x, double y, double width, double height)
{
    int body = box(x, y, width, height);
    stage.scene.body[body].type = CN_STATIC;
    return body;
}

/* Moves the body by `along` and turns it by a vector, within the tick. */
static int
go(int body, cn_vec3 along, cn_vec3 turn)
{
    struct cn_motion *m = &stage.model->motion[body];
    int mover = stage.moving_count++;
    stage.moving[mover] = body;
    stage.start[mover] = (struct cn_start){m->position, m->angle, m->orientation};
    m->position = cn_vec3_add(m->position, along);
    m->angle += turn.z;
    m->orientation = stage.model->settings.dimension == CN_PLANAR
                         ? cn_quat_about_z(m->angle)
                         : cn_quat_rotate_by(m->orientation, turn);
    return mover;
}

static struct cn_continuous
context(const struct cn_proximity *proximity)
{
    return (struct cn_continuous){stage.model, stage.moving, stage.start, stage.moving_count,
        proximity, stage.slop};
}

static void
find(void)
{
    struct cn_continuous c = context(NULL);
    stage.stop_count = 0;
    for (int i = 0; i < stage.moving_count; i++) {
        if (cn_continuous_is_fast(&c, i)) {
            stage.stop[stage.stop_count++].mover = i;
        }
    }
    cn_continuous_find(&c, stage.stop, stage.stop_count, NULL);
}

/* Sets the bodies to their stops and ends the tick. */
static void
end_tick(void)
{
    struct cn_continuous c = context(NULL);
    struct cn_motion motion[BODIES_MAX];
    for (int k = 0; k < stage.stop_count; k++) {
        motion[k] = cn_continuous_motion(&c, &stage.stop[k]);
    }
    for (int k = 0; k < stage.stop_count; k++) {
        stage.model->motion[stage.moving[stage.stop[k].mover]] = motion[k];
    }
    stage.moving_count = 0;
}

static void
close_stage(void)
{
    cn_world_destroy(stage.world);
}

static const cn_vec3 no_turn = {0.0, 0.0, 0.0};

static void
test_ball_and_wall(void **state)
{
    (void)state;
    /* 300 m/s for a sixtieth of a second; the wall's side is 0.925 m ahead of the ball's. */
    open_stage(true);
    wall(0.0, 0.0, 0.05, 10.0);
    int ball = scene_circle(&stage.scene, -1.0, 0.0, 0.05);
    raise_stage();
    double x = stage.model->motion[ball].position.x;
    go(ball, (cn_vec3){5.0, 0.0, 0.0}, no_turn);
    find();
    assert_int_equal(stage.stop_count, 1);
    double gap = 0.925 - 5.0 * stage.stop[0].fraction, target = 0.5 * stage.slop;
    assert_true(target - 1e-12 <= gap && gap <= 1.25 * target);
    assert_int_equal(stage.stop[0].other, 0);
    assert_int_equal(stage.stop[0].shape, 1);
    end_tick();
    assert_near(stage.model->motion[ball].position.x, x + 0.925 - gap, 1e-12);

    /* Away from the wall, or along it, the ball goes the whole way. */
    go(ball, (cn_vec3){-5.0, 0.0, 0.0}, no_turn);
    find();
    assert_near(stage.stop[0].fraction, 1.0, 0.0);
    go(ball, (cn_vec3){0.0, -5.0, 0.0}, no_turn);
    stage.moving_count = 0;
    close_stage();
}

/* A ball of radius 0.5 begins 2 m above a plane of any orientation, and goes down 4 m. */
static void
test_ball_and_turned_plane(void **state)
{
    (void)state;
    struct cn_rng rng = {41};
    for (int round = 0; round < 200; round++) {
        open_stage(false);
        int ground = scene_plane(&stage.scene, 0.0, 1.0, 0.0);
        cn_vec3 turn = {cn_rng_uniform(&rng, -3.0, 3.0), cn_rng_uniform(&rng, -3.0, 3.0),
            cn_rng_uniform(&rng, -3.0, 3.0)};
        cn_quat turned = cn_quat_rotate_by(cn_quat_identity(), turn);
        cn_vec3 up = cn_quat_to_mat33(turned).cy;
        int ball = scene_circle(&stage.scene, 2.0 * up.x, 2.0 * up.y, 0.5);
        stage.scene.shape[ball].kind = CN_SHAPE_SPHERE;
        stage.scene.body[ground].orientation = turned;
        stage.scene.body[ball].position.z = 2.0 * up.z;
        raise_stage();
        go(ball, cn_vec3_scale(up, -4.0), no_turn);
        find();
        assert_int_equal(stage.stop_count, 1);
        assert_near(stage.stop[0].fraction, 1.5 / 4.0, 0.01);
        close_stage();
    }
}

static void
test_slow_is_not_swept(void **state)
{
    (void)state;
    open_stage(true);
    wall(0.0, 0.0, 0.05, 10.0);
    int ball = scene_circle(&stage.scene, -1.0, 0.0, 0.05);
    int rod = box(-3.0, 0.0, 1.0, 0.02);
    raise_stage();
    go(ball, (cn_vec3){0.024, 0.0, 0.0}, no_turn);
    go(rod, (cn_vec3){0.0, 0.0, 0.0}, (cn_vec3){0.0, 0.0, 0.02}); /* its tips move by 1 cm */
    find();
    assert_int_equal(stage.stop_count, 1);
    assert_int_equal(stage.stop[0].mover, 1);
    close_stage();
}

static void
test_seams_do_not_stop(void **state)
{
    (void)state;
    /* A box of 1 m slides 5 m a tick over stones of 0.7 m, two slops deep in them. */
    open_stage(true);
    for (int i = 0; i < 20; i++) {
        wall(0.7 * i, -0.5, 0.7, 1.0);
    }
    int slider = box(0.0, 0.5, 1.0, 1.0);
    int ball = scene_circle(&stage.scene, 0.0, 5.5, 0.5);
    wall(5.0, 4.5, 20.0, 1.0);
    raise_stage();
    assert_near(stage.slop, 0.005, 1e-15);
    stage.model->motion[slider].position.y -= 2.0 * stage.slop;
    stage.model->motion[ball].position.y -= 2.0 * stage.slop;
    go(slider, (cn_vec3){5.0, 0.0, 0.0}, no_turn);
    go(ball, (cn_vec3){5.0, 0.0, 0.0}, (cn_vec3){0.0, 0.0, -10.0});
    find();
    assert_int_equal(stage.stop_count, 2);
    assert_near(stage.stop[0].fraction, 1.0, 0.0);
    assert_near(stage.stop[1].fraction, 1.0, 0.0);
    end_tick();

    /* But a step of a tenth of its size stops it. */
    stage.model->motion[slider].position = (cn_vec3){0.0, 0.5 - 2.0 * stage.slop, 0.0};
    stage.model->motion[10].position.y += 0.1;
    go(slider, (cn_vec3){9.0, 0.0, 0.0}, no_turn);
    find();
    double gap = 0.7 * 10 - 0.35 - 0.5 - 9.0 * stage.stop[0].fraction;
    assert_near(gap, 0.0, stage.slop);
    close_stage();
}

static void
test_one_sided(void **state)
{
    (void)state;
    open_stage(true);
    int chain = box(0.0, 0.0, 1.0, 1.0);
    cn_vec3 *point = stage.scene.vertex;
    point[0] = (cn_vec3){0.0, -10.0, 0.0};
    point[1] = (cn_vec3){0.0, 10.0, 0.0}; /* upwards: its right side is at x > 0 */
    stage.scene.body[chain].type = CN_STATIC;
    stage.scene.shape[chain] = (struct cn_shape_def){.kind = CN_SHAPE_CHAIN};
    stage.scene.shape[chain].boundary.points = point;
    stage.scene.shape[chain].boundary.point_count = 2;
    int ball = scene_circle(&stage.scene, 1.0, 0.0, 0.05);
    int other = scene_circle(&stage.scene, -1.0, 1.0, 0.05);
    raise_stage();
    go(ball, (cn_vec3){-5.0, 0.0, 0.0}, no_turn);
    go(other, (cn_vec3){5.0, 0.0, 0.0}, no_turn);
    find();
    assert_near(5.0 * stage.stop[0].fraction, 0.95, stage.slop);
    assert_near(stage.stop[1].fraction, 1.0, 0.0);
    close_stage();
}

static void
test_bullets(void **state)
{
    (void)state;
    /*
     * Two bullets against each other, 2 m apart, 5 m each; a slow body in the way; a closing door.
     */
    open_stage(true);
    int left = scene_circle(&stage.scene, -1.0, 0.0, 0.05);
    int right = scene_circle(&stage.scene, 1.0, 0.0, 0.05);
    int at_slow = scene_circle(&stage.scene, -1.0, 2.0, 0.05);
    int slow = box(1.0, 2.0, 0.05, 1.0);
    int at_door = scene_circle(&stage.scene, -1.0, 4.0, 0.05);
    int door = box(-0.95, 8.0, 0.1, 1.0);
    int plain = scene_circle(&stage.scene, -1.0, 2.2, 0.05);
    stage.scene.body[door].type = CN_KINEMATIC;
    stage.scene.body[left].bullet = stage.scene.body[right].bullet = true;
    stage.scene.body[at_slow].bullet = stage.scene.body[at_door].bullet = true;
    raise_stage();
    const cn_vec3 on = {5.0, 0.0, 0.0}, back = {-5.0, 0.0, 0.0};
    go(left, on, no_turn);
    go(right, back, no_turn);
    go(at_slow, on, no_turn);
    go(slow, (cn_vec3){-0.01, 0.0, 0.0}, no_turn);
    go(at_door, (cn_vec3){0.0, 0.1, 0.0}, no_turn);
    go(door, (cn_vec3){0.0, -8.0, 0.0}, no_turn);
    go(plain, on, no_turn);
    find();
    assert_int_equal(stage.stop_count, 5);
    assert_near(stage.stop[0].fraction, 1.9 / 10.0, 1e-3);
    assert_near(stage.stop[1].fraction, stage.stop[0].fraction, 1e-9);
    assert_near(stage.stop[2].fraction, 1.925 / 5.01, 1e-3);
    assert_near(stage.stop[3].fraction, 3.45 / 8.1, 1e-3); /* the door falls on it from 7.5 m */
    assert_near(stage.stop[4].fraction, 1.0, 0.0); /* no bullet: it passes the slow body */
    close_stage();
}

/* ---- from everywhere ---- */

/* Makes bodies of every kind, 2 to 10 cm thick, and a wall of 5 cm, which is the first body. */
static void
raise_crowd(bool planar)
{
    open_stage(planar);
    int w = wall(0.0, 0.0, 0.05, 200.0);
    stage.scene.shape[w].box.size.z = 200.0;
    for (int i = 0; i < 3; i++) {
        int plate = box(-3.0 - i, 0.0, 0.02, 0.5 + 0.5 * i); /* thin along its way */
        int rod = box(-3.0 - i, 9.0, 1.0, 0.02);             /* and across */
        stage.scene.shape[plate].box.size.z = 0.7;
        stage.scene.shape[rod].box.size.z = 0.02;
        scene_circle(&stage.scene, -3.0 - i, 20.0, 0.05);
        scene_capsule(&stage.scene, -3.0 - i, 30.0, 0.01, 0.3);
    }
    for (int i = 0; i < stage.scene.def.body_count && !planar; i++) {
        if (stage.scene.shape[i].kind == CN_SHAPE_CIRCLE) {
            stage.scene.shape[i].kind = CN_SHAPE_SPHERE;
            stage.scene.shape[i].sphere.radius = 0.05;
        }
    }
    raise_stage();
}

static double
gap_to_wall(int body)
{
    const struct cn_model *model = stage.model;
    const struct cn_motion *m = &model->motion[body], *w = &model->motion[0];
    struct cn_part part;
    struct cn_convex convex;
    bool planar = model->settings.dimension == CN_PLANAR;
    cn_part_get(&model->shape[0], 0, false, &part);
    cn_convex_of(&model->shape[body], &convex);
    struct cn_sweep here = planar ? cn_sweep_planar(m->position, m->angle, m->position, m->angle)
                                  : cn_sweep_spatial(m->position, m->orientation, m->position,
                                        m->orientation);
    struct cn_sweep there = planar
                                ? cn_sweep_planar(w->position, 0.0, w->position, 0.0)
                                : cn_sweep_spatial(w->position, w->orientation, w->position,
                                      w->orientation);
    cn_vec3 normal;
    struct cn_toi_input in = {&part, &there, &convex, &here, 1.0, 1.0, 1.0};
    return cn_toi_gap(&in, 0.0, &normal);
}

/* The largest x of a body [m]. */
static double
front_of(int body)
{
    cn_pose pose =
        cn_motion_pose(&stage.model->motion[body], stage.model->settings.dimension);
    return cn_shape_aabb(&stage.model->shape[body], &pose, 0.0).high.x;
}

static cn_vec3
random_vector(struct cn_rng *rng, double size)
{
    double x = cn_rng_uniform(rng, -size, size), y = cn_rng_uniform(rng, -size, size);
    return (cn_vec3){x, y, cn_rng_uniform(rng, -size, size)};
}

/* Puts a body at a place to the left of the wall, at any turn. */
static void
put(int body, struct cn_rng *rng, double x)
{
    struct cn_motion *m = &stage.model->motion[body];
    bool planar = stage.model->settings.dimension == CN_PLANAR;
    m->position = (cn_vec3){x, cn_rng_uniform(rng, -20.0, 20.0), 0.0};
    cn_vec3 turn = random_vector(rng, 3.0);
    m->angle = planar ? turn.z : 0.0;
    m->orientation = planar ? cn_quat_about_z(turn.z) : cn_quat_rotate_by(m->orientation, turn);
}

static void
fly_at_wall(bool planar)
{
    raise_crowd(planar);
    struct cn_rng rng = {planar ? 21U : 22U};
    int met = 0, flights = 0, cut_off = 0;
    for (int trial = 0; trial < 1000; trial++) {
        for (int body = 1; body < stage.model->body_count; body++) {
            put(body, &rng, cn_rng_uniform(&rng, -4.0, -1.1));
            double speed = cn_rng_uniform(&rng, 20.0, 300.0) / 60.0;
            cn_vec3 along = {speed, cn_rng_uniform(&rng, -5.0, 5.0), 0.0};
            cn_vec3 turn = random_vector(&rng, planar ? 8.0 : 1.7);
            along.z = planar ? 0.0 : cn_rng_uniform(&rng, -5.0, 5.0);
            go(body, along, turn);
        }
        find();
        for (int k = 0; k < stage.stop_count; k++) {
            flights++;
            met += stage.stop[k].fraction < 1.0;
            cut_off += stage.stop[k].cut_off_count;
        }
        end_tick();
        for (int k = 0; k < stage.stop_count; k++) {
            int body = 1 + stage.stop[k].mover;
            assert_true(stage.stop[k].fraction == 1.0 || gap_to_wall(body) > 0.4 * stage.slop);
        }
        for (int body = 1; body < stage.model->body_count; body++) {
            assert_true(stage.model->motion[body].position.x < 0.0);
            assert_true(front_of(body) < -0.025 + 2.0 * 4.0 * stage.slop);
        }
    }
    assert_true(flights > 10000 && met > flights / 4 && met < flights);
    assert_int_equal(cut_off, 0);
    close_stage();
}

static void
test_nothing_passes_planar(void **state)
{
    (void)state;
    fly_at_wall(true);
}

static void
test_nothing_passes_spatial(void **state)
{
    (void)state;
    fly_at_wall(false);
}

/* For many ticks bodies move into the wall and each other, as if contacts had no force. */
static void
test_no_force_holds_them_back(void **state)
{
    (void)state;
    for (int planar = 0; planar < 2; planar++) {
        raise_crowd(planar == 1);
        struct cn_rng rng = {31};
        for (int body = 1; body < stage.model->body_count; body++) {
            put(body, &rng, -1.1);
        }
        for (int tick = 0; tick < 40; tick++) {
            for (int body = 1; body < stage.model->body_count; body++) {
                cn_vec3 along = {cn_rng_uniform(&rng, 1.0, 5.0), cn_rng_uniform(&rng, -1.0, 1.0),
                    0.0};
                go(body, along, (cn_vec3){0.0, 0.0, cn_rng_uniform(&rng, -1.0, 1.0)});
            }
            find();
            assert_int_equal(stage.stop_count, stage.model->body_count - 1);
            end_tick();
            for (int body = 1; body < stage.model->body_count; body++) {
                assert_true(stage.model->motion[body].position.x < 0.0);
            }
        }
        close_stage();
    }
}

/* ---- independence of the order of pairs and of workers ---- */

static void
run_backwards(struct cn_crew *crew, cn_task *task, void *context, int count, int grain)
{
    (void)crew;
    for (int first = (count - 1) / grain * grain; first >= 0; first -= grain) {
        task(context, first, first + grain < count ? first + grain : count, 0);
    }
}

static void
test_same_for_all(void **state)
{
    (void)state;
    raise_crowd(true);
    struct cn_rng rng = {41};
    struct cn_model *model = stage.model;
    for (int body = 1; body < model->body_count; body++) {
        model->body[body].bullet = body % 2 == 0;
        put(body, &rng, cn_rng_uniform(&rng, -4.0, -1.1));
    }
    struct cn_arena arena;
    cn_arena_init_measure(&arena);
    cn_proximity_make(&arena, model->shape_count);
    size_t size = arena.used;
    void *memory = aligned_alloc(64, (size + 63) / 64 * 64);
    cn_arena_init(&arena, memory, size);
    struct cn_proximity *proximity = cn_proximity_make(&arena, model->shape_count);
    for (int i = 0; i < model->shape_count; i++) {
        cn_pose pose = cn_motion_pose(&model->motion[i], CN_PLANAR);
        cn_aabb tight = cn_shape_aabb(&model->shape[i], &pose, 0.01);
        cn_proximity_put(proximity, i, &tight, 0.05, i == 0);
    }
    for (int body = 1; body < model->body_count; body++) {
        double far = body % 3 == 0 ? 0.01 : 5.0;
        go(body, (cn_vec3){far, cn_rng_uniform(&rng, -far, far), 0.0},
            (cn_vec3){0.0, 0.0, far});
    }
    find();
    struct cn_stop expected[BODIES_MAX];
    memcpy(expected, stage.stop, sizeof(expected));
    int moving_met = 0;
    struct cn_crew crew = {2, run_backwards};
    struct cn_continuous c = context(proximity);
    cn_continuous_find(&c, stage.stop, stage.stop_count, &crew);
    for (int k = 0; k < stage.stop_count; k++) {
        assert_true(stage.stop[k].fraction == expected[k].fraction);
        assert_int_equal(stage.stop[k].other, expected[k].other);
        moving_met += expected[k].other > 0;
    }
    assert_true(moving_met > 0);
    free(memory);
    close_stage();
}

/* A body that turns far is fast, in space and in the plane; the size of a sensor is ignored. */
static void
test_what_is_fast(void **state)
{
    (void)state;
    for (int planar = 0; planar < 2; planar++) {
        for (int sensor = 0; sensor < 2; sensor++) {
            open_stage(planar != 0);
            int rod = box(0.0, 0.0, 4.0, 0.2);
            stage.scene.shape[rod].sensor = sensor != 0;
            stage.scene.body[rod].mass = 1.0;
            if (planar != 0) {
                stage.scene.body[rod].inertia = 1.0;
            } else {
                stage.scene.body[rod].inertia_tensor = cn_mat33_diagonal(1.0, 1.0, 1.0);
            }
            raise_stage();
            struct cn_continuous c = {.model = stage.model, .moving = stage.moving,
                .start = stage.start};
            const double turns[] = {0.01, 0.5, 0.01}, ways[] = {0.01, 0.0, 1.0};
            for (int k = 0; k < 3; k++) {
                stage.moving_count = 0;
                int mover = go(rod, cn_vec3_make(0.0, ways[k], 0.0),
                    cn_vec3_make(0.0, 0.0, turns[k]));
                assert_int_equal(cn_continuous_is_fast(&c, mover), k > 0 && sensor == 0);
            }
            cn_world_destroy(stage.world);
        }
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ball_and_wall),
        cmocka_unit_test(test_ball_and_turned_plane),
        cmocka_unit_test(test_slow_is_not_swept),
        cmocka_unit_test(test_seams_do_not_stop),
        cmocka_unit_test(test_one_sided),
        cmocka_unit_test(test_bullets),
        cmocka_unit_test(test_nothing_passes_planar),
        cmocka_unit_test(test_nothing_passes_spatial),
        cmocka_unit_test(test_no_force_holds_them_back),
        cmocka_unit_test(test_same_for_all),
        cmocka_unit_test(test_what_is_fast),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
