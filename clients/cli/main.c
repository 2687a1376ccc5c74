/* main.c: finds the command, and reports output that could not be written. */
#include "clients/cli/cli.h"

#include "engine/cairn.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool
is_command(const char *word, const char *name)
{
    return strcmp(word, name) == 0;
}

/* Whether --help is among the words before a "--": `cairn run --help` is `cairn help run`. */
static bool
wants_help(int argc, char **argv)
{
    for (int i = 0; i < argc && !is_command(argv[i], "--"); i++) {
        if (is_command(argv[i], "--help") || is_command(argv[i], "-h")) {
            return true;
        }
    }
    return false;
}

static enum cli_exit
call_command(int argc, char **argv)
{
    int command = cli_command_find(argv[1]);
    if (command < 0) {
        return CLI_BAD;
    }
    if (wants_help(argc - 2, argv + 2)) {
        cli_print_command_help(stdout, (enum cli_command)command);
        return CLI_DONE;
    }
    const char **operands = calloc((size_t)argc, sizeof(*operands));
    if (operands == NULL) {
        cli_complain("no memory");
        return CLI_COULD_NOT;
    }
    struct cli_call call = {.command = (enum cli_command)command,
        .ticks = 600,
        .sample_every = 1,
        .replay_to = INT64_MAX,
        .replay_every = 1,
        .backup_rate = 64,
        .export_to = INT64_MAX,
        .export_every = 1,
        .workers = 1,
        .bench_runs = 1,
        .bench_workers = 1,
        .query_hits = 16,
        .query_tick = CLI_QUERY_NOW,
        .query_age = CLI_QUERY_NOW,
        .load_bots = 100,
        .load_duration = 10.0,
        .load_ramp = -1.0,
        .load_script = "idle=40,push=30,drag=25,burst=5",
        .load_ping = 1000.0,
        .load_late = 250.0,
        .load_verify = 1.0,
        .load_seed = 1,
        .load_settle = 300.0,
        .load_format = "table",
        .load_mode = "quantised",
        .load_ack = 6,
        .watch_mode = "quantised",
        .load_fail_p99 = -1.0,
        .load_fail_snapshot = -1.0,
        .load_fail_errors = -1.0,
        .load_fail_growth = -1.0};
    enum cli_exit result = cli_parse(&call, argc - 2, argv + 2, operands);
    if (result == CLI_DONE) {
        result = cli_commands[command].run(&call);
    }
    free(operands);
    return result;
}

int
main(int argc, char **argv)
{
    enum cli_exit result = CLI_DONE;
    if (argc < 2) {
        cli_print_help(stderr);
        return CLI_BAD;
    }
    if (is_command(argv[1], "--help") || is_command(argv[1], "-h")) {
        cli_print_help(stdout);
    } else if (is_command(argv[1], "--help-man")) {
        cli_print_manual(stdout);
    } else if (is_command(argv[1], "--version")) {
        printf("cairn %s (physics %u)\n", PACKAGE_VERSION, cn_physics_version());
    } else {
        result = call_command(argc, argv);
    }
    bool was_told = result == CLI_COULD_NOT;
    if ((fflush(stdout) != 0 || ferror(stdout)) && !was_told) {
        cli_complain("can not write to standard output: %s", strerror(errno));
        return CLI_COULD_NOT;
    }
    return (int)result;
}
