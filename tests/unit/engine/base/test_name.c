/* test_name.c: how a refused name is quoted, and which name is offered instead. */
#include "engine/base/name.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
/* cmocka wants the first four. */
#include <cmocka.h>

static void
test_quote(void **state)
{
    (void)state;
    assert_string_equal(cn_quote("floor").text, "\"floor\"");
    assert_string_equal(cn_quote("").text, "\"\"");
    assert_string_equal(cn_quote("a\x1b[2Jb\n\x7f").text, "\"a?[2Jb??\"");
    assert_string_equal(cn_quote("123456789012345678901234567890123456789012345678").text,
        "\"123456789012345678901234567890123456789012345678\"");
    assert_string_equal(cn_quote("1234567890123456789012345678901234567890123456789").text,
        "\"123456789012345678901234567890123456789012345...\"");
    /* The cut would fall into the second byte of the last e acute that is shown. */
    assert_string_equal(
        cn_quote("12345678901234567890123456789012345678901234\xc3\xa9\xc3\xa9\xc3\xa9").text,
        "\"12345678901234567890123456789012345678901234...\"");
}

static const char *
nearest_of(const char *name)
{
    static const char *const known[] = {"mass", "inertia", "position", "tickRate", "STATIC", "box"};
    struct cn_nearest nearest;
    cn_nearest_init(&nearest, name);
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        cn_nearest_offer(&nearest, known[i]);
    }
    return nearest.best;
}

static void
test_nearest(void **state)
{
    (void)state;
    assert_string_equal(nearest_of("mas"), "mass");
    assert_string_equal(nearest_of("masss"), "mass");
    assert_string_equal(nearest_of("msas"), "mass"); /* neighbours swapped: one change */
    assert_string_equal(nearest_of("tick_rate"), "tickRate");
    assert_string_equal(nearest_of("Static"), "STATIC");
    assert_string_equal(nearest_of("postion"), "position");
    assert_null(nearest_of("velocity"));
    assert_null(nearest_of(""));
    assert_null(nearest_of("x"));
    char longest[200];
    memset(longest, 'a', sizeof(longest));
    longest[199] = '\0';
    assert_null(nearest_of(longest));
}

static void
test_hint(void **state)
{
    (void)state;
    struct cn_nearest nearest;
    cn_nearest_init(&nearest, "flor");
    assert_string_equal(cn_nearest_hint(&nearest).text, "");
    cn_nearest_offer(&nearest, "floor");
    cn_nearest_offer(&nearest, "flour");
    assert_string_equal(cn_nearest_hint(&nearest).text, "; did you mean \"floor\"?");
}

/* Two letters that changed places are one mistake: of two letters that is all that may be wrong. */
static void
test_changed_places(void **state)
{
    (void)state;
    struct cn_nearest nearest;
    cn_nearest_init(&nearest, "xb");
    cn_nearest_offer(&nearest, "bx");
    assert_non_null(nearest.best);
    assert_int_equal(nearest.distance, 1);
    cn_nearest_init(&nearest, "xb");
    cn_nearest_offer(&nearest, "zy");
    assert_null(nearest.best);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quote),
        cmocka_unit_test(test_nearest),
        cmocka_unit_test(test_hint),
        cmocka_unit_test(test_changed_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
