/*
 * test_revoked.c: which tokens a daemon's policy refuses, and how much a quota's text allows.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "access/token.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char error[AC_REVOKED_ERROR_SIZE];

static struct ac_revoked *
read_list(const char *text)
{
    error[0] = '\0';
    return ac_revoked_read(text, strlen(text), error);
}

static void
test_entries(void **state)
{
    (void)state;
    struct ac_revoked *list = read_list(
        "# lost laptops\n\njti a-1\nsub Anna  B\xc3\xa9 until 5\njti b until 100\r\n"
        "jti b until 50\njti c until 7\njti c\nsub a-2");
    assert_non_null(list);
    assert_int_equal(ac_revoked_count(list), 5); /* b and c count once */
    static const struct {
        const char *id, *subject;
        int64_t at_s;
        bool is_revoked;
    } asked[] = {
        {"a-1", "x", 1, true},
        {"a-1", "x", INT64_C(253402300799), true},
        {"a", "x", 1, false},
        {"a-11", "x", 1, false},
        {"a-2", "x", 1, false}, /* a sub, no jti */
        {"x", "a-2", 1, true},
        {"x", "a-1", 1, false},
        {"x", "Anna  B\xc3\xa9 until 5", 9, true}, /* a sub is the rest of its line */
        {"x", "Anna  B\xc3\xa9", 1, false},
        {"b", "x", 99, true}, /* the later of two times holds */
        {"b", "x", 100, false},
        {"c", "x", 1000, true},
    };
    for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
        assert_int_equal(ac_revoked_has(list, asked[i].id, asked[i].subject, asked[i].at_s),
            asked[i].is_revoked);
    }
    assert_false(ac_revoked_has(NULL, "a-1", "x", 1));
    ac_revoked_destroy(list);
    list = read_list("");
    assert_int_equal(ac_revoked_count(list), 0);
    assert_false(ac_revoked_has(list, "", "", 1));
    ac_revoked_destroy(list);
}

/* A list with a bad line is refused as a whole, and the error names the line's number. */
static void
test_bad_lines(void **state)
{
    (void)state;
    static const char *const bad[] = {"jti", "jti ", "jti a b", "jti a until", "jti a until x",
        "jti a until -1", "jti a until 1 ", "jti a until 1234567890123", "jti  a", " jti a",
        "JTI a", "sub", "sub ", "sub a\tb", "id a", "jti a\x01", "jti \xc3\xa9",
        "sub 12345678901234567890123456789012345678901234567890123456789012345",
        "jti 12345678901234567890123456789012345678901234567890123456789012345"};
    char text[256];
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        snprintf(text, sizeof(text), "jti good\n# remark\n%s\njti more\n", bad[i]);
        assert_null(read_list(text));
        assert_string_equal(error,
            "line 3 is not \"jti ID\", \"jti ID until SECONDS\" or \"sub NAME\"");
    }
    assert_null(ac_revoked_read("jti a\0b\n", 8, error));
    char *many = malloc((size_t)(AC_REVOKED_MAX + 1) * 10 + 1), *at = many;
    for (int i = 0; i <= AC_REVOKED_MAX; i++) {
        at += sprintf(at, "jti %05d\n", i);
    }
    struct ac_revoked *list = ac_revoked_read(many, (size_t)(at - many) - 10, error);
    assert_int_equal(ac_revoked_count(list), AC_REVOKED_MAX);
    assert_true(ac_revoked_has(list, "00000", "", 1) && ac_revoked_has(list, "09999", "", 1));
    assert_false(ac_revoked_has(list, "10000", "", 1));
    ac_revoked_destroy(list);
    assert_null(ac_revoked_read(many, (size_t)(at - many), error));
    assert_string_equal(error,
        "line 10001 is one entry too many; accepted are 10000, and those that are over can go");
    free(many);
}

static void
test_policy(void **state)
{
    (void)state;
    struct ac_revoked *list = read_list("jti t9 until 100\n");
    struct ac_policy none = {0}, issuer = {.issuer = "https://id"}, both = {
        .issuer = "https://id", .audience = "lab", .revoked = list};
    struct ac_claims plain = {.id = "t1"}, named = {.id = "t1", .issuer = "https://id"};
    struct ac_claims made = {.id = "t9", .issuer = "https://id",
        .audience = {"elsewhere", "lab"}, .audience_count = 2};
    struct ac_claims other = {.id = "t1", .issuer = "https://id2"};
    assert_int_equal(ac_policy_check(&none, &plain, 1), AC_REASON_GOOD);
    assert_int_equal(ac_policy_check(&none, &named, 1), AC_REASON_ISSUER);
    assert_int_equal(ac_policy_check(&issuer, &plain, 1), AC_REASON_ISSUER);
    assert_int_equal(ac_policy_check(&issuer, &other, 1), AC_REASON_ISSUER);
    assert_int_equal(ac_policy_check(&issuer, &named, 1), AC_REASON_GOOD);
    assert_int_equal(ac_policy_check(&issuer, &made, 1), AC_REASON_AUDIENCE);
    assert_int_equal(ac_policy_check(&both, &named, 1), AC_REASON_AUDIENCE);
    assert_int_equal(ac_policy_check(&both, &made, 99), AC_REASON_REVOKED);
    assert_int_equal(ac_policy_check(&both, &made, 100), AC_REASON_GOOD);
    strcpy(made.audience[1], "lab2");
    assert_int_equal(ac_policy_check(&both, &made, 100), AC_REASON_AUDIENCE);
    ac_revoked_destroy(list);
}

static void
test_quota_text(void **state)
{
    (void)state;
    struct ac_quota quota = {0};
    char wrong[AC_QUOTA_ERROR_SIZE];
    uint32_t most;
    assert_false(ac_quota_has(&quota, AC_QUOTA_WORLDS, &most));
    assert_true(ac_quota_parse(&quota, "replays=0,requests=100000,sent=1024", wrong));
    assert_true(ac_quota_has(&quota, AC_QUOTA_REPLAYS, &most) && most == 0);
    assert_true(ac_quota_has(&quota, AC_QUOTA_REQUESTS, &most) && most == 100000);
    assert_true(ac_quota_has(&quota, AC_QUOTA_SENT, &most) && most == 1024);
    assert_false(ac_quota_has(&quota, AC_QUOTA_FORKS, &most));
    assert_true(ac_quota_parse(&quota, "replays=7", wrong)); /* the other quotas stay */
    assert_true(ac_quota_has(&quota, AC_QUOTA_REPLAYS, &most) && most == 7);
    assert_true(ac_quota_has(&quota, AC_QUOTA_SENT, &most) && most == 1024);
    static const char *const bad[] = {"", ",", "worlds", "worlds=", "worlds=-1", "worlds=1.5",
        "worlds=4097", "worlds=1,", "worlds=1,worlds=2", "world=1", "requests=0", "sent=1023",
        "sent=1000000001", "worlds=99999999999999999999", "worlds =1", "worlds=1;forks=1",
        "worlds=1,forks=1x"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        wrong[0] = '\0';
        assert_false(ac_quota_parse(&quota, bad[i], wrong));
        assert_non_null(strstr(wrong, "; accepted"));
    }
    assert_false(ac_quota_parse(&quota, "forks=5000", wrong));
    assert_string_equal(wrong, "has forks=5000; accepted is a number from 0 to 4096");
    assert_false(ac_quota_parse(&quota, "fork=5", wrong));
    assert_string_equal(wrong,
        "has \"fork=5\"; accepted are NAME=NUMBER with commas between, each name once: "
        "worlds, forks, replays, rooms, seats, checks, requests, sent, received");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_entries),
        cmocka_unit_test(test_bad_lines),
        cmocka_unit_test(test_policy),
        cmocka_unit_test(test_quota_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
