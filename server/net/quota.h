/*
 * quota.h: how much of the daemon one session, one token and one tenant may use.
 *
 * Use is counted for three principals, and the smallest of their bounds holds:
 *
 *     session   one WebSocket session, also on another connection (away.h)
 *     token     all that comes with one token (its jti), by sessions and by HTTP
 *     tenant    all tokens with one claim `tenant`; without it, of one `sub`; clients without a
 *               token: one network (an IPv4 address, an IPv6 /64; loopback has none, unless it
 *               is counted)
 *
 * The configuration has a quota for each principal (--quota-session, ...), and a token may carry
 * one, which replaces --quota-token for the numbers that it names.  A daemon without keys has only
 * the bounds that options give.
 *
 * Counts are not stored but computed: every world knows its maker (struct sv_host_world), and so do
 * scenes that are being read and forks in progress.  So a count falls when a world ends for any
 * reason, and nothing leaks.  A world that was recovered after a restart has no maker.
 *
 * Rates are token buckets in a table of fixed size, with open addressing as in guard.h.  When an
 * entry is needed, the account that was seen longest ago is dropped; later it starts with a full
 * bucket.
 *
 * Threads: the network thread.
 */
#ifndef SERVER_NET_QUOTA_H
#define SERVER_NET_QUOTA_H

#include "server/base/config.h"
#include "server/base/metrics.h"
#include "server/host/host.h"
#include "server/session/grant.h"

struct sv_account;

struct sv_quotas {
    struct ac_quota most[SV_PRINCIPAL_COUNT];
    bool is_loopback_counted;
    struct sv_clock clock;
    struct sv_metrics *metrics;
    uint64_t key; /* of this process, so that an attacker cannot choose names that collide */
    struct sv_account *accounts;
};

/* Sets no bounds.  False without memory or random numbers. */
bool sv_quotas_init(
    struct sv_quotas *quotas, struct sv_clock clock, struct sv_metrics *metrics);
void sv_quotas_finish(struct sv_quotas *quotas);

/*
 * Sets the bounds of a principal from the option's text.  NULL: those of server/base/limits.h where
 * there are tokens, else none.  "none": no bounds.  Any other text changes the numbers that it
 * names. False with *error filled.
 */
bool sv_quotas_set(struct sv_quotas *quotas, enum sv_principal principal, const char *text,
    bool has_tokens, char error[AC_QUOTA_ERROR_SIZE]);

/* Sets all bounds from the options; false after logging why. */
bool sv_quotas_configure(
    struct sv_quotas *quotas, const struct sv_config *config, struct sv_log *log);

/* Fills in the token and the tenant of the asker; `from` stands for a missing token. */
struct sv_owner sv_quotas_owner(
    const struct sv_quotas *quotas, const struct sv_grant *grant, const char *from);

/* Whether any bound of that kind applies to the grant; else it need not be counted. */
bool sv_quotas_bound(
    const struct sv_quotas *quotas, const struct sv_grant *grant, enum ac_quota_kind kind);

/*
 * Whether `wanted` more are allowed.  used[]: the number that each principal has; -1: the asker has
 * no such principal.  False with *error filled: LIMIT, with principal, used and allowed numbers.
 */
bool sv_quotas_allow(const struct sv_quotas *quotas, enum ac_quota_kind kind,
    const struct sv_grant *grant, const int used[SV_PRINCIPAL_COUNT], int wanted,
    struct wire_error *error);

/* The same for worlds, forks and replays, which the host counts. */
bool sv_quotas_allow_made(const struct sv_quotas *quotas, const struct sv_host *host,
    enum sv_made made, const struct sv_grant *grant, const struct sv_asker *asker, int wanted,
    struct wire_error *error);

/*
 * Rates.  sv_quotas_take takes `amount` if each principal has some left, else nothing: false with
 * *error filled, LIMIT and retry_ms.  For bytes a principal may go into debt by one second's
 * amount. sv_quotas_charge always takes, by the bounds that the last sv_quotas_take or
 * sv_quotas_may found.
 */
bool sv_quotas_take(struct sv_quotas *quotas, enum ac_quota_kind kind,
    const struct sv_grant *grant, const struct sv_asker *asker, size_t amount,
    struct wire_error *error);
void sv_quotas_charge(struct sv_quotas *quotas, enum ac_quota_kind kind,
    const struct sv_asker *asker, size_t amount);

/* Whether all principals have some left; takes nothing. */
bool sv_quotas_may(struct sv_quotas *quotas, enum ac_quota_kind kind,
    const struct sv_grant *grant, const struct sv_asker *asker);

#endif
