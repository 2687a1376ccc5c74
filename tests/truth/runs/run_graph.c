/*
 * run_graph.c: the graph of which body rests on which (step/propagation/contact_graph.h), as the
 * stepper `propagation` builds it, and its effect.
 */
#include "engine/math/scalar.h"
#include "engine/math/trig.h"
#include "engine/step/propagation/propagation.h"
#include "engine/world/world_inside.h"
#include "tests/support/world/scene.h"
#include "tests/truth/check.h"
#include "tests/truth/table.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define DT (1.0 / 60.0)

static struct scene scene;

static void
begin(bool space)
{
    if (space) {
        scene_init_space(&scene, 9.81);
    } else {
        scene_init(&scene, 9.81);
    }
    snprintf(scene.def.settings.stepper, CN_NAME_SIZE, "propagation");
    snprintf(scene.def.settings.solver, CN_NAME_SIZE, "guendelman03");
    scene_friction(&scene, 0, 0.5);
    scene_floor(&scene);
}

/* The levels of a world's bodies as a step would find them. */
static int
levels_of(struct cn_world *world, int32_t *level, int32_t *component)
{
    struct cn_step_context context = {
        .model = &world->model, .solver = world->solver, .scratch = world->scratch};
    struct cn_propagation step;
    cn_propagation_init(&step, &context);
    step.h = DT;
    cn_propagation_place(&step);
    assert_true(cn_propagation_find(&step, &context.room_needed));
    cn_propagation_joints(&step);
    for (int i = 0; i < step.pair_count; i++) { /* as the sweep over collisions leaves it */
        step.order[i] = i;
    }
    cn_propagation_levels(&step);
    for (int i = 0; i < world->model.body_count; i++) {
        level[i] = step.graph.level[i];
        component[i] = step.graph.component[i];
    }
    return step.graph.level_count;
}

static void
expect_levels(const int32_t *expected, int count)
{
    int32_t level[SCENE_BODIES_MAX], component[SCENE_BODIES_MAX];
    struct cn_world *world = scene_create(&scene);
    (void)levels_of(world, level, component);
    assert_int_equal(level[0], 0); /* the floor */
    for (int i = 0; i < count; i++) {
        assert_int_equal(level[i + 1], expected[i]);
    }
    cn_world_destroy(world);
}

/* Unit boxes of one height at (x, their row), the rows from the ground up. */
static void
rows(const double *x, const double *row, int count)
{
    begin(false);
    for (int i = 0; i < count; i++) {
        (void)scene_box(&scene, x[i], 0.5 + row[i], 1.0, 1.0);
    }
}

static double
separation(const struct cn_world *world, int a, int b)
{
    const struct cn_model *model = &world->model;
    cn_pose pose_a = cn_motion_pose(&model->motion[a], CN_SPATIAL);
    cn_pose pose_b = cn_motion_pose(&model->motion[b], CN_SPATIAL);
    struct cn_manifold manifold;
    cn_collide(&model->shape[model->body[a].shape_first], &pose_a,
        &model->shape[model->body[b].shape_first], &pose_b, 0.0, &manifold);
    return manifold.separation;
}

/* n plates in a ring of radius R, each tilted forward, with their lowest corners on the floor. */
static struct cn_world *
domino_ring(int n, double R)
{
    double tilt = 0.9, height = 1.0, thick = 0.12, sine, cosine;
    cn_sin_cos(tilt, &sine, &cosine);
    begin(true);
    for (int i = 0; i < n; i++) {
        double around = 2.0 * CN_PI * i / n, s, c, half_s, half_c;
        cn_sin_cos(around, &s, &c);
        double y = 0.5 * (height * cosine + thick * sine);
        int plate = scene_box(&scene, R * c, y, thick, height);
        scene.shape[plate].box.size.z = 0.5;
        scene.body[plate].position.z = R * s;
        /* x of the plate is along the ring, z out of it; then it is tilted about z. */
        cn_sin_cos(-0.5 * (around + 0.5 * CN_PI), &half_s, &half_c);
        cn_quat turn = {half_c, 0.0, half_s, 0.0};
        cn_sin_cos(-0.5 * tilt, &half_s, &half_c);
        cn_quat lean = {half_c, 0.0, 0.0, half_s};
        scene.body[plate].orientation = cn_quat_multiply(turn, lean);
    }
    return scene_create(&scene);
}

/* The ring whose plates just touch: narrower than one whose plates are apart. */
static struct cn_world *
touching_ring(int n)
{
    double near = 0.2, far = 4.0;
    for (int i = 0; i < 60; i++) {
        double middle = 0.5 * (near + far);
        struct cn_world *world = domino_ring(n, middle);
        *(separation(world, 1, 2) < 0.0 ? &near : &far) = middle;
        cn_world_destroy(world);
    }
    return domino_ring(n, near);
}

void
truth_run_graph(const json_t *data)
{
    (void)data; /* the scenes are words; so are the levels */
    rows((double[]){0, 0, 0, 0, 0}, (double[]){0, 1, 2, 3, 4}, 5);
    expect_levels((int32_t[]){1, 2, 3, 4, 5}, 5);
    rows((double[]){-1, 0, 1, -0.5, 0.5, 0}, (double[]){0, 0, 0, 1, 1, 2}, 6);
    expect_levels((int32_t[]){1, 1, 1, 2, 2, 3}, 6);
    rows((double[]){0, 1}, (double[]){0, 0}, 2);
    expect_levels((int32_t[]){1, 1}, 2);
    rows((double[]){-2, -2, 2, 2, 0.5}, (double[]){0, 1, 0, 1, 2.2}, 5);
    (void)scene_box(&scene, 0.0, 2.1, 6.0, 0.2);
    expect_levels((int32_t[]){1, 2, 1, 2, 4, 3}, 6);
    struct cn_world *world = touching_ring(12);
    int32_t level[SCENE_BODIES_MAX], component[SCENE_BODIES_MAX];
    assert_int_equal(levels_of(world, level, component), 1);
    for (int i = 1; i <= 12; i++) {
        assert_int_equal(level[i], 1);
        assert_int_equal(component[i], component[1]);
    }
    cn_world_destroy(world);
}

void
truth_run_domino_ring(const json_t *data)
{
    int n = (int)truth_member_number(truth_member(data, "given"), "n");
    int32_t level[SCENE_BODIES_MAX], component[SCENE_BODIES_MAX];
    struct cn_world *world = touching_ring(n);
    int levels = levels_of(world, level, component);
    assert_int_equal(levels, (int)truth_member_number(truth_member(data, "expect"), "levels"));
    assert_int_equal(component[1], component[n]);
    double energy = cn_world_energy(world).total;
    for (int t = 0; t < 120; t++) {
        scene_tick(world);
        double now = cn_world_energy(world).total;
        assert_true(now <= energy * (1.0 + 1e-3)); /* overlap is taken out upward */
        energy = now;
        assert_true(scene_depth(world) < 0.02);
    }
    cn_world_destroy(world);
}

/* How far a plank on three boxes turns within 2 s of a heavy box falling on its end [deg]. */
static double
flip(int collision_iterations, int contact_iterations)
{
    begin(false);
    scene.def.settings.propagation.collision_iterations = collision_iterations;
    scene.def.settings.propagation.contact_iterations = contact_iterations;
    for (int i = 0; i < 3; i++) {
        (void)scene_box(&scene, 0.0, 0.5 + i, 1.0, 1.0);
    }
    int plank = scene_box(&scene, 0.0, 3.1, 5.0, 0.2);
    int heavy = scene_box(&scene, 1.9, 4.5, 1.2, 1.2);
    scene.body[heavy].mass = 15.0;
    struct cn_world *world = scene_create(&scene);
    double most = 0.0;
    for (int t = 0; t < 120; t++) {
        scene_tick(world);
        most = fmax(most, fabs(scene_view(world, plank).angle));
    }
    cn_world_destroy(world);
    return most * 180.0 / CN_PI;
}

void
truth_run_flip(const json_t *data)
{
    const json_t *expect = truth_member(data, "expect");
    assert_true(flip(5, 10) > truth_member_number(expect, "flip_rot_deg_min"));
    assert_true(flip(0, 0) < truth_member_number(expect, "shock_only_rot_deg_max"));
}
