/*
 * bench_fanout.c: the cost of a delivered tick for cairnd, compared with the smallest possible
 * cost.
 *
 *     bench_fanout CAIRND [--clients N] [--stalled N] [--bodies N] [--mode M] [--acks N]
 *                         [--tls 1] [--sleep 1] [--seconds S] [--rounds N]
 *
 * In every round cairnd and the bare sender serve the same clients with the same bytes, one after
 * the other.  The sender is on processor 0 and all clients are on processor 1.  The first second is
 * not counted.  For each round the program prints the processor time of the sender's network thread
 * for each delivered tick, the age of ticks when they are read, and memory.  Then it prints medians
 * over the rounds.  The clients do not sleep, except with --sleep 1: on loopback the sender's call
 * wakes the reader, a cost that does not exist on a real network.
 * The world is N blocks at rest on a floor; 100 of them make a Snapshot of about a kibibyte.
 */
#include "tests/bench/fanout.h"

#include <ftw.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROUNDS_MAX 32
#define PORT_FIRST 17800

struct plan {
    const char *cairnd;
    int clients, stalled, bodies, mode, acks, tls, sleep, seconds, rounds;
};

struct figures {
    double cpu_us, p50_ms, p99_ms, rate_hz;
};

static void
stay_on(unsigned processor)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(processor, &set);
    if (sched_setaffinity(0, sizeof(set), &set) != 0) {
        perror("affinity");
    }
}

static bool
write_scene(const char *path, int bodies)
{
    FILE *out = fopen(path, "w");
    if (out == NULL) {
        return false;
    }
    fprintf(out,
        "name: fanout\nworld: {dimension: PLANAR, stepper: time, solver: impulse}\nbodies:\n"
        "  - {name: floor, type: STATIC, position: {y: -0.5},\n"
        "     shapes: [{box: {size: {x: 2000, y: 1}}}]}\n");
    for (int i = 0; i < bodies; i++) {
        fprintf(out,
            "  - {position: {x: %d, y: 0.6}, angle: 0.1, shapes: [{box: {size: {x: 1, y: 1}}}]}\n",
            2 * i - bodies);
    }
    return fclose(out) == 0;
}

/* A certificate that nobody trusts. */
static bool
write_certificate(const char *certificate, const char *key)
{
    pid_t child = fork();
    if (child == 0) {
        execlp("openssl", "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
            "ec_paramgen_curve:P-256", "-nodes", "-days", "1", "-subj", "/CN=localhost",
            "-keyout", key, "-out", certificate, (char *)NULL);
        _exit(1);
    }
    int status = 1;
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

static pid_t
start_cairnd(const struct plan *plan, int port, const char *folder)
{
    char address[32], data[128], scene[128], clients[16];
    char certificate[128], key[128];
    snprintf(address, sizeof(address), "127.0.0.1:%d", port);
    snprintf(data, sizeof(data), "%s/data", folder);
    snprintf(scene, sizeof(scene), "%s/fanout.yaml", folder);
    snprintf(clients, sizeof(clients), "%d", plan->clients + 16);
    snprintf(certificate, sizeof(certificate), "%s/cert.pem", folder);
    snprintf(key, sizeof(key), "%s/key.pem", folder);
    if (!write_scene(scene, plan->bodies) ||
        (plan->tls != 0 && !write_certificate(certificate, key))) {
        return -1;
    }
    pid_t child = fork();
    if (child == 0) {
        stay_on(0);
        execl(plan->cairnd, plan->cairnd, "--listen", address, "--data", data, "--scene", scene,
            "--clients-max", clients, "--workers", "1", "--log-level", "warn",
            plan->tls != 0 ? "--tls-cert" : (char *)NULL, certificate, "--tls-key", key,
            (char *)NULL);
        perror(plan->cairnd);
        _exit(1);
    }
    return child;
}

static pid_t
start_bare(const struct plan *plan, int port, const struct fanout_frame *frame)
{
    pid_t child = fork();
    if (child == 0) {
        stay_on(0);
        fanout_run_bare(port, plan->clients + 16, frame);
    }
    return child;
}

static double
age_ms(const struct fanout_result *result, double part)
{
    uint64_t seen = 0;
    for (int i = 0; i < FANOUT_LATENCY_COUNT; i++) {
        seen += result->latency[i];
        if ((double)seen >= part * (double)result->tick_count) {
            return (i + 1) * FANOUT_LATENCY_STEP_US * 1e-3;
        }
    }
    return FANOUT_LATENCY_COUNT * FANOUT_LATENCY_STEP_US * 1e-3;
}

/* Until somebody listens there, for ten seconds at most. */
static bool
wait_for(int port)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
        .sin_port = htons((uint16_t)port),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    for (int i = 0; i < 100; i++) {
        int fd = socket(AF_INET, SOCK_STREAM, 0);
        bool is_there = connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0;
        close(fd);
        usleep(100000);
        if (is_there) {
            return true;
        }
    }
    return false;
}

/* Runs the clients against a sender, ends the sender, prints a line. */
static bool
measure(const struct plan *plan, const char *name, pid_t sender, int port,
    struct fanout_frame *frame, struct figures *figures)
{
    static uint32_t latency[FANOUT_LATENCY_COUNT];
    struct fanout_load load = {.client_count = plan->clients,
        .stalled_count = plan->stalled,
        .port = port,
        .mode = plan->mode,
        .ack_ticks = plan->acks,
        .is_tls = plan->tls != 0 && strcmp(name, "cairnd") == 0,
        .is_sleeping = plan->sleep != 0,
        .warm_s = 1.5,
        .duration_s = plan->seconds,
        .world = "fanout"};
    struct fanout_result result = {.latency = latency, .frame = frame};
    memset(latency, 0, sizeof(latency));
    bool is_good = sender > 0 && wait_for(port) && fanout_run_clients(&load, sender, &result);
    if (sender > 0) {
        kill(sender, SIGTERM);
        waitpid(sender, NULL, 0);
    }
    if (!is_good || result.tick_count == 0) {
        fprintf(stderr, "%s: failed\n", name);
        return false;
    }
    int readers = plan->clients - plan->stalled;
    figures->cpu_us = (double)result.cpu_ns * 1e-3 / (double)result.tick_count;
    figures->p50_ms = age_ms(&result, 0.5);
    figures->p99_ms = age_ms(&result, 0.99);
    figures->rate_hz = (double)result.tick_count / result.duration_s / readers;
    printf("%-7s %5.1f Hz %6.0f B/tick %6.3f us/tick  age %6.2f %6.2f %6.2f ms  "
           "memory %5.2f KiB/client, kernel %6.2f KiB/client\n",
        name, figures->rate_hz, (double)result.byte_count / (double)result.tick_count,
        figures->cpu_us, figures->p50_ms, figures->p99_ms, age_ms(&result, 0.999),
        (double)(result.memory_after_kib - result.memory_before_kib) / plan->clients,
        (double)(result.kernel_after_kib - result.kernel_before_kib) / plan->clients);
    fflush(stdout);
    return true;
}

static int
compare(const void *a, const void *b)
{
    double left, right;
    memcpy(&left, a, sizeof(left));
    memcpy(&right, b, sizeof(right));
    return (left > right) - (left < right);
}

static double
median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof(values[0]), compare);
    return values[count / 2];
}

static bool
run(const struct plan *plan, const char *folder)
{
    static struct fanout_frame frame;
    double ratio[ROUNDS_MAX], cpu[ROUNDS_MAX], bare_cpu[ROUNDS_MAX], age[ROUNDS_MAX];
    double bare_age[ROUNDS_MAX];
    for (int i = 0; i < plan->rounds; i++) {
        struct figures ours, bare;
        int port = PORT_FIRST + 2 * (int)(getpid() % 1000) + i * 4 % 2000;
        frame.size = 0;
        if (!measure(plan, "cairnd", start_cairnd(plan, port, folder), port, &frame, &ours)) {
            return false;
        }
        static struct fanout_frame unused;
        unused.size = 0;
        pid_t sender = start_bare(plan, port + 1, &frame);
        if (!measure(plan, "bare", sender, port + 1, &unused, &bare)) {
            return false;
        }
        cpu[i] = ours.cpu_us;
        bare_cpu[i] = bare.cpu_us;
        ratio[i] = ours.cpu_us / bare.cpu_us;
        age[i] = ours.p99_ms;
        bare_age[i] = bare.p99_ms;
    }
    printf("medians: cairnd %.3f us/tick, bare %.3f, ratio %.3f; p99 %.2f ms, bare %.2f ms\n",
        median(cpu, plan->rounds), median(bare_cpu, plan->rounds), median(ratio, plan->rounds),
        median(age, plan->rounds), median(bare_age, plan->rounds));
    return true;
}

static bool
read_options(struct plan *plan, int argc, char **argv)
{
    static const struct {
        const char *name;
        size_t offset;
        int low, high;
    } options[] = {
        {"--clients", offsetof(struct plan, clients), 1, 8000},
        {"--stalled", offsetof(struct plan, stalled), 0, 8000},
        {"--bodies", offsetof(struct plan, bodies), 1, 9000},
        {"--mode", offsetof(struct plan, mode), 0, 3},
        {"--acks", offsetof(struct plan, acks), 0, 1000},
        {"--tls", offsetof(struct plan, tls), 0, 1},
        {"--sleep", offsetof(struct plan, sleep), 0, 1},
        {"--seconds", offsetof(struct plan, seconds), 1, 40},
        {"--rounds", offsetof(struct plan, rounds), 1, ROUNDS_MAX},
    };
    *plan = (struct plan){.clients = 1000, .bodies = 100, .seconds = 5, .rounds = 3};
    for (int i = 1; i < argc; i++) {
        bool is_known = argv[i][0] != '-' && plan->cairnd == NULL;
        plan->cairnd = is_known ? argv[i] : plan->cairnd;
        for (size_t k = 0; !is_known && k < sizeof(options) / sizeof(options[0]); k++) {
            if (strcmp(argv[i], options[k].name) == 0 && i + 1 < argc) {
                int value = atoi(argv[++i]);
                is_known = value >= options[k].low && value <= options[k].high;
                memcpy((char *)plan + options[k].offset, &value, sizeof(value));
                break;
            }
        }
        if (!is_known) {
            return false;
        }
    }
    return plan->cairnd != NULL && plan->stalled < plan->clients;
}

static int
drop(const char *path, const struct stat *about, int type, struct FTW *place)
{
    (void)about;
    (void)type;
    (void)place;
    return remove(path);
}

int
main(int argc, char **argv)
{
    struct plan plan;
    char folder[] = "/tmp/bench-fanout-XXXXXX";
    if (!read_options(&plan, argc, argv)) {
        fprintf(stderr,
            "usage: bench_fanout CAIRND [--clients N] [--stalled N] [--bodies N] [--mode M]\n"
            "                    [--acks N] [--tls 1] [--sleep 1] [--seconds S] [--rounds N]\n");
        return 2;
    }
    if (mkdtemp(folder) == NULL) {
        perror("folder");
        return 1;
    }
    signal(SIGPIPE, SIG_IGN);
    stay_on(1);
    bool is_good = run(&plan, folder);
    nftw(folder, drop, 16, FTW_DEPTH | FTW_PHYS);
    return is_good ? 0 : 1;
}
