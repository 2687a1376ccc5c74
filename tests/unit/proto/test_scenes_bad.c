/*
 * test_scenes_bad.c: every malformed scene of tests/golden/scenes_bad is refused in exactly the
 * words of the .err file beside it: what people read is part of the interface.
 */
#include "proto/scene.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka wants the four of them. */
#include <cmocka.h>

#define SCENES_MIN 55

static size_t
read_file(const char *folder, const char *name, char *out, size_t size)
{
    char path[512];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        print_error("can not open %s\n", path);
    }
    assert_non_null(file);
    size_t got = fread(out, 1, size - 1, file);
    assert_true(got < size - 1);
    fclose(file);
    out[got] = '\0';
    return got;
}

static bool
check_one(const char *folder, const char *name)
{
    static char text[65536], expected[2048];
    char golden[300], line[WIRE_TEXT_ERROR_SIZE];
    struct wire_text_error error;
    size_t size = read_file(folder, name, text, sizeof(text));
    snprintf(golden, sizeof(golden), "%.*s.err", (int)strcspn(name, "."), name);
    read_file(folder, golden, expected, sizeof(expected));
    expected[strcspn(expected, "\n")] = '\0';
    struct wire_scene *scene = wire_scene_parse(text, size, &error);
    if (scene != NULL) {
        print_error("%s is accepted\n", name);
        wire_scene_destroy(scene);
        return false;
    }
    wire_text_error_print(&error, name, line, sizeof(line));
    if (strcmp(line, expected) != 0) {
        print_error("expected  %s\ngot       %s\n", expected, line);
        return false;
    }
    return true;
}

static void
test_golden(void **state)
{
    (void)state;
    static const char folder[] = GOLDEN_DIR "/scenes_bad";
    DIR *listing = opendir(folder);
    assert_non_null(listing);
    int scene_count = 0, failed_count = 0;
    for (struct dirent *entry = readdir(listing); entry != NULL; entry = readdir(listing)) {
        const char *dot = strchr(entry->d_name, '.');
        if (dot != NULL && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".json") == 0)) {
            scene_count++;
            failed_count += !check_one(folder, entry->d_name);
        }
    }
    closedir(listing);
    assert_int_equal(failed_count, 0);
    assert_true(scene_count >= SCENES_MIN);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_golden)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
