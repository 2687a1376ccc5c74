#define _POSIX_C_SOURCE 200809L /* clock_gettime, isatty */
#include "clients/base/progress.h"

#include <inttypes.h>
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

void
cli_progress_init(struct cli_progress *progress, uint64_t total)
{
    *progress = (struct cli_progress){
        .total = total, .unit = "tick", .is_terminal = isatty(STDERR_FILENO) == 1};
    progress->start = progress->shown = now_seconds();
}

void
cli_progress_show(struct cli_progress *progress, uint64_t done)
{
    if (!progress->is_terminal) {
        return;
    }
    double time = now_seconds(), elapsed = time - progress->start;
    if (elapsed < QUIET_DURATION_S || time - progress->shown < SHOW_PERIOD_S) {
        return;
    }
    progress->shown = time;
    progress->is_shown = true;
    double left = done > 0 ? elapsed * (double)(progress->total - done) / (double)done : 0.0;
    fprintf(stderr, "\r\033[K%s %" PRIu64 " of %" PRIu64 ", about %.0f s left",
        progress->unit, done, progress->total, left);
    fflush(stderr);
}

void
cli_progress_finish(struct cli_progress *progress)
{
    if (progress->is_shown) {
        fputs("\r\033[K", stderr);
    }
}
