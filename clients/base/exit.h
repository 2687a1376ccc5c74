/*
 * exit.h: how a program ends: its exit status, and its complaints on standard error.
 */
#ifndef CLIENTS_BASE_EXIT_H
#define CLIENTS_BASE_EXIT_H

/* Exit codes, the same for every program and command. */
enum cli_exit {
    CLI_DONE = 0,
    CLI_NO = 1,        /* the answer is no */
    CLI_BAD = 2,       /* usage, or bad input */
    CLI_COULD_NOT = 3, /* files, memory */
};

#define CLI_EXIT_TEXT "0 done, 1 the answer is no, 2 usage or bad input, 3 could not."

/* Sets the name that begins each complaint.  The first call of main; `name` is borrowed. */
void cli_name_program(const char *name);

/* Prints "NAME: ..." and a line break on standard error. */
__attribute__((format(printf, 1, 2))) void cli_complain(const char *format, ...);

/* Flushes standard output.  Returns `result`, or an error with a complaint if that fails. */
enum cli_exit cli_finish_output(enum cli_exit result);

#endif
