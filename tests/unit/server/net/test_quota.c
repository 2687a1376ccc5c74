/*
 * test_quota.c: what sessions, tokens and tenants may use: bounds, names, buckets, counts.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "server/base/limits.h"
#include "server/host/owner.h"
#include "server/net/quota.h"

#include <string.h>

static uint64_t now_ns;
static struct sv_metrics metrics;
static struct sv_quotas quotas;
static struct wire_error error;
static char wrong[AC_QUOTA_ERROR_SIZE];

static int
set_up(void **state)
{
    (void)state;
    now_ns = 1000 * SV_NS_PER_S;
    memset(&error, 0, sizeof(error));
    return sv_quotas_init(&quotas, sv_clock_simulated(&now_ns), &metrics) ? 0 : 1;
}

static int
tear_down(void **state)
{
    (void)state;
    sv_quotas_finish(&quotas);
    return 0;
}

static struct sv_grant
grant_of(const char *id, const char *subject, const char *tenant)
{
    struct sv_grant grant = {.role = AC_ROLE_PLAYER};
    strcpy(grant.id, id);
    strcpy(grant.subject, subject);
    strcpy(grant.tenant, tenant);
    return grant;
}

static struct sv_asker
asker_of(const struct sv_grant *grant, const char *from, uint64_t session)
{
    return (struct sv_asker){.session = session, .owner = sv_quotas_owner(&quotas, grant, from)};
}

static void
set(enum sv_principal principal, const char *text, bool has_tokens)
{
    assert_true(sv_quotas_set(&quotas, principal, text, has_tokens, wrong));
}

static uint32_t
bound(enum sv_principal principal, enum ac_quota_kind kind)
{
    uint32_t most;
    return ac_quota_has(&quotas.most[principal], kind, &most) ? most : UINT32_MAX;
}

static void
test_options(void **state)
{
    (void)state;
    set(SV_PRINCIPAL_SESSION, NULL, false);
    assert_int_equal(quotas.most[SV_PRINCIPAL_SESSION].said, 0);
    set(SV_PRINCIPAL_SESSION, NULL, true);
    assert_int_equal(bound(SV_PRINCIPAL_SESSION, AC_QUOTA_REPLAYS), 8);
    assert_int_equal(bound(SV_PRINCIPAL_SESSION, AC_QUOTA_WORLDS), UINT32_MAX);
    set(SV_PRINCIPAL_TOKEN, "forks=3,sent=2000", true);
    assert_int_equal(bound(SV_PRINCIPAL_TOKEN, AC_QUOTA_FORKS), 3);
    assert_int_equal(bound(SV_PRINCIPAL_TOKEN, AC_QUOTA_SENT), 2000);
    assert_int_equal(bound(SV_PRINCIPAL_TOKEN, AC_QUOTA_REPLAYS), 32); /* still the old one */
    set(SV_PRINCIPAL_TENANT, NULL, true);
    assert_int_equal(bound(SV_PRINCIPAL_TENANT, AC_QUOTA_REQUESTS), 2000);
    set(SV_PRINCIPAL_TENANT, "none", true);
    assert_int_equal(quotas.most[SV_PRINCIPAL_TENANT].said, 0);
    assert_false(sv_quotas_set(&quotas, SV_PRINCIPAL_TENANT, "forks=x", true, wrong));
    assert_int_equal(quotas.most[SV_PRINCIPAL_TENANT].said, 0);
}

static void
test_principals(void **state)
{
    (void)state;
    struct sv_grant ann = grant_of("t1", "ann", "ann"), again = grant_of("t2", "ann", "ann");
    struct sv_grant school = grant_of("t3", "ann", "bob"), bob = grant_of("t4", "bob", "bob");
    struct sv_owner a = sv_quotas_owner(&quotas, &ann, "1.2.3.4:5");
    struct sv_owner b = sv_quotas_owner(&quotas, &again, "5.6.7.8:5");
    struct sv_owner c = sv_quotas_owner(&quotas, &school, NULL);
    struct sv_owner d = sv_quotas_owner(&quotas, &bob, NULL);
    assert_true(a.token != 0 && b.token != 0 && a.token != b.token);
    assert_true(a.tenant == b.tenant && a.tenant != c.tenant && c.tenant != d.tenant);
    /*
     * Without a token the network counts: an IPv4 address, or an IPv6 /64.  Loopback counts only if
     * the option says so.
     */
    static const struct {
        const char *one, *other;
        bool is_same;
    } rows[] = {
        {"1.2.3.4:5", "1.2.3.4:60000", true},
        {"1.2.3.4:5", "1.2.3.5:5", false},
        {"[2001:db8::1]:5", "[2001:db8::2]:7", true},
        {"[2001:db8::1]:5", "[2001:db8:0:1::1]:5", false},
        {"[::ffff:1.2.3.4]:5", "1.2.3.4:6", true},
        {"1.2.3.4", "1.2.3.4:6", true}, /* as a proxy may write it */
        {"[2001:db8::1]", "[2001:db8::2]:7", true},
        {"_hidden", "_hidden", true},
        {"_hidden", "_other", false},
    };
    const struct sv_grant nobody = {0}, open = sv_grant_open();
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct sv_owner one = sv_quotas_owner(&quotas, &nobody, rows[i].one);
        struct sv_owner other = sv_quotas_owner(&quotas, &open, rows[i].other);
        assert_true(one.token == 0 && one.tenant != 0);
        assert_int_equal(one.tenant == other.tenant, rows[i].is_same);
    }
    static const char *const uncounted[] = {"127.0.0.1:5", "[::1]:5", "[::1]", "unix", ""};
    for (size_t i = 0; i < sizeof(uncounted) / sizeof(uncounted[0]); i++) {
        assert_int_equal(sv_quotas_owner(&quotas, &nobody, uncounted[i]).tenant, 0);
    }
    assert_int_equal(sv_quotas_owner(&quotas, &nobody, NULL).tenant, 0);
    quotas.is_loopback_counted = true;
    assert_int_not_equal(sv_quotas_owner(&quotas, &nobody, "127.0.0.1:5").tenant, 0);
    /* A refused token gives no owner, so its requests count for the network. */
    struct sv_grant refused = grant_of("t1", "ann", "ann");
    refused.role = AC_ROLE_NONE;
    assert_int_equal(sv_quotas_owner(&quotas, &refused, "1.2.3.4:5").token, 0);
}

static bool
take(enum ac_quota_kind kind, const struct sv_grant *grant, const struct sv_asker *asker,
    size_t amount)
{
    error.retry_ms = 0;
    return sv_quotas_take(&quotas, kind, grant, asker, amount, &error);
}

/* Five seconds' worth at once, then the rate.  Each principal has its own allowance. */
static void
test_requests(void **state)
{
    (void)state;
    struct sv_grant ann = grant_of("t1", "ann", "ann"), bob = grant_of("t2", "bob", "bob");
    struct sv_asker of_ann = asker_of(&ann, NULL, 0), of_bob = asker_of(&bob, NULL, 0);
    set(SV_PRINCIPAL_TOKEN, "requests=10", false);
    for (int i = 0; i < 51; i++) { /* one more than the burst */
        assert_true(take(AC_QUOTA_REQUESTS, &ann, &of_ann, 1));
    }
    assert_false(take(AC_QUOTA_REQUESTS, &ann, &of_ann, 1));
    assert_string_equal(error.code, "LIMIT");
    assert_string_equal(
        error.text, "requests: more than 10 HTTP requests a second by this token");
    assert_in_range(error.retry_ms, 100, 101);
    assert_true(take(AC_QUOTA_REQUESTS, &bob, &of_bob, 1));
    now_ns += SV_NS_PER_S / 10;
    assert_true(take(AC_QUOTA_REQUESTS, &ann, &of_ann, 1));
    assert_false(take(AC_QUOTA_REQUESTS, &ann, &of_ann, 1));
    /* The token's own number replaces the daemon's, in the same bucket. */
    assert_true(ac_quota_set(&ann.quota, "requests", 1000));
    now_ns += SV_NS_PER_S;
    assert_true(take(AC_QUOTA_REQUESTS, &ann, &of_ann, 1));
    assert_true(ac_quota_set(&bob.quota, "requests", 1));
    now_ns += 10 * SV_NS_PER_S;
    for (int i = 0; i < 6; i++) {
        assert_true(take(AC_QUOTA_REQUESTS, &bob, &of_bob, 1));
    }
    assert_false(take(AC_QUOTA_REQUESTS, &bob, &of_bob, 1));
    assert_in_range(error.retry_ms, 1000, 1001);
}

/* If one principal has not enough left, nothing is taken from any principal. */
static void
test_all_or_none(void **state)
{
    (void)state;
    struct sv_grant one = grant_of("t1", "ann", "x"), two = grant_of("t2", "bob", "x");
    struct sv_asker of_one = asker_of(&one, NULL, 1), of_two = asker_of(&two, NULL, 2);
    set(SV_PRINCIPAL_TENANT, "received=1000000", false);
    set(SV_PRINCIPAL_SESSION, "received=2000", false);
    assert_true(take(AC_QUOTA_RECEIVED, &one, &of_one, 4001)); /* in debt by a second's worth */
    for (int i = 0; i < 1000; i++) {
        assert_false(take(AC_QUOTA_RECEIVED, &one, &of_one, 4000));
    }
    assert_string_equal(
        error.text, "received: more than 2000 bytes received a second by this session");
    assert_in_range(error.retry_ms, 1000, 1002);
    assert_true(sv_quotas_may(&quotas, AC_QUOTA_RECEIVED, &two, &of_two));
    now_ns += 1001 * SV_NS_PER_MS;
    assert_true(take(AC_QUOTA_RECEIVED, &one, &of_one, 1));
    sv_quotas_charge(&quotas, AC_QUOTA_RECEIVED, &of_two, 3000000); /* without a bound so far: */
    assert_false(sv_quotas_may(&quotas, AC_QUOTA_RECEIVED, &one, &of_one)); /* the tenant's */
    /* A quantity without a bound is not counted at all. */
    assert_false(sv_quotas_bound(&quotas, &one, AC_QUOTA_SENT));
    assert_true(take(AC_QUOTA_SENT, &one, &of_one, SIZE_MAX / 2));
    assert_true(take(AC_QUOTA_SENT, &one, &of_one, 1));
}

/* With more principals than accounts, the principals in use keep their accounts. */
static void
test_many_accounts(void **state)
{
    (void)state;
    struct sv_grant ann = grant_of("t1", "ann", "ann");
    struct sv_asker of_ann = asker_of(&ann, NULL, 0);
    set(SV_PRINCIPAL_TOKEN, "requests=1", false);
    while (take(AC_QUOTA_REQUESTS, &ann, &of_ann, 1)) {
    }
    for (uint64_t i = 0; i < 3 * SV_ACCOUNTS_MAX; i++) {
        struct sv_asker other = {.owner = {.token = (i + 1) * UINT64_C(0x9e3779b97f4a7c15)}};
        now_ns += 100;
        assert_true(take(AC_QUOTA_REQUESTS, &ann, &other, 1));
        if (i % 64 == 0) {
            assert_false(take(AC_QUOTA_REQUESTS, &ann, &of_ann, 1));
        }
    }
}

/* Each existing world counts for the principals that had it made. */
static void
test_counts(void **state)
{
    (void)state;
    struct sv_grant ann = grant_of("t1", "ann", "x"), bob = grant_of("t2", "bob", "x");
    struct sv_asker session = asker_of(&ann, NULL, 7), other = asker_of(&ann, NULL, 8);
    struct sv_asker of_bob = asker_of(&bob, NULL, 9), http = asker_of(&ann, NULL, 0);
    struct sv_host_world worlds[5] = {{.made = SV_MADE_FORK, .maker = session},
        {.made = SV_MADE_FORK, .maker = other}, {.made = SV_MADE_REPLAY, .maker = session},
        {.made = SV_MADE_FORK, .maker = of_bob}, {.made = SV_MADE_FORK}};
    struct sv_host_world *list[5];
    struct sv_host host = {.worlds = list, .world_count = 5};
    for (int i = 0; i < 5; i++) {
        list[i] = &worlds[i];
    }
    static const int counts[SV_PRINCIPAL_COUNT] = {1, 2, 3};
    for (int i = 0; i < SV_PRINCIPAL_COUNT; i++) {
        assert_int_equal(sv_host_made_count(&host, SV_MADE_FORK, &session, (enum sv_principal)i),
            counts[i]);
    }
    assert_int_equal(
        sv_host_made_count(&host, SV_MADE_FORK, &http, SV_PRINCIPAL_SESSION), 0);
    set(SV_PRINCIPAL_SESSION, "forks=2", false);
    set(SV_PRINCIPAL_TENANT, "forks=4", false);
    assert_true(
        sv_quotas_allow_made(&quotas, &host, SV_MADE_FORK, &ann, &session, 1, &error));
    assert_false(
        sv_quotas_allow_made(&quotas, &host, SV_MADE_FORK, &ann, &session, 2, &error));
    assert_string_equal(
        error.text, "forks: this session has 1 and asks for 2 more; it may have 2");
    assert_int_equal(error.retry_ms, 0);
    assert_false(sv_quotas_allow_made(&quotas, &host, SV_MADE_FORK, &bob, &http, 2, &error));
    assert_string_equal(
        error.text, "forks: this tenant has 3 and asks for 2 more; it may have 4");
    host.world_count = 3; /* bob's has gone */
    assert_true(sv_quotas_allow_made(&quotas, &host, SV_MADE_FORK, &bob, &http, 2, &error));
    assert_true(
        sv_quotas_allow_made(&quotas, &host, SV_MADE_WORLD, &ann, &session, 99, &error));
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(options),
        TEST(principals),
        TEST(requests),
        TEST(all_or_none),
        TEST(many_accounts),
        TEST(counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
