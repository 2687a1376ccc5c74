#include "tests/bench/fanout.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define PERIOD_NS (1000000000 / 60)
#define EVENTS_MAX 256

struct client {
    int fd;
    bool is_open, is_full;
};

uint64_t
fanout_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

size_t
fanout_frame_header(uint8_t *out, size_t message_size)
{
    size_t width = message_size < 126 ? 0 : message_size < 65536 ? 2 : 8;
    out[0] = 0x82;
    out[1] = (uint8_t)(width == 0 ? message_size : width == 2 ? 126 : 127);
    for (size_t i = 0; i < width; i++) {
        out[2 + i] = (uint8_t)((uint64_t)message_size >> (8 * (width - 1 - i)));
    }
    return 2 + width;
}

static size_t
put_varint(uint8_t *out, uint64_t value)
{
    size_t size = 0;
    while (value >= 128) {
        out[size++] = (uint8_t)(value | 128);
        value >>= 7;
    }
    out[size++] = (uint8_t)value;
    return size;
}

size_t
fanout_tick_header(uint8_t *out, uint64_t tick, uint64_t time_us)
{
    uint8_t inner[32], message[40];
    size_t size = 0, message_size = 0;
    inner[size++] = 0x08; /* tick */
    size += put_varint(inner + size, tick);
    inner[size++] = 0x20; /* server_time_us */
    size += put_varint(inner + size, time_us);
    message[message_size++] = 0x1a; /* ServerMessage.tick */
    message_size += put_varint(message + message_size, size);
    memcpy(message + message_size, inner, size);
    message_size += size;
    size_t header_size = fanout_frame_header(out, message_size);
    memcpy(out + header_size, message, message_size);
    return header_size + message_size;
}

/*
 * Sends each client a header and the frame, in one send of contiguous bytes.  A tick's age counts
 * from its timer, because cairnd's clock also starts before its network thread is woken.
 */
static void
broadcast(struct client *clients, int count, uint64_t tick, uint64_t due_ns,
    const struct fanout_frame *frame)
{
    static uint8_t bytes[64 + FANOUT_FRAME_SIZE_MAX];
    uint64_t now_us = due_ns / 1000;
    memcpy(bytes + fanout_tick_header(bytes, tick, now_us), frame->bytes, frame->size);
    for (int i = 0; i < count; i++) {
        if (!clients[i].is_open || clients[i].is_full) {
            continue;
        }
        size_t size = fanout_tick_header(bytes, tick, now_us) + frame->size;
        ssize_t taken = send(clients[i].fd, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);
        /* A partial send ends this client's stream, because the bare sender keeps no rest. */
        clients[i].is_full = taken != (ssize_t)size && !(taken < 0 && errno == EAGAIN);
    }
}

/* An HTTP request is answered once it is whole; everything else that comes is dropped. */
static void
hear(struct client *client)
{
    static const char answer[] = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
                                 "Connection: Upgrade\r\nSec-WebSocket-Protocol: cairn.v1\r\n\r\n";
    char bytes[4096];
    ssize_t size = recv(client->fd, bytes, sizeof(bytes) - 1, MSG_DONTWAIT);
    if (size == 0 || (size < 0 && errno != EAGAIN)) {
        close(client->fd);
        client->fd = -1;
        client->is_open = false;
    } else if (size > 0 && !client->is_open) {
        bytes[size] = '\0';
        client->is_open = strstr(bytes, "\r\n\r\n") != NULL &&
            send(client->fd, answer, sizeof(answer) - 1, MSG_NOSIGNAL) > 0;
    }
}

static int
listen_at(int port)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), on = 1;
    struct sockaddr_in address = {.sin_family = AF_INET,
        .sin_port = htons((uint16_t)port),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (bind(fd, (struct sockaddr *)&address, sizeof(address)) != 0 || listen(fd, 1024) != 0) {
        perror("bare sender");
        _exit(1);
    }
    return fd;
}

static void
watch(int epoll, int fd, uint32_t number)
{
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = number};
    epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
}

static void
let_in(int epoll, int listener, struct client *clients, int *count, int client_max)
{
    int fd, on = 1;
    while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
        if (*count == client_max) {
            close(fd);
            continue;
        }
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
        clients[*count] = (struct client){.fd = fd};
        watch(epoll, fd, (uint32_t)(*count)++);
    }
}

void
fanout_run_bare(int port, int client_max, const struct fanout_frame *frame)
{
    struct client *clients = calloc((size_t)client_max, sizeof(*clients));
    int epoll = epoll_create1(0), listener = listen_at(port), client_count = 0;
    int timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
    uint64_t due_ns = fanout_now_ns() + PERIOD_NS;
    struct itimerspec period = {{0, PERIOD_NS},
        {(time_t)(due_ns / 1000000000), (long)(due_ns % 1000000000)}};
    timerfd_settime(timer, TFD_TIMER_ABSTIME, &period, NULL);
    due_ns -= PERIOD_NS; /* when a tick before the first one would have been due */
    watch(epoll, listener, UINT32_MAX);
    watch(epoll, timer, UINT32_MAX - 1);
    if (clients == NULL) {
        _exit(1);
    }
    for (uint64_t tick = 0;;) {
        struct epoll_event events[EVENTS_MAX];
        int count = epoll_wait(epoll, events, EVENTS_MAX, -1);
        for (int i = 0; i < count; i++) {
            uint64_t expired;
            if (events[i].data.u32 == UINT32_MAX) {
                let_in(epoll, listener, clients, &client_count, client_max);
            } else if (events[i].data.u32 < UINT32_MAX - 1) {
                hear(&clients[events[i].data.u32]);
            } else if (read(timer, &expired, sizeof(expired)) == (ssize_t)sizeof(expired)) {
                due_ns += expired * PERIOD_NS;
                broadcast(clients, client_count, ++tick, due_ns, frame);
            }
        }
    }
}
