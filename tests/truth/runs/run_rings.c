/*
 * run_rings.c: rings dropped on poles, figure 1 of Guendelman et al., by the stepper `propagation`.
 */
#include "engine/math/scalar.h"
#include "engine/math/trig.h"
#include "engine/mesh/torus.h"
#include "tests/support/world/scene.h"
#include "tests/truth/check.h"
#include "tests/truth/table.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#define SIDE 5
#define PITCH 3.0
#define SIDES 20
#define LEVELS 22
#define RADIUS 0.25
#define HEIGHT 6.0
#define MAJOR 1.0
#define MINOR 0.3

static struct scene scene;
static struct cn_mesh *meshes[2]; /* ring, pole */

static struct cn_mesh *
make(int vertex_count, const cn_vec3 *vertex, int triangle_count, int32_t (*triangle)[3])
{
    const struct cn_mesh_def def = {.vertex_count = vertex_count, .vertex = vertex,
        .triangle_count = triangle_count, .triangle = (const int32_t(*)[3])triangle};
    struct cn_defect defect;
    struct cn_mesh *mesh;
    assert_int_equal(cn_mesh_make(&def, &mesh, &defect), CN_OK);
    return mesh;
}

static struct cn_mesh *
make_ring(void)
{
    static cn_vec3 vertex[160];
    static int32_t triangle[320][3];
    const struct cn_torus torus = {MAJOR, MINOR, 16, 10};
    cn_torus_make(&torus, vertex, triangle);
    return make(160, vertex, 320, triangle);
}

static void
put(int32_t triangle[3], int a, int b, int c)
{
    triangle[0] = a;
    triangle[1] = b;
    triangle[2] = c;
}

static struct cn_mesh *
make_pole(void)
{
    enum { AROUND = SIDES * LEVELS };
    static cn_vec3 vertex[AROUND + 2];
    static int32_t triangle[2 * AROUND][3];
    int count = 0;
    for (int i = 0; i < AROUND; i++) {
        double sine, cosine;
        cn_sin_cos(2.0 * CN_PI * (i % SIDES) / SIDES, &sine, &cosine);
        vertex[i] = cn_vec3_make(
            RADIUS * cosine, HEIGHT * (i / SIDES) / (LEVELS - 1), RADIUS * sine);
    }
    vertex[AROUND] = cn_vec3_make(0.0, 0.0, 0.0);
    vertex[AROUND + 1] = cn_vec3_make(0.0, HEIGHT, 0.0);
    for (int k = 0; k < SIDES; k++) {
        int next = (k + 1) % SIDES, top = (LEVELS - 1) * SIDES;
        for (int low = 0; low < top; low += SIDES) {
            put(triangle[count++], low + k, low + SIDES + k, low + next);
            put(triangle[count++], low + next, low + SIDES + k, low + SIDES + next);
        }
        put(triangle[count++], AROUND, k, next);
        put(triangle[count++], AROUND + 1, top + next, top + k);
    }
    return make(AROUND + 2, vertex, count, triangle);
}

static int
add_mesh(int index, cn_vec3 position)
{
    int body = scene_box(&scene, position.x, position.y, 1.0, 1.0);
    scene.body[body].position = position;
    scene.shape[body].kind = CN_SHAPE_MESH;
    scene.shape[body].mesh.index = index;
    scene.shape[body].mesh.mesh = meshes[index];
    scene.shape[body].density = 1000.0;
    return body;
}

/* One ring above every pole, a little out of the middle. */
static struct cn_world *
rings_on_poles(int *first)
{
    scene_init_space(&scene, 9.81);
    snprintf(scene.def.settings.stepper, CN_NAME_SIZE, "propagation");
    snprintf(scene.def.settings.solver, CN_NAME_SIZE, "guendelman03");
    scene.def.meshes = meshes;
    scene.def.mesh_count = 2;
    scene_friction(&scene, 0, 0.5);
    scene.material[0].restitution = 0.1;
    scene_floor(&scene);
    for (int i = 0; i < SIDE * SIDE; i++) {
        cn_vec3 foot = cn_vec3_make(PITCH * (i % SIDE), 0.0, PITCH * (i / SIDE));
        scene.body[add_mesh(1, foot)].type = CN_STATIC;
    }
    *first = scene.def.body_count;
    for (int i = 0; i < SIDE * SIDE; i++) {
        double half_sine, half_cosine;
        cn_sin_cos(0.25 * CN_PI + 0.01 * (i % 7), &half_sine, &half_cosine);
        int ring = add_mesh(0, cn_vec3_make(PITCH * (i % SIDE) + 0.02 * (i % 5) - 0.04, 7.0,
                                   PITCH * (i / SIDE) + 0.03 * (i % 3) - 0.03));
        scene.body[ring].orientation = (cn_quat){half_cosine, half_sine, 0.0, 0.0};
    }
    return scene_create(&scene);
}

void
truth_run_rings(const json_t *data)
{
    const json_t *expect = truth_member(data, "expect");
    double depth_max = truth_member_number(expect, "max_penetration_over_r") * MINOR;
    int first;
    meshes[0] = make_ring();
    meshes[1] = make_pole();
    assert_int_equal(meshes[0]->triangle_count,
        (int)truth_member_number(truth_member(data, "given"), "triangles_per_ring"));
    assert_int_equal(meshes[1]->triangle_count,
        (int)truth_member_number(truth_member(data, "given"), "triangles_per_pole"));
    struct cn_world *world = rings_on_poles(&first);
    for (int t = 0; t < 300; t++) {
        scene_tick(world);
        assert_true(t % 10 != 0 || scene_depth(world) <= depth_max);
    }
    double energy = cn_world_energy(world).total, weight = 0.0;
    for (int t = 0; t < 60; t++) {
        scene_tick(world);
        double now = cn_world_energy(world).total;
        assert_true(now <= energy * (1.0 + 1e-6));
        energy = now;
    }
    for (int i = first; i < cn_world_body_count(world); i++) {
        struct cn_body_view view = scene_view(world, i);
        weight += view.mass * 9.81;
        assert_true(view.position.y >= 0.95 * MINOR * 0.951); /* a tube of ten sides */
        /* Each is still around its pole: none went through, none was lost. */
        double x = view.position.x - PITCH * ((i - first) % SIDE);
        double z = view.position.z - PITCH * ((i - first) / SIDE);
        assert_true(hypot(x, z) <= MAJOR);
    }
    assert_true(cn_world_energy(world).kinetic <=
                truth_member_number(expect, "KE_final_over_mgR") * weight * MAJOR);
    cn_world_destroy(world);
    cn_mesh_drop(meshes[0]);
    cn_mesh_drop(meshes[1]);
}
