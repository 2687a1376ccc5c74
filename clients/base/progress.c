#define _POSIX_C_SOURCE 200809L /* clock_gettime, isatty, sigaction */
#include "clients/base/progress.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define QUIET_DURATION_S 2.0
#define SHOW_PERIOD_S 0.2

static double
now_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

#define ERASE "\r\033[K"

/* Erases the line, and ends the program as the signal does without a handler. */
static void
on_interrupt(int number)
{
    ssize_t written = write(STDERR_FILENO, ERASE, sizeof(ERASE) - 1);
    (void)written; /* there is nobody to tell */
    signal(number, SIG_DFL);
    raise(number);
}

static void
handle_interrupts(void)
{
    struct sigaction present, action = {.sa_handler = on_interrupt};
    sigemptyset(&action.sa_mask);
    if (sigaction(SIGINT, NULL, &present) == 0 && present.sa_handler == SIG_DFL) {
        sigaction(SIGINT, &action, NULL);
    }
}

void
cli_progress_init(struct cli_progress *progress, uint64_t total)
{
    *progress = (struct cli_progress){
        .total = total, .unit = "tick", .is_terminal = isatty(STDERR_FILENO) == 1};
    progress->start = progress->shown = now_seconds();
    if (progress->is_terminal) {
        handle_interrupts();
    }
}

/* Whether the line is to be shown now; *elapsed is the time since the start [s]. */
static bool
is_due(struct cli_progress *progress, double *elapsed)
{
    if (!progress->is_terminal) {
        return false;
    }
    double time = now_seconds();
    *elapsed = time - progress->start;
    if (*elapsed < QUIET_DURATION_S || time - progress->shown < SHOW_PERIOD_S) {
        return false;
    }
    progress->shown = time;
    progress->is_shown = true;
    return true;
}

void
cli_progress_show(struct cli_progress *progress, uint64_t done)
{
    double elapsed;
    if (!is_due(progress, &elapsed)) {
        return;
    }
    double left = done > 0 ? elapsed * (double)(progress->total - done) / (double)done : 0.0;
    fprintf(stderr, ERASE "%s %" PRIu64 " of %" PRIu64 ", about %.0f s left", progress->unit,
        done, progress->total, left);
    fflush(stderr);
}

void
cli_progress_phase(struct cli_progress *progress, const char *phase, double part)
{
    double elapsed;
    if (!is_due(progress, &elapsed)) {
        return;
    }
    fprintf(stderr, ERASE "%s: ", phase);
    if (part >= 0.0) {
        fprintf(stderr, "%.0f %%, ", floor(100.0 * fmin(part, 1.0)));
    }
    fprintf(stderr, "%.0f s so far", floor(elapsed));
    fflush(stderr);
}

void
cli_progress_finish(struct cli_progress *progress)
{
    if (progress->is_shown) {
        fputs(ERASE, stderr);
        progress->is_shown = false;
    }
}
