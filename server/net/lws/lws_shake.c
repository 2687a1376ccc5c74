#include "server/net/lws/lws_shake.h"

#include "engine/base/assert.h"
#include "server/net/lws/lws_end.h"
#include "server/net/lws/lws_read.h"
#include "server/net/lws/lws_request.h"
#include "server/net/lws/lws_socket.h"
#include "server/net/lws/lws_stream.h"
#include "server/net/lws/lws_wsi.h"

#include <errno.h>
#include <openssl/evp.h>
#include <openssl/sha.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#define KEY_SIZE 24
#define ACCEPT_SIZE 32 /* 20 bytes in base64, and a 0 */

/* Copies the field's value, "" if the head has none.  False: it is there twice, or too long. */
static bool
copy_field(const struct sv_head *head, const char *bytes, const char *name, char *out,
    size_t out_size)
{
    size_t at = 0, size = 0, other_size = 0;
    const char *value = sv_head_field(head, bytes, name, &at, &size);
    out[0] = '\0';
    if (value == NULL) {
        return true;
    }
    if (size >= out_size || sv_head_field(head, bytes, name, &at, &other_size) != NULL) {
        return false;
    }
    memcpy(out, value, size);
    out[size] = '\0';
    return true;
}

static bool
is_from_known_page(const struct sv_lws *server, const struct sv_head *head, const char *bytes)
{
    char host[SV_HOST_SIZE], origin[SV_HOST_SIZE];
    return copy_field(head, bytes, "host", host, sizeof(host)) &&
        copy_field(head, bytes, "origin", origin, sizeof(origin)) &&
        sv_hosts_has_host(&server->hosts, host) && sv_hosts_has_origin(&server->hosts, origin);
}

/* Whether this valid head is a handshake that is accepted.  Fills in its key. */
static bool
is_accepted(const struct sv_connection *connection, const struct sv_head *head,
    const char *bytes, char key[KEY_SIZE + 1])
{
    static const char line[] = "GET /v1/ws HTTP/1.1\r\n";
    char upgrade[16], protocol[SV_LWS_PROTOCOLS_SIZE];
    const struct sv_lws *server = connection->server;
    enum sv_door door = connection->listener->door;
    bool has_room = !server->is_stopping && !connection->is_excess;
    return head->is_upgrade && has_room &&
        (door == SV_DOOR_WHOLE || door == SV_DOOR_PUBLIC) &&
        head->scanned >= sizeof(line) && memcmp(bytes, line, sizeof(line) - 1) == 0 &&
        copy_field(head, bytes, "upgrade", upgrade, sizeof(upgrade)) &&
        strcasecmp(upgrade, "websocket") == 0 &&
        copy_field(head, bytes, "sec-websocket-protocol", protocol, sizeof(protocol)) &&
        sv_lws_speaks_ours(protocol) &&
        copy_field(head, bytes, "sec-websocket-key", key, KEY_SIZE + 1) &&
        is_from_known_page(server, head, bytes);
}

/* RFC 6455, 4.2.2: the hash of the key with a fixed name behind it.  0: no memory for the hash. */
static size_t
print_acceptance(const char key[KEY_SIZE + 1], char *out, size_t out_size)
{
    unsigned char hash[SHA_DIGEST_LENGTH], text[ACCEPT_SIZE];
    char whole[KEY_SIZE + 40];
    int size = snprintf(
        whole, sizeof(whole), "%s258EAFA5-E914-47DA-95CA-C5AB0DC85B11", key);
    CN_ASSERT(size == KEY_SIZE + 36);
    if (SHA1((const unsigned char *)whole, (size_t)size, hash) == NULL) {
        return 0;
    }
    EVP_EncodeBlock(text, hash, sizeof(hash));
    size = snprintf(out, out_size,
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Accept: %s\r\nSec-WebSocket-Protocol: cairn.v1\r\n\r\n",
        (const char *)text);
    CN_ASSERT(size > 0 && (size_t)size < out_size);
    return (size_t)size;
}

/* The handshake's bytes are still unread. */
static void
begin_socket(struct sv_connection *connection, size_t head_size, const char *key)
{
    struct sv_lws *server = connection->server;
    char answer[256];
    size_t size = print_acceptance(key, answer, sizeof(answer));
    ssize_t got = recvfrom(connection->fd, server->bytes, head_size, MSG_DONTWAIT, NULL, NULL);
    if (size == 0 || got != (ssize_t)head_size || !sv_stream_put(connection, answer, size)) {
        sv_end_now(connection);
        return;
    }
    connection->intake.stage = SV_INTAKE_FRAMES;
    connection->heard_ns = sv_clock_now_ns(&server->options.clock);
    sv_stream_check_at(connection, connection->heard_ns + SV_PING_PERIOD_S * SV_NS_PER_S);
    sv_lws_established(connection);
}

void
sv_shake_read(struct sv_connection *connection)
{
    CN_ASSERT(!connection->is_socket && connection->intake.stage == SV_INTAKE_HEAD);
    char *bytes = (char *)connection->server->bytes, key[KEY_SIZE + 1];
    struct sv_head head = {0};
    ssize_t got = recvfrom(
        connection->fd, bytes, SV_HEAD_SIZE_MAX, MSG_PEEK | MSG_DONTWAIT, NULL, NULL);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
        return;
    }
    if (got <= 0) {
        sv_end_now(connection);
        return;
    }
    bool is_ours = sv_head_scan(&head, bytes, (size_t)got) == SV_HEAD_GOOD &&
        is_accepted(connection, &head, bytes, key);
    if (!is_ours) {
        sv_stream_release(connection);
        sv_lws_adopt(connection);
    } else if (sv_lws_read_client(connection, &head, bytes)) {
        begin_socket(connection, head.scanned, key);
    }
}
