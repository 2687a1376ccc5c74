/*
 * test_guard.c: who may connect, by address, in a table of fixed size.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "server/base/limits.h"
#include "server/net/guard.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

static const struct sv_guard_limits limits = {
    .connections = 3,
    .rate = 10,
    .burst = 5,
    .process_rate = 100,
    .process_burst = 50,
    .failures = 5,
    .failure_burst = 2,
};

static void
init(struct sv_guard *guard, uint32_t entry_count)
{
    static uint64_t state;
    state = 7;
    struct sv_random random = sv_random_simulated(&state);
    assert_true(sv_guard_init(guard, &limits, entry_count, &random));
}

static struct sv_network
network(const char *text)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
    if (inet_pton(AF_INET, text, &v4.sin_addr) == 1) {
        return sv_network_of((const struct sockaddr *)&v4, false);
    }
    assert_int_equal(inet_pton(AF_INET6, text, &v6.sin6_addr), 1);
    return sv_network_of((const struct sockaddr *)&v6, false);
}

/* The n-th of many IPv4 networks. */
static struct sv_network
numbered(uint32_t n)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET};
    v4.sin_addr.s_addr = htonl(0x0a000000U + n);
    return sv_network_of((const struct sockaddr *)&v4, false);
}

static bool
is_same(const char *a, const char *b)
{
    struct sv_network first = network(a), second = network(b);
    return memcmp(&first, &second, sizeof(first)) == 0;
}

static void
test_networks(void **state)
{
    (void)state;
    assert_false(is_same("192.0.2.1", "192.0.2.2"));
    assert_true(is_same("192.0.2.1", "::ffff:192.0.2.1"));
    assert_true(is_same("2001:db8:1:2::1", "2001:db8:1:2:ffff::9"));
    assert_false(is_same("2001:db8:1:2::1", "2001:db8:1:3::1"));
    assert_int_equal(network("127.0.0.1").bytes[0], 0);
    assert_int_equal(network("127.9.0.1").bytes[0], 0);
    assert_int_equal(network("::1").bytes[0], 0);
    assert_int_equal(network("::ffff:127.0.0.1").bytes[0], 0);
    assert_int_equal(network("::2").bytes[0], 6);
    struct sockaddr_in loopback = {.sin_family = AF_INET};
    loopback.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_int_equal(sv_network_of((const struct sockaddr *)&loopback, true).bytes[0], 4);
    struct sockaddr local = {.sa_family = AF_UNIX};
    assert_int_equal(sv_network_of(&local, true).bytes[0], 0);
}

/* Opens a connection and closes it at once. */
static enum sv_guard_verdict
visit(struct sv_guard *guard, const struct sv_network *network, uint64_t now_ns)
{
    enum sv_guard_verdict verdict = sv_guard_enter(guard, network, now_ns);
    if (verdict == SV_GUARD_LET_IN) {
        sv_guard_leave(guard, network, now_ns);
    }
    return verdict;
}

/* Connections without a network, such as Unix sockets, are not counted. */
static void
test_nobody(void **state)
{
    (void)state;
    struct sv_guard guard;
    struct sv_network none = {{0}};
    init(&guard, 64);
    for (int i = 0; i < 5000; i++) {
        assert_int_equal(sv_guard_enter(&guard, &none, 0), SV_GUARD_LET_IN);
        assert_false(sv_guard_blame(&guard, &none, 0));
    }
    assert_int_equal(sv_guard_pause_ns(&guard, 0), 0);
    sv_guard_leave(&guard, &none, 0);
    sv_guard_finish(&guard);
}

static void
test_many_at_once(void **state)
{
    (void)state;
    struct sv_guard guard;
    struct sv_network a = network("192.0.2.1"), b = network("192.0.2.2");
    init(&guard, 64);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(sv_guard_enter(&guard, &a, 0), SV_GUARD_LET_IN);
    }
    assert_int_equal(sv_guard_enter(&guard, &a, 0), SV_GUARD_MANY);
    assert_int_equal(sv_guard_enter(&guard, &b, 0), SV_GUARD_LET_IN);
    sv_guard_leave(&guard, &a, 0);
    assert_int_equal(sv_guard_enter(&guard, &a, 0), SV_GUARD_LET_IN);
    assert_int_equal(sv_guard_enter(&guard, &a, 0), SV_GUARD_MANY);
    sv_guard_finish(&guard);
}

/* Five at once, then one every tenth of a second.  A refused connection uses nothing up. */
static void
test_often(void **state)
{
    (void)state;
    struct sv_guard guard;
    struct sv_network a = network("2001:db8::1");
    const uint64_t start_ns = 5 * SV_NS_PER_S, tenth_ns = SV_NS_PER_S / 10;
    init(&guard, 64);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(sv_guard_enter(&guard, &a, start_ns), SV_GUARD_LET_IN);
        sv_guard_leave(&guard, &a, start_ns);
    }
    for (int i = 0; i < 100; i++) {
        assert_int_equal(sv_guard_enter(&guard, &a, start_ns), SV_GUARD_OFTEN);
    }
    assert_int_equal(sv_guard_enter(&guard, &a, start_ns + tenth_ns - 1), SV_GUARD_OFTEN);
    assert_int_equal(sv_guard_enter(&guard, &a, start_ns + tenth_ns), SV_GUARD_LET_IN);
    assert_int_equal(sv_guard_enter(&guard, &a, start_ns + tenth_ns), SV_GUARD_OFTEN);
    sv_guard_finish(&guard);
}

/*
 * The first block lasts ten minutes, the next twenty.  After a day without a block it is ten again.
 */
static void
test_blocks(void **state)
{
    (void)state;
    struct sv_guard guard;
    struct sv_network a = network("192.0.2.1"), b = network("192.0.2.2");
    uint64_t now_ns = SV_NS_PER_S, minute_ns = 60 * SV_NS_PER_S;
    init(&guard, 64);
    assert_false(sv_guard_blame(&guard, &a, now_ns));
    assert_false(sv_guard_blame(&guard, &a, now_ns));
    assert_int_equal(visit(&guard, &a, now_ns), SV_GUARD_LET_IN);
    assert_true(sv_guard_blame(&guard, &a, now_ns));
    assert_false(sv_guard_blame(&guard, &a, now_ns)); /* it is blocked already */
    assert_int_equal(visit(&guard, &a, now_ns), SV_GUARD_BLOCKED);
    assert_int_equal(visit(&guard, &b, now_ns), SV_GUARD_LET_IN);
    now_ns += 10 * minute_ns;
    assert_int_equal(visit(&guard, &a, now_ns - 1), SV_GUARD_BLOCKED);
    assert_int_equal(visit(&guard, &a, now_ns), SV_GUARD_LET_IN);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(sv_guard_blame(&guard, &a, now_ns), i == 2);
    }
    now_ns += 20 * minute_ns;
    assert_int_equal(visit(&guard, &a, now_ns - 1), SV_GUARD_BLOCKED);
    assert_int_equal(visit(&guard, &a, now_ns), SV_GUARD_LET_IN);
    now_ns += SV_ADDRESS_FORGIVEN_NS + 1;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(sv_guard_blame(&guard, &a, now_ns), i == 2);
    }
    now_ns += 10 * minute_ns;
    assert_int_equal(visit(&guard, &a, now_ns), SV_GUARD_LET_IN);
    /* The longest block is 2^7 times the first, however often a network is blamed. */
    for (int i = 0; i < 100; i++) {
        now_ns += SV_ADDRESS_BLOCK_NS << 7;
        sv_guard_blame(&guard, &a, now_ns);
        sv_guard_blame(&guard, &a, now_ns);
        assert_true(sv_guard_blame(&guard, &a, now_ns));
    }
    now_ns += SV_ADDRESS_BLOCK_NS << 7;
    assert_int_equal(visit(&guard, &a, now_ns - 1), SV_GUARD_BLOCKED);
    sv_guard_finish(&guard);
}

/* All networks together are not refused; the daemon pauses its accepts. */
static void
test_pause(void **state)
{
    (void)state;
    struct sv_guard guard;
    init(&guard, 1024);
    for (uint32_t i = 0; i < 50; i++) {
        struct sv_network one = numbered(i);
        assert_int_equal(sv_guard_pause_ns(&guard, 0), 0);
        assert_int_equal(sv_guard_enter(&guard, &one, 0), SV_GUARD_LET_IN);
    }
    uint64_t pause_ns = sv_guard_pause_ns(&guard, 0);
    assert_int_equal(pause_ns, SV_NS_PER_S / 100);
    assert_int_equal(sv_guard_pause_ns(&guard, pause_ns), 0);

    struct sv_network early = numbered(50);
    assert_int_equal(sv_guard_enter(&guard, &early, 0), SV_GUARD_LET_IN);
    assert_int_equal(sv_guard_pause_ns(&guard, 0), 2 * SV_NS_PER_S / 100); /* it counts, too */
    sv_guard_finish(&guard);
}

/*
 * A full table drops networks without connections, the one gone longest first.  It drops no network
 * that is connected, and a block only if it must.
 */
static void
test_eviction(void **state)
{
    (void)state;
    struct sv_guard guard;
    init(&guard, 4);
    for (uint32_t i = 0; i < 4; i++) {
        struct sv_network one = numbered(i);
        assert_int_equal(sv_guard_enter(&guard, &one, i), SV_GUARD_LET_IN);
    }
    struct sv_network fifth = numbered(4), second = numbered(1), third = numbered(2),
                      sixth = numbered(5), seventh = numbered(6);
    assert_int_equal(sv_guard_enter(&guard, &fifth, 10), SV_GUARD_NO_ROOM);
    assert_false(sv_guard_blame(&guard, &fifth, 10));
    sv_guard_leave(&guard, &second, 12);
    sv_guard_leave(&guard, &third, 11);
    assert_false(sv_guard_blame(&guard, &third, 13));
    assert_false(sv_guard_blame(&guard, &third, 13));
    assert_true(sv_guard_blame(&guard, &third, 13));
    /* The third was seen last and is blocked, so the second is dropped. */
    assert_int_equal(sv_guard_enter(&guard, &fifth, 20), SV_GUARD_LET_IN);
    assert_int_equal(sv_guard_enter(&guard, &third, 20), SV_GUARD_BLOCKED);
    /* The other networks are connected, so the block is dropped. */
    assert_int_equal(sv_guard_enter(&guard, &sixth, 21), SV_GUARD_LET_IN);
    assert_int_equal(sv_guard_enter(&guard, &seventh, 22), SV_GUARD_NO_ROOM);
    for (uint32_t i = 0; i < 4; i++) { /* and each of them is still counted */
        struct sv_network one = i == 0 ? numbered(0)
            : i == 1                   ? fifth
            : i == 2                   ? sixth
                                       : numbered(3);
        sv_guard_leave(&guard, &one, 30);
    }
    sv_guard_finish(&guard);
}

/*
 * The table has room for as many networks as connections are possible, and is empty after they
 * leave.
 */
static void
test_many_networks(void **state)
{
    (void)state;
    struct sv_guard guard;
    init(&guard, SV_GUARD_ENTRIES);
    for (uint32_t i = 0; i < SV_CLIENTS_MAX; i++) {
        struct sv_network one = numbered(i);
        assert_int_equal(sv_guard_enter(&guard, &one, i), SV_GUARD_LET_IN);
    }
    for (uint32_t i = 0; i < SV_CLIENTS_MAX; i++) {
        struct sv_network one = numbered(i);
        sv_guard_leave(&guard, &one, SV_NS_PER_S);
    }
    for (uint32_t i = 0; i < guard.entry_count; i++) {
        assert_int_equal(guard.entries[i].connection_count, 0);
    }
    sv_guard_finish(&guard);
}

/* Equal calls give equal answers; with another key the table is ordered otherwise. */
static void
test_deterministic(void **state)
{
    (void)state;
    struct sv_guard a, b, c;
    uint64_t seed = 8;
    struct sv_random other = sv_random_simulated(&seed);
    init(&a, 256);
    init(&b, 256);
    assert_true(sv_guard_init(&c, &limits, 256, &other));
    for (uint32_t i = 0; i < 3000; i++) {
        struct sv_network one = numbered(i * 37 % 700);
        uint64_t now_ns = (uint64_t)i * 3000000;
        enum sv_guard_verdict verdict = sv_guard_enter(&a, &one, now_ns);
        assert_int_equal(sv_guard_enter(&b, &one, now_ns), verdict);
        if (sv_guard_enter(&c, &one, now_ns) == SV_GUARD_LET_IN && i % 3 != 0) {
            sv_guard_leave(&c, &one, now_ns);
        }
        if (verdict == SV_GUARD_LET_IN && i % 3 != 0) {
            sv_guard_leave(&a, &one, now_ns);
            sv_guard_leave(&b, &one, now_ns);
        }
    }
    size_t size = 256 * sizeof(a.entries[0]);
    assert_memory_equal(a.entries, b.entries, size);
    assert_memory_not_equal(a.entries, c.entries, size);
    sv_guard_finish(&a);
    sv_guard_finish(&b);
    sv_guard_finish(&c);
}

static void
test_names_and_texts(void **state)
{
    (void)state;
    char text[SV_NETWORK_TEXT_SIZE];
    struct sv_network a = sv_network_of_name("_a"), b = sv_network_of_name("_b");
    struct sv_network again = sv_network_of_name("_a"), v4 = network("192.0.2.7");
    assert_memory_equal(&a, &again, sizeof(a));
    assert_memory_not_equal(&a, &b, sizeof(a));
    assert_int_equal(a.bytes[0], 'n');
    sv_network_print(&v4, text);
    assert_string_equal(text, "192.0.2.7");
    v4 = network("2001:db8:1:2:3::4");
    sv_network_print(&v4, text);
    assert_string_equal(text, "2001:db8:1:2::/64");
    sv_network_print(&a, text);
    assert_string_equal(text, "of a name that its proxy gives");
    v4 = network("127.0.0.1");
    sv_network_print(&v4, text);
    assert_string_equal(text, "");
}

/* The limits and bursts that follow from the options. */
static void
test_limits(void **state)
{
    (void)state;
    struct sv_guard_limits made = sv_guard_limits_make(7, 5, 11, 3, true);
    assert_int_equal(made.connections, 7);
    assert_int_equal(made.rate, 5);
    assert_int_equal(made.burst, 5 * SV_ADDRESS_BURST_S);
    assert_int_equal(made.process_rate, 11);
    assert_int_equal(made.process_burst, 11 * SV_ACCEPT_BURST_S);
    assert_int_equal(made.failures, 3);
    assert_int_equal(made.failure_burst, 3 * SV_ADDRESS_FAILURE_BURST_MIN);
    assert_true(made.is_loopback_counted);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_and_texts),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_networks),
        cmocka_unit_test(test_nobody),
        cmocka_unit_test(test_many_at_once),
        cmocka_unit_test(test_often),
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_pause),
        cmocka_unit_test(test_eviction),
        cmocka_unit_test(test_many_networks),
        cmocka_unit_test(test_deterministic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
