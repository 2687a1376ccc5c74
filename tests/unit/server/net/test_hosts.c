/*
 * test_hosts.c: whom the daemon answers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "server/net/hosts.h"

static void
test_loopback(void **state)
{
    (void)state;
    struct sv_hosts hosts;
    assert_true(sv_hosts_init(&hosts));
    sv_hosts_add_listener(&hosts, "127.0.0.1", 7878);
    sv_hosts_add_listener(&hosts, "::1", 7878);
    static const char *const good[] = {
        "127.0.0.1:7878", "localhost:7878", "LOCALHOST:7878", "[::1]:7878"};
    static const char *const bad[] = {"", "127.0.0.1", "127.0.0.1:78780", "127.0.0.1:787",
        "localhost", "evil.example:7878", "localhost:7878.evil.example", "::1:7878"};
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        assert_true(sv_hosts_has_host(&hosts, good[i]));
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_false(sv_hosts_has_host(&hosts, bad[i]));
    }
    assert_false(sv_hosts_has_host(&hosts, NULL));
    sv_hosts_finish(&hosts);
}

static void
test_origins(void **state)
{
    (void)state;
    struct sv_hosts hosts;
    assert_true(sv_hosts_init(&hosts));
    sv_hosts_add_listener(&hosts, "127.0.0.1", 80);
    sv_hosts_add_origin(&hosts, "https://lab.example");
    assert_true(sv_hosts_has_origin(&hosts, NULL)); /* not a page */
    assert_true(sv_hosts_has_origin(&hosts, "http://127.0.0.1"));
    assert_true(sv_hosts_has_origin(&hosts, "http://localhost:80"));
    assert_true(sv_hosts_has_origin(&hosts, "https://lab.example"));
    assert_false(sv_hosts_has_origin(&hosts, "null"));
    assert_false(sv_hosts_has_origin(&hosts, "http://lab.example"));
    assert_false(sv_hosts_has_origin(&hosts, "https://lab.example.evil.example"));
    assert_false(sv_hosts_has_origin(&hosts, "http://127.0.0.1:8080"));
    sv_hosts_finish(&hosts);
}

/* What listens everywhere can not know its names; the operator adds them. */
static void
test_any_address(void **state)
{
    (void)state;
    struct sv_hosts hosts;
    assert_true(sv_hosts_init(&hosts));
    sv_hosts_add_listener(&hosts, "0.0.0.0", 7878);
    assert_true(sv_hosts_has_host(&hosts, "127.0.0.1:7878"));
    assert_false(sv_hosts_has_host(&hosts, "lab.example"));
    sv_hosts_add_host(&hosts, "lab.example");
    assert_true(sv_hosts_has_host(&hosts, "lab.example"));
    assert_true(sv_hosts_has_origin(&hosts, "https://lab.example"));
    sv_hosts_finish(&hosts);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loopback),
        cmocka_unit_test(test_origins),
        cmocka_unit_test(test_any_address),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
