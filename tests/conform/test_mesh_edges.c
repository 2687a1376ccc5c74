/*
 * test_mesh_edges.c: bodies of few triangles that touch between their samples, whose answers are
 * known by hand.
 *
 *   1. two edges that cross h deep: a contact h deep, whose normal is across both
 *   2. a corner h deep in a face
 *   3. the same for a mesh and a box, for an L and for a ring of 48 triangles
 *   4. in a world a body that falls edge on edge comes to rest on that edge, with the solver
 *      impulse and with the stepper propagation
 */
#include "engine/collide/mesh/sampling.h"
#include "tests/support/mesh/meshes.h"
#include "tests/support/world/scene.h"

#include "engine/math/trig.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#define PI 3.14159265358979323846
#define WIDE 0.4 /* of bars [m] */

enum { BAR, ELL, RING, MESHES };

static struct cn_mesh *mesh[MESHES];

static struct cn_mesh *
make(struct raw_mesh *raw)
{
    struct cn_mesh_def def = raw_def(raw);
    struct cn_mesh *made = NULL;
    struct cn_defect defect;
    if (cn_mesh_make(&def, &made, &defect) != CN_OK) {
        fail_msg("%s %s", defect.path, defect.text);
    }
    return made;
}

/* A bar along x; an L whose long leg is along x; a ring about z with a square tube on its edge. */
static int
set_up(void **state)
{
    static struct raw_mesh raw;
    (void)state;
    raw_box(&raw, cn_vec3_make(-1.0, -0.5 * WIDE, -0.5 * WIDE),
        cn_vec3_make(1.0, 0.5 * WIDE, 0.5 * WIDE));
    mesh[BAR] = make(&raw);
    memset(&raw, 0, sizeof(raw));
    raw_ell(&raw);
    mesh[ELL] = make(&raw);
    memset(&raw, 0, sizeof(raw));
    raw_torus(&raw, 1.0, 0.3, 6, 4);
    mesh[RING] = make(&raw);
    return 0;
}

static int
tear_down(void **state)
{
    (void)state;
    for (int i = 0; i < MESHES; i++) {
        cn_mesh_drop(mesh[i]);
    }
    return 0;
}

/* First a turn about x, then one about y. */
static cn_quat
turn(double about_x, double about_y)
{
    double s, c;
    cn_sin_cos(0.5 * about_x, &s, &c);
    cn_quat x = {c, s, 0.0, 0.0};
    cn_sin_cos(0.5 * about_y, &s, &c);
    return cn_quat_multiply((cn_quat){c, 0.0, s, 0.0}, x);
}

static cn_pose
turned(double about_x, double about_y, cn_vec3 position)
{
    return (cn_pose){position, cn_quat_to_mat33(turn(about_x, about_y))};
}

static const cn_pose unturned = {
    {0.0, 0.0, 0.0}, {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};

static struct cn_placed_mesh placed[MESHES];

static struct cn_shape
shape_of(int index)
{
    placed[index] = (struct cn_placed_mesh){mesh[index], unturned};
    return (struct cn_shape){.kind = CN_SHAPE_MESH, .mesh = &placed[index], .width = WIDE,
        .reach = 3.0};
}

/* The deepest contact: its separation and its normal, from A to B. */
struct touch {
    double separation;
    cn_vec3 normal;
};

static struct touch
touch_fast(const struct cn_shape *a, const cn_pose *at_a, const struct cn_shape *b,
    const cn_pose *at_b)
{
    static const struct cn_fast_mesh_motion still;
    static struct cn_fast_mesh_found found;
    struct cn_fast_shape3 fast[2];
    struct touch touch = {.separation = HUGE_VAL};
    cn_fast_spatial_bake(a, NULL, NULL, &fast[0]);
    cn_fast_spatial_bake(b, NULL, NULL, &fast[1]);
    struct cn_place3 place[2] = {cn_place3_of(at_a), cn_place3_of(at_b)};
    const struct cn_fast_mesh_pair pair = {
        &fast[0], &fast[1], &place[0], &place[1], &still, &still, 0.02F, 0.0F, NULL};
    cn_fast_mesh_meet(cn_fast_mesh_kernel_find("plain"), &pair, &found);
    for (int m = 0; m < found.manifold_count; m++) {
        const struct cn_fast_mesh_manifold *manifold = &found.manifold[m];
        for (int k = 0; k < manifold->point_count; k++) {
            if ((double)manifold->point[k].separation < touch.separation) {
                touch.separation = (double)manifold->point[k].separation;
                touch.normal = cn_vec3_make((double)manifold->normal[0],
                    (double)manifold->normal[1], (double)manifold->normal[2]);
            }
        }
    }
    return touch;
}

static struct touch
touch_exact(const struct cn_shape *a, const cn_pose *at_a, const struct cn_shape *b,
    const cn_pose *at_b)
{
    static struct cn_samples samples;
    struct touch touch = {.separation = HUGE_VAL};
    cn_sampling_find(cn_fast_mesh_kernel_find("plain"), a, at_a, b, at_b, 0.02, &samples);
    for (int i = 0; i < samples.count; i++) {
        struct cn_sample *sample = &samples.sample[i];
        double gap = cn_sampling_gap(sample, a, at_a, b, at_b, at_a, at_b);
        assert_true(fabs(gap - sample->gap) < 1e-5);
        if (gap < touch.separation) {
            touch.separation = gap;
            touch.normal = sample->ahead_normal;
        }
    }
    return touch;
}

static void
expect(const char *what, int i, struct touch touch, double depth, cn_vec3 normal)
{
    cn_vec3 off = cn_vec3_sub(touch.normal, normal);
    if (!(fabs(touch.separation + depth) < 2e-5) || !(cn_vec3_length(off) < 2e-3)) {
        fail_msg("%s %d: %.6f deep instead of %.6f, normal %.4f %.4f %.4f", what, i,
            -touch.separation, depth, touch.normal.x, touch.normal.y, touch.normal.z);
    }
}

static void
expect_all(const char *what, int i, const struct cn_shape *a, const cn_pose *at_a,
    const struct cn_shape *b, const cn_pose *at_b, double depth, cn_vec3 normal)
{
    expect(what, i, touch_fast(a, at_a, b, at_b), depth, normal);
    expect(what, i, touch_exact(a, at_a, b, at_b), depth, normal);
    cn_vec3 back = cn_vec3_negate(normal);
    expect(what, i, touch_fast(b, at_b, a, at_a), depth, back);
    expect(what, i, touch_exact(b, at_b, a, at_a), depth, back);
}

static const cn_vec3 up = {0.0, 1.0, 0.0};

/* An upper bar lies across a lower one at some angle, and both stand on their edges. */
static void
test_edges_cross(void **state)
{
    (void)state;
    const struct cn_shape bar = shape_of(BAR);
    for (int i = 0; i < 120; i++) {
        double depth = 0.0005 * (i % 20) + 0.0002, angle = 0.3 + 0.1 * (i % 23);
        cn_pose low = turned(0.25 * PI, 0.0, cn_vec3_make(0.0, 0.0, 0.0));
        cn_pose high = turned(0.25 * PI, angle,
            cn_vec3_make(0.013 * (i % 31) - 0.2, sqrt(2.0) * WIDE - depth, 0.007 * (i % 17)));
        expect_all("bars", i, &bar, &low, &bar, &high, depth, up);
    }
}

static void
test_corner_in_face(void **state)
{
    (void)state;
    const struct cn_shape bar = shape_of(BAR);
    for (int i = 0; i < 60; i++) {
        double depth = 0.0004 * (i % 20) + 0.0002, lean = 0.2 + 0.02 * (i % 25);
        cn_pose low = unturned, high = turned(0.25 * PI, 0.0, cn_vec3_make(0.0, 0.0, 0.0));
        /* Leaning about z after standing on its edge: the lower corner is at (-1, -0.7 w). */
        double s, c, half = sqrt(0.5) * WIDE;
        cn_sin_cos(0.5 * lean, &s, &c);
        cn_mat33 about_z = cn_quat_to_mat33((cn_quat){c, 0.0, 0.0, s});
        high.rotation = cn_mat33_multiply(&about_z, &high.rotation);
        cn_vec3 corner = cn_mat33_apply(&about_z, cn_vec3_make(-1.0, -half, 0.0));
        high.position = cn_vec3_make(0.01 * (i % 30), 0.5 * WIDE - depth - corner.y, 0.003 * i);
        high.position.x -= corner.x;
        high.position.z = 0.003 * (i % 50);
        expect_all("corner", i, &bar, &low, &bar, &high, depth, up);
    }
}

/* The L's long leg stands on the edge at its origin; the ring's tube has its edge up at z = 0.3. */
static void
test_other_edges_cross(void **state)
{
    (void)state;
    const struct cn_shape bar = shape_of(BAR), ell = shape_of(ELL), ring = shape_of(RING);
    for (int i = 0; i < 60; i++) {
        double depth = 0.0005 * (i % 20) + 0.0002, angle = 0.4 + 0.1 * (i % 20);
        cn_pose low = turned(0.25 * PI, angle, cn_vec3_make(0.0, -sqrt(0.5) * WIDE + depth, 0.0));
        cn_pose high = turned(-0.25 * PI, 0.0, cn_vec3_make(-2.2 + 0.01 * (i % 33), 0.0, 0.0));
        expect_all("ell", i, &bar, &low, &ell, &high, depth, up);
    }
    for (int i = 0; i < 60; i++) {
        double depth = 0.0005 * (i % 20) + 0.0002, s, c;
        /* The edge of six that is across z at x = cos 30 degrees, in the upright ring's frame. */
        cn_pose low = {{0.0, 0.0, 0.0}, unturned.rotation};
        cn_sin_cos(-0.25 * PI, &s, &c);
        low.rotation = cn_quat_to_mat33((cn_quat){c, s, 0.0, 0.0}); /* z becomes y */
        cn_sin_cos(PI / 6.0, &s, &c);
        cn_vec3 across = cn_mat33_apply(&low.rotation, cn_vec3_make(c, s, 0.0));
        double heading = 0.1 * (i % 7) - 0.3 - cn_atan2(across.z, across.x);
        cn_pose high = turned(0.25 * PI, heading, cn_vec3_make(0.0, 0.0, 0.0));
        /* The middle of the bar's lower edge 0.04 m at most beside the middle of the ring's. */
        high.position = cn_vec3_add_scaled(
            cn_vec3_make(0.0, 0.3 + sqrt(0.5) * WIDE - depth, 0.0), c + 0.01 * (i % 5), across);
        expect_all("ring", i, &ring, &low, &bar, &high, depth, up);
    }
}

/* ---- worlds ---- */

static void
rest(const char *stepper, const char *solver, int box, double angle)
{
    static struct scene scene;
    scene_init_space(&scene, 9.81);
    snprintf(scene.def.settings.stepper, CN_NAME_SIZE, "%s", stepper);
    snprintf(scene.def.settings.solver, CN_NAME_SIZE, "%s", solver);
    scene_friction(&scene, 0, 0.5);
    scene.def.meshes = mesh;
    scene.def.mesh_count = MESHES;
    for (int i = 0; i < 2; i++) {
        int body = scene_circle(&scene, 0.0, 0.0, 0.1);
        scene.shape[body] =
            i == box ? (struct cn_shape_def){.kind = CN_SHAPE_BOX, .density = 1000.0,
                           .box.size = {2.0, WIDE, WIDE}}
                     : (struct cn_shape_def){.kind = CN_SHAPE_MESH, .mesh = {BAR, mesh[BAR]},
                           .density = 1000.0};
        scene.body[body].orientation = turn(0.25 * PI, i == 0 ? 0.0 : angle);
        scene.body[body].position =
            i == 0 ? cn_vec3_make(0.0, 0.0, 0.0)
                   : cn_vec3_make(0.033, sqrt(2.0) * WIDE + 0.05, 0.021);
        scene.body[body].type = i == 0 ? CN_STATIC : CN_DYNAMIC;
        scene.body[body].locks = i == 0 ? 0 : CN_LOCK_ANGULAR;
    }
    struct cn_world *world = scene_create(&scene);
    struct cn_body_view view;
    for (int tick = 0; tick < 120; tick++) {
        scene_tick(world);
    }
    cn_world_body_view(world, 1, &view);
    double depth = sqrt(2.0) * WIDE - view.position.y;
    if (!(fabs(depth) < 0.002) || !(cn_vec3_length(view.velocity) < 0.002)) {
        fail_msg("%s %d at %.2f: %.5f deep, %.5f m/s, at %.4f %.4f", stepper, box, angle, depth,
            cn_vec3_length(view.velocity), view.position.x, view.position.z);
    }
    cn_world_destroy(world);
}

static void
test_worlds_hold_edges(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++) {
        double angle = 0.4 + 0.3 * i;
        for (int box = -1; box < 2; box++) { /* -1: neither is a box; else the one that is */
            rest("time", "impulse", box, angle);
            rest("propagation", "guendelman03", box, angle);
        }
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_edges_cross),
        cmocka_unit_test(test_corner_in_face),
        cmocka_unit_test(test_other_edges_cross),
        cmocka_unit_test(test_worlds_hold_edges),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
