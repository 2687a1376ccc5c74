/*
 * config_check.c: whether the options fit together.
 */
#include "server/base/config.h"

#include "access/quota.h"
#include "server/base/role_rates.h"

#include <arpa/inet.h>
#include <string.h>

#define REFUSE(...) (snprintf(error, SV_CONFIG_ERROR_SIZE, __VA_ARGS__), false)

bool
sv_config_is_loopback(const char *address)
{
    static const unsigned char one[16] = {[15] = 1};
    unsigned char binary[16];
    if (strcmp(address, "localhost") == 0) {
        return true;
    }
    if (inet_pton(AF_INET, address, binary) == 1) {
        return binary[0] == 127;
    }
    return inet_pton(AF_INET6, address, binary) == 1 && memcmp(binary, one, sizeof(one)) == 0;
}

static bool
is_loopback_listener(const char *listen)
{
    char address[64];
    int port;
    return sv_config_split_address(listen, address, sizeof(address), &port) &&
        sv_config_is_loopback(address);
}

/* Whether the options name a proxy that connects to the socket at this path. */
static bool
has_proxy_at(const struct sv_config *config, const char *path)
{
    size_t size = strlen(path);
    for (int i = 0; i < config->proxy.count; i++) {
        if (strncmp(config->proxy.values[i], path, size) == 0 &&
            config->proxy.values[i][size] == '=') {
            return true;
        }
    }
    return false;
}

bool
sv_config_is_wide(const struct sv_config *config)
{
    if (config->proxy.count > 0) {
        return true;
    }
    for (int i = 0; i < config->listen.count; i++) {
        if (!is_loopback_listener(config->listen.values[i])) {
            return true;
        }
    }
    return false;
}

static bool
check_listeners(const struct sv_config *config, char *error)
{
    for (int i = 0; i < config->listen.count; i++) {
        const char *listen = config->listen.values[i];
        if (is_loopback_listener(listen)) {
            continue;
        }
        if (listen[0] == '/') {
            if (!has_proxy_at(config, listen)) {
                return REFUSE("listen %.64s is a socket for a proxy; give --proxy "
                              "%.64s=HOW",
                    listen, listen);
            }
            continue;
        }
        if (config->token_key.count == 0) {
            return REFUSE("listen %.64s reaches beyond this machine, where everybody would be "
                          "operator; give --token-key (cairn key makes one)",
                listen);
        }
        if (config->tls_cert == NULL && !config->insecure_plain) {
            return REFUSE("listen %.64s reaches beyond this machine, where tokens could be read; "
                          "give --tls-cert and --tls-key, or --insecure-plain behind a proxy "
                          "that speaks TLS",
                listen);
        }
    }
    return true;
}

static bool
check_quota(const char *name, const char *text, char *error)
{
    struct ac_quota quota = {0};
    char wrong[AC_QUOTA_ERROR_SIZE];
    bool is_good = text == NULL || strcmp(text, "none") == 0 ||
        ac_quota_parse(&quota, text, wrong);
    return is_good || REFUSE("%s %s; or none", name, wrong);
}

/* Refuses options of tokens that have no effect without keys. */
static bool
check_tokens(const struct sv_config *config, char *error)
{
    const struct {
        const char *name, *value;
    } names[] = {{"token-issuer", config->token_issuer},
        {"token-audience", config->token_audience}, {"token-revoked", config->token_revoked}};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (names[i].value != NULL && config->token_key.count == 0) {
            return REFUSE("%s is given without token-key: there are no tokens", names[i].name);
        }
    }
    for (size_t i = 0; i < 2; i++) {
        size_t length = names[i].value != NULL ? strlen(names[i].value) : 1;
        if (length == 0 || length >= AC_NAME_SIZE) {
            return REFUSE("%s has %zu bytes; accepted are 1 to %d", names[i].name, length,
                AC_NAME_SIZE - 1);
        }
    }
    return true;
}

/* An address without a user, a password and control characters. */
static bool
is_webhook(const char *url)
{
    const char *rest = strncmp(url, "https://", 8) == 0 ? url + 8
        : strncmp(url, "http://", 7) == 0               ? url + 7
                                                        : "";
    size_t host = strcspn(rest, "/?#");
    bool is_clean = host > 0 && memchr(rest, '@', host) == NULL;
    for (const char *c = url; *c != '\0' && is_clean; c++) {
        is_clean = *c > ' ' && *c < 127;
    }
    return is_clean && strlen(url) < SV_WEBHOOK_SIZE;
}

static bool
check_rooms(const struct sv_config *config, char *error)
{
    if ((config->webhook == NULL) != (config->webhook_secret == NULL)) {
        return REFUSE("webhook and webhook-secret are given together or not at all");
    }
    if (config->webhook != NULL && config->rooms.count == 0) {
        return REFUSE("webhook is given without rooms: there are no events");
    }
    if (config->webhook != NULL && !is_webhook(config->webhook)) {
        return REFUSE("webhook is \"%.64s\"; accepted is http://HOST/PATH or https://HOST/PATH "
                      "of at most %d bytes, without a user or spaces",
            config->webhook, SV_WEBHOOK_SIZE - 1);
    }
    return true;
}

static bool
check_role_rates(const struct sv_config *config, char error[SV_CONFIG_ERROR_SIZE])
{
    struct sv_role_rates rates = {0};
    for (int i = 0; i < config->role_rate.count; i++) {
        if (!sv_role_rates_add(&rates, config->role_rate.values[i])) {
            return REFUSE("role-rate is \"%.32s\"; accepted is ROLE=N or ROLE=N/M, N from 1 to %d "
                          "and M to %d",
                config->role_rate.values[i], SV_MESSAGE_RATE_MAX, SV_SAY_RATE_MAX);
        }
    }
    return true;
}

bool
sv_config_check(const struct sv_config *config, char error[SV_CONFIG_ERROR_SIZE])
{
    if ((config->tls_cert == NULL) != (config->tls_key == NULL)) {
        return REFUSE("tls-cert and tls-key are given together or not at all");
    }
    if (!check_tokens(config, error) || !check_rooms(config, error) ||
        !check_role_rates(config, error) ||
        !check_quota("quota-session", config->quota_session, error) ||
        !check_quota("quota-token", config->quota_token, error) ||
        !check_quota("quota-tenant", config->quota_tenant, error)) {
        return false;
    }
    if (config->tls_min != NULL && strcmp(config->tls_min, "1.3") != 0 &&
        strcmp(config->tls_min, "1.2") != 0) {
        return REFUSE("tls-min is \"%.16s\"; accepted are 1.3 and 1.2", config->tls_min);
    }
    if (config->tls_min != NULL && config->tls_cert == NULL) {
        return REFUSE("tls-min is given without tls-cert");
    }
    if (config->durability != NULL && strcmp(config->durability, "tick") != 0 &&
        strcmp(config->durability, "second") != 0 && strcmp(config->durability, "none") != 0) {
        return REFUSE("durability is \"%.16s\"; accepted are tick, second and none",
            config->durability);
    }
    if (config->insecure_plain && config->tls_cert != NULL) {
        return REFUSE("insecure-plain and tls-cert contradict each other");
    }
    const char *admin = config->admin_listen;
    if (admin != NULL && admin[0] != '/' && !is_loopback_listener(admin)) {
        return REFUSE("admin-listen is \"%.64s\"; accepted are a loopback ADDR:PORT and a "
                      "socket's /PATH",
            admin);
    }
    if (config->proxy.count > 0 && config->token_key.count == 0) {
        return REFUSE("proxy is given, so clients come from other machines, where everybody would "
                      "be operator; give --token-key (cairn key makes one)");
    }
    return check_listeners(config, error);
}
