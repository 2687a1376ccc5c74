/* help.c: the help of all commands, and the manual page. */
#include "clients/cli/cli.h"

#define COLUMN 24

void
cli_print_help(FILE *out)
{
    fputs("usage: cairn COMMAND [OPTION]... [OPERAND]...\n\n"
          "Runs worlds of rigid bodies whose contact forces are solved exactly.\n\n",
        out);
    for (int i = 0; i < cli_program.command_count; i++) {
        const struct cli_command_row *row = &cli_program.commands[i];
        int width = fprintf(out, "  %s %s", row->name, row->operands);
        if (width >= COLUMN) {
            fputc('\n', out);
            width = 0;
        }
        fprintf(out, "%*s%s\n", COLUMN - width, "", row->line);
    }
    fprintf(out,
        "\n  cairn help COMMAND    tells more of one\n"
        "  cairn --version       prints the version\n"
        "  cairn --help-man      prints the manual page\n"
        "\nFor a start: cairn list scenes; cairn run newtons-cradle --format csv\n"
        "\nExit status: %s\n",
        CLI_EXIT_TEXT);
}

static void
print_manual_command(FILE *out, int command)
{
    const struct cli_command_row *row = &cli_program.commands[command];
    fputs(".SS ", out);
    cli_print_manual_text(out, cli_synopsis(&cli_program, command).text);
    fputc('\n', out);
    cli_print_sentence(out, row->line);
    fputs(".PP\n", out);
    cli_print_manual_text(out, row->text);
    cli_print_manual_options(out, &cli_program, command);
}

void
cli_print_manual(FILE *out)
{
    cli_print_manual_head(out, &cli_program, "run worlds of rigid bodies and ask about them");
    fputs(".SH SYNOPSIS\n.B cairn\n\\fICOMMAND\\fR [\\fIOPTION\\fR]... [\\fIOPERAND\\fR]...\n"
          ".SH DESCRIPTION\nRuns worlds of rigid bodies whose contact forces are solved exactly.\n"
          "The same scene gives the same numbers, bit by bit, on every machine.\n"
          ".SH COMMANDS\n",
        out);
    for (int i = 0; i < cli_program.command_count; i++) {
        print_manual_command(out, i);
    }
    fputs(".SH ENVIRONMENT\n.TP\n.B CAIRN_SCENES\na folder of scenes that goes before the "
          "installed one\n",
        out);
    cli_print_manual_remote(out);
    cli_print_manual_end(out, ".BR cairn-load (1),\n.BR cairnd (8)");
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
    cli_print_command_help(stdout, &cli_program, command);
    return CLI_DONE;
}
