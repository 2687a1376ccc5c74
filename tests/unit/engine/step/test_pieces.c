/*
 * test_pieces.c: names of pieces in images.
 *
 * A pair of two meshes has at most CN_FAST_MESH_MANIFOLDS_MAX manifolds, whose numbers are pieces
 * of the first shape.  An image from outside may name more: pieces of both.  A tick leaves them
 * out.
 */
#include "tests/support/world/scene.h"

#include "engine/mesh/torus.h"
#include "engine/world/world_inside.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define NAMES (2 * CN_FAST_MESH_MANIFOLDS_MAX)

static struct scene scene;

static struct cn_mesh *
make_ring(void)
{
    static cn_vec3 vertex[160];
    static int32_t triangle[320][3];
    struct cn_torus torus = {0.5, 0.15, 16, 10};
    cn_torus_make(&torus, vertex, triangle);
    struct cn_mesh_def def = {.vertex_count = 160, .triangle_count = 320, .vertex = vertex,
        .triangle = (const int32_t(*)[3])triangle};
    struct cn_mesh *made;
    struct cn_defect defect;
    assert_int_equal(cn_mesh_make(&def, &made, &defect), CN_OK);
    return made;
}

/* Two rings, one on the other, without gravity; they touch from the first tick on. */
static struct cn_world *
make_rings(struct cn_mesh **ring)
{
    scene_init_space(&scene, 0.0);
    snprintf(scene.def.settings.stepper, CN_NAME_SIZE, "time");
    snprintf(scene.def.settings.solver, CN_NAME_SIZE, "impulse");
    scene.def.meshes = ring;
    scene.def.mesh_count = 1;
    for (int i = 0; i < 2; i++) {
        int body = scene_circle(&scene, 0.0, 0.0, 0.1);
        scene.body[body].position.z = 0.28 * i;
        scene.shape[body] = (struct cn_shape_def){
            .kind = CN_SHAPE_MESH, .density = 1000.0, .mesh = {0, ring[0]}};
    }
    return scene_create(&scene);
}

static int
count_touching(const struct cn_world *world)
{
    const struct cn_pipeline *p = &world->production->pipeline;
    int count = 0;
    for (int i = 0; i < p->pair_count; i++) {
        count += p->pair[i].manifold >= 0 ? 1 : 0;
    }
    return count;
}

static void
test_too_many_names(void **state)
{
    (void)state;
    struct cn_mesh *ring = make_ring();
    struct cn_world *world = make_rings(&ring), *other = scene_create(&scene);
    scene_tick(world);
    assert_in_range(count_touching(world), 1, CN_FAST_MESH_MANIFOLDS_MAX);
    struct cn_pipeline *p = &world->production->pipeline;
    struct cn_touch first = p->pair[0];
    struct cn_manifold3 *manifold = p->manifold[p->front];
    assert_true(first.manifold == 0 && p->room.pair_max >= NAMES);
    for (int i = 0; i < NAMES; i++) { /* pieces 0 and 1 of A, 0 to 7 of B */
        uint32_t name = (uint32_t)(i / 8 << 8 | i % 8);
        p->pair[i] = first;
        p->pair[i].flags = CN_TOUCH_PIECES | name << CN_TOUCH_PIECES_SHIFT;
        p->pair[i].manifold = i;
        manifold[i] = manifold[0];
    }
    p->pair_count = p->front_count = NAMES;
    scene_restore(other, world);
    assert_int_equal(count_touching(other), NAMES);
    for (int tick = 0; tick < 3; tick++) {
        scene_tick(other);
        assert_in_range(count_touching(other), 0, CN_FAST_MESH_MANIFOLDS_MAX);
    }
    cn_world_destroy(world);
    cn_world_destroy(other);
    cn_mesh_drop(ring);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_too_many_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
