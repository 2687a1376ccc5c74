/*
 * test_scope.c: which bodies a scope takes, at edges that are known by hand.  A quantum is
 * 1/4096 m, so a reach of 10 m is 40960 of them, and bodies leave beyond 45056.
 */
#include "server/snapshot/scope.h"

#include "tests/support/live_blocks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
/* cmocka wants the four of them. */
#include <cmocka.h>

#define ENTER 40960
#define LEAVE 45056

/* Slot 0 is a floor, which no state has; 1 is relevant, 2 is tagged, 3 and 4 are neither. */
static const char scene_text[] =
    "name: a\n"
    "bodies:\n"
    "- {type: STATIC, position: {x: 100}, shapes: [{circle: {radius: 1}}]}\n"
    "- {alwaysRelevant: true, position: {x: 5}, shapes: [{circle: {radius: 1}}]}\n"
    "- {tags: [ball, red], position: {x: 10}, shapes: [{circle: {radius: 1}}]}\n"
    "- {position: {x: 20}, shapes: [{circle: {radius: 1}}]}\n"
    "- {position: {x: 30}, shapes: [{circle: {radius: 1}}]}\n";

struct stage {
    struct wire_scene *scene;
    struct cn_world *world;
    struct wire_state *whole;
    struct sv_scope *scope;
    long blocks; /* of the heap that were in use before */
};

static void
stage_init(struct stage *stage, struct wire_interest interest)
{
    struct wire_text_error error;
    struct cn_defect defect;
    stage->blocks = live_blocks();
    stage->scene = wire_scene_parse(scene_text, strlen(scene_text), &error);
    assert_non_null(stage->scene);
    assert_int_equal(
        cn_world_create(wire_scene_world_def(stage->scene), &defect, &stage->world), CN_OK);
    stage->whole = wire_state_create(4, false);
    assert_non_null(stage->whole);
    stage->whole->precision = wire_precision_default();
    for (int i = 0; i < 4; i++) {
        stage->whole->body[i] = (uint32_t)i + 1;
        stage->whole->x[i] = 20 * LEAVE;
        stage->whole->y[i] = i;
    }
    wire_interest_settle(&interest, false);
    stage->scope = sv_scope_create(&interest);
    assert_non_null(stage->scope);
    assert_true(sv_scope_look(stage->scope, stage->scene, stage->world, 1, 1));
}

static void
stage_finish(struct stage *stage)
{
    sv_scope_destroy(stage->scope);
    wire_state_unref(stage->whole);
    cn_world_destroy(stage->world);
    wire_scene_destroy(stage->scene);
    assert_int_equal(live_blocks(), stage->blocks);
}

/* The slots that the scope takes now, as digits. */
static void
assert_seen(struct stage *stage, const char *slots)
{
    char seen[8] = "";
    struct wire_state *part = sv_scope_take(stage->scope, stage->world, stage->whole);
    assert_non_null(part);
    assert_in_range(part->count, 0, 4);
    for (int i = 0; i < part->count; i++) {
        seen[i] = (char)('0' + part->body[i]);
        assert_int_equal(part->y[i], part->body[i] - 1); /* columns go with their slots */
        assert_int_equal(part->x[i], stage->whole->x[part->body[i] - 1]);
    }
    assert_int_equal(part->view_hash, wire_state_hash(part));
    assert_string_equal(seen, slots);
    wire_state_unref(part);
}

static struct wire_interest
around_origin(void)
{
    return (struct wire_interest){
        .is_part = true, .around = WIRE_AROUND_POINT, .reach = {.x = 10.0, .y = 10.0}};
}

static void
test_edges(void **state)
{
    (void)state;
    struct stage stage;
    stage_init(&stage, around_origin());
    int32_t *x = &stage.whole->x[2]; /* of slot 3 */
    assert_seen(&stage, "1");
    *x = ENTER + 1;
    assert_seen(&stage, "1");
    *x = ENTER;
    assert_seen(&stage, "13");
    *x = LEAVE; /* in between the body stays in */
    assert_seen(&stage, "13");
    *x = LEAVE + 1;
    assert_seen(&stage, "1");
    *x = LEAVE;
    assert_seen(&stage, "1");
    *x = -ENTER - 1;
    assert_seen(&stage, "1");
    *x = -ENTER;
    assert_seen(&stage, "13");
    *x = -LEAVE - 1;
    assert_seen(&stage, "1");
    stage_finish(&stage);
}

/* A body that takes the slot of one in the area does not count as in the area itself. */
static void
test_slot_of_another(void **state)
{
    (void)state;
    struct stage stage;
    stage_init(&stage, around_origin());
    stage.whole->x[2] = stage.whole->x[3] = ENTER;
    assert_seen(&stage, "134");
    stage.whole->x[2] = stage.whole->x[3] = LEAVE;
    assert_true(sv_scope_look(stage.scope, stage.scene, stage.world, 2, 1));
    assert_seen(&stage, "134");

    struct cn_defect defect;
    const struct cn_body_def *def = &wire_scene_world_def(stage.scene)->bodies[3];
    int slot = 0;
    assert_int_equal(cn_world_remove_body(stage.world, 3, &defect), CN_OK);
    assert_int_equal(cn_world_make_body(stage.world, def, &defect, &slot), CN_OK);
    assert_int_equal(slot, 3);
    assert_true(sv_scope_look(stage.scope, stage.scene, stage.world, 3, 1));
    assert_seen(&stage, "14");
    stage_finish(&stage);
}

/* Axes without a reach are ignored, and extreme integers overflow nothing. */
static void
test_without_end(void **state)
{
    (void)state;
    struct stage stage;
    struct wire_interest interest = around_origin();
    interest.reach.y = 0.0;
    stage_init(&stage, interest);
    stage.whole->x[3] = 0;
    stage.whole->y[3] = INT32_MAX;
    stage.whole->x[2] = INT32_MIN;
    struct wire_state *part = sv_scope_take(stage.scope, stage.world, stage.whole);
    assert_int_equal(part->count, 2);
    assert_int_equal(part->body[0], 1);
    assert_int_equal(part->body[1], 4);
    wire_state_unref(part);
    stage_finish(&stage);
}

static void
test_tags(void **state)
{
    (void)state;
    struct stage stage;
    struct wire_interest interest = {.is_part = true};
    wire_interest_tag(&interest, "blue");
    stage_init(&stage, interest);
    assert_seen(&stage, "1");
    stage_finish(&stage);
    wire_interest_tag(&interest, "red");
    stage_init(&stage, interest);
    assert_seen(&stage, "12");
    stage_finish(&stage);
}

/* An area around a body, also around a fixed one; around a removed body it is empty. */
static void
test_follows(void **state)
{
    (void)state;
    struct stage stage;
    struct wire_interest interest = around_origin();
    interest.around = WIRE_AROUND_BODY;
    interest.body = 0; /* at x = 100 m */
    stage_init(&stage, interest);
    stage.whole->x[3] = 100 * 4096 - ENTER;
    assert_seen(&stage, "14");
    stage_finish(&stage);

    interest.body = 3; /* at 20 m */
    stage_init(&stage, interest);
    stage.whole->x[3] = 20 * 4096 + ENTER;
    assert_seen(&stage, "14");
    stage.whole->x[3]++;
    assert_seen(&stage, "14");
    stage_finish(&stage);

    interest.body = 5;
    stage_init(&stage, interest);
    stage.whole->x[3] = 0;
    assert_seen(&stage, "1");
    stage_finish(&stage);
}

/* The part has the sleep flags of its bodies, too. */
static void
test_sleepers(void **state)
{
    (void)state;
    struct stage stage;
    stage_init(&stage, around_origin());
    stage.whole->x[3] = 0;
    stage.whole->asleep[0] = 8; /* slot 4, the part's second */
    struct wire_state *part = sv_scope_take(stage.scope, stage.world, stage.whole);
    assert_int_equal(part->count, 2);
    assert_false(wire_state_sleeps(part, 0));
    assert_true(wire_state_sleeps(part, 1));
    assert_int_equal(part->asleep_count, 1);
    wire_state_unref(part);
    stage_finish(&stage);
}

/* In space: the area is a box with a height, and the part has every column of the bodies in it. */
static void
test_space(void **state)
{
    (void)state;
    struct stage stage;
    struct wire_interest box = around_origin();
    stage_init(&stage, around_origin());
    sv_scope_destroy(stage.scope);
    wire_state_unref(stage.whole);
    box.reach.z = 10.0;
    wire_interest_settle(&box, true);
    stage.scope = sv_scope_create(&box);
    assert_true(sv_scope_look(stage.scope, stage.scene, stage.world, 1, 1));
    stage.whole = wire_state_create(4, true);
    stage.whole->precision = wire_precision_default();
    for (int i = 0; i < 4; i++) {
        stage.whole->body[i] = (uint32_t)i + 1;
        stage.whole->x[i] = 10 + i;
        stage.whole->y[i] = 20 + i;
        stage.whole->z[i] = i == 2 ? ENTER + 1 : i == 3 ? -ENTER : 30 + i;
        stage.whole->turn_largest[i] = (uint32_t)i;
        stage.whole->turn_a[i] = 40 + i;
        stage.whole->turn_b[i] = 50 + i;
        stage.whole->turn_c[i] = 60 + i;
    }
    stage.whole->asleep[0] = 8; /* the last */
    struct wire_state *part = sv_scope_take(stage.scope, stage.world, stage.whole);
    assert_non_null(part);
    assert_int_equal(part->count, 3); /* the third is above the box */
    for (int k = 0; k < 3; k++) {
        int i = k < 2 ? k : 3;
        assert_int_equal(part->body[k], i + 1);
        assert_int_equal(part->x[k], stage.whole->x[i]);
        assert_int_equal(part->y[k], stage.whole->y[i]);
        assert_int_equal(part->z[k], stage.whole->z[i]);
        assert_int_equal(part->turn_largest[k], i);
        assert_int_equal(part->turn_a[k], 40 + i);
        assert_int_equal(part->turn_b[k], 50 + i);
        assert_int_equal(part->turn_c[k], 60 + i);
        assert_int_equal(wire_state_sleeps(part, k), i == 3);
    }
    assert_int_equal(part->asleep_count, 1);
    wire_state_unref(part);
    stage_finish(&stage);
}

/* A new series of ticks forgets the place of an area; a change of the scene does not. */
static void
test_place_of_another_series(void **state)
{
    (void)state;
    struct stage stage;
    struct wire_interest body = {.is_part = true, .around = WIRE_AROUND_BODY, .body = 3,
        .reach = {.x = 10.0, .y = 10.0}};
    stage_init(&stage, body);
    struct wire_state *part = sv_scope_take(stage.scope, stage.world, stage.whole);
    wire_state_unref(part);
    assert_true(stage.scope->has_center);
    assert_true(sv_scope_look(stage.scope, stage.scene, stage.world, 2, 1));
    assert_true(stage.scope->has_center);
    assert_true(sv_scope_look(stage.scope, stage.scene, stage.world, 3, 2));
    assert_false(stage.scope->has_center);
    stage_finish(&stage);
}

/* An interest in the whole world gives the state itself, not a copy. */
static void
test_whole(void **state)
{
    (void)state;
    struct stage stage;
    stage_init(&stage, (struct wire_interest){0});
    struct wire_state *part = sv_scope_take(stage.scope, stage.world, stage.whole);
    assert_ptr_equal(part, stage.whole);
    wire_state_unref(part);
    stage_finish(&stage);
}

/* Settling equalises fields without effect: z in the plane, the place along an endless axis. */
static void
test_settles(void **state)
{
    (void)state;
    struct wire_interest one = around_origin(), other = around_origin();
    one.point.z = 4.0;
    one.reach.z = 2.0;
    one.body = 3;
    wire_interest_settle(&one, false);
    wire_interest_settle(&other, false);
    assert_true(wire_interest_is_equal(&one, &other));
    one.reach.x = other.reach.x = 0.0;
    one.point.x = 7.0;
    wire_interest_settle(&one, true);
    assert_true(wire_interest_is_equal(&one, &other));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_edges),
        cmocka_unit_test(test_slot_of_another),
        cmocka_unit_test(test_without_end),
        cmocka_unit_test(test_tags),
        cmocka_unit_test(test_follows),
        cmocka_unit_test(test_sleepers),
        cmocka_unit_test(test_space),
        cmocka_unit_test(test_place_of_another_series),
        cmocka_unit_test(test_whole),
        cmocka_unit_test(test_settles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
