/* options.c: reads a command line by the tables. */
#include "clients/base/options.h"

#include "engine/base/assert.h"
#include "engine/base/name.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_MAX 1e9

/* Where the words of one command go. */
struct target {
    const struct cli_program *program;
    int command;
    char *options; /* the program's struct of options */
};

static const struct cli_option_row *
find_option(const struct target *target, const char *name, size_t size)
{
    for (int i = 0; i < target->program->option_count; i++) {
        const struct cli_option_row *option = &target->program->options[i];
        if (option->command == target->command && strlen(option->name) == size &&
            memcmp(option->name, name, size) == 0) {
            return option;
        }
    }
    return NULL;
}

static enum cli_exit
refuse_option(const struct target *target, const char *name, size_t size)
{
    const struct cli_program *program = target->program;
    char copy[64], hint[96] = "";
    struct cn_nearest nearest;
    snprintf(copy, sizeof(copy), "%.*s", (int)(size < 60 ? size : 60), name);
    cn_nearest_init(&nearest, copy);
    for (int i = 0; i < program->option_count; i++) {
        if (program->options[i].command == target->command) {
            cn_nearest_offer(&nearest, program->options[i].name);
        }
    }
    if (nearest.best != NULL) {
        snprintf(hint, sizeof(hint), "; did you mean --%s?", nearest.best);
    }
    const char *word = program->commands[target->command].name;
    if (word[0] != '\0') {
        cli_complain("%s has no option --%s%s (see %s help %s)", word, copy, hint, program->name,
            word);
    } else {
        cli_complain("there is no option --%s%s (see %s --help)", copy, hint, program->name);
    }
    return CLI_BAD;
}

static enum cli_exit
set_option(const struct target *target, const struct cli_option_row *option, const char *value)
{
    void *member = target->options + option->offset;
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
take_option(const struct target *target, int argc, char **argv, int *index)
{
    const char *name = argv[*index] + 2, *value = NULL;
    size_t size = strcspn(name, "=");
    const struct cli_option_row *option = find_option(target, name, size);
    if (option == NULL) {
        return refuse_option(target, name, size);
    }
    if (option->kind == CLI_OPTION_FLAG) {
        if (name[size] == '=') {
            cli_complain("--%s takes no value", option->name);
            return CLI_BAD;
        }
        *(bool *)(void *)(target->options + option->offset) = true;
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
    return set_option(target, option, value);
}

enum cli_exit
cli_parse(const struct cli_program *program, int command, int argc, char **argv, void *options,
    struct cli_operands *operands)
{
    CN_ASSERT(command >= 0 && command < program->command_count);
    const struct cli_command_row *row = &program->commands[command];
    const struct target target = {.program = program, .command = command, .options = options};
    bool options_end = false;
    *operands = (struct cli_operands){.words = argv};
    for (int i = 0; i < argc; i++) {
        char *word = argv[i];
        if (!options_end && strcmp(word, "--") == 0) {
            options_end = true;
        } else if (!options_end && word[0] == '-' && word[1] == '-') {
            if (take_option(&target, argc, argv, &i) != CLI_DONE) {
                return CLI_BAD;
            }
        } else if (!options_end && word[0] == '-' && word[1] != '\0') {
            cli_complain("there is no option %s; options begin with --", cn_quote(word).text);
            return CLI_BAD;
        } else {
            CN_ASSERT(operands->count <= i); /* argv[i] and later words are still to be read */
            operands->words[operands->count++] = word;
        }
    }
    bool too_few = operands->count < row->least;
    bool too_many = row->most >= 0 && operands->count > row->most;
    if (too_few || too_many) {
        cli_complain("usage: %s", cli_synopsis(program, command).text);
        return CLI_BAD;
    }
    return CLI_DONE;
}
