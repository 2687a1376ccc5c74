#include "server/listeners.h"

#include "server/net/port.h"

#include <string.h>

#define ADDRESS_SIZE 64

struct listeners {
    struct sv_lws *lws;
    const struct sv_config *config;
    struct sv_log *log;
};

/* Reads the numeric address and the port in a text; false with *error filled. */
static bool
read_address(
    const char *text, char address[ADDRESS_SIZE], int *port, char error[SV_TLS_ERROR_SIZE])
{
    if (!sv_config_split_address(text, address, ADDRESS_SIZE, port)) {
        snprintf(error, SV_TLS_ERROR_SIZE, "is no ADDR:PORT");
        return false;
    }
    if (strcmp(address, "localhost") == 0) {
        strcpy(address, "127.0.0.1");
    }
    return true;
}

static bool
open_tcp(
    const struct listeners *l, const char *option, const char *text, enum sv_door door)
{
    char address[ADDRESS_SIZE], error[SV_TLS_ERROR_SIZE];
    int port = 0, bound = -1;
    if (read_address(text, address, &port, error)) {
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
open_socket(const struct listeners *l, const char *path)
{
    char error[SV_TLS_ERROR_SIZE];
    if (!sv_lws_listen_unix(l->lws, path, SV_DOOR_PUBLIC, error)) {
        sv_log(l->log, SV_LOG_ERROR, "--listen %s: %s", path, error);
        return false;
    }
    sv_log(l->log, SV_LOG_INFO, "listening for a proxy at %s", path);
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
    if (!sv_lws_listen_unix(l->lws, text, SV_DOOR_UNIX, error)) {
        sv_log(l->log, SV_LOG_ERROR, "--admin-listen %s: %s", text, error);
        return false;
    }
    sv_log(l->log, SV_LOG_INFO, "listening for admins at %s", text);
    return true;
}

static bool
is_address_free(struct sv_log *log, const char *option, const char *text)
{
    char address[ADDRESS_SIZE], error[SV_TLS_ERROR_SIZE];
    int port = 0;
    if (read_address(text, address, &port, error) &&
        sv_port_check(address, port, error, sizeof(error))) {
        return true;
    }
    sv_log(log, SV_LOG_ERROR, "--%s %s: %s", option, text, error);
    return false;
}

bool
sv_listeners_check(const struct sv_config *config, struct sv_log *log)
{
    const char *admin = config->admin_listen;
    if (admin != NULL && admin[0] != '/' && !is_address_free(log, "admin-listen", admin)) {
        return false;
    }
    for (int i = 0; i < config->listen.count; i++) {
        const char *text = config->listen.values[i];
        if (text[0] != '/' && !is_address_free(log, "listen", text)) {
            return false;
        }
    }
    return config->listen.count > 0 || is_address_free(log, "listen", "127.0.0.1:7878");
}

static bool
name_proxies(const struct sv_config *config, struct sv_proxies *proxies, char *error)
{
    memset(proxies, 0, sizeof(*proxies));
    for (int i = 0; i < config->proxy.count; i++) {
        if (!sv_proxies_add(proxies, config->proxy.values[i], error)) {
            return false;
        }
    }
    return true;
}

bool
sv_listeners_check_proxies(const struct sv_config *config, char error[SV_CONFIG_ERROR_SIZE])
{
    struct sv_proxies proxies;
    return name_proxies(config, &proxies, error);
}

bool
sv_listeners_open(struct sv_lws *lws, const struct sv_config *config, struct sv_log *log)
{
    const struct listeners listeners = {lws, config, log};
    char error[SV_CONFIG_ERROR_SIZE];
    if (!name_proxies(config, &lws->proxies, error)) { /* before the first listener */
        sv_log(log, SV_LOG_ERROR, "%s", error);
        return false;
    }
    bool is_public = config->admin_listen != NULL || sv_config_is_wide(config);
    enum sv_door door = is_public ? SV_DOOR_PUBLIC : SV_DOOR_WHOLE;
    if (config->admin_listen != NULL && !open_admin(&listeners)) {
        return false;
    }
    for (int i = 0; i < config->listen.count; i++) {
        const char *text = config->listen.values[i];
        if (text[0] == '/' ? !open_socket(&listeners, text)
                           : !open_tcp(&listeners, "listen", text, door)) {
            return false;
        }
    }
    if (config->listen.count == 0) {
        if (!open_tcp(&listeners, "listen", "127.0.0.1:7878", door)) {
            return false;
        }
        open_tcp(&listeners, NULL, "[::1]:7878", door); /* may fail: not every machine has IPv6 */
    }
    for (int i = 0; i < config->allow_host.count; i++) {
        sv_hosts_add_host(&lws->hosts, config->allow_host.values[i]);
    }
    for (int i = 0; i < config->allow_origin.count; i++) {
        sv_hosts_add_origin(&lws->hosts, config->allow_origin.values[i]);
    }
    return true;
}
