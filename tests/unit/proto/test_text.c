/*
 * test_text.c: texts whose message is known by hand, and refusals whose words are.
 */
#include "proto/limits.h"
#include "proto/text.h"
#include "proto/text/field.h"

#include "cairn/v1/scene.pb-c.h"
#include "tests/unit/proto/probe.pb-c.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka wants the first four. */
#include <cmocka.h>

static Probe__Probe *
read_probe(const char *text)
{
    struct wire_text_error error;
    ProtobufCMessage *message =
        wire_text_parse(&probe__probe__descriptor, text, strlen(text), &error);
    if (message == NULL) {
        print_error("%u:%u: %s: %s\n", error.line, error.column, error.defect.path,
            error.defect.text);
    }
    assert_non_null(message);
    return (Probe__Probe *)message;
}

static void
assert_refused(const char *text, unsigned line, unsigned column, enum cn_status status,
    const char *path, const char *words)
{
    struct wire_text_error error;
    ProtobufCMessage *message =
        wire_text_parse(&probe__probe__descriptor, text, strlen(text), &error);
    assert_null(message);
    assert_string_equal(error.defect.text, words);
    assert_string_equal(error.defect.path, path);
    assert_int_equal(error.line, line);
    assert_int_equal(error.column, column);
    assert_int_equal(error.defect.status, status);
}

static void
test_yaml_and_json_are_one(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "whole: -3\nreal: 2.5e-3\ncolor: DEEP_BLUE\ntext: plain words\ninner:\n  truth: true\n"
        "reals: [1, 2.5]\ntexts:\n  - a\n  - 'b'\n# the end\n",
        "{\"whole\":-3,\"real\":0.0025,\"color\":\"DEEP_BLUE\",\"text\":\"plain words\","
        "\"inner\":{\"truth\":true},\"reals\":[1,2.5],\"texts\":[\"a\",\"b\"]}",
        "{\n\t\"whole\": \"-3\",\n\t\"real\": \"25e-4\",\n\t\"color\": \"DEEP_BLUE\",\n\t\"text\""
        ": \"plain words\", \"inner\": {\"truth\": true}, \"reals\": [\"1\", 2.5],\n"
        "\t\"texts\": [\"a\", \"b\"], \"blob\": null\n}\n",
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        Probe__Probe *probe = read_probe(texts[i]);
        assert_int_equal(probe->whole, -3);
        assert_true(probe->real == 0.0025);
        assert_int_equal(probe->color, PROBE__PROBE__COLOR__DEEP_BLUE);
        assert_string_equal(probe->text, "plain words");
        assert_int_equal(probe->inner->truth, 1);
        assert_int_equal(probe->n_reals, 2);
        assert_true(probe->reals[0] == 1.0 && probe->reals[1] == 2.5);
        assert_int_equal(probe->n_texts, 2);
        assert_string_equal(probe->texts[1], "b");
        wire_text_free(&probe->base);
    }
}

static void
test_numbers(void **state)
{
    (void)state;
    Probe__Probe *probe = read_probe("{wholes: [1e3, 2.0, -0, +7, \"12\"], whole: -2147483648, "
                                     "longNatural: 18446744073709551615, longWhole: "
                                     "\"-9223372036854775808\", natural: 4294967295, "
                                     "reals: [.5, 5., -0.0, 1e-999], single: 0.1}");
    assert_int_equal(probe->wholes[0], 1000);
    assert_int_equal(probe->wholes[1], 2);
    assert_int_equal(probe->wholes[2], 0);
    assert_int_equal(probe->wholes[3], 7);
    assert_int_equal(probe->wholes[4], 12);
    assert_int_equal(probe->whole, INT32_MIN);
    assert_true(probe->long_natural == UINT64_MAX);
    assert_true(probe->long_whole == INT64_MIN);
    assert_true(probe->natural == UINT32_MAX);
    assert_true(probe->reals[0] == 0.5 && probe->reals[1] == 5.0 && probe->reals[3] == 0.0);
    assert_true(probe->single == 0.1f);
    wire_text_free(&probe->base);
}

static void
test_strings(void **state)
{
    (void)state;
    Probe__Probe *probe = read_probe("{\"texts\": [\"\\ud83d\\uDE00!\", \"\\u00e9\\/\\\"\", "
                                     "\"\\\\ud83d\\\\ude00\", \"\", yes, \"12\", '\\ud83d']}");
    static const char *const expected[] = {
        "\xf0\x9f\x98\x80!", "\xc3\xa9/\"", "\\ud83d\\ude00", "", "yes", "12", "\\ud83d"};
    assert_int_equal(probe->n_texts, 7);
    for (size_t i = 0; i < probe->n_texts; i++) {
        assert_string_equal(probe->texts[i], expected[i]);
    }
    wire_text_free(&probe->base);
}

static void
test_bytes(void **state)
{
    (void)state;
    Probe__Probe *probe = read_probe("blobs: [AQID, AQI=, AQI, '//8=', __8, '']");
    static const size_t sizes[] = {3, 2, 2, 2, 2, 0};
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(probe->blobs[i].len, sizes[i]);
    }
    assert_memory_equal(probe->blobs[0].data, "\1\2\3", 3);
    assert_memory_equal(probe->blobs[3].data, "\xff\xff", 2);
    assert_memory_equal(probe->blobs[4].data, "\xff\xff", 2);
    wire_text_free(&probe->base);
}

/* Null, an empty text and a text without a value all leave the fields unset. */
static void
test_absence(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "# only words\n", "null", "{}",
        "{whole: null, text: ~, reals: null, inner: null, chosenReal: null}", "real:\nblobs:\n"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        Probe__Probe *probe = read_probe(texts[i]);
        for (unsigned k = 0; k < probe__probe__descriptor.n_fields; k++) {
            assert_false(wire_field_is_set(&probe->base, &probe__probe__descriptor.fields[k]));
        }
        wire_text_free(&probe->base);
    }
    Probe__Probe *probe = read_probe("chosenText: null\nchosenReal: 0");
    assert_int_equal(probe->choice_case, PROBE__PROBE__CHOICE_CHOSEN_REAL);
    wire_text_free(&probe->base);
}

static void
test_refused_values(void **state)
{
    (void)state;
    assert_refused("text: 12", 1, 7, CN_SYNTAX, "text", "is a number; a text is expected: \"12\"");
    assert_refused("whole: 1.5", 1, 8, CN_RANGE, "whole",
        "is 1.5; a whole number from -2147483648 to 2147483647 is accepted");
    assert_refused("natural: -1", 1, 10, CN_RANGE, "natural",
        "is -1; a whole number from 0 to 4294967295 is accepted");
    assert_refused("longNatural: 18446744073709551616", 1, 14, CN_RANGE, "longNatural",
        "is 18446744073709551616; a whole number from 0 to 18446744073709551615 is accepted");
    assert_refused("inner:\n  real: NaN", 2, 9, CN_FINITE, "inner.real",
        "is \"NaN\"; only finite numbers are accepted");
    assert_refused("real: -.inf", 1, 7, CN_FINITE, "real",
        "is \"-.inf\"; only finite numbers are accepted");
    assert_refused("real: 1e999", 1, 7, CN_RANGE, "real",
        "is 1e999; a number is at most 1.79769313e+308");
    assert_refused("reals: [1, 012]", 1, 12, CN_SYNTAX, "reals[1]",
        "is \"012\"; a decimal number without leading zeros is expected");
    assert_refused("color: DEEP-BLUE", 1, 8, CN_UNKNOWN, "color",
        "is \"DEEP-BLUE\"; one of RED, GREEN, DEEP_BLUE is accepted; did you mean \"DEEP_BLUE\"?");
    assert_refused("truth: yes", 1, 8, CN_SYNTAX, "truth", "is \"yes\"; true or false is expected");
    assert_refused("wholes: 3", 1, 9, CN_SYNTAX, "wholes", "is 3; a list is expected");
    assert_refused("whole: [3]", 1, 8, CN_SYNTAX, "whole", "is a list; a whole number is expected");
    assert_refused("wholes: [1, null]", 1, 13, CN_SYNTAX, "wholes[1]",
        "is null; a list has no absent elements");
    assert_refused("blob: \"A\"", 1, 7, CN_SYNTAX, "blob",
        "is \"A\"; a text in base64 is expected");
    assert_refused("text: \"a\\0b\"", 1, 7, CN_SYNTAX, "text",
        "holds a NUL character; none are accepted");
    assert_refused("[1]", 1, 1, CN_SYNTAX, "", "is a list; a mapping is expected");
}

static void
test_refused_names(void **state)
{
    (void)state;
    assert_refused("inners:\n  - {}\n  - whol: 3\n", 3, 5, CN_UNKNOWN, "inners[1]",
        "\"whol\" is not a name of Leaf; did you mean \"whole\"?");
    assert_refused("long_whole: 3", 1, 1, CN_UNKNOWN, "",
        "\"long_whole\" is not a name of Probe; did you mean \"longWhole\"?");
    assert_refused("zebra: 3", 1, 1, CN_UNKNOWN, "", "\"zebra\" is not a name of Probe");
    assert_refused("\"\\e[2J\": 3", 1, 1, CN_UNKNOWN, "", "\"?[2J\" is not a name of Probe");
    assert_refused("whole: 1\nreal: 2\nwhole: 1", 3, 1, CN_DUPLICATE, "whole", "is given twice");
    assert_refused("chosenReal: 1\nchosenText: a", 2, 1, CN_SYNTAX, "chosenText",
        "is given besides chosenReal; only one of them is accepted");
}

static void
test_refused_yaml(void **state)
{
    (void)state;
    assert_refused("text: &a b", 1, 7, CN_SYNTAX, "", "has an anchor (&); none are accepted");
    assert_refused("text: *a", 1, 7, CN_SYNTAX, "", "is an alias (*); none are accepted");
    assert_refused("text: !!str b", 1, 7, CN_SYNTAX, "", "has a tag (!); none are accepted");
    assert_refused("<<: {whole: 1}", 1, 1, CN_UNKNOWN, "", "\"<<\" is not a name of Probe");
    assert_refused("whole: 1\n---\nwhole: 2\n", 2, 1, CN_SYNTAX, "",
        "begins a second document; a text is one message");
    assert_refused("? [whole]\n: 1", 1, 3, CN_SYNTAX, "",
        "a name is a text, not a list or a mapping");
    assert_refused("{text: a", 2, 1, CN_SYNTAX, "",
        "can not be read as YAML or JSON: did not find expected ',' or '}' while parsing a flow "
        "mapping");
    assert_refused("text: a\ntext\xff: 1", 2, 5, CN_SYNTAX, "",
        "can not be read as UTF-8 text: invalid leading UTF-8 octet");
}

/* A pair is one character; what stands behind it on the line keeps its column. */
static void
test_surrogates(void **state)
{
    (void)state;
    assert_refused("{\"text\": \"\\ud83d\"}", 1, 13, CN_SYNTAX, "",
        "can not be read as YAML or JSON: found invalid Unicode character escape code while "
        "parsing a quoted scalar");
    assert_refused("{\"text\": \"\\ude00\\ud83d\"}", 1, 13, CN_SYNTAX, "",
        "can not be read as YAML or JSON: found invalid Unicode character escape code while "
        "parsing a quoted scalar");
    assert_refused("{\"text\": \"\\ud83d\\ude00\\ud83d\\ude01\", \"txt\": 1}", 1, 38,
        CN_UNKNOWN, "",
        "\"txt\" is not a name of Probe; did you mean \"text\"?");
    assert_refused("{\"text\": \"\\ud83d\\ude00\",\n \"txt\": 1}", 2, 2, CN_UNKNOWN, "",
        "\"txt\" is not a name of Probe; did you mean \"text\"?");
    assert_refused("text: '\\ud83d\\ude00'", 1, 7, CN_SYNTAX, "",
        "holds a surrogate pair (\\uD83D\\uDE00); that is read between double quotes only");
}

/* A list of `count` ones, in a map with one name: count + 3 names and values. */
static void
write_list(char *text, int count)
{
    strcpy(text, "wholes: [");
    for (int i = 0; i < count; i++) {
        memcpy(text + 9 + 2 * i, "1,", 2);
    }
    strcpy(text + 9 + 2 * count, "]");
}

static void
test_limits(void **state)
{
    (void)state;
    size_t size = WIRE_TEXT_SIZE_MAX + 1;
    char *text = malloc(size + 1);
    assert_non_null(text);
    memset(text, ' ', size);
    text[size] = '\0';
    assert_refused(text, 0, 0, CN_LIMIT, "", "is 1048577 bytes; a text is at most 1048576");
    memset(text, '[', 40);
    text[40] = '\0';
    assert_refused(text, 1, 33, CN_LIMIT, "",
        "is nested deeper than 32 lists and mappings, which is the limit");
    int most = WIRE_TEXT_NODES_MAX - 3;
    write_list(text, most);
    Probe__Probe *probe = read_probe(text);
    assert_int_equal(probe->n_wholes, most);
    wire_text_free(&probe->base);
    write_list(text, most + 1);
    assert_refused(text, 1, 9 + 2 * (unsigned)most + 1, CN_LIMIT, "",
        "is one too many: a text has at most 262144 names and values");
    free(text);
}

static void
test_locate(void **state)
{
    (void)state;
    static const char text[] = "bodies:\n  - name: a\n  - mass: 3\n    shapes: [{circle: {}}]\n";
    static const struct {
        const char *path;
        bool exact;
        unsigned line, column;
    } rows[] = {{"bodies[1].mass", true, 3, 11}, {"bodies[1].shapes[0].circle", true, 4, 23},
        {"bodies[1].shapes[0].circle.radius", false, 4, 23}, {"bodies[0].mass", false, 2, 5},
        {"bodies[2].mass", false, 2, 3}, {"world.gravity.y", false, 1, 1}, {"", true, 1, 1}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        unsigned line, column;
        bool exact = wire_text_locate(text, strlen(text), rows[i].path, &line, &column);
        assert_int_equal(exact, rows[i].exact);
        assert_int_equal(line, rows[i].line);
        assert_int_equal(column, rows[i].column);
    }
}

static void
test_print(void **state)
{
    (void)state;
    Probe__Probe *probe = read_probe("{chosenReal: 0, reals: [0.1, 1e23, 100, -0.0], "
                                     "text: \"a\\n\", "
                                     "longWhole: 7, inner: {}, color: GREEN, blob: AQI}");
    char *line = wire_text_print(&probe->base, false, false);
    assert_string_equal(line, "{\"longWhole\": \"7\", \"color\": \"GREEN\", \"text\": \"a\\n\", "
                              "\"blob\": \"AQI=\", \"inner\": {}, "
                              "\"reals\": [0.1, 1e+23, 100, -0], \"chosenReal\": 0}");
    free(line);
    wire_text_free(&probe->base);
    Cairn__V1__Vec3 vector = CAIRN__V1__VEC3__INIT;
    vector.y = -9.81;
    line = wire_text_print(&vector.base, true, true);
    assert_string_equal(line, "{\n  \"x\": 0,\n  \"y\": -9.81,\n  \"z\": 0\n}");
    free(line);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_yaml_and_json_are_one),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_strings),
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_absence),
        cmocka_unit_test(test_refused_values),
        cmocka_unit_test(test_refused_names),
        cmocka_unit_test(test_refused_yaml),
        cmocka_unit_test(test_surrogates),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_locate),
        cmocka_unit_test(test_print),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
