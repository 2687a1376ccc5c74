/*
 * test_command.c: commands are checked before they are applied, and say what is wrong.
 */
#include "tests/support/world/blocks.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "tests/support/near.h"

static struct blocks blocks;

static int
setup(void **state)
{
    blocks_init(&blocks, 3, 0.5);
    struct cn_world *world = NULL;
    struct cn_defect defect;
    int failed = cn_world_create(&blocks.def, &defect, &world) != CN_OK;
    *state = world;
    return failed;
}

static int
teardown(void **state)
{
    cn_world_destroy(*state);
    return 0;
}

/* The command is refused with this path, and the world is unchanged. */
static void
assert_refused(struct cn_world *world, struct cn_command command, enum cn_status status,
    const char *path, const char *word)
{
    struct cn_defect defect = {0};
    uint64_t hash = cn_world_hash(world);
    assert_int_equal(cn_world_command_apply(world, &command, &defect), status);
    assert_int_equal(defect.status, status);
    assert_string_equal(defect.path, path);
    if (strstr(defect.text, word) == NULL) {
        fail_msg("\"%s\" does not say \"%s\"", defect.text, word);
    }
    assert_int_equal(cn_world_hash(world), hash);
}

static void
test_refusals(void **state)
{
    struct cn_world *world = *state;
    struct cn_command force = {.kind = CN_COMMAND_HOLD_FORCE, .hold_force = {.body = 3}};

    force.hold_force.force.x = (double)NAN;
    assert_refused(world, force, CN_FINITE, "force", "finite");
    force.hold_force.force.x = 2e6;
    assert_refused(world, force, CN_RANGE, "force", "1e+06 N");
    force.hold_force.force.x = 1.0;
    force.hold_force.body = 17;
    assert_refused(world, force, CN_REFERENCE, "body", "bodies 0 to 5");
    force.hold_force.body = 0;
    assert_refused(world, force, CN_REFERENCE, "body", "not dynamic");
    force.hold_force.body = 3;
    force.hold_force.frame = (enum cn_frame)7;
    assert_refused(world, force, CN_UNKNOWN, "frame", "BODY");

    struct cn_command actuator = {.kind = CN_COMMAND_HOLD_ACTUATOR};
    actuator.hold_actuator.actuator = 1;
    assert_refused(world, actuator, CN_REFERENCE, "actuator", "1 actuators");
    actuator.hold_actuator.actuator = 0;
    actuator.hold_actuator.level = 1.5;
    assert_refused(world, actuator, CN_RANGE, "level", "-1 to 1");

    struct cn_command number = {.kind = CN_COMMAND_SET_RESTITUTION, .set_restitution = {1.01}};
    assert_refused(world, number, CN_RANGE, "restitution", "0 to 1");
    number = (struct cn_command){.kind = CN_COMMAND_SET_TIME_RATE, .set_time_rate = {0.0}};
    assert_refused(world, number, CN_RANGE, "timeRate", "0.01");
    number = (struct cn_command){.kind = CN_COMMAND_SET_COLLISION, .set_collision = {1.5}};
    assert_refused(world, number, CN_UNKNOWN, "collision", "HYBRID");

    struct cn_command name = {.kind = CN_COMMAND_SET_SOLVER, .set_solver = {"baraf94"}};
    assert_refused(world, name, CN_UNKNOWN, "solver", "is \"baraf94\"; there is baraff89");
    name.set_solver = (struct cn_set_name){"barraf94"};
    assert_refused(world, name, CN_UNKNOWN, "solver", "did you mean \"baraff94\"?");
    struct cn_command step = {.kind = CN_COMMAND_SET_STEPPER, .set_stepper = {"evnt"}};
    assert_refused(world, step, CN_UNKNOWN, "stepper",
        "there is event, time, position, propagation; did you mean \"event\"?");
    memset(name.set_solver.name, 'x', CN_NAME_SIZE);
    assert_refused(world, name, CN_LIMIT, "solver", "32");
}

/* One command sets stepper and solver. They are checked with each other, not with the old ones. */
static void
test_both_names_at_once(void **state)
{
    struct cn_world *world = *state;
    const struct cn_settings *settings = cn_world_settings(world);
    const struct cn_contact_view *contacts;
    assert_int_equal(cn_world_contacts(world, &contacts), 0);
    struct cn_command both = {.kind = CN_COMMAND_SET_METHOD, .set_method = {"", "impulse"}};
    assert_refused(world, both, CN_PAIR, "solver", "stepper event and solver impulse");
    both.set_method = (struct cn_set_method){"time", "impuls"};
    assert_refused(world, both, CN_UNKNOWN, "solver", "did you mean \"impulse\"?");
    both.set_method = (struct cn_set_method){"tim", "impulse"};
    assert_refused(world, both, CN_UNKNOWN, "stepper", "event, time, position, propagation");
    both.set_method = (struct cn_set_method){"time", "impulse"};
    assert_int_equal(cn_world_command_apply(world, &both, NULL), CN_OK);
    assert_string_equal(settings->stepper, "time");
    assert_string_equal(settings->solver, "impulse");
    assert_int_equal(cn_world_step(world, INT64_MAX), CN_STEP_DONE);
    struct cn_body_view view;
    cn_world_body_view(world, 3, &view); /* the old pair's results are not read */
    assert_float_equal(view.acceleration.y, 0.0, 0.0);

    both.set_method = (struct cn_set_method){"event", ""};
    assert_refused(world, both, CN_PAIR, "stepper", "stepper event and solver impulse");
    both.set_method = (struct cn_set_method){"event", "baraff94"};
    assert_int_equal(cn_world_command_apply(world, &both, NULL), CN_OK);
    both.set_method = (struct cn_set_method){"position", ""};
    assert_int_equal(cn_world_command_apply(world, &both, NULL), CN_OK);
    assert_string_equal(settings->stepper, "position");
    assert_string_equal(settings->solver, "baraff94");
    assert_int_equal(cn_world_step(world, INT64_MAX), CN_STEP_DONE);
    memset(both.set_method.stepper, 'x', CN_NAME_SIZE);
    assert_refused(world, both, CN_LIMIT, "stepper", "32");
}

static void
test_held_table_is_bounded(void **state)
{
    struct cn_world *world = *state;
    struct cn_command force = {
        .kind = CN_COMMAND_HOLD_FORCE, .hold_force = {.body = 3, .force = {0.0, 0.1, 0.0}}};
    for (uint32_t slot = 0; slot < CN_HELD_MAX; slot++) {
        force.hold_force.holder.slot = slot;
        assert_int_equal(cn_world_command_apply(world, &force, NULL), CN_OK);
    }
    assert_int_equal(cn_world_command_apply(world, &force, NULL), CN_OK); /* replaces */
    force.hold_force.holder.slot = CN_HELD_MAX;
    assert_refused(world, force, CN_LIMIT, "slot", "256");

    struct cn_command release = {.kind = CN_COMMAND_RELEASE, .release = {.slot = 9}};
    assert_int_equal(cn_world_command_apply(world, &release, NULL), CN_OK);
    assert_int_equal(cn_world_command_apply(world, &force, NULL), CN_OK);
}

/* The order in which inputs of different sessions arrive does not matter. */
static void
test_order_of_holders(void **state)
{
    (void)state;
    uint64_t hash[2];
    for (int order = 0; order < 2; order++) {
        struct cn_world *world;
        blocks_init(&blocks, 3, 0.5);
        assert_int_equal(cn_world_create(&blocks.def, NULL, &world), CN_OK);
        for (int k = 0; k < 5; k++) {
            int j = order == 0 ? k : 4 - k;
            struct cn_command force = {.kind = CN_COMMAND_HOLD_FORCE,
                .hold_force = {.holder = {(uint64_t)j, 0, 0}, .body = 3,
                    .force = {0.1 + j / 3.0, 1.0 / (j + 1), 0.0}}};
            assert_int_equal(cn_world_command_apply(world, &force, NULL), CN_OK);
        }
        for (int t = 0; t < 30; t++) {
            cn_world_step(world, CN_WORK_UNLIMITED);
        }
        hash[order] = cn_world_hash(world);
        cn_world_destroy(world);
    }
    assert_int_equal(hash[0], hash[1]);
}

/* Held until tick 3: acts in ticks 0, 1 and 2, then an event says that it has expired. */
static void
test_expiry(void **state)
{
    struct cn_world *world = *state;
    struct cn_command gravity = {.kind = CN_COMMAND_SET_GRAVITY};
    assert_int_equal(cn_world_command_apply(world, &gravity, NULL), CN_OK);
    struct cn_command stop = {.kind = CN_COMMAND_PLACE_BODY,
        .place_body = {.body = 3, .position = {-2.0, 6.0, 0.0}}};
    assert_int_equal(cn_world_command_apply(world, &stop, NULL), CN_OK);
    struct cn_command force = {.kind = CN_COMMAND_HOLD_FORCE,
        .hold_force = {.holder = {1, 2, 3}, .body = 3, .force = {6.0, 0.0, 0.0}}};
    assert_int_equal(cn_world_command_apply(world, &force, NULL), CN_OK);
    for (int t = 0; t < 6; t++) {
        cn_world_step(world, CN_WORK_UNLIMITED);
        const struct cn_event *events;
        int expired_count = 0;
        for (int i = cn_world_events(world, &events) - 1; i >= 0; i--) {
            expired_count += events[i].kind == CN_EVENT_EXPIRED;
        }
        assert_int_equal(expired_count, t == 3);
    }
    struct cn_body_view view;
    cn_world_body_view(world, 3, &view);
    assert_near(view.velocity.x, 6.0 / 1.0 * 3.0 / 60.0, 1e-12); /* F/m for three ticks */
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_refusals, setup, teardown),
        cmocka_unit_test_setup_teardown(test_both_names_at_once, setup, teardown),
        cmocka_unit_test_setup_teardown(test_held_table_is_bounded, setup, teardown),
        cmocka_unit_test(test_order_of_holders),
        cmocka_unit_test_setup_teardown(test_expiry, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
