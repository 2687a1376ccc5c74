/*
 * test_forwarded.c: proxies that are named, and the client in their lists.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "server/inspect/forwarded.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

static struct sv_proxies proxies;

static void
name(const char *text)
{
    char error[SV_PROXY_ERROR_SIZE] = "";
    bool is_good = sv_proxies_add(&proxies, text, error);
    assert_string_equal(error, "");
    assert_true(is_good);
}

static int
begin(void **state)
{
    (void)state;
    memset(&proxies, 0, sizeof(proxies));
    name("10.0.0.0/9=forwarded");
    name("192.0.2.7=v2");
    name("2001:db8::/33=x-forwarded-for");
    name("/run/cairn/web.sock=v2");
    return 0;
}

static enum sv_proxy_kind
kind_of(const char *address)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
    if (inet_pton(AF_INET, address, &v4.sin_addr) == 1) {
        return sv_proxies_find(&proxies, (const struct sockaddr *)&v4);
    }
    assert_int_equal(inet_pton(AF_INET6, address, &v6.sin6_addr), 1);
    return sv_proxies_find(&proxies, (const struct sockaddr *)&v6);
}

static void
test_named_proxies(void **state)
{
    (void)state;
    assert_int_equal(kind_of("10.0.0.1"), SV_PROXY_FORWARDED);
    assert_int_equal(kind_of("10.127.255.255"), SV_PROXY_FORWARDED);
    assert_int_equal(kind_of("10.128.0.0"), SV_PROXY_NONE);
    assert_int_equal(kind_of("::ffff:10.0.0.1"), SV_PROXY_FORWARDED);
    assert_int_equal(kind_of("192.0.2.7"), SV_PROXY_V2);
    assert_int_equal(kind_of("192.0.2.6"), SV_PROXY_NONE);
    assert_int_equal(kind_of("2001:db8:7fff::1"), SV_PROXY_X_FORWARDED_FOR);
    assert_int_equal(kind_of("2001:db8:8000::1"), SV_PROXY_NONE);
    assert_int_equal(kind_of("::a00:1"), SV_PROXY_NONE);
    assert_int_equal(sv_proxies_find_path(&proxies, "/run/cairn/web.sock"), SV_PROXY_V2);
    assert_int_equal(sv_proxies_find_path(&proxies, "/run/cairn/web.soc"), SV_PROXY_NONE);
    struct sockaddr local = {.sa_family = AF_UNIX};
    assert_int_equal(sv_proxies_find(&proxies, &local), SV_PROXY_NONE);
}

static void
test_bad_names(void **state)
{
    (void)state;
    static const char *const bad[] = {"", "10.0.0.1", "=v2", "10.0.0.1=", "10.0.0.1=v1",
        "10.0.0.1=V2", "10.0.0=v2", "10.0.0.1/33=v2", "10.0.0.1/=v2", "10.0.0.1/8x=v2",
        "10.0.0.1/-1=v2", "::1/129=v2", "proxy.example=v2", "run/web.sock=v2", "1.2.3.4/1000=v2"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        char error[SV_PROXY_ERROR_SIZE] = "";
        int before = proxies.count;
        assert_false(sv_proxies_add(&proxies, bad[i], error));
        assert_string_not_equal(error, "");
        assert_int_equal(proxies.count, before);
    }
    char error[SV_PROXY_ERROR_SIZE];
    while (proxies.count < SV_PROXIES_MAX) {
        name("0.0.0.0/0=v2");
    }
    assert_false(sv_proxies_add(&proxies, "::/0=v2", error));
    assert_int_equal(kind_of("255.1.1.1"), SV_PROXY_V2);
    assert_int_equal(kind_of("::1"), SV_PROXY_NONE);
}

/* The client's address with its port or its name; "" of an empty list, "!" of a bad one. */
static const char *
read_list(enum sv_proxy_kind kind, const char *value)
{
    static char text[128];
    struct sv_forwarded client;
    switch (sv_forwarded_read(&proxies, kind, value, strlen(value), &client)) {
    case SV_FORWARDED_NONE:
        return "";
    case SV_FORWARDED_BAD:
        return "!";
    case SV_FORWARDED_GOOD:
        break;
    }
    if (client.address.ss_family == AF_INET) {
        struct sockaddr_in v4;
        memcpy(&v4, &client.address, sizeof(v4));
        inet_ntop(AF_INET, &v4.sin_addr, text, sizeof(text));
    } else if (client.address.ss_family == AF_INET6) {
        struct sockaddr_in6 v6;
        memcpy(&v6, &client.address, sizeof(v6));
        inet_ntop(AF_INET6, &v6.sin6_addr, text, sizeof(text));
    } else {
        strcpy(text, client.name);
    }
    return text;
}

struct list {
    const char *value, *client;
};

static void
check(enum sv_proxy_kind kind, const struct list *lists, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *found = read_list(kind, lists[i].value);
        if (strcmp(found, lists[i].client) != 0) {
            print_error("%s\n", lists[i].value);
        }
        assert_string_equal(found, lists[i].client);
    }
}

static void
test_forwarded(void **state)
{
    (void)state;
    static const struct list lists[] = {
        {"", ""},
        {" ,\t, ", ""},
        {"for=198.51.100.1", "198.51.100.1"},
        {"For=\"198.51.100.1:4711\";proto=http;by=10.0.0.1", "198.51.100.1"},
        {"proto=https; for=\"[2001:db8:ffff::1]:4711\"", "2001:db8:ffff::1"},
        {"for=\"[2001:db8:ffff::1]\"", "2001:db8:ffff::1"},
        {"for=\"198.51.100.1:_port\"", "198.51.100.1"},
        {"for=_hidden", "_hidden"},
        {"for=\"_SEVKISEK:_x\"", "_SEVKISEK:_x"},
        {"for=unknown", "unknown"},
        {"FOR=Unknown", "Unknown"},
        {"proto=http", "unknown"},                            /* a hop that does not say */
        {"for=1.1.1.1, for=198.51.100.1", "198.51.100.1"},    /* the first anybody can write */
        {"for=1.1.1.1,for=198.51.100.1, for=10.0.0.1,for=192.0.2.7", "198.51.100.1"},
        {"for=127.0.0.1, for=198.51.100.1", "198.51.100.1"},
        {"for=10.0.0.9", "10.0.0.9"},                         /* only a proxy is named */
        {"for=1.1.1.1, for=_hidden", "_hidden"},
        {"for=1.1.1.1, for=_hidden, for=10.0.0.1", "_hidden"},
        {"for=nonsense, for=198.51.100.1", "198.51.100.1"},   /* not looked at */
        {"for=198.51.100.1;host=\"a,b\"", "198.51.100.1"},
        {"for=\"1.1.1.1, for=198.51.100.1", "!"},             /* a quote that swallows the rest */
        {"for=\"198.51.100.1", "!"},
        {"for=198.51.100.1;for=1.1.1.1", "!"},
        {"for=", "!"},
        {"for", "!"},
        {"=a", "!"},
        {"for=\"\"", "!"},
        {"for=a.example", "!"},
        {"for=[2001:db8:ffff::1]", "!"},                      /* wants quotes */
        {"for=\"2001:db8:ffff::1\"", "!"},                    /* wants brackets */
        {"for=\"[198.51.100.1]\"", "!"},
        {"for=\"[2001:db8:ffff::1\"", "!"},
        {"for=\"198.51.100.1:99999999\"", "!"},
        {"for=\"198.51.100.1:\"", "!"},
        {"for=\"198.51.100.1x\"", "!"},
        {"for=\"198.51\\.100.1\"", "!"},
        {"for=198.51.100.1 for=1.1.1.1", "!"},
        {"for=256.1.1.1", "!"},
        {"for=\"_\"", "!"},
        {"for=\"_a b\"", "!"},
    };
    check(SV_PROXY_FORWARDED, lists, sizeof(lists) / sizeof(lists[0]));
}

static void
test_plain_lists(void **state)
{
    (void)state;
    static const struct list lists[] = {
        {"", ""},
        {"198.51.100.1", "198.51.100.1"},
        {"1.1.1.1 , 198.51.100.1 ", "198.51.100.1"},
        {"1.1.1.1,198.51.100.1,10.0.0.1", "198.51.100.1"},
        {"2001:db8:ffff::1", "2001:db8:ffff::1"},
        {"[2001:db8:ffff::1]:80", "2001:db8:ffff::1"},
        {"198.51.100.1:80", "198.51.100.1"},
        {"unknown", "unknown"},
        {"for=198.51.100.1", "!"},
        {"a.example", "!"},
        {"1.1.1.1, 198.51.100.1 x", "!"},
    };
    check(SV_PROXY_X_FORWARDED_FOR, lists, sizeof(lists) / sizeof(lists[0]));
}

static void
test_long_lists(void **state)
{
    (void)state;
    char text[SV_FORWARDED_HOPS_MAX * 16 + 64] = "";
    for (int i = 0; i < SV_FORWARDED_HOPS_MAX; i++) {
        strcat(text, i == 0 ? "for=1.1.1.1" : ",for=10.0.0.1");
    }
    assert_string_equal(read_list(SV_PROXY_FORWARDED, text), "1.1.1.1");
    strcat(text, ",for=10.0.0.1");
    assert_string_equal(read_list(SV_PROXY_FORWARDED, text), "!");
    char name_of[SV_FORWARDED_NAME_SIZE + 8] = "for=_";
    memset(name_of + 5, 'a', SV_FORWARDED_NAME_SIZE - 2);
    assert_string_equal(read_list(SV_PROXY_FORWARDED, name_of), name_of + 4);
    strcat(name_of, "a");
    assert_string_equal(read_list(SV_PROXY_FORWARDED, name_of), "!");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_named_proxies, begin),
        cmocka_unit_test_setup(test_bad_names, begin),
        cmocka_unit_test_setup(test_forwarded, begin),
        cmocka_unit_test_setup(test_plain_lists, begin),
        cmocka_unit_test_setup(test_long_lists, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
