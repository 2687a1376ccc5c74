/*
 * test_client.c: addresses, slow lines and clock offsets, by answers known by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "clients/c/address.h"
#include "clients/c/link.h"
#include "clients/c/offset.h"

#include <string.h>

static void
test_addresses(void **state)
{
    (void)state;
    static const struct {
        const char *text, *host;
        int port;
        bool is_tls;
    } good[] = {
        {"localhost", "localhost", 7878, false},
        {"127.0.0.1:80", "127.0.0.1", 80, false},
        {"[::1]:9000", "::1", 9000, false},
        {"[::1]", "::1", 7878, false},
        {"ws://example.org/", "example.org", 7878, false},
        {"http://example.org:81/", "example.org", 81, false},
        {"wss://example.org", "example.org", 443, true},
        {"https://example.org:7879", "example.org", 7879, true},
    };
    struct cnc_address address;
    char error[256];
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        assert_true(cnc_address_parse(good[i].text, &address, error, sizeof(error)));
        assert_string_equal(address.host, good[i].host);
        assert_int_equal(address.port, good[i].port);
        assert_int_equal(address.is_tls, good[i].is_tls);
    }
    static const char *const bad[] = {"", ":80", "host:", "host:0", "host:65536", "host:-1",
        "host:8x", "[::1", "ws://", "host/path", "me@host", "a b", "host:80/v1"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        memset(error, 0, sizeof(error));
        assert_false(cnc_address_parse(bad[i], &address, error, sizeof(error)));
        assert_non_null(strstr(error, "HOST:PORT is accepted"));
    }
    char printed[300];
    cnc_address_parse("[fe80::1]:5", &address, error, sizeof(error));
    cnc_address_print(&address, printed, sizeof(printed));
    assert_string_equal(printed, "[fe80::1]:5");
}

static void
test_line_delays(void **state)
{
    (void)state;
    struct cnc_link link;
    bool is_stalled;
    const struct cnc_link_quality steady = {.latency_ms = 40.0};
    cnc_link_init(&link, 1);
    assert_int_equal(cnc_link_pass(&link, &steady, 1000, &is_stalled), 41000);
    assert_false(is_stalled);
    assert_int_equal(cnc_link_pass(&link, &steady, 1500, &is_stalled), 41500);

    /* Whatever the jitter does, nothing is overtaken, and delays stay within its bounds. */
    const struct cnc_link_quality varied = {.latency_ms = 10.0, .jitter_ms = 20.0};
    uint64_t before_us = 0, least_us = UINT64_MAX, most_us = 0;
    cnc_link_init(&link, 2);
    for (uint64_t now_us = 1; now_us < 100000000; now_us += 100000) {
        uint64_t out_us = cnc_link_pass(&link, &varied, now_us, &is_stalled);
        assert_true(out_us >= before_us);
        before_us = out_us;
        least_us = out_us - now_us < least_us ? out_us - now_us : least_us;
        most_us = out_us - now_us > most_us ? out_us - now_us : most_us;
    }
    assert_in_range(least_us, 10000, 10500);
    assert_in_range(most_us, 29500, 30000);
}

/* A lost message takes 200 ms and a round trip longer, and the messages behind it wait. */
static void
test_line_loses(void **state)
{
    (void)state;
    struct cnc_link link;
    bool is_stalled;
    const struct cnc_link_quality always = {.latency_ms = 5.0, .loss = 1.0};
    const struct cnc_link_quality never = {.latency_ms = 5.0};
    cnc_link_init(&link, 3);
    assert_int_equal(cnc_link_pass(&link, &always, 0, &is_stalled), 215000);
    assert_true(is_stalled);
    assert_int_equal(cnc_link_pass(&link, &never, 1000, &is_stalled), 215000);
    assert_false(is_stalled);
    assert_int_equal(cnc_link_pass(&link, &never, 300000, &is_stalled), 305000);

    const struct cnc_link_quality tenth = {.loss = 0.1};
    int stalls = 0;
    cnc_link_init(&link, 4);
    for (uint64_t i = 0; i < 10000; i++) {
        cnc_link_pass(&link, &tenth, i * 1000000, &is_stalled);
        stalls += is_stalled ? 1 : 0;
    }
    assert_in_range(stalls, 900, 1100); /* 1000, deviation 30 */
}

static void
test_offset(void **state)
{
    (void)state;
    struct cnc_offset offset = {0};
    int64_t ours_us;
    assert_false(cnc_offset_ours(&offset, 5, &ours_us));
    /* The daemon's clock is a million ahead; the answer is made in the middle of a trip of 100. */
    cnc_offset_add(&offset, 1000, 1001050, 1100);
    assert_true(cnc_offset_ours(&offset, 1001050, &ours_us));
    assert_int_equal(ours_us, 1050);
    /* A slow pong, held up on its way back, changes nothing. */
    cnc_offset_add(&offset, 2000, 1002050, 9000);
    assert_true(cnc_offset_ours(&offset, 1003000, &ours_us));
    assert_int_equal(ours_us, 3000);
    /* But the quick one is forgotten when it is old: the clocks may drift. */
    for (uint64_t i = 0; i < CNC_OFFSET_SAMPLES; i++) {
        cnc_offset_add(&offset, 10000 * i, 2000000 + 10000 * i + 100, 10000 * i + 200);
    }
    assert_true(cnc_offset_ours(&offset, 2000000, &ours_us));
    assert_int_equal(ours_us, 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_line_delays),
        cmocka_unit_test(test_line_loses),
        cmocka_unit_test(test_offset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
