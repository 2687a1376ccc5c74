#include "server/credentials.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DAY_S (24 * 3600)

static bool
add_key(struct sv_credentials *credentials, struct ac_keys *keys, const char *path)
{
    char *text, error[AC_ERROR_SIZE];
    size_t size;
    const struct sv_disk *disk = credentials->disk;
    struct ac_public_key key;
    if (disk->read(disk->context, path, AC_KEY_FILE_SIZE_MAX, &text, &size) != SV_DISK_OK) {
        sv_log(credentials->log, SV_LOG_ERROR, "--token-key %s: %s", path, strerror(errno));
        return false;
    }
    bool is_good = ac_public_key_read(&key, text, size, false, error) &&
        ac_keys_add(keys, &key, error);
    free(text);
    if (is_good) {
        sv_log(credentials->log, SV_LOG_INFO, "tokens of key %s are good", key.kid);
    } else {
        sv_log(credentials->log, SV_LOG_ERROR, "--token-key %s: %s", path, error);
    }
    return is_good;
}

/* Reads the keys.  NULL, with a line in the log, if a file is bad. */
static struct ac_keys *
read_keys(struct sv_credentials *credentials)
{
    const struct sv_option_values *files = &credentials->config->token_key;
    struct ac_keys *keys = ac_init() ? ac_keys_create() : NULL;
    if (keys == NULL) {
        sv_log(credentials->log, SV_LOG_ERROR, "no memory for keys");
        return NULL;
    }
    for (int i = 0; i < files->count; i++) {
        if (!add_key(credentials, keys, files->values[i])) {
            ac_keys_destroy(keys);
            return NULL;
        }
    }
    ac_keys_seal(keys);
    return keys;
}

/* Reads the revoked tokens.  NULL, with a line in the log, if the file is bad. */
static struct ac_revoked *
read_revoked(struct sv_credentials *credentials)
{
    const char *path = credentials->config->token_revoked;
    const struct sv_disk *disk = credentials->disk;
    char *text, error[AC_REVOKED_ERROR_SIZE];
    size_t size;
    if (disk->read(disk->context, path, AC_REVOKED_FILE_SIZE_MAX, &text, &size) != SV_DISK_OK) {
        sv_log(credentials->log, SV_LOG_ERROR, "--token-revoked %s: %s", path, strerror(errno));
        return NULL;
    }
    struct ac_revoked *revoked = ac_revoked_read(text, size, error);
    free(text);
    if (revoked == NULL) {
        sv_log(credentials->log, SV_LOG_ERROR, "--token-revoked %s: %s", path, error);
    } else {
        sv_log(credentials->log, SV_LOG_INFO, "%s revokes %d tokens and subs", path,
            ac_revoked_count(revoked));
    }
    return revoked;
}

struct ac_policy
sv_credentials_policy(const struct sv_credentials *credentials)
{
    return (struct ac_policy){.issuer = credentials->config->token_issuer,
        .audience = credentials->config->token_audience,
        .revoked = credentials->revoked};
}

bool
sv_credentials_check_tls(struct sv_credentials *credentials)
{
    char error[SV_TLS_ERROR_SIZE];
    int64_t ends_s;
    if (!sv_tls_check(
            &credentials->tls, sv_clock_wall_s(&credentials->clock), &ends_s, error)) {
        sv_log(credentials->log, SV_LOG_ERROR, "TLS: %s", error);
        return false;
    }
    credentials->tls.ends_s = ends_s;
    credentials->told_s = 0;
    sv_credentials_tend(credentials);
    return true;
}

void
sv_credentials_tend(struct sv_credentials *credentials)
{
    int64_t now_s = sv_clock_wall_s(&credentials->clock);
    int64_t left_s = credentials->tls.ends_s - now_s;
    if (credentials->tls.cert == NULL || left_s >= SV_TLS_ALARM_DAYS * DAY_S ||
        now_s - credentials->told_s < DAY_S) {
        return;
    }
    credentials->told_s = now_s;
    sv_log(credentials->log, SV_LOG_WARN,
        left_s > 0 ? "the certificate %s ends in %lld hours; SIGHUP reads another"
                   : "the certificate %s ended %lld hours ago; SIGHUP reads another",
        credentials->tls.cert, (long long)(left_s > 0 ? left_s : -left_s) / 3600);
}

bool
sv_credentials_init(struct sv_credentials *credentials, const struct sv_config *config,
    const struct sv_disk *disk, struct sv_log *log, struct sv_clock clock)
{
    memset(credentials, 0, sizeof(*credentials));
    credentials->config = config;
    credentials->disk = disk;
    credentials->log = log;
    credentials->clock = clock;
    credentials->tls.cert = config->tls_cert;
    credentials->tls.key = config->tls_key;
    credentials->tls.is_12_spoken =
        config->tls_min != NULL && strcmp(config->tls_min, "1.2") == 0;
    if (config->token_key.count > 0) {
        credentials->keys = read_keys(credentials);
        if (credentials->keys == NULL) {
            return false;
        }
    }
    if (config->token_revoked != NULL) {
        credentials->revoked = read_revoked(credentials);
        if (credentials->revoked == NULL) {
            return false;
        }
    }
    return config->tls_cert == NULL || sv_credentials_check_tls(credentials);
}

void
sv_credentials_finish(struct sv_credentials *credentials)
{
    ac_keys_destroy(credentials->keys);
    ac_revoked_destroy(credentials->revoked);
    credentials->keys = NULL;
    credentials->revoked = NULL;
}

bool
sv_credentials_are_used(const struct sv_credentials *credentials)
{
    return credentials->keys != NULL || credentials->tls.cert != NULL;
}

bool
sv_credentials_reload_keys(struct sv_credentials *credentials, struct ac_keys **old)
{
    struct ac_keys *keys = read_keys(credentials);
    if (keys == NULL) {
        sv_log(credentials->log, SV_LOG_ERROR, "the keys in force stay as they are");
        return false;
    }
    *old = credentials->keys;
    credentials->keys = keys;
    return true;
}

bool
sv_credentials_reload_revoked(struct sv_credentials *credentials, struct ac_revoked **old)
{
    *old = NULL;
    if (credentials->config->token_revoked == NULL) {
        return true;
    }
    struct ac_revoked *revoked = read_revoked(credentials);
    if (revoked == NULL) {
        sv_log(credentials->log, SV_LOG_ERROR, "the tokens revoked so far stay as they are");
        return false;
    }
    *old = credentials->revoked;
    credentials->revoked = revoked;
    return true;
}
