/*
 * options.h: a program's command line by two tables: its commands, and the options of each.
 *
 * The tables make the parser, the help and the manual page.  A program without commands has one
 * row in the first table, whose name is empty.
 */
#ifndef CLIENTS_BASE_OPTIONS_H
#define CLIENTS_BASE_OPTIONS_H

#include "clients/base/exit.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum cli_option_kind { CLI_OPTION_TEXT, CLI_OPTION_COUNT, CLI_OPTION_NUMBER, CLI_OPTION_FLAG };
typedef const char *cli_option_TEXT; /* NULL: not given */
typedef uint64_t cli_option_COUNT;
typedef double cli_option_NUMBER; /* not negative; < 0: not given */
typedef bool cli_option_FLAG; /* takes no value */

struct cli_command_row {
    const char *name, *operands;
    int least, most;         /* number of operands; most -1: no limit */
    const char *line, *text; /* one line, and more lines */
};

struct cli_option_row {
    int command; /* index of the command that has it */
    enum cli_option_kind kind;
    const char *name, *argument, *standard, *text; /* standard: the default in words */
    size_t offset; /* of the option's member in the program's struct of options */
};

struct cli_program {
    const char *name;
    const struct cli_command_row *commands;
    int command_count;
    const struct cli_option_row *options;
    int option_count;
};

/* The words that are no options.  Borrowed from argv. */
struct cli_operands {
    char **words;
    int count;
};

/*
 * Reads the words of a command into the program's struct of options, which holds the defaults.
 * CLI_DONE, or CLI_BAD with a message.  The operands move to the front of argv.
 */
enum cli_exit cli_parse(const struct cli_program *program, int command, int argc, char **argv,
    void *options, struct cli_operands *operands);

/* ---- help.c ---- */

/* The usage of a command, "cairn run [OPTION]... SCENE". */
struct cli_synopsis {
    char text[80];
};
struct cli_synopsis cli_synopsis(const struct cli_program *program, int command);

/* Prints the line about a command as a sentence. */
void cli_print_sentence(FILE *out, const char *line);

/* Prints the usage, the options with their defaults, and the text. */
void cli_print_command_help(FILE *out, const struct cli_program *program, int command);

/* Whether --help or -h is among the words before a "--". */
bool cli_wants_help(int argc, char **argv);

/* Prints a line such as "cairn 0.1.0 (physics 42)". */
void cli_print_version(FILE *out, const struct cli_program *program);

/* Answers --help and --version to a program without commands; false if neither was asked. */
bool cli_tell_about(const struct cli_program *program, int argc, char **argv);

/* ---- help.c: parts of a manual page ---- */

/* The head with the name; `line` says in a few words what the program does. */
void cli_print_manual_head(FILE *out, const struct cli_program *program, const char *line);

/* Prints text so that '-' and '.' mean themselves. */
void cli_print_manual_text(FILE *out, const char *text);
void cli_print_manual_options(FILE *out, const struct cli_program *program, int command);

/* The variables of the environment that remote.h reads. */
void cli_print_manual_remote(FILE *out);

/* The exit status, and other pages; `see_also` is in roff. */
void cli_print_manual_end(FILE *out, const char *see_also);

#endif
