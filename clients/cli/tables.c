/* tables.c: the tables of commands and options, and finding a command. */
#include "clients/cli/cli.h"

#include "engine/base/name.h"

#include <string.h>

#define X(name, operands, least, most, line, text) {#name, operands, least, most, line, text},
static const struct cli_command_row commands[CLI_COMMAND_COUNT] = {CLI_COMMAND_TABLE(X)};
#undef X

#define X(command, KIND, member, name, argument, standard, text)                                   \
    {CLI_COMMAND_##command, CLI_OPTION_##KIND, name, argument, standard, text,                     \
        offsetof(struct cli_call, member)},
static const struct cli_option_row options[] = {CLI_OPTION_TABLE(X)};
#undef X

const struct cli_program cli_program = {
    .name = "cairn",
    .commands = commands,
    .command_count = CLI_COMMAND_COUNT,
    .options = options,
    .option_count = (int)(sizeof(options) / sizeof(options[0])),
};

/* Words that were commands once, and are programs now. */
static const struct {
    const char *name, *program;
} programs[] = {
    {"bench", "cairn-bench, which is built but not installed"},
    {"load", "cairn-load"},
};

int
cli_command_find(const char *name)
{
    struct cn_nearest nearest;
    cn_nearest_init(&nearest, name);
    for (int i = 0; i < CLI_COMMAND_COUNT; i++) {
        if (strcmp(commands[i].name, name) == 0) {
            return i;
        }
        cn_nearest_offer(&nearest, commands[i].name);
    }
    for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
        if (strcmp(programs[i].name, name) == 0) {
            cli_complain("%s is a program of its own: run %s", name, programs[i].program);
            return -1;
        }
    }
    cli_complain("there is no command %s%s (see cairn --help)", cn_quote(name).text,
        cn_nearest_hint(&nearest).text);
    return -1;
}
