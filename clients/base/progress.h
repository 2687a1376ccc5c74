/*
 * progress.h: how far a long run is, on a terminal.
 *
 * Nothing is shown for the first two seconds, nor when standard error is not a terminal.
 */
#ifndef CLIENTS_BASE_PROGRESS_H
#define CLIENTS_BASE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct cli_progress {
    uint64_t total;
    const char *unit;    /* what is counted; "tick" unless it is set */
    double start, shown; /* s */
    bool is_terminal;
    bool is_shown;
};

void cli_progress_init(struct cli_progress *progress, uint64_t total);

/* Shows that `done` of the total are done, at most five times a second. */
void cli_progress_show(struct cli_progress *progress, uint64_t done);

/* Erases the line. */
void cli_progress_finish(struct cli_progress *progress);

#endif
