/*
 * test_rules.c: rules of a scene: when they act, what they do, their limits and refusals; and an
 * engine that continues from an image at any tick has the same bits.
 */
#include "deed/apply.h"
#include "deed/rules/follow.h"
#include "proto/limits.h"
#include "proto/scene_live.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka wants the first four. */
#include <cmocka.h>

#include "tests/support/near.h"

#define TEXT_SIZE 16384
#define SESSION 5

/* A ball at rest without gravity, a gate, and prefabs. */
static const char stage[] =
    "world: {gravity: {}, stepper: time, solver: impulse}\n"
    "bodies:\n"
    "  - {name: gate, type: STATIC, position: {x: 5}, shapes: [{box: {size: {x: 1, y: 4}},\n"
    "     sensor: true}]}\n"
    "  - {name: ball, mass: 2, shapes: [{circle: {radius: 0.25}}], tags: [thing]}\n"
    "prefabs:\n"
    "  - {name: dot, bodies: [{mass: 1, tags: [thing], shapes: [{circle: {radius: 0.1}}],\n"
    "     attributes: [{name: size, integer: 3}]}]}\n"
    "  - {name: pair, bodies: [{name: a, mass: 1, shapes: [{circle: {radius: 0.1}}]},\n"
    "     {name: b, mass: 1, position: {x: 1}, shapes: [{circle: {radius: 0.1}}]}]}\n";

static struct dd_follower world;
static struct dd_rules rules;

static struct wire_scene *
parse(const char *text)
{
    struct wire_text_error error;
    struct wire_scene *scene = wire_scene_parse(text, strlen(text), &error);
    if (scene == NULL) {
        char shown[WIRE_TEXT_ERROR_SIZE];
        fail_msg("%s", wire_text_error_print(&error, "scene", shown, sizeof(shown)));
    }
    return scene;
}

static void
begin_scene(const char *text)
{
    struct cn_defect defect;
    struct wire_scene *scene = parse(text);
    world = (struct dd_follower){.scene = scene, .shown = scene};
    assert_int_equal(
        cn_world_create(wire_scene_world_def(scene), &defect, &world.engine), CN_OK);
}

/* The stage with this after it. */
static void
begin(const char *more)
{
    static char text[TEXT_SIZE];
    snprintf(text, sizeof(text), "%s%s", stage, more);
    begin_scene(text);
}

static void
finish(void)
{
    dd_rules_finish(&rules);
    dd_follower_finish(&world);
}

static void
step(int ticks)
{
    for (int i = 0; i < ticks; i++) {
        assert_int_equal(
            dd_follower_step(&world, &rules, CN_WORK_UNLIMITED), CN_STEP_DONE);
    }
}

#define WORLD ((struct cn_owner){CN_OWNER_WORLD, 0})
#define BODY(slot) ((struct cn_owner){CN_OWNER_BODY, (uint64_t)(slot)})

static const struct cn_value *
value_of(struct cn_owner owner, const char *name)
{
    const struct cn_attribute *attribute = cn_world_attribute(world.engine, owner, name);
    return attribute != NULL ? &attribute->value : NULL;
}

/* INT64_MIN: there is no integer of that name. */
static int64_t
integer_of(struct cn_owner owner, const char *name)
{
    const struct cn_value *value = value_of(owner, name);
    return value != NULL && value->kind == CN_VALUE_INTEGER ? value->integer : INT64_MIN;
}

static struct cn_body_view
view_of(int body)
{
    struct cn_body_view view;
    cn_world_body_state(world.engine, body, &view);
    return view;
}

/* The number of events of the last tick of this kind, and the value of the last of them. */
static int
events_of(enum cn_event_kind kind, double *value)
{
    const struct cn_event *events;
    int count = cn_world_events(world.engine, &events), found = 0;
    for (int i = 0; i < count; i++) {
        found += events[i].kind == kind ? 1 : 0;
        *value = events[i].kind == kind ? events[i].value : *value;
    }
    return found;
}

static void
place(int body, cn_vec3 position, cn_vec3 velocity)
{
    const struct cn_command command = {.kind = CN_COMMAND_PLACE_BODY,
        .place_body = {.body = body, .position = position, .velocity = velocity}};
    struct cn_defect defect;
    assert_int_equal(cn_world_command_apply(world.engine, &command, &defect), CN_OK);
}

/* ---- when rules act ---- */

static void
test_timer(void **state)
{
    (void)state;
    begin("rules:\n"
          "  - {name: tick, timer: {after: 0.5, every: 0.25}, do: [{count: {attribute: n}}]}\n"
          "  - {name: once, timer: {after: 0.6}, do: [{count: {attribute: m, by: -7}}]}\n"
          "  - {name: first, timer: {}, do: [{set: {attribute: f, flag: true}}]}\n");
    step(1);
    assert_true(value_of(WORLD, "f")->flag);
    for (int tick = 2; tick <= 100; tick++) {
        step(1);
        int64_t expected = tick < 30 ? INT64_MIN : 1 + (tick - 30) / 15;
        assert_int_equal(integer_of(WORLD, "n"), expected);
        assert_int_equal(integer_of(WORLD, "m"), tick < 36 ? INT64_MIN : -7);
    }
    finish();
}

static void
test_sensor(void **state)
{
    (void)state;
    begin("rules:\n"
          "  - {name: in, sensor: {sensor: gate, visitor: '#thing'}, do: [\n"
          "     {count: {attribute: in}}, {count: {of: $it, attribute: visits}},\n"
          "     {count: {of: $other, attribute: opened}}]}\n"
          "  - {name: out, sensor: {sensor: gate, leave: true},\n"
          "     do: [{count: {attribute: out}}]}\n");
    place(1, cn_vec3_make(4.0, 0.0, 0.0), cn_vec3_make(6.0, 0.0, 0.0)); /* 0.1 m a tick */
    step(1);
    assert_int_equal(integer_of(WORLD, "in"), INT64_MIN);
    step(9); /* at x = 5 */
    assert_int_equal(integer_of(WORLD, "in"), 1);
    assert_int_equal(integer_of(BODY(1), "visits"), 1);
    assert_int_equal(integer_of(BODY(0), "opened"), 1);
    assert_int_equal(integer_of(WORLD, "out"), INT64_MIN);
    step(20);
    assert_int_equal(integer_of(WORLD, "in"), 1);
    assert_int_equal(integer_of(WORLD, "out"), 1);
    finish();
}

/* Contacts: of named bodies in either order, and only from a speed on. */
static void
test_contact(void **state)
{
    (void)state;
    begin_scene("world: {gravity: {}, stepper: time, solver: impulse}\n"
                "bodies:\n"
                "  - {name: wall, type: STATIC, position: {x: 5},\n"
                "     shapes: [{box: {size: {x: 1, y: 4}}, contactEvents: true,\n"
                "     hitEvents: true}]}\n"
                "  - {name: ball, mass: 2, velocity: {x: 6}, shapes: [{circle: {radius: 0.25}}]}\n"
                "rules:\n"
                "  - {name: touch, contact: {a: ball, b: wall}, do: [{count: {of: $it,\n"
                "     attribute: touches}}]}\n"
                "  - {name: turned, contact: {a: wall, b: ball}, do: [{count: {of: $it,\n"
                "     attribute: touches}}]}\n"
                "  - {name: hard, contact: {a: ball, speedMin: 5},\n"
                "     do: [{count: {attribute: hard}}]}\n"
                "  - {name: harder, contact: {speedMin: 7}, do: [{count: {attribute: harder}}]}\n");
    step(60);
    assert_int_equal(integer_of(BODY(1), "touches"), 1);
    assert_int_equal(integer_of(BODY(0), "touches"), 1);
    assert_int_equal(integer_of(WORLD, "hard"), 1);
    assert_int_equal(integer_of(WORLD, "harder"), INT64_MIN);
    finish();
}

/* A weight presses with m g in each tick; a rule with a higher threshold never acts. */
static void
test_contact_force(void **state)
{
    (void)state;
    begin_scene("world: {gravity: {y: -10}, stepper: time, solver: impulse}\n"
                "bodies: [{name: floor, type: STATIC, shapes: [{plane: {normal: {y: 1}}}]},\n"
                "  {name: weight, mass: 2, sleepless: true, position: {y: 0.5},\n"
                "   shapes: [{box: {size: {x: 1, y: 1}}, forceMin: 1}]}]\n"
                "rules: [{name: light, contact: {a: weight, forceMin: 15},\n"
                "  do: [{count: {of: $it, attribute: light}}]},\n"
                "  {name: heavy, contact: {forceMin: 30}, do: [{count: {attribute: heavy}}]}]\n");
    step(60);
    int64_t before = integer_of(BODY(1), "light");
    step(30);
    assert_int_equal(integer_of(BODY(1), "light") - before, 30);
    assert_int_equal(integer_of(WORLD, "heavy"), INT64_MIN);
    finish();
}

/* A counter acts when its condition becomes true, and again only after it was false. */
static void
test_counter(void **state)
{
    (void)state;
    begin("attributes: [{name: goal, integer: 4}]\n"
          "rules:\n"
          "  - {name: up, timer: {after: 0.1, every: 0.1}, do: [{count: {attribute: n}}]}\n"
          "  - {name: full, counter: {attribute: n, above: 2}, do: [{count: {attribute: full}}]}\n"
          "  - {name: more, counter: {attribute: n, moreThan: goal}, do: [\n"
          "     {set: {attribute: n, integer: 0}}]}\n"
          "  - {name: less, counter: {attribute: n, below: 1}, if: [{attribute: full, above: 0}],\n"
          "     do: [{set: {attribute: x, add: 0.5}}]}\n"
          "  - {name: same, counter: {attribute: n, equal: 2}, do: [{count: {attribute: two}}]}\n");
    step(6 * 4);
    assert_int_equal(integer_of(WORLD, "full"), 1);
    assert_int_equal(integer_of(WORLD, "two"), 1);
    assert_null(value_of(WORLD, "x"));
    step(6); /* n becomes 5, which is above the goal, and 0 */
    assert_int_equal(integer_of(WORLD, "n"), 0);
    assert_true(value_of(WORLD, "x")->number == 0.5);
    step(6 * 4);
    assert_int_equal(integer_of(WORLD, "full"), 2);
    step(6);
    assert_true(value_of(WORLD, "x")->number == 1.0);
    finish();
}

/* Log entries tell rules of sessions. */
static void
test_sessions(void **state)
{
    (void)state;
    struct dd_entry note;
    struct wire_error error;
    const struct cn_owner session = {CN_OWNER_SESSION, SESSION};
    const struct dd_entry left = {.kind = DD_ENTRY_LEFT, .settled = {.session = SESSION}};
    begin("rules:\n"
          "  - {name: come, join: {}, do: [{spawn: {prefab: dot}},\n"
          "     {set: {of: $session, attribute: team, text: red}}]}\n"
          "  - {name: go, leave: {}, do: [{count: {attribute: gone}}]}\n");
    assert_true(dd_rules_note(world.scene, DD_ENTRY_JOINED, SESSION, &note));
    assert_true(dd_apply(&note, world.engine, &error));
    step(3); /* it comes once */
    assert_int_equal(cn_world_present_count(world.engine), 3);
    assert_memory_equal(value_of(session, "team")->bytes, "red", 3);
    assert_true(dd_apply(&left, world.engine, &error));
    assert_null(value_of(session, "team"));
    assert_true(dd_rules_note(world.scene, DD_ENTRY_LEFT, SESSION, &note));
    assert_true(dd_apply(&note, world.engine, &error));
    step(3);
    assert_int_equal(integer_of(WORLD, "gone"), 1);
    assert_null(value_of(session, ".left"));
    finish();
    begin("rules: [{name: none, timer: {}, do: [{count: {attribute: n}}]}]\n");
    assert_false(dd_rules_note(world.scene, DD_ENTRY_JOINED, SESSION, &note));
    assert_false(dd_rules_note(world.scene, DD_ENTRY_LEFT, SESSION, &note));
    finish();
}

/* ---- what rules do ---- */

static void
test_place_and_push(void **state)
{
    (void)state;
    begin("rules:\n"
          "  - {name: there, timer: {after: 0.1}, do: [\n"
          "     {place: {body: ball, at: {x: -1, y: 2}, from: gate, angle: 0.5,\n"
          "      velocity: {y: 1}}},\n"
          "     {push: {body: ball, impulse: {x: 3}}}, {push: {body: ball, speed: {y: -4}}}]}\n");
    step(6);
    struct cn_body_view ball = view_of(1);
    assert_true(ball.position.x == 4.0 && ball.position.y == 2.0 && ball.angle == 0.5);
    assert_true(ball.velocity.x == 1.5 && ball.velocity.y == -3.0); /* 3 N s on 2 kg */
    finish();
}

static void
test_spawn_and_remove(void **state)
{
    (void)state;
    double value = -1.0;
    begin("rules:\n"
          "  - {name: make, timer: {after: 0.1}, do: [\n"
          "     {spawn: {prefab: pair, name: left, at: {x: -2}, from: ball, velocity: {y: 3}}},\n"
          "     {spawn: {prefab: pair, name: left}}, {spawn: {prefab: dot}}]}\n"
          "  - {name: take, timer: {after: 0.2}, do: [{remove: {body: left.a}},\n"
          "     {remove: {body: '#thing'}}]}\n"
          "  - {name: late, timer: {after: 0.3}, do: [{remove: {body: left.a}}]}\n");
    step(6);
    assert_int_equal(cn_world_present_count(world.engine), 5);
    assert_string_equal(wire_scene_body_name(world.shown, 2), "left.a");
    assert_string_equal(wire_scene_body_name(world.shown, 4), "dot1");
    assert_int_equal(integer_of(BODY(4), "size"), 3);
    assert_true(view_of(2).position.x == -2.0 && view_of(2).velocity.y == 3.0);
    assert_true(view_of(3).position.x == -1.0);
    assert_int_equal(events_of(CN_EVENT_RULE_REFUSED, &value), 1); /* the name is taken */
    assert_true(value == 0.0);
    assert_int_equal(events_of(CN_EVENT_BODY_MADE, &value), 3);
    step(6);
    assert_int_equal(cn_world_present_count(world.engine), 2); /* the gate and left.b */
    assert_true(view_of(1).absent && view_of(2).absent && view_of(4).absent);
    step(6);
    assert_int_equal(events_of(CN_EVENT_RULE_REFUSED, &value), 1); /* it is not there */
    assert_true(value == 2.0);
    finish();
}

/* At most two are there at a time; a third comes when one has gone. */
static void
test_spawner(void **state)
{
    (void)state;
    begin("spawns: [{prefab: dot, at: {x: -3}, velocity: {x: 1}, every: 0.5, max: 2}]\n"
          "rules: [{name: eat, sensor: {sensor: gate, visitor: '#thing'},\n"
          "  do: [{remove: {body: $it}}]}]\n");
    step(1);
    assert_int_equal(cn_world_present_count(world.engine), 3);
    assert_int_equal(integer_of(BODY(2), ".by"), 0);
    step(29);
    assert_int_equal(cn_world_present_count(world.engine), 3);
    step(1);
    assert_int_equal(cn_world_present_count(world.engine), 4);
    step(60);
    assert_int_equal(cn_world_present_count(world.engine), 4);
    place(2, cn_vec3_make(5.0, 0.0, 0.0), cn_vec3_make(0.0, 0.0, 0.0));
    step(1);
    assert_int_equal(cn_world_present_count(world.engine), 3);
    step(29);
    assert_int_equal(cn_world_present_count(world.engine), 4);
    finish();
}

/* Nothing acts after the end of a round; a reset is wanted at its tick. */
static void
test_end(void **state)
{
    (void)state;
    double value = -1.0;
    begin("rules:\n"
          "  - {name: up, timer: {after: 0.1, every: 0.1}, do: [{count: {attribute: n}}]}\n"
          "  - {name: end, counter: {attribute: n, above: 1}, do: [{say: {text: over}},\n"
          "     {endRound: {result: won, resetAfter: 0.5}}, {count: {attribute: n}}]}\n");
    step(12);
    assert_int_equal(events_of(CN_EVENT_RULE_MESSAGE, &value), 1);
    assert_true(value == 16.0);
    assert_memory_equal(value_of(WORLD, "result")->bytes, "won", 3);
    step(29);
    assert_int_equal(integer_of(WORLD, "n"), 2);
    assert_false(dd_rules_want_reset(world.scene, world.engine));
    step(1);
    assert_true(dd_rules_want_reset(world.scene, world.engine));
    finish();
}

/* ---- limits ---- */

static void
test_budget(void **state)
{
    (void)state;
    static char text[TEXT_SIZE];
    double value = 0.0;
    int size = snprintf(text, sizeof(text),
        "world: {gravity: {}, stepper: time, solver: impulse}\n"
        "prefabs: [{name: dot, bodies: [{mass: 1, shapes: [{circle: {radius: 0.1}}]}]}]\n"
        "rules:\n"
        "  - {name: mark, timer: {}, do: [{set: {of: '#all', attribute: k, integer: 1}}]}\n"
        "  - {name: make, timer: {after: 0.1}, do: [");
    for (int i = 0; i < WIRE_RULE_EFFECTS_MAX; i++) {
        size += snprintf(text + size, sizeof(text) - (size_t)size, "{spawn: {prefab: dot}},");
    }
    size += snprintf(text + size, sizeof(text) - (size_t)size,
        "]}\n  - {name: again, timer: {after: 0.1}, do: [{spawn: {prefab: dot}}]}\nbodies:\n");
    for (int i = 0; i < 100; i++) {
        size += snprintf(text + size, sizeof(text) - (size_t)size,
            "  - {mass: 1, position: {x: %d}, tags: [all], shapes: [{circle: {radius: 0.1}}]}\n",
            i);
    }
    assert_true((size_t)size < sizeof(text));
    begin_scene(text);
    step(1);
    assert_int_equal(integer_of(BODY(63), "k"), 1);
    assert_null(value_of(BODY(64), "k"));
    assert_int_equal(events_of(CN_EVENT_RULE_LIMIT, &value), 1);
    assert_true(value == 36.0);
    step(1);
    assert_int_equal(events_of(CN_EVENT_RULE_LIMIT, &value), 0);
    step(4);
    assert_int_equal(cn_world_present_count(world.engine), 116);
    assert_int_equal(events_of(CN_EVENT_RULE_LIMIT, &value), 1);
    assert_true(value == 1.0);
    finish();
}

/* A scene without rules has no attribute and no room for events because of them. */
static void
test_no_rules(void **state)
{
    (void)state;
    begin("");
    assert_null(wire_scene_rules(world.scene));
    assert_int_equal(wire_scene_world_def(world.scene)->attribute_count, 0);
    assert_int_equal(wire_scene_world_def(world.scene)->event_max, 0);
    step(3);
    assert_null(rules.matches);
    finish();
}

/* ---- determinism ---- */

static const char lively[] =
    "spawns: [{prefab: dot, at: {x: -3}, velocity: {x: 5}, every: 0.2, max: 9}]\n"
    "rules:\n"
    "  - {name: eat, sensor: {sensor: gate, visitor: '#thing'}, do: [\n"
    "     {spawn: {prefab: pair, name: two, at: {y: 1}, from: $it}},\n"
    "     {remove: {body: $it}}, {count: {attribute: eaten}}]}\n"
    "  - {name: more, counter: {attribute: eaten, above: 3}, do: [{remove: {body: two.b}},\n"
    "     {set: {attribute: eaten, integer: 0}}]}\n"
    "  - {name: kick, timer: {after: 0.3, every: 0.7}, do: [\n"
    "     {push: {body: '#thing', speed: {x: 1}}}]}\n";

/* A second engine, made from an image and the shown scene before each tick, has the same bits. */
static void
test_images(void **state)
{
    (void)state;
    begin(lively);
    for (int tick = 0; tick < 150; tick++) {
        struct dd_follower other = {0};
        struct dd_rules other_rules = {0};
        struct wire_error error;
        size_t scene_size, shown_size, size = cn_world_image_size(world.engine);
        uint8_t *bytes = malloc(size), *scene = wire_scene_pack(world.scene, &scene_size),
                *shown = wire_scene_pack(world.shown, &shown_size);
        size = cn_world_image_write(world.engine, bytes, size);
        const struct dd_image image = {.scene = scene, .scene_size = scene_size, .shown = shown,
            .shown_size = shown_size, .image = bytes, .image_size = size,
            .tick = cn_world_tick(world.engine), .hash = cn_world_hash(world.engine)};
        assert_true(dd_follower_begin(&other, &image, &error));
        step(1);
        assert_int_equal(
            dd_follower_step(&other, &other_rules, CN_WORK_UNLIMITED), CN_STEP_DONE);
        assert_true(cn_world_hash(other.engine) == cn_world_hash(world.engine));
        dd_rules_finish(&other_rules);
        dd_follower_finish(&other);
        free(bytes);
        free(scene);
        free(shown);
    }
    assert_true(cn_world_present_count(world.engine) > 8);
    finish();
}

/* Rules ignore events of commands before the tick, which a restored engine lacks. */
static void
test_own_events(void **state)
{
    (void)state;
    begin("rules: [{name: out, sensor: {sensor: gate, leave: true},\n"
          "  do: [{count: {attribute: out}}]}]\n");
    place(1, cn_vec3_make(5.0, 0.0, 0.0), cn_vec3_make(0.0, 0.0, 0.0));
    step(2);
    assert_int_equal(cn_world_remove_body(world.engine, 1, NULL), CN_OK);
    step(1);
    const struct cn_event *events;
    assert_int_equal(cn_world_events(world.engine, &events), 2); /* sensorEnd, bodyRemoved */
    assert_int_equal(cn_world_events_own(world.engine, &events), 0);
    step(1);
    assert_null(value_of(WORLD, "out"));
    finish();
}

/* ---- bad rules ---- */

struct bad {
    const char *rules, *path, *code;
};

static const struct bad bad_rules[] = {
    {"rules: [{timer: {}, do: [{count: {attribute: n}}]}]", "rules[0].name", "UNKNOWN"},
    {"rules: [{name: a, do: [{count: {attribute: n}}]}]", "rules[0]", "SYNTAX"},
    {"rules: [{name: a, timer: {}}]", "rules[0].do", "SYNTAX"},
    {"rules: [{name: a, timer: {}, do: [{}]}]", "rules[0].do[0]", "SYNTAX"},
    {"rules: [{name: a, timer: {after: -1}, do: [{count: {attribute: n}}]}]",
        "rules[0].timer.after", "RANGE"},
    {"rules: [{name: a, timer: {every: 1e7}, do: [{count: {attribute: n}}]}]",
        "rules[0].timer.every", "RANGE"},
    {"rules: [{name: a, timer: {}, do: [{remove: {body: bal}}]}]", "rules[0].do[0].remove.body",
        "REFERENCE"},
    {"rules: [{name: a, timer: {}, do: [{remove: {body: $it}}]}]", "rules[0].do[0].remove.body",
        "REFERENCE"},
    {"rules: [{name: a, timer: {}, do: [{remove: {}}]}]", "rules[0].do[0].remove.body",
        "REFERENCE"},
    {"rules: [{name: a, timer: {}, do: [{remove: {body: '#none'}}]}]",
        "rules[0].do[0].remove.body", "REFERENCE"},
    {"rules: [{name: a, timer: {}, do: [{set: {of: $session, attribute: x, flag: true}}]}]",
        "rules[0].do[0].set.of", "REFERENCE"},
    {"rules: [{name: a, timer: {}, do: [{set: {attribute: .x, flag: true}}]}]",
        "rules[0].do[0].set.attribute", "UNKNOWN"},
    {"rules: [{name: a, timer: {}, do: [{set: {attribute: x}}]}]", "rules[0].do[0].set",
        "SYNTAX"},
    {"rules: [{name: a, timer: {}, do: [{spawn: {prefab: do}}]}]", "rules[0].do[0].spawn.prefab",
        "REFERENCE"},
    {"rules: [{name: a, timer: {}, do: [{spawn: {prefab: dot, at: {x: 9000}}}]}]",
        "rules[0].do[0].spawn.at", "RANGE"},
    {"rules: [{name: a, timer: {}, do: [{spawn: {prefab: dot, at: {z: 1}}}]}]",
        "rules[0].do[0].spawn.at", "DIMENSION"},
    {"rules: [{name: a, timer: {}, do: [{place: {body: ball, orientation: {w: 1}}}]}]",
        "rules[0].do[0].place.orientation", "DIMENSION"},
    {"rules: [{name: a, timer: {}, do: [{push: {body: ball}}]}]", "rules[0].do[0].push",
        "SYNTAX"},
    {"rules: [{name: a, timer: {}, do: [{push: {body: ball, speed: {x: 501}}}]}]",
        "rules[0].do[0].push.speed", "RANGE"},
    {"rules: [{name: a, timer: {}, do: [{say: {}}]}]", "rules[0].do[0].say.text", "LIMIT"},
    {"rules: [{name: a, sensor: {sensor: ball}, do: [{count: {attribute: n}}]}]",
        "rules[0].sensor.sensor", "REFERENCE"},
    {"rules: [{name: a, contact: {speedMin: -1}, do: [{count: {attribute: n}}]}]",
        "rules[0].contact.speedMin", "RANGE"},
    {"rules: [{name: a, contact: {forceMin: 2e6}, do: [{count: {attribute: n}}]}]",
        "rules[0].contact.forceMin", "RANGE"},
    {"rules: [{name: a, counter: {attribute: n}, do: [{count: {attribute: n}}]}]",
        "rules[0].counter", "SYNTAX"},
    {"rules: [{name: a, timer: {}, if: [{of: '#thing', attribute: n, above: 1}],\n"
     "  do: [{count: {attribute: n}}]}]", "rules[0].if[0].of", "REFERENCE"},
    {"rules: [{name: a, timer: {}, do: [{count: {attribute: n}}]},\n"
     "  {name: a, timer: {}, do: [{count: {attribute: n}}]}]", "rules[1].name", "DUPLICATE"},
    {"spawns: [{prefab: dot}]", "spawns[0].every", "RANGE"},
    {"spawns: [{prefab: dot, every: 1, max: 1001}]", "spawns[0].max", "LIMIT"},
    {"spawns: [{prefab: dit, every: 1}]", "spawns[0].prefab", "REFERENCE"},
};

static void
test_bad_rules(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(bad_rules) / sizeof(bad_rules[0]); i++) {
        const struct bad *bad = &bad_rules[i];
        char text[TEXT_SIZE];
        struct wire_text_error error;
        snprintf(text, sizeof(text), "%s%s\n", stage, bad->rules);
        struct wire_scene *scene = wire_scene_parse(text, strlen(text), &error);
        if (scene != NULL) {
            fail_msg("accepted: %s", bad->rules);
        }
        assert_string_equal(error.defect.path, bad->path);
        assert_string_equal(cn_status_name(error.defect.status), bad->code);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_timer),
        cmocka_unit_test(test_sensor),
        cmocka_unit_test(test_contact),
        cmocka_unit_test(test_contact_force),
        cmocka_unit_test(test_counter),
        cmocka_unit_test(test_sessions),
        cmocka_unit_test(test_place_and_push),
        cmocka_unit_test(test_spawn_and_remove),
        cmocka_unit_test(test_spawner),
        cmocka_unit_test(test_end),
        cmocka_unit_test(test_budget),
        cmocka_unit_test(test_no_rules),
        cmocka_unit_test(test_images),
        cmocka_unit_test(test_own_events),
        cmocka_unit_test(test_bad_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
