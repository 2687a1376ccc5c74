/*
 * test_shown.c: files of shown views: accepted lines, refused lines with the reason, and when each
 * line is written.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "clients/base/shown.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A stub: the program's own function is in a file that needs all commands. */
void
cli_complain(const char *format, ...)
{
    (void)format;
}

static bool
parse(const char *text, struct cli_shown_line *line, char error[CLI_SHOWN_ERROR_SIZE])
{
    static char room[512];
    snprintf(room, sizeof(room), "%s", text);
    return cli_shown_parse(room, line, error);
}

static void
test_lines_that_are_good(void **state)
{
    (void)state;
    char error[CLI_SHOWN_ERROR_SIZE];
    struct cli_shown_line line;
    assert_true(parse("lab 1 372 0a1b2c3d", &line, error));
    assert_string_equal(line.world, "lab");
    assert_int_equal(line.generation, 1);
    assert_int_equal(line.tick, 372);
    assert_int_equal(line.view_hash, 0x0a1b2c3d);
    assert_null(line.turns);
    assert_int_equal(line.found, CLI_SHOWN_NOT_FOUND);

    assert_true(parse(
        "  my-World_2.b\t4294967295 9223372036854775807  FFFFFFFF w40x2w1 ", &line, error));
    assert_string_equal(line.world, "my-World_2.b");
    assert_true(line.generation == UINT32_MAX && line.tick == INT64_MAX);
    assert_true(line.view_hash == UINT32_MAX);
    assert_string_equal(line.turns, "w40x2w1");
}

/* Each error names the word, its value, and the accepted values. */
static void
test_lines_that_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *names, *accepts;
    } bad[] = {
        {"lab 1 372", "too few words", "WORLD GENERATION TICK VIEWHASH"},
        {"lab 1 372 0a1b2c3d w1 more", "too many words", "TURNS"},
        {".lab 1 372 0a1b2c3d", "world is \".lab\"", "1 to 63 letters"},
        {"l/b 1 372 0a1b2c3d", "world is \"l/b\"", "1 to 63 letters"},
        {"lab 0 372 0a1b2c3d", "generation is \"0\"", "from 1 to 4294967295"},
        {"lab 4294967296 372 0a1b2c3d", "generation is \"4294967296\"", "to 4294967295"},
        {"lab -1 372 0a1b2c3d", "generation is \"-1\"", "whole number"},
        {"lab 1 3.5 0a1b2c3d", "tick is \"3.5\"", "whole number"},
        {"lab 1 9223372036854775808 0a1b2c3d", "tick is \"9223372036854775808\"", "from 0"},
        {"lab 1 372 0a1b2c3", "hash is \"0a1b2c3\"", "8 hex digits"},
        {"lab 1 372 0a1b2c3d4", "hash is \"0a1b2c3d4\"", "8 hex digits"},
        {"lab 1 372 0x1b2c3d", "hash is \"0x1b2c3d\"", "8 hex digits"},
        {"lab 1 372 0a1b2c3d w", "turns are \"w\"", "runs such as w40x2"},
        {"lab 1 372 0a1b2c3d w0", "turns are \"w0\"", "from 1"},
        {"lab 1 372 0a1b2c3d a3", "turns are \"a3\"", "w, x, y and z"},
        {"lab 1 372 0a1b2c3d w3 ", NULL, NULL},
        {"lab 1 372 0a1b2c3d w4294967296", "turns are \"w4294967296\"", "runs"},
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        char error[CLI_SHOWN_ERROR_SIZE] = "";
        struct cli_shown_line line;
        assert_int_equal(parse(bad[i].text, &line, error), bad[i].names == NULL);
        assert_true(bad[i].names == NULL || strstr(error, bad[i].names) != NULL);
        assert_true(bad[i].names == NULL || strstr(error, bad[i].accepts) != NULL);
    }
}

static void
test_turns_are_of_as_many_bodies(void **state)
{
    (void)state;
    uint32_t largest[5] = {9, 9, 9, 9, 9};
    const uint32_t wanted[4] = {0, 0, 3, 1};
    assert_true(cli_shown_read_turns("w2z1x1", largest, 4));
    assert_memory_equal(largest, wanted, sizeof(wanted));
    assert_int_equal(largest[4], 9);
    assert_false(cli_shown_read_turns("w2z1x1", largest, 3));
    assert_false(cli_shown_read_turns("w2z1x1", largest, 5));
    assert_int_equal(largest[4], 9);
    assert_true(cli_shown_read_turns("", largest, 0));
}

static void
test_lines_as_they_are_written(void **state)
{
    (void)state;
    const uint32_t largest[6] = {0, 0, 2, 3, 3, 1};
    char *plane = cli_shown_print("lab", 1, 372, 0x0a1b2c3d, NULL, 6);
    char *space = cli_shown_print("tower", 20, 0, 0xffffffff, largest, 6);
    assert_string_equal(plane, "lab 1 372 0a1b2c3d\n");
    assert_string_equal(space, "tower 20 0 ffffffff w2y1z2x1\n");
    free(plane);
    free(space);
}

/* ---- when they are written ---- */

static void
name_file(char name[32])
{
    strcpy(name, "/tmp/shown-XXXXXX");
    int descriptor = mkstemp(name);
    assert_true(descriptor >= 0);
    close(descriptor);
}

/* Compares the present text of the file, which its writer still has open. */
static void
assert_file(const char *name, const char *wanted)
{
    char text[512];
    FILE *file = fopen(name, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(text, wanted);
}

static void
join(struct cli_shown_stay *stay, enum wire_durability durability)
{
    struct wire_heard_joined joined = {.world = "lab", .generation = 1};
    joined.status.durability = durability;
    cli_shown_join(stay, &joined);
}

static void
show(struct cli_shown_stay *stay, uint64_t tick, uint32_t view_hash)
{
    const struct wire_heard_snapshot snapshot = {.tick = tick, .generation = 1,
        .view_hash = view_hash, .count = 3, .is_whole = true};
    cli_shown_hear_snapshot(stay, &snapshot);
}

static void
hear_tick(struct cli_shown_stay *stay, uint64_t tick, uint64_t durable_tick)
{
    const struct wire_tick_header header = {.tick = tick, .durable_tick = durable_tick};
    cli_shown_hear_tick(stay, &header);
}

static void
test_with_tick_at_once(void **state)
{
    (void)state;
    char name[32];
    struct cli_shown_out out;
    struct cli_shown_stay stay = {.out = &out};
    name_file(name);
    assert_int_equal(cli_shown_create(&out, name), CLI_DONE);
    join(&stay, WIRE_DURABILITY_TICK);
    hear_tick(&stay, 5, 5);
    show(&stay, 5, 0xabc);
    assert_file(name, CLI_SHOWN_HEADER "\nlab 1 5 00000abc\n");

    const struct wire_heard_snapshot torn = {.tick = 6, .generation = 1, .count = 3};
    cli_shown_hear_snapshot(&stay, &torn);
    join(&stay, WIRE_DURABILITY_NONE);
    show(&stay, 7, 1);
    assert_file(name, CLI_SHOWN_HEADER "\nlab 1 5 00000abc\n");
    cli_shown_leave(&stay);
    assert_int_equal(cli_shown_close(&out), CLI_DONE);

    assert_int_equal(cli_shown_create(&out, name), CLI_DONE); /* appends to the file */
    join(&stay, WIRE_DURABILITY_TICK);
    show(&stay, 8, 2);
    assert_file(name, CLI_SHOWN_HEADER "\nlab 1 5 00000abc\nlab 1 8 00000002\n");
    cli_shown_leave(&stay);
    assert_int_equal(cli_shown_close(&out), CLI_DONE);
    unlink(name);
}

/* With SECOND a crash may undo ticks from the durable tick on. */
static void
test_with_second_when_it_is_durable(void **state)
{
    (void)state;
    char name[32];
    struct cli_shown_out out;
    struct cli_shown_stay stay = {.out = &out};
    name_file(name);
    assert_int_equal(cli_shown_create(&out, name), CLI_DONE);
    join(&stay, WIRE_DURABILITY_SECOND);
    for (uint64_t tick = 1; tick <= 3; tick++) {
        hear_tick(&stay, tick, 0);
        show(&stay, tick, (uint32_t)tick);
    }
    assert_file(name, CLI_SHOWN_HEADER "\n");
    hear_tick(&stay, 3, 3);
    assert_file(name, CLI_SHOWN_HEADER "\nlab 1 1 00000001\nlab 1 2 00000002\n");
    join(&stay, WIRE_DURABILITY_SECOND); /* after a reset 3 stays unconfirmed */
    hear_tick(&stay, 9, 9);
    assert_file(name, CLI_SHOWN_HEADER "\nlab 1 1 00000001\nlab 1 2 00000002\n");
    show(&stay, 9, 9);
    cli_shown_leave(&stay);
    assert_int_equal(cli_shown_close(&out), CLI_DONE);
    assert_file(name, CLI_SHOWN_HEADER "\nlab 1 1 00000001\nlab 1 2 00000002\n");
    unlink(name);
}

/* A file of another kind, or one that was cut off, is not written to. */
static void
test_other_files_are_left_alone(void **state)
{
    (void)state;
    static const char *const texts[] = {"name: pile\n", "# cairn", CLI_SHOWN_HEADER,
        CLI_SHOWN_HEADER "\nlab 1 5 00000"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        char name[32];
        struct cli_shown_out out;
        name_file(name);
        FILE *file = fopen(name, "w");
        assert_non_null(file);
        fputs(texts[i], file);
        fclose(file);
        assert_int_equal(cli_shown_create(&out, name), CLI_BAD);
        assert_int_equal(cli_shown_close(&out), CLI_DONE);
        assert_file(name, texts[i]);
        unlink(name);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines_that_are_good),
        cmocka_unit_test(test_lines_that_are_refused),
        cmocka_unit_test(test_turns_are_of_as_many_bodies),
        cmocka_unit_test(test_lines_as_they_are_written),
        cmocka_unit_test(test_with_tick_at_once),
        cmocka_unit_test(test_with_second_when_it_is_durable),
        cmocka_unit_test(test_other_files_are_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
