/* test_mesh.c: meshes of which everything is known. */
#include "engine/collide/query/cast.h"
#include "engine/mesh/mesh.h"
#include "tests/support/mesh/meshes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/support/near.h"

static struct raw_mesh raw;

static struct cn_mesh *
make(void)
{
    struct cn_mesh_def def = raw_def(&raw);
    struct cn_mesh *mesh = NULL;
    struct cn_defect defect = {0};
    if (cn_mesh_make(&def, &mesh, &defect) != CN_OK) {
        fail_msg("%s %s", defect.path, defect.text);
    }
    return mesh;
}

static void
cube(void)
{
    memset(&raw, 0, sizeof(raw));
    raw_box(&raw, (cn_vec3){0, 0, 0}, (cn_vec3){1, 1, 1});
}

static void
a_cube_is_a_cube(void **state)
{
    (void)state;
    cube();
    struct cn_mesh *mesh = make();
    assert_int_equal(mesh->vertex_count, 8);
    assert_int_equal(mesh->triangle_count, 12);
    assert_int_equal(mesh->edge_count, 18);
    assert_near(mesh->volume.volume, 1.0, 1e-15);
    assert_near(mesh->volume.inertia.cx.x, 1.0 / 6.0, 1e-15);
    assert_near(mesh->thickness, 1.0, 0.03);
    assert_near(cn_mesh_distance(mesh, (cn_vec3){0.5, 0.5, 0.25}), -0.25, 1e-15);
    assert_near(cn_mesh_distance(mesh, (cn_vec3){2, 2, 2}), sqrt(3.0), 1e-15);
    assert_near(cn_mesh_distance(mesh, (cn_vec3){2, 0.3, 2}), sqrt(2.0), 1e-15);
    assert_near(cn_field_distance(&mesh->field, (cn_vec3){0.5, 0.5, 0.1}), -0.1, 0.02);
    double third = 1.0 / sqrt(3.0);
    assert_near(mesh->vertex_normal[7].x, third, 1e-15);
    assert_near(mesh->vertex_normal[0].y, -third, 1e-15);
    cn_mesh_drop(mesh);
}

static void
rays_enter_where_the_surface_is(void **state)
{
    (void)state;
    cube();
    struct cn_mesh *mesh = make();
    double fraction = 0.0;
    cn_vec3 normal, from = {0.5, 0.5, 3.0}, down = {0, 0, -4};
    assert_true(cn_mesh_ray(mesh, from, down, &fraction, &normal) >= 0);
    assert_near(fraction, 0.5, 1e-15);
    assert_near(normal.z, 1.0, 0.0);
    /* Along the diagonal between two triangles, and through a corner. */
    assert_true(cn_mesh_ray(mesh, (cn_vec3){0.25, 0.25, 3}, down, &fraction, &normal) >= 0);
    const cn_vec3 corner = {2, 2, 2}, slant = {-2, -2, -2};
    assert_true(cn_mesh_ray(mesh, corner, slant, &fraction, &normal) >= 0);
    assert_near(fraction, 0.5, 1e-15);
    /*
     * A ray from inside only leaves, a short ray ends before the mesh, and another passes it: no
     * hit.
     */
    assert_int_equal(cn_mesh_ray(mesh, (cn_vec3){0.5, 0.5, 0.5}, down, &fraction, &normal), -1);
    assert_int_equal(cn_mesh_ray(mesh, from, (cn_vec3){0, 0, -1.9}, &fraction, &normal), -1);
    assert_int_equal(cn_mesh_ray(mesh, (cn_vec3){1.5, 0.5, 3}, down, &fraction, &normal), -1);
    cn_mesh_drop(mesh);
}

static void
a_ring_is_as_truth_says(void **state)
{
    (void)state;
    raw_torus(&raw, 1.0, 0.3, 16, 10);
    struct cn_mesh *mesh = make();
    assert_int_equal(mesh->triangle_count, 320);
    assert_int_equal(mesh->edge_count, 480);
    assert_near(mesh->volume.volume, 1.6195368804542205, 1e-14);
    assert_near(mesh->thickness, 0.57, 0.03);
    assert_in_range(mesh->patch_count, 16, 64);
    cn_mesh_drop(mesh);
}

/*
 * Samples lie on the surface and in their patch's ball.  A sample's feature is the vertex that it
 * lies on.  The hollow edge has no samples.
 */
static void
samples_stand_where_they_say(void **state)
{
    (void)state;
    raw_ell(&raw);
    struct cn_mesh *mesh = make();
    int next = 0;
    for (int i = 0; i < mesh->patch_count; i++) {
        const struct cn_mesh_patch *patch = &mesh->patch[i];
        assert_int_equal(patch->sample_first, next);
        assert_true(patch->sample_count > 0);
        next += patch->sample_count;
        for (int k = 0; k < patch->sample_count; k++) {
            const struct cn_mesh_sample *sample = &mesh->sample[patch->sample_first + k];
            cn_vec3 at = {(double)sample->at[0], (double)sample->at[1], (double)sample->at[2]};
            cn_vec3 center = {(double)patch->center[0], (double)patch->center[1],
                (double)patch->center[2]};
            assert_true(cn_vec3_length(cn_vec3_sub(at, center)) <= (double)patch->radius);
            assert_near(cn_mesh_distance(mesh, at), 0.0, 1e-6);
            if (sample->feature >= 0) {
                cn_vec3 vertex = mesh->vertex[sample->feature];
                assert_near(cn_vec3_length(cn_vec3_sub(at, vertex)), 0.0, 1e-6);
            } else {
                assert_false(at.x == 1.0 && at.y == 1.0); /* the hollow edge */
            }
        }
    }
    assert_int_equal(next, mesh->sample_count);
    cn_mesh_drop(mesh);
}

static void
an_ell_is_not_convex(void **state)
{
    (void)state;
    raw_ell(&raw);
    struct cn_mesh *mesh = make();
    assert_near(mesh->volume.volume, 4.0, 1e-14);
    assert_near(mesh->volume.center.x, 1.25, 1e-14);
    assert_near(cn_mesh_distance(mesh, (cn_vec3){1.5, 1.5, 0.5}), 0.5, 1e-15);
    assert_near(cn_mesh_distance(mesh, (cn_vec3){0.75, 0.75, 0.5}), -0.5, 0.15);
    cn_mesh_drop(mesh);
}

/* At each corner of a cube three faces meet, however many triangles they have there. */
static void
corners_do_not_count_triangles(void **state)
{
    (void)state;
    cube();
    struct cn_mesh *mesh = make();
    for (int i = 0; i < 8; i++) {
        cn_vec3 n = mesh->vertex_normal[i], v = mesh->vertex[i];
        assert_near(n.x, (v.x > 0.5 ? 1.0 : -1.0) / sqrt(3.0), 1e-14);
        assert_near(n.y, (v.y > 0.5 ? 1.0 : -1.0) / sqrt(3.0), 1e-14);
        assert_near(n.z, (v.z > 0.5 ? 1.0 : -1.0) / sqrt(3.0), 1e-14);
    }
    cn_mesh_drop(mesh);
}

/*
 * A blade of ten degrees: a point beside its edge is outside, on either side of each face's plane.
 */
static void
a_blade_has_an_outside(void **state)
{
    (void)state;
    const double outline[3][2] = {{0.0, 0.0}, {3.0, -0.25}, {3.0, 0.25}};
    memset(&raw, 0, sizeof(raw));
    raw_prism(&raw, outline, 3, 1.0);
    struct cn_mesh *mesh = make();
    int inside_count = 0;
    for (int i = 0; i < 60; i++) {
        for (int k = 0; k < 60; k++) {
            cn_vec3 p = {-0.5 + 0.0601 * i, -0.5 + 0.0171 * k, 0.013 * (i - 30)};
            double z = fabs(mesh->bounds.high.z - mesh->bounds.low.z) * 0.5;
            double middle = 0.5 * (mesh->bounds.high.z + mesh->bounds.low.z);
            bool inside = p.x > 0.0 && p.x < 3.0 && fabs(p.y) < p.x / 12.0 &&
                          fabs(p.z - middle) < z;
            double distance = cn_mesh_distance(mesh, p);
            assert_int_equal(distance < 0.0, inside);
            inside_count += inside;
        }
    }
    assert_true(inside_count > 100);
    cn_mesh_drop(mesh);
}

/* Every change that gives another field also gives another hash. */
static void
hashes_differ(void **state)
{
    (void)state;
    uint64_t hash[9];
    for (int i = 0; i < 9; i++) {
        cube();
        struct cn_mesh_def def = raw_def(&raw);
        def.scale = i == 1 ? 2.0 : 1.0;
        def.sharp = i == 2;
        def.sparse = i == 3;
        def.resolution = i == 4 ? 64 : i == 5 ? 65 : 0;
        def.resolution_max = i == 6 ? 64 : 0;
        raw.vertex[7].z += i == 7 ? 0.25 : 0.0;
        raw.triangle_count -= i == 8;
        def = i == 8 ? (struct cn_mesh_def){.vertex_count = 8, .triangle_count = 11,
                           .vertex = def.vertex, .triangle = def.triangle, .scale = 1.0}
                     : def;
        hash[i] = cn_mesh_hash(&def);
        for (int k = 0; k < i; k++) {
            assert_true(hash[k] != hash[i]);
        }
    }
    cube();
    struct cn_mesh_def def = raw_def(&raw);
    assert_true(cn_mesh_hash(&def) == hash[0]); /* a scale of 0 is 1 */
}

/* A ray that is cut shorter meets a surface at the same fraction of its whole way, or not. */
static void
rays_may_be_cut(void **state)
{
    (void)state;
    cube();
    struct cn_mesh *mesh = make();
    struct cn_placed_mesh placed = {
        mesh, {{0.0, 0.0, 0.0}, cn_mat33_diagonal(1.0, 1.0, 1.0)}};
    struct cn_shape shape = {
        .kind = CN_SHAPE_MESH, .dimension = CN_SPATIAL, .mesh = &placed};
    for (int i = 1; i <= 20; i++) {
        struct cn_cast_hit hit;
        double most = 0.05 * i;
        bool met = cn_cast_ray(&shape, &placed.pose, (cn_vec3){-2.0, 0.3, 0.4},
            (cn_vec3){8.0, 0.0, 0.0}, most, &hit);
        assert_int_equal(met, most > 0.24);
        if (met) {
            assert_near(hit.fraction, 0.25, 1e-14);
            assert_near(hit.point.x, 0.0, 1e-14);
            assert_near(hit.normal.x, -1.0, 1e-14);
        }
    }
    cn_mesh_drop(mesh);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cube_is_a_cube),
        cmocka_unit_test(rays_enter_where_the_surface_is),
        cmocka_unit_test(a_ring_is_as_truth_says),
        cmocka_unit_test(samples_stand_where_they_say),
        cmocka_unit_test(an_ell_is_not_convex),
        cmocka_unit_test(corners_do_not_count_triangles),
        cmocka_unit_test(a_blade_has_an_outside),
        cmocka_unit_test(hashes_differ),
        cmocka_unit_test(rays_may_be_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
