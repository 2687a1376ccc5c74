/*
 * test_scene_mesh.c: meshes of scenes: from where they come, what is refused, and that they stand
 * inline in the message afterwards.
 */
#include "proto/scene.h"

#include "assets/folder.h"
#include "assets/library.h"

#include "cairn/v1/scene.pb-c.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
/* cmocka wants the first four. */
#include <cmocka.h>

#define WORLD "world: {dimension: SPATIAL, stepper: propagation, solver: guendelman03}\n"
#define TETRAHEDRON                                                                                \
    "vertices: [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1], "                                             \
    "triangles: [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]"
#define OBJ "v 0 0 0\\nv 1 0 0\\nv 0 1 0\\nv 0 0 1\\nf 1 3 2\\nf 1 2 4\\nf 1 4 3\\nf 2 3 4\\n"
#define BODY "bodies: [{shapes: [{mesh: {name: rock}, density: 6}]}]\n"

static void
assert_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance)) {
        print_error("%.17g is not %.17g\n", value, expected);
    }
    assert_true(fabs(value - expected) <= tolerance);
}

static struct wire_scene *
parse(const char *mesh, const char *body, const struct wire_mesh_tools *tools,
    struct wire_text_error *error)
{
    char text[4096];
    snprintf(text, sizeof(text), WORLD "meshes: [%s]\n%s", mesh, body);
    return wire_scene_parse_with(text, strlen(text), tools, error);
}

static struct wire_scene *
read_mesh(const char *mesh, const struct wire_mesh_tools *tools)
{
    struct wire_text_error error;
    char line[WIRE_TEXT_ERROR_SIZE];
    struct wire_scene *scene = parse(mesh, BODY, tools, &error);
    if (scene == NULL) {
        print_error("%s\n", wire_text_error_print(&error, "text", line, sizeof(line)));
    }
    assert_non_null(scene);
    return scene;
}

static void
assert_refused(const char *mesh, const char *body, const char *path, const char *words)
{
    struct wire_text_error error;
    assert_null(parse(mesh, body, NULL, &error));
    assert_string_equal(error.defect.path, path);
    if (strstr(error.defect.text, words) == NULL) {
        print_error("%s: %s\n", path, error.defect.text);
    }
    assert_non_null(strstr(error.defect.text, words));
}

/* A corner of the unit cube: 1/6 m^3. */
static void
assert_is_corner(const struct wire_scene *scene)
{
    const struct cn_world_def *def = wire_scene_world_def(scene);
    assert_int_equal(def->mesh_count, 1);
    assert_int_equal(def->meshes[0]->triangle_count, 4);
    assert_near(def->meshes[0]->volume.volume, 1.0 / 6.0, 1e-15);
    assert_int_equal(def->bodies[0].shapes[0].kind, CN_SHAPE_MESH);
    assert_ptr_equal(def->bodies[0].shapes[0].mesh.mesh, def->meshes[0]);
    struct cn_mass_properties mass = cn_body_def_weigh(&def->bodies[0], CN_SPATIAL);
    assert_near(mass.mass, 1.0, 1e-14);
    assert_near(mass.center.x, 0.25, 1e-14);
}

/* A client makes the same mesh from the scene that it receives, for every form of mesh. */
static void
assert_travels(const struct wire_scene *scene)
{
    const Cairn__V1__Scene *message = wire_scene_message(scene);
    assert_string_equal(message->meshes[0]->obj, "");
    assert_string_equal(message->meshes[0]->file, "");
    assert_null(message->meshes[0]->torus);
    size_t size = cairn__v1__scene__get_packed_size(message);
    uint8_t *bytes = malloc(size);
    cairn__v1__scene__pack(message, bytes);
    struct wire_text_error error;
    struct wire_scene *again = wire_scene_unpack(bytes, size, &error);
    assert_non_null(again);
    assert_int_equal(wire_scene_world_def(again)->meshes[0]->hash,
        wire_scene_world_def(scene)->meshes[0]->hash);
    wire_scene_destroy(again);
    free(bytes);
}

static void
test_inline_and_obj(void **state)
{
    (void)state;
    const char *const sources[] = {
        "{name: rock, " TETRAHEDRON "}", "{name: rock, obj: \"" OBJ "\"}"};
    for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
        struct wire_scene *scene = read_mesh(sources[i], NULL);
        assert_is_corner(scene);
        assert_travels(scene);
        wire_scene_destroy(scene);
    }
}

static void
test_scale_and_torus(void **state)
{
    (void)state;
    struct wire_scene *scene = read_mesh("{name: rock, " TETRAHEDRON ", scale: 2}", NULL);
    assert_near(wire_scene_world_def(scene)->meshes[0]->volume.volume, 8.0 / 6.0, 1e-14);
    assert_travels(scene);
    wire_scene_destroy(scene);
    scene = read_mesh(
        "{name: rock, torus: {radius: 1, tubeRadius: 0.3, majorCount: 16, minorCount: 10}}", NULL);
    const struct cn_mesh *ring = wire_scene_world_def(scene)->meshes[0];
    assert_int_equal(ring->triangle_count, 320);
    /* n sin(2 pi / n) R (m / 2) r^2 sin(2 pi / m) */
    double volume = 16.0 * sin(M_PI / 8.0) * 5.0 * 0.09 * sin(M_PI / 5.0);
    assert_near(ring->volume.volume, volume, 1e-10);
    assert_travels(scene);
    wire_scene_destroy(scene);
}

static void
test_file_and_library(void **state)
{
    (void)state;
    char name[] = "cairn-mesh-XXXXXX", path[64];
    assert_non_null(mkdtemp(name));
    snprintf(path, sizeof(path), "%s/rock.obj", name);
    FILE *file = fopen(path, "wb");
    fputs("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n", file);
    fclose(file);
    struct as_folder folder;
    assert_true(as_folder_open(&folder, name));
    struct as_library *library = as_library_create(AS_LIBRARY_SIZE);
    const struct wire_mesh_tools tools = {.folder = &folder, .library = library};
    struct wire_scene *scene = read_mesh("{name: rock, file: rock.obj}", &tools);
    struct wire_scene *other = read_mesh("{name: rock, " TETRAHEDRON "}", &tools);
    assert_is_corner(scene);
    assert_travels(scene);
    assert_ptr_equal(
        wire_scene_world_def(scene)->meshes[0], wire_scene_world_def(other)->meshes[0]);

    struct wire_text_error error;
    assert_null(parse("{name: rock, file: ../rock.obj}", BODY, &tools, &error));
    assert_string_equal(error.defect.path, "meshes[0].file");
    wire_scene_destroy(other);
    wire_scene_destroy(scene);
    as_library_destroy(library);
    as_folder_close(&folder);
    unlink(path);
    rmdir(name);
}

/* A world keeps its meshes after its scene is destroyed. */
static void
test_world_outlives_scene(void **state)
{
    (void)state;
    struct wire_scene *scene = read_mesh("{name: rock, " TETRAHEDRON "}", NULL);
    struct cn_world *world;
    assert_int_equal(cn_world_create(wire_scene_world_def(scene), NULL, &world), CN_OK);
    wire_scene_destroy(scene);
    while (cn_world_step(world, INT64_MAX) == CN_STEP_MORE) {
    }
    assert_int_equal(cn_world_tick(world), 1);
    cn_world_destroy(world);
}

static void
test_refused(void **state)
{
    (void)state;
    assert_refused("{" TETRAHEDRON "}", BODY, "meshes[0].name", "is empty");
    assert_refused("{name: rock}", BODY, "meshes[0]", "has 0 sources");
    assert_refused("{name: rock, file: a.obj, " TETRAHEDRON "}", BODY, "meshes[0]", "has 2");
    assert_refused("{name: rock, file: a.obj}", BODY, "meshes[0].file", "is not read here");
    assert_refused("{name: rock, vertices: [1, 2]}", BODY, "meshes[0].vertices", "multiple of 3");
    assert_refused("{name: rock, obj: \"v 0 0\"}", BODY, "meshes[0].obj: line 1", "");
    assert_refused("{name: rock, torus: {radius: 1, tubeRadius: 2, majorCount: 9, minorCount: 9}}",
        BODY, "meshes[0].torus.tubeRadius", "is 2; it is from 0.001 to 1 m");
    assert_refused("{name: rock, resolution: 65, " TETRAHEDRON "}", BODY, "meshes[0].resolution",
        "is 65; at most 64");
    assert_refused("{name: rock, torus: {radius: 1, tubeRadius: 0.3, majorCount: 70, "
                   "minorCount: 60}}",
        BODY, "meshes[0].triangles", "bring the scene to 8400; at most 8192");
    assert_refused("{name: rock, " TETRAHEDRON "}, {name: rock, " TETRAHEDRON "}", BODY,
        "meshes[1].name", "the name of meshes[0] already");
    assert_refused("{name: rock, vertices: [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1], "
                   "triangles: [0, 2, 1, 0, 1, 3, 0, 3, 2]}",
        BODY, "meshes[0].triangles", "");
    assert_refused("{name: rock, " TETRAHEDRON "}",
        "bodies: [{shapes: [{mesh: {name: rok}}]}]\n", "bodies[0].shapes[0].mesh.name",
        "did you mean \"rock\"");
}

/* The error of a solver without meshes names the solvers that have them. */
static void
test_solver_without_meshes(void **state)
{
    (void)state;
    struct wire_text_error error;
    const char *text =
        "world: {dimension: SPATIAL}\nmeshes: [{name: rock, " TETRAHEDRON "}]\n" BODY;
    assert_null(wire_scene_parse(text, strlen(text), &error));
    assert_string_equal(error.defect.path, "bodies[0].shapes[0].mesh");
    assert_non_null(strstr(error.defect.text, "guendelman03"));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_inline_and_obj),
        cmocka_unit_test(test_scale_and_torus),
        cmocka_unit_test(test_file_and_library),
        cmocka_unit_test(test_world_outlives_scene),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_solver_without_meshes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
