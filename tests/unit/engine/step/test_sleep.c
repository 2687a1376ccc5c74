/* test_sleep.c: islands against a flood over the graph, and what keeps awake and wakes. */
#include "engine/step/pipeline/sleep.h"

#include "engine/base/rng.h"
#include "engine/model/life.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#define BODIES 60
#define EDGES 90
#define EVENTS 400

static struct cn_body body[BODIES];
static struct cn_motion motion[BODIES];
static struct cn_rest rest[BODIES];
static struct cn_event event[EVENTS];
static struct cn_held held[2];
static struct cn_spring spring[1];
static struct cn_joint joint[1];
static int32_t fresh[BODIES], woken_list[BODIES];
static struct cn_model model;
static struct cn_sleep sleep_;
static void *memory;
static int32_t awake[BODIES], place[BODIES];
static int awake_count;

static int
set_up(void **state)
{
    (void)state;
    memset(body, 0, sizeof body);
    memset(motion, 0, sizeof motion);
    model = (struct cn_model){
        .body_count = BODIES,
        .body_max = BODIES,
        .fresh = fresh,
        .woken = woken_list,
        .body = body,
        .motion = motion,
        .rest = rest,
        .event = event,
        .event_max = EVENTS,
        .held = held,
        .spring = spring,
        .joint = joint,
        .settings = {.dimension = CN_SPATIAL, .gravity = {0.0, -10.0, 0.0}, .sleep = true},
    };
    for (int i = 0; i < BODIES; i++) {
        body[i] = (struct cn_body){.mass_inverse = 1.0, .mass = 1.0, .reach = 0.5};
        rest[i] = (struct cn_rest){.island = -1};
    }
    struct cn_arena arena;
    cn_arena_init_measure(&arena);
    cn_sleep_make(&sleep_, &arena, BODIES);
    memory = aligned_alloc(64, (arena.used + 63) / 64 * 64);
    cn_arena_init(&arena, memory, arena.used);
    cn_sleep_make(&sleep_, &arena, BODIES);
    return memory == NULL ? -1 : 0;
}

static int
tear_down(void **state)
{
    (void)state;
    free(memory);
    return 0;
}

static void
list_awake(void)
{
    awake_count = 0;
    for (int i = 0; i < BODIES; i++) {
        place[i] = -1;
        if (body[i].type != CN_STATIC && rest[i].island < 0) {
            place[i] = body[i].type == CN_KINEMATIC ? -2 - awake_count : awake_count;
            awake[awake_count++] = i;
        }
    }
}

/* The rings and the count equal those computed from the state alone. */
static void
check_rings(void)
{
    struct cn_rest ring[BODIES];
    memcpy(ring, rest, sizeof ring);
    int asleep = model.asleep_count, woken_count = model.woken_count;
    cn_model_count(&model);
    for (int i = 0; i < BODIES; i++) {
        assert_true(ring[i].island == rest[i].island);
        assert_true(ring[i].island < 0 || ring[i].next == rest[i].next);
    }
    assert_int_equal(asleep, model.asleep_count);
    model.woken_count = woken_count;
}

static int
let_sleep(const int edge[][2], int edge_count)
{
    list_awake();
    int fallen = 0;
    if (cn_sleep_begin(&sleep_, &model, awake, awake_count)) {
        for (int i = 0; i < edge_count; i++) {
            cn_sleep_join(&sleep_, place[edge[i][0]], place[edge[i][1]]);
        }
        fallen = cn_sleep_end(&sleep_, &model, awake, awake_count);
    }
    check_rings();
    return fallen;
}

/* Marks all bodies that are connected with `first` through bodies that impulses can move. */
static bool
flood(int first, const int edge[][2], int edge_count, const bool *restless, int *island, int number)
{
    bool calm = !restless[first];
    island[first] = number;
    for (int i = 0; i < edge_count; i++) {
        for (int k = 0; k < 2; k++) {
            int here = edge[i][k], there = edge[i][1 - k];
            if (here != first) {
                continue;
            }
            if (body[there].type == CN_KINEMATIC && motion[there].velocity.x != 0.0) {
                calm = false;
            } else if (body[there].type == CN_DYNAMIC && island[there] < 0) {
                calm = flood(there, edge, edge_count, restless, island, number) && calm;
            }
        }
    }
    return calm;
}

static void
test_random_islands(void **state)
{
    (void)state;
    struct cn_rng rng = {.state = 17};
    int slept = 0;
    for (int round = 0; round < 400; round++) {
        int edge[EDGES][2], edge_count = (int)cn_rng_uniform(&rng, 0.0, EDGES);
        bool restless[BODIES];
        double share = cn_rng_uniform(&rng, 0.0, 0.3);
        for (int i = 0; i < BODIES; i++) {
            double kind = cn_rng_uniform(&rng, 0.0, 1.0);
            body[i].type = kind < 0.1 ? CN_STATIC : kind < 0.2 ? CN_KINEMATIC : CN_DYNAMIC;
            body[i].sleepless = cn_rng_uniform(&rng, 0.0, 1.0) < share / 4;
            bool late = cn_rng_uniform(&rng, 0.0, 1.0) < share;
            rest[i] = (struct cn_rest){late ? 0.3F : CN_SLEEP_TIME, -1, 0};
            restless[i] = late || body[i].sleepless;
            motion[i].velocity.x =
                body[i].type == CN_KINEMATIC && cn_rng_uniform(&rng, 0.0, 1.0) < 0.3 ? 1.0 : 0.01;
            motion[i].velocity.x *= body[i].type == CN_KINEMATIC && motion[i].velocity.x < 0.5
                                        ? 0.0
                                        : 1.0;
        }
        for (int i = 0; i < edge_count; i++) {
            edge[i][0] = (int)cn_rng_uniform(&rng, 0.0, BODIES);
            edge[i][1] = (int)cn_rng_uniform(&rng, 0.0, BODIES);
        }
        model.event_count = 0;
        cn_model_count(&model);

        int island[BODIES], expected = 0;
        bool calm[BODIES];
        memset(island, 0xff, sizeof island);
        for (int i = 0; i < BODIES; i++) {
            if (body[i].type == CN_DYNAMIC && island[i] < 0) {
                calm[i] =
                    flood(i, (const int(*)[2])edge, edge_count, restless, island, i);
            }
        }
        int fallen = let_sleep((const int(*)[2])edge, edge_count);
        for (int i = 0; i < BODIES; i++) {
            int want = -1;
            if (body[i].type == CN_DYNAMIC) {
                want = calm[island[i]] ? island[i] : -1;
            } else if (body[i].type == CN_KINEMATIC) {
                want = restless[i] ? -1 : i;
            }
            assert_int_equal(rest[i].island, want);
            assert_int_equal(cn_sleep_asleep(&model, i), want >= 0);
            assert_true(want < 0 || motion[i].velocity.x == 0.0);
            expected += want >= 0;
        }
        assert_int_equal(fallen, expected);
        assert_int_equal(model.event_count, fallen);
        slept += fallen;

        /* Waking one wakes its island and no other. */
        int one = (int)cn_rng_uniform(&rng, 0.0, BODIES), was = rest[one].island;
        int before[BODIES];
        for (int i = 0; i < BODIES; i++) {
            before[i] = rest[i].island;
        }
        model.woken_count = 0;
        cn_model_rouse(&model, one);
        for (int i = 0; i < BODIES; i++) {
            bool woken = was >= 0 && before[i] == was;
            assert_int_equal(rest[i].island, woken ? -1 : before[i]);
            model.woken_count -= woken;
        }
        assert_int_equal(model.woken_count, 0);
        check_rings();
    }
    assert_true(slept > 1000);
}

static void
test_watching(void **state)
{
    (void)state;
    double threshold = cn_sleep_threshold(&model);
    assert_true(threshold == CN_SLEEP_SPEED);
    for (int tick = 0; tick < 30; tick++) {
        assert_true(rest[0].still_time < CN_SLEEP_TIME);
        motion[0].velocity.x = 0.02;
        motion[0].angular_velocity.z = 0.04; /* its fastest point: 0.02 + 0.5 0.04 = 0.04 */
        cn_sleep_watch(&model, 0, threshold, 1.0 / 60.0);
    }
    assert_true(rest[0].still_time == CN_SLEEP_TIME); /* after half a second, 30 ticks */
    cn_sleep_watch(&model, 0, threshold, 1.0 / 60.0);
    assert_true(rest[0].still_time == CN_SLEEP_TIME);
    motion[0].angular_velocity.z = 0.08;
    cn_sleep_watch(&model, 0, threshold, 1.0 / 60.0);
    assert_true(rest[0].still_time == 0.0F);

    /* The apex of a flight under weak gravity is not rest: 0.05 m/s lasts a second there. */
    model.settings.gravity = (cn_vec3){0.0, -0.1, 0.0};
    threshold = cn_sleep_threshold(&model);
    for (int tick = -60; tick <= 60; tick++) {
        motion[1].velocity.y = -0.1 * tick / 60.0;
        cn_sleep_watch(&model, 1, threshold, 1.0 / 60.0);
        assert_true(rest[1].still_time < CN_SLEEP_TIME);
    }
    /* A kinematic body counts as still only if it does not move at all. */
    body[2].type = CN_KINEMATIC;
    motion[2].velocity.x = 1e-6;
    cn_sleep_watch(&model, 2, threshold, 1.0 / 60.0);
    assert_true(rest[2].still_time == 0.0F);
}

static void
all_ready(void)
{
    for (int i = 0; i < BODIES; i++) {
        rest[i] = (struct cn_rest){CN_SLEEP_TIME, -1, 0};
    }
    cn_model_count(&model);
}

static void
test_what_keeps_awake(void **state)
{
    (void)state;
    const int edge[][2] = {{0, 1}, {1, 2}, {3, 4}};
    all_ready();
    model.settings.sleep = false;
    assert_int_equal(let_sleep(edge, 3), 0);
    model.settings.sleep = true;
    model.settings.gravitation = 1.0;
    assert_int_equal(let_sleep(edge, 3), 0);
    model.settings.gravitation = 0.0;

    spring[0] = (struct cn_spring){.body_a = -1, .body_b = 2};
    model.spring_count = 1;
    held[0] = (struct cn_held){.kind = CN_HELD_ACTUATOR, .target = 0};
    joint[0] = (struct cn_joint){.body_a = 3, .body_b = 7, .actuator = 0};
    model.held_count = model.joint_count = 1;
    assert_int_equal(let_sleep(edge, 3), BODIES - 6); /* 0 1 2, 3 4, 7 */
    assert_true(rest[0].island < 0 && rest[4].island < 0 && rest[7].island < 0);
    assert_int_equal(rest[5].island, 5);

    /* A new held input wakes its body. */
    held[0] = (struct cn_held){.kind = CN_HELD_DRAG, .target = 5};
    model.woken_count = 0;
    cn_sleep_wake_held(&model);
    assert_int_equal(rest[5].island, -1);
    assert_int_equal(model.woken_count, 1);
    assert_int_equal(woken_list[0], 5);
    model.held_count = 0;
    all_ready();
    model.spring_count = 0;
    assert_int_equal(let_sleep(edge, 3), BODIES);
    assert_int_equal(rest[2].island, 0);
    check_rings();
}

/* In a damaged state, bodies whose island has no first body are awake. */
static void
test_damaged_state(void **state)
{
    (void)state;
    rest[5].island = 3;
    rest[6].island = 7;
    rest[7].island = 8;
    rest[9].island = 9;
    rest[11].island = 9;
    cn_model_count(&model);
    assert_int_equal(model.asleep_count, 2);
    assert_int_equal(rest[5].island, -1);
    assert_int_equal(rest[7].island, -1);
    assert_int_equal(rest[11].island, 9);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_random_islands, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_watching, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_what_keeps_awake, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_damaged_state, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
