#include "server/listeners.h"

#include <string.h>

#define ADDRESS_SIZE 64

struct listeners {
    struct sv_lws *lws;
    const struct sv_config *config;
    struct sv_log *log;
};

static bool
open_tcp(
    const struct listeners *l, const char *option, const char *text, enum sv_door door)
{
    char address[ADDRESS_SIZE], error[SV_TLS_ERROR_SIZE];
    int port = 0, bound = -1;
    if (!sv_config_split_address(text, address, sizeof(address), &port)) {
        snprintf(error, sizeof(error), "is no ADDR:PORT");
    } else {
        if (strcmp(address, "localhost") == 0) {
            strcpy(address, "127.0.0.1");
        }
        bound = sv_lws_listen(l->lws, address, port, door, error);
    }
    if (bound < 0) {
        if (option != NULL) {
            sv_log(l->log, SV_LOG_ERROR, "--%s %s: %s", option, text, error);
        }
        return false;
    }
    bool is_v6 = strchr(address, ':') != NULL, is_admin = door == SV_DOOR_ADMIN;
    sv_log(l->log, SV_LOG_INFO, "%s at %s://%s%s%s:%d/",
        is_admin ? "listening for admins" : "listening",
        l->lws->options.tls != NULL && !is_admin ? "https" : "http", is_v6 ? "[" : "", address,
        is_v6 ? "]" : "", bound);
    return true;
}

static bool
open_admin(const struct listeners *l)
{
    const char *text = l->config->admin_listen;
    char error[SV_TLS_ERROR_SIZE];
    if (text[0] != '/') {
        return open_tcp(l, "admin-listen", text, SV_DOOR_ADMIN);
    }
    if (!sv_lws_listen_unix(l->lws, text, error)) {
        sv_log(l->log, SV_LOG_ERROR, "--admin-listen %s: %s", text, error);
        return false;
    }
    sv_log(l->log, SV_LOG_INFO, "listening for admins at %s", text);
    return true;
}

bool
sv_listeners_open(struct sv_lws *lws, const struct sv_config *config, struct sv_log *log)
{
    const struct listeners listeners = {lws, config, log};
    bool is_public = config->admin_listen != NULL || sv_config_is_wide(config);
    enum sv_door door = is_public ? SV_DOOR_PUBLIC : SV_DOOR_WHOLE;
    if (config->admin_listen != NULL && !open_admin(&listeners)) {
        return false;
    }
    for (int i = 0; i < config->listen.count; i++) {
        if (!open_tcp(&listeners, "listen", config->listen.values[i], door)) {
            return false;
        }
    }
    if (config->listen.count == 0) {
        if (!open_tcp(&listeners, "listen", "127.0.0.1:7878", door)) {
            return false;
        }
        open_tcp(&listeners, NULL, "[::1]:7878", door); /* where there is IPv6 */
    }
    for (int i = 0; i < config->allow_host.count; i++) {
        sv_hosts_add_host(&lws->hosts, config->allow_host.values[i]);
    }
    for (int i = 0; i < config->allow_origin.count; i++) {
        sv_hosts_add_origin(&lws->hosts, config->allow_origin.values[i]);
    }
    return true;
}
