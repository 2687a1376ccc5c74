/* options.c: the tables, and the command line by them. */
#include "clients/cli/cli.h"

#include "engine/base/name.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_MAX 1e9

#define X(name, operands, least, most, line, text)                                                 \
    {#name, operands, least, most, line, text, cli_##name},
const struct cli_command_row cli_commands[CLI_COMMAND_COUNT] = {CLI_COMMAND_TABLE(X)};
#undef X

#define X(command, KIND, member, name, argument, standard, text)                                   \
    {CLI_COMMAND_##command, CLI_OPTION_##KIND, name, argument, standard, text,                     \
        offsetof(struct cli_call, member)},
const struct cli_option_row cli_options[] = {CLI_OPTION_TABLE(X)};
#undef X
const int cli_option_count = (int)(sizeof(cli_options) / sizeof(cli_options[0]));

void
cli_complain(const char *format, ...)
{
    va_list list;
    fputs("cairn: ", stderr);
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fputc('\n', stderr);
}

int
cli_command_find(const char *name)
{
    struct cn_nearest nearest;
    cn_nearest_init(&nearest, name);
    for (int i = 0; i < CLI_COMMAND_COUNT; i++) {
        if (strcmp(cli_commands[i].name, name) == 0) {
            return i;
        }
        cn_nearest_offer(&nearest, cli_commands[i].name);
    }
    cli_complain("there is no command %s%s (see cairn --help)", cn_quote(name).text,
        cn_nearest_hint(&nearest).text);
    return -1;
}

static const struct cli_option_row *
find_option(enum cli_command command, const char *name, size_t size)
{
    for (int i = 0; i < cli_option_count; i++) {
        const struct cli_option_row *option = &cli_options[i];
        if (option->command == command && strlen(option->name) == size &&
            memcmp(option->name, name, size) == 0) {
            return option;
        }
    }
    return NULL;
}

static enum cli_exit
refuse_option(enum cli_command command, const char *name, size_t size)
{
    char copy[64];
    struct cn_nearest nearest;
    snprintf(copy, sizeof(copy), "%.*s", (int)(size < 60 ? size : 60), name);
    cn_nearest_init(&nearest, copy);
    for (int i = 0; i < cli_option_count; i++) {
        if (cli_options[i].command == command) {
            cn_nearest_offer(&nearest, cli_options[i].name);
        }
    }
    const char *own = cli_commands[command].name;
    if (nearest.best != NULL) {
        cli_complain("%s has no option --%s; did you mean --%s? (see cairn help %s)", own, copy,
            nearest.best, own);
    } else {
        cli_complain("%s has no option --%s (see cairn help %s)", own, copy, own);
    }
    return CLI_BAD;
}

static enum cli_exit
set_option(struct cli_call *call, const struct cli_option_row *option, const char *value)
{
    void *member = (char *)call + option->offset;
    if (option->kind == CLI_OPTION_TEXT) {
        *(const char **)member = value;
        return CLI_DONE;
    }
    char *end;
    errno = 0;
    if (option->kind == CLI_OPTION_NUMBER) {
        double number = strtod(value, &end);
        if (value[0] < '0' || value[0] > '9' || *end != '\0' || !(number < NUMBER_MAX)) {
            cli_complain("--%s is %s; a number is accepted, such as 0.5", option->name,
                cn_quote(value).text);
            return CLI_BAD;
        }
        *(double *)member = number;
        return CLI_DONE;
    }
    unsigned long long count = strtoull(value, &end, 10);
    if (value[0] < '0' || value[0] > '9' || *end != '\0' || errno != 0 || count > INT64_MAX) {
        bool is_number = option->standard[0] >= '0' && option->standard[0] <= '9';
        cli_complain("--%s is %s; a whole number is accepted, such as %s", option->name,
            cn_quote(value).text, is_number ? option->standard : "60");
        return CLI_BAD;
    }
    *(uint64_t *)member = count;
    return CLI_DONE;
}

/* Takes the option at argv[*index], and its value, which may be the next word. */
static enum cli_exit
take_option(struct cli_call *call, int argc, char **argv, int *index)
{
    const char *name = argv[*index] + 2, *value = NULL;
    size_t size = strcspn(name, "=");
    const struct cli_option_row *option = find_option(call->command, name, size);
    if (option == NULL) {
        return refuse_option(call->command, name, size);
    }
    if (option->kind == CLI_OPTION_FLAG) {
        if (name[size] == '=') {
            cli_complain("--%s takes no value", option->name);
            return CLI_BAD;
        }
        *(bool *)((char *)call + option->offset) = true;
        return CLI_DONE;
    }
    if (name[size] == '=') {
        value = name + size + 1;
    } else if (*index + 1 < argc) {
        value = argv[++*index];
    } else {
        cli_complain("--%s wants a value: --%s %s", option->name, option->name, option->argument);
        return CLI_BAD;
    }
    return set_option(call, option, value);
}

enum cli_exit
cli_parse(struct cli_call *call, int argc, char **argv, const char **operands)
{
    const struct cli_command_row *command = &cli_commands[call->command];
    bool options_end = false;
    call->operands = operands;
    for (int i = 0; i < argc; i++) {
        const char *word = argv[i];
        if (!options_end && strcmp(word, "--") == 0) {
            options_end = true;
        } else if (!options_end && word[0] == '-' && word[1] == '-') {
            if (take_option(call, argc, argv, &i) != CLI_DONE) {
                return CLI_BAD;
            }
        } else if (!options_end && word[0] == '-' && word[1] != '\0') {
            cli_complain("there is no option %s; options begin with --", cn_quote(word).text);
            return CLI_BAD;
        } else {
            operands[call->operand_count++] = word;
        }
    }
    bool too_few = call->operand_count < command->least;
    bool too_many = command->most >= 0 && call->operand_count > command->most;
    if (too_few || too_many) {
        cli_complain("usage: cairn %s", cli_synopsis(call->command).text);
        return CLI_BAD;
    }
    return CLI_DONE;
}
