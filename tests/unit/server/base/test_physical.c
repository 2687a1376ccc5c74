/* test_physical.c: the memory that a daemon may use, by files as a control group has them. */
#include "server/base/physical.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <cmocka.h>

static char folder[64];

static void
write_file(const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static uint64_t
ask(void)
{
    char self[128];
    snprintf(self, sizeof(self), "%s/self", folder);
    return sv_physical_memory_of(folder, self);
}

/* The least of the machine's, the own group's and those of the groups that it is in. */
static void
test_least(void **state)
{
    char path[128];
    (void)state;
    snprintf(folder, sizeof(folder), "physical-XXXXXX");
    assert_non_null(mkdtemp(folder));
    uint64_t machine = ask();
    assert_true(machine > (64 << 20));
    snprintf(path, sizeof(path), "%s/slice", folder);
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(path, sizeof(path), "%s/slice/unit", folder);
    assert_int_equal(mkdir(path, 0700), 0);
    write_file("self", "1:cpu:/old\n0::/slice/unit\n");
    assert_true(ask() == machine);
    write_file("slice/unit/memory.max", "max\n");
    write_file("slice/memory.max", "50000000\n");
    assert_true(ask() == 50000000);
    write_file("slice/unit/memory.high", "40000000\n");
    assert_true(ask() == 40000000);
    write_file("slice/unit/memory.max", "30000000\n");
    assert_true(ask() == 30000000);
    snprintf(path, sizeof(path), "rm -r %s", folder);
    assert_int_equal(system(path), 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_least)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
