/*
 * test_memory.c: whichever allocation fails, reading and printing report it, and nothing leaks.
 *
 * Linked with --wrap: this program's own calls of the allocator count down to a failure; those of
 * libyaml and protobuf-c do not.  The leak checker of a sanitized build finds leaks.
 */
#include "proto/scene_live.h"

#include "cairn/v1/scene.pb-c.h"
#include "cairn/v1/world.pb-c.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
/* cmocka wants the first four. */
#include <cmocka.h>

static int calls_left = -1; /* until the failure; -1: none is planned */

static bool
fails(void)
{
    if (calls_left > 0) {
        calls_left--;
    }
    return calls_left == 0;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);

void *
__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *
__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : __real_calloc(count, size);
}

void *
__wrap_realloc(void *block, size_t size)
{
    return fails() ? NULL : __real_realloc(block, size);
}

void *
__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return fails() ? NULL : __real_aligned_alloc(alignment, size);
}

static const char text[] =
    "{\"name\": \"all\", \"title\": \"\\ud83d\\ude00\", \"materials\": [{\"name\": \"ice\"}],\n"
    "\"bodies\": [{\"name\": \"floor\", \"type\": \"STATIC\",\n"
    "\"shapes\": [{\"plane\": {\"normal\": {\"y\": 1}}}]},\n"
    "{\"mass\": 2, \"shapes\": [{\"polygon\": {\"vertices\": [{}, {\"x\": 1}, {\"y\": 1}]}}]}],\n"
    "\"forces\": [{\"thruster\": {\"body\": \"body1\", \"force\": {\"x\": 1}}},\n"
    "{\"spring\": {\"bodyB\": \"body1\", \"stiffness\": 1}}],\n"
    "\"prefabs\": [{\"name\": \"pair\", \"bodies\": [{\"mass\": 1, \"shapes\":\n"
    "[{\"circle\": {\"radius\": 1}}]}, {\"name\": \"b\", \"mass\": 1,\n"
    "\"shapes\": [{\"circle\": {\"radius\": 1}}]}],\n"
    "\"joints\": [{\"slider\": {\"bodyA\": \"body0\", \"bodyB\": \"b\"}}]}]}\n";

static const char change_text[] =
    "{\"spawns\": [{\"prefab\": \"pair\", \"angle\": 1, \"angularVelocity\": {\"z\": 1}},\n"
    "{\"prefab\": \"pair\", \"name\": \"named\"}]}\n";

/* Fails the n-th allocation for n = 1, 2, ... until there are no more of them. */
static void
test_every_allocation(void **state)
{
    (void)state;
    struct wire_scene *scene = NULL;
    int failure_count = 0;
    for (int n = 1; scene == NULL; n++) {
        struct wire_text_error error;
        calls_left = n;
        scene = wire_scene_parse(text, strlen(text), &error);
        bool failed = calls_left == 0;
        calls_left = -1;
        assert_int_equal(scene == NULL, failed);
        if (failed) {
            assert_int_equal(error.defect.status, CN_MEMORY);
            failure_count++;
        }
    }
    assert_true(failure_count > 30);
    char *print = NULL;
    for (int n = 1; print == NULL; n++) {
        calls_left = n;
        print = wire_text_print(&wire_scene_message(scene)->base, true, true);
        bool failed = calls_left == 0;
        calls_left = -1;
        assert_int_equal(print == NULL, failed);
    }
    free(print);
    wire_scene_destroy(scene);
}

static void
test_change(void **state)
{
    (void)state;
    struct wire_text_error error;
    struct wire_change *change = NULL;
    struct wire_scene *scene = wire_scene_parse(text, strlen(text), &error);
    ProtobufCMessage *message = wire_text_parse(
        &cairn__v1__change__descriptor, change_text, strlen(change_text), &error);
    assert_non_null(scene);
    assert_non_null(message);
    uint8_t bytes[256];
    size_t size = protobuf_c_message_get_packed_size(message);
    assert_in_range(size, 1, sizeof(bytes));
    protobuf_c_message_pack(message, bytes);
    wire_text_free(message);
    int failure_count = 0;
    for (int n = 1; change == NULL; n++) {
        struct cn_defect defect;
        calls_left = n;
        change = wire_change_unpack(bytes, size, scene, &defect);
        bool failed = calls_left == 0;
        calls_left = -1;
        assert_int_equal(change == NULL, failed);
        if (failed) {
            assert_int_equal(defect.status, CN_MEMORY);
            failure_count++;
        }
    }
    assert_true(failure_count > 30);
    wire_change_destroy(change);
    wire_scene_destroy(scene);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_allocation),
        cmocka_unit_test(test_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
