/* test_hilbert.c: the curve goes through every cell once, and each time into a neighbour. */
#include "engine/math/hilbert.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdbool.h>
#include <string.h>

#define CELLS 4096

struct cell {
    int x, y, z;
    bool seen;
};

static struct cell cells[CELLS];

static int
distance(int a, int b)
{
    return a < b ? b - a : a - b;
}

static void
check_curve(int count)
{
    for (int i = 0; i < count; i++) {
        assert_true(cells[i].seen);
        assert_true(i == 0 || distance(cells[i].x, cells[i - 1].x) +
                                      distance(cells[i].y, cells[i - 1].y) +
                                      distance(cells[i].z, cells[i - 1].z) ==
                                  1);
    }
}

static void
see(uint32_t along, int count, int x, int y, int z)
{
    assert_true(along < (uint32_t)count);
    assert_false(cells[along].seen);
    cells[along] = (struct cell){x, y, z, true};
}

static void
test_plane(void **state)
{
    (void)state;
    for (int bits = 1; bits <= 6; bits++) {
        int side = 1 << bits;
        memset(cells, 0, sizeof cells);
        for (int i = 0; i < side * side; i++) {
            see(cn_hilbert2((uint32_t)(i % side), (uint32_t)(i / side), bits), side * side,
                i % side, i / side, 0);
        }
        check_curve(side * side);
    }
    assert_int_equal(cn_hilbert2(0, 0, 16), 0);
}

static void
test_space(void **state)
{
    (void)state;
    for (int bits = 1; bits <= 4; bits++) {
        int side = 1 << bits, count = side * side * side;
        memset(cells, 0, sizeof cells);
        for (int i = 0; i < count; i++) {
            int x = i % side, y = i / side % side, z = i / side / side;
            see(cn_hilbert3((uint32_t)x, (uint32_t)y, (uint32_t)z, bits), count, x, y, z);
        }
        check_curve(count);
    }
    assert_int_equal(cn_hilbert3(0, 0, 0, 10), 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plane),
        cmocka_unit_test(test_space),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
