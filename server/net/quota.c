#include "server/net/quota.h"

#include "engine/base/assert.h"
#include "engine/base/hash.h"
#include "server/base/limits.h"
#include "server/host/owner.h"
#include "server/net/guard.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Each bucket is a time, as in rate.h: when it would be full again. */
struct sv_account {
    uint64_t id; /* 0: free */
    uint64_t seen_ns;
    uint64_t full_ns[AC_QUOTA_COUNT]; /* of the kinds that are rates, */
    uint32_t most[AC_QUOTA_COUNT];    /* and their last limit; 0: no limit yet */
};

static const char *const principal_names[SV_PRINCIPAL_COUNT] = {
    [SV_PRINCIPAL_SESSION] = "session",
    [SV_PRINCIPAL_TOKEN] = "token",
    [SV_PRINCIPAL_TENANT] = "tenant"};

bool
sv_quotas_init(struct sv_quotas *quotas, struct sv_clock clock, struct sv_metrics *metrics)
{
    const struct sv_random random = sv_random_real();
    memset(quotas, 0, sizeof(*quotas));
    quotas->clock = clock;
    quotas->metrics = metrics;
    quotas->accounts = calloc(SV_ACCOUNTS_MAX, sizeof(quotas->accounts[0]));
    return quotas->accounts != NULL &&
        sv_random_fill(&random, (uint8_t *)&quotas->key, sizeof(quotas->key));
}

void
sv_quotas_finish(struct sv_quotas *quotas)
{
    free(quotas->accounts);
    quotas->accounts = NULL;
}

/* ---- bounds ---- */

bool
sv_quotas_set(struct sv_quotas *quotas, enum sv_principal principal, const char *text,
    bool has_tokens, char error[AC_QUOTA_ERROR_SIZE])
{
    static const char *const standard[SV_PRINCIPAL_COUNT] = {
        [SV_PRINCIPAL_SESSION] = SV_QUOTA_SESSION,
        [SV_PRINCIPAL_TOKEN] = SV_QUOTA_TOKEN,
        [SV_PRINCIPAL_TENANT] = SV_QUOTA_TENANT};
    struct ac_quota quota = {0};
    bool is_none = text != NULL && strcmp(text, "none") == 0;
    bool is_good = is_none || !has_tokens || ac_quota_parse(&quota, standard[principal], error);
    is_good = is_good && (is_none || text == NULL || ac_quota_parse(&quota, text, error));
    if (is_good) {
        quotas->most[principal] = quota;
    }
    return is_good;
}

bool
sv_quotas_configure(
    struct sv_quotas *quotas, const struct sv_config *config, struct sv_log *log)
{
    const char *const texts[SV_PRINCIPAL_COUNT] = {
        [SV_PRINCIPAL_SESSION] = config->quota_session,
        [SV_PRINCIPAL_TOKEN] = config->quota_token,
        [SV_PRINCIPAL_TENANT] = config->quota_tenant};
    char error[AC_QUOTA_ERROR_SIZE];
    quotas->is_loopback_counted = config->limit_loopback;
    for (int i = 0; i < SV_PRINCIPAL_COUNT; i++) {
        if (!sv_quotas_set(quotas, (enum sv_principal)i, texts[i], config->token_key.count > 0,
                error)) {
            sv_log(log, SV_LOG_ERROR, "quota-%s %s", principal_names[i], error);
            return false;
        }
    }
    return true;
}

/* The bound of a principal; false: it has none. */
static bool
find_bound(const struct sv_quotas *quotas, const struct sv_grant *grant,
    enum sv_principal principal, enum ac_quota_kind kind, uint32_t *most)
{
    bool is_of_token = principal == SV_PRINCIPAL_TOKEN && ac_quota_has(&grant->quota, kind, most);
    return is_of_token || ac_quota_has(&quotas->most[principal], kind, most);
}

bool
sv_quotas_bound(
    const struct sv_quotas *quotas, const struct sv_grant *grant, enum ac_quota_kind kind)
{
    uint32_t ignored;
    bool is_any = false;
    for (int principal = 0; principal < SV_PRINCIPAL_COUNT; principal++) {
        is_any |= find_bound(quotas, grant, (enum sv_principal)principal, kind, &ignored);
    }
    return is_any;
}

/* ---- owners ---- */

static uint64_t
hash_name(const struct sv_quotas *quotas, char kind, const void *bytes, size_t size)
{
    struct cn_hash hash;
    cn_hash_init(&hash);
    cn_hash_u64(&hash, quotas->key);
    cn_hash_u64(&hash, (uint64_t)kind);
    cn_hash_bytes(&hash, bytes, size);
    cn_hash_u64(&hash, size ^ quotas->key);
    return hash.state != 0 ? hash.state : 1;
}

/*
 * The key of an address, "1.2.3.4:5" or "[::1]:5", with or without the port: its network, where
 * networks are counted.  A name given by a proxy is its own key.
 */
static uint64_t
hash_from(const struct sv_quotas *quotas, const char *from)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
    struct sv_network network;
    char text[INET6_ADDRSTRLEN];
    bool is_six = from[0] == '[';
    const char *start = is_six ? from + 1 : from;
    snprintf(text, sizeof(text), "%.*s", (int)strcspn(start, is_six ? "]" : ":"), start);
    if (is_six && inet_pton(AF_INET6, text, &v6.sin6_addr) == 1) {
        network = sv_network_of((const struct sockaddr *)&v6, quotas->is_loopback_counted);
    } else if (inet_pton(AF_INET, text, &v4.sin_addr) == 1) {
        network = sv_network_of((const struct sockaddr *)&v4, quotas->is_loopback_counted);
    } else {
        bool is_named = from[0] != '\0' && strcmp(from, "unix") != 0;
        return is_named ? hash_name(quotas, 'p', from, strlen(from)) : 0;
    }
    return network.bytes[0] != 0
        ? hash_name(quotas, 'a', network.bytes, sizeof(network.bytes))
        : 0;
}

struct sv_owner
sv_quotas_owner(
    const struct sv_quotas *quotas, const struct sv_grant *grant, const char *from)
{
    struct sv_owner owner = {0, 0};
    if (grant->role != AC_ROLE_NONE && grant->id[0] != '\0') {
        const char *tenant = grant->tenant;
        char kind = strcmp(tenant, grant->subject) == 0 ? 's' : 't';
        owner.token = hash_name(quotas, 'j', grant->id, strlen(grant->id));
        owner.tenant = hash_name(quotas, kind, tenant, strlen(tenant));
        return owner;
    }
    owner.tenant = from != NULL ? hash_from(quotas, from) : 0;
    return owner;
}

/* ---- counts ---- */

bool
sv_quotas_allow(const struct sv_quotas *quotas, enum ac_quota_kind kind,
    const struct sv_grant *grant, const int used[SV_PRINCIPAL_COUNT], int wanted,
    struct wire_error *error)
{
    CN_ASSERT(wanted >= 0);
    for (int principal = 0; principal < SV_PRINCIPAL_COUNT; principal++) {
        uint32_t most;
        bool is_bound = used[principal] >= 0 &&
            find_bound(quotas, grant, (enum sv_principal)principal, kind, &most);
        if (is_bound &&
            (uint64_t)used[principal] + (uint64_t)wanted > most) {
            wire_error_set(error, "LIMIT", "quota",
                "%s: this %s has %d and asks for %d more; it may have %u", ac_quota_name(kind),
                principal_names[principal], used[principal], wanted, most);
            SV_COUNT(quotas->metrics, quota_refused, 1);
            return false;
        }
    }
    return true;
}

bool
sv_quotas_allow_made(const struct sv_quotas *quotas, const struct sv_host *host,
    enum sv_made made, const struct sv_grant *grant, const struct sv_asker *asker, int wanted,
    struct wire_error *error)
{
    static const enum ac_quota_kind kinds[] = {[SV_MADE_WORLD] = AC_QUOTA_WORLDS,
        [SV_MADE_FORK] = AC_QUOTA_FORKS,
        [SV_MADE_REPLAY] = AC_QUOTA_REPLAYS};
    int used[SV_PRINCIPAL_COUNT];
    if (!sv_quotas_bound(quotas, grant, kinds[made])) {
        return true;
    }
    for (int principal = 0; principal < SV_PRINCIPAL_COUNT; principal++) {
        bool is_there = sv_asker_id(asker, (enum sv_principal)principal) != 0;
        used[principal] =
            is_there ? sv_host_made_count(host, made, asker, (enum sv_principal)principal) : -1;
    }
    return sv_quotas_allow(quotas, kinds[made], grant, used, wanted, error);
}

/* ---- rates ---- */

/* A principal's account, made when it has none; NULL where the asker has no such principal. */
static struct sv_account *
find_account(struct sv_quotas *quotas, const struct sv_asker *asker, enum sv_principal principal)
{
    uint64_t id = sv_asker_id(asker, principal);
    if (id == 0) {
        return NULL;
    }
    if (principal == SV_PRINCIPAL_SESSION) {
        id = hash_name(quotas, 'n', &id, sizeof(id));
    }
    struct sv_account *oldest = NULL;
    for (size_t i = 0; i < SV_ACCOUNTS_WINDOW; i++) {
        struct sv_account *account = &quotas->accounts[(id + i) % SV_ACCOUNTS_MAX];
        if (account->id == id) {
            return account;
        }
        if (oldest == NULL || account->seen_ns < oldest->seen_ns) {
            oldest = account;
        }
    }
    CN_ASSERT(oldest != NULL && id != 0);
    memset(oldest, 0, sizeof(*oldest));
    oldest->id = id;
    return oldest;
}

/* Time until some of the quota is left; 0: some is left now [ns]. */
static uint64_t
wait_ns(const struct sv_account *account, enum ac_quota_kind kind, uint64_t now_ns)
{
    CN_ASSERT(kind < AC_QUOTA_COUNT);
    uint64_t burst_ns = kind == AC_QUOTA_REQUESTS ? SV_QUOTA_BURST_NS : SV_NS_PER_S;
    uint64_t full_ns = account->full_ns[kind];
    return full_ns > now_ns + burst_ns ? full_ns - now_ns - burst_ns : 0;
}

static void
charge_account(struct sv_account *account, enum ac_quota_kind kind, uint64_t now_ns, size_t amount)
{
    CN_ASSERT(account->id != 0 && account->most[kind] > 0); /* it is bound */
    uint64_t *full_ns = &account->full_ns[kind];
    *full_ns = *full_ns > now_ns ? *full_ns : now_ns;
    *full_ns += (uint64_t)amount * SV_NS_PER_S / account->most[kind];
    account->seen_ns = now_ns;
}

/*
 * The principal whose quota is used up, and for how long; SV_PRINCIPAL_COUNT: each has some left.
 */
static int
find_empty(struct sv_quotas *quotas, enum ac_quota_kind kind, const struct sv_grant *grant,
    const struct sv_asker *asker, uint64_t now_ns, uint64_t *empty_ns)
{
    uint32_t most;
    int principal = 0;
    for (; principal < SV_PRINCIPAL_COUNT; principal++) {
        enum sv_principal of = (enum sv_principal)principal;
        struct sv_account *account = find_bound(quotas, grant, of, kind, &most)
            ? find_account(quotas, asker, of)
            : NULL;
        if (account != NULL) {
            account->most[kind] = most;
            account->seen_ns = now_ns;
        }
        *empty_ns = account != NULL ? wait_ns(account, kind, now_ns) : 0;
        if (*empty_ns > 0) {
            break;
        }
    }
    return principal;
}

bool
sv_quotas_may(struct sv_quotas *quotas, enum ac_quota_kind kind, const struct sv_grant *grant,
    const struct sv_asker *asker)
{
    uint64_t ignored_ns;
    return find_empty(quotas, kind, grant, asker, sv_clock_now_ns(&quotas->clock),
               &ignored_ns) == SV_PRINCIPAL_COUNT;
}

void
sv_quotas_charge(struct sv_quotas *quotas, enum ac_quota_kind kind, const struct sv_asker *asker,
    size_t amount)
{
    uint64_t now_ns = sv_clock_now_ns(&quotas->clock);
    for (int principal = 0; principal < SV_PRINCIPAL_COUNT; principal++) {
        struct sv_account *account = find_account(quotas, asker, (enum sv_principal)principal);
        if (account != NULL && account->most[kind] > 0) {
            charge_account(account, kind, now_ns, amount);
        }
    }
}

bool
sv_quotas_take(struct sv_quotas *quotas, enum ac_quota_kind kind, const struct sv_grant *grant,
    const struct sv_asker *asker, size_t amount, struct wire_error *error)
{
    uint64_t empty_ns;
    uint32_t most = 0;
    int principal = find_empty(
        quotas, kind, grant, asker, sv_clock_now_ns(&quotas->clock), &empty_ns);
    if (principal == SV_PRINCIPAL_COUNT) {
        sv_quotas_charge(quotas, kind, asker, amount);
        return true;
    }
    CN_ASSERT(principal < SV_PRINCIPAL_COUNT && empty_ns > 0);
    (void)find_bound(quotas, grant, (enum sv_principal)principal, kind, &most);
    wire_error_set(error, "LIMIT", "quota", "%s: more than %u %s by this %s", ac_quota_name(kind),
        most, ac_quota_unit(kind), principal_names[principal]);
    error->retry_ms = (uint32_t)(empty_ns / SV_NS_PER_MS) + 1;
    SV_COUNT(quotas->metrics, quota_refused, 1);
    return false;
}
