/*
 * fanout.h: the parts of the fan-out benchmark.
 *
 * bench_fanout starts a sender in a separate process and connects N WebSocket clients to it.  All
 * clients are in this process, on one epoll.  It measures the sender's cost of a delivered tick,
 * and the tick's age when a client has it.  The senders are cairnd with a world, and fanout_bare,
 * which does only the necessary work: it waits on epoll for a timer and sends every client the same
 * bytes as cairnd.
 */
#ifndef TESTS_BENCH_FANOUT_H
#define TESTS_BENCH_FANOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FANOUT_FRAME_SIZE_MAX (256 * 1024)
#define FANOUT_LATENCY_STEP_US 10
#define FANOUT_LATENCY_COUNT 200000 /* up to two seconds */

/* A tick as one client got it: the frames behind its header, for the bare sender to repeat. */
struct fanout_frame {
    uint8_t bytes[FANOUT_FRAME_SIZE_MAX];
    size_t size;
};

struct fanout_load {
    int client_count;
    int stalled_count; /* of them read nothing once they have joined */
    int port;
    int mode;          /* of Subscribe */
    int ack_ticks;     /* an Ack for every so many ticks; 0: none */
    bool is_tls;
    bool is_sleeping;  /* clients sleep until a message comes, and its sender wakes them */
    double duration_s, warm_s;
    const char *world;
};

struct fanout_result {
    uint64_t tick_count, byte_count;
    uint32_t *latency; /* ticks by age when read, FANOUT_LATENCY_STEP_US wide; caller's array */
    uint64_t late_count; /* beyond them */
    uint64_t cpu_ns;   /* of the sender's thread, meanwhile */
    double duration_s;
    long memory_before_kib, memory_after_kib;   /* the sender's, without clients and with them */
    long kernel_before_kib, kernel_after_kib;   /* of all TCP sockets of the machine */
    struct fanout_frame *frame;                 /* caller's; of the last tick that came whole */
};

/* The clients against the process `sender`; false, with a line on stderr, when it fails. */
bool fanout_run_clients(
    const struct fanout_load *load, int sender, struct fanout_result *result);

/* The bare sender: listens on a port of 127.0.0.1, sends at 60 Hz, never returns. */
void fanout_run_bare(int port, int client_max, const struct fanout_frame *frame);

/* CLOCK_MONOTONIC. */
uint64_t fanout_now_ns(void);

/* Writes a WebSocket header of a binary message without a mask; returns its size. */
size_t fanout_frame_header(uint8_t *out, size_t message_size);

/* A TickHeader in a frame: the tick and the time [us]; returns its size, at most 64. */
size_t fanout_tick_header(uint8_t *out, uint64_t tick, uint64_t time_us);

#endif
