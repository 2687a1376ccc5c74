/* main.c: the program `cairn-load`: its command line and its manual page. */
#include "clients/load/load.h"

#include <string.h>

static const char text[] =
    "Bots join the worlds in turn (all worlds, unless some are named), act by their\n"
    "scripts, and measure times.  Measuring begins when the last bot has joined.\n"
    "\n"
    "The scripts: idle watches; push pushes a body each second; drag drags one in circles,\n"
    "twenty inputs a second for three seconds; burst sends thirty inputs within a quarter\n"
    "second, every three seconds.\n"
    "\n"
    "table and json: how long round trips took, snapshots from publishing to arrival (by\n"
    "the daemon's clock), jitter between arrivals, inputs until a tick contained them, and\n"
    "joins; by how much this program was late itself; bytes by kind of message; ticks\n"
    "skipped; how the inputs ended; errors.  A line that loses a message delays what\n"
    "follows it for 200 ms and a round trip, as TCP does.  The exit status is 1 when a\n"
    "limit of a --fail option is exceeded, or a snapshot does not have its hash.  An\n"
    "interrupt ends the run with the report so far.\n";

#define X(KIND, member, name, argument, standard, text)                                            \
    {0, CLI_OPTION_##KIND, name, argument, standard, text, offsetof(struct load_options, member)},
static const struct cli_option_row rows[] = {LOAD_OPTION_TABLE(X)};
#undef X

static const struct cli_command_row command = {
    "", "[WORLD...]", 0, -1, "put bots on a daemon and say what they see", text};

static const struct cli_program program = {
    .name = "cairn-load",
    .commands = &command,
    .command_count = 1,
    .options = rows,
    .option_count = (int)(sizeof(rows) / sizeof(rows[0])),
};

static void
print_manual(FILE *out)
{
    cli_print_manual_head(out, &program, command.line);
    fputs(".SH SYNOPSIS\n.B cairn\\-load\n[\\fIOPTION\\fR]... [\\fIWORLD\\fR]...\n"
          ".SH DESCRIPTION\n",
        out);
    cli_print_manual_text(out, command.text);
    fputs(".SH OPTIONS\n", out);
    cli_print_manual_options(out, &program, 0);
    fputs(".SH ENVIRONMENT\n", out);
    cli_print_manual_remote(out);
    cli_print_manual_end(out, ".BR cairn (1),\n.BR cairnd (8)");
}

int
main(int argc, char **argv)
{
    struct load_options options = {
        .bots = 100,
        .duration = 10.0,
        .ramp = -1.0,
        .script = "idle=40,push=30,drag=25,burst=5",
        .ping = 1000.0,
        .late = 250.0,
        .verify = 1.0,
        .seed = 1,
        .settle = 300.0,
        .format = "table",
        .mode = "quantised",
        .ack = 6,
        .fail_p99 = -1.0,
        .fail_snapshot = -1.0,
        .fail_errors = -1.0,
        .fail_growth = -1.0,
    };
    enum cli_exit result = CLI_DONE;
    cli_name_program(program.name);
    if (argc == 2 && strcmp(argv[1], "--help-man") == 0) {
        print_manual(stdout);
    } else if (!cli_tell_about(&program, argc - 1, argv + 1)) {
        result = cli_parse(&program, 0, argc - 1, argv + 1, &options, &options.worlds);
        if (result == CLI_DONE) {
            result = load_run(&options);
        }
    }
    return (int)cli_finish_output(result);
}
