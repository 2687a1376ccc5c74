/*
 * lws_listen.c: listeners: TCP, plain or with TLS, and a Unix socket.
 */
#include "engine/base/assert.h"
#include "server/net/lws/lws_connection.h"
#include "server/net/lws/lws_http.h"
#include "server/net/lws/lws_server.h"
#include "server/net/lws/lws_socket.h"
#include "server/net/port.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define WRITE_SIZE_MAX (16 * 1024 * 1024) /* for one send, so that lws never cuts a message */
#define RX_SIZE 256 /* each connection has a buffer of this; messages may be longer */

static const struct lws_protocols protocols[] = {
    {.name = "http", .callback = sv_lws_http_callback, .tx_packet_size = WRITE_SIZE_MAX},
    {.name = "cairn.v1",
        .callback = sv_lws_socket_callback,
        .rx_buffer_size = RX_SIZE,
        .tx_packet_size = WRITE_SIZE_MAX},
    {0},
};

/* Each listener points at its entry, so that a connection's door is found by its vhost. */
static enum sv_door doors[] = {SV_DOOR_WHOLE, SV_DOOR_PUBLIC, SV_DOOR_ADMIN, SV_DOOR_UNIX};

/* A copy of an address, to which lws keeps a pointer; NULL when there are too many. */
static char *
keep_address(struct sv_lws *server, const char *address)
{
    CN_ASSERT(server->address_count <= SV_LISTENERS_MAX);
    if (server->address_count == SV_LISTENERS_MAX ||
        strlen(address) >= sizeof(server->addresses[0])) {
        return NULL;
    }
    return strcpy(server->addresses[server->address_count++], address);
}

static struct lws_context_creation_info
make_info(const char *kept, enum sv_door door)
{
    CN_ASSERT((size_t)door < sizeof(doors) / sizeof(doors[0]));
    return (struct lws_context_creation_info){
        .iface = kept,
        .vhost_name = kept,
        .protocols = protocols,
        .options =
            LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND | LWS_SERVER_OPTION_VALIDATE_UTF8,
        .retry_and_idle_policy = &sv_lws_ping_policy,
        .keepalive_timeout = 5,
        .timeout_secs = 10,
        .user = &doors[door],
    };
}

bool
sv_lws_renew_tls(struct sv_lws *server)
{
    bool is_good = true;
    for (int i = 0; i < server->tls_context_count; i++) {
        is_good = sv_tls_renew(server->options.tls, server->tls_contexts[i]) && is_good;
    }
    return is_good;
}

int
sv_lws_listen(struct sv_lws *server, const char *address, int port, enum sv_door door,
    char error[SV_TLS_ERROR_SIZE])
{
    bool is_v6 = strchr(address, ':') != NULL;
    bool is_any = strcmp(address, "0.0.0.0") == 0 || strcmp(address, "::") == 0;
    const struct sv_tls *tls = door == SV_DOOR_ADMIN ? NULL : server->options.tls;
    if (!sv_port_check(address, port, error, SV_TLS_ERROR_SIZE)) {
        return -1;
    }
    const char *kept = keep_address(server, address);
    if (kept == NULL) {
        snprintf(error, SV_TLS_ERROR_SIZE, "is one listener too many");
        return -1;
    }
    struct lws_context_creation_info info = make_info(kept, door);
    info.port = port;
    info.iface = is_any ? NULL : kept;
    info.options |= is_v6
        ? LWS_SERVER_OPTION_IPV6_V6ONLY_MODIFY | LWS_SERVER_OPTION_IPV6_V6ONLY_VALUE
        : LWS_SERVER_OPTION_DISABLE_IPV6;
    if (tls != NULL) {
        info.options |= LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT;
        info.ssl_cert_filepath = tls->cert;
        info.ssl_private_key_filepath = tls->key;
        info.ssl_cipher_list = SV_TLS_CIPHERS;
        info.alpn = "http/1.1"; /* never h2 */
    }
    struct lws_vhost *vhost = lws_create_vhost(server->context, &info);
    if (vhost == NULL) {
        snprintf(error, SV_TLS_ERROR_SIZE, "can not be listened on");
        return -1;
    }
    int bound = lws_get_vhost_listen_port(vhost);
    if (bound <= 0) {
        snprintf(error, SV_TLS_ERROR_SIZE, "the system does not say which port it is");
        return -1;
    }
    sv_hosts_add_listener(&server->hosts, address, bound);
    return bound;
}

bool
sv_lws_listen_unix(struct sv_lws *server, const char *path, enum sv_door door,
    char error[SV_TLS_ERROR_SIZE])
{
    const char *kept = keep_address(server, path);
    if (kept == NULL) {
        snprintf(error, SV_TLS_ERROR_SIZE, "has too long a path");
        return false;
    }
    struct lws_context_creation_info info = make_info(kept, door);
    info.options |= LWS_SERVER_OPTION_UNIX_SOCK;
    /*
     * A process that may write to the socket's file may connect, so the file is made without rights
     * for others.
     */
    mode_t before = umask(door == SV_DOOR_UNIX ? 0177 : 0117);
    struct lws_vhost *vhost = lws_create_vhost(server->context, &info);
    umask(before);
    if (vhost == NULL) {
        snprintf(error, SV_TLS_ERROR_SIZE, "can not be made");
        return false;
    }
    return true;
}
