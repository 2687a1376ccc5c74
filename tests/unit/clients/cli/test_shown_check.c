/*
 * test_shown_check.c: what was shown, compared with a world at a few ticks.
 *
 * The world is two bodies in space that turn; its views are taken here as the daemon takes them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "clients/cli/recording/past.h"
#include "clients/cli/recording/shown_check.h"
#include "proto/scene_live.h"

#include <string.h>

#define GENERATION 2

/* Either of two components of the first body's rotation (0.72, 0.6940, 0, 0) may be left out. */
static const char scene_text[] =
    "name: pair\n"
    "world: {stepper: time, solver: impulse, dimension: SPATIAL, gravity: {y: 0}}\n"
    "bodies:\n"
    "  - {name: a, mass: 2, position: {x: -2}, orientation: {w: 0.72, x: 0.693974},\n"
    "     shapes: [{box: {size: {x: 1, y: 1, z: 1}}}]}\n"
    "  - {name: b, mass: 2, position: {x: 2}, velocity: {x: 60},\n"
    "     shapes: [{box: {size: {x: 1, y: 1, z: 1}}}]}\n";

struct rig {
    struct sv_scene scene;
    struct sv_world world; /* only the parts that a comparison reads */
    struct cli_shown_line lines[8];
    struct cli_shown shown;
    struct cli_shown_check check;
};

void
cli_complain(const char *format, ...)
{
    (void)format;
}

static int
set_up(void **state)
{
    static struct rig rig;
    struct wire_text_error error;
    struct cn_defect defect;
    memset(&rig, 0, sizeof(rig));
    rig.scene.scene = wire_scene_parse(scene_text, strlen(scene_text), &error);
    assert_non_null(rig.scene.scene);
    assert_int_equal(
        cn_world_create(wire_scene_world_def(rig.scene.scene), &defect, &rig.world.engine), CN_OK);
    rig.world.generation = GENERATION;
    rig.world.shown = &rig.scene;
    rig.shown = (struct cli_shown){.name = "file", .lines = rig.lines};
    *state = &rig;
    return 0;
}

static int
tear_down(void **state)
{
    struct rig *rig = *state;
    cn_world_destroy(rig->world.engine);
    wire_scene_destroy(rig->scene.scene);
    return 0;
}

/*
 * The hash of the daemon's view if it left out `largest` of each body before; NULL: no tick before.
 */
static uint32_t
view_hash(const struct rig *rig, const uint32_t *largest)
{
    const struct wire_precision precision = wire_scene_precision(rig->scene.scene);
    struct wire_state *before = NULL, *now;
    if (largest != NULL) {
        before = wire_state_take(rig->world.engine, GENERATION, &precision, NULL);
        assert_non_null(before);
        memcpy(before->turn_largest, largest, 2 * sizeof(*largest));
    }
    now = wire_state_take(rig->world.engine, GENERATION, &precision, before);
    assert_non_null(now);
    uint32_t hash = now->view_hash;
    wire_state_unref(now);
    wire_state_unref(before);
    return hash;
}

static struct cli_shown_line *
add_line(struct rig *rig, uint32_t generation, uint64_t tick, uint32_t hash, const char *turns)
{
    struct cli_shown_line *line = &rig->lines[rig->shown.count++];
    *line = (struct cli_shown_line){.world = "pair", .turns = turns, .generation = generation,
        .view_hash = hash, .tick = tick, .number = rig->shown.count + 1};
    return line;
}

static void
look(struct rig *rig)
{
    cli_shown_check_look(&rig->check, &rig->world);
}

static enum cli_exit
report(struct rig *rig)
{
    return cli_shown_check_report(&rig->check, "pair", &rig->world);
}

static void
begin(struct rig *rig, bool is_cut)
{
    cli_shown_check_begin(&rig->check, &rig->shown, "pair", &rig->world, is_cut);
}

static void
step(struct rig *rig)
{
    assert_int_equal(cn_world_step(rig->world.engine, CN_WORK_UNLIMITED), CN_STEP_DONE);
}

static void
test_same_and_other(void **state)
{
    struct rig *rig = *state;
    uint32_t hash = view_hash(rig, NULL);
    const struct cli_shown_line *same = add_line(rig, GENERATION, 0, hash, "w2");
    const struct cli_shown_line *again = add_line(rig, GENERATION, 0, hash, "w2");
    const struct cli_shown_line *other = add_line(rig, GENERATION, 0, hash ^ 1, "w2");
    begin(rig, false);
    look(rig);
    assert_int_equal(same->found, CLI_SHOWN_SAME);
    assert_int_equal(again->found, CLI_SHOWN_SAME);
    assert_int_equal(other->found, CLI_SHOWN_DIFFERS);
    assert_int_equal(other->found_hash, hash);
    assert_int_equal(report(rig), CLI_NO);
    rig->shown.count = 2;
    begin(rig, false);
    assert_int_equal(report(rig), CLI_DONE);
}

/* The daemon leaves out the same component as before if it is not small; TURNS tell which. */
static void
test_turns(void **state)
{
    struct rig *rig = *state;
    const uint32_t by_x[2] = {1, 0}, never[2] = {2, 0};
    assert_int_not_equal(view_hash(rig, by_x), view_hash(rig, NULL));
    assert_int_equal(view_hash(rig, never), view_hash(rig, NULL));
    const struct cli_shown_line *kept = add_line(rig, GENERATION, 0, view_hash(rig, by_x), "x1w1");
    const struct cli_shown_line *other = add_line(rig, GENERATION, 0, view_hash(rig, by_x), "w2");
    const struct cli_shown_line *more = add_line(rig, GENERATION, 0, view_hash(rig, by_x), "x1w2");
    const struct cli_shown_line *none = add_line(rig, GENERATION, 0, view_hash(rig, NULL), NULL);
    begin(rig, false);
    look(rig);
    assert_int_equal(kept->found, CLI_SHOWN_SAME);
    assert_int_equal(other->found, CLI_SHOWN_DIFFERS);
    assert_int_equal(more->found, CLI_SHOWN_DIFFERS);
    assert_int_equal(none->found, CLI_SHOWN_SAME);
}

/*
 * A command between two ticks changes the view without a new tick.  Both the view before it and the
 * view after it are right for that tick.
 */
static void
test_one_tick_twice(void **state)
{
    struct rig *rig = *state;
    struct cn_defect defect;
    const struct cn_command place = {.kind = CN_COMMAND_PLACE_BODY,
        .place_body = {
            .body = 1, .position = {5.0, 0.0, 0.0}, .orientation = {1.0, 0.0, 0.0, 0.0}}};
    uint32_t before = view_hash(rig, NULL);
    const struct cli_shown_line *first = add_line(rig, GENERATION, 0, before, NULL);
    struct cli_shown_line *second = add_line(rig, GENERATION, 0, 0, NULL);
    const struct cli_shown_line *third = add_line(rig, GENERATION, 0, before + 1, NULL);
    begin(rig, false);
    look(rig);
    assert_int_equal(cn_world_command_apply(rig->world.engine, &place, &defect), CN_OK);
    second->view_hash = view_hash(rig, NULL);
    assert_int_not_equal(second->view_hash, before);
    look(rig);
    assert_int_equal(first->found, CLI_SHOWN_SAME);
    assert_int_equal(second->found, CLI_SHOWN_SAME);
    assert_int_equal(third->found, CLI_SHOWN_DIFFERS);
    assert_int_equal(third->found_hash, before);
}

/* Ticks after the end, in an earlier generation, and in a generation that never existed. */
static void
test_ticks_that_are_not_there(void **state)
{
    struct rig *rig = *state;
    add_line(rig, GENERATION, 0, view_hash(rig, NULL), NULL);
    begin(rig, false);
    look(rig);
    step(rig);
    look(rig);
    assert_int_equal(report(rig), CLI_DONE);
    const struct {
        uint32_t generation;
        uint64_t tick;
    } gone[] = {{GENERATION - 1, 0}, {GENERATION, 2}, {GENERATION + 1, 0}};
    for (int i = 0; i < 3; i++) {
        rig->shown.count = 0;
        const struct cli_shown_line *line =
            add_line(rig, gone[i].generation, gone[i].tick, 0, NULL);
        begin(rig, false);
        look(rig);
        assert_int_equal(line->found, CLI_SHOWN_NOT_FOUND);
        assert_int_equal(report(rig), CLI_NO);
    }
}

/* Lines before the checkpoint with which the stored past begins prove nothing. */
static void
test_what_is_not_kept(void **state)
{
    struct rig *rig = *state;
    step(rig);
    add_line(rig, GENERATION - 1, 77, 1, NULL);
    add_line(rig, GENERATION, 0, 2, NULL);
    add_line(rig, GENERATION, 1, 3, NULL); /* before the changes at the checkpoint's tick */
    begin(rig, true);
    look(rig);
    assert_int_equal(report(rig), CLI_DONE);
    begin(rig, false);
    assert_int_equal(report(rig), CLI_NO);
    step(rig);
    rig->shown.count = 0;
    add_line(rig, GENERATION, 2, 4, NULL); /* this tick is stored */
    look(rig);
    assert_int_equal(report(rig), CLI_NO);
}

static bool
has_pair(void *context, const char *name)
{
    (void)context;
    return strcmp(name, "pair") == 0;
}

static void
test_worlds_that_are_not_there(void **state)
{
    struct rig *rig = *state;
    add_line(rig, 1, 0, 0, NULL);
    assert_int_equal(cli_shown_check_worlds(&rig->shown, has_pair, NULL), CLI_DONE);
    add_line(rig, 1, 0, 0, NULL)->world = "single";
    assert_int_equal(cli_shown_check_worlds(&rig->shown, has_pair, NULL), CLI_NO);
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_same_and_other),
        TEST(test_turns),
        TEST(test_one_tick_twice),
        TEST(test_ticks_that_are_not_there),
        TEST(test_what_is_not_kept),
        TEST(test_worlds_that_are_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
