/*
 * lws_listen.c: listeners: TCP, plain or with TLS, and a Unix socket.
 */
#include "engine/base/assert.h"
#include "server/net/lws/lws_connection.h"
#include "server/net/lws/lws_guard.h"
#include "server/net/lws/lws_http.h"
#include "server/net/lws/lws_proxy.h"
#include "server/net/lws/lws_send.h"
#include "server/net/lws/lws_server.h"
#include "server/net/lws/lws_socket.h"
#include "server/net/lws/lws_wsi.h"
#include "server/net/port.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define WRITE_SIZE_MAX (16 * 1024 * 1024) /* for one send, so that lws never cuts a message */
#define ACCEPTS_MAX 64
#define BACKLOG 4096 /* the kernel limits it by net.core.somaxconn */
#define FAILURE_PAUSE_NS (100 * SV_NS_PER_MS)
#define RX_SIZE 256 /* each connection has a buffer of this; messages may be longer */

static const struct lws_protocols protocols[] = {
    {.name = "http", .callback = sv_lws_http_callback, .tx_packet_size = WRITE_SIZE_MAX},
    {.name = "cairn.v1",
        .callback = sv_lws_socket_callback,
        .rx_buffer_size = RX_SIZE,
        .tx_packet_size = WRITE_SIZE_MAX},
    {0},
};

/* ---- accepting ---- */

void
sv_lws_take(struct sv_listener *listener, int fd_take, const struct sockaddr *from)
{
    struct sv_arrival arrival = {.from = from};
    switch (sv_lws_guard_admit(listener, &arrival)) {
    case SV_ADMISSION_REFUSED:
        close(fd_take);
        return;
    case SV_ADMISSION_LET_IN:
        sv_lws_begin(listener, fd_take, &arrival);
        return;
    case SV_ADMISSION_AWAITED:
        sv_lws_proxy_hold(listener, fd_take);
        return;
    }
}

/* Accepts at most ACCEPTS_MAX, so that other events get their turn; the loop then calls again. */
static void
on_accept(uv_poll_t *handle, int status, int events)
{
    struct sv_listener *listener = handle->data;
    (void)status;
    (void)events;
    for (int i = 0; i < ACCEPTS_MAX && !listener->is_paused && listener->fd >= 0; i++) {
        struct sockaddr_storage address = {0};
        socklen_t size = sizeof(address);
        int fd = accept4(listener->fd, (struct sockaddr *)&address, &size,
            SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd >= 0) {
            sv_lws_take(listener, fd, (const struct sockaddr *)&address);
        } else if (errno == EAGAIN) {
            return;
        } else if (errno != EINTR && errno != ECONNABORTED) {
            sv_lws_guard_pause(listener, FAILURE_PAUSE_NS); /* no file or no memory now */
        }
    }
}

/* ---- listening ---- */

static struct sv_listener *
make_listener(struct sv_lws *server, const char *address, enum sv_door door)
{
    CN_ASSERT(server->listener_count <= SV_LISTENERS_MAX);
    struct sv_listener *listener = NULL;
    if (server->listener_count < SV_LISTENERS_MAX &&
        strlen(address) < sizeof(listener->address)) {
        listener = calloc(1, sizeof(*listener));
    }
    if (listener != NULL) {
        strcpy(listener->address, address);
        snprintf(listener->name, sizeof(listener->name), "#%d", server->listener_count);
        listener->server = server;
        listener->fd = -1;
        listener->door = door;
        listener->poll.data = listener;
    }
    return listener;
}

static struct lws_context_creation_info
make_info(const struct sv_listener *listener)
{
    return (struct lws_context_creation_info){
        .port = CONTEXT_PORT_NO_LISTEN_SERVER,
        .vhost_name = listener->name,
        .protocols = protocols,
        .options = LWS_SERVER_OPTION_VALIDATE_UTF8,
        .retry_and_idle_policy = &sv_lws_ping_policy,
        .keepalive_timeout = 5,
        .timeout_secs = 10,
    };
}

/* Begins to accept; false: the listener is freed, and its socket closed. */
static bool
open_listener(
    struct sv_listener *listener, int fd, const struct lws_context_creation_info *info)
{
    struct sv_lws *server = listener->server;
    bool is_good = fd >= 0 && listen(fd, BACKLOG) == 0;
    listener->vhost = is_good ? lws_create_vhost(server->context, info) : NULL;
    is_good = listener->vhost != NULL &&
        uv_poll_init(server->options.loop, &listener->poll, fd) == 0;
    if (!is_good) {
        if (fd >= 0) {
            close(fd);
        }
        free(listener);
        return false;
    }
    listener->fd = fd;
    server->listeners[server->listener_count++] = listener;
    listener->accept = on_accept;
    (void)uv_poll_start(&listener->poll, UV_READABLE, on_accept);
    return true;
}

/* A socket that is bound to the address; -1: it can not be made. */
static int
bind_tcp(const char *address, int port)
{
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port)};
    struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    bool is_v6 = strchr(address, ':') != NULL;
    int one = 1;
    bool is_read = is_v6 ? inet_pton(AF_INET6, address, &v6.sin6_addr) == 1
                         : inet_pton(AF_INET, address, &v4.sin_addr) == 1;
    int fd = !is_read ? -1
                      : socket(is_v6 ? AF_INET6 : AF_INET,
                            SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        return -1;
    }
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
    if (is_v6) {
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof(one));
    }
    sv_lws_prepare(fd);
    const struct sockaddr *name =
        is_v6 ? (const struct sockaddr *)&v6 : (const struct sockaddr *)&v4;
    if (bind(fd, name, is_v6 ? sizeof(v6) : sizeof(v4)) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

/* The port of a bound socket; 0: not known. */
static int
port_of(int fd)
{
    struct sockaddr_storage name = {0};
    socklen_t size = sizeof(name);
    if (getsockname(fd, (struct sockaddr *)&name, &size) != 0) {
        return 0;
    }
    return name.ss_family == AF_INET6 ? ntohs(((const struct sockaddr_in6 *)&name)->sin6_port)
                                      : ntohs(((const struct sockaddr_in *)&name)->sin_port);
}

static int
bind_path(const char *path)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    CN_ASSERT(strlen(path) < sizeof(name.sun_path));
    strcpy(name.sun_path, path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        return -1;
    }
    sv_lws_prepare(fd);
    unlink(path); /* of a daemon that was killed */
    if (bind(fd, (const struct sockaddr *)&name, sizeof(name)) != 0) {
        close(fd);
        return -1;
    }
    return fd;
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
    const struct sv_tls *tls = door == SV_DOOR_ADMIN ? NULL : server->options.tls;
    if (!sv_port_check(address, port, error, SV_TLS_ERROR_SIZE)) {
        return -1;
    }
    struct sv_listener *listener = make_listener(server, address, door);
    if (listener == NULL) {
        snprintf(error, SV_TLS_ERROR_SIZE, "is one listener too many");
        return -1;
    }
    listener->is_tls = tls != NULL;
    struct lws_context_creation_info info = make_info(listener);
    if (tls != NULL) {
        info.options |= LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT;
        info.ssl_cert_filepath = tls->cert;
        info.ssl_private_key_filepath = tls->key;
        info.ssl_cipher_list = SV_TLS_CIPHERS;
        info.alpn = "http/1.1"; /* never h2 */
    }
    int fd = bind_tcp(address, port);
    if (!open_listener(listener, fd, &info)) {
        snprintf(error, SV_TLS_ERROR_SIZE, "can not be listened on");
        return -1;
    }
    int bound = port_of(fd);
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
    struct sv_listener *listener = make_listener(server, path, door);
    if (listener == NULL) {
        snprintf(error, SV_TLS_ERROR_SIZE, "has too long a path");
        return false;
    }
    listener->is_path = true;
    struct lws_context_creation_info info = make_info(listener);
    /*
     * A process that may write to the socket's file may connect, so the file is made without rights
     * for others.
     */
    mode_t before = umask(door == SV_DOOR_UNIX ? 0177 : 0117);
    int fd = bind_path(path);
    umask(before);
    if (!open_listener(listener, fd, &info)) {
        snprintf(error, SV_TLS_ERROR_SIZE, "can not be made");
        return false;
    }
    return true;
}
