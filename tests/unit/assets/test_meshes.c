/* test_meshes.c: the meshes of the bundled scenes are what their scenes say. */
#include "assets/folder.h"
#include "assets/load.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

static const struct {
    const char *name;
    int triangles;
    double volume, thickness; /* 0: not known by hand */
} meshes[] = {
    {"bone.obj", 3264, 0.0, 0.0},
    {"pole.obj", 880, 0.0, 0.494}, /* 0.5 cos(9 degrees) */
    {"funnel.obj", 1728, 0.0, 0.0},
    {"ell.obj", 20, 4.0, 1.0},
    {"jack.obj", 108, 0.0, 0.0},
    {"link.obj", 560, 0.0, 0.19}, /* 0.2 cos(18 degrees) */
};

static void
files_are_closed_and_run_outward(void **state)
{
    (void)state;
    struct as_folder folder;
    assert_true(as_folder_open(&folder, MESHES_DIR));
    for (size_t i = 0; i < sizeof(meshes) / sizeof(meshes[0]); i++) {
        struct as_surface surface;
        struct cn_defect defect = {0};
        struct cn_mesh *mesh = NULL;
        if (as_surface_load(&folder, meshes[i].name, &surface, &defect) != CN_OK) {
            fail_msg("%s %s", defect.path, defect.text);
        }
        struct cn_mesh_def def = as_surface_def(&surface);
        def.sparse = true;
        if (cn_mesh_make(&def, &mesh, &defect) != CN_OK) {
            fail_msg("%s: %s %s", meshes[i].name, defect.path, defect.text);
        }
        assert_int_equal(mesh->triangle_count, meshes[i].triangles);
        assert_int_equal(mesh->mending.turned_triangles, 0);
        assert_int_equal(mesh->mending.dropped_triangles, 0);
        assert_int_equal(mesh->mending.merged_vertices, 0);
        if (meshes[i].volume > 0.0) {
            assert_true(fabs(mesh->volume.volume - meshes[i].volume) < 1e-12);
        }
        if (meshes[i].thickness > 0.0) {
            assert_true(fabs(mesh->thickness - meshes[i].thickness) < 0.02 * meshes[i].thickness);
        }
        cn_mesh_drop(mesh);
        as_surface_finish(&surface);
    }
    as_folder_close(&folder);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_closed_and_run_outward),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
