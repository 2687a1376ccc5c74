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

#include <stdio.h>
#include <string.h>

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

/* A listener on all addresses does not know its host names; the operator adds them. */
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

/*
 * A daemon on all addresses is also localhost.  A name without a port means the scheme's own port.
 */
static void
test_schemes(void **state)
{
    static const struct {
        const char *address;
        int port;
        bool is_tls;
        const char *host;
        bool is_good;
    } cases[] = {
        {"0.0.0.0", 7878, false, "localhost:7878", true},
        {"::", 7878, false, "localhost:7878", true},
        {"::", 7878, false, "[::1]:7878", true},
        {"10.0.0.1", 7878, false, "localhost:7878", false},
        {"127.0.0.1", 80, false, "127.0.0.1", true},
        {"127.0.0.1", 443, false, "127.0.0.1", false},
        {"127.0.0.1", 443, true, "127.0.0.1", true},
        {"127.0.0.1", 80, true, "127.0.0.1", false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct sv_hosts hosts;
        char origin[64];
        assert_true(sv_hosts_init(&hosts));
        hosts.is_tls = cases[i].is_tls;
        sv_hosts_add_listener(&hosts, cases[i].address, cases[i].port);
        assert_int_equal(sv_hosts_has_host(&hosts, cases[i].host), cases[i].is_good);
        snprintf(origin, sizeof(origin), "https://%s", cases[i].host);
        assert_int_equal(sv_hosts_has_origin(&hosts, origin), cases[i].is_good);
        snprintf(origin, sizeof(origin), "http://%s", cases[i].host);
        assert_int_equal(
            sv_hosts_has_origin(&hosts, origin), cases[i].is_good && !cases[i].is_tls);
        sv_hosts_finish(&hosts);
    }
}

/* The number and the length of names are limited. */
static void
test_room_for_names(void **state)
{
    (void)state;
    struct sv_hosts hosts;
    char name[SV_HOST_SIZE + 2], origin[SV_HOST_SIZE + 16];
    assert_true(sv_hosts_init(&hosts));
    memset(name, 'b', SV_HOST_SIZE);
    name[SV_HOST_SIZE] = '\0';
    sv_hosts_add_host(&hosts, name);
    name[SV_HOST_SIZE - 1] = '\0';
    assert_false(sv_hosts_has_host(&hosts, name)); /* long names are not cut */
    for (size_t length = SV_HOST_SIZE - 10; length <= SV_HOST_SIZE + 1; length++) {
        memset(name, 'a', length);
        name[length] = '\0';
        sv_hosts_add_host(&hosts, name);
        assert_int_equal(sv_hosts_has_host(&hosts, name), length < SV_HOST_SIZE);
        snprintf(origin, sizeof(origin), "https://%s", name);
        assert_int_equal(sv_hosts_has_origin(&hosts, origin), length + 8 < SV_HOST_SIZE);
    }
    for (int i = hosts.name_count; i < SV_HOSTS_MAX + 5; i++) {
        snprintf(name, sizeof(name), "host-%d", i);
        sv_hosts_add_host(&hosts, name);
        assert_int_equal(sv_hosts_has_host(&hosts, name), i < SV_HOSTS_MAX);
    }
    assert_int_equal(hosts.name_count, SV_HOSTS_MAX);
    assert_true(hosts.origin_count <= 2 * SV_HOSTS_MAX);
    for (int i = 0; i < 2 * SV_HOSTS_MAX + 5; i++) {
        snprintf(origin, sizeof(origin), "https://origin-%d", i);
        sv_hosts_add_origin(&hosts, origin);
    }
    assert_int_equal(hosts.origin_count, 2 * SV_HOSTS_MAX);
    sv_hosts_finish(&hosts);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loopback),
        cmocka_unit_test(test_origins),
        cmocka_unit_test(test_any_address),
        cmocka_unit_test(test_schemes),
        cmocka_unit_test(test_room_for_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
