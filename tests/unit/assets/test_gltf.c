/* test_gltf.c: a tetrahedron in every form of glTF, and files with errors. */
#include "assets/folder.h"
#include "assets/gltf.h"
#include "assets/load.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

/* Corners at the origin and at 1 along each axis; four triangles: 48 bytes and 12, from outside. */
static const float corner[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
static const uint8_t face[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};

/* The same 60 bytes in base64. */
#define DATA                                                                                       \
    "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAAAAAAAAAAAAIA/AAIBAAEDAAMCAQID"

#define HEAD "{\"asset\": {\"version\": \"2.0\"}"
#define VIEWS                                                                                      \
    ", \"bufferViews\": [{\"buffer\": 0, \"byteLength\": 48},"                                     \
    "{\"buffer\": 0, \"byteOffset\": 48, \"byteLength\": 12}]"
#define ACCESSORS                                                                                  \
    ", \"accessors\": [{\"bufferView\": 0, \"componentType\": 5126, \"count\": 4,"                 \
    "\"type\": \"VEC3\"}, {\"bufferView\": 1, \"componentType\": 5121, \"count\": 12,"             \
    "\"type\": \"SCALAR\"}]"
#define MESHES                                                                                     \
    ", \"meshes\": [{\"primitives\": [{\"attributes\": {\"POSITION\": 0}, \"indices\": 1}]}]"
#define BUFFER(uri) ", \"buffers\": [{\"byteLength\": 60, \"uri\": \"" uri "\"}]"
#define INLINE BUFFER("data:application/octet-stream;base64," DATA)
#define REST VIEWS ACCESSORS MESHES

static enum cn_status
read_text(const char *text, const struct as_folder *folder, struct as_surface *surface,
    struct cn_defect *defect)
{
    *defect = (struct cn_defect){0};
    return as_gltf_read(text, strlen(text), folder, surface, defect);
}

/* The surface as a mesh: its volume. */
static double
volume_of(const struct as_surface *surface)
{
    struct cn_mesh_def def = as_surface_def(surface);
    struct cn_mesh *mesh = NULL;
    struct cn_defect defect = {0};
    if (cn_mesh_make(&def, &mesh, &defect) != CN_OK) {
        fail_msg("%s %s", defect.path, defect.text);
    }
    double volume = mesh->volume.volume;
    cn_mesh_drop(mesh);
    return volume;
}

static void
expect_tetrahedron(const struct as_surface *surface)
{
    assert_int_equal(surface->vertex_count, 4);
    assert_int_equal(surface->triangle_count, 4);
    for (int i = 0; i < 4; i++) {
        assert_true(surface->vertex[i].x == (double)corner[i][0]);
        assert_true(surface->vertex[i].z == (double)corner[i][2]);
        for (int k = 0; k < 3; k++) {
            assert_int_equal(surface->triangle[i][k], face[i][k]);
        }
    }
    assert_true(fabs(volume_of(surface) - 1.0 / 6.0) < 1e-15);
}

static void
text_holds_its_buffer(void **state)
{
    (void)state;
    struct as_surface surface;
    struct cn_defect defect;
    assert_int_equal(read_text(HEAD INLINE REST "}", NULL, &surface, &defect), CN_OK);
    expect_tetrahedron(&surface);
    as_surface_finish(&surface);
}

static void
put_word(uint8_t *at, uint32_t word)
{
    for (int i = 0; i < 4; i++) {
        at[i] = (uint8_t)(word >> 8 * i);
    }
}

/* Writes a GLB of a text and the tetrahedron's bytes; its size. */
static size_t
make_glb(const char *text, uint8_t *out)
{
    size_t length = strlen(text), padded = (length + 3) / 4 * 4;
    size_t size = 12 + 8 + padded + 8 + 60;
    put_word(out, 0x46546c67);
    put_word(out + 4, 2);
    put_word(out + 8, (uint32_t)size);
    put_word(out + 12, (uint32_t)padded);
    put_word(out + 16, 0x4e4f534a);
    memset(out + 20, ' ', padded);
    memcpy(out + 20, text, length);
    uint8_t *binary = out + 20 + padded;
    put_word(binary, 60);
    put_word(binary + 4, 0x004e4942);
    memcpy(binary + 8, corner, sizeof(corner));
    memcpy(binary + 56, face, sizeof(face));
    return size;
}

static void
a_binary_file_has_its_own_chunk(void **state)
{
    (void)state;
    uint8_t bytes[2048];
    struct as_surface surface;
    struct cn_defect defect = {0};
    size_t size = make_glb(HEAD ", \"buffers\": [{\"byteLength\": 60}]" REST "}", bytes);
    assert_int_equal(as_gltf_read(bytes, size, NULL, &surface, &defect), CN_OK);
    expect_tetrahedron(&surface);
    as_surface_finish(&surface);
    /* A file that is cut at any byte is refused, and no byte beyond its end is read. */
    for (size_t cut = 0; cut < size; cut++) {
        uint8_t *copy = malloc(cut + 1);
        memcpy(copy, bytes, cut);
        assert_int_not_equal(as_gltf_read(copy, cut, NULL, &surface, &defect), CN_OK);
        assert_true(defect.text[0] != '\0');
        as_surface_finish(&surface);
        free(copy);
    }
}

/* Two nodes, one below the other: moved, turned and scaled; one more mirrors. */
static void
nodes_place_their_meshes(void **state)
{
    (void)state;
    static const char text[] = HEAD INLINE REST
        ", \"scene\": 0, \"scenes\": [{\"nodes\": [0, 2]}], \"nodes\": ["
        "{\"translation\": [10, 0, 0], \"rotation\": [0, 0, 0.70710678118654752,"
        "0.70710678118654752], \"children\": [1]},"
        "{\"scale\": [2, 2, 2], \"mesh\": 0},"
        "{\"matrix\": [-1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,-5,1], \"mesh\": 0},"
        "{\"mesh\": 0}]}";
    struct as_surface surface;
    struct cn_defect defect;
    assert_int_equal(read_text(text, NULL, &surface, &defect), CN_OK);
    assert_int_equal(surface.vertex_count, 8);
    /* (1, 0, 0) is scaled to 2, turned to y, and moved along x. */
    assert_true(fabs(surface.vertex[1].x - 10.0) < 1e-15);
    assert_true(fabs(surface.vertex[1].y - 2.0) < 1e-15);
    assert_true(surface.vertex[5].x == -1.0 && surface.vertex[5].z == -5.0);
    /* The triangles of the mirrored mesh run counter-clockwise too, so none is turned. */
    struct cn_mesh_def def = as_surface_def(&surface);
    struct cn_mesh *mesh = NULL;
    assert_int_equal(cn_mesh_make(&def, &mesh, &defect), CN_OK);
    assert_int_equal(mesh->mending.turned_triangles, 0);
    assert_true(fabs(mesh->volume.volume - 9.0 / 6.0) < 1e-14);
    cn_mesh_drop(mesh);
    as_surface_finish(&surface);
}

static void
write_file(const char *folder, const char *name, const void *bytes, size_t size)
{
    char path[256];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

static void
remove_file(const char *folder, const char *name)
{
    char path[256];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    assert_int_equal(unlink(path), 0);
}

static void
files_are_of_one_folder(void **state)
{
    (void)state;
    char place[] = "/tmp/cairn-gltf-XXXXXX", link[64];
    uint8_t buffer[60];
    struct as_folder folder;
    struct as_surface surface;
    struct cn_defect defect = {0};
    const char text[] = HEAD BUFFER("tetra.bin") REST "}";
    const char upward[] = HEAD BUFFER("../tetra.bin") REST "}";
    memcpy(buffer, corner, sizeof(corner));
    memcpy(buffer + 48, face, sizeof(face));
    assert_non_null(mkdtemp(place));
    write_file(place, "tetra.bin", buffer, sizeof(buffer));
    write_file(place, "tetra.GLTF", text, sizeof(text) - 1);
    write_file(place, "up.gltf", upward, sizeof(upward) - 1);
    snprintf(link, sizeof(link), "%s/link.gltf", place);
    assert_int_equal(symlink("tetra.GLTF", link), 0);
    assert_true(as_folder_open(&folder, place));

    assert_int_equal(as_surface_load(&folder, "tetra.GLTF", &surface, &defect), CN_OK);
    expect_tetrahedron(&surface);
    as_surface_finish(&surface);
    assert_int_equal(as_surface_load(&folder, "up.gltf", &surface, &defect), CN_REFERENCE);
    assert_non_null(strstr(defect.text, "../tetra.bin"));
    static const char *const refused[] = {"link.gltf", "none.gltf", "./tetra.GLTF", "/etc/x.obj",
        "a/../tetra.GLTF", ".gltf", "", "tetra.bin", "tetra.GLTF/", "x\ny.obj"};
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        assert_int_not_equal(as_surface_load(&folder, refused[i], &surface, &defect), CN_OK);
        as_surface_finish(&surface);
    }
    as_folder_close(&folder);
    remove_file(place, "tetra.bin");
    remove_file(place, "tetra.GLTF");
    remove_file(place, "up.gltf");
    remove_file(place, "link.gltf");
    assert_int_equal(rmdir(place), 0);
}

static void
what_is_wrong_is_said(void **state)
{
    (void)state;
    static const struct {
        const char *text, *path;
        enum cn_status status;
    } cases[] = {
        {"", "line 1", CN_SYNTAX},
        {"[]", "line 1", CN_SYNTAX},
        {"{\"asset\": {}, \"asset\": {}}", "line 1", CN_SYNTAX},
        {"{}", "asset.version", CN_SYNTAX},
        {"{\"asset\": {\"version\": \"1.0\"}}", "asset.version", CN_SYNTAX},
        {HEAD ", \"extensionsRequired\": [\"KHR_draco_mesh_compression\"]}",
            "extensionsRequired[0]", CN_UNKNOWN},
        {HEAD "}", "scenes", CN_SYNTAX},
        {HEAD REST "}", "buffers", CN_REFERENCE},
        {HEAD BUFFER("tetra.bin") REST "}", "buffers[0].uri", CN_REFERENCE},
        {HEAD BUFFER("data:;base64,AAAA") REST "}", "buffers[0].byteLength", CN_RANGE},
        {HEAD BUFFER("data:;base64,A") REST "}", "buffers[0].uri", CN_SYNTAX},
        {HEAD BUFFER("data:text/plain,AAAA") REST "}", "buffers[0].uri", CN_SYNTAX},
        {HEAD INLINE VIEWS MESHES "}", "meshes[0].primitives[0]", CN_REFERENCE},
        {HEAD INLINE REST ", \"nodes\": [{\"children\": [0]}]}", "scenes", CN_SYNTAX},
        {HEAD INLINE REST ", \"nodes\": [{\"children\": [1, 1]}, {}]}", "nodes[1]", CN_DUPLICATE},
        {HEAD INLINE REST ", \"nodes\": [{\"mesh\": 1}]}", "nodes[0]", CN_REFERENCE},
        {HEAD INLINE REST ", \"nodes\": [{\"scale\": [1, 2]}]}", "nodes[0]", CN_SYNTAX},
        {HEAD INLINE REST ", \"nodes\": [{\"children\": [7]}]}", "nodes", CN_REFERENCE},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct as_surface surface;
        struct cn_defect defect;
        enum cn_status status = read_text(cases[i].text, NULL, &surface, &defect);
        size_t length = strlen(cases[i].path); /* jansson's columns are its own */
        if (status != cases[i].status || strncmp(defect.path, cases[i].path, length) != 0) {
            fail_msg("case %zu: %s %s", i, defect.path, defect.text);
        }
        as_surface_finish(&surface);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_holds_its_buffer),
        cmocka_unit_test(a_binary_file_has_its_own_chunk),
        cmocka_unit_test(nodes_place_their_meshes),
        cmocka_unit_test(files_are_of_one_folder),
        cmocka_unit_test(what_is_wrong_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
