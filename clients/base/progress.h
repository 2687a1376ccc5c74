/*
 * progress.h: how far a long run is, on a terminal.
 *
 * Nothing is shown for the first two seconds, nor when standard error is not a terminal.  Ctrl-C
 * erases the line before it ends the program.
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

/* Shows a phase, what is done of it (part, 0 to 1; below 0: not known), and the time so far. */
void cli_progress_phase(struct cli_progress *progress, const char *phase, double part);

/* Erases the line. */
void cli_progress_finish(struct cli_progress *progress);

#endif
