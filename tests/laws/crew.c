#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, prctl */
#include "tests/laws/crew.h"

#include "engine/base/assert.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <poll.h>
#include <unistd.h>

#define LARGE_BODIES 60
#define HUNG 99 /* exit status */

/* The present run of a process. */
struct place {
    uint64_t seed;
    int method;
};

/* A message that a child process writes to the pipe in one write. */
struct message {
    bool is_finding;
    struct laws_finding finding;
    int family;
    int64_t runs;
    int64_t check_count[LAWS_LAW_COUNT];
};

struct process {
    pid_t pid;
    int pipe;
    struct place *place; /* shared */
};

static struct laws_scene scene;

bool
laws_takes_part(const struct laws_scene *of, const struct laws_order *order,
    const struct laws_method *methods, int index)
{
    const struct laws_method *method = &methods[index];
    if ((order->stepper != NULL && strcmp(order->stepper, method->stepper->name) != 0) ||
        (order->solver != NULL && strcmp(order->solver, method->solver->name) != 0)) {
        return false;
    }
    if (of->def.body_count <= LARGE_BODIES || order->stepper != NULL) {
        return true;
    }
    bool usual = laws_is_exact(method) && strcmp(method->solver->name, "baraff94") == 0;
    bool large = method->solver->kind == CN_SOLVER_BODIES;
    return usual || large || of->seed % 8 == (uint64_t)index % 8;
}

static void
send_message(int to, const struct message *message)
{
    ssize_t sent = write(to, message, sizeof(*message));
    CN_ASSERT(sent == (ssize_t)sizeof(*message)); /* less than PIPE_BUF: in one piece */
}

static void
on_alarm(int number)
{
    (void)number;
    _exit(HUNG);
}

static void
limit_cpu(int seconds)
{
    struct itimerval timer = {.it_value = {.tv_sec = seconds}};
    (void)setitimer(ITIMER_PROF, &timer, NULL);
}

static void
do_method(const struct laws_order *order, int to, const struct laws_method *methods, int index,
    struct message *sum)
{
    static struct laws_sink sink;
    memset(&sink, 0, sizeof(sink));
    limit_cpu(order->cpu_s);
    sum->runs += laws_hold(&scene, methods[index], &sink);
    for (int law = 0; law < LAWS_LAW_COUNT; law++) {
        sum->check_count[law] += sink.check_count[law];
        if (sink.broken[law]) {
            struct message message = {.is_finding = true, .finding = sink.finding[law]};
            message.finding.seed = scene.seed;
            message.finding.family = scene.index;
            message.finding.method = index;
            send_message(to, &message);
        }
    }
}

/* The work of one process: every `jobs`-th seed, from `place` on. */
static void
work(const struct laws_order *order, int to, struct place *place)
{
    struct laws_method methods[LAWS_METHODS_MAX];
    int method_count = laws_methods(methods);
    (void)signal(SIGPROF, on_alarm);
    uint64_t end = order->first + (uint64_t)order->count;
    for (; place->seed < end; place->seed += (uint64_t)order->jobs) {
        laws_scene_make(&scene, place->seed);
        struct message sum = {.family = scene.index};
        for (; place->method < method_count; place->method++) {
            if (laws_takes_part(&scene, order, methods, place->method)) {
                do_method(order, to, methods, place->method, &sum);
            }
        }
        place->method = 0;
        send_message(to, &sum);
    }
}

static void
start(const struct laws_order *order, struct process *process)
{
    int ends[2];
    int made = pipe(ends);
    CN_ASSERT(made == 0);
    (void)fflush(stdout);
    process->pid = fork();
    CN_ASSERT(process->pid >= 0);
    if (process->pid == 0) {
        (void)close(ends[0]);
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        work(order, ends[1], process->place);
        _exit(0);
    }
    (void)close(ends[1]);
    process->pipe = ends[0];
}

/*
 * Handles the end of a process.  An end in the middle of a run is a finding.  Returns false when
 * all its runs are done.
 */
static bool
restart(const struct laws_order *order, struct process *process,
    void (*found)(void *context, const struct laws_finding *finding), void *context)
{
    int status = 0;
    (void)close(process->pipe);
    (void)waitpid(process->pid, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
        return false;
    }
    laws_scene_make(&scene, process->place->seed);
    struct laws_finding finding = {
        .seed = process->place->seed,
        .family = scene.index,
        .method = process->place->method,
        .law = LAWS_crash,
        .figure = 1.0,
        .bound = 0.0,
    };
    bool hung = WIFEXITED(status) && WEXITSTATUS(status) == HUNG;
    if (hung) {
        snprintf(finding.text, sizeof(finding.text), "no end within %d s", order->cpu_s);
    } else {
        snprintf(finding.text, sizeof(finding.text), "ended by %s %d",
            WIFSIGNALED(status) ? "signal" : "status",
            WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    }
    found(context, &finding);
    process->place->method++;
    start(order, process);
    return true;
}

static void
take_message(const struct message *message, struct laws_tally *tally,
    void (*found)(void *context, const struct laws_finding *finding), void *context)
{
    if (message->is_finding) {
        found(context, &message->finding);
        return;
    }
    tally->scenes++;
    tally->family_scenes[message->family]++;
    tally->runs += message->runs;
    for (int law = 0; law < LAWS_LAW_COUNT; law++) {
        tally->check_count[law] += message->check_count[law];
    }
}

void
laws_crew_run(const struct laws_order *order, struct laws_tally *tally,
    void (*found)(void *context, const struct laws_finding *finding), void *context)
{
    size_t jobs = (size_t)order->jobs;
    struct process *process = calloc(jobs, sizeof(*process));
    struct pollfd *poll_of = calloc(jobs, sizeof(*poll_of));
    struct place *place = mmap(NULL, jobs * sizeof(*place), PROT_READ | PROT_WRITE,
        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CN_ASSERT(process != NULL && poll_of != NULL && place != MAP_FAILED);
    for (size_t i = 0; i < jobs; i++) {
        place[i].seed = order->first + i;
        process[i].place = &place[i];
        start(order, &process[i]);
    }
    for (size_t left = jobs; left > 0;) {
        for (size_t i = 0; i < jobs; i++) {
            poll_of[i] = (struct pollfd){.fd = process[i].pipe, .events = POLLIN};
        }
        if (poll(poll_of, jobs, -1) < 0) {
            CN_ASSERT(errno == EINTR);
            continue;
        }
        for (size_t i = 0; i < jobs; i++) {
            struct message message;
            if (process[i].pipe < 0 || poll_of[i].revents == 0) {
                continue;
            }
            if (read(process[i].pipe, &message, sizeof(message)) == (ssize_t)sizeof(message)) {
                take_message(&message, tally, found, context);
            } else if (!restart(order, &process[i], found, context)) {
                process[i].pipe = -1;
                left--;
            }
        }
    }
    (void)munmap(place, jobs * sizeof(*place));
    free(process);
    free(poll_of);
}
