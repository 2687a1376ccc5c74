#include "tests/bench/fanout.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define EVENTS_MAX 256
#define HEAD_SIZE 80 /* of a frame that is looked at: its header and a whole TickHeader */
#define JOIN_DURATION_S 60.0

enum state { HANDSHAKE, JOINING, READING };

struct client {
    int fd;
    SSL *tls; /* NULL: plain */
    enum state state;
    bool is_stalled;
    uint8_t head[HEAD_SIZE]; /* of the frame that is being read */
    uint32_t head_size;
    uint64_t frame_left;     /* bytes of it that have not come */
    bool is_sized;           /* frame_left is known */
    uint32_t unacked;
};

struct crowd {
    const struct fanout_load *load;
    struct fanout_result *result;
    struct client *clients;
    SSL_CTX *tls;
    int epoll, joined_count, connected_count;
    bool is_measuring, is_broken;
    bool is_capturing; /* of client 0: a tick's frames after its header */
    bool is_captured;
};

/* ---- bytes ---- */

static bool
put_bytes(struct client *client, const void *bytes, size_t size)
{
    if (client->tls != NULL) {
        return SSL_write(client->tls, bytes, (int)size) == (int)size;
    }
    return send(client->fd, bytes, size, MSG_NOSIGNAL) == (ssize_t)size;
}

/* Returns the number of bytes read; 0: none yet, -1: the connection has ended. */
static ssize_t
get_bytes(struct client *client, uint8_t *bytes, size_t size)
{
    if (client->tls != NULL) {
        int count = SSL_read(client->tls, bytes, (int)size);
        return count > 0 ? count
            : SSL_get_error(client->tls, count) == SSL_ERROR_WANT_READ ? 0
                                                                       : -1;
    }
    ssize_t count = recv(client->fd, bytes, size, MSG_DONTWAIT);
    return count > 0 ? count : count < 0 && errno == EAGAIN ? 0 : -1;
}

/* Does not check the certificate: the test measures the daemon's cost. */
static bool
start_tls(struct crowd *crowd, struct client *client)
{
    if (crowd->tls == NULL) {
        return true;
    }
    client->tls = SSL_new(crowd->tls);
    bool is_good = client->tls != NULL && SSL_set_fd(client->tls, client->fd) == 1 &&
        SSL_connect(client->tls) == 1;
    return is_good && fcntl(client->fd, F_SETFL, O_NONBLOCK) == 0;
}

/* ---- sending ---- */

static void
send_message(struct client *client, const uint8_t *message, size_t size)
{
    /* A mask of zeros leaves the bytes as they are. */
    uint8_t bytes[256] = {0x82, (uint8_t)(0x80 | size)};
    memcpy(bytes + 6, message, size);
    if (!put_bytes(client, bytes, size + 6)) {
        perror("client sends");
    }
}

static void
say_hello(const struct fanout_load *load, struct client *client)
{
    uint8_t hello[] = {0x0a, 2, 0x08, 1};
    uint8_t subscribe[] = {0x2a, 2, 0x18, (uint8_t)load->mode};
    uint8_t join[80] = {0x12};
    size_t size = strlen(load->world);
    join[1] = (uint8_t)(size + 2);
    join[2] = 0x0a;
    join[3] = (uint8_t)size;
    memcpy(join + 4, load->world, size);
    send_message(client, hello, sizeof(hello));
    if (load->mode != 0) {
        send_message(client, subscribe, sizeof(subscribe));
    }
    send_message(client, join, size + 4);
}

static void
say_ack(struct client *client, uint64_t tick)
{
    uint8_t ack[16] = {0x52, 0, 0x08};
    size_t size = 3;
    for (; tick >= 128; tick >>= 7) {
        ack[size++] = (uint8_t)(tick | 128);
    }
    ack[size++] = (uint8_t)tick;
    ack[1] = (uint8_t)(size - 2);
    send_message(client, ack, size);
}

static bool
start_client(struct crowd *crowd, int index)
{
    struct client *client = &crowd->clients[index];
    char request[512];
    struct sockaddr_in address = {.sin_family = AF_INET,
        .sin_port = htons((uint16_t)crowd->load->port),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    client->fd = socket(AF_INET, SOCK_STREAM, 0);
    client->is_stalled = index >= crowd->load->client_count - crowd->load->stalled_count;
    int size = snprintf(request, sizeof(request),
        "GET /v1/ws HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUpgrade: websocket\r\n"
        "Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: cairn.v1\r\n\r\n",
        crowd->load->port);
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = (uint32_t)index};
    return client->fd >= 0 &&
        connect(client->fd, (struct sockaddr *)&address, sizeof(address)) == 0 &&
        start_tls(crowd, client) && put_bytes(client, request, (size_t)size) &&
        epoll_ctl(crowd->epoll, EPOLL_CTL_ADD, client->fd, &event) == 0;
}

/* ---- reading ---- */

static size_t
get_varint(const uint8_t *bytes, size_t size, uint64_t *value)
{
    *value = 0;
    for (size_t i = 0; i < size && i < 10; i++) {
        *value |= (uint64_t)(bytes[i] & 127) << (7 * i);
        if (bytes[i] < 128) {
            return i + 1;
        }
    }
    return size;
}

/* A TickHeader: its age is the latency. */
static void
see_tick(struct crowd *crowd, struct client *client, const uint8_t *bytes, size_t size)
{
    uint64_t field[5] = {0}, inner_size;
    size_t used = get_varint(bytes, size, &inner_size);
    while (used < size) {
        unsigned tag = bytes[used++];
        uint64_t value;
        used += get_varint(bytes + used, size - used, &value);
        if ((tag & 7) == 0 && tag >> 3 < 5) {
            field[tag >> 3] = value;
        }
    }
    if (client->state == JOINING) {
        client->state = READING;
        crowd->joined_count++;
        if (client->is_stalled) {
            epoll_ctl(crowd->epoll, EPOLL_CTL_DEL, client->fd, NULL);
        }
    }
    uint64_t now_us = fanout_now_ns() / 1000;
    if (crowd->is_measuring) {
        uint64_t place = (now_us - field[4]) / FANOUT_LATENCY_STEP_US;
        crowd->result->tick_count++;
        if (place < FANOUT_LATENCY_COUNT) {
            crowd->result->latency[place]++;
        } else {
            crowd->result->late_count++;
        }
    }
    if (crowd->load->ack_ticks > 0 && ++client->unacked >= (uint32_t)crowd->load->ack_ticks) {
        client->unacked = 0;
        say_ack(client, field[1]);
    }
}

static void
capture(struct crowd *crowd, struct client *client, const uint8_t *bytes, size_t size)
{
    struct fanout_frame *frame = crowd->result->frame;
    if (!crowd->is_captured && crowd->is_capturing && client == crowd->clients &&
        frame->size + size <= sizeof(frame->bytes)) {
        memcpy(frame->bytes + frame->size, bytes, size);
        frame->size += size;
    }
}

/* The frame's head is whole, or the frame is shorter than a head. */
static void
see_head(struct crowd *crowd, struct client *client, size_t header_size)
{
    const uint8_t *message = client->head + header_size;
    bool is_tick = client->head_size > header_size && message[0] == 0x1a;
    if (client == crowd->clients && is_tick && crowd->is_measuring) {
        crowd->is_captured = crowd->is_captured || crowd->result->frame->size > 0;
        crowd->is_capturing = true;
    }
    if (is_tick) {
        see_tick(crowd, client, message + 1, client->head_size - header_size - 1);
    } else {
        capture(crowd, client, client->head, client->head_size);
    }
}

/* Bytes of the frame's head; returns how many were used. */
static size_t
read_head(struct crowd *crowd, struct client *client, const uint8_t *bytes, size_t size)
{
    size_t used = 0;
    while (used < size) {
        client->head[client->head_size++] = bytes[used++];
        unsigned code = client->head_size > 1 ? client->head[1] & 127u : 0;
        size_t header_size = code == 127 ? 10 : code == 126 ? 4 : 2;
        if (!client->is_sized && client->head_size >= 2 && client->head_size == header_size) {
            client->frame_left = code;
            client->is_sized = true;
            if (code >= 126) {
                client->frame_left = 0;
                for (size_t i = 2; i < header_size; i++) {
                    client->frame_left = client->frame_left << 8 | client->head[i];
                }
            }
        } else if (client->is_sized) {
            client->frame_left--;
        }
        if (client->is_sized && (client->frame_left == 0 || client->head_size == HEAD_SIZE)) {
            see_head(crowd, client, header_size);
            break;
        }
    }
    return used;
}

static void
read_frames(struct crowd *crowd, struct client *client, const uint8_t *bytes, size_t size)
{
    while (size > 0) {
        size_t used;
        bool is_in_head = !client->is_sized || client->head_size < HEAD_SIZE;
        if (is_in_head) {
            used = read_head(crowd, client, bytes, size);
        } else {
            used = client->frame_left < size ? client->frame_left : size;
            client->frame_left -= used;
            capture(crowd, client, bytes, used);
        }
        bytes += used;
        size -= used;
        bool is_seen = client->is_sized && client->frame_left == 0;
        if (is_seen) {
            client->head_size = 0;
            client->is_sized = false;
        }
    }
}

static void
handle_bytes(struct crowd *crowd, struct client *client, const uint8_t *bytes, ssize_t size)
{
    size_t used = 0;
    if (client->state == HANDSHAKE) {
        const uint8_t *end = memmem(bytes, (size_t)size, "\r\n\r\n", 4);
        if (end == NULL || memcmp(bytes, "HTTP/1.1 101", 12) != 0) {
            fprintf(stderr, "no handshake: %.*s\n", (int)size, (const char *)bytes);
            crowd->is_broken = true;
            return;
        }
        used = (size_t)(end + 4 - bytes);
        client->state = JOINING;
        crowd->connected_count++;
        say_hello(crowd->load, client);
    }
    crowd->result->byte_count += crowd->is_measuring ? (size_t)size : 0;
    read_frames(crowd, client, bytes + used, (size_t)size - used);
}

static void
handle(struct crowd *crowd, struct client *client)
{
    static uint8_t bytes[FANOUT_FRAME_SIZE_MAX];
    ssize_t size;
    do {
        size = get_bytes(client, bytes, sizeof(bytes));
        if (size > 0) {
            handle_bytes(crowd, client, bytes, size);
        }
    } while (size > 0 && client->tls != NULL && SSL_has_pending(client->tls));
    if (size < 0) {
        fprintf(stderr, "a connection has ended in state %d\n", (int)client->state);
        crowd->is_broken = true;
        epoll_ctl(crowd->epoll, EPOLL_CTL_DEL, client->fd, NULL);
    }
}

static void
run_until(struct crowd *crowd, double duration_s, const int *count, int wanted)
{
    uint64_t end_ns = fanout_now_ns() + (uint64_t)(duration_s * 1e9);
    while (fanout_now_ns() < end_ns && !crowd->is_broken && (count == NULL || *count < wanted)) {
        struct epoll_event events[EVENTS_MAX];
        int timeout_ms = crowd->load->is_sleeping ? 50 : 0;
        int event_count = epoll_wait(crowd->epoll, events, EVENTS_MAX, timeout_ms);
        for (int i = 0; i < event_count; i++) {
            handle(crowd, &crowd->clients[events[i].data.u32]);
        }
    }
}

/* ---- the sender's side ---- */

static uint64_t
cpu_ns(int sender)
{
    char path[64];
    unsigned long long on_cpu = 0;
    /* The first thread alone: it is the one of the network. */
    snprintf(path, sizeof(path), "/proc/%d/task/%d/schedstat", sender, sender);
    FILE *in = fopen(path, "r");
    if (in != NULL) {
        if (fscanf(in, "%llu", &on_cpu) != 1) {
            on_cpu = 0;
        }
        fclose(in);
    }
    return on_cpu;
}

static long
find_number(const char *path, const char *before, const char *word)
{
    char line[256];
    long value = 0;
    FILE *in = fopen(path, "r");
    while (in != NULL && fgets(line, sizeof(line), in) != NULL) {
        const char *at = strncmp(line, before, strlen(before)) == 0 ? strstr(line, word) : NULL;
        value = at != NULL ? strtol(at + strlen(word), NULL, 10) : value;
    }
    if (in != NULL) {
        fclose(in);
    }
    return value;
}

/* The memory of the process, without the files that it maps. */
static long
memory_kib(int sender)
{
    char path[64];
    snprintf(path, sizeof(path), "/proc/%d/status", sender);
    return find_number(path, "RssAnon", "RssAnon:");
}

static long
kernel_kib(void)
{
    return find_number("/proc/net/sockstat", "TCP:", " mem ") * (sysconf(_SC_PAGESIZE) / 1024);
}

/* A few at a time, so that no queue of the kernel's overflows. */
static bool
connect_all(struct crowd *crowd)
{
    for (int i = 0; i < crowd->load->client_count && !crowd->is_broken; i++) {
        if (!start_client(crowd, i)) {
            perror("connect");
            return false;
        }
        if (i % 16 == 15 || i == crowd->load->client_count - 1) {
            run_until(crowd, JOIN_DURATION_S, &crowd->connected_count, i + 1);
        }
    }
    run_until(crowd, JOIN_DURATION_S, &crowd->joined_count, crowd->load->client_count);
    if (crowd->joined_count < crowd->load->client_count) {
        fprintf(stderr, "%d of %d have joined\n", crowd->joined_count,
            crowd->load->client_count);
        return false;
    }
    return true;
}

bool
fanout_run_clients(const struct fanout_load *load, int sender, struct fanout_result *result)
{
    struct crowd crowd = {.load = load, .result = result, .epoll = epoll_create1(0)};
    crowd.clients = calloc((size_t)load->client_count, sizeof(*crowd.clients));
    result->memory_before_kib = memory_kib(sender);
    result->kernel_before_kib = kernel_kib();
    crowd.tls = load->is_tls ? SSL_CTX_new(TLS_client_method()) : NULL;
    bool is_good = crowd.clients != NULL && connect_all(&crowd);
    if (is_good) {
        run_until(&crowd, load->warm_s, NULL, 0);
        uint64_t start_ns = fanout_now_ns(), start_cpu_ns = cpu_ns(sender);
        crowd.is_measuring = true;
        run_until(&crowd, load->duration_s, NULL, 0);
        result->cpu_ns = cpu_ns(sender) - start_cpu_ns;
        result->duration_s = (double)(fanout_now_ns() - start_ns) * 1e-9;
        result->memory_after_kib = memory_kib(sender);
        result->kernel_after_kib = kernel_kib();
        is_good = !crowd.is_broken;
    }
    for (int i = 0; crowd.clients != NULL && i < load->client_count; i++) {
        if (crowd.clients[i].fd > 0) {
            SSL_free(crowd.clients[i].tls);
            close(crowd.clients[i].fd);
        }
    }
    SSL_CTX_free(crowd.tls);
    close(crowd.epoll);
    free(crowd.clients);
    return is_good;
}
