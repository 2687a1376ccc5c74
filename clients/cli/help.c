/* help.c: the tables as help and as a manual page. */
#include "clients/cli/cli.h"

#include <string.h>

#define COLUMN 24

static const char exit_text[] = "0 done, 1 the answer is no, 2 usage or bad input, 3 could not.";

static bool
has_options(enum cli_command command)
{
    for (int i = 0; i < cli_option_count; i++) {
        if (cli_options[i].command == command) {
            return true;
        }
    }
    return false;
}

struct cli_synopsis
cli_synopsis(enum cli_command command)
{
    const struct cli_command_row *row = &cli_commands[command];
    struct cli_synopsis synopsis;
    snprintf(synopsis.text, sizeof(synopsis.text), "%s%s%s%s", row->name,
        has_options(command) ? " [OPTION]..." : "", row->operands[0] != '\0' ? " " : "",
        row->operands);
    return synopsis;
}

static void
print_options(FILE *out, int command)
{
    for (int i = 0; i < cli_option_count; i++) {
        const struct cli_option_row *option = &cli_options[i];
        if ((int)option->command == command) {
            const char *space = option->argument[0] != '\0' ? " " : "";
            int width = fprintf(out, "  --%s%s%s", option->name, space, option->argument);
            fprintf(out, "%*s%s (default: %s)\n", width < COLUMN ? COLUMN - width : 1, "",
                option->text, option->standard);
        }
    }
}

void
cli_print_help(FILE *out)
{
    fputs("usage: cairn COMMAND [OPTION]... [OPERAND]...\n\n"
          "Runs worlds of rigid bodies whose contact forces are solved exactly.\n\n",
        out);
    for (int i = 0; i < CLI_COMMAND_COUNT; i++) {
        int width = fprintf(out, "  %s %s", cli_commands[i].name, cli_commands[i].operands);
        if (width >= COLUMN) {
            fputc('\n', out);
            width = 0;
        }
        fprintf(out, "%*s%s\n", COLUMN - width, "", cli_commands[i].line);
    }
    fprintf(out,
        "\n  cairn help COMMAND    tells more of one\n"
        "  cairn --version       prints the version\n"
        "  cairn --help-man      prints the manual page\n"
        "\nFor a start: cairn list scenes; cairn run newtons-cradle --format csv\n"
        "\nExit status: %s\n",
        exit_text);
}

void
cli_print_command_help(FILE *out, enum cli_command command)
{
    const struct cli_command_row *row = &cli_commands[command];
    fprintf(out, "usage: cairn %s\n\n%s.\n", cli_synopsis(command).text, row->line);
    if (has_options(command)) {
        fputc('\n', out);
        print_options(out, (int)command);
    }
    if (row->text[0] != '\0') {
        fprintf(out, "\n%s", row->text);
    }
}

/* Escapes '-', which is otherwise a hyphen in a manual page, and '.' at the start of a line. */
static void
print_escaped(FILE *out, const char *text)
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

static void
print_manual_command(FILE *out, int command)
{
    const struct cli_command_row *row = &cli_commands[command];
    fputs(".SS cairn ", out);
    print_escaped(out, cli_synopsis((enum cli_command)command).text);
    fputc('\n', out);
    print_escaped(out, row->line);
    fputs(".\n.PP\n", out);
    print_escaped(out, row->text);
    for (int i = 0; i < cli_option_count; i++) {
        const struct cli_option_row *option = &cli_options[i];
        if ((int)option->command != command) {
            continue;
        }
        fputs(".TP\n\\fB\\-\\-", out);
        print_escaped(out, option->name);
        fprintf(out, "\\fR \\fI%s\\fR\n", option->argument);
        print_escaped(out, option->text);
        fputs(" (default: ", out);
        print_escaped(out, option->standard);
        fputs(")\n", out);
    }
}

void
cli_print_manual(FILE *out)
{
    fprintf(out, ".TH CAIRN 1 \"\" \"cairn %s\" \"Cairn\"\n", PACKAGE_VERSION);
    fputs(".SH NAME\ncairn \\- run worlds of rigid bodies and ask about them\n"
          ".SH SYNOPSIS\n.B cairn\n\\fICOMMAND\\fR [\\fIOPTION\\fR]... [\\fIOPERAND\\fR]...\n"
          ".SH DESCRIPTION\nRuns worlds of rigid bodies whose contact forces are solved exactly.\n"
          "The same scene gives the same numbers, bit by bit, on every machine.\n"
          ".SH COMMANDS\n",
        out);
    for (int i = 0; i < CLI_COMMAND_COUNT; i++) {
        print_manual_command(out, i);
    }
    fputs(".SH ENVIRONMENT\n.TP\n.B CAIRN_SCENES\na folder of scenes that goes before the "
          "installed one\n.TP\n.B CAIRN_SERVER\nthe daemon to speak to, unless \\-\\-server names "
          "one\n.TP\n.B CAIRN_TOKEN\nthe token to show it, unless \\-\\-token\\-file names a file "
          "with one\n.SH EXIT STATUS\n",
        out);
    print_escaped(out, exit_text);
    fputs("\n.SH SEE ALSO\n.BR cairnd (8)\n", out);
}

enum cli_exit
cli_help(const struct cli_call *call)
{
    if (call->operand_count == 0) {
        cli_print_help(stdout);
        return CLI_DONE;
    }
    int command = cli_command_find(call->operands[0]);
    if (command < 0) {
        return CLI_BAD;
    }
    cli_print_command_help(stdout, (enum cli_command)command);
    return CLI_DONE;
}
