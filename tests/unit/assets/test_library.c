/* test_library.c: a mesh is made once and shared; old ones are freed when there are too many. */
#include "assets/library.h"
#include "tests/support/mesh/meshes.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static struct raw_mesh raw;

static struct cn_mesh *
make(struct as_library *library, double size)
{
    struct cn_mesh *mesh = NULL;
    memset(&raw, 0, sizeof(raw));
    raw_box(&raw, (cn_vec3){0, 0, 0}, (cn_vec3){size, 1, 1});
    struct cn_mesh_def def = raw_def(&raw);
    def.resolution = 8;
    assert_int_equal(as_library_make(library, &def, &mesh, NULL), CN_OK);
    return mesh;
}

static void
equal_meshes_are_one(void **state)
{
    (void)state;
    struct as_library *library = as_library_create(AS_LIBRARY_SIZE);
    struct cn_mesh *one = make(library, 1.0), *two = make(library, 2.0);
    struct cn_mesh *again = make(library, 1.0);
    assert_ptr_equal(one, again);
    assert_ptr_not_equal(one, two);
    struct as_library_count count = as_library_count(library);
    assert_int_equal(count.meshes, 2);
    assert_int_equal(count.found, 1);
    assert_int_equal(count.made, 2);
    assert_int_equal(count.size, one->size + two->size);
    as_library_destroy(library);
    /* References outlive the library. */
    assert_int_equal(one->vertex_count, 8);
    cn_mesh_drop(one);
    cn_mesh_drop(two);
    cn_mesh_drop(again);
}

static void
the_oldest_goes_when_there_is_no_room(void **state)
{
    (void)state;
    struct as_library *library = as_library_create(AS_LIBRARY_SIZE);
    struct cn_mesh *one = make(library, 1.0);
    size_t size = one->size;
    cn_mesh_drop(one);
    as_library_destroy(library);

    library = as_library_create(2 * size + size / 2);
    cn_mesh_drop(make(library, 1.0));
    cn_mesh_drop(make(library, 1.01));
    cn_mesh_drop(make(library, 1.0)); /* asked for again: younger than the second */
    cn_mesh_drop(make(library, 1.02));
    struct as_library_count count = as_library_count(library);
    assert_int_equal(count.meshes, 2);
    assert_int_equal(count.made, 3);
    cn_mesh_drop(make(library, 1.0));
    assert_int_equal(as_library_count(library).found, 2);
    cn_mesh_drop(make(library, 1.01));
    assert_int_equal(as_library_count(library).made, 4);
    as_library_destroy(library);

    library = as_library_create(size / 2);
    cn_mesh_drop(make(library, 1.0)); /* too large to keep, and made all the same */
    assert_int_equal(as_library_count(library).meshes, 0);
    as_library_destroy(library);
}

static void
what_can_not_be_made_is_not_kept(void **state)
{
    (void)state;
    struct as_library *library = as_library_create(AS_LIBRARY_SIZE);
    struct cn_mesh *mesh = NULL;
    struct cn_defect defect = {0};
    memset(&raw, 0, sizeof(raw));
    raw_box(&raw, (cn_vec3){0, 0, 0}, (cn_vec3){1, 1, 1});
    struct cn_mesh_def def = raw_def(&raw);
    def.triangle_count--;
    assert_int_equal(as_library_make(library, &def, &mesh, &defect), CN_GEOMETRY);
    assert_null(mesh);
    assert_int_equal(as_library_count(library).meshes, 0);
    as_library_destroy(library);
}

static void *
ask_often(void *context)
{
    struct as_library *library = context;
    cn_vec3 vertex[8];
    int32_t triangle[12][3];
    for (int i = 0; i < 20; i++) {
        struct cn_mesh *mesh = NULL;
        memcpy(vertex, raw.vertex, sizeof(vertex));
        memcpy(triangle, raw.triangle, sizeof(triangle));
        struct cn_mesh_def def = {.vertex_count = 8, .triangle_count = 12, .vertex = vertex,
            .triangle = (const int32_t(*)[3])triangle, .scale = 1.0 + i % 4, .resolution = 8};
        if (as_library_make(library, &def, &mesh, NULL) != CN_OK) {
            return library;
        }
        cn_mesh_drop(mesh);
    }
    return NULL;
}

static void
threads_share_it(void **state)
{
    (void)state;
    struct as_library *library = as_library_create(AS_LIBRARY_SIZE);
    pthread_t thread[4];
    memset(&raw, 0, sizeof(raw));
    raw_box(&raw, (cn_vec3){0, 0, 0}, (cn_vec3){1, 1, 1});
    for (int i = 0; i < 4; i++) {
        assert_int_equal(pthread_create(&thread[i], NULL, ask_often, library), 0);
    }
    for (int i = 0; i < 4; i++) {
        void *failed = library;
        pthread_join(thread[i], &failed);
        assert_null(failed);
    }
    assert_int_equal(as_library_count(library).meshes, 4);
    as_library_destroy(library);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_meshes_are_one),
        cmocka_unit_test(the_oldest_goes_when_there_is_no_room),
        cmocka_unit_test(what_can_not_be_made_is_not_kept),
        cmocka_unit_test(threads_share_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
