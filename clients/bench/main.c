/* main.c: the program `cairn-bench`: its command line. */
#include "clients/bench/bench_options.h"

static const char text[] =
    "SCENE is for example washer, planar/washer, or planar for all planar scenes; without\n"
    "one all are run.  The scenes are the field's usual benchmarks, built in the same way\n"
    "and with the same names.  A step is 1/60 s; the first, in which all is new, does not\n"
    "count.\n"
    "\n"
    "table: bodies; pairs of shapes that are near and that touch, contact points, and the\n"
    "colours (+ the contacts that no colour had room for), all after the last step;\n"
    "milliseconds a step: mean of the quickest run, and median, least and 99th percentile\n"
    "over the steps; kilobytes of the world in memory and of its image, and the hash of the\n"
    "state at the end.  Below it the time by phase, and of stacks the deepest penetration,\n"
    "how far the top has sunk on average, and the most that a box moved along the ground\n"
    "and tilted, their kinetic energy, when a box had first moved by more than 1 m, and\n"
    "since when all sleep; of meshes how many fell out of the scene and how many rest,\n"
    "and how deep they overlapped others.  json and csv have the same numbers, an object\n"
    "or a line for a scene.\n";

#define X(KIND, member, name, argument, standard, text)                                            \
    {0, CLI_OPTION_##KIND, name, argument, standard, text, offsetof(struct bench_options, member)},
static const struct cli_option_row rows[] = {BENCH_OPTION_TABLE(X)};
#undef X

static const struct cli_command_row command = {
    "", "[SCENE...]", 0, -1, "measure how long a step of large scenes takes", text};

static const struct cli_program program = {
    .name = "cairn-bench",
    .commands = &command,
    .command_count = 1,
    .options = rows,
    .option_count = (int)(sizeof(rows) / sizeof(rows[0])),
};

int
main(int argc, char **argv)
{
    struct bench_options options = {
        .stepper = "time",
        .solver = "impulse",
        .runs = 1,
        .workers = 1,
        .format = "table",
    };
    enum cli_exit result = CLI_DONE;
    cli_name_program(program.name);
    if (!cli_tell_about(&program, argc - 1, argv + 1)) {
        result = cli_parse(&program, 0, argc - 1, argv + 1, &options, &options.scenes);
        if (result == CLI_DONE) {
            result = bench_run(&options);
        }
    }
    return (int)cli_finish_output(result);
}
