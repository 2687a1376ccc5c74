/* main.c: finds the command, and reports output that could not be written. */
#include "clients/cli/cli.h"

#include "engine/base/assert.h"

#include <string.h>

/* Each command's function, in the order of the table. */
#define X(name, operands, least, most, line, text) cli_##name,
static enum cli_exit (*const functions[CLI_COMMAND_COUNT])(const struct cli_call *call) = {
    CLI_COMMAND_TABLE(X)};
#undef X

static enum cli_exit
call_command(int argc, char **argv)
{
    int command = cli_command_find(argv[1]);
    if (command < 0) {
        return CLI_BAD;
    }
    CN_ASSERT(command < CLI_COMMAND_COUNT);
    if (cli_wants_help(argc - 2, argv + 2)) {
        cli_print_command_help(stdout, &cli_program, command);
        return CLI_DONE;
    }
    struct cli_operands operands;
    struct cli_call call = {.command = (enum cli_command)command,
        .ticks = 600,
        .sample_every = 1,
        .replay_to = INT64_MAX,
        .replay_every = 1,
        .backup_rate = 64,
        .export_to = INT64_MAX,
        .export_every = 1,
        .workers = 1,
        .query_hits = 16,
        .query_tick = CLI_QUERY_NOW,
        .query_age = CLI_QUERY_NOW,
        .watch_mode = "quantised"};
    enum cli_exit result =
        cli_parse(&cli_program, command, argc - 2, argv + 2, &call, &operands);
    if (result != CLI_DONE) {
        return result;
    }
    call.operands = operands.words;
    call.operand_count = operands.count;
    return functions[command](&call);
}

int
main(int argc, char **argv)
{
    enum cli_exit result = CLI_DONE;
    cli_name_program(cli_program.name);
    if (argc < 2) {
        cli_print_help(stderr);
        return CLI_BAD;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        cli_print_help(stdout);
    } else if (strcmp(argv[1], "--help-man") == 0) {
        cli_print_manual(stdout);
    } else if (strcmp(argv[1], "--version") == 0) {
        cli_print_version(stdout, &cli_program);
    } else {
        result = call_command(argc, argv);
    }
    return (int)cli_finish_output(result);
}
