/* help.c: the tables as help, and as parts of a manual page. */
#include "clients/base/options.h"

#include "engine/base/assert.h"
#include "engine/cairn.h"

#include <string.h>

#define COLUMN 24 /* where descriptions begin */
#define WIDTH 79  /* of a line of an option's description */
#define DEFAULT_SIZE 128

static bool
has_options(const struct cli_program *program, int command)
{
    for (int i = 0; i < program->option_count; i++) {
        if (program->options[i].command == command) {
            return true;
        }
    }
    return false;
}

struct cli_synopsis
cli_synopsis(const struct cli_program *program, int command)
{
    const struct cli_command_row *row = &program->commands[command];
    struct cli_synopsis synopsis;
    int size = snprintf(synopsis.text, sizeof(synopsis.text), "%s%s%s%s%s%s", program->name,
        row->name[0] != '\0' ? " " : "", row->name,
        has_options(program, command) ? " [OPTION]..." : "", row->operands[0] != '\0' ? " " : "",
        row->operands);
    CN_ASSERT(size > 0 && size < (int)sizeof(synopsis.text)); /* the tables fit */
    return synopsis;
}

/* Prints words from COLUMN on, in as many lines as they need; returns where the last one ends. */
static int
print_words(FILE *out, int column, const char *text)
{
    while (*text != '\0') {
        int size = (int)strcspn(text, " ");
        if (column > COLUMN && column + 1 + size > WIDTH) {
            fprintf(out, "\n%*s", COLUMN, "");
            column = COLUMN;
        }
        column += fprintf(out, "%s%.*s", column > COLUMN ? " " : "", size, text);
        text += size;
        text += strspn(text, " ");
    }
    return column;
}

/* The default, as it ends the description of an option. */
static void
print_default(char text[DEFAULT_SIZE], const struct cli_option_row *option)
{
    bool is_wanted = strncmp(option->standard, "must be given", 13) == 0;
    int size = snprintf(
        text, DEFAULT_SIZE, "(%s%s)", is_wanted ? "" : "default: ", option->standard);
    CN_ASSERT(size > 0 && size < DEFAULT_SIZE); /* every row of a table fits */
}

static void
print_option(FILE *out, const struct cli_option_row *option)
{
    char standard[DEFAULT_SIZE];
    print_default(standard, option);
    const char *space = option->argument[0] != '\0' ? " " : "";
    int column = fprintf(out, "  --%s%s%s", option->name, space, option->argument);
    if (column >= COLUMN) {
        fputc('\n', out);
        column = 0;
    }
    fprintf(out, "%*s", COLUMN - column, "");
    column = print_words(out, COLUMN, option->text);
    if (column + 1 + (int)strlen(standard) > WIDTH) { /* it is not broken if that can be helped */
        fprintf(out, "\n%*s", COLUMN, "");
        column = COLUMN;
    }
    print_words(out, column, standard);
    fputc('\n', out);
}

static void
print_options(FILE *out, const struct cli_program *program, int command)
{
    for (int i = 0; i < program->option_count; i++) {
        if (program->options[i].command == command) {
            print_option(out, &program->options[i]);
        }
    }
}

void
cli_print_sentence(FILE *out, const char *line)
{
    char first = line[0] >= 'a' && line[0] <= 'z' ? (char)(line[0] - 'a' + 'A') : line[0];
    fprintf(out, "%c%s.\n", first, line + 1);
}

void
cli_print_command_help(FILE *out, const struct cli_program *program, int command)
{
    CN_ASSERT(command >= 0 && command < program->command_count);
    const struct cli_command_row *row = &program->commands[command];
    fprintf(out, "usage: %s\n\n", cli_synopsis(program, command).text);
    cli_print_sentence(out, row->line);
    if (has_options(program, command)) {
        fputc('\n', out);
        print_options(out, program, command);
    }
    if (row->text[0] != '\0') {
        fprintf(out, "\n%s", row->text);
    }
}

void
cli_print_version(FILE *out, const struct cli_program *program)
{
    fprintf(out, "%s %s (physics %u)\n", program->name, PACKAGE_VERSION, cn_physics_version());
}

bool
cli_wants_help(int argc, char **argv)
{
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            return true;
        }
    }
    return false;
}

bool
cli_tell_about(const struct cli_program *program, int argc, char **argv)
{
    CN_ASSERT(program->command_count == 1);
    if (cli_wants_help(argc, argv)) {
        cli_print_command_help(stdout, program, 0);
        fprintf(stdout, "\nExit status: %s\n", CLI_EXIT_TEXT);
        return true;
    }
    if (argc == 1 && strcmp(argv[0], "--version") == 0) {
        cli_print_version(stdout, program);
        return true;
    }
    return false;
}

/* ---- the manual page ---- */

/* Escapes '-', which is otherwise a hyphen in a manual page, and '.' at the start of a line. */
void
cli_print_manual_text(FILE *out, const char *text)
{
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '.' && (c == text || c[-1] == '\n')) {
            fputs("\\&.", out);
        } else if (*c == '\n' && c[1] == '\n') {
            fputs("\n.PP", out);
        } else if (*c == '-' || *c == '\\') {
            fputs(*c == '-' ? "\\-" : "\\e", out);
        } else {
            fputc(*c, out);
        }
    }
}

void
cli_print_manual_head(FILE *out, const struct cli_program *program, const char *line)
{
    fputs(".TH ", out);
    for (const char *c = program->name; *c != '\0'; c++) {
        fputc(*c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c, out);
    }
    fprintf(out, " 1 \"\" \"cairn %s\" \"Cairn\"\n.SH NAME\n", PACKAGE_VERSION);
    cli_print_manual_text(out, program->name);
    fputs(" \\- ", out);
    cli_print_manual_text(out, line);
    fputc('\n', out);
}

void
cli_print_manual_options(FILE *out, const struct cli_program *program, int command)
{
    for (int i = 0; i < program->option_count; i++) {
        const struct cli_option_row *option = &program->options[i];
        if (option->command != command) {
            continue;
        }
        fputs(".TP\n\\fB\\-\\-", out);
        cli_print_manual_text(out, option->name);
        fprintf(out, "\\fR \\fI%s\\fR\n", option->argument);
        cli_print_manual_text(out, option->text);
        char standard[DEFAULT_SIZE];
        print_default(standard, option);
        fputc(' ', out);
        cli_print_manual_text(out, standard);
        fputc('\n', out);
    }
}

void
cli_print_manual_remote(FILE *out)
{
    fputs(".TP\n.B CAIRN_SERVER\nthe daemon to speak to, unless \\-\\-server names one\n"
          ".TP\n.B CAIRN_TOKEN\nthe token to show it, unless \\-\\-token\\-file names a file "
          "with one\n",
        out);
}

void
cli_print_manual_end(FILE *out, const char *see_also)
{
    fputs(".SH EXIT STATUS\n", out);
    cli_print_manual_text(out, CLI_EXIT_TEXT);
    fprintf(out, "\n.SH SEE ALSO\n%s\n", see_also);
}
