/*
 * test_contact_graph.c: components and levels, by hand, and in random graphs by their definition.
 */
#include "engine/base/rng.h"
#include "engine/step/propagation/contact_graph.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define BODIES 40
#define EDGES 120

static struct cn_contact_graph graph;
static bool fixed[BODIES];
static unsigned char *memory;

static int
set_up(void **state)
{
    struct cn_arena arena;
    (void)state;
    cn_arena_init_measure(&arena);
    cn_contact_graph_layout(&graph, &arena, BODIES, EDGES);
    size_t size = (arena.used + 63) / 64 * 64;
    memory = aligned_alloc(64, size);
    assert_non_null(memory);
    cn_arena_init(&arena, memory, size);
    cn_contact_graph_layout(&graph, &arena, BODIES, EDGES);
    memset(fixed, 0, sizeof(fixed));
    fixed[0] = true;
    return 0;
}

static int
tear_down(void **state)
{
    (void)state;
    free(memory);
    return 0;
}

static void
edge(int below, int above)
{
    graph.edge[graph.edge_count++] = (struct cn_graph_edge){below, above};
}

static void
test_nothing(void **state)
{
    (void)state;
    cn_contact_graph_sort(&graph, 3, fixed);
    assert_int_equal(graph.level[0], 0);
    assert_int_equal(graph.level[1], 1);
    assert_int_equal(graph.level[2], 1);
    assert_int_equal(graph.level_count, 1);
}

/* 0 carries 3 carries {1, 2, 4 in a ring} carries 5, and 0 carries 5, too. */
static void
test_ring(void **state)
{
    (void)state;
    graph.edge_count = 0;
    edge(0, 5);
    edge(2, 4);
    edge(4, 5);
    edge(1, 2);
    edge(3, 1);
    edge(4, 1);
    edge(0, 3);
    cn_contact_graph_sort(&graph, 6, fixed);
    const int32_t expected[] = {0, 2, 2, 1, 2, 3};
    for (int i = 0; i < 6; i++) {
        assert_int_equal(graph.level[i], expected[i]);
    }
    assert_int_equal(graph.component[1], graph.component[2]);
    assert_int_equal(graph.component[1], graph.component[4]);
    assert_int_equal(graph.level_count, 3);
}

/* A tower of all bodies, and one ring of all. */
static void
test_long(void **state)
{
    (void)state;
    graph.edge_count = 0;
    for (int i = 0; i < BODIES - 1; i++) {
        edge(i, i + 1);
    }
    cn_contact_graph_sort(&graph, BODIES, fixed);
    for (int i = 0; i < BODIES; i++) {
        assert_int_equal(graph.level[i], i);
    }
    edge(BODIES - 1, 1);
    cn_contact_graph_sort(&graph, BODIES, fixed);
    for (int i = 1; i < BODIES; i++) {
        assert_int_equal(graph.level[i], 1);
    }
}

/* Whether b can be come to from a, by Warshall's closure. */
static bool reach[BODIES][BODIES];

static void
close_reach(int n)
{
    memset(reach, 0, sizeof(reach));
    for (int k = 0; k < graph.edge_count; k++) {
        reach[graph.edge[k].below][graph.edge[k].above] = true;
    }
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n && reach[i][k]; j++) {
                reach[i][j] = reach[i][j] || reach[k][j];
            }
        }
    }
}

static void
test_random(void **state)
{
    struct cn_rng rng = {11};
    (void)state;
    for (int round = 0; round < 500; round++) {
        int n = 2 + (int)(cn_rng_next(&rng) % (BODIES - 1));
        int count = (int)(cn_rng_next(&rng) % EDGES);
        graph.edge_count = 0;
        for (int k = 0; k < count; k++) {
            int a = (int)(cn_rng_next(&rng) % (uint32_t)n);
            edge(a, 1 + (int)(cn_rng_next(&rng) % (uint32_t)(n - 1)));
        }
        cn_contact_graph_sort(&graph, n, fixed);
        close_reach(n);
        for (int i = 1; i < n; i++) {
            int32_t least = 1;
            for (int j = 0; j < n; j++) {
                bool same = i == j || (reach[i][j] && reach[j][i]);
                assert_int_equal(graph.component[i] == graph.component[j], same);
                if (reach[j][i] && !same) {
                    least = graph.level[j] + 1 > least ? graph.level[j] + 1 : least;
                }
            }
            assert_int_equal(graph.level[i], least);
        }
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(test_nothing, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_ring, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_long, set_up, tear_down),
    cmocka_unit_test_setup_teardown(test_random, set_up, tear_down),
};

int
main(void)
{
    return cmocka_run_group_tests(tests, NULL, NULL);
}
